//! Series of events, each listed and counted once.

use chrono::NaiveDate;
use hashbrown::{HashMap, HashSet};

use crate::search::Search;
use crate::search::page::Page;

/// The most days of a series that an answer names.
pub const MAX_DATES: usize = 60;

impl Search<'_, '_> {
    /// Whether the events of one series are listed once.
    pub(crate) fn groups(&self) -> bool {
        self.query.group && !self.collection.series.is_empty()
    }

    /// The page of the series of these records, in their order, from the first that `is_next` on.
    pub(crate) fn page_of_groups(
        &self,
        records: impl Iterator<Item = u32>,
        is_next: impl Fn(u32) -> bool,
    ) -> Page {
        let from = self.window().map_or(self.query.today, |window| window.from);
        let mut groups: Vec<(u32, Vec<NaiveDate>)> = Vec::new();
        let mut by_series: HashMap<u32, usize> = HashMap::new();
        for rank in records {
            match self.collection.series(rank) {
                Some(series) => {
                    let group = *by_series.entry(series).or_insert(groups.len());
                    if group == groups.len() {
                        groups.push((rank, Vec::new()));
                    }
                    let days = &mut groups[group].1;
                    if days.len() < MAX_DATES {
                        // one that goes on may have begun before
                        days.extend(self.collection.first_day(rank).map(|day| day.max(from)));
                    }
                }
                None => groups.push((rank, Vec::new())),
            }
        }
        let mut page = Page { total: u32::try_from(groups.len()).unwrap_or(u32::MAX), ..Page::default() };
        let mut rest = groups.into_iter().filter(|(rank, _)| is_next(*rank));
        (page.ranks, page.dates) = rest.by_ref().take(self.query.limit).unzip();
        for days in &mut page.dates {
            days.sort_unstable();
            days.dedup();
        }
        page.more = rest.next().is_some();
        page
    }

    /// How many records there are, the events of one series as one.
    pub(crate) fn count_series(&self, records: impl Iterator<Item = u32>) -> u32 {
        let mut series = HashSet::new();
        let is_new = |rank: &u32| self.collection.series(*rank).is_none_or(|one| series.insert(one));
        u32::try_from(records.filter(is_new).count()).unwrap_or(u32::MAX)
    }
}
