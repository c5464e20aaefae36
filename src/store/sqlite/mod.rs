//! The store in one SQLite file, for one node.
//!
//! One thread writes and one reads, each with its own connection, so that no serving thread ever waits for SQLite.
//! The command line opens the same file beside a running server. There is one server on a file, because it holds a
//! lock: the holder of any earlier lease has ended.

mod accounts;
mod admin;
mod asked;
mod billing;
mod hooks;
mod identity;
mod mails;
mod probe;
mod quota;
mod readers;
mod rows;
mod schema;
mod suggestions;
mod threads;
mod tokens;

use std::fmt;
use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};

use rusqlite::{Connection, OpenFlags, Transaction};
use tokio::sync::oneshot;

use self::identity::{Identity, lock_path};
use self::probe::Probe;
use self::threads::{Pending, Read, Shared, Worker, Write};
use super::epoch::OldAccounts;
use super::lock::ServerLock;
use super::{Store, StoreError, StoreResult};
use crate::domain::account::AccountId;

/// The store in one SQLite file.
pub struct Sqlite {
    /// The canonical path of the file.
    path: PathBuf,
    lock: OnceLock<ServerLock>,
    shared: Arc<Shared>,
    writer: Worker<Write>,
    reader: Worker<Read>,
}

impl Store for Sqlite {}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").finish_non_exhaustive()
    }
}

impl Sqlite {
    /// Opens the file for a process with the data folder `data`, creating it and its folder when they do not exist,
    /// readable by their owner only. Fails when that folder knows another database, or belongs to a service on Redis.
    pub fn open(path: &Path, data: &Path) -> Result<Sqlite, StoreError> {
        Sqlite::open_as(path, &Identity::load(path, data)?)
    }

    /// Whether there is no database yet; an error in a folder of a service whose accounts are in Redis or in another
    /// database.
    pub fn is_missing(path: &Path, data: &Path) -> Result<bool, StoreError> {
        if path.exists() {
            return Ok(false);
        }
        let identity = Identity::load(path, data)?;
        identity.check_engine()?;
        identity.check_others()?;
        Ok(true)
    }

    /// Opens a file to be filled, whatever the folder around it knows: the caller refuses one that is not empty.
    pub fn open_to_fill(path: &Path, data: &Path) -> Result<Sqlite, StoreError> {
        let mut identity = Identity::load(path, data)?;
        identity.accept_any();
        Sqlite::open_as(path, &identity)
    }

    /// Starts over with a database in place of the known one, or accepts another one that is there; false when there is
    /// no need to. Fails when a server on Redis serves from the folder, or when the database would replace that Redis
    /// with accounts of an earlier time, unless these are wanted.
    pub fn begin(path: &Path, data: &Path, old_accounts: OldAccounts) -> Result<bool, StoreError> {
        let mut identity = Identity::load(path, data)?;
        match Sqlite::open_as(path, &identity) {
            Err(StoreError::OnRedis { folder, .. }) if ServerLock::is_held(data) => {
                return Err(StoreError::Unsuitable(format!(
                    "{folder}: a server serves from this folder, and its accounts are in Redis: stop it first"
                )));
            }
            Err(StoreError::OnRedis { redis, .. })
                if old_accounts == OldAccounts::Refuse && !is_file_empty(path)? =>
            {
                return Err(StoreError::Unsuitable(format!(
                    "the database {path} has accounts from before the service was on {redis}, which know nothing of what \
                     changed since: copy them from there with `candango store copy`, move that file and those beside it that \
                     begin with its name to another folder to start over with an empty one, or run `candango store begin \
                     --with-old-accounts`",
                    path = path.display()
                )));
            }
            Err(StoreError::WrongDatabase(_) | StoreError::OnRedis { .. }) => identity.accept_any(),
            opened => return opened.map(|_| false),
        }
        Sqlite::open_as(path, &identity)?;
        identity.leave_redis()?;
        Ok(true)
    }

    fn open_as(path: &Path, identity: &Identity) -> Result<Sqlite, StoreError> {
        let unusable = |error| StoreError::File { path: path.display().to_string(), error: Arc::new(error) };
        identity.check_engine()?;
        schema::check_access(path)?;
        let has_bytes = std::fs::metadata(path).is_ok_and(|data| data.len() > 0);
        identity.check_content(has_bytes && !schema::is_empty(&schema::connect(path)?)?)?;
        if !schema::is_read_only(path) {
            schema::create_private(path).map_err(unusable)?;
        }
        let mut writer = schema::connect(path)?;
        schema::migrate(&mut writer)?;
        if schema::is_filling(&writer)? {
            identity.check_unfilled()?;
            schema::end_fill(&writer)?;
        }
        identity.check_epoch(|new| schema::epoch(&writer, new))?;
        let reader = schema::connect(path)?;
        reader.pragma_update(None, "query_only", true)?;
        // read before anything can be cached, so that no later commit goes unseen
        let version = threads::data_version(&writer)?;
        let path = path.canonicalize().map_err(unusable)?;
        let probe = Probe::new(&path).map_err(unusable)?;
        let shared = Arc::new(Shared::default());
        let of_writer = shared.clone();
        Ok(Sqlite {
            path,
            lock: OnceLock::new(),
            shared,
            writer: Worker::start("store-writer", move |writes| {
                threads::write_all(writer, version, probe, &writes, &of_writer);
            })?,
            reader: Worker::start("store-reader", move |reads: Receiver<Read>| {
                for read in reads {
                    read(&reader);
                }
            })?,
        })
    }

