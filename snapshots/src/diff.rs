//! The differences between two snapshots, and which of them look like mistakes.
//!
//! Records are matched by id; regions, neighbourhoods and categories by slug; address codes by code; groups of synonyms
//! by their first word.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use chrono::NaiveDate;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::series::{first_date, lasts};
use crate::vocabulary::Region;
use crate::{Event, Place, Snapshot};

/// By how many percent places or events may decrease without `--force`.
const MAX_FALL_PERCENT: usize = 20;

/// What changed from one snapshot to another.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Diff {
    /// Changes of places, by id.
    pub places: Changes,
    /// Changes of events, by id. One that repeats is one entry.
    pub events: Changes,
    /// Changes of regions, by slug, without their neighbourhoods.
    pub regions: Changes,
    /// Changes of neighbourhoods, by slug.
    pub neighbourhoods: Changes,
    /// Changes of categories, by slug.
    pub categories: Changes,
    /// Changes of address codes, by code.
    pub codes: Changes,
    /// Groups of synonyms, by their first word.
    pub synonyms: Changes,
    /// What else differs: `zones`, `wings`, `written`, `shared_terms`, `not_listed`, ...
    pub other: Vec<&'static str>,
}

impl Diff {
    /// Whether there is no difference.
    pub fn is_empty(&self) -> bool {
        self.sections().iter().all(|(_, changes)| changes.is_empty()) && self.other.is_empty()
    }

    fn sections(&self) -> [(&'static str, &Changes); 7] {
        [
            ("places", &self.places),
            ("events", &self.events),
            ("regions", &self.regions),
            ("neighbourhoods", &self.neighbourhoods),
            ("categories", &self.categories),
            ("address codes", &self.codes),
            ("synonyms", &self.synonyms),
        ]
    }
}

/// What changed in one list.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Changes {
    /// Only in the new snapshot.
    pub added: Vec<String>,
    /// Only in the old one.
    pub removed: Vec<String>,
    /// In both, and different.
    pub changed: Vec<Changed>,
}

impl Changes {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// An entry that differs between the snapshots.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changed {
    /// Its id, slug or code.
    pub id: String,
    /// The fields that differ.
    pub fields: Vec<FieldChange>,
}

/// A field that differs. A side without the field has no value.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldChange {
    /// The field, as a path: `links.website`.
    pub field: String,
    /// The old value.
    pub old: Option<Value>,
    /// The new value.
    pub new: Option<Value>,
}

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return write!(f, "no difference");
        }
        let mut separator = "";
        for (name, changes) in self.sections().into_iter().filter(|(_, changes)| !changes.is_empty()) {
            let Changes { added, removed, changed } = changes;
            let counts = (added.len(), removed.len(), changed.len());
            write!(f, "{separator}{name}: {} added, {} removed, {} changed", counts.0, counts.1, counts.2)?;
            added.iter().try_for_each(|id| write!(f, "\n  + {id}"))?;
            removed.iter().try_for_each(|id| write!(f, "\n  - {id}"))?;
            for Changed { id, fields } in changed {
                write!(f, "\n  ~ {id}")?;
                for FieldChange { field, old, new } in fields {
                    write!(f, "\n      {field}: {} -> {}", shown(old), shown(new))?;
                }
            }
            separator = "\n";
        }
        if !self.other.is_empty() {
            write!(f, "{separator}also changed: {}", self.other.join(", "))?;
        }
        Ok(())
    }
}

fn shown(value: &Option<Value>) -> String {
    value.as_ref().map_or_else(|| "(absent)".to_owned(), Value::to_string)
}

/// Compares two snapshots.
pub fn diff(old: &Snapshot, new: &Snapshot) -> Diff {
    let (was, is) = (&old.vocabulary, &new.vocabulary);
    let region = |region: &Region| Region { neighbourhoods: Vec::new(), ..region.clone() };
    let regions = |snapshot: &Snapshot| snapshot.vocabulary.geography.regions.iter().map(region).collect();
    let (old_regions, new_regions): (Vec<Region>, Vec<Region>) = (regions(old), regions(new));
    let other = [
        ("name", old.name != new.name),
        ("curated_at", old.curated_at != new.curated_at),
        ("not_listed", old.not_listed != new.not_listed),
        ("everywhere", was.geography.everywhere != is.geography.everywhere),
        ("outside", was.geography.outside != is.geography.outside),
        ("zones", was.geography.zones != is.geography.zones),
        ("wings", was.addresses.wings != is.addresses.wings),
        ("written", was.addresses.written != is.addresses.written),
        ("components", was.addresses.components != is.addresses.components),
        ("shared_terms", was.taxonomy.shared_terms != is.taxonomy.shared_terms),
        ("positions", old.positions != new.positions),
        ("map", old.map != new.map),
    ];
    Diff {
        places: changes(&old.places, &new.places, |place| &place.id),
        events: changes(&old.events, &new.events, |event| &event.id),
        regions: changes(&old_regions, &new_regions, |region| &region.slug),
        neighbourhoods: changes(&parts(old), &parts(new), |part| part.slug),
        categories: changes(&was.taxonomy.categories, &is.taxonomy.categories, |category| &category.slug),
        codes: changes(&was.addresses.codes, &is.addresses.codes, |code| &code.code),
        synonyms: changes(&groups(old), &groups(new), |group| group.words.first().map_or("", String::as_str)),
        other: other.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect(),
    }
}

