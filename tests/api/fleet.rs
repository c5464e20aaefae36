//! Several processes that share a Redis answer exactly the quota, whatever fails meanwhile.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use candango::domain::api_key::ApiKey;
use data_encoding::HEXLOWER;
use rand::RngExt;
use serde_json::{Value, json};

use crate::mail::{MailServer, SOON, awaited, contents, outbox, sign_up, works};
use crate::publishing::SetOnDrop;
use crate::redis::{Proxy, RedisServer};
use crate::service::{Answer, Service, exchange, free_port, open, printed, printed_json, read, request, run};

/// The monthly quota of the plan under test.
const QUOTA: usize = 1_000;

/// The most calls of that quota that one process holds at once.
const LEASE: usize = 64;

/// Servers that share a Redis, and a key with [`QUOTA`] calls a month.
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

    /// Servers that reach Redis through another address: that of a proxy.
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

    fn addresses(&self) -> Vec<SocketAddr> {
        self.services.iter().map(|service| service.listen).collect()
    }

    /// Uses up the rest of the quota on every server, and returns how many calls that were.
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
struct Answers {
    good: usize,
    rejected: usize,
    other: usize,
}

/// Makes calls over 16 connections to all servers, and does something else meanwhile.
fn spread(
    addresses: &[SocketAddr],
    key: &str,
    calls: usize,
    meanwhile: impl FnOnce(&AtomicUsize),
) -> Answers {
    let body = search().to_string();
    let call = request("POST", "/v1", &[("x-api-key", key)], body.as_bytes());
    let made = AtomicUsize::new(0);
    let counts = [const { AtomicUsize::new(0) }; 3];
    thread::scope(|scope| {
        for number in 0..16 {
            let (call, made, counts) = (&call, &made, &counts);
            let mut servers = addresses.iter().cycle().skip(number);
            scope.spawn(move || {
                let mut stream = None;
                let mut server = servers.next();
                while made.fetch_add(1, Ordering::Relaxed) < calls {
                    let answer = server.and_then(|server| on(&mut stream, *server, call));
                    if answer.is_none() {
                        // as a load balancer does: a server that has ended takes no part of the calls
                        server = servers.next();
                    }
                    let index = match answer.map(|answer| answer.status) {
                        Some(200) => 0,
                        Some(429) => 1,
                        _ => 2,
                    };
                    counts[index].fetch_add(1, Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(rand::rng().random_range(0..8)));
                }
            });
        }
        meanwhile(&made);
    });
    let [good, rejected, other] = counts.map(AtomicUsize::into_inner);
    Answers { good, rejected, other }
}

