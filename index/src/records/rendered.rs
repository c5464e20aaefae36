//! The JSON of each record, rendered once when the guide is built, so that a response is a concatenation of bytes.
//! The fields of the basic view come first: that view is a prefix of the full one.
//!
//! MCP responses hold the same JSON twice, as an object and inside a string, so each record is also kept escaped:
//! escaping at request time would cost as much as the rest of the response.

use std::borrow::Cow;
use std::ops::Range;

use chrono::NaiveTime;
use memchr::{memchr, memchr2};
use serde::Serialize;
use serde_json::json;
use snapshots::{Event, Links, Place, Session, Status};

use crate::error::BuildError;
use crate::records::positions::{KnownBy, Location};
use crate::records::schema::View;
use crate::records::selection::{FieldEnds, Selection};

/// The rendered records of a collection, by rank.
#[derive(Default)]
pub struct RenderedRecords {
    text: String,
    /// Where each record starts, and where its basic view ends.
    spans: Vec<(u32, u32)>,
    /// `text`, escaped for the inside of a JSON string.
    escaped: Vec<u8>,
    /// As `spans`, for `escaped`.
    escaped_spans: Vec<(u32, u32)>,
    field_ends: FieldEnds,
}

impl RenderedRecords {
    /// The JSON of the record at `rank` as the view shows it, without the closing brace.
    #[inline]
    pub fn json(&self, rank: u32, view: View) -> &[u8] {
        &self.text.as_bytes()[span(&self.spans, self.text.len(), rank, view)]
    }

    /// The record as a JSON object, with its closing brace.
    pub fn object(&self, rank: u32, view: View) -> Vec<u8> {
        [self.json(rank, view), b"}"].concat()
    }

    /// The fields of [`RenderedRecords::json`], escaped for the inside of a JSON string.
    #[inline]
    pub fn escaped(&self, rank: u32, view: View) -> &[u8] {
        &self.escaped[span(&self.escaped_spans, self.escaped.len(), rank, view)]
    }

    /// Appends the selected fields of the record at `rank`, of those that the view shows, without the closing brace.
    pub fn copy(&self, rank: u32, view: View, selected: Selection, out: &mut Vec<u8>) {
        self.field_ends.copy(rank, self.json(rank, view), selected, out);
    }

    /// The id of the record at `rank`.
    pub fn id(&self, rank: u32) -> &str {
        let start = self.spans[rank as usize].0 as usize + ID.len();
        let rest = &self.text[start..];
        &rest[..memchr(b'"', rest.as_bytes()).unwrap_or(0)]
    }

    /// The id and the name of the record at `rank`.
    pub fn id_and_name(&self, rank: u32) -> (&str, Cow<'_, str>) {
        let id = self.id(rank);
        let start = self.spans[rank as usize].0 as usize + ID.len() + id.len() + NAME.len();
        let name = text(&self.text[start..]);
        (id, name.map(|(name, _)| name).unwrap_or_default())
    }

