//! `--wait`: waiting until the servers serve what was published.

use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use snapshots::{Depot, Pointer, Publication, ServerState};
use spreadsheets::Lang;

use super::curator::{Curator, spinner};

/// How long `--wait` waits when no time is given.
const WAIT: &str = "120";

/// The longest that `--wait` waits, in seconds: a day.
const MAX_WAIT: u64 = 24 * 60 * 60;

/// How often it looks.
const LOOK: Duration = Duration::from_millis(250);

/// The flag `--wait`.
#[derive(Debug, Args)]
pub(super) struct WaitFlag {
    /// Wait until the servers serve it, at most so many seconds
    #[arg(
        long = "wait",
        value_name = "SECONDS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = WAIT,
        value_parser = clap::value_parser!(u64).range(1..=MAX_WAIT)
    )]
    pub(super) seconds: Option<u64>,
}

impl Curator<'_> {
    /// Waits so many seconds, if any, until the servers that were heard of serve a publication; returns those that do
    /// and those that do not.
    pub(super) async fn wait_for(
        &self,
        depot: &Depot,
        live: &Publication,
        mut servers: Vec<ServerState>,
        seconds: Option<u64>,
    ) -> Result<Option<Waited>> {
        let Some(seconds) = seconds else { return Ok(None) };
        servers.retain(|server| !self.is_silent(server));
        let spinner = spinner(self.lang.pick("esperando os servidores", "waiting for the servers"));
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
}

/// What `--wait` found.
pub(super) struct Waited {
    pub(super) serving: Vec<String>,
    pub(super) missing: Vec<String>,
    seconds: u64,
}

impl Waited {
    /// Whether there are servers, and all of them serve it.
    pub(super) fn is_served(&self) -> bool {
        !self.serving.is_empty() && self.missing.is_empty()
    }

    pub(super) fn describe(&self, lang: Lang) -> String {
        match (self.serving.as_slice(), self.missing.as_slice()) {
            ([], []) => no_server(lang).to_owned(),
            (serving, []) => {
                let serving = serving.join(", ");
                lang.pick(format!("mostrada por {serving}"), format!("served by {serving}"))
            }
            (_, missing) => {
                let (seconds, missing) = (self.seconds, missing.join(", "));
                lang.pick(
                    format!("depois de {seconds} s estes servidores ainda não a mostram: {missing}"),
                    format!("after {seconds} s these servers do not serve it: {missing}"),
                )
            }
        }
    }
}

/// What it means that no server wrote into the depot lately.
pub(super) fn no_server(lang: Lang) -> &'static str {
    lang.pick(
        "nenhum servidor deu sinal nos últimos 150 s: ninguém a mostra ainda. É este o depósito do servidor (--data, \
         --depot)?",
        "no server was heard of in the last 150 s: nobody serves it yet. Is this the depot of the server (--data, \
         --depot)?",
    )
}
