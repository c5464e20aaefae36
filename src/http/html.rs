//! What every page for people has in common, whoever writes it: a language, text that cannot become markup, and the
//! headers that keep browsers to what the page is for. Uses hyper's types only.

use std::borrow::Cow;

use hyper::Uri;
use hyper::header::{
    ACCEPT_LANGUAGE, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
};

/// The policy of a page that may load and do nothing.
pub const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; base-uri 'none'; frame-ancestors 'none'");

/// The language of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Brazilian Portuguese.
    Portuguese,
    /// English.
    English,
}

impl Language {
    /// What the address asks for (`lang`), or else what the browser prefers.
    pub fn of(uri: &Uri, headers: &HeaderMap) -> Language {
        let query = uri.query().unwrap_or_default();
        let asked = url::form_urlencoded::parse(query.as_bytes())
            .find_map(|(name, value)| (name == "lang").then(|| value.into_owned()));
        let preferred = || Some(headers.get(ACCEPT_LANGUAGE)?.to_str().ok()?.to_owned());
        let wanted = asked.or_else(preferred).unwrap_or_default().to_ascii_lowercase();
        let place = |language: &str| wanted.find(language).unwrap_or(usize::MAX);
        if place("en") < place("pt") { Language::English } else { Language::Portuguese }
    }

    /// Its code, as pages and addresses write it.
    pub fn code(self) -> &'static str {
        match self {
            Language::Portuguese => "pt",
            Language::English => "en",
        }
    }

    /// The one of two texts that is in this language.
    pub fn pick<T>(self, portuguese: T, english: T) -> T {
        match self {
            Language::Portuguese => portuguese,
            Language::English => english,
        }
    }
}

/// Which bytes mean something in markup. Nearly every text is looked through for them, and a table is quicker asked.
static SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut at = 0;
    while at < MARKUP.len() {
        special[MARKUP[at] as usize] = true;
        at += 1;
    }
    special
};

const MARKUP: &[u8] = b"&<>\"'";

/// Text as it stands in a page, between tags or in the quotes of an attribute.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let special = |text: &str| text.bytes().position(|byte| SPECIAL[usize::from(byte)]);
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = special(rest) {
        let (plain, marked) = rest.split_at(at);
        out.push_str(plain);
        out.push_str(match marked.as_bytes() {
            [b'&', ..] => "&amp;",
            [b'<', ..] => "&lt;",
            [b'>', ..] => "&gt;",
            [b'"', ..] => "&quot;",
            _ => "&#39;",
        });
        rest = &marked[1..];
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Puts on the headers of a page: its policy, no frames, and no word to other sites of where a reader comes from.
pub fn protect(headers: &mut HeaderMap, policy: &HeaderValue) {
    headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(HeaderName::from_static("x-frame-options"), HeaderValue::from_static("DENY"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_becomes_markup() {
        assert_eq!(escaped("Café & Cia"), "Café &amp; Cia");
        assert_eq!(escaped("<b a=\"1\" c='2'>"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;");
        assert!(matches!(escaped("Beirute"), Cow::Borrowed("Beirute")));
    }

    #[test]
    fn the_address_says_the_language_and_else_the_browser() {
        let language = |uri: &str, accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_str(accept).expect("a value"));
            Language::of(&uri.parse().expect("an address"), &headers)
        };
        assert_eq!(language("/?lang=en", "pt-BR"), Language::English);
        assert_eq!(language("/", "en-GB,pt;q=0.5"), Language::English);
        assert_eq!(language("/", "pt-BR,en;q=0.5"), Language::Portuguese);
        assert_eq!(language("/?lang=fr", "de"), Language::Portuguese);
    }
}