    /// The fields of the basic view of the record at `rank`, with unescaped texts.
    #[inline]
    pub fn fields(&self, rank: u32) -> RenderedFields<'_> {
        self.fields_of(rank, View::Basic)
    }

    /// The fields of a view of the record at `rank`, with unescaped texts.
    pub(crate) fn fields_of(&self, rank: u32, view: View) -> RenderedFields<'_> {
        RenderedFields { rest: &self.text[span(&self.spans, self.text.len(), rank, view)] }
    }

    /// Renders a place; `site` is the address of the site, if it has a page there.
    pub(crate) fn add_place(&mut self, place: &Place, location: Option<&Location>, site: Option<&str>) {
        let Place {
            id,
            name,
            neighbourhood,
            region,
            category,
            style,
            price,
            instagram,
            address,
            mentions,
            uau,
            description,
            links,
            // searched, not shown
            also: _,
            aliases: _,
            // shown as the location
            position: _,
            free,
            // decided before a guide is built
            hidden: _,
            show_from: _,
            show_until: _,
            // never shown
            note: _,
        } = place;
        let mut record = self.begin(id, name);
        record.text("neighbourhood", neighbourhood.as_deref());
        record.text("region", Some(region));
        record.text("category", Some(category));
        record.text("style", style.as_deref());
        record.text("price", price.as_deref());
        record.only_true("free", *free);
        record.text("instagram", instagram.as_deref());
        record.value("mentions", mentions);
        record.value("uau", uau);
        record.page(site, "place", id);
        record.end_of_basic_view();
        record.text("address", address.as_deref());
        if let Some(description) = description {
            record.value("description", description);
        }
        record.links(links);
        record.location(location);
    }

    /// Renders an event; `site` is the address of the site, if it has a page there.
    pub(crate) fn add_event(&mut self, event: &Event, location: Option<&Location>, site: Option<&str>) {
        let Event {
            id,
            name,
            date,
            end_date,
            // shown with the first of the sessions
            start_time: _,
            end_time: _,
            sessions,
            status,
            place,
            venue,
            neighbourhood,
            region,
            category,
            price,
            instagram,
            lineup,
            address,
            tickets,
            uau,
            links,
            // searched, not shown
            also: _,
            series,
            aliases: _,
            position: _,
            free,
            // decided before a guide is built
            hidden: _,
            show_from: _,
            show_until: _,
            // never shown
            note: _,
            // expanded before
            repeat: _,
        } = event;
        let hour = |time: NaiveTime| time.format("%H:%M").to_string();
        let mut record = self.begin(id, name);
        record.text("date", Some(&date.to_string()));
        record.text("end_date", end_date.map(|date| date.to_string()).as_deref());
        record.text("start_time", event.starts().map(hour).as_deref());
        record.text("end_time", event.ends().map(hour).as_deref());
        record.sessions(sessions);
        record.text("status", status.map(Status::as_str));
        record.text("venue", venue.as_deref());
        record.text("place", place.as_deref());
        record.text("neighbourhood", neighbourhood.as_deref());
        record.text("region", Some(region));
        record.text("category", Some(category));
        record.text("price", price.as_deref());
        record.only_true("free", *free);
        record.text("instagram", instagram.as_deref());
        record.value("uau", uau);
        record.text("series", series.as_deref());
        record.page(site, "event", id);
        record.end_of_basic_view();
        record.text("lineup", lineup.as_deref());
        record.text("address", address.as_deref());
        record.text("tickets", tickets.as_deref());
        record.links(links);
        record.location(location);
    }

    fn begin(&mut self, id: &str, name: &str) -> RecordWriter<'_> {
        let start = offset(self.text.len());
        self.spans.push((start, start));
        self.field_ends.begin();
        let mut record = RecordWriter { records: self };
        // ids are letters, digits and hyphens, which JSON does not escape
        record.append("id", &[ID, id, "\""]);
        record.value("name", name);
        record
    }

    /// Escapes the records and releases spare memory. Fails when an offset does not fit its type.
    pub(crate) fn finish(&mut self) -> Result<(), BuildError> {
        let limit = |len: usize| u32::try_from(len).map_err(|_| BuildError::TooLarge("text"));
        limit(self.text.len())?;
        self.escaped.reserve_exact(self.text.len() + self.text.len() / 4);
        self.escaped_spans.reserve_exact(self.spans.len());
        for rank in 0..offset(self.spans.len()) {
            let Range { start, end } = span(&self.spans, self.text.len(), rank, View::Full);
            let basic_end = self.spans[rank as usize].1 as usize;
            let escaped_start = offset(self.escaped.len());
            escape(&self.text.as_bytes()[start..basic_end], &mut self.escaped);
            self.escaped_spans.push((escaped_start, offset(self.escaped.len())));
            escape(&self.text.as_bytes()[basic_end..end], &mut self.escaped);
        }
        limit(self.escaped.len())?;
        self.text.shrink_to_fit();
        self.spans.shrink_to_fit();
        self.escaped.shrink_to_fit();
        self.field_ends.finish()
    }
}

/// What the view shows of the record at `rank`, in the `len` bytes that the spans divide.
#[inline]
fn span(spans: &[(u32, u32)], len: usize, rank: u32, view: View) -> Range<usize> {
    let (start, basic_end) = spans[rank as usize];
    let end = match view {
        View::Basic => basic_end as usize,
        View::Full => spans.get(rank as usize + 1).map_or(len, |next| next.0 as usize),
    };
    start as usize..end
}

