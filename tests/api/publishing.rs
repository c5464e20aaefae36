//! A snapshot on its way into service: it arrives whole and soon, or not at all, whatever breaks on the way.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::service::{
    Service, demo_copy, edit, get, open, printed, printed_json, program, read, request, run,
};

/// How soon after its publication a small snapshot is in service.
const SOON: Duration = Duration::from_secs(2);

/// Makes a small snapshot folder beside the data folder: 30 places and 3 events, every name and the snapshot's own
/// ending with the version, so that a mixture would show.
fn guide(data: &Path, version: u64) -> PathBuf {
    guide_of(data, version, 30)
}

fn guide_of(data: &Path, version: u64, places: usize) -> PathBuf {
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

fn publish(data: &Path, folder: &Path, words: &[&str]) -> Value {
    let folder = folder.display().to_string();
    printed_json(&run(data, &[&["snapshot", "publish", &folder, "--json"], words].concat()), 0)
}

/// The version of an answer, which must be whole.
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

fn asked(service: &Service, key: &str) -> Value {
    service.good(key, json!({"action": "search_places", "limit": 50}))
}

#[test]
fn a_snapshot_goes_live_and_back() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    assert_eq!(asked(&service, &key)["snapshot"]["serial"], 0);
    assert!(printed(&run(&data, &["snapshot", "list"]), 0).contains("nothing was published yet"));

    // much smaller than the demo, which only stood in
    let first = publish(&data, &guide(&data, 1), &["--note", "the first"]);
    assert_eq!((&first["ok"], &first["serial"], &first["places"]), (&json!(true), &json!(1), &json!(30)));
    let took = service.serves(1);
    assert!(took < SOON, "{took:?}");
    let answer = asked(&service, &key);
    assert_eq!((version(&answer), &answer["snapshot"]["serial"]), ("v1".to_owned(), &json!(1)));
    let digest = first["digest"].as_str().expect("a digest").to_owned();
    assert!(answer["snapshot"]["digest"].as_str().is_some_and(|short| digest.starts_with(short)));

    let second = publish(&data, &guide(&data, 2), &[]);
    assert!(service.serves(2) < SOON);
    assert_eq!(version(&asked(&service, &key)), "v2");

    let text = printed(&run(&data, &["snapshot", "list"]), 0);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines.len() == 3 && lines[1].contains("v2  <- in service") && lines[2].contains("the first"),
        "{text}"
    );
    let list = printed_json(&run(&data, &["snapshot", "list", "--json"]), 0);
    assert_eq!((&list[0]["digest"], &list[1]["note"]), (&second["digest"], &json!("the first")));

    let diff = printed(&run(&data, &["snapshot", "diff", &digest[..12]]), 0);
    assert!(diff.contains("place-0") && diff.contains("v2"), "{diff}");
    let diff = printed_json(&run(&data, &["snapshot", "diff", &digest[..12], "--json"]), 0);
    assert_eq!(diff["places"]["changed"].as_array().map(Vec::len), Some(30));
    assert_eq!((&diff["places"]["added"], &diff["events"]["removed"]), (&json!([]), &json!([])));
    let folder = guide(&data, 2).display().to_string();
    assert!(printed(&run(&data, &["snapshot", "diff", &folder]), 0).contains("no difference"));

    let back = printed_json(&run(&data, &["snapshot", "rollback", &digest[..6], "--json"]), 0);
    assert_eq!((&back["serial"], &back["digest"]), (&json!(3), &first["digest"]));
    assert!(service.serves(3) < SOON);
    assert_eq!(version(&asked(&service, &key)), "v1");
    assert!(printed(&run(&data, &["snapshot", "list"]), 0).contains("back to serial 1"));
    let words = ["snapshot", "rollback", &digest];
    let output = run(&data, &words);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is the one in service"));
    assert!(service.readiness().get("publish_error").is_none());
}

#[test]
fn a_broken_folder_tells_every_defect_and_changes_nothing() {
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
        let told = printed(&run(&data, &["snapshot", command, &folder]), 1);
        for part in ["Nowhere", "padria", "place-3", "name", "2030-02-30", "end_date", "links.website"] {
            assert!(told.contains(part), "{command}: {part} in {told}");
        }
        let told = printed_json(&run(&data, &["snapshot", command, &folder, "--json"]), 1);
        assert_eq!(told["ok"], false);
        assert!(told["defects"].as_array().is_some_and(|list| list.len() >= 7), "{told}");
    }
    std::fs::write(broken.join("places.json"), "[{").expect("written");
    std::fs::remove_file(broken.join("regions.json")).expect("removed");
    let told = printed(&run(&data, &["snapshot", "publish", &folder]), 1);
    assert!(told.contains("places.json") && told.contains("regions.json"), "{told}");
    printed(&run(&data, &["snapshot", "publish", "/nowhere/at/all"]), 1);

    assert_eq!(std::fs::read(data.join("depot/current.json")).expect("a pointer"), before);
    thread::sleep(Duration::from_millis(700));
    assert_eq!(version(&asked(&service, &key)), "v1");
    assert!(service.readiness().get("publish_error").is_none());
}

