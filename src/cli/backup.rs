//! `candango backup` and `candango restore`: the store and the depot in one file, whatever engine they are on.
//!
//! The file is JSON lines, compressed with zstd and encrypted on demand: a header, the rows of the store,
//! the pointer of the depot, what is hidden and the snapshots that it names, and a last line that tells a whole file
//! from a cut one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use snapshots::{Depot, DepotError, Digest, Hidden, Packed, Pointer, Publication, unpack};
use strum::VariantArray as _;

use super::audit::{Changed, record};
use super::output::{counted, show, tell};
use super::runtime::{billing, existing_store, open_depot, open_store, runtime};
use crate::billing::stored::payments_of;
use crate::billing::worker::poll_account;
use crate::config::{Config, StoreSpec};
use crate::domain::account::AccountId;
use crate::domain::clock::{Clock, UnixMillis};
use crate::publish::was_published;
use crate::store::journal::{self, Ended, Journal};
use crate::store::rows::{Row, Table, leave_out_orphans};
use crate::store::{self, Store, StoreError};

/// The words for rows.
const ROWS: [&str; 2] = ["row", "rows"];

/// The words for snapshots.
const SNAPSHOTS: [&str; 2] = ["snapshot", "snapshots"];

/// How a file of age begins.
const AGE_FILE: &[u8; 19] = b"age-encryption.org/";

/// What to say when the program is missing.
const NO_AGE: &str = "the program age, which encrypts backups, cannot be run: install it";

/// The version of the format. The second holds what is hidden, and the third readers of the weekly letter and the
/// recipients of mails.
const VERSION: u32 = 3;

/// The flags of `candango backup`.
#[derive(Debug, Args)]
pub(super) struct BackupFlags {
    /// The file to write; it must not exist
    file: PathBuf,
    /// Encrypt it to this age recipient (age1...) with the program age; may be repeated
    #[arg(long, value_name = "RECIPIENT")]
    encrypt_to: Vec<String>,
}

/// The flags of `candango restore`.
#[derive(Debug, Args)]
pub(super) struct RestoreFlags {
    /// The backup
    file: PathBuf,
    /// A journal of what has ended since (ended.jsonl of a data folder); may be repeated. That of --data is always read
    #[arg(long, value_name = "FILE")]
    journal: Vec<PathBuf>,
    /// The file with the age identity of an encrypted backup
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
}

/// A line of a backup.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Header { version: u32, at: UnixMillis },
    Row(Row),
    Pointer(Box<Pointer>),
    Snapshot { digest: Digest, base64: String },
    Hidden(Hidden),
    End { rows: usize, snapshots: usize },
}

/// What a backup holds.
struct Contents {
    at: UnixMillis,
    rows: Vec<Row>,
    pointer: Option<Pointer>,
    hidden: Option<Hidden>,
    snapshots: Vec<Packed>,
}

pub(super) fn back_up(config: &Config, flags: &BackupFlags, json: bool) -> Result<ExitCode> {
    let (runtime, at) = (runtime()?, Clock::machine().now());
    let (store, contents, left_out) = runtime.block_on(async {
        let store = existing_store(config)?;
        let rows = store.rows(Table::VARIANTS, None).await?;
        let depot = open_depot(config)?;
        let pointer = depot.current().await?;
        let hidden = depot.hidden().await?;
        let (snapshots, left_out) = fetched(&depot, pointer.as_ref()).await?;
        ensure!(
            !rows.is_empty() || !snapshots.is_empty(),
            "there is nothing to back up: the store {} has no rows, and the depot {} no snapshots; are they those of the \
             server?",
            config.store,
            config.depot
        );
        anyhow::Ok((store, Contents { at, rows, pointer, hidden, snapshots }, left_out))
    })?;
    let file = &flags.file;
    let created = File::options().write(true).create_new(true).mode(0o600).open(file);
    let created = match created {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!(
                "there is a file {} already, and no backup is written over: name another one",
                file.display()
            )
        }
        created => created.with_context(|| format!("the backup {} cannot be made", file.display()))?,
    };
    let done = write(created, &contents, &flags.encrypt_to);
    if done.is_err() {
        // half a file must not be taken for a backup
        let _ = std::fs::remove_file(file);
    }
    done.with_context(|| format!("the backup {} cannot be written", file.display()))?;
    if let Err(error) = runtime.block_on(store.note_backup(Clock::machine().now())) {
        // a store that takes no writes is backed up all the same
        tell(format_args!(
            "warning: the backup is whole, but the store did not record it for the metrics: {error}"
        ));
    }
    if contents.snapshots.is_empty() && was_published(&config.data) {
        tell(format_args!(
            "warning: the backup has no guide: the depot {} has none, although this folder has served a published one. Is it \
             the depot of the settings of the server?",
            config.depot
        ));
    }
    let counts = counts(&contents.rows);
    let shown = json!({
        "file": file, "rows": counts, "snapshots": contents.snapshots.len(), "snapshots_left_out": left_out,
        "encrypted": !flags.encrypt_to.is_empty(),
    });
    show(json, &shown, || {
        let mut text = format!(
            "{} holds {} and {}. Keep it with the journal ended.jsonl of the data folder.",
            file.display(),
            counted(contents.rows.len(), ROWS),
            counted(contents.snapshots.len(), SNAPSHOTS)
        );
        if left_out > 0 {
            text += &format!(
                " Left out of earlier snapshots, whose files were removed from the depot: {left_out}."
            );
        }
        text
    })
}

