//! How a published snapshot goes live: watch the depot, fetch, check, build, compare, warm, swap. Any failure leaves
//! the current snapshot in service and is reported in the log, on `/readyz` and in the metrics.

mod baseline;
mod build;
#[cfg(test)]
mod day_tests;
mod error;
mod failures;
mod history;
mod keeper;
mod last_good;
mod report;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::DateTime;
use index::SitePages;
use snapshots::{
    Depot, DepotError, Digest, Hidden, Packed, Pointer, PollState, Publication, SnapshotStats, demo, pack,
};

use baseline::Baseline;
use build::{Build, BuiltFrom, apart, drop_when_unused};
pub(crate) use error::PublishError;
pub(crate) use failures::Failure;
use failures::Failures;
use history::HistoryKeeper;
use keeper::Keeper;
use last_good::{KeptRecord, LastGood};
pub(crate) use last_good::{LastGoodError, was_published};
use report::Reporter;

use crate::changes::Histories;
use crate::domain::clock::Clock;
use crate::metrics::SnapshotMetrics;
use crate::serving::{GuideVersion, Serving, ServingSnapshot};

/// The wait before the next attempt after a failure that may pass.
const RETRY: Duration = Duration::from_secs(1);

/// How long a start waits for the operator's own depot.
const FIRST_LOOK: Duration = Duration::from_secs(5);

/// What is made of a snapshot beside its guide, as the pages of the site are.
pub(crate) trait Companion: Send + Sync {
    /// Makes it for the day of the snapshot before that goes live, on the thread that has built the guide.
    fn prepare(&self, snapshot: &ServingSnapshot);

    /// Drops what belongs to other snapshots, as this one is live. May block.
    fn keep_only(&self, live: &ServingSnapshot);
}

/// What a publisher works with.
pub(crate) struct PublisherParts<'a> {
    /// Where snapshots are published.
    pub depot: Depot,
    /// The name of a depot of the operator's own, which is never replaced by the demo.
    pub own_depot: Option<String>,
    /// The pages of the site, for the area that the free plan covers.
    pub pages: SitePages,
    /// Where snapshots go live.
    pub serving: Serving,
    /// The time.
    pub clock: Clock,
    /// What is counted.
    pub metrics: SnapshotMetrics,
    /// The data folder, below which the last good snapshot is kept.
    pub data: &'a Path,
}

/// Keeps the snapshot in service up to date.
pub(crate) struct Publisher {
    depot: Depot,
    serving: Serving,
    clock: Clock,
    metrics: SnapshotMetrics,
    last_good: LastGood,
    /// The pages of the site, for the area that the free plan covers.
    pages: Arc<SitePages>,
    companion: Option<Arc<dyn Companion>>,
    /// The name of a depot of the operator's own: while it is empty, the demo must not take its place.
    own_depot: Option<String>,
    /// None until it was read from the disk. It outlives a panic of [`Publisher::run`].
    baseline: Option<Baseline>,
    /// What is hidden; none until it was read from the disk.
    hidden: Option<Arc<Hidden>>,
    made: Option<BuiltFrom>,
    /// Why the depot's publication was refused once and for all, while nothing is in service.
    refusal: Option<PublishError>,
    reporter: Reporter,
    history: HistoryKeeper,
    failures: Failures,
    keeper: Keeper,
}

impl Publisher {
    /// A publisher. It serves the demo while the depot is empty, unless that is the operator's own.
    pub(crate) fn new(parts: PublisherParts<'_>) -> Self {
        let PublisherParts { depot, own_depot, pages, serving, clock, metrics, data } = parts;
        let last_good = LastGood::new(data.join(last_good::FOLDER));
        Self {
            history: HistoryKeeper::new(depot.clone(), last_good.clone()),
            keeper: Keeper::new(last_good.clone()),
            failures: Failures::new(metrics.clone()),
            depot,
            serving,
            clock,
            metrics,
            last_good,
            pages: Arc::new(pages),
            companion: None,
            own_depot,
            baseline: None,
            hidden: None,
            made: None,
            refusal: None,
            reporter: Reporter::new(data),
        }
    }