/// A length as an offset. Lengths only grow, so that [`RenderedRecords::finish`] can check the last one for all.
fn offset(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// JSON that is part of many responses, also kept escaped for the inside of a JSON string.
#[derive(Debug)]
pub struct RenderedJson {
    /// The JSON.
    pub plain: String,
    /// The JSON, escaped.
    pub escaped: Vec<u8>,
}

impl RenderedJson {
    /// Escapes compact JSON, or a part of some.
    pub fn new(plain: String) -> RenderedJson {
        let mut escaped = Vec::new();
        escape(plain.as_bytes(), &mut escaped);
        RenderedJson { plain, escaped }
    }
}

/// Appends compact JSON, escaped for the inside of a JSON string.
fn escape(json: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + max_escaped(json.len()), 0);
    let written = escape_into(json, &mut out[start..]);
    out.truncate(start + written);
}

/// Appends a range of `out` to itself, escaped for the inside of a JSON string.
pub fn append_escaped_copy(range: Range<usize>, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + max_escaped(range.len()), 0);
    let (before, room) = out.split_at_mut(start);
    let written = escape_into(&before[range], room);
    out.truncate(start + written);
}

/// The space that escaping may need, its 8-byte writes included.
fn max_escaped(bytes: usize) -> usize {
    2 * bytes + 8
}

/// Writes compact JSON, escaped, and returns its length. Compact JSON has no control characters, so only `"` and `\`
/// need a backslash. Eight bytes are read at a time and shifted within a register at each backslash, so that no read
/// depends on where the one before ended.
fn escape_into(json: &[u8], out: &mut [u8]) -> usize {
    const LOW: u64 = u64::from_ne_bytes([0x7f; 8]);
    // clears the top bit of exactly those bytes that equal `byte`
    let unlike = |word: u64, byte: u8| {
        let differs = word ^ u64::from_ne_bytes([byte; 8]);
        ((differs & LOW) + LOW) | differs
    };
    let (words, rest) = json.as_chunks::<8>();
    let mut at = 0;
    for eight in words {
        let word = u64::from_le_bytes(*eight);
        out[at..at + 8].copy_from_slice(eight);
        let mut found = !(unlike(word, b'"') & unlike(word, b'\\') | LOW);
        while found != 0 {
            let clean = found.trailing_zeros() as usize / 8;
            out[at + clean] = b'\\';
            at += 1;
            out[at + clean..at + clean + 8].copy_from_slice(&(word >> (8 * clean)).to_le_bytes());
            found &= found - 1;
        }
        at += 8;
    }
    for byte in rest {
        if matches!(byte, b'"' | b'\\') {
            out[at] = b'\\';
            at += 1;
        }
        out[at] = *byte;
        at += 1;
    }
    at
}

const ID: &str = "{\"id\":\"";
const NAME: &str = "\",\"name\":";

/// The names and values of a record's fields, in order.
pub struct RenderedFields<'c> {
    /// The fields not yet read, each with the brace or comma before it.
    rest: &'c str,
}

impl<'c> Iterator for RenderedFields<'c> {
    type Item = (&'c str, Cow<'c, str>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // skip the brace or comma and the quote; names are never escaped
        let named = self.rest.get(2..)?;
        let (name, value) = named.split_at(named.bytes().position(|byte| byte == b'"')?);
        let value = value.strip_prefix("\":")?;
        let (value, rest) = text(value).unwrap_or_else(|| {
            let bytes = value.as_bytes();
            let end = match bytes.first() {
                // a list, whose texts have no brackets: sessions
                Some(b'[') => memchr(b']', bytes).map(|end| end + 1),
                // a number or a boolean
                _ => memchr(b',', bytes),
            };
            let (value, rest) = value.split_at(end.unwrap_or(value.len()));
            (value.into(), rest)
        });
        self.rest = rest;
        Some((name, value))
    }
}

/// The string that the JSON begins with, and what follows it.
fn text(json: &str) -> Option<(Cow<'_, str>, &str)> {
    let inside = json.strip_prefix('"')?;
    let end = memchr2(b'"', b'\\', inside.as_bytes())?;
    // most strings have no escapes
    if let Some(rest) = inside[end..].strip_prefix('"') {
        return Some((inside[..end].into(), rest));
    }
    let mut texts = serde_json::Deserializer::from_str(json).into_iter::<String>();
    let text = texts.next()?.ok()?;
    Some((text.into(), &json[texts.byte_offset()..]))
}

/// Writes one record. Unknown fields are left out: never null, never "".
struct RecordWriter<'c> {
    records: &'c mut RenderedRecords,
}

