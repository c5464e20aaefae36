//! Leases, and this process among those that serve from the store.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::presence::RECALL;
use super::{Redis, Registered, scripts};
use crate::domain::account::{AccountId, HolderId};
use crate::domain::clock::Period;
use crate::store::lease_rule::forget_at;
use crate::store::{
    ChangeListener, Claim, Grant, LastProbe, LeaseRecord, PresenceStore, QuotaStore, StoreError, StoreResult,
};

/// Names the leases of an account in a period.
fn lease_key(account: &AccountId, period: Period) -> String {
    format!("{account}:{period}")
}

#[async_trait]
impl QuotaStore for Redis {
    async fn lease(&self, claim: Claim) -> StoreResult<Grant> {
        let Claim { account, period, limit, holder, number, used, held, want, by_action, now } = claim;
        let key = lease_key(&account, period);
        let by_action = serde_json::to_string(&by_action).map_err(StoreError::failed)?;
        let keep = forget_at(period).0.saturating_sub(now.0);
        // with its process, so that others know when it has ended
        let holder = match self.presence() {
            Some(presence) => format!("{holder}@{}", presence.process),
            None => holder.to_string(),
        };
        let claim = (key, holder, limit, number, used, held, want, by_action, keep);
        let (granted, others_used, others_granted, lost_since, others_lost): (u32, u32, u32, String, u32) =
            self.run(&scripts::LEASE, claim).await?;
        if let Some(presence) = self.presence()
            && !presence.knows_loss(&lost_since)
        {
            presence.want_heartbeat();
        }
        Ok(Grant { granted, others_used, others_granted, others_lost })
    }

    async fn leases(&self, account: &AccountId, period: Period) -> StoreResult<Vec<LeaseRecord>> {
        let (found, serving): (Vec<(String, String)>, Vec<String>) =
            self.run(&scripts::LEASES, lease_key(account, period)).await?;
        let lease = |(holder, reported): (String, String)| {
            let mut parts = reported.splitn(4, ':').skip(1);
            let (granted, used) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            let by_action = serde_json::from_str(parts.next()?).ok()?;
            // programs before this one wrote no process
            let (holder, process) =
                holder.split_once('@').map_or((&*holder, None), |(id, of)| (id, Some(of)));
            let has_ended = process.is_some_and(|process| serving.iter().all(|known| known != process));
            let (holder, used) = (holder.to_owned(), if has_ended { granted } else { used });
            Some(LeaseRecord { holder: HolderId::from_stored(holder), granted, used, by_action })
        };
        // the hash also has two sums, under names that no holder has
        let holders = found.into_iter().filter(|(holder, _)| !holder.starts_with('='));
        let leases: Option<Vec<LeaseRecord>> = holders.map(lease).collect();
        let mut leases = leases.ok_or_else(|| StoreError::failed("a stored lease is malformed"))?;
        leases.sort_by(|one, other| one.holder.cmp(&other.holder));
        Ok(leases)
    }

    async fn recall(&self, account: &AccountId) -> StoreResult<()> {
        let process = self.presence().map_or("", |presence| &presence.process);
        let change = self.run(&scripts::RECALL, (account, process)).await?;
        // a process that has not answered by then is not waited for
        match timeout(RECALL, self.handled_everywhere(change)).await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(_)) | Err(_) => Ok(()),
        }
    }
}

#[async_trait]
impl PresenceStore for Redis {
    async fn register(&self, listener: ChangeListener) -> StoreResult<()> {
        self.wire.connection.set_runtime(Handle::current());
        let presence = match self.join(listener).await {
            Ok(presence) => Arc::new(presence),
            Err(error) => {
                *self.not_registered.lock() = Some(error.clone());
                return Err(error);
            }
        };
        let tasks = [
            tokio::spawn(presence.clone().send_heartbeats()).abort_handle(),
            tokio::spawn(presence.clone().wait_for_changes()).abort_handle(),
        ];
        // a second registration, which nobody should make, ends here
        let _ = self.registered.set(Registered { presence, tasks });
        Ok(())
    }

    fn is_trusted(&self) -> bool {
        self.presence().is_some_and(|presence| presence.is_trusted())
    }

    async fn refresh(&self) -> StoreResult<()> {
        // without a registration no change arrives, so nothing may be cached
        self.presence().ok_or(StoreError::Closed)?.refresh().await
    }

    async fn leave(&self) -> StoreResult<()> {
        let Some(Registered { presence, tasks }) = self.registered.get() else { return Ok(()) };
        tasks.iter().for_each(AbortHandle::abort);
        presence.leave().await
    }

    fn health(&self) -> StoreResult<()> {
        let Some(Registered { presence, tasks }) = self.registered.get() else {
            return self.not_registered.lock().clone().map_or(Ok(()), Err);
        };
        if tasks.iter().any(AbortHandle::is_finished) {
            return Err(StoreError::Closed);
        }
        presence.health()
    }

    fn last_probe(&self) -> LastProbe {
        let is_up = self.not_registered.lock().is_none();
        self.presence().map_or(LastProbe { is_up, took: None }, |presence| presence.last_beat())
    }

    fn panics(&self) -> u64 {
        self.presence().map_or(0, |presence| presence.panics())
    }
}
