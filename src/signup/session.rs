//! Sessions of the site: opened with a code that is mailed, be it to sign in or to replace a lost key, or with an API
//! key, ended by signing out.
//!
//! A session is a row of the store, among the codes of its account, so it holds on every server, and ends with what
//! ends codes: a recovered key, a block, an erasure, another address. Its hash is made of the live keys too, so it ends
//! when a key is replaced or revoked. Each request of a page asks the store: those pages are few.

use std::net::IpAddr;
use std::time::Duration;

use super::{IssuedKey, SignupService, address_group, parse_email, with_padded_duration};
use crate::domain::account::{Account, AccountId};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::code::{Level, RecoveryCode, SessionToken};
use crate::domain::error::ApiError;
use crate::quota::keys::Caller;
use crate::store::journal::Ended;
use crate::store::{AccessRequestKind, CodeExchange, CodeRecord, KeyReplacement, StoreError};

/// How long a session lasts.
pub const SESSION_LIFETIME: Duration = Duration::from_mins(30);

/// How many sessions of an account a key may have opened: with one more, the oldest of them ends.
const MAX_KEY_SESSIONS: usize = 50;

/// A session of the site.
#[derive(Debug)]
pub struct OwnerSession {
    /// What it may do.
    pub level: Level,
    /// Its account.
    pub account: Account,
    token: SessionToken,
}

impl OwnerSession {
    /// What a form carries that works once: see [`SessionToken::form_mark`].
    pub fn form_mark(&self, state: &str) -> String {
        self.token.form_mark(state)
    }
}

impl SignupService {
    /// Mails a code that opens a session to an address, if it is known. Of too many mails to it the next one is left
    /// out, whatever the answer says. Neither the answer nor the time it takes tells whether the address is known.
    pub async fn mail_sign_in_code(&self, email: &str, client: IpAddr) -> Result<(), ApiError> {
        with_padded_duration(self.mail_code(email, client, AccessRequestKind::SignIn)).await
    }

    /// Opens a session of the owner with a code that was mailed. The time it takes does not tell whether the address is
    /// known.
    pub async fn enter_with_code(
        &self,
        email: &str,
        code: &str,
        client: IpAddr,
    ) -> Result<SessionToken, ApiError> {
        with_padded_duration(async {
            let email = parse_email(email)?;
            let code = RecoveryCode::parse(code).ok_or(ApiError::InvalidCode)?;
            self.count_code_try("enter", &address_group(&email), client).await?;
            let id = self.account_or_unknown(&email).await?;
            let token = SessionToken::generate(Level::Owner, id.clone())?;
            let session = self.record_of(&token).await?;
            let renewed = self.access_limit_names(&email, self.clock.moment());
            let exchange = CodeExchange { code: code.sign_in_hash(&id), account: id, session, renewed };
            self.store.exchange_code(exchange).await?.map(|_| token).ok_or(ApiError::InvalidCode)
        })
        .await
    }

    /// Exchanges a recovery code for a new key, as [`SignupService::redeem`] does, and opens a session of the owner:
    /// who has the code reads the mailbox, which is all that a code to sign in proves, and those before have ended with
    /// the keys. Without a session the key is returned all the same, as nothing else shows it.
    pub async fn redeem_and_enter(
        &self,
        email: &str,
        code: &str,
        client: IpAddr,
    ) -> Result<(IssuedKey, Option<SessionToken>), ApiError> {
        with_padded_duration(async {
            let (account, issued) = self.redeem_code(email, code, client).await?;
            let session = self.open_session(Level::Owner, account).await;
            Ok((issued, session.ok()))
        })
        .await
    }

    /// Opens a session for what the holder of a key may. The caller was found with that key, which may have been
    /// replaced since.
    pub async fn enter_with_key(&self, caller: &Caller, client: IpAddr) -> Result<SessionToken, ApiError> {
        self.count_key_try(&caller.account.id, client).await?;
        let account = caller.account.id.clone();
        let token = SessionToken::generate(Level::Key, account)?;
        let keys: Vec<KeyHash> = self.live_keys(&token.account).await?.collect();
        // in the keys that the session is made of: it ends with the key, also when that is replaced right now
        if !keys.contains(&caller.key) {
            return Err(ApiError::InvalidKey);
        }
        let session = self.record_with(&token, keys);
        self.store.save_key_session(&token.account, session, MAX_KEY_SESSIONS).await?;
        Ok(token)
    }

    pub(super) async fn open_session(
        &self,
        level: Level,
        account: AccountId,
    ) -> Result<SessionToken, ApiError> {
        let token = SessionToken::generate(level, account)?;
        let session = self.record_of(&token).await?;
        self.store.save_code(&token.account, session).await?;
        Ok(token)
    }

    /// The session of a token, if it has not ended.
    pub async fn session(&self, token: &SessionToken) -> Result<Option<OwnerSession>, ApiError> {
        let hash = token.hash(self.live_keys(&token.account).await?);
        let account = self.store.account_of_session(&token.account, hash, self.clock.now()).await?;
        Ok(account.map(|account| OwnerSession { level: token.level, account, token: token.clone() }))
    }

    /// Ends a session.
    pub async fn sign_out(&self, token: &SessionToken) -> Result<(), ApiError> {
        let hash = token.hash(self.live_keys(&token.account).await?);
        Ok(self.store.end_session(&token.account, hash).await?)
    }

    /// Replaces all live keys of an account for its owner, and opens another session, as those before end with the
    /// keys.
    pub async fn replace_keys(&self, owner: &OwnerSession) -> Result<(IssuedKey, SessionToken), ApiError> {
        let account = &owner.account.id;
        if owner.level != Level::Owner {
            return Err(ApiError::InvalidKey);
        }
        self.count_rotation(account).await?;
        let now = self.clock.now();
        let (issued, mail) = self.new_key(now)?;
        let id = mail.id.clone();
        let replacement = KeyReplacement {
            account: account.clone(),
            old: None,
            new: KeyRecord::of(&issued.key, now),
            mail,
        };
        let ended = Ended::Keys { account: account.clone(), at: now };
        let replaced = self.replace(replacement, ended).await?;
        let issued = self.finish(replaced, issued, &id, ApiError::InvalidKey)?;
        let token = self.open_session(Level::Owner, account.clone()).await?;
        Ok((issued, token))
    }

    /// The stored part of a session that begins now.
    async fn record_of(&self, token: &SessionToken) -> Result<CodeRecord, StoreError> {
        Ok(self.record_with(token, self.live_keys(&token.account).await?))
    }

    fn record_with(&self, token: &SessionToken, live_keys: impl IntoIterator<Item = KeyHash>) -> CodeRecord {
        let at = self.clock.now();
        CodeRecord { hash: token.hash(live_keys), expires_at: at.after(SESSION_LIFETIME), at }
    }

    async fn live_keys(&self, account: &AccountId) -> Result<impl Iterator<Item = KeyHash>, StoreError> {
        let keys = self.store.keys(account).await?;
        Ok(keys.into_iter().filter(|key| key.revoked_at.is_none()).map(|key| key.hash))
    }
}
