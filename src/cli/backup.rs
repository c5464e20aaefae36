//! `candango backup` and `candango restore`: the store and the depot in one file, whatever engine they are on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::json;
use snapshots::{Depot, DepotError, Hidden, Packed, Pointer, Publication};
use strum::VariantArray as _;
use tokio::runtime::Runtime;

use super::audit::{Changed, record};
use super::backup_file::{Contents, is_encrypted, packed, read, write};
use super::output::{INCOMPLETE, counted, show, tell};
use super::runtime::{billing, existing_store, open_depot, open_store, runtime};
use super::store_rows::{at_rest, counts, end_leases, holds_nothing, same_rows};
use crate::billing::stored::payments_of;
use crate::billing::worker::poll_account;
use crate::config::{Config, StoreSpec};
use crate::domain::account::AccountId;
use crate::domain::clock::{Clock, UnixMillis};
use crate::publish::was_published;
use crate::store::journal::{Ended, Journal, apply};
use crate::store::lock::create_private_folder;
use crate::store::open::OldAccounts;
use crate::store::rows::{Row, Table, leave_out_older_readers, leave_out_orphans};
use crate::store::{self, Store, StoreError};

/// The words for rows.
const ROWS: [&str; 2] = ["row", "rows"];

/// The words for snapshots.
const SNAPSHOTS: [&str; 2] = ["snapshot", "snapshots"];

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

pub(super) fn back_up(config: &Config, flags: &BackupFlags, json: bool) -> Result<ExitCode> {
    let (runtime, at) = (runtime()?, Clock::machine().now());
    let (store, taken) = runtime.block_on(async {
        let store = existing_store(config)?;
        anyhow::Ok((store.clone(), Taken::from(config, &*store, at).await?))
    })?;
    let Taken { contents, left_out, lacks } = taken;
    let file = &flags.file;
    let done = write(new_file(file)?, &contents, &flags.encrypt_to);
    if done.is_err() {
        // half a file must not be taken for a backup
        let _ = std::fs::remove_file(file);
    }
    done.with_context(|| format!("the backup {} cannot be written", file.display()))?;
    let lacks = lacks.map(|error| format!("{error:#}"));
    match &lacks {
        // for the metrics it is none: the alert on their age must not be silent
        Some(why) => tell(format_args!(
            "warning: the backup has the accounts and not the guide, and is not counted as one: {why}. Keep the last one with the \
             guide, mend the depot, and back up again"
        )),
        None => note(&runtime, &*store),
    }
    let counts = counts(&contents.rows);
    let shown = json!({
        "file": file, "rows": counts, "snapshots": contents.snapshots.len(), "snapshots_left_out": left_out,
        "encrypted": !flags.encrypt_to.is_empty(), "guide_missing": lacks,
    });
    let done = show(json, &shown, || {
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
    })?;
    Ok(if lacks.is_some() { ExitCode::from(INCOMPLETE) } else { done })
}

/// Records a whole backup for the metrics. A store that takes no writes is backed up all the same.
fn note(runtime: &Runtime, store: &dyn Store) {
    if let Err(error) = runtime.block_on(store.note_backup(Clock::machine().now())) {
        tell(format_args!(
            "warning: the backup is whole, but the store did not record it for the metrics: {error}"
        ));
    }
}

/// Makes the file of a backup, which must not exist.
fn new_file(file: &Path) -> Result<File> {
    match File::options().write(true).create_new(true).mode(0o600).open(file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!(
                "there is a file {} already, and no backup is written over: name another one",
                file.display()
            )
        }
        created => created.with_context(|| format!("the backup {} cannot be made", file.display())),
    }
}

/// What a backup takes.
struct Taken {
    contents: Contents,
    /// How many snapshots are left out.
    left_out: usize,
    /// Why the guide is not in it.
    lacks: Option<anyhow::Error>,
}

impl Taken {
    /// What the store and the depot of a configuration hold. Accounts cannot be made again, so they are taken though
    /// the depot cannot be read.
    async fn from(config: &Config, store: &dyn Store, at: UnixMillis) -> Result<Taken> {
        let rows = store.rows(Table::VARIANTS, None).await?;
        let (guide, lacks) = match DepotContents::of(config).await {
            Ok(guide) => (guide, None),
            Err(error) if !rows.is_empty() => (DepotContents::default(), Some(error)),
            Err(error) => return Err(error),
        };
        let DepotContents { pointer, hidden, snapshots, left_out } = guide;
        ensure!(
            !rows.is_empty() || !snapshots.is_empty(),
            "there is nothing to back up: the store {} has no rows, and the depot {} no snapshots; are they those of the \
             server?",
            config.store,
            config.depot
        );
        Ok(Taken { contents: Contents { at, rows, pointer, hidden, snapshots }, left_out, lacks })
    }
}

