//! Merges what two curators changed since the snapshot that both began from.
//!
//! Records and entries of the vocabulary are matched by their id, slug or code, and their fields are compared one by
//! one. A list of texts is a set in an order: what either side added is added, what either removed is removed. What
//! both sides changed in different ways is a collision.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use chrono::DateTime;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::Snapshot;
use crate::file::File;
use crate::folder::Files;

/// What both sides changed in different ways.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Collision {
    /// The file.
    pub file: File,
    /// The id, slug or code of the entry; `None` when the file itself collides.
    pub id: Option<String>,
    /// The field, as a path; `None` when one side removed the whole entry.
    pub field: Option<String>,
    /// What both began from.
    pub base: Option<Value>,
    /// What the folder says.
    pub mine: Option<Value>,
    /// What the other side published.
    pub theirs: Option<Value>,
}

impl fmt::Display for Collision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, id, field, base, mine, theirs } = self;
        write!(f, "{file}")?;
        for part in [id, field].into_iter().flatten() {
            write!(f, ": {part}")?;
        }
        let shown = |value: &Option<Value>| match value {
            None => "(absent)".to_owned(),
            Some(value) => value.to_string(),
        };
        write!(f, ": was {}, is {} here and {} live", shown(base), shown(mine), shown(theirs))
    }
}

/// The folder with the changes of both sides.
#[derive(Debug, Clone)]
pub struct Merged {
    /// The snapshot. It must be checked like any other: two changes that are right may be wrong together.
    pub snapshot: Snapshot,
    /// What could not be merged; there the snapshot says what the folder says.
    pub collisions: Vec<Collision>,
}

/// Merges `mine` and `theirs`, which both began from `base`.
pub fn merge(base: &Snapshot, mine: &Snapshot, theirs: &Snapshot) -> serde_json::Result<Merged> {
    let mut collisions = Vec::new();
    let mut merged = |file: File, part: fn(&Snapshot) -> serde_json::Result<Value>| {
        let sides = [part(base)?, part(mine)?, part(theirs)?];
        let mut merger = Merger { file, id: None, path: Vec::new(), collisions: &mut collisions };
        let [base, mine, theirs] = sides.each_ref().map(Some);
        Ok::<_, serde_json::Error>(merger.value("", base, mine, theirs).unwrap_or(Value::Null))
    };
    let guide = merged(File::Guide, |snapshot| {
        let Snapshot { name, not_listed, .. } = snapshot;
        Ok(serde_json::json!({ "name": name, "not_listed": not_listed }))
    })?;
    let geography = merged(File::Regions, |snapshot| serde_json::to_value(&snapshot.vocabulary.geography))?;
    let addresses =
        merged(File::AddressCodes, |snapshot| serde_json::to_value(&snapshot.vocabulary.addresses))?;
    let taxonomy = merged(File::Categories, |snapshot| serde_json::to_value(&snapshot.vocabulary.taxonomy))?;
    let synonyms = merged(File::Synonyms, |snapshot| serde_json::to_value(&snapshot.vocabulary.synonyms))?;
    let positions = merged(File::Positions, |snapshot| serde_json::to_value(&snapshot.positions))?;
    let map = merged(File::Map, |snapshot| serde_json::to_value(&snapshot.map))?;
    let places = merged(File::Places, |snapshot| serde_json::to_value(&snapshot.places))?;
    let events = merged(File::Events, |snapshot| serde_json::to_value(&snapshot.events))?;
    let mut snapshot = mine.clone();
    snapshot.name = read(guide["name"].clone())?;
    snapshot.curated_at = curated_at(base, mine, theirs);
    snapshot.not_listed = guide.get("not_listed").cloned().map(read).transpose()?.unwrap_or_default();
    snapshot.vocabulary.geography = read(geography)?;
    snapshot.vocabulary.addresses = read(addresses)?;
    snapshot.vocabulary.taxonomy = read(taxonomy)?;
    snapshot.vocabulary.synonyms = read(synonyms)?;
    snapshot.positions = read(positions)?;
    snapshot.map = read(map)?;
    snapshot.places = read(places)?;
    snapshot.events = read(events)?;
    Ok(Merged { snapshot, collisions })
}

/// When the merged guide was finished: what one side wrote, of both the later. Both write it, so that it never
/// collides.
fn curated_at(base: &Snapshot, mine: &Snapshot, theirs: &Snapshot) -> String {
    let moment = |snapshot: &Snapshot| DateTime::parse_from_rfc3339(&snapshot.curated_at).ok();
    let is_theirs = theirs.curated_at != base.curated_at
        && (mine.curated_at == base.curated_at || moment(theirs) > moment(mine));
    if is_theirs { theirs.curated_at.clone() } else { mine.curated_at.clone() }
}

