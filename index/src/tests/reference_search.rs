//! Compares the index with a linear scan that tests every record of the snapshot one by one, without any of the
//! postings and bitmaps.
#![allow(clippy::cast_possible_truncation, reason = "the demo has few areas, categories and records")]

use std::collections::{HashMap, HashSet};

use chrono::{Days, NaiveDate};
use snapshots::Snapshot;

use crate::grammar::dates::Hours;
use crate::grammar::fold::{distance, phonetic};
use crate::grammar::hints::Hint;
use crate::grammar::stop_words::is_in;
use crate::grammar::tokens::{Tokens, language, operator};
use crate::question::clauses::{Clause, ParsedText, Reading, Term, parse_as_name};
use crate::question::query::parse;
use crate::records::schema::{Entry, View};
use crate::search::page::RelaxedTotals;
use crate::search::{ParsedQuery, search};
use crate::spelling::correction::unknown;
use crate::spelling::respelling::respelt;
use crate::tests::generators::{Rng, Terms, demo, each_occurred, small, today};
use crate::tests::scanned::{Scanned, order_places, scanned, with_known_hints};
use crate::vocabulary::ArchivedVocabularyIndex;
use crate::vocabulary::node_ids::{AreaId, CategoryId};
use crate::vocabulary::words::Words;
use crate::{Collection, Cursor, Guide, Page, Query, Window};

/// A snapshot, prepared for the scan, in rank order.
pub(crate) struct Scan<'g> {
    index: &'g ArchivedVocabularyIndex,
    pub(crate) places: Vec<Scanned>,
    pub(crate) events: Vec<Scanned>,
}

impl<'g> Scan<'g> {
    pub(crate) fn new(guide: &'g Guide, snapshot: &Snapshot) -> Self {
        let index = guide.vocabulary();
        let vocabulary = &snapshot.vocabulary;
        let mut places: Vec<_> =
            snapshot.places.iter().map(|one| scanned(index, vocabulary, &Entry::from(one))).collect();
        let mut events: Vec<_> =
            snapshot.events.iter().map(|one| scanned(index, vocabulary, &Entry::from(one))).collect();
        places.sort_by(|left, right| left.key.cmp(&right.key));
        events.sort_by(|left, right| left.key.cmp(&right.key));
        Self { index, places, events }
    }

