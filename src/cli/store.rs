//! `candango store`: a whole store is copied, or begun again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, ensure};
use clap::{Args, Subcommand};
use serde_json::json;
use strum::VariantArray as _;

use super::output::{show, tell};
use super::runtime::runtime;
use super::store_rows::{Counts, at_rest, counts, end_leases, holds_nothing, same_rows};
use crate::config::{Config, StoreSpec, secret_in};
use crate::domain::clock::Clock;
use crate::store::open::OldAccounts;
use crate::store::rows::{Table, leave_out_orphans};
use crate::store::{self, Store};

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
    Begin(BeginFlags),
    /// Copy accounts, keys, subscriptions and counts from one store into an empty one; both must be at rest
    #[command(
        after_help = "Examples:\n  candango store copy --from sqlite:data/candango.db --to redis://redis.internal\n  \
                      candango store copy --from sqlite:data/candango.db --to-file /etc/candango/credentials/store"
    )]
    Copy(Box<CopyFlags>),
}

/// The flags of `candango store begin`.
#[derive(Debug, Args)]
pub(super) struct BeginFlags {
    /// Go on with the accounts that the database had before the folder's accounts were in Redis
    #[arg(long)]
    with_old_accounts: bool,
}

/// The flags of `candango store copy`.
#[derive(Debug, Args)]
pub(super) struct CopyFlags {
    /// The store to copy from, as the setting `store` names it
    #[arg(long, value_name = "STORE", required_unless_present = "from_file")]
    from: Option<StoreSpec>,
    /// A file that names it, for a store with a password
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    from_file: Option<PathBuf>,
    /// The empty store to copy to
    #[arg(long, value_name = "STORE", required_unless_present = "to_file")]
    to: Option<StoreSpec>,
    /// A file that names it, for a store with a password
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    to_file: Option<PathBuf>,
}

pub(super) fn run(config: &Config, command: &StoreCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Begin(flags) => begin(config, flags, json),
        StoreCommand::Copy(flags) => {
            let from = store_of(flags.from.as_ref(), flags.from_file.as_deref(), "--from")?;
            let to = store_of(flags.to.as_ref(), flags.to_file.as_deref(), "--to")?;
            copy(config, &from, &to, json)
        }
    }
}

/// A store that a flag names, or a file.
fn store_of(spec: Option<&StoreSpec>, file: Option<&Path>, flag: &str) -> anyhow::Result<StoreSpec> {
    if let Some(file) = file {
        let mut warnings = Vec::new();
        let read = secret_in(file, &mut warnings).map_err(anyhow::Error::msg);
        let text = read.with_context(|| format!("{flag}-file"))?;
        warnings.iter().for_each(|warning| tell(format_args!("warning: {warning}")));
        return text.parse().map_err(|wrong| anyhow!("{flag}-file: {wrong}"));
    }
    let spec = spec.with_context(|| format!("{flag} or {flag}-file is required"))?;
    if matches!(spec, StoreSpec::Redis(url) if url.password().is_some()) {
        tell(format_args!(
            "warning: {flag} holds a secret, and everybody on this machine may read it in the list of processes: use \
             {flag}-file"
        ));
    }
    Ok(spec.clone())
}

fn copy(config: &Config, from: &StoreSpec, to: &StoreSpec, json: bool) -> anyhow::Result<ExitCode> {
    if let StoreSpec::Sqlite(path) = from {
        ensure!(path.exists(), "there is no database {}", path.display());
    }
    // a copy that fails must not say in a data folder that its accounts are elsewhere
    let scratch = tempfile::tempdir().context("a temporary folder cannot be made")?;
    let opened = store::open::store(from, scratch.path(), config.limits.trust_window())
        .with_context(|| format!("the store {from}"))?;
    let counts = runtime()?.block_on(async {
        let filled = store::open::to_fill(to, scratch.path()).with_context(|| format!("the store {to}"))?;
        let counts = copied(&*opened, &*filled, to).await?;
        note_move(config, from, to).await.context("the copy is whole, but the data folder does not know")?;
        anyhow::Ok(counts)
    })?;
    let shown = json!({ "copied": counts });
    show(json, &shown, || {
        let list: String = counts.iter().map(|(table, rows)| format!("\n  {table}: {rows}")).collect();
        format!("{to} holds what {from} holds:{list}\nSet store to {to} and start the servers.")
    })
}

/// Copies all rows of a store into an empty one, and compares both.
async fn copied(from: &dyn Store, to: &dyn Store, filled: &StoreSpec) -> anyhow::Result<Counts> {
    at_rest(from, "the store to copy from").await?;
    at_rest(to, "the store to copy to").await?;
    let way_out = match filled {
        StoreSpec::Sqlite(path) => format!(
            "move {} and the files beside it that begin with its name to another folder",
            path.display()
        ),
        StoreSpec::Redis(_) => "name an empty database of Redis".to_owned(),
    };
    ensure!(holds_nothing(to).await?, "the store to copy to is not empty: {way_out}");
    let mut rows = from.rows(Table::VARIANTS, None).await?;
    ensure!(rows.iter().any(|row| row.0 == Table::Accounts), "the store to copy from has no accounts");
    let now = Clock::machine().now();
    rows.retain(|row| row.ends_at().is_none_or(|end| end > now));
    leave_out_orphans(&mut rows);
    end_leases(&mut rows);
    to.fill(rows.clone()).await?;
    same_rows(&rows, &to.rows(Table::VARIANTS, None).await?)?;
    Ok(counts(&rows))
}

/// Has the data folders know in which store the accounts are from now on, so that a command whose settings name the
/// other one is refused.
async fn note_move(config: &Config, from: &StoreSpec, to: &StoreSpec) -> anyhow::Result<()> {
    let data = config.data.as_path();
    let folder_of = |path: &Path| {
        let parent = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        parent.unwrap_or(Path::new(".")).to_owned()
    };
    let folders = match (from, to) {
        (StoreSpec::Sqlite(path), StoreSpec::Redis(_)) => {
            [Some(folder_of(path)), (*from == config.store).then(|| data.to_owned())]
        }
        // a folder that was served from takes no other Redis for its own
        (StoreSpec::Redis(_), StoreSpec::Redis(_)) if *from == config.store => [Some(data.to_owned()), None],
        (StoreSpec::Redis(_), StoreSpec::Redis(_)) => [None, None],
        // the data folder that the file lies in, and that of the settings
        (_, StoreSpec::Sqlite(path)) => {
            let folder = folder_of(path);
            let is_data = folder == data || store::open::is_data_folder(&folder);
            let is_own = *to == config.store || *from == config.store && matches!(from, StoreSpec::Sqlite(_));
            [is_data.then_some(folder), is_own.then(|| data.to_owned())]
        }
    };
    for folder in folders.into_iter().flatten() {
        store::open::begin(to, &folder, OldAccounts::Take).await?;
    }
    Ok(())
}

fn begin(config: &Config, flags: &BeginFlags, json: bool) -> anyhow::Result<ExitCode> {
    let old_accounts = if flags.with_old_accounts { OldAccounts::Take } else { OldAccounts::Refuse };
    let begun = runtime()?
        .block_on(store::open::begin(&config.store, &config.data, old_accounts))
        .with_context(|| format!("the store {}", config.store))?;
    show(json, &json!({ "begun": begun, "store": config.store.to_string() }), || match begun {
        true => format!("The service starts over with {}.", config.store),
        false => format!("{} has lost nothing, so nothing was changed.", config.store),
    })
}
