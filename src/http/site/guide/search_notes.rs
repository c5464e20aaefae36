//! What a page of results says of its search: how it was understood, what the guide does not know of it, and what the
//! listed records do not meet.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use chrono::Days;
use index::Window;
use index::grammar::dates::Hours;
use index::grammar::fold::fold;
use index::grammar::hints::Hint;
use index::search::page::{Closest, Interpretation};
use index::{AreaId, CategoryId, Page, vocabulary::ArchivedVocabularyIndex, vocabulary::categories};
use maud::{Markup, html};

use super::listing;
use super::search_query::SearchQuery;
use crate::http::site::layout::components::{Show, more};
use crate::http::site::layout::i18n::category_name;

/// The most categories shown of those that a word can mean.
const MAX_CATEGORIES: usize = 3;

/// Where more parts of a search are left out, they stand in a list that opens.
const MOST_LEFT_OUT: usize = 3;

/// The hours at which the parts of the day begin and end, as a search takes them.
const PARTS_OF_DAY: [(u16, u16); 4] = [(6, 12), (12, 18), (18, 6), (0, 6)];

/// A search, of which notes are made.
pub(crate) struct SearchNotes<'a> {
    pub(crate) show: Show<'a>,
    /// The text that was searched for.
    pub(crate) text: &'a str,
    pub(crate) search: &'a SearchQuery<'a>,
}

/// Something that a search asks for and the guide does not know.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unknown {
    /// Whether anything is charged.
    WhatIsFree,
    /// What these words of the visitor ask for.
    Words(String),
}

