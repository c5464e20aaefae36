//! Text normalisation: one rule for records and queries, so that accents, case, hyphens and plurals do not matter.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use snapshots::join_initials;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The longest folded text, in bytes: one character of untrusted input can expand elevenfold.
pub const MAX_FOLDED: usize = 4_096;

/// Folds `text` to words of `a-z` and `0-9`, separated by one space each.
///
/// Compatibility decomposition, marks stripped, other scripts transliterated, lower case, everything else a space. A
/// letter next to a digit is a word boundary, so that "SCLN408", "408N" and "W3" read like "SCLN 408", "408 N" and
/// "W 3". Folding is idempotent.
pub fn fold(text: &str) -> String {
    fold_observed(text, &mut ())
}

/// What is told of the words and of what separates them while a text is folded.
pub(crate) trait FoldObserver {
    /// A byte that belongs to no word.
    fn gap(&mut self, byte: u8);
    /// A word begins at this byte of the folded text.
    fn word(&mut self, start: usize);
    /// A symbol begins, of which the words are a name, or ends.
    fn symbol(&mut self, begins: bool);
}

impl FoldObserver for () {
    #[inline]
    fn gap(&mut self, _: u8) {}
    #[inline]
    fn word(&mut self, _: usize) {}
    #[inline]
    fn symbol(&mut self, _: bool) {}
}

/// As [`fold`]. Words that begin at or after the end of the result were cut off.
pub(crate) fn fold_observed(text: &str, listener: &mut impl FoldObserver) -> String {
    if text.is_empty() {
        return String::new();
    }
    // with room for the stems, which callers append
    let text = join_initials(text);
    let mut folded = Folded { text: Vec::with_capacity(2 * text.len() + 8), last: BLANK, listener };
    if text.is_ascii() {
        text.bytes().for_each(|byte| folded.push(byte));
    } else {
        for letter in text.chars() {
            if let Some(plain) = u8::try_from(letter).ok().filter(u8::is_ascii).or_else(|| portuguese(letter))
            {
                folded.push(plain);
            } else {
                folded.push_foreign(letter);
            }
            if folded.text.len() >= MAX_FOLDED {
                break;
            }
        }
    }
    let mut text = folded.text;
    text.truncate(MAX_FOLDED);
    text.truncate(text.trim_ascii_end().len());
    String::from_utf8(text).unwrap_or_default()
}

/// How many letters and digits a folded text has of this character.
pub(crate) fn letters_of(letter: char) -> usize {
    if letter.is_ascii() {
        return usize::from(letter.is_ascii_alphanumeric());
    }
    match portuguese(letter) {
        Some(_) => 1,
        None => fold(letter.encode_utf8(&mut [0; 4])).bytes().filter(|byte| *byte != b' ').count(),
    }
}

/// A fast path around the Unicode tables for the letters of Portuguese, which are nearly all that is not ASCII.
fn portuguese(letter: char) -> Option<u8> {
    Some(match letter {
        'á' | 'à' | 'â' | 'ã' | 'Á' | 'À' | 'Â' | 'Ã' => b'a',
        'é' | 'ê' | 'É' | 'Ê' => b'e',
        'í' | 'Í' => b'i',
        'ó' | 'ô' | 'õ' | 'Ó' | 'Ô' | 'Õ' => b'o',
        'ú' | 'ü' | 'Ú' | 'Ü' => b'u',
        'ç' | 'Ç' => b'c',
        _ => return None,
    })
}

struct Folded<'l, L> {
    text: Vec<u8>,
    /// The kind of the previous byte.
    last: u8,
    listener: &'l mut L,
}

/// Kinds of bytes; a change of kind is a word boundary.
const BLANK: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;

const KINDS: [u8; 256] = {
    let mut kinds = [BLANK; 256];
    let mut byte = 0u8;
    while byte < 128 {
        if byte.is_ascii_alphabetic() {
            kinds[byte as usize] = LETTER;
        } else if byte.is_ascii_digit() {
            kinds[byte as usize] = DIGIT;
        }
        byte += 1;
    }
    kinds
};

