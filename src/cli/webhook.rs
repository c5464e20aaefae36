//! `candango webhook`: the webhook of an account, for the operator; works while a server runs.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use clap::Subcommand;
use serde_json::json;
use tokio::runtime::Handle;

use super::audit::{AuditLog, Changed, audited};
use super::output::show;
use super::runtime::{check_noted, check_writable, with_store};
use super::whose::Whose;
use crate::config::Config;
use crate::domain::clock::Clock;
use crate::domain::hook::HookRecord;
use crate::notify::hooks::HookService;
use crate::store::journal::{Journal, NotedChanges};
use crate::store::{HookQueue, Store};

/// The commands of `candango webhook`.
#[derive(Debug, Subcommand)]
pub(super) enum WebhookCommand {
    /// Set the address, and print the secret that signs its messages, once
    #[command(
        after_help = "Example:\n  candango webhook set --email maria@example.com --url https://example.com/candango --json"
    )]
    Set {
        #[command(flatten)]
        whose: Whose,
        /// An https address
        #[arg(long)]
        url: String,
    },
    /// Show the address, and what came of the last message
    #[command(after_help = "Example:\n  candango webhook show --email maria@example.com")]
    Show(Whose),
    /// Queue a message that only says that the webhook works; a server sends it
    #[command(after_help = "Example:\n  candango webhook test --email maria@example.com")]
    Test(Whose),
    /// Remove the webhook, with the messages that wait for it
    #[command(after_help = "Example:\n  candango webhook remove --email maria@example.com")]
    Remove(Whose),
}

pub(super) fn run(config: &Config, command: WebhookCommand, json: bool) -> anyhow::Result<ExitCode> {
    with_store(config, async |store| {
        audited(&**store, async |log| run_on(config, store, log, &command, json).await).await
    })
}

async fn run_on(
    config: &Config,
    store: &Arc<dyn Store>,
    log: &AuditLog<'_>,
    command: &WebhookCommand,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let journal = Journal::of(&config.data);
    let changes = NotedChanges::new(journal.clone(), Handle::current());
    let allow_private = config.webhooks.allow_private;
    let hooks = HookService::new(store.clone(), Clock::machine(), changes, allow_private);
    let (WebhookCommand::Set { whose, .. }
    | WebhookCommand::Show(whose)
    | WebhookCommand::Test(whose)
    | WebhookCommand::Remove(whose)) = command;
    let (email, account) = (&whose.email, whose.account(&**store).await?.id);
    let change = |action, detail: &str| Changed {
        action,
        account: Some(&account),
        detail: detail.to_owned(),
        reason: None,
    };
    match command {
        WebhookCommand::Set { url, .. } => {
            check_writable(&journal)?;
            log.record(change("webhook set", "the address")).await?;
            let secret = hooks.set(&account, url).await?;
            let shown = show(json, &json!({ "url": url, "secret": secret.reveal() }), || {
                format!(
                    "{}\n\nIt signs the messages to {url}. Store it now: it cannot be shown again.",
                    secret.reveal()
                )
            })?;
            check_noted(&journal)?;
            Ok(shown)
        }
        WebhookCommand::Show(_) => {
            let Some(HookRecord { url, created_at, last, .. }) = hooks.hook(&account).await? else {
                bail!("{email} has no webhook");
            };
            let last = last.map(|(at, result)| json!({ "at": at.to_string(), "result": result }));
            show(json, &json!({ "url": url, "created_at": created_at.to_string(), "last": last }), || {
                let last = last.as_ref().map_or_else(|| "nothing sent yet".to_owned(), ToString::to_string);
                format!("{url}, set {created_at}\nlast: {last}")
            })
        }
        WebhookCommand::Test(_) => {
            match hooks.test(&account).await? {
                HookQueue::Queued => {}
                HookQueue::Full => bail!(
                    "not queued: as many messages wait for this webhook as may; `candango webhook show` says why"
                ),
                HookQueue::NoHook => bail!("{email} has no webhook"),
            }
            show(json, &json!({ "queued": true }), || {
                "Queued. `candango webhook show` says what came of it.".to_owned()
            })
        }
        WebhookCommand::Remove(_) => {
            check_writable(&journal)?;
            log.record(change("webhook remove", "with what waits for it")).await?;
            if !hooks.remove(&account).await? {
                bail!("{email} has no webhook");
            }
            check_noted(&journal)?;
            show(json, &json!({ "removed": true }), || "The webhook is removed.".to_owned())
        }
    }
}
