//! The front page.

use index::{Guide, Page};
use maud::{Markup, html};

use super::components::{encoded, events as event_list, more, places as place_list, section};
use super::layout::{Layout, Meta, wall};
use super::page_data::PageData;
use super::search_query::SearchQuery;

/// The most areas, and the most categories, that the page shows.
const MAX_BLOCKS: usize = 12;

/// The front page with the next events and the most mentioned places.
pub(super) fn page(layout: &Layout, data: &PageData, guide: &Guide, events: &Page, places: &Page) -> String {
    let (words, home) = (&layout.texts.home, layout.home());
    let meta =
        Meta { title: words.title, description: words.description, path: "/", query: "", listed: true };
    let [first, second, third] = words.heading;
    let areas = data.areas.iter().map(|(name, count)| (name.as_str(), name.as_str(), *count));
    let areas = blocks(layout, "region", areas, "blocks-areas");
    let categories = blocks(layout, "category", data.roots(layout.language), "blocks-kinds");
    let main = html! {
        div.hero {
            div.hero-words {
                h1 { (first) br; (second) br; (third) }
                p.lead { (words.lead) }
            }
            (wall(12, 5, data.seed, "wall-hero"))
        }
        div.wide {
            (data.form(layout.language).render(&SearchQuery::default(), None))
            (example_searches(layout))
            @if !events.ranks.is_empty() {
                (section("next", words.next_days, &layout.texts.calendar.day(data.day), html! {
                    (event_list(layout, data, guide, &events.ranks))
                    (more(&format!("{home}?kind=events&when=week"), words.search_events))
                }))
            }
            @if !places.ranks.is_empty() {
                (section("talked", words.most_mentioned, "", html! {
                    (place_list(layout, data, &guide.places.rendered, &places.ranks))
                    (more(&format!("{home}?kind=places"), words.search_places))
                }))
            }
            (section("areas", words.by_area, "", areas))
            (section("kinds", words.by_category, "", categories))
            (layout.credit(data.positions.as_ref()))
            (section("build", words.builders, "", builders(layout)))
        }
    };
    layout.page(&meta, main)
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
        ul.chips {
            @for (path, text) in links { li { a href={ (layout.prefix()) (path) } { (text) } } }
        }
    }
}

fn example_searches(layout: &Layout) -> Markup {
    let words = &layout.texts.home;
    html! {
        p.tries {
            span { (words.try_label) } " "
            @for search in words.example_searches {
                a href={ (layout.home()) "?q=" (encoded(search)) } { (search) } " "
            }
        }
    }
}

/// Links to a search by area or by category: the value to search for, its name, its number of records.
fn blocks<'n>(
    layout: &Layout,
    field: &str,
    values: impl Iterator<Item = (&'n str, &'n str, u32)>,
    class: &str,
) -> Markup {
    html! {
        ul class={ "blocks " (class) } {
            @for (value, name, count) in values.take(MAX_BLOCKS) {
                li {
                    a href={ (layout.home()) "?" (field) "=" (encoded(value)) } {
                        span { (name) } " " small { (count) }
                    }
                }
            }
        }
    }
}
