//! What a depot holds beside the pointer: the records that are hidden, and what each server serves.

use chrono::{DateTime, Utc};
use object_store::Error as CloudError;
use serde::{Deserialize, Serialize};

use super::pointer::DepotError;
use super::{Backend, Depot, PollState};
use crate::hidden::Hidden;
use crate::pack::Digest;

/// The records that are hidden without a publication.
pub(super) const HIDDEN: &str = "hidden.json";

/// The folder with a file for each server.
pub(super) const SERVERS: &str = "servers";

/// The largest of these files that is read: a hundred thousand hidden records.
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

impl Depot {
    /// What is hidden; `None` when nothing ever was.
    pub async fn hidden(&self) -> Result<Option<Hidden>, DepotError> {
        let bytes = match &self.0 {
            Backend::Folder(folder) => folder.run(|folder| folder.beside(HIDDEN)).await?,
            Backend::Bucket(bucket) => bucket.beside(HIDDEN, None).await?.map(|(bytes, _)| bytes.to_vec()),
        };
        bytes.map(|bytes| parsed(&bytes)).transpose()
    }

    /// What is hidden if it is not what `seen` says, which is then updated. `None` also when nothing ever was.
    pub async fn poll_hidden(&self, seen: &mut PollState) -> Result<Option<Hidden>, DepotError> {
        let (bytes, etag) = match &self.0 {
            Backend::Folder(folder) => (folder.run(|folder| folder.beside(HIDDEN)).await?, None),
            Backend::Bucket(bucket) => match bucket.beside(HIDDEN, seen.hidden_etag.clone()).await {
                Ok(found) => {
                    found.map_or((None, None), |(bytes, version)| (Some(bytes.to_vec()), version.e_tag))
                }
                Err(DepotError::Bucket(CloudError::NotModified { .. })) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        let Some(bytes) = bytes else {
            (seen.hidden, seen.hidden_etag) = (None, None);
            return Ok(None);
        };
        let hidden = parsed(&bytes)?;
        seen.hidden_etag = etag;
        if seen.hidden == Some(hidden.version) {
            return Ok(None);
        }
        seen.hidden = Some(hidden.version);
        Ok(Some(hidden))
    }

    /// Replaces what is hidden, if its version is still one below that of `new`.
    pub async fn replace_hidden(&self, new: Hidden) -> Result<(), DepotError> {
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.replace_hidden(&new)).await,
            Backend::Bucket(bucket) => bucket.replace_hidden(&new).await,
        }
    }

    /// Writes what a server serves.
    pub async fn note_server(&self, state: ServerState) -> Result<(), DepotError> {
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.note_server(&state)).await,
            Backend::Bucket(bucket) => bucket.note_server(&state).await,
        }
    }

    /// Removes what a server wrote, which may have been removed already.
    pub async fn forget_server(&self, id: String) -> Result<(), DepotError> {
        match &self.0 {
            Backend::Folder(folder) => folder.run(move |folder| folder.forget_server(&id)).await,
            Backend::Bucket(bucket) => bucket.forget_server(&id).await,
        }
    }

    /// What each server wrote, by id. Files that are damaged are left out.
    pub async fn servers(&self) -> Result<Vec<ServerState>, DepotError> {
        let mut states = match &self.0 {
            Backend::Folder(folder) => folder.run(|folder| folder.servers()).await?,
            Backend::Bucket(bucket) => bucket.servers().await?,
        };
        states.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(states)
    }
}

fn parsed(bytes: &[u8]) -> Result<Hidden, DepotError> {
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
