//! Links and Instagram handles, completed where one can tell what is meant.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use snapshots::limits::MAX_HANDLE;

use crate::contacts::{is_mail, is_telephone};
use crate::price;
use crate::problem::Problem;

/// What the text of a link must not hold as it is.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// An absolute https link; `None`, and a problem, when it is none.
pub(crate) fn link(typed: &str, problems: &mut Vec<Problem>) -> Option<String> {
    let refused = || Problem::NotALink { typed: typed.to_owned() };
    let text = typed.trim_matches(['<', '>', '"', '\'', ' ']);
    let lower = text.to_ascii_lowercase();
    if lower
        .split_whitespace()
        .skip(1)
        .any(|word| word.starts_with("http://") || word.starts_with("https://"))
    {
        problems.push(refused());
        return None;
    }
    let rest = if lower.starts_with("https://") {
        &text[8..]
    } else if lower.starts_with("http://") {
        problems.push(Problem::HttpLink);
        &text[7..]
    } else if text.contains("://") || text.contains('@') && !text.contains('/') {
        problems.push(refused());
        return None;
    } else {
        problems.push(Problem::CompletedLink);
        text.trim_start_matches('/')
    };
    let host_ends = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(host_ends);
    let host = url::Host::parse(host.split(':').next().unwrap_or_default()).ok().map(|_| host.to_lowercase());
    let host = host.filter(|host| host.contains('.') && !host.ends_with('.') && !host.contains(' '));
    let top = host.as_deref().and_then(|host| host.split(':').next()?.rsplit('.').next()).unwrap_or_default();
    let Some(host) = host.as_deref().filter(|_| top.len() >= 2 && top.chars().all(char::is_alphanumeric))
    else {
        problems.retain(|problem| !matches!(problem, Problem::HttpLink | Problem::CompletedLink));
        problems.push(refused());
        return None;
    };
    let host = if host.is_ascii() {
        host.to_owned()
    } else {
        url::Url::parse(&format!("https://{host}")).ok()?.host_str()?.to_owned()
    };
    let encoded: String = utf8_percent_encode(path, ENCODED).to_string();
    let encoded = percent_signs(&encoded);
    if encoded != path {
        problems.push(Problem::EncodedLink);
    }
    Some(format!("https://{host}{encoded}"))
}

/// Encodes percent signs that begin no percent-encoding.
fn percent_signs(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        encoded.push(c);
        let is_hex =
            text.as_bytes().get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        if c == '%' && !is_hex {
            encoded.push_str("25");
        }
    }
    encoded
}

/// What a cell for an Instagram profile holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Instagram {
    pub(crate) handle: Option<String>,
    /// The link of a post, which names no profile.
    pub(crate) link: Option<String>,
}

