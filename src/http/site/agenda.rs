//! What is on by day: today, tomorrow, the weekend, any day, and a month.

use chrono::{Datelike, Days, Months, NaiveDate};
use index::Window;
use maud::{Markup, html};

use super::cards::{Card, DateTile};
use super::components::{
    Heading, Show, breadcrumbs, chips, events as event_list, events_of_day, events_of_part, more, pager,
    places as place_list, section,
};
use super::hours::{EVENING, is_evening, sort_by_hour};
use super::i18n::{abbreviated, capitalized};
use super::layout::{Extra, Layout, Meta};
use super::page_data::PageData;
use super::record_view::Record;
use super::search_query::weekend;
use super::take_along;
use super::upcoming::{STRIP_DAYS, Upcoming};
use crate::dispatch::SITE_RESULTS;
use crate::domain::clock::iso_day;

/// The minute of the day at which the afternoon begins.
const NOON: u16 = 12 * 60;

/// The place of the evening among the parts of a day.
const NIGHT: usize = 2;

/// The place of what has no time among them.
const UNTIMED: usize = 3;

/// What began more than this many minutes ago is folded, where the guide does not know when it ends.
const BEGUN_AFTER_MINUTES: u16 = 180;

/// How many events a page of days lists.
const DAY_RESULTS: usize = 2 * SITE_RESULTS;

/// Which days a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Period {
    Today,
    Tomorrow,
    Weekend,
    Day(NaiveDate),
    /// By its first day.
    Month(NaiveDate),
}

impl Period {
    /// The day of a path, as `YYYY-MM-DD`.
    pub(super) fn day(text: &str) -> Option<Period> {
        iso_day(text).map(Period::Day)
    }

    /// The month of a path, as `YYYY-MM`.
    pub(super) fn month(text: &str) -> Option<Period> {
        iso_day(&format!("{text}-01")).map(Period::Month)
    }

    fn path(self) -> String {
        match self {
            Period::Today => "/hoje".to_owned(),
            Period::Tomorrow => "/amanha".to_owned(),
            Period::Weekend => "/fim-de-semana".to_owned(),
            Period::Day(day) => format!("/dia/{day}"),
            Period::Month(first) => month_path(first),
        }
    }

    fn window(self, today: NaiveDate) -> Window {
        match self {
            Period::Today => Window::day(today),
            Period::Tomorrow => Window::day(today + Days::new(1)),
            Period::Weekend => weekend(today),
            Period::Day(day) => Window::day(day),
            Period::Month(first) => {
                let next = first.checked_add_months(Months::new(1));
                let last = next.and_then(|next| next.pred_opt()).unwrap_or(first);
                Window { from: first.max(today), to: last }
            }
        }
    }

    fn title(self, layout: &Layout, today: NaiveDate) -> String {
        let (words, calendar) = (&layout.texts.agenda, &layout.texts.calendar);
        match self {
            Period::Today => words.today.to_owned(),
            Period::Tomorrow => words.tomorrow.to_owned(),
            Period::Weekend => words.weekend.to_owned(),
            Period::Day(day) => capitalized(&calendar.dated(day, today)),
            Period::Month(first) => (words.month)(calendar.month(first), first.year()),
        }
    }
}

/// The path of the month of a day.
pub(super) fn month_path(day: NaiveDate) -> String {
    format!("/agenda/{}", day.format("%Y-%m"))
}

/// The path of a day, which for today and tomorrow is that of their own pages.
pub(super) fn day_path(day: NaiveDate, today: NaiveDate) -> String {
    match (day - today).num_days() {
        0 => Period::Today.path(),
        1 => Period::Tomorrow.path(),
        _ => Period::Day(day).path(),
    }
}

/// An event on one of its days.
#[derive(Clone, Copy)]
struct Entry {
    rank: u32,
    day: NaiveDate,
    /// Whether an earlier day of the page lists it, or its series.
    again: bool,
}

