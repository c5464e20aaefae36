//! The writing and the reading thread.
//!
//! The writer takes all waiting writes into one transaction, so that a disk which syncs a hundred times a second
//! carries thousands of writes; a write is answered after its commit. A panic ends neither thread: it fails the call
//! that caused it, is logged and counted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::runtime::Handle;

use super::probe::Probe;
use crate::domain::account::AccountId;
use crate::outage::Outage;
use crate::store::error::store_works;
use crate::store::{Change, ChangeListener, StoreError};

/// Reads or writes that may wait; further ones fail as overloaded.
const MAX_WAITING: usize = 1024;

/// Writes in one transaction.
const MAX_TOGETHER: usize = 256;

/// How often the writer looks for commits of other processes, well within the promised second.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// A probe that has not ended for so long is stuck: it waits for other writers for some seconds at most.
const STUCK: Duration = Duration::from_secs(10);

/// A waiting read.
pub(super) type Read = Box<dyn FnOnce(&Connection) + Send>;

/// A waiting write: runs in the transaction, or learns that there is none.
pub(super) type Write = Box<dyn FnOnce(Option<&mut Transaction<'_>>) -> Pending + Send>;

/// A write that waits for its commit.
pub(super) struct Pending {
    /// The account whose keys or plan it changed.
    pub(super) changed: Option<AccountId>,
    /// Answers the caller, once it is known whether the transaction was committed.
    pub(super) answer: Box<dyn FnOnce(Result<(), StoreError>) + Send>,
}

/// What the store and its threads share.
pub(super) struct Shared {
    /// Set once the process serves.
    pub(super) registered: OnceLock<Registered>,
    panics: AtomicU64,
    /// Why the last look for commits of other processes failed, if it did.
    watch_error: Mutex<Option<StoreError>>,
    /// The last probe: when it ended, and how.
    probe: Mutex<Option<(Instant, Result<(), StoreError>)>>,
    /// How long it took, in nanoseconds.
    probe_nanos: AtomicU64,
    /// A damage that any call has met. It does not heal while the process runs.
    damage: OnceLock<StoreError>,
    watching: Outage,
    probing: Outage,
}

impl Default for Shared {
    fn default() -> Shared {
        Shared {
            registered: OnceLock::new(),
            panics: AtomicU64::new(0),
            watch_error: Mutex::new(None),
            probe: Mutex::new(None),
            probe_nanos: AtomicU64::new(0),
            damage: OnceLock::new(),
            watching: Outage::new("the store cannot be watched for changes"),
            probing: Outage::new("calls with a key cannot be answered"),
        }
    }
}

/// The listener, and the runtime it runs on: the writer must not wait for it, as it may itself write.
pub(super) struct Registered {
    pub(super) listener: ChangeListener,
    pub(super) runtime: Handle,
}

impl Registered {
    /// Passes a change on, and calls `then` once it is handled.
    fn notify(&self, change: Change, then: impl FnOnce() + Send + 'static) {
        let listener = self.listener.clone();
        self.runtime.spawn(async move {
            listener(change).await;
            then();
        });
    }
}

impl Shared {
    /// Runs `work`; a panic in it becomes an error.
    pub(super) fn catch<T, E: Into<StoreError>>(
        &self,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, StoreError> {
        // unwind safe: a transaction or savepoint rolls back when it is dropped, and nothing else is shared
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(done) => done.map_err(Into::into).inspect_err(|error| {
                if matches!(error, StoreError::Damaged(_)) {
                    let _ = self.damage.set(error.clone());
                }
            }),
            Err(_) => {
                self.panics.fetch_add(1, Ordering::Relaxed);
                tracing::error!("a thread of the store panicked and goes on");
                Err(StoreError::Panicked)
            }
        }
    }

    pub(super) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Whether the last probe succeeded, and nothing else shows that calls fail.
    pub(super) fn health(&self) -> Result<(), StoreError> {
        if let Some(damage) = self.damage.get() {
            return Err(damage.clone());
        }
        if let Some(error) = self.watch_error.lock().clone() {
            return Err(error);
        }
        match &*self.probe.lock() {
            Some((at, _)) if at.elapsed() > STUCK => Err(StoreError::failed("the disk does not answer")),
            Some((_, outcome)) => outcome.clone(),
            None => Ok(()),
        }
    }

    /// How long the last probe took.
    pub(super) fn probe_took(&self) -> Option<Duration> {
        let nanos = self.probe_nanos.load(Ordering::Relaxed);
        (nanos > 0).then(|| Duration::from_nanos(nanos))
    }

    fn probed(&self, outcome: Result<(), StoreError>, took: Duration) {
        self.probe_nanos.store(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.probing.record(&outcome);
        if outcome.is_ok() {
            store_works();
        }
        *self.probe.lock() = Some((Instant::now(), outcome));
    }
}

/// A thread and its bounded queue of jobs.
pub(super) struct Worker<J> {
    /// `None` only while being dropped.
    queue: Option<SyncSender<J>>,
    thread: Option<JoinHandle<()>>,
}

impl<J: Send + 'static> Worker<J> {
    pub(super) fn start(
        name: &str,
        work: impl FnOnce(Receiver<J>) + Send + 'static,
    ) -> Result<Worker<J>, StoreError> {
        let (queue, jobs) = sync_channel(MAX_WAITING);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(jobs))
            .map_err(StoreError::failed)?;
        Ok(Worker { queue: Some(queue), thread: Some(thread) })
    }

    pub(super) fn send(&self, job: J) -> Result<(), StoreError> {
        match self.queue.as_ref().map(|queue| queue.try_send(job)) {
            Some(Ok(())) => Ok(()),
            Some(Err(TrySendError::Full(_))) => Err(StoreError::Overloaded),
            Some(Err(TrySendError::Disconnected(_))) | None => Err(StoreError::Closed),
        }
    }

    pub(super) fn is_alive(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }
}