impl RecordWriter<'_> {
    /// Appends the parts of a field, with what separates it from the one before.
    fn append(&mut self, name: &str, parts: &[&str]) {
        let records = &mut *self.records;
        records.text.extend(parts.iter().copied());
        if let Some((start, _)) = records.spans.last() {
            records.field_ends.note(name, offset(records.text.len()).saturating_sub(*start));
        }
    }

    fn value(&mut self, name: &str, value: impl Serialize) {
        // only a map whose keys are no strings fails
        if let Ok(json) = serde_json::to_string(&value) {
            self.append(name, &[",\"", name, "\":", &json]);
        }
    }

    fn text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.value(name, text);
        }
    }

    fn only_true(&mut self, name: &str, flag: bool) {
        if flag {
            self.value(name, true);
        }
    }

    fn sessions(&mut self, sessions: &[Session]) {
        if !sessions.is_empty() {
            self.value("sessions", sessions);
        }
    }

    fn links(&mut self, links: &Links) {
        if !links.is_empty() {
            // a `Value` sorts the links by name
            self.value("links", json!(links));
        }
    }

    /// Where the record is; the middle of a region says nothing.
    fn location(&mut self, location: Option<&Location>) {
        if let Some(location) = location.filter(|location| location.known_by != KnownBy::Region) {
            self.value("location", location.position);
        }
    }

    /// The page of the record.
    fn page(&mut self, site: Option<&str>, kind: &str, id: &str) {
        if let Some(site) = site {
            self.value("url", format!("{site}/{kind}/{id}"));
        }
    }

    fn end_of_basic_view(&mut self) {
        if let Some(span) = self.records.spans.last_mut() {
            span.1 = offset(self.records.text.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn fields_read_back_what_was_rendered() {
        let mut records = RenderedRecords::default();
        for (rank, name) in (0..).zip(["Plain", "A, \"b\": \\", "é\u{7}\u{2028}😀", "\\", "\"", ","]) {
            let mut record = records.begin("a-1", name);
            record.value("sessions", json!([{ "start_time": "10:00" }, { "start_time": "18:00" }]));
            record.text("region", Some("Asa, Norte"));
            record.text("style", Some(name));
            record.text("price", None);
            record.value("mentions", 12);
            record.value("uau", true);
            record.end_of_basic_view();
            record.text("address", Some("hidden"));
            let json = records.object(rank, View::Basic);
            assert!(serde_json::from_slice::<Value>(&json).is_ok());
            let (id, its_name) = records.id_and_name(rank);
            assert_eq!((id, &*its_name), ("a-1", name));
            let fields: Vec<(&str, Cow<str>)> = records.fields(rank).collect();
            let expected = [
                ("id", "a-1"),
                ("name", name),
                ("sessions", "[{\"start_time\":\"10:00\"},{\"start_time\":\"18:00\"}]"),
                ("region", "Asa, Norte"),
                ("style", name),
                ("mentions", "12"),
                ("uau", "true"),
            ];
            assert_eq!(fields, expected.map(|(name, value)| (name, value.into())));
        }
    }

    #[test]
    fn values_that_hold_brackets_quotes_and_backslashes_are_copied_whole() {
        let mut records = RenderedRecords::default();
        let mut record = records.begin("a", "},\"{[\\");
        record.value("sessions", json!([{ "start_time": "]}" }]));
        record.text("venue", Some("x"));
        record.value("mentions", 3);
        record.value("uau", true);
        record.end_of_basic_view();
        for (names, expected) in [
            (&["venue"][..], r#"{"venue":"x""#),
            (&["uau", "name"], r#"{"name":"},\"{[\\","uau":true"#),
            (&["sessions", "mentions"], r#"{"sessions":[{"start_time":"]}"}],"mentions":3"#),
            (&["lineup"], "{"),
        ] {
            let mut copied = Vec::new();
            records.copy(0, View::Basic, Selection::of(names.iter().copied()), &mut copied);
            assert_eq!(String::from_utf8(copied).unwrap(), expected);
        }
    }

    #[test]
    fn escaping_is_undone_by_parsing() {
        for text in [
            "",
            "\"",
            "\\",
            "plain",
            "12345678\"",
            "\"\"\"\"\"\"\"\"\"",
            "\"\u{22}!\u{23}\\[]",
            "é😀\"ção\\\"x",
        ] {
            for before in 0..9 {
                let text = format!("{}{text}", "a".repeat(before));
                let mut out = vec![b'"'];
                escape(text.as_bytes(), &mut out);
                out.push(b'"');
                assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
            }
        }
    }
}
