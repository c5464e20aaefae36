//! What clients accept: the lists of `accept` and `accept-encoding`, whose entries have a quality from 0 to 1 (RFC
//! 9110, section 12.4.2).

use hyper::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName};

/// An entry of such a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'h> {
    /// A media type, a coding or a wildcard.
    pub(super) name: &'h str,
    parameters: &'h str,
    /// How much the client prefers it; 0 if it refuses it. One that cannot be read is 0.
    pub(super) quality: f32,
}

impl<'h> Entry<'h> {
    fn parse(text: &'h str) -> Entry<'h> {
        let (name, parameters) = text.split_once(';').unwrap_or((text, ""));
        let entry = Entry { name: name.trim(), parameters, quality: 1.0 };
        let Some(quality) = entry.parameter("q") else { return entry };
        let quality = quality.parse().ok().filter(|quality| (0.0..=1.0).contains(quality));
        Entry { quality: quality.unwrap_or(0.0), ..entry }
    }

    /// Whether it is called so.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value of a parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<&'h str> {
        let mut parameters = self.parameters.split(';').filter_map(|parameter| parameter.split_once('='));
        let found = parameters.find(|(known, _)| known.trim().eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    }
}

/// The entries of a header, in order.
pub(super) fn entries(headers: &HeaderMap, header: HeaderName) -> impl Iterator<Item = Entry<'_>> {
    let lines = headers.get_all(header).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(Entry::parse).filter(|entry| !entry.name.is_empty())
}

/// How much a client prefers a media type: what `accept` says of it, else of all of its kind, else of all types. None
/// if it says nothing of them.
pub(super) fn type_quality(headers: &HeaderMap, media_type: &str) -> Option<f32> {
    let (kind, _) = media_type.split_once('/')?;
    let of_kind = |entry: &Entry<'_>| {
        entry.name.split_once('/').is_some_and(|(of, rest)| rest == "*" && of.eq_ignore_ascii_case(kind))
    };
    let best = |is_meant: &dyn Fn(&Entry<'_>) -> bool| {
        entries(headers, ACCEPT).filter(is_meant).map(|entry| entry.quality).reduce(f32::max)
    };
    best(&|entry| entry.is(media_type)).or_else(|| best(&of_kind)).or_else(|| best(&|entry| entry.is("*/*")))
}

/// The coding of those `offered`, each with its names, that a client prefers, of equals the first; none if it accepts
/// none.
pub(super) fn coding<C: Copy>(headers: &HeaderMap, offered: &[(C, &[&str])]) -> Option<C> {
    let of = |names: &[&str]| {
        let mut named = entries(headers, ACCEPT_ENCODING);
        named.find(|entry| names.iter().any(|name| entry.is(name))).map(|entry| entry.quality)
    };
    let mut best = (None, 0.0);
    for (coding, names) in offered {
        let quality = of(names).or_else(|| of(&["*"])).unwrap_or(0.0);
        if quality > best.1 {
            best = (Some(*coding), quality);
        }
    }
    best.0
}

/// The names of gzip.
pub(super) const GZIP: &[&str] = &["gzip", "x-gzip"];

/// Whether a client names HTML among what it takes, as browsers do.
pub(super) fn names_html(headers: &HeaderMap) -> bool {
    entries(headers, ACCEPT).any(|entry| entry.is("text/html") && entry.quality > 0.0)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn accept(lines: &[&'static str]) -> HeaderMap {
        let lines = lines.iter().map(|line| (ACCEPT, HeaderValue::from_static(line)));
        lines.collect()
    }

    #[test]
    fn a_quality_is_read_in_any_spelling_and_is_0_when_it_is_none() {
        for (text, expected) in [
            ("text/csv", 1.0),
            ("text/csv;q=0.5", 0.5),
            ("text/csv ; Q=0.5", 0.5),
            ("text/csv; header=present; q = 0.25 ", 0.25),
            ("text/csv;q=0", 0.0),
            ("text/csv;q=0.000", 0.0),
            ("text/csv;q=1.000", 1.0),
            ("text/csv;q=1.5", 0.0),
            ("text/csv;q=-1", 0.0),
            ("text/csv;q=NaN", 0.0),
            ("text/csv;q=inf", 0.0),
            ("text/csv;q=", 0.0),
            ("text/csv;q", 1.0),
        ] {
            let entry = Entry::parse(text);
            assert_eq!((entry.name, entry.quality), ("text/csv", expected), "{text}");
        }
        assert_eq!(entries(&accept(&[", ,;q=1", "a/b,c/d"]), ACCEPT).count(), 2);
    }

    #[test]
    fn the_narrowest_entry_that_means_a_type_counts() {
        let quality = |line: &'static str| type_quality(&accept(&[line]), "application/json");
        for (line, expected) in [
            ("", None),
            ("text/html", None),
            ("application/jsonp", None),
            ("*/*;q=0.1", Some(0.1)),
            ("*/*, application/*;q=0.2", Some(0.2)),
            ("*/*, application/*, Application/JSON;q=0.3", Some(0.3)),
            ("application/json;q=0, */*", Some(0.0)),
            ("application/json;q=0.2, application/json;version=2;q=0.4", Some(0.4)),
        ] {
            assert_eq!(quality(line), expected, "{line}");
        }
        let of_two_lines = accept(&["text/html", "application/json;q=0.5"]);
        assert_eq!(type_quality(&of_two_lines, "application/json"), Some(0.5));
    }
}
