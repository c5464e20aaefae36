//! How many records of a whole question there are by category, by region and by day: for each, what the total of the
//! question would be if it asked for that too.

use chrono::NaiveDate;

use crate::error::BuildError;
use crate::vocabulary::{ArchivedAreaKind, ArchivedVocabularyIndex, AreaId, CategoryId};

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
    /// By rank.
    regions: Vec<AreaId>,
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
        let is_region = |id: &&AreaId| vocabulary.areas[usize::from(**id)].kind == ArchivedAreaKind::Region;
        let region = areas.iter().find(is_region).or(areas.first());
        self.regions.push(region.copied().unwrap_or_default());
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

    /// The region of a record.
    pub(crate) fn region(&self, rank: u32) -> AreaId {
        self.regions[rank as usize]
    }

    /// The categories of a record and those that contain them.
    pub(crate) fn categories(&self, rank: u32) -> &[CategoryId] {
        let at = rank as usize;
        &self.categories[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}
