//! How near names are, for errors that list the nearest.

use index::fold::{distance, fold};

/// How many nearest names an error has.
pub(super) const NEAREST: usize = 3;

/// Edits beyond which names are equally far.
const FAR: usize = 48;

/// The edits between a folded text and a name, which is folded here.
pub(super) fn edits(folded: &str, name: &str) -> usize {
    distance(folded, &fold(name), FAR).unwrap_or(FAR)
}
