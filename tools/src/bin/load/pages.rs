//! `load pages`: the front page, searches and the pages of places, against a constant answer.

use anyhow::Result;
use candango::domain::clock::Clock;
use clap::Args;
use snapshots::{Place, check, demo};
use tools::questions::{Question, Unrepeated};
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
    #[command(flatten)]
    rounds: Rounds,
    /// The same seed sends the same searches
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What a page may cost, as a ratio to a constant answer of its size.
const BUDGET: f64 = 2.0;

/// The only region that visitors without a key see.
const VISIBLE_REGION: &str = "Plano Piloto";

/// Compares.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let processors = Processors::available()?;
    let snapshot = check(&demo::files(), Clock::machine().today().date())?;
    let service = Service::start_open(&options.program)?;
    service.pin(processors)?;
    let places: Vec<&Place> = snapshot.places.iter().filter(|place| place.region == VISIBLE_REGION).collect();
    let mut report = Report::default();
    let mut measure = |name, request: &mut dyn FnMut() -> Vec<u8>| -> Result<()> {
        println!("\n{name}");
        compare(&options.rounds, processors, &service, request)?.report(&mut report, name, BUDGET, None);
        Ok(())
    };

    measure("the front page", &mut || wire::page_request("/", &[]))?;
    let mut random = Random::new(options.seed);
    let mut unrepeated = Unrepeated::new(options.seed);
    measure("a search", &mut || search(&places, &mut random, &mut unrepeated))?;
    measure("the page of a place", &mut || {
        let id = random.choose(&places).map_or("", |place| place.id.as_str());
        wire::page_request(&format!("/place/{id}"), &[])
    })?;
    Ok(report)
}

/// A search for a place by name, by category and area as text, or by both as filters.
fn search(places: &[&Place], random: &mut Random, unrepeated: &mut Unrepeated) -> Vec<u8> {
    let Some(place) = random.choose(places) else { return wire::page_request("/", &[]) };
    let area = place.neighbourhood.as_deref().unwrap_or(&place.region);
    let form = random.below(3);
    let question = match form {
        0 => Question { q: Some(place.name.clone()), ..Question::default() },
        1 => Question { q: Some(format!("{} {area}", place.category)), ..Question::default() },
        _ => Question {
            region: Some(area.to_owned()),
            category: Some(place.category.clone()),
            ..Question::default()
        },
    };
    let question = unrepeated.vary(question);
    let fields = [("q", question.q), ("region", question.region), ("category", question.category)];
    let mut fields: Vec<(&str, &str)> =
        fields.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect();
    if form == 1 {
        fields.push(("kind", "places"));
    }
    wire::page_request("/", &fields)
}
