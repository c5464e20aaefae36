//! From the depot into service: watch, fetch, check, build, compare, warm, swap. Whatever goes wrong on the way
//! keeps the guide in service and is said in the log, on `/readyz` and in the metrics.
//!
//! Uses [`crate::serving`], [`crate::domain::clock`], [`crate::metrics`] and the crates `snapshots` and `index`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use bytes::Bytes;
use index::search::ParsedQuery;
use index::words::Words;
use index::{BuildError, Guide, Query, View};
use serde::{Deserialize, Serialize};
use snapshots::{
    Depot, DepotError, Digest, Packed, Pointer, PollState, Publication, SnapshotStats, UnpackError, demo,
    pack, regressions, unpack,
};

use crate::domain::clock::Clock;
use crate::memory;
use crate::metrics::SnapshotMetrics;
use crate::serving::{NoFreeRegion, Serving, ServingSnapshot};

/// How often the depot is asked whether something was published.
const POLL: Duration = Duration::from_millis(500);

/// How long to wait after the depot or the machine failed, before trying the same again.
const RETRY: Duration = Duration::from_secs(1);

/// Why a snapshot did not go into service.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The depot could not be read.
    #[error(transparent)]
    Depot(#[from] DepotError),
    /// The packed file is not a good snapshot.
    #[error("snapshot {}: {error}", .digest.short())]
    Unpack {
        /// Which.
        digest: Digest,
        /// What is wrong with it.
        error: UnpackError,
    },
    /// Too much vanishes.
    #[error("snapshot {} was kept out: {}. Publish it with --force --reason if that is right", .digest.short(), .regressions.join("; "))]
    Alarming {
        /// Which.
        digest: Digest,
        /// What vanishes.
        regressions: Vec<String>,
    },
    /// The guide could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The vocabulary lacks the free plan's region.
    #[error(transparent)]
    NoFreeRegion(#[from] NoFreeRegion),
    /// The depot holds nothing, although a snapshot from it was in service before.
    #[error(
        "the depot is empty, although something was published before: the last good snapshot stays in service; restore the depot, or publish again"
    )]
    Emptied,
    /// The built-in demo could not be packed.
    #[error("the built-in demo: {0}")]
    Demo(#[from] snapshots::PackError),
    /// The copy of the last good snapshot could not be used.
    #[error("the last good snapshot in {}: {error}", .path.display())]
    LastGood {
        /// The file concerned.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The thread that built the guide died.
    #[error("the guide could not be built: the thread that built it died")]
    Died,
}

impl PublishError {
    /// Whether trying the same again may help.
    fn may_pass(&self) -> bool {
        matches!(self, PublishError::Depot(_) | PublishError::Died)
    }
}

/// Keeps the guide in service up to date.
pub struct Publisher {
    depot: Depot,
    live: Serving,
    clock: Clock,
    counters: SnapshotMetrics,
    last_good: LastGood,
    /// What the snapshot in service holds, to tell what vanishes.
    census: Option<SnapshotStats>,
    failure: Failure,
}

/// Why the last snapshot that was published is not in service; clones share it.
#[derive(Clone, Default)]
pub struct Failure(Arc<RwLock<Option<String>>>);

impl Failure {
    /// The sentence, if the last publish failed.
    pub fn told(&self) -> Option<String> {
        self.0.read().ok()?.clone()
    }

    fn set(&self, told: Option<String>) {
        if let Ok(mut failure) = self.0.write() {
            *failure = told;
        }
    }
}

impl Publisher {
    /// A publisher that keeps its copy of the last good snapshot below `data`.
    pub fn new(depot: Depot, live: Serving, clock: Clock, counters: SnapshotMetrics, data: &Path) -> Self {
        let last_good = LastGood { folder: data.join("last-good") };
        Self { depot, live, clock, counters, last_good, census: None, failure: Failure::default() }
    }

    /// Where failures are told.
    pub fn failure(&self) -> Failure {
        self.failure.clone()
    }

    /// Puts the current snapshot into service, else the last known good one, else, when nothing was ever published,
    /// the built-in demo. Then watches for ever.
    pub async fn run(mut self) {
        let mut seen = PollState::default();
        loop {
            match self.depot.poll(&mut seen).await {
                Ok(Some(pointer)) => self.follow(&pointer, &mut seen).await,
                Ok(None) if self.live.current().is_none() => self.begin_without_depot(&mut seen).await,
                Ok(None) => {}
                Err(error) => self.fail(&error.into(), &mut seen).await,
            }
            tokio::time::sleep(POLL).await;
        }
    }

    async fn follow(&mut self, pointer: &Pointer, seen: &mut PollState) {
        let entry = &pointer.entry;
        let in_service = self.live.current().as_ref().map(|edition| (edition.serial, edition.digest));
        if in_service == Some((entry.serial, entry.digest)) {
            self.failure.set(None);
            return;
        }
        // of several that were published since the last look only the latest is loaded: what was forced on the way
        // there is forced
        let since = in_service.map_or(0, |(serial, _)| serial);
        let passed = pointer.history.iter().filter(|passed| passed.serial > since);
        let forced = std::iter::once(entry).chain(passed).any(|entry| entry.forced.is_some());
        let loaded = match self.depot.fetch(&entry.digest).await {
            Ok(bytes) => self.load(bytes, entry.serial, entry.digest, forced).await,
            Err(error) => Err(error.into()),
        };
        match loaded {
            Ok(bytes) => {
                self.failure.set(None);
                if let Err(error) = self.last_good.keep(&bytes, entry) {
                    tracing::warn!(%error, "the last good snapshot could not be kept");
                }
            }
            Err(error) => self.fail(&error, seen).await,
        }
    }

    /// Says what went wrong. With no guide in service yet, the last good one goes into service.
    async fn fail(&mut self, error: &PublishError, seen: &mut PollState) {
        let told = error.to_string();
        if self.failure.told().as_ref() != Some(&told) {
            tracing::error!(error = %told, "a snapshot did not go into service");
            self.counters.publish_failures.inc();
            self.failure.set(Some(told));
        }
        if self.live.current().is_none() {
            match self.last_good.read() {
                Ok(Some((bytes, kept))) => {
                    if let Err(error) = self.load(bytes, kept.serial, kept.digest, true).await {
                        tracing::error!(%error, "neither does the last good one");
                    }
                }
                Ok(None) => {}
                Err(error) => tracing::error!(%error, "the last good snapshot could not be read"),
            }
        }
        if error.may_pass() {
            *seen = PollState::default();
            tokio::time::sleep(RETRY).await;
        }
    }

    /// Nothing is in the depot: the last good snapshot goes into service, or, when there never was one, the demo.
    async fn begin_without_depot(&mut self, seen: &mut PollState) {
        match self.last_good.kept() {
            Ok(None) => self.serve_demo().await,
            Ok(Some(_)) => self.fail(&PublishError::Emptied, seen).await,
            Err(error) => self.fail(&error, seen).await,
        }
    }

    async fn serve_demo(&mut self) {
        let today = self.clock.today().date();
        let packed = tokio::task::spawn_blocking(move || pack(&demo::files(), today)).await;
        let loaded = match packed {
            Ok(Ok(Packed { digest, bytes, .. })) => self.load(bytes, 0, digest, true).await,
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(PublishError::Died),
        };
        // the demo only stands in: the first snapshot of one's own is not measured by it
        self.census = None;
        if let Err(error) = loaded {
            self.fail(&error, &mut PollState::default()).await;
        }
    }

    /// Builds the edition beside the one in service, compares, warms, swaps; gives the packed bytes back.
    async fn load(
        &mut self,
        bytes: Bytes,
        serial: u64,
        digest: Digest,
        forced: bool,
    ) -> Result<Bytes, PublishError> {
        let census = self.census.take();
        let today = self.clock.today().date();
        let built = tokio::task::spawn_blocking(move || {
            let built = build(&bytes, serial, digest, census.as_ref().filter(|_| !forced), today);
            memory::give_back();
            (built, bytes, census)
        });
        let (built, bytes, before) = built.await.map_err(|_| PublishError::Died)?;
        let (edition, census) = match built {
            Ok(built) => built,
            Err(error) => {
                self.census = before;
                return Err(error);
            }
        };
        self.census = Some(census);
        let (places, events) = (edition.guide.places.len(), edition.guide.events.len());
        self.counters.swaps.inc();
        self.counters.places.set(places.into());
        self.counters.events.set(events.into());
        self.counters.serial.set(serial as i64);
        if let Some(old) = self.live.replace(edition) {
            tokio::spawn(retire(old));
        }
        tracing::info!(serial, digest = digest.short(), places, events, "a snapshot went into service");
        Ok(bytes)
    }
}

/// Unpacks, compares, builds and warms: everything that takes long, for a thread of its own.
fn build(
    bytes: &[u8],
    serial: u64,
    digest: Digest,
    before: Option<&SnapshotStats>,
    today: chrono::NaiveDate,
) -> Result<(ServingSnapshot, SnapshotStats), PublishError> {
    let snapshot = unpack(bytes, Some(&digest)).map_err(|error| PublishError::Unpack { digest, error })?;
    let census = SnapshotStats::of(&snapshot);
    let regressions = before.map_or_else(Vec::new, |before| regressions(before, &census));
    if !regressions.is_empty() {
        return Err(PublishError::Alarming { digest, regressions });
    }
    let edition = ServingSnapshot::new(Guide::build(&snapshot)?, serial, digest)?;
    warm(&edition, today);
    Ok((edition, census))
}

/// Asks the new edition a question of each area and each category, so that its first caller finds its memory in
/// the caches.
fn warm(edition: &ServingSnapshot, today: chrono::NaiveDate) {
    let guide = &edition.guide;
    let names = guide.vocabulary().areas.iter().map(|area| area.name.as_str());
    for text in names.chain(guide.vocabulary().categories.iter().map(|category| category.pt.as_str())) {
        let words = Words::new(text);
        let question = Query::of(&words, today, View::Full, 1);
        let understood = ParsedQuery::of(guide.vocabulary(), &question);
        for shelf in [&guide.places, &guide.events] {
            understood.search(shelf);
        }
    }
}

/// Drops an edition once no request holds it any more, so that no request is the one to free it.
async fn retire(old: Arc<ServingSnapshot>) {
    while Arc::strong_count(&old) > 1 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // a thread that dies here only leaves memory behind
    let _ = tokio::task::spawn_blocking(move || {
        drop(old);
        memory::give_back();
    })
    .await;
}

/// The local copy of the last snapshot that went into service, for a start without the depot.
struct LastGood {
    folder: PathBuf,
}

/// Which snapshot the copy is of.
#[derive(Serialize, Deserialize)]
struct CachedDocument {
    serial: u64,
    digest: Digest,
}

impl LastGood {
    fn pointer(&self) -> PathBuf {
        self.folder.join("kept.json")
    }

    fn snapshot(&self, digest: Digest) -> PathBuf {
        self.folder.join(format!("{digest}.json.zst"))
    }

    /// Keeps a copy: first the snapshot, then the word that it is the one, each by a rename.
    fn keep(&self, bytes: &[u8], entry: &Publication) -> Result<(), PublishError> {
        let write = |path: &Path, bytes: &[u8]| {
            let part = path.with_extension("part");
            std::fs::create_dir_all(&self.folder)
                .and_then(|()| std::fs::write(&part, bytes))
                .and_then(|()| std::fs::File::open(&part)?.sync_all())
                .and_then(|()| std::fs::rename(&part, path))
                .map_err(|error| PublishError::LastGood { path: path.to_owned(), error })
        };
        let before = self.kept().ok().flatten();
        write(&self.snapshot(entry.digest), bytes)?;
        let kept = serde_json::to_vec(&CachedDocument { serial: entry.serial, digest: entry.digest })
            .unwrap_or_default();
        write(&self.pointer(), &kept)?;
        if let Some(before) = before.filter(|before| before.digest != entry.digest) {
            // a copy that stays behind costs room and nothing else
            let _ = std::fs::remove_file(self.snapshot(before.digest));
        }
        Ok(())
    }

    fn kept(&self) -> Result<Option<CachedDocument>, PublishError> {
        let path = self.pointer();
        match std::fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(PublishError::LastGood { path, error }),
        }
    }

    fn read(&self) -> Result<Option<(Bytes, CachedDocument)>, PublishError> {
        let Some(kept) = self.kept()? else { return Ok(None) };
        let path = self.snapshot(kept.digest);
        let bytes = std::fs::read(&path).map_err(|error| PublishError::LastGood { path, error })?;
        Ok(Some((bytes.into(), kept)))
    }
}
