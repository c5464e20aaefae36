//! Some of the fields of records, for callers who need no more: copied from the rendered record, which is not parsed.

use crate::error::BuildError;

/// The records that have a field.
#[derive(Clone, Copy)]
enum Of {
    Events,
    Places,
    Both,
}

/// All fields of records in answers, in the order in which they are rendered.
const TABLE: [(&str, Of); 30] = [
    ("id", Of::Both),
    ("name", Of::Both),
    ("date", Of::Events),
    ("end_date", Of::Events),
    ("start_time", Of::Events),
    ("end_time", Of::Events),
    ("sessions", Of::Events),
    ("status", Of::Events),
    ("venue", Of::Events),
    ("place", Of::Events),
    ("neighbourhood", Of::Both),
    ("region", Of::Both),
    ("category", Of::Both),
    ("style", Of::Places),
    ("price", Of::Both),
    ("free", Of::Both),
    ("instagram", Of::Both),
    ("mentions", Of::Places),
    ("uau", Of::Both),
    ("series", Of::Events),
    ("url", Of::Both),
    ("lineup", Of::Events),
    ("address", Of::Both),
    ("description", Of::Places),
    ("tickets", Of::Events),
    ("links", Of::Both),
    ("location", Of::Both),
    ("dates", Of::Events),
    ("distance_m", Of::Both),
    ("distance_is", Of::Both),
];

const fn is_of(records: Of, wanted: Of) -> bool {
    matches!(
        (records, wanted),
        (Of::Both, _) | (_, Of::Both) | (Of::Events, Of::Events) | (Of::Places, Of::Places)
    )
}

const fn count(wanted: Of) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < TABLE.len() {
        count += is_of(TABLE[at].1, wanted) as usize;
        at += 1;
    }
    count
}

/// The names of `N` fields, which [`count`] counts.
const fn names<const N: usize>(wanted: Of) -> [&'static str; N] {
    let (mut names, mut at, mut filled) = ([""; N], 0, 0);
    while at < TABLE.len() {
        if is_of(TABLE[at].1, wanted) {
            names[filled] = TABLE[at].0;
            filled += 1;
        }
        at += 1;
    }
    names
}

/// The fields of events and of places, in the order in which they are rendered.
pub const FIELDS: &[&str] = &names::<{ count(Of::Both) }>(Of::Both);

/// The fields of events.
pub const EVENT_FIELDS: &[&str] = &names::<{ count(Of::Events) }>(Of::Events);

/// The fields of places.
pub const PLACE_FIELDS: &[&str] = &names::<{ count(Of::Places) }>(Of::Places);

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
}

/// Where each field of each rendered record ends.
#[derive(Default)]
pub(crate) struct FieldEnds {
    /// By rank: the fields that the record has, and where its ends begin.
    records: Vec<(Selection, u32)>,
    /// Offsets within the record, by record and field.
    ends: Vec<u32>,
}

impl FieldEnds {
    /// Begins the next record.
    pub(crate) fn begin(&mut self) {
        // checked at the end: lengths only grow
        let first = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.records.push((Selection(0), first));
    }

    /// Notes that a field of the record ends at an offset. Fields come in the order of [`FIELDS`].
    pub(crate) fn note(&mut self, name: &str, end: u32) {
        if let Some((present, _)) = self.records.last_mut() {
            let field = Selection::of([name]).0;
            debug_assert!(present.0 < field, "{name} has no place in FIELDS, or comes too late");
            present.0 |= field;
            self.ends.push(end);
        }
    }

    /// Releases spare memory. Fails when an offset does not fit its type.
    pub(crate) fn finish(&mut self) -> Result<(), BuildError> {
        u32::try_from(self.ends.len()).map_err(|_| BuildError::TooLarge("fields"))?;
        self.records.shrink_to_fit();
        self.ends.shrink_to_fit();
        Ok(())
    }

    /// Appends the selected fields of the record at `rank`, as an object without its closing brace. Of those in `json`,
    /// which may be the beginning of the record.
    pub(crate) fn copy(&self, rank: u32, json: &[u8], selected: Selection, out: &mut Vec<u8>) {
        let (present, first) = self.records[rank as usize];
        let ends = &self.ends[first as usize..];
        let mut wanted = present.0 & selected.0;
        let mut separator = b'{';
        while wanted != 0 {
            let below = (1 << wanted.trailing_zeros()) - 1;
            let before = (present.0 & below).count_ones() as usize;
            let start = if before == 0 { 0 } else { ends[before - 1] as usize };
            // each field has the brace or comma before it
            let Some(field) = json.get(start + 1..ends[before] as usize) else { break };
            out.push(separator);
            out.extend_from_slice(field);
            separator = b',';
            wanted &= wanted - 1;
        }
        if separator == b'{' {
            out.push(b'{');
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;
    use crate::tests::generators::demo;
    use crate::{Guide, SitePages, View};

    fn object(json: &[u8]) -> Map<String, Value> {
        serde_json::from_slice(&[json, b"}"].concat()).unwrap()
    }

    #[test]
    fn a_selection_has_exactly_the_fields_that_were_selected() {
        let pages = SitePages { site: "https://guia.example".into(), area: "plano-piloto".into() };
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
                        collection.rendered.copy(rank, view, selection, &mut copied);
                        let mut expected = object(whole);
                        with_pages += usize::from(expected.contains_key("url"));
                        assert!(expected.keys().all(|name| FIELDS.contains(&name.as_str())));
                        expected.retain(|name, _| selection.has(name));
                        assert_eq!(object(&copied), expected, "{selection:?}");
                    }
                    let mut copied = Vec::new();
                    collection.rendered.copy(rank, view, Selection(u32::MAX), &mut copied);
                    assert_eq!(copied, whole, "all fields are the record, byte for byte");
                }
            }
        }
        assert!(with_pages > 0);
    }
}
