//! Candango: a hand-curated guide to events, shows and places in Brasília and the Federal District, answered from
//! memory. This page is the floor plan; a file uses only lower floors than its own.
//!
//! **A request walks**: [`http`] (routes, caller, v1 or mcp) -> [`dispatch`] -> [`accounts::keys`] (whose key) ->
//! [`gate`] (a permit, a call of the minute) -> [`actions`] (read) -> [`live`] (one edition) -> [`gate`] (a call of the
//! month) -> [`actions`] (run) -> the crate `index` -> reply. It takes no lock and asks no store on the way, but for a
//! key that was never seen and a lease that is empty.
//!
//! **A snapshot walks**: the curator's folder -> `cli/snapshot` -> the crate `snapshots` (check, pack) -> its depot
//! -> [`publish`] (watch, fetch, check, build, compare, warm, swap) -> [`live`].
//!
//! | floor | rooms |
//! |---|---|
//! | roof | [`cli`] what may be typed · [`app`] builds every room, starts and stops them |
//! | doors | [`http`] know HTTP, decide nothing |
//! | hall | [`dispatch`] one ask from name to answer; the only file that calls several rooms |
//! | rooms | [`actions`] what may be asked · [`gate`] who may · [`publish`] how a guide goes live |
//! | people | [`accounts`] accounts, keys, the meter, sign-up, billing · [`mail`] letters to them · [`store`] where all of it rests |
//! | till | [`gateway`] who takes the money |
//! | cellar | [`live`] the guide in service · [`refusal`] every no · [`metrics`] · [`config`] · [`plans`] · [`clock`] · [`memory`] · [`plain`] JSON as it is mostly written · [`sheets`] what they are written on · [`soon`] what need seldom be waited for |
//! | ground | the crates `index` (a snapshot made findable) and `snapshots` (what a curator hands in) |
//!
//! Deliberately absent: a cache of answers (the guide is one), locks on the way of a request, a clock outside
//! [`clock`], plan names in `index`, search in `snapshots`.

pub mod actions;
pub mod app;
pub mod billing;
pub mod cli;
pub mod config;
pub mod dispatch;
pub mod domain;

pub mod gateway;
pub mod http;
pub mod mail;
pub mod memory;
pub mod metrics;
pub mod publish;
pub mod quota;
pub mod render;
pub mod serving;
pub mod signup;
pub mod store;
pub mod supervise;