    /// Locks the file itself: two servers with data folders of their own would each lease the same calls.
    fn lock_file(&self) -> Result<ServerLock, StoreError> {
        ServerLock::on(&lock_path(&self.path)).map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::Unsuitable(format!(
                "another server is on {}: stop that one, give this one its own store, or let both share a Redis",
                self.path.display()
            )),
            TryLockError::Error(error) => {
                StoreError::File { path: self.path.display().to_string(), error: Arc::new(error) }
            }
        })
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, answered) = oneshot::channel();
        let shared = self.shared.clone();
        self.reader.send(Box::new(move |connection: &Connection| {
            // the caller may have gone
            let _ = answer.send(shared.catch(|| read(connection)));
        }))?;
        answered.await.unwrap_or(Err(StoreError::Panicked))
    }

    /// Writes something that changes no account's keys or plan.
    async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.write_account(move |connection| Ok((write(connection)?, None))).await
    }

    /// Writes something that may change the keys or plan of an account, which `write` returns: the listener handles
    /// the change before the future is done.
    async fn write_account<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<(T, Option<AccountId>)> + Send + 'static,
    ) -> StoreResult<T> {
        let (answer, answered) = oneshot::channel();
        let shared = self.shared.clone();
        self.writer.send(Box::new(move |transaction: Option<&mut Transaction<'_>>| {
            let written = match transaction {
                Some(transaction) => shared.catch(|| threads::within_savepoint(transaction, write)),
                None => Err(StoreError::Closed),
            };
            let (outcome, changed) = match written {
                Ok((outcome, changed)) => (Ok(outcome), changed),
                Err(error) => (Err(error), None),
            };
            let answer = Box::new(move |committed: StoreResult<()>| {
                let _ = answer.send(committed.and(outcome));
            });
            Pending { changed, answer }
        }))?;
        answered.await.unwrap_or(Err(StoreError::Panicked))
    }
}

/// Whether a database file is missing, or has no account. It is read as it is, whatever its epoch is.
pub fn is_file_empty(path: &Path) -> Result<bool, StoreError> {
    if !path.exists() {
        return Ok(true);
    }
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let has_table = "SELECT 1 FROM sqlite_schema WHERE name = 'accounts'";
    Ok(!db.prepare(has_table)?.exists([])? || !db.prepare("SELECT 1 FROM accounts")?.exists([])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::PresenceStore;

    fn store() -> (tempfile::TempDir, Sqlite) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Sqlite::open(&folder.path().join("candango.db"), folder.path()).expect("a store");
        (folder, store)
    }

    /// A write of a row that a later read can find.
    async fn insert(store: &Sqlite, name: &'static str) -> StoreResult<usize> {
        let sql = "INSERT INTO tallies (name, counted, ends_at) VALUES (?1, 1, 0)";
        store.write(move |connection| connection.execute(sql, [name])).await
    }

    async fn count(store: &Sqlite) -> StoreResult<u32> {
        let sql = "SELECT count(*) FROM tallies";
        store.read(|connection| connection.query_row(sql, [], |row| row.get(0))).await
    }

    /// What a full disk allows: a backup is made of such a store too.
    #[tokio::test]
    async fn opening_a_store_that_is_up_to_date_writes_nothing() {
        let (folder, store) = store();
        insert(&store, "first").await.expect("a write");
        let files = ["candango.db", "candango.db-wal"].map(|name| folder.path().join(name));
        let bytes = || files.clone().map(|file| std::fs::read(file).expect("a file"));
        let before = bytes();
        let second = Sqlite::open(&folder.path().join("candango.db"), folder.path()).expect("a store");
        assert_eq!(count(&second).await.expect("a read"), 1);
        assert!(before == bytes());
    }

    #[tokio::test]
    async fn a_panicking_write_fails_alone_and_does_not_end_the_writer() {
        let (_folder, store) = store();
        let (before, panicked, after) = tokio::join!(
            insert(&store, "before"),
            store.write(|connection| -> rusqlite::Result<()> {
                connection
                    .execute("INSERT INTO tallies (name, counted, ends_at) VALUES ('half', 1, 0)", [])?;
                panic!("injected")
            }),
            insert(&store, "after"),
        );
        assert!(before.is_ok() && after.is_ok(), "{before:?} {after:?}");
        assert!(matches!(panicked, Err(StoreError::Panicked)), "{panicked:?}");
        assert_eq!(count(&store).await.expect("a count"), 2, "what the panicking write wrote is undone");
        assert!(store.health().is_ok());
        assert_eq!(store.panics(), 1);
    }

    #[tokio::test]
    async fn a_panic_between_writes_fails_those_in_its_transaction_and_does_not_end_the_writer() {
        let (_folder, store) = store();
        store.writer.send(Box::new(|_| panic!("injected"))).expect("sent");
        // in the same transaction or in the next one, as the writer pleases
        if let Err(error) = insert(&store, "with it").await {
            assert!(matches!(error, StoreError::Panicked), "{error}");
        }
        insert(&store, "after").await.expect("the writer goes on");
        assert!(store.health().is_ok());
        assert_eq!(store.panics(), 1);
    }

    #[tokio::test]
    async fn a_panicking_read_does_not_end_the_reader() {
        let (_folder, store) = store();
        let panicked = store.read(|_| -> rusqlite::Result<()> { panic!("injected") }).await;
        assert!(matches!(panicked, Err(StoreError::Panicked)), "{panicked:?}");
        assert_eq!(count(&store).await.expect("a count"), 0);
        assert_eq!(store.panics(), 1);
    }
}
