//! Who may ask, and how often: keys, leases of calls, the preview, and the gate that combines them.

pub mod gate;
pub mod keys;
mod lease;
pub mod leases;
pub mod preview;
pub(crate) mod sketch;
pub mod tokens;
