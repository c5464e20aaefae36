//! What commands that wait for I/O run on, and how they open the store. Running servers notice a change within a second.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

use crate::config::Config;
use crate::store::{self, Store};

/// A runtime for one command.
pub(super) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Opens the store and runs a command on it.
pub(super) fn with_store(
    config: &Config,
    run: impl AsyncFnOnce(&Arc<dyn Store>) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    runtime()?.block_on(async {
        let store = store::open::store(&config.store, &config.data, config.limits.trust_window())
            .with_context(|| format!("the store {}", config.store))?;
        run(&store).await
    })
}
