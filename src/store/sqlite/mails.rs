//! The mail queue.

use rusqlite::{OptionalExtension, params};

use super::Sqlite;
use super::rows::{insert_key, is_key_of, mail, revoke_all};
use crate::domain::account::{AccountId, MailId};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::store::{Mail, MailStore, StoreFuture};

impl MailStore for Sqlite {
    fn take_due_mails(
        &self,
        now: UnixMillis,
        retry_at: UnixMillis,
        max: usize,
    ) -> StoreFuture<'_, Vec<Mail>> {
        self.write(move |connection| {
            let due: Vec<Mail> = connection
                .prepare_cached(
                    "SELECT l.id, l.account, a.email, l.kind, l.queued_at, l.attempts + 1
                     FROM letters l JOIN accounts a ON a.id = l.account
                     WHERE l.due_at <= ?1 ORDER BY l.due_at, l.id LIMIT ?2",
                )?
                .query_map(params![now, i64::try_from(max).unwrap_or(i64::MAX)], mail)?
                .collect::<rusqlite::Result<_>>()?;
            let sql = "UPDATE letters SET due_at = ?2, attempts = attempts + 1 WHERE id = ?1";
            let mut take = connection.prepare_cached(sql)?;
            for mail in &due {
                take.execute(params![mail.id.as_str(), retry_at])?;
            }
            Ok(due)
        })
    }

    fn postpone_mail(&self, mail: &MailId, until: UnixMillis) -> StoreFuture<'_, ()> {
        let mail = mail.clone();
        self.write(move |connection| {
            let sql = "UPDATE letters SET due_at = ?2 WHERE id = ?1";
            connection.prepare_cached(sql)?.execute(params![mail.as_str(), until]).map(drop)
        })
    }

    fn delete_mail(&self, mail: &MailId) -> StoreFuture<'_, ()> {
        let mail = mail.clone();
        self.write(move |connection| {
            let sql = "DELETE FROM letters WHERE id = ?1";
            connection.prepare_cached(sql)?.execute([mail.as_str()]).map(drop)
        })
    }

    fn issue_welcome_key(&self, mail: &MailId, key: KeyRecord) -> StoreFuture<'_, bool> {
        let mail = mail.clone();
        self.write_account(move |connection| {
            let found: Option<(String, Option<KeyHash>)> = connection
                .prepare_cached("SELECT account, key FROM letters WHERE id = ?1")?
                .query_row([mail.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((account, made_before)) = found else { return Ok((false, None)) };
            let account = AccountId::from_stored(account);
            if is_key_of(connection, key.hash, &account)? {
                return Ok((true, Some(account)));
            }
            let has_other_key = connection
                .prepare_cached(
                    "SELECT 1 FROM keys WHERE account = ?1 AND revoked_at IS NULL AND hash IS NOT ?2",
                )?
                .exists(params![account.as_str(), made_before])?;
            if has_other_key {
                return Ok((false, None));
            }
            revoke_all(connection, &account, key.created_at)?;
            insert_key(connection, &account, &key)?;
            connection
                .prepare_cached("UPDATE letters SET key = ?2 WHERE id = ?1")?
                .execute(params![mail.as_str(), key.hash])?;
            Ok((true, Some(account)))
        })
    }
}
