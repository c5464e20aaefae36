//! `candango snapshot publish` and `rollback`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args};
use serde_json::{Value, json};
use snapshots::{Depot, Digest, Hidden, Pointer, Publication, SnapshotStats, regressions, vanishing};

use super::audit::Reason;
use super::base;
use super::curator::{
    Curator, ROLLBACK, Ready, Served, can_be_served, is_rollback, publication_of, snapshot_of, spinner, who,
};
use super::hide::{describe_hidden, show_ended};
use super::output::{EVENTS, PLACES, counted, show, tell};
use super::reconcile::Reconciled;
use super::runtime::open_depot;
use super::wait::{WaitFlag, Waited};
use crate::config::{Config, StoreSpec};
use crate::store::lock::SERVER_LOCK;

/// How many of the records that would vanish are named.
const VANISHING_NAMED: usize = 5;

/// The flags of `candango snapshot publish`.
#[derive(Debug, Args)]
pub(super) struct PublishFlags {
    /// The snapshot folder, or a packed file
    folder: std::path::PathBuf,
    /// What is new, for `candango snapshot list`
    #[arg(long)]
    note: Option<String>,
    /// Merge what was published since this folder began, if nothing collides
    #[arg(long, conflicts_with = "over")]
    merge: bool,
    /// Publish the folder as it is over what was published since it began
    #[arg(long)]
    over: bool,
    #[command(flatten)]
    wait: WaitFlag,
    /// Publish although many records of the current snapshot would vanish, and what is in service already; a
    /// colleague's work since the folder began is kept with --merge, or given up with --over
    #[arg(long, requires = "reason")]
    force: bool,
    /// Why they may vanish
    #[arg(long, requires = "force")]
    reason: Option<Reason>,
}

/// The flags of `candango snapshot rollback`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).args(["digest", "previous"]))]
pub(super) struct RollbackFlags {
    /// The digest of a published snapshot, or its first digits, which `list` shows
    digest: Option<String>,
    /// Take the one that was published before; again, the one before that
    #[arg(long)]
    previous: bool,
    /// Why, for `candango snapshot list`
    #[arg(long)]
    note: Option<String>,
    #[command(flatten)]
    wait: WaitFlag,
}