/// One call on a connection that is opened again when it has closed.
fn on(stream: &mut Option<std::net::TcpStream>, address: SocketAddr, call: &[u8]) -> Option<Answer> {
    use std::io::Write;
    if stream.is_none() {
        *stream = std::net::TcpStream::connect(address).ok();
        stream.as_ref()?.set_read_timeout(Some(Duration::from_secs(40))).ok()?;
    }
    let answer = stream.as_mut().and_then(|stream| {
        stream.write_all(call).ok()?;
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
        assert!(begun.elapsed() < Duration::from_secs(60), "no further calls are made");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn three_processes_answer_exactly_the_quota() {
    let fleet = Fleet::start(3, &[]);
    let answers = spread(&fleet.addresses(), &fleet.key, 1_200, |_| {});
    assert_eq!(answers, Answers { good: QUOTA, rejected: 200, other: 0 });
    for service in &fleet.services {
        let usage = service.good(&fleet.key, json!({"action": "usage"}));
        assert_eq!(
            (&usage["calls_this_month"], &usage["calls_remaining"], &usage["by_action"]),
            (&json!(QUOTA), &json!(0), &json!({"search_places": QUOTA}))
        );
    }
}

#[test]
fn a_killed_process_costs_at_most_its_lease() {
    let mut fleet = Fleet::start(3, &[]);
    let addresses = fleet.addresses();
    let victim = fleet.services.remove(1);
    let (data, settings) = (victim.data.clone(), fleet.settings.clone());
    let mut folder = None;
    let answers = spread(&addresses, &fleet.key, 1_200, |made| {
        reach(made, 500);
        folder = victim.kill();
    });
    assert!(answers.good <= QUOTA && answers.good >= QUOTA - 16 - LEASE, "{answers:?}");
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    fleet.services.push(Service::start_on_with(&data, &settings));
    let all = answers.good + fleet.rest();
    // calls whose answer was lost with the process count too
    assert!((QUOTA - LEASE - 16..=QUOTA).contains(&all), "{all} after {answers:?}");
    drop(folder);
}

#[test]
fn what_a_killed_process_has_not_spent_is_told_as_spent() {
    let mut fleet = Fleet::start(2, &["limits.trust_window_ms=3000"]);
    for service in &fleet.services {
        for _ in 0..20 {
            assert_eq!(service.ask(&fleet.key, search()).status, 200);
        }
    }
    let folder = fleet.services.remove(0).kill();
    assert!(fleet.rest() < QUOTA - 40, "it held some");
    let service = &fleet.services[0];
    awaited("that nothing is left", SOON, || {
        let refused = service.ask(&fleet.key, search());
        assert_eq!(refused.status, 429);
        refused.header("ratelimit").is_some_and(|told| told.contains("\"month\";r=0;")).then_some(())
    });
    let usage = service.good(&fleet.key, json!({"action": "usage"}));
    assert_eq!(
        (&usage["calls_this_month"], &usage["calls_remaining"]),
        (&json!(QUOTA), &json!(0)),
        "{usage}"
    );
    let told =
        |percent: u32| fleet.redis.say::<Vec<String>>(&["KEYS", &format!("*:tally:quota.{percent}/*")]);
    awaited("its notice", SOON, || (told(100).len() == 1).then_some(()));
    drop(folder);
}

#[test]
fn a_frozen_process_keeps_its_lease_and_goes_on_with_it() {
    let fleet = Fleet::start(3, &["limits.trust_window_ms=3000"]);
    let other = fleet.issue("other@example.com", "pro");
    let answers = spread(&fleet.addresses(), &fleet.key, 1_200, |made| {
        reach(made, 400);
        fleet.services[2].signal("-STOP");
        // answered once the frozen process is silent for its trust window, and so counts as ended
        assert_eq!(rotate(fleet.services[0].listen, &other).status, 200);
        fleet.services[2].signal("-CONT");
    });
    assert!(answers.good <= QUOTA && answers.other == 0, "{answers:?}");
    assert_eq!(answers.good + fleet.rest(), QUOTA);
}

#[test]
fn closed_connections_change_no_quota() {
    let fleet = Fleet::start(3, &[]);
    let over = AtomicBool::new(false);
    let answers = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                fleet.redis.say::<()>(&["CLIENT", "KILL", "TYPE", "normal"]);
                thread::sleep(Duration::from_millis(10));
            }
        });
        let answers = spread(&fleet.addresses(), &fleet.key, 1_200, |_| {});
        over.store(true, Ordering::Relaxed);
        answers
    });
    assert!(answers.good <= QUOTA, "{answers:?}");
    assert_eq!(answers.good + fleet.rest(), QUOTA);
}

#[test]
fn a_redis_that_is_killed_and_restarted_changes_no_quota() {
    let mut fleet = Fleet::start(3, &[]);
    let (addresses, key) = (fleet.addresses(), fleet.key.clone());
    let redis = &mut fleet.redis;
    let answers = spread(&addresses, &key, 1_200, |made| {
        reach(made, 300);
        redis.kill();
        thread::sleep(Duration::from_millis(500));
        redis.restart();
    });
    assert!(answers.good <= QUOTA, "{answers:?}");
    assert_eq!(answers.good + fleet.rest(), QUOTA);
}

