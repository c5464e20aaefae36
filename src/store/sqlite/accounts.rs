//! Accounts, keys, recovery codes and rate limits.

use rusqlite::{OptionalExtension, params};

use super::Sqlite;
use super::rows::{
    account, account_by_email, insert_key, is_key_of, key_record, queue_mail, revoke_all, write_nothing,
};
use crate::domain::account::{Account, AccountId, Email, Profile};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::domain::mail::MailKind;
use crate::domain::plan::Plan;
use crate::store::{
    AccessRequest, AccountStore, CodeRecord, CodeRedemption, KeyReplacement, NewKey, RateLimit,
    RateLimitStore, StoreFuture,
};

impl RateLimitStore for Sqlite {
    fn count_attempt(&self, limits: Vec<RateLimit>, now: UnixMillis) -> StoreFuture<'_, Option<usize>> {
        self.write(move |connection| {
            connection.prepare_cached("DELETE FROM tallies WHERE ends_at <= ?1")?.execute([now])?;
            let mut counted = connection.prepare_cached("SELECT counted FROM tallies WHERE name = ?1")?;
            for (index, limit) in limits.iter().enumerate() {
                let counted: Option<u32> = counted.query_row([&limit.name], |row| row.get(0)).optional()?;
                if counted.unwrap_or(0) >= limit.max {
                    return Ok(Some(index));
                }
            }
            let mut count = connection.prepare_cached(
                "INSERT INTO tallies (name, counted, ends_at) VALUES (?1, 1, ?2)
                 ON CONFLICT (name) DO UPDATE SET counted = counted + 1",
            )?;
            for RateLimit { name, ends_at, .. } in &limits {
                count.execute(params![name, ends_at])?;
            }
            Ok(None)
        })
    }
}

