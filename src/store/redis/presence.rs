//! Registers a serving process and sends its heartbeats, twice a second. Each brings changes, and the next one reports
//! which of them the process has handled.
//!
//! The writer of a change waits until every process has handled it or has been silent for its trust window. So a
//! process must not trust its cache for longer than that window, counted from when it *sent* its last successful
//! heartbeat, and only once it has handled the changes which that heartbeat brought.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use redis::streams::{StreamReadOptions, StreamReadReply};
use redis::{AsyncCommands, RedisError};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::connection::RESPONSE;
use super::scripts;
use super::wire::{CHANGES, ChangeId, ScriptError, Wire};
use crate::domain::account::AccountId;
use crate::outage::Outage;
use crate::store::error::store_works;
use crate::store::{Change, ChangeListener, LastProbe, StoreError};

/// How often a process sends a heartbeat when nothing happens.
const HEARTBEAT: Duration = Duration::from_millis(500);

/// For how long the outcome of a heartbeat answers a request for another one.
const FRESH: Duration = Duration::from_millis(50);

/// How long Redis may take no writes before calls fail: a failover is over sooner.
const FAILOVER: Duration = Duration::from_secs(1);

/// How long processes may take to release their leases, and how many accounts do at once.
pub(super) const RECALL: Duration = Duration::from_secs(1);
const CONCURRENT: usize = 64;

/// How long one blocking read of the stream of changes lasts.
const BLOCK: Duration = Duration::from_millis(BLOCK_MILLIS as u64);
const BLOCK_MILLIS: usize = 5_000;

/// A process that serves.
pub(super) struct Presence {
    wire: Arc<Wire>,
    /// Names machine and process for the operator, with a random end, so that a restarted process is another one.
    pub(super) process: String,
    listener: ChangeListener,
    /// A heartbeat is wanted now.
    wanted: Notify,
    /// The last heartbeat: when it was sent, and its outcome.
    outcome: watch::Sender<(Instant, Result<(), StoreError>)>,
    /// The listener has handled all changes up to this one.
    handled: watch::Sender<ChangeId>,
    /// Since when writes may be missing, as Redis last said: another answer means another loss.
    lost_since: Mutex<String>,
    /// The time of the last heartbeat that was answered, by the clock of Redis.
    beat: AtomicU64,
    /// When the first of the heartbeats in a row that failed was sent.
    failing_since: Mutex<Option<Instant>>,
    created_at: Instant,
    /// Nanoseconds after `created_at` until which the cache may be trusted.
    trusted_until: AtomicU64,
    panics: AtomicU64,
    /// How long the last heartbeat took.
    beat_nanos: AtomicU64,
    beating: Outage,
}

/// A name like `web-1/4711/9f86d081884c7d65`.
fn process_name() -> String {
    let machine = rustix::system::uname();
    let name = machine.nodename().to_string_lossy();
    format!("{name}/{}/{:016x}", std::process::id(), rand::random::<u64>())
}

impl Presence {
    /// Registers this process, if Redis is suitable.
    pub(super) async fn register(wire: Arc<Wire>, listener: ChangeListener) -> Result<Presence, StoreError> {
        let created_at = Instant::now();
        let presence = Presence {
            wire,
            process: process_name(),
            listener,
            wanted: Notify::new(),
            outcome: watch::Sender::new((created_at, Ok(()))),
            handled: watch::Sender::new(ChangeId::default()),
            lost_since: Mutex::default(),
            beat: AtomicU64::new(0),
            failing_since: Mutex::default(),
            created_at,
            trusted_until: AtomicU64::new(0),
            panics: AtomicU64::new(0),
            beat_nanos: AtomicU64::new(0),
            beating: Outage::new("heartbeats to the store fail"),
        };
        presence.join().await?;
        Ok(presence)
    }

    async fn join(&self) -> Result<(), ScriptError> {
        let sent = Instant::now();
        let (handled, lost_since, beat, info): (ChangeId, String, u64, String) =
            self.wire.run(&scripts::REGISTER, (&self.process, self.wire.window())).await?;
        check_settings(&info)?;
        *self.lost_since.lock() = lost_since;
        self.beat.store(beat, Ordering::Relaxed);
        self.handled.send_replace(handled);
        self.trust_since(sent);
        Ok(())
    }

    /// Sends heartbeats until the task is ended. After a panic of the listener the same changes come again.
    pub(super) async fn send_heartbeats(self: Arc<Self>) {
        loop {
            let sent = Instant::now();
            let round = AssertUnwindSafe(self.round(sent)).catch_unwind().await;
            let outcome = round.unwrap_or_else(|_| {
                self.panics.fetch_add(1, Ordering::Relaxed);
                Err(StoreError::Panicked)
            });
            use StoreError::{DataMissing, HalfFull, NewerSchema};
            if matches!(outcome, Err(DataMissing | HalfFull | NewerSchema { .. })) {
                self.trusted_until.store(0, Ordering::Release);
            }
            let is_news = matches!(outcome, Ok(true));
            self.record(sent, outcome.map(drop));
            if !is_news {
                let _ = timeout(HEARTBEAT, self.wanted.notified()).await;
            }
        }
    }

