//! Limits by client: what one address or network does leaves the service to the others.

use serde_json::json;

use crate::service::{Answer, Service};

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
