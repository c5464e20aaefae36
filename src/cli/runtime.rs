//! What commands that wait for I/O run on, and how they open the store and the billing service. Running servers notice a change within a second.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

use crate::billing::service::BillingService;
use crate::config::Config;
use crate::domain::clock::Clock;
use crate::gateway::Gateway;
use crate::mail::Mailer;
use crate::metrics::Metrics;
use crate::store::{self, Store};

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