    /// The result of a query, record by record, with `text` in place of its own; it may be a whole name.
    fn search(&self, records: &'g [Scanned], query: &Query, text: &str) -> ScanResult<'g> {
        self.search_as(records, query, text, true)
    }

    fn search_as(
        &self,
        records: &'g [Scanned],
        query: &Query,
        text: &str,
        may_be_name: bool,
    ) -> ScanResult<'g> {
        let words = Words::new(text);
        let has_name = |one: &Scanned, name: &str| one.names.iter().any(|own| own == name);
        let is_name = |folded: &str| may_be_name && records.iter().any(|one| has_name(one, folded));
        let mut parsed = parse(self.index, &words, query.today, query.window, &|_| true);
        parsed.settle_days(query.window, query.default_window());
        let parsed = parse_as_name(&parsed, &words, is_name).unwrap_or(parsed);
        let view = query.view as usize;
        let parsed = with_known_hints(parsed, records, query, &words);
        let dated = records.first().is_some_and(|one| one.days.is_some());
        let named = parsed.days.as_ref();
        let window = named.map(|days| days.hull()).or(query.window);
        let window = window.unwrap_or_else(|| query.default_window());
        let hours = query.hours.or(parsed.hours);
        let conditions = [Reading::Narrow, Reading::Wide].map(|reading| -> Vec<Condition> {
            let clauses = parsed.clauses.iter();
            clauses.map(|clause| self.clause(records, view, &words, clause, (&parsed, reading))).collect()
        });
        let excluded: Vec<Condition> = parsed
            .excluded
            .iter()
            .map(|clause| self.excluded(records, view, &words, clause, &parsed))
            .collect();
        let in_days = |(first, last): (NaiveDate, NaiveDate), more: u64| {
            let runs_in = |from, to| first <= to && last >= from;
            match named.filter(|days| days.windows().len() > 1) {
                // the days behind the last of them, too
                Some(days) => {
                    days.windows().iter().any(|window| runs_in(window.from, window.to))
                        || more > 0 && runs_in(window.to, window.to + Days::new(more))
                }
                None => runs_in(window.from, window.to + Days::new(more)),
            }
        };
        let in_hours = |one: &Scanned| {
            let starts = |hours: Hours| {
                one.minutes.is_empty() || one.minutes.iter().any(|minute| hours.contains(*minute))
            };
            !dated || hours.is_none_or(starts)
        };

        let fits =
            |one: &Scanned, reading: Reading| conditions[reading as usize].iter().all(|holds| holds(one));
        let matches_as = |one: &Scanned, reading, clauses: bool, areas: bool, categories: bool, more: u64| {
            one.days.is_none_or(|days| in_days(days, more))
                && in_hours(one)
                && (!clauses || !excluded.iter().any(|holds| holds(one)))
                && one.areas.contains(&query.scope)
                && (!areas || query.areas.is_empty() || query.areas.iter().any(|id| one.areas.contains(id)))
                && (!categories
                    || query.categories.is_empty()
                    || query.categories.iter().any(|id| one.categories.contains(id)))
                && (!clauses || fits(one, reading))
        };
        let narrow = records.iter().any(|one| matches_as(one, Reading::Narrow, true, true, true, 0));
        let reading = if narrow { Reading::Narrow } else { Reading::Wide };
        let count = |given: bool, clauses: bool, areas: bool, categories: bool, more: u64| {
            let count = |reading| {
                records
                    .iter()
                    .filter(|one| matches_as(one, reading, clauses, areas, categories, more))
                    .count()
            };
            let narrow = || Some(count(Reading::Narrow)).filter(|count| *count > 0);
            given.then(|| narrow().unwrap_or_else(|| count(Reading::Wide)) as u32)
        };
        let mut found: Vec<&Scanned> =
            records.iter().filter(|one| matches_as(one, reading, true, true, true, 0)).collect();
        if !dated {
            order_places(self.index, &mut found, records, &parsed, view, &words);
        }
        ScanResult {
            ids: found.iter().map(|one| one.id.as_str()).collect(),
            window: dated.then_some(window),
            relax: RelaxedTotals {
                near: None,
                q: count(!parsed.clauses.is_empty(), false, true, true, 0),
                region: count(!query.areas.is_empty(), true, false, true, 0),
                category: count(!query.categories.is_empty(), true, true, false, 0),
                seven_more_days: count(dated, true, true, true, 7),
                words: Vec::new(),
            },
        }
    }

