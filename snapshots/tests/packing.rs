//! Packing, unpacking and comparing, tested with the demo and with damaged and shuffled snapshots.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::sync::LazyLock;

use chrono::NaiveDate;
use proptest::prelude::*;
use serde_json::Value;
use snapshots::{
    Digest, File, Files, Hidden, Packed, Snapshot, SnapshotStats, UnpackError, check, demo, diff,
    far_from_area, pack, regressions, unpack, vanishing,
};

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// What is served of a folder on a day.
fn served(files: &Files, on: &str) -> Snapshot {
    let packed = pack(files, day(on)).unwrap();
    unpack(&packed.bytes, None).unwrap().on(day(on), &Hidden::default()).unwrap()
}

/// A small snapshot, for tests that run many times.
fn small() -> Files {
    let base = |file: File| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/broken/base");
        std::fs::read_to_string(std::path::Path::new(path).join(file.name())).unwrap()
    };
    let copies = |file: File, count: usize| {
        let one: Vec<Value> = serde_json::from_str(&base(file)).unwrap();
        let copy = |number: usize| {
            let mut copy = one[0].clone();
            copy["id"] = format!("copy-{number}").into();
            copy
        };
        Value::from((0..count).map(copy).collect::<Vec<_>>()).to_string()
    };
    let mut files = Files::default();
    for file in File::ALL {
        files = match file {
            File::Places | File::Events => files.with(file, copies(file, 12)),
            _ => files.with(file, base(file)),
        };
    }
    files
}

static SMALL: LazyLock<Packed> = LazyLock::new(|| pack(&small(), day("2026-11-21")).unwrap());

fn small_snapshot() -> Snapshot {
    unpack(&SMALL.bytes, Some(&SMALL.digest)).unwrap()
}

/// The files that a folder may lack.
const OPTIONAL: [File; 2] = [File::Synonyms, File::Positions];

/// A packed file with changed JSON.
fn repacked(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut json = serde_json::to_value(small_snapshot()).unwrap();
    change(&mut json);
    zstd::encode_all(json.to_string().as_bytes(), 1).unwrap()
}

#[test]
fn the_demo_has_no_defect_and_survives_packing() {
    let checked = check(&demo::files(), day("2026-11-21")).unwrap();
    let packed = pack(&demo::files(), day("2026-11-21")).unwrap();
    assert_eq!(packed.name, "demo");
    assert_eq!(packed.digest, Digest::of(&packed.bytes));
    assert_eq!(unpack(&packed.bytes, Some(&packed.digest)).unwrap(), checked);
    let counts = checked.counts();
    assert_eq!((counts.places, counts.regions, counts.categories), (506, 35, 124));
}

#[test]
fn the_demo_knows_where_its_areas_addresses_and_landmarks_are() {
    let demo = check(&demo::files(), day("2026-11-21")).unwrap();
    let positions = &demo.positions;
    assert_eq!((positions.areas.len(), positions.landmarks.len()), (187, 163));
    assert!(positions.credit.as_ref().is_some_and(|credit| credit.contains("OpenStreetMap")));
    let block = |address: &str| positions.blocks.iter().find(|block| block.address == address).unwrap();
    assert!(block("SQN 408").position.precision_m <= 150);
    assert_eq!(block("SEPN 502").also, ["SCRN 502", "CRN 502"]);
    assert_eq!(demo.places.iter().filter(|place| place.position.is_some()).count(), 42);
    // It lies in the north of its large region, whose middle is on the lake.
    let far: Vec<_> = far_from_area(&demo).into_iter().filter_map(|warning| warning.id).collect();
    assert_eq!(far, ["museu-criminal-da-policia-federal"]);
    assert!(demo.vocabulary.geography.outside.iter().any(|town| town == "Pirenópolis"));
}

#[test]
fn the_demo_has_no_defect_on_any_day_of_two_years() {
    for day in day("2026-01-01").iter_days().take(730).step_by(37) {
        check(&demo::files(), day).unwrap_or_else(|defects| panic!("{day}: {defects}"));
    }
}

