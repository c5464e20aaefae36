//! Search: a query becomes sets of ranks, and their intersection a page and an exact total. How the query was
//! interpreted is in `interpretation`; what happens when nothing matches is in `fallbacks`.

pub(crate) mod as_written;
pub(crate) mod by_distance;
pub(crate) mod facet_counts;
pub(crate) mod groups;
pub(crate) mod head;
pub(crate) mod interpretation;
pub(crate) mod lookup;
pub(crate) mod named_first;
pub(crate) mod narrowed;
pub mod page;
pub mod request;
pub(crate) mod several_names;
pub(crate) mod suggestions;
pub(crate) mod term_lists;
pub(crate) mod there;
pub(crate) mod ties;

pub use request::{DEFAULT_DAYS, Query, usual_days};

use std::borrow::Cow;
use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::grammar::dates::{Days, Hours, Window};
use crate::grammar::hints::Hint;
use crate::question::clauses::{Clause, ClauseKind, NamedHint, ParsedText, Reading};
use crate::question::near::Near;
use crate::question::query::parse;
use crate::records::bits::Bits;
use crate::records::collection::Collection;
use crate::records::positions::Point;
use crate::records::postings::{Cursors, RankRange, Set, Sets, count, intersect, simple_total};
use crate::search::page::{Cursor, Nothing, Page, RelaxedTotals};
use crate::search::request::days_after;
use crate::spelling::respelling::UnknownWords;
use crate::vocabulary::node_ids::{AreaId, CategoryId};
use crate::vocabulary::{ArchivedVocabularyIndex, EVERYWHERE};

/// Parses and runs the query, as [`ParsedQuery::search`] does.
pub fn search(vocabulary: &ArchivedVocabularyIndex, collection: &Collection, query: &Query) -> Page {
    ParsedQuery::of(vocabulary, query).search(collection)
}

/// A query with parsed text, which can be run on each collection of the guide.
pub struct ParsedQuery<'a, 'q> {
    pub(crate) vocabulary: &'a ArchivedVocabularyIndex,
    pub(crate) query: &'q Query<'q>,
    pub(crate) text: ParsedText<'a>,
    /// Why nothing may be found, once it was needed.
    pub(crate) nothing: OnceCell<Option<Nothing>>,
    /// Its words that the places do not have, and those that the events do not have, once they were needed.
    pub(crate) unknown: [OnceCell<Rc<UnknownWords>>; 2],
    /// Its text with the words of phrases that no place has each for itself, and of those that no event has, once they
    /// were needed.
    pub(crate) split_text: [OnceCell<Option<Rc<ParsedText<'a>>>>; 2],
    /// What [`Query::near`] reaches of the places and of the events, once it was needed.
    circles: [OnceCell<Bits>; 2],
}

impl<'a, 'q> ParsedQuery<'a, 'q> {
    /// Parses the query's text.
    pub fn of(vocabulary: &'a ArchivedVocabularyIndex, query: &'q Query<'q>) -> Self {
        let text = parse(vocabulary, query.words, query.today, query.window, &|_| true);
        Self::with_text(vocabulary, query, text)
    }

    /// A query with the words of this one and other filters.
    pub fn with_filters_of<'r>(&self, query: &'r Query<'r>) -> ParsedQuery<'a, 'r> {
        ParsedQuery::with_text(self.vocabulary, query, self.text.clone())
    }

    /// A query by a reading of its text.
    pub(crate) fn with_text(
        vocabulary: &'a ArchivedVocabularyIndex,
        query: &'q Query<'q>,
        mut text: ParsedText<'a>,
    ) -> Self {
        text.settle_days(query.window, query.default_window());
        let (unknown, split_text, circles) = Default::default();
        Self { vocabulary, query, text, nothing: OnceCell::new(), unknown, split_text, circles }
    }

    /// Runs a reading of the text on a collection. Words about what the guide does not know filter only where the
    /// own text of a record that the caller may see has them.
    pub(crate) fn run<T>(
        &self,
        collection: &Collection,
        text: &ParsedText<'a>,
        run: impl FnOnce(&Search) -> T,
    ) -> T {
        self.run_reading(collection, text, Reading::Wide, run)
    }

