//! Messages to webhooks, as the store queues them.

use crate::domain::account::{AccountId, DeliveryId, MailId};
use crate::domain::clock::UnixMillis;
use crate::domain::hook::HookSecret;
use crate::domain::mail::MailKind;

/// A mail in place of a message.
pub type ElseMail = (MailId, MailKind);

/// An event that is queued once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    /// What names the event, among the counters of rate limits.
    pub name: String,
    /// Until when it is remembered that the event was queued.
    pub ends_at: UnixMillis,
}

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

/// What became of a message to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookQueue {
    /// It waits, or waited before.
    Queued,
    /// So many wait that it was dropped.
    Full,
    /// The account has no webhook.
    NoHook,
}
