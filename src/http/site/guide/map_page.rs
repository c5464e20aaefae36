//! The page of the map, with what is on tonight by area, and the map on the pages of records.

use index::{AreaId, Window};
use maud::{Markup, html};

use crate::http::site::data::city_map::{CityMap, Drawn, Label};
use crate::http::site::data::hours::{EVENING, is_evening, sort_by_hour};
use crate::http::site::layout::components::{
    Heading, Show, breadcrumbs, chips, events_of_part, more, section,
};
use crate::http::site::layout::{Extra, Layout, Meta};

/// The page of the map: what is on tonight by area, or today where nothing is on tonight. Without a map in the snapshot
/// it has the list alone.
pub(crate) fn page(show: Show<'_>) -> String {
    let Show { layout, data, guide, .. } = show;
    let words = &layout.texts.take;
    let vocabulary = guide.vocabulary();
    let tonight = by_area(show, true);
    let today = if tonight.is_empty() { by_area(show, false) } else { Vec::new() };
    let is_tonight = today.is_empty();
    let (title, groups, from) = match is_tonight {
        true => (words.tonight_by_area, tonight, EVENING),
        false => (words.today_by_area, today, 0),
    };
    let areas = data.directory.neighbourhoods(vocabulary).into_iter().filter_map(|listing| {
        let name = vocabulary.area(listing.topic.0?).name.as_str();
        Some((layout.path(&listing.path), name, listing.records().to_string()))
    });
    // positions have the same credit below
    let has_credit = |credit: &String| data.positions.as_ref().is_some_and(|(other, _)| other == credit);
    let main = html! {
        div.wide {
            (breadcrumbs(layout, [(layout.home(), layout.texts.layout.guide)]))
            h1.list-title { (words.map) }
            div.map-and-list {
                @if let Some(map) = &data.map {
                    div {
                        (drawn(show, map, &groups))
                        p.legend { ((words.legend)(is_tonight)) }
                        @if let Some(credit) = map.credit.as_ref().filter(|credit| !has_credit(credit)) {
                            p.note { (layout.texts.layout.positions) " " (credit) }
                        }
                    }
                }
                (section("tonight", title, "", groups_list(show, &groups, from)))
            }
            (section("areas", words.areas, "", html! { p.note { (words.areas_note) } (chips(areas)) }))
            (layout.credit(data.positions.as_ref()))
            (layout.preview())
        }
    };
    let meta =
        Meta { title: words.map, description: words.map_description, path: "/mapa", query: "", listed: true };
    layout.page_with(&meta, &Extra { has_more: true, ..Extra::default() }, main)
}

/// The path of the page of an area, if it has one.
fn link(Show { layout, data, .. }: Show<'_>, area: AreaId) -> Option<String> {
    data.directory.of((Some(area), None)).map(|listing| layout.path(&listing.path))
}

/// The map, with the areas lit in which something is on.
fn drawn(show: Show<'_>, map: &CityMap, groups: &[(AreaId, Vec<u32>)]) -> Markup {
    let words = &show.layout.texts.take;
    let vocabulary = show.guide.vocabulary();
    let name = |area: AreaId| vocabulary.area(area).name.as_str();
    let count = |area: AreaId| {
        let within = groups.iter().filter(|(of, _)| vocabulary.area_run(area).contains(of));
        within.map(|(_, events)| events.len()).sum::<usize>()
    };
    let label = |area: AreaId| match count(area) {
        0 => name(area).to_owned(),
        count => format!("{} {count}", name(area)),
    };
    let (labels, water) = map.labels(|area| link(show, area).map(|_| label(area)), words.lake);
    let text = |Label { x, y, .. }: Label, name: &str| {
        html! { text x=(format!("{x:.0}")) y=(format!("{y:.0}")) { (name) } }
    };
    let area = |shape: &Drawn| {
        let Some((area, address)) = shape.area.and_then(|area| Some((area, link(show, area)?))) else {
            return html! { path.area d=(shape.path) {} };
        };
        let is_on = count(area) > 0;
        html! {
            a href=(address) {
                title { (name(area)) }
                path class=(if is_on { "area lit" } else { "area" }) d=(shape.path) {}
                @if let Some(at) = labels.get(&area) { (text(*at, &label(area))) }
            }
        }
    };
    let over = water.map(|label| text(label, words.lake)).unwrap_or_default();
    map.svg("city city-large", words.map, &area, &over)
}

/// Events by their area, each with its first time from a minute of the day on.
fn groups_list(show: Show<'_>, groups: &[(AreaId, Vec<u32>)], from: u16) -> Markup {
    let layout = show.layout;
    let vocabulary = show.guide.vocabulary();
    html! {
        @if groups.is_empty() { p.note { (layout.texts.take.map_nothing) } }
        @for (area, events) in groups {
            @let name = vocabulary.area(*area).name.as_str();
            h3.part-of-day {
                @match link(show, *area) {
                    Some(address) => a href=(address) { (name) },
                    None => (name),
                }
            }
            (events_of_part(Show { under: Heading::H3, area: *area, ..show }, events, from))
        }
        (more(&layout.path("/hoje"), layout.texts.agenda.whole_day))
    }
}

/// The events of today, or of this evening, by their area; the areas with the most first.
fn by_area(show: Show<'_>, is_evening_only: bool) -> Vec<(AreaId, Vec<u32>)> {
    let Show { data, guide, .. } = show;
    let mut groups: Vec<(AreaId, Vec<u32>)> = Vec::new();
    let mut today = guide.events.events_in(Window::day(data.day), data.directory.home, None);
    sort_by_hour(guide, &mut today, is_evening_only);
    for rank in today.into_iter().filter(|rank| !is_evening_only || is_evening(guide, *rank)) {
        let area = guide.events.area(rank);
        match groups.iter_mut().find(|(one, _)| *one == area) {
            Some((_, ranks)) => ranks.push(rank),
            None => groups.push((area, vec![rank])),
        }
    }
    // what has ended, or began long ago, comes last in its area, and says nothing of where much is on
    let is_left = |rank: &&u32| !show.progress(&show.event(**rank)).is_late();
    let mut groups: Vec<_> = groups
        .into_iter()
        .map(|(area, mut ranks)| {
            show.late_last(&mut ranks);
            (ranks.iter().filter(is_left).count(), area, ranks)
        })
        .collect();
    groups.sort_by_key(|(left, _, ranks)| std::cmp::Reverse((*left, ranks.len())));
    groups.into_iter().map(|(_, area, ranks)| (area, ranks)).collect()
}

/// The link from a record to the page of the map, with the map around it, if there is one.
pub(crate) fn on_record(show: Show<'_>, area: AreaId) -> Markup {
    let Some(map) = show.data.map.as_ref().and_then(|map| {
        map.of_area(show.guide, (area, show.data.directory.home), show.layout.texts.take.map_of)
    }) else {
        return Markup::default();
    };
    let layout: &Layout = show.layout;
    html! {
        (map)
        (more(&layout.path("/mapa"), layout.texts.take.map))
    }
}
