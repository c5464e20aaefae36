//! Turns the files of a folder into a checked snapshot, or lists everything that is wrong with them.
//!
//! It does not stop at the first defect: unreadable files, records of the wrong type and unknown names are all reported
//! at once.

use std::collections::HashMap;

use chrono::{Days, NaiveDate};

use crate::defect::{Defects, Report};
use crate::file::File;
use crate::folder::Files;
use crate::names::{Names, Readable};
use crate::parse::{self, Draft, Guide, When};
use crate::recur::{self, Repeat, RepeatError};
use crate::rules;
use crate::text::{MAX_ID, at_most, quoted};
use crate::{
    Event, FORMAT, MAX_RECORDS, MAX_TEXT_BYTES, Place, Snapshot, Vocabulary, position_rules, term_rules,
    vocabulary_rules,
};

/// The most extra dates of a repeated event.
const MAX_DATES: usize = 1_000;

/// Checks a folder and makes a snapshot of it. Repeated events are expanded from the day `from` on.
pub fn check(files: &Files, from: NaiveDate) -> Result<Snapshot, Defects> {
    let mut report = Report::new();
    let guide = text(files, File::Guide, &mut report).and_then(|text| parse::guide(&mut report, text));
    if let Some(guide) = &guide {
        rules::guide(&mut report, &guide.name, &guide.curated_at);
    }

    let Guide { name, curated_at, not_listed } = guide.unwrap_or_default();
    let (vocabulary, readable) = vocabulary(files, &mut report);
    let positions = text(files, File::Positions, &mut report);
    let positions = positions.and_then(|text| parse::positions(&mut report, text)).unwrap_or_default();
    let names = Names::new(&vocabulary, readable, position_rules::usable_bounds(&positions));
    vocabulary_rules::check(&mut report, &names);
    term_rules::check(&mut report, &vocabulary, &not_listed);
    position_rules::check(&mut report, &names, &positions);

    let mut places = places(files, &names, &mut report);
    if let Some((places, _)) = &mut places {
        places.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    }
    let max_events = MAX_RECORDS.saturating_sub(places.as_ref().map_or(0, |(places, _)| places.len()));
    let at = places.as_ref().map(|(places, _)| places.as_slice());
    let events = events(files, (&names, at), from, max_events, &mut report);
    // A file that could not be read may hold any number of records.
    if let (Some((places, place_entries)), Some((events, event_entries))) = (&places, &events) {
        rules::count(&mut report, places.len().max(*place_entries), events.len().max(*event_entries));
    }

    let (places, mut events) = (places.unwrap_or_default().0, events.unwrap_or_default().0);
    rules::text_size(&mut report, &places, &events, MAX_TEXT_BYTES);
    events.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    report.finish(Snapshot {
        format: FORMAT,
        name,
        curated_at,
        not_listed,
        vocabulary,
        positions,
        places,
        events,
    })
}

/// The vocabulary, with nothing in place of what could not be read.
fn vocabulary(files: &Files, report: &mut Report) -> (Vocabulary, Readable) {
    let geography = text(files, File::Regions, report).and_then(|text| parse::geography(report, text));
    let addresses = text(files, File::AddressCodes, report).and_then(|text| parse::addresses(report, text));
    let taxonomy = text(files, File::Categories, report).and_then(|text| parse::taxonomy(report, text));
    let synonyms = text(files, File::Synonyms, report).and_then(|text| parse::synonyms(report, text));
    let readable =
        Readable { areas: geography.is_some(), codes: addresses.is_some(), categories: taxonomy.is_some() };
    let vocabulary = Vocabulary {
        geography: geography.unwrap_or_default(),
        addresses: addresses.unwrap_or_default(),
        taxonomy: taxonomy.unwrap_or_default(),
        synonyms: synonyms.unwrap_or_default(),
    };
    (vocabulary, readable)
}

/// The records of a file that could be parsed, and how many entries its list has; nothing when it could not be read.
type Records<R> = Option<(Vec<R>, usize)>;

fn text<'f>(files: &'f Files, file: File, report: &mut Report) -> Option<&'f str> {
    files.text(file).map_err(|defect| report.push(defect.clone())).ok()
}

fn places(files: &Files, names: &Names<'_>, report: &mut Report) -> Records<Place> {
    let text = text(files, File::Places, report)?;
    let (mut places, mut entries, mut ids) = (Vec::new(), 0, Ids::default());
    parse::each_record(report, File::Places, text, |report, index, value| {
        report.forget_unread();
        entries = index + 1;
        if let Some(place) = parse::place(report, index, value) {
            rules::place(report, names, &place);
            ids.add(report, &place.id, index);
            places.push(place);
        }
        index < MAX_RECORDS
    });
    Some((places, entries))
}

