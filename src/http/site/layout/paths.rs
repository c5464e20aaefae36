//! The paths of pages in each language.

use index::grammar::fold::fold;
use percent_encoding::percent_decode_str;

use crate::http::language::Language;

/// First segments of paths that differ, in Portuguese and in English.
const SEGMENTS: [(&str, &str); 16] = [
    ("hoje", "today"),
    ("amanha", "tomorrow"),
    ("fim-de-semana", "weekend"),
    ("proximo-fim-de-semana", "next-weekend"),
    ("dia", "day"),
    ("agenda", "calendar"),
    ("categoria", "category"),
    ("lista", "list"),
    ("mapa", "map"),
    ("sobre", "about"),
    ("sugerir", "suggest"),
    ("privacidade", "privacy"),
    ("termos", "terms"),
    ("contato", "contact"),
    ("sexta", "friday"),
    ("completar", "complete"),
];

/// Second segments of the paths of an account, in Portuguese and in English.
const ACCOUNT: [(&str, &str); 15] = [
    ("entrar", "sign-in"),
    ("codigo", "code"),
    ("sair", "sign-out"),
    ("chave", "key"),
    ("plano", "plan"),
    ("cancelar", "cancel"),
    ("dados", "data"),
    ("exportar", "export"),
    ("excluir", "delete"),
    ("recuperar", "recover"),
    ("pago", "paid"),
    ("email", "email"),
    ("navegador", "browser"),
    ("calendarios", "calendars"),
    ("avisos", "webhook"),
];

/// The path of a page in a language, from the one in Portuguese: the English site is under `/en`, with its own words.
pub(crate) fn localized(language: Language, path: &str) -> String {
    if language == Language::Portuguese {
        return path.to_owned();
    }
    let inside = path.trim_start_matches('/');
    let (first, rest) = inside.split_at(inside.find(['/', '?', '#', '.']).unwrap_or(inside.len()));
    if first == "embed" || (first == "card" && rest.starts_with('/')) {
        return format!("/en/{first}{}", localized(language, rest).trim_start_matches("/en"));
    }
    if first == "conta" {
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let segment = path.trim_start_matches('/');
        return match ACCOUNT.iter().find(|(own, _)| *own == segment) {
            Some((_, english)) => format!("/en/account/{english}{query}"),
            None => format!("/en/account{rest}"),
        };
    }
    let first = SEGMENTS.iter().find(|(own, _)| *own == first).map_or(first, |(_, english)| english);
    match first {
        "" => format!("/en{rest}"),
        first => format!("/en/{first}{rest}"),
    }
}

/// The path in Portuguese of a page, from the one in a language without `/en`; none if its words are of the other
/// language.
pub(crate) fn original(language: Language, path: &str) -> Option<String> {
    let inside = path.trim_start_matches('/');
    let (first, rest) = inside.split_at(inside.find('/').unwrap_or(inside.len()));
    if language == Language::Portuguese {
        return Some(path.to_owned());
    }
    match SEGMENTS.iter().find(|(own, english)| first == *own || first == *english) {
        Some((own, english)) if first == *english => Some(format!("/{own}{rest}")),
        Some(_) => None,
        None => Some(path.to_owned()),
    }
}

/// A path as it is typed, with blanks and accents, in the form that addresses have; none if it has what they lack.
fn plain(path: &str) -> Option<String> {
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    // bytes that are no text were replaced before
    if decoded.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    // an encoded slash is no separator
    if decoded.matches('/').count() != path.matches('/').count() {
        return None;
    }
    let plain: Vec<String> = decoded
        .split('/')
        .map(|segment| match segment.is_ascii() {
            true => segment.replace(' ', "-").to_ascii_lowercase(),
            false => fold(segment).replace(' ', "-"),
        })
        .collect();
    // what browsers read as another host has other marks
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b':');
    let plain = plain.join("/");
    plain.bytes().all(is_plain).then_some(plain)
}

