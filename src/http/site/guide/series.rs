//! The page of a series: how often it takes place, and its next dates.

use chrono::{Days, NaiveDate};
use maud::{Markup, html};
use snapshots::recur::WINDOW_DAYS;

use super::map_page;
use super::record::{
    all_fields, category_link, changed, dates_of, facts, joined, lead, links_up, paid, recurrence, related,
    status_of, trail, unsaid, with_time,
};
use crate::domain::text::capitalized;
use crate::http::calendar::CITY;
use crate::http::distinct::sentence;
use crate::http::site::cards::Card;
use crate::http::site::data::record_view::{Record, RecordRef};
use crate::http::site::data::upcoming::{Series, gives};
use crate::http::site::layout::components::{Show, breadcrumbs};
use crate::http::site::layout::tags::hash;
use crate::http::site::layout::{Extra, Layout, Meta, strip};
use crate::http::site::share::schema_org;
use crate::http::site::share::take_along;
use crate::http::site::texts;
use crate::serving::SeriesRule;

/// How many dates the page has.
const MOST_DATES: usize = 12;

/// How many of them it shows at once.
const NEXT_DATES: usize = 4;

/// When Brasília was founded: no event is older.
const FOUNDED: (i32, u32, u32) = (1960, 4, 21);

/// A date in the address of a series on which the guide has no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MissingDate {
    date: NaiveDate,
    is_over: bool,
}

impl MissingDate {
    /// What is known of a date of a series on which the guide has no event; none if it can be no date of the series.
    pub(crate) fn of(date: NaiveDate, rule: Option<&SeriesRule>, today: NaiveDate) -> Option<MissingDate> {
        let (year, month, day) = FOUNDED;
        let last = today.checked_add_days(Days::new(WINDOW_DAYS - 1))?;
        if date < NaiveDate::from_ymd_opt(year, month, day)? || date > last {
            return None;
        }
        if rule.is_some_and(|rule| !gives(rule, date)) {
            return None;
        }
        Some(MissingDate { date, is_over: date < today })
    }

    /// The date and what is said of it. That it has passed is true whether or not the series took place on it.
    fn told(&self, words: &texts::Series) -> (NaiveDate, &'static str) {
        (self.date, if self.is_over { words.date_is_over } else { words.not_on_that_day })
    }
}

/// The page of a series. `missing` is a date in the address on which the guide has no event.
pub(crate) fn page(show: Show<'_>, series: &Series, missing: Option<MissingDate>) -> String {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.series;
    let Some((first, _)) = show.dates_left(series).first().copied() else { return String::new() };
    let (of, record) = (RecordRef::event(first), show.event(first));
    let when = recurrence(layout, series, data.day).map(|often| with_time(layout, &often, &record));
    let told = missing.map(|missing| missing.told(words));
    let own = own_path(series);
    let picture = card(show, series);
    let description = description_of(show, series, &record, when.as_deref());
    let main = html! {
        (strip(hash(&record.id).to_le_bytes()[0]))
        div.wide {
            (breadcrumbs(layout, links_up(show, of)))
            article.record {
                div {
                    (category_link(show, of, data.category(layout.language, &record.category)))
                    h1 lang=[layout.foreign()] { (record.name) }
                    @if record.uau { p { span.uau { "UAU" } " " (layout.texts.record.seal) } }
                    // all dates of a series have one status
                    @if let Some(status) = record.status { p.no { (layout.texts.record.status(status).1) } }
                    @match &when {
                        Some(when) => (lead(layout, when, &record)),
                        None => (lead(layout, &with_time(layout, &days(show, series, &record, None), &record), &record)),
                    }
                    @if let Some(told) = told { (next_instead(show, series, told)) }
                    (take_along::ways(show, of.records, &record, &own, &description))
                    (next_dates(show, series))
                    @if missing.is_some() { p { a href=(layout.path(&own)) { (words.all_dates) } } }
                }
                div.record-side {
                    (facts(show, of, &record))
                    (map_page::on_record(show, guide.events.area(first)))
                }
                div.record-foot {
                    (layout.credit(data.positions.as_ref()))
                    (changed(layout, &own))
                }
            }
            (take_along::around(show, of, &record))
            (paid(layout, &all_fields(&guide.events.rendered, first)))
            (related(show, of))
        }
        (linked_data(show, series, (first, &record), &description, picture.as_ref()))
    };
    let title = title_of(show, series, &record.name, told, when.as_deref());
    let path = missing.map_or_else(|| own.clone(), |missing| format!("{own}-{}", missing.date));
    let meta =
        Meta { title: &title, description: &description, path: &path, query: "", listed: missing.is_none() };
    let extra = Extra { calendar: Some(&own), has_more: true, card: picture.as_ref(), ..Extra::default() };
    layout.page_with(&meta, &extra, main)
}

/// The path of its page in Portuguese.
fn own_path(series: &Series) -> String {
    format!("/event/{}", series.id)
}

/// The title: a date that is told of, else how often the series takes place, else its only date.
fn title_of(
    show: Show<'_>,
    series: &Series,
    name: &str,
    told: Option<(NaiveDate, &str)>,
    when: Option<&str>,
) -> String {
    let Show { layout, data, .. } = show;
    let calendar = &layout.texts.calendar;
    match (told, when, series.dates.as_slice()) {
        (Some((date, _)), _, _) => format!("{name}, {}", calendar.date(date, data.day)),
        (None, Some(when), _) => format!("{name}: {when}"),
        (None, None, [(_, only)]) => format!("{name}, {}", calendar.date(*only, data.day)),
        (None, None, _) => name.to_owned(),
    }
}