    /// The same by a narrow or wide reading of its terms.
    pub(crate) fn run_reading<T>(
        &self,
        collection: &Collection,
        text: &ParsedText<'a>,
        reading: Reading,
        run: impl FnOnce(&Search) -> T,
    ) -> T {
        let query = self.query;
        let is_known = |named @ NamedHint { hint, words, .. }: &NamedHint| match hint {
            Hint::Free => collection.has_any_in(&(&collection.free).into(), query.scope),
            hint if !hint.may_filter() && !named.says_where(query.words) => false,
            _ => {
                let list = collection.text.subject(query.view, query.words.stem(words.start));
                words.len() == 1 && list.is_some_and(|list| collection.has_any_in(&list, query.scope))
            }
        };
        if !text.hints.iter().any(is_known) {
            return run(&Search::of(self, collection, text, reading));
        }
        run(&Search::of(self, collection, &text.clone().with_hints(is_known), reading))
    }
}

/// One reading of a query on one collection.
pub(crate) struct Search<'s, 'a> {
    pub(crate) vocabulary: &'s ArchivedVocabularyIndex,
    pub(crate) collection: &'s Collection,
    pub(crate) query: &'s Query<'s>,
    pub(crate) text: &'s ParsedText<'a>,
    pub(crate) reading: Reading,
    /// The records that [`Query::near`] reaches, once they were needed.
    pub(crate) circle: &'s OnceCell<Bits>,
    /// The records that the text excludes, once they were needed.
    excluded: OnceCell<Bits>,
    /// The clause that [`Self::head`] names, once it was needed.
    pub(crate) head: OnceCell<Option<usize>>,
    /// The lists of each clause that counts, once they were needed.
    lists: SmallVec<[OnceCell<Cursors<'s>>; 4]>,
    /// For each clause, the first that is equal: that one alone counts.
    first_equal: SmallVec<[usize; 8]>,
}

/// Which filters to leave out.
#[derive(Default, Clone, Copy, Hash)]
pub(crate) struct Without {
    pub(crate) text: bool,
    pub(crate) areas: bool,
    pub(crate) categories: bool,
    pub(crate) more_days: u64,
    /// The days that the text names.
    pub(crate) named_days: bool,
    /// One clause of the text.
    pub(crate) clause: Option<usize>,
}

/// From so many ranks in the smallest set on, counting bits is faster than an intersection.
const MANY_RANKS: usize = 1_024;

impl<'s, 'a> Search<'s, 'a> {
    fn of(
        parsed: &'s ParsedQuery<'a, '_>,
        collection: &'s Collection,
        text: &'s ParsedText<'a>,
        reading: Reading,
    ) -> Self {
        let ParsedQuery { vocabulary, query, circles, .. } = parsed;
        let key = |clause: &Clause| clause.key(query.words, &collection.hasher);
        let keys: SmallVec<[u64; 8]> = text.clauses.iter().map(key).collect();
        let first_equal = |(at, key)| keys.iter().position(|other| other == key).unwrap_or(at);
        Self {
            vocabulary,
            collection,
            query,
            text,
            reading,
            circle: collection.own(circles),
            excluded: OnceCell::new(),
            head: OnceCell::new(),
            lists: std::iter::repeat_with(OnceCell::new).take(text.clauses.len()).collect(),
            first_equal: keys.iter().enumerate().map(first_equal).collect(),
        }
    }

    /// The page; its total may come from the cache when `cached`.
    pub(crate) fn page(&self, cached: bool) -> Page {
        let hours = self.hours();
        // all of these count bits, so that the records are found once
        let Query { near, facets, .. } = self.query;
        let counts = self.groups() || hours.is_some() || near.is_some() || facets.any() || self.is_of_named();
        let all = counts.then(|| self.matching_now());
        let (mut page, listed) = match &all {
            Some(all) => {
                let (page, listed) = self.page_of(all, &self.days(), None);
                (page, Some(listed))
            }
            None => (self.page_of_records(cached), None),
        };
        page.interpretation = self.interpretation();
        page.interpretation.hours =
            hours.zip(listed).map(|(hours, listed)| (hours, self.count_untimed(&listed)));
        page
    }

