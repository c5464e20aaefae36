//! How many records of a whole question there are by category, by region and by day: for each, what the total of the
//! question would be if it asked for that too.

use chrono::NaiveDate;
use hashbrown::HashMap;

use crate::error::BuildError;
use crate::vocabulary::node_ids::{AreaId, CategoryId};
use crate::vocabulary::{ArchivedAreaKind, ArchivedVocabularyIndex, EVERYWHERE};

/// What to count by.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Facets {
    /// By category.
    pub category: bool,
    /// By region.
    pub region: bool,
    /// By day; events only.
    pub day: bool,
}

impl Facets {
    /// Whether to count by anything.
    pub fn any(self) -> bool {
        self.category || self.region || self.day
    }
}

/// The counts, without those that are 0; empty for what was not asked for.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FacetCounts {
    /// By category, those that contain others included, in the order of the vocabulary.
    pub categories: Vec<(CategoryId, u32)>,
    /// By region, in the order of the vocabulary.
    pub regions: Vec<(AreaId, u32)>,
    /// By day of the question, in order: the first [`MAX_DAYS`].
    pub days: Vec<(NaiveDate, u32)>,
}

/// The most days that are counted.
pub const MAX_DAYS: usize = 366;

/// The regions and categories of each record.
#[derive(Default)]
pub(crate) struct FacetTable {
    /// The regions of all records.
    regions: Vec<AreaId>,
    /// The place of each in `regions`.
    places: HashMap<AreaId, u16>,
    /// By rank, the place in `regions`.
    region_of: Vec<u16>,
    /// Where the categories of each rank begin, and how many there are at the end.
    starts: Vec<u32>,
    /// The categories of all records and those that contain them.
    categories: Vec<CategoryId>,
}

impl FacetTable {
    /// Adds the next record.
    pub(crate) fn add(
        &mut self,
        vocabulary: &ArchivedVocabularyIndex,
        areas: &[AreaId],
        categories: &[CategoryId],
    ) -> Result<(), BuildError> {
        let is_region = |id: &&AreaId| vocabulary.area(**id).kind == ArchivedAreaKind::Region;
        let region = areas.iter().find(is_region).or(areas.first());
        let region = region.copied().unwrap_or(EVERYWHERE);
        let next = u16::try_from(self.regions.len()).map_err(|_| BuildError::TooLarge("regions"))?;
        let place = *self.places.entry(region).or_insert(next);
        if place == next {
            self.regions.push(region);
        }
        self.region_of.push(place);
        self.starts.push(self.end()?);
        self.categories.extend_from_slice(categories);
        Ok(())
    }

    /// Ends the table.
    pub(crate) fn finish(mut self) -> Result<Self, BuildError> {
        self.starts.push(self.end()?);
        self.categories.shrink_to_fit();
        Ok(self)
    }

    fn end(&self) -> Result<u32, BuildError> {
        u32::try_from(self.categories.len()).map_err(|_| BuildError::TooLarge("categories of records"))
    }

    /// The regions of all records.
    pub(crate) fn regions(&self) -> &[AreaId] {
        &self.regions
    }

    /// The place of a record's region among the regions of all.
    pub(crate) fn region_of(&self, rank: u32) -> u16 {
        self.region_of[rank as usize]
    }

    /// The categories of a record and those that contain them.
    pub(crate) fn categories(&self, rank: u32) -> &[CategoryId] {
        let at = rank as usize;
        &self.categories[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}
