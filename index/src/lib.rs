//! A searchable index of one snapshot: pure, synchronous, in memory. It knows no clock, network, runtime or plans.
//!
//! [`Guide::build`] makes two [`Collection`]s (places, events) and one index of the vocabulary (regions, categories,
//! address codes). A [`Query`] is parsed with the help of the vocabulary and becomes sorted lists of ranks, whose
//! intersection is the result. Results are ranks; [`records::rendered`] holds the JSON of each record.
//!
//! **The layers**, in the order of a question. A folder uses only lower ones; `tests/api/architecture.rs` reads this
//! table and holds the code to it. The first lines of each file say what it is for.
//!
//! | layer | modules | what they do |
//! |---|---|---|
//! | 1 | `grammar` `error` | what words mean in every guide, dates and hours among them, and how words are compared |
//! | 2 | `vocabulary` | what words mean in this guide: its areas, categories, synonyms and address codes |
//! | 3 | `records` | its records, indexed: postings, days, positions, and the JSON of each |
//! | 4 | `question` | a text becomes clauses and a place to search from |
//! | 5 | `spelling` | words that the guide does not know become words that it knows |
//! | 6 | `search` | clauses become lists of records, and these a page |
//! | 7 | `fallbacks` | what is answered when no record meets the whole question, and why nothing is |

mod error;
pub mod fallbacks;
pub mod grammar;
pub mod question;
pub mod records;
pub mod search;
pub mod spelling;
#[cfg(test)]
mod tests;
pub mod vocabulary;

pub use error::BuildError;
pub use grammar::dates::Window;
pub use question::near::Near;
pub use records::builder::SitePages;
pub use records::collection::Collection;
pub use records::prefixes::{Suggested, highlighted};
pub use records::schema::View;
pub use search::Query;
pub use search::groups::MAX_DATES;
pub use search::page::{Cursor, Page};
pub use vocabulary::node_ids::{AreaId, CategoryId};
pub use vocabulary::words::Words;
pub use vocabulary::{AreaIds, CategoryIds, EVERYWHERE, Quadras};

use std::sync::Arc;

use snapshots::{Event, Place, Snapshot};

use records::builder::Builder;
use records::keyed::RanksBy;
use records::positions::Gazetteer;
use records::prefixes::Prefixes;
use records::record_reader::{RecordReader, Venues};
use records::rendered::RenderedRecords;
use search::{lookup, suggestions};
use vocabulary::categories::{self, CategoryNames};
use vocabulary::regions::{self, AreaNames};
use vocabulary::{ArchivedVocabularyIndex, VocabularyArchive, VocabularyIndex, synonyms};

/// The immutable, searchable form of one snapshot.
pub struct Guide {
    /// The snapshot's name.
    pub name: String,
    /// When the curator finished it, RFC 3339.
    pub curated_at: String,
    archive: VocabularyArchive,
    /// The places, the most mentioned first.
    pub places: Collection,
    /// The events, in date order.
    pub events: Collection,
    /// Where addresses, landmarks and areas are.
    pub gazetteer: Arc<Gazetteer>,
    /// The events at each place.
    hosted: RanksBy<u32>,
    /// The names of areas.
    area_names: Prefixes,
    /// The names of categories, in both languages.
    category_names: Prefixes,
}

/// From this many records on, both collections are built at once.
const PARALLEL_RECORDS: usize = 20_000;

impl Guide {
    /// Builds the guide of what a checked snapshot serves on a day ([`Snapshot::on`]), as fast as it can.
    pub fn build(snapshot: &Snapshot) -> Result<Self, BuildError> {
        Self::build_with_pages(snapshot, None)
    }

    /// The same, whose records name their pages.
    pub fn build_with_pages(snapshot: &Snapshot, pages: Option<&SitePages>) -> Result<Self, BuildError> {
        let parts = Parts::expanded(snapshot)?;
        let builder = Builder { pages, ..parts.builder() };
        let places = || builder.read(&snapshot.places, RenderedRecords::add_place)?.finish();
        let events = || builder.read(&snapshot.events, RenderedRecords::add_event)?.finish();
        let (places, events) = if snapshot.places.len() + snapshot.events.len() >= PARALLEL_RECORDS {
            std::thread::scope(|scope| {
                let places = scope.spawn(places);
                let events = events()?;
                let places = places.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
                Ok::<_, BuildError>((places, events))
            })?
        } else {
            (places()?, events()?)
        };
        parts.guide(snapshot.name.clone(), snapshot.curated_at.clone(), places, events)
    }

    /// Builds the guide of what a checked snapshot serves on a day with less memory, beside another one: one collection
    /// after the other, and no record is kept once it is read. Two of tantivy's writers take twice the memory of
    /// one.
    pub fn build_low_memory(mut snapshot: Snapshot, pages: Option<&SitePages>) -> Result<Self, BuildError> {
        let parts = Parts::expanded(&snapshot)?;
        let builder = Builder { pages, ..parts.builder() };
        let places = builder.read(&snapshot.places, RenderedRecords::add_place)?;
        drop(std::mem::take(&mut snapshot.places));
        let places = places.finish()?;
        let events = builder.read(&snapshot.events, RenderedRecords::add_event)?;
        drop(std::mem::take(&mut snapshot.events));
        parts.guide(snapshot.name, snapshot.curated_at, places, events.finish()?)
    }

