//! How a search was understood and, when it found nothing, what a filter less would find: the fields `interpreted` and
//! `relax`.

use chrono::NaiveDate;
use index::search::{Interpretation, RelaxedTotals};
use index::vocabulary::{ArchivedAreaKind, ArchivedVocabularyIndex};
use serde::Serialize;

/// How a query was understood. Lists that are empty are left out.
#[derive(Serialize, Default)]
pub(super) struct Interpreted<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    region: Vec<Area<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    category: Vec<CategoryName<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quadra: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<NaiveDate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<NaiveDate>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    text: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    corrected: Vec<Correction<'a>>,
}

#[derive(Serialize)]
struct Area<'a> {
    slug: &'a str,
    name: &'a str,
    kind: &'static str,
}

#[derive(Serialize)]
struct CategoryName<'a> {
    slug: &'a str,
    pt: &'a str,
    en: &'a str,
}

#[derive(Serialize)]
struct Correction<'a> {
    from: &'a str,
    to: &'a str,
}

impl<'a> Interpreted<'a> {
    /// What a search understood; `None` when it had no filter.
    pub(super) fn of(reading: &'a Interpretation, vocabulary: &'a ArchivedVocabularyIndex) -> Option<Self> {
        let area = |node: &index::AreaId| {
            let area = &vocabulary.areas[usize::from(*node)];
            let kind = match area.kind {
                ArchivedAreaKind::District => "district",
                ArchivedAreaKind::Zone => "zone",
                ArchivedAreaKind::Region => "region",
                ArchivedAreaKind::Neighbourhood => "neighbourhood",
            };
            Area { slug: &area.slug, name: &area.name, kind }
        };
        let category = |node: &index::CategoryId| {
            let category = &vocabulary.categories[usize::from(*node)];
            CategoryName { slug: &category.slug, pt: &category.pt, en: &category.en }
        };
        let interpreted = Interpreted {
            region: reading.areas.iter().map(area).collect(),
            category: reading.categories.iter().map(category).collect(),
            quadra: reading.quadras.iter().map(u16::to_string).collect(),
            from: reading.window.map(|window| window.from),
            to: reading.window.map(|window| window.to),
            text: reading.text.split_ascii_whitespace().collect(),
            corrected: reading.corrected.iter().map(|(from, to)| Correction { from, to }).collect(),
        };
        (!interpreted.is_empty()).then_some(interpreted)
    }

    fn is_empty(&self) -> bool {
        let Interpreted { region, category, quadra, from, to, text, corrected } = self;
        region.is_empty()
            && category.is_empty()
            && quadra.is_empty()
            && from.is_none()
            && to.is_none()
            && text.is_empty()
            && corrected.is_empty()
    }
}

/// How many records there would be with one filter less.
#[derive(Serialize)]
pub(super) struct Relaxed {
    #[serde(rename = "7_more_days", skip_serializing_if = "Option::is_none")]
    seven_more_days: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<u32>,
}

impl Relaxed {
    /// The counts; the preview covers fixed days, so it hides the count for later ones.
    pub(super) fn of(relax: RelaxedTotals, is_preview: bool) -> Self {
        let RelaxedTotals { q, region, category, seven_more_days } = relax;
        Self { seven_more_days: seven_more_days.filter(|_| !is_preview), category, q, region }
    }
}
