//! How answers name the snapshot that they come from, and its areas and categories.

use index::vocabulary::{ArchivedArea, ArchivedAreaKind, ArchivedCategory};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// The snapshot that an answer comes from. One answer never mixes two snapshots.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Snapshot")]
pub struct SnapshotLabel<'a> {
    /// Grows with each published snapshot; 0 is the built-in demo.
    pub serial: u64,
    /// Short digest.
    pub digest: &'a str,
    /// Name of the guide.
    pub name: &'a str,
}

/// An area of the guide, as answers name it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Area")]
pub struct AreaLabel<'a> {
    /// Identifier in URLs.
    slug: &'a str,
    /// Display name.
    name: &'a str,
    /// Kind of area.
    #[schemars(extend("enum" = AreaLabel::KINDS))]
    kind: &'static str,
}

impl AreaLabel<'_> {
    /// The kinds of areas.
    pub const KINDS: &'static [&'static str] = &["district", "zone", "region", "neighbourhood"];
}

impl<'a> From<&'a ArchivedArea> for AreaLabel<'a> {
    fn from(area: &'a ArchivedArea) -> Self {
        let kind = match area.kind {
            ArchivedAreaKind::District => "district",
            ArchivedAreaKind::Zone => "zone",
            ArchivedAreaKind::Region => "region",
            ArchivedAreaKind::Neighbourhood => "neighbourhood",
        };
        Self { slug: &area.slug, name: &area.name, kind }
    }
}

/// A category of the guide, as answers name it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CategoryName")]
pub struct CategoryLabel<'a> {
    /// Identifier in records.
    slug: &'a str,
    /// Name in Portuguese.
    pt: &'a str,
    /// Name in English.
    en: &'a str,
}

impl<'a> From<&'a ArchivedCategory> for CategoryLabel<'a> {
    fn from(category: &'a ArchivedCategory) -> Self {
        Self { slug: &category.slug, pt: &category.pt, en: &category.en }
    }
}

/// Renders a label. It has string keys and is written to memory, so that rendering does not fail.
pub(super) fn rendered(label: &impl Serialize) -> Box<RawValue> {
    to_raw_value(label).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
