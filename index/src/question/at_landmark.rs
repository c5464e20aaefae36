//! A landmark that is no record of the guide, such as a station or a hospital, holds nothing that the guide lists: what
//! a question asks for in it is asked for near it. "Bar na estação Galeria", "coffee at Central station".

use crate::Guide;
use crate::grammar::fold::{fold, stem};
use crate::grammar::stop_words::is_in;
use crate::grammar::tokens::language;
use crate::question::anchors::{Place, is_negated};
use crate::question::near::{Caller, NearPhrase};
use crate::vocabulary::words::{Words, phrases_of};

impl Guide {
    /// To search near the landmark of several words that the question names behind "in", or by a name that begins with
    /// what it is.
    pub(crate) fn at_landmark(&self, words: &Words, caller: Caller) -> Option<NearPhrase> {
        let may_begin = |at: &usize| self.gazetteer.may_begin_landmark(words, *at);
        (0..words.len()).filter(may_begin).find_map(|at| self.landmark_said_at(words, at, caller))
    }

    fn landmark_said_at(&self, words: &Words, at: usize, caller: Caller) -> Option<NearPhrase> {
        let (name, location, taken) =
            self.gazetteer.landmark_at(words, at).filter(|(.., taken)| *taken > 1)?;
        let folded = fold(name);
        let is_said_where = words.before(at).next().is_some_and(is_in);
        // "Hospital de Base" alone asks for the hospital
        let is_wanted = || phrases_of(&self.vocabulary().not_listed, words).any(|phrase| phrase.start == at);
        // "igreja Santa Marta" is not near the hospital of that name
        let is_called_so = || folded.split(' ').next() == Some(words.raw(at)) && !is_wanted();
        let is_record = || {
            let visible = |rank: &u32| self.places.is_visible(*rank, caller);
            self.places.with_folded_name(&folded).any(|rank| visible(&rank))
                || self.record_at(words, at, caller, false).is_some_and(|record| record.taken >= taken)
        };
        // the guide lists what is called a park or a restaurant
        let is_listed = || {
            let kind = folded.split(' ').next().and_then(|word| self.vocabulary().phrases.get(&*stem(word)));
            kind.is_some_and(|meaning| !meaning.text_categories.is_empty())
        };
        let is_area = || self.area_at(words, at).is_some_and(|area| area.taken >= taken);
        let first = words.token(at);
        let is_excluded = || {
            let tokens = words.tokens();
            let before = (0..first).rev().find(|token| is_said_where && is_in(tokens[*token].word));
            is_negated(&tokens, before.unwrap_or(first), language(&tokens))
        };
        if !is_said_where && !is_called_so() || is_record() || is_listed() || is_area() || is_excluded() {
            return None;
        }
        let last = self.end_of_address(words, at + taken) - 1;
        let said = first..words.token(last) + 1;
        let text = words.tokens_between(said.clone()).to_owned();
        let place = Place::new(name.to_owned(), location, taken);
        Some(NearPhrase::Place(self.near_to(place, Some(text)), words.without(said)))
    }
}
