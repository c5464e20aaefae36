//! What the commands of `candango snapshot` share: reading folders and publications, and saying who does something.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use indicatif::ProgressBar;
use serde_json::json;
use snapshots::record::Event;
use snapshots::{
    Defects, Depot, Digest, Files, Hidden, Packed, Pointer, Publication, ServerState, Snapshot, Warnings,
    check, unpack,
};
use spreadsheets::{Lang, defects_text, translated};

use super::audit::{Changed, actor, failed, record};
use super::last_import::changed_after_import;
use super::output::{EVENTS, PLACES, counted, show, tell};
use super::runtime::{open_depot, open_store};
use crate::config::{Config, StoreSpec};
use crate::domain::clock::Clock;
use crate::publish::was_published;
use crate::serving::NoFreeArea;

/// A server that wrote nothing for so long is silent: it writes once a minute.
const SILENT: TimeDelta = TimeDelta::seconds(150);

/// The reason that the publication of a rollback names: it may remove records.
pub(super) const ROLLBACK: &str = "rollback";

/// What every snapshot command needs.
pub(super) struct Curator<'c> {
    pub(super) config: &'c Config,
    pub(super) clock: Clock,
    pub(super) lang: Lang,
    pub(super) json: bool,
}

/// A snapshot and its packed file.
pub(super) struct Ready {
    pub(super) packed: Packed,
    pub(super) snapshot: Snapshot,
}

/// How many records are served on a day.
pub(super) struct Served {
    pub(super) places: usize,
    pub(super) events: usize,
    /// Those of the events that are not over.
    pub(super) coming: usize,
}