#[test]
fn a_first_replica_that_attaches_under_load_costs_no_call() {
    let fleet = Fleet::start(2, &[]);
    let busy = fleet.issue("busy@example.com", "pro");
    let new: Vec<String> =
        (0..20).map(|number| fleet.issue(&format!("new{number}@example.com"), "pro")).collect();
    let replica = RedisServer::start();
    const ALL: usize = usize::MAX / 2;
    let answers = spread(&fleet.addresses(), &busy, ALL, |made| {
        reach(made, 200);
        replica.follow(&fleet.redis);
        // accounts without a lease need one at once
        let statuses: Vec<u16> = new
            .iter()
            .enumerate()
            .map(|(at, key)| fleet.services[at % 2].ask(key, search()).status)
            .collect();
        made.store(ALL, Ordering::Relaxed);
        assert_eq!(statuses, [200; 20]);
    });
    assert_eq!((answers.rejected, answers.other), (0, 0), "{answers:?}");
}

#[test]
fn lost_replies_change_no_quota() {
    let redis = RedisServer::start();
    let proxy = Proxy::to(redis.port);
    let url = proxy.url();
    let fleet = Fleet::start_by(redis, &url, 3, &[]);
    let answers = spread(&fleet.addresses(), &fleet.key, 1_200, |made| {
        while made.load(Ordering::Relaxed) < 1_150 {
            proxy.lose_one_of(3);
            thread::sleep(Duration::from_millis(100));
            proxy.lose_one_of(0);
            thread::sleep(Duration::from_millis(100));
        }
    });
    assert!(answers.good <= QUOTA, "{answers:?}");
    assert_eq!(answers.good + fleet.rest(), QUOTA);
}

#[test]
fn a_change_of_plan_applies_everywhere_within_a_second() {
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
            assert!(begun.elapsed() < Duration::from_secs(5), "{plan} is not known everywhere");
        }
        let expected = if plan == "free" { 429 } else { 200 };
        for service in &fleet.services {
            assert_eq!(service.ask(&fleet.key, search()).status, expected, "{plan}");
        }
    }
}

#[test]
fn after_a_rotation_no_process_accepts_the_old_key() {
    let fleet = Fleet::start(3, &["plans.pro.per_minute=1000000"]);
    let mut key = fleet.issue("rotor@example.com", "pro");
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for address in fleet.addresses() {
            let (key, over) = (&fleet.key, &over);
            scope.spawn(move || {
                let call = request("POST", "/v1", &[("x-api-key", key)], br#"{"action":"summary"}"#);
                let mut stream = None;
                while !over.load(Ordering::Relaxed) {
                    on(&mut stream, address, &call);
                    // a steady load, which leaves the processors to the rotations
                    thread::sleep(Duration::from_millis(2));
                }
            });
        }
        let end = SetOnDrop(&over);
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
        drop(end);
    });
}

#[test]
fn a_rotation_mail_brings_its_key_whichever_process_reads_the_queue_first() {
    let fleet = Fleet::start(3, &["limits.trust_window_ms=3000"]);
    let emails: Vec<String> = (0..12).map(|number| format!("rotor{number}@example.com")).collect();
    let keys: Vec<String> = emails.iter().map(|email| fleet.issue(email, "pro")).collect();
    // the rotations wait for it, and the other two read the queue meanwhile
    fleet.services[2].signal("-STOP");
    let rotated: Vec<Answer> = thread::scope(|scope| {
        let rotations: Vec<_> =
            keys.iter().map(|key| scope.spawn(|| rotate(fleet.services[0].listen, key))).collect();
        rotations.into_iter().map(|rotation| rotation.join().expect("an answer")).collect()
    });
    fleet.services[2].signal("-CONT");
    for (email, answer) in emails.iter().zip(rotated) {
        assert_eq!(answer.status, 200, "{}", answer.text());
        let mail = outbox(&fleet.services[0], email, 1).remove(0);
        assert_eq!(mail.key().as_deref(), answer.json()["api_key"].as_str(), "{email}");
    }
}

