//! Draws cards when they are first asked for, on a thread of their own, and keeps them.

use std::future::Future;

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::{Card, drawing};
use crate::domain::error::ApiError;
use crate::http::shared_work::WorkLimit;

/// The memory for drawn cards.
const MEMORY: u64 = 8 * 1_024 * 1_024;

/// The usual size of a card.
const USUAL: usize = 16 * 1_024;

/// How many cards are drawn at the same time. Drawing takes a processor, which requests of the API need more.
const DRAWN_AT_ONCE: usize = 1;

/// How many cards wait to be drawn; requests for more are refused.
const WAITING: usize = 32;

/// The cards that were drawn, by their versions.
pub(in super::super) struct CardStore {
    drawn: Cache<u64, Bytes, Weight>,
    limit: WorkLimit,
}

#[derive(Clone)]
struct Weight;

impl Weighter<u64, Bytes> for Weight {
    fn weight(&self, _: &u64, png: &Bytes) -> u64 {
        u64::try_from(png.len()).unwrap_or(MEMORY)
    }
}

impl CardStore {
    pub(in super::super) fn new() -> CardStore {
        let items = usize::try_from(MEMORY).unwrap_or(usize::MAX) / USUAL;
        CardStore {
            drawn: Cache::with_weighter(items, MEMORY, Weight),
            limit: WorkLimit::new(DRAWN_AT_ONCE, WAITING),
        }
    }

    /// The PNG of a card. Those who ask for the same card at the same time wait for one drawing.
    pub(super) fn png(&self, card: Card) -> impl Future<Output = Result<Bytes, ApiError>> {
        let version = card.version();
        async move { self.drawn.get_or_insert_async(&version, self.draw(card)).await }
    }

    async fn draw(&self, card: Card) -> Result<Bytes, ApiError> {
        let (png, _) = self.limit.turn().await?.work(move || drawing::png(&card)).await?;
        png.map(Bytes::from).ok_or(ApiError::Internal)
    }
}
