//! The next events and the places of an area or a category in few bytes, for frames on other sites.

use axum::body::Body;
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderName, HeaderValue};
use hyper::{Request, Response};
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
use crate::http::site::layout::components::Show;
use crate::http::site::state::Site;

/// The most records.
const MOST: usize = 12;

/// Any site may show it in a frame; it loads its style and nothing else.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
);

/// The events of a listing, then its places.
fn page(show: Show<'_>, listing: &Listing) -> String {
    let Show { layout, data, guide, .. } = show;
    let title = listing::name(show, listing);
    let events: Vec<Record<'_>> =
        show.to_come(&listing.events).into_iter().take(MOST).map(|rank| show.event(rank)).collect();
    let area = listing.topic.0.unwrap_or(data.directory.home);
    let places = records_of(guide, &guide.places, (area, data.directory.home), listing.topic.1);
    let places = places.iter().take(MOST - events.len());
    let places: Vec<Record<'_>> = places.map(|rank| Record::new(&guide.places.rendered, *rank)).collect();
    let page = html! {
        (DOCTYPE)
        html lang=(layout.texts.lang) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) " · " (layout.service_name) }
                link rel="canonical" href={ (layout.base) (layout.path(&listing.path)) };
                link rel="stylesheet" href=(assets::EMBED_STYLE.versioned_path());
            }
            body {
                main {
                    h1 { (out(layout, &listing.path, &title)) }
                    ul {
                        @for record in &events {
                            @let when = dates_of(layout, data, record).unwrap_or_default();
                            @let hours = record.hours(layout.texts.calendar.time);
                            @let status = status_of(layout, record);
                            @let is_today = record.date.is_some_and(|date| date <= data.day);
                            @let progress = if is_today { show.progress(record) } else { Progress::Ahead };
                            @let begun = show.told(progress);
                            (item(layout, "/event/", record, &[status, &when, &hours, &begun, &record.venue]))
                        }
                        @for record in &places {
                            @let category = data.category(layout.language, &record.category);
                            (item(layout, "/place/", record, &[category, record.area()]))
                        }
                    }
                }
                footer {
                    (layout.texts.layout.tips_by) " " (out(layout, "/", &layout.service_name)) " · "
                    (out(layout, &listing.path, layout.texts.take.whole_page))
                }
            }
        }
    };
    page.into_string()
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
        let mut response = self
            .list_page(language, request, true, |show, _| Some(page(show, show.data.directory.at(path)?)));
        if response.status().as_u16() != 404 {
            let headers = response.headers_mut();
            headers.insert(CONTENT_SECURITY_POLICY, POLICY);
            headers.remove(HeaderName::from_static("x-frame-options"));
        }
        response
    }
}
