//! Which account an API key belongs to, answered from memory; the store is asked only about keys that are not cached.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::key_cache::{Cache, Tagger};
use super::leases::{AccountQuota, Quota};
use crate::domain::account::Account;
use crate::domain::api_key::{ApiKey, KeyHash, LENGTH};
use crate::domain::error::ApiError;
use crate::domain::token::{Scope, Token, TokenKind};
use crate::metrics::KeyCacheMetrics;
use crate::store::{AccountStore, Change, ChangeListener, PresenceStore, Store, TokenStore};

/// An authenticated caller.
#[derive(Debug)]
pub struct Caller {
    /// The account of the key.
    pub account: Account,
    /// The key, or the token.
    pub key: KeyHash,
    /// Where the token works, if it is one.
    pub scope: Option<Scope>,
    /// The leases of the account.
    pub quota: Arc<AccountQuota>,
}

/// The cache of keys.
///
/// A cached key needs no wait and no lock that a writer could hold for long. An entry is valid until the store reports
/// a change of its account or of everything, and while the store says that this process is trusted.
///
/// Changes are numbered as they arrive. An entry carries the number that was current before the store was asked, and is
/// valid while neither its account nor everything has changed under a higher one.
#[derive(Debug)]
pub struct Keys {
    accounts: Arc<dyn AccountStore>,
    tokens: Arc<dyn TokenStore>,
    presence: Arc<dyn PresenceStore>,
    quota: Arc<Quota>,
    /// The number of the last change.
    changes: AtomicU64,
    /// The number of the last change of everything.
    all_changed: AtomicU64,
    tagger: Tagger,
    callers: Cache<Arc<Caller>>,
    /// Well-formed keys that have no account. A cache of their own, so that many unknown keys evict no valid one.
    /// Any change makes them invalid, as one of them may have been issued.
    unknown_keys: Cache<()>,
    counters: KeyCacheMetrics,
}

/// How many keys are cached; a key takes some hundred bytes.
const MAX_CALLERS: usize = 200_000;
const MAX_UNKNOWN_KEYS: usize = 20_000;

/// How long other processes wait for this one to release the leases of an account.
const RELEASE: Duration = Duration::from_secs(1);

impl Keys {
    /// An empty cache.
    pub fn new(store: Arc<dyn Store>, quota: Arc<Quota>, counters: KeyCacheMetrics) -> Keys {
        Keys {
            accounts: store.clone(),
            tokens: store.clone(),
            presence: store,
            quota,
            changes: AtomicU64::new(1),
            all_changed: AtomicU64::new(0),
            tagger: Tagger::default(),
            callers: Cache::new(MAX_CALLERS),
            unknown_keys: Cache::new(MAX_UNKNOWN_KEYS),
            counters,
        }
    }

    /// Handles changes of the store: see [`PresenceStore::register`].
    pub fn listener(self: &Arc<Self>) -> ChangeListener {
        let keys = self.clone();
        Arc::new(move |change| {
            // entries are invalid at once, not when the future is first polled
            keys.invalidate(&change);
            let quota = keys.quota.clone();
            Box::pin(async move {
                match change {
                    // if it is cut off, the calls are released all the same, and reported with the next claim
                    Change::Recall(account) => {
                        let _ = tokio::time::timeout(RELEASE, quota.release(&account)).await;
                    }
                    Change::Restate => quota.restate().await,
                    Change::Account(_) | Change::Everything | Change::StoreReset => {}
                }
            })
        })
    }

    fn invalidate(&self, change: &Change) {
        match change {
            Change::Account(account) => {
                let number = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
                if let Some(account) = self.quota.get(account) {
                    account.changed.fetch_max(number, Ordering::SeqCst);
                }
            }
            Change::Everything => self.invalidate_all(),
            Change::StoreReset => {
                self.quota.forget();
                self.invalidate_all();
            }
            Change::Recall(_) | Change::Restate => {}
        }
    }

    fn invalidate_all(&self) {
        let number = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
        self.all_changed.fetch_max(number, Ordering::SeqCst);
    }

