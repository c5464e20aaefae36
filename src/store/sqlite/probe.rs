//! Whether calls with a key can be answered: a small write and a few reads on the writer's own connection, once a
//! second.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior, params};

use super::rows::{execute, find_all};
use crate::store::StoreError;

/// How often the file is probed, and how soon again after a failure, so that its end shows soon.
const EVERY: Duration = Duration::from_secs(1);
const AFTER_FAILURE: Duration = Duration::from_millis(250);

/// How many keys are read each time, so that in the course of time all are.
const KEYS: u32 = 64;

/// Probes a database.
pub(super) struct Probe {
    path: PathBuf,
    /// Device and inode.
    file: (u64, u64),
    at: Instant,
    /// The key that was read last.
    after: Vec<u8>,
    count: u64,
}

impl Probe {
    /// A probe of the file that is now at `path`.
    pub(super) fn new(path: &Path) -> std::io::Result<Probe> {
        let data = path.metadata()?;
        let file = (data.dev(), data.ino());
        Ok(Probe { path: path.to_owned(), file, at: Instant::now(), after: Vec::new(), count: 0 })
    }

    /// Whether it is time for the next round.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        now >= self.at
    }

    /// One round.
    pub(super) fn run(&mut self, connection: &mut Connection) -> Result<(), StoreError> {
        self.at = Instant::now() + AFTER_FAILURE;
        self.try_calls(connection)?;
        self.at = Instant::now() + EVERY;
        Ok(())
    }

    fn try_calls(&mut self, connection: &mut Connection) -> Result<(), StoreError> {
        self.check_file()?;
        self.count += 1;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // another value each time: an equal one would not be written
        let sql = "INSERT OR REPLACE INTO service (name, value) VALUES ('probe', ?1)";
        execute(&transaction, sql, [self.count.to_string()])?;
        let sql = "SELECT keys.hash, accounts.plan FROM keys JOIN accounts ON accounts.id = keys.account
                   WHERE keys.hash > ?1 ORDER BY keys.hash LIMIT ?2";
        let read: Vec<(Vec<u8>, String)> =
            find_all(&transaction, sql, params![self.after, KEYS], |row| row.try_into())?;
        self.after = read.into_iter().next_back().map(|(hash, _)| hash).unwrap_or_default();
        Ok(transaction.commit()?)
    }

    /// SQLite goes on with a file that was deleted or replaced, and everything written to it is lost with the process.
    fn check_file(&self) -> Result<(), StoreError> {
        let lost = |how: &str| {
            let path = self.path.display();
            StoreError::WrongDatabase(format!(
                "the database {path} was {how} while the service runs: bring the file back, or restore a backup and start \
                 again"
            ))
        };
        match self.path.metadata() {
            Ok(data) if (data.dev(), data.ino()) == self.file => Ok(()),
            Ok(_) => Err(lost("replaced")),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(lost("deleted")),
            Err(error) => {
                Err(StoreError::File { path: self.path.display().to_string(), error: error.into() })
            }
        }
    }
}
