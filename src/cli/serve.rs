//! `candango serve`: runs the service until it is told to stop, and says what to try. Uses [`crate::app`] and what
//! it holds.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::app::App;
use crate::config::{Config, LogFormat, StoreSpec};
use crate::domain::clock::Clock;
use crate::domain::plan::Plan;
use crate::memory;
use crate::quota::keys;

/// Whose key a first start makes, to try the service with.
const FIRST_EMAIL: &str = "you@example.com";

/// How long the print-out waits for the first guide.
const FIRST_GUIDE: Duration = Duration::from_secs(60);

pub(super) fn run(config: Config) -> Result<ExitCode> {
    memory::disable_huge_pages();
    log(&config)?;
    let first = matches!(&config.store, StoreSpec::Sqlite(path) if !path.exists())
        && config.listen.ip().is_loopback();
    let app = App::start(config, Clock::machine())?;
    let key = if first { Some(first_key(&app)?) } else { None };
    app.block_on(async {
        let mut stop = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let told = async {
            tokio::select! { _ = stop.recv() => {}, _ = interrupt.recv() => {} }
        };
        tokio::pin!(told);
        tokio::select! {
            () = guide_in_service(&app) => say_what_to_try(&app, key.as_deref())?,
            () = &mut told => return Ok(()),
        }
        told.await;
        anyhow::Ok(())
    })?;
    tracing::info!("stopping");
    let drained = app.stop();
    if !drained {
        tracing::warn!("some requests were cut off: limits.drain_ms is shorter than they took");
    }
    Ok(ExitCode::SUCCESS)
}

fn log(config: &Config) -> Result<()> {
    let filter =
        EnvFilter::try_new(&config.log.filter).context("the setting log is no level and no filter")?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match config.log.format {
        LogFormat::Json => lines.json().init(),
        LogFormat::Pretty => lines.with_ansi(std::io::stderr().is_terminal()).init(),
    }
    Ok(())
}

/// A key to begin with: made once, when the store is new and the service is at home on this machine.
fn first_key(app: &App) -> Result<String> {
    let email = FIRST_EMAIL.parse().context("the address of the first key")?;
    let issued = app.block_on(keys::issue(&*app.store, &Clock::machine(), email, Plan::Pro))?;
    Ok(issued.key.reveal().to_owned())
}

async fn guide_in_service(app: &App) {
    let looks = FIRST_GUIDE.as_millis() / 10;
    for _ in 0..looks {
        if app.serving.current().is_some() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tracing::warn!("there is no guide in service yet: /readyz on the operator's door says why");
}

fn say_what_to_try(app: &App, key: Option<&str>) -> std::io::Result<()> {
    let url = app.config.base_url.as_str();
    let mut out = std::io::stdout().lock();
    let guide = app.serving.current();
    if let Some(edition) = guide.as_ref() {
        let (places, events) = (edition.guide.places.len(), edition.guide.events.len());
        writeln!(
            out,
            "Candango serves {:?}: {places} places, {events} events, at {url}",
            edition.guide.name
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
        None => writeln!(out, "For a key: candango key issue --email {FIRST_EMAIL} --plan pro")?,
    }
    out.flush()
}