impl<L: FoldObserver> Folded<'_, L> {
    /// Appends a character that is neither ASCII nor a letter of Portuguese.
    fn push_foreign(&mut self, letter: char) {
        // the name of an emoji is a word of its own: "samba🎶"
        let is_symbol = !letter.is_alphanumeric() && !is_combining_mark(letter);
        if is_symbol {
            self.push(b' ');
            self.listener.symbol(true);
        }
        // only the order of marks depends on neighbours, and marks are dropped: a letter can be decomposed alone
        for part in std::iter::once(letter).nfkd().filter(|part| !is_combining_mark(*part)) {
            let plain = deunicode::deunicode_char(part).unwrap_or(" ");
            plain.bytes().for_each(|byte| self.push(byte));
        }
        if is_symbol {
            self.listener.symbol(false);
            self.push(b' ');
        }
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        let kind = KINDS[usize::from(byte)];
        if kind != self.last && self.last != BLANK {
            self.text.push(b' ');
        }
        if kind == BLANK {
            self.listener.gap(byte);
        } else {
            if kind != self.last {
                self.listener.word(self.text.len());
            }
            self.text.push(byte.to_ascii_lowercase());
        }
        self.last = kind;
    }
}

/// The stem of a folded word: the same for singular and plural, in Portuguese and English.
///
/// A stem is a key and is never shown ("torre" and "torres" become "torr"). Steps are applied until none fits, so that
/// a stem is its own stem. Words of up to three letters, mostly codes, stay as they are.
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() <= 3 || !(word.ends_with(['s', 'm', 'y', 'i', 'e']) || word.ends_with("esa")) {
        return Cow::Borrowed(word);
    }
    if step(word).is_none() {
        return Cow::Borrowed(word);
    }
    let mut stem = word.to_owned();
    while stem.len() > 3 || stem.ends_with("aes") {
        let Some((cut, end)) = step(&stem) else { break };
        stem.truncate(stem.len() - cut);
        stem.push_str(end);
    }
    Cow::Owned(stem)
}

/// One step towards the stem: how many bytes to cut, and what to append.
fn step(word: &str) -> Option<(usize, &'static str)> {
    let bytes = word.as_bytes();
    let before = |back: usize| bytes.len().checked_sub(back + 1).map_or(b' ', |at| bytes[at]);
    let vowel = |byte: u8| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u');
    Some(match before(0) {
        // pães, limões: pão, limão
        b's' if matches!((before(2), before(1)), (b'a' | b'o', b'e')) => (3, "ao"),
        b's' => (1, ""),
        // japonesa, the feminine of japonês
        b'a' if bytes.len() > 5 && bytes.ends_with(b"esa") => (1, ""),
        // jardim and jardins, garden and gardens
        b'm' => (1, "n"),
        b'y' => (1, "i"),
        // festivais, hotéis, azuis
        b'i' if matches!(before(1), b'a' | b'e' | b'o' | b'u') => (1, "l"),
        // infantis; and "parties", which was cut to "partie" before
        b'i' => (1, "il"),
        b'e' if before(1) == b'i' => (1, ""),
        // bares, luzes, churches: the e belongs to the plural
        b'e' if !vowel(before(1)) && matches!(before(1), b'r' | b'z' | b's' | b'x' | b'h') => (1, ""),
        _ => return None,
    })
}

/// Whether the word only joins others, so that "Feira do Guará" and "feira guara" are one phrase.
pub fn is_connector(word: &str) -> bool {
    matches!(word, "de" | "do" | "da" | "dos" | "das" | "d" | "e" | "of" | "the" | "and")
}

/// The edit distance of two words (insertions, deletions, substitutions, swaps of adjacent letters), if it is at most
/// `limit`.
pub fn distance(left: &str, right: &str, limit: usize) -> Option<usize> {
    Compared::new(left, limit).distance(right)
}

/// A word to compare with many others.
pub struct Compared<'w> {
    word: &'w [u8],
    letters: u64,
    limit: usize,
}

/// What rules most words out before they are read: the first byte, the length in bytes and the set of letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Outline {
    first: u8,
    len: usize,
    letters: u64,
}

impl Outline {
    pub(crate) fn of(word: &str) -> Self {
        let first = word.bytes().next().unwrap_or_default();
        Self { first, len: word.len(), letters: letters(word.as_bytes()) }
    }
}

impl<'w> Compared<'w> {
    /// Only distances up to `limit` are computed.
    pub fn new(word: &'w str, limit: usize) -> Self {
        Self { word: word.as_bytes(), letters: letters(word.as_bytes()), limit }
    }

