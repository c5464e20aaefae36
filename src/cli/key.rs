//! `candango key`: API keys, for the operator; works while a server runs.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use super::audit::{AuditLog, Changed, audited};
use super::output::{named, show};
use super::runtime::with_new_store;
use super::whose::{Whose, account_of, subscription_of};
use crate::config::Config;
use crate::domain::account::{Account, AccountId, Email, Profile};
use crate::domain::api_key::{self, ApiKey, KeyHash, KeyRecord};
use crate::domain::clock::Clock;
use crate::domain::order::Renewal;
use crate::domain::plan::Plan;
use crate::quota::issue;
use crate::store::journal::{Ended, Journal};
use crate::store::{Silent, Store};

/// The commands of `candango key`.
#[derive(Debug, Subcommand)]
pub(super) enum KeyCommand {
    /// Issue a key and print it once; creates the account if the address is new
    #[command(after_help = "Example:\n  candango key issue --email maria@example.com --plan pro --json")]
    Issue {
        #[command(flatten)]
        whose: Whose,
        /// free, gringo, pro or business [default: the current plan, or free for a new account]
        #[arg(long)]
        plan: Option<Plan>,
    },
    /// Revoke a key; servers refuse it within a second
    #[command(after_help = "Examples:\n  candango key revoke cdg_live_...\n  \
                            candango key revoke Wx9z --email maria@example.com")]
    Revoke {
        /// The whole key, or its last four characters
        key: String,
        /// The e-mail address of its account; required with the last four characters
        #[arg(long)]
        email: Option<Email>,
    },
    /// Show an account and its keys (first and last four characters)
    #[command(after_help = "Example:\n  candango key show --email maria@example.com")]
    Show(Whose),
}

pub(super) fn run(config: &Config, command: KeyCommand, json: bool) -> anyhow::Result<ExitCode> {
    with_new_store(config, async |store| {
        let store = &**store;
        audited(store, async |log| match command {
            KeyCommand::Issue { whose, plan } => issue(store, log, whose.email, plan, json).await,
            KeyCommand::Revoke { key, email } => {
                revoke(store, log, &config.data, &key, email.as_ref(), json).await
            }
            KeyCommand::Show(whose) => show_account(store, &whose.account(store).await?, json).await,
        })
        .await
    })
}

async fn issue(
    store: &dyn Store,
    log: &AuditLog<'_>,
    email: Email,
    plan: Option<Plan>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let known = store.account(&email).await?;
    if known.as_ref().is_some_and(|account| account.is_blocked) {
        bail!("{email} is blocked: `candango account unblock` first");
    }
    if let (Some(plan), Some(known)) = (plan, &known)
        && plan != known.plan
    {
        let subscription = subscription_of(store, &known.id).await?;
        if subscription.granted().is_some() {
            bail!(
                "{email} has a granted plan, whose end would undo --plan {plan}: leave out --plan, or use `candango account grant`"
            );
        }
        let is_charging = subscription.orders.iter().any(|order| order.renewal != Renewal::Ended);
        if is_charging || subscription.paid_time_at(Clock::machine().now()).is_some() {
            bail!(
                "{email} has a subscription, and would pay for another plan than {plan}: leave out --plan, or use \
                 `candango account plan`"
            );
        }
    }
    let account = known.as_ref().map(|account| &account.id);
    let detail = plan.map_or("a key".to_owned(), |plan| format!("a key, plan {plan}"));
    log.record(Changed { action: "key issue", account, detail, reason: None }).await?;
    let issued = issue::issue(store, &Clock::machine(), email, plan).await?;
    let Account { id, email, plan, .. } = &issued.account;
    if known.is_none() {
        log.note("account create", Some(id), format!("by key issue, plan {plan}")).await;
    }
    let key = issued.key.reveal();
    show(json, &json!({ "account": id, "api_key": key, "plan": plan }), || {
        format!("{key}\n\nFor {email} ({id}), on the {plan} plan. Store it now: it cannot be shown again.")
    })
}

