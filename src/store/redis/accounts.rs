//! Accounts, keys, recovery codes and rate limits.

use async_trait::async_trait;
use redis::ToRedisArgs;

use super::values::{key_fields, mail_fields};
use super::wire::ChangeId;
use super::{Redis, scripts};
use crate::domain::account::{Account, AccountId, Email, MailId, Profile};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::domain::code::CodeHash;
use crate::domain::mail::MailKind;
use crate::domain::plan::Plan;
use crate::store::{
    AccessRequest, AccessRequestKind, AccountStore, AddressChange, Allowance, CodeExchange, CodeRecord,
    CodeRedemption, EmailChange, KeyReplacement, RateLimit, RateLimitStore, Reached, Silent, StoreResult,
};

/// The codes and sessions of an account are deleted after this time, whenever they expire.
pub(super) const FORGET_CODE_MILLIS: u64 = 7 * 24 * 60 * 60 * 1_000;

#[async_trait]
impl RateLimitStore for Redis {
    async fn count_attempt(&self, limits: Vec<RateLimit>, now: UnixMillis) -> StoreResult<Option<Reached>> {
        let reached: Option<(usize, i64)> =
            self.run(&scripts::COUNT_ATTEMPT, limit_fields(limits, now)).await?;
        Ok(reached.map(|(index, wait)| Reached { index, retry_at: UnixMillis(now.0.saturating_add(wait)) }))
    }
}

#[async_trait]
impl AccountStore for Redis {
    async fn issue_key(&self, new: Account, key: KeyRecord, plan: Option<Plan>) -> StoreResult<Account> {
        let of_new = plan.unwrap_or(new.plan);
        let of_known = plan.map_or("", Plan::as_str);
        let (account, change): (Account, ChangeId) = self
            .run(&scripts::ISSUE_KEY, (new.id, new.email, of_new, of_known, new.created_at, key_fields(&key)))
            .await?;
        self.handled_here(change).await?;
        Ok(account)
    }

    async fn account(&self, email: &Email) -> StoreResult<Option<Account>> {
        self.run(&scripts::ACCOUNT, email).await
    }

    async fn profile(&self, account: &AccountId) -> StoreResult<Profile> {
        let (name, company, use_case) = self.run(&scripts::PROFILE, account).await?;
        Ok(Profile { name, company, use_case })
    }

    async fn keys(&self, account: &AccountId) -> StoreResult<Vec<KeyRecord>> {
        let found: Vec<_> = self.run(&scripts::KEYS, account).await?;
        let record = |(hash, first4, last4, created_at, revoked_at)| KeyRecord {
            hash,
            first4,
            last4,
            created_at,
            revoked_at,
        };
        let mut keys: Vec<KeyRecord> = found.into_iter().map(record).collect();
        keys.sort_by_key(|key| (key.created_at, key.hash.0));
        Ok(keys)
    }

    async fn account_of_key(&self, key: KeyHash) -> StoreResult<Option<Account>> {
        self.run(&scripts::ACCOUNT_OF_KEY, key).await
    }

    async fn revoke_key(&self, key: KeyHash, at: UnixMillis) -> StoreResult<Option<Silent>> {
        let change = self.run(&scripts::REVOKE_KEY, (key, at)).await?;
        self.handled_change(change).await
    }

    async fn replace_keys(&self, replacement: KeyReplacement) -> StoreResult<bool> {
        let KeyReplacement { account, old, new, mail } = replacement;
        // scripts take an empty text for none
        let old = old.map_or_else(|| "".to_redis_args(), |old| old.to_redis_args());
        let change =
            self.run(&scripts::REPLACE_KEYS, (account, old, key_fields(&new), mail_fields(&mail))).await?;
        self.changed_keys(change).await
    }

    async fn set_plan(
        &self,
        account: &AccountId,
        plan: Plan,
        mail: &MailId,
        at: UnixMillis,
    ) -> StoreResult<bool> {
        let change: Option<ChangeId> = self.run(&scripts::SET_PLAN, (account, plan, mail, at)).await?;
        let Some(change) = change else { return Ok(false) };
        self.handled_here(change).await?;
        Ok(true)
    }

