//! The contract of the store about webhooks.

use std::fmt;

use async_trait::async_trait;

use super::{StoreResult, TakeDue};
use crate::domain::account::{AccountId, DeliveryId, MailId};
use crate::domain::clock::UnixMillis;
use crate::domain::hook::{HookRecord, HookSecret};
use crate::domain::mail::MailKind;

/// Webhooks of accounts, and the messages that wait for them.
#[async_trait]
pub trait HookStore: fmt::Debug + Send + Sync {
    /// Sets the webhook of an account, or removes it, and drops the messages that wait for the one before; false when
    /// there is no such account, or no webhook to remove.
    async fn set_hook(&self, account: &AccountId, hook: Option<HookRecord>) -> StoreResult<bool>;

    /// The webhook of an account.
    async fn hook(&self, account: &AccountId) -> StoreResult<Option<HookRecord>>;

    /// Queues a message to the webhooks of all accounts that are not blocked, due at once, but not to those for which `max`
    /// wait already.
    async fn queue_for_all(&self, message: Message, max: usize) -> StoreResult<()>;

    /// Queues a message to the webhook of an account, due at once, unless `max` wait for it already. An account without a
    /// webhook gets the mail, if there is one and it is not blocked. Whether it has a webhook.
    async fn queue_for(
        &self,
        account: &AccountId,
        message: Message,
        max: usize,
        otherwise: Option<ElseMail>,
    ) -> StoreResult<bool>;

    /// Takes messages that are due, as [`super::MailStore::take_due_mails`] takes mails.
    async fn take_due_deliveries(&self, take: TakeDue) -> StoreResult<Vec<Delivery>>;

    /// Records what came of an attempt, and when to try again; `None` removes the message.
    async fn record_attempt(
        &self,
        delivery: &Delivery,
        result: &str,
        at: UnixMillis,
        retry_at: Option<UnixMillis>,
    ) -> StoreResult<()>;
}

/// A mail in place of a message.
pub type ElseMail = (MailId, MailKind);

/// A message to webhooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its id. One that goes to several accounts gets an id for each, made of this one and of the account.
    pub id: DeliveryId,
    /// Its body.
    pub body: String,
    /// When it was made.
    pub at: UnixMillis,
}

impl Message {
    /// The id of the message to an account, of one that goes to several.
    pub(super) fn of(&self, account: &AccountId) -> DeliveryId {
        let (_, own) = account.as_str().split_once('_').unwrap_or_default();
        DeliveryId::from_stored(format!("{}_{own}", self.id))
    }
}

/// A queued message to the webhook of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its id, the same in every attempt.
    pub id: DeliveryId,
    /// The account.
    pub account: AccountId,
    /// The address.
    pub url: String,
    /// What signs it.
    pub secret: HookSecret,
    /// Its body.
    pub body: String,
    /// When it was queued.
    pub queued_at: UnixMillis,
    /// How often it was taken from the queue, this time included.
    pub attempts: u32,
}
