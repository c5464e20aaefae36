//! The journal of what must not come back to life: keys that were revoked, accounts that were blocked or erased.
//!
//! It is a file beside the data folder's other files, apart from the store, so that it outlives a store that is lost:
//! `candango restore` applies it to an older backup. Each line is one [`Ended`] as JSON.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use data_encoding::HEXLOWER;
use parking_lot::Mutex;
use prometheus_client::metrics::gauge::Gauge;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::sync::{Notify, RwLock};
use tokio::task::JoinHandle;

use super::StoreResult;
use super::error::StoreError;
use super::lock::create_private_folder;
use super::owner::give_to_owner_of_folder;
use super::rows::{Row, Table};
use crate::domain::account::{AccountId, ReaderId, TokenId};
use crate::domain::api_key::KeyHash;
use crate::domain::clock::UnixMillis;
use crate::outage::Outage;

/// The name of the file in the data folder.
const FILE: &str = "ended.jsonl";

/// Before all entries with a moment, and not the default, which means that there is none.
const BEGINNING: UnixMillis = UnixMillis(1);

/// Something that has ended. It holds ids and hashes, never an address. A moment that an older program did not write is
/// that of the line before it: see [`Journal::read_file`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ended {
    /// A key was revoked.
    Key {
        /// Its hash, in hexadecimal.
        hash: String,
        /// When.
        at: UnixMillis,
    },
    /// All keys that an account had at a moment were revoked.
    Keys {
        /// Whose.
        account: AccountId,
        /// When: keys made at that moment or later stay.
        at: UnixMillis,
    },
    /// A token was revoked.
    Token {
        /// Its id.
        id: TokenId,
        /// When.
        #[serde(default)]
        at: UnixMillis,
    },
    /// The webhook that an account had was removed, or replaced by another one.
    Hook {
        /// Whose.
        account: AccountId,
        /// When: one that was set at that moment or later stays.
        at: UnixMillis,
    },
    /// An account was blocked.
    Blocked {
        /// Which.
        account: AccountId,
        /// When.
        at: UnixMillis,
        /// Why.
        reason: String,
    },
    /// The block of an account was ended.
    Unblocked {
        /// Which.
        account: AccountId,
        /// When.
        #[serde(default)]
        at: UnixMillis,
    },
    /// An account got another address.
    Moved {
        /// Which.
        account: AccountId,
        /// When.
        at: UnixMillis,
    },
    /// An account was erased.
    Erased {
        /// Which.
        account: AccountId,
        /// When.
        #[serde(default)]
        at: UnixMillis,
    },
    /// A reader does not want the weekly letter any more.
    Stopped {
        /// Who.
        reader: ReaderId,
        /// When.
        #[serde(default)]
        at: UnixMillis,
    },
}

impl Ended {
    /// A key was revoked at a moment.
    pub fn key(hash: KeyHash, at: UnixMillis) -> Ended {
        Ended::Key { hash: HEXLOWER.encode(&hash.0), at }
    }

    fn at(&self) -> UnixMillis {
        match self {
            Ended::Key { at, .. }
            | Ended::Keys { at, .. }
            | Ended::Token { at, .. }
            | Ended::Hook { at, .. }
            | Ended::Blocked { at, .. }
            | Ended::Unblocked { at, .. }
            | Ended::Moved { at, .. }
            | Ended::Erased { at, .. }
            | Ended::Stopped { at, .. } => *at,
        }
    }

    /// Sets the moment of an entry that has none.
    fn complete(&mut self, moment: UnixMillis) {
        if let Ended::Token { at, .. }
        | Ended::Unblocked { at, .. }
        | Ended::Erased { at, .. }
        | Ended::Stopped { at, .. } = self
            && *at == UnixMillis::default()
        {
            *at = moment;
        }
    }
}

/// How long an entry that could not be written waits for the next try.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// The journal of a data folder. Clones write to the same file.
#[derive(Debug, Clone)]
pub struct Journal {
    path: PathBuf,
    unwritten: Arc<Unwritten>,
}

