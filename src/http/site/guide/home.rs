//! The front page.

use chrono::Days;
use index::{Guide, Window};
use maud::{Markup, html};

use super::agenda::{begun, day_strip, folded, still_on, this_evening};
use super::search_query::SearchQuery;
use crate::http::site::data::directory::Listing;
use crate::http::site::data::hours::{Progress, is_evening, sort_by_hour};
use crate::http::site::data::page_data::PageData;
use crate::http::site::data::period::month_path;
use crate::http::site::data::upcoming::Upcoming;
use crate::http::site::layout::components::{
    Show, chips, chips_in_a_row, encoded, events as event_list, events_of_day, more, places as place_list,
    section,
};
use crate::http::site::layout::i18n::category_name;
use crate::http::site::layout::{Layout, Meta, wall};

/// The most areas that the page shows.
const MAX_BLOCKS: usize = 12;

/// The most records in a list.
const MAX_RECORDS: usize = 6;

/// The most searches that are suggested.
const MAX_SEARCHES: usize = 2;

/// The category of what is for children.
const CHILDREN: &str = "infantil";

/// A part of a day, of an hour or more. The front page is made for each, and says what has begun before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PartOfDay(usize);

impl PartOfDay {
    pub(crate) const COUNT: usize = 17;

    /// The hours of the day at which the parts begin. In the evening and at night most begins and ends.
    const STARTS: [u16; PartOfDay::COUNT] = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 19, 20, 22, 23];

    /// All parts, in order.
    pub(crate) fn all() -> [PartOfDay; PartOfDay::COUNT] {
        std::array::from_fn(PartOfDay)
    }

    /// The part in which a minute of the day lies.
    pub(crate) fn at(minute: u16) -> PartOfDay {
        PartOfDay(PartOfDay::STARTS.partition_point(|start| *start * 60 <= minute).saturating_sub(1))
    }

    /// Its place among all.
    pub(crate) fn index(self) -> usize {
        self.0
    }

    fn start(self) -> u16 {
        PartOfDay::STARTS[self.0] * 60
    }
}

/// The front page at a part of the day: what is on today, the next days, the most mentioned places, and ways to all
/// others.
pub(crate) fn page(layout: &Layout, data: &PageData, guide: &Guide, part: PartOfDay) -> String {
    let words = &layout.texts.home;
    let meta =
        Meta { title: words.title, description: words.description, path: "/", query: "", listed: true };
    let [first, second, third] = words.heading;
    let show = Show { now: Some(part.start()), ..Show::new(layout, data, guide) };
    let vocabulary = guide.vocabulary();
    let areas = data.directory.neighbourhoods(vocabulary);
    let area = |listing: &Listing| listing.topic.0.map(|id| vocabulary.area(id).name.as_str());
    let category = |listing: &Listing| Some(category_name(vocabulary, layout.language, listing.topic.1?));
    let events = Today::new(show);
    let places = guide.places.filtered(data.directory.home, None);
    let places = &places[..places.len().min(MAX_RECORDS)];
    let main = html! {
        div.hero {
            div.hero-words {
                h1 { (first) " " br; (second) " " br; (third) }
                p.lead { (words.lead) }
            }
            (wall(12, 5, data.seed, "wall-hero"))
        }
        div.wide {
            (data.form(layout.language).filled(&SearchQuery::default(), &[]))
            (ways(show))
            (example_searches(layout, data))
            (still_on(show))
            (today(show, &events))
            (day_strip(layout, data, None))
            (next_days(show, &events))
            @if !places.is_empty() {
                (section("talked", words.most_mentioned, "", html! {
                    (place_list(show, places))
                    (more(&home_places(layout, show), words.all_places))
                }))
            }
            (section("areas", words.by_area, "", html! {
                (blocks(layout, areas.iter().take(MAX_BLOCKS).copied(), area, "blocks-areas"))
                (more(&home_places(layout, show), words.all_areas))
            }))
            (section("kinds", words.by_category, "", blocks(layout, data.roots(guide).into_iter(), category, "blocks-kinds")))
            (layout.credit(data.positions.as_ref()))
            (section("build", words.builders, "", builders(layout)))
        }
    };
    layout.page(&meta, main)
}