/// The page of a period at a minute of the day, and of its pages the one with this number; none if there is no such
/// page.
pub(super) fn page(show: Show<'_>, period: Period, now: u16, number: usize) -> Option<String> {
    let Show { layout, data, .. } = show;
    let title = period.title(layout, data.day);
    let window = window_at(show, period, now);
    let (content, pages, is_listed) = match period {
        Period::Month(first) => month(show, first, number),
        _ => days(show, (period, window), now, number),
    };
    if number > pages.max(1) {
        return None;
    }
    let query = if number > 1 { format!("?page={number}") } else { String::new() };
    let title = if number > 1 { (layout.texts.listing.page)(&title, number) } else { title };
    let path = period.path();
    let meta = Meta {
        title: &title,
        description: &(layout.texts.agenda.description)(&title),
        path: &path,
        query: &query,
        listed: is_listed,
    };
    let current = match period {
        Period::Month(_) | Period::Weekend => None,
        _ => Some(period.window(data.day).from),
    };
    let words = &layout.texts.search;
    let ways = [("/hoje", words.today), ("/amanha", words.tomorrow), ("/fim-de-semana", words.weekend)];
    let ways = html! {
        ul.chips {
            @for (to, text) in ways {
                li { a href=(layout.path(to)) aria-current=[(to == path).then_some("page")] { (text) } }
            }
        }
    };
    let main = html! {
        div.wide {
            (breadcrumbs(layout, [(layout.home(), layout.texts.layout.guide)]))
            h1.list-title { (title) }
            (ways)
            (day_strip(layout, data, current))
            @if window != period.window(data.day) { p.note { (layout.texts.agenda.weekend_is_over) } }
            (content)
            (pager(layout, &path, number, pages))
            @if let Some(day) = current { (neighbours(layout, data, day)) }
            (take_along::follow(layout, "/agenda", None))
            @if data.map.is_some() { (more(&layout.path("/mapa"), layout.texts.take.map)) }
            @if period == Period::Weekend { (more(&layout.path("/sexta"), layout.texts.letter.description)) }
            (months(show, period))
            (layout.credit(data.positions.as_ref()))
            (layout.preview())
        }
    };
    let (card, own) = (card(show, period), Some("/agenda"));
    let extra = Extra { calendar: own, feed: own, card: card.as_ref(), ..Extra::default() };
    Some(layout.page_with(&meta, &extra, main))
}

/// The days that the page of a period shows at a minute of the day: on a Sunday evening after which nothing is left of
/// the weekend, the next one.
fn window_at(Show { data, guide, .. }: Show<'_>, period: Period, now: u16) -> Window {
    let window = period.window(data.day);
    if period != Period::Weekend || window != Window::day(data.day) || now < EVENING {
        return window;
    }
    let is_left = |rank: u32| {
        let spans = Record::new(&guide.events.rendered, rank).spans();
        // what has no time is hardly still to come, nor is a run of days open that began in the morning
        !spans.is_empty() && !is_folded(&spans, now, true)
    };
    let is_any_left = guide.events.events_in(window, data.directory.home, None).into_iter().any(is_left);
    if is_any_left { window } else { weekend(data.day + Days::new(1)) }
}

/// The card of a period; none if there is nothing on in it.
pub(super) fn card(show: Show<'_>, period: Period) -> Option<Card> {
    let Show { layout, data, .. } = show;
    let (words, calendar) = (&layout.texts.agenda, &layout.texts.calendar);
    let window = period.window(data.day);
    let has_any = match period {
        Period::Today | Period::Tomorrow | Period::Weekend => true,
        Period::Day(day) => day >= data.day && data.upcoming.count(day) > 0,
        Period::Month(first) => data.upcoming.months().contains(&first),
    };
    let days = match period {
        Period::Weekend if window.from != window.to => {
            let [first, last] = [window.from, window.to].map(|day| calendar.weekday(day));
            capitalized(&format!("{first}{}{last}", calendar.and))
        }
        Period::Today | Period::Tomorrow | Period::Weekend => {
            capitalized(&calendar.dated(window.from, data.day))
        }
        Period::Day(day) => (words.events)(data.upcoming.count(day)),
        Period::Month(_) => String::new(),
    };
    let date = match period {
        Period::Month(_) => None,
        Period::Weekend if window.from != window.to => Some(DateTile {
            weekday: [window.from, window.to]
                .map(|day| abbreviated(calendar.weekday(day)))
                .join(calendar.and),
            day: format!("{}–{}", window.from.day(), window.to.day()),
            month: calendar.month(window.to).to_owned(),
        }),
        _ => Some(DateTile::of(&layout.texts.calendar, window.from)),
    };
    has_any.then(|| Card {
        kind: layout.texts.layout.agenda.to_owned(),
        title: period.title(layout, data.day),
        lines: vec![days, layout.texts.layout.card.to_owned()],
        date,
        ..Card::of_page(&period.path(), &layout.service_name)
    })
}

