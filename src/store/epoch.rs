//! The epoch: a random id, written when a store is first used. An empty store has none, and another store, or one that
//! the operator started over with, has another one.
//!
//! The data folder remembers it by the name of the store, so that a restarted process does not take an emptied store
//! for a new one.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use snapshots::replace_private_file;

use crate::store::StoreError;
use crate::store::lock::{SERVER_LOCK, create_private_folder};
use crate::store::owner::give_to_owner_of_folder;

/// The name of the file about a Redis: a data folder that has it belongs to a service on that Redis.
pub(super) const OF_REDIS: &str = "redis.epoch";

/// The name of the file about a database of SQLite.
pub(super) const OF_SQLITE: &str = "sqlite.epoch";

/// Whether a data folder that leaves a service on Redis goes on with the accounts that its database had before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldAccounts {
    /// They are stale.
    Refuse,
    /// They are wanted, or are those of that Redis.
    Take,
}

/// The epoch that a process knows, and the file that remembers it.
pub(super) struct Epoch {
    folder: PathBuf,
    /// The name of the file.
    file: &'static str,
    /// The name of the store: its path, or its URL without the password.
    store: String,
    known: Mutex<Option<Arc<str>>>,
    /// The other stores that the file names, with their epochs.
    others: Vec<(String, String)>,
}

impl Epoch {
    /// Reads what the folder remembers of the store.
    pub(super) fn load(folder: PathBuf, file: &'static str, store: String) -> Result<Epoch, StoreError> {
        let mut epoch = Epoch { folder, file, store, known: Mutex::default(), others: Vec::new() };
        let lines = lines_of(&epoch.path()).map_err(|error| epoch.cannot(error))?;
        let (own, others): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(store, _)| *store == epoch.store);
        let known = own.first().or_else(|| others.last().filter(|_| epoch.may_be_renamed()));
        epoch.known = Mutex::new(known.map(|(_, known)| known.as_str().into()));
        epoch.others = others;
        Ok(epoch)
    }

    /// The Redis that a data folder belongs to, by the name that it had last.
    pub(super) fn redis_of(folder: &Path) -> Option<String> {
        Some(lines_of(&folder.join(OF_REDIS)).ok()?.pop()?.0)
    }

    /// A new epoch.
    pub(super) fn generate() -> String {
        format!("e_{:032x}", rand::random::<u128>())
    }

    /// The epoch, if any is known.
    pub(super) fn known(&self) -> Option<Arc<str>> {
        self.known.lock().clone()
    }

    /// The other stores that the folder knows, with their epochs.
    pub(super) fn others(&self) -> &[(String, String)] {
        &self.others
    }

    /// Remembers another epoch.
    pub(super) fn learn(&self, epoch: &str) -> Result<(), StoreError> {
        let mut known = self.known.lock();
        if known.as_deref() != Some(epoch) {
            self.write(epoch).map_err(|error| self.cannot(error))?;
            *known = Some(epoch.into());
        }
        Ok(())
    }

    /// Whether the store may be the one that the folder knows by another name. A Redis has several names; one that is
    /// not that Redis is refused. Commands for several services may be run in a folder from which none is served.
    fn may_be_renamed(&self) -> bool {
        self.file == OF_REDIS && self.folder.join(SERVER_LOCK).exists()
    }

    fn path(&self) -> PathBuf {
        self.folder.join(self.file)
    }

    fn cannot(&self, error: io::Error) -> StoreError {
        StoreError::File { path: self.path().display().to_string(), error: Arc::new(error) }
    }

    fn write(&self, epoch: &str) -> io::Result<()> {
        create_private_folder(&self.folder)?;
        // the command line may do the same at this moment
        let path = self.folder.join(format!("{}.lock", self.file));
        let lock = File::options().create(true).truncate(false).write(true).mode(0o600).open(&path)?;
        give_to_owner_of_folder(&path);
        lock.lock()?;
        let mut lines = lines_of(&self.path())?;
        // a folder has one database, and another one takes its place; a Redis may have several names
        lines.retain(|(store, _)| *store != self.store && self.file != OF_SQLITE);
        lines.push((self.store.clone(), epoch.to_owned()));
        let text: String = lines.iter().map(|(store, epoch)| format!("{store} {epoch}\n")).collect();
        replace_private_file(&self.path(), text.as_bytes())?;
        give_to_owner_of_folder(&self.path());
        Ok(())
    }
}

/// The lines of a file of epochs: a store and its epoch each.
fn lines_of(path: &Path) -> io::Result<Vec<(String, String)>> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        text => text?,
    };
    // a path may have spaces
    let pair = |line: &str| line.rsplit_once(' ').map(|(store, epoch)| (store.to_owned(), epoch.to_owned()));
    Ok(text.lines().filter_map(pair).collect())
}
