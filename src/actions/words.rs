//! The words that answers of searches have for a few cases.

use serde::Serialize;
use strum::VariantNames;

/// How well the records of an answer meet the question, in the words of the API: an empty list has no word of its own,
/// as `count` says that. What a search found, for metrics and the log, is a [`MatchLevel`](super::MatchLevel).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantNames)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum MatchKind {
    /// They meet the whole of it.
    Exact,
    /// Nothing does; they meet most of it.
    Closest,
}

impl MatchKind {
    /// The names of all.
    pub const NAMES: &[&str] = MatchKind::VARIANTS;
}

/// How much of the areas of a question the caller's plan covers, when it does not cover all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantNames)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Coverage {
    /// None of them.
    #[serde(rename = "none")]
    #[strum(serialize = "none")]
    Nothing,
    /// Some of them.
    Partial,
}

impl Coverage {
    /// The names of all.
    pub const NAMES: &[&str] = Coverage::VARIANTS;
}

/// What a distance is measured to.
pub const DISTANCE_TARGETS: &[&str] = &["address", "block", "area", "region"];
