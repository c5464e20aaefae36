//! Subscriptions and webhook events.

use async_trait::async_trait;
use rusqlite::params;

use super::Sqlite;
use super::rows::{execute, find, find_all, finish_event, queue_mail, sql_limit};
use crate::domain::account::AccountId;
use crate::domain::clock::UnixMillis;
use crate::store::{
    BillingStore, StoreResult, SubscriptionRecord, SubscriptionUpdate, TakeDue, WebhookEvent,
};

#[async_trait]
impl BillingStore for Sqlite {
    async fn subscription_record(&self, account: &AccountId) -> StoreResult<SubscriptionRecord> {
        let account = account.clone();
        self.read(move |db| {
            let record = find(db, "SELECT version, text FROM books WHERE account = ?1", [account], |row| {
                Ok(SubscriptionRecord { version: row.get(0)?, text: row.get(1)? })
            });
            Ok(record?.unwrap_or_default())
        })
        .await
    }

    async fn save_subscription(&self, update: SubscriptionUpdate) -> StoreResult<bool> {
        self.write_account(move |db| {
            let SubscriptionUpdate { account, version, text, plan, due_at, at, .. } = update;
            let sql = "INSERT INTO books (account, version, text, due_at)
                       SELECT id, 1, ?3, ?4 FROM accounts WHERE id = ?1
                         AND (?2 = 0 OR EXISTS (SELECT 1 FROM books WHERE account = ?1))
                       ON CONFLICT (account) DO UPDATE
                         SET version = version + 1, text = excluded.text, due_at = excluded.due_at
                         WHERE version = ?2";
            if execute(db, sql, params![account, version, text, due_at])? == 0 {
                return Ok((false, None));
            }
            for reference in update.references {
                let sql = "INSERT OR IGNORE INTO payers (reference, account) VALUES (?1, ?2)";
                execute(db, sql, params![reference, account])?;
            }
            for reference in update.dropped_references {
                let sql = "DELETE FROM payers WHERE reference = ?1 AND account = ?2";
                execute(db, sql, params![reference, account])?;
            }
            for (mail, kind) in update.mails {
                queue_mail(db, &mail, &account, kind, at)?;
            }
            if let Some(event) = update.finished_event {
                finish_event(db, &event, at)?;
            }
            let Some(plan) = plan else { return Ok((true, None)) };
            execute(db, "UPDATE accounts SET plan = ?2 WHERE id = ?1", params![account, plan])?;
            Ok((true, Some(account)))
        })
        .await
    }

    async fn account_of_reference(&self, reference: &str) -> StoreResult<Option<AccountId>> {
        let reference = reference.to_owned();
        self.read(move |db| {
            find(db, "SELECT account FROM payers WHERE reference = ?1", [reference], |row| row.get(0))
        })
        .await
    }

    async fn take_due_subscriptions(
        &self,
        TakeDue { now, retry_at, max }: TakeDue,
    ) -> StoreResult<Vec<AccountId>> {
        self.write(move |db| {
            let sql = "SELECT account FROM books WHERE due_at <= ?1 ORDER BY due_at, account LIMIT ?2";
            let due: Vec<AccountId> = find_all(db, sql, params![now, sql_limit(max)], |row| row.get(0))?;
            for account in &due {
                execute(db, "UPDATE books SET due_at = ?2 WHERE account = ?1", params![account, retry_at])?;
            }
            Ok(due)
        })
        .await
    }

    async fn save_webhook_event(&self, event: WebhookEvent) -> StoreResult<bool> {
        self.write(move |db| {
            let WebhookEvent { id, text, at, attempts } = event;
            let sql = "INSERT INTO notices (id, text, at, due_at, attempts) VALUES (?1, ?2, ?3, ?3, ?4)
                       ON CONFLICT (id) DO NOTHING";
            Ok(execute(db, sql, params![id, text, at, attempts])? > 0)
        })
        .await
    }

    async fn take_due_webhook_events(
        &self,
        TakeDue { now, retry_at, max }: TakeDue,
    ) -> StoreResult<Vec<WebhookEvent>> {
        self.write(move |db| {
            let sql = "SELECT id, text, at, attempts + 1 FROM notices
                       WHERE due_at <= ?1 ORDER BY due_at, at, id LIMIT ?2";
            let due = find_all(db, sql, params![now, sql_limit(max)], |row| {
                let (id, text, at, attempts) = row.try_into()?;
                Ok(WebhookEvent { id, text, at, attempts })
            })?;
            for event in &due {
                let sql = "UPDATE notices SET due_at = ?2, attempts = attempts + 1 WHERE id = ?1";
                execute(db, sql, params![event.id, retry_at])?;
            }
            Ok(due)
        })
        .await
    }

    async fn finish_webhook_event(&self, event: &str, at: UnixMillis) -> StoreResult<()> {
        let event = event.to_owned();
        self.write(move |db| finish_event(db, &event, at)).await
    }
}
