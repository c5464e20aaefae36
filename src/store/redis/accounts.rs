//! Accounts, keys, recovery codes and rate limits.

use std::time::Duration;

use super::values::{AccountFields, account, hex, key_fields, key_hash, mail_fields};
use super::wire::{ChangeId, millis};
use super::{Redis, scripts};
use crate::domain::account::{Account, AccountId, Email, Profile};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::domain::plan::Plan;
use crate::store::{
    AccessRequest, AccountStore, CodeRecord, CodeRedemption, KeyReplacement, NewKey, RateLimit,
    RateLimitStore, StoreError, StoreFuture,
};

/// A recovery code is deleted after this time, whenever it expires.
const FORGET_CODE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

impl RateLimitStore for Redis {
    fn count_attempt(&self, limits: Vec<RateLimit>, now: UnixMillis) -> StoreFuture<'_, Option<usize>> {
        Box::pin(async move {
            let limits: Vec<_> = limits
                .iter()
                .map(|limit| (&limit.name, limit.max, limit.ends_at.0.saturating_sub(now.0)))
                .collect();
            self.run(&scripts::COUNT_ATTEMPT, limits).await
        })
    }
}

impl AccountStore for Redis {
    fn issue_key(&self, new: NewKey) -> StoreFuture<'_, Account> {
        Box::pin(async move {
            let NewKey { account: Account { id, email, plan, created_at }, key } = new;
            let (found, change): (AccountFields, ChangeId) = self
                .run(
                    &scripts::ISSUE_KEY,
                    (id.as_str(), email.as_str(), plan.as_str(), created_at.0, key_fields(&key)),
                )
                .await?;
            self.handled_here(change).await?;
            account(found)
        })
    }

    fn account(&self, email: &Email) -> StoreFuture<'_, Option<Account>> {
        let email = email.clone();
        Box::pin(async move {
            let found: Option<AccountFields> = self.run(&scripts::ACCOUNT, (email.as_str(),)).await?;
            found.map(account).transpose()
        })
    }

    fn profile(&self, account: &AccountId) -> StoreFuture<'_, Profile> {
        let account = account.clone();
        Box::pin(async move {
            let (name, company, use_case) = self.run(&scripts::PROFILE, (account.as_str(),)).await?;
            Ok(Profile { name, company, use_case })
        })
    }

    fn keys(&self, account: &AccountId) -> StoreFuture<'_, Vec<KeyRecord>> {
        let account = account.clone();
        Box::pin(async move {
            let found: Vec<(String, String, String, i64, Option<i64>)> =
                self.run(&scripts::KEYS, (account.as_str(),)).await?;
            let record = |(hash, first4, last4, created_at, revoked_at): (String, _, _, _, Option<i64>)| {
                Ok(KeyRecord {
                    hash: key_hash(&hash)?,
                    first4,
                    last4,
                    created_at: UnixMillis(created_at),
                    revoked_at: revoked_at.map(UnixMillis),
                })
            };
            let mut keys = found.into_iter().map(record).collect::<Result<Vec<KeyRecord>, StoreError>>()?;
            keys.sort_by_key(|key| (key.created_at, key.hash.0));
            Ok(keys)
        })
    }

    fn account_of_key(&self, key: KeyHash) -> StoreFuture<'_, Option<Account>> {
        Box::pin(async move {
            let found: Option<AccountFields> = self.run(&scripts::ACCOUNT_OF_KEY, (hex(&key.0),)).await?;
            found.map(account).transpose()
        })
    }

    fn revoke_key(&self, key: KeyHash, at: UnixMillis) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let change: Option<ChangeId> = self.run(&scripts::REVOKE_KEY, (hex(&key.0), at.0)).await?;
            self.changed_keys(change).await
        })
    }

    fn replace_keys(&self, replacement: KeyReplacement) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let KeyReplacement { account, old, new, mail } = replacement;
            let old = old.map(|old| hex(&old.0)).unwrap_or_default();
            let change: Option<ChangeId> = self
                .run(&scripts::REPLACE_KEYS, (account.as_str(), old, key_fields(&new), mail_fields(&mail)))
                .await?;
            self.changed_keys(change).await
        })
    }

    fn set_plan(&self, account: &AccountId, plan: Plan) -> StoreFuture<'_, bool> {
        let account = account.clone();
        Box::pin(async move {
            let change: Option<ChangeId> =
                self.run(&scripts::SET_PLAN, (account.as_str(), plan.as_str())).await?;
            let Some(change) = change else { return Ok(false) };
            self.handled_here(change).await?;
            Ok(true)
        })
    }

    fn request_access(&self, request: AccessRequest) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let AccessRequest { email, new_account, mail, at } = request;
            let mail = (email.as_str(), mail.as_str(), at.0);
            match &new_account {
                None => self.run(&scripts::REQUEST_ACCESS, (mail, "")).await,
                Some((Account { id, plan, created_at, .. }, Profile { name, company, use_case })) => {
                    let profile = [("name", name), ("company", company), ("use_case", use_case)];
                    let profile: Vec<_> = profile
                        .into_iter()
                        .filter_map(|(name, value)| Some((name, value.as_ref()?)))
                        .collect();
                    let new_account = (id.as_str(), plan.as_str(), created_at.0);
                    self.run(&scripts::REQUEST_ACCESS, (mail, new_account, profile)).await
                }
            }
        })
    }

    fn save_recovery_code(&self, account: &AccountId, code: CodeRecord) -> StoreFuture<'_, ()> {
        let account = account.clone();
        Box::pin(async move {
            let CodeRecord { hash, expires_at, tries } = code;
            let forget = millis(FORGET_CODE);
            self.run(
                &scripts::SAVE_RECOVERY_CODE,
                (account.as_str(), hex(&hash.0), expires_at.0, tries, forget),
            )
            .await
        })
    }

    fn redeem_recovery_code(&self, redemption: CodeRedemption) -> StoreFuture<'_, Option<Account>> {
        Box::pin(async move {
            let CodeRedemption { email, code, new, mail } = redemption;
            let redeemed: Option<(AccountFields, ChangeId)> = self
                .run(
                    &scripts::REDEEM_RECOVERY_CODE,
                    (email.as_str(), hex(&code.0), key_fields(&new), mail_fields(&mail)),
                )
                .await?;
            let Some((found, change)) = redeemed else { return Ok(None) };
            self.handled_everywhere(change).await?;
            account(found).map(Some)
        })
    }
}
