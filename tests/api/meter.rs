//! Quotas are right to the unit on one machine: minute and month, their turns, and what is told of them.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::thread;
use std::time::{Duration, Instant};

use candango::domain::clock::{Clock, Moment, UnixMillis};
use candango::domain::plan::{Figures, Plan};
use candango::metrics::Metrics;
use candango::quota::keys::{Caller, Keys, issue};
use candango::quota::leases::{Quota, QuotaError};
use candango::store::Store;
use candango::store::sqlite::Sqlite;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Answer, Service, printed_json, program};

fn search() -> Value {
    json!({"action": "search_places", "limit": 1})
}

/// A meter over a file, with a clock that stands, and someone who asks.
struct Desk {
    _folder: TempDir,
    clock: Clock,
    store: Arc<dyn Store>,
    meter: Arc<Quota>,
    caller: Arc<Caller>,
}

impl Desk {
    async fn open() -> Desk {
        let folder = tempfile::tempdir().expect("a folder");
        let store: Arc<dyn Store> =
            Arc::new(Sqlite::open(&folder.path().join("candango.db")).expect("a store"));
        // the beginning of a minute
        let clock = Clock::standing_at(UnixMillis(1_790_000_040_000));
        let metrics = Metrics::new();
        let background = tokio::runtime::Handle::current();
        let meter = Arc::new(Quota::new(
            store.clone(),
            &["search"],
            clock.clone(),
            background,
            metrics.leases.clone(),
        ));
        let keys = Arc::new(Keys::new(store.clone(), meter.clone(), metrics.keys.clone()));
        store.register(keys.listener()).await.expect("attended");
        let issued =
            issue(&*store, &clock, "a@b.c".parse().expect("an address"), Plan::Pro).await.expect("a key");
        let caller = keys.caller(issued.key.reveal().as_bytes(), Instant::now()).await.expect("a caller");
        Desk { _folder: folder, clock, store, meter, caller }
    }

    fn after(&self, millis: i64) -> Moment {
        Clock::standing_at(UnixMillis(self.clock.now().0 + millis)).moment()
    }

    async fn admits(&self, moment: Moment, figures: Figures) -> bool {
        match self.meter.admit(&self.caller.member, moment, figures).await {
            Ok(()) => true,
            Err(QuotaError::Exhausted(_)) => false,
            Err(other) => panic!("{other:?}"),
        }
    }
}

fn figures(per_minute: u32, per_month: u32) -> Figures {
    Figures { price_cents: 0, per_minute, per_month }
}

#[tokio::test]
async fn a_request_that_comes_late_takes_nothing_from_the_minute_that_has_begun() {
    let desk = Desk::open().await;
    let (before, after) = (desk.after(-1), desk.after(1));
    let limit = figures(30, 1_000);
    assert!(desk.admits(after, limit).await);
    assert!(desk.admits(before, limit).await, "its own minute has calls too");
    for call in 2..=30 {
        assert!(desk.admits(after, limit).await, "call {call} of the minute");
    }
    assert!(!desk.admits(after, limit).await);
}

#[tokio::test]
async fn a_minute_leased_ahead_is_spent_to_the_last_call() {
    let desk = Desk::open().await;
    let limit = figures(30, 1_000);
    // late in a minute, so that the next is thought of
    assert!(desk.admits(desk.after(50_000), limit).await);
    assert!(desk.admits(desk.after(59_999), limit).await);
    let next = desk.after(60_001);
    for call in 1..=30 {
        assert!(desk.admits(next, limit).await, "call {call} of the minute");
    }
    assert!(!desk.admits(next, limit).await);
}

