//! Makes the demo snapshot from the research files: `demo DATA_DIR OUT_DIR`.
//!
//! Facts are copied unchanged or left out; what the sources do not say (a price, a seal, a description, an https
//! address) stays out. Words to search by are not facts: an editor adds them in `tools/data`, whose README has the
//! rules. The output is sorted, so that its diff shows what changed in the data and nothing else.

mod positions;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use chrono::NaiveDate;
use clap::Parser;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use snapshots::vocabulary::{
    Addresses, Category, CategoryKind, Code, Geography, Neighbourhood, Region, SharedTerm, Synonyms,
    Taxonomy, Wing, Written, Zone,
};
use snapshots::{Files, Links, Place, Positions};

/// When the facts were gathered; a constant, so that the same data always gives the same demo.
const CURATED_AT: &str = "2026-11-21T00:00:00-03:00";

/// Words for the whole territory.
const EVERYWHERE: [&str; 5] = ["brasilia", "bsb", "df", "distrito federal", "federal district"];

/// Words after a three-digit quadra, and the neighbourhood they name.
const WINGS: [(&[&str], &str); 4] = [
    (&["norte", "n", "north"], "Asa Norte"),
    (&["sul", "s", "sur", "south"], "Asa Sul"),
    (&["sudoeste"], "Sudoeste"),
    (&["noroeste"], "Noroeste"),
];

/// A category, and one that free text with its words also means; a filter on it stays strict. Bars call themselves
/// either boteco or bar, pagode is played where samba is, and a search for shows means music of any kind.
const NEAR: [(&str, &str); 4] = [("boteco", "bar"), ("pagode", "samba"), ("pub", "bar"), ("show", "musica")];

/// Makes the demo snapshot from the research files.
#[derive(Parser)]
struct Args {
    /// Folder with regions.json, address_codes.json, categories.json, positions.json, places.json and
    /// recurring_events.json.
    data: PathBuf,
    /// Folder to write the snapshot to.
    out: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let Args { data, out } = Args::parse();
    let regions: RegionsFile = read(&data, "regions.json")?;
    let codes: CodesFile = read(&data, "address_codes.json")?;
    let categories: CategoriesFile = read(&data, "categories.json")?;
    let mut positions: positions::PositionsFile = read(&data, "positions.json")?;
    let places: PlacesFile = read(&data, "places.json")?;
    let events: EventsFile = read(&data, "recurring_events.json")?;

    let area_names = editorial("areas.json", include_str!("../../../data/areas.json"))?;
    let outside: Vec<Vec<String>> = editorial("outside.json", include_str!("../../../data/outside.json"))?;
    let geography = geography(regions, area_names, outside.concat())?;
    let addresses = addresses(codes, &geography)?;
    let points: Vec<positions::LandmarkFact> =
        editorial("points.json", include_str!("../../../data/points.json"))?;
    positions.landmarks.extend(points);
    let landmarks = editorial("landmarks.json", include_str!("../../../data/landmarks.json"))?;
    let positions = positions::positions(positions, &geography, &addresses, landmarks)?;
    let events = self::events(events, &places);
    let taxonomy = taxonomy(
        categories,
        editorial("categories.json", include_str!("../../../data/categories.json"))?,
        editorial("suggestions.json", include_str!("../../../data/suggestions.json"))?,
    )?;
    let synonyms = synonyms(editorial("synonyms.json", include_str!("../../../data/synonyms.json"))?);
    let things: Vec<Vec<String>> =
        editorial("not_listed.json", include_str!("../../../data/not_listed.json"))?;
    let not_listed = things.concat();

    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    write(&out, "guide.json", &Guide { name: "demo", curated_at: CURATED_AT, not_listed })?;
    write(&out, "regions.json", &geography)?;
    write(&out, "address_codes.json", &addresses)?;
    write(&out, "categories.json", &taxonomy)?;
    write(&out, "synonyms.json", &synonyms)?;
    write_text(&out, "positions.json", positions::text(&positions)?)?;
    write(&out, "places.json", &self::places(places, &positions))?;
    write(&out, "events.json", &events)?;

