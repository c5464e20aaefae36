//! Where things are: a plane in metres, and a gazetteer that knows the points of addresses, areas and landmarks.

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use snapshots::positions::{Block, Bounds, Degrees, Position};
use snapshots::vocabulary::Code;
use snapshots::{Positions, Snapshot};

use crate::grammar::fold::fold;
use crate::vocabulary::node_ids::{AreaId, ids};
use crate::vocabulary::words::{Words, code_at};
use crate::vocabulary::{ArchivedAreaKind, ArchivedVocabularyIndex, AreaIds, AreaKind, VocabularyIndex};

/// A point of the plane, in metres east and north of the middle of the guide's bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// Metres to the east.
    pub east: i32,
    /// Metres to the north.
    pub north: i32,
}

impl Point {
    /// The distance, in metres.
    pub fn distance(self, other: Self) -> u32 {
        u32::try_from(self.square(other).isqrt()).unwrap_or(u32::MAX)
    }

    /// The square of the distance, in square metres.
    fn square(self, other: Self) -> i64 {
        let (east, north) =
            (i64::from(self.east) - i64::from(other.east), i64::from(self.north) - i64::from(other.north));
        east * east + north * north
    }
}

/// A point to measure from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Anchor {
    /// The point.
    pub point: Point,
    /// The middle of the region that it lies in, if that is known.
    pub region: Option<Point>,
}

impl From<Point> for Anchor {
    fn from(point: Point) -> Self {
        Self { point, region: None }
    }
}

/// How it is known where a record is, the most exact first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KnownBy {
    /// By a position of its own, or that of a landmark.
    Address,
    /// By the number of its quadra.
    Block,
    /// By its neighbourhood alone.
    Area,
    /// By its region alone.
    Region,
}

impl KnownBy {
    /// The value of `distance_is`.
    pub fn as_str(self) -> &'static str {
        match self {
            KnownBy::Address => "address",
            KnownBy::Block => "block",
            KnownBy::Area => "area",
            KnownBy::Region => "region",
        }
    }
}

/// An area whose position is as precise as this, in metres, is a spot to be near to: a bus station, a small sector, the
/// airport; no region is.
pub(crate) const SPOT: u32 = 900;

/// Two records at one place may be known by points so far apart, in metres.
const SAME_PLACE: u32 = 300;

/// How far from the point of its region what is known by that alone may be, in metres, though all areas of the region
/// that have a point are nearer: the guide has no point of the country around a town.
const COUNTRY: u32 = 5_000;

/// Where something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The position as the snapshot gives it.
    pub position: Position,
    /// The same on the plane.
    pub point: Point,
    /// How it is known.
    pub known_by: KnownBy,
    /// How far from the point a record may be that is known by its region alone, in metres; else the precision.
    pub edge_m: u32,
}

impl Location {
    /// The distance to expect from `from`, in metres. What is known by its area alone may be anywhere in it: its
    /// expected distance is the root mean square of those of a disc of the area's precision, which is never 0. Of what
    /// is known by its region alone it is that of a circle of this size around the region's middle, from a place in the
    /// region: most records are in its town, and some are not. From elsewhere it counts as far as it may be, since most
    /// of a region lies far from its town.
    pub fn distance(&self, from: impl Into<Anchor>) -> u32 {
        root(self.square(from.into()))
    }

    /// Whether no more is known of it than a region, which is not that of the place to measure from.
    pub(crate) fn is_in_another_region(&self, from: Anchor) -> bool {
        self.known_by == KnownBy::Region && from.region != Some(self.point)
    }

    /// Whether two records are at one place, as far as their points tell: a museum and the café in it.
    pub fn is_same_place(&self, other: &Self) -> bool {
        self.point.distance(other.point) <= SAME_PLACE
    }

    /// Whether its point says where a record is: that of a wide area or of a region does not.
    pub(crate) fn is_spot(&self) -> bool {
        match self.known_by {
            KnownBy::Address | KnownBy::Block => true,
            KnownBy::Area => self.position.precision_m <= SPOT,
            KnownBy::Region => false,
        }
    }