/// The snapshots of all publications, each once, and how many of earlier ones are not in the depot any more: old files
/// may be removed.
async fn fetched(depot: &Depot, pointer: Option<&Pointer>) -> Result<(Vec<Packed>, usize)> {
    let Some(pointer) = pointer else { return Ok((Vec::new(), 0)) };
    let (mut snapshots, mut seen, mut left_out) = (Vec::new(), BTreeSet::new(), 0);
    for Publication { digest, .. } in pointer.publications() {
        if !seen.insert(digest.to_string()) {
            continue;
        }
        match depot.fetch(digest).await {
            Ok(bytes) => snapshots.push(packed(*digest, bytes.to_vec())?),
            Err(DepotError::NoSuchSnapshot(_)) if *digest != pointer.entry.digest => left_out += 1,
            Err(error) => return Err(error.into()),
        }
    }
    Ok((snapshots, left_out))
}

pub(super) fn restore(config: &Config, flags: &RestoreFlags, json: bool) -> Result<ExitCode> {
    let file = &flags.file;
    ensure!(file.is_file(), "there is no file {}", file.display());
    let contents = read(file, flags.identity.as_deref());
    let mut contents =
        contents.with_context(|| format!("{} is no whole backup; restore another one", file.display()))?;
    let mut journals = Journals::read(config, &flags.journal)?;
    let not_erased = journal::take_failed_erasures(&mut journals.ended, &contents.rows, contents.at);
    let now = Clock::machine().now();
    let Merged { applied, left_out } = merge(&mut contents.rows, &journals.ended, now)?;
    if contents.rows.iter().any(is_polled) {
        config.check_gateway()?;
    }
    let moved = moved_since(&contents, &journals.ended);
    let old_addresses = take_addresses(&mut contents.rows, &moved);
    for entry in &journals.others {
        Journal::of(&config.data).append(entry).context("the journal of the data folder")?;
    }
    let Written { unread, is_depot_kept } = runtime()?.block_on(write_all(config, &contents))?;
    let snapshots = if is_depot_kept { 0 } else { contents.snapshots.len() };
    let unreadable = journals.unreadable;
    warn_of_unreadable(unreadable);
    if !journals.are_there {
        tell(format_args!(
            "warning: no journal was given, and the data folder {} has none. If keys were replaced, accounts blocked or erased, \
             or tokens and webhooks removed since the backup, that is undone: restore again into a new folder, with --journal \
             and the file ended.jsonl of each server that ran, if there is one",
            config.data.display()
        ));
    }
    let shown = json!({
        "restored": counts(&contents.rows), "snapshots": snapshots, "depot_kept": is_depot_kept,
        "rows_left_out": left_out, "journal_found": journals.are_there, "journal_applied": applied, "journal_unreadable": unreadable, "payments_unread": unread,
        "address_changed": moved, "address_taken": old_addresses, "not_erased": not_erased,
    });
    show(json, &shown, || {
        let mut text = format!(
            "Restored: {} and {}, into the store {} and the data folder {}. By the journal changed: {}.",
            counted(contents.rows.len(), ROWS),
            counted(snapshots, SNAPSHOTS),
            config.store,
            config.data.display(),
            counted(applied, ROWS)
        );
        if left_out > 0 {
            text += &format!(
                " Not restored: {}, of codes, limits and the like whose time is over, or of accounts that are gone.",
                counted(left_out, ROWS)
            );
        }
        if unread > 0 {
            text += &format!(
                " The payments of {} could not be read from the gateway: a server tries again.",
                counted(unread, ["account", "accounts"])
            );
        }
        if !moved.is_empty() {
            let each = old_addresses.iter().map(|(taken, old)| format!("{taken} (before the backup {old})"));
            text += &format!(
                " These accounts got another address after the backup, which no journal holds. Their keys work, and no mailbox \
                 gives access to them until you give it again with account email --from ADDRESS --to ADDRESS; until then \
                 they have the addresses: {}.",
                each.collect::<Vec<_>>().join(", ")
            );
        }
        if !not_erased.is_empty() {
            let ids: Vec<&str> = not_erased.iter().map(AccountId::as_str).collect();
            text += &format!(
                " The erasure of these accounts had failed before the backup; repeat it with account erase: {}.",
                ids.join(", ")
            );
        }
        text
    })
}

