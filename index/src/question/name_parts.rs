//! Names of records inside a question: whole ones, and parts of one name alone, as those of a series or a chain are.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use smallvec::SmallVec;

use crate::grammar::fixed_words::is_stop_word;
use crate::grammar::stop_words::is_in;
use crate::question::clauses::{Clause, ClauseKind, Clauses, NamedRecords, ParsedText, literals};
use crate::question::near::Caller;
use crate::records::collection::{Collection, MOST_RECORDS};
use crate::records::postings::PostingCursor;
use crate::records::schema::View;
use crate::vocabulary::words::Words;

/// The words of a question as parts of the names of a collection.
pub(crate) struct NameParts<'s> {
    collection: &'s Collection,
    view: View,
    words: &'s Words,
    /// For each token, connectors included, whether a name has it before the next one, once that was asked.
    pairs: SmallVec<[OnceCell<bool>; 16]>,
    /// How many records may still be looked at.
    left: Cell<usize>,
}

/// How many records are looked at for one question: the longest lists of four runs.
const MOST_LOOKED_AT: usize = 4 * MOST_RECORDS;

/// The longest name of a record that is looked for inside a question, in words.
pub(crate) const MAX_NAME_WORDS: usize = 8;

/// Whether words of the run say where to search from, or what is excluded.
fn is_aside(parsed: &ParsedText, run: &Range<usize>) -> bool {
    let anchors = parsed.clauses.iter().filter(|clause| clause.is_anchor);
    let names = parsed.excluded_names.iter().map(|name| name.words.clone());
    let mut asides = anchors.chain(&parsed.excluded).map(Clause::words).chain(names);
    asides.any(|words| words.start < run.end && run.start < words.end)
}

impl<'s> NameParts<'s> {
    pub(crate) fn of(collection: &'s Collection, view: View, words: &'s Words) -> Self {
        let pairs = SmallVec::from_elem(OnceCell::new(), words.count_tokens());
        Self { collection, view, words, pairs, left: Cell::new(MOST_LOOKED_AT) }
    }

    /// The words that are the whole name of a record, each by itself, and neither where to search from nor excluded.
    pub(crate) fn whole_names(&self, parsed: &ParsedText) -> Vec<Range<usize>> {
        let words = self.words;
        let is_telling = |run: &Range<usize>| {
            let covers = |clause: &Clause| {
                let words = clause.words();
                words.start <= run.start && run.end <= words.end && clause.kind() != ClauseKind::Text
            };
            let is_vocabulary = parsed.clauses.iter().any(covers);
            !is_vocabulary && (run.len() > 1 || !is_stop_word(words.raw(run.start)))
        };
        let mut found: Vec<Range<usize>> = Vec::new();
        for run in self.names().filter(|run| is_telling(run) && !is_aside(parsed, run)) {
            if found.iter().all(|other| other.end <= run.start || run.end <= other.start) {
                found.push(run);
            }
        }
        found
    }

    /// The runs of words that are whole names of records, the longest first.
    pub(crate) fn names(&self) -> impl Iterator<Item = Range<usize>> {
        let is_name = |run: &Range<usize>| self.collection.is_name(self.words.between(run.start, run.end));
        self.runs().filter(|run| self.may_be_name(run)).filter(is_name)
    }

    /// The runs of words from one on that names may have, the longest first.
    pub(crate) fn runs_from(&self, at: usize) -> impl Iterator<Item = Range<usize>> {
        let longest = (self.words.len() - at).min(MAX_NAME_WORDS);
        (1..=longest).rev().map(move |taken| at..at + taken).filter(|run| self.may_be_name(run))
    }

    /// The longest whole name of a record that begins at a word.
    pub(crate) fn name_at(&self, at: usize) -> Option<Range<usize>> {
        self.runs_from(at).find(|run| self.collection.is_name(self.words.between(run.start, run.end)))
    }

    /// Whether the whole name of a record has more words than these, and them among its own.
    pub(crate) fn has_longer(&self, name: &Range<usize>) -> bool {
        let mut longer = self.names().take_while(|run| run.len() > name.len());
        longer.any(|run| run.start <= name.start && name.end <= run.end)
    }