/// What was noted and is not written yet.
#[derive(Debug)]
struct Unwritten {
    /// Oldest first.
    entries: Mutex<VecDeque<Ended>>,
    /// Held while they are written, so that they stay in order.
    writing: Mutex<()>,
    /// How many they are, after a try that failed.
    count: Gauge,
    failed: Notify,
    outage: Outage,
}

impl Journal {
    /// The journal of a data folder.
    pub fn of(data: &Path) -> Journal {
        Journal::counted(data, Gauge::default())
    }

    /// The same, which counts the entries that could not be written and are tried again.
    pub fn counted(data: &Path, count: Gauge) -> Journal {
        let unwritten = Unwritten {
            entries: Mutex::default(),
            writing: Mutex::default(),
            count,
            failed: Notify::new(),
            outage: Outage::new(
                "the journal of what has ended cannot be written: a restored backup would make replaced keys valid again",
            ),
        };
        Journal { path: data.join(FILE), unwritten: Arc::new(unwritten) }
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Fails when there is a journal to which nothing can be appended. An error names the file.
    pub fn check(&self) -> io::Result<()> {
        if !self.exists() {
            return Ok(());
        }
        self.open().map(drop).map_err(|error| self.named(&error))
    }

    /// Appends an entry; it is on the disk when this returns. An error names the file.
    pub fn append(&self, ended: &Ended) -> io::Result<()> {
        self.try_append(ended).map_err(|error| self.named(&error))
    }

    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
    }

    fn open(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            create_private_folder(folder)?;
        }
        File::options().create(true).append(true).read(true).mode(0o600).open(&self.path)
    }

    fn try_append(&self, ended: &Ended) -> io::Result<()> {
        let mut line = serde_json::to_vec(ended)?;
        line.push(b'\n');
        let is_new = !self.path.exists();
        let mut file = self.open()?;
        give_to_owner_of_folder(&self.path);
        // a line that a full disk or a crash cut off must not swallow this one
        let is_cut = match file.seek(SeekFrom::End(-1)) {
            Ok(_) => {
                let mut last = [0];
                file.read_exact(&mut last)?;
                last != *b"\n"
            }
            Err(_) => false,
        };
        if is_cut {
            line.insert(0, b'\n');
        }
        file.write_all(&line)?;
        file.sync_data()?;
        match self.path.parent().filter(|_| is_new) {
            // the entry of a new file is on the disk when its folder is
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    }

    /// Appends an entry. What ends must end all the same when that fails, as only a restored backup would know it
    /// again: [`Journal::write_again`] tries until it is written.
    pub async fn note(&self, ended: Ended) {
        self.unwritten.entries.lock().push_back(ended);
        if !self.write_noted().await {
            self.unwritten.failed.notify_one();
        }
    }

    /// Whether all that was noted is written. A command asks, which ends before another try; a server tries again.
    pub fn is_complete(&self) -> bool {
        self.unwritten.entries.lock().is_empty()
    }

    /// Writes what could not be written, again and again while the process lives.
    pub async fn write_again(self) {
        loop {
            self.unwritten.failed.notified().await;
            while !self.write_noted().await {
                tokio::time::sleep(TRY_AGAIN).await;
            }
        }
    }

    /// Writes what was noted; whether all of it is written.
    async fn write_noted(&self) -> bool {
        let journal = self.clone();
        let written = tokio::task::spawn_blocking(move || {
            let Unwritten { entries, writing, count, .. } = &*journal.unwritten;
            let _writing = writing.lock();
            let written = loop {
                let Some(first) = entries.lock().front().cloned() else { break Ok(()) };
                if let Err(error) = journal.append(&first) {
                    break Err(error);
                }
                entries.lock().pop_front();
            };
            count.set(i64::try_from(entries.lock().len()).unwrap_or(i64::MAX));
            written
        });
        let written = written.await.map_err(io::Error::other).flatten();
        self.unwritten.outage.record(&written);
        written.is_ok()
    }

    /// The entries, oldest first; none when there is no file.
    pub fn read(&self) -> io::Result<Entries> {
        Journal::read_file(&self.path)
    }

    /// The entries of a journal at any place: see [`Journal::read`]. An entry without a moment gets that of the one
    /// before it, so that it stays behind what it ends when journals of several servers are put together.
    pub fn read_file(path: &Path) -> io::Result<Entries> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut entries = Entries::default();
        let mut last = BEGINNING;
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let Ok(mut entry) = serde_json::from_slice::<Ended>(line) else {
                entries.unreadable += 1;
                continue;
            };
            entry.complete(last);
            last = entry.at();
            entries.ended.push(entry);
        }
        Ok(entries)
    }
}