impl Merged {
    /// Puts places and events into the order that they have in a folder; new ones come last.
    pub fn order_like(&mut self, files: &Files) {
        let order = |file| {
            let text = files.text(file).unwrap_or_default();
            let entries: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
            let ids = entries.iter().filter_map(|entry| Some(entry.get("id")?.as_str()?.to_owned()));
            ids.enumerate().map(|(at, id)| (id, at)).collect::<HashMap<String, usize>>()
        };
        let (places, events) = (order(File::Places), order(File::Events));
        let at = |order: &HashMap<String, usize>, id: &str| order.get(id).copied().unwrap_or(usize::MAX);
        self.snapshot.places.sort_by_key(|place| at(&places, &place.id));
        self.snapshot.events.sort_by_key(|event| at(&events, &event.id));
    }
}

/// Reads what was a value of that type before it was merged.
fn read<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    serde_json::from_value(value)
}

/// The field that names the entries of a list.
fn key_field(file: File, list: &str) -> Option<&'static str> {
    Some(match (file, list) {
        (File::Places | File::Events, "") => "id",
        (File::Regions, "zones" | "regions" | "neighbourhoods") => "slug",
        (File::AddressCodes, "codes") => "code",
        (File::AddressCodes, "wings") => "neighbourhood",
        (File::AddressCodes, "written") => "text",
        (File::Categories, "categories") => "slug",
        (File::Categories, "shared_terms") => "term",
        (File::Positions, "areas") => "area",
        (File::Positions, "blocks") => "address",
        (File::Positions, "landmarks") => "name",
        _ => return None,
    })
}

/// Objects whose fields mean nothing alone: a latitude of one side with the longitude of the other is a third place.
const WHOLE: [&str; 2] = ["position", "bounds"];

type Side<'v> = Option<&'v Value>;

struct Merger<'c> {
    file: File,
    /// The entry that is merged.
    id: Option<String>,
    /// The fields from the entry down.
    path: Vec<String>,
    collisions: &'c mut Vec<Collision>,
}

