//! Tokens: a hash for each, and their ids by account.

use async_trait::async_trait;
use redis::{FromRedisValue, ParsingError, Value};

use super::wire::ChangeId;
use super::{Redis, scripts};
use crate::domain::account::{Account, AccountId, TokenId};
use crate::domain::api_key::KeyHash;
use crate::domain::token::TokenRecord;
use crate::store::{StoreResult, TokenStore};

#[async_trait]
impl TokenStore for Redis {
    async fn add_token(&self, token: TokenRecord, max: usize) -> StoreResult<bool> {
        let TokenRecord { id, account, hash, last4, scope, created_at } = token;
        let token = (max, id, account, hash, last4, scope, created_at);
        let change: Option<ChangeId> = self.run(&scripts::ADD_TOKEN, token).await?;
        let Some(change) = change else { return Ok(false) };
        self.handled_here(change).await?;
        Ok(true)
    }

    async fn tokens(&self, account: &AccountId) -> StoreResult<Vec<TokenRecord>> {
        let mut tokens: Vec<TokenRecord> = self.run(&scripts::TOKENS, account).await?;
        tokens.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        Ok(tokens)
    }

    async fn account_of_token(&self, token: KeyHash) -> StoreResult<Option<(Account, TokenRecord)>> {
        self.run(&scripts::ACCOUNT_OF_TOKEN, token).await
    }

    async fn revoke_token(&self, account: &AccountId, token: &TokenId) -> StoreResult<bool> {
        let change = self.run(&scripts::REVOKE_TOKEN, (account, token)).await?;
        self.changed_keys(change).await
    }
}

impl FromRedisValue for TokenRecord {
    fn from_redis_value(value: Value) -> Result<TokenRecord, ParsingError> {
        let (id, account, hash, last4, scope, created_at) = redis::from_redis_value(value)?;
        Ok(TokenRecord { id, account, hash, last4, scope, created_at })
    }
}
