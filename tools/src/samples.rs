//! Files of questions as people ask them, each with the records that answer it.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

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
