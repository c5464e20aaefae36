//! A question, from the body of a request to the bytes of its answer, by kind of question and by size of guide.
//!
//! `search` reads the parameters and runs the action: the page, its exact total, the records' bytes. `ask` is the
//! same mix through dispatch: the key's holder, the gate, the envelope and the counters too. By size: the demo,
//! 5,000 and 100,000 records, and 1,000,000 with `CANDANGO_BENCH_MILLION=1`. Run `cargo bench --bench search`;
//! with `-- --test` the two small sizes run once.
//!
//! Before criterion's means a table tells p50 and p99, asked for the first time (when the total must be counted)
//! and again (when it is known). Each question is timed alone there, so some 20 ns of every figure are the clock's.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use bytes::Bytes;
use candango::actions::{ACTIONS, Params, QueryContext, Value};
use candango::config::{Config, StoreSpec};
use candango::dispatch::{Ask, Dispatcher};
use candango::domain::clock::Clock;
use candango::domain::error::ApiError;
use candango::domain::plan::{Plan, Plans};
use candango::metrics::Metrics;
use candango::quota::gate::Permit;
use candango::quota::keys;
use candango::render::JsonBody;
use candango::serving::{Serving, ServingSnapshot};
use candango::store;
use criterion::{BenchmarkId, Criterion};
use index::Guide;
use snapshots::{Snapshot, check, demo, pack::Digest};
use tools::big::snapshot;
use tools::questions::{KINDS, Kind, questions};
use tools::random::Random;

/// Different questions of each kind.
const QUESTIONS: usize = 1_000;

/// Records asked for on a page.
const LIMIT: usize = 20;

/// The kinds that the budgets are of.
const MIX: [Kind; 3] = [Kind::Filter, Kind::FilterText, Kind::Prefix];

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let clock = Clock::machine();
    let base = check(&demo::files(), clock.today().date())?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    for size in sizes() {
        let snapshot = match size {
            None => base.clone(),
            Some(records) => snapshot(&base, records, 1, clock.today().date()),
        };
        let size = size.map_or_else(|| "demo".to_owned(), |records| records.to_string());
        let mut asked: Vec<(String, Vec<String>)> = KINDS
            .map(|kind| (name(kind).to_owned(), bodies(&snapshot, &[kind])))
            .into_iter()
            .chain([("mix".to_owned(), bodies(&snapshot, &MIX))])
            .collect();
        let edition = ServingSnapshot::new(Guide::build(&snapshot)?, 1, Digest::of(b"bench"))?;
        drop(snapshot);

        println!("\n{size:>17}    first: mean     p50      p99   again: mean     p50      p99   (ns)");
        for (kind, bodies) in &mut asked {
            // a question that was asked before, by another kind, is not asked for the first time
            let first = if kind == "mix" { None } else { Some(timed(&edition, &clock, bodies)?) };
            let again = timed(&edition, &clock, bodies)?;
            let first = first.map_or_else(|| format!("{:>28}", ""), |first| first.to_string());
            println!("{kind:>17}    {first}  {again}");
        }

        let mut group = criterion.benchmark_group("search");
        for (kind, bodies) in &asked {
            group.bench_function(BenchmarkId::new(kind, &size), |bencher| {
                let mut turn = bodies.iter().cycle();
                bencher.iter(|| turn.next().map(|body| answer(&edition, &clock, black_box(body))));
            });
        }
        group.finish();

        let folder = tempfile::tempdir()?;
        let (rooms, key) = runtime.block_on(rooms(folder.path(), edition, &clock))?;
        // the first ask of a key waits for the store, later ones for nothing
        let (_, mix) = asked.last().context("no questions")?;
        for body in mix {
            let answered = runtime.block_on(ask(&rooms, &key, body));
            answered.map_err(|refusal| anyhow!("{body} is refused: {}", refusal.details().code))?;
        }
        let mut group = criterion.benchmark_group("ask");
        group.bench_function(BenchmarkId::new("mix", &size), |bencher| {
            let mut turn = mix.iter().cycle();
            let mut ask_next = || {
                let asking = pin!(ask(&rooms, &key, black_box(turn.next()?)));
                match asking.poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(answered) => answered.ok(),
                    Poll::Pending => None,
                }
            };
            assert!(ask_next().is_some(), "a warm ask waits for nothing");
            bencher.iter(ask_next);
        });
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}

