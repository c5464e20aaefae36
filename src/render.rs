//! JSON bodies of answers, written into one buffer. Records come from the index rendered, both as JSON and as the
//! inside of a JSON string, so that the text block of a tool result repeats an answer without escaping its records
//! again.

use std::cell::Cell;
use std::ops::{Deref, DerefMut, Range};

use bytes::Bytes;
use chrono::NaiveDate;
use index::View;
use index::records::collection::Collection;
use index::records::positions::Anchor;
use index::records::rendered::{RenderedJson, append_escaped_copy};
use index::records::selection::Selection;
use serde::Serialize;
use smallvec::SmallVec;

/// Room for most answers, so that the buffer seldom grows.
const USUAL_BYTES: usize = 16 * 1024;

/// The memory of larger answers is not kept.
const MAX_KEPT_BYTES: usize = 4 * USUAL_BYTES;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The bytes of an answer. Its memory serves the next answer of the thread that drops it: with fresh memory for each, a
/// request takes 10 % more time, most of it for cache misses.
pub struct Buffer(Vec<u8>);

impl Buffer {
    /// An empty buffer.
    pub fn new() -> Self {
        let mut bytes = SPARE.take();
        bytes.clear();
        bytes.reserve(USUAL_BYTES);
        Self(bytes)
    }
}

impl Default for Buffer {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.0.capacity() <= MAX_KEPT_BYTES {
            // A thread that ends keeps nothing.
            let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.0)));
        }
    }
}

impl Deref for Buffer {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Buffer> for Bytes {
    fn from(buffer: Buffer) -> Bytes {
        Bytes::from_owner(buffer)
    }
}

/// What a list of records says of each: beside its own fields, and which of all.
#[derive(Debug, Default, Clone, Copy)]
pub struct Notes<'n> {
    /// By place in the list: the days of the series that the record stands for.
    pub dates: &'n [Vec<NaiveDate>],
    /// The point from which to tell distances, and the view that shows where the records are.
    pub distance_from: Option<(View, Anchor)>,
    /// The only fields to show; `None` for all.
    pub only: Option<Selection>,
}

impl Notes<'_> {
    fn shows(&self, field: &str) -> bool {
        self.only.is_none_or(|only| only.has(field))
    }
}

/// A JSON object under construction.
pub struct JsonBody<'a> {
    json: Buffer,
    /// Where the object begins in `json`.
    start: usize,
    /// Parts of `json` whose escaped form is at hand, in order.
    escaped: SmallVec<[(Range<usize>, &'a [u8]); 24]>,
}

impl<'a> JsonBody<'a> {
    /// An empty object behind what is in the buffer; fields follow.
    pub fn behind(mut json: Buffer) -> Self {
        let start = json.len();
        json.push(b'{');
        Self { json, start, escaped: SmallVec::new() }
    }

    /// Appends a field.
    pub fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        self.name(name);
        // Writing to memory does not fail, and the values of answers have string keys.
        let _ = serde_json::to_writer(&mut *self.json, value);
    }

    /// Appends the fields of a struct; the body must have a field already.
    pub fn fields(&mut self, fields: &impl Serialize) {
        let start = self.json.len();
        let _ = serde_json::to_writer(&mut *self.json, fields);
        // the braces of the struct give way to a comma
        if self.json.len() > start + 2 {
            self.json[start] = b',';
            self.json.pop();
        } else {
            self.json.truncate(start);
        }
    }

    /// Appends an object as a field, with the fields that `fill` appends.
    pub fn object(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        self.name(name);
        self.json.push(b'{');
        fill(self);
        self.json.push(b'}');
    }

    /// Appends an object of counts by name as a field.
    pub fn counts<N: Serialize>(&mut self, name: &str, counts: impl Iterator<Item = (N, u32)>) {
        self.object(name, |body| {
            for (place, (name, count)) in counts.enumerate() {
                if place > 0 {
                    body.json.push(b',');
                }
                let _ = serde_json::to_writer(&mut *body.json, &name);
                body.json.push(b':');
                body.json.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
            }
        });
    }

    /// Appends a field if there is a value.
    pub fn optional(&mut self, name: &str, value: Option<&(impl Serialize + ?Sized)>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    /// Appends a record as a field, with `only` some of its own or all.
    pub fn record(
        &mut self,
        name: &str,
        collection: &'a Collection,
        rank: u32,
        view: View,
        only: Option<Selection>,
    ) {
        self.name(name);
        self.open(collection, rank, view, only);
        self.json.push(b'}');
    }

    /// Appends a list of records as a field, each with the fields that `notes` has for it.
    pub fn records(
        &mut self,
        name: &str,
        collection: &'a Collection,
        ranks: &[u32],
        view: View,
        notes: Notes<'_>,
    ) {
        self.name(name);
        self.json.push(b'[');
        for (place, rank) in ranks.iter().enumerate() {
            if place > 0 {
                self.json.push(b',');
            }
            self.open(collection, *rank, view, notes.only);
            if let Some(dates) = notes.dates.get(place).filter(|dates| !dates.is_empty())
                && notes.shows("dates")
            {
                self.field("dates", dates);
            }
            if let Some((view, from)) = notes.distance_from
                && let Some(location) = collection.location(view, *rank)
            {
                if notes.shows("distance_m") {
                    self.field("distance_m", &location.distance(from));
                }
                if notes.shows("distance_is") {
                    self.field("distance_is", location.known_by.as_str());
                }
            }
            self.json.push(b'}');
        }
        self.json.push(b']');
    }

    /// Appends fields that were rendered before, with a comma in front.
    pub fn prerendered(&mut self, fields: &'a RenderedJson) {
        let start = self.json.len();
        self.json.extend_from_slice(fields.plain.as_bytes());
        self.escaped.push((start..self.json.len(), &fields.escaped));
    }

    fn name(&mut self, name: &str) {
        if self.json.last() != Some(&b'{') {
            self.json.push(b',');
        }
        self.json.push(b'"');
        self.json.extend_from_slice(name.as_bytes());
        self.json.extend_from_slice(b"\":");
    }

    /// Appends a record up to its last field.
    fn open(&mut self, collection: &'a Collection, rank: u32, view: View, only: Option<Selection>) {
        if let Some(only) = only {
            collection.rendered.copy(rank, view, only, &mut self.json);
            return;
        }
        let start = self.json.len();
        self.json.extend_from_slice(collection.rendered.json(rank, view));
        self.escaped.push((start..self.json.len(), collection.rendered.escaped(rank, view)));
    }

    /// The object as JSON.
    pub fn into_json(mut self) -> Buffer {
        self.json.push(b'}');
        self.json
    }

    /// The object as JSON, `between`, and the object as the inside of a JSON string: a tool result.
    pub fn into_json_and_text(mut self, between: &str) -> Buffer {
        self.json.push(b'}');
        let (mut from, end) = (self.start, self.json.len());
        // About one byte in seven needs a backslash.
        self.json.reserve((end - from) * 5 / 4 + 256);
        self.json.extend_from_slice(between.as_bytes());
        for (range, escaped) in &self.escaped {
            append_escaped_copy(from..range.start, &mut self.json);
            self.json.extend_from_slice(escaped);
            from = range.end;
        }
        append_escaped_copy(from..end, &mut self.json);
        self.json
    }
}
