//! Words that suggest a category where a question names none: "onde escuto um pandeiro" asks for samba. They are weaker
//! than terms: nothing of a record is found by them, and the category that most words of a question suggest is taken.

use std::ops::Range;

use smallvec::SmallVec;
use snapshots::vocabulary::Taxonomy;

use crate::grammar::common_words::is_common;
use crate::grammar::fold::stem;
use crate::question::clauses::{Clause, ClauseKind, ParsedText, Term};
use crate::records::collection::Collection;
use crate::search::ParsedQuery;
use crate::spelling::respelling::infinitives;
use crate::vocabulary::categories::CategoryNames;
use crate::vocabulary::node_ids::{CategoryId, ids};
use crate::vocabulary::synonyms::entry;
use crate::vocabulary::words::{Words, phrase_of};
use crate::vocabulary::{CategoryIds, EVERYWHERE, VocabularyIndex};

/// Of equally suggested categories, so many are taken as alternatives.
const MOST_ALTERNATIVES: usize = 3;

/// A question of fewer tokens names a thing itself: "sinagoga" asks for no other temple.
const SENTENCE: usize = 7;

/// Adds what suggests each category to the index.
pub(crate) fn add_suggestions(taxonomy: &Taxonomy, names: &CategoryNames, index: &mut VocabularyIndex) {
    for category in &taxonomy.categories {
        let Some(&id) = names.get(&category.slug) else { continue };
        for phrase in &category.suggested_by {
            if let Some(entry) = entry(&mut index.suggestions, &Words::new(phrase)) {
                let suggested = entry.or_default();
                if !suggested.contains(&id) {
                    suggested.push(id);
                }
            }
        }
    }
}

/// A phrase of the text with what it suggests.
struct Suggestion {
    /// The clauses of its words.
    clauses: Range<usize>,
    categories: CategoryIds,
    /// Whether it is what somebody does, and no thing.
    is_verb: bool,
}

