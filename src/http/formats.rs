//! Answers of searches in other formats than JSON: a calendar, GeoJSON, a table. They are made of the JSON answer, so
//! that they show what it shows.

use bytes::Bytes;
use chrono::{NaiveDate, NaiveTime};
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use index::{MAX_DATES, View};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::accept;
use super::calendar::{CalendarEvent, calendar};
use super::calendar_entry::{BILINGUAL, Facts, entry};
use super::recurrence::recurrence;
use crate::actions::{PAID_FIELDS, Param, ParamType, Params};
use crate::domain::clock::LAST_DAY;
use crate::domain::error::ApiError;
use crate::serving::SeriesRules;

/// Asks for the mark by which spreadsheet programs know the letters of a table.
pub(super) const BOM: Param = Param::new(
    "bom",
    ParamType::Flag,
    "True: the table begins with a byte order mark, without which some spreadsheet programs show wrong letters.",
);

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// As `POST /v1` answers.
    Json,
    /// RFC 5545, of events.
    Calendar,
    /// RFC 7946, of records whose position is shown.
    GeoJson,
    /// RFC 4180, with a line of names.
    Csv,
}

/// [`LAST_DAY`] as a parameter: a question that names it has no end.
pub(super) const NO_END_SENT: &str = "9999-12-31";

impl Format {
    /// The formats beside JSON.
    pub(super) const OTHERS: [Format; 3] = [Format::Calendar, Format::GeoJson, Format::Csv];

    /// The end of its addresses.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Format::Json => "",
            Format::Calendar => ".ics",
            Format::GeoJson => ".geojson",
            Format::Csv => ".csv",
        }
    }

    /// Its media type, without parameters.
    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Format::Json => "application/json",
            Format::Calendar => "text/calendar",
            Format::GeoJson => "application/geo+json",
            Format::Csv => "text/csv",
        }
    }

    /// Its content type.
    pub(super) fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Format::Json => "application/json; charset=utf-8",
            Format::Calendar => "text/calendar; charset=utf-8",
            Format::GeoJson => "application/geo+json",
            Format::Csv => "text/csv; charset=utf-8; header=present",
        })
    }

    /// Whether the parameter has no part in the format: one of records has a place for some fields and none for counts.
    pub(super) fn ignores(self, param: &str) -> bool {
        match self {
            Format::Json => false,
            Format::Csv => param == "facets",
            Format::Calendar | Format::GeoJson => matches!(param, "facets" | "fields"),
        }
    }

    /// The parameters of the format itself.
    pub(super) fn params(self) -> &'static [Param] {
        match self {
            Format::Csv => &[BOM],
            Format::Json | Format::Calendar | Format::GeoJson => &[],
        }
    }

    /// The one of JSON and `offered` that `accept` names and prefers, of equals the one that it names first; JSON if it
    /// accepts none. A wildcard means JSON.
    pub(super) fn accepted(headers: &HeaderMap, offered: &[Format]) -> Format {
        let formats = || [Format::Json].iter().chain(offered).copied();
        let named = accept::entries(headers, ACCEPT).filter_map(|entry| {
            formats().find(|format| entry.is(format.media_type())).map(|format| (format, entry.quality))
        });
        let json = accept::type_quality(headers, Format::Json.media_type()).unwrap_or(0.0);
        let liked = named.chain([(Format::Json, json)]);
        liked.fold((Format::Json, 0.0), |best, next| if next.1 > best.1 { next } else { best }).0
    }
}

/// What the formats take from an answer.
#[derive(Deserialize)]
struct Answer {
    today: NaiveDate,
    #[serde(default)]
    events: Vec<Map<String, Value>>,
    #[serde(default)]
    places: Vec<Map<String, Value>>,
    #[serde(default)]
    interpreted: Interpreted,
    next_cursor: Option<String>,
    attribution: Attribution,
}

#[derive(Deserialize, Default)]
struct Interpreted {
    to: Option<NaiveDate>,
}

#[derive(Deserialize)]
struct Attribution {
    text: String,
    url: String,
    required: bool,
    positions: Option<String>,
}

impl Attribution {
    /// The credit in a line, where it must be shown; that of positions too, if the record shows where it is.
    fn line(&self, shows_position: bool) -> Option<String> {
        let own = self.required.then(|| format!("{} {}", self.text, self.url));
        let positions = self.positions.clone().filter(|_| shows_position);
        let lines: Vec<String> = own.into_iter().chain(positions).collect();
        (!lines.is_empty()).then(|| lines.join(" · "))
    }
}

