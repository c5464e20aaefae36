//! `candango snapshot preview`: the whole site from a snapshot folder, before it is published.
//!
//! It is the service itself, on a data folder that is removed at the end, so that a curator sees what a server would
//! show: the folder is packed and published into a depot there. Nothing of the settings' data, store and depot is used,
//! and no mail is sent.

use std::fs::File;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use chrono::DateTime;
use clap::Args;
use serde_json::json;
use snapshots::{Defects, Depot, Digest, Files, Packed, Publication, check};
use spreadsheets::{Lang, defects_text};
use tokio::signal::unix::{SignalKind, signal};

use super::curator::{can_be_served, check_folder};
use super::output::{show, tell};
use crate::app::App;
use crate::config::{
    Config, DepotSpec, HttpUrl, LogRequests, MailSpec, OwnerEmail, Payments, StoreSpec, Visitors,
};
use crate::domain::clock::Clock;
use crate::log_lines::LogLines;
use crate::service_manager::Sockets;

/// How often the folder is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// How long a snapshot may take to be shown: the largest that a depot takes are built within it.
const SHOWN: Duration = Duration::from_secs(60);

/// Nobody but the curator is there.
const NO_LIMIT: u32 = 1_000_000;

/// The flags of `candango snapshot preview`.
#[derive(Debug, Args)]
pub(super) struct PreviewFlags {
    /// The snapshot folder
    folder: PathBuf,
}

/// What a folder looked like: its files, with when they were changed and their lengths.
type Look = Vec<(PathBuf, Option<SystemTime>, u64)>;

/// Shows the folder until it is told to stop. `listen` is the address that was typed, if any.
pub(super) fn run(
    config: &Config,
    flags: &PreviewFlags,
    is_listen_typed: bool,
    (lang, json): (Lang, bool),
) -> Result<ExitCode> {
    let folder = &flags.folder;
    check_folder(folder, lang)?;
    let data = tempfile::tempdir()
        .context(lang.pick("uma pasta temporária não pode ser feita", "a temporary folder cannot be made"))?;
    let config = settings(config, data.path(), is_listen_typed)?;
    let clock = Clock::machine();
    let mut preview = Preview {
        folder,
        clock: clock.clone(),
        lang,
        depot: Depot::open(&config.depot.to_string())?,
        free_area: config.plans.free.area.clone(),
        serial: 0,
    };
    let first = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // without a snapshot the service would show the demo
    let seen = first.block_on(async {
        tokio::select! {
            published = preview.first() => published.map(Some),
            stopped = stopped() => stopped.map(|()| None),
        }
    })?;
    drop(first);
    let Some(mut seen) = seen else { return Ok(ExitCode::SUCCESS) };
    let app = App::start(config, clock, &LogLines::to_standard_error()?, Sockets::default())?;
    let url = app.config.base_url.as_str().to_owned();
    let done = app.block_on(async {
        app.serving.first().await;
        app.accept();
        show(json, &json!({ "url": url }), || {
            let folder = folder.display();
            lang.pick(
                format!(
                    "{folder} aparece em {url}, e de novo quando um arquivo muda. Nada é publicado. Ctrl-C termina."
                ),
                format!(
                    "{folder} is shown at {url} and shown anew when a file changes. Nothing is published. Ctrl-C ends it."
                ),
            )
        })?;
        tokio::select! {
            followed = preview.follow(&mut seen, &app) => followed,
            stopped = stopped() => stopped,
        }
    });
    app.stop();
    done.map(|()| ExitCode::SUCCESS)
}

/// The settings of a service that nobody else uses, with the names and plans of the operator.
fn settings(config: &Config, data: &Path, is_listen_typed: bool) -> Result<Config> {
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listen = if is_listen_typed { config.listen } else { any_port };
    let url: HttpUrl = HttpUrl::of(listen).parse().map_err(anyhow::Error::msg)?;
    let mut config = config.clone();
    config.listen = listen;
    config.ops_listen = any_port;
    config.base_url = url.clone();
    config.service_site = url;
    config.depot = DepotSpec::Folder(data.join("depot"));
    config.store = StoreSpec::Sqlite(data.join("candango.db"));
    config.data = data.to_owned();
    config.mail = MailSpec::None;
    config.owner_email = OwnerEmail(None);
    config.payments = Payments::None;
    config.log_requests = LogRequests::Off;
    for limits in [&mut config.preview, &mut config.site_searches] {
        *limits = Visitors { per_minute: NO_LIMIT, per_day: NO_LIMIT, per_minute_all: NO_LIMIT };
    }
    Ok(config)
}

