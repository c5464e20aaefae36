//! A text becomes clauses, areas, days and a place to search from, before any record is looked at.

pub(crate) mod anchors;
pub(crate) mod asides;
pub(crate) mod at_landmark;
pub(crate) mod at_place;
pub(crate) mod clauses;
pub(crate) mod homonyms;
pub(crate) mod introductions;
pub(crate) mod name_parts;
pub mod near;
pub(crate) mod open_questions;
pub mod query;
pub(crate) mod wish;
