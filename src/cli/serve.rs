//! `candango serve`: runs the service until a signal stops it, and prints what to try.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use super::output::{EVENTS, PLACES, counted};
use crate::app::App;
use crate::config::{Config, LogFormat, StoreSpec};
use crate::domain::clock::Clock;
use crate::domain::plan::Plan;
use crate::log_lines::LogLines;
use crate::memory;
use crate::quota::issue;
use crate::service_manager::{self, Sockets};
use crate::store::rows::Table;

/// A file has reached the limit of file sizes (`ulimit -f`).
const SIGXFSZ: i32 = rustix::process::Signal::XFSZ.as_raw();

/// The account of the key that a first start issues.
const FIRST_EMAIL: &str = "you@example.com";

pub(super) fn run(config: Config) -> Result<ExitCode> {
    memory::hold_little();
    let lines = LogLines::to_standard_error().context("the thread of the log cannot be started")?;
    log(&config, lines.clone())?;
    let result = serve(config, &lines);
    // also before an error is printed
    lines.flush();
    result
}

fn serve(mut config: Config, lines: &LogLines) -> Result<ExitCode> {
    let sockets = Sockets::take()?;
    if let Some(socket) = &sockets.public {
        config = config.bound_at(socket.local_addr()?);
    }
    if let Some(socket) = &sockets.ops {
        config.ops_listen = socket.local_addr()?;
    }
    for warning in config.server_warnings() {
        tracing::warn!("{warning}");
    }
    let mistakes: Vec<String> = config.server_mistakes().iter().map(ToString::to_string).collect();
    if !mistakes.is_empty() {
        // a line for each, as one alone has
        bail!("{}", mistakes.join("\nerror: "));
    }
    let may_print_key = matches!(&config.store, StoreSpec::Sqlite(_))
        && config.listen.ip().is_loopback()
        && !config.is_public()
        && !prints_to_journal();
    let app = App::start(config, Clock::machine(), lines, sockets)?;
    app.block_on(serve_until_stopped(&app, may_print_key))?;
    tracing::info!("stopping");
    let drained = app.stop();
    if !drained {
        tracing::warn!("some requests were aborted: they took longer than limits.drain_ms");
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers clients until a signal stops that. A first start issues a key, if it `may_print_key`.
async fn serve_until_stopped(app: &App, may_print_key: bool) -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    // beyond the limit of file sizes a write fails; without a handler it would end the process
    let _size_limit = signal(SignalKind::from_raw(SIGXFSZ))?;
    let stopped = async {
        let signal = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = hang_up.recv() => "SIGHUP",
            _ = interrupt.recv() => {
                tracing::info!(signal = "SIGINT", "about to stop at once");
                // somebody at a terminal does not want to wait
                return;
            }
        };
        tracing::info!(signal, "about to stop: clients are told to leave");
        service_manager::stopping();
        app.drain();
        // a second signal means: now
        tokio::select! {
            () = tokio::time::sleep(app.config.limits.lame_duck()) => {}
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    let served = async {
        let in_service = app.serving.first();
        if tokio::time::timeout(app.config.limits.start_wait(), in_service).await.is_err() {
            tracing::warn!("no snapshot is in service yet: /readyz on ops_listen gives the reason");
        }
        app.accept();
        service_manager::ready();
        // now, so that a start that is given up issues none that nobody saw
        let key = if may_print_key { first_key(app).await? } else { None };
        print_what_to_try(app, key.as_deref())?;
        service_manager::keep_watch(|| app.is_alive()).await;
        anyhow::Ok(())
    };
    tokio::select! {
        ended = served => ended,
        () = stopped => Ok(()),
    }
}

fn log(config: &Config, lines: LogLines) -> Result<()> {
    let filter = EnvFilter::try_new(config.log.directives())
        .context("the setting log is neither a level nor a filter")?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(lines);
    match config.log.format {
        LogFormat::Json => lines.json().init(),
        LogFormat::Pretty => lines.with_ansi(std::io::stderr().is_terminal()).init(),
    }
    Ok(())
}

/// Issues a key to try the service with, on the first start of a server that only this machine can reach and whose
/// output only its operator reads. A start that failed before left a store without accounts, and was none.
async fn first_key(app: &App) -> Result<Option<String>> {
    let email = FIRST_EMAIL.parse().context("the address of the first key")?;
    // the one account is asked first: a store may have many
    if app.store.account(&email).await?.is_some()
        || !app.store.rows(&[Table::Accounts], None).await?.is_empty()
    {
        return Ok(None);
    }
    let issued = issue::issue(&*app.store, &Clock::machine(), email, Some(Plan::Pro)).await?;
    Ok(Some(issued.key.reveal().to_owned()))
}

/// Whether systemd keeps what is printed: it says the device and inode of the stream.
fn prints_to_journal() -> bool {
    let Some(journal) = std::env::var_os("JOURNAL_STREAM") else { return false };
    let stdout = std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
    let Ok(data) = stdout.and_then(|stdout| stdout.metadata()) else { return false };
    journal.to_str() == Some(&format!("{}:{}", data.dev(), data.ino()))
}

fn print_what_to_try(app: &App, key: Option<&str>) -> std::io::Result<()> {
    let url = app.config.base_url.as_str();
    let current = app.serving.current();
    // what collects the log reads both streams
    if key.is_none() && app.config.log.format == LogFormat::Json {
        tracing::info!(url, ops = %app.config.ops_listen, "ready");
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    if let Some(snapshot) = current.as_ref() {
        let (places, events) = (snapshot.guide.places.len(), snapshot.guide.events.len());
        writeln!(
            out,
            "Candango serves {:?}: {}, {}, at {url}",
            snapshot.guide.name,
            counted(places, PLACES),
            counted(events, EVENTS)
        )?;
    }
    writeln!(out, "Health and metrics: http://{}/readyz", app.config.ops_listen)?;
    match key {
        Some(key) => {
            writeln!(out, "\nYour key (shown once, on the first start): {key}\n\nTry:\n")?;
            for body in [
                r#"{"action":"search_places","category":"jazz","region":"Asa Norte"}"#,
                r#"{"action":"search_events","q":"samba este fim de semana"}"#,
            ] {
                writeln!(
                    out,
                    "curl -s {url}/v1 -H 'x-api-key: {key}' -H 'content-type: application/json' -d '{body}'\n"
                )?;
            }
        }
        None => {
            let data = match app.config.is_set("data") {
                true => format!(" --data {}", app.config.data.display()),
                false => String::new(),
            };
            writeln!(out, "For a key: candango key issue --email {FIRST_EMAIL} --plan pro{data}")?;
        }
    }
    out.flush()
}
