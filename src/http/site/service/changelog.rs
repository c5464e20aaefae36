//! What changed from release to release, as a page and as an Atom feed, both made from `CHANGELOG.md`.

use atom_syndication::{Content, Entry, FixedDateTime, Text};
use chrono::{NaiveDate, NaiveTime};
use maud::{Markup, html};

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

/// The most that the page has of folded changes, in bytes, so that it is as light as others; the feed has all of them.
const MOST_BYTES: usize = 48 * 1024;

/// As many of these changes as have room in so many bytes.
fn newest(text: &str, most: usize) -> &str {
    let items = text.match_indices("\n- ").map(|(at, _)| at);
    let end = items.take_while(|at| *at <= most).last().filter(|_| text.len() > most);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Begins the first part of a release, if there is something that clients have to do.
const TO_DO: &str = "\nWhat clients must act on:\n";

/// Begins the part after it.
const TO_SEE: &str = "\nWhat clients see:\n";

/// How many changes of a release are shown; the others are folded.
const MOST_SHOWN: usize = 3;

/// A release as the page shows it.
struct Section<'t> {
    heading: &'t str,
    /// What clients must act on; empty where there is nothing.
    to_do: &'t str,
    first: &'t str,
    folded: &'t str,
}

impl Section<'_> {
    fn of(text: &str) -> Section<'_> {
        let (heading, text) = text.split_once('\n').unwrap_or((text, ""));
        let begins = text.find(TO_DO).and_then(|_| text.find(TO_SEE));
        let (to_do, rest) = begins.and_then(|at| text.split_at_checked(at)).unwrap_or(("", text));
        let fold = rest.match_indices("\n- ").nth(MOST_SHOWN).map_or(rest.len(), |(at, _)| at);
        let (first, folded) = rest.split_at_checked(fold).unwrap_or((rest, ""));
        Section { heading, to_do, first, folded }
    }

    fn render(&self, layout: &Layout) -> Markup {
        let count = self.folded.matches("\n- ").count();
        html! {
            div lang="en" {
                h2 { (self.heading) }
                (prose_without_files(self.to_do))
                (prose_without_files(self.first))
                @if count > 0 {
                    details {
                        summary lang=(layout.texts.lang) { ((layout.texts.service.changelog_more)(count)) }
                        (prose_without_files(self.folded))
                    }
                }
            }
        }
    }
}

/// The latest changes.
pub(crate) fn page(layout: &Layout) -> String {
    let words = &layout.texts.service;
    let text = CHANGELOG.split("\n## ").skip(1).map(for_clients);
    let (mut room, mut is_cut) = (MOST_BYTES, false);
    let sections: Vec<Section<'_>> = text
        .map(|text| {
            let section = Section::of(text);
            let folded = newest(section.folded, room);
            room -= folded.len().min(room);
            is_cut |= folded.len() < section.folded.len();
            Section { folded, ..section }
        })
        .collect();
    let main = html! {
        div.wide.narrow-top {
            h1 { (words.changelog) }
            p.lead { (words.changelog_lead) }
            p { a href={ (layout.path(PATH)) ".atom" } type="application/atom+xml" { (layout.texts.take.feed) } }
            @for section in &sections { (section.render(layout)) }
            @if is_cut { (more(&format!("{}.atom", layout.path(PATH)), words.changelog_older)) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_shows_what_clients_must_act_on_and_its_first_changes() {
        let text = "Since 1.0\n\nWhat clients must act on:\n\n- a\n- b\n- c\n- d\n\nWhat clients see:\n\n- e\n- f\n- g\n- h\n- i\n";
        let section = Section::of(text);
        assert_eq!(section.heading, "Since 1.0");
        assert!(section.to_do.ends_with("- d\n") && section.first.ends_with("- g"), "{}", section.first);
        assert_eq!(section.folded, "\n- h\n- i\n");
        let older = Section::of("1.0 (2026-01-01)\n\n- a\n- b\n");
        assert_eq!((older.to_do, older.first, older.folded), ("", "\n- a\n- b\n", ""));
    }
}
