//! What a parsed text is: clauses that a record meets by one of their terms, and what is said beside them.

use std::cell::OnceCell;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;

use smallvec::SmallVec;

use crate::grammar::common_words::is_common;
use crate::grammar::dates::{Days, Hours, Window};
use crate::grammar::demonyms::is_demonym;
use crate::grammar::fixed_words::is_stop_word;
use crate::grammar::hints::Hint;
use crate::grammar::stop_words::{is_from, is_generic_category, is_in, is_of_another_time, says_beside_what};
use crate::vocabulary::node_ids::{AreaId, CategoryId, ids};
use crate::vocabulary::words::Words;
use crate::vocabulary::{
    ArchivedAreaKind, ArchivedCode, ArchivedMeaning, ArchivedVocabularyIndex, CategoryIds,
};

/// What some words of the text mean.
#[derive(Clone, Copy)]
pub(crate) enum Term<'a> {
    /// A phrase of the vocabulary, at words `at..to`.
    Meaning { meaning: &'a ArchivedMeaning, at: usize, to: usize },
    /// An address code with its numbers, at words `at..to`.
    Code { code: &'a ArchivedCode, at: usize, to: usize },
    /// Superquadras of a wing, at words `at..to`; where no record has one of them, those of the wing that give none.
    Quadra { wing: AreaId, at: usize, to: usize },
    /// A phrase of a group of synonyms, at words `at..to`.
    Synonym { group: u32, at: usize, to: usize },
    /// A plain word. The last one may be a prefix.
    Word { at: usize, last: bool },
    /// A word of a record's name.
    Literal { at: usize },
    /// A word about what the guide does not know, for the records whose text has it, at words `at..to`.
    Hint { hint: Hint, at: usize, to: usize },
    /// A date of which there is no such day, at words `at..to`: no record meets it.
    NoDay { at: usize, to: usize },
}

/// How the terms of a text are read. The narrow reading comes first; where it finds nothing, the wide one is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reading {
    /// A category means its members, and the records that have its label, or the words of the question, as a name,
    /// style, venue or line-up.
    Narrow,
    /// A category means all records that have any of its terms, also in an address.
    Wide,
}

/// What kind of condition a term is. Alternatives are of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClauseKind {
    Category,
    Area,
    Text,
    Hint,
}

impl Term<'_> {
    pub(crate) fn kind(&self) -> ClauseKind {
        match self {
            Term::Meaning { meaning, .. } if !meaning.text_categories.is_empty() => ClauseKind::Category,
            Term::Meaning { .. } | Term::Code { .. } | Term::Quadra { .. } => ClauseKind::Area,
            Term::Synonym { .. } | Term::Word { .. } | Term::Literal { .. } | Term::NoDay { .. } => {
                ClauseKind::Text
            }
            Term::Hint { .. } => ClauseKind::Hint,
        }
    }

    /// The words that it consists of.
    pub(crate) fn words(&self) -> Range<usize> {
        match *self {
            Term::Meaning { at, to, .. }
            | Term::Code { at, to, .. }
            | Term::Quadra { at, to, .. }
            | Term::Synonym { at, to, .. }
            | Term::Hint { at, to, .. }
            | Term::NoDay { at, to } => at..to,
            Term::Word { at, .. } | Term::Literal { at } => at..at + 1,
        }
    }

    /// The areas that it names.
    pub(crate) fn areas(&self) -> SmallVec<[AreaId; 4]> {
        match self {
            Term::Meaning { meaning, .. } => ids(&meaning.areas).collect(),
            Term::Code { code, .. } => ids(&code.areas).collect(),
            Term::Quadra { wing, .. } => SmallVec::from_slice(&[*wing]),
            _ => SmallVec::new(),
        }
    }

    /// The categories that it names.
    pub(crate) fn text_categories(&self) -> CategoryIds {
        match self {
            Term::Meaning { meaning, .. } => ids(&meaning.text_categories).collect(),
            _ => CategoryIds::new(),
        }
    }

    /// The categories that it names in the first place: "boteco" means any bar, but most of all one of that category.
    pub(crate) fn own_categories(&self) -> CategoryIds {
        match self {
            Term::Meaning { meaning, .. } => ids(&meaning.filter_categories).collect(),
            _ => CategoryIds::new(),
        }
    }

    pub(crate) fn is_address(&self) -> bool {
        matches!(self, Term::Code { .. } | Term::Quadra { .. })
    }
}

/// A condition that a record meets when it has one of the terms.
#[derive(Clone)]
pub(crate) struct Clause<'a> {
    pub(crate) terms: SmallVec<[Term<'a>; 1]>,
    /// Whether it names where to search from ("perto do museu"): it is no subject.
    pub(crate) is_anchor: bool,
    /// [`Self::key`], once it was needed.
    key: OnceCell<u64>,
}