/// Runs changes of the store and appends what they have ended to the journal. Each is one task, because its request may
/// be dropped between the two: by its client, who hangs up, by its time-out, or by a stop of the service while the
/// change waits for other servers. So the runtime outlives those of the listeners. Clones share the tasks.
#[derive(Debug, Clone)]
pub struct NotedChanges {
    journal: Journal,
    runtime: Handle,
    /// Each task holds it for reading.
    running: Arc<RwLock<()>>,
}

impl NotedChanges {
    /// Changes that are noted in a journal, as tasks of a runtime.
    pub fn new(journal: Journal, runtime: Handle) -> NotedChanges {
        NotedChanges { journal, runtime, running: Arc::default() }
    }

    /// Begins a task that goes on when its request is dropped, and that a stop of the service waits for. It notes
    /// by itself what it ends.
    pub async fn begin<T, F>(&self, work: F) -> JoinHandle<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let running = self.running.clone().read_owned().await;
        self.runtime.spawn(async move {
            let done = work.await;
            drop(running);
            done
        })
    }

    /// Runs a change, and appends what it has ended.
    pub async fn run<T, F>(&self, change: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: Future<Output = (StoreResult<T>, Option<Ended>)> + Send + 'static,
    {
        let journal = self.journal.clone();
        let task = self.begin(async move {
            let (changed, ended) = change.await;
            if let Some(ended) = ended {
                journal.note(ended).await;
            }
            changed
        });
        task.await.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a change of the store did not end in order, and the journal may lack it");
            Err(StoreError::Panicked)
        })
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Waits until all changes and tasks that were begun have ended.
    pub async fn all_noted(&self) {
        drop(self.running.write().await);
        // the last try
        self.journal.write_noted().await;
    }
}

/// What a journal says.
#[derive(Debug, Default)]
pub struct Entries {
    /// Its entries, oldest first.
    pub ended: Vec<Ended>,
    /// How many lines cannot be read, as a crash or a full disk cut them off.
    pub unreadable: usize,
}

/// Puts entries of several journals in the order in which they happened; those of one moment keep theirs.
pub fn sort(ended: &mut [Ended]) {
    ended.sort_by_key(Ended::at);
}

/// How long before a backup an erasure must have been noted for the backup to show that it failed.
const SETTLED: Duration = Duration::from_hours(1);

/// Takes out the erasures that failed: they are noted before the store is asked, and the account is in rows that were
/// read long after. Returns the accounts, so that somebody can repeat the erasures.
pub fn take_failed_erasures(ended: &mut Vec<Ended>, rows: &[Row], read_at: UnixMillis) -> Vec<AccountId> {
    let is_there = |account: &AccountId| {
        rows.iter().any(|row| row.0 == Table::Accounts && row.account() == Some(account.as_str()))
    };
    let mut failed = Vec::new();
    ended.retain(|entry| match entry {
        Ended::Erased { account, at } if at.after(SETTLED) < read_at && is_there(account) => {
            failed.push(account.clone());
            false
        }
        _ => true,
    });
    failed.sort_unstable();
    failed.dedup();
    // another attempt did not fail
    failed.retain(|id| {
        !ended.iter().any(|entry| matches!(entry, Ended::Erased { account, .. } if account == id))
    });
    failed
}