#[tokio::test]
async fn a_request_that_hangs_up_while_its_lease_is_asked_for_costs_nothing() {
    let desk = Desk::open().await;
    let (limit, now) = (figures(1_000, 100), desk.after(0));
    for _ in 0..16 {
        let mut asking = pin!(desk.meter.admit(&desk.caller.member, now, limit));
        let _ = asking.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    let mut spent = 0;
    while desk.meter.charge(&desk.caller.member, now, limit, 0).await.is_ok() {
        spent += 1;
    }
    assert_eq!(spent, 100);
}

#[tokio::test]
async fn under_a_smaller_plan_nothing_of_the_greater_one_is_spent() {
    let desk = Desk::open().await;
    let now = desk.after(0);
    for _ in 0..10 {
        desk.meter.charge(&desk.caller.member, now, figures(1_000, 1_000), 0).await.expect("a call");
    }
    let small = figures(1_000, 12);
    let mut calls = 0;
    while desk.meter.charge(&desk.caller.member, now, small, 0).await.is_ok() {
        calls += 1;
    }
    assert_eq!(calls, 2, "ten of the twelve were spent before");
    let statements = desk.store.leases(&desk.caller.account.id, now.month()).await.expect("statements");
    assert_eq!(statements.iter().map(|stated| stated.granted).sum::<u32>(), 12);
}

#[test]
fn one_process_answers_exactly_the_quota_and_tells_how_it_stands() {
    let service = Service::start_with(&["plans.gringo.per_month=40", "plans.gringo.per_minute=1000000"]);
    let key = service.key("gringo");
    for spent in 1..=40 {
        let answer = service.ask(&key, search());
        assert_eq!(answer.status, 200);
        let told = answer.header("ratelimit").expect("a header").to_owned();
        assert!(told.contains(&format!("\"month\";r={};", 40 - spent)), "{told}");
        assert_eq!(answer.header("x-ratelimit-limit"), Some("1000000"));
        assert!(answer.header("ratelimit-policy").expect("a header").contains("\"month\";q=40"));
    }
    // what is free stays free, and a question that is refused costs nothing
    assert_eq!(service.ask(&key, json!({"action": "summary"})).status, 200);
    assert_eq!(service.ask(&key, json!({"action": "search_places", "limit": 0})).status, 400);
    let spent = service.ask(&key, search());
    assert_eq!((spent.status, &spent.json()["code"]), (429, &json!("quota_exceeded")));
    let wait: u64 = spent.header("retry-after").expect("a time").parse().expect("seconds");
    assert!((1..=31 * 86_400).contains(&wait) && spent.json()["retry_after"] == wait);
    let usage = service.good(&key, json!({"action": "usage"}));
    assert_eq!(
        (&usage["calls_this_month"], &usage["calls_remaining"], &usage["monthly_limit"], &usage["plan"]),
        (&json!(40), &json!(0), &json!(40), &json!("gringo"))
    );
}

#[test]
fn a_minute_allows_what_the_plan_says_and_then_says_how_long_to_wait() {
    let service = Service::start_with(&["plans.gringo.per_minute=20"]);
    let key = service.key("gringo");
    // not across the turn of a minute
    let left = |answer: &Answer| {
        answer.header("x-ratelimit-reset").expect("a time").parse::<u64>().expect("seconds")
    };
    let now = service.ask(&key, search());
    if left(&now) < 20 {
        thread::sleep(Duration::from_secs(left(&now)));
    }
    let answers: Vec<Answer> = (0..40).map(|_| service.ask(&key, json!({"action": "nothing"}))).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("a limit");
    assert!(answers.iter().filter(|answer| answer.status == 400).count() <= 20, "a 400 counts too");
    assert_eq!(refused.json()["code"], "rate_limited");
    assert_eq!(refused.header("retry-after"), refused.header("x-ratelimit-reset"));
    assert!(left(refused) <= 60);
}

/// What makes a program believe the clock in a file, and leaves the time it measures alone.
fn clock_in(file: &Path) -> Vec<(&'static str, String)> {
    let libraries =
        std::fs::read_dir("/usr/lib").expect("libraries").filter_map(|entry| Some(entry.ok()?.path()));
    let library = libraries
        .map(|folder| folder.join("faketime/libfaketime.so.1"))
        .find(|library| library.exists())
        .expect("libfaketime, which .ci/run installs");
    vec![
        ("LD_PRELOAD", library.display().to_string()),
        ("FAKETIME_TIMESTAMP_FILE", file.display().to_string()),
        ("FAKETIME_NO_CACHE", "1".to_owned()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ("TZ", "UTC".to_owned()),
    ]
}

#[test]
fn minutes_months_and_days_turn_with_the_clock_of_brasilia() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = folder.path().join("clock");
    let set = |moment: &str| {
        // in one step, so that nobody reads half of it
        std::fs::write(clock.with_extension("new"), format!("@{moment}\n")).expect("written");
        std::fs::rename(clock.with_extension("new"), &clock).expect("moved");
    };
    // half past eleven at night in Brasília, on the last day of the year
    set("2027-01-01 02:59:20");
    let data = folder.path().join("data");
    let settings = ["plans.gringo.per_minute=5", "plans.gringo.per_month=7"];
    let environment = clock_in(&clock);
    let environment: Vec<(&str, &str)> =
        environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let service = Service::start_under(&data, &settings, &environment);
    let mut issue = program(&data);
    issue.envs(environment).args(["key", "issue", "--email", "a@b.c", "--plan", "gringo", "--json"]);
    let issued = issue.output().expect("the program runs");
    let key = printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned();
    let statuses =
        |count: usize| -> Vec<u16> { (0..count).map(|_| service.ask(&key, search()).status).collect() };
    assert_eq!(statuses(6), [200, 200, 200, 200, 200, 429], "the minute's five");
    assert_eq!(service.ask(&key, search()).json()["code"], "rate_limited");
    // the next minute is next year, with five new calls of its month's seven
    set("2027-01-01 03:00:05");
    let first = service.ask(&key, search());
    assert_eq!((first.status, &first.json()["today"]), (200, &json!("2027-01-01")));
    assert_eq!(statuses(5), [200, 200, 200, 200, 429]);
    set("2027-01-01 03:01:05");
    assert_eq!(statuses(3), [200, 200, 429], "the month's seven");
    let spent = service.ask(&key, search());
    assert_eq!(
        (&spent.json()["code"], spent.header("retry-after")),
        (&json!("quota_exceeded"), Some("2678335"))
    );
    // a clock that is put back finds the old month as it was left: two of its seven
    set("2027-01-01 02:58:00");
    let back = service.ask(&key, search());
    assert_eq!((back.status, &back.json()["today"]), (200, &json!("2026-12-31")));
    assert_eq!(statuses(2), [200, 429]);
}
