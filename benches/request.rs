//! A whole ask through dispatch, without the socket: key, meter, guide, answer; on each store, and without the meter.
//!
//! `metered` is the ask as the door hands it in, `bare` the same without the meter: their ratio is what the meter
//! costs a warm request. The store of Redis is measured when a `redis-server` is to be found.
//! Run `cargo bench --bench request`; with `-- --test` each runs once.

use std::hint::black_box;
use std::net::TcpListener;
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use candango::accounts::keys;
use candango::actions::{ACTIONS, Params, Scene};
use candango::clock::Clock;
use candango::config::{Config, StoreSpec};
use candango::dispatch::{Paper, Rooms};
use candango::gate::Permit;
use candango::live::{Edition, Live};
use candango::metrics::{Metrics, Series};
use candango::plans::Plan;
use candango::store;
use criterion::{BenchmarkId, Criterion};
use index::Guide;
use snapshots::{check, demo, pack::Digest};

/// What is asked: a filter, a text, both.
const BODIES: [&str; 3] = [
    r#"{"action":"search_places","category":"bar","region":"Asa Norte"}"#,
    r#"{"action":"search_places","q":"samba"}"#,
    r#"{"action":"search_places","q":"pizza","region":"Asa Sul","limit":20}"#,
];

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let folder = tempfile::tempdir()?;
    let redis = Redis::start(folder.path())?;
    let mut stores = vec![("sqlite", StoreSpec::Sqlite(folder.path().join("candango.db")))];
    match &redis {
        Some(redis) => stores.push(("redis", redis.url.parse().map_err(anyhow::Error::msg)?)),
        None => println!("no redis-server here: only SQLite is measured"),
    }
    let series = Metrics::new().series("/v1", "search_places");
    let mut group = criterion.benchmark_group("request");
    for (name, spec) in stores {
        let (rooms, key) = runtime.block_on(open(folder.path(), &spec, runtime.handle()))?;
        for body in BODIES {
            let answered = runtime.block_on(rooms.ask(Ok(Some(key.as_bytes())), body.as_bytes()));
            if answered.answer.is_err() {
                bail!("{body} is refused");
            }
        }
        group.bench_function(BenchmarkId::new("metered", name), |bencher| {
            let mut turn = BODIES.iter().cycle();
            bencher.iter(|| {
                let body = black_box(turn.next()?);
                now(rooms.ask(Ok(Some(key.as_bytes())), body.as_bytes()))?.answer.ok()
            });
        });
        group.bench_function(BenchmarkId::new("bare", name), |bencher| {
            let mut turn = BODIES.iter().cycle();
            bencher.iter(|| bare(&rooms, &series, key.as_bytes(), black_box(turn.next()?)));
        });
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}

/// The ask with everything but the meter.
fn bare(rooms: &Rooms, series: &Series, key: &[u8], body: &str) -> Option<Vec<u8>> {
    let began = Instant::now();
    let moment = rooms.clock.moment();
    let params = Params::parse(body.as_bytes()).ok()?;
    let caller = now(rooms.keys.caller(key, began))?.ok()?;
    let action = ACTIONS.iter().find(|action| action.name == "search_places")?;
    let edition = rooms.live.now();
    let permit = Permit::uncounted(&Default::default(), caller.account.plan);
    let edition = edition.as_ref()?;
    let scene = Scene { edition, today: moment.today.date(), permit, default_limit: 20, usage: None };
    let answer = rooms.answer(action, scene, &moment.today, &params, || true, Paper::default()).ok()?.ok();
    series.answered(200, began.elapsed());
    answer
}

/// What a future that waits for nothing has to say.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Everything an ask needs, with the demo in service and a key without limits.
async fn open(
    folder: &std::path::Path,
    spec: &StoreSpec,
    background: &tokio::runtime::Handle,
) -> Result<(Rooms, String)> {
    let clock = Clock::machine();
    let store = store::open(spec, folder, Duration::from_secs(15))?;
    let nothing = folder.join("candango.toml");
    std::fs::write(&nothing, "")?;
    let mut config = Config::load(Some(&nothing), [], &[])?;
    config.plans.business.per_minute = u32::MAX;
    config.plans.business.per_month = u32::MAX;
    let live = Live::default();
    let snapshot = check(&demo::files(), clock.today().date())?;
    live.replace(Edition::new(Guide::build(&snapshot)?, 1, Digest::of(b"bench"))?);
    let rooms =
        Rooms::new(&config, live, clock.clone(), Arc::clone(&store), background.clone(), &Metrics::new());
    store.attend(rooms.listener()).await?;
    let issued = keys::issue(&*store, &clock, "bench@example.com".parse()?, Plan::Business).await?;
    Ok((rooms, issued.key.reveal().to_owned()))
}

/// A Redis of our own, ended with the bench.
struct Redis {
    server: Child,
    url: String,
}

impl Redis {
    /// None where there is no such program.
    fn start(folder: &std::path::Path) -> Result<Option<Redis>> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new("redis-server");
        command.args(["--port", &port.to_string(), "--save", "", "--dir"]).arg(folder).stdout(Stdio::null());
        let Ok(server) = command.spawn() else { return Ok(None) };
        let redis = Redis { server, url: format!("redis://127.0.0.1:{port}") };
        for _ in 0..200 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(Some(redis));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None.context("the Redis does not listen")
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
