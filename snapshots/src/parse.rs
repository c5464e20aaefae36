//! Parses JSON into typed records, field by field, and reports every field of the wrong type.
//!
//! serde would stop at the first defect of a record; a curator wants all of them at once. A field that cannot be parsed
//! gets a stand-in value, and the report remembers it, so that the rules do not report it again.

use std::fmt;

use chrono::NaiveDate;
use serde::Deserializer;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde_json::{Map, Value};
use strum::VariantNames;

use crate::city_map::{CityMap, Role, Shape};
use crate::defect::Report;
use crate::fields::{Fields, kind_of};
use crate::file::File;
use crate::positions::{AreaPosition, Block, Bounds, Degrees, Landmark, Position, Positions};
use crate::record::{Description, Event, Links, Place, Session, Status};
use crate::recur::Repeat;
use crate::term_rules::group_name;
use crate::text::{nearest, quoted, suggestion};
use crate::vocabulary::{
    Addresses, Category, CategoryKind, Code, Geography, Neighbourhood, Region, SharedTerm, Synonyms,
    Taxonomy, Wing, Written, Zone,
};

/// `guide.json`.
#[derive(Default)]
pub(crate) struct Guide {
    pub(crate) name: String,
    pub(crate) curated_at: String,
    pub(crate) not_listed: Vec<String>,
}

/// An entry of `events.json`.
pub(crate) struct Draft {
    /// The event. Its date is meaningful only when it is [`When::Dated`].
    pub(crate) event: Event,
    /// When it takes place.
    pub(crate) when: When,
}

/// When an entry of `events.json` takes place.
pub(crate) enum When {
    /// On its date.
    Dated,
    /// By a rule, from the date on if there is one.
    Repeated(Repeat, Option<NaiveDate>),
    /// Neither could be parsed, which is reported.
    Unknown,
}

/// Opens an entry. Its id (slug, code) comes first, so that every defect names it; without one, its position from 1.
fn entry<'r>(
    report: &'r mut Report,
    file: File,
    id_field: &str,
    index: usize,
    value: Value,
) -> Option<(Fields<'r>, String)> {
    let fallback = match value.get(id_field) {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        _ => format!("#{}", index + 1),
    };
    report.at(file, &fallback);
    match value {
        Value::Object(values) => Some((Fields::new(report, values, String::new()), fallback)),
        other => {
            report.add_whole(format!("is {}, not an object", kind_of(&other)), "write it as { ... }");
            None
        }
    }
}

