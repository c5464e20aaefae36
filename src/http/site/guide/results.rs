//! The results of a search, and the page for a search that failed.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use chrono::NaiveDate;
use index::grammar::dates::Hours;
use index::search::page::{Interpretation, Nothing, RelaxedTotals};
use index::{AreaId, Page, Window};
use maud::{Markup, html};

use super::agenda::night_in;
use super::further::Further;
use super::search_notes::{SearchNotes, Unknown, chooses_nothing, spelling};
use super::search_page::SearchPage;
use super::search_query::{RecordFilter, SearchQuery};
use crate::actions::{Coverage, Listing};
use crate::dispatch::SITE_RESULTS;
use crate::domain::records::Records;
use crate::http::site::data::hours::EVENING;
use crate::http::site::data::page_data::PageData;
use crate::http::site::data::period::day_path;
use crate::http::site::layout::components::{
    ITEM_BYTES, Show, chips, encoded, found_events, more, places as place_list, section,
};
use crate::http::site::layout::i18n::{FormError, category_name};
use crate::http::site::layout::{Layout, Meta, Room};

/// What the page has besides its form and items takes as many bytes as this number of items.
const REST_ITEMS: usize = 4;

/// Longer spans of days are not shown, in days.
const LONGEST_SHOWN: i64 = 366;

/// A search and what it found: events, places or both.
pub(crate) struct Results<'a> {
    pub(crate) show: Show<'a>,
    pub(crate) search: &'a SearchQuery<'a>,
    /// The query of the request.
    pub(crate) query: &'a str,
    pub(crate) events: Option<&'a Listing>,
    pub(crate) places: Option<&'a Listing>,
    /// The events of today that have ended, or began long ago.
    pub(crate) begun: &'a (u16, HashSet<u32>),
}

/// How many more events the first page of a search has where some of today have begun: what is still to come must not
/// wait for the second.
pub(crate) fn room_for(search: &SearchQuery<'_>, (_, begun): &(u16, HashSet<u32>)) -> usize {
    let may_be_today = ["", "today", "week", "weekend"].contains(&&*search.when);
    match search.kind() {
        RecordFilter::Places => 0,
        _ if !may_be_today => 0,
        _ => begun.len().min(2 * SITE_RESULTS),
    }
}

