//! Readers of the weekly letter.

use async_trait::async_trait;
use rusqlite::{Result, Row, params};

use super::Sqlite;
use super::rows::{execute, find, find_all, sql_limit};
use crate::domain::account::{Email, ReaderId};
use crate::domain::clock::UnixMillis;
use crate::domain::reader::Reader;
use crate::store::{ReaderStore, StoreResult, TakeDue};

#[async_trait]
impl ReaderStore for Sqlite {
    async fn save_reader(&self, reader: Reader) -> StoreResult<()> {
        self.write(move |db| {
            let Reader { id, email, language, area, asked_at, .. } = &reader;
            let sql = "INSERT INTO readers (id, email, language, area, asked_at, due_at, attempts, forget_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?5, 0, ?6)
                       ON CONFLICT (email) DO UPDATE SET language = excluded.language, area = excluded.area,
                           asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = 0,
                           forget_at = excluded.forget_at
                       WHERE confirmed_at IS NULL";
            execute(db, sql, params![id, email, language, area, asked_at, reader.forget_at()]).map(drop)
        })
        .await
    }

    async fn reader(&self, id: &ReaderId) -> StoreResult<Option<Reader>> {
        let id = id.clone();
        self.read(move |db| {
            let sql = "SELECT id, email, language, area, asked_at, confirmed_at FROM readers WHERE id = ?1";
            find(db, sql, [id], reader)
        })
        .await
    }

    async fn confirm_reader(&self, id: &ReaderId, at: UnixMillis, due_at: UnixMillis) -> StoreResult<bool> {
        let id = id.clone();
        self.write(move |db| {
            let sql = "UPDATE readers SET due_at = iif(confirmed_at IS NULL, ?3, due_at),
                           attempts = iif(confirmed_at IS NULL, 0, attempts),
                           confirmed_at = coalesce(confirmed_at, ?2), forget_at = NULL
                       WHERE id = ?1";
            execute(db, sql, params![id, at, due_at]).map(|changed| changed > 0)
        })
        .await
    }

    async fn delete_reader(&self, id: &ReaderId) -> StoreResult<bool> {
        let id = id.clone();
        self.write(move |db| execute(db, "DELETE FROM readers WHERE id = ?1", [id]).map(|gone| gone > 0))
            .await
    }

    async fn delete_reader_of(&self, email: &Email) -> StoreResult<Option<ReaderId>> {
        let email = email.clone();
        self.write(move |db| {
            find(db, "DELETE FROM readers WHERE email = ?1 RETURNING id", [email], |row| row.get(0))
        })
        .await
    }

    async fn take_due_readers(&self, take: TakeDue) -> StoreResult<Vec<(Reader, u32)>> {
        self.write(move |db| {
            let sql = "SELECT id, email, language, area, asked_at, confirmed_at, attempts + 1 FROM readers
                       WHERE due_at <= ?1 ORDER BY due_at, id LIMIT ?2";
            let max = sql_limit(take.max);
            let due = find_all(db, sql, params![take.now, max], |row| Ok((reader(row)?, row.get(6)?)))?;
            for (reader, attempts) in &due {
                let sql = "UPDATE readers SET due_at = ?2, attempts = ?3 WHERE id = ?1";
                execute(db, sql, params![reader.id, take.retry_at, attempts])?;
            }
            Ok(due)
        })
        .await
    }

    async fn reschedule_reader(
        &self,
        taken: &Reader,
        due_at: Option<UnixMillis>,
        attempts: u32,
    ) -> StoreResult<()> {
        let (id, was_confirmed) = (taken.id.clone(), taken.confirmed_at.is_some());
        self.write(move |db| {
            let sql = "UPDATE readers SET due_at = ?2, attempts = ?3
                       WHERE id = ?1 AND (confirmed_at IS NOT NULL) = ?4";
            execute(db, sql, params![id, due_at, attempts, was_confirmed]).map(drop)
        })
        .await
    }
}

/// Reads `id, email, language, area, asked_at, confirmed_at`.
fn reader(row: &Row<'_>) -> Result<Reader> {
    Ok(Reader {
        id: row.get(0)?,
        email: row.get(1)?,
        language: row.get(2)?,
        area: row.get(3)?,
        asked_at: row.get(4)?,
        confirmed_at: row.get(5)?,
    })
}