impl Curator<'_> {
    /// Packs a folder, or reads and checks a packed file.
    pub(super) fn ready(&self, path: &Path) -> Result<Ready> {
        let spinner = spinner(self.lang.pick("verificando e empacotando", "checking and packing"));
        let ready = if path.is_file() && !is_spreadsheet(path) {
            let bytes = std::fs::read(path).with_context(|| {
                let shown = path.display();
                self.lang.pick(format!("{shown} não pode ser lido"), format!("{shown} cannot be read"))
            })?;
            let snapshot = unpack(&bytes, None).with_context(|| format!("{}", path.display()))?;
            self.ensure_served(&snapshot)?;
            let (name, counts) = (snapshot.name.clone(), snapshot.counts());
            Ready {
                packed: Packed { digest: Digest::of(&bytes), bytes: Bytes::from(bytes), name, counts },
                snapshot,
            }
        } else {
            self.packed(self.checked(path)?)?
        };
        spinner.finish_and_clear();
        Ok(ready)
    }

    /// Reads a snapshot folder. Its defects are an error, which is shown as a list.
    pub(super) fn checked(&self, folder: &Path) -> Result<Snapshot> {
        Ok(check(&files_of(folder, self.lang)?, self.today())?)
    }

    /// Packs a checked snapshot that servers accept.
    pub(super) fn packed(&self, snapshot: Snapshot) -> Result<Ready> {
        self.ensure_served(&snapshot)?;
        let packed = Packed::of(snapshot.clone()).context(
            self.lang.pick("o guia não pôde ser comprimido", "the snapshot could not be compressed"),
        )?;
        Ok(Ready { packed, snapshot })
    }

    /// Refuses a checked snapshot that no server accepts.
    pub(super) fn ensure_served(&self, snapshot: &Snapshot) -> Result<()> {
        can_be_served(&self.config.plans.free.area, snapshot)
            .map_err(|error| anyhow!(translated(&error.to_string(), self.lang)))
    }

    /// How many records a snapshot serves today.
    pub(super) fn served(&self, snapshot: Snapshot, hidden: &Hidden) -> Result<Served> {
        let served = snapshot.on(self.today(), hidden)?;
        let is_coming = |event: &&Event| event.end_date.unwrap_or(event.date) >= self.today();
        let coming = served.events.iter().filter(is_coming).count();
        Ok(Served { places: served.places.len(), events: served.events.len(), coming })
    }

    pub(super) fn show_defects(&self, defects: &Defects, warnings: Option<&Warnings>) -> Result<ExitCode> {
        let mut shown = json!({ "ok": false, "defects": defects.listed, "more": defects.more });
        if let Some(warnings) = warnings {
            shown["warnings"] = json!(warnings.listed);
            shown["more_warnings"] = json!(warnings.more);
        }
        show(self.json, &shown, || defects_text(defects, self.lang))?;
        Ok(ExitCode::FAILURE)
    }

    /// So many places.
    pub(super) fn places(&self, count: usize) -> String {
        counted(count, self.lang.pick(["lugar", "lugares"], PLACES))
    }

    /// So many events.
    pub(super) fn events(&self, count: usize) -> String {
        counted(count, self.lang.pick(["evento", "eventos"], EVENTS))
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.clock.now().0).unwrap_or(DateTime::UNIX_EPOCH)
    }

    pub(super) fn today(&self) -> NaiveDate {
        self.clock.today().date()
    }

    /// Whether a server has written nothing for long.
    pub(super) fn is_silent(&self, server: &ServerState) -> bool {
        self.now() - server.at > SILENT
    }

    /// What a depot without publications means. One that had some is another one, or on a disk that is not mounted.
    pub(super) fn nothing_published(&self) -> String {
        match was_published(&self.config.data) {
            true => {
                let depot = &self.config.depot;
                self.lang.pick(
                    format!(
                        "o depósito {depot} não tem mais publicações, e os servidores continuam com a cópia da última: é \
                         o depósito da configuração do servidor, e o disco está montado?"
                    ),
                    format!(
                        "the depot {depot} has no publications any more, and servers go on with their copy of the last \
                         one: is it the depot of the settings of the server, and its disk mounted?"
                    ),
                )
            }
            false => {
                let said = self.lang.pick(
                    "nada foi publicado ainda: os servidores mostram a demonstração",
                    "nothing was published yet: servers serve the built-in demo",
                );
                said.to_owned()
            }
        }
    }

    /// The depot and what was published last.
    pub(super) async fn published(&self) -> Result<(Depot, Pointer)> {
        let depot = open_depot(self.config)?;
        let pointer = depot.current().await?;
        let pointer = pointer.with_context(|| {
            let nothing = self.nothing_published();
            self.lang.pick(
                format!("{nothing}. `candango snapshot init PASTA` começa um guia"),
                format!("{nothing}. `candango snapshot init FOLDER` begins a guide"),
            )
        })?;
        Ok((depot, pointer))
    }

    /// Records a change of the depot in the audit log. A curator may publish from a machine that does not reach the
    /// store: then it says so and goes on. Returns whether it is recorded.
    pub(super) async fn record(&self, action: &str, detail: String, reason: Option<&str>) -> bool {
        let recorded = async {
            if let StoreSpec::Sqlite(path) = &self.config.store {
                anyhow::ensure!(path.exists(), "{} does not exist", path.display());
            }
            let store = open_store(self.config, &self.config.store)?;
            let changed = Changed { action, account: None, detail, reason };
            anyhow::Ok(record(&*store, changed).await?)
        };
        let recorded = recorded.await;
        if let Err(error) = &recorded {
            tell(self.lang.pick(
                format!("aviso: não está no registro de auditoria: {error:#}"),
                format!("warning: not in the audit log: {error:#}"),
            ));
        }
        recorded.is_ok()
    }

    /// Makes a change of the depot that was recorded, and records too when it fails: what was to be done must not be
    /// taken for done.
    pub(super) async fn recorded<T>(
        &self,
        (action, is_recorded): (&str, bool),
        change: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let done = change.await;
        if let Err(error) = &done
            && is_recorded
        {
            self.record(action, failed(error), None).await;
        }
        done
    }
}

/// The files of a snapshot folder.
pub(super) fn files_of(folder: &Path, lang: Lang) -> Result<Files> {
    check_folder(folder, lang)?;
    Ok(Files::read(folder))
}

