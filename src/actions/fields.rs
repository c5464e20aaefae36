//! The parameter `fields`: which fields of records an answer has.

use index::fold::{distance, fold};
use index::selection::Selection;

use super::Params;
use crate::domain::error::ApiError;

/// How many nearest names an error has.
const NEAREST: usize = 3;

/// Edits beyond which names are equally far.
const FAR: usize = 48;

/// The fields that were asked for, of those that are `known`; `None` for all.
pub(super) fn selected(
    params: &Params,
    known: &'static [&'static str],
) -> Result<Option<Selection>, ApiError> {
    let unknown = |name: &str, item| ApiError::UnknownField { item, nearest: nearest(name, known) };
    let names = params.names("fields", known, unknown)?;
    Ok((!names.is_empty()).then(|| Selection::of(names)))
}

/// The known names that are nearest to another one.
fn nearest(name: &str, known: &'static [&'static str]) -> Vec<&'static str> {
    let folded = fold(name);
    let apart = |field: &&str| {
        let field = fold(field);
        match !folded.is_empty() && field.contains(&folded) {
            true => 0,
            false => distance(&folded, &field, FAR).unwrap_or(FAR),
        }
    };
    let mut names = known.to_vec();
    // stable, so that of equally near ones the more usual stays first
    names.sort_by_key(apart);
    names.truncate(NEAREST);
    names
}
