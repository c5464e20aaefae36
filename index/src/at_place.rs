//! Finds the record that a question names behind "in" by its whole name: "o que tem no CCBB", "jantar no Alameda
//! Shopping". What is asked for is what is there.

use std::ops::Range;

use crate::Guide;
use crate::anchors::{is_negated, record};
use crate::fixed_words::fixed_word;
use crate::language::Language;
use crate::name_parts::NameParts;
use crate::near::{AtPlace, Caller, Near};
use crate::node_ids::ids;
use crate::stop_words::is_in;
use crate::tokens::{Separator, language};
use crate::vocabulary::{ArchivedMeaning, CategoryIds};
use crate::words::{Piece, Words, area_piece, phrase};

impl Guide {
    /// The place at which the question asks for something, if it names one.
    pub fn at_place(&self, words: &Words, caller: Caller) -> Option<AtPlace> {
        let tokens = words.tokens();
        let language = language(&tokens);
        let named = (0..words.len()).find_map(|at| {
            let token = (0..words.token(at)).rev().find(|token| is_in(tokens[*token].word))?;
            // English "no" excludes
            let is_where = words.before(at).next().is_some_and(is_in)
                && (tokens[token].word != "no" || language != Language::English)
                && !is_negated(&tokens, token, language);
            let name = is_where.then(|| self.place_name_at(words, at, caller))??;
            Some((token..words.token(name.end - 1) + 1, name))
        });
        let (said, name) = named?;
        let text = words.between(name.start, name.end);
        let places: Vec<u32> = self.places.with_folded_name(text).collect();
        let places: Vec<u32> =
            places.into_iter().filter(|rank| self.places.is_visible(*rank, caller)).collect();
        // "no teatro" of several is none of them
        let is_word = phrase(self.vocabulary(), words, name.start, |_, taken| taken >= name.len()).is_some();
        let (first, is_only) = (*places.first()?, places.len() == 1);
        if is_word && !is_only {
            return None;
        }
        let place = record(&self.places, first, caller, name.len())?.near(Some(text.to_owned()));
        let rest = words.without(said);
        let asks_for_places = is_only && !is_word && self.asks_for_another_kind(first, &rest);
        let mut events: Vec<u32> = places.iter().flat_map(|place| self.events_at(*place)).collect();
        events.sort_unstable();
        Some(AtPlace { place: Near { hosted: Some(events), ..place }, rest, asks_for_places })
    }

    /// The words from this one on that are the whole name of a place, and neither of an area nor a part of another name,
    /// as "no Eixo" is of "Choro no Eixo".
    fn place_name_at(&self, words: &Words, at: usize, caller: Caller) -> Option<Range<usize>> {
        let names = NameParts::of(&self.places, caller.view, words);
        let name = names.name_at(at)?;
        let is_area = || area_piece(self.vocabulary(), words, at).is_some_and(|area| area.taken >= name.len());
        let is_part = || {
            let of_events = NameParts::of(&self.events, caller.view, words);
            names.has_longer(&name) || of_events.has_longer(&name)
        };
        let is_alone = name.len() > 1 || fixed_word(words.raw(at)).is_none() && ends_there(words, at);
        (is_alone && !is_area() && !is_part()).then_some(name)
    }

    /// Whether the words name categories, none of which is of the root of that of the place: who asks for a beer at a
    /// bar asks for that bar.
    fn asks_for_another_kind(&self, place: u32, words: &Words) -> bool {
        let vocabulary = self.vocabulary();
        let root = |id| vocabulary.category_and_above(id).last();
        let own = root(self.places.category(place));
        let is_category = |meaning: &ArchivedMeaning, _| !meaning.text_categories.is_empty();
        let named = (0..words.len()).filter_map(|at| match phrase(vocabulary, words, at, is_category)?.piece {
            Piece::Phrase(meaning) => Some(ids(&meaning.text_categories).collect::<CategoryIds>()),
            _ => None,
        });
        let mut named = named.flatten().peekable();
        named.peek().is_some() && named.all(|id| root(id) != own)
    }
}

/// Whether a name of one word ends where the word does: "no Calaf sábado", but not "na Torre Digital".
fn ends_there(words: &Words, at: usize) -> bool {
    let tokens = words.tokens();
    tokens.get(words.token(at) + 1).is_none_or(|next| {
        let is_number = next.word.starts_with(|first: char| first.is_ascii_digit());
        next.separator != Separator::Space || next.fixed.is_some() || is_number
    })
}
