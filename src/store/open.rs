//! The one place that knows which engines there are.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::epoch::OF_REDIS;
pub use super::epoch::OldAccounts;
use super::lock::SERVER_LOCK;
use super::redis::Redis;
use super::sqlite::Sqlite;
use super::{Store, StoreError};
use crate::config::StoreSpec;

/// Opens the store that the configuration names, for a process with the data folder `data`. What the process caches
/// may be used for the time of `trust` after the last contact.
pub fn store(spec: &StoreSpec, data: &Path, trust: Duration) -> Result<Arc<dyn Store>, StoreError> {
    match spec {
        StoreSpec::Sqlite(path) => Ok(Arc::new(Sqlite::open(path, data)?)),
        StoreSpec::Redis(url) => Ok(Arc::new(Redis::at(url, spec.to_string(), data, trust)?)),
    }
}

/// Opens the store that rows are to be copied into. The folder around a file of SQLite may know another store.
pub fn to_fill(spec: &StoreSpec, data: &Path) -> Result<Arc<dyn Store>, StoreError> {
    match spec {
        StoreSpec::Sqlite(path) => Ok(Arc::new(Sqlite::open_to_fill(path, data)?)),
        StoreSpec::Redis(_) => store(spec, data, Duration::ZERO),
    }
}

/// Whether a folder was served from, or holds what says that its accounts are in Redis.
pub fn is_data_folder(folder: &Path) -> bool {
    folder.join(SERVER_LOCK).exists() || folder.join(OF_REDIS).exists()
}

/// The file of a store that no server has made yet; none for Redis, which is no file.
pub fn missing_file<'s>(spec: &'s StoreSpec, data: &Path) -> Result<Option<&'s Path>, StoreError> {
    match spec {
        StoreSpec::Sqlite(path) => Ok(Sqlite::is_missing(path, data)?.then_some(&**path)),
        StoreSpec::Redis(_) => Ok(None),
    }
}

/// Whether the file of a store that cannot be opened holds no account; true for Redis, which is no file.
pub fn is_file_empty(spec: &StoreSpec) -> Result<bool, StoreError> {
    match spec {
        StoreSpec::Sqlite(path) => super::sqlite::is_file_empty(path),
        StoreSpec::Redis(_) => Ok(true),
    }
}

/// Starts over in a store that has lost its data, so that it can be served from again; false when its data is there.
/// Running servers notice within a second and go on.
pub async fn begin(spec: &StoreSpec, data: &Path, old_accounts: OldAccounts) -> Result<bool, StoreError> {
    match spec {
        StoreSpec::Sqlite(path) => Sqlite::begin(path, data, old_accounts),
        StoreSpec::Redis(url) => Redis::at(url, spec.to_string(), data, Duration::ZERO)?.begin().await,
    }
}
