//! Endpoints that change something without a key refuse the pages of other sites.

use serde_json::json;

use crate::service::{Answer, Service, exchange, request};

const PATHS: [&str; 3] = ["/v1/signup", "/v1/keys/recover", "/v1/keys/recover/confirm"];

fn post(service: &Service, path: &str, headers: &[(&str, &str)]) -> Answer {
    let body = json!({"email": "maria@example.com", "code": "0000-0000-0000"}).to_string();
    exchange(service.listen, &request("POST", path, headers, body.as_bytes()))
}

#[test]
fn pages_of_other_sites_can_neither_sign_up_nor_recover() {
    let service = Service::start_with(&["signup.per_address_day=1", "allowed_origins=https://app.example"]);
    let types =
        [None, Some("application/json"), Some("text/plain"), Some("application/x-www-form-urlencoded")];
    for origin in ["https://evil.example", "null", "", "http://test.evil.example", "https://app.example:444"]
    {
        for (path, kind) in PATHS.iter().flat_map(|path| types.map(|kind| (path, kind))) {
            let headers: Vec<_> =
                [("origin", origin)].into_iter().chain(kind.map(|kind| ("content-type", kind))).collect();
            let answer = post(&service, path, &headers);
            let body = answer.json();
            assert_eq!((answer.status, &body["code"]), (403, &json!("foreign_origin")), "{path} {headers:?}");
            assert_eq!((&body["ok"], answer.header("access-control-allow-origin")), (&json!(false), None));
            assert_eq!(body["request_id"].as_str(), answer.header("x-request-id"));
        }
    }
    let two = post(&service, "/v1/signup", &[("origin", "http://test"), ("origin", "https://evil.example")]);
    assert_eq!(two.status, 403);
    let pressed = post(&service, "/sandbox/chk_1", &[("origin", "https://evil.example")]);
    assert_eq!((pressed.status, &pressed.json()["code"]), (403, &json!("foreign_form")));
    // nothing was counted: the address has its one sign-up of the day
    assert_eq!(post(&service, "/v1/signup", &[]).status, 200);
}

#[test]
fn allowed_pages_and_programs_can_sign_up_and_recover() {
    let mails = tempfile::tempdir().expect("a folder");
    let outbox = format!("mail=outbox:{}", mails.path().display());
    let settings = [
        "signup.per_address_day=1000",
        "signup.per_address_burst=1000",
        "allowed_origins=https://app.example",
        "base_url=https://guia.example",
        "payments=none",
        &outbox,
    ];
    let service = Service::start_with(&settings);
    let origins =
        ["http://localhost", "https://guia.example", "https://app.example", "http://localhost:3000"];
    for path in PATHS {
        let status = if path.ends_with("confirm") { 400 } else { 200 };
        for origin in origins {
            let answer = post(&service, path, &[("origin", origin)]);
            assert_eq!(answer.status, status, "{path} {origin}: {}", answer.text());
        }
        assert_eq!(post(&service, path, &[]).status, status, "{path}");
    }
}