    fn page_of_records(&self, cached: bool) -> Page {
        let collection = self.collection;
        let all = Without::default();
        let range = self.range(all);
        let mut sets = self.sets(all);
        if sets.iter().any(|set| set.size() == 0) {
            return Page::default();
        }
        let simple = simple_total(&sets, range);
        let key = (cached && simple.is_none()).then(|| self.cache_key(all));
        let known = simple.or_else(|| collection.totals.get(key?));
        let mut collector = self.page_collector(self.query, None);
        let mut total = 0;
        if known.is_some() || sets.iter().map(Set::size).min().unwrap_or(0) > MANY_RANKS {
            total = known.unwrap_or_else(|| self.matching(range, all).count());
            let first = collector.first();
            let mut seen = 0;
            if total > 0 {
                intersect(&mut sets, range, first, |rank| {
                    seen += 1;
                    // nothing comes after the last match
                    collector.take(rank) && (first > 0 || seen < total)
                });
            }
        } else {
            intersect(&mut sets, range, 0, |rank| {
                total += 1;
                collector.take(rank);
                true
            });
        }
        if let (Some(key), None) = (key, known) {
            collection.totals.put(key, total);
        }
        Page { total, ..collector.page() }
    }

    /// The page of these records, which are of these days, and what is listed over all pages. Among equals the nearer
    /// to `from` come first.
    pub(crate) fn page_of<'r>(
        &self,
        records: &'r Bits,
        days: &[Window],
        from: Option<Point>,
    ) -> (Page, Cow<'r, Bits>) {
        if let Some(near) = self.query.near {
            return self.page_near(near, records, days);
        }
        let page = Page { facets: self.facets(records, days), ..self.page_in_order(records, from) };
        (page, Cow::Borrowed(records))
    }

    /// The first rank of the page.
    pub(crate) fn start(&self) -> u32 {
        self.query.after.map_or(0, |after| self.start_after(after))
    }

    /// The first rank after a cursor.
    pub(crate) fn start_after(&self, after: &Cursor) -> u32 {
        self.collection.rank_after(after.primary, &after.name, &after.id)
    }

    /// The days to search, from the first to the last; events only.
    pub(crate) fn window(&self) -> Option<Window> {
        let asked = self.asked_window()?;
        Some(self.query.covered.and_then(|covered| asked.within(covered)).unwrap_or(asked))
    }

    /// The days to search, that the caller may see; none for places.
    pub(crate) fn days(&self) -> SmallVec<[Window; 1]> {
        let covered = |window: &Window| match self.query.covered {
            Some(covered) => window.within(covered),
            None => Some(*window),
        };
        match self.separate_days() {
            Some(days) => days.windows().iter().filter_map(covered).collect(),
            None => self.asked_window().iter().filter_map(covered).collect(),
        }
    }

    /// The days that the question asks for, from the first to the last; events only.
    pub(crate) fn asked_window(&self) -> Option<Window> {
        self.collection.calendar.as_ref()?;
        let named = self.text.days.as_ref().map(Days::hull);
        Some(named.or(self.query.window).unwrap_or_else(|| self.query.default_window()))
    }

    /// Whether neither a parameter nor the text says which days; events only.
    pub(crate) fn has_default_window(&self) -> bool {
        self.collection.calendar.is_some() && self.query.window.is_none() && self.text.days.is_none()
    }

    /// The days of the text, when they are several windows.
    fn separate_days(&self) -> Option<&Days> {
        let days = self.text.days.as_ref().filter(|days| days.windows().len() > 1);
        days.filter(|_| self.collection.calendar.is_some())
    }

    /// The hours to search; events only.
    fn hours(&self) -> Option<Hours> {
        self.collection.calendar.as_ref()?;
        self.query.hours.or(self.text.hours)
    }