/// The names that a format needs of the service.
pub(super) struct Names<'a> {
    /// Of the service.
    pub(super) service: &'a str,
    /// The host of the site.
    pub(super) host: &'a str,
    /// Of a calendar.
    pub(super) calendar: &'a str,
    /// How the series of the guide repeat.
    pub(super) rules: &'a SeriesRules,
    /// The columns of a table.
    pub(super) columns: &'a [&'static str],
    /// Whether a table begins with a byte order mark.
    pub(super) has_bom: bool,
}

/// A JSON answer of a search in another format, and the cursor of the next page, for which the format has no place.
pub(super) fn render(
    format: Format,
    json: &[u8],
    names: &Names<'_>,
) -> Result<(Bytes, Option<String>), ApiError> {
    // the answer is our own
    let answer: Answer = serde_json::from_slice(json).map_err(|_| ApiError::Internal)?;
    let text = match format {
        Format::Json => json.to_vec(),
        Format::Calendar => {
            let events: Vec<_> =
                answer.events.iter().filter_map(|event| calendar_event(event, &answer, names)).collect();
            // the same all day, as the tag of the answer is
            let stamp = answer.today.and_time(NaiveTime::MIN).and_utc();
            calendar(names.calendar, names.service, stamp, &events).into_bytes()
        }
        Format::GeoJson => geojson(&answer).into_bytes(),
        Format::Csv => csv(&answer, names.columns, names.has_bom)?,
    };
    Ok((text.into(), answer.next_cursor))
}

/// What a calendar holds, as its name: what was asked for, in the words of its owner. It is in no language, as the
/// reader's is not known. `service` is the name of one that holds all.
pub(super) fn calendar_name(params: &Params, service: &str) -> String {
    let sent = ["q", "category", "region", "neighbourhood", "near"].map(|name| {
        let texts = params.texts_of(name).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        let text = texts.collect::<Vec<_>>().join(", ");
        text.chars().filter(|letter| !letter.is_control()).collect::<String>()
    });
    let parts: Vec<&str> = sent.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    match parts.is_empty() {
        true => service.to_owned(),
        false => parts.join(" · "),
    }
}

fn text<'r>(record: &'r Map<String, Value>, field: &str) -> Option<&'r str> {
    record.get(field)?.as_str()
}

fn day(text: &str) -> Option<NaiveDate> {
    text.parse().ok()
}

/// An event of an answer; `None` if it has no date, which all have.
fn calendar_event(event: &Map<String, Value>, answer: &Answer, names: &Names<'_>) -> Option<CalendarEvent> {
    let id = text(event, "id")?;
    let mut dates: Vec<_> = event
        .get("dates")
        .and_then(Value::as_array)
        .map_or_else(Vec::new, |dates| dates.iter().filter_map(|date| day(date.as_str()?)).collect());
    // a series that is listed once has its dates, be it one, and is one entry of the calendar
    let series = text(event, "series").filter(|_| !dates.is_empty());
    let uid = series.unwrap_or(id);
    if dates.is_empty() {
        dates.push(day(text(event, "date")?)?);
    }
    // the question may end before the series does, and an answer names no more dates of one than these
    let listed = dates.last().copied();
    let is_cut = dates.len() >= MAX_DATES;
    let end = if is_cut { answer.interpreted.to.or(listed) } else { listed };
    // a question without an end leaves the series its own
    let end = end.filter(|_| answer.interpreted.to.is_none_or(|to| to < LAST_DAY));
    let rule = series.filter(|_| dates.len() > 1).and_then(|series| names.rules.get(series));
    let dates = recurrence(rule, dates, answer.today, end, listed.filter(|_| is_cut));
    let known = |field| text(event, field).unwrap_or_default();
    let sessions = event.get("sessions").cloned().map(serde_json::from_value);
    let credit = answer.attribution.line(event.contains_key("location"));
    // the page of a date is gone when the date is over, and that of its series stays
    let url = text(event, "url").map(|url| match url.strip_suffix(id) {
        Some(before) => format!("{before}{uid}"),
        None => url.to_owned(),
    });
    let facts = Facts {
        id: uid,
        name: text(event, "name")?,
        date: text(event, "date").and_then(day),
        end_date: text(event, "end_date").and_then(day),
        start_time: known("start_time"),
        end_time: known("end_time"),
        sessions: sessions.and_then(Result::ok).unwrap_or_default(),
        status: text(event, "status").and_then(|status| status.parse().ok()),
        venue: known("venue"),
        address: known("address"),
        neighbourhood: known("neighbourhood"),
        region: known("region"),
        point: event.get("location").and_then(|at| Some((at["lat"].as_f64()?, at["lon"].as_f64()?))),
        lineup: known("lineup"),
        price: known("price"),
        free: event.get("free").and_then(Value::as_bool).unwrap_or_default(),
        tickets: known("tickets"),
        url,
        credit: credit.as_deref().unwrap_or_default(),
    };
    entry(facts, dates, names.host, &BILINGUAL)
}

