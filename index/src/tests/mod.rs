//! Tests that need what the crate keeps to itself: whole questions, and comparisons with a linear scan.

mod closest;
mod closest_days;
mod facets;
pub(crate) mod generators;
mod kept_subject;
mod messages;
mod names;
pub(crate) mod near;
mod questions;
mod reference_search;
mod scanned;
mod suggestions;
mod view_isolation;
