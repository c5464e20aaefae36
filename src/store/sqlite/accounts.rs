//! Accounts, keys, recovery codes and rate limits.

use async_trait::async_trait;
use rusqlite::{Connection, params};

use super::Sqlite;
use super::admin::drop_access;
use super::rows::{
    account, account_by_email, account_by_id, dummy_write, execute, exists, find, find_all, insert_key,
    is_key_of, queue_mail, queue_mail_to, queue_rotation_mail, revoke_all, sql_limit,
};
use crate::domain::account::{Account, AccountId, Email, MailId, Profile};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::domain::code::CodeHash;
use crate::domain::mail::MailKind;
use crate::domain::plan::Plan;
use crate::store::rows::KEY_SESSION;
use crate::store::{
    AccessRequest, AccessRequestKind, AccountStore, AddressChange, Allowance, CodeExchange, CodeRecord,
    CodeRedemption, EmailChange, KeyReplacement, RateLimit, RateLimitStore, Reached, Silent, StoreResult,
};

#[async_trait]
impl RateLimitStore for Sqlite {
    async fn count_attempt(&self, limits: Vec<RateLimit>, now: UnixMillis) -> StoreResult<Option<Reached>> {
        self.write(move |db| count_attempt(db, limits, now)).await
    }
}

#[async_trait]
impl AccountStore for Sqlite {
    async fn issue_key(&self, new: Account, key: KeyRecord, plan: Option<Plan>) -> StoreResult<Account> {
        self.write_account(move |db| {
            let sql = "INSERT INTO accounts (id, email, plan, created_at) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT (email) DO UPDATE SET plan = coalesce(?5, plan)";
            execute(db, sql, params![new.id, new.email, plan.unwrap_or(new.plan), new.created_at, plan])?;
            let account = account_by_email(db, &new.email)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            if !is_key_of(db, key.hash, &account.id)? {
                insert_key(db, &account.id, &key)?;
            }
            Ok((account.clone(), Some(account.id)))
        })
        .await
    }

    async fn account(&self, email: &Email) -> StoreResult<Option<Account>> {
        let email = email.clone();
        self.read(move |db| account_by_email(db, &email)).await
    }

    async fn profile(&self, account: &AccountId) -> StoreResult<Profile> {
        let account = account.clone();
        self.read(move |db| {
            let sql = "SELECT name, company, use_case FROM accounts WHERE id = ?1";
            let profile = find(db, sql, [account], |row| {
                let (name, company, use_case) = row.try_into()?;
                Ok(Profile { name, company, use_case })
            });
            Ok(profile?.unwrap_or_default())
        })
        .await
    }

    async fn keys(&self, account: &AccountId) -> StoreResult<Vec<KeyRecord>> {
        let account = account.clone();
        self.read(move |db| {
            let sql = "SELECT hash, first4, last4, created_at, revoked_at FROM keys
                       WHERE account = ?1 ORDER BY created_at, hash";
            find_all(db, sql, [account], |row| {
                let (hash, first4, last4, created_at, revoked_at) = row.try_into()?;
                Ok(KeyRecord { hash, first4, last4, created_at, revoked_at })
            })
        })
        .await
    }

    async fn account_of_key(&self, key: KeyHash) -> StoreResult<Option<Account>> {
        self.read(move |db| {
            let sql = "SELECT a.id, a.email, a.plan, a.created_at, a.blocked_at IS NOT NULL
                       FROM keys k JOIN accounts a ON a.id = k.account
                       WHERE k.hash = ?1 AND k.revoked_at IS NULL";
            find(db, sql, [key], account)
        })
        .await
    }

    async fn revoke_key(&self, key: KeyHash, at: UnixMillis) -> StoreResult<Option<Silent>> {
        self.write_account(move |db| {
            let sql = "UPDATE keys SET revoked_at = ?2
                       WHERE hash = ?1 AND (revoked_at IS NULL OR revoked_at = ?2) RETURNING account";
            let revoked = find(db, sql, params![key, at], |row| row.get(0))?;
            Ok((revoked.is_some().then(Vec::new), revoked))
        })
        .await
    }

    async fn replace_keys(&self, replacement: KeyReplacement) -> StoreResult<bool> {
        self.write_account(move |db| {
            let KeyReplacement { account, old, new, mail } = replacement;
            if is_key_of(db, new.hash, &account)? {
                return Ok((true, Some(account)));
            }
            let replaced = if let Some(old) = old {
                let sql = "UPDATE keys SET revoked_at = ?3
                           WHERE hash = ?1 AND account = ?2 AND revoked_at IS NULL";
                execute(db, sql, params![old, account, new.created_at])? > 0
            } else {
                revoke_all(db, &account, new.created_at)?;
                exists(db, "SELECT 1 FROM accounts WHERE id = ?1", [&account])?
            };
            if !replaced {
                return Ok((false, None));
            }
            insert_key(db, &account, &new)?;
            queue_rotation_mail(db, &mail, &account, new.created_at)?;
            Ok((true, Some(account)))
        })
        .await
    }