/// Whether this is for the figures, and not only to see that it works.
fn in_earnest() -> bool {
    let said = |what: &str| std::env::args().any(|argument| argument == what);
    said("--bench") && !said("--test")
}

/// The sizes to measure; none is the demo.
fn sizes() -> Vec<Option<usize>> {
    let mut sizes = vec![None, Some(5_000)];
    if in_earnest() {
        sizes.push(Some(100_000));
        sizes.extend(std::env::var_os("CANDANGO_BENCH_MILLION").map(|_| Some(1_000_000)));
    }
    sizes
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Filter => "filter",
        Kind::FilterText => "filter + text",
        Kind::TwoWords => "two words",
        Kind::Prefix => "prefix",
        Kind::Typo => "typo",
        Kind::Nothing => "none",
    }
}

/// Questions of these kinds as bodies of requests, in random order.
fn bodies(snapshot: &Snapshot, kinds: &[Kind]) -> Vec<String> {
    let count = if in_earnest() { QUESTIONS } else { 20 };
    let asked = kinds.iter().flat_map(|kind| questions(snapshot, *kind, count, 1));
    let mut bodies: Vec<String> = asked.map(|question| question.body(LIMIT)).collect();
    let mut random = Random::new(1);
    for at in (1..bodies.len()).rev() {
        bodies.swap(at, random.below(at + 1));
    }
    bodies
}

/// Writes the fields of the answer; none when the question is refused.
fn answer(snapshot: &ServingSnapshot, clock: &Clock, body: &str) -> Option<usize> {
    let params = Params::parse(body.as_bytes()).ok()?;
    let Value::Text(name) = params.get("action")? else { return None };
    let action = ACTIONS.iter().find(|action| action.name == name)?;
    let permit = Permit::uncounted(&Plans::default(), Plan::Business);
    let context =
        QueryContext { snapshot, today: clock.today().date(), permit, default_limit: LIMIT, usage: None };
    let mut answer = JsonBody::new();
    (action.prepare)(context, &params).ok()?.write(&mut answer);
    Some(answer.into_json().len())
}

/// One request to `/v1`, without HTTP.
async fn ask(dispatcher: &Dispatcher, key: &str, body: &str) -> Result<Vec<u8>, ApiError> {
    let body = Bytes::copy_from_slice(body.as_bytes());
    let ask = Ask::v1(Ok(Some(key.as_bytes())), Ok(body));
    dispatcher.answer(ask, |body: JsonBody<'_>| body.into_json()).await.result
}

/// What some questions took, in nanoseconds.
struct Times {
    mean: f64,
    p50: u128,
    p99: u128,
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:>11.0} {:>7} {:>8}", self.mean, self.p50, self.p99)
    }
}

/// Asks each question once.
fn timed(edition: &ServingSnapshot, clock: &Clock, bodies: &[String]) -> Result<Times> {
    let mut times = Vec::with_capacity(bodies.len());
    for body in bodies {
        let began = Instant::now();
        let answered = answer(edition, clock, black_box(body));
        times.push(began.elapsed().as_nanos());
        answered.with_context(|| format!("{body} is refused"))?;
    }
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    let mean = times.iter().sum::<u128>() as f64 / times.len().max(1) as f64;
    Ok(Times { mean, p50: at(50), p99: at(99) })
}

/// Everything an ask needs, with the edition in service and a key.
async fn rooms(
    folder: &std::path::Path,
    edition: ServingSnapshot,
    clock: &Clock,
) -> Result<(Dispatcher, String)> {
    let store = store::open::store(
        &StoreSpec::Sqlite(folder.join("candango.db")),
        folder,
        std::time::Duration::from_secs(15),
    )?;
    let issued = keys::issue(&*store, clock, "bench@example.com".parse()?, Plan::Business).await?;
    let nothing = folder.join("candango.toml");
    std::fs::write(&nothing, "")?;
    let config = Config::load(Some(&nothing), [], &[])?;
    let metrics = Metrics::new();
    let live = Serving::default();
    live.replace(edition);
    let background = tokio::runtime::Handle::current();
    let rooms = Dispatcher::new(&config, live, clock.clone(), store, background, &metrics);
    Ok((rooms, issued.key.reveal().to_owned()))
}