impl<'a> Clause<'a> {
    pub(crate) fn of(term: Term<'a>) -> Self {
        Self { terms: SmallVec::from_elem(term, 1), is_anchor: false, key: OnceCell::new() }
    }

    /// Adds terms that meet it too.
    pub(crate) fn or(&mut self, terms: impl IntoIterator<Item = Term<'a>>) {
        self.terms.extend(terms);
        self.key.take();
    }

    /// A hash of what decides its records, by the hasher of a guide.
    pub(crate) fn key(&self, words: &Words, hasher: &impl BuildHasher) -> u64 {
        *self.key.get_or_init(|| {
            let mut hasher = hasher.build_hasher();
            for term in &self.terms {
                let key = match *term {
                    Term::Meaning { meaning, at, to } => (0, first_category(meaning), words.phrase(at, to)),
                    Term::Code { at, to, .. } => (1, 0, words.phrase(at, to)),
                    Term::Quadra { at, to, .. } => (2, 0, words.phrase(at, to)),
                    Term::Synonym { group, .. } => (3, group, ""),
                    Term::Word { at, last: false } => (4, 0, words.stem(at)),
                    Term::Word { at, last: true } => (5, 0, words.raw(at)),
                    Term::Literal { at } => (6, 0, words.stem(at)),
                    Term::Hint { at, to, .. } => (7, 0, words.phrase(at, to)),
                    Term::NoDay { at, to } => (8, 0, words.phrase(at, to)),
                };
                key.hash(&mut hasher);
            }
            hasher.finish()
        })
    }

    pub(crate) fn kind(&self) -> ClauseKind {
        self.terms.first().map_or(ClauseKind::Text, Term::kind)
    }

    /// The categories that it names.
    pub(crate) fn text_categories(&self) -> CategoryIds {
        self.terms.iter().flat_map(Term::text_categories).collect()
    }

    /// Whether the question says that a record lies in the regions that this names: "bar no Gama ou Paranoá" asks for
    /// none elsewhere that has the words, as "bar Gama" does. Of a neighbourhood the address may tell as well.
    pub(crate) fn must_lie_in(&self, vocabulary: &ArchivedVocabularyIndex, words: &Words) -> bool {
        let is_region = |id: AreaId| matches!(vocabulary.area(id).kind, ArchivedAreaKind::Region);
        let are_regions = self.terms.iter().all(|term| match term {
            Term::Meaning { meaning, .. } => {
                meaning.text_categories.is_empty()
                    && !meaning.areas.is_empty()
                    && ids(&meaning.areas).all(is_region)
            }
            _ => false,
        });
        let first = self.terms.first();
        are_regions && first.is_some_and(|first| words.before(first.words().start).next().is_some_and(is_in))
    }

    /// Whether one of its words is not common in any text.
    pub(crate) fn is_telling(&self, words: &Words) -> bool {
        self.words().any(|at| !is_common(words.raw(at)))
    }

    /// Whether it is a category that says little beside what it is of: "show de rock", "festa do Divino".
    pub(crate) fn is_generic(&self, words: &Words) -> bool {
        let range = self.words();
        self.kind() == ClauseKind::Category && range.len() == 1 && is_generic_category(words.raw(range.start))
    }

    /// Whether it comes at another time than what is asked for: "depois da missa", "before the show".
    pub(crate) fn comes_at_another_time(&self, words: &Words) -> bool {
        let mut before = words.before(self.words().start).skip_while(|word| is_from(word));
        before.next().is_some_and(is_of_another_time)
    }

    /// From its first word to its last.
    pub(crate) fn words(&self) -> Range<usize> {
        let starts = self.terms.iter().map(|term| term.words().start);
        let ends = self.terms.iter().map(|term| term.words().end);
        starts.min().unwrap_or(0)..ends.max().unwrap_or(0)
    }
}

/// What tells two meanings of one phrase apart: a word may suggest other categories beside other words.
fn first_category(meaning: &ArchivedMeaning) -> u32 {
    let first = ids(&meaning.text_categories).next();
    first.map_or(0, |id: CategoryId| 1 + u32::from(id))
}

/// Words about what the guide does not know, in a text.
#[derive(Debug, Clone)]
pub(crate) struct NamedHint {
    pub(crate) hint: Hint,
    pub(crate) words: Range<usize>,
    /// Whether what is asked for is without it: "that are not free".
    pub(crate) is_excluded: bool,
}

impl NamedHint {
    /// Whether it is said of a station or a stop that something is beside it, and not how to get there.
    pub(crate) fn says_where(&self, words: &Words) -> bool {
        self.hint == Hint::Transport && says_beside_what(words.before(self.words.start))
    }
}

