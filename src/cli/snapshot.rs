//! `candango snapshot`: checks, packs and publishes snapshots. Servers poll the depot, so it needs no connection to them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use clap::Subcommand;
use indicatif::ProgressBar;
use serde_json::json;
use snapshots::{
    Counts, Defects, Depot, Digest, Files, NewPublication, Packed, Pointer, Publication, Snapshot,
    SnapshotStats, check, diff, far_from_area, regressions, unpack,
};

use super::audit::{Changed, Reason, record};
use super::output::show;
use super::runtime::{open_depot, open_store, runtime};
use super::spreadsheet::{self, LangFlag};
use crate::config::{Config, StoreSpec};
use crate::domain::clock::Clock;
use crate::serving::{FREE_REGION, NoFreeRegion};

/// The commands of `candango snapshot`.
#[derive(Debug, Subcommand)]
pub(super) enum SnapshotCommand {
    /// Make a folder with the vocabulary of the District and a spreadsheet to fill in
    #[command(after_help = "Example:\n  candango snapshot init ./my-guide")]
    Init {
        /// The new folder
        folder: PathBuf,
    },
    /// Read spreadsheets into places.json and events.json of a folder; with an error nothing is written
    #[command(after_help = "Examples:\n  candango snapshot import guia.xlsx --into ./my-guide --lang pt\n  \
                            candango snapshot import lugares.csv eventos.csv --into ./my-guide")]
    Import {
        /// .xlsx or .csv files, folders of them, or https URLs of published sheets
        #[arg(required = true, value_name = "SOURCE")]
        sources: Vec<String>,
        /// The snapshot folder
        #[arg(long, value_name = "FOLDER")]
        into: PathBuf,
        /// The language of messages [default: that of the environment]
        #[arg(long)]
        lang: Option<LangFlag>,
    },
    /// List all defects of a snapshot folder; exits with 1 if there are any
    #[command(after_help = "Example:\n  candango snapshot check ./my-guide")]
    Check {
        /// The snapshot folder
        folder: PathBuf,
    },
    /// Check a folder and pack it into one file, named by the SHA-256 of its content
    #[command(after_help = "Example:\n  candango snapshot pack ./my-guide --out ./packed")]
    Pack {
        /// The snapshot folder, or a packed file
        folder: PathBuf,
        /// Where to put the file
        #[arg(long, value_name = "FOLDER", default_value = ".")]
        out: PathBuf,
    },
    /// Check, pack and store in the depot; running servers load it within 2 seconds
    #[command(after_help = "Example:\n  candango snapshot publish ./my-guide --note \"July\"")]
    Publish {
        /// The snapshot folder, or a packed file
        folder: PathBuf,
        /// What is new, for `candango snapshot list`
        #[arg(long)]
        note: Option<String>,
        /// Publish although many records of the current snapshot would vanish
        #[arg(long, requires = "reason")]
        force: bool,
        /// Why the records may vanish
        #[arg(long, requires = "force")]
        reason: Option<Reason>,
    },
    /// List all publications, newest first
    #[command(after_help = "Example:\n  candango snapshot list --json")]
    List,
    /// Show the differences between two snapshots
    #[command(after_help = "Example:\n  candango snapshot diff 3f9a1c ./my-guide")]
    Diff {
        /// The digest of a published snapshot (or its first digits), or a snapshot folder
        from: String,
        /// The other one [default: the current snapshot]
        to: Option<String>,
    },
    /// Publish an earlier snapshot again
    #[command(after_help = "Example:\n  candango snapshot rollback 3f9a1c")]
    Rollback {
        /// The digest of a published snapshot, or its first digits
        digest: String,
    },
}

