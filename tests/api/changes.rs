//! What copies of the guide cost and when there are none: a client that has the changes costs nothing, work is not
//! begun twice, and an error says what is missing.

use serde_json::json;

use crate::export::{get, get_prepared};
use crate::mail::{SOON, awaited};
use crate::publishing::{guide, guide_of, publish};
use crate::service::{Service, printed, run, shared};

const EXPORT: &str = "/v1/export/places.ndjson";

#[test]
fn who_has_the_changes_costs_nothing_also_when_the_month_is_spent() {
    let service = Service::start_with(&["plans.gringo.per_month=3"]);
    let folder = guide(&service.data, 1);
    publish(&service.data, &folder, &[]);
    service.serves(1);
    let (key, path) = (service.key("gringo"), "/v1/changes?since=1");
    let plain = get_prepared(service.listen, &key, path);
    let gzip = get(service.listen, &key, path, &[("accept-encoding", "gzip")]);
    assert_eq!((plain.status, gzip.status), (200, 200));
    let [plain, gzip] = [plain, gzip].map(|answer| answer.header("etag").expect("a tag").to_owned());
    assert_ne!(plain, gzip, "each form has a tag of its own");
    let tag = |name: &str| get(service.listen, &key, path, &[("if-none-match", name)]);
    assert_eq!(tag("*").status, 304, "there are changes");
    assert_eq!(tag(&gzip).status, 200, "another form");
    let spent = tag("\"none\"");
    assert_eq!((spent.status, &spent.json()["code"]), (429, &json!("quota_exceeded")));
    let kept = tag(&plain);
    assert_eq!((kept.status, kept.body.len(), kept.header("etag")), (304, 0, Some(plain.as_str())));

    // what is hidden is no publication, and changes the answer
    printed(&run(&service.data, &["snapshot", "hide", "place-7", "--reason", "a test"]), 0);
    awaited("another tag", SOON, || (tag(&plain).status == 429).then_some(()));
}

#[test]
fn changes_that_cannot_be_told_are_not_said_to_be_known() {
    let (service, pro) = (&shared().service, &shared().pro);
    let newer = get(service.listen, pro, "/v1/changes?since=999", &[("if-none-match", "*")]);
    assert_eq!((newer.status, &newer.json()["code"]), (410, &json!("too_old")), "{}", newer.text());
}

#[test]
fn too_many_parameters_are_refused_and_none_is_lost() {
    let (service, pro) = (&shared().service, &shared().pro);
    for (others, status, code) in [(63, 200, json!(null)), (64, 400, json!("too_many_fields"))] {
        let path = format!("/v1/changes?{}since=0", "x=1&".repeat(others));
        let answer = get(service.listen, pro, &path, &[]);
        assert_eq!((answer.status, &answer.json()["code"]), (status, &code), "{}", answer.text());
    }
}

#[test]
fn a_parameter_of_a_copy_that_there_is_not_is_refused_or_told() {
    let (service, pro) = (&shared().service, &shared().pro);
    for path in [EXPORT, "/v1/export/events.ndjson"] {
        let refused = get(service.listen, pro, &format!("{path}?q=jazz&limit=5"), &[]);
        assert_eq!((refused.status, &refused.json()["code"]), (400, &json!("unknown_param")), "{path}");
        let error = refused.json()["error"].clone();
        assert_eq!(error, "Send no parameters. Not known: q, limit.", "{path}");
    }
    let plain = get(service.listen, pro, "/v1/changes?since=0", &[]);
    assert!(plain.json().get("warnings").is_none(), "{}", plain.text());
    let told = get(service.listen, pro, "/v1/changes?since=0&kind=places", &[]);
    assert_eq!(
        told.json()["warnings"],
        json!(["kind is not a parameter and was ignored"]),
        "{}",
        told.text()
    );
    assert_ne!(told.header("etag"), plain.header("etag"));
}

#[test]
fn an_export_that_takes_longer_than_a_request_may_is_there_for_a_later_one() {
    let service = Service::start_with(&["limits.request_timeout_ms=20"]);
    publish(&service.data, &guide_of(&service.data, 1, 20_000), &[]);
    service.serves(1);
    let key = service.key("pro");
    let got = awaited("an export", SOON, || {
        let answer = get(service.listen, &key, EXPORT, &[("accept-encoding", "zstd")]);
        match answer.status {
            200 => Some(answer),
            _ => {
                assert_eq!(answer.status, 503, "{}", answer.text());
                None
            }
        }
    });
    let lines = zstd::decode_all(&*got.body).expect("zstd");
    assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), 20_000);
}

#[test]
fn without_the_publications_copies_are_refused_with_the_reason_until_they_are_known() {
    let service = Service::start();
    let (data, key) = (service.data.clone(), service.key("pro"));
    publish(&data, &guide(&data, 1), &[]);
    service.serves(1);
    let copy = || std::fs::read_to_string(data.join("last-good/kept.json"));
    awaited("the copy", SOON, || copy().is_ok_and(|kept| kept.contains("\"serial\":1,")).then_some(()));
    let _folder = service.kill();
    let (pointer, away) = (data.join("depot/current.json"), data.join("away.json"));
    std::fs::rename(&pointer, &away).expect("moved");

    let service = Service::start_on(&data);
    assert_eq!(service.readiness()["snapshot"]["serial"], 1);
    assert_eq!(service.good(&key, json!({"action": "summary"}))["snapshot"]["serial"], 1);
    for path in [EXPORT, "/v1/export/events.ndjson", "/v1/changes?since=1"] {
        let refused = get(service.listen, &key, path, &[]);
        assert_eq!((refused.status, &refused.json()["code"]), (503, &json!("no_history")), "{path}");
        assert_eq!(refused.header("retry-after"), Some("10"), "{path}");
        assert_eq!(refused.json()["hint"].as_str().map(|hint| hint.contains("searches")), Some(true));
    }
    std::fs::rename(&away, &pointer).expect("moved back");
    for path in [EXPORT, "/v1/changes?since=1"] {
        assert_eq!(get_prepared(service.listen, &key, path).status, 200, "{path}");
    }
}
