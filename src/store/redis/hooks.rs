//! Webhooks of accounts, and the messages that wait for them.

use async_trait::async_trait;

use super::{Redis, scripts};
use crate::domain::account::AccountId;
use crate::domain::clock::UnixMillis;
use crate::domain::hook::{HookRecord, HookSecret};
use crate::store::{Delivery, ElseMail, HookQueue, HookStore, Message, Once, StoreResult, TakeDue};

/// A hook as the script answers it.
type Stored = (String, String, UnixMillis, Option<UnixMillis>, Option<String>);

/// The name of an event, and for how many milliseconds it is remembered that it was queued.
fn remembered(once: Once, now: UnixMillis) -> (String, i64) {
    (once.name, once.ends_at.0.saturating_sub(now.0).max(1))
}

#[async_trait]
impl HookStore for Redis {
    async fn set_hook(&self, account: &AccountId, hook: Option<HookRecord>) -> StoreResult<bool> {
        match hook {
            Some(HookRecord { url, secret, created_at, .. }) => {
                self.run(&scripts::SET_HOOK, (account, url, secret.reveal(), created_at)).await
            }
            None => self.run(&scripts::SET_HOOK, (account, "")).await,
        }
    }

    async fn hook(&self, account: &AccountId) -> StoreResult<Option<HookRecord>> {
        let found: Option<Stored> = self.run(&scripts::HOOK, account).await?;
        Ok(found.map(|(url, secret, created_at, last_at, result)| HookRecord {
            url,
            secret: HookSecret::from_stored(secret),
            created_at,
            last: last_at.zip(result),
        }))
    }

    async fn queue_for(&self, account: &AccountId, message: Message, max: usize) -> StoreResult<HookQueue> {
        let Message { id, body, at } = message;
        let queued: String = self.run(&scripts::QUEUE_FOR, (account, id, body, at, max)).await?;
        Ok(match &*queued {
            "queued" => HookQueue::Queued,
            "full" => HookQueue::Full,
            _ => HookQueue::NoHook,
        })
    }

    async fn notify(
        &self,
        account: &AccountId,
        once: Once,
        message: Message,
        max: usize,
        otherwise: ElseMail,
    ) -> StoreResult<()> {
        let once = remembered(once, message.at);
        let Message { id, body, at } = message;
        self.run::<bool>(&scripts::NOTIFY, (once, (account, id, body, at, max), otherwise)).await.map(drop)
    }

    async fn notify_all(&self, once: Once, message: Message, max: usize) -> StoreResult<()> {
        let once = remembered(once, message.at);
        let Message { id, body, at } = message;
        self.run::<bool>(&scripts::NOTIFY_ALL, (once, id, body, at, max)).await.map(drop)
    }

    async fn take_due_deliveries(&self, take: TakeDue, max_each: usize) -> StoreResult<Vec<Delivery>> {
        let arguments = (take.now, take.retry_at, take.max, max_each);
        let due: Vec<_> = self.run(&scripts::TAKE_DUE_DELIVERIES, arguments).await?;
        let delivery = |(id, account, url, secret, body, queued_at, attempts)| Delivery {
            id,
            account,
            url,
            secret: HookSecret::from_stored(secret),
            body,
            queued_at,
            attempts,
        };
        Ok(due.into_iter().map(delivery).collect())
    }

    async fn record_attempt(
        &self,
        delivery: &Delivery,
        result: &str,
        at: UnixMillis,
        retry_at: Option<UnixMillis>,
    ) -> StoreResult<()> {
        let Delivery { id, account, url, .. } = delivery;
        let retry_at = retry_at.map_or_else(String::new, |at| at.0.to_string());
        let attempt = (id, account, url, at, result, retry_at);
        self.run::<bool>(&scripts::RECORD_ATTEMPT, attempt).await.map(drop)
    }
}
