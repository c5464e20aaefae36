//! The database file: how it is created, opened and migrated.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};
use url::Url;

use crate::store::StoreError;
use crate::store::lock::create_private_folder;
use crate::store::owner::give_to_owner_of_folder;

/// Each migration turns one version of the schema into the next; a file's `user_version` is the number of migrations
/// applied. Migrations are only ever added.
const MIGRATIONS: &[&str] = &[
    "
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
",
    "
    ALTER TABLE accounts ADD COLUMN name TEXT;
    ALTER TABLE accounts ADD COLUMN company TEXT;
    ALTER TABLE accounts ADD COLUMN use_case TEXT;
    CREATE TABLE letters (
        id TEXT PRIMARY KEY,
        account TEXT NOT NULL REFERENCES accounts (id),
        kind TEXT NOT NULL,
        queued_at INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        -- the hash of the key that was made for it
        key BLOB
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX letters_by_due ON letters (due_at);
    CREATE TABLE codes (
        account TEXT PRIMARY KEY REFERENCES accounts (id),
        hash BLOB NOT NULL CHECK (length(hash) = 32),
        expires_at INTEGER NOT NULL,
        tries INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE tallies (
        name TEXT PRIMARY KEY,
        counted INTEGER NOT NULL,
        ends_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tallies_by_end ON tallies (ends_at);
    CREATE TABLE leases (
        account TEXT NOT NULL,
        period TEXT NOT NULL,
        holder TEXT NOT NULL,
        number INTEGER NOT NULL,
        granted INTEGER NOT NULL,
        used INTEGER NOT NULL,
        by_action TEXT NOT NULL,
        forget_at INTEGER NOT NULL,
        PRIMARY KEY (account, period, holder)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX leases_by_forgetting ON leases (forget_at);
",
    "
    CREATE TABLE books (
        account TEXT PRIMARY KEY REFERENCES accounts (id),
        version INTEGER NOT NULL,
        text TEXT NOT NULL,
        due_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX books_by_due ON books (due_at) WHERE due_at IS NOT NULL;
    CREATE TABLE payers (
        reference TEXT PRIMARY KEY,
        account TEXT NOT NULL REFERENCES accounts (id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE notices (
        id TEXT PRIMARY KEY,
        text TEXT NOT NULL,
        at INTEGER NOT NULL,
        due_at INTEGER,
        attempts INTEGER NOT NULL,
        settled_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX notices_by_due ON notices (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX notices_by_settling ON notices (settled_at) WHERE settled_at IS NOT NULL;
",
    "
    -- the mailer that holds its key; without one any mailer takes it
    ALTER TABLE letters ADD COLUMN owner TEXT;
",
    "
    ALTER TABLE accounts ADD COLUMN blocked_at INTEGER;
    ALTER TABLE accounts ADD COLUMN blocked_reason TEXT;
    -- several of an account are valid beside each other; those of the older form lasted half an hour
    DROP TABLE codes;
    CREATE TABLE codes (
        account TEXT NOT NULL REFERENCES accounts (id),
        hash BLOB NOT NULL CHECK (length(hash) = 32),
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (account, hash)
    ) STRICT, WITHOUT ROWID;
    -- counters of the older form have addresses in their names
    DELETE FROM tallies;
    -- what an operator changed by hand
    CREATE TABLE audit (
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        account TEXT,
        detail TEXT NOT NULL,
        reason TEXT
    ) STRICT;
    -- what is kept of an erased account: its payments
    CREATE TABLE erased (
        account TEXT PRIMARY KEY,
        at INTEGER NOT NULL,
        text TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- what is known of the database itself
    CREATE TABLE service (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
",
    "
    -- what people asked and did not find, as each run of a server counted it on a day; nothing says who asked
    CREATE TABLE asked (
        day TEXT NOT NULL,
        run TEXT NOT NULL,
        question TEXT NOT NULL,
        callers INTEGER NOT NULL,
        times INTEGER NOT NULL,
        forget_at INTEGER NOT NULL,
        PRIMARY KEY (day, question, run)
    ) STRICT, WITHOUT ROWID;
",
    "
    CREATE TABLE suggestions (
        id TEXT PRIMARY KEY,
        at INTEGER NOT NULL,
        about TEXT,
        text TEXT NOT NULL,
        contact TEXT,
        done_at INTEGER,
        forget_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
",
    "
    -- the address, if it is another than that of the account
    ALTER TABLE letters ADD COLUMN recipient TEXT;
    -- of the weekly letter; each has at most one mail, which is due at a time
    CREATE TABLE readers (
        id TEXT PRIMARY KEY,
        email TEXT NOT NULL UNIQUE,
        language TEXT NOT NULL,
        area TEXT,
        asked_at INTEGER NOT NULL,
        confirmed_at INTEGER,
        due_at INTEGER,
        attempts INTEGER NOT NULL,
        forget_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX readers_by_due ON readers (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX readers_by_forgetting ON readers (forget_at) WHERE forget_at IS NOT NULL;
",
    "
    -- origins: of web pages, or the word calendar
    CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        account TEXT NOT NULL REFERENCES accounts (id),
        hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
        last4 TEXT NOT NULL,
        origins TEXT NOT NULL,
        created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tokens_by_account ON tokens (account);
",
    "
    -- one for each account; the secret is kept as it is, because signing needs it
    CREATE TABLE hooks (
        account TEXT PRIMARY KEY REFERENCES accounts (id),
        url TEXT NOT NULL,
        secret TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        last_at INTEGER,
        last_result TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE deliveries (
        id TEXT PRIMARY KEY,
        account TEXT NOT NULL REFERENCES accounts (id),
        body TEXT NOT NULL,
        queued_at INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deliveries_by_due ON deliveries (due_at);
    CREATE INDEX deliveries_by_account ON deliveries (account);
",
    "
    -- whether a server is sending it, until it is due again
    ALTER TABLE deliveries ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
",
    "
    -- the word key for a session that a key has opened; null for codes and other sessions
    ALTER TABLE codes ADD COLUMN level TEXT;
",
];

/// How long a write waits for another process that is writing.
const BUSY: Duration = Duration::from_secs(5);

/// Creates the file, readable by its owner only. SQLite gives the two files beside it the same permissions and owner.
pub(super) fn create_private(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_private_folder(folder)?;
    }
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    options.mode(0o600).open(path)?;
    give_to_owner_of_folder(path);
    Ok(())
}

/// Names the file that may not be read, and why: SQLite says only that it cannot open its database. The files beside it
/// are those of a command that another user ran.
pub(super) fn check_access(path: &Path) -> Result<(), StoreError> {
    for end in ["", "-wal", "-shm"] {
        let file = with_end(path, end);
        match File::open(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(StoreError::File { path: file.display().to_string(), error: Arc::new(error) });
            }
            _ => {}
        }
    }
    Ok(())
}

/// The path of a file that SQLite keeps beside a database, by what its name has at the end.
fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut file = path.as_os_str().to_owned();
    file.push(end);
    file.into()
}

/// Whether the file system of the file takes no writes, as after an error of its disk. What is stored can be read
/// there.
pub(super) fn is_read_only(path: &Path) -> bool {
    let opened = File::options().write(true).open(path);
    opened.is_err_and(|error| error.kind() == ErrorKind::ReadOnlyFilesystem)
}

pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    if is_read_only(path) {
        return connect_read_only(path);
    }
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // what is deleted, an erased account above all, must not stay readable in free pages
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(connection)
}

/// Reads a file that cannot be written. Without a write-ahead log SQLite would have to make one, unless it knows that
/// nothing changes the file; with one, that has to be read too.
fn connect_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let has_log = std::fs::metadata(with_end(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let url = std::path::absolute(path).ok().and_then(|path| Url::from_file_path(path).ok());
    match url.filter(|_| !has_log) {
        Some(mut url) => {
            url.set_query(Some("immutable=1"));
            Connection::open_with_flags(url.as_str(), flags)
        }
        None => Connection::open_with_flags(path, flags),
    }
}

/// Whether a file has no tables yet.
pub(super) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(version(connection)? == 0)
}

/// The epoch of the database; one that has none gets `new`.
pub(super) fn epoch(connection: &Connection, new: &str) -> rusqlite::Result<String> {
    let known = "SELECT value FROM service WHERE name = 'epoch'";
    let known = || connection.query_row(known, [], |row| row.get(0)).optional();
    if let Some(epoch) = known()? {
        return Ok(epoch);
    }
    connection.execute("INSERT OR IGNORE INTO service (name, value) VALUES ('epoch', ?1)", [new])?;
    known()?.ok_or(rusqlite::Error::QueryReturnedNoRows)
}

/// Marks a database that a restore is about to fill.
pub(super) fn begin_fill(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO service (name, value) VALUES ('filling', 'true')";
    connection.execute(sql, []).map(drop)
}

/// Removes the mark of [`begin_fill`].
pub(super) fn end_fill(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM service WHERE name = 'filling'", []).map(drop)
}

/// Whether a restore fills the database, or was cut off before it had.
pub(super) fn is_filling(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM service WHERE name = 'filling'")?.exists([])
}

/// Brings the tables up to date. When they are, nothing is written: a store on a full disk can still be read and backed
/// up.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    if migrations_after(version(connection)?)?.is_empty() {
        return Ok(());
    }
    // immediate, because the command line and a server may open a new file at the same moment
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for migration in migrations_after(version(&transaction)?)? {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", known_version())?;
    Ok(transaction.commit()?)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn known_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// The migrations that a database of this version lacks.
fn migrations_after(found: i64) -> Result<&'static [&'static str], StoreError> {
    let missing = usize::try_from(found).ok().and_then(|found| MIGRATIONS.get(found..));
    missing.ok_or(StoreError::NewerSchema { found, known: known_version() })
}
