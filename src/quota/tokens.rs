//! Tokens beside the keys of an account, for web pages and for calendar programs: making, listing and revoking them.

use std::path::Path;
use std::sync::Arc;

use rand::rngs::SysError;

use crate::domain::account::{AccountId, TokenId};
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
    #[error("the operating system's source of randomness failed: {0}")]
    Randomness(#[from] SysError),
}

impl TokenService {
    /// The tokens of a store, for a process with the data folder `data`.
    pub fn new(store: Arc<dyn TokenStore>, clock: Clock, data: &Path) -> TokenService {
        TokenService { store, clock, journal: Journal::of(data) }
    }

    /// Makes a token that works there.
    pub async fn issue(&self, account: AccountId, scope: Scope) -> Result<(Token, TokenRecord), TokenError> {
        let token = Token::generate(scope.kind())?;
        let record = TokenRecord::of(&token, account, scope, self.clock.now())?;
        match self.store.add_token(record.clone(), MAX_TOKENS).await? {
            true => Ok((token, record)),
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
