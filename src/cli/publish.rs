//! `candango snapshot publish`, `pull` and `rollback`: a colleague's work is merged or refused, never lost.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{ArgGroup, Args};
use serde_json::{Value, json};
use snapshots::{
    Collision, Depot, Diff, Digest, Files, Hidden, Pointer, Publication, ServerState, Snapshot,
    SnapshotStats, check, diff, merge, regressions, vanishing,
};

use super::audit::Reason;
use super::base;
use super::curator::{Curator, Ready, Served, can_be_served, publication_of, snapshot_of, spinner, who};
use super::hide::{describe_hidden, show_ended};
use super::output::{EVENTS, PLACES, counted, show, tell};
use super::runtime::open_depot;
use crate::config::{Config, StoreSpec};

/// How long `--wait` waits when no time is given.
const WAIT: &str = "120";

/// The longest that `--wait` waits, in seconds: a day.
const MAX_WAIT: u64 = 24 * 60 * 60;

/// How many of the records that would vanish are named.
const VANISHING_NAMED: usize = 5;

/// Why a rollback may remove records.
const ROLLBACK: &str = "rollback";

/// How often it looks.
const LOOK: Duration = Duration::from_millis(250);

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

/// The flag `--wait`.
#[derive(Debug, Args)]
struct WaitFlag {
    /// Wait until the servers serve it, at most so many seconds
    #[arg(
        long = "wait",
        value_name = "SECONDS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = WAIT,
        value_parser = clap::value_parser!(u64).range(1..=MAX_WAIT)
    )]
    seconds: Option<u64>,
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

