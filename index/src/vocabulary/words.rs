//! Splits a text into words, and finds the phrases, address codes and superquadras among them. Queries, parameters and
//! the texts of records all use the same rules.

use std::cell::OnceCell;
use std::ops::Range;

use rkyv::Archive;
use smallvec::SmallVec;

use crate::grammar::dates::spoken_block;
use crate::grammar::fixed_words::{FixedWord, fixed_word};
use crate::grammar::fold::{is_connector, stem};
use crate::grammar::stop_words::{is_definite_article, is_determiner, is_from, is_in, is_number, joins};
use crate::grammar::tokens::{Separator, Token, Tokens};
use crate::vocabulary::node_ids::AreaId;
use crate::vocabulary::{ArchivedCode, ArchivedMeaning, ArchivedPhraseTable, ArchivedVocabularyIndex};

/// The folded words of a text without connectors, each with its stem.
#[derive(Debug, Default)]
pub struct Words {
    tokens: Tokens,
    /// What each token can be whatever the guide, looked up when first asked for: the texts of records never are.
    fixed: OnceCell<Fixed>,
    /// The stems, separated by spaces: any run of stems is a key of the vocabulary as it stands.
    stems: String,
    spans: SmallVec<[Span; 8]>,
}

/// A text of more words, stop words apart, is read once, as it is written. None of 6,800 questions of people has more.
const MOST_READ_AGAIN: usize = 24;

