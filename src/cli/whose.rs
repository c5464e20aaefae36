//! Whose account a command is about, and what the commands read of it.

use anyhow::Context;
use clap::Args;

use crate::billing::subscription::Subscription;
use crate::domain::account::{Account, AccountId, Email};
use crate::store::Store;

/// Whose account.
#[derive(Debug, Args)]
pub(super) struct Whose {
    /// The e-mail address of the account
    #[arg(long)]
    pub(super) email: Email,
}

impl Whose {
    /// Their account.
    pub(super) async fn account(&self, store: &dyn Store) -> anyhow::Result<Account> {
        account_of(store, &self.email).await
    }
}

/// The account that has this address.
pub(super) async fn account_of(store: &dyn Store, email: &Email) -> anyhow::Result<Account> {
    store.account(email).await?.with_context(|| format!("no account has the e-mail address {email}"))
}

/// What an account ordered, paid for and was granted.
pub(super) async fn subscription_of(store: &dyn Store, account: &AccountId) -> anyhow::Result<Subscription> {
    let record = store.subscription_record(account).await?;
    Subscription::parse(&record.text).context("the stored subscription cannot be parsed")
}
