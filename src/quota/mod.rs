//! Who may ask, and how often: keys, leases of calls, limits of visitors, and the gate that combines them.

mod call_counts;
pub mod gate;
pub mod issue;
mod key_cache;
pub mod keys;
mod lease;
pub mod leases;
mod owners;
pub mod permit;
pub(crate) mod sketch;
pub mod tokens;
pub mod visitors;
