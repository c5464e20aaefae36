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
    /// Whether entry costs nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// Whether it is kept and not served. An explicit `false` shows a record again that was hidden elsewhere.
    pub hidden: Option<bool>,
    /// The first day on which it is served.
    pub show_from: Option<NaiveDate>,
    /// The last day on which it is served.
    pub show_until: Option<NaiveDate>,
    /// A note of the curator's; never served, never searched.
    pub note: Option<String>,
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
    /// When it begins, in Brasília. Absent when there are sessions.
    #[serde(default, with = "hour_minute_or_absent")]
    pub start_time: Option<NaiveTime>,
    /// When it ends; before the start time, on the day after. Absent when there are sessions.
    #[serde(default, with = "hour_minute_or_absent")]
    pub end_time: Option<NaiveTime>,
    /// The sessions of each day, in order: none or at least two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<Session>,
    /// What became of it; absent when it takes place as announced.
    pub status: Option<Status>,
    /// The id of the place where it takes place.
    pub place: Option<String>,
    /// The name of the venue.
    pub venue: Option<String>,
    /// Name of a neighbourhood of `region`.
    pub neighbourhood: Option<String>,
    /// Name of one of the administrative regions. Empty only until it is taken over from `place`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
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
    /// Whether entry costs nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// Whether it is kept and not served. An explicit `false` shows a record again that was hidden elsewhere.
    pub hidden: Option<bool>,
    /// The first day on which it is served.
    pub show_from: Option<NaiveDate>,
    /// The last day on which it is served.
    pub show_until: Option<NaiveDate>,
    /// A note of the curator's; never served, never searched.
    pub note: Option<String>,
    /// How it repeats. Set in a snapshot as curators write it, absent in one that [`crate::Snapshot::on`] made.
    pub repeat: Option<Box<Repeat>>,
}

impl Place {
    /// Whether it is hidden on all days.
    pub fn is_hidden(&self) -> bool {
        self.hidden == Some(true)
    }
}

impl Event {
    /// Whether it is hidden on all days.
    pub fn is_hidden(&self) -> bool {
        self.hidden == Some(true)
    }

    /// When its (first) session begins.
    pub fn starts(&self) -> Option<NaiveTime> {
        self.sessions.first().map_or(self.start_time, |first| Some(first.start_time))
    }

    /// When its (first) session ends.
    pub fn ends(&self) -> Option<NaiveTime> {
        self.sessions.first().map_or(self.end_time, |first| first.end_time)
    }

    /// Takes over what it does not say itself from the place where it takes place: venue, area, address and position.
    pub fn take_over(&mut self, place: &Place) {
        self.venue.get_or_insert_with(|| place.name.clone());
        if self.region.is_empty() {
            self.region.clone_from(&place.region);
        }
        if self.neighbourhood.is_none() && self.region == place.region {
            self.neighbourhood.clone_from(&place.neighbourhood);
        }
        if self.address.is_none() {
            self.address.clone_from(&place.address);
        }
        self.position = self.position.or(place.position);
    }
}

/// One of several sessions of an event on the same day.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// When it begins, in Brasília.
    #[serde(with = "hour_minute")]
    pub start_time: NaiveTime,
    /// When it ends; before the start time, on the day after.
    #[serde(default, with = "hour_minute_or_absent")]
    pub end_time: Option<NaiveTime>,
}

/// What became of an event.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// It does not take place.
    Cancelled,
    /// It takes place on a day that is not known yet.
    Postponed,
    /// It takes place, and there are no tickets left.
    SoldOut,
}

impl Status {
    /// Its name in records.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Whether a record with these fields is served on a day.
pub fn is_shown(
    hidden: Option<bool>,
    show_from: Option<NaiveDate>,
    show_until: Option<NaiveDate>,
    day: NaiveDate,
) -> bool {
    hidden != Some(true)
        && show_from.is_none_or(|from| from <= day)
        && show_until.is_none_or(|until| day <= until)
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
    /// Each link with its field.
    pub(crate) fn each(&self) -> [(&'static str, &Option<String>); 4] {
        let Self { google_maps, website, instagram, tickets } = self;
        [("google_maps", google_maps), ("website", website), ("instagram", instagram), ("tickets", tickets)]
    }

    /// Whether there is no link.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// `HH:MM`, the API's format of a time.
mod hour_minute {
    use chrono::NaiveTime;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(time: &NaiveTime, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&time.format("%H:%M"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<NaiveTime, D::Error> {
        NaiveTime::parse_from_str(&String::deserialize(from)?, "%H:%M").map_err(D::Error::custom)
    }
}

/// The same for a time that may be absent.
mod hour_minute_or_absent {
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