    /// The distance to expect of the farthest; 0 of none.
    pub(crate) fn farthest<'l>(locations: impl Iterator<Item = &'l Self>, from: Anchor) -> u32 {
        // one square root is enough
        let farthest = locations.max_by_key(|location| location.square(from));
        farthest.map_or(0, |location| location.distance(from))
    }

    /// Whether the distance to expect is at most `reach` metres.
    pub(crate) fn is_within(&self, from: Anchor, reach: u32) -> bool {
        let beyond = i64::from(reach) + 1;
        self.square(from) < beyond * beyond
    }

    /// The square of the distance to expect.
    fn square(&self, from: Anchor) -> i64 {
        let precision = i64::from(self.position.precision_m);
        let square = self.point.square(from.point);
        match self.known_by {
            KnownBy::Address | KnownBy::Block => square,
            KnownBy::Region if self.is_in_another_region(from) => {
                let farthest = i64::from(root(square)) + i64::from(self.edge_m);
                farthest * farthest
            }
            KnownBy::Area => square + precision * precision / 2,
            KnownBy::Region => square + precision * precision,
        }
    }
}

/// The whole part of the root of a square of metres.
#[expect(clippy::cast_precision_loss, reason = "squares of distances on the globe in metres are exact")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "distances on the globe in metres fit"
)]
fn root(square: i64) -> u32 {
    // a third of the time of the square root of an integer
    (square as f64).sqrt() as u32
}

/// Projects positions of the guide onto the plane: equirectangular around the middle of the bounds, which is exact to a
/// thousandth within a district.
#[derive(Debug, Clone, Copy)]
struct Plane {
    bounds: Bounds,
    middle: (f64, f64),
    /// Metres of a degree of latitude and of longitude.
    metres: (f64, f64),
}

impl Plane {
    fn of(bounds: Bounds) -> Self {
        let middle = |one: Degrees, other: Degrees| f64::midpoint(one.degrees(), other.degrees());
        let (lat, lon) = (middle(bounds.south, bounds.north), middle(bounds.west, bounds.east));
        let angle = lat.to_radians();
        // the usual series for the WGS84 ellipsoid
        let north = 111_132.954 - 559.822 * (2.0 * angle).cos() + 1.175 * (4.0 * angle).cos();
        let east = 111_412.84 * angle.cos() - 93.5 * (3.0 * angle).cos() + 0.118 * (5.0 * angle).cos();
        Self { bounds, middle: (lat, lon), metres: (north, east) }
    }

    #[expect(clippy::cast_possible_truncation, reason = "distances on the globe in metres fit")]
    fn project(&self, position: Position) -> Point {
        let (lat, lon) = (position.lat.degrees() - self.middle.0, position.lon.degrees() - self.middle.1);
        Point { east: (lon * self.metres.1).round() as i32, north: (lat * self.metres.0).round() as i32 }
    }
}

/// The points of areas, numbered addresses and landmarks; empty for a snapshot without positions.
#[derive(Default)]
pub struct Gazetteer {
    plane: Option<Plane>,
    /// By area: its own point, or that of the area around it.
    areas: Vec<Option<Location>>,
    /// By area, where a record is of which no more is known.
    records: Vec<Option<Location>>,
    /// By address, folded: "sqn 408", "scs quadra 2", "shis qi 11".
    blocks: HashMap<String, Location>,
    /// Addresses whose code is not unique ("qi 11"), each with the area of its region.
    shared: HashMap<String, Vec<(AreaId, Location)>>,
    /// Superquadras by wing and number.
    quadras: HashMap<(AreaId, u16), Location>,
    landmarks: Vec<Landmark>,
    /// Landmarks by the phrase of stems of a name.
    by_name: HashMap<String, usize>,
    /// The stems with which a name of a landmark of several words begins.
    first_words: HashSet<String>,
    /// Words of the longest name.
    longest_name: usize,
    /// What answers with positions credit.
    credit: Option<String>,
}