impl<'a> ParsedQuery<'a, '_> {
    /// The text with the categories that most of its phrases suggest, at least so many; `None` when it names a
    /// category itself, unless a phrase suggests which places of that are meant: "comida do Ceará". With it the words
    /// of those phrases.
    pub(crate) fn with_suggested_category(
        &self,
        collection: &Collection,
        least: usize,
    ) -> Option<(ParsedText<'a>, SmallVec<[Range<usize>; 4]>)> {
        if !self.query.categories.is_empty() {
            return None;
        }
        let mut suggestions = self.suggestions(collection);
        let named = self.named_categories(collection);
        let least = if named.is_empty() {
            let is_short = least < 2 && self.query.words.tokens().len() < SENTENCE;
            if is_short && !suggestions.iter().any(|one| one.is_verb) {
                return None;
            }
            least
        } else if collection.calendar.is_some() {
            return None;
        } else {
            let is_within_all =
                |id: CategoryId| named.iter().all(|outer| self.vocabulary.are_within(&[id], outer));
            suggestions.iter_mut().for_each(|one| one.categories.retain(|id| is_within_all(*id)));
            suggestions.retain(|one| !one.categories.is_empty());
            1
        };
        let categories = self.most_suggested(&suggestions, least)?;
        suggestions.retain(|one| self.suggests_any(one, &categories));
        let words = suggestions.iter().map(|one| self.words_of(one)).collect();
        Some((self.with_clause_for(collection, &suggestions, &categories)?, words))
    }

    /// The categories that each clause of the text names, but who comes along and where to search from. Food and
    /// drinks, of which no event is, are none of an event.
    fn named_categories(&self, collection: &Collection) -> SmallVec<[CategoryIds; 4]> {
        let is_subject = |clause: &&Clause| {
            let is_child = self.query.words.mean_children(clause.words());
            clause.kind() == ClauseKind::Category && !clause.is_anchor && !is_child
        };
        let may_be_meant =
            |clause: &&Clause| collection.calendar.is_none() || has_records(collection, clause);
        let naming = self.text.clauses.iter().filter(is_subject).filter(may_be_meant);
        naming.map(Clause::text_categories).collect()
    }

    /// From the first word of its clauses to the last.
    fn words_of(&self, suggestion: &Suggestion) -> Range<usize> {
        let words = self.text.clauses[suggestion.clauses.clone()].iter().map(Clause::words);
        words.reduce(|whole, next| whole.start..next.end).unwrap_or_default()
    }

    /// The text with a clause for the categories in place of the phrases that suggest them.
    fn with_clause_for(
        &self,
        collection: &Collection,
        suggestions: &[Suggestion],
        categories: &[CategoryId],
    ) -> Option<ParsedText<'a>> {
        let Range { start: at, end: to } = self.words_of(suggestions.first()?);
        let mut terms = categories.iter().filter_map(|id| {
            let slug = Words::new(&self.vocabulary.category(*id).slug);
            let meaning = self.vocabulary.phrases.get(slug.whole())?;
            Some(Term::Meaning { meaning, at, to })
        });
        let mut suggested = Clause::of(terms.next()?);
        suggested.or(terms);
        let mut text = self.text.clone();
        text.joined.clear();
        for suggestion in suggestions.iter().rev() {
            text.clauses.drain(suggestion.clauses.clone());
        }
        text.clauses
            .retain(|clause| clause.kind() != ClauseKind::Category || has_records(collection, clause));
        let behind = text.clauses.iter().position(|clause| clause.words().start > at);
        text.clauses.insert(behind.unwrap_or(text.clauses.len()), suggested);
        Some(text)
    }

    /// The phrases of the text that suggest categories, of words that mean nothing else. None counts twice. What is a
    /// category of events alone suggests no place.
    fn suggestions(&self, collection: &Collection) -> SmallVec<[Suggestion; 8]> {
        let (words, clauses) = (self.query.words, &self.text.clauses);
        let mut suggestions: SmallVec<[Suggestion; 8]> = SmallVec::new();
        let mut seen: SmallVec<[&str; 8]> = SmallVec::new();
        let mut next = 0;
        while let Some(clause) = clauses.get(next) {
            let (at, start) = (next, clause.words().start);
            next += 1;
            let found = phrase_of(&self.vocabulary.suggestions, words, start);
            let named = found.map(|(categories, taken)| (ids(categories).collect(), taken, false));
            let found = named.or_else(|| Some((self.done(words.raw(start))?, 1, true)));
            let Some((mut categories, taken, is_verb)) = found else { continue };
            // a feast of which nothing is on is no other event
            categories.retain(|id| collection.calendar.is_some() || has_any(collection, *id));
            if categories.is_empty() {
                continue;
            }
            let of_phrase = clauses[at..].iter().take_while(|clause| clause.words().start < start + taken);
            let is_plain = |clause: &Clause| clause.kind() == ClauseKind::Text && !clause.is_anchor;
            if !of_phrase.clone().all(is_plain) {
                continue;
            }
            next = at + of_phrase.count();
            let phrase = words.phrase(start, start + taken);
            if !seen.contains(&phrase) {
                seen.push(phrase);
                suggestions.push(Suggestion { clauses: at..next, categories, is_verb });
            }
        }
        suggestions
    }

    /// What a form of a verb suggests: "janto" what "jantar" names.
    fn done(&self, word: &str) -> Option<CategoryIds> {
        if is_common(word) {
            return None;
        }
        infinitives(word).find_map(|verb| {
            let verb = stem(&verb);
            let named = self.vocabulary.phrases.get(&*verb).map(|meaning| &meaning.text_categories);
            let categories = named.or_else(|| self.vocabulary.suggestions.phrases.get(&*verb))?;
            Some(ids(categories).collect()).filter(|categories: &CategoryIds| !categories.is_empty())
        })
    }

    /// The innermost categories that the most phrases suggest, themselves or what they contain.
    fn most_suggested(&self, suggestions: &[Suggestion], least: usize) -> Option<CategoryIds> {
        let count = |id: CategoryId| suggestions.iter().filter(|one| self.suggests_any(one, &[id])).count();
        let mut counted: Vec<(CategoryId, usize)> = Vec::new();
        for suggested in suggestions.iter().flat_map(|one| &one.categories) {
            for id in self.vocabulary.category_and_above(*suggested) {
                if !counted.iter().any(|(known, _)| *known == id) {
                    counted.push((id, count(id)));
                }
            }
        }
        let most = counted.iter().map(|(_, count)| *count).max().filter(|most| *most >= least)?;
        let best = || counted.iter().filter(|(_, count)| *count == most).map(|(id, _)| *id);
        let contains = |outer: CategoryId, inner: CategoryId| {
            outer != inner && self.vocabulary.category_run(outer).contains(&inner)
        };
        let innermost = best().filter(|outer| !best().any(|inner| contains(*outer, inner)));
        // of one phrase: others of as many would be a guess between them
        let first = suggestions.iter().find(|one| best().any(|id| self.suggests_any(one, &[id])))?;
        Some(innermost.filter(|id| self.suggests_any(first, &[*id])).take(MOST_ALTERNATIVES).collect())
    }

    /// Whether it suggests one of these categories, or one that they contain.
    fn suggests_any(&self, suggestion: &Suggestion, categories: &[CategoryId]) -> bool {
        let is_in = |suggested: &CategoryId| {
            categories.iter().any(|id| self.vocabulary.category_run(*id).contains(suggested))
        };
        suggestion.categories.iter().any(is_in)
    }
}

/// Whether a record is of the category.
fn has_any(collection: &Collection, id: CategoryId) -> bool {
    !collection.members(EVERYWHERE, Some(id)).is_empty()
}

/// Whether a record is of one of the categories that a clause names.
fn has_records(collection: &Collection, clause: &Clause) -> bool {
    clause.text_categories().into_iter().any(|id| has_any(collection, id))
}
