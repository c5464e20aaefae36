//! `/readyz` is honest: 503 with the reason while calls with a key fail, and 200 soon after the fault has ended.
//! `/readyz/guide` stays 200 as long as the guide is served.

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use crate::mail::awaited;
use crate::redis::{Proxy, RedisServer};
use crate::service::{Service, get, printed, printed_json, run};

/// How soon the end of a fault shows: 2 s, and as long again for a busy machine, whose disk syncs slowly.
const SOON: Duration = Duration::from_secs(4);

/// How soon a fault shows.
const SHOWS: Duration = Duration::from_secs(5);

/// Waits until `/readyz` gives a reason; `None` until it is ready.
fn becomes(service: &Service, reason: Option<&str>, most: Duration) {
    let begun = Instant::now();
    loop {
        let answer = get(service.ops, "/readyz");
        let found = answer.json()["reason"].as_str().map(str::to_owned);
        assert_eq!(answer.status == 200, found.is_none(), "{}", answer.text());
        if found.as_deref() == reason {
            return;
        }
        assert!(begun.elapsed() < most, "{reason:?} after {most:?}: {}\n{}", answer.text(), service.log());
        thread::sleep(Duration::from_millis(20));
    }
}

fn guide_status(service: &Service) -> u16 {
    get(service.ops, "/readyz/guide").status
}

/// A key that the server has not met yet.
fn new_key(data: &Path, email: &str, more: &[&str]) -> String {
    let issued = run(data, &[&["key", "issue", "--email", email, "--plan", "pro", "--json"], more].concat());
    printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned()
}

fn status(service: &Service, key: &str) -> u16 {
    service.ask(key, json!({"action": "summary"})).status
}

/// Limits the size of files that a server may write.
fn limit_files(service: &Service, bytes: Option<u64>) {
    let id = Pid::from_raw(i32::try_from(service.id()).expect("an id"));
    let limit = Rlimit { current: bytes, maximum: None };
    prlimit(id, Resource::Fsize, limit).expect("limited");
}

#[test]
fn the_guide_has_a_readiness_of_its_own() {
    let service = Service::start();
    let answer = get(service.ops, "/readyz/guide");
    assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("ready")));
    assert_eq!(answer.json()["snapshot"], service.readiness()["snapshot"]);
    assert_eq!(service.readiness().get("reason"), None);
}

#[test]
fn a_database_that_cannot_be_written_makes_the_service_unready() {
    let service = Service::start();
    let (early, late) = (service.key("pro"), new_key(&service.data, "late@b.c", &[]));
    limit_files(&service, Some(4_096));
    becomes(&service, Some("store_failed"), SHOWS);
    assert_eq!((status(&service, &late), guide_status(&service)), (503, 200));
    assert!(service.readiness()["store"].as_str().is_some_and(|store| store.contains("I/O")));
    limit_files(&service, None);
    becomes(&service, None, SOON);
    assert_eq!((status(&service, &late), status(&service, &early)), (200, 200));
}

#[test]
fn a_server_that_starts_without_its_store_serves_the_guide_and_keys_when_it_is_back() {
    let mut redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let service = Service::start_with(&[&store]);
    let key = new_key(&service.data, "known@b.c", &["--set", &store]);
    let data = service.data.clone();
    let _folder = service.kill();
    redis.kill();
    let again = Service::start_unready_under(&data, &[&store], &[]);
    awaited("the guide", Duration::from_secs(60), || (guide_status(&again) == 200).then_some(()));
    becomes(&again, Some("store_unreachable"), SHOWS);
    assert_eq!((status(&again, &key), get(again.listen, "/").status), (503, 200));
    redis.restart();
    becomes(&again, None, SOON);
    awaited("calls with a key", SOON, || (status(&again, &key) == 200).then_some(()));
    // it is known to others from then on: they wait for it
    let block = ["account", "block", "--email", "known@b.c", "--reason", "leaked", "--set", &store];
    printed(&run(&data, &block), 0);
    assert_eq!(status(&again, &key), 401);
}