    /// Has each snapshot prepared before it goes live.
    pub(crate) fn accompanied_by(&mut self, companion: Arc<dyn Companion>) {
        self.companion = Some(companion);
    }

    /// Fails when the operator's own depot was never published to: its name may be misspelt. A depot that cannot be
    /// read is no failure here, because it may be back soon.
    pub(crate) async fn check_depot(&mut self) -> Result<(), PublishError> {
        let Some(depot) = self.own_depot.clone() else { return Ok(()) };
        if !matches!(self.baseline().await, Baseline::NothingPublished) {
            return Ok(());
        }
        match tokio::time::timeout(FIRST_LOOK, self.depot.current()).await {
            Ok(Ok(None)) => Err(PublishError::NothingPublished { depot }),
            _ => Ok(()),
        }
    }

    /// Where failures are reported.
    pub(crate) fn failure(&self) -> Failure {
        self.failures.shown()
    }

    /// What publications changed, once it is known.
    pub(crate) fn histories(&self) -> Histories {
        self.history.histories()
    }

    /// Puts the depot's current snapshot into service, else the last good one, else, when nothing was ever published,
    /// the built-in demo. Then follows the depot for ever.
    pub(crate) async fn run(&mut self) {
        let mut seen = PollState::default();
        loop {
            let polled = self.poll(&mut seen).await;
            // it was wiped, or its disk is not mounted
            let is_emptied = polled.is_ok()
                && !seen.is_published()
                && !matches!(self.baseline().await, Baseline::NothingPublished);
            if polled.is_ok() && !is_emptied {
                self.metrics.read_at.set(self.clock.now().0);
            }
            match polled {
                Ok(Some(pointer)) => {
                    self.history.saw(&pointer);
                    self.follow(&pointer, &mut seen).await;
                }
                Ok(None) if is_emptied => {
                    self.fail(PublishError::DepotEmptied, &mut seen).await;
                    // when it is back, what it has is looked at anew
                    seen = PollState::default();
                }
                Ok(None) if self.serving.current().is_none() => self.start_with_what_is_left(&mut seen).await,
                Ok(None) => self.failures.nothing_new(),
                Err(error) => self.fail(error.into(), &mut seen).await,
            }
            self.remake(&mut seen).await;
            self.keeper.keep_again(&self.depot).await;
            if !is_emptied {
                self.report();
            }
            self.metrics.polls.inc();
            tokio::time::sleep(self.depot.poll_interval()).await;
        }
    }

    /// The depot's publication if it is a new one. What is hidden is known before, so that a start shows no hidden
    /// record.
    async fn poll(&mut self, seen: &mut PollState) -> Result<Option<Pointer>, DepotError> {
        let pointer = self.depot.poll(seen).await?;
        let hidden = match self.depot.poll_hidden(seen).await? {
            Some(hidden) => Some(hidden),
            // what is shown again is said in that file: a depot without it is new, or has lost its files
            None if seen.is_published() && !seen.has_hidden() && self.hidden().await.is_err() => {
                Some(Hidden::default())
            }
            None => None,
        };
        if let Some(hidden) = hidden
            && self.hidden().await.ok().is_none_or(|known| *known != hidden)
        {
            let hidden = Arc::new(hidden);
            self.hidden = Some(hidden.clone());
            self.keeper.keep_hidden(hidden).await;
        }
        Ok(pointer)
    }

    /// What is hidden: at first what the disk says. When neither says it, nothing may be served: it could show what
    /// must not be seen.
    async fn hidden(&mut self) -> Result<Arc<Hidden>, PublishError> {
        if let Some(hidden) = &self.hidden {
            return Ok(hidden.clone());
        }
        let hidden = self.with_last_good(LastGood::hidden).await?;
        Ok(self.hidden.insert(Arc::new(hidden)).clone())
    }

