//! What the service counts. Counting is a few atomic additions, never a lock: whoever will count resolves its
//! counters once, when it is built, and keeps them. Uses prometheus-client only.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::{MetricType, TypedMetric};
use prometheus_client::registry::{Registry, Unit};

/// Every counter of the service. Clones count into the same numbers.
#[derive(Debug, Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    requests: Family<RequestLabels, Counter>,
    latency: Family<SeriesLabels, Latency>,
    /// Connections of the public listener.
    pub connections: Connections,
    /// The cache of keys.
    pub keys: KeyCache,
    /// The leases of the meter.
    pub leases: Leases,
    /// The guide in service.
    pub guide: GuideInService,
    /// The post office.
    pub letters: Letters,
    /// Orders, payments, and what the gateway tells of them.
    pub billing: Billing,
}

/// Connections of the public listener.
#[derive(Debug, Clone, Default)]
pub struct Connections {
    /// Open now.
    pub open: Gauge,
    /// Taken since the start.
    pub accepted: Counter,
    /// Turned away since the start, because too many were open.
    pub refused: Counter,
    /// Requests being answered now.
    pub in_flight: Gauge,
}

/// The cache of keys.
#[derive(Debug, Clone, Default)]
pub struct KeyCache {
    /// Keys answered for from memory.
    pub hits: Counter,
    /// Keys the store was asked about.
    pub misses: Counter,
}

/// The leases of the meter.
#[derive(Debug, Clone, Default)]
pub struct Leases {
    /// Claims made of the store.
    pub claims: Counter,
    /// Requests that waited for one.
    pub waits: Counter,
}

/// The post office.
#[derive(Debug, Clone, Default)]
pub struct Letters {
    /// Letters handed over since the start.
    pub sent: Counter,
    /// Tries since the start that did not end with a letter handed over.
    pub failed: Counter,
    /// Letters that will not be tried again.
    pub given_up: Counter,
    /// Letters that this process has taken on and that are still on its desk.
    pub waiting: Gauge,
}

/// Orders, payments, and what the gateway tells of them. Of a fleet each process counts its own: over all of them,
/// notices less those settled are those that wait.
#[derive(Debug, Clone, Default)]
pub struct Billing {
    /// Orders written down.
    pub orders: Counter,
    /// Months credited.
    pub payments: Counter,
    /// Months taken back.
    pub refunds: Counter,
    /// Notices of the gateway that were kept, each once.
    pub notices: Counter,
    /// Notices that were seen to.
    pub settled: Counter,
    /// Notices given up, because they are about no order of ours.
    pub unmatched: Counter,
    /// Times that the gateway did not do as asked, all tries together.
    pub gateway_failures: Counter,
}

