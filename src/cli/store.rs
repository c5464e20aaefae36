//! `candango store`, and how the other commands open the store. Running servers notice a change within a second.

use std::process::ExitCode;

use anyhow::Context;
use clap::Subcommand;
use serde_json::json;

use super::output::show;
use super::runtime::runtime;
use crate::config::Config;
use crate::store::{self, Store};

/// The commands of `candango store`.
#[derive(Debug, Subcommand)]
pub(super) enum StoreCommand {
    /// Start over after a loss of data; accounts and keys that are lost stay lost
    #[command(
        long_about = "Start over after a loss of data.\n\nA server does not use a database or a Redis that has lost its data or was \
                      replaced by another one. Restoring a backup is nearly always right. This command confirms that the \
                      store is meant to be empty, or another one. Running servers use such a Redis within a second; a \
                      server on SQLite must be started again.",
        after_help = "Example:\n  candango store begin --store redis://redis.internal"
    )]
    Begin,
}

/// Opens the store and runs a command on it.
pub(super) fn with(
    config: &Config,
    run: impl AsyncFnOnce(&dyn Store) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    runtime()?.block_on(async {
        let store = store::open::store(&config.store, &config.data, config.limits.trust_window())
            .with_context(|| format!("the store {}", config.store))?;
        run(&*store).await
    })
}

pub(super) fn run(config: &Config, command: &StoreCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Begin => begin(config, json),
    }
}

fn begin(config: &Config, json: bool) -> anyhow::Result<ExitCode> {
    let begun = runtime()?
        .block_on(store::open::begin(&config.store, &config.data))
        .with_context(|| format!("the store {}", config.store))?;
    show(json, &json!({ "begun": begun, "store": config.store.to_string() }), || match begun {
        true => format!("The service starts over with {}.", config.store),
        false => format!("{} has lost nothing, so nothing was changed.", config.store),
    })
}
