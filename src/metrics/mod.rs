//! The Prometheus metrics. Updating one is an atomic addition, never a lock: each user resolves its counters once,
//! when it is built, and keeps them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::{MetricType, TypedMetric};
use prometheus_client::registry::{Registry, Unit};

/// Every metric of the service. Clones share the same numbers.
#[derive(Clone, Default)]
pub struct Metrics {
    requests: Family<RequestLabels, Counter>,
    latency: Family<SeriesLabels, Latency>,
    /// Connections of the public listener.
    pub connections: ConnectionMetrics,
    /// The cache of API keys.
    pub keys: KeyCacheMetrics,
    /// Quota leases.
    pub leases: LeaseMetrics,
    /// The snapshot in service.
    pub snapshot: SnapshotMetrics,
    /// The mail queue.
    pub mail: MailMetrics,
    /// Sign-ups that were accepted.
    pub signups: Counter,
    /// Orders, payments and webhooks.
    pub billing: BillingMetrics,
    /// Background tasks.
    pub tasks: TaskMetrics,
    store_panics: Counter,
    /// Reads the count of the store, which counts its panics itself.
    read_store_panics: Arc<OnceLock<Box<dyn Fn() -> u64 + Send + Sync>>>,
}

/// Connections of the public listener.
#[derive(Debug, Clone, Default)]
pub struct ConnectionMetrics {
    /// Open now.
    pub open: Gauge,
    /// Accepted since the start.
    pub accepted: Counter,
    /// Refused since the start, because too many were open.
    pub refused: Counter,
    /// Requests being answered now.
    pub in_flight: Gauge,
    /// Memory of request bodies that arrive in several pieces.
    pub body_bytes: Gauge,
}

/// The cache of API keys.
#[derive(Debug, Clone, Default)]
pub struct KeyCacheMetrics {
    /// Lookups answered from memory.
    pub hits: Counter,
    /// Lookups that asked the store.
    pub misses: Counter,
}

/// Quota leases.
#[derive(Debug, Clone, Default)]
pub struct LeaseMetrics {
    /// Claims sent to the store.
    pub claims: Counter,
    /// Requests that waited for a claim.
    pub waits: Counter,
}

/// The mail queue.
#[derive(Debug, Clone, Default)]
pub struct MailMetrics {
    /// Mails sent since the start.
    pub sent: Counter,
    /// Attempts since the start that failed.
    pub failed: Counter,
    /// Mails that will not be tried again.
    pub abandoned: Counter,
    /// Mails that this process has accepted and neither sent nor abandoned.
    pub pending: Gauge,
    /// Reads of the queue that found nothing due while nothing was being sent.
    pub idle_rounds: Counter,
}

/// Orders, payments and webhooks. Each process counts its own; summed over a fleet, `webhooks` minus `settled` is the
/// number of webhook events that wait.
#[derive(Debug, Clone, Default)]
pub struct BillingMetrics {
    /// Orders placed.
    pub orders: Counter,
    /// Months credited.
    pub payments: Counter,
    /// Months revoked after a refund or a chargeback.
    pub refunds: Counter,
    /// Webhook events stored, each once.
    pub webhooks: Counter,
    /// Webhook events processed.
    pub settled: Counter,
    /// Webhook events that credit nothing: they match no order, or the payment is below the price.
    pub unmatched: Counter,
    /// Payments refunded in part; their months stay.
    pub partial_refunds: Counter,
    /// Failed calls of the gateway, retries included.
    pub gateway_failures: Counter,
    /// Rounds of the worker that processed all due webhook events.
    pub webhook_rounds: Counter,
    /// Rounds of the worker that polled the due accounts.
    pub account_rounds: Counter,
}

/// The snapshot in service.
#[derive(Debug, Clone, Default)]
pub struct SnapshotMetrics {
    /// How often the depot was polled, failures included.
    pub polls: Counter,
    /// Snapshots that went live since the start.
    pub swaps: Counter,
    /// Published snapshots that did not go live.
    pub publish_failures: Counter,
    /// Its places.
    pub places: Gauge,
    /// Its events.
    pub events: Gauge,
    /// Its serial number.
    pub serial: Gauge,
}

