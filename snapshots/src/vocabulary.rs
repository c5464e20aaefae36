//! The vocabulary of a snapshot: regions and their neighbourhoods, address codes, categories, synonyms. It is data: no
//! code knows a region or category. Containment is a tree: the Federal District, zones, regions, neighbourhoods, parts
//! of those.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// The regions, address codes, categories and synonyms of a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// `regions.json`.
    pub geography: Geography,
    /// `address_codes.json`.
    pub addresses: Addresses,
    /// `categories.json`.
    pub taxonomy: Taxonomy,
    /// `synonyms.json`. Omitted when empty, so that snapshots without the file keep their digest.
    #[serde(default, skip_serializing_if = "Synonyms::is_empty")]
    pub synonyms: Synonyms,
}

impl Vocabulary {
    /// Whether a zone, a region or a neighbourhood has this slug.
    pub fn has_area(&self, slug: &str) -> bool {
        let Geography { zones, regions, .. } = &self.geography;
        zones.iter().any(|zone| zone.slug == slug)
            || regions.iter().any(|region| {
                region.slug == slug || region.neighbourhoods.iter().any(|part| part.slug == slug)
            })
    }
}

/// `regions.json`: the zones and the regions with their neighbourhoods.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Geography {
    /// Words for the whole territory ("df", "brasilia"). In `q` they narrow nothing. As `region`, one that is also an
    /// alias of a region means that region.
    #[serde(default)]
    pub everywhere: Vec<String>,
    /// Names of towns outside the territory, which people ask for and the guide does not cover. Omitted when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// The zones, each a group of regions.
    pub zones: Vec<Zone>,
    /// The administrative regions.
    pub regions: Vec<Region>,
}

impl Geography {
    /// Which neighbourhoods are parts of others.
    pub fn parts(&self) -> Parts {
        let neighbourhoods = self.regions.iter().flat_map(|region| &region.neighbourhoods);
        let wholes = neighbourhoods.filter_map(|part| Some((part.name.clone(), part.part_of.clone()?)));
        Parts { wholes: wholes.collect() }
    }
}

/// Which neighbourhoods are parts of others.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// The neighbourhood that contains one, by its name.
    wholes: HashMap<String, String>,
}

impl Parts {
    /// Whether two places of one region may be the same: their neighbourhoods, by name, are one or a part of the other
    /// ("W3 Sul" of "Asa Sul"), or one is not said.
    pub fn overlap(&self, one: Option<&str>, other: Option<&str>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => self.is_in(one, other) || self.is_in(other, one),
            _ => true,
        }
    }

    fn is_in(&self, part: &str, whole: &str) -> bool {
        let names = std::iter::successors(Some(part), |name| self.wholes.get(*name).map(String::as_str));
        // no chain of parts is longer, unless it goes in a circle
        names.take(self.wholes.len() + 1).any(|name| name == whole)
    }
}

/// A zone: Centro, Lagos, Oeste, Norte, Sul, Leste.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Stable name in lower-case letters, digits and hyphens.
    pub slug: String,
    /// Name in Portuguese.
    pub name: String,
    /// Name in English.
    pub name_en: String,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<String>,
}

/// An administrative region of the Federal District.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Stable name in lower-case letters, digits and hyphens.
    pub slug: String,
    /// The name that records carry.
    pub name: String,
    /// Name of its zone.
    pub zone: String,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Its neighbourhoods.
    #[serde(default)]
    pub neighbourhoods: Vec<Neighbourhood>,
}

/// A neighbourhood, sector or locality of a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Neighbourhood {
    /// Stable name in lower-case letters, digits and hyphens; unique in the snapshot.
    pub slug: String,
    /// The name that records carry; unique in the snapshot.
    pub name: String,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Name of the neighbourhood of the same region that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
}

