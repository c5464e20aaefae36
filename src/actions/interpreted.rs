//! How a search was understood and, when it found nothing, what a filter less would find: the fields `interpreted` and
//! `relax`.

use chrono::NaiveDate;
use index::search::{Interpretation, RelaxedTotals};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::serving::{AreaLabel, CategoryLabel, ServingSnapshot};

/// How the query was read. Present when the query had a filter; each field is present when the query had that part.
#[derive(Serialize, JsonSchema)]
pub struct Interpreted<'a> {
    /// Areas that results must be in; one of them is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<AreaLabel>")]
    region: Vec<&'a RawValue>,
    /// Categories that results must have; one of them is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<CategoryLabel>")]
    category: Vec<&'a RawValue>,
    /// Numbers of the blocks (quadras) in the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quadra: Vec<String>,
    /// First day of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<NaiveDate>,
    /// Last day of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<NaiveDate>,
    /// Words searched in names, styles, venues and line-ups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    text: Vec<&'a str>,
    /// Words that were replaced by others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    corrected: Vec<Correction<'a>>,
}

/// A word that no record has, and the nearest word that one has.
#[derive(Serialize, JsonSchema)]
struct Correction<'a> {
    /// The word that was sent.
    from: &'a str,
    /// The word that was searched.
    to: &'a str,
}

impl<'a> Interpreted<'a> {
    /// What a search understood; `None` when it had no filter.
    pub(super) fn of(reading: &'a Interpretation, snapshot: &'a ServingSnapshot) -> Option<Self> {
        let interpreted = Interpreted {
            region: reading.areas.iter().map(|id| &*snapshot.area_labels[usize::from(*id)]).collect(),
            category: reading
                .categories
                .iter()
                .map(|id| &*snapshot.category_labels[usize::from(*id)])
                .collect(),
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
