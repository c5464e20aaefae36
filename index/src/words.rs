//! Splits a text into words, and finds the phrases, address codes and superquadras among them. Queries, parameters and
//! the texts of records all use the same rules.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::fold::{fold, is_connector, stem};
use crate::vocabulary::{ArchivedCode, ArchivedMeaning, ArchivedVocabularyIndex, AreaId};

/// The folded words of a text without connectors, each with its stem.
#[derive(Debug, Default)]
pub struct Words {
    /// The folded text followed by the stems, separated by spaces: any run of stems is a key of the vocabulary as it
    /// stands. One string, because every query allocates one.
    text: String,
    /// Where the stems begin.
    stems: usize,
    spans: SmallVec<[Span; 8]>,
}

#[derive(Debug)]
struct Span {
    raw: (u16, u16),
    /// Relative to where the stems begin.
    stem: (u16, u16),
}

impl Words {
    /// Folds and splits `text`.
    pub fn new(text: &str) -> Self {
        let mut words = Self { text: fold(text), stems: 0, spans: SmallVec::new() };
        let folded = words.text.len();
        words.stems = folded;
        let mut start = 0;
        while start < folded {
            let end = words.text[start..folded].find(' ').map_or(folded, |blank| start + blank);
            words.add(start, end);
            start = end + 1;
        }
        words
    }

    fn add(&mut self, start: usize, end: usize) {
        let word = &self.text[start..end];
        if word.is_empty() || is_connector(word) {
            return;
        }
        let changed = match stem(word) {
            Cow::Borrowed(_) => None,
            Cow::Owned(stem) => Some(stem),
        };
        if self.text.len() > self.stems {
            self.text.push(' ');
        }
        let begin = self.text.len() - self.stems;
        match changed {
            Some(stem) => self.text.push_str(&stem),
            None => self.text.extend_from_within(start..end),
        }
        let stem_end = self.text.len() - self.stems;
        #[expect(clippy::cast_possible_truncation, reason = "folded text has at most MAX_FOLDED bytes")]
        self.spans.push(Span { raw: (start as u16, end as u16), stem: (begin as u16, stem_end as u16) });
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
        &self.text[..self.stems]
    }

    /// Word `at`, folded.
    pub fn raw(&self, at: usize) -> &str {
        let (from, to) = self.spans[at].raw;
        &self.text[usize::from(from)..usize::from(to)]
    }

    /// Word `at` and the next, folded; `None` when a connector stands between them.
    fn raw_pair(&self, at: usize) -> Option<&str> {
        let (from, end) = self.spans[at].raw;
        let (next, to) = self.spans.get(at + 1)?.raw;
        (end + 1 == next).then(|| &self.text[usize::from(from)..usize::from(to)])
    }

    /// The stem of word `at`.
    pub fn stem(&self, at: usize) -> &str {
        self.phrase(at, at + 1)
    }

    /// The stems of a run of words, in the form of the vocabulary's keys.
    pub fn phrase(&self, from: usize, to: usize) -> &str {
        &self.text[self.stems..][usize::from(self.spans[from].stem.0)..usize::from(self.spans[to - 1].stem.1)]
    }

    /// All stems of the text as one phrase.
    pub fn whole(&self) -> &str {
        &self.text[self.stems..]
    }

    /// Word `at` as the number of a superquadra, which has three digits.
    pub fn quadra(&self, at: usize) -> Option<u16> {
        (at < self.len()).then(|| self.raw(at))?.parse().ok().filter(|number| (100..1000).contains(number))
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
        /// Whether it is written with a code.
        coded: bool,
    },
}

/// A piece and the words it consists of.
pub struct Found<'a> {
    /// The piece.
    pub piece: Piece<'a>,
    /// How many words it has.
    pub taken: usize,
}

/// The longest phrase of a vocabulary that is found, in words.
pub const LONGEST_PHRASE: u8 = 8;

/// The longest piece that begins at word `at`; of phrases, only those that `wanted` accepts.
pub fn piece<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &Words,
    at: usize,
    wanted: impl Fn(&ArchivedMeaning) -> bool,
) -> Option<Found<'a>> {
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

fn phrase<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &Words,
    at: usize,
    wanted: impl Fn(&ArchivedMeaning) -> bool,
) -> Option<Found<'a>> {
    let longest = usize::from(vocabulary.words.get(words.stem(at))?.longest_phrase).min(words.len() - at);
    (1..=longest).rev().find_map(|taken| {
        let meaning =
            vocabulary.phrases.get(words.phrase(at, at + taken)).filter(|meaning| wanted(meaning))?;
        Some(Found { piece: Piece::Phrase(meaning), taken })
    })
}

/// "408 norte", "404/405 sul".
fn spoken_quadra<'a>(vocabulary: &'a ArchivedVocabularyIndex, words: &Words, at: usize) -> Option<Found<'a>> {
    let numbers = numbers(words, at, |number| words.quadra(number).is_some());
    if numbers == 0 || at + numbers >= words.len() {
        return None;
    }
    let wing = vocabulary.wings.get(words.raw(at + numbers))?.to_native();
    Some(Found { piece: Piece::Quadra { wing, coded: false }, taken: numbers + 1 })
}

fn code<'a>(vocabulary: &'a ArchivedVocabularyIndex, words: &Words, at: usize) -> Option<Found<'a>> {
    let two = || vocabulary.codes.get(words.raw_pair(at)?).map(|code| (code, 2));
    let found = two().or_else(|| vocabulary.codes.get(words.raw(at)).map(|code| (code, 1)));
    let (code, named) = found?;
    let is_number = |at: usize| words.raw(at).bytes().all(|byte| byte.is_ascii_digit());
    let taken = named + numbers(words, at + named, is_number);
    let wing = match code.areas.as_slice() {
        [only] => Some(only.to_native()).filter(|area| vocabulary.areas[usize::from(*area)].is_wing),
        _ => None,
    };
    let piece = match wing.filter(|_| (at + named..at + taken).any(|at| words.quadra(at).is_some())) {
        Some(wing) => Piece::Quadra { wing, coded: true },
        None => Piece::Code(code),
    };
    Some(Found { piece, taken })
}

/// How many words from `at` on are numbers.
fn numbers(words: &Words, at: usize, is_number: impl Fn(usize) -> bool) -> usize {
    (at..words.len()).take_while(|at| is_number(*at)).count()
}