    let from = NaiveDate::parse_from_str(&CURATED_AT[..10], "%Y-%m-%d")?;
    match snapshots::check(&Files::read(&out), from) {
        Ok(snapshot) => {
            for warning in snapshots::far_from_area(&snapshot) {
                println!("warning: {warning}");
            }
            println!("{}", serde_json::to_string(&snapshot.counts())?);
            let Positions { areas, blocks, landmarks, .. } = &snapshot.positions;
            println!("{} areas, {} blocks, {} landmarks", areas.len(), blocks.len(), landmarks.len());
            Ok(())
        }
        Err(defects) => bail!("the demo has defects:\n{defects}"),
    }
}

fn read<T: DeserializeOwned>(folder: &Path, name: &str) -> anyhow::Result<T> {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not as expected", path.display()))
}

/// Reads a file of `tools/data`.
fn editorial<T: DeserializeOwned>(name: &str, text: &str) -> anyhow::Result<T> {
    serde_json::from_str(text).with_context(|| format!("tools/data/{name} is not as expected"))
}

fn write<T: Serialize>(folder: &Path, name: &str, value: &T) -> anyhow::Result<()> {
    let mut text = Vec::new();
    let pretty = serde_json::ser::PrettyFormatter::with_indent(b" ");
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, pretty))?;
    text.push(b'\n');
    write_text(folder, name, text)
}

fn write_text(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let path = folder.join(name);
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[derive(Serialize)]
struct Guide {
    name: &'static str,
    curated_at: &'static str,
    not_listed: Vec<String>,
}

#[derive(Deserialize)]
struct RegionsFile {
    #[serde(rename = "_meta")]
    meta: RegionsMeta,
    regions: Vec<RegionFact>,
}

#[derive(Deserialize)]
struct RegionsMeta {
    zones: Vec<Zone>,
}

#[derive(Deserialize)]
struct RegionFact {
    slug: String,
    name: String,
    zone: String,
    aliases: Vec<String>,
    neighbourhoods: Vec<Neighbourhood>,
}

/// `tools/data/areas.json`: further names of areas, by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AreaNames {
    zones: BTreeMap<String, Vec<String>>,
    /// Regions and neighbourhoods.
    areas: BTreeMap<String, Vec<String>>,
}

fn geography(file: RegionsFile, mut names: AreaNames, outside: Vec<String>) -> anyhow::Result<Geography> {
    let region = |RegionFact { slug, name, zone, aliases, neighbourhoods }| Region {
        slug,
        name,
        zone,
        aliases,
        neighbourhoods,
    };
    let mut geography = Geography {
        everywhere: EVERYWHERE.map(str::to_owned).to_vec(),
        outside,
        zones: file.meta.zones,
        regions: file.regions.into_iter().map(region).collect(),
    };
    for zone in &mut geography.zones {
        zone.aliases.extend(names.zones.remove(&zone.name).unwrap_or_default());
    }
    for region in &mut geography.regions {
        region.aliases.extend(names.areas.remove(&region.name).unwrap_or_default());
        for part in &mut region.neighbourhoods {
            part.aliases.extend(names.areas.remove(&part.name).unwrap_or_default());
        }
    }
    if let Some(name) = names.zones.keys().chain(names.areas.keys()).next() {
        bail!("tools/data/areas.json has {name:?}, which is no area");
    }
    Ok(geography)
}

#[derive(Deserialize)]
struct CodesFile {
    #[serde(rename = "_meta")]
    meta: CodesMeta,
    codes: Vec<CodeFact>,
    how_people_write: Vec<WrittenFact>,
}

#[derive(Deserialize)]
struct CodesMeta {
    rules: Vec<String>,
    component_abbreviations: HashMap<String, String>,
}

#[derive(Deserialize)]
struct CodeFact {
    code: String,
    variants: Vec<String>,
    neighbourhoods: Vec<String>,
    region: Option<String>,
    ambiguous: bool,
    #[serde(default)]
    note: String,
}

#[derive(Deserialize)]
struct WrittenFact {
    text: String,
    neighbourhood: Option<String>,
    region: Option<String>,
}

