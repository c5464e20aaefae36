//! Misspellings: words that neither the vocabulary nor any record has become the nearest known word.

use std::ops::Range;

use smallvec::SmallVec;

use crate::grammar::common_words::is_common;
use crate::grammar::fixed_words::{fixed_word, is_stop_word};
use crate::grammar::fold::{Compared, fold, is_connector, phonetic};
use crate::grammar::stop_words::is_in;
use crate::grammar::tokens::{language, operator};
use crate::question::near::Caller;
use crate::records::collection::Collection;
use crate::records::schema::View;
use crate::spelling::lexicon::Written;
use crate::vocabulary::words::{Words, phrases_of};
use crate::vocabulary::{ArchivedCorrectionTarget, ArchivedVocabularyIndex};

/// The words of a text that neither the vocabulary nor a record has, by their places.
pub(crate) fn unknown(
    vocabulary: &ArchivedVocabularyIndex,
    collection: &Collection,
    view: View,
    words: &Words,
) -> SmallVec<[usize; 8]> {
    let is_known = |at: &usize| is_known(vocabulary, collection, view, words.raw(*at), words.stem(*at));
    let mut unknown: SmallVec<[usize; 8]> = (0..words.len()).filter(|at| !is_known(at)).collect();
    if unknown.is_empty() {
        return unknown;
    }
    // "não gosto" is no misspelt "não agosto"
    let tokens = words.tokens();
    let spoken = language(&tokens);
    let operators: SmallVec<[Range<usize>; 8]> = (0..tokens.len())
        .filter_map(|at| operator(&tokens, at, spoken).map(|(taken, _)| at..at + taken))
        .filter(|operator| operator.len() > 1)
        .collect();
    unknown.retain(|at| !operators.iter().any(|operator| operator.contains(&words.token(*at))));
    unknown
}

/// How like an unknown word a known one must be to replace it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// Few typos away.
    Near,
    /// It sounds the same, or is one typo away and names an area where it stands.
    SameSoundOrArea,
    /// Few typos away, and the name of few records, or of a category when it is long: what is excluded takes away what
    /// somebody may want.
    NearName,
}

/// Corrects words by those of a guide. Only words of records and fields that the caller may see are used, so that a
/// correction reveals no other.
#[derive(Clone, Copy)]
pub(crate) struct Speller<'a> {
    pub(crate) vocabulary: &'a ArchivedVocabularyIndex,
    pub(crate) collection: &'a Collection,
    pub(crate) caller: Caller,
}

impl<'a> Speller<'a> {
    /// The text with each unknown word replaced, and the replacements. `None` when nothing was replaced.
    pub(crate) fn correct(
        self,
        words: &Words,
        unknown: &[usize],
        likeness: Likeness,
    ) -> Option<(Words, Vec<(String, String)>)> {
        let Speller { vocabulary, collection, caller: Caller { view, scope, .. } } = self;
        if unknown.iter().filter(|at| words.raw(**at).len() >= MIN_CORRECTED).count() > MAX_CORRECTED {
            return None;
        }
        let mut corrected = Vec::new();
        let words = words.replaced(unknown, |at| {
            let (raw, stem) = (words.raw(at), words.stem(at));
            // a word of the language is spelt rightly, and so is one of what the guide does not list
            if is_common(raw)
                || fixed_word(raw).is_some()
                || phrases_of(&vocabulary.not_listed, words).any(|phrase| phrase.contains(&at))
            {
                return None;
            }
            let written = Written::new(raw);
            let may_be_meant = |target: &str| !is_stop_word(target) && written.may_mean(target);
            let nearest = |word, allowed| self.nearest(word, allowed, may_be_meant);
            // the ending of a misspelt word is no plural: "norti"
            let by_stem_or_letters = |allowed| {
                nearest(stem, allowed).or_else(|| (raw != stem).then(|| nearest(raw, allowed)).flatten())
            };
            let area = || by_stem_or_letters(1).filter(|target| names_area(vocabulary, words, at, target));
            let target = match (likeness, typos(raw.len())) {
                (Likeness::Near, Some(allowed)) => by_stem_or_letters(allowed),
                // few words can be areas: the others need no second comparison with all words
                (Likeness::SameSoundOrArea, Some(_)) => {
                    nearest(stem, 0).or_else(|| may_name_area(vocabulary, words, at).then(area).flatten())
                }
                // "asa nrte"
                (Likeness::SameSoundOrArea, None) => {
                    (raw.len() >= MIN_END_OF_AREA && follows_area(vocabulary, words, at)).then(area).flatten()
                }
                (Likeness::NearName, Some(allowed)) => by_stem_or_letters(allowed).filter(|target| {
                    raw.len() >= MIN_CATEGORY && is_category(vocabulary, target)
                        || is_name(collection, view, target)
                }),
                (Likeness::Near | Likeness::NearName, None) => None,
            }?;
            let is_in_scope = || {
                let list = collection.text.word(view, target);
                list.is_some_and(|list| collection.has_any_in(&list, scope))
            };
            if !is_of_vocabulary(vocabulary, target) && !is_in_scope() {
                return None;
            }
            let spelling = name_of_area(vocabulary, target)
                .or_else(|| vocabulary.words.get(target).map(|word| word.spelling.to_string()))
                .or_else(|| collection.spelling(view, target))
                .unwrap_or_else(|| target.to_owned());
            corrected.push((raw.to_owned(), spelling.clone()));
            Some(spelling)
        })?;
        Some((words, corrected))
    }

