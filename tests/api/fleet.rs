//! Quotas are right to the unit, on one machine and over several that share a Redis, whatever dies meanwhile.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rand::RngExt;
use serde_json::{Value, json};

use crate::mail::contents;
use crate::redis::{Proxy, RedisServer};
use crate::service::{Answer, Service, exchange, open, printed, printed_json, read, request, run};

/// The month of the plan that the fleets are tried with.
const QUOTA: usize = 1_000;

/// The most calls that one process holds at once of such a month.
const LEASE: usize = 64;

/// Servers that share a Redis, and a key whose plan allows [`QUOTA`] calls a month.
struct Fleet {
    redis: RedisServer,
    services: Vec<Service>,
    settings: Vec<String>,
    key: String,
}

impl Fleet {
    fn start(count: usize, settings: &[&str]) -> Fleet {
        let redis = RedisServer::start();
        let url = redis.url();
        Fleet::start_by(redis, &url, count, settings)
    }

    /// Servers that know the Redis by another address: that of a proxy.
    fn start_by(redis: RedisServer, url: &str, count: usize, settings: &[&str]) -> Fleet {
        let mut all = vec![format!("store={url}"), format!("plans.gringo.per_month={QUOTA}")];
        all.push("plans.gringo.per_minute=1000000".to_owned());
        all.extend(settings.iter().map(|setting| (*setting).to_owned()));
        let mut fleet = Fleet { redis, services: Vec::new(), settings: all, key: String::new() };
        fleet.services = (0..count).map(|_| fleet.another()).collect();
        fleet.key = fleet.issue("maria@example.com", "gringo");
        fleet
    }

    fn another(&self) -> Service {
        let settings: Vec<&str> = self.settings.iter().map(String::as_str).collect();
        Service::start_with(&settings)
    }

    /// Runs a command beside the servers.
    fn command(&self, words: &[&str]) -> std::process::Output {
        let store = format!("store={}", self.redis.url());
        run(&self.services[0].data, &[words, &["--set", &store]].concat())
    }

    fn issue(&self, email: &str, plan: &str) -> String {
        let issued = self.command(&["key", "issue", "--email", email, "--plan", plan, "--json"]);
        printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned()
    }

    fn doors(&self) -> Vec<SocketAddr> {
        self.services.iter().map(|service| service.listen).collect()
    }

