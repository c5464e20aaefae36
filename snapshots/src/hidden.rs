//! What was hidden without a publication: `hidden.json` beside the pointer of a depot.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
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

    /// The ids that a publication shows again: each record of that id is gone, or says itself whether it is hidden.
    pub fn ended_by(&self, published: &Snapshot, day: NaiveDate) -> Vec<String> {
        let is_ended = |id: &&String| {
            let own = [
                published.place(id).map(|place| place.hidden),
                published.event(id, day).map(|event| event.hidden),
            ];
            own.into_iter().flatten().all(|hidden| hidden.is_some())
        };
        self.records.keys().filter(is_ended).cloned().collect()
    }
}

impl Snapshot {
    /// What an id names on a day; nothing when it is unknown. A place and an event may have the same id.
    pub fn kinds_of(&self, id: &str, day: NaiveDate) -> Vec<RecordKind> {
        let place = self.place(id).map(|_| RecordKind::Place);
        let event = self.event(id, day).map(|event| {
            let is_date = event.id != id && event.repeat.is_some();
            if is_date { RecordKind::Date } else { RecordKind::Event }
        });
        place.into_iter().chain(event).collect()
    }

    fn place(&self, id: &str) -> Option<&Place> {
        self.places.iter().find(|place| place.id == id)
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

    /// The known ids that are nearest to one that is not, at most three.
    pub fn nearest_ids(&self, id: &str) -> Vec<&str> {
        // the date of a series is compared without its date
        let (wanted, _) = split_date(id).unwrap_or((id, NaiveDate::MIN));
        let ids = self.places.iter().map(|place| &place.id).chain(self.events.iter().map(|event| &event.id));
        let mut near: Vec<(f64, &str)> = ids
            .map(|known| (strsim::jaro_winkler(wanted, known), known.as_str()))
            .filter(|(likeness, _)| *likeness > 0.8)
            .collect();
        near.sort_by(|(one, a), (two, b)| two.total_cmp(one).then(a.cmp(b)));
        near.dedup_by_key(|(_, id)| *id);
        near.into_iter().take(3).map(|(_, id)| id).collect()
    }
}
