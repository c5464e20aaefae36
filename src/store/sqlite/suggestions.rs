//! What readers suggest.

use async_trait::async_trait;
use rusqlite::params;

use super::Sqlite;
use super::rows::execute;
use crate::domain::account::SuggestionId;
use crate::domain::clock::UnixMillis;
use crate::domain::suggestion::Suggestion;
use crate::store::{StoreResult, SuggestionStore};

#[async_trait]
impl SuggestionStore for Sqlite {
    async fn save_suggestion(&self, suggestion: Suggestion) -> StoreResult<()> {
        self.write(move |db| {
            let Suggestion { id, at, about, text, contact } = &suggestion;
            let sql = "INSERT INTO suggestions (id, at, about, text, contact, forget_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO NOTHING";
            execute(db, sql, params![id, at, about, text, contact, suggestion.forget_at()]).map(drop)
        })
        .await
    }

    async fn close_suggestion(&self, id: &SuggestionId, at: UnixMillis) -> StoreResult<bool> {
        let id = id.clone();
        self.write(move |db| {
            let sql = "UPDATE suggestions SET done_at = coalesce(done_at, ?2), contact = NULL WHERE id = ?1";
            execute(db, sql, params![id, at]).map(|changed| changed > 0)
        })
        .await
    }
}
