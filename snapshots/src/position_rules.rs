//! The rules for positions: of areas, numbered addresses and landmarks (`positions.json`), and of single records.

use std::collections::{HashMap, HashSet};

use crate::defect::{Defect, Report};
use crate::file::File;
use crate::limits::{MAX_ALIASES, MAX_LINE, MAX_NAME, MAX_PRECISION};
use crate::names::Names;
use crate::positions::{AreaPosition, Block, Bounds, Degrees, Landmark, Position, Positions};
use crate::terms::key;
use crate::text::{self, aliases, at_most, folded, nearest, quoted, suggestion};
use crate::{MAX_BLOCKS, MAX_LANDMARKS, Snapshot};

/// How to write a precision.
pub(crate) const PRECISION: &str = "write whole metres, from 1 to 100000";
/// The greatest latitude.
const POLE: i32 = 90_000_000;
/// How far from its area a record may lie: so many times the area's precision, and so many metres more.
const FAR: (f64, f64) = (3.0, 2_000.0);

/// What is wrong with a coordinate that does not exist, and how to fix it.
pub(crate) fn not_on_the_globe(degrees: f64, is_latitude: bool) -> (String, &'static str) {
    let fix = if is_latitude {
        "write degrees from -90 to 90, south of the equator below 0: -15.79"
    } else {
        "write degrees from -180 to 180, west of Greenwich below 0: -47.89"
    };
    (format!("is {degrees}"), fix)
}

/// Checks `positions.json`.
pub(crate) fn check(report: &mut Report, names: &Names<'_>, positions: &Positions) {
    let Positions { bounds, credit, licence, areas, blocks, landmarks } = positions;
    report.at_file(File::Positions);
    for (field, text) in [("credit", credit), ("licence", licence)] {
        if let Some(text) = text {
            text::check(report, field, text, MAX_LINE);
        }
    }
    match bounds {
        Some(bounds) => check_bounds(report, bounds),
        None if areas.is_empty() && blocks.is_empty() && landmarks.is_empty() => {}
        None => report.add("bounds", || {
            ("is missing beside positions", "add the south, west, north and east of the territory")
        }),
    }
    for (field, count, most) in
        [("blocks", blocks.len(), MAX_BLOCKS), ("landmarks", landmarks.len(), MAX_LANDMARKS)]
    {
        at_most(report, field, count, most);
    }
    check_areas(report, names, areas);
    check_blocks(report, names, &blocks[..blocks.len().min(MAX_BLOCKS)]);
    check_landmarks(report, names, &landmarks[..landmarks.len().min(MAX_LANDMARKS)]);
}

fn check_bounds(report: &mut Report, bounds: &Bounds) {
    let Bounds { south, west, north, east } = bounds;
    for (field, latitude) in [("bounds.south", *south), ("bounds.north", *north)] {
        check_latitude(report, field, latitude);
    }
    for (field, least, greatest, word) in
        [("bounds.south", south, north, "north"), ("bounds.west", west, east, "east")]
    {
        if least >= greatest {
            report.add(field, || {
                let what = format!("{} is not below {word}, {}", least.degrees(), greatest.degrees());
                (what, "swap them, or correct the one that is wrong")
            });
        }
    }
}

fn check_latitude(report: &mut Report, field: &str, latitude: Degrees) {
    if !(-POLE..=POLE).contains(&latitude.0) {
        report.add(field, || not_on_the_globe(latitude.degrees(), true));
    }
}

/// Checks the field `position` of an entry or a record.
pub(crate) fn position(report: &mut Report, bounds: Option<Bounds>, position: &Position) {
    let Position { lat, lon, precision_m } = *position;
    check_latitude(report, "position.lat", lat);
    if !(1..=MAX_PRECISION).contains(&precision_m) {
        report.add("position.precision_m", || (format!("is {precision_m}"), PRECISION));
    }
    let Some(Bounds { south, west, north, east }) = bounds else { return };
    let are_swapped = (south..=north).contains(&lon) && (west..=east).contains(&lat);
    let fix = if are_swapped {
        "lat and lon are swapped: swap them, or correct the bounds of positions.json"
    } else {
        "correct it, or the bounds of positions.json"
    };
    for (field, value, least, greatest) in
        [("position.lat", lat, south, north), ("position.lon", lon, west, east)]
    {
        let exists = field == "position.lon" || (-POLE..=POLE).contains(&value.0);
        if exists && !(least..=greatest).contains(&value) {
            report.add(field, || {
                let (least, greatest) = (least.degrees(), greatest.degrees());
                let what = format!("{} is not within the bounds, {least} to {greatest}", value.degrees());
                (what, fix)
            });
        }
    }
}

fn check_areas(report: &mut Report, names: &Names<'_>, areas: &[AreaPosition]) {
    let mut seen = HashSet::new();
    for AreaPosition { area, position } in areas {
        report.at(File::Positions, area);
        names.check_area(report, "area", area);
        if !seen.insert(area) {
            report.add("area", || (format!("{} is listed twice", quoted(area)), "keep one of the two"));
        }
        self::position(report, names.bounds, position);
    }
}

fn check_blocks(report: &mut Report, names: &Names<'_>, blocks: &[Block]) {
    let codes = Codes::new(names);
    // The address that each spelling belongs to.
    let mut seen: HashMap<String, &str> = HashMap::new();
    for Block { address, also, position } in blocks {
        report.at(File::Positions, address);
        codes.check(report, "address", address);
        unique(report, &mut seen, "address", (folded(address), address), address);
        at_most(report, "also", also.len(), MAX_ALIASES);
        for (index, other) in also.iter().enumerate().take(MAX_ALIASES) {
            let field = format!("also[{index}]");
            codes.check(report, &field, other);
            unique(report, &mut seen, &field, (folded(other), other), address);
        }
        self::position(report, names.bounds, position);
    }
}

