//! Search: a query becomes sets of ranks, and their intersection a page, an exact total and an account of how the query
//! was interpreted.

use std::borrow::Cow;
use std::hash::BuildHasher;

use chrono::{Days, NaiveDate};
use smallvec::SmallVec;

use crate::collection::Collection;
use crate::correction::correct;
use crate::dates::Window;
use crate::postings::{Cursors, RankRange, Set, Sets, count, intersect};
use crate::query::{Clause, ParsedText, parse, parse_as_name};
use crate::schema::View;
use crate::vocabulary::{
    ArchivedVocabularyIndex, ArchivedWord, AreaId, AreaIds, CategoryId, CategoryIds, EVERYWHERE, ids,
};
use crate::words::Words;

/// Filters and free text. Absent filters are empty.
#[derive(Debug, Clone)]
pub struct Query<'q> {
    /// The free text, as split by [`crate::query::words`].
    pub words: &'q Words,
    /// Any of these areas, as returned by [`crate::regions::resolve`].
    pub areas: AreaIds,
    /// Any of these categories, as returned by [`crate::categories::resolve`].
    pub categories: CategoryIds,
    /// Events: the requested days. When absent, the days that the text names, else `today` and [`DEFAULT_DAYS`] more.
    pub window: Option<Window>,
    /// The current day in Brasília.
    pub today: NaiveDate,
    /// The only area the caller may see; [`EVERYWHERE`] for no limit.
    pub scope: AreaId,
    /// Which fields the caller sees and searches.
    pub view: View,
    /// The longest page, in records.
    pub limit: usize,
    /// Where the previous page ended.
    pub after: Option<&'q Cursor<'q>>,
}

/// How many days after today the default window of events ends.
pub const DEFAULT_DAYS: u64 = 7;

impl<'q> Query<'q> {
    /// These words alone, without filters or limits of scope.
    pub fn of(words: &'q Words, today: NaiveDate, view: View, limit: usize) -> Self {
        Self {
            words,
            areas: AreaIds::new(),
            categories: CategoryIds::new(),
            window: None,
            today,
            scope: EVERYWHERE,
            view,
            limit,
            after: None,
        }
    }
}

/// Ranks of a page. A page of the usual length stays on the stack, with the rank that shows whether another follows.
pub type Ranks = SmallVec<[u32; 22]>;

/// What a search found.
#[derive(Debug, Default)]
pub struct Page {
    /// The ranks on this page, in order.
    pub ranks: Ranks,
    /// How many records match, over all pages.
    pub total: u32,
    /// Whether another page follows.
    pub more: bool,
    /// How the query was interpreted.
    pub interpretation: Interpretation,
    /// Only when nothing was found: the totals with one filter less.
    pub relax: Option<RelaxedTotals>,
}

/// How a query was interpreted.
#[derive(Debug, Default)]
pub struct Interpretation {
    /// Areas that the parameter or the text named.
    pub areas: AreaIds,
    /// Superquadras that the text named.
    pub quadras: SmallVec<[u16; 4]>,
    /// Categories that the parameter or the text named.
    pub categories: CategoryIds,
    /// Events: the days searched.
    pub window: Option<Window>,
    /// The folded words searched as plain text, separated by spaces. One string, because nearly every query has some.
    pub text: String,
    /// Unknown words and their corrections.
    pub corrected: Vec<(String, String)>,
}

/// The totals with one filter less; absent for a filter that was not given.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RelaxedTotals {
    /// Without the free text.
    pub q: Option<u32>,
    /// Without the area.
    pub region: Option<u32>,
    /// Without the category.
    pub category: Option<u32>,
    /// Events: with seven more days.
    pub seven_more_days: Option<u32>,
}

/// The sort key of a record. It stays a valid position when the guide changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor<'a> {
    /// The first sort key.
    pub primary: u64,
    /// The record's name.
    pub name: Cow<'a, str>,
    /// The record's id.
    pub id: Cow<'a, str>,
}

