//! Columns to values and back, and the statements that several traits share.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Params, Result, Row, params};

use crate::domain::account::{
    Account, AccountId, DeliveryId, Email, HolderId, MailId, MailerId, ReaderId, SuggestionId, TokenId,
};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::domain::code::CodeHash;
use crate::domain::language::Language;
use crate::domain::mail::MailKind;
use crate::domain::plan::Plan;
use crate::domain::token::Scope;
use crate::store::{REVOKED_KEY_KEPT_MILLIS, REVOKED_KEYS_KEPT, RotationMail, StoreError};

/// How many rows at most, as a statement takes it.
pub(super) fn sql_limit(max: usize) -> i64 {
    i64::try_from(max).unwrap_or(i64::MAX)
}

/// Runs a statement; returns how many rows it changed.
pub(super) fn execute(db: &Connection, sql: &str, values: impl Params) -> Result<usize> {
    db.prepare_cached(sql)?.execute(values)
}

/// Whether a query finds a row.
pub(super) fn exists(db: &Connection, sql: &str, values: impl Params) -> Result<bool> {
    db.prepare_cached(sql)?.exists(values)
}

/// The row that a query finds, if any.
pub(super) fn find<T, R>(db: &Connection, sql: &str, values: impl Params, read: R) -> Result<Option<T>>
where
    R: FnOnce(&Row<'_>) -> Result<T>,
{
    db.prepare_cached(sql)?.query_row(values, read).optional()
}

/// The rows that a query finds.
pub(super) fn find_all<T, R>(db: &Connection, sql: &str, values: impl Params, read: R) -> Result<Vec<T>>
where
    R: FnMut(&Row<'_>) -> Result<T>,
{
    db.prepare_cached(sql)?.query_map(values, read)?.collect()
}

/// Texts as `json_each` takes them.
pub(super) fn json_texts(texts: impl Iterator<Item = &'static str>) -> String {
    serde_json::Value::from_iter(texts).to_string()
}

pub(super) fn account_by_email(db: &Connection, email: &Email) -> Result<Option<Account>> {
    let sql = "SELECT id, email, plan, created_at, blocked_at IS NOT NULL FROM accounts WHERE email = ?1";
    find(db, sql, [email], account)
}

pub(super) fn account_by_id(db: &Connection, id: &AccountId) -> Result<Option<Account>> {
    let sql = "SELECT id, email, plan, created_at, blocked_at IS NOT NULL FROM accounts WHERE id = ?1";
    find(db, sql, [id], account)
}

/// Whether the account has the key already: then the call is a repetition.
pub(super) fn is_key_of(db: &Connection, key: KeyHash, account: &AccountId) -> Result<bool> {
    exists(db, "SELECT 1 FROM keys WHERE hash = ?1 AND account = ?2", params![key, account])
}

/// Adds a key to an account, and drops revoked ones that were kept long enough.
pub(super) fn insert_key(db: &Connection, account: &AccountId, key: &KeyRecord) -> Result<()> {
    let KeyRecord { hash, first4, last4, created_at, revoked_at } = key;
    let sql = "INSERT INTO keys (hash, account, first4, last4, created_at, revoked_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    execute(db, sql, params![hash, account, first4, last4, created_at, revoked_at])?;
    let sql = "DELETE FROM keys WHERE account = ?1 AND revoked_at < ?2 AND hash NOT IN
               (SELECT hash FROM keys WHERE account = ?1 AND revoked_at IS NOT NULL
                ORDER BY revoked_at DESC, hash DESC LIMIT ?3)";
    let kept_since = created_at.0.saturating_sub(REVOKED_KEY_KEPT_MILLIS);
    execute(db, sql, params![account, kept_since, sql_limit(REVOKED_KEYS_KEPT)]).map(drop)
}

pub(super) fn revoke_all(db: &Connection, account: &AccountId, at: UnixMillis) -> Result<()> {
    let sql = "UPDATE keys SET revoked_at = ?2 WHERE account = ?1 AND revoked_at IS NULL";
    execute(db, sql, params![account, at]).map(drop)
}

/// Queues a mail that is due at once, unless it is queued already.
pub(super) fn queue_mail(
    db: &Connection,
    mail: &MailId,
    account: &AccountId,
    kind: MailKind,
    at: UnixMillis,
) -> Result<()> {
    let sql = "INSERT INTO letters (id, account, kind, queued_at, due_at, attempts)
               VALUES (?1, ?2, ?3, ?4, ?4, 0) ON CONFLICT (id) DO NOTHING";
    execute(db, sql, params![mail, account, kind, at]).map(drop)
}

/// Queues a mail to an address that is not the one of the account, unless it is queued already.
pub(super) fn queue_mail_to(
    db: &Connection,
    mail: &MailId,
    (account, to): (&AccountId, &Email),
    kind: MailKind,
    at: UnixMillis,
) -> Result<()> {
    let sql = "INSERT INTO letters (id, account, kind, queued_at, due_at, attempts, recipient)
               VALUES (?1, ?2, ?3, ?4, ?4, 0, ?5) ON CONFLICT (id) DO NOTHING";
    execute(db, sql, params![mail, account, kind, at, to]).map(drop)
}

/// Queues the mail of a rotation, unless it is queued already.
pub(super) fn queue_rotation_mail(
    db: &Connection,
    mail: &RotationMail,
    account: &AccountId,
    at: UnixMillis,
) -> Result<()> {
    let RotationMail { id, owner, due_at } = mail;
    let sql = "INSERT INTO letters (id, account, kind, queued_at, due_at, attempts, owner)
               VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6) ON CONFLICT (id) DO NOTHING";
    execute(db, sql, params![id, account, MailKind::Rotated, at, due_at, owner]).map(drop)
}

/// Writes something meaningless when an e-mail address is unknown: without a write the transaction would not sync, and
/// the shorter duration would show it.
pub(super) fn dummy_write(db: &Connection, now: UnixMillis) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO tallies (name, counted, ends_at) VALUES ('nobody', 1, ?1)";
    execute(db, sql, [now]).map(drop)
}

