//! What the measuring tools and the benches share: [`big`], a maker of snapshots of any size with a seed.

pub mod big;
