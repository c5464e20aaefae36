//! Callers at endpoints that are no actions: who they are, and what they are charged.

use std::net::IpAddr;
use std::sync::Arc;

use super::Dispatcher;
use crate::domain::action::CallKind;
use crate::domain::clock::Moment;
use crate::domain::error::ApiError;
use crate::domain::plan::Plan;
use crate::quota::keys::Caller;
use crate::quota::permit::Permit;
use crate::store::ChangeListener;

/// The holder of a key, at an endpoint that is no action.
pub struct Admission<P> {
    /// Who it is.
    pub caller: Arc<Caller>,
    /// What the caller may do, or the limit that is used up.
    pub permit: Result<P, ApiError>,
}

impl Dispatcher {
    /// Charges a caller one call of the month, for what is no action.
    pub async fn charge(
        &self,
        caller: &Caller,
        moment: Moment,
        kind: CallKind,
        plan: Plan,
    ) -> Result<(), ApiError> {
        self.gate.charge(caller, moment, kind).await?;
        self.counters.count_call_of_plan(plan);
        Ok(())
    }

    /// The caller that holds the key in the headers; `None` when no key was sent.
    pub async fn holder(
        &self,
        key: Result<Option<&[u8]>, ApiError>,
    ) -> Result<Option<Arc<Caller>>, ApiError> {
        let Some(key) = key? else { return Ok(None) };
        let caller = self.keys.caller(key).await?;
        caller.account.check_not_blocked()?;
        Ok(Some(caller))
    }

    /// Finds the caller by the key in the headers and admits it for a call of the minute, for endpoints that are not
    /// actions.
    pub async fn admit(
        &self,
        key: Result<Option<&[u8]>, ApiError>,
        moment: Moment,
    ) -> Result<Admission<Permit>, ApiError> {
        let caller = self.holder(key).await?.ok_or(ApiError::MissingKey)?;
        let permit = self.gate.admit(&caller, moment).await;
        Ok(Admission { caller, permit })
    }

    /// Finds the caller by the key in the headers and admits it for what its plan does not limit: see
    /// [`Gate::admit_owner`](crate::quota::gate::Gate::admit_owner). The account may be blocked.
    pub async fn admit_owner(
        &self,
        key: Result<Option<&[u8]>, ApiError>,
        client: IpAddr,
        moment: Moment,
    ) -> Result<Admission<()>, ApiError> {
        let caller = self.keys.caller(key?.ok_or(ApiError::MissingKey)?).await?;
        let permit = self.gate.admit_owner(&caller.account.id, client, moment);
        Ok(Admission { caller, permit })
    }

    /// The listener that must hear of changes in the store before the first request is answered.
    pub fn listener(&self) -> ChangeListener {
        self.keys.listener()
    }

    /// Reports spent calls to the store while the service runs.
    pub async fn report_calls(self: Arc<Self>) {
        self.quota.report_each_minute().await;
    }

    /// Returns unspent leases to the store, after the last request.
    pub async fn close(&self) {
        self.quota.close().await;
    }
}
