//! What servers counted of questions, and the list of it that the operator reads.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use serde::Serialize;

use super::Question;
use crate::domain::account::HolderId;

/// What one server counted of a question on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedCount {
    /// The day in Brasília.
    pub day: NaiveDate,
    /// One run of one server.
    pub run: HolderId,
    /// The [`Question`], opaque to the store.
    pub question: String,
    /// How many distinct callers asked it of this server on this day, at least [`super::MIN_CALLERS`].
    pub callers: u32,
    /// How often.
    pub times: u32,
}

/// A question over several days and servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The question.
    #[serde(flatten)]
    pub question: Question,
    /// Distinct callers.
    pub callers: u32,
    /// Whether there may be more: callers of two days or two servers cannot be told from each other, as nothing that
    /// identifies them is kept. Then `callers` are those of the one day and server with most.
    pub or_more: bool,
    /// How often it was asked.
    pub times: u64,
    /// On which days.
    pub days_asked: BTreeSet<NaiveDate>,
}

impl Asked {
    /// The callers as text: `12`, or `12+`.
    pub fn callers(&self) -> String {
        format!("{}{}", self.callers, if self.or_more { "+" } else { "" })
    }
}

/// The most callers that are told apart for one question; more count as so many.
pub const MAX_CALLERS: usize = 100;

/// Adds up what servers counted, the most asked first. What this version cannot read is left out.
pub fn list(counts: &[AskedCount]) -> Vec<Asked> {
    let mut by_question: BTreeMap<&str, Vec<&AskedCount>> = BTreeMap::new();
    for count in counts {
        by_question.entry(&count.question).or_default().push(count);
    }
    let asked = by_question.into_iter().filter_map(|(question, counts)| {
        let callers = counts.iter().map(|count| count.callers).max()?;
        Some(Asked {
            question: serde_json::from_str(question).ok()?,
            callers,
            or_more: counts.len() > 1 || usize::try_from(callers).is_ok_and(|callers| callers >= MAX_CALLERS),
            times: counts.iter().map(|count| u64::from(count.times)).sum(),
            days_asked: counts.iter().map(|count| count.day).collect(),
        })
    });
    let mut asked: Vec<Asked> = asked.collect();
    asked.sort_by(|one, other| {
        (other.times, other.callers, &one.question).cmp(&(one.times, one.callers, &other.question))
    });
    asked
}
