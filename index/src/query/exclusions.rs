//! What a question excludes: where that begins, what it takes, and where it ends.

use super::Parser;
use crate::clauses::{Clause, ClauseKind, ParsedText, Term};
use crate::hints::Hint;
use crate::language::Language;
use crate::operators::Operator;
use crate::stop_words::{is_definite_article, is_from};
use crate::tokens::{Separator, Token, operator};

impl Parser<'_, '_> {
    /// Reads so many tokens at token `at` that say "not", or that somebody does not like what is named. Returns how
    /// many more it took.
    pub(super) fn exclude(&mut self, at: usize, tokens: usize, operator: Operator) -> usize {
        let dislikes = operator == Operator::Dislikes;
        if dislikes && let Some(more) = self.read_diet(at + tokens) {
            return more;
        }
        let is_behind =
            if dislikes { self.exclude_fronted(at, tokens) } else { tokens == 1 && self.exclude_last(at) };
        if is_behind {
            return 0;
        }
        self.join(Operator::Not);
        self.negated_at = Some(at + tokens);
        // "não come carne nem peixe, restaurante"
        let goes_on = matches!(self.tokens[at].word, "nem" | "ni");
        self.lists_excluded = !dislikes && (self.lists_excluded || !goes_on);
        0
    }

    /// Reads what only those places name that do without it: who cannot eat gluten does not exclude them. Returns how
    /// many tokens it has.
    fn read_diet(&mut self, at: usize) -> Option<usize> {
        let articles =
            self.tokens.get(at..)?.iter().take_while(|token| is_definite_article(token.word)).count();
        let food = at + articles;
        let word = self.tokens.get(food)?.word;
        let (_, without) = DIETS.iter().find(|(diet, _)| *diet == word)?;
        self.note_hint(food, 1, Hint::Diet);
        if let Some(at) = self.words.at_token(food)
            && let Some(meaning) = self.vocabulary.phrases.get(*without)
        {
            self.push(Term::Meaning { meaning, at, to: at + 1 });
        }
        Some(articles + 1)
    }

    /// Ends what is excluded at the separator before token `at`, unless it goes on.
    pub(super) fn end_exclusion(&mut self, at: usize) {
        match self.tokens[at].separator {
            Separator::Comma => {
                self.excluded_last &= self.goes_on(at);
                // "I don't drink, so where is jazz?", "odeio ficar em casa, parque"
                self.excluding &= self.lists_excluded && self.negated_at != Some(at);
            }
            Separator::Other if !self.tokens[at].is_clipped() => self.excluding &= self.lists_excluded,
            _ => {}
        }
    }

    /// Whether a wish of this kind that begins at word `at` is excluded with the last one: "sem carne e peixe", "sem
    /// carne de porco".
    pub(super) fn excludes_too(&self, kind: ClauseKind, at: usize, is_joined: bool) -> bool {
        let last = self.parsed.excluded.last();
        let is_alike = last.is_some_and(|last| last.kind() == kind);
        // "alergia a camarão, amendoim e leite"
        let may_differ = !self.lists_excluded && kind != ClauseKind::Area;
        self.excluded_last
            && (is_joined && (is_alike || may_differ || self.is_listed_as_excluded(at))
                || kind != ClauseKind::Area && self.is_of_excluded(at))
    }

    /// Whether what is excluded goes on after a comma: "bar sem samba, pagode" and "sem armas, drogas e violência", but
    /// not "not modern, something historic" and "nada de choro, samba".
    fn goes_on(&self, at: usize) -> bool {
        let is_joiner = |at: usize| {
            matches!(operator(self.tokens, at, self.language), Some((_, Operator::And | Operator::Or)))
        };
        let is_wish = |clause: &Clause| clause.kind() != ClauseKind::Text;
        let next = &self.tokens[at];
        matches!(next.word, "nem" | "ni")
            || !next.is_stop_word()
                && (self.lists_excluded && self.parsed.clauses.iter().any(is_wish)
                    || (at..self.tokens.len()).any(is_joiner))
    }

