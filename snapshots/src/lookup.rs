//! Finds records by what people call them, where an id is asked for.

use chrono::NaiveDate;

use crate::Snapshot;
use crate::hidden::RecordKind;
use crate::record::{Event, NO_DATE, Place};
use crate::series::split_date;
use crate::text::folded;

/// From what likeness on a name or an id is near to another.
const NEAR: f64 = 0.8;

/// How many near records are named.
const NEAREST: usize = 5;

/// A record by which a name is told from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedRecord<'s> {
    /// A place or an event.
    pub kind: RecordKind,
    /// Its id; of an event of format 1 that repeats, that of all its dates.
    pub id: &'s str,
    /// Its name.
    pub name: &'s str,
    /// Its neighbourhood, or its region.
    pub area: &'s str,
    /// The (first) day of an event that has one.
    pub date: Option<NaiveDate>,
    aliases: &'s [String],
}

impl<'s> NamedRecord<'s> {
    fn of_place(place: &'s Place) -> Self {
        Self {
            kind: RecordKind::Place,
            id: &place.id,
            name: &place.name,
            area: place.neighbourhood.as_ref().unwrap_or(&place.region),
            date: None,
            aliases: &place.aliases,
        }
    }

    fn of_event(event: &'s Event) -> Self {
        Self {
            kind: RecordKind::Event,
            id: event.series.as_ref().unwrap_or(&event.id),
            name: &event.name,
            area: event.neighbourhood.as_ref().unwrap_or(&event.region),
            date: Some(event.date).filter(|date| *date != NO_DATE),
            aliases: &event.aliases,
        }
    }

    /// How like a typed name or id is to it; more than 1 when the typed words are among those of its name.
    fn likeness(&self, typed: &str, typed_id: &str) -> f64 {
        let name = folded(self.name);
        let within = if typed.chars().count() > 3 && name.contains(typed) { 1.0 } else { 0.0 };
        let near = strsim::jaro_winkler(typed, &name).max(strsim::jaro_winkler(typed_id, self.id));
        within + near
    }
}

impl Snapshot {
    /// All records by name; the dates of a repeated event once.
    fn named(&self) -> impl Iterator<Item = NamedRecord<'_>> {
        let places = self.places.iter().map(NamedRecord::of_place);
        places.chain(self.events.iter().map(NamedRecord::of_event))
    }

    /// The records that have a name or an alias, whatever its accents and case.
    pub fn called(&self, name: &str) -> Vec<NamedRecord<'_>> {
        let wanted = folded(name.trim());
        let is_one = |record: &NamedRecord<'_>| {
            folded(record.name) == wanted || record.aliases.iter().any(|alias| folded(alias) == wanted)
        };
        let mut found: Vec<NamedRecord<'_>> = self.named().filter(is_one).collect();
        found.dedup_by_key(|record| (record.kind, record.id));
        found
    }

    /// The records whose name or id is near to one that none has.
    pub fn nearest_records(&self, typed: &str) -> Vec<NamedRecord<'_>> {
        // the date of a series is compared without its date
        let (typed_id, _) = split_date(typed).unwrap_or((typed, NaiveDate::MIN));
        let wanted = folded(typed.trim());
        let all = self.named().map(|record| (record.likeness(&wanted, typed_id), record));
        let mut near: Vec<_> = all.filter(|(likeness, _)| *likeness > NEAR).collect();
        near.sort_by(|(one, a), (two, b)| two.total_cmp(one).then(a.id.cmp(b.id)));
        near.dedup_by_key(|(_, record)| (record.kind, record.id));
        near.into_iter().take(NEAREST).map(|(_, record)| record).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, check, demo};

    fn snapshot() -> Snapshot {
        let place = |id: &str, name: &str, more: &str| {
            format!(
                r#"{{"id": "{id}", "name": "{name}", "region": "Plano Piloto", "category": "boteco"{more}}}"#
            )
        };
        let places = [
            place("bar-do-ze", "Bar do Zé", r#", "neighbourhood": "Asa Norte""#),
            place("bar-do-ze-2", "Bar do Zé", r#", "neighbourhood": "Asa Sul""#),
            place("cafe", "Café Central", r#", "aliases": ["Cafezinho"]"#),
        ];
        let events = r#"[{"id": "roda", "name": "Roda de choro", "region": "Plano Piloto", "category": "jazz",
            "repeat": {"rule": "FREQ=WEEKLY;BYDAY=SU"}}]"#;
        let files =
            demo::files().with(File::Places, format!("[{}]", places.join(","))).with(File::Events, events);
        check(&files, NaiveDate::from_ymd_opt(2026, 11, 23).unwrap()).unwrap()
    }

    #[test]
    fn records_are_found_by_name_and_alias_and_told_apart() {
        let snapshot = snapshot();
        let ids =
            |name: &str| snapshot.called(name).iter().map(|record| record.id.to_owned()).collect::<Vec<_>>();
        assert_eq!(ids("bar do ze"), ["bar-do-ze", "bar-do-ze-2"]);
        assert_eq!(snapshot.called("Bar do Zé")[1].area, "Asa Sul");
        assert_eq!(ids("CAFEZINHO"), ["cafe"]);
        assert_eq!(
            (ids("roda de choro"), snapshot.called("Roda de choro")[0].date),
            (vec!["roda".into()], None)
        );
        assert!(ids("bar").is_empty());
    }

    #[test]
    fn what_is_near_comes_with_the_nearest_first() {
        let snapshot = snapshot();
        let first = |typed: &str| snapshot.nearest_records(typed).first().map(|record| record.id.to_owned());
        assert_eq!(first("cafe centrall").as_deref(), Some("cafe"));
        assert_eq!(first("choro").as_deref(), Some("roda"), "words of a name");
        assert_eq!(first("rodas-2026-11-29").as_deref(), Some("roda"), "an id, without its date");
        assert_eq!(first("xyz"), None);
    }
}
