//! Subscriptions and webhook events.

use super::wire::{ChangeId, millis};
use super::{Redis, scripts};
use crate::domain::account::AccountId;
use crate::domain::clock::UnixMillis;
use crate::domain::plan::Plan;
use crate::store::{
    BillingStore, EVENT_REMEMBERED, StoreFuture, SubscriptionRecord, SubscriptionUpdate, WebhookEvent,
};

impl BillingStore for Redis {
    fn subscription_record(&self, account: &AccountId) -> StoreFuture<'_, SubscriptionRecord> {
        let account = account.clone();
        Box::pin(async move {
            let (version, text): (Option<u32>, Option<String>) =
                self.run(&scripts::SUBSCRIPTION_RECORD, (account.as_str(),)).await?;
            Ok(SubscriptionRecord { version: version.unwrap_or_default(), text: text.unwrap_or_default() })
        })
    }

    fn save_subscription(&self, update: SubscriptionUpdate) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let SubscriptionUpdate {
                account,
                version,
                text,
                plan,
                references,
                mails,
                due_at,
                finished_event,
                at,
            } = update;
            let plan = plan.map(Plan::as_str).unwrap_or_default();
            let due_at = due_at.map(|due_at| due_at.0.to_string()).unwrap_or_default();
            let mails: Vec<_> = mails.iter().map(|(mail, kind)| (mail.as_str(), kind.as_str())).collect();
            let saved: Option<(Option<ChangeId>,)> = self
                .run(
                    &scripts::SAVE_SUBSCRIPTION,
                    (
                        (account.as_str(), version, text, plan, due_at, at.0),
                        (finished_event.unwrap_or_default(), millis(EVENT_REMEMBERED)),
                        references.len(),
                        references,
                        mails,
                    ),
                )
                .await?;
            let Some((change,)) = saved else { return Ok(false) };
            if let Some(change) = change {
                self.handled_here(change).await?;
            }
            Ok(true)
        })
    }

    fn account_of_reference(&self, reference: &str) -> StoreFuture<'_, Option<AccountId>> {
        let reference = reference.to_owned();
        Box::pin(async move {
            let found: Option<String> = self.run(&scripts::ACCOUNT_OF_REFERENCE, (reference,)).await?;
            Ok(found.map(AccountId::from_stored))
        })
    }

    fn take_due_subscriptions(
        &self,
        now: UnixMillis,
        retry_at: UnixMillis,
        max: usize,
    ) -> StoreFuture<'_, Vec<AccountId>> {
        Box::pin(async move {
            let due: Vec<String> =
                self.run(&scripts::TAKE_DUE_SUBSCRIPTIONS, (now.0, retry_at.0, max)).await?;
            Ok(due.into_iter().map(AccountId::from_stored).collect())
        })
    }

    fn save_webhook_event(&self, event: WebhookEvent) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let WebhookEvent { id, text, at, attempts } = event;
            self.run(&scripts::SAVE_WEBHOOK_EVENT, (id, text, at.0, attempts)).await
        })
    }

    fn take_due_webhook_events(
        &self,
        now: UnixMillis,
        retry_at: UnixMillis,
        max: usize,
    ) -> StoreFuture<'_, Vec<WebhookEvent>> {
        Box::pin(async move {
            let due: Vec<(String, String, i64, u32)> =
                self.run(&scripts::TAKE_DUE_WEBHOOK_EVENTS, (now.0, retry_at.0, max)).await?;
            let event = |(id, text, at, attempts)| WebhookEvent { id, text, at: UnixMillis(at), attempts };
            Ok(due.into_iter().map(event).collect())
        })
    }

    fn finish_webhook_event(&self, event: &str, _: UnixMillis) -> StoreFuture<'_, ()> {
        let event = event.to_owned();
        Box::pin(
            async move { self.run(&scripts::FINISH_WEBHOOK_EVENT, (event, millis(EVENT_REMEMBERED))).await },
        )
    }
}