/// Conditions; a short question has at most four.
pub(crate) type Clauses<'a> = SmallVec<[Clause<'a>; 4]>;

/// Words that are a name, or the beginning of names, and the records of that name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct NamedRecords {
    pub(crate) words: Range<usize>,
    pub(crate) ranks: Vec<u32>,
}

/// Parsed free text.
#[derive(Default, Clone)]
pub(crate) struct ParsedText<'a> {
    pub(crate) clauses: Clauses<'a>,
    /// What a record must not have.
    pub(crate) excluded: Clauses<'a>,
    /// The records that it excludes by their names: "museu que não seja o Museu Nacional".
    pub(crate) excluded_names: SmallVec<[NamedRecords; 1]>,
    /// The words at which names of records may begin that somebody knows who asks for another.
    pub(crate) known_at: SmallVec<[usize; 1]>,
    /// The days that its words name.
    pub(crate) days: Option<Days>,
    /// The days that it excludes, until they are taken from those that are searched.
    pub(crate) excluded_days: Option<Days>,
    /// Whether its days lie outside those that a parameter demands.
    pub(crate) days_are_outside: bool,
    /// The hours that its words name.
    pub(crate) hours: Option<Hours>,
    /// The words of a feast, which is days and a subject too.
    pub(crate) feast: Option<Range<usize>>,
    /// Words about what the guide does not know.
    pub(crate) hints: SmallVec<[NamedHint; 1]>,
    /// Clauses that "e", "and" or "y" joins to the one before them.
    pub(crate) joined: SmallVec<[usize; 1]>,
}

impl<'a> ParsedText<'a> {
    /// The same with the hints that are known as conditions.
    pub(crate) fn with_hints(mut self, is_known: impl Fn(&NamedHint) -> bool) -> Self {
        let hints = std::mem::take(&mut self.hints);
        for hint in hints {
            if !is_known(&hint) {
                self.hints.push(hint);
                continue;
            }
            let NamedHint { hint, words, is_excluded } = hint;
            let clauses = if is_excluded { &mut self.excluded } else { &mut self.clauses };
            clauses.push(Clause::of(Term::Hint { hint, at: words.start, to: words.end }));
        }
        self
    }

    /// The terms of all clauses.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &Term<'a>> {
        self.clauses.iter().flat_map(|clause| &clause.terms)
    }

    /// Whether nothing stands between two clauses.
    pub(crate) fn are_beside(&self, words: &Words, one: usize, other: usize) -> bool {
        let (left, right) = (one.min(other), one.max(other));
        let (end, start) = (self.clauses[left].words().end - 1, self.clauses[right].words().start);
        right == left + 1
            && words.token(end) + 1 == words.token(start)
            && !words.has_comma_between(end, start)
    }

    /// The clauses that say of which country a category beside them is: "comida grega", "Irish music".
    pub(crate) fn of_country(&self, words: &Words) -> impl Iterator<Item = usize> {
        let is_of_country = |clause: &Clause| matches!(clause.terms[..], [Term::Word { at, .. }] if is_demonym(words.raw(at)));
        let is_category = |other: &usize| {
            self.clauses.get(*other).is_some_and(|clause| clause.kind() == ClauseKind::Category)
        };
        (0..self.clauses.len()).filter(move |at| {
            let mut others = at.checked_sub(1).into_iter().chain([at + 1]).filter(is_category);
            is_of_country(&self.clauses[*at]) && others.any(|other| self.are_beside(words, *at, other))
        })
    }

    /// Whether it excludes anything but days.
    pub(crate) fn excludes(&self) -> bool {
        !self.excluded.is_empty() || !self.excluded_names.is_empty()
    }

    /// Takes the days of a parameter into account, and what is excluded: "samba sábado" within December, "not on
    /// sunday".
    pub(crate) fn settle_days(&mut self, parameter: Option<Window>, default: Window) {
        if self.feast.is_some() && parameter.is_some() {
            // what belongs to a feast may also be on before and after it
            self.days = None;
        }
        if let (Some(days), Some(window)) = (&self.days, parameter) {
            let within = days.within(window);
            self.days_are_outside |= within.is_none();
            self.days = within;
        }
        if let Some(excluded) = self.excluded_days.take() {
            let searched = self.days.take().unwrap_or_else(|| parameter.unwrap_or(default).into());
            let rest = searched.without(&excluded);
            self.days_are_outside |= rest.is_none();
            self.days = rest.or(Some(searched));
        }
    }

    /// Whether it asks for what the guide does not list, and for nothing else: "hotel barato no centro".
    pub(crate) fn asks_for_unlisted(&self, vocabulary: &ArchivedVocabularyIndex, words: &Words) -> bool {
        self.terms().all(|term| match *term {
            Term::Word { at, .. } => vocabulary.is_unlisted(words.stem(at)),
            _ => matches!(term.kind(), ClauseKind::Area | ClauseKind::Hint),
        })
    }

    /// The words that may be the whole name of a record, if the text asks for nothing else. "No Conic" asks for what is
    /// there.
    pub(crate) fn whole_name(&self, words: &Words) -> Option<Range<usize>> {
        let is_plain = |clause: &Clause| !clause.is_anchor && clause.kind() != ClauseKind::Hint;
        if self.excludes()
            || self.days.is_some()
            || self.hours.is_some()
            || !self.clauses.iter().all(is_plain)
        {
            return None;
        }
        let start = self.clauses.iter().map(|clause| clause.words().start).min()?;
        let end = self.clauses.iter().map(|clause| clause.words().end).max()?;
        let is_hint = |at: &usize| self.hints.iter().any(|hint| hint.words.contains(at));
        let mut others = (0..start).chain(end..words.len());
        let is_all = others.all(|at| is_stop_word(words.raw(at)) || is_hint(&at));
        (is_all && !words.before(start).next().is_some_and(is_in)).then_some(start..end)
    }

    /// Whether the clause is of the words of a feast.
    pub(crate) fn is_of_feast(&self, clause: &Clause) -> bool {
        let (feast, words) = (self.feast.clone(), clause.words());
        feast.is_some_and(|feast| feast.start <= words.start && words.end <= feast.end)
    }

    /// Whether the clause is one of several of a feast, which says nothing alone: "semana santa" is not "santa".
    pub(crate) fn is_part_of_feast(&self, clause: &Clause) -> bool {
        self.is_of_feast(clause) && self.clauses.iter().filter(|one| self.is_of_feast(one)).count() > 1
    }
}

