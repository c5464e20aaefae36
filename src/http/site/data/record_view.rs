//! Records as pages show them: the fields of the basic view.

use std::borrow::Cow;

use chrono::{NaiveDate, NaiveTime, Timelike};
use index::records::rendered::RenderedRecords;
use index::{AreaId, Collection, Guide};
use snapshots::{Session, Status};

use crate::domain::records::Records;
use crate::http::calendar_entry::hours;

/// How many minutes a day has.
pub(crate) const MINUTES_A_DAY: u16 = 24 * 60;

/// A record of a guide, by its rank. Places come before events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RecordRef {
    pub(crate) records: Records,
    pub(crate) rank: u32,
}

impl RecordRef {
    pub(crate) fn place(rank: u32) -> RecordRef {
        RecordRef { records: Records::Places, rank }
    }

    pub(crate) fn event(rank: u32) -> RecordRef {
        RecordRef { records: Records::Events, rank }
    }

    pub(crate) fn is_event(self) -> bool {
        self.records == Records::Events
    }

    /// The records that it is one of.
    pub(crate) fn collection(self, guide: &Guide) -> &Collection {
        self.records.collection(guide)
    }

    /// The narrowest area that it is in.
    pub(crate) fn area(self, guide: &Guide) -> AreaId {
        self.collection(guide).area(self.rank)
    }

    /// The path of its page in Portuguese.
    pub(crate) fn path(self, guide: &Guide) -> String {
        format!("/{}/{}", self.records.kind(), self.collection(guide).rendered.id(self.rank))
    }
}

/// A place or an event. Fields that the curator does not know are empty.
#[derive(Debug, Default, Clone)]
pub(crate) struct Record<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) neighbourhood: Cow<'a, str>,
    pub(crate) region: Cow<'a, str>,
    /// A slug.
    pub(crate) category: Cow<'a, str>,
    pub(crate) style: Cow<'a, str>,
    pub(crate) price: Cow<'a, str>,
    pub(crate) instagram: Cow<'a, str>,
    pub(crate) venue: Cow<'a, str>,
    /// The id of the place that is the venue, if it has a page.
    pub(crate) place: Cow<'a, str>,
    /// Events only.
    pub(crate) date: Option<NaiveDate>,
    pub(crate) end_date: Option<NaiveDate>,
    /// `HH:MM`.
    pub(crate) start_time: Cow<'a, str>,
    /// `HH:MM`; before the start time, on the day after.
    pub(crate) end_time: Cow<'a, str>,
    /// The sessions of a day, if there are several.
    pub(crate) sessions: Vec<Session>,
    pub(crate) status: Option<Status>,
    pub(crate) free: bool,
    pub(crate) uau: bool,
    /// Events only: what the dates of a repeated event have in common.
    pub(crate) series: Cow<'a, str>,
}

