//! JSON bodies of answers, written into one buffer. Records come from the index rendered, both as JSON and as the inside
//! of a JSON string, so that the text block of a tool result repeats an answer without escaping its records again.

use std::ops::Range;

use index::View;
use index::collection::Collection;
use index::rendered::{RenderedJson, append_escaped_copy};
use index::search::Ranks;
use serde::Serialize;
use smallvec::SmallVec;

/// Room for most answers, so that the buffer seldom grows.
const USUAL_BYTES: usize = 16 * 1024;

/// A JSON object under construction.
pub struct JsonBody<'a> {
    json: Vec<u8>,
    /// Parts of `json` whose escaped form is at hand, in order.
    escaped: SmallVec<[(Range<usize>, &'a [u8]); 24]>,
}

impl<'a> JsonBody<'a> {
    /// An empty object; more fields follow.
    pub fn new() -> Self {
        let mut json = Vec::with_capacity(USUAL_BYTES);
        json.push(b'{');
        Self { json, escaped: SmallVec::new() }
    }

    /// Appends a field.
    pub fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        self.name(name);
        // Writing to memory does not fail, and the values of answers have string keys.
        let _ = serde_json::to_writer(&mut self.json, value);
    }

    /// Appends the fields of a struct; the body must have a field already.
    pub fn fields(&mut self, fields: &impl Serialize) {
        let start = self.json.len();
        let _ = serde_json::to_writer(&mut self.json, fields);
        // the braces of the struct give way to a comma
        if self.json.len() > start + 2 {
            self.json[start] = b',';
            self.json.pop();
        } else {
            self.json.truncate(start);
        }
    }

    /// Appends a field if there is a value.
    pub fn optional(&mut self, name: &str, value: Option<&(impl Serialize + ?Sized)>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    /// Appends a record as a field.
    pub fn record(&mut self, name: &str, collection: &'a Collection, rank: u32, view: View) {
        self.name(name);
        self.rendered(collection, rank, view);
    }

    /// Appends a list of records as a field.
    pub fn records(&mut self, name: &str, collection: &'a Collection, ranks: &Ranks, view: View) {
        self.name(name);
        self.json.push(b'[');
        for (place, rank) in ranks.iter().enumerate() {
            if place > 0 {
                self.json.push(b',');
            }
            self.rendered(collection, *rank, view);
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
        if self.json.len() > 1 {
            self.json.push(b',');
        }
        self.json.push(b'"');
        self.json.extend_from_slice(name.as_bytes());
        self.json.extend_from_slice(b"\":");
    }

    fn rendered(&mut self, collection: &'a Collection, rank: u32, view: View) {
        let start = self.json.len();
        self.json.extend_from_slice(collection.rendered.json(rank, view));
        self.escaped.push((start..self.json.len(), collection.rendered.escaped(rank, view)));
        self.json.push(b'}');
    }

    /// The object as JSON.
    pub fn into_json(mut self) -> Vec<u8> {
        self.json.push(b'}');
        self.json
    }

    /// `before`, the object as JSON, `between`, the object as the inside of a JSON string, `after`: a tool result.
    pub fn into_json_and_text(mut self, before: &[&str], between: &str, after: &[&str]) -> Vec<u8> {
        self.json.push(b'}');
        let around: usize = before.iter().chain(after).map(|part| part.len()).sum::<usize>() + between.len();
        // About one byte in seven needs a backslash.
        let mut out = Vec::with_capacity(around + self.json.len() * 9 / 4 + 256);
        before.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
        let start = out.len();
        out.extend_from_slice(&self.json);
        out.extend_from_slice(between.as_bytes());
        let mut from = 0;
        for (range, escaped) in &self.escaped {
            append_escaped_copy(start + from..start + range.start, &mut out);
            out.extend_from_slice(escaped);
            from = range.end;
        }
        append_escaped_copy(start + from..start + self.json.len(), &mut out);
        after.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
        out
    }
}

impl Default for JsonBody<'_> {
    fn default() -> Self {
        Self::new()
    }
}