    /// Excludes what stands before a word for "not" at the end of a phrase: "choro não, samba". Returns whether it
    /// does.
    fn exclude_last(&mut self, at: usize) -> bool {
        // "choro não, que já enjoei"
        let gives_reason = |next: &Token| {
            next.separator == Separator::Space
                && matches!(next.word, "que" | "porque" | "pq" | "pois" | "mas" | "pero")
        };
        let is_last = self
            .tokens
            .get(at + 1)
            .is_none_or(|next| next.separator == Separator::Comma || gives_reason(next));
        // "ou não?" asks
        let asks =
            at.checked_sub(1).is_some_and(|before| matches!(self.tokens[before].word, "ou" | "o" | "or"));
        let negates = matches!(self.tokens[at].word, "nao" | "no") && self.language != Language::English;
        is_last && negates && !asks && self.gap == 0 && self.exclude_wish()
    }

    /// Excludes what stands before a verb of dislike at the end of a sentence: "sushi eu detesto, pizza", "seafood
    /// allergy, restaurant". Returns whether it does.
    fn exclude_fronted(&mut self, at: usize, tokens: usize) -> bool {
        let is_apart = |token: &Token| {
            matches!(token.separator, Separator::Comma | Separator::Other) && !token.is_clipped()
        };
        let end = at + tokens;
        let takes_an_object = DISLIKING.contains(&self.tokens[end - 1].word);
        let Some(last) = self.parsed.clauses.last().map(Clause::words) else { return false };
        takes_an_object
            && self.tokens.get(end).is_none_or(is_apart)
            && !self.tokens[self.words.token(last.end - 1) + 1..=at].iter().any(is_apart)
            && !self.words.mean_children(last)
            && self.exclude_wish()
    }

    /// Excludes the last wish. Returns whether there is one.
    fn exclude_wish(&mut self) -> bool {
        let ParsedText { clauses, excluded, joined, .. } = &mut self.parsed;
        let Some(last) = clauses.pop() else { return false };
        joined.retain(|at| *at < clauses.len());
        excluded.push(last);
        true
    }

    /// Whether word `at` says more of what is excluded last: "sem carne de porco".
    fn is_of_excluded(&self, at: usize) -> bool {
        let Some(last) = self.parsed.excluded.last().and_then(|clause| clause.words().last()) else {
            return false;
        };
        let (excluded, token) = (self.words.token(last), self.words.token(at));
        excluded + 2 == token && is_from(self.tokens[token - 1].word)
    }

    /// Whether word `at` has "and" and an article before it, and what is excluded last an article: "except the
    /// cathedral and the Congress".
    fn is_listed_as_excluded(&self, at: usize) -> bool {
        let before = |at: usize, back: usize| {
            self.words.token(at).checked_sub(back).map_or("", |token| self.tokens[token].word)
        };
        let has_article = |at: usize| is_definite_article(before(at, 1));
        let last = self.parsed.excluded.last().map(|clause| clause.words().start);
        last.is_some_and(has_article)
            && has_article(at)
            && matches!(before(at, 2), "and" | "or" | "nor" | "e" | "ou" | "nem" | "y" | "o" | "ni")
    }
}

/// What some cannot eat, and menus name where it is missing, with how they name that.
const DIETS: &[(&str, &str)] =
    &[("gluten", "sem gluten"), ("lactose", "sem lactose"), ("lactosa", "sin lactosa")];

/// Verbs of dislike, and what may stand in their place, that have an object: who does not drink may not have named any.
#[rustfmt::skip]
const DISLIKING: &[&str] = &[
    "odeio", "odeia", "odeiam", "detesto", "detesta", "detestam", "gosto", "gosta", "gostam", "gostamos", "curto", "curte", "curtem",
    "suporto", "suporta", "suportam", "hate", "hates", "like", "stand", "allergy", "allergies", "gusta", "gustan", "odio", "odia",
    "odian", "soporto", "soporta", "como", "come", "comem", "eat",
];
