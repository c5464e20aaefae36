//! Records as pages show them: the fields of the basic view.

use std::borrow::Cow;

use chrono::NaiveDate;
use index::rendered::RenderedRecords;

/// A place or an event. Fields that the curator does not know are empty.
#[derive(Debug, Default, Clone)]
pub(super) struct Record<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) neighbourhood: Cow<'a, str>,
    pub(super) region: Cow<'a, str>,
    /// A slug.
    pub(super) category: Cow<'a, str>,
    pub(super) style: Cow<'a, str>,
    pub(super) price: Cow<'a, str>,
    pub(super) instagram: Cow<'a, str>,
    pub(super) venue: Cow<'a, str>,
    /// Events only.
    pub(super) date: Option<NaiveDate>,
    pub(super) end_date: Option<NaiveDate>,
    /// `HH:MM`.
    pub(super) start_time: Cow<'a, str>,
    pub(super) uau: bool,
    /// Events only: what the dates of a repeated event have in common.
    pub(super) series: Cow<'a, str>,
}

impl<'a> Record<'a> {
    /// The record of a rank.
    pub(super) fn new(records: &'a RenderedRecords, rank: u32) -> Record<'a> {
        let mut record = Record::default();
        for (name, value) in records.fields(rank) {
            match name {
                "id" => record.id = value,
                "name" => record.name = value,
                "date" => record.date = value.parse().ok(),
                "end_date" => record.end_date = value.parse().ok(),
                "start_time" => record.start_time = value,
                "venue" => record.venue = value,
                "neighbourhood" => record.neighbourhood = value,
                "region" => record.region = value,
                "category" => record.category = value,
                "style" => record.style = value,
                "price" => record.price = value,
                "instagram" => record.instagram = value,
                "series" => record.series = value,
                "uau" => record.uau = value == "true",
                // pages do not show the number of mentions
                _ => {}
            }
        }
        record
    }

    /// The narrowest area that is known.
    pub(super) fn area(&self) -> &str {
        if self.neighbourhood.is_empty() { &self.region } else { &self.neighbourhood }
    }
}
