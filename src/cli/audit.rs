//! `candango audit`: the log of what operators changed, and how the other commands write it.

use std::cell::OnceCell;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::output::{show, tell};
use super::runtime::with_store;
use crate::config::Config;
use crate::domain::account::AccountId;
use crate::domain::audit::AuditEntry;
use crate::domain::clock::{Clock, UnixMillis};
use crate::store::rows::{Row, Table};
use crate::store::{AdminStore, Store, StoreResult};

/// The flags of `candango audit`.
#[derive(Debug, Args)]
pub(super) struct AuditFlags {
    /// Only changes of this account, by its id
    #[arg(long)]
    account: Option<String>,
}

/// Why an operator changes something.
#[derive(Debug, Clone)]
pub(super) struct Reason(String);

/// A change to be recorded.
pub(super) struct Changed<'a> {
    /// The command: "account block".
    pub(super) action: &'a str,
    /// The account it changes.
    pub(super) account: Option<&'a AccountId>,
    /// What exactly; it names no address.
    pub(super) detail: String,
    /// Why.
    pub(super) reason: Option<&'a str>,
}

/// The audit log, as a command on the store writes it: see [`audited`].
pub(super) struct AuditLog<'s> {
    store: &'s dyn Store,
    /// What was recorded before anything was changed: the command and the account.
    recorded: OnceCell<(String, Option<AccountId>)>,
}

/// An entry as `--json` prints it.
#[derive(Serialize)]
struct Dated<'a> {
    #[serde(flatten)]
    entry: &'a AuditEntry,
    /// When, as the other commands write it.
    time: String,
}

impl FromStr for Reason {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Reason, Self::Err> {
        if text.trim().is_empty() {
            return Err("say why: it is for whoever reads the audit log");
        }
        match text.contains('@') {
            true => Err("leave out e-mail addresses: the audit log outlives the erasure of an account"),
            false => Ok(Reason(text.to_owned())),
        }
    }
}

impl Reason {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Runs a command that records what it changes, and records too when it fails after that: what was to be done is in the
/// log and in the export of the account, and must not be taken for done.
pub(super) async fn audited<T>(
    store: &dyn Store,
    run: impl AsyncFnOnce(&AuditLog<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let log = AuditLog { store, recorded: OnceCell::new() };
    let done = run(&log).await;
    if let Err(error) = &done {
        log.record_failure(error).await;
    }
    done
}

impl AuditLog<'_> {
    /// Records a change. Commands call it once, before they change anything, so that no change goes unrecorded, though
    /// the command is cut off.
    pub(super) async fn record(&self, changed: Changed<'_>) -> anyhow::Result<()> {
        let (action, account) = (changed.action.to_owned(), changed.account.cloned());
        let recorded = record(self.store, changed).await;
        recorded.context("the change cannot be recorded, so nothing was changed")?;
        let _ = self.recorded.set((action, account));
        Ok(())
    }

    /// Records what became of a recorded change.
    pub(super) async fn note(&self, action: &str, account: Option<&AccountId>, detail: String) {
        let changed = Changed { action, account, detail, reason: None };
        if let Err(error) = record(self.store, changed).await {
            tell(format_args!("warning: the audit log has the attempt and not what became of it: {error}"));
        }
    }

    async fn record_failure(&self, error: &anyhow::Error) {
        let Some((action, account)) = self.recorded.get() else { return };
        self.note(action, account.as_ref(), failed(error)).await;
    }
}

/// What became of a change that was recorded and failed.
pub(super) fn failed(error: &anyhow::Error) -> String {
    let why = format!("{error:#}");
    // the log outlives the erasure of an account
    let why = if why.contains('@') { String::new() } else { format!(": {why}") };
    format!("failed, so it is not done, or not all of it{why}")
}

/// Writes an entry. Commands on the store call it by [`AuditLog`].
pub(super) async fn record(store: &(impl AdminStore + ?Sized), changed: Changed<'_>) -> StoreResult<()> {
    let Changed { action, account, detail, reason } = changed;
    let entry = AuditEntry {
        at: Clock::machine().now(),
        actor: actor(),
        action: action.to_owned(),
        account: account.cloned(),
        detail,
        reason: reason.map(str::to_owned),
    };
    store.note(Row::of_audit(entry)).await
}

/// The user of this machine who runs the command; behind `sudo` the one who called it.
pub(super) fn actor() -> String {
    let user = ["SUDO_USER", "USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    // of a service and in a container nothing but its number may be known
    let user = user.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()));
    format!("{user}@{}", rustix::system::uname().nodename().to_string_lossy())
}

pub(super) fn run(config: &Config, flags: AuditFlags, json: bool) -> anyhow::Result<ExitCode> {
    with_store(config, async |store| {
        let mut entries: Vec<AuditEntry> =
            store.rows(&[Table::Audit], None).await?.iter().map(entry).collect();
        if let Some(account) = &flags.account {
            entries.retain(|entry| entry.account.as_ref().is_some_and(|id| id.as_str() == account));
        }
        // `at` is a number there, which scripts read
        let shown: Vec<Dated<'_>> =
            entries.iter().map(|entry| Dated { entry, time: entry.at.to_string() }).collect();
        show(json, &shown, || {
            if entries.is_empty() {
                let of = flags.account.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
                return format!("nothing{of} was changed by hand yet");
            }
            entries.iter().map(line).collect::<Vec<_>>().join("\n")
        })
    })
}

/// An entry as it is stored.
pub(super) fn entry(row: &Row) -> AuditEntry {
    let text = |column: &str| row.value(column).unwrap_or_default().to_owned();
    AuditEntry {
        at: UnixMillis(text("at").parse().unwrap_or_default()),
        actor: text("actor"),
        action: text("action"),
        account: row.value("account").map(|id| AccountId::from_stored(id.to_owned())),
        detail: text("detail"),
        reason: row.value("reason").map(str::to_owned),
    }
}

fn line(entry: &AuditEntry) -> String {
    let AuditEntry { at, actor, action, account, detail, reason } = entry;
    let account = account.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
    let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!("{at}  {actor}  {action}{account}: {detail}{reason}")
}
