//! The index against a linear scan: the same questions, put to every record one by one, straight from the snapshot
//! and its vocabulary. Slow, plain, and without any of the lists, postings and bitmaps that it holds to account.

use std::collections::{HashMap, HashSet};

use chrono::{Days, NaiveDate};
use snapshots::{Snapshot, Vocabulary};

use crate::fold::{distance, fold, sound};
use crate::generators::{Dice, Terms, demo, small, today};
use crate::query::{Clause, as_name, understand};
use crate::schema::{Entry, View};
use crate::search::{DEFAULT_DAYS, ParsedQuery, RelaxedTotals, search};
use crate::vocabulary::{ArchivedAreaKind, ArchivedVocabularyIndex, AreaKind, EVERYWHERE, Node};
use crate::words::Words;
use crate::{Collection, Cursor, Guide, Page, Query, Window};

/// A record, taken apart for the scan.
pub(crate) struct Scanned {
    pub(crate) id: String,
    key: (u64, String, String, String),
    days: Option<(NaiveDate, NaiveDate)>,
    area: Node,
    areas: HashSet<Node>,
    categories: HashSet<Node>,
    names: Vec<String>,
    /// What its texts say, for each view.
    says: [Says; 2],
}

/// What the texts of a record say.
#[derive(Default, Clone)]
struct Says {
    stems: HashSet<String>,
    areas: HashSet<Node>,
    categories: HashSet<Node>,
    quadras: HashSet<u16>,
}

impl Says {
    fn read(&mut self, index: &ArchivedVocabularyIndex, text: &str) {
        let words = Words::new(text);
        for from in 0..words.len() {
            self.stems.insert(words.stem(from).to_owned());
            self.quadras
                .extend(words.raw(from).parse::<u16>().ok().filter(|number| (100..=999).contains(number)));
            for to in from + 1..=words.len() {
                let Some(meaning) = index.phrases.get(words.phrase(from, to)) else { continue };
                if to - from > 1 || words.raw(from).len() > 2 {
                    self.areas.extend(meaning.areas.iter().map(|node| node.to_native()));
                }
                if !meaning.literal {
                    let meant = meaning.filter.iter().chain(meaning.asked.iter());
                    self.categories.extend(meant.map(|node| node.to_native()));
                }
            }
        }
        self.areas.remove(&EVERYWHERE);
    }
}

/// A snapshot, taken apart for the scan: the places and the events, in the order of answers.
pub(crate) struct Scan<'g> {
    index: &'g ArchivedVocabularyIndex,
    pub(crate) places: Vec<Scanned>,
    pub(crate) events: Vec<Scanned>,
}

/// The area of that name, and all that contain it, by the vocabulary's own words.
fn areas_of(
    index: &ArchivedVocabularyIndex,
    vocabulary: &Vocabulary,
    region: &str,
    neighbourhood: Option<&str>,
) -> Vec<Node> {
    let node = |kind: AreaKind, name: &str| {
        let kind = |found: &ArchivedAreaKind| {
            matches!(
                (kind, found),
                (AreaKind::Zone, ArchivedAreaKind::Zone)
                    | (AreaKind::Region, ArchivedAreaKind::Region)
                    | (AreaKind::Neighbourhood, ArchivedAreaKind::Neighbourhood)
            )
        };
        index.areas.iter().position(|area| kind(&area.kind) && area.name == name).unwrap() as Node
    };
    let region = vocabulary.geography.regions.iter().find(|one| one.name == region).unwrap();
    let mut areas = Vec::new();
    let mut part = neighbourhood;
    while let Some(name) = part {
        areas.push(node(AreaKind::Neighbourhood, name));
        part = region.neighbourhoods.iter().find(|one| one.name == name).unwrap().part_of.as_deref();
    }
    areas.extend([node(AreaKind::Region, &region.name), node(AreaKind::Zone, &region.zone), EVERYWHERE]);
    areas
}

fn categories_of(index: &ArchivedVocabularyIndex, vocabulary: &Vocabulary, slugs: &[&str]) -> HashSet<Node> {
    let mut found = HashSet::new();
    for slug in slugs {
        let mut above = Some(*slug);
        while let Some(slug) = above {
            found.insert(index.categories.iter().position(|one| one.slug == slug).unwrap() as Node);
            above =
                vocabulary.taxonomy.categories.iter().find(|one| one.slug == slug).unwrap().parent.as_deref();
        }
    }
    found
}