/// What the depot holds.
#[derive(Default)]
struct DepotContents {
    pointer: Option<Pointer>,
    hidden: Option<Hidden>,
    snapshots: Vec<Packed>,
    left_out: usize,
}

impl DepotContents {
    async fn of(config: &Config) -> Result<DepotContents> {
        let was_published = was_published(&config.data);
        if let Some(folder) = config.depot.folder().filter(|folder| !folder.is_dir()) {
            // to open it would make it, and hide that it is misspelt or not mounted
            ensure!(
                !was_published && !config.is_set("depot"),
                "there is no depot {}: check that it is the one of the settings of the server",
                folder.display()
            );
            return Ok(DepotContents::default());
        }
        let depot = open_depot(config)?;
        let pointer = depot.current().await?;
        let hidden = depot.hidden().await?;
        let (snapshots, left_out) = fetched(&depot, pointer.as_ref()).await?;
        ensure!(
            !snapshots.is_empty() || !was_published,
            "the depot {} has no guide, although this folder has served a published one: is it the depot of the settings of \
             the server?",
            config.depot
        );
        Ok(DepotContents { pointer, hidden, snapshots, left_out })
    }
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
    let needs_identity = flags.identity.is_none() && is_encrypted(&mut File::open(file)?)?;
    ensure!(
        !needs_identity,
        "{} is encrypted: give the file with the age identity by --identity",
        file.display()
    );
    let mut contents = read(file, flags.identity.as_deref())?;
    let mut journals = Journals::read(config, &flags.journal)?;
    let not_erased = apply::take_failed_erasures(&mut journals.ended, &contents.rows, contents.at);
    let now = Clock::machine().now();
    let merged = merge(&mut contents.rows, &journals.ended, now)?;
    if contents.rows.iter().any(is_polled) {
        config.check_gateway()?;
    }
    let moved = moved_since(&contents, &journals.ended);
    let old_addresses = take_addresses(&mut contents.rows, &moved);
    for entry in &journals.others {
        Journal::of(&config.data).append(entry).context("the journal of the data folder")?;
    }
    let outcome = runtime()?.block_on(write_all(config, &contents))?;
    warn_of_unreadable(journals.unreadable);
    if !journals.are_there {
        tell(format_args!(
            "warning: no journal was given, and the data folder {} has none. If keys were replaced, accounts blocked or erased, \
             or tokens and webhooks removed since the backup, that is undone: {}, with --journal and the file ended.jsonl of \
             each server that ran, if there is one",
            config.data.display(),
            match &config.store {
                StoreSpec::Sqlite(_) => "restore again into a new folder (--data)",
                StoreSpec::Redis(_) =>
                    "empty the Redis (FLUSHDB), which no server may use by then, and restore again",
            }
        ));
    }
    let snapshots = if outcome.is_depot_kept { 0 } else { contents.snapshots.len() };
    let shown = json!({
        "restored": counts(&contents.rows), "snapshots": snapshots, "depot_kept": outcome.is_depot_kept,
        "rows_left_out": merged.left_out, "journal_found": journals.are_there, "journal_applied": merged.applied,
        "journal_unreadable": journals.unreadable, "payments_unread": outcome.unread,
        "address_changed": moved, "address_taken": old_addresses, "not_erased": not_erased,
    });
    let done = show(json, &shown, || {
        let mut text = format!(
            "Restored: {} and {}, into the store {} and the data folder {}. By the journal changed: {}.",
            counted(contents.rows.len(), ROWS),
            counted(snapshots, SNAPSHOTS),
            config.store,
            config.data.display(),
            counted(merged.applied, ROWS)
        );
        text += &what_is_missing(&merged, &outcome, &old_addresses, &not_erased);
        if contents.pointer.is_none() && !outcome.is_depot_kept {
            text += " The backup has no guide: servers serve the built-in demo until one is published.";
        }
        text
    })?;
    Ok(if journals.unreadable > 0 { ExitCode::from(INCOMPLETE) } else { done })
}

