//! What people are shown, against a server of constant answers: the front page, searches, and the pages of places.

use anyhow::{Result, ensure};
use candango::domain::clock::Clock;
use clap::Args;
use snapshots::{check, demo};

use crate::constant::Stack;
use crate::machine::Processors;
use crate::ratio::{self, Turns};
use crate::report::Report;
use crate::service::Program;
use crate::wire::{self, Waiting};

/// How to compare.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    program: Program,
    #[command(flatten)]
    turns: Turns,
}

/// What a page may cost, times what a constant answer of its size costs.
const BUDGET: f64 = 1.5;

/// Compares.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let processors = Processors::of_this_machine()?;
    let snapshot = check(&demo::files(), Clock::machine().today().date())?;
    let service = ratio::open_to_visitors(&options.program, &processors)?;

    let shown = || snapshot.places.iter().filter(|place| place.region == "Plano Piloto");
    let searches = shown().flat_map(|place| {
        let area = place.neighbourhood.as_deref().unwrap_or(&place.region);
        [
            wire::page("/", &[("q", &place.name)]),
            wire::page("/", &[("q", &format!("{} {area}", place.category)), ("kind", "places")]),
            wire::page("/", &[("category", &place.category), ("region", area)]),
        ]
    });
    let cases = [
        ("the front page", vec![wire::page("/", &[])]),
        ("a search", searches.collect()),
        (
            "the page of a place",
            shown().map(|place| wire::page(&format!("/place/{}", place.id), &[])).collect(),
        ),
    ];
    let mut report = Report::default();
    for (name, requests) in cases {
        let each_once = |sent: u64, _| sent >= requests.len() as u64;
        let first = wire::ask(service.public, &requests, 1, Waiting::Asleep, each_once, |_, _| Ok(()))?;
        ensure!(first.failures.count() == 0, "{}", first.failures);
        let mean = first.body_bytes / first.answered.max(1);
        println!("\n{name}: {} addresses, {mean} bytes a page", requests.len());
        let compared = ratio::compare(&options.turns, &processors, (Stack::Ours, mean), &service, &requests)?;
        ratio::tell(&mut report, name, BUDGET, &compared);
    }
    Ok(report)
}
