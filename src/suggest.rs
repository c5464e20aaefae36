//! Suggestions of readers: accepted from the form of the site, a few a day from one network.

use std::net::IpAddr;
use std::sync::Arc;

use crate::domain::account::SuggestionId;
use crate::domain::clock::Clock;
use crate::domain::error::ApiError;
use crate::domain::suggestion::{MAX_CONTACT, MAX_TEXT, Suggestion, record_path};
use crate::domain::text::clean_text;
use crate::signup::day_limits;
use crate::store::{RateLimit, SuggestionStore, count_or_refuse};

/// Suggestions a day from one network.
const PER_NETWORK_DAY: u32 = 3;

/// Suggestions a day from all networks: what a curator can read, and what bounds the store.
const PER_DAY: u32 = 300;

/// Takes suggestions.
#[derive(Debug)]
pub struct SuggestionService {
    store: Arc<dyn SuggestionStore>,
    clock: Clock,
}

/// A suggestion as it was sent.
#[derive(Debug, Clone, Copy)]
pub struct SentSuggestion<'a> {
    /// What the reader wrote.
    pub text: Option<&'a str>,
    /// How to reach the reader.
    pub contact: Option<&'a str>,
    /// The page of the record that it is about.
    pub about: Option<&'a str>,
}

impl SuggestionService {
    /// A service that keeps suggestions in a store.
    pub fn new(store: Arc<dyn SuggestionStore>, clock: Clock) -> SuggestionService {
        SuggestionService { store, clock }
    }

    /// Keeps a suggestion from a client.
    pub async fn send(&self, draft: SentSuggestion<'_>, client: IpAddr) -> Result<(), ApiError> {
        let text = clean_text("text", draft.text, MAX_TEXT)?.ok_or_else(|| ApiError::missing("text"))?;
        let contact = clean_text("contact", draft.contact, MAX_CONTACT)?;
        let about = draft.about.and_then(record_path).map(str::to_owned);
        let now = self.clock.moment();
        let mut limits: Vec<RateLimit> = day_limits("suggest", client, PER_NETWORK_DAY, now).collect();
        let of_all = limits.len();
        limits.push(RateLimit::window("suggest", &"all", PER_DAY, now.day_ends_at()));
        let refusal = |index, retry_after| {
            let is_of_all = index == of_all;
            ApiError::TooManySuggestions { is_of_all, retry_after }
        };
        count_or_refuse(&*self.store, limits, now.at, refusal).await?;
        let id = SuggestionId::generate()?;
        Ok(self.store.save_suggestion(Suggestion { id, at: now.at, about, text, contact }).await?)
    }
}
