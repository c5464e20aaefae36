//! What a curator hands in. Knows files and JSON; knows nothing of search, and no network beyond the depot.
//!
//! A snapshot walks: a folder of JSON files ([`folder`]) -> [`check`](check()) -> [`Snapshot`] -> [`pack`](pack())
//! -> one content-addressed file in the [`depot`]. The folder's format is in this crate's `README.md`.
//!
//! Read it in this order: [`record`] and [`vocabulary`] say what a snapshot holds, [`check`](mod@check) and the
//! rules it shares with [`unpack`] say what is wrong with one, [`recur`] turns a repeated event into dated ones,
//! [`mod@pack`] makes the one file, [`depot`] keeps it, [`mod@diff`] tells two snapshots apart.

pub mod check;
pub mod defect;
pub mod demo;
pub mod depot;
pub mod diff;
pub mod file;
pub mod folder;
pub mod pack;
mod parse;
pub mod record;
pub mod recur;
mod rules;
mod text;
pub mod vocabulary;

pub use check::check;
pub use defect::{Defect, Defects};
pub use depot::{Depot, DepotError, NewPublication, Pointer, PollState, Publication};
pub use diff::{Diff, SnapshotStats, diff, regressions};
pub use file::File;
pub use folder::Files;
pub use pack::{Digest, PackError, Packed, UnpackError, pack, unpack};
pub use record::{Description, Event, Links, Place};
pub use vocabulary::Vocabulary;

use serde::{Deserialize, Serialize};

/// Version of the packed format that this crate writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// How many records a snapshot may hold, places and dated events together.
pub const MAX_RECORDS: usize = 2_000_000;

/// A whole, checked snapshot: every event has its own date, every name is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Version of the packed format.
    pub format: u32,
    /// The snapshot's name, from `guide.json`.
    pub name: String,
    /// When the curator finished it, from `guide.json`, RFC 3339.
    pub curated_at: String,
    /// The words of the guide.
    pub vocabulary: Vocabulary,
    /// Sorted by id.
    pub places: Vec<Place>,
    /// Sorted by id.
    pub events: Vec<Event>,
}

impl Snapshot {
    /// How much it holds.
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

/// How much a snapshot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Places.
    pub places: usize,
    /// Dated events: a repeated event counts once per date.
    pub events: usize,
    /// Regions.
    pub regions: usize,
    /// Neighbourhoods of all regions.
    pub neighbourhoods: usize,
    /// Categories.
    pub categories: usize,
}