/// The guide in service.
#[derive(Debug, Clone, Default)]
pub struct GuideInService {
    /// Guides put into service since the start.
    pub swaps: Counter,
    /// Snapshots that were published but could not be put into service.
    pub publish_failures: Counter,
    /// Its places.
    pub places: Gauge,
    /// Its events.
    pub events: Gauge,
    /// Serial number of its snapshot.
    pub serial: Gauge,
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

impl Default for Metrics {
    fn default() -> Self {
        Metrics::new()
    }
}

impl Metrics {
    /// Everything at zero.
    pub fn new() -> Metrics {
        let mut registry = Registry::with_prefix("candango");
        let requests = Family::<RequestLabels, Counter>::default();
        let latency = Family::<SeriesLabels, Latency>::default();
        let connections = Connections::default();
        let keys = KeyCache::default();
        let leases = Leases::default();
        let guide = GuideInService::default();
        let letters = Letters::default();
        let billing = Billing::default();
        registry.register("requests", "Requests answered", requests.clone());
        registry.register_with_unit("request", "Time to answer", Unit::Seconds, latency.clone());
        registry.register("connections", "Connections open", connections.open.clone());
        registry.register("connections_accepted", "Connections taken", connections.accepted.clone());
        registry.register("connections_refused", "Connections turned away", connections.refused.clone());
        registry.register("requests_in_flight", "Requests being answered", connections.in_flight.clone());
        registry.register("key_cache_hits", "Keys answered for from memory", keys.hits.clone());
        registry.register("key_cache_misses", "Keys the store was asked about", keys.misses.clone());
        registry.register("lease_claims", "Claims made of the store", leases.claims.clone());
        registry.register("lease_waits", "Requests that waited for a claim", leases.waits.clone());
        registry.register("guide_swaps", "Guides put into service", guide.swaps.clone());
        registry.register(
            "publish_failures",
            "Snapshots that did not go live",
            guide.publish_failures.clone(),
        );
        registry.register("guide_places", "Places of the guide in service", guide.places.clone());
        registry.register("guide_events", "Events of the guide in service", guide.events.clone());
        registry.register("guide_serial", "Serial of the snapshot in service", guide.serial.clone());
        registry.register("letters_sent", "Letters handed over", letters.sent.clone());
        registry.register("letters_failed", "Tries to send a letter that failed", letters.failed.clone());
        registry.register("letters_given_up", "Letters not tried again", letters.given_up.clone());
        registry.register(
            "letters_waiting",
            "Letters taken on and not yet sent or given up",
            letters.waiting.clone(),
        );
        registry.register("orders", "Paid plans ordered", billing.orders.clone());
        registry.register("payments_credited", "Months credited", billing.payments.clone());
        registry.register("payments_taken_back", "Months taken back", billing.refunds.clone());
        registry.register("notices_kept", "Notices of the gateway kept", billing.notices.clone());
        registry.register("notices_settled", "Notices of the gateway seen to", billing.settled.clone());
        registry.register("notices_unmatched", "Notices about no order of ours", billing.unmatched.clone());
        registry.register(
            "gateway_failures",
            "Times that the gateway did not do as asked",
            billing.gateway_failures.clone(),
        );
        Metrics {
            registry: Arc::new(registry),
            requests,
            latency,
            connections,
            keys,
            leases,
            guide,
            letters,
            billing,
        }
    }

    /// The counters of one action behind one path, to be resolved once and kept.
    pub fn series(&self, path: &'static str, action: &'static str) -> Series {
        let answered = STATUS_CLASSES
            .map(|status| self.requests.get_or_create_owned(&RequestLabels { path, action, status }));
        Series { answered, latency: self.latency.get_or_create_owned(&SeriesLabels { path, action }) }
    }

    /// Everything, in the text format of Prometheus.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// The counters of one action behind one path.
#[derive(Debug, Clone)]
pub struct Series {
    answered: [Counter; STATUS_CLASSES.len()],
    latency: Latency,
}

impl Series {
    /// Counts one answer.
    pub fn answered(&self, status: u16, took: Duration) {
        let class = usize::from(status / 100).saturating_sub(1).min(STATUS_CLASSES.len() - 1);
        self.answered[class].inc();
        self.latency.record(took);
    }
}

/// Upper bounds of the buckets, in nanoseconds: a warm answer takes microseconds, a cold one milliseconds, and
/// what lies beyond a second is an incident whatever its length.
const BOUNDS: [u64; 10] =
    [5_000, 10_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000, 50_000_000, 250_000_000, 1_000_000_000];

/// A histogram of times. The one of prometheus-client takes a lock for each observation; this takes none.
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
    fn answers_are_counted_by_class_and_time() {
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
    fn what_is_resolved_twice_is_counted_once() {
        let metrics = Metrics::new();
        metrics.series("/v1", "usage").answered(200, Duration::ZERO);
        metrics.series("/v1", "usage").answered(200, Duration::ZERO);
        let text = metrics.text().expect("text");
        assert!(text.contains(r#"action="usage",status="2xx"} 2"#), "{text}");
    }
}
