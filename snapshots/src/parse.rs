//! From JSON values to typed ones, field by field, telling every field that has the wrong shape.
//!
//! serde would stop at the first fault of a record; a curator wants all of them at once. Where a field cannot be
//! read a stand-in takes its place and the report remembers that, so that the rules do not blame it again.
//! May use [`crate::text`], the typed records and the report; knows no rule about what a value means.

use std::fmt::{self, Display};

use chrono::{NaiveDate, NaiveTime};
use serde::Deserializer;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::defect::Report;
use crate::file::File;
use crate::record::{Description, Event, Links, Place};
use crate::recur::Repeat;
use crate::text::{nearest, quoted, suggestion};
use crate::vocabulary::{
    Addresses, Category, Code, Geography, Kind, Neighbourhood, Region, SharedTerm, Taxonomy, Wing, Written,
    Zone,
};

/// The largest `mentions`: enough for any count of talk, and sums of it fit every integer.
pub(crate) const MAX_MENTIONS: u32 = 1_000_000_000;

/// `guide.json`.
#[derive(Default)]
pub(crate) struct Guide {
    pub(crate) name: String,
    pub(crate) curated_at: String,
}

/// An event of `events.json`.
pub(crate) struct Draft {
    /// The event; its date counts only when it is [`When::Dated`].
    pub(crate) event: Event,
    /// Its days.
    pub(crate) when: When,
}

/// On which days an event of `events.json` is.
pub(crate) enum When {
    /// On its date.
    Dated,
    /// As the rule says, from the date on when there is one.
    Repeated(Repeat, Option<NaiveDate>),
    /// Neither could be read; that is told.
    Unread,
}

/// The fields of one JSON object, taken out one by one; what is left at the end is unknown.
struct Fields<'r> {
    report: &'r mut Report,
    values: Map<String, Value>,
    /// Path of the object inside its entry, with a dot at its end; empty for the entry itself.
    inside: String,
    known: Vec<&'static str>,
}

impl<'r> Fields<'r> {
    fn new(report: &'r mut Report, values: Map<String, Value>, inside: String) -> Self {
        Self { report, values, inside, known: Vec::new() }
    }

    fn take(&mut self, field: &'static str) -> Option<Value> {
        self.known.push(field);
        self.values.remove(field)
    }

    fn wrong(&mut self, field: impl Display, what: impl Into<String>, fix: impl Into<String>) {
        let path = format!("{}{field}", self.inside);
        self.report.unread(path, || (what.into(), fix.into()));
    }

    fn mistyped(&mut self, field: impl Display, value: &Value, wanted: &str) {
        let fix = match value {
            Value::Null => "leave the field out when it is unknown".to_owned(),
            _ => format!("write {wanted}"),
        };
        self.wrong(field, format!("is {}, not {wanted}", kind_of(value)), fix);
    }

    fn missing(&mut self, field: &'static str) {
        self.wrong(field, "is missing", format!("add \"{field}\""));
    }

    /// A text that may be absent.
    fn maybe(&mut self, field: &'static str) -> Option<String> {
        match self.take(field)? {
            Value::String(text) => Some(text),
            other => {
                self.mistyped(field, &other, "a text");
                None
            }
        }
    }

    /// A text that must be there; empty when it is not.
    fn text(&mut self, field: &'static str) -> String {
        self.text_or(field, String::new())
    }

    fn text_or(&mut self, field: &'static str, stand_in: String) -> String {
        if !self.values.contains_key(field) {
            self.known.push(field);
            self.missing(field);
            return stand_in;
        }
        self.maybe(field).unwrap_or(stand_in)
    }

    /// Tells when a list that a file is about is not there.
    fn needs(&mut self, field: &'static str) {
        if !self.values.contains_key(field) {
            self.missing(field);
        }
    }

