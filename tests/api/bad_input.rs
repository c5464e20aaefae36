//! Bad input gets an error of the documented form, which never echoes the input, and the service keeps working.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{Datelike, NaiveDate};
use serde_json::{Value, json};

use crate::service::{Answer, Service, Shared, exchange, open, read, request, shared};

/// A marker in every bad request, which no error may echo.
const MARK: &str = "zZmArKzZ";

/// A bad request and its error.
pub(crate) struct Case {
    label: String,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    status: u16,
    code: &'static str,
    param: Option<&'static str>,
}

impl Case {
    /// This body with a valid key.
    fn body(
        body: impl Into<Vec<u8>>,
        status: u16,
        code: &'static str,
        param: impl Into<Option<&'static str>>,
    ) -> Case {
        let body = body.into();
        let label = String::from_utf8_lossy(&body).chars().take(120).collect();
        let headers =
            vec![("x-api-key", shared().pro.clone()), ("content-type", "application/json".to_owned())];
        Case { label, method: "POST", path: "/v1", headers, body, status, code, param: param.into() }
    }

    fn json(body: Value, status: u16, code: &'static str, param: impl Into<Option<&'static str>>) -> Case {
        Case::body(body.to_string(), status, code, param)
    }

    /// These headers with a valid body.
    fn headers(headers: &[(&'static str, &str)], status: u16, code: &'static str) -> Case {
        let headers = headers.iter().map(|(name, value)| (*name, value.to_string())).collect();
        Case {
            label: format!("{headers:?}"),
            headers,
            ..Case::json(json!({"action": "summary", "x": MARK}), status, code, None)
        }
    }

    fn at(method: &'static str, path: &'static str, status: u16, code: &'static str) -> Case {
        Case {
            label: format!("{method} {path}"),
            method,
            path,
            ..Case::json(json!({"action": "summary"}), status, code, None)
        }
    }
}

fn search(param: &str, value: Value) -> Value {
    let mut body = json!({"action": "search_events", "x": MARK});
    body[param] = value;
    body
}

/// A cursor of events that this service did not make: its checksum is right, and its day is any.
fn forged_cursor(day: NaiveDate) -> String {
    let mut bytes = vec![b'E'];
    bytes.extend(day.num_days_from_ce().to_be_bytes());
    // no flags, no wishes, the first position, no name, no id
    bytes.extend([0; 1 + 8 + 8 + 2]);
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Asserts that an answer is an error of the documented form.
fn assert_error(answer: &Answer, label: &str) {
    assert!((400..500).contains(&answer.status), "{label}: {} {}", answer.status, answer.text());
    assert!(
        answer.header("content-type").is_some_and(|kind| kind.starts_with("application/json")),
        "{label}"
    );
    let body = answer.json();
    assert_eq!(body["ok"], false, "{label}");
    for field in ["error", "code", "request_id"] {
        assert!(body[field].as_str().is_some_and(|text| !text.is_empty()), "{label}: {body}");
    }
    assert_eq!(answer.header("x-request-id"), body["request_id"].as_str(), "{label}");
    let known = ["ok", "error", "code", "param", "hint", "request_id", "retry_after"];
    assert!(
        body.as_object().expect("an object").keys().all(|name| known.contains(&name.as_str())),
        "{label}: {body}"
    );
    let whole = format!("{}{}", answer.head, answer.text()).to_lowercase();
    assert!(!whole.contains(&MARK.to_lowercase()), "{label}: {whole}");
}

fn assert_healthy(service: &Service, key: &str) {
    assert_eq!(service.good(key, json!({"action": "search_places", "limit": 1}))["count"], 1);
}

pub(crate) fn cases() -> Vec<Case> {
    let pro = shared().pro.clone();
    let good_cursor = |action: &str| {
        let page = shared().service.good(&pro, json!({"action": action, "limit": 1}));
        page["next_cursor"].as_str().expect("a cursor").to_owned()
    };
    let (places, events) = (good_cursor("search_places"), good_cursor("search_events"));
    let swapped: String = events.chars().rev().collect();
    let json_kind = ("content-type", "application/json");
    let mistyped = format!("{}{}", &pro[..pro.len() - 1], if pro.ends_with('a') { 'b' } else { 'a' });
    let fields = |count: usize| {
        let list: Vec<String> = (0..count).map(|at| format!("\"{MARK}{at}\":1")).collect();
        format!("{{\"action\":\"summary\",{}}}", list.join(","))
    };
    let nested = |open: &str, close: &str, depth: usize| {
        format!("{{\"action\":\"search_places\",\"q\":{}1{}}}", open.repeat(depth), close.repeat(depth))
    };
    let huge = |bytes: usize| {
        format!("{{\"action\":\"search_places\",\"x\":\"{}\"}}", MARK.repeat(bytes / MARK.len()))
    };
    let mut cases = vec![
        // not JSON
        Case::body("", 400, "invalid_json", None),
        Case::body("   ", 400, "invalid_json", None),
        Case::body("{", 400, "invalid_json", None),
        Case::body(format!("{{\"action\":\"{MARK}"), 400, "invalid_json", None),
        Case::body("{\"action\":\"summary\"", 400, "invalid_json", None),
        Case::body("{\"action\":\"summary\",}", 400, "invalid_json", None),
        Case::body("{\"action\":\"summary\"}}", 400, "invalid_json", None),
        Case::body("{\"action\":\"summary\"} x", 400, "invalid_json", None),
        Case::body("{action:\"summary\"}", 400, "invalid_json", None),
        Case::body("{'action':'summary'}", 400, "invalid_json", None),
        Case::body(format!("action=summary&x={MARK}"), 400, "invalid_json", None),
        Case::body(format!("<xml>{MARK}</xml>"), 400, "invalid_json", None),
        Case::body("{\"action\":\"summary\",\"x\":NaN}", 400, "invalid_json", None),
        Case::body("{\"action\":\"summary\",\"x\":01}", 400, "invalid_json", None),
        Case::body("{\"action\":\"summary\",\"x\":1e999}", 400, "invalid_json", None),
        Case::body("\u{feff}{\"action\":\"summary\"}", 400, "invalid_json", None),
        Case::body(b"{\"action\":\"summary\",\"q\":\"\xff\xfe\"}".as_slice(), 400, "invalid_json", None),
        Case::body(b"\xc3\x28".as_slice(), 400, "invalid_json", None),
        Case::body(b"{\"action\":\"summary\",\"q\":\"a\0b\"}".as_slice(), 400, "invalid_json", None),
        Case::body("{\"q\":\"\\ud800\"}", 400, "invalid_json", None),
        Case::body("{\"q\":\"\\x41\"}", 400, "invalid_json", None),
        Case::body("{\"q\":\"a\nb\"}", 400, "invalid_json", None),
        Case::body("nul", 400, "invalid_json", None),
        // JSON, but not an object
        Case::body("[]", 400, "not_an_object", None),
        Case::body(format!("[{{\"action\":\"{MARK}\"}}]"), 400, "not_an_object", None),
        Case::body("1", 400, "not_an_object", None),
        Case::body("1.5e3", 400, "not_an_object", None),
        Case::body(format!("\"{MARK}\""), 400, "not_an_object", None),
        Case::body("null", 400, "not_an_object", None),
        Case::body("true", 400, "not_an_object", None),
        Case::body("[".repeat(60_000), 400, "not_an_object", None),
        Case::body("[".repeat(100_000), 413, "body_too_large", None),
        Case::body(nested("[", "]", 30_000), 400, "wrong_type", "q"),
        Case::body(nested("{\"a\":", "}", 10_000), 400, "wrong_type", "q"),
        Case::body(nested("[", "]", 100_000), 413, "body_too_large", None),
        Case::body(nested("[", "", 50_000), 400, "invalid_json", None),
        Case::body(huge(70_000), 413, "body_too_large", None),
        Case::body(huge(2_000_000), 413, "body_too_large", None),
        Case::body("x".repeat(65_537), 413, "body_too_large", None),
        Case::body("x".repeat(65_536), 400, "invalid_json", None),
        Case::body(fields(64), 400, "too_many_fields", None),
        Case::body(fields(3_000), 400, "too_many_fields", None),
        // keys
        Case::headers(&[json_kind], 401, "missing_key"),
        Case::headers(&[json_kind, ("x-api-key", "")], 401, "missing_key"),
        Case::headers(&[json_kind, ("x-api-key", "  ")], 401, "missing_key"),
        Case::headers(&[json_kind, ("authorization", "Basic enpNYVJrelo=")], 401, "missing_key"),
        Case::headers(&[json_kind, ("authorization", "Bearer")], 401, "missing_key"),
        Case::headers(&[json_kind, ("x-api-key", MARK)], 401, "invalid_key"),
        Case::headers(&[json_kind, ("x-api-key", &mistyped)], 401, "invalid_key"),
        Case::headers(&[json_kind, ("x-api-key", &pro[..46])], 401, "invalid_key"),
        Case::headers(&[json_kind, ("x-api-key", &format!("{pro}a"))], 401, "invalid_key"),
        Case::headers(&[json_kind, ("x-api-key", &pro.to_uppercase())], 401, "invalid_key"),
        Case::headers(&[json_kind, ("x-api-key", "çã\u{7f}")], 400, ""),
        Case::headers(&[json_kind, ("x-api-key", "çãé")], 401, "invalid_key"),
        Case::headers(&[json_kind, ("x-api-key", &"k".repeat(10_000))], 401, "invalid_key"),
        Case::headers(&[json_kind, ("authorization", &format!("Bearer {MARK}"))], 401, "invalid_key"),
        Case::headers(
            &[json_kind, ("x-api-key", &pro), ("authorization", "Bearer other")],
            401,
            "conflicting_keys",
        ),
        Case::headers(
            &[json_kind, ("x-api-key", &pro), ("x-api-key", &shared().free)],
            401,
            "conflicting_keys",
        ),
        // actions
        Case::json(json!({}), 400, "missing_action", "action"),
        Case::json(json!({"action": null}), 400, "missing_action", "action"),
        Case::json(json!({"q": MARK}), 400, "missing_action", "action"),
        Case::json(json!({"action": ""}), 400, "unknown_action", "action"),
        Case::json(json!({"action": MARK}), 400, "unknown_action", "action"),
        Case::json(json!({"action": "SEARCH_EVENTS"}), 400, "unknown_action", "action"),
        Case::json(json!({"action": "search_events\u{200b}"}), 400, "unknown_action", "action"),
        Case::json(json!({"action": 7}), 400, "wrong_type", "action"),
        Case::json(json!({"action": ["summary"]}), 400, "wrong_type", "action"),
        Case::json(json!({"Action": "summary"}), 400, "missing_action", "action"),
        Case::body(
            format!("{{\"action\":\"summary\",\"action\":\"{MARK}\"}}"),
            400,
            "unknown_action",
            "action",
        ),
        // numbers
        Case::json(search("limit", json!(0)), 400, "out_of_range", "limit"),
        Case::json(search("limit", json!(51)), 400, "out_of_range", "limit"),
        Case::json(search("limit", json!(-1)), 400, "out_of_range", "limit"),
        Case::json(search("limit", json!("51")), 400, "out_of_range", "limit"),
        Case::json(search("limit", json!(u64::MAX)), 400, "out_of_range", "limit"),
        Case::json(search("limit", json!(1.5)), 400, "wrong_type", "limit"),
        Case::json(search("limit", json!("abc")), 400, "wrong_type", "limit"),
        Case::json(search("limit", json!(1e99)), 400, "wrong_type", "limit"),
        Case::json(search("limit", json!(true)), 400, "wrong_type", "limit"),
        Case::json(search("limit", json!([5])), 400, "wrong_type", "limit"),
        Case::json(search("limit", json!("٥")), 400, "wrong_type", "limit"),
        Case::json(search("limit", json!("99999999999999999999")), 400, "wrong_type", "limit"),
        // dates
        Case::json(search("from", json!("2026-02-30")), 400, "invalid_date", "from"),
        Case::json(search("from", json!("2026-13-01")), 400, "invalid_date", "from"),
        Case::json(search("from", json!("2025-02-29")), 400, "invalid_date", "from"),
        Case::json(search("from", json!("someday")), 400, "invalid_date", "from"),
        Case::json(search("from", json!("tonight")), 400, "invalid_date", "from"),
        Case::json(search("time_from", json!("25:00")), 400, "invalid_time", "time_from"),
        Case::json(search("time_from", json!("18:00:99")), 400, "invalid_time", "time_from"),
        Case::json(search("time_from", json!("24:00")), 400, "invalid_time", "time_from"),
        Case::json(search("time_to", json!("evening")), 400, "invalid_time", "time_to"),
        Case::json(search("time_to", json!(20)), 400, "wrong_type", "time_to"),
        Case::json(search("from", json!(MARK)), 400, "invalid_date", "from"),
        Case::json(search("from", json!("2026-1-1")), 400, "invalid_date", "from"),
        Case::json(search("from", json!("20261121")), 400, "invalid_date", "from"),
        Case::json(search("from", json!("2026-11-21T00:00:00Z")), 400, "invalid_date", "from"),
        Case::json(search("from", json!("+026-11-21")), 400, "invalid_date", "from"),
        Case::json(search("from", json!("10000-01-01")), 400, "invalid_date", "from"),
        Case::json(search("from", json!("２０２６-11-21")), 400, "invalid_date", "from"),
        Case::json(search("to", json!("2026/11/21")), 400, "invalid_date", "to"),
        Case::json(search("to", json!("0000-00-00")), 400, "invalid_date", "to"),
        Case::json(search("to", json!("2001-01-01")), 400, "dates_reversed", "to"),
        Case::json(
            json!({"action": "search_events", "from": "2026-12-02", "to": "2026-12-01"}),
            400,
            "dates_reversed",
            "to",
        ),
        Case::json(
            json!({"action": "search_events", "from": "9999-12-31", "to": "0000-01-01"}),
            400,
            "dates_reversed",
            "to",
        ),
        // texts
        Case::json(search("q", json!(MARK.repeat(51)[..401])), 400, "text_too_long", "q"),
        Case::json(search("q", json!("é".repeat(401))), 400, "text_too_long", "q"),
        Case::json(search("q", json!(format!("samba{}", " ".repeat(400)))), 400, "text_too_long", "q"),
        Case::json(search("region", json!(" ".repeat(121))), 400, "text_too_long", "region"),
        Case::json(search("category", json!(vec!["bar"; 21])), 400, "too_many_values", "category"),
        Case::json(search("q", json!(format!("e{}", "\u{301}".repeat(10_000)))), 400, "text_too_long", "q"),
        Case::json(search("region", json!(MARK)), 400, "unknown_region", "region"),
        Case::json(search("neighbourhood", json!(MARK)), 400, "unknown_region", "neighbourhood"),
        Case::json(search("region", json!("a".repeat(121))), 400, "text_too_long", "region"),
        Case::json(search("region", json!("🦜")), 400, "unknown_region", "region"),
        Case::json(search("region", json!("\u{200b}\u{202e}")), 400, "unknown_region", "region"),
        Case::json(search("region", json!("QI")), 400, "ambiguous_region", "region"),
        Case::json(search("neighbourhood", json!("QI")), 400, "ambiguous_region", "neighbourhood"),
        Case::json(search("category", json!(MARK)), 400, "unknown_category", "category"),
        Case::json(search("category", json!("'; DROP TABLE--")), 400, "unknown_category", "category"),
        Case::json(search("category", json!("\u{0}")), 400, "unknown_category", "category"),
        Case::json(search("category", json!("\u{301}".repeat(121))), 400, "text_too_long", "category"),
        Case::json(
            json!({"action": "search_places", "region": "Gama", "neighbourhood": MARK}),
            400,
            "conflicting_region",
            "region",
        ),
        // cursors
        Case::json(search("cursor", json!(MARK)), 400, "invalid_cursor", "cursor"),
        Case::json(search("cursor", json!(events[..events.len() - 1])), 400, "invalid_cursor", "cursor"),
        Case::json(search("cursor", json!(events[1..])), 400, "invalid_cursor", "cursor"),
        Case::json(search("cursor", json!(swapped)), 400, "invalid_cursor", "cursor"),
        Case::json(search("cursor", json!(format!("{events}="))), 400, "invalid_cursor", "cursor"),
        Case::json(search("cursor", json!(places)), 400, "invalid_cursor", "cursor"),
        Case::json(json!({"action": "search_places", "cursor": events}), 400, "invalid_cursor", "cursor"),
        Case::json(search("cursor", json!("A".repeat(60_000))), 400, "invalid_cursor", "cursor"),
        Case::json(search("cursor", json!(forged_cursor(NaiveDate::MAX))), 400, "invalid_cursor", "cursor"),
        Case::json(search("cursor", json!(forged_cursor(NaiveDate::MIN))), 400, "invalid_cursor", "cursor"),
        // records
        Case::json(json!({"action": "get_place"}), 400, "missing_param", "id"),
        Case::json(json!({"action": "get_event", "id": "  "}), 400, "missing_param", "id"),
        Case::json(json!({"action": "get_place", "id": MARK}), 404, "unknown_record", "id"),
        Case::json(json!({"action": "get_event", "id": "memorial-jk"}), 404, "unknown_record", "id"),
        Case::json(json!({"action": "get_place", "id": "x".repeat(121)}), 400, "text_too_long", "id"),
        Case::json(json!({"action": "get_place", "id": "é".repeat(120)}), 404, "unknown_record", "id"),
        Case::json(json!({"action": "get_place", "id": "../../etc/passwd"}), 404, "unknown_record", "id"),
        Case::json(json!({"action": "get_place", "id": 5}), 400, "wrong_type", "id"),
        // methods and paths
        Case::at("GET", "/v1", 405, "method_not_allowed"),
        Case::at("PUT", "/v1", 405, "method_not_allowed"),
        Case::at("DELETE", "/v1", 405, "method_not_allowed"),
        Case::at("PATCH", "/v1", 405, "method_not_allowed"),
        Case::at("OPTIONS", "/v1", 405, "method_not_allowed"),
        Case::at("ZZMARKZZ", "/v1", 405, "method_not_allowed"),
        Case::at("POST", "/zZmArKzZ", 404, "not_found"),
        Case::at("POST", "/v1/", 404, "not_found"),
        Case::at("POST", "//v1", 404, "not_found"),
        Case::at("POST", "/v1/zZmArKzZ", 404, "not_found"),
        Case::at("GET", "/zZmArKzZ?zZmArKzZ=1", 404, "not_found"),
        Case::at("GET", "/%00%ff/../..", 404, "not_found"),
        Case::at("POST", "/V1", 404, "not_found"),
        Case::at("POST", "/readyz", 404, "not_found"),
        Case::at("OPTIONS", "*", 404, "not_found"),
        // content types
        Case::headers(&[("x-api-key", &pro), ("content-type", "text/plain")], 415, "unsupported_media_type"),
        Case::headers(
            &[("x-api-key", &pro), ("content-type", "application/x-www-form-urlencoded")],
            415,
            "unsupported_media_type",
        ),
        Case::headers(&[("x-api-key", &pro), ("content-type", MARK)], 415, "unsupported_media_type"),
        Case::headers(&[("x-api-key", &pro), ("content-type", "")], 415, "unsupported_media_type"),
    ];
    for param in ["q", "category", "region", "neighbourhood", "from", "to", "cursor"] {
        for value in [json!(1), json!(1.5), json!(false), json!([1, MARK]), json!({"a": MARK})] {
            cases.push(Case::json(search(param, value), 400, "wrong_type", param));
        }
    }
    // the first check that fails decides the error: size, JSON, key, action, parameters, plan
    let free = ("x-api-key", shared().free.clone());
    let with = |headers: Vec<(&'static str, String)>, case: Case| Case { headers, ..case };
    cases.extend([
        with(vec![], Case::body("x".repeat(70_000), 413, "body_too_large", None)),
        with(vec![], Case::body(MARK, 400, "invalid_json", None)),
        with(vec![], Case::body("[]", 400, "not_an_object", None)),
        with(vec![], Case::json(json!({"action": MARK}), 401, "missing_key", None)),
        with(vec![("x-api-key", MARK.into())], Case::json(json!({}), 401, "invalid_key", None)),
        Case::json(json!({"action": MARK, "limit": 0}), 400, "unknown_action", "action"),
        with(
            vec![free.clone()],
            Case::json(
                json!({"action": "search_places", "region": "Gama", "limit": 0}),
                400,
                "out_of_range",
                "limit",
            ),
        ),
        with(
            vec![free.clone()],
            Case::json(
                json!({"action": "search_places", "region": "Gama", "cursor": MARK}),
                400,
                "invalid_cursor",
                "cursor",
            ),
        ),
        with(
            vec![free],
            Case::json(json!({"action": "search_places", "region": "Gama"}), 403, "plan_region", "region"),
        ),
    ]);
    cases
}

#[test]
fn every_bad_request_gets_its_documented_error() {
    let Shared { service, pro, .. } = shared();
    let cases = cases();
    assert!(cases.len() >= 80, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let headers: Vec<(&str, &str)> =
            case.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = exchange(service.listen, &request(case.method, case.path, &headers, &case.body));
        if case.code.is_empty() {
            // hyper refuses what HTTP forbids
            assert_eq!(answer.status, case.status, "{}", case.label);
            continue;
        }
        assert_error(&answer, &case.label);
        let label = answer.json();
        if (answer.status, label["code"].as_str(), label["param"].as_str())
            != (case.status, Some(case.code), case.param)
        {
            wrong.push(format!(
                "{} wanted {} {} {:?}: {} {label}",
                case.label, case.status, case.code, case.param, answer.status
            ));
        }
        assert_eq!(answer.header("allow"), (case.status == 405).then_some("POST"), "{}", case.label);
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert_healthy(service, pro);
}

#[test]
fn a_day_out_of_reach_is_an_error_of_the_client_on_every_surface() {
    let Shared { service, pro, .. } = shared();
    let status = |path: &str, headers: &[(&str, &str)]| {
        exchange(service.listen, &request("GET", path, headers, b"")).status
    };
    for day in [NaiveDate::MAX, NaiveDate::MIN] {
        let cursor = forged_cursor(day);
        let key = [("x-api-key", pro.as_str())];
        assert_eq!(status(&format!("/v1/events?cursor={cursor}"), &key), 400, "{day}");
        let path = format!("/?kind=events&q=samba&cursor={cursor}");
        let page = exchange(service.listen, &request("GET", &path, &[("accept", "text/html")], b""));
        assert_eq!(page.status, 400, "{day}");
        assert!(page.text().contains("Busque de novo"), "in the language of the page: {}", page.text());
    }
    for path in [
        "/agenda/+262142-12",
        "/en/calendar/+262142-12",
        "/agenda/-262143-01",
        "/dia/+262142-12-31",
        "/card/agenda/+262142-12.png",
        "/card/dia/+262142-12-31.png",
        "/event/choro-no-eixo-+12345-1-1",
    ] {
        assert_eq!(status(path, &[("accept", "text/html")]), 404, "{path}");
    }
    for path in ["/agenda/9999-12", "/agenda/0001-01", "/dia/9999-12-31", "/hoje?page=18446744073709551615"] {
        assert_eq!(status(path, &[("accept", "text/html")]), 200, "{path}");
    }
    let far = "/hoje?page=4294967295";
    assert_eq!(status(far, &[("accept", "text/html")]), 303, "to the last page");
    assert_healthy(service, pro);
}

#[test]
fn unusual_texts_are_searched_like_any_other() {
    let Shared { service, pro, .. } = shared();
    for text in [
        "\u{200b}\u{200d}\u{feff}",
        "\u{202e}zzaj",
        "🦜🎷🥁",
        "👩‍👩‍👧‍👦",
        "ﷺ",
        "Ｊａｚｚ",
        "𝔧𝔞𝔷𝔷",
        "\u{0}\u{1}\u{1b}[31m",
        "\\\"}{][",
        "\" OR 1=1 --",
        "a\"b\\c",
        "''''",
        "*",
        "jazz AND (",
        "name:*^5~2",
        "日本料理",
        "Ω≈ç√∫˜µ≤≥÷",
        "İIıi",
        "ß",
        "e\u{301}\u{301}\u{301}",
        "-",
        "2147483648",
        "99 99999 dias",
        "next 9999999999999 days",
        "31 de fevereiro",
        "dezembro de 9999",
        "9999",
        "0",
    ] {
        for action in ["search_events", "search_places"] {
            let answer = service.ask(pro, json!({"action": action, "q": text, "limit": 1}));
            assert_eq!(answer.status, 200, "{text:?}: {}", answer.text());
            assert_eq!(answer.json()["ok"], true, "{text:?}");
        }
    }
    for char in ["\u{301}", "ﷺ", "🦜", "\u{200b}", "a ", "é"] {
        let text: String = char.repeat(200).chars().take(200).collect();
        let answer = service.ask(pro, json!({"action": "search_places", "q": text}));
        assert!([200, 400].contains(&answer.status), "{char:?}: {}", answer.text());
    }
    // the last value of a repeated field wins
    let twice = br#"{"action":"search_places","limit":0,"limit":3}"#;
    let answer = service.post(&[("x-api-key", pro), ("content-type", "application/json")], twice);
    assert_eq!(answer.json()["count"], 3);
    assert_healthy(service, pro);
}

#[test]
fn names_of_unknown_fields_are_escaped() {
    let Shared { service, pro, .. } = shared();
    for name in ["a\"b", "\\", "\n\0", "</script>", "🦜", "", "\u{202e}"] {
        let mut body = json!({"action": "search_places", "limit": 1});
        body[name] = json!(1);
        assert_eq!(service.good(pro, body)["count"], 1);
    }
    let mut body = json!({"action": "search_places", "limit": 1});
    for at in 0..60 {
        body[format!("field{at}")] = json!(1);
    }
    assert!(service.good(pro, body)["warnings"].as_array().is_some_and(|list| list.len() <= 10));
}

#[test]
fn the_size_limit_holds_for_chunked_bodies() {
    let Shared { service, pro, .. } = shared();
    let headers =
        [("x-api-key", pro.as_str()), ("content-type", "application/json"), ("transfer-encoding", "chunked")];
    let chunked = |pieces: &[&[u8]]| {
        let mut body = Vec::new();
        for piece in pieces {
            body.extend(format!("{:x}\r\n", piece.len()).bytes());
            body.extend_from_slice(piece);
            body.extend(b"\r\n");
        }
        body.extend(b"0\r\n\r\n");
        exchange(service.listen, &request("POST", "/v1", &headers, &body))
    };
    let good = chunked(&[b"{\"action\":", b"\"search_places\"", b",\"limit\":2}"]);
    assert_eq!(good.json()["count"], 2);
    let piece = [b'x'; 1_000];
    let large = chunked(&[&piece[..]; 200]);
    assert_error(&large, "chunked");
    assert_eq!((large.status, &large.json()["code"]), (413, &json!("body_too_large")));
    // a declared length over the limit is refused before the body arrives
    let said = exchange(
        service.listen,
        &request("POST", "/v1", &[("x-api-key", pro), ("content-length", "99999999999")], b"{"),
    );
    assert_error(&said, "declared");
    assert_eq!(said.status, 413);
    assert_healthy(service, pro);
}

#[test]
fn a_client_that_sends_its_whole_body_first_still_gets_the_error() {
    let Shared { service, pro, .. } = shared();
    let body = vec![b'x'; 8_000_000];
    for path in ["/v1", "/mcp", "/v1/signup"] {
        for (kind, status) in [("application/json", 413), ("text/plain", 415)] {
            let mut stream = open(service.listen);
            let sent = stream.write_all(&request("POST", path, &[("content-type", kind)], &body));
            assert!(sent.is_ok(), "{path}, {kind}: {sent:?}");
            let answer = read(&mut stream, false).expect("an answer");
            assert_eq!(answer.status, status, "{path}, {kind}");
        }
    }
    for (method, header, status) in [
        ("POST", ("origin", "https://evil.example"), 403),
        ("PUT", ("content-type", "application/json"), 405),
    ] {
        let mut stream = open(service.listen);
        let sent = stream.write_all(&request(method, "/mcp", &[header], &body));
        assert!(sent.is_ok(), "{method}: {sent:?}");
        assert_eq!(read(&mut stream, false).expect("an answer").status, status, "{method}");
    }
    // a client that sends `expect` gets the error at once
    let asking = [("expect", "100-continue"), ("content-length", "8000000")];
    let began = Instant::now();
    assert_eq!(exchange(service.listen, &request("POST", "/v1", &asking, b"")).status, 413);
    let asking = [&asking[..], &[("origin", "https://evil.example")]].concat();
    assert_eq!(exchange(service.listen, &request("POST", "/mcp", &asking, b"")).status, 403);
    // the server does not wait long for a body that never arrives
    let silent = [("content-length", "8000000")];
    assert_eq!(exchange(service.listen, &request("POST", "/v1", &silent, b"x")).status, 413);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_healthy(service, pro);
}

#[test]
fn invalid_http_does_not_disturb_other_connections() {
    let Shared { service, pro, .. } = shared();
    let half = request("POST", "/v1", &[("x-api-key", pro), ("content-length", "500")], b"{\"action\":");
    let long = [b"GET / HTTP/1.1\r\nx: ".to_vec(), vec![b'a'; 1_000_000]].concat();
    let many = [b"POST /v1 HTTP/1.1\r\n".to_vec(), b"x-a: b\r\n".repeat(5_000), b"\r\n".to_vec()].concat();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    })
    .take(100_000)
    .collect();
    let garbage: Vec<Vec<u8>> = vec![
        b"\0\0\0\0".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"hello\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"POST /v1 HTTP/9.9\r\n\r\n".to_vec(),
        b"POST /v1 HTTP/1.1\r\ncontent-length: -1\r\n\r\n".to_vec(),
        b"POST /v1 HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab".to_vec(),
        b"POST /v1 HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
        b"POST /v1 HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n".to_vec(),
        b"POST /v1 HTTP/1.1\r\nbad header\r\n\r\n".to_vec(),
        b"POST /v1 HTTP/1.1\r\n: empty\r\n\r\n".to_vec(),
        half,
        long,
        many,
        noise,
    ];
    for bytes in garbage {
        let mut stream = open(service.listen);
        stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a time-out");
        // the server may close at any byte
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said);
        assert!(!said.contains(" 200 ") && !said.contains(" 500 "), "{said}");
        assert_healthy(service, pro);
    }
    for _ in 0..50 {
        drop(open(service.listen));
    }
    // the unread rest of a refused body is not parsed as the next request
    let mut stream = open(service.listen);
    let wrong = request(
        "POST",
        "/v1",
        &[("x-api-key", pro), ("content-type", "text/plain")],
        b"GET /x HTTP/1.1\r\n\r\n",
    );
    stream.write_all(&wrong).expect("sent");
    assert_eq!(read(&mut stream, false).expect("an answer").status, 415);
    let next = request("POST", "/v1", &[("x-api-key", pro)], br#"{"action":"search_places","limit":1}"#);
    if stream.write_all(&next).is_ok()
        && let Some(answer) = read(&mut stream, false)
    {
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    assert_healthy(service, pro);
}

#[test]
fn a_path_that_is_not_utf8_is_not_found() {
    let Shared { service, pro, .. } = shared();
    for path in [
        "/place/%ff",
        "/en/place/%FF",
        "/event/%c3%28",
        "/api/%ff",
        "/en/api/%f0%28%8c%bc",
        "/sandbox/%ff",
        "/sitemap/%ff",
        "/nothing/%ff",
        "/%ff",
        "/v1/%ff",
    ] {
        // who asks for a page gets the one for an unknown address
        let read = exchange(service.listen, &request("GET", path, &[("accept", "text/html")], b""));
        assert_eq!(read.status, 404, "{path}");
        for (method, accepted) in [("GET", "application/json"), ("POST", "text/html")] {
            let answer = exchange(service.listen, &request(method, path, &[("accept", accepted)], b""));
            assert_error(&answer, path);
            assert_eq!(
                (answer.status, &answer.json()["code"]),
                (404, &json!("not_found")),
                "{method} {path}"
            );
        }
    }
    assert_healthy(service, pro);
}

#[test]
fn an_error_in_a_list_names_the_item_by_its_place() {
    let Shared { service, pro, .. } = shared();
    for (name, value, said) in [
        ("category", json!(["jazz", "sentinela"]), "item 2 of category"),
        ("category", json!("jazz,sentinela"), "item 2 of category"),
        ("category", json!(["", "jazz", "sentinela"]), "item 3 of category"),
        ("region", json!(["sentinela", "Asa Norte"]), "item 1 of region"),
        ("neighbourhood", json!(["Asa Norte", "Asa Sul", "sentinela"]), "item 3 of neighbourhood"),
        ("region", json!(["Asa Norte", "Goiânia"]), "item 2 of region"),
        ("region", json!(["Asa Norte", "QI"]), "item 2 of region"),
        ("fields", json!("id,sentinela"), "item 2 of fields"),
        ("facets", json!(["region", "sentinela"]), "item 2 of facets"),
        // one value needs no place
        ("category", json!("sentinela"), "Change category to"),
        ("region", json!(["sentinela"]), "Change region to"),
        ("fields", json!("sentinela"), "Change fields to"),
    ] {
        let answer = service.ask(pro, json!({"action": "search_places", (name): value}));
        let text = answer.text();
        assert!(answer.status == 400 && text.contains(said), "{value}: {text}");
        assert!(!text.contains("sentinela") && answer.json()["param"] == name, "{text}");
    }
    let get = |path: &str| exchange(service.listen, &request("GET", path, &[("x-api-key", pro)], b"")).text();
    assert!(get("/v1/places?category=jazz,sentinela").contains("item 2 of category"));
    assert!(get("/v1/places?region=Asa+Norte&region=sentinela").contains("item 2 of region"));
}