    async fn set_plan(
        &self,
        account: &AccountId,
        plan: Plan,
        mail: &MailId,
        at: UnixMillis,
    ) -> StoreResult<bool> {
        let (account, mail) = (account.clone(), mail.clone());
        self.write_account(move |db| {
            let sql = "UPDATE accounts SET plan = ?2 WHERE id = ?1";
            let found = execute(db, sql, params![account, plan])? > 0;
            if found {
                queue_mail(db, &mail, &account, MailKind::Plan, at)?;
            }
            Ok((found, found.then_some(account)))
        })
        .await
    }

    async fn request_access(&self, request: AccessRequest) -> StoreResult<()> {
        self.write(move |db| {
            let AccessRequest { email, kind, mail, limits, at } = request;
            let signs_in = matches!(kind, AccessRequestKind::SignIn);
            let new_account = kind.into_new_account();
            let may_be_mailed = match account_by_email(db, &email)? {
                Some(account) => !account.is_blocked,
                None => new_account.is_some(),
            };
            if !may_be_mailed || count_attempt(db, limits, at)?.is_some() {
                return dummy_write(db, at);
            }
            if let Some((Account { id, email, plan, created_at, .. }, profile)) = new_account {
                let Profile { name, company, use_case } = profile;
                let sql = "INSERT INTO accounts (id, email, plan, created_at, name, company, use_case)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (email) DO NOTHING";
                execute(db, sql, params![id, email, plan, created_at, name, company, use_case])?;
            }
            let Account { id, .. } =
                account_by_email(db, &email)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            let has_live_key =
                exists(db, "SELECT 1 FROM keys WHERE account = ?1 AND revoked_at IS NULL", [&id])?;
            let kind = match has_live_key {
                _ if signs_in => MailKind::SignIn,
                true => MailKind::Recovery,
                false => MailKind::Welcome,
            };
            queue_mail(db, &mail, &id, kind, at)
        })
        .await
    }

    async fn save_code(&self, account: &AccountId, code: CodeRecord) -> StoreResult<()> {
        let account = account.clone();
        self.write(move |db| save_code(db, &account, &code, None)).await
    }

    async fn save_key_session(
        &self,
        account: &AccountId,
        session: CodeRecord,
        max: usize,
    ) -> StoreResult<()> {
        let account = account.clone();
        self.write(move |db| {
            save_code(db, &account, &session, Some(KEY_SESSION))?;
            // not the new one, even if a clock that was set back has it end first
            let sql = "DELETE FROM codes WHERE account = ?1 AND level = ?2 AND hash <> ?3 AND hash NOT IN
                       (SELECT hash FROM codes WHERE account = ?1 AND level = ?2 AND hash <> ?3
                        ORDER BY expires_at DESC, hash DESC LIMIT ?4)";
            let others = sql_limit(max.saturating_sub(1));
            execute(db, sql, params![account, KEY_SESSION, session.hash, others]).map(drop)
        })
        .await
    }

    async fn redeem_recovery_code(&self, redemption: CodeRedemption) -> StoreResult<Option<Account>> {
        self.write_account(move |db| {
            let CodeRedemption { email, code, new, mail, renewed } = redemption;
            let Some(account) = account_by_email(db, &email)? else {
                dummy_write(db, new.created_at)?;
                return Ok((None, None));
            };
            let id = account.id.clone();
            if is_key_of(db, new.hash, &id)? {
                return Ok((Some(account), Some(id)));
            }
            if account.is_blocked || !is_live_code(db, &id, code, new.created_at)? {
                dummy_write(db, new.created_at)?;
                return Ok((None, None));
            }
            execute(db, "DELETE FROM codes WHERE account = ?1", [&id])?;
            revoke_all(db, &id, new.created_at)?;
            insert_key(db, &id, &new)?;
            queue_rotation_mail(db, &mail, &id, new.created_at)?;
            renew(db, &renewed)?;
            Ok((Some(account), Some(id)))
        })
        .await
    }

    async fn exchange_code(&self, exchange: CodeExchange) -> StoreResult<Option<Account>> {
        self.write(move |db| {
            let CodeExchange { account, code, session, renewed } = exchange;
            let now = session.at;
            let Some(owner) = account_by_id(db, &account)?.filter(|owner| !owner.is_blocked) else {
                dummy_write(db, now)?;
                return Ok(None);
            };
            if is_live_code(db, &account, session.hash, now)? {
                // this exchange, repeated because its answer was lost
                return Ok(Some(owner));
            }
            if !is_live_code(db, &account, code, now)? {
                dummy_write(db, now)?;
                return Ok(None);
            }
            delete_code(db, &account, code)?;
            save_code(db, &account, &session, None)?;
            renew(db, &renewed)?;
            Ok(Some(owner))
        })
        .await
    }

    async fn account_of_session(
        &self,
        account: &AccountId,
        session: CodeHash,
        at: UnixMillis,
    ) -> StoreResult<Option<Account>> {
        let account = account.clone();
        self.read(move |db| {
            if !is_live_code(db, &account, session, at)? {
                return Ok(None);
            }
            Ok(account_by_id(db, &account)?.filter(|owner| !owner.is_blocked))
        })
        .await
    }