    /// The condition that a clause sets: one of its terms.
    fn clause<'c>(
        &'c self,
        records: &'c [Scanned],
        view: usize,
        words: &'c Words,
        clause: &Clause<'c>,
        read_as: (&ParsedText, Reading),
    ) -> Condition<'c> {
        if clause.must_lie_in(self.index, words) {
            let areas: Vec<AreaId> = clause.terms.iter().flat_map(Term::areas).collect();
            return Box::new(move |one| areas.iter().any(|id| one.areas.contains(id)));
        }
        let term = |term| self.term(records, view, words, term, read_as);
        let quadras = |term: &&Term<'c>| matches!(term, Term::Quadra { .. });
        let numbered: Vec<_> = clause.terms.iter().filter(quadras).map(term).collect();
        let is_known =
            numbered.is_empty() || records.iter().any(|one| numbered.iter().any(|there| there(one)));
        let wings: Vec<AreaId> = clause.terms.iter().filter(quadras).flat_map(Term::areas).collect();
        let unnumbered =
            move |one: &Scanned| !is_known && wings.contains(&one.area) && one.terms[view].quadras.is_empty();
        any_of(clause.terms.iter().map(term).chain([Box::new(unnumbered) as Condition]).collect())
    }

    /// Whether an exclusion takes a record away: as a member of a category or an area, not for mentioning it. A word of
    /// a category that is asked for, or of a group of synonyms, takes away by itself alone.
    fn excluded<'c>(
        &'c self,
        records: &'c [Scanned],
        view: usize,
        words: &'c Words,
        clause: &Clause<'c>,
        parsed: &ParsedText,
    ) -> Condition<'c> {
        let wanted: HashSet<CategoryId> = parsed
            .clauses
            .iter()
            .flat_map(|clause| &clause.terms)
            .filter_map(|term| match term {
                Term::Meaning { meaning, .. } => Some(meaning.filter_categories.iter()),
                _ => None,
            })
            .flatten()
            .map(|id| id.to_native())
            .collect();
        let of_term = |term: &Term<'c>| -> Condition<'c> {
            match *term {
                Term::Meaning { meaning, at, to }
                    if to - at == 1
                        && meaning.filter_categories.iter().any(|id| wanted.contains(&id.to_native())) =>
                {
                    Box::new(move |one| one.has_stem(view, words.stem(at)))
                }
                Term::Synonym { at, to, .. } if to - at == 1 => {
                    Box::new(move |one| one.has_stem(view, words.stem(at)))
                }
                Term::Meaning { meaning, at, to } => Box::new(move |one| {
                    meaning.areas.iter().any(|id| one.areas.contains(&id.to_native()))
                        || meaning
                            .filter_categories
                            .iter()
                            .any(|id| one.named[view].contains(&id.to_native()))
                        || (to - at == 1
                            && meaning.filter_categories.is_empty()
                            && meaning.literal
                            && one.has_stem(view, words.stem(at)))
                }),
                Term::Word { at, .. } => {
                    let is_where = words.before(at).next().is_some_and(is_in);
                    let word = self.index.words.get(words.stem(at)).filter(|_| is_where);
                    Box::new(move |one| {
                        one.subject[view].contains(words.stem(at))
                            || word.is_some_and(|word| {
                                word.areas.iter().any(|id| one.is_in_area(view, id.to_native()))
                            })
                    })
                }
                ref term => self.term(records, view, words, term, (parsed, Reading::Wide)),
            }
        };
        any_of(clause.terms.iter().map(of_term).collect())
    }

    /// The condition that a term sets.
    fn term<'c>(
        &'c self,
        records: &'c [Scanned],
        view: usize,
        words: &'c Words,
        term: &Term<'c>,
        (parsed, reading): (&ParsedText, Reading),
    ) -> Condition<'c> {
        match *term {
            Term::Meaning { meaning, at, to } => Box::new(move |one| {
                let alone = to - at == 1;
                let is_of = |id: CategoryId| match reading {
                    Reading::Narrow => one.named[view].contains(&id),
                    Reading::Wide => one.is_in_category(view, id),
                };
                meaning.areas.iter().any(|id| one.is_in_area(view, id.to_native()))
                    || meaning.text_categories.iter().any(|id| is_of(id.to_native()))
                    || (!meaning.text_categories.is_empty()
                        && one.mentions[view].contains(words.phrase(at, to)))
                    || (alone && meaning.literal && one.has_stem(view, words.stem(at)))
                    || (alone
                        && meaning.text_categories.is_empty()
                        && self.index.words.get(words.stem(at)).is_some_and(|word| {
                            word.areas.iter().any(|id| one.is_in_area(view, id.to_native()))
                        }))
            }),
            Term::Code { code, at, to } => {
                let stem = (to - at == 1).then(|| words.stem(at));
                Box::new(move |one| {
                    code.areas.iter().any(|id| one.is_in_area(view, id.to_native()))
                        || stem.is_some_and(|stem| one.has_stem(view, stem))
                })
            }
            Term::Quadra { wing, at, to } => {
                let numbers: Vec<u16> = (at..to)
                    .filter_map(|at| words.raw(at).parse().ok())
                    .filter(|number| (100..=999).contains(number))
                    .collect();
                Box::new(move |one| {
                    one.areas.contains(&wing)
                        && numbers.iter().any(|number| one.terms[view].quadras.contains(number))
                })
            }
            Term::Word { at, .. } if self.index.is_unlisted(words.stem(at)) => {
                let is_alone = parsed.asks_for_unlisted(self.index, words);
                Box::new(move |one| !is_alone && one.subject[view].contains(words.stem(at)))
            }
            Term::Word { at, last } => self.word(records, view, (words.raw(at), words.stem(at)), last),
            Term::Literal { at } => Box::new(move |one| one.has_stem(view, words.stem(at))),
            Term::Synonym { group, .. } => Box::new(move |one| one.terms[view].groups.contains(&group)),
            Term::Hint { hint: Hint::Free, .. } => Box::new(|one| one.is_free),
            Term::Hint { at, .. } => Box::new(move |one| one.has_stem(view, words.stem(at))),
            Term::NoDay { .. } => Box::new(|_| false),
        }
    }

    /// The condition that a plain word sets.
    fn word<'c>(
        &'c self,
        records: &'c [Scanned],
        view: usize,
        (raw, stem): (&'c str, &'c str),
        last: bool,
    ) -> Condition<'c> {
        let is_of_records = records.iter().any(|one| one.has_stem(view, stem));
        let in_phrases_with = move |one: &Scanned, stem: &str| {
            self.index.words.get(stem).is_some_and(|word| {
                word.areas.iter().any(|id| one.is_in_area(view, id.to_native()))
                    || !is_of_records
                        && word.categories.iter().any(|id| one.is_in_category(view, id.to_native()))
            })
        };
        let phrases = self.index.words.get(stem);
        let is_known = is_of_records
            || phrases.is_some_and(|word| !word.areas.is_empty() || !word.categories.is_empty());
        if is_known || !last {
            return Box::new(move |one| one.has_stem(view, stem) || in_phrases_with(one, stem));
        }
        let stems = self.index.words.keys().map(|word| word.as_str());
        let completions: Vec<&str> = stems.filter(|word| word.starts_with(raw)).collect();
        Box::new(move |one| {
            one.terms[view].stems.iter().any(|stem| stem.starts_with(raw))
                || completions.iter().any(|stem| in_phrases_with(one, stem))
        })
    }
}

