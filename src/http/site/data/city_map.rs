//! The map of the city, drawn from the outline that the snapshot has, with the area of a record highlighted.

use std::collections::HashMap;
use std::fmt::Write;

use index::records::positions::KnownBy;
use index::vocabulary::ArchivedVocabularyIndex;
use index::{AreaId, Guide};
use maud::{Markup, html};
use snapshots::city_map::Role;
use snapshots::positions::{Bounds, Position};

/// The width of the drawing, in its own units.
const WIDTH: f64 = 360.0;

/// About how wide a letter of a name is, and how high a line of it.
const LETTER_WIDTH: f64 = 6.4;
const LINE_HEIGHT: f64 = 14.0;

/// How many points of an axis tell whether it goes through a name.
const STEPS: u32 = 40;

/// How far a name stands from its area, and from another one beside it.
const LABEL_GAP: f64 = 4.0;
const BESIDE_GAP: f64 = 10.0;

/// The outline of the city in the units of a drawing. It holds no reference to the snapshot.
pub(crate) struct CityMap {
    bounds: Bounds,
    height: f64,
    shapes: Vec<Drawn>,
    /// Whom to credit.
    pub(crate) credit: Option<String>,
}

/// A shape of the drawing.
pub(crate) struct Drawn {
    role: Role,
    pub(crate) area: Option<AreaId>,
    /// As the attribute `d` of a path.
    pub(crate) path: String,
    /// The middle of its corners.
    middle: (f64, f64),
    /// The highest and the lowest of its corners.
    top: (f64, f64),
    bottom: (f64, f64),
    width: f64,
    corners: Vec<(f64, f64)>,
}

/// A name on the drawing: the middle of its base line, and its width.
#[derive(Clone, Copy)]
pub(crate) struct Label {
    pub(crate) x: f64,
    pub(crate) y: f64,
    width: f64,
}

impl Label {
    fn at(name: &str, (x, y): (f64, f64)) -> Label {
        let width = u32::try_from(name.chars().count()).map_or(0.0, f64::from) * LETTER_WIDTH;
        let edge = width / 2.0 + BESIDE_GAP;
        // `clamp` panics where a name is wider than the drawing
        Label { x: x.min(WIDTH - edge).max(edge), y, width }
    }

    fn meets(&self, other: &Label) -> bool {
        let apart = f64::midpoint(self.width, other.width) + BESIDE_GAP;
        (self.x - other.x).abs() < apart && (self.y - other.y).abs() < LINE_HEIGHT
    }

    /// Whether a line from one point to another goes through it.
    fn is_crossed(&self, from: (f64, f64), to: (f64, f64)) -> bool {
        let (left, right) = (self.x - self.width / 2.0, self.x + self.width / 2.0);
        let (top, bottom) = (self.y - LINE_HEIGHT, self.y + LABEL_GAP);
        let is_inside = |step: u32| {
            let part = f64::from(step) / f64::from(STEPS);
            let (x, y) = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            left < x && x < right && top < y && y < bottom
        };
        (0..=STEPS).any(is_inside)
    }

    fn distance(&self, other: &Label) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

impl Drawn {
    /// Where its name stands among others: in its middle, or above, below or beside it where it would cover the area,
    /// meet one, or lie across an axis.
    fn label(&self, name: &str, others: &[Label], axes: &[&[(f64, f64)]]) -> Label {
        let (x, y) = self.middle;
        let middle = Label::at(name, (x, y));
        let beside = [(x, y - LINE_HEIGHT), (x, y + LINE_HEIGHT)];
        let ((top_x, top), (bottom_x, bottom)) = (self.top, self.bottom);
        let outside = |top_x, bottom_x| [(top_x, top - LABEL_GAP), (bottom_x, bottom + LINE_HEIGHT)];
        let above = match self.width * 2.0 < middle.width {
            true => [outside(x, x), beside].concat(),
            // the ends of a large one may lie far from its middle
            false => [&[(x, y)][..], &beside, &outside(top_x, bottom_x)].concat(),
        };
        let aside = self.width / 2.0 + middle.width / 2.0 + BESIDE_GAP;
        let beside = [x + aside, x - aside].into_iter().flat_map(|x| [(x, y), (x, top), (x, bottom)]);
        let labels: Vec<Label> = above.into_iter().chain(beside).map(|at| Label::at(name, at)).collect();
        let is_free = |label: &&Label| !others.iter().any(|other| label.meets(other));
        let is_crossed = |label: &Label| {
            let mut edges = axes.iter().flat_map(|axis| axis.windows(2));
            edges.any(|edge| label.is_crossed(edge[0], edge[1]))
        };
        let free = labels.iter().filter(is_free).find(|label| !is_crossed(label));
        *free.or_else(|| labels.iter().find(is_free)).unwrap_or(&middle)
    }

