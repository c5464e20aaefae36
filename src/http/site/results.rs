//! The results of a search, and the page for a search that failed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use index::page::{Interpretation, RelaxedTotals};
use index::{Guide, Page, Window};
use maud::{Markup, html};

use super::components::{events as event_list, more, places as place_list, section};
use super::i18n::FormError;
use super::layout::{Layout, Meta};
use super::page_data::PageData;
use super::search_query::{Kind, SearchQuery};
use crate::quota::gate::{PREVIEW_RESULTS, preview_days};

/// The most categories shown of those that a word can mean.
const MAX_CATEGORIES: usize = 3;

/// A search and what it found: events, places or both.
pub(super) struct Results<'a> {
    pub(super) layout: &'a Layout,
    pub(super) data: &'a PageData,
    pub(super) guide: &'a Guide,
    pub(super) search: &'a SearchQuery<'a>,
    /// The query of the request.
    pub(super) query: &'a str,
    pub(super) events: Option<&'a Page>,
    pub(super) places: Option<&'a Page>,
}

impl Results<'_> {
    /// The whole page.
    pub(super) fn page(&self) -> String {
        let Results { layout, data, search, events, places, .. } = *self;
        let words = &layout.texts.search;
        let query = format!("?{}", self.query);
        let title = match (&*search.q, search.kind()) {
            ("", Kind::Events) => Cow::Borrowed(words.title_events),
            ("", Kind::Places) => Cow::Borrowed(words.title_places),
            ("", Kind::All) => Cow::Borrowed(words.title_all),
            (text, _) => Cow::Owned((words.title_of)(text)),
        };
        let meta =
            Meta { title: &title, description: words.description, path: "/", query: &query, listed: false };
        let total = [events, places].into_iter().flatten().map(|page| page.total).sum();
        let found = |page: Option<&Page>| page.map_or(0, |page| page.ranks.len());
        let (shown_events, shown_places) = split(found(events), found(places));
        let shown = shown_events + shown_places;
        let preview = preview_days(data.day);
        let window = events.and_then(|page| page.interpretation.window);
        let days_left_out = window.is_some_and(|window| window.within(preview).is_none());
        let main = html! {
            div.wide.narrow-top {
                (heading_and_form(layout, data, search, None))
                @if total > 0 || !days_left_out { (self.status(total, u32::try_from(shown).unwrap_or(total))) }
                @if let Some(page) = events.or(places) {
                    // days say nothing about a list of places
                    @let window = window.filter(|_| total == 0 || events.is_some_and(|page| page.total > 0));
                    (self.interpretation(page, window))
                }
                (self.explanation())
                @if days_left_out { (self.days_left_out(preview.to)) }
                @if total == 0 { (self.relaxations()) }
                @if let Some(page) = events { (self.list(Kind::Events, page, shown_events)) }
                @if let Some(page) = places { (self.list(Kind::Places, page, shown_places)) }
                @if shown > 0 { (layout.credit(data.positions.as_ref())) }
                (layout.preview())
            }
        };
        layout.page(&meta, main)
    }

    /// The results of one kind, with a link to more of them if the other kind took some of the room.
    fn list(&self, kind: Kind, page: &Page, shown: usize) -> Markup {
        let Results { layout, data, guide, search, events, places, .. } = *self;
        let words = layout.texts;
        if page.total == 0 {
            return Markup::default();
        }
        let ranks = &page.ranks[..shown];
        let (id, title, only, list) = if kind == Kind::Events {
            let list = event_list(layout, data, guide, ranks);
            ("events", words.layout.events, words.search.only_events, list)
        } else {
            let list = place_list(layout, data, &guide.places.rendered, ranks);
            ("places", words.layout.places, words.search.only_places, list)
        };
        let has_more = u32::try_from(shown).is_ok_and(|shown| page.total > shown);
        let is_shared = events.is_some() && places.is_some() && shown < PREVIEW_RESULTS;
        let content = html! {
            (list)
            @if is_shared && has_more { (more(&format!("{}{}", layout.home(), search.with_kind(id)), only)) }
        };
        section(id, title, &words.calendar.number(page.total), content)
    }

    /// How much was found.
    fn status(&self, total: u32, shown: u32) -> Markup {
        let (words, calendar) = (&self.layout.texts.search, &self.layout.texts.calendar);
        html! {
            p.status role="status" {
                @match total {
                    0 => (words.no_results),
                    1 => (words.one_result),
                    total => ((words.results)(&calendar.number(total))),
                }
                @if shown < total { ((words.first_shown)(&calendar.number(shown))) }
            }
        }
    }

    /// How the search was understood.
    fn interpretation(&self, page: &Page, days: Option<Window>) -> Markup {
        let (layout, vocabulary) = (self.layout, self.guide.vocabulary());
        let Page { interpretation: Interpretation { areas, categories, corrected, .. }, around, .. } = page;
        let is_empty = areas.is_empty() && categories.is_empty() && corrected.is_empty();
        if is_empty && days.is_none() && around.is_none() {
            return Markup::default();
        }
        let area = |node| vocabulary.areas[usize::from(node)].name.as_str();
        let category = |node| {
            let category = &vocabulary.categories[usize::from(node)];
            layout.language.pick(&category.pt, &category.en).as_str()
        };
        html! {
            p.reading {
                span { (layout.texts.search.read_as) }
                @for node in areas { " " b { (area(*node)) } }
                @for node in categories.iter().take(MAX_CATEGORIES) { " " b { (category(*node)) } }
                @if let Some(around) = around {
                    " " (layout.texts.search.near) " " b { (around.near.name.as_str()) }
                    " " ((layout.texts.search.within)(&layout.texts.calendar.distance(around.within_m)))
                }
                @if let Some(window) = days { " " b { (self.days(window)) } }
                @for (word, meant) in corrected { " " b { s { (word) } " " (meant) } }
            }
        }
    }

    /// What the search let go, what the guide does not know, and the next day when nothing is on soon.
    fn explanation(&self) -> Markup {
        let (words, vocabulary) = (&self.layout.texts.search, self.guide.vocabulary());
        let pages = || [self.events, self.places].into_iter().flatten();
        let closest = pages().find_map(|page| page.closest.as_deref());
        let not_known =
            pages().flat_map(|page| &page.interpretation.not_known).map(|(_, text)| text.as_str());
        let not_known: BTreeSet<&str> = not_known.collect();
        let nothing = pages().all(|page| page.total == 0);
        let next = pages().find_map(|page| page.next.as_deref()).filter(|_| nothing);
        html! {
            @if let Some(closest) = closest {
                p.note {
                    (words.closest)
                    @for text in &closest.left_out { " " s { (text) } }
                    @if !closest.areas.is_empty() {
                        " " (words.searched_in)
                        @for id in &closest.areas { " " b { (vocabulary.areas[usize::from(*id)].name.as_str()) } }
                    }
                    @if let Some(days) = closest.days { " " (words.searched_on) " " b { (self.days(days)) } }
                }
            }
            @if !not_known.is_empty() {
                p.note { (words.not_known) @for text in not_known { " " b { (text) } } }
            }
            @if let Some(next) = next {
                p.note { (words.next_day) " " b { (self.days(Window::day(next.date))) } }
                (event_list(self.layout, self.data, self.guide, &next.ranks))
            }
        }
    }

    fn days(&self, Window { from, to }: Window) -> String {
        let calendar = &self.layout.texts.calendar;
        let to = to.min(from + Days::new(365));
        let first = calendar.date(from, from);
        if to > from { format!("{first}{}{}", calendar.to, calendar.date(to, from)) } else { first }
    }

    /// Says that the days asked for are not in the preview, which ends on `last`.
    fn days_left_out(&self, last: NaiveDate) -> Markup {
        let (layout, words) = (self.layout, &self.layout.texts.search);
        let last = layout.texts.calendar.date(last, self.data.day);
        html! {
            p.note role="status" {
                ((words.days_left_out)(&last)) " "
                a href=(layout.path("/signup")) { (words.key_shows_all_days) }
            }
        }
    }

    /// Searches with one condition less that find something.
    fn relaxations(&self) -> Markup {
        let Results { layout, search, events, places, .. } = *self;
        let words = &layout.texts.search;
        let count = |of: fn(&RelaxedTotals) -> Option<u32>| -> u32 {
            [events, places]
                .into_iter()
                .flatten()
                .filter_map(|page| page.relax.as_deref())
                .filter_map(of)
                .sum()
        };
        let mut links = Vec::new();
        for (field, sent, count, text) in [
            ("q", &search.q, count(|relax| relax.q), words.without_text),
            ("region", &search.region, count(|relax| relax.region), words.in_free_area),
            ("category", &search.category, count(|relax| relax.category), words.of_any_category),
        ] {
            if count > 0 && !sent.is_empty() {
                links.push((search.with(field, ""), text, count));
            }
        }
        if places.is_none() {
            if !["", "week"].contains(&&*search.when) {
                links.push((search.with("when", "week"), words.next_seven_days, 0));
            }
            links.push((search.with_kind("places"), words.look_among_places, 0));
        }
        if links.is_empty() {
            return Markup::default();
        }
        html! {
            div.relax {
                p { (words.relax) }
                ul.chips {
                    @for (query, text, count) in links {
                        li {
                            a href={ (layout.home()) (query) } {
                                (text)
                                @if count > 0 { " " small { (layout.texts.calendar.number(count)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The page for a search that failed. Without `data` no snapshot is in service.
pub(super) fn error_page(
    layout: &Layout,
    data: Option<&PageData>,
    search: &SearchQuery<'_>,
    query: &str,
    error: &FormError,
) -> String {
    let words = &layout.texts.search;
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    let meta = Meta { title: words.title, description: words.title, path: "/", query: &query, listed: false };
    let main = html! {
        div.wide.narrow-top {
            @match data {
                Some(data) => (heading_and_form(layout, data, search, error.field)),
                None => h1 { (words.title) },
            }
            div #no .no role="alert" {
                p { (error.sentence) }
                @if let Some(field) = error.field.filter(|_| !error.suggestions.is_empty()) {
                    p { (words.suggestions) }
                    ul.chips {
                        @for name in &error.suggestions {
                            li { a href={ (layout.home()) (search.with(field, name)) } { (name) } }
                        }
                    }
                }
            }
            (layout.preview())
        }
    };
    layout.page(&meta, main)
}

/// The heading of a search and the form filled in with it.
fn heading_and_form(
    layout: &Layout,
    data: &PageData,
    search: &SearchQuery<'_>,
    wrong: Option<&str>,
) -> Markup {
    html! {
        h1 {
            @match &*search.q {
                "" => (layout.texts.home.title),
                text => { "“" (text) "”" },
            }
        }
        (data.form(layout.language).render(search, wrong))
    }
}

/// How many events and places are shown of those found: the preview's results, shared.
fn split(events: usize, places: usize) -> (usize, usize) {
    let events = events.min(PREVIEW_RESULTS.saturating_sub(places).max(2));
    (events, places.min(PREVIEW_RESULTS - events))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preview_is_shared_by_events_and_places() {
        for (found, shown) in [
            ((5, 5), (2, 3)),
            ((5, 0), (5, 0)),
            ((0, 5), (0, 5)),
            ((1, 5), (1, 4)),
            ((5, 1), (4, 1)),
            ((0, 0), (0, 0)),
        ] {
            assert_eq!(split(found.0, found.1), shown);
        }
    }
}