    /// The stem nearest to an unknown one, in letters or in how it sounds, with the same first letter or its sound and
    /// at most so many typos, of those that may be meant. Of equally near stems, the most frequent.
    fn nearest(self, stem: &str, allowed: usize, may_be_meant: impl Fn(&str) -> bool) -> Option<&'a str> {
        let Speller { vocabulary, collection, caller: Caller { view, .. } } = self;
        let sound = phonetic(stem);
        let (by_letters, by_sound) = (Compared::new(stem, allowed), Compared::new(&sound, allowed));
        // a sound drops repeated letters: "eeeee" is no word of two
        let has_its_length = |other: &str| other.len().abs_diff(stem.len()) <= allowed + MAX_SILENT;
        let mut best: Option<(usize, u32, &str)> = None;
        // what sounds nearly the same must also look alike: "kosher" is not "comer"
        let looks_alike = Compared::new(stem, allowed + 1);
        let mut consider = |is_phonetic: bool, distance: Option<usize>, records: u32, stem: &'a str| {
            let distance =
                distance.filter(|apart| *apart == 0 || !is_phonetic || looks_alike.distance(stem).is_some());
            let candidate = distance.map(|distance| (distance, u32::MAX - records, stem));
            if candidate.is_some_and(|candidate| best.is_none_or(|best| candidate < best))
                && may_be_meant(stem)
            {
                best = candidate;
            }
        };
        for (is_phonetic, text, compared) in [(false, stem, &by_letters), (true, &*sound, &by_sound)] {
            let terms = collection.text.may_be_near(compared, is_phonetic);
            for term in terms.filter(|term| term.records(view) > 0 && has_its_length(&term.stem)) {
                let form = if is_phonetic { &term.phonetic } else { &term.stem };
                consider(is_phonetic, compared.distance(form), term.records(view), &term.stem);
            }
            let key = |target: &ArchivedCorrectionTarget| {
                (target.phonetic, target.text.bytes().next(), target.text.len())
            };
            let least = (is_phonetic, text.bytes().next(), text.len().saturating_sub(allowed));
            let most = (is_phonetic, text.bytes().next(), text.len() + allowed);
            let targets = &vocabulary.correction_targets;
            let first = targets.partition_point(|target| key(target) < least);
            for target in targets[first..].iter().take_while(|target| key(target) <= most) {
                if has_its_length(&target.stem) {
                    consider(is_phonetic, compared.distance(&target.text), u32::MAX, &target.stem);
                }
            }
        }
        best.map(|(.., stem)| stem)
    }
}

/// The name of the only area that a stem means, where it is one word: a known misspelling is no spelling to show.
fn name_of_area(vocabulary: &ArchivedVocabularyIndex, stem: &str) -> Option<String> {
    let [area] = vocabulary.phrases.get(stem)?.areas.as_slice() else { return None };
    let name = fold(&vocabulary.area(area.to_native()).name);
    (!name.contains(' ')).then_some(name)
}

