//! What operators do with accounts, and the rows of the whole store.

use async_trait::async_trait;
use data_encoding::HEXLOWER;
use rusqlite::types::{FromSqlError, Value, ValueRef};
use rusqlite::{Connection, Result, params, params_from_iter};
use strum::VariantArray as _;

use super::Sqlite;
use super::rows::{execute, exists, find, find_all, json_texts};
use super::schema;
use crate::domain::account::{AccountId, Email};
use crate::domain::clock::UnixMillis;
use crate::domain::mail::MailKind;
use crate::store::rows::{ColumnType, Row, Table};
use crate::store::{
    AdminStore, Backlog, Block, EmailChange, EraseOutcome, Erasure, Silent, StoreError, StoreResult,
};

#[async_trait]
impl AdminStore for Sqlite {
    async fn set_block(&self, account: &AccountId, block: Option<Block>) -> StoreResult<Option<Silent>> {
        let account = account.clone();
        self.write_account(move |db| {
            let (at, reason) = match &block {
                Some(block) => (Some(block.at), Some(&block.reason)),
                None => (None, None),
            };
            let sql = "UPDATE accounts SET blocked_at = ?2, blocked_reason = ?3 WHERE id = ?1";
            if execute(db, sql, params![account, at, reason])? == 0 {
                return Ok((None, None));
            }
            if block.is_some() {
                drop_access(db, &account)?;
                execute(db, "DELETE FROM deliveries WHERE account = ?1", [&account])?;
            }
            Ok((Some(Vec::new()), Some(account)))
        })
        .await
    }

    async fn set_email(&self, account: &AccountId, email: &Email) -> StoreResult<EmailChange> {
        let (account, email) = (account.clone(), email.clone());
        self.write_account(move |db| {
            let sql = "SELECT 1 FROM accounts WHERE email = ?2 AND id != ?1";
            if exists(db, sql, params![account, email])? {
                return Ok((EmailChange::Taken, None));
            }
            let sql = "UPDATE accounts SET email = ?2 WHERE id = ?1";
            if execute(db, sql, params![account, email])? == 0 {
                return Ok((EmailChange::NoAccount, None));
            }
            drop_access(db, &account)?;
            Ok((EmailChange::Done, Some(account)))
        })
        .await
    }

    async fn erase(
        &self,
        account: &AccountId,
        version: u32,
        kept: Option<String>,
        at: UnixMillis,
    ) -> StoreResult<EraseOutcome> {
        let account = account.clone();
        let erased = self.write_account(move |db| {
            if !exists(db, "SELECT 1 FROM accounts WHERE id = ?1", [&account])? {
                return Ok((EraseOutcome::NoAccount, None));
            }
            let sql = "SELECT version FROM books WHERE account = ?1";
            let stored: Option<u32> = find(db, sql, [&account], |row| row.get(0))?;
            if stored.unwrap_or_default() != version {
                return Ok((EraseOutcome::Conflict, None));
            }
            // the accounts, to which the others refer, are the first table
            for table in Table::VARIANTS.iter().rev().filter(|table| table.belongs_to_account()) {
                let column = table.account_column().unwrap_or_default();
                execute(db, &format!("DELETE FROM {} WHERE {column} = ?1", table.name()), [&account])?;
            }
            // counters of limits by account have it in their names; those by address are left to their end
            let sql = "DELETE FROM tallies WHERE instr('/' || name || '/', '/' || ?1 || '/') > 0";
            execute(db, sql, [&account])?;
            if let Some(text) = kept {
                let sql = "INSERT OR REPLACE INTO erased (account, at, text) VALUES (?1, ?2, ?3)";
                execute(db, sql, params![account, at, text])?;
            }
            Ok((EraseOutcome::Done(Erasure::default()), Some(account)))
        });
        let mut outcome = erased.await?;
        if let EraseOutcome::Done(erasure) = &mut outcome {
            // it is erased, whatever the log still has
            erasure.is_in_log = self.truncate_log().await.is_err();
        }
        Ok(outcome)
    }

    async fn rows(&self, tables: &[Table], of: Option<&AccountId>) -> StoreResult<Vec<Row>> {
        let (tables, of) = (tables.to_vec(), of.cloned());
        self.read(move |db| {
            // one snapshot for all of them
            let snapshot = db.unchecked_transaction()?;
            let mut rows = Vec::new();
            for table in tables {
                rows.extend(read_table(&snapshot, table, of.as_ref())?);
            }
            Ok(rows)
        })
        .await
    }

    async fn serving(&self) -> StoreResult<Vec<String>> {
        match self.lock_file() {
            Ok(_) => Ok(Vec::new()),
            Err(StoreError::Unsuitable(_)) => Ok(vec!["a server on this machine".to_owned()]),
            Err(error) => Err(error),
        }
    }

    async fn note(&self, entry: Row) -> StoreResult<()> {
        entry.check()?;
        self.write(move |db| insert_row(db, &entry)).await
    }

