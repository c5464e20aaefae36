//! What takes long of a publication, on a thread of its own: unpacking, comparing, building and warming a snapshot, and
//! dropping the one that it replaced.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::NaiveDate;
use index::search::ParsedQuery;
use index::vocabulary::words::Words;
use index::{Guide, Query, SitePages, View};
use snapshots::{Hidden, SnapshotStats, regressions, unpack};

use super::error::PublishError;
use crate::memory;
use crate::own_thread::{self, NotDone};
use crate::serving::{GuideVersion, ServingSnapshot, SnapshotExtras};

/// What the guide in service was made of, besides its snapshot.
#[derive(Debug, Clone)]
pub(super) struct BuiltFrom {
    /// The day whose dates it holds.
    pub(super) day: NaiveDate,
    /// Whether another day may show other records.
    pub(super) depends_on_day: bool,
    /// What was hidden.
    pub(super) hidden: Arc<Hidden>,
}

/// With more records, a guide beside another one is built more slowly and with less memory.
const LOW_MEMORY_RECORDS: usize = 200_000;

/// What a guide is built of.
pub(super) struct Build {
    pub(super) packed: Bytes,
    pub(super) version: GuideVersion,
    pub(super) hidden: Arc<Hidden>,
    /// What the snapshot is compared with.
    pub(super) before: Option<Arc<SnapshotStats>>,
    pub(super) pages: Arc<SitePages>,
    /// Another guide is in service meanwhile.
    pub(super) is_beside: bool,
}

impl Build {
    /// Unpacks, compares, builds and warms: everything that takes long, for a blocking thread.
    pub(super) fn run(self) -> Result<(ServingSnapshot, SnapshotStats, BuiltFrom), PublishError> {
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
        let extras = SnapshotExtras::of(&snapshot);
        let snapshot =
            snapshot.on(day, &hidden).map_err(|error| PublishError::TooManyDates { digest, error })?;
        let records = snapshot.places.len() + snapshot.events.len();
        let guide = match is_beside && records > LOW_MEMORY_RECORDS {
            true => Guide::build_low_memory(snapshot, Some(&pages))?,
            false => Guide::build_with_pages(&snapshot, Some(&pages))?,
        };
        let snapshot = ServingSnapshot::new(guide, version, extras, &pages.area)?;
        warm(&snapshot, day);
        Ok((snapshot, stats, BuiltFrom { day, depends_on_day, hidden }))
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

/// Runs what takes long on a thread of its own, and returns the memory that it no longer uses.
pub(super) async fn apart<T: Send + 'static>(
    gives_way: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PublishError> {
    let done = own_thread::run("builder", gives_way, move || {
        let result = work();
        memory::release_unused();
        result
    });
    done.await.map_err(|failed| match failed {
        NotDone::NoThread(error) => PublishError::NoThread(error),
        NotDone::Panicked => PublishError::Panicked,
    })
}

/// Drops a replaced snapshot once no request holds it, so that no request pays for freeing it.
pub(super) async fn drop_when_unused(old: Arc<ServingSnapshot>) {
    while Arc::strong_count(&old) > 1 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // a panic here only leaks memory
    let _ = apart(true, move || drop(old)).await;
}
