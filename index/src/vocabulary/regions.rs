//! The areas of a guide: their tree, the words that name them, and how a `region` parameter is resolved.

use hashbrown::HashMap;
use snapshots::Vocabulary;
use snapshots::vocabulary::{Neighbourhood, Region};

use crate::error::BuildError;
use crate::grammar::fixed_words::is_stop_word;
use crate::grammar::fold::{distance, fold};
use crate::grammar::stop_words::is_number;
use crate::vocabulary::Quadras;
use crate::vocabulary::node_ids::{AreaId, ids, keep_innermost, keep_outermost};
use crate::vocabulary::words::{LONGEST_PHRASE, Piece, Words, area_piece, phrases_of};
use crate::vocabulary::{
    ArchivedVocabularyIndex, Area, AreaIds, AreaKind, Code, EVERYWHERE, Meaning, VocabularyIndex, Word,
};

/// Areas by the names that records carry.
#[derive(Default)]
pub(crate) struct AreaNames {
    regions: HashMap<String, AreaId>,
    neighbourhoods: HashMap<String, AreaId>,
}

impl AreaNames {
    /// The area of a record: its neighbourhood when it has one.
    pub(crate) fn find(&self, region: &str, neighbourhood: Option<&str>) -> Option<AreaId> {
        match neighbourhood {
            Some(name) => self.neighbourhoods.get(name).copied(),
            None => self.regions.get(region).copied(),
        }
    }
}

/// Adds the areas and all that names them to the index.
pub(crate) fn add_areas(
    vocabulary: &Vocabulary,
    index: &mut VocabularyIndex,
) -> Result<AreaNames, BuildError> {
    let geography = &vocabulary.geography;
    let mut tree = Tree { index, names: AreaNames::default(), terms: Vec::new() };
    let mut regions = HashMap::<&str, Vec<&Region>>::new();
    for region in &geography.regions {
        regions.entry(&region.zone).or_default().push(region);
    }
    tree.open(EVERYWHERE, AreaKind::District, "df", "Distrito Federal")?;
    for zone in &geography.zones {
        let zone_id = tree.open(EVERYWHERE, AreaKind::Zone, &zone.slug, &zone.name)?;
        tree.terms.push((zone_id, &zone.name_en));
        tree.terms.extend(zone.aliases.iter().map(|alias| (zone_id, alias.as_str())));
        for region in regions.get(zone.name.as_str()).into_iter().flatten() {
            let id = tree.open(zone_id, AreaKind::Region, &region.slug, &region.name)?;
            tree.names.regions.insert(region.name.clone(), id);
            tree.terms.extend(region.aliases.iter().map(|alias| (id, alias.as_str())));
            let mut parts = Parts::new();
            for part in &region.neighbourhoods {
                parts.entry(part.part_of.as_deref()).or_default().push(part);
            }
            tree.add_parts(&parts, None, id, 0)?;
            tree.close(id);
        }
        tree.close(zone_id);
    }
    tree.close(EVERYWHERE);

    let Tree { names, terms, .. } = tree;
    for (area, term) in terms {
        index.name_area(term, area);
    }
    add_addresses(vocabulary, index, &names);
    for word in &geography.everywhere {
        let words = Words::new(word);
        if !words.is_empty() {
            index.add_words(&words, |_| {});
        }
        let meaning = index.phrases.entry(words.whole().to_owned()).or_default();
        if meaning.areas.is_empty() {
            meaning.areas.push(EVERYWHERE);
        }
        meaning.everywhere = true;
    }
    index.settle_areas();
    Ok(names)
}

/// The neighbourhoods of a region by the one that contains them.
type Parts<'v> = HashMap<Option<&'v str>, Vec<&'v Neighbourhood>>;

