//! The areas of a guide: how the tree is laid out, which words name what, and how a `region` is read.

use std::collections::HashMap;

use serde_json::json;
use snapshots::Vocabulary;

use crate::fold::{distance, fold};
use crate::stop_words::is_filler;
use crate::vocabulary::{
    ArchivedVocabularyIndex, Area, AreaKind, Code, EVERYWHERE, Node, Nodes, VocabularyIndex, Word,
};
use crate::words::{LONGEST_PHRASE, Piece, Words, piece};

/// Area numbers by the names that records carry.
pub struct AreaNames {
    regions: HashMap<String, Node>,
    neighbourhoods: HashMap<String, Node>,
}

impl AreaNames {
    /// The area of a record: its neighbourhood when it has one.
    pub fn of(&self, region: &str, neighbourhood: Option<&str>) -> Option<Node> {
        match neighbourhood {
            Some(name) => self.neighbourhoods.get(name).copied(),
            None => self.regions.get(region).copied(),
        }
    }
}

/// Lays out the areas and adds what names them to the maps.
pub fn add_to(vocabulary: &Vocabulary, maps: &mut VocabularyIndex) -> AreaNames {
    let geography = &vocabulary.geography;
    let mut names = AreaNames { regions: HashMap::new(), neighbourhoods: HashMap::new() };
    let mut said: Vec<(Node, Vec<&str>)> = Vec::new();

    open(maps, EVERYWHERE, AreaKind::District, "df", "Distrito Federal");
    for zone in &geography.zones {
        let zone_node = open(maps, EVERYWHERE, AreaKind::Zone, &zone.slug, &zone.name);
        let aliases = zone.aliases.iter().map(String::as_str);
        said.push((
            zone_node,
            [zone.slug.as_str(), &zone.name, &zone.name_en].into_iter().chain(aliases).collect(),
        ));
        for region in geography.regions.iter().filter(|region| region.zone == zone.name) {
            let node = open(maps, zone_node, AreaKind::Region, &region.slug, &region.name);
            names.regions.insert(region.name.clone(), node);
            let aliases = region.aliases.iter().map(String::as_str);
            said.push((node, [region.slug.as_str(), &region.name].into_iter().chain(aliases).collect()));
            add_parts(maps, &mut names, &mut said, &region.neighbourhoods, None, node);
            close(maps, node);
        }
        close(maps, zone_node);
    }
    close(maps, EVERYWHERE);

    for (node, texts) in said {
        for text in texts {
            maps.name_area(text, node);
        }
    }
    add_addresses(vocabulary, maps, &names);
    for word in &geography.everywhere {
        let meaning = maps.phrases.entry(Words::new(word).whole().to_owned()).or_default();
        if meaning.areas.is_empty() {
            meaning.areas.push(EVERYWHERE);
        }
        meaning.everywhere = true;
    }
    maps.settle_areas();
    names
}

fn add_parts<'v>(
    maps: &mut VocabularyIndex,
    names: &mut AreaNames,
    said: &mut Vec<(Node, Vec<&'v str>)>,
    all: &'v [snapshots::vocabulary::Neighbourhood],
    whole: Option<&str>,
    parent: Node,
) {
    for part in all.iter().filter(|part| part.part_of.as_deref() == whole) {
        let node = open(maps, parent, AreaKind::Neighbourhood, &part.slug, &part.name);
        names.neighbourhoods.insert(part.name.clone(), node);
        let aliases = part.aliases.iter().map(String::as_str);
        said.push((node, [part.slug.as_str(), &part.name].into_iter().chain(aliases).collect()));
        add_parts(maps, names, said, all, Some(&part.name), node);
        close(maps, node);
    }
}

fn open(maps: &mut VocabularyIndex, parent: Node, kind: AreaKind, slug: &str, name: &str) -> Node {
    let node = maps.areas.len() as Node;
    let label = match kind {
        AreaKind::District => "district",
        AreaKind::Zone => "zone",
        AreaKind::Region => "region",
        AreaKind::Neighbourhood => "neighbourhood",
    };
    let json = json!({ "slug": slug, "name": name, "kind": label }).to_string();
    maps.areas.push(Area { slug: slug.to_owned(), name: name.to_owned(), kind, parent, end: node + 1, json });
    node
}

fn close(maps: &mut VocabularyIndex, node: Node) {
    maps.areas[usize::from(node)].end = maps.areas.len() as Node;
}