impl Results<'_> {
    /// The whole page.
    pub(crate) fn page(&self) -> String {
        let Results { show: Show { layout, data, .. }, search, events, places, .. } = *self;
        let words = &layout.texts.search;
        let query = format!("?{}", self.query);
        let title = match (&*search.q, search.kind()) {
            ("", RecordFilter::Events) => Cow::Borrowed(words.title_events),
            ("", RecordFilter::Places) => Cow::Borrowed(words.title_places),
            ("", RecordFilter::All) => Cow::Borrowed(words.title_all),
            (text, _) => Cow::Owned((words.title_of)(text)),
        };
        let meta =
            Meta { title: &title, description: words.description, path: "/", query: &query, listed: false };
        // "o que fazer hoje à noite" asks for what is on: no place is more to the point than another
        let places = places.filter(|_| !self.hides_places());
        let total = self.pages().map(|page| page.total).sum();
        let found = |listing: Option<&Listing>| listing.map_or(0, |listing| listing.page.ranks.len());
        let (shown_events, shown_places) = match places {
            Some(_) => split(found(events), found(places).min(SITE_RESULTS)),
            None => (found(events), 0),
        };
        let window = events.and_then(|listing| listing.page.interpretation.window);
        // a search for any day says nothing of days
        let window = window.filter(|window| (window.to - window.from).num_days() < LONGEST_SHOWN);
        let has_found = |listing: &&Listing| listing.page.total > 0;
        let coverage = self.listings().find(has_found).or_else(|| self.listings().next());
        let coverage = coverage.and_then(|listing| listing.coverage);
        let main_page = self.pages().find(|page| page.total > 0).or_else(|| self.pages().next());
        let reading =
            main_page.filter(|_| !(coverage == Some(Coverage::Nothing) && total == 0)).map(|page| {
                // days say nothing about a list of places, unless they are why it stands alone
                let is_shown = total == 0
                    || events.is_some_and(|Listing { page, .. }| page.total > 0 || self.asks_when(page));
                self.notes().interpretation(page, window.filter(|_| is_shown), self.hours())
            });
        // what is nowhere here may be in a region that is not shown
        let is_missing = self.pages().any(|page| page.nothing == Some(Nothing::EmptyCategory)) && total == 0;
        let content = html! {
            (Room((shown_events + shown_places + REST_ITEMS) * ITEM_BYTES))
            // what is near an area outside may lie inside
            @if coverage == Some(Coverage::Nothing) && total == 0 {
                (paid_notice(layout))
                (self.relaxations())
                (self.categories())
            } @else {
                (self.status(total))
                @if self.listings().any(|listing| listing.is_here) { p.note { (words.where_are_you) } }
                (self.explanation())
                @if let Some(events) = events { (self.list(RecordFilter::Events, events, shown_events)) }
                @if let Some(places) = places { (self.list(RecordFilter::Places, places, shown_places)) }
                @if total == 0 {
                    (self.relaxations())
                    (self.categories())
                    (more(&layout.path("/sugerir"), layout.texts.suggest.description))
                }
                @if let Some(page) = main_page.filter(|page| page.total > 0) { (self.notes().own_page(page)) }
                @if self.hides_places() { (self.of_the_day(window)) }
                (self.tonight(window))
                @if coverage.is_some() || is_missing { (paid_notice(layout)) }
                @if shown_events + shown_places > 0 { (layout.credit(data.positions.as_ref())) }
            }
        };
        SearchPage { reading, ..SearchPage::of(layout, Some(data), search, meta) }.html(content)
    }

    fn notes(&self) -> SearchNotes<'_> {
        SearchNotes { show: self.show, text: &self.search.q, search: self.search }
    }

    /// The hours that the search names, whether the listed events keep them or not.
    fn hours(&self) -> Option<Hours> {
        let page = &self.events?.page;
        let let_go = page.closest.as_deref().and_then(|closest| closest.hours);
        page.interpretation.hours.map(|(hours, _)| hours).or(let_go)
    }

    fn listings(&self) -> impl Iterator<Item = &Listing> {
        let places = self.places.filter(|_| !self.hides_places());
        [self.events, places].into_iter().flatten()
    }

    fn pages(&self) -> impl Iterator<Item = &Page> {
        self.listings().map(|listing| &listing.page)
    }

    /// The areas of a search that is a text which says when and at most where. By day all places of an area may be
    /// asked for beside what is on there.
    fn only_when(&self) -> Option<&[AreaId]> {
        let places = self.places?;
        let Interpretation { areas, quadras, categories, names_time, text, without, .. } =
            &places.page.interpretation;
        let is_subject = !categories.is_empty()
            || !quadras.is_empty()
            || !text.is_empty()
            || !without.is_empty()
            || places.page.around.is_some()
            || !(areas.is_empty() || self.is_evening());
        (*names_time && !is_subject && self.search.when.is_empty()).then_some(areas)
    }

    /// Whether it says no more than that, and events are on then, so that no place is asked for.
    fn hides_places(&self) -> bool {
        self.only_when().is_some() && self.events.is_some_and(|events| events.page.total > 0)
    }

    /// Whether the search names hours of an evening.
    fn is_evening(&self) -> bool {
        self.hours().is_some_and(|hours| hours.from >= EVENING)
    }

    /// The path of the page of the day that was searched, if it is one.
    fn day_path(&self, days: Option<Window>) -> Option<String> {
        let Show { layout, data, .. } = self.show;
        let day = days.filter(|days| days.from == days.to && days.from >= data.day);
        day.map(|days| layout.path(&day_path(days.from, data.day)))
    }

    /// A link to the page of the day that was searched, if it is one.
    fn of_the_day(&self, days: Option<Window>) -> Markup {
        let path = self.day_path(days);
        html! { @if let Some(path) = path { (more(&path, self.show.layout.texts.search.of_the_day)) } }
    }

    /// Places to go out to on an evening, for who asks for nothing else: others would stand beside those asked for.
    fn tonight(&self, days: Option<Window>) -> Markup {
        let today = self.show.data.day;
        match self.only_when() {
            Some(areas) if self.is_evening() => {
                night_in(self.show, days.map_or(today, |days| days.from.max(today)), areas)
            }
            _ => Markup::default(),
        }
    }

    /// Where to look when nothing was found.
    fn categories(&self) -> Markup {
        let Show { layout, data, guide, .. } = self.show;
        let categories = data.roots(guide).into_iter().filter_map(|listing| {
            let name = category_name(guide.vocabulary(), layout.language, listing.topic.1?);
            Some((layout.path(&listing.path), name, String::new()))
        });
        section("kinds", layout.texts.home.by_category, "", chips(categories))
    }

    /// The results of one kind, with a link to more of them.
    fn list(&self, kind: RecordFilter, listing: &Listing, shown: usize) -> Markup {
        let Results { show, search, .. } = *self;
        let layout = show.layout;
        let words = layout.texts;
        let page = &listing.page;
        if page.total == 0 {
            // where places are found, other events would stand above them
            if self.pages().any(|page| page.total > 0) {
                return if kind == RecordFilter::Events {
                    self.no_events_then(page)
                } else {
                    Markup::default()
                };
            }
            if page.also_on(&show.guide.events).is_empty() {
                return Markup::default();
            }
            let (title, list) = (self.by_days(words.search.also_on, page), self.also_on_list(page));
            return section("others", title, "", list);
        }
        let by_time;
        let (records, ranks) = match kind {
            RecordFilter::Events => {
                by_time = self.by_time(page);
                (Records::Events, &by_time[..shown])
            }
            _ => (Records::Places, &page.ranks[..shown]),
        };
        let (id, title, all, list) = if kind == RecordFilter::Events {
            (
                "events",
                words.layout.events,
                words.search.all_events,
                found_events(show, ranks, self.first_day(page)),
            )
        } else {
            ("places", words.layout.places, words.search.all_places, place_list(show, ranks))
        };
        let is_shared = self.events.is_some() && self.places.is_some();
        let has_more = u32::try_from(shown).is_ok_and(|shown| page.total > shown);
        let untimed = page.interpretation.hours.map(|(_, untimed)| untimed).filter(|untimed| *untimed > 0);
        let asks_when = self.asks_when(page);
        let content = html! {
            (Room(list.0.len() + ITEM_BYTES))
            (self.page_number(kind, page))
            (self.not_known(&(&self.notes().unknown(page) - &self.unknown_everywhere())))
            (self.notes().let_go(page))
            (list)
            // below it: they would put the first record below the first screen of a phone
            @if let Some(untimed) = untimed { p.note { ((words.search.untimed)(&words.calendar.number(untimed))) } }
            @if kind == RecordFilter::Places && asks_when { p.note { (words.search.places_have_no_days) } }
            @if is_shared && has_more {
                (more(&format!("{}{}", layout.home(), search.with_kind(id)), all))
            }
            (self.pager(listing.next_cursor.as_deref()))
            // the listed ones are on other days than those of the search
            @if page.closest.as_deref().is_some_and(|closest| closest.days.is_some()) { (self.also_on(page)) }
            // after the last of the listed ones
            @if !has_more && listing.next_cursor.is_none() {
                (Further { show, records, page, of_days: self.by_days(words.search.also_on, page) }.html(self.first_day(page)))
            }
        };
        section(id, title, &words.calendar.number(page.total), content)
    }

    /// The events of a page as they are listed. What has ended of today, or began long ago, comes last, unless it takes
    /// place again in the days that were searched: then it stands with its next date.
    fn by_time(&self, page: &Page) -> Vec<u32> {
        let (_, begun) = self.begun;
        let Show { data, guide, .. } = self.show;
        let next = |at: usize, rank: u32| {
            let later = page.dates.get(at)?.iter().find(|day| **day > data.day)?;
            let mut dates = data.upcoming.of(&guide.events, rank)?.dates.iter();
            dates.find(|(_, day)| day == later).map(|(next, _)| *next)
        };
        // of today alone nothing follows what began hours ago, however long it may go on
        let is_today = page.interpretation.window == Some(Window::day(data.day));
        let is_late = |rank: u32| is_today && self.show.progress(&self.show.event(rank)).is_late();
        let listed = page.ranks.iter().enumerate().map(|(at, rank)| match next(at, *rank) {
            _ if !begun.contains(rank) => (is_late(*rank), *rank),
            Some(next) => (false, next),
            None => (true, *rank),
        });
        let mut listed: Vec<(bool, u32)> = listed.collect();
        // ranks are in the order of time; the nearest may come first
        match page.ranks.is_sorted() {
            true => listed.sort_unstable(),
            false => listed.sort_by_key(|(is_over, _)| *is_over),
        }
        listed.into_iter().map(|(_, rank)| rank).collect()
    }

    /// Which page of a list this is, where it is not the first.
    fn page_number(&self, kind: RecordFilter, page: &Page) -> Markup {
        // the first one of events has more
        let room = if kind == RecordFilter::Events { room_for(self.search, self.begun) } else { 0 };
        let others = usize::try_from(page.total).unwrap_or(usize::MAX).saturating_sub(room);
        let pages = others.div_ceil(SITE_RESULTS);
        let number = self.search.page_number().filter(|number| (2..=pages).contains(number));
        html! {
            @if let Some(number) = number {
                p.note { ((self.show.layout.texts.search.page_of)(number, pages)) }
            }
        }
    }

    /// Links to the next page of a list and to the first: no cursor leads to the page before.
    fn pager(&self, cursor: Option<&str>) -> Markup {
        let Results { show: Show { layout, .. }, search, .. } = *self;
        let words = layout.texts;
        if cursor.is_none() && search.cursor.is_empty() {
            return Markup::default();
        }
        html! {
            nav.pager aria-label=(words.layout.pages) {
                ul.chips {
                    @if !search.cursor.is_empty() {
                        li { a href={ (layout.home()) (search.first_page()) } { (words.search.first_page) } }
                    }
                    @if let Some(cursor) = cursor {
                        li {
                            a rel="next" href={ (layout.home()) (search.page_after(cursor)) } {
                                (words.layout.next_page)
                            }
                        }
                    }
                }
            }
        }
    }

    /// The first day that a list was searched for, or today.
    fn first_day(&self, page: &Page) -> NaiveDate {
        let other_days = page.closest.as_deref().and_then(|closest| closest.days);
        self.from(other_days.or(page.interpretation.window))
    }

    /// The first day of those searched; today, if it is one of them.
    fn from(&self, days: Option<Window>) -> NaiveDate {
        let today = self.show.data.day;
        days.map_or(today, |days| if days.to < today { days.from } else { days.from.max(today) })
    }

    /// What else is on in the days of the search, if anything is, by date.
    fn also_on(&self, page: &Page) -> Markup {
        html! {
            @if !page.also_on(&self.show.guide.events).is_empty() {
                p.note { (self.by_days(self.show.layout.texts.search.also_on, page)) ":" }
                (self.also_on_list(page))
            }
        }
    }

    fn also_on_list(&self, page: &Page) -> Markup {
        let mut events = page.also_on(&self.show.guide.events).to_vec();
        events.sort_unstable();
        self.show.late_last(&mut events);
        found_events(self.show, &events, self.from(page.interpretation.window))
    }

    /// Of two sentences the one about a day or the one about several, as a page was searched for.
    fn by_days(&self, [of_day, of_days]: [&'static str; 2], page: &Page) -> &'static str {
        let is_day = page.interpretation.window.is_some_and(|days| days.from == days.to);
        if is_day { of_day } else { of_days }
    }

    /// Whether the text or the form says when.
    fn asks_when(&self, page: &Page) -> bool {
        page.interpretation.names_time || !self.search.when.is_empty()
    }

    /// That nothing is on in the days that the search names, above the places that it finds.
    fn no_events_then(&self, page: &Page) -> Markup {
        let words = self.show.layout.texts;
        if !self.asks_when(page) {
            return Markup::default();
        }
        let path = self.day_path(page.interpretation.window);
        html! {
            p.note {
                (self.by_days(words.search.no_events_then, page))
                @if let Some(path) = path { " " a href=(path) { (words.search.of_the_day) } }
            }
        }
    }

    /// Whether the search is a text without a word, or about what the guide does not know alone, so that everything is
    /// listed. "O que fazer" asks for everything.
    fn chooses_nothing(&self) -> bool {
        let SearchQuery { q, when, .. } = self.search;
        let is_wordless = !q.is_empty() && !q.contains(char::is_alphanumeric);
        let is_unknown = self.pages().any(|page| !page.interpretation.not_known.is_empty());
        when.is_empty() && (is_wordless || is_unknown) && self.pages().all(chooses_nothing)
    }

    /// How much was found, or why nothing, or that nothing was chosen.
    fn status(&self, total: u32) -> Markup {
        let Show { layout, .. } = self.show;
        let words = &layout.texts.search;
        let text = &*self.search.q;
        let is_text_alone = !text.is_empty() && self.search.with("q", "").len() <= 1;
        let reason = self.pages().find_map(|page| match page.nothing.as_ref()? {
            Nothing::NotListed(what) => Some((words.not_listed)(&spelling(text, what))),
            Nothing::Outside(town) => Some((words.outside)(&spelling(text, town))),
            Nothing::EmptyCategory | Nothing::OfNoCountry(_) | Nothing::Apart(_) | Nothing::NotUnderstood => {
                None
            }
        });
        let unknown = self.notes().unknown_sentence(&self.unknown_everywhere());
        html! {
            p.status role="status" {
                @match total {
                    0 if let Some(reason) = reason => (reason),
                    0 if is_text_alone => ((words.nothing_for)(text)),
                    0 => (words.no_results),
                    _ if self.chooses_nothing() => {
                        @match self.notes().unknown_sentence(&self.unknown_anywhere()) {
                            Some(unknown) => (unknown),
                            None => ((words.not_understood)(text)),
                        }
                        " " (words.everything)
                    }
                    _ => {
                        // each list says it again, and a phone has no room for it
                        span.total {
                            @if total == 1 { (words.one_result) }
                            @else { ((words.results)(&layout.texts.calendar.number(total))) }
                            "."
                        }
                        " " (unknown.unwrap_or_default())
                    }
                }
            }
        }
    }

    /// What the guide does not know of the records of any list: it is said once, above them.
    fn unknown_everywhere(&self) -> BTreeSet<Unknown> {
        let mut lists = self.pages().filter(|page| page.total > 0).map(|page| self.notes().unknown(page));
        let first = lists.next().unwrap_or_default();
        lists.fold(first, |everywhere, unknown| &everywhere & &unknown)
    }

    /// What the guide does not know of the records of some list.
    fn unknown_anywhere(&self) -> BTreeSet<Unknown> {
        self.pages().flat_map(|page| self.notes().unknown(page)).collect()
    }

    fn not_known(&self, unknown: &BTreeSet<Unknown>) -> Markup {
        html! { @if let Some(unknown) = self.notes().unknown_sentence(unknown) { p.note { (unknown) } } }
    }

    /// What the guide does not know and the next day, when nothing is found.
    fn explanation(&self) -> Markup {
        let words = &self.show.layout.texts.search;
        let nothing = self.pages().all(|page| page.total == 0);
        let next = self.pages().find_map(|page| page.next.as_deref()).filter(|_| nothing);
        // what is over does not come next
        let is_left = |rank: &u32| !self.begun.1.contains(rank);
        let next = next.filter(|next| next.date != self.show.data.day || next.ranks.iter().any(is_left));
        html! {
            // what is found says it of itself
            @if nothing { (self.not_known(&self.unknown_anywhere())) }
            @if let Some(next) = next {
                p.note { (words.next_day) " " b { (self.notes().days(Window::day(next.date))) } }
                (found_events(self.show, &next.ranks, next.date))
            }
        }
    }

    /// Searches with one condition less that find something.
    fn relaxations(&self) -> Markup {
        let Results { show: Show { layout, .. }, search, places, .. } = *self;
        let words = &layout.texts.search;
        let count = |of: fn(&RelaxedTotals) -> Option<u32>| -> u32 {
            self.pages().filter_map(|page| page.relax.as_deref()).filter_map(of).sum()
        };
        let mut links = Vec::new();
        for (field, sent, count, text) in [
            ("q", &search.q, count(|relax| relax.q), words.without_text),
            ("region", &search.region, count(|relax| relax.region), words.in_free_area),
            ("category", &search.category, count(|relax| relax.category), words.of_any_category),
        ] {
            let query = search.with(field, "");
            // without any field it would be the front page
            if count > 0 && !sent.is_empty() && query.len() > 1 {
                links.push((query, text, count));
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
pub(crate) fn error_page(
    layout: &Layout,
    data: Option<&PageData>,
    search: &SearchQuery<'_>,
    query: &str,
    errors: &[FormError],
) -> String {
    let wrong: Vec<&str> = errors.iter().filter_map(|error| error.field).map(form_field).collect();
    // a name may be mistyped, and is shown as it was; what is no day is no choice of the form
    let without_day;
    let search = match wrong.contains(&"when") {
        true => {
            without_day = SearchQuery { when: Cow::Borrowed(""), ..search.clone() };
            &without_day
        }
        false => search,
    };
    let words = &layout.texts.search;
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    let meta = Meta { title: words.title, description: words.title, path: "/", query: &query, listed: false };
    let content = html! {
        div #no .no role="alert" {
            @for error in errors {
                p { (error.sentence) }
                @if let Some(field) = error.field.filter(|_| !error.suggestions.is_empty()) {
                    p { (words.suggestions) }
                    ul.chips {
                        @for name in &error.suggestions {
                            li {
                                a href=(suggested(layout, data, search, field, name)) { (shown(layout, data, field, name)) }
                            }
                        }
                    }
                }
            }
        }
    };
    SearchPage { wrong: &wrong, ..SearchPage::of(layout, data, search, meta) }.html(content)
}

/// The field of the form that a parameter of the search comes from.
fn form_field(param: &str) -> &str {
    if ["from", "to"].contains(&param) { "when" } else { param }
}

/// A value that may be meant, as people read it.
fn shown<'n>(layout: &Layout, data: Option<&'n PageData>, field: &str, name: &'n str) -> &'n str {
    let label = data.filter(|_| field == "category").map(|data| data.category(layout.language, name));
    label.filter(|label| !label.is_empty()).unwrap_or(name)
}

/// The address of a search with a value that may be meant; for an area alone, that of its page.
fn suggested(
    layout: &Layout,
    data: Option<&PageData>,
    search: &SearchQuery<'_>,
    field: &str,
    name: &str,
) -> String {
    let is_alone =
        field == "region" && SearchQuery { region: Cow::Borrowed(""), ..search.clone() }.is_empty();
    let area = data.filter(|_| is_alone).and_then(|data| data.area_path(name));
    area.map_or_else(|| format!("{}{}", layout.home(), search.with(field, name)), |path| layout.path(path))
}

/// The same at the path, in Portuguese, that the page of such an area would have.
pub(crate) fn paid_area_at(Show { layout, data, guide, .. }: Show<'_>, path: &str) -> Option<String> {
    let vocabulary = guide.vocabulary();
    let area = vocabulary.area_with_slug(path.strip_prefix("/area/")?)?;
    if vocabulary.common_area(data.directory.home, area).is_some() {
        return None;
    }
    let name = vocabulary.area(area).name.as_str();
    let search = SearchQuery { region: Cow::Borrowed(name), ..SearchQuery::default() };
    Some(paid_area(layout, data, &search, &format!("region={}", encoded(name))))
}

/// The page for a search in an area that only paid plans cover.
pub(crate) fn paid_area(layout: &Layout, data: &PageData, search: &SearchQuery<'_>, query: &str) -> String {
    let words = &layout.texts.search;
    let query = format!("?{query}");
    let meta =
        Meta { title: words.title, description: words.description, path: "/", query: &query, listed: false };
    SearchPage::of(layout, Some(data), search, meta).html(paid_notice(layout))
}

fn paid_notice(layout: &Layout) -> Markup {
    let words = &layout.texts.search;
    html! {
        p.note role="status" { (words.paid_area) " " a href=(layout.path("/plans")) { (words.see_plans) } }
    }
}

/// How many events and places a page of both shows of those found.
fn split(events: usize, places: usize) -> (usize, usize) {
    let events = events.min(SITE_RESULTS.saturating_sub(places).max(SITE_RESULTS / 2));
    (events, places.min(SITE_RESULTS - events))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_shared_by_events_and_places() {
        for (found, shown) in [
            ((24, 24), (12, 12)),
            ((24, 0), (24, 0)),
            ((0, 24), (0, 24)),
            ((1, 24), (1, 23)),
            ((24, 1), (23, 1)),
            ((0, 0), (0, 0)),
        ] {
            assert_eq!(split(found.0, found.1), shown);
        }
    }
}
