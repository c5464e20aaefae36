//! The rules for single texts: clean, not too long, a valid slug, link or handle.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Display;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::defect::Report;
use crate::limits::{MAX_ALIASES, MAX_HANDLE, MAX_ID, MAX_LINK, MAX_NAME};

/// A value as a defect shows it: quoted, escaped and truncated.
pub(crate) fn quoted(value: &str) -> String {
    let mut shown: String = value.chars().take(60).flat_map(char::escape_debug).collect();
    if value.chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// Checks that a text is not empty, clean and not too long.
pub(crate) fn check(report: &mut Report, field: impl Display, value: &str, max: usize) {
    if value.is_empty() {
        return report.add(field, || ("is empty", "give it a text, or leave the field out"));
    }
    if value.trim() != value {
        report.add(&field, || {
            (format!("{} begins or ends with a space", quoted(value)), "remove the spaces around it")
        });
    }
    if let Some(hidden) = value.chars().find(|c| is_hidden(*c)) {
        report.add(&field, || {
            let what = format!("contains the control or invisible character U+{:04X}", hidden as u32);
            (what, "remove it; a text is one line of visible characters")
        });
    }
    // A text has at most as many characters as bytes, so that only long ones are counted.
    if value.len() > max && value.chars().count() > max {
        report.add(&field, || {
            (format!("is {} characters long", value.chars().count()), format!("shorten it to {max} or fewer"))
        });
    }
}

/// Checks other names.
pub(crate) fn aliases(report: &mut Report, aliases: &[String]) {
    at_most(report, "aliases", aliases.len(), MAX_ALIASES);
    check_list(report, "aliases", &aliases[..aliases.len().min(MAX_ALIASES)]);
}

/// Reports a list that is too long.
pub(crate) fn at_most(report: &mut Report, field: &str, count: usize, most: usize) {
    if count > most {
        report.add(field, || (format!("holds {count} entries"), format!("keep the {most} that matter most")));
    }
}

/// Checks a list of names or words: each clean, no duplicates.
pub(crate) fn check_list(report: &mut Report, field: &str, words: &[String]) {
    let mut seen = HashSet::new();
    for (position, word) in words.iter().enumerate() {
        check(report, format_args!("{field}[{position}]"), word, MAX_NAME);
        if !seen.insert(word.as_str()) {
            report.add(format_args!("{field}[{position}]"), || {
                (format!("{} is listed twice", quoted(word)), "remove the second one")
            });
        }
    }
}

/// Whether a text can be an id or a slug.
pub fn is_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.len() <= MAX_ID && text.bytes().all(fits)
}

/// Checks an id or a slug.
pub(crate) fn check_slug(report: &mut Report, field: impl Display, value: &str) {
    if !is_id(value) {
        report.add(field, || {
            let what = format!("{} is not an id", quoted(value));
            (what, format!("use 1 to {MAX_ID} lower-case letters a-z, digits and hyphens"))
        });
    }
}

/// Checks that a link is an absolute https URI in ASCII.
pub(crate) fn check_link(report: &mut Report, field: impl Display, value: &str) {
    let Some(rest) = value.strip_prefix("https://") else {
        return report.add(field, || {
            let fix = match value.strip_prefix("http://") {
                Some(rest) => format!("write https://{rest} if the site answers there, else leave it out"),
                None => "write the whole address, from https:// on".into(),
            };
            (format!("{} is not an absolute https link", quoted(value)), fix)
        });
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !is_host(host) {
        return report.add(field, || {
            (format!("{} has no valid host", quoted(value)), "write it as https://host/path")
        });
    }
    if value.len() > MAX_LINK {
        report.add(&field, || {
            (format!("is {} characters long", value.len()), format!("use at most {MAX_LINK}"))
        });
    }
    if !is_uri_text(&rest[host.len()..]) {
        report.add(field, || {
            let what = format!("{} contains a character that is not allowed in a link", quoted(value));
            (what, "percent-encode spaces, accents, quotes and brackets")
        });
    }
}

/// Checks an Instagram handle.
pub(crate) fn check_handle(report: &mut Report, field: impl Display, value: &str) {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_';
    if !value.is_empty() && value.len() <= MAX_HANDLE && value.bytes().all(fits) {
        return;
    }
    report.add(field, || {
        let fix = if value.contains("instagram.com") || value.contains("://") {
            "write the handle alone; the address goes to links.instagram".into()
        } else if let Some(bare) = value.strip_prefix('@') {
            format!("write it without the @: {}", quoted(bare))
        } else {
            format!("use 1 to {MAX_HANDLE} letters, digits, dots and underscores")
        };
        (format!("{} is not an Instagram handle", quoted(value)), fix)
    });
}

/// Whether a character is invisible or changes how others look: control characters, zero-width and directional marks,
/// and the replacement character. Texts with them look the same and differ.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffd}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether it is `name.name[:port]`, without user, single label or IP address in brackets.
fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.contains('.') && name.split('.').all(label) && port.parse::<u16>().is_ok()
}

