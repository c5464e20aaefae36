//! Black-box tests: what the service promises to clients and operators, one file a promise.

mod accounts;
mod agents;
mod answers;
mod architecture;
mod asaas;
mod bad_input;
mod billing;
mod command;
mod contract;
mod crash;
mod documents;
mod fleet;
mod mail;
mod mcp;
mod meter;
mod near;
mod openapi;
mod ops;
mod publishing;
mod redis;
mod server;
mod service;
mod site;
mod store;
mod v1;
mod wire;
