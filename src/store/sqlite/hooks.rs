//! Webhooks of accounts, and the messages that wait for them.

use async_trait::async_trait;
use rusqlite::{Connection, Result, params};

use super::Sqlite;
use super::rows::{execute, exists, find, find_all, queue_mail, sql_limit};
use crate::domain::account::{AccountId, DeliveryId};
use crate::domain::clock::UnixMillis;
use crate::domain::hook::{HookRecord, HookSecret};
use crate::store::{Delivery, ElseMail, HookQueue, HookStore, Message, Once, StoreResult, TakeDue};

#[async_trait]
impl HookStore for Sqlite {
    async fn set_hook(&self, account: &AccountId, hook: Option<HookRecord>) -> StoreResult<bool> {
        let account = account.clone();
        self.write(move |db| {
            // what waits is still for the same address, with another secret
            let url = hook.as_ref().map_or("", |hook| hook.url.as_str());
            let sql = "DELETE FROM deliveries WHERE account = ?1
                       AND NOT EXISTS (SELECT 1 FROM hooks WHERE account = ?1 AND url = ?2)";
            execute(db, sql, params![account, url])?;
            let Some(HookRecord { url, secret, created_at, .. }) = hook else {
                return Ok(execute(db, "DELETE FROM hooks WHERE account = ?1", [&account])? > 0);
            };
            let sql = "INSERT OR REPLACE INTO hooks (account, url, secret, created_at)
                       SELECT id, ?2, ?3, ?4 FROM accounts WHERE id = ?1";
            Ok(execute(db, sql, params![account, url, secret.reveal(), created_at])? > 0)
        })
        .await
    }

    async fn hook(&self, account: &AccountId) -> StoreResult<Option<HookRecord>> {
        let account = account.clone();
        self.read(move |db| {
            let sql = "SELECT url, secret, created_at, last_at, last_result FROM hooks WHERE account = ?1";
            find(db, sql, [account], |row| {
                let last: Option<UnixMillis> = row.get(3)?;
                let result: Option<String> = row.get(4)?;
                Ok(HookRecord {
                    url: row.get(0)?,
                    secret: HookSecret::from_stored(row.get(1)?),
                    created_at: row.get(2)?,
                    last: last.zip(result),
                })
            })
        })
        .await
    }

    async fn queue_for(&self, account: &AccountId, message: Message, max: usize) -> StoreResult<HookQueue> {
        let account = account.clone();
        self.write(move |db| queue_for(db, &account, &message, max)).await
    }

    async fn notify(
        &self,
        account: &AccountId,
        once: Once,
        message: Message,
        max: usize,
        (mail, kind): ElseMail,
    ) -> StoreResult<()> {
        let account = account.clone();
        self.write(move |db| {
            let may_be_notified = "SELECT 1 FROM accounts WHERE id = ?1 AND blocked_at IS NULL";
            if exists(db, may_be_notified, [&account])?
                && is_first(db, &once, message.at)?
                && queue_for(db, &account, &message, max)? == HookQueue::NoHook
            {
                queue_mail(db, &mail, &account, kind, message.at)?;
            }
            Ok(())
        })
        .await
    }

    async fn notify_all(&self, once: Once, message: Message, max: usize) -> StoreResult<()> {
        self.write(move |db| {
            if !is_first(db, &once, message.at)? {
                return Ok(());
            }
            let sql = "SELECT h.account FROM hooks h JOIN accounts a ON a.id = h.account
                       WHERE a.blocked_at IS NULL";
            let accounts: Vec<AccountId> = find_all(db, sql, [], |row| row.get(0))?;
            for account in accounts {
                queue(db, &account, &message.of(&account), &message, max)?;
            }
            Ok(())
        })
        .await
    }

    async fn take_due_deliveries(&self, take: TakeDue, max_each: usize) -> StoreResult<Vec<Delivery>> {
        self.write(move |db| {
            // of an account those before it count: the ones in flight, and the ones that are taken with it
            let sql = "SELECT d.id, d.account, h.url, h.secret, d.body, d.queued_at, d.attempts + 1
                       FROM deliveries d JOIN hooks h ON h.account = d.account
                       WHERE d.due_at <= ?1 AND ?3 > (
                           SELECT count(*) FROM deliveries o WHERE o.account = d.account
                           AND iif(o.due_at > ?1, o.taken, (o.due_at, o.id) < (d.due_at, d.id)))
                       ORDER BY d.due_at, d.id LIMIT ?2";
            let due =
                find_all(db, sql, params![take.now, sql_limit(take.max), sql_limit(max_each)], |row| {
                    let (id, account, url, secret, body, queued_at, attempts) = row.try_into()?;
                    let secret = HookSecret::from_stored(secret);
                    Ok(Delivery { id, account, url, secret, body, queued_at, attempts })
                })?;
            for delivery in &due {
                let sql =
                    "UPDATE deliveries SET due_at = ?2, attempts = attempts + 1, taken = 1 WHERE id = ?1";
                execute(db, sql, params![delivery.id, take.retry_at])?;
            }
            Ok(due)
        })
        .await
    }

    async fn record_attempt(
        &self,
        delivery: &Delivery,
        result: &str,
        at: UnixMillis,
        retry_at: Option<UnixMillis>,
    ) -> StoreResult<()> {
        let (id, account, url) = (delivery.id.clone(), delivery.account.clone(), delivery.url.clone());
        let result = result.to_owned();
        self.write(move |db| {
            let sql = "UPDATE hooks SET last_at = ?2, last_result = ?3 WHERE account = ?1 AND url = ?4";
            execute(db, sql, params![account, at, result, url])?;
            match retry_at {
                Some(until) => {
                    let sql = "UPDATE deliveries SET due_at = ?2, taken = 0 WHERE id = ?1";
                    execute(db, sql, params![id, until]).map(drop)
                }
                None => execute(db, "DELETE FROM deliveries WHERE id = ?1", [id]).map(drop),
            }
        })
        .await
    }
}

/// Counts an event; false when it was counted before.
fn is_first(db: &Connection, once: &Once, now: UnixMillis) -> Result<bool> {
    let sql = "INSERT INTO tallies (name, counted, ends_at) VALUES (?1, 1, ?2)
               ON CONFLICT (name) DO UPDATE SET ends_at = excluded.ends_at WHERE ends_at <= ?3";
    Ok(execute(db, sql, params![once.name, once.ends_at, now])? > 0)
}

/// Queues a message to the webhook of an account.
fn queue_for(db: &Connection, account: &AccountId, message: &Message, max: usize) -> Result<HookQueue> {
    if !exists(db, "SELECT 1 FROM hooks WHERE account = ?1", [account])? {
        return Ok(HookQueue::NoHook);
    }
    queue(db, account, &message.id, message, max)?;
    let is_queued = exists(db, "SELECT 1 FROM deliveries WHERE id = ?1", [&message.id])?;
    Ok(if is_queued { HookQueue::Queued } else { HookQueue::Full })
}

/// Queues a message, unless the account has `max` that wait.
fn queue(db: &Connection, account: &AccountId, id: &DeliveryId, message: &Message, max: usize) -> Result<()> {
    let sql = "INSERT INTO deliveries (id, account, body, queued_at, due_at, attempts)
               SELECT ?1, ?2, ?3, ?4, ?4, 0
               WHERE (SELECT count(*) FROM deliveries WHERE account = ?2) < ?5
               ON CONFLICT (id) DO NOTHING";
    execute(db, sql, params![id, account, message.body, message.at, sql_limit(max)]).map(drop)
}
