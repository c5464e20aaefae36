//! The map of the city, drawn from the outline that the snapshot has, with the area of a record highlighted.

use std::fmt::Write;

use index::vocabulary::ArchivedVocabularyIndex;
use index::{AreaId, Guide};
use maud::{Markup, html};
use snapshots::city_map::Role;
use snapshots::positions::{Bounds, Position};

/// The width of the drawing, in its own units.
const WIDTH: f64 = 360.0;

/// About how wide a letter of a name is.
const LETTER_WIDTH: f64 = 5.5;

/// How far above its area a name stands.
const LABEL_GAP: f64 = 4.0;

/// The outline of the city in the units of a drawing. It holds no reference to the snapshot.
pub(super) struct CityMap {
    bounds: Bounds,
    height: f64,
    shapes: Vec<Drawn>,
    /// Whom to credit.
    pub(super) credit: Option<String>,
}

/// A shape of the drawing.
pub(super) struct Drawn {
    role: Role,
    pub(super) area: Option<AreaId>,
    /// As the attribute `d` of a path.
    pub(super) path: String,
    /// The middle of its corners.
    middle: (f64, f64),
    /// The highest of its corners.
    top: f64,
    width: f64,
}

impl Drawn {
    /// Where its name stands: in its middle, or above it where the name would cover it.
    pub(super) fn label(&self, name: &str) -> (f64, f64) {
        let width = u32::try_from(name.chars().count()).map_or(0.0, f64::from) * LETTER_WIDTH;
        let (x, y) = self.middle;
        (x, if self.width * 2.0 < width { self.top - LABEL_GAP } else { y })
    }
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
            let least = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(f64::INFINITY, f64::min);
            let greatest = points.iter().map(|(x, _)| *x).fold(f64::NEG_INFINITY, f64::max);
            drawn.shapes.push(Drawn {
                role: shape.role,
                area: shape.area.as_deref().and_then(|slug| vocabulary.area_with_slug(slug)),
                path,
                middle: (sum.0 / count, sum.1 / count),
                top: least(|(_, y)| *y),
                width: greatest - least(|(x, _)| *x),
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

    fn has_shape(&self, area: AreaId) -> bool {
        self.shapes.iter().any(|shape| shape.area == Some(area))
    }

    /// The map with an area lit: the narrowest around it that has a shape, and a point where it lies. None if it has
    /// neither.
    pub(super) fn of_area(&self, guide: &Guide, area: AreaId, name: fn(&str) -> String) -> Option<Markup> {
        let vocabulary = guide.vocabulary();
        let lit = vocabulary.area_and_above(area).find(|area| self.has_shape(*area));
        let point = guide.gazetteer.area(area).filter(|_| lit != Some(area)).map(|at| at.position);
        let point = point.filter(|point| self.bounds.contains(point.lat, point.lon));
        if lit.is_none() && point.is_none() {
            return None;
        }
        let name = name(vocabulary.area(area).name.as_str());
        Some(self.svg("city", &name, &|shape| html! {
            path class=(if shape.area == lit && lit.is_some() { "area lit" } else { "area" }) d=(shape.path) {}
        }, point))
    }

    /// The drawing, with its areas as `area` draws them, and a point.
    pub(super) fn svg(
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
