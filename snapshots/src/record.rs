//! The records of a snapshot: places and events, with the field names of the public contract.
//!
//! Values in a [`crate::Snapshot`] have passed [`crate::check()`]: region, neighbourhood and categories are in the
//! vocabulary, texts are clean and not too long, links are absolute https. An absent field is unknown to the curator.

use chrono::{NaiveDate, NaiveTime};
use serde::{Deserialize, Serialize};

use crate::positions::Position;
use crate::recur::Repeat;

/// A place of the guide: a bar, a park, a museum.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Lower-case letters, digits and hyphens; unique among the places.
    pub id: String,
    /// The name, for display.
    pub name: String,
    /// Name of a neighbourhood of `region`.
    pub neighbourhood: Option<String>,
    /// Name of one of the administrative regions.
    pub region: String,
    /// Slug of the main category.
    pub category: String,
    /// Further categories by slug; used by filters, not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What kind of place it is, in a few words.
    pub style: Option<String>,
    /// A price range as the curator writes it.
    pub price: Option<String>,
    /// Instagram handle without the @.
    pub instagram: Option<String>,
    /// Street address; paid plans only.
    pub address: Option<String>,
    /// How often the place is mentioned; places are ordered by it, highest first.
    #[serde(default)]
    pub mentions: u32,
    /// The curator's quality seal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uau: bool,
    /// A description; paid plans only.
    pub description: Option<Description>,
    /// Where to read more; paid plans only.
    #[serde(default, skip_serializing_if = "Links::is_empty")]
    pub links: Links,
    /// Other names people use; searched, not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Where it is, as far as the curator knows better than the address says; paid plans only.
    pub position: Option<Position>,
    /// Whether it is kept and not served. An explicit `false` ends what `candango snapshot hide` did.
    pub hidden: Option<bool>,
    /// The first day on which it is served, in Brasília.
    pub show_from: Option<NaiveDate>,
    /// The last day on which it is served, in Brasília.
    pub show_until: Option<NaiveDate>,
}

/// The date of an event that repeats without a first date. No event takes place on it.
pub const NO_DATE: NaiveDate = NaiveDate::MIN;

fn no_date() -> NaiveDate {
    NO_DATE
}

fn is_no_date(day: &NaiveDate) -> bool {
    *day == NO_DATE
}

/// An event on a date, over a run of days, or on the dates that a rule gives.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Lower-case letters, digits and hyphens; unique among the events. A repeated event's dates are
    /// `<id>-YYYY-MM-DD` once expanded.
    pub id: String,
    /// What the dates of a repeated event have in common: its id before the date was appended. Set by expansion only.
    pub series: Option<String>,
    /// The name, for display.
    pub name: String,
    /// The (first) day, in Brasília; [`NO_DATE`] for an event that repeats without a first date.
    #[serde(default = "no_date", skip_serializing_if = "is_no_date")]
    pub date: NaiveDate,
    /// The last day, when there is more than one.
    pub end_date: Option<NaiveDate>,
    /// When it begins, in Brasília.
    #[serde(default, with = "hour_minute")]
    pub start_time: Option<NaiveTime>,
    /// The name of the venue.
    pub venue: Option<String>,
    /// Name of a neighbourhood of `region`.
    pub neighbourhood: Option<String>,
    /// Name of one of the administrative regions.
    pub region: String,
    /// Slug of the main category.
    pub category: String,
    /// Further categories by slug; used by filters, not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The price as the curator writes it.
    pub price: Option<String>,
    /// Instagram handle without the @.
    pub instagram: Option<String>,
    /// The line-up; paid plans only.
    pub lineup: Option<String>,
    /// Street address; paid plans only.
    pub address: Option<String>,
    /// A note on tickets; paid plans only.
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
    /// Where it is, as far as the curator knows better than the address says; paid plans only.
    pub position: Option<Position>,
    /// Whether it is kept and not served. An explicit `false` ends what `candango snapshot hide` did.
    pub hidden: Option<bool>,
    /// The first day on which it is served, in Brasília.
    pub show_from: Option<NaiveDate>,
    /// The last day on which it is served, in Brasília.
    pub show_until: Option<NaiveDate>,
    /// How it repeats. Set in a snapshot as curators write it, absent in one that [`crate::Snapshot::on`] made.
    pub repeat: Option<Box<Repeat>>,
}

/// A description in both languages of the guide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// In Portuguese.
    pub pt: String,
    /// In English.
    pub en: String,
}

/// External links; each is an absolute https URL.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// On Google Maps.
    pub google_maps: Option<String>,
    /// The website.
    pub website: Option<String>,
    /// On Instagram.
    pub instagram: Option<String>,
    /// The ticket shop.
    pub tickets: Option<String>,
}

impl Links {
    /// Whether there is no link.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `HH:MM`, the API's format of a time.
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