    async fn backlog(&self) -> StoreResult<Backlog> {
        self.read(|db| {
            let moment = |sql: &str| db.query_row(sql, [], |row| row.get(0));
            let backup: Option<String> =
                find(db, "SELECT value FROM service WHERE name = 'backup'", [], |row| row.get(0))?;
            Ok(Backlog {
                oldest_mail: moment("SELECT min(queued_at) FROM letters")?,
                oldest_webhook_event: moment("SELECT min(at) FROM notices WHERE due_at IS NOT NULL")?,
                subscription_due_at: moment("SELECT min(due_at) FROM books WHERE due_at IS NOT NULL")?,
                backup_at: backup.and_then(|at| at.parse().ok()).map(UnixMillis),
            })
        })
        .await
    }

    async fn forget(&self, now: UnixMillis) -> StoreResult<()> {
        self.write(move |db| {
            for table in Table::VARIANTS {
                let Some((column, kept)) = table.end() else { continue };
                let sql = format!("DELETE FROM {} WHERE {column} <= ?1", table.name());
                execute(db, &sql, [now.0.saturating_sub(kept)])?;
            }
            // a process may have reported its calls after the account was erased
            execute(db, "DELETE FROM leases WHERE account NOT IN (SELECT id FROM accounts)", []).map(drop)
        })
        .await
    }

    async fn note_backup(&self, at: UnixMillis) -> StoreResult<()> {
        let sql = "INSERT OR REPLACE INTO service (name, value) VALUES ('backup', ?1)";
        self.write(move |db| execute(db, sql, [at.0.to_string()]).map(drop)).await
    }

    async fn fill(&self, rows: Vec<Row>) -> StoreResult<()> {
        rows.iter().try_for_each(Row::check)?;
        // a whole transaction inserts all rows or none, and an empty database would pass for a new one
        self.write(schema::begin_fill).await?;
        self.write(move |db| {
            rows.iter().try_for_each(|row| insert_row(db, row))?;
            schema::end_fill(db)
        })
        .await
    }
}

impl Sqlite {
    /// Copies the write-ahead log into the database and empties it, so that what was deleted is in neither.
    pub(super) async fn truncate_log(&self) -> StoreResult<()> {
        let path = self.path.clone();
        let truncated = tokio::task::spawn_blocking(move || -> Result<bool, StoreError> {
            let db = schema::connect(&path)?;
            // each waits as long as a write does for readers
            for _ in 0..4 {
                let is_busy: bool = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
                if !is_busy {
                    return Ok(true);
                }
            }
            Ok(false)
        });
        match truncated.await.unwrap_or(Err(StoreError::Panicked))? {
            true => Ok(()),
            false => Err(StoreError::Unsuitable(
                "the write-ahead log cannot be emptied, as another process reads the database: what was deleted stays in \
                 it until the server stops"
                    .into(),
            )),
        }
    }
}

/// Drops the codes of an account, and its unsent mails that bring a key or a code.
pub(super) fn drop_access(db: &Connection, account: &AccountId) -> Result<()> {
    execute(db, "DELETE FROM codes WHERE account = ?1", [account])?;
    let sql = "DELETE FROM letters WHERE account = ?1 AND kind IN (SELECT value FROM json_each(?2))";
    execute(db, sql, params![account, json_texts(MailKind::opening_access())]).map(drop)
}

fn column_names(table: Table) -> String {
    table.columns().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn read_table(db: &Connection, table: Table, of: Option<&AccountId>) -> Result<Vec<Row>> {
    let order = if table == Table::Audit { "number" } else { "1" };
    let condition = match (of, table.account_column()) {
        (None, _) => "?1 IS NULL".to_owned(),
        (Some(_), Some(column)) => format!("{column} = ?1"),
        (Some(_), None) if table == Table::Readers => {
            "email = (SELECT email FROM accounts WHERE id = ?1)".to_owned()
        }
        (Some(_), None) => return Ok(Vec::new()),
    };
    let sql =
        format!("SELECT {} FROM {} WHERE {condition} ORDER BY {order}", column_names(table), table.name());
    find_all(db, &sql, [of], |row| {
        let value = |index: usize| {
            Ok(match row.get_ref(index)? {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
                ValueRef::Blob(bytes) => Some(HEXLOWER.encode(bytes)),
                ValueRef::Real(_) => return Err(FromSqlError::InvalidType.into()),
            })
        };
        Ok(Row(table, (0..table.columns().len()).map(value).collect::<Result<_>>()?))
    })
}

fn insert_row(db: &Connection, Row(table, values): &Row) -> Result<()> {
    let places = vec!["?"; table.columns().len()].join(", ");
    let sql = format!("INSERT INTO {} ({}) VALUES ({places})", table.name(), column_names(*table));
    let value = |((_, kind), value): (&(&str, ColumnType), &Option<String>)| {
        let Some(text) = value else { return Ok(Value::Null) };
        Ok(match kind {
            ColumnType::Text => Value::Text(text.clone()),
            ColumnType::Number => Value::Integer(text.parse().map_err(FromSqlError::other)?),
            ColumnType::Bytes => Value::Blob(HEXLOWER.decode(text.as_bytes()).map_err(FromSqlError::other)?),
        })
    };
    let values = table.columns().iter().zip(values).map(value).collect::<Result<Vec<_>>>()?;
    execute(db, &sql, params_from_iter(values)).map(drop)
}
