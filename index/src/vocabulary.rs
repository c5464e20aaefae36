//! The region and category maps of a guide, archived with rkyv: built once, validated once, then read in place.
//!
//! Areas and categories are trees laid out in preorder, so that a node and all it contains are one run of
//! numbers and containment is two comparisons. Node 0 of the areas is the whole Federal District. Everything
//! is keyed by folded words, so that a look-up allocates nothing.

use std::collections::HashMap;

use rkyv::{Archive, Serialize, rancor, util::AlignedVec};
use smallvec::SmallVec;

/// Number of an area: its place in preorder.
pub type AreaId = u16;

/// Number of a category: its place in preorder.
pub type CategoryId = u16;

/// A few areas.
pub type AreaIds = SmallVec<[AreaId; 4]>;

/// A few categories.
pub type CategoryIds = SmallVec<[CategoryId; 4]>;

/// The former name of both ids.
pub type Node = u16;

/// A few nodes: what a phrase names, what a filter asks for.
pub type Nodes = SmallVec<[Node; 4]>;

/// The whole Federal District.
pub const EVERYWHERE: Node = 0;

/// All maps of one guide, before they are archived.
#[derive(Default, Archive, Serialize)]
pub struct VocabularyIndex {
    /// In preorder: the Federal District, its zones, their regions, their neighbourhoods.
    pub areas: Vec<Area>,
    /// In preorder; roots have no parent.
    pub categories: Vec<Category>,
    /// What a phrase of stems means, connectors left out: "feira guara".
    pub phrases: HashMap<String, Meaning>,
    /// What a single stem takes part in.
    pub words: HashMap<String, Word>,
    /// The keys of `words`, sorted, to find those that begin with a prefix.
    pub sorted_words: Vec<String>,
    /// The words that others are corrected to: all as they are written, then all as they sound; of those the ones that
    /// begin alike lie together, the shorter before the longer.
    pub right_words: Vec<RightWord>,
    /// Address codes by their folded, unstemmed words: "scln", "sce sul".
    pub codes: HashMap<String, Code>,
    /// Words that name a wing after a three-digit quadra.
    pub wings: HashMap<String, Node>,
    /// Words that refine an address and name nothing, such as "bloco".
    pub components: HashMap<String, ()>,
}

/// An area: the District, a zone, a region or a neighbourhood.
#[derive(Archive, Serialize)]
pub struct Area {
    /// Stable name; `df` for the District.
    pub slug: String,
    /// Name as records carry it.
    pub name: String,
    /// What it is.
    pub kind: AreaKind,
    /// The area that contains it; the District contains itself.
    pub parent: Node,
    /// First number after its last descendant.
    pub end: Node,
    /// `{"slug":..,"name":..,"kind":..}`, for answers.
    pub json: String,
}

/// Levels of the tree of areas.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[rkyv(derive(Debug, PartialEq, Clone, Copy))]
pub enum AreaKind {
    /// The whole Federal District.
    District,
    /// Centro, Lagos, Oeste, Norte, Sul, Leste.
    Zone,
    /// One of the administrative regions.
    Region,
    /// A neighbourhood, or a part of one.
    Neighbourhood,
}

/// A category.
#[derive(Archive, Serialize)]
pub struct Category {
    /// Stable name, as records carry it.
    pub slug: String,
    /// Portuguese label.
    pub pt: String,
    /// English label.
    pub en: String,
    /// The category that contains it; itself for a root.
    pub parent: Node,
    /// First number after its last descendant.
    pub end: Node,
    /// `{"slug":..,"pt":..,"en":..}`, for answers.
    pub json: String,
}