/// The tree of areas while it is built in preorder.
struct Tree<'v, 'i> {
    index: &'i mut VocabularyIndex,
    names: AreaNames,
    /// The texts that name each area.
    terms: Vec<(AreaId, &'v str)>,
}

impl<'v> Tree<'v, '_> {
    fn add_parts(
        &mut self,
        parts: &Parts<'v>,
        whole: Option<&str>,
        parent: AreaId,
        depth: usize,
    ) -> Result<(), BuildError> {
        if depth > snapshots::MAX_NESTING {
            return Err(BuildError::TooLarge("levels of neighbourhoods"));
        }
        for part in parts.get(&whole).into_iter().flatten() {
            let id = self.open(parent, AreaKind::Neighbourhood, &part.slug, &part.name)?;
            self.names.neighbourhoods.insert(part.name.clone(), id);
            self.terms.extend(part.aliases.iter().map(|alias| (id, alias.as_str())));
            self.add_parts(parts, Some(&part.name), id, depth + 1)?;
            self.close(id);
        }
        Ok(())
    }

    fn open(
        &mut self,
        parent: AreaId,
        kind: AreaKind,
        slug: &'v str,
        name: &'v str,
    ) -> Result<AreaId, BuildError> {
        let id = AreaId::next(self.index.areas.len(), "areas")?;
        self.index.areas.push(Area {
            slug: slug.to_owned(),
            name: name.to_owned(),
            kind,
            parent,
            end: id.after(),
            is_wing: false,
        });
        if kind != AreaKind::District {
            self.terms.extend([(id, slug), (id, name)]);
        }
        Ok(id)
    }

    /// Ends an area after its last descendant.
    fn close(&mut self, area: AreaId) {
        let end = self.index.areas.last().map_or(area.after(), |last| last.end);
        self.index.areas[usize::from(area)].end = end;
    }
}

fn add_addresses(vocabulary: &Vocabulary, index: &mut VocabularyIndex, names: &AreaNames) {
    let find = |name: &String| names.neighbourhoods.get(name).or_else(|| names.regions.get(name)).copied();
    for code in &vocabulary.addresses.codes {
        let mut areas: Vec<AreaId> = code.neighbourhoods.iter().filter_map(find).collect();
        let ambiguous = code.ambiguous || (areas.is_empty() && code.region.is_none());
        if ambiguous {
            areas.extend(code.readings.iter().filter_map(find));
        } else if areas.is_empty() {
            areas.extend(code.region.iter().filter_map(|name| names.regions.get(name)));
        }
        for spelling in code.variants.iter().chain([&code.code]) {
            let spelling = fold(spelling);
            let head = spelling.split(' ').next().unwrap_or_default();
            index.code_heads.insert(head.to_owned(), ());
            index.codes.insert(spelling, Code { areas: areas.clone(), ambiguous });
        }
    }
    for wing in &vocabulary.addresses.wings {
        if let Some(area) = names.neighbourhoods.get(&wing.neighbourhood) {
            index.wings.extend(wing.words.iter().map(|word| (fold(word), *area)));
            index.areas[usize::from(*area)].is_wing = true;
        }
    }
    for written in &vocabulary.addresses.written {
        let words = Words::new(&written.text);
        let key = words.whole().to_owned();
        let has_number = (0..words.len()).any(|at| words.quadra(at).is_some());
        // A name or an alias takes precedence over a written form, and so does what is read of any number of a wing:
        // as a name, "SQS 308 bloco A" would be all of Asa Sul.
        if let Some(area) = names.find(&written.region, written.neighbourhood.as_deref())
            && !(has_number && index.areas[usize::from(area)].is_wing)
            && index.phrases.get(&key).is_none_or(|meaning| meaning.areas.is_empty())
        {
            match written.neighbourhood.is_none() && !key.contains(&fold(&written.region)) {
                true => add_street(vocabulary, index, names, &written.text, area),
                false => index.name_area(&written.text, area),
            }
        }
    }
    index.components.extend(vocabulary.addresses.components.iter().map(|word| (fold(word), ())));
}

/// Adds what addresses call a street of the area. Beside a wing it says where: "Eixão Norte".
fn add_street(
    vocabulary: &Vocabulary,
    index: &mut VocabularyIndex,
    names: &AreaNames,
    street: &str,
    area: AreaId,
) {
    index.name_street(street, area).street = true;
    for wing in &vocabulary.addresses.wings {
        let Some(id) = names.neighbourhoods.get(&wing.neighbourhood) else { continue };
        let is_inside = (area..index.areas[usize::from(area)].end).contains(id);
        if is_inside {
            for word in &wing.words {
                index.name_street(&format!("{street} {word}"), *id);
            }
        }
    }
}

