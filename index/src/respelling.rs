//! Other spellings of what the guide knows, which need no guess: the base of a diminutive ("heladito"), and two words
//! written as one ("aguasclaras").

use crate::collection::Collection;
use crate::correction::is_known;
use crate::fixed_words::is_stop_word;
use crate::fold::{MAX_COMPARED, stem};
use crate::schema::View;
use crate::vocabulary::ArchivedVocabularyIndex;
use crate::words::Words;

/// The text with its unknown words in the spelling of the guide; `None` when it has no such words. Only words that the view
/// may search are used, so that a spelling reveals no hidden field, and only phrases of the vocabulary are taken apart, which
/// all may read.
pub(crate) fn respelt(
    vocabulary: &ArchivedVocabularyIndex,
    collection: &Collection,
    view: View,
    words: &Words,
    unknown: &[usize],
) -> Option<Words> {
    let known = |word: &str| is_known(vocabulary, collection, view, word, &stem(word));
    let base = |word: &str| bases(word).find(|base| !is_stop_word(base) && known(base));
    let apart = |word: &str| {
        let last = word.len().min(MAX_COMPARED).checked_sub(MIN_PART)?;
        let mut parts = (MIN_PART..=last).filter_map(|end| word.split_at_checked(end));
        let is_phrase = |(left, right): &(&str, &str)| {
            let left = stem(left);
            // few beginnings are words: the rest costs no more than a look
            vocabulary.words.contains_key(&*left)
                && vocabulary.phrases.contains_key(&*format!("{left} {}", stem(right)))
        };
        let (left, right) = parts.find(is_phrase)?;
        Some(format!("{left} {right}"))
    };
    words.replaced(unknown, |at| base(words.raw(at)).or_else(|| apart(words.raw(at))))
}

/// The least letters of a word that is written together with another.
const MIN_PART: usize = 2;

/// What a diminutive can come from.
fn bases(word: &str) -> impl Iterator<Item = String> {
    const ENDINGS: &[(&str, &[&str])] = &[
        ("zinho", &[""]),
        ("zinha", &[""]),
        ("inho", &["o", "e", "a", ""]),
        ("inha", &["a", "e", "o", ""]),
        ("cito", &[""]),
        ("cita", &[""]),
        ("ito", &["o", "e", "a", ""]),
        ("ita", &["a", "e", "o", ""]),
    ];
    const MIN_BASE: usize = 3;
    let word = word.strip_suffix('s').unwrap_or(word);
    let of_ending = |(ending, vowels): &'static (&str, &[&str])| {
        let base = word.strip_suffix(ending).filter(|base| base.len() >= MIN_BASE);
        base.into_iter().flat_map(|base| vowels.iter().map(move |vowel| [base, vowel].concat()))
    };
    ENDINGS.iter().flat_map(of_ending)
}
