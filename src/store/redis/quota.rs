//! Leases, and this process among those that serve from the store.

use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::presence::Presence;
use super::values::{failed, unreadable};
use super::{Redis, Registered, scripts};
use crate::domain::account::{AccountId, HolderId};
use crate::domain::clock::Period;
use crate::store::lease_rule::forget_at;
use crate::store::{
    ChangeListener, Claim, Grant, LeaseRecord, PresenceStore, QuotaStore, StoreError, StoreFuture,
};

/// Names the leases of an account in a period.
fn lease_key(account: &AccountId, period: Period) -> String {
    format!("{account}:{period}")
}

impl QuotaStore for Redis {
    fn lease(&self, claim: Claim) -> StoreFuture<'_, Grant> {
        Box::pin(async move {
            let Claim { account, period, limit, holder, number, used, held, want, by_action, now } = claim;
            let by_action = serde_json::to_string(&by_action).map_err(unreadable)?;
            let keep = forget_at(period).0.saturating_sub(now.0);
            let (granted, others_used, others_granted, replication): (u32, u32, u32, String) = self
                .run(
                    &scripts::LEASE,
                    (
                        lease_key(&account, period),
                        holder.as_str(),
                        limit,
                        number,
                        used,
                        held,
                        want,
                        by_action,
                        keep,
                    ),
                )
                .await?;
            if let Some(presence) = self.presence()
                && !presence.is_replication(&replication)
            {
                presence.want_heartbeat();
            }
            Ok(Grant { granted, others_used, others_granted })
        })
    }

    fn leases(&self, account: &AccountId, period: Period) -> StoreFuture<'_, Vec<LeaseRecord>> {
        let key = lease_key(account, period);
        Box::pin(async move {
            let found: Vec<(String, String)> = self.run(&scripts::LEASES, (key,)).await?;
            let lease = |(holder, reported): (String, String)| {
                let mut parts = reported.splitn(4, ':');
                let (_, granted, used, by_action) =
                    (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
                Some(LeaseRecord {
                    holder: HolderId::from_stored(holder),
                    granted: granted.parse().ok()?,
                    used: used.parse().ok()?,
                    by_action: serde_json::from_str(by_action).ok()?,
                })
            };
            // the hash also has two sums, under names that no holder has
            let holders = found.into_iter().filter(|(holder, _)| !holder.starts_with('='));
            let leases: Option<Vec<LeaseRecord>> = holders.map(lease).collect();
            let mut leases = leases.ok_or_else(|| failed("a stored lease is malformed"))?;
            leases.sort_by(|one, other| one.holder.cmp(&other.holder));
            Ok(leases)
        })
    }

    fn recall(&self, account: &AccountId) -> StoreFuture<'_, ()> {
        let account = account.clone();
        Box::pin(async move {
            let process = self.presence().map_or("", |presence| &presence.process);
            let change = self.run(&scripts::RECALL, (account.as_str(), process)).await?;
            // a process that has not answered by then is not waited for
            timeout(super::RECALL, self.handled_everywhere(change)).await.unwrap_or(Ok(()))
        })
    }
}

impl PresenceStore for Redis {
    fn register(&self, listener: ChangeListener) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.wire.connection.live_on(Handle::current());
            self.wire.identify().await?;
            let presence = Arc::new(Presence::register(self.wire.clone(), listener).await?);
            let tasks = [
                tokio::spawn(presence.clone().send_heartbeats()).abort_handle(),
                tokio::spawn(presence.clone().wait_for_changes()).abort_handle(),
            ];
            // a second registration, which nobody should make, ends here
            let _ = self.registered.set(Registered { presence, tasks });
            Ok(())
        })
    }

    fn is_trusted(&self, at: Instant) -> bool {
        self.registered.get().is_some_and(|registered| registered.presence.is_trusted(at))
    }

    fn refresh(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            match self.presence() {
                Some(presence) => presence.refresh().await,
                // without a registration no change arrives, so nothing may be cached
                None => Err(StoreError::Closed),
            }
        })
    }

    fn leave(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let Some(Registered { presence, tasks }) = self.registered.get() else { return Ok(()) };
            tasks.iter().for_each(AbortHandle::abort);
            presence.leave().await
        })
    }

    fn health(&self) -> Result<(), StoreError> {
        let Some(Registered { presence, tasks }) = self.registered.get() else { return Ok(()) };
        if tasks.iter().any(AbortHandle::is_finished) {
            return Err(StoreError::Closed);
        }
        presence.health()
    }

    fn panics(&self) -> u64 {
        self.presence().map_or(0, |presence| presence.panics())
    }
}