impl VocabularyIndex {
    /// Makes `text` a name of the area.
    fn name_area(&mut self, text: &str, area: AreaId) {
        let words = Words::new(text);
        if words.is_empty() {
            return;
        }
        let is_plural = words.len() == 1 && words.raw(0) != words.stem(0);
        let meaning = self.phrases.entry(words.whole().to_owned()).or_default();
        meaning.plural = is_plural && (meaning.plural || meaning.areas.is_empty());
        meaning.areas.push(area);
        self.add_words(&words, |word| word.areas.push(area));
    }

    /// Makes `text`, a street in addresses, mean the area. Its words alone say nothing of it: records have them.
    fn name_street(&mut self, text: &str, area: AreaId) -> &mut Meaning {
        let words = Words::new(text);
        self.add_words(&words, |_| {});
        let meaning = self.phrases.entry(words.whole().to_owned()).or_default();
        meaning.areas.push(area);
        meaning
    }

    /// Registers the words of a phrase; the first of them learns how long the phrase is.
    pub(crate) fn add_words(&mut self, words: &Words, mut add: impl FnMut(&mut Word)) {
        for at in 0..words.len() {
            let word = self.words.entry(words.stem(at).to_owned()).or_default();
            if word.spelling.is_empty() {
                word.spelling = words.raw(at).to_owned();
            }
            if at == 0 {
                let length = u8::try_from(words.len()).unwrap_or(u8::MAX).min(LONGEST_PHRASE);
                word.longest_phrase = word.longest_phrase.max(length);
            }
            add(word);
        }
    }

    /// A phrase keeps its most specific areas, a word its widest.
    fn settle_areas(&mut self) {
        let Self { areas, phrases, words, .. } = self;
        let end = |id: AreaId| areas[usize::from(id)].end;
        phrases.values_mut().for_each(|meaning| keep_innermost(&mut meaning.areas, end));
        words.values_mut().for_each(|word| keep_outermost(&mut word.areas, end));
    }
}

/// The superquadras in a `region` text, each with its wing: "CLS 405".
pub fn quadras(vocabulary: &ArchivedVocabularyIndex, text: &str) -> Quadras {
    let words = Words::new(text);
    let mut quadras = Quadras::new();
    let mut at = 0;
    while at < words.len() {
        let found = area_piece(vocabulary, &words, at);
        let taken = found.as_ref().map_or(1, |found| found.taken);
        if let Some(Piece::Quadra { wing, .. }) = found.map(|found| found.piece) {
            quadras.extend((at..at + taken).filter_map(|at| Some((wing, words.quadra(at)?))));
        }
        at += taken;
    }
    quadras
}

/// What was made of an address code with a number that does not name its area alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeNote {
    /// Several regions have the code, and one of them has an area of that name: that one was meant.
    Assumed {
        /// The folded code and its number.
        code: String,
        /// The area.
        area: AreaId,
        /// Its region.
        region: AreaId,
        /// The other regions that have the code.
        others: AreaIds,
    },
    /// No area of its own is known by the number: these were meant.
    Whole {
        /// The folded code and its number.
        code: String,
        /// The areas.
        areas: AreaIds,
    },
}

