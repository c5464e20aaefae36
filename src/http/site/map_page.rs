//! The page of the map, with what is on tonight by area, and the map on the pages of records.

use chrono::NaiveDate;
use index::{AreaId, Window};
use maud::{Markup, html};

use super::components::{Heading, Show, breadcrumbs, chips, events_of_part, more, section};
use super::hours::{EVENING, is_evening, sort_by_hour};
use super::layout::{Extra, Layout, Meta};

/// The page of the map: what is on tonight by area. None if the snapshot has no map.
pub(super) fn page(show: Show<'_>) -> Option<String> {
    let Show { layout, data, guide, .. } = show;
    let map = data.map.as_ref()?;
    let vocabulary = guide.vocabulary();
    let words = &layout.texts.take;
    let name = |area: AreaId| vocabulary.area(area).name.as_str();
    let groups = tonight(show, data.day);
    let link = |area: AreaId| data.directory.of((Some(area), None)).map(|listing| layout.path(&listing.path));
    let drawn = map.svg(
        "city city-large",
        words.map,
        &|shape| {
            let Some((area, address)) = shape.area.and_then(|area| Some((area, link(area)?))) else {
                return html! { path.area d=(shape.path) {} };
            };
            let is_on = groups.iter().any(|(of, _)| vocabulary.area_run(area).contains(of));
            let (x, y) = shape.label(name(area));
            html! {
                a href=(address) {
                    title { (name(area)) }
                    path class=(if is_on { "area lit" } else { "area" }) d=(shape.path) {}
                    text x=(format!("{x:.0}")) y=(format!("{y:.0}")) { (name(area)) }
                }
            }
        },
        None,
    );
    let meta =
        Meta { title: words.map, description: words.map_description, path: "/mapa", query: "", listed: true };
    let areas = data.directory.neighbourhoods(vocabulary).into_iter().filter_map(|listing| {
        let area = listing.topic.0?;
        Some((layout.path(&listing.path), name(area), listing.records().to_string()))
    });
    let list = Show { under: Heading::H3, ..show };
    let main = html! {
        div.wide {
            (breadcrumbs(layout, [(layout.home(), layout.texts.layout.guide)]))
            h1.list-title { (words.map) }
            div.map-and-list {
                div {
                    (drawn)
                    @if let Some(credit) = &map.credit { p.note { (layout.texts.layout.positions) " " (credit) } }
                }
                (section("tonight", words.tonight_by_area, "", html! {
                    @if groups.is_empty() { p.note { (words.map_nothing) } }
                    @for (area, events) in &groups {
                        h3.part-of-day {
                            @match link(*area) {
                                Some(address) => a href=(address) { (name(*area)) },
                                None => (name(*area)),
                            }
                        }
                        (events_of_part(list, events, EVENING))
                    }
                    (more(&layout.path("/hoje"), layout.texts.agenda.whole_day))
                }))
            }
            (section("areas", words.areas, "", html! { p.note { (words.areas_note) } (chips(areas)) }))
            (layout.credit(data.positions.as_ref()))
            (layout.preview())
        }
    };
    Some(layout.page_with(&meta, &Extra { has_more: true, ..Extra::default() }, main))
}

/// The events of the evening of a day by their area; the areas with the most first.
fn tonight(show: Show<'_>, day: NaiveDate) -> Vec<(AreaId, Vec<u32>)> {
    let events = &show.guide.events;
    let mut groups: Vec<(AreaId, Vec<u32>)> = Vec::new();
    let mut today = events.events_in(Window::day(day), show.data.directory.home, None);
    sort_by_hour(show, &mut today, true);
    for rank in today {
        if !is_evening(show.guide, rank) {
            continue;
        }
        let area = events.area(rank);
        match groups.iter_mut().find(|(one, _)| *one == area) {
            Some((_, ranks)) => ranks.push(rank),
            None => groups.push((area, vec![rank])),
        }
    }
    groups.sort_by_key(|(_, ranks)| std::cmp::Reverse(ranks.len()));
    groups
}

/// The link from a record to the page of the map, with the map around it, if there is one.
pub(super) fn on_record(show: Show<'_>, area: AreaId) -> Markup {
    let Some(map) =
        show.data.map.as_ref().and_then(|map| map.of_area(show.guide, area, show.layout.texts.take.map_of))
    else {
        return Markup::default();
    };
    let layout: &Layout = show.layout;
    html! {
        (map)
        (more(&layout.path("/mapa"), layout.texts.take.map))
    }
}