/// Finishes a webhook event: its id stays, its content does not.
pub(super) fn finish_event(db: &Connection, event: &str, at: UnixMillis) -> Result<()> {
    let sql = "UPDATE notices SET due_at = NULL, settled_at = ?2, text = '' WHERE id = ?1";
    execute(db, sql, params![event, at]).map(drop)
}

/// Reads `id, email, plan, created_at, blocked_at IS NOT NULL`.
pub(super) fn account(row: &Row<'_>) -> Result<Account> {
    let (id, email, plan, created_at, is_blocked) = row.try_into()?;
    Ok(Account { id, email, plan, created_at, is_blocked })
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full(error.to_string()),
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly(error.to_string()),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Damaged(error.to_string())
            }
            _ => StoreError::failed(error),
        }
    }
}

/// A value that is stored as text.
macro_rules! written {
    ($type:ty) => {
        impl ToSql for $type {
            fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
                Ok(self.as_str().into())
            }
        }
    };
}

/// Values that are stored and read as text.
macro_rules! texts {
    ($($type:ty),+) => {$(
        written!($type);

        impl FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(FromSqlError::other)
            }
        }
    )+};
}

texts!(Email, MailKind, Plan, Scope);

/// Ids, which are read as they were stored.
macro_rules! ids {
    ($($type:ty),+) => {$(
        written!($type);

        impl FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str().map(|text| <$type>::from_stored(text.to_owned()))
            }
        }
    )+};
}

ids!(AccountId, DeliveryId, HolderId, MailId, MailerId, ReaderId, SuggestionId, TokenId);

impl ToSql for UnixMillis {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl FromSql for UnixMillis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(UnixMillis)
    }
}

impl ToSql for Language {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.code().into())
    }
}

impl FromSql for Language {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Language> {
        Ok(Language::from_tag(value.as_str()?).unwrap_or(Language::Portuguese))
    }
}

impl ToSql for KeyHash {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.0.as_slice().into())
    }
}

impl FromSql for KeyHash {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        <[u8; 32]>::column_result(value).map(KeyHash)
    }
}

impl ToSql for CodeHash {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.0.as_slice().into())
    }
}
