//! The journal of what must not come back to life: keys that were revoked, accounts that were blocked or erased.
//!
//! It is a file beside the data folder's other files, apart from the store, so that it outlives a store that is lost:
//! `candango restore` applies it to an older backup ([`apply`]). Each line is one [`Ended`] as JSON.

pub mod apply;

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
    /// An erasure that was noted before has failed, and the account is still there.
    EraseFailed {
        /// Which.
        account: AccountId,
        /// When.
        at: UnixMillis,
        /// The moment in the note of the erasure.
        noted_at: UnixMillis,
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
            | Ended::EraseFailed { at, .. }
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

#[cfg(test)]
mod tests {
    use super::apply::sort;
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
}