/// Links to the days to come, each with its number of events.
pub(super) fn day_strip(layout: &Layout, data: &PageData, current: Option<NaiveDate>) -> Markup {
    let (words, calendar) = (&layout.texts.agenda, &layout.texts.calendar);
    // around a day that is not of the next ones, and no further than the guide knows: the days would go on forever
    let last_first = data.upcoming.last_day() - Days::new(STRIP_DAYS - 1);
    let first = current.and_then(|day| day.checked_sub_days(Days::new(STRIP_DAYS / 2)));
    let first = first.map_or(data.day, |first| first.min(last_first).max(data.day));
    let days = first.iter_days().zip(0..STRIP_DAYS).map(|(day, _)| day);
    html! {
        nav.days aria-label=(words.days) {
            ol {
                @for day in days {
                    @let count = data.upcoming.count(day);
                    li {
                        a href=(layout.path(&day_path(day, data.day)))
                            aria-current=[(current == Some(day)).then_some("date")] {
                            span { (abbreviated(calendar.weekday(day))) } " "
                            b { (day.day()) } " "
                            (counted(layout, count))
                        }
                    }
                }
            }
        }
    }
}

/// Links to the nearest days with events before and after one, of those to come.
fn neighbours(layout: &Layout, data: &PageData, day: NaiveDate) -> Markup {
    let calendar = &layout.texts.calendar;
    let before = data.upcoming.day_before(day).map(|before| (before, "prev"));
    let after = data.upcoming.next_day(day).map(|after| (after, "next"));
    html! {
        div.pager {
            ul.chips {
                @for (near, rel) in [before, after].into_iter().flatten() {
                    li {
                        a rel=(rel) href=(layout.path(&day_path(near, data.day))) {
                            @if rel == "prev" { "← " } (calendar.dated(near, data.day)) @if rel == "next" { " →" }
                        }
                    }
                }
            }
        }
    }
}

/// A number of events, read out as such.
fn counted(layout: &Layout, count: u32) -> Markup {
    html! {
        small aria-hidden="true" { (count) }
        span.unseen { ((layout.texts.agenda.events)(count)) }
    }
}

/// The events by day, how many pages they take, and whether search engines may list them.
fn days(
    show: Show<'_>,
    (period, window): (Period, Window),
    now: u16,
    number: usize,
) -> (Markup, usize, bool) {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.agenda;
    let mut entries: Vec<Entry> = Vec::new();
    for day in window.from.iter_days().take_while(|day| *day <= window.to) {
        let mut on_day = guide.events.events_in(Window::day(day), data.directory.home, None);
        sort_by_hour(show, &mut on_day, period == Period::Today);
        let on_day = on_day.into_iter().map(|rank| {
            let is_same = |other: &Entry| other.rank == rank || guide.events.is_same_series(other.rank, rank);
            Entry { rank, day, again: window.from != day && entries.iter().any(is_same) }
        });
        let on_day: Vec<Entry> = on_day.collect();
        entries.extend(on_day);
    }
    if period == Period::Today {
        // the evening ends the list: places to go out to follow it
        entries.sort_by_key(|entry| is_evening(guide, entry.rank));
    }
    let pages = entries.len().div_ceil(DAY_RESULTS);
    let shown = entries.iter().skip((number - 1) * DAY_RESULTS).take(DAY_RESULTS);
    let shown: Vec<Entry> = shown.copied().collect();
    let is_listed = match period {
        Period::Day(day) => day >= data.day && !entries.is_empty(),
        _ => true,
    };
    let all = window.from.iter_days().take_while(|day| *day <= window.to);
    let has_any = |day: &NaiveDate| shown.iter().any(|entry| entry.day == *day);
    let content = html! {
        @for day in all.filter(|day| number == 1 || has_any(day)) {
            @let count = if day < data.day { String::new() } else { (words.events)(data.upcoming.count(day)) };
            (section(&format!("d{day}"), &capitalized(&layout.texts.calendar.dated(day, data.day)), &count, html! {
                @if !entries.iter().any(|entry| entry.day == day) {
                    p.note { @if day < data.day { (words.past) } @else { (words.nothing) } }
                    @if let Some(next) = data.upcoming.next_day(window.to).filter(|_| day == window.to) {
                        p.note { (words.next_day) }
                        (more(&layout.path(&day_path(next, data.day)), &layout.texts.calendar.dated(next, data.day)))
                    }
                }
                (parts(show, day, &shown, if day == data.day { now } else { 0 }, (period, number >= pages)))
            }))
        }
        @if period != Period::Today && window.to >= data.day && number >= pages { (night(show)) }
    };
    (content, pages, is_listed)
}