struct Landmark {
    name: String,
    location: Location,
}

impl Gazetteer {
    pub(crate) fn new(snapshot: &Snapshot, index: &VocabularyIndex) -> Self {
        let Positions { bounds: Some(bounds), credit, areas, blocks, landmarks, .. } = &snapshot.positions
        else {
            return Self::default();
        };
        let mut gazetteer =
            Self { plane: Some(Plane::of(*bounds)), credit: credit.clone(), ..Self::default() };
        let by_name: HashMap<&str, Position> =
            areas.iter().map(|area| (area.area.as_str(), area.position)).collect();
        for (at, area) in index.areas.iter().enumerate() {
            let known_by = match area.kind {
                AreaKind::Neighbourhood => KnownBy::Area,
                _ => KnownBy::Region,
            };
            let is_named = matches!(area.kind, AreaKind::Neighbourhood | AreaKind::Region);
            let own = by_name.get(area.name.as_str()).filter(|_| is_named);
            let own = own.and_then(|position| gazetteer.locate(*position, known_by));
            // parents come first
            let parent = usize::from(area.parent);
            let location = own.or_else(|| (parent < at).then(|| gazetteer.areas[parent])?);
            gazetteer.areas.push(location);
        }
        gazetteer.add_records(index);
        for block in blocks {
            gazetteer.add_block(block, &snapshot.vocabulary.addresses.codes, index);
        }
        for landmark in landmarks {
            gazetteer.add_landmark(landmark);
        }
        gazetteer
    }

    /// Adds where records are of which only the area is known.
    fn add_records(&mut self, index: &VocabularyIndex) {
        self.records.clone_from(&self.areas);
        for (at, region) in index.areas.iter().enumerate() {
            let Some(middle) = self.areas[at].filter(|_| region.kind == AreaKind::Region) else { continue };
            let inside = at..usize::from(region.end);
            let known = self.areas[inside.clone()].iter().flatten();
            let ends = known.map(|one| middle.point.distance(one.point) + one.position.precision_m);
            let edge_m = ends.max().unwrap_or_default().max(COUNTRY);
            let of_region = self.records[inside].iter_mut().flatten();
            of_region
                .filter(|location| location.known_by == KnownBy::Region)
                .for_each(|location| location.edge_m = edge_m);
        }
    }

    fn add_landmark(&mut self, landmark: &snapshots::positions::Landmark) {
        let Some(location) = self.locate(landmark.position, KnownBy::Address) else { return };
        for name in std::iter::once(&landmark.name).chain(&landmark.aliases) {
            let words = Words::new(name);
            if !words.is_empty() {
                self.longest_name = self.longest_name.max(words.len());
                if words.len() > 1 {
                    self.first_words.insert(words.stem(0).to_owned());
                }
                self.by_name.entry(words.whole().to_owned()).or_insert(self.landmarks.len());
            }
        }
        self.landmarks.push(Landmark { name: landmark.name.clone(), location });
    }

    fn add_block(&mut self, block: &Block, codes: &[Code], index: &VocabularyIndex) {
        let Some(location) = self.locate(block.position, KnownBy::Block) else { return };
        for address in std::iter::once(&block.address).chain(&block.also) {
            let words = Words::new(address);
            let Some(last) = words.len().checked_sub(1) else { continue };
            let code = code_at(&words, 0, |text| index.codes.contains_key(text));
            let (Some(code), Ok(number)) = (code, words.raw(last).parse::<u16>()) else { continue };
            let (code, level) = (words.between(0, code.end), words.between(code.end, last));
            let spellings =
                |known: &&Code| known.variants.iter().chain([&known.code]).any(|one| fold(one) == code);
            let known = codes.iter().find(spellings);
            let spellings = known.into_iter().flat_map(|known| known.variants.iter().chain([&known.code]));
            for spelling in spellings.map(|spelling| fold(spelling)) {
                let mut add = |between: &str| {
                    let space = if between.is_empty() { "" } else { " " };
                    let address = format!("{spelling}{space}{between} {number}");
                    self.blocks.entry(address).or_insert(location);
                };
                if level.is_empty() || index.components.contains_key(level) {
                    add("");
                    index
                        .components
                        .keys()
                        .filter(|word| abbreviates(word, level))
                        .for_each(|word| add(word));
                }
                if !level.is_empty() {
                    add(level);
                }
            }
            let Some(area) = index.codes.get(code).and_then(|code| code.areas.first()) else { continue };
            if index.codes.contains_key(level) {
                self.shared.entry(format!("{level} {number}")).or_default().push((*area, location));
            }
            if index.areas[usize::from(*area)].is_wing && level.is_empty() {
                // the superquadra itself is known better than its commerce
                let known = self.quadras.entry((*area, number)).or_insert(location);
                if location.position.precision_m < known.position.precision_m {
                    *known = location;
                }
            }
        }
    }