impl<'a> Cursor<'a> {
    /// The position of the record at `rank`.
    pub fn at(collection: &'a Collection, rank: u32) -> Self {
        let (primary, name, id) = collection.sort_key(rank);
        Self { primary, name, id: Cow::Borrowed(id) }
    }
}

/// Parses and runs the query, as [`ParsedQuery::search`] does.
pub fn search(vocabulary: &ArchivedVocabularyIndex, collection: &Collection, query: &Query) -> Page {
    ParsedQuery::of(vocabulary, query).search(collection)
}

/// A query with parsed text, which can be run on each collection of the guide.
pub struct ParsedQuery<'a> {
    vocabulary: &'a ArchivedVocabularyIndex,
    query: &'a Query<'a>,
    text: ParsedText<'a>,
}

impl<'a> ParsedQuery<'a> {
    /// Parses the query's text.
    pub fn of(vocabulary: &'a ArchivedVocabularyIndex, query: &'a Query<'a>) -> Self {
        Self { vocabulary, query, text: parse(vocabulary, query.words, query.today) }
    }

    /// Searches the collection. Misspelt words are corrected only when the text as written finds nothing.
    pub fn search(&self, collection: &Collection) -> Page {
        self.run(collection, |search| {
            let page = search.page(true);
            if page.total > 0 {
                return page;
            }
            search.corrected().unwrap_or_else(|| Page { relax: Some(search.relaxed_totals()), ..page })
        })
    }

    /// Searches the collection for the text as written, without corrections and relaxed totals.
    pub fn search_as_written(&self, collection: &Collection) -> Page {
        self.run(collection, |search| search.page(true))
    }

    fn run(&self, collection: &Collection, page: impl FnOnce(&Search) -> Page) -> Page {
        let Self { vocabulary, query, text } = self;
        let name = parse_as_name(text, query.words, |folded| collection.is_name(folded));
        page(&Search { vocabulary, collection, query, text: name.as_ref().unwrap_or(text) })
    }
}

/// One query on one collection.
struct Search<'s, 'a> {
    vocabulary: &'s ArchivedVocabularyIndex,
    collection: &'s Collection,
    query: &'s Query<'s>,
    text: &'s ParsedText<'a>,
}

/// Which filters to leave out.
#[derive(Default, Clone, Copy)]
struct Without {
    text: bool,
    areas: bool,
    categories: bool,
    more_days: u64,
}

