//! What a search returns: ranks, totals, and an account of how the query was interpreted and what was let go.

use std::borrow::Cow;

use chrono::NaiveDate;
use smallvec::SmallVec;

use crate::grammar::dates::{Hours, Window};
use crate::grammar::hints::Hint;
use crate::question::near::Near;
use crate::records::collection::Collection;
use crate::records::facets::FacetCounts;
use crate::records::positions::KnownBy;
use crate::vocabulary::{AreaIds, CategoryIds};

/// Ranks of a page. A page of the usual length stays on the stack, with the rank that shows whether another follows.
pub type Ranks = SmallVec<[u32; 22]>;

/// What a search found.
#[derive(Debug, Default)]
pub struct Page {
    /// The ranks on this page, in order.
    pub ranks: Ranks,
    /// How many records match, over all pages; with groups, how many groups.
    pub total: u32,
    /// With groups, the days in the window of each listed record's series, in order; empty for a record without one.
    pub dates: Vec<Vec<NaiveDate>>,
    /// Whether another page follows.
    pub more: bool,
    /// What orders the last rank beside its sort key, if anything does: its distance, when the nearest records come
    /// first; else what tells it from others of equally many mentions.
    pub order: Option<u32>,
    /// How the query was interpreted.
    pub interpretation: Interpretation,
    /// With a place to search from: what was searched around it.
    pub around: Option<Box<Around>>,
    /// Only when no record meets the whole question: what was let go.
    pub closest: Option<Box<Closest>>,
    /// The next closest records, the closer first, then those of categories that were let go. Before them what else is
    /// on in the days of the question, when nothing is listed, the listed ones are on others or it names a feast. At
    /// most [`FURTHER`].
    pub further: Vec<u32>,
    /// Events: the next day that has something, when nothing was found on the usual days or on those of a parameter.
    pub next: Option<Box<Next>>,
    /// Only when nothing was found: the totals with one filter less.
    pub relax: Option<Box<RelaxedTotals>>,
    /// Only when nothing was found: why nothing is close.
    pub nothing: Option<Nothing>,
    /// The counts of [`crate::Query::facets`]; `None` also when nothing was found.
    pub facets: Option<Box<FacetCounts>>,
}

impl Page {
    /// Of [`Page::further`] what is on in the days of the question, which comes first.
    pub fn also_on(&self, events: &Collection) -> &[u32] {
        let Some(window) = self.interpretation.window else { return &[] };
        let count = self.further.iter().take_while(|rank| events.is_on(**rank, window)).count();
        &self.further[..count]
    }

    /// Whether areas were searched that are not those of the question.
    pub fn is_elsewhere(&self) -> bool {
        let mut searched = self.closest.iter().flat_map(|closest| &closest.areas);
        searched.any(|area| !self.interpretation.areas.contains(area))
    }
}

/// The circle that was searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    /// The place in its middle.
    pub near: Near,
    /// The greatest distance, in metres.
    pub within_m: u32,
    /// Whether the question asks for what is at the place, and of nothing listed the guide knows that it is.
    pub is_beside: bool,
}

/// Why a question has no closest records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nothing {
    /// It asks for what the guide does not list, as the folded phrase.
    NotListed(String),
    /// It asks for a town outside the territory, as the folded name.
    Outside(String),
    /// Its category has no record where it may be searched.
    EmptyCategory,
    /// Nothing of its category is of this country, as the folded word: "greek".
    OfNoCountry(String),
    /// The parameter and words of its text name categories of which no record has one of each, though each has records
    /// where it may be searched: the categories, of which one of each group was asked for.
    Apart(Vec<CategoryIds>),
    /// None of its words is a subject: they are unknown, common, or name areas and days.
    NotUnderstood,
}

/// How many of the next closest records a page names.
pub const FURTHER: usize = 10;

/// What a closest answer let go.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Closest {
    /// Words that the listed records do not meet, as folded phrases, in the order of the question.
    pub left_out: Vec<String>,
    /// The areas that were searched instead of those of the question; empty when those were kept.
    pub areas: AreaIds,
    /// The hours of the question, when the listed records start at others.
    pub hours: Option<Hours>,
    /// The days that were searched instead of those of the question.
    pub days: Option<Window>,
    /// When it was let go that nothing is to be paid: how many of the listed records have no price.
    pub unpriced: Option<u32>,
    /// Whether the records may be anywhere and not only near the place that the question names. A cursor keeps it.
    pub is_anywhere: bool,
    /// Which wishes are met, by the bits of the closest pass; `None` for the records of a name. A cursor keeps it, so
    /// that all pages let go the same.
    pub met: Option<u64>,
}