/// What was made of the address codes with numbers in a `region` that resolved to these areas, where they do not name
/// them alone: "QI 11", which several regions have.
pub fn code_notes(vocabulary: &ArchivedVocabularyIndex, text: &str, areas: &AreaIds) -> Vec<CodeNote> {
    let words = Words::new(text);
    let (mut notes, mut pieces, mut at) = (Vec::new(), 0, 0);
    while at < words.len() {
        let found = area_piece(vocabulary, &words, at);
        let taken = found.as_ref().map_or(1, |found| found.taken);
        let code = || words.between(at, at + taken).to_owned();
        let has_number = (at..at + taken).any(|at| is_number(words.raw(at)));
        let whole = || CodeNote::Whole { code: code(), areas: areas.clone() };
        // "QI 11 do Lago Sul", as a whole a name, says the region
        let is_code_alone = has_number && (at + 1..at + taken).all(|at| is_number(words.raw(at)));
        match found.map(|found| found.piece) {
            Some(Piece::Phrase(meaning)) if is_code_alone && may_be_elsewhere(vocabulary, words.raw(at)) => {
                let is_meant =
                    |area: &AreaId| areas.iter().any(|found| vocabulary.area_run(*area).contains(found));
                let own = ids(&meaning.areas).find(is_meant);
                notes.push(own.map_or_else(whole, |area| assumed(vocabulary, words.raw(at), code(), area)));
            }
            Some(Piece::Code(_)) if has_number => notes.push(whole()),
            Some(Piece::Phrase(meaning)) if meaning.everywhere => pieces -= 1,
            None => pieces -= 1,
            _ => {}
        }
        pieces += 1;
        at += taken;
    }
    // beside another name the region was said
    notes.retain(|note| pieces == 1 || matches!(note, CodeNote::Whole { .. }));
    notes
}

/// Whether a word is an address code that several regions have.
fn may_be_elsewhere(vocabulary: &ArchivedVocabularyIndex, word: &str) -> bool {
    vocabulary.codes.get(word).is_some_and(|code| code.ambiguous)
}

fn assumed(vocabulary: &ArchivedVocabularyIndex, word: &str, code: String, area: AreaId) -> CodeNote {
    let regions = vocabulary.codes.get(word).into_iter().flat_map(|code| ids(&code.areas));
    let (own, others): (AreaIds, AreaIds) =
        regions.partition(|region| vocabulary.area_run(*region).contains(&area));
    CodeNote::Assumed { code, area, region: own.first().copied().unwrap_or(EVERYWHERE), others }
}

/// Why a `region` could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegionError {
    /// No area has such a name.
    #[error("no such region; the nearest names are: {}", nearest.join(", "))]
    Unknown {
        /// The nearest names, at most three.
        nearest: Vec<String>,
    },
    /// A town outside the territory.
    #[error("outside the territory of the guide")]
    Outside,
    /// A code that several regions have.
    #[error("ambiguous; it may mean {}", readings.join(", "))]
    Ambiguous {
        /// The names of the areas it may mean; empty when the code never decides an area.
        readings: Vec<String>,
    },
}

/// What one piece of a `region` text points to.
struct Evidence {
    areas: Vec<AreaId>,
    /// A code that must not decide alone.
    ambiguous: bool,
    /// Its areas when another piece contradicts `areas`: "QI 11" is a neighbourhood of Lago Sul, but "QI 11 Lago Norte"
    /// is not.
    otherwise: Option<Vec<AreaId>>,
}

/// Resolves a `region`: a neighbourhood, a region, a zone, a code or a written address, in any spelling. None of the
/// returned areas lies inside another.
pub fn resolve(vocabulary: &ArchivedVocabularyIndex, text: &str) -> Result<AreaIds, RegionError> {
    let words = Words::new(text);
    let unknown = || match phrases_of(&vocabulary.outside, &words).next().is_some() {
        true => RegionError::Outside,
        false => RegionError::Unknown { nearest: nearest(vocabulary, &words) },
    };
    if let Some(meaning) = vocabulary.phrases.get(words.whole()).filter(|meaning| !meaning.areas.is_empty()) {
        return Ok(ids(&meaning.areas).collect());
    }
    let mut evidence = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match area_piece(vocabulary, &words, at) {
            Some(found) => {
                // "Asa Norte DF", "Lago Sul, Brasília": the whole territory narrows nothing
                let is_everywhere = matches!(&found.piece, Piece::Phrase(meaning) if meaning.everywhere);
                if !is_everywhere || found.taken == words.len() {
                    evidence.push(evidence_of(vocabulary, &words, at, &found.piece));
                }
                at += found.taken;
            }
            None if vocabulary.components.contains_key(words.raw(at)) => {
                // "bloco A", "loja 20": a following letter or number belongs to the component
                at += 1;
                let refines = |at: usize| words.raw(at).len() <= 1 || words.raw(at).parse::<u32>().is_ok();
                at += usize::from(at < words.len() && refines(at));
            }
            None if is_stop_word(words.raw(at)) || (at > 0 && words.raw(at).parse::<u32>().is_ok()) => {
                at += 1
            }
            None => return Err(unknown()),
        }
    }
    combine(vocabulary, evidence).unwrap_or_else(|| Err(unknown()))
}