fn scanned(index: &ArchivedVocabularyIndex, vocabulary: &Vocabulary, entry: &Entry) -> Scanned {
    let areas = areas_of(index, vocabulary, entry.region, entry.neighbourhood);
    let mut open = Says::default();
    entry.names.iter().chain(&entry.open).for_each(|text| open.read(index, text));
    let mut all = open.clone();
    entry.paid.iter().for_each(|text| all.read(index, text));
    Scanned {
        id: entry.id.to_owned(),
        key: (entry.primary, fold(entry.name), entry.name.to_owned(), entry.id.to_owned()),
        days: entry.days,
        area: areas[0],
        areas: areas.into_iter().collect(),
        categories: categories_of(index, vocabulary, &entry.categories),
        names: entry.names.iter().map(|name| fold(name)).collect(),
        says: [open, all],
    }
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

    /// The answer to a question, record by record; `text` stands for the question's own.
    fn ask(&self, records: &'g [Scanned], question: &Query, text: &str) -> Answer<'g> {
        let words = Words::new(text);
        let is_name = |folded: &str| records.iter().any(|one| one.names.iter().any(|name| name == folded));
        let asked = understand(self.index, &words, question.today);
        let asked = as_name(&asked, &words, is_name).unwrap_or(asked);
        let dated = records.first().is_some_and(|one| one.days.is_some());
        let last = question.today + Days::new(DEFAULT_DAYS);
        let window = question.window.or(asked.window).unwrap_or(Window { from: question.today, to: last });
        let view = question.view as usize;
        let met: Vec<Met> =
            asked.clauses.iter().map(|clause| self.clause(records, view, &words, clause)).collect();

        let meets = |one: &Scanned, clauses: bool, areas: bool, categories: bool, more: u64| {
            one.days.is_none_or(|(first, last)| first <= window.to + Days::new(more) && last >= window.from)
                && one.areas.contains(&question.scope)
                && (!areas
                    || question.areas.is_empty()
                    || question.areas.iter().any(|node| one.areas.contains(node)))
                && (!categories
                    || question.categories.is_empty()
                    || question.categories.iter().any(|node| one.categories.contains(node)))
                && (!clauses || met.iter().all(|met| met(one)))
        };
        let count = |given: bool, clauses: bool, areas: bool, categories: bool, more: u64| {
            let count =
                || records.iter().filter(|one| meets(one, clauses, areas, categories, more)).count() as u32;
            given.then(count)
        };
        Answer {
            ids: records
                .iter()
                .filter(|one| meets(one, true, true, true, 0))
                .map(|one| one.id.as_str())
                .collect(),
            window: dated.then_some(window),
            relax: RelaxedTotals {
                q: count(!asked.clauses.is_empty(), false, true, true, 0),
                region: count(!question.areas.is_empty(), true, false, true, 0),
                category: count(!question.categories.is_empty(), true, true, false, 0),
                seven_more_days: count(dated, true, true, true, 7),
            },
        }
    }

    /// What a clause asks of a record.
    fn clause<'c>(
        &'c self,
        records: &'c [Scanned],
        view: usize,
        words: &'c Words,
        clause: &Clause<'c>,
    ) -> Met<'c> {
        let in_area = move |one: &Scanned, node: Node| {
            one.areas.contains(&node) || one.says[view].areas.contains(&node)
        };
        let in_category = move |one: &Scanned, node: Node| {
            one.categories.contains(&node) || one.says[view].categories.contains(&node)
        };
        let says = move |one: &Scanned, stem: &str| one.says[view].stems.contains(stem);
        let takes_part = move |one: &Scanned, stem: &str| {
            self.index.words.get(stem).is_some_and(|word| {
                word.areas.iter().any(|node| in_area(one, node.to_native()))
                    || word.categories.iter().any(|node| in_category(one, node.to_native()))
            })
        };
        match *clause {
            Clause::Meaning { meaning, at, to } => {
                Box::new(move |one| {
                    let alone = to - at == 1;
                    meaning.areas.iter().any(|node| in_area(one, node.to_native()))
                        || meaning.asked.iter().any(|node| in_category(one, node.to_native()))
                        || (alone && meaning.literal && says(one, words.stem(at)))
                        || (alone
                            && meaning.asked.is_empty()
                            && self.index.words.get(words.stem(at)).is_some_and(|word| {
                                word.areas.iter().any(|node| in_area(one, node.to_native()))
                            }))
                })
            }
            Clause::Code { code, at, to } => {
                let stem = (to - at == 1).then(|| words.stem(at));
                Box::new(move |one| {
                    code.areas.iter().any(|node| in_area(one, node.to_native()))
                        || stem.is_some_and(|stem| says(one, stem))
                })
            }
            Clause::Quadra { wing, at, to, exact } => {
                let numbers: Vec<u16> = (at..to)
                    .filter_map(|at| words.raw(at).parse().ok())
                    .filter(|number| (100..=999).contains(number))
                    .collect();
                let there = move |one: &Scanned| {
                    one.areas.contains(&wing)
                        && numbers.iter().any(|number| one.says[view].quadras.contains(number))
                };
                let strict = exact && records.iter().any(&there);
                Box::new(move |one| {
                    there(one) || (!strict && one.area == wing && one.says[view].quadras.is_empty())
                })
            }
            Clause::Word { at, last } => {
                let (raw, stem) = (words.raw(at), words.stem(at));
                let vocabulary = self.index.words.get(stem);
                let known = vocabulary
                    .is_some_and(|word| !word.areas.is_empty() || !word.categories.is_empty())
                    || records.iter().any(|one| says(one, stem));
                if known || !last {
                    return Box::new(move |one| says(one, stem) || takes_part(one, stem));
                }
                let begun: Vec<&str> = self
                    .index
                    .words
                    .keys()
                    .map(|word| word.as_str())
                    .filter(|word| word.starts_with(raw))
                    .collect();
                Box::new(move |one| {
                    one.says[view].stems.iter().any(|stem| stem.starts_with(raw))
                        || begun.iter().any(|stem| takes_part(one, stem))
                })
            }
            Clause::Literal { at } => Box::new(move |one| says(one, words.stem(at))),
        }
    }
}

