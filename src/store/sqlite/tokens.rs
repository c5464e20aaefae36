//! Tokens.

use async_trait::async_trait;
use rusqlite::{Result, Row, params};

use super::Sqlite;
use super::rows::{account_by_id, execute, exists, find, find_all, sql_limit};
use crate::domain::account::{Account, AccountId, TokenId};
use crate::domain::api_key::KeyHash;
use crate::domain::token::TokenRecord;
use crate::store::{StoreResult, TokenStore};

#[async_trait]
impl TokenStore for Sqlite {
    async fn add_token(&self, token: TokenRecord, max: usize) -> StoreResult<bool> {
        self.write_account(move |db| {
            let TokenRecord { id, account, hash, last4, scope, created_at } = token;
            if exists(db, "SELECT 1 FROM tokens WHERE id = ?1", [&id])? {
                // a repeated request
                return Ok((true, Some(account)));
            }
            let sql = "INSERT INTO tokens (id, account, hash, last4, origins, created_at)
                       SELECT ?1, id, ?3, ?4, ?5, ?6 FROM accounts
                       WHERE id = ?2 AND (SELECT count(*) FROM tokens WHERE account = ?2) < ?7";
            let max = sql_limit(max);
            let values = params![id, account, hash, last4, scope, created_at, max];
            let is_added = execute(db, sql, values)? > 0;
            Ok((is_added, is_added.then_some(account)))
        })
        .await
    }

    async fn tokens(&self, account: &AccountId) -> StoreResult<Vec<TokenRecord>> {
        let account = account.clone();
        self.read(move |db| {
            let sql = "SELECT id, account, hash, last4, origins, created_at FROM tokens
                       WHERE account = ?1 ORDER BY created_at, id";
            find_all(db, sql, [account], token)
        })
        .await
    }

    async fn account_of_token(&self, hash: KeyHash) -> StoreResult<Option<(Account, TokenRecord)>> {
        self.read(move |db| {
            let sql = "SELECT id, account, hash, last4, origins, created_at FROM tokens WHERE hash = ?1";
            let Some(token) = find(db, sql, [hash], token)? else { return Ok(None) };
            Ok(account_by_id(db, &token.account)?.map(|account| (account, token)))
        })
        .await
    }

    async fn revoke_token(&self, account: &AccountId, token: &TokenId) -> StoreResult<bool> {
        let (account, token) = (account.clone(), token.clone());
        self.write_account(move |db| {
            let sql = "DELETE FROM tokens WHERE id = ?1 AND account = ?2";
            let is_revoked = execute(db, sql, params![token, account])? > 0;
            Ok((is_revoked, is_revoked.then_some(account)))
        })
        .await
    }
}

/// Reads `id, account, hash, last4, origins, created_at`.
fn token(row: &Row<'_>) -> Result<TokenRecord> {
    let (id, account, hash, last4, scope, created_at) = row.try_into()?;
    Ok(TokenRecord { id, account, hash, last4, scope, created_at })
}