impl<'a> Record<'a> {
    /// The record of a rank.
    pub(crate) fn new(records: &'a RenderedRecords, rank: u32) -> Record<'a> {
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
    pub(crate) fn event(guide: &'a Guide, home: AreaId, rank: u32) -> Record<'a> {
        let mut record = Record::new(&guide.events.rendered, rank);
        let place = hosting(guide, &record, rank).filter(|place| guide.places.is_in_area(*place, home));
        record.place = place.map_or(Cow::default(), |place| guide.places.rendered.id(place).into());
        record
    }

    /// When it takes place on a day: "19h30", "19h30–22h" or "16h, 20h–21h"; empty when it is not known. `time` writes
    /// an hour in the language of the page.
    pub(crate) fn hours(&self, time: fn(&str) -> String) -> String {
        hours([&self.start_time, &self.end_time], &self.sessions, time)
    }

    /// The start of the first session from a minute of the day on, else its own start, as `HH:MM`; empty if none is
    /// known.
    pub(crate) fn start_from(&self, minute: u16) -> Cow<'_, str> {
        let later = self.sessions.iter().find(|session| minute_of(session.start_time) >= minute);
        later.map_or_else(
            || Cow::Borrowed(&*self.start_time),
            |session| session.start_time.format("%H:%M").to_string().into(),
        )
    }

    /// When each of its sessions starts, and when it ends if that is known, in minutes from the midnight before; what
    /// ends after midnight ends on the day after.
    pub(crate) fn spans(&self) -> Vec<(u16, Option<u16>)> {
        let time = |text: &str| text.parse::<NaiveTime>().ok();
        let only = time(&self.start_time).map(|start| (start, time(&self.end_time)));
        let sessions = self.sessions.iter().map(|session| (session.start_time, session.end_time));
        let all: Vec<(NaiveTime, Option<NaiveTime>)> =
            if self.sessions.is_empty() { only.into_iter().collect() } else { sessions.collect() };
        let span = |(start, end): (NaiveTime, Option<NaiveTime>)| {
            let start = minute_of(start);
            let end = end.map(minute_of).map(|end| if end > start { end } else { end + MINUTES_A_DAY });
            (start, end)
        };
        all.into_iter().map(span).collect()
    }

    /// The last day on which it may be on. Pages are made by day, so that what ends after midnight is not over on the
    /// whole day after its last one.
    pub(crate) fn last_day(&self) -> Option<NaiveDate> {
        let last = self.end_date.or(self.date)?;
        let is_past_midnight = |(_, end): &(u16, Option<u16>)| end.is_some_and(|end| end > MINUTES_A_DAY);
        if self.spans().iter().any(is_past_midnight) { last.succ_opt() } else { Some(last) }
    }

    /// The narrowest area that is known.
    pub(crate) fn area(&self) -> &str {
        if self.neighbourhood.is_empty() { &self.region } else { &self.neighbourhood }
    }
}

/// The minute of the day at a time.
fn minute_of(time: NaiveTime) -> u16 {
    // at most 1,439
    u16::try_from(time.hour() * 60 + time.minute()).unwrap_or(u16::MAX)
}

/// The place that an event names as its venue, by its id or by its name.
fn hosting(guide: &Guide, event: &Record<'_>, rank: u32) -> Option<u32> {
    if !event.place.is_empty() {
        return guide.places.find(&event.place);
    }
    let is_here = |place: &u32| guide.events_at(*place).any(|event| event == rank);
    guide.places.named(&event.venue).filter(|_| !event.venue.is_empty()).find(is_here)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: &'static str, end: &'static str) -> Record<'static> {
        let date = NaiveDate::from_ymd_opt(2026, 11, 27);
        Record { date, start_time: start.into(), end_time: end.into(), ..Record::default() }
    }

    #[test]
    fn what_ends_after_midnight_ends_on_the_day_after() {
        for (start, end, span, day) in [
            ("22:00", "04:00", Some((1_320, Some(1_680))), 28),
            ("22:00", "00:00", Some((1_320, Some(1_440))), 27),
            ("10:00", "18:30", Some((600, Some(1_110))), 27),
            ("10:00", "", Some((600, None)), 27),
            ("", "", None, 27),
        ] {
            let record = at(start, end);
            assert_eq!(record.spans(), span.into_iter().collect::<Vec<_>>(), "{start} {end}");
            assert_eq!(record.last_day(), NaiveDate::from_ymd_opt(2026, 11, day), "{start} {end}");
        }
        let session = |start: &str, end: &str| {
            let time = |text: &str| text.parse().unwrap();
            Session { start_time: time(start), end_time: Some(time(end)) }
        };
        let sessions = vec![session("16:00", "18:00"), session("22:00", "02:00")];
        let record = Record { sessions, ..at("16:00", "18:00") };
        assert_eq!(record.last_day(), NaiveDate::from_ymd_opt(2026, 11, 28));
    }

    #[test]
    fn an_event_of_several_sessions_is_listed_with_the_first_of_the_part_of_the_day() {
        let session = |hour| {
            let start_time = NaiveTime::from_hms_opt(hour, 0, 0).unwrap();
            Session { start_time, end_time: None }
        };
        let record = Record { sessions: [10, 19, 21].map(session).into(), ..at("10:00", "") };
        for (minute, start) in [(0, "10:00"), (12 * 60, "19:00"), (20 * 60, "21:00"), (22 * 60, "10:00")] {
            assert_eq!(record.start_from(minute), start, "{minute}");
        }
        assert_eq!(at("10:00", "").start_from(18 * 60), "10:00");
    }
}
