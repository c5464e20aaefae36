//! What changed from release to release, as a page and as an Atom feed, both made from `CHANGELOG.md`.

use atom_syndication::{Content, Entry, FixedDateTime, Text};
use chrono::{NaiveDate, NaiveTime};
use maud::html;

use crate::http::site::layout::components::more;
use crate::http::site::layout::prose::prose_without_files;
use crate::http::site::layout::{Extra, Layout, Meta};
use crate::http::site::share::atom;

/// Newest release first: each begins with a line `## VERSION (YYYY-MM-DD)`.
const CHANGELOG: &str = include_str!("../../../../CHANGELOG.md");

/// The path of the page, and of the feed without its end.
pub(crate) const PATH: &str = "/changelog";

struct Release {
    version: &'static str,
    date: NaiveDate,
    text: &'static str,
}

/// The releases, the newest first. What is not released yet has no date and is left out.
fn releases() -> impl Iterator<Item = Release> {
    CHANGELOG.split("\n## ").skip(1).filter_map(|part| {
        let (heading, text) = part.split_once('\n')?;
        let (version, date) = heading.strip_suffix(')')?.split_once(" (")?;
        Some(Release { version, date: date.parse().ok()?, text })
    })
}

/// Begins the last part of a release, for operators, who have the file.
const FOR_OPERATORS: &str = "\nWhat an operator must look at before the next start:\n";

/// What clients and readers see of a release.
fn for_clients(release: &str) -> &str {
    release.split_once(FOR_OPERATORS).map_or(release, |(text, _)| text)
}

/// The most that the page has of the file, in bytes, so that it is as light as others; the feed has all releases.
const MOST_BYTES: usize = 52 * 1024;

/// The newest changes of a text, as many as the page has.
fn newest(text: &str) -> &str {
    let items = text.match_indices("\n- ").map(|(at, _)| at);
    let end = items.take_while(|at| *at <= MOST_BYTES).last().filter(|_| text.len() > MOST_BYTES);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// The latest changes.
pub(crate) fn page(layout: &Layout) -> String {
    let words = &layout.texts.service;
    let text = CHANGELOG.split_once('\n').map_or(CHANGELOG, |(_, text)| text);
    let text = text.split("\n## ").map(for_clients).collect::<Vec<_>>().join("\n## ");
    let shown = newest(&text);
    let main = html! {
        div.wide.narrow-top {
            h1 { (words.changelog) }
            p { a href={ (layout.path(PATH)) ".atom" } type="application/atom+xml" { (layout.texts.take.feed) } }
            div lang="en" { (prose_without_files(shown)) }
            @if shown.len() < text.len() {
                (more(&format!("{}.atom", layout.path(PATH)), words.changelog_older))
            }
        }
    };
    let (title, description) = (words.changelog, words.changelog_about);
    let meta = Meta { title, description, path: PATH, query: "", listed: true };
    layout.page_with(&meta, &Extra { feed: Some(PATH), ..Extra::default() }, main)
}

/// A feed with an entry for each release.
pub(crate) fn feed(layout: &Layout) -> String {
    let page = layout.address(PATH);
    let entries: Vec<Entry> = releases()
        .map(|release| {
            let at: FixedDateTime = release.date.and_time(NaiveTime::MIN).and_utc().into();
            Entry {
                title: Text::plain(format!("{} {}", layout.service_name, release.version)),
                id: format!("{page}#{}", release.version),
                updated: at,
                published: Some(at),
                links: vec![atom::link("alternate", &page, "text/html")],
                content: Some(Content {
                    value: Some(prose_without_files(for_clients(release.text)).into_string()),
                    content_type: Some("html".to_owned()),
                    lang: Some("en".to_owned()),
                    ..Content::default()
                }),
                ..Entry::default()
            }
        })
        .collect();
    let updated = entries.first().map(|entry| entry.updated).unwrap_or_default();
    atom::feed(layout, layout.texts.service.changelog, [PATH, PATH], updated, entries)
}
