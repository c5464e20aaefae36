//! Warnings: what servers accept and a curator most likely did not mean.
//!
//! They read the files once more, apart from [`crate::check()`], so that they are found beside defects too and cost a
//! publication nothing.

use std::collections::{BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Days, NaiveDate};
use serde_json::Value;

use crate::defect::{Defect, Report};
use crate::file::File;
use crate::folder::Files;
use crate::parse::{self, Draft, When};
use crate::recur::{self, Repeat};
use crate::series::lasts;
use crate::text::{folded, nearest, quoted, suggestion};
use crate::text_warnings::scan;
use crate::vocabulary::{Addresses, Geography, Parts};
use crate::warning::{Cause, Warnings};
use crate::{Event, Place, is_shown};

/// How many days ahead a date looks mistyped: two years.
const FAR_OFF_DAYS: u64 = 730;
/// How many days ahead the first day of a place looks mistyped: half a year.
const LONG_UNSHOWN_DAYS: u64 = 180;
/// After how many days without anything new a guide looks abandoned.
const STALE_DAYS: u64 = 30;

/// Finds what a curator most likely did not mean, on the day `today`.
pub fn warnings(files: &Files, today: NaiveDate) -> Warnings {
    let mut found = Warnings::default();
    for file in File::ALL {
        if let Ok(text) = files.text(file) {
            scan(&mut found, file, text);
        }
    }
    let places = records(files, File::Places, parse::place);
    let drafts = records(files, File::Events, parse::event);
    let geography = files.text(File::Regions).ok().and_then(|text| serde_json::from_str(text).ok());
    of_records(&mut found, &places, &drafts, &geography.unwrap_or_default(), today);
    addresses(&mut found, files, &places, &drafts);
    stale(&mut found, files, &drafts, today);
    found
}

/// The records of a file that can be read; defects are reported by the check.
fn records<R>(files: &Files, file: File, parse: impl Fn(&mut Report, usize, Value) -> Option<R>) -> Vec<R> {
    let mut read = Vec::new();
    if let Ok(text) = files.text(file) {
        parse::each_record(&mut Report::new(), file, text, |_, index, value| {
            read.extend(parse(&mut Report::new(), index, value));
            read.len() < crate::MAX_RECORDS
        });
    }
    read
}

fn of_records(
    found: &mut Warnings,
    places: &[Place],
    drafts: &[Draft],
    geography: &Geography,
    today: NaiveDate,
) {
    let mut twins = HashMap::new();
    for place in places.iter().filter(|place| !place.is_hidden()) {
        let Place { id, name, region, neighbourhood, .. } = place;
        let key = (folded(name), region.as_str(), neighbourhood.as_deref(), String::new());
        twin(found, &mut twins, File::Places, id, key);
        never_shown(found, place, today);
    }
    let known = KnownPlaces::new(places, geography);
    let mut venues = HashSet::new();
    twins.clear();
    for Draft { event, when } in drafts.iter().filter(|draft| !draft.event.is_hidden()) {
        let place = event.place.as_deref().and_then(|id| known.by_id.get(id));
        let region = place.filter(|_| event.region.is_empty()).map_or(&event.region, |place| &place.region);
        let around = place.filter(|place| place.region == *region);
        let days = match when {
            When::Dated => event.date.to_string(),
            When::Repeated(repeat, date) => format!("{:?} {:?} {:?}", repeat.rule, repeat.dates, date),
            When::Unknown => continue,
        };
        let hours = format!("{days} {:?}", event.starts());
        let neighbourhood = event.neighbourhood.as_deref().or_else(|| around?.neighbourhood.as_deref());
        twin(found, &mut twins, File::Events, &event.id, (folded(&event.name), region, neighbourhood, hours));
        over(found, event, when, today);
        doubtful_dates(found, event, when, today);
        if let Some(place) = place {
            at_unshown(found, event, when, (place, today));
        }
        if let Some(tickets) = event.tickets.as_ref().filter(|text| text.to_lowercase().contains("http://")) {
            found.add(Cause::HttpTickets, || {
                let what = format!("{} has a link with http://", quoted(tickets));
                let fix = "write https:// if the shop answers there, and in links.tickets";
                entry(File::Events, &event.id, "tickets", what, fix)
            });
        }
        if place.is_some() || event.place.is_none() {
            whereabouts(found, &known, event, place.copied(), &mut venues);
        }
    }
}

