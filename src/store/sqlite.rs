//! The store in one SQLite file, for one node.
//!
//! One thread writes and one reads, each with its own connection, so no request ever waits in SQLite on a
//! thread that serves. The writer takes every write that is waiting into one transaction: a disk that syncs a
//! hundred times a second then carries thousands of writes. An answer is given after the commit, never before.
//! The command line opens the same file beside a running server; the writer looks four times a second whether
//! someone else has committed. Uses [`crate::store`] and the nouns of [`crate::accounts`].

use std::fmt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;

use super::{
    Asked, Change, Claim, CodeRecord, Grant, Invitation, Issue, Letter, Listener, Redemption, Replacement,
    Statement, Store, StoreError, Tally, private_folder,
};
use crate::accounts::{Account, AccountId, Email, KeyHash, KeyRecord, LetterId, Profile};
use crate::clock::{Period, UnixMillis};
use crate::plans::Plan;

/// Each step makes of one version of the file the next; a file's `user_version` counts the steps it has taken.
/// Steps are only ever added.
const STEPS: &[&str] = &["
    CREATE TABLE accounts (
        id TEXT PRIMARY KEY,
        email TEXT NOT NULL UNIQUE,
        plan TEXT NOT NULL,
        created_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE keys (
        hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
        account TEXT NOT NULL REFERENCES accounts (id),
        first4 TEXT NOT NULL,
        last4 TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX keys_by_account ON keys (account);
"];

/// Questions and writes that may wait; beyond that the caller is told to come back.
const MOST_WAITING: usize = 1024;

/// Writes taken into one transaction.
const MOST_TOGETHER: usize = 256;

/// How often the writer looks for commits of others: well within the promised second.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How long a write waits for another process that is writing.
const BUSY: Duration = Duration::from_secs(5);

/// The store in one SQLite file.
pub struct Sqlite {
    /// Hears of changes, once the process serves.
    listener: Arc<OnceLock<Listener>>,
    writes: Desk<Write>,
    reads: Desk<Read>,
}

type Read = Box<dyn FnOnce(&Connection) + Send>;

/// A write that waits for its turn.
struct Write {
    /// Whether it may change who holds what.
    moves_holders: bool,
    /// Does it, when there is a transaction to do it in, and says how to answer.
    run: Box<Run>,
}

type Run = dyn FnOnce(Option<&mut Transaction<'_>>) -> Answer + Send;

/// Tells the one who asked, once it is known whether the transaction was committed.
type Answer = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").finish_non_exhaustive()
    }
}

impl Sqlite {
    /// Opens the file, making it and its folder when they are not there, for its owner's eyes only.
    pub fn open(path: &Path) -> Result<Sqlite, StoreError> {
        make_private(path).map_err(|source| StoreError::File { path: path.display().to_string(), source })?;
        let mut writer = connect(path)?;
        migrate(&mut writer)?;
        let reader = connect(path)?;
        reader.pragma_update(None, "query_only", true)?;
        // Before anyone can remember anything, so that no later commit goes unseen.
        let seen = data_version(&writer)?;
        let listener = Arc::new(OnceLock::new());
        let told = listener.clone();
        Ok(Sqlite {
            listener,
            writes: Desk::staff("store-writer", move |writes| write_in_turn(writer, seen, &writes, &told))?,
            reads: Desk::staff("store-reader", move |reads: Receiver<Read>| {
                for read in reads {
                    read(&reader);
                }
            })?,
        })
    }

    fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Asked<'static, T> {
        let (answer, answered) = oneshot::channel();
        let sent = self.reads.hand_in(Box::new(move |connection: &Connection| {
            // Whoever asked may have gone; then there is nobody to tell.
            let _ = answer.send(read(connection).map_err(StoreError::from));
        }));
        Box::pin(async move {
            sent?;
            answered.await.unwrap_or(Err(StoreError::Shut))
        })
    }

    fn write<T: Send + 'static>(
        &self,
        moves_holders: bool,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Asked<'static, T> {
        let (answer, answered) = oneshot::channel::<Result<T, StoreError>>();
        let sent = self.writes.hand_in(Write {
            moves_holders,
            run: Box::new(move |transaction| {
                let outcome = match transaction {
                    Some(transaction) => within_savepoint(transaction, write).map_err(StoreError::from),
                    None => Err(StoreError::Shut),
                };
                Box::new(move |committed| {
                    let _ = answer.send(committed.and(outcome));
                })
            }),
        });
        Box::pin(async move {
            sent?;
            answered.await.unwrap_or(Err(StoreError::Shut))
        })
    }
}

