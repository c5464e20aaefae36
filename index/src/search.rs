//! Searching a shelf: a question becomes sets of ranks, and the sets a page, an exact total and an account of
//! how the question was read.

use std::borrow::Cow;
use std::hash::BuildHasher;

use chrono::{Days, NaiveDate};
use smallvec::SmallVec;

use crate::collection::Collection;
use crate::dates::Window;
use crate::fold::{Compared, sound};
use crate::query::{Asked, Clause, as_name, understand};
use crate::schema::View;
use crate::sets::{Lists, Range, Set, Sets, walk};
use crate::vocabulary::{ArchivedRightWord, ArchivedVocabularyIndex, ArchivedWord, EVERYWHERE, Node, Nodes};
use crate::words::Words;

/// A question of filters and text. Absent filters are empty.
#[derive(Debug, Clone)]
pub struct Query<'q> {
    /// The free text, at most as long as [`crate::query::words`] allows.
    pub words: &'q Words,
    /// Any of these areas, as [`crate::regions::resolve`] reads them.
    pub areas: Nodes,
    /// Any of these categories, as [`crate::categories::resolve`] reads them.
    pub categories: Nodes,
    /// Events: the days asked for by the caller. When absent the days that the text names count, else `today` and
    /// [`DEFAULT_DAYS`] more.
    pub window: Option<Window>,
    /// What day it is in Brasília.
    pub today: NaiveDate,
    /// The only area the caller may see; [`EVERYWHERE`] for all of it.
    pub scope: Node,
    /// Which fields the caller sees, and may find by.
    pub view: View,
    /// Most records on a page.
    pub limit: usize,
    /// Where the last page ended.
    pub after: Option<&'q Cursor<'q>>,
}

/// Events are looked for from today on for this many days more, when nobody says otherwise.
pub const DEFAULT_DAYS: u64 = 7;

impl<'q> Query<'q> {
    /// A question of these words alone, put to the whole District.
    pub fn of(words: &'q Words, today: NaiveDate, view: View, limit: usize) -> Self {
        Self {
            words,
            areas: Nodes::new(),
            categories: Nodes::new(),
            window: None,
            today,
            scope: EVERYWHERE,
            view,
            limit,
            after: None,
        }
    }
}

/// Ranks of a page: as many as a page of the usual length has, and the one that tells of another page.
pub type Ranks = SmallVec<[u32; 22]>;

/// What a search found.
#[derive(Debug, Default)]
pub struct Page {
    /// The ranks on this page, in order.
    pub ranks: Ranks,
    /// How many records meet the question, over all pages.
    pub total: u32,
    /// Whether another page follows.
    pub more: bool,
    /// How the question was read.
    pub interpretation: Interpretation,
    /// When nothing was found: how many there would be with one filter less.
    pub relax: Option<RelaxedTotals>,
}

/// The former name of [`Interpretation`].
pub type Reading = Interpretation;

/// The former name of [`RelaxedTotals`].
pub type Relax = RelaxedTotals;

/// How a question was read.
#[derive(Debug, Default)]
pub struct Interpretation {
    /// Areas that the parameter or the text named.
    pub areas: Nodes,
    /// Superquadras that the text named.
    pub quadras: SmallVec<[u16; 4]>,
    /// Categories that the parameter or the text named.
    pub categories: Nodes,
    /// Events: the days looked at.
    pub window: Option<Window>,
    /// Folded words that were looked for as text, with one blank between them: one string, since nearly every question
    /// has some.
    pub text: String,
    /// Words that nobody wrote, and what they were read as.
    pub corrected: Vec<(String, String)>,
}

/// How many records there would be with one filter less; absent for a filter that was not given.
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

/// The place of a record in the order of its shelf: it stays valid when the guide changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor<'a> {
    /// What comes before the name in the order.
    pub primary: u64,
    /// The record's name.
    pub name: Cow<'a, str>,
    /// The record's id.
    pub id: Cow<'a, str>,
}

impl<'a> Cursor<'a> {
    /// The place of the record at `rank`.
    pub fn at(shelf: &'a Collection, rank: u32) -> Self {
        let (primary, name, id) = shelf.order(rank);
        Self { primary, name, id: Cow::Borrowed(id) }
    }
}

