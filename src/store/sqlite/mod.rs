//! The store in one SQLite file, for one node.
//!
//! One thread writes and one reads, each with its own connection, so no request ever waits in SQLite on a
//! thread that serves. The writer takes every write that is waiting into one transaction: a disk that syncs a
//! hundred times a second then carries thousands of writes. An answer is given after the commit, never before.
//! The command line opens the same file beside a running server; the writer looks four times a second whether
//! someone else has committed. There is one server on a file, because it holds the lock of its folder: whoever
//! held a lease before it is dead. Uses [`crate::store`] and the nouns of [`crate::domain::account`].

use std::fmt;
use std::fs::TryLockError;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::leases::{Lease, forget_at, settle};
use super::{
    Asked, Change, Claim, CodeRecord, Entry, Grant, Invitation, Issue, Listener, Mail, MailKind,
    NOTICE_KNOWN, Redemption, Replacement, ServerLock, Statement, Store, StoreError, SubscriptionRecord,
    Tally, WebhookEvent, private_folder,
};
use crate::domain::account::{
    Account, AccountId, CodeHash, Email, HolderId, KeyHash, KeyRecord, MailId, Profile,
};
use crate::domain::clock::{Period, UnixMillis};
use crate::domain::plan::Plan;

/// Each step makes of one version of the file the next; a file's `user_version` counts the steps it has taken.
/// Steps are only ever added.
const STEPS: &[&str] = &[
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
];

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
    /// The file by its one name, however it was asked for.
    path: PathBuf,
    lock: OnceLock<ServerLock>,
    attending: Arc<OnceLock<Attending>>,
    writes: Desk<Write>,
    reads: Desk<Read>,
}

/// Who hears of changes, once the process serves.
struct Attending {
    listener: Listener,
    /// Where it is told: the writer's thread must not wait for a listener, which may itself have something to write.
    runtime: Handle,
}

impl Attending {
    /// Tells of a change, and does what comes next when it was taken notice of.
    fn tell(&self, change: Change, then: impl FnOnce() + Send + 'static) {
        let listener = self.listener.clone();
        self.runtime.spawn(async move {
            listener(change).await;
            then();
        });
    }
}

type Read = Box<dyn FnOnce(&Connection) + Send>;

/// A write that waits for its turn: does it, when there is a transaction to do it in, and says how to answer.
type Write = Box<dyn FnOnce(Option<&mut Transaction<'_>>) -> Written + Send>;

/// A write that waits for its commit.
struct Written {
    /// The account whose keys or plan it moved.
    moved: Option<AccountId>,
    answer: Answer,
}

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
        let unusable =
            |source| StoreError::File { path: path.display().to_string(), source: Arc::new(source) };
        make_private(path).map_err(unusable)?;
        let mut writer = connect(path)?;
        migrate(&mut writer)?;
        let reader = connect(path)?;
        reader.pragma_update(None, "query_only", true)?;
        // Before anyone can remember anything, so that no later commit goes unseen.
        let seen = data_version(&writer)?;
        let attending = Arc::new(OnceLock::new());
        let told = attending.clone();
        Ok(Sqlite {
            path: path.canonicalize().map_err(unusable)?,
            lock: OnceLock::new(),
            attending,
            writes: Desk::staff("store-writer", move |writes| write_in_turn(writer, seen, &writes, &told))?,
            reads: Desk::staff("store-reader", move |reads: Receiver<Read>| {
                for read in reads {
                    read(&reader);
                }
            })?,
        })
    }

    /// Proof that no other server has this file, whatever its `data` folder: two would each lease the same calls.
    fn only_server(&self) -> Result<ServerLock, StoreError> {
        let mut lock = self.path.clone().into_os_string();
        lock.push(".lock");
        ServerLock::on(Path::new(&lock)).map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::Unsuited(format!(
                "another server is on {}: stop that one, give this one its own store, or let both share a Redis",
                self.path.display()
            )),
            TryLockError::Error(source) => {
                StoreError::File { path: self.path.display().to_string(), source: Arc::new(source) }
            }
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

    /// Writes what moves nobody's keys or plan.
    fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Asked<'static, T> {
        self.write_moving(move |connection| Ok((write(connection)?, None)))
    }

    /// Writes, and has the listener told of the account whose keys or plan were moved before it answers.
    fn write_moving<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<(T, Option<AccountId>)> + Send + 'static,
    ) -> Asked<'static, T> {
        let (answer, answered) = oneshot::channel::<Result<T, StoreError>>();
        let sent = self.writes.hand_in(Box::new(move |transaction: Option<&mut Transaction<'_>>| {
            let outcome = match transaction {
                Some(transaction) => within_savepoint(transaction, write).map_err(StoreError::from),
                None => Err(StoreError::Shut),
            };
            let (outcome, moved) = match outcome {
                Ok((outcome, moved)) => (Ok(outcome), moved),
                Err(error) => (Err(error), None),
            };
            let answer: Answer = Box::new(move |committed| {
                let _ = answer.send(committed.and(outcome));
            });
            Written { moved, answer }
        }));
        Box::pin(async move {
            sent?;
            answered.await.unwrap_or(Err(StoreError::Shut))
        })
    }
}

