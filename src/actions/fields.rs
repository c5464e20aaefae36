//! The parameter `fields`: which fields of records an answer has.

use index::fold::fold;
use index::selection::Selection;

use super::nearest::{NEAREST, edits};
use super::{Param, Params};
use crate::domain::error::ApiError;

/// The fields that were asked for, of those that the parameter knows; `None` for all.
pub(super) fn selected(params: &Params, param: &Param) -> Result<Option<Selection>, ApiError> {
    let unknown = |name: &str, item| ApiError::UnknownField { item, nearest: nearest(name, param.words()) };
    let names = params.names(param, unknown)?;
    Ok((!names.is_empty()).then(|| Selection::of(names)))
}

/// The known names that are nearest to another one.
fn nearest(name: &str, known: &'static [&'static str]) -> Vec<&'static str> {
    let folded = fold(name);
    let apart = |field: &&str| match !folded.is_empty() && fold(field).contains(&folded) {
        true => 0,
        false => edits(&folded, field),
    };
    let mut names = known.to_vec();
    // stable, so that of equally near ones the more usual stays first
    names.sort_by_key(apart);
    names.truncate(NEAREST);
    names
}
