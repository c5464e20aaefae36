//! The page of a place or an event.

use std::collections::HashMap;

use chrono::NaiveDate;
use index::View;
use index::grammar::fold::fold;
use index::records::rendered::RenderedRecords;
use maud::{Markup, html};
use serde::de::IgnoredAny;

use super::map_page;
use crate::actions::PAID_FIELDS;
use crate::domain::text::capitalized;
use crate::http::calendar::CITY;
use crate::http::distinct::{distinct, sentence};
use crate::http::site::cards::{Card, DateTile};
use crate::http::site::data::directory::Topic;
use crate::http::site::data::hours::{Progress, is_off};
use crate::http::site::data::page_data::PageData;
use crate::http::site::data::record_view::{Record, RecordRef};
use crate::http::site::data::upcoming::Series;
use crate::http::site::layout::components::{Show, breadcrumbs, chips, more, price, section, venue};
use crate::http::site::layout::i18n::category_name;
use crate::http::site::layout::tags::hash;
use crate::http::site::layout::{Extra, Layout, Meta, strip};
use crate::http::site::share::schema_org;
use crate::http::site::share::take_along;

/// The page of a place or an event.
pub(crate) fn page(show: Show<'_>, of: RecordRef) -> String {
    let Show { layout, data, guide, .. } = show;
    let is_event = of.is_event();
    let words = &layout.texts.record;
    let (record, path) = (&show.record(of), of.path(guide));
    let name = &record.name;
    let category = data.category(layout.language, &record.category);
    let dates = dates_of(layout, data, record);
    let description = description_of(layout, record, category, dates.as_deref());
    let title = match record.date {
        Some(date) => {
            let last = record.end_date.unwrap_or(date);
            format!("{name}, {}", layout.texts.calendar.dates(date, last, data.day))
        }
        None => sentence(&[name], ": ", &[category, record.area()]).trim_end_matches('.').to_owned(),
    };
    let is_over = show.is_over(record);
    let is_today = record.date.is_some_and(|date| date <= data.day);
    let progress = if is_today && !is_over { show.progress(record) } else { Progress::Ahead };
    let begun = show.progress_text(progress);
    let schema_type = if is_event { "Event" } else { data.schema_type(&record.category) };
    let url = layout.address(&path);
    let place_url = layout.address(&format!("/place/{}", record.place));
    let card = card(show, of);
    let image = format!("{}{}", layout.base, card.address(layout.language));
    let series = data.upcoming.of(&guide.events, of.rank).filter(|_| is_event);
    let known = all_fields(&of.collection(guide).rendered, of.rank);
    let main = html! {
        (strip(hash(&record.id).to_le_bytes()[0]))
        div.wide {
            (breadcrumbs(layout, links_up(show, of)))
            article.record {
                div {
                    (category_link(show, of, category))
                    h1 lang=[layout.foreign()] { (name) }
                    @if record.uau { p { span.uau { "UAU" } " " (words.seal) } }
                    @if !record.style.is_empty() { p.lead lang=[layout.foreign()] { (record.style) } }
                    @if let Some(status) = record.status { p.no { (words.status(status).1) } }
                    @if is_over { p.no { (words.over) } }
                    @if !begun.is_empty() { p.note { (capitalized(&begun)) } }
                    @if let Some(dates) = dates.as_deref().filter(|_| is_event) {
                        (lead(layout, &with_time(layout, dates, record), record))
                    }
                    @if let Some(series) = series { (other_dates(show, series, is_over)) }
                    @if is_event && series.is_none() && (is_over || is_off(record)) {
                        (more(&layout.path("/hoje"), layout.texts.not_found.today))
                    }
                    (take_along::ways(show, of.records, record, &path, &description))
                }
                div.record-side {
                    (facts(show, of, record))
                    (map_page::on_record(show, of.area(guide)))
                }
                div.record-foot {
                    (layout.credit(data.positions.as_ref()))
                    (changed(layout, &path))
                }
            }
            (take_along::around(show, of, record))
            (paid(layout, &known))
            (related(show, of))
        }
        (schema_org::json_ld(schema_type, record, &schema_org::About { url, category, place_url, image, description: &description }))
        (schema_org::trail(&trail(layout, links_up(show, of), (&path, name))))
    };
    let meta = Meta { title: &title, description: &description, path: &path, query: "", listed: true };
    let calendar = is_event.then_some(&*path);
    let extra = Extra { calendar, has_more: true, card: Some(&card), ..Extra::default() };
    layout.page_with(&meta, &extra, main)
}

