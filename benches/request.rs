//! A whole request without the socket, on each store, and what counting its calls costs.
//!
//! `metered` is the request; `meter` is what the gate and the quota do for it. `metered / (metered - meter)` is what
//! the quota costs a warm request; it is printed at the end. Redis is measured when there is a `redis-server`. Run
//! `cargo bench --bench request`; with `-- --test` each runs once.

#[path = "common/requests.rs"]
mod requests;

use std::hint::black_box;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use candango::config::StoreSpec;
use candango::domain::action::{ActionId, CallKind};
use candango::domain::clock::Clock;
use candango::quota::gate::Gate;
use candango::quota::keys::Caller;
use candango::render::Buffer;
use candango::serving::{GuideVersion, ServingSnapshot, SnapshotExtras};
use criterion::{BenchmarkId, Criterion};
use index::Guide;
use requests::{open, ready, send};
use snapshots::{Hidden, check, demo, pack::Digest};

/// Requests by filter, by text, by both.
const BODIES: [&str; 3] = [
    r#"{"action":"search_places","category":"bar","region":"Asa Norte"}"#,
    r#"{"action":"search_places","q":"samba"}"#,
    r#"{"action":"search_places","q":"pizza","region":"Asa Sul","limit":20}"#,
];

/// What the calls of the meter are counted as.
const CALL: CallKind = CallKind::Action(ActionId::SearchPlaces);

/// How long leases need to grow to the rate of the bench.
const WARM_UP: Duration = Duration::from_secs(2);

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    // requests renew leases on it
    let _entered = runtime.enter();
    let folder = tempfile::tempdir()?;
    let redis = Redis::start(folder.path())?;
    let mut stores = vec![("sqlite", StoreSpec::Sqlite(folder.path().join("candango.db")))];
    match &redis {
        Some(redis) => stores.push(("redis", redis.url.parse().map_err(anyhow::Error::msg)?)),
        None => println!("no redis-server: only SQLite is measured"),
    }
    let today = Clock::machine().today().date();
    let snapshot = check(&demo::files(), today)?.on(today, &Hidden::default())?;
    let mut group = criterion.benchmark_group("request");
    for (name, spec) in stores {
        let version = GuideVersion { serial: 1, digest: Digest::of(b"bench"), day: today, hidden: 0 };
        let guide = Guide::build(&snapshot)?;
        let served = ServingSnapshot::new(guide, version, SnapshotExtras::default(), "plano-piloto")?;
        let (dispatcher, gate, key) = &runtime.block_on(open(folder.path(), &spec, served))?;
        for body in BODIES {
            ensure!(runtime.block_on(send(dispatcher, key, body)).is_ok(), "{body} is refused");
        }
        let caller = runtime.block_on(dispatcher.keys.caller(key.as_bytes()));
        let caller = &*caller.map_err(|_| anyhow!("the key is refused"))?;
        if !meter(gate, &dispatcher.clock, caller) {
            let moment = dispatcher.clock.moment();
            runtime.block_on(gate.admit(caller, moment)).map_err(|_| anyhow!("no call"))?;
            runtime.block_on(gate.charge(caller, moment, CALL)).map_err(|_| anyhow!("no call"))?;
        }
        let metered = |body: &'static str| ready(send(dispatcher, key, black_box(body)))?.ok();
        group.bench_function(BenchmarkId::new("metered", name), |bencher| {
            let mut bodies = BODIES.iter().cycle();
            bencher.iter(|| metered(bodies.next()?));
        });
        group.bench_function(BenchmarkId::new("meter", name), |bencher| {
            bencher.iter(|| meter(gate, &dispatcher.clock, caller));
        });
        let ratio = ratio(&metered, || meter(gate, &dispatcher.clock, caller))?;
        println!("request: CPU with the quota, ratio to without, on {name}: {ratio:.2}");
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}

/// What the gate and the quota do for a request; whether they admit it.
fn meter(gate: &Gate, clock: &Clock, caller: &Caller) -> bool {
    let moment = clock.moment();
    let admitted = ready(gate.admit(black_box(caller), moment)).is_some_and(|permit| permit.is_ok());
    let charged = ready(gate.charge(caller, moment, CALL)).is_some_and(|charged| charged.is_ok());
    black_box(gate.caller_quota(caller, moment));
    admitted && charged
}

/// The median ratio of a request with the quota to one without, measured in turns so that a busy machine slows both.
fn ratio(metered: &impl Fn(&'static str) -> Option<Buffer>, meter: impl Fn() -> bool) -> Result<f64> {
    const TURNS: usize = 101;
    const REQUESTS: usize = 300;
    let began = Instant::now();
    while began.elapsed() < WARM_UP {
        black_box((BODIES.iter().all(|body| metered(body).is_some()), meter()));
    }
    let mut passed = 0;
    let mut ratios = Vec::with_capacity(TURNS);
    for _ in 0..TURNS {
        let began = Instant::now();
        for body in BODIES.iter().cycle().take(REQUESTS) {
            black_box(metered(body));
        }
        let whole = began.elapsed().as_secs_f64();
        let began = Instant::now();
        passed += (0..REQUESTS).filter(|_| black_box(meter())).count();
        let part = began.elapsed().as_secs_f64();
        ratios.push(whole / (whole - part));
    }
    // the first call of a new minute waits for the store, which is not measured here
    ensure!(passed > TURNS * REQUESTS * 99 / 100, "the lease ran out of calls: {passed}");
    ratios.sort_by(f64::total_cmp);
    Ok(ratios[TURNS / 2])
}

/// A Redis that ends with the bench.
struct Redis {
    server: Child,
    url: String,
}

impl Redis {
    /// `None` where Redis is not installed.
    fn start(folder: &Path) -> Result<Option<Redis>> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new("redis-server");
        command.args(["--port", &port.to_string(), "--save", "", "--dir"]).arg(folder).stdout(Stdio::null());
        let Ok(server) = command.spawn() else { return Ok(None) };
        let redis = Redis { server, url: format!("redis://127.0.0.1:{port}") };
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(Some(redis));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None.context("Redis does not listen")
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // it may have ended already
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
