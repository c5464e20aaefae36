//! Who may ask, and how often: keys, leases of calls, limits of visitors, and the gate that combines them.

pub mod gate;
pub mod keys;
mod lease;
pub mod leases;
mod owners;
pub(crate) mod sketch;
pub mod tokens;
pub mod visitors;
