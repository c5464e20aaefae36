//! Texts as people type them: compared without accents and case, and cleaned of what only looks like a space or a letter.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::problem::Problem;

/// The text in lower case, without accents and outer spaces, for comparisons.
pub(crate) fn fold(text: &str) -> String {
    let folded: String =
        text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    folded.trim().to_owned()
}

/// An id made of a name: `a-z`, digits and hyphens, at most `max` characters, cut between words where that is possible.
pub(crate) fn slug(text: &str, max: usize) -> String {
    let mut slug = String::new();
    for word in fold(text).split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let more = word.len() + usize::from(!slug.is_empty());
        if slug.len() + more > max {
            if slug.is_empty() {
                slug.push_str(&word[..max]);
            }
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    slug
}

/// The text on one line of visible characters, with what was mended.
pub(crate) fn clean(text: &str, problems: &mut Vec<Problem>) -> String {
    let mut note = |problem: Problem| {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    };
    let text = match unscrambled(text.trim()) {
        Some(mended) => {
            note(Problem::Mojibake);
            mended
        }
        None => text.trim().to_owned(),
    };
    if text.contains('\u{fffd}') {
        note(Problem::LostLetters);
    }
    let mut cleaned = String::with_capacity(text.len());
    for c in text.nfc() {
        match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{b}' => {
                note(Problem::LineBreak);
                cleaned.push(' ');
            }
            '\t' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
                note(Problem::Invisible);
                cleaned.push(' ');
            }
            '“' | '”' | '„' | '‟' => {
                note(Problem::SmartQuotes);
                cleaned.push('"');
            }
            '‘' | '’' | '‚' | '‛' => {
                note(Problem::SmartQuotes);
                cleaned.push('\'');
            }
            c if c.is_control() || is_hidden(c) => note(Problem::Invisible),
            c => cleaned.push(c),
        }
    }
    let spaced: Vec<&str> = cleaned.split(' ').filter(|word| !word.is_empty()).collect();
    let spaced = spaced.join(" ");
    if text.contains("  ") {
        note(Problem::DoubleSpace);
    }
    spaced
}

/// Characters without a width, which `check` refuses in every text.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffc}' | '\u{e0000}'..='\u{e007f}')
}

/// The text that UTF-8 was before it was read as Windows-1252 ("SÃ£o"), word by word; `None` when it was not.
fn unscrambled(text: &str) -> Option<String> {
    let mut mended_any = false;
    let words: Vec<String> = text
        .split(' ')
        .map(|word| {
            let mended = unscrambled_word(word);
            mended_any |= mended.is_some();
            mended.unwrap_or_else(|| word.to_owned())
        })
        .collect();
    mended_any.then(|| words.join(" "))
}

fn unscrambled_word(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let (bytes, _, unmappable) = encoding_rs::WINDOWS_1252.encode(word);
    let read = if unmappable { None } else { String::from_utf8(bytes.into_owned()).ok() }?;
    // a word may have been scrambled twice
    Some(unscrambled_word(&read).unwrap_or(read))
}

/// How far two folded texts may differ to be taken for one: a quarter of the letters, none in short texts.
pub(crate) fn near_limit(text: &str) -> usize {
    text.chars().count() / 4
}

/// The text of a number as a person writes it: 5, 12.5.
pub(crate) fn number(value: f64) -> String {
    format!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrambled_letters_are_mended_and_others_stay() {
        let mut problems = Vec::new();
        assert_eq!(clean("SÃ£o SebastiÃ£o – cafÃ©", &mut problems), "São Sebastião – café");
        assert_eq!(problems, [Problem::Mojibake]);
        for fine in ["São João", "PÃO", "Água “Â”", "Ãnimo"] {
            let mut problems = Vec::new();
            clean(fine, &mut problems);
            assert!(!problems.contains(&Problem::Mojibake), "{fine}");
        }
    }

    #[test]
    fn ids_are_cut_between_words() {
        assert_eq!(slug("Festa do Divino (Planaltina)", 60), "festa-do-divino-planaltina");
        assert_eq!(slug("Feira da Torre", 10), "feira-da");
        assert_eq!(slug("Ñoquería", 3), "noq");
        assert_eq!(slug("★", 60), "");
    }
}