/// The places of the guide by id, and by their folded names and aliases, and which neighbourhoods are in others.
struct KnownPlaces<'p> {
    all: &'p [Place],
    by_id: HashMap<&'p str, &'p Place>,
    by_name: HashMap<String, Vec<&'p Place>>,
    parts: Parts,
}

impl<'p> KnownPlaces<'p> {
    fn new(all: &'p [Place], geography: &Geography) -> KnownPlaces<'p> {
        let mut by_name: HashMap<String, Vec<&Place>> = HashMap::new();
        for place in all {
            for name in std::iter::once(&place.name).chain(&place.aliases) {
                by_name.entry(folded(name)).or_default().push(place);
            }
        }
        let by_id = all.iter().map(|place| (place.id.as_str(), place)).collect();
        KnownPlaces { all, by_id, by_name, parts: geography.parts() }
    }
}

/// Warns of an event that is in another area than its place, and of a venue that is the name of no place, once.
fn whereabouts(
    found: &mut Warnings,
    known: &KnownPlaces<'_>,
    event: &Event,
    place: Option<&Place>,
    venues: &mut HashSet<String>,
) {
    let (field, meant) = match (place, &event.venue) {
        (Some(place), _) => ("place", vec![place]),
        (None, Some(venue)) => match known.by_name.get(&folded(venue)) {
            Some(places) => ("venue", places.clone()),
            None => {
                if venues.insert(folded(venue)) {
                    found.add(Cause::UnknownVenue, || unknown_venue(event, venue, known.all));
                }
                return;
            }
        },
        (None, None) => return,
    };
    let is_in = |place: &&Place| {
        (event.region.is_empty() || event.region == place.region)
            && known.parts.overlap(event.neighbourhood.as_deref(), place.neighbourhood.as_deref())
    };
    if let Some(first) = meant.first().filter(|_| !meant.iter().any(is_in)) {
        found.add(Cause::OtherArea, || {
            let area = first.neighbourhood.as_ref().unwrap_or(&first.region);
            let what = format!("the place {} is in {}", quoted(&first.name), quoted(area));
            entry(
                File::Events,
                &event.id,
                field,
                what,
                "correct the place, or the neighbourhood and the region",
            )
        });
    }
}

/// Warns of addresses that begin with a code of another region: "CNB 12" is in Taguatinga.
fn addresses(found: &mut Warnings, files: &Files, places: &[Place], drafts: &[Draft]) {
    let read = files.text(File::AddressCodes).ok();
    let read: Addresses =
        read.and_then(|text| parse::addresses(&mut Report::new(), text)).unwrap_or_default();
    let codes: HashMap<String, &str> = read.deciding().map(|(name, _, region)| (name, region)).collect();
    let mut look = |file, id: &str, address: &Option<String>, region: &str| {
        let Some(address) = address else { return };
        let Some(code) = Addresses::first_word(address) else { return };
        if let Some(other) =
            codes.get(&code.to_uppercase()).filter(|other| **other != region && !region.is_empty())
        {
            found.add(Cause::AddressElsewhere, || {
                let what =
                    format!("{} is in {}, and the record in {}", quoted(code), quoted(other), quoted(region));
                entry(file, id, "address", what, "correct the address, or the neighbourhood and the region")
            });
        }
    };
    for Place { id, address, region, .. } in places {
        look(File::Places, id, address, region);
    }
    for Draft { event: Event { id, address, region, .. }, .. } in drafts {
        look(File::Events, id, address, region);
    }
}

/// A name, region, neighbourhood and, of events, when.
type Identity<'r> = (String, &'r str, Option<&'r str>, String);

fn twin<'r>(
    found: &mut Warnings,
    seen: &mut HashMap<Identity<'r>, &'r str>,
    file: File,
    id: &'r str,
    key: Identity<'r>,
) {
    let first = *seen.entry(key).or_insert(id);
    if first != id {
        found.add(Cause::Twins, || {
            let what = format!("has the name and area of {}", quoted(first));
            entry(file, id, "name", what, "remove one of the two, or tell them apart by name")
        });
    }
}

