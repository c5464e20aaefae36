//! Asks a guide a file of questions as free text alone, and says how many found all they must: `queries FILE
//! [SNAPSHOT]`. A question passes when its `must_place_ids` are among the first 20 places and its
//! `must_event_ids` (ids of repeated events, without the date) among the first 50 events of a year.

use std::path::PathBuf;

use anyhow::{Context, Result};
use chrono::{Days, NaiveDate};
use clap::Parser;
use index::words::Words;
use index::{Collection, Guide, Page, Query, View, Window, search::search};
use serde::Deserialize;
use snapshots::{check::check, demo, folder::Files};

/// Asks a guide a file of questions, and says how many found all they must.
#[derive(Parser)]
struct Options {
    /// JSON with `queries`: a list of `{query, must_place_ids, must_event_ids}`.
    file: PathBuf,
    /// A snapshot folder; the demo when absent.
    snapshot: Option<PathBuf>,
    /// The day the questions are asked.
    #[arg(long, default_value = "2026-11-21")]
    today: NaiveDate,
    /// Ask as the basic view does.
    #[arg(long)]
    basic: bool,
}

#[derive(Deserialize)]
struct Questions {
    queries: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    query: String,
    #[serde(default)]
    must_place_ids: Vec<String>,
    #[serde(default)]
    must_event_ids: Vec<String>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let text = std::fs::read_to_string(&options.file)
        .with_context(|| format!("reading {}", options.file.display()))?;
    let questions: Questions =
        serde_json::from_str(&text).context("the questions are not of the form described")?;
    let files = options.snapshot.as_deref().map_or_else(demo::files, Files::read);
    let snapshot = check(&files, options.today)?;
    let guide = Guide::build(&snapshot)?;
    let view = if options.basic { View::Basic } else { View::Full };
    let (mut passed, mut passed_of_held, mut held) = (0, 0, 0);
    for asked in &questions.queries {
        let places = ask(&guide, &guide.places, &asked.query, 20, view, options.today);
        let events = ask(&guide, &guide.events, &asked.query, 50, view, options.today);
        let found = |shelf: &Collection, page: &Page, id: &str, dated: bool| {
            page.ranks.iter().any(|rank| {
                let its = shelf.rendered.id(*rank);
                its == id || (dated && its.strip_prefix(id).is_some_and(|rest| rest.len() == 11))
            })
        };
        let exists = |id: &String| {
            snapshot.events.iter().any(|event| event.id == *id || event.id.starts_with(&format!("{id}-20")))
        };
        let missing: Vec<String> = asked
            .must_place_ids
            .iter()
            .filter(|id| !found(&guide.places, &places, id, false))
            .cloned()
            .chain(asked.must_event_ids.iter().filter(|id| !found(&guide.events, &events, id, true)).map(
                |id| {
                    if exists(id) { id.clone() } else { format!("{id} (not in the snapshot)") }
                },
            ))
            .collect();
        let in_snapshot = asked.must_event_ids.iter().all(exists);
        held += usize::from(in_snapshot);
        if missing.is_empty() {
            passed += 1;
            passed_of_held += 1;
        } else {
            println!(
                "MISS {:?}: {} | places {} {:?} | events {}",
                asked.query,
                missing.join(", "),
                places.total,
                places.interpretation,
                events.total
            );
        }
    }
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let all = questions.queries.len();
    println!("{passed} of {all} questions found all they must ({:.1} %)", percent(passed, all));
    println!(
        "{passed_of_held} of the {held} whose records the snapshot holds ({:.1} %)",
        percent(passed_of_held, held)
    );
    Ok(())
}

fn ask(guide: &Guide, shelf: &Collection, text: &str, limit: usize, view: View, today: NaiveDate) -> Page {
    let words = Words::new(text);
    let question = Query {
        window: Some(Window { from: today, to: today + Days::new(365) }),
        ..Query::of(&words, today, view, limit)
    };
    search(guide.vocabulary(), shelf, &question)
}