    async fn mail_new_address(
        &self,
        account: &AccountId,
        to: &Email,
        mail: &MailId,
        at: UnixMillis,
    ) -> StoreResult<()> {
        let (account, to, mail) = (account.clone(), to.clone(), mail.clone());
        self.write(move |db| match account_by_id(db, &account)? {
            Some(Account { is_blocked: false, .. }) => {
                queue_mail_to(db, &mail, (&account, &to), MailKind::NewAddress, at)
            }
            _ => Ok(()),
        })
        .await
    }

    async fn redeem_new_address(&self, change: AddressChange) -> StoreResult<Option<EmailChange>> {
        self.write_account(move |db| {
            let AddressChange { account, code, email, notice, at } = change;
            let Some(owner) = account_by_id(db, &account)?.filter(|owner| !owner.is_blocked) else {
                return Ok((None, None));
            };
            if !is_live_code(db, &account, code, at)? {
                return Ok((None, None));
            }
            delete_code(db, &account, code)?;
            if account_by_email(db, &email)?.is_some() {
                return Ok((Some(EmailChange::Taken), None));
            }
            execute(db, "UPDATE accounts SET email = ?2 WHERE id = ?1", params![account, email])?;
            drop_access(db, &account)?;
            queue_mail_to(db, &notice, (&account, &owner.email), MailKind::Moved, at)?;
            Ok((Some(EmailChange::Done), Some(account)))
        })
        .await
    }

    async fn end_session(&self, account: &AccountId, session: CodeHash) -> StoreResult<()> {
        let account = account.clone();
        self.write(move |db| delete_code(db, &account, session)).await
    }
}

/// Whether an account has a code, or a session, that is valid at a moment.
fn is_live_code(
    db: &Connection,
    account: &AccountId,
    code: CodeHash,
    at: UnixMillis,
) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM codes WHERE account = ?1 AND hash = ?2 AND expires_at > ?3";
    exists(db, sql, params![account, code, at])
}

fn delete_code(db: &Connection, account: &AccountId, code: CodeHash) -> rusqlite::Result<()> {
    execute(db, "DELETE FROM codes WHERE account = ?1 AND hash = ?2", params![account, code]).map(drop)
}

/// Counts an attempt against every limit, or says which one is reached, and counts nothing.
fn count_attempt(
    db: &Connection,
    limits: Vec<RateLimit>,
    now: UnixMillis,
) -> rusqlite::Result<Option<Reached>> {
    let mut counters = Vec::new();
    for (index, RateLimit { name, allowance }) in limits.into_iter().enumerate() {
        let sql = "SELECT counted, ends_at FROM tallies WHERE name = ?1 AND ends_at > ?2";
        let found: Option<(u32, UnixMillis)> = find(db, sql, params![name, now], |row| row.try_into())?;
        match allowance {
            Allowance::Window { max, ends_at } => {
                let counted = found.map_or(0, |(counted, _)| counted);
                if counted >= max {
                    return Ok(Some(Reached { index, retry_at: ends_at }));
                }
                counters.push((name, counted + 1, ends_at));
            }
            // a bucket is full again when its counter ends
            Allowance::Bucket { size, every_millis } => {
                let refill = i64::from(size) * every_millis;
                // none is emptier than empty: a clock set forward stored it so, and it has one left
                let full_at = match found {
                    Some((_, full_at)) if full_at.0 <= now.0 + refill => full_at.0,
                    Some(_) => now.0 + refill - every_millis,
                    None => now.0,
                };
                let full_at = full_at + every_millis;
                let retry_at = full_at - refill;
                if retry_at > now.0 {
                    return Ok(Some(Reached { index, retry_at: UnixMillis(retry_at) }));
                }
                counters.push((name, 0, UnixMillis(full_at)));
            }
        }
    }
    for counter in counters {
        execute(db, "INSERT OR REPLACE INTO tallies (name, counted, ends_at) VALUES (?1, ?2, ?3)", counter)?;
    }
    Ok(None)
}

/// Resets limits.
fn renew(db: &Connection, limits: &[String]) -> rusqlite::Result<()> {
    limits.iter().try_for_each(|name| execute(db, "DELETE FROM tallies WHERE name = ?1", [name]).map(drop))
}

/// Saves a code, and drops those of its account that have expired.
pub(super) fn save_code(
    db: &Connection,
    account: &AccountId,
    code: &CodeRecord,
    level: Option<&str>,
) -> rusqlite::Result<()> {
    let CodeRecord { hash, expires_at, at } = code;
    execute(db, "DELETE FROM codes WHERE account = ?1 AND expires_at <= ?2", params![account, at])?;
    let sql = "INSERT OR REPLACE INTO codes (account, hash, expires_at, level) VALUES (?1, ?2, ?3, ?4)";
    execute(db, sql, params![account, hash, expires_at, level]).map(drop)
}
