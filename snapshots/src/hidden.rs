//! What was hidden without a publication: `hidden.json` beside the pointer of a depot.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::Snapshot;
use crate::record::{Event, Place};
use crate::series::{days, split_date};

/// The records that are hidden until a publication says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hidden {
    /// Increases by one with each change.
    pub version: u64,
    /// Why, by the id of a place, of an event, or of one date of a repeated event (`<id>-YYYY-MM-DD`).
    #[serde(default)]
    pub records: BTreeMap<String, WhyHidden>,
    /// What was hidden and is not any more, by the same ids; at most a thousand, the latest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shown_again: BTreeMap<String, ShownAgain>,
}

/// How long a record stays hidden that is gone from the guide: a row that was lost by mistake comes back.
const HIDDEN_WHILE_GONE: TimeDelta = TimeDelta::days(31);

/// How many records that were hidden are remembered.
pub(crate) const MAX_SHOWN_AGAIN: usize = 1_000;

/// Why a record is hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhyHidden {
    /// The reason.
    pub reason: String,
    /// Who hid it.
    pub by: String,
    /// When.
    pub at: DateTime<Utc>,
    /// What its records said of themselves then, in the snapshot that was live.
    #[serde(default, skip_serializing_if = "SaidHidden::is_nothing")]
    pub said: SaidHidden,
    /// Since when no publication has had the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone_at: Option<DateTime<Utc>>,
}

impl WhyHidden {
    /// Until when a record that is gone stays hidden.
    pub fn hidden_while_gone(&self) -> Option<DateTime<Utc>> {
        self.gone_at?.checked_add_signed(HIDDEN_WHILE_GONE)
    }
}

/// What the records of an id say of themselves: whether they are hidden.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidHidden {
    /// The place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<bool>,
    /// The event, with all its dates if it repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<bool>,
}

impl SaidHidden {
    fn is_nothing(&self) -> bool {
        *self == SaidHidden::default()
    }
}

/// When a record was hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownAgain {
    /// From when on.
    pub hidden_at: DateTime<Utc>,
    /// Until when.
    pub at: DateTime<Utc>,
}

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A place.
    Place,
    /// An event, with all its dates if it repeats.
    Event,
    /// One date of an event that repeats.
    Date,
}

impl Hidden {
    /// Shows records again, and remembers that they were hidden.
    pub fn show_again(&mut self, ids: &[String], at: DateTime<Utc>) {
        for id in ids {
            if let Some(why) = self.records.remove(id) {
                self.shown_again.insert(id.clone(), ShownAgain { hidden_at: why.at, at });
            }
        }
        while self.shown_again.len() > MAX_SHOWN_AGAIN {
            let oldest = self.shown_again.iter().min_by_key(|(_, shown)| shown.at).map(|(id, _)| id.clone());
            oldest.map(|id| self.shown_again.remove(&id));
        }
    }

    /// Whether a place is hidden.
    pub(crate) fn holds_place(&self, id: &str) -> bool {
        self.records.contains_key(id)
    }

    /// Whether a dated event is hidden, by itself or with all dates of its series.
    pub(crate) fn holds_event(&self, event: &Event) -> bool {
        let holds = |id: &str| self.records.contains_key(id);
        // most of the time nothing is hidden, and a million events are asked for
        !self.records.is_empty() && (holds(&event.id) || event.series.as_deref().is_some_and(holds))
    }

    /// The ids that a publication shows again: each record of that id says itself whether it is hidden, and did not say
    /// so when it was hidden. A spreadsheet says "não" of every record, and means none of them. What is gone is
    /// forgotten after some time, and a date that is over of a series that is there at once.
    pub fn ended_by(&self, published: &Snapshot, at: DateTime<Utc>, day: NaiveDate) -> Vec<String> {
        let is_forgotten = |id: &str, why: &WhyHidden| {
            split_date(id).is_some_and(|(series, date)| date < day && published.has_series(series))
                || why.hidden_while_gone().is_some_and(|until| until <= at)
        };
        let is_ended = |(id, why): &(&String, &WhyHidden)| {
            let own = [
                published.place(id).map(|place| (why.said.place, place.hidden)),
                published.event(id, day).map(|event| (why.said.event, event.hidden)),
            ];
            let mut own = own.into_iter().flatten().peekable();
            match own.peek() {
                None => is_forgotten(id, why),
                Some(_) => own.all(|(before, now)| now.is_some() && now != before),
            }
        };
        self.records.iter().filter(is_ended).map(|(id, _)| id.clone()).collect()
    }

    /// The hidden ids of which a snapshot has no record.
    pub fn gone_from(&self, published: &Snapshot, day: NaiveDate) -> BTreeSet<String> {
        let is_gone = |id: &&String| published.place(id).is_none() && published.event(id, day).is_none();
        self.records.keys().filter(is_gone).cloned().collect()
    }

    /// Notes which records are gone from the guide and which are back; whether that is new.
    pub fn note_gone(&mut self, gone: &BTreeSet<String>, at: DateTime<Utc>) -> bool {
        let mut is_new = false;
        for (id, why) in &mut self.records {
            if gone.contains(id) != why.gone_at.is_some() {
                why.gone_at = gone.contains(id).then_some(at);
                is_new = true;
            }
        }
        is_new
    }
}

impl Snapshot {
    /// Without the records that are hidden, of repeated events those that are hidden with all dates.
    pub fn without(mut self, hidden: &Hidden) -> Self {
        self.places.retain(|place| !hidden.holds_place(&place.id));
        self.events.retain(|event| !hidden.holds_event(event));
        self
    }