/// A neighbourhood with its region, so that a move to another region is a change.
#[derive(PartialEq, Serialize)]
struct Part<'s> {
    slug: &'s str,
    name: &'s str,
    region: &'s str,
    aliases: &'s [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    part_of: Option<&'s str>,
}

fn parts(snapshot: &Snapshot) -> Vec<Part<'_>> {
    let regions = snapshot.vocabulary.geography.regions.iter();
    regions
        .flat_map(|region| {
            region.neighbourhoods.iter().map(|part| Part {
                slug: &part.slug,
                name: &part.name,
                region: &region.name,
                aliases: &part.aliases,
                part_of: part.part_of.as_deref(),
            })
        })
        .collect()
}

/// A group of synonyms as an entry with one field.
#[derive(PartialEq, Serialize)]
struct Group<'s> {
    words: &'s [String],
}

fn groups(snapshot: &Snapshot) -> Vec<Group<'_>> {
    snapshot.vocabulary.synonyms.groups.iter().map(|words| Group { words }).collect()
}

fn changes<T: PartialEq + Serialize>(old: &[T], new: &[T], key: fn(&T) -> &str) -> Changes {
    let by_key = |list| -> BTreeMap<&str, &T> {
        Iterator::map(<[T]>::iter(list), |entry| (key(entry), entry)).collect()
    };
    let (was, is) = (by_key(old), by_key(new));
    let only = |one: &BTreeMap<&str, &T>, other: &BTreeMap<&str, &T>| {
        one.keys().filter(|id| !other.contains_key(*id)).map(|id| (*id).to_owned()).collect()
    };
    let both = was.iter().filter_map(|(id, before)| Some((*id, *before, *is.get(id)?)));
    let changed = both.filter(|(_, before, after)| before != after).map(|(id, before, after)| Changed {
        id: id.to_owned(),
        fields: fields(&flat(before), &flat(after)),
    });
    Changes { added: only(&is, &was), removed: only(&was, &is), changed: changed.collect() }
}

fn fields(old: &BTreeMap<String, Value>, new: &BTreeMap<String, Value>) -> Vec<FieldChange> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let change = |field: &String| FieldChange {
        field: field.clone(),
        old: old.get(field).cloned(),
        new: new.get(field).cloned(),
    };
    names.into_iter().filter(|field| old.get(*field) != new.get(*field)).map(change).collect()
}

/// The fields of an entry by path. Lists are compared as a whole, because their order matters.
fn flat<T: Serialize>(entry: &T) -> BTreeMap<String, Value> {
    fn add(object: Map<String, Value>, inside: &str, all: &mut BTreeMap<String, Value>) {
        for (field, value) in object {
            match value {
                Value::Object(inner) => add(inner, &format!("{inside}{field}."), all),
                value => {
                    all.insert(format!("{inside}{field}"), value);
                }
            }
        }
    }
    let mut all = BTreeMap::new();
    // Entries are structs, which always become an object.
    if let Ok(Value::Object(object)) = serde_json::to_value(entry) {
        add(object, "", &mut all);
    }
    all
}

/// Changes that look like mistakes, one sentence each: places or events decrease by more than a fifth, or a region or
/// category that had records has none any more. Events that are over on the day `today` count on neither side: to clean
/// up is no mistake.
pub fn regressions(old: &SnapshotStats, new: &SnapshotStats, today: NaiveDate) -> Vec<String> {
    let mut regressions = Vec::new();
    let (old, new) = (old.on(today), new.on(today));
    let counts = [("places", old.places, new.places), ("events", old.events, new.events)];
    for (what, was, is) in counts {
        if is * 100 < was * (100 - MAX_FALL_PERCENT) {
            regressions.push(format!("{what} fall from {was} to {is}, by more than {MAX_FALL_PERCENT} %"));
        }
    }
    let used = [("region", &old.regions, &new.regions), ("category", &old.categories, &new.categories)];
    for (what, was, is) in used {
        for (name, count) in was.iter().filter(|(name, _)| !is.contains_key(*name)) {
            regressions
                .push(format!("{what} \"{name}\" had {count} places and events and has none any more"));
        }
    }
    regressions
}

