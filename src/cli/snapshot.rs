//! `candango snapshot`: checks, packs and publishes snapshots. Servers poll the depot, so it needs no connection to
//! them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::json;
use snapshots::{
    Counts, Depot, Hidden, Pointer, Publication, ServerState, Snapshot, check, diff, far_from_area, warnings,
};
use spreadsheets::{Lang, warnings_text};

use super::audit::Reason;
use super::curator::{Curator, Ready, Served, files_of, publication_of, snapshot_of, spinner};
use super::hide::describe_hidden;
use super::output::{counted, show, tell};
use super::publish::{PublishFlags, RollbackFlags};
use super::runtime::{open_depot, runtime};
use super::spreadsheet::{self, ImportFlags};
use crate::config::Config;
use crate::domain::clock::Clock;

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
        /// Write the sheets also over what others changed in the folder since the last import, and where they are empty
        #[arg(long)]
        over: bool,
    },
    /// List the errors of a snapshot folder, for which servers refuse it, and warnings; exits with 1 if there are
    /// errors
    #[command(after_help = "Example:\n  candango snapshot check ./my-guide")]
    Check {
        /// The snapshot folder
        folder: PathBuf,
        /// Exit with 1 if there are warnings too
        #[arg(long)]
        strict: bool,
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
    #[command(after_help = "Examples:\n  candango snapshot publish ./my-guide --note \"July\" --wait\n  \
                            candango snapshot publish ./my-guide --merge\n  \
                            candango snapshot publish ./my-guide --force --reason \"a fair is over\"")]
    Publish(PublishFlags),
    /// Write a published snapshot as a folder again [default: the one in service]
    #[command(
        allow_missing_positional = true,
        after_help = "Examples:\n  candango snapshot pull ./my-guide\n  candango snapshot pull 3f9a1c ./last-week"
    )]
    Pull {
        /// The digest of a published snapshot, or its first digits
        digest: Option<String>,
        /// A new folder, or one that holds nothing that was not published
        folder: PathBuf,
    },
    /// Write all places and events of a folder into a spreadsheet with their ids, for `import` to read
    #[command(after_help = "Example:\n  candango snapshot pull ./my-guide\n  \
                            candango snapshot sheet ./my-guide\n  \
                            candango snapshot import ./my-guide/guia.xlsx --into ./my-guide")]
    Sheet {
        /// The snapshot folder
        folder: PathBuf,
        /// The spreadsheet to write, which must not exist [default: guia.xlsx in the folder]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Take a record out of service at once, until a publication says otherwise
    #[command(after_help = "Examples:\n  candango snapshot hide bar-da-esquina --reason \"closed\"\n  \
                            candango snapshot hide \"Bar da Esquina\" --reason \"closed\"\n  \
                            candango snapshot hide choro-no-eixo-2026-11-22 --reason \"rain\"")]
    Hide {
        /// The id or the name of a place or an event, or the id of one date of an event that repeats
        id: String,
        /// Why
        #[arg(long)]
        reason: Reason,
    },
    /// Show a record again that `hide` took out of service
    #[command(after_help = "Example:\n  candango snapshot unhide bar-da-esquina")]
    Unhide {
        /// The id that was hidden, which `list` shows, or the name of its record
        id: String,
    },
    /// List all publications, newest first
    #[command(after_help = "Example:\n  candango snapshot list --json")]
    List,
    /// Show the differences between two snapshots
    #[command(
        after_help = "Examples:\n  candango snapshot diff ./my-guide\n  candango snapshot diff 3f9a1c ./my-guide"
    )]
    Diff {
        /// The digest of a published snapshot (or its first digits), which `list` shows, or a snapshot folder
        from: String,
        /// The other one [default: the one in service; of a folder alone: what its publication would change]
        to: Option<String>,
    },
    /// Publish an earlier snapshot again
    #[command(after_help = "Examples:\n  candango snapshot rollback 3f9a1c\n  \
                            candango snapshot rollback --previous --note \"wrong prices\"")]
    Rollback(RollbackFlags),
}

