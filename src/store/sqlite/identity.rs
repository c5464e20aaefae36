//! Which database a data folder belongs to: a file that was lost or replaced must not pass for a new one, because every
//! account would be gone without a word.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::store::StoreError;
use crate::store::epoch::{Epoch, OF_REDIS};

/// What a data folder knows of its database.
pub(super) struct Identity {
    path: PathBuf,
    data: PathBuf,
    epoch: Epoch,
    /// A server has used the database before, as the epoch or what else it left behind shows.
    is_used: bool,
    /// The operator accepts whatever database there is.
    accepts_any: bool,
}

impl Identity {
    /// Reads what the folder `data` knows of the database at `path`.
    pub(super) fn load(path: &Path, data: &Path) -> Result<Identity, StoreError> {
        // relative to the folder, which may be moved as a whole
        let name = path.strip_prefix(data).unwrap_or(path).display().to_string();
        let epoch = Epoch::load(data.to_owned(), "sqlite.epoch", name)?;
        // releases before the epoch left these
        let has_lock = lock_path(path).exists();
        let has_snapshot = path.parent() == Some(data) && data.join("last-good/kept.json").exists();
        let is_used = epoch.known().is_some() || has_lock || has_snapshot;
        Ok(Identity { path: path.to_owned(), data: data.to_owned(), epoch, is_used, accepts_any: false })
    }

    /// Accepts whatever database there is from now on.
    pub(super) fn accept_any(&mut self) {
        self.accepts_any = true;
    }

    /// Fails when the folder belongs to a service on Redis: a database here is not the one that its servers use.
    pub(super) fn check_engine(&self) -> Result<(), StoreError> {
        match !self.accepts_any && self.data.join(OF_REDIS).exists() {
            true => Err(StoreError::OnRedis(self.data.display().to_string())),
            false => Ok(()),
        }
    }

    /// Forgets the service on Redis that the folder belonged to, if any.
    pub(super) fn leave_redis(&self) -> Result<(), StoreError> {
        let path = self.data.join(OF_REDIS);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(StoreError::File { path: path.display().to_string(), error: error.into() })
            }
            _ => Ok(()),
        }
    }

    /// Fails when a database that was used before has no content.
    pub(super) fn check_content(&self, has_content: bool) -> Result<(), StoreError> {
        if has_content || !self.is_used || self.accepts_any {
            return Ok(());
        }
        let found = if self.path.exists() { "is empty" } else { "is missing" };
        Err(StoreError::FileLost(format!(
            "the database {} {found}, although it was in use before: restore it, or run `candango store begin` to start over \
             with an empty one",
            self.path.display()
        )))
    }

    /// Fails on a database that a restore has not filled.
    pub(super) fn check_unfilled(&self) -> Result<(), StoreError> {
        match self.accepts_any {
            true => Ok(()),
            false => Err(StoreError::FileLost(format!(
                "a restore into {} goes on or was cut off: if none goes on, restore again, or run `candango store begin` to \
                 start over with an empty one",
                self.path.display()
            ))),
        }
    }

    /// Fails when the database has another epoch than the known one. `read` reads the epoch, and gives a database
    /// without one the epoch that it is passed.
    pub(super) fn check_epoch(
        &self,
        read: impl FnOnce(&str) -> rusqlite::Result<String>,
    ) -> Result<(), StoreError> {
        let known = self.epoch.known().filter(|_| !self.accepts_any);
        // a database without an epoch comes from an earlier release, perhaps as a backup
        let new = known.as_deref().map_or_else(Epoch::generate, str::to_owned);
        let found = read(&new)?;
        if known.is_some_and(|known| *known != *found) {
            return Err(StoreError::FileLost(format!(
                "the database {} is another one than was in use before: restore that one, or run `candango store begin` to go \
                 on with this one",
                self.path.display()
            )));
        }
        self.epoch.learn(&found)
    }
}

/// The file beside the database that its server locks.
pub(super) fn lock_path(path: &Path) -> PathBuf {
    let mut lock = path.to_owned().into_os_string();
    lock.push(".lock");
    lock.into()
}