/// The path that was meant by one without a page: with a slash at its end, in capitals, with blanks or accents, or in
/// the words of the other language. `None` if it is as it should be.
pub(crate) fn meant(path: &str) -> Option<String> {
    let tidy = format!("/{}", plain(path)?.trim_matches('/'));
    let (language, inside) = match tidy.strip_prefix("/en").filter(|rest| rest.starts_with('/')) {
        Some(inside) => (Language::English, inside),
        None => (Language::Portuguese, &*tidy),
    };
    let first = inside.split('/').nth(1).unwrap_or_default();
    let named = SEGMENTS.iter().find(|(own, english)| **language.pick(english, own) == *first);
    let meant = match (language, inside, named) {
        // what a segment alone lists has a page of another name
        (_, "/event" | "/dia", _) | (Language::English, "/day", _) => localized(language, "/hoje"),
        (Language::Portuguese, "/day", _) => localized(Language::English, "/hoje"),
        (_, "/place", _) => localized(language, "/?kind=places"),
        (Language::Portuguese, _, _) if first == "account" => format!("/en{inside}"),
        (Language::English, _, _) if first == "conta" => localized(language, inside),
        (Language::English, _, Some(_)) => localized(language, inside),
        (Language::Portuguese, _, Some(_)) => format!("/en{inside}"),
        (_, _, None) => tidy,
    };
    (meant != path).then_some(meant)
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
            ("/conta", "/en/account"),
            ("/conta/excluir", "/en/account/delete"),
            ("/conta/plano?plan=pro", "/en/account/plan?plan=pro"),
            ("/contato", "/en/contact"),
            ("/sexta/stop?r=x", "/en/friday/stop?r=x"),
            ("/area/asa-norte/boteco", "/en/area/asa-norte/boteco"),
            ("/agenda.ics", "/en/calendar.ics"),
            ("/embed/categoria/jazz", "/en/embed/category/jazz"),
            ("/card/categoria/jazz.png", "/en/card/category/jazz.png"),
            ("/card/hoje.png", "/en/card/today.png"),
            ("/card.png", "/en/card.png"),
        ] {
            assert_eq!(localized(Language::Portuguese, portuguese), portuguese);
            assert_eq!(localized(Language::English, portuguese), english);
        }
    }

    #[test]
    fn a_path_without_a_page_leads_to_the_one_that_was_meant() {
        for (path, expected) in [
            ("/hoje/", Some("/hoje")),
            ("/Area/Asa-Norte", Some("/area/asa-norte")),
            ("/today", Some("/en/today")),
            ("/en/hoje", Some("/en/today")),
            ("/en/categoria/jazz/", Some("/en/category/jazz")),
            ("/agenda/", Some("/agenda")),
            ("/area/", Some("/area")),
            ("/category", Some("/en/category")),
            ("/en/categoria", Some("/en/category")),
            ("/en/agenda/2026-12", Some("/en/calendar/2026-12")),
            ("/dia", Some("/hoje")),
            ("/day", Some("/en/today")),
            ("/en/day", Some("/en/today")),
            ("/HOJE", Some("/hoje")),
            ("/EN", Some("/en")),
            ("/area/asa%20norte", Some("/area/asa-norte")),
            ("/agenda/+262142-12", None),
            ("/place/%EF%BF%BD", None),
            ("/area/S%C3%A3o%20Sebasti%C3%A3o", Some("/area/sao-sebastiao")),
            ("/account", Some("/en/account")),
            ("/en/conta/cancelar", Some("/en/account/cancel")),
            ("/event", Some("/hoje")),
            ("/en/place", Some("/en?kind=places")),
            ("/weekend", Some("/en/weekend")),
            ("/en/sexta", Some("/en/friday")),
            ("//evil.example/", Some("/evil.example")),
            ("/hoje", None),
            ("/en/today", None),
            ("/place/nenhum", None),
            ("/\\evil.example/", None),
            ("/%2F%2Fevil/", None),
            ("/%5Cevil.example/", None),
            ("/area/%0d%0aevil", None),
            ("/area/%ff", None),
        ] {
            assert_eq!(meant(path).as_deref(), expected, "{path}");
            assert!(expected.is_none_or(|path| meant(path).is_none()), "{path} leads on");
        }
    }

    #[test]
    fn a_path_is_read_in_the_words_of_its_language_only() {
        for (portuguese, english) in [("/hoje", "/today"), ("/categoria/jazz", "/category/jazz")] {
            assert_eq!(original(Language::Portuguese, portuguese).as_deref(), Some(portuguese));
            assert_eq!(original(Language::English, english).as_deref(), Some(portuguese));
            assert_eq!(original(Language::English, portuguese), None);
        }
        assert_eq!(original(Language::English, "/event/choro").as_deref(), Some("/event/choro"));
    }
}