    /// Makes the guide in service anew when the day or what is hidden has changed.
    async fn remake(&mut self, seen: &mut PollState) {
        let (Some(made), Some(current)) = (self.made.clone(), self.serving.current()) else { return };
        let GuideVersion { serial, digest, .. } = current.version;
        // the old guide must not be held while the new one is built
        drop(current);
        let today = self.clock.today().date();
        // known, as a guide was made with it
        let Ok(hidden) = self.hidden().await else { return };
        if made.hidden == hidden && (made.day == today || !made.depends_on_day) {
            return;
        }
        // one that is not known stays so
        let known = match &self.baseline {
            Some(Baseline::Snapshot { serial, .. }) => *serial,
            _ => Some(serial),
        };
        let done = match &self.baseline {
            Some(Baseline::NothingPublished) => self.serve_demo().await,
            _ => match self.copy_of(digest).await {
                Ok(bytes) => self.load(bytes, known, digest, None).await,
                Err(error) => Err(error),
            },
        };
        match done {
            Ok(()) => self.failures.remade(),
            Err(error) => {
                if !error.may_pass() {
                    // another day or another list of what is hidden tries again
                    self.made = Some(BuiltFrom { day: today, hidden, ..made });
                }
                self.failures.not_remade(&error);
                self.fail(error, seen).await;
            }
        }
    }

    /// Tells the depot what is served, and follows what that changed.
    fn report(&mut self) {
        let (Some(made), Some(current)) = (&self.made, self.serving.current()) else { return };
        let now = DateTime::from_timestamp_millis(self.clock.now().0).unwrap_or_default();
        self.reporter.report(&self.depot, current.version, now);
        // another list of what is hidden is known when the guide could not be made anew with it
        if made.hidden.version == current.version.hidden {
            self.history.follow(current.version, &made.hidden);
        }
    }

    async fn follow(&mut self, pointer: &Pointer, seen: &mut PollState) {
        let entry = &pointer.entry;
        let is_live = |live: &ServingSnapshot| {
            (live.version.serial, live.version.digest) == (entry.serial, entry.digest)
        };
        if self.serving.current().is_some_and(|live| is_live(&live)) {
            if self.failures.is_remade() {
                self.succeeded(entry);
            } else {
                self.failures.still_not_remade();
            }
            return;
        }
        match self.publish(pointer).await {
            Ok(bytes) => {
                self.succeeded(entry);
                let record = KeptRecord { serial: entry.serial, digest: entry.digest };
                self.keeper.keep(bytes, record).await;
            }
            Err(error) => self.fail(error, seen).await,
        }
    }

    /// Puts the snapshot that the pointer names into service; returns its packed bytes.
    async fn publish(&mut self, pointer: &Pointer) -> Result<Bytes, PublishError> {
        let Publication { serial, digest, .. } = pointer.entry;
        let stats = if self.is_forced(pointer).await { None } else { self.stats_for(digest).await? };
        let bytes = self.depot.fetch(&digest).await?;
        self.load(bytes.clone(), Some(serial), digest, stats).await?;
        Ok(bytes)
    }

    /// A packed snapshot that was live: the copy on the local disk, else the one in the depot.
    async fn copy_of(&self, digest: Digest) -> Result<Bytes, PublishError> {
        match self.with_last_good(move |last_good| last_good.read(digest)).await {
            Ok(bytes) => Ok(bytes.into()),
            Err(error) => {
                // the depot's error is given: it may pass, and that of the local copy does not
                let bytes = self.depot.fetch(&digest).await?;
                tracing::warn!(digest = digest.short(), %error, "the local copy is unusable: the depot's is used");
                Ok(bytes)
            }
        }
    }

    /// What the depot names is live, as it is to be served now.
    fn succeeded(&mut self, live: &Publication) {
        self.metrics.published_at.set(live.published_at.timestamp_millis());
        self.failures.live();
    }

    /// Reports an error. With nothing in service yet, the last good snapshot goes live.
    async fn fail(&mut self, error: PublishError, seen: &mut PollState) {
        let mut message = error.to_string();
        if self.serving.current().is_none()
            && let Err(error) = self.serve_last_good().await
        {
            message = format!("{message}; and {error}");
        }
        self.failures.failed(&error, message);
        if error.may_pass() {
            *seen = PollState::default();
            tokio::time::sleep(RETRY).await;
        } else if seen.is_published() && self.serving.current().is_none() {
            self.refusal = Some(error);
        }
    }

