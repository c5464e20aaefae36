//! What the tools, the benches and the tests share: random snapshots of any size, and questions about them.

pub mod big;
pub mod questions;
pub mod random;
pub mod samples;
