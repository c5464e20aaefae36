//! What is on by day: today, tomorrow, the weekends, any day, and a month.

use std::cmp::Reverse;

use chrono::{Datelike, Days, NaiveDate};
use index::{AreaId, Window};
use maud::{Markup, html};

use super::month::{month, month_head, months};
use crate::dispatch::SITE_RESULTS;
use crate::domain::text::capitalized;
use crate::http::site::cards::{Card, DateTile};
use crate::http::site::data::area_records::events_in;
use crate::http::site::data::directory::Listing;
use crate::http::site::data::hours::{EVENING, is_evening, is_folded, is_untimed, sort_by_hour};
use crate::http::site::data::night::BAR;
use crate::http::site::data::page_data::PageData;
use crate::http::site::data::period::{Period, day_path};
use crate::http::site::data::record_view::Record;
use crate::http::site::data::upcoming::STRIP_DAYS;
use crate::http::site::layout::components::{
    Heading, NoPage, Show, breadcrumbs, counted, events_of_day, events_of_part, late_events, more, pager,
    places as place_list, section,
};
use crate::http::site::layout::i18n::abbreviated;
use crate::http::site::layout::{Extra, Layout, Meta};
use crate::http::site::share::take_along;

/// The minute of the day at which the afternoon begins.
const NOON: u16 = 12 * 60;

/// The place of the evening among the parts of a day.
const NIGHT: usize = 2;

/// The place of what has no time among them.
const UNTIMED: usize = 3;

/// The most areas that a page of days links.
const MOST_AREAS: usize = 12;

/// The most areas whose bars are linked.
const MOST_BARS: usize = 3;

/// How many events a page of days lists.
const DAY_RESULTS: usize = 2 * SITE_RESULTS;

/// An event on one of its days.
#[derive(Clone, Copy)]
struct Entry {
    rank: u32,
    day: NaiveDate,
    /// Whether an earlier day of the page lists it, or its series.
    again: bool,
}

/// The page of a period, and of its pages the one with this number.
pub(crate) fn page(show: Show<'_>, period: Period, number: usize) -> Result<String, NoPage> {
    let Show { layout, data, .. } = show;
    let title = match own_area(show) {
        Some(listing) => format!("{}: {}", period.title(layout, data.day), area_name(show, listing)),
        None => period.title(layout, data.day),
    };
    let windows = windows_of(show, period);
    let (content, pages, is_listed) = match period {
        Period::Month(first) => month(show, first, number),
        _ => days(show, (period, &windows), number),
    };
    if number > pages.max(1) {
        return Err(NoPage::After(pages.max(1)));
    }
    let of_area = own_area(show).map(|listing| format!("area={}", slug(listing)));
    let of_number = (number > 1).then(|| format!("page={number}"));
    let query = [of_area.clone(), of_number].into_iter().flatten().collect::<Vec<_>>().join("&");
    let query = if query.is_empty() { query } else { format!("?{query}") };
    let title = if number > 1 { (layout.texts.listing.page)(&title, number) } else { title };
    let path = period.path();
    let meta = Meta {
        title: &title,
        description: &(layout.texts.agenda.description)(&title),
        path: &path,
        query: &query,
        listed: is_listed && of_area.is_none(),
    };
    let current = match period {
        Period::Month(_) | Period::Weekend | Period::NextWeekend => None,
        _ => Some(period.window(data.day).from),
    };
    let of_pages = of_area.map_or_else(|| path.clone(), |area| format!("{path}?{area}"));
    let main = html! {
        div.wide {
            (breadcrumbs(layout, [(layout.home(), layout.texts.layout.guide)]))
            @match period {
                Period::Month(first) => (month_head(show, first, &title)),
                _ => h1.list-title { (title) },
            }
            (ways(layout, &path))
            // a month has all its days below
            @if !matches!(period, Period::Month(_)) {
                (day_strip(layout, data, windows.first().copied()))
                (area_chips(show, period, &windows, &path))
            }
            @if windows.first() != Some(&period.with_friday(data.day)) {
                p.note {
                    (layout.texts.agenda.weekend_is_over) " "
                    a href=(layout.path(&Period::Today.path())) { (layout.texts.agenda.whole_day) }
                }
            }
            (content)
            @if period == Period::Weekend && windows == [period.with_friday(data.day)] {
                (more(&layout.path(&Period::NextWeekend.path()), &next_weekend(show)))
            }
            (pager(layout, &of_pages, number, pages))
            @if let Some(day) = current { (neighbours(show, day)) }
            (take_along::follow(layout, "/agenda", None))
            (more(&layout.path("/mapa"), layout.texts.take.map))
            @if period == Period::Weekend { (more(&layout.path("/sexta"), layout.texts.letter.description)) }
            (months(show, period))
            (layout.credit(data.positions.as_ref()))
            (layout.preview())
        }
    };
    let (card, own) = (card(show, period), Some("/agenda"));
    let extra = Extra { calendar: own, feed: own, card: card.as_ref(), ..Extra::default() };
    Ok(layout.page_with(&meta, &extra, main))
}