pub(super) fn run(config: &Config, command: SnapshotCommand, (lang, json): (Lang, bool)) -> Result<ExitCode> {
    let curator = Curator { config, clock: Clock::machine(), lang, json };
    let done = runtime()?.block_on(async {
        match command {
            SnapshotCommand::Init { folder } => spreadsheet::init(&folder, &curator.clock, (lang, json)),
            SnapshotCommand::Import { sources, into, over } => {
                let flags = ImportFlags { lang, over, json };
                spreadsheet::import(&sources, &into, flags, &curator.clock).await
            }
            SnapshotCommand::Check { folder, strict } => curator.check(&folder, strict),
            SnapshotCommand::Pack { folder, out } => curator.pack(&folder, &out),
            SnapshotCommand::Publish(flags) => curator.publish(flags).await,
            SnapshotCommand::Pull { digest, folder } => curator.pull(digest.as_deref(), &folder).await,
            SnapshotCommand::Sheet { folder, out } => curator.sheet(&folder, out.as_deref()),
            SnapshotCommand::Hide { id, reason } => curator.hide(&id, &reason).await,
            SnapshotCommand::Unhide { id } => curator.unhide(&id).await,
            SnapshotCommand::List => curator.list().await,
            SnapshotCommand::Diff { from, to } => curator.diff(&from, to.as_deref()).await,
            SnapshotCommand::Rollback(flags) => curator.rollback(flags).await,
        }
    });
    done.or_else(|error| curator.show_defects(&error.downcast()?, None))
}

