//! The order of places of equally many mentions. Those that have the question's own words come first, then the members
//! of what it names, and of these the nearer ones where it names a place to be near, or an area that has none.
//!
//! The contract orders places by their mentions, and many have as few as others: by their names alone, "feijoada" would
//! list every Brazilian restaurant before the bar that serves it.

use std::cell::OnceCell;

use smallvec::SmallVec;

use crate::question::clauses::{Clause, ClauseKind};
use crate::question::near::Near;
use crate::records::collection::Collection;
use crate::records::positions::{Anchor, Point};
use crate::records::postings::{Cursors, PostingCursor};
use crate::records::schema::View;
use crate::search::page::{Page, Ranks};
use crate::search::{Query, Search};
use crate::vocabulary::EVERYWHERE;

/// The first so many categories and areas of a question order its records; each takes two bits.
pub(crate) const MOST_CLAUSES: usize = 6;

/// The bits below those of the clauses: a distance.
const DISTANCE_BITS: u32 = 20;
const _: () = assert!(2 * MOST_CLAUSES + DISTANCE_BITS as usize <= u32::BITS as usize);

/// When more records of a question have equally many mentions, they stay in the order of their names.
pub(crate) const MOST_TIED: usize = if cfg!(test) { 64 } else { 128 };

/// What orders places of equally many mentions.
struct Ties<'s> {
    collection: &'s Collection,
    view: View,
    /// What the fewest records meet counts most.
    clauses: SmallVec<[TiedClause<'s>; 2]>,
    /// Where the question searches from, or the place that it names and nothing lies in.
    from: Option<Anchor>,
}

/// A clause that names categories or areas.
struct TiedClause<'s> {
    /// The records that have its words, unless these are the label of a category, which says no more than the category.
    with_words: Cursors<'s>,
    /// The members of what it names.
    members: Cursors<'s>,
}

impl<'s> TiedClause<'s> {
    /// `None` for a clause of plain words.
    fn of(search: &Search<'s, '_>, clause: &Clause<'_>) -> Option<Self> {
        let mut members = Cursors::new();
        for term in &clause.terms {
            let areas = term.areas().into_iter().map(|id| search.collection.members(id, None));
            let categories = term.own_categories().into_iter();
            let categories = categories.map(|id| search.collection.members(EVERYWHERE, Some(id)));
            members.extend(areas.chain(categories).map(PostingCursor::from));
        }
        (!members.is_empty()).then(|| Self { with_words: search.with_words(clause), members })
    }

    /// How many records its lists have.
    fn size(&self) -> usize {
        let lists = if self.with_words.is_empty() { &self.members } else { &self.with_words };
        lists.iter().map(PostingCursor::len).sum()
    }

    /// The less, the better the record meets it.
    fn order(&self, rank: u32) -> u32 {
        let lacks = |lists: &Cursors| u32::from(!lists.iter().any(|list| list.has(rank)));
        let lacks_words = if self.with_words.is_empty() { 0 } else { lacks(&self.with_words) };
        lacks_words << 1 | lacks(&self.members)
    }
}

impl<'s> Ties<'s> {
    /// `None` when nothing tells the records apart.
    fn of(search: &Search<'s, '_>, from: Option<Point>) -> Option<Self> {
        let (collection, query) = (search.collection, search.query);
        let from = query.near.map(Near::anchor).or(from.map(Anchor::from));
        if collection.calendar.is_some() {
            return None;
        }
        let names =
            |at: &usize| matches!(search.text.clauses[*at].kind(), ClauseKind::Category | ClauseKind::Area);
        let named: SmallVec<[usize; MOST_CLAUSES]> =
            (0..search.text.clauses.len()).filter(names).take(MOST_CLAUSES).collect();
        // "where to eat feijoada" asks for feijoada
        let is_wider = |at: usize| named.iter().any(|inner| search.is_within(*inner, at));
        let clauses = named.iter().filter(|at| !is_wider(**at));
        let clauses = clauses.filter_map(|at| TiedClause::of(search, &search.text.clauses[*at]));
        let mut clauses: SmallVec<[TiedClause; 2]> = clauses.collect();
        clauses.sort_by_key(TiedClause::size);
        if clauses.is_empty() && from.is_none() {
            return None;
        }
        Some(Self { collection, view: query.view, clauses, from })
    }

    /// The less, the earlier the record comes.
    fn order(&self, rank: u32) -> u32 {
        let clauses = self.clauses.iter().fold(0, |order, clause| order << 2 | clause.order(rank));
        // records without a known place come last
        let distance = |from| self.collection.distance(self.view, rank, from).unwrap_or(u32::MAX);
        clauses << DISTANCE_BITS | self.from.map_or(0, distance).min((1 << DISTANCE_BITS) - 1)
    }
}