fn unknown_venue(event: &Event, venue: &str, places: &[Place]) -> Defect {
    let spellings = places.iter().flat_map(|place| {
        let names = std::iter::once(&place.name).chain(&place.aliases);
        names.map(|name| (name.as_str(), place.name.as_str()))
    });
    let near = nearest(venue, spellings);
    let what = format!("{} is the name of no place", quoted(venue));
    entry(
        File::Events,
        &event.id,
        "venue",
        what,
        suggestion(near, "add the place, or leave it if it is none"),
    )
}

/// Warns of a dated event that is over, and of days in `except` on which a repeated one does not take place.
fn over(found: &mut Warnings, event: &Event, when: &When, today: NaiveDate) {
    match when {
        When::Dated => {
            let last = event.end_date.unwrap_or(event.date);
            if last < today {
                found.add(Cause::Over, || {
                    let what = format!("was over on {last}");
                    entry(File::Events, &event.id, "date", what, "remove the event, or correct its date")
                });
            }
        }
        When::Repeated(repeat, date) => {
            // the last run may be in progress
            let from = today.checked_sub_days(run(event, *date)).unwrap_or(today);
            if recur::is_over(repeat, *date, from) {
                found.add(Cause::Over, || {
                    let what = "has no more dates".to_owned();
                    entry(File::Events, &event.id, "repeat", what, "remove the event, or correct its dates")
                });
            }
            for day in not_given(repeat, *date, &repeat.except.iter().copied().collect()) {
                found.add(Cause::IdleExcept, || {
                    let what = format!("nothing takes place on {day}");
                    let fix = "correct the day, or remove it";
                    entry(File::Events, &event.id, "repeat.except", what, fix)
                });
            }
        }
        When::Unknown => {}
    }
}

/// Warns of an event that begins years ahead, is not served when it takes place, or whose first date its rule does not
/// give.
fn doubtful_dates(found: &mut Warnings, event: &Event, when: &When, today: NaiveDate) {
    let (first, repeat) = match when {
        When::Dated => (event.date, None),
        When::Repeated(repeat, Some(date)) => (*date, Some(repeat)),
        When::Repeated(_, None) | When::Unknown => return,
    };
    let mut add = |cause, field: &str, what: String, fix: &str| {
        found.add(cause, || entry(File::Events, &event.id, field, what, fix));
    };
    if today.checked_add_days(Days::new(FAR_OFF_DAYS)).is_some_and(|far| first > far) {
        add(Cause::FarOff, "date", format!("{first} is more than two years ahead"), "check the year");
    }
    if let Some(until) = event.show_until.filter(|until| *until < first) {
        let what = format!("{until} is before the event, {first}");
        add(Cause::NotShown, "show_until", what, "correct the day, or remove it");
    }
    let last = event.end_date.unwrap_or(first);
    if let Some(from) = event.show_from.filter(|from| repeat.is_none() && *from > last) {
        let what = format!("{from} is after the event, {last}");
        add(Cause::NotShown, "show_from", what, "correct the day, or remove it");
    }
    if repeat.is_some_and(|repeat| !not_given(repeat, Some(first), &[first].into()).is_empty()) {
        let what = format!("nothing takes place on {first} by the rule");
        add(Cause::OffRule, "date", what, "write the first day of the rule, or correct the rule");
    }
}

/// Warns of a place that is no longer shown, or not for long. Who hides one means it.
fn never_shown(found: &mut Warnings, place: &Place, today: NaiveDate) {
    let mut add = |field: &str, what: String, fix: &str| {
        found.add(Cause::NeverShown, || entry(File::Places, &place.id, field, what, fix));
    };
    let late = today.checked_add_days(Days::new(LONG_UNSHOWN_DAYS)).unwrap_or(NaiveDate::MAX);
    if let Some(until) = place.show_until.filter(|until| *until < today) {
        let what = format!("is no longer shown: its last day was {until}");
        add("show_until", what, "correct show_until, or remove the place");
    } else if let Some(from) = place.show_from.filter(|from| *from > late) {
        let what = format!("is shown only from {from} on");
        add("show_from", what, "correct show_from, if that is too late");
    }
}