impl Store for Sqlite {
    fn issue(&self, issue: Issue) -> Asked<'_, Account> {
        self.write(true, move |connection| {
            let Issue { opening, key } = issue;
            connection.execute(
                "INSERT INTO accounts (id, email, plan, created_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (email) DO UPDATE SET plan = excluded.plan",
                params![opening.id.as_str(), opening.email.as_str(), opening.plan, opening.created_at],
            )?;
            let account = connection.query_row(
                "SELECT id, email, plan, created_at FROM accounts WHERE email = ?1",
                [opening.email.as_str()],
                account,
            )?;
            connection.execute(
                "INSERT INTO keys (hash, account, first4, last4, created_at, revoked_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![key.hash, account.id.as_str(), key.first4, key.last4, key.created_at, key.revoked_at],
            )?;
            Ok(account)
        })
    }

    fn account(&self, email: &Email) -> Asked<'_, Option<Account>> {
        let email = email.clone();
        self.read(move |connection| {
            connection
                .prepare_cached("SELECT id, email, plan, created_at FROM accounts WHERE email = ?1")?
                .query_row([email.as_str()], account)
                .optional()
        })
    }

    fn keys(&self, account: &AccountId) -> Asked<'_, Vec<KeyRecord>> {
        let account = account.clone();
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT hash, first4, last4, created_at, revoked_at FROM keys
                     WHERE account = ?1 ORDER BY created_at, hash",
                )?
                .query_map([account.as_str()], key_record)?
                .collect()
        })
    }

    fn holder(&self, key: KeyHash) -> Asked<'_, Option<Account>> {
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT a.id, a.email, a.plan, a.created_at FROM keys k JOIN accounts a ON a.id = k.account
                     WHERE k.hash = ?1 AND k.revoked_at IS NULL",
                )?
                .query_row([key], account)
                .optional()
        })
    }

    fn revoke(&self, key: KeyHash, at: UnixMillis) -> Asked<'_, bool> {
        self.write(true, move |connection| {
            let sql = "UPDATE keys SET revoked_at = ?2 WHERE hash = ?1 AND revoked_at IS NULL";
            Ok(connection.execute(sql, params![key, at])? > 0)
        })
    }

    fn set_plan(&self, account: &AccountId, plan: Plan) -> Asked<'_, bool> {
        let account = account.clone();
        self.write(true, move |connection| {
            let sql = "UPDATE accounts SET plan = ?2 WHERE id = ?1";
            Ok(connection.execute(sql, params![account.as_str(), plan])? > 0)
        })
    }

    fn profile(&self, _: &AccountId) -> Asked<'_, Profile> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn replace(&self, _: Replacement) -> Asked<'_, bool> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn tally(&self, _: Vec<Tally>, _: UnixMillis) -> Asked<'_, Option<usize>> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn invite(&self, _: Invitation) -> Asked<'_, ()> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn collect(&self, _: UnixMillis, _: UnixMillis, _: usize) -> Asked<'_, Vec<Letter>> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn put_off(&self, _: &LetterId, _: UnixMillis) -> Asked<'_, ()> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn discard(&self, _: &LetterId) -> Asked<'_, ()> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn keep_code(&self, _: &AccountId, _: CodeRecord) -> Asked<'_, ()> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn redeem(&self, _: Redemption) -> Asked<'_, Option<Account>> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn lease(&self, _: Claim) -> Asked<'_, Grant> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn statements(&self, _: &AccountId, _: Period) -> Asked<'_, Vec<Statement>> {
        Box::pin(async { Err(StoreError::NotBuilt) })
    }

    fn call_in(&self, _: &AccountId) -> Asked<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn attend(&self, listener: Listener) -> Asked<'_, ()> {
        let _ = self.listener.set(listener);
        Box::pin(async { Ok(()) })
    }

    fn vouches(&self, _: Instant) -> bool {
        true
    }

    fn renew(&self) -> Asked<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// A bounded queue and the thread that works it off.
struct Desk<J> {
    /// None only while being dropped.
    queue: Option<SyncSender<J>>,
    thread: Option<JoinHandle<()>>,
}

impl<J: Send + 'static> Desk<J> {
    fn staff(name: &str, work: impl FnOnce(Receiver<J>) + Send + 'static) -> Result<Desk<J>, StoreError> {
        let (queue, jobs) = sync_channel(MOST_WAITING);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(jobs))
            .map_err(|error| StoreError::Failed(Arc::new(error)))?;
        Ok(Desk { queue: Some(queue), thread: Some(thread) })
    }

    fn hand_in(&self, job: J) -> Result<(), StoreError> {
        match self.queue.as_ref().map(|queue| queue.try_send(job)) {
            Some(Ok(())) => Ok(()),
            Some(Err(TrySendError::Full(_))) => Err(StoreError::Overloaded),
            Some(Err(TrySendError::Disconnected(_))) | None => Err(StoreError::Shut),
        }
    }
}

