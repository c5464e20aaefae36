//! Words that neither the vocabulary nor any record has: diminutives become their base word, misspellings the nearest
//! known word.

use crate::collection::Collection;
use crate::fixed_words::is_stop_word;
use crate::fold::{Compared, phonetic, stem};
use crate::schema::View;
use crate::vocabulary::{ArchivedCorrectionTarget, ArchivedVocabularyIndex};
use crate::words::Words;

/// The text with each unknown word replaced, and the replacements. `None` when nothing was replaced. Only words that the
/// view may search are used, so that a correction reveals no hidden field.
pub(crate) fn correct(
    vocabulary: &ArchivedVocabularyIndex,
    collection: &Collection,
    view: View,
    words: &Words,
) -> Option<(String, Vec<(String, String)>)> {
    let unknown = (0..words.len()).filter(|at| {
        let (raw, stem) = (words.raw(*at), words.stem(*at));
        raw.len() >= MIN_CORRECTED && !is_known(vocabulary, collection, view, raw, stem)
    });
    if unknown.take(MAX_CORRECTED + 1).count() > MAX_CORRECTED {
        return None;
    }
    let mut corrected = Vec::new();
    let mut text = String::with_capacity(words.folded().len() + 8);
    for at in 0..words.len() {
        let (raw, stem) = (words.raw(at), words.stem(at));
        let is_known = is_known(vocabulary, collection, view, raw, stem);
        let target = if is_known { None } else { nearest(vocabulary, collection, view, raw.len(), stem) };
        if let Some(target) = target {
            let spelling = vocabulary.words.get(target).map(|word| word.spelling.to_string());
            let spelling =
                spelling.or_else(|| collection.spelling(view, target)).unwrap_or_else(|| target.to_owned());
            text.push_str(&spelling);
            corrected.push((raw.to_owned(), spelling));
        } else {
            text.push_str(raw);
        }
        text.push(' ');
    }
    (!corrected.is_empty()).then_some((text, corrected))
}

/// Shorter words are not corrected.
const MIN_CORRECTED: usize = 5;

/// A text with more unknown words than this is not misspelt, but about something else. Comparing a word with all others
/// is the dearest part of a search.
const MAX_CORRECTED: usize = 3;

/// Whether the word means something here.
fn is_known(
    vocabulary: &ArchivedVocabularyIndex,
    collection: &Collection,
    view: View,
    raw: &str,
    stem: &str,
) -> bool {
    vocabulary.words.get(stem).is_some()
        || is_stop_word(raw)
        || collection.text.word(view, stem).is_some()
        || vocabulary.synonyms.contains_key(stem)
        || vocabulary.not_listed.contains_key(stem)
}

/// The text with each unknown diminutive as the word that it comes from ("heladito", "cervejinha"); `None` when it has
/// none.
pub(crate) fn without_diminutives(
    vocabulary: &ArchivedVocabularyIndex,
    collection: &Collection,
    view: View,
    words: &Words,
) -> Option<String> {
    let known = |word: &str, stem: &str| is_known(vocabulary, collection, view, word, stem);
    let base = |at: usize| {
        let raw = words.raw(at);
        let mut bases = bases(raw).filter(|_| !known(raw, words.stem(at)));
        bases.find(|base| !is_stop_word(base) && known(base, &stem(base)))
    };
    let bases: Vec<Option<String>> = (0..words.len()).map(base).collect();
    if bases.iter().all(Option::is_none) {
        return None;
    }
    let each =
        bases.into_iter().enumerate().map(|(at, base)| base.unwrap_or_else(|| words.raw(at).to_owned()));
    Some(each.collect::<Vec<_>>().join(" "))
}

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

/// The stem nearest to an unknown one: one typo from five letters on, two from nine on, with the same first letter or
/// its sound. Of equally near stems, the most frequent.
fn nearest<'a>(
    vocabulary: &'a ArchivedVocabularyIndex,
    collection: &'a Collection,
    view: View,
    letters: usize,
    stem: &str,
) -> Option<&'a str> {
    let allowed = match letters {
        0..MIN_CORRECTED => return None,
        5..9 => 1,
        _ => 2,
    };
    let sound = phonetic(stem);
    let first = *stem.as_bytes().first()?;
    let (by_letters, by_sound) = (Compared::new(stem, allowed), Compared::new(&sound, allowed));
    // lengths and first letters rule out most words before they are compared
    let distance = |left: &str, compared: &Compared, right: &str| {
        let is_close =
            left.len().abs_diff(right.len()) <= allowed && left.bytes().next() == right.bytes().next();
        if is_close { compared.distance(right) } else { None }
    };
    // a sound drops repeated letters: "eeeee" is no word of two
    let has_its_length = |other: &str| other.len().abs_diff(stem.len()) <= allowed + MAX_SILENT;
    let mut best: Option<(usize, u32, &str)> = None;
    let mut consider = |distance: Option<usize>, records: u32, stem: &'a str| {
        let candidate = distance.map(|distance| (distance, u32::MAX - records, stem));
        if candidate.is_some_and(|candidate| best.is_none_or(|best| candidate < best)) {
            best = candidate;
        }
    };
    // another first letter may still have the same sound
    for letter in (b'a'..=b'z').filter(|letter| *letter == first || may_sound_alike(*letter, first)) {
        // nothing is corrected to a shorter word or to a number
        let terms = collection.text.with_first_letter(letter).iter().filter(|term| term.stem.len() >= 4);
        for term in terms.filter(|term| term.in_name && term.records(view) > 0) {
            consider(distance(stem, &by_letters, &term.stem), term.records(view), &term.stem);
            if has_its_length(&term.stem) {
                consider(distance(&sound, &by_sound, &term.phonetic), term.records(view), &term.stem);
            }
        }
    }
    for (is_phonetic, text, compared) in [(false, stem, &by_letters), (true, &*sound, &by_sound)] {
        let key = |target: &ArchivedCorrectionTarget| {
            (target.phonetic, target.text.bytes().next(), target.text.len())
        };
        let least = (is_phonetic, text.bytes().next(), text.len().saturating_sub(allowed));
        let most = (is_phonetic, text.bytes().next(), text.len() + allowed);
        let targets = &vocabulary.correction_targets;
        let first = targets.partition_point(|target| key(target) < least);
        for target in targets[first..].iter().take_while(|target| key(target) <= most) {
            if has_its_length(&target.stem) {
                consider(compared.distance(&target.text), u32::MAX, &target.stem);
            }
        }
    }
    best.map(|(.., stem)| stem)
}

/// How many letters of a word may be silent.
const MAX_SILENT: usize = 2;

/// Whether two letters can begin with one sound.
fn may_sound_alike(left: u8, right: u8) -> bool {
    const ALIKE: &[&[u8]] = &[b"cxs", b"ckq", b"csz", b"iy", b"vw", b"fp"];
    left == b'h' || right == b'h' || ALIKE.iter().any(|group| group.contains(&left) && group.contains(&right))
}