#[test]
fn welcome_mails_of_a_fleet_survive_a_mail_server_that_is_away() {
    let port = free_port();
    let setting = format!("mail=smtp://127.0.0.1:{port}");
    let fleet = Fleet::start(3, &[&setting, "signup.per_ip_hour=1000"]);
    let emails: Vec<String> = (0..12).map(|number| format!("new{number}@example.com")).collect();
    for (email, server) in emails.iter().zip(fleet.services.iter().cycle()) {
        assert_eq!(sign_up(server, email).status, 200);
    }
    let counted = |name: &str| -> u64 { fleet.services.iter().map(|server| server.counted(name)).sum() };
    awaited("three attempts of each", SOON, || (counted("candango_mails_failed_total") >= 36).then_some(()));
    assert_eq!(counted("candango_mails_obsolete_total"), 0, "nobody else has replaced a key");
    let server = MailServer::start_at(port, "accept", &[]);
    let mails = server.accepted(emails.len());
    let mut to: Vec<&str> = mails.iter().map(|mail| mail.header("To")).collect();
    to.sort_unstable();
    let mut expected: Vec<&str> = emails.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(to, expected);
    for (mail, server) in mails.iter().zip(fleet.services.iter().cycle()) {
        assert!(works(server, &mail.key().expect("a key")), "{}", mail.head);
    }
}

#[test]
fn a_resumed_process_does_not_accept_a_replaced_key() {
    use std::io::Write;
    let fleet = Fleet::start(2, &["limits.trust_window_ms=3000"]);
    let key = fleet.issue("frozen@example.com", "pro");
    for service in &fleet.services {
        assert_eq!(service.ask(&key, search()).status, 200);
    }
    fleet.services[1].signal("-STOP");
    let begun = Instant::now();
    assert_eq!(rotate(fleet.services[0].listen, &key).status, 200);
    // one that waits for nobody takes some milliseconds
    assert!(begun.elapsed() > Duration::from_millis(200), "the rotation waits for it");
    // sent while it is frozen, so that it is the first thing it reads
    let mut waiting = open(fleet.services[1].listen);
    let call = request("POST", "/v1", &[("x-api-key", &key)], search().to_string().as_bytes());
    waiting.write_all(&call).expect("sent");
    fleet.services[1].signal("-CONT");
    assert_eq!(read(&mut waiting, false).expect("an answer").status, 401);
}

#[test]
fn a_rotation_whose_request_was_given_up_is_in_the_journal() {
    let fleet = Fleet::start(2, &["limits.trust_window_ms=10000", "limits.request_timeout_ms=1000"]);
    let mut key = fleet.issue("hasty@example.com", "pro");
    let service = &fleet.services[0];
    awaited("a rotation that is given up", SOON, || {
        assert_eq!(service.ask(&key, search()).status, 200);
        // the rotation waits for it, longer than the request may last, unless it has been silent too long before
        fleet.services[1].signal("-STOP");
        let rotated = rotate(service.listen, &key);
        fleet.services[1].signal("-CONT");
        if rotated.status == 200 {
            key = rotated.json()["api_key"].as_str().expect("a key").to_owned();
            return None;
        }
        assert_eq!(rotated.status, 503, "{}", rotated.text());
        Some(())
    });
    assert_eq!(service.ask(&key, search()).status, 401, "it is replaced all the same");
    let key = ApiKey::parse(key.as_bytes()).expect("a key");
    awaited("its line in the journal", SOON, || {
        let journal = std::fs::read_to_string(service.data.join("ended.jsonl")).ok()?;
        journal.contains(&HEXLOWER.encode(&key.hash().0)).then_some(())
    });
}