impl<J> Drop for Desk<J> {
    /// Waits for what was handed in: a write that was accepted is not lost because the process ends in order.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("a thread of the store had died");
        }
    }
}

fn write_in_turn(
    mut connection: Connection,
    mut seen: i64,
    writes: &Receiver<Write>,
    listener: &OnceLock<Listener>,
) {
    let mut look_at = Instant::now() + LOOK_EVERY;
    loop {
        match writes.recv_timeout(look_at.saturating_duration_since(Instant::now())) {
            Ok(first) => commit_together(&mut connection, first, writes, listener),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if Instant::now() < look_at {
            continue;
        }
        look_at = Instant::now() + LOOK_EVERY;
        match data_version(&connection) {
            Ok(version) if version == seen => {}
            Ok(version) => {
                seen = version;
                forget_all(listener);
            }
            Err(error) => {
                // What is remembered can no longer be vouched for.
                tracing::error!(%error, "the store cannot be watched for changes");
                forget_all(listener);
            }
        }
    }
}

/// Tells the listener that anything may have changed.
fn forget_all(listener: &OnceLock<Listener>) {
    if let Some(listener) = listener.get() {
        // what has to be forgotten is forgotten in the call itself
        drop(listener(Change::Everything));
    }
}

/// A number that changes when another connection commits, and never for what this one does.
fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}

/// Commits `first` and whatever else is waiting, then answers.
fn commit_together(
    connection: &mut Connection,
    first: Write,
    writes: &Receiver<Write>,
    listener: &OnceLock<Listener>,
) {
    let mut transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => transaction,
        Err(error) => return (first.run)(None)(Err(error.into())),
    };
    let mut moves_holders = first.moves_holders;
    let mut answers = vec![(first.run)(Some(&mut transaction))];
    while answers.len() < MOST_TOGETHER
        && let Ok(write) = writes.try_recv()
    {
        moves_holders |= write.moves_holders;
        answers.push((write.run)(Some(&mut transaction)));
    }
    let committed = transaction.commit().map_err(|error| Arc::new(error) as Arc<_>);
    if moves_holders {
        forget_all(listener);
    }
    for answer in answers {
        answer(committed.clone().map_err(StoreError::Failed));
    }
}

/// A write that fails takes back its own changes and nobody else's.
fn within_savepoint<T>(
    transaction: &mut Transaction<'_>,
    write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let savepoint = transaction.savepoint()?;
    let written = write(&savepoint)?;
    savepoint.commit()?;
    Ok(written)
}

/// SQLite gives the files beside a database the permissions of the database, so this one call keeps all three.
fn make_private(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        private_folder(folder)?;
    }
    let mut options = std::fs::File::options();
    options.create(true).truncate(false).write(true);
    options.mode(0o600).open(path).map(drop)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    // Immediate, because the command line and a server may open a new file at the same moment.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = STEPS.len() as i64;
    let Some(steps) = usize::try_from(found).ok().and_then(|found| STEPS.get(found..)) else {
        return Err(StoreError::Newer { found, known });
    };
    for step in steps {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    Ok(transaction.commit()?)
}

/// Reads `id, email, plan, created_at`.
fn account(row: &Row<'_>) -> rusqlite::Result<Account> {
    Ok(Account {
        id: AccountId::kept(row.get(0)?),
        email: row.get(1)?,
        plan: row.get(2)?,
        created_at: row.get(3)?,
    })
}

/// Reads `hash, first4, last4, created_at, revoked_at`.
fn key_record(row: &Row<'_>) -> rusqlite::Result<KeyRecord> {
    Ok(KeyRecord {
        hash: row.get(0)?,
        first4: row.get(1)?,
        last4: row.get(2)?,
        created_at: row.get(3)?,
        revoked_at: row.get(4)?,
    })
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        StoreError::Failed(Arc::new(error))
    }
}

impl ToSql for Plan {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl FromSql for Plan {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(FromSqlError::other)
    }
}

impl FromSql for Email {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(FromSqlError::other)
    }
}

impl ToSql for UnixMillis {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl FromSql for UnixMillis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(UnixMillis)
    }
}

impl ToSql for KeyHash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_slice().into())
    }
}

impl FromSql for KeyHash {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        <[u8; 32]>::column_result(value).map(KeyHash)
    }
}