/// What to publish after a look at what others published.
enum Reconciled {
    /// The folder as it is.
    AsItIs(Ready),
    /// It was merged, and the folder is to be rewritten.
    Merged(Ready, Vec<snapshots::FileText>),
    /// It had no change of its own, and is to be brought up to the one in service.
    CaughtUp(Vec<snapshots::FileText>),
    /// Nothing is to be published, which has been said: a colleague's work would be lost, or the folder says nothing
    /// of its own.
    Said(ExitCode),
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
                    return self.show_in_service(&depot, &path, current, (Outcome::CaughtUp, wait)).await;
                }
                Reconciled::Said(code) => return Ok(code),
            },
            _ => (ready, None),
        };
        if let Some(current) = current.as_ref().filter(|_| forced.is_none())
            && let Some(refused) = self.refuse_regressions(&depot, &current.entry.digest, &ready).await?
        {
            return Ok(refused);
        }
        if let Some(current) = current.as_ref().filter(|_| forced.is_none())
            && ready.packed.digest == current.entry.digest
            && depot.hidden().await?.unwrap_or_default().ended_by(&ready.snapshot, self.today()).is_empty()
        {
            return self.show_in_service(&depot, &path, current, (Outcome::Unchanged, wait)).await;
        }
        let Ready { packed, snapshot } = ready;
        if let (Some(texts), Some(current)) = (&rewritten, &current) {
            // the folder holds their work from here on, whatever becomes of the rest
            base::write_files(&path, texts, current.entry.digest)?;
        }
        let spinner = spinner("storing");
        depot.store(&packed).await?;
        spinner.finish_and_clear();
        let before = depot.hidden().await?.unwrap_or_default();
        let ended = before.ended_by(&snapshot, self.today());
        let mut still = before;
        ended.iter().for_each(|id| drop(still.records.remove(id)));
        let served = self.served(snapshot, &still)?;
        let publication = Publication {
            serial: current.as_ref().map_or(0, |current| current.entry.serial) + 1,
            digest: packed.digest,
            name: packed.name.clone(),
            places: served.places,
            events: served.events,
            published_at: self.now(),
            by: Some(who(&path)),
            note,
            forced,
        };
        let how = if over { ", over what was published since the folder began" } else { "" };
        self.record_publication("snapshot publish", &publication, how).await;
        let servers = depot.servers().await.unwrap_or_default();
        if path.is_dir() && current.is_some() {
            base::announce(&path, current.as_ref(), packed.digest)?;
        }
        let pointer = depot.publish(publication).await?;
        if path.is_dir()
            && let Err(error) = base::write(&path, packed.digest)
        {
            tell(format_args!("warning: the folder cannot remember what was published: {error:#}"));
        }
        let hidden = self.show_again(&depot, &ended).await?;
        let waited = self.wait_for(&depot, &pointer.entry, servers, wait).await?;
        let outcome = if rewritten.is_some() { Outcome::Merged } else { Outcome::Published };
        self.show_published(&pointer.entry, outcome, (&ended, &hidden), waited)
    }

    /// Refuses a depot in a folder that no server has, named by nobody. Other commands make the folder too.
    fn check_is_read(&self) -> Result<()> {
        let Config { data, store, .. } = self.config;
        let has_run = || {
            let has_store = matches!(store, StoreSpec::Sqlite(path) if path.exists());
            has_store || data.join("server.lock").exists()
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

    /// Says that what was to be published is in service. A publication of its own would say nothing, and the changes of
    /// [`crate::changes`] go back only so many publications.
    async fn show_in_service(
        &self,
        depot: &Depot,
        path: &Path,
        current: &Pointer,
        (outcome, wait): (Outcome, Option<u64>),
    ) -> Result<ExitCode> {
        if path.is_dir() {
            base::write(path, current.entry.digest)?;
        }
        let servers = depot.servers().await.unwrap_or_default();
        let waited = self.wait_for(depot, &current.entry, servers, wait).await?;
        let hidden = depot.hidden().await?.unwrap_or_default();
        self.show_published(&current.entry, outcome, (&[], &hidden), waited)
    }

    /// Compares the folder with what was published since it began.
    async fn reconcile(
        &self,
        depot: &Depot,
        path: &Path,
        ready: Ready,
        current: &Pointer,
        may_merge: bool,
    ) -> Result<Reconciled> {
        let live = current.entry.digest;
        if !path.is_dir() || ready.packed.digest == live {
            return Ok(Reconciled::AsItIs(ready));
        }
        let Some(began) = base::read(path, Some(current))? else {
            tell(format_args!(
                "warning: {} does not say which publication it began from, so that a colleague's work since then cannot \
                 be seen; a folder made by `candango snapshot pull DIR` says it, and so does this one once it is published",
                path.display()
            ));
            return Ok(Reconciled::AsItIs(ready));
        };
        if began == live {
            return Ok(Reconciled::AsItIs(ready));
        }
        let spinner = spinner("comparing with what was published since");
        let base = snapshot_of(depot, &began).await.with_context(|| {
            format!(
                "the folder began from {}, and another snapshot is in service: they cannot be compared; pull the \
                 live one into a new folder and repeat the changes there, or publish this one over it with --over",
                began.short()
            )
        })?;
        let base = base.as_curated();
        let has_changes = ready.snapshot != base;
        if !has_changes && (!may_merge || is_taken_back(current, &began)) {
            spinner.finish_and_clear();
            let said = self.show_without_changes(path, (began, live), is_taken_back(current, &began))?;
            return Ok(Reconciled::Said(said));
        }
        let theirs = snapshot_of(depot, &live).await?.as_curated();
        let mut merged = merge(&base, &ready.snapshot, &theirs).context("the snapshots cannot be merged")?;
        spinner.finish_and_clear();
        if !may_merge || !merged.collisions.is_empty() {
            let changes = [diff(&base, &theirs), diff(&base, &ready.snapshot)];
            if is_taken_back(current, &began) {
                self.show_taken_back((began, live), &changes)?;
            } else {
                self.show_unmerged((began, live), &changes, &merged.collisions)?;
            }
            return Ok(Reconciled::Said(ExitCode::FAILURE));
        }
        let (before, after) = (ready.snapshot.texts()?, merged.snapshot.texts()?);
        let changed = before.iter().zip(&after).filter(|(before, after)| before != after);
        let changed: Vec<_> = changed.map(|(_, (file, _))| *file).collect();
        let snapshot = check(&Files::from_iter(after), self.today())
            .context("what both sides changed is right alone and wrong together; the folder is as it was")?;
        merged.order_like(&Files::read(path));
        let mut texts = merged.snapshot.texts()?;
        texts.retain(|(file, _)| changed.contains(file));
        Ok(match has_changes {
            true => Reconciled::Merged(self.packed(snapshot)?, texts),
            false => Reconciled::CaughtUp(texts),
        })
    }

    /// Says that a folder has no change of its own since the publication that it began from. That is no failure, as a
    /// line of cron comes to it after a colleague's publication; after a rollback the folder has to be corrected.
    fn show_without_changes(
        &self,
        path: &Path,
        (began, live): (Digest, Digest),
        is_taken_back: bool,
    ) -> Result<ExitCode> {
        let shown = json!({
            "ok": !is_taken_back, "base": began, "live": live, "mine": [], "unchanged": true, "behind": true,
        });
        show(self.json, &shown, || {
            let (path, began, live) = (path.display(), began.short(), live.short());
            if is_taken_back {
                return format!(
                    "not published: {path} is publication {began}, without a change of its own, and a rollback took it \
                     back. To bring it back: candango snapshot rollback {began}. To go on from {live}, which is in \
                     service: candango snapshot pull NEW_FOLDER"
                );
            }
            format!(
                "nothing to publish: {path} is publication {began}, without a change of its own, and {live} was published \
                 since and is in service. To bring the folder up to it: candango snapshot publish {path} --merge. To bring \
                 {began} back: candango snapshot rollback {began}"
            )
        })?;
        Ok(if is_taken_back { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// Says that what a folder was published as was taken back since.
    fn show_taken_back(&self, (began, live): (Digest, Digest), [back, mine]: &[Diff; 2]) -> Result<ExitCode> {
        let shown = json!({
            "ok": false, "base": began, "live": live, "rolled_back": true, "theirs": back, "mine": mine, "collisions": [],
        });
        show(self.json, &shown, || {
            let (began, live) = (began.short(), live.short());
            format!(
                "not published: a rollback took {began} back, from which this folder began, and {live} is in service.\n\n\
                 What the rollback changed:\n{}\n\nWhat you changed since {began}:\n{}\n\nTo publish the folder as it is \
                 now, if it is corrected: --over. To go on from what is in service: candango snapshot pull NEW_FOLDER",
                indented(&back.to_string()),
                indented(&mine.to_string())
            )
        })
    }

    /// Says what both sides changed since the folder began from a publication, and what of it collides.
    fn show_unmerged(
        &self,
        (began, live): (Digest, Digest),
        [theirs, mine]: &[Diff; 2],
        collisions: &[Collision],
    ) -> Result<ExitCode> {
        let shown = json!({
            "ok": false, "base": began, "live": live, "theirs": theirs, "mine": mine, "collisions": collisions,
        });
        show(self.json, &shown, || {
            let mut text = format!(
                "not published: {} was published since this folder began from {}.\n\nWhat they changed:\n{}\n\nWhat you \
                 changed:\n{}\n\n",
                live.short(),
                began.short(),
                indented(&theirs.to_string()),
                indented(&mine.to_string())
            );
            if collisions.is_empty() {
                text += "Nothing collides: publish with --merge to publish both.";
            } else {
                text += "What collides:\n";
                text.extend(collisions.iter().map(|one| format!("  {one}\n")));
                text += "Write what is live into these fields and publish with --merge; change them in a publication of \
                         their own if that is right.";
            }
            text += "\nTo publish your folder as it is, so that what they changed is undone: --over";
            text
        })
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
        let waited = self.wait_for(&depot, &pointer.entry, servers, flags.wait.seconds).await?;
        self.show_published(&pointer.entry, Outcome::RolledBack, (&[], &hidden), waited)
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

    /// Waits so many seconds, if any, until the servers that were heard of serve a publication; returns those that do
    /// and those that do not.
    async fn wait_for(
        &self,
        depot: &Depot,
        live: &Publication,
        mut servers: Vec<ServerState>,
        seconds: Option<u64>,
    ) -> Result<Option<Waited>> {
        let Some(seconds) = seconds else { return Ok(None) };
        servers.retain(|server| !self.is_silent(server));
        let spinner = spinner("waiting for the servers");
        let end = Instant::now() + Duration::from_secs(seconds);
        loop {
            let states = depot.servers().await?;
            let later = depot.current().await?;
            // A later publication may have replaced this one. Its serial alone does not say so: serials begin again in
            // a depot that lost its pointer.
            let is_live = |state: &ServerState| {
                let is_of =
                    |entry: &Publication| (entry.serial, entry.digest) == (state.serial, state.digest);
                let mut since = later.iter().flat_map(Pointer::publications);
                is_of(live) || since.any(|entry| entry.serial > live.serial && is_of(entry))
            };
            let serves =
                |wanted: &&ServerState| states.iter().any(|state| state.id == wanted.id && is_live(state));
            let (serving, missing): (Vec<_>, Vec<_>) = servers.iter().partition(serves);
            if missing.is_empty() || Instant::now() >= end {
                spinner.finish_and_clear();
                let ids =
                    |list: Vec<&ServerState>| list.into_iter().map(|server| server.id.clone()).collect();
                return Ok(Some(Waited { serving: ids(serving), missing: ids(missing), seconds }));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    fn show_published(
        &self,
        entry: &Publication,
        outcome: Outcome,
        (ended, hidden): (&[String], &Hidden),
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

/// What `--wait` found.
struct Waited {
    serving: Vec<String>,
    missing: Vec<String>,
    seconds: u64,
}

impl Waited {
    /// Whether there are servers, and all of them serve it.
    fn is_served(&self) -> bool {
        !self.serving.is_empty() && self.missing.is_empty()
    }

    fn describe(&self) -> String {
        match (self.serving.as_slice(), self.missing.as_slice()) {
            ([], []) => {
                "no server was heard of in the last 150 s: nobody serves it yet. Is this the depot of the server (--data, \
                 --depot)?"
                    .to_owned()
            }
            (serving, []) => format!("served by {}", serving.join(", ")),
            (_, missing) => {
                format!("after {} s these servers do not serve it: {}", self.seconds, missing.join(", "))
            }
        }
    }
}

/// Whether nothing but rollbacks came after a snapshot.
fn is_taken_back(pointer: &Pointer, began: &Digest) -> bool {
    let mut since = pointer.publications().take_while(|entry| entry.digest != *began).peekable();
    since.peek().is_some() && since.all(is_rollback)
}

/// The publication before the one in service, of another snapshot. Behind a rollback it is the one before that to which
/// it went back, so that of two bad publications in a row the second is not taken for good.
fn before(pointer: &Pointer) -> Option<&Publication> {
    let live = pointer.entry.digest;
    let published = pointer.publications().filter(|entry| !is_rollback(entry));
    published.skip_while(|entry| entry.digest != live).find(|entry| entry.digest != live)
}

fn is_rollback(entry: &Publication) -> bool {
    entry.forced.as_deref() == Some(ROLLBACK)
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

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

impl Curator<'_> {
    /// Writes a published snapshot as a folder.
    pub(super) async fn pull(&self, digest: Option<&str>, folder: &Path) -> Result<ExitCode> {
        let (depot, pointer) = self.published().await?;
        let entry = match digest {
            Some(digest) => publication_of(&pointer, digest)?,
            None => &pointer.entry,
        };
        ensure!(
            self.holds_nothing_of_its_own(&depot, folder).await?,
            "{} is not empty, and its content is not what was pulled into it or published of it: pull into another folder",
            folder.display()
        );
        let snapshot = snapshot_of(&depot, &entry.digest).await?.as_curated();
        let is_new = !folder.exists();
        std::fs::create_dir_all(folder)
            .with_context(|| format!("the folder {} cannot be created", folder.display()))?;
        let written = base::write_files(folder, &snapshot.texts()?, entry.digest);
        if written.is_err() && is_new {
            // it is empty again, and one that is not stays
            let _ = std::fs::remove_dir(folder);
        }
        written?;
        let counts = snapshot.counts();
        let shown = json!({
            "ok": true, "folder": folder.display().to_string(), "serial": entry.serial, "digest": entry.digest,
            "name": entry.name, "counts": counts,
        });
        show(self.json, &shown, || {
            format!(
                "serial {} ({}) is in {}: {}, {}. Change it, then `candango snapshot publish {}`.",
                entry.serial,
                entry.digest.short(),
                folder.display(),
                counted(counts.places, PLACES),
                counted(counts.events, EVENTS),
                folder.display()
            )
        })
    }

    /// Whether nothing is lost when a folder is written over: it is empty, or it is what it began from.
    async fn holds_nothing_of_its_own(&self, depot: &Depot, folder: &Path) -> Result<bool> {
        let is_empty = match std::fs::read_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
            files => files.with_context(|| format!("{} cannot be read", folder.display()))?.next().is_none(),
        };
        if is_empty {
            return Ok(true);
        }
        let current = depot.current().await?;
        let (Some(began), Ok(held)) = (base::read(folder, current.as_ref())?, self.checked(folder)) else {
            return Ok(false);
        };
        let began: Snapshot = snapshot_of(depot, &began).await?.as_curated();
        Ok(held == began)
    }
}
