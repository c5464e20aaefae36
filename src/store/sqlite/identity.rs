//! Which database a data folder belongs to: a file that was lost or replaced must not pass for a new one, because every
//! account would be gone without a word.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::store::StoreError;
use crate::store::epoch::{Epoch, OF_REDIS, OF_SQLITE};
use crate::store::lock::SERVER_LOCK;

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
        let epoch = Epoch::load(data.to_owned(), OF_SQLITE, name)?;
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
            true => Err(StoreError::OnRedis {
                folder: self.data.display().to_string(),
                redis: Epoch::redis_of(&self.data).unwrap_or_else(|| "its URL".to_owned()),
            }),
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

    /// Fails when a database that was used before has no content, or the folder belongs to another one.
    pub(super) fn check_content(&self, has_content: bool) -> Result<(), StoreError> {
        if has_content || self.accepts_any {
            return Ok(());
        }
        self.check_others()?;
        if !self.is_used {
            return Ok(());
        }
        Err(StoreError::WrongDatabase(format!(
            "the database {} {}, although it was in use before: restore it, or run `candango store begin` to start over \
             with an empty one",
            self.path.display(),
            self.without_content()
        )))
    }

    /// Fails on a database that a restore has not filled.
    pub(super) fn check_unfilled(&self) -> Result<(), StoreError> {
        match self.accepts_any {
            true => Ok(()),
            false => Err(StoreError::WrongDatabase(format!(
                "a restore into {} goes on or was cut off: if none goes on, restore again, or run `candango store begin` to \
                 start over with an empty one",
                self.path.display()
            ))),
        }
    }

    /// Fails when the folder belongs to another database, and this one has no content.
    pub(super) fn check_others(&self) -> Result<(), StoreError> {
        match self.others() {
            Some(others) => Err(self.is_not(&others, self.without_content(), "to start with an empty one")),
            None => Ok(()),
        }
    }

    /// What is wrong with a database that has no content.
    fn without_content(&self) -> &'static str {
        if self.path.exists() { "is empty" } else { "is missing" }
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
            return Err(StoreError::WrongDatabase(format!(
                "the database {} is another one than was in use before: restore that one, or run `candango store begin` to go \
                 on with this one",
                self.path.display()
            )));
        }
        // one that was moved keeps its epoch
        if let Some(others) = self.others()
            && !self.epoch.others().iter().any(|(_, epoch)| *epoch == found)
        {
            return Err(self.is_not(&others, "is another one", "to go on with that one"));
        }
        self.epoch.learn(&found)
    }

    /// The paths of the databases that the folder belongs to, if this one is none of them. A folder in which no server
    /// ran belongs to none: commands for several services may be run in it.
    fn others(&self) -> Option<String> {
        let is_own = self.accepts_any || self.epoch.known().is_some() || self.epoch.others().is_empty();
        if is_own || !self.data.join(SERVER_LOCK).exists() {
            return None;
        }
        let path = |name: &str| {
            let path = self.data.join(name);
            // one that is not in the folder may have been named by where the server was started
            if path.exists() { path.display().to_string() } else { name.to_owned() }
        };
        let paths: Vec<String> = self.epoch.others().iter().map(|(name, _)| path(name)).collect();
        Some(paths.join(" or sqlite:"))
    }

    /// Says that the folder belongs to other databases.
    fn is_not(&self, others: &str, found: &str, what_for: &str) -> StoreError {
        let (data, path) = (self.data.display(), self.path.display());
        StoreError::WrongDatabase(format!(
            "{data}: this folder belongs to the database {others}, and the setting store names {path}, which {found}: set \
             store to sqlite:{others}, or, while no server runs, move that file and those beside it that begin with its name, \
             or run `candango store begin` {what_for}"
        ))
    }
}

/// The file beside the database that its server locks.
pub(super) fn lock_path(path: &Path) -> PathBuf {
    let mut lock = path.to_owned().into_os_string();
    lock.push(".lock");
    lock.into()
}
