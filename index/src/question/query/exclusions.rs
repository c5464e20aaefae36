//! What a question excludes: where that begins, what it takes, and where it ends.

use super::Parser;
use crate::grammar::hints::Hint;
use crate::grammar::language::Language;
use crate::grammar::operators::Operator;
use crate::grammar::stop_words::{is_definite_article, is_from, is_relative, joins};
use crate::grammar::tokens::{Separator, Token, operator};
use crate::question::clauses::{Clause, ClauseKind, ParsedText, Term};

impl Parser<'_, '_> {
    /// Reads so many tokens at token `at` that say "not", or that somebody does not like what is named.
    pub(super) fn exclude(&mut self, at: usize, tokens: usize, operator: Operator) {
        let dislikes = operator == Operator::Dislikes;
        let is_behind =
            if dislikes { self.exclude_fronted(at, tokens) } else { tokens == 1 && self.exclude_last(at) };
        if is_behind {
            return;
        }
        self.join(operator);
        self.negated_at = Some(at + tokens);
        // "não come carne nem peixe, restaurante"
        let is_nor = matches!(self.tokens[at].word, "nem" | "ni");
        self.lists_excluded = !dislikes && (self.lists_excluded || !is_nor);
    }

    /// Reads what somebody knows, from a token on: a word that the vocabulary does not have is excluded, and where
    /// others begin, the name of a record may stand. "Fui a um samba, tem outro?" asks for samba all the same.
    pub(super) fn read_known(&mut self, at: usize) {
        let is_within = |at: &usize| self.tokens.get(*at).is_some_and(|token| !token.begins_phrase());
        let is_article = |at: &usize| is_definite_article(self.tokens[*at].word);
        let Some(token) = (at..).take_while(is_within).find(|at| !is_article(at)) else { return };
        let Some(word) = self.words.at_token(token) else { return };
        if self.piece(word).is_some() {
            self.parsed.known_at.push(word);
        } else if !self.tokens[token].is_stop_word() {
            self.join(Operator::Known);
            (self.negated_at, self.lists_excluded) = (Some(token), false);
        }
    }

    /// Takes a word that would be excluded, and that only those places name that do without it: who cannot eat gluten
    /// does not exclude them. Returns whether it does.
    pub(super) fn take_diet(&mut self, token: usize, at: usize) -> bool {
        let is_excluded = (self.excluding || self.excluded_last) && !self.lists_excluded;
        let word = self.tokens[token].word;
        let Some((_, without)) = DIETS.iter().find(|(diet, _)| is_excluded && *diet == word) else {
            return false;
        };
        self.note_hint(token, 1, Hint::Diet);
        (self.excluding, self.excluded_last, self.pending) = (false, false, None);
        if let Some(meaning) = self.vocabulary.phrases.get(*without) {
            self.push(Term::Meaning { meaning, at, to: at + 1 });
        }
        // "alergia a glúten e camarão"
        self.excluded_last = true;
        true
    }

    /// Ends what is excluded at the separator before token `at`, unless it goes on.
    pub(super) fn end_exclusion(&mut self, at: usize) {
        match self.tokens[at].separator {
            Separator::Comma => {
                self.excluded_last &= self.goes_on(at);
                // "I don't drink, so where is jazz?", "odeio ficar em casa, parque"
                self.excluding &= self.lists_excluded && self.negated_at != Some(at);
            }
            // "I hate museums. And parks?"
            _ if self.tokens[at].begins_phrase() => {
                self.excluding &= self.lists_excluded;
                self.excluded_last &= self.lists_excluded;
            }
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
                || kind != ClauseKind::Area && (self.is_of_excluded(at) || self.is_in_noun_phrase(at)))
    }

    /// Whether word `at` follows what is excluded last in the same noun phrase: "not a loud club".
    fn is_in_noun_phrase(&self, at: usize) -> bool {
        let before = self.negated_at.and_then(|token| token.checked_sub(1));
        let is_article = |before: &usize| matches!(self.tokens[*before].word, "a" | "an");
        let Some(article) = before.filter(is_article) else { return false };
        let goes_on = |token: usize| {
            self.words.at_token(token).is_some()
                && !self.tokens[token].begins_phrase()
                && !self.tokens[token].is_stop_word()
        };
        let token = self.words.token(at);
        article < token && token - article <= MAX_NOUN_PHRASE && (article + 1..=token).all(goes_on)
    }