/// Answers the question from the shelf, as [`ParsedQuery::search`] does.
pub fn search(vocabulary: &ArchivedVocabularyIndex, shelf: &Collection, question: &Query) -> Page {
    ParsedQuery::of(vocabulary, question).search(shelf)
}

/// A question whose words are understood, to be put to shelves of the guide: what they mean hangs on none.
pub struct ParsedQuery<'a> {
    vocabulary: &'a ArchivedVocabularyIndex,
    question: &'a Query<'a>,
    asked: Asked<'a>,
}

impl<'a> ParsedQuery<'a> {
    /// Understands the question.
    pub fn of(vocabulary: &'a ArchivedVocabularyIndex, question: &'a Query<'a>) -> Self {
        Self { vocabulary, question, asked: understand(vocabulary, question.words, question.today) }
    }

    /// Answers from the shelf. Words are taken for others only when nothing is found as it is written.
    pub fn search(&self, shelf: &Collection) -> Page {
        self.put(shelf, |ask| {
            let page = ask.answer(true);
            if page.total > 0 {
                return page;
            }
            ask.corrected().unwrap_or_else(|| Page { relax: Some(ask.relax()), ..page })
        })
    }

    /// Answers from the shelf as it is written, and tells neither what else may have been meant nor what there would be
    /// with one filter less.
    pub fn search_as_written(&self, shelf: &Collection) -> Page {
        self.put(shelf, |ask| ask.answer(true))
    }

    fn put(&self, shelf: &Collection, answer: impl FnOnce(&Ask) -> Page) -> Page {
        let Self { vocabulary, question, asked } = self;
        let name = as_name(asked, question.words, |folded| shelf.is_name(folded));
        answer(&Ask { vocabulary, shelf, question, asked: name.as_ref().unwrap_or(asked) })
    }
}

/// One question put to one shelf.
struct Ask<'s, 'a> {
    vocabulary: &'s ArchivedVocabularyIndex,
    shelf: &'s Collection,
    question: &'s Query<'s>,
    asked: &'s Asked<'a>,
}

/// Which filters to leave out, to see what there would be without.
#[derive(Default, Clone, Copy)]
struct Without {
    text: bool,
    areas: bool,
    categories: bool,
    more_days: u64,
}

