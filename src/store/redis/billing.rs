//! Subscriptions and webhook events.

use async_trait::async_trait;

use super::wire::ChangeId;
use super::{Redis, scripts};
use crate::domain::account::AccountId;
use crate::domain::clock::UnixMillis;
use crate::domain::plan::Plan;
use crate::store::{
    BillingStore, EVENT_REMEMBERED_MILLIS, StoreResult, SubscriptionRecord, SubscriptionUpdate, TakeDue,
    WebhookEvent,
};

#[async_trait]
impl BillingStore for Redis {
    async fn subscription_record(&self, account: &AccountId) -> StoreResult<SubscriptionRecord> {
        let (version, text): (Option<u32>, Option<String>) =
            self.run(&scripts::SUBSCRIPTION_RECORD, account).await?;
        Ok(SubscriptionRecord { version: version.unwrap_or_default(), text: text.unwrap_or_default() })
    }

    async fn save_subscription(&self, update: SubscriptionUpdate) -> StoreResult<bool> {
        let SubscriptionUpdate { account, version, text, references, dropped_references, mails, at, .. } =
            update;
        let plan = update.plan.map(Plan::as_str).unwrap_or_default();
        let due_at = update.due_at.map(|due_at| due_at.0.to_string()).unwrap_or_default();
        let event = (update.finished_event.unwrap_or_default(), EVENT_REMEMBERED_MILLIS);
        let record = (account, version, text, plan, due_at, at);
        let references = (references.len(), references, dropped_references.len(), dropped_references);
        let arguments = (record, event, references, mails);
        let saved: Option<(Option<ChangeId>,)> = self.run(&scripts::SAVE_SUBSCRIPTION, arguments).await?;
        let Some((change,)) = saved else { return Ok(false) };
        if let Some(change) = change {
            self.handled_here(change).await?;
        }
        Ok(true)
    }

    async fn account_of_reference(&self, reference: &str) -> StoreResult<Option<AccountId>> {
        self.run(&scripts::ACCOUNT_OF_REFERENCE, reference).await
    }

    async fn take_due_subscriptions(
        &self,
        TakeDue { now, retry_at, max }: TakeDue,
    ) -> StoreResult<Vec<AccountId>> {
        self.run(&scripts::TAKE_DUE_SUBSCRIPTIONS, (now, retry_at, max)).await
    }

    async fn save_webhook_event(&self, event: WebhookEvent) -> StoreResult<bool> {
        let WebhookEvent { id, text, at, attempts } = event;
        self.run(&scripts::SAVE_WEBHOOK_EVENT, (id, text, at, attempts)).await
    }

    async fn take_due_webhook_events(
        &self,
        TakeDue { now, retry_at, max }: TakeDue,
    ) -> StoreResult<Vec<WebhookEvent>> {
        let due: Vec<_> = self.run(&scripts::TAKE_DUE_WEBHOOK_EVENTS, (now, retry_at, max)).await?;
        let event = |(id, text, at, attempts)| WebhookEvent { id, text, at, attempts };
        Ok(due.into_iter().map(event).collect())
    }

    async fn finish_webhook_event(&self, event: &str, _: UnixMillis) -> StoreResult<()> {
        self.run(&scripts::FINISH_WEBHOOK_EVENT, (event, EVENT_REMEMBERED_MILLIS)).await
    }
}