/// Whether an area may stand at word `at`: behind a word of one ("asa norti"), or by itself behind "in" ("bar em
/// celandia") or when it is long ("sushi sudoste"), but not in "samba da mangueira" nor "na grama".
fn may_name_area(vocabulary: &ArchivedVocabularyIndex, words: &Words, at: usize) -> bool {
    stands_alone(words, at) || follows_area(vocabulary, words, at)
}

/// Whether the word before word `at` is of the name of an area.
fn follows_area(vocabulary: &ArchivedVocabularyIndex, words: &Words, at: usize) -> bool {
    let is_of_area =
        |at: usize| vocabulary.words.get(words.stem(at)).is_some_and(|word| !word.areas.is_empty());
    at.checked_sub(1).is_some_and(is_of_area)
}

/// Whether a known word in place of word `at` names an area there, with words before it or by itself.
fn names_area(vocabulary: &ArchivedVocabularyIndex, words: &Words, at: usize, target: &str) -> bool {
    let is_area =
        |phrase: &str| vocabulary.phrases.get(phrase).is_some_and(|meaning| !meaning.areas.is_empty());
    let begins = |start: usize| is_area(&format!("{} {target}", words.phrase(start, at)));
    (at.saturating_sub(MAX_BEFORE)..at).any(begins) || stands_alone(words, at) && is_area(target)
}

/// Whether word `at` is long enough to be an area by itself, for which it needs fewer letters behind "in" and may not
/// be that of something: "samba da mangueira".
fn stands_alone(words: &Words, at: usize) -> bool {
    let Some(before) = words.token(at).checked_sub(1) else { return false };
    let before = words.tokens()[before].word;
    let least = if is_in(before) { MIN_AREA_BEHIND_IN } else { MIN_AREA };
    words.raw(at).len() >= least && !is_connector(before)
}

/// Whether a stem is the whole name of a category.
fn is_category(vocabulary: &ArchivedVocabularyIndex, stem: &str) -> bool {
    vocabulary.phrases.get(stem).is_some_and(|meaning| !meaning.text_categories.is_empty())
}

/// Whether a word is the name of a record, or begins those of few.
fn is_name(collection: &Collection, view: View, stem: &str) -> bool {
    let spelling = collection.spelling(view, stem);
    spelling.is_some_and(|word| {
        collection.is_name(&word) || (1..=FEW_NAMED).contains(&collection.beginning_with(&word).len())
    })
}

/// The most names that may begin with a word that replaces a misspelt exclusion.
const FEW_NAMED: usize = 3;

/// The least letters of a misspelt exclusion that a category may replace.
const MIN_CATEGORY: usize = 8;

/// How many words of an area can stand before a misspelt one: "setor bancario norti".
const MAX_BEFORE: usize = 2;

/// The least letters of a misspelt area that stands by itself.
const MIN_AREA: usize = 7;

/// The least letters of a misspelt area that stands behind "in".
const MIN_AREA_BEHIND_IN: usize = 6;

/// The least letters of a misspelt word behind the others of an area.
const MIN_END_OF_AREA: usize = 4;

/// Shorter words are not corrected, but at the end of an area.
const MIN_CORRECTED: usize = 5;

/// How many typos a word of so many letters may have.
fn typos(letters: usize) -> Option<usize> {
    match letters {
        0..MIN_CORRECTED => None,
        5..9 => Some(1),
        _ => Some(2),
    }
}

/// A text with more unknown words than this is not misspelt, but about something else. Comparing a word with all others
/// is the most expensive part of a search.
pub(crate) const MAX_CORRECTED: usize = 3;

/// Whether the word means something here.
pub(crate) fn is_known(
    vocabulary: &ArchivedVocabularyIndex,
    collection: &Collection,
    view: View,
    raw: &str,
    stem: &str,
) -> bool {
    is_of_vocabulary(vocabulary, stem) || is_stop_word(raw) || collection.text.word(view, stem).is_some()
}

