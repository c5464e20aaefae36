//! Search from the request body to the response bytes, by kind of query and size of guide.
//!
//! `search` parses the parameters and runs the action: the page, its exact total, the records' bytes. `ask` sends the
//! same mix through dispatch: key, quota, envelope and counters too. Sizes: the demo, 5,000 and 100,000 records, and
//! 1,000,000 with `CANDANGO_BENCH_MILLION=1`. Run `cargo bench --bench search`; with `-- --test` the two small sizes
//! run once.
//!
//! Before criterion's means, a table shows p50 and p99 of the first run of each query (which counts the total) and of
//! the second (which has it cached). Each query is timed alone there, which adds about 20 ns for the clock.

#[path = "common/requests.rs"]
mod requests;
#[path = "common/sizes.rs"]
mod sizes;

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use candango::actions::{Params, QueryContext, Value};
use candango::config::StoreSpec;
use candango::domain::action::ActionId;
use candango::domain::clock::Clock;
use candango::domain::plan::Plan;
use candango::quota::permit::Permit;
use candango::render::{Buffer, JsonBody};
use candango::serving::{GuideVersion, ServingSnapshot, SnapshotExtras};
use criterion::{BenchmarkId, Criterion};
use index::Guide;
use requests::{open, ready, send};
use snapshots::{Hidden, Snapshot, check, demo, pack::Digest};
use tools::questions::{KINDS, QuestionKind, questions};
use tools::random::Random;

/// Different queries of each kind.
const QUERIES: usize = 1_000;

/// Records on a page.
const LIMIT: usize = 20;