#[test]
fn much_vanishes_only_by_force() {
    let service = Service::start();
    let data = service.data.clone();
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    let small = guide_of(&data, 2, 20);
    let folder = small.display().to_string();
    let told = printed(&run(&data, &["snapshot", "publish", &folder]), 1);
    assert!(told.contains("30") && told.contains("20") && told.contains("--force --reason"), "{told}");
    let told = printed_json(&run(&data, &["snapshot", "publish", &folder, "--json"]), 1);
    assert!(told["alarms"][0].as_str().is_some_and(|alarm| alarm.contains("places fall")), "{told}");
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
fn what_was_forced_between_two_looks_stays_forced() {
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

/// Names a snapshot in the pointer by hand, as a depot gone wrong would.
fn point_at(data: &Path, serial: u64, digest: &str) {
    let path = data.join("depot/current.json");
    let mut pointer: Value = serde_json::from_slice(&std::fs::read(&path).expect("a pointer")).expect("JSON");
    pointer["serial"] = json!(serial);
    pointer["digest"] = json!(digest);
    std::fs::write(path, pointer.to_string()).expect("written");
}

fn publish_error(service: &Service) -> String {
    let begun = Instant::now();
    loop {
        if let Some(told) = service.readiness()["publish_error"].as_str() {
            return told.to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "no error is told");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn damage_in_the_depot_never_reaches_the_callers() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    let good = std::fs::read(data.join("depot/current.json")).expect("a pointer");
    let heal = || {
        std::fs::write(data.join("depot/current.json"), &good).expect("written");
        let begun = Instant::now();
        while service.readiness().get("publish_error").is_some() {
            assert!(begun.elapsed() < Duration::from_secs(10), "{}", service.readiness());
            thread::sleep(Duration::from_millis(20));
        }
    };
    let still_good = || {
        let told = publish_error(&service);
        assert_eq!(version(&asked(&service, &key)), "v1");
        assert_eq!(service.readiness()["status"], "ready");
        told
    };

    // the pointer, in several ways
    for damaged in
        ["", "{\"ser", "[]", "{\"serial\":-1}", "\0\0\0\0", "{\"serial\":9,\"digest\":\"../../etc/passwd\"}"]
    {
        std::fs::write(data.join("depot/current.json"), damaged).expect("written");
        assert!(still_good().contains("current.json"), "{damaged}");
        let refused = run(&data, &["snapshot", "publish", &guide(&data, 2).display().to_string()]);
        assert_eq!(refused.status.code(), Some(1), "{damaged}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("current.json"));
        heal();
    }
    // a snapshot: not there, rotten, of another content, cut
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
        still_good();
        heal();
    }
    // the file of the one in service: it is in memory; and a boot uses the copy
    let in_service: Value = serde_json::from_slice(&good).expect("JSON");
    let rotten =
        data.join(format!("depot/snapshots/{}.json.zst", in_service["digest"].as_str().expect("a digest")));
    std::fs::write(&rotten, "rotten").expect("written");
    assert_eq!(version(&asked(&service, &key)), "v1");
    let _folder = service.kill();
    let service = Service::start_on(&data);
    publish_error(&service);
    assert_eq!(version(&asked(&service, &key)), "v1");
    let third = guide(&data, 3);
    let unsure = run(&data, &["snapshot", "publish", &third.display().to_string()]);
    assert_eq!(unsure.status.code(), Some(1), "what cannot be compared is not compared");
    publish(&data, &third, &["--force", "--reason", "the depot was damaged"]);
    assert!(service.serves(2) < SOON);
    assert_eq!(version(&asked(&service, &key)), "v3");
    assert!(service.readiness().get("publish_error").is_none());
}

#[test]
fn without_the_depot_the_last_good_snapshot_is_served() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    publish(&data, &guide(&data, 2), &[]);
    service.serves(2);
    let begun = Instant::now();
    while !std::fs::read_to_string(data.join("last-good/kept.json"))
        .is_ok_and(|kept| kept.contains("\"serial\":2"))
    {
        assert!(begun.elapsed() < Duration::from_secs(5), "no copy is kept");
        thread::sleep(Duration::from_millis(10));
    }
    let _folder = service.kill();
    std::fs::remove_dir_all(data.join("depot")).expect("removed");
    let service = Service::start_on(&data);
    assert_eq!(version(&asked(&service, &key)), "v2");
    assert_eq!(service.readiness()["snapshot"]["serial"], 2);
    assert!(publish_error(&service).contains("depot"));
    // and a new beginning is followed
    publish(&data, &guide(&data, 3), &[]);
    service.serves(1);
    assert_eq!(version(&asked(&service, &key)), "v3");
    assert!(service.readiness().get("publish_error").is_none());

    // a depot that is no folder at all is an error that names it
    let file = data.with_file_name("file");
    std::fs::write(&file, "x").expect("written");
    let refused = run(&data, &["snapshot", "list", "--depot", &file.display().to_string()]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("file"));
}

#[test]
fn a_publication_that_is_killed_is_old_or_new() {
    const ROUNDS: u64 = 48;
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    let folders = [guide(&data, 1), guide(&data, 2)];
    publish(&data, &folders[0], &[]);
    let begun = Instant::now();
    publish(&data, &folders[1], &[]);
    let whole = begun.elapsed();
    let (mut serial, mut old) = (2, 0);
    let mut service = Some(service);
    for round in 0..ROUNDS {
        let folder = &folders[(round % 2) as usize];
        let mut child = program(&data)
            .args(["snapshot", "publish", &folder.display().to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        // the first rounds over the whole run, the last where files are written
        let share = if round < ROUNDS / 2 {
            (round * 2) as f64 / ROUNDS as f64
        } else {
            0.6 + (round as f64 * 0.618) % 0.5
        };
        thread::sleep(whole.mul_f64(share));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let list = printed_json(&run(&data, &["snapshot", "list", "--json"]), 0);
        let now = list[0]["serial"].as_u64().expect("a serial");
        assert!(now == serial || now == serial + 1, "{serial} then {now}");
        old += u64::from(now == serial);
        serial = now;
        if round % 12 == 11 {
            // a boot on what was left
            service.take().expect("a server").leave();
            service = Some(Service::start_on(&data));
        }
        let service = service.as_ref().expect("a server");
        service.serves(serial);
        let answer = asked(service, &key);
        assert_eq!(version(&answer), list[0]["name"], "round {round}");
        assert!(service.readiness().get("publish_error").is_none(), "{}", service.readiness());
    }
    assert!(old > 0 && old < ROUNDS, "some were killed before and some after the swap: {old} of {ROUNDS}");
    let last = publish(&data, &guide(&data, 9), &[]);
    let service = service.expect("a server");
    service.serves(last["serial"].as_u64().expect("a serial"));
    assert_eq!(version(&asked(&service, &key)), "v9");
    std::fs::remove_dir_all(data.parent().expect("a folder above")).expect("cleared");
}

#[test]
fn a_server_that_is_killed_starts_again_with_the_same() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    let mut folder = None;
    let mut service = Some(service);
    for round in 1..=6 {
        publish(&data, &guide(&data, round), &[]);
        let running = service.take().expect("a server");
        // at any moment of the swap
        thread::sleep(Duration::from_millis(round * 130));
        folder = running.kill().or(folder);
        let again = Service::start_on(&data);
        again.serves(round);
        assert_eq!(version(&asked(&again, &key)), format!("v{round}"));
        service = Some(again);
    }
    drop(service);
}

#[test]
fn a_data_folder_has_one_server() {
    let service = Service::start();
    let begun = Instant::now();
    let second = run(&service.data, &["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(1));
    let told = String::from_utf8_lossy(&second.stderr);
    assert!(told.contains("in use by another server") && told.contains("--data"), "{told}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    let other = service.data.with_file_name("other");
    let third =
        run(&other, &["serve", "--listen", &service.listen.to_string(), "--ops-listen", "127.0.0.1:0"]);
    assert_eq!(third.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&third.stderr).contains(&service.listen.to_string()));
    assert_eq!(service.readiness()["status"], "ready");
}

#[test]
fn a_server_tells_the_ports_it_was_given_and_stops_when_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut child = program(&folder.path().join("data"))
        .args(["--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--log", "json:info"])
        .stdout(std::fs::File::create(&out).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let begun = Instant::now();
    let mut told = String::new();
    while !told.contains("curl") && begun.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(20));
        told = std::fs::read_to_string(&out).expect("text");
    }
    let page = told
        .lines()
        .find_map(|line| line.strip_prefix("Health and metrics: http://")?.strip_suffix("/readyz"));
    let ready = page.and_then(|address| address.parse().ok()).map(|address| get(address, "/readyz").status);
    let stopped =
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill").success();
    let begun = Instant::now();
    let ended = loop {
        match child.try_wait().expect("a child") {
            None if begun.elapsed() < Duration::from_secs(10) => thread::sleep(Duration::from_millis(20)),
            ended => break ended,
        }
    };
    // before anything is asserted, so that it never stays behind
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(ready, Some(200), "{told}");
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
    // the order and the spelling of the files do not count, their content does
    edit(Path::new(&guide), "places.json", |places| places.reverse());
    assert_eq!(pack(&guide, "three")["digest"], one["digest"]);
    edit(Path::new(&guide), "places.json", |places| places[0]["mentions"] = json!(2));
    assert_ne!(pack(&guide, "four")["digest"], one["digest"]);
    // a packed file may be published as it is
    let published = publish(&data, Path::new(one["file"].as_str().expect("a file")), &[]);
    assert_eq!(published["digest"], one["digest"]);
}

#[test]
fn nobody_who_asks_feels_a_publication() {
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
                    assert!(now >= serial, "never back");
                    serial = now;
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let end = SetOnDrop(&done);
        for serial in 2..=PUBLICATIONS + 1 {
            publish(&data, &folders[((serial + 1) % 2) as usize], &[]);
            service.serves(serial);
        }
        drop(end);
    });
    assert!(answered.load(Ordering::Relaxed) > 100);
    assert!(service.readiness().get("publish_error").is_none());
}

/// Sets a flag when it goes, a panic included, so that no thread waits for ever.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
