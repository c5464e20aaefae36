//! A snapshot made findable: pure, synchronous, in memory. No clock, no network, no tokio, no plan names.
//!
//! [`Guide::build`] turns a snapshot into two shelves (places, events) over one archive of regions and
//! categories. A question is folded ([`fold`]), its words are read with the help of the archive ([`reading`],
//! [`when`]), understood ([`query`]), turned into sets of ranks and walked ([`search`]). What comes back are
//! ranks; [`cards`] holds each record's JSON, rendered once.
//!
//! From the ground up: `fold` · `archive` · `reading` · `asking` · `regions`, `categories` · `when` · `query` ·
//! `schema` · `cards` · `sets` · `calendar` · `text` · `totals` · `shelf` · `search`. A file uses only those before it.

mod calendar;
pub mod categories;
pub mod collection;
pub mod dates;
pub mod fold;
#[cfg(test)]
mod generators;
pub mod query;
#[cfg(test)]
mod reference_search;
pub mod regions;
pub mod rendered;
mod schema;
pub mod search;
mod sets;
mod stop_words;
mod text;
mod totals;
#[cfg(test)]
mod view_isolation;
pub mod vocabulary;
pub mod words;

pub use collection::Collection;
pub use dates::Window;
pub use schema::View;
pub use search::{Cursor, Page, Query};
pub use vocabulary::{AreaId, AreaIds, CategoryId, CategoryIds, EVERYWHERE, Node, Nodes};

/// The former name of [`Query`].
pub type Question<'q> = Query<'q>;

/// The former name of [`words`].
pub use words as reading;

use collection::{Builder, CollectionError};
use snapshots::Snapshot;
use vocabulary::{ArchivedVocabularyIndex, VocabularyArchive, VocabularyIndex};

/// The immutable, searchable thing made from one snapshot.
pub struct Guide {
    /// The snapshot's name.
    pub name: String,
    archive: VocabularyArchive,
    /// The places, most talked-about first.
    pub places: Collection,
    /// The events, in date order.
    pub events: Collection,
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
    Collection(#[from] CollectionError),
}

impl Guide {
    /// Builds the guide of a checked snapshot, with a thread for each shelf where there is much to do: the writers of two
    /// shelves take twice the memory of one.
    pub fn build(snapshot: &Snapshot) -> Result<Self, BuildError> {
        let mut maps = VocabularyIndex::default();
        let areas = regions::add_to(&snapshot.vocabulary, &mut maps);
        let categories = categories::add_to(&snapshot.vocabulary.taxonomy, &mut maps);
        maps.sorted_words = maps.words.keys().cloned().collect();
        maps.sorted_words.sort_unstable();
        let archive = VocabularyArchive::new(&maps)?;
        drop(maps);
        let builder = Builder { vocabulary: archive.vocabulary(), areas: &areas, categories: &categories };
        let places = || builder.build(&snapshot.places, rendered::RenderedRecords::add_place);
        let events = || builder.build(&snapshot.events, rendered::RenderedRecords::add_event);
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
    pub fn vocabulary(&self) -> &ArchivedVocabularyIndex {
        self.archive.vocabulary()
    }
}
