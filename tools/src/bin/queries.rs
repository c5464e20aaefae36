//! Measures recall on a file of questions that are asked as free text alone: `queries FILE [SNAPSHOT]`. A question
//! passes when its `must_place_ids` are among the first 20 places and its `must_event_ids` (ids of repeated events,
//! without the date) among the first 50 events of a year.

use std::path::PathBuf;

use anyhow::Result;
use chrono::{Days, NaiveDate};
use clap::Parser;
use index::search::{ParsedQuery, search};
use index::vocabulary::words::Words;
use index::{Collection, Guide, Page, Query, View, Window};
use serde::Deserialize;
use tools::samples;

/// Searches for a file of questions and counts those that find all they must.
#[derive(Parser)]
struct Options {
    /// JSON with `queries`: a list of `{query, must_place_ids, must_event_ids}`.
    file: PathBuf,
    /// A snapshot folder; the demo when absent.
    snapshot: Option<PathBuf>,
    /// The day of the search.
    #[arg(long, default_value = "2026-11-21")]
    today: NaiveDate,
    /// Search with the basic view.
    #[arg(long)]
    basic: bool,
}

#[derive(Deserialize)]
struct Question {
    query: String,
    #[serde(default)]
    must_place_ids: Vec<String>,
    #[serde(default)]
    must_event_ids: Vec<String>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let questions: Vec<Question> = samples::read(&options.file)?;
    let snapshot = samples::snapshot(options.snapshot.as_deref(), options.today)?;
    let guide = Guide::build(&snapshot)?;
    let exists = |id: &String| {
        snapshot.events.iter().any(|event| event.id == *id || event.id.starts_with(&format!("{id}-20")))
    };
    let (mut passed, mut answerable, mut answerable_passed) = (0, 0, 0);
    for question in &questions {
        let places = search_text(&guide, &guide.places, question, 20, &options);
        let events = search_text(&guide, &guide.events, question, 50, &options);
        let place_ids = ids(&guide.places, &places);
        let event_ids = ids(&guide.events, &events);
        let occurs = |id: &str| {
            event_ids.iter().any(|found| {
                // the id of an occurrence ends in its date
                found.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.len() == 11)
            })
        };
        let places_missing = question.must_place_ids.iter().filter(|id| !place_ids.contains(&id.as_str()));
        let events_missing = question.must_event_ids.iter().filter(|id| !occurs(id));
        let missing: Vec<&String> = places_missing.chain(events_missing).collect();
        let is_answerable = question.must_event_ids.iter().all(exists);
        answerable += usize::from(is_answerable);
        passed += usize::from(missing.is_empty());
        answerable_passed += usize::from(missing.is_empty() && is_answerable);
        if !missing.is_empty() {
            let note = if is_answerable { "" } else { " (some events are not in the snapshot)" };
            println!(
                "MISS {:?}: {missing:?}{note} | places {} {:?} | events {}",
                question.query, places.total, places.interpretation, events.total
            );
        }
    }
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let all = questions.len();
    println!("{passed} of {all} questions found all they must ({:.1} %)", percent(passed, all));
    println!(
        "{answerable_passed} of the {answerable} whose records are in the snapshot ({:.1} %)",
        percent(answerable_passed, answerable)
    );
    Ok(())
}

/// The ids of what an answer has: its list, `more` and `next`.
fn ids<'a>(collection: &'a Collection, page: &Page) -> Vec<&'a str> {
    let next = page.next.iter().flat_map(|next| &next.ranks);
    page.ranks.iter().chain(&page.further).chain(next).map(|rank| collection.rendered.id(*rank)).collect()
}

fn search_text(
    guide: &Guide,
    collection: &Collection,
    question: &Question,
    limit: usize,
    options: &Options,
) -> Page {
    let words = Words::new(&question.query);
    let view = if options.basic { View::Basic } else { View::Full };
    let window = Window { from: options.today, to: options.today + Days::new(365) };
    let query = Query::of(&words, options.today, view, limit);
    let names_days = ParsedQuery::of(guide.vocabulary(), &query).names_days();
    let query = Query { window: (!names_days).then_some(window), ..query };
    search(guide.vocabulary(), collection, &query)
}
