//! RenderedRecords: each record's JSON, rendered once when the guide is built. What everybody may see comes first, so that
//! the basic view is the front of the full one, and an answer is a concatenation of bytes.
//!
//! Agents are answered twice in one message, as JSON and as a text that holds the same JSON, so each card is kept
//! escaped too: escaping an answer would cost as much as all the rest of it.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};
use serde_json::{Map, Value};
use snapshots::{Description, Event, Links, Place};

use crate::schema::View;

/// All cards of one kind of record, by rank.
#[derive(Default)]
pub struct RenderedRecords {
    text: String,
    /// Where each card starts, and where its front ends.
    spans: Vec<(u32, u32)>,
    /// The same cards as the inside of a JSON string.
    escaped: Vec<u8>,
    /// Where each of those starts, and where its front ends.
    escaped_spans: Vec<(u32, u32)>,
}

impl RenderedRecords {
    /// How many cards there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Appends the card of `rank` as the view may see it.
    #[inline]
    pub fn write(&self, rank: u32, view: View, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.text.as_bytes()[self.seen(rank, view)]);
        out.push(b'}');
    }

    /// How many bytes [`RenderedRecords::write`] would append.
    pub fn size(&self, rank: u32, view: View) -> usize {
        self.seen(rank, view).len() + 1
    }

    /// The JSON of the record at `rank` as the view may see it, without its closing brace.
    #[inline]
    pub fn json(&self, rank: u32, view: View) -> &[u8] {
        &self.text.as_bytes()[self.seen(rank, view)]
    }

    /// The same, as the inside of a JSON string.
    #[inline]
    pub fn escaped(&self, rank: u32, view: View) -> &[u8] {
        let (start, front) = self.escaped_spans[rank as usize];
        let end = match view {
            View::Basic => front as usize,
            View::Full => {
                self.escaped_spans.get(rank as usize + 1).map_or(self.escaped.len(), |next| next.0 as usize)
            }
        };
        &self.escaped[start as usize..end]
    }

    /// Where the part of a card lies that the view may see, its closing brace left out.
    #[inline]
    fn seen(&self, rank: u32, view: View) -> Range<usize> {
        let (start, front) = self.spans[rank as usize];
        let end = match view {
            View::Basic => front as usize,
            View::Full => self.end(rank as usize),
        };
        start as usize..end
    }

    /// Appends the card of `rank` as the view may see it, as the inside of a JSON string.
    #[inline]
    pub fn write_escaped(&self, rank: u32, view: View, out: &mut Vec<u8>) {
        let (start, front) = self.escaped_spans[rank as usize];
        let end = match view {
            View::Basic => front as usize,
            View::Full => {
                self.escaped_spans.get(rank as usize + 1).map_or(self.escaped.len(), |next| next.0 as usize)
            }
        };
        out.extend_from_slice(&self.escaped[start as usize..end]);
        out.push(b'}');
    }

    /// The id of the record at `rank`.
    pub fn id(&self, rank: u32) -> &str {
        let start = self.spans[rank as usize].0 as usize + ID.len();
        let rest = &self.text[start..];
        // ids are letters, digits and hyphens, which JSON leaves as they are
        &rest[..memchr(b'"', rest.as_bytes()).unwrap_or(0)]
    }

    /// The id and the name of the record at `rank`.
    pub fn id_and_name(&self, rank: u32) -> (&str, Cow<'_, str>) {
        let id = self.id(rank);
        let start = self.spans[rank as usize].0 as usize + ID.len() + id.len() + NAME.len();
        let name = text(&self.text[start..self.end(rank as usize)]);
        (id, name.map(|(name, _)| name).unwrap_or_default())
    }

    /// The fields of the record at `rank` that everybody may see, texts as they are in themselves.
    #[inline]
    pub fn fields(&self, rank: u32) -> Fields<'_> {
        Fields { rest: &self.text[self.seen(rank, View::Basic)] }
    }

    fn end(&self, rank: usize) -> usize {
        self.spans.get(rank + 1).map_or(self.text.len(), |next| next.0 as usize)
    }

    /// Adds the card of a place.
    pub(crate) fn add_place(&mut self, place: &Place) {
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
            // found by, not shown
            also: _,
            aliases: _,
        } = place;
        let mut card = self.begin(id, name);
        card.text("neighbourhood", neighbourhood.as_deref());
        card.text("region", Some(region));
        card.text("category", Some(category));
        card.text("style", style.as_deref());
        card.text("price", price.as_deref());
        card.text("instagram", instagram.as_deref());
        card.value("mentions", Value::from(*mentions));
        card.value("uau", Value::from(*uau));
        card.end_of_front();
        card.text("address", address.as_deref());
        if let Some(Description { pt, en }) = description {
            card.object("description", &[("pt", Some(pt)), ("en", Some(en))]);
        }
        card.links(links);
    }

    /// Adds the card of an event.
    pub(crate) fn add_event(&mut self, event: &Event) {
        let Event {
            id,
            name,
            date,
            end_date,
            start_time,
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
            // found by, not shown
            also: _,
            aliases: _,
        } = event;
        let mut card = self.begin(id, name);
        card.text("date", Some(&date.to_string()));
        card.text("end_date", end_date.map(|date| date.to_string()).as_deref());
        card.text("start_time", start_time.map(|time| time.format("%H:%M").to_string()).as_deref());
        card.text("venue", venue.as_deref());
        card.text("neighbourhood", neighbourhood.as_deref());
        card.text("region", Some(region));
        card.text("category", Some(category));
        card.text("price", price.as_deref());
        card.text("instagram", instagram.as_deref());
        card.value("uau", Value::from(*uau));
        card.end_of_front();
        card.text("lineup", lineup.as_deref());
        card.text("address", address.as_deref());
        card.text("tickets", tickets.as_deref());
        card.links(links);
    }

    fn begin(&mut self, id: &str, name: &str) -> Card<'_> {
        let start = self.text.len() as u32;
        self.text.push_str(ID);
        self.text.push_str(id);
        self.text.push_str(NAME);
        self.text.push_str(&Value::from(name).to_string());
        self.spans.push((start, start));
        Card { records: self }
    }

    /// Escapes the cards, and gives back what was reserved for further ones.
    pub(crate) fn finish(&mut self) {
        self.escaped.reserve_exact(self.text.len() + self.text.len() / 4);
        self.escaped_spans.reserve_exact(self.spans.len());
        for rank in 0..self.spans.len() {
            let (start, front) = self.spans[rank];
            let begins = self.escaped.len() as u32;
            escape(&self.text.as_bytes()[start as usize..front as usize], &mut self.escaped);
            self.escaped_spans.push((begins, self.escaped.len() as u32));
            escape(&self.text.as_bytes()[front as usize..self.end(rank)], &mut self.escaped);
        }
        self.text.shrink_to_fit();
        self.spans.shrink_to_fit();
        self.escaped.shrink_to_fit();
    }
}