    /// What is answered from each door, until all of them say that the month is spent.
    fn rest(&self) -> usize {
        let mut answered = 0;
        let begun = Instant::now();
        loop {
            let statuses: Vec<u16> =
                self.services.iter().map(|one| one.ask(&self.key, search()).status).collect();
            answered += statuses.iter().filter(|status| **status == 200).count();
            if statuses.iter().all(|status| *status == 429) {
                return answered;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{statuses:?}");
            if !statuses.contains(&200) {
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

fn search() -> Value {
    json!({"action": "search_places", "limit": 1})
}

/// How many calls were answered 200, 429 and otherwise.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    good: usize,
    refused: usize,
    other: usize,
}

/// Makes calls over 16 connections, each to a door, and does something else meanwhile.
fn spread(doors: &[SocketAddr], key: &str, calls: usize, meanwhile: impl FnOnce(&AtomicUsize)) -> Tally {
    let body = search().to_string();
    let asking = request("POST", "/v1", &[("x-api-key", key)], body.as_bytes());
    let made = AtomicUsize::new(0);
    let tallies = [const { AtomicUsize::new(0) }; 3];
    thread::scope(|scope| {
        for number in 0..16 {
            let (asking, made, tallies) = (&asking, &made, &tallies);
            let door = doors[number % doors.len()];
            scope.spawn(move || {
                let mut stream = None;
                while made.fetch_add(1, Ordering::Relaxed) < calls {
                    let answer = on(&mut stream, door, asking);
                    let place = match answer.map(|answer| answer.status) {
                        Some(200) => 0,
                        Some(429) => 1,
                        _ => 2,
                    };
                    tallies[place].fetch_add(1, Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(rand::rng().random_range(0..8)));
                }
            });
        }
        meanwhile(&made);
    });
    let [good, refused, other] = tallies.map(AtomicUsize::into_inner);
    Tally { good, refused, other }
}

/// One call on a connection that is opened again when it has ended.
fn on(stream: &mut Option<std::net::TcpStream>, door: SocketAddr, asking: &[u8]) -> Option<Answer> {
    use std::io::Write;
    if stream.is_none() {
        *stream = std::net::TcpStream::connect(door).ok();
        stream.as_ref()?.set_read_timeout(Some(Duration::from_secs(40))).ok()?;
    }
    let answer = stream.as_mut().and_then(|stream| {
        stream.write_all(asking).ok()?;
        read(stream, false)
    });
    if answer.is_none() {
        *stream = None;
        thread::sleep(Duration::from_millis(20));
    }
    answer
}

/// Waits until so many calls were made.
fn reach(made: &AtomicUsize, calls: usize) {
    let begun = Instant::now();
    while made.load(Ordering::Relaxed) < calls {
        assert!(begun.elapsed() < Duration::from_secs(60), "the calls do not go on");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn three_processes_answer_exactly_the_quota() {
    let fleet = Fleet::start(3, &[]);
    let tally = spread(&fleet.doors(), &fleet.key, 1_200, |_| {});
    assert_eq!(tally, Tally { good: QUOTA, refused: 200, other: 0 });
    for service in &fleet.services {
        let usage = service.good(&fleet.key, json!({"action": "usage"}));
        assert_eq!(
            (&usage["calls_this_month"], &usage["calls_remaining"], &usage["by_action"]),
            (&json!(QUOTA), &json!(0), &json!({"search_places": QUOTA}))
        );
    }
}

#[test]
fn a_process_that_is_killed_costs_at_most_its_lease() {
    let mut fleet = Fleet::start(3, &[]);
    let doors = fleet.doors();
    let victim = fleet.services.remove(1);
    let (data, settings) = (victim.data.clone(), fleet.settings.clone());
    let mut folder = None;
    let tally = spread(&doors, &fleet.key, 1_200, |made| {
        reach(made, 500);
        folder = victim.kill();
    });
    assert!(tally.good <= QUOTA && tally.good >= QUOTA - 16 - LEASE, "{tally:?}");
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    fleet.services.push(Service::start_on_with(&data, &settings));
    let all = tally.good + fleet.rest();
    // calls whose answer died with the process were made too
    assert!((QUOTA - LEASE - 16..=QUOTA).contains(&all), "{all} after {tally:?}");
    drop(folder);
}

#[test]
fn a_process_that_is_frozen_keeps_its_lease_and_goes_on_with_it() {
    let fleet = Fleet::start(3, &[]);
    let tally = spread(&fleet.doors(), &fleet.key, 1_200, |made| {
        reach(made, 400);
        fleet.services[2].signal("-STOP");
        thread::sleep(Duration::from_secs(20));
        fleet.services[2].signal("-CONT");
    });
    assert!(tally.good <= QUOTA && tally.other == 0, "{tally:?}");
    assert_eq!(tally.good + fleet.rest(), QUOTA);
}

#[test]
fn connections_that_are_cut_change_no_quota() {
    let fleet = Fleet::start(3, &[]);
    let over = AtomicBool::new(false);
    let tally = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                fleet.redis.say::<()>(&["CLIENT", "KILL", "TYPE", "normal"]);
                thread::sleep(Duration::from_millis(10));
            }
        });
        let tally = spread(&fleet.doors(), &fleet.key, 1_200, |_| {});
        over.store(true, Ordering::Relaxed);
        tally
    });
    assert!(tally.good <= QUOTA, "{tally:?}");
    assert_eq!(tally.good + fleet.rest(), QUOTA);
}

#[test]
fn a_redis_that_is_killed_and_restarted_changes_no_quota() {
    let mut fleet = Fleet::start(3, &[]);
    let (doors, key) = (fleet.doors(), fleet.key.clone());
    let redis = &mut fleet.redis;
    let tally = spread(&doors, &key, 1_200, |made| {
        reach(made, 300);
        redis.kill();
        thread::sleep(Duration::from_millis(500));
        redis.restart();
    });
    assert!(tally.good <= QUOTA, "{tally:?}");
    assert_eq!(tally.good + fleet.rest(), QUOTA);
}

#[test]
fn replies_that_are_lost_change_no_quota() {
    let redis = RedisServer::start();
    let proxy = Proxy::to(redis.port);
    let url = proxy.url();
    let fleet = Fleet::start_by(redis, &url, 3, &[]);
    let tally = spread(&fleet.doors(), &fleet.key, 1_200, |made| {
        while made.load(Ordering::Relaxed) < 1_150 {
            proxy.lose_one_of(3);
            thread::sleep(Duration::from_millis(100));
            proxy.lose_one_of(0);
            thread::sleep(Duration::from_millis(100));
        }
    });
    assert!(tally.good <= QUOTA, "{tally:?}");
    assert_eq!(tally.good + fleet.rest(), QUOTA);
}

#[test]
fn a_change_of_plan_holds_everywhere_within_a_second() {
    let fleet = Fleet::start(3, &["plans.free.per_month=3"]);
    for service in &fleet.services {
        assert_eq!(service.ask(&fleet.key, search()).status, 200);
    }
    let limit =
        |service: &Service| service.good(&fleet.key, json!({"action": "usage"}))["monthly_limit"].clone();
    for (plan, month) in [("free", 3), ("pro", 100_000_000), ("gringo", QUOTA)] {
        printed(&fleet.command(&["account", "plan", "--email", "maria@example.com", "--plan", plan]), 0);
        let begun = Instant::now();
        while fleet.services.iter().any(|service| limit(service) != json!(month)) {
            assert!(begun.elapsed() < Duration::from_secs(2), "{plan} is not known everywhere");
        }
        let expected = if plan == "free" { 429 } else { 200 };
        for service in &fleet.services {
            assert_eq!(service.ask(&fleet.key, search()).status, expected, "{plan}");
        }
    }
}

#[test]
fn after_a_rotation_is_answered_no_process_takes_the_old_key() {
    let fleet = Fleet::start(3, &["plans.pro.per_minute=1000000"]);
    let mut key = fleet.issue("rotor@example.com", "pro");
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for door in fleet.doors() {
            let (key, over) = (&fleet.key, &over);
            scope.spawn(move || {
                let asking = request("POST", "/v1", &[("x-api-key", key)], br#"{"action":"summary"}"#);
                let mut stream = None;
                while !over.load(Ordering::Relaxed) {
                    on(&mut stream, door, &asking);
                }
            });
        }
        for round in 0..500 {
            let service = &fleet.services[round % 3];
            let rotated = rotate(service.listen, &key);
            assert_eq!(rotated.status, 200, "round {round}: {}", rotated.text());
            let new = rotated.json()["api_key"].as_str().expect("a key").to_owned();
            for service in &fleet.services {
                assert_eq!(service.ask(&key, json!({"action": "summary"})).status, 401, "round {round}");
                assert_eq!(service.ask(&new, json!({"action": "summary"})).status, 200, "round {round}");
            }
            key = new;
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_process_that_was_frozen_does_not_take_an_old_key_when_it_wakes() {
    use std::io::Write;
    let fleet = Fleet::start(2, &["limits.trust_window_ms=3000"]);
    let key = fleet.issue("frozen@example.com", "pro");
    for service in &fleet.services {
        assert_eq!(service.ask(&key, search()).status, 200);
    }
    fleet.services[1].signal("-STOP");
    let begun = Instant::now();
    assert_eq!(rotate(fleet.services[0].listen, &key).status, 200);
    assert!(begun.elapsed() > Duration::from_secs(1), "it was waited for");
    // asked while it sleeps, so that it is the first thing it does
    let mut waiting = open(fleet.services[1].listen);
    let asking = request("POST", "/v1", &[("x-api-key", &key)], search().to_string().as_bytes());
    waiting.write_all(&asking).expect("sent");
    fleet.services[1].signal("-CONT");
    assert_eq!(read(&mut waiting, false).expect("an answer").status, 401);
}

#[test]
fn no_key_is_in_redis_in_plain_text() {
    let fleet = Fleet::start(2, &["log=trace"]);
    let first = fleet.issue("maria@example.com", "pro");
    assert_eq!(fleet.services[1].ask(&first, search()).status, 200);
    let rotated = rotate(fleet.services[0].listen, &first).json();
    let second = rotated["api_key"].as_str().expect("a key").to_owned();
    assert_eq!(fleet.services[1].ask(&second, search()).status, 200);
    let mut files = contents(fleet.redis.folder());
    assert!(files.iter().any(|(_, bytes)| bytes.windows(17).any(|text| text == b"maria@example.com")));
    files.extend(fleet.services.iter().map(|service| ("a log".to_owned(), service.log().into_bytes())));
    for (name, bytes) in &files {
        for key in [&fleet.key, &first, &second] {
            let secret = &key.as_bytes()[9..];
            assert!(!bytes.windows(secret.len()).any(|text| text == secret), "{name} holds a key");
        }
    }
}

fn rotate(door: SocketAddr, key: &str) -> Answer {
    exchange(door, &request("POST", "/v1/keys/rotate", &[("x-api-key", key)], b""))
}

#[test]
fn in_steady_load_redis_is_hardly_asked() {
    let fleet = Fleet::start(3, &[]);
    let key = fleet.issue("busy@example.com", "pro");
    spread(&fleet.doors(), &key, 600, |_| {});
    let commands = || -> u64 { fleet.redis.commands().iter().map(|(_, calls)| calls).sum() };
    let before = commands();
    let begun = Instant::now();
    let mut good = 0;
    while begun.elapsed() < Duration::from_secs(20) {
        let tally = spread(&fleet.doors(), &key, 2_000, |_| {});
        assert_eq!(tally.good, 2_000);
        good += tally.good;
    }
    let asked = commands() - before;
    let each = asked as f64 / good as f64;
    println!("{asked} commands for {good} calls: {each:.4} each");
    assert!(each <= 0.05, "{asked} commands for {good} calls");
}

#[test]
fn without_redis_known_keys_are_served_for_the_trust_window_and_again_when_it_is_back() {
    let mut fleet = Fleet::start(1, &["limits.trust_window_ms=4000"]);
    let key = fleet.issue("known@example.com", "pro");
    let stranger = fleet.issue("stranger@example.com", "pro");
    let ask = |fleet: &Fleet, key: &str| fleet.services[0].ask(key, search());
    for _ in 0..50 {
        assert_eq!(ask(&fleet, &key).status, 200);
    }
    fleet.redis.kill();
    let begun = Instant::now();
    let unknown = ask(&fleet, &stranger);
    assert_eq!(unknown.status, 503, "a key that was never seen cannot be checked");
    assert!(unknown.header("retry-after").is_some());
    assert!(begun.elapsed() < Duration::from_millis(1_500), "it is said at once");
    while ask(&fleet, &key).status == 200 {
        assert!(begun.elapsed() < Duration::from_secs(8), "it is trusted no longer than said");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(begun.elapsed() > Duration::from_secs(3), "it is trusted as long as said: {:?}", begun.elapsed());
    let refused = ask(&fleet, &key);
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true));
    fleet.redis.restart();
    let back = Instant::now();
    while ask(&fleet, &key).status != 200 {
        assert!(back.elapsed() < Duration::from_secs(2), "it is served again");
        thread::sleep(Duration::from_millis(20));
    }
}
