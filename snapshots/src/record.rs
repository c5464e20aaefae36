//! The records of a snapshot: places and events, with the field names of the public contract.
//!
//! A value of these types has passed [`crate::check()`]: its region, neighbourhood and categories are known to
//! the vocabulary, its texts are bounded and clean, its links are absolute https. Absent means unknown to the
//! curator; nothing is ever an empty string. Uses serde and chrono only.

use chrono::{NaiveDate, NaiveTime};
use serde::{Deserialize, Serialize};

/// A place of the guide: a bar, a park, a museum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Lower-case letters, digits and hyphens; unique among the places.
    pub id: String,
    /// The name as people read it.
    pub name: String,
    /// Name of a neighbourhood of `region`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbourhood: Option<String>,
    /// Name of one of the administrative regions.
    pub region: String,
    /// Slug of the main category.
    pub category: String,
    /// Further category slugs that a filter also finds it by; not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What kind of place it is, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// A price range as the curator writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
    /// Instagram handle without the @.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instagram: Option<String>,
    /// Street address; paid plans only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// How talked-about the place is; places are ordered by it, highest first.
    #[serde(default)]
    pub mentions: u32,
    /// The curator's quality seal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uau: bool,
    /// What the curator says of it; paid plans only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// Where to read more; paid plans only.
    #[serde(default, skip_serializing_if = "Links::is_empty")]
    pub links: Links,
    /// Other names people use; searched, not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// An event on a date, or over a run of days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Lower-case letters, digits and hyphens; unique among the events. A repeated event's dates are
    /// `<id>-YYYY-MM-DD` once packed.
    pub id: String,
    /// The name as people read it.
    pub name: String,
    /// The (first) day, in Brasília.
    pub date: NaiveDate,
    /// The last day, when it runs over more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_date: Option<NaiveDate>,
    /// When it begins, in Brasília.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hour_minute")]
    pub start_time: Option<NaiveTime>,
    /// Where it happens, as people say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// Name of a neighbourhood of `region`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbourhood: Option<String>,
    /// Name of one of the administrative regions.
    pub region: String,
    /// Slug of the main category.
    pub category: String,
    /// Further category slugs that a filter also finds it by; not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The price as the curator writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
    /// Instagram handle without the @.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instagram: Option<String>,
    /// Who plays; paid plans only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineup: Option<String>,
    /// Street address; paid plans only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// How to get in, in words; paid plans only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tickets: Option<String>,
    /// The curator's quality seal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uau: bool,
    /// Where to read more; paid plans only.
    #[serde(default, skip_serializing_if = "Links::is_empty")]
    pub links: Links,
    /// Other names people use; searched, not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// What the curator says of a place, in both languages of the guide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// In Portuguese.
    pub pt: String,
    /// In English.
    pub en: String,
}

/// Links out of the guide; each is an absolute https URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// The record on Google VocabularyIndex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub google_maps: Option<String>,
    /// Its own site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website: Option<String>,
    /// Its Instagram page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instagram: Option<String>,
    /// Where tickets are sold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tickets: Option<String>,
}

impl Links {
    /// Whether no link is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `HH:MM`, the contract's form of a time.
mod hour_minute {
    use chrono::NaiveTime;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(time: &Option<NaiveTime>, to: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => to.collect_str(&time.format("%H:%M")),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NaiveTime>, D::Error> {
        let text: Option<String> = Option::deserialize(from)?;
        text.map(|text| NaiveTime::parse_from_str(&text, "%H:%M").map_err(D::Error::custom)).transpose()
    }
}
