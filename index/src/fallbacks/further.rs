//! What an answer offers beside the records that it lists: further records, and the next day that has something.

use std::borrow::Cow;

use chrono::NaiveDate;
use hashbrown::HashSet;

use crate::grammar::dates::Window;
use crate::question::clauses::ClauseKind;
use crate::records::bits::Bits;
use crate::search::page::{FURTHER, NEXT_EVENTS, Next};
use crate::search::{Search, Without};

/// Of more events in the days of a question, the first are compared by the length of their series.
const MOST_COMPARED: usize = 4_096;

impl<'s> Search<'s, '_> {
    /// How many records to look at for [`Page::further`]: of those some may be other days of one series.
    pub(crate) fn most_further(&self) -> usize {
        if self.groups() { FURTHER * 8 } else { FURTHER }
    }

    /// The first of `rest` for [`Page::further`], beside those that are listed.
    pub(crate) fn first_further(&self, rest: &Bits, listed: &Bits) -> Vec<u32> {
        self.distinct(rest.ranks_from(0).take(self.most_further()).collect(), listed)
    }

    /// What else is on in the days and at the hours that the text names: in its areas, if anything is. For
    /// [`Page::further`], beside those that are listed.
    pub(crate) fn rest_of_the_days(&self, listed: &Bits) -> Vec<u32> {
        let Some(window) = self.window() else { return Vec::new() };
        let mut on = self.base_of_named_days(window).and_not(listed);
        // a market of the morning is nothing for tonight
        if let Some(hours) = self.text.hours {
            on = self.collection.starting_in(&on, hours);
        }
        let areas = self.text.clauses.iter().enumerate();
        let areas = areas.filter(|(_, clause)| clause.kind() == ClauseKind::Area);
        let here = areas.fold(on.clone(), |rest, (at, _)| rest.and_any(self.lists(at)));
        self.rarest_further(if here.is_empty() { &on } else { &here }, listed)
    }

    /// The events of `rest` for [`Page::further`], those of the shortest series first: what is on once a year says more
    /// of a day than the market of each week.
    fn rarest_further(&self, rest: &Bits, listed: &Bits) -> Vec<u32> {
        let mut ranks: Vec<u32> = rest.ranks_from(0).take(MOST_COMPARED).collect();
        ranks.sort_by_key(|rank| self.collection.series_length(*rank));
        ranks.truncate(self.most_further());
        self.distinct(ranks, listed)
    }

    /// At most [`FURTHER`] of the records: with groups, one of each series, and none of a series that `listed` has.
    pub(crate) fn distinct(&self, records: Vec<u32>, listed: &Bits) -> Vec<u32> {
        if !self.groups() {
            return records;
        }
        let series = |rank: u32| self.collection.series(rank);
        let mut new: HashSet<u32> = records.iter().filter_map(|rank| series(*rank)).collect();
        for series in listed.ranks_from(0).filter_map(series) {
            new.remove(&series);
        }
        let is_new = |rank: &u32| series(*rank).is_none_or(|series| new.remove(&series));
        records.into_iter().filter(is_new).take(FURTHER).collect()
    }

    /// The first day from `from` on that has a match.
    pub(crate) fn next(&self, from: NaiveDate) -> Option<Next> {
        let matching = self.matching(self.range_of(Window::since(from)), Without::default());
        self.next_of(&matching, from)
    }

    /// The first day from `from` on that has one of the records.
    pub(crate) fn next_of(&self, records: &Bits, from: NaiveDate) -> Option<Next> {
        let date = self.collection.first_day(records.next(0)?)?.max(from);
        let of_the_day = self.listed(Cow::Owned(records.and(&self.base_of_all_days(Window::day(date)))));
        Some(Next {
            date,
            total: of_the_day.count(),
            ranks: of_the_day.ranks_from(0).take(NEXT_EVENTS).collect(),
        })
    }
}
