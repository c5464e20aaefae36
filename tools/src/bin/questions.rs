//! Asks a file of questions as people ask them, and prints how many answers are right, empty and wrong, by tag, and
//! each miss: `questions FILE [SNAPSHOT]`. `--records` prints instead, for each question, a line of JSON with its first
//! records, so that a reader can judge whether they are to the point.
//!
//! An answer is right when one of `any_of` is among its first five records and all of `must` are on its page. What is
//! listed counts first, then the next closest records, then the next day. Ids of repeated events are given without the
//! date. With `none_ok`, an empty answer is right too.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use chrono::NaiveDate;
use clap::Parser;
use index::{Collection, Guide, Page, Query, View, question::query, search::search};
use serde_json::{Value, json};
use tools::samples::{self, Kind, Sample};

/// Asks a file of questions and counts the right, the empty and the wrong answers.
#[derive(Parser)]
struct Options {
    /// JSON with `queries`: a list of `{query, kind, any_of, must, none_ok, tags}`.
    file: PathBuf,
    /// A snapshot folder; the demo when absent.
    snapshot: Option<PathBuf>,
    /// The day of the search.
    #[arg(long, default_value = "2026-11-22")]
    today: NaiveDate,
    /// Only records that meet the whole question.
    #[arg(long)]
    strict: bool,
    /// Print only the counts.
    #[arg(long)]
    quiet: bool,
    /// Also print the first records of the right answers.
    #[arg(long)]
    all: bool,
    /// Print each question with the first records of its answer as a line of JSON, and no counts.
    #[arg(long)]
    records: bool,
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Right,
    Zero,
    Wrong,
}

/// How many answers of each outcome, how many were right with the first record, and how many were met exactly.
#[derive(Default, Clone, Copy)]
struct Count {
    right: usize,
    zero: usize,
    wrong: usize,
    first: usize,
    exact: usize,
}

/// How many records of an answer a reader looks at.
const LOOKED_AT: usize = 5;

/// The usual page of the API.
const LIMIT: usize = 20;

fn main() -> Result<()> {
    let options = Options::parse();
    let questions: Vec<Sample> = samples::read(&options.file)?;
    let guide = Guide::build(&samples::snapshot(options.snapshot.as_deref(), options.today)?)?;
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for question in &questions {
        let (page, ids) = ask(&guide, question, &options)?;
        if options.records {
            println!("{}", records(&guide, question, &page)?);
            continue;
        }
        let is = |wanted: &String, id: &String| {
            id.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || is_date(rest))
        };
        let is_wanted = |id: &String| question.any_of.iter().any(|wanted| is(wanted, id));
        let has = |wanted: &String| ids.iter().any(|id| is(wanted, id));
        let is_right = (question.any_of.is_empty() || ids.iter().take(LOOKED_AT).any(is_wanted))
            && question.must.iter().all(has)
            && !(question.any_of.is_empty() && question.must.is_empty());
        let outcome = match (is_right, ids.is_empty()) {
            (true, _) => Outcome::Right,
            (false, true) if question.none_ok => Outcome::Right,
            (false, true) => Outcome::Zero,
            (false, false) => Outcome::Wrong,
        };
        for tag in question.tags.iter().map(String::as_str).chain(["all"]) {
            let count = counts.entry(tag).or_default();
            match outcome {
                Outcome::Right => count.right += 1,
                Outcome::Zero => count.zero += 1,
                Outcome::Wrong => count.wrong += 1,
            }
            count.first += usize::from(ids.first().map_or(outcome == Outcome::Right, is_wanted));
            count.exact += usize::from(page.total > 0 && page.closest.is_none());
        }
        if !options.quiet && (outcome != Outcome::Right || options.all) {
            print(question, outcome, &page, &ids);
        }
    }
    if options.records {
        return Ok(());
    }
    println!(
        "{:>14} {:>5} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "tag", "all", "right", "zero", "wrong", "first", "exact"
    );
    for (tag, count) in &counts {
        let all = count.right + count.zero + count.wrong;
        let percent = |part: usize| 100.0 * part as f64 / all.max(1) as f64;
        let [right, zero, wrong] = [count.right, count.zero, count.wrong].map(percent);
        let [first, exact] = [count.first, count.exact].map(percent);
        println!("{tag:>14} {all:>5} {right:>6.1}% {zero:>6.1}% {wrong:>6.1}% {first:>6.1}% {exact:>6.1}%");
    }
    Ok(())
}

