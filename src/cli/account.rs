//! `candango account`: accounts by the operator's hand, beside a running server. Uses [`crate::domain::account`],
//! [`crate::config`] and [`crate::store`].

use std::process::ExitCode;

use anyhow::bail;
use serde::Serialize;

use super::{AccountCommand, key, show, store};
use crate::config::Config;
use crate::domain::account::{AccountId, Email};
use crate::domain::plan::Plan;
use crate::store::Store;

pub(super) fn run(config: &Config, command: AccountCommand, json: bool) -> anyhow::Result<ExitCode> {
    store::with(config, async |store| match command {
        AccountCommand::Plan { email, plan } => put_on(store, &email.parse()?, plan, json).await,
    })
}

async fn put_on(store: &dyn Store, email: &Email, plan: Plan, json: bool) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Printed<'a> {
        account: &'a AccountId,
        email: &'a Email,
        plan: Plan,
    }
    let account = key::account_of(store, email).await?;
    if !store.set_plan(&account.id, plan).await? {
        bail!("there is no account of {email}");
    }
    let was = account.plan;
    show(json, &Printed { account: &account.id, email, plan }, || {
        format!("{email} ({}) is on the {plan} plan now; it was {was}.", account.id)
    })
}
