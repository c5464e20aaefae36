//! The webhook of an account: set, shown, tried and removed by its owner or the operator.

use std::sync::Arc;

use rand::rngs::SysError;

use super::messages::{HookTest, TEST};
use super::{MAX_QUEUED, MessageError, message};
use crate::domain::account::AccountId;
use crate::domain::clock::Clock;
use crate::domain::hook::{BadHookUrl, HookRecord, HookSecret, HookUrl};
use crate::store::{HookQueue, HookStore, StoreError};

/// Sets, shows, tries and removes webhooks.
#[derive(Debug)]
pub struct HookService {
    store: Arc<dyn HookStore>,
    clock: Clock,
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
    #[error("the operating system's source of randomness failed: {0}")]
    Randomness(#[from] SysError),
}

impl HookService {
    /// The webhooks of a store. With `allow_private` they may be of private networks.
    pub fn new(store: Arc<dyn HookStore>, clock: Clock, allow_private: bool) -> HookService {
        HookService { store, clock, allow_private }
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
        match self.store.set_hook(account, Some(hook)).await? {
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
        self.store.set_hook(account, None).await
    }

    /// Queues a message that only says that the webhook works.
    pub async fn test(&self, account: &AccountId) -> Result<HookQueue, HookError> {
        let message = message(TEST, HookTest {}, self.clock.now())?;
        Ok(self.store.queue_for(account, message, MAX_QUEUED).await?)
    }
}
