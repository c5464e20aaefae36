//! The nouns of the service: what a store keeps, a gateway charges for and a caller is told. Values and rules only: no
//! I/O, no tasks.

pub mod account;
pub mod api_key;
pub mod clock;
pub mod code;
pub mod error;
pub mod mail;
pub mod money;
pub mod order;
pub mod plan;
pub mod tax;
