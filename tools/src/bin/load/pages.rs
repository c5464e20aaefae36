//! `load pages`: the front page, searches and the pages of places, against a constant answer.

use anyhow::Result;
use snapshots::Place;
use tools::questions::{Question, Unrepeated};
use tools::random::Random;

use crate::compare::{Comparison, Options};
use crate::report::Report;
use crate::service::{Service, snapshot};
use crate::wire;

/// What a page may cost, as a ratio to a constant answer of its size.
const BUDGET: f64 = 2.0;

/// The only region that visitors without a key see.
const VISIBLE_REGION: &str = "Plano Piloto";

/// Compares.
pub(crate) fn run(options: &Options) -> Result<Report> {
    let snapshot = snapshot(None, options.seed)?;
    let comparison = Comparison::new(options, Service::start_open(&options.program)?)?;
    let places: Vec<&Place> = snapshot.places.iter().filter(|place| place.region == VISIBLE_REGION).collect();
    let mut report = Report::default();
    let mut measure = |name, request: &mut dyn FnMut() -> Vec<u8>| -> Result<()> {
        println!("\n{name}");
        comparison.run(request)?.report(&mut report, name, BUDGET, None);
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
