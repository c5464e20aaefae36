//! Which records differ between two snapshots, as clients see them. A record differs when its JSON would, which also
//! depends on other records and on positions, so that both snapshots are rendered and compared.

use std::collections::HashMap;

use chrono::NaiveDate;
use index::{BuildError, Guide};
use sha2::{Digest as _, Sha256};
use snapshots::{Event, Place, Snapshot};

use crate::domain::records::ByKind;

/// Enough of a hash to tell records of one id apart.
type Print = [u8; 16];

/// The records of a snapshot, as far as they are compared with those of another one: by id.
pub struct Prints(ByKind<HashMap<String, Printed>>);

struct Printed {
    print: Print,
    /// When it could be seen, if not on all days or if it repeats.
    seen: Option<Box<Seen>>,
}

impl Printed {
    fn new(hash: Sha256, seen: Seen) -> Printed {
        let is_plain = !seen.is_windowed() && seen.repeated.is_none();
        Printed { print: print(hash), seen: (!is_plain).then(|| Box::new(seen)) }
    }

    fn seen(&self, id: &str) -> Seen {
        let plain = || Seen { id: id.to_owned(), from: None, until: None, repeated: None };
        self.seen.as_deref().cloned().unwrap_or_else(plain)
    }
}

impl Prints {
    /// Renders the records of what a snapshot shows on some day ([`Snapshot::ever`]). A repeated event is one record.
    pub fn of(snapshot: &Snapshot) -> Result<Prints, BuildError> {
        let (mut places, mut events) = (HashMap::new(), HashMap::new());
        Guide::render_each(
            snapshot,
            |place, json| {
                let hash = Sha256::new_with_prefix(json);
                let also = format!("{:?}", (place.hidden, place.show_from, place.show_until));
                places.insert(place.id.clone(), Printed::new(hash.chain_update(also), Seen::from(place)));
            },
            |event, json| {
                let hash = Sha256::new_with_prefix(json);
                let also = format!("{:?}", (event.hidden, event.show_from, event.show_until, &event.repeat));
                events.insert(event.id.clone(), Printed::new(hash.chain_update(also), Seen::from(event)));
            },
        )?;
        Ok(Prints(ByKind { places, events }))
    }
}

fn print(hash: Sha256) -> Print {
    let mut print = Print::default();
    print.copy_from_slice(&hash.finalize()[..16]);
    print
}

/// When a record could be seen, and by which ids.
#[derive(Clone)]
pub(super) struct Seen {
    pub(super) id: String,
    pub(super) from: Option<NaiveDate>,
    pub(super) until: Option<NaiveDate>,
    /// Of an event that repeats, to know its dates.
    pub(super) repeated: Option<Box<Event>>,
}

impl From<&Place> for Seen {
    fn from(place: &Place) -> Seen {
        Seen { id: place.id.clone(), from: place.show_from, until: place.show_until, repeated: None }
    }
}

impl From<&Event> for Seen {
    fn from(event: &Event) -> Seen {
        let repeated = event.repeat.is_some().then(|| Box::new(event.clone()));
        Seen { id: event.id.clone(), from: event.show_from, until: event.show_until, repeated }
    }
}

impl Seen {
    /// Whether it is not shown on all days.
    pub(super) fn is_windowed(&self) -> bool {
        self.from.is_some() || self.until.is_some()
    }

    /// Whether it is shown on one of the days.
    pub(super) fn is_shown_within(&self, first: NaiveDate, last: NaiveDate) -> bool {
        let first = self.from.map_or(first, |from| from.max(first));
        let last = self.until.map_or(last, |until| until.min(last));
        first <= last
    }

    /// Its ids from a day on.
    pub(super) fn ids_on(&self, day: NaiveDate) -> Vec<String> {
        self.repeated.as_ref().map_or_else(|| vec![self.id.clone()], |event| event.ids_on(day))
    }

    /// The ids that it had on a day or until another one: dates of a repeated event come into sight while days pass.
    pub(super) fn ids_within(&self, first: NaiveDate, last: NaiveDate) -> Vec<String> {
        let mut ids = self.ids_on(first);
        if self.repeated.is_some() && first < last {
            ids.extend(self.ids_on(last));
        }
        ids
    }
}

/// A record that differs.
pub(super) struct Difference {
    pub(super) id: String,
    /// What it was; none if it is new.
    pub(super) before: Option<Seen>,
}

/// The records that differ from one snapshot to the next.
#[derive(Default)]
pub struct Delta(pub(super) ByKind<Vec<Difference>>);

impl Delta {
    /// Compares two snapshots.
    pub fn between(before: &Prints, after: &Prints) -> Delta {
        Delta(ByKind {
            places: differences(&before.0.places, &after.0.places),
            events: differences(&before.0.events, &after.0.events),
        })
    }
}

fn differences(before: &HashMap<String, Printed>, after: &HashMap<String, Printed>) -> Vec<Difference> {
    let is_other = |(id, old): &(&String, &Printed)| after.get(*id).is_none_or(|new| new.print != old.print);
    let old = before.iter().filter(is_other);
    let mut all: Vec<Difference> =
        old.map(|(id, old)| Difference { id: id.clone(), before: Some(old.seen(id)) }).collect();
    let new = after.keys().filter(|id| !before.contains_key(*id));
    all.extend(new.map(|id| Difference { id: id.clone(), before: None }));
    all
}
