//! Positions: of areas, numbered addresses and landmarks, from the research file and the editor's words.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use snapshots::positions::{AreaPosition, Block, Bounds, Degrees, Landmark, Positions};
use snapshots::vocabulary::{Addresses, Geography};
use snapshots::{Place, Position};

/// Who is credited wherever a position or a distance is shown.
const CREDIT: &str = "© OpenStreetMap contributors";
/// The licence of the file.
const LICENCE: &str = "Open Database License (ODbL) 1.0; contains data of OpenStreetMap (ODbL 1.0), GeoNames (CC BY 4.0) and \
     Brazilian government registers.";
/// The precision of a place's own coordinates when the research file gives none, in metres.
const PLACE_PRECISION: u32 = 100;
/// Places whose coordinates in the register are not where visitors go: the park's entrance is 2 km away.
const DOUBTFUL: [&str; 1] = ["parque-nacional-de-brasilia"];

/// `positions.json` of the research files.
#[derive(Deserialize)]
pub(crate) struct PositionsFile {
    #[serde(rename = "_meta")]
    meta: Meta,
    superquadras: Superquadras,
    named_quadras: Vec<BlockFact>,
    areas: Vec<AreaFact>,
    pub(crate) landmarks: Vec<LandmarkFact>,
}

#[derive(Deserialize)]
struct Meta {
    /// South, north, west, east.
    bbox_checked: [f64; 4],
}

#[derive(Deserialize)]
struct Superquadras {
    points: Vec<BlockFact>,
}

#[derive(Deserialize)]
struct BlockFact {
    code: String,
    /// The codes that the number has: "SEPN/SCRN/CRN" for "N 502".
    prefixes: Option<String>,
    #[serde(flatten)]
    point: Point,
}

#[derive(Deserialize)]
struct AreaFact {
    slug: String,
    kind: String,
    #[serde(flatten)]
    point: Point,
}

/// A landmark of the research file, or of `tools/data/points.json`, which names the source of each.
#[derive(Deserialize)]
pub(crate) struct LandmarkFact {
    name: String,
    aliases: Vec<String>,
    #[serde(flatten)]
    point: Point,
}

#[derive(Deserialize)]
struct Point {
    lat: f64,
    lon: f64,
    precision_m: u32,
}

impl Point {
    fn position(&self) -> anyhow::Result<Position> {
        position(self.lat, self.lon, self.precision_m)
    }
}

fn position(lat: f64, lon: f64, precision_m: u32) -> anyhow::Result<Position> {
    let on_the_globe = |degrees| Degrees::new(degrees).context("a coordinate is not on the globe");
    Ok(Position { lat: on_the_globe(lat)?, lon: on_the_globe(lon)?, precision_m })
}

/// The positions of the demo. What is left out is printed.
pub(crate) fn positions(
    file: PositionsFile,
    geography: &Geography,
    addresses: &Addresses,
    mut aliases: BTreeMap<String, Vec<String>>,
) -> anyhow::Result<Positions> {
    let [south, north, west, east] = file.meta.bbox_checked;
    let (least, greatest) = (position(south, west, 1)?, position(north, east, 1)?);
    let mut areas = areas(file.areas, geography)?;
    areas.sort_by(|one, other| one.area.cmp(&other.area));
    let codes = Codes::of(addresses);
    let blocks = blocks(file.superquadras.points.into_iter().chain(file.named_quadras), &codes)?;
    let landmark = |fact: LandmarkFact| {
        let position = fact.point.position()?;
        let mut names = fact.aliases;
        // "QI 5" is an address in three regions, and "BSB" the whole city
        names.retain(|name| {
            let is_other = codes.is_address(name) || geography.everywhere.contains(&name.to_lowercase());
            if is_other {
                println!("left out: {name:?} as a name of {}", fact.name);
            }
            !is_other
        });
        names.extend(aliases.remove(&fact.name).unwrap_or_default());
        anyhow::Ok(Landmark { name: fact.name, aliases: names, position })
    };
    let mut landmarks = file.landmarks.into_iter().map(landmark).collect::<anyhow::Result<Vec<_>>>()?;
    landmarks.sort_by(|one, other| one.name.cmp(&other.name));
    if let Some(name) = aliases.keys().next() {
        bail!("tools/data/landmarks.json has {name:?}, which is no landmark");
    }
    Ok(Positions {
        bounds: Some(Bounds { south: least.lat, west: least.lon, north: greatest.lat, east: greatest.lon }),
        credit: Some(CREDIT.to_owned()),
        licence: Some(LICENCE.to_owned()),
        areas,
        blocks,
        landmarks,
    })
}

fn areas(facts: Vec<AreaFact>, geography: &Geography) -> anyhow::Result<Vec<AreaPosition>> {
    let name = |fact: &AreaFact| {
        let mut regions = geography.regions.iter();
        match fact.kind.as_str() {
            "region" => regions.find(|region| region.slug == fact.slug).map(|region| &region.name),
            _ => regions
                .flat_map(|region| &region.neighbourhoods)
                .find(|part| part.slug == fact.slug)
                .map(|part| &part.name),
        }
    };
    let mut areas = Vec::new();
    for fact in facts {
        match name(&fact) {
            Some(name) => areas.push(AreaPosition { area: name.clone(), position: fact.point.position()? }),
            None => println!("left out: the {} {}, which regions.json lacks", fact.kind, fact.slug),
        }
    }
    Ok(areas)
}