    /// The caller that holds the key `sent`.
    pub async fn caller(&self, sent: &[u8]) -> Result<Arc<Caller>, ApiError> {
        if sent.len() != LENGTH {
            return Err(ApiError::InvalidKey);
        }
        self.find(sent, CredentialKind::Key).await
    }

    /// The caller that holds the token `sent`, which must be of this kind; the origin of a page is still to be checked.
    pub async fn token_holder(&self, kind: TokenKind, sent: &[u8]) -> Result<Arc<Caller>, ApiError> {
        if sent.len() != kind.length() {
            return Err(invalid_token(kind, sent));
        }
        self.find(sent, CredentialKind::Token(kind)).await
    }

    /// Keys and tokens of all kinds share the cache: their lengths differ, so none finds an entry of another.
    async fn find(&self, sent: &[u8], kind: CredentialKind) -> Result<Arc<Caller>, ApiError> {
        let tag = self.tagger.tag(sent);
        if self.presence.is_trusted()
            && let Some(caller) = self.cached(tag)
        {
            return Ok(caller);
        }
        // boxed, so that the rare wait for the store does not enlarge the future of every request
        Box::pin(self.look_up(sent, kind, tag)).await
    }

    /// The cached caller of a key, if the entry is valid.
    fn cached(&self, tag: u128) -> Option<Arc<Caller>> {
        let (number, caller) = self.callers.get(tag)?;
        let is_valid = number >= self.all_changed.load(Ordering::SeqCst)
            && number >= caller.quota.changed.load(Ordering::SeqCst);
        is_valid.then(|| {
            self.counters.hits.inc();
            caller
        })
    }

    async fn look_up(&self, sent: &[u8], kind: CredentialKind, tag: u128) -> Result<Arc<Caller>, ApiError> {
        // a malformed key needs no wait
        let (hash, invalid) = match kind {
            CredentialKind::Key => (ApiKey::parse(sent).map(|key| key.hash()), ApiError::InvalidKey),
            CredentialKind::Token(kind) => {
                (Token::parse(kind, sent).map(|token| token.hash()), invalid_token(kind, sent))
            }
        };
        let Some(hash) = hash else { return Err(invalid) };
        if !self.presence.is_trusted() {
            self.presence.refresh().await?;
            if let Some(caller) = self.cached(tag) {
                return Ok(caller);
            }
        }
        // read before the store is asked, so that a change in between makes the new entry invalid
        let number = self.changes.load(Ordering::SeqCst);
        if self.unknown_keys.get(tag).is_some_and(|(then, ())| then == number) {
            self.counters.hits.inc();
            return Err(invalid);
        }
        self.counters.misses.inc();
        let found = match kind {
            CredentialKind::Key => self.accounts.account_of_key(hash).await?.map(|account| (account, None)),
            CredentialKind::Token(kind) => {
                let found = self.tokens.account_of_token(hash).await?;
                let found = found.filter(|(_, token)| token.scope.kind() == kind);
                found.map(|(account, token)| (account, Some(token.scope)))
            }
        };
        let Some((account, scope)) = found else {
            self.unknown_keys.put(tag, number, (), |then| then == number);
            return Err(invalid);
        };
        let quota = self.quota.account(&account.id);
        let caller = Arc::new(Caller { account, key: hash, scope, quota });
        // a change that arrived before the account was in memory could not be noted with it; later ones will be
        if self.changes.load(Ordering::SeqCst) == number {
            let all_changed = self.all_changed.load(Ordering::SeqCst);
            self.callers.put(tag, number, caller.clone(), |then| then >= all_changed);
        }
        Ok(caller)
    }
}

/// What a caller sent to be known by.
#[derive(Debug, Clone, Copy)]
enum CredentialKind {
    Key,
    Token(TokenKind),
}

/// The error for what was sent as a token of a kind and is none. It does not say whether such a token has been one.
fn invalid_token(kind: TokenKind, sent: &[u8]) -> ApiError {
    let is_of = |other: TokenKind| sent.starts_with(other.prefix().as_bytes());
    match kind {
        TokenKind::Browser => ApiError::InvalidToken { is_calendar: is_of(TokenKind::Calendar) },
        TokenKind::Calendar => ApiError::UnknownCalendar { is_browser: is_of(TokenKind::Browser) },
    }
}
