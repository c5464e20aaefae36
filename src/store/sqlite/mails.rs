//! The mail queue.

use async_trait::async_trait;
use rusqlite::params;

use super::Sqlite;
use super::accounts::save_code;
use super::rows::{
    account_by_email, execute, exists, find, find_all, insert_key, is_key_of, json_texts, queue_mail,
    revoke_all, sql_limit,
};
use crate::domain::account::{Account, AccountId, MailId, MailerId};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::domain::mail::MailKind;
use crate::store::{CodeRecord, Mail, MailStore, StoreResult, TakeDue, WelcomeKey};

#[async_trait]
impl MailStore for Sqlite {
    async fn queue_mail(
        &self,
        new: Account,
        mail: &MailId,
        kind: MailKind,
        at: UnixMillis,
    ) -> StoreResult<()> {
        let mail = mail.clone();
        self.write(move |db| {
            let sql = "INSERT INTO accounts (id, email, plan, created_at) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT (email) DO NOTHING";
            execute(db, sql, params![new.id, new.email, new.plan, new.created_at])?;
            let account = account_by_email(db, &new.email)?.map_or(new.id, |account| account.id);
            queue_mail(db, &mail, &account, kind, at)
        })
        .await
    }

    async fn take_due_mails(&self, taker: &MailerId, take: TakeDue) -> StoreResult<Vec<Mail>> {
        let taker = taker.clone();
        self.write(move |db| {
            let sql =
                "SELECT l.id, l.account, coalesce(l.recipient, a.email), l.kind, l.queued_at, l.attempts + 1
                       FROM letters l JOIN accounts a ON a.id = l.account
                       WHERE l.due_at <= ?1 AND (l.owner IS NULL OR l.owner = ?2 OR l.due_at <= ?3)
                           AND l.kind IN (SELECT value FROM json_each(?5))
                       ORDER BY l.due_at, l.id LIMIT ?4";
            let kinds = json_texts(MailKind::names());
            let max = sql_limit(take.max);
            let due = find_all(db, sql, params![take.now, taker, take.abandoned_at(), max, kinds], |row| {
                let (id, account, to, kind, queued_at, attempts) = row.try_into()?;
                Ok(Mail { id, account, to, kind, queued_at, attempts })
            })?;
            for mail in &due {
                let sql = "UPDATE letters SET due_at = ?2, attempts = attempts + 1 WHERE id = ?1";
                execute(db, sql, params![mail.id, take.retry_at])?;
            }
            Ok(due)
        })
        .await
    }

    async fn postpone_mail(&self, mail: &MailId, until: UnixMillis) -> StoreResult<()> {
        let mail = mail.clone();
        self.write(move |db| {
            execute(db, "UPDATE letters SET due_at = ?2 WHERE id = ?1", params![mail, until]).map(drop)
        })
        .await
    }

    async fn delete_mail(&self, mail: &MailId) -> StoreResult<()> {
        let mail = mail.clone();
        self.write(move |db| execute(db, "DELETE FROM letters WHERE id = ?1", [mail]).map(drop)).await
    }

    async fn hasten_mails(&self, later: UnixMillis, now: UnixMillis, max: usize) -> StoreResult<usize> {
        let max = sql_limit(max);
        self.write(move |db| {
            let sql = "UPDATE letters SET due_at = ?2 WHERE id IN
                       (SELECT id FROM letters WHERE due_at > ?1 ORDER BY due_at, id LIMIT ?3)";
            execute(db, sql, params![later, now, max])
        })
        .await
    }

    async fn save_mailed_code(&self, mail: &MailId, code: CodeRecord) -> StoreResult<bool> {
        let mail = mail.clone();
        self.write(move |db| {
            let sql = "SELECT account FROM letters WHERE id = ?1";
            let found: Option<AccountId> = find(db, sql, [&mail], |row| row.get(0))?;
            let Some(account) = found else { return Ok(false) };
            save_code(db, &account, &code, None)?;
            Ok(true)
        })
        .await
    }

    async fn issue_welcome_key(
        &self,
        mail: &MailId,
        holder: &MailerId,
        key: KeyRecord,
    ) -> StoreResult<WelcomeKey> {
        let (mail, holder) = (mail.clone(), holder.clone());
        self.write_account(move |db| {
            let sql = "SELECT account, key FROM letters WHERE id = ?1";
            let found = find(db, sql, [&mail], |row| <(AccountId, Option<KeyHash>)>::try_from(row))?;
            let Some((account, made_before)) = found else { return Ok((WelcomeKey::Ended, None)) };
            if is_key_of(db, key.hash, &account)? {
                return Ok((WelcomeKey::Issued, Some(account)));
            }
            let is_live = "SELECT 1 FROM keys WHERE account = ?1 AND revoked_at IS NULL AND hash IS ?2";
            if made_before.is_some() && !exists(db, is_live, params![account, made_before])? {
                return Ok((WelcomeKey::Ended, None));
            }
            let sql = "SELECT 1 FROM keys WHERE account = ?1 AND revoked_at IS NULL AND hash IS NOT ?2";
            if exists(db, sql, params![account, made_before])? {
                return Ok((WelcomeKey::HasOther, None));
            }
            revoke_all(db, &account, key.created_at)?;
            insert_key(db, &account, &key)?;
            let sql = "UPDATE letters SET key = ?2, owner = ?3 WHERE id = ?1";
            execute(db, sql, params![mail, key.hash, holder])?;
            Ok((WelcomeKey::Issued, Some(account)))
        })
        .await
    }
}