/// Whether a record meets a clause.
type Condition<'c> = Box<dyn Fn(&Scanned) -> bool + 'c>;

fn any_of(conditions: Vec<Condition>) -> Condition {
    Box::new(move |one| conditions.iter().any(|holds| holds(one)))
}

/// What the scan found.
struct ScanResult<'g> {
    ids: Vec<&'g str>,
    window: Option<Window>,
    relax: RelaxedTotals,
}

/// The ids on all pages.
fn all_pages(index: &ArchivedVocabularyIndex, collection: &Collection, query: &Query) -> Vec<String> {
    let mut ids = Vec::new();
    let mut after: Option<Cursor> = None;
    loop {
        let page = search(index, collection, &Query { after: after.as_ref(), ..query.clone() });
        ids.extend(page.ranks.iter().map(|rank| collection.rendered.id(*rank).to_owned()));
        assert!(page.ranks.len() <= query.limit);
        if !page.more {
            return ids;
        }
        assert_eq!(page.ranks.len(), query.limit, "only the last page is short: {query:?}");
        after = Cursor::behind(collection, &page);
    }
}

/// The words of a query in the spelling of the guide, if some are in another.
fn respelt_by(scan: &Scan, collection: &Collection, query: &Query) -> Option<Words> {
    let unknown = unknown(scan.index, collection, query.view, query.words);
    respelt(scan.index, collection, query.view, query.words, &unknown)
}

