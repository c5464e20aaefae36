//! The parameter `fields`: which fields of records an answer has.

use index::View;
use index::grammar::fold::fold;
use index::records::selection::Selection;

use super::spelling::{NEAREST, edits};
use super::{Action, PAID_FIELDS, Param, Params};
use crate::domain::error::ApiError;

/// The fields that were asked for, of those that the parameter knows; `None` for all.
pub(super) fn selected(params: &Params, param: &Param) -> Result<Option<Selection>, ApiError> {
    let unknown = |name: &str, item| ApiError::UnknownField { item, nearest: nearest(name, param.words()) };
    let names = params.names(param, unknown)?;
    Ok((!names.is_empty()).then(|| Selection::of(names)))
}

/// The fields that were asked for and that the view does not show, since only paid plans see them.
pub(super) fn of_paid_plans(action: &Action, params: &Params, view: View) -> Vec<&'static str> {
    let param = action.params.iter().find(|param| param.name == "fields" && view == View::Basic);
    let asked = param.and_then(|param| selected(params, param).ok().flatten());
    asked.map_or_else(Vec::new, |asked| PAID_FIELDS.into_iter().filter(|name| asked.has(name)).collect())
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