    /// Does nothing when nothing was ever published.
    async fn serve_last_good(&mut self) -> Result<(), PublishError> {
        let (serial, digest) = match self.baseline().await {
            Baseline::NothingPublished => return Ok(()),
            Baseline::Snapshot { serial, digest, .. } => (*serial, *digest),
            Baseline::Lost { .. } => {
                return Err(PublishError::LastGoodLost { folder: self.last_good.folder().to_owned() });
            }
        };
        let bytes = self.copy_of(digest).await?;
        self.load(bytes, serial, digest, None).await
    }

    /// Nothing is in service, and the depot has nothing new. If its publication was refused, only the last good
    /// snapshot is tried again: the demo must not take the place of a guide, and the reason stays. If nothing was ever
    /// published, the demo goes live.
    async fn start_with_what_is_left(&mut self, seen: &mut PollState) {
        if seen.is_published() {
            if let Some(error) = self.refusal.take() {
                tokio::time::sleep(RETRY).await;
                self.fail(error, seen).await;
            }
        } else if let Some(depot) = self.own_depot.clone() {
            self.fail(PublishError::NothingPublished { depot }, seen).await;
        } else if let Err(error) = self.serve_demo().await {
            self.fail(error, seen).await;
        }
    }

    async fn serve_demo(&mut self) -> Result<(), PublishError> {
        let today = self.clock.today().date();
        let Packed { digest, bytes, .. } = blocking(move || pack(&demo::files(), today)).await??;
        self.load(bytes, None, digest, None).await?;
        self.baseline = Some(Baseline::NothingPublished);
        Ok(())
    }

    /// Builds the snapshot beside the one in service, compares it with `before`, warms it and swaps. The guide of a
    /// publication that is not known has the serial 0.
    async fn load(
        &mut self,
        bytes: Bytes,
        known_serial: Option<u64>,
        digest: Digest,
        before: Option<Arc<SnapshotStats>>,
    ) -> Result<(), PublishError> {
        let serial = known_serial.unwrap_or(0);
        let hidden = self.hidden().await?;
        let packed_bytes = bytes.len();
        // without a guide in service nobody is answered, and nobody waits
        let is_beside = self.serving.current().is_some();
        let build = Build {
            packed: bytes,
            version: GuideVersion { serial, digest, day: self.clock.today().date(), hidden: hidden.version },
            hidden,
            before,
            pages: self.pages.clone(),
            is_beside,
        };
        let companion = self.companion.clone();
        let built = apart(is_beside, move || {
            let built = build.run();
            if let (Ok((snapshot, ..)), Some(companion)) = (&built, companion) {
                companion.prepare(snapshot);
            }
            built
        });
        let (snapshot, stats, made) = built.await??;
        self.made = Some(made);
        let (places, events) = (snapshot.guide.places.len(), snapshot.guide.events.len());
        self.metrics.swaps.inc();
        self.metrics.packed_bytes.set(i64::try_from(packed_bytes).unwrap_or(i64::MAX));
        self.metrics.places.set(places.into());
        self.metrics.events.set(events.into());
        self.metrics.serial.set(i64::try_from(serial).unwrap_or(i64::MAX));
        if let Some(old) = self.serving.replace(snapshot) {
            tokio::spawn(drop_when_unused(old));
        }
        if let (Some(companion), Some(live)) = (self.companion.clone(), self.serving.current()) {
            // a panic there only keeps what is not needed
            let _ = blocking(move || companion.keep_only(&live)).await;
        }
        self.baseline =
            Some(Baseline::Snapshot { serial: known_serial, digest, stats: Some(Arc::new(stats)) });
        tracing::info!(serial, digest = digest.short(), places, events, "a snapshot went live");
        Ok(())
    }

    /// Works on the files of the last good snapshot without blocking the background thread, which also renews leases.
    async fn with_last_good<T: Send + 'static>(
        &self,
        work: impl FnOnce(&LastGood) -> Result<T, LastGoodError> + Send + 'static,
    ) -> Result<T, PublishError> {
        let last_good = self.last_good.clone();
        Ok(blocking(move || work(&last_good)).await??)
    }
}

/// Runs what takes long on a blocking thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, PublishError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| PublishError::Panicked)
}