pub(super) fn run(config: &Config, command: SnapshotCommand, json: bool) -> Result<ExitCode> {
    let snapshots = Snapshots { config, clock: Clock::machine(), json };
    let done = runtime()?.block_on(async {
        match command {
            SnapshotCommand::Init { folder } => spreadsheet::init(&folder, &snapshots.clock, json),
            SnapshotCommand::Import { sources, into, lang } => {
                let today = snapshots.clock.today().date();
                spreadsheet::import(&sources, &into, lang, today, json).await
            }
            SnapshotCommand::Check { folder } => snapshots.check(&folder),
            SnapshotCommand::Pack { folder, out } => snapshots.pack(&folder, &out),
            SnapshotCommand::Publish { folder, note, force: _, reason } => {
                snapshots.publish(&folder, note, reason.map(|reason| reason.as_str().to_owned())).await
            }
            SnapshotCommand::List => snapshots.list().await,
            SnapshotCommand::Diff { from, to } => snapshots.diff(&from, to.as_deref()).await,
            SnapshotCommand::Rollback { digest } => snapshots.rollback(&digest).await,
        }
    });
    done.or_else(|error| snapshots.show_defects(&error.downcast()?))
}

/// What every snapshot command needs.
struct Snapshots<'c> {
    config: &'c Config,
    clock: Clock,
    json: bool,
}

