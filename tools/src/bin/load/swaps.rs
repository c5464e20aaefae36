//! Snapshots published in turn while the service is asked: nobody may notice but by what the answers say.
//!
//! In each of two variants every record's name ends in the variant's mark, and so does the snapshot's name; so an
//! answer that mixes two snapshots, or is of another than it says, gives itself away.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::Duration;

use anyhow::{Result, anyhow};
use candango::domain::clock::Clock;
use clap::Args;
use serde::Deserialize;
use snapshots::{Packed, Snapshot, check, demo};
use tools::big::{self, KINDS};

use crate::ratio::body;
use crate::report::Report;
use crate::service::{Program, Service};
use crate::wire::{self, Waiting};

/// How to publish.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    program: Program,
    /// How many records the guide has [default: the demo's]
    #[arg(long)]
    records: Option<usize>,
    /// How many snapshots are published under load
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(2..=10_000))]
    publishes: u16,
    /// How many connections ask
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=900))]
    connections: u16,
    /// How long the service is asked without publishes, to compare with
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=600))]
    seconds: u16,
}

/// What the names of each variant end in.
const MARKS: [&str; 2] = ["Vzero", "Vum"];

/// After so many swaps memory is looked at.
const LOOKS: [u16; 3] = [2, 50, 100];

/// How long the service is left alone before its memory is looked at: a guide is dropped a little after the swap.
const SETTLING: Duration = Duration::from_secs(1);

/// Publishes.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let today = Clock::machine().today().date();
    let base = check(&demo::files(), today)?;
    let snapshot = match options.records {
        Some(records) => big::snapshot(&base, records, 1, today),
        None => base,
    };
    let questions = KINDS.iter().flat_map(|kind| big::questions(&snapshot, *kind, 200, 1));
    let bodies: Vec<String> = questions.map(|asked| body(&asked)).collect();
    let variants = MARKS
        .map(|mark| Packed::of(marked(snapshot.clone(), mark)))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let (mut service, _) = Service::start(&options.program, Some(&variants[0]), &[])?;
    let requests: Vec<Vec<u8>> = bodies.iter().map(|body| wire::request(&service.key, body)).collect();
    let (public, connections) = (service.public, usize::from(options.connections));

    let calm = Duration::from_secs(options.seconds.into());
    let ask = |enough: &(dyn Fn(u64, Duration) -> bool + Sync)| {
        let mut seen = Seen { serials: vec![0; connections], records: 0 };
        let outcome = wire::ask(public, &requests, connections, Waiting::Asleep, enough, |line, body| {
            seen.check(line, body)
        })?;
        anyhow::Ok((outcome, seen))
    };
    ask(&|_, time| time > Duration::from_secs(1))?;
    let (without, _) = ask(&|_, time| time > calm)?;

    let over = AtomicBool::new(false);
    let mut resident = Vec::new();
    let mut slowest = Duration::ZERO;
    let (during, seen) = scope(|scope| {
        let asking = scope.spawn(|| ask(&|_, _| over.load(Ordering::Relaxed)));
        let published = (|| {
            for number in 1..=options.publishes {
                let took = service.publish(&variants[usize::from(number) % variants.len()])?;
                slowest = slowest.max(took);
                if LOOKS.contains(&number) {
                    sleep(SETTLING);
                    resident.push((number, service.running.resident_mb()?));
                }
            }
            anyhow::Ok(())
        })();
        over.store(true, Ordering::Relaxed);
        let asked = asking.join().map_err(|_| anyhow!("the asking thread died"))?;
        published.and(asked)
    })?;

    for (when, outcome) in [("without publishes", &without), ("during publishes", &during)] {
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
    for (number, mb) in &resident {
        println!("after {number} swaps {mb:.1} MB");
    }
    println!(
        "{} records looked at in {} answers of {} snapshots",
        seen.records, during.answered, options.publishes
    );

    let mut report = Report::default();
    report.at_most(
        "failed or mixed answers",
        (without.failures.count() + during.failures.count()) as f64,
        Some(0.0),
    );
    report.at_most(
        "p99 during publishes, times that without",
        during.micros(0.99) / without.micros(0.99),
        Some(2.0),
    );
    report.at_most("seconds from published to in service, the slowest", slowest.as_secs_f64(), Some(2.0));
    let after = |swaps: u16| resident.iter().find(|(number, _)| *number == swaps).map(|(_, mb)| *mb);
    if let (Some(early), Some(late)) = (after(2), after(50)) {
        report.at_most("memory after 50 swaps, times that after 2", late / early, Some(1.1));
    }
    Ok(report)
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

/// What the answers have told so far.
struct Seen {
    /// The last serial on each connection.
    serials: Vec<u64>,
    records: u64,
}

/// An answer, as far as it is looked at.
#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    snapshot: InService<'a>,
    #[serde(borrow, default)]
    places: Vec<Record<'a>>,
    #[serde(borrow, default)]
    events: Vec<Record<'a>>,
}

#[derive(Deserialize)]
struct InService<'a> {
    serial: u64,
    #[serde(borrow)]
    name: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

impl Seen {
    /// Whether an answer is of one snapshot, of the one it says, and of no older one than the answer before.
    fn check(&mut self, line: usize, body: &[u8]) -> Result<(), String> {
        let answer: Answer = serde_json::from_slice(body).map_err(|error| format!("no answer ({error}):"))?;
        let mark = answer.snapshot.name.rsplit(' ').next().unwrap_or_default();
        let mut records = answer.places.iter().chain(&answer.events);
        if !MARKS.contains(&mark) || !records.all(|record| record.name.ends_with(mark)) {
            return Err("records of another snapshot:".to_owned());
        }
        self.records += (answer.places.len() + answer.events.len()) as u64;
        let last = &mut self.serials[line];
        if answer.snapshot.serial < std::mem::replace(last, answer.snapshot.serial) {
            return Err("an older snapshot than before:".to_owned());
        }
        Ok(())
    }
}
