//! The records of a guide, indexed: what each is found by, where and when it is, and its rendered JSON.

pub(crate) mod bits;
pub(crate) mod builder;
pub(crate) mod calendar;
pub mod collection;
pub mod facets;
pub(crate) mod keyed;
pub mod positions;
pub(crate) mod postings;
pub(crate) mod prefixes;
pub(crate) mod record_reader;
pub mod rendered;
pub(crate) mod schema;
pub mod selection;
pub(crate) mod sites;
pub(crate) mod text;
pub(crate) mod totals;
