//! Counts the records of a search by category, region and day: few records one by one, many by their bitmaps.

use hashbrown::HashSet;
use smallvec::SmallVec;

use crate::grammar::dates::Window;
use crate::records::bits::Bits;
use crate::records::collection::Collection;
use crate::records::facets::{FacetCounts, MAX_DAYS};
use crate::records::postings::RankRange;
use crate::search::Search;
use crate::vocabulary::node_ids::{AreaId, CategoryId};

/// Counts by number, first for all and then without those that are 0.
type Tally = SmallVec<[u32; 256]>;

fn tally(len: usize) -> Tally {
    SmallVec::from_elem(0, len)
}

/// Those of a tally by id that are not 0.
fn counted<Id>(ids: impl Iterator<Item = Id>, tally: &[u32]) -> Vec<(Id, u32)> {
    let mut counts = Vec::with_capacity(tally.len());
    counts.extend(ids.zip(tally).filter(|(_, count)| **count > 0).map(|(id, count)| (id, *count)));
    counts
}

/// Those of a tally by the places of regions.
fn counted_regions(regions: &[AreaId], tally: &[u32]) -> Vec<(AreaId, u32)> {
    let mut counts = counted(regions.iter().copied(), tally);
    counts.sort_unstable();
    counts
}

/// Looking at the region of one record takes about as long as counting the bits of so many words of a bitmap.
const WORDS_OF_A_REGION: usize = 3;

/// Looking at the categories of one record takes as long as counting the bits of so many words.
const WORDS_OF_CATEGORIES: usize = 8;

impl Search<'_, '_> {
    /// The counts of records that a page lists, on these days.
    pub(crate) fn facets(&self, records: &Bits, days: &[Window]) -> Option<Box<FacetCounts>> {
        let asked = self.query.facets;
        if !asked.any() {
            return None;
        }
        let mut counts = FacetCounts::default();
        if self.groups() {
            self.count_groups(records, &mut counts);
        } else {
            self.count_records(records, &mut counts);
        }
        if asked.day {
            self.count_days(records, days, &mut counts);
        }
        Some(Box::new(counts))
    }

    fn count_records(&self, records: &Bits, counts: &mut FacetCounts) {
        let Self { vocabulary, collection, query, .. } = self;
        let Collection { facets: table, .. } = collection;
        let (regions, categories) = (table.regions(), vocabulary.categories.len());
        let words = records.0.len();
        let all = records.count() as usize;
        let is_many = |words_of_one: usize, lists: usize| all * words_of_one > lists * words;
        if query.facets.region {
            let mut tally = tally(regions.len());
            if is_many(WORDS_OF_A_REGION, regions.len()) {
                for (id, count) in regions.iter().zip(&mut tally) {
                    *count = records.count_in(&collection.members(*id, None).into());
                }
            } else {
                let places = records.ranks_from(0).map(|rank| table.region_of(rank));
                places.for_each(|place| tally[usize::from(place)] += 1);
            }
            counts.regions = counted_regions(regions, &tally);
        }
        if query.facets.category {
            let mut tally = tally(categories);
            if is_many(WORDS_OF_CATEGORIES, categories) {
                for (id, count) in CategoryId::all().zip(&mut tally) {
                    *count = records.count_in(&collection.members(crate::EVERYWHERE, Some(id)).into());
                }
            } else {
                let ids = records.ranks_from(0).flat_map(|rank| table.categories(rank));
                ids.for_each(|id| tally[usize::from(*id)] += 1);
            }
            counts.categories = counted(CategoryId::all(), &tally);
        }
    }

    /// A series counts once for each of its regions and categories.
    fn count_groups(&self, records: &Bits, counts: &mut FacetCounts) {
        let Self { vocabulary, collection, query, .. } = self;
        let table = &collection.facets;
        let mut regions = tally(table.regions().len());
        let mut categories = tally(vocabulary.categories.len());
        let mut seen = HashSet::new();
        for rank in records.ranks_from(0) {
            let series = collection.series(rank);
            let mut is_new =
                |kind: u8, id: usize| series.is_none_or(|series| seen.insert((series, kind, id)));
            let region = table.region_of(rank);
            if query.facets.region && is_new(0, region.into()) {
                regions[usize::from(region)] += 1;
            }
            if query.facets.category {
                for id in table.categories(rank).iter().filter(|id| is_new(1, (**id).into())) {
                    categories[usize::from(*id)] += 1;
                }
            }
        }
        counts.regions = counted_regions(table.regions(), &regions);
        counts.categories = counted(CategoryId::all(), &categories);
    }

    /// An event counts on each day on which it takes place.
    fn count_days(&self, records: &Bits, days: &[Window], counts: &mut FacetCounts) {
        let Some(calendar) = &self.collection.calendar else { return };
        for window in days {
            let Some(window) = calendar.clip(*window) else { continue };
            for day in window.from.iter_days().take_while(|day| *day <= window.to) {
                if counts.days.len() == MAX_DAYS {
                    return;
                }
                let range = calendar.range(Window::day(day));
                let count = match self.groups() {
                    false => records.count_in_range(range),
                    true => self.count_series(records.in_range(range)),
                };
                if count > 0 {
                    counts.days.push((day, count));
                }
            }
        }
    }
}

impl Bits {
    /// The ranks that a window has too.
    fn in_range<'b>(&'b self, range: RankRange<'b>) -> impl Iterator<Item = u32> + 'b {
        let early = range.early.iter().copied().filter(|rank| self.has(*rank));
        early.chain(self.ranks_from(range.from).take_while(move |rank| *rank < range.to))
    }

    /// How many they are.
    fn count_in_range(&self, range: RankRange<'_>) -> u32 {
        let early: u32 = range.early.iter().map(|rank| u32::from(self.has(*rank))).sum();
        early + self.count_between(range.from, range.to)
    }
}
