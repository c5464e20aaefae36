//! Candango: a curated guide to events and places in Brasília and the Federal District, served from memory as JSON
//! (`/v1`), over MCP (`/mcp`) and as a website.
//!
//! **A request**: [`http`] reads it and finds the caller, and [`dispatch`] runs the action: it looks the API key up
//! ([`quota::keys`]), charges the minute ([`quota::gate`]), parses the parameters ([`actions`]), takes the snapshot in
//! service ([`serving`]), charges the month and searches (the crate `index`). A request waits for nobody: it locks its
//! own connection and, for reading, a part of the table of keys, and calls the store only for a key that is not cached
//! or when a lease of calls is used up.
//!
//! **A snapshot**: `candango snapshot publish` checks and packs a folder (the crate `snapshots`) and stores it in the
//! depot. Each server polls the depot (`publish`), builds the index beside the one in service, compares the two and
//! swaps.
//!
//! **The layers.** A file uses only lower layers, or files of its own row entry; there are no circles among files,
//! where the paths by which a `mod.rs` names its own children do not count. `tests/api/architecture.rs` reads this
//! table and holds the code to it.
//!
//! | layer | modules | what they are |
//! |---|---|---|
//! | 1 | `render` `memory` `own_thread` `metrics` `service_manager` | reading and writing JSON fast, the allocator, threads for long work, Prometheus metrics, systemd |
//! | 2 | `domain` | accounts, keys, plans, orders, the clock, errors: nouns and their rules, without I/O |
//! | 3 | `config` `serving` `outage` `retry` `log_lines` | the settings, the snapshot in service, failures that last, trying again, writing the log |
//! | 4 | `store` `gateway` `changes` `supervise` | SQLite or Redis, payment gateways, what publications changed, and background tasks |
//! | 5 | `quota` `billing::subscription` `publish` `asked` | who may call how often, the billing state machine, how a snapshot goes live, what people did not find |
//! | 6 | `mail` `actions` `request_log` `store_retention` `store_watch` | the mail queue, the actions of the API, the log of requests, deletion of what is kept for a time only, metrics of what waits in the store |
//! | 7 | `signup` `dispatch` | sign-up and key recovery, and the order of the steps of a request |
//! | 8 | `suggest` `notify` | suggestions of readers, and webhooks of accounts |
//! | 8 | `billing` | checkout, webhooks and the billing worker |
//! | 9 | `http` | routes, protocols and pages |
//! | 10 | `app` | builds, starts and stops everything |
//! | 11 | `cli` | commands, flags and help |
//! | 12 | `main` | the binary |
//!
//! Deliberately absent: a cache of answers (the snapshot is in memory already), locks that requests wait for, a clock
//! outside [`domain::clock`], plan names in `index`, and search in `snapshots`.

pub mod actions;
pub mod app;
pub mod asked;
pub mod billing;
pub(crate) mod changes;
pub mod cli;
pub mod config;
pub mod dispatch;
pub mod domain;
pub(crate) mod gateway;
pub mod http;
pub mod log_lines;
pub mod mail;
pub(crate) mod memory;
pub mod metrics;
pub(crate) mod notify;
pub(crate) mod outage;
pub(crate) mod own_thread;
pub(crate) mod publish;
pub mod quota;
pub mod render;
pub(crate) mod request_log;
pub(crate) mod retry;
pub mod service_manager;
pub mod serving;
pub mod signup;
pub mod store;
pub(crate) mod store_retention;
pub(crate) mod store_watch;
pub(crate) mod suggest;
pub mod supervise;
