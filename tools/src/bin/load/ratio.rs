//! `load ratio`: searches of `/v1` with a key, against a constant answer.

use anyhow::Result;
use clap::Args;
use snapshots::Packed;
use tools::questions::{Generator, QuestionKind, Unrepeated};
use tools::random::Random;

use crate::compare::{self, Comparison};
use crate::report::Report;
use crate::service::{Service, snapshot};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    comparison: compare::Options,
    /// How many records the snapshot has [default: the demo's]
    #[arg(long)]
    records: Option<usize>,
}

/// What clients ask, in percent.
const MIX: [(QuestionKind, usize); 7] = [
    (QuestionKind::Filter, 18),
    (QuestionKind::FilterText, 18),
    (QuestionKind::TwoWords, 18),
    (QuestionKind::Prefix, 18),
    (QuestionKind::Nothing, 18),
    (QuestionKind::Typo, 5),
    (QuestionKind::Closest, 5),
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
    let compare::Options { program, seed, .. } = &options.comparison;
    let snapshot = snapshot(options.records, *seed)?;
    let packed = options.records.map(|_| Packed::of(snapshot.clone())).transpose()?;
    let (service, ready) = Service::start(program, packed.as_ref(), &["limits.workers=1"])?;
    drop(packed);
    let comparison = Comparison::new(&options.comparison, service)?;
    let service = &comparison.service;
    println!("{} records", snapshot.places.len() + snapshot.events.len());

    let mut generator = Generator::new(&snapshot, *seed);
    let mut unrepeated = Unrepeated::new(*seed);
    let mut random = Random::new(*seed);
    let kinds: Vec<QuestionKind> = MIX.iter().flat_map(|(kind, percent)| vec![*kind; *percent]).collect();
    let request = || {
        let kind = random.choose(&kinds).copied().unwrap_or(QuestionKind::Nothing);
        let question = unrepeated.vary(generator.question(kind));
        service.v1_request(&question, LIMIT)
    };
    let figures = comparison.run(request)?;

    let budget = Budget::of(options.records);
    let mut report = Report::default();
    figures.report(&mut report, "search", budget.processor, budget.rate);
    report.at_most("p50, ratio to constant", figures.p50, None);
    report.at_most("p99, ratio to constant", figures.p99, None);
    report.at_most("seconds from start to ready", ready.as_secs_f64(), Some(budget.ready_s));
    report.at_most("MB of memory", service.process.resident_mb()?, budget.resident_mb);
    Ok(report)
}