    /// Whether a point is within it: a line from there to the east crosses an odd number of its edges.
    fn holds(&self, (x, y): (f64, f64)) -> bool {
        let ends = self.corners.iter().skip(1).chain(self.corners.first());
        let edges = self.corners.iter().zip(ends);
        let crossed = edges.filter(|((x1, y1), (x2, y2))| {
            (*y1 > y) != (*y2 > y) && x < (x2 - x1) * (y - y1) / (y2 - y1) + x1
        });
        crossed.count() % 2 == 1
    }

    /// Where the name of water stands: at the corner that is the farthest from other names.
    fn water_label(&self, name: &str, others: &[Label]) -> Option<Label> {
        let away =
            |label: &Label| others.iter().map(|other| label.distance(other)).fold(f64::INFINITY, f64::min);
        let labels = self.corners.iter().map(|corner| Label::at(name, *corner));
        labels.max_by(|one, other| away(one).total_cmp(&away(other)))
    }
}

impl CityMap {
    /// The map of an outline; none if there is none.
    pub(crate) fn new(map: &snapshots::CityMap, vocabulary: &ArchivedVocabularyIndex) -> Option<CityMap> {
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
            let first_by = |of: fn(&(f64, f64)) -> f64| {
                let first = points.iter().min_by(|one, other| of(one).total_cmp(&of(other)));
                first.copied().unwrap_or_default()
            };
            let width = first_by(|(x, _)| -*x).0 - first_by(|(x, _)| *x).0;
            drawn.shapes.push(Drawn {
                role: shape.role,
                area: shape.area.as_deref().and_then(|slug| vocabulary.area_with_slug(slug)),
                path,
                middle: (sum.0 / count, sum.1 / count),
                top: first_by(|(_, y)| *y),
                bottom: first_by(|(_, y)| -*y),
                width,
                corners: points,
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

    /// Where the names of areas stand, none where another does, and that of the water, if there is any.
    pub(crate) fn labels(
        &self,
        name: impl Fn(AreaId) -> Option<String>,
        water: &str,
    ) -> (HashMap<AreaId, Label>, Option<Label>) {
        let (mut labels, mut by_area) = (Vec::new(), HashMap::new());
        let axes = self.shapes.iter().filter(|shape| shape.role == Role::Axis);
        let axes: Vec<&[(f64, f64)]> = axes.map(|shape| shape.corners.as_slice()).collect();
        for (shape, area) in self.shapes.iter().filter_map(|shape| Some((shape, shape.area?))) {
            let Some(name) = name(area) else { continue };
            let label = shape.label(&name, &labels, &axes);
            labels.push(label);
            by_area.insert(area, label);
        }
        let water_shape = self.shapes.iter().find(|shape| shape.role == Role::Water);
        (by_area, water_shape.and_then(|shape| shape.water_label(water, &labels)))
    }

    /// The map with an area lit; of one without a shape a point where it lies, and the narrowest around it that has a
    /// shape with that point in it. None of an area that it can show neither way, and of `home`, which is nearly all of
    /// it.
    pub(crate) fn of_area(
        &self,
        guide: &Guide,
        (area, home): (AreaId, AreaId),
        name: fn(&str) -> String,
    ) -> Option<Markup> {
        let vocabulary = guide.vocabulary();
        let has_own = self.has_shape(area);
        let own_place = guide.gazetteer.area(area).filter(|at| area != home && at.known_by == KnownBy::Area);
        let point = own_place.map(|at| at.position).filter(|_| !has_own);
        let point = point.filter(|point| self.bounds.contains(point.lat, point.lon));
        if !has_own && point.is_none() {
            return None;
        }
        let holds = |area: &AreaId| {
            let mut shapes = self.shapes.iter().filter(|shape| shape.area == Some(*area));
            shapes
                .any(|shape| point.is_none_or(|at| shape.holds(self.at(at.lat.degrees(), at.lon.degrees()))))
        };
        let lit = vocabulary.area_and_above(area).find(holds);
        let name = name(vocabulary.area(area).name.as_str());
        let dot = point.map(|Position { lat, lon, .. }| {
            let (x, y) = self.at(lat.degrees(), lon.degrees());
            html! { circle.dot cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r="6" {} }
        });
        Some(self.svg("city", &name, &|shape| html! {
            path class=(if shape.area == lit && lit.is_some() { "area lit" } else { "area" }) d=(shape.path) {}
        }, &dot.unwrap_or_default()))
    }

    /// The drawing, with its areas as `area` draws them, and what lies `over` it.
    pub(crate) fn svg(
        &self,
        class: &str,
        name: &str,
        area: &dyn Fn(&Drawn) -> Markup,
        over: &Markup,
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
                (over)
            }
        }
    }
}