/// The page of the whole area that the site shows.
pub(crate) fn home_places(layout: &Layout, Show { data, .. }: Show<'_>) -> String {
    let listing = data.directory.of((Some(data.directory.home), None));
    layout.path(listing.map_or("/", |listing| &listing.path))
}

/// The events of today that the page lists, each once.
struct Today {
    /// What has ended, or began long ago.
    begun: Vec<u32>,
    by_day: Vec<u32>,
    /// At an hour that is not known.
    untimed: Vec<u32>,
    evening: Vec<u32>,
    /// What has ended of the evening, or began long ago.
    begun_tonight: Vec<u32>,
}

impl Today {
    fn new(show: Show<'_>) -> Today {
        let Show { data, guide, .. } = show;
        let mut today = guide.events.events_in(Window::day(data.day), data.directory.home, None);
        sort_by_hour(guide, &mut today, true);
        let (evening, others): (Vec<u32>, Vec<u32>) =
            today.iter().partition(|rank| is_evening(guide, **rank));
        let (untimed, by_day): (Vec<u32>, Vec<u32>) =
            others.iter().partition(|rank| guide.events.minute(**rank).is_none());
        let by_day = if show.is_evening() { Vec::new() } else { by_day };
        let apart = |events: Vec<u32>| {
            let begun = begun(show, events.iter().copied(), data.day);
            let left = events.into_iter().filter(|rank| !begun.contains(rank)).collect::<Vec<u32>>();
            (begun, left)
        };
        let ((begun, by_day), (begun_tonight, evening)) = (apart(by_day), apart(evening));
        let evening = tonight(show, evening);
        let lists = [begun, by_day, untimed, evening, begun_tonight].map(|mut events| {
            events.truncate(MAX_RECORDS);
            events
        });
        let [begun, by_day, untimed, evening, begun_tonight] = lists;
        Today { begun, by_day, untimed, evening, begun_tonight }
    }

    /// Whether it lists an event, or its series.
    fn lists(&self, guide: &Guide, event: u32) -> bool {
        let lists = [&self.begun, &self.by_day, &self.untimed, &self.evening, &self.begun_tonight];
        let mut listed = lists.into_iter().flatten();
        listed.any(|one| *one == event || guide.events.is_same_series(*one, event))
    }
}

/// The events of an evening that the page has room for, in their order: before others what is still to begin, and of
/// that what is recommended; of what has begun the latest.
fn tonight(show: Show<'_>, evening: Vec<u32>) -> Vec<u32> {
    let order = |(at, rank): &(usize, u32)| {
        let record = show.event(*rank);
        match show.progress(&record) {
            Progress::Ahead => (false, !record.uau, *at),
            _ => (true, !record.uau, usize::MAX - *at),
        }
    };
    let mut chosen: Vec<(usize, u32)> = evening.into_iter().enumerate().collect();
    chosen.sort_by_cached_key(order);
    chosen.truncate(MAX_RECORDS);
    chosen.sort_unstable();
    chosen.into_iter().map(|(_, rank)| rank).collect()
}

/// What is on by day, and at an hour that is not known; then the events of this evening and places to go out to. The
/// evening comes first when it has begun.
fn today(show: Show<'_>, events: &Today) -> Markup {
    let Today { begun, by_day, untimed, evening, begun_tonight } = events;
    let Show { layout, data, .. } = show;
    let words = &layout.texts.agenda;
    let day = layout.texts.calendar.day(data.day);
    let is_empty = [begun, by_day, untimed].iter().all(|events| events.is_empty());
    let by_day = html! {
        @if !is_empty {
            (section("today", layout.texts.search.today, &day, html! {
                (folded(show, begun))
                @if !by_day.is_empty() { (events_of_day(show, by_day)) }
                @if !untimed.is_empty() {
                    p.note { (words.untimed_today) }
                    (events_of_day(show, untimed))
                }
            }))
        }
    };
    let tonight = section(
        "tonight",
        words.tonight,
        &day,
        html! {
            (this_evening(show, evening))
            (folded(show, begun_tonight))
            (more(&layout.path("/hoje"), words.whole_day))
        },
    );
    if show.is_evening() {
        html! { (tonight) (by_day) }
    } else {
        html! { (by_day) (tonight) }
    }
}

