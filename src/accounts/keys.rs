//! API keys: their form, and who holds one.
//!
//! [`ApiKey`] is a key in plain text: made, sent once, hashed, dropped. [`Keys`] answers "whose is this?" from
//! memory and asks the store only about keys it has not met. Uses [`crate::accounts`], [`crate::accounts::meter`],
//! [`crate::store`], [`crate::metrics`], [`crate::refusal`] and [`crate::soon`].

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dashmap::DashMap;
use rand::rngs::SysError;
use sha2::{Digest, Sha256};

use super::meter::{Member, Meter};
use super::{Account, AccountId, BASE62, Email, KeyHash, KeyRecord, as_text, random_base62};
use crate::clock::Clock;
use crate::metrics::KeyCache;
use crate::plans::Plan;
use crate::refusal::Refusal;
use crate::soon::Soon;
use crate::store::{Change, Issue, Listener, Store, StoreError};

/// What every key begins with, so that secret scanners know one when they see it.
pub const PREFIX: &str = "cdg_live_";

const SECRET: usize = 32;
const CHECKSUM: usize = 6;
const LENGTH: usize = PREFIX.len() + SECRET + CHECKSUM;

/// A key in plain text: the prefix, 32 random characters of base 62, and the CRC-32 of both in 6 more.
///
/// The checksum is no secret and proves nothing; it tells a mistyped or made-up key from a real one without
/// asking the store. Neither `Debug` nor `Display` shows the key; [`ApiKey::reveal`] does.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey([u8; LENGTH]);

impl ApiKey {
    /// A new key, from the machine's source of randomness.
    pub fn generate() -> Result<ApiKey, SysError> {
        let mut text = [0; LENGTH];
        text[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        text[PREFIX.len()..LENGTH - CHECKSUM].copy_from_slice(&random_base62::<SECRET>()?);
        let checksum = checksum(&text[..LENGTH - CHECKSUM]);
        text[LENGTH - CHECKSUM..].copy_from_slice(&checksum);
        Ok(ApiKey(text))
    }

    /// Reads a key as it was sent; `None` when it cannot be one.
    pub fn parse(sent: &[u8]) -> Option<ApiKey> {
        let text: [u8; LENGTH] = sent.try_into().ok()?;
        let (rest, sum) = text.split_at(LENGTH - CHECKSUM);
        let secret = rest.strip_prefix(PREFIX.as_bytes())?;
        let sound = secret.iter().all(u8::is_ascii_alphanumeric) && checksum(rest) == sum;
        sound.then_some(ApiKey(text))
    }

    /// The key itself, for the one it is sent to.
    pub fn reveal(&self) -> &str {
        as_text(&self.0)
    }

    /// What is kept of it.
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0).into())
    }

    /// The first four characters of its secret part, for display.
    pub fn first4(&self) -> &str {
        as_text(&self.0[PREFIX.len()..PREFIX.len() + 4])
    }

    /// Its last four characters, for display.
    pub fn last4(&self) -> &str {
        as_text(&self.0[LENGTH - 4..])
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}…{}", self.first4(), self.last4())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// CRC-32 of `rest` in base 62, most significant digit first. Six digits hold every CRC-32.
fn checksum(rest: &[u8]) -> [u8; CHECKSUM] {
    let mut left = crc32fast::hash(rest);
    let mut digits = [b'0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(left % 62) as usize];
        left /= 62;
    }
    digits
}

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
pub async fn issue(store: &dyn Store, clock: &Clock, email: Email, plan: Plan) -> Result<Issued, IssueError> {
    let key = ApiKey::generate()?;
    let now = clock.now();
    let opening = Account { id: AccountId::generate()?, email, plan, created_at: now };
    let account = store.issue(Issue { opening, key: KeyRecord::of(&key, now) }).await?;
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
    pub member: Arc<Member>,
}

/// Who holds which key.
///
/// A key met before is answered for from memory, without a lock that a writer could hold for long and without
/// waiting. What was learnt holds until the store tells of a change, of the account's or of anything, and no longer
/// than the store vouches for it.
///
/// Changes are numbered as they are told. What is remembered carries the number that stood when the store was asked
/// for it, and counts while neither its account nor everything has changed under a higher one.
#[derive(Debug)]
pub struct Keys {
    store: Arc<dyn Store>,
    meter: Arc<Meter>,
    changes: AtomicU64,
    /// The number of the last change of everything.
    floor: AtomicU64,
    tagger: Tagger,
    callers: Remembered<Arc<Caller>>,
    /// Keys that are well formed and nobody's. Apart from the callers, so that a flood of them pushes out only
    /// each other. Any change at all makes them be asked for again: one of them may have been given out.
    strangers: Remembered<()>,
    counters: KeyCache,
}

