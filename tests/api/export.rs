//! Copies of the whole guide: exports and changes keep one equal to the guide, on every server, and tell nothing that
//! the guide does not show.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::Path;

use candango::domain::clock::UnixMillis;
use chrono::{DateTime, Days, NaiveDate};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use snapshots::{Depot, Digest, File, Hidden, Publication, SaidHidden, WhyHidden, demo, pack, unpack};

use crate::asaas::Moved;
use crate::mail::{SOON, awaited};
use crate::publishing::{guide, publish};
use crate::service::{Answer, Service, Shared, edit, exchange, printed, printed_json, request, run, shared};

pub(crate) fn get(address: SocketAddr, key: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let headers: Vec<_> = [("x-api-key", key)].into_iter().chain(headers.iter().copied()).collect();
    exchange(address, &request("GET", path, &headers, b""))
}

/// Asks again while a snapshot that has just gone live is being prepared, as the answer says.
pub(crate) fn get_prepared(address: SocketAddr, key: &str, path: &str) -> Answer {
    let look = || Some(get(address, key, path, &[])).filter(|answer| answer.status != 503);
    awaited(path, SOON, look)
}

fn export(address: SocketAddr, key: &str, kind: &str) -> Answer {
    let answer = get_prepared(address, key, &format!("/v1/export/{kind}.ndjson"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn id_of(record: &Value) -> String {
    record["id"].as_str().expect("an id").to_owned()
}

/// Records by kind and id.
type Records = BTreeMap<(&'static str, String), Value>;

const KINDS: [&str; 2] = ["places", "events"];

/// A client's copy of the guide.
#[derive(Default)]
struct Copy {
    serial: u64,
    records: Records,
    calls: u32,
    /// The changes that it got, by their tags.
    changes: BTreeMap<String, String>,
}

impl Copy {
    fn export(&mut self, address: SocketAddr, key: &str) {
        self.records.clear();
        self.serial = u64::MAX;
        for kind in KINDS {
            let answer = export(address, key, kind);
            self.calls += 1;
            let serial = answer.header("snapshot-serial").expect("a serial").parse().expect("a number");
            self.serial = self.serial.min(serial);
            self.records.extend(lines(&answer.text()).into_iter().map(|one| ((kind, id_of(&one)), one)));
        }
    }

    /// Brings the copy up to date.
    fn follow(&mut self, address: SocketAddr, key: &str) {
        let answer = get_prepared(address, key, &format!("/v1/changes?since={}", self.serial));
        if answer.status == 410 {
            self.export(address, key);
            return;
        }
        assert_eq!(answer.status, 200, "{}", answer.text());
        self.calls += 1;
        let tag = answer.header("etag").expect("a tag").to_owned();
        let known = self.changes.entry(tag).or_insert_with(|| answer.text());
        assert_eq!(*known, answer.text(), "other changes have another tag");
        let answer = answer.json();
        for kind in KINDS {
            for record in answer["changed"][kind].as_array().expect("records") {
                self.records.insert((kind, id_of(record)), record.clone());
            }
            for id in answer["deleted"][kind].as_array().expect("ids") {
                self.records.remove(&(kind, id.as_str().expect("an id").to_owned()));
            }
        }
        self.serial = answer["serial"].as_u64().expect("a serial");
    }

    fn without_serials(&self) -> Records {
        let mut records = self.records.clone();
        for record in records.values_mut() {
            record.as_object_mut().expect("a record").remove("updated_serial");
        }
        records
    }
}

/// What searches list: the guide as it is served.
fn searched(address: SocketAddr, key: &str) -> Records {
    let mut all = Records::new();
    for kind in KINDS {
        let mut question = json!({"action": format!("search_{kind}"), "limit": 50});
        if kind == "events" {
            (question["from"], question["to"]) = ("2020-01-01".into(), "2035-01-01".into());
        }
        loop {
            let headers = [("x-api-key", key), ("content-type", "application/json")];
            let asked = request("POST", "/v1", &headers, question.to_string().as_bytes());
            let answer = exchange(address, &asked).json();
            for record in answer[kind].as_array().unwrap_or_else(|| panic!("{answer}")) {
                all.insert((kind, id_of(record)), record.clone());
            }
            match answer.get("next_cursor") {
                Some(cursor) => question["cursor"] = cursor.clone(),
                None => break,
            }
        }
    }
    all
}

/// A curator who changes a guide at random.
struct Curator {
    random: StdRng,
    places: Vec<Value>,
    events: Vec<Value>,
    made: u32,
    hidden: Hidden,
    serial: u64,
    digest: Option<Digest>,
}

impl Curator {
    fn new(seed: u64, today: NaiveDate) -> Curator {
        let random = StdRng::seed_from_u64(seed);
        let hidden = Hidden::default();
        let (places, events, digest) = (Vec::new(), Vec::new(), None);
        let mut curator = Curator { random, places, events, made: 0, hidden, serial: 0, digest };
        for _ in 0..12 {
            curator.add_place(today);
            curator.add_event(today);
        }
        curator
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    fn near(&mut self, today: NaiveDate) -> NaiveDate {
        today - Days::new(3) + Days::new(self.random.random_range(0..9))
    }

    fn window(&mut self, record: &mut Value, today: NaiveDate) {
        for field in ["show_from", "show_until"] {
            record.as_object_mut().expect("a record").remove(field);
            if self.chance(25) {
                record[field] = self.near(today).to_string().into();
            }
        }
        // the other way round it would never be shown, which is a defect
        if record["show_from"].as_str() > record["show_until"].as_str() {
            record.as_object_mut().expect("a record").remove("show_until");
        }
    }

    fn number(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    fn add_place(&mut self, today: NaiveDate) {
        let number = self.number();
        let region = *["Plano Piloto", "Taguatinga"].choose(&mut self.random).expect("one");
        let mut place = json!({"id": format!("place-{number}"), "name": format!("Casa {number}"), "region": region,
            "category": "bar", "mentions": number, "note": "a secret of the curator"});
        if self.chance(50) {
            let quadra = self.random.random_range(202..210);
            place["address"] = format!("CLN {quadra} Bloco A").into();
        }
        self.window(&mut place, today);
        self.places.push(place);
    }

    fn add_event(&mut self, today: NaiveDate) {
        let number = self.number();
        let mut event = json!({"id": format!("event-{number}"), "name": format!("Show {number}"), "region": "Plano Piloto",
            "category": "jazz"});
        match self.random.random_range(0..4) {
            0 => event["repeat"] = json!({"rule": "FREQ=WEEKLY;BYDAY=SU"}),
            1 => event["repeat"] = json!({"rule": "FREQ=MONTHLY;BYMONTHDAY=5", "except": [self.near(today)]}),
            _ => event["date"] = self.near(today).to_string().into(),
        }
        if let Some(place) = self.places.choose(&mut self.random).cloned() {
            match self.random.random_range(0..3) {
                0 => (event["place"], event["region"]) = (place["id"].clone(), place["region"].clone()),
                1 => event["venue"] = place["name"].clone(),
                _ => {}
            }
        }
        self.window(&mut event, today);
        self.events.push(event);
    }

    /// A few changes of any kind.
    fn change(&mut self, today: NaiveDate) {
        for _ in 0..self.random.random_range(1..6) {
            let is_place = self.chance(50);
            let len = if is_place { self.places.len() } else { self.events.len() };
            let at = self.random.random_range(0..len.max(1));
            match self.random.random_range(0..7) {
                0 if is_place => self.add_place(today),
                0 => self.add_event(today),
                1 if is_place && len > 5 => {
                    let gone = self.places.remove(at);
                    for event in &mut self.events {
                        if event["place"] == gone["id"] {
                            event.as_object_mut().expect("an event").remove("place");
                        }
                    }
                }
                1 if len > 5 => drop(self.events.remove(at)),
                2 if !is_place && self.events[at].get("repeat").is_some() => {
                    let day = ["MO", "TU", "SU"].choose(&mut self.random).expect("one");
                    self.events[at]["repeat"] = json!({"rule": format!("FREQ=WEEKLY;BYDAY={day}")});
                }
                kind => {
                    let name = format!("Nome {}", self.random.random_range(0..1_000));
                    let hidden =
                        [json!(true), json!(false), Value::Null][self.random.random_range(0..3)].clone();
                    let mut record = if is_place { self.places[at].clone() } else { self.events[at].clone() };
                    match kind {
                        3 => record["name"] = name.into(),
                        4 => record["hidden"] = hidden,
                        5 => self.window(&mut record, today),
                        _ => record["aliases"] = json!(["Apelido"]),
                    }
                    if record["hidden"].is_null() {
                        record.as_object_mut().expect("a record").remove("hidden");
                    }
                    *(if is_place { &mut self.places[at] } else { &mut self.events[at] }) = record;
                }
            }
        }
    }

    /// Publishes as the command does.
    async fn publish(&mut self, depot: &Depot, now: UnixMillis, today: NaiveDate) {
        let text = |list: &Vec<Value>| serde_json::to_string(list).expect("JSON");
        let files =
            demo::files().with(File::Places, text(&self.places)).with(File::Events, text(&self.events));
        let packed = pack(&files, today).unwrap_or_else(|error| panic!("{error}"));
        depot.store(&packed).await.expect("stored");
        let at = DateTime::from_timestamp_millis(now.0).expect("a time");
        let new = Publication {
            serial: self.serial + 1,
            digest: packed.digest,
            name: packed.name.clone(),
            places: 0,
            events: 0,
            published_at: at,
            by: None,
            note: None,
            forced: Some("a test".to_owned()),
        };
        self.serial = depot.publish(new).await.expect("published").entry.serial;
        self.digest = Some(packed.digest);
        let snapshot = unpack(&packed.bytes, None).expect("a snapshot");
        let (ended, gone) =
            (self.hidden.ended_by(&snapshot, at, today), self.hidden.gone_from(&snapshot, today));
        if self.hidden.note_gone(&gone, at) || !ended.is_empty() {
            self.hidden.show_again(&ended, at);
            self.replace_hidden(depot).await;
        }
    }

    async fn replace_hidden(&mut self, depot: &Depot) {
        self.hidden.version += 1;
        depot.replace_hidden(self.hidden.clone()).await.expect("replaced");
    }

    /// Hides a record, an event that repeats, or a date of one.
    async fn hide(&mut self, depot: &Depot, now: UnixMillis, served: &Records) {
        let keys: Vec<&(&str, String)> = served.keys().collect();
        let Some((kind, id)) = keys.choose(&mut self.random) else { return };
        let series = served[&(*kind, id.clone())]["series"].as_str().map(str::to_owned);
        let id = series.filter(|_| self.chance(30)).unwrap_or(id.clone());
        let at = DateTime::from_timestamp_millis(now.0).expect("a time");
        let said = SaidHidden::default();
        let why = WhyHidden { reason: "a test".to_owned(), by: "ana".to_owned(), at, said, gone_at: None };
        self.hidden.records.insert(id, why);
        self.replace_hidden(depot).await;
    }
}

/// Nights of three clients with a guide that changes at random.
fn nightly(seed: u64, publications: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut service = Moved::start(&["plans.pro.per_minute=1000000".to_owned()]);
    let address = service.address();
    let depot = Depot::open(service.data().join("depot").to_str().expect("text")).expect("a depot");
    let issued = run(&service.data(), &["key", "issue", "--email", "n@b.c", "--plan", "pro", "--json"]);
    let key = printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned();
    let mut now = UnixMillis(1_790_000_000_000);
    let today = |now: UnixMillis| candango::domain::clock::day_of(now);
    let mut curator = Curator::new(seed, today(now));
    runtime.block_on(curator.publish(&depot, now, today(now)));
    let settled = |curator: &Curator, service: &Moved, day: NaiveDate| {
        awaited("the edition", SOON, || {
            let current = service.app.as_ref().expect("running").serving.current()?.version;
            let is_current = (current.serial, Some(current.digest), current.hidden)
                == (curator.serial, curator.digest, curator.hidden.version);
            (is_current && (current.day == day || !has_days(curator))).then_some(())
        });
    };
    settled(&curator, &service, today(now));
    awaited("the key", SOON, || (get(address, &key, "/v1/summary", &[]).status == 200).then_some(()));
    let mut copies: [(Copy, u32); 3] = [1, 3, 8].map(|nights| (Copy::default(), nights));
    for (copy, _) in &mut copies {
        copy.export(address, &key);
    }
    let mut night = 0;
    while curator.serial < publications {
        night += 1;
        for _ in 0..curator.random.random_range(0..3) {
            curator.change(today(now));
            runtime.block_on(curator.publish(&depot, now, today(now)));
            // some hours pass
            now = UnixMillis(now.0 + 3_600_000 * curator.random.random_range(1..30));
            service.sets(now);
        }
        settled(&curator, &service, today(now));
        if curator.chance(40) {
            let served = searched(address, &key);
            runtime.block_on(curator.hide(&depot, now, &served));
        }
        now = UnixMillis(now.0 + 3_600_000 * curator.random.random_range(10..40));
        service.sets(now);
        settled(&curator, &service, today(now));
        let guide = searched(address, &key);
        let mut exported = Copy::default();
        exported.export(address, &key);
        assert_eq!(exported.without_serials(), guide, "the export is the guide");
        for (copy, nights) in &mut copies {
            if night % *nights != 0 {
                continue;
            }
            let before = copy.calls;
            copy.follow(address, &key);
            assert!(copy.calls - before <= 2, "night {night}");
            let (copied, about) =
                (copy.without_serials(), format!("seed {seed}, night {night}, serial {}", curator.serial));
            for (id, record) in &guide {
                assert_eq!(copied.get(id), Some(record), "{about}: {id:?}");
            }
            let more: Vec<_> = copied.keys().filter(|id| !guide.contains_key(*id)).collect();
            assert!(more.is_empty(), "{about}: {more:?} is not in the guide");
            for (id, record) in &exported.records {
                let known = &record["updated_serial"];
                assert!(known.is_null() || copy.records[id]["updated_serial"] == *known, "{about}: {id:?}");
            }
        }
    }
}

/// Whether another day makes the guide anew.
fn has_days(curator: &Curator) -> bool {
    let fields = ["show_from", "show_until", "repeat"];
    curator
        .places
        .iter()
        .chain(&curator.events)
        .any(|record| fields.iter().any(|one| record.get(one).is_some()))
}

#[test]
fn a_nightly_copy_by_changes_equals_the_guide() {
    nightly(1, 20);
}

#[test]
fn copies_of_other_guides_equal_them_too() {
    for seed in 2..5 {
        nightly(seed, 20);
    }
}

/// Records name their pages and answers the site, so that servers of one guide have one address.
const ADDRESSES: [&str; 2] = ["base_url=http://localhost", "service_site=http://localhost"];

/// A service with so many publications of a guide, of which each renames one place.
fn published(times: u64) -> Service {
    let service = Service::start_with(&ADDRESSES);
    let folder = guide(&service.data, 1);
    for serial in 1..=times {
        edit(&folder, "places.json", |places| places[3]["name"] = json!(format!("Casa {serial}")));
        publish(&service.data, &folder, &[]);
    }
    service.serves(times);
    service
}

fn hide(data: &Path, id: &str) {
    printed(&run(data, &["snapshot", "hide", id, "--reason", "a test"]), 0);
}

#[test]
fn every_server_gives_the_same_answers_also_after_a_restart() {
    let service = published(4);
    let key = service.key("pro");
    hide(&service.data, "place-7");
    let depot = format!("depot={}", service.data.join("depot").display());
    let home = tempfile::tempdir().expect("a folder");
    let other = Service::start_on_with(&home.path().join("data"), &[&depot, ADDRESSES[0], ADDRESSES[1]]);
    let other_key = other.key("pro");
    let is_hidden = |service: &Service, key: &str| {
        awaited("the hidden record", SOON, || {
            let answer = get(service.listen, key, "/v1/export/places.ndjson", &[]);
            (answer.status == 200 && !answer.text().contains("\"place-7\"")).then_some(())
        });
    };
    is_hidden(&service, &key);
    is_hidden(&other, &other_key);
    let mut paths = vec!["/v1/export/places.ndjson".to_owned(), "/v1/export/events.ndjson".to_owned()];
    paths.extend((1..=4).map(|since| format!("/v1/changes?since={since}")));
    let mut seen = Vec::new();
    for path in &paths {
        let (one, two) = (get(service.listen, &key, path, &[]), get(other.listen, &other_key, path, &[]));
        assert_eq!((one.status, two.status), (200, 200), "{path}: {}", one.text());
        assert_eq!(one.text(), two.text(), "{path}");
        assert_eq!(one.header("etag"), two.header("etag"), "{path}");
        seen.push(one.text());
    }
    let changed: Value = serde_json::from_str(&seen[4]).expect("JSON");
    assert_eq!(changed["changed"]["places"][0]["updated_serial"], 4, "{changed}");
    assert_eq!(changed["deleted"]["places"], json!(["place-7"]));
    let places = lines(&seen[0]);
    let serial =
        |id: &str| places.iter().find(|place| place["id"] == id).expect("a place")["updated_serial"].clone();
    assert_eq!((serial("place-3"), serial("place-4")), (json!(4), json!(1)));

    let data = service.data.clone();
    let _folder = service.kill();
    let again = Service::start_on_with(&data, &ADDRESSES);
    for (path, before) in paths.iter().zip(&seen) {
        assert_eq!(get_prepared(again.listen, &key, path).text(), *before, "{path}");
    }
}

#[test]
fn changes_go_back_thirty_publications_and_as_far_as_the_depot_does() {
    let service = published(33);
    let key = service.key("pro");
    let since = |serial: u64| get_prepared(service.listen, &key, &format!("/v1/changes?since={serial}"));
    let first = since(3);
    assert_eq!(first.status, 200, "{}", first.text());
    for serial in [0, 1, 2, 34] {
        let answer = since(serial);
        assert_eq!((answer.status, &answer.json()["code"]), (410, &json!("too_old")), "{serial}");
        assert!(answer.text().contains("/v1/export/places.ndjson"), "{}", answer.text());
        let says_newer = answer.text().contains("since is newer than the guide");
        assert_eq!(says_newer, serial == 34, "{}", answer.text());
    }
    // hides are no publications
    for at in 10..13 {
        hide(&service.data, &format!("place-{at}"));
    }
    let hidden = json!(["place-10", "place-11", "place-12"]);
    awaited("the hidden records", SOON, || (since(3).json()["deleted"]["places"] == hidden).then_some(()));
    assert_eq!(since(3).json()["changed"]["places"].as_array().map(Vec::len), Some(1));

    // a snapshot that is removed from the depot ends what can be told
    let list = run(&service.data, &["snapshot", "list", "--json"]);
    let list = printed_json(&list, 0);
    let lost = list["publications"].as_array().expect("publications").iter().find(|one| one["serial"] == 10);
    let digest = lost.expect("a publication")["digest"].as_str().expect("a digest");
    let file = service.data.join("depot/snapshots").join(format!("{digest}.json.zst"));
    std::fs::remove_file(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    hide(&service.data, "place-13");
    awaited("what the depot still has", SOON, || (since(10).status == 410).then_some(()));
    assert_eq!(since(11).status, 200);
}

#[test]
fn a_copy_of_the_demo_follows_it_until_something_is_published() {
    let service = Service::start_with(&ADDRESSES);
    let key = service.key("pro");
    let mut copy = Copy::default();
    copy.export(service.listen, &key);
    assert_eq!((copy.serial, copy.calls), (0, 2));
    for _ in 0..2 {
        copy.follow(service.listen, &key);
    }
    assert_eq!((copy.serial, copy.calls), (0, 4), "no export again");
    let current = get(service.listen, &key, "/v1/changes?since=0", &[]).json();
    let none = json!({"places": [], "events": []});
    assert_eq!((&current["changed"], &current["deleted"]), (&none, &none));
    let newer = get(service.listen, &key, "/v1/changes?since=7", &[]);
    assert_eq!((newer.status, &newer.json()["code"]), (410, &json!("too_old")), "{}", newer.text());
    assert!(newer.text().contains("since is newer than the guide"), "{}", newer.text());

    publish(&service.data, &guide(&service.data, 1), &[]);
    service.serves(1);
    copy.follow(service.listen, &key);
    assert_eq!((copy.serial, copy.calls), (1, 6), "the first publication replaces the demo");
}

#[test]
fn an_export_of_records_with_positions_credits_their_source() {
    let Shared { service, pro, .. } = shared();
    let base = format!("http://{}", service.listen);
    let link = format!(
        "<{base}/positions.json>; rel=\"license\"; title*=UTF-8''%C2%A9%20OpenStreetMap%20contributors"
    );
    for kind in KINDS {
        let answer = export(service.listen, pro, kind);
        assert!(answer.text().contains("\"location\":"), "{kind}");
        assert_eq!(answer.header("link"), Some(link.as_str()), "{kind}");
        let tag = answer.header("etag").expect("a tag");
        let kept = get(service.listen, pro, &format!("/v1/export/{kind}.ndjson"), &[("if-none-match", tag)]);
        assert_eq!((kept.status, kept.header("link")), (304, Some(link.as_str())), "{kind}");
    }
    let changes = get_prepared(service.listen, pro, "/v1/changes?since=0").json();
    assert_eq!(changes["attribution"]["positions"], "© OpenStreetMap contributors", "{changes}");

    // a guide without positions credits nobody for them
    let service = Service::start();
    let folder = guide(&service.data, 1);
    std::fs::remove_file(folder.join("positions.json")).expect("removed");
    publish(&service.data, &folder, &[]);
    service.serves(1);
    let answer = export(service.listen, &service.key("pro"), "places");
    assert_eq!(answer.header("link"), None);
}

#[test]
fn an_export_is_sent_in_the_coding_that_a_client_takes_and_is_one_call() {
    let service = published(1);
    let key = service.key("pro");
    let used = || service.good(&key, json!({"action": "usage"}));
    let path = "/v1/export/places.ndjson";
    let plain = export(service.listen, &key, "places");
    assert_eq!(plain.header("content-type"), Some("application/x-ndjson; charset=utf-8"));
    assert_eq!(plain.header("snapshot-serial"), Some("1"));
    assert_eq!(lines(&plain.text()).len(), 30);
    let zstd = get(service.listen, &key, path, &[("accept-encoding", "gzip, zstd")]);
    assert_eq!(zstd.header("content-encoding"), Some("zstd"));
    assert_eq!(zstd::decode_all(&*zstd.body).expect("zstd"), plain.body);
    let gzip = get(service.listen, &key, path, &[("accept-encoding", "gzip, zstd;q=0.5")]);
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&*gzip.body).read_to_end(&mut text).expect("gzip");
    assert_eq!(text, plain.body);
    assert!(zstd.body.len() * 4 < plain.body.len());
    assert_eq!(used()["calls_this_month"], 3);
    assert_eq!(used()["by_action"], json!({"export": 3}));

    // each form has a tag of its own, and a client that has it pays nothing
    let tags = [&plain, &zstd, &gzip].map(|answer| answer.header("etag").expect("a tag").to_owned());
    assert!(tags[0] != tags[1] && tags[1] != tags[2]);
    let kept = get(service.listen, &key, path, &[("if-none-match", &tags[0])]);
    assert_eq!((kept.status, kept.body.len(), kept.header("etag")), (304, 0, Some(tags[0].as_str())));
    for answer in [&plain, &kept] {
        assert_eq!(answer.header("vary"), Some("accept-encoding, authorization, x-api-key, origin"));
    }
    let changes = get(service.listen, &key, "/v1/changes?since=1", &[]);
    let tag = changes.header("etag").expect("a tag");
    assert_eq!(get(service.listen, &key, "/v1/changes?since=1", &[("if-none-match", tag)]).status, 304);
    assert_eq!(used()["calls_this_month"], 4);
    let head = exchange(service.listen, &request("HEAD", path, &[("x-api-key", &key)], b""));
    assert_eq!((head.status, head.header("etag")), (200, Some(tags[0].as_str())));
    assert_eq!(head.header("content-length"), Some(plain.body.len().to_string().as_str()));
}

#[test]
fn an_account_whose_month_is_spent_makes_the_server_do_nothing() {
    let service = Service::start_with(&["plans.gringo.per_month=2"]);
    let key = service.key("gringo");
    let ask = |path: &str, tag: &str| get(service.listen, &key, path, &[("if-none-match", tag)]);
    let first = ask("/v1/export/places.ndjson", "\"none\"");
    assert_eq!(first.status, 200, "{}", first.text());
    let tag = first.header("etag").expect("a tag").to_owned();
    assert_eq!(ask("/v1/export/places.ndjson", &tag).status, 304, "a 304 is none of the month");
    assert_eq!(ask("/v1/export/places.ndjson", "\"none\"").status, 200);
    // that it is too old would be found while the changes are made
    for path in ["/v1/changes?since=999", "/v1/export/events.ndjson", "/v1/export/places.ndjson"] {
        let refused = ask(path, "\"none\"");
        assert_eq!((refused.status, &refused.json()["code"]), (429, &json!("quota_exceeded")), "{path}");
        assert!(refused.header("retry-after").is_some(), "{path}");
    }
    assert_eq!(ask("/v1/export/places.ndjson", &tag).status, 304, "it is made already");
}

#[test]
fn only_paid_plans_copy_the_guide() {
    let Shared { service, free, .. } = shared();
    for path in ["/v1/export/places.ndjson", "/v1/export/events.ndjson", "/v1/changes?since=0"] {
        let refused = get(service.listen, free, path, &[]);
        assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("plan_export")), "{path}");
        assert_eq!(crate::service::get(service.listen, path).status, 401, "{path}");
    }
}

#[test]
fn what_is_not_shown_is_in_no_copy() {
    let service = Service::start();
    let folder = guide(&service.data, 1);
    publish(&service.data, &folder, &[]);
    let key = service.key("pro");
    let soon = (chrono::DateTime::from_timestamp_millis(candango::domain::clock::Clock::machine().now().0)
        .expect("a time")
        .date_naive()
        + Days::new(5))
    .to_string();
    hide(&service.data, "place-9");
    // what was never shown comes and goes, and what is hidden changes
    for round in 0..2 {
        edit(&folder, "places.json", |places| {
            places.truncate(30);
            places[9]["name"] = json!(format!("Unsaid {round}"));
            places[1]["note"] = json!("Unsaid note");
            if round == 0 {
                places.push(json!({"id": "unsaid-1", "name": "Unsaid", "region": "Plano Piloto", "category": "padaria", "hidden": true}));
                places.push(json!({"id": "unsaid-2", "name": "Unsaid", "region": "Plano Piloto", "category": "padaria", "show_from": soon}));
            }
        });
        publish(&service.data, &folder, &[]);
    }
    service.serves(3);
    // a copy that began after the place was hidden never had it; the clocks are trusted to five minutes
    for since in [1, 2, 3] {
        let answer = get_prepared(service.listen, &key, &format!("/v1/changes?since={since}"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(!answer.text().to_lowercase().contains("unsaid"), "{}", answer.text());
    }
    for kind in KINDS {
        let text = export(service.listen, &key, kind).text().to_lowercase();
        assert!(!text.contains("unsaid") && !text.contains("\"place-9\""), "{text}");
    }
}