impl SearchNotes<'_> {
    /// How the search was understood, with the days and hours that it names.
    pub(crate) fn interpretation(&self, page: &Page, days: Option<Window>, hours: Option<Hours>) -> Markup {
        let Show { layout, .. } = self.show;
        let (words, calendar) = (&layout.texts.search, &layout.texts.calendar);
        let Page { interpretation: Interpretation { corrected, .. }, around, .. } = page;
        let categories = self.categories(&page.interpretation);
        let subjects = self.subjects(&page.interpretation, &categories);
        let hours = hours.map(|hours @ Hours { from, to, .. }| {
            let parts = PARTS_OF_DAY.iter().zip(words.parts_of_day);
            let part = parts.into_iter().find(|(part, _)| **part == (hours.from / 60, hours.to / 60));
            let is_whole = from % 60 == 0 && to % 60 == 0;
            part.filter(|_| is_whole).map_or_else(
                || format!("{}{}{}", calendar.minute(from), calendar.to, calendar.minute(to)),
                |(_, name)| name.to_owned(),
            )
        });
        let without = &page.interpretation.without;
        // what a field of the form says stands beside it already
        let days = days.filter(|_| self.search.when.is_empty());
        let category = self.show.data.category(layout.language, &self.search.category);
        let is_new = |subject: &Cow<'_, str>| **subject != *self.search.region && **subject != *category;
        let subjects: Vec<Cow<'_, str>> = subjects.into_iter().filter(is_new).collect();
        let times: Vec<String> = days.map(|days| self.days(days)).into_iter().chain(hours).collect();
        let is_named =
            !(subjects.is_empty() && corrected.is_empty() && times.is_empty() && without.is_empty());
        if !is_named && around.is_none() {
            return Markup::default();
        }
        let near = around.iter().map(|around| {
            html! {
                (words.near) " " b { (around.near.name.as_str()) }
                " " ((words.within)(&calendar.distance(around.within_m)))
            }
        });
        let excluded =
            without.iter().map(|text| html! { b { ((words.excluded)(&spelling(self.text, text))) } });
        let parts = subjects.iter().map(|subject| html! { b { (subject) } }).chain(near).chain(excluded);
        let parts = parts.chain(times.iter().map(|time| html! { b { (time) } }));
        let parts =
            parts.chain(corrected.iter().map(|(word, meant)| html! { b { s { (word) } " " (meant) } }));
        html! {
            span.reading {
                (words.read_as) ": "
                @for (at, part) in parts.enumerate() { @if at > 0 { " · " } (part) }
            }
        }
    }

    /// A link to the page of the area and the category that were understood, if there is one.
    pub(crate) fn own_page(&self, page: &Page) -> Markup {
        let categories = self.categories(&page.interpretation);
        html! {
            @if let Some((path, name)) = self.pair(&page.interpretation, &categories) {
                (more(&self.show.layout.path(path), &name))
            }
        }
    }

    fn pair(&self, understood: &Interpretation, categories: &[CategoryId]) -> Option<(&str, String)> {
        let mut areas = understood.areas.iter();
        let (Some(area), None) = (areas.next(), areas.next()) else { return None };
        let directory = &self.show.data.directory;
        let mut categories = categories.iter();
        let listing = categories.find_map(|category| directory.of((Some(*area), Some(*category))))?;
        Some((&listing.path, listing::name(self.show, listing)))
    }

    /// The categories that were understood, those that the text names first: a search takes others in that are near
    /// them. Of those the most specific come first, of which there is most to say.
    fn categories(&self, understood: &Interpretation) -> Vec<CategoryId> {
        let vocabulary = self.show.guide.vocabulary();
        let named = categories::named_within(vocabulary, self.text);
        let is_meant = |id: &CategoryId| {
            let mut above = vocabulary.category_and_above(*id);
            above.any(|above| understood.categories.contains(&above))
        };
        let mut all: Vec<CategoryId> = named.into_iter().filter(is_meant).collect();
        all.sort_by_key(|id| Reverse(vocabulary.category_and_above(*id).count()));
        all.extend(understood.categories.iter().copied());
        let mut seen = HashSet::new();
        all.retain(|id| seen.insert(*id));
        // one that only stands in for what was named within it says nothing beside that
        let stands_in = |id: &CategoryId| {
            let mut within = all.iter().filter(|other| vocabulary.category_run(*id).contains(other));
            understood.categories.contains(id) && within.any(|other| !understood.categories.contains(other))
        };
        let wider: Vec<CategoryId> = all.iter().copied().filter(stands_in).collect();
        all.retain(|id| !wider.contains(id));
        all
    }

    /// The areas, superquadras and categories that were understood. A word may name an area and a category alike.
    fn subjects(&self, understood: &Interpretation, categories: &[CategoryId]) -> Vec<Cow<'_, str>> {
        let Show { layout, data, guide, .. } = self.show;
        let vocabulary: &ArchivedVocabularyIndex = guide.vocabulary();
        // "pôr do sol" is a view here, as the region of that name is not shown
        let is_shown = |id: &&AreaId| {
            !understood.uncertain_areas.contains(id)
                || vocabulary.common_area(**id, data.directory.home).is_some()
        };
        let areas = understood.areas.iter().filter(is_shown);
        let areas = areas.map(|id| Cow::Borrowed(vocabulary.area(*id).name.as_str()));
        let quadras = understood.quadras.iter().map(|quadra| (layout.texts.search.quadra)(*quadra).into());
        let categories = categories.iter().take(MAX_CATEGORIES);
        let categories = categories.map(|id| category_name(vocabulary, layout.language, *id).into());
        let mut subjects: Vec<Cow<'_, str>> = Vec::new();
        for subject in areas.chain(quadras).chain(categories) {
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
        subjects
    }

    /// What a search asks for that the guide does not know of the records of a page.
    pub(crate) fn unknown(&self, page: &Page) -> BTreeSet<Unknown> {
        let asked = page.interpretation.not_known.iter().map(|(hint, text)| match hint {
            // the preposition of "de graça" is not among the words of the phrase
            Hint::Free => Unknown::WhatIsFree,
            _ => Unknown::Words(spelling(self.text, text).into_owned()),
        });
        asked.collect()
    }

    /// That the guide does not know this, as a sentence; none if it is nothing.
    pub(crate) fn unknown_sentence(&self, unknown: &BTreeSet<Unknown>) -> Option<Markup> {
        let words = &self.show.layout.texts.search;
        let parts = unknown.iter().map(|unknown| match unknown {
            Unknown::WhatIsFree => html! { (words.what_is_free) },
            Unknown::Words(text) => quoted(html! { b { (text) } }),
        });
        let parts: Vec<Markup> = parts.collect();
        (!parts.is_empty()).then(|| html! { (words.not_known) " " (self.listed(&parts)) "." })
    }

    /// What the records of a list do not meet, above it.
    pub(crate) fn let_go(&self, page: &Page) -> Markup {
        let words = &self.show.layout.texts.search;
        html! {
            @if let Some(closest) = page.closest.as_deref() { (self.closest(closest)) }
            @if page.interpretation.quadras_are_unknown {
                p.note { (if page.is_elsewhere() { words.no_quadras } else { words.other_quadras }) }
            }
        }
    }

    fn closest(&self, closest: &Closest) -> Markup {
        let Show { layout, guide, .. } = self.show;
        let (words, vocabulary) = (&layout.texts.search, guide.vocabulary());
        let left_out =
            closest.left_out.iter().map(|text| quoted(html! { s { (spelling(self.text, text)) } }));
        let left_out: Vec<Markup> = left_out.collect();
        let areas = closest.areas.iter().map(|id| html! { b { (vocabulary.area(*id).name.as_str()) } });
        let areas: Vec<Markup> = areas.collect();
        let other_days = closest.days.map(|days| self.days(days));
        let instead = html! {
            @if !areas.is_empty() { (words.searched_in) " " (self.listed(&areas)) ". " }
            @if let Some(days) = other_days { (words.searched_on) " " b { (days) } ". " }
            @if closest.hours.is_some() { (words.other_hours) }
        };
        // on a phone many would put the first record below the first screen
        if left_out.len() > MOST_LEFT_OUT {
            return html! {
                details.note {
                    summary {
                        (words.closest) (words.without) " "
                        span.change { ((words.parts)(left_out.len())) } "."
                    }
                    (self.listed(&left_out)) "."
                }
                @if !instead.0.is_empty() { p.note { (instead) } }
            };
        }
        html! {
            p.note {
                (words.closest)
                @if !left_out.is_empty() { (words.without) " " (self.listed(&left_out)) }
                ". " (instead)
            }
        }
    }

    /// Parts of a sentence with commas between them, and "and" before the last.
    fn listed(&self, parts: &[Markup]) -> Markup {
        html! {
            @for (at, part) in parts.iter().enumerate() {
                @if at > 0 && at + 1 == parts.len() { (self.show.layout.texts.calendar.and) } @else if at > 0 { ", " }
                (part)
            }
        }
    }

    /// Days in words, of a long span those of its first year.
    pub(crate) fn days(&self, Window { from, to }: Window) -> String {
        let Show { layout, data, .. } = self.show;
        let (calendar, to) = (&layout.texts.calendar, to.min(from + Days::new(365)));
        match (to - from).num_days() {
            1 => calendar.listed(&[from, to], data.day),
            _ => calendar.dates(from, to, data.day),
        }
    }
}