/// `address_codes.json`: how addresses are written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Addresses {
    /// Codes such as SQN or SHIS.
    pub codes: Vec<Code>,
    /// Words that follow a three-digit quadra and name its wing: "408 norte", "408n".
    #[serde(default)]
    pub wings: Vec<Wing>,
    /// Addresses that no code covers: streets, roads, landmarks, single blocks.
    #[serde(default)]
    pub written: Vec<Written>,
    /// Words that refine an address and name no area: bloco, loja, conjunto.
    #[serde(default)]
    pub components: Vec<String>,
}

impl Addresses {
    /// The codes that decide a region, each under all its spellings in capitals, with the region.
    pub fn deciding(&self) -> impl Iterator<Item = (String, &Code, &str)> {
        let deciding = self.codes.iter().filter(|code| !code.ambiguous);
        deciding.filter_map(|code| Some((code, code.region.as_deref()?))).flat_map(|(code, region)| {
            let names = std::iter::once(&code.code).chain(&code.variants);
            names.map(move |name| (name.to_uppercase(), code, region))
        })
    }

    /// The word that an address begins with, which may be a code: "CLN" of "CLN 408".
    pub fn first_word(address: &str) -> Option<&str> {
        address.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())
    }
}

/// An address code and its area.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// The code, in capitals.
    pub code: String,
    /// Other spellings of the same code.
    #[serde(default)]
    pub variants: Vec<String>,
    /// Names of its neighbourhoods; empty when only the region is known.
    #[serde(default)]
    pub neighbourhoods: Vec<String>,
    /// Name of its region; absent for ambiguous codes and for roads through many regions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Whether the code alone must not decide a region.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ambiguous: bool,
    /// Names of the regions and neighbourhoods that an ambiguous code may mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<String>,
}

/// The words that name a wing after a three-digit quadra.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wing {
    /// "norte", "n".
    pub words: Vec<String>,
    /// Name of the neighbourhood.
    pub neighbourhood: String,
}

/// An address and its area.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// The address as written.
    pub text: String,
    /// Name of the neighbourhood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbourhood: Option<String>,
    /// Name of the region.
    pub region: String,
}

/// `categories.json`: the tree of categories and their terms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taxonomy {
    /// All categories.
    pub categories: Vec<Category>,
    /// Terms that mean several categories.
    #[serde(default)]
    pub shared_terms: Vec<SharedTerm>,
}

/// A category and its terms in Portuguese, English and, where the curator gives them, Spanish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Stable name in lower-case letters, digits and hyphens; used by records.
    pub slug: String,
    /// Portuguese label.
    pub pt: String,
    /// English label.
    pub en: String,
    /// Spanish label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub es: Option<String>,
    /// Which records may carry it.
    pub kind: CategoryKind,
    /// Slug of the category that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Portuguese synonyms.
    #[serde(default)]
    pub synonyms_pt: Vec<String>,
    /// English synonyms.
    #[serde(default)]
    pub synonyms_en: Vec<String>,
    /// Spanish synonyms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms_es: Vec<String>,
    /// Common misspellings in any of the languages.
    #[serde(default)]
    pub misspellings: Vec<String>,
    /// Slugs of categories that free text with this one's terms also matches ("boteco" also finds bars). A filter on
    /// the category stays strict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// Words and short phrases of any language that suggest it where a question names no category: "pandeiro" suggests
    /// samba. A word may suggest several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggested_by: Vec<String>,
}

/// Which records may have a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CategoryKind {
    /// Events only.
    Event,
    /// Places only.
    Place,
    /// Either.
    Both,
}

/// A term of several categories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedTerm {
    /// The term.
    pub term: String,
    /// The slugs of the categories.
    pub slugs: Vec<String>,
}

/// `synonyms.json`: words that mean the same for searching.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synonyms {
    /// Groups of words and short phrases ("ponte", "bridge", "puente"). No word is in two groups, none names an area,
    /// and no group holds terms of unrelated categories.
    pub groups: Vec<Vec<String>>,
}

impl Synonyms {
    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}