    /// The location of a position; `None` outside the bounds of the guide.
    pub(crate) fn locate(&self, position: Position, known_by: KnownBy) -> Option<Location> {
        let plane = self.plane.filter(|plane| plane.bounds.contains(position.lat, position.lon))?;
        let (point, edge_m) = (plane.project(position), position.precision_m);
        Some(Location { position, point, known_by, edge_m })
    }

    /// Whether the guide has positions.
    pub fn is_empty(&self) -> bool {
        self.plane.is_none()
    }

    /// What answers with positions or distances credit: "© OpenStreetMap contributors".
    pub fn credit(&self) -> Option<&str> {
        self.credit.as_deref()
    }

    /// Where an area is: its own point, else that of the area around it.
    pub fn area(&self, area: AreaId) -> Option<Location> {
        *self.areas.get(usize::from(area))?
    }

    /// The middle of the region that a point lies in, as far as the nearest point of an area tells.
    pub(crate) fn region_at(&self, vocabulary: &ArchivedVocabularyIndex, point: Point) -> Option<Point> {
        let areas = AreaId::all().zip(&self.areas).filter_map(|(area, location)| Some((area, (*location)?)));
        let (nearest, _) = areas.min_by_key(|(_, location)| location.point.square(point))?;
        self.region_of(vocabulary, nearest)
    }

    /// The middle of the region of an area.
    pub(crate) fn region_of(&self, vocabulary: &ArchivedVocabularyIndex, area: AreaId) -> Option<Point> {
        let is_region = |area: &AreaId| vocabulary.area(*area).kind == ArchivedAreaKind::Region;
        Some(self.area(vocabulary.area_and_above(area).find(is_region)?)?.point)
    }

    /// Whether an area has a point of its own, not only that of the area around it.
    pub(crate) fn has_own_point(&self, vocabulary: &ArchivedVocabularyIndex, area: AreaId) -> bool {
        let around = vocabulary.area_and_above(area).nth(1).and_then(|around| self.area(around));
        self.area(area).is_some_and(|own| around != Some(own))
    }

    /// The names of all landmarks.
    pub(crate) fn landmark_names(&self) -> impl Iterator<Item = &str> {
        self.landmarks.iter().map(|landmark| landmark.name.as_str())
    }

    /// Whether a name of a landmark of several words may begin at word `at`.
    pub(crate) fn may_begin_landmark(&self, words: &Words, at: usize) -> bool {
        self.first_words.contains(words.stem(at))
    }

    /// The landmark with this whole name.
    pub(crate) fn landmark(&self, words: &Words) -> Option<Location> {
        let at = self.by_name.get(words.whole())?;
        Some(self.landmarks[*at].location)
    }

    /// The landmark with the longest name that begins at word `at`: its name, where it is, and how many words it has.
    pub(crate) fn landmark_at(&self, words: &Words, at: usize) -> Option<(&str, Location, usize)> {
        let longest = self.longest_name.min(words.len().saturating_sub(at));
        (1..=longest).rev().find_map(|taken| {
            let landmark = &self.landmarks[*self.by_name.get(words.phrase(at, at + taken))?];
            Some((landmark.name.as_str(), landmark.location, taken))
        })
    }

