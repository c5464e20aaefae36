//! The promises of the service, kept from the outside: a file for each.

mod command;
mod ops;
mod server;
mod store;
mod wire;
