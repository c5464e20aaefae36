//! What is being typed into the search field, completed: links to pages, as a fragment that a script puts under the
//! field. It shows what the site shows, and keeps nothing of what was typed.

use axum::body::Body;
use hyper::{Request, Response};
use index::grammar::fold::fold;
use index::question::query::MAX_CHARACTERS;
use index::{Collection, Window};
use maud::{Markup, html};

use super::listing;
use crate::domain::error::ApiError;
use crate::http::language::Language;
use crate::http::response::DocumentBody;
use crate::http::site::data::directory::{Listing, Topic};
use crate::http::site::data::record_view::Record;
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::Show;
use crate::http::site::layout::form_fields::query_field;
use crate::http::site::state::Site;

/// The most links to categories, and to areas.
const MOST_TOPICS: usize = 2;

/// The most links to places, and to events.
const MOST_RECORDS: usize = 4;

/// The links for what is being typed; nothing when there are none.
fn links(show: Show<'_>, typed: &str) -> Markup {
    let Show { layout, data, guide, .. } = show;
    let (words, directory) = (layout.texts, &data.directory);
    let typed = fold(typed);
    let has_page = |topic: Topic| directory.of(topic).is_some();
    let categories = guide.suggest_categories(&typed, MOST_TOPICS, |id| has_page((None, Some(id))));
    let areas = guide.suggest_areas(&typed, MOST_TOPICS, |id| has_page((Some(id), None)));
    let is_shown = |collection: &Collection, rank| collection.is_in_area(rank, directory.home);
    let places = guide.places.suggest(&typed, MOST_RECORDS, |rank| is_shown(&guide.places, rank));
    let events = guide.events.suggest_series(&typed, MOST_RECORDS, |rank| {
        guide.events.is_on(rank, Window::since(data.day)) && is_shown(&guide.events, rank)
    });
    let topic = |listing: &Listing, what| item(layout, &listing.path, &listing::name(show, listing), what);
    let categories = categories.iter().filter_map(|id| directory.of((None, Some(*id))));
    let areas = areas.iter().filter_map(|id| directory.of((Some(*id), None)));
    html! {
        @for listing in categories { (topic(listing, words.search.category)) }
        @for listing in areas { (topic(listing, words.record.neighbourhood)) }
        @for rank in places {
            @let place = Record::new(&guide.places.rendered, rank);
            (item(layout, &format!("/place/{}", place.id), &place.name, place.area()))
        }
        @for rank in events {
            @let event = show.event(rank);
            @let id = data.upcoming.of(&guide.events, rank).map_or(&*event.id, |series| &series.id);
            (item(layout, &format!("/event/{id}"), &event.name, &event.venue))
        }
    }
}

fn item(layout: &Layout, path: &str, name: &str, what: &str) -> Markup {
    html! { li { a href=(layout.path(path)) { (name) " " small { (what) } } } }
}

impl Site {
    /// The links for the `q` of the query.
    pub(crate) fn completion(&self, language: Language, request: &Request<Body>) -> Response<Body> {
        let headers = request.headers();
        let Some((snapshot, cache)) = self.in_service() else {
            return self.plain_error(language, &ApiError::NoGuide, headers);
        };
        let query = request.uri().query().unwrap_or_default();
        let tag = cache.tag(language, &format!("{} {query}", request.uri().path()));
        if let Some(response) = self.unchanged(&tag, headers) {
            return response;
        }
        let typed = query_field(request.uri(), "q").filter(|text| text.chars().count() <= MAX_CHARACTERS);
        let show = Show::new(self.layout(language), &cache.data, &snapshot.guide);
        let links = typed.filter(|text| !text.trim().is_empty()).map(|text| links(show, text.trim()));
        let body = DocumentBody::Once(links.unwrap_or_default().into_string().into());
        self.cached_page(body, tag, headers)
    }
}
