//! Two curators edit one guide: each edit of either is in the merged guide or listed as a collision.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use chrono::NaiveDate;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};
use snapshots::{Collision, File, Files, Positions, Snapshot, check, demo, merge, pack, unpack};

fn today() -> NaiveDate {
    "2026-11-21".parse().unwrap()
}

/// The demo with a few of its records, so that two random edits often meet.
static BASE: LazyLock<Snapshot> = LazyLock::new(|| {
    let mut demo = check(&demo::files(), today()).unwrap();
    demo.places.truncate(4);
    demo.places[0].aliases = vec!["um".into(), "dois".into(), "três".into()];
    demo.events.truncate(3);
    demo.positions = Positions::default();
    demo.vocabulary.geography.regions.truncate(2);
    demo.vocabulary.addresses.codes.truncate(2);
    demo.vocabulary.taxonomy.categories.truncate(3);
    demo.vocabulary.synonyms.groups.truncate(2);
    demo
});

fn base() -> Snapshot {
    BASE.clone()
}

/// One edit of a record of `places` or `events`.
#[derive(Debug, Clone)]
enum Edit {
    Set(&'static str, Value),
    Remove(&'static str),
    AddText(&'static str, &'static str),
    RemoveText(&'static str, Index),
    RemoveRecord,
    AddRecord(&'static str),
}

fn edits() -> impl Strategy<Value = Vec<(bool, Index, Edit)>> {
    let texts = || select(vec!["a", "b", "c", "d"]);
    let edit = prop_oneof![
        (select(vec!["name", "style", "price", "start_time"]), texts()).prop_map(|(field, text)| {
            let value = if field == "start_time" {
                format!("1{}:00", text.len() + usize::from(text > "b"))
            } else {
                text.into()
            };
            Edit::Set(field, value.into())
        }),
        (texts(), texts()).prop_map(|(pt, en)| Edit::Set("description", json!({ "pt": pt, "en": en }))),
        (0..3).prop_map(|more| Edit::Set(
            "position",
            json!({ "lat": -15.8, "lon": -47.9 + f64::from(more) / 10.0, "precision_m": 50 })
        )),
        select(vec!["style", "price", "address", "description", "repeat"]).prop_map(Edit::Remove),
        texts().prop_map(|text| Edit::AddText("aliases", text)),
        any::<Index>().prop_map(|at| Edit::RemoveText("aliases", at)),
        Just(Edit::RemoveRecord),
        texts().prop_map(Edit::AddRecord),
    ];
    prop::collection::vec((any::<bool>(), any::<Index>(), edit), 0..6)
}

/// A snapshot after some edits, or nothing when they make a record that is none.
fn edited(base: &Snapshot, edits: &[(bool, Index, Edit)]) -> Snapshot {
    let mut lists =
        [serde_json::to_value(&base.places).unwrap(), serde_json::to_value(&base.events).unwrap()];
    for (is_place, at, edit) in edits {
        let list = lists[usize::from(!is_place)].as_array_mut().unwrap();
        if list.is_empty() {
            continue;
        }
        let at = at.index(list.len());
        match edit {
            Edit::RemoveRecord => drop(list.remove(at)),
            Edit::AddRecord(id) => {
                let mut new = list[at].clone();
                new["id"] = json!(format!("novo-{id}"));
                if !list.iter().any(|one| one["id"] == new["id"]) {
                    list.push(new);
                }
            }
            Edit::Set(field, value) => {
                // only places have some fields, and only events others
                let is_of_places = ["style", "description"].contains(field);
                let is_of_events = *field == "start_time";
                if (!is_of_places || *is_place) && (!is_of_events || !is_place) {
                    list[at][field] = value.clone();
                }
            }
            Edit::Remove(field) => {
                let record = list[at].as_object_mut().unwrap();
                if *field == "repeat" && record.remove("repeat").is_some() {
                    record.insert("date".into(), json!("2026-12-24"));
                }
                record.remove(*field);
            }
            Edit::AddText(field, text) => {
                let texts = list[at].as_object_mut().unwrap().entry(*field).or_insert_with(|| json!([]));
                let texts = texts.as_array_mut().unwrap();
                if !texts.contains(&json!(text)) {
                    texts.push(json!(text));
                }
            }
            Edit::RemoveText(field, at_text) => {
                if let Some(texts) = list[at].get_mut(*field).and_then(Value::as_array_mut)
                    && !texts.is_empty()
                {
                    texts.remove(at_text.index(texts.len()));
                }
            }
        }
    }
    let [places, events] = lists;
    let mut edited = base.clone();
    edited.places = serde_json::from_value(places).unwrap();
    edited.events = serde_json::from_value(events).unwrap();
    edited
}

/// The records of a list by id, as JSON.
fn records(snapshot: &Snapshot, file: File) -> Map<String, Value> {
    let list = match file {
        File::Places => serde_json::to_value(&snapshot.places),
        _ => serde_json::to_value(&snapshot.events),
    };
    let Value::Array(list) = list.unwrap() else { panic!("a list") };
    list.into_iter().map(|one| (one["id"].as_str().unwrap().to_owned(), one)).collect()
}

fn texts(value: Option<&Value>) -> BTreeSet<&str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Fails unless each change from `base` to `side` is in `merged` or collides.
fn nothing_is_lost(base: &Snapshot, side: &Snapshot, merged: &Snapshot, collisions: &[Collision]) {
    for file in [File::Places, File::Events] {
        let [was, is, now] = [base, side, merged].map(|snapshot| records(snapshot, file));
        let collides = |id: &str, field: Option<&str>| {
            collisions.iter().any(|one| {
                let begins = |path: &str| field.is_some_and(|field| path.split('.').next() == Some(field));
                one.file == file && one.id.as_deref() == Some(id) && one.field.as_deref().is_none_or(begins)
            })
        };
        for id in was.keys().chain(is.keys()) {
            let (Some(is), was) = (is.get(id), was.get(id)) else {
                assert!(!now.contains_key(id) || collides(id, None), "{id} was removed");
                continue;
            };
            let empty = Map::new();
            let was = was.and_then(Value::as_object).unwrap_or(&empty);
            let is = is.as_object().unwrap();
            for field in was.keys().chain(is.keys()).filter(|field| was.get(*field) != is.get(*field)) {
                if collides(id, Some(field)) {
                    continue;
                }
                let now = now.get(id).unwrap_or_else(|| panic!("{id} is gone")).get(field);
                if field == "aliases" {
                    let (was, is, now) = (texts(was.get(field)), texts(is.get(field)), texts(now));
                    assert!(is.difference(&was).all(|text| now.contains(text)), "{id}.{field}: added");
                    assert!(was.difference(&is).all(|text| !now.contains(text)), "{id}.{field}: removed");
                } else if let (Some(Value::Object(is)), Some(Value::Object(now)), "description") =
                    (is.get(field), now, field.as_str())
                {
                    let was = was.get(field).and_then(Value::as_object).unwrap_or(&empty);
                    for part in is.keys().filter(|part| was.get(*part) != is.get(*part)) {
                        assert_eq!(now.get(part), is.get(part), "{id}.{field}.{part}");
                    }
                } else {
                    assert_eq!(now, is.get(field), "{id}.{field}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn each_edit_of_either_side_is_merged_or_collides(mine in edits(), theirs in edits()) {
        let base = base();
        let (mine, theirs) = (edited(&base, &mine), edited(&base, &theirs));
        let merged = merge(&base, &mine, &theirs).unwrap();
        nothing_is_lost(&base, &mine, &merged.snapshot, &merged.collisions);
        nothing_is_lost(&base, &theirs, &merged.snapshot, &merged.collisions);
        // and nothing is invented: who changed nothing gets what the other side has
        prop_assert_eq!(&merge(&base, &base, &theirs).unwrap().snapshot.places.len(), &theirs.places.len());
        let same = merge(&base, &mine, &mine).unwrap();
        prop_assert!(same.collisions.is_empty());
        prop_assert_eq!(same.snapshot, mine);
    }
}

#[test]
fn the_vocabulary_is_merged_by_its_entries() {
    let base = base();
    let (mut mine, mut theirs) = (base.clone(), base.clone());
    mine.vocabulary.geography.regions[0].aliases.push("Plano A".into());
    mine.vocabulary.synonyms.groups[0].push("um".into());
    mine.not_listed.push("oficina".into());
    theirs.vocabulary.geography.regions[0].neighbourhoods[0].aliases.push("Asa N".into());
    theirs.vocabulary.geography.regions[0].aliases.push("O Plano".into());
    theirs.vocabulary.synonyms.groups[0].push("dois".into());
    theirs.vocabulary.taxonomy.categories[0].en = "Other".into();
    theirs.not_listed.push("desentupidora".into());
    let merged = merge(&base, &mine, &theirs).unwrap();
    assert_eq!(merged.collisions, []);
    let region = &merged.snapshot.vocabulary.geography.regions[0];
    assert!(["Plano A", "O Plano"].iter().all(|name| region.aliases.iter().any(|alias| alias == name)));
    assert!(region.neighbourhoods[0].aliases.iter().any(|alias| alias == "Asa N"));
    let group = &merged.snapshot.vocabulary.synonyms.groups[0];
    assert!(["um", "dois"].iter().all(|word| group.iter().any(|one| one == word)), "{group:?}");
    assert_eq!(merged.snapshot.vocabulary.taxonomy.categories[0].en, "Other");
    assert_eq!(merged.snapshot.not_listed.len(), base.not_listed.len() + 2);

    mine.vocabulary.taxonomy.categories[0].en = "Mine".into();
    let collisions = merge(&base, &mine, &theirs).unwrap().collisions;
    assert_eq!(collisions.len(), 1);
    assert_eq!((collisions[0].file, collisions[0].field.as_deref()), (File::Categories, Some("en")));
}

#[test]
fn two_orders_of_one_list_collide() {
    let base = base();
    let (mut mine, mut theirs) = (base.clone(), base.clone());
    theirs.places[0].aliases = ["três", "um", "dois"].map(str::to_owned).into();
    mine.places[0].aliases.push("quatro".into());
    let merged = merge(&base, &mine, &theirs).unwrap();
    assert_eq!(merged.collisions, []);
    assert_eq!(merged.snapshot.places[0].aliases, ["três", "quatro", "um", "dois"]);
    mine.places[0].aliases = ["dois", "um", "três"].map(str::to_owned).into();
    assert_eq!(merge(&base, &mine, &theirs).unwrap().collisions.len(), 1);
}

#[test]
fn a_half_of_a_position_is_no_position() {
    let base = base();
    let at = |lat: f64, lon: f64| {
        serde_json::from_value(json!({ "lat": lat, "lon": lon, "precision_m": 50 })).unwrap()
    };
    let mut with = [base.clone(), base.clone(), base.clone()];
    for (snapshot, (lat, lon)) in with.iter_mut().zip([(-15.8, -47.9), (-15.7, -47.9), (-15.8, -47.8)]) {
        snapshot.places[0].position = Some(at(lat, lon));
    }
    let [base, mine, theirs] = with;
    assert_eq!(merge(&base, &mine, &theirs).unwrap().collisions.len(), 1);
}

#[test]
fn a_snapshot_becomes_the_folder_it_was_made_of() {
    let packed = pack(&demo::files(), today()).unwrap();
    let snapshot = unpack(&packed.bytes, None).unwrap();
    let files: Files = snapshot.texts().unwrap().into_iter().collect();
    assert_eq!(check(&files, today()).unwrap(), snapshot);
    for day in ["2026-11-22", "2027-06-30", "2030-01-01"] {
        assert_eq!(pack(&files, day.parse().unwrap()).unwrap(), packed, "{day}");
    }
}

#[test]
fn the_days_on_which_both_finished_do_not_collide() {
    let finished = |at: &str| Snapshot { curated_at: at.into(), ..base() };
    // the evening of the 20th in Brasília is after the first hour of the 21st in UTC
    let (first, early, late) = (
        finished("2026-11-01T12:00:00-03:00"),
        finished("2026-11-21T01:00:00Z"),
        finished("2026-11-20T23:30:00-03:00"),
    );
    for (mine, theirs, expected) in
        [(&early, &late, &late), (&late, &early, &late), (&first, &early, &early), (&early, &first, &early)]
    {
        let merged = merge(&first, mine, theirs).unwrap();
        assert_eq!(merged.collisions, []);
        assert_eq!(merged.snapshot.curated_at, expected.curated_at);
    }
}