/// What the journals of a restore say.
struct Journals {
    /// The entries of all, oldest first.
    ended: Vec<Ended>,
    /// Those that the journal of the data folder does not have.
    others: Vec<Ended>,
    /// How many lines cannot be read.
    unreadable: usize,
    /// Whether there is any.
    are_there: bool,
}

impl Journals {
    /// Reads the journal of the data folder and those that were given.
    fn read(config: &Config, given: &[PathBuf]) -> Result<Journals> {
        let journal = Journal::of(&config.data);
        let are_there = journal.exists() || !given.is_empty();
        let own = journal.read().context("the journal of the data folder")?;
        let (mut others, mut unreadable) = (Vec::new(), own.unreadable);
        for path in given {
            ensure!(path.is_file(), "there is no journal {}", path.display());
            let read = Journal::read_file(path).with_context(|| format!("the journal {}", path.display()))?;
            unreadable += read.unreadable;
            let is_new =
                |entry: &Ended, others: &[Ended]| !own.ended.contains(entry) && !others.contains(entry);
            for entry in read.ended {
                if is_new(&entry, &others) {
                    others.push(entry);
                }
            }
        }
        let mut ended = [own.ended, others.clone()].concat();
        journal::sort(&mut ended);
        Ok(Journals { ended, others, unreadable, are_there })
    }
}

/// Warns of lines of journals that cannot be read: what they ended is not ended in what was restored.
fn warn_of_unreadable(unreadable: usize) {
    if unreadable > 0 {
        tell(format_args!(
            "warning: {} of the journals cannot be read, as after a full disk or a crash. What they ended, such as a key \
             that was replaced or an account that was erased, may be valid again: look at them, and at `candango audit`, \
             before a server starts",
            counted(unreadable, ["line", "lines"])
        ));
    }
}

/// What became of the rows of a backup.
struct Merged {
    /// How many rows the journals changed.
    applied: usize,
    /// How many rows were left out, as their time is over or their account is gone.
    left_out: usize,
}

/// Makes the rows of a backup those to write: without what has ended since.
fn merge(rows: &mut Vec<Row>, ended: &[Ended], now: UnixMillis) -> Result<Merged> {
    keep_payments(rows, ended)?;
    let applied = journal::apply(rows, ended);
    read_payments_again(rows, now);
    end_leases(rows);
    rows.sort_by_key(|row| row.0);
    let held = rows.len();
    rows.retain(|row| row.ends_at().is_none_or(|end| end > now));
    leave_out_orphans(rows);
    Ok(Merged { applied, left_out: held - rows.len() })
}

/// What writing a backup has found.
struct Written {
    /// Of how many accounts the payments could not be read.
    unread: usize,
    /// Whether the depot had publications, and was left as it was.
    is_depot_kept: bool,
}

