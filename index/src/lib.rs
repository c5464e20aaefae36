//! A searchable index of one snapshot: pure, synchronous, in memory. It knows no clock, network, runtime or plans.
//!
//! [`Guide::build`] makes two [`Collection`]s (places, events) and one index of the vocabulary (regions, categories,
//! address codes). A [`Query`] is parsed with the help of the vocabulary and becomes sorted lists of ranks, whose
//! intersection is the result. Results are ranks; [`rendered`] holds the JSON of each record.
//!
//! **Where to look**, in the order of a question:
//!
//! | step | modules |
//! |---|---|
//! | a text becomes words | `fold` `tokens` `words` `language` |
//! | what words are in every guide | `fixed_words` `stop_words` `common_words` `demonyms` `lexicon` `persons` `operators` `hints` `amounts` `dates` |
//! | what words are in this guide | `vocabulary` `node_ids` `regions` `categories` `synonyms` `suggestions` `name_parts` |
//! | words become clauses | `query` `clauses` `introductions` `asides` `open_questions` `head` |
//! | where to search from | `near` `anchors` `at_landmark` `at_place` `homonyms` `positions` `sites` |
//! | a clause becomes lists of ranks | `term_lists` `postings` `bits` `narrowed` `calendar` `keyed` |
//! | lists become a page | `search` `as_written` `several_names` `named_first` `by_distance` `there` `ties` `groups` `page` `totals` `facets` `facet_counts` |
//! | nothing meets the whole question | `fallbacks` `named_later` `why_nothing` `phrase_splits` `respelling` `correction` `closest_pass` `candidates` `subject` `tiers` `further` |
//! | what describes the answer | `interpretation` `lookup` `rendered` `selection` |
//! | a snapshot becomes an index | `builder` `record_reader` `schema` `text` `prefixes` `collection` `error` |
#![deny(clippy::cast_possible_truncation)]

mod amounts;
mod anchors;
mod as_written;
mod asides;
mod at_landmark;
mod at_place;
mod bits;
mod builder;
mod by_distance;
mod calendar;
mod candidates;
pub mod categories;
mod clauses;
#[cfg(test)]
mod closest_days_tests;
mod closest_pass;
#[cfg(test)]
mod closest_tests;
pub mod collection;
mod common_words;
mod correction;
pub mod dates;
mod demonyms;
mod error;
mod facet_counts;
pub mod facets;
#[cfg(test)]
mod facets_tests;
mod fallbacks;
mod fixed_words;
pub mod fold;
mod further;
#[cfg(test)]
mod generators;
mod groups;
mod head;
pub mod hints;
mod homonyms;
mod interpretation;
mod introductions;
#[cfg(test)]
mod kept_subject_tests;
mod keyed;
pub mod language;
pub mod lexicon;
mod lookup;
mod name_parts;
#[cfg(test)]
mod name_tests;
mod named_first;
mod named_later;
mod narrowed;
pub mod near;
#[cfg(test)]
mod near_tests;
mod node_ids;
mod open_questions;
mod operators;
pub mod page;
mod persons;
mod phrase_splits;
pub mod positions;
mod postings;
mod prefixes;
pub mod query;
#[cfg(test)]
mod question_tests;
mod record_reader;
#[cfg(test)]
mod reference_search;
pub mod regions;
pub mod rendered;
mod respelling;
#[cfg(test)]
mod scanned;
mod schema;
pub mod search;
pub mod selection;
mod several_names;
mod sites;
mod stop_words;
mod subject;
#[cfg(test)]
mod suggestion_tests;
mod suggestions;
mod synonyms;
mod term_lists;
mod text;
mod there;
mod tiers;
mod ties;
pub mod tokens;
mod totals;
#[cfg(test)]
mod view_isolation;
pub mod vocabulary;
mod why_nothing;
pub mod words;

pub use builder::Pages;
pub use collection::Collection;
pub use dates::Window;
pub use error::BuildError;
pub use groups::MAX_DATES;
pub use near::Near;
pub use node_ids::{AreaId, CategoryId};
pub use page::{Cursor, Page};
pub use prefixes::{Suggested, highlighted};
pub use schema::View;
pub use search::Query;
pub use vocabulary::{AreaIds, CategoryIds, EVERYWHERE, Quadras};
pub use words::Words;

use std::sync::Arc;

use builder::Builder;
use categories::CategoryNames;
use positions::Gazetteer;
use prefixes::Prefixes;
use record_reader::RecordReader;
use regions::AreaNames;
use rendered::RenderedRecords;

use snapshots::{Event, Place, Snapshot};
use vocabulary::{ArchivedVocabularyIndex, VocabularyArchive, VocabularyIndex};

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
    hosted: keyed::RanksBy<u32>,
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
    pub fn build_with_pages(snapshot: &Snapshot, pages: Option<&Pages>) -> Result<Self, BuildError> {
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
    pub fn build_low_memory(mut snapshot: Snapshot, pages: Option<&Pages>) -> Result<Self, BuildError> {
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
    venues: record_reader::Venues,
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
        let mut parts =
            Self { areas, categories, gazetteer, archive, hasher, venues: record_reader::Venues::default() };
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
        (events.by_venue, events.by_place) = (keyed::RanksBy::default(), keyed::RanksBy::default());
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