impl Store for Sqlite {
    fn issue(&self, issue: Issue) -> Asked<'_, Account> {
        self.write_moving(move |connection| {
            let Issue { opening, key } = issue;
            connection.execute(
                "INSERT INTO accounts (id, email, plan, created_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (email) DO UPDATE SET plan = excluded.plan",
                params![opening.id.as_str(), opening.email.as_str(), opening.plan, opening.created_at],
            )?;
            let account =
                account_of(connection, &opening.email)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            if !is_key_of(connection, key.hash, &account.id)? {
                insert_key(connection, &account.id, &key)?;
            }
            Ok((account.clone(), Some(account.id)))
        })
    }

    fn account(&self, email: &Email) -> Asked<'_, Option<Account>> {
        let email = email.clone();
        self.read(move |connection| account_of(connection, &email))
    }

    fn profile(&self, account: &AccountId) -> Asked<'_, Profile> {
        let account = account.clone();
        self.read(move |connection| {
            let profile = connection
                .prepare_cached("SELECT name, company, use_case FROM accounts WHERE id = ?1")?
                .query_row([account.as_str()], |row| {
                    Ok(Profile { name: row.get(0)?, company: row.get(1)?, use_case: row.get(2)? })
                })
                .optional()?;
            Ok(profile.unwrap_or_default())
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
        self.write_moving(move |connection| {
            let revoked = connection
                .prepare_cached(
                    "UPDATE keys SET revoked_at = ?2
                     WHERE hash = ?1 AND (revoked_at IS NULL OR revoked_at = ?2) RETURNING account",
                )?
                .query_row(params![key, at], |row| row.get(0).map(AccountId::kept))
                .optional()?;
            Ok((revoked.is_some(), revoked))
        })
    }

    fn replace(&self, replacement: Replacement) -> Asked<'_, bool> {
        self.write_moving(move |connection| {
            let Replacement { account, old, new, letter } = replacement;
            if is_key_of(connection, new.hash, &account)? {
                return Ok((true, Some(account)));
            }
            let replaced = match old {
                Some(old) => {
                    let sql = "UPDATE keys SET revoked_at = ?3 WHERE hash = ?1 AND account = ?2 AND revoked_at IS NULL";
                    connection.execute(sql, params![old, account.as_str(), new.created_at])? > 0
                }
                None => {
                    revoke_all(connection, &account, new.created_at)?;
                    let sql = "SELECT 1 FROM accounts WHERE id = ?1";
                    connection.prepare_cached(sql)?.exists([account.as_str()])?
                }
            };
            if !replaced {
                return Ok((false, None));
            }
            insert_key(connection, &account, &new)?;
            if let Some((letter, due_at)) = letter {
                queue(connection, &letter, &account, MailKind::Rotated, new.created_at, due_at)?;
            }
            Ok((true, Some(account)))
        })
    }

    fn welcome(&self, letter: &MailId, key: KeyRecord) -> Asked<'_, bool> {
        let letter = letter.clone();
        self.write_moving(move |connection| {
            let found: Option<(String, Option<KeyHash>)> = connection
                .prepare_cached("SELECT account, key FROM letters WHERE id = ?1")?
                .query_row([letter.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((account, made)) = found else { return Ok((false, None)) };
            let account = AccountId::kept(account);
            if is_key_of(connection, key.hash, &account)? {
                return Ok((true, Some(account)));
            }
            let other = connection
                .prepare_cached(
                    "SELECT 1 FROM keys WHERE account = ?1 AND revoked_at IS NULL AND hash IS NOT ?2",
                )?
                .exists(params![account.as_str(), made])?;
            if other {
                return Ok((false, None));
            }
            revoke_all(connection, &account, key.created_at)?;
            insert_key(connection, &account, &key)?;
            connection
                .prepare_cached("UPDATE letters SET key = ?2 WHERE id = ?1")?
                .execute(params![letter.as_str(), key.hash])?;
            Ok((true, Some(account)))
        })
    }

    fn set_plan(&self, account: &AccountId, plan: Plan) -> Asked<'_, bool> {
        let account = account.clone();
        self.write_moving(move |connection| {
            let sql = "UPDATE accounts SET plan = ?2 WHERE id = ?1";
            let found = connection.execute(sql, params![account.as_str(), plan])? > 0;
            Ok((found, found.then_some(account)))
        })
    }

    fn tally(&self, tallies: Vec<Tally>, now: UnixMillis) -> Asked<'_, Option<usize>> {
        self.write(move |connection| {
            connection.prepare_cached("DELETE FROM tallies WHERE ends_at <= ?1")?.execute([now])?;
            let mut counted = connection.prepare_cached("SELECT counted FROM tallies WHERE name = ?1")?;
            for (place, tally) in tallies.iter().enumerate() {
                let counted: Option<u32> = counted.query_row([&tally.name], |row| row.get(0)).optional()?;
                if counted.unwrap_or(0) >= tally.most {
                    return Ok(Some(place));
                }
            }
            let mut count = connection.prepare_cached(
                "INSERT INTO tallies (name, counted, ends_at) VALUES (?1, 1, ?2)
                 ON CONFLICT (name) DO UPDATE SET counted = counted + 1",
            )?;
            for Tally { name, ends_at, .. } in &tallies {
                count.execute(params![name, ends_at])?;
            }
            Ok(None)
        })
    }

    fn invite(&self, invitation: Invitation) -> Asked<'_, ()> {
        self.write(move |connection| {
            let Invitation { email, opening, letter, at } = invitation;
            if let Some((Account { id, email, plan, created_at }, Profile { name, company, use_case })) =
                opening
            {
                connection
                    .prepare_cached(
                        "INSERT INTO accounts (id, email, plan, created_at, name, company, use_case)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (email) DO NOTHING",
                    )?
                    .execute(params![
                        id.as_str(),
                        email.as_str(),
                        plan,
                        created_at,
                        name,
                        company,
                        use_case
                    ])?;
            }
            let Some(account) = account_of(connection, &email)? else { return as_dear(connection, at) };
            let has_live_key = connection
                .prepare_cached("SELECT 1 FROM keys WHERE account = ?1 AND revoked_at IS NULL")?
                .exists([account.id.as_str()])?;
            let kind = if has_live_key { MailKind::Recovery } else { MailKind::Welcome };
            queue(connection, &letter, &account.id, kind, at, at)
        })
    }

    fn collect(&self, now: UnixMillis, again: UnixMillis, most: usize) -> Asked<'_, Vec<Mail>> {
        self.write(move |connection| {
            let due: Vec<Mail> = connection
                .prepare_cached(
                    "SELECT l.id, l.account, a.email, l.kind, l.queued_at, l.attempts + 1
                     FROM letters l JOIN accounts a ON a.id = l.account
                     WHERE l.due_at <= ?1 ORDER BY l.due_at, l.id LIMIT ?2",
                )?
                .query_map(params![now, i64::try_from(most).unwrap_or(i64::MAX)], letter)?
                .collect::<rusqlite::Result<_>>()?;
            let sql = "UPDATE letters SET due_at = ?2, attempts = attempts + 1 WHERE id = ?1";
            let mut take = connection.prepare_cached(sql)?;
            for letter in &due {
                take.execute(params![letter.id.as_str(), again])?;
            }
            Ok(due)
        })
    }

    fn put_off(&self, letter: &MailId, until: UnixMillis) -> Asked<'_, ()> {
        let letter = letter.clone();
        self.write(move |connection| {
            let sql = "UPDATE letters SET due_at = ?2 WHERE id = ?1";
            connection.prepare_cached(sql)?.execute(params![letter.as_str(), until]).map(drop)
        })
    }

    fn discard(&self, letter: &MailId) -> Asked<'_, ()> {
        let letter = letter.clone();
        self.write(move |connection| {
            let sql = "DELETE FROM letters WHERE id = ?1";
            connection.prepare_cached(sql)?.execute([letter.as_str()]).map(drop)
        })
    }

    fn keep_code(&self, account: &AccountId, code: CodeRecord) -> Asked<'_, ()> {
        let account = account.clone();
        self.write(move |connection| {
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO codes (account, hash, expires_at, tries) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![account.as_str(), code.hash, code.expires_at, code.tries])
                .map(drop)
        })
    }

    fn redeem(&self, redemption: Redemption) -> Asked<'_, Option<Account>> {
        self.write_moving(move |connection| {
            let Redemption { email, code, new, letter } = redemption;
            let Some(account) = account_of(connection, &email)? else {
                as_dear(connection, new.created_at)?;
                return Ok((None, None));
            };
            if is_key_of(connection, new.hash, &account.id)? {
                return Ok((Some(account.clone()), Some(account.id)));
            }
            let right = connection
                .prepare_cached(
                    "DELETE FROM codes WHERE account = ?1 AND hash = ?2 AND expires_at > ?3 AND tries > 0",
                )?
                .execute(params![account.id.as_str(), code, new.created_at])?
                > 0;
            if !right {
                connection
                    .prepare_cached("UPDATE codes SET tries = max(tries - 1, 0) WHERE account = ?1")?
                    .execute([account.id.as_str()])?;
                return Ok((None, None));
            }
            revoke_all(connection, &account.id, new.created_at)?;
            insert_key(connection, &account.id, &new)?;
            if let Some((letter, due_at)) = letter {
                queue(connection, &letter, &account.id, MailKind::Rotated, new.created_at, due_at)?;
            }
            Ok((Some(account.clone()), Some(account.id)))
        })
    }

    fn books(&self, account: &AccountId) -> Asked<'_, SubscriptionRecord> {
        let account = account.clone();
        self.read(move |connection| {
            let books = connection
                .prepare_cached("SELECT version, text FROM books WHERE account = ?1")?
                .query_row([account.as_str()], |row| {
                    Ok(SubscriptionRecord { version: row.get(0)?, text: row.get(1)? })
                })
                .optional()?;
            Ok(books.unwrap_or_default())
        })
    }

    fn enter(&self, entry: Entry) -> Asked<'_, bool> {
        self.write_moving(move |connection| {
            let Entry { account, version, text, plan, references, letters, due_at, settles, at } = entry;
            let written = connection
                .prepare_cached(
                    "INSERT INTO books (account, version, text, due_at)
                     SELECT id, 1, ?3, ?4 FROM accounts WHERE id = ?1
                       AND (?2 = 0 OR EXISTS (SELECT 1 FROM books WHERE account = ?1))
                     ON CONFLICT (account) DO UPDATE
                       SET version = version + 1, text = excluded.text, due_at = excluded.due_at
                       WHERE version = ?2",
                )?
                .execute(params![account.as_str(), version, text, due_at])?
                > 0;
            if !written {
                return Ok((false, None));
            }
            let mut refer = connection
                .prepare_cached("INSERT OR IGNORE INTO payers (reference, account) VALUES (?1, ?2)")?;
            for reference in &references {
                refer.execute(params![reference, account.as_str()])?;
            }
            for (letter, kind) in &letters {
                queue(connection, letter, &account, *kind, at, at)?;
            }
            if let Some(notice) = settles {
                put_away(connection, &notice, at)?;
            }
            let Some(plan) = plan else { return Ok((true, None)) };
            let sql = "UPDATE accounts SET plan = ?2 WHERE id = ?1";
            connection.prepare_cached(sql)?.execute(params![account.as_str(), plan])?;
            Ok((true, Some(account)))
        })
    }

    fn payer(&self, reference: &str) -> Asked<'_, Option<AccountId>> {
        let reference = reference.to_owned();
        self.read(move |connection| {
            connection
                .prepare_cached("SELECT account FROM payers WHERE reference = ?1")?
                .query_row([reference], |row| row.get(0).map(AccountId::kept))
                .optional()
        })
    }

    fn due_books(&self, now: UnixMillis, again: UnixMillis, most: usize) -> Asked<'_, Vec<AccountId>> {
        self.write(move |connection| {
            let due: Vec<AccountId> = connection
                .prepare_cached(
                    "SELECT account FROM books WHERE due_at <= ?1 ORDER BY due_at, account LIMIT ?2",
                )?
                .query_map(params![now, i64::try_from(most).unwrap_or(i64::MAX)], |row| {
                    row.get(0).map(AccountId::kept)
                })?
                .collect::<rusqlite::Result<_>>()?;
            let mut take = connection.prepare_cached("UPDATE books SET due_at = ?2 WHERE account = ?1")?;
            for account in &due {
                take.execute(params![account.as_str(), again])?;
            }
            Ok(due)
        })
    }

    fn receive(&self, notice: WebhookEvent) -> Asked<'_, bool> {
        self.write(move |connection| {
            let WebhookEvent { id, text, at, attempts } = notice;
            let forgotten = at.0.saturating_sub(i64::try_from(NOTICE_KNOWN.as_millis()).unwrap_or(i64::MAX));
            connection.prepare_cached("DELETE FROM notices WHERE settled_at <= ?1")?.execute([forgotten])?;
            let kept = connection
                .prepare_cached(
                    "INSERT INTO notices (id, text, at, due_at, attempts) VALUES (?1, ?2, ?3, ?3, ?4)
                     ON CONFLICT (id) DO NOTHING",
                )?
                .execute(params![id, text, at, attempts])?;
            Ok(kept > 0)
        })
    }

    fn notices(&self, now: UnixMillis, again: UnixMillis, most: usize) -> Asked<'_, Vec<WebhookEvent>> {
        self.write(move |connection| {
            let due: Vec<WebhookEvent> = connection
                .prepare_cached(
                    "SELECT id, text, at, attempts + 1 FROM notices
                     WHERE due_at <= ?1 ORDER BY due_at, at, id LIMIT ?2",
                )?
                .query_map(params![now, i64::try_from(most).unwrap_or(i64::MAX)], |row| {
                    Ok(WebhookEvent {
                        id: row.get(0)?,
                        text: row.get(1)?,
                        at: row.get(2)?,
                        attempts: row.get(3)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            let sql = "UPDATE notices SET due_at = ?2, attempts = attempts + 1 WHERE id = ?1";
            let mut take = connection.prepare_cached(sql)?;
            for notice in &due {
                take.execute(params![notice.id, again])?;
            }
            Ok(due)
        })
    }

    fn settle(&self, notice: &str, at: UnixMillis) -> Asked<'_, ()> {
        let notice = notice.to_owned();
        self.write(move |connection| put_away(connection, &notice, at))
    }

    fn lease(&self, claim: Claim) -> Asked<'_, Grant> {
        self.write(move |connection| {
            let (account, period, holder) =
                (claim.account.as_str(), claim.period.to_string(), claim.holder.as_str());
            let own = connection
                .prepare_cached(
                    "SELECT number, granted FROM leases WHERE account = ?1 AND period = ?2 AND holder = ?3",
                )?
                .query_row(params![account, period, holder], |row| {
                    Ok(Lease { number: row.get(0)?, granted: row.get(1)? })
                })
                .optional()?;
            if own.is_none() {
                // a lease in a period of its own is rare enough to clear away old ones with it
                connection.prepare_cached("DELETE FROM leases WHERE forget_at <= ?1")?.execute([claim.now])?;
            }
            let own = own.unwrap_or_default();
            let (others_used, others_granted) = connection
                .prepare_cached(
                    "SELECT coalesce(sum(used), 0), coalesce(sum(granted), 0) FROM leases
                     WHERE account = ?1 AND period = ?2 AND holder <> ?3",
                )?
                .query_row(params![account, period, holder], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let Some(granted) = settle(&claim, own, others_granted) else {
                return Ok(Grant { granted: own.granted, others_used, others_granted });
            };
            let by_action = serde_json::to_string(&claim.by_action)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO leases (account, period, holder, number, granted, used, by_action, forget_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?
                .execute(params![
                    account,
                    period,
                    holder,
                    claim.number,
                    granted,
                    claim.used,
                    by_action,
                    forget_at(claim.period)
                ])?;
            Ok(Grant { granted, others_used, others_granted })
        })
    }

    fn statements(&self, account: &AccountId, period: Period) -> Asked<'_, Vec<Statement>> {
        let account = account.clone();
        self.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT holder, granted, used, by_action FROM leases
                     WHERE account = ?1 AND period = ?2 ORDER BY holder",
                )?
                .query_map(params![account.as_str(), period.to_string()], statement)?
                .collect()
        })
    }

    /// There is no other server on the file.
    fn recall(&self, _: &AccountId) -> Asked<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// The server that attends is the only one, so the leases on record are those of servers that ended: what they
    /// had not given back is lost, for they may have spent it.
    fn attend(&self, listener: Listener) -> Asked<'_, ()> {
        Box::pin(async move {
            let lock = self.only_server()?;
            let _ = self.lock.set(lock);
            let _ = self.attending.set(Attending { listener, runtime: Handle::current() });
            self.write(|connection| {
                connection.execute("UPDATE leases SET used = granted WHERE used < granted", []).map(drop)
            })
            .await
        })
    }

    /// A file does not fall silent.
    fn is_trusted(&self, _: Instant) -> bool {
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
    attending: &OnceLock<Attending>,
) {
    let mut look_at = Instant::now() + LOOK_EVERY;
    loop {
        match writes.recv_timeout(look_at.saturating_duration_since(Instant::now())) {
            Ok(first) => commit_together(&mut connection, first, writes, attending),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if Instant::now() < look_at {
            continue;
        }
        look_at = Instant::now() + LOOK_EVERY;
        match data_version(&connection) {
            Ok(version) if version == seen => continue,
            Ok(version) => seen = version,
            // What is remembered can no longer be vouched for.
            Err(error) => tracing::error!(%error, "the store cannot be watched for changes"),
        }
        if let Some(attending) = attending.get() {
            attending.tell(Change::Everything, || {});
        }
    }
}

/// A number that changes when another connection commits, and never for what this one does.
fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}

