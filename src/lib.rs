//! placeholder

pub mod accounts;
pub mod cli;
pub mod clock;
pub mod config;
pub mod http;
pub mod metrics;
pub mod plans;
pub mod refusal;
pub mod store;
