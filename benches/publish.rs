//! The cost of publishing: from the packed bytes of a snapshot to a searchable guide.
//!
//! `publish/unpack` decompresses, parses and checks; `publish/build` builds the guide; `publish/whole` is both.
//! Sizes: the demo, 5,000 and 100,000 records, and 1,000,000 with `CANDANGO_BENCH_MILLION=1`. Run
//! `cargo bench --bench publish`; with `-- --test` the two small sizes run once.

#[path = "common/sizes.rs"]
mod sizes;

use std::time::Duration;

use anyhow::Result;
use candango::domain::clock::Clock;
use criterion::{BenchmarkId, Criterion, Throughput};
use index::Guide;
use snapshots::{Hidden, Packed, check, demo, unpack};

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let today = Clock::machine().today().date();
    let base = check(&demo::files(), today)?.on(today, &Hidden::default())?;
    let mut group = criterion.benchmark_group("publish");
    for (size, snapshot) in sizes::snapshots(&base, today) {
        let records = snapshot.places.len() + snapshot.events.len();
        let packed = Packed::of(snapshot)?;
        // fails here rather than within the measurement
        Guide::build(&unpack(&packed.bytes, Some(&packed.digest))?)?;
        group.throughput(Throughput::Elements(records as u64)).sample_size(10);
        group.measurement_time(Duration::from_secs(if records > 50_000 { 20 } else { 5 }));
        let unpacked = || unpack(&packed.bytes, Some(&packed.digest));
        group.bench_function(BenchmarkId::new("unpack", &size), |bencher| {
            bencher.iter_with_large_drop(unpacked)
        });
        group.bench_function(BenchmarkId::new("build", &size), |bencher| {
            let snapshot = unpacked();
            bencher.iter_with_large_drop(|| snapshot.as_ref().map(Guide::build));
        });
        group.bench_function(BenchmarkId::new("whole", &size), |bencher| {
            bencher.iter_with_large_drop(|| unpacked().map(|snapshot| Guide::build(&snapshot)));
        });
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}
