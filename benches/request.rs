//! A whole ask through dispatch, without the socket: key, meter, guide, answer; on each store, and without the meter.
//!
//! `metered` is the ask as the door hands it in; `meter` is what the gate and the meter do for it, alone: `metered`
//! over `metered` less `meter` is what the meter costs a warm request, and is printed in the end. The store of Redis
//! is measured when a `redis-server` is to be found.
//! Run `cargo bench --bench request`; with `-- --test` each runs once.

use std::hint::black_box;
use std::net::TcpListener;
use std::path::Path;
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use candango::actions::NAMES;
use candango::config::{Config, StoreSpec};
use candango::dispatch::Dispatcher;
use candango::domain::clock::Clock;
use candango::domain::plan::Plan;
use candango::metrics::Metrics;
use candango::quota::gate::Gate;
use candango::quota::keys::{self, Caller};
use candango::quota::leases::Quota;
use candango::quota::preview::PreviewLimiter;
use candango::serving::{Serving, ServingSnapshot};
use candango::store;
use criterion::{BenchmarkId, Criterion};
use index::Guide;
use snapshots::{check, demo, pack::Digest};
use tokio::runtime::Handle;

/// What is asked: a filter, a text, both.
const BODIES: [&str; 3] = [
    r#"{"action":"search_places","category":"bar","region":"Asa Norte"}"#,
    r#"{"action":"search_places","q":"samba"}"#,
    r#"{"action":"search_places","q":"pizza","region":"Asa Sul","limit":20}"#,
];

/// How long it takes until the calls that are leased suit the rate.
const LEASES_GROW: Duration = Duration::from_secs(2);

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    // what an ask sets going runs on it
    let _entered = runtime.enter();
    let folder = tempfile::tempdir()?;
    let redis = Redis::start(folder.path())?;
    let mut stores = vec![("sqlite", StoreSpec::Sqlite(folder.path().join("candango.db")))];
    match &redis {
        Some(redis) => stores.push(("redis", redis.url.parse().map_err(anyhow::Error::msg)?)),
        None => println!("no redis-server here: only SQLite is measured"),
    }
    let mut group = criterion.benchmark_group("request");
    for (name, spec) in stores {
        let Opened { rooms, gate, key } = &runtime.block_on(open(folder.path(), &spec, runtime.handle()))?;
        let key = key.as_bytes();
        for body in BODIES {
            let answered = runtime.block_on(rooms.ask(Ok(Some(key)), body.as_bytes()));
            if answered.answer.is_err() {
                bail!("{body} is refused");
            }
        }
        let caller = runtime.block_on(rooms.keys.caller(key, Instant::now()));
        let caller = &*caller.map_err(|_| anyhow!("the key is refused"))?;
        if !meter(gate, &rooms.clock, caller) {
            runtime.block_on(gate.admit(caller, rooms.clock.moment())).map_err(|_| anyhow!("no call"))?;
        }
        let metered = |body: &str| now(rooms.ask(Ok(Some(key)), black_box(body).as_bytes()))?.answer.ok();
        group.bench_function(BenchmarkId::new("metered", name), |bencher| {
            let mut turn = BODIES.iter().cycle();
            bencher.iter(|| metered(turn.next()?));
        });
        group.bench_function(BenchmarkId::new("meter", name), |bencher| {
            bencher.iter(|| meter(gate, &rooms.clock, caller));
        });
        let share = share(&metered, || meter(gate, &rooms.clock, caller))?;
        println!("request: with the meter, times without, on {name}: {share:.2}");
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}

/// What the gate and the meter do for an ask; whether they let it pass.
fn meter(gate: &Gate, clock: &Clock, caller: &Caller) -> bool {
    let moment = clock.moment();
    let admitted = now(gate.admit(black_box(caller), moment)).is_some_and(|permit| permit.is_ok());
    let charged = gate.charge(caller, moment, 1);
    black_box(gate.standing(caller, moment));
    admitted && charged
}

/// How many times as long an ask takes with the meter as without, by turns so that a busy machine slows both; the
/// median.
fn share(metered: &impl Fn(&str) -> Option<Vec<u8>>, meter: impl Fn() -> bool) -> Result<f64> {
    const TURNS: usize = 101;
    const ASKS: usize = 300;
    let began = Instant::now();
    while began.elapsed() < LEASES_GROW {
        black_box((BODIES.iter().all(|body| metered(body).is_some()), meter()));
    }
    let mut passed = 0;
    let mut shares = Vec::with_capacity(TURNS);
    for _ in 0..TURNS {
        let began = Instant::now();
        for body in BODIES.iter().cycle().take(ASKS) {
            black_box(metered(body));
        }
        let whole = began.elapsed().as_secs_f64();
        let began = Instant::now();
        passed += (0..ASKS).filter(|_| black_box(meter())).count();
        let part = began.elapsed().as_secs_f64();
        shares.push(whole / (whole - part));
    }
    // a new minute's first call waits for the store, which is not what is measured
    ensure!(passed > TURNS * ASKS * 99 / 100, "the meter was out of calls: {passed}");
    shares.sort_by(f64::total_cmp);
    Ok(shares[TURNS / 2])
}

/// What a future that waits for nothing has to say.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Everything an ask needs, with the demo in service, a key without limits, and a gate beside it to be measured alone.
struct Opened {
    rooms: Dispatcher,
    gate: Gate,
    key: String,
}

async fn open(folder: &Path, spec: &StoreSpec, background: &Handle) -> Result<Opened> {
    let clock = Clock::machine();
    let store = store::open::store(spec, folder, Duration::from_secs(15))?;
    let nothing = folder.join("candango.toml");
    std::fs::write(&nothing, "")?;
    let mut config = Config::load(Some(&nothing), [], &[])?;
    config.plans.business.per_minute = u32::MAX;
    config.plans.business.per_month = u32::MAX;
    let live = Serving::default();
    let snapshot = check(&demo::files(), clock.today().date())?;
    live.replace(ServingSnapshot::new(Guide::build(&snapshot)?, 1, Digest::of(b"bench"))?);
    let metrics = Metrics::new();
    let rooms = Dispatcher::new(&config, live, clock.clone(), store.clone(), background.clone(), &metrics);
    store.register(rooms.listener()).await?;
    let own = Quota::new(store.clone(), NAMES, clock.clone(), background.clone(), metrics.leases.clone());
    let gate = Gate::new(config.plans.clone(), Arc::new(own), PreviewLimiter::new(config.preview.clone()));
    let issued = keys::issue(&*store, &clock, "bench@example.com".parse()?, Plan::Business).await?;
    Ok(Opened { rooms, gate, key: issued.key.reveal().to_owned() })
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