impl Curator<'_> {
    pub(super) async fn publish(&self, flags: PublishFlags) -> Result<ExitCode> {
        let PublishFlags { folder: path, note, merge, over, wait, force: _, reason } = flags;
        let wait = wait.seconds;
        let forced = reason.map(|reason| reason.as_str().to_owned());
        self.check_is_read()?;
        let ready = self.ready(&path)?;
        let depot = open_depot(self.config)?;
        let current = depot.current().await?;
        let (ready, rewritten) = match &current {
            Some(current) if !over => match self.reconcile(&depot, &path, ready, current, merge).await? {
                Reconciled::AsItIs(ready) => (ready, None),
                Reconciled::Merged(ready, texts) => (ready, Some(texts)),
                Reconciled::CaughtUp(texts) => {
                    base::write_files(&path, &texts, current.entry.digest)?;
                    return self.show_in_service(&depot, &path, current, Outcome::CaughtUp, wait).await;
                }
                Reconciled::Said(code) => return Ok(code),
            },
            _ => (ready, None),
        };
        if let Some(current) = current.as_ref().filter(|_| forced.is_none()) {
            if let Some(refused) = self.refuse_regressions(&depot, &current.entry.digest, &ready).await? {
                return Ok(refused);
            }
            if self.is_in_service(&depot, current, &ready).await? {
                return self.show_in_service(&depot, &path, current, Outcome::Unchanged, wait).await;
            }
        }
        if let (Some(texts), Some(current)) = (&rewritten, &current) {
            // the folder holds their work from here on, whatever becomes of the rest
            base::write_files(&path, texts, current.entry.digest)?;
        }
        let spinner = spinner("storing");
        depot.store(&ready.packed).await?;
        spinner.finish_and_clear();
        let mut hidden = depot.hidden().await?.unwrap_or_default();
        let ended = hidden.ended_by(&ready.snapshot, self.now(), self.today());
        let gone = hidden.gone_from(&ready.snapshot, self.today());
        ended.iter().for_each(|id| drop(hidden.records.remove(id)));
        let serial = current.as_ref().map_or(0, |current| current.entry.serial) + 1;
        let publication = Publication { note, forced, ..self.publication(&path, ready, serial, &hidden)? };
        let how = if over { ", over what was published since the folder began" } else { "" };
        self.record_publication("snapshot publish", &publication, how).await;
        let servers = depot.servers().await.unwrap_or_default();
        let pointer = publish_from(&path, &depot, current.as_ref(), publication).await?;
        let hidden = self.show_again(&depot, &ended, &gone).await?;
        let waited = self.wait_for(&depot, &pointer.entry, servers, wait).await?;
        let outcome = if rewritten.is_some() { Outcome::Merged } else { Outcome::Published };
        self.show_published(&pointer.entry, outcome, &ended, &hidden, waited)
    }

    /// The entry of a publication from a folder, with these records hidden.
    fn publication(&self, path: &Path, ready: Ready, serial: u64, hidden: &Hidden) -> Result<Publication> {
        let Ready { packed, snapshot } = ready;
        let served = self.served(snapshot, hidden)?;
        Ok(Publication {
            serial,
            digest: packed.digest,
            name: packed.name,
            places: served.places,
            events: served.events,
            published_at: self.now(),
            by: Some(who(path)),
            note: None,
            forced: None,
        })
    }

    /// Refuses a depot in a folder that no server has, named by nobody. Other commands make the folder too.
    fn check_is_read(&self) -> Result<()> {
        let Config { data, store, .. } = self.config;
        let has_run = || {
            let has_store = matches!(store, StoreSpec::Sqlite(path) if path.exists());
            has_store || data.join(SERVER_LOCK).exists()
        };
        if !self.config.is_set("data") && !self.config.is_set("depot") && !has_run() {
            bail!(
                "no server has run in this folder: there is no store in {}, so nobody would read what is published; name \
                 the server's folder with --data, or its depot with --depot",
                data.display()
            );
        }
        Ok(())
    }

    /// Whether a snapshot is the one in service, and no hidden record is shown again with it.
    async fn is_in_service(&self, depot: &Depot, current: &Pointer, ready: &Ready) -> Result<bool> {
        if ready.packed.digest != current.entry.digest {
            return Ok(false);
        }
        let hidden = depot.hidden().await?.unwrap_or_default();
        Ok(hidden.ended_by(&ready.snapshot, self.now(), self.today()).is_empty())
    }

    /// Says that what was to be published is in service. A publication of its own would say nothing, and the changes of
    /// [`crate::changes`] go back only so many publications.
    async fn show_in_service(
        &self,
        depot: &Depot,
        path: &Path,
        current: &Pointer,
        outcome: Outcome,
        wait: Option<u64>,
    ) -> Result<ExitCode> {
        if path.is_dir() {
            base::write(path, current.entry.digest)?;
        }
        let servers = depot.servers().await.unwrap_or_default();
        let waited = self.wait_for(depot, &current.entry, servers, wait).await?;
        let hidden = depot.hidden().await?.unwrap_or_default();
        self.show_published(&current.entry, outcome, &[], &hidden, waited)
    }

    /// Refuses a snapshot that loses many records.
    async fn refuse_regressions(
        &self,
        depot: &Depot,
        live: &Digest,
        ready: &Ready,
    ) -> Result<Option<ExitCode>> {
        let spinner = spinner("comparing with the snapshot in service");
        let hidden = depot.hidden().await?.unwrap_or_default();
        let old = match snapshot_of(depot, live).await {
            // what is hidden already does not vanish
            Ok(old) => old.without(&hidden),
            Err(error) => bail!(
                "the new snapshot cannot be compared with the one in service ({error:#}); publish with --force --reason"
            ),
        };
        let regressions =
            regressions(&SnapshotStats::of(&old), &SnapshotStats::of(&ready.snapshot), self.today());
        spinner.finish_and_clear();
        if regressions.is_empty() {
            return Ok(None);
        }
        let vanishing = vanishing(&old, &ready.snapshot, self.today());
        let shown = json!({ "ok": false, "alarms": regressions, "vanishing": vanishing });
        show(self.json, &shown, || {
            let list: String = regressions.iter().map(|regression| format!("\n  {regression}")).collect();
            format!(
                "not published: {}:{list}\nIf that is right: --force --reason \"why\"",
                described(&vanishing)
            )
        })?;
        Ok(Some(ExitCode::FAILURE))
    }

    pub(super) async fn rollback(&self, flags: RollbackFlags) -> Result<ExitCode> {
        let (depot, pointer) = self.published().await?;
        let entry = match &flags.digest {
            Some(digest) => publication_of(&pointer, digest)?.clone(),
            None => before(&pointer).context("nothing else was published before")?.clone(),
        };
        if entry.digest == pointer.entry.digest {
            bail!("snapshot {} is the one in service", entry.digest.short());
        }
        // Servers would refuse a damaged file, and go on with what is to be taken back.
        let snapshot = snapshot_of(&depot, &entry.digest).await.with_context(|| {
            format!("not rolled back: the snapshot {} in the depot cannot be served", entry.digest.short())
        })?;
        can_be_served(&self.config.plans.free.area, &snapshot)?;
        let hidden = depot.hidden().await?.unwrap_or_default();
        let gone = hidden.gone_from(&snapshot, self.today());
        // what is served today: records may have been hidden since, and events be over
        let Served { places, events, .. } = self.served(snapshot, &hidden)?;
        let back = format!("back to serial {}", entry.serial);
        let publication = Publication {
            serial: pointer.entry.serial + 1,
            published_at: self.now(),
            by: Some(who(Path::new("."))),
            note: Some(flags.note.map_or(back.clone(), |note| format!("{back}: {note}"))),
            // a rollback may remove records
            forced: Some(ROLLBACK.to_owned()),
            places,
            events,
            ..entry
        };
        self.record_publication("snapshot rollback", &publication, "").await;
        let servers = depot.servers().await.unwrap_or_default();
        let pointer = depot.publish(publication).await?;
        let hidden = self.show_again(&depot, &[], &gone).await?;
        let waited = self.wait_for(&depot, &pointer.entry, servers, flags.wait.seconds).await?;
        self.show_published(&pointer.entry, Outcome::RolledBack, &[], &hidden, waited)
    }

    async fn record_publication(&self, action: &str, publication: &Publication, how: &str) {
        let Publication { digest, name, note, by, forced, .. } = publication;
        let mut detail = format!("{name:?}, digest {}", digest.short());
        for (word, value) in [("by ", by), ("", note)] {
            detail += &value.as_ref().map(|value| format!(", {word}{value}")).unwrap_or_default();
        }
        detail += how;
        self.record(action, detail, forced.as_deref()).await;
    }

    fn show_published(
        &self,
        entry: &Publication,
        outcome: Outcome,
        ended: &[String],
        hidden: &Hidden,
        waited: Option<Waited>,
    ) -> Result<ExitCode> {
        let Publication { serial, digest, name, places, events, by, .. } = entry;
        let mut shown = json!({
            "ok": true, "serial": serial, "digest": digest, "name": name, "places": places, "events": events, "by": by,
            "merged": outcome == Outcome::Merged, "unchanged": outcome.is_unchanged(), "caught_up": outcome == Outcome::CaughtUp,
            "shown_again": ended, "hidden": hidden.records,
        });
        let is_missing = waited.as_ref().is_some_and(|waited| !waited.is_served());
        if let Some(waited) = &waited {
            shown["serving"] = json!(waited.serving);
            shown["missing"] = json!(waited.missing);
            shown["ok"] = Value::from(!is_missing);
        }
        show(self.json, &shown, || {
            let done = match outcome {
                Outcome::Unchanged => "nothing has changed: in service as",
                Outcome::CaughtUp => {
                    "nothing to publish: the folder had no change of its own, and is now as in service as"
                }
                Outcome::Published | Outcome::Merged | Outcome::RolledBack => "published as",
            };
            let mut text = format!(
                "{done} serial {serial}: {name:?}, {}, {}, digest {}\n",
                counted(*places, PLACES),
                counted(*events, EVENTS),
                digest.short()
            );
            if outcome == Outcome::Merged {
                text += "What others published since was merged, and the folder holds it.\n";
            }
            text += &show_ended(ended);
            text += &describe_hidden(hidden);
            text += &match (&waited, outcome) {
                (Some(waited), _) => waited.describe(),
                (None, Outcome::CaughtUp) => String::new(),
                (None, Outcome::Unchanged) => "To publish it again: --force --reason \"why\".".to_owned(),
                (None, _) => "Servers load it within 2 s.".to_owned(),
            };
            if outcome == Outcome::RolledBack {
                text += "\nThe folder that was published is as it was: correct it and publish it with --over, or go on from \
                         what is in service: candango snapshot pull NEW_FOLDER";
            }
            text
        })?;
        Ok(if is_missing { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// Publishes, and has the folder remember what was published from it.
async fn publish_from(
    path: &Path,
    depot: &Depot,
    current: Option<&Pointer>,
    publication: Publication,
) -> Result<Pointer> {
    let digest = publication.digest;
    if path.is_dir() && current.is_some() {
        base::announce(path, current, digest)?;
    }
    let pointer = depot.publish(publication).await?;
    if path.is_dir()
        && let Err(error) = base::write(path, digest)
    {
        tell(format_args!("warning: the folder cannot remember what was published: {error:#}"));
    }
    Ok(pointer)
}

/// What became of what was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Published,
    /// With what others had published since.
    Merged,
    /// An earlier one, again.
    RolledBack,
    /// It is in service.
    Unchanged,
    /// The folder had no change of its own, and is what is in service now.
    CaughtUp,
}

impl Outcome {
    /// Whether nothing was published.
    fn is_unchanged(self) -> bool {
        matches!(self, Self::Unchanged | Self::CaughtUp)
    }
}

/// The publication before the one in service, of another snapshot. A rollback takes back all that was published after
/// the one that it went back to, so that none of those is taken for good again.
fn before(pointer: &Pointer) -> Option<&Publication> {
    let listed: Vec<&Publication> = pointer.publications().collect();
    let mut standing: Vec<&Publication> = Vec::new();
    for entry in listed.into_iter().rev() {
        if is_rollback(entry) {
            // all of them, if the list does not reach back to that one
            let kept = standing.iter().rposition(|one| one.digest == entry.digest).map_or(0, |at| at + 1);
            standing.truncate(kept);
            if kept > 0 {
                continue;
            }
        }
        standing.push(entry);
    }
    standing.into_iter().rev().find(|entry| entry.digest != pointer.entry.digest)
}

/// How many records would vanish, and which.
fn described(vanishing: &[String]) -> String {
    let first = vanishing.iter().take(VANISHING_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match vanishing {
        [] => "no record would vanish, but a region or a category would have none any more".to_owned(),
        [one] => format!("1 record would vanish ({one})"),
        many if many.len() <= VANISHING_NAMED => format!("{} records would vanish ({first})", many.len()),
        many => format!("{} records would vanish ({first}, ...)", many.len()),
    }
}
