//! Quotas are exact on one server: minute and month, when they reset, and how they are reported.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

use candango::domain::action::{ActionId, CallKind};
use candango::domain::clock::{Clock, Moment, UnixMillis};
use candango::domain::plan::{Figures, Plan};
use candango::metrics::Metrics;
use candango::quota::issue::issue;
use candango::quota::keys::{Caller, Keys};
use candango::quota::leases::{Quota, QuotaError};
use candango::store::Store;
use candango::store::sqlite::Sqlite;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mail::{awaited, within_a_minute};
use crate::service::{Answer, Service, printed_json, program, run};

/// What the calls are counted as.
const CALL: CallKind = CallKind::Action(ActionId::SearchEvents);

fn search() -> Value {
    json!({"action": "search_places", "limit": 1})
}

/// A quota on a SQLite store with a fixed clock, and a caller.
struct Fixture {
    _folder: TempDir,
    clock: Clock,
    store: Arc<dyn Store>,
    quota: Arc<Quota>,
    caller: Arc<Caller>,
    metrics: Metrics,
}

impl Fixture {
    async fn open() -> Fixture {
        let folder = tempfile::tempdir().expect("a folder");
        let store: Arc<dyn Store> =
            Arc::new(Sqlite::open(&folder.path().join("candango.db"), folder.path()).expect("a store"));
        // the start of a minute
        let clock = Clock::standing_at(UnixMillis(1_790_000_040_000));
        let metrics = Metrics::new();
        let background = tokio::runtime::Handle::current();
        let quota = Arc::new(Quota::new(store.clone(), clock.clone(), background, metrics.leases.clone()));
        let keys = Arc::new(Keys::new(store.clone(), quota.clone(), metrics.keys.clone()));
        store.register(keys.listener()).await.expect("registered");
        let issued = issue(&*store, &clock, "a@b.c".parse().expect("an address"), Some(Plan::Pro))
            .await
            .expect("a key");
        let caller = keys.caller(issued.key.reveal().as_bytes()).await.expect("a caller");
        Fixture { _folder: folder, clock, store, quota, caller, metrics }
    }

    fn after(&self, millis: i64) -> Moment {
        Clock::standing_at(UnixMillis(self.clock.now().0 + millis)).moment()
    }