/// A record in one sentence, for search engines and for those who share its page.
fn description_of(layout: &Layout, record: &Record<'_>, category: &str, dates: Option<&str>) -> String {
    let (name, area) = (&*record.name, record.area());
    match dates {
        Some(dates) => {
            let (hours, venue) = (record.hours(layout.texts.calendar.time), &*record.venue);
            let status = status_of(layout, record);
            sentence(&[unsaid(name, category), name], ", ", &[status, dates, &hours, venue, area, CITY])
        }
        None => {
            let kind = if record.style.is_empty() { category } else { &record.style };
            sentence(&[name], ": ", &[unsaid(name, kind), area, CITY])
        }
    }
}

/// The card of a place or an event.
pub(crate) fn card(show: Show<'_>, of: RecordRef) -> Card {
    let Show { layout, data, guide, .. } = show;
    let (record, path) = (&show.record(of), of.path(guide));
    let calendar = &layout.texts.calendar;
    let status = status_of(layout, record);
    let first = match (record.date, record.end_date.filter(|end| Some(*end) > record.date)) {
        (Some(date), Some(end)) => {
            let (first, last) = (calendar.short(date, data.day), calendar.short(end, data.day));
            joined(&[&format!("{first}{}{last}", calendar.to), &record.hours(calendar.time)])
        }
        (Some(date), None) => {
            joined(&[&capitalized(&calendar.dated(date, data.day)), &record.hours(calendar.time)])
        }
        (None, _) => capitalized(&record.style),
    };
    Card {
        kind: joined(&[data.category(layout.language, &record.category), status]),
        title: record.name.to_string(),
        lines: vec![first, joined(&[&record.venue, record.area()])],
        is_uau: record.uau,
        date: record.date.map(|date| DateTile::of(&layout.texts.calendar, date)),
        ..Card::of_page(&path, &layout.service_name)
    }
}

/// The fields that the guide knows of a record, whoever sees them.
pub(crate) fn all_fields(records: &RenderedRecords, rank: u32) -> HashMap<String, IgnoredAny> {
    serde_json::from_slice(&records.object(rank, View::Full)).unwrap_or_default()
}

/// What paid plans add to a record, of the fields that the guide knows of it.
pub(crate) fn paid(layout: &Layout, known: &HashMap<String, IgnoredAny>) -> Markup {
    let words = &layout.texts.record;
    let known = PAID_FIELDS.iter().zip(words.paid_fields).filter(|(field, _)| known.contains_key(**field));
    let known: Vec<&str> = known.map(|(_, name)| name).collect();
    let Some((last, others)) = known.split_last() else { return Markup::default() };
    let what = match others {
        [] => (*last).to_owned(),
        others => format!("{}{}{last}", others.join(", "), layout.texts.calendar.and),
    };
    html! {
        aside.preview aria-label=(layout.texts.layout.about_preview) {
            p { ((words.paid)(&capitalized(&what), &layout.path("/plans"))) }
        }
    }
}

