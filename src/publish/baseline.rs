//! What the next snapshot is compared with before it goes live.

use std::sync::Arc;

use snapshots::{Digest, Pointer, Publication, SnapshotStats, unpack};

use super::error::PublishError;
use super::last_good::{KeptRecord, LastGood};
use super::{Publisher, blocking};

/// What the next snapshot is compared with before it goes live.
#[derive(Debug, Clone)]
pub(super) enum Baseline {
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

impl Publisher {
    /// Only the latest of several publications is loaded, so a forced one among those that were skipped counts too.
    pub(super) async fn is_forced(&mut self, pointer: &Pointer) -> bool {
        let last = match self.baseline().await {
            Baseline::Snapshot { serial, .. } => *serial,
            Baseline::NothingPublished | Baseline::Lost { .. } => None,
        };
        let skipped = |entry: &&Publication| last.is_some_and(|last| entry.serial > last);
        let mut entries = std::iter::once(&pointer.entry).chain(pointer.history.iter().filter(skipped));
        entries.any(|entry| entry.forced.is_some())
    }

    pub(super) async fn baseline(&mut self) -> &Baseline {
        let baseline = match self.baseline.take() {
            Some(baseline) => baseline,
            None => self.read_baseline().await,
        };
        self.baseline.insert(baseline)
    }

    /// The baseline that an earlier process left on the disk. A damaged record is reported, and the snapshot beside it
    /// takes its place.
    async fn read_baseline(&self) -> Baseline {
        let error = match self.with_last_good(|last_good| last_good.record()).await {
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
        match self.with_last_good(newest).await {
            Ok(Some(digest)) => Baseline::Snapshot { serial: None, digest, stats: None },
            _ => Baseline::Lost { reason },
        }
    }

    /// What the snapshot `next` must be compared with; none when there is nothing to compare.
    pub(super) async fn stats_for(
        &mut self,
        next: Digest,
    ) -> Result<Option<Arc<SnapshotStats>>, PublishError> {
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
                let known =
                    self.with_last_good(move |last_good| Ok(last_good.digests().contains(&next))).await?;
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
}
