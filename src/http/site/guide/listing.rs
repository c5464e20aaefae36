//! The page of an area, of a category, or of a category in an area: its events, its places, and ways to its neighbours.

use std::cmp::Reverse;

use chrono::Days;
use index::records::positions::KnownBy;
use index::vocabulary::ArchivedVocabularyIndex;
use index::{AreaId, CategoryId, Window};
use maud::{Markup, html};

use super::home::blocks;
use crate::dispatch::SITE_RESULTS;
use crate::http::site::cards::Card;
use crate::http::site::data::area_records::{events_in, records_of};
use crate::http::site::data::directory::{Listing, Topic};
use crate::http::site::data::hours::{EVENING, Progress, is_evening, sort_by_hour};
use crate::http::site::data::record_view::Record;
use crate::http::site::layout::components::{
    Show, breadcrumbs, chips, chips_in_a_row, events as event_list, events_of_part, pager,
    places as place_list, section,
};
use crate::http::site::layout::i18n::category_name;
use crate::http::site::layout::tags::hash;
use crate::http::site::layout::{Extra, Meta, strip};
use crate::http::site::share::schema_org;
use crate::http::site::share::take_along;

/// The most events of later weeks.
const LATER: usize = 12;

/// The most events of the next seven days.
const THIS_WEEK: usize = 4 * SITE_RESULTS;

/// The most links to pages of a kind.
const MAX_LINKS: usize = 12;

/// The most areas around one.
const NEIGHBOURS: usize = 6;

/// A page, and what its parts are rendered from.
struct ListingPage<'a> {
    show: Show<'a>,
    vocabulary: &'a ArchivedVocabularyIndex,
    listing: &'a Listing,
}

/// The page of a listing, and of its pages the one with this number; none if there is no such page.
pub(crate) fn page(show: Show<'_>, listing: &Listing, number: usize) -> Option<String> {
    let vocabulary = show.guide.vocabulary();
    ListingPage { show, vocabulary, listing }.page(number)
}

/// The card of a listing.
pub(crate) fn card(show: Show<'_>, listing: &Listing) -> Card {
    ListingPage { show, vocabulary: show.guide.vocabulary(), listing }.card()
}

/// What a listing is called.
pub(crate) fn name(show: Show<'_>, listing: &Listing) -> String {
    ListingPage { show, vocabulary: show.guide.vocabulary(), listing }.name(listing.topic)
}