/// Reports a spelling that an earlier entry has, or the same one.
fn unique<'v>(
    report: &mut Report,
    seen: &mut HashMap<String, &'v str>,
    field: &str,
    (key, text): (String, &str),
    owner: &'v str,
) {
    if let Some(first) = seen.insert(key, owner) {
        report.add(field, || {
            let what = match first == owner {
                true => format!("{} is listed twice", quoted(text)),
                false => format!("{} is also an entry of {}", quoted(text), quoted(first)),
            };
            (what, "keep one of the two")
        });
    }
}

/// The spellings of the address codes, folded.
struct Codes<'v>(Option<HashMap<String, &'v str>>);

impl<'v> Codes<'v> {
    fn new(names: &Names<'v>) -> Self {
        let codes = &names.vocabulary.addresses.codes;
        let spellings = codes.iter().flat_map(|code| {
            let all = std::iter::once(&code.code).chain(&code.variants);
            all.map(move |spelling| (folded(spelling), code.code.as_str()))
        });
        Self(names.readable.codes.then(|| spellings.collect()))
    }

    /// Checks an address: a code, perhaps a word, and a number.
    fn check(&self, report: &mut Report, field: &str, address: &str) {
        text::check(report, field, address, MAX_NAME);
        let Some(codes) = &self.0 else { return };
        if address.is_empty() {
            return;
        }
        let form = "write a code of address_codes.json, at most one word, and a number: \"SQN 408\"";
        let Some((before, number)) = address.rsplit_once(' ') else {
            return report.add(field, || (format!("{} is not an address", quoted(address)), form));
        };
        if number.is_empty() || number.len() > 9 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return report
                .add(field, || (format!("{} does not end with a whole number", quoted(address)), form));
        }
        let without_word = before.rsplit_once(' ').filter(|(_, word)| !word.is_empty()).map(|(code, _)| code);
        let is_code = |text: &str| codes.contains_key(&folded(text));
        if !is_code(before) && !without_word.is_some_and(is_code) {
            report.add(field, || {
                let code = before.split(' ').next().unwrap_or(before);
                let near = nearest(code, codes.iter().map(|(spelling, code)| (spelling.as_str(), *code)));
                let near = near.filter(|_| !is_code(code));
                (format!("{} has no known address code", quoted(address)), suggestion(near, form))
            });
        }
    }
}

fn check_landmarks(report: &mut Report, names: &Names<'_>, landmarks: &[Landmark]) {
    // The landmark of each name.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, landmark) in landmarks.iter().enumerate() {
        report.at(File::Positions, &landmark.name);
        text::check(report, "name", &landmark.name, MAX_NAME);
        aliases(report, &landmark.aliases);
        let others = landmark.aliases.iter().take(MAX_ALIASES).enumerate();
        let others = others.map(|(position, alias)| (format!("aliases[{position}]"), alias));
        for (field, name) in std::iter::once(("name".to_owned(), &landmark.name)).chain(others) {
            let key = key(name);
            if key.is_empty() {
                // An empty text is already reported.
                if !name.is_empty() {
                    report.add(field, || {
                        (format!("{} holds no word to search for", quoted(name)), "remove it")
                    });
                }
                continue;
            }
            let first = *seen.entry(key).or_insert(index);
            if first != index {
                report.add(field, || {
                    let first = landmarks.get(first).map_or("", |first| &first.name);
                    let what = format!("{} is also a name of {}", quoted(name), quoted(first));
                    let fix = "leave it to one of the two; accents, case, plural and words like \"de\" make no difference";
                    (what, fix)
                });
            }
        }
        position(report, names.bounds, &landmark.position);
    }
}

/// Warnings: records whose own position is far from the position of their neighbourhood, or else of their region. The
/// dated events of one repeated event give one warning.
pub fn far_from_area(snapshot: &Snapshot) -> Vec<Defect> {
    let areas: HashMap<&str, &Position> =
        snapshot.positions.areas.iter().map(|one| (one.area.as_str(), &one.position)).collect();
    let warning = |file, id: &str, own: Option<Position>, neighbourhood: Option<&String>, region: &String| {
        let own = own?;
        let area =
            neighbourhood.into_iter().chain([region]).find(|area| areas.contains_key(area.as_str()))?;
        let middle = areas.get(area.as_str())?;
        let (times, more) = FAR;
        let distance = own.metres_to(middle);
        (distance > times * f64::from(middle.precision_m) + more).then(|| Defect {
            file,
            id: Some(id.to_owned()),
            field: Some("position".to_owned()),
            what: format!("is {:.1} km from the middle of {}", distance / 1_000.0, quoted(area)),
            fix: "check the position, the neighbourhood and the region".to_owned(),
        })
    };
    let places = snapshot.places.iter().filter_map(|place| {
        let neighbourhood = place.neighbourhood.as_ref();
        warning(File::Places, &place.id, place.position, neighbourhood, &place.region)
    });
    let mut series = HashSet::new();
    let events = snapshot.events.iter().filter_map(|event| {
        if event.position.is_none() || !event.series.as_ref().is_none_or(|one| series.insert(one)) {
            return None;
        }
        let id = event.series.as_ref().unwrap_or(&event.id);
        warning(File::Events, id, event.position, event.neighbourhood.as_ref(), &event.region)
    });
    places.chain(events).collect()
}
