//! What commands that wait for I/O run on, and how they open the store, the depot and the billing service. Running
//! servers notice a change within a second.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use snapshots::Depot;
use tokio::runtime::{Builder, Runtime};

use super::output::tell;
use crate::billing::service::BillingService;
use crate::config::{Config, StoreSpec};
use crate::domain::clock::Clock;
use crate::gateway::Gateway;
use crate::mail::Mailer;
use crate::metrics::Metrics;
use crate::store::journal::Journal;
use crate::store::owner::give_all_to_owner_of_folder;
use crate::store::{self, Store};

/// What to do when no server has run where a command looks.
const NAME_IT: &str = "name the folder of the server with --data, or its store with --store";

/// Fails when the journal cannot be written, before a command ends anything.
pub(super) fn check_writable(journal: &Journal) -> anyhow::Result<()> {
    journal.check().context("the journal cannot be written, so nothing was changed")
}

/// Fails when a change that was made is not in the journal.
pub(super) fn check_noted(journal: &Journal) -> anyhow::Result<()> {
    match journal.is_complete() {
        true => Ok(()),
        false => {
            bail!("the change is made, and the journal cannot be written: a restored backup would undo it")
        }
    }
}

/// A runtime for one command.
pub(super) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// The billing service, as a server has it. Mails that it queues are sent by a server.
pub(super) fn billing(config: &Config, store: &Arc<dyn Store>) -> anyhow::Result<BillingService> {
    let (clock, metrics) = (Clock::machine(), Metrics::new());
    let mailer = Mailer::new(config, store.clone(), clock.clone(), metrics.mail.clone())?;
    let gateway = Gateway::open(config)?;
    Ok(BillingService::new(config, gateway, store.clone(), clock, mailer, metrics.billing.clone()))
}

/// Opens a store: the one of the settings, or another.
pub(super) fn open_store(config: &Config, spec: &StoreSpec) -> anyhow::Result<Arc<dyn Store>> {
    store::open::store(spec, &config.data, config.limits.trust_window())
        .with_context(|| format!("the store {spec}"))
}

/// Opens the depot.
pub(super) fn open_depot(config: &Config) -> anyhow::Result<Depot> {
    Depot::open(&config.depot.to_string()).with_context(|| format!("the depot {}", config.depot))
}

/// Runs a command that writes to the depot. In a folder what root has created gets the owner of the folder around it.
pub(super) fn with_depot_handed_over(
    config: &Config,
    run: impl FnOnce() -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let done = run();
    if let Some(folder) = config.depot.folder() {
        give_all_to_owner_of_folder(&folder);
    }
    done
}

/// Opens the store of a server that has run. A command that made an empty one would do its work where nobody sees it.
pub(super) fn existing_store(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    if let Some(missing) = missing_store(config)? {
        bail!("{missing}; {NAME_IT}");
    }
    open_store(config, &config.store)
}

/// Why no server has run on the store, if that shows.
fn missing_store(config: &Config) -> anyhow::Result<Option<String>> {
    let missing = store::open::missing_file(&config.store, &config.data)
        .with_context(|| format!("the store {}", config.store))?;
    Ok(missing.map(|path| {
        let lost = if config.data.exists() { ", or its store is gone" } else { "" };
        format!("no server has run in this folder{lost}: there is no {}", path.display())
    }))
}

/// Opens the store, which may be that of a server which has yet to start if it is named, and runs a command on it.
pub(super) fn with_new_store(
    config: &Config,
    run: impl AsyncFnOnce(&Arc<dyn Store>) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    if let Some(missing) = missing_store(config)? {
        if !config.is_set("data") && !config.is_set("store") {
            bail!("{missing}; {NAME_IT}");
        }
        tell(format_args!("warning: {missing}, so this is for a server that starts there"));
    }
    runtime()?.block_on(async { run(&open_store(config, &config.store)?).await })
}

/// Opens the store and runs a command on it.
pub(super) fn with_store(
    config: &Config,
    run: impl AsyncFnOnce(&Arc<dyn Store>) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    runtime()?.block_on(async { run(&existing_store(config)?).await })
}
