//! Words that suggest a category where a question names none: "onde escuto um pandeiro" asks for samba. They are weaker
//! than terms: nothing of a record is found by them, and the category that most words of a question suggest is taken.

use std::ops::Range;

use smallvec::SmallVec;
use snapshots::vocabulary::Taxonomy;

use crate::categories::CategoryNames;
use crate::clauses::{Clause, ClauseKind, ParsedText, Term};
use crate::collection::Collection;
use crate::common_words::is_common;
use crate::fold::stem;
use crate::node_ids::{CategoryId, ids};
use crate::respelling::infinitives;
use crate::search::ParsedQuery;
use crate::vocabulary::{CategoryIds, EVERYWHERE, VocabularyIndex};
use crate::words::{Words, phrase_of};

/// Of equally suggested categories, so many are taken as alternatives.
const MOST_ALTERNATIVES: usize = 3;

/// A question of fewer tokens names a thing itself: "sinagoga" asks for no other temple.
const SENTENCE: usize = 7;

/// Adds what suggests each category to the index.
pub(crate) fn add_suggestions(taxonomy: &Taxonomy, names: &CategoryNames, index: &mut VocabularyIndex) {
    for category in &taxonomy.categories {
        let Some(&id) = names.get(&category.slug) else { continue };
        for phrase in &category.suggested_by {
            if let Some(entry) = index.suggestions.entry(&Words::new(phrase)) {
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
    /// category itself.
    pub(crate) fn with_suggested_category(
        &self,
        collection: &Collection,
        least: usize,
    ) -> Option<ParsedText<'a>> {
        let words = self.query.words;
        // of food and drinks no event is
        let has_records =
            |clause: &Clause| clause.text_categories().into_iter().any(|id| has_any(collection, id));
        let names_category = |clause: &Clause| {
            let is_subject = !clause.is_anchor && !words.mean_children(clause.words());
            clause.kind() == ClauseKind::Category
                && is_subject
                && (collection.calendar.is_none() || has_records(clause))
        };
        if !self.query.categories.is_empty() || self.text.clauses.iter().any(names_category) {
            return None;
        }
        let suggestions = self.suggestions(collection);
        let is_short = least < 2 && words.tokens().len() < SENTENCE;
        if is_short && !suggestions.iter().any(|one| one.is_verb) {
            return None;
        }
        let categories = self.most_suggested(&suggestions, least)?;
        let is_for = |suggestion: &&Suggestion| self.suggests_any(suggestion, &categories);
        let first = suggestions.iter().find(is_for)?.clauses.clone();
        let clauses = &self.text.clauses[first];
        let (at, to) = (clauses.first()?.words().start, clauses.last()?.words().end);
        let mut terms = categories.iter().filter_map(|id| {
            let slug = Words::new(&self.vocabulary.category(*id).slug);
            let meaning = self.vocabulary.phrases.get(slug.whole())?;
            Some(Term::Meaning { meaning, at, to })
        });
        let mut suggested = Clause::of(terms.next()?);
        suggested.or(terms);
        let mut text = self.text.clone();
        text.joined.clear();
        let is_empty = |clause: &Clause| clause.kind() == ClauseKind::Category && !has_records(clause);
        for suggestion in suggestions.iter().filter(is_for).rev() {
            text.clauses.drain(suggestion.clauses.clone());
        }
        text.clauses.retain(|clause| !is_empty(clause));
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
