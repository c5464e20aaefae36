//! Issues API keys.

use crate::domain::account::{Account, AccountId, Email};
use crate::domain::api_key::{ApiKey, KeyRecord};
use crate::domain::base62::NoRandomness;
use crate::domain::clock::Clock;
use crate::domain::plan::Plan;
use crate::store::{AccountStore, StoreError};

/// A key issued to an account.
#[derive(Debug)]
pub struct Issued {
    /// The account, with the plan it has now.
    pub account: Account,
    /// The key, which is not available again.
    pub key: ApiKey,
}

/// Why no key was issued.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The operating system gave no randomness.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

/// Issues a key to the account of `email`, which is created if there is none, and puts the account on `plan`. Without a
/// plan it stays on its own.
pub async fn issue(
    store: &dyn AccountStore,
    clock: &Clock,
    email: Email,
    plan: Option<Plan>,
) -> Result<Issued, IssueError> {
    let key = ApiKey::generate()?;
    let now = clock.now();
    let account = Account::new(AccountId::generate()?, email, now);
    let account = store.issue_key(account, KeyRecord::of(&key, now), plan).await?;
    Ok(Issued { account, key })
}
