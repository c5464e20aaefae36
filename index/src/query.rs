//! Parses free text: which words name areas and categories, which give dates, and which are plain text. Needs the
//! vocabulary and the current day, but no records.

use chrono::NaiveDate;
use smallvec::SmallVec;

use crate::dates::{self, Window};
use crate::language::Language;
use crate::stop_words::{is_generic_category, is_stop_word};
use crate::tokens::{Token, Tokens};
use crate::vocabulary::{ArchivedCode, ArchivedMeaning, ArchivedVocabularyIndex, AreaId};
use crate::words::{Piece, Words, piece};

/// The longest free text, in characters.
pub const MAX_CHARACTERS: usize = 200;
/// The longest free text, in words without stop words.
pub const MAX_WORDS: usize = 12;

/// Free text that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooLong {
    /// More than [`MAX_CHARACTERS`].
    #[error("more than {MAX_CHARACTERS} characters")]
    Characters,
    /// More than [`MAX_WORDS`].
    #[error("more than {MAX_WORDS} words")]
    Words,
}

/// Splits free text that is not too long.
pub fn words(text: &str) -> Result<Words, TooLong> {
    if text.len() > MAX_CHARACTERS && text.chars().nth(MAX_CHARACTERS).is_some() {
        return Err(TooLong::Characters);
    }
    let words = Words::new(text);
    // a short text cannot have too many words as people count them; folding may split more ("b1")
    let may_be_many = text.len() >= 2 * MAX_WORDS && words.len() > MAX_WORDS;
    let counted = |at: &usize| words.raw(*at).len() == 1 || !is_stop_word(words.raw(*at));
    match may_be_many && (0..words.len()).filter(counted).count() > MAX_WORDS {
        true => Err(TooLong::Words),
        false => Ok(words),
    }
}

/// A condition that a record must meet.
#[derive(Clone, Copy)]
pub(crate) enum Clause<'a> {
    /// A phrase of the vocabulary, at words `at..to`.
    Meaning { meaning: &'a ArchivedMeaning, at: usize, to: usize },
    /// An address code with its numbers, at words `at..to`.
    Code { code: &'a ArchivedCode, at: usize, to: usize },
    /// Superquadras of a wing, at words `at..to`. Unless `exact`, records of the wing that give no superquadra match too.
    Quadra { wing: AreaId, at: usize, to: usize, exact: bool },
    /// A plain word. The last one may be a prefix.
    Word { at: usize, last: bool },
    /// A word of a record's name.
    Literal { at: usize },
}

impl Clause<'_> {
    fn is_address(&self) -> bool {
        matches!(self, Clause::Code { .. } | Clause::Quadra { .. })
    }
}

/// Parsed free text.
#[derive(Default)]
pub(crate) struct ParsedText<'a> {
    pub(crate) clauses: SmallVec<[Clause<'a>; 4]>,
    /// The days that its words name.
    pub(crate) window: Option<Window>,
}

/// Parses the words.
pub(crate) fn parse<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &Words,
    today: NaiveDate,
) -> ParsedText<'a> {
    let mut parsed = ParsedText::default();
    let raw: SmallVec<[&str; 16]> = (0..words.len()).map(|at| words.raw(at)).collect();
    let tokens = Tokens::new(words.folded());
    let tokens = tokens.all();
    let language = Language::of(&tokens);
    let token_of = token_numbers(&raw, &tokens);
    let is_component = |at: usize| vocabulary.components.contains_key(raw[at]);
    let mut has_generic = false;
    let mut at = 0;
    while at < words.len() {
        let found = piece(vocabulary, words, at, |_| true)
            .filter(|found| is_specific(words, at, found.taken, &found.piece));
        if found.as_ref().is_none_or(|found| found.taken < 2)
            && let Some((taken, days)) = dates::read(&tokens, token_of[at], today, language)
                .and_then(|(taken, when)| Some((taken, when.days?)))
        {
            parsed.window.get_or_insert(days.hull());
            let end = token_of[at] + taken;
            at += token_of[at..].iter().take_while(|token| **token < end).count();
            continue;
        }
        let to = at + found.as_ref().map_or(1, |found| found.taken);
        match found.map(|found| found.piece) {
            Some(Piece::Phrase(meaning)) => {
                let is_single = to - at == 1;
                // in "CLN 408 bloco C", "bloco" is not the carnival
                let is_in_address =
                    is_single && is_component(at) && parsed.clauses.iter().any(Clause::is_address);
                if !meaning.everywhere && !is_in_address {
                    has_generic |= is_single && is_generic_category(raw[at]);
                    parsed.clauses.push(Clause::Meaning { meaning, at, to });
                }
            }
            Some(Piece::Quadra { wing, coded }) => {
                parsed.clauses.push(Clause::Quadra { wing, at, to, exact: coded })
            }
            Some(Piece::Code(code)) => parsed.clauses.push(Clause::Code { code, at, to }),
            None => {
                let last = to == words.len();
                // a single letter at the end is a word that is still being typed
                let is_unfinished = last && raw[at].len() == 1;
                if !is_stop_word(raw[at]) && !is_unfinished && !is_component(at) {
                    parsed.clauses.push(Clause::Word { at, last });
                }
            }
        }
        at = to;
    }
    if let [Clause::Quadra { exact, .. }] = parsed.clauses.as_mut_slice() {
        *exact = true;
    }
    if has_generic {
        drop_generic(&mut parsed.clauses, &raw);
    }
    parsed
}

/// The number of each word among the tokens, which include connectors.
fn token_numbers(raw: &[&str], tokens: &[Token]) -> SmallVec<[usize; 16]> {
    let mut numbers = SmallVec::new();
    for (number, token) in tokens.iter().enumerate() {
        if raw.get(numbers.len()).is_some_and(|word| *word == token.word) {
            numbers.push(number);
        }
    }
    numbers
}

/// The words as the whole name of a record, if `is_name` says so and they are not one phrase of the vocabulary.
pub(crate) fn parse_as_name<'a>(
    parsed: &ParsedText<'a>,
    words: &Words,
    is_name: impl Fn(&str) -> bool,
) -> Option<ParsedText<'a>> {
    let one_phrase = matches!(parsed.clauses[..], [Clause::Meaning { at: 0, to, .. }] if to == words.len());
    let is_name = !words.is_empty() && !one_phrase && is_name(words.folded());
    is_name.then(|| ParsedText {
        clauses: (0..words.len()).map(|at| Clause::Literal { at }).collect(),
        window: None,
    })
}

/// Whether a piece is longer than an abbreviation of two letters: "AS" is Asa Sul, and also an article.
fn is_specific(words: &Words, at: usize, taken: usize, piece: &Piece) -> bool {
    match piece {
        Piece::Phrase(meaning) => taken > 1 || words.raw(at).len() > 2 || meaning.areas.is_empty(),
        Piece::Code(_) => words.raw(at).len() > 2 || taken > 1,
        Piece::Quadra { .. } => true,
    }
}

/// Drops generic words like "show" beside another category: "show de rock" means rock, "show" alone means shows.
fn drop_generic(clauses: &mut SmallVec<[Clause; 4]>, raw: &[&str]) {
    let is_generic = |clause: &Clause| match clause {
        Clause::Meaning { at, to, .. } => to - at == 1 && is_generic_category(raw[*at]),
        _ => false,
    };
    let names_category = |clause: &Clause| matches!(clause, Clause::Meaning { meaning, .. } if !meaning.text_categories.is_empty());
    if clauses.iter().any(|clause| names_category(clause) && !is_generic(clause)) {
        clauses.retain(|clause| !is_generic(clause));
    }
}
