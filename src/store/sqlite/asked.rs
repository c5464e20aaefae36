//! What people asked and did not find.

use async_trait::async_trait;
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::FromSqlError;

use super::Sqlite;
use super::rows::{execute, find_all, sql_limit};
use crate::domain::asked::AskedCount;
use crate::domain::clock::UnixMillis;
use crate::store::{AskedStore, MAX_A_DAY, StoreResult};

#[async_trait]
impl AskedStore for Sqlite {
    async fn save_asked(&self, counts: Vec<AskedCount>, forget_at: UnixMillis) -> StoreResult<()> {
        self.write(move |db| {
            let Some(day) = counts.first().map(|count| count.day.to_string()) else { return Ok(()) };
            for count in &counts {
                let AskedCount { day, run, question, callers, times } = count;
                let sql = "INSERT OR REPLACE INTO asked (day, run, question, callers, times, forget_at)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                execute(db, sql, params![day.to_string(), run, question, callers, times, forget_at])?;
            }
            let sql = "DELETE FROM asked WHERE day = ?1 AND question IN (
                           SELECT question FROM asked WHERE day = ?1 GROUP BY question
                           ORDER BY sum(times) DESC, question LIMIT -1 OFFSET ?2)";
            execute(db, sql, params![day, sql_limit(MAX_A_DAY)]).map(drop)
        })
        .await
    }

    async fn asked(&self, day: NaiveDate) -> StoreResult<Vec<AskedCount>> {
        self.read(move |db| {
            let sql = "SELECT day, run, question, callers, times FROM asked WHERE day = ?1";
            find_all(db, sql, [day.to_string()], |row| {
                let (day, run, question, callers, times): (String, _, _, _, _) = row.try_into()?;
                let day = day.parse().map_err(FromSqlError::other)?;
                Ok(AskedCount { day, run, question, callers, times })
            })
        })
        .await
    }
}