fn evidence_of(vocabulary: &ArchivedVocabularyIndex, words: &Words, at: usize, piece: &Piece) -> Evidence {
    match piece {
        Piece::Phrase(meaning) => Evidence {
            areas: ids(&meaning.areas).collect(),
            ambiguous: false,
            otherwise: vocabulary
                .codes
                .get(words.raw(at))
                .filter(|code| code.ambiguous)
                .map(|code| ids(&code.areas).collect()),
        },
        Piece::Code(code) => {
            Evidence { areas: ids(&code.areas).collect(), ambiguous: code.ambiguous, otherwise: None }
        }
        Piece::Quadra { wing, .. } => Evidence { areas: vec![*wing], ambiguous: false, otherwise: None },
    }
}

/// The areas that all pieces agree on; `None` when they contradict each other.
fn combine(
    vocabulary: &ArchivedVocabularyIndex,
    mut evidence: Vec<Evidence>,
) -> Option<Result<AreaIds, RegionError>> {
    if evidence.is_empty() {
        return None;
    }
    if evidence.iter().all(|one| one.ambiguous) {
        let mut readings: Vec<String> = Vec::new();
        for area in evidence.iter().flat_map(|one| &one.areas) {
            let name = vocabulary.area(*area).name.to_string();
            if !readings.contains(&name) {
                readings.push(name);
            }
        }
        return Some(Err(RegionError::Ambiguous { readings }));
    }
    // the most certain first, since it narrows the rest
    evidence.sort_by_key(|one| (one.ambiguous, one.otherwise.is_some()));
    let mut areas = vec![EVERYWHERE];
    for one in evidence {
        let common = |with: &[AreaId]| {
            let mut common: Vec<AreaId> = areas
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
            // a code that fits nowhere here is ignored
            None if one.ambiguous || one.otherwise.is_some() => {}
            None => return None,
        }
    }
    Some(Ok(areas.into()))
}

/// Edits beyond which names are equally far.
const FAR: usize = 48;

/// A name that is like another one has at most one other letter in so many.
const LETTERS_OF_A_TYPO: usize = 4;

/// The names of at most three areas that are spelt like the text, the most alike first.
fn nearest(vocabulary: &ArchivedVocabularyIndex, words: &Words) -> Vec<String> {
    let names = vocabulary.areas.iter().skip(1).map(|area| area.name.as_str());
    most_alike(words.folded(), names)
}

/// At most three of the `names` that are like the folded text, the most alike first.
pub(crate) fn most_alike<'a>(folded: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    nearest_names(folded, names).into_iter().take(3).map(str::to_owned).collect()
}

/// Of the `names` those that are like the folded text: first those that begin with it ("Asa": "Asa Norte"), then those
/// that stand in it ("bares na Asa Norte") or have few other letters, the most alike first. Others are no suggestion.
pub(crate) fn nearest_names<'a>(folded: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let padded = format!(" {folded} ");
    let mut ranked: Vec<(bool, usize, &str)> = names
        .filter_map(|name| {
            let other = fold(name);
            let shared = folded.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count();
            let edits = distance(folded, &other, FAR).unwrap_or(FAR);
            let begins = other.strip_prefix(folded).is_some_and(|rest| rest.starts_with(' '));
            let is_within = || !other.is_empty() && padded.contains(&format!(" {other} "));
            let is_alike = edits <= folded.len().max(other.len()) / LETTERS_OF_A_TYPO;
            let is_like = begins || !folded.is_empty() && (is_alike || is_within());
            is_like.then_some((!begins, 2 * edits + 4 - shared.min(4), name))
        })
        .collect();
    ranked.sort_unstable();
    ranked.dedup_by(|left, right| left.2 == right.2);
    ranked.into_iter().map(|(.., name)| name).collect()
}
