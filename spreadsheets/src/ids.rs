//! Ids that stay: the one in the row, else the one that an earlier import gave, else a new one made of the name.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::columns::Column;
use crate::message::Message;
use crate::names::{Area, name_key};
use crate::problem::Problem;
use crate::records::Record;
use crate::table::Table;
use crate::text::slug;

/// The longest id that is made of a name: a date is appended to those of repeated events.
const MAX_MADE: usize = 60;

/// What an earlier import made of a row.
#[derive(Debug, Clone)]
pub(crate) struct Earlier {
    pub(crate) id: String,
    /// By [`name_key`].
    pub(crate) name: String,
    /// Where it is; unknown when it has neither a region nor a known place.
    area: Option<Area>,
    /// The first day, of several too.
    date: Option<String>,
}

/// The records of a file of the folder. What an event does not say of its area is that of its place, one of `places`.
pub(crate) fn earlier(records: &[Value], places: &[Value]) -> Vec<Earlier> {
    let places: HashMap<&str, &Value> =
        places.iter().filter_map(|place| Some((text(place, "id")?, place))).collect();
    let read = |record| {
        let place = text(record, "place").and_then(|id| places.get(id).copied());
        let listed = || record.get("repeat")?.get("dates")?.get(0)?.as_str();
        Some(Earlier {
            id: text(record, "id")?.to_owned(),
            name: name_key(text(record, "name").unwrap_or_default()),
            area: area_of(record, place),
            date: text(record, "date").or_else(listed).map(str::to_owned),
        })
    };
    records.iter().filter_map(read).collect()
}

fn text<'v>(record: &'v Value, field: &str) -> Option<&'v str> {
    record.get(field).and_then(Value::as_str)
}

fn area_of(record: &Value, place: Option<&Value>) -> Option<Area> {
    let of_place = |field| place.and_then(|place| text(place, field));
    let region = text(record, "region").or_else(|| of_place("region"))?;
    let around = || of_place("neighbourhood").filter(|_| of_place("region") == Some(region));
    let neighbourhood = text(record, "neighbourhood").or_else(around);
    Some(Area { region: region.to_owned(), neighbourhood: neighbourhood.map(str::to_owned) })
}

/// Gives every record of a kind its id.
pub(crate) fn assign(
    records: &mut [Record],
    earlier: &[Earlier],
    tables: &[Table],
    messages: &mut Vec<Message>,
) {
    let mut taken: HashSet<String> = HashSet::new();
    let mut report = |record: &Record, problem| {
        let Some(table) = tables.get(record.table) else { return };
        messages.push(Message::at(&table.label, record.row, table.named(Column::Id), problem));
    };
    let owners = owners(records, earlier);
    let mut open: Vec<usize> = Vec::new();
    for (at, record) in records.iter_mut().enumerate() {
        match (&record.typed_id, typed(record)) {
            (Some(in_cell), Some(id)) if owners.get(&id) == Some(&at) => {
                if *in_cell != id {
                    report(record, Problem::BadId { typed: in_cell.clone(), read: id.clone() });
                }
                taken.insert(id.clone());
                record.id = id;
            }
            _ => open.push(at),
        }
    }
    let mut exchanged = exchanged(records, earlier, &owners);
    if follow_names(records, earlier, &exchanged) {
        for at in std::mem::take(&mut exchanged) {
            report(&records[at], Problem::IdsFollowNames);
            taken.remove(&std::mem::take(&mut records[at].id));
            open.push(at);
        }
        open.sort_unstable();
    }
    for at in exchanged {
        report(&records[at], Problem::ExchangedId);
    }
    let copies = copies(records, &open, &owners);
    for at in match_earlier(records, earlier, &copies, &mut open, &mut taken) {
        let (record, read) = (&records[at], records[at].id.clone());
        match (record.typed_id.clone(), typed(record)) {
            (Some(typed), None) => report(record, Problem::BadId { typed, read }),
            // of an id that followed its name the row is told already
            (Some(typed), Some(id)) if owners.get(&id) != Some(&at) => {
                report(record, Problem::TwinId { typed, read });
            }
            _ => {}
        }
    }
    for (at, before) in changed(records, earlier, &taken) {
        let (before, now) = (before.to_owned(), records[at].id.clone());
        report(&records[at], Problem::IdChanged { before, now });
    }
    // The id of a record that vanishes is not given to another one.
    let old: HashSet<&str> = earlier.iter().map(|one| &*one.id).collect();
    for at in open {
        let id = made(&records[at], |id| !taken.contains(id) && !old.contains(id));
        if let Some(typed) = records[at].typed_id.clone() {
            report(&records[at], Problem::TwinId { typed, read: id.clone() });
        }
        taken.insert(id.clone());
        records[at].id = id;
    }
}