/// Compares the page of the index with the result of the scan.
fn compare(scan: &Scan, collection: &Collection, records: &[Scanned], query: &Query, text: &str) -> Page {
    let query = &Query { strict: true, ..query.clone() };
    let mut page = search(scan.index, collection, query);
    page.relax.iter_mut().for_each(|relax| relax.words.clear());
    let mut expected = scan.search(records, query, text);
    if expected.ids.is_empty()
        && let Some(words) = respelt_by(scan, collection, query)
    {
        let other = scan.search(records, query, words.folded());
        if !other.ids.is_empty() {
            expected = other;
        }
    }
    if expected.ids.is_empty() {
        let other = scan.search_as(records, query, text, false);
        if !other.ids.is_empty() {
            expected = other;
        }
    }
    if expected.ids.is_empty() && !page.interpretation.corrected.is_empty() {
        check_correction(scan, records, query, &page);
        let words = Words::new(text);
        let mut corrected = page.interpretation.corrected.iter();
        let mut next = corrected.next();
        let text: Vec<&str> = (0..words.len())
            .map(|at| match next {
                Some((wrong, right)) if wrong == words.raw(at) => {
                    next = corrected.next();
                    right
                }
                _ => words.raw(at),
            })
            .collect();
        expected = scan.search(records, query, &text.join(" "));
        assert!(!expected.ids.is_empty(), "a correction must find something: {query:?}");
    } else {
        assert!(page.interpretation.corrected.is_empty(), "only when nothing matches exactly: {query:?}");
    }
    assert_eq!(page.total as usize, expected.ids.len(), "total of {query:?}\n{:?}", page.interpretation);
    let found: Vec<&str> = page.ranks.iter().map(|rank| collection.rendered.id(*rank)).collect();
    let first: Vec<&str> = expected.ids.iter().copied().take(query.limit).collect();
    assert_eq!(found, first, "{query:?}\n{:?}", page.interpretation);
    assert_eq!(page.more, expected.ids.len() > query.limit, "{query:?}");
    assert_eq!(page.interpretation.window, expected.window, "{query:?}");
    assert_eq!(
        page.relax,
        expected.ids.is_empty().then_some(Box::new(expected.relax)),
        "{query:?}\n{:?}",
        page.interpretation
    );
    if page.more && expected.ids.len() < query.limit * 8 {
        assert_eq!(all_pages(scan.index, collection, query), expected.ids, "pages of {query:?}");
    }
    page
}

/// Checks what is answered when nothing is strict: the same, where the strict answer has something; else only records
/// that the parameters allow, and an account of what was let go.
fn check_closest(
    collection: &Collection,
    records: &[Scanned],
    query: &Query,
    strict: &Page,
    vocabulary: &ArchivedVocabularyIndex,
) {
    let loose = Query { strict: false, ..query.clone() };
    let page = search(vocabulary, collection, &loose);
    if strict.total > 0 && strict.interpretation.corrected.is_empty() {
        let understood = &page.interpretation;
        // what is excluded may be misspelt
        if !understood.without.is_empty() && !understood.corrected.is_empty() {
            return;
        }
        assert_eq!(
            (page.total, &page.ranks, page.more),
            (strict.total, &strict.ranks, strict.more),
            "{query:?}"
        );
        // nothing is taken away for a word that no record has
        let is_excluded = |word: &String| {
            understood.without.iter().any(|without| without.split(' ').any(|part| part == word))
        };
        let only_exclusions = page
            .closest
            .as_ref()
            .is_none_or(|closest| !closest.left_out.is_empty() && closest.left_out.iter().all(is_excluded));
        assert!(only_exclusions && page.next.is_none(), "{query:?}");
        return;
    }
    let is_on = |one: &Scanned, window: Window| {
        one.days.is_none_or(|(first, last)| first <= window.to && last >= window.from)
    };
    let allows = |one: &Scanned, window: Option<Window>| {
        one.areas.contains(&query.scope)
            && (query.areas.is_empty() || query.areas.iter().any(|id| one.areas.contains(id)))
            && (query.categories.is_empty() || query.categories.iter().any(|id| one.categories.contains(id)))
            && window.is_none_or(|window| is_on(one, window))
    };
    let listed = page.ranks.iter().chain(&page.further).map(|rank| (rank, query.window));
    // the next day is after those that a parameter demands
    let next = page.next.iter().flat_map(|next| next.ranks.iter().map(|rank| (rank, Window::day(next.date))));
    assert!(
        page.next.iter().all(|next| query.window.is_none_or(|window| next.date > window.to)),
        "{query:?}"
    );
    for (rank, window) in listed.chain(next.map(|(rank, day)| (rank, Some(day)))) {
        let id = collection.rendered.id(*rank);
        let one = records.iter().find(|one| one.id == id).expect("a listed record exists");
        assert!(allows(one, window), "{id} is outside the parameters of {query:?}");
    }
    assert!(page.further.iter().all(|rank| !page.ranks.contains(rank)), "listed twice: {query:?}");
    if let Some(closest) = &page.closest {
        assert!(page.total > 0 || page.next.is_some(), "{query:?}");
        let account = !closest.left_out.is_empty()
            || !closest.areas.is_empty()
            || closest.days.is_some()
            || closest.hours.is_some();
        assert!(account, "nothing was let go: {query:?} {page:?}");
    }
    let has_next = page.next.is_some() && query.window.is_none();
    assert_eq!(page.relax.is_some(), page.total == 0 && !has_next, "{query:?}");
}

