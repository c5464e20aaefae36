//! The page of a month: its days as a calendar, its events, and ways to other months.

use std::cmp::Ordering;

use chrono::{Datelike, NaiveDate};
use maud::{Markup, html};

use crate::dispatch::SITE_RESULTS;
use crate::http::site::data::period::{Period, day_path, month_path};
use crate::http::site::data::upcoming::Upcoming;
use crate::http::site::layout::components::{Show, chips, counted, events as event_list, section};
use crate::http::site::layout::i18n::abbreviated;

/// How many months are linked at once; the others are folded.
const NEXT_MONTHS: usize = 3;

/// The title of a month, with links to the ones before and after it that have events.
pub(crate) fn month_head(show: Show<'_>, first: NaiveDate, title: &str) -> Markup {
    let months = show.data.upcoming.months();
    let before = months.iter().rev().find(|month| **month < first);
    let after = months.iter().find(|month| **month > first);
    html! {
        div.month-head {
            h1.list-title { (title) }
            ul.chips {
                @if let Some(before) = before {
                    li { a rel="prev" href=(show.layout.path(&month_path(*before))) { "← " (name(show, *before)) } }
                }
                @if let Some(after) = after {
                    li { a rel="next" href=(show.layout.path(&month_path(*after))) { (name(show, *after)) " →" } }
                }
            }
        }
    }
}

/// A month as a calendar and a list of its events, each series once.
pub(crate) fn month(show: Show<'_>, first: NaiveDate, number: usize) -> (Markup, usize, bool) {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.agenda;
    let window = Period::Month(first).window(data.day);
    let events = match window.from <= window.to {
        true => guide.events.events_in(window, data.directory.home, None),
        false => Vec::new(),
    };
    let events = Upcoming::once(&guide.events, events);
    let pages = events.len().div_ceil(SITE_RESULTS);
    let shown: Vec<u32> =
        events.iter().skip((number - 1) * SITE_RESULTS).take(SITE_RESULTS).copied().collect();
    let content = html! {
        @if number == 1 { (month_grid(show, first)) }
        @if shown.is_empty() {
            p.note { @if window.to < data.day { (words.past) } @else { (words.nothing_in_month) } }
        } @else {
            (section("month", words.in_month, "", event_list(show, &shown, window.from)))
        }
    };
    (content, pages, !events.is_empty())
}

fn month_grid(show: Show<'_>, first: NaiveDate) -> Markup {
    let Show { layout, data, .. } = show;
    let calendar = &layout.texts.calendar;
    let days = first.iter_days().take_while(|day| day.month() == first.month());
    // weeks begin on Sunday, as in Brazilian calendars
    let [from_monday @ .., sunday] = calendar.weekdays;
    // where there is no room for a column each, the days are a list
    let weekday = |day| html! { span.unseen { (abbreviated(calendar.weekday(day))) } };
    html! {
        div.calendar {
            div.month aria-hidden="true" {
                @for weekday in std::iter::once(sunday).chain(from_monday) { span { (abbreviated(weekday)) } }
            }
            ol.month {
                @for day in days {
                    @let count = data.upcoming.count(day);
                    @let begins = (day == first).then(|| format!("from-{}", day.weekday().number_from_sunday()));
                    @let state = match day.cmp(&data.day) {
                        Ordering::Less => Some("past".to_owned()),
                        Ordering::Equal => Some("today".to_owned()),
                        Ordering::Greater => None,
                    };
                    @let classes: Vec<String> = [begins, state].into_iter().flatten().collect();
                    @let current = (day == data.day).then_some("date");
                    li class=[Some(classes.join(" ")).filter(|classes| !classes.is_empty())] {
                        @if count > 0 {
                            a href=(layout.path(&day_path(day, data.day))) aria-current=[current] {
                                (weekday(day)) " " b { (day.day()) } " " (counted(layout, count))
                            }
                        } @else {
                            span aria-current=[current] { (weekday(day)) " " (day.day()) }
                        }
                    }
                }
            }
        }
    }
}

/// Links to the months that have events, the later ones folded.
pub(crate) fn months(show: Show<'_>, period: Period) -> Markup {
    let Show { layout, data, .. } = show;
    let words = &layout.texts.agenda;
    let months = data.upcoming.months();
    let months = months.iter().filter(|month| period != Period::Month(**month));
    let months: Vec<(String, String)> =
        months.map(|month| (layout.path(&month_path(*month)), name(show, *month))).collect();
    let (next, later) = months.split_at(months.len().min(NEXT_MONTHS));
    let links = |months: &[(String, String)]| {
        chips(months.iter().map(|(path, name)| (path.clone(), name.as_str(), String::new())))
    };
    section(
        "months",
        words.months,
        "",
        html! {
            (links(next))
            @if !later.is_empty() { details { summary { (words.later_months) } (links(later)) } }
        },
    )
}

/// "dezembro", with its year unless it is this one.
fn name(Show { layout, data, .. }: Show<'_>, month: NaiveDate) -> String {
    let name = layout.texts.calendar.month(month);
    if month.year() == data.day.year() { name.to_owned() } else { format!("{name} {}", month.year()) }
}