/// As many keys as may be active between two writes without the store being asked twice; a key takes some
/// hundred bytes.
const MOST_CALLERS: usize = 200_000;
const MOST_STRANGERS: usize = 20_000;

/// How long others are kept waiting while an account is settled.
const SETTLING: Duration = Duration::from_secs(1);

impl Keys {
    /// Nothing known yet.
    pub fn new(store: Arc<dyn Store>, meter: Arc<Meter>, counters: KeyCache) -> Keys {
        Keys {
            store,
            meter,
            changes: AtomicU64::new(1),
            floor: AtomicU64::new(0),
            tagger: Tagger::default(),
            callers: Remembered::of(MOST_CALLERS),
            strangers: Remembered::of(MOST_STRANGERS),
            counters,
        }
    }

    /// What hears of changes: see [`Store::attend`].
    pub fn listener(self: &Arc<Self>) -> Listener {
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
            Change::Begun => {
                self.meter.forget();
                self.forget();
                Settling::Nothing
            }
            Change::CallIn(account) => Settling::One(account),
            Change::Restate => Settling::Restate,
        }
    }

    fn forget(&self) {
        let number = self.changes.fetch_add(1, Ordering::SeqCst) + 1;
        self.floor.fetch_max(number, Ordering::SeqCst);
    }

    /// Whoever holds the key `sent`; `at` is the present.
    pub fn caller<'a>(&'a self, sent: &'a [u8], at: Instant) -> Soon<'a, Result<Arc<Caller>, Refusal>> {
        if sent.len() != LENGTH {
            return Soon::now(Err(Refusal::InvalidKey));
        }
        let tag = self.tagger.tag(sent);
        if self.store.vouches(at)
            && let Some(caller) = self.remembered(tag)
        {
            return Soon::now(Ok(caller));
        }
        Soon::later(self.learn(sent, tag, at))
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

    async fn learn(&self, sent: &[u8], tag: u128, at: Instant) -> Result<Arc<Caller>, Refusal> {
        // what cannot be a key is not worth a wait
        let key = ApiKey::parse(sent).ok_or(Refusal::InvalidKey)?;
        if !self.store.vouches(at) {
            self.store.renew().await?;
            if let Some(caller) = self.remembered(tag) {
                return Ok(caller);
            }
        }
        // read before the store is asked: what changes in between is then not remembered as newer
        let learnt = self.changes.load(Ordering::SeqCst);
        if self.strangers.get(tag).is_some_and(|(then, ())| then == learnt) {
            self.counters.hits.inc();
            return Err(Refusal::InvalidKey);
        }
        self.counters.misses.inc();
        let hash = key.hash();
        let Some(account) = self.store.holder(hash).await? else {
            self.strangers.put(tag, learnt, (), |then| then == learnt);
            return Err(Refusal::InvalidKey);
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
    use proptest::prelude::*;

    #[test]
    fn a_key_has_the_promised_form() {
        let key = ApiKey::generate().expect("randomness");
        let text = key.reveal();
        assert_eq!(text.len(), 47);
        assert!(text.starts_with("cdg_live_"));
        assert!(text[9..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(ApiKey::parse(text.as_bytes()), Some(key.clone()));
        assert_eq!(&text[9..13], key.first4());
        assert_eq!(&text[43..], key.last4());
    }

    #[test]
    fn the_checksum_is_crc32_in_base_62() {
        // CRC-32 of "123456789" is 0xCBF43926 = 3421780262.
        assert_eq!(&checksum(b"123456789"), b"3jZRME");
        let back = b"3jZRME".iter().fold(0u64, |sum, digit| {
            sum * 62 + BASE62.iter().position(|known| known == digit).expect("a digit") as u64
        });
        assert_eq!(back, 0xCBF4_3926);
    }

    #[test]
    fn printing_hides_the_secret() {
        let key = ApiKey::generate().expect("randomness");
        let secret = &key.reveal()[13..43];
        for shown in [format!("{key}"), format!("{key:?}"), format!("{:?}", Some(&key))] {
            assert!(!shown.contains(secret) && shown.contains(key.last4()), "{shown}");
        }
    }

    proptest! {
        #[test]
        fn any_single_slip_is_noticed(place in 0usize..47, byte in any::<u8>()) {
            let key = ApiKey::generate().expect("randomness");
            let mut slipped = key.reveal().as_bytes().to_vec();
            prop_assume!(slipped[place] != byte);
            slipped[place] = byte;
            prop_assert_eq!(ApiKey::parse(&slipped), None);
        }

        #[test]
        fn reading_is_total(sent in prop::collection::vec(any::<u8>(), 0..80)) {
            prop_assert_eq!(ApiKey::parse(&sent), None);
        }
    }

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
