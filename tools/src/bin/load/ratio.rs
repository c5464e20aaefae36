//! The service against a server of constant answers: the same stack, the same size of answer, the same processor,
//! the same requests, in turn. Both stay up all the while; each is warm before the first round.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use candango::domain::clock::Clock;
use clap::{Args, ValueEnum};
use serde_json::json;
use snapshots::{Packed, Snapshot, check, demo};
use tools::big::{self, Asked, Dice, Kind};

use crate::constant::Stack;
use crate::machine::{Processors, Running, free_address, keep_here};
use crate::report::Report;
use crate::service::{Program, Service};
use crate::wire::{self, Outcome, Waiting};

/// How to compare.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    program: Program,
    /// How many records the guide has [default: the demo's]
    #[arg(long)]
    records: Option<usize>,
    #[command(flatten)]
    turns: Turns,
    /// The same seed asks the same
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// How two servers have their turns.
#[derive(Args)]
pub(crate) struct Turns {
    /// How often each server has its turn
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    rounds: u16,
    /// How long a turn is. A machine that is shared changes from second to second, so turns are short and many
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u16).range(100..=10_000))]
    millis: u16,
    /// How many connections ask
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=900))]
    pub(crate) connections: u16,
}

/// What warm callers ask, mixed evenly.
const KINDS: [Kind; 5] = [Kind::Filter, Kind::FilterText, Kind::TwoWords, Kind::Prefix, Kind::Nothing];

/// Different questions of each kind.
pub(crate) const QUESTIONS: usize = 400;

/// The budgets of a guide of some size.
struct Budget {
    processor: f64,
    rate: Option<f64>,
    ready_s: f64,
    resident_mb: Option<f64>,
}

impl Budget {
    fn of(records: usize, is_demo: bool) -> Self {
        let small = is_demo || records <= 5_000;
        Self {
            processor: if small { 1.35 } else { 1.8 },
            rate: small.then_some(0.75),
            ready_s: match records {
                _ if is_demo => 0.3,
                ..=100_000 => 1.5,
                _ => 12.0,
            },
            resident_mb: match records {
                _ if is_demo => Some(60.0),
                1_000_000 => Some(1_500.0),
                _ => None,
            },
        }
    }
}

/// Compares.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let processors = Processors::of_this_machine()?;
    let today = Clock::machine().today().date();
    let base = check(&demo::files(), today)?;
    let is_demo = options.records.is_none();
    let snapshot = match options.records {
        Some(records) => big::snapshot(&base, records, options.seed, today),
        None => base,
    };
    let records = snapshot.places.len() + snapshot.events.len();
    let bodies = bodies(&snapshot, options.seed);
    let packed = if is_demo { None } else { Some(Packed::of(snapshot)?) };

    let (service, ready) = Service::start(&options.program, packed.as_ref(), &["limits.workers=1"])?;
    drop(packed);
    let requests: Vec<Vec<u8>> = bodies.iter().map(|body| wire::request(&service.key, body)).collect();
    let connections = usize::from(options.turns.connections);
    keep_here(processors.load)?;
    service.running.keep_on(processors.server)?;

    // Each question once: how large is an answer, and is every one of them an answer?
    let each_once = |sent: u64, _: Duration| sent >= requests.len() as u64;
    let first = wire::ask(service.public, &requests, connections, Waiting::Asleep, each_once, |_, _| Ok(()))?;
    print!("{}", first.failures);
    let mean = first.body_bytes / first.answered.max(1);
    println!(
        "{records} records, {} questions, {mean} bytes an answer, {connections} connections, server on processor \
         {}, load on {}",
        requests.len(),
        processors.server,
        processors.load
    );

    let compared = compare(&options.turns, &processors, (Stack::Ours, mean), &service, &requests)?;

    let budget = Budget::of(records, is_demo);
    let mut report = Report::default();
    report.at_most(
        "CPU a request, times that of a constant answer",
        compared.processor,
        Some(budget.processor),
    );
    report.at_least("requests a second, of those of a constant answer", compared.rate, budget.rate);
    report.at_most("p50, times that of a constant answer", compared.p50, None);
    report.at_most("p99, times that of a constant answer", compared.p99, None);
    report.at_most("failed requests", first.failures.count() as f64 + compared.failed, Some(0.0));
    report.at_most("seconds from start to ready", ready.as_secs_f64(), Some(budget.ready_s));
    report.at_most("MB of memory", service.running.resident_mb()?, budget.resident_mb);
    Ok(report)
}

/// The service on its processor, with the demo, open without limits to those who send no key.
pub(crate) fn open_to_visitors(program: &Program, processors: &Processors) -> Result<Service> {
    let limits = ["per_minute", "per_day", "per_minute_all"].map(|name| format!("preview.{name}=2000000000"));
    let settings: Vec<&str> =
        ["limits.workers=1"].into_iter().chain(limits.iter().map(String::as_str)).collect();
    let (service, _) = Service::start(program, None, &settings)?;
    keep_here(processors.load)?;
    service.running.keep_on(processors.server)?;
    Ok(service)
}

/// Tells of a case what was compared.
pub(crate) fn tell(report: &mut Report, case: &str, budget: f64, compared: &Figures) {
    report.at_most(
        &format!("{case}: CPU a request, times that of a constant answer"),
        compared.processor,
        Some(budget),
    );
    report.at_least(
        &format!("{case}: requests a second, of those of a constant answer"),
        compared.rate,
        None,
    );
    report.at_most(&format!("{case}: failed requests"), compared.failed, Some(0.0));
}