/// Whether the vocabulary, which all may read, has the stem.
pub(crate) fn is_of_vocabulary(vocabulary: &ArchivedVocabularyIndex, stem: &str) -> bool {
    vocabulary.words.contains_key(stem)
        || vocabulary.synonyms.phrases.contains_key(stem)
        || vocabulary.not_listed.phrases.contains_key(stem)
}

/// How many letters of a word may be silent.
const MAX_SILENT: usize = 2;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::grammar::fold::distance;
    use crate::tests::generators::{Rng, demo, misspelt};
    use crate::{EVERYWHERE, Guide};

    /// The rule, word by word.
    fn nearest_by_scan(
        guide: &Guide,
        names: &HashSet<String>,
        view: View,
        letters: usize,
        stem: &str,
    ) -> Option<String> {
        let allowed = if letters < 9 { 1 } else { 2 };
        let sound = phonetic(stem);
        let is_near = |is_phonetic: bool, form: &str| {
            let word = if is_phonetic { &sound } else { stem };
            let begins_alike = word.bytes().next() == form.bytes().next();
            begins_alike.then(|| distance(word, form, allowed))?
        };
        let looks_alike = |apart: usize, is_phonetic: bool, other: &str| {
            apart == 0 || !is_phonetic || distance(stem, other, allowed + 1).is_some()
        };
        let in_names = names.iter().filter(|name| name.len() >= 4 && name.as_bytes()[0].is_ascii_lowercase());
        let of_names = in_names.flat_map(|name| {
            let records = guide.places.text.word(view, name).map_or(0, |list| list.len());
            let near = [(false, is_near(false, name)), (true, is_near(true, &phonetic(name)))];
            near.into_iter()
                .filter_map(move |(is_phonetic, near)| {
                    near.filter(|near| looks_alike(*near, is_phonetic, name))
                })
                .filter(move |_| records > 0)
                .map(move |near| (near, usize::MAX - records, name.clone()))
        });
        let targets = guide.vocabulary().correction_targets.iter();
        let of_vocabulary = targets
            .filter_map(|target| {
                Some((is_near(target.phonetic, &target.text)?, target.phonetic, &target.stem))
            })
            .filter(|(apart, is_phonetic, stem)| looks_alike(*apart, *is_phonetic, stem))
            .map(|(apart, _, stem)| (apart, 0, stem.to_string()));
        let has_its_length = |other: &str| other.len().abs_diff(stem.len()) <= allowed + MAX_SILENT;
        of_names.chain(of_vocabulary).filter(|(.., stem)| has_its_length(stem)).min().map(|(.., stem)| stem)
    }

    #[test]
    fn a_misspelt_word_becomes_the_nearest_word_of_all() {
        let demo = demo();
        let guide = Guide::build(&demo).unwrap();
        let names = demo.places.iter().flat_map(|place| std::iter::once(&place.name).chain(&place.aliases));
        let words: Vec<Words> = names.map(|name| Words::new(name)).collect();
        let stems = words.iter().flat_map(|words| (0..words.len()).map(|at| words.stem(at).to_owned()));
        let names: HashSet<String> = stems.collect();
        let mut sorted: Vec<String> = names.iter().filter(|name| name.len() > 3).cloned().collect();
        sorted.sort();
        let (mut rng, mut found) = (Rng::new(1), 0);
        for _ in 0..3_000 {
            let wrong = misspelt(&mut rng, &sorted);
            for view in [View::Basic, View::Full] {
                let caller = Caller { view, scope: EVERYWHERE, covered: None };
                let speller = Speller { vocabulary: guide.vocabulary(), collection: &guide.places, caller };
                let nearest =
                    typos(wrong.len()).and_then(|allowed| speller.nearest(&wrong, allowed, |_| true));
                let expected = (wrong.len() >= MIN_CORRECTED)
                    .then(|| nearest_by_scan(&guide, &names, view, wrong.len(), &wrong));
                assert_eq!(nearest.map(str::to_owned), expected.flatten(), "{wrong} {view:?}");
                found += usize::from(nearest.is_some());
            }
        }
        assert!(found > 1_000, "{found}");
    }
}
