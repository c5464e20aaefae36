//! API keys: their form, and who holds one.
//!
//! [`ApiKey`] is a key in plain text: made, sent once, hashed, dropped. [`Keys`] answers "whose is this?" from
//! memory and asks the store only about keys it has not met. Uses [`crate::domain::account`], [`crate::quota::leases`],
//! [`crate::store`], [`crate::metrics`], [`crate::domain::error`] and [`crate::soon`].

use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dashmap::DashMap;
use rand::rngs::SysError;

use super::leases::{AccountQuota, Quota};
use crate::domain::account::{Account, AccountId, Email};
use crate::domain::api_key::{ApiKey, KeyHash, KeyRecord, LENGTH};
use crate::domain::clock::Clock;
use crate::domain::error::ApiError;
use crate::domain::plan::Plan;
use crate::metrics::KeyCacheMetrics;
use crate::store::{AccountStore, Change, ChangeListener, NewKey, PresenceStore, Store, StoreError};

/// A key made for an account.
#[derive(Debug)]
pub struct Issued {
    /// The account, with the plan it has now.
    pub account: Account,
    /// The key: this is the only time it is seen.
    pub key: ApiKey,
}

/// Why no key was made.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// The store would not take it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The machine has no randomness to give.
    #[error("the machine's source of randomness failed: {0}")]
    Randomness(#[from] SysError),
}

/// Makes a key for the account of `email`, which is opened if there is none, and puts the account on `plan`.
pub async fn issue(
    store: &dyn AccountStore,
    clock: &Clock,
    email: Email,
    plan: Plan,
) -> Result<Issued, IssueError> {
    let key = ApiKey::generate()?;
    let now = clock.now();
    let opening = Account { id: AccountId::generate()?, email, plan, created_at: now };
    let account = store.issue_key(NewKey { account: opening, key: KeyRecord::of(&key, now) }).await?;
    Ok(Issued { account, key })
}

/// One who asks: an account, and the key it asked with.
#[derive(Debug)]
pub struct Caller {
    /// Whose the key is.
    pub account: Account,
    /// The key.
    pub key: KeyHash,
    /// The account's place in the meter.
    pub member: Arc<AccountQuota>,
}

/// Who holds which key.
///
/// A key met before is answered for from memory, without a lock that a writer could hold for long and without
/// waiting. What was learnt holds until the store tells of a change, of the account's or of anything, and no longer
/// than the store is_trusted for it.
///
/// Changes are numbered as they are told. What is remembered carries the number that stood when the store was asked
/// for it, and counts while neither its account nor everything has changed under a higher one.
#[derive(Debug)]
pub struct Keys {
    accounts: Arc<dyn AccountStore>,
    presence: Arc<dyn PresenceStore>,
    meter: Arc<Quota>,
    changes: AtomicU64,
    /// The number of the last change of everything.
    floor: AtomicU64,
    tagger: Tagger,
    callers: Remembered<Arc<Caller>>,
    /// Keys that are well formed and nobody's. Apart from the callers, so that a flood of them pushes out only
    /// each other. Any change at all makes them be asked for again: one of them may have been given out.
    strangers: Remembered<()>,
    counters: KeyCacheMetrics,
}

/// As many keys as may be active between two writes without the store being asked twice; a key takes some
/// hundred bytes.
const MOST_CALLERS: usize = 200_000;
const MOST_STRANGERS: usize = 20_000;

/// How long others are kept waiting while an account is settled.
const SETTLING: Duration = Duration::from_secs(1);

impl Keys {
    /// Nothing known yet.
    pub fn new(store: Arc<dyn Store>, meter: Arc<Quota>, counters: KeyCacheMetrics) -> Keys {
        Keys {
            accounts: store.clone(),
            presence: store,
            meter,
            changes: AtomicU64::new(1),
            floor: AtomicU64::new(0),
            tagger: Tagger::default(),
            callers: Remembered::of(MOST_CALLERS),
            strangers: Remembered::of(MOST_STRANGERS),
            counters,
        }
    }

    /// What hears of changes: see [`PresenceStore::register`].
    pub fn listener(self: &Arc<Self>) -> ChangeListener {
        let keys = self.clone();
        Arc::new(move |change| {
            // what must be forgotten is forgotten here and now, not when the future is first looked at
            let settling = keys.hear(change);
            let meter = keys.meter.clone();
            Box::pin(async move {
                match settling {
                    Settling::Nothing => {}
                    // one that is cut off has given up all the same, and says so with its next claim
                    Settling::One(account) => {
                        let _ = tokio::time::timeout(SETTLING, meter.settle(&account)).await;
                    }
                    Settling::Restate => meter.restate().await,
                }
            })
        })
    }

    fn hear(&self, change: Change) -> Settling {
        match change {
            Change::Account(account) => {
                let number = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
                if let Some(member) = self.meter.known(&account) {
                    member.changed.fetch_max(number, Ordering::SeqCst);
                }
                Settling::Nothing
            }
            Change::Everything => {
                self.forget();
                Settling::Nothing
            }
            Change::StoreReset => {
                self.meter.forget();
                self.forget();
                Settling::Nothing
            }
            Change::Recall(account) => Settling::One(account),
            Change::Restate => Settling::Restate,
        }
    }