/// What the names in events may refer to: the vocabulary, and the places sorted by id, if they could be read.
type Known<'a> = (&'a Names<'a>, Option<&'a [Place]>);

fn events(
    files: &Files,
    known: Known<'_>,
    from: NaiveDate,
    max_events: usize,
    report: &mut Report,
) -> Records<Event> {
    let text = text(files, File::Events, report)?;
    let (mut events, mut entries, mut ids) = (Vec::new(), 0, Ids::default());
    parse::each_record(report, File::Events, text, |report, index, value| {
        report.forget_unread();
        entries = index + 1;
        if let Some(Draft { mut event, when }) = parse::event(report, index, value) {
            let (names, places) = known;
            if let Some(place) = event.place.as_deref().and_then(|id| rules::place_of(places?, id)) {
                event.take_over(place);
            }
            match when {
                When::Dated => {
                    rules::event(report, names, places, &event);
                    ids.add(report, &event.id, index);
                    events.push(event);
                }
                When::Repeated(repeat, date) => {
                    for event in repeated(report, known, event, (&repeat, date, from), (&mut ids, index)) {
                        ids.add(report, &event.id, index);
                        events.push(event);
                    }
                }
                When::Unknown => {
                    // Its date is already reported; this stand-in passes the rules.
                    let date = event.end_date.unwrap_or(from);
                    let event = Event { date, ..event };
                    rules::event(report, names, places, &event);
                    ids.add(report, &event.id, index);
                }
            }
        }
        index < MAX_RECORDS && events.len() <= max_events
    });
    Some((events, entries))
}

/// Checks a repeated event and expands it into dated ones; none when its rule has a defect.
fn repeated(
    report: &mut Report,
    (names, places): Known<'_>,
    mut event: Event,
    (repeat, date, from): (&Repeat, Option<NaiveDate>, NaiveDate),
    (ids, index): (&mut Ids, usize),
) -> Vec<Event> {
    if date.is_none() {
        // A stand-in that passes the rules; the dated events get their own.
        event.date = from;
        if event.end_date.take().is_some() {
            report.add("end_date", || {
                let fix = "add the date of the first run, so that its length is known";
                ("an event that repeats has an end_date and no date", fix)
            });
        }
    }
    rules::event(report, names, places, &event);
    check_repeated_id(report, &event.id);
    at_most(report, "repeat.dates", repeat.dates.len(), MAX_DATES);
    // Two events with one id would clash on every common date: that is one defect, not fifty.
    if !ids.add(report, &event.id, index) {
        return Vec::new();
    }
    dated(&event, repeat, date, from).unwrap_or_else(|error| {
        // When there are no dates, until or except may be what is wrong.
        let field = if matches!(error, RepeatError::NoDates { .. }) { "repeat" } else { "repeat.rule" };
        report.add(field, || (error.to_string(), error.fix()));
        Vec::new()
    })
}

/// The dated events `<id>-YYYY-MM-DD` of a repeated one, all of the same length.
fn dated(
    event: &Event,
    repeat: &Repeat,
    date: Option<NaiveDate>,
    from: NaiveDate,
) -> Result<Vec<Event>, RepeatError> {
    let lasts = event.end_date.map_or(0, |end| (end - event.date).num_days());
    // A run whose length is already a defect is not expanded for years.
    let lasts = Days::new(lasts.clamp(0, rules::MAX_RUN_DAYS).unsigned_abs());
    let days = recur::days(repeat, date, lasts, from)?;
    let on = |day: NaiveDate| Event {
        id: format!("{}-{day}", event.id),
        series: Some(event.id.clone()),
        date: day,
        end_date: event.end_date.and_then(|_| day.checked_add_days(lasts)),
        ..event.clone()
    };
    Ok(days.into_iter().map(on).collect())
}

/// Checks that the id of a repeated event leaves space for the date that is appended.
fn check_repeated_id(report: &mut Report, id: &str) {
    let max = MAX_ID - "-2026-11-21".len();
    if id.len() > max {
        report.add("id", || {
            let what = format!("is {} characters long and gets a date appended for each day", id.len());
            (what, format!("shorten it to {max} or fewer"))
        });
    }
}

/// The ids of a file and the index of the first record with each.
#[derive(Default)]
struct Ids(HashMap<String, usize>);

impl Ids {
    /// Whether an id is new; a duplicate is reported.
    fn add(&mut self, report: &mut Report, id: &str, index: usize) -> bool {
        if let Some(first) = self.0.get(id) {
            report.add("id", || {
                let what = format!("{} is also the id of record #{}", quoted(id), first + 1);
                (what, format!("give record #{} an id of its own", index + 1))
            });
            return false;
        }
        self.0.insert(id.to_owned(), index);
        true
    }
}