type Fixed = SmallVec<[Option<&'static FixedWord>; 16]>;

#[derive(Debug)]
struct Span {
    /// Its token.
    token: u16,
    /// Where its stem is.
    stem: (u16, u16),
}

impl Words {
    /// Folds and splits `text`.
    pub fn new(text: &str) -> Self {
        let tokens = Tokens::new(text);
        let mut words = Self { stems: String::with_capacity(tokens.folded().len()), ..Self::default() };
        for (at, (word, _)) in (0..).zip(tokens.iter()) {
            words.add(at, word);
        }
        words.tokens = tokens;
        words
    }

    fn add(&mut self, token: u16, word: &str) {
        if is_connector(word) {
            return;
        }
        if !self.stems.is_empty() {
            self.stems.push(' ');
        }
        let start = self.stems.len();
        self.stems.push_str(&stem(word));
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a text has at most 2,000 characters, and a stem hardly more bytes than its word"
        )]
        self.spans.push(Span { token, stem: (start as u16, self.stems.len() as u16) });
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The whole folded text, connectors included.
    pub fn folded(&self) -> &str {
        self.tokens.folded()
    }

    /// All words, connectors included.
    pub fn tokens(&self) -> SmallVec<[Token<'_>; 16]> {
        self.tokens.with(self.fixed().iter().copied())
    }

    /// How many words there are, connectors included.
    pub(crate) fn count_tokens(&self) -> usize {
        self.tokens.len()
    }

    /// Whether another reading of the whole text would take too long.
    pub(crate) fn is_too_long_to_read_again(&self) -> bool {
        self.count_meaningful() > MOST_READ_AGAIN
    }

    /// How many words there are but stop words.
    pub(crate) fn count_meaningful(&self) -> usize {
        self.fixed().iter().filter(|word| !word.is_some_and(|word| word.is_stop_word)).count()
    }

    fn fixed(&self) -> &Fixed {
        self.fixed.get_or_init(|| self.tokens.iter().map(|(word, _)| fixed_word(word)).collect())
    }

    /// Whether a word for where to search from, such as "near", may stand in the text.
    pub(crate) fn may_say_near(&self) -> bool {
        self.fixed().iter().flatten().any(|word| word.begins_near)
    }

    /// Whether all of these words mean children, or a family with children.
    pub(crate) fn mean_children(&self, mut words: Range<usize>) -> bool {
        words.all(|at| self.fixed()[self.token(at)].is_some_and(|word| word.is_child))
    }

    /// The token of word `at`.
    pub(crate) fn token(&self, at: usize) -> usize {
        usize::from(self.spans[at].token)
    }

    /// The tokens from the first to the last of some words; there is one.
    pub(crate) fn tokens_of(&self, words: Range<usize>) -> Range<usize> {
        self.token(words.start)..self.token(words.end - 1) + 1
    }

    /// The word that is this token; `None` for a connector.
    pub(crate) fn at_token(&self, token: usize) -> Option<usize> {
        self.spans.binary_search_by_key(&token, |span| usize::from(span.token)).ok()
    }

    /// What stands before word `at` and its articles and numbers, from there to the start of the text, folded.
    pub(crate) fn before(&self, at: usize) -> impl Iterator<Item = &str> {
        let before = (0..self.token(at)).rev().map(|token| self.tokens.word(token));
        before.skip_while(|word| is_determiner(word))
    }

    /// The token that a blank or a hyphen joins to word `at`, folded; empty when there is none.
    pub(crate) fn next_in_phrase(&self, at: usize) -> &str {
        let next = self.token(at) + 1;
        let is_joined = |(_, separator)| matches!(separator, Separator::Space | Separator::Hyphen);
        if self.tokens.iter().nth(next).is_some_and(is_joined) { self.tokens.word(next) } else { "" }
    }

    /// The text with superquadras in figures that are said in words, split again: "quatrocentos e oito norte". `None`
    /// when there are none.
    pub(crate) fn with_spoken_blocks(&self) -> Option<Self> {
        let word = |token: usize| self.tokens.word(token);
        let is_wing = |token: usize| matches!(word(token), "sul" | "norte");
        let blocks = (0..self.tokens.len()).filter_map(|at| {
            let (tokens, number) = spoken_block(|ahead| word(at + ahead))?;
            is_wing(at + tokens).then(|| (at..at + tokens, number.to_string()))
        });
        let blocks: SmallVec<[(Range<usize>, String); 1]> = blocks.collect();
        if blocks.is_empty() {
            return None;
        }
        Some(self.rewritten(|token, separator, word| {
            match blocks.iter().find(|(tokens, _)| tokens.contains(&token)) {
                Some((tokens, number)) => (token == tokens.start).then_some((separator, number.as_str())),
                None => (!self.tokens.is_symbol(token)).then_some((separator, word)),
            }
        }))
    }

    /// Whether a determiner stands before word `at`.
    pub(crate) fn follows_determiner(&self, at: usize) -> bool {
        self.token(at).checked_sub(1).is_some_and(|before| is_determiner(self.tokens.word(before)))
    }

    /// Word `at`, folded.
    pub fn raw(&self, at: usize) -> &str {
        self.tokens.word(self.token(at))
    }

    /// The folded text of each of these words, connectors included. One that is there twice is told once.
    pub(crate) fn texts(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for text in ranges.into_iter().map(|range| self.between(range.start, range.end)) {
            if texts.iter().all(|known| known != text) {
                texts.push(text.to_owned());
            }
        }
        texts
    }

    /// The folded text from word `from` to the word before `to`, connectors included.
    pub fn between(&self, from: usize, to: usize) -> &str {
        match to.checked_sub(1) {
            Some(last) if last >= from => self.tokens.between(self.token(from), self.token(last)),
            _ => "",
        }
    }

    /// Whether a comma stands between two words.
    pub(crate) fn has_comma_between(&self, one: usize, other: usize) -> bool {
        let (first, last) = (self.token(one.min(other)), self.token(one.max(other)));
        let mut between = self.tokens.iter().skip(first + 1).take(last - first);
        between.any(|(_, separator)| separator == Separator::Comma)
    }

    /// The word that a comma, "and" or "or" joins to the one before word `end`, prepositions and articles apart.
    pub(crate) fn joined_to(&self, end: usize) -> Option<usize> {
        let mut is_joined = false;
        let first = self.token(end.checked_sub(1)?) + 1;
        for (token, (word, separator)) in self.tokens.iter().enumerate().skip(first) {
            is_joined |= separator == Separator::Comma || joins(word);
            let frames =
                is_in(word) || is_from(word) || is_determiner(word) || matches!(word, "ao" | "al" | "to");
            if !joins(word) && !frames {
                return self.at_token(token).filter(|_| is_joined);
            }
        }
        None
    }

    /// Word `at` and the next, folded; `None` when a connector stands between them.
    pub(crate) fn raw_pair(&self, at: usize) -> Option<&str> {
        let next = self.spans.get(at + 1)?.token;
        (next == self.spans[at].token + 1).then(|| self.between(at, at + 2))
    }

    /// The folded text of some tokens.
    pub(crate) fn tokens_between(&self, tokens: Range<usize>) -> &str {
        tokens.end.checked_sub(1).map_or("", |last| self.tokens.between(tokens.start, last))
    }

    /// The text without some tokens, split again.
    pub(crate) fn without(&self, tokens: Range<usize>) -> Self {
        self.rewritten(|token, separator, word| (!tokens.contains(&token)).then_some((separator, word)))
    }

    /// The text of some tokens alone, with commas where others stood between them, split again.
    pub(crate) fn only(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        let follows = |token: usize| token.checked_sub(1).is_none_or(&is_kept);
        self.rewritten(|token, separator, word| {
            is_kept(token).then(|| (if follows(token) { separator } else { Separator::Comma.as_str() }, word))
        })
    }

    /// The text with other words or separators for its own, split again; `change` gets the number of a token, what
    /// stands before it, and its word. Separators say what is a date, and what is one wish or the other.
    fn rewritten<'w>(
        &'w self,
        change: impl Fn(usize, &'static str, &'w str) -> Option<(&'static str, &'w str)>,
    ) -> Self {
        let mut text = String::with_capacity(self.folded().len() + 8);
        for (token, (word, separator)) in self.tokens.iter().enumerate() {
            if let Some((separator, word)) = change(token, separator.as_str(), word) {
                text.push_str(separator);
                text.push_str(word);
            }
        }
        Self::new(&text)
    }

    /// The text with another text for some of these words, split again; `None` when there is none.
    pub(crate) fn replaced(
        &self,
        words: &[usize],
        mut other: impl FnMut(usize) -> Option<String>,
    ) -> Option<Self> {
        let others = words.iter().filter_map(|at| Some((self.token(*at), other(*at)?)));
        let others: SmallVec<[(usize, String); 4]> = others.collect();
        if others.is_empty() {
            return None;
        }
        Some(self.rewritten(|token, separator, word| {
            let other = others.iter().find(|(of, _)| *of == token);
            Some((separator, other.map_or(word, |(_, other)| other)))
        }))
    }

    /// The text with two neighbours written as one word that `is_known`, split again; one of them is among these words.
    /// `None` when there are none.
    pub(crate) fn written_together(&self, words: &[usize], is_known: impl Fn(&str) -> bool) -> Option<Self> {
        let pairs = words.iter().flat_map(|at| [at.checked_sub(1), Some(*at)]).flatten();
        let mut neighbours = pairs.filter(|at| self.raw_pair(*at).is_some());
        let first = neighbours.find(|at| is_known(&[self.raw(*at), self.raw(at + 1)].concat()))?;
        let second = self.token(first + 1);
        Some(
            self.rewritten(|token, separator, word| {
                Some((if token == second { "" } else { separator }, word))
            }),
        )
    }

    /// The stem of word `at`.
    pub fn stem(&self, at: usize) -> &str {
        self.phrase(at, at + 1)
    }

    /// Whether a word has the stem.
    pub fn has_stem(&self, stem: &str) -> bool {
        (0..self.len()).any(|at| self.stem(at) == stem)
    }

    /// The stems of a run of words, in the form of the vocabulary's keys.
    pub fn phrase(&self, from: usize, to: usize) -> &str {
        &self.stems[usize::from(self.spans[from].stem.0)..usize::from(self.spans[to - 1].stem.1)]
    }

    /// The stems of a word and of what "of" joins to it in the order in which English has them without "of": "museum of
    /// money" is the money museum.
    fn turned_round(&self, at: usize) -> Option<String> {
        let next = self.token(at) + 2;
        let is_of = next < self.tokens.len() && self.tokens.word(next - 1) == "of";
        let other = is_of.then(|| self.at_token(next))??;
        Some([self.stem(other), self.stem(at)].join(" "))
    }

    /// All stems of the text as one phrase.
    pub fn whole(&self) -> &str {
        &self.stems
    }

    /// Whether the words `at..to`, which have the stems of the meaning, can name its areas.
    pub(crate) fn may_name_areas(&self, meaning: &ArchivedMeaning, at: usize, to: usize) -> bool {
        to - at > 1 || !meaning.plural || self.raw(at) != self.stem(at)
    }

    /// Word `at` as the number of a superquadra, which has three digits. Those of a postcode, "70790-100", are none.
    pub fn quadra(&self, at: usize) -> Option<u16> {
        let is_of_postcode = || {
            let before = at.checked_sub(1).map(|before| self.raw(before));
            before.is_some_and(|before| before.len() == 5 && is_number(before))
        };
        let number = (at < self.len()).then(|| self.raw(at))?.parse().ok();
        number.filter(|number| (100..1000).contains(number) && !is_of_postcode())
    }
}