/// The page of the area of which a page of days lists the events, if it is not all that the site shows.
fn own_area<'a>(Show { data, area, .. }: Show<'a>) -> Option<&'a Listing> {
    data.directory.of((Some(area), None)).filter(|_| area != data.directory.home)
}

fn area_name<'a>(Show { guide, .. }: Show<'a>, listing: &Listing) -> &'a str {
    listing.topic.0.map_or("", |area| guide.vocabulary().area(area).name.as_str())
}

/// The slug of an area, as the path of its page ends.
fn slug(listing: &Listing) -> &str {
    listing.path.rsplit('/').next().unwrap_or_default()
}

/// A page of days of the area with this slug; none if it has no page. No slug is all that the site shows.
pub(crate) fn in_area<'a>(show: Show<'a>, slug: &str) -> Option<Show<'a>> {
    if slug.is_empty() {
        return Some(show);
    }
    let listing = show.data.directory.at(&format!("/area/{slug}"))?;
    Some(Show { area: listing.topic.0?, ..show })
}

/// Links to what is on in each area in the days of a page, those with the most first.
fn area_chips(show: Show<'_>, period: Period, windows: &[Window], path: &str) -> Markup {
    let Show { layout, data, guide, area, .. } = show;
    let home = data.directory.home;
    let count = |listing: &Listing| {
        let show = Show { area: listing.topic.0?, ..show };
        let days = windows.iter().copied().flat_map(days_of);
        Some(days.map(|day| events_on(show, day, period).len()).sum::<usize>()).filter(|count| *count > 0)
    };
    let areas = data.directory.neighbourhoods(guide.vocabulary()).into_iter();
    let areas = areas.filter(|listing| !listing.events.is_empty());
    let mut counted: Vec<(usize, &Listing)> =
        areas.filter_map(|listing| Some((count(listing)?, listing))).collect();
    counted.sort_by_key(|(count, _)| Reverse(*count));
    counted.truncate(MOST_AREAS);
    if counted.is_empty() {
        return Markup::default();
    }
    html! {
        nav.in-a-row aria-label=(layout.texts.home.by_area) {
            ul.chips {
                @if area != home {
                    li { a href=(layout.path(path)) { (layout.texts.layout.all_of_free_area) } }
                }
                @for (count, listing) in counted {
                    li {
                        a href={ (layout.path(path)) "?area=" (slug(listing)) }
                            aria-current=[(listing.topic.0 == Some(area)).then_some("page")] {
                            (area_name(show, listing)) " " small { (count) }
                        }
                    }
                }
            }
        }
    }
}

/// Links to the periods that most people ask for.
fn ways(layout: &Layout, path: &str) -> Markup {
    let words = &layout.texts.search;
    let ways = [("/hoje", words.today), ("/amanha", words.tomorrow), ("/fim-de-semana", words.weekend)];
    html! {
        ul.chips {
            @for (to, text) in ways {
                li { a href=(layout.path(to)) aria-current=[(to == path).then_some("page")] { (text) } }
            }
        }
    }
}

