//! The doors: they know HTTP and decide nothing.

pub mod caller;
pub mod ops;
pub mod reply;
pub mod server;