/// A run of words that the vocabulary knows.
pub enum Piece<'a> {
    /// A name of areas or a term of categories.
    Phrase(&'a ArchivedMeaning),
    /// An address code with the numbers after it.
    Code(&'a ArchivedCode),
    /// Superquadras of a wing, as an address ("CLN 408") or as people say it ("408 norte").
    Quadra {
        /// The wing.
        wing: AreaId,
    },
}

/// A piece and the words it consists of.
pub struct FoundPiece<'a> {
    /// The piece.
    pub piece: Piece<'a>,
    /// How many words it has.
    pub taken: usize,
}

impl FoundPiece<'_> {
    /// Whether it names an area, or a part of one.
    pub(crate) fn names_area(&self) -> bool {
        match self.piece {
            Piece::Phrase(meaning) => !meaning.areas.is_empty(),
            Piece::Code(_) | Piece::Quadra { .. } => true,
        }
    }
}

/// The longest phrase of a vocabulary that is found, in words.
pub const LONGEST_PHRASE: u8 = 8;

/// The longest piece that begins at word `at`; of phrases, only those that `wanted` accepts with their number of words.
pub fn piece<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &Words,
    at: usize,
    wanted: impl Fn(&ArchivedMeaning, usize) -> bool,
) -> Option<FoundPiece<'a>> {
    let phrase = phrase(vocabulary, words, at, wanted);
    let code = spoken_quadra(vocabulary, words, at).or_else(|| code(vocabulary, words, at));
    match (phrase, code) {
        // of the same length, a superquadra is more specific than a phrase, and another code less
        (Some(phrase), Some(code)) => {
            let quadra = usize::from(matches!(code.piece, Piece::Quadra { .. }));
            Some(if code.taken + quadra > phrase.taken { code } else { phrase })
        }
        (phrase, code) => phrase.or(code),
    }
}

