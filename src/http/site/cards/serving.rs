//! Serves cards, which are found like their pages.

use axum::body::Body;
use bytes::Bytes;
use hyper::Response;
use hyper::header::HeaderValue;
use hyper::http::request::Parts;

use super::Card;
use crate::domain::error::ApiError;
use crate::domain::network::is_private;
use crate::domain::records::Records;
use crate::http::caller::RequestId;
use crate::http::error_response;
use crate::http::etags;
use crate::http::language::Language;
use crate::http::response::{self, CachedDocument, DocumentBody};
use crate::http::site::data::period::Period;
use crate::http::site::guide::agenda;
use crate::http::site::guide::listing;
use crate::http::site::guide::record;
use crate::http::site::guide::series;
use crate::http::site::layout::components::Show;
use crate::http::site::layout::paths::original;
use crate::http::site::layout::tags::tag;
use crate::http::site::state::Site;

/// A card stays as long as its address; a record that is hidden vanishes from caches within a day.
const CACHE_FOR_A_DAY: HeaderValue = HeaderValue::from_static("public, max-age=86400");

impl Site {
    /// The card of the page at a path of this language; that of the front page for none.
    pub(crate) async fn card(&self, language: Language, page: Option<&str>, head: &Parts) -> Response<Body> {
        let served = self.served_card(language, page, head).await;

        served.unwrap_or_else(|error| error_response(&error, &head.headers))
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
        let is_known = etags::matches(&head.headers, &tag);
        let client = Some(self.accounts.client(head)).filter(|client| !is_private(*client));
        let png = if is_known { Bytes::new() } else { self.cards.png(card, client).await? };
        let kind = HeaderValue::from_static("image/png");
        let document = CachedDocument { kind, body: DocumentBody::Once(png), tag, keep: CACHE_FOR_A_DAY };
        let response = response::cached(&head.headers, document, &RequestId::of(&head.headers));
        Ok(response::open(self.protected(response)))
    }

    /// The card of the page at a path in Portuguese, which exists if the page does and search engines may list it.
    fn card_at(&self, language: Language, path: &str) -> Result<Card, ApiError> {
        let (snapshot, cache) = self.in_service().ok_or(ApiError::NoGuide)?;
        let data = &cache.data;
        let show = Show::new(self.layout(language), data, &snapshot.guide);
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let card = match segments.as_slice() {
            ["hoje"] => agenda::card(show, Period::Today),
            ["amanha"] => agenda::card(show, Period::Tomorrow),
            ["fim-de-semana"] => agenda::card(show, Period::Weekend),
            ["dia", day] => Period::day(day).and_then(|period| agenda::card(show, period)),
            ["agenda", month] => Period::month(month).and_then(|period| agenda::card(show, period)),
            ["place", id] => show.find(Records::Places, id).map(|of| record::card(show, of)),
            ["event", id] => {
                let of_series = || series::card(show, data.upcoming.with_id(id)?);
                show.find(Records::Events, id).map(|of| record::card(show, of)).or_else(of_series)
            }
            ["area" | "categoria", ..] => data.directory.at(path).map(|listing| listing::card(show, listing)),
            _ => None,
        };
        card.ok_or(ApiError::NotFound)
    }
}
