//! Keeps the history of the snapshot in service ([`History`]), made of the publications in the depot. It is made beside
//! the publisher, after a snapshot went live: neither a publication nor a hidden record waits for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use index::BuildError;
use parking_lot::Mutex;
use snapshots::{Depot, DepotError, Digest, Hidden, Pointer, Publication, Snapshot, UnpackError, unpack};
use tokio::task::JoinHandle;

use super::last_good::LastGood;
use super::{PublishError, apart, blocking};
use crate::changes::{Delta, Histories, History, PUBLICATIONS, Past, Prints, Published};
use crate::outage::Outage;
use crate::serving::GuideVersion;

/// The wait before the next attempt after a failure.
const RETRY: Duration = Duration::from_secs(5);

/// What each publication changed, by the digests before and after it.
type Deltas = HashMap<(Digest, Digest), Arc<Delta>>;

/// Why a history could not be made.
#[derive(Debug, thiserror::Error)]
enum HistoryError {
    #[error(transparent)]
    Depot(#[from] DepotError),
    #[error("snapshot {}: {error}", .digest.short())]
    Unpack { digest: Digest, error: UnpackError },
    #[error(transparent)]
    Render(#[from] BuildError),
    #[error(transparent)]
    Thread(#[from] PublishError),
}

/// Makes histories.
pub(super) struct HistoryKeeper {
    histories: Histories,
    pointer: Option<Pointer>,
    source: Source,
    made: Arc<Mutex<Option<GuideVersion>>>,
    making: Option<Making>,
    outage: Arc<Outage>,
}

/// A history that is being made, or could not be made.
struct Making {
    version: GuideVersion,
    task: JoinHandle<()>,
    began: Instant,
}

/// Where snapshots come from.
#[derive(Clone)]
struct Source {
    depot: Depot,
    last_good: LastGood,
    /// Those of the last history: a new publication needs only its own.
    deltas: Arc<Mutex<Deltas>>,
}

impl HistoryKeeper {
    pub(super) fn new(depot: Depot, last_good: LastGood) -> Self {
        Self {
            histories: Histories::default(),
            pointer: None,
            source: Source { depot, last_good, deltas: Arc::default() },
            made: Arc::default(),
            making: None,
            outage: Arc::new(Outage::new("what changed since earlier publications is not known")),
        }
    }

    pub(super) fn histories(&self) -> Histories {
        self.histories.clone()
    }

    /// Notes what the depot says.
    pub(super) fn saw(&mut self, pointer: &Pointer) {
        self.pointer = Some(pointer.clone());
    }

    /// Makes the history of what is served, unless it is made. It is the same on any day.
    pub(super) fn follow(&mut self, version: GuideVersion, hidden: &Arc<Hidden>) {
        if self.made.lock().is_some_and(|made| made.is_same_on_any_day(version)) {
            self.making = None;
            return;
        }
        let is_busy = |making: &Making| {
            let is_of = making.version.is_same_on_any_day(version);
            !making.task.is_finished() || is_of && making.began.elapsed() < RETRY
        };
        if self.making.as_ref().is_some_and(is_busy) {
            return;
        }
        let publications = match &self.pointer {
            _ if version.serial == 0 => Vec::new(),
            Some(pointer) => publications(pointer, version),
            // the depot could not be read since the start
            None => {
                self.histories.set_coming(false);
                return;
            }
        };
        self.histories.set_coming(true);
        let (histories, source, made) = (self.histories.clone(), self.source.clone(), self.made.clone());
        let (outage, hidden) = (self.outage.clone(), hidden.clone());
        let task = tokio::spawn(async move {
            let history = source.history(version, hidden, publications).await;
            outage.record(&history);
            match history {
                Ok(history) => {
                    histories.replace(history);
                    *made.lock() = Some(version);
                }
                Err(_) => histories.set_coming(false),
            }
        });
        self.making = Some(Making { version, task, began: Instant::now() });
    }
}

/// The publications up to the one in service, the oldest first; none when the depot does not know it.
fn publications(pointer: &Pointer, version: GuideVersion) -> Vec<Publication> {
    let GuideVersion { serial, digest, .. } = version;
    let mut known: Vec<Publication> = Vec::new();
    for entry in pointer.publications().skip_while(|entry| entry.serial > serial).take(PUBLICATIONS + 1) {
        let is_next = match known.last() {
            None => (entry.serial, entry.digest) == (serial, digest),
            Some(later) => later.serial.checked_sub(1) == Some(entry.serial),
        };
        if !is_next {
            break;
        }
        known.push(entry.clone());
    }
    known.reverse();
    known
}

impl Source {
    async fn history(
        &self,
        serving: GuideVersion,
        hidden: Arc<Hidden>,
        mut publications: Vec<Publication>,
    ) -> Result<History, HistoryError> {
        if publications.is_empty() {
            return Ok(History::unpublished(serving, hidden));
        }
        // an answer must not depend on what this server happens to remember of snapshots that the depot has lost
        for at in (0..publications.len() - 1).rev() {
            if !self.depot.has(&publications[at].digest).await? {
                publications.drain(..=at);
                break;
            }
        }
        // the records of one snapshot at a time are in memory
        let mut last: Option<Read> = None;
        let mut deltas = Vec::new();
        for pair in publications.windows(2) {
            let [one, other] = [pair[0].digest, pair[1].digest];
            let known = self.deltas.lock().get(&(one, other)).cloned();
            let delta = match known {
                Some(delta) => delta,
                None if one == other => Arc::default(),
                None => {
                    let old = self.read(one, last.take()).await?;
                    let old = apart(true, move || old.into_prints()).await?;
                    let new = self.read(other, None).await?;
                    let (delta, new) =
                        apart(true, move || (Arc::new(Delta::between(&old, &new.prints)), new)).await?;
                    last = Some(new);
                    delta
                }
            };
            self.deltas.lock().insert((one, other), delta.clone());
            deltas.push(delta);
        }
        let live = self.read(serving.digest, last).await?;
        let used = publications.windows(2).map(|pair| (pair[0].digest, pair[1].digest));
        let used: Deltas = used.zip(deltas.iter().cloned()).collect();
        *self.deltas.lock() = used;
        let published = |one: Publication| Published { serial: one.serial, at: one.published_at };
        let publications = publications.into_iter().map(published).collect();
        let make = move || {
            let live = live.into_snapshot();
            History::new(serving, hidden, Past { publications, deltas }, &live)
        };
        Ok(apart(true, make).await?)
    }

    /// A snapshot; `last` is the one that was read last.
    async fn read(&self, digest: Digest, last: Option<Read>) -> Result<Read, HistoryError> {
        let last = match last {
            Some(last) if last.digest == digest => return Ok(last),
            last => last,
        };
        let last_good = self.last_good.clone();
        let bytes = match blocking(move || last_good.read(digest)).await? {
            Ok(bytes) => Bytes::from(bytes),
            Err(_) => self.depot.fetch(&digest).await?,
        };
        let read = move || {
            drop(last);
            let snapshot =
                unpack(&bytes, Some(&digest)).map_err(|error| HistoryError::Unpack { digest, error })?.ever();
            Ok(Read { digest, prints: Prints::of(&snapshot)?, snapshot })
        };
        apart(true, read).await?
    }
}

/// A snapshot that was read from the depot. Freeing its records takes a while, so that only threads of their own do it.
struct Read {
    digest: Digest,
    prints: Prints,
    /// What it shows on some day.
    snapshot: Snapshot,
}

impl Read {
    fn into_prints(self) -> Prints {
        self.prints
    }

    fn into_snapshot(self) -> Snapshot {
        self.snapshot
    }
}