/// The days that the page of a period shows: on a Sunday those of the next weekend too, and only those on an evening
/// after which nothing is left of this one.
fn windows_of(Show { data, guide, now, area, .. }: Show<'_>, period: Period) -> Vec<Window> {
    let window = period.with_friday(data.day);
    if period != Period::Weekend || window != Window::day(data.day) {
        return vec![window];
    }
    let now = now.unwrap_or_default();
    let is_left = |rank: u32| {
        let spans = Record::new(&guide.events.rendered, rank).spans();
        // what has no time is hardly still to come, nor is a run of days open that began in the morning
        !spans.is_empty() && !is_folded(guide, rank, now, true)
    };
    let mut on = events_in(guide, window, (area, data.directory.home)).into_iter();
    let is_left = now < EVENING || on.any(is_left);
    let next = Period::NextWeekend.with_friday(data.day);
    if is_left { vec![window, next] } else { vec![next] }
}

/// "Próximo fim de semana: 5 e 6 de dezembro".
fn next_weekend(Show { layout, data, .. }: Show<'_>) -> String {
    let Window { from, to } = Period::NextWeekend.window(data.day);
    (layout.texts.agenda.next_weekend_on)(&layout.texts.calendar.listed(&[from, to], data.day))
}

/// The card of a period; none if there is nothing on in it.
pub(crate) fn card(show: Show<'_>, period: Period) -> Option<Card> {
    let Show { layout, data, .. } = show;
    let (words, calendar) = (&layout.texts.agenda, &layout.texts.calendar);
    let window = period.window(data.day);
    let has_any = match period {
        Period::Today | Period::Tomorrow | Period::Weekend => true,
        Period::Day(day) => day >= data.day && data.upcoming.count(day) > 0,
        Period::Month(first) => data.upcoming.months().contains(&first),
        // it has that of the front page: which days it means changes each week
        Period::NextWeekend => false,
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
        Period::Month(_) | Period::NextWeekend => String::new(),
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

/// Links to the days to come, each with its number of events. Those of the page are marked.
pub(crate) fn day_strip(layout: &Layout, data: &PageData, current: Option<Window>) -> Markup {
    let (words, calendar) = (&layout.texts.agenda, &layout.texts.calendar);
    // around a day that is not of the next ones, and no further than the guide knows: the days would go on forever
    let last_first = data.upcoming.last_day() - Days::new(STRIP_DAYS - 1);
    let first = current.and_then(|days| days.from.checked_sub_days(Days::new(STRIP_DAYS / 2)));
    let is_marked = |day: NaiveDate| current.is_some_and(|days| days.from <= day && day <= days.to);
    let first = first.map_or(data.day, |first| first.min(last_first).max(data.day));
    let days = first.iter_days().zip(0..STRIP_DAYS).map(|(day, _)| day);
    html! {
        nav.days aria-label=(words.days) {
            ol {
                @for day in days {
                    @let count = data.upcoming.count(day);
                    li class=[is_marked(day).then_some("marked")] {
                        // of several days the first one is the current
                        a href=(layout.path(&day_path(day, data.day)))
                            aria-current=[current.filter(|days| days.from == day).map(|_| "date")] {
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
fn neighbours(show: Show<'_>, day: NaiveDate) -> Markup {
    let Show { layout, data, .. } = show;
    let calendar = &layout.texts.calendar;
    let before = data.upcoming.day_before(day).map(|before| (before, "prev"));
    let after = next_day(show, day).map(|after| (after, "next"));
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

/// The events by day, how many pages they take, and whether search engines may list them.
fn days(show: Show<'_>, (period, windows): (Period, &[Window]), number: usize) -> (Markup, usize, bool) {
    let Show { data, guide, .. } = show;
    let mut entries: Vec<Entry> = Vec::new();
    for window in windows {
        entries.extend(entries_of(show, *window, period));
    }
    if period == Period::Today {
        // by day the evening ends the list, with places to go out to; when it has come, it begins the list
        entries.sort_by_key(|entry| is_evening(guide, entry.rank) != show.is_evening());
    }
    let pages = entries.len().div_ceil(DAY_RESULTS);
    let shown = entries.iter().skip((number - 1) * DAY_RESULTS).take(DAY_RESULTS);
    let shown: Vec<Entry> = shown.copied().collect();
    let is_listed = match period {
        Period::Day(day) => day >= data.day && !entries.is_empty(),
        _ => true,
    };
    let has_any = |day: &NaiveDate| shown.iter().any(|entry| entry.day == *day);
    let of_page = |window: &Window| {
        let is_shown = |day: &NaiveDate| has_any(day) || (number == 1 && !period.is_evening_of(*day));
        let days = days_of(*window).filter(is_shown);
        days.collect::<Vec<NaiveDate>>()
    };
    let last = windows.last().map_or(data.day, |window| window.to);
    let days = windows.iter().map(of_page).collect::<Vec<_>>();
    let next_from = days.get(1).and_then(|days| days.first());
    // the evening of today says so where it is empty: on the last page, or the first when it begins the list
    let has_tonight = if show.is_evening() { number == 1 } else { number >= pages };
    let content = html! {
        @if number == 1 && days.iter().flatten().next() == Some(&data.day) { (late(show, period)) }
        @for day in days.iter().flatten().copied() {
            @if Some(&day) == next_from { h2.list-title.next-weekend { (next_weekend(show)) } }
            @let of_day: Vec<u32> = entries.iter().filter(|entry| entry.day == day).map(|entry| entry.rank).collect();
            @if of_day.is_empty() && period != Period::Today {
                (nothing_on(show, day, (period, last)))
            } @else {
                @let (title, count) = day_head(show, period, day, &of_day);
                (section(&format!("d{day}"), &capitalized(&title), &count, parts(show, day, &shown, (period, has_tonight))))
            }
        }
        @if period != Period::Today && last >= data.day && number >= pages {
            (night(show, windows.first().map_or(last, |window| window.from.max(data.day))))
        }
    };
    (content, pages, is_listed)
}

/// The heading of a day with these events, and their number. That of an evening counts only what begins in it.
fn day_head(
    Show { layout, data, guide, .. }: Show<'_>,
    period: Period,
    day: NaiveDate,
    events: &[u32],
) -> (String, String) {
    let (words, calendar) = (&layout.texts.agenda, &layout.texts.calendar);
    let count = |events: usize| (words.events)(u32::try_from(events).unwrap_or(u32::MAX));
    let of_evening = events.iter().filter(|rank| is_evening(guide, **rank)).count();
    match period {
        // the page says which day it is
        Period::Day(_) => (count(events.len()), String::new()),
        _ if period.is_evening_of(day) && of_evening > 0 => {
            let title = (words.evening_of)(calendar.weekday(day), &calendar.date(day, data.day));
            (title, count(of_evening))
        }
        _ => (calendar.dated(day, data.day), count(events.len())),
    }
}

/// The next day after one that has an event. That of today has one only while something is left of it.
fn next_day(Show { data, guide, now, .. }: Show<'_>, day: NaiveDate) -> Option<NaiveDate> {
    let next = data.upcoming.next_day(day)?;
    let is_over = next == data.day
        && now.is_some_and(|now| {
            let begun = data.begun_today.at(now, guide, data.directory.home, data.day);
            u32::try_from(begun.1.len()).is_ok_and(|begun| begun >= data.upcoming.count(next))
        });
    if is_over { data.upcoming.next_day(next) } else { Some(next) }
}

/// What stands for a day without events: on a page of several the day and that it has none; on its own, where the page
/// says which day it is, the last alone. Then the next day that has some.
fn nothing_on(show: Show<'_>, day: NaiveDate, (period, last): (Period, NaiveDate)) -> Markup {
    let Show { layout, data, .. } = show;
    let (words, calendar) = (&layout.texts.agenda, &layout.texts.calendar);
    let nothing = html! {
        p.note { @if day < data.day { (words.past) } @else { (words.nothing) } }
        @if let Some(next) = next_day(show, last).filter(|_| day == last) {
            p.note {
                (words.next_day) " "
                a href=(layout.path(&day_path(next, data.day))) { (calendar.dated(next, data.day)) }
            }
        }
    };
    match period {
        Period::Day(_) => nothing,
        _ => section(&format!("d{day}"), &capitalized(&calendar.dated(day, data.day)), "", nothing),
    }
}

fn days_of(window: Window) -> impl Iterator<Item = NaiveDate> {
    window.from.iter_days().take_while(move |day| *day <= window.to)
}

/// The events that a page of a period lists of a day: of an evening what begins in it, and what has no hour, as such.
fn events_on(Show { data, guide, area, .. }: Show<'_>, day: NaiveDate, period: Period) -> Vec<u32> {
    let mut on_day = events_in(guide, Window::day(day), (area, data.directory.home));
    let is_listed = |rank: u32| is_evening(guide, rank) || is_untimed(guide, rank);
    on_day.retain(|rank| !period.is_evening_of(day) || is_listed(*rank));
    on_day
}

/// The events of each of some days, by their hour.
fn entries_of(show: Show<'_>, window: Window, period: Period) -> Vec<Entry> {
    let guide = show.guide;
    let mut entries: Vec<Entry> = Vec::new();
    for day in days_of(window) {
        let mut on_day = events_on(show, day, period);
        sort_by_hour(guide, &mut on_day, period.is_evening_of(day) || period == Period::Today);
        let on_day = on_day.into_iter().map(|rank| {
            let is_same = |other: &Entry| other.rank == rank || guide.events.is_same_series(other.rank, rank);
            Entry { rank, day, again: window.from != day && entries.iter().any(is_same) }
        });
        let on_day: Vec<Entry> = on_day.collect();
        entries.extend(on_day);
    }
    entries
}

/// What is still on of yesterday's events, above those of today.
fn late(show: Show<'_>, period: Period) -> Markup {
    match period {
        Period::Today | Period::Weekend if own_area(show).is_none() => still_on(show),
        _ => Markup::default(),
    }
}

/// What is still on of yesterday's events; nothing of none.
pub(crate) fn still_on(show: Show<'_>) -> Markup {
    match show.data.last_night.at(show.now) {
        late if late.is_empty() => Markup::default(),
        late => section("late", show.layout.texts.agenda.still_on, "", late_events(show, &late)),
    }
}

/// The events of a day by its parts. Whether that of this evening is there where it is empty, is `has_tonight`.
fn parts(show: Show<'_>, day: NaiveDate, shown: &[Entry], (period, has_tonight): (Period, bool)) -> Markup {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.agenda;
    // on other days nothing has begun, and the page of a date is the same all day
    let is_timed = day == data.day && !matches!(period, Period::Day(_));
    let show = Show { now: show.now.filter(|_| is_timed), ..show };
    let list = Show { under: Heading::H3, ..show };
    let of_day = || shown.iter().filter(|entry| entry.day == day);
    let minute = |rank: u32| guide.events.minute(rank);
    let begun = begun(show, of_day().map(|entry| entry.rank), day);
    let again: Vec<u32> = of_day().filter(|entry| entry.again).map(|entry| entry.rank).collect();
    let (is_today, is_evening_only) = (period == Period::Today, period.is_evening_of(day));
    let part = |rank: u32| match minute(rank) {
        // it is listed once, whatever sessions it has before
        Some(_) if (is_today || is_evening_only) && is_evening(guide, rank) => NIGHT,
        Some(..NOON) => 0,
        Some(NOON..EVENING) => 1,
        Some(EVENING..) => NIGHT,
        None => UNTIMED,
    };
    let order = match is_today {
        true if show.is_evening() => [NIGHT, 0, 1, UNTIMED],
        true => [0, 1, UNTIMED, NIGHT],
        false => [0, 1, NIGHT, UNTIMED],
    };
    let folds_last = is_today && show.is_evening();
    let from = if is_evening_only { EVENING } else { 0 };
    let fresh = |rank: &u32| !begun.contains(rank) && !again.contains(rank);
    html! {
        @if !folds_last { (folded(list, &begun)) }
        @for (at, name) in order.map(|at| (at, words.parts[at])) {
            @let ranks: Vec<u32> = of_day().map(|entry| entry.rank).filter(fresh).filter(|rank| part(*rank) == at).collect();
            @if at == NIGHT && is_today {
                @if has_tonight || !ranks.is_empty() {
                    h3 #noite .part-of-day { (words.tonight) }
                    (this_evening(list, &ranks))
                }
            } @else if !ranks.is_empty() {
                h3.part-of-day { (name) }
                (events_of_part(list, &ranks, from))
            }
        }
        @if folds_last { (folded(list, &begun)) }
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

/// What has ended of the events of a day, or began long before this minute of it. On other days than today nothing has.
pub(crate) fn begun(show: Show<'_>, events: impl Iterator<Item = u32>, day: NaiveDate) -> Vec<u32> {
    let Show { guide, now, .. } = show;
    let Some(now) = now else { return Vec::new() };
    let is_begun = |rank: &u32| {
        // a run of days has not begun today
        let is_new = guide.events.first_day(*rank) == Some(day);
        is_folded(guide, *rank, now, is_new)
    };
    events.filter(is_begun).collect()
}

/// The fold of what has begun; nothing of none. Beside the parts of a day it is one of them.
pub(crate) fn folded(show: Show<'_>, begun: &[u32]) -> Markup {
    let title = (show.layout.texts.agenda.begun)(begun.len());
    html! {
        @if !begun.is_empty() {
            details.begun {
                summary { @match show.under { Heading::H2 => (title), Heading::H3 => h3 { (title) } } }
                (events_of_day(show, begun))
            }
        }
    }
}

/// Places to go out to, after the events of a day. They are open on many evenings, and the guide seldom knows on
/// which.
fn night(show: Show<'_>, day: NaiveDate) -> Markup {
    let area = own_area(show).map(|_| show.area);
    night_in(show, day, area.as_slice())
}

/// The same in these areas; without any, everywhere.
pub(crate) fn night_in(show: Show<'_>, day: NaiveDate, areas: &[AreaId]) -> Markup {
    let Show { layout, data, guide, .. } = show;
    let is_there = |place: u32| areas.iter().any(|area| guide.places.is_in_area(place, *area));
    let places = data.night.on(day, |place| areas.is_empty() || is_there(place));
    if places.is_empty() {
        return Markup::default();
    }
    let name = |area: &AreaId| guide.vocabulary().area(*area).name.as_str();
    let names = areas.iter().map(name).collect::<Vec<_>>().join(", ");
    let own = areas.iter().find_map(|area| data.directory.of((Some(*area), None)));
    let content = html! {
        (night_places(show, &places))
        (bars(show, areas))
        @if let Some(own) = own { (more(&layout.path(&own.path), layout.texts.take.whole_page)) }
    };
    section("noite", layout.texts.agenda.night, &names, content)
}

fn night_places(show: Show<'_>, places: &[u32]) -> Markup {
    html! {
        p.note { (show.layout.texts.search.places_have_no_days) }
        (place_list(show, places))
    }
}

/// Links to the bars of the areas that have the most, of these areas if there are any.
fn bars(Show { layout, data, guide, .. }: Show<'_>, areas: &[AreaId]) -> Markup {
    let mut categories = guide.vocabulary().categories_by_id();
    let Some((bar, _)) = categories.find(|(_, category)| category.slug.as_str() == BAR) else {
        return Markup::default();
    };
    let listings = data.directory.areas_of(bar);
    let wanted = listings.iter().filter_map(|listing| Some((listing.topic.0?, listing)));
    let wanted =
        wanted.filter(|(area, listing)| listing.places > 0 && (areas.is_empty() || areas.contains(area)));
    let links: Vec<(&str, String)> = wanted
        .take(MOST_BARS)
        .map(|(area, listing)| (guide.vocabulary().area(area).name.as_str(), layout.path(&listing.path)))
        .collect();
    html! {
        @if !links.is_empty() {
            p.note.more-bars {
                (layout.texts.agenda.more_bars)
                @for (at, (name, path)) in links.iter().enumerate() {
                    @if at > 0 { " ·" }
                    " " a href=(path) { (name) }
                }
            }
        }
    }
}

/// The events of this evening, then places to go out to.
pub(crate) fn this_evening(show: Show<'_>, ranks: &[u32]) -> Markup {
    let words = &show.layout.texts.agenda;
    let area = own_area(show).map(|_| show.area);
    let is_wanted = |place: u32| area.is_none_or(|area| show.guide.places.is_in_area(place, area));
    let places = show.data.night.on(show.data.day, is_wanted);
    html! {
        @if ranks.is_empty() { p.note { (words.nothing_tonight) } } @else { (events_of_part(show, ranks, EVENING)) }
        @if !places.is_empty() {
            @if !ranks.is_empty() { p.note { (words.night_places) } }
            (night_places(show, &places))
            (bars(show, area.as_slice()))
        }
    }
}
