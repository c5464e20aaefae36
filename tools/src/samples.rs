//! Files of questions as people ask them, each with the records that answer it, and what they are asked of.

use std::path::Path;

use anyhow::{Context, Result};
use chrono::NaiveDate;
use index::question::near::{AtPlace, Caller, Near, NearPhrase};
use index::vocabulary::words::Words;
use index::{EVERYWHERE, Guide, View};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use snapshots::{Hidden, Snapshot, check::check, demo, folder::Files};

/// A question as somebody asked it, with what a right answer has.
#[derive(Debug, Clone, Deserialize)]
pub struct Sample {
    /// The text as it was asked.
    pub query: String,
    /// What it asks for.
    pub kind: Kind,
    /// Ids, one of which answers it.
    #[serde(default)]
    pub any_of: Vec<String>,
    /// Ids that all belong into the answer.
    #[serde(default)]
    pub must: Vec<String>,
    /// Whether no record is a right answer too.
    #[serde(default)]
    pub none_ok: bool,
    /// Language and kind, to count by.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// A collection of the guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// What is on, by day.
    Events,
    /// Where to go.
    Places,
}

/// The snapshot of a folder on a day; the demo without a folder.
pub fn snapshot(folder: Option<&Path>, today: NaiveDate) -> Result<Snapshot> {
    let files = folder.map_or_else(demo::files, Files::read);
    Ok(check(&files, today)?.on(today, &Hidden::default())?)
}

/// The place that a question asks near, and its other words. The caller sees everything, and does not say where it is.
pub fn near_phrase(guide: &Guide, words: Words) -> (Option<Near>, Words) {
    let caller = Caller { view: View::Full, scope: EVERYWHERE, covered: None };
    match guide.near_phrase(&words, caller) {
        Some(NearPhrase::Place(near, rest)) => (Some(near), rest),
        Some(NearPhrase::Here(rest)) => (None, rest),
        None => (None, words),
    }
}

/// The place at which a question asks for something, unless it is to be near one.
pub fn at_place(guide: &Guide, near: Option<&Near>, words: &Words) -> Option<AtPlace> {
    let caller = Caller { view: View::Full, scope: EVERYWHERE, covered: None };
    near.is_none().then(|| guide.at_place(words, caller)).flatten()
}

/// Reads a file of JSON with `queries`, a list of questions in the form that the caller needs: [`Sample`], or another.
pub fn read<Q: DeserializeOwned>(file: &Path) -> Result<Vec<Q>> {
    #[derive(Deserialize)]
    struct Questions<Q> {
        queries: Vec<Q>,
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let questions: Questions<Q> =
        serde_json::from_str(&text).with_context(|| format!("{} has another format", file.display()))?;
    Ok(questions.queries)
}