/// Whether the text is valid after the host of a URI (RFC 3986).
fn is_uri_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, byte)| match byte {
        b'%' => bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
        _ => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(byte),
    })
}

/// The text without accents and case, to compare names.
pub fn folded(text: &str) -> String {
    text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

/// Joins initials with dots and no spaces: "S.C.L.N. 408" is SCLN 408, but "A. Norte" stays two words.
pub fn join_initials(text: &str) -> Cow<'_, str> {
    if !text.contains('.') {
        return Cow::Borrowed(text);
    }
    let letters: Vec<char> = text.chars().collect();
    let is = |at: Option<usize>, kind: fn(char) -> bool| {
        at.and_then(|at| letters.get(at)).is_some_and(|one| kind(*one))
    };
    let joins = |at: usize| {
        is(at.checked_sub(1), char::is_alphabetic)
            && !is(at.checked_sub(2), char::is_alphanumeric)
            && is(Some(at + 1), char::is_alphabetic)
            && !is(Some(at + 2), char::is_alphabetic)
    };
    let kept = letters.iter().enumerate().filter(|(at, letter)| **letter != '.' || !joins(*at));
    Cow::Owned(kept.map(|(_, letter)| *letter).collect())
}

/// The name nearest to a word, if at most a third of the letters differ. A candidate is a spelling and its name.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Option<&'a str> {
    // The edit distance is quadratic, so that texts too long for a name are not compared.
    if word.len() > 4 * MAX_NAME {
        return None;
    }
    let word = folded(word.trim());
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|(spelling, name)| (strsim::osa_distance(&word, &folded(spelling)), name))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How to fix an unknown name: with the nearest known one, else as given.
pub(crate) fn suggestion(nearest: Option<&str>, otherwise: impl Into<String>) -> String {
    match nearest {
        Some(name) => format!("did you mean {}?", quoted(name)),
        None => otherwise.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(check: impl FnOnce(&mut Report)) -> usize {
        let mut report = Report::new();
        check(&mut report);
        report.finish(()).err().map_or(0, |defects| defects.listed.len())
    }

    #[test]
    fn links_are_absolute_https_uris() {
        for good in [
            "https://a.br",
            "https://a.br/",
            "https://a-b.com.br:8443/x?y=%20#z",
            "https://maps.google.com/?q=1,2",
        ] {
            assert_eq!(faults(|r| check_link(r, "website", good)), 0, "{good}");
        }
        for bad in [
            "http://a.br",
            "//a.br",
            "a.br",
            "https://",
            "https://localhost",
            "https://u@a.br",
            "https://a.br/é",
            "https://a.br/ x",
            "https://a.br/%zz",
            "https://a.br/%2",
            "https://[::1]/",
            "https://a..br",
            "HTTPS://a.br",
            "javascript:alert(1)",
            "https://a.br:99999/",
            "",
        ] {
            assert_eq!(faults(|r| check_link(r, "website", bad)), 1, "{bad}");
        }
    }

    #[test]
    fn hidden_characters_are_defects() {
        for bad in ["a\u{200b}b", "a\u{202e}b", "a\nb", "a\u{0}b", "a\u{feff}b", "a\u{fffd}b"] {
            assert_eq!(faults(|r| check(r, "name", bad, MAX_NAME)), 1, "{bad:?}");
        }
        assert_eq!(faults(|r| check(r, "name", "Pôr do Sol 🌅", MAX_NAME)), 0);
    }

    #[test]
    fn the_nearest_name_is_found_through_accents_case_and_aliases() {
        let names =
            [("Águas Claras", "Águas Claras"), ("Asa Norte", "Asa Norte"), ("North Wing", "Asa Norte")];
        assert_eq!(nearest("aguas claras", names), Some("Águas Claras"));
        assert_eq!(nearest("Asa Nrote", names), Some("Asa Norte"));
        assert_eq!(nearest("north wing", names), Some("Asa Norte"));
        assert_eq!(nearest("Copacabana", names), None);
    }
}
