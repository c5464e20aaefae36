//! Phrases of the vocabulary that no record has, with each of their words for itself.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::question::clauses::{ClauseKind, ParsedText, Term};
use crate::question::query::{Phrase, parse};
use crate::records::collection::Collection;
use crate::records::schema::View;
use crate::search::ParsedQuery;
use crate::search::page::Page;
use crate::vocabulary::node_ids::ids;

impl<'a> ParsedQuery<'a, '_> {
    /// The phrases of several words that no record has.
    fn phrases_without_records(&self, collection: &Collection) -> SmallVec<[&Term<'a>; 2]> {
        let is_empty = |term: &&Term| match **term {
            Term::Meaning { meaning, at, to } => {
                to - at > 1 && !has_records(collection, self.query.view, Phrase::Meaning(meaning))
            }
            Term::Synonym { group, at, to } => {
                to - at > 1 && !has_records(collection, self.query.view, Phrase::Synonym(group))
            }
            _ => false,
        };
        self.text.terms().filter(is_empty).collect()
    }

    /// The text with the words of phrases that no record has, each for itself: "feira de artesanato" as a fair and as
    /// crafts. `None` when it has no such phrase.
    fn split_text(&self, collection: &Collection) -> Option<ParsedText<'a>> {
        let has_records = |phrase: Phrase| has_records(collection, self.query.view, phrase);
        let empty = self.phrases_without_records(collection);
        if empty.is_empty() || self.query.words.is_too_long_to_read_again() {
            return None;
        }
        let query = self.query;
        let text = parse(self.vocabulary, query.words, query.today, query.window, &has_records);
        let text = self.excluding_names(collection, &text).unwrap_or(text);
        // "korean food" is no other food: a category that was understood stays, though no record has it
        let is_part = |term: &Term| {
            let own = term.text_categories();
            empty.iter().any(|empty| empty.text_categories().iter().any(|id| own.contains(id)))
        };
        // "stand-up" is no show of another kind: words that mean nothing, one of which no record has
        let says_nothing = |phrase: &&Term| {
            let within = || text.terms().filter(|term| phrase.words().contains(&term.words().start));
            let is_unknown = |at| collection.text.word(query.view, query.words.stem(at)).is_none();
            within().all(|term| term.kind() == ClauseKind::Text)
                && within().flat_map(Term::words).any(is_unknown)
        };
        let is_kept = text.terms().any(is_part) || empty.iter().any(says_nothing);
        (!is_kept).then_some(text)
    }

    /// What is found by [`Self::split_text`].
    pub(crate) fn split(&self, collection: &Collection) -> Option<Page> {
        let text = collection
            .own(&self.split_text)
            .get_or_init(|| self.split_text(collection).map(Rc::new))
            .as_deref()?;
        let split = Self::with_text(self.vocabulary, self.query, text.clone());
        if self.resumes() {
            return split.closest(collection, false);
        }
        let mut page = split.search_as_written(collection);
        if page.total == 0 {
            return split.next(collection, &split.text).or_else(|| split.closest(collection, false));
        }
        // no record has the phrase
        let phrases = self.phrases_without_records(collection);
        let phrases = phrases.iter().map(|term| term.words());
        page.closest.get_or_insert_default().left_out = self.query.words.texts(phrases);
        Some(page)
    }
}

/// Whether a record has what a phrase means.
fn has_records(collection: &Collection, view: View, phrase: Phrase) -> bool {
    match phrase {
        Phrase::Meaning(meaning) => {
            let mut categories = ids(&meaning.text_categories).peekable();
            categories.peek().is_none()
                || categories.any(|id| collection.category_matches(view, id).len() > 0)
        }
        Phrase::Synonym(group) => collection.synonyms(view, group).is_some(),
    }
}