impl Snapshots<'_> {
    fn check(&self, folder: &Path) -> Result<ExitCode> {
        let spinner = spinner("checking");
        let snapshot = self.checked(folder)?;
        can_be_served(&snapshot)?;
        spinner.finish_and_clear();
        let (counts, warnings) = (snapshot.counts(), far_from_area(&snapshot));
        let shown = json!({ "ok": true, "name": snapshot.name, "counts": counts, "warnings": warnings });
        let done = show(self.json, &shown, || format!("{:?} is valid: {}", snapshot.name, describe(counts)))?;
        if !self.json {
            let mut errors = std::io::stderr().lock();
            for warning in &warnings {
                writeln!(errors, "warning: {warning}")?;
            }
        }
        Ok(done)
    }

    fn pack(&self, folder: &Path, out: &Path) -> Result<ExitCode> {
        let packed = self.packed(folder)?;
        std::fs::create_dir_all(out)
            .with_context(|| format!("the folder {} cannot be created", out.display()))?;
        let path = out.join(format!("{}.json.zst", packed.digest));
        std::fs::write(&path, &packed.bytes)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        let shown = json!({
            "ok": true, "file": path.display().to_string(), "digest": packed.digest, "name": packed.name,
            "bytes": packed.bytes.len(), "counts": packed.counts,
        });
        show(self.json, &shown, || {
            format!(
                "{:?} packed: {}, {} bytes\n{}",
                packed.name,
                describe(packed.counts),
                packed.bytes.len(),
                path.display()
            )
        })
    }

    async fn publish(&self, path: &Path, note: Option<String>, forced: Option<String>) -> Result<ExitCode> {
        let Config { data, .. } = self.config;
        if !self.config.is_set("data") && !self.config.is_set("depot") && !data.exists() {
            bail!(
                "no server has run in this folder: there is no {}, so nobody would read what is published; name the \
                 server's folder with --data, or its depot with --depot",
                data.display()
            );
        }
        let packed = self.packed(path)?;
        let depot = open_depot(self.config)?;
        let current = depot.current().await?;
        if forced.is_none()
            && let Some(current) = &current
        {
            let spinner = spinner("comparing with the snapshot in service");
            let regressions = match snapshot_of(&depot, &current.entry.digest).await {
                Ok(old) => {
                    regressions(&SnapshotStats::of(&old), &SnapshotStats::of(&unpack(&packed.bytes, None)?))
                }
                Err(error) => bail!(
                    "the new snapshot cannot be compared with the one in service ({error:#}); publish with --force --reason"
                ),
            };
            spinner.finish_and_clear();
            if !regressions.is_empty() {
                show(self.json, &json!({ "ok": false, "alarms": regressions }), || {
                    let list: String =
                        regressions.iter().map(|regression| format!("\n  {regression}")).collect();
                    format!(
                        "not published, because many records would vanish:{list}\nIf that is right: --force --reason \"why\""
                    )
                })?;
                return Ok(ExitCode::FAILURE);
            }
        }
        let spinner = spinner("storing");
        depot.store(&packed).await?;
        spinner.finish_and_clear();
        let publication = NewPublication {
            digest: packed.digest,
            name: packed.name.clone(),
            places: packed.counts.places,
            events: packed.counts.events,
            published_at: self.now(),
            note,
            forced,
        };
        self.record("snapshot publish", &publication).await;
        let pointer = depot.publish(publication, current.map(|current| current.entry.serial)).await?;
        self.show_published(&pointer.entry)
    }

    async fn list(&self) -> Result<ExitCode> {
        let entries: Vec<Publication> =
            open_depot(self.config)?.current().await?.map_or_else(Vec::new, publications);
        show(self.json, &entries, || {
            if entries.is_empty() {
                return "nothing was published yet: servers serve the built-in demo".to_owned();
            }
            let mut text =
                String::from("serial  digest        published             places   events  name\n");
            for (at, entry) in entries.iter().enumerate() {
                // writing to a String cannot fail
                let _ = writeln!(
                    text,
                    "{:>6}  {}  {}  {:>6}  {:>7}  {}{}{}{}",
                    entry.serial,
                    entry.digest.short(),
                    entry.published_at.format("%Y-%m-%dT%H:%M:%SZ"),
                    entry.places,
                    entry.events,
                    entry.name,
                    entry.note.as_ref().map(|note| format!("  “{note}”")).unwrap_or_default(),
                    entry.forced.as_ref().map(|why| format!("  (forced: {why})")).unwrap_or_default(),
                    if at == 0 { "  <- in service" } else { "" },
                );
            }
            text
        })
    }

    async fn diff(&self, from: &str, to: Option<&str>) -> Result<ExitCode> {
        let spinner = spinner("comparing");
        let old = self.folder_or_published(from).await?;
        let new = match to {
            Some(to) => self.folder_or_published(to).await?,
            None => {
                let depot = open_depot(self.config)?;
                let current = depot.current().await?;
                let current = current.context("nothing was published yet: name the other snapshot")?;
                snapshot_of(&depot, &current.entry.digest).await?
            }
        };
        let diff = diff(&old, &new);
        spinner.finish_and_clear();
        show(self.json, &diff, || if diff.is_empty() { "no difference".to_owned() } else { diff.to_string() })
    }

    async fn rollback(&self, digest: &str) -> Result<ExitCode> {
        let depot = open_depot(self.config)?;
        let pointer = depot.current().await?.context("nothing was published yet")?;
        let serial = pointer.entry.serial;
        let entry = published(&pointer, digest)?.clone();
        if entry.digest == pointer.entry.digest {
            bail!("snapshot {} is the one in service", entry.digest.short());
        }
        let publication = NewPublication {
            digest: entry.digest,
            name: entry.name,
            places: entry.places,
            events: entry.events,
            published_at: self.now(),
            note: Some(format!("back to serial {}", entry.serial)),
            // a rollback may remove records
            forced: Some("rollback".to_owned()),
        };
        self.record("snapshot rollback", &publication).await;
        let pointer = depot.publish(publication, Some(serial)).await?;
        self.show_published(&pointer.entry)
    }

    /// Records a publication in the audit log. A curator may publish from a machine that does not reach the store: then
    /// it says so and goes on.
    async fn record(&self, action: &str, publication: &NewPublication) {
        let NewPublication { digest, name, note, forced, .. } = publication;
        let detail = format!(
            "{name:?}, digest {}{}",
            digest.short(),
            note.as_ref().map(|note| format!(", {note}")).unwrap_or_default()
        );
        let recorded = async {
            if let StoreSpec::Sqlite(path) = &self.config.store {
                anyhow::ensure!(path.exists(), "{} does not exist", path.display());
            }
            let store = open_store(self.config, &self.config.store)?;
            let changed = Changed { action, account: None, detail, reason: forced.as_deref() };
            anyhow::Ok(record(&*store, changed).await?)
        };
        if let Err(error) = recorded.await {
            eprintln!("warning: not in the audit log: {error:#}");
        }
    }

    fn show_published(&self, entry: &Publication) -> Result<ExitCode> {
        let Publication { serial, digest, name, places, events, .. } = entry;
        let shown = json!({
            "ok": true, "serial": serial, "digest": digest, "name": name, "places": places, "events": events,
        });
        show(self.json, &shown, || {
            format!(
                "published as serial {serial}: {name:?}, {places} places, {events} events, digest {}\nServers load it within 2 s.",
                digest.short()
            )
        })
    }

    /// Packs a folder, or reads and checks a packed file.
    fn packed(&self, path: &Path) -> Result<Packed> {
        let spinner = spinner("checking and packing");
        let packed = if path.is_file() {
            let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
            let snapshot = unpack(&bytes, None).with_context(|| format!("{}", path.display()))?;
            can_be_served(&snapshot)?;
            let (name, counts) = (snapshot.name.clone(), snapshot.counts());
            Packed { digest: Digest::of(&bytes), bytes: Bytes::from(bytes), name, counts }
        } else {
            let snapshot = self.checked(path)?;
            can_be_served(&snapshot)?;
            Packed::of(snapshot).context("the snapshot could not be compressed")?
        };
        spinner.finish_and_clear();
        Ok(packed)
    }

    /// Reads a snapshot folder, or the published snapshot whose digest starts with `what`.
    async fn folder_or_published(&self, what: &str) -> Result<Snapshot> {
        let path = Path::new(what);
        if path.is_dir() {
            return self.checked(path);
        }
        let depot = open_depot(self.config)?;
        let pointer = depot.current().await?;
        let pointer =
            pointer.with_context(|| format!("{what} is not a folder, and nothing was published yet"))?;
        snapshot_of(&depot, &published(&pointer, what)?.digest).await
    }

    /// Reads a snapshot folder. Its defects are an error, which is shown as a list.
    fn checked(&self, folder: &Path) -> Result<Snapshot> {
        Ok(check(&Files::read(folder), self.clock.today().date())?)
    }

    fn show_defects(&self, defects: &Defects) -> Result<ExitCode> {
        show(self.json, &json!({ "ok": false, "defects": defects.listed, "more": defects.more }), || {
            defects.to_string()
        })?;
        Ok(ExitCode::FAILURE)
    }

    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.clock.now().0).unwrap_or(DateTime::UNIX_EPOCH)
    }
}

