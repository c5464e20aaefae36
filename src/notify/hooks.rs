//! The webhook of an account: set, shown, tried and removed by its owner or the operator.

use std::sync::Arc;

use super::messages::{HookTest, TEST};
use super::{MAX_QUEUED, MessageError, message};
use crate::domain::account::AccountId;
use crate::domain::base62::NoRandomness;
use crate::domain::clock::{Clock, UnixMillis};
use crate::domain::hook::{BadHookUrl, HookRecord, HookSecret, HookUrl};
use crate::store::journal::{Ended, NotedChanges};
use crate::store::{HookQueue, HookStore, StoreError};

/// Sets, shows, tries and removes webhooks.
#[derive(Debug)]
pub struct HookService {
    store: Arc<dyn HookStore>,
    clock: Clock,
    changes: NotedChanges,
    allow_private: bool,
}

/// Why a webhook was not set.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// The address cannot be used.
    #[error(transparent)]
    Url(#[from] BadHookUrl),
    /// The account is gone.
    #[error("the account does not exist")]
    NoAccount,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A message could not be written.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The operating system gave no randomness.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

impl HookService {
    /// The webhooks of a store. With `allow_private` they may be of private networks.
    pub fn new(
        store: Arc<dyn HookStore>,
        clock: Clock,
        changes: NotedChanges,
        allow_private: bool,
    ) -> HookService {
        HookService { store, clock, changes, allow_private }
    }

    /// Sets the webhook of an account, in place of the one before and of what waits for it; returns its secret, which
    /// is not shown again.
    pub async fn set(&self, account: &AccountId, url: &str) -> Result<HookSecret, HookError> {
        let url = HookUrl::parse(url, self.allow_private)?;
        let secret = HookSecret::generate()?;
        let hook = HookRecord {
            url: url.as_str().to_owned(),
            secret: secret.clone(),
            created_at: self.clock.now(),
            last: None,
        };
        let at = hook.created_at;
        match self.change(account, Some(hook), at).await? {
            true => Ok(secret),
            false => Err(HookError::NoAccount),
        }
    }

    /// The webhook of an account.
    pub async fn hook(&self, account: &AccountId) -> Result<Option<HookRecord>, StoreError> {
        self.store.hook(account).await
    }

    /// Removes the webhook of an account, with what waits for it; false when it has none.
    pub async fn remove(&self, account: &AccountId) -> Result<bool, StoreError> {
        self.change(account, None, self.clock.now()).await
    }

    /// Changes the webhook of an account, and notes that the one before has ended: a restored backup would send to it
    /// again.
    async fn change(
        &self,
        account: &AccountId,
        hook: Option<HookRecord>,
        at: UnixMillis,
    ) -> Result<bool, StoreError> {
        let had_one = self.store.hook(account).await?.is_some();
        let (store, account) = (self.store.clone(), account.clone());
        let change = async move {
            let changed = store.set_hook(&account, hook).await;
            // after an error it may have ended, as its owner wanted
            let ended = had_one && !matches!(changed, Ok(false));
            (changed, ended.then_some(Ended::Hook { account, at }))
        };
        self.changes.run(change).await
    }

    /// Queues a message that only says that the webhook works.
    pub async fn test(&self, account: &AccountId) -> Result<HookQueue, HookError> {
        let message = message(TEST, HookTest {}, self.clock.now())?;
        Ok(self.store.queue_for(account, message, MAX_QUEUED).await?)
    }
}
