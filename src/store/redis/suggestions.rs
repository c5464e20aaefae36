//! What readers suggest: a hash for each, which Redis drops when its time is over.

use async_trait::async_trait;

use super::{Redis, scripts};
use crate::domain::account::SuggestionId;
use crate::domain::clock::UnixMillis;
use crate::domain::suggestion::Suggestion;
use crate::store::{StoreResult, SuggestionStore};

#[async_trait]
impl SuggestionStore for Redis {
    async fn save_suggestion(&self, suggestion: Suggestion) -> StoreResult<()> {
        let forget_at = suggestion.forget_at();
        let Suggestion { id, at, about, text, contact } = suggestion;
        let fields = (at, text, about.unwrap_or_default(), contact.unwrap_or_default());
        self.run::<bool>(&scripts::SAVE_SUGGESTION, (id.as_str(), forget_at, fields)).await.map(drop)
    }

    async fn close_suggestion(&self, id: &SuggestionId, at: UnixMillis) -> StoreResult<bool> {
        self.run(&scripts::CLOSE_SUGGESTION, (id.as_str(), at)).await
    }
}
