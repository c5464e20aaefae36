//! The records of a snapshot that are served on a day: without those that are hidden or not shown on it, and with a
//! dated event for each date of a repeated one.

use std::collections::HashSet;

use chrono::NaiveDate;

use crate::hidden::Hidden;
use crate::record::{Event, Place, is_shown};
use crate::series::{days, lasts};
use crate::sizes::{Size, places_text};
use crate::{MAX_RECORDS, MAX_TEXT_BYTES, Snapshot};

/// The snapshot cannot be served on a day: its repeated events give more than the index can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "on {day} the repeated events give more than {} records or {} MiB of text in sum: publish fewer",
    MAX_RECORDS,
    MAX_TEXT_BYTES >> 20
)]
pub struct TooManyDates {
    /// The day.
    pub day: NaiveDate,
}

impl Snapshot {
    /// The records that are served on a day. Each repeated event becomes dated ones with the id `<id>-YYYY-MM-DD`, for
    /// the [`crate::recur::WINDOW_DAYS`] from that day on.
    pub fn on(mut self, day: NaiveDate, hidden: &Hidden) -> Result<Snapshot, TooManyDates> {
        self.retain_places(|place| {
            !hidden.holds_place(&place.id) && is_shown(place.hidden, place.show_from, place.show_until, day)
        });
        self.events.retain(|event| is_shown(event.hidden, event.show_from, event.show_until, day));
        let repeated: Vec<Event> = self.events.extract_if(.., |event| event.repeat.is_some()).collect();
        self.events.retain(|event| !hidden.holds_event(event));
        if repeated.is_empty() {
            return Ok(self);
        }
        let mut size = Size { records: self.places.len(), text: places_text(&self.places) };
        size = self.events.iter().map(Size::of_one).fold(size, Size::and);
        for event in &repeated {
            size = size.and(Size::of(event, day));
            // before anything is made of it, because a small file may ask for a billion dates
            if size.records > MAX_RECORDS || size.text > MAX_TEXT_BYTES {
                return Err(TooManyDates { day });
            }
        }
        for event in &repeated {
            self.events.extend(dated(event, day).filter(|event| !hidden.holds_event(event)));
        }
        self.events.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(self)
    }

    /// The records that are served on some day, or would be if nothing else hid them: as curators wrote them, a
    /// repeated event once.
    pub fn ever(mut self) -> Snapshot {
        self.retain_places(|place| !place.is_hidden());
        self.events.retain(|event| !event.is_hidden());
        self
    }

    /// Leaves out places. An event keeps the name of a venue that is left out, and loses its id.
    fn retain_places(&mut self, is_kept: impl Fn(&Place) -> bool) {
        let gone = self.places.extract_if(.., |place| !is_kept(place));
        let gone: HashSet<String> = gone.map(|place| place.id).collect();
        for event in &mut self.events {
            event.place.take_if(|place| gone.contains(place));
        }
    }

    /// Whether other records may be served on another day.
    pub fn depends_on_day(&self) -> bool {
        let windowed = |from: Option<NaiveDate>, until: Option<NaiveDate>| from.is_some() || until.is_some();
        self.places.iter().any(|place| windowed(place.show_from, place.show_until))
            || self
                .events
                .iter()
                .any(|event| event.repeat.is_some() || windowed(event.show_from, event.show_until))
    }
}

impl Event {
    /// The ids that it has on a day, from then on: its own, or one for each date of a repeated event.
    pub fn ids_on(&self, day: NaiveDate) -> Vec<String> {
        match self.repeat {
            None => vec![self.id.clone()],
            Some(_) => days(self, day).into_iter().map(|date| format!("{}-{date}", self.id)).collect(),
        }
    }
}

/// The dated events of a repeated one, all of the same length.
fn dated(event: &Event, from: NaiveDate) -> impl Iterator<Item = Event> {
    days(event, from).into_iter().map(|day| Event {
        id: format!("{}-{day}", event.id),
        series: Some(event.id.clone()),
        date: day,
        end_date: event.end_date.and_then(|_| day.checked_add_days(lasts(event))),
        repeat: None,
        ..event.clone()
    })
}
