//! Records as pages show them: the fields of the basic view.

use std::borrow::Cow;

use chrono::{NaiveDate, NaiveTime};
use index::rendered::RenderedRecords;
use index::{AreaId, Guide};
use snapshots::{Session, Status};

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
    /// The id of the place that is the venue, if it has a page.
    pub(super) place: Cow<'a, str>,
    /// Events only.
    pub(super) date: Option<NaiveDate>,
    pub(super) end_date: Option<NaiveDate>,
    /// `HH:MM`.
    pub(super) start_time: Cow<'a, str>,
    /// `HH:MM`; before the start time, on the day after.
    pub(super) end_time: Cow<'a, str>,
    /// The sessions of a day, if there are several.
    pub(super) sessions: Vec<Session>,
    pub(super) status: Option<Status>,
    pub(super) free: bool,
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
                "end_time" => record.end_time = value,
                "sessions" => record.sessions = serde_json::from_str(&value).unwrap_or_default(),
                "status" => record.status = value.parse().ok(),
                "free" => record.free = value == "true",
                "venue" => record.venue = value,
                "place" => record.place = value,
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

    /// The event of a rank, with the place that is its venue, if the guide knows it. Pages show the area `home`, so
    /// that only places there have a page.
    pub(super) fn event(guide: &'a Guide, home: AreaId, rank: u32) -> Record<'a> {
        let mut record = Record::new(&guide.events.rendered, rank);
        let place = hosting(guide, &record, rank).filter(|place| guide.places.is_in_area(*place, home));
        record.place = place.map_or(Cow::default(), |place| guide.places.rendered.id(place).into());
        record
    }

    /// When it takes place on a day: "19h30", "19h30–22h" or "16h, 20h–21h"; empty when it is not known. `time` writes
    /// an hour in the language of the page.
    pub(super) fn hours(&self, time: fn(&str) -> String) -> String {
        let span = |start: &str, end: &str| match (start, end) {
            ("", _) => String::new(),
            (start, "") => time(start),
            (start, end) => format!("{}–{}", time(start), time(end)),
        };
        if self.sessions.is_empty() {
            return span(&self.start_time, &self.end_time);
        }
        let hour = |time: NaiveTime| time.format("%H:%M").to_string();
        let session =
            |one: &Session| span(&hour(one.start_time), &one.end_time.map(hour).unwrap_or_default());
        self.sessions.iter().map(session).collect::<Vec<_>>().join(", ")
    }

    /// The narrowest area that is known.
    pub(super) fn area(&self) -> &str {
        if self.neighbourhood.is_empty() { &self.region } else { &self.neighbourhood }
    }
}

/// The place that an event names as its venue, by its id or by its name.
fn hosting(guide: &Guide, event: &Record<'_>, rank: u32) -> Option<u32> {
    if !event.place.is_empty() {
        return guide.places.find(&event.place);
    }
    let is_here = |place: &u32| guide.events_at(*place).any(|event| event == rank);
    guide.places.named(&event.venue).filter(|_| !event.venue.is_empty()).find(is_here)
}