    /// A heartbeat, and a new start if the operator started over.
    async fn round(&self, sent: Instant) -> Result<bool, StoreError> {
        match self.heartbeat(sent).await {
            Err(ScriptError::Reset(epoch)) => self.start_over(&epoch).await.map(|()| false),
            outcome => outcome.map_err(StoreError::from),
        }
    }

    /// Sends a heartbeat and passes changes on; true when there were any, which the next one acknowledges.
    async fn heartbeat(&self, sent: Instant) -> Result<bool, ScriptError> {
        let handled = *self.handled.borrow();
        type Answer = (String, bool, ChangeId, Vec<(ChangeId, Vec<String>)>, u64);
        let beat = self.beat.load(Ordering::Relaxed);
        let sent_with = (&self.process, self.wire.window(), handled.to_string(), beat);
        let (lost_since, lost, last, changes, beat): Answer =
            self.wire.run(&scripts::HEARTBEAT, sent_with).await?;
        self.beat.store(beat, Ordering::Relaxed);
        let is_other = *self.lost_since.lock() != lost_since;
        if is_other || lost {
            tracing::warn!(restarted = is_other, "changes may have been lost: all cached keys are dropped");
            self.notify(Change::Everything).await;
        }
        if is_other {
            // only now: after a panic of the listener the loss is met again
            *self.lost_since.lock() = lost_since;
            // reporting thousands of leases takes a while, and nothing waits for it
            tokio::spawn((self.listener)(Change::Restate));
        }
        let mut recalled = HashSet::new();
        for (_, change) in &changes {
            let [kind, account, _, sender] = change.as_slice() else { continue };
            let account = AccountId::from_stored(account.clone());
            match kind.as_str() {
                _ if *sender == self.process => {}
                "account" => self.notify(Change::Account(account)).await,
                "call_in" => {
                    recalled.insert(account);
                }
                _ => {}
            }
        }
        self.recall_all(recalled).await;
        self.handled.send_replace(last);
        self.trust_since(sent);
        Ok(lost || !changes.is_empty())
    }

    /// Drops what this process has of the old store, as the operator started over with an empty one.
    async fn start_over(&self, epoch: &str) -> Result<(), StoreError> {
        self.trusted_until.store(0, Ordering::Release);
        self.wire.epoch.learn(epoch)?;
        tracing::warn!("the operator started over with an empty store");
        self.notify(Change::StoreReset).await;
        Ok(self.join().await?)
    }

    /// Has leases released, all together for no longer than who asked waits: everything else of this process, and its
    /// trust, waits meanwhile. What was not released is reported by the next claim.
    async fn recall_all(&self, accounts: HashSet<AccountId>) {
        let releasing = stream::iter(accounts)
            .for_each_concurrent(CONCURRENT, |account| self.notify(Change::Recall(account)));
        let _ = timeout(RECALL, releasing).await;
    }

    async fn notify(&self, change: Change) {
        (self.listener)(change).await;
    }

