//! Why a snapshot does not go live.

use std::path::PathBuf;

use index::BuildError;
use snapshots::{DepotError, Digest, PackError, TooManyDates, UnpackError};

use super::last_good::LastGoodError;
use crate::serving::NoFreeArea;

/// How many regressions a sentence names: a log line and `/readyz` have it, and a guide may lose every category.
const NAMED: usize = 10;

/// The first of some regressions, and how many more there are.
fn first_of(regressions: &[String]) -> String {
    let named = regressions.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join("; ");
    match regressions.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named}; and {more} more"),
    }
}

/// Why a snapshot did not go live.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishError {
    /// The depot cannot be read.
    #[error(transparent)]
    Depot(#[from] DepotError),
    /// The packed file is not a valid snapshot.
    #[error("snapshot {}: {error}", .digest.short())]
    Unpack {
        /// Which one.
        digest: Digest,
        /// What is wrong with it.
        error: UnpackError,
    },
    /// Too many records would vanish.
    #[error("snapshot {} was refused: {}. Publish it with --force --reason if that is right", .digest.short(), first_of(.regressions))]
    Regressions {
        /// Which one.
        digest: Digest,
        /// What would vanish.
        regressions: Vec<String>,
    },
    /// The snapshot to compare with is lost.
    #[error(
        "snapshot {} was refused: it cannot be compared with the last snapshot that was live ({reason}). Publish it with --force --reason if it is right", .digest.short()
    )]
    NoBaseline {
        /// Which one.
        digest: Digest,
        /// Why.
        reason: String,
    },
    /// It has too many dates on this day.
    #[error("snapshot {}: {error}", .digest.short())]
    TooManyDates {
        /// Which one.
        digest: Digest,
        /// On which day.
        error: TooManyDates,
    },
    /// The index cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The vocabulary lacks the free plan's area.
    #[error(transparent)]
    NoFreeArea(#[from] NoFreeArea),
    /// The depot is empty, although a snapshot was live before.
    #[error(
        "the depot is empty, although a snapshot was published before: the last good snapshot stays in service; restore the depot, or publish again"
    )]
    DepotEmptied,
    /// The operator's own depot has no snapshot.
    #[error(
        "the depot {depot} has no snapshot, and only the default depot is served as the demo: publish one (`candango snapshot \
         publish FOLDER --depot {depot}`), or correct the setting depot"
    )]
    NothingPublished {
        /// The depot.
        depot: String,
    },
    /// The built-in demo cannot be packed.
    #[error("the built-in demo: {0}")]
    Demo(#[from] PackError),
    /// The copy of the last good snapshot cannot be used.
    #[error("the copy of the last good snapshot: {0}")]
    LastGood(#[from] LastGoodError),
    /// No copy of the last good snapshot is left.
    #[error("no usable copy of the last good snapshot is left in {}", .folder.display())]
    LastGoodLost {
        /// The folder.
        folder: PathBuf,
    },
    /// A blocking thread panicked.
    #[error("the snapshot could not be prepared: the thread that did it panicked")]
    Panicked,
    /// No thread can be started for it.
    #[error("no thread can be started to build the snapshot: {0}")]
    NoThread(std::io::Error),
}

impl PublishError {
    /// Whether another attempt with the same snapshot may succeed.
    pub(super) fn may_pass(&self) -> bool {
        use PublishError::{Depot, NoBaseline, NoThread, Panicked};
        matches!(self, Depot(_) | NoBaseline { .. } | Panicked | NoThread(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guide_that_loses_every_category_is_refused_in_one_short_sentence() {
        let regressions =
            (1..=200).map(|number| format!("category {number} has no records any more")).collect();
        let error = PublishError::Regressions { digest: Digest::of(b""), regressions }.to_string();
        assert!(error.contains("category 10 has") && !error.contains("category 11 has"), "{error}");
        assert!(error.contains("; and 190 more. Publish it with --force"), "{error}");
    }
}
