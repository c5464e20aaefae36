//! `load swaps`: publishes snapshots under load, at half of what the service can answer. No request may fail, and no
//! answer may mix two snapshots.
//!
//! Two variants of a snapshot are published in turn. In each, the snapshot's name and every record's name end in the
//! variant's mark, so that a mixed answer shows.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use serde::Deserialize;
use snapshots::{Packed, Snapshot};
use tools::questions::{KINDS, questions};

use crate::report::{Report, median};
use crate::service::{Program, Service, snapshot};
use crate::wire::{self, Outcome, Wait};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    program: Program,
    /// How many records the snapshot has [default: the demo's]
    #[arg(long)]
    records: Option<usize>,
    /// How many snapshots to publish
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(2..=10_000))]
    publishes: u16,
    /// How many connections send requests
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=900))]
    connections: u16,
    /// How many seconds to measure without a publish before each, to compare with
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=600))]
    seconds: u16,
}

/// What the names of each variant end in.
const MARKS: [&str; 2] = ["Vzero", "Vum"];

/// Swaps after which memory is measured.
const MEMORY_SAMPLES: [u16; 3] = [2, 50, 100];

/// How long to wait before that: the old index is dropped a little after the swap.
const SETTLE_TIME: Duration = Duration::from_secs(1);

/// Publishes.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let snapshot = snapshot(options.records, 1)?;
    let variants = MARKS.iter().map(|mark| Packed::of(marked(snapshot.clone(), mark)));
    let variants = variants.collect::<Result<Vec<_>, _>>()?;
    let (mut service, _) = Service::start(&options.program, Some(&variants[0]), &[])?;
    service.publish(&variants[1])?;
    service.publish(&variants[0])?;
    service.wait_until_idle()?;
    let requests: Vec<Vec<u8>> = KINDS
        .iter()
        .flat_map(|kind| questions(&snapshot, *kind, 200, 1))
        .map(|question| service.v1_request(&question, 20))
        .collect();
    let (public, connections) = (service.public, usize::from(options.connections));
    let new_checker = || Checker { serials: vec![0; connections], records: 0 };
    let all = || requests.iter().map(Vec::as_slice).cycle();
    let mut checker = new_checker();
    let check = |connection, body: &[u8]| checker.check(connection, body);
    let enough = |_, time| time > Duration::from_secs(3);
    let most = wire::run(public, all(), connections, Wait::Block, enough, check)?;
    let per_second = most.answered as f64 / most.took.as_secs_f64() / 2.0;
    println!("{per_second:.0} requests a second, half of what was answered without a pause");
    let load = |enough: &(dyn Fn(Duration) -> bool + Sync)| {
        let mut checker = new_checker();
        let check = |connection, body: &[u8]| checker.check(connection, body);
        let outcome = wire::run_paced(public, all(), connections, per_second, enough, check)?;
        anyhow::Ok((outcome, checker.records))
    };
    let calm_time = Duration::from_secs(options.seconds.into());
    let before = service.process.resident_mb()?;
    service.process.forget_peak()?;

    let mut measured = Measured::default();
    for number in 1..=options.publishes {
        // in turn, since a shared machine changes from second to second
        let (calm, _) = load(&|time| time > calm_time)?;
        let done = AtomicBool::new(false);
        let (during, took) = scope(|scope| {
            let loading = scope.spawn(|| load(&|_| done.load(Ordering::Relaxed)));
            let took = service.publish_again(&variants[usize::from(number) % variants.len()]);
            done.store(true, Ordering::Relaxed);
            let loaded = loading.join().map_err(|_| anyhow!("the load thread panicked"))?;
            anyhow::Ok((loaded?, took?))
        })?;
        measured.add(calm, during, took)?;
        if MEMORY_SAMPLES.contains(&number) {
            sleep(SETTLE_TIME);
            let mb = service.process.resident_mb()?;
            println!("after {number} swaps {mb:.1} MB");
            measured.resident.push((number, mb));
        }
    }
    let mut report = measured.report()?;
    let peak = service.process.peak_mb()? / before;
    report.at_most("peak memory during publishes, ratio to before", peak, Some(2.5));
    Ok(report)
}

/// What the load and the publishes measured.
#[derive(Default)]
struct Measured {
    calm: Option<Outcome>,
    during: Option<Outcome>,
    /// Records checked during publishes.
    records: u64,
    /// Of each publish, the p99 during it, as a ratio to that just before it.
    ratios: Vec<f64>,
    /// Of each publish, the seconds from published to live.
    seconds: Vec<f64>,
    /// Numbers of swaps, and MB of memory after them.
    resident: Vec<(u16, f64)>,
}