/// The id that is typed in a row, as it may be.
fn typed(record: &Record) -> Option<String> {
    record.typed_id.as_deref().map(valid).filter(|id| !id.is_empty())
}

/// The owner of each typed id, by number: of several rows the one that is called as the record was, else the first.
fn owners(records: &[Record], earlier: &[Earlier]) -> HashMap<String, usize> {
    let names: HashMap<&str, &str> = earlier.iter().map(|one| (&*one.id, &*one.name)).collect();
    let is_called_so =
        |id: &str, record: &Record| names.get(id).is_some_and(|name| *name == name_key(&record.name));
    let mut owners: HashMap<String, usize> = HashMap::new();
    for (at, record) in records.iter().enumerate() {
        let Some(id) = typed(record) else { continue };
        let owner = owners.get(&id).and_then(|owner| records.get(*owner));
        if owner.is_none_or(|owner| is_called_so(&id, record) && !is_called_so(&id, owner)) {
            owners.insert(id, at);
        }
    }
    owners
}

/// The rows, by number, whose id is that of another record of the folder than their name is, which no row keeps: rows
/// were sorted without their column of ids, or a cell of it was inserted or deleted.
fn exchanged(records: &[Record], earlier: &[Earlier], owners: &HashMap<String, usize>) -> Vec<usize> {
    let mut named: HashMap<&str, Vec<&str>> = HashMap::new();
    for one in earlier {
        named.entry(&one.name).or_default().push(&one.id);
    }
    let known: HashSet<&str> = earlier.iter().map(|one| &*one.id).collect();
    let keys: Vec<String> = records.iter().map(|record| name_key(&record.name)).collect();
    let is_kept = |id: &&str, key: &String| {
        owners.get(*id).and_then(|owner| keys.get(*owner)).is_some_and(|own| own == key)
    };
    let is_exchanged = |(id, at): (&String, &usize)| {
        let key = keys.get(*at)?;
        let ids = named.get(&**key).filter(|_| known.contains(&**id))?;
        let is_other = !ids.contains(&&**id) && !ids.iter().any(|id| is_kept(id, key));
        is_other.then_some(*at)
    };
    let mut rows: Vec<usize> = owners.iter().filter_map(is_exchanged).collect();
    rows.sort_unstable();
    rows
}

/// Whether rows have nothing but exchanged their ids: each of these is the one of another of them, or of a row without
/// an id. Then names say which is whose, as when a sheet was sorted without its column of ids.
fn follow_names(records: &[Record], earlier: &[Earlier], exchanged: &[usize]) -> bool {
    let without_id = records.iter().filter(|record| typed(record).is_none());
    let rows = exchanged.iter().filter_map(|at| records.get(*at));
    let names: HashSet<String> =
        rows.clone().chain(without_id).map(|record| name_key(&record.name)).collect();
    let name_of: HashMap<&str, &str> = earlier.iter().map(|one| (&*one.id, &*one.name)).collect();
    let is_of_them = |record: &Record| {
        typed(record).and_then(|id| name_of.get(&*id).copied()).is_some_and(|name| names.contains(name))
    };
    exchanged.len() > 1 && rows.clone().all(is_of_them)
}

/// The rows, by number, that are copies of the row to which their id belongs: another record of the same name.
fn copies(records: &[Record], open: &[usize], owners: &HashMap<String, usize>) -> HashSet<usize> {
    let is_copy = |at: &&usize| {
        let Some(record) = records.get(**at) else { return false };
        let owner = typed(record).and_then(|id| owners.get(&id).copied()).filter(|owner| owner != *at);
        let owner = owner.and_then(|owner| records.get(owner));
        owner.is_some_and(|owner| name_key(&owner.name) == name_key(&record.name))
    };
    open.iter().filter(is_copy).copied().collect()
}

