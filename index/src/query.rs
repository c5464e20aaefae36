//! A free question, understood: which of its words name areas and categories, which say when, which are text.
//! Knows the archive and the day; knows no records.

use chrono::NaiveDate;
use smallvec::SmallVec;

use crate::dates::{self, Window};
use crate::stop_words::{is_filler, is_outing};
use crate::vocabulary::{ArchivedCode, ArchivedMeaning, ArchivedVocabularyIndex, Node};
use crate::words::{Piece, Words, piece};

/// A free question is at most this many characters.
pub const MAX_CHARACTERS: usize = 200;
/// And at most this many words, those that only frame it left aside.
pub const MAX_WORDS: usize = 12;

/// A free question that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooLong {
    /// More than [`MAX_CHARACTERS`].
    #[error("more than {MAX_CHARACTERS} characters")]
    Characters,
    /// More than [`MAX_WORDS`].
    #[error("more than {MAX_WORDS} words")]
    Words,
}

/// The words of a free question that is not too long.
pub fn words(text: &str) -> Result<Words, TooLong> {
    if text.len() > MAX_CHARACTERS && text.chars().nth(MAX_CHARACTERS).is_some() {
        return Err(TooLong::Characters);
    }
    let words = Words::new(text);
    // what people write as a word takes a letter and what parts it from the next; we take more for words, such as "b" and
    // "1" in "b1"
    let may_be_many = text.len() >= 2 * MAX_WORDS && words.len() > MAX_WORDS;
    let counts = |at: &usize| words.raw(*at).len() == 1 || !is_filler(words.raw(*at));
    match may_be_many && (0..words.len()).filter(counts).count() > MAX_WORDS {
        true => Err(TooLong::Words),
        false => Ok(words),
    }
}

/// One thing that a record must meet.
#[derive(Clone, Copy)]
pub(crate) enum Clause<'a> {
    /// A name or a term of the vocabulary, at words `at..to`.
    Meaning { meaning: &'a ArchivedMeaning, at: usize, to: usize },
    /// An address code, at words `at..to`, its numbers included.
    Code { code: &'a ArchivedCode, at: usize, to: usize },
    /// Superquadras of a wing, at words `at..to`: exactly there when `exact`, else there or perhaps there.
    Quadra { wing: Node, at: usize, to: usize, exact: bool },
    /// A word of the text. The last may be the beginning of one.
    Word { at: usize, last: bool },
    /// A word of somebody's name.
    Literal { at: usize },
}

impl Clause<'_> {
    fn is_of_address(&self) -> bool {
        matches!(self, Clause::Code { .. } | Clause::Quadra { .. })
    }
}

/// A question, understood.
#[derive(Default)]
pub(crate) struct Asked<'a> {
    pub(crate) clauses: SmallVec<[Clause<'a>; 4]>,
    /// The days its words name.
    pub(crate) window: Option<Window>,
}

/// Understands the words.
pub(crate) fn understand<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    words: &Words,
    today: NaiveDate,
) -> Asked<'a> {
    let mut asked = Asked::default();
    let raw: SmallVec<[&str; 16]> = (0..words.len()).map(|at| words.raw(at)).collect();
    let mut at = 0;
    let mut outing = false;
    while at < words.len() {
        let found = piece(vocabulary, words, at, |_| true)
            .filter(|found| says_something(words, at, found.taken, &found.piece));
        let phrase = found.as_ref().map_or(0, |found| found.taken);
        if phrase < 2
            && let Some((taken, window)) = dates::read(&raw, at, today)
        {
            asked.window.get_or_insert(window);
            at += taken;
            continue;
        }
        match found {
            Some(found) => {
                let to = at + found.taken;
                match found.piece {
                    Piece::Phrase(meaning) if meaning.everywhere => {}
                    // "CLN 408 bloco C" is no carnival
                    Piece::Phrase(_)
                        if found.taken == 1
                            && vocabulary.components.contains_key(raw[at])
                            && asked.clauses.iter().any(Clause::is_of_address) => {}
                    Piece::Phrase(meaning) => {
                        outing |= found.taken == 1 && is_outing(raw[at]);
                        asked.clauses.push(Clause::Meaning { meaning, at, to });
                    }
                    Piece::Quadra { wing, coded } => {
                        asked.clauses.push(Clause::Quadra { wing, at, to, exact: coded })
                    }
                    Piece::Code(code) => asked.clauses.push(Clause::Code { code, at, to }),
                }
                at = to;
            }
            None => {
                let word = raw[at];
                let last = at + 1 == words.len();
                // a lone letter at the end is a word that is still being typed
                if !(is_filler(word) || (last && word.len() == 1) || vocabulary.components.contains_key(word))
                {
                    asked.clauses.push(Clause::Word { at, last });
                }
                at += 1;
            }
        }
    }
    if let [Clause::Quadra { exact, .. }] = asked.clauses.as_mut_slice() {
        *exact = true;
    }
    if outing {
        drop_outings(&mut asked.clauses, &raw);
    }
    asked
}

/// The words understood as the whole name of some record, if `is_name` tells that they are one; a phrase of the
/// vocabulary stays what it is.
pub(crate) fn as_name<'a>(
    asked: &Asked<'a>,
    words: &Words,
    is_name: impl Fn(&str) -> bool,
) -> Option<Asked<'a>> {
    let one_phrase = matches!(asked.clauses[..], [Clause::Meaning { at: 0, to, .. }] if to == words.len());
    let is_name = !words.is_empty() && !one_phrase && is_name(words.folded());
    is_name
        .then(|| Asked { clauses: (0..words.len()).map(|at| Clause::Literal { at }).collect(), window: None })
}

/// Whether a piece is more than an accident of two letters: "AS" is a short form of Asa Sul, and an article.
fn says_something(words: &Words, at: usize, taken: usize, piece: &Piece) -> bool {
    match piece {
        Piece::Phrase(meaning) => taken > 1 || words.raw(at).len() > 2 || meaning.areas.is_empty(),
        Piece::Code(_) => words.raw(at).len() > 2 || taken > 1,
        Piece::Quadra { .. } => true,
    }
}

/// "Show de rock": a show is what rock is heard at. Without another category, the show itself is asked for.
fn drop_outings(clauses: &mut SmallVec<[Clause; 4]>, raw: &[&str]) {
    let is_outing = |clause: &Clause| match clause {
        Clause::Meaning { at, to, .. } => to - at == 1 && is_outing(raw[*at]),
        _ => false,
    };
    let names_category =
        |clause: &Clause| matches!(clause, Clause::Meaning { meaning, .. } if !meaning.asked.is_empty());
    if clauses.iter().any(|clause| names_category(clause) && !is_outing(clause)) {
        clauses.retain(|clause| !is_outing(clause));
    }
}