    fn array(&mut self, field: &'static str) -> Vec<Value> {
        match self.take(field) {
            None => Vec::new(),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.mistyped(field, &other, "a list");
                Vec::new()
            }
        }
    }

    fn texts(&mut self, field: &'static str) -> Vec<String> {
        let items = self.array(field);
        let mut texts = Vec::with_capacity(items.len());
        for (position, item) in items.into_iter().enumerate() {
            match item {
                Value::String(text) => texts.push(text),
                other => self.mistyped(format_args!("{field}[{position}]"), &other, "a text"),
            }
        }
        texts
    }

    fn flag(&mut self, field: &'static str) -> bool {
        match self.take(field) {
            None => false,
            Some(Value::Bool(flag)) => flag,
            Some(other) => {
                self.mistyped(field, &other, "true or false");
                false
            }
        }
    }

    fn count(&mut self, field: &'static str) -> u32 {
        let Some(value) = self.take(field) else { return 0 };
        let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
        match count {
            Some(count) if count <= MAX_MENTIONS => count,
            _ if value.is_number() => {
                self.wrong(
                    field,
                    format!("is {value}"),
                    format!("write a whole number from 0 to {MAX_MENTIONS}"),
                );
                0
            }
            _ => {
                self.mistyped(field, &value, "a whole number");
                0
            }
        }
    }

    fn date(&mut self, field: &'static str) -> Option<NaiveDate> {
        let text = self.maybe(field)?;
        let day = day(&text);
        if day.is_none() {
            self.not_a_day(field, &text);
        }
        day
    }

    fn dates(&mut self, field: &'static str) -> Vec<NaiveDate> {
        let mut days = Vec::new();
        for (position, text) in self.texts(field).into_iter().enumerate() {
            match day(&text) {
                Some(day) => days.push(day),
                None => self.not_a_day(format_args!("{field}[{position}]"), &text),
            }
        }
        days
    }

    fn not_a_day(&mut self, field: impl Display, text: &str) {
        let what = format!("{} is not a day of the calendar", quoted(text));
        self.wrong(field, what, "write a real date as YYYY-MM-DD");
    }

    fn time(&mut self, field: &'static str) -> Option<NaiveTime> {
        let text = self.maybe(field)?;
        // chrono would also read "9:30"; the contract's form has two digits.
        let time = (text.len() == 5).then(|| NaiveTime::parse_from_str(&text, "%H:%M").ok()).flatten();
        if time.is_none() {
            self.wrong(field, format!("{} is not a time", quoted(&text)), "write HH:MM, from 00:00 to 23:59");
        }
        time
    }

    /// An object inside this one, read by `read`.
    fn inner<T>(&mut self, field: &'static str, read: impl FnOnce(&mut Fields<'_>) -> T) -> Option<T> {
        match self.take(field)? {
            Value::Object(values) => {
                let inside = format!("{}{field}.", self.inside);
                let mut fields = Fields::new(self.report, values, inside);
                let value = read(&mut fields);
                fields.finish();
                Some(value)
            }
            other => {
                self.mistyped(field, &other, "an object");
                None
            }
        }
    }

    fn finish(self) {
        for field in self.values.keys() {
            let known = &self.known;
            self.report.unread(format_args!("{}{}", self.inside, shown(field)), || {
                let near = nearest(field, known.iter().map(|name| (*name, *name)));
                ("is not a known field".into(), suggestion(near, format!("known are: {}", known.join(", "))))
            });
        }
    }
}

/// An unknown field's name as a path shows it.
fn shown(field: &str) -> String {
    let plain = field.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if plain && (1..=60).contains(&field.len()) { field.to_owned() } else { quoted(field) }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn day(text: &str) -> Option<NaiveDate> {
    // chrono would also read "2026-1-5" and signed years.
    let strict = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    strict.then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()).flatten()
}

/// The name of an entry that has no id: its position, from 1.
fn position(index: usize) -> String {
    format!("#{}", index + 1)
}

/// Goes to an entry and opens its fields. Its id (slug, code) is known before anything else is told about it.
fn entry<'r>(
    report: &'r mut Report,
    file: File,
    id_field: &str,
    index: usize,
    value: Value,
) -> Option<(Fields<'r>, String)> {
    let own = match value.get(id_field) {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        _ => position(index),
    };
    report.at(file, &own);
    match value {
        Value::Object(values) => Some((Fields::new(report, values, String::new()), own)),
        other => {
            report.say_whole(format!("is {}, not an object", kind_of(&other)), "write it as { ... }");
            None
        }
    }
}