/// The next day that has something.
#[derive(Debug, PartialEq, Eq)]
pub struct Next {
    /// The day.
    pub date: NaiveDate,
    /// How many events match on it.
    pub total: u32,
    /// The first of them: at most [`NEXT_EVENTS`].
    pub ranks: Vec<u32>,
}

/// How many events of the next day a page names.
pub const NEXT_EVENTS: usize = 5;

/// How a query was interpreted.
#[derive(Debug, Default, Clone)]
pub struct Interpretation {
    /// Areas that the parameter or the text named.
    pub areas: AreaIds,
    /// Of these, areas whose words mean a category too: "lake" is a shore as much as a zone.
    pub uncertain_areas: AreaIds,
    /// Superquadras that the parameter or the text named.
    pub quadras: SmallVec<[u16; 4]>,
    /// Whether no record gives one of those, so that others of the same wing were searched: those that give none.
    pub quadras_are_unknown: bool,
    /// Categories that the parameter or the text named.
    pub categories: CategoryIds,
    /// Events: the days searched, from the first to the last.
    pub window: Option<Window>,
    /// Events: whether the caller may see only some of the days that the question asks for.
    pub days_are_cut: bool,
    /// Whether the days that the text names lie outside those that a parameter demands, and say nothing.
    pub days_are_outside: bool,
    /// Whether the text names days or hours, which places do not have.
    pub names_time: bool,
    /// Events: the hours searched, and how many of the found events have no time.
    pub hours: Option<(Hours, u32)>,
    /// The folded words searched as plain text, separated by spaces. One string, because nearly every query has some.
    pub text: String,
    /// The wishes that were excluded, as folded phrases.
    pub without: Vec<String>,
    /// Words about what the guide does not know, as folded phrases.
    pub not_known: Vec<(Hint, String)>,
    /// Unknown words and their corrections.
    pub corrected: Vec<(String, String)>,
}

/// The totals with one filter less; absent for a filter that was not given.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RelaxedTotals {
    /// Without the free text.
    pub q: Option<u32>,
    /// Without the area.
    pub region: Option<u32>,
    /// Without the category.
    pub category: Option<u32>,
    /// At any distance from the place that a parameter names.
    pub near: Option<Beyond>,
    /// Events: with seven more days.
    pub seven_more_days: Option<u32>,
    /// Without one plain word of the text, by the word.
    pub words: Vec<(String, u32)>,
}

impl RelaxedTotals {
    /// Each of these totals, or the other one where it is 0.
    pub(crate) fn or(self, other: Self) -> Self {
        let either = |one: Option<u32>, other: Option<u32>| one.filter(|total| *total > 0).or(other);
        let words = self.words.into_iter().zip(other.words);
        Self {
            q: either(self.q, other.q),
            region: either(self.region, other.region),
            category: either(self.category, other.category),
            near: self.near.or(other.near),
            seven_more_days: either(self.seven_more_days, other.seven_more_days),
            words: words.map(|(one, other)| if one.1 > 0 { one } else { other }).collect(),
        }
    }
}

/// What lies beyond the reach of a search from a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beyond {
    /// How many records.
    pub total: u32,
    /// The distance to expect of the nearest, in metres.
    pub nearest_m: u32,
    /// How it is known where the nearest is.
    pub known_by: KnownBy,
}

/// The sort key of a record. It stays a valid position when the guide changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor<'a> {
    /// The first sort key.
    pub primary: u64,
    /// The record's name.
    pub name: Cow<'a, str>,
    /// The record's id.
    pub id: Cow<'a, str>,
    /// The day of the first page, which the next pages keep after midnight.
    pub today: Option<NaiveDate>,
    /// [`Closest::met`] of the first page.
    pub met: Option<u64>,
    /// [`Page::order`] of the page that it ends.
    pub order: Option<u32>,
    /// [`Closest::is_anywhere`] of the first page.
    pub is_anywhere: bool,
}

impl<'a> Cursor<'a> {
    /// The position behind the last record of a page of the collection; `None` when the page is empty.
    pub fn behind(collection: &'a Collection, page: &Page) -> Option<Self> {
        let (primary, name, id) = collection.sort_key(*page.ranks.last()?);
        let met = page.closest.as_ref().and_then(|closest| closest.met);
        let is_anywhere = page.closest.as_ref().is_some_and(|closest| closest.is_anywhere);
        let id = Cow::Borrowed(id);
        Some(Self { primary, name, id, today: None, met, order: page.order, is_anywhere })
    }
}