/// The region and the category of a record.
type Of = (String, String);

/// How many records a snapshot has, by region and category: the input of [`regressions`]. A repeated event counts once,
/// and what is hidden does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotStats {
    places: BTreeMap<Of, usize>,
    /// By their last day too; without one they go on, as far as is known.
    events: BTreeMap<(Option<NaiveDate>, Of), usize>,
}

/// Those that are not over on a day.
struct StatsOfDay<'s> {
    places: usize,
    events: usize,
    regions: BTreeMap<&'s str, usize>,
    categories: BTreeMap<&'s str, usize>,
}

impl SnapshotStats {
    /// Counts a snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let (served_places, served_events) = served(snapshot);
        let (mut places, mut events) = (BTreeMap::new(), BTreeMap::new());
        for place in served_places {
            *places.entry((place.region.clone(), place.category.clone())).or_default() += 1;
        }
        let ends = Ends::of(snapshot);
        for event in served_events {
            let of = (event.region.clone(), event.category.clone());
            *events.entry((ends.last_day(event), of)).or_default() += 1;
        }
        Self { places, events }
    }

    fn on(&self, today: NaiveDate) -> StatsOfDay<'_> {
        let of_day = |last: &Option<NaiveDate>| last.is_none_or(|last| last >= today);
        let places = self.places.iter();
        let events =
            self.events.iter().filter(|((last, _), _)| of_day(last)).map(|((_, of), count)| (of, count));
        let mut stats =
            StatsOfDay { places: 0, events: 0, regions: BTreeMap::new(), categories: BTreeMap::new() };
        stats.places = places.clone().map(|(_, count)| count).sum();
        stats.events = events.clone().map(|(_, count)| count).sum();
        for ((region, category), count) in places.chain(events) {
            *stats.regions.entry(region).or_default() += count;
            *stats.categories.entry(category).or_default() += count;
        }
        stats
    }
}

/// The last days of events.
struct Ends<'s> {
    /// Of the dates of a repeated event of format 1, by their series.
    series: HashMap<&'s str, NaiveDate>,
}

impl<'s> Ends<'s> {
    fn of(snapshot: &'s Snapshot) -> Self {
        let mut series = HashMap::new();
        for event in &snapshot.events {
            if let Some(name) = event.series.as_deref() {
                let last = series.entry(name).or_insert(event.date);
                *last = event.end_date.unwrap_or(event.date).max(*last);
            }
        }
        Self { series }
    }

    /// The last day of an event; none when it has no end, or none that is said.
    fn last_day(&self, event: &Event) -> Option<NaiveDate> {
        if let Some(last) = event.series.as_deref().and_then(|name| self.series.get(name)) {
            return Some(*last);
        }
        let Some(repeat) = event.repeat.as_deref() else { return Some(event.end_date.unwrap_or(event.date)) };
        let until = if repeat.rule.is_some() { Some(repeat.until?) } else { first_date(event) };
        let last = repeat.dates.iter().copied().chain(until).max()?;
        last.checked_add_days(lasts(event))
    }
}

/// The records that are not hidden, of a series one.
fn served(snapshot: &Snapshot) -> (Vec<&Place>, Vec<&Event>) {
    let places = snapshot.places.iter().filter(|place| !place.is_hidden());
    let mut series = HashSet::new();
    let events = snapshot.events.iter().filter(|event| !event.is_hidden());
    // format 1 held the dates of a repeated event
    let events = events.filter(|event| event.series.as_deref().is_none_or(|one| series.insert(one)));
    (places.collect(), events.collect())
}

/// The ids of the records that are served of one snapshot and are not in the other, or not served, without events that
/// are over on the day `today`. The dates of a repeated event of format 1 are one record.
pub fn vanishing(old: &Snapshot, new: &Snapshot, today: NaiveDate) -> Vec<String> {
    let [(old_places, old_events), (new_places, new_events)] = [served_ids(old), served_ids(new)];
    let ends = Ends::of(old);
    let over = old.events.iter().filter(|event| ends.last_day(event).is_some_and(|last| last < today));
    let over: BTreeSet<&str> = over.map(|event| event.series.as_deref().unwrap_or(&event.id)).collect();
    let events = old_events.difference(&new_events).filter(|id| !over.contains(*id));
    old_places.difference(&new_places).chain(events).map(|id| (*id).to_owned()).collect()
}

fn served_ids(snapshot: &Snapshot) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let (places, events) = served(snapshot);
    let events = events.into_iter().map(|event| event.series.as_deref().unwrap_or(&event.id));
    (places.into_iter().map(|place| place.id.as_str()).collect(), events.collect())
}