impl Curator<'_> {
    fn check(&self, folder: &Path, strict: bool) -> Result<ExitCode> {
        let spinner = spinner(self.lang.pick("verificando", "checking"));
        let (files, today) = (files_of(folder, self.lang)?, self.clock.today().date());
        let checked = check(&files, today);
        let mut warnings = warnings(&files, today);
        spinner.finish_and_clear();
        let done = match checked {
            Ok(snapshot) => {
                self.ensure_served(&snapshot)?;
                warnings.add_far_from_area(far_from_area(&snapshot));
                let (name, counts) = (snapshot.name.clone(), snapshot.counts());
                let served = self.served(snapshot, &Hidden::default())?;
                let ok = !strict || warnings.is_empty();
                let shown = json!({
                    "ok": ok, "name": name, "counts": counts, "dated_events": served.coming,
                    "warnings": warnings.listed, "more_warnings": warnings.more,
                    "shown_today": { "places": served.places, "events": served.events },
                });
                let done = show(self.json, &shown, || {
                    let what = self.describe(counts, &served);
                    self.lang
                        .pick(format!("{name:?} está certo: {what}"), format!("{name:?} is valid: {what}"))
                })?;
                if ok { done } else { ExitCode::FAILURE }
            }
            Err(defects) => self.show_defects(&defects, Some(&warnings))?,
        };
        if !self.json && !warnings.is_empty() {
            tell(warnings_text(&warnings, self.lang));
        }
        Ok(done)
    }

    /// What a snapshot holds, and how much of it is shown today.
    fn describe(&self, counts: Counts, served: &Served) -> String {
        let Counts { places, events, regions, neighbourhoods, categories } = counts;
        let lang = self.lang;
        let shown = match places == served.places {
            true => String::new(),
            false => {
                lang.pick(format!(" ({} hoje)", served.places), format!(" ({} shown today)", served.places))
            }
        };
        let (places, events, coming) = (self.places(places), self.events(events), served.coming);
        let regions = counted(regions, lang.pick(["região", "regiões"], ["region", "regions"]));
        let parts =
            counted(neighbourhoods, lang.pick(["bairro", "bairros"], ["neighbourhood", "neighbourhoods"]));
        let categories =
            counted(categories, lang.pick(["categoria", "categorias"], ["category", "categories"]));
        lang.pick(
            format!(
                "{places}{shown}, {events} ({coming} com suas datas, de hoje em diante), {regions} com {parts}, {categories}"
            ),
            format!("{places}{shown}, {events} ({coming} dated from today on), {regions} with {parts}, {categories}"),
        )
    }

    fn pack(&self, folder: &Path, out: &Path) -> Result<ExitCode> {
        let Ready { packed, snapshot } = self.ready(folder)?;
        let served = self.served(snapshot, &Hidden::default())?;
        std::fs::create_dir_all(out).with_context(|| {
            let shown = out.display();
            self.lang.pick(
                format!("a pasta {shown} não pode ser criada"),
                format!("the folder {shown} cannot be created"),
            )
        })?;
        let path = out.join(format!("{}.json.zst", packed.digest));
        std::fs::write(&path, &packed.bytes).with_context(|| {
            let shown = path.display();
            self.lang.pick(format!("{shown} não pode ser escrito"), format!("{shown} cannot be written"))
        })?;
        let shown = json!({
            "ok": true, "file": path.display().to_string(), "digest": packed.digest, "name": packed.name,
            "bytes": packed.bytes.len(), "counts": packed.counts, "dated_events": served.coming,
        });
        show(self.json, &shown, || {
            let (name, what) = (&packed.name, self.describe(packed.counts, &served));
            let (bytes, path) = (packed.bytes.len(), path.display());
            self.lang.pick(
                format!("{name:?} empacotado: {what}, {bytes} bytes\n{path}"),
                format!("{name:?} packed: {what}, {bytes} bytes\n{path}"),
            )
        })
    }

    async fn list(&self) -> Result<ExitCode> {
        let depot = open_depot(self.config)?;
        let publications: Vec<Publication> = depot.current().await?.map_or_else(Vec::new, publications);
        let hidden = depot.hidden().await?.unwrap_or_default();
        let servers = depot.servers().await?;
        let now = self.counts_now(&depot, &publications, &hidden).await;
        let of = |server: &ServerState| {
            json!({
                "id": server.id, "serial": server.serial, "digest": server.digest, "at": server.at,
                "silent": self.is_silent(server), "hidden_is_current": server.hidden == hidden.version,
            })
        };
        let shown = json!({
            "publications": publications, "hidden": hidden.records,
            "servers": servers.iter().map(of).collect::<Vec<_>>(),
            "now": now.as_ref().map(|now| json!({ "places": now.places, "events": now.events })),
        });
        show(self.json, &shown, || {
            self.list_text(&publications, &servers, now.as_ref()) + &describe_hidden(&hidden, self.lang)
        })
    }

    /// The list as people read it, without what is hidden.
    fn list_text(
        &self,
        publications: &[Publication],
        servers: &[ServerState],
        now: Option<&Served>,
    ) -> String {
        let lang = self.lang;
        let (by_whom, forced, on) = lang.pick(("por", "à força", "em"), ("by", "forced", "on"));
        let mut text = match publications.is_empty() {
            true => format!("{}\n", self.nothing_published()),
            false => {
                let heading = self.lang.pick(
                    "número  código        publicado             lugares  eventos  nome\n",
                    "serial  digest        published             places   events  name\n",
                );
                heading.to_owned()
            }
        };
        let name = |server: &ServerState| {
            let silent = if self.is_silent(server) { lang.pick(" (sem sinal)", " (silent)") } else { "" };
            format!("{}{silent}", server.id)
        };
        let serves = |server: &ServerState, entry: &Publication| {
            server.serial == entry.serial && server.digest == entry.digest
        };
        for (at, entry) in publications.iter().enumerate() {
            let by: Vec<String> = servers.iter().filter(|server| serves(server, entry)).map(name).collect();
            // writing to a String cannot fail
            let _ = writeln!(
                text,
                "{:>6}  {}  {}  {:>6}  {:>7}  {}{}{}{}{}{}",
                entry.serial,
                entry.digest.short(),
                entry.published_at.format("%Y-%m-%dT%H:%M:%SZ"),
                entry.places,
                entry.events,
                entry.name,
                entry.by.as_ref().map(|by| format!("  {by_whom} {by}")).unwrap_or_default(),
                entry.note.as_ref().map(|note| format!("  “{note}”")).unwrap_or_default(),
                entry.forced.as_ref().map(|why| format!("  ({forced}: {why})")).unwrap_or_default(),
                if at == 0 { lang.pick("  <- no ar", "  <- in service") } else { "" },
                if by.is_empty() { String::new() } else { format!("  {on} {}", by.join(", ")) },
            );
        }
        let is_other = |server: &&ServerState| !publications.iter().any(|entry| serves(server, entry));
        for server in servers.iter().filter(is_other) {
            let (name, serial, digest) = (name(server), server.serial, server.digest.short());
            text += &lang.pick(
                format!("{name} mostra a publicação {serial} ({digest}), que não está nesta lista\n"),
                format!("{name} serves serial {serial} ({digest}), which is not in this list\n"),
            );
        }
        if let Some(now) = now {
            let (places, events) = (self.places(now.places), self.events(now.events));
            text += &lang.pick(
                format!("hoje, sem o que está oculto: {places}, {events}\n"),
                format!("today, without what is hidden: {places}, {events}\n"),
            );
        }
        text
    }

    /// How many records are served now, where that may be fewer than on the day of the publication because some were
    /// hidden since. Other commands report a snapshot that cannot be read.
    async fn counts_now(
        &self,
        depot: &Depot,
        publications: &[Publication],
        hidden: &Hidden,
    ) -> Option<Served> {
        let live = publications.first().filter(|_| !hidden.records.is_empty())?;
        self.served(snapshot_of(depot, &live.digest).await.ok()?, hidden).ok()
    }

    async fn diff(&self, from: &str, to: Option<&str>) -> Result<ExitCode> {
        let lang = self.lang;
        let spinner = spinner(lang.pick("comparando", "comparing"));
        let (one, other) = (
            self.folder_or_published(from).await?,
            match to {
                Some(to) => self.folder_or_published(to).await?,
                None => {
                    let depot = open_depot(self.config)?;
                    let current = depot.current().await?;
                    let current = current.context(lang.pick(
                        "nada foi publicado ainda: nomeie o outro guia",
                        "nothing was published yet: name the other snapshot",
                    ))?;
                    let digest = current.entry.digest;
                    let in_service = lang.pick("que está no ar", "which is in service");
                    (snapshot_of(&depot, &digest).await?, format!("{}, {in_service}", digest.short()))
                }
            },
        );
        // of a folder alone: what its publication would change
        let is_to_publish = to.is_none() && Path::new(from).is_dir();
        let ((old, old_name), (new, new_name)) = if is_to_publish { (other, one) } else { (one, other) };
        let diff = diff(&old, &new);
        spinner.finish_and_clear();
        let mut shown = serde_json::to_value(&diff)?;
        (shown["from"], shown["to"]) = (json!(old_name), json!(new_name));
        show(self.json, &shown, || {
            let diff = self.diff_text(&diff);
            lang.pick(
                format!("de {old_name} para {new_name}:\n{diff}"),
                format!("from {old_name} to {new_name}:\n{diff}"),
            )
        })
    }

    /// Reads a snapshot folder, or the published snapshot whose digest starts with `what`; with its name.
    async fn folder_or_published(&self, what: &str) -> Result<(Snapshot, String)> {
        let path = Path::new(what);
        if path.is_dir() {
            let name = self.lang.pick(format!("a pasta {what}"), format!("the folder {what}"));
            return Ok((self.checked(path)?, name));
        }
        let depot = open_depot(self.config)?;
        let pointer = depot.current().await?;
        let pointer = pointer.with_context(|| {
            self.lang.pick(
                format!("{what} não é uma pasta, e nada foi publicado ainda"),
                format!("{what} is not a folder, and nothing was published yet"),
            )
        })?;
        let digest = publication_of(&pointer, what, self.lang)?.digest;
        Ok((snapshot_of(&depot, &digest).await?, digest.short().to_string()))
    }
}

/// All publications, the latest first.
fn publications(pointer: Pointer) -> Vec<Publication> {
    std::iter::once(pointer.entry).chain(pointer.history).collect()
}
