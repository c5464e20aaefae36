//! The choice of a language from a request.

use hyper::Uri;
use hyper::header::{ACCEPT_LANGUAGE, HeaderMap};
use url::form_urlencoded;

pub use crate::domain::language::Language;

impl Language {
    /// The language that the query parameter `lang` names, else the one that `Accept-Language` prefers, else
    /// Portuguese.
    pub fn negotiate(uri: &Uri, headers: &HeaderMap) -> Language {
        let query = uri.query().unwrap_or_default().as_bytes();
        let named = form_urlencoded::parse(query)
            .find_map(|(name, value)| if name == "lang" { Language::from_tag(&value) } else { None });
        let accepted = || {
            let lines = headers.get_all(ACCEPT_LANGUAGE).iter().filter_map(|line| line.to_str().ok());
            preferred(lines.flat_map(|line| line.split(',')))
        };
        named.or_else(accepted).unwrap_or(Language::Portuguese)
    }
}

/// The known language with the highest quality; the first of equals.
fn preferred<'h>(ranges: impl Iterator<Item = &'h str>) -> Option<Language> {
    // Each range is parsed by itself because the crate sorts a list by a quality that may be NaN.
    let accepted = ranges
        .flat_map(accept_language::parse_with_quality)
        .filter(|(_, quality)| *quality > 0.0)
        .filter_map(|(tag, quality)| Some((Language::from_tag(&tag)?, quality)));
    accepted.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(language, _)| language)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn lang_wins_over_accept_language_and_portuguese_is_the_default() {
        let language = |uri: &str, accepted: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_str(accepted).expect("a header value"));
            Language::negotiate(&uri.parse().expect("a URI"), &headers)
        };
        let (portuguese, english) = (Language::Portuguese, Language::English);
        for (uri, accepted, expected) in [
            ("/?lang=en", "pt-BR", english),
            ("/?lang=EN-us", "pt-BR", english),
            ("/?lang=pt-BR", "en", portuguese),
            ("/?lang=french", "", portuguese),
            ("/?lang=french", "en-GB", english),
            ("/?lang=", "en", english),
            ("/?lang=fr&lang=en", "pt", english),
            ("/", "en-GB,pt;q=0.5", english),
            ("/", "pt;q=0.5, en;q=0.8", english),
            ("/", "en;q=0.5,pt-BR;q=0.9", portuguese),
            ("/", "en;q=0, fr", portuguese),
            ("/", "en;q=0, pt;q=0.1", portuguese),
            ("/", "en;q=NaN, pt", portuguese),
            ("/", "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", english),
            ("/", "de, *", portuguese),
            ("/", "french", portuguese),
            ("/", ";;q=,,=", portuguese),
        ] {
            assert_eq!(language(uri, accepted), expected, "{uri} {accepted}");
        }
        assert_eq!(Language::negotiate(&"/".parse().expect("a URI"), &HeaderMap::new()), portuguese);
    }
}
