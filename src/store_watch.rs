//! Keeps the metrics of what waits in the store and of how it is set up: read in the background, so that a scrape waits
//! for no store.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::clock::{Clock, UnixMillis};
use crate::metrics::QueueMetrics;
use crate::outage::Outage;
use crate::store::{Backlog, Store, StoreError};
use crate::supervise::ticks;

/// How often the store is read.
const ROUND: Duration = Duration::from_secs(5);

/// Watches for ever. While the store does not answer, what was read last goes on ageing.
pub(crate) async fn run(store: Arc<dyn Store>, clock: Clock, metrics: QueueMetrics) {
    let mut rounds = ticks(ROUND);
    let mut backlog = Backlog::default();
    let unsafe_settings = Outage::new("the store may lose what it is given");
    loop {
        rounds.tick().await;
        // the store logs by itself that it does not answer
        backlog = store.backlog().await.unwrap_or(backlog);
        let now = clock.now();
        let age = |since: Option<UnixMillis>| {
            since.map_or(0.0, |since| now.0.saturating_sub(since.0).max(0) as f64 / 1e3)
        };
        metrics.mails.set(age(backlog.oldest_mail));
        metrics.webhook_events.set(age(backlog.oldest_webhook_event));
        metrics.subscriptions.set(age(backlog.subscription_due_at));
        metrics.backup_at.set(backlog.backup_at.map_or(0, |at| at.0));
        match store.check_settings().await {
            Ok(()) => {
                unsafe_settings.succeeded();
                metrics.store_evicts.set(0);
            }
            Err(error @ StoreError::Unsuitable(_)) => {
                unsafe_settings.failed(&error);
                metrics.store_evicts.set(1);
            }
            // what was found last still counts
            Err(_) => {}
        }
    }
}
