//! How near names are, for errors that list the nearest and for parameters that are misspelt.

use index::grammar::fold::{distance, fold};

/// How many nearest names an error has.
pub(super) const NEAREST: usize = 3;

/// Edits beyond which names are equally far.
const FAR: usize = 48;

/// The edits between a folded text and a name, which is folded here.
pub(super) fn edits(folded: &str, name: &str) -> usize {
    distance(folded, &fold(name), FAR).unwrap_or(FAR)
}

/// The fewest letters of a name that may be misspelt: shorter ones are near too many others.
const MIN_MISSPELT: usize = 4;

/// From so many letters on a name may have two edits, as "neigbourhod" has.
const LONG: usize = 7;

/// Whether the name of a parameter is another one that is misspelt.
pub(super) fn is_misspelt(sent: &str, known: &str) -> bool {
    let allowed = if known.len() < LONG { 1 } else { 2 };
    known.len() >= MIN_MISSPELT && distance(&fold(sent), &fold(known), allowed).is_some()
}
