//! The words a snapshot is described with: regions and their neighbourhoods, address codes, categories.
//!
//! A new region or category is a new snapshot and no code. Containment is a tree: the Federal District, its
//! zones, their regions, their neighbourhoods, and neighbourhoods that are part of another. Uses serde only.

use serde::{Deserialize, Serialize};

/// Everything a snapshot says about places and kinds of things.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// `regions.json`.
    pub geography: Geography,
    /// `address_codes.json`.
    pub addresses: Addresses,
    /// `categories.json`.
    pub taxonomy: Taxonomy,
}

/// `regions.json`: the zones and the regions with their neighbourhoods.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Geography {
    /// Folded words for the whole of the guide's territory ("df", "brasilia"): as `q` they narrow nothing.
    /// As `region`, one that is also a region's alias means that region, another means everywhere.
    #[serde(default)]
    pub everywhere: Vec<String>,
    /// The zones, each a group of regions.
    pub zones: Vec<Zone>,
    /// The administrative regions.
    pub regions: Vec<Region>,
}

/// A zone: Centro, Lagos, Oeste, Norte, Sul, Leste.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Its stable name in lower-case letters, digits and hyphens.
    pub slug: String,
    /// Its name in Portuguese.
    pub name: String,
    /// Its name in English.
    pub name_en: String,
    /// Other names people use.
    #[serde(default)]
    pub aliases: Vec<String>,
}

/// An administrative region of the Federal District.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Its stable name in lower-case letters, digits and hyphens.
    pub slug: String,
    /// The name that records carry.
    pub name: String,
    /// Name of its zone.
    pub zone: String,
    /// Other names people use.
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
    /// Its stable name in lower-case letters, digits and hyphens; unique in the snapshot.
    pub slug: String,
    /// The name that records carry; unique in the snapshot.
    pub name: String,
    /// Other names people use.
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
    /// Written forms that no rule covers: streets, roads, landmarks, one numbered block.
    #[serde(default)]
    pub written: Vec<Written>,
    /// Words that only refine an address and never name a region: bloco, loja, conjunto.
    #[serde(default)]
    pub components: Vec<String>,
}

/// An address code and the area it lies in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// The code, in capitals.
    pub code: String,
    /// Other spellings of the same code.
    #[serde(default)]
    pub variants: Vec<String>,
    /// Names of the neighbourhoods it lies in; none when only the region is known.
    #[serde(default)]
    pub neighbourhoods: Vec<String>,
    /// Name of the region it lies in; none for an ambiguous code and for roads through many regions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// True when the code alone must not decide a region.
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

/// A written form and what it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// As people write it.
    pub text: String,
    /// Name of the neighbourhood meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbourhood: Option<String>,
    /// Name of the region meant.
    pub region: String,
}

/// `categories.json`: the tree of categories and the words for them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taxonomy {
    /// All categories.
    pub categories: Vec<Category>,
    /// Words that mean several categories at once.
    #[serde(default)]
    pub shared_terms: Vec<SharedTerm>,
}

/// A category and its words in both languages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Its stable name in lower-case letters, digits and hyphens; what records carry.
    pub slug: String,
    /// Portuguese label.
    pub pt: String,
    /// English label.
    pub en: String,
    /// Which records may carry it.
    pub kind: Kind,
    /// Slug of the category that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Portuguese words for it.
    #[serde(default)]
    pub synonyms_pt: Vec<String>,
    /// English words for it.
    #[serde(default)]
    pub synonyms_en: Vec<String>,
    /// Usual misspellings in either language.
    #[serde(default)]
    pub misspellings: Vec<String>,
    /// Slugs of categories that a free question with this one's words also means ("boteco" also asks for
    /// bars). A filter on the category itself stays strict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

/// Which records a category is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Events only.
    Event,
    /// Places only.
    Place,
    /// Either.
    Both,
}

/// A word that several categories share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedTerm {
    /// The word.
    pub term: String,
    /// The categories it means.
    pub slugs: Vec<String>,
}