/// Checks that corrections are allowed ones.
fn check_correction(scan: &Scan, records: &[Scanned], query: &Query, page: &Page) {
    for (wrong, right) in &page.interpretation.corrected {
        let (from, to) = (Words::new(wrong), Words::new(right));
        assert_eq!((from.len(), to.len()), (1, 1), "a word becomes a word: {wrong} {right}");
        let (from, to) = (from.stem(0).to_owned(), to.stem(0).to_owned());
        // the limit depends on the word as written, the distance is that of the stems
        let allowed = match wrong.len() {
            0..5 => 0,
            5..9 => 1,
            _ => 2,
        };
        // the ending of a misspelt word may be no ending: "notre"
        let is_near = |from: &str| distance(from, &to, allowed).is_some();
        let spelt = from.as_bytes()[0] == to.as_bytes()[0] && (is_near(&from) || is_near(wrong));
        let heard = distance(&phonetic(&from), &phonetic(&to), allowed).is_some();
        assert!(allowed > 0 && (spelt || heard), "{wrong} is too far from {right} in {query:?}");
        let view = query.view as usize;
        let is_known = |stem: &str| {
            scan.index.words.get(stem).is_some()
                || records.iter().any(|one| one.terms[view].stems.contains(stem))
        };
        assert!(is_known(&to), "{right} must be a known word of the view, in {query:?}");
        assert!(!is_known(&from), "{wrong} is a known word, in {query:?}");
    }
}

/// Compares random queries on one snapshot, and counts the kinds of results.
fn compare_random(
    rng: &mut Rng,
    snapshot: &Snapshot,
    queries: usize,
    seen: &mut HashMap<&'static str, usize>,
) {
    let guide = Guide::build(snapshot).unwrap();
    let scan = Scan::new(&guide, snapshot);
    let terms = Terms::of(snapshot);
    for _ in 0..queries {
        let text = terms.text(rng);
        let words = Words::new(&text);
        let query = terms.query(rng, &guide, &words);
        let strict = Query { strict: true, ..query.clone() };
        let parsed = ParsedQuery::of(guide.vocabulary(), &strict);
        for (collection, records) in [(&guide.places, &scan.places), (&guide.events, &scan.events)] {
            if parsed.says_nothing(collection) {
                continue;
            }
            let mut page = compare(&scan, collection, records, &query, &text);
            // the same query parsed once for both collections, and without corrections
            let mut again = parsed.search(collection);
            again.relax.iter_mut().for_each(|relax| relax.words.clear());
            assert_eq!(format!("{again:?}"), format!("{page:?}"), "{query:?}");
            check_closest(collection, records, &query, &page, guide.vocabulary());
            let written = parsed.search_as_written(collection);
            let is_as_written = page.total > 0 && page.interpretation.corrected.is_empty();
            // in another spelling, or as what else a name means
            let is_read_again = written.total == 0
                && (respelt_by(&scan, collection, &query).is_some() || collection.is_name(words.folded()));
            assert!(is_read_again || is_as_written == (written.total > 0), "{query:?}");
            if written.total > 0 {
                page.further.clear();
                assert_eq!(format!("{written:?}"), format!("{page:?}"), "{query:?}");
            }
            let kind = match &page.interpretation.corrected[..] {
                [] if page.total == 0 => "nothing",
                [] if page.more => "several pages",
                [] => "one page",
                _ => "corrected",
            };
            *seen.entry(kind).or_default() += 1;
        }
    }
}

