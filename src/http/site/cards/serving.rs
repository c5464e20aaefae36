//! Serves cards: found like their pages, drawn on a thread of their own when they are first asked for, and kept.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use bytes::Bytes;
use hyper::Response;
use hyper::header::HeaderValue;
use hyper::http::request::Parts;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;

use super::super::agenda::{self, Period};
use super::super::components::{Heading, Show};
use super::super::paths::original;
use super::super::state::Site;
use super::super::tags::tag;
use super::super::{listing, record, series};
use super::Card;
use super::drawing;
use crate::domain::error::ApiError;
use crate::http::caller::RequestId;
use crate::http::error_response;
use crate::http::language::Language;
use crate::http::response::{self, CachedDocument, DocumentBody};

/// The memory for drawn cards.
const MEMORY: u64 = 8 * 1_024 * 1_024;

/// The usual size of a card.
const USUAL: usize = 16 * 1_024;

/// How many cards are drawn at the same time. Drawing takes a processor, which requests of the API need more.
const DRAWN_AT_ONCE: usize = 1;

/// How many cards wait to be drawn or are drawn; requests for more are refused.
const WAITING: usize = 32;

/// A card stays as long as its address; a record that is hidden vanishes from caches within a day.
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// The cards that were drawn, by their versions.
pub(in super::super) struct CardStore {
    drawn: Cache<u64, Bytes, Weight>,
    waiting: Semaphore,
    drawing: Arc<Semaphore>,
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
            waiting: Semaphore::new(WAITING),
            drawing: Arc::new(Semaphore::new(DRAWN_AT_ONCE)),
        }
    }

    /// The PNG of a card. Those who ask for the same card at the same time wait for one drawing.
    fn png(&self, card: Card) -> impl Future<Output = Result<Bytes, ApiError>> {
        let version = card.version();
        async move { self.drawn.get_or_insert_async(&version, self.draw(card)).await }
    }

    async fn draw(&self, card: Card) -> Result<Bytes, ApiError> {
        let _waits = self.waiting.try_acquire().map_err(|_| ApiError::Overloaded)?;
        let turn = self.drawing.clone().acquire_owned().await.map_err(|_| ApiError::Internal)?;
        let draw = move || {
            // a client that goes away does not let the next drawing begin before this one ends
            let _turn = turn;
            drawing::png(&card).map(Bytes::from)
        };
        tokio::task::spawn_blocking(draw).await.ok().flatten().ok_or(ApiError::Internal)
    }
}

impl Site {
    /// The card of the page at a path of this language; that of the front page for none.
    pub(in super::super) async fn card(
        &self,
        language: Language,
        page: Option<&str>,
        head: &Parts,
    ) -> Response<Body> {
        let started = Instant::now();
        let served = self.served_card(language, page, head).await;
        let response = served.unwrap_or_else(|error| error_response(&error, &head.headers));
        self.dispatcher.count_page(response.status().as_u16(), started);
        response
    }

    async fn served_card(
        &self,
        language: Language,
        page: Option<&str>,
        head: &Parts,
    ) -> Result<Response<Body>, ApiError> {
        let card = match page {
            None => self.layout(language).card.clone(),
            Some(page) => {
                let page = page.strip_suffix(".png").ok_or(ApiError::NotFound)?;
                let path = original(language, &format!("/{page}")).ok_or(ApiError::NotFound)?;
                self.card_at(language, &path)?
            }
        };
        let tag = tag(&card.version());
        let is_known = response::matches_etag(&head.headers, tag.as_bytes());
        let png = if is_known { Bytes::new() } else { self.cards.png(card).await? };
        let kind = HeaderValue::from_static("image/png");
        let document = CachedDocument { kind, body: DocumentBody::Once(png), tag, keep: KEEP };
        let response = response::cached(&head.headers, document, &RequestId::of(&head.headers));
        Ok(response::open(self.protected(response)))
    }

    /// The card of the page at a path in Portuguese, which exists if the page does and search engines may list it.
    fn card_at(&self, language: Language, path: &str) -> Result<Card, ApiError> {
        let snapshot = self.dispatcher.serving.current();
        let snapshot = snapshot.as_deref().ok_or(ApiError::NoGuide)?;
        let cache = self.page_cache(snapshot, self.dispatcher.clock.today().date());
        let (layout, data, guide) = (self.layout(language), &cache.data, &snapshot.guide);
        let show = Show { layout, data, guide, under: Heading::H2 };
        let home = data.directory.home;
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let card = match segments.as_slice() {
            ["hoje"] => agenda::card(show, Period::Today),
            ["amanha"] => agenda::card(show, Period::Tomorrow),
            ["fim-de-semana"] => agenda::card(show, Period::Weekend),
            ["dia", day] => Period::day(day).and_then(|period| agenda::card(show, period)),
            ["agenda", month] => Period::month(month).and_then(|period| agenda::card(show, period)),
            ["place", id] => {
                let rank = guide.places.find(id).filter(|rank| guide.places.is_in_area(*rank, home));
                rank.map(|rank| record::card(show, rank, false))
            }
            ["event", id] => {
                let rank = guide.events.find(id).filter(|rank| guide.events.is_in_area(*rank, home));
                let of_series = || series::card(show, data.upcoming.with_id(id)?);
                rank.map(|rank| record::card(show, rank, true)).or_else(of_series)
            }
            ["area" | "categoria", ..] => data.directory.at(path).map(|listing| listing::card(show, listing)),
            _ => None,
        };
        card.ok_or(ApiError::NotFound)
    }
}