/// Applies what has ended, oldest first, to rows of an older time; returns how many rows that changed or removed.
pub fn apply(rows: &mut Vec<Row>, ended: &[Ended]) -> usize {
    let mut changed = 0;
    for entry in ended {
        match entry {
            Ended::Key { hash, at } => {
                changed += revoke(rows, *at, |row| row.value("hash") == Some(hash));
            }
            Ended::Keys { account, at } => {
                changed += revoke(rows, *at, |row| is_older(row, account, *at));
                // a code that was used ended with them
                changed += drop_codes(rows, account);
            }
            Ended::Token { id, .. } => {
                let before = rows.len();
                rows.retain(|row| row.0 != Table::Tokens || row.value("id") != Some(id.as_str()));
                changed += before - rows.len();
            }
            Ended::Hook { account, at } => {
                let before = rows.len();
                let is_ended = |row: &Row| row.0 == Table::Hooks && is_older(row, account, *at);
                if rows.iter().any(is_ended) {
                    // with what waits for it
                    let is_of_hook = |row: &Row| matches!(row.0, Table::Hooks | Table::Deliveries);
                    rows.retain(|row| !is_of_hook(row) || row.account() != Some(account.as_str()));
                }
                changed += before - rows.len();
            }
            Ended::Blocked { account, at, reason } => {
                changed += set_block(rows, account, Some((*at, reason)));
            }
            Ended::Unblocked { account, .. } => changed += set_block(rows, account, None),
            // an address is in no journal: the operator gives it again
            Ended::Moved { account, .. } => changed += drop_codes(rows, account),
            Ended::Erased { account, .. } => {
                let before = rows.len();
                rows.retain(|row| !row.0.belongs_to_account() || row.account() != Some(account.as_str()));
                changed += before - rows.len();
            }
            Ended::Stopped { reader, .. } => {
                let before = rows.len();
                rows.retain(|row| row.0 != Table::Readers || row.value("id") != Some(reader.as_str()));
                changed += before - rows.len();
            }
        }
    }
    changed
}

/// Whether what a row holds is of an account, and was made before a moment.
fn is_older(row: &Row, account: &AccountId, at: UnixMillis) -> bool {
    let created_at = row.value("created_at").and_then(|text| text.parse::<i64>().ok());
    row.value("account") == Some(account.as_str()) && created_at.is_none_or(|made| made < at.0)
}

fn revoke(rows: &mut [Row], at: UnixMillis, which: impl Fn(&Row) -> bool) -> usize {
    let is_live = |row: &&mut Row| row.0 == Table::Keys && row.value("revoked_at").is_none() && which(row);
    let mut count = 0;
    for row in rows.iter_mut().filter(is_live) {
        row.set("revoked_at", Some(at.0.to_string()));
        count += 1;
    }
    count
}

fn set_block(rows: &mut Vec<Row>, account: &AccountId, block: Option<(UnixMillis, &String)>) -> usize {
    let its = |row: &&mut Row| row.0 == Table::Accounts && row.value("id") == Some(account.as_str());
    let mut count = 0;
    for row in rows.iter_mut().filter(its) {
        row.set("blocked_at", block.map(|(at, _)| at.0.to_string()));
        row.set("blocked_reason", block.map(|(_, reason)| reason.clone()));
        count += 1;
    }
    if count > 0 && block.is_some() {
        drop_codes(rows, account);
    }
    count
}

