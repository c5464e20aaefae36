//! Columns to values and back, and the statements that several traits share.

use std::sync::Arc;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::domain::account::{Account, AccountId, Email, HolderId, MailId};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::domain::code::CodeHash;
use crate::domain::mail::MailKind;
use crate::domain::plan::Plan;
use crate::store::{LeaseRecord, Mail, StoreError};

pub(super) fn account_by_email(connection: &Connection, email: &Email) -> rusqlite::Result<Option<Account>> {
    connection
        .prepare_cached("SELECT id, email, plan, created_at FROM accounts WHERE email = ?1")?
        .query_row([email.as_str()], account)
        .optional()
}

/// Whether the account has the key already: then the call is a repetition.
pub(super) fn is_key_of(
    connection: &Connection,
    key: KeyHash,
    account: &AccountId,
) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM keys WHERE hash = ?1 AND account = ?2")?
        .exists(params![key, account.as_str()])
}

pub(super) fn insert_key(
    connection: &Connection,
    account: &AccountId,
    key: &KeyRecord,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO keys (hash, account, first4, last4, created_at, revoked_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![key.hash, account.as_str(), key.first4, key.last4, key.created_at, key.revoked_at])
        .map(drop)
}

pub(super) fn revoke_all(
    connection: &Connection,
    account: &AccountId,
    at: UnixMillis,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE keys SET revoked_at = ?2 WHERE account = ?1 AND revoked_at IS NULL")?
        .execute(params![account.as_str(), at])
        .map(drop)
}

/// Queues a mail, unless it is queued already.
pub(super) fn queue_mail(
    connection: &Connection,
    mail: &MailId,
    account: &AccountId,
    kind: MailKind,
    queued_at: UnixMillis,
    due_at: UnixMillis,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO letters (id, account, kind, queued_at, due_at, attempts) VALUES (?1, ?2, ?3, ?4, ?5, 0)
             ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![mail.as_str(), account.as_str(), kind.as_str(), queued_at, due_at])
        .map(drop)
}

/// Writes something meaningless when an e-mail address is unknown: without a write the transaction would not sync, and
/// the shorter duration would show it.
pub(super) fn write_nothing(connection: &Connection, now: UnixMillis) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO tallies (name, counted, ends_at) VALUES ('nobody', 1, ?1)")?
        .execute([now])
        .map(drop)
}

/// Finishes a webhook event: its id stays, its content does not.
pub(super) fn finish_event(connection: &Connection, event: &str, at: UnixMillis) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE notices SET due_at = NULL, settled_at = ?2, text = '' WHERE id = ?1")?
        .execute(params![event, at])
        .map(drop)
}

/// Reads `id, email, plan, created_at`.
pub(super) fn account(row: &Row<'_>) -> rusqlite::Result<Account> {
    Ok(Account {
        id: AccountId::from_stored(row.get(0)?),
        email: row.get(1)?,
        plan: row.get(2)?,
        created_at: row.get(3)?,
    })
}

/// Reads `hash, first4, last4, created_at, revoked_at`.
pub(super) fn key_record(row: &Row<'_>) -> rusqlite::Result<KeyRecord> {
    Ok(KeyRecord {
        hash: row.get(0)?,
        first4: row.get(1)?,
        last4: row.get(2)?,
        created_at: row.get(3)?,
        revoked_at: row.get(4)?,
    })
}

/// Reads `id, account, email, kind, queued_at, attempts`.
pub(super) fn mail(row: &Row<'_>) -> rusqlite::Result<Mail> {
    Ok(Mail {
        id: MailId::from_stored(row.get(0)?),
        account: AccountId::from_stored(row.get(1)?),
        to: row.get(2)?,
        kind: row.get(3)?,
        queued_at: row.get(4)?,
        attempts: row.get(5)?,
    })
}

/// Reads `holder, granted, used, by_action`.
pub(super) fn lease_record(row: &Row<'_>) -> rusqlite::Result<LeaseRecord> {
    Ok(LeaseRecord {
        holder: HolderId::from_stored(row.get(0)?),
        granted: row.get(1)?,
        used: row.get(2)?,
        by_action: serde_json::from_str(row.get_ref(3)?.as_str()?).map_err(FromSqlError::other)?,
    })
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        StoreError::Failed(Arc::new(error))
    }
}

impl ToSql for Plan {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl FromSql for Plan {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(FromSqlError::other)
    }
}

impl FromSql for Email {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(FromSqlError::other)
    }
}

impl FromSql for MailKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(FromSqlError::other)
    }
}

impl ToSql for UnixMillis {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl FromSql for UnixMillis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(UnixMillis)
    }
}

impl ToSql for KeyHash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_slice().into())
    }
}

impl FromSql for KeyHash {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        <[u8; 32]>::column_result(value).map(KeyHash)
    }
}

impl ToSql for CodeHash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_slice().into())
    }
}