fn addresses(file: CodesFile, geography: &Geography) -> anyhow::Result<Addresses> {
    let components = components(&file.meta)?;
    let code = |fact: CodeFact| {
        let open = fact.ambiguous || fact.region.is_none();
        let readings = match (open, fact.neighbourhoods.is_empty()) {
            (false, _) => Vec::new(),
            (true, false) => fact.neighbourhoods.clone(),
            (true, true) => mentioned(&fact.note, geography),
        };
        Code {
            code: fact.code,
            variants: fact.variants,
            neighbourhoods: fact.neighbourhoods,
            // QNM is mostly, but not only, in one region: the code alone must not decide it
            region: fact.region.filter(|_| !fact.ambiguous),
            ambiguous: fact.ambiguous,
            readings,
        }
    };
    let written = |fact: WrittenFact| {
        // "QI 11" alone names no region: it is in three
        let region = fact.region?;
        Some(Written { text: fact.text, neighbourhood: fact.neighbourhood, region })
    };
    let wing = |(words, neighbourhood): (&[&str], &str)| Wing {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        neighbourhood: neighbourhood.to_owned(),
    };
    Ok(Addresses {
        codes: file.codes.into_iter().map(code).collect(),
        wings: WINGS.into_iter().map(wing).collect(),
        written: file.how_people_write.into_iter().filter_map(written).collect(),
        components,
    })
}

/// Words that only refine an address: those the rules list, and both forms of each abbreviation.
fn components(meta: &CodesMeta) -> anyhow::Result<Vec<String>> {
    let listed = meta
        .rules
        .iter()
        .find(|rule| rule.contains("must be ignored for region"))
        .and_then(|rule| rule.split_once(": "))
        .context("no rule lists the words to ignore for region")?
        .1;
    let listed = listed.split([',', '/']).map(str::trim);
    let abbreviated =
        meta.component_abbreviations.iter().flat_map(|(short, long)| [short.as_str(), long.as_str()]);
    let words: BTreeSet<&str> = listed.chain(abbreviated).filter(|word| !word.is_empty()).collect();
    Ok(words.into_iter().map(str::to_owned).collect())
}

/// The regions and neighbourhoods that a note names, in its order. Text in brackets explains one of them and is
/// skipped.
fn mentioned(note: &str, geography: &Geography) -> Vec<String> {
    let mut depth = 0_usize;
    let mut note: String = note
        .chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
        .collect();
    let mut spellings: Vec<(&str, &str)> = Vec::new();
    for region in &geography.regions {
        spellings.push((&region.name, &region.name));
        spellings.extend(region.aliases.iter().map(|alias| (alias.as_str(), region.name.as_str())));
        for part in &region.neighbourhoods {
            spellings.push((&part.name, &part.name));
            spellings.extend(part.aliases.iter().map(|alias| (alias.as_str(), part.name.as_str())));
        }
    }
    // the longest first: "Riacho Fundo II" is not "Riacho Fundo"
    spellings.sort_by_key(|(spelling, _)| std::cmp::Reverse(spelling.len()));
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (spelling, name) in spellings {
        while let Some(at) = find_word(&note, spelling) {
            found.push((at, name));
            // of the same length, so that positions stay valid
            note.replace_range(at..at + spelling.len(), &"_".repeat(spelling.len()));
        }
    }
    found.sort_unstable();
    let mut names: Vec<String> = Vec::new();
    for (_, name) in found {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The position of a whole word in a text.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| free(text[..*at].chars().next_back()) && free(text[at + word.len()..].chars().next()))
}

#[derive(Deserialize)]
struct CategoriesFile {
    #[serde(rename = "_meta")]
    meta: CategoriesMeta,
    categories: Vec<CategoryFact>,
}

#[derive(Deserialize)]
struct CategoriesMeta {
    ambiguous_terms: Vec<SharedTerm>,
}

#[derive(Deserialize)]
struct CategoryFact {
    slug: String,
    label_pt: String,
    label_en: String,
    kind: CategoryKind,
    parent: Option<String>,
    synonyms_pt: Vec<String>,
    synonyms_en: Vec<String>,
    misspellings: Vec<String>,
}

/// `tools/data/categories.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CategoryWords {
    /// By slug.
    categories: HashMap<String, Words>,
    shared_terms: Vec<SharedTerm>,
    /// Terms of the research file that are names of single events, places or persons and would mean the whole category,
    /// that mean something else in another language, or that belong to one of their categories alone.
    no_terms: Vec<String>,
}

/// What an editor adds to the terms of a category.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    es: String,
    #[serde(default)]
    synonyms_pt: Vec<String>,
    #[serde(default)]
    synonyms_en: Vec<String>,
    #[serde(default)]
    synonyms_es: Vec<String>,
}

