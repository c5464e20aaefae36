//! Publishing: a snapshot goes live whole and soon, or not at all, whatever breaks on the way.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mail::{SOON, awaited};
use crate::metrics::sample;
use crate::service::{
    Service, demo_copy, edit, get, open, printed, printed_json, program, read, request, run,
};

/// A small snapshot is live this soon after its publication, in a debug build beside other tests: alone it takes a
/// second.
const MAX_DELAY: Duration = Duration::from_secs(30);

/// Makes a small snapshot folder beside the data folder: 30 places and 3 events. Every name ends with the version, so
/// that an answer from two snapshots would show.
pub(crate) fn guide(data: &Path, version: u64) -> PathBuf {
    guide_of(data, version, 30)
}

pub(crate) fn guide_of(data: &Path, version: u64, places: usize) -> PathBuf {
    let folder = data.with_file_name(format!("guide-{version}"));
    demo_copy(&folder);
    std::fs::write(
        folder.join("guide.json"),
        json!({"name": format!("v{version}"), "curated_at": "2026-11-21T00:00:00-03:00"}).to_string(),
    )
    .expect("written");
    let list = |kind: &str, count: usize, more: Value| -> Vec<Value> {
        (0..count)
            .map(|at| {
                let mut record = more.clone();
                record["id"] = json!(format!("{kind}-{at}"));
                record["name"] = json!(format!("{kind} {at} v{version}"));
                record["region"] = json!("Plano Piloto");
                record
            })
            .collect()
    };
    edit(&folder, "places.json", |all| {
        *all = list("place", places, json!({"category": "padaria", "mentions": 1}))
    });
    edit(&folder, "events.json", |all| {
        *all = list("event", 3, json!({"category": "jazz", "date": "2030-01-01"}))
    });
    folder
}

pub(crate) fn publish(data: &Path, folder: &Path, words: &[&str]) -> Value {
    // a folder that is missing may be misspelt
    std::fs::create_dir_all(data).expect("a folder");
    let folder = folder.display().to_string();
    printed_json(&run(data, &[&["snapshot", "publish", &folder, "--json"], words].concat()), 0)
}

/// Makes a folder forget what it began from, so that it may replace what was published since.
fn forget_base(folder: &Path) {
    // it may never have been published
    let _ = std::fs::remove_file(folder.join(".candango.json"));
}

/// The version that an answer comes from; fails if it mixes two snapshots.
fn version(answer: &Value) -> String {
    let name = answer["snapshot"]["name"].as_str().expect("a name").to_owned();
    let places = answer["places"].as_array().expect("places");
    assert_eq!(answer["total"], 30, "{name}");
    assert_eq!(places.len(), 30, "{name}");
    for place in places {
        let of = place["name"].as_str().expect("a name").rsplit(' ').next();
        assert_eq!(of, Some(name.as_str()), "one answer, one snapshot");
    }
    name
}

fn search(service: &Service, key: &str) -> Value {
    service.good(key, json!({"action": "search_places", "limit": 50}))
}

#[test]
fn a_snapshot_goes_live_and_is_rolled_back() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    assert_eq!(search(&service, &key)["snapshot"]["serial"], 0);
    assert!(printed(&run(&data, &["snapshot", "list"]), 0).contains("nothing was published yet"));

    // much smaller than the demo, which does not count
    let first = publish(&data, &guide(&data, 1), &["--note", "the first"]);
    assert_eq!((&first["ok"], &first["serial"], &first["places"]), (&json!(true), &json!(1), &json!(30)));
    let took = service.serves(1);
    assert!(took < MAX_DELAY, "{took:?}");
    let answer = search(&service, &key);
    assert_eq!((version(&answer), &answer["snapshot"]["serial"]), ("v1".to_owned(), &json!(1)));
    let digest = first["digest"].as_str().expect("a digest").to_owned();
    assert!(answer["snapshot"]["digest"].as_str().is_some_and(|short| digest.starts_with(short)));

    let second = publish(&data, &guide(&data, 2), &[]);
    assert!(service.serves(2) < MAX_DELAY);
    assert_eq!(version(&search(&service, &key)), "v2");

    let text = printed(&run(&data, &["snapshot", "list"]), 0);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 3 && lines[1].contains("v2  by ") && lines[2].contains("the first"), "{text}");
    let list = printed_json(&run(&data, &["snapshot", "list", "--json"]), 0);
    assert_eq!(
        (&list["publications"][0]["digest"], &list["publications"][1]["note"]),
        (&second["digest"], &json!("the first"))
    );

    let diff = printed(&run(&data, &["snapshot", "diff", &digest[..12]]), 0);
    assert!(diff.contains("place-0") && diff.contains("v2"), "{diff}");
    let diff = printed_json(&run(&data, &["snapshot", "diff", &digest[..12], "--json"]), 0);
    assert_eq!(diff["places"]["changed"].as_array().map(Vec::len), Some(30));
    assert_eq!((&diff["places"]["added"], &diff["events"]["removed"]), (&json!([]), &json!([])));
    let folder = guide(&data, 2).display().to_string();
    assert!(printed(&run(&data, &["snapshot", "diff", &folder]), 0).contains("no difference"));

    // a serial is no digest, and the error names the digest that it has
    let (serial, of_serial) = match digest.starts_with('1') {
        true => ("2", second["digest"].as_str().expect("a digest")),
        false => ("1", digest.as_str()),
    };
    for words in [["snapshot", "rollback", serial], ["snapshot", "diff", serial]] {
        let output = run(&data, &words);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && told.contains(&of_serial[..12]), "{told}");
    }

    let back = printed_json(&run(&data, &["snapshot", "rollback", &digest[..6], "--wait", "--json"]), 0);
    assert_eq!((&back["serial"], &back["digest"]), (&json!(3), &first["digest"]));
    assert_eq!(back["serving"].as_array().map(Vec::len), Some(1), "{back}");
    assert_eq!(version(&search(&service, &key)), "v1");
    assert!(printed(&run(&data, &["snapshot", "list"]), 0).contains("back to serial 1"));
    let words = ["snapshot", "rollback", &digest];
    let output = run(&data, &words);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is the one in service"));
    forgives(&service);
}

