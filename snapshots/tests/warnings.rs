//! What `check` warns of: each warning is found alone, and right records give none.

use chrono::NaiveDate;
use serde_json::{Value, json};
use snapshots::{File, Files, demo, is_shown, warnings};

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

fn today() -> NaiveDate {
    day("2026-11-21")
}

/// The demo's vocabulary with these places and events, finished the day before.
fn folder(places: &Value, events: &Value) -> Files {
    let guide = json!({ "name": "a guide", "curated_at": "2026-11-20T12:00:00-03:00" });
    demo::files()
        .with(File::Guide, guide.to_string())
        .with(File::Places, places.to_string())
        .with(File::Events, events.to_string())
}

fn place(id: &str, name: &str) -> Value {
    json!({ "id": id, "name": name, "region": "Plano Piloto", "neighbourhood": "Asa Norte", "category": "bar" })
}

fn event(id: &str, more: &Value) -> Value {
    let mut event =
        json!({ "id": id, "name": format!("Show {id}"), "region": "Plano Piloto", "category": "show" });
    for (field, value) in more.as_object().expect("fields") {
        event[field] = value.clone();
    }
    event
}

/// `cause: id: field: what; fix` of each warning.
fn found(files: &Files) -> Vec<String> {
    let found = warnings(files, today());
    assert_eq!(found.more, 0);
    let line = |warning: &Value| {
        let part = |name: &str| warning[name].as_str().unwrap_or("-").to_owned();
        [part("cause"), part("file"), part("id"), part("field"), part("what"), part("fix")].join(" | ")
    };
    let listed = serde_json::to_value(&found.listed).expect("JSON");
    listed.as_array().expect("a list").iter().map(line).collect()
}

#[track_caller]
fn assert_warns(files: &Files, expected: &[&[&str]]) {
    let found = found(files);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, parts) in found.iter().zip(expected) {
        assert!(parts.iter().all(|part| found.contains(part)), "{found} lacks one of {parts:?}");
    }
}

fn soon() -> Value {
    event("soon", &json!({ "date": "2026-11-28" }))
}

#[test]
fn right_records_give_no_warning() {
    let weekly = json!({ "rule": "FREQ=WEEKLY;BYDAY=SU", "except": ["2026-11-29"], "dates": ["2026-12-24"] });
    let places = json!([place("a", "Bar Um"), place("b", "Bar Dois")]);
    let events = json!([
        soon(),
        event("running", &json!({ "date": "2026-11-01", "end_date": "2026-11-21", "venue": "bar um" })),
        event("weekly", &json!({ "repeat": weekly, "place": "b", "tickets": "https://loja.example.br" })),
        event("over-and-hidden", &json!({ "date": "2026-01-01", "hidden": true })),
    ]);
    assert_warns(&folder(&places, &events), &[]);
}

#[test]
fn events_that_are_over_and_exceptions_that_change_nothing() {
    let repeat = json!({ "rule": "FREQ=WEEKLY;BYDAY=SU", "until": "2026-12-31",
        "except": ["2026-11-29", "2026-11-30", "2027-01-03", "2025-11-30"] });
    let events = json!([
        soon(),
        event("old", &json!({ "date": "2026-11-18", "end_date": "2026-11-20" })),
        event("weekly", &json!({ "repeat": repeat })),
    ]);
    assert_warns(
        &folder(&json!([]), &events),
        &[
            &["over | events.json | old | date", "was over on 2026-11-20", "remove the event"],
            &["idle_except | events.json | weekly | repeat.except", "nothing takes place on 2026-11-30"],
            &["idle_except", "weekly", "2027-01-03"],
        ],
    );
}

/// The ids of the events that are told to be over.
fn told_to_be_over(events: &Value) -> Vec<String> {
    let found = warnings(&folder(&json!([]), events), today());
    let over = found.listed.into_iter().filter(|warning| warning.cause == snapshots::warning::Cause::Over);
    over.filter_map(|warning| warning.defect.id).collect()
}

#[test]
fn a_repeated_event_that_has_dates_left_is_not_told_to_be_over() {
    let events = json!([
        soon(),
        event("weekly", &json!({ "date": "2026-01-05", "repeat": { "rule": "FREQ=WEEKLY;BYDAY=MO" } })),
        event(
            "counted",
            &json!({ "date": "2026-11-02", "repeat": { "rule": "FREQ=WEEKLY;BYDAY=MO;COUNT=4" } })
        ),
        event(
            "four-yearly",
            &json!({ "date": "2024-10-06", "repeat": { "rule": "FREQ=YEARLY;INTERVAL=4" } })
        ),
        event("leap", &json!({ "repeat": { "rule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29" } })),
        event("far", &json!({ "repeat": { "dates": ["2026-01-05", "2028-01-05"] } })),
        event(
            "running",
            &json!({ "date": "2026-10-20", "end_date": "2026-10-25", "repeat": { "rule": "FREQ=MONTHLY;COUNT=2" } })
        ),
    ]);
    assert_eq!(told_to_be_over(&events), [""; 0]);
}