    /// Whether what is excluded goes on after a comma: "bar sem samba, pagode" and "sem armas, drogas e violência", but
    /// not "not modern, something historic", "nada de choro, samba" and "fora da Asa Sul, de preferência no Gama".
    fn goes_on(&self, at: usize) -> bool {
        let is_joiner = |at: usize| {
            matches!(operator(self.tokens, at, self.language), Some((_, Operator::And | Operator::Or)))
        };
        let is_wish = |clause: &Clause| clause.kind() != ClauseKind::Text;
        let next = self.tokens[at..].iter().find(|token| !is_from(token.word));
        matches!(self.tokens[at].word, "nem" | "ni")
            || next.is_some_and(|next| !next.is_stop_word())
                && (self.lists_excluded && self.parsed.clauses.iter().any(is_wish)
                    || (at..self.tokens.len()).any(is_joiner))
    }

    /// Excludes what stands before a word for "not" at the end of a phrase: "choro não, samba". Returns whether it
    /// does.
    fn exclude_last(&mut self, at: usize) -> bool {
        // "choro não, que já enjoei", "axé não pelo amor de deus"
        let gives_reason = |next: &Token| {
            next.separator == Separator::Space
                && matches!(
                    next.word,
                    "que"
                        | "porque"
                        | "pq"
                        | "pois"
                        | "mas"
                        | "pero"
                        | "pelo"
                        | "por"
                        | "pf"
                        | "pfv"
                        | "gracias"
                )
        };
        let is_last = self.tokens.get(at + 1).is_none_or(|next| next.begins_phrase() || gives_reason(next));
        // "ou não?" asks
        let asks =
            at.checked_sub(1).is_some_and(|before| matches!(self.tokens[before].word, "ou" | "o" | "or"));
        let negates = matches!(self.tokens[at].word, "nao" | "no") && self.language != Language::English;
        is_last && negates && !asks && self.gap == 0 && self.exclude_wish()
    }

    /// Excludes what stands before a verb of dislike at the end of a sentence: "sushi eu detesto, pizza", "seafood
    /// allergy, restaurant". Returns whether it does.
    fn exclude_fronted(&mut self, at: usize, tokens: usize) -> bool {
        let end = at + tokens;
        let verb = self.tokens[end - 1].word;
        let Some(last) = self.parsed.clauses.last().map(Clause::words) else { return false };
        let behind = self.words.token(last.end - 1) + 1;
        let is_newer = self.parsed.excluded.last().is_some_and(|clause| clause.words().start > last.start);
        let names_other = |token: &Token| token.begins_phrase() || is_relative(token.word);
        let takes_it = match verb {
            // "restaurants for someone with allergies"
            "allergy" | "allergies" => behind == at,
            _ => DISLIKING.contains(&verb),
        };
        takes_it
            && !is_newer
            && self.gap == 0
            && self.tokens.get(end).is_none_or(Token::begins_phrase)
            && !self.tokens[behind..=at].iter().any(names_other)
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
        last.is_some_and(has_article) && has_article(at) && (joins(before(at, 2)) || before(at, 2) == "o")
    }
}

/// The most words of a noun phrase behind its article.
const MAX_NOUN_PHRASE: usize = 4;

/// What some people cannot eat, each with how a menu says that a dish is made without it.
const DIETS: &[(&str, &str)] =
    &[("gluten", "sem gluten"), ("lactose", "sem lactose"), ("lactosa", "sin lactosa")];

/// The last words of phrases of dislike that need an object, so that it stands before them when it does not follow. "He
/// doesn't drink" needs none.
#[rustfmt::skip]
const DISLIKING: &[&str] = &[
    "odeio", "odeia", "odeiam", "odiamos", "odio", "odia", "odian", "detesto", "detesta", "detestam", "gosto", "gosta",
    "gostam", "gostamos", "gusta", "gustan", "curto", "curte", "curtem", "suporto", "suporta", "suportam", "soporto",
    "soporta", "aguento", "aguenta", "hate", "hates", "dislike", "dislikes", "like", "stand", "como", "come", "comem",
    "comen", "comemos", "eat",
];