    /// What an id names on a day; nothing when it is unknown. A place and an event may have the same id.
    pub fn kinds_of(&self, id: &str, day: NaiveDate) -> Vec<RecordKind> {
        let place = self.place(id).map(|_| RecordKind::Place);
        let event = self.event(id, day).map(|event| {
            let is_date = event.id != id && event.repeat.is_some();
            if is_date { RecordKind::Date } else { RecordKind::Event }
        });
        place.into_iter().chain(event).collect()
    }

    /// What the records of an id say of themselves on a day.
    pub fn says_hidden(&self, id: &str, day: NaiveDate) -> SaidHidden {
        SaidHidden {
            place: self.place(id).and_then(|place| place.hidden),
            event: self.event(id, day).and_then(|event| event.hidden),
        }
    }

    fn place(&self, id: &str) -> Option<&Place> {
        self.places.iter().find(|place| place.id == id)
    }

    /// Whether it has an event that repeats of this id.
    fn has_series(&self, id: &str) -> bool {
        let is_one = |event: &Event| event.id == id && event.repeat.is_some();
        self.events.iter().any(|event| is_one(event) || event.series.as_deref() == Some(id))
    }

    /// The event with an id, which may be that of one date of a repeated event.
    fn event(&self, id: &str, day: NaiveDate) -> Option<&Event> {
        let by_id = |event: &&Event| event.id == id || event.series.as_deref() == Some(id);
        self.events.iter().find(by_id).or_else(|| {
            let (series, date) = split_date(id)?;
            let repeats = |event: &&Event| event.id == series && event.repeat.is_some();
            let event = self.events.iter().find(repeats)?;
            days(event, day).contains(&date).then_some(event)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, check, demo};

    fn day() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 23).unwrap()
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000, 0).unwrap()
    }

    /// A guide with a bar and an event of one id, which say whether they are hidden.
    fn saying(place: &str, event: &str) -> Snapshot {
        let common = r#""id":"bar","name":"Bar","region":"Gama","category""#;
        let places = format!(r#"[{{{common}:"bar"{place}}}]"#);
        let events = format!(r#"[{{{common}:"show","date":"2026-12-05"{event}}}]"#);
        check(&demo::files().with(File::Places, places).with(File::Events, events), day()).unwrap()
    }

    fn hidden(said: SaidHidden) -> Hidden {
        let why = WhyHidden {
            reason: "closed".into(),
            by: "ana".into(),
            at: DateTime::default(),
            said,
            gone_at: None,
        };
        Hidden { records: BTreeMap::from([("bar".to_owned(), why)]), ..Hidden::default() }
    }

    #[test]
    fn a_hiding_ends_when_a_record_says_something_else_than_when_it_was_hidden() {
        const YES: &str = r#","hidden":true"#;
        const NO: &str = r#","hidden":false"#;
        for (before, after, ends) in [
            ("", "", false),
            ("", NO, true),
            ("", YES, true),
            (NO, NO, false),
            (NO, "", false),
            (NO, YES, true),
            (YES, YES, false),
            (YES, NO, true),
        ] {
            let list = hidden(saying(before, "").says_hidden("bar", day()));
            let places_alone = |place: &str| Snapshot { events: Vec::new(), ..saying(place, "") };
            assert_eq!(
                !list.ended_by(&places_alone(after), now(), day()).is_empty(),
                ends,
                "{before} {after}"
            );
        }
        // each record of the id says it
        let list = hidden(saying(NO, "").says_hidden("bar", day()));
        assert!(list.ended_by(&saying(NO, NO), now(), day()).is_empty());
        assert!(list.ended_by(&saying(YES, ""), now(), day()).is_empty());
        assert_eq!(list.ended_by(&saying(YES, NO), now(), day()), ["bar"]);
    }

    #[test]
    fn what_is_gone_stays_hidden_in_case_it_comes_back() {
        let mut list = hidden(SaidHidden::default());
        let gone = Snapshot { places: Vec::new(), events: Vec::new(), ..saying("", "") };
        assert!(list.ended_by(&gone, now(), day()).is_empty());
        let ids = list.gone_from(&gone, day());
        assert_eq!((list.note_gone(&ids, now()), list.note_gone(&ids, now())), (true, false));
        let days = |days| now() + TimeDelta::days(days);
        assert!(list.ended_by(&gone, days(30), day()).is_empty());
        assert!(list.ended_by(&saying("", ""), days(40), day()).is_empty(), "it is back");
        assert_eq!(list.ended_by(&gone, days(31), day()), ["bar"]);
        list.records.clear();
        assert!(!list.note_gone(&BTreeSet::new(), now()));
    }

    #[test]
    fn a_date_that_is_over_is_forgotten_at_once_where_its_series_is_there() {
        let why = hidden(SaidHidden::default()).records.remove("bar").unwrap();
        let records = BTreeMap::from([("bar-2026-11-22".to_owned(), why)]);
        let list = Hidden { records, ..Hidden::default() };
        let series = saying("", r#","repeat":{"rule":"FREQ=WEEKLY"}"#);
        assert_eq!(list.ended_by(&series, now(), day()), ["bar-2026-11-22"]);
        // a place, or an event of one day, may be called like that
        assert!(list.ended_by(&saying("", ""), now(), day()).is_empty());
    }

    #[test]
    fn what_an_earlier_release_has_hidden_is_read() {
        let text =
            r#"{"version":3,"records":{"bar":{"reason":"closed","by":"ana","at":"2026-11-21T15:00:00Z"}}}"#;
        let list: Hidden = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&list).unwrap(), text);
        assert_eq!(list.ended_by(&saying(r#","hidden":false"#, r#","hidden":false"#), now(), day()), ["bar"]);
    }
}
