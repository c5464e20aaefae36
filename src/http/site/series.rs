//! The page of a series: how often it takes place, and its next dates.

use chrono::NaiveDate;
use maud::{Markup, html};

use super::cards::Card;
use super::components::{Show, breadcrumbs};
use super::i18n::capitalized;
use super::layout::{Extra, Layout, Meta, strip};
use super::map_page;
use super::record::{dates_of, facts, joined, links_up, related, series_pattern, with_time};
use super::record_view::Record;
use super::schema_org;
use super::tags::hash;
use super::take_along;
use super::upcoming::Series;
use crate::http::calendar::CITY;
use crate::http::distinct::sentence;

/// How many dates the page shows.
const MOST_DATES: usize = 12;

/// The page of a series. On the page of a date that it does not have, or has no more, `asked` is that date.
pub(super) fn page(show: Show<'_>, series: &Series, asked: Option<NaiveDate>) -> String {
    let Show { layout, data, .. } = show;
    let (words, calendar) = (&layout.texts.series, &layout.texts.calendar);
    let Some((first, next)) = series.dates.first().copied() else { return String::new() };
    let record = show.event(first);
    let category = data.category(layout.language, &record.category);
    let recurrence = series_pattern(layout, series);
    let when = recurrence.as_deref().map(|recurrence| with_time(layout, recurrence, &record));
    let own = format!("/event/{}", series.id);
    let path = asked.map_or_else(|| own.clone(), |date| format!("{own}-{date}"));
    let name = &record.name;
    let hours = if when.is_some() { String::new() } else { record.hours(calendar.time) };
    let said = days(show, series, &record, when.as_deref());
    let description = sentence(&[category, name], ". ", &[&said, &hours, &record.venue, record.area(), CITY]);
    let days = days(show, series, &record, recurrence.as_deref());
    let title = match (asked, &when) {
        (Some(date), _) => format!("{name}, {}", calendar.date(date, data.day)),
        (None, Some(when)) => format!("{name}: {}", lower_first(when)),
        (None, None) => name.to_string(),
    };
    let meta =
        Meta { title: &title, description: &description, path: &path, query: "", listed: asked.is_none() };
    let dates = series
        .dates
        .iter()
        .take(MOST_DATES)
        .map(|(rank, date)| (show.event(*rank), layout.address(&format!("{own}-{date}"))));
    let main = html! {
        (strip(hash(&record.id).to_le_bytes()[0]))
        div.wide {
            (breadcrumbs(layout, links_up(show, first, true)))
            article.record {
                div {
                    p.tag { (category) }
                    h1 lang=[layout.foreign()] { (name) }
                    @if record.uau { p { span.uau { "UAU" } " " (layout.texts.record.seal) } }
                    @if let Some(when) = &when { p.lead { (when) } }
                    @if let Some(date) = asked {
                        div.no {
                            p { (calendar.dated(date, data.day)) ": "
                                @if date < data.day { (words.date_is_over) } @else { (words.not_on_that_day) } }
                            p { (words.next) " " (link(layout, &own, next, &calendar.dated(next, data.day))) }
                        }
                    }
                    (take_along::ways(show, &record, &own, &description, true))
                    (next_dates(show, series))
                    @if asked.is_some() { p { a href=(layout.path(&own)) { (words.all_dates) } } }
                }
                div.record-side {
                    (facts(layout, &record, &days))
                    (map_page::on_record(show, show.guide.events.area(first)))
                }
                div.record-foot {
                    (layout.credit(data.positions.as_ref()))
                    aside.preview aria-label=(layout.texts.layout.about_preview) {
                        p { ((layout.texts.record.event_upsell)(&layout.path("/plans"))) }
                    }
                }
            }
            (take_along::around(show, first, &record, true))
            (related(show, first, true))
        }
        (schema_org::series(&record, &layout.address(&own), category, &layout.address(&format!("/place/{}", record.place)), dates))
    };
    let card = card(show, series);
    let extra = Extra { calendar: Some(&own), has_more: true, card: card.as_ref(), ..Extra::default() };
    layout.page_with(&meta, &extra, main)
}

/// The card of a series: how often it takes place, because it is shared for longer than one date; the next date if that
/// has no recurrence.
pub(super) fn card(show: Show<'_>, series: &Series) -> Option<Card> {
    let Show { layout, data, .. } = show;
    let (first, next) = *series.dates.first()?;
    let record = show.event(first);
    let recurrence = series_pattern(layout, series);
    let when = recurrence.map_or_else(
        || capitalized(&layout.texts.calendar.dated(next, data.day)),
        |recurrence| with_time(layout, &recurrence, &record),
    );
    Some(Card {
        kind: data.category(layout.language, &record.category).to_owned(),
        title: record.name.to_string(),
        lines: vec![when, joined(&[&record.venue, record.area()])],
        is_uau: record.uau,
        ..Card::of_page(&format!("/event/{}", series.id), &layout.service_name)
    })
}

/// When a series takes place: how often and the next time, else its next days.
fn days(show: Show<'_>, series: &Series, record: &Record<'_>, when: Option<&str>) -> String {
    /// How many days are named.
    const MOST: usize = 3;
    let Show { layout, data, .. } = show;
    let next = dates_of(layout, data, record).unwrap_or_default();
    match when {
        Some(when) => format!("{when} ({} {next})", lower_first(layout.texts.series.next)),
        None => {
            let further = series.dates.iter().skip(1).take(MOST - 1);
            let further = further.map(|(_, date)| layout.texts.calendar.dated(*date, data.day));
            std::iter::once(next).chain(further).collect::<Vec<_>>().join("; ")
        }
    }
}

fn next_dates(Show { layout, data, .. }: Show<'_>, series: &Series) -> Markup {
    let calendar = &layout.texts.calendar;
    let own = format!("/event/{}", series.id);
    html! {
        h2.dates-title { (layout.texts.series.next_dates) }
        ul.chips {
            @for (_, date) in series.dates.iter().take(MOST_DATES) {
                li { (link(layout, &own, *date, &calendar.dated(*date, data.day))) }
            }
        }
    }
}

fn link(layout: &Layout, own: &str, date: NaiveDate, text: &str) -> Markup {
    html! { a href=(layout.path(&format!("{own}-{date}"))) { (text) } }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
