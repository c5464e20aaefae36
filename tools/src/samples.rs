//! Files of questions as people ask them, each with the records that answer it.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

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

/// Reads a file of JSON with `queries`, a list of samples.
pub fn read(file: &Path) -> Result<Vec<Sample>> {
    #[derive(Deserialize)]
    struct Samples {
        queries: Vec<Sample>,
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let samples: Samples =
        serde_json::from_str(&text).with_context(|| format!("{} has another format", file.display()))?;
    Ok(samples.queries)
}