/// The records that a question is asked of.
fn collection<'g>(guide: &'g Guide, question: &Sample) -> &'g Collection {
    match question.kind {
        Kind::Events => &guide.events,
        Kind::Places => &guide.places,
    }
}

/// The ranks of a page in the order in which a reader meets them.
fn ranks(page: &Page) -> impl Iterator<Item = u32> {
    let next = page.next.iter().flat_map(|next| &next.ranks);
    page.ranks.iter().chain(&page.further).chain(next).copied()
}

/// The question with the first records of its answer, as JSON.
fn records(guide: &Guide, question: &Sample, page: &Page) -> Result<Value> {
    let rendered = &collection(guide, question).rendered;
    let read = |rank: u32| -> Result<Value> {
        let record = [rendered.json(rank, View::Full), b"}"].concat();
        let record: Value = serde_json::from_slice(&record)?;
        let wanted = |field: &&&str| record.get(**field).is_some();
        Ok(READ.iter().filter(wanted).map(|field| ((*field).to_owned(), record[*field].clone())).collect())
    };
    let first: Vec<Value> = ranks(page).take(LOOKED_AT).map(read).collect::<Result<_>>()?;
    let category = |id: &index::CategoryId| guide.vocabulary().category(*id).slug.to_string();
    let area = |id: &index::AreaId| guide.vocabulary().area(*id).name.to_string();
    let understood = &page.interpretation;
    Ok(json!({
        "query": question.query,
        "kind": match question.kind { Kind::Events => "events", Kind::Places => "places" },
        "match": match (page.total, &page.closest, &page.next) {
            (_, Some(_), _) => "closest",
            (0, None, None) => "none",
            (0, None, Some(_)) => "next",
            (_, None, _) => "exact",
        },
        "total": page.total,
        "listed": page.ranks.len().min(LOOKED_AT),
        "text": understood.text,
        "categories": understood.categories.iter().map(category).collect::<Vec<_>>(),
        "areas": understood.areas.iter().map(area).collect::<Vec<_>>(),
        "corrected": understood.corrected,
        "left_out": page.closest.as_ref().map(|closest| &closest.left_out),
        "widened": page.closest.as_ref().map(|closest| closest.areas.iter().map(area).collect::<Vec<_>>()),
        "records": first,
    }))
}

/// The fields that say whether a record is to the point.
const READ: &[&str] = &[
    "id",
    "name",
    "date",
    "start_time",
    "venue",
    "neighbourhood",
    "region",
    "category",
    "style",
    "lineup",
    "address",
    "price",
    "mentions",
    "distance_m",
];

/// The page, and the ids of its records in the order in which a reader meets them.
fn ask(guide: &Guide, question: &Sample, options: &Options) -> Result<(Page, Vec<String>)> {
    let words = query::words(&question.query)?;
    let collection = collection(guide, question);
    let (near, words) = samples::near_phrase(guide, words);
    let at = samples::at_place(guide, near.as_ref(), &words);
    let query = Query {
        near: near.as_ref(),
        at: at.as_ref(),
        strict: options.strict,
        ..Query::of(&words, options.today, View::Full, LIMIT)
    };
    let page = search(guide.vocabulary(), collection, &query);
    let ids = ranks(&page).map(|rank| collection.rendered.id(rank).to_owned()).collect();
    Ok((page, ids))
}

/// Whether this is what the id of an occurrence has behind that of its series: "-2026-11-22".
fn is_date(rest: &str) -> bool {
    rest.strip_prefix('-').is_some_and(|date| date.parse::<NaiveDate>().is_ok())
}

fn print(question: &Sample, outcome: Outcome, page: &Page, ids: &[String]) {
    let closest = page.closest.as_deref().map(|closest| (&closest.left_out, &closest.areas, closest.days));
    let interpretation = &page.interpretation;
    println!(
        "{outcome:?} {:?} | total {} {:?} text {:?} days {:?} corrected {:?} | found {:?} | wanted {:?} {:?}",
        question.query,
        page.total,
        closest,
        interpretation.text,
        interpretation.window.map(|window| (window.from.to_string(), window.to.to_string())),
        interpretation.corrected,
        &ids[..ids.len().min(LOOKED_AT)],
        &question.any_of[..question.any_of.len().min(4)],
        question.must,
    );
}