    fn record(&self, sent: Instant, outcome: Result<(), StoreError>) {
        let mut failing_since = self.failing_since.lock();
        *failing_since = outcome.as_ref().err().and(failing_since.or(Some(sent)));
        drop(failing_since);
        self.beating.record(&outcome);
        if outcome.is_ok() {
            store_works();
        }
        let took = u64::try_from(sent.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.beat_nanos.store(took, Ordering::Relaxed);
        drop(self.outcome.send_replace((sent, outcome)));
    }

    fn trust_since(&self, sent: Instant) {
        self.trusted_until.store(self.nanos(sent + self.wire.trust), Ordering::Release);
    }

    /// Whether the cache may be trusted now.
    pub(super) fn is_trusted(&self) -> bool {
        self.nanos(Instant::now()) < self.trusted_until.load(Ordering::Acquire)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "64 bits last 584 years, and every request comes by here"
    )]
    fn nanos(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.created_at).as_nanos() as u64
    }

    /// Whether calls with a key can be answered: each heartbeat is a write.
    pub(super) fn health(&self) -> Result<(), StoreError> {
        let now = Instant::now();
        let is_long = self.failing_since.lock().is_some_and(|since| now > since + FAILOVER);
        match &self.outcome.borrow().1 {
            // known keys are served from what is cached
            Err(StoreError::Unreachable(_)) if self.is_trusted() => Ok(()),
            Err(StoreError::ReadOnly(_)) if self.is_trusted() && !is_long => Ok(()),
            // a heartbeat that is stuck has no outcome
            Ok(()) if !self.is_trusted() => Err(StoreError::Unreachable("no answer".to_owned())),
            outcome => outcome.clone(),
        }
    }

    /// The last heartbeat. One that is stuck counts as failed.
    pub(super) fn last_beat(&self) -> LastProbe {
        let took = self.beat_nanos.load(Ordering::Relaxed);
        let is_up = self.outcome.borrow().1.is_ok() && self.is_trusted();
        LastProbe { is_up, took: (took > 0).then(|| Duration::from_nanos(took)) }
    }

    pub(super) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Whether the last heartbeat has met the loss that Redis names.
    pub(super) fn knows_loss(&self, lost_since: &str) -> bool {
        *self.lost_since.lock() == lost_since
    }

    /// Asks for a heartbeat soon.
    pub(super) fn want_heartbeat(&self) {
        self.wanted.notify_one();
    }

    /// The outcome of a heartbeat sent from now on, or just before.
    pub(super) async fn refresh(&self) -> Result<(), StoreError> {
        let asked = Instant::now();
        let mut outcomes = self.outcome.subscribe();
        if outcomes.borrow().0 + FRESH < asked {
            self.want_heartbeat();
        }
        let outcome = timeout(RESPONSE, outcomes.wait_for(|(sent, _)| *sent + FRESH >= asked)).await;
        match outcome {
            Ok(Ok(outcome)) => outcome.1.clone(),
            Ok(Err(_)) => Err(StoreError::Closed),
            Err(_) => Err(StoreError::Unreachable("no answer".to_owned())),
        }
    }

    /// Waits until this process has handled a change.
    pub(super) async fn handled(&self, change: ChangeId) -> Result<(), StoreError> {
        self.want_heartbeat();
        let mut handled = self.handled.subscribe();
        match timeout(2 * RESPONSE, handled.wait_for(|handled| *handled >= change)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(StoreError::Closed),
            Err(_) => Err(StoreError::Unreachable("a change was written and did not come back".to_owned())),
        }
    }

    /// Ends the registration.
    pub(super) async fn leave(&self) -> Result<(), StoreError> {
        self.trusted_until.store(0, Ordering::Release);
        Ok(self.wire.run(&scripts::LEAVE, (&self.process,)).await?)
    }

    /// Waits for changes on a separate connection, and asks for a heartbeat when there are any. Without this, changes
    /// only wait for the next heartbeat.
    pub(super) async fn wait_for_changes(self: Arc<Self>) {
        loop {
            if self.watch_stream().await.is_err() {
                tokio::time::sleep(HEARTBEAT).await;
            }
        }
    }

    async fn watch_stream(&self) -> Result<(), RedisError> {
        let mut connection = self.wire.connection.separate(BLOCK + RESPONSE).await?;
        let mut handled = self.handled.subscribe();
        let options = StreamReadOptions::default().count(1).block(BLOCK_MILLIS);
        loop {
            let last = handled.borrow_and_update().to_string();
            let changes: Option<StreamReadReply> =
                connection.xread_options(&[CHANGES], &[last], &options).await?;
            if changes.is_some_and(|changes| !changes.keys.is_empty()) {
                self.want_heartbeat();
                // until the change is handled, the read would return it again
                let _ = timeout(HEARTBEAT, handled.changed()).await;
            }
        }
    }
}

/// Rejects a Redis that evicts data, and warns of one that may lose it.
fn check_settings(info: &str) -> Result<(), StoreError> {
    let mut version = setting(info, "redis_version").split('.').map_while(|part| part.parse::<u32>().ok());
    if (version.next(), version.next()) < (Some(6), Some(2)) {
        let found = setting(info, "redis_version");
        return Err(StoreError::Unsuitable(format!("Redis is of version {found:?}: use 6.2 or newer")));
    }
    check_policy(info)?;
    if setting(info, "aof_enabled") != "1" {
        tracing::warn!(
            "Redis has no append-only file: a restart of it loses the last writes; set appendonly yes and appendfsync always"
        );
    }
    Ok(())
}

/// Fails when Redis may drop what is stored.
pub(super) fn check_policy(info: &str) -> Result<(), StoreError> {
    match setting(info, "maxmemory_policy") {
        "noeviction" => Ok(()),
        policy => Err(StoreError::Unsuitable(format!(
            "Redis evicts data when its memory is full (maxmemory-policy {policy:?}), and with it customers' keys and \
             quotas: set maxmemory-policy noeviction"
        ))),
    }
}

/// A value of the INFO of Redis; empty when it is not there.
fn setting<'i>(info: &'i str, name: &str) -> &'i str {
    let found = info.lines().find_map(|line| line.trim_end().strip_prefix(name)?.strip_prefix(':'));
    found.unwrap_or_default()
}