    fn forget(&self) {
        let number = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
        self.floor.fetch_max(number, Ordering::SeqCst);
    }

    /// The caller that holds the key `sent`; `at` is the present.
    pub async fn caller(&self, sent: &[u8], at: Instant) -> Result<Arc<Caller>, ApiError> {
        if sent.len() != LENGTH {
            return Err(ApiError::InvalidKey);
        }
        let tag = self.tagger.tag(sent);
        if self.presence.is_trusted(at)
            && let Some(caller) = self.remembered(tag)
        {
            return Ok(caller);
        }
        // Boxed, so that the rare wait for the store does not enlarge the future of every request.
        Box::pin(self.learn(sent, tag, at)).await
    }

    /// Whom the key is remembered as, while that counts.
    fn remembered(&self, tag: u128) -> Option<Arc<Caller>> {
        let (learnt, caller) = self.callers.get(tag)?;
        let counts = learnt >= self.floor.load(Ordering::SeqCst)
            && learnt >= caller.member.changed.load(Ordering::SeqCst);
        counts.then(|| {
            self.counters.hits.inc();
            caller
        })
    }

    async fn learn(&self, sent: &[u8], tag: u128, at: Instant) -> Result<Arc<Caller>, ApiError> {
        // what cannot be a key is not worth a wait
        let key = ApiKey::parse(sent).ok_or(ApiError::InvalidKey)?;
        if !self.presence.is_trusted(at) {
            self.presence.refresh().await?;
            if let Some(caller) = self.remembered(tag) {
                return Ok(caller);
            }
        }
        // read before the store is asked: what changes in between is then not remembered as newer
        let learnt = self.changes.load(Ordering::SeqCst);
        if self.strangers.get(tag).is_some_and(|(then, ())| then == learnt) {
            self.counters.hits.inc();
            return Err(ApiError::InvalidKey);
        }
        self.counters.misses.inc();
        let hash = key.hash();
        let Some(account) = self.accounts.account_of_key(hash).await? else {
            self.strangers.put(tag, learnt, (), |then| then == learnt);
            return Err(ApiError::InvalidKey);
        };
        let member = self.meter.member(&account.id);
        let caller = Arc::new(Caller { account, key: hash, member });
        // a change told before the account was in the meter's mind could not be noted with it; a later one will be
        if self.changes.load(Ordering::SeqCst) == learnt {
            let floor = self.floor.load(Ordering::SeqCst);
            self.callers.put(tag, learnt, caller.clone(), |then| then >= floor);
        }
        Ok(caller)
    }
}

/// What a change leaves to do.
enum Settling {
    Nothing,
    One(AccountId),
    Restate,
}

/// Names a key in memory without keeping it.
///
/// SHA-256 would do, but takes ten times as long where the processor has no instruction for it, on every
/// request. Two SipHashes under keys that this process drew at random and shows to nobody make a tag of 128
/// bits: who does not know them can find two keys with one tag no better than by guessing, and a tag that leaks
/// tells nothing about its key.
#[derive(Debug, Default)]
struct Tagger {
    upper: RandomState,
    lower: RandomState,
}

impl Tagger {
    fn tag(&self, key: &[u8]) -> u128 {
        u128::from(self.upper.hash_one(key)) << 64 | u128::from(self.lower.hash_one(key))
    }
}

/// A bounded memory of things, each with the number that stood when it was learnt.
#[derive(Debug)]
struct Remembered<T> {
    things: DashMap<u128, (u64, T), BuildHasherDefault<TagHasher>>,
    most: usize,
}

impl<T: Clone> Remembered<T> {
    fn of(most: usize) -> Self {
        Remembered { things: DashMap::default(), most }
    }

    fn get(&self, tag: u128) -> Option<(u64, T)> {
        self.things.get(&tag).map(|found| found.value().clone())
    }

    /// Remembers; when that is too much, what does not hold any more makes room first.
    fn put(&self, tag: u128, learnt: u64, thing: T, holds: impl Fn(u64) -> bool) {
        if self.things.len() >= self.most {
            self.things.retain(|_, (learnt, _)| holds(*learnt));
        }
        if self.things.len() >= self.most {
            // Every second one, whichever: keeping track of use would cost each hit, and one that is dropped
            // costs a single question.
            let mut keep = false;
            self.things.retain(|_, _| {
                keep = !keep;
                keep
            });
        }
        self.things.insert(tag, (learnt, thing));
    }
}

/// A tag is as random as a hash can be; half of it serves as one.
#[derive(Debug, Default, Clone, Copy)]
struct TagHasher(u64);

impl Hasher for TagHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u128(&mut self, tag: u128) {
        self.0 = tag as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        // Never called for a u128; correct for anything all the same.
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_what_holds_no_more_makes_room_first() {
        let memory = Remembered::of(100);
        for tag in 0..1_000u128 {
            memory.put(tag, 1, (), |learnt| learnt >= 1);
            assert!(memory.things.len() <= 100);
            assert_eq!(memory.get(tag), Some((1, ())));
        }
        for tag in 0..60u128 {
            memory.put(tag, 2, (), |learnt| learnt >= 2);
        }
        assert!((0..60).all(|tag| memory.get(tag).is_some()));
    }
}