#[test]
fn a_damaged_page_makes_the_service_unready() {
    let service = Service::start();
    let data = service.data.clone();
    let key = service.key("pro");
    let _folder = service.kill();
    let path = data.join("candango.db");
    let database = rusqlite::Connection::open(&path).expect("a database");
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a checkpoint");
    let root: u32 = database
        .query_row("SELECT rootpage FROM sqlite_master WHERE name = 'keys'", [], |row| row.get(0))
        .expect("a page");
    let size: u32 = database.pragma_query_value(None, "page_size", |row| row.get(0)).expect("a size");
    drop(database);
    let file = std::fs::File::options().write(true).open(&path).expect("the file");
    let at = u64::from(root - 1) * u64::from(size);
    file.write_all_at(&[0xff; 512], at).expect("damaged");
    let again = Service::start_unready(&data);
    becomes(&again, Some("store_damaged"), SHOWS);
    awaited("the guide", Duration::from_secs(60), || (guide_status(&again) == 200).then_some(()));
    assert_eq!(status(&again, &key), 503);
    becomes(&again, Some("store_damaged"), SHOWS);
}

#[test]
fn a_database_that_was_deleted_or_replaced_makes_the_service_unready() {
    let service = Service::start();
    let (path, aside) = (service.data.join("candango.db"), service.data.join("aside.db"));
    std::fs::rename(&path, &aside).expect("moved");
    becomes(&service, Some("store_missing"), SHOWS);
    assert_eq!(guide_status(&service), 200);
    std::fs::copy(&aside, &path).expect("copied");
    let begun = Instant::now();
    while !service.readiness()["store"].to_string().contains("was replaced") {
        assert!(begun.elapsed() < SHOWS, "another file is no better: {}", service.readiness());
        thread::sleep(Duration::from_millis(20));
    }
    std::fs::rename(&aside, &path).expect("moved back");
    becomes(&service, None, SOON);
}

#[test]
fn a_redis_that_is_full_read_only_or_emptied_makes_the_service_unready() {
    let redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let service = Service::start_with(&[&store]);
    let key = new_key(&service.data, "late@b.c", &["--set", &store]);
    let fails = |reason: &str| {
        becomes(&service, Some(reason), SHOWS);
        assert_eq!((status(&service, &key), guide_status(&service)), (503, 200), "{reason}");
    };
    redis.say::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
    fails("store_full");
    redis.say::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
    becomes(&service, None, SOON);

    redis.say::<()>(&["REPLICAOF", "127.0.0.1", "1"]);
    fails("store_read_only");
    redis.say::<()>(&["REPLICAOF", "NO", "ONE"]);
    becomes(&service, None, SOON);
    // after a promotion nothing new is granted for two seconds
    let begun = Instant::now();
    while status(&service, &key) != 200 {
        assert!(begun.elapsed() < SOON, "it is not served again");
        thread::sleep(Duration::from_millis(20));
    }

    redis.say::<()>(&["FLUSHALL"]);
    fails("store_empty");
    printed(&run(&service.data, &["store", "begin", "--set", &store]), 0);
    becomes(&service, None, SOON);
}

#[test]
fn a_server_that_is_cut_off_from_redis_is_unready_once_it_trusts_its_cache_no_longer() {
    let redis = RedisServer::start();
    let proxy = Proxy::to(redis.port);
    let start = |url: &str| Service::start_with(&[&format!("store={url}"), "limits.trust_window_ms=3000"]);
    let services = [start(&redis.url()), start(&redis.url()), start(&proxy.url())];
    let cut_off = &services[2];
    let key = new_key(&cut_off.data, "known@b.c", &["--set", &format!("store={}", redis.url())]);
    assert_eq!(status(cut_off, &key), 200);
    proxy.lose_one_of(1);
    let begun = Instant::now();
    while get(cut_off.ops, "/readyz").status == 200 {
        assert!(begun.elapsed() < Duration::from_secs(6), "it is ready for ever");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(
        begun.elapsed() > Duration::from_secs(2),
        "known keys are served meanwhile: {:?}",
        begun.elapsed()
    );
    becomes(cut_off, Some("store_unreachable"), SHOWS);
    assert_eq!((status(cut_off, &key), guide_status(cut_off)), (503, 200));
    let others: Vec<Value> = services[..2].iter().map(Service::readiness).collect();
    assert!(others.iter().all(|one| one["status"] == "ready"), "{others:?}");
    proxy.lose_one_of(0);
    becomes(cut_off, None, SOON);
    assert_eq!(status(cut_off, &key), 200);
}

#[test]
fn a_frozen_redis_makes_the_service_unready_after_the_trust_window() {
    let redis = RedisServer::start();
    let service = Service::start_with(&[&format!("store={}", redis.url()), "limits.trust_window_ms=3000"]);
    redis.freeze(true);
    becomes(&service, Some("store_unreachable"), Duration::from_secs(6));
    assert_eq!(guide_status(&service), 200);
    redis.freeze(false);
    becomes(&service, None, SOON);
}