fn taxonomy(
    file: CategoriesFile,
    mut words: CategoryWords,
    mut suggested_by: HashMap<String, Vec<String>>,
) -> anyhow::Result<Taxonomy> {
    let no_terms = std::mem::take(&mut words.no_terms);
    let only_terms = |mut terms: Vec<String>| {
        terms.retain(|term| !no_terms.contains(term));
        terms
    };
    let mut category = |fact: CategoryFact| {
        let added = words.categories.remove(&fact.slug);
        let added = added.with_context(|| format!("tools/data/categories.json lacks {}", fact.slug))?;
        anyhow::Ok(Category {
            near: NEAR
                .iter()
                .filter(|(slug, _)| *slug == fact.slug)
                .map(|(_, near)| (*near).to_owned())
                .collect(),
            suggested_by: suggested_by.remove(&fact.slug).unwrap_or_default(),
            slug: fact.slug,
            pt: fact.label_pt,
            en: fact.label_en,
            es: Some(added.es),
            kind: fact.kind,
            parent: fact.parent,
            synonyms_pt: [only_terms(fact.synonyms_pt), added.synonyms_pt].concat(),
            synonyms_en: [only_terms(fact.synonyms_en), added.synonyms_en].concat(),
            synonyms_es: added.synonyms_es,
            misspellings: fact.misspellings,
        })
    };
    let categories = file.categories.into_iter().map(&mut category).collect::<anyhow::Result<_>>()?;
    for (file, left) in [
        ("categories.json", words.categories.keys().next()),
        ("suggestions.json", suggested_by.keys().next()),
    ] {
        if let Some(slug) = left {
            bail!("tools/data/{file} has {slug}, which is no category");
        }
    }
    let mut shared_terms = [file.meta.ambiguous_terms, words.shared_terms].concat();
    shared_terms.retain(|shared| !no_terms.contains(&shared.term));
    shared_terms.sort_by(|one, other| one.term.cmp(&other.term));
    Ok(Taxonomy { categories, shared_terms })
}

/// The groups of all subjects, sorted by their first word.
fn synonyms(by_subject: BTreeMap<String, Vec<Vec<String>>>) -> Synonyms {
    let mut groups: Vec<Vec<String>> = by_subject.into_values().flatten().collect();
    groups.sort();
    Synonyms { groups }
}

#[derive(Deserialize)]
struct PlacesFile {
    places: Vec<PlaceFact>,
}

#[derive(Deserialize)]
struct PlaceFact {
    id: String,
    name: String,
    category: String,
    neighbourhood: Option<String>,
    region: String,
    style: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    address: Option<String>,
    website: Option<String>,
    instagram: Option<String>,
    lat: Option<f64>,
    lon: Option<f64>,
    precision_m: Option<u32>,
    source_count: u32,
}

fn places(file: PlacesFile, positions: &Positions) -> Vec<Place> {
    let mut places: Vec<Place> = file.places.into_iter().map(|fact| place(fact, positions)).collect();
    places.sort_by(|a, b| a.id.cmp(&b.id));
    places
}

fn place(fact: PlaceFact, positions: &Positions) -> Place {
    let (coordinates, precision) = (fact.lat.zip(fact.lon), fact.precision_m);
    let links = Links {
        google_maps: coordinates
            .map(|(lat, lon)| format!("https://www.google.com/maps/search/?api=1&query={lat},{lon}")),
        // snapshots allow https links only, and whether an http site also answers on https is unknown
        website: fact.website.filter(|site| site.starts_with("https://")),
        instagram: fact.instagram.as_ref().map(|handle| format!("https://www.instagram.com/{handle}/")),
        tickets: None,
    };
    let place = Place {
        id: fact.id,
        name: fact.name,
        neighbourhood: fact.neighbourhood,
        region: fact.region,
        category: fact.category,
        also: Vec::new(),
        style: fact.style,
        price: None,
        instagram: fact.instagram,
        address: fact.address,
        mentions: fact.source_count,
        uau: false,
        description: None,
        links,
        aliases: fact.aliases,
        position: None,
        free: false,
        hidden: None,
        show_from: None,
        show_until: None,
        note: None,
    };
    let position = positions::of_place(&place, coordinates, precision, positions);
    Place { position, ..place }
}

#[derive(Deserialize)]
struct EventsFile {
    events: Vec<EventFact>,
}

#[derive(Deserialize)]
struct EventFact {
    id: String,
    name: String,
    venue: Option<String>,
    place_id: Option<String>,
    neighbourhood: Option<String>,
    region: String,
    category: String,
    rrule: Option<String>,
    time: Option<String>,
    date_note: Option<String>,
}

