//! Other spellings of what the guide knows, which need no guess: misspelt days ("saturdy"), the base of a diminutive
//! ("heladito"), of an augmentative ("bandeirona") or of a shop ("cachaçaria"), the Portuguese form of a Spanish noun
//! ("pontón"), two words written as one ("aguasclaras"), and one written as two ("bamba mba").

use smallvec::SmallVec;

use crate::grammar::common_words::is_common;
use crate::grammar::fixed_words::{fixed_word, is_stop_word};
use crate::grammar::fold::{Compared, MAX_COMPARED, stem};
use crate::records::collection::Collection;
use crate::records::schema::View;
use crate::spelling::correction::{MAX_CORRECTED, is_known, unknown};
use crate::spelling::lexicon::is_word;
use crate::vocabulary::ArchivedVocabularyIndex;
use crate::vocabulary::words::Words;

/// The words of a text that neither the vocabulary nor a record has.
pub(crate) struct UnknownWords {
    /// Their places.
    pub(crate) at: SmallVec<[usize; 8]>,
    /// The text with them in the spelling of the guide, where it has them in another.
    pub(crate) respelt: Option<Words>,
    /// Those that are misspelt days, each with the day.
    pub(crate) days: Vec<(String, String)>,
}

impl UnknownWords {
    pub(crate) fn of(
        vocabulary: &ArchivedVocabularyIndex,
        collection: &Collection,
        view: View,
        words: &Words,
    ) -> Self {
        let at = unknown(vocabulary, collection, view, words);
        let Some(respelt) = respelt(vocabulary, collection, view, words, &at) else {
            return Self { at, respelt: None, days: Vec::new() };
        };
        let day = |at: &usize| Some((words.raw(*at).to_owned(), day(words.raw(*at))?));
        Self { days: at.iter().filter_map(day).collect(), respelt: Some(respelt), at }
    }
}

/// The text with its unknown words in the spelling of the guide; `None` when it has no such words. Only words that the
/// view may search are used, so that a spelling reveals no hidden field; only phrases of the vocabulary, which all may
/// read, and names are taken apart.
pub(crate) fn respelt(
    vocabulary: &ArchivedVocabularyIndex,
    collection: &Collection,
    view: View,
    words: &Words,
    unknown: &[usize],
) -> Option<Words> {
    if words.is_too_long_to_read_again() {
        return None;
    }
    let known = |word: &str| is_known(vocabulary, collection, view, word, &stem(word));
    let base = |word: &str| {
        let mut bases = bases(word, SIZES).filter(|_| !is_whole(word));
        bases.find(|base| !is_stop_word(base) && known(base))
    };
    // a word of a record is too little: who asks for a "papelaria" does not want paper
    let is_named = |word: &str| {
        let stem = stem(word);
        let meaning = vocabulary.phrases.get(&*stem);
        meaning.is_some_and(|meaning| !meaning.text_categories.is_empty())
            || vocabulary.synonyms.phrases.contains_key(&*stem)
    };
    let cognate = |word: &str| bases(word, SPANISH).chain(without_diphthong(word)).find(|base| known(base));
    let sold = |word: &str| bases(word, SHOPS).find(|base| is_named(base));
    let apart = |word: &str| {
        let last = word.len().min(MAX_COMPARED).checked_sub(MIN_PART)?;
        let parts = || (MIN_PART..=last).filter_map(|end| word.split_at_checked(end));
        let is_phrase = |(left, right): &(&str, &str)| {
            let left = stem(left);
            // few beginnings are words: the rest costs no more than a look
            vocabulary.words.contains_key(&*left)
                && vocabulary.phrases.contains_key(&*format!("{left} {}", stem(right)))
        };
        let is_searched = |word: &str| collection.text.word(view, &stem(word)).is_some();
        let is_in_name = |(left, right): &(&str, &str)| {
            is_searched(left) && is_searched(right) && collection.is_in_a_name(&format!("{left} {right}"))
        };
        let (left, right) = parts().find(is_phrase).or_else(|| parts().find(is_in_name))?;
        Some(format!("{left} {right}"))
    };
    let other = words.replaced(unknown, |at| {
        let word = words.raw(at);
        day(word)
            .or_else(|| base(word))
            .or_else(|| cognate(word))
            .or_else(|| sold(word))
            .or_else(|| apart(word))
    });
    other.or_else(|| {
        let is_name = |word: &str| word.len() >= MIN_TOGETHER && known(word);
        (unknown.len() <= MAX_CORRECTED).then(|| words.written_together(unknown, is_name)).flatten()
    })
}

/// The day or month that an unknown word misspells by one letter that is not the first: "saturdy", "domimgo", but not
/// "gosto". In a short one no letter may stand for another: a "sundae" is no Sunday.
fn day(word: &str) -> Option<String> {
    if is_common(word) || fixed_word(word).is_some() || is_word(word) {
        return None;
    }
    let compared = Compared::new(word, 1);
    let is_meant = |day: &&&str| {
        let swaps = || {
            let mut letters: [Vec<u8>; 2] = [word, day].map(|text| text.bytes().collect());
            letters.iter_mut().for_each(|letters| letters.sort_unstable());
            letters[0] == letters[1]
        };
        word.as_bytes().first() == day.as_bytes().first()
            && compared.distance(day).is_some()
            && (day.len() >= LONG_DAY || day.len() != word.len() || swaps())
    };
    DAYS.iter().find(is_meant).map(|day| (*day).to_owned())
}

