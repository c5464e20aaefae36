//! Subscriptions and webhook events.

use rusqlite::{OptionalExtension, params};

use super::Sqlite;
use super::rows::{finish_event, queue_mail};
use crate::domain::account::AccountId;
use crate::domain::clock::UnixMillis;
use crate::store::{
    BillingStore, EVENT_REMEMBERED, StoreFuture, SubscriptionRecord, SubscriptionUpdate, WebhookEvent,
};

impl BillingStore for Sqlite {
    fn subscription_record(&self, account: &AccountId) -> StoreFuture<'_, SubscriptionRecord> {
        let account = account.clone();
        self.read(move |connection| {
            let record = connection
                .prepare_cached("SELECT version, text FROM books WHERE account = ?1")?
                .query_row([account.as_str()], |row| {
                    Ok(SubscriptionRecord { version: row.get(0)?, text: row.get(1)? })
                })
                .optional()?;
            Ok(record.unwrap_or_default())
        })
    }

    fn save_subscription(&self, update: SubscriptionUpdate) -> StoreFuture<'_, bool> {
        self.write_account(move |connection| {
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
            let written = connection
                .prepare_cached(
                    "INSERT INTO books (account, version, text, due_at)
                     SELECT id, 1, ?3, ?4 FROM accounts WHERE id = ?1
                       AND (?2 = 0 OR EXISTS (SELECT 1 FROM books WHERE account = ?1))
                     ON CONFLICT (account) DO UPDATE
                       SET version = version + 1, text = excluded.text, due_at = excluded.due_at
                       WHERE version = ?2",
                )?
                .execute(params![account.as_str(), version, text, due_at])?
                > 0;
            if !written {
                return Ok((false, None));
            }
            let mut add_reference = connection
                .prepare_cached("INSERT OR IGNORE INTO payers (reference, account) VALUES (?1, ?2)")?;
            for reference in &references {
                add_reference.execute(params![reference, account.as_str()])?;
            }
            for (mail, kind) in &mails {
                queue_mail(connection, mail, &account, *kind, at, at)?;
            }
            if let Some(event) = finished_event {
                finish_event(connection, &event, at)?;
            }
            let Some(plan) = plan else { return Ok((true, None)) };
            let sql = "UPDATE accounts SET plan = ?2 WHERE id = ?1";
            connection.prepare_cached(sql)?.execute(params![account.as_str(), plan])?;
            Ok((true, Some(account)))
        })
    }

    fn account_of_reference(&self, reference: &str) -> StoreFuture<'_, Option<AccountId>> {
        let reference = reference.to_owned();
        self.read(move |connection| {
            connection
                .prepare_cached("SELECT account FROM payers WHERE reference = ?1")?
                .query_row([reference], |row| row.get(0).map(AccountId::from_stored))
                .optional()
        })
    }

    fn take_due_subscriptions(
        &self,
        now: UnixMillis,
        retry_at: UnixMillis,
        max: usize,
    ) -> StoreFuture<'_, Vec<AccountId>> {
        self.write(move |connection| {
            let due: Vec<AccountId> = connection
                .prepare_cached(
                    "SELECT account FROM books WHERE due_at <= ?1 ORDER BY due_at, account LIMIT ?2",
                )?
                .query_map(params![now, i64::try_from(max).unwrap_or(i64::MAX)], |row| {
                    row.get(0).map(AccountId::from_stored)
                })?
                .collect::<rusqlite::Result<_>>()?;
            let mut take = connection.prepare_cached("UPDATE books SET due_at = ?2 WHERE account = ?1")?;
            for account in &due {
                take.execute(params![account.as_str(), retry_at])?;
            }
            Ok(due)
        })
    }

    fn save_webhook_event(&self, event: WebhookEvent) -> StoreFuture<'_, bool> {
        self.write(move |connection| {
            let WebhookEvent { id, text, at, attempts } = event;
            let forgotten =
                at.0.saturating_sub(i64::try_from(EVENT_REMEMBERED.as_millis()).unwrap_or(i64::MAX));
            connection.prepare_cached("DELETE FROM notices WHERE settled_at <= ?1")?.execute([forgotten])?;
            let inserted = connection
                .prepare_cached(
                    "INSERT INTO notices (id, text, at, due_at, attempts) VALUES (?1, ?2, ?3, ?3, ?4)
                     ON CONFLICT (id) DO NOTHING",
                )?
                .execute(params![id, text, at, attempts])?;
            Ok(inserted > 0)
        })
    }

    fn take_due_webhook_events(
        &self,
        now: UnixMillis,
        retry_at: UnixMillis,
        max: usize,
    ) -> StoreFuture<'_, Vec<WebhookEvent>> {
        self.write(move |connection| {
            let due: Vec<WebhookEvent> = connection
                .prepare_cached(
                    "SELECT id, text, at, attempts + 1 FROM notices
                     WHERE due_at <= ?1 ORDER BY due_at, at, id LIMIT ?2",
                )?
                .query_map(params![now, i64::try_from(max).unwrap_or(i64::MAX)], |row| {
                    Ok(WebhookEvent {
                        id: row.get(0)?,
                        text: row.get(1)?,
                        at: row.get(2)?,
                        attempts: row.get(3)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            let sql = "UPDATE notices SET due_at = ?2, attempts = attempts + 1 WHERE id = ?1";
            let mut take = connection.prepare_cached(sql)?;
            for event in &due {
                take.execute(params![event.id, retry_at])?;
            }
            Ok(due)
        })
    }

    fn finish_webhook_event(&self, event: &str, at: UnixMillis) -> StoreFuture<'_, ()> {
        let event = event.to_owned();
        self.write(move |connection| finish_event(connection, &event, at))
    }
}
