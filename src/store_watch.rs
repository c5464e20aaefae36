//! Keeps the metrics of what waits in the store: read in the background, so that a scrape waits for no store. Has the
//! store delete what is no longer to be kept.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::domain::clock::{Clock, UnixMillis};
use crate::metrics::QueueMetrics;
use crate::store::{Backlog, Store};

/// How often the store is read.
const ROUND: Duration = Duration::from_secs(5);

/// How often what was to be kept for a time only is deleted.
const FORGET_INTERVAL: Duration = Duration::from_hours(1);

/// Watches for ever. While the store does not answer, what was read last goes on ageing.
pub async fn run(store: Arc<dyn Store>, clock: Clock, metrics: QueueMetrics) {
    let mut rounds = interval(ROUND);
    rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut backlog = Backlog::default();
    let mut forgotten_at: Option<Instant> = None;
    loop {
        rounds.tick().await;
        let is_due = forgotten_at.is_none_or(|at| at.elapsed() >= FORGET_INTERVAL);
        if is_due && store.forget(clock.now()).await.is_ok() {
            forgotten_at = Some(Instant::now());
        }
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
    }
}
