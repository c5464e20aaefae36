//! Numbers that say how many or how old, and filter nothing.

use super::Parser;
use crate::grammar::dates;
use crate::grammar::stop_words::{
    counts_after, counts_before, counts_few_after, is_number, is_of_small_children, is_ten, joins,
    leads_to_age,
};
use crate::vocabulary::words::{FoundPiece, Piece};

/// Who is older is no child.
const LAST_YEAR_OF_CHILD: u32 = 17;

impl Parser<'_, '_> {
    /// Whether a token is a number that counts, or what it counts: "top 5", "for 10 people", "3 horas", "6 e 9 anos".
    pub(super) fn is_count(&self, token: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.word);
        let is_number_at =
            |at: usize| is_number(word(at)) || self.tokens.get(at).is_some_and(dates::is_number_in_words);
        let is_counted =
            |at: usize| is_number_at(at) && (counts_before(word(at + 1)) || self.is_child(at + 1));
        let before = token.checked_sub(1).map_or("", word);
        let is_few = word(token).len() <= 2 && counts_few_after(before);
        let is_first_of_two = || {
            let joined = matches!(word(token + 1), "e" | "ou" | "a" | "and" | "or" | "to" | "y" | "o");
            is_counted(token + 1 + usize::from(joined))
        };
        is_number(word(token)) && (counts_after(before) || is_few || is_first_of_two())
            || is_counted(token)
            || self.counts_kind(token)
            || self.is_age_of_child(token)
            || self.is_age_of_adult(token)
            || token.checked_sub(1).is_some_and(is_number_at) && counts_before(word(token))
    }

    /// Whether a token is a number of few digits before a kind in the plural: "3 museus".
    pub(super) fn counts_kind(&self, token: usize) -> bool {
        let Some(next) = self.words.at_token(token + 1) else { return false };
        let is_plural = self.words.raw(next) != self.words.stem(next);
        let is_kind = |found: FoundPiece| match found.piece {
            Piece::Phrase(meaning) => !meaning.text_categories.is_empty(),
            _ => false,
        };
        self.is_small_number(token) && is_plural && self.piece(next).is_some_and(is_kind)
    }

    /// Whether a token is a number of at most two digits.
    pub(super) fn is_small_number(&self, token: usize) -> bool {
        let word = self.tokens[token].word;
        is_number(word) && word.len() <= 2
    }

    /// Whether a token is a number behind children, who have that age: "two kids, 5 and 8", "filhos de 4 e 7".
    pub(super) fn is_age_of_child(&self, token: usize) -> bool {
        let may_stand_between = |at: usize| {
            let word = self.tokens[at].word;
            self.is_small_number(at) || joins(word) || leads_to_age(word)
        };
        let before = || (0..token).rev().find(|at| !may_stand_between(*at));
        self.is_small_number(token) && before().is_some_and(|at| self.is_child(at))
    }

    /// Whether a token is of the age of somebody who is no child: "seventy-year-old", "70 years old".
    pub(super) fn is_age_of_adult(&self, token: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.word);
        let is_age = |at: usize| {
            let is_year = matches!(word(at + 1), "year" | "years") && matches!(word(at + 2), "old" | "olds");
            is_year
                && (word(at).parse().is_ok_and(|years: u32| years > LAST_YEAR_OF_CHILD) || is_ten(word(at)))
        };
        (token.saturating_sub(2)..=token).any(is_age)
    }

    /// "criança pequena", "young kids".
    pub(super) fn says_age_of_children(&self, token: usize) -> bool {
        is_of_small_children(self.tokens[token].word)
            && (self.is_child(token + 1) || token.checked_sub(1).is_some_and(|before| self.is_child(before)))
    }
}
