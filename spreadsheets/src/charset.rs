//! The encoding of a CSV file that is no Unicode. Excel writes Windows-1252 ("CSV"), CP850 ("CSV (MS-DOS)") or Mac
//! Roman ("CSV (Macintosh)") and says nowhere which: the one is taken under which the text is written as people write
//! Portuguese.

use std::borrow::Cow;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};
use yore::code_pages::CP850;

/// An encoding.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Charset {
    /// One that browsers know too.
    Of(&'static Encoding),
    /// That of MS-DOS in western Europe and Brazil.
    Cp850,
}

impl Charset {
    const OF_ONE_BYTE: [Self; 3] = [Self::Of(WINDOWS_1252), Self::Cp850, Self::Of(MACINTOSH)];

    /// The text of bytes; what is invalid becomes U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Of(encoding) => encoding.decode_without_bom_handling(bytes).0,
            Self::Cp850 => CP850.decode(bytes),
        }
    }
}

/// What a letter in its place adds; a sign adds half, and what nobody writes there takes away more.
const LETTER: i64 = 4;
const SIGN: i64 = 2;
const ODD: i64 = -2;
const WRONG: i64 = -6;
/// By how much the best encoding must be better than the next.
const CLEAR: i64 = 2;

/// Words that show which encoding is meant where another also gives letters: "PREÇO" in Windows-1252 is "PREÃO" in
/// CP850.
const TELLING: [&str; 5] = ["preço", "endereço", "espaço", "almoço", "joão"];

/// The encoding of bytes of which each is a character; nothing when no encoding is clearly right.
pub(crate) fn of_one_byte(bytes: &[u8]) -> Option<Charset> {
    let mut scored = Charset::OF_ONE_BYTE.map(|charset| (score(&charset.decode(bytes)), charset));
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let [(best, charset), (next, _), _] = scored;
    (best > 0 && best - next >= CLEAR).then_some(charset)
}

/// A character and those around it.
struct Place {
    two_before: char,
    before: char,
    this: char,
    after: char,
    two_after: char,
}

/// How well the characters beyond ASCII stand in a text.
fn score(text: &str) -> i64 {
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX / 32);
    let ahead = text.chars().skip(1).chain([' ', ' ']);
    let two_ahead = text.chars().skip(2).chain([' ', ' ', ' ']);
    let (mut sum, mut two_before, mut before) = (0, ' ', ' ');
    for ((this, after), two_after) in text.chars().zip(ahead).zip(two_ahead) {
        if !this.is_ascii() {
            sum += fit(&Place { two_before, before, this, after, two_after });
        }
        (two_before, before) = (before, this);
    }
    // a quote has its partner in the same text
    let (opened, closed) = (text.matches('“').count(), text.matches('”').count());
    sum +=
        if opened == closed { SIGN * count(opened + closed) } else { WRONG * count(opened.abs_diff(closed)) };
    let lower = text.to_lowercase();
    sum + LETTER * count(TELLING.iter().map(|word| lower.matches(word).count()).sum())
}

/// How well a character stands in its place.
fn fit(place: &Place) -> i64 {
    let (before, after) = (place.before, place.after);
    let beside_letter = before.is_alphabetic() || after.is_alphabetic();
    let good = |is_good: bool, points: i64| if is_good { points } else { WRONG };
    match place.this {
        'º' | 'ª' | '°' => SIGN + if before.is_ascii_digit() { SIGN } else { 0 },
        '“' | '‘' | '¿' | '¡' => good(!before.is_alphanumeric(), SIGN),
        '”' | '…' => good(before != ' ' && !after.is_alphabetic(), SIGN),
        '’' if is_genitive(place) && !"au".contains(before) => LETTER,
        '’' => good(before.is_alphanumeric(), SIGN),
        '–' | '—' | '•' | '·' | '×' | '\u{a0}' => SIGN,
        '€' => good(!beside_letter, SIGN),
        '®' | '™' | '©' | '²' | '³' | '½' | '¼' | '£' | '§' | '´' | '«' | '»' => ODD,
        letter if is_of_portuguese(letter) => {
            let stands = beside_letter || "àéÀÉ".contains(letter);
            let points = if !stands {
                0
            } else if letter == 'í' && is_genitive(place) {
                SIGN
            } else {
                LETTER
            };
            good(has_case_of_word(place) && is_spelt(place), points)
        }
        letter if is_of_western_europe(letter) => good(beside_letter && has_case_of_word(place), 0),
        _ => WRONG,
    }
}

fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// Also Spanish, whose words stand in guides of Brazil.
fn is_of_portuguese(letter: char) -> bool {
    "áâãàçéêíóôõúüñ".contains(lower(letter))
}

fn is_of_western_europe(letter: char) -> bool {
    "èìòùäëïöîûåøæœßý".contains(lower(letter))
}

/// Whether one letter s ends the word: "Joe’s" in Windows-1252 is "Joeís" in Mac Roman, and "país" is "pa’s".
fn is_genitive(place: &Place) -> bool {
    place.after == 's'
        && !place.two_after.is_alphabetic()
        && !(place.this == 'í' && "au".contains(place.before))
}

/// Whether a letter is as large as those around it: "cafÚ", "CÔmara" and "SãO" are not words.
fn has_case_of_word(place: &Place) -> bool {
    let Place { two_before, before, after, .. } = *place;
    if place.this.is_uppercase() {
        !before.is_lowercase()
            && !(before.is_uppercase() && (two_before.is_lowercase() || after.is_lowercase()))
    } else {
        !(after.is_uppercase() || before.is_uppercase() && two_before.is_uppercase())
    }
}

