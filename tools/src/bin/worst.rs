//! Looks for the slowest question: `worst [--records N] [--seconds S]` makes random questions of words that are common,
//! ambiguous, misspelt or cut, changes the slowest ones further, and prints those that stay slow.
//!
//! A question's time is the least of several runs, so that an interrupt does not count; totals that a run keeps make
//! the next one faster. Those that stay slow are asked again later, as a machine may be busy for a while.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use chrono::NaiveDate;
use clap::Parser;
use index::grammar::dates::Hours;
use index::{AreaId, CategoryId, Guide, Query, View, question::query, search::search};
use snapshots::Snapshot;
use tools::big;
use tools::random::Random;
use tools::samples;

/// That of the service: a search allocates for each wish of a question.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Looks for the slowest question.
#[derive(Parser)]
struct Options {
    /// Records of a random snapshot; the demo when absent.
    #[arg(long)]
    records: Option<usize>,
    /// A snapshot folder instead of the demo.
    #[arg(long, conflicts_with = "records")]
    snapshot: Option<PathBuf>,
    /// How long to look.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The same seed asks the same first questions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The day of the search.
    #[arg(long, default_value = "2026-11-22")]
    today: NaiveDate,
}

/// A question and how long it took.
#[derive(Clone)]
struct Slow {
    took: Duration,
    words: Vec<String>,
    filters: Filters,
}

/// What is asked beside the text.
#[derive(Clone, Copy, Default)]
struct Filters {
    events: bool,
    area: Option<AreaId>,
    category: Option<CategoryId>,
    hours: bool,
    group: bool,
    long_page: bool,
}

/// How many of the slowest questions are kept and changed.
const KEPT: usize = 24;
/// How many of them are printed.
const PRINTED: usize = 8;
/// The longest question, in words.
const MAX_WORDS: usize = 60;
/// How often a question that seems slow is asked again.
const REPEATS: usize = 7;
/// How often those that stayed slow are asked at the end.
const LAST_REPEATS: usize = 50;

fn main() -> Result<()> {
    let options = Options::parse();
    let base = samples::snapshot(options.snapshot.as_deref(), options.today)?;
    let snapshot = match options.records {
        Some(records) => big::snapshot(&base, records, options.seed, options.today),
        None => base,
    };
    let words = vocabulary(&snapshot);
    let guide = Guide::build(&snapshot)?;
    drop(snapshot);
    let mut random = Random::new(options.seed);
    let mut slowest: Vec<Slow> = Vec::new();
    let (mut asked, mut sum) = (0u32, Duration::ZERO);
    let end = Instant::now() + Duration::from_secs(options.seconds);
    while Instant::now() < end {
        let mut question = match slowest.is_empty() || random.chance(40) {
            true => fresh(&words, &guide, &mut random),
            false => {
                let kept = random.below(slowest.len());
                let kept = &mut slowest[kept];
                kept.took = kept.took.min(ask(&guide, kept, options.today));
                changed(kept, &words, &guide, &mut random)
            }
        };
        question.took = ask(&guide, &question, options.today);
        (asked, sum) = (asked + 1, sum + question.took);
        let least = slowest.iter().map(|slow| slow.took).min().unwrap_or_default();
        if slowest.len() < KEPT || question.took > least {
            let again = (1..REPEATS).map(|_| ask(&guide, &question, options.today));
            question.took = again.min().unwrap_or(question.took).min(question.took);
            if slowest.len() < KEPT || question.took > least {
                slowest.push(question);
                slowest.sort_by_key(|slow| std::cmp::Reverse(slow.took));
                slowest.truncate(KEPT);
            }
        }
    }
    for _ in 0..LAST_REPEATS {
        for slow in &mut slowest {
            slow.took = slow.took.min(ask(&guide, slow, options.today));
        }
    }
    slowest.sort_by_key(|slow| std::cmp::Reverse(slow.took));
    println!("{asked} questions, mean {:?}; the slowest:", sum / asked.max(1));
    for slow in slowest.iter().take(PRINTED) {
        let Filters { events, area, category, hours, group, long_page } = slow.filters;
        let kind = if events { "events" } else { "places" };
        println!(
            "{:>8.1} us {kind} area {area:?} category {category:?} hours {hours} group {group} long page {long_page}: {}",
            slow.took.as_secs_f64() * 1e6,
            slow.words.join(" ")
        );
    }
    Ok(())
}