/// The longest name of areas that begins at word `at`: a phrase, an address code or a superquadra.
pub(crate) fn area_piece<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &Words,
    at: usize,
) -> Option<FoundPiece<'a>> {
    piece(vocabulary, words, at, |meaning, _| !meaning.areas.is_empty())
}

/// The longest phrase of a table that begins at word `at`: what it means, and how many words it has.
pub(crate) fn phrase_of<'a, V: Archive>(
    table: &'a ArchivedPhraseTable<V>,
    words: &Words,
    at: usize,
) -> Option<(&'a V::Archived, usize)> {
    let longest = table.longest.get(words.stem(at)).map_or(0, |longest| usize::from(*longest));
    let longest = longest.min(words.len() - at);
    let said = (1..=longest).rev();
    let mut said = said.filter_map(|taken| Some((table.phrases.get(words.phrase(at, at + taken))?, taken)));
    match said.next() {
        Some(found @ (_, taken)) if taken > 1 => Some(found),
        shorter => words
            .turned_round(at)
            .and_then(|turned| Some((table.phrases.get(turned.as_str())?, 2)))
            .or(shorter),
    }
}

/// The phrases of a table in a text, each as its words.
pub(crate) fn phrases_of<V: Archive>(
    table: &ArchivedPhraseTable<V>,
    words: &Words,
) -> impl Iterator<Item = Range<usize>> {
    (0..words.len()).filter_map(|at| Some(at..at + phrase_of(table, words, at)?.1))
}