/// The former name of [`RenderedJson`].
pub type Twice = RenderedJson;

/// JSON that is in many answers, kept plain and as the inside of a JSON string.
#[derive(Debug)]
pub struct RenderedJson {
    /// As it is.
    pub plain: String,
    /// As the inside of a JSON string.
    pub escaped: Vec<u8>,
}

impl RenderedJson {
    /// Keeps compact JSON, or a part of some.
    pub fn new(plain: String) -> RenderedJson {
        let mut escaped = Vec::new();
        escape(plain.as_bytes(), &mut escaped);
        RenderedJson { plain, escaped }
    }
}

/// Appends compact JSON as the inside of a JSON string.
pub fn escape(json: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + room_for(json.len()), 0);
    let written = escape_into(json, &mut out[start..]);
    out.truncate(start + written);
}

/// Appends the part `of` what is in `out` once more, as the inside of a JSON string.
pub fn repeat_escaped(of: Range<usize>, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + room_for(of.len()), 0);
    let (before, room) = out.split_at_mut(start);
    let written = escape_into(&before[of], room);
    out.truncate(start + written);
}

/// Room for the worst, so that writing need not ask for any.
fn room_for(bytes: usize) -> usize {
    2 * bytes + 8
}

/// Writes compact JSON as the inside of a JSON string, and tells how long that is. It has no control characters, so `"`
/// and `\` are all that needs a backslash. Eight bytes are read at a time, and from the first of them that needs one on
/// they are moved on within a register: no read waits for where the one before it ended.
fn escape_into(json: &[u8], out: &mut [u8]) -> usize {
    const LOW: u64 = u64::from_ne_bytes([0x7f; 8]);
    // without the top bit in exactly the bytes that are equal to `byte`
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

/// The fields of a card with their names, in the order that they were added in.
pub struct Fields<'c> {
    /// What is left of the card: each field with the brace or the comma before it.
    rest: &'c str,
}