/// Reads the list `field` of a vocabulary file, each entry by `read`.
fn entries<T>(
    top: &mut Fields<'_>,
    file: File,
    (field, id_field): (&'static str, &str),
    mut read: impl FnMut(&mut Fields<'_>, String) -> T,
) -> Vec<T> {
    let mut read_all = Vec::new();
    for (index, value) in top.array(field).into_iter().enumerate() {
        if let Some((mut fields, own)) = entry(top.report, file, id_field, index, value) {
            read_all.push(read(&mut fields, own));
            fields.finish();
        }
    }
    top.report.at_file(file);
    read_all
}

/// Reads a list as [`entries`] does, and tells when it is not there.
fn all_entries<T>(
    top: &mut Fields<'_>,
    file: File,
    list: (&'static str, &str),
    read: impl FnMut(&mut Fields<'_>, String) -> T,
) -> Vec<T> {
    top.needs(list.0);
    entries(top, file, list, read)
}

/// Reads a file that is one object. Nothing when it is not JSON or no object; that is told.
fn object<T>(
    report: &mut Report,
    file: File,
    text: &str,
    read: impl FnOnce(&mut Fields<'_>) -> T,
) -> Option<T> {
    report.at_file(file);
    match serde_json::from_str(text) {
        Ok(Value::Object(values)) => {
            let mut fields = Fields::new(report, values, String::new());
            let value = read(&mut fields);
            fields.finish();
            Some(value)
        }
        Ok(other) => {
            report.say_whole(format!("holds {}, not an object", kind_of(&other)), "write it as { ... }");
            None
        }
        Err(error) => {
            not_json(report, &error);
            None
        }
    }
}

fn not_json(report: &mut Report, error: &serde_json::Error) {
    report.say_whole(format!("is not valid JSON: {error}"), "correct the file at that line and column");
}

/// Reads `guide.json`.
pub(crate) fn guide(report: &mut Report, text: &str) -> Option<Guide> {
    object(report, File::Guide, text, |top| Guide {
        name: top.text("name"),
        curated_at: top.text("curated_at"),
    })
}

/// Reads `regions.json`.
pub(crate) fn geography(report: &mut Report, text: &str) -> Option<Geography> {
    object(report, File::Regions, text, |top| Geography {
        everywhere: top.texts("everywhere"),
        zones: all_entries(top, File::Regions, ("zones", "slug"), |zone, own| Zone {
            slug: zone.text_or("slug", own),
            name: zone.text("name"),
            name_en: zone.text("name_en"),
            aliases: zone.texts("aliases"),
        }),
        regions: all_entries(top, File::Regions, ("regions", "slug"), |region, own| {
            let mut read = Region {
                slug: region.text_or("slug", own),
                name: region.text("name"),
                zone: region.text("zone"),
                aliases: region.texts("aliases"),
                neighbourhoods: Vec::new(),
            };
            let list = ("neighbourhoods", "slug");
            read.neighbourhoods = entries(region, File::Regions, list, |part, own| Neighbourhood {
                slug: part.text_or("slug", own),
                name: part.text("name"),
                aliases: part.texts("aliases"),
                part_of: part.maybe("part_of"),
            });
            // The neighbourhoods moved the report away from their region.
            region.report.at(File::Regions, &read.slug);
            read
        }),
    })
}

/// Reads `address_codes.json`.
pub(crate) fn addresses(report: &mut Report, text: &str) -> Option<Addresses> {
    let file = File::AddressCodes;
    object(report, file, text, |top| Addresses {
        codes: all_entries(top, file, ("codes", "code"), |code, own| Code {
            code: code.text_or("code", own),
            variants: code.texts("variants"),
            neighbourhoods: code.texts("neighbourhoods"),
            region: code.maybe("region"),
            ambiguous: code.flag("ambiguous"),
            readings: code.texts("readings"),
        }),
        wings: entries(top, file, ("wings", "neighbourhood"), |wing, _| Wing {
            words: wing.texts("words"),
            neighbourhood: wing.text("neighbourhood"),
        }),
        written: entries(top, file, ("written", "text"), |written, own| Written {
            text: written.text_or("text", own),
            neighbourhood: written.maybe("neighbourhood"),
            region: written.text("region"),
        }),
        components: top.texts("components"),
    })
}

/// Reads `categories.json`.
pub(crate) fn taxonomy(report: &mut Report, text: &str) -> Option<Taxonomy> {
    let file = File::Categories;
    object(report, file, text, |top| Taxonomy {
        categories: all_entries(top, file, ("categories", "slug"), |category, own| Category {
            slug: category.text_or("slug", own),
            pt: category.text("pt"),
            en: category.text("en"),
            kind: kind(category),
            parent: category.maybe("parent"),
            synonyms_pt: category.texts("synonyms_pt"),
            synonyms_en: category.texts("synonyms_en"),
            misspellings: category.texts("misspellings"),
            near: category.texts("near"),
        }),
        shared_terms: entries(top, file, ("shared_terms", "term"), |shared, own| SharedTerm {
            term: shared.text_or("term", own),
            slugs: shared.texts("slugs"),
        }),
    })
}

fn kind(category: &mut Fields<'_>) -> Kind {
    match category.text("kind").as_str() {
        "event" => Kind::Event,
        "place" => Kind::Place,
        "both" => Kind::Both,
        // A missing kind was told already. The stand-in fits any record, so that none is blamed for it.
        "" => Kind::Both,
        other => {
            let what = format!("{} is not a kind", quoted(other));
            category.wrong("kind", what, "write \"event\", \"place\" or \"both\"");
            Kind::Both
        }
    }
}

/// Reads one entry of `places.json`.
pub(crate) fn place(report: &mut Report, index: usize, value: Value) -> Option<Place> {
    let (mut place, own) = entry(report, File::Places, "id", index, value)?;
    let read = Place {
        id: place.text_or("id", own),
        name: place.text("name"),
        neighbourhood: place.maybe("neighbourhood"),
        region: place.text("region"),
        category: place.text("category"),
        also: place.texts("also"),
        style: place.maybe("style"),
        price: place.maybe("price"),
        instagram: place.maybe("instagram"),
        address: place.maybe("address"),
        mentions: place.count("mentions"),
        uau: place.flag("uau"),
        description: place
            .inner("description", |both| Description { pt: both.text("pt"), en: both.text("en") }),
        links: links(&mut place),
        aliases: place.texts("aliases"),
    };
    place.finish();
    Some(read)
}

/// Reads one entry of `events.json`.
pub(crate) fn event(report: &mut Report, index: usize, value: Value) -> Option<Draft> {
    let (mut event, own) = entry(report, File::Events, "id", index, value)?;
    let repeats = event.values.contains_key("repeat");
    let repeat = event.inner("repeat", |repeat| Repeat {
        rule: repeat.text("rule"),
        until: repeat.date("until"),
        except: repeat.dates("except"),
    });
    let says_date = event.values.contains_key("date");
    if !repeats && !says_date {
        event.wrong("date", "is missing", "add \"date\", or \"repeat\" for an event that repeats");
    }
    let date = event.date("date");
    let read = Event {
        id: event.text_or("id", own),
        name: event.text("name"),
        date: date.unwrap_or_default(),
        end_date: event.date("end_date"),
        start_time: event.time("start_time"),
        venue: event.maybe("venue"),
        neighbourhood: event.maybe("neighbourhood"),
        region: event.text("region"),
        category: event.text("category"),
        also: event.texts("also"),
        price: event.maybe("price"),
        instagram: event.maybe("instagram"),
        lineup: event.maybe("lineup"),
        address: event.maybe("address"),
        tickets: event.maybe("tickets"),
        uau: event.flag("uau"),
        links: links(&mut event),
        aliases: event.texts("aliases"),
    };
    event.finish();
    let when = match repeat {
        Some(repeat) if date.is_some() || !says_date => When::Repeated(repeat, date),
        None if date.is_some() && !repeats => When::Dated,
        _ => When::Unread,
    };
    Some(Draft { event: read, when })
}

fn links(record: &mut Fields<'_>) -> Links {
    let read = record.inner("links", |links| Links {
        google_maps: links.maybe("google_maps"),
        website: links.maybe("website"),
        instagram: links.maybe("instagram"),
        tickets: links.maybe("tickets"),
    });
    read.unwrap_or_default()
}

/// Walks a file that is one list of records, one at a time: a million parsed values at once would need many
/// times the memory of the file. `take` says whether to go on.
pub(crate) fn each_record(
    report: &mut Report,
    file: File,
    text: &str,
    take: impl FnMut(&mut Report, usize, Value) -> bool,
) {
    report.at_file(file);
    let mut json = serde_json::Deserializer::from_str(text);
    let walked = json.deserialize_seq(Walk { report: &mut *report, take }).and_then(|()| json.end());
    report.at_file(file);
    match walked {
        Ok(()) => {}
        Err(error) if error.is_data() => {
            report.say_whole(format!("does not hold a list: {error}"), "write it as [ {...}, {...} ]");
        }
        Err(error) => not_json(report, &error),
    }
}

struct Walk<'r, F> {
    report: &'r mut Report,
    take: F,
}

impl<'de, F: FnMut(&mut Report, usize, Value) -> bool> Visitor<'de> for Walk<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let mut index = 0;
        while let Some(value) = list.next_element()? {
            if !(self.take)(self.report, index, value) {
                // The rest must still be JSON, but nobody looks at it.
                while list.next_element::<IgnoredAny>()?.is_some() {}
                break;
            }
            index += 1;
        }
        Ok(())
    }
}