/// The pages above one and itself, as addresses with names.
pub(crate) fn trail<'t>(
    layout: &Layout,
    above: Vec<(String, &'t str)>,
    (path, name): (&str, &'t str),
) -> Vec<(String, &'t str)> {
    let above = above.into_iter().map(|(path, name)| (format!("{}{path}", layout.base), name));
    above.chain([(layout.address(path), name)]).collect()
}

/// The parts of a line that are known, each once.
pub(crate) fn joined(parts: &[&str]) -> String {
    distinct(parts).join(" · ")
}

/// What a record is, unless its name begins with that: "Samba: Samba do Feitiço" says it twice.
pub(crate) fn unsaid<'t>(name: &str, kind: &'t str) -> &'t str {
    let (name, folded) = (fold(name), fold(kind));
    let is_said = name.strip_prefix(&folded).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    if is_said { "" } else { kind }
}

/// The link to the form for suggestions about a page.
pub(crate) fn changed(layout: &Layout, path: &str) -> Markup {
    html! {
        p.more {
            a href={ (layout.path("/sugerir")) "?about=" (path) } rel="nofollow" { (layout.texts.suggest.changed) }
        }
    }
}

/// When an event takes place, in words; none for places.
pub(crate) fn dates_of(layout: &Layout, data: &PageData, record: &Record<'_>) -> Option<String> {
    let (calendar, date) = (&layout.texts.calendar, record.date?);
    let first = calendar.dated(date, data.day);
    Some(match record.end_date.filter(|end| *end > date) {
        Some(end) => format!("{first}{}{}", calendar.to, calendar.dated(end, data.day)),
        None => first,
    })
}

/// When the series of an event takes place, and its next date when this one is over.
fn other_dates(show: Show<'_>, series: &Series, is_over: bool) -> Markup {
    let Show { layout, data, .. } = show;
    let words = &layout.texts.series;
    let own = format!("/event/{}", series.id);
    let next = show.dates_left(series).first().filter(|(rank, _)| !show.is_over(&show.event(*rank)));
    html! {
        @if let Some(when) = recurrence(layout, series, data.day) { p { (capitalized(&when)) } }
        @if is_over && let Some((_, next)) = next {
            p {
                (words.next) " "
                a href=(layout.path(&format!("{own}-{next}"))) { (layout.texts.calendar.dated(*next, data.day)) }
            }
        }
        (more(&layout.path(&own), words.all_dates))
    }
}

/// When a series takes place, as within a sentence; none when no few words say it.
pub(crate) fn recurrence(layout: &Layout, series: &Series, today: NaiveDate) -> Option<String> {
    series.when.as_ref().map(|when| layout.texts.calendar.series(when, today))
}

/// "todo domingo, 12h"; without the hours if they are not known.
pub(crate) fn with_time(layout: &Layout, when: &str, record: &Record<'_>) -> String {
    match record.hours(layout.texts.calendar.time) {
        hours if hours.is_empty() => when.to_owned(),
        hours => format!("{when}, {hours}"),
    }
}

/// When an event takes place on a day, or that the guide does not know it; empty for places.
pub(crate) fn hours_of(layout: &Layout, record: &Record<'_>) -> String {
    match record.hours(layout.texts.calendar.time) {
        hours if hours.is_empty() && record.date.is_some() => layout.texts.record.no_time.to_owned(),
        hours => hours,
    }
}

/// When and where an event takes place.
pub(crate) fn lead(layout: &Layout, when: &str, record: &Record<'_>) -> Markup {
    let venue = venue(layout, record);
    html! { p.lead { (capitalized(when)) @if !venue.0.is_empty() { " · " (venue) } } }
}