#[test]
fn a_defective_folder_is_refused_with_every_defect() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    let before = std::fs::read(data.join("depot/current.json")).expect("a pointer");
    let broken = guide(&data, 2);
    edit(&broken, "places.json", |places| {
        places[0]["region"] = json!("Nowhere");
        places[1]["category"] = json!("padria");
        places[2]["id"] = json!("place-3");
        places[4]["name"] = json!("");
    });
    edit(&broken, "events.json", |events| {
        events[0]["date"] = json!("2030-02-30");
        events[1]["end_date"] = json!("2029-01-01");
        events[2]["links"] = json!({"website": "http://plain.example/"});
    });
    let folder = broken.display().to_string();
    for command in ["check", "publish", "pack"] {
        let text = printed(&run(&data, &["snapshot", command, &folder]), 1);
        for part in ["Nowhere", "padria", "place-3", "name", "2030-02-30", "end_date", "links.website"] {
            assert!(text.contains(part), "{command}: {part} in {text}");
        }
        let text = printed_json(&run(&data, &["snapshot", command, &folder, "--json"]), 1);
        assert_eq!(text["ok"], false);
        assert!(text["defects"].as_array().is_some_and(|list| list.len() >= 7), "{text}");
    }
    std::fs::write(broken.join("places.json"), "[{").expect("written");
    std::fs::remove_file(broken.join("regions.json")).expect("removed");
    let text = printed(&run(&data, &["snapshot", "publish", &folder]), 1);
    assert!(text.contains("places.json") && text.contains("regions.json"), "{text}");
    printed(&run(&data, &["snapshot", "publish", "/nowhere/at/all"]), 1);

    assert_eq!(std::fs::read(data.join("depot/current.json")).expect("a pointer"), before);
    wait_for_polls(&service);
    assert_eq!(version(&search(&service, &key)), "v1");
    forgives(&service);
}