/// The events of a day by its parts, on a page of the period, which may be its last one.
fn parts(
    show: Show<'_>,
    day: NaiveDate,
    shown: &[Entry],
    now: u16,
    (period, is_last): (Period, bool),
) -> Markup {
    let Show { layout, guide, .. } = show;
    let words = &layout.texts.agenda;
    let show = Show { now, ..show };
    let list = Show { under: Heading::H3, ..show };
    let of_day = || shown.iter().filter(|entry| entry.day == day);
    let minute = |rank: u32| guide.events.minute(rank);
    let is_begun = |rank: &u32| {
        // a run of days has not begun today
        let is_new = guide.events.first_day(*rank) == Some(day);
        is_folded(&Record::new(&guide.events.rendered, *rank).spans(), now, is_new)
    };
    // on other days than today nothing has begun
    let begun = of_day().map(|entry| entry.rank).filter(|_| now > 0).filter(is_begun);
    let begun: Vec<u32> = begun.collect();
    let again: Vec<u32> = of_day().filter(|entry| entry.again).map(|entry| entry.rank).collect();
    let is_today = period == Period::Today;
    let part = |rank: u32| match minute(rank) {
        // it is listed once, whatever sessions it has before
        Some(_) if is_today && is_evening(guide, rank) => NIGHT,
        Some(..NOON) => 0,
        Some(NOON..EVENING) => 1,
        Some(EVENING..) => NIGHT,
        None => UNTIMED,
    };
    let order = if is_today { [0, 1, UNTIMED, NIGHT] } else { [0, 1, NIGHT, UNTIMED] };
    let fresh = |rank: &u32| !begun.contains(rank) && !again.contains(rank);
    html! {
        @if !begun.is_empty() {
            details.begun {
                summary { ((words.begun)(begun.len())) }
                // a summary is no heading
                (events_of_day(show, &begun))
            }
        }
        @for (at, name) in order.map(|at| (at, words.parts[at])) {
            @let ranks: Vec<u32> = of_day().map(|entry| entry.rank).filter(fresh).filter(|rank| part(*rank) == at).collect();
            @if at == NIGHT && is_today {
                // the evening ends the list, so a page before the last says nothing of an empty one
                @if is_last || !ranks.is_empty() {
                    h3 #noite .part-of-day { (words.tonight) }
                    (this_evening(list, &ranks))
                }
            } @else if !ranks.is_empty() {
                h3.part-of-day { (name) }
                (events_of_day(list, &ranks))
            }
        }
        @if !again.is_empty() {
            p.note {
                (words.also)
                @for (at, rank) in again.iter().enumerate() {
                    @let record = Record::new(&guide.events.rendered, *rank);
                    @if at > 0 { " ·" }
                    " " a href={ (layout.prefix()) "/event/" (record.id) } { (record.name) }
                }
            }
        }
    }
}

/// Whether all sessions of an event of today are folded: those that have ended and, where that is not known and the
/// event `is_new` today, those that began long ago.
fn is_folded(spans: &[(u16, Option<u16>)], now: u16, is_new: bool) -> bool {
    let is_past = |(start, end): &(u16, Option<u16>)| match end {
        Some(end) => *end <= now,
        None => is_new && *start < now.saturating_sub(BEGUN_AFTER_MINUTES),
    };
    !spans.is_empty() && spans.iter().all(is_past)
}

/// Places to go out to, after the events of a day. They are open on many evenings, and the guide does not know on
/// which.
pub(super) fn night(show: Show<'_>) -> Markup {
    let Show { layout, data, .. } = show;
    if data.night.is_empty() {
        return Markup::default();
    }
    section("noite", layout.texts.agenda.night, "", night_places(show))
}

