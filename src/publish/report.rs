//! What this server serves, written into the depot: `candango snapshot publish --wait` and `list` read it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use snapshots::{Depot, DepotError, Digest, ServerState};
use tokio::task::JoinHandle;

use crate::outage::Outage;

/// How often it is written while nothing changes.
const EVERY: Duration = Duration::from_secs(60);

/// What a server that was not heard of for so long wrote is removed.
const FORGET: TimeDelta = TimeDelta::days(7);

/// Writes what this server serves, beside the publisher: a depot that is slow to write must not delay what it reads.
pub(super) struct Reporter {
    id: String,
    outage: Arc<Outage>,
    /// What was written last, and when.
    written: Option<(u64, Digest, u64)>,
    written_at: Option<Instant>,
    writing: Option<JoinHandle<()>>,
}

impl Reporter {
    /// The reporter of the server on the folder `data`: one that restarts keeps its id.
    pub(super) fn new(data: &Path) -> Self {
        let path = std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
        let place = HEXLOWER.encode(&Sha256::digest(path.as_os_str().as_encoded_bytes())[..4]);
        let machine = rustix::system::uname();
        Self {
            id: format!("{}-{place}", machine.nodename().to_string_lossy()),
            outage: Arc::new(Outage::new("what this server serves cannot be written into the depot")),
            written: None,
            written_at: None,
            writing: None,
        }
    }

    /// Writes serial, digest and version of what is hidden, if they changed or a minute has passed.
    pub(super) fn report(&mut self, depot: &Depot, serving: (u64, Digest, u64), now: DateTime<Utc>) {
        if self.writing.as_ref().is_some_and(|writing| !writing.is_finished()) {
            return;
        }
        if self.written == Some(serving) && self.written_at.is_some_and(|at| at.elapsed() < EVERY) {
            return;
        }
        let is_first = self.written_at.is_none();
        (self.written, self.written_at) = (Some(serving), Some(Instant::now()));
        let (serial, digest, hidden) = serving;
        let state = ServerState { id: self.id.clone(), serial, digest, hidden, at: now };
        let (depot, outage) = (depot.clone(), self.outage.clone());
        self.writing = Some(tokio::spawn(async move {
            let written = depot.note_server(state).await;
            outage.record(&written);
            if is_first && let Err(error) = forget(&depot, now).await {
                tracing::debug!(%error, "what other servers wrote long ago stays in the depot");
            }
        }));
    }
}

/// Removes what servers wrote that are gone.
async fn forget(depot: &Depot, now: DateTime<Utc>) -> Result<(), DepotError> {
    for server in depot.servers().await?.into_iter().filter(|server| now - server.at > FORGET) {
        depot.forget_server(server.id).await?;
    }
    Ok(())
}