/// The handle of a profile, also from a link of it or with an @; a problem when it is none.
pub(crate) fn instagram(typed: &str, problems: &mut Vec<Problem>) -> Instagram {
    let lower = typed.trim().to_lowercase();
    let path = ["instagram.com/", "instagr.am/"]
        .iter()
        .find_map(|site| lower.split_once(site))
        .map(|(_, path)| path.to_owned());
    let bare = match &path {
        Some(path) => {
            let mut parts = path.split(['/', '?', '#', ' ']).filter(|part| !part.is_empty() && *part != "_u");
            let first = parts.next().unwrap_or_default();
            if ["p", "reel", "reels", "stories", "tv", "explore"].contains(&first) {
                problems.push(Problem::PostLink);
                // paths of posts mind the case
                return Instagram { link: link(typed.trim(), &mut Vec::new()), handle: None };
            }
            first.to_owned()
        }
        None => {
            let first =
                typed.trim().split([' ', ',', ';', '/']).find(|word| !word.is_empty()).unwrap_or_default();
            let after_name = typed
                .split_once('@')
                .map(|(_, handle)| handle.split([' ', ',', ';', '/']).next().unwrap_or_default());
            after_name.unwrap_or(first).to_owned()
        }
    };
    let others = lower.split(['@', ' ', ',']).filter(|part| part.contains("instagram.com/")).count();
    let is_one = lower.matches('@').count() < 2 && others < 2;
    let handle = bare.trim_start_matches('@').trim_end_matches('.').to_owned();
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
    let several_words = path.is_none() && !typed.contains('@') && typed.trim().contains(' ');
    let is_mail = path.is_none() && is_mail(typed);
    let fits = handle.len() <= MAX_HANDLE && handle.chars().all(fits);
    let is_telephone = path.is_none() && is_telephone(&handle);
    // the host of another site is no handle, and nor is what stands after it
    let is_host = handle.starts_with("www.")
        || [".com.br", ".org.br", ".art.br"].iter().any(|end| handle.to_lowercase().ends_with(end));
    let is_elsewhere =
        path.is_none() && (is_host && !typed.contains('@') || lower.contains('/') && price::is_link(&lower));
    if handle.is_empty() || !fits || several_words || is_mail || is_telephone || is_elsewhere {
        problems.push(Problem::NotAHandle { typed: typed.to_owned() });
        return Instagram::default();
    }
    if !is_one {
        problems.push(Problem::SecondHandle { read: handle.clone(), typed: typed.trim().to_owned() });
    } else if handle != typed.trim() {
        problems.push(Problem::HandleMended { read: handle.clone() });
    }
    Instagram { handle: Some(handle), link: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_completed() {
        for (typed, expected) in [
            ("https://a.br/x?y=1#z", "https://a.br/x?y=1#z"),
            ("http://a.br", "https://a.br"),
            ("www.bar.com.br/menu", "https://www.bar.com.br/menu"),
            ("HTTPS://Bar.com.br/Menu", "https://bar.com.br/Menu"),
            ("https://a.br/são joão", "https://a.br/s%C3%A3o%20jo%C3%A3o"),
            ("https://a.br/100%", "https://a.br/100%25"),
            ("https://a.br/a%20b", "https://a.br/a%20b"),
        ] {
            assert_eq!(link(typed, &mut Vec::new()).as_deref(), Some(expected), "{typed}");
        }
        for typed in
            ["bar@example.com", "ftp://a.br", "ver no instagram", "bar", "https://", "javascript:alert(1)"]
        {
            let mut problems = Vec::new();
            assert_eq!(link(typed, &mut problems), None, "{typed}");
            assert_eq!(problems, [Problem::NotALink { typed: typed.to_owned() }]);
        }
    }

    #[test]
    fn handles_are_taken_from_what_people_paste() {
        for (typed, expected) in [
            ("bardaesquina", "bardaesquina"),
            ("@bar.da_esquina", "bar.da_esquina"),
            ("https://www.instagram.com/bardaesquina/?igsh=abc", "bardaesquina"),
            ("instagram.com/bardaesquina", "bardaesquina"),
            ("Bar da Esquina @bardaesquina", "bardaesquina"),
            ("https://instagram.com/_u/bardaesquina", "bardaesquina"),
            ("bar.com", "bar.com"),
            ("bardaesquina/outrobar", "bardaesquina"),
        ] {
            assert_eq!(instagram(typed, &mut Vec::new()).handle.as_deref(), Some(expected), "{typed}");
        }
        let post = instagram("https://www.instagram.com/p/Cx1/", &mut Vec::new());
        assert_eq!(post.link.as_deref(), Some("https://www.instagram.com/p/Cx1/"));
        for typed in [
            "Bar da Esquina",
            "não tem!",
            "@",
            "bar@gmail.com",
            "escreva para contato@bar.com.br",
            "61999998888",
            "@33334444",
            "facebook.com/bar",
            "www.meusite.com",
            "meusite.com.br",
            "www.facebook.com/bar",
            "https://linktr.ee/bar",
            "linktr.ee/bar",
            "tiktok.com/@bar",
        ] {
            assert_eq!(instagram(typed, &mut Vec::new()), Instagram::default(), "{typed}");
        }
    }
}