#[test]
fn a_rotation_that_waits_when_its_server_stops_is_in_the_journal() {
    use std::io::Write;
    let limits = ["limits.trust_window_ms=10000", "limits.drain_ms=100", "limits.lame_duck_ms=0"];
    let mut fleet = Fleet::start(2, &limits);
    let key = fleet.issue("stopped@example.com", "pro");
    let service = &fleet.services[0];
    assert_eq!(service.ask(&key, search()).status, 200);
    // the rotation waits for it
    fleet.services[1].signal("-STOP");
    let mut waiting = open(service.listen);
    let call = request("POST", "/v1/keys/rotate", &[("x-api-key", &key)], b"");
    waiting.write_all(&call).expect("sent");
    awaited("the end of the key", SOON, || (service.ask(&key, search()).status == 401).then_some(()));
    service.signal("-TERM");
    assert!(read(&mut waiting, false).is_none(), "the time to drain is over before");
    let stopped = &mut fleet.services[0];
    awaited("the end of the server", SOON, || stopped.has_ended().then_some(()));
    fleet.services[1].signal("-CONT");
    let key = ApiKey::parse(key.as_bytes()).expect("a key");
    let journal = std::fs::read_to_string(fleet.services[0].data.join("ended.jsonl")).unwrap_or_default();
    assert!(journal.contains(&HEXLOWER.encode(&key.hash().0)), "{journal}");
}

#[test]
fn no_key_is_stored_or_logged_in_plain_text() {
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

fn rotate(address: SocketAddr, key: &str) -> Answer {
    exchange(address, &request("POST", "/v1/keys/rotate", &[("x-api-key", key)], b""))
}

#[test]
fn steady_load_needs_few_redis_commands() {
    let fleet = Fleet::start(3, &[]);
    let key = fleet.issue("busy@example.com", "pro");
    spread(&fleet.addresses(), &key, 600, |_| {});
    let commands = || -> u64 { fleet.redis.commands().iter().map(|(_, calls)| calls).sum() };
    // what servers ask without any call
    let (before, idle) = (commands(), Duration::from_secs(5));
    std::thread::sleep(idle);
    let unasked = (commands() - before) as f64 / idle.as_secs_f64();
    let before = commands();
    let begun = Instant::now();
    let mut good = 0;
    while begun.elapsed() < Duration::from_secs(20) {
        let answers = spread(&fleet.addresses(), &key, 2_000, |_| {});
        assert_eq!(answers.good, 2_000);
        good += answers.good;
    }
    let asked = (commands() - before) as f64 - unasked * begun.elapsed().as_secs_f64();
    let each = asked / good as f64;
    println!("{asked} commands for {good} calls: {each:.4} each");
    assert!(unasked <= 150.0, "{unasked} commands a second of an idle fleet");
    assert!(each <= 0.05, "{asked} commands for {good} calls, beside {unasked} a second");
}

#[test]
fn without_redis_known_keys_are_served_for_the_trust_window_and_again_when_it_is_back() {
    let mut fleet = Fleet::start(1, &["limits.trust_window_ms=4000"]);
    let key = fleet.issue("known@example.com", "pro");
    let unknown_key = fleet.issue("unknown@example.com", "pro");
    let ask = |fleet: &Fleet, key: &str| fleet.services[0].ask(key, search());
    for _ in 0..50 {
        assert_eq!(ask(&fleet, &key).status, 200);
    }
    fleet.redis.kill();
    let begun = Instant::now();
    let unknown = ask(&fleet, &unknown_key);
    assert_eq!(unknown.status, 503, "a key that is not cached cannot be checked");
    assert!(unknown.header("retry-after").is_some());
    assert!(begun.elapsed() < Duration::from_secs(4), "the answer comes at once");
    while ask(&fleet, &key).status == 200 {
        assert!(begun.elapsed() < Duration::from_secs(8), "trust ends with the window");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(begun.elapsed() > Duration::from_secs(3), "trust lasts for the window: {:?}", begun.elapsed());
    let rejected = ask(&fleet, &key);
    assert_eq!((rejected.status, rejected.header("retry-after").is_some()), (503, true));
    fleet.redis.restart();
    let back = Instant::now();
    while ask(&fleet, &key).status != 200 {
        assert!(back.elapsed() < Duration::from_secs(6), "it is served again");
        thread::sleep(Duration::from_millis(20));
    }
}