impl AccountStore for Sqlite {
    fn issue_key(&self, new: NewKey) -> StoreFuture<'_, Account> {
        self.write_account(move |connection| {
            let NewKey { account: new, key } = new;
            connection.execute(
                "INSERT INTO accounts (id, email, plan, created_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (email) DO UPDATE SET plan = excluded.plan",
                params![new.id.as_str(), new.email.as_str(), new.plan, new.created_at],
            )?;
            let account =
                account_by_email(connection, &new.email)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            if !is_key_of(connection, key.hash, &account.id)? {
                insert_key(connection, &account.id, &key)?;
            }
            Ok((account.clone(), Some(account.id)))
        })
    }

    fn account(&self, email: &Email) -> StoreFuture<'_, Option<Account>> {
        let email = email.clone();
        self.read(move |connection| account_by_email(connection, &email))
    }

    fn profile(&self, account: &AccountId) -> StoreFuture<'_, Profile> {
        let account = account.clone();
        self.read(move |connection| {
            let profile = connection
                .prepare_cached("SELECT name, company, use_case FROM accounts WHERE id = ?1")?
                .query_row([account.as_str()], |row| {
                    Ok(Profile { name: row.get(0)?, company: row.get(1)?, use_case: row.get(2)? })
                })
                .optional()?;
            Ok(profile.unwrap_or_default())
        })
    }

    fn keys(&self, account: &AccountId) -> StoreFuture<'_, Vec<KeyRecord>> {
        let account = account.clone();
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT hash, first4, last4, created_at, revoked_at FROM keys
                     WHERE account = ?1 ORDER BY created_at, hash",
                )?
                .query_map([account.as_str()], key_record)?
                .collect()
        })
    }

    fn account_of_key(&self, key: KeyHash) -> StoreFuture<'_, Option<Account>> {
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT a.id, a.email, a.plan, a.created_at FROM keys k JOIN accounts a ON a.id = k.account
                     WHERE k.hash = ?1 AND k.revoked_at IS NULL",
                )?
                .query_row([key], account)
                .optional()
        })
    }

    fn revoke_key(&self, key: KeyHash, at: UnixMillis) -> StoreFuture<'_, bool> {
        self.write_account(move |connection| {
            let revoked = connection
                .prepare_cached(
                    "UPDATE keys SET revoked_at = ?2
                     WHERE hash = ?1 AND (revoked_at IS NULL OR revoked_at = ?2) RETURNING account",
                )?
                .query_row(params![key, at], |row| row.get(0).map(AccountId::from_stored))
                .optional()?;
            Ok((revoked.is_some(), revoked))
        })
    }

    fn replace_keys(&self, replacement: KeyReplacement) -> StoreFuture<'_, bool> {
        self.write_account(move |connection| {
            let KeyReplacement { account, old, new, mail } = replacement;
            if is_key_of(connection, new.hash, &account)? {
                return Ok((true, Some(account)));
            }
            let replaced = match old {
                Some(old) => {
                    let sql = "UPDATE keys SET revoked_at = ?3 WHERE hash = ?1 AND account = ?2 AND revoked_at IS NULL";
                    connection.execute(sql, params![old, account.as_str(), new.created_at])? > 0
                }
                None => {
                    revoke_all(connection, &account, new.created_at)?;
                    let sql = "SELECT 1 FROM accounts WHERE id = ?1";
                    connection.prepare_cached(sql)?.exists([account.as_str()])?
                }
            };
            if !replaced {
                return Ok((false, None));
            }
            insert_key(connection, &account, &new)?;
            if let Some((mail, due_at)) = mail {
                queue_mail(connection, &mail, &account, MailKind::Rotated, new.created_at, due_at)?;
            }
            Ok((true, Some(account)))
        })
    }

    fn set_plan(&self, account: &AccountId, plan: Plan) -> StoreFuture<'_, bool> {
        let account = account.clone();
        self.write_account(move |connection| {
            let sql = "UPDATE accounts SET plan = ?2 WHERE id = ?1";
            let found = connection.execute(sql, params![account.as_str(), plan])? > 0;
            Ok((found, found.then_some(account)))
        })
    }

    fn request_access(&self, request: AccessRequest) -> StoreFuture<'_, ()> {
        self.write(move |connection| {
            let AccessRequest { email, new_account, mail, at } = request;
            if let Some((Account { id, email, plan, created_at }, Profile { name, company, use_case })) =
                new_account
            {
                connection
                    .prepare_cached(
                        "INSERT INTO accounts (id, email, plan, created_at, name, company, use_case)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (email) DO NOTHING",
                    )?
                    .execute(params![
                        id.as_str(),
                        email.as_str(),
                        plan,
                        created_at,
                        name,
                        company,
                        use_case
                    ])?;
            }
            let Some(account) = account_by_email(connection, &email)? else {
                return write_nothing(connection, at);
            };
            let has_live_key = connection
                .prepare_cached("SELECT 1 FROM keys WHERE account = ?1 AND revoked_at IS NULL")?
                .exists([account.id.as_str()])?;
            let kind = if has_live_key { MailKind::Recovery } else { MailKind::Welcome };
            queue_mail(connection, &mail, &account.id, kind, at, at)
        })
    }

    fn save_recovery_code(&self, account: &AccountId, code: CodeRecord) -> StoreFuture<'_, ()> {
        let account = account.clone();
        self.write(move |connection| {
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO codes (account, hash, expires_at, tries) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![account.as_str(), code.hash, code.expires_at, code.tries])
                .map(drop)
        })
    }

    fn redeem_recovery_code(&self, redemption: CodeRedemption) -> StoreFuture<'_, Option<Account>> {
        self.write_account(move |connection| {
            let CodeRedemption { email, code, new, mail } = redemption;
            let Some(account) = account_by_email(connection, &email)? else {
                write_nothing(connection, new.created_at)?;
                return Ok((None, None));
            };
            if is_key_of(connection, new.hash, &account.id)? {
                return Ok((Some(account.clone()), Some(account.id)));
            }
            let is_right = connection
                .prepare_cached(
                    "DELETE FROM codes WHERE account = ?1 AND hash = ?2 AND expires_at > ?3 AND tries > 0",
                )?
                .execute(params![account.id.as_str(), code, new.created_at])?
                > 0;
            if !is_right {
                connection
                    .prepare_cached("UPDATE codes SET tries = max(tries - 1, 0) WHERE account = ?1")?
                    .execute([account.id.as_str()])?;
                return Ok((None, None));
            }
            revoke_all(connection, &account.id, new.created_at)?;
            insert_key(connection, &account.id, &new)?;
            if let Some((mail, due_at)) = mail {
                queue_mail(connection, &mail, &account.id, MailKind::Rotated, new.created_at, due_at)?;
            }
            Ok((Some(account.clone()), Some(account.id)))
        })
    }
}
