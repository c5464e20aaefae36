//! How a published snapshot goes live: watch the depot, fetch, check, build, compare, warm, swap. Any failure leaves
//! the current snapshot in service and is reported in the log, on `/readyz` and in the metrics.

#[cfg(test)]
mod day_tests;
mod error;
mod history;
mod keeper;
mod last_good;
mod report;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, NaiveDate};
use index::search::ParsedQuery;
use index::words::Words;
use index::{Guide, Pages, Query, View};
use parking_lot::Mutex;
use rustix::process::setpriority_process;
use rustix::thread::gettid;
use snapshots::{
    Depot, DepotError, Digest, Hidden, Packed, Pointer, PollState, Publication, SnapshotStats, demo, pack,
    regressions, unpack,
};
use tokio::sync::oneshot;

pub use error::PublishError;
use history::HistoryKeeper;
use keeper::Keeper;
use last_good::{KeptRecord, LastGood};
pub use last_good::{LastGoodError, was_published};
use report::Reporter;

use crate::changes::Histories;
use crate::domain::clock::Clock;
use crate::memory;
use crate::metrics::SnapshotMetrics;
use crate::outage::Outage;
use crate::serving::{BesideGuide, GuideVersion, Serving, ServingSnapshot};

/// The wait before the next attempt after a failure that may pass.
const RETRY: Duration = Duration::from_secs(1);

/// How long a start waits for the operator's own depot.
const FIRST_LOOK: Duration = Duration::from_secs(5);

/// Why the latest published snapshot is not in service. Clones share it.
#[derive(Clone, Default)]
pub struct Failure(Arc<Mutex<Option<String>>>);

impl Failure {
    /// The message, if the latest attempt failed.
    pub fn message(&self) -> Option<String> {
        self.0.lock().clone()
    }

    fn set(&self, message: Option<String>) {
        *self.0.lock() = message;
    }
}

/// What the next snapshot is compared with before it goes live.
#[derive(Debug, Clone)]
enum Baseline {
    /// Nothing was ever published. The built-in demo does not count: it only stands in.
    NothingPublished,
    /// The last snapshot that went live.
    Snapshot {
        /// Unknown when only the snapshot itself was left on the disk.
        serial: Option<u64>,
        digest: Digest,
        /// Counted when the snapshot goes live; after a restart, when they are first needed.
        stats: Option<Arc<SnapshotStats>>,
    },
    /// A snapshot was live, and no copy of it is left.
    Lost { reason: String },
}

/// What the guide in service was made of, besides its snapshot.
#[derive(Debug, Clone)]
struct Made {
    /// The day whose dates it holds.
    day: NaiveDate,
    /// Whether another day may show other records.
    depends_on_day: bool,
    /// What was hidden.
    hidden: Arc<Hidden>,
}

/// What is made of a snapshot beside its guide, as the pages of the site are.
pub trait Companion: Send + Sync {
    /// Makes it for the day of the snapshot before that goes live, on the thread that has built the guide.
    fn prepare(&self, snapshot: &ServingSnapshot);

    /// Drops what belongs to other snapshots, as this one is live. May block.
    fn keep_only(&self, live: &ServingSnapshot);
}

/// What a publisher works with.
pub struct PublisherParts<'a> {
    /// Where snapshots are published.
    pub depot: Depot,
    /// The name of a depot of the operator's own, which is never replaced by the demo.
    pub own_depot: Option<String>,
    /// The pages of the site, for the area that the free plan covers.
    pub pages: Pages,
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
pub struct Publisher {
    depot: Depot,
    serving: Serving,
    clock: Clock,
    metrics: SnapshotMetrics,
    last_good: LastGood,
    /// The pages of the site, for the area that the free plan covers.
    pages: Arc<Pages>,
    companion: Option<Arc<dyn Companion>>,
    /// The name of a depot of the operator's own: while it is empty, the demo must not take its place.
    own_depot: Option<String>,
    /// None until it was read from the disk. It outlives a panic of [`Publisher::run`].
    baseline: Option<Baseline>,
    /// What is hidden; none until it was read from the disk.
    hidden: Option<Arc<Hidden>>,
    made: Option<Made>,
    /// Why the guide in service could not be made anew.
    not_remade: Option<String>,
    /// Why the depot's publication was refused once and for all, while nothing is in service.
    refusal: Option<PublishError>,
    reporter: Reporter,
    history: HistoryKeeper,
    failure: Failure,
    reading: Outage,
    publishing: Outage,
    keeper: Keeper,
}