/// The longest phrase of the vocabulary that begins at word `at`, of those that `wanted` accepts with their number of
/// words.
pub(crate) fn phrase<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &Words,
    at: usize,
    wanted: impl Fn(&ArchivedMeaning, usize) -> bool,
) -> Option<FoundPiece<'a>> {
    let longest = vocabulary.words.get(words.stem(at)).map_or(0, |word| usize::from(word.longest_phrase));
    let longest = longest.min(words.len() - at);
    let exact = (1..=longest).rev().find_map(|taken| {
        let meaning =
            vocabulary.phrases.get(words.phrase(at, at + taken)).filter(|meaning| wanted(meaning, taken))?;
        Some(FoundPiece { piece: Piece::Phrase(meaning), taken })
    });
    exact.or_else(|| other_gender(vocabulary, words.stem(at), wanted))
}

/// The category that a single word names in the other gender: "nordestina", "italiana".
fn other_gender<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    stem: &str,
    wanted: impl Fn(&ArchivedMeaning, usize) -> bool,
) -> Option<FoundPiece<'a>> {
    let (letters, last) =
        stem.split_at_checked(stem.len().checked_sub(1).filter(|length| *length >= MIN_GENDERED)?)?;
    let other = match last {
        "a" => "o",
        "o" => "a",
        _ => return None,
    };
    let meaning = vocabulary.phrases.get([letters, other].concat().as_str())?;
    let is_category = !meaning.filter_categories.is_empty() && meaning.areas.is_empty() && wanted(meaning, 1);
    is_category.then_some(FoundPiece { piece: Piece::Phrase(meaning), taken: 1 })
}

/// Shorter words differ in more than gender: "cara" and "caro", "bola" and "bolo".
const MIN_GENDERED: usize = 5;

/// "408 norte", "404/405 sul", "408 ou 409 norte", "na 408 e na 409 norte".
fn spoken_quadra<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &Words,
    at: usize,
) -> Option<FoundPiece<'a>> {
    words.quadra(at)?;
    let is_between = |at: usize| {
        at < words.len()
            && (joins(words.raw(at)) || is_in(words.raw(at)) || is_definite_article(words.raw(at)))
    };
    let mut end = at;
    while words.quadra(end).is_some() {
        end += 1;
        let between = (end..).take_while(|at| is_between(*at)).take(2).count();
        if words.quadra(end + between).is_some() {
            end += between;
        }
    }
    let wing = vocabulary.wings.get(if end < words.len() { words.raw(end) } else { "" })?.to_native();
    Some(FoundPiece { piece: Piece::Quadra { wing }, taken: end + 1 - at })
}

/// The words of the address code that begins at word `at`: two if they are one, else one.
pub(crate) fn code_at(words: &Words, at: usize, is_code: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let is_pair = words.raw_pair(at).is_some_and(&is_code);
    (is_pair || is_code(words.raw(at))).then(|| at..at + 1 + usize::from(is_pair))
}

fn code<'a>(vocabulary: &'a ArchivedVocabularyIndex, words: &Words, at: usize) -> Option<FoundPiece<'a>> {
    vocabulary.code_heads.get(words.raw(at))?;
    let code = code_at(words, at, |text| vocabulary.codes.contains_key(text))?;
    let named = code.len();
    let code = vocabulary.codes.get(words.between(code.start, code.end))?;
    let is_number = |at: usize| is_number(words.raw(at));
    let taken = named + numbers(words, at + named, is_number);
    let wing = match code.areas.as_slice() {
        [only] => Some(only.to_native()).filter(|area| vocabulary.area(*area).is_wing),
        _ => None,
    };
    let piece = match wing.filter(|_| (at + named..at + taken).any(|at| words.quadra(at).is_some())) {
        Some(wing) => Piece::Quadra { wing },
        None => Piece::Code(code),
    };
    Some(FoundPiece { piece, taken })
}

/// How many words from `at` on are numbers.
fn numbers(words: &Words, at: usize, is_number: impl Fn(usize) -> bool) -> usize {
    (at..words.len()).take_while(|at| is_number(*at)).count()
}
