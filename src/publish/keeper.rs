//! Writes the copy of what is served, and tries again what could not be written: a full disk must not leave an old copy
//! for the next start.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use snapshots::{Depot, Hidden};

use super::last_good::{KeptRecord, LastGood, LastGoodError};
use super::{PublishError, blocking};
use crate::outage::Outage;

/// How long after a failure it is tried again.
const AGAIN: Duration = Duration::from_secs(5);

/// Keeps the copy up to date.
pub(super) struct Keeper {
    last_good: LastGood,
    outage: Outage,
    /// The snapshot that could not be written.
    snapshot: Option<KeptRecord>,
    /// What is hidden, if that could not be written.
    hidden: Option<Arc<Hidden>>,
    failed_at: Option<Instant>,
}

impl Keeper {
    pub(super) fn new(last_good: LastGood) -> Keeper {
        let outage = Outage::new("no copy of the snapshot could be kept for the next start");
        Keeper { last_good, outage, snapshot: None, hidden: None, failed_at: None }
    }

    /// Writes a snapshot that went live.
    pub(super) async fn keep(&mut self, bytes: Bytes, record: KeptRecord) {
        self.snapshot = Some(record);
        if self.write(move |last_good| last_good.keep(&bytes, record)).await {
            self.snapshot = None;
        }
    }

    /// Writes what is hidden.
    pub(super) async fn keep_hidden(&mut self, hidden: Arc<Hidden>) {
        self.hidden = Some(hidden.clone());
        if self.write(move |last_good| last_good.keep_hidden(&hidden)).await {
            self.hidden = None;
        }
    }

    /// Writes what could not be written before, if it is time.
    pub(super) async fn keep_again(&mut self, depot: &Depot) {
        if self.failed_at.is_none_or(|at| at.elapsed() < AGAIN) {
            return;
        }
        if let Some(hidden) = self.hidden.clone() {
            self.keep_hidden(hidden).await;
        }
        if let Some(record) = self.snapshot {
            match depot.fetch(&record.digest).await {
                Ok(bytes) => self.keep(bytes, record).await,
                Err(error) => self.failed(&error),
            }
        }
        if self.snapshot.is_none() && self.hidden.is_none() {
            self.failed_at = None;
            self.outage.succeeded();
        }
    }

    /// Whether it could be written.
    async fn write(
        &mut self,
        work: impl FnOnce(&LastGood) -> Result<(), LastGoodError> + Send + 'static,
    ) -> bool {
        let last_good = self.last_good.clone();
        let written =
            blocking(move || work(&last_good)).await.and_then(|done| done.map_err(PublishError::from));
        if let Err(error) = &written {
            self.failed(error);
        }
        written.is_ok()
    }

    fn failed(&mut self, error: &dyn std::fmt::Display) {
        self.failed_at = Some(Instant::now());
        self.outage.failed(error);
    }
}