    /// The runs of words that are no longer than a name may be, the longest first.
    fn runs(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let count = self.words.len();
        let longest = count.min(MAX_NAME_WORDS);
        (1..=longest).rev().flat_map(move |taken| (0..=count - taken).map(move |at| at..at + taken))
    }

    /// The text with the names that it excludes as those: where a name, or the beginning of names, stands at the words
    /// for what is excluded, or behind such a name ("já fui no CCBB e no Museu Nacional"), the records of that name are
    /// meant, of those that the caller may see, and no category that it has a word of. `None` when there are none.
    pub(crate) fn parse_excluded<'a>(
        &self,
        parsed: &ParsedText<'a>,
        caller: Caller,
    ) -> Option<ParsedText<'a>> {
        let mut text = parsed.clone();
        let excluded = parsed.excluded.iter().map(Clause::words);
        // where a name may stand, and where what is excluded there ends if none does
        let known = parsed.known_at.iter().map(|at| *at..*at);
        let mut places: SmallVec<[Range<usize>; 4]> = excluded.chain(known).collect();
        places.sort_unstable_by_key(|words| std::cmp::Reverse(words.start));
        while let Some(words) = places.pop() {
            let mut end = words.end;
            if let Some(name) = self.excluded_from(parsed, words.start, caller) {
                let (from, to) = (name.words.start, name.words.end);
                let is_outside =
                    |clause: &mut Clause| clause.words().end <= from || clause.words().start >= to;
                text.excluded.retain(is_outside);
                text.clauses.retain(is_outside);
                text.excluded_names.push(name);
                end = to;
            }
            places.retain(|words| words.start >= end);
            // what follows a word that is not excluded itself is none of it
            if end > words.start {
                places.extend(self.words.joined_to(end).map(|next| next..next));
            }
        }
        text.joined.clear();
        (!text.excluded_names.is_empty()).then_some(text)
    }

    /// The longest name of several words that begins at a word of what is excluded and is no phrase of the vocabulary:
    /// "não em Águas Claras" means no mall.
    fn excluded_from(&self, parsed: &ParsedText, start: usize, caller: Caller) -> Option<NamedRecords> {
        let longest = (self.words.len() - start).min(MAX_NAME_WORDS);
        let runs = (2..=longest).rev().map(|taken| start..start + taken).filter(|run| self.may_be_name(run));
        runs.map(|words| NamedRecords { ranks: self.records_named(&words, caller), words }).find(|name| {
            let is_phrase =
                |clause: &Clause| clause.words() == name.words && clause.kind() != ClauseKind::Text;
            let cuts = |clause: &Clause| {
                let (clause, name) = (clause.words(), &name.words);
                clause.start < name.end && name.end < clause.end
            };
            !name.ranks.is_empty()
                && !parsed.excluded.iter().any(is_phrase)
                && !parsed.clauses.iter().chain(&parsed.excluded).any(cuts)
        })
    }

    /// The records with this name, or with one that begins so.
    pub(crate) fn records_named(&self, words: &Range<usize>, caller: Caller) -> Vec<u32> {
        let name = self.words.between(words.start, words.end);
        let mut ranks: Vec<u32> = self.collection.with_folded_name(name).collect();
        ranks.extend(self.collection.beginning_with(name));
        ranks.retain(|rank| self.collection.is_visible(*rank, caller));
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// The text with the longest name, or part of one name alone, that stands in it as the words of that name, if
    /// beside it stand only categories, areas and words that no record has. Those words are returned apart.
    pub(crate) fn parse_inside<'a>(
        &self,
        parsed: &ParsedText<'a>,
        is_known: impl Fn(usize) -> bool,
    ) -> Option<(ParsedText<'a>, Vec<Range<usize>>)> {
        let words = self.words;
        // the clause of each word
        let mut clause_of: SmallVec<[Option<usize>; 16]> = SmallVec::from_elem(None, words.len());
        for (at, clause) in parsed.clauses.iter().enumerate() {
            clause_of[clause.words()].fill(Some(at));
        }
        let clauses =
            |run: &Range<usize>| clause_of[run.clone()].iter().flatten().map(|at| &parsed.clauses[*at]);
        let is_telling = |run: &Range<usize>| {
            // inside an area's name, or after "near", a name says where
            let first = clause_of[run.start];
            let is_covered = first.is_some() && clause_of[run.clone()].iter().all(|clause| *clause == first);
            let kind = first.filter(|_| is_covered).map(|at| parsed.clauses[at].kind());
            let is_vocabulary = kind.is_some_and(|kind| kind != ClauseKind::Text);
            let is_long = run.len() > 1 || !is_vocabulary && !is_stop_word(words.raw(run.start));
            kind != Some(ClauseKind::Area) && is_long && !is_aside(parsed, run)
        };
        let has_text = |run: &Range<usize>| clauses(run).any(|clause| clause.kind() == ClauseKind::Text);
        let is_named = |run: &Range<usize>| {
            if !self.may_be_name(run) {
                return false;
            }
            let is_whole = self.collection.is_name(words.between(run.start, run.end));
            // "correr no eixão" is not "Rock no Eixão"
            let says_where = || run.len() == 2 && is_in(words.raw(run.start));
            (is_whole || run.len() > 1 && !says_where() && has_text(run))
                && is_telling(run)
                && (is_whole || self.is_part_of_one(run))
        };
        let name = self.runs().find(is_named)?;
        // "Beirute ou Libanus" names either
        let is_alternative = |clause: &&Clause| clause.kind() == ClauseKind::Text && clause.terms.len() > 1;
        let either = clauses(&name).find(is_alternative);
        let name = either.map_or(name, Clause::words);
        let outside = |clause: &&Clause| clause.words().end <= name.start || clause.words().start >= name.end;
        let mut clauses: Clauses = match either {
            Some(either) => std::iter::once(either.clone()).collect(),
            None => literals(name.clone()).collect(),
        };
        let mut dropped = Vec::new();
        for clause in parsed.clauses.iter().filter(outside) {
            match clause.kind() {
                _ if parsed.is_of_feast(clause) => {}
                ClauseKind::Text if clause.words().any(&is_known) => return None,
                ClauseKind::Text => dropped.push(clause.words()),
                _ => clauses.push(clause.clone()),
            }
        }
        Some((ParsedText { clauses, joined: SmallVec::new(), ..parsed.clone() }, dropped))
    }

    /// Whether names have each two words of the run side by side. A long question has hundreds of runs, and nearly all
    /// of them have two words that stand side by side in no name.
    fn may_be_name(&self, run: &Range<usize>) -> bool {
        let mut tokens = self.words.token(run.start)..self.words.token(run.end - 1);
        tokens.all(|at| {
            *self.pairs[at]
                .get_or_init(|| self.collection.is_in_a_name(self.words.tokens_between(at..at + 2)))
        })
    }

    /// Whether the run is part of one name alone, which several records may have: the events of a series, the houses of
    /// a chain.
    fn is_part_of_one(&self, run: &Range<usize>) -> bool {
        let lists: Option<SmallVec<[PostingCursor; MAX_NAME_WORDS]>> =
            run.clone().map(|at| self.collection.text.subject(self.view, self.words.stem(at))).collect();
        let Some(mut lists) = lists else { return false };
        let rarest = lists.iter().min_by_key(|list| list.len()).map_or(&[][..], |list| list.ranks());
        if rarest.len() > MOST_RECORDS {
            return false;
        }
        let part = self.words.between(run.start, run.end);
        let mut first: Option<&str> = None;
        for rank in rarest {
            let Some(left) = self.left.get().checked_sub(1) else { return false };
            self.left.set(left);
            let name = self.collection.folded_name(*rank);
            // the events of a series follow each other
            if first == Some(name)
                || !lists.iter_mut().all(|list| list.probe(*rank) == *rank)
                || !has_words(name, part)
            {
                continue;
            }
            if first.is_some() {
                return false;
            }
            first = Some(name);
        }
        first.is_some()
    }
}

/// Whether a folded name has the words side by side.
pub(crate) fn has_words(name: &str, words: &str) -> bool {
    name.match_indices(words).any(|(at, _)| {
        let (before, behind) = (&name[..at], &name[at + words.len()..]);
        (before.is_empty() || before.ends_with(' ')) && (behind.is_empty() || behind.starts_with(' '))
    })
}
