//! The log: a line for each request that is worth one, with nothing private in it, and a few lines for a failure that
//! lasts.

use std::io::Write;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::mail::{SOON, awaited, sign_up};
use crate::redis::RedisServer;
use crate::service::{Service, free_port, get, open, printed_json, read, request, run};

/// The lines of requests in the log.
fn requests(service: &Service) -> Vec<Value> {
    let log = service.log();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["target"] == "candango::requests").collect()
}

/// The line of a request, by its id.
fn line_of(service: &Service, id: &str) -> Value {
    awaited(&format!("a line for {id} in\n{}", service.log()), SOON, || {
        requests(service).into_iter().find(|line| line["request_id"] == id)
    })
}

#[test]
fn a_line_says_what_a_request_was_and_nothing_of_what_it_held() {
    let service = Service::start_with(&["log_requests=all"]);
    let key = service.key("pro");
    let account = printed_json(&run(&service.data, &["account", "show", "--email", "pro@b.c", "--json"]), 0);
    let account = account["id"].as_str().or(account["account"].as_str()).expect("an id").to_owned();

    let answer = service.ask(&key, json!({"action": "search_places", "q": "sushi segredo", "limit": 3}));
    let id = answer.header("x-request-id").expect("an id");
    let line = line_of(&service, id);
    assert_eq!(line["route"], "/v1");
    assert_eq!(line["action"], "search_places");
    assert_eq!(line["status"], 200);
    assert_eq!(line["account"], account);
    assert_eq!(line["results"], answer.json()["count"]);
    assert_eq!(line["snapshot"], 0);
    assert!(line["ms"].as_f64().is_some_and(|ms| ms > 0.0), "{line}");
    assert_eq!(line.get("error"), None);

    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "search_events", "arguments": {"q": "samba segredo"}}});
    let sent = [("x-request-id", "mcp-1"), ("x-api-key", key.as_str())];
    assert_eq!(service.post_to("/mcp", &sent, &call).status, 200);
    let line = line_of(&service, "mcp-1");
    assert_eq!((&line["route"], &line["action"]), (&json!("/mcp"), &json!("search_events")));
    assert_eq!(line["account"], account);
    assert!(line["results"].is_u64(), "{line}");

    let found = get(service.listen, "/?q=boteco+segredo");
    let line = line_of(&service, found.header("x-request-id").expect("an id"));
    assert_eq!((&line["route"], &line["status"]), (&json!("/"), &json!(200)));
    let page = get(service.listen, "/place/segredo");
    let line = line_of(&service, page.header("x-request-id").expect("an id"));
    assert_eq!((&line["route"], &line["status"]), (&json!("/place/{id}"), &json!(404)));
    let nowhere = get(service.listen, "/segredo/maria@x.example");
    let line = line_of(&service, nowhere.header("x-request-id").expect("an id"));
    assert_eq!((&line["route"], &line["status"]), (&json!("none"), &json!(404)));

    let signed = sign_up(&service, "maria@x.example");
    let line = line_of(&service, signed.header("x-request-id").expect("an id"));
    assert_eq!((&line["route"], &line["status"]), (&json!("/v1/signup"), &json!(200)));
    let order = json!({"plan": "pro", "tax_id": "52998224725", "name": "Maria Segredo"});
    let ordered = service.post_to("/v1/billing/checkout", &[("x-api-key", &key)], &order);
    let line = line_of(&service, ordered.header("x-request-id").expect("an id"));
    assert_eq!((&line["route"], &line["account"]), (&json!("/v1/billing/checkout"), &json!(account)));
    let wrong = service.ask("cdg_live_segredo", json!({"action": "usage"}));
    let line = line_of(&service, wrong.header("x-request-id").expect("an id"));
    assert_eq!((&line["status"], &line["error"]), (&json!(401), &json!("invalid_key")));
    assert_eq!(line.get("account"), None);

    // a client whose program mixes its headers up
    let mixed = [("x-request-id", key.as_str())];
    assert_eq!(service.post_to("/v1", &mixed, &json!({"action": "usage"})).status, 401);
    awaited("its line", SOON, || requests(&service).into_iter().find(|line| line["error"] == "missing_key"));

    for line in requests(&service) {
        let line = line.to_string();
        for private in ["segredo", "Segredo", "@", "cdg_live", "52998224725", "?q", "q="] {
            assert!(!line.contains(private), "{private} is in {line}");
        }
    }
}