impl<'c> Iterator for Fields<'c> {
    type Item = (&'c str, Cow<'c, str>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // one byte before the quote; the names have nothing that JSON would escape
        let named = self.rest.get(2..)?;
        let (name, value) = named.split_at(named.bytes().position(|byte| byte == b'"')?);
        let value = value.strip_prefix("\":")?;
        let (value, rest) = text(value).unwrap_or_else(|| {
            // a number, or true or false
            let (value, rest) = value.split_at(memchr(b',', value.as_bytes()).unwrap_or(value.len()));
            (value.into(), rest)
        });
        self.rest = rest;
        Some((name, value))
    }
}

/// The text that JSON begins with, and what stands after it.
fn text(json: &str) -> Option<(Cow<'_, str>, &str)> {
    let inside = json.strip_prefix('"')?;
    let end = memchr2(b'"', b'\\', inside.as_bytes())?;
    // most texts are in JSON what they are in themselves, with quotes about them
    if let Some(rest) = inside[end..].strip_prefix('"') {
        return Some((inside[..end].into(), rest));
    }
    let mut texts = serde_json::Deserializer::from_str(json).into_iter::<String>();
    let text = texts.next()?.ok()?;
    Some((text.into(), &json[texts.byte_offset()..]))
}

/// A card being written. Fields unknown to the curator are left out: never null, never "".
struct Card<'c> {
    records: &'c mut RenderedRecords,
}

impl Card<'_> {
    fn value(&mut self, name: &str, value: Value) {
        self.records.text.push_str(&format!(",\"{name}\":{value}"));
    }

    fn text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.value(name, Value::from(text));
        }
    }

    fn object(&mut self, name: &str, fields: &[(&str, Option<&String>)]) {
        let known: Map<String, Value> = fields
            .iter()
            .filter_map(|(name, text)| Some(((*name).to_owned(), Value::from((*text)?.as_str()))))
            .collect();
        if !known.is_empty() {
            self.value(name, Value::Object(known));
        }
    }

    fn links(&mut self, links: &Links) {
        let Links { google_maps, website, instagram, tickets } = links;
        self.object(
            "links",
            &[
                ("google_maps", google_maps.as_ref()),
                ("website", website.as_ref()),
                ("instagram", instagram.as_ref()),
                ("tickets", tickets.as_ref()),
            ],
        );
    }

    fn end_of_front(&mut self) {
        let here = self.records.text.len() as u32;
        if let Some(span) = self.records.spans.last_mut() {
            span.1 = here;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_what_the_card_has_as_json() {
        let mut cards = RenderedRecords::default();
        for name in ["Plain", "A, \"b\": \\", "é\u{7}\u{2028}😀", "\\", "\"", ","] {
            let rank = cards.len() as u32;
            let mut card = cards.begin("a-1", name);
            card.text("style", Some(name));
            card.value("mentions", Value::from(12));
            card.text("price", None);
            card.value("uau", Value::from(true));
            card.text("region", Some("Asa, Norte"));
            card.end_of_front();
            card.text("address", Some("hidden"));
            let mut json = Vec::new();
            cards.write(rank, View::Basic, &mut json);
            assert!(serde_json::from_slice::<Value>(&json).is_ok());
            let (id, its_name) = cards.id_and_name(rank);
            assert_eq!((id, &*its_name), ("a-1", name));
            let fields: Vec<(&str, Cow<str>)> = cards.fields(rank).collect();
            let expected = [
                ("id", "a-1"),
                ("name", name),
                ("style", name),
                ("mentions", "12"),
                ("uau", "true"),
                ("region", "Asa, Norte"),
            ];
            assert_eq!(fields, expected.map(|(name, value)| (name, value.into())));
        }
    }

    #[test]
    fn what_is_escaped_reads_back_as_it_was() {
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
