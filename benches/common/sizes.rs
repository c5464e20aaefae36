//! The snapshots that benches measure: the demo, 5,000 and 100,000 records, and 1,000,000 with
//! `CANDANGO_BENCH_MILLION=1`.

use chrono::NaiveDate;
use snapshots::Snapshot;

/// Whether to measure, rather than to test that the bench works.
pub(crate) fn is_measuring() -> bool {
    let has = |what: &str| std::env::args().any(|argument| argument == what);
    has("--bench") && !has("--test")
}

/// The snapshots with the names of their sizes, made one at a time.
pub(crate) fn snapshots(base: &Snapshot, today: NaiveDate) -> impl Iterator<Item = (String, Snapshot)> {
    let mut sizes = vec![5_000];
    if is_measuring() {
        sizes.push(100_000);
        sizes.extend(std::env::var_os("CANDANGO_BENCH_MILLION").map(|_| 1_000_000));
    }
    let big = move |size: usize| (size.to_string(), tools::big::snapshot(base, size, 1, today));
    std::iter::once(("demo".to_owned(), base.clone())).chain(sizes.into_iter().map(big))
}
