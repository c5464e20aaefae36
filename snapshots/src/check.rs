//! Turns the files of a folder into a checked snapshot, or lists everything that is wrong with them.
//!
//! It does not stop at the first defect: unreadable files, records of the wrong type and unknown names are all reported
//! at once.

use std::collections::HashMap;

use chrono::NaiveDate;

use crate::defect::{Defects, Report};
use crate::file::File;
use crate::folder::Files;
use crate::names::{Names, Readable};
use crate::parse::{self, Draft, Guide, When};
use crate::record::NO_DATE;
use crate::recur;
use crate::rules;
use crate::series::{first_date, lasts};
use crate::sizes::{Size, places_text};
use crate::text::quoted;
use crate::{
    Event, FORMAT, MAX_RECORDS, MAX_TEXT_BYTES, Place, Snapshot, Vocabulary, city_map, position_rules,
    term_rules, vocabulary_rules,
};

/// Checks a folder and makes a snapshot of it, which does not depend on the day `from`: from that day on rules must
/// give dates, and those must not be too many.
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
    let map = text(files, File::Map, &mut report);
    let map = map.and_then(|text| parse::city_map(&mut report, text)).unwrap_or_default();
    // without regions every slug would be unknown
    let areas = Some(&vocabulary).filter(|all| readable.areas && !all.geography.regions.is_empty());
    city_map::check(&mut report, areas, &map);
    let names = Names::new(&vocabulary, readable, positions.usable_bounds());
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
    let size = events.as_ref().map_or_else(Size::default, |(_, _, size)| *size);
    // A file that could not be read may hold any number of records.
    if let (Some((places, place_entries)), Some((_, event_entries, _))) = (&places, &events) {
        rules::count(&mut report, places.len().max(*place_entries), size.records.max(*event_entries));
    }

    let places = places.map_or_else(Vec::new, |(places, _)| places);
    let mut events = events.map_or_else(Vec::new, |(events, ..)| events);
    rules::text_size(&mut report, size.text + places_text(&places), MAX_TEXT_BYTES);
    events.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    rules::dates_of_series(&mut report, &events);
    report.finish(Snapshot {
        format: FORMAT,
        name,
        curated_at,
        not_listed,
        vocabulary,
        positions,
        map,
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

/// The events, how many entries their list has, and the size of their dated ones.
fn events(
    files: &Files,
    known: Known<'_>,
    from: NaiveDate,
    max_events: usize,
    report: &mut Report,
) -> Option<(Vec<Event>, usize, Size)> {
    let text = text(files, File::Events, report)?;
    let (mut events, mut entries, mut ids, mut size) = (Vec::new(), 0, Ids::default(), Size::default());
    parse::each_record(report, File::Events, text, |report, index, value| {
        report.forget_unread();
        entries = index + 1;
        if let Some(Draft { mut event, when }) = parse::event(report, index, value) {
            let (names, places) = known;
            if let Some(place) = event.place.as_deref().and_then(|id| rules::place_of(places?, id)) {
                event.take_over(place);
            }
            let is_known = match when {
                When::Dated => true,
                When::Repeated(repeat, date) => {
                    event.date = date.unwrap_or(NO_DATE);
                    event.repeat = Some(Box::new(repeat));
                    true
                }
                When::Unknown => {
                    // Its date is already reported; this stand-in passes the rules.
                    event.date = event.end_date.unwrap_or(from);
                    false
                }
            };
            rules::event(report, names, places, &event);
            let is_new = ids.add(report, &event.id, index);
            if is_known && is_new {
                size = size.and(Size::of(&event, from));
                gives_dates(report, &event, from);
                events.push(event);
            }
        }
        index < MAX_RECORDS && size.records <= max_events
    });
    Some((events, entries, size))
}

/// Reports a rule that gives no date for as long as it is expanded, unless it gave some before.
fn gives_dates(report: &mut Report, event: &Event, from: NaiveDate) {
    let Some(repeat) = &event.repeat else { return };
    if let Some(error) = recur::never_occurs(repeat, first_date(event), lasts(event), from) {
        report.add("repeat", || (error.to_string(), error.fix()));
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
