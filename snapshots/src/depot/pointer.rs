//! The pointer of a depot, `current.json`, and the errors of all depots.

use std::io;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use object_store::Error as CloudError;
use serde::{Deserialize, Serialize};

use crate::pack::Digest;

/// The largest packed file that is fetched, in bytes.
pub(super) const MAX_PACKED_BYTES: u64 = 1024 * 1024 * 1024;

/// How many earlier publications the pointer keeps.
pub const MAX_HISTORY: usize = 200;

/// A file of a depot that is replaced as a whole, beside the snapshots.
#[derive(Debug, Clone, Copy)]
pub(super) struct StateFile {
    pub(super) name: &'static str,
    /// The largest that is read.
    pub(super) max_bytes: u64,
}

/// The pointer. It may have many times the size of a full history.
pub(super) const POINTER: StateFile = StateFile { name: "current.json", max_bytes: 4 * 1024 * 1024 };

/// One publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Publication {
    /// Increases by one with each publication, rollbacks included.
    pub serial: u64,
    /// The snapshot; it must have been stored.
    pub digest: Digest,
    /// The snapshot's name.
    pub name: String,
    /// How many places it has.
    pub places: usize,
    /// How many dated events it had on the day of its publication.
    pub events: usize,
    /// When it was published.
    pub published_at: DateTime<Utc>,
    /// Who published it; unknown for publications of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The publisher's note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The reason for publishing despite regressions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<String>,
}

/// `current.json`: the current publication and those before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    /// The current publication.
    #[serde(flatten)]
    pub entry: Publication,
    /// Earlier ones, the latest first, at most [`MAX_HISTORY`].
    #[serde(default)]
    pub history: Vec<Publication>,
}

/// What to do about a folder that cannot be used.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on that disk",
        io::ErrorKind::PermissionDenied => "give it to the user of this process, or run as its owner",
        _ => "check that it exists and is writable",
    }
}

impl Pointer {
    /// All publications that it knows, the latest first.
    pub fn publications(&self) -> impl Iterator<Item = &Publication> {
        std::iter::once(&self.entry).chain(&self.history)
    }
}

impl Publication {
    /// The pointer after this publication, unless its serial is not the next one.
    pub(super) fn after(self, before: Option<Pointer>) -> Result<Pointer, DepotError> {
        check_next(self.serial, before.as_ref())?;
        let history = before.map_or_else(Vec::new, |before| {
            std::iter::once(before.entry).chain(before.history).take(MAX_HISTORY).collect()
        });
        Ok(Pointer { entry: self, history })
    }
}

/// Why an operation on a depot failed.
#[derive(Debug, thiserror::Error)]
pub enum DepotError {
    /// The address has an unknown scheme.
    #[error("\"{0}\" is not a depot: use a folder, or a file://, s3://, gs:// or az:// address")]
    UnknownScheme(String),
    /// Someone else published meanwhile.
    #[error(
        "someone else published serial {found} meanwhile (expected {expected}): look at what changed, then publish again"
    )]
    Conflict {
        /// The expected serial; 0 for an empty depot.
        expected: u64,
        /// The current serial; 0 for an empty depot.
        found: u64,
    },
    /// The snapshot is not in the depot.
    #[error("the file of snapshot {} is not in the depot: it was never stored, or was removed; name another one", .0.short())]
    NoSuchSnapshot(Digest),
    /// A file is larger than any that this crate writes.
    #[error("{0} in the depot is larger than {1} bytes: it was not written by this program")]
    TooLarge(String, u64),
    /// The pointer cannot be parsed.
    #[error("current.json in the depot is damaged ({0}): restore it, or remove it and publish again")]
    DamagedPointer(serde_json::Error),
    /// Someone else changed what is hidden.
    #[error("someone else changed hidden.json in the depot meanwhile: try again")]
    HiddenConflict,
    /// What is hidden cannot be parsed.
    #[error("hidden.json in the depot is damaged ({0}): restore it, or remove it and hide the records again")]
    DamagedHidden(serde_json::Error),
    /// The folder cannot be used.
    #[error("the depot folder {}: {error}: {}", .path.display(), advice(.error))]
    Folder {
        /// The file or folder concerned.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The bucket cannot be used.
    #[error("the depot's bucket: {0}: check the address, the credentials in the environment and the network")]
    Bucket(#[from] CloudError),
}

// by hand: an error with a source is printed with it, and the text of this one holds it already
impl From<serde_json::Error> for DepotError {
    fn from(error: serde_json::Error) -> Self {
        Self::DamagedPointer(error)
    }
}

pub(super) fn name_of(digest: &Digest) -> String {
    format!("{digest}.json.zst")
}

/// Fails unless `serial` is the one after what is there.
pub(super) fn check_next(serial: u64, found: Option<&Pointer>) -> Result<(), DepotError> {
    let is_next = found.map_or(0, |pointer| pointer.entry.serial).checked_add(1) == Some(serial);
    if is_next { Ok(()) } else { Err(conflict(serial, found)) }
}

/// Another pointer is there than the one before `serial`.
pub(super) fn conflict(serial: u64, found: Option<&Pointer>) -> DepotError {
    let found = found.map_or(0, |pointer| pointer.entry.serial);
    DepotError::Conflict { expected: serial.saturating_sub(1), found }
}
