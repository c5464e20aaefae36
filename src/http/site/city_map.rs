//! The map of the city, drawn from the outline that the snapshot has, with the area of a record lit, and its page.

use std::fmt::Write;

use chrono::NaiveDate;
use index::vocabulary::ArchivedVocabularyIndex;
use index::{AreaId, Window};
use maud::{Markup, html};
use snapshots::city_map::Role;
use snapshots::positions::{Bounds, Position};

use super::agenda::EVENING;
use super::components::{Heading, Show, breadcrumbs, chips, events_of_day, more, section};
use super::layout::{Extra, Layout, Meta};

/// The width of the drawing, in its own units.
const WIDTH: f64 = 360.0;

/// The outline of the city in the units of a drawing. It holds no reference to the snapshot.
pub(super) struct CityMap {
    bounds: Bounds,
    height: f64,
    shapes: Vec<Drawn>,
    /// Whom to credit.
    credit: Option<String>,
}

struct Drawn {
    role: Role,
    area: Option<AreaId>,
    /// As the attribute `d` of a path.
    path: String,
    /// The middle of its corners.
    middle: (f64, f64),
}

impl CityMap {
    /// The map of an outline; none if there is none.
    pub(super) fn new(map: &snapshots::CityMap, vocabulary: &ArchivedVocabularyIndex) -> Option<CityMap> {
        let bounds = map.bounds.filter(|_| !map.shapes.is_empty())?;
        let [south, west, north, east] =
            [bounds.south, bounds.west, bounds.north, bounds.east].map(|edge| edge.degrees());
        let shrink = f64::midpoint(south, north).to_radians().cos();
        let height = WIDTH * (north - south) / ((east - west) * shrink);
        let mut drawn = CityMap { bounds, height, shapes: Vec::new(), credit: map.credit.clone() };
        for shape in &map.shapes {
            let points: Vec<(f64, f64)> =
                shape.points.iter().map(|(lat, lon)| drawn.at(lat.degrees(), lon.degrees())).collect();
            let mut path = String::new();
            for (at, (x, y)) in points.iter().enumerate() {
                // writing to a String cannot fail
                let _ = write!(path, "{}{x:.0} {y:.0}", if at == 0 { "M" } else { "L" });
            }
            if shape.role != Role::Axis {
                path.push('z');
            }
            let count = u32::try_from(points.len()).map_or(1.0, f64::from).max(1.0);
            let sum = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
            drawn.shapes.push(Drawn {
                role: shape.role,
                area: shape.area.as_deref().and_then(|slug| vocabulary.area_with_slug(slug)),
                path,
                middle: (sum.0 / count, sum.1 / count),
            });
        }
        Some(drawn)
    }

    fn at(&self, lat: f64, lon: f64) -> (f64, f64) {
        let Bounds { south, west, north, east } = self.bounds;
        let along = (lon - west.degrees()) / (east.degrees() - west.degrees());
        let down = (north.degrees() - lat) / (north.degrees() - south.degrees());
        (along * WIDTH, down * self.height)
    }

    fn shape_of(&self, area: AreaId) -> Option<&Drawn> {
        self.shapes.iter().find(|shape| shape.area == Some(area))
    }

    /// The map with an area lit: the narrowest around it that has a shape, and a point where it lies. None if it has
    /// neither.
    pub(super) fn of_area(&self, show: Show<'_>, area: AreaId) -> Option<Markup> {
        let vocabulary = show.guide.vocabulary();
        let mut lit = area;
        while self.shape_of(lit).is_none() {
            let parent = vocabulary.areas[usize::from(lit)].parent.to_native();
            if parent == lit {
                break;
            }
            lit = parent;
        }
        let lit = self.shape_of(lit).and_then(|shape| shape.area);
        let point = show.guide.gazetteer.area(area).filter(|_| lit != Some(area)).map(|at| at.position);
        let point = point.filter(|point| self.bounds.contains(point.lat, point.lon));
        if lit.is_none() && point.is_none() {
            return None;
        }
        let name = vocabulary.areas[usize::from(area)].name.as_str();
        let layout = show.layout;
        Some(self.svg("city", &(layout.texts.take.map_of)(name), &|shape| html! {
            path class=(if shape.area == lit && lit.is_some() { "area lit" } else { "area" }) d=(shape.path) {}
        }, point))
    }

