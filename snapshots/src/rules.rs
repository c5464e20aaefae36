//! The rules for places and events: known names, dates in order, clean texts, sizes that the index can hold.
//!
//! They check typed values, so that the same rules apply to a folder ([`crate::check()`]) and to a packed file
//! ([`crate::unpack`]). They run once per record over millions of records: a clean record allocates nothing.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime};

use crate::defect::{Defects, Report};
use crate::file::File;
use crate::limits::{
    MAX_ALSO, MAX_DATES, MAX_DESCRIPTION, MAX_ID, MAX_LINE, MAX_MENTIONS, MAX_NAME, MAX_NOTE, MAX_PHRASE,
    MAX_RUN_DAYS, MAX_SESSIONS, YEARS,
};
use crate::names::{Names, Readable};
use crate::position_rules::position;
use crate::record::{Event, Links, Place, Session};
use crate::recur::{self, Repeat};
use crate::series::{DATE_SUFFIX_LEN, first_date, split_date};
use crate::sizes::{event_bytes, places_text};
use crate::text::{
    self, aliases, at_most, check_handle, check_link, check_slug, nearest, quoted, suggestion,
};
use crate::vocabulary::CategoryKind;
use crate::{MAX_RECORDS, MAX_TEXT_BYTES, Snapshot, position_rules, term_rules, vocabulary_rules};

/// Checks what `guide.json` says.
pub(crate) fn guide(report: &mut Report, name: &str, curated_at: &str) {
    report.at_file(File::Guide);
    text::check(report, "name", name, MAX_NAME);
    if DateTime::parse_from_rfc3339(curated_at).is_err() {
        report.add("curated_at", || {
            let what = format!("{} is not a date and time", quoted(curated_at));
            (what, "write it as 2026-11-21T12:00:00-03:00")
        });
    }
}

/// Checks one place.
pub(crate) fn place(report: &mut Report, names: &Names<'_>, place: &Place) {
    report.at(File::Places, &place.id);
    check_slug(report, "id", &place.id);
    text::check(report, "name", &place.name, MAX_NAME);
    names.check_location(report, &place.region, place.neighbourhood.as_deref());
    categories(report, names, (&place.category, &place.also), CategoryKind::Place);
    optional(report, "style", &place.style, MAX_PHRASE);
    optional(report, "price", &place.price, MAX_PHRASE);
    optional(report, "address", &place.address, MAX_LINE);
    if let Some(handle) = &place.instagram {
        check_handle(report, "instagram", handle);
    }
    if place.mentions > MAX_MENTIONS {
        report.add("mentions", || (format!("is {}", place.mentions), format!("use at most {MAX_MENTIONS}")));
    }
    if let Some(description) = &place.description {
        text::check(report, "description.pt", &description.pt, MAX_DESCRIPTION);
        text::check(report, "description.en", &description.en, MAX_DESCRIPTION);
    }
    links(report, &place.links);
    aliases(report, &place.aliases);
    if let Some(at) = &place.position {
        position(report, names.bounds, at);
    }
    optional(report, "note", &place.note, MAX_NOTE);
    shown(report, place.show_from, place.show_until);
}

/// The place with this id among places sorted by id.
pub(crate) fn place_of<'p>(places: &'p [Place], id: &str) -> Option<&'p Place> {
    let at = places.binary_search_by(|place| place.id.as_str().cmp(id)).ok()?;
    places.get(at)
}

