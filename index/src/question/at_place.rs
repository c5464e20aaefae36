//! Finds the record that a question names behind "in" by its whole name: "o que tem no CCBB", "jantar no Alameda
//! Shopping". What is asked for is what is there.

use std::ops::Range;

use crate::Guide;
use crate::grammar::fixed_words::fixed_word;
use crate::grammar::language::Language;
use crate::grammar::stop_words::{is_in, is_of};
use crate::grammar::tokens::{Separator, language};
use crate::question::anchors::{is_negated, record};
use crate::question::name_parts::NameParts;
use crate::question::near::{AtPlace, Caller, Near};
use crate::vocabulary::node_ids::ids;
use crate::vocabulary::words::{Piece, Words, area_piece, phrase};
use crate::vocabulary::{ArchivedMeaning, CategoryIds, EVERYWHERE};

impl Guide {
    /// The place at which the question asks for something, if it names one.
    pub fn at_place(&self, words: &Words, caller: Caller) -> Option<AtPlace> {
        let is_behind_in = |at: &usize| words.before(*at).next().is_some_and(is_in);
        let mut behind_in = (0..words.len()).filter(is_behind_in).peekable();
        behind_in.peek()?;
        let tokens = words.tokens();
        let language = language(&tokens);
        let named = behind_in.find_map(|at| {
            let token = (0..words.token(at)).rev().find(|token| is_in(tokens[*token].word))?;
            // English "no" excludes
            let is_where = (tokens[token].word != "no" || language != Language::English)
                && !is_negated(&tokens, token, language);
            let (name, places) = is_where.then(|| self.places_called(words, at, caller))??;
            Some((token..words.token(name.end - 1) + 1, name, places))
        });
        let (said, name, places) = named?;
        let first = *places.first()?;
        // a word for a kind of place is no name to ask for another kind by: "almoço na catedral"
        let is_name = !self.is_kind(words, &name) && places.len() == 1;
        let text = words.between(name.start, name.end).to_owned();
        let place = self.near_to(record(&self.places, first, caller, name.len())?, Some(text));
        let rest = words.without(said);
        let asks_for_places = is_name && self.asks_for_another_kind(first, &rest);
        let mut events: Vec<u32> = places.iter().flat_map(|place| self.events_at(*place)).collect();
        events.sort_unstable();
        Some(AtPlace { place: Near { hosted: Some(events), ..place }, places, rest, asks_for_places })
    }

    /// The places whose whole name begins at a word, and its words. What is a kind of place too names the only one of
    /// that name, or the best known of the kind that alone has the word: "na catedral", "at the cathedral", but not "no
    /// teatro" or "in a cathedral".
    fn places_called(&self, words: &Words, at: usize, caller: Caller) -> Option<(Range<usize>, Vec<u32>)> {
        let visible = |rank: &u32| self.places.is_visible(*rank, caller);
        let named = |name: &Range<usize>| {
            let named = self.places.with_folded_name(words.between(name.start, name.end));
            named.filter(visible).collect::<Vec<u32>>()
        };
        let whole = self.place_name_at(words, at, caller).map(|name| (named(&name), name));
        if let Some((places, name)) = whole.filter(|(places, _)| !places.is_empty()) {
            let is_meant = || places.len() == 1 && is_definite(words, at);
            return (!self.is_kind(words, &name) || is_meant()).then_some((name, places));
        }
        let kind = self.vocabulary().phrases.get(words.stem(at)).filter(|kind| kind.areas.is_empty())?;
        if fixed_word(words.raw(at)).is_some() || !ends_there(words, at) || !is_definite(words, at) {
            return None;
        }
        let with_word = self.places.text.subject(caller.view, words.stem(at))?;
        let mut with_word = with_word.ranks().iter().copied().filter(visible);
        let only = with_word.next().filter(|_| with_word.next().is_none())?;
        let is_best_known = |id| {
            let mut members = self.places.members(EVERYWHERE, Some(id)).iter();
            members.find(|rank| visible(rank)) == Some(&only)
        };
        ids(&kind.filter_categories).any(is_best_known).then(|| (at..at + 1, vec![only]))
    }

    /// Whether the words of a name mean a kind of place.
    fn is_kind(&self, words: &Words, name: &Range<usize>) -> bool {
        phrase(self.vocabulary(), words, name.start, |_, taken| taken >= name.len()).is_some()
    }

    /// The words from this one on that are the whole name of a place, and neither of an area nor a part of another
    /// name, as "no Eixo" is of "Choro no Eixo".
    fn place_name_at(&self, words: &Words, at: usize, caller: Caller) -> Option<Range<usize>> {
        let names = NameParts::of(&self.places, caller.view, words);
        let name = names.name_at(at)?;
        let is_area =
            || area_piece(self.vocabulary(), words, at).is_some_and(|area| area.taken >= name.len());
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
        let named =
            (0..words.len()).filter_map(|at| match phrase(vocabulary, words, at, is_category)?.piece {
                Piece::Phrase(meaning) => Some(ids(&meaning.text_categories).collect::<CategoryIds>()),
                _ => None,
            });
        let mut named = named.flatten().peekable();
        named.peek().is_some() && named.all(|id| root(id) != own)
    }
}

/// Whether an article before a word says that one thing is meant: "no", "at the".
fn is_definite(words: &Words, at: usize) -> bool {
    let before = words.token(at).checked_sub(1).map(|token| words.tokens_between(token..token + 1));
    before.is_some_and(|word| matches!(word, "no" | "na" | "the" | "el" | "la"))
}

/// Whether a name of one word ends where the word does: "no Calaf sábado", but not "na Torre Digital" or "na
/// catedral dos militares".
fn ends_there(words: &Words, at: usize) -> bool {
    let tokens = words.tokens();
    tokens.get(words.token(at) + 1).is_none_or(|next| {
        let is_number = next.word.starts_with(|first: char| first.is_ascii_digit());
        next.separator != Separator::Space || next.fixed.is_some() && !is_of(next.word) || is_number
    })
}