/// Commits `first` and whatever else is waiting, then answers; those that moved keys or a plan when the listener
/// has taken notice.
fn commit_together(
    connection: &mut Connection,
    first: Write,
    writes: &Receiver<Write>,
    attending: &OnceLock<Attending>,
) {
    let mut transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => transaction,
        Err(error) => return (first(None).answer)(Err(error.into())),
    };
    let mut all = vec![first(Some(&mut transaction))];
    while all.len() < MOST_TOGETHER
        && let Ok(write) = writes.try_recv()
    {
        all.push(write(Some(&mut transaction)));
    }
    let committed = transaction.commit().map_err(|error| Arc::new(error) as Arc<_>);
    for Written { moved, answer } in all {
        let committed = committed.clone().map_err(StoreError::Failed);
        match (moved, attending.get()) {
            (Some(account), Some(attending)) => {
                attending.tell(Change::Account(account), || answer(committed));
            }
            _ => answer(committed),
        }
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

fn account_of(connection: &Connection, email: &Email) -> rusqlite::Result<Option<Account>> {
    connection
        .prepare_cached("SELECT id, email, plan, created_at FROM accounts WHERE email = ?1")?
        .query_row([email.as_str()], account)
        .optional()
}

/// Whether a key was put on record for the account before: then what would do it is asked for again.
fn is_key_of(connection: &Connection, key: KeyHash, account: &AccountId) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM keys WHERE hash = ?1 AND account = ?2")?
        .exists(params![key, account.as_str()])
}

