//! `candango snapshot publish` and `rollback`.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args};
use serde_json::{Value, json};
use snapshots::{
    Depot, DepotError, Digest, FileText, Hidden, Pointer, Publication, ServerState, SnapshotStats,
    regressions, vanishing,
};
use spreadsheets::{Lang, translated};

use super::audit::Reason;
use super::base;
use super::curator::{
    Curator, ROLLBACK, Ready, Served, is_rollback, publication_of, snapshot_of, spinner, who,
};
use super::hide::{describe_hidden, show_ended};
use super::output::{show, tell};
use super::reconcile::Reconciled;
use super::runtime::open_depot;
use super::wait::{WaitFlag, Waited, no_server};
use crate::config::{Config, StoreSpec};
use crate::store::open::is_data_folder;

/// The commands, as the audit log names them.
const PUBLISH: &str = "snapshot publish";
const ROLL_BACK: &str = "snapshot rollback";

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
        let ready = self.ready(&flags.folder)?;
        self.check_is_read()?;
        let depot = open_depot(self.config)?;
        let current = depot.current().await?;
        let chosen = match self.chosen(&depot, &flags, ready, current.as_ref()).await? {
            ControlFlow::Continue(chosen) => chosen,
            ControlFlow::Break(code) => return Ok(code),
        };
        let (ready, rewritten) = chosen;
        let PublishFlags { folder: path, note, over, wait, reason, .. } = flags;
        let forced = reason.map(|reason| reason.as_str().to_owned());
        if let (Some(texts), Some(current)) = (&rewritten, &current) {
            // the folder holds their work from here on, whatever becomes of the rest
            base::write_files(&path, texts, current.entry.digest)?;
        }
        let spinner = spinner(self.lang.pick("guardando", "storing"));
        depot.store(&ready.packed).await?;
        spinner.finish_and_clear();
        let mut hidden = depot.hidden().await?.unwrap_or_default();
        let ended = hidden.ended_by(&ready.snapshot, self.now(), self.today());
        let gone = hidden.gone_from(&ready.snapshot, self.today());
        ended.iter().for_each(|id| drop(hidden.records.remove(id)));
        let serial = current.as_ref().map_or(0, |current| current.entry.serial) + 1;
        let publication = Publication { note, forced, ..self.publication(&path, ready, serial, &hidden)? };
        let how = if over { ", over what was published since the folder began" } else { "" };
        let is_recorded = self.record_publication(PUBLISH, &publication, how).await;
        let servers = depot.servers().await.unwrap_or_default();
        let change = async {
            let pointer = self.publish_from(&path, &depot, current.as_ref(), publication).await?;
            let hidden = self.show_again(&depot, &ended, &gone).await?;
            Ok((pointer, hidden))
        };
        let (pointer, hidden) = match self.recorded((PUBLISH, is_recorded), change).await {
            Ok(done) => done,
            Err(error) => return self.show_conflict(&depot, &path, error).await,
        };
        let heard = self.is_any_heard(&servers);
        let waited = self.wait_for(&depot, &pointer.entry, servers, wait.seconds).await?;
        let outcome = if rewritten.is_some() { Outcome::Merged } else { Outcome::Published };
        self.show_published(&pointer.entry, outcome, &ended, &hidden, ServerReports { waited, heard })
    }

    /// What to publish, with the files of the folder that a merge changes; or, when nothing is to be published, the
    /// exit code of what was said instead.
    async fn chosen(
        &self,
        depot: &Depot,
        flags: &PublishFlags,
        ready: Ready,
        current: Option<&Pointer>,
    ) -> Result<ControlFlow<ExitCode, (Ready, Option<Vec<FileText>>)>> {
        let PublishFlags { folder: path, merge, over, wait, reason, .. } = flags;
        let Some(current) = current else { return Ok(ControlFlow::Continue((ready, None))) };
        let (ready, rewritten) = match over {
            true => (ready, None),
            false => match self.reconcile(depot, path, ready, current, *merge).await? {
                Reconciled::AsItIs(ready) => (ready, None),
                Reconciled::Merged(ready, texts) => (ready, Some(texts)),
                Reconciled::CaughtUp(texts) => {
                    base::write_files(path, &texts, current.entry.digest)?;
                    let shown = self.show_in_service(depot, path, current, Outcome::CaughtUp, wait.seconds);
                    return Ok(ControlFlow::Break(shown.await?));
                }
                Reconciled::Said(code) => return Ok(ControlFlow::Break(code)),
            },
        };
        if reason.is_none() {
            if let Some(refused) = self.refuse_regressions(depot, &current.entry.digest, &ready).await? {
                return Ok(ControlFlow::Break(refused));
            }
            if self.is_in_service(depot, current, &ready).await? {
                let shown = self.show_in_service(depot, path, current, Outcome::Unchanged, wait.seconds);
                return Ok(ControlFlow::Break(shown.await?));
            }
        }
        Ok(ControlFlow::Continue((ready, rewritten)))
    }

    /// Shows what somebody published at the same moment, as if it had been published before; another error stays one.
    async fn show_conflict(&self, depot: &Depot, path: &Path, error: anyhow::Error) -> Result<ExitCode> {
        if !matches!(error.downcast_ref(), Some(DepotError::Conflict { .. })) {
            return Err(error);
        }
        let Some(current) = depot.current().await? else { return Err(error) };
        let ready = self.ready(path)?;
        if ready.packed.digest == current.entry.digest {
            return self.show_in_service(depot, path, &current, Outcome::Unchanged, None).await;
        }
        match self.reconcile(depot, path, ready, &current, false).await? {
            Reconciled::Said(code) => Ok(code),
            // a packed file, or a folder that does not say what it began from
            Reconciled::AsItIs(_) | Reconciled::Merged(..) | Reconciled::CaughtUp(_) => Err(error),
        }
    }

    /// Publishes, and has the folder remember what was published from it.
    async fn publish_from(
        &self,
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
            tell(self.lang.pick(
                format!("aviso: a pasta não pode lembrar o que foi publicado: {error:#}"),
                format!("warning: the folder cannot remember what was published: {error:#}"),
            ));
        }
        Ok(pointer)
    }

    /// Whether some server wrote into the depot lately.
    fn is_any_heard(&self, servers: &[ServerState]) -> bool {
        servers.iter().any(|server| !self.is_silent(server))
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

    /// Refuses a depot in a folder that no server has, unless the depot is named: the name of the folder may be
    /// misspelt. Other commands make the folder that is not named.
    fn check_is_read(&self) -> Result<()> {
        let Config { data, store, depot, .. } = self.config;
        let has_run = || {
            let has_store = matches!(store, StoreSpec::Sqlite(path) if path.exists());
            has_store || is_data_folder(data)
        };
        // a named one may be made for a server that has yet to start: it is there, and empty or with a depot
        let is_made = || {
            let is_empty = std::fs::read_dir(data).is_ok_and(|mut files| files.next().is_none());
            is_empty || depot.folder().is_some_and(|depot| depot.exists())
        };
        if self.config.is_set("depot") || has_run() || self.config.is_set("data") && is_made() {
            return Ok(());
        }
        let shown = data.display();
        bail!(self.lang.pick(
            format!(
                "nenhum servidor rodou nesta pasta: não há dados de um servidor em {shown}, e ninguém leria o que se \
                 publica; nomeie a pasta do servidor com --data, ou o depósito com --depot"
            ),
            format!(
                "no server has run in this folder: there is no store in {shown}, so nobody would read what is published; \
                 name the server's folder with --data, or its depot with --depot"
            ),
        ));
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
        let heard = self.is_any_heard(&servers);
        let waited = self.wait_for(depot, &current.entry, servers, wait).await?;
        let hidden = depot.hidden().await?.unwrap_or_default();
        self.show_published(&current.entry, outcome, &[], &hidden, ServerReports { waited, heard })
    }

    /// Refuses a snapshot that loses many records.
    async fn refuse_regressions(
        &self,
        depot: &Depot,
        live: &Digest,
        ready: &Ready,
    ) -> Result<Option<ExitCode>> {
        let spinner = spinner(
            self.lang.pick("comparando com o que está no ar", "comparing with the snapshot in service"),
        );
        let hidden = depot.hidden().await?.unwrap_or_default();
        let old = match snapshot_of(depot, live).await {
            // what is hidden already does not vanish
            Ok(old) => old.without(&hidden),
            Err(error) => bail!(self.lang.pick(
                format!("o guia novo não pode ser comparado com o que está no ar ({error:#}); publique com --force --reason"),
                format!(
                    "the new snapshot cannot be compared with the one in service ({error:#}); publish with --force --reason"
                ),
            )),
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
            let lang = self.lang;
            let lines = regressions.iter().map(|regression| format!("\n  {}", translated(regression, lang)));
            let (list, vanishing) = (lines.collect::<String>(), described(&vanishing, lang));
            lang.pick(
                format!("não publicado: {vanishing}:{list}\nSe está certo: --force --reason \"por quê\""),
                format!("not published: {vanishing}:{list}\nIf that is right: --force --reason \"why\""),
            )
        })?;
        Ok(Some(ExitCode::FAILURE))
    }

    pub(super) async fn rollback(&self, flags: RollbackFlags) -> Result<ExitCode> {
        let lang = self.lang;
        let (depot, pointer) = self.published().await?;
        let entry = match &flags.digest {
            Some(digest) => publication_of(&pointer, digest, lang)?.clone(),
            None => before(&pointer)
                .context(lang.pick("nada mais foi publicado antes", "nothing else was published before"))?
                .clone(),
        };
        let short = entry.digest.short();
        if entry.digest == pointer.entry.digest {
            bail!(lang.pick(
                format!("{short} é a publicação que está no ar"),
                format!("snapshot {short} is the one in service"),
            ));
        }
        // Servers would refuse a damaged file, and go on with what is to be taken back.
        let snapshot = snapshot_of(&depot, &entry.digest).await.with_context(|| {
            lang.pick(
                format!("não se voltou atrás: o guia {short} no depósito não pode ser mostrado"),
                format!("not rolled back: the snapshot {short} in the depot cannot be served"),
            )
        })?;
        self.ensure_served(&snapshot)?;
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
        let is_recorded = self.record_publication(ROLL_BACK, &publication, "").await;
        let servers = depot.servers().await.unwrap_or_default();
        let change = async {
            let pointer = depot.publish(publication).await?;
            let hidden = self.show_again(&depot, &[], &gone).await?;
            Ok((pointer, hidden))
        };
        let (pointer, hidden) = self.recorded((ROLL_BACK, is_recorded), change).await?;
        let heard = self.is_any_heard(&servers);
        let waited = self.wait_for(&depot, &pointer.entry, servers, flags.wait.seconds).await?;
        self.show_published(
            &pointer.entry,
            Outcome::RolledBack,
            &[],
            &hidden,
            ServerReports { waited, heard },
        )
    }

    /// Records a publication in the audit log; whether that could be done.
    async fn record_publication(&self, action: &str, publication: &Publication, how: &str) -> bool {
        let Publication { digest, name, note, by, forced, .. } = publication;
        let mut detail = format!("{name:?}, digest {}", digest.short());
        for (word, value) in [("by ", by), ("", note)] {
            detail += &value.as_ref().map(|value| format!(", {word}{value}")).unwrap_or_default();
        }
        detail += how;
        self.record(action, detail, forced.as_deref()).await
    }

    fn show_published(
        &self,
        entry: &Publication,
        outcome: Outcome,
        ended: &[String],
        hidden: &Hidden,
        ServerReports { waited, heard }: ServerReports,
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
            let (lang, places, events) = (self.lang, self.places(*places), self.events(*events));
            let (done, digest) = (outcome.describe(lang), digest.short());
            let mut text = lang.pick(
                format!("{done} publicação {serial}: {name:?}, {places}, {events}, código {digest}\n"),
                format!("{done} serial {serial}: {name:?}, {places}, {events}, digest {digest}\n"),
            );
            if outcome == Outcome::Merged {
                text += lang.pick(
                    "O que outros publicaram desde então foi juntado, e está na pasta.\n",
                    "What others published since was merged, and the folder holds it.\n",
                );
            }
            text += &show_ended(ended, lang);
            text += &describe_hidden(hidden, lang);
            text += &match (&waited, outcome) {
                (Some(waited), _) => waited.describe(lang),
                (None, Outcome::CaughtUp) => String::new(),
                (None, Outcome::Unchanged) => lang
                    .pick(
                        "Para publicar de novo: --force --reason \"por quê\".",
                        "To publish it again: --force --reason \"why\".",
                    )
                    .to_owned(),
                (None, _) if !heard => no_server(lang).to_owned(),
                (None, _) => {
                    lang.pick("Os servidores a mostram em até 2 s.", "Servers load it within 2 s.").to_owned()
                }
            };
            if outcome == Outcome::RolledBack {
                text += lang.pick(
                    "\nA pasta que foi publicada ficou como era: corrija-a e publique com --over, ou continue do que está no \
                     ar: candango snapshot pull PASTA_NOVA",
                    "\nThe folder that was published is as it was: correct it and publish it with --over, or go on from \
                     what is in service: candango snapshot pull NEW_FOLDER",
                );
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

/// What is known of the servers after a publication.
struct ServerReports {
    /// What `--wait` found.
    waited: Option<Waited>,
    /// Whether some server wrote into the depot lately.
    heard: bool,
}

impl Outcome {
    /// What became of it, before the number of the publication.
    fn describe(self, lang: Lang) -> &'static str {
        match self {
            Self::Unchanged => lang.pick("nada mudou: no ar como", "nothing has changed: in service as"),
            Self::CaughtUp => lang.pick(
                "nada a publicar: a pasta não tinha mudança própria, e agora é como está no ar, como",
                "nothing to publish: the folder had no change of its own, and is now as in service as",
            ),
            Self::Published | Self::Merged | Self::RolledBack => lang.pick("publicado como", "published as"),
        }
    }

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
fn described(vanishing: &[String], lang: Lang) -> String {
    let first = vanishing.iter().take(VANISHING_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let count = vanishing.len();
    match vanishing {
        [] => lang
            .pick(
                "nenhum registro sumiria, mas uma região ou uma categoria ficaria sem nenhum",
                "no record would vanish, but a region or a category would have none any more",
            )
            .to_owned(),
        [one] => lang.pick(format!("1 registro sumiria ({one})"), format!("1 record would vanish ({one})")),
        _ => {
            let more = if count <= VANISHING_NAMED { "" } else { ", ..." };
            lang.pick(
                format!("{count} registros sumiriam ({first}{more})"),
                format!("{count} records would vanish ({first}{more})"),
            )
        }
    }
}