impl<'s> Search<'s, '_> {
    /// The page for the corrected text; `None` when that finds nothing either.
    fn corrected(&self) -> Option<Page> {
        let query = self.query;
        let (text, corrected) = correct(self.vocabulary, self.collection, query.view, query.words)?;
        let query = &Query { words: &Words::new(&text), ..query.clone() };
        let parsed = ParsedQuery::of(self.vocabulary, query);
        let mut page = parsed.run(self.collection, |search| search.page(false));
        page.interpretation.corrected = corrected;
        (page.total > 0).then_some(page)
    }

    /// The page; its total may come from the cache when `cached`.
    fn page(&self, cached: bool) -> Page {
        let mut page = Page { interpretation: self.interpretation(), ..Page::default() };
        let (collection, limit) = (self.collection, self.query.limit);
        let start =
            self.query.after.map_or(0, |after| collection.rank_after(after.primary, &after.name, &after.id));
        let range = self.range(Without::default());
        let mut sets = self.sets(Without::default());
        let from_cache = || if cached { collection.totals.get(self.cache_key()) } else { None };
        if let Some(total) = simple_total(&sets, range).or_else(from_cache) {
            page.total = total;
            // visit one more than the page holds, to see whether another follows, but nothing after the last match
            let last = if start == 0 { limit.min(total.saturating_sub(1) as usize) } else { limit };
            if total > 0 {
                intersect(&mut sets, range, start, |rank| {
                    page.ranks.push(rank);
                    page.ranks.len() <= last
                });
            }
        } else {
            intersect(&mut sets, range, 0, |rank| {
                page.total += 1;
                if rank >= start && page.ranks.len() <= limit {
                    page.ranks.push(rank);
                }
                true
            });
            if cached {
                collection.totals.put(self.cache_key(), page.total);
            }
        }
        page.more = page.ranks.len() > limit;
        page.ranks.truncate(limit);
        page
    }

    /// The days to search; events only.
    fn window(&self) -> Option<Window> {
        self.collection.calendar.as_ref()?;
        let query = self.query;
        let default = || Window { from: query.today, to: query.today + Days::new(DEFAULT_DAYS) };
        Some(query.window.or(self.text.window).unwrap_or_else(default))
    }

    fn range(&self, without: Without) -> RankRange<'s> {
        match (&self.collection.calendar, self.window()) {
            (Some(calendar), Some(mut window)) => {
                window.to = window.to + Days::new(without.more_days);
                calendar.range(window)
            }
            _ => RankRange { early: &[], from: 0, to: self.collection.len() },
        }
    }

    /// The sets whose intersection is the result.
    fn sets(&self, without: Without) -> Sets<'s> {
        let mut sets = Sets::new();
        if let Some(filter) = self.filter(without) {
            sets.push(filter);
        }
        if !without.text {
            self.text.clauses.iter().for_each(|clause| sets.push(self.clause(clause)));
        }
        sets
    }

    /// The set of the filters; `None` when they exclude nothing.
    fn filter(&self, without: Without) -> Option<Set<'s>> {
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
        Some(Set::union(lists, collection.len()))
    }

    fn clause(&self, clause: &Clause<'_>) -> Set<'s> {
        let (collection, view) = (self.collection, self.query.view);
        let mut lists = Cursors::new();
        match *clause {
            Clause::Meaning { meaning, at, to } => {
                self.add_areas(ids(&meaning.areas), &mut lists);
                self.add_categories(ids(&meaning.text_categories), &mut lists);
                if to - at == 1 {
                    // "norte" is a zone, and also part of the name of Asa Norte
                    if let Some(word) = self.word(at).filter(|_| meaning.text_categories.is_empty()) {
                        self.add_areas(ids(&word.areas), &mut lists);
                    }
                    if meaning.literal {
                        self.add_word(at, &mut lists);
                    }
                }
            }
            Clause::Code { code, at, to } => {
                self.add_areas(ids(&code.areas), &mut lists);
                // "san" is an old form of SAUN, and also part of "San Marino"
                if to - at == 1 {
                    self.add_word(at, &mut lists);
                }
            }
            Clause::Quadra { wing, at, to, exact } => {
                let numbers = (at..to).filter_map(|at| self.query.words.quadra(at));
                lists.extend(numbers.filter_map(|number| collection.quadra(view, wing, number)));
                if !exact || lists.is_empty() {
                    lists.extend(collection.without_quadra(view, wing));
                }
            }
            Clause::Word { at, last } => {
                self.add_word(at, &mut lists);
                if let Some(word) = self.word(at) {
                    // "market" is part of several longer names and terms
                    self.add_areas(ids(&word.areas), &mut lists);
                    self.add_categories(ids(&word.categories), &mut lists);
                }
                if last && lists.is_empty() {
                    self.add_prefix(self.query.words.raw(at), &mut lists);
                }
            }
            Clause::Literal { at } => self.add_word(at, &mut lists),
        }
        Set::union(lists, collection.len())
    }

    /// Adds the records whose own text has the word.
    fn add_word(&self, at: usize, lists: &mut Cursors<'s>) {
        if let Some(list) = self.collection.text.word(self.query.view, self.query.words.stem(at)) {
            lists.push(list);
        }
    }

    fn word(&self, at: usize) -> Option<&'s ArchivedWord> {
        self.vocabulary.words.get(self.query.words.stem(at))
    }

    /// Adds everything that a word with this prefix matches.
    fn add_prefix(&self, prefix: &'s str, lists: &mut Cursors<'s>) {
        let words = &self.vocabulary.sorted_words;
        let first = words.partition_point(|word| word.as_str() < prefix);
        let (mut areas, mut categories) = (AreaIds::new(), CategoryIds::new());
        for stem in words[first..].iter().take_while(|word| word.starts_with(prefix)) {
            if let Some(word) = self.vocabulary.words.get(stem.as_str()) {
                areas.extend(ids(&word.areas));
                categories.extend(ids(&word.categories));
            }
        }
        for ids in [&mut areas, &mut categories] {
            ids.sort_unstable();
            ids.dedup();
        }
        self.add_areas(areas.into_iter(), lists);
        self.add_categories(categories.into_iter(), lists);
        lists.extend(self.collection.text.with_prefix(self.query.view, prefix));
    }

    fn add_areas(&self, ids: impl Iterator<Item = AreaId>, lists: &mut Cursors<'s>) {
        ids.for_each(|id| lists.push(self.collection.area_matches(self.query.view, id)));
    }

    fn add_categories(&self, ids: impl Iterator<Item = CategoryId>, lists: &mut Cursors<'s>) {
        ids.for_each(|id| lists.push(self.collection.category_matches(self.query.view, id)));
    }

    /// A hash of everything that decides the total.
    fn cache_key(&self) -> u64 {
        let Query { areas, categories, scope, view, .. } = self.query;
        let folded = self.query.words.folded();
        self.collection.hasher.hash_one((folded, areas, categories, self.window(), scope, view))
    }

    fn count(&self, without: Without) -> u32 {
        let range = self.range(without);
        let mut sets = self.sets(without);
        simple_total(&sets, range).unwrap_or_else(|| count(&mut sets, range))
    }

    fn relaxed_totals(&self) -> RelaxedTotals {
        let (query, all) = (self.query, Without::default());
        let without = |given: bool, without: Without| given.then(|| self.count(without));
        RelaxedTotals {
            q: without(!self.text.clauses.is_empty(), Without { text: true, ..all }),
            region: without(!query.areas.is_empty(), Without { areas: true, ..all }),
            category: without(!query.categories.is_empty(), Without { categories: true, ..all }),
            seven_more_days: without(self.window().is_some(), Without { more_days: 7, ..all }),
        }
    }

    fn interpretation(&self) -> Interpretation {
        let mut interpretation = Interpretation {
            areas: AreaIds::from_slice(&self.query.areas),
            categories: CategoryIds::from_slice(&self.query.categories),
            window: self.window(),
            ..Interpretation::default()
        };
        let add = |ids: &mut SmallVec<[u16; 4]>, id: u16| {
            if !ids.contains(&id) {
                ids.push(id);
            }
        };
        for clause in &self.text.clauses {
            match *clause {
                Clause::Meaning { meaning, .. } => {
                    ids(&meaning.areas).for_each(|id| add(&mut interpretation.areas, id));
                    ids(&meaning.text_categories).for_each(|id| add(&mut interpretation.categories, id));
                }
                Clause::Code { code, .. } => {
                    ids(&code.areas).for_each(|id| add(&mut interpretation.areas, id));
                }
                Clause::Quadra { wing, at, to, .. } => {
                    add(&mut interpretation.areas, wing);
                    interpretation.quadras.extend((at..to).filter_map(|at| self.query.words.quadra(at)));
                }
                Clause::Word { at, .. } | Clause::Literal { at } => {
                    if !interpretation.text.is_empty() {
                        interpretation.text.push(' ');
                    }
                    interpretation.text.push_str(self.query.words.raw(at));
                }
            }
        }
        interpretation
    }
}

/// The total when no intersection is needed: no set, or one list.
#[expect(clippy::cast_possible_truncation, reason = "numbers of ranks, which are u32")]
fn simple_total(sets: &[Set], range: RankRange) -> Option<u32> {
    match sets {
        [] => Some(range.early.len() as u32 + range.to.saturating_sub(range.from)),
        [Set::List(list)] if range.early.is_empty() => {
            Some(list.count_before(range.to).saturating_sub(list.count_before(range.from)) as u32)
        }
        _ => None,
    }
}
