//! The snapshots that curators publish: their format, checks, packed form and storage.
//!
//! A folder of JSON files ([`folder`]) becomes a [`Snapshot`] by [`check`](check()), which [`pack`](pack()) turns into
//! one content-addressed file for the [`depot`]. The format of the folder is documented in this crate's `README.md`.
//!
//! **Where to look**, in the order in which a snapshot is made:
//!
//! | step | modules |
//! |---|---|
//! | what a snapshot has | `record` `recur` `series` `vocabulary` `terms` `positions` `city_map` |
//! | a folder is read | `file` `folder` `fields` `parse` `encoding` `text` `demo` |
//! | what is wrong with it, and what is doubtful | `check` `rules` `vocabulary_rules` `term_rules` `position_rules` `names` `limits` `sizes` `defect` `warnings` `text_warnings` `warning` |
//! | it is packed and stored | `pack` `depot` `replace` |
//! | it is served on a day | `dated` `hidden` `lookup` |
//! | two of them are compared, merged, given back | `diff` `merge` `to_folder` |

pub mod check;
pub mod city_map;
mod dated;
pub mod defect;
pub mod demo;
pub mod depot;
pub mod diff;
mod encoding;
mod fields;
pub mod file;
pub mod folder;
mod hidden;
pub mod limits;
mod lookup;
pub mod merge;
mod names;
pub mod pack;
mod parse;
mod position_rules;
pub mod positions;
pub mod record;
pub mod recur;
mod replace;
mod rules;
mod series;
mod sizes;
mod term_rules;
pub mod terms;
mod text;
mod text_warnings;
mod to_folder;
pub mod vocabulary;
mod vocabulary_rules;
pub mod warning;
mod warnings;

pub use check::check;
pub use city_map::CityMap;
pub use dated::TooManyDates;
pub use defect::{Defect, Defects};
pub use depot::{Depot, DepotError, Pointer, PollState, Publication, ServerState};
pub use diff::{Diff, SnapshotStats, diff, regressions, vanishing};
pub use encoding::unscrambled;
pub use file::File;
pub use folder::Files;
pub use hidden::{Hidden, RecordKind, SaidHidden, ShownAgain, WhyHidden};
pub use lookup::NamedRecord;
pub use merge::{Collision, Merged, merge};
pub use pack::{Digest, PackError, Packed, UnpackError, pack, unpack};
pub use position_rules::far_from_area;
pub use positions::{Position, Positions};
pub use record::{Description, Event, Links, NO_DATE, Place, Session, Status, is_shown};
pub use replace::{replace_file, replace_files, replace_private_file};
pub use rules::NO_RECORDS;
pub use series::split_date;
pub use text::{folded, is_hidden, is_id, join_initials};
pub use to_folder::FileText;
pub use vocabulary::Vocabulary;
pub use warning::Warnings;
pub use warnings::warnings;

use serde::{Deserialize, Serialize};

/// The version of the packed format that this crate writes, and the newest that it reads.
pub const FORMAT: u32 = 2;

/// How many records a snapshot may hold, places and dated events together.
pub const MAX_RECORDS: usize = 2_000_000;

/// How many zones, regions and neighbourhoods a snapshot may hold in sum: the index numbers areas with 16 bits.
pub const MAX_AREAS: usize = 65_000;

/// How many categories a snapshot may hold.
pub const MAX_CATEGORIES: usize = 1_000;

/// How many address codes a snapshot may hold.
pub const MAX_CODES: usize = 65_000;

/// How many words and phrases may suggest one category.
pub const MAX_SUGGESTIONS: usize = 500;

/// How many groups of synonyms a snapshot may hold.
pub const MAX_SYNONYM_GROUPS: usize = 5_000;

/// How many words and phrases one group of synonyms may hold.
pub const MAX_SYNONYMS: usize = 40;

/// How many terms `not_listed` of `guide.json` may hold.
pub const MAX_NOT_LISTED: usize = 2_000;

/// How many numbered addresses `positions.json` may hold.
pub const MAX_BLOCKS: usize = 100_000;

/// How many landmarks `positions.json` may hold.
pub const MAX_LANDMARKS: usize = 20_000;

/// How deep neighbourhoods and categories may be nested.
pub const MAX_NESTING: usize = 16;

/// How large each of `regions.json`, `address_codes.json`, `categories.json` and `synonyms.json` may be once packed, in
/// bytes: the index keeps what they hold in an archive with 32-bit offsets.
pub const MAX_VOCABULARY_BYTES: usize = 16 * 1024 * 1024;

/// How much text places and dated events may hold in sum, in bytes: the index keeps it with 32-bit offsets.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024 * 1024;

/// A checked snapshot: every name is known, and every event has a date or a rule. It holds what the curator wrote;
/// [`Snapshot::on`] gives what is served on a day. Format 1 held the dates of repeated events and no rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Version of the packed format.
    pub format: u32,
    /// The name, from `guide.json`.
    pub name: String,
    /// When the curator finished it, from `guide.json`, RFC 3339.
    pub curated_at: String,
    /// Words for things that the guide does not list ("hotel", "pharmacy"), from `guide.json`. Omitted when empty, so
    /// that snapshots without it keep their digest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_listed: Vec<String>,
    /// The regions, address codes, categories and synonyms.
    pub vocabulary: Vocabulary,
    /// Where areas, numbered addresses and landmarks are. Omitted when empty, so that snapshots without the file keep
    /// their digest.
    #[serde(default, skip_serializing_if = "Positions::is_empty")]
    pub positions: Positions,
    /// The outline of the city. Omitted when empty, so that snapshots without the file keep their digest.
    #[serde(default, skip_serializing_if = "CityMap::is_empty")]
    pub map: CityMap,
    /// Sorted by id.
    pub places: Vec<Place>,
    /// Sorted by id.
    pub events: Vec<Event>,
}

impl Snapshot {
    /// Its size.
    pub fn counts(&self) -> Counts {
        Counts {
            places: self.places.len(),
            events: self.events.len(),
            regions: self.vocabulary.geography.regions.len(),
            neighbourhoods: self.vocabulary.geography.regions.iter().map(|r| r.neighbourhoods.len()).sum(),
            categories: self.vocabulary.taxonomy.categories.len(),
        }
    }
}

/// The size of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Places.
    pub places: usize,
    /// Events: a repeated event counts once, unless [`Snapshot::on`] expanded it.
    pub events: usize,
    /// Regions.
    pub regions: usize,
    /// Neighbourhoods of all regions.
    pub neighbourhoods: usize,
    /// Categories.
    pub categories: usize,
}