/// Background tasks.
#[derive(Debug, Clone, Default)]
pub struct TaskMetrics {
    panics: Family<TaskLabels, Counter>,
}

impl TaskMetrics {
    /// The panics of one task.
    pub fn panics(&self, task: &'static str) -> Counter {
        self.panics.get_or_create_owned(&TaskLabels { task })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TaskLabels {
    task: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SeriesLabels {
    path: &'static str,
    action: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    path: &'static str,
    action: &'static str,
    status: &'static str,
}

const STATUS_CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

impl Metrics {
    /// Everything at zero.
    pub fn new() -> Metrics {
        Metrics::default()
    }

    /// Names and describes each metric, one row each.
    fn register(&self, to: &mut Registry) {
        let Metrics { connections, keys, leases, snapshot, mail, billing, .. } = self;
        to.register("requests", "Requests answered", self.requests.clone());
        to.register("store_panics", "Panics that the store survived", self.store_panics.clone());
        to.register_with_unit("request", "Time to answer a request", Unit::Seconds, self.latency.clone());
        to.register("connections", "Open connections", connections.open.clone());
        to.register("connections_accepted", "Connections accepted", connections.accepted.clone());
        to.register("connections_refused", "Connections refused at the limit", connections.refused.clone());
        to.register("requests_in_flight", "Requests being answered", connections.in_flight.clone());
        let bodies = "Memory of request bodies that arrive in several pieces";
        to.register_with_unit("request_bodies", bodies, Unit::Bytes, connections.body_bytes.clone());
        to.register("key_cache_hits", "Key lookups answered from memory", keys.hits.clone());
        to.register("key_cache_misses", "Key lookups that asked the store", keys.misses.clone());
        to.register("lease_claims", "Lease claims sent to the store", leases.claims.clone());
        to.register("lease_waits", "Requests that waited for a lease", leases.waits.clone());
        to.register("depot_polls", "Polls of the depot, failed ones included", snapshot.polls.clone());
        to.register("guide_swaps", "Snapshots that went live", snapshot.swaps.clone());
        let failures = snapshot.publish_failures.clone();
        to.register("publish_failures", "Published snapshots that did not go live", failures);
        to.register("guide_places", "Places in the live snapshot", snapshot.places.clone());
        to.register("guide_events", "Events in the live snapshot", snapshot.events.clone());
        to.register("guide_serial", "Serial number of the live snapshot", snapshot.serial.clone());
        to.register("signups", "Sign-ups accepted, for known and new addresses", self.signups.clone());
        to.register("letters_sent", "Mails sent", mail.sent.clone());
        to.register("letters_failed", "Attempts to send a mail that failed", mail.failed.clone());
        to.register("letters_given_up", "Mails that will not be tried again", mail.abandoned.clone());
        to.register("letters_waiting", "Mails accepted and not yet sent", mail.pending.clone());
        let idle_rounds = mail.idle_rounds.clone();
        to.register("mail_idle_rounds", "Reads of the mail queue with nothing to do", idle_rounds);
        to.register("orders", "Orders of paid plans", billing.orders.clone());
        to.register("payments_credited", "Months credited", billing.payments.clone());
        to.register("payments_taken_back", "Months revoked after a refund", billing.refunds.clone());
        to.register("notices_kept", "Webhook events stored", billing.webhooks.clone());
        to.register("notices_settled", "Webhook events processed", billing.settled.clone());
        to.register("notices_unmatched", "Webhook events that credit nothing", billing.unmatched.clone());
        to.register("partial_refunds", "Payments refunded in part", billing.partial_refunds.clone());
        to.register("gateway_failures", "Failed gateway calls", billing.gateway_failures.clone());
        let (webhooks, accounts) = (billing.webhook_rounds.clone(), billing.account_rounds.clone());
        to.register("billing_webhook_rounds", "Completed reads of the webhook queue", webhooks);
        to.register("billing_account_rounds", "Completed reads of the accounts to poll", accounts);
        to.register("task_panics", "Panics of background tasks", self.tasks.panics.clone());
    }

    /// The metrics of one action on one path. Call it once and keep the result.
    pub fn series(&self, path: &'static str, action: &'static str) -> Series {
        let answered = STATUS_CLASSES
            .map(|status| self.requests.get_or_create_owned(&RequestLabels { path, action, status }));
        Series { answered, latency: self.latency.get_or_create_owned(&SeriesLabels { path, action }) }
    }

    /// Reports the panics of the store from now on.
    pub fn watch_store(&self, panics: impl Fn() -> u64 + Send + Sync + 'static) {
        // a process has one store
        let _ = self.read_store_panics.set(Box::new(panics));
    }

    /// All metrics in the Prometheus text format.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let store_panics = self.read_store_panics.get().map_or(0, |panics| panics());
        self.store_panics.inner().store(store_panics, Ordering::Relaxed);
        let mut registry = Registry::with_prefix("candango");
        self.register(&mut registry);
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry)?;
        Ok(text)
    }
}

/// The metrics of one action on one path.
#[derive(Debug, Clone)]
pub struct Series {
    answered: [Counter; STATUS_CLASSES.len()],
    latency: Latency,
}

impl Series {
    /// Counts one answered request.
    pub fn answered(&self, status: u16, took: Duration) {
        let class = usize::from(status / 100).saturating_sub(1).min(STATUS_CLASSES.len() - 1);
        self.answered[class].inc();
        self.latency.record(took);
    }
}

/// Upper bounds of the buckets, in nanoseconds. A warm request takes microseconds and a cold one milliseconds; above a
/// second the exact time no longer matters.
const BOUNDS: [u64; 10] =
    [5_000, 10_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000, 50_000_000, 250_000_000, 1_000_000_000];

/// A histogram of durations. The one in prometheus-client takes a lock for each observation; this one takes none.
#[derive(Debug, Clone, Default)]
struct Latency(Arc<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    counts: [AtomicU64; BOUNDS.len() + 1],
    nanos: AtomicU64,
}

impl Latency {
    fn record(&self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.iter().position(|&bound| nanos <= bound).unwrap_or(BOUNDS.len());
        self.0.counts[bucket].fetch_add(1, Ordering::Relaxed);
        self.0.nanos.fetch_add(nanos, Ordering::Relaxed);
    }
}

impl TypedMetric for Latency {
    const TYPE: MetricType = MetricType::Histogram;
}

impl EncodeMetric for Latency {
    fn encode(&self, mut encoder: MetricEncoder) -> fmt::Result {
        let bounds = BOUNDS.iter().map(|&nanos| nanos as f64 / 1e9).chain([f64::INFINITY]);
        let counts = self.0.counts.iter().map(|count| count.load(Ordering::Relaxed));
        let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        let seconds = self.0.nanos.load(Ordering::Relaxed) as f64 / 1e9;
        encoder.encode_histogram::<NoLabelSet>(seconds, count, &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_status_class_and_duration() {
        let metrics = Metrics::new();
        let series = metrics.series("/v1", "search_places");
        series.answered(200, Duration::from_micros(7));
        series.answered(204, Duration::from_micros(70));
        series.answered(429, Duration::from_secs(9));
        series.answered(0, Duration::ZERO);
        let text = metrics.text().expect("text");
        let has = |line: &str| assert!(text.contains(line), "{line} is not in\n{text}");
        has(r#"candango_requests_total{path="/v1",action="search_places",status="2xx"} 2"#);
        has(r#"candango_requests_total{path="/v1",action="search_places",status="4xx"} 1"#);
        has(r#"candango_request_seconds_bucket{le="0.00001",path="/v1",action="search_places"} 2"#);
        has(r#"candango_request_seconds_bucket{le="+Inf",path="/v1",action="search_places"} 4"#);
        has(r#"candango_request_seconds_count{path="/v1",action="search_places"} 4"#);
    }

    #[test]
    fn equal_labels_share_one_series() {
        let metrics = Metrics::new();
        metrics.series("/v1", "usage").answered(200, Duration::ZERO);
        metrics.series("/v1", "usage").answered(200, Duration::ZERO);
        let text = metrics.text().expect("text");
        assert!(text.contains(r#"action="usage",status="2xx"} 2"#), "{text}");
    }
}
