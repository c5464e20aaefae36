//! Texts that were decoded wrongly: UTF-8 that was read as Windows-1252 or Latin-1, "PraÃ§a" for "Praça".

use encoding_rs::{WINDOWS_1252, mem};

/// How the first bytes of accented letters, of typographic signs and of emoji look when they are read so.
const FIRST: [char; 4] = ['Ã', 'Â', 'â', 'ð'];
/// What may follow a letter in a text that is right, and may also be how the second byte of a letter looks: the end of
/// "“CAFÉ DA MANHÃ”" is that of "MANHÔ" read wrongly, too.
const CLOSING: [char; 9] = ['…', '’', '”', '–', '—', '•', '›', '»', '™'];
/// Letters and signs that only a closing sign can be taken for, and that hardly any text here has.
const UNLIKELY: [char; 3] = ['Å', 'Ö', '×'];

/// The text that was meant, when this one was decoded wrongly. Each word is looked at, because a text may be put
/// together of right and wrong ones.
pub fn unscrambled(text: &str) -> Option<String> {
    if !text.contains(FIRST) {
        return None;
    }
    let all_is_wrong = decoded(text).is_some();
    let mut is_mended = false;
    let words = text.split(' ').map(|word| {
        let mended = mended(word, all_is_wrong);
        is_mended |= mended.is_some();
        mended.unwrap_or_else(|| word.to_owned())
    });
    let words: Vec<String> = words.collect();
    is_mended.then(|| words.join(" "))
}

fn mended(word: &str, all_is_wrong: bool) -> Option<String> {
    let read = decoded(word)?;
    let is_likely = is_surely_wrong(word) || all_is_wrong && !read.contains(UNLIKELY);
    // it may have been decoded wrongly twice
    is_likely.then(|| mended(&read, false).unwrap_or(read))
}

/// Whether a word that can be decoded again is not just one that ends with a closing sign.
fn is_surely_wrong(word: &str) -> bool {
    let followed = word.chars().zip(word.chars().skip(1));
    word.contains(['â', 'ð'])
        || followed.into_iter().any(|(one, next)| matches!(one, 'Ã' | 'Â') && !CLOSING.contains(&next))
}

/// The text that the bytes of a text are in UTF-8, when they are other than ASCII and no controls of Latin-1 come of
/// it.
fn decoded(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let (bytes, _, has_others) = WINDOWS_1252.encode(text);
    let bytes = match has_others {
        false => bytes,
        true if mem::is_str_latin1(text) => mem::encode_latin1_lossy(text),
        true => return None,
    };
    String::from_utf8(bytes.into_owned())
        .ok()
        .filter(|read| !read.contains(|c| matches!(c, '\u{80}'..='\u{9f}')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrongly_decoded_texts_are_told_from_right_ones() {
        for (wrong, right) in [
            ("PraÃ§a dos TrÃªs Poderes", "Praça dos Três Poderes"),
            ("SÃ£o Jo\u{c3}\u{a3}o", "São João"),
            ("SÃ£o JoÃ£o – cafÃ©", "São João – café"),
            ("SÃƒÂ£o JoÃ£o", "São João"),
            ("Quadra 5Âº", "Quadra 5º"),
            ("SÃ£o\nJoÃ£o", "São\nJoão"),
            ("PROMOÃ‡ÃƒO", "PROMOÇÃO"),
            ("METRÃ”", "METRÔ"),
            ("Ã“PERA", "ÓPERA"),
            ("Bar â€œdo Zéâ€\u{9d}", "Bar “do Zéâ€\u{9d}"),
            ("o melhor â€“ sempre", "o melhor – sempre"),
            ("Carnaval ðŸŽ‰", "Carnaval 🎉"),
            // Latin-1, which has control characters where Windows-1252 has signs
            ("o melhor â\u{80}\u{93} sempre", "o melhor – sempre"),
        ] {
            assert_eq!(unscrambled(wrong).as_deref(), Some(right), "{wrong}");
        }
        for right in [
            "Praça dos Três Poderes",
            "Ângela",
            "São Paulo",
            "MAÇÃ",
            "câmara",
            "Ã",
            "pâté",
            "“BOTECO DO ZÉ”",
            "“CAFÉ DA MANHÃ”",
            "CAFE DA MANHÃ…",
            "CAFÉ–BAR",
            "“até amanhã…”",
            "Água “Â”",
            "VOCÊ™",
        ] {
            assert_eq!(unscrambled(right), None, "{right}");
        }
    }
}