#[test]
fn repeated_events_become_dated_ones() {
    let demo = served(&demo::files(), "2026-11-21");
    let on = |id: &str| demo.events.iter().find(|event| event.id == id);
    let good_friday = on("via-sacra-de-planaltina-2027-03-26").unwrap();
    assert_eq!((good_friday.date, good_friday.end_date), (day("2027-03-26"), None));
    assert!(on("corpus-christi-na-esplanada-2027-05-27").is_some());
    assert!(on("choro-no-eixo-2026-11-22").is_some());
    assert!(on("choro-no-eixo").is_none());

    let runs = r#"[{"id":"feira","name":"Feira","date":"2026-11-27","end_date":"2026-11-29","region":"Taguatinga",
        "category":"show","repeat":{"rule":"FREQ=WEEKLY;COUNT=2"}}]"#;
    let snapshot = served(&small().with(File::Events, runs), "2026-11-21");
    let days: Vec<_> = snapshot.events.iter().map(|event| (&*event.id, event.end_date)).collect();
    assert_eq!(
        days,
        [("feira-2026-11-27", Some(day("2026-11-29"))), ("feira-2026-12-04", Some(day("2026-12-06")))]
    );
}

#[test]
fn the_dates_of_one_repeat_share_a_series() {
    let events = r#"[{"id":"roda","name":"Roda","region":"Taguatinga","category":"show",
        "repeat":{"rule":"FREQ=WEEKLY;BYDAY=SU","until":"2026-12-01"}},
        {"id":"festa","name":"Festa","date":"2026-11-22","region":"Taguatinga","category":"show"}]"#;
    let snapshot = served(&small().with(File::Events, events), "2026-11-21");
    let series: Vec<_> = snapshot.events.iter().map(|event| (&*event.id, event.series.as_deref())).collect();
    assert_eq!(
        series,
        [("festa", None), ("roda-2026-11-22", Some("roda")), ("roda-2026-11-29", Some("roda"))]
    );
    let mut other = snapshot.clone();
    other.events[1].series = None;
    assert!(diff(&snapshot, &other).to_string().contains("series: \"roda\" -> (absent)"));
}

#[test]
fn a_repeated_event_without_a_date_for_now_does_not_stop_a_publication() {
    for repeat in [
        r#"{"rule":"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"}"#,
        r#"{"dates":["2026-11-01","2026-12-05"],"except":["2026-12-05"]}"#,
        r#"{"dates":["2026-11-01","2028-12-05"]}"#,
    ] {
        let event =
            r#"[{"id":"roda","name":"Roda","region":"Taguatinga","category":"show","repeat":REPEAT}]"#;
        let files = small().with(File::Events, event.replace("REPEAT", repeat));
        let events = check(&files, day("2026-11-21")).unwrap_or_else(|defects| panic!("{defects}")).events;
        assert_eq!(events.len(), 1);
        assert!(served(&files, "2026-11-21").events.is_empty(), "{repeat}");
    }
}

#[test]
fn a_snapshot_without_optional_files_and_fields_is_read_and_packed_as_before() {
    let folder = tempfile::tempdir().unwrap();
    for file in File::ALL.into_iter().filter(|file| !OPTIONAL.contains(file)) {
        std::fs::write(folder.path().join(file.name()), small().text(file).unwrap()).unwrap();
    }
    let checked = check(&Files::read(folder.path()), day("2026-11-21")).unwrap();
    assert!(checked.vocabulary.synonyms.is_empty() && checked.not_listed.is_empty());
    assert!(checked.positions.is_empty() && checked.vocabulary.geography.outside.is_empty());
    // An earlier release reads and writes no such fields.
    let packed = Packed::of(checked.clone()).unwrap();
    let json = String::from_utf8(zstd::decode_all(&*packed.bytes).unwrap()).unwrap();
    for field in ["synonyms", "not_listed", "es", "synonyms_es", "series", "positions", "position", "outside"]
    {
        assert!(!json.contains(&format!("\"{field}\":")), "{field}");
    }
    assert_eq!(unpack(&packed.bytes, None).unwrap(), checked);
}

/// The small snapshot with one place and one repeated event, each with a position.
fn with_positions(place: &str, event: &str) -> Snapshot {
    let place = format!(
        r#"[{{"id":"bar","name":"Bar","neighbourhood":"Asa Norte","region":"Plano Piloto","category":"bar","position":{place}}}]"#
    );
    let event = format!(
        r#"[{{"id":"roda","name":"Roda","region":"Taguatinga","category":"show","repeat":{{"rule":"FREQ=WEEKLY;BYDAY=SU"}},"position":{event}}}]"#
    );
    let mut positions: Value = serde_json::from_str(small().text(File::Positions).unwrap()).unwrap();
    let taguatinga = r#"{"area":"Taguatinga","position":{"lat":-15.833,"lon":-48.056,"precision_m":4000}}"#;
    positions["areas"].as_array_mut().unwrap().push(serde_json::from_str(taguatinga).unwrap());
    let files = small().with(File::Places, place).with(File::Events, event);
    check(&files.with(File::Positions, positions.to_string()), day("2026-11-21")).unwrap()
}

