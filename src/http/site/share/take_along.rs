//! Ways from a record into a calendar, a map or a message, and what is near it or on the same day.

use chrono::NaiveDate;
use index::{Collection, Guide, Window};
use maud::{Markup, html};

use crate::domain::records::Records;
use crate::http::calendar::CITY;
use crate::http::distinct::distinct;
use crate::http::site::data::hours::{is_off, sort_by_hour};
use crate::http::site::data::nearby::{MOST, Near, is_walkable, others};
use crate::http::site::data::record_view::{Record, RecordRef};
use crate::http::site::data::upcoming::Upcoming;
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::{
    Show, code, encoded, events as event_list, events_of_day, mixed, more, section,
};

/// How many events are named on the day of one.
const MOST_OF_DAY: usize = 5;

/// The most records of a list, which the script knows too.
pub(crate) const MOST_LISTED: usize = 40;

/// In the address of a list, before the id of a place that an event has too.
pub(crate) const PLACE: &str = "p:";

/// What stands for a record in the address of a list.
pub(crate) fn token(guide: &Guide, records: Records, id: &str) -> String {
    let is_ambiguous = records == Records::Places && guide.events.find(id).is_some();
    if is_ambiguous { format!("{PLACE}{id}") } else { id.to_owned() }
}

/// The link that begins a list with a record. A script adds the record to the list that the browser keeps instead, and
/// takes it out again.
fn keep(show: Show<'_>, records: Records, id: &str) -> Markup {
    let token = token(show.guide, records, id);
    html! {
        a href={ (show.layout.path("/lista")) "?i=" (token) } rel="nofollow" data-keep=(token)
            data-kept=(show.layout.texts.take.kept) data-full=((show.layout.texts.take.list_limit)(MOST_LISTED)) {
            (show.layout.texts.take.keep)
        }
    }
}

/// Links that take a record along. `path` is that of its page or its series, in Portuguese, and `summary` says what it
/// is.
pub(crate) fn ways(
    show: Show<'_>,
    records: Records,
    record: &Record<'_>,
    path: &str,
    summary: &str,
) -> Markup {
    let (layout, is_event) = (show.layout, records == Records::Events);
    let words = &layout.texts.take;
    let place = if is_event && !record.venue.is_empty() { &record.venue } else { &record.name };
    let at = encoded(&distinct(&[place, record.area(), CITY]).join(", "));
    let id = path.rsplit('/').next().unwrap_or_default();
    let series = show.data.upcoming.with_id(id);
    let has_dates = series.is_some_and(|series| series.dates.len() > 1);
    let add = if has_dates { words.add_all_dates } else { words.add_to_calendar };
    // nobody goes to what is over or does not take place
    let is_open = !is_event || !(is_off(record) || show.is_over(record));
    let message = encoded(&format!("{summary} {}{}", layout.base, layout.path(path)));
    html! {
        nav aria-label=(words.ways) {
            ul.chips.take {
                @if is_event && is_open { li { a href={ (layout.path(path)) ".ics" } { (add) } } }
                @if is_open {
                    li {
                        a href={ "https://www.google.com/maps/dir/?api=1&destination=" (at) } rel="nofollow noopener" {
                            (words.directions)
                        }
                    }
                }
                li { (keep(show, records, id)) }
                li { a href={ "https://wa.me/?text=" (message) } rel="nofollow noopener" { (words.share) } }
                (share_button(layout))
            }
        }
    }
}

/// The button that shares a page, or copies its address, as a script can do it. Without scripts it is not shown.
pub(crate) fn share_button(layout: &Layout) -> Markup {
    let words = &layout.texts.take;
    html! {
        li.scripted {
            button type="button" data-share=(words.share_page) data-copied=(words.link_copied) { (words.copy_link) }
        }
    }
}

/// Links to the calendar and the feed of a page, and the code of a frame of it, by their paths in Portuguese.
pub(crate) fn follow(layout: &Layout, path: &str, embed: Option<&str>) -> Markup {
    let words = &layout.texts.take;
    let path = layout.path(path);
    let authority = layout.base.split_once("://").map_or("", |(_, authority)| authority);
    let embed = embed.map(|embed| {
        let address = layout.address(embed);
        format!(
            "<iframe src=\"{address}\" title=\"{}\" width=\"360\" height=\"640\"></iframe>",
            layout.service_name
        )
    });
    html! {
        p.note {
            (words.follow) " "
            a href={ "webcal://" (authority) (path) ".ics" } { (words.subscribe) } " · "
            a href={ (path) ".ics" } type="text/calendar" { (words.calendar) } " · "
            a href={ (path) ".atom" } type="application/atom+xml" { (words.feed) }
        }
        @if let Some(embed) = &embed {
            @let [add, light, or, dark] = layout.texts.directory.themes;
            details.note {
                summary { (words.embed) }
                (code(words.embed, embed))
                p { (add) " " code { (light) } " " (or) " " code { (dark) } "." }
            }
        }
    }
}

