//! The words of the three languages, so that no word that is spelt rightly is taken for another. `data/README.md` says
//! where they come from.

use std::ops::Range;
use std::sync::LazyLock;

use tantivy_fst::Map;
use tantivy_fst::raw::Fst;

use crate::grammar::demonyms::is_demonym;
use crate::grammar::fold::distance;

/// How many letters the words have that it knows.
pub const LETTERS: Range<usize> = 4..10;

/// The languages that have a word: one bit for each.
type Languages = u64;

/// The folded words, each with its languages; none when the file was not written by this program's tool.
static WORDS: LazyLock<Option<Map<&'static [u8]>>> =
    LazyLock::new(|| Fst::new(include_bytes!("../../data/lexicon.fst").as_slice()).ok().map(Map::from));

/// Letters that an inflected word has in common with another at least: "religiosa", "religioso".
const MIN_COMMON: usize = 4;

/// The longest ending of either.
const MAX_ENDING: usize = 2;

/// The languages that have a folded word.
fn languages(word: &str) -> Languages {
    WORDS.as_ref().and_then(|words| words.get(word)).unwrap_or_default()
}

/// Whether a language has a folded word.
pub(crate) fn is_word(word: &str) -> bool {
    languages(word) != 0
}

/// A folded word of a text, with the languages that have it.
pub(crate) struct Written<'w> {
    word: &'w str,
    languages: Languages,
}

impl<'w> Written<'w> {
    pub(crate) fn new(word: &'w str) -> Self {
        Self { word, languages: languages(word) }
    }

    /// Whether somebody may have meant another word by it: a word that no language has is misspelt. One of a language
    /// may be inflected otherwise, or be one typo away from that of a language that has not this one: "piedra" is
    /// "pedra", but "sauna" is no "sana".
    pub(crate) fn may_mean(&self, other: &str) -> bool {
        // "greek" is no "green", but "cubano" may be "cubana"
        if is_demonym(self.word) && !is_demonym(other) {
            return false;
        }
        if self.languages == 0 {
            return true;
        }
        let letters = self.word.bytes().zip(other.bytes());
        let common = letters.take_while(|(left, right)| left == right).count();
        let ending = self.word.len().max(other.len()) - common;
        let is_foreign = || self.languages & languages(other) == 0 && distance(self.word, other, 1).is_some();
        common >= MIN_COMMON && ending <= MAX_ENDING || is_foreign()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_language_is_no_other_word_of_it() {
        assert!(WORDS.is_some());
        for (word, other) in [
            ("sauna", "sana"),
            ("batata", "bachata"),
            ("telhado", "telao"),
            ("colorido", "colorado"),
            ("bodas", "bode"),
            ("greek", "green"),
        ] {
            assert!(!Written::new(word).may_mean(other), "{word} {other}");
        }
    }

    #[test]
    fn a_misspelt_word_an_inflected_one_and_that_of_another_language_may_be_meant() {
        for (word, other) in [
            ("cachueira", "cachoeira"),
            ("religiosa", "religioso"),
            ("azules", "azul"),
            ("piedra", "pedra"),
            ("author", "autor"),
            ("cubano", "cubana"),
        ] {
            assert!(Written::new(word).may_mean(other), "{word} {other}");
        }
    }
}