#[test]
fn the_demo_index_finds_what_a_linear_scan_finds() {
    let mut seen = HashMap::new();
    compare_random(&mut Rng::new(1), &demo(), 1_000, &mut seen);
    each_occurred(&seen, ["nothing", "one page", "several pages", "corrected"], 10);
}

#[test]
fn the_index_of_any_small_snapshot_finds_what_a_linear_scan_finds() {
    let mut rng = Rng::new(2);
    let demo = demo();
    let mut seen = HashMap::new();
    for _ in 0..30 {
        let snapshot = small(&mut rng, &demo);
        compare_random(&mut rng, &snapshot, 100, &mut seen);
    }
    each_occurred(&seen, ["nothing", "one page", "several pages", "corrected"], 10);
}

#[test]
fn a_repeated_query_has_the_same_result() {
    let (mut rng, demo) = (Rng::new(3), demo());
    let guide = Guide::build(&demo).unwrap();
    let terms = Terms::of(&demo);
    for _ in 0..300 {
        let words = Words::new(&terms.text(&mut rng));
        let query = terms.query(&mut rng, &guide, &words);
        for collection in [&guide.places, &guide.events] {
            let run = || format!("{:?}", search(guide.vocabulary(), collection, &query));
            assert_eq!(run(), run());
        }
    }
}

#[test]
fn every_record_is_found_by_its_whole_name() {
    let demo = demo();
    let guide = Guide::build(&demo).unwrap();
    let words = Words::default();
    let open = Query {
        window: Some(Window { from: today(), to: today() + Days::new(500) }),
        ..Query::of(&words, today(), View::Basic, usize::MAX / 2)
    };
    let names = demo.places.iter().map(|one| (&guide.places, &one.id, &one.name, &one.aliases));
    let events = demo.events.iter().map(|one| (&guide.events, &one.id, &one.name, &one.aliases));
    let mut seen = HashSet::new();
    let mut lost = Vec::new();
    for (collection, id, name, aliases) in names.chain(events) {
        for name in aliases.iter().chain([name]) {
            if !seen.insert((name.clone(), collection.len())) {
                continue;
            }
            let page =
                search(guide.vocabulary(), collection, &Query { words: &Words::new(name), ..open.clone() });
            if !page.ranks.iter().any(|rank| collection.rendered.id(*rank) == id) {
                lost.push((name.clone(), id.clone()));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}

fn excludes(text: &str) -> bool {
    let tokens = Tokens::new(text);
    let all = tokens.all();
    let reads = |at| operator(&all, at, language(&all));
    (0..all.len()).any(|at| reads(at).is_some_and(|(_, operator)| operator.excludes()))
}

#[test]
fn every_place_is_found_by_a_run_of_words_of_its_names() {
    let demo = demo();
    let guide = Guide::build(&demo).unwrap();
    let mut lost = Vec::new();
    for one in &demo.places {
        for name in one.aliases.iter().chain([&one.name]) {
            let words: Vec<&str> = name.split(' ').collect();
            for from in 0..words.len() {
                for to in from + 1..=words.len().min(from + 3) {
                    let text = words[from..to].join(" ");
                    // a word that is also a code or an area finds what lies there instead
                    // and "sem" and "fora do" exclude
                    if crate::vocabulary::regions::resolve(guide.vocabulary(), &text).is_ok()
                        || excludes(&text)
                    {
                        continue;
                    }
                    let words = Words::new(&text);
                    // and "hotel" alone asks for what is not listed
                    if words.len() == 1 && guide.vocabulary().is_unlisted(words.stem(0)) {
                        continue;
                    }
                    let query = Query::of(&words, today(), View::Basic, 100_000);
                    let page = search(guide.vocabulary(), &guide.places, &query);
                    if !page.ranks.iter().any(|rank| guide.places.rendered.id(*rank) == one.id) {
                        lost.push((text, name));
                    }
                }
            }
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}