/// Whether a letter of Portuguese stands where its rules allow it. It matters for the bytes that are letters in several
/// encodings: 0x87 is á or ç, 0x88 is à or ê, 0x90 is ê or É.
fn is_spelt(place: &Place) -> bool {
    let (before, after) = (lower(place.before), lower(place.after));
    match lower(place.this) {
        'ç' if before.is_alphabetic() => {
            "aouáâãóõôú".contains(after) && "aeiouáâãéêíóôõúnrlpc".contains(before)
        }
        // "ção" alone; no word begins with it
        'ç' => "ãõ".contains(after),
        // never before these in one word: "preáo"
        'á' => !"ao".contains(after) && !before.is_ascii_digit(),
        'â' => "mn".contains(after),
        'à' => !before.is_alphanumeric() && (!after.is_alphabetic() || "sq".contains(after)),
        'ã' => before.is_alphabetic() && !"auáéíóúâêôç".contains(after),
        'õ' => after == 'e',
        'ê' => before.is_alphabetic() || "nx".contains(after),
        'ü' => before.is_alphabetic(),
        'ñ' => "aeiouáéíóú".contains(after),
        _ => !before.is_ascii_digit(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text in each of the encodings, in their order; nothing where it has no such character.
    fn encoded(text: &str) -> [Option<Vec<u8>>; 3] {
        let of = |encoding: &'static Encoding| {
            let (bytes, _, failed) = encoding.encode(text);
            (!failed).then(|| bytes.into_owned())
        };
        [of(WINDOWS_1252), CP850.encode(text).ok().map(Cow::into_owned), of(MACINTOSH)]
    }

    #[test]
    fn each_encoding_is_known_by_the_words_alone() {
        for text in [
            "Apresentação de São João",
            "Ação",
            "Café às 20h",
            "ção",
            "SÃO JOÃO",
            "APRESENTAÇÃO",
            "Você",
            "Época",
            "Câmara",
            "Ótica",
            "À beira do lago",
            "SÁBADO E DOMINGO, ENTRADA GRÁTIS",
            "CAFÉ",
            "sábado",
            "há",
            "preço",
            "PREÇO;ENDEREÇO",
            "Praça dos Três Poderes",
            "PRAÇA",
            "Paraíso",
            "Pão de açúcar, 1º andar",
            "Águas Claras",
            "Núcleo Bandeirante",
            "Goiás",
            "Guará; Sobradinho; Paranoá",
            "Clube do Choro; violão e flauta; terça às 20h",
            "Peña; El Niño",
        ] {
            for (charset, bytes) in Charset::OF_ONE_BYTE.iter().zip(encoded(text)) {
                let bytes = bytes.unwrap();
                let read = of_one_byte(&bytes).map(|found| found.decode(&bytes).into_owned());
                assert_eq!(read.as_deref(), Some(text), "{charset:?}");
            }
        }
    }

    #[test]
    fn signs_of_windows_1252_are_no_letters_of_other_encodings() {
        for text in [
            "“Show” – R$ 10 €",
            "“Show” – d’Água… 20 €",
            "Entrada: 10 – 20 €",
            "Festa — até as 2h",
            "Joe’s Bar",
            "Bob’s, d’Água",
            "“show”",
            "JAZZ…",
            "seg–sex",
            "2ª a 6ª",
            "Jazz • blues",
        ] {
            let bytes = encoded(text)[0].clone().unwrap();
            let read = of_one_byte(&bytes).map(|found| found.decode(&bytes).into_owned());
            assert_eq!(read.as_deref(), Some(text));
        }
    }

    #[test]
    fn what_may_be_several_texts_is_no_text() {
        for bytes in
            [&b"\xc7"[..], b"\xff\xfe\xfd", b"Caf\xc3\xa9 e S\xc3\xa3o", b"\x81\x8d", b"abc \xf0\xf1\xf2"]
        {
            assert!(of_one_byte(bytes).is_none(), "{bytes:?} is {:?}", of_one_byte(bytes));
        }
    }

    #[test]
    fn no_word_of_the_guide_is_read_as_another_one() {
        let files = snapshots::demo::files();
        let texts = [snapshots::File::Regions, snapshots::File::Categories, snapshots::File::Synonyms];
        let texts = texts.map(|file| files.text(file).unwrap());
        let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphabetic()));
        let (mut wrong, mut told, mut all) = (Vec::new(), 0, 0);
        // of other languages a letter may be taken for one of Portuguese
        let is_portuguese =
            |word: &&str| !word.is_ascii() && word.chars().all(|c| c.is_ascii() || is_of_portuguese(c));
        let words = words.filter(|word| word.chars().count() > 1).filter(is_portuguese);
        for word in words.flat_map(|word| [word.to_owned(), word.to_uppercase()]) {
            for bytes in encoded(&word).into_iter().flatten() {
                let read = of_one_byte(&bytes).map(|found| found.decode(&bytes).into_owned());
                (told, all) = (told + usize::from(read.is_some()), all + 1);
                wrong.extend(read.filter(|read| *read != word).map(|read| (word.clone(), read)));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
        // few words leave it open when they stand alone
        assert!(all > 500 && told * 100 > all * 95, "{told} of {all}");
    }
}
