//! The regions and categories of a guide, archived with rkyv: built once, validated once, then read in place.
//!
//! Areas and categories are trees numbered in preorder, so that a node and its descendants are one range of ids and
//! containment is two comparisons. Every map is keyed by folded words, so that a lookup allocates nothing.

pub mod categories;
pub(crate) mod node_ids;
pub mod regions;
pub(crate) mod synonyms;
pub mod words;

use std::collections::HashMap;
use std::iter;
use std::ops::Range;

use rkyv::{Archive, Serialize, rancor, util::AlignedVec};
use smallvec::SmallVec;

use crate::vocabulary::node_ids::{AreaId, CategoryId};

/// A few areas.
pub type AreaIds = SmallVec<[AreaId; 4]>;

/// A few categories.
pub type CategoryIds = SmallVec<[CategoryId; 4]>;

/// Superquadras, each with its wing.
pub type Quadras = SmallVec<[(AreaId, u16); 2]>;

/// The whole Federal District.
pub const EVERYWHERE: AreaId = AreaId::ROOT;

/// Everything that names an area or a category, before it is archived.
#[derive(Default, Archive, Serialize)]
pub struct VocabularyIndex {
    /// In preorder: the Federal District, its zones, their regions, their neighbourhoods.
    pub areas: Vec<Area>,
    /// In preorder; a root is its own parent.
    pub categories: Vec<Category>,
    /// What a phrase of stems means, without connectors: "feira guara".
    pub phrases: HashMap<String, Meaning>,
    /// The phrases that a single stem is part of.
    pub words: HashMap<String, Word>,
    /// The keys of `words`, sorted for prefix search.
    pub sorted_words: Vec<String>,
    /// What misspelt words are corrected to, sorted by (phonetic, first byte, length of `text`).
    pub correction_targets: Vec<CorrectionTarget>,
    /// Address codes by their folded, unstemmed words: "scln", "sce sul".
    pub codes: HashMap<String, Code>,
    /// The first word of each code. Most words begin none, so that one look is enough.
    pub code_heads: HashMap<String, ()>,
    /// Words that name a wing after a three-digit quadra: "norte" in "408 norte".
    pub wings: HashMap<String, AreaId>,
    /// Words that refine an address and name no area, such as "bloco".
    pub components: HashMap<String, ()>,
    /// Groups of synonyms by the phrases of stems in them.
    pub synonyms: PhraseTable<u32>,
    /// How many groups there are.
    pub groups: u32,
    /// The categories that phrases of stems suggest where a question names none.
    pub suggestions: PhraseTable<Vec<CategoryId>>,
    /// Phrases of stems for what the guide does not list.
    pub not_listed: PhraseTable<()>,
    /// Phrases of stems for towns outside the territory.
    pub outside: PhraseTable<()>,
}

/// Phrases of stems that are looked for at every word of a text.
#[derive(Archive, Serialize)]
pub struct PhraseTable<V> {
    /// What each phrase means.
    pub phrases: HashMap<String, V>,
    /// How many words the longest phrase has that begins with a stem. Most words begin none, so that one look is
    /// enough.
    pub longest: HashMap<String, u8>,
}

impl<V> Default for PhraseTable<V> {
    fn default() -> Self {
        Self { phrases: HashMap::new(), longest: HashMap::new() }
    }
}

/// An area: the District, a zone, a region or a neighbourhood.
#[derive(Archive, Serialize)]
pub struct Area {
    /// Stable name; `df` for the District.
    pub slug: String,
    /// The name that records carry.
    pub name: String,
    /// Its level in the tree.
    pub kind: AreaKind,
    /// The area that contains it; the District contains itself.
    pub parent: AreaId,
    /// The first id after its last descendant.
    pub end: AreaId,
    /// Whether it is a wing, whose addresses are numbered superquadras.
    pub is_wing: bool,
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
    pub parent: CategoryId,
    /// The first id after its last descendant.
    pub end: CategoryId,
}

/// What a phrase means.
#[derive(Default, Archive, Serialize)]
pub struct Meaning {
    /// The areas it names, the most specific ones only.
    pub areas: Vec<AreaId>,
    /// The categories that a `category` filter means by it: the one with this slug, else those with this label, else
    /// all that have the term.
    pub filter_categories: Vec<CategoryId>,
    /// The categories that free text means by it: the most specific of those, and those listed as near them.
    pub text_categories: Vec<CategoryId>,
    /// Whether records are also matched by the literal word: true for misspellings and words of addresses, whose
    /// presence in a record does not make it a member of the category.
    pub literal: bool,
    /// Whether it is the slug or a label of a category, which says what a record is wherever its text has it.
    pub label: bool,
    /// Whether it is a usual misspelling of a term of its categories.
    pub misspelt: bool,
    /// Names the whole territory, so that it narrows no query.
    pub everywhere: bool,
    /// Whether it is one word, a plural, in every name of its areas: "Águas" is one, "água" is not.
    pub plural: bool,
    /// Whether it is what addresses call a street of which only the region is known, as "Eixão" is.
    pub street: bool,
}

impl ArchivedMeaning {
    /// Whether it says nothing but that: it is no term of a category.
    pub(crate) fn is_street(&self) -> bool {
        self.street && self.text_categories.is_empty()
    }
}

