//! The files of a depot in which each server says what it serves.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::pack::Digest;

/// The folder with a file for each server.
pub(super) const SERVERS: &str = "servers";

/// The largest file of a server that is read.
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
    /// The version of [`crate::Hidden`] that it applies.
    pub hidden: u64,
    /// When it wrote this.
    pub at: DateTime<Utc>,
}

/// The file of a server.
pub(super) fn file_of(id: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
    let plain: String = id.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    format!("{plain}.json")
}