/// Puts the same requests to the service and to a server of answers of `bytes` bytes, made of `stack`, in turn. Of the
/// service's figures in each round, how many times the constant server's just before they are: the medians.
pub(crate) fn compare(
    turns: &Turns,
    processors: &Processors,
    (stack, bytes): (Stack, u64),
    service: &Service,
    requests: &[Vec<u8>],
) -> Result<Figures> {
    let address = free_address()?;
    let constant = constant(address, bytes, stack)?;
    constant.keep_on(processors.server)?;
    let connections = usize::from(turns.connections);
    let ask = |process: &Running, address, turn| -> Result<Figures> {
        let before = process.processor_time()?;
        let outcome =
            wire::ask(address, requests, connections, Waiting::Awake, |_, time| time > turn, |_, _| Ok(()))?;
        print!("{}", outcome.failures);
        Ok(Figures::of(&outcome, process.processor_time()? - before))
    };
    let turn = Duration::from_millis(turns.millis.into());
    let in_turn = || -> Result<[Figures; 2]> {
        Ok([ask(&constant, address, turn)?, ask(&service.running, service.public, turn)?])
    };
    in_turn()?;

    println!("\nround  server    CPU µs/request  requests/s     p50 µs     p99 µs  failed");
    let mut ratios = Vec::new();
    for round in 1..=turns.rounds {
        let [constant, candango] = in_turn()?;
        println!("{round:>5}  constant  {constant}\n       candango  {candango}");
        ratios.push(candango.times(&constant));
    }
    let ratios = Figures::medians(&ratios);
    println!("    =  times     {ratios}");
    Ok(ratios)
}

/// The mixed questions as bodies of requests.
fn bodies(snapshot: &Snapshot, seed: u64) -> Vec<String> {
    let asked = KINDS.iter().flat_map(|kind| big::questions(snapshot, *kind, QUESTIONS, seed));
    let mut bodies: Vec<String> = asked.map(|asked| body(&asked)).collect();
    let mut generators = Dice::new(seed);
    for at in (1..bodies.len()).rev() {
        bodies.swap(at, generators.below(at + 1));
    }
    bodies
}

/// A question as the body of a request.
pub(crate) fn body(asked: &Asked) -> String {
    let action = if asked.events { "search_events" } else { "search_places" };
    let mut body = json!({ "action": action, "limit": 20 });
    for (name, value) in [("q", &asked.q), ("region", &asked.region), ("category", &asked.category)] {
        if let Some(value) = value {
            body[name] = json!(value);
        }
    }
    body.to_string()
}

fn constant(address: std::net::SocketAddr, bytes: u64, stack: Stack) -> Result<Running> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["constant", "--listen", &address.to_string(), "--bytes", &bytes.to_string()]);
    command.args(stack.to_possible_value().map(|of| format!("--of={}", of.get_name())));
    let mut running = Running::start("the constant server", command.stdin(Stdio::piped()))?;
    for _ in 0..500 {
        running.must_live()?;
        if std::net::TcpStream::connect(address).is_ok() {
            return Ok(running);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None.context("the constant server does not listen")
}

/// What a turn measured, or how many times what another measured.
pub(crate) struct Figures {
    /// Microseconds of processor time for each request.
    pub(crate) processor: f64,
    /// Requests a second.
    pub(crate) rate: f64,
    p50: f64,
    p99: f64,
    /// Requests that failed.
    pub(crate) failed: f64,
}

impl Figures {
    fn of(outcome: &Outcome, used: Duration) -> Self {
        let failed = outcome.failures.count();
        let requests = (outcome.answered + failed) as f64;
        Self {
            processor: used.as_secs_f64() * 1e6 / requests,
            rate: requests / outcome.took.as_secs_f64(),
            p50: outcome.micros(0.5),
            p99: outcome.micros(0.99),
            failed: failed as f64,
        }
    }

    /// How many times those of `other` these are, and how many failed of both.
    fn times(&self, other: &Self) -> Self {
        Self {
            processor: self.processor / other.processor,
            rate: self.rate / other.rate,
            p50: self.p50 / other.p50,
            p99: self.p99 / other.p99,
            failed: self.failed + other.failed,
        }
    }

    /// The medians, and all failures.
    fn medians(rounds: &[Self]) -> Self {
        let median = |of: fn(&Self) -> f64| {
            let mut figures: Vec<f64> = rounds.iter().map(of).collect();
            figures.sort_unstable_by(f64::total_cmp);
            let middle = figures.len() / 2;
            if figures.len() % 2 == 1 {
                figures[middle]
            } else {
                (figures[middle - 1] + figures[middle]) / 2.0
            }
        };
        Self {
            processor: median(|figures| figures.processor),
            rate: median(|figures| figures.rate),
            p50: median(|figures| figures.p50),
            p99: median(|figures| figures.p99),
            failed: rounds.iter().map(|figures| figures.failed).sum(),
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { processor, rate, p50, p99, failed } = self;
        // ratios are small, times are not
        if *rate < 100.0 {
            return write!(f, "{processor:>14.3}  {rate:>10.3} {p50:>10.3} {p99:>10.3}  {failed:>6}");
        }
        write!(f, "{processor:>14.2}  {rate:>10.0} {p50:>10.0} {p99:>10.0}  {failed:>6}")
    }
}
