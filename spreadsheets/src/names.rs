//! Categories and areas by any of their names: labels and synonyms in three languages, accents ignored, near spellings.

use std::collections::{HashMap, HashSet};

use snapshots::terms::key;
use snapshots::vocabulary::{Category, CategoryKind, Geography, Parts, Taxonomy};

use crate::columns::SheetKind;
use crate::text::{fold, near_limit};

/// What a name was found to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameMatch<T> {
    /// One thing, by one of its names.
    Exactly(T),
    /// One thing, by a near or wrong spelling.
    Nearly(T),
    /// Several.
    Ambiguous(Vec<T>),
    /// Nothing.
    Nothing,
}

/// How good a name is: of several things with one name, the one whose better name it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Name,
    Label,
    Synonym,
    Misspelling,
}

/// Things by their names.
#[derive(Debug)]
struct Lookup<T> {
    exact: HashMap<String, Vec<(Rank, T)>>,
    near: Vec<(String, T)>,
    /// All names as they are spelt.
    spelt: HashSet<String>,
    /// Worse names than these are not guessed from a near spelling.
    guessed: Rank,
}

impl<T: Clone + PartialEq> Lookup<T> {
    fn new(guessed: Rank) -> Self {
        Self { exact: HashMap::new(), near: Vec::new(), spelt: HashSet::new(), guessed }
    }

    fn add(&mut self, name: &str, rank: Rank, thing: &T) {
        let entries = self.exact.entry(name_key(name)).or_default();
        if !entries.iter().any(|(_, known)| known == thing) {
            entries.push((rank, thing.clone()));
        }
        self.spelt.insert(fold(name));
        if rank <= self.guessed {
            self.near.push((fold(name), thing.clone()));
        }
    }

    /// The things of an exact name.
    fn all(&self, name: &str) -> &[(Rank, T)] {
        self.exact.get(&name_key(name)).map_or(&[], Vec::as_slice)
    }

    /// How good an exact name is, among the things that fit.
    fn rank(&self, name: &str, fits: impl Fn(&T) -> bool) -> Option<Rank> {
        self.all(name).iter().filter(|(_, thing)| fits(thing)).map(|(rank, _)| *rank).min()
    }

    /// What an exact name means, among the things that fit.
    fn exact(&self, name: &str, fits: impl Fn(&T) -> bool) -> NameMatch<T> {
        let fitting = || self.all(name).iter().filter(|(_, thing)| fits(thing));
        let Some(best) = self.rank(name, &fits) else { return NameMatch::Nothing };
        let things: Vec<T> =
            fitting().filter(|(rank, _)| *rank == best).map(|(_, thing)| thing.clone()).collect();
        match (&*things, best) {
            ([thing], Rank::Misspelling) => NameMatch::Nearly(thing.clone()),
            // "férias" has the stem of "feria"
            ([thing], Rank::Synonym) if !self.spelt.contains(&fold(name)) => NameMatch::Nearly(thing.clone()),
            ([thing], _) => NameMatch::Exactly(thing.clone()),
            _ => NameMatch::Ambiguous(things),
        }
    }

    /// What a name or a near spelling of one means, among the things that fit.
    fn find(&self, name: &str, fits: impl Fn(&T) -> bool + Copy) -> NameMatch<T> {
        let exact = self.exact(name, fits);
        if exact != NameMatch::Nothing {
            return exact;
        }
        let near = self.nearest(name, near_limit(&fold(name)), fits);
        match &*near {
            [] => NameMatch::Nothing,
            [thing] => NameMatch::Nearly(thing.clone()),
            _ => NameMatch::Ambiguous(near),
        }
    }

    /// The things with the nearest spelling, at most so many letters off. Nobody mistypes the first letter: "férias" is
    /// not "cervejarias".
    fn nearest(&self, name: &str, limit: usize, fits: impl Fn(&T) -> bool) -> Vec<T> {
        let name = fold(name);
        let first = name.chars().next();
        let spellings = self.near.iter().filter(|(spelling, thing)| {
            // the edit distance is quadratic
            spelling.chars().next() == first
                && spelling.len().abs_diff(name.len()) <= 2 * limit
                && fits(thing)
        });
        let mut best = (limit + 1, Vec::new());
        for (spelling, thing) in spellings {
            let distance = strsim::osa_distance(&name, spelling);
            if distance < best.0 {
                best = (distance, vec![thing.clone()]);
            } else if distance == best.0 && distance <= limit && !best.1.contains(thing) {
                best.1.push(thing.clone());
            }
        }
        best.1
    }
}

/// The form in which names are compared; a name of nothing but connecting words keeps them.
pub(crate) fn name_key(name: &str) -> String {
    let short = key(name);
    if short.is_empty() { fold(name) } else { short }
}