/// Waits until somebody wants it to end.
async fn stopped() -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(())
}

struct Preview<'a> {
    folder: &'a Path,
    clock: Clock,
    lang: Lang,
    /// The depot in the temporary folder.
    depot: Depot,
    free_area: String,
    /// The serial number of what was put there last; 0 before.
    serial: u64,
}

impl Preview<'_> {
    /// Waits for the first state without defects.
    async fn first(&mut self) -> Result<Look> {
        let mut look = self.look();
        while self.put().await?.is_none() {
            tell(self.lang.pick("esperando a correção da pasta", "waiting for the folder to be mended"));
            look = self.changed_from(&look).await;
        }
        Ok(look)
    }

    /// Shows each further state without defects.
    async fn follow(&mut self, seen: &mut Look, app: &App) -> Result<()> {
        loop {
            *seen = self.changed_from(seen).await;
            let Some(digest) = self.put().await? else {
                tell(
                    self.lang
                        .pick("continua o último estado sem erros", "the last state without defects stays"),
                );
                continue;
            };
            let is_shown = async {
                while app.serving.current().is_none_or(|current| current.version.digest != digest) {
                    tokio::time::sleep(LOOK / 10).await;
                }
            };
            match tokio::time::timeout(SHOWN, is_shown).await {
                Ok(()) => {
                    let now = self.clock.now();
                    tell(
                        self.lang.pick(format!("mostrado de novo às {now}"), format!("shown anew at {now}")),
                    );
                }
                Err(_) => tell(self.lang.pick(
                    "erro: este estado não pôde ser mostrado; continua o último",
                    "error: this state could not be shown; the last one stays",
                )),
            }
        }
    }

    /// What the folder looks like once it is another one and has come to rest: editors write in several steps.
    async fn changed_from(&self, seen: &Look) -> Look {
        let mut before = seen.clone();
        loop {
            tokio::time::sleep(LOOK).await;
            let look = self.look();
            if look != *seen && look == before {
                return look;
            }
            before = look;
        }
    }

    fn look(&self) -> Look {
        let entries = std::fs::read_dir(self.folder).into_iter().flatten().flatten();
        let mut look: Look = entries
            .filter_map(|entry| {
                let path = entry.path();
                // what cannot be read is a defect, which the check reports
                let data = File::open(&path).and_then(|file| file.metadata()).ok()?;
                Some((path, data.modified().ok(), data.len()))
            })
            .collect();
        look.sort();
        look
    }

    /// Puts the folder into the depot; `None` when it has defects, which are printed.
    async fn put(&mut self) -> Result<Option<Digest>> {
        let packed = match self.packed() {
            Ok(packed) => packed,
            Err(error) => {
                let said = match error.downcast_ref::<Defects>() {
                    Some(defects) => defects_text(defects, self.lang),
                    None => self.lang.pick(format!("erro: {error:#}"), format!("error: {error:#}")),
                };
                writeln!(std::io::stderr().lock(), "{said}")?;
                return Ok(None);
            }
        };
        self.depot.store(&packed).await?;
        let publication = Publication {
            serial: self.serial + 1,
            digest: packed.digest,
            name: packed.name,
            places: packed.counts.places,
            events: packed.counts.events,
            published_at: DateTime::from_timestamp_millis(self.clock.now().0).unwrap_or(DateTime::UNIX_EPOCH),
            note: None,
            // a curator may remove what is wanted to be gone
            forced: Some("preview".to_owned()),
            by: None,
        };
        let pointer = self.depot.publish(publication).await?;
        self.serial = pointer.entry.serial;
        Ok(Some(packed.digest))
    }

    fn packed(&self) -> Result<Packed> {
        let snapshot = check(&Files::read(self.folder), self.clock.today().date())?;
        can_be_served(&self.free_area, &snapshot)?;
        Packed::of(snapshot)
            .context(self.lang.pick("o guia não pôde ser comprimido", "the snapshot could not be compressed"))
    }
}