/// Writes a backup into an empty store, and into the depot if that has no publications.
async fn write_all(config: &Config, contents: &Contents) -> Result<Written> {
    let depot = open_depot(config)?;
    let store = begun_store(config).await?;
    // a depot that outlived the store knows more than the backup
    let is_depot_kept = depot.current().await?.is_some();
    store.fill(contents.rows.clone()).await?;
    same_rows(&contents.rows, &store.rows(Table::VARIANTS, None).await?)?;
    if let Some(pointer) = contents.pointer.clone().filter(|_| !is_depot_kept) {
        for snapshot in &contents.snapshots {
            depot.store(snapshot).await?;
        }
        // before the pointer: a server that reads it must know what is hidden
        if let Some(hidden) = contents.hidden.clone().filter(|hidden| !hidden.records.is_empty()) {
            let version = depot.hidden().await?.map_or(0, |found| found.version) + 1;
            depot.replace_hidden(Hidden { version, ..hidden }).await?;
        }
        depot.restore(pointer).await?;
    }
    let unread = read_payments(config, &store, &contents.rows).await?;
    let detail = counted(contents.rows.len(), ROWS);
    record(&*store, Changed { action: "restore", account: None, detail, reason: None }).await?;
    Ok(Written { unread, is_depot_kept })
}

/// The store to restore into, begun anew; refuses one that has data or is in use.
async fn begun_store(config: &Config) -> Result<Arc<dyn Store>> {
    // checked before anything is begun anew: a store with data must not be taken for an empty one
    let is_empty = match open_store(config, &config.store) {
        Ok(store) => holds_nothing(&*store).await.unwrap_or(true),
        // no store was lost: the settings lack it
        Err(error) if matches!(error.downcast_ref(), Some(StoreError::OnRedis(_))) => return Err(error),
        Err(_) => store::open::is_file_empty(&config.store)?,
    };
    let not_empty = || {
        let way_out = match &config.store {
            StoreSpec::Sqlite(_) => "restore into a new folder (--data), or move its database away",
            StoreSpec::Redis(_) => "restore into an empty database of Redis: name it with the setting store",
        };
        format!("the store {} is not empty: {way_out}", config.store)
    };
    ensure!(is_empty, not_empty());
    let begun = store::open::begin(&config.store, &config.data).await;
    begun.with_context(|| format!("the store {}", config.store))?;
    let store = open_store(config, &config.store)?;
    ensure!(holds_nothing(&*store).await?, not_empty());
    at_rest(&*store, "the store to restore into").await?;
    Ok(store)
}

/// The ids of accounts whose address was changed after the backup: a journal holds no addresses.
fn moved_since<'a>(contents: &Contents, ended: &'a [Ended]) -> Vec<&'a str> {
    let is_known =
        |id: &str| contents.rows.iter().any(|row| row.0 == Table::Accounts && row.account() == Some(id));
    let moved = ended.iter().filter_map(|entry| match entry {
        Ended::Moved { account, at } if *at >= contents.at => Some(account.as_str()),
        _ => None,
    });
    moved.filter(|id| is_known(id)).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Takes their addresses from accounts that got another one after the backup: the mailbox that an owner has left would
/// get codes for the account. Returns what each has now, which no mail reaches, and had before.
fn take_addresses(rows: &mut [Row], moved: &[&str]) -> BTreeMap<String, String> {
    let mut taken = BTreeMap::new();
    for row in rows.iter_mut().filter(|row| row.0 == Table::Accounts) {
        let Some(id) = row.account().filter(|id| moved.contains(id)).map(str::to_ascii_lowercase) else {
            continue;
        };
        let (old, address) =
            (row.value("email").unwrap_or_default().to_owned(), format!("{id}@moved.invalid"));
        row.set("email", Some(address.clone()));
        taken.insert(address, old);
    }
    taken
}

/// Copies all rows of a store into an empty one, and compares both.
pub(super) async fn copy(from: &dyn Store, to: &dyn Store) -> Result<Counts> {
    at_rest(from, "the store to copy from").await?;
    at_rest(to, "the store to copy to").await?;
    ensure!(holds_nothing(to).await?, "the store to copy to is not empty");
    let mut rows = from.rows(Table::VARIANTS, None).await?;
    ensure!(rows.iter().any(|row| row.0 == Table::Accounts), "the store to copy from has no accounts");
    let now = Clock::machine().now();
    rows.retain(|row| row.ends_at().is_none_or(|end| end > now));
    leave_out_orphans(&mut rows);
    end_leases(&mut rows);
    to.fill(rows.clone()).await?;
    same_rows(&rows, &to.rows(Table::VARIANTS, None).await?)?;
    Ok(counts(&rows))
}

