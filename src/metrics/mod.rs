//! The Prometheus metrics. Updating one is an atomic addition, never a lock: each user resolves its counters once,
//! when it is built, and keeps them. Only the counter of an error is looked up each time.

mod process;
mod requests;
pub mod text;

use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use requests::{Durations, Requests};
pub use requests::{Refusals, Series};

/// Every metric of the service. Clones share the same numbers.
#[derive(Clone, Default)]
pub struct Metrics {
    requests: Requests,
    /// Requests that were answered with an error.
    pub refusals: Refusals,
    calls: Family<PlanLabels, Counter>,
    searches: Family<SearchLabels, Counter>,
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
    /// Messages to webhooks of accounts.
    pub hooks: HookMetrics,
    /// Sign-ups that were accepted.
    pub signups: Counter,
    /// Orders, payments and webhooks.
    pub billing: BillingMetrics,
    /// What people asked and did not find.
    pub asked: AskedMetrics,
    /// Background tasks.
    pub tasks: TaskMetrics,
    /// When the process started.
    pub started_at: Timestamp,
    /// Lines of the log that were dropped.
    pub dropped_lines: Counter,
    /// Entries of the journal of what has ended that could not be written, and are tried again.
    pub journal_unwritten: Gauge,
    /// What the watch of the store has read.
    pub queues: QueueMetrics,
    /// Paying accounts and revenue, as they were last computed.
    pub revenue: RevenueMetrics,
    /// Asks the store, which knows its own state.
    read_store: Arc<OnceLock<Box<dyn Fn() -> StoreReading + Send + Sync>>>,
}

/// The state of the store, for one scrape.
#[derive(Debug, Clone, Copy)]
pub struct StoreReading {
    /// Panics since the start that it survived.
    pub panics: u64,
    /// Whether its last background probe succeeded.
    pub is_up: bool,
    /// How long that took; `None` before the first.
    pub probe: Option<Duration>,
}

/// A moment in milliseconds since 1970; 0 when it is not known.
#[derive(Debug, Clone, Default)]
pub struct Timestamp(Arc<AtomicI64>);

impl Timestamp {
    /// Sets the moment.
    pub fn set(&self, millis: i64) {
        self.0.store(millis, Ordering::Relaxed);
    }
}

impl EncodeMetric for Timestamp {
    fn encode(&self, mut encoder: MetricEncoder) -> fmt::Result {
        encoder.encode_gauge(&(self.0.load(Ordering::Relaxed) as f64 / 1e3))
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Gauge
    }
}

/// What waits in the store, for every server that uses it, and its backup.
#[derive(Debug, Clone, Default)]
pub struct QueueMetrics {
    /// Seconds since the oldest waiting mail was queued; 0 without one.
    pub mails: Seconds,
    /// Seconds since the oldest unprocessed webhook event arrived; 0 without one.
    pub webhook_events: Seconds,
    /// Seconds since the longest due subscription became due; 0 without one.
    pub subscriptions: Seconds,
    /// The time of the last backup.
    pub backup_at: Timestamp,
    /// 1 while the store may drop what it holds when its memory is full.
    pub store_evicts: Gauge,
}

/// Paying accounts and the revenue of this month, by plan, for every server that uses the store.
#[derive(Clone, Default)]
pub struct RevenueMetrics {
    paying: Family<PlanLabels, Gauge>,
    received: Family<PlanLabels, Gauge>,
}

impl RevenueMetrics {
    /// Sets what is known of a plan.
    pub fn set(&self, plan: &'static str, accounts: usize, cents: u64) {
        let labels = PlanLabels { plan };
        self.paying.get_or_create(&labels).set(i64::try_from(accounts).unwrap_or(i64::MAX));
        self.received.get_or_create(&labels).set(i64::try_from(cents).unwrap_or(i64::MAX));
    }
}

