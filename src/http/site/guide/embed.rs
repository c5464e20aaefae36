//! The next events and the places of an area or a category in few bytes, for frames on other sites.

use axum::body::Body;
use chrono::Days;
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderName, HeaderValue};
use hyper::{Request, Response, Uri};
use maud::{DOCTYPE, Markup, html};

use super::listing;
use super::record::{dates_of, status_of};
use crate::http::language::Language;
use crate::http::site::assets;
use crate::http::site::data::area_records::records_of;
use crate::http::site::data::directory::Listing;
use crate::http::site::data::hours::Progress;
use crate::http::site::data::record_view::Record;
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::{NoPage, Show};
use crate::http::site::layout::form_fields::query_field;
use crate::http::site::state::Site;

/// The most records. The style hides those for which a frame is too low.
const MOST: usize = 12;

/// The days after which an event is far away: what one can go to now comes before it.
const SOON: u64 = 31;

/// The colours of a frame on a page that has its own, whatever the visitor's system prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// That of the query of an address, in the words of either language.
    fn asked(uri: &Uri) -> Option<Theme> {
        let theme = query_field(uri, "tema").or_else(|| query_field(uri, "theme"))?;
        match theme.as_ref() {
            "claro" | "light" => Some(Theme::Light),
            "escuro" | "dark" => Some(Theme::Dark),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

/// What a frame is about.
fn title(show: Show<'_>, listing: &Listing) -> String {
    let words = &show.layout.texts.directory;
    let name = listing::name(show, listing);
    match listing.topic {
        (_, Some(_)) => (words.on_of)(&name),
        _ => (words.on_in)(&name),
    }
}

/// Any site may show it in a frame; it loads its style and nothing else.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
);

/// The next events of a listing, its places, and what is far away.
fn page(show: Show<'_>, listing: &Listing, theme: Option<Theme>) -> String {
    let Show { layout, data, guide, .. } = show;
    let title = title(show, listing);
    let last = data.day + Days::new(SOON);
    let is_soon = |rank: &u32| guide.events.first_day(*rank).is_some_and(|day| day <= last);
    let (mut soon, mut later): (Vec<u32>, Vec<u32>) =
        show.to_come(&listing.events).into_iter().partition(is_soon);
    soon.truncate(MOST);
    let area = listing.topic.0.unwrap_or(data.directory.home);
    let places = records_of(guide, &guide.places, (area, data.directory.home), listing.topic.1);
    let places = places.iter().take(MOST - soon.len());
    let places: Vec<Record<'_>> = places.map(|rank| Record::new(&guide.places.rendered, *rank)).collect();
    later.truncate(MOST - soon.len() - places.len());
    let page = html! {
        (DOCTYPE)
        html lang=(layout.texts.lang) data-theme=[theme.map(Theme::name)] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) " · " (layout.service_name) }
                link rel="canonical" href={ (layout.base) (layout.path(&listing.path)) };
                link rel="stylesheet" href=(assets::EMBED_STYLE.versioned_path());
            }
            body {
                header {
                    h1 { (out(layout, &listing.path, &title)) }
                    p {
                        (layout.texts.layout.tips_by) " " (out(layout, "/", &layout.service_name)) " · "
                        (out(layout, &listing.path, layout.texts.take.whole_page))
                    }
                }
                main {
                    ul {
                        @for rank in &soon { (event(show, *rank)) }
                        @for record in &places {
                            @let category = data.category(layout.language, &record.category);
                            (item(layout, "/place/", record, &[category, record.area()]))
                        }
                        @for rank in &later { (event(show, *rank)) }
                    }
                }
            }
        }
    };
    page.into_string()
}

fn event(show: Show<'_>, rank: u32) -> Markup {
    let Show { layout, data, .. } = show;
    let record = show.event(rank);
    let when = dates_of(layout, data, &record).unwrap_or_default();
    let hours = record.hours(layout.texts.calendar.time);
    let is_today = record.date.is_some_and(|date| date <= data.day);
    let progress = if is_today { show.progress(&record) } else { Progress::Ahead };
    let begun = show.progress_text(progress);
    item(layout, "/event/", &record, &[status_of(layout, &record), &when, &hours, &begun, &record.venue])
}

/// A link that leads out of the frame.
fn out(layout: &Layout, path: &str, text: &str) -> Markup {
    html! { a href={ (layout.base) (layout.path(path)) } target="_blank" rel="noopener" { (text) } }
}

fn item(layout: &Layout, kind: &str, record: &Record<'_>, facts: &[&str]) -> Markup {
    let facts: Vec<&str> = facts.iter().copied().filter(|fact| !fact.is_empty()).collect();
    html! { li { (out(layout, &format!("{kind}{}", record.id), &record.name)) " " small { (facts.join(" · ")) } } }
}

impl Site {
    /// The frame of the page at a path in Portuguese.
    pub(crate) fn embed(&self, language: Language, path: &str, request: &Request<Body>) -> Response<Body> {
        let theme = Theme::asked(request.uri());
        let mut response = self.list_page(language, request, true, |show, _| {
            show.data.directory.at(path).map(|listing| page(show, listing, theme)).ok_or(NoPage::Unknown)
        });
        if response.status().as_u16() != 404 {
            let headers = response.headers_mut();
            headers.insert(CONTENT_SECURITY_POLICY, POLICY);
            headers.remove(HeaderName::from_static("x-frame-options"));
        }
        response
    }
}