/// The words as the whole name of a record, if `is_name` says so and they are not one phrase of the vocabulary: all of
/// them, or all that are a wish, as in "onde fica o Memorial JK". What a name seems to exclude is part of it: "is Choro
/// no Eixo free?".
pub(crate) fn parse_as_name<'a>(
    parsed: &ParsedText<'a>,
    words: &Words,
    is_name: impl Fn(&str) -> bool,
) -> Option<ParsedText<'a>> {
    let is_one_phrase = |name: &Range<usize>| match &parsed.clauses[..] {
        [clause] => matches!(clause.terms[..], [Term::Meaning { .. }]) && clause.words() == *name,
        _ => false,
    };
    let whole = 0..words.len();
    if !words.is_empty() && !is_one_phrase(&whole) && is_name(words.folded()) {
        return Some(ParsedText { clauses: literals(whole).collect(), ..ParsedText::default() });
    }
    let is_plain = |clause: &Clause| !clause.is_anchor && clause.kind() != ClauseKind::Hint;
    let excludes_records = !parsed.excluded_names.is_empty();
    if excludes_records || parsed.feast.is_some() || !parsed.clauses.iter().all(is_plain) {
        return None;
    }
    let clauses = || parsed.clauses.iter().chain(&parsed.excluded).map(Clause::words);
    let start = clauses().map(|words| words.start).min()?;
    let end = clauses().map(|words| words.end).max()?;
    let name = start..end;
    let is_inside = name.len() > 1 && name != whole && !is_one_phrase(&name);
    (is_inside && is_name(words.between(start, end))).then(|| ParsedText {
        clauses: literals(name).collect(),
        excluded: Clauses::new(),
        joined: SmallVec::new(),
        ..parsed.clone()
    })
}

/// Words of the name of a record.
pub(crate) fn literals<'a>(words: Range<usize>) -> impl Iterator<Item = Clause<'a>> {
    words.map(|at| Clause::of(Term::Literal { at }))
}

/// The text with categories that "e", "and" or "y" joins as alternatives, where `is_either` holds of two of them;
/// `None` when it holds of none.
pub(crate) fn parse_joined<'a>(
    parsed: &ParsedText<'a>,
    is_either: impl Fn(&Clause, &Clause) -> bool,
) -> Option<ParsedText<'a>> {
    if parsed.joined.is_empty() {
        return None;
    }
    let mut text = parsed.clone();
    for at in parsed.joined.iter().rev() {
        if text.clauses[at - 1].kind() == ClauseKind::Category
            && is_either(&text.clauses[at - 1], &text.clauses[*at])
        {
            let joined = text.clauses.remove(*at);
            text.clauses[at - 1].or(joined.terms);
        }
    }
    (text.clauses.len() < parsed.clauses.len()).then_some(text)
}