    async fn admits(&self, moment: Moment, figures: Figures) -> bool {
        match self.quota.admit(&self.caller.quota, moment, figures).await {
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
async fn a_late_request_takes_no_call_of_the_new_minute() {
    let fixture = Fixture::open().await;
    let (before, after) = (fixture.after(-1), fixture.after(1));
    let limit = figures(30, 1_000);
    assert!(fixture.admits(after, limit).await);
    assert!(fixture.admits(before, limit).await, "its own minute has calls too");
    for call in 2..=30 {
        assert!(fixture.admits(after, limit).await, "call {call} of the minute");
    }
    assert!(!fixture.admits(after, limit).await);
}

#[tokio::test]
async fn a_minute_leased_ahead_is_spent_to_the_last_call() {
    let fixture = Fixture::open().await;
    let limit = figures(30, 1_000);
    // late in a minute, so that the next one is leased
    assert!(fixture.admits(fixture.after(50_000), limit).await);
    assert!(fixture.admits(fixture.after(59_999), limit).await);
    let next = fixture.after(60_001);
    for call in 1..=30 {
        assert!(fixture.admits(next, limit).await, "call {call} of the minute");
    }
    assert!(!fixture.admits(next, limit).await);
}

#[tokio::test]
async fn a_request_canceled_while_it_waits_for_a_lease_costs_nothing() {
    let fixture = Fixture::open().await;
    let (limit, now) = (figures(1_000, 100), fixture.after(0));
    for _ in 0..16 {
        let mut admitting = pin!(fixture.quota.admit(&fixture.caller.quota, now, limit));
        let _ = admitting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    let mut spent = 0;
    while fixture.quota.charge(&fixture.caller.quota, now, limit, CALL).await.is_ok() {
        spent += 1;
    }
    assert_eq!(spent, 100);
}

#[tokio::test]
async fn after_a_downgrade_no_call_of_the_larger_plan_is_spent() {
    let fixture = Fixture::open().await;
    let now = fixture.after(0);
    for _ in 0..10 {
        fixture.quota.charge(&fixture.caller.quota, now, figures(1_000, 1_000), CALL).await.expect("a call");
    }
    let small = figures(1_000, 12);
    let mut calls = 0;
    while fixture.quota.charge(&fixture.caller.quota, now, small, CALL).await.is_ok() {
        calls += 1;
    }
    assert_eq!(calls, 2, "ten of the twelve were spent before");
    let leases = fixture.store.leases(&fixture.caller.account.id, now.month()).await.expect("leases");
    assert_eq!(leases.iter().map(|lease| lease.granted).sum::<u32>(), 12);
}

#[tokio::test]
async fn a_lease_that_is_spent_and_reported_is_not_reported_again() {
    let fixture = Fixture::open().await;
    let (now, limit) = (fixture.after(0), figures(1_000, 10));
    let charge = async || fixture.quota.charge(&fixture.caller.quota, now, limit, CALL).await;
    let claims = || fixture.metrics.leases.claims.get();
    charge().await.expect("a call");
    fixture.quota.release(&fixture.caller.account.id).await;
    let released = claims();
    fixture.quota.release(&fixture.caller.account.id).await;
    assert_eq!(claims(), released, "nothing is new since");
    for _ in 0..9 {
        charge().await.expect("a call");
    }
    fixture.quota.release(&fixture.caller.account.id).await;
    let leases = fixture.store.leases(&fixture.caller.account.id, now.month()).await.expect("leases");
    let [lease] = leases.as_slice() else { panic!("one lease: {leases:?}") };
    assert_eq!((lease.used, &lease.by_action), (10, &vec![("search_events".to_owned(), 10)]));
}

#[test]
fn one_process_answers_exactly_the_quota_and_reports_it() {
    let service = Service::start_with(&["plans.gringo.per_month=40", "plans.gringo.per_minute=1000000"]);
    let key = service.key("gringo");
    for spent in 1..=40 {
        let answer = service.ask(&key, search());
        assert_eq!(answer.status, 200);
        let header = answer.header("ratelimit").expect("a header").to_owned();
        assert!(header.contains(&format!("\"month\";r={};", 40 - spent)), "{header}");
        assert_eq!(answer.header("x-ratelimit-limit"), Some("1000000"));
        assert!(answer.header("ratelimit-policy").expect("a header").contains("\"month\";q=40"));
    }
    // free actions and rejected calls cost nothing
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
fn what_is_left_of_the_month_is_told_or_left_out_and_never_invented() {
    let settings = ["plans.gringo.per_month=1000", "limits.lame_duck_ms=0"];
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut service = Service::start_on_with(&data, &settings);
    let key = service.key("gringo");
    for _ in 0..3 {
        service.good(&key, search());
    }
    service.signal("-TERM");
    while !service.has_ended() {
        thread::sleep(Duration::from_millis(20));
    }
    let service = Service::start_on_with(&data, &settings);
    let status = service.post_to("/v1/billing/status", &[("x-api-key", &key)], &json!({}));
    assert_eq!(status.status, 200, "{}", status.text());
    let told = status.header("ratelimit").expect("a header").to_owned();
    assert!(told.starts_with("\"minute\";r=") && !told.contains("month"), "{told}");
    assert!(status.header("ratelimit-policy").expect("a policy").contains("\"month\";q=1000"));
    let next = service.ask(&key, search());
    let told = next.header("ratelimit").expect("a header");
    assert!(told.contains("\"month\";r=996;t=") && !told.ends_with("t=0"), "{told}");
}

#[test]
fn the_limit_of_a_minute_is_kept_and_says_how_long_to_wait() {
    let service = Service::start_with(&["plans.gringo.per_minute=20"]);
    let key = service.key("gringo");
    let answers: Vec<Answer> =
        within_a_minute(|| (0..40).map(|_| service.ask(&key, json!({"action": "nothing"}))).collect());
    let refused = answers.iter().find(|answer| answer.status == 429).expect("a limit");
    assert!(answers.iter().filter(|answer| answer.status == 400).count() <= 20, "a 400 counts too");
    assert_eq!(refused.json()["code"], "rate_limited");
    assert_eq!(refused.header("retry-after"), refused.header("x-ratelimit-reset"));
    let left: u64 = refused.header("retry-after").expect("a time").parse().expect("seconds");
    assert!(left <= 60);
}

#[test]
fn the_calls_of_an_account_are_shown_to_its_operator_within_a_minute() {
    let service = Service::start();
    let key = service.key("pro");
    for _ in 0..20 {
        service.good(&key, search());
    }
    awaited("the calls", Duration::from_secs(70), || {
        let shown =
            printed_json(&run(&service.data, &["account", "show", "--email", "pro@b.c", "--json"]), 0);
        (shown["calls_this_month"] == json!({"search_places": 20})).then_some(())
    });
}

#[test]
fn the_calls_of_a_month_that_is_over_are_not_lost_at_a_stop() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = folder.path().join("clock");
    let set = |moment: &str| {
        std::fs::write(clock.with_extension("new"), format!("@{moment}\n")).expect("written");
        std::fs::rename(clock.with_extension("new"), &clock).expect("moved");
    };
    set("2027-01-01 02:59:20");
    let data = folder.path().join("data");
    let environment = clock_in(&clock);
    let environment: Vec<(&str, &str)> =
        environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut service = Service::start_under(&data, &["limits.lame_duck_ms=0"], &environment);
    let command = |words: &[&str]| {
        let mut command = program(&data);
        command.envs(environment.clone()).args(words);
        printed_json(&command.output().expect("the program runs"), 0)
    };
    let issued = command(&["key", "issue", "--email", "a@b.c", "--plan", "pro", "--json"]);
    let key = issued["api_key"].as_str().expect("a key").to_owned();
    for _ in 0..20 {
        service.good(&key, search());
    }
    set("2027-01-01 03:00:05");
    service.signal("-TERM");
    awaited("the stop", Duration::from_secs(30), || service.has_ended().then_some(()));
    set("2027-01-01 02:59:50");
    let shown = command(&["account", "show", "--email", "a@b.c", "--json"]);
    assert_eq!(shown["calls_this_month"], json!({"search_places": 20}));
}

/// The environment that sets the clock of a program from a file, and leaves its monotonic clock alone.
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
fn minutes_months_and_days_follow_the_time_of_brasilia() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = folder.path().join("clock");
    let set = |moment: &str| {
        // atomically, so that nobody reads half of it
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
    // a clock that is set back finds the old month as it was left: two of its seven
    set("2027-01-01 02:58:00");
    let back = service.ask(&key, search());
    assert_eq!((back.status, &back.json()["today"]), (200, &json!("2026-12-31")));
    assert_eq!(statuses(2), [200, 429]);
}
