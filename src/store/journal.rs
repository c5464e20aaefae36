//! The journal of what must not come back to life: keys that were revoked, accounts that were blocked or erased.
//!
//! It is a file beside the data folder's other files, apart from the store, so that it outlives a store that is lost:
//! `candango restore` applies it to an older backup. Each line is one [`Ended`] as JSON.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lock::create_private_folder;
use super::rows::{Row, Table};
use crate::domain::account::AccountId;
use crate::domain::clock::UnixMillis;

/// The name of the file in the data folder.
const FILE: &str = "ended.jsonl";

/// Something that has ended. It holds ids and hashes, never an address.
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
    },
    /// An account was erased.
    Erased {
        /// Which.
        account: AccountId,
    },
}

/// The journal of a data folder. Clones write to the same file.
#[derive(Debug, Clone)]
pub struct Journal(PathBuf);

impl Journal {
    /// The journal of a data folder.
    pub fn of(data: &Path) -> Journal {
        Journal(data.join(FILE))
    }

    /// Appends an entry; it is on the disk when this returns.
    pub fn append(&self, ended: &Ended) -> io::Result<()> {
        if let Some(folder) = self.0.parent() {
            create_private_folder(folder)?;
        }
        let mut line = serde_json::to_vec(ended)?;
        line.push(b'\n');
        let mut file = File::options().create(true).append(true).mode(0o600).open(&self.0)?;
        file.write_all(&line)?;
        file.sync_data()
    }

    /// The entries, oldest first; none when there is no file. A last line that was cut off by a crash is left out.
    pub fn read(&self) -> io::Result<Vec<Ended>> {
        Journal::read_file(&self.0)
    }

    /// The entries of a journal at any place: see [`Journal::read`].
    pub fn read_file(path: &Path) -> io::Result<Vec<Ended>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let lines: Vec<String> = BufReader::new(file).lines().collect::<Result<_, _>>()?;
        let mut entries = Vec::with_capacity(lines.len());
        for (index, line) in lines.iter().enumerate() {
            match serde_json::from_str(line) {
                Ok(entry) => entries.push(entry),
                Err(_) if index + 1 == lines.len() => {}
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            }
        }
        Ok(entries)
    }
}

/// Applies what has ended to rows of an older time; returns how many rows that changed or removed.
pub fn apply(rows: &mut Vec<Row>, ended: &[Ended]) -> usize {
    let mut changed = 0;
    for entry in ended {
        match entry {
            Ended::Key { hash, at } => {
                changed += revoke(rows, *at, |row| row.value("hash") == Some(hash));
            }
            Ended::Keys { account, at } => {
                let is_older = |row: &Row| {
                    let created_at = row.value("created_at").and_then(|text| text.parse::<i64>().ok());
                    row.value("account") == Some(account.as_str())
                        && created_at.is_none_or(|made| made < at.0)
                };
                changed += revoke(rows, *at, is_older);
            }
            Ended::Blocked { account, at, reason } => {
                changed += set_block(rows, account, Some((*at, reason)));
            }
            Ended::Unblocked { account } => changed += set_block(rows, account, None),
            Ended::Erased { account } => {
                let before = rows.len();
                rows.retain(|row| {
                    let column = if row.0 == Table::Accounts { "id" } else { "account" };
                    let is_kept = matches!(row.0, Table::Audit | Table::Erased);
                    is_kept || row.value(column) != Some(account.as_str())
                });
                changed += before - rows.len();
            }
        }
    }
    changed
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
        rows.retain(|row| row.0 != Table::Codes || row.value("account") != Some(account.as_str()));
    }
    count
}