/// Whether nothing of a search chooses the records of a page, so that it lists all.
pub(crate) fn chooses_nothing(page: &Page) -> bool {
    let Interpretation { areas, categories, quadras, text, without, names_time, .. } = &page.interpretation;
    page.total > 0
        && page.closest.is_none()
        && page.around.is_none()
        && !names_time
        && areas.is_empty()
        && categories.is_empty()
        && quadras.is_empty()
        && text.is_empty()
        && without.is_empty()
}

fn quoted(text: Markup) -> Markup {
    html! { "“" (text) "”" }
}

/// The words of a text that fold to these, as the visitor wrote them; the folded ones if there are none.
pub(crate) fn spelling<'t>(text: &'t str, folded: &'t str) -> Cow<'t, str> {
    let is_mark = |mark: char| !mark.is_alphanumeric();
    let starts = text
        .char_indices()
        .filter(|(at, letter)| !is_mark(*letter) && text[..*at].chars().next_back().is_none_or(is_mark));
    let words: Vec<(usize, &str)> =
        starts.filter_map(|(at, _)| Some((at, text[at..].split(is_mark).next()?))).collect();
    let longest = folded.split(' ').count().min(words.len());
    let mut runs = (1..=longest).rev().flat_map(|length| words.windows(length));
    let found = runs.find(|run| {
        let words: Vec<&str> = run.iter().map(|(_, word)| *word).collect();
        fold(&words.join(" ")) == folded
    });
    let ends = found.and_then(|run| run.first().zip(run.last()));
    ends.map_or(folded, |((start, _), (end, last))| &text[*start..end + last.len()]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_as_they_were_written() {
        for (text, folded, told) in [
            ("algo Grátis, já", "gratis", "Grátis"),
            ("com wi-fi", "wi fi", "wi-fi"),
            ("a New Year’s Eve party", "new year s eve", "New Year’s Eve"),
            ("padaria 24h", "24 h", "24h"),
            ("café", "cafes", "cafes"),
            ("", "wifi", "wifi"),
        ] {
            assert_eq!(spelling(text, folded), told, "{text}");
        }
    }
}
