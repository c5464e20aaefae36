//! The paths of pages in each language.

use crate::http::language::Language;

/// First segments of paths that differ, in Portuguese and in English.
const SEGMENTS: [(&str, &str); 11] = [
    ("hoje", "today"),
    ("amanha", "tomorrow"),
    ("fim-de-semana", "weekend"),
    ("dia", "day"),
    ("agenda", "calendar"),
    ("categoria", "category"),
    ("sobre", "about"),
    ("sugerir", "suggest"),
    ("privacidade", "privacy"),
    ("termos", "terms"),
    ("contato", "contact"),
];

/// The path of a page in a language, from the one in Portuguese: the English site is under `/en`, with its own words.
pub(super) fn localized(language: Language, path: &str) -> String {
    if language == Language::Portuguese {
        return path.to_owned();
    }
    let inside = path.trim_start_matches('/');
    let (first, rest) = inside.split_at(inside.find(['/', '?', '#']).unwrap_or(inside.len()));
    let first = SEGMENTS.iter().find(|(own, _)| *own == first).map_or(first, |(_, english)| english);
    match first {
        "" => format!("/en{rest}"),
        first => format!("/en/{first}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_in_the_words_of_their_language() {
        for (portuguese, english) in [
            ("/", "/en"),
            ("/?page=2", "/en?page=2"),
            ("/plans", "/en/plans"),
            ("/hoje", "/en/today"),
            ("/hoje#noite", "/en/today#noite"),
            ("/agenda/2026-11", "/en/calendar/2026-11"),
            ("/categoria/jazz?page=2", "/en/category/jazz?page=2"),
            ("/area/asa-norte/boteco", "/en/area/asa-norte/boteco"),
        ] {
            assert_eq!(localized(Language::Portuguese, portuguese), portuguese);
            assert_eq!(localized(Language::English, portuguese), english);
        }
    }
}
