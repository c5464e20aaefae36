//! The lock that keeps a data folder, or a store of one file, to a single server.

use std::fs::{DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::owner::give_to_owner_of_folder;

/// The file of a data folder that its server locks: one that has it was served from.
pub const SERVER_LOCK: &str = "server.lock";

/// Proof that this process is the only server on a data folder or a store file. The kernel releases it when the
/// process ends, however it ends.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

/// Why a data folder cannot be served from.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another server has it.
    #[error(
        "{folder} is in use by another server: stop that one, or give this one its own folder with --data"
    )]
    Taken {
        /// The folder.
        folder: String,
    },
    /// The folder or the lock file cannot be created.
    #[error("{folder}: {error}")]
    Folder {
        /// The folder.
        folder: String,
        /// Why.
        error: io::Error,
    },
}

impl ServerLock {
    /// Locks a data folder, creating it when it does not exist. The command line takes no lock: it may write beside
    /// a running server.
    pub fn take(data: &Path) -> Result<ServerLock, LockError> {
        let folder = || data.display().to_string();
        let cannot = |error| LockError::Folder { folder: folder(), error };
        create_private_folder(data).map_err(cannot)?;
        match ServerLock::on(&data.join(SERVER_LOCK)) {
            Ok(lock) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken { folder: folder() }),
            Err(TryLockError::Error(error)) => Err(cannot(error)),
        }
    }

    /// Whether a server on this machine serves from a data folder.
    pub(super) fn is_held(data: &Path) -> bool {
        let file = File::options().write(true).open(data.join(SERVER_LOCK));
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Locks a file, creating it when it does not exist.
    pub(super) fn on(path: &Path) -> Result<ServerLock, TryLockError> {
        let file = File::options().create(true).truncate(false).write(true).open(path);
        let file = file.map_err(TryLockError::Error)?;
        give_to_owner_of_folder(path);
        file.try_lock()?;
        Ok(ServerLock { _file: file })
    }
}

/// Creates a folder that only its owner can read; an existing one is left as it is.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    let is_new = !path.exists();
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    if is_new {
        give_to_owner_of_folder(path);
    }
    Ok(())
}