fn drop_codes(rows: &mut Vec<Row>, account: &AccountId) -> usize {
    let before = rows.len();
    rows.retain(|row| row.0 != Table::Codes || row.account() != Some(account.as_str()));
    before - rows.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_swallows_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::of(folder.path());
        let key = |hash: &str| Ended::Key { hash: hash.to_owned(), at: UnixMillis(1) };
        journal.append(&key("aa")).expect("written");
        let mut file = File::options().append(true).open(folder.path().join(FILE)).expect("the journal");
        file.write_all(b"{\"key\":{\"hash\":\"b\xc3").expect("a cut line");
        journal.append(&key("cc")).expect("written");
        journal.append(&key("dd")).expect("written");
        let read = journal.read().expect("read");
        assert_eq!((read.ended, read.unreadable), (vec![key("aa"), key("cc"), key("dd")], 1));
    }

    #[test]
    fn an_entry_without_a_moment_stays_behind_the_one_before_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        let lines = [
            r#"{"unblocked":{"account":"a"}}"#,
            r#"{"blocked":{"account":"a","at":5,"reason":"x"}}"#,
            r#"{"unblocked":{"account":"a"}}"#,
            r#"{"unblocked":{"account":"a","at":9}}"#,
        ];
        std::fs::write(&path, lines.join("\n")).expect("a journal");
        let mut ended = Journal::read_file(&path).expect("read").ended;
        let account = || AccountId::from_stored("a".to_owned());
        ended.insert(0, Ended::Blocked { account: account(), at: UnixMillis(7), reason: "y".to_owned() });
        sort(&mut ended);
        let order: Vec<i64> = ended.iter().map(|entry| entry.at().0).collect();
        assert_eq!(order, [1, 5, 5, 7, 9]);
        assert_eq!(ended[2], Ended::Unblocked { account: account(), at: UnixMillis(5) });
    }

    #[test]
    fn a_webhook_that_was_removed_or_replaced_ends_with_what_waits_for_it() {
        let hook = |at: &str| Row::with(Table::Hooks, &[("account", "a"), ("created_at", at)]);
        let waits = |account: &str| Row::with(Table::Deliveries, &[("account", account)]);
        let ended = [Ended::Hook { account: AccountId::from_stored("a".to_owned()), at: UnixMillis(7) }];
        let mut rows = vec![hook("6"), waits("a"), waits("b")];
        assert_eq!(apply(&mut rows, &ended), 2);
        assert_eq!(rows, [waits("b")]);
        let mut rows = vec![hook("7"), waits("a")];
        assert_eq!(apply(&mut rows, &ended), 0, "the one that replaced it");
    }

    #[test]
    fn a_code_ends_with_the_keys_that_it_replaced() {
        let code = |account: &str| Row::with(Table::Codes, &[("account", account)]);
        let mut rows = vec![code("a"), code("b")];
        let ended = Ended::Keys { account: AccountId::from_stored("a".to_owned()), at: UnixMillis(7) };
        assert_eq!(apply(&mut rows, &[ended]), 1);
        assert_eq!(rows, [code("b")]);
    }

    #[test]
    fn what_has_ended_is_applied_to_older_rows() {
        let account = |id: &str| Row::with(Table::Accounts, &[("id", id)]);
        let key = |hash: &str, account: &str, at: i64| {
            let values = [("hash", hash), ("account", account), ("created_at", &at.to_string())];
            Row::with(Table::Keys, &values)
        };
        let mut rows = vec![account("a"), account("b"), account("c")];
        rows.extend([key("1", "a", 5), key("2", "a", 9), key("3", "b", 5), key("4", "c", 5)]);
        let id = |id: &str| AccountId::from_stored(id.to_owned());
        let at = UnixMillis(7);
        let ended = [
            Ended::Keys { account: id("a"), at },
            Ended::Blocked { account: id("b"), at, reason: "x".to_owned() },
            Ended::Key { hash: "3".to_owned(), at },
            Ended::Erased { account: id("c"), at },
        ];
        assert_eq!(apply(&mut rows, &ended), 5);
        let live = rows.iter().filter(|row| row.0 == Table::Keys && row.value("revoked_at").is_none());
        assert_eq!(live.filter_map(|row| row.value("hash")).collect::<Vec<_>>(), ["2"]);
        assert_eq!(rows.len(), 5, "nothing of the erased account: {rows:?}");
        assert!(rows[1].value("blocked_at").is_some());
        assert_eq!(apply(&mut rows, &[Ended::Unblocked { account: id("b"), at }]), 1);
        assert!(rows[1].value("blocked_at").is_none());
    }
}