/// What a restore could not bring back, and what is left to do.
fn what_is_missing(
    merged: &RowsMerged,
    outcome: &RestoreOutcome,
    old_addresses: &BTreeMap<String, String>,
    not_erased: &[AccountId],
) -> String {
    let mut text = String::new();
    if merged.left_out > 0 {
        text += &format!(
            " Not restored: {}, of codes, limits and the like whose time is over, or of accounts that are gone.",
            counted(merged.left_out, ROWS)
        );
    }
    if outcome.unread > 0 {
        text += &format!(
            " The payments of {} could not be read from the gateway: a server tries again.",
            counted(outcome.unread, ["account", "accounts"])
        );
    }
    if !old_addresses.is_empty() {
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
            " The erasure of these accounts had failed; repeat it with account erase if it is still wanted: {}.",
            ids.join(", ")
        );
    }
    text
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
        apply::sort(&mut ended);
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
struct RowsMerged {
    /// How many rows the journals changed.
    applied: usize,
    /// How many rows were left out, as their time is over or their account is gone.
    left_out: usize,
}

/// Makes the rows of a backup those to write: without what has ended since.
fn merge(rows: &mut Vec<Row>, ended: &[Ended], now: UnixMillis) -> Result<RowsMerged> {
    keep_payments(rows, ended)?;
    let read = rows.len();
    // before the journal, which may have ended the latest one; a Redis of before left two in backups
    leave_out_older_readers(rows);
    let older_readers = read - rows.len();
    let applied = apply::apply(rows, ended);
    read_payments_again(rows, now);
    end_leases(rows);
    rows.sort_by_key(|row| row.0);
    let held = rows.len();
    rows.retain(|row| row.ends_at().is_none_or(|end| end > now));
    leave_out_orphans(rows);
    Ok(RowsMerged { applied, left_out: older_readers + held - rows.len() })
}

/// What writing a backup has found.
struct RestoreOutcome {
    /// Of how many accounts the payments could not be read.
    unread: usize,
    /// Whether the depot had publications, and was left as it was.
    is_depot_kept: bool,
}

/// Writes a backup into an empty store, and into the depot if that has no publications.
async fn write_all(config: &Config, contents: &Contents) -> Result<RestoreOutcome> {
    // before the depot, which may lie in it
    create_private_folder(&config.data).with_context(|| config.data.display().to_string())?;
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
    Ok(RestoreOutcome { unread, is_depot_kept })
}

/// The store to restore into, begun anew; refuses one that has data or is in use.
async fn begun_store(config: &Config) -> Result<Arc<dyn Store>> {
    // checked before anything is begun anew: a store with data must not be taken for an empty one
    let is_empty = match open_store(config, &config.store) {
        Ok(store) => holds_nothing(&*store).await.unwrap_or(true),
        // no store was lost: the settings lack it
        Err(error) if matches!(error.downcast_ref(), Some(StoreError::OnRedis { .. })) => return Err(error),
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
    let begun = store::open::begin(&config.store, &config.data, OldAccounts::Refuse).await;
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

/// Keeps what was paid by accounts that the journal is about to erase, as their erasure did.
fn keep_payments(rows: &mut Vec<Row>, ended: &[Ended]) -> Result<()> {
    let erased = ended.iter().filter_map(|entry| match entry {
        Ended::Erased { account, at, .. } => Some((account.as_str(), *at)),
        _ => None,
    });
    // an erasure that failed is there again
    for (account, at) in erased.collect::<BTreeMap<_, _>>() {
        let stored =
            rows.iter().find(|row| row.0 == Table::Subscriptions && row.value("account") == Some(account));
        let Some(text) = stored.and_then(|row| row.value("text")).map(payments_of).transpose()?.flatten()
        else {
            continue;
        };
        rows.push(Row(Table::Erased, vec![Some(account.to_owned()), Some(at.0.to_string()), Some(text)]));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::account::ReaderId;

    #[test]
    fn of_two_readers_of_an_address_none_is_restored_when_the_latest_has_stopped() {
        let reader = |id: &str, asked_at: &str| {
            let mut row = Row(Table::Readers, vec![None; Table::Readers.columns().len()]);
            for (column, value) in [("id", id), ("email", "a@b.c"), ("asked_at", asked_at)] {
                row.set(column, Some(value.to_owned()));
            }
            row
        };
        let both = [reader("rdr_1", "1"), reader("rdr_2", "2")];
        let mut rows = both.to_vec();
        let merged = merge(&mut rows, &[], UnixMillis(9)).expect("merged");
        assert_eq!((rows.as_slice(), merged.left_out), (&both[1..], 1));
        let stopped = Ended::Stopped { reader: ReaderId::from_stored("rdr_2".to_owned()), at: UnixMillis(3) };
        let mut rows = both.to_vec();
        merge(&mut rows, &[stopped], UnixMillis(9)).expect("merged");
        assert_eq!(rows, []);
    }
}