fn description_of(show: Show<'_>, series: &Series, record: &Record<'_>, when: Option<&str>) -> String {
    let Show { layout, data, .. } = show;
    let (name, category) = (&*record.name, data.category(layout.language, &record.category));
    let hours = if when.is_some() { String::new() } else { record.hours(layout.texts.calendar.time) };
    let (status, said) = (status_of(layout, record), days(show, series, record, when));
    let said = if status.is_empty() { capitalized(&said) } else { said };
    sentence(
        &[unsaid(name, category), name],
        ". ",
        &[status, &said, &hours, &record.venue, record.area(), CITY],
    )
}

/// What is said of a date without an event, and the next one that has one.
fn next_instead(show: Show<'_>, series: &Series, (date, said): (NaiveDate, &str)) -> Markup {
    let Show { layout, data, .. } = show;
    let calendar = &layout.texts.calendar;
    html! {
        div.no {
            p { (calendar.dated(date, data.day)) ": " (said) }
            @if let Some((_, next)) = show.dates_left(series).first() {
                p {
                    (layout.texts.series.next) " "
                    (link(layout, &own_path(series), *next, &calendar.dated(*next, data.day)))
                }
            }
        }
    }
}

/// The series with its next dates, and the pages above its own, as blocks of JSON-LD.
fn linked_data(
    show: Show<'_>,
    series: &Series,
    (first, record): (u32, &Record<'_>),
    description: &str,
    picture: Option<&Card>,
) -> Markup {
    let Show { layout, data, .. } = show;
    let own = own_path(series);
    let image = picture.map(|card| format!("{}{}", layout.base, card.address(layout.language)));
    let about = schema_org::About {
        url: layout.address(&own),
        category: data.category(layout.language, &record.category),
        place_url: layout.address(&format!("/place/{}", record.place)),
        image: image.unwrap_or_default(),
        description,
    };
    let dates = series.dates.iter().take(MOST_DATES);
    let dates = dates.map(|(rank, date)| (show.event(*rank), layout.address(&format!("{own}-{date}"))));
    html! {
        (schema_org::series(record, &about, dates))
        (schema_org::trail(&trail(layout, links_up(show, RecordRef::event(first)), (&own, &record.name))))
    }
}

/// The card of a series: how often it takes place, because it is shared for longer than one date; the next date if that
/// has no recurrence.
pub(crate) fn card(show: Show<'_>, series: &Series) -> Option<Card> {
    let Show { layout, data, .. } = show;
    let (first, next) = *series.dates.first()?;
    let record = show.event(first);
    let when = recurrence(layout, series, data.day).map_or_else(
        || layout.texts.calendar.dated(next, data.day),
        |often| with_time(layout, &often, &record),
    );
    Some(Card {
        kind: joined(&[data.category(layout.language, &record.category), status_of(layout, &record)]),
        title: record.name.to_string(),
        lines: vec![capitalized(&when), joined(&[&record.venue, record.area()])],
        is_uau: record.uau,
        ..Card::of_page(&own_path(series), &layout.service_name)
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
            let further = show.dates_left(series).iter().skip(1).take(MOST - 1);
            let further = further.map(|(_, date)| layout.texts.calendar.dated(*date, data.day));
            std::iter::once(next).chain(further).collect::<Vec<_>>().join("; ")
        }
    }
}

/// Links to the next dates, the later ones folded.
fn next_dates(show: Show<'_>, series: &Series) -> Markup {
    let Show { layout, data, .. } = show;
    let (words, own) = (&layout.texts.series, own_path(series));
    let dates = show.dates_left(series);
    let dates = &dates[..dates.len().min(MOST_DATES)];
    let (next, later) = dates.split_at(dates.len().min(NEXT_DATES));
    let links = |dates: &[(u32, NaiveDate)]| {
        html! {
            ul.chips {
                @for (_, date) in dates {
                    li { (link(layout, &own, *date, &layout.texts.calendar.brief(*date, data.day))) }
                }
            }
        }
    };
    html! {
        h2.dates-title { (words.next_dates) }
        (links(next))
        @if !later.is_empty() { details { summary { (words.later_dates) } (links(later)) } }
    }
}

fn link(layout: &Layout, own: &str, date: NaiveDate, text: &str) -> Markup {
    html! { a href=(layout.path(&format!("{own}-{date}"))) { (text) } }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use snapshots::recur::Repeat;

    use super::*;

    #[test]
    fn a_date_without_an_event_has_passed_or_is_not_on() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let repeat = Repeat {
            rule: Some("FREQ=WEEKLY;BYDAY=SU".to_owned()),
            until: None,
            except: vec![day("2026-11-22"), day("2026-12-13")],
            dates: vec![day("2026-12-25")],
        };
        let rule = SeriesRule { repeat, first: None };
        let today = day("2026-11-25");
        let is_over =
            |date: &str| MissingDate::of(day(date), Some(&rule), today).map(|missing| missing.is_over);
        for (date, expected) in [
            ("2026-11-15", Some(true)),
            // left out by the curator, who may have done so when it had passed
            ("2026-11-22", Some(true)),
            ("2025-11-23", Some(true)),
            ("2026-12-13", Some(false)),
            // hidden by the operator
            ("2026-11-29", Some(false)),
            ("2026-12-25", Some(false)),
            // a Saturday, before the city, and after all that the guide knows
            ("2025-11-22", None),
            ("0001-01-07", None),
            ("0001-01-01", None),
            ("2028-01-02", None),
            ("9999-12-31", None),
        ] {
            assert_eq!(is_over(date), expected, "{date}");
        }
        let missing = MissingDate::of(day("2026-11-22"), None, today);
        assert_eq!(missing.map(|missing| missing.is_over), Some(true), "without a rule");
    }
}
