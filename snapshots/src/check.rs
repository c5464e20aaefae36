//! From the files of a folder to a checked snapshot, or to everything that is wrong with them.
//!
//! Nothing stops at the first defect: a file that cannot be read, a record of the wrong shape and a name that
//! nobody knows are all told in one go. May use [`crate::folder`], the shapes, the rules and [`crate::recur`].

use std::collections::HashMap;

use chrono::{Days, NaiveDate};

use crate::defect::{Defects, Report};
use crate::file::File;
use crate::folder::Files;
use crate::parse::{self, Draft, Guide, When};
use crate::recur::{self, Repeat, RepeatError};
use crate::rules::{self, Lexicon, Read};
use crate::text::{MAX_ID, quoted};
use crate::{Event, FORMAT, MAX_RECORDS, Place, Snapshot, Vocabulary};

/// Checks a folder and makes a snapshot of it. Repeated events are written out from the day `from` on.
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
    let read = Read { areas: geography.is_some(), categories: taxonomy.is_some() };
    let vocabulary = Vocabulary {
        geography: geography.unwrap_or_default(),
        addresses: addresses.unwrap_or_default(),
        taxonomy: taxonomy.unwrap_or_default(),
    };
    let lexicon = Lexicon::new(&vocabulary, read);
    rules::vocabulary(&mut report, &lexicon);

    let mut places = places(files, &lexicon, &mut report);
    let room = MAX_RECORDS.saturating_sub(places.records.len());
    let mut events = events(files, &lexicon, from, room, &mut report);
    // Of a file that could not be read it is not known that it holds no records.
    if places.read && events.read {
        let seen = |records: usize, entries: usize| records.max(entries);
        let places = seen(places.records.len(), places.entries);
        rules::amount(&mut report, places, seen(events.records.len(), events.entries));
    }

    places.records.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    events.records.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    let Guide { name, curated_at } = guide.unwrap_or_default();
    let (places, events) = (places.records, events.records);
    report.verdict(Snapshot { format: FORMAT, name, curated_at, vocabulary, places, events })
}

/// What a file of records gave.
struct Gathered<R> {
    /// The records, as far as they could be read.
    records: Vec<R>,
    /// How many entries the file's list has.
    entries: usize,
    /// Whether there was a text to read at all.
    read: bool,
}

impl<R> Default for Gathered<R> {
    fn default() -> Self {
        Self { records: Vec::new(), entries: 0, read: false }
    }
}

fn text<'f>(files: &'f Files, file: File, report: &mut Report) -> Option<&'f str> {
    match files.text(file) {
        Ok(text) => Some(text),
        Err(defect) => {
            report.take(defect.clone());
            None
        }
    }
}

fn places(files: &Files, lexicon: &Lexicon<'_>, report: &mut Report) -> Gathered<Place> {
    let mut places = Gathered::default();
    let Some(text) = text(files, File::Places, report) else { return places };
    places.read = true;
    let mut ids = Ids::default();
    parse::each_record(report, File::Places, text, |report, index, value| {
        report.forget_unread();
        places.entries = index + 1;
        if let Some(place) = parse::place(report, index, value) {
            rules::place(report, lexicon, &place);
            ids.once(report, &place.id, index);
            places.records.push(place);
        }
        index < MAX_RECORDS
    });
    places
}

fn events(
    files: &Files,
    lexicon: &Lexicon<'_>,
    from: NaiveDate,
    room: usize,
    report: &mut Report,
) -> Gathered<Event> {
    let mut events = Gathered::default();
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
                    rules::event(report, lexicon, &event);
                    ids.once(report, &event.id, index);
                    records.push(event);
                }
                When::Repeated(repeat, date) => {
                    for event in repeated(report, lexicon, event, (&repeat, date, from), (&mut ids, index)) {
                        ids.once(report, &event.id, index);
                        records.push(event);
                    }
                }
                When::Unread => {
                    // Its date is told already; this one fits, so that the rules say nothing of it.
                    let date = event.end_date.unwrap_or(from);
                    let event = Event { date, ..event };
                    rules::event(report, lexicon, &event);
                    ids.once(report, &event.id, index);
                }
            }
        }
        index < MAX_RECORDS && events.records.len() <= room
    });
    events
}

/// Checks a repeated event and gives its dated ones; none when there is a defect in how it repeats.
fn repeated(
    report: &mut Report,
    lexicon: &Lexicon<'_>,
    mut event: Event,
    (repeat, date, from): (&Repeat, Option<NaiveDate>, NaiveDate),
    (ids, index): (&mut Ids, usize),
) -> Vec<Event> {
    if date.is_none() {
        // The rules want a date that fits; the dated events get their own.
        event.date = from;
        if event.end_date.take().is_some() {
            report.say("end_date", || {
                let fix = "add the date of the first run, so that its length is known";
                ("an event that repeats has an end_date and no date".into(), fix.into())
            });
        }
    }
    rules::event(report, lexicon, &event);
    check_repeated_id(report, &event.id);
    // Two events of one id would clash on every day that both give: that is one defect, not fifty.
    if !ids.once(report, &event.id, index) {
        return Vec::new();
    }
    dated(&event, repeat, date, from).unwrap_or_else(|error| {
        // A rule that gives no days may be right, and its until or except wrong.
        let field = if matches!(error, RepeatError::NoDay { .. }) { "repeat" } else { "repeat.rule" };
        report.say(field, || (error.to_string(), error.fix().to_owned()));
        Vec::new()
    })
}

/// The dated events `<id>-YYYY-MM-DD` of a repeated one, each as long as the first.
fn dated(
    event: &Event,
    repeat: &Repeat,
    date: Option<NaiveDate>,
    from: NaiveDate,
) -> Result<Vec<Event>, RepeatError> {
    let lasts = event.end_date.map_or(0, |end| (end - event.date).num_days());
    // A run whose length is a defect is not written out for years.
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

/// The date that is added to the id of a repeated event must fit in as well.
fn check_repeated_id(report: &mut Report, id: &str) {
    let most = MAX_ID - "-2026-11-21".len();
    if id.len() > most {
        report.say("id", || {
            let what = format!("is {} characters long and gets a date added for each day", id.len());
            (what, format!("shorten it to {most} or fewer"))
        });
    }
}

/// The ids of a file and where each was first seen.
#[derive(Default)]
struct Ids(HashMap<String, usize>);

impl Ids {
    /// Whether an id is new; one that is not is told.
    fn once(&mut self, report: &mut Report, id: &str, index: usize) -> bool {
        if let Some(first) = self.0.get(id) {
            report.say("id", || {
                let what = format!("{} is also the id of record #{}", quoted(id), first + 1);
                (what, format!("give record #{} an id of its own", index + 1))
            });
            return false;
        }
        self.0.insert(id.to_owned(), index);
        true
    }
}