/// The categories of a vocabulary.
#[derive(Debug)]
pub(crate) struct Categories {
    lookup: Lookup<String>,
    kinds: HashMap<String, CategoryKind>,
    labels: HashMap<String, String>,
}

impl Categories {
    pub(crate) fn new(taxonomy: &Taxonomy) -> Self {
        // a synonym is too often one letter from another word: "mesa" and "missa"
        let mut lookup = Lookup::new(Rank::Label);
        for category in &taxonomy.categories {
            let Category { slug, pt, en, es, synonyms_pt, synonyms_en, synonyms_es, misspellings, .. } =
                category;
            lookup.add(slug, Rank::Name, slug);
            [pt, en].into_iter().chain(es).for_each(|label| lookup.add(label, Rank::Label, slug));
            let synonyms = synonyms_pt.iter().chain(synonyms_en).chain(synonyms_es);
            synonyms.for_each(|word| lookup.add(word, Rank::Synonym, slug));
            misspellings.iter().for_each(|word| lookup.add(word, Rank::Misspelling, slug));
        }
        for shared in &taxonomy.shared_terms {
            shared.slugs.iter().for_each(|slug| lookup.add(&shared.term, Rank::Synonym, slug));
        }
        let all = &taxonomy.categories;
        Self {
            lookup,
            kinds: all.iter().map(|category| (category.slug.clone(), category.kind)).collect(),
            labels: all.iter().map(|category| (category.slug.clone(), category.pt.clone())).collect(),
        }
    }

    /// The slug of the category that a name means, for records of a kind.
    pub(crate) fn find(&self, name: &str, kind: SheetKind) -> NameMatch<String> {
        let fits = |slug: &String| self.fits(slug, kind);
        // "concerto" of the other sheet is not meant as "convento", nor "Restaurante", a label, as what has it as a
        // synonym
        let is_label = |rank: Option<Rank>| rank.is_some_and(|rank| rank <= Rank::Label);
        let is_of_other = match self.lookup.exact(name, |_| true) {
            NameMatch::Exactly(_) | NameMatch::Ambiguous(_) => {
                let fitting = self.lookup.rank(name, fits);
                fitting.is_none() || is_label(self.lookup.rank(name, |_| true)) && !is_label(fitting)
            }
            _ => false,
        };
        if is_of_other { NameMatch::Nothing } else { self.lookup.find(name, fits) }
    }

    /// Whether records of a kind may have a category.
    fn fits(&self, slug: &str, kind: SheetKind) -> bool {
        let wanted = match kind {
            SheetKind::Places => CategoryKind::Place,
            SheetKind::Events => CategoryKind::Event,
        };
        self.kinds.get(slug).is_some_and(|kind| *kind == wanted || *kind == CategoryKind::Both)
    }

    /// The label that may be meant by a name which means nothing.
    pub(crate) fn suggestion(&self, name: &str, kind: SheetKind) -> Option<&str> {
        let limit = name.chars().count() / 3;
        let near = self.lookup.nearest(name, limit, |slug| self.fits(slug, kind));
        if let [slug] = &*near { self.labels.get(slug).map(String::as_str) } else { None }
    }

    /// Whether a name means a category that records of the kind may not have.
    pub(crate) fn is_of_other_kind(&self, name: &str) -> bool {
        self.lookup.exact(name, |_| true) != NameMatch::Nothing
    }

    /// The Portuguese label of a slug.
    pub(crate) fn label<'a>(&'a self, slug: &'a str) -> &'a str {
        self.labels.get(slug).map_or(slug, String::as_str)
    }
}

/// A region, or a neighbourhood with its region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) region: String,
    pub(crate) neighbourhood: Option<String>,
}

impl Area {
    /// The name of the smaller of the two.
    pub(crate) fn name(&self) -> &str {
        self.neighbourhood.as_deref().unwrap_or(&self.region)
    }
}

/// The areas of a vocabulary.
#[derive(Debug)]
pub(crate) struct Areas {
    lookup: Lookup<Area>,
    /// Neighbourhoods by a region and the rest of their name without that of the region: "Setor Central (Gama)".
    within: HashMap<(String, String), Vec<Area>>,
    parts: Parts,
    everywhere: Vec<String>,
}

impl Areas {
    pub(crate) fn new(geography: &Geography) -> Self {
        let (mut lookup, mut within) = (Lookup::new(Rank::Synonym), HashMap::<_, Vec<Area>>::new());
        for region in &geography.regions {
            let area = Area { region: region.name.clone(), neighbourhood: None };
            lookup.add(&region.name, Rank::Name, &area);
            region.aliases.iter().for_each(|alias| lookup.add(alias, Rank::Synonym, &area));
            for part in &region.neighbourhoods {
                let area = Area { neighbourhood: Some(part.name.clone()), ..area.clone() };
                lookup.add(&part.name, Rank::Name, &area);
                part.aliases.iter().for_each(|alias| lookup.add(alias, Rank::Synonym, &area));
                let names = std::iter::once(&part.name).chain(&part.aliases);
                for rest in names.filter_map(|name| without_region(name, &region.name)) {
                    let known = within.entry((region.name.clone(), rest)).or_default();
                    if !known.contains(&area) {
                        known.push(area.clone());
                    }
                }
            }
        }
        Self {
            lookup,
            within,
            parts: geography.parts(),
            everywhere: geography.everywhere.iter().map(|word| name_key(word)).collect(),
        }
    }