/// Parses the optional list `field` of a vocabulary file, each entry by `read`.
fn entries<T>(
    top: &mut Fields<'_>,
    file: File,
    (field, id_field): (&'static str, &str),
    mut read: impl FnMut(&mut Fields<'_>, String) -> T,
) -> Vec<T> {
    let mut read_all = Vec::new();
    for (index, value) in top.array(field).into_iter().enumerate() {
        if let Some((fields, fallback)) = entry(top.report, file, id_field, index, value) {
            read_all.push(fields.read(|fields| read(fields, fallback)));
        }
    }
    top.report.at_file(file);
    read_all
}

/// Parses a file that is one object; `None`, and a defect, when it is not.
fn object<T>(
    report: &mut Report,
    file: File,
    text: &str,
    read: impl FnOnce(&mut Fields<'_>) -> T,
) -> Option<T> {
    report.at_file(file);
    match serde_json::from_str(text) {
        Ok(Value::Object(values)) => return Some(Fields::new(report, values, String::new()).read(read)),
        Ok(other) => {
            report.add_whole(format!("holds {}, not an object", kind_of(&other)), "write it as { ... }");
        }
        Err(error) => not_json(report, &error),
    }
    None
}

fn not_json(report: &mut Report, error: &serde_json::Error) {
    report.add_whole(format!("is not valid JSON: {error}"), "correct the file at that line and column");
}

/// Parses `guide.json`.
pub(crate) fn guide(report: &mut Report, text: &str) -> Option<Guide> {
    object(report, File::Guide, text, |top| Guide {
        name: top.text("name"),
        curated_at: top.text("curated_at"),
        not_listed: top.texts("not_listed"),
    })
}

/// Parses `regions.json`.
pub(crate) fn geography(report: &mut Report, text: &str) -> Option<Geography> {
    object(report, File::Regions, text, |top| Geography {
        everywhere: top.texts("everywhere"),
        outside: top.texts("outside"),
        zones: entries(top.require("zones"), File::Regions, ("zones", "slug"), |zone, fallback| Zone {
            slug: zone.text_or("slug", fallback),
            name: zone.text("name"),
            name_en: zone.text("name_en"),
            aliases: zone.texts("aliases"),
        }),
        regions: entries(top.require("regions"), File::Regions, ("regions", "slug"), |region, fallback| {
            let mut read = Region {
                slug: region.text_or("slug", fallback),
                name: region.text("name"),
                zone: region.text("zone"),
                aliases: region.texts("aliases"),
                neighbourhoods: Vec::new(),
            };
            let list = ("neighbourhoods", "slug");
            read.neighbourhoods = entries(region, File::Regions, list, |part, fallback| Neighbourhood {
                slug: part.text_or("slug", fallback),
                name: part.text("name"),
                aliases: part.texts("aliases"),
                part_of: part.optional("part_of"),
            });
            // The neighbourhoods changed the report's current place.
            region.report.at(File::Regions, &read.slug);
            read
        }),
    })
}

/// Parses `address_codes.json`.
pub(crate) fn addresses(report: &mut Report, text: &str) -> Option<Addresses> {
    let file = File::AddressCodes;
    object(report, file, text, |top| Addresses {
        codes: entries(top.require("codes"), file, ("codes", "code"), |code, fallback| Code {
            code: code.text_or("code", fallback),
            variants: code.texts("variants"),
            neighbourhoods: code.texts("neighbourhoods"),
            region: code.optional("region"),
            ambiguous: code.flag("ambiguous"),
            readings: code.texts("readings"),
        }),
        wings: entries(top, file, ("wings", "neighbourhood"), |wing, _| Wing {
            words: wing.texts("words"),
            neighbourhood: wing.text("neighbourhood"),
        }),
        written: entries(top, file, ("written", "text"), |written, fallback| Written {
            text: written.text_or("text", fallback),
            neighbourhood: written.optional("neighbourhood"),
            region: written.text("region"),
        }),
        components: top.texts("components"),
    })
}

/// Parses `categories.json`.
pub(crate) fn taxonomy(report: &mut Report, text: &str) -> Option<Taxonomy> {
    let file = File::Categories;
    object(report, file, text, |top| Taxonomy {
        categories: entries(top.require("categories"), file, ("categories", "slug"), |category, fallback| {
            Category {
                slug: category.text_or("slug", fallback),
                pt: category.text("pt"),
                en: category.text("en"),
                es: category.optional("es"),
                kind: kind(category),
                parent: category.optional("parent"),
                synonyms_pt: category.texts("synonyms_pt"),
                synonyms_en: category.texts("synonyms_en"),
                synonyms_es: category.texts("synonyms_es"),
                misspellings: category.texts("misspellings"),
                near: category.texts("near"),
                suggested_by: category.texts("suggested_by"),
            }
        }),
        shared_terms: entries(top, file, ("shared_terms", "term"), |shared, fallback| SharedTerm {
            term: shared.text_or("term", fallback),
            slugs: shared.texts("slugs"),
        }),
    })
}

/// Parses `synonyms.json`.
pub(crate) fn synonyms(report: &mut Report, text: &str) -> Option<Synonyms> {
    object(report, File::Synonyms, text, |top| {
        let groups = top.require("groups").array("groups").into_iter().enumerate();
        let groups = groups.filter_map(|(index, value)| group(top.report, index, value)).collect();
        top.report.at_file(File::Synonyms);
        Synonyms { groups }
    })
}

/// Parses `positions.json`.
pub(crate) fn positions(report: &mut Report, text: &str) -> Option<Positions> {
    let file = File::Positions;
    object(report, file, text, |top| Positions {
        bounds: bounds(top),
        credit: top.optional("credit"),
        licence: top.optional("licence"),
        areas: placed(top, ("areas", "area"), |fields, area, position| AreaPosition {
            area: fields.text_or("area", area),
            position,
        }),
        blocks: placed(top, ("blocks", "address"), |fields, address, position| Block {
            address: fields.text_or("address", address),
            also: fields.texts("also"),
            position,
        }),
        landmarks: placed(top, ("landmarks", "name"), |fields, name, position| Landmark {
            name: fields.text_or("name", name),
            aliases: fields.texts("aliases"),
            position,
        }),
    })
}

/// Parses `map.json`.
pub(crate) fn city_map(report: &mut Report, text: &str) -> Option<CityMap> {
    object(report, File::Map, text, |top| CityMap {
        bounds: bounds(top),
        credit: top.optional("credit"),
        licence: top.optional("licence"),
        shapes: top.objects("shapes", shape).into_iter().flatten().collect(),
    })
}

/// A polygon or a line of the map, unless its role could not be read.
fn shape(shape: &mut Fields<'_>) -> Option<Shape> {
    let role = shape.text("role");
    let parsed = role.parse().ok();
    if parsed.is_none() && !role.is_empty() {
        let near = nearest(&role, Role::VARIANTS.iter().map(|name| (*name, *name)));
        let known = format!("write one of {}", Role::VARIANTS.join(", "));
        shape.wrong("role", format!("{} is not a role", quoted(&role)), suggestion(near, known));
    }
    let area = shape.optional("area");
    let mut points = Vec::new();
    for (at, value) in shape.require("points").array("points").into_iter().enumerate() {
        match serde_json::from_value(value) {
            Ok(point) => points.push(point),
            Err(_) => shape.wrong(
                format_args!("points[{at}]"),
                "is not a point",
                "write [lat, lon] in degrees, such as [-15.79, -47.88]",
            ),
        }
    }
    Some(Shape { role: parsed?, area, points })
}

/// The bounds of a file. What could not be read stands in for the whole globe, so that no position is reported for it.
fn bounds(top: &mut Fields<'_>) -> Option<Bounds> {
    top.object("bounds", |bounds| Bounds {
        south: bounds.degrees("south", -90),
        west: bounds.degrees("west", -180),
        north: bounds.degrees("north", 90),
        east: bounds.degrees("east", 180),
    })
}

/// Parses the entries of `positions.json` that have a position, and reports those without.
fn placed<T>(
    top: &mut Fields<'_>,
    list: (&'static str, &str),
    read: impl Fn(&mut Fields<'_>, String, Position) -> T,
) -> Vec<T> {
    let entries = entries(top, File::Positions, list, |fields, fallback| {
        let position = position(fields.require("position"));
        // The other fields are read too, so that their defects are reported.
        let stand_in = Position { lat: Degrees(0), lon: Degrees(0), precision_m: 0 };
        let entry = read(fields, fallback, position.unwrap_or(stand_in));
        position.map(|_| entry)
    });
    entries.into_iter().flatten().collect()
}

/// Parses the optional field `position`.
fn position(fields: &mut Fields<'_>) -> Option<Position> {
    fields.object("position", |position| Position {
        lat: position.degrees("lat", 0),
        lon: position.degrees("lon", 0),
        precision_m: position.metres("precision_m"),
    })
}

/// Parses a group of synonyms, which is a list and not an object: its entries are named by position alone.
fn group(report: &mut Report, index: usize, value: Value) -> Option<Vec<String>> {
    report.at(File::Synonyms, &group_name(value.get(0).and_then(Value::as_str), index));
    let Value::Array(items) = value else {
        report
            .add_whole(format!("is {}, not a list", kind_of(&value)), "write it as [\"ponte\", \"bridge\"]");
        return None;
    };
    Some(Fields::new(report, Map::new(), String::new()).only_texts("", items))
}

fn kind(category: &mut Fields<'_>) -> CategoryKind {
    match category.text("kind").as_str() {
        "event" => CategoryKind::Event,
        "place" => CategoryKind::Place,
        "both" => CategoryKind::Both,
        // A missing kind is already reported. The stand-in fits any record, so that none is reported for it.
        "" => CategoryKind::Both,
        other => {
            let what = format!("{} is not a kind", quoted(other));
            category.wrong("kind", what, "write \"event\", \"place\" or \"both\"");
            CategoryKind::Both
        }
    }
}

/// Parses one entry of `places.json`.
pub(crate) fn place(report: &mut Report, index: usize, value: Value) -> Option<Place> {
    let (place, fallback) = entry(report, File::Places, "id", index, value)?;
    Some(place.read(|place| Place {
        id: place.text_or("id", fallback),
        name: place.text("name"),
        neighbourhood: place.optional("neighbourhood"),
        region: place.text("region"),
        category: place.text("category"),
        also: place.texts("also"),
        style: place.optional("style"),
        price: place.optional("price"),
        instagram: place.optional("instagram"),
        address: place.optional("address"),
        mentions: place.count("mentions"),
        uau: place.flag("uau"),
        description:
            place.object("description", |both| Description { pt: both.text("pt"), en: both.text("en") }),
        links: links(place),
        aliases: place.texts("aliases"),
        position: position(place),
        free: place.only_true("free"),
        hidden: place.choice("hidden"),
        show_from: place.date("show_from"),
        show_until: place.date("show_until"),
        note: place.optional("note"),
    }))
}

/// Parses one entry of `events.json`.
pub(crate) fn event(report: &mut Report, index: usize, value: Value) -> Option<Draft> {
    let (event, fallback) = entry(report, File::Events, "id", index, value)?;
    Some(event.read(|event| draft(event, fallback)))
}

fn draft(event: &mut Fields<'_>, fallback: String) -> Draft {
    let repeats = event.values.contains_key("repeat");
    let repeat = event.object("repeat", |repeat| {
        let listed =
            repeat.values.get("dates").map(|dates| dates.as_array().is_none_or(|list| !list.is_empty()));
        let read = Repeat {
            rule: match listed {
                Some(_) => repeat.optional("rule"),
                None => Some(repeat.text("rule")),
            },
            until: repeat.date("until"),
            except: repeat.dates("except"),
            dates: repeat.dates("dates"),
        };
        // Without the dates that could not be read, nothing is known of when it takes place.
        let is_unread = read.rule.is_none() && read.dates.is_empty() && listed == Some(true);
        (!is_unread).then_some(read)
    });
    let has_date = event.values.contains_key("date");
    if !repeats && !has_date {
        event.wrong("date", "is missing", "add \"date\", or \"repeat\" for an event that repeats");
    }
    let date = event.date("date");
    let is_at_a_place = event.values.contains_key("place");
    let read = Event {
        id: event.text_or("id", fallback),
        series: None,
        name: event.text("name"),
        date: date.unwrap_or_default(),
        end_date: event.date("end_date"),
        start_time: event.time("start_time"),
        end_time: event.time("end_time"),
        sessions: event.objects("sessions", |session| Session {
            start_time: session.required_time("start_time"),
            end_time: session.time("end_time"),
        }),
        status: status(event),
        place: event.optional("place"),
        venue: event.optional("venue"),
        neighbourhood: event.optional("neighbourhood"),
        region: region(event, is_at_a_place),
        category: event.text("category"),
        also: event.texts("also"),
        price: event.optional("price"),
        instagram: event.optional("instagram"),
        lineup: event.optional("lineup"),
        address: event.optional("address"),
        tickets: event.optional("tickets"),
        uau: event.flag("uau"),
        links: links(event),
        aliases: event.texts("aliases"),
        position: position(event),
        free: event.only_true("free"),
        hidden: event.choice("hidden"),
        show_from: event.date("show_from"),
        show_until: event.date("show_until"),
        note: event.optional("note"),
        repeat: None,
    };
    let when = match repeat {
        Some(Some(repeat)) if date.is_some() || !has_date => When::Repeated(repeat, date),
        None if date.is_some() && !repeats => When::Dated,
        _ => When::Unknown,
    };
    Draft { event: read, when }
}

/// The region of an event; empty when it is left to be that of the place.
fn region(event: &mut Fields<'_>, is_at_a_place: bool) -> String {
    if !is_at_a_place {
        return event.text("region");
    }
    let region = event.optional("region");
    if region.as_ref().is_some_and(String::is_empty) {
        event.wrong("region", "is empty", "leave the field out: the place has a region");
    }
    region.unwrap_or_default()
}

/// What became of an event.
fn status(event: &mut Fields<'_>) -> Option<Status> {
    let text = event.optional("status")?;
    let status = text.parse().ok();
    if status.is_none() {
        let near = nearest(&text, Status::VARIANTS.iter().map(|name| (*name, *name)));
        let known = format!("write one of {}, or leave the field out", Status::VARIANTS.join(", "));
        event.wrong("status", format!("{} is not a status", quoted(&text)), suggestion(near, known));
    }
    status
}

fn links(record: &mut Fields<'_>) -> Links {
    let read = record.object("links", |links| Links {
        google_maps: links.optional("google_maps"),
        website: links.optional("website"),
        instagram: links.optional("instagram"),
        tickets: links.optional("tickets"),
    });
    read.unwrap_or_default()
}

/// Parses a file that is one list, one record at a time: a million parsed values at once would take many times the
/// memory of the file. `take` returns whether to go on.
pub(crate) fn each_record(
    report: &mut Report,
    file: File,
    text: &str,
    take: impl FnMut(&mut Report, usize, Value) -> bool,
) {
    report.at_file(file);
    let mut json = serde_json::Deserializer::from_str(text);
    let parsed = json.deserialize_seq(Walk { report: &mut *report, take }).and_then(|()| json.end());
    report.at_file(file);
    match parsed {
        Ok(()) => {}
        Err(error) if error.is_data() => {
            report.add_whole(format!("does not hold a list: {error}"), "write it as [ {...}, {...} ]");
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
                // The rest must still be valid JSON.
                while list.next_element::<IgnoredAny>()?.is_some() {}
                break;
            }
            index += 1;
        }
        Ok(())
    }
}