/// Whether a record meets a clause.
type Met<'c> = Box<dyn Fn(&Scanned) -> bool + 'c>;

/// What the scan finds.
struct Answer<'g> {
    ids: Vec<&'g str>,
    window: Option<Window>,
    relax: RelaxedTotals,
}

/// Every page of an answer, one after the other.
fn all_pages(index: &ArchivedVocabularyIndex, shelf: &Collection, question: &Query) -> Vec<String> {
    let mut ids = Vec::new();
    let mut after: Option<Cursor> = None;
    loop {
        let page = search(index, shelf, &Query { after: after.as_ref(), ..question.clone() });
        ids.extend(page.ranks.iter().map(|rank| shelf.rendered.id(*rank).to_owned()));
        assert!(page.ranks.len() <= question.limit);
        let Some(last) = page.ranks.last().filter(|_| page.more) else { return ids };
        assert_eq!(page.ranks.len(), question.limit, "only the last page is short: {question:?}");
        after = Some(Cursor::at(shelf, *last));
    }
}

/// Puts one question to the index and to the scan, and compares all that they say.
fn compare(scan: &Scan, shelf: &Collection, records: &[Scanned], question: &Query, text: &str) -> Page {
    let page = search(scan.index, shelf, question);
    let mut answer = scan.ask(records, question, text);
    if answer.ids.is_empty() && !page.interpretation.corrected.is_empty() {
        check_correction(scan, records, question, &page);
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
        answer = scan.ask(records, question, &text.join(" "));
        assert!(!answer.ids.is_empty(), "a correction is only made when it finds something: {question:?}");
    } else {
        assert!(page.interpretation.corrected.is_empty(), "never mixed with exact hits: {question:?}");
    }
    assert_eq!(page.total as usize, answer.ids.len(), "total of {question:?}\n{:?}", page.interpretation);
    let found: Vec<&str> = page.ranks.iter().map(|rank| shelf.rendered.id(*rank)).collect();
    let first: Vec<&str> = answer.ids.iter().copied().take(question.limit).collect();
    assert_eq!(found, first, "{question:?}\n{:?}", page.interpretation);
    assert_eq!(page.more, answer.ids.len() > question.limit, "{question:?}");
    assert_eq!(page.interpretation.window, answer.window, "{question:?}");
    assert_eq!(
        page.relax,
        answer.ids.is_empty().then_some(answer.relax),
        "{question:?}\n{:?}",
        page.interpretation
    );
    if page.more && answer.ids.len() < question.limit * 8 {
        assert_eq!(all_pages(scan.index, shelf, question), answer.ids, "pages of {question:?}");
    }
    page
}