/// The events of the days after today, each series once, and none that is listed under today.
fn next_days(show: Show<'_>, today: &Today) -> Markup {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.home;
    let week = Window { from: data.day + Days::new(1), to: data.day + Days::new(7) };
    let is_new = |rank: &u32| {
        let is_later = guide.events.first_day(*rank).is_some_and(|first| first > data.day);
        is_later && !today.lists(guide, *rank)
    };
    let events = guide.events.events_in(week, data.directory.home, None).into_iter().filter(is_new);
    let mut events = Upcoming::once(&guide.events, events);
    events.truncate(MAX_RECORDS);
    if events.is_empty() {
        return Markup::default();
    }
    // the last days of a month are mostly those of the next one
    let middle = guide.events.first_day(events[events.len() / 2]).unwrap_or(data.day);
    let month = layout.path(&month_path(middle));
    section(
        "next",
        words.next_days,
        "",
        html! {
            (event_list(show, &events, data.day))
            (more(&month, words.whole_month))
        },
    )
}

/// Links to what most come for: the next days, and what is for children.
fn ways(Show { layout, data, guide, .. }: Show<'_>) -> Markup {
    let words = &layout.texts.search;
    let counted = |day| match data.upcoming.count(day) {
        0 => String::new(),
        count => count.to_string(),
    };
    let days = [
        ("/hoje", words.today, counted(data.day)),
        ("/amanha", words.tomorrow, counted(data.day + Days::new(1))),
        ("/fim-de-semana", words.weekend, String::new()),
    ];
    let mut categories = guide.vocabulary().categories_by_id();
    let children = categories.find(|(_, category)| category.slug.as_str() == CHILDREN);
    let children = children.and_then(|(id, _)| data.directory.of((None, Some(id))));
    let children = children.map(|listing| (&*listing.path, layout.texts.home.with_children, String::new()));
    chips_in_a_row(
        days.into_iter().chain(children).map(|(path, text, count)| (layout.path(path), text, count)),
    )
}

fn builders(layout: &Layout) -> Markup {
    let words = &layout.texts.home;
    let links = [
        ("/agents", layout.texts.layout.connect_agent),
        ("/api", words.see_api),
        ("/signup", words.get_free_key),
    ];
    html! {
        p.lead { (words.builders_lead) }
        (chips(links.map(|(path, text)| (layout.path(path), text, String::new()))))
    }
}

fn example_searches(layout: &Layout, data: &PageData) -> Markup {
    let searches = data.suggestions(layout.language);
    html! {
        @if !searches.is_empty() {
            p.tries {
                span { (layout.texts.home.try_label) } " "
                @for search in searches.iter().take(MAX_SEARCHES) {
                    a href={ (layout.home()) "?q=" (encoded(search)) } { (search) } " "
                }
            }
        }
    }
}

/// Links to the pages of areas or categories, with their number of records.
pub(crate) fn blocks<'d, 'n>(
    layout: &Layout,
    listings: impl Iterator<Item = &'d Listing>,
    name: impl Fn(&Listing) -> Option<&'n str>,
    class: &str,
) -> Markup {
    html! {
        ul class={ "blocks " (class) } {
            @for listing in listings {
                li {
                    a href=(layout.path(&listing.path)) {
                        span { (name(listing).unwrap_or_default()) } " " small { (listing.records()) }
                    }
                }
            }
        }
    }
}