/// A repeated entry of `events.json`.
#[derive(Serialize)]
struct RepeatedEvent {
    id: String,
    name: String,
    repeat: Repeat,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    venue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    neighbourhood: Option<String>,
    region: String,
    category: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

#[derive(Serialize)]
struct Repeat {
    rule: String,
}

fn events(file: EventsFile, places: &PlacesFile) -> Vec<RepeatedEvent> {
    let addresses: HashMap<&str, &String> =
        places.places.iter().filter_map(|place| Some((place.id.as_str(), place.address.as_ref()?))).collect();
    // a name that two places have says nothing
    let mut by_name: HashMap<&str, Option<&String>> = HashMap::new();
    for place in &places.places {
        for name in std::iter::once(&place.name).chain(&place.aliases) {
            let id = by_name.entry(name).or_insert(Some(&place.id));
            *id = id.filter(|id| **id == place.id);
        }
    }
    let named = |venue: &str| by_name.get(venue).copied().flatten().cloned();
    let event = |fact: EventFact| {
        // without a rule there is no certain date
        let rule = fact.rrule.or_else(|| easter_rule(fact.date_note.as_deref()?))?;
        Some(RepeatedEvent {
            id: fact.id,
            name: fact.name,
            repeat: Repeat { rule },
            start_time: fact.time.as_deref().and_then(first_time),
            place: fact.venue.as_deref().and_then(named),
            venue: fact.venue,
            neighbourhood: fact.neighbourhood,
            region: fact.region,
            category: fact.category,
            address: fact.place_id.and_then(|id| addresses.get(id.as_str()).map(|found| (*found).clone())),
        })
    };
    let mut events: Vec<RepeatedEvent> = file.events.into_iter().filter_map(event).collect();
    events.sort_by(|a, b| a.id.cmp(&b.id));
    events
}

/// The rule for "Páscoa menos 2 dias" (two days before Easter) or "Páscoa mais 49 dias" (forty-nine after).
fn easter_rule(note: &str) -> Option<String> {
    let (_, offset) = note.split_once("Páscoa ")?;
    let mut words = offset.split_whitespace();
    let sign = match words.next()? {
        "menos" => -1,
        "mais" => 1,
        _ => return None,
    };
    let days: i16 = words.next()?.parse().ok()?;
    words.next()?.starts_with("dia").then(|| format!("FREQ=YEARLY;BYEASTER={}", sign * days))
}

/// The first `HH:MM` of a text.
fn first_time(text: &str) -> Option<String> {
    let digits = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let time = |at: usize| {
        let time = text.get(at.checked_sub(2)?..at + 3)?;
        (digits(&time[..2]) && digits(&time[3..])).then(|| time.to_owned())
    };
    text.match_indices(':').find_map(|(at, _)| time(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_become_rules_and_times() {
        assert_eq!(easter_rule("móvel: Páscoa menos 2 dias").as_deref(), Some("FREQ=YEARLY;BYEASTER=-2"));
        assert_eq!(
            easter_rule("móvel: Páscoa mais 49 dias; folias antes").as_deref(),
            Some("FREQ=YEARLY;BYEASTER=49")
        );
        assert_eq!(easter_rule("móvel; local por conhecimento próprio"), None);
        assert_eq!(first_time("a partir das 13:00").as_deref(), Some("13:00"));
        assert_eq!(first_time("09:00-18:00 (dom até 15:00)").as_deref(), Some("09:00"));
        assert_eq!(first_time("à noite"), None);
    }

    #[test]
    fn the_longest_area_name_in_a_note_wins() {
        let part = |name: &str| Neighbourhood {
            slug: String::new(),
            name: name.into(),
            aliases: Vec::new(),
            part_of: None,
        };
        let region = |name: &str, neighbourhoods| Region {
            slug: String::new(),
            name: name.into(),
            zone: String::new(),
            aliases: Vec::new(),
            neighbourhoods,
        };
        let regions = vec![region("Gama", vec![]), region("Riacho Fundo II", vec![part("QI 5")])];
        let geography = Geography { everywhere: Vec::new(), outside: Vec::new(), zones: Vec::new(), regions };
        assert_eq!(
            mentioned("ambiguous: Riacho Fundo II (QI 5), Gama/Gamaleira", &geography),
            ["Riacho Fundo II", "Gama"]
        );
    }
}