    /// The numbered address that begins at word `at`, and how many words it has. A code that several regions have
    /// counts in one of the areas `inside`.
    pub(crate) fn block_at(
        &self,
        vocabulary: &ArchivedVocabularyIndex,
        words: &Words,
        at: usize,
        inside: impl Fn() -> AreaIds,
    ) -> Option<(Location, usize)> {
        self.spoken_quadra(vocabulary, words, at).or_else(|| {
            let code = code_at(words, at, |text| vocabulary.codes.contains_key(text))?;
            let next = code.end;
            let code = words.between(code.start, code.end);
            let meaning = vocabulary.codes.get(code)?;
            let number = |at: usize| (at < words.len()).then(|| words.raw(at).parse::<u16>().ok())?;
            // the numbers of an address belong together: "EQS 307/308"
            let taken = |first: usize| {
                let numbers = (first..words.len()).take_while(|at| number(*at).is_some()).count();
                first + numbers - at
            };
            if let Some(first) = number(next) {
                let address = format!("{code} {first}");
                let shared = || {
                    let all = self.shared.get(&address)?;
                    let inside = inside();
                    let fits =
                        |area: AreaId| inside.iter().any(|one| vocabulary.common_area(*one, area).is_some());
                    all.iter().find(|(area, _)| fits(*area)).map(|(_, location)| *location)
                };
                let wing =
                    || ids(&meaning.areas).find_map(|wing| self.between(wing, first, number(next + 1)));
                let found = self.blocks.get(&address).copied().or_else(shared).or_else(wing);
                return found.map(|location| (location, taken(next)));
            }
            let second = number(next + 1)?;
            let between = words.raw(next);
            let written = self.blocks.get(&format!("{code} {between} {second}"));
            // "SGAS Quadra 906" is "SGAS 906", but "SCS Bloco 2" is not "SCS 2"
            let is_quadra = second >= 100 && vocabulary.components.contains_key(between);
            let bare = || is_quadra.then(|| self.blocks.get(&format!("{code} {second}")))?;
            let wing = || {
                let wing = |wing| self.between(wing, second, number(next + 2));
                is_quadra.then(|| ids(&meaning.areas).find_map(wing))?
            };
            Some((written.or_else(bare).copied().or_else(wing)?, taken(next + 1)))
        })
    }

    /// The superquadra with this number or, of two that an address names together, the point between them.
    fn between(&self, wing: AreaId, number: u16, other: Option<u16>) -> Option<Location> {
        let one = *self.quadras.get(&(wing, number))?;
        let Some(other) = other.and_then(|other| self.quadras.get(&(wing, other))) else { return Some(one) };
        let middle = |one: Degrees, other: Degrees| Degrees(one.0.midpoint(other.0));
        let Location { position: Position { lat, lon, precision_m }, .. } = one;
        let lat = middle(lat, other.position.lat);
        let lon = middle(lon, other.position.lon);
        self.locate(
            Position { lat, lon, precision_m: precision_m.max(other.position.precision_m) },
            KnownBy::Block,
        )
    }

    /// "408 norte", "106/107 sul", "106 asa sul", "asa norte 408", "W3 Sul 508".
    fn spoken_quadra(
        &self,
        vocabulary: &ArchivedVocabularyIndex,
        words: &Words,
        at: usize,
    ) -> Option<(Location, usize)> {
        if let Some(number) = words.quadra(at) {
            let numbers = (at..words.len()).take_while(|at| words.quadra(*at).is_some()).count();
            let other = (numbers > 1).then(|| words.quadra(at + 1)).flatten();
            let next = at + numbers;
            let word = (next < words.len()).then(|| words.raw(next))?;
            if let Some(wing) = vocabulary.wings.get(word) {
                return Some((self.between(wing.to_native(), number, other)?, numbers + 1));
            }
            return (1..=2).filter(|taken| next + taken <= words.len()).find_map(|taken| {
                let meaning = vocabulary.phrases.get(words.phrase(next, next + taken))?;
                let location = ids(&meaning.areas).find_map(|wing| self.between(wing, number, other))?;
                Some((location, numbers + taken))
            });
        }
        (1..=3).filter(|taken| at + taken < words.len()).find_map(|taken| {
            let number = words.quadra(at + taken)?;
            let meaning = vocabulary.phrases.get(words.phrase(at, at + taken))?;
            // an avenue of a wing has its superquadras
            let mut wings = ids(&meaning.areas).flat_map(|area| vocabulary.area_and_above(area));
            let location = wings.find_map(|wing| self.quadras.get(&(wing, number)).copied())?;
            Some((location, taken + 1))
        })
    }

