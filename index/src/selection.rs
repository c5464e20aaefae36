//! Some of the fields of records, for callers who need no more: copied from the rendered record, which is not parsed.

use memchr::{memchr, memchr2};

/// All fields of records in answers, in the order in which they are rendered.
pub const FIELDS: &[&str] = &[
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
    "lineup",
    "address",
    "description",
    "tickets",
    "links",
    "location",
    "dates",
    "distance_m",
    "distance_is",
];

const _: () = assert!(FIELDS.len() < u32::BITS as usize);

/// Some of [`FIELDS`], one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection(u32);

impl Selection {
    /// The fields with these names; unknown ones are no part of it.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let bit = |name: &str| FIELDS.iter().position(|field| *field == name).map_or(0, |at| 1 << at);
        Self(names.into_iter().fold(0, |all, name| all | bit(name)))
    }

    /// Whether the field is selected.
    pub fn has(self, name: &str) -> bool {
        self.0 & Self::of([name]).0 != 0
    }

    /// Appends the selected fields of a rendered record, as an object without its closing brace.
    pub fn copy(self, record: &[u8], out: &mut Vec<u8>) {
        out.push(b'{');
        let (mut rest, mut first, mut field, mut wanted) = (record, true, 0, self.0);
        // each field has the brace or comma before it
        while wanted != 0
            && let Some(named) = rest.get(2..)
            && let Some(end) = memchr(b'"', named)
            && let Some(value) = named.get(end + 2..)
        {
            let length = length(value);
            if let Some(ahead) = FIELDS[field..].iter().position(|name| name.as_bytes() == &named[..end]) {
                field += ahead;
                if wanted >> field & 1 == 1 {
                    if !first {
                        out.push(b',');
                    }
                    out.extend_from_slice(&rest[1..end + 4 + length]);
                    first = false;
                }
                // those before it do not follow any more
                wanted = wanted >> field >> 1 << field << 1;
            }
            rest = &value[length..];
        }
    }
}

/// The length of the value that compact JSON begins with.
fn length(json: &[u8]) -> usize {
    match json.first() {
        Some(b'"') => text(json),
        Some(b'{' | b'[') => {
            let (mut at, mut depth) = (0, 0_usize);
            while let Some(byte) = json.get(at) {
                match byte {
                    b'"' => {
                        at += text(&json[at..]);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
            at
        }
        _ => memchr(b',', json).unwrap_or(json.len()),
    }
}

/// The length of the string that the JSON begins with, its quotes included.
fn text(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = json.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if json[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;
    use crate::generators::demo;
    use crate::{Guide, Pages, View};

    fn object(json: &[u8]) -> Map<String, Value> {
        serde_json::from_slice(&[json, b"}"].concat()).unwrap()
    }

    #[test]
    fn a_selection_has_exactly_the_fields_that_were_selected() {
        let pages = Pages { site: "https://guia.example".into(), area: "plano-piloto".into() };
        let guide = Guide::build_with_pages(&demo(), Some(&pages)).unwrap();
        let mut seed = 7_u32;
        let mut with_pages = 0;
        for collection in [&guide.places, &guide.events] {
            for rank in 0..collection.len() {
                for view in [View::Basic, View::Full] {
                    let whole = collection.rendered.json(rank, view);
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    for selection in [Selection(0), Selection(u32::MAX), Selection(1), Selection(seed)] {
                        let mut copied = Vec::new();
                        selection.copy(whole, &mut copied);
                        let mut expected = object(whole);
                        with_pages += usize::from(expected.contains_key("url"));
                        assert!(expected.keys().all(|name| FIELDS.contains(&name.as_str())));
                        expected.retain(|name, _| selection.has(name));
                        assert_eq!(object(&copied), expected, "{selection:?}");
                    }
                    let mut copied = Vec::new();
                    Selection(u32::MAX).copy(whole, &mut copied);
                    assert_eq!(copied, whole, "all fields are the record, byte for byte");
                }
            }
        }
        assert!(with_pages > 0);
    }

    #[test]
    fn values_that_hold_brackets_quotes_and_backslashes_are_copied_whole() {
        let record = br#"{"id":"a","name":"},\"{[\\","sessions":[{"start_time":"]}"}],"venue":"x","mentions":3,"uau":true"#;
        for (names, expected) in [
            (&["venue"][..], r#"{"venue":"x""#),
            (&["uau", "name"], r#"{"name":"},\"{[\\","uau":true"#),
            (&["sessions", "mentions"], r#"{"sessions":[{"start_time":"]}"}],"mentions":3"#),
            (&["lineup"], "{"),
        ] {
            let mut copied = Vec::new();
            Selection::of(names.iter().copied()).copy(record, &mut copied);
            assert_eq!(String::from_utf8(copied).unwrap(), expected);
        }
    }
}