/// Whether a store holds nothing that matters: counters of rate limits may be there.
async fn holds_nothing(store: &dyn Store) -> Result<bool> {
    Ok(store.rows(Table::VARIANTS, None).await?.iter().all(|row| row.0 == Table::Counters))
}

/// Keeps what was paid by accounts that the journal is about to erase, as their erasure did.
fn keep_payments(rows: &mut Vec<Row>, ended: &[Ended]) -> Result<()> {
    let erased = ended.iter().filter_map(|entry| match entry {
        Ended::Erased { account, .. } => Some(account.as_str()),
        _ => None,
    });
    // an erasure that failed is there again
    for account in erased.collect::<BTreeSet<_>>() {
        let stored =
            rows.iter().find(|row| row.0 == Table::Subscriptions && row.value("account") == Some(account));
        let Some(text) = stored.and_then(|row| row.value("text")).map(payments_of).transpose()?.flatten()
        else {
            continue;
        };
        let now = Clock::machine().now().0.to_string();
        rows.push(Row(Table::Erased, vec![Some(account.to_owned()), Some(now), Some(text)]));
    }
    Ok(())
}

/// Refuses a store that a server serves from.
async fn at_rest(store: &dyn Store, what: &str) -> Result<()> {
    let serving = store.serving().await?;
    ensure!(serving.is_empty(), "{what} is in use by {}: stop its servers first", serving.join(", "));
    Ok(())
}

/// Refuses a store whose rows are not those that were written. Rows that a store may drop by now do not count.
fn same_rows(wrote: &[Row], found: &[Row]) -> Result<()> {
    // time has passed since they were written
    let now = UnixMillis(Clock::machine().now().0.saturating_add(1_000));
    let hash = |rows: &[Row]| -> Result<[u8; 32]> {
        let mut lines = Vec::with_capacity(rows.len());
        for row in
            rows.iter().filter(|row| row.0 != Table::Counters && row.ends_at().is_none_or(|end| end > now))
        {
            lines.push(serde_json::to_vec(&row.clone().without_end())?);
        }
        lines.sort_unstable();
        Ok(Sha256::digest(lines.join(&b'\n')).into())
    };
    if hash(wrote)? != hash(found)? {
        bail!("what was written is not what was read back: {:?}, not {:?}", counts(found), counts(wrote));
    }
    Ok(())
}

/// Reads from the gateway what the accounts paid since the backup, so that the first server knows it; returns for how
/// many accounts that failed.
async fn read_payments(config: &Config, store: &Arc<dyn Store>, rows: &[Row]) -> Result<usize> {
    let billing = billing(config, store)?;
    let mut failed = 0;
    for row in rows.iter().filter(|row| is_polled(row)) {
        let account = AccountId::from_stored(row.value("account").unwrap_or_default().to_owned());
        failed += usize::from(poll_account(&billing, &account).await.is_err());
    }
    Ok(failed)
}

/// Whether a row is a subscription that the gateway is asked about.
fn is_polled(row: &Row) -> bool {
    row.0 == Table::Subscriptions && row.value("due_at").is_some()
}

/// Makes every subscription due at once, so that a server asks the gateway what was paid since the backup.
fn read_payments_again(rows: &mut [Row], now: UnixMillis) {
    for row in rows.iter_mut().filter(|row| is_polled(row)) {
        row.set("due_at", Some(now.0.to_string()));
    }
}

/// Counts all calls of leases as spent: their holders have ended, and may have spent them.
fn end_leases(rows: &mut [Row]) {
    for row in rows.iter_mut().filter(|row| row.0 == Table::Leases) {
        let granted = row.value("granted").map(str::to_owned);
        row.set("used", granted);
    }
}