/// The spellings of address codes.
struct Codes<'a>(HashSet<&'a str>);

impl<'a> Codes<'a> {
    fn of(addresses: &'a Addresses) -> Self {
        let spellings =
            addresses.codes.iter().flat_map(|code| std::iter::once(&code.code).chain(&code.variants));
        Self(spellings.map(String::as_str).collect())
    }

    /// Whether the text is a code, perhaps a word, and a number.
    fn is_address(&self, text: &str) -> bool {
        let Some((before, number)) = text.rsplit_once(' ') else { return false };
        let without_word = before.rsplit_once(' ').map(|(code, _)| code);
        number.parse::<u32>().is_ok()
            && (self.0.contains(before) || without_word.is_some_and(|code| self.0.contains(code)))
    }
}

/// The blocks by address. Of two points for one address the more precise one is kept.
fn blocks(facts: impl Iterator<Item = BlockFact>, codes: &Codes<'_>) -> anyhow::Result<Vec<Block>> {
    let mut blocks: Vec<(Vec<String>, Position)> = Vec::new();
    // The block of each address.
    let mut known: HashMap<String, usize> = HashMap::new();
    for fact in facts {
        let position = fact.point.position()?;
        let number = fact.code.rsplit(' ').next().unwrap_or_default();
        let addresses: Vec<String> = match &fact.prefixes {
            Some(prefixes) => prefixes.split('/').map(|code| format!("{code} {number}")).collect(),
            None => vec![fact.code.clone()],
        };
        let mut own = Vec::new();
        for address in addresses {
            if !codes.is_address(&address) {
                println!("left out: {address}, whose code address_codes.json lacks");
                continue;
            }
            if let Some((others, other)) = known.get(&address).and_then(|at| blocks.get_mut(*at)) {
                let (kept, dropped) = if position.precision_m < other.precision_m {
                    (position.precision_m, other.precision_m)
                } else {
                    (other.precision_m, position.precision_m)
                };
                println!("left out: {address} within {dropped} m, known within {kept} m");
                if position.precision_m >= other.precision_m {
                    continue;
                }
                others.retain(|one| *one != address);
            }
            known.insert(address.clone(), blocks.len());
            own.push(address);
        }
        blocks.push((own, position));
    }
    let mut blocks: Vec<Block> = blocks
        .into_iter()
        .filter_map(|(addresses, position)| {
            let mut addresses = addresses.into_iter();
            Some(Block { address: addresses.next()?, also: addresses.collect(), position })
        })
        .collect();
    blocks.sort_by_cached_key(|block| {
        let (code, number) = block.address.rsplit_once(' ').unwrap_or((&block.address, ""));
        (code.to_owned(), number.parse::<u32>().unwrap_or_default())
    });
    Ok(blocks)
}

/// A place's own position, unless its coordinates are doubtful or outside the bounds. At the very point of a landmark,
/// both are from one source and equally precise.
pub(crate) fn of_place(
    place: &Place,
    coordinates: Option<(f64, f64)>,
    precision_m: Option<u32>,
    positions: &Positions,
) -> Option<Position> {
    let (lat, lon) = coordinates?;
    let mut position = position(lat, lon, precision_m.unwrap_or(PLACE_PRECISION)).ok()?;
    let mut landmarks = positions.landmarks.iter().map(|landmark| landmark.position);
    if let Some(same) = landmarks.find(|other| (other.lat, other.lon) == (position.lat, position.lon)) {
        position.precision_m = precision_m.unwrap_or(same.precision_m);
    }
    let is_inside = positions.bounds.is_none_or(|bounds| bounds.contains(position.lat, position.lon));
    if !is_inside || DOUBTFUL.contains(&place.id.as_str()) {
        println!("left out: the position of {}", place.id);
        return None;
    }
    Some(position)
}

/// The file with one entry on each line, so that its diff shows what moved.
pub(crate) fn text(positions: &Positions) -> anyhow::Result<String> {
    let Positions { bounds, credit, licence, areas, blocks, landmarks } = positions;
    let mut text = String::from("{\n");
    writeln!(text, " \"bounds\": {},", serde_json::to_string(bounds)?)?;
    writeln!(text, " \"credit\": {},", serde_json::to_string(credit)?)?;
    writeln!(text, " \"licence\": {},", serde_json::to_string(licence)?)?;
    for (field, entries) in
        [("areas", lines(areas)?), ("blocks", lines(blocks)?), ("landmarks", lines(landmarks)?)]
    {
        let separator = if field == "landmarks" { "" } else { "," };
        writeln!(text, " \"{field}\": [\n{entries}\n ]{separator}")?;
    }
    text.push_str("}\n");
    Ok(text)
}

fn lines<T: Serialize>(entries: &[T]) -> anyhow::Result<String> {
    let line = |entry: &T| Ok(format!("  {}", serde_json::to_string(entry)?));
    Ok(entries.iter().map(line).collect::<anyhow::Result<Vec<_>>>()?.join(",\n"))
}
