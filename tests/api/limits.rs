//! Limits by client: what one address or network does leaves the service to the others.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::service::{Answer, Service, open, request};
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
        assert!(started.elapsed() < Duration::from_secs(30), "still {} of {held}", resident_bytes(&service));
        thread::sleep(Duration::from_millis(20));
    }
}
