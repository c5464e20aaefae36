//! The page of a place or an event, and the page for an address without a page.

use maud::{Markup, html};

use super::components::{breadcrumbs, encoded, more, price, venue};
use super::layout::{Layout, Meta, strip};
use super::page_data::PageData;
use super::record_view::Record;
use super::schema_org;
use super::tags::hash;

/// The page of a place or an event.
pub(super) fn page(layout: &Layout, data: &PageData, record: &Record<'_>, is_event: bool) -> String {
    let words = &layout.texts.record;
    let path = format!("/{}/{}", if is_event { "event" } else { "place" }, record.id);
    let (name, area) = (&record.name, record.area());
    let category = data.category(layout.language, &record.category);
    let dates = dates(layout, record);
    let description = match &dates {
        Some(dates) => format!("{category}: {name}, {dates}, {area}, Brasília."),
        None if record.style.is_empty() => format!("{name}: {category}, {area}, Brasília."),
        None => format!("{name}: {}, {area}, Brasília.", record.style),
    };
    let is_over = record.date.is_some_and(|date| record.end_date.unwrap_or(date) < data.day);
    let upsell = if is_event { words.event_upsell } else { words.place_upsell };
    let schema_type = if is_event { "Event" } else { data.schema_type(&record.category) };
    let url = format!("{}{}", layout.base, layout.path(&path));
    let place_url = format!("{}{}", layout.base, layout.path(&format!("/place/{}", record.place)));
    let main = html! {
        (strip(hash(&record.id).to_le_bytes()[0]))
        div.wide {
            (links_up(layout, record, is_event))
            article.record {
                div {
                    p.tag { (category) }
                    h1 { (name) }
                    @if record.uau { p { span.uau { "UAU" } " " (words.seal) } }
                    @if !record.style.is_empty() { p.lead { (record.style) } }
                    @if let Some(status) = record.status { p.no { (words.status(status).1) } }
                    @if is_over { p.no { (words.over) } }
                }
                (facts(layout, record, dates.as_deref().unwrap_or_default()))
                div.record-foot {
                    (layout.credit(data.positions.as_ref()))
                    aside.preview aria-label=(layout.texts.layout.about_preview) {
                        p { ((upsell)(&layout.path("/plans"))) }
                    }
                }
            }
            (nearby(layout, record, category, is_event))
        }
        (schema_org::json_ld(schema_type, record, &url, category, &place_url))
    };
    layout.page(&Meta { title: name, description: &description, path: &path, query: "", listed: true }, main)
}

fn dates(layout: &Layout, record: &Record<'_>) -> Option<String> {
    let (calendar, date) = (&layout.texts.calendar, record.date?);
    let first = calendar.day(date);
    Some(match record.end_date.filter(|end| *end > date) {
        Some(end) => format!("{first}{}{}", calendar.to, calendar.day(end)),
        None => first,
    })
}

fn facts(layout: &Layout, record: &Record<'_>, dates: &str) -> Markup {
    let words = &layout.texts.record;
    let hours = if record.sessions.is_empty() { words.time } else { words.sessions };
    let facts = [
        (words.date, html! { (dates) }),
        (hours, html! { (record.hours()) }),
        (words.venue, venue(layout, record)),
        (words.neighbourhood, html! { (record.neighbourhood) }),
        (words.region, html! { (record.region) }),
        (words.price, html! { (price(words, record)) }),
    ];
    let instagram = &record.instagram;
    html! {
        dl.facts {
            @for (term, text) in facts.into_iter().filter(|(_, text)| !text.0.is_empty()) {
                div { dt { (term) } dd { (text) } }
            }
            @if !instagram.is_empty() {
                div {
                    dt { "Instagram" }
                    dd {
                        a href={ "https://www.instagram.com/" (instagram) "/" } rel="nofollow noopener" {
                            "@" (instagram)
                        }
                    }
                }
            }
        }
    }
}

/// A search for records of a kind with a value in a field.
fn search(layout: &Layout, kind: &str, field: &str, value: &str) -> String {
    format!("{}?kind={kind}&{field}={}", layout.home(), encoded(value))
}

fn links_up(layout: &Layout, record: &Record<'_>, is_event: bool) -> Markup {
    let words = &layout.texts.layout;
    let (kind, title) = if is_event { ("events", words.events) } else { ("places", words.places) };
    let area = record.area();
    let of_kind = format!("{}?kind={kind}", layout.home());
    let of_area = search(layout, kind, "region", area);
    breadcrumbs(layout, [(layout.home(), words.guide), (&of_kind, title), (&of_area, area)])
}

fn nearby(layout: &Layout, record: &Record<'_>, category: &str, is_event: bool) -> Markup {
    let (words, area) = (layout.texts, record.area());
    let kind = if is_event { "events" } else { "places" };
    html! {
        section.part aria-labelledby="near" {
            div.part-head { h2 #near { (words.record.nearby) } }
            ul.chips {
                li {
                    a href=(search(layout, kind, "category", &record.category)) {
                        ((words.record.category_in_free_area)(category))
                    }
                }
                @for (kind, name) in [("places", words.layout.places), ("events", words.layout.events)] {
                    li { a href=(search(layout, kind, "region", area)) { (name) ": " (area) } }
                }
            }
        }
    }
}

/// The page for an address without a page.
pub(super) fn not_found(layout: &Layout) -> String {
    let words = &layout.texts.not_found;
    let main = html! {
        (strip(20))
        div.wide.lost {
            p.tag { "404" }
            h1 { (words.title) }
            p.lead { (words.lead) }
            (more(layout.home(), words.back))
        }
    };
    layout.page(
        &Meta { title: words.title, description: words.title, path: "/", query: "", listed: false },
        main,
    )
}