    async fn request_access(&self, request: AccessRequest) -> StoreResult<()> {
        let AccessRequest { email, kind: asked, mail, limits, at } = request;
        let kind = match asked {
            AccessRequestKind::SignIn => MailKind::SignIn.as_str(),
            AccessRequestKind::SignUp(..) | AccessRequestKind::Recover => "",
        };
        let limits = limit_fields(limits, at);
        let mail = (email, mail, at, kind, limits.len(), limits);
        let Some((Account { id, plan, created_at, .. }, profile)) = asked.into_new_account() else {
            return self.run(&scripts::REQUEST_ACCESS, (mail, "")).await;
        };
        let Profile { name, company, use_case } = profile;
        let profile = [("name", name), ("company", company), ("use_case", use_case)];
        let profile: Vec<_> = profile.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        self.run(&scripts::REQUEST_ACCESS, (mail, (id, plan, created_at), profile)).await
    }

    async fn save_code(&self, account: &AccountId, code: CodeRecord) -> StoreResult<()> {
        let CodeRecord { hash, expires_at, at } = code;
        let code = (account, hash, expires_at, at, FORGET_CODE_MILLIS);
        self.run(&scripts::SAVE_CODE, code).await
    }

    async fn save_key_session(
        &self,
        account: &AccountId,
        session: CodeRecord,
        max: usize,
    ) -> StoreResult<()> {
        let CodeRecord { hash, expires_at, at } = session;
        let session = (account, hash, expires_at, at, FORGET_CODE_MILLIS, max);
        self.run(&scripts::SAVE_KEY_SESSION, session).await
    }

    async fn redeem_recovery_code(&self, redemption: CodeRedemption) -> StoreResult<Option<Account>> {
        let CodeRedemption { email, code, new, mail, renewed } = redemption;
        let redemption = (email, code, key_fields(&new), mail_fields(&mail), renewed);
        let redeemed: Option<(Account, ChangeId)> =
            self.run(&scripts::REDEEM_RECOVERY_CODE, redemption).await?;
        let Some((account, change)) = redeemed else { return Ok(None) };
        self.handled_everywhere(change).await?;
        Ok(Some(account))
    }

    async fn exchange_code(&self, exchange: CodeExchange) -> StoreResult<Option<Account>> {
        let CodeExchange { account, code, session: CodeRecord { hash, expires_at, at }, renewed } = exchange;
        let exchange = (account, code, hash, expires_at, at, FORGET_CODE_MILLIS, renewed);
        self.run(&scripts::EXCHANGE_CODE, exchange).await
    }

    async fn account_of_session(
        &self,
        account: &AccountId,
        session: CodeHash,
        at: UnixMillis,
    ) -> StoreResult<Option<Account>> {
        self.run(&scripts::ACCOUNT_OF_SESSION, (account, session, at)).await
    }

    async fn mail_new_address(
        &self,
        account: &AccountId,
        to: &Email,
        mail: &MailId,
        at: UnixMillis,
    ) -> StoreResult<()> {
        self.run::<bool>(&scripts::MAIL_NEW_ADDRESS, (account, to, mail, at)).await.map(drop)
    }

    async fn redeem_new_address(&self, change: AddressChange) -> StoreResult<Option<EmailChange>> {
        let AddressChange { account, code, email, notice, at } = change;
        let changed: Option<u8> =
            self.run(&scripts::REDEEM_NEW_ADDRESS, (account, code, email, notice, at)).await?;
        Ok(changed.map(|done| if done == 1 { EmailChange::Done } else { EmailChange::Taken }))
    }

    async fn end_session(&self, account: &AccountId, session: CodeHash) -> StoreResult<()> {
        self.run(&scripts::END_SESSION, (account, session)).await
    }
}

/// Limits as scripts take them.
fn limit_fields(limits: Vec<RateLimit>, now: UnixMillis) -> Vec<(String, &'static str, u32, i64)> {
    let fields = |RateLimit { name, allowance }| match allowance {
        Allowance::Window { max, ends_at } => (name, "window", max, ends_at.0.saturating_sub(now.0)),
        Allowance::Bucket { size, every_millis } => (name, "bucket", size, every_millis),
    };
    limits.into_iter().map(fields).collect()
}
