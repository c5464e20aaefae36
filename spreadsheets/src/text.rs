//! Texts as people type them: compared without accents and case, and cleaned of what only looks like a space or a
//! letter.

use snapshots::limits::MAX_LINE;
use snapshots::{folded, is_hidden, unscrambled};
use unicode_normalization::UnicodeNormalization;

use crate::problem::Problem;

/// What stands for a letter that a wrong encoding has lost.
const LOST: char = '\u{fffd}';

/// The text in lower case, without accents and outer spaces, for comparisons.
pub(crate) fn fold(text: &str) -> String {
    folded(text).trim().to_owned()
}

impl Problem {
    /// The problem with what it quotes as it stands in the cell: days and times are cut out of folded texts.
    pub(crate) fn quoting(mut self, cell: &str) -> Self {
        use Problem as P;
        if let P::NotADate { typed }
        | P::NoSuchDay { typed }
        | P::RelativeDay { typed }
        | P::NotATime { typed }
        | P::StartsAtEndOfDay { typed }
        | P::WeekdaysUnclear { typed }
        | P::SeveralRepeats { typed }
        | P::SlashSessions { typed, .. }
        | P::Mended { typed, .. } = &mut self
        {
            *typed = as_typed(cell, typed).to_owned();
        }
        self
    }
}

/// The part of a text that a folded part was cut out of, as it was typed; all of the text when it is not found.
fn as_typed<'t>(text: &'t str, part: &str) -> &'t str {
    let (text, part) = (text.trim(), fold(part));
    // it takes quadratic time
    if text.len() > 4 * MAX_LINE || part.is_empty() {
        return text;
    }
    let mut before = ' ';
    for (start, c) in text.char_indices() {
        let rest = text.get(start..).unwrap_or_default();
        if !std::mem::replace(&mut before, c).is_alphanumeric() && fold(rest).starts_with(&part) {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            let mut parts = ends.filter_map(|end| rest.get(..end));
            if let Some(found) = parts.find(|found| fold(found) == part) {
                return found.trim();
            }
        }
    }
    text
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
    if text.contains(LOST) {
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
            c if is_hidden(c) && c != LOST => note(Problem::Invisible),
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

/// The text with commas between its lines, where a line does not end with a mark already.
pub(crate) fn with_lines_joined(text: &str, problems: &mut Vec<Problem>) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() > 1 {
        problems.push(Problem::LinesJoined);
    }
    let mut joined = String::with_capacity(text.len());
    for line in lines {
        if !joined.is_empty() {
            joined.push_str(if joined.ends_with([',', ';', '.', ':', '-', '–', '/', '&', '+']) {
                " "
            } else {
                ", "
            });
        }
        joined.push_str(line);
    }
    joined
}

/// The text without the codes by which pages of the web write letters: "Jo&atilde;o &amp; Maria".
pub(crate) fn without_html_codes(text: &str, problems: &mut Vec<Problem>) -> String {
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        read.push_str(before);
        let code = after.split_once(';').and_then(|(code, after)| Some((letter_of(code)?, after)));
        match code {
            Some((letter, after)) => {
                read.push(letter);
                rest = after;
            }
            None => {
                read.push('&');
                rest = after;
            }
        }
    }
    read.push_str(rest);
    if read != text {
        problems.push(Problem::HtmlCodes);
    }
    read
}

/// The letter that a code of HTML stands for: "amp", "#39", "atilde" after its letter.
fn letter_of(code: &str) -> Option<char> {
    const ACCENTS: [(&str, char); 6] = [
        ("acute", '\u{301}'),
        ("tilde", '\u{303}'),
        ("circ", '\u{302}'),
        ("grave", '\u{300}'),
        ("cedil", '\u{327}'),
        ("uml", '\u{308}'),
    ];
    if let Some(number) = code.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(number);
    }
    match code {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        "nbsp" => return Some(' '),
        _ => {}
    }
    let letter = code.chars().next().filter(char::is_ascii_alphabetic)?;
    let (_, accent) = ACCENTS.iter().find(|(name, _)| *name == &code[1..])?;
    unicode_normalization::char::compose(letter, *accent)
}