/// The phrases that a single stem is part of.
#[derive(Default, Archive, Serialize)]
pub struct Word {
    /// The word as the vocabulary spells it.
    pub spelling: String,
    /// Words in the longest phrase that begins with it; 0 when none does.
    pub longest_phrase: u8,
    /// Areas with the word in a name, the least specific ones only.
    pub areas: Vec<AreaId>,
    /// Categories with the word in a term, the least specific ones only.
    pub categories: Vec<CategoryId>,
}

/// A correctly spelt word.
#[derive(Archive, Serialize)]
pub struct CorrectionTarget {
    /// Whether `text` is the phonetic form rather than the stem.
    pub phonetic: bool,
    /// What a misspelt word is compared with.
    pub text: String,
    /// Its stem.
    pub stem: String,
}

/// What an address code means.
#[derive(Default, Archive, Serialize)]
pub struct Code {
    /// The areas it lies in, or may lie in when it is ambiguous.
    pub areas: Vec<AreaId>,
    /// Whether it must not decide an area alone.
    pub ambiguous: bool,
}

/// The archived bytes of a [`VocabularyIndex`]. They are validated once, so reading them is a cast.
pub(crate) struct VocabularyArchive {
    bytes: AlignedVec,
}

impl VocabularyArchive {
    /// Archives the index and validates what was written.
    pub(crate) fn new(index: &VocabularyIndex) -> Result<Self, rancor::Error> {
        let bytes = rkyv::to_bytes::<rancor::Error>(index)?;
        rkyv::access::<ArchivedVocabularyIndex, rancor::Error>(&bytes)?;
        Ok(Self { bytes })
    }

    /// The index, read in place.
    #[inline]
    pub(crate) fn vocabulary(&self) -> &ArchivedVocabularyIndex {
        // SAFETY: `new` validated exactly these bytes as `ArchivedVocabularyIndex`, they are never written to
        // afterwards, and `AlignedVec` keeps their alignment wherever this value moves.
        unsafe { rkyv::access_unchecked::<ArchivedVocabularyIndex>(&self.bytes) }
    }
}

impl ArchivedVocabularyIndex {
    /// The first area with this slug, in preorder.
    pub fn area_with_slug(&self, slug: &str) -> Option<AreaId> {
        self.areas_by_id().find(|(_, area)| area.slug == slug).map(|(id, _)| id)
    }

    /// An area.
    #[inline]
    pub fn area(&self, id: AreaId) -> &ArchivedArea {
        &self.areas[usize::from(id)]
    }

    /// A category.
    #[inline]
    pub fn category(&self, id: CategoryId) -> &ArchivedCategory {
        &self.categories[usize::from(id)]
    }

    /// All areas with their ids.
    pub fn areas_by_id(&self) -> impl Iterator<Item = (AreaId, &ArchivedArea)> {
        AreaId::all().zip(self.areas.iter())
    }

    /// All categories with their ids.
    pub fn categories_by_id(&self) -> impl Iterator<Item = (CategoryId, &ArchivedCategory)> {
        CategoryId::all().zip(self.categories.iter())
    }

    /// An area and those that contain it, the narrowest first.
    pub fn area_and_above(&self, area: AreaId) -> impl Iterator<Item = AreaId> {
        and_above(area, |id| self.area(id).parent.to_native())
    }

    /// A category and those that contain it, the narrowest first.
    pub fn category_and_above(&self, category: CategoryId) -> impl Iterator<Item = CategoryId> {
        and_above(category, |id| self.category(id).parent.to_native())
    }

    /// The ids of an area and of all it contains.
    #[inline]
    pub fn area_run(&self, area: AreaId) -> Range<AreaId> {
        area..self.area(area).end.to_native()
    }

    /// The ids of a category and of all it contains.
    #[inline]
    pub fn category_run(&self, category: CategoryId) -> Range<CategoryId> {
        category..self.category(category).end.to_native()
    }

    /// Whether there are inner categories and each is within one of the outer ones, which it is not itself.
    pub(crate) fn are_within(&self, inner: &[CategoryId], outer: &[CategoryId]) -> bool {
        let is_inside =
            |id: &CategoryId| outer.iter().any(|root| root != id && self.category_run(*root).contains(id));
        !inner.is_empty() && inner.iter().all(is_inside)
    }

    /// Whether the word with this stem is a thing that the guide does not list, of which it knows nothing but where
    /// something of that name is.
    pub(crate) fn is_unlisted(&self, stem: &str) -> bool {
        self.not_listed.phrases.contains_key(stem)
    }

    /// The intersection of two areas: the inner one when one contains the other, else nothing.
    pub fn common_area(&self, left: AreaId, right: AreaId) -> Option<AreaId> {
        if self.area_run(left).contains(&right) {
            Some(right)
        } else if self.area_run(right).contains(&left) {
            Some(left)
        } else {
            None
        }
    }
}

/// A node of a tree and all that contain it.
fn and_above<Id: Copy + PartialEq>(id: Id, parent: impl Fn(Id) -> Id) -> impl Iterator<Item = Id> {
    iter::successors(Some(id), move |id| Some(parent(*id)).filter(|parent| parent != id))
}