    /// Whether a word with this outline can be within the limit. An edit adds one letter at most, so that the sets of
    /// letters alone rule out nearly all words.
    #[inline]
    pub(crate) fn may_be_near(&self, other: Outline) -> bool {
        let is_far = |letters: u64| letters.count_ones() as usize > self.limit;
        self.word.len().abs_diff(other.len) <= self.limit
            && self.word.len().max(other.len) <= MAX_COMPARED
            && !is_far(self.letters & !other.letters)
            && !is_far(other.letters & !self.letters)
    }

    /// The outlines, in order, among which those are that may be near and have the same first byte.
    pub(crate) fn outlines(&self) -> RangeInclusive<Outline> {
        let first = self.word.first().copied().unwrap_or_default();
        let least = Outline { first, len: self.word.len().saturating_sub(self.limit), letters: 0 };
        least..=Outline { first, len: self.word.len() + self.limit, letters: u64::MAX }
    }

    /// As [`distance`].
    pub fn distance(&self, other: &str) -> Option<usize> {
        // before the letters are collected
        let is_far = self.word.len().abs_diff(other.len()) > self.limit;
        if is_far || !self.may_be_near(Outline::of(other)) {
            return None;
        }
        let (left, right, limit) = (self.word, other.as_bytes(), self.limit);
        // rows of bytes, because most of the time goes into filling them, and only cells within the limit
        let far = u8::try_from(limit + 1).unwrap_or(u8::MAX);
        let mut rows = [[far; MAX_COMPARED + 2]; 3];
        for (at, cell) in (0..).zip(rows[0].iter_mut().take(limit + 1)) {
            *cell = at;
        }
        for i in 1..=left.len() {
            let (current, previous, earlier) = (i % 3, (i + 2) % 3, (i + 1) % 3);
            let (from, to) = (i.saturating_sub(limit).max(1), (i + limit).min(right.len()));
            rows[current][from - 1] = if from == 1 { u8::try_from(i).unwrap_or(far).min(far) } else { far };
            let mut best = rows[current][from - 1];
            for j in from..=to {
                let differs = u8::from(left[i - 1] != right[j - 1]);
                let mut cost = (rows[previous][j] + 1)
                    .min(rows[current][j - 1] + 1)
                    .min(rows[previous][j - 1] + differs);
                if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                    cost = cost.min(rows[earlier][j - 2] + 1);
                }
                rows[current][j] = cost;
                best = best.min(cost);
            }
            rows[current][to + 1] = far;
            if best >= far {
                return None;
            }
        }
        Some(usize::from(rows[left.len() % 3][right.len()])).filter(|found| *found <= limit)
    }
}

/// The set of a word's letters and digits, as bits. Letters that share a bit can only hide a difference.
fn letters(word: &[u8]) -> u64 {
    word.iter().fold(0, |letters, byte| letters | 1 << (byte % 64))
}

/// Longer words are not compared.
pub(crate) const MAX_COMPARED: usize = 48;

/// A rough phonetic form in Brazilian Portuguese: "xurrascaria" and "churrascaria", "sinema" and "cinema" have the
/// same. Only used to correct misspelt words.
pub fn phonetic(word: &str) -> String {
    let bytes = word.as_bytes();
    let mut phonetic = String::with_capacity(word.len());
    let mut at = 0;
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let (letter, used) = match (bytes[at], next) {
            (b'c' | b's', b'h') => ('x', 2),
            (b'p', b'h') => ('f', 2),
            (b'q', b'u') if matches!(bytes.get(at + 2), Some(b'e' | b'i')) => ('k', 2),
            (b'c', b'e' | b'i' | b'y') => ('s', 1),
            (b'c' | b'q', _) => ('k', 1),
            (b'z', _) => ('s', 1),
            (b'y', _) => ('i', 1),
            (b'w', _) => ('v', 1),
            (b'h', _) => (' ', 1),
            // "cruzero", "pexe", "oro": the glide is written and hardly spoken
            (b'e', b'i') if matches!(bytes.get(at + 2), Some(b'r' | b'j' | b'x')) => ('e', 2),
            (b'o', b'u') => ('o', 2),
            // at the end of a word all of these are one nasal sound
            (b'n', b'g') if at + 2 == bytes.len() => ('n', 2),
            (b'm', _) if at + 1 == bytes.len() => ('n', 1),
            // one sound, and only one of both is spelt right: "inportados"
            (b'm', b'p' | b'b') => ('n', 1),
            (other, _) => (other as char, 1),
        };
        if letter != ' ' && !phonetic.ends_with(letter) {
            phonetic.push(letter);
        }
        at += used;
    }
    phonetic
}