/// The rows, by number, whose id the folder does not have, each with the one that it has under their name and in their
/// area, and that no row has any more.
fn changed<'e>(records: &[Record], earlier: &'e [Earlier], taken: &HashSet<String>) -> Vec<(usize, &'e str)> {
    let known: HashSet<&str> = earlier.iter().map(|one| &*one.id).collect();
    let mut left: HashMap<&str, Vec<&Earlier>> = HashMap::new();
    for one in earlier.iter().filter(|one| !taken.contains(&one.id)) {
        left.entry(&one.name).or_default().push(one);
    }
    let rows = records.iter().enumerate();
    let rows = rows.filter(|(_, record)| !record.id.is_empty() && !known.contains(&*record.id));
    let before = |(at, record): (usize, &Record)| {
        let named = left.get_mut(&*name_key(&record.name))?;
        let found = named.iter().position(|one| alike(one, record).is_some())?;
        Some((at, &*named.remove(found).id))
    };
    rows.filter_map(before).collect()
}

/// Gives the ids of records of the folder that no row names to rows without one, by name, area and date; returns the
/// numbers of these rows.
fn match_earlier(
    records: &mut [Record],
    earlier: &[Earlier],
    copies: &HashSet<usize>,
    open: &mut Vec<usize>,
    taken: &mut HashSet<String>,
) -> Vec<usize> {
    let mut matched = Vec::new();
    let mut free: HashMap<&str, Vec<&Earlier>> = HashMap::new();
    for one in earlier.iter().filter(|one| !taken.contains(&one.id)) {
        free.entry(&one.name).or_default().push(one);
    }
    // the closest first, so that a row does not take what is another's
    for closeness in (0..4).rev() {
        open.retain(|at| {
            let record = &mut records[*at];
            // a copy of a row with an id is another record
            if copies.contains(at) {
                return true;
            }
            let Some(named) = free.get_mut(&*name_key(&record.name)) else { return true };
            let Some(found) = named.iter().position(|one| alike(one, record) == Some(closeness)) else {
                return true;
            };
            record.id.clone_from(&named.remove(found).id);
            taken.insert(record.id.clone());
            matched.push(*at);
            false
        });
    }
    matched
}

/// How well a record of the folder fits a row of the same name, from 0; `None` when it is in another area.
fn alike(one: &Earlier, record: &Record) -> Option<usize> {
    let same_day = one.date == record.date.map(|day| day.to_string());
    let of_day = 2 * usize::from(same_day);
    let Some(area) = &one.area else { return Some(of_day) };
    if area.region != record.area.region {
        return None;
    }
    let parts = (&area.neighbourhood, &record.area.neighbourhood);
    let same_part = parts.0 == parts.1;
    if !same_part && parts.0.is_some() && parts.1.is_some() {
        return None;
    }
    Some(usize::from(same_part) + of_day)
}

/// The id as it may be: `a-z`, digits and hyphens.
fn valid(typed: &str) -> String {
    if snapshots::is_id(typed) { typed.to_owned() } else { slug(typed, MAX_MADE) }
}

/// A new id: the name, with the area when that is taken, with a number when that is taken too.
fn made(record: &Record, is_free: impl Fn(&str) -> bool) -> String {
    let name = slug(&record.name, MAX_MADE);
    let name = if name.is_empty() { slug(record.area.name(), MAX_MADE) } else { name };
    let name = if name.is_empty() { "registro".to_owned() } else { name };
    if is_free(&name) {
        return name;
    }
    let area = slug(record.area.name(), MAX_MADE / 2);
    let with_area = format!("{}-{area}", slug(&record.name, MAX_MADE - area.len() - 1));
    let base = if area.is_empty() || with_area.starts_with('-') { name } else { with_area };
    let numbered = (2_u64..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(|id| is_free(id)).unwrap_or(base)
}

/// The ids to write into each table: the rows whose id is another one than the cell has.
pub(crate) fn unwritten<'r>(
    records: impl Iterator<Item = &'r Record>,
    table: usize,
) -> Vec<(u32, String, String)> {
    let missing =
        records.filter(|record| record.table == table && record.typed_id.as_ref() != Some(&record.id));
    missing.map(|record| (record.row, record.id.clone(), record.name.clone())).collect()
}