/// Whether servers accept a checked snapshot. The format knows no region, but the plans of the service do.
fn can_be_served(snapshot: &Snapshot) -> Result<(), NoFreeRegion> {
    let mut regions = snapshot.vocabulary.geography.regions.iter();
    if regions.any(|region| region.slug == FREE_REGION) { Ok(()) } else { Err(NoFreeRegion) }
}

async fn snapshot_of(depot: &Depot, digest: &Digest) -> Result<Snapshot> {
    Ok(unpack(&depot.fetch(digest).await?, Some(digest))?)
}

/// All publications, the latest first.
fn publications(pointer: Pointer) -> Vec<Publication> {
    std::iter::once(pointer.entry).chain(pointer.history).collect()
}

/// The latest publication whose digest starts with `digest`.
fn published<'p>(pointer: &'p Pointer, digest: &str) -> Result<&'p Publication> {
    let digest = digest.to_ascii_lowercase();
    let entries = || std::iter::once(&pointer.entry).chain(&pointer.history);
    let mut found =
        entries().filter(|entry| !digest.is_empty() && entry.digest.to_string().starts_with(&digest));
    let first = found.next().with_context(|| {
        format!(
            "no published snapshot has a digest that starts with {digest:?}: see `candango snapshot list`"
        )
    })?;
    if found.any(|other| other.digest != first.digest) {
        bail!("several published snapshots have a digest that starts with {digest:?}: give more digits");
    }
    Ok(first)
}

fn describe(counts: Counts) -> String {
    let Counts { places, events, regions, neighbourhoods, categories } = counts;
    format!(
        "{places} places, {events} dated events, {regions} regions with {neighbourhoods} neighbourhoods, {categories} categories"
    )
}

/// Shows on a terminal that a command is still working.
fn spinner(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(what);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
