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
use crate::text::{MAX_ID, quoted};
use crate::{Event, FORMAT, MAX_RECORDS, MAX_TEXT_BYTES, Place, Snapshot, Vocabulary, vocabulary_rules};

/// Checks a folder and makes a snapshot of it. Repeated events are expanded from the day `from` on.
pub fn check(files: &Files, from: NaiveDate) -> Result<Snapshot, Defects> {
    let mut report = Report::new();
    let guide = text(files, File::Guide, &mut report).and_then(|text| parse::guide(&mut report, text));
    if let Some(guide) = &guide {
        rules::guide(&mut report, &guide.name, &guide.curated_at);
    }

    let geography =
        text(files, File::Regions, &mut report).and_then(|text| parse::geography(&mut report, text));
    let addresses =
        text(files, File::AddressCodes, &mut report).and_then(|text| parse::addresses(&mut report, text));
    let taxonomy =
        text(files, File::Categories, &mut report).and_then(|text| parse::taxonomy(&mut report, text));
    let readable = Readable { areas: geography.is_some(), categories: taxonomy.is_some() };
    let vocabulary = Vocabulary {
        geography: geography.unwrap_or_default(),
        addresses: addresses.unwrap_or_default(),
        taxonomy: taxonomy.unwrap_or_default(),
    };
    let names = Names::new(&vocabulary, readable);
    vocabulary_rules::check(&mut report, &names);

    let mut places = places(files, &names, &mut report);
    let max_events = MAX_RECORDS.saturating_sub(places.records.len());
    let mut events = events(files, &names, from, max_events, &mut report);
    // A file that could not be read may hold any number of records.
    if places.read && events.read {
        let count = |records: usize, entries: usize| records.max(entries);
        let places = count(places.records.len(), places.entries);
        rules::count(&mut report, places, count(events.records.len(), events.entries));
    }

    rules::text_size(&mut report, &places.records, &events.records, MAX_TEXT_BYTES);
    places.records.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    events.records.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    let Guide { name, curated_at } = guide.unwrap_or_default();
    let (places, events) = (places.records, events.records);
    report.finish(Snapshot { format: FORMAT, name, curated_at, vocabulary, places, events })
}

/// The content of a file of records.
struct Records<R> {
    /// The records that could be read.
    records: Vec<R>,
    /// How many entries the file's list has.
    entries: usize,
    /// Whether the file could be read.
    read: bool,
}

impl<R> Default for Records<R> {
    fn default() -> Self {
        Self { records: Vec::new(), entries: 0, read: false }
    }
}

fn text<'f>(files: &'f Files, file: File, report: &mut Report) -> Option<&'f str> {
    match files.text(file) {
        Ok(text) => Some(text),
        Err(defect) => {
            report.push(defect.clone());
            None
        }
    }
}

fn places(files: &Files, names: &Names<'_>, report: &mut Report) -> Records<Place> {
    let mut places = Records::default();
    let Some(text) = text(files, File::Places, report) else { return places };
    places.read = true;
    let mut ids = Ids::default();
    parse::each_record(report, File::Places, text, |report, index, value| {
        report.forget_unread();
        places.entries = index + 1;
        if let Some(place) = parse::place(report, index, value) {
            rules::place(report, names, &place);
            ids.add(report, &place.id, index);
            places.records.push(place);
        }
        index < MAX_RECORDS
    });
    places
}

fn events(
    files: &Files,
    names: &Names<'_>,
    from: NaiveDate,
    max_events: usize,
    report: &mut Report,
) -> Records<Event> {
    let mut events = Records::default();
    let Some(text) = text(files, File::Events, report) else { return events };
    events.read = true;
    let mut ids = Ids::default();
    parse::each_record(report, File::Events, text, |report, index, value| {
        report.forget_unread();
        events.entries = index + 1;
        if let Some(Draft { event, when }) = parse::event(report, index, value) {
            let records = &mut events.records;
            match when {
                When::Dated => {
                    rules::event(report, names, &event);
                    ids.add(report, &event.id, index);
                    records.push(event);
                }
                When::Repeated(repeat, date) => {
                    for event in repeated(report, names, event, (&repeat, date, from), (&mut ids, index)) {
                        ids.add(report, &event.id, index);
                        records.push(event);
                    }
                }
                When::Unknown => {
                    // Its date is already reported; this stand-in passes the rules.
                    let date = event.end_date.unwrap_or(from);
                    let event = Event { date, ..event };
                    rules::event(report, names, &event);
                    ids.add(report, &event.id, index);
                }
            }
        }
        index < MAX_RECORDS && events.records.len() <= max_events
    });
    events
}

/// Checks a repeated event and expands it into dated ones; none when its rule has a defect.
fn repeated(
    report: &mut Report,
    names: &Names<'_>,
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
                ("an event that repeats has an end_date and no date".into(), fix.into())
            });
        }
    }
    rules::event(report, names, &event);
    check_repeated_id(report, &event.id);
    // Two events with one id would clash on every common date: that is one defect, not fifty.
    if !ids.add(report, &event.id, index) {
        return Vec::new();
    }
    dated(&event, repeat, date, from).unwrap_or_else(|error| {
        // When a rule gives no dates, its until or except may be what is wrong.
        let field = if matches!(error, RepeatError::NoDates { .. }) { "repeat" } else { "repeat.rule" };
        report.add(field, || (error.to_string(), error.fix().to_owned()));
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