/// Checks one event. `places` are sorted by id; none when they could not be read.
pub(crate) fn event(report: &mut Report, names: &Names<'_>, places: Option<&[Place]>, event: &Event) {
    report.at(File::Events, &event.id);
    check_slug(report, "id", &event.id);
    series(report, event);
    text::check(report, "name", &event.name, MAX_NAME);
    match &event.repeat {
        Some(repeat) => repeated(report, event, repeat),
        None => run(report, event.date, event.end_date),
    }
    hours(report, event);
    let lacks_place = venue(report, places, event);
    // The region of an event may come from its place.
    if !(event.region.is_empty() && lacks_place) {
        names.check_location(report, &event.region, event.neighbourhood.as_deref());
    }
    categories(report, names, (&event.category, &event.also), CategoryKind::Event);
    optional(report, "venue", &event.venue, MAX_PHRASE);
    optional(report, "price", &event.price, MAX_PHRASE);
    optional(report, "lineup", &event.lineup, MAX_LINE);
    optional(report, "address", &event.address, MAX_LINE);
    optional(report, "tickets", &event.tickets, MAX_LINE);
    if let Some(handle) = &event.instagram {
        check_handle(report, "instagram", handle);
    }
    links(report, &event.links);
    aliases(report, &event.aliases);
    if let Some(at) = &event.position {
        position(report, names.bounds, at);
    }
    optional(report, "note", &event.note, MAX_NOTE);
    shown(report, event.show_from, event.show_until);
}

/// Checks the place of an event. Returns whether it has one that is not known.
fn venue(report: &mut Report, places: Option<&[Place]>, event: &Event) -> bool {
    let Some(id) = &event.place else { return false };
    let Some(places) = places else { return true };
    if place_of(places, id).is_some() {
        return false;
    }
    report.add("place", || {
        let ids = places.iter().map(|place| (place.id.as_str(), place.id.as_str()));
        let near = nearest(id, ids);
        let fix = "use the id of a place in places.json, or write the name as venue";
        (format!("{} is not the id of a place", quoted(id)), suggestion(near, fix))
    });
    true
}

/// Checks the hours of an event.
fn hours(report: &mut Report, event: &Event) {
    let Event { start_time, end_time, sessions, .. } = event;
    span(report, format_args!("end_time"), *start_time, *end_time);
    if sessions.is_empty() {
        return;
    }
    if start_time.is_some() || end_time.is_some() {
        report
            .add("sessions", || ("stand beside start_time or end_time", "write each hour in sessions only"));
    }
    if sessions.len() == 1 {
        report.add("sessions", || {
            ("holds a single session", "write it as start_time and end_time, or add the others")
        });
    }
    at_most(report, "sessions", sessions.len(), MAX_SESSIONS);
    for (position, Session { start_time, end_time }) in sessions.iter().enumerate().take(MAX_SESSIONS) {
        span(report, format_args!("sessions[{position}].end_time"), Some(*start_time), *end_time);
        let before = position.checked_sub(1).and_then(|before| sessions.get(before));
        if let Some(before) = before.filter(|before| before.start_time >= *start_time) {
            report.add(format_args!("sessions[{position}].start_time"), || {
                let hour = |time: NaiveTime| time.format("%H:%M");
                let what = format!("{} does not come after {}", hour(*start_time), hour(before.start_time));
                (what, "list the sessions of a day in order, each once")
            });
        }
    }
}

/// Checks that an end has a start, and another hour.
fn span(
    report: &mut Report,
    field: std::fmt::Arguments<'_>,
    start: Option<NaiveTime>,
    end: Option<NaiveTime>,
) {
    if end.is_none() {
        return;
    }
    if start.is_none() {
        report.add(field, || ("stands without start_time", "add the start_time, or remove the end_time"));
    } else if start == end {
        report.add(field, || ("is the hour at which it begins", "correct it, or leave it out"));
    }
}

/// Checks the days from and until which a record is served.
fn shown(report: &mut Report, from: Option<NaiveDate>, until: Option<NaiveDate>) {
    for (field, day) in [("show_from", from), ("show_until", until)] {
        if let Some(day) = day.filter(|day| !YEARS.contains(&day.year())) {
            report.add(field, || out_of_range(day));
        }
    }
    if let (Some(from), Some(until)) = (from, until)
        && until < from
    {
        report.add("show_until", || {
            (format!("{until} is before show_from, {from}"), "swap them, or correct the one that is wrong")
        });
    }
}

