//! Regions and categories that the lists are asked for. A text that means nothing as a whole may be a list with commas.

use index::vocabulary::ArchivedVocabularyIndex;
use index::{AreaIds, CategoryIds, categories, regions};

use super::{Params, QueryContext, param};
use crate::domain::error::ApiError;

/// The areas that `region` or its alias names, as far as the plan covers them, and whether it covers them whole; `None`
/// when neither was sent.
pub(super) fn areas(context: QueryContext, params: &Params) -> Result<Option<(AreaIds, bool)>, ApiError> {
    let vocabulary = context.snapshot.guide.vocabulary();
    let read = |param| -> Result<AreaIds, ApiError> {
        let mut areas = AreaIds::new();
        for text in params.texts_within(param, param::MAX_FILTER, param::MAX_FILTERS)? {
            areas.extend(areas_of(vocabulary, param, text)?);
        }
        Ok(areas)
    };
    let (region, neighbourhood) = (read("region")?, read("neighbourhood")?);
    let areas = match (region.is_empty(), neighbourhood.is_empty()) {
        (true, true) => return Ok(None),
        (false, false) if region != neighbourhood => return Err(ApiError::ConflictingRegion),
        (true, false) => neighbourhood,
        (false, _) => region,
    };
    let home = context.permit.area(context.snapshot.free_area);
    let covered: AreaIds = areas.iter().filter_map(|area| vocabulary.common_area(home, *area)).collect();
    if covered.is_empty() {
        return Err(context.permit.region_error());
    }
    let is_whole = covered == areas;
    Ok(Some((covered, is_whole)))
}

fn areas_of(
    vocabulary: &ArchivedVocabularyIndex,
    param: &'static str,
    text: &str,
) -> Result<AreaIds, ApiError> {
    let resolve = |text: &str| {
        regions::resolve(vocabulary, text).map_err(|error| match error {
            regions::RegionError::Unknown { nearest } => ApiError::UnknownRegion { param, nearest },
            regions::RegionError::Ambiguous { readings } => ApiError::AmbiguousRegion { param, readings },
        })
    };
    let parts = || text.split(',').map(str::trim).filter(|part| !part.is_empty());
    resolve(text).or_else(|error| match parts().count() {
        0 | 1 => Err(error),
        _ => parts().map(resolve).try_fold(AreaIds::new(), |mut all, areas| {
            all.extend(areas?);
            Ok(all)
        }),
    })
}

/// The categories that `parent` names; `None` when it was not sent.
pub(super) fn parents(context: QueryContext, params: &Params) -> Result<Option<CategoryIds>, ApiError> {
    let Some(text) = params.text_within("parent", param::MAX_FILTER)? else { return Ok(None) };
    let parents = categories::resolve(context.snapshot.guide.vocabulary(), text);
    parents.map(Some).map_err(|unknown| ApiError::UnknownCategory { nearest: unknown.nearest })
}