impl<'s> Ask<'s, '_> {
    /// What is found when words that nobody wrote are taken for others; none when that is nothing.
    fn corrected(&self) -> Option<Page> {
        let question = self.question;
        let (text, corrected) = correct(self.vocabulary, self.shelf, question.view, question.words)?;
        let question = &Query { words: &Words::new(&text), ..question.clone() };
        let mut page = ParsedQuery::of(self.vocabulary, question).put(self.shelf, |ask| ask.answer(false));
        page.interpretation.corrected = corrected;
        (page.total > 0).then_some(page)
    }

    /// The page, with its total from the table of totals when `known` allows.
    fn answer(&self, known: bool) -> Page {
        let mut page = Page { interpretation: self.interpretation(), ..Page::default() };
        let (shelf, limit) = (self.shelf, self.question.limit);
        let start = self.question.after.map_or(0, |after| shelf.after(after.primary, &after.name, &after.id));
        let range = self.range(Without::default());
        let mut sets = self.sets(Without::default());
        let kept = || if known { shelf.totals.get(self.key()) } else { None };
        if let Some(total) = simple_total(&sets, range).or_else(kept) {
            page.total = total;
            // one more than fit, to see whether another page follows; after the last there is nothing to look for
            let most = if start == 0 { limit.min(total.saturating_sub(1) as usize) } else { limit };
            if total > 0 {
                walk(&mut sets, range, start, |rank| {
                    page.ranks.push(rank);
                    page.ranks.len() <= most
                });
            }
        } else {
            walk(&mut sets, range, 0, |rank| {
                page.total += 1;
                if rank >= start && page.ranks.len() <= limit {
                    page.ranks.push(rank);
                }
                true
            });
            if known {
                shelf.totals.keep(self.key(), page.total);
            }
        }
        page.more = page.ranks.len() > limit;
        page.ranks.truncate(limit);
        page
    }

    /// The days looked at; events only.
    fn window(&self) -> Option<Window> {
        self.shelf.calendar.as_ref()?;
        let question = self.question;
        let default = || Window { from: question.today, to: question.today + Days::new(DEFAULT_DAYS) };
        Some(question.window.or(self.asked.window).unwrap_or_else(default))
    }

    fn range(&self, without: Without) -> Range<'s> {
        match (&self.shelf.calendar, self.window()) {
            (Some(calendar), Some(mut window)) => {
                window.to = window.to + Days::new(without.more_days);
                calendar.range(window)
            }
            _ => Range { early: &[], from: 0, to: self.shelf.len() },
        }
    }

    /// Everything a record must be in.
    fn sets(&self, without: Without) -> Sets<'s> {
        let mut sets = Sets::new();
        if let Some(filter) = self.filter(without) {
            sets.push(filter);
        }
        if !without.text {
            self.asked.clauses.iter().for_each(|clause| sets.push(self.clause(clause)));
        }
        sets
    }

    /// The set of the filters, `None` when they let everything through.
    fn filter(&self, without: Without) -> Option<Set<'s>> {
        let question = self.question;
        let areas: &[Node] = if without.areas { &[] } else { &question.areas };
        let categories: &[Node] = if without.categories { &[] } else { &question.categories };
        if areas.is_empty() && categories.is_empty() && question.scope == EVERYWHERE {
            return None;
        }
        let shelf = self.shelf;
        let of_area = |area: Node, lists: &mut Lists<'s>| match categories {
            [] => lists.push(shelf.members(area, None).into()),
            _ => categories.iter().for_each(|node| lists.push(shelf.members(area, Some(*node)).into())),
        };
        let mut lists = Lists::new();
        match areas {
            [] => of_area(question.scope, &mut lists),
            _ => {
                for area in areas.iter().filter_map(|area| self.vocabulary.common_area(question.scope, *area))
                {
                    of_area(area, &mut lists);
                }
            }
        }
        Some(Set::any(lists, shelf.len()))
    }

    fn clause(&self, clause: &Clause<'_>) -> Set<'s> {
        let (shelf, view) = (self.shelf, self.question.view);
        let mut lists = Lists::new();
        match *clause {
            Clause::Meaning { meaning, at, to } => {
                self.add_areas(meaning.areas.iter().map(|node| node.to_native()), &mut lists);
                self.add_categories(meaning.asked.iter().map(|node| node.to_native()), &mut lists);
                if to - at == 1 {
                    // "norte" is a zone, and half the name of Asa Norte
                    if let Some(word) = self.word(at).filter(|_| meaning.asked.is_empty()) {
                        self.add_areas(word.areas.iter().map(|node| node.to_native()), &mut lists);
                    }
                    if meaning.literal {
                        self.add_word(at, &mut lists);
                    }
                }
            }
            Clause::Code { code, at, to } => {
                self.add_areas(code.areas.iter().map(|node| node.to_native()), &mut lists);
                // "san" is an old form of SAUN, and half of San Marino
                if to - at == 1 {
                    self.add_word(at, &mut lists);
                }
            }
            Clause::Quadra { wing, at, to, exact } => {
                let numbers = (at..to).filter_map(|at| self.question.words.quadra(at));
                lists.extend(numbers.filter_map(|number| shelf.quadra(view, wing, number)));
                if !exact || lists.is_empty() {
                    lists.extend(shelf.silent(view, wing));
                }
            }
            Clause::Word { at, last } => {
                self.add_word(at, &mut lists);
                let mut known = !lists.is_empty();
                if let Some(word) = self.word(at) {
                    known |= self.add_vocabulary(word, &mut lists);
                }
                if last && !known {
                    self.add_beginnings(self.question.words.raw(at), &mut lists);
                }
            }
            Clause::Literal { at } => self.add_word(at, &mut lists),
        }
        Set::any(lists, shelf.len())
    }

    /// A word of the records' own texts.
    fn add_word(&self, at: usize, lists: &mut Lists<'s>) {
        if let Some(list) = self.shelf.text.word(self.question.view, self.question.words.stem(at)) {
            lists.push(list);
        }
    }

    fn word(&self, at: usize) -> Option<&'s ArchivedWord> {
        self.vocabulary.words.get(self.question.words.stem(at))
    }

    /// A word of a longer name or term: "market" is half of several.
    fn add_vocabulary(&self, word: &ArchivedWord, lists: &mut Lists<'s>) -> bool {
        self.add_areas(word.areas.iter().map(|node| node.to_native()), lists);
        self.add_categories(word.categories.iter().map(|node| node.to_native()), lists);
        !word.areas.is_empty() || !word.categories.is_empty()
    }

    /// Every word that begins so.
    fn add_beginnings(&self, prefix: &'s str, lists: &mut Lists<'s>) {
        let words = &self.vocabulary.sorted_words;
        let first = words.partition_point(|word| word.as_str() < prefix);
        let (mut areas, mut categories) = (Nodes::new(), Nodes::new());
        for stem in words[first..].iter().take_while(|word| word.starts_with(prefix)) {
            if let Some(word) = self.vocabulary.words.get(stem.as_str()) {
                areas.extend(word.areas.iter().map(|node| node.to_native()));
                categories.extend(word.categories.iter().map(|node| node.to_native()));
            }
        }
        for nodes in [&mut areas, &mut categories] {
            nodes.sort_unstable();
            nodes.dedup();
        }
        self.add_areas(areas.into_iter(), lists);
        self.add_categories(categories.into_iter(), lists);
        lists.extend(self.shelf.text.beginning_so(self.question.view, prefix));
    }

    fn add_areas(&self, nodes: impl Iterator<Item = Node>, lists: &mut Lists<'s>) {
        nodes.for_each(|node| lists.push(self.shelf.meant_area(self.question.view, node)));
    }

    fn add_categories(&self, nodes: impl Iterator<Item = Node>, lists: &mut Lists<'s>) {
        nodes.for_each(|node| lists.push(self.shelf.meant_category(self.question.view, node)));
    }

    /// What decides the total.
    fn key(&self) -> u64 {
        let Query { areas, categories, scope, view, .. } = self.question;
        self.shelf.hasher.hash_one((
            self.question.words.folded(),
            areas,
            categories,
            self.window(),
            scope,
            view,
        ))
    }

    fn count(&self, without: Without) -> u32 {
        let range = self.range(without);
        let mut sets = self.sets(without);
        simple_total(&sets, range).unwrap_or_else(|| {
            let mut count = 0;
            walk(&mut sets, range, 0, |_| {
                count += 1;
                true
            });
            count
        })
    }

    fn relax(&self) -> RelaxedTotals {
        let question = self.question;
        let without = |given: bool, without: Without| given.then(|| self.count(without));
        RelaxedTotals {
            q: without(!self.asked.clauses.is_empty(), Without { text: true, ..Without::default() }),
            region: without(!question.areas.is_empty(), Without { areas: true, ..Without::default() }),
            category: without(
                !question.categories.is_empty(),
                Without { categories: true, ..Without::default() },
            ),
            seven_more_days: without(self.window().is_some(), Without { more_days: 7, ..Without::default() }),
        }
    }

    fn interpretation(&self) -> Interpretation {
        let mut interpretation = Interpretation {
            areas: Nodes::from_slice(&self.question.areas),
            categories: Nodes::from_slice(&self.question.categories),
            window: self.window(),
            ..Interpretation::default()
        };
        let add = |nodes: &mut Nodes, node: Node| {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        };
        for clause in &self.asked.clauses {
            match *clause {
                Clause::Meaning { meaning, .. } => {
                    meaning.areas.iter().for_each(|node| add(&mut interpretation.areas, node.to_native()));
                    meaning
                        .asked
                        .iter()
                        .for_each(|node| add(&mut interpretation.categories, node.to_native()));
                }
                Clause::Code { code, .. } => {
                    code.areas.iter().for_each(|node| add(&mut interpretation.areas, node.to_native()));
                }
                Clause::Quadra { wing, at, to, .. } => {
                    add(&mut interpretation.areas, wing);
                    interpretation.quadras.extend((at..to).filter_map(|at| self.question.words.quadra(at)));
                }
                Clause::Word { at, .. } | Clause::Literal { at } => {
                    if !interpretation.text.is_empty() {
                        interpretation.text.push(' ');
                    }
                    interpretation.text.push_str(self.question.words.raw(at));
                }
            }
        }
        interpretation
    }
}