fn out_of_range(day: NaiveDate) -> (String, String) {
    let fix = format!("use a year from {} to {}", YEARS.start(), YEARS.end());
    (format!("{day} is out of range"), fix)
}

/// Checks how an event repeats.
fn repeated(report: &mut Report, event: &Event, repeat: &Repeat) {
    let date = first_date(event);
    match (date, event.end_date) {
        (Some(date), end_date) => run(report, date, end_date),
        (None, Some(_)) => report.add("end_date", || {
            let fix = "add the date of the first run, so that its length is known";
            ("an event that repeats has an end_date and no date", fix)
        }),
        (None, None) => {}
    }
    // The id must leave space for the date that is appended.
    let max = MAX_ID - DATE_SUFFIX_LEN;
    if event.id.len() > max {
        report.add("id", || {
            let what = format!("is {} characters long and gets a date appended for each day", event.id.len());
            (what, format!("shorten it to {max} or fewer"))
        });
    }
    if event.series.is_some() {
        report.add("series", || ("an event that repeats is of a series", "pack the folder again"));
    }
    at_most(report, "repeat.dates", repeat.dates.len(), MAX_DATES);
    at_most(report, "repeat.except", repeat.except.len(), MAX_DATES);
    if let Err(error) = recur::verify(repeat, date) {
        report.add("repeat.rule", || (error.to_string(), error.fix()));
    }
}

/// Checks that no event has the id of a date of a repeated one. The events are sorted by id.
pub(crate) fn dates_of_series(report: &mut Report, events: &[Event]) {
    let find = |id: &str| events.binary_search_by(|event| event.id.as_str().cmp(id)).ok();
    for event in events.iter().filter(|event| event.series.is_none()) {
        let Some((series, _)) = split_date(&event.id) else { continue };
        if find(series).is_some_and(|at| events[at].repeat.is_some()) {
            report.at(File::Events, &event.id);
            report.add("id", || {
                let what = format!("{} has the form of a date of {}", quoted(&event.id), quoted(series));
                (what, "give one of the two another id, or add the day to except and rename it")
            });
        }
    }
}

/// Checks that a dated event of a repeated one is named for it, as expansion names it.
fn series(report: &mut Report, event: &Event) {
    let Some(series) = &event.series else { return };
    let date = event.id.strip_prefix(series.as_str()).and_then(|rest| rest.strip_prefix('-'));
    let is_day = |text: &str| text.parse::<NaiveDate>().is_ok_and(|day| day == event.date);
    if !date.is_some_and(is_day) {
        report.add("series", || {
            (format!("{} is not the id without the date", quoted(series)), "pack the folder again")
        });
    }
}

fn optional(report: &mut Report, field: &str, value: &Option<String>, max: usize) {
    if let Some(value) = value {
        text::check(report, field, value, max);
    }
}

fn categories(report: &mut Report, names: &Names<'_>, (main, also): (&str, &[String]), wanted: CategoryKind) {
    names.check_category(report, "category", main, wanted);
    at_most(report, "also", also.len(), MAX_ALSO);
    for (position, slug) in also.iter().take(MAX_ALSO).enumerate() {
        names.check_category(report, format_args!("also[{position}]"), slug, wanted);
        if slug == main || also[..position].contains(slug) {
            report.add(format_args!("also[{position}]"), || {
                (format!("{} is listed twice", quoted(slug)), "list each category once")
            });
        }
    }
}

fn links(report: &mut Report, links: &Links) {
    for (field, link) in links.each() {
        if let Some(link) = link {
            check_link(report, format_args!("links.{field}"), link);
        }
    }
}