    /// The first numbered address of a text.
    fn block_in(
        &self,
        vocabulary: &ArchivedVocabularyIndex,
        words: &Words,
        area: AreaId,
    ) -> Option<Location> {
        (0..words.len())
            .find_map(|at| Some(self.block_at(vocabulary, words, at, || AreaIds::from_slice(&[area]))?.0))
    }

    /// Where the record is: by its own position, else its address, else a landmark of its names, else its area.
    pub(crate) fn record(
        &self,
        vocabulary: &ArchivedVocabularyIndex,
        record: &Whereabouts,
    ) -> Option<Location> {
        self.plane?;
        let own = || self.locate(record.own?, KnownBy::Address);
        let by_text = || {
            let [address, venue, style] =
                [record.address, record.venue, record.style].map(|text| text.map(Words::new));
            let names: SmallVec<[Words; 2]> = record.names.iter().map(|name| Words::new(name)).collect();
            let texts = || address.iter().chain(&venue);
            let names = || names.iter().chain(&venue);
            let block = texts().chain(&style).find_map(|text| self.block_in(vocabulary, text, record.area));
            let named = || names().find_map(|name| self.landmark(name));
            let inside = |text: &Words| self.landmark_in(vocabulary, text);
            let landmark = named().or_else(|| names().find_map(inside)).or_else(|| texts().find_map(inside));
            // a trecho is longer than a mall in it
            [block, landmark].into_iter().flatten().min_by_key(|location| location.position.precision_m)
        };
        own().or(record.place).or_else(by_text).or_else(|| *self.records.get(usize::from(record.area))?)
    }

    /// The landmark with the longest name that stands in a text. One word, or the name of an area, says too little:
    /// "Torre", "Jardim Botânico".
    fn landmark_in(&self, vocabulary: &ArchivedVocabularyIndex, words: &Words) -> Option<Location> {
        let is_telling = |at: usize, taken: usize| {
            let meaning = vocabulary.phrases.get(words.phrase(at, at + taken));
            taken > 1 && meaning.is_none_or(|meaning| meaning.areas.is_empty())
        };
        let landmarks = (0..words.len()).filter_map(|at| {
            let (_, location, taken) = self.landmark_at(words, at)?;
            is_telling(at, taken).then_some((location, taken))
        });
        landmarks.max_by_key(|(_, taken)| *taken).map(|(location, _)| location)
    }
}

/// What says where a record is.
pub(crate) struct Whereabouts<'r> {
    /// The curator's position.
    pub(crate) own: Option<Position>,
    pub(crate) address: Option<&'r str>,
    /// Of a place, what kind it is: "bar da 408 Norte".
    pub(crate) style: Option<&'r str>,
    /// The name and the aliases.
    pub(crate) names: &'r [&'r str],
    /// Where the place is that the venue names.
    pub(crate) place: Option<Location>,
    pub(crate) venue: Option<&'r str>,
    /// The narrowest area.
    pub(crate) area: AreaId,
}

/// Whether the word is a short form of the other: it begins alike, and its letters come in the same order.
fn abbreviates(short: &str, long: &str) -> bool {
    let mut rest = long.chars();
    let in_order = short.chars().all(|letter| rest.any(|other| other == letter));
    in_order && short.bytes().next() == long.bytes().next()
}
