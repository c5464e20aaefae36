//! `load ratio`: searches of `/v1` with a key, against a constant answer.

use anyhow::Result;
use candango::domain::clock::Clock;
use clap::Args;
use snapshots::{Packed, check, demo};
use tools::big;
use tools::questions::{Generator, Kind, Unrepeated};
use tools::random::Random;

use crate::compare::{Rounds, compare};
use crate::process::Processors;
use crate::report::Report;
use crate::service::{Program, Service};
use crate::wire;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    program: Program,
    /// How many records the snapshot has [default: the demo's]
    #[arg(long)]
    records: Option<usize>,
    #[command(flatten)]
    rounds: Rounds,
    /// The same seed sends the same questions
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What clients ask, in percent. Questions that only a looser search answers belong here once there is one (5 %).
const MIX: [(Kind, usize); 6] = [
    (Kind::Filter, 19),
    (Kind::FilterText, 19),
    (Kind::TwoWords, 19),
    (Kind::Prefix, 19),
    (Kind::Nothing, 19),
    (Kind::Typo, 5),
];

/// Records on a page.
const LIMIT: usize = 20;

/// The budgets of a snapshot of some size.
struct Budget {
    processor: f64,
    rate: Option<f64>,
    ready_s: f64,
    resident_mb: Option<f64>,
}

impl Budget {
    /// `None` is the demo.
    fn of(records: Option<usize>) -> Self {
        let (processor, rate) = match records {
            None | Some(..=5_000) => (1.45, Some(0.70)),
            Some(..=100_000) => (1.7, None),
            Some(_) => (2.4, None),
        };
        let ready_s = match records {
            None => 0.3,
            Some(..=100_000) => 1.5,
            Some(_) => 12.0,
        };
        let resident_mb = match records {
            None => Some(60.0),
            Some(1_000_000) => Some(1_500.0),
            Some(_) => None,
        };
        Self { processor, rate, ready_s, resident_mb }
    }
}

/// Compares.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let processors = Processors::available()?;
    let today = Clock::machine().today().date();
    let mut snapshot = check(&demo::files(), today)?;
    let mut packed = None;
    if let Some(records) = options.records {
        snapshot = big::snapshot(&snapshot, records, options.seed, today);
        packed = Some(Packed::of(snapshot.clone())?);
    }
    let (service, ready) = Service::start(&options.program, packed.as_ref(), &["limits.workers=1"])?;
    drop(packed);
    service.pin(processors)?;
    println!("{} records", snapshot.places.len() + snapshot.events.len());

    let mut generator = Generator::new(&snapshot, options.seed);
    let mut unrepeated = Unrepeated::new(options.seed);
    let mut random = Random::new(options.seed);
    let kinds: Vec<Kind> = MIX.iter().flat_map(|(kind, percent)| vec![*kind; *percent]).collect();
    let request = || {
        let kind = random.choose(&kinds).copied().unwrap_or(Kind::Nothing);
        let question = unrepeated.vary(generator.question(kind));
        wire::v1_request(&service.key, &question.body(LIMIT))
    };
    let figures = compare(&options.rounds, processors, &service, request)?;

    let budget = Budget::of(options.records);
    let mut report = Report::default();
    figures.report(&mut report, "search", budget.processor, budget.rate);
    report.at_most("p50, ratio to constant", figures.p50, None);
    report.at_most("p99, ratio to constant", figures.p99, None);
    report.at_most("seconds from start to ready", ready.as_secs_f64(), Some(budget.ready_s));
    report.at_most("MB of memory", service.process.resident_mb()?, budget.resident_mb);
    Ok(report)
}