impl<J> Drop for Worker<J> {
    /// Waits for the queue to empty: a write that was accepted is not lost when the process ends in order.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("a thread of the store had panicked");
        }
    }
}

/// Writes until the queue is closed, watches the file for commits of other processes, and probes it while the process
/// serves.
pub(super) fn write_all(
    mut connection: Connection,
    mut version: i64,
    mut probe: Probe,
    writes: &Receiver<Write>,
    shared: &Shared,
) {
    let mut look_at = Instant::now() + LOOK_EVERY;
    loop {
        match writes.recv_timeout(look_at.saturating_duration_since(Instant::now())) {
            // each caller has its answer, or learns from the dropped channel that there is none
            Ok(first) => drop(shared.catch(|| {
                commit_together(&mut connection, first, writes, shared);
                Ok::<(), StoreError>(())
            })),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if Instant::now() >= look_at {
            look_at = Instant::now() + LOOK_EVERY;
            watch(&connection, &mut version, shared);
        }
        if shared.registered.get().is_some() && probe.is_due(Instant::now()) {
            let began = Instant::now();
            let outcome = shared.catch(|| probe.run(&mut connection));
            shared.probed(outcome, began.elapsed());
        }
    }
}

/// Looks for commits of other processes, which may have changed anything.
fn watch(connection: &Connection, version: &mut i64, shared: &Shared) {
    let look = shared.catch(|| data_version(connection));
    *shared.watch_error.lock() = look.as_ref().err().cloned();
    shared.watching.record(&look);
    // after an error what is cached may be outdated
    if let Ok(found) = look
        && found == std::mem::replace(version, found)
    {
        return;
    }
    if let Some(registered) = shared.registered.get() {
        registered.notify(Change::Everything, || {});
    }
}

/// A number that changes when another connection commits, and never by this connection's own commits.
pub(super) fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}

/// Commits `first` together with all writes that wait, then answers them; those that changed an account once the
/// listener has handled the change.
fn commit_together(connection: &mut Connection, first: Write, writes: &Receiver<Write>, shared: &Shared) {
    let mut transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => transaction,
        Err(error) => return (first(None).answer)(Err(error.into())),
    };
    let mut all = vec![first(Some(&mut transaction))];
    while all.len() < MAX_TOGETHER
        && let Ok(write) = writes.try_recv()
    {
        all.push(write(Some(&mut transaction)));
    }
    let committed = shared.catch(|| transaction.commit());
    for Pending { changed, answer } in all {
        let committed = committed.clone();
        match (changed, shared.registered.get()) {
            (Some(account), Some(registered)) => {
                registered.notify(Change::Account(account), || answer(committed));
            }
            _ => answer(committed),
        }
    }
}

/// Runs a write so that a failure undoes its own changes and no other write's.
pub(super) fn within_savepoint<T>(
    transaction: &mut Transaction<'_>,
    write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let savepoint = transaction.savepoint()?;
    let written = write(&savepoint)?;
    savepoint.commit()?;
    Ok(written)
}
