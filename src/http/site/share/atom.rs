//! Atom feeds (RFC 4287) as the site writes them.

use atom_syndication::{Entry, Feed, FixedDateTime, Generator, Link, Person, Text};

use crate::http::site::layout::Layout;

/// An Atom feed at `path`, without its end, which says what `page` says.
pub(crate) fn feed(
    layout: &Layout,
    title: &str,
    [path, page]: [&str; 2],
    updated: FixedDateTime,
    entries: Vec<Entry>,
) -> String {
    let own = layout.address(&format!("{path}.atom"));
    let feed = Feed {
        title: Text::plain(format!("{title} · {}", layout.service_name)),
        links: vec![
            link("self", &own, "application/atom+xml"),
            link("alternate", &layout.address(page), "text/html"),
        ],
        id: own,
        updated,
        authors: vec![Person { name: layout.service_name.clone(), ..Person::default() }],
        generator: Some(Generator { value: layout.service_name.clone(), ..Generator::default() }),
        lang: Some(layout.texts.lang.to_owned()),
        entries,
        ..Feed::default()
    };
    feed.to_string()
}

/// A link of a feed or of an entry.
pub(crate) fn link(rel: &str, href: &str, mime: &str) -> Link {
    Link { href: href.to_owned(), rel: rel.to_owned(), mime_type: Some(mime.to_owned()), ..Link::default() }
}