    /// At most `limit` of the areas that `accept` accepts whose name has a word that begins with the folded text.
    pub fn suggest_areas(&self, folded: &str, limit: usize, accept: impl Fn(AreaId) -> bool) -> AreaIds {
        let found = self.area_names.find(folded, limit, |id| AreaId::try_from(id).is_ok_and(&accept));
        found.into_iter().flat_map(AreaId::try_from).collect()
    }

    /// At most `limit` of the categories that `accept` accepts whose name in Portuguese or English has such a word.
    pub fn suggest_categories(
        &self,
        folded: &str,
        limit: usize,
        accept: impl Fn(CategoryId) -> bool,
    ) -> CategoryIds {
        let found = self.category_names.find(folded, limit, |id| CategoryId::try_from(id).is_ok_and(&accept));
        found.into_iter().flat_map(CategoryId::try_from).collect()
    }

    /// The JSON that each record of a snapshot would have in a guide, without its closing brace: for comparing two
    /// snapshots without building either; no record names its page. Repeated events need not be expanded.
    pub fn render_each<'r>(
        snapshot: &'r Snapshot,
        place: impl FnMut(&'r Place, &[u8]),
        event: impl FnMut(&'r Event, &[u8]),
    ) -> Result<(), BuildError> {
        let parts = Parts::new(snapshot)?;
        let builder = parts.builder();
        builder.render_each(&snapshot.places, RenderedRecords::add_place, place)?;
        builder.render_each(&snapshot.events, RenderedRecords::add_event, event)
    }

    /// The regions, categories and address codes.
    pub fn vocabulary(&self) -> &ArchivedVocabularyIndex {
        self.archive.vocabulary()
    }
}

/// What both collections of a guide are built with.
struct Parts {
    areas: AreaNames,
    categories: CategoryNames,
    gazetteer: Arc<Gazetteer>,
    archive: VocabularyArchive,
    /// One for both, so that the venue of an event is found among the names of places.
    hasher: hashbrown::DefaultHashBuilder,
    venues: Venues,
}

impl Parts {
    /// The parts for a snapshot whose repeated events are expanded.
    fn expanded(snapshot: &Snapshot) -> Result<Self, BuildError> {
        match snapshot.events.iter().find(|event| event.repeat.is_some()) {
            Some(event) => Err(BuildError::NotExpanded(event.id.clone())),
            None => Self::new(snapshot),
        }
    }

    fn new(snapshot: &Snapshot) -> Result<Self, BuildError> {
        let mut index = VocabularyIndex::default();
        let areas = regions::add_areas(&snapshot.vocabulary, &mut index)?;
        let categories = categories::add_categories(&snapshot.vocabulary, &mut index)?;
        synonyms::add_synonyms(snapshot, &mut index)?;
        suggestions::add_suggestions(&snapshot.vocabulary.taxonomy, &categories, &mut index);
        index.sorted_words = index.words.keys().cloned().collect();
        index.sorted_words.sort_unstable();
        let gazetteer = Arc::new(Gazetteer::new(snapshot, &index));
        let archive = VocabularyArchive::new(&index)?;
        drop(index);
        let hasher = hashbrown::DefaultHashBuilder::default();
        let mut parts = Self { areas, categories, gazetteer, archive, hasher, venues: Venues::default() };
        parts.venues = parts.builder().reader.venues(snapshot);
        Ok(parts)
    }

    fn builder(&self) -> Builder<'_> {
        let reader = RecordReader {
            vocabulary: self.archive.vocabulary(),
            areas: &self.areas,
            categories: &self.categories,
            hasher: &self.hasher,
            gazetteer: &self.gazetteer,
            venues: &self.venues,
        };
        Builder { reader, pages: None }
    }

    fn guide(
        self,
        name: String,
        curated_at: String,
        places: Collection,
        mut events: Collection,
    ) -> Result<Guide, BuildError> {
        let vocabulary = self.archive.vocabulary();
        let area_names = Prefixes::new(vocabulary.areas.iter().map(|area| [area.name.as_str()]))?;
        let categories = vocabulary.categories.iter();
        let category_names =
            Prefixes::new(categories.map(|category| [category.pt.as_str(), category.en.as_str()]))?;
        let hosted = lookup::hosted(self.archive.vocabulary(), &places, &events);
        // only the list of hosted events needs them
        (events.by_venue, events.by_place) = (RanksBy::default(), RanksBy::default());
        Ok(Guide {
            name,
            curated_at,
            places,
            events,
            gazetteer: self.gazetteer,
            hosted,
            archive: self.archive,
            area_names,
            category_names,
        })
    }
}
