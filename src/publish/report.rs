//! What this server serves, written into the depot: `candango snapshot publish --wait` and `list` read it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use snapshots::{Depot, DepotError, ServerState};
use tokio::task::JoinHandle;

use crate::outage::Outage;
use crate::serving::GuideVersion;

/// How often it is written while nothing changes.
const EVERY: Duration = Duration::from_secs(60);

/// How soon it is tried again when it could not be written: `publish --wait` waits for it.
const RETRY: Duration = Duration::from_secs(5);

/// What a server that was not heard of for so long wrote is removed.
const FORGET: TimeDelta = TimeDelta::days(7);

/// Writes what this server serves, beside the publisher: a depot that is slow to write must not delay what it reads.
pub(super) struct Reporter {
    id: String,
    outage: Arc<Outage>,
    last: Option<Attempt>,
}

/// The last time that something was written, or could not be.
struct Attempt {
    serving: GuideVersion,
    at: Instant,
    task: JoinHandle<()>,
    is_written: Arc<AtomicBool>,
}

impl Attempt {
    fn is_written(&self) -> bool {
        self.is_written.load(Ordering::Acquire)
    }

    /// Whether it is time to write what is served now.
    fn is_due(&self, serving: GuideVersion) -> bool {
        let pause = if self.is_written() { EVERY } else { RETRY };
        self.task.is_finished() && (self.serving != serving || self.at.elapsed() >= pause)
    }
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
            last: None,
        }
    }

    /// Writes what is served, if it changed, a minute has passed, or the last attempt failed.
    pub(super) fn report(&mut self, depot: &Depot, serving: GuideVersion, now: DateTime<Utc>) {
        if self.last.as_ref().is_some_and(|last| !last.is_due(serving)) {
            return;
        }
        let was_written = self.last.as_ref().is_some_and(Attempt::is_written);
        let GuideVersion { serial, digest, hidden, .. } = serving;
        let state = ServerState { id: self.id.clone(), serial, digest, hidden, at: now };
        let (depot, outage) = (depot.clone(), self.outage.clone());
        let is_written = Arc::new(AtomicBool::new(false));
        let done = is_written.clone();
        let task = tokio::spawn(async move {
            let written = depot.note_server(state).await;
            outage.record(&written);
            done.store(written.is_ok(), Ordering::Release);
            if !was_written
                && written.is_ok()
                && let Err(error) = forget(&depot, now).await
            {
                tracing::debug!(%error, "what other servers wrote long ago stays in the depot");
            }
        });
        self.last = Some(Attempt { serving, at: Instant::now(), task, is_written });
    }
}

/// Removes what servers wrote that are gone.
async fn forget(depot: &Depot, now: DateTime<Utc>) -> Result<(), DepotError> {
    for server in depot.servers().await?.into_iter().filter(|server| now - server.at > FORGET) {
        depot.forget_server(server.id).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use snapshots::Digest;

    use super::*;

    #[tokio::test]
    async fn what_could_not_be_written_is_tried_again_soon() {
        let folder = tempfile::tempdir().unwrap();
        let depot = Depot::open(folder.path().to_str().unwrap()).unwrap();
        let blocked = folder.path().join("servers");
        std::fs::write(&blocked, "no folder").unwrap();
        let mut reporter = Reporter::new(folder.path());
        let serving =
            GuideVersion { serial: 1, digest: Digest::of(b"one"), day: NaiveDate::default(), hidden: 0 };
        let mut report = async |after: Duration| {
            if let Some(last) = &mut reporter.last {
                last.at -= after;
            }
            reporter.report(&depot, serving, DateTime::default());
            let last = reporter.last.as_ref().unwrap();
            // it may be the task of an earlier call, which must not be awaited twice
            while !last.task.is_finished() {
                tokio::task::yield_now().await;
            }
            last.is_written()
        };
        assert!(!report(Duration::ZERO).await);
        std::fs::remove_file(&blocked).unwrap();
        assert!(!report(RETRY / 2).await, "not at once");
        assert!(report(RETRY).await);
        let written = depot.servers().await.unwrap();
        assert_eq!((written.len(), written[0].serial), (1, 1));

        std::fs::remove_dir_all(&blocked).unwrap();
        assert!(report(RETRY).await);
        assert!(depot.servers().await.unwrap().is_empty(), "what is written stays for a minute");
        assert!(report(EVERY).await);
        assert_eq!(depot.servers().await.unwrap().len(), 1);
    }
}
