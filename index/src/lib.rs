//! A snapshot made findable: pure, synchronous, in memory. No clock, no network, no tokio, no plan names.
//!
//! [`Guide::build`] turns a snapshot into two shelves (places, events) over one archive of regions and
//! categories. A question is folded ([`fold`]), its words are read with the help of the archive ([`reading`],
//! [`when`]), understood ([`query`]), turned into sets of ranks and walked ([`search`]). What comes back are
//! ranks; [`cards`] holds each record's JSON, rendered once.
//!
//! From the ground up: `fold` · `archive` · `reading` · `asking` · `regions`, `categories` · `when` · `query` ·
//! `schema` · `cards` · `sets` · `calendar` · `text` · `totals` · `shelf` · `search`. A file uses only those before it.

pub mod archive;
mod asking;
mod calendar;
pub mod cards;
pub mod categories;
#[cfg(test)]
mod dice;
pub mod fold;
#[cfg(test)]
mod leaks;
#[cfg(test)]
mod linear;
pub mod query;
pub mod reading;
pub mod regions;
mod schema;
pub mod search;
mod sets;
pub mod shelf;
mod text;
mod totals;
pub mod when;

pub use archive::{EVERYWHERE, Node, Nodes};
pub use schema::View;
pub use search::{Cursor, Page, Question};
pub use shelf::Shelf;
pub use when::Window;

use archive::{Archived, Atlas, Maps};
use shelf::{Builder, ShelfError};
use snapshots::Snapshot;

/// The immutable, searchable thing made from one snapshot.
pub struct Guide {
    /// The snapshot's name.
    pub name: String,
    archive: Archived,
    /// The places, most talked-about first.
    pub places: Shelf,
    /// The events, in date order.
    pub events: Shelf,
}

/// From so many records on, both shelves are built at once.
const MANY_RECORDS: usize = 20_000;

/// Why a guide could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The maps of regions and categories could not be archived.
    #[error("the region and category maps could not be archived: {0}")]
    Archive(#[from] rkyv::rancor::Error),
    /// A shelf could not be built.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
}

impl Guide {
    /// Builds the guide of a checked snapshot, with a thread for each shelf where there is much to do: the writers of two
    /// shelves take twice the memory of one.
    pub fn build(snapshot: &Snapshot) -> Result<Self, BuildError> {
        let mut maps = Maps::default();
        let areas = regions::lay_out(&snapshot.vocabulary, &mut maps);
        let categories = categories::lay_out(&snapshot.vocabulary.taxonomy, &mut maps);
        maps.sorted_words = maps.words.keys().cloned().collect();
        maps.sorted_words.sort_unstable();
        let archive = Archived::new(&maps)?;
        drop(maps);
        let builder = Builder { atlas: archive.atlas(), areas: &areas, categories: &categories };
        let places = || builder.build(&snapshot.places, cards::Cards::add_place);
        let events = || builder.build(&snapshot.events, cards::Cards::add_event);
        let (places, events) = if snapshot.places.len() + snapshot.events.len() < MANY_RECORDS {
            (places(), events())
        } else {
            std::thread::scope(|scope| {
                let places = scope.spawn(places);
                let events = events();
                (places.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), events)
            })
        };
        Ok(Self { name: snapshot.name.clone(), places: places?, events: events?, archive })
    }

    /// The maps of regions and categories.
    pub fn atlas(&self) -> &Atlas {
        self.archive.atlas()
    }
}