impl Measured {
    /// Adds a publish that took so long, and the load before and during it.
    fn add(&mut self, calm: Outcome, (during, records): (Outcome, u64), took: Duration) -> Result<()> {
        self.ratios.push(during.micros(0.99) / calm.micros(0.99));
        self.records += records;
        self.seconds.push(took.as_secs_f64());
        for (all, outcome) in [(&mut self.calm, calm), (&mut self.during, during)] {
            match all {
                Some(all) => all.add(outcome)?,
                None => *all = Some(outcome),
            }
        }
        Ok(())
    }

    /// Prints what was measured, and compares it with the budgets.
    fn report(mut self) -> Result<Report> {
        let (Some(calm), Some(during)) = (&self.calm, &self.during) else { bail!("nothing was published") };
        print_outcome("without publishes", calm);
        print_outcome("during publishes", during);
        println!(
            "{} records in {} answers of {} snapshots",
            self.records,
            during.answered,
            self.ratios.len()
        );
        let mut report = Report::default();
        let failed = calm.failures.count() + during.failures.count();
        report.at_most("failed or mixed answers", failed as f64, Some(0.0));
        let p99 = median(&mut self.ratios);
        report.at_most("p99 during a publish, ratio to just before it, the median", p99, Some(2.0));
        let seconds = median(&mut self.seconds);
        report.at_most("seconds from published to live, the median", seconds, None);
        let slowest = self.seconds.last().copied().unwrap_or_default();
        report.at_most("seconds from published to live, the slowest", slowest, None);
        let after = |swaps: u16| self.resident.iter().find(|(number, _)| *number == swaps).map(|(_, mb)| *mb);
        if let (Some(early), Some(late)) = (after(2), after(50)) {
            report.at_most("memory after 50 swaps, ratio to after 2", late / early, Some(1.1));
        }
        Ok(report)
    }
}

fn print_outcome(when: &str, outcome: &Outcome) {
    println!(
        "{when:<17}  {:>9} answers in {:>5.1} s, p50 {:>6.0} µs, p99 {:>6.0} µs, longest {:>6.0} µs",
        outcome.answered,
        outcome.took.as_secs_f64(),
        outcome.micros(0.5),
        outcome.micros(0.99),
        outcome.micros(1.0)
    );
    print!("{}", outcome.failures);
}

/// The snapshot with every name marked.
fn marked(mut snapshot: Snapshot, mark: &str) -> Snapshot {
    let names = snapshot.places.iter_mut().map(|place| &mut place.name);
    for name in names.chain(snapshot.events.iter_mut().map(|event| &mut event.name)) {
        *name = format!("{name} {mark}");
    }
    snapshot.name = format!("swaps {mark}");
    snapshot
}

/// Checks answers against those before.
struct Checker {
    /// The last serial on each connection.
    serials: Vec<u64>,
    /// Records checked so far.
    records: u64,
}

/// The fields of an answer that are checked.
#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    snapshot: Named<'a>,
    #[serde(borrow, default)]
    places: Vec<Named<'a>>,
    #[serde(borrow, default)]
    events: Vec<Named<'a>>,
}

/// A snapshot, or a record, which has no serial.
#[derive(Deserialize)]
struct Named<'a> {
    serial: Option<u64>,
    #[serde(borrow)]
    name: Cow<'a, str>,
}

impl Checker {
    /// Fails when an answer holds records of another snapshot than it names, or of an older one than the answer before.
    fn check(&mut self, connection: usize, body: &[u8]) -> Result<(), String> {
        let answer: Answer =
            serde_json::from_slice(body).map_err(|error| format!("not an answer ({error}):"))?;
        let mark = answer.snapshot.name.rsplit(' ').next().unwrap_or_default();
        let mut records = answer.places.iter().chain(&answer.events);
        if !MARKS.contains(&mark) || !records.all(|record| record.name.ends_with(mark)) {
            return Err("records of another snapshot:".to_owned());
        }
        self.records += (answer.places.len() + answer.events.len()) as u64;
        let last = &mut self.serials[connection];
        let serial = answer.snapshot.serial.ok_or("no serial:")?;
        if serial < std::mem::replace(last, serial) {
            return Err("an older snapshot than before:".to_owned());
        }
        Ok(())
    }
}
