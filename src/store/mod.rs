//! Where accounts and keys rest, whatever the back-end.
//!
//! A [`Store`] has few, raw methods, each atomic; what they mean together is decided above. A new back-end is a
//! file beside this one and an arm of [`open`]; all of them pass the same tests. Uses [`crate::accounts`] (the
//! nouns), [`crate::clock`], [`crate::config`], [`crate::plans`] and [`crate::refusal`].

pub mod sqlite;

use std::fmt;
use std::fs::{DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::accounts::{Account, AccountId, Email, KeyHash, KeyRecord};
use crate::clock::UnixMillis;
use crate::config::StoreSpec;
use crate::plans::Plan;
use crate::refusal::Refusal;

/// What a store will answer.
pub type Asked<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place where accounts and keys rest.
///
/// It is used as `dyn Store`, and so its methods answer in boxes: no request pays for that, because a warm one
/// never gets here, and no room above has to be generic.
pub trait Store: fmt::Debug + Send + Sync {
    /// Adds a key to the account of an address and puts the account on a plan; opens the account if the address
    /// is new. Answers the account as it is now.
    fn issue(&self, issue: Issue) -> Asked<'_, Account>;

    /// The account of an address.
    fn account(&self, email: &Email) -> Asked<'_, Option<Account>>;

    /// The keys of an account, revoked ones too, oldest first.
    fn keys(&self, account: &AccountId) -> Asked<'_, Vec<KeyRecord>>;

    /// The account that holds a key; none when the key is unknown or revoked.
    fn holder(&self, key: KeyHash) -> Asked<'_, Option<Account>>;

    /// Revokes a key; false when there is no such key, or it was revoked before.
    fn revoke(&self, key: KeyHash, at: UnixMillis) -> Asked<'_, bool>;

    /// Puts an account on a plan; false when there is no such account.
    fn set_plan(&self, account: &AccountId, plan: Plan) -> Asked<'_, bool>;

    /// Moves on when an answer of [`Store::holder`] may have changed: at once for writes through this store,
    /// before they are answered; within a second for everyone else's.
    fn generation(&self) -> &Generation;
}

/// What [`Store::issue`] writes down.
#[derive(Debug, Clone)]
pub struct Issue {
    /// The account as it will be if the address is new; otherwise only its address and plan count.
    pub opening: Account,
    /// The key.
    pub key: KeyRecord,
}

/// How often what is remembered of a store has become out of date.
#[derive(Debug, Clone, Default)]
pub struct Generation(Arc<AtomicU64>);

impl Generation {
    /// The present one.
    pub fn now(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    fn advance(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Why a store did not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The configuration asks for a store that does not exist yet.
    #[error("a store of redis:// is not built yet: use sqlite:PATH")]
    NotBuilt,
    /// The file was written by a later version of the service.
    #[error("the store is of version {found}, and this program knows {known} at most: use the newer program")]
    Newer {
        /// The version of the file.
        found: i64,
        /// The version of this program.
        known: i64,
    },
    /// Its file cannot be made or opened.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// More writes wait than are allowed to.
    #[error("too many writes are waiting")]
    Overloaded,
    /// It has been shut.
    #[error("the store is shut")]
    Shut,
    /// It failed.
    #[error("the store failed: {0}")]
    Failed(Arc<dyn std::error::Error + Send + Sync>),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        tracing::error!(%error, "a request could not be answered without the store");
        Refusal::StoreUnavailable
    }
}

/// Opens the store that the configuration names.
pub fn open(spec: &StoreSpec) -> Result<Arc<dyn Store>, StoreError> {
    match spec {
        StoreSpec::Sqlite(path) => Ok(Arc::new(sqlite::Sqlite::open(path)?)),
        StoreSpec::Redis(_) => Err(StoreError::NotBuilt),
    }
}

/// Proof that this process is the only server on a data folder. Ends with the process, however it ends.
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
    /// The folder or the lock in it cannot be made.
    #[error("{folder}: {source}")]
    Folder {
        /// The folder.
        folder: String,
        /// Why.
        source: io::Error,
    },
}

impl ServerLock {
    /// Takes the folder, making it when it is not there. The command line takes no lock: it may write beside a
    /// running server.
    pub fn take(data: &Path) -> Result<ServerLock, LockError> {
        let folder = || data.display().to_string();
        let cannot = |source| LockError::Folder { folder: folder(), source };
        private_folder(data).map_err(cannot)?;
        let path = data.join("server.lock");
        let file = File::options().create(true).truncate(false).write(true).open(path).map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(ServerLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken { folder: folder() }),
            Err(TryLockError::Error(source)) => Err(cannot(source)),
        }
    }
}

/// Makes a folder that only its owner may look into; one that is there is left as it is.
fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