/// What became of an event, in a word; empty if it takes place as planned.
pub(crate) fn status_of(layout: &Layout, record: &Record<'_>) -> &'static str {
    record.status.map_or("", |status| layout.texts.record.status(status).0)
}

/// The category of a record, which leads to its page.
pub(crate) fn category_link(Show { layout, data, guide, .. }: Show<'_>, of: RecordRef, name: &str) -> Markup {
    let listing = data.directory.of((None, Some(of.collection(guide).category(of.rank))));
    html! {
        p.tag {
            @match listing {
                Some(listing) => a href=(layout.path(&listing.path)) { (name) },
                None => (name),
            }
        }
    }
}

/// The neighbourhood of a record, which leads to its page.
fn area_link(Show { layout, data, .. }: Show<'_>, name: &str) -> Markup {
    html! {
        @match data.area_path(name) {
            Some(path) => a href=(layout.path(path)) { (name) },
            None => (name),
        }
    }
}

/// What is known of a record besides what its lead and the links above it say, and that the hour of an event is not.
pub(crate) fn facts(show: Show<'_>, of: RecordRef, record: &Record<'_>) -> Markup {
    let layout = show.layout;
    let words = &layout.texts.record;
    let is_untimed = of.is_event() && record.hours(layout.texts.calendar.time).is_empty();
    let is_said = !record.neighbourhood.is_empty()
        || links_up(show, of).iter().any(|(_, name)| *name == &*record.region);
    let facts = [
        (words.time, html! { @if is_untimed { (words.no_time) } }),
        (words.neighbourhood, area_link(show, &record.neighbourhood)),
        (words.region, html! { @if !is_said { (record.region) } }),
        (
            words.price,
            html! {
                @let price = price(words, record);
                @if !price.is_empty() { span lang=[layout.foreign().filter(|_| !record.price.is_empty())] { (price) } }
            },
        ),
    ];
    let mut facts = facts.into_iter().filter(|(_, text)| !text.0.is_empty()).peekable();
    let instagram = &record.instagram;
    if facts.peek().is_none() && instagram.is_empty() {
        return Markup::default();
    }
    html! {
        dl.facts {
            @for (term, text) in facts { div { dt { (term) } dd { (text) } } }
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

/// The pages above that of a record: the guide, and the areas it is in.
pub(crate) fn links_up<'g>(show: Show<'g>, of: RecordRef) -> Vec<(String, &'g str)> {
    let Show { layout, data, guide, .. } = show;
    let vocabulary = guide.vocabulary();
    // areas around the one that the site shows have no pages
    let areas = vocabulary.area_and_above(of.area(guide)).filter_map(|area| {
        let listing = data.directory.of((Some(area), None))?;
        Some((layout.path(&listing.path), vocabulary.area(area).name.as_str()))
    });
    let guide = (layout.home().to_owned(), layout.texts.layout.guide);
    let mut links: Vec<_> = areas.chain([guide]).collect();
    links.reverse();
    links
}

/// Ways from a record to the pages of its category and its area.
pub(crate) fn related(show: Show<'_>, of: RecordRef) -> Markup {
    let Show { layout, data, guide, .. } = show;
    let (vocabulary, words) = (guide.vocabulary(), layout.texts);
    let (area, category) = (of.area(guide), of.collection(guide).category(of.rank));
    let directory = &data.directory;
    let name = |topic: Topic| {
        let area = topic.0.map(|area| vocabulary.area(area).name.as_str());
        let category = topic.1.map(|id| category_name(vocabulary, layout.language, id));
        match (area, category) {
            (None, Some(category)) => (words.record.category_in_free_area)(category),
            (area, category) => [category, area].into_iter().flatten().collect::<Vec<_>>().join(", "),
        }
    };
    let listings = [
        directory.of((Some(area), Some(category))),
        directory.of((None, Some(category))),
        directory.of_area(vocabulary, area),
    ];
    let links: Vec<(String, String)> = listings
        .into_iter()
        .flatten()
        .map(|listing| (layout.path(&listing.path), name(listing.topic)))
        .collect();
    let links = links.iter().map(|(path, name)| (path.clone(), name.as_str(), String::new()));
    section("near", words.record.nearby, "", chips(links))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_the_name_begins_with_is_not_said_again() {
        for (name, kind, said) in [
            ("Samba do Feitiço das Artes", "Samba", ""),
            ("CAFÉ e livros", "Café", ""),
            ("Feira", "feira", ""),
            ("Sambão no Eixo", "Samba", "Samba"),
            ("Choro no Eixo", "Samba", "Samba"),
            ("Choro no Eixo", "", ""),
        ] {
            assert_eq!(unsaid(name, kind), said, "{name}");
        }
    }
}
