//! `candango account`: accounts, for the operator; works while a server runs.

use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;
use serde_json::json;

use super::output::show;
use super::{key, store};
use crate::config::Config;
use crate::domain::account::Email;
use crate::domain::plan::Plan;
use crate::store::Store;

/// The commands of `candango account`.
#[derive(Debug, Subcommand)]
pub(super) enum AccountCommand {
    /// Put an account on a plan; servers apply it within a second
    #[command(after_help = "Example:\n  candango account plan --email maria@example.com --plan pro")]
    Plan {
        /// The e-mail address of the account
        #[arg(long)]
        email: String,
        /// free, gringo, pro or business
        #[arg(long)]
        plan: Plan,
    },
}

pub(super) fn run(config: &Config, command: AccountCommand, json: bool) -> anyhow::Result<ExitCode> {
    store::with(config, async |store| match command {
        AccountCommand::Plan { email, plan } => set_plan(store, &email.parse()?, plan, json).await,
    })
}

async fn set_plan(store: &dyn Store, email: &Email, plan: Plan, json: bool) -> anyhow::Result<ExitCode> {
    let account = key::account_of(store, email).await?;
    if !store.set_plan(&account.id, plan).await? {
        bail!("no account has the e-mail address {email}");
    }
    let was = account.plan;
    show(json, &json!({ "account": account.id, "email": email, "plan": plan }), || {
        format!("{email} ({}) is on the {plan} plan now; before it was on {was}.", account.id)
    })
}
