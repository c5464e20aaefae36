//! Parses free text: which words name areas and categories, which give days and hours, which join and exclude, and
//! which are plain text. Needs the vocabulary and the current day, but no records.

mod counts;
mod dropped;
mod exclusions;
mod times;

use std::ops::Range;

use chrono::NaiveDate;

use self::dropped::{drop_family, drop_generic, drop_symbols, drop_whereabouts};
use crate::grammar::amounts::amount;
use crate::grammar::dates::Window;
use crate::grammar::fixed_words::is_stop_word;
use crate::grammar::hints::Hint;
use crate::grammar::language::Language;
use crate::grammar::operators::Operator;
use crate::grammar::stop_words::{
    asks_for, brings_an_addition, is_definite_article, is_english_determiner, is_false_friend, is_of,
    is_superlative, leads_to_town, likes, means_town,
};
use crate::grammar::tokens::{Separator, Token, hint, language, operator};
use crate::question::asides::{aside, wanted_fields};
use crate::question::clauses::{Clause, ClauseKind, Clauses, NamedHint, ParsedText, Term};
use crate::question::introductions::{introduction, is_address, origin, says_who_asks};
use crate::vocabulary::words::{FoundPiece, Piece, Words, phrase_of, piece};
use crate::vocabulary::{ArchivedMeaning, ArchivedVocabularyIndex};

/// The longest free text, in characters.
pub const MAX_CHARACTERS: usize = 400;

/// Free text of more than [`MAX_CHARACTERS`] characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("more than {MAX_CHARACTERS} characters")]
pub struct TooLong;

/// Splits free text that is not too long. Superquadras that are said in words become figures.
pub fn words(text: &str) -> Result<Words, TooLong> {
    if text.len() > MAX_CHARACTERS && text.chars().nth(MAX_CHARACTERS).is_some() {
        return Err(TooLong);
    }
    let words = Words::new(text);
    Ok(words.with_spoken_blocks().unwrap_or(words))
}

/// A phrase of several words that can be read in a text.
#[derive(Clone, Copy)]
pub(crate) enum Phrase<'a> {
    /// Of the vocabulary.
    Meaning(&'a ArchivedMeaning),
    /// Of the group of synonyms with this number.
    Synonym(u32),
}

/// Parses the words, as of a day and with the days that a parameter demands. Of the phrases of several words, only
/// those that `wanted` accepts are read.
pub(crate) fn parse<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &Words,
    today: NaiveDate,
    window: Option<Window>,
    wanted: &dyn Fn(Phrase) -> bool,
) -> ParsedText<'a> {
    let tokens = words.tokens();
    let parser = Parser {
        vocabulary,
        words,
        language: language(&tokens),
        tokens: &tokens,
        today,
        window,
        wanted,
        parsed: ParsedText::default(),
        pending: None,
        has_money: tokens.iter().any(|token| token.fixed.is_some_and(|word| word.is_money)),
        gap: 0,
        excluding: false,
        negated_at: None,
        negated_time_to: None,
        excluded_last: false,
        lists_excluded: false,
        is_anchor: false,
        bare_day: None,
        meal: None,
        introduction: 0..0,
        fields: 0..0,
        whereabouts: None,
    };
    parser.run()
}

struct Parser<'a, 'w> {
    wanted: &'w dyn Fn(Phrase) -> bool,
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &'w Words,
    tokens: &'w [Token<'w>],
    language: Language,
    today: NaiveDate,
    /// The days that a parameter demands.
    window: Option<Window>,
    parsed: ParsedText<'a>,
    /// Whether a word means money.
    has_money: bool,
    /// What joins the next clause to the last.
    pending: Option<Operator>,
    /// How many words without meaning stand since the last clause.
    gap: usize,
    /// Whether the next clause is excluded.
    excluding: bool,
    /// The token behind the last word for "not".
    negated_at: Option<usize>,
    /// The token behind the last phrase of time that is excluded.
    negated_time_to: Option<usize>,
    /// Whether the last clause was excluded.
    excluded_last: bool,
    /// Whether what is excluded may go on after a comma without "and".
    lists_excluded: bool,
    /// Whether the next clauses name where to search from.
    is_anchor: bool,
    /// The day of the month that the last phrase of time named alone, and how many wishes came before it.
    bare_day: Option<(u32, usize)>,
    /// The word of a meal whose time is named.
    meal: Option<usize>,
    /// The tokens that say who asks.
    introduction: Range<usize>,
    /// The tokens that name what is to be written of each record.
    fields: Range<usize>,
    /// The word at which the area begins where somebody says they live or are.
    whereabouts: Option<usize>,
}