impl Publisher {
    /// A publisher. It serves the demo while the depot is empty, unless that is the operator's own.
    pub fn new(parts: PublisherParts<'_>) -> Self {
        let PublisherParts { depot, own_depot, pages, serving, clock, metrics, data } = parts;
        let last_good = LastGood::new(data.join(last_good::FOLDER));
        let (keeper, failure) = (Keeper::new(last_good.clone()), Failure::default());
        Self {
            history: HistoryKeeper::new(depot.clone(), last_good.clone()),
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
            not_remade: None,
            refusal: None,
            reporter: Reporter::new(data),
            failure,
            reading: Outage::new("the depot cannot be read"),
            publishing: Outage::new("a snapshot did not go live"),
            keeper,
        }
    }

    /// Has each snapshot prepared before it goes live.
    pub fn accompanied_by(&mut self, companion: Arc<dyn Companion>) {
        self.companion = Some(companion);
    }

    /// Fails when the operator's own depot was never published to: its name may be misspelt. A depot that cannot be
    /// read is no failure here, because it may be back soon.
    pub async fn check_depot(&mut self) -> Result<(), PublishError> {
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
    pub fn failure(&self) -> Failure {
        self.failure.clone()
    }

    /// What publications changed, once it is known.
    pub fn histories(&self) -> Histories {
        self.history.histories()
    }

    /// Puts the depot's current snapshot into service, else the last good one, else, when nothing was ever published,
    /// the built-in demo. Then follows the depot for ever.
    pub async fn run(&mut self) {
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
                Ok(None) => {
                    if self.reading.succeeded() {
                        self.report_failure(self.not_remade.clone());
                    }
                    // refused once and for all: nothing tries it again, but it is still not live
                    if let Some(message) = self.failure.message() {
                        self.publishing.failed(&message);
                    }
                }
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
        let hidden = self.blocking(LastGood::hidden).await?;
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
                Ok(bytes) => self.load(bytes, known, digest, None).await.map(drop),
                Err(error) => Err(error),
            },
        };
        match done {
            Ok(()) => {
                // a publication that was refused stays refused
                if let Some(message) = self.not_remade.take()
                    && self.failure.message() == Some(message)
                {
                    self.publishing.succeeded();
                    self.report_failure(None);
                }
            }
            Err(error) => {
                if !error.may_pass() {
                    // another day or another list of what is hidden tries again
                    self.made = Some(Made { day: today, hidden, ..made });
                }
                self.not_remade = Some(error.to_string());
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
            match self.not_remade.clone() {
                None => self.succeeded(entry),
                // the depot can be read again, and the guide is still that of another day or shows what is hidden now
                Some(message) => {
                    self.reading.succeeded();
                    self.publishing.failed(&message);
                    self.report_failure(Some(message));
                }
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
        self.load(bytes, Some(serial), digest, stats).await
    }

    /// Only the latest of several publications is loaded, so a forced one among those that were skipped counts too.
    async fn is_forced(&mut self, pointer: &Pointer) -> bool {
        let last = match self.baseline().await {
            Baseline::Snapshot { serial, .. } => *serial,
            Baseline::NothingPublished | Baseline::Lost { .. } => None,
        };
        let skipped = |entry: &&Publication| last.is_some_and(|last| entry.serial > last);
        let mut entries = std::iter::once(&pointer.entry).chain(pointer.history.iter().filter(skipped));
        entries.any(|entry| entry.forced.is_some())
    }

    async fn baseline(&mut self) -> &Baseline {
        let baseline = match self.baseline.take() {
            Some(baseline) => baseline,
            None => self.read_baseline().await,
        };
        self.baseline.insert(baseline)
    }

    /// The baseline that an earlier process left on the disk. A damaged record is reported, and the snapshot beside it
    /// takes its place.
    async fn read_baseline(&self) -> Baseline {
        let error = match self.blocking(|last_good| last_good.record()).await {
            Ok(None) => return Baseline::NothingPublished,
            Ok(Some(KeptRecord { serial, digest })) => {
                return Baseline::Snapshot { serial: Some(serial), digest, stats: None };
            }
            Err(error) => error,
        };
        let reason = error.to_string();
        tracing::error!(error = reason, "the record of the last good snapshot cannot be used");
        let newest = |last_good: &LastGood| {
            Ok(last_good.digests().into_iter().find(|digest| last_good.read(*digest).is_ok()))
        };
        match self.blocking(newest).await {
            Ok(Some(digest)) => Baseline::Snapshot { serial: None, digest, stats: None },
            _ => Baseline::Lost { reason },
        }
    }

    /// What the snapshot `next` must be compared with; none when there is nothing to compare.
    async fn stats_for(&mut self, next: Digest) -> Result<Option<Arc<SnapshotStats>>, PublishError> {
        let no_baseline = |reason| PublishError::NoBaseline { digest: next, reason };
        let digest = match self.baseline().await {
            Baseline::NothingPublished => return Ok(None),
            // the last good snapshot once more, after a restart
            Baseline::Snapshot { digest, .. } if *digest == next => return Ok(None),
            Baseline::Snapshot { stats: Some(stats), .. } => return Ok(Some(stats.clone())),
            Baseline::Snapshot { digest, .. } => *digest,
            Baseline::Lost { reason } => {
                let reason = reason.clone();
                // a snapshot went live if there is a file of its name, whatever became of the content
                let known = self.blocking(move |last_good| Ok(last_good.digests().contains(&next))).await?;
                return if known { Ok(None) } else { Err(no_baseline(reason)) };
            }
        };
        let bytes = self.copy_of(digest).await.map_err(|error| no_baseline(error.to_string()))?;
        let count = move || unpack(&bytes, Some(&digest)).map(|snapshot| SnapshotStats::of(&snapshot));
        let counted = Arc::new(blocking(count).await?.map_err(|error| no_baseline(error.to_string()))?);
        if let Some(Baseline::Snapshot { stats, .. }) = &mut self.baseline {
            *stats = Some(counted.clone());
        }
        Ok(Some(counted))
    }

    /// A packed snapshot that was live: the copy on the local disk, else the one in the depot.
    async fn copy_of(&self, digest: Digest) -> Result<Bytes, PublishError> {
        match self.blocking(move |last_good| last_good.read(digest)).await {
            Ok(bytes) => Ok(bytes.into()),
            Err(error) => {
                // the depot's error is given: it may pass, and that of the local copy does not
                let bytes = self.depot.fetch(&digest).await?;
                tracing::warn!(digest = digest.short(), %error, "the local copy is unusable: the depot's is used");
                Ok(bytes)
            }
        }
    }

    /// Says why the latest published snapshot is not in service, or that it is.
    fn report_failure(&self, message: Option<String>) {
        self.metrics.publish_failing.set(message.is_some().into());
        self.failure.set(message);
    }

    /// What the depot names is live, as it is to be served now.
    fn succeeded(&mut self, live: &Publication) {
        self.not_remade = None;
        self.metrics.published_at.set(live.published_at.timestamp_millis());
        self.reading.succeeded();
        self.publishing.succeeded();
        self.report_failure(None);
    }

    /// Reports an error. With nothing in service yet, the last good snapshot goes live.
    async fn fail(&mut self, error: PublishError, seen: &mut PollState) {
        let mut message = error.to_string();
        if self.serving.current().is_none()
            && let Err(error) = self.serve_last_good().await
        {
            message = format!("{message}; and {error}");
        }
        let is_new = if matches!(error, PublishError::Depot(_)) {
            self.reading.failed(&message)
        } else {
            self.reading.succeeded();
            let is_other = self.failure.message().as_ref() != Some(&message);
            if is_other {
                // another snapshot, or another reason
                self.publishing.succeeded();
            }
            self.publishing.failed(&message);
            is_other
        };
        if is_new {
            self.metrics.publish_failures.inc();
        }
        self.report_failure(Some(message));
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
        self.load(bytes, serial, digest, None).await.map(drop)
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

    /// Builds the snapshot beside the one in service, compares it with `before`, warms it and swaps; returns the packed
    /// bytes. The guide of a publication that is not known has the serial 0.
    async fn load(
        &mut self,
        bytes: Bytes,
        known_serial: Option<u64>,
        digest: Digest,
        before: Option<Arc<SnapshotStats>>,
    ) -> Result<Bytes, PublishError> {
        let serial = known_serial.unwrap_or(0);
        let hidden = self.hidden().await?;
        // without a guide in service nobody is answered, and nobody waits
        let is_beside = self.serving.current().is_some();
        let build = Build {
            packed: bytes.clone(),
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
        self.metrics.packed_bytes.set(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
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
        Ok(bytes)
    }

    /// Works on the files of the last good snapshot without blocking the background thread, which also renews leases.
    async fn blocking<T: Send + 'static>(
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

/// How much a thread gives way to those that answer requests.
const NICENESS: i32 = 15;

/// Has this thread give way to those that answer requests, from now on.
pub(crate) fn give_way() {
    if let Err(error) = setpriority_process(Some(gettid()), NICENESS) {
        tracing::debug!(%error, "the priority of a thread cannot be lowered");
    }
}

/// Runs what takes long on a thread of its own, and returns the memory that it no longer uses. Threads that it starts
/// give way as it does.
async fn apart<T: Send + 'static>(
    gives_way: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PublishError> {
    let (done, result) = oneshot::channel();
    let thread = std::thread::Builder::new().name("builder".to_owned()).spawn(move || {
        if gives_way {
            give_way();
        }
        let result = work();
        memory::release_unused();
        let _ = done.send(result);
    });
    thread.map_err(PublishError::NoThread)?;
    result.await.map_err(|_| PublishError::Panicked)
}

/// With more records, a guide beside another one is built more slowly and with less memory.
const LOW_MEMORY_RECORDS: usize = 200_000;

/// What a guide is built of.
struct Build {
    packed: Bytes,
    version: GuideVersion,
    hidden: Arc<Hidden>,
    /// What the snapshot is compared with.
    before: Option<Arc<SnapshotStats>>,
    pages: Arc<Pages>,
    /// Another guide is in service meanwhile.
    is_beside: bool,
}

impl Build {
    /// Unpacks, compares, builds and warms: everything that takes long, for a blocking thread.
    fn run(self) -> Result<(ServingSnapshot, SnapshotStats, Made), PublishError> {
        let Build { packed, version, hidden, before, pages, is_beside } = self;
        let GuideVersion { digest, day, .. } = version;
        let snapshot =
            unpack(&packed, Some(&digest)).map_err(|error| PublishError::Unpack { digest, error })?;
        let stats = SnapshotStats::of(&snapshot);
        let regressions = before.map_or_else(Vec::new, |before| regressions(&before, &stats, day));
        if !regressions.is_empty() {
            return Err(PublishError::Regressions { digest, regressions });
        }
        let depends_on_day = snapshot.depends_on_day();
        let beside = BesideGuide::of(&snapshot);
        let snapshot =
            snapshot.on(day, &hidden).map_err(|error| PublishError::TooManyDates { digest, error })?;
        let records = snapshot.places.len() + snapshot.events.len();
        let guide = match is_beside && records > LOW_MEMORY_RECORDS {
            true => Guide::build_low_memory(snapshot, Some(&pages))?,
            false => Guide::build_with_pages(&snapshot, Some(&pages))?,
        };
        let snapshot = ServingSnapshot::new(guide, version, beside, &pages.area)?;
        warm(&snapshot, day);
        Ok((snapshot, stats, Made { day, depends_on_day, hidden }))
    }
}

/// Searches for each area and each category, so that the first request finds the memory of the index in the caches.
fn warm(snapshot: &ServingSnapshot, today: NaiveDate) {
    let guide = &snapshot.guide;
    let names = guide.vocabulary().areas.iter().map(|area| area.name.as_str());
    for text in names.chain(guide.vocabulary().categories.iter().map(|category| category.pt.as_str())) {
        let words = Words::new(text);
        let query = Query::of(&words, today, View::Full, 1);
        let query = ParsedQuery::of(guide.vocabulary(), &query);
        for collection in [&guide.places, &guide.events] {
            query.search(collection);
        }
    }
}

/// Drops a replaced snapshot once no request holds it, so that no request pays for freeing it.
async fn drop_when_unused(old: Arc<ServingSnapshot>) {
    while Arc::strong_count(&old) > 1 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // a panic here only leaks memory
    let _ = apart(true, move || drop(old)).await;
}