/// Warns of an event that is still to come at a place that is not shown on its days.
fn at_unshown(found: &mut Warnings, event: &Event, when: &When, (place, today): (&Place, NaiveDate)) {
    let Place { name, hidden, show_from, show_until, .. } = place;
    let is_shown_on = |day: NaiveDate| is_shown(*hidden, *show_from, *show_until, day);
    let days = match when {
        _ if hidden.is_none() && show_from.is_none() && show_until.is_none() => return,
        When::Dated => {
            let last = event.end_date.unwrap_or(event.date);
            if last < today { Vec::new() } else { vec![event.date.max(today), last] }
        }
        When::Repeated(repeat, date) => {
            recur::days(repeat, *date, run(event, *date), today).unwrap_or_default()
        }
        When::Unknown => return,
    };
    if days.is_empty() || days.iter().any(|day| is_shown_on(*day)) {
        return;
    }
    let name = quoted(name);
    let what = match (hidden, show_from, show_until) {
        (Some(true), ..) => format!("the place {name} is hidden"),
        (_, _, Some(until)) if days.iter().all(|day| until < day) => {
            format!("the place {name} is shown only until {until}")
        }
        (_, Some(from), _) => format!("the place {name} is shown only from {from} on"),
        _ => return,
    };
    found.add(Cause::AtUnshown, || {
        entry(File::Events, &event.id, "place", what, "show the place, or write another one")
    });
}

/// Those of some days that the rule and the dates do not give, whatever `except` says. A rule with a defect gives none
/// of this.
fn not_given(repeat: &Repeat, date: Option<NaiveDate>, days: &BTreeSet<NaiveDate>) -> Vec<NaiveDate> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Vec::new() };
    let whole = Repeat { except: Vec::new(), ..repeat.clone() };
    match recur::between(&whole, date, *first, *last) {
        Ok(given) => days.iter().copied().filter(|day| given.binary_search(day).is_err()).collect(),
        Err(_) => Vec::new(),
    }
}

/// The days from the first of a run of a repeated event to the last; 0 when they are not known.
fn run(event: &Event, date: Option<NaiveDate>) -> Days {
    date.map_or(Days::new(0), |_| lasts(event))
}

/// Warns of a guide that was finished long ago, and of one without an event in the next days.
fn stale(found: &mut Warnings, files: &Files, drafts: &[Draft], today: NaiveDate) {
    let text = files.text(File::Guide).unwrap_or_default();
    let guide = serde_json::from_str::<Value>(text).unwrap_or_default();
    let curated = guide["curated_at"].as_str().and_then(|at| DateTime::parse_from_rfc3339(at).ok());
    let old = today.checked_sub_days(Days::new(STALE_DAYS)).unwrap_or(NaiveDate::MIN);
    if let Some(day) = curated.map(|at| at.date_naive()).filter(|day| *day < old) {
        found.add(Cause::Stale, || Defect {
            field: Some("curated_at".to_owned()),
            ..Defect::of_file(
                File::Guide,
                format!("the guide was finished on {day}, more than {STALE_DAYS} days ago"),
                "add what is new, and write today",
            )
        });
    }
    let next = today.checked_add_days(Days::new(STALE_DAYS)).unwrap_or(NaiveDate::MAX);
    let is_soon = |Draft { event, when }: &Draft| match when {
        When::Dated => event.date <= next && event.end_date.unwrap_or(event.date) >= today,
        When::Repeated(repeat, date) => {
            let days = recur::days(repeat, *date, run(event, *date), today);
            days.is_ok_and(|days| days.first().is_some_and(|first| *first <= next))
        }
        When::Unknown => true,
    };
    if !drafts.is_empty() && !drafts.iter().any(is_soon) {
        found.add(Cause::Stale, || {
            let what = format!("no event takes place in the next {STALE_DAYS} days");
            Defect::of_file(File::Events, what, "add the next events")
        });
    }
}

fn entry(file: File, id: &str, field: &str, what: String, fix: impl Into<String>) -> Defect {
    Defect { file, id: Some(id.to_owned()), field: Some(field.to_owned()), what, fix: fix.into() }
}
