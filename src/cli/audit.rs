//! `candango audit`: the log of what operators changed, and how the other commands write it.

use std::process::ExitCode;
use std::str::FromStr;

use clap::Args;
use serde::Serialize;

use super::output::show;
use super::runtime::with_store;
use crate::config::Config;
use crate::domain::account::AccountId;
use crate::domain::audit::AuditEntry;
use crate::domain::clock::{Clock, UnixMillis};
use crate::store::rows::{Row, Table};
use crate::store::{AdminStore, StoreResult};

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

/// Records a change. Commands call it before they change anything, so that no change goes unrecorded, though the
/// command is cut off; those about accounts record too that it failed.
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
