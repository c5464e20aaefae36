//! What can go wrong with a store.

use std::error::Error;
use std::io;
use std::sync::Arc;

use crate::domain::error::ApiError;
use crate::outage::Outage;

/// Why a store did not do what was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Redis cannot be reached, or does not answer in time.
    #[error("Redis cannot be reached: {0}")]
    Unreachable(String),
    /// Redis holds no data, or not the data of this service.
    #[error(
        "the Redis that holds keys and quotas is empty or another one: check the setting store, restore it, or run \
         `candango store begin` to start over with this one"
    )]
    DataMissing,
    /// A restore, or a copy into this Redis, has not ended.
    #[error(
        "a restore into this Redis goes on or was cut off: if none goes on, empty it with FLUSHDB and restore again"
    )]
    HalfFull,
    /// The disk of the database, or the memory of Redis, is full.
    #[error("the store is full: {0}")]
    Full(String),
    /// The database cannot be written, or Redis is a replica.
    #[error("the store takes no writes: {0}")]
    ReadOnly(String),
    /// The database file is damaged.
    #[error(
        "the database is damaged: move its file and those beside it that begin with its name to another folder, and restore a backup: {0}"
    )]
    Damaged(String),
    /// The database is not the one that was in use: it is missing, empty, half restored, replaced or of another folder.
    #[error("{0}")]
    WrongDatabase(String),
    /// The data folder belongs to a service on Redis, and the settings say SQLite.
    #[error(
        "{folder}: this folder belongs to a service whose accounts are in Redis: set store to {redis} (CANDANGO_STORE, or \
         CANDANGO_STORE_FILE=PATH) for this command too. To have them in SQLite, stop its servers and run `candango store copy`"
    )]
    OnRedis {
        /// The folder.
        folder: String,
        /// The URL of that Redis, without a password.
        redis: String,
    },
    /// The store, or its URL, cannot be used by the service.
    #[error("{0}")]
    Unsuitable(String),
    /// The store was written by a later version of the service.
    #[error(
        "the store has schema version {found}, and this program knows {known} at most: use the newer program"
    )]
    NewerSchema {
        /// The version of the store.
        found: i64,
        /// The version of this program.
        known: i64,
    },
    /// Its file cannot be created or opened.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: Arc<io::Error>,
    },
    /// Too many writes are waiting.
    #[error("too many writes are waiting")]
    Overloaded,
    /// The store was closed, or this process is not registered with it.
    #[error("the store is closed")]
    Closed,
    /// A thread of the store panicked; the outcome of the call is unknown.
    #[error("the store panicked: the outcome is unknown")]
    Panicked,
    /// Anything else.
    #[error("the store failed: {0}")]
    Failed(Arc<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Another failure than those that have a variant.
    pub fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> StoreError {
        StoreError::Failed(error.into().into())
    }

    /// Whether the store may work again by itself: a server starts without it, and answers what does not need it.
    pub fn may_pass(&self) -> bool {
        matches!(self, StoreError::Unreachable(_) | StoreError::Full(_) | StoreError::ReadOnly(_))
    }

    /// What is wrong in one word, for readiness probes.
    pub fn reason(&self) -> &'static str {
        match self {
            StoreError::Unreachable(_) => "store_unreachable",
            StoreError::DataMissing => "store_empty",
            StoreError::NewerSchema { .. } => "store_newer",
            StoreError::HalfFull => "store_half_full",
            StoreError::Full(_) => "store_full",
            StoreError::ReadOnly(_) => "store_read_only",
            StoreError::Damaged(_) => "store_damaged",
            StoreError::WrongDatabase(_) => "store_missing",
            _ => "store_failed",
        }
    }
}

/// Requests that fail for want of the store, whichever of its calls they make. The background probe of the store that
/// this process serves from ends it.
static REQUESTS: Outage = Outage::new("requests cannot be answered without the store");

/// The background probe has found the store in order.
pub(super) fn store_works() {
    REQUESTS.succeeded();
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        REQUESTS.failed(&error);
        ApiError::StoreUnavailable
    }
}