/// A piece of the vocabulary that begins at a token.
struct PieceAt<'a> {
    /// Its first word.
    word: usize,
    found: FoundPiece<'a>,
    /// How many tokens it has.
    tokens: usize,
}

impl PieceAt<'_> {
    /// Whether it has several words.
    fn is_phrase(&self) -> bool {
        self.found.taken > 1
    }
}

impl<'a> Parser<'a, '_> {
    fn run(mut self) -> ParsedText<'a> {
        let mut at = 0;
        while at < self.tokens.len() {
            match self.tokens[at].separator {
                Separator::Comma | Separator::And => self.join(Operator::And),
                Separator::Slash => self.join(Operator::Or),
                _ => {}
            }
            self.end_exclusion(at);
            at += self.step(at).max(1);
        }
        self.read_mealtime();
        self.read_feast_of_phrase();
        let Self { mut parsed, vocabulary, words, language, tokens, whereabouts, .. } = self;
        parsed.hours = parsed.hours.filter(|hours| !hours.is_whole_day());
        drop_symbols(&mut parsed, words, tokens);
        drop_generic(vocabulary, &mut parsed, words, language);
        drop_whereabouts(&mut parsed, words, tokens, whereabouts);
        drop_family(&mut parsed, words);
        parsed
    }

    /// The language whose operators are read at token `at`: "o" between two categories is Spanish, and "no" before a
    /// plural English and in "Rock no Eixão" Portuguese, whatever the rest is.
    fn operators_at(&self, at: usize) -> Language {
        let is_category = |found: &FoundPiece| matches!(found.piece, Piece::Phrase(meaning) if !meaning.text_categories.is_empty());
        let next = || self.words.at_token(at + 1);
        let names_next = || next().and_then(|word| self.piece(word)).as_ref().is_some_and(is_category);
        // and not in "museu sobre o Nordeste"
        let follows_category = || {
            let before = at.checked_sub(1).and_then(|before| self.words.at_token(before));
            let last = self.parsed.clauses.last().filter(|last| last.kind() == ClauseKind::Category);
            before.zip(last).is_some_and(|(before, last)| last.words().end == before + 1)
        };
        let is_or = || self.gap == 0 && follows_category() && names_next();
        // Portuguese "no" stands before one thing: "parks, no museums"
        let is_plural = |word: usize| {
            let raw = self.words.raw(word);
            raw.ends_with('s') && raw != self.words.stem(word)
        };
        let is_in_area = || {
            let follows = at > 0 && self.tokens[at].separator == Separator::Space;
            follows && next().and_then(|word| self.piece(word)).is_some_and(|found| found.names_area())
        };
        match self.tokens[at].word {
            "o" | "u" if is_or() => Language::Spanish,
            "no" if next().is_some_and(is_plural) && names_next() => Language::English,
            "no" if is_in_area() => Language::Portuguese,
            _ => self.language,
        }
    }

    /// Reads what begins at token `at`, and returns how many tokens it has.
    fn step(&mut self, at: usize) -> usize {
        if let Some(tokens) = self.skip(at) {
            return tokens;
        }
        let piece = self.piece_at(at);
        self.read_time(at, piece.as_ref())
            .or_else(|| self.read_hint_or_operator(at, piece.as_ref()))
            .unwrap_or_else(|| self.read_term(at, piece))
    }

    /// How many tokens from token `at` on ask for nothing.
    fn skip(&mut self, at: usize) -> Option<usize> {
        let word = self.tokens[at].word;
        // "she hates sushi and wants pizza"
        if asks_for(word) || likes(word) {
            self.excluded_last = false;
        }
        if is_false_friend(word, self.language) || self.is_town(at) {
            return Some(1);
        }
        if let Some(introduction) = introduction(self.tokens, at, self.language) {
            self.introduction = introduction;
        }
        if let Some(tokens) = self.read_origin(at) {
            return Some(tokens);
        }
        if let Some(fields) = wanted_fields(self.tokens, at) {
            self.fields = fields;
        }
        // the answer names what the guide does not know
        if is_address(self.tokens, at) || self.fields.contains(&at) && hint(self.tokens, at).is_none() {
            return Some(1);
        }
        aside(self.tokens, at, self.language)
    }

    /// Reads where somebody is from or is: "sou do Rio de Janeiro", "moro em Taguatinga". What is no area of the guide
    /// is no wish; an area is one, unless another is named.
    fn read_origin(&mut self, at: usize) -> Option<usize> {
        let (tokens, is_home) = origin(self.tokens, at, self.language)?;
        let place =
            (at + tokens..self.tokens.len()).find(|at| !is_definite_article(self.tokens[*at].word))?;
        let word = self.words.at_token(place)?;
        let end = |taken: usize| self.words.token(word + taken - 1) + 1 - at;
        if let Some((_, taken)) = phrase_of(&self.vocabulary.outside, self.words, word) {
            return Some(end(taken));
        }
        match self.piece(word) {
            Some(found) if found.names_area() => {
                self.whereabouts = Some(word);
                Some(tokens)
            }
            // a country, or a kind of cooking that is named after it
            Some(found) if is_home => Some(end(found.taken)),
            None if is_home => Some(end(1)),
            _ => None,
        }
    }

    /// The piece of the vocabulary that begins at token `at`.
    fn piece_at(&self, at: usize) -> Option<PieceAt<'a>> {
        let word = self.words.at_token(at)?;
        let found = self.piece(word)?;
        let is_meant = is_specific(self.vocabulary, self.words, word, &found)
            && (found.taken > 1 || !self.is_preposition(at));
        let tokens = self.words.token(word + found.taken - 1) + 1 - at;
        is_meant.then_some(PieceAt { word, found, tokens })
    }

    /// Reads what the guide does not know, or what joins or excludes, where the piece is no longer.
    fn read_hint_or_operator(&mut self, at: usize, piece: Option<&PieceAt>) -> Option<usize> {
        let taken = piece.map_or(0, |piece| piece.tokens);
        let hint = self.hint_at(at);
        // "cheaper than Fogo de Chão" takes that away, and asks for a price
        if let Some((tokens, hint)) = hint
            && let Some((longer, operator)) = operator(self.tokens, at, self.language)
            && longer > tokens.max(taken)
            && operator.excludes()
            && !hint.may_filter()
        {
            self.note_hint(at, tokens, hint);
            self.read_operator(at, longer, operator);
            return Some(longer);
        }
        if let Some((tokens, hint)) = hint {
            if (hint == Hint::Free || !hint.may_filter()) && tokens >= taken {
                return Some(self.add_hint(at, tokens, hint));
            }
            if hint.goes_with_category() && tokens == taken {
                self.note_hint(at, tokens, hint);
            }
        }
        if piece.is_some_and(PieceAt::is_phrase) {
            return None;
        }
        if let Some((tokens, operator)) = operator(self.tokens, at, self.operators_at(at))
            && tokens > taken.saturating_sub(1)
            // "sem turistas", "sem barulho"
            && hint.is_none_or(|(longer, _)| longer <= tokens)
        {
            self.read_operator(at, tokens, operator);
            return Some(tokens);
        }
        let (tokens, hint) = hint.filter(|(tokens, _)| *tokens > taken)?;
        Some(self.add_hint(at, tokens, hint))
    }

    /// The hint that begins at token `at`, and how many tokens it has. A price never filters, even where it is a word
    /// of a category.
    fn hint_at(&self, at: usize) -> Option<(usize, Hint)> {
        if let Some(tokens) = self.has_money.then(|| amount(self.tokens, at)).flatten() {
            return Some((tokens, Hint::Price));
        }
        let found @ (tokens, _) = hint(self.tokens, at)?;
        match self.phrase_behind(at, tokens) {
            Some(token) => hint(&self.tokens[..token], at),
            None => Some(found),
        }
    }

    /// Reads so many tokens at token `at` that join or exclude.
    fn read_operator(&mut self, at: usize, tokens: usize, operator: Operator) {
        match operator {
            Operator::Known => self.read_known(at + tokens),
            _ if operator.excludes() => self.exclude(at, tokens, operator),
            // "not before 10am or after 8pm"
            Operator::And | Operator::Or if self.negated_time_to == Some(at) => {
                self.negated_at = Some(at + tokens);
            }
            _ => {
                // "my dad doesn't drink and wants live music"
                if operator == Operator::And && self.negated_at == Some(at) {
                    self.excluding = false;
                }
                self.join(operator);
            }
        }
    }

    /// Reads the piece, a phrase of a group of synonyms or a word.
    fn read_term(&mut self, at: usize, piece: Option<PieceAt<'a>>) -> usize {
        let Some(word) = self.words.at_token(at) else { return 1 };
        let synonym = phrase_of(&self.vocabulary.synonyms, self.words, word);
        let synonym = synonym.map(|(group, taken)| (group.to_native(), taken)).filter(|(group, taken)| {
            // "parque de diversiones" is more than a park
            let is_longer =
                |piece: &PieceAt| piece.found.taken < *taken && (self.wanted)(Phrase::Synonym(*group));
            piece.as_ref().is_none_or(is_longer)
        });
        if let Some((group, taken)) = synonym {
            if !self.introduction.contains(&at) {
                self.push(Term::Synonym { group, at: word, to: word + taken });
            }
            return self.words.token(word + taken - 1) + 1 - at;
        }
        match piece {
            Some(PieceAt { word, found, tokens }) => {
                self.add_piece(word, found);
                tokens
            }
            None => self.add_word(at, word),
        }
    }

    /// Where a phrase of the vocabulary begins inside so many tokens and goes on behind them, as "aniversário de
    /// Brasília" does in "comemorar o aniversário".
    fn phrase_behind(&self, at: usize, tokens: usize) -> Option<usize> {
        let goes_on = |token: &usize| {
            self.words.at_token(*token).is_some_and(|word| {
                let taken = self.piece(word).map_or(0, |found| found.taken);
                taken > 1 && self.words.token(word + taken - 1) >= at + tokens
            })
        };
        (at + 1..at + tokens).find(goes_on)
    }

    /// Whether a token is the English preposition, and no party: "after the show", but not "onde tem after hoje".
    fn is_preposition(&self, at: usize) -> bool {
        self.tokens[at].word == "after"
            && self.tokens.get(at + 1).is_some_and(|next| is_english_determiner(next.word))
    }

    /// Whether a token means the whole territory: "in town tonight", "o melhor da cidade". What is of the city, and not
    /// the best of it, may be in a name ("museu da cidade"); what is excluded or to be near to is no such thing.
    fn is_town(&self, at: usize) -> bool {
        let ends = |next: &Token| {
            let frames = next.fixed.is_some_and(|word| word.is_stop_word || word.begins_time);
            next.separator != Separator::Space || frames && !is_of(next.word)
        };
        let is_led_to = || {
            let before = |back: usize| at.checked_sub(back).map_or("", |at| self.tokens[at].word);
            let has_article = matches!(before(1), "the" | "la");
            let preposition = before(if has_article { 2 } else { 1 });
            leads_to_town(preposition)
                || is_of(preposition) && self.tokens[..at].iter().any(|token| is_superlative(token.word))
        };
        means_town(self.tokens[at].word)
            && !self.excluding
            && !self.is_anchor
            && is_led_to()
            && self.tokens.get(at + 1).is_none_or(ends)
            && self.words.at_token(at).is_none_or(|word| {
                self.piece(word).is_none_or(|found| found.taken == 1)
                    && phrase_of(&self.vocabulary.outside, self.words, word).is_none()
            })
    }

    /// The longest piece that begins at word `word`, without the phrases that are not wanted. Of two phrases of one
    /// category that share a word it has both: "tomar um café da manhã".
    fn piece(&self, word: usize) -> Option<FoundPiece<'a>> {
        let is_wanted =
            |meaning: &ArchivedMeaning, taken: usize| taken == 1 || (self.wanted)(Phrase::Meaning(meaning));
        let piece_at = |word| piece(self.vocabulary, self.words, word, is_wanted);
        let categories = |found: &FoundPiece<'a>| match found.piece {
            Piece::Phrase(meaning) if found.taken > 1 => meaning.text_categories.as_slice(),
            _ => &[],
        };
        let mut found = piece_at(word)?;
        if let of @ [_, ..] = categories(&found)
            && let Some(next) = piece_at(word + found.taken - 1)
            && categories(&next) == of
        {
            found.taken += next.taken - 1;
            return Some(found);
        }
        // "comer carne de sol" has the dish, and not "comer carne"
        let tokens = |word: usize, taken: usize| self.words.token(word + taken - 1) - self.words.token(word);
        let is_longer = |at: &usize| {
            let next = piece_at(*at);
            next.is_some_and(|next| tokens(*at, next.taken) > tokens(word, found.taken))
        };
        match (word + 1..word + found.taken).find(is_longer) {
            Some(longer) => {
                let ends_before = |meaning: &ArchivedMeaning, taken: usize| {
                    taken <= longer - word && is_wanted(meaning, taken)
                };
                piece(self.vocabulary, self.words, word, ends_before)
            }
            None => Some(found),
        }
    }

    fn join(&mut self, operator: Operator) {
        match operator {
            Operator::Not | Operator::Dislikes | Operator::Known => {
                (self.excluding, self.pending, self.is_anchor) = (true, None, false);
            }
            Operator::Near => (self.is_anchor, self.pending) = (true, None),
            Operator::OnFoot => {}
            Operator::Or | Operator::And => self.pending = Some(operator),
            Operator::Then => {
                let excludes = std::mem::take(&mut self.excluding) | std::mem::take(&mut self.excluded_last);
                self.pending = (!excludes && !self.parsed.clauses.is_empty()).then_some(Operator::Or);
            }
        }
    }

    fn add_hint(&mut self, at: usize, tokens: usize, hint: Hint) -> usize {
        if self.note_hint(at, tokens, hint) {
            self.excluding = false;
            self.gap += 1;
        }
        tokens
    }

    /// Keeps a hint for the answer; returns whether it has words.
    fn note_hint(&mut self, at: usize, tokens: usize, hint: Hint) -> bool {
        let Some(words) = self.words_of(at..at + tokens) else { return false };
        let is_excluded = self.negated_at == Some(at);
        self.parsed.hints.push(NamedHint { hint, words, is_excluded });
        true
    }

    /// The words of some tokens; `None` when all of these are connectors.
    fn words_of(&self, tokens: Range<usize>) -> Option<Range<usize>> {
        let mut words = tokens.filter_map(|token| self.words.at_token(token));
        let first = words.next()?;
        Some(first..words.next_back().unwrap_or(first) + 1)
    }

    fn add_piece(&mut self, at: usize, found: FoundPiece<'a>) {
        let to = at + found.taken;
        match found.piece {
            Piece::Phrase(meaning) => {
                // in "CLN 408 bloco C", "bloco" is not the carnival
                let is_in_address =
                    to - at == 1 && self.is_component(at) && self.parsed.terms().any(Term::is_address);
                if !meaning.everywhere && !is_in_address {
                    self.push(Term::Meaning { meaning, at, to });
                }
            }
            Piece::Quadra { wing } => self.push(Term::Quadra { wing, at, to }),
            Piece::Code(code) => self.push(Term::Code { code, at, to }),
        }
    }

    fn add_word(&mut self, token: usize, at: usize) -> usize {
        let raw = self.words.raw(at);
        let last = at + 1 == self.words.len();
        // a single letter at the end is a word that is still being typed
        let is_unfinished = last && raw.len() == 1;
        let is_stop_word =
            self.tokens[token].is_stop_word() || self.is_count(token) || self.is_preposition(token);
        let is_of_who_asks = self.introduction.contains(&token);
        if is_stop_word
            || is_of_who_asks
            || is_unfinished
            || self.is_component(at)
            || self.says_age_of_children(token)
            || self.is_work_of_somebody(token)
            || self.tokens[token].is_clipped()
            || self.decorates(token)
        {
            self.gap += usize::from(!is_stop_word);
        } else if !self.take_diet(token, at) {
            self.push(Term::Word { at, last });
        }
        1
    }

    /// Whether a token is the name of a symbol beside words: "samba 🎶".
    fn decorates(&self, token: usize) -> bool {
        self.tokens[token].is_symbol && self.tokens.iter().any(|token| !token.is_symbol)
    }

    /// "obras de Athos Bulcão" asks for the name alone.
    fn is_work_of_somebody(&self, token: usize) -> bool {
        let word = |at: usize| self.tokens.get(at).map_or("", |token| token.word);
        matches!(word(token), "obra" | "obras" | "works")
            && (is_of(word(token + 1)) || word(token + 1) == "by")
            && token + 2 < self.tokens.len()
    }

    /// Whether a token means children.
    fn is_child(&self, token: usize) -> bool {
        self.tokens.get(token).is_some_and(|token| token.fixed.is_some_and(|word| word.is_child))
    }

    fn is_component(&self, at: usize) -> bool {
        self.vocabulary.components.contains_key(self.words.raw(at))
    }

    /// Whether a term and the wish before it name things of several kinds, of which either will do: "bares e
    /// restaurantes", but not "um bar e restaurante", nor "com mesas e bancos".
    fn is_of_several(&self, term: &Term) -> bool {
        let is_plural = |words: Range<usize>| {
            let mut ends = [words.start, words.end - 1].into_iter();
            ends.any(|at| self.words.raw(at) != self.words.stem(at)) && !self.words.mean_children(words)
        };
        self.parsed.clauses.last().is_some_and(|last| {
            let before = self.words.before(last.words().start).next();
            is_plural(last.words()) && is_plural(term.words()) && !before.is_some_and(brings_an_addition)
        })
    }

    /// Makes what commas list before an "or" alternatives too, of things of one root: "samba, choro ou MPB", but
    /// neither "lugar LGBT, bar ou balada" nor "dinner, Indian or Thai".
    fn list_alternatives(&mut self) {
        let vocabulary = self.vocabulary;
        let root = |clause: &Clause| {
            let first = clause.terms.iter().flat_map(Term::own_categories).next()?;
            vocabulary.category_and_above(first).last()
        };
        let ParsedText { clauses, joined, .. } = &mut self.parsed;
        while let [.., one, last] = &clauses[..]
            && joined.last() == Some(&(clauses.len() - 1))
            && root(one).is_some_and(|root_of_one| root(last) == Some(root_of_one))
            && !vocabulary.are_within(&last.text_categories(), &one.text_categories())
            && self.tokens[self.words.token(last.words().start)].separator == Separator::Comma
            && let Some(last) = clauses.pop()
            && let Some(one) = clauses.last_mut()
        {
            one.or(last.terms);
            joined.pop();
        }
    }

    /// Whether a term names areas apart from those of the wish before it, so that nothing is in both: "Asa Sul e Asa
    /// Norte", "408 norte e 409 norte".
    fn is_elsewhere(&self, term: &Term) -> bool {
        let is_apart = |(one, other)| self.vocabulary.common_area(one, other).is_none();
        let is_quadra = |term: &Term| matches!(term, Term::Quadra { .. });
        self.parsed.clauses.last().is_some_and(|last| {
            if is_quadra(term) && last.terms.iter().all(is_quadra) {
                return true;
            }
            let mut before = last.terms.iter().flat_map(Term::areas);
            before.all(|one| term.areas().into_iter().all(|other| is_apart((one, other))))
        })
    }

    /// Adds a wish: as an alternative of the last one, or as a clause of its own.
    fn push(&mut self, term: Term<'a>) {
        let (pending, kind) = (self.pending.take(), term.kind());
        // "I'm vegan, restaurants" asks for both
        let is_list = |last: &Clause| !says_who_asks(self.words.before(last.words().start), self.language);
        let is_list = self.excluded_last || self.parsed.clauses.last().is_none_or(is_list);
        let pending = pending.filter(|operator| is_list || *operator != Operator::And);
        let follows = std::mem::take(&mut self.gap) == 0;
        let joins = |clauses: &Clauses| follows && clauses.last().is_some_and(|last| last.kind() == kind);
        let excludes_too = self.excludes_too(kind, term.words().start, pending.is_some() && follows);
        // "saio do serviço às seis, tem feira?" asks for the fair
        let names_where = |last: &Clause| {
            last.is_anchor && self.words.has_comma_between(last.words().start, term.words().start)
        };
        self.is_anchor &= !self.parsed.clauses.last().is_some_and(names_where);
        self.excluded_last = std::mem::take(&mut self.excluding) || excludes_too;
        let is_either = match kind {
            ClauseKind::Category => self.is_of_several(&term),
            ClauseKind::Area => self.is_elsewhere(&term),
            ClauseKind::Text | ClauseKind::Hint => false,
        };
        let Self { parsed: ParsedText { clauses, excluded, joined, .. }, .. } = self;
        if self.excluded_last {
            excluded.push(Clause::of(term));
            return;
        }
        match pending.filter(|_| joins(clauses)) {
            Some(operator)
                if (operator == Operator::Or || is_either)
                    && let Some(last) = clauses.last_mut() =>
            {
                last.or([term]);
                if operator == Operator::Or {
                    self.list_alternatives();
                }
            }
            pending => {
                if pending.is_some() {
                    joined.push(clauses.len());
                }
                let mut clause = Clause::of(term);
                clause.is_anchor = self.is_anchor;
                clauses.push(clause);
            }
        }
        // several plain words may name one place
        self.is_anchor &= kind == ClauseKind::Text;
    }
}

