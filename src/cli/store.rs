//! `candango store`, and how every command opens the store: beside a running server, which notices within a second
//! what was written. Uses [`crate::config`] and [`crate::store`].

use std::process::ExitCode;

use anyhow::Context;
use serde_json::json;

use super::show;
use crate::config::Config;
use crate::store::{self, Store};

/// Runs something with the store.
pub(super) fn with(
    config: &Config,
    run: impl AsyncFnOnce(&dyn Store) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = store::open::store(&config.store, &config.data, config.limits.trust_window())
            .with_context(|| format!("the store {}", config.store))?;
        run(&*store).await
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn begin(config: &Config, json: bool) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let begun = runtime
        .block_on(store::open::begin(&config.store, &config.data))
        .with_context(|| format!("the store {}", config.store))?;
    show(json, &json!({ "begun": begun, "store": config.store.to_string() }), || match begun {
        true => format!("{} is begun anew, and empty.", config.store),
        false => format!("{} has lost nothing: there is no need to begin anew.", config.store),
    })?;
    Ok(ExitCode::SUCCESS)
}