/// Refuses what is no folder, and warns of a spreadsheet in it that has not been imported.
pub(super) fn check_folder(folder: &Path, lang: Lang) -> Result<()> {
    let shown = folder.display();
    if is_spreadsheet(folder) && !folder.is_dir() {
        bail!(lang.pick(
            format!(
                "{shown} é uma planilha: leia-a numa pasta com `candango snapshot import {shown} --into PASTA`, e nomeie \
                 aqui essa pasta"
            ),
            format!(
                "{shown} is a spreadsheet: read it into a folder with `candango snapshot import {shown} --into FOLDER`, \
                 and name that folder here"
            ),
        ));
    }
    if !folder.is_dir() {
        bail!(lang.pick(
            format!(
                "não há uma pasta {shown}: faça uma com `candango snapshot init {shown}`, ou nomeie outra"
            ),
            format!(
                "there is no folder {shown}: make one with `candango snapshot init {shown}`, or name another"
            ),
        ));
    }
    for sheet in changed_after_import(folder).iter().filter(|path| is_spreadsheet(path)) {
        let sheet = sheet.display();
        tell(lang.pick(
            format!(
                "aviso: {sheet} foi mudada depois da última importação, e não é lida aqui: candango snapshot import {sheet} \
                 --into {shown}"
            ),
            format!(
                "warning: {sheet} was changed after the last import, and is not read here: candango snapshot import {sheet} \
                 --into {shown}"
            ),
        ));
    }
    Ok(())
}

/// Whether a path is named as a spreadsheet.
fn is_spreadsheet(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["xlsx", "xls", "ods", "csv"].contains(&&*extension.to_lowercase())
}

/// Whether servers accept a checked snapshot: it has the area that the free plan covers.
pub(super) fn can_be_served(free_area: &str, snapshot: &Snapshot) -> Result<(), NoFreeArea> {
    if snapshot.vocabulary.has_area(free_area) { Ok(()) } else { Err(NoFreeArea(free_area.to_owned())) }
}

/// A published snapshot.
pub(super) async fn snapshot_of(depot: &Depot, digest: &Digest) -> Result<Snapshot> {
    Ok(unpack(&depot.fetch(digest).await?, Some(digest))?)
}

/// The latest publication whose digest starts with `digest`. A serial is none: a number may begin a digest, and another
/// snapshot than the one that was meant must not go live.
pub(super) fn publication_of<'p>(pointer: &'p Pointer, digest: &str, lang: Lang) -> Result<&'p Publication> {
    let digest = digest.to_ascii_lowercase();
    let of_serial = pointer.publications().find(|entry| entry.serial.to_string() == digest);
    if let Some(entry) = of_serial.filter(|entry| !entry.digest.to_string().starts_with(&digest)) {
        let of_that = entry.digest.short();
        bail!(lang.pick(
            format!(
                "{digest} é um número de série: dê o código dessa publicação, {of_that}, ou de outra em `candango snapshot \
                 list`"
            ),
            format!(
                "{digest} is a serial: give the digest of that publication, {of_that}, or of another one in `candango \
                 snapshot list`"
            ),
        ));
    }
    let mut found = pointer
        .publications()
        .filter(|entry| !digest.is_empty() && entry.digest.to_string().starts_with(&digest));
    let first = found.next().with_context(|| {
        lang.pick(
            format!(
                "nenhuma publicação tem um código que começa com {digest:?}: dê um da coluna código de `candango snapshot \
                 list`"
            ),
            format!(
                "no published snapshot has a digest that starts with {digest:?}: give one of the column digest of \
                 `candango snapshot list`"
            ),
        )
    })?;
    if found.any(|other| other.digest != first.digest) {
        bail!(lang.pick(
            format!("várias publicações têm um código que começa com {digest:?}: dê mais dígitos"),
            format!(
                "several published snapshots have a digest that starts with {digest:?}: give more digits"
            ),
        ));
    }
    Ok(first)
}

/// Whether a publication went back to an earlier snapshot.
pub(super) fn is_rollback(entry: &Publication) -> bool {
    entry.forced.as_deref() == Some(ROLLBACK)
}

/// Who changes the depot: `CANDANGO_BY`, else the user that git knows in a folder, else the user of this machine.
pub(super) fn who(folder: &Path) -> String {
    let named = std::env::var("CANDANGO_BY").ok().filter(|name| !name.trim().is_empty());
    let git = |setting| {
        let folder = if folder.is_dir() { folder } else { Path::new(".") };
        let asked = Command::new("git").arg("-C").arg(folder).args(["config", setting]).output().ok()?;
        let name = String::from_utf8(asked.stdout).ok()?.trim().to_owned();
        (asked.status.success() && !name.is_empty()).then_some(name)
    };
    let who = named.or_else(|| git("user.name")).or_else(|| git("user.email")).unwrap_or_else(actor);
    // one line of `list`
    who.chars().filter(|letter| !letter.is_control()).take(100).collect()
}

/// Shows on a terminal that a command is still working.
pub(super) fn spinner(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(what);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}