/// What a phrase means.
#[derive(Default, Archive, Serialize)]
pub struct Meaning {
    /// The areas it names, the most specific ones only.
    pub areas: Vec<Node>,
    /// The categories that a filter of this phrase means: the one whose slug it is, else those whose label it is, else
    /// each that has the term.
    pub filter: Vec<Node>,
    /// The categories that a free question with this phrase means: the most specific of those, and those that
    /// the taxonomy calls near.
    pub asked: Vec<Node>,
    /// Whether a record whose own text has the phrase may be no member of what it names: true for misspellings, and for
    /// words of addresses.
    pub literal: bool,
    /// Names the whole territory, so that it narrows no free question.
    pub everywhere: bool,
}

/// What a single stem takes part in.
#[derive(Default, Archive, Serialize)]
pub struct Word {
    /// The word as the vocabulary spells it.
    pub spelling: String,
    /// Stems in the longest phrase that begins with it; 0 when none does.
    pub longest: u8,
    /// Areas with the word in a name, the least specific ones only.
    pub areas: Vec<Node>,
    /// Categories with the word in a term, the least specific ones only.
    pub categories: Vec<Node>,
}

/// A word that is more than a misspelling: what others are corrected to.
#[derive(Archive, Serialize)]
pub struct RightWord {
    /// Whether `text` is how it sounds, and not how it is written.
    pub heard: bool,
    /// What a word is compared with.
    pub text: String,
    /// Its stem.
    pub stem: String,
}

/// What an address code says.
#[derive(Default, Archive, Serialize)]
pub struct Code {
    /// The areas it lies in.
    pub areas: Vec<Node>,
    /// Whether it must not decide an area alone; then `areas` are what it may mean.
    pub ambiguous: bool,
}

/// The archived bytes of [`VocabularyIndex`]. Interpretation them is a cast: they were validated when this was made.
pub struct VocabularyArchive {
    bytes: AlignedVec,
}

/// The maps as they are read: in place, from the archive.

impl VocabularyArchive {
    /// Archives the maps and validates what was written.
    pub fn new(maps: &VocabularyIndex) -> Result<Self, rancor::Error> {
        let bytes = rkyv::to_bytes::<rancor::Error>(maps)?;
        rkyv::access::<ArchivedVocabularyIndex, rancor::Error>(&bytes)?;
        Ok(Self { bytes })
    }

    /// The maps, in place.
    #[inline]
    pub fn vocabulary(&self) -> &ArchivedVocabularyIndex {
        // SAFETY: `new` validated exactly these bytes as `ArchivedVocabularyIndex`, they are never written to afterwards,
        // and `AlignedVec` keeps their alignment wherever this value moves.
        unsafe { rkyv::access_unchecked::<ArchivedVocabularyIndex>(&self.bytes) }
    }
}

impl ArchivedVocabularyIndex {
    /// All areas with their ids.
    pub fn areas_by_id(&self) -> impl Iterator<Item = (AreaId, &ArchivedArea)> {
        (0..).zip(self.areas.iter())
    }

    /// The area with this slug; of several, the first in preorder.
    pub fn area_with_slug(&self, slug: &str) -> Option<AreaId> {
        self.areas_by_id().find(|(_, area)| area.slug == slug).map(|(id, _)| id)
    }

    /// All categories with their ids.
    pub fn categories_by_id(&self) -> impl Iterator<Item = (CategoryId, &ArchivedCategory)> {
        (0..).zip(self.categories.iter())
    }

    /// The run of area numbers that `node` contains, itself included.
    #[inline]
    pub fn area_run(&self, node: Node) -> std::ops::Range<Node> {
        node..self.areas[usize::from(node)].end.to_native()
    }

    /// The run of category numbers that `node` contains, itself included.
    #[inline]
    pub fn category_run(&self, node: Node) -> std::ops::Range<Node> {
        node..self.categories[usize::from(node)].end.to_native()
    }

    /// The part of both areas: the deeper one when one contains the other, else nothing.
    pub fn common_area(&self, left: Node, right: Node) -> Option<Node> {
        if self.area_run(left).contains(&right) {
            Some(right)
        } else if self.area_run(right).contains(&left) {
            Some(left)
        } else {
            None
        }
    }
}
