//! The parameter `facets`: how many records of the whole question there are by category, region and day.

use index::Page;
use index::facets::{FacetCounts, Facets};
use serde::{Serialize, Serializer};

use super::Params;
use crate::domain::error::ApiError;
use crate::render::JsonBody;
use crate::serving::ServingSnapshot;

/// What the parameter asks for, of the words that are `known`.
pub(super) fn asked(params: &Params, known: &'static [&'static str]) -> Result<Facets, ApiError> {
    let unknown = |_: &str| ApiError::UnknownChoice { param: "facets", known };
    let names = params.names("facets", known, unknown)?;
    let has = |name| names.contains(&name);
    Ok(Facets { category: has("category"), region: has("region"), day: has("day") })
}

/// Appends the counts of a page.
pub(super) fn write<'a>(asked: Facets, page: &Page, snapshot: &'a ServingSnapshot, body: &mut JsonBody<'a>) {
    let vocabulary = snapshot.guide.vocabulary();
    let nothing = FacetCounts::default();
    let counts = page.facets.as_deref().unwrap_or(&nothing);
    body.object("facets", |body| {
        if asked.category {
            let slug = |id: u16| vocabulary.categories[usize::from(id)].slug.as_str();
            body.field(
                "category",
                &ByName(|| counts.categories.iter().map(|(id, count)| (slug(*id), count))),
            );
        }
        if asked.region {
            let name = |id: u16| vocabulary.areas[usize::from(id)].name.as_str();
            body.field("region", &ByName(|| counts.regions.iter().map(|(id, count)| (name(*id), count))));
        }
        if asked.day {
            body.field("day", &ByName(|| counts.days.iter().map(|(day, count)| (day, count))));
        }
    });
}

/// An object of counts by name.
struct ByName<F>(F);

impl<F, I, K, V> Serialize for ByName<F>
where
    F: Fn() -> I,
    I: Iterator<Item = (K, V)>,
    K: Serialize,
    V: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((self.0)())
    }
}
