//! What is counted of requests. A pair of labels appears once it was seen, as most pairs cannot exist; the codes of
//! errors are there from the start.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use prometheus_client::encoding::{EncodeLabelSet, EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::{MetricType, TypedMetric};

const STATUS_CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

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

/// The requests of each action on each path. The lock is taken when a part of the service is built, and by a scrape.
#[derive(Debug, Clone, Default)]
pub(super) struct Requests(Arc<Mutex<Vec<(SeriesLabels, Series)>>>);

impl Requests {
    /// The series with these labels; equal labels share one.
    pub(super) fn series(&self, path: &'static str, action: &'static str) -> Series {
        let (labels, mut all) = (SeriesLabels { path, action }, self.0.lock());
        if let Some((_, known)) = all.iter().find(|(known, _)| *known == labels) {
            return known.clone();
        }
        let series = Series::default();
        all.push((labels, series.clone()));
        series
    }
}

impl EncodeMetric for Requests {
    fn encode(&self, mut encoder: MetricEncoder) -> fmt::Result {
        for (SeriesLabels { path, action }, series) in &*self.0.lock() {
            for (status, answered) in STATUS_CLASSES.into_iter().zip(&series.answered) {
                if answered.get() > 0 {
                    let labels = RequestLabels { path, action, status };
                    answered.encode(encoder.encode_family(&labels)?)?;
                }
            }
        }
        Ok(())
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Counter
    }
}

/// The durations of the same requests.
#[derive(Debug)]
pub(super) struct Durations(pub(super) Requests);

impl EncodeMetric for Durations {
    fn encode(&self, mut encoder: MetricEncoder) -> fmt::Result {
        for (labels, series) in &*self.0.0.lock() {
            if series.latency.count() > 0 {
                series.latency.encode(encoder.encode_family(labels)?)?;
            }
        }
        Ok(())
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Histogram
    }
}

/// The metrics of one action on one path.
#[derive(Debug, Clone, Default)]
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

    fn count(&self) -> u64 {
        self.0.counts.iter().map(|count| count.load(Ordering::Relaxed)).sum()
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

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CodeLabels {
    code: &'static str,
}

/// Requests that were answered with an error, by its code.
#[derive(Debug, Clone, Default)]
pub struct Refusals(pub(super) Family<CodeLabels, Counter>);

impl Refusals {
    /// Shows codes before they are seen, so that the first refusal is an increase too.
    pub fn begin(&self, codes: impl IntoIterator<Item = &'static str>) {
        codes.into_iter().for_each(|code| drop(self.0.get_or_create(&CodeLabels { code })));
    }

    /// Counts one request.
    pub fn count(&self, code: &'static str) {
        self.0.get_or_create(&CodeLabels { code }).inc();
    }
}