#[test]
fn a_repeated_event_without_a_date_left_is_told_to_be_over() {
    let events = json!([
        soon(),
        event(
            "until",
            &json!({ "date": "2026-01-05", "repeat": { "rule": "FREQ=WEEKLY", "until": "2026-11-20" } })
        ),
        event(
            "between",
            &json!({ "date": "2026-01-05", "repeat": { "rule": "FREQ=YEARLY", "until": "2026-12-31" } })
        ),
        event("counted", &json!({ "date": "2026-01-05", "repeat": { "rule": "FREQ=WEEKLY;COUNT=3" } })),
        event("dates", &json!({ "repeat": { "dates": ["2026-01-05", "2026-11-20"] } })),
        event(
            "left-out",
            &json!({ "repeat": { "dates": ["2026-11-01", "2026-12-05"], "except": ["2026-12-05"] } })
        ),
    ]);
    assert_eq!(told_to_be_over(&events), ["until", "between", "counted", "dates", "left-out"]);
}

#[test]
fn twins_are_found_through_accents_and_case() {
    let places =
        json!([place("a", "Café São João"), place("b", "CAFE SAO JOAO"), place("c", "Café São José")]);
    let night = |id: &str, date: &str| {
        let mut night = event(id, &json!({ "date": date }));
        night["name"] = json!("Noite");
        night
    };
    let events = json!([night("x", "2026-11-28"), night("y", "2026-11-28"), night("z", "2026-11-29")]);
    assert_warns(
        &folder(&places, &events),
        &[
            &["twins | places.json | b | name", "has the name and area of \"a\""],
            &["twins | events.json | y | name", "\"x\""],
        ],
    );
}

#[test]
fn events_of_one_name_at_places_of_different_areas_are_no_twins() {
    let mut south = place("south", "Bar Sul");
    south["neighbourhood"] = json!("Asa Sul");
    let places = json!([place("north", "Bar Norte"), south]);
    let at = |id: &str, place: &str| json!({ "id": id, "name": "Carnaval", "date": "2026-11-28", "category": "show", "place": place });
    assert_warns(&folder(&places, &json!([at("x", "north"), at("y", "south")])), &[]);
    assert_warns(
        &folder(&places, &json!([at("x", "north"), at("y", "south"), at("z", "south")])),
        &[&["twins | events.json | z | name", "has the name and area of \"y\""]],
    );
}

#[test]
fn odd_texts_are_found_in_every_file() {
    let mut bar = place("a", "PraÃ§a do Bar");
    bar["description"] = json!({ "pt": "Mesas  na calçada.", "en": "Tables." });
    let tickets = json!({ "date": "2026-11-28", "tickets": "na porta ou http://loja.example.br" });
    let guide = r#"{ "name": "a guide", "curated_at": "2026-11-20T12:00:00-03:00", "name": "again" }"#;
    let files = folder(&json!([bar]), &json!([event("e", &tickets)])).with(File::Guide, guide);
    assert_warns(
        &files,
        &[
            &["repeated_key | guide.json | - | name", "remove one of them"],
            &["double_space | places.json | a | description.pt"],
            &["mojibake | places.json | a | name", "did you mean \"Praça do Bar\"?"],
            &["http_tickets | events.json | e | tickets"],
        ],
    );
}

#[test]
fn a_venue_near_the_name_of_a_place_names_it() {
    let places = json!([place("a", "Clube do Choro")]);
    let at = |id: &str, venue: &str| event(id, &json!({ "date": "2026-11-28", "venue": venue }));
    let events = json!([at("x", "Clube do Chorro"), at("y", "Praça do Relógio"), at("z", "clube do chôro")]);
    assert_warns(
        &folder(&places, &events),
        &[
            &["unknown_venue | events.json | x | venue", "did you mean \"Clube do Choro\"?"],
            &["unknown_venue | events.json | y | venue", "is the name of no place"],
        ],
    );
}

#[test]
fn a_guide_with_nothing_new_is_stale() {
    let guide = json!({ "name": "old", "curated_at": "2026-10-01T12:00:00-03:00" });
    let events = json!([event("far", &json!({ "date": "2027-05-01" }))]);
    let files = folder(&json!([]), &events).with(File::Guide, guide.to_string());
    assert_warns(
        &files,
        &[
            &["stale | guide.json | - | curated_at", "2026-10-01"],
            &["stale | events.json | - | -", "no event takes place in the next 30 days"],
        ],
    );
}

#[test]
fn a_guide_with_a_run_in_progress_is_not_stale() {
    let run = json!({ "date": "2025-11-01", "end_date": "2025-11-30", "repeat": { "rule": "FREQ=YEARLY" } });
    assert_warns(&folder(&json!([]), &json!([event("running", &run)])), &[]);
}

#[test]
fn many_warnings_of_one_cause_are_one_line() {
    let events: Vec<Value> =
        (0..9).map(|at| event(&format!("old-{at}"), &json!({ "date": "2026-01-01" }))).collect();
    let events = [events, vec![soon()]].concat();
    let text = warnings(&folder(&json!([]), &json!(events)), today()).to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    for part in ["events.json: 9 events are over", "old-0: date, ", "and 4 more", "remove the event"] {
        assert!(text.contains(part), "{text} lacks {part}");
    }
}

#[test]
fn a_record_is_shown_within_its_days_unless_hidden() {
    let (from, until) = (Some(day("2026-11-20")), Some(day("2026-11-22")));
    for (hidden, date, shown) in [
        (None, "2026-11-19", false),
        (None, "2026-11-20", true),
        (Some(false), "2026-11-22", true),
        (None, "2026-11-23", false),
        (Some(true), "2026-11-21", false),
    ] {
        assert_eq!(is_shown(hidden, from, until, day(date)), shown, "{hidden:?} {date}");
    }
    assert!(is_shown(None, None, None, day("2026-11-21")));
}
