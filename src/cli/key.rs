//! `candango key`: keys by the operator's hand, beside a running server. Uses [`crate::domain::account`], [`crate::domain::clock`],
//! [`crate::config`] and [`crate::store`].

use std::process::ExitCode;

use anyhow::{Context, bail};
use serde::Serialize;

use super::{KeyCommand, show, store};
use crate::config::Config;
use crate::domain::account::{Account, AccountId, Email, Profile};
use crate::domain::api_key::{self, ApiKey, KeyHash, KeyRecord};
use crate::domain::clock::Clock;
use crate::domain::plan::Plan;
use crate::quota::keys;
use crate::store::Store;

pub(super) fn run(config: &Config, command: KeyCommand, json: bool) -> anyhow::Result<ExitCode> {
    store::with(config, async |store| match command {
        KeyCommand::Issue { email, plan } => issue(store, email.parse()?, plan, json).await,
        KeyCommand::Revoke { key, email } => revoke(store, &key, email.as_deref(), json).await,
        KeyCommand::Show { email } => show_account(store, &email.parse()?, json).await,
    })
}

async fn issue(store: &dyn Store, email: Email, plan: Option<Plan>, json: bool) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Printed<'a> {
        account: &'a AccountId,
        api_key: &'a str,
        plan: Plan,
    }
    // a further key must not take a plan away that was paid
    let plan = match plan {
        Some(plan) => plan,
        None => store.account(&email).await?.map_or(Plan::Free, |account| account.plan),
    };
    let issued = keys::issue(store, &Clock::machine(), email, plan).await?;
    let Account { id, email, plan, .. } = &issued.account;
    let key = issued.key.reveal();
    show(json, &Printed { account: id, api_key: key, plan: *plan }, || {
        format!("{key}\n\nFor {email} ({id}), on the {plan} plan. Keep it now: it cannot be shown again.")
    })
}

async fn revoke(store: &dyn Store, key: &str, email: Option<&str>, json: bool) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Printed<'a> {
        revoked: bool,
        last4: &'a str,
    }
    let hash = match (ApiKey::parse(key.as_bytes()), email) {
        (Some(key), _) => key.hash(),
        (None, Some(email)) => live_key(store, &email.parse()?, key).await?,
        (None, None) => bail!("give the whole key, or its last four characters and --email"),
    };
    if !store.revoke_key(hash, Clock::machine().now()).await? {
        bail!("there is no such key, or it was revoked before");
    }
    // Of a whole key too only the end is printed: the terminal need not have it twice.
    let last4 = key.get(key.len().saturating_sub(4)..).unwrap_or_default();
    show(json, &Printed { revoked: true, last4 }, || {
        format!("The key that ends in {last4} is revoked; a running server refuses it within a second.")
    })
}

/// The one live key of an account that ends so.
async fn live_key(store: &dyn Store, email: &Email, last4: &str) -> anyhow::Result<KeyHash> {
    let account = account_of(store, email).await?;
    let keys = store.keys(&account.id).await?;
    let mut live = keys.iter().filter(|key| key.revoked_at.is_none() && key.last4 == last4);
    match (live.next(), live.next()) {
        (Some(key), None) => Ok(key.hash),
        (None, _) => bail!("{email} has no live key that ends so"),
        (Some(_), Some(_)) => bail!("{email} has several keys that end so: give the whole key"),
    }
}

pub(super) async fn account_of(store: &dyn Store, email: &Email) -> anyhow::Result<Account> {
    store.account(email).await?.with_context(|| format!("there is no account of {email}"))
}

async fn show_account(store: &dyn Store, email: &Email, json: bool) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Printed<'a> {
        account: &'a AccountId,
        email: &'a Email,
        plan: Plan,
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
    let account = account_of(store, email).await?;
    let keys = store.keys(&account.id).await?;
    let profile = store.profile(&account.id).await?;
    let printed = Printed {
        account: &account.id,
        email: &account.email,
        plan: account.plan,
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
        let Account { id, email, plan, created_at } = &account;
        let said = [("name", &profile.name), ("company", &profile.company), ("use case", &profile.use_case)];
        let said: String =
            said.iter().filter_map(|(what, text)| Some(format!("\n{what}: {}", text.as_ref()?))).collect();
        let keys: String = keys.iter().map(|key| format!("\n  {}", line(key))).collect();
        format!("{email} ({id}), on the {plan} plan, opened {created_at}{said}\nkeys:{keys}")
    })
}

fn line(key: &KeyRecord) -> String {
    let KeyRecord { first4, last4, created_at, .. } = key;
    let end = key.revoked_at.map(|at| format!(", revoked {at}")).unwrap_or_default();
    format!("{}{first4}…{last4}, made {created_at}{end}", api_key::PREFIX)
}
