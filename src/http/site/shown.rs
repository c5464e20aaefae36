//! Answers as pages read them: the JSON that every door gives, borrowed and not copied. Fields that the curator does
//! not know are empty here. Uses serde and chrono only.

use std::borrow::Cow;

use chrono::NaiveDate;
use serde::Deserialize;

/// An answer to a search, or a record that was asked for.
#[derive(Debug, Deserialize)]
pub(super) struct Answer<'a> {
    /// How many records meet the question.
    #[serde(default)]
    pub(super) total: u32,
    /// Those that are given.
    #[serde(borrow, default, alias = "events", alias = "places")]
    pub(super) records: Vec<Record<'a>>,
    /// The one that was asked for.
    #[serde(borrow, default, alias = "event", alias = "place")]
    pub(super) record: Option<Record<'a>>,
    /// How the question was read.
    #[serde(borrow, default)]
    pub(super) interpreted: Interpreted<'a>,
    /// With no result: how many there would be without a filter.
    #[serde(default)]
    pub(super) relax: Relax,
}

/// A place or an event, as far as everybody may see it.
#[derive(Debug, Deserialize)]
pub(super) struct Record<'a> {
    pub(super) id: &'a str,
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) neighbourhood: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) region: Cow<'a, str>,
    /// A slug.
    pub(super) category: &'a str,
    #[serde(borrow, default)]
    pub(super) style: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) price: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) instagram: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) venue: Cow<'a, str>,
    /// Events only.
    #[serde(default)]
    pub(super) date: Option<NaiveDate>,
    #[serde(default)]
    pub(super) end_date: Option<NaiveDate>,
    /// `HH:MM`.
    #[serde(default)]
    pub(super) start_time: &'a str,
    pub(super) uau: bool,
}

/// How a question was read.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Interpreted<'a> {
    #[serde(borrow, default)]
    pub(super) region: Vec<Area<'a>>,
    #[serde(borrow, default)]
    pub(super) category: Vec<Category<'a>>,
    #[serde(default)]
    pub(super) from: Option<NaiveDate>,
    #[serde(default)]
    pub(super) to: Option<NaiveDate>,
    #[serde(borrow, default)]
    pub(super) corrected: Vec<Corrected<'a>>,
}

/// An area that was understood.
#[derive(Debug, Deserialize)]
pub(super) struct Area<'a> {
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
}

/// A category that was understood.
#[derive(Debug, Deserialize)]
pub(super) struct Category<'a> {
    #[serde(borrow)]
    pub(super) pt: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) en: Cow<'a, str>,
}

/// A word that was taken for another.
#[derive(Debug, Deserialize)]
pub(super) struct Corrected<'a> {
    pub(super) from: &'a str,
    #[serde(borrow)]
    pub(super) to: Cow<'a, str>,
}

/// How many records there would be with one filter less.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Relax {
    #[serde(default)]
    pub(super) q: u32,
    #[serde(default)]
    pub(super) region: u32,
    #[serde(default)]
    pub(super) category: u32,
}

impl<'a> Answer<'a> {
    /// Reads an answer of ours; nothing when it is none.
    pub(super) fn read(json: &'a [u8]) -> Option<Answer<'a>> {
        // text that is known to be UTF-8 is read quicker
        serde_json::from_str(std::str::from_utf8(json).ok()?).ok()
    }
}
