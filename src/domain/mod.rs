//! The types that every layer shares: accounts, keys, plans, orders, time, errors. Values and rules only: no I/O, no
//! tasks.

pub mod account;
pub mod action;
pub mod api_key;
pub mod asked;
pub mod audit;
pub mod base62;
pub mod clock;
pub mod code;
pub mod error;
pub mod hook;
pub mod language;
pub mod mail;
pub mod money;
pub mod network;
pub mod order;
pub mod personal_data;
pub mod plan;
pub mod reader;
pub mod records;
pub mod suggestion;
pub mod tax;
pub mod text;
pub mod token;
