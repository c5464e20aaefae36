//! A process among others: it beats twice a second, hears of changes with each beat, and tells with the next one of
//! which it has taken notice.
//!
//! A change is waited for by whoever made it, until every process has taken notice or has been silent for longer
//! than it trusts its memory. So a process must not trust it any longer than from the moment at which it *sent* its
//! last good beat, and only when it has passed on what that beat brought. Uses the line and the scripts of
//! [`super`].

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::streams::{StreamReadOptions, StreamReadReply};
use redis::{AsyncCommands, ErrorKind, FromRedisValue, ParsingError, RedisError, Value};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::line::RESPONSE;
use super::{CHANGES, Trouble, Wire, scripts};
use crate::domain::account::AccountId;
use crate::store::{Change, Listener, StoreError};

/// How often a process beats when nothing happens.
const BEAT: Duration = Duration::from_millis(500);

/// For how long the outcome of a beat is an answer for whoever asks for another.
const FRESH: Duration = Duration::from_millis(50);

/// How long a wait for news may last before it is begun again.
const NEWS: Duration = Duration::from_secs(5);

/// A process that serves.
pub(super) struct Presence {
    wire: Arc<Wire>,
    /// Drawn at random, so that one which was started again is another one.
    pub(super) process: String,
    listener: Listener,
    /// Somebody wants a beat now.
    wanted: Notify,
    /// The last beat: when it was sent, and what came of it.
    outcome: watch::Sender<(Instant, Result<(), StoreError>)>,
    /// All changes up to this one were told.
    seen: watch::Sender<ChangeId>,
    /// The life of the Redis last heard from.
    life: Mutex<String>,
    born: Instant,
    /// Nanoseconds after birth until which memory may be trusted.
    trusted_until: AtomicU64,
}

impl fmt::Debug for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presence").field("process", &self.process).finish_non_exhaustive()
    }
}

impl Presence {
    /// Begins to serve, if Redis is fit for it.
    pub(super) async fn begin(wire: Arc<Wire>, listener: Listener) -> Result<Presence, StoreError> {
        let born = Instant::now();
        let presence = Presence {
            wire,
            process: format!("p_{:032x}", rand::random::<u128>()),
            listener,
            wanted: Notify::new(),
            outcome: watch::Sender::new((born, Ok(()))),
            seen: watch::Sender::new(ChangeId::default()),
            life: Mutex::default(),
            born,
            trusted_until: AtomicU64::new(0),
        };
        presence.enter().await?;
        Ok(presence)
    }

    async fn enter(&self) -> Result<(), Trouble> {
        let sent = Instant::now();
        let window = self.wire.trust.as_millis() as u64;
        let (seen, life, info): (ChangeId, String, String) =
            self.wire.run(&scripts::ATTEND, (&self.process, window)).await?;
        fitness(&info)?;
        *self.life.lock().unwrap_or_else(PoisonError::into_inner) = life;
        self.seen.send_replace(seen);
        self.trust_since(sent);
        Ok(())
    }

    /// Beats until the task is ended.
    pub(super) async fn beat_on(self: Arc<Self>) {
        loop {
            let sent = Instant::now();
            let outcome = match self.beat(sent).await {
                Err(Trouble::Begun(epoch)) => self.begin_anew(&epoch).await.map(|()| false),
                outcome => outcome.map_err(StoreError::from),
            };
            if matches!(outcome, Err(StoreError::Emptied)) {
                self.trusted_until.store(0, Ordering::Release);
            }
            let acknowledge = matches!(outcome, Ok(true));
            self.record(sent, outcome.map(drop));
            if !acknowledge {
                // at the latest then, and at once when wanted
                let _ = timeout(BEAT, self.wanted.notified()).await;
            }
        }
    }