/// Whether a piece is more than an abbreviation of two letters ("AS" is Asa Sul, and also an article), no stop word
/// that a plural resembles ("mas", "mass"), and no street through a whole region, which is found by its text.
fn is_specific(vocabulary: &ArchivedVocabularyIndex, words: &Words, at: usize, found: &FoundPiece) -> bool {
    let raw = words.raw(at);
    match &found.piece {
        Piece::Phrase(meaning) if meaning.is_street() => false,
        _ if found.taken > 1 => true,
        Piece::Phrase(meaning) => {
            let is_spelt_so =
                || vocabulary.words.get(words.stem(at)).is_some_and(|word| word.spelling == raw);
            // "no DF", but not the road DF-140
            let is_territory = || meaning.everywhere && !starts_with_digit(words, at + 1);
            let is_long_enough = raw.len() > 2 || meaning.areas.is_empty() || is_territory();
            let is_name =
                || !meaning.text_categories.is_empty() || words.may_name_areas(meaning, at, at + found.taken);
            is_long_enough && is_name() && (!is_stop_word(raw) || is_spelt_so())
        }
        Piece::Code(_) => raw.len() > 2,
        Piece::Quadra { .. } => true,
    }
}

/// Whether there is such a word and it begins with a number.
fn starts_with_digit(words: &Words, at: usize) -> bool {
    at < words.len() && words.raw(at).starts_with(|first: char| first.is_ascii_digit())
}
