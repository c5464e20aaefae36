//! `candango snapshot`: from what the curator hands in to what servers take. Works beside running servers: they
//! watch the depot by themselves. Uses [`crate::domain::clock`], [`crate::config`] and the crate `snapshots`.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use indicatif::ProgressBar;
use serde_json::json;
use snapshots::{
    Counts, Defects, Depot, Digest, Files, NewPublication, PackError, Packed, Pointer, Publication, Snapshot,
    SnapshotStats, check, diff, pack, regressions, unpack,
};

use super::{SnapshotCommand, show};
use crate::config::Config;
use crate::domain::clock::Clock;

pub(super) fn run(config: &Config, command: SnapshotCommand, json: bool) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let desk = Desk { config, clock: Clock::machine(), json };
    runtime.block_on(async {
        match command {
            SnapshotCommand::Check { folder } => desk.check(&folder),
            SnapshotCommand::Pack { folder, out } => desk.pack(&folder, &out),
            SnapshotCommand::Publish { folder, note, force: _, reason } => {
                desk.publish(&folder, note, reason).await
            }
            SnapshotCommand::List => desk.list().await,
            SnapshotCommand::Diff { from, to } => desk.diff(&from, to.as_deref()).await,
            SnapshotCommand::Rollback { digest } => desk.rollback(&digest).await,
        }
    })
}

/// Where snapshots are handled.
struct Desk<'c> {
    config: &'c Config,
    clock: Clock,
    json: bool,
}