/// The least letters of a day in which any of them may be wrong.
const LONG_DAY: usize = 7;

/// The names of days and months that are long enough to be recognized by all letters but one.
#[rustfmt::skip]
const DAYS: &[&str] = &[
    "segunda", "quarta", "quinta", "sabado", "domingo", "amanha", "semana", "janeiro", "fevereiro", "setembro", "outubro",
    "novembro", "dezembro", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tomorrow", "tonight",
    "weekend", "january", "february", "august", "september", "october", "november", "december", "martes", "miercoles",
    "jueves", "viernes", "manana", "febrero", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
];

/// The least letters of a word that was written as two.
const MIN_TOGETHER: usize = 5;

/// The least letters of a word that is written together with another.
const MIN_PART: usize = 2;

/// The endings of a kind of words, each with what stands in its place in the word that they come from.
type Endings = &'static [(&'static str, &'static [&'static str])];

/// Of diminutives and augmentatives.
const SIZES: Endings = &[
    ("zinho", &[""]),
    ("zinha", &[""]),
    ("zin", &[""]),
    ("zim", &[""]),
    ("inho", &["o", "e", "a", ""]),
    ("inha", &["a", "e", "o", ""]),
    ("cito", &[""]),
    ("cita", &[""]),
    ("ito", &["o", "e", "a", ""]),
    ("ita", &["a", "e", "o", ""]),
    ("zona", &[""]),
    ("zao", &[""]),
    ("ona", &["a", "e", "o", ""]),
];

/// Whether the word only ends like one of these: "caminho" is no small bed.
fn is_whole(word: &str) -> bool {
    WHOLE.contains(&word.strip_suffix('s').unwrap_or(word))
}

/// Words that end like diminutives and augmentatives and are none.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "caminho", "cantinho", "carinho", "carona", "circuito", "cita", "corona", "exito", "exquisito", "favorita", "favorito",
    "funciona", "golfinho", "granito", "habita", "infinito", "madrinha", "maratona", "marinha", "menciona", "moinho",
    "mosquito", "necesita", "padrinho", "palito", "pergaminho", "persona", "poltrona", "proposito", "relaciona", "requisito",
    "solicita", "transito", "vizinha", "vizinho",
];

/// Of Spanish nouns whose Portuguese form differs in the ending alone: "pontón", "camarones", "madera", "paisaje".
const SPANISH: Endings = &[
    ("on", &["ao"]),
    ("one", &["ao"]),
    ("dad", &["dade"]),
    ("ero", &["eiro"]),
    ("era", &["eira"]),
    ("aje", &["agem"]),
    ("able", &["avel"]),
    ("ible", &["ivel"]),
];

/// The Portuguese form of a Spanish word with a diphthong that Portuguese does not have: "piedra", "fuego". Not of
/// "queso", where the "u" is silent.
fn without_diphthong(word: &str) -> Option<String> {
    let of_pair = |(pair, vowel): (&str, &str)| {
        let (start, end) = word.split_once(pair)?;
        let is_vowel = !start.is_empty() && !start.ends_with(['q', 'g']);
        is_vowel.then(|| [start, vowel, end].concat())
    };
    [("ie", "e"), ("ue", "o")].into_iter().find_map(of_pair)
}

/// Of shops, in Portuguese and Spanish.
const SHOPS: Endings = &[("aria", &["a", "e", "o", ""]), ("eria", &["a", "e", "o", "", "er"])];

/// Of forms of verbs in Portuguese and Spanish.
const VERBS: Endings = &[
    ("iendo", &["er", "ir"]),
    ("ando", &["ar"]),
    ("endo", &["er"]),
    ("indo", &["ir"]),
    ("amo", &["ar"]),
    ("emo", &["er", "ar"]),
    ("imo", &["ir"]),
    ("ava", &["ar"]),
    ("aba", &["ar"]),
    ("am", &["ar"]),
    ("an", &["ar"]),
    ("em", &["er", "ar", "ir"]),
    ("en", &["er", "ar", "ir"]),
    ("ei", &["ar"]),
    ("ou", &["ar"]),
    ("o", &["ar", "er", "ir"]),
    ("a", &["ar"]),
    ("e", &["er", "ir", "ar"]),
];

/// The infinitives that a word may be a form of: "pedalem" of "pedalar".
pub(crate) fn infinitives(word: &str) -> impl Iterator<Item = String> {
    bases(word, VERBS)
}

/// What a word with one of the endings can come from. Before "i" Spanish and Portuguese write "qu" for "c" and "gu" for
/// "g": "taquito" comes from "taco".
fn bases(word: &str, endings: Endings) -> impl Iterator<Item = String> {
    const MIN_BASE: usize = 3;
    let word = word.strip_suffix('s').unwrap_or(word);
    let of_ending = |(ending, others): &'static (&str, &[&str])| {
        let base = word.strip_suffix(ending).filter(|base| base.len() >= MIN_BASE);
        base.into_iter().flat_map(|base| {
            let mut hard = [("qu", "c"), ("gu", "g")].into_iter();
            let hard = hard.find_map(|(soft, hard)| base.strip_suffix(soft).map(|start| (start, hard)));
            let (start, end) = hard.unwrap_or((base, ""));
            others.iter().map(move |other| [start, end, other].concat())
        })
    };
    endings.iter().flat_map(of_ending)
}
