//! `candango store`: a whole store is copied, or begun again.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Subcommand;
use serde_json::json;

use super::backup;
use super::output::show;
use super::runtime::runtime;
use crate::config::{Config, StoreSpec};
use crate::store;

/// The commands of `candango store`.
#[derive(Debug, Subcommand)]
pub(super) enum StoreCommand {
    /// Start over after a loss of data; accounts and keys that are lost stay lost
    #[command(
        long_about = "Start over after a loss of data.\n\nA server does not use a database or a Redis that has lost its data or was \
                      replaced by another one. Restoring a backup is nearly always right. This command confirms that the \
                      store is meant to be empty, or another one, or that a data folder whose accounts were in Redis has them in \
                      SQLite from now on. Running servers use such a Redis within a second; a \
                      server on SQLite must be started again.",
        after_help = "Example:\n  candango store begin --store redis://redis.internal"
    )]
    Begin,
    /// Copy accounts, keys, subscriptions and counts from one store into an empty one; both must be at rest
    #[command(
        after_help = "Example:\n  candango store copy --from sqlite:data/candango.db --to redis://redis.internal"
    )]
    Copy {
        /// The store to copy from, as the setting `store` names it
        #[arg(long)]
        from: StoreSpec,
        /// The empty store to copy to
        #[arg(long)]
        to: StoreSpec,
    },
}

pub(super) fn run(config: &Config, command: &StoreCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Begin => begin(config, json),
        StoreCommand::Copy { from, to } => copy(config, from, to, json),
    }
}

fn copy(config: &Config, from: &StoreSpec, to: &StoreSpec, json: bool) -> anyhow::Result<ExitCode> {
    if let StoreSpec::Sqlite(path) = from {
        ensure!(path.exists(), "there is no database {}", path.display());
    }
    // a copy that fails must not say in a data folder that its accounts are elsewhere
    let scratch = tempfile::tempdir().context("a temporary folder cannot be made")?;
    let open = |spec: &StoreSpec| {
        store::open::store(spec, scratch.path(), config.limits.trust_window())
            .with_context(|| format!("the store {spec}"))
    };
    let counts = runtime()?.block_on(async {
        let counts = backup::copy(&*open(from)?, &*open(to)?).await?;
        note_move(config, from, to).await.context("the copy is whole, but the data folder does not know")?;
        anyhow::Ok(counts)
    })?;
    let shown = json!({ "copied": counts });
    show(json, &shown, || {
        let list: String = counts.iter().map(|(table, rows)| format!("\n  {table}: {rows}")).collect();
        format!("{to} holds what {from} holds:{list}\nSet store to {to} and start the servers.")
    })
}

/// Has the data folders know in which store the accounts are from now on, so that a command whose settings name the
/// other one is refused.
async fn note_move(config: &Config, from: &StoreSpec, to: &StoreSpec) -> anyhow::Result<()> {
    let data = config.data.as_path();
    let folders = match (from, to) {
        (StoreSpec::Sqlite(path), StoreSpec::Redis(_)) => {
            let own = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            [Some(own.unwrap_or(Path::new("."))), (*from == config.store).then_some(data)]
        }
        (_, StoreSpec::Sqlite(path)) if *to == config.store || *path == data.join("candango.db") => {
            [Some(data), None]
        }
        _ => [None, None],
    };
    for folder in folders.into_iter().flatten() {
        store::open::begin(to, folder).await?;
    }
    Ok(())
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