/// A correction keeps what is promised of it.
fn check_correction(scan: &Scan, records: &[Scanned], question: &Query, page: &Page) {
    for (wrong, right) in &page.interpretation.corrected {
        let (from, to) = (Words::new(wrong), Words::new(right));
        assert_eq!((from.len(), to.len()), (1, 1), "a word becomes a word: {wrong} {right}");
        let (from, to) = (from.stem(0).to_owned(), to.stem(0).to_owned());
        // by the letters that were written; compared are stems
        let allowed = match wrong.len() {
            0..5 => 0,
            5..9 => 1,
            _ => 2,
        };
        let spelt = from.as_bytes()[0] == to.as_bytes()[0] && distance(&from, &to, allowed).is_some();
        let heard = distance(&sound(&from), &sound(&to), allowed).is_some();
        assert!(allowed > 0 && (spelt || heard), "{wrong} is too far from {right} in {question:?}");
        let view = question.view as usize;
        let is_known = |stem: &str| {
            scan.index.words.get(stem).is_some()
                || records.iter().any(|one| one.says[view].stems.contains(stem))
        };
        assert!(is_known(&to), "{right} is no word that the caller may know of, in {question:?}");
        assert!(!is_known(&from), "{wrong} is a word and was corrected, in {question:?}");
    }
}

/// Puts so many random questions about one snapshot, and counts those with an answer, none, and a correction.
fn interrogate(
    dice: &mut Dice,
    snapshot: &Snapshot,
    questions: usize,
    seen: &mut HashMap<&'static str, usize>,
) {
    let guide = Guide::build(snapshot).unwrap();
    let scan = Scan::new(&guide, snapshot);
    let terms = Terms::of(snapshot);
    for _ in 0..questions {
        let text = terms.text(dice);
        let words = Words::new(&text);
        let question = terms.question(dice, &guide, &words);
        let understood = ParsedQuery::of(guide.vocabulary(), &question);
        for (shelf, records) in [(&guide.places, &scan.places), (&guide.events, &scan.events)] {
            let page = compare(&scan, shelf, records, &question, &text);
            // understood once for both shelves, and asked as it is written
            assert_eq!(format!("{:?}", understood.search(shelf)), format!("{page:?}"), "{question:?}");
            let written = understood.search_as_written(shelf);
            assert_eq!(
                written.total > 0,
                page.total > 0 && page.interpretation.corrected.is_empty(),
                "{question:?}"
            );
            if written.total > 0 {
                assert_eq!(format!("{written:?}"), format!("{page:?}"), "{question:?}");
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
fn an_answer_of_the_demo_is_a_linear_scan_of_it() {
    let mut seen = HashMap::new();
    interrogate(&mut Dice::new(1), &demo(), 1_000, &mut seen);
    for kind in ["nothing", "one page", "several pages", "corrected"] {
        assert!(seen.get(kind).is_some_and(|count| *count >= 10), "the dice must throw all kinds: {seen:?}");
    }
}

#[test]
fn an_answer_of_any_small_snapshot_is_a_linear_scan_of_it() {
    let mut dice = Dice::new(2);
    let demo = demo();
    let mut seen = HashMap::new();
    for _ in 0..30 {
        let snapshot = small(&mut dice, &demo);
        interrogate(&mut dice, &snapshot, 100, &mut seen);
    }
    for kind in ["nothing", "one page", "several pages", "corrected"] {
        assert!(seen.get(kind).is_some_and(|count| *count >= 10), "the dice must throw all kinds: {seen:?}");
    }
}

#[test]
fn the_same_question_twice_has_the_same_answer() {
    let (mut dice, demo) = (Dice::new(3), demo());
    let guide = Guide::build(&demo).unwrap();
    let terms = Terms::of(&demo);
    for _ in 0..300 {
        let words = Words::new(&terms.text(&mut dice));
        let question = terms.question(&mut dice, &guide, &words);
        for shelf in [&guide.places, &guide.events] {
            let ask = || format!("{:?}", search(guide.vocabulary(), shelf, &question));
            assert_eq!(ask(), ask());
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
    let mut asked = HashSet::new();
    let mut lost = Vec::new();
    for (shelf, id, name, aliases) in names.chain(events) {
        for name in aliases.iter().chain([name]) {
            if !asked.insert((name.clone(), shelf.len())) {
                continue;
            }
            let page = search(guide.vocabulary(), shelf, &Query { words: &Words::new(name), ..open.clone() });
            if !page.ranks.iter().any(|rank| shelf.rendered.id(*rank) == id) {
                lost.push((name.clone(), id.clone()));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
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
                    // a word that is also a code or an area asks for what lies there
                    if crate::regions::resolve(guide.vocabulary(), &text).is_ok() {
                        continue;
                    }
                    let words = Words::new(&text);
                    let question = Query::of(&words, today(), View::Basic, 100_000);
                    let page = search(guide.vocabulary(), &guide.places, &question);
                    if !page.ranks.iter().any(|rank| guide.places.rendered.id(*rank) == one.id) {
                        lost.push((text, name));
                    }
                }
            }
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}
