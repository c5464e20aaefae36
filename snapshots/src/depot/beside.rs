//! What a depot holds beside the pointer: the records that are hidden, and what each server serves.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::pointer::{DepotError, StateFile};
use crate::hidden::Hidden;
use crate::pack::Digest;

/// The records that are hidden without a publication: a hundred thousand at most.
pub(super) const HIDDEN: StateFile = StateFile { name: "hidden.json", max_bytes: MAX_BYTES };

/// The folder with a file for each server.
pub(super) const SERVERS: &str = "servers";

/// The largest of these files that is read.
pub(super) const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// What a server serves: `servers/<id>.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerState {
    /// The server's name: letters, digits, hyphens and dots.
    pub id: String,
    /// The serial of the publication that it serves; 0 for the built-in demo.
    pub serial: u64,
    /// The snapshot that it serves.
    pub digest: Digest,
    /// The version of [`Hidden`] that it applies.
    pub hidden: u64,
    /// When it wrote this.
    pub at: DateTime<Utc>,
}

pub(super) fn parsed(bytes: &[u8]) -> Result<Hidden, DepotError> {
    serde_json::from_slice(bytes).map_err(DepotError::DamagedHidden)
}

/// Fails unless `new` is the version after what is there.
pub(super) fn compare_hidden(new: &Hidden, found: Option<&[u8]>) -> Result<(), DepotError> {
    let found = found.map(parsed).transpose()?.map_or(0, |found| found.version);
    if found.checked_add(1) == Some(new.version) { Ok(()) } else { Err(DepotError::HiddenConflict) }
}

/// The file of a server.
pub(super) fn file_of(id: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
    let plain: String = id.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    format!("{plain}.json")
}