/// Whether a word has a question mark in it, as programs write for a letter that they cannot: "S?o Jo?o".
pub(crate) fn has_question_mark_within(text: &str) -> bool {
    let is_within = |three: &[char]| match three {
        [before, '?', after] => before.is_alphabetic() && after.is_lowercase(),
        _ => false,
    };
    // not in addresses of pages
    let mut words = text.split(char::is_whitespace).filter(|word| !word.contains(['/', '.', '=']));
    words.any(|word| word.chars().collect::<Vec<_>>().windows(3).any(is_within))
}

/// How far two folded texts may differ to be taken for one: one letter in five, none in short texts. Where more may
/// differ, other words are meant: "moda" and "modão".
pub(crate) fn near_limit(text: &str) -> usize {
    text.chars().count() / 5
}

/// The amount that a text of digits alone is: "12,50", "12.5". Three digits after the last point or comma are
/// thousands, as Brazil writes them: "1.200".
pub(crate) fn amount(text: &str) -> Option<f64> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, cents) = match text.rsplit_once(['.', ',']) {
        Some((whole, cents)) if cents.len() != 3 => (whole, cents),
        _ => (text, "0"),
    };
    let mut groups = whole.split(['.', ',']);
    let first = groups.next().filter(|first| is_digits(first))?;
    let others: Vec<&str> = groups.collect();
    let is_grouped = others.iter().all(|group| group.len() == 3 && is_digits(group));
    if !is_grouped || !is_digits(cents) {
        return None;
    }
    format!("{first}{}.{cents}", others.concat()).parse().ok()
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
    fn amounts_are_read_as_brazil_writes_them() {
        for (typed, expected) in [
            ("20", Some(20.0)),
            ("12,5", Some(12.5)),
            ("12.50", Some(12.5)),
            ("1.200", Some(1_200.0)),
            ("1.200,50", Some(1_200.5)),
            ("1,200.50", Some(1_200.5)),
            ("1.234.567", Some(1_234_567.0)),
            ("0", Some(0.0)),
            ("20,30,40", None),
            ("1.20.300", None),
            ("20.", None),
            (",50", None),
            ("-5", None),
            ("inf", None),
            ("", None),
        ] {
            assert_eq!(amount(typed), expected, "{typed}");
        }
    }

    #[test]
    fn a_folded_part_is_found_as_it_was_typed() {
        for (text, part, expected) in [
            ("todos os dias exceto Terça", " terca", "Terça"),
            ("toda sexta, 19H às 22H?", "19h as 22h?", "19H às 22H?"),
            (" 25:00 ", "25:00", "25:00"),
            ("toda sexta", "", "toda sexta"),
            ("toda sexta-feira", "sexta a", "toda sexta-feira"),
        ] {
            assert_eq!(as_typed(text, part), expected, "{text}");
        }
    }

    #[test]
    fn codes_lines_and_lost_letters_are_found() {
        for (text, expected) in [
            ("João &amp; Maria", "João & Maria"),
            ("Jo&atilde;o &#38; Concei&ccedil;&atilde;o", "João & Conceição"),
            ("Tom & Jerry; Duo", "Tom & Jerry; Duo"),
            ("A&B", "A&B"),
            ("&;&x;", "&;&x;"),
        ] {
            let mut problems = Vec::new();
            assert_eq!(without_html_codes(text, &mut problems), expected);
            assert_eq!(problems.is_empty(), text == expected, "{text}");
        }
        for (text, expected) in [
            ("A\nB\r\n\nC", "A, B, C"),
            ("A,\nB", "A, B"),
            ("A", "A"),
            ("CLN 408\nbloco B", "CLN 408, bloco B"),
        ] {
            assert_eq!(with_lines_joined(text, &mut Vec::new()), expected);
        }
        for (text, expected) in [
            ("S?o Jo?o da Capital", true),
            ("O que é isto?", false),
            ("Quem?Eu", false),
            ("Samba? não", false),
            ("https://x.br/a?id=1", false),
        ] {
            assert_eq!(has_question_mark_within(text), expected, "{text}");
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