/// What is on at the same place, on the same day as an event, and near a record: nothing twice.
pub(crate) fn around(show: Show<'_>, of: RecordRef, record: &Record<'_>) -> Markup {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.record;
    let place = if of.is_event() { guide.places.find(&record.place) } else { Some(of.rank) };
    let here = place.map(|place| same_place(show, of, place)).unwrap_or_default();
    let day = if of.is_event() { day_to_come(show, record) } else { None };
    let same_day = day.map(|day| (day, same_day(show, of.rank, day, &here))).filter(|(_, on)| !on.is_empty());
    let is_listed = |event: u32| {
        let mut listed = here.iter().chain(same_day.iter().flat_map(|(_, on)| on));
        listed.any(|listed| is_same(&guide.events, *listed, event))
    };
    let near = near_here(show, of, record, &is_listed);
    html! {
        @if !here.is_empty() {
            @let title = if of.is_event() { words.more_here } else { words.events_here };
            @let at_place = Show { venue: place, area: of.area(guide), ..show };
            (section("here", title, "", event_list(at_place, &here, data.day)))
        }
        @if let Some((day, on)) = &same_day { (of_the_day(show, *day, on)) }
        (near)
    }
}

/// Whether two events are one, or dates of one series.
fn is_same(events: &Collection, one: u32, other: u32) -> bool {
    one == other || events.is_same_series(one, other)
}

/// The events to come at a place, or the others at the venue of one, each series once.
fn same_place(show: Show<'_>, of: RecordRef, place: u32) -> Vec<u32> {
    let Show { data, guide, .. } = show;
    let events = &guide.events;
    let is_shown = |event: &u32| {
        events.is_on(*event, Window::since(data.day))
            && events.is_in_area(*event, data.directory.home)
            && !(of.is_event() && is_same(events, *event, of.rank))
    };
    let mut here = Upcoming::once(events, guide.events_at(place).filter(is_shown));
    here.truncate(MOST);
    here
}

/// The day of an event to come: of a run of days today, if it is one of them.
fn day_to_come(show: Show<'_>, record: &Record<'_>) -> Option<NaiveDate> {
    let (date, today) = (record.date?, show.data.day);
    Some(date.max(today.min(record.end_date.unwrap_or(date)))).filter(|day| *day >= today)
}

/// The first other events of the day of one, without those that are listed already.
fn same_day(show: Show<'_>, rank: u32, day: NaiveDate, listed: &[u32]) -> Vec<u32> {
    let Show { data, guide, .. } = show;
    let events = &guide.events;
    let is_new = |other: &u32| {
        !is_same(events, *other, rank) && !listed.iter().any(|listed| is_same(events, *listed, *other))
    };
    let on_day = events.events_in(Window::day(day), data.directory.home, None);
    let mut others: Vec<u32> = on_day.into_iter().filter(is_new).collect();
    sort_by_hour(guide, &mut others, false);
    show.late_last(&mut others);
    others.truncate(MOST_OF_DAY);
    others
}

fn of_the_day(show: Show<'_>, day: NaiveDate, events: &[u32]) -> Markup {
    let Show { layout, data, .. } = show;
    let words = &layout.texts.take;
    let content = html! {
        (events_of_day(show, events))
        (more(&layout.path(&format!("/dia/{day}")), words.all_of_day))
    };
    section("same-day", words.same_day, &layout.texts.calendar.dated(day, data.day), content)
}

/// The records that are nearest to one, as far as the basic view knows where they are: by their neighbourhoods. No
/// order may tell an address. In a neighbourhood that nobody walks across they are others of it, without a distance.
/// Events that are `listed` already are left out.
fn near_here(show: Show<'_>, of: RecordRef, record: &Record<'_>, listed: &dyn Fn(u32) -> bool) -> Markup {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.take;
    let (area, venue) = (of.area(guide), guide.places.find(&record.place));
    let is_one = |event: u32, other: u32| is_same(&guide.events, event, other);
    let is_told = |near: RecordRef| match (of.records, near.records) {
        (_, Records::Events) if listed(near.rank) => true,
        (Records::Events, Records::Events) => is_one(near.rank, of.rank),
        (Records::Events, Records::Places) => Some(near.rank) == venue,
        (Records::Places, Records::Events) => guide.events_at(of.rank).any(|event| is_one(event, near.rank)),
        (Records::Places, Records::Places) => near == of,
    };
    if !is_walkable(guide, area) {
        let is_region = record.neighbourhood.is_empty();
        let others = others(guide, of, is_region, data.day).into_iter().filter(|near| !is_told(*near));
        let others: Vec<_> = others.take(MOST).map(|near| (near, String::new())).collect();
        if !others.is_empty() {
            let title = if is_region { words.same_region } else { words.same_neighbourhood };
            return section("near-here", title, record.area(), mixed(show, others));
        }
    }
    let near = data.nearby.of(guide, area).iter().filter(|near| !is_told(near.of));
    let near: Vec<&Near> = near.take(MOST).collect();
    if near.is_empty() {
        return Markup::default();
    }
    let told = |metres: u32| match metres {
        ..=1_000 => words.a_walk.to_owned(),
        metres => (words.away)(metres.div_ceil(1_000)),
    };
    let near = near.into_iter().map(|near| (near.of, told(near.metres))).collect();
    section("near-here", words.near_here, "", mixed(show, near))
}