/// A gauge of seconds.
pub type Seconds = Gauge<f64, AtomicU64>;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PlanLabels {
    plan: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SearchLabels {
    action: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabels {
    queue: &'static str,
}

/// The searches of one action, by what they found.
#[derive(Debug, Clone)]
pub struct SearchCounters {
    /// Records that meet the whole question.
    pub exact: Counter,
    /// Nothing does, so those that meet most of it.
    pub closest: Counter,
    /// Nothing.
    pub none: Counter,
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
    /// Mails that were dropped because they are not true any more.
    pub obsolete: Counter,
    /// Mails that this process has accepted and neither sent nor abandoned.
    pub pending: Gauge,
    /// Reads of the queue that found nothing due while nothing was being sent.
    pub idle_rounds: Counter,
}

/// Messages to webhooks of accounts.
#[derive(Debug, Clone, Default)]
pub struct HookMetrics {
    /// Messages that their receivers took.
    pub sent: Counter,
    /// Attempts that failed.
    pub failed: Counter,
    /// Messages that will not be tried again.
    pub abandoned: Counter,
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
    /// Webhook events that credit nothing: they match no order, the payment is below the price, or this version does
    /// not know the event.
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
    /// 1 while the latest published snapshot is not in service.
    pub publish_failing: Gauge,
    /// Its places.
    pub places: Gauge,
    /// Its events.
    pub events: Gauge,
    /// Its serial number.
    pub serial: Gauge,
    /// The length of its packed file.
    pub packed_bytes: Gauge,
    /// When it was published.
    pub published_at: Timestamp,
    /// When the depot was read last.
    pub read_at: Timestamp,
}

/// What people asked and did not find.
#[derive(Debug, Clone, Default)]
pub struct AskedMetrics {
    /// How often the counts were written, or there was nothing to write.
    pub saves: Counter,
    /// Questions that came faster than they could be counted.
    pub dropped: Counter,
    /// Questions forgotten because there were too many different ones.
    pub forgotten: Counter,
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

impl Metrics {
    /// Everything at zero.
    pub fn new() -> Metrics {
        Metrics::default()
    }

    /// Names and describes each metric, one row each.
    fn register(&self, to: &mut Registry) {
        let Metrics { connections, keys, leases, snapshot, mail, billing, .. } = self;
        to.register("requests", "Requests answered", self.requests.clone());
        let durations = Durations(self.requests.clone());
        to.register_with_unit("request", "Time to answer a request", Unit::Seconds, durations);
        to.register("refusals", "Requests answered with an error, by its code", self.refusals.0.clone());
        to.register("calls", "Calls of actions that a plan or the preview admitted", self.calls.clone());
        let help = "Searches by what they found: exact, closest or none";
        to.register("searches", help, self.searches.clone());
        let help = "Lines of the log, those of requests included, dropped as they came too fast or could not be written";
        to.register("log_lines_dropped", help, self.dropped_lines.clone());
        let help = "Entries of the journal of what has ended that could not be written, and are tried again";
        to.register("journal_unwritten", help, self.journal_unwritten.clone());
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
        let help =
            "Whether the latest published snapshot is not in service, as publish_error of /readyz says";
        to.register("publish_failing", help, snapshot.publish_failing.clone());
        to.register("guide_places", "Places in the live snapshot", snapshot.places.clone());
        to.register("guide_events", "Events in the live snapshot", snapshot.events.clone());
        to.register("guide_serial", "Serial number of the live snapshot", snapshot.serial.clone());
        let help = "Length of the packed live snapshot";
        to.register_with_unit("guide_packed", help, Unit::Bytes, snapshot.packed_bytes.clone());
        let help = "When the live snapshot was published, 0 if that is not known";
        to.register_with_unit(
            "guide_published_timestamp",
            help,
            Unit::Seconds,
            snapshot.published_at.clone(),
        );
        let help = "When the depot was last read without an error, 0 if never";
        to.register_with_unit("depot_read_timestamp", help, Unit::Seconds, snapshot.read_at.clone());
        to.register("signups", "Sign-ups accepted, for known and new addresses", self.signups.clone());
        to.register("mails_sent", "Mails sent", mail.sent.clone());
        to.register("mails_failed", "Attempts to send a mail that failed", mail.failed.clone());
        to.register("mails_given_up", "Mails that will not be tried again", mail.abandoned.clone());
        let help = "Mails dropped unsent because their key was replaced, their account changed, or what they say is over";
        to.register("mails_obsolete", help, mail.obsolete.clone());
        to.register("mails_waiting", "Mails accepted and not yet sent", mail.pending.clone());
        let hooks = &self.hooks;
        to.register("hook_messages_sent", "Messages to webhooks of accounts sent", hooks.sent.clone());
        let help = "Attempts to send a message to a webhook that failed";
        to.register("hook_messages_failed", help, hooks.failed.clone());
        let help = "Messages to webhooks that will not be tried again";
        to.register("hook_messages_abandoned", help, hooks.abandoned.clone());
        let idle_rounds = mail.idle_rounds.clone();
        to.register("mail_idle_rounds", "Reads of the mail queue with nothing to do", idle_rounds);
        to.register("orders", "Orders of paid plans", billing.orders.clone());
        to.register("payments_credited", "Months credited", billing.payments.clone());
        to.register("payments_refunded", "Months revoked after a refund", billing.refunds.clone());
        to.register("webhook_events_stored", "Webhook events stored", billing.webhooks.clone());
        to.register("webhook_events_processed", "Webhook events processed", billing.settled.clone());
        to.register(
            "webhook_events_unmatched",
            "Webhook events that credit nothing",
            billing.unmatched.clone(),
        );
        to.register("partial_refunds", "Payments refunded in part", billing.partial_refunds.clone());
        to.register("gateway_failures", "Failed gateway calls", billing.gateway_failures.clone());
        let (webhooks, accounts) = (billing.webhook_rounds.clone(), billing.account_rounds.clone());
        to.register("billing_webhook_rounds", "Completed reads of the webhook queue", webhooks);
        to.register("billing_account_rounds", "Completed reads of the accounts to poll", accounts);
        to.register("task_panics", "Panics of background tasks", self.tasks.panics.clone());
        let help = "Writes of the questions without an answer, also when there was none";
        to.register("asked_saves", help, self.asked.saves.clone());
        let help = "Questions without an answer that were not counted, as they came too fast";
        to.register("asked_dropped", help, self.asked.dropped.clone());
        let help = "Rare questions without an answer that were forgotten, as there were too many";
        to.register("asked_forgotten", help, self.asked.forgotten.clone());
        let labels = [("version", env!("CARGO_PKG_VERSION")), ("commit", env!("CANDANGO_COMMIT"))];
        to.register("build", "Version and commit of the program", Info::new(labels.to_vec()));
        self.register_store(to);
    }

    /// The state of the store and of what waits in it.
    fn register_store(&self, to: &mut Registry) {
        let QueueMetrics { mails, webhook_events, subscriptions, backup_at, store_evicts } = &self.queues;
        let ages = Family::<QueueLabels, Seconds>::default();
        for (queue, age) in
            [("mails", mails), ("webhook_events", webhook_events), ("subscriptions", subscriptions)]
        {
            ages.get_or_create(&QueueLabels { queue }).set(age.get());
        }
        let help = "Age of the oldest that waits in a queue of the store, 0 without one";
        to.register_with_unit("queue_oldest", help, Unit::Seconds, ages);
        let help = "When the last backup was made with candango backup, 0 if never";
        to.register_with_unit("backup_timestamp", help, Unit::Seconds, backup_at.clone());
        let help = "Whether Redis may drop keys and quotas when its memory is full (maxmemory-policy)";
        to.register("store_evicts", help, store_evicts.clone());
        let RevenueMetrics { paying, received } = &self.revenue;
        to.register("paying_accounts", "Accounts with a paid plan, by plan", paying.clone());
        let help = "What was paid this month, in centavos, by plan; see candango report for refunds";
        to.register("revenue_month_centavos", help, received.clone());
        let Some(reading) = self.read_store.get().map(|read| read()) else { return };
        to.register("store_panics", "Panics that the store survived", ConstCounter::new(reading.panics));
        let help = "Whether the last background probe of the store succeeded";
        to.register("store_up", help, ConstGauge::new(i64::from(reading.is_up)));
        if let Some(took) = reading.probe {
            let help = "Duration of the last background probe of the store";
            to.register_with_unit("store_probe", help, Unit::Seconds, ConstGauge::new(took.as_secs_f64()));
        }
    }

    /// The metrics of one action on one path. Call it once and keep the result.
    pub fn series(&self, path: &'static str, action: &'static str) -> Series {
        self.requests.series(path, action)
    }

    /// Counts the calls of one plan, or of the preview. Call it once and keep the result.
    pub fn calls(&self, plan: &'static str) -> Counter {
        self.calls.get_or_create_owned(&PlanLabels { plan })
    }

    /// Counts what the searches of one action find. Call it once and keep the result.
    pub fn searches(&self, action: &'static str) -> SearchCounters {
        let counter = |result| self.searches.get_or_create_owned(&SearchLabels { action, result });
        SearchCounters { exact: counter("exact"), closest: counter("closest"), none: counter("none") }
    }

    /// Reports the state of the store from now on.
    pub fn watch_store(&self, read: impl Fn() -> StoreReading + Send + Sync + 'static) {
        // a process has one store
        let _ = self.read_store.set(Box::new(read));
    }

    /// All metrics in the OpenMetrics text format.
    pub fn open_metrics(&self) -> Result<String, fmt::Error> {
        let mut registry = Registry::with_prefix("candango");
        self.register(&mut registry);
        // Prometheus knows these by their names
        let mut of_process = Registry::default();
        process::register(&mut of_process);
        let help = "When the process started";
        of_process.register_with_unit("process_start_time", help, Unit::Seconds, self.started_at.clone());
        let mut text = String::new();
        encode_registry(&mut text, &registry)?;
        encode_registry(&mut text, &of_process)?;
        encode_eof(&mut text)?;
        Ok(text)
    }

    /// All metrics in the older text format of Prometheus.
    pub fn classic(&self) -> Result<String, fmt::Error> {
        Ok(text::classic(&self.open_metrics()?))
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
        let text = metrics.open_metrics().expect("text");
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
        let text = metrics.open_metrics().expect("text");
        assert!(text.contains(r#"action="usage",status="2xx"} 2"#), "{text}");
    }

    #[test]
    fn labels_appear_once_they_were_seen() {
        let metrics = Metrics::new();
        let _never = metrics.series("/v1", "search_places");
        metrics.series("/v1", "usage").answered(200, Duration::ZERO);
        metrics.refusals.begin(["missing_key", "overloaded"]);
        metrics.refusals.count("missing_key");
        metrics.refusals.count("missing_key");
        let text = metrics.open_metrics().expect("text");
        assert!(!text.contains("search_places"), "{text}");
        assert_eq!(text.matches("candango_requests_total{").count(), 1, "{text}");
        assert_eq!(text.matches("candango_request_seconds_count{").count(), 1, "{text}");
        assert!(text.contains("candango_refusals_total{code=\"missing_key\"} 2\n"), "{text}");
        assert!(text.contains("candango_refusals_total{code=\"overloaded\"} 0\n"), "{text}");
    }
}