/// Collects a page from records that come in rank order.
pub(crate) struct PageCollector<'x, 's, 'a> {
    search: &'x Search<'s, 'a>,
    /// The longest page, in records.
    limit: usize,
    /// What the records are near to, if the question does not say.
    from: Option<Point>,
    /// Made when the first record comes: most readings of a question find none.
    ties: OnceCell<Option<Ties<'s>>>,
    /// The mentions and the order of the last record of the page before, and the first rank after it.
    after: Option<(u64, u32)>,
    start: u32,
    /// The first rank that the page may have.
    first: u32,
    /// Records of equally many mentions, until all of them have come; then each is put after its order.
    tied: SmallVec<[(u32, u32); 22]>,
    /// The records of the page, each after its order, and one more if another page follows.
    page: SmallVec<[(u32, u32); 22]>,
}

impl<'s, 'a> Search<'s, 'a> {
    /// What collects the page of the records that match, of the length and after the cursor of `query`. Of records
    /// elsewhere than where the question asks for them, the nearer to `from` come first.
    pub(crate) fn page_collector(&self, query: &Query, from: Option<Point>) -> PageCollector<'_, 's, 'a> {
        let start = query.after.map_or(0, |after| self.start_after(after));
        // a cursor of a version without this order goes on in that of ranks
        let is_in_order = query.after.is_none_or(|after| after.order.is_some());
        let ties = if is_in_order { OnceCell::new() } else { OnceCell::from(None) };
        let after = query.after.and_then(|after| Some((after.primary, after.order?)));
        let (tied, page) = (SmallVec::new(), SmallVec::new());
        let mut collector = PageCollector {
            search: self,
            limit: query.limit,
            from,
            ties,
            after,
            start,
            first: start,
            tied,
            page,
        };
        if let Some((primary, _)) = after
            && collector.ties().is_some()
        {
            collector.first = first_of(&self.collection.primary, primary);
        }
        collector
    }
}

impl<'s> PageCollector<'_, 's, '_> {
    fn ties(&self) -> Option<&Ties<'s>> {
        self.ties.get_or_init(|| Ties::of(self.search, self.from)).as_ref()
    }

    fn mentions(&self, rank: u32) -> u64 {
        self.search.collection.primary[rank as usize]
    }

    /// The first rank that the page may have.
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// Takes the next record, unless it comes before the page, and returns whether further ones are wanted.
    pub(crate) fn take(&mut self, rank: u32) -> bool {
        if rank < self.first {
            return true;
        }
        let limit = self.limit;
        if self.ties().is_none() {
            self.page.push((0, rank));
            return self.page.len() <= limit;
        }
        if !self.tied.is_empty() && !self.is_of(self.mentions(rank)) {
            self.add_tied();
            if self.page.len() > limit {
                return false;
            }
        }
        self.tied.push((0, rank));
        self.tied.len() <= MOST_TIED || self.page.len() + self.count_next() <= limit
    }

    /// How many of very many records of equally many mentions come after the page before.
    fn count_next(&self) -> usize {
        match self.after {
            Some((primary, _)) if self.is_of(primary) => {
                self.tied.len() - self.tied.partition_point(|(_, rank)| *rank < self.start)
            }
            _ => self.tied.len(),
        }
    }

    /// Whether these records have so many mentions.
    fn is_of(&self, primary: u64) -> bool {
        self.tied.first().is_some_and(|(_, first)| self.mentions(*first) == primary)
    }

    /// Adds the records of equally many mentions to the page.
    fn add_tied(&mut self) {
        let after =
            self.after.filter(|(primary, _)| self.is_of(*primary)).map(|(_, order)| (order, self.start));
        let ties = self.ties.get().and_then(Option::as_ref);
        if let Some(ties) = ties.filter(|_| self.tied.len() <= MOST_TIED) {
            self.tied.iter_mut().for_each(|(order, rank)| *order = ties.order(*rank));
            self.tied.sort_unstable();
        }
        self.page.extend(self.tied.drain(..).filter(|one| after.is_none_or(|after| *one >= after)));
    }

    /// The page, without its total.
    pub(crate) fn page(mut self) -> Page {
        if !self.tied.is_empty() {
            self.add_tied();
        }
        let limit = self.limit;
        let more = self.page.len() > limit;
        self.page.truncate(limit);
        let is_ordered = self.ties.get().is_some_and(Option::is_some);
        let order = self.page.last().filter(|_| is_ordered).map(|(order, _)| *order);
        let ranks: Ranks = self.page.iter().map(|(_, rank)| *rank).collect();
        Page { ranks, more, order, ..Page::default() }
    }
}

/// The first rank with a sort key that is not less.
fn first_of(primary: &[u64], least: u64) -> u32 {
    u32::try_from(primary.partition_point(|primary| *primary < least)).unwrap_or(u32::MAX)
}