#[test]
fn positions_survive_packing_and_each_date_has_the_position_of_its_event() {
    let snapshot = with_positions(
        r#"{"lat":-15.7598651,"lon":-47.878944,"precision_m":100}"#,
        r#"{"lat":-15.8334,"lon":-48.0571,"precision_m":80}"#,
    );
    let position = snapshot.places[0].position.unwrap();
    assert_eq!((position.lat.degrees(), position.lon.degrees()), (-15.759865, -47.878944));
    let dated = snapshot.clone().on(day("2026-11-21"), &Hidden::default()).unwrap();
    assert!(dated.events.len() > 50);
    assert!(dated.events.iter().all(|event| event.position == snapshot.events[0].position));
    assert_eq!(snapshot.positions.blocks[0].also, ["SHCN SQN 408"]);
    let packed = Packed::of(snapshot.clone()).unwrap();
    assert_eq!(unpack(&packed.bytes, None).unwrap(), snapshot);
    let mut moved = snapshot.clone();
    moved.positions.landmarks.clear();
    assert_eq!(diff(&snapshot, &moved).to_string(), "also changed: positions");
    moved.curated_at = "2026-11-22T12:00:00-03:00".into();
    assert_eq!(diff(&snapshot, &moved).to_string(), "also changed: curated_at, positions");
}

