//! Where things are: the positions of areas, numbered addresses and landmarks (`positions.json`), and of single
//! records.
//!
//! All positions are in WGS84. They may come from a database with a licence of its own, so they stand in one file with
//! its credit; records refer to nothing in it.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// A coordinate in millionths of a degree, 11 cm at most: positions compare exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degrees(pub i32);

impl Degrees {
    /// The nearest coordinate; `None` when there is none on the globe.
    pub fn new(degrees: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "at most 180 million")]
        (-180.0..=180.0).contains(&degrees).then(|| Self((degrees * 1e6).round() as i32))
    }

    /// The coordinate in degrees.
    pub fn degrees(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

impl Serialize for Degrees {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(self.degrees())
    }
}

impl<'de> Deserialize<'de> for Degrees {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let degrees = f64::deserialize(from)?;
        Self::new(degrees).ok_or_else(|| D::Error::custom("not a coordinate in degrees"))
    }
}

/// A point, and how far the thing may be from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Latitude, north positive.
    pub lat: Degrees,
    /// Longitude, east positive.
    pub lon: Degrees,
    /// The distance within which the thing is expected, in metres; for an area, the bulk of it.
    pub precision_m: u32,
}

/// The mean radius of the earth, in metres.
const EARTH: f64 = 6_371_000.0;

impl Position {
    /// The distance to another point on a sphere, in metres.
    pub fn metres_to(&self, other: &Position) -> f64 {
        let radians = |degrees: Degrees| degrees.degrees().to_radians();
        let (from, to) = (radians(self.lat), radians(other.lat));
        let (south_north, west_east) = (to - from, radians(other.lon) - radians(self.lon));
        let half =
            (south_north / 2.0).sin().powi(2) + from.cos() * to.cos() * (west_east / 2.0).sin().powi(2);
        2.0 * EARTH * half.sqrt().min(1.0).asin()
    }
}

/// `positions.json`: where areas, numbered addresses and landmarks are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    /// What lies outside is not of the guide; absent when there is no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// The credit that answers with positions or distances carry: "© OpenStreetMap contributors".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit: Option<String>,
    /// The licence of the file, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Regions and neighbourhoods, by name.
    #[serde(default)]
    pub areas: Vec<AreaPosition>,
    /// Numbered addresses: superquadras, quadras, trechos.
    #[serde(default)]
    pub blocks: Vec<Block>,
    /// Buildings, stations, bridges and such that people name.
    #[serde(default)]
    pub landmarks: Vec<Landmark>,
}

impl Positions {
    /// The bounds to hold positions to; none while they are wrong themselves.
    pub fn usable_bounds(&self) -> Option<Bounds> {
        self.bounds.filter(|bounds| bounds.south < bounds.north && bounds.west < bounds.east)
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A rectangle of coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The least latitude.
    pub south: Degrees,
    /// The least longitude.
    pub west: Degrees,
    /// The greatest latitude.
    pub north: Degrees,
    /// The greatest longitude.
    pub east: Degrees,
}

impl Bounds {
    /// Whether the point lies inside or on the edge.
    pub fn contains(&self, lat: Degrees, lon: Degrees) -> bool {
        (self.south..=self.north).contains(&lat) && (self.west..=self.east).contains(&lon)
    }
}

/// Where an area is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AreaPosition {
    /// Name of a region or neighbourhood.
    pub area: String,
    /// Its middle.
    pub position: Position,
}

/// Where a numbered address is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// An address code, perhaps a word, and a number: "SQN 408", "SCS Quadra 2", "SHIS QI 11".
    pub address: String,
    /// Other addresses of the same point: "SCRN 502" beside "SEPN 502".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Its middle.
    pub position: Position,
}

/// A landmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Landmark {
    /// The name, for display.
    pub name: String,
    /// Other names, in any language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Where it is.
    pub position: Position,
}
