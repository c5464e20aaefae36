//! The promises of the service, kept from the outside: a file for each.

mod bad_input;
mod command;
mod mcp;
mod ops;
mod publishing;
mod redis;
mod server;
mod service;
mod store;
mod v1;
mod wire;
