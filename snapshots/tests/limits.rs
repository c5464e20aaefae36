//! Snapshots that the index could not number or hold are refused with a defect.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use serde_json::{Value, json};
use snapshots::{
    Defects, File, MAX_BLOCKS, MAX_CATEGORIES, MAX_CODES, MAX_LANDMARKS, MAX_NESTING, MAX_NOT_LISTED,
    MAX_SUGGESTIONS, MAX_SYNONYM_GROUPS, check, demo,
};

/// Checks the demo with one of its files changed.
fn check_with(file: File, change: impl FnOnce(&mut Value)) -> Result<snapshots::Snapshot, Defects> {
    let files = demo::files();
    let mut json = serde_json::from_str(files.text(file).unwrap()).unwrap();
    change(&mut json);
    check(&files.with(file, json.to_string()), "2026-11-21".parse().unwrap())
}

fn neighbourhoods(count: usize) -> impl FnOnce(&mut Value) {
    move |json| {
        let list = json["regions"][0]["neighbourhoods"].as_array_mut().unwrap();
        list.extend((0..count).map(|n| json!({ "slug": format!("vila-{n}"), "name": format!("Vila {n}") })));
    }
}

fn nested_neighbourhoods(depth: usize) -> impl FnOnce(&mut Value) {
    move |json| {
        let list = json["regions"][0]["neighbourhoods"].as_array_mut().unwrap();
        list.push(json!({ "slug": "vila-0", "name": "Vila 0" }));
        list.extend((1..=depth).map(|n| {
            json!({ "slug": format!("vila-{n}"), "name": format!("Vila {n}"), "part_of": format!("Vila {}", n - 1) })
        }));
    }
}

fn only_defect(result: Result<snapshots::Snapshot, Defects>) -> String {
    let defects = result.unwrap_err();
    assert_eq!(defects.listed.len(), 1, "{defects}");
    defects.to_string()
}

#[test]
fn more_areas_than_the_index_can_number_are_a_defect() {
    let defect = only_defect(check_with(File::Regions, neighbourhoods(66_000)));
    assert_eq!(defect, "regions.json: holds 66258 zones, regions and neighbourhoods; keep at most 65000");
    assert!(check_with(File::Regions, neighbourhoods(64_000)).is_ok());
}

#[test]
fn more_categories_than_the_index_can_number_are_a_defect() {
    let defect = only_defect(check_with(File::Categories, |json| {
        let list = json["categories"].as_array_mut().unwrap();
        list.extend((list.len()..=MAX_CATEGORIES).map(
            |n| json!({ "slug": format!("c-{n}"), "pt": format!("C {n}"), "en": format!("C {n}"), "kind": "both" }),
        ));
    }));
    assert_eq!(defect, "categories.json: holds 1001 categories; keep at most 1000");
}

#[test]
fn too_many_codes_are_a_defect() {
    let defect = only_defect(check_with(File::AddressCodes, |json| {
        let list = json["codes"].as_array_mut().unwrap();
        list.extend((list.len()..=MAX_CODES).map(|n| json!({ "code": format!("X{n}"), "region": "Gama" })));
    }));
    assert_eq!(defect, "address_codes.json: holds 65001 codes; keep at most 65000");
}

#[test]
fn a_vocabulary_that_outgrows_the_archive_of_the_index_is_a_defect() {
    let defect = only_defect(check_with(File::AddressCodes, |json| {
        let component = |n: usize| json!(format!("{n:0>120}"));
        json["components"].as_array_mut().unwrap().extend((0..140_000).map(component));
    }));
    assert_eq!(defect, "address_codes.json: takes 17 MiB once packed; remove entries; 16 MiB is the most");
}

#[test]
fn too_many_groups_of_synonyms_are_a_defect() {
    let with = |count: usize| {
        check_with(File::Synonyms, move |json| {
            let list = json["groups"].as_array_mut().unwrap();
            list.extend((list.len()..count).map(|n| json!([format!("um {n}"), format!("one {n}")])));
        })
    };
    assert!(with(MAX_SYNONYM_GROUPS).is_ok());
    let defect = only_defect(with(MAX_SYNONYM_GROUPS + 1));
    assert_eq!(defect, "synonyms.json: holds 5001 groups; keep the 5000 that matter most");
}

#[test]
fn too_many_terms_that_are_not_listed_are_a_defect() {
    let with = |count: usize| {
        check_with(File::Guide, move |json| {
            json["not_listed"] = (0..count).map(|n| format!("loja {n}")).collect();
        })
    };
    assert!(with(MAX_NOT_LISTED).is_ok());
    let defect = only_defect(with(MAX_NOT_LISTED + 1));
    assert_eq!(defect, "guide.json: not_listed: holds 2001 entries; keep the 2000 that matter most");
}

#[test]
fn too_many_words_that_suggest_a_category_are_a_defect() {
    let with = |count: usize| {
        check_with(File::Categories, move |json| {
            json["categories"][0]["suggested_by"] = (0..count).map(|n| format!("palavra {n}")).collect();
        })
    };
    assert!(with(MAX_SUGGESTIONS).is_ok());
    let defect = only_defect(with(MAX_SUGGESTIONS + 1));
    assert!(defect.ends_with("suggested_by: holds 501 entries; keep the 500 that matter most"), "{defect}");
}

#[test]
fn neighbourhoods_nested_too_deep_are_a_defect() {
    assert!(check_with(File::Regions, nested_neighbourhoods(MAX_NESTING)).is_ok());
    let defect = only_defect(check_with(File::Regions, nested_neighbourhoods(MAX_NESTING + 1)));
    assert!(defect.contains("vila-17: part_of: \"Vila 17\" is nested more than 16 levels deep"), "{defect}");
}

#[test]
fn too_many_blocks_and_landmarks_are_defects() {
    let with = |blocks: usize, landmarks: usize| {
        let position = json!({ "lat": -15.8, "lon": -47.9, "precision_m": 100 });
        let block = |n: usize| json!({ "address": format!("SQN {n}"), "position": position });
        let landmark = |n: usize| json!({ "name": format!("Torre {n}"), "position": position });
        check_with(File::Positions, |json| {
            *json = json!({
                "bounds": { "south": -16.06, "west": -48.29, "north": -15.49, "east": -47.3 },
                "blocks": (0..blocks).map(block).collect::<Vec<_>>(),
                "landmarks": (0..landmarks).map(landmark).collect::<Vec<_>>(),
            });
        })
    };
    assert!(with(MAX_BLOCKS, MAX_LANDMARKS).is_ok());
    let defect = only_defect(with(MAX_BLOCKS + 1, 0));
    assert_eq!(defect, "positions.json: blocks: holds 100001 entries; keep the 100000 that matter most");
    let defect = only_defect(with(0, MAX_LANDMARKS + 1));
    assert_eq!(defect, "positions.json: landmarks: holds 20001 entries; keep the 20000 that matter most");
}