fn packed(digest: Digest, bytes: Vec<u8>) -> Result<Packed> {
    let snapshot = unpack(&bytes, Some(&digest))?;
    Ok(Packed { digest, counts: snapshot.counts(), name: snapshot.name, bytes: bytes.into() })
}

/// How many rows each table has.
type Counts = BTreeMap<&'static str, usize>;

fn counts(rows: &[Row]) -> Counts {
    let mut counts = Counts::new();
    for row in rows {
        *counts.entry(row.0.name()).or_default() += 1;
    }
    counts
}

fn write(file: File, contents: &Contents, recipients: &[String]) -> Result<()> {
    if recipients.is_empty() {
        return Ok(compress(file, contents)?.sync_all()?);
    }
    // the library of that format would bring seventy crates for one flag
    let flags = recipients.iter().flat_map(|recipient| ["--recipient", recipient]);
    let mut age = Command::new("age")
        .arg("--encrypt")
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(file.try_clone()?)
        .spawn()
        .context(NO_AGE)?;
    let input = age.stdin.take().context("age takes no input")?;
    let written = compress(input, contents).map(drop);
    ensure!(age.wait()?.success(), "age failed: is the recipient right?");
    written?;
    Ok(file.sync_all()?)
}

fn compress<W: Write>(out: W, contents: &Contents) -> Result<W> {
    let mut out = zstd::Encoder::new(out, 6)?;
    out.include_checksum(true)?;
    let mut line = |line: &Line| -> Result<()> {
        serde_json::to_writer(&mut out, line)?;
        Ok(out.write_all(b"\n")?)
    };
    line(&Line::Header { version: VERSION, at: contents.at })?;
    for row in &contents.rows {
        line(&Line::Row(row.clone()))?;
    }
    for snapshot in &contents.snapshots {
        line(&Line::Snapshot { digest: snapshot.digest, base64: BASE64.encode(&snapshot.bytes) })?;
    }
    if let Some(hidden) = &contents.hidden {
        line(&Line::Hidden(hidden.clone()))?;
    }
    if let Some(pointer) = &contents.pointer {
        line(&Line::Pointer(Box::new(pointer.clone())))?;
    }
    line(&Line::End { rows: contents.rows.len(), snapshots: contents.snapshots.len() })?;
    Ok(out.finish()?)
}

fn read(path: &Path, identity: Option<&Path>) -> Result<Contents> {
    let mut file = File::open(path)?;
    let mut start = [0; AGE_FILE.len()];
    let is_encrypted = file.read_exact(&mut start).is_ok() && start == *AGE_FILE;
    file.rewind()?;
    let source: Box<dyn Read> = match (is_encrypted, identity) {
        (false, _) => Box::new(file),
        (true, None) => bail!("it is encrypted: give --identity"),
        (true, Some(identity)) => {
            let mut age = Command::new("age");
            age.arg("--decrypt").arg("--identity").arg(identity).stdin(file);
            let decrypted = age.stderr(Stdio::inherit()).output().context(NO_AGE)?;
            ensure!(decrypted.status.success(), "age failed: is the identity right?");
            Box::new(io::Cursor::new(decrypted.stdout))
        }
    };
    let mut contents =
        Contents { at: UnixMillis(0), rows: Vec::new(), pointer: None, hidden: None, snapshots: Vec::new() };
    let mut is_whole = false;
    for line in BufReader::new(zstd::Decoder::new(source)?).lines() {
        let line: String = line?;
        match serde_json::from_str(&line)? {
            Line::Header { version, at } => {
                ensure!(
                    (1..=VERSION).contains(&version),
                    "its format is {version}, and this program reads up to {VERSION}"
                );
                contents.at = at;
            }
            Line::Row(mut row) => {
                row.complete();
                row.check()?;
                contents.rows.push(row);
            }
            Line::Pointer(pointer) => contents.pointer = Some(*pointer),
            Line::Hidden(hidden) => contents.hidden = Some(hidden),
            Line::Snapshot { digest, base64 } => {
                contents.snapshots.push(packed(digest, BASE64.decode(base64.as_bytes())?)?);
            }
            Line::End { rows, snapshots } => {
                is_whole = rows == contents.rows.len() && snapshots == contents.snapshots.len();
            }
        }
    }
    ensure!(is_whole, "its end is missing");
    Ok(contents)
}
