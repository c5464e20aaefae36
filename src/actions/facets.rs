//! The parameter `facets`: how many records of the whole question there are by category, region and day.

use index::records::facets::{FacetCounts, Facets};
use index::{AreaId, CategoryId, Page};

use super::{Param, Params};
use crate::domain::clock::Day;
use crate::domain::error::ApiError;
use crate::render::JsonBody;
use crate::serving::ServingSnapshot;

/// What the parameter asks for.
pub(super) fn asked(params: &Params, param: &Param) -> Result<Facets, ApiError> {
    let unknown = |_: &str, item| ApiError::UnknownChoice { param: param.name, item, known: param.words() };
    let names = params.names(param, unknown)?;
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
            let slug = |id: CategoryId| vocabulary.category(id).slug.as_str();
            body.counts("category", counts.categories.iter().map(|(id, count)| (slug(*id), *count)));
        }
        if asked.region {
            let name = |id: AreaId| vocabulary.area(id).name.as_str();
            body.counts("region", counts.regions.iter().map(|(id, count)| (name(*id), *count)));
        }
        if asked.day {
            body.counts("day", counts.days.iter().map(|(day, count)| (Day::from(*day), *count)));
        }
    });
}