/// Words of the vocabulary and of records, of dates and operators, as questions have them.
fn vocabulary(snapshot: &Snapshot) -> Vec<String> {
    let taxonomy = &snapshot.vocabulary.taxonomy.categories;
    let geography = &snapshot.vocabulary.geography;
    let mut words: Vec<String> = Vec::new();
    let mut add = |text: &str| words.extend(text.split_whitespace().map(str::to_owned));
    for category in taxonomy {
        let terms = [&category.synonyms_pt, &category.synonyms_en, &category.synonyms_es];
        terms.into_iter().flatten().chain([&category.pt, &category.en]).for_each(|term| add(term));
    }
    for region in &geography.regions {
        add(&region.name);
        region.neighbourhoods.iter().for_each(|part| add(&part.name));
    }
    geography.zones.iter().for_each(|zone| add(&zone.name));
    snapshot.vocabulary.synonyms.groups.iter().flatten().for_each(|phrase| add(phrase));
    let places = snapshot.places.iter().take(2_000);
    places.for_each(|place| {
        [Some(&place.name), place.address.as_ref()].into_iter().flatten().for_each(|text| add(text))
    });
    let fixed = "hoje amanhã sexta sábado domingo noite dezembro natal 20h sem ou e not or near perto de do da grátis aberto \
                 408 norte sul CLN bloco a o s b c 1 2 25/12 , / não exceto barzinho cafezinho";
    for _ in 0..words.len() / 400 + 1 {
        words.extend(fixed.split(' ').map(str::to_owned));
    }
    words
}

fn fresh(words: &[String], guide: &Guide, random: &mut Random) -> Slow {
    let count = 1 + random.skewed(MAX_WORDS);
    let text = (0..count).filter_map(|_| word(words, random)).collect();
    Slow { took: Duration::ZERO, words: text, filters: filters(guide, random) }
}

/// A word as written, misspelt or cut.
fn word(words: &[String], random: &mut Random) -> Option<String> {
    let word = random.choose(words)?;
    let letters: Vec<char> = word.chars().collect();
    Some(match random.below(10) {
        0 => letters.iter().take(1 + random.below(3)).collect(),
        1 => {
            let at = random.below(letters.len());
            letters
                .iter()
                .enumerate()
                .map(|(place, letter)| if place == at { 'x' } else { *letter })
                .collect()
        }
        _ => word.clone(),
    })
}

fn filters(guide: &Guide, random: &mut Random) -> Filters {
    let vocabulary = guide.vocabulary();
    let one = |random: &mut Random, count: usize| random.chance(25).then(|| random.below(count));
    Filters {
        events: random.chance(50),
        area: one(random, vocabulary.areas.len()).and_then(|at| AreaId::all().nth(at)),
        category: one(random, vocabulary.categories.len()).and_then(|at| CategoryId::all().nth(at)),
        hours: random.chance(15),
        group: random.chance(30),
        long_page: random.chance(10),
    }
}

fn changed(slow: &Slow, words: &[String], guide: &Guide, random: &mut Random) -> Slow {
    let mut question = slow.clone();
    for _ in 0..1 + random.below(3) {
        let at = random.below(question.words.len());
        match random.below(6) {
            0 if question.words.len() > 1 => {
                question.words.remove(at);
            }
            1 => question.filters = filters(guide, random),
            2 if question.words.len() < MAX_WORDS => {
                let again = question.words[at].clone();
                question.words.push(again);
            }
            3 | 4 if question.words.len() < MAX_WORDS => {
                question.words.splice(at..at, word(words, random));
            }
            _ => {
                question.words.splice(at..=at, word(words, random));
            }
        }
    }
    question
}

/// How long the answer takes, with parsing.
fn ask(guide: &Guide, question: &Slow, today: NaiveDate) -> Duration {
    let mut text = question.words.join(" ");
    while text.chars().nth(query::MAX_CHARACTERS).is_some() {
        text.pop();
    }
    let Filters { events, area, category, hours, group, long_page } = question.filters;
    let collection = if events { &guide.events } else { &guide.places };
    let began = Instant::now();
    let Ok(words) = query::words(&text) else { return Duration::ZERO };
    let (near, words) = samples::near_phrase(guide, words);
    let at = samples::at_place(guide, near.as_ref(), &words);
    let query = Query {
        areas: area.into_iter().collect(),
        categories: category.into_iter().collect(),
        near: near.as_ref(),
        at: at.as_ref(),
        hours: hours.then(|| Hours::between_given(Some(18 * 60), None)),
        group,
        ..Query::of(&words, today, View::Full, if long_page { 50 } else { 20 })
    };
    std::hint::black_box(search(guide.vocabulary(), collection, &query));
    began.elapsed()
}