fn insert_key(connection: &Connection, account: &AccountId, key: &KeyRecord) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO keys (hash, account, first4, last4, created_at, revoked_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![key.hash, account.as_str(), key.first4, key.last4, key.created_at, key.revoked_at])
        .map(drop)
}

fn revoke_all(connection: &Connection, account: &AccountId, at: UnixMillis) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE keys SET revoked_at = ?2 WHERE account = ?1 AND revoked_at IS NULL")?
        .execute(params![account.as_str(), at])
        .map(drop)
}

/// Queues a letter, unless it is in the queue already.
fn queue(
    connection: &Connection,
    letter: &MailId,
    account: &AccountId,
    kind: MailKind,
    queued_at: UnixMillis,
    due_at: UnixMillis,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO letters (id, account, kind, queued_at, due_at, attempts) VALUES (?1, ?2, ?3, ?4, ?5, 0)
             ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![letter.as_str(), account.as_str(), kind.as_str(), queued_at, due_at])
        .map(drop)
}

/// Writes something that nobody reads, where an address is not known: a transaction that writes nothing is over before
/// the disk has to sync, and whoever asked could tell.
fn as_dear(connection: &Connection, now: UnixMillis) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO tallies (name, counted, ends_at) VALUES ('nobody', 1, ?1)")?
        .execute([now])
        .map(drop)
}

/// Settles a notice: its name stays, what it said does not.
fn put_away(connection: &Connection, notice: &str, at: UnixMillis) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE notices SET due_at = NULL, settled_at = ?2, text = '' WHERE id = ?1")?
        .execute(params![notice, at])
        .map(drop)
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

/// Reads `id, account, email, kind, queued_at, attempts`.
fn letter(row: &Row<'_>) -> rusqlite::Result<Mail> {
    Ok(Mail {
        id: MailId::kept(row.get(0)?),
        account: AccountId::kept(row.get(1)?),
        to: row.get(2)?,
        kind: row.get(3)?,
        queued_at: row.get(4)?,
        attempts: row.get(5)?,
    })
}

/// Reads `holder, granted, used, by_action`.
fn statement(row: &Row<'_>) -> rusqlite::Result<Statement> {
    Ok(Statement {
        holder: HolderId::kept(row.get(0)?),
        granted: row.get(1)?,
        used: row.get(2)?,
        by_action: serde_json::from_str(row.get_ref(3)?.as_str()?).map_err(FromSqlError::other)?,
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

impl FromSql for MailKind {
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

impl ToSql for CodeHash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_slice().into())
    }
}