#[test]
fn a_position_far_from_its_area_is_a_warning_of_check() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let folder = guide(&data, 1);
    let path = folder.display().to_string();
    edit(&folder, "places.json", |places| {
        places[0]["position"] = json!({"lat": -15.6, "lon": -47.4, "precision_m": 50});
    });
    let positions = json!({
        "bounds": {"south": -16.06, "west": -48.29, "north": -15.49, "east": -47.3},
        "areas": [{"area": "Plano Piloto", "position": {"lat": -15.8, "lon": -47.9, "precision_m": 4000}}],
    });
    std::fs::write(folder.join("positions.json"), positions.to_string()).expect("written");
    let output = run(&data, &["snapshot", "check", &path]);
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(text.contains("is valid"), "{text}");
    assert!(errors.contains("warning: places.json: place-"), "{errors}");
    assert!(errors.contains("km from the middle of"), "{errors}");
    let far = || {
        let answer = printed_json(&run(&data, &["snapshot", "check", &path, "--json"]), 0);
        assert_eq!(answer["ok"], true);
        let warnings = answer["warnings"].as_array().expect("warnings").iter();
        let far = warnings.filter(|one| one["cause"] == "far_from_area");
        far.map(|one| one["field"].as_str().expect("a field").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(far(), ["position"]);
    edit(&folder, "places.json", |places| {
        places[0]["position"] = json!({"lat": -15.8, "lon": -47.9, "precision_m": 50});
    });
    assert!(far().is_empty());
}

#[test]
fn a_snapshot_that_no_server_accepts_is_refused() {
    let service = Service::start();
    let data = service.data.clone();
    let folder = guide(&data, 1);
    let regions = std::fs::read_to_string(folder.join("regions.json")).expect("regions");
    std::fs::write(folder.join("regions.json"), regions.replace("\"plano-piloto\"", "\"plano\""))
        .expect("written");
    for command in ["check", "publish"] {
        let output = run(&data, &["snapshot", command, &folder.display().to_string()]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{command}: {errors}");
        assert!(errors.contains("no area with the slug \"plano-piloto\""), "{command}: {errors}");
    }
    assert!(!data.join("depot/current.json").exists());
}

#[test]
fn the_demo_never_stands_in_for_a_guide_that_was_refused() {
    for has_own_depot in [false, true] {
        let home = tempfile::tempdir().expect("a folder");
        let data = home.path().join("data");
        let depot = format!("depot={}", data.join("depot").display());
        let own = if has_own_depot { vec![depot.as_str()] } else { Vec::new() };
        // the demo has the area of a server without this setting, and the guide has not
        let with_area = [&own[..], &["plans.free.area=plano"]].concat();
        let folder = guide(&data, 1);
        let regions = std::fs::read_to_string(folder.join("regions.json")).expect("regions");
        let regions = regions.replace("\"plano-piloto\"", "\"plano\"");
        std::fs::write(folder.join("regions.json"), regions).expect("written");
        let flags: Vec<&str> = with_area.iter().flat_map(|setting| ["--set", setting]).collect();
        publish(&data, &folder, &flags);
        let service = Service::start_unready_under(&data, &own, &[]);
        let refused = publish_error(&service);
        assert!(refused.contains("no area with the slug \"plano-piloto\""), "{refused}");
        wait_for_polls(&service);
        let page = service.readiness();
        assert_eq!((page.get("snapshot"), &page["reason"]), (None, &json!("no_snapshot")), "{page}");
        assert_eq!(page["publish_error"], refused, "the reason stays");
        let log = service.logged("a snapshot did not go live");
        assert_eq!(log.matches("a snapshot did not go live").count(), 1, "{log}");
        assert!(!log.contains("a snapshot went live") && !log.contains("has no snapshot"), "{log}");
        let _ = service.kill();

        // with a copy of the last good snapshot, which is refused too, it is the same
        let service = Service::start_on_with(&data, &with_area);
        service.serves(1);
        wait_for_copy(&data, 1);
        let _ = service.kill();
        let service = Service::start_unready_under(&data, &own, &[]);
        let refused = publish_error(&service);
        assert!(refused.contains("plano-piloto") && !refused.contains("is empty"), "{refused}");
        wait_for_polls(&service);
        assert_eq!(service.readiness()["publish_error"], refused, "the reason stays");
        // what is published next goes live
        publish(
            &data,
            &guide(&data, 2),
            &own.iter().flat_map(|setting| ["--set", setting]).collect::<Vec<_>>(),
        );
        service.serves(2);
        forgives(&service);
    }
}

#[test]
fn many_records_vanish_only_by_force() {
    let service = Service::start();
    let data = service.data.clone();
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    let small = guide_of(&data, 2, 20);
    let folder = small.display().to_string();
    let text = printed(&run(&data, &["snapshot", "publish", &folder]), 1);
    assert!(text.contains("30") && text.contains("20") && text.contains("--force --reason"), "{text}");
    let text = printed_json(&run(&data, &["snapshot", "publish", &folder, "--json"]), 1);
    assert!(text["alarms"][0].as_str().is_some_and(|alarm| alarm.contains("places fall")), "{text}");
    for half in [&["--force"][..], &["--reason", "x"]] {
        assert_eq!(run(&data, &[&["snapshot", "publish", &folder], half].concat()).status.code(), Some(2));
    }
    assert_eq!(service.readiness()["snapshot"]["serial"], 1);
    let done = publish(&data, &small, &["--force", "--reason", "the rest has closed"]);
    assert_eq!(done["serial"], 2);
    service.serves(2);
    assert!(printed(&run(&data, &["snapshot", "list"]), 0).contains("the rest has closed"));
}

#[test]
fn a_forced_publication_counts_if_another_follows_before_the_next_poll() {
    let service = Service::start();
    let data = service.data.clone();
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    service.signal("-STOP");
    publish(&data, &guide_of(&data, 2, 10), &["--force", "--reason", "closed"]);
    publish(&data, &guide_of(&data, 3, 10), &[]);
    service.signal("-CONT");
    service.serves(3);
}

/// Rewrites the pointer by hand, past every check of the publish command.
fn point_at(data: &Path, serial: u64, digest: &str) {
    let path = data.join("depot/current.json");
    let mut pointer: Value = serde_json::from_slice(&std::fs::read(&path).expect("a pointer")).expect("JSON");
    pointer.as_object_mut().expect("an object").remove("forced");
    pointer["serial"] = json!(serial);
    pointer["digest"] = json!(digest);
    std::fs::write(path, pointer.to_string()).expect("written");
}

/// Waits until the failure before is forgotten: that comes after the snapshot is in service and its copy is written.
fn forgives(service: &Service) {
    awaited("no publish error", SOON, || service.readiness().get("publish_error").is_none().then_some(()));
}

fn publish_error(service: &Service) -> String {
    let started = Instant::now();
    loop {
        if let Some(error) = service.readiness()["publish_error"].as_str() {
            return error.to_owned();
        }
        assert!(started.elapsed() < SOON, "no publish_error");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until the server has polled the depot twice more: it has seen everything that was in there before.
fn wait_for_polls(service: &Service) {
    let polls = || service.counted("candango_depot_polls_total");
    let (started, before) = (Instant::now(), polls());
    while polls() < before + 2 {
        assert!(started.elapsed() < SOON, "the depot is not polled");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until the copy for the next start is of this serial.
fn wait_for_copy(data: &Path, serial: u64) {
    let started = Instant::now();
    let part = format!("\"serial\":{serial},");
    while !std::fs::read_to_string(data.join("last-good/kept.json")).is_ok_and(|kept| kept.contains(&part)) {
        assert!(started.elapsed() < SOON, "no copy is kept");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Puts a snapshot of a few places into the depot and points at it, past every check of the publish command.
fn point_at_shrunken(data: &Path, serial: u64) {
    let (folder, out) = (guide_of(data, 77, 10), data.join("depot/snapshots"));
    let (folder, out) = (folder.display().to_string(), out.display().to_string());
    let packed = printed_json(&run(data, &["snapshot", "pack", &folder, "--out", &out, "--json"]), 0);
    point_at(data, serial, packed["digest"].as_str().expect("a digest"));
}

/// A data folder on which a server published three snapshots of 30 places, the second by force, and was killed.
fn stopped_after_three_publications() -> (tempfile::TempDir, PathBuf) {
    let service = Service::start();
    let data = service.data.clone();
    publish(&data, &guide(&data, 1), &[]);
    publish(&data, &guide(&data, 2), &["--force", "--reason", "a test"]);
    publish(&data, &guide(&data, 3), &[]);
    service.serves(3);
    wait_for_copy(&data, 3);
    (service.kill().expect("its folder"), data)
}

#[test]
fn a_restart_keeps_the_guard_against_a_shrunken_snapshot() {
    let (_folder, data) = stopped_after_three_publications();
    point_at_shrunken(&data, 4);
    let service = Service::start_on(&data);
    assert!(publish_error(&service).contains("places fall from 30 to 10"), "{}", service.readiness());
    assert_eq!(service.readiness()["snapshot"]["serial"], 3, "the last good snapshot is served");
    let key = service.key("pro");
    assert_eq!(version(&search(&service, &key)), "v3");
    // restarting again does not wear the guard out
    let _folder = service.kill();
    let service = Service::start_on(&data);
    assert!(publish_error(&service).contains("places fall from 30 to 10"));
    // what is forced goes live
    publish(&data, &guide_of(&data, 5, 10), &["--force", "--reason", "the rest has closed"]);
    service.serves(5);
    forgives(&service);
}

#[test]
fn the_guard_holds_with_a_damaged_record_of_the_last_snapshot() {
    let (_folder, data) = stopped_after_three_publications();
    let good = std::fs::read(data.join("depot/current.json")).expect("a pointer");
    point_at_shrunken(&data, 4);
    for damaged in [Some(""), Some("{\"serial\":3,\"dig"), None] {
        let record = data.join("last-good/kept.json");
        match damaged {
            Some(text) => std::fs::write(&record, text).expect("written"),
            None => std::fs::remove_file(&record).expect("removed"),
        }
        let service = Service::start_on(&data);
        assert!(publish_error(&service).contains("places fall from 30 to 10"), "{damaged:?}");
        assert_eq!(service.readiness()["snapshot"]["name"], "v3");
        service.logged("the record of the last good snapshot");
        let _folder = service.kill();
    }
    // the snapshot that was live is taken from the depot as before, and the record is written again
    std::fs::write(data.join("depot/current.json"), good).expect("written");
    let service = Service::start_on(&data);
    service.serves(3);
    wait_for_copy(&data, 3);
    forgives(&service);
}

#[test]
fn a_lost_copy_never_brings_the_demo_back() {
    let (_folder, data) = stopped_after_three_publications();
    let copy = std::fs::read_dir(data.join("last-good")).expect("a folder");
    for file in copy {
        std::fs::write(file.expect("a file").path(), "garbage").expect("written");
    }
    // another snapshot than the one that was live cannot be compared
    let good = std::fs::read(data.join("depot/current.json")).expect("a pointer");
    point_at_shrunken(&data, 4);
    let service = Service::start_unready(&data);
    let error = publish_error(&service);
    assert!(error.contains("cannot be compared") && error.contains("--force --reason"), "{error}");
    assert!(service.readiness().get("snapshot").is_none(), "{}", service.readiness());
    let _folder = service.kill();
    // an empty depot does not mean that nothing was published
    std::fs::rename(data.join("depot"), data.with_file_name("away")).expect("moved");
    let list = printed(&run(&data, &["snapshot", "list"]), 0);
    assert!(list.contains("no publications any more") && !list.contains("built-in demo"), "{list}");
    let service = Service::start_unready(&data);
    assert!(publish_error(&service).contains("the depot is empty"));
    wait_for_polls(&service);
    assert!(service.readiness().get("snapshot").is_none(), "{}", service.readiness());
    let _folder = service.kill();
    // with the depot restored the snapshot that was live goes live again
    std::fs::remove_dir_all(data.join("depot")).expect("removed");
    std::fs::rename(data.with_file_name("away"), data.join("depot")).expect("moved");
    std::fs::write(data.join("depot/current.json"), good).expect("written");
    let service = Service::start_on(&data);
    service.serves(3);
    forgives(&service);
}

#[test]
fn a_disk_that_hangs_does_not_stop_the_other_background_tasks() {
    let service = Service::start();
    let data = service.data.clone();
    // the write of kept.json goes through this file, and opening a pipe without a reader blocks
    std::fs::create_dir_all(data.join("last-good")).expect("a folder");
    let pipe = data.join("last-good/kept.part");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let published = publish(&data, &guide(&data, 1), &[]);
    let copy = data.join(format!("last-good/{}.json.zst", published["digest"].as_str().expect("a digest")));
    let started = Instant::now();
    while !copy.exists() {
        assert!(started.elapsed() < SOON, "no copy is written");
        thread::sleep(Duration::from_millis(10));
    }
    // mail is sent by the same background thread
    let signup = service.post_to("/v1/signup", &[], &json!({"email": "maria@x.example"}));
    assert_eq!(signup.status, 200, "{}", signup.text());
    let started = Instant::now();
    while std::fs::read_dir(data.join("outbox")).map_or(0, Iterator::count) == 0 {
        assert!(started.elapsed() < SOON, "no mail is sent while a write hangs");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn damage_in_the_depot_never_reaches_clients() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    let good = std::fs::read(data.join("depot/current.json")).expect("a pointer");
    let restore = || {
        std::fs::write(data.join("depot/current.json"), &good).expect("written");
        let started = Instant::now();
        while service.readiness().get("publish_error").is_some() {
            assert!(started.elapsed() < SOON, "{}", service.readiness());
            thread::sleep(Duration::from_millis(20));
        }
    };
    let assert_unharmed = || {
        let error = publish_error(&service);
        assert_eq!(version(&search(&service, &key)), "v1");
        assert_eq!(service.readiness()["status"], "ready");
        error
    };

    // damaged pointers
    for damaged in
        ["", "{\"ser", "[]", "{\"serial\":-1}", "\0\0\0\0", "{\"serial\":9,\"digest\":\"../../etc/passwd\"}"]
    {
        std::fs::write(data.join("depot/current.json"), damaged).expect("written");
        assert!(assert_unharmed().contains("current.json"), "{damaged}");
        let refused = run(&data, &["snapshot", "publish", &guide(&data, 2).display().to_string()]);
        assert_eq!(refused.status.code(), Some(1), "{damaged}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("current.json"));
        restore();
    }
    // a snapshot file: missing, garbage, empty, truncated, one bit flipped
    let out = data.with_file_name("packed");
    let packed = printed_json(
        &run(
            &data,
            &[
                "snapshot",
                "pack",
                &guide(&data, 2).display().to_string(),
                "--out",
                &out.display().to_string(),
                "--json",
            ],
        ),
        0,
    );
    let digest = packed["digest"].as_str().expect("a digest");
    let whole = std::fs::read(packed["file"].as_str().expect("a file")).expect("the packed file");
    let place = data.join(format!("depot/snapshots/{digest}.json.zst"));
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for (serial, bytes) in [
        (2, None),
        (3, Some(&b"rotten"[..])),
        (4, Some(&[])),
        (5, Some(&whole[..whole.len() - 1])),
        (6, Some(&flipped)),
    ] {
        if let Some(bytes) = bytes {
            std::fs::write(&place, bytes).expect("written");
        }
        point_at(&data, serial, digest);
        assert_unharmed();
        restore();
    }
    // damage to the file of the live snapshot changes nothing, and a restart uses the local copy
    let in_service: Value = serde_json::from_slice(&good).expect("JSON");
    let rotten =
        data.join(format!("depot/snapshots/{}.json.zst", in_service["digest"].as_str().expect("a digest")));
    std::fs::write(&rotten, "rotten").expect("written");
    assert_eq!(version(&search(&service, &key)), "v1");
    let _folder = service.kill();
    let service = Service::start_on(&data);
    publish_error(&service);
    assert_eq!(version(&search(&service, &key)), "v1");
    let third = guide(&data, 3);
    let unsure = run(&data, &["snapshot", "publish", &third.display().to_string()]);
    assert_eq!(unsure.status.code(), Some(1), "the publish command cannot compare, so it refuses");
    publish(&data, &third, &["--force", "--reason", "the depot was damaged"]);
    assert!(service.serves(2) < MAX_DELAY);
    assert_eq!(version(&search(&service, &key)), "v3");
    forgives(&service);
}

#[test]
fn without_the_depot_the_last_good_snapshot_is_served() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    publish(&data, &guide(&data, 2), &[]);
    service.serves(2);
    wait_for_copy(&data, 2);
    let _folder = service.kill();
    std::fs::remove_dir_all(data.join("depot")).expect("removed");
    let service = Service::start_on(&data);
    assert_eq!(version(&search(&service, &key)), "v2");
    assert_eq!(service.readiness()["snapshot"]["serial"], 2);
    assert!(publish_error(&service).contains("depot"));
    // a depot that starts again from serial 1 is followed
    publish(&data, &guide(&data, 3), &[]);
    service.serves(1);
    assert_eq!(version(&search(&service, &key)), "v3");
    forgives(&service);

    // a depot path that is a file is an error that names it
    let file = data.with_file_name("file");
    std::fs::write(&file, "x").expect("written");
    let refused = run(&data, &["snapshot", "list", "--depot", &file.display().to_string()]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("file"));
}

#[test]
fn a_copy_that_could_not_be_written_is_written_once_the_disk_takes_it() {
    let service = Service::start();
    let data = service.data.clone();
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    wait_for_copy(&data, 1);
    // a file in the place of the folder: nothing can be written there
    std::fs::remove_dir_all(data.join("last-good")).expect("removed");
    std::fs::write(data.join("last-good"), "").expect("written");
    publish(&data, &guide(&data, 2), &[]);
    service.serves(2);
    std::fs::remove_file(data.join("last-good")).expect("removed");
    wait_for_copy(&data, 2);
}

#[test]
fn without_the_depot_nothing_is_shown_while_what_is_hidden_cannot_be_read() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    let folder = guide(&data, 1);
    publish(&data, &folder, &[]);
    service.serves(1);
    printed_json(&run(&data, &["snapshot", "hide", "place-1", "--reason", "a test", "--json"]), 0);
    let started = Instant::now();
    while !std::fs::read_to_string(data.join("last-good/hidden.json"))
        .is_ok_and(|kept| kept.contains("place-1"))
    {
        assert!(started.elapsed() < SOON, "what is hidden is not kept");
        thread::sleep(Duration::from_millis(10));
    }
    wait_for_copy(&data, 1);
    let _folder = service.kill();
    std::fs::write(data.join("last-good/hidden.json"), "{").expect("written");
    std::fs::rename(data.join("depot"), data.with_file_name("away")).expect("moved");
    let service = Service::start_unready(&data);
    assert!(publish_error(&service).contains("hidden.json"), "{}", publish_error(&service));
    assert!(service.readiness().get("snapshot").is_none(), "{}", service.readiness());
    let _folder = service.kill();
    // the depot knows it
    std::fs::remove_dir_all(data.join("depot")).ok();
    std::fs::rename(data.with_file_name("away"), data.join("depot")).expect("moved");
    let service = Service::start_on(&data);
    let place = service.ask(&key, json!({"action": "get_place", "id": "place-1"}));
    assert_eq!(place.status, 404, "{}", place.text());
}

#[test]
fn a_depot_that_vanishes_under_a_running_server_is_a_failure_and_shows_nothing_again() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    let status = |id: &str| service.ask(&key, json!({"action": "get_place", "id": id})).status;
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    printed_json(&run(&data, &["snapshot", "hide", "place-1", "--reason", "a test", "--json"]), 0);
    awaited("the hiding", SOON, || (status("place-1") == 404).then_some(()));

    std::fs::rename(data.join("depot"), data.with_file_name("away")).expect("moved");
    let emptied =
        |page: &Value| page["publish_error"].as_str().is_some_and(|why| why.contains("the depot is empty"));
    awaited("the failure", SOON, || emptied(&service.readiness()).then_some(()));
    assert_eq!(service.readiness()["snapshot"]["name"], "v1", "the guide stays in service");
    assert_eq!(service.counted("candango_publish_failing"), 1);
    let read_at = || sample(&service, "candango_depot_read_timestamp_seconds");
    let before = read_at();
    wait_for_polls(&service);
    assert_eq!(read_at(), before, "it was not read");
    assert!(!data.join("depot").exists(), "nothing is written in its place");

    std::fs::rename(data.with_file_name("away"), data.join("depot")).expect("moved back");
    awaited("the recovery", SOON, || service.readiness()["publish_error"].is_null().then_some(()));
    assert_eq!(service.counted("candango_publish_failing"), 0);

    // a new depot knows nothing of what is hidden
    std::fs::remove_dir_all(data.join("depot")).expect("removed");
    publish(&data, &guide(&data, 2), &["--over"]);
    awaited("the new guide", SOON, || (service.readiness()["snapshot"]["name"] == "v2").then_some(()));
    wait_for_polls(&service);
    assert_eq!((status("place-1"), status("place-2")), (404, 200));
}

#[test]
fn a_killed_publish_command_leaves_the_old_or_the_new_snapshot() {
    const ROUNDS: u64 = 48;
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    let folders = [guide(&data, 1), guide(&data, 2)];
    publish(&data, &folders[0], &[]);
    let started = Instant::now();
    publish(&data, &folders[1], &[]);
    let mut whole = started.elapsed();
    let (mut serial, mut old) = (2, 0);
    let mut live = json!("v2");
    let mut service = Some(service);
    for round in 0..ROUNDS {
        // the one that is not live: that would be no publication
        let folder = &folders[usize::from(live == "v1")];
        forget_base(folder);
        let mut child = program(&data)
            .args(["snapshot", "publish", &folder.display().to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        // the first half is spread over the whole run, the second over the part that writes files
        let share = if round < ROUNDS / 2 {
            (round * 2) as f64 / ROUNDS as f64
        } else {
            0.6 + (round as f64 * 0.618) % 0.5
        };
        thread::sleep(whole.mul_f64(share));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let list = printed_json(&run(&data, &["snapshot", "list", "--json"]), 0);
        let list = &list["publications"];
        let now = list[0]["serial"].as_u64().expect("a serial");
        assert!(now == serial || now == serial + 1, "{serial} then {now}");
        old += u64::from(now == serial);
        // a busy machine is slower now than it was at first, and the other way round
        whole = whole.mul_f64(if now == serial { 1.05 } else { 0.95 });
        (serial, live) = (now, list[0]["name"].clone());
        if round % 12 == 11 {
            // restart on whatever was left
            service.take().expect("a server").leave();
            service = Some(Service::start_on(&data));
        }
        let service = service.as_ref().expect("a server");
        service.serves(serial);
        let answer = search(service, &key);
        assert_eq!(version(&answer), list[0]["name"], "round {round}");
        assert!(service.readiness().get("publish_error").is_none(), "{}", service.readiness());
    }
    assert!(old > 0 && old < ROUNDS, "some are killed before the swap and some after: {old} of {ROUNDS}");
    let last = publish(&data, &guide(&data, 9), &[]);
    let service = service.expect("a server");
    service.serves(last["serial"].as_u64().expect("a serial"));
    assert_eq!(version(&search(&service, &key)), "v9");
    service.leave();
    std::fs::remove_dir_all(data.parent().expect("a folder above")).expect("cleared");
}

#[test]
fn a_killed_server_restarts_with_the_same_snapshot() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    let mut folder = None;
    let mut service = Some(service);
    for round in 1..=6 {
        publish(&data, &guide(&data, round), &[]);
        let running = service.take().expect("a server");
        // at different moments of the swap
        thread::sleep(Duration::from_millis(round * 130));
        folder = running.kill().or(folder);
        let again = Service::start_on(&data);
        again.serves(round);
        assert_eq!(version(&search(&again, &key)), format!("v{round}"));
        service = Some(again);
    }
    drop(service);
}

#[test]
fn two_servers_cannot_share_a_data_folder() {
    let service = Service::start();
    let started = Instant::now();
    let second = run(&service.data, &["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(1));
    let text = String::from_utf8_lossy(&second.stderr);
    assert!(text.contains("in use by another server") && text.contains("--data"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(10));
    let other = service.data.with_file_name("other");
    let third =
        run(&other, &["serve", "--listen", &service.listen.to_string(), "--ops-listen", "127.0.0.1:0"]);
    assert_eq!(third.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&third.stderr).contains(&service.listen.to_string()));
    assert_eq!(service.readiness()["status"], "ready");
}

#[test]
fn a_server_prints_its_ports_and_stops_on_sigterm() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut child = program(&folder.path().join("data"))
        .args(["--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--log", "json:info"])
        .stdout(std::fs::File::create(&out).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let started = Instant::now();
    let mut text = String::new();
    while !text.contains("curl") && started.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(20));
        text = std::fs::read_to_string(&out).expect("text");
    }
    let page = text
        .lines()
        .find_map(|line| line.strip_prefix("Health and metrics: http://")?.strip_suffix("/readyz"));
    let ready = page.and_then(|address| address.parse().ok()).map(|address| get(address, "/readyz").status);
    let stopped =
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill").success();
    let started = Instant::now();
    let ended = loop {
        match child.try_wait().expect("a child") {
            None if started.elapsed() < SOON => thread::sleep(Duration::from_millis(20)),
            ended => break ended,
        }
    };
    // before the assertions, so that the process never outlives the test
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(ready, Some(200), "{text}");
    assert!(stopped && ended.is_some_and(|ended| ended.success()), "{ended:?}");
}

#[test]
fn the_same_folder_packs_to_the_same_digest() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let guide = guide(&data, 1).display().to_string();
    let pack = |guide: &str, out: &str| {
        let out = folder.path().join(out).display().to_string();
        printed_json(&run(&data, &["snapshot", "pack", guide, "--out", &out, "--json"]), 0)
    };
    let (one, two) = (pack(&guide, "one"), pack(&guide, "two"));
    assert_eq!(one["digest"], two["digest"]);
    let read =
        |packed: &Value| std::fs::read(packed["file"].as_str().expect("a file")).expect("the packed file");
    assert_eq!(read(&one), read(&two));
    // the order of the records does not count, their content does
    edit(Path::new(&guide), "places.json", |places| places.reverse());
    assert_eq!(pack(&guide, "three")["digest"], one["digest"]);
    edit(Path::new(&guide), "places.json", |places| places[0]["mentions"] = json!(2));
    assert_ne!(pack(&guide, "four")["digest"], one["digest"]);
    // a packed file may be published as it is
    let published = publish(&data, Path::new(one["file"].as_str().expect("a file")), &[]);
    assert_eq!(published["digest"], one["digest"]);
}

#[test]
fn clients_never_notice_a_publication() {
    const PUBLICATIONS: u64 = 10;
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    let folders = [guide(&data, 1), guide(&data, 2)];
    publish(&data, &folders[0], &[]);
    service.serves(1);
    let (done, answered) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let body = json!({"action": "search_places", "limit": 50}).to_string();
                let bytes = request("POST", "/v1", &[("x-api-key", &key)], body.as_bytes());
                let mut stream = open(service.listen);
                let mut serial = 0;
                while !done.load(Ordering::Relaxed) {
                    std::io::Write::write_all(&mut stream, &bytes).expect("sent");
                    let answer = read(&mut stream, false).expect("an answer");
                    assert_eq!(answer.status, 200, "{}", answer.text());
                    let answer = answer.json();
                    let name = version(&answer);
                    let now = answer["snapshot"]["serial"].as_u64().expect("a serial");
                    assert_eq!(name, format!("v{}", 2 - now % 2));
                    assert!(now >= serial, "the serial never falls");
                    serial = now;
                    answered.fetch_add(1, Ordering::Relaxed);
                    // a steady load, which leaves the processors to the publications
                    thread::sleep(Duration::from_millis(5));
                }
            });
        }
        let end = SetOnDrop(&done);
        for serial in 2..=PUBLICATIONS + 1 {
            let folder = &folders[((serial + 1) % 2) as usize];
            forget_base(folder);
            publish(&data, folder, &[]);
            service.serves(serial);
        }
        drop(end);
    });
    assert!(answered.load(Ordering::Relaxed) > 100);
    forgives(&service);
}

/// Sets a flag when dropped, also by a panic, so that no thread waits for ever.
pub(crate) struct SetOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