    /// Beats, and tells what has changed. Whether anything had.
    async fn beat(&self, sent: Instant) -> Result<bool, Trouble> {
        let seen = *self.seen.borrow();
        let window = self.wire.trust.as_millis() as u64;
        let (life, lost, last, changes): (String, bool, ChangeId, Vec<(ChangeId, Vec<String>)>) =
            self.wire.run(&scripts::BEAT, (&self.process, window, seen.to_string())).await?;
        let another = {
            let mut known = self.life.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *known, life.clone()) != life
        };
        if another || lost {
            tracing::warn!(another, "changes may have been lost: everything remembered is asked for again");
            self.tell(Change::Everything).await;
        }
        if another {
            // may take as long as it takes to restate thousands of leases, which nobody waits for
            tokio::spawn((self.listener)(Change::Restate));
        }
        for (_, change) in &changes {
            let [kind, account, _, but] = change.as_slice() else { continue };
            let account = AccountId::kept(account.clone());
            match kind.as_str() {
                _ if *but == self.process => {}
                "account" => self.tell(Change::Account(account)).await,
                "call_in" => self.tell(Change::Recall(account)).await,
                _ => {}
            }
        }
        self.seen.send_replace(last);
        self.trust_since(sent);
        Ok(lost || !changes.is_empty())
    }

    /// The operator has begun anew: what this process holds of the old is void.
    async fn begin_anew(&self, epoch: &str) -> Result<(), StoreError> {
        self.trusted_until.store(0, Ordering::Release);
        self.wire.epoch.learn(epoch)?;
        tracing::warn!("the store was begun anew");
        self.tell(Change::Begun).await;
        Ok(self.enter().await?)
    }

    async fn tell(&self, change: Change) {
        (self.listener)(change).await;
    }

    fn record(&self, sent: Instant, outcome: Result<(), StoreError>) {
        let before = self.outcome.send_replace((sent, outcome.clone())).1;
        match (before, outcome) {
            (Ok(()), Err(error)) => tracing::error!(%error, "the store is away"),
            (Err(_), Ok(())) => tracing::info!("the store is back"),
            _ => {}
        }
    }

    fn trust_since(&self, sent: Instant) {
        let until = (sent + self.wire.trust).saturating_duration_since(self.born);
        self.trusted_until.store(until.as_nanos() as u64, Ordering::Release);
    }

    /// Whether memory may be trusted at a moment.
    pub(super) fn is_trusted(&self, at: Instant) -> bool {
        (at.saturating_duration_since(self.born).as_nanos() as u64)
            < self.trusted_until.load(Ordering::Acquire)
    }

    /// Whether this is the life of the Redis last heard from.
    pub(super) fn lives_in(&self, life: &str) -> bool {
        *self.life.lock().unwrap_or_else(PoisonError::into_inner) == life
    }

    /// Has it beat soon.
    pub(super) fn want_beat(&self) {
        self.wanted.notify_one();
    }

    /// What comes of a beat sent from now on, or just before.
    pub(super) async fn renew(&self) -> Result<(), StoreError> {
        let asked = Instant::now();
        let mut outcomes = self.outcome.subscribe();
        if outcomes.borrow().0 + FRESH < asked {
            self.want_beat();
        }
        let outcome = timeout(RESPONSE, outcomes.wait_for(|(sent, _)| *sent + FRESH >= asked)).await;
        match outcome {
            Ok(Ok(outcome)) => outcome.1.clone(),
            Ok(Err(_)) => Err(StoreError::Shut),
            Err(_) => Err(StoreError::Unreachable("no answer".to_owned())),
        }
    }

    /// Waits until this process has taken notice of a change.
    pub(super) async fn notices(&self, change: ChangeId) -> Result<(), StoreError> {
        self.want_beat();
        let mut seen = self.seen.subscribe();
        match timeout(2 * RESPONSE, seen.wait_for(|seen| *seen >= change)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(StoreError::Shut),
            Err(_) => Err(StoreError::Unreachable("a change was written and not heard of".to_owned())),
        }
    }

    /// Serves no more.
    pub(super) async fn leave(&self) -> Result<(), StoreError> {
        self.trusted_until.store(0, Ordering::Release);
        Ok(self.wire.run(&scripts::LEAVE, (&self.process,)).await?)
    }

    /// Waits for news on a connection of its own, and has it beat when there are any. Without this, news wait for
    /// the next beat: nothing else depends on it.
    pub(super) async fn wait_for_news(self: Arc<Self>) {
        loop {
            if self.news().await.is_err() {
                tokio::time::sleep(BEAT).await;
            }
        }
    }

    async fn news(&self) -> Result<(), RedisError> {
        let mut connection = self.wire.line.of_its_own(NEWS + RESPONSE).await?;
        let mut told = self.seen.subscribe();
        let options = StreamReadOptions::default().count(1).block(NEWS.as_millis() as usize);
        loop {
            let seen = told.borrow_and_update().to_string();
            let news: Option<StreamReadReply> =
                connection.xread_options(&[CHANGES], &[seen], &options).await?;
            if news.is_some_and(|news| !news.keys.is_empty()) {
                self.want_beat();
                // until it was told, it would be news again
                let _ = timeout(BEAT, told.changed()).await;
            }
        }
    }
}

/// Refuses a Redis that would forget what it was told, and warns of one that may.
fn fitness(info: &str) -> Result<(), StoreError> {
    let said = |name: &str| {
        info.lines()
            .find_map(|line| line.trim_end().strip_prefix(name)?.strip_prefix(':'))
            .unwrap_or_default()
    };
    let mut version = said("redis_version").split('.').map_while(|part| part.parse::<u32>().ok());
    if (version.next(), version.next()) < (Some(6), Some(2)) {
        let found = said("redis_version");
        return Err(StoreError::Unsuited(format!("Redis is of version {found:?}: use 6.2 or newer")));
    }
    let policy = said("maxmemory_policy");
    if policy != "noeviction" {
        return Err(StoreError::Unsuited(format!(
            "Redis throws keys away when its memory is full (maxmemory-policy {policy:?}), and with them customers' \
             keys and quotas: set maxmemory-policy noeviction"
        )));
    }
    if said("aof_enabled") != "1" {
        tracing::warn!(
            "Redis keeps no append-only file: a restart of it loses what was written last; set appendonly yes"
        );
    }
    Ok(())
}

/// The name of a change, as the feed gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct ChangeId {
    pub(super) millis: u64,
    pub(super) number: u64,
}

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.millis, self.number)
    }
}

impl FromStr for ChangeId {
    type Err = RedisError;

    fn from_str(text: &str) -> Result<ChangeId, RedisError> {
        let id = text.split_once('-').and_then(|(millis, number)| {
            Some(ChangeId { millis: millis.parse().ok()?, number: number.parse().ok()? })
        });
        id.ok_or_else(|| RedisError::from((ErrorKind::UnexpectedReturnType, "not the name of a change")))
    }
}

impl FromRedisValue for ChangeId {
    fn from_redis_value(value: Value) -> Result<ChangeId, ParsingError> {
        let text = String::from_redis_value(value)?;
        text.parse().map_err(|_| ParsingError::from("not the name of a change"))
    }
}
