//! Tokens beside the keys of an account, for web pages and for calendar programs: making, listing and revoking them.

use std::sync::Arc;

use crate::domain::account::{AccountId, TokenId};
use crate::domain::base62::NoRandomness;
use crate::domain::clock::Clock;
use crate::domain::token::{MAX_TOKENS, Scope, Token, TokenRecord};
use crate::store::journal::{Ended, Journal};
use crate::store::{StoreError, TokenStore};

/// Makes, lists and revokes tokens.
#[derive(Debug)]
pub struct TokenService {
    store: Arc<dyn TokenStore>,
    clock: Clock,
    journal: Journal,
}

/// Why no token was made.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The account has as many as it may, or is gone.
    #[error("the account has {MAX_TOKENS} tokens already, of all kinds: revoke one first")]
    TooMany,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The operating system gave no randomness.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

impl TokenService {
    /// The tokens of a store, and the journal of the process.
    pub fn new(store: Arc<dyn TokenStore>, clock: Clock, journal: Journal) -> TokenService {
        TokenService { store, clock, journal }
    }

    /// Makes a token that works there.
    pub async fn issue(&self, account: AccountId, scope: Scope) -> Result<(Token, TokenRecord), TokenError> {
        let (token, record) = self.make(account, scope)?;
        self.add(record.clone()).await?;
        Ok((token, record))
    }

    /// Makes a token that works nowhere before it is added.
    pub fn make(&self, account: AccountId, scope: Scope) -> Result<(Token, TokenRecord), TokenError> {
        let token = Token::generate(scope.kind())?;
        let record = TokenRecord::of(&token, account, scope, self.clock.now())?;
        Ok((token, record))
    }

    /// Adds a token, which works from then on.
    pub async fn add(&self, record: TokenRecord) -> Result<(), TokenError> {
        match self.store.add_token(record, MAX_TOKENS).await? {
            true => Ok(()),
            false => Err(TokenError::TooMany),
        }
    }

    /// The tokens of an account, oldest first.
    pub async fn list(&self, account: &AccountId) -> Result<Vec<TokenRecord>, StoreError> {
        self.store.tokens(account).await
    }

    /// Revokes a token; false when the account has no such token. No server accepts it any more when this returns.
    pub async fn revoke(&self, account: &AccountId, token: &TokenId) -> Result<bool, StoreError> {
        if self.store.tokens(account).await?.iter().all(|known| known.id != *token) {
            return Ok(false);
        }
        // before the store, whose call waits for servers: a request that is dropped meanwhile must not leave a token
        // that a restored backup brings back
        self.journal.note(Ended::Token { id: token.clone(), at: self.clock.now() }).await;
        self.store.revoke_token(account, token).await
    }
}
