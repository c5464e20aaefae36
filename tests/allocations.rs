//! A warm search allocates little: the allocator of this binary counts.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use bytes::Bytes;
use candango::asked::Recorder;
use candango::config::{Config, StoreSpec};
use candango::dispatch::{ActionRequest, Credentials, Dispatcher, DispatcherParts};
use candango::domain::clock::Clock;
use candango::domain::plan::Plan;
use candango::metrics::Metrics;
use candango::quota::issue;
use candango::render::JsonBody;
use candango::serving::{GuideVersion, Serving, ServingSnapshot, SnapshotExtras};
use candango::store;
use index::Guide;
use snapshots::{Digest, Hidden, check, demo};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system allocator unchanged, and counting does not touch its memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps the contract of the system allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of the system allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps the contract of the system allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Whether a request to `/v1` is answered.
async fn ask(dispatcher: &Dispatcher, key: &[u8], body: &'static str) -> bool {
    let ask = ActionRequest::v1(Credentials::Key(Ok(Some(key))), Ok(Bytes::from_static(body.as_bytes())));
    dispatcher.answer(ask, |body: JsonBody<'_>| body.into_json()).await.result.is_ok()
}

/// From the body of the request to the bytes of the answer.
const MAX_ALLOCATIONS: usize = 9;

/// The same of a superquadra with few records, whose answer also has what may be there too: another search.
const MAX_OF_SUPERQUADRA: usize = 17;

#[tokio::test]
async fn a_warm_search_allocates_little() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::machine();
    let mut config = Config::load(None, [], &[]).unwrap();
    config.store = StoreSpec::Sqlite(folder.path().join("candango.db"));
    let store = store::open::store(&config.store, folder.path(), std::time::Duration::from_secs(15)).unwrap();
    let issued =
        issue::issue(&*store, &clock, "a@example.com".parse().unwrap(), Some(Plan::Pro)).await.unwrap();
    let metrics = Metrics::new();
    let live = Serving::default();
    let today = clock.today().date();
    let snapshot = check(&demo::files(), today).unwrap().on(today, &Hidden::default()).unwrap();
    let version = GuideVersion { serial: 1, digest: Digest::of(b"test"), day: today, hidden: 0 };
    let guide = Guide::build(&snapshot).unwrap();
    live.replace(ServingSnapshot::new(guide, version, SnapshotExtras::default(), "plano-piloto").unwrap());
    let background = tokio::runtime::Handle::current();
    let dispatcher = Dispatcher::new(DispatcherParts {
        config: &config,
        serving: live,
        clock,
        store: Arc::clone(&store),
        background,
        metrics: &metrics,
        asked: Recorder::none(),
    });
    let key = issued.key.reveal().as_bytes();

    let mut failures = Vec::new();
    for (body, most) in [
        (r#"{"action":"search_places"}"#, MAX_ALLOCATIONS),
        (r#"{"action":"search_events"}"#, MAX_ALLOCATIONS),
        (r#"{"action":"search_places","category":"bar","region":"Asa Norte"}"#, MAX_ALLOCATIONS),
        (r#"{"action":"search_places","q":"sushi asa sul"}"#, MAX_ALLOCATIONS),
        (r#"{"action":"search_places","q":"boteco 408 norte","limit":50}"#, MAX_OF_SUPERQUADRA),
        (r#"{"action":"search_places","q":"beirute"}"#, MAX_ALLOCATIONS),
        (r#"{"action":"search_places","q":"feira","region":"Ceilândia"}"#, MAX_ALLOCATIONS),
        (r#"{"action":"search_events","q":"feira domingo"}"#, MAX_ALLOCATIONS),
    ] {
        for _ in 0..3 {
            assert!(ask(&dispatcher, key, body).await, "{body}");
        }
        let before = COUNT.get();
        let answered = ask(&dispatcher, key, body).await;
        let count = COUNT.get() - before;
        assert!(answered, "{body}");
        if count > most {
            failures.push(format!("{count}, more than {most}: {body}"));
        }
    }
    assert!(failures.is_empty(), "too many allocations:\n{}", failures.join("\n"));
}