fn add_addresses(vocabulary: &Vocabulary, maps: &mut VocabularyIndex, names: &AreaNames) {
    let named = |name: &String| names.neighbourhoods.get(name).or_else(|| names.regions.get(name)).copied();
    for code in &vocabulary.addresses.codes {
        let mut areas: Vec<Node> = code.neighbourhoods.iter().filter_map(named).collect();
        let undecided = code.ambiguous || (areas.is_empty() && code.region.is_none());
        if undecided {
            areas.extend(code.readings.iter().filter_map(named));
        } else if areas.is_empty() {
            areas.extend(code.region.iter().filter_map(|name| names.regions.get(name)));
        }
        for spelling in code.variants.iter().chain([&code.code]) {
            maps.codes.insert(fold(spelling), Code { areas: areas.clone(), ambiguous: undecided });
        }
    }
    for wing in &vocabulary.addresses.wings {
        if let Some(node) = names.neighbourhoods.get(&wing.neighbourhood) {
            maps.wings.extend(wing.words.iter().map(|word| (fold(word), *node)));
        }
    }
    for written in &vocabulary.addresses.written {
        let node = match &written.neighbourhood {
            Some(name) => names.neighbourhoods.get(name),
            None => names.regions.get(&written.region),
        };
        let key = Words::new(&written.text).whole().to_owned();
        // a name or an alias says more than a list of examples does
        if let Some(node) = node
            && maps.phrases.get(&key).is_none_or(|meaning| meaning.areas.is_empty())
        {
            maps.name_area(&written.text, *node);
        }
    }
    maps.components.extend(vocabulary.addresses.components.iter().map(|word| (fold(word), ())));
}

impl VocabularyIndex {
    /// Says that `text` names the area.
    fn name_area(&mut self, text: &str, node: Node) {
        let words = Words::new(text);
        if words.is_empty() {
            return;
        }
        let areas = &mut self.phrases.entry(words.whole().to_owned()).or_default().areas;
        if !areas.contains(&node) {
            areas.push(node);
        }
        self.note_words(&words, |word| {
            if !word.areas.contains(&node) {
                word.areas.push(node);
            }
        });
    }

    /// Notes the words of a phrase, and how long phrases get that begin with the first of them.
    pub(crate) fn note_words(&mut self, words: &Words, mut note: impl FnMut(&mut Word)) {
        for at in 0..words.len() {
            let word = self.words.entry(words.stem(at).to_owned()).or_default();
            if word.spelling.is_empty() {
                word.spelling = words.raw(at).to_owned();
            }
            if at == 0 {
                word.longest = word.longest.max(words.len().min(LONGEST_PHRASE) as u8);
            }
            note(word);
        }
    }

    /// A phrase keeps its most specific areas ("the most specific reading wins"), a word its widest.
    fn settle_areas(&mut self) {
        let contains = |outer: Node, inner: Node| {
            outer != inner && (outer..self.areas[usize::from(outer)].end).contains(&inner)
        };
        for meaning in self.phrases.values_mut() {
            let all = meaning.areas.clone();
            meaning.areas.retain(|outer| !all.iter().any(|inner| contains(*outer, *inner)));
            meaning.areas.sort_unstable();
        }
        for word in self.words.values_mut() {
            let all = word.areas.clone();
            word.areas.retain(|inner| !all.iter().any(|outer| contains(*outer, *inner)));
            word.areas.sort_unstable();
        }
    }
}

/// Why a `region` could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegionError {
    /// No area has such a name.
    #[error("no such region; the nearest names are {}", nearest.join(", "))]
    Unknown {
        /// The three nearest names.
        nearest: Vec<String>,
    },
    /// A code that lies in several regions.
    #[error("ambiguous; it may mean {}", readings.join(", "))]
    Ambiguous {
        /// The names of the areas it may mean; none when the code never decides a place.
        readings: Vec<String>,
    },
}

/// What one piece of a `region` says.
struct Evidence {
    areas: Vec<Node>,
    /// A code that must not decide alone.
    ambiguous: bool,
    /// What it says once something else contradicts it: "QI 11" is a neighbourhood of Lago Sul, but "QI 11
    /// Lago Norte" is not.
    otherwise: Option<Vec<Node>>,
}