    /// The ranks of the days, limited to those that the caller may see.
    pub(crate) fn range(&self, without: Without) -> RankRange<'s> {
        match self.window() {
            Some(mut window) => {
                window.to = days_after(window.to, without.more_days);
                self.range_of(window)
            }
            None => RankRange { early: &[], from: 0, to: self.collection.len() },
        }
    }

    /// The ranks of the days of a window that the caller may see.
    pub(crate) fn range_of(&self, window: Window) -> RankRange<'s> {
        let covered = self.query.covered.map_or(Some(window), |covered| window.within(covered));
        match (&self.collection.calendar, covered) {
            (Some(calendar), Some(window)) => calendar.range(window),
            _ => RankRange { early: &[], from: 0, to: 0 },
        }
    }

    /// The sets whose intersection is the result, however far away.
    fn sets(&self, without: Without) -> Sets<'s> {
        let mut sets = Sets::new();
        if let Some(filter) = self.filter(without) {
            sets.push(filter);
        }
        if !without.text {
            for (at, _) in self.clauses(without) {
                let lists = self.lists(at);
                if lists.is_empty() {
                    // nothing meets the question, whatever else it asks for
                    return Sets::from_iter([Set::union(Cursors::new(), self.collection.len())]);
                }
                sets.push(Set::union(lists.clone(), self.collection.len()));
            }
        }
        if let Some(limits) = self.limits(without) {
            sets.push(Set::bits(limits));
        }
        sets
    }

    /// Whether some term is read in two ways.
    pub(crate) fn has_readings(&self) -> bool {
        self.text.terms().any(|term| !term.text_categories().is_empty())
    }

    /// Whether the wide reading may find something where the narrow one does not: some clause has both, and no record
    /// lacks what the others ask for.
    pub(crate) fn may_differ_when_wide(&self) -> bool {
        let clauses = &self.text.clauses;
        let has_readings = |at: &usize| clauses[*at].kind() == ClauseKind::Category;
        let mut others = (0..clauses.len()).filter(|at| !has_readings(at));
        (0..clauses.len()).any(|at| has_readings(&at)) && others.all(|at| !self.lists(at).is_empty())
    }

    /// The clauses that count, with their positions.
    fn clauses(&self, without: Without) -> impl Iterator<Item = (usize, &'s Clause<'a>)> {
        let clauses: &'s [Clause<'a>] = &self.text.clauses;
        let counts = move |at: &usize| self.first_equal[*at] == *at && Some(*at) != without.clause;
        (0..clauses.len()).filter(counts).map(move |at| (at, &clauses[at]))
    }

    /// The first clause that is equal to the one at a position.
    pub(crate) fn first_equal(&self, at: usize) -> usize {
        self.first_equal[at]
    }

    /// The lists whose union the clause at a position asks for.
    pub(crate) fn lists(&self, at: usize) -> &Cursors<'s> {
        let at = self.first_equal[at];
        self.lists[at].get_or_init(|| self.lists_of(&self.text.clauses[at]))
    }

    /// The lists whose union is the set of the filters; `None` when they exclude nothing.
    pub(crate) fn filter_lists(&self, without: Without) -> Option<Cursors<'s>> {
        let query = self.query;
        let areas: &[AreaId] = if without.areas { &[] } else { &query.areas };
        let categories: &[CategoryId] = if without.categories { &[] } else { &query.categories };
        if areas.is_empty() && categories.is_empty() && query.scope == EVERYWHERE {
            return None;
        }
        let collection = self.collection;
        let add_area = |area: AreaId, lists: &mut Cursors<'s>| match categories {
            [] => lists.push(collection.members(area, None).into()),
            _ => categories.iter().for_each(|id| lists.push(collection.members(area, Some(*id)).into())),
        };
        let mut lists = Cursors::new();
        // no areas mean the whole scope
        let areas = if areas.is_empty() { std::slice::from_ref(&query.scope) } else { areas };
        for area in areas.iter().filter_map(|area| self.vocabulary.common_area(query.scope, *area)) {
            add_area(area, &mut lists);
        }
        Some(lists)
    }

    fn filter(&self, without: Without) -> Option<Set<'s>> {
        self.filter_lists(without).map(|lists| Set::union(lists, self.collection.len()))
    }

    /// The ranks that exclusions, separate days, hours and superquadras leave; `None` when there are none of these.
    fn limits(&self, without: Without) -> Option<Bits> {
        self.is_limited(without).then(|| {
            let mut all = Bits::none(self.collection.len());
            all.add_range(RankRange { early: &[], from: 0, to: self.collection.len() });
            self.limited(all, without)
        })
    }

    /// Whether there are exclusions, separate days, hours or superquadras.
    fn is_limited(&self, without: Without) -> bool {
        !without.text && self.text.excludes()
            || !without.named_days && self.separate_days().is_some()
            || self.hours().is_some()
            || !without.areas && !self.query.quadras.is_empty()
    }

    /// Of these records, those that exclusions, separate days, hours and superquadras leave.
    fn limited(&self, mut records: Bits, without: Without) -> Bits {
        if let Some(days) = self.separate_days().filter(|_| !without.named_days) {
            let mut of_days = Bits::none(self.collection.len());
            days.windows().iter().for_each(|window| of_days.add_range(self.range_of(*window)));
            if without.more_days > 0 {
                let last = days.hull().to;
                let more = Window { from: last, to: days_after(last, without.more_days) };
                of_days.add_range(self.range_of(more));
            }
            records = records.and(&of_days);
        }
        if !without.text && self.text.excludes() {
            let lists = || self.text.excluded.iter().flat_map(|clause| self.excluded(clause));
            let excluded = self.excluded.get_or_init(|| {
                let mut excluded = Bits::union(self.collection.len(), lists());
                let named = self.text.excluded_names.iter().flat_map(|name| &name.ranks);
                named.for_each(|rank| excluded.insert(*rank));
                excluded
            });
            records = records.and_not(excluded);
        }
        if let Some(hours) = self.hours() {
            records = self.collection.starting_in(&records, hours);
        }
        if !without.areas
            && let Some(quadras) = self.quadras()
        {
            records = records.and(&quadras);
        }
        records
    }

    /// The records of the areas of which some are limited to superquadras: those with the number or, when no record has
    /// it, those of the wing without one.
    fn quadras(&self) -> Option<Bits> {
        let Query { quadras, areas, view, .. } = self.query;
        if quadras.is_empty() {
            return None;
        }
        let collection = self.collection;
        let mut lists = Cursors::new();
        for area in areas {
            let mut numbers =
                quadras.iter().filter(|(wing, _)| wing == area).map(|(_, number)| *number).peekable();
            if numbers.peek().is_none() {
                lists.push(collection.members(*area, None).into());
                continue;
            }
            let before = lists.len();
            lists.extend(numbers.filter_map(|number| collection.quadra(*view, *area, number)));
            if lists.len() == before {
                lists.extend(collection.without_quadra(*view, *area));
            }
        }
        Some(Bits::union(collection.len(), lists))
    }

    /// The records that may be in the superquadras of the areas: those of the wings without a number.
    pub(crate) fn unnumbered(&self) -> Bits {
        let Query { quadras, view, .. } = self.query;
        let lists = quadras.iter().filter_map(|(wing, _)| self.collection.without_quadra(*view, *wing));
        Bits::union(self.collection.len(), lists)
    }

    /// A hash of everything that decides the total.
    fn cache_key(&self, without: Without) -> u64 {
        let Query { areas, categories, scope, view, covered, .. } = self.query;
        let mut hasher = self.collection.hasher();
        (without, areas, &self.query.quadras, categories, self.window(), self.hours(), scope, view, covered)
            .hash(&mut hasher);
        (self.separate_days(), self.groups()).hash(&mut hasher);
        // near a place that the question names the nearest few are counted, without the place itself
        let itself = |near: &'s Near| near.phrase.as_ref().map(|_| &near.name);
        let near = |near: &'s Near| (near.anchor(), near.reach(), near.inside(), itself(near));
        self.query.near.map(near).hash(&mut hasher);
        // what is at a place is what takes place there or says so
        let at = self.query.near.filter(|near| near.is_at());
        at.map(|near| (&near.hosted, &near.phrase)).hash(&mut hasher);
        if !without.text {
            self.reading.hash(&mut hasher);
            let key = |clause: &Clause| clause.key(self.query.words, &self.collection.hasher);
            for (_, clause) in self.clauses(without) {
                (1, key(clause)).hash(&mut hasher);
            }
            for clause in &self.text.excluded {
                (2, key(clause)).hash(&mut hasher);
                let by_context = |term| self.is_excluded_by_context(term);
                clause.terms.iter().map(by_context).for_each(|by_context| by_context.hash(&mut hasher));
            }
            self.text.asks_for_unlisted(self.vocabulary, self.query.words).hash(&mut hasher);
            self.text.excluded_names.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// How many a page without this condition would list.
    pub(crate) fn count(&self, without: Without) -> u32 {
        if self.asked_lists(without).is_none() {
            return 0;
        }
        let key = self.cache_key(without);
        if let Some(total) = self.collection.totals.get(key) {
            return total;
        }
        let range = self.range(without);
        let total = if self.groups() || self.query.near.is_some() || self.is_limited(without) {
            self.count_listed(&self.listed(Cow::Owned(self.matching(range, without))))
        } else {
            let mut sets = self.sets(without);
            simple_total(&sets, range).unwrap_or_else(|| {
                match sets.iter().map(Set::size).min().unwrap_or(0) > MANY_RANKS {
                    true => self.matching(range, without).count(),
                    false => count(&mut sets, range),
                }
            })
        };
        self.collection.totals.put(key, total);
        total
    }

    /// The records that the page lists, over all pages.
    pub(crate) fn matching_now(&self) -> Bits {
        let all = Without::default();
        self.matching(self.range(all), all)
    }

    /// The records of some days that match.
    pub(crate) fn matching(&self, range: RankRange<'_>, without: Without) -> Bits {
        let Some(clauses) = self.asked_lists(without) else { return Bits::none(self.collection.len()) };
        let mut all = self.base_anywhere(range, without);
        for lists in clauses {
            if all.is_empty() {
                break;
            }
            all = all.and_any(lists);
        }
        // distances last: few records are left then
        self.reached(all)
    }

    /// The lists of each clause that counts; `None` when no record at all has one of them.
    fn asked_lists(&self, without: Without) -> Option<SmallVec<[&Cursors<'s>; 8]>> {
        let clauses = self.clauses(without).filter(|_| !without.text);
        clauses.map(|(at, _)| Some(self.lists(at)).filter(|lists| !lists.is_empty())).collect()
    }

    /// The records of some days that the filters and limits leave.
    pub(crate) fn base(&self, range: RankRange<'_>, without: Without) -> Bits {
        self.reached(self.base_anywhere(range, without))
    }

    /// [`Self::base`], however far away.
    fn base_anywhere(&self, range: RankRange<'_>, without: Without) -> Bits {
        let len = self.collection.len();
        let mut base = Bits::none(len);
        base.add_range(range);
        if let Some(lists) = self.filter_lists(without) {
            base = base.and_any(&lists);
        }
        self.limited(base, without)
    }

    /// How many of the events have no time.
    pub(crate) fn count_untimed(&self, events: &Bits) -> u32 {
        self.count_listed(&events.and_any(&[(&self.collection.untimed).into()]))
    }

    /// How many the records are; with groups a series is one.
    pub(crate) fn count_listed(&self, records: &Bits) -> u32 {
        if self.groups() { self.count_series(records.ranks_from(0)) } else { records.count() }
    }

    /// The totals with one filter less.
    pub(crate) fn relaxed_totals(&self) -> RelaxedTotals {
        let (query, all) = (self.query, Without::default());
        let without = |given: bool, without: Without| given.then(|| self.count(without));
        let words = self.clauses(all).filter(|(_, clause)| clause.kind() == ClauseKind::Text);
        RelaxedTotals {
            q: without(!self.text.clauses.is_empty(), Without { text: true, ..all }),
            region: without(!query.areas.is_empty(), Without { areas: true, ..all }),
            category: without(!query.categories.is_empty(), Without { categories: true, ..all }),
            near: None,
            seven_more_days: without(self.window().is_some(), Without { more_days: 7, ..all }),
            words: words
                .take(MAX_RELAXED_WORDS)
                .map(|(at, clause)| (self.phrase(clause), self.count(Without { clause: Some(at), ..all })))
                .collect(),
        }
    }
}

/// How many words have a relaxed total of their own.
const MAX_RELAXED_WORDS: usize = 8;
