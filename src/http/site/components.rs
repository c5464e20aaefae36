//! Parts that several pages are made of.

use chrono::Datelike;
use index::Guide;
use index::rendered::RenderedRecords;
use maud::{Markup, PreEscaped, html};
use url::form_urlencoded::byte_serialize;

use super::i18n::abbreviated;
use super::layout::Layout;
use super::page_data::PageData;
use super::record_view::Record;
use super::texts::Record as RecordTexts;

/// A section with a heading, and a note beside it that may be empty.
pub(super) fn section(id: &str, title: &str, note: &str, content: Markup) -> Markup {
    html! {
        section.part aria-labelledby=(id) {
            div.part-head {
                h2 id=(id) { (title) }
                @if !note.is_empty() { p { (note) } }
            }
            (content)
        }
    }
}

/// A value as the query of an address carries it.
pub(super) fn encoded(value: &str) -> String {
    byte_serialize(value.as_bytes()).collect()
}

/// A link that leads on.
pub(super) fn more(address: &str, text: &str) -> Markup {
    html! { p.more { a href=(address) { (text) } } }
}

/// The link from a page to the one above it.
pub(super) fn breadcrumbs<const N: usize>(layout: &Layout, links: [(&str, &str); N]) -> Markup {
    html! {
        nav.crumbs aria-label=(layout.texts.layout.you_are_in) {
            ol { @for (address, text) in links { li { a href=(address) { (text) } } } }
        }
    }
}

/// A block of code with a name for screen readers.
pub(super) fn code(name: &str, text: &str) -> Markup {
    html! { div.code { pre tabindex="0" role="group" aria-label=(name) { code { (element_text(text)) } } } }
}

/// Text of an element. Quotes stay as they are there; escaped, those of a JSON document would weigh as much as the rest.
fn element_text(text: &str) -> PreEscaped<String> {
    PreEscaped(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

/// A list of events.
pub(super) fn events(layout: &Layout, data: &PageData, guide: &Guide, ranks: &[u32]) -> Markup {
    html! {
        ol.agenda {
            @for record in ranks.iter().map(|rank| Record::event(guide, data.home, *rank)) {
                li { (date_badge(layout, data, &record)) (summary(layout, data, "/event/", &record)) }
            }
        }
    }
}

/// A list of places.
pub(super) fn places(layout: &Layout, data: &PageData, places: &RenderedRecords, ranks: &[u32]) -> Markup {
    html! {
        ul.places {
            @for record in ranks.iter().map(|rank| Record::new(places, *rank)) {
                li { (summary(layout, data, "/place/", &record)) }
            }
        }
    }
}

/// The day of an event, or today if the event has begun.
fn date_badge(layout: &Layout, data: &PageData, record: &Record<'_>) -> Markup {
    let Some(date) = record.date else { return Markup::default() };
    let calendar = &layout.texts.calendar;
    let shown = date.max(data.day.min(record.end_date.unwrap_or(date)));
    html! {
        time datetime=(date) {
            b { (shown.day()) } " "
            span { (abbreviated(calendar.month(shown))) } " "
            span { (abbreviated(calendar.weekday(shown))) }
        }
    }
}

/// The venue of an event, as a link if it is a place with a page.
pub(super) fn venue(layout: &Layout, record: &Record<'_>) -> Markup {
    html! {
        @if record.place.is_empty() {
            (record.venue)
        } @else {
            a href={ (layout.prefix()) "/place/" (record.place) } { (record.venue) }
        }
    }
}

/// The price, which may be that there is none.
pub(super) fn price<'r>(words: &RecordTexts, record: &'r Record<'_>) -> &'r str {
    if record.price.is_empty() && record.free { words.free } else { &record.price }
}

fn summary(layout: &Layout, data: &PageData, path: &str, record: &Record<'_>) -> Markup {
    let area = Some(record.area()).filter(|area| *area != record.venue).unwrap_or_default();
    let words = &layout.texts.record;
    let price = price(words, record);
    let facts = [
        html! { (record.hours()) },
        venue(layout, record),
        html! { (record.style) },
        html! { (area) },
        html! { (price) },
    ];
    let facts = facts.into_iter().filter(|fact| !fact.0.is_empty());
    html! {
        div {
            h3 {
                a href={ (layout.prefix()) (path) (record.id) } { (record.name) }
                @if record.uau { " " span.uau { "UAU" } }
                @if let Some(status) = record.status { " " span.status-tag { (words.status(status).0) } }
            }
            p { @for (at, fact) in facts.enumerate() { @if at > 0 { " · " } (fact) } }
        }
        span.tag { (data.category(layout.language, &record.category)) }
    }
}