impl Merger<'_> {
    /// The value of the field `name`; `None` when it is to be absent.
    fn value(&mut self, name: &str, base: Side<'_>, mine: Side<'_>, theirs: Side<'_>) -> Option<Value> {
        if mine == theirs || theirs == base {
            return mine.cloned();
        }
        if mine == base {
            return theirs.cloned();
        }
        let sides = [base, mine, theirs];
        let absent_or = |is: fn(&Value) -> bool| {
            sides.iter().flatten().all(|side| is(side)) && sides.iter().flatten().count() >= 2
        };
        if absent_or(Value::is_object) && !WHOLE.contains(&name) {
            let empty = Map::new();
            let [base, mine, theirs] = sides.map(|side| side.and_then(Value::as_object).unwrap_or(&empty));
            let fields = self.fields(base, mine, theirs);
            return (!fields.is_empty()).then(|| fields.into());
        }
        if absent_or(Value::is_array) {
            let lists = sides.map(|side| side.and_then(Value::as_array).map_or(&[][..], Vec::as_slice));
            if let Some(merged) = self.list(name, lists) {
                let is_needed = !merged.is_empty() || sides.iter().all(Option::is_some);
                return is_needed.then(|| merged.into());
            }
        }
        self.collide(base, mine, theirs);
        mine.cloned()
    }

    fn fields(
        &mut self,
        base: &Map<String, Value>,
        mine: &Map<String, Value>,
        theirs: &Map<String, Value>,
    ) -> Map<String, Value> {
        let names: BTreeSet<&String> = base.keys().chain(mine.keys()).chain(theirs.keys()).collect();
        let mut merged = Map::new();
        for name in names {
            self.path.push(name.clone());
            let value = self.value(name, base.get(name), mine.get(name), theirs.get(name));
            self.path.pop();
            merged.extend(value.map(|value| (name.clone(), value)));
        }
        merged
    }

    /// The merged list; `None` when its entries cannot be told apart.
    fn list(&mut self, name: &str, lists: [&[Value]; 3]) -> Option<Vec<Value>> {
        let file = self.file;
        let key = move |entry: &Value| match entry {
            Value::String(text) => Some(text.clone()),
            Value::Object(_) => Some(entry.get(key_field(file, name)?)?.as_str()?.to_owned()),
            // a group of synonyms
            Value::Array(words) if file == File::Synonyms => Some(words.first()?.as_str()?.to_owned()),
            _ => None,
        };
        let keyed = |list: &[Value]| {
            let keys: Option<Vec<String>> = list.iter().map(key).collect();
            keys.filter(|keys| keys.iter().collect::<BTreeSet<_>>().len() == keys.len())
        };
        let keys = [keyed(lists[0])?, keyed(lists[1])?, keyed(lists[2])?];
        let by_key =
            |side: usize| -> HashMap<&String, &Value> { keys[side].iter().zip(lists[side]).collect() };
        let entries = [by_key(0), by_key(1), by_key(2)];
        let mut merged: BTreeMap<&String, Value> = BTreeMap::new();
        for key in keys.iter().flatten().collect::<BTreeSet<_>>() {
            let [base, mine, theirs] = entries.each_ref().map(|side| side.get(key).copied());
            merged.extend(self.entry(key, base, mine, theirs).map(|entry| (key, entry)));
        }
        let order = self.order(&keys, &merged.keys().copied().collect());
        Some(order.into_iter().filter_map(|key| merged.remove(key)).collect())
    }

    /// One entry of a list.
    fn entry(&mut self, key: &str, base: Side<'_>, mine: Side<'_>, theirs: Side<'_>) -> Option<Value> {
        if mine == theirs || theirs == base {
            return mine.cloned();
        }
        if mine == base {
            return theirs.cloned();
        }
        let before = (self.id.replace(key.to_owned()), std::mem::take(&mut self.path));
        let merged = match (mine, theirs) {
            (Some(Value::Object(mine)), Some(Value::Object(theirs))) => {
                let empty = Map::new();
                let base = base.and_then(Value::as_object).unwrap_or(&empty);
                Some(self.fields(base, mine, theirs).into())
            }
            (Some(Value::Array(mine)), Some(Value::Array(theirs))) => {
                let base = base.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let list = self.list("words", [base, mine, theirs]);
                Some(list.unwrap_or_else(|| mine.clone()).into())
            }
            _ => {
                self.collide(base, mine, theirs);
                mine.cloned()
            }
        };
        (self.id, self.path) = before;
        merged
    }

    /// The order of the keys `of` a merged list: that of the side that changed the order, with the additions of the
    /// other one after the entry that they follow there.
    fn order<'k>(&mut self, keys: &'k [Vec<String>; 3], of: &BTreeSet<&String>) -> Vec<&'k String> {
        let [base, mine, theirs] =
            keys.each_ref().map(|side| side.iter().filter(|key| of.contains(*key)).collect::<Vec<&String>>());
        let common = |one: &[&'k String], other: &[&'k String]| -> Vec<&'k String> {
            let other: BTreeSet<_> = other.iter().copied().collect();
            one.iter().copied().filter(|key| other.contains(key)).collect()
        };
        let is_reordered = |side: &[&'k String]| common(&base, side) != common(side, &base);
        let (mine_is, theirs_is) = (is_reordered(&mine), is_reordered(&theirs));
        if mine_is && theirs_is && common(&mine, &theirs) != common(&theirs, &mine) {
            let value = |side: &[&String]| {
                Some(Value::from(side.iter().map(|key| (*key).clone()).collect::<Vec<_>>()))
            };
            let (base, mine, theirs) = (value(&base), value(&mine), value(&theirs));
            self.path.push("order".to_owned());
            self.collide(base.as_ref(), mine.as_ref(), theirs.as_ref());
            self.path.pop();
        }
        let (mut order, other) = if theirs_is && !mine_is { (theirs, mine) } else { (mine, theirs) };
        let mut known: BTreeSet<&String> = order.iter().copied().collect();
        if other.iter().all(|key| known.contains(*key)) {
            return order;
        }
        // what follows each entry, so that a long list is not searched for each addition
        let mut after: HashMap<Option<&String>, Vec<&'k String>> = HashMap::new();
        let mut last = None;
        for key in other {
            if known.insert(key) {
                after.entry(last).or_default().push(key);
            } else {
                last = Some(key);
            }
        }
        let mut merged = after.remove(&None).unwrap_or_default();
        for key in order.drain(..) {
            merged.push(key);
            merged.extend(after.remove(&Some(key)).unwrap_or_default());
        }
        merged
    }

    fn collide(&mut self, base: Side<'_>, mine: Side<'_>, theirs: Side<'_>) {
        self.collisions.push(Collision {
            file: self.file,
            id: self.id.clone(),
            field: (!self.path.is_empty()).then(|| self.path.join(".")),
            base: base.cloned(),
            mine: mine.cloned(),
            theirs: theirs.cloned(),
        });
    }
}
