//! The front page.

use chrono::Days;
use index::{Guide, Window};
use maud::{Markup, html};

use super::agenda::{day_strip, month_path, this_evening};
use super::components::{
    Show, chips, encoded, events as event_list, events_of_day, more, places as place_list, section,
};
use super::directory::Listing;
use super::hours::{EVENING, is_evening, sort_by_hour};
use super::i18n::category_name;
use super::layout::{Layout, Meta, wall};
use super::page_data::PageData;
use super::search_query::SearchQuery;
use super::upcoming::Upcoming;

/// The most areas that the page shows.
const MAX_BLOCKS: usize = 12;

/// The most records in a list.
const MAX_RECORDS: usize = 6;

/// The parts of a day that the front page tells apart. It says what has begun before each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PartOfDay {
    Morning,
    Noon,
    Afternoon,
    Evening,
}

impl PartOfDay {
    pub(super) const ALL: [PartOfDay; 4] =
        [PartOfDay::Morning, PartOfDay::Noon, PartOfDay::Afternoon, PartOfDay::Evening];

    /// The minute of the day at which it begins.
    fn start(self) -> u16 {
        match self {
            PartOfDay::Morning => 0,
            PartOfDay::Noon => 12 * 60,
            PartOfDay::Afternoon => 15 * 60,
            PartOfDay::Evening => EVENING,
        }
    }

    /// The part that a minute of the day is in.
    pub(super) fn at(minute: u16) -> PartOfDay {
        let begun = PartOfDay::ALL.into_iter().rev().find(|part| part.start() <= minute);
        begun.unwrap_or(PartOfDay::Morning)
    }
}

/// The front page at a part of the day: what is on today, the next days, the most mentioned places, and ways to all
/// others.
pub(super) fn page(layout: &Layout, data: &PageData, guide: &Guide, part: PartOfDay) -> String {
    let words = &layout.texts.home;
    let meta =
        Meta { title: words.title, description: words.description, path: "/", query: "", listed: true };
    let [first, second, third] = words.heading;
    let show = Show { now: part.start(), ..Show::new(layout, data, guide) };
    let vocabulary = guide.vocabulary();
    let areas = data.directory.neighbourhoods(vocabulary);
    let area = |listing: &Listing| listing.topic.0.map(|id| vocabulary.area(id).name.as_str());
    let category = |listing: &Listing| Some(category_name(vocabulary, layout.language, listing.topic.1?));
    let places = guide.places.filtered(data.directory.home, None);
    let places = &places[..places.len().min(MAX_RECORDS)];
    let main = html! {
        div.hero {
            div.hero-words {
                h1 { (first) br; (second) br; (third) }
                p.lead { (words.lead) }
            }
            (wall(12, 5, data.seed, "wall-hero"))
        }
        div.wide {
            (data.form(layout.language).filled(&SearchQuery::default(), &[]))
            (example_searches(layout, data))
            (today(show, part))
            (next_days(show))
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
pub(super) fn home_places(layout: &Layout, Show { data, .. }: Show<'_>) -> String {
    let listing = data.directory.of((Some(data.directory.home), None));
    layout.path(listing.map_or("/", |listing| &listing.path))
}

/// What is on by day, before the evening, and at an hour that is not known; then the events of this evening and places
/// to go out to.
fn today(show: Show<'_>, part: PartOfDay) -> Markup {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.agenda;
    let mut today = guide.events.events_in(Window::day(data.day), data.directory.home, None);
    sort_by_hour(show, &mut today, true);
    let (evening, others): (Vec<u32>, Vec<u32>) = today.iter().partition(|rank| is_evening(guide, **rank));
    let (untimed, by_day): (Vec<u32>, Vec<u32>) =
        others.iter().partition(|rank| guide.events.minute(**rank).is_none());
    let [by_day, untimed, evening] = [by_day, untimed, evening].map(|mut events| {
        events.truncate(MAX_RECORDS);
        events
    });
    let day = layout.texts.calendar.day(data.day);
    let by_day = if part == PartOfDay::Evening { Vec::new() } else { by_day };
    html! {
        @if !by_day.is_empty() || !untimed.is_empty() {
            (section("today", layout.texts.search.today, &day, html! {
                @if !by_day.is_empty() { (events_of_day(show, &by_day)) }
                @if !untimed.is_empty() {
                    p.note { (words.untimed_today) }
                    (events_of_day(show, &untimed))
                }
            }))
        }
        (section("tonight", words.tonight, &day, html! {
            (this_evening(show, &evening))
            (day_strip(layout, data, None))
            (more(&layout.path("/hoje"), words.whole_day))
        }))
    }
}

/// The events of the days after today, each series once.
fn next_days(show: Show<'_>) -> Markup {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.home;
    let week = Window { from: data.day + Days::new(1), to: data.day + Days::new(7) };
    let is_new = |rank: &u32| guide.events.first_day(*rank).is_some_and(|first| first > data.day);
    let events = guide.events.events_in(week, data.directory.home, None).into_iter().filter(is_new);
    let mut events = Upcoming::once(&guide.events, events);
    events.truncate(MAX_RECORDS);
    if events.is_empty() {
        return Markup::default();
    }
    let month = layout.path(&month_path(data.day));
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
                @for search in searches {
                    a href={ (layout.home()) "?q=" (encoded(search)) } { (search) } " "
                }
            }
        }
    }
}

/// Links to the pages of areas or categories, with their number of records.
pub(super) fn blocks<'d, 'n>(
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
