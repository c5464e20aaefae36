//! Limits by client: what one address or network does leaves the service to the others.

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::mail::SOON;
use crate::service::{Answer, Service, open, read, request};
use crate::wire::eventually;

/// Searches without a key, with a forwarded address.
fn preview(service: &Service, from: &str) -> Answer {
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "search_places", "arguments": {"limit": 1}},
    });
    service.post_to("/mcp", &[("x-forwarded-for", from)], &call)
}

#[test]
fn one_48_leaves_the_preview_to_others() {
    let service = Service::start_with(&[
        "trusted_proxies=127.0.0.1",
        "preview.per_minute=3",
        "preview.per_day=1000",
        "preview.per_minute_all=50",
    ]);
    let served = |from: &str| preview(&service, from).json()["result"]["isError"] == false;
    let networks = (0..200).filter(|subnet| served(&format!("2001:db8:1:{subnet:x}::1"))).count();
    // a minute may end meanwhile
    assert!((24..=48).contains(&networks), "{networks} of 200");
    for other in ["2001:db8:2::1", "192.0.2.1"] {
        assert!(served(other), "{other}");
    }
}

/// The memory of a process that is in RAM.
fn resident_bytes(service: &Service) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{}/statm", service.id())).expect("a process");
    let pages: u64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number");
    pages * 4_096
}

#[test]
fn memory_of_unfinished_bodies_is_freed() {
    let service = Service::start();
    let head = [("content-type", "application/json"), ("content-length", "65000")];
    let unfinished = request("POST", "/v1/signup", &head, &[b' '; 60_000]);
    let connections: Vec<_> = (0..400)
        .map(|_| {
            let mut stream = open(service.listen);
            stream.write_all(&unfinished).expect("sent");
            stream
        })
        .collect();
    eventually("all are being read", || service.counted("candango_requests_in_flight") == 400);
    let held = resident_bytes(&service);
    drop(connections);
    let started = Instant::now();
    while resident_bytes(&service) + 20_000_000 > held {
        assert!(started.elapsed() < SOON, "still {} of {held}", resident_bytes(&service));
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_body_that_nothing_reads_leaves_the_connection_to_the_next_request() {
    let service = Service::start();
    let key = crate::mail::signed_up(&service, "turn@x.example");
    let key = ("x-api-key", key.as_str());
    for (method, path, headers, status) in [
        ("POST", "/v1/plans", &[][..], 405),
        ("POST", "/v1/events", &[], 405),
        ("PUT", "/v1", &[], 405),
        ("POST", "/no-such-path", &[], 404),
        ("POST", "/v1/keys/rotate", &[key], 200),
    ] {
        let mut stream = open(service.listen);
        stream.write_all(&request(method, path, headers, &[b' '; 60_000])).expect("sent");
        let answer = read(&mut stream, false).expect("an answer");
        assert_eq!((answer.status, answer.header("connection")), (status, None), "{method} {path}");
        stream.write_all(&request("GET", "/v1/plans", &[], b"")).expect("sent");
        let next = read(&mut stream, false).unwrap_or_else(|| panic!("{method} {path}: no second answer"));
        assert_eq!(next.status, 200, "{method} {path}");
    }
}

/// Begins a body of 60,000 bytes and leaves it unfinished.
fn begin_body(service: &Service, from: &str) -> TcpStream {
    let head = [("x-forwarded-for", from), ("content-length", "60000")];
    let mut stream = open(service.listen);
    stream.write_all(&request("POST", "/v1/signup", &head, &[b' '; 50_000])).expect("sent");
    stream
}

#[test]
fn unfinished_bodies_have_a_limit_and_leave_the_service_to_others() {
    let service = Service::start_with(&["trusted_proxies=127.0.0.1", "limits.body_memory_bytes=262144"]);
    let held = || service.counted("candango_request_bodies_bytes");
    let refused = |mut stream: TcpStream| {
        let answer = read(&mut stream, false).expect("an answer");
        assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("overloaded")));
        assert_eq!((answer.header("retry-after"), answer.header("connection")), (Some("1"), Some("close")));
    };
    // one network may hold one of them
    let mut streams = vec![begin_body(&service, "2001:db8::1")];
    eventually("the first is read", || held() == 65_536);
    refused(begin_body(&service, "2001:db8::2"));
    for number in 2..=4 {
        streams.push(begin_body(&service, &format!("192.0.2.{number}")));
        eventually("another is read", || held() == number * 65_536);
    }
    // neither others nor a private network get more than all may hold
    for from in ["192.0.2.5", "10.0.0.1"] {
        refused(begin_body(&service, from));
    }
    // bodies that arrive at once are read, also in a packet of their own
    let mut stream = open(service.listen);
    let email = json!({"email": "maria@example.com"}).to_string();
    let whole = request("POST", "/v1/signup", &[("x-forwarded-for", "2001:db8::1")], email.as_bytes());
    let (head, body) = whole.split_at(whole.len() - email.len());
    stream.write_all(head).expect("sent");
    eventually("the head is read", || service.counted("candango_requests_in_flight") == 5);
    stream.write_all(body).expect("sent");
    assert_eq!(read(&mut stream, false).expect("an answer").status, 200);
    // a body that is finished is answered, and one that breaks off frees its memory
    let mut finished = streams.remove(0);
    finished.write_all(&[b' '; 10_000]).expect("sent");
    assert_eq!(read(&mut finished, false).expect("an answer").json()["code"], "invalid_json");
    drop(streams);
    eventually("all is free", || held() == 0);
    let stream = begin_body(&service, "2001:db8::2");
    eventually("the next is read", || held() == 65_536);
    drop(stream);
}

#[test]
fn the_networks_of_one_48_leave_half_of_the_memory_for_bodies_to_others() {
    let service = Service::start_with(&["trusted_proxies=127.0.0.1", "limits.body_memory_bytes=262144"]);
    let held = || service.counted("candango_request_bodies_bytes");
    let mut streams = Vec::new();
    for from in ["2001:db8:0:1::1", "2001:db8:0:2::1"] {
        streams.push(begin_body(&service, from));
        eventually("it is read", || held() == 65_536 * streams.len() as u64);
    }
    let answer = read(&mut begin_body(&service, "2001:db8:0:3::1"), false).expect("an answer");
    assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("overloaded")));
    for from in ["2001:db8:1:1::1", "192.0.2.1"] {
        streams.push(begin_body(&service, from));
        eventually("it is read", || held() == 65_536 * streams.len() as u64);
    }
    drop(streams);
    eventually("all is free", || held() == 0);
}

#[test]
fn a_private_network_may_use_all_the_memory_for_bodies() {
    let service = Service::start_with(&["limits.body_memory_bytes=262144"]);
    let streams: Vec<_> = (0..4).map(|_| begin_body(&service, "192.0.2.1")).collect();
    eventually("all are read", || service.counted("candango_request_bodies_bytes") == 262_144);
    drop(streams);
}

#[test]
fn this_machine_may_open_any_number_of_connections() {
    let service = Service::start_with(&["limits.connections_per_address=1"]);
    let mut streams: Vec<_> = (0..5).map(|_| open(service.listen)).collect();
    for stream in &mut streams {
        stream.write_all(&request("GET", "/v1/plans", &[], b"")).expect("sent");
        assert_eq!(read(stream, false).expect("an answer").status, 200);
    }
}