impl Desk<'_> {
    fn check(&self, folder: &Path) -> Result<ExitCode> {
        let wait = waiting("checking");
        let checked = check(&Files::read(folder), self.clock.today().date());
        wait.finish_and_clear();
        match checked {
            Ok(snapshot) => {
                let counts = snapshot.counts();
                show(self.json, &json!({ "ok": true, "name": snapshot.name, "counts": counts }), || {
                    format!("{:?} is good: {}", snapshot.name, sentence(counts))
                })?;
                Ok(ExitCode::SUCCESS)
            }
            Err(defects) => self.tell(&defects),
        }
    }

    fn pack(&self, folder: &Path, out: &Path) -> Result<ExitCode> {
        let packed = match self.packed(folder)? {
            Ok(packed) => packed,
            Err(defects) => return self.tell(&defects),
        };
        std::fs::create_dir_all(out)
            .with_context(|| format!("the folder {} cannot be made", out.display()))?;
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
                sentence(packed.counts),
                packed.bytes.len(),
                path.display()
            )
        })?;
        Ok(ExitCode::SUCCESS)
    }

    async fn publish(&self, path: &Path, note: Option<String>, forced: Option<String>) -> Result<ExitCode> {
        let packed = match self.packed(path)? {
            Ok(packed) => packed,
            Err(defects) => return self.tell(&defects),
        };
        let depot = self.depot()?;
        let current = depot.current().await?;
        if forced.is_none()
            && let Some(current) = &current
        {
            let wait = waiting("comparing with the snapshot in service");
            let regressions = match snapshot_of(&depot, &current.entry.digest).await {
                Ok(old) => {
                    regressions(&SnapshotStats::of(&old), &SnapshotStats::of(&unpack(&packed.bytes, None)?))
                }
                Err(error) => bail!(
                    "the snapshot in service cannot be compared with ({error:#}); publish with --force --reason"
                ),
            };
            wait.finish_and_clear();
            if !regressions.is_empty() {
                show(self.json, &json!({ "ok": false, "alarms": regressions }), || {
                    let list: String = regressions.iter().map(|alarm| format!("\n  {alarm}")).collect();
                    format!(
                        "not published, because much vanishes:{list}\nIf that is right: --force --reason \"why\""
                    )
                })?;
                return Ok(ExitCode::FAILURE);
            }
        }
        let wait = waiting("storing");
        depot.store(&packed).await?;
        wait.finish_and_clear();
        let announcement = NewPublication {
            digest: packed.digest,
            name: packed.name.clone(),
            places: packed.counts.places,
            events: packed.counts.events,
            published_at: self.now(),
            note,
            forced,
        };
        let pointer = depot.publish(announcement, current.map(|current| current.entry.serial)).await?;
        self.show_published(&pointer.entry)
    }

    async fn list(&self) -> Result<ExitCode> {
        let entries: Vec<Publication> = self.depot()?.current().await?.map_or_else(Vec::new, all);
        show(self.json, &entries, || {
            if entries.is_empty() {
                return "nothing was published yet: servers answer from the built-in demo".to_owned();
            }
            let mut text =
                String::from("serial  digest        published             places   events  name\n");
            for (at, entry) in entries.iter().enumerate() {
                // writing to a string cannot fail
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
        })?;
        Ok(ExitCode::SUCCESS)
    }

    async fn diff(&self, from: &str, to: Option<&str>) -> Result<ExitCode> {
        let wait = waiting("comparing");
        let old = match self.either(from).await? {
            Ok(snapshot) => snapshot,
            Err(defects) => return self.tell(&defects),
        };
        let new = match to {
            Some(to) => match self.either(to).await? {
                Ok(snapshot) => snapshot,
                Err(defects) => return self.tell(&defects),
            },
            None => {
                let depot = self.depot()?;
                let current = depot
                    .current()
                    .await?
                    .ok_or_else(|| anyhow!("nothing was published yet: name the other snapshot"))?;
                snapshot_of(&depot, &current.entry.digest).await?
            }
        };
        let diff = diff(&old, &new);
        wait.finish_and_clear();
        show(
            self.json,
            &diff,
            || if diff.is_empty() { "no difference".to_owned() } else { diff.to_string() },
        )?;
        Ok(ExitCode::SUCCESS)
    }

    async fn rollback(&self, digest: &str) -> Result<ExitCode> {
        let depot = self.depot()?;
        let pointer = depot.current().await?.ok_or_else(|| anyhow!("nothing was published yet"))?;
        let serial = pointer.entry.serial;
        let entry = published(&pointer, digest)?.clone();
        if entry.digest == pointer.entry.digest {
            bail!("snapshot {} is the one in service", entry.digest.short());
        }
        let announcement = NewPublication {
            digest: entry.digest,
            name: entry.name,
            places: entry.places,
            events: entry.events,
            published_at: self.now(),
            note: Some(format!("back to serial {}", entry.serial)),
            // what vanishes with a step back is meant to
            forced: Some("rollback".to_owned()),
        };
        let pointer = depot.publish(announcement, Some(serial)).await?;
        self.show_published(&pointer.entry)
    }

    fn show_published(&self, entry: &Publication) -> Result<ExitCode> {
        let Publication { serial, digest, name, places, events, .. } = entry;
        let shown = json!({
            "ok": true, "serial": serial, "digest": digest, "name": name, "places": places, "events": events,
        });
        show(self.json, &shown, || {
            format!(
                "published as serial {serial}: {name:?}, {places} places, {events} events, digest {}\nServers take it within 2 s.",
                digest.short()
            )
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// A folder packed, or a packed file read and checked.
    fn packed(&self, path: &Path) -> Result<Result<Packed, Defects>> {
        let wait = waiting("checking and packing");
        let packed = if path.is_file() {
            let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
            let snapshot = unpack(&bytes, None).with_context(|| format!("{}", path.display()))?;
            let (name, counts) = (snapshot.name.clone(), snapshot.counts());
            Packed { digest: Digest::of(&bytes), bytes: Bytes::from(bytes), name, counts }
        } else {
            match pack(&Files::read(path), self.clock.today().date()) {
                Ok(packed) => packed,
                Err(PackError::Defective(defects)) => return Ok(Err(defects)),
                Err(error) => return Err(error.into()),
            }
        };
        wait.finish_and_clear();
        Ok(Ok(packed))
    }

    /// A snapshot folder, or a published snapshot by the beginning of its digest.
    async fn either(&self, what: &str) -> Result<Result<Snapshot, Defects>> {
        let path = Path::new(what);
        if path.is_dir() {
            return Ok(check(&Files::read(path), self.clock.today().date()));
        }
        let depot = self.depot()?;
        let pointer = depot
            .current()
            .await?
            .ok_or_else(|| anyhow!("{what} is no folder, and nothing was published yet"))?;
        Ok(Ok(snapshot_of(&depot, &published(&pointer, what)?.digest).await?))
    }

    fn tell(&self, defects: &Defects) -> Result<ExitCode> {
        show(self.json, &json!({ "ok": false, "defects": defects.listed, "more": defects.more }), || {
            defects.to_string()
        })?;
        Ok(ExitCode::FAILURE)
    }

    fn depot(&self) -> Result<Depot> {
        Depot::open(&self.config.depot.to_string())
            .with_context(|| format!("the depot {}", self.config.depot))
    }

    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.clock.now().0).unwrap_or(DateTime::UNIX_EPOCH)
    }
}

async fn snapshot_of(depot: &Depot, digest: &Digest) -> Result<Snapshot> {
    Ok(unpack(&depot.fetch(digest).await?, Some(digest))?)
}

/// The publication in service and those before it, the latest first.
fn all(pointer: Pointer) -> Vec<Publication> {
    std::iter::once(pointer.entry).chain(pointer.history).collect()
}

/// The latest publication whose digest begins so.
fn published<'p>(pointer: &'p Pointer, digest: &str) -> Result<&'p Publication> {
    let digest = digest.to_ascii_lowercase();
    let entries = || std::iter::once(&pointer.entry).chain(&pointer.history);
    let mut found =
        entries().filter(|entry| !digest.is_empty() && entry.digest.to_string().starts_with(&digest));
    let first = found.next().with_context(|| {
        format!("no published snapshot has a digest that begins with {digest:?}: `candango snapshot list` shows them")
    })?;
    if found.any(|other| other.digest != first.digest) {
        bail!("several published snapshots have a digest that begins with {digest:?}: give more of it");
    }
    Ok(first)
}

fn sentence(counts: Counts) -> String {
    let Counts { places, events, regions, neighbourhoods, categories } = counts;
    format!(
        "{places} places, {events} dated events, {regions} regions with {neighbourhoods} neighbourhoods, {categories} categories"
    )
}

/// A sign of life for whoever watches; nothing where nobody does.
fn waiting(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(what);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