/// Each word of a folded text with the next one.
pub(crate) fn pairs(folded: &str) -> impl Iterator<Item = &str> {
    let blanks = || folded.match_indices(' ').map(|(at, _)| at);
    let starts = std::iter::once(0).chain(blanks().map(|blank| blank + 1));
    let ends = blanks().skip(1).chain(std::iter::once(folded.len()));
    starts.zip(ends).take(blanks().count()).filter_map(|(start, end)| folded.get(start..end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_word_but_the_last_has_a_pair() {
        for (text, found) in [("", &[][..]), ("bar", &[]), ("casa de cha", &["casa de", "de cha"])] {
            assert_eq!(pairs(text).collect::<Vec<_>>(), found);
        }
    }

    #[test]
    fn spelling_variants_fold_alike() {
        for (left, right) in [
            ("São João", "sao joao"),
            ("S.C.L.N. 408", "SCLN 408"),
            ("A. Norte", "a norte"),
            ("A.Norte", "a norte"),
            ("D.F.", "DF"),
            ("SCLN408", "scln 408"),
            ("408N", "408 n"),
            ("stand-up", "STAND UP"),
            ("Hip‑Hop", "hip hop"),
            ("Núcleo  Bandeirante\t", "nucleo bandeirante"),
            ("d'Armas", "d armas"),
            ("ﬁlmes", "filmes"),
            ("W3", "w 3"),
        ] {
            assert_eq!(fold(left), fold(right), "{left}");
        }
    }

    #[test]
    fn a_plural_has_the_stem_of_its_singular() {
        for (one, many) in [
            ("bar", "bares"),
            ("bar", "bars"),
            ("torre", "torres"),
            ("jardim", "jardins"),
            ("garden", "gardens"),
            ("pao", "paes"),
            ("exposicao", "exposicoes"),
            ("festival", "festivais"),
            ("infantil", "infantis"),
            ("hotel", "hoteis"),
            ("church", "churches"),
            ("party", "parties"),
            ("brewery", "breweries"),
            ("movie", "movies"),
            ("japones", "japoneses"),
            ("japones", "japonesas"),
            ("restaurante", "restaurantes"),
            ("museum", "museums"),
            ("acai", "acais"),
            ("luz", "luzes"),
            ("show", "shows"),
            ("flor", "flores"),
        ] {
            assert_eq!(stem(one), stem(many), "{one} {many}");
        }
    }

    #[test]
    fn misspellings_by_ear_have_the_same_phonetic_form() {
        for (left, right) in [
            ("xurrascaria", "churrascaria"),
            ("sinema", "cinema"),
            ("karaoke", "caraoque"),
            ("xopin", "shopping"),
            ("jardin", "jardim"),
            ("inportados", "importados"),
        ] {
            assert_eq!(phonetic(left), phonetic(right));
        }
    }

    #[test]
    fn the_fast_path_for_portuguese_agrees_with_the_unicode_tables() {
        for letter in '\u{80}'..'\u{250}' {
            let slow: String =
                std::iter::once(letter).nfkd().filter(|part| !is_combining_mark(*part)).collect();
            if let Some(plain) = portuguese(letter) {
                assert_eq!(slow.to_lowercase(), (plain as char).to_string());
            }
        }
    }

    proptest! {
        #[test]
        fn folding_is_idempotent(text in "\\PC{0,60}") {
            let once = fold(&text);
            prop_assert_eq!(&fold(&once), &once);
            prop_assert!(once.len() <= MAX_FOLDED);
        }

        #[test]
        fn stemming_is_idempotent(word in "[a-z]{1,14}") {
            let once = stem(&word).into_owned();
            prop_assert_eq!(stem(&once).into_owned(), once);
        }

        #[test]
        fn distance_is_symmetric_and_bounded(left in "[a-e]{0,9}", right in "[a-e]{0,9}", limit in 0usize..4) {
            prop_assert_eq!(distance(&left, &right, limit), distance(&right, &left, limit));
            prop_assert_eq!(distance(&left, &left, limit), Some(0));
            let any = distance(&left, &right, MAX_COMPARED);
            prop_assert_eq!(distance(&left, &right, limit), any.filter(|apart| *apart <= limit));
        }
    }
}