fn night_places(show: Show<'_>) -> Markup {
    html! {
        p.note { (show.layout.texts.search.places_have_no_days) }
        (place_list(show, &show.data.night))
    }
}

/// The events of this evening, then places to go out to.
pub(super) fn this_evening(show: Show<'_>, ranks: &[u32]) -> Markup {
    let words = &show.layout.texts.agenda;
    html! {
        @if ranks.is_empty() { p.note { (words.nothing_tonight) } } @else { (events_of_part(show, ranks, EVENING)) }
        @if !show.data.night.is_empty() {
            @if !ranks.is_empty() { p.note { (words.night_places) } }
            (night_places(show))
        }
    }
}

/// A month as a calendar and a list of its events, each series once.
fn month(show: Show<'_>, first: NaiveDate, number: usize) -> (Markup, usize, bool) {
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
    // where there is no room for a column each, the days are a list
    let weekday = |day| html! { span.unseen { (abbreviated(calendar.weekday(day))) } };
    html! {
        div.calendar {
            div.month aria-hidden="true" {
                @for weekday in calendar.weekdays { span { (abbreviated(weekday)) } }
            }
            ol.month {
                @for day in days {
                    @let count = data.upcoming.count(day);
                    li class=[(day == first).then(|| format!("from-{}", day.weekday() as usize + 1))] {
                        @if count > 0 {
                            a href=(layout.path(&day_path(day, data.day))) {
                                (weekday(day)) " " b { (day.day()) } " " (counted(layout, count))
                            }
                        } @else {
                            span { (weekday(day)) " " (day.day()) }
                        }
                    }
                }
            }
        }
    }
}

/// Links to the months that have events.
fn months(Show { layout, data, .. }: Show<'_>, period: Period) -> Markup {
    let calendar = &layout.texts.calendar;
    let months = data.upcoming.months();
    let months = months.iter().filter(|month| period != Period::Month(**month));
    let name = |month: &NaiveDate| {
        let name = calendar.month(*month);
        if month.year() == data.day.year() { name.to_owned() } else { format!("{name} {}", month.year()) }
    };
    let months: Vec<(String, String)> =
        months.map(|month| (layout.path(&month_path(*month)), name(month))).collect();
    let links = months.iter().map(|(path, name)| (path.clone(), name.as_str(), String::new()));
    section("months", layout.texts.agenda.months, "", chips(links))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_is_folded_and_what_is_still_on_is_not() {
        const MIDNIGHT: u16 = 24 * 60;
        for (spans, now, is_new, expected) in [
            // a fair from morning to evening
            (&[(9 * 60, Some(18 * 60))][..], 17 * 60 + 50, true, false),
            (&[(9 * 60, Some(18 * 60))], 18 * 60, true, true),
            (&[(9 * 60, Some(18 * 60))], 18 * 60, false, true),
            // a matinee that has closed an hour after it began
            (&[(14 * 60, Some(15 * 60))], 15 * 60, true, true),
            // past midnight
            (&[(19 * 60, Some(MIDNIGHT + 4 * 60))], 23 * 60 + 50, true, false),
            // the end is not known
            (&[(14 * 60, None)], 17 * 60, true, false),
            (&[(14 * 60, None)], 17 * 60 + 10, true, true),
            (&[(14 * 60, None)], 17 * 60 + 10, false, false),
            (&[(10 * 60, Some(11 * 60)), (20 * 60, None)], 22 * 60, true, false),
            (&[], 23 * 60, true, false),
        ] {
            assert_eq!(is_folded(spans, now, is_new), expected, "{spans:?} at {now}");
        }
    }

    #[test]
    fn days_and_months_have_one_spelling() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        assert_eq!(Period::day("2026-11-28"), Some(Period::Day(day("2026-11-28"))));
        assert_eq!(Period::month("2026-11"), Some(Period::Month(day("2026-11-01"))));
        for wrong in ["2026-2-03", "2026-02-30", "", "hoje", "+2026-11-28", "2026-11-28 ", "+262142-12-31"] {
            assert_eq!(Period::day(wrong), None, "{wrong}");
        }
        for wrong in ["2026-13", "2026", "2026-1", "2026-11-28", "", "+262142-12", "-262143-01", "12026-11"] {
            assert_eq!(Period::month(wrong), None, "{wrong}");
        }
    }
}