fn run(report: &mut Report, date: NaiveDate, end_date: Option<NaiveDate>) {
    let fits = |day: NaiveDate| YEARS.contains(&day.year());
    if !fits(date) {
        report.add("date", || out_of_range(date));
    }
    let Some(end) = end_date else { return };
    if !fits(end) {
        return report.add("end_date", || out_of_range(end));
    }
    // The end cannot be compared with a date that is wrong itself.
    if !fits(date) {
        return;
    }
    if end < date {
        report.add("end_date", || {
            (format!("{end} is before the date, {date}"), "swap them, or correct the one that is wrong")
        });
    } else if (end - date).num_days() > MAX_RUN_DAYS {
        report.add("end_date", || {
            let what = format!("the event would run for {} days", (end - date).num_days());
            (what, format!("correct the year; {MAX_RUN_DAYS} days is the most"))
        });
    }
}

/// Checks a whole snapshot from a packed file.
pub(crate) fn snapshot(snapshot: &Snapshot) -> Result<(), Defects> {
    let mut report = Report::new();
    guide(&mut report, &snapshot.name, &snapshot.curated_at);
    let readable = Readable { areas: true, codes: true, categories: true };
    let bounds = snapshot.positions.usable_bounds();
    let names = Names::new(&snapshot.vocabulary, readable, bounds);
    vocabulary_rules::check(&mut report, &names);
    term_rules::check(&mut report, &snapshot.vocabulary, &snapshot.not_listed);
    position_rules::check(&mut report, &names, &snapshot.positions);
    let mut last = "";
    for record in &snapshot.places {
        place(&mut report, &names, record);
        ascending(&mut report, last, &record.id);
        last = &record.id;
    }
    last = "";
    for record in &snapshot.events {
        event(&mut report, &names, Some(&snapshot.places), record);
        ascending(&mut report, last, &record.id);
        last = &record.id;
    }
    dates_of_series(&mut report, &snapshot.events);
    // Their dates are counted when they are expanded, because they depend on the day.
    count(&mut report, snapshot.places.len(), snapshot.events.len());
    let events = snapshot.events.iter().map(event_bytes).sum::<usize>();
    text_size(&mut report, places_text(&snapshot.places) + events, MAX_TEXT_BYTES);
    report.finish(())
}

/// A packed file is sorted by id, which also excludes duplicate ids.
fn ascending(report: &mut Report, last: &str, id: &str) {
    if last >= id {
        report.add("id", || {
            (format!("comes after {} in a packed file", quoted(last)), "pack the folder again")
        });
    }
}

/// What is wrong with a snapshot that has no record.
pub const NO_RECORDS: &str = "the snapshot holds neither places nor events";

/// Checks that there are records, and not too many.
pub(crate) fn count(report: &mut Report, places: usize, events: usize) {
    report.at_file(File::Places);
    if places + events == 0 {
        report.add_whole(NO_RECORDS, "add records to places.json or events.json");
    }
    if places + events > MAX_RECORDS {
        let what = format!("the snapshot holds {} places and events", places + events);
        report.add_whole(what, format!("keep at most {MAX_RECORDS} in sum"));
    }
}

/// Checks that the text of all records fits the index. Repeated events count once for each date.
pub(crate) fn text_size(report: &mut Report, bytes: usize, max: usize) {
    if bytes > max {
        report.at_file(File::Places);
        let what = format!("places and dated events hold {} MiB of text", bytes.div_ceil(1 << 20));
        report.add_whole(what, format!("shorten texts or remove records; {} MiB is the most", max >> 20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_text_is_a_defect() {
        let name = "Bar".to_owned();
        let place = serde_json::json!({ "id": "bar", "name": name, "region": "Gama", "category": "bar" });
        let places = vec![serde_json::from_value::<Place>(place).unwrap(); 3];
        let defects = |max| {
            let mut report = Report::new();
            text_size(&mut report, places_text(&places), max);
            report.finish(())
        };
        assert!(defects(30).is_ok());
        assert!(defects(29).unwrap_err().to_string().contains("of text; shorten texts"));
    }
}