/// Reads a `region`: a neighbourhood, a region, a zone, a code or a written address, in any spelling. The answer
/// is the areas meant, none inside another.
pub fn resolve(vocabulary: &ArchivedVocabularyIndex, text: &str) -> Result<Nodes, RegionError> {
    let words = Words::new(text);
    let unknown = || RegionError::Unknown { nearest: nearest(vocabulary, &words) };
    if let Some(meaning) = vocabulary.phrases.get(words.whole()).filter(|meaning| !meaning.areas.is_empty()) {
        return Ok(meaning.areas.iter().map(|node| node.to_native()).collect());
    }
    let mut evidence = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match piece(vocabulary, &words, at, |meaning| !meaning.areas.is_empty()) {
            Some(found) => {
                evidence.push(weigh(vocabulary, &words, at, &found.piece));
                at += found.taken;
            }
            None if vocabulary.components.contains_key(words.raw(at)) => {
                // "bloco A", "loja 20": the next word belongs to it, unless it names something itself
                at += 1;
                let refines = |at: usize| words.raw(at).len() <= 1 || words.raw(at).parse::<u32>().is_ok();
                at += usize::from(at < words.len() && refines(at));
            }
            None if is_filler(words.raw(at)) || (at > 0 && words.raw(at).parse::<u32>().is_ok()) => at += 1,
            None => return Err(unknown()),
        }
    }
    combine(vocabulary, evidence).unwrap_or_else(|| Err(unknown()))
}

fn weigh(vocabulary: &ArchivedVocabularyIndex, words: &Words, at: usize, piece: &Piece) -> Evidence {
    match piece {
        Piece::Phrase(meaning) => Evidence {
            areas: meaning.areas.iter().map(|node| node.to_native()).collect(),
            ambiguous: false,
            otherwise: vocabulary
                .codes
                .get(words.raw(at))
                .filter(|code| code.ambiguous)
                .map(|code| code.areas.iter().map(|node| node.to_native()).collect()),
        },
        Piece::Code(code) => Evidence {
            areas: code.areas.iter().map(|node| node.to_native()).collect(),
            ambiguous: code.ambiguous,
            otherwise: None,
        },
        Piece::Quadra { wing, .. } => Evidence { areas: vec![*wing], ambiguous: false, otherwise: None },
    }
}

/// What all pieces agree on; `None` when they agree on nothing.
fn combine(
    vocabulary: &ArchivedVocabularyIndex,
    mut evidence: Vec<Evidence>,
) -> Option<Result<Nodes, RegionError>> {
    if evidence.is_empty() {
        return None;
    }
    if evidence.iter().all(|one| one.ambiguous) {
        let mut readings: Vec<String> = Vec::new();
        for node in evidence.iter().flat_map(|one| &one.areas) {
            let name = vocabulary.areas[usize::from(*node)].name.to_string();
            if !readings.contains(&name) {
                readings.push(name);
            }
        }
        return Some(Err(RegionError::Ambiguous { readings }));
    }
    // the surest first: what is certain narrows what is not
    evidence.sort_by_key(|one| (one.ambiguous, one.otherwise.is_some()));
    let mut areas = vec![EVERYWHERE];
    for one in evidence {
        let common = |with: &[Node]| {
            let mut common: Vec<Node> = areas
                .iter()
                .flat_map(|left| with.iter().filter_map(|right| vocabulary.common_area(*left, *right)))
                .collect();
            common.sort_unstable();
            common.dedup();
            (!common.is_empty()).then_some(common)
        };
        let narrowed = common(&one.areas).or_else(|| one.otherwise.as_deref().and_then(common));
        match narrowed {
            Some(narrowed) => areas = narrowed,
            // a code that fits nowhere here says nothing
            None if one.ambiguous || one.otherwise.is_some() => {}
            None => return None,
        }
    }
    Some(Ok(areas.into()))
}

/// The three areas whose names are nearest to what was written.
fn nearest(vocabulary: &ArchivedVocabularyIndex, words: &Words) -> Vec<String> {
    let names = vocabulary.areas.iter().skip(1).map(|area| area.name.as_str());
    nearest_names(words.folded(), names).into_iter().take(3).map(str::to_owned).collect()
}

/// The `names`, those nearest to the folded text first.
pub(crate) fn nearest_names<'a>(folded: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut ranked: Vec<(usize, &str)> = names
        .map(|name| {
            let other = fold(name);
            let shared = folded.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count();
            let apart = distance(folded, &other, 48).unwrap_or(48);
            (2 * apart + 4 - shared.min(4), name)
        })
        .collect();
    ranked.sort_unstable();
    ranked.dedup_by(|left, right| left.1 == right.1);
    ranked.into_iter().map(|(_, name)| name).collect()
}