    /// The region that a name means, else the neighbourhood.
    pub(crate) fn region(&self, name: &str) -> NameMatch<Area> {
        self.either(name, |area| area.neighbourhood.is_none())
    }

    /// The neighbourhood that a name means, else the region. Of several, the one in the given region.
    pub(crate) fn neighbourhood(&self, name: &str, region: Option<&str>) -> NameMatch<Area> {
        if let Some(region) = region {
            let within = |area: &Area| area.region == region && area.neighbourhood.is_some();
            let found = self.lookup.exact(name, within);
            if found != NameMatch::Nothing {
                return found;
            }
            match self.within.get(&(region.to_owned(), name_key(name))).map(Vec::as_slice) {
                Some([area]) => return NameMatch::Exactly(area.clone()),
                Some(several) => return NameMatch::Ambiguous(several.to_vec()),
                None => {}
            }
        }
        self.either(name, |area| area.neighbourhood.is_some())
    }

    /// An exact name among the wanted, an exact name among all, a near spelling, or parts: "Asa Norte, Brasília/DF".
    fn either(&self, name: &str, wanted: impl Fn(&Area) -> bool + Copy) -> NameMatch<Area> {
        for found in [self.lookup.exact(name, wanted), self.lookup.exact(name, |_| true)] {
            if found != NameMatch::Nothing {
                return found;
            }
        }
        let parts: Vec<&str> = parts(name).filter(|part| !self.is_everywhere(part)).collect();
        if parts.iter().any(|part| *part != name.trim()) {
            let mut found: Vec<Area> = Vec::new();
            for part in &parts {
                match self.lookup.exact(part, |_| true) {
                    NameMatch::Exactly(area) | NameMatch::Nearly(area) => found.push(area),
                    _ => return self.lookup.find(name, |_| true),
                }
            }
            // the neighbourhood, when the others are the region around it
            let part = found.iter().find(|area| area.neighbourhood.is_some()).or(found.first()).cloned();
            if let Some(part) = part
                && found
                    .iter()
                    .all(|area| area.region == part.region && (area.neighbourhood.is_none() || *area == part))
            {
                return NameMatch::Nearly(part);
            }
        }
        let found = self.lookup.find(name, wanted);
        if found == NameMatch::Nothing { self.lookup.find(name, |_| true) } else { found }
    }

    /// Whether one area is the other, or one is a part of the other: "W3 Sul" of "Asa Sul", or of the whole region.
    pub(crate) fn overlap(&self, one: &Area, other: &Area) -> bool {
        one.region == other.region
            && self.parts.overlap(one.neighbourhood.as_deref(), other.neighbourhood.as_deref())
    }

    /// Whether a name means the whole territory, and no region: "DF", "Brasília - DF".
    pub(crate) fn is_everywhere(&self, name: &str) -> bool {
        let is_one = |name: &str| {
            let key = name_key(name);
            self.everywhere.contains(&key) || key == "brasil"
        };
        is_one(name) || parts(name).next().is_some() && parts(name).all(is_one)
    }

    /// The region that is also called like the whole territory: "Brasília".
    pub(crate) fn middle(&self, name: &str) -> Option<Area> {
        parts(name).find_map(|part| match self.lookup.exact(part, |area| area.neighbourhood.is_none()) {
            NameMatch::Exactly(area) => Some(area),
            _ => None,
        })
    }
}

/// What is left of the name of a neighbourhood without that of its region, by [`name_key`]: "setor central" of "Setor
/// Central (Gama)". Nothing when it is not in the name, or is all of it.
fn without_region(name: &str, region: &str) -> Option<String> {
    let (name, region) = (name_key(name), name_key(region));
    let (words, of_region): (Vec<&str>, Vec<&str>) = (name.split(' ').collect(), region.split(' ').collect());
    let at = words.windows(of_region.len()).position(|part| part == of_region)?;
    let rest: Vec<&str> = words[..at].iter().chain(&words[at + of_region.len()..]).copied().collect();
    (!rest.is_empty()).then(|| rest.join(" "))
}

/// The parts of a name: "Asa Norte, Brasília/DF".
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split([',', '/', '-', '–', '(', ')', ';']).map(str::trim).filter(|part| !part.is_empty())
}