async fn revoke(
    store: &dyn Store,
    log: &AuditLog<'_>,
    data: &Path,
    key: &str,
    email: Option<&Email>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    #[derive(Serialize)]
    struct Printed<'a> {
        revoked: bool,
        last4: &'a str,
        silent_servers: &'a Silent,
    }
    let hash = match (ApiKey::parse(key.as_bytes()), email) {
        (Some(key), _) => key.hash(),
        (None, Some(email)) => active_key(store, email, key).await?,
        (None, None) => bail!("give the whole key, or its last four characters and --email"),
    };
    // only the end, so that the key does not appear in the output as well
    let last4 = key.get(key.len().saturating_sub(4)..).unwrap_or_default();
    const NOT_LIVE: &str = "this key does not exist or was revoked before";
    let account = store.account_of_key(hash).await?.context(NOT_LIVE)?.id;
    let detail = format!("the key that ends in {last4}");
    log.record(Changed { action: "key revoke", account: Some(&account), detail, reason: None }).await?;
    let now = Clock::machine().now();
    // before the store, whose call waits for servers: an interrupted command must not leave a key that a backup brings
    // back
    Journal::of(data).append(&Ended::key(hash, now)).context("the journal cannot be written")?;
    let silent = store.revoke_key(hash, now).await?.context(NOT_LIVE)?;
    show(json, &Printed { revoked: true, last4, silent_servers: &silent }, || {
        format!(
            "The key that ends in {last4} is revoked: {}.{}\nWho reads the mailbox of the account can still get a new key by \
             recovery: `candango account block` stops that too.",
            if silent.is_empty() {
                "a running server refuses it within a second"
            } else {
                "servers refuse it"
            },
            named(&silent)
        )
    })
}

/// The active key of an account that ends with `last4`.
async fn active_key(store: &dyn Store, email: &Email, last4: &str) -> anyhow::Result<KeyHash> {
    let account = account_of(store, email).await?;
    let keys = store.keys(&account.id).await?;
    let mut active = keys.iter().filter(|key| key.revoked_at.is_none() && key.last4 == last4);
    match (active.next(), active.next()) {
        (Some(key), None) => Ok(key.hash),
        (None, _) => bail!("{email} has no active key that ends with {last4:?}"),
        (Some(_), Some(_)) => bail!("{email} has several keys that end with {last4:?}: give the whole key"),
    }
}

async fn show_account(store: &dyn Store, account: &Account, json: bool) -> anyhow::Result<ExitCode> {
    #[derive(Serialize)]
    struct Printed<'a> {
        account: &'a AccountId,
        email: &'a Email,
        plan: Plan,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        blocked: bool,
        created_at: String,
        #[serde(flatten)]
        profile: &'a Profile,
        keys: Vec<PrintedKey<'a>>,
    }
    #[derive(Serialize)]
    struct PrintedKey<'a> {
        first4: &'a str,
        last4: &'a str,
        created_at: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        revoked_at: Option<String>,
    }
    let keys = store.keys(&account.id).await?;
    let profile = store.profile(&account.id).await?;
    let printed = Printed {
        account: &account.id,
        email: &account.email,
        plan: account.plan,
        blocked: account.is_blocked,
        created_at: account.created_at.to_string(),
        profile: &profile,
        keys: keys
            .iter()
            .map(|key| PrintedKey {
                first4: &key.first4,
                last4: &key.last4,
                created_at: key.created_at.to_string(),
                revoked_at: key.revoked_at.map(|at| at.to_string()),
            })
            .collect(),
    };
    show(json, &printed, || {
        let Account { id, email, plan, created_at, .. } = account;
        let details =
            [("name", &profile.name), ("company", &profile.company), ("use case", &profile.use_case)];
        let details: String =
            details.iter().filter_map(|(what, text)| Some(format!("\n{what}: {}", text.as_ref()?))).collect();
        let keys: String = keys.iter().map(|key| format!("\n  {}", line(key))).collect();
        let blocked = match account.is_blocked {
            true => {
                "\nblocked: every server refuses its keys; `candango account show` says since when and why"
            }
            false => "",
        };
        format!("{email} ({id}), on the {plan} plan, opened {created_at}{blocked}{details}\nkeys:{keys}")
    })
}

fn line(key: &KeyRecord) -> String {
    let KeyRecord { first4, last4, created_at, .. } = key;
    let end = key.revoked_at.map(|at| format!(", revoked {at}")).unwrap_or_default();
    format!("{}{first4}…{last4}, issued {created_at}{end}", api_key::PREFIX)
}