#[test]
fn a_record_far_from_its_area_is_a_warning_and_no_defect() {
    let place = |lat: f64| format!(r#"{{"lat":{lat},"lon":-47.885,"precision_m":100}}"#);
    let event = r#"{"lat":-15.8334,"lon":-48.0571,"precision_m":80}"#;
    // Asa Norte reaches 2.5 km from its middle, so that 9.5 km are near enough.
    assert_eq!(far_from_area(&with_positions(&place(-15.76 - 0.085), event)), []);
    let far = far_from_area(&with_positions(&place(-15.76 - 0.086), event));
    assert_eq!(
        far.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "places.json: bar: position: is 9.6 km from the middle of \"Asa Norte\"; check the position, the neighbourhood and the region"
        ]
    );
    // The dates of one event are one warning; without a neighbourhood its region counts.
    let far = far_from_area(&with_positions(&place(-15.76), r#"{"lat":-15.6,"lon":-47.6,"precision_m":80}"#));
    assert_eq!(far.len(), 1);
    assert_eq!((far[0].id.as_deref(), far[0].file), (Some("roda"), File::Events));
    assert!(far[0].what.ends_with("from the middle of \"Taguatinga\""), "{}", far[0].what);
}

#[test]
fn words_of_three_languages_survive_packing() {
    let guide = r#"{"name":"g","curated_at":"2026-11-21T00:00:00-03:00","not_listed":["hotel","pharmacy"]}"#;
    let mut categories: Value = serde_json::from_str(small().text(File::Categories).unwrap()).unwrap();
    categories["categories"][1]["es"] = "Concierto".into();
    categories["categories"][1]["synonyms_es"] = serde_json::json!(["recital"]);
    let files = small().with(File::Guide, guide).with(File::Categories, categories.to_string());
    let snapshot = unpack(&pack(&files, day("2026-11-21")).unwrap().bytes, None).unwrap();
    assert_eq!(snapshot.not_listed, ["hotel", "pharmacy"]);
    assert_eq!(snapshot.vocabulary.synonyms.groups, [["ponte", "bridge", "puente"]]);
    let show = &snapshot.vocabulary.taxonomy.categories[1];
    assert_eq!((show.es.as_deref(), &*show.synonyms_es), (Some("Concierto"), &["recital".to_owned()][..]));
}

#[test]
fn the_demo_has_words_of_three_languages() {
    let demo = check(&demo::files(), day("2026-11-21")).unwrap();
    let categories = demo.vocabulary.taxonomy.categories.iter();
    let without: Vec<&str> = categories.filter(|one| one.es.is_none()).map(|one| &*one.slug).collect();
    assert!(without.is_empty(), "no Spanish label: {without:?}");
    assert!(demo.vocabulary.synonyms.groups.len() >= 200);
    assert!(demo.not_listed.len() >= 60);
}

#[test]
fn a_packed_file_is_verified_before_it_is_used() {
    let wrong = Digest::of(b"something else");
    assert!(matches!(unpack(&SMALL.bytes, Some(&wrong)), Err(UnpackError::WrongDigest { .. })));
    assert!(matches!(unpack(b"not zstd", None), Err(UnpackError::NotZstd(_))));
    let empty = zstd::encode_all(&b"{}"[..], 1).unwrap();
    assert!(matches!(unpack(&empty, None), Err(UnpackError::NotASnapshot(_))));
    let newer = repacked(|json| json["format"] = 3.into());
    let error = unpack(&newer, None).unwrap_err();
    assert!(matches!(error, UnpackError::NewerFormat { found: 3 }), "{error}");
    let other_fields = zstd::encode_all(&br#"{"format":7,"parts":[]}"#[..], 1).unwrap();
    assert!(matches!(unpack(&other_fields, None), Err(UnpackError::NewerFormat { found: 7 })));
}

#[test]
fn a_packed_file_obeys_the_same_rules_as_a_folder() {
    let defects = |change: fn(&mut Value)| match unpack(&repacked(change), None) {
        Err(UnpackError::Defective(defects)) => defects.to_string(),
        other => panic!("{other:?}"),
    };
    let unknown = defects(|json| json["places"][0]["region"] = "Atlantis".into());
    assert!(unknown.contains("places.json: copy-0: region: \"Atlantis\" is not a known region"), "{unknown}");
    assert!(defects(|json| json["places"][1]["id"] = "copy-0".into()).contains("comes after"));
    assert!(
        defects(|json| json["events"][0]["end_date"] = "2020-01-01".into()).contains("is before the date")
    );
    assert!(
        defects(|json| json["events"][0]["series"] = "copy".into())
            .contains("is not the id without the date")
    );
    assert!(
        defects(|json| json["vocabulary"]["synonyms"]["groups"][0][0] = "df".into())
            .contains("name of the area")
    );
    assert!(defects(|json| json["not_listed"] = serde_json::json!(["bar"])).contains("term of the category"));
    assert!(
        defects(|json| json["places"][0]["links"] = serde_json::json!({"website": "http://a.br"}))
            .contains("https")
    );
}

#[test]
fn a_difference_is_shown_by_field() {
    let old = small_snapshot();
    let mut new = old.clone();
    assert!(diff(&old, &new).is_empty());
    new.places[0].name = "Outro".into();
    new.places[0].links.website = Some("https://a.br".into());
    new.places.remove(1);
    new.events[0].id = "novo".into();
    new.vocabulary.geography.regions[0].neighbourhoods[0].aliases.clear();
    new.vocabulary.synonyms.groups[0].push("viaduto".into());
    new.not_listed.push("hotel".into());
    let diff = diff(&old, &new);
    let text = diff.to_string();
    for line in [
        "places: 0 added, 1 removed, 1 changed",
        "  - copy-1\n",
        "      links.website: (absent) -> \"https://a.br\"",
        "      name: \"Bar da Esquina\" -> \"Outro\"",
        "events: 1 added, 1 removed, 0 changed",
        "neighbourhoods: 0 added, 0 removed, 1 changed",
        "synonyms: 0 added, 0 removed, 1 changed",
        "      words: [\"ponte\",\"bridge\",\"puente\"] -> [\"ponte\",\"bridge\",\"puente\",\"viaduto\"]",
        "also changed: not_listed",
    ] {
        assert!(text.contains(line), "{line:?} in\n{text}");
    }
    assert!(diff.regions.is_empty());
    let json = serde_json::to_value(&diff).unwrap();
    assert_eq!(json["places"]["changed"][0]["fields"][0]["field"], "links.website");
}

#[test]
fn large_losses_are_regressions() {
    let old = small_snapshot();
    let with = |change: fn(&mut Snapshot)| {
        let mut new = old.clone();
        change(&mut new);
        regressions(&SnapshotStats::of(&old), &SnapshotStats::of(&new), day("2026-11-21"))
    };
    assert_eq!(with(|_| {}), Vec::<String>::new());
    // Ten of twelve are left, which is a loss of less than a fifth.
    assert_eq!(with(|new| new.places.truncate(10)), Vec::<String>::new());
    assert_eq!(with(|new| new.places.truncate(9)), ["places fall from 12 to 9, by more than 20 %"]);
    let gone = with(|new| new.events.iter_mut().for_each(|event| event.region = "Plano Piloto".into()));
    assert_eq!(gone, ["region \"Taguatinga\" had 12 places and events and has none any more"]);
    let gone = with(|new| new.places.iter_mut().for_each(|place| place.category = "boteco".into()));
    assert_eq!(gone, ["category \"bar\" had 12 places and events and has none any more"]);
}

#[test]
fn events_that_are_over_may_be_cleaned_up() {
    let old = small_snapshot();
    let mut new = old.clone();
    new.events.clear();
    let on = |today| regressions(&SnapshotStats::of(&old), &SnapshotStats::of(&new), day(today));
    assert!(on("2026-11-21").iter().any(|one| one.starts_with("events fall from")), "{:?}", on("2026-11-21"));
    assert_eq!(on("2036-01-01"), Vec::<String>::new());
    assert_eq!(vanishing(&old, &new, day("2026-11-21")).len(), old.events.len());
    assert_eq!(vanishing(&old, &new, day("2036-01-01")), Vec::<String>::new());
    // without an end a repetition is never over
    let repeat = r#"{"rule":"FREQ=WEEKLY;BYDAY=SU"}"#;
    let mut old = old.clone();
    old.events.iter_mut().for_each(|event| event.repeat = serde_json::from_str(repeat).unwrap());
    assert_eq!(vanishing(&old, &new, day("2036-01-01")).len(), old.events.len());
}

#[test]
fn hostile_texts_do_not_break_the_check() {
    let numbers = r#"[{"id":"a","mentions":1e400},{"id":1e99}]"#;
    let deep = "[".repeat(100_000);
    for text in [numbers, &deep, "", "null", "[null]", "[[]]", "\u{feff}[]", "[{\"id\":\"\\ud800\"}]"] {
        let _ = check(&small().with(File::Places, text.to_owned()), day("2026-11-21"));
        let _ = check(&small().with(File::Regions, text.to_owned()), day("2026-11-21"));
        let _ = check(&small().with(File::Synonyms, text.to_owned()), day("2026-11-21"));
        let _ = check(&small().with(File::Positions, text.to_owned()), day("2026-11-21"));
    }
}

proptest! {
    #[test]
    fn the_order_of_records_does_not_matter(
        places in Just((0..12).collect::<Vec<usize>>()).prop_shuffle(),
        events in Just((0..12).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let files = small();
        let shuffled = |file: File, order: &[usize]| {
            let all: Vec<Value> = serde_json::from_str(files.text(file).unwrap()).unwrap();
            Value::from(order.iter().map(|at| all[*at].clone()).collect::<Vec<_>>()).to_string()
        };
        let (places, events) = (shuffled(File::Places, &places), shuffled(File::Events, &events));
        let again = files.with(File::Places, places).with(File::Events, events);
        prop_assert_eq!(&pack(&again, day("2026-11-21")).unwrap(), &*SMALL);
    }

    #[test]
    fn damaged_bytes_never_pass_and_never_panic(at in any::<prop::sample::Index>(), flip in 1..=255_u8) {
        let mut bytes = SMALL.bytes.to_vec();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(unpack(&bytes, Some(&SMALL.digest)).is_err());
        let _ = unpack(&bytes, None);
        let _ = unpack(&SMALL.bytes[..at], None);
    }
}

proptest! {
    // Fewer cases, because each checks five files.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_text_never_panics(at in any::<prop::sample::Index>(), put in "[\"{}\\[\\],:0-9a-z\u{0}é-]{0,4}") {
        let files = demo::files();
        for file in [File::Guide, File::Synonyms, File::Positions, File::Events, File::AddressCodes] {
            let mut text: Vec<char> = files.text(file).unwrap().chars().collect();
            let at = at.index(text.len());
            text.splice(at..(at + 2).min(text.len()), put.chars());
            let text: String = text.into_iter().collect();
            let _ = check(&small().with(file, text), day("2026-11-21"));
        }
    }
}
