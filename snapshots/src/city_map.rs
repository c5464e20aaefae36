//! The outline of the city for a drawn map (`map.json`), and its rules.

use serde::{Deserialize, Serialize};

use crate::defect::Report;
use crate::file::File;
use crate::limits::MAX_LINE;
use crate::positions::{Bounds, Degrees};
use crate::text::{self, at_most, quoted};
use crate::vocabulary::Vocabulary;

/// How many shapes a map may hold.
pub(crate) const MAX_SHAPES: usize = 200;

/// How many points a shape may hold.
pub(crate) const MAX_POINTS: usize = 500;

/// What a shape stands for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::EnumString, strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// A polygon of water.
    Water,
    /// A line that the city was drawn from, such as an avenue.
    Axis,
    /// A polygon of a region or a neighbourhood.
    Area,
}

/// A point: latitude and longitude.
pub type MapPoint = (Degrees, Degrees);

/// A polygon or a line of the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// What it stands for.
    pub role: Role,
    /// The slug of the region or the neighbourhood, of areas only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// Its corners, in order. A polygon ends where it begins without the point being repeated.
    pub points: Vec<MapPoint>,
}

/// `map.json`: an outline of the city, drawn in the order of its shapes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CityMap {
    /// What the map shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// Whom to credit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit: Option<String>,
    /// The licence of the file, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Its polygons and lines.
    #[serde(default)]
    pub shapes: Vec<Shape>,
}

impl CityMap {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Checks `map.json`.
pub(crate) fn check(report: &mut Report, vocabulary: Option<&Vocabulary>, map: &CityMap) {
    report.at_file(File::Map);
    for (field, text) in [("credit", &map.credit), ("licence", &map.licence)] {
        if let Some(text) = text {
            text::check(report, field, text, MAX_LINE);
        }
    }
    let bounds = map.bounds.filter(|bounds| bounds.south < bounds.north && bounds.west < bounds.east);
    match map.bounds {
        Some(_) if bounds.is_none() => report.add("bounds", || {
            ("are upside down", "south is below north, and west below east: correct the four numbers")
        }),
        None if !map.shapes.is_empty() => report.add("bounds", || {
            ("is missing beside shapes", "add the south, west, north and east of what the map shows")
        }),
        _ => {}
    }
    at_most(report, "shapes", map.shapes.len(), MAX_SHAPES);
    for (index, shape) in map.shapes.iter().enumerate().take(MAX_SHAPES) {
        check_shape(report, vocabulary, bounds, (index, shape));
    }
}

fn check_shape(
    report: &mut Report,
    vocabulary: Option<&Vocabulary>,
    bounds: Option<Bounds>,
    (index, shape): (usize, &Shape),
) {
    let Shape { role, area, points } = shape;
    let field = |name: &str| format!("shapes[{index}].{name}");
    match (role, area) {
        (Role::Area, None) => report.add(field("area"), || {
            ("is missing", "write the slug of the region or the neighbourhood, as in regions.json")
        }),
        (Role::Area, Some(slug)) if vocabulary.is_some_and(|vocabulary| !vocabulary.has_area(slug)) => {
            report.add(field("area"), || {
                let what = format!("{} is not the slug of a region or a neighbourhood", quoted(slug));
                (what, "write the slug as in regions.json")
            });
        }
        (Role::Water | Role::Axis, Some(_)) => report.add(field("area"), || {
            ("stands beside a role other than area", "remove it, or write \"role\": \"area\"")
        }),
        _ => {}
    }
    let fewest = if *role == Role::Axis { 2 } else { 3 };
    if points.len() < fewest {
        report.add(field("points"), || {
            (format!("has {} points", points.len()), format!("write at least {fewest}"))
        });
    }
    at_most(report, &field("points"), points.len(), MAX_POINTS);
    let Some(bounds) = bounds else { return };
    let outside = points.iter().enumerate().find(|(_, (lat, lon))| !bounds.contains(*lat, *lon));
    if let Some((at, (lat, lon))) = outside {
        report.add(field(&format!("points[{at}]")), || {
            let what = format!("[{}, {}] is not within the bounds", lat.degrees(), lon.degrees());
            (what, "correct it, or the bounds of map.json; a point is [lat, lon]")
        });
    }
}