impl ListingPage<'_> {
    fn page(&self, number: usize) -> Option<String> {
        let Show { layout, data, .. } = self.show;
        let Listing { topic, path, events, places } = self.listing;
        let pages = places.div_ceil(SITE_RESULTS).max(1);
        if number > pages {
            return None;
        }
        let words = &layout.texts.listing;
        let area = topic.0.unwrap_or(data.directory.home);
        let show = Show { area, ..self.show };
        let places_shown = self.places(area).into_iter().skip((number - 1) * SITE_RESULTS);
        let shown: Vec<u32> = places_shown.take(SITE_RESULTS).collect();
        let (tonight, (week, later)) = match number {
            1 => {
                let tonight = self.tonight(area);
                let split = self.split_events(events, &tonight);
                (tonight, split)
            }
            _ => Default::default(),
        };
        let name = self.name(*topic);
        // a label may explain itself, which a title has no room for
        let short = name.split(" (").next().unwrap_or(&name);
        let title = if topic.0.is_none() { (words.in_city)(short) } else { name.clone() };
        let numbered = |title: String| if number > 1 { (words.page)(&title, number) } else { title };
        let (described, title) = (numbered(title.clone()), numbered(self.with_kinds(title)));
        let query = if number > 1 { format!("?page={number}") } else { String::new() };
        let meta = Meta {
            title: &title,
            description: &(words.description)(&described),
            path,
            query: &query,
            listed: true,
        };
        let above = self.above();
        // a pair has no frame
        let embed = (topic.0.is_none() || topic.1.is_none()).then(|| format!("/embed{path}"));
        let main = html! {
            (strip(hash(path).to_le_bytes()[0]))
            div.wide {
                (breadcrumbs(layout, above.iter().map(|(path, name)| (layout.path(path), name.as_str()))))
                h1.list-title { (numbered(name)) }
                @if topic.1.is_none() { (self.category_chips(area)) }
                p.status { (self.counts()) }
                @if !tonight.is_empty() { (self.tonight_section(show, &tonight)) }
                @if !week.is_empty() { (section("week", words.this_week, "", event_list(show, &week, data.day))) }
                @if !later.is_empty() { (section("later", words.later, "", event_list(show, &later, data.day))) }
                @if !events.is_empty() { (take_along::follow(layout, path, embed.as_deref())) }
                @if !shown.is_empty() {
                    (section("places", layout.texts.layout.places, "", place_list(show, &shown)))
                    (pager(layout, path, number, pages))
                }
                (self.ways())
                (layout.credit(data.positions.as_ref()))
                (layout.preview())
            }
            (self.json_ld(&above, &[tonight.as_slice(), &week, &later].concat(), &shown))
        };
        let own = Some(path.as_str()).filter(|_| !events.is_empty());
        let card = self.card();
        let extra = Extra { calendar: own, feed: own, card: Some(&card), ..Extra::default() };
        Some(layout.page_with(&meta, &extra, main))
    }

    /// The places, in the order of the guide: those in the area itself before those in the areas within it, and those
    /// of the category itself before those of the ones within it.
    fn places(&self, area: AreaId) -> Vec<u32> {
        let Show { data, guide, .. } = self.show;
        let (home, category) = (data.directory.home, self.listing.topic.1);
        let mut ranks = records_of(guide, &guide.places, (area, home), category).into_owned();
        let is_inner = |rank: u32| area != home && guide.places.area(rank) != area;
        let is_narrower = |rank: u32| category.is_some_and(|own| guide.places.category(rank) != own);
        ranks.sort_by_key(|rank| (is_inner(*rank), is_narrower(*rank)));
        ranks
    }

    /// The events of this evening that have not ended.
    fn tonight(&self, area: AreaId) -> Vec<u32> {
        let Show { data, guide, .. } = self.show;
        let of_category =
            self.listing.topic.1.map(|own| guide.events.filtered(data.directory.home, Some(own)));
        let mut on = events_in(guide, Window::day(data.day), (area, data.directory.home));
        on.retain(|rank| {
            is_evening(guide, *rank)
                && of_category.is_none_or(|all| all.binary_search(rank).is_ok())
                && self.show.progress(&self.show.event(*rank)) != Progress::Ended
        });
        sort_by_hour(guide, &mut on, true);
        on.truncate(SITE_RESULTS);
        on
    }

    fn tonight_section(&self, show: Show<'_>, tonight: &[u32]) -> Markup {
        let Show { layout, data, .. } = show;
        let day = layout.texts.calendar.day(data.day);
        section("tonight", layout.texts.agenda.tonight, &day, events_of_part(show, tonight, EVENING))
    }

    /// Links to the categories in an area that have the most records.
    fn category_chips(&self, area: AreaId) -> Markup {
        let Show { layout, data, .. } = self.show;
        let categories = match area == data.directory.home {
            true => data.directory.root_categories(self.vocabulary),
            false => data.directory.categories_in(area),
        };
        let links = categories.iter().take(MAX_LINKS).filter_map(|listing| {
            let name = self.category_name(listing.topic.1?);
            Some((layout.path(&listing.path), name, listing.records().to_string()))
        });
        chips_in_a_row(links)
    }

    /// The title of the page of an area or a category, which a place may share its name with.
    fn with_kinds(&self, title: String) -> String {
        let words = &self.show.layout.texts.listing;
        match (self.listing.topic, self.listing.places, self.listing.events.len()) {
            ((Some(_), Some(_)), ..) => title,
            (_, 1.., 1..) => format!("{title}: {}", words.places_and_events),
            (_, 1.., _) => format!("{title}: {}", words.only_places),
            (_, _, 1..) => format!("{title}: {}", words.only_events),
            _ => title,
        }
    }

    /// "34 lugares · 12 eventos".
    fn counts(&self) -> String {
        let words = &self.show.layout.texts.listing;
        let Listing { events, places, .. } = self.listing;
        let counts = [
            Some((words.places)(*places)).filter(|_| *places > 0),
            Some((words.events)(events.len())).filter(|_| !events.is_empty()),
        ];
        counts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    fn card(&self) -> Card {
        let layout = self.show.layout;
        Card {
            kind: layout.texts.layout.guide.to_owned(),
            title: self.name(self.listing.topic),
            lines: vec![self.counts(), "Brasília".to_owned()],
            ..Card::of_page(&self.listing.path, &layout.service_name)
        }
    }

    /// The events of the next seven days, those that run included, and some of those after, without those that are
    /// `listed`.
    fn split_events(&self, events: &[u32], listed: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let Show { data, guide, .. } = self.show;
        let end = data.day + Days::new(6);
        let is_soon = |rank: &u32| guide.events.first_day(*rank).is_some_and(|day| day <= end);
        let to_come = self.show.to_come(events).into_iter().filter(|rank| !listed.contains(rank));
        let (mut week, mut later): (Vec<u32>, Vec<u32>) = to_come.partition(is_soon);
        week.truncate(THIS_WEEK);
        later.truncate(LATER);
        (week, later)
    }

    fn area_name(&self, area: AreaId) -> &str {
        self.vocabulary.area(area).name.as_str()
    }

    fn category_name(&self, category: CategoryId) -> &str {
        category_name(self.vocabulary, self.show.layout.language, category)
    }

    fn name(&self, topic: Topic) -> String {
        match topic {
            (Some(area), Some(category)) => {
                // a label may explain itself, "Boteco (neighbourhood bar)", which the page of the category has room for
                let category = self.category_name(category);
                let short = category.split(" (").next().unwrap_or(category);
                format!("{short}, {}", self.area_name(area))
            }
            (Some(area), None) => self.area_name(area).to_owned(),
            (None, Some(category)) => self.category_name(category).to_owned(),
            (None, None) => String::new(),
        }
    }

    fn area_parent(&self, area: AreaId) -> AreaId {
        self.vocabulary.area(area).parent.to_native()
    }

    fn category_parent(&self, category: CategoryId) -> CategoryId {
        self.vocabulary.category(category).parent.to_native()
    }

    /// The pages above this one, from the front page on: path and name.
    fn above(&self) -> Vec<(String, String)> {
        let Show { layout, data, .. } = self.show;
        let own = self.listing.topic;
        let topics: Vec<Topic> = match own {
            (Some(area), _) => self.vocabulary.area_and_above(area).map(|area| (Some(area), None)).collect(),
            (None, Some(category)) => {
                self.vocabulary.category_and_above(category).map(|category| (None, Some(category))).collect()
            }
            (None, None) => Vec::new(),
        };
        // areas around the one that the site shows have no pages
        let pages = topics.into_iter().rev().filter(|topic| *topic != own).filter_map(|topic| {
            let listing = data.directory.of(topic)?;
            Some((listing.path.clone(), self.name(topic)))
        });
        let front = ("/".to_owned(), layout.texts.layout.guide.to_owned());
        std::iter::once(front).chain(pages).collect()
    }

    /// Ways to the pages within this one and beside it.
    fn ways(&self) -> Markup {
        let words = &self.show.layout.texts.listing;
        let directory = &self.show.data.directory;
        let area_name = |listing: &Listing| listing.topic.0.map(|area| self.area_name(area));
        let category_name = |listing: &Listing| listing.topic.1.map(|category| self.category_name(category));
        match self.listing.topic {
            (Some(area), None) => {
                let categories = match area == directory.home {
                    true => directory.root_categories(self.vocabulary),
                    false => directory.categories_in(area),
                };
                let parts = directory.areas_inside(self.vocabulary, area);
                html! {
                    (self.block("inside", words.inside, &parts, usize::MAX, &area_name))
                    // the first ones are above all lists
                    @if categories.len() > MAX_LINKS {
                        (self.block("kinds", words.by_category, &categories, 2 * MAX_LINKS, &category_name))
                    }
                    (self.neighbours(area, None))
                }
            }
            (None, Some(category)) => {
                let is_root = self.category_parent(category) == category;
                let beside_it = if is_root { words.other_topics } else { words.related };
                let below = directory.categories_below(self.vocabulary, category);
                let areas = directory.areas_of(category);
                let beside = directory.categories_beside(self.vocabulary, category);
                html! {
                    (self.block("kinds", words.by_category, &below, usize::MAX, &category_name))
                    (self.block("areas", words.by_area, &areas, MAX_LINKS, &area_name))
                    (self.links("related", beside_it, &beside, &category_name))
                }
            }
            (Some(area), Some(category)) => {
                let mut others = directory.categories_in(area);
                others.retain(|listing| listing.topic.1 != Some(category));
                html! {
                    (self.links("kinds", words.by_category, &others, &category_name))
                    (self.neighbours(area, Some(category)))
                    @if let Some(all) = directory.of((None, Some(category))) {
                        (self.links("all", words.related, &[all], &category_name))
                    }
                }
            }
            (None, None) => Markup::default(),
        }
    }

    fn block<'n>(
        &self,
        id: &str,
        title: &str,
        listings: &[&Listing],
        most: usize,
        name: &dyn Fn(&Listing) -> Option<&'n str>,
    ) -> Markup {
        let class = if id == "kinds" { "blocks-kinds" } else { "blocks-areas" };
        if listings.is_empty() {
            return Markup::default();
        }
        let listings = listings.iter().take(most).copied();
        section(id, title, "", blocks(self.show.layout, listings, name, class))
    }

    fn links<'n>(
        &self,
        id: &str,
        title: &str,
        listings: &[&Listing],
        name: &dyn Fn(&Listing) -> Option<&'n str>,
    ) -> Markup {
        if listings.is_empty() {
            return Markup::default();
        }
        let layout = self.show.layout;
        let links = listings.iter().take(MAX_LINKS).map(|listing| {
            let count = listing.records().to_string();
            (layout.path(&listing.path), name(listing).unwrap_or_default(), count)
        });
        section(id, title, "", chips(links))
    }

    /// The nearest areas beside one, with their distance; those with the most records when no positions are known.
    fn neighbours(&self, area: AreaId, category: Option<CategoryId>) -> Markup {
        let Show { layout, data, guide, .. } = self.show;
        let parent = self.area_parent(area);
        let mut beside = data.directory.sorted(|topic| {
            matches!(topic, (Some(other), its) if its == category && other != area
                && other != data.directory.home && self.area_parent(other) == parent)
        });
        let place = |area: AreaId| guide.gazetteer.area(area).filter(|place| place.known_by == KnownBy::Area);
        let distance = |listing: &Listing| Some(place(area)?.point.distance(place(listing.topic.0?)?.point));
        if area == data.directory.home {
            return Markup::default();
        }
        beside.sort_by_key(|listing| (distance(listing).unwrap_or(u32::MAX), Reverse(listing.records())));
        let links = beside.iter().take(NEIGHBOURS).filter_map(|listing| {
            let away = distance(listing).map(|metres| layout.texts.calendar.distance(metres));
            Some((layout.path(&listing.path), self.area_name(listing.topic.0?), away.unwrap_or_default()))
        });
        if beside.is_empty() {
            return Markup::default();
        }
        section("around", layout.texts.listing.around, "", chips(links))
    }

    fn json_ld(&self, above: &[(String, String)], events: &[u32], places: &[u32]) -> Markup {
        let Show { layout, guide, .. } = self.show;
        let here = (self.listing.path.clone(), self.name(self.listing.topic));
        let trail = above.iter().chain(std::iter::once(&here));
        let trail: Vec<(String, &str)> =
            trail.map(|(path, name)| (layout.address(path), name.as_str())).collect();
        let item = |kind: &str, record: &Record<'_>| {
            (layout.address(&format!("/{kind}/{}", record.id)), record.name.to_string())
        };
        let events = events.iter().map(|rank| item("event", &Record::new(&guide.events.rendered, *rank)));
        let places = places.iter().map(|rank| item("place", &Record::new(&guide.places.rendered, *rank)));
        schema_org::list(&trail, &events.chain(places).collect::<Vec<_>>())
    }
}