#[test]
fn by_default_failures_and_slow_requests_are_logged() {
    let redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let service = Service::start_with(&[&store, "limits.trust_window_ms=3000"]);
    assert_eq!(get(service.listen, "/v1/plans").status, 200);
    assert_eq!(get(service.listen, "/nothing").status, 404);

    // a client that is slow to send its body
    let body = br#"{"action":"summary"}"#;
    let head = [("content-type", "application/json"), ("x-request-id", "slow-1")];
    let asked = request("POST", "/v1", &head, body);
    let (first, last) = asked.split_at(asked.len() - 5);
    let mut stream = open(service.listen);
    stream.write_all(first).expect("sent");
    thread::sleep(Duration::from_millis(300));
    stream.write_all(last).expect("sent");
    assert_eq!(read(&mut stream, false).expect("an answer").status, 401);
    let line = line_of(&service, "slow-1");
    assert_eq!((&line["status"], &line["error"]), (&json!(401), &json!("missing_key")));
    assert!(line["ms"].as_f64().is_some_and(|ms| ms > 250.0), "{line}");

    let words = ["key", "issue", "--email", "late@b.c", "--plan", "pro", "--json", "--set", &store];
    let key = printed_json(&run(&service.data, &words), 0)["api_key"].as_str().expect("a key").to_owned();
    redis.freeze(true);
    let failed = service.ask(&key, json!({"action": "usage"}));
    assert_eq!(failed.status, 503);
    let line = line_of(&service, failed.header("x-request-id").expect("an id"));
    assert_eq!((&line["status"], &line["error"]), (&json!(503), &json!("store_unavailable")));
    redis.freeze(false);
    assert!(requests(&service).iter().all(|line| line["status"] != 200 && line["status"] != 404));
}

#[test]
fn requests_are_not_logged_when_that_is_off() {
    let service = Service::start_with(&["log_requests=off", "limits.connections=1"]);
    let held = open(service.listen);
    awaited("the connection", SOON, || (service.counted("candango_connections") == 1).then_some(()));
    assert_eq!(get(service.listen, "/v1/plans").status, 503);
    drop(held);
    // a line of the stop comes after all others
    service.signal("-TERM");
    service.logged("stopping");
    assert_eq!(requests(&service), [Value::Null; 0]);
}

#[test]
fn refused_connections_are_counted_and_write_no_lines() {
    let service = Service::start_with(&["limits.connections=1"]);
    let held = open(service.listen);
    awaited("the connection", SOON, || (service.counted("candango_connections") == 1).then_some(()));
    for _ in 0..3 {
        assert_eq!(get(service.listen, "/v1/plans").status, 503);
    }
    for name in ["candango_connections_refused_total", "candango_refusals_total{code=\"overloaded\"}"] {
        awaited(name, SOON, || (service.counted(name) == 3).then_some(()));
    }
    drop(held);
    service.signal("-TERM");
    service.logged("stopping");
    assert_eq!(requests(&service), [Value::Null; 0]);
}

#[test]
fn a_depot_that_cannot_be_reached_is_logged_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::start_without_depot(&folder.path().join("data"));
    awaited("four polls", SOON, || (service.counted("candango_depot_polls_total") >= 4).then_some(()));
    let log = service.logged("the depot cannot be read");
    assert_eq!(log.matches("the depot cannot be read").count(), 1, "{log}");
    assert!(!log.contains("object_store"), "{log}");
    assert!(log.lines().count() <= 3, "{log}");
}

#[test]
fn the_beginning_and_the_end_of_an_outage_are_logged() {
    let redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let service = Service::start_with(&[&store, "limits.trust_window_ms=3000"]);
    let words = ["key", "issue", "--email", "late@b.c", "--plan", "pro", "--json", "--set", &store];
    let key = printed_json(&run(&service.data, &words), 0)["api_key"].as_str().expect("a key").to_owned();
    redis.freeze(true);
    for _ in 0..4 {
        assert_eq!(service.ask(&key, json!({"action": "usage"})).status, 503);
    }
    let begins = ["heartbeats to the store fail", "requests cannot be answered without the store"];
    for line in begins {
        service.logged(line);
    }
    redis.freeze(false);
    for line in begins {
        let end = format!("no longer: {line}");
        let log = service.logged(&end);
        assert_eq!(log.matches(line).count(), 2, "{log}");
    }
    assert_eq!(service.good(&key, json!({"action": "summary"}))["ok"], true);
}

#[test]
fn a_mail_server_that_is_down_is_one_line_for_many_mails() {
    let service = Service::start_with(&[&format!("mail=smtp://127.0.0.1:{}", free_port())]);
    for number in 0..8 {
        assert_eq!(sign_up(&service, &format!("a{number}@x.example")).status, 200);
    }
    awaited("all tries", SOON, || (service.counted("candango_mails_failed_total") >= 8).then_some(()));
    let log = service.logged("mails cannot be sent");
    assert_eq!(log.matches("mails cannot be sent").count(), 1, "{log}");
    assert!(!log.contains("will be tried again"), "{log}");
}