/// When something begins, and when it ends if that is known.
fn times_of(times: &Map<String, Value>) -> Vec<&str> {
    ["start_time", "end_time"].iter().filter_map(|field| text(times, field)).collect()
}

fn geojson(answer: &Answer) -> String {
    let feature = |record: &Map<String, Value>| {
        let at = record.get("location")?;
        let mut properties = record.clone();
        properties.remove("location");
        properties.remove("id");
        properties.insert("precision_m".to_owned(), at["precision_m"].clone());
        Some(json!({
            "type": "Feature",
            "id": record.get("id"),
            "geometry": { "type": "Point", "coordinates": [at["lon"], at["lat"]] },
            "properties": properties,
        }))
    };
    let features: Vec<Value> = answer.events.iter().chain(&answer.places).filter_map(feature).collect();
    let Attribution { text, url, positions, .. } = &answer.attribution;
    let attribution = json!({ "text": text, "url": url, "positions": positions });
    json!({ "type": "FeatureCollection", "features": features, "attribution": attribution }).to_string()
}

/// All columns of tables, in the order of the fields of records; objects of a record are columns named with a point.
const COLUMNS: &[&str] = &[
    "id",
    "name",
    "date",
    "end_date",
    "start_time",
    "end_time",
    "sessions",
    "status",
    "venue",
    "place",
    "neighbourhood",
    "region",
    "category",
    "style",
    "price",
    "free",
    "instagram",
    "mentions",
    "uau",
    "series",
    "url",
    "dates",
    "lineup",
    "address",
    "tickets",
    "description.pt",
    "description.en",
    "links.google_maps",
    "links.website",
    "links.instagram",
    "links.tickets",
    "location.lat",
    "location.lon",
    "location.precision_m",
    "distance_m",
    "distance_is",
];

/// The columns of a table: those of the `chosen` fields, or else of all `known` ones that the view shows. They depend
/// on no record, so that the pages of a list can be joined.
pub(super) fn columns(known: &[&str], chosen: &[&str], view: View) -> Vec<&'static str> {
    let has = |field: &str| match chosen {
        [] => known.contains(&field) && (view == View::Full || !PAID_FIELDS.contains(&field)),
        chosen => chosen.contains(&field),
    };
    let field = |column: &'static str| column.split_once('.').map_or(column, |(object, _)| object);
    COLUMNS.iter().copied().filter(|column| has(field(column))).collect()
}

fn csv(answer: &Answer, columns: &[&str], has_bom: bool) -> Result<Vec<u8>, ApiError> {
    let cell = |record: &Map<String, Value>, column: &str| {
        let value = match column.split_once('.') {
            Some((object, field)) => record.get(object).and_then(|object| object.get(field)),
            None => record.get(column),
        };
        value.map(plain)
    };
    let is_of_position = |column: &str| column.starts_with("location.") || column.starts_with("distance_");
    let has_credit = answer.attribution.required || columns.iter().any(|column| is_of_position(column));
    let begun = if has_bom { "\u{feff}".into() } else { Vec::new() };
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(begun);
    let ours = |_: csv::Error| ApiError::Internal;
    writer.write_record(columns.iter().copied().chain(has_credit.then_some("credit"))).map_err(ours)?;
    for record in answer.events.iter().chain(&answer.places) {
        let shows_position = record.contains_key("location") || record.contains_key("distance_m");
        let credit = answer.attribution.line(shows_position).unwrap_or_default();
        let cells = columns.iter().map(|column| harmless(cell(record, column).unwrap_or_default()));
        writer.write_record(cells.chain(has_credit.then_some(credit))).map_err(ours)?;
    }
    writer.into_inner().map_err(|_| ApiError::Internal)
}

/// A value as the text of a cell.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" "),
        // a session
        Value::Object(times) => times_of(times).join("-"),
        other => other.to_string(),
    }
}

/// A cell that no spreadsheet takes for a formula.
fn harmless(cell: String) -> String {
    let is_number = cell.parse::<f64>().is_ok();
    if !is_number && cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell }
}