/// The total without a walk: nothing to meet, or one list.
fn simple_total(sets: &[Set], range: Range) -> Option<u32> {
    match sets {
        [] => Some(range.early.len() as u32 + range.to.saturating_sub(range.from)),
        [Set::List(list)] if range.early.is_empty() => {
            Some(list.before(range.to).saturating_sub(list.before(range.from)) as u32)
        }
        _ => None,
    }
}

/// What a question with unknown words may have meant: the text with each of them replaced by the nearest word that
/// the caller may know of, and what was replaced. `None` when every word is known, or one is like no other.
fn correct(
    vocabulary: &ArchivedVocabularyIndex,
    shelf: &Collection,
    view: View,
    words: &Words,
) -> Option<(String, Vec<(String, String)>)> {
    let mut corrected = Vec::new();
    let mut text = String::with_capacity(words.folded().len() + 8);
    for at in 0..words.len() {
        let (raw, stem) = (words.raw(at), words.stem(at));
        let known = vocabulary.words.get(stem).is_some()
            || crate::stop_words::is_filler(raw)
            || shelf.text.word(view, stem).is_some();
        let meant = if known { None } else { nearest(vocabulary, shelf, view, raw.len(), stem) };
        if let Some(meant) = meant {
            let vocabulary = vocabulary.words.get(meant).map(|word| word.spelling.to_string());
            let meant =
                vocabulary.or_else(|| shelf.spelling(view, meant)).unwrap_or_else(|| meant.to_owned());
            text.push_str(&meant);
            corrected.push((raw.to_owned(), meant));
        } else {
            text.push_str(raw);
        }
        text.push(' ');
    }
    (!corrected.is_empty()).then_some((text, corrected))
}

