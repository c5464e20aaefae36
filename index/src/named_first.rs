//! The page in the usual order, with the places whose whole name the question is before all others that meet it: the
//! area "Torre de TV" has a fair and a museum that are as well known as the tower.

use std::ops::Range;

use smallvec::SmallVec;

use crate::bits::Bits;
use crate::clauses::{Clause, ClauseKind};
use crate::collection::Collection;
use crate::fixed_words::is_stop_word;
use crate::page::Page;
use crate::positions::Point;
use crate::search::{Query, Search};
use crate::stop_words::is_in;
use crate::vocabulary::EVERYWHERE;

/// [`Page::order`] of a page that ends with one of those places.
const NAMED: u32 = u32::MAX;

impl Search<'_, '_> {
    /// The page of these records in the usual order. Among equals the nearer to `from` come first.
    pub(crate) fn page_in_order(&self, records: &Bits, from: Option<Point>) -> Page {
        let total = records.count();
        if self.groups() {
            let start = self.start();
            return self.page_of_groups(records.ranks_from(0), |rank| rank >= start);
        }
        let named: SmallVec<[u32; 2]> = self.namesakes().filter(|rank| records.has(*rank)).collect();
        if named.is_empty() {
            return Page { total, ..self.page_of_the_rest(self.query, records, from) };
        }
        let mut rest = records.clone();
        named.iter().for_each(|rank| rest.remove(*rank));
        let Query { after, limit, .. } = *self.query;
        let start = match after {
            None => 0,
            Some(after) if after.order == Some(NAMED) => self.start(),
            Some(_) => return Page { total, ..self.page_of_the_rest(self.query, &rest, from) },
        };
        let mut page = Page { total, order: Some(NAMED), ..Page::default() };
        page.ranks.extend(named.iter().copied().filter(|rank| *rank >= start).take(limit));
        let listed_before = named.partition_point(|rank| *rank < start);
        match limit - page.ranks.len() {
            0 => page.more = listed_before + limit < named.len() || !rest.is_empty(),
            limit => {
                let query = Query { after: None, limit, ..self.query.clone() };
                let others = self.page_of_the_rest(&query, &rest, from);
                if !others.ranks.is_empty() {
                    (page.more, page.order) = (others.more, others.order);
                    page.ranks.extend(others.ranks);
                }
            }
        }
        page
    }

    /// Whether some place has the question as its whole name.
    pub(crate) fn is_of_named(&self) -> bool {
        self.namesakes().next().is_some()
    }

    /// The places whose whole name is all that the question asks for. What means a category means a place of it.
    fn namesakes(&self) -> impl Iterator<Item = u32> {
        let (collection, clauses) = (self.collection, &self.text.clauses);
        let name = self.name().filter(|_| collection.calendar.is_none());
        let name = name.map(|name| self.query.words.between(name.start, name.end));
        let named = name.into_iter().flat_map(|name| collection.with_folded_name(name));
        named.filter(|rank| clauses.iter().all(|clause| may_mean(collection, clause, *rank)))
    }

    /// The words that may be a name, if the question asks for nothing else. "No Conic" asks for what is there.
    fn name(&self) -> Option<Range<usize>> {
        let (words, text) = (self.query.words, self.text);
        let is_plain = |clause: &Clause| !clause.is_anchor && clause.kind() != ClauseKind::Hint;
        if text.excludes()
            || text.days.is_some()
            || text.hours.is_some()
            || !text.clauses.iter().all(is_plain)
        {
            return None;
        }
        let start = text.clauses.iter().map(|clause| clause.words().start).min()?;
        let end = text.clauses.iter().map(|clause| clause.words().end).max()?;
        let is_hint = |at: &usize| text.hints.iter().any(|hint| hint.words.contains(at));
        let mut others = (0..start).chain(end..words.len());
        let is_all = others.all(|at| is_stop_word(words.raw(at)) || is_hint(&at));
        (is_all && !words.before(start).next().is_some_and(is_in)).then_some(start..end)
    }

    /// The page of records in the usual order that none is named before.
    fn page_of_the_rest(&self, query: &Query, records: &Bits, from: Option<Point>) -> Page {
        let mut collector = self.page_collector(query, from);
        // the page ends with the first record that it does not want
        let _ = records.ranks_from(collector.first()).all(|rank| collector.take(rank));
        collector.page()
    }
}

/// Whether the clause may mean the record: it names no category, or one that the record has.
fn may_mean(collection: &Collection, clause: &Clause, rank: u32) -> bool {
    let categories = clause.text_categories();
    let has = |id| collection.members(EVERYWHERE, Some(id)).binary_search(&rank).is_ok();
    categories.is_empty() || categories.into_iter().any(has)
}
