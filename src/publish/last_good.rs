//! The local copy of the last snapshot that went live: what a start without the depot serves, and what the next
//! snapshot is compared with after a restart. All of it blocks: call it from a blocking thread.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use snapshots::{Digest, Hidden, replace_file};

const RECORD: &str = "kept.json";
/// The folder of the last good snapshot, in a data folder.
pub(super) const FOLDER: &str = "last-good";
const HIDDEN: &str = "hidden.json";
const SNAPSHOT_SUFFIX: &str = ".json.zst";

/// Why the copy cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LastGoodError {
    /// A file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// `kept.json` is not what this program writes.
    #[error("{} is damaged: {error}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The file of a snapshot holds something else.
    #[error("{} is damaged: its content does not match its name", .path.display())]
    WrongContent {
        /// The file.
        path: PathBuf,
    },
}

/// Whether a server on this data folder has served a published snapshot.
pub(crate) fn was_published(data: &Path) -> bool {
    data.join(FOLDER).join(RECORD).exists()
}

/// The content of `kept.json`: which snapshot went live last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptRecord {
    pub(super) serial: u64,
    pub(super) digest: Digest,
}

/// The folder of the copy.
#[derive(Debug, Clone)]
pub(super) struct LastGood {
    folder: PathBuf,
}

impl LastGood {
    pub(super) fn new(folder: PathBuf) -> LastGood {
        LastGood { folder }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Which snapshot went live last; none when nothing was ever published.
    pub(super) fn record(&self) -> Result<Option<KeptRecord>, LastGoodError> {
        let path = self.folder.join(RECORD);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|error| LastGoodError::Damaged { path, error }),
            // a snapshot without its record was published too
            Err(error) if error.kind() == ErrorKind::NotFound && self.digests().is_empty() => Ok(None),
            Err(error) => Err(LastGoodError::Io { path, error }),
        }
    }

    /// What was hidden when it was written last; nothing when it never was.
    pub(super) fn hidden(&self) -> Result<Hidden, LastGoodError> {
        let path = self.folder.join(HIDDEN);
        match fs::read(&path) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|error| LastGoodError::Damaged { path, error })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Hidden::default()),
            Err(error) => Err(LastGoodError::Io { path, error }),
        }
    }

    /// Replaces what is hidden.
    pub(super) fn keep_hidden(&self, hidden: &Hidden) -> Result<(), LastGoodError> {
        let path = self.folder.join(HIDDEN);
        let text = serde_json::to_vec(hidden)
            .map_err(|error| LastGoodError::Damaged { path: path.clone(), error })?;
        self.replace(&path, &text)
    }

    /// The packed snapshot of a digest.
    pub(super) fn read(&self, digest: Digest) -> Result<Vec<u8>, LastGoodError> {
        let path = self.snapshot_path(digest);
        match fs::read(&path) {
            Ok(bytes) if Digest::of(&bytes) == digest => Ok(bytes),
            Ok(_) => Err(LastGoodError::WrongContent { path }),
            Err(error) => Err(LastGoodError::Io { path, error }),
        }
    }

    /// The digests of the snapshots in the folder, the latest written first. There is one, or two when the program was
    /// killed while it replaced the copy.
    pub(super) fn digests(&self) -> Vec<Digest> {
        let Ok(files) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut found: Vec<_> = files
            .flatten()
            .filter_map(|file| {
                let digest = file.file_name().to_str()?.strip_suffix(SNAPSHOT_SUFFIX)?.parse().ok()?;
                Some((file.metadata().and_then(|data| data.modified()).ok(), digest))
            })
            .collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.into_iter().map(|(_, digest)| digest).collect()
    }

    /// Replaces the copy: first the snapshot, then the record that names it, so that a crash in between leaves a whole
    /// copy.
    pub(super) fn keep(&self, bytes: &[u8], record: KeptRecord) -> Result<(), LastGoodError> {
        let record_path = self.folder.join(RECORD);
        let text = serde_json::to_vec(&record)
            .map_err(|error| LastGoodError::Damaged { path: record_path.clone(), error })?;
        self.replace(&self.snapshot_path(record.digest), bytes)?;
        self.replace(&record_path, &text)?;
        for old in self.digests().into_iter().filter(|old| *old != record.digest) {
            // a file that stays behind only takes disk space
            let _ = fs::remove_file(self.snapshot_path(old));
        }
        Ok(())
    }

    fn snapshot_path(&self, digest: Digest) -> PathBuf {
        self.folder.join(format!("{digest}{SNAPSHOT_SUFFIX}"))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), LastGoodError> {
        let write = || {
            fs::create_dir_all(&self.folder)?;
            replace_file(path, bytes)
        };
        write().map_err(|error| LastGoodError::Io { path: path.to_owned(), error })
    }
}