/// The kinds that the latency budgets are for.
const MIX: [QuestionKind; 3] = [QuestionKind::Filter, QuestionKind::FilterText, QuestionKind::Prefix];

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let clock = Clock::machine();
    let today = clock.today().date();
    let base = check(&demo::files(), today)?.on(today, &Hidden::default())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for (size, snapshot) in sizes::snapshots(&base, clock.today().date()) {
        let queries: Vec<(String, Vec<String>)> = KINDS
            .map(|kind| (name(kind).to_owned(), bodies(&snapshot, &[kind])))
            .into_iter()
            .chain([("near".to_owned(), near(&bodies(&snapshot, &MIX)))])
            .chain([("near strict".to_owned(), with(&near(&bodies(&snapshot, &MIX)), r#""strict":true"#))])
            .chain([("mix strict".to_owned(), with(&bodies(&snapshot, &MIX), r#""strict":true"#))])
            .chain([(
                "closest strict".to_owned(),
                with(&bodies(&snapshot, &[QuestionKind::Closest]), r#""strict":true"#),
            )])
            .chain([("suggest".to_owned(), typed(&snapshot))])
            .chain([(
                "fields".to_owned(),
                with(&bodies(&snapshot, &MIX), r#""fields":"name,date,region,url""#),
            )])
            .chain([("facets".to_owned(), with(&bodies(&snapshot, &MIX), r#""facets":"category,region""#))])
            .chain([("mix".to_owned(), bodies(&snapshot, &MIX))])
            .collect();
        let version = GuideVersion { serial: 1, digest: Digest::of(b"bench"), day: today, hidden: 0 };
        let guide = Guide::build(&snapshot)?;
        let served = ServingSnapshot::new(guide, version, SnapshotExtras::default(), "plano-piloto")?;
        drop(snapshot);

        print_latencies(&served, &clock, &queries, &size)?;

        let mut group = criterion.benchmark_group("search");
        for (kind, bodies) in &queries {
            group.bench_function(BenchmarkId::new(kind, &size), |bencher| {
                let mut turn = bodies.iter().cycle();
                bencher.iter(|| turn.next().map(|body| run(&served, &clock, black_box(body))));
            });
        }
        group.finish();

        let folder = tempfile::tempdir()?;
        let spec = StoreSpec::Sqlite(folder.path().join("candango.db"));
        let (dispatcher, _, key) = runtime.block_on(open(folder.path(), &spec, served))?;
        // only the first request of a key waits for the store
        let (_, mix) = queries.last().context("no queries")?;
        for body in mix {
            let response = runtime.block_on(send(&dispatcher, &key, body));
            response.map_err(|error| anyhow!("{body} is rejected: {}", error.details().code))?;
        }
        let mut group = criterion.benchmark_group("ask");
        group.bench_function(BenchmarkId::new("mix", &size), |bencher| {
            let mut turn = mix.iter().cycle();
            let mut send_next = || ready(send(&dispatcher, &key, black_box(turn.next()?)))?.ok();
            assert!(send_next().is_some(), "a warm request does not wait");
            bencher.iter(send_next);
        });
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}

/// Prints the latencies of the first and the second run of each query.
fn print_latencies(
    served: &ServingSnapshot,
    clock: &Clock,
    queries: &[(String, Vec<String>)],
    size: &str,
) -> Result<()> {
    println!("\n{size:>17}    first: mean     p50      p99   again: mean     p50      p99   (ns)");
    for (kind, bodies) in queries {
        // the queries of the mix have been run before
        let first = if kind == "mix" { None } else { Some(timed(served, clock, bodies)?) };
        let again = timed(served, clock, bodies)?;
        let first = first.map_or_else(|| format!("{:>28}", ""), |first| first.to_string());
        println!("{kind:>17}    {first}  {again}");
    }
    Ok(())
}

fn name(kind: QuestionKind) -> &'static str {
    match kind {
        QuestionKind::Filter => "filter",
        QuestionKind::FilterText => "filter + text",
        QuestionKind::TwoWords => "two words",
        QuestionKind::Prefix => "prefix",
        QuestionKind::Typo => "typo",
        QuestionKind::Closest => "closest",
        QuestionKind::Nothing => "none",
    }
}

/// Request bodies of queries of these kinds, in random order.
fn bodies(snapshot: &Snapshot, kinds: &[QuestionKind]) -> Vec<String> {
    let count = if sizes::is_measuring() { QUERIES } else { 20 };
    let queries = kinds.iter().flat_map(|kind| questions(snapshot, *kind, count, 1));
    let mut bodies: Vec<String> = queries.map(|query| query.body(LIMIT)).collect();
    let mut random = Random::new(1);
    for at in (1..bodies.len()).rev() {
        bodies.swap(at, random.below(at + 1));
    }
    bodies
}

/// The same queries from a place.
fn near(bodies: &[String]) -> Vec<String> {
    let places = ["408 Norte", "Torre de TV", "CLS 405", "Lago Sul", "-15.83,-47.92"];
    let near = |(body, place): (&String, &&str)| body.replacen('{', &format!("{{\"near\":\"{place}\","), 1);
    bodies.iter().zip(places.iter().cycle()).map(near).collect()
}

/// The same queries with another parameter, and those for events with a third facet.
fn with(bodies: &[String], param: &str) -> Vec<String> {
    let with = |body: &String| {
        let with = body.replacen('{', &format!("{{{param},"), 1);
        if body.contains("search_events") {
            with.replace(r#""facets":"category,region""#, r#""facets":"category,region,day""#)
        } else {
            with.replace("name,date,region,url", "name,region,url")
        }
    };
    bodies.iter().map(with).collect()
}

/// The beginnings of names, letter by letter.
fn typed(snapshot: &Snapshot) -> Vec<String> {
    let count = if sizes::is_measuring() { QUERIES } else { 20 };
    let names = snapshot.places.iter().step_by(snapshot.places.len() / count + 1).map(|place| &place.name);
    let typed = names.enumerate().map(|(at, name)| name.chars().take(1 + at % 6).collect::<String>());
    typed.map(|typed| serde_json::json!({ "action": "suggest", "q": typed }).to_string()).collect()
}

/// The length of the response's fields; `None` when the request is rejected.
fn run(served: &ServingSnapshot, clock: &Clock, body: &str) -> Option<usize> {
    let params = Params::parse(body.as_bytes()).ok()?;
    let Value::Text(name) = params.get("action")? else { return None };
    let action = name.parse::<ActionId>().ok()?.action();
    let permit = Permit::of_plan(Plan::Business);
    let context = QueryContext {
        snapshot: served,
        today: clock.today().date(),
        permit,
        default_limit: LIMIT,
        groups_series: false,
        brief: false,
        base_url: "https://guia.example",
        usage: None,
    };
    let mut response = JsonBody::behind(Buffer::new());
    (action.prepare)(context, &params).ok()?.write(&mut response);
    Some(response.into_json().len())
}

/// Latencies in nanoseconds.
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

/// Runs each query once.
fn timed(served: &ServingSnapshot, clock: &Clock, bodies: &[String]) -> Result<Times> {
    let mut times = Vec::with_capacity(bodies.len());
    for body in bodies {
        let began = Instant::now();
        let written = run(served, clock, black_box(body));
        times.push(began.elapsed().as_nanos());
        written.with_context(|| format!("{body} is rejected"))?;
    }
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    let mean = times.iter().sum::<u128>() as f64 / times.len().max(1) as f64;
    Ok(Times { mean, p50: at(50), p99: at(99) })
}