/// The stem nearest to one that nobody wrote: one typo from five letters, two from nine, the first letter (or its
/// sound) fixed. Of equally near words the most frequent.
fn nearest<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    shelf: &'a Collection,
    view: View,
    letters: usize,
    word: &str,
) -> Option<&'a str> {
    let allowed = match letters {
        0..5 => return None,
        5..9 => 1,
        _ => 2,
    };
    let sounds = sound(word);
    let first = *word.as_bytes().first()?;
    let (written, heard) = (Compared::new(word, allowed), Compared::new(&sounds, allowed));
    // a look at the length spares most words the way to their letters
    let apart = |left: &str, compared: &Compared, right: &str| {
        let alike =
            left.len().abs_diff(right.len()) <= allowed && left.bytes().next() == right.bytes().next();
        if alike { compared.distance(right) } else { None }
    };
    let mut best: Option<(usize, u32, &str)> = None;
    let mut consider = |apart: Option<usize>, records: u32, stem: &'a str| {
        let candidate = apart.map(|apart| (apart, u32::MAX - records, stem));
        if candidate.is_some_and(|candidate| best.is_none_or(|best| candidate < best)) {
            best = candidate;
        }
    };
    // words of another first letter may still begin with the same sound
    for letter in (b'a'..=b'z').filter(|letter| *letter == first || may_sound_alike(*letter, first)) {
        // shorter words are never corrected to, nor are numbers
        let terms = shelf.text.beginning_with(letter).iter().filter(|term| term.stem.len() >= 4);
        for term in terms.filter(|term| term.records(view) > 0) {
            consider(apart(word, &written, &term.stem), term.records(view), &term.stem);
            consider(apart(&sounds, &heard, &term.sound), term.records(view), &term.stem);
        }
    }
    for (by_sound, asked, compared) in [(false, word, &written), (true, &*sounds, &heard)] {
        let key = |right: &ArchivedRightWord| (right.heard, right.text.bytes().next(), right.text.len());
        let least = (by_sound, asked.bytes().next(), asked.len().saturating_sub(allowed));
        let most = (by_sound, asked.bytes().next(), asked.len() + allowed);
        let words =
            &vocabulary.right_words[vocabulary.right_words.partition_point(|right| key(right) < least)..];
        for right in words.iter().take_while(|right| key(right) <= most) {
            consider(compared.distance(&right.text), u32::MAX, &right.stem);
        }
    }
    best.map(|(.., stem)| stem)
}

/// Letters that can begin with one sound.
fn may_sound_alike(left: u8, right: u8) -> bool {
    const ALIKE: &[&[u8]] = &[b"cxs", b"ckq", b"csz", b"iy", b"vw", b"fp"];
    left == b'h' || right == b'h' || ALIKE.iter().any(|group| group.contains(&left) && group.contains(&right))
}