    fn svg(
        &self,
        class: &str,
        name: &str,
        area: &dyn Fn(&Drawn) -> Markup,
        point: Option<Position>,
    ) -> Markup {
        html! {
            svg class=(class) viewBox={ "0 0 " (WIDTH) " " (format!("{:.0}", self.height)) } role="group"
                aria-label=(name) {
                // a tile of the walls, on the water
                pattern #ripple width="24" height="24" patternUnits="userSpaceOnUse" {
                    path.ripple d="M0 24A24 24 0 0 1 24 0v8A16 16 0 0 0 8 24z" {}
                }
                @for shape in &self.shapes {
                    @match shape.role {
                        Role::Water => {
                            path.water d=(shape.path) {}
                            path d=(shape.path) fill="url(#ripple)" {}
                        },
                        Role::Axis => path.axis d=(shape.path) {},
                        Role::Area => (area(shape)),
                    }
                }
                @if let Some(Position { lat, lon, .. }) = point {
                    @let (x, y) = self.at(lat.degrees(), lon.degrees());
                    circle.dot cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r="6" {}
                }
            }
        }
    }
}

/// The page of the map: what is on tonight by area. None if the snapshot has no map.
pub(super) fn page(show: Show<'_>) -> Option<String> {
    let Show { layout, data, guide, .. } = show;
    let map = data.map.as_ref()?;
    let vocabulary = guide.vocabulary();
    let words = &layout.texts.take;
    let name = |area: AreaId| vocabulary.areas[usize::from(area)].name.as_str();
    let groups = tonight(show, data.day);
    let link = |area: AreaId| data.directory.of((Some(area), None)).map(|listing| layout.path(&listing.path));
    let drawn = map.svg(
        "city city-large",
        words.map,
        &|shape| {
            let Some((area, address)) = shape.area.and_then(|area| Some((area, link(area)?))) else {
                return html! { path.area d=(shape.path) {} };
            };
            let is_on = groups.iter().any(|(of, _)| is_within(vocabulary, *of, area));
            let (x, y) = shape.middle;
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
            (drawn)
            @if let Some(credit) = &map.credit { p.note { (layout.texts.layout.positions) " " (credit) } }
            (section("tonight", words.tonight_by_area, "", html! {
                @if groups.is_empty() { p.note { (words.map_nothing) } }
                @for (area, events) in &groups {
                    h3.part-of-day {
                        @match link(*area) {
                            Some(address) => a href=(address) { (name(*area)) },
                            None => (name(*area)),
                        }
                    }
                    (events_of_day(list, events))
                }
                (more(&layout.path("/hoje"), layout.texts.agenda.whole_day))
            }))
            (section("areas", words.areas, "", chips(areas)))
            (layout.credit(data.positions.as_ref()))
            (layout.preview())
        }
    };
    Some(layout.page_with(&meta, &Extra { has_more: true, ..Extra::default() }, main))
}

/// The events of the evening of a day, and those without a time, by their area; the areas with the most first.
fn tonight(show: Show<'_>, day: NaiveDate) -> Vec<(AreaId, Vec<u32>)> {
    let events = &show.guide.events;
    let mut groups: Vec<(AreaId, Vec<u32>)> = Vec::new();
    for rank in events.events_in(Window::day(day), show.data.directory.home, None) {
        if events.minute(rank).is_some_and(|minute| minute < EVENING) {
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

/// Whether an area is another one or a part of it.
fn is_within(vocabulary: &ArchivedVocabularyIndex, mut area: AreaId, of: AreaId) -> bool {
    loop {
        let parent = vocabulary.areas[usize::from(area)].parent.to_native();
        if area == of || parent == area {
            return area == of;
        }
        area = parent;
    }
}

/// The link from a record to the page of the map, with the map around it, if there is one.
pub(super) fn on_record(show: Show<'_>, area: AreaId) -> Markup {
    let Some(map) = show.data.map.as_ref().and_then(|map| map.of_area(show, area)) else {
        return Markup::default();
    };
    let layout: &Layout = show.layout;
    html! {
        (map)
        (more(&layout.path("/mapa"), layout.texts.take.map))
    }
}
