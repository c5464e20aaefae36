//! The contract of `POST /v1`: answers, plans and formats.

use std::collections::HashSet;
use std::process::Command;

use chrono::{Datelike, Days, NaiveDate, Weekday};
use serde_json::{Value, json};

use crate::service::{Service, Shared, demo_copy, edit, exchange, ids, printed, request, run, shared};

/// Sends a request to the shared server with a pro key.
fn pro(body: Value) -> Value {
    let shared = shared();
    shared.service.good(&shared.pro, body)
}

/// Sends a request to the shared server with a free key.
fn free(body: Value) -> Value {
    let shared = shared();
    shared.service.good(&shared.free, body)
}

fn refused(key: &str, body: Value, status: u16, code: &str) -> Value {
    let answer = shared().service.ask(key, body);
    assert_eq!(answer.status, status, "{}", answer.text());
    let answer = answer.json();
    assert_eq!(answer["code"], code, "{answer}");
    answer
}

fn day(answer: &Value) -> NaiveDate {
    answer["today"].as_str().expect("a day").parse().expect("a date")
}

/// The names of the fields in the order of the body.
fn fields(raw: &str) -> Vec<String> {
    let (mut depth, mut text, mut escaped, mut word, mut names) =
        (0, false, false, String::new(), Vec::new());
    for char in raw.chars() {
        match (text, char) {
            (true, _) if escaped => escaped = false,
            (true, '\\') => escaped = true,
            (true, '"') => text = false,
            (true, _) => word.push(char),
            (false, '"') => (text, word) = (true, String::new()),
            (false, '{' | '[') => depth += 1,
            (false, '}' | ']') => depth -= 1,
            (false, ':') if depth == 1 => names.push(word.clone()),
            _ => {}
        }
    }
    names
}

fn order(body: Value) -> Vec<String> {
    let shared = shared();
    let answer = shared.service.ask(&shared.pro, body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    fields(&answer.text())
}

#[test]
fn fields_of_the_envelope_are_in_the_documented_order() {
    assert_eq!(
        order(json!({"action": "search_events", "limit": 1})),
        [
            "ok",
            "today",
            "plan",
            "action",
            "count",
            "total",
            "events",
            "next_cursor",
            "match",
            "snapshot",
            "weekday",
            "attribution"
        ]
    );
    assert_eq!(
        order(json!({"action": "search_places", "limit": 1, "category": "padaria", "wat": 1})),
        [
            "ok",
            "today",
            "plan",
            "action",
            "count",
            "total",
            "places",
            "next_cursor",
            "match",
            "interpreted",
            "snapshot",
            "weekday",
            "attribution",
            "warnings"
        ]
    );
    assert_eq!(
        order(json!({"action": "search_places", "q": "qqqxxzz"})),
        [
            "ok",
            "today",
            "plan",
            "action",
            "count",
            "total",
            "places",
            "match",
            "interpreted",
            "relax",
            "snapshot",
            "weekday",
            "attribution",
            "notice"
        ]
    );
    assert_eq!(
        order(json!({"action": "get_place", "id": "memorial-jk"})),
        [
            "ok",
            "today",
            "plan",
            "action",
            "count",
            "place",
            "url",
            "upcoming",
            "similar",
            "nearby",
            "snapshot",
            "weekday",
            "attribution"
        ]
    );
    // one that has a page on the site, whichever day it is
    let events = pro(json!({"action": "search_events", "region": "Plano Piloto", "limit": 1}));
    let event = events["events"][0]["id"].clone();
    assert_eq!(
        order(json!({"action": "get_event", "id": event})),
        ["ok", "today", "plan", "action", "count", "event", "url", "snapshot", "weekday", "attribution"]
    );
    assert_eq!(
        order(json!({"action": "summary"})),
        [
            "ok",
            "today",
            "plan",
            "action",
            "counts",
            "categories",
            "regions",
            "neighbourhoods",
            "snapshot",
            "weekday",
            "attribution"
        ]
    );
}

#[test]
fn today_is_the_date_in_brasilia() {
    let output = Command::new("date").args(["+%F"]).env("TZ", "<-03>3").output().expect("date");
    let here = || String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert_eq!(pro(json!({"action": "summary"}))["today"], here());
}

/// Asserts that no field is null or empty, at any depth.
fn nothing_is_empty(value: &Value, path: &str) {
    match value {
        Value::Null => panic!("{path} is null"),
        Value::String(text) => assert!(!text.trim().is_empty(), "{path} is blank"),
        Value::Array(items) => items.iter().for_each(|item| nothing_is_empty(item, path)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| nothing_is_empty(value, &format!("{path}.{name}")))
        }
        _ => {}
    }
}

/// Every page of a search.
fn walk(ask: impl Fn(Value) -> Value, body: &Value) -> (Vec<Value>, u64) {
    let (mut body, mut all, mut totals) = (body.clone(), Vec::new(), HashSet::new());
    for _ in 0..1_000 {
        let page = ask(body.clone());
        let list = page["places"].as_array().or(page["events"].as_array()).expect("records").clone();
        assert_eq!(page["count"], list.len());
        totals.insert(page["total"].as_u64().expect("a total"));
        all.extend(list);
        match page.get("next_cursor") {
            Some(next) => body["cursor"] = next.clone(),
            None => {
                assert_eq!(totals.len(), 1, "one total on all pages");
                return (all, totals.into_iter().next().expect("a total"));
            }
        }
    }
    panic!("there is no end");
}

#[test]
fn pagination_neither_repeats_nor_skips_records() {
    for (ask, body) in [
        (pro as fn(Value) -> Value, json!({"action": "search_places", "limit": 7})),
        (pro, json!({"action": "search_places", "limit": 3, "q": "bar", "region": "Asa Norte"})),
        (pro, json!({"action": "search_events", "limit": 50, "from": "2000-01-01", "to": "2100-01-01"})),
        (pro, json!({"action": "search_events", "limit": 9, "q": "samba", "to": "2100-01-01"})),
        (free, json!({"action": "search_places", "limit": 11})),
        (free, json!({"action": "search_events", "limit": 1})),
    ] {
        let (all, total) = walk(ask, &body);
        let distinct: HashSet<&str> =
            all.iter().map(|record| record["id"].as_str().expect("an id")).collect();
        assert_eq!((distinct.len(), all.len() as u64), (all.len(), total), "{body}");
        assert!(total > 0);
        for pair in all.windows(2) {
            match pair[0].get("mentions") {
                Some(mentions) => {
                    assert!(mentions.as_u64() >= pair[1]["mentions"].as_u64(), "most talked-about first")
                }
                None => assert!(pair[0]["date"].as_str() <= pair[1]["date"].as_str(), "in date order"),
            }
        }
        for record in &all {
            nothing_is_empty(record, "record");
            for always in ["id", "name", "region", "category", "uau"] {
                assert!(record.get(always).is_some(), "{always} of {record}");
            }
        }
    }
    let (places, _) = walk(pro, &json!({"action": "search_places", "limit": 50}));
    let counts = pro(json!({"action": "summary"}))["counts"].clone();
    assert_eq!(counts["places"], places.len());
    let (week, _) = walk(pro, &json!({"action": "search_events"}));
    assert_eq!(counts["events_next_7_days"], week.len());
}

/// A server on a snapshot with every field set, inside and outside Plano Piloto.
pub(crate) fn full_guide() -> Service {
    full_guide_with(&[])
}

/// The same, with further settings.
pub(crate) fn full_guide_with(settings: &[&str]) -> Service {
    let service = Service::start_with(settings);
    let folder = service.data.with_file_name("guide");
    demo_copy(&folder);
    let today = day(&service.good(&service.key("pro"), json!({"action": "summary"})));
    let links = json!({"google_maps": "https://maps.example/x", "website": "https://site.example/", "instagram": "https://instagram.com/x", "tickets": "https://tickets.example/"});
    edit(&folder, "events.json", |events| {
        *events = [("inside", "Plano Piloto"), ("outside", "Taguatinga")]
            .map(|(id, region)| {
                json!({"id": id, "name": format!("Noite {id}"), "date": today, "end_date": today, "venue": "Sala Xis",
                    "sessions": [{"start_time": "16:00", "end_time": "18:00"}, {"start_time": "20:00"}],
                    "status": "sold_out", "place": if id == "inside" { "in" } else { "out" }, "free": true,
                    "region": region, "category": "jazz", "price": "R$ 20", "instagram": "salaxis", "lineup": "Zulmira Quartetuma",
                    "address": "Quadra Wuxiria", "tickets": "https://tickets.example/", "uau": true, "links": links})
            })
            .to_vec();
    });
    edit(&folder, "places.json", |places| {
        *places = [("in", "Plano Piloto"), ("out", "Taguatinga")]
            .map(|(id, region)| {
                json!({"id": id, "name": format!("Casa {id}"), "region": region, "category": "jazz", "style": "esquisitona", "price": "$$",
                    "instagram": "casax", "address": "Quadra Wuxiria", "mentions": 3, "uau": true, "free": true,
                    "description": {"pt": "Zabumbeira rara", "en": "Rare thumpling"}, "links": links})
            })
            .to_vec();
    });
    printed(&run(&service.data, &["snapshot", "publish", &folder.display().to_string()]), 0);
    service.serves(1);
    service
}

#[test]
fn tables_and_calendars_have_the_hours_of_each_session() {
    let service = full_guide();
    let key = service.key("pro");
    let text = |path: &str| {
        let answer = exchange(service.listen, &request("GET", path, &[("x-api-key", &key)], b""));
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.text().replace("\r\n ", "")
    };
    let table = text("/v1/events.csv?fields=id,sessions");
    assert!(table.contains("inside,16:00-18:00 20:00\r\n"), "{table}");
    let calendar = text("/v1/events.ics");
    assert!(calendar.contains("DESCRIPTION:Esgotado / Sold out\\n16:00–18:00\\, 20:00\\n"), "{calendar}");
}

/// A service with a concert that costs something, one without a price, and a fair that is free.
pub(crate) fn priced_guide() -> Service {
    let service = Service::start();
    let folder = service.data.with_file_name("guide");
    demo_copy(&folder);
    let today = day(&service.good(&service.key("pro"), json!({"action": "summary"})));
    edit(&folder, "events.json", |events| {
        let prices = [
            ("dear", "jazz", Some("R$ 20")),
            ("unknown", "jazz", None),
            ("free", "feira", Some("Entrada franca")),
        ];
        *events = prices
            .map(|(id, category, price)| {
                let mut event = json!({"id": id, "name": format!("Tarde {id}"), "date": today, "start_time": "15:00",
                    "region": "Plano Piloto", "category": category});
                if let Some(price) = price {
                    event["price"] = json!(price);
                }
                event
            })
            .to_vec();
    });
    printed(&run(&service.data, &["snapshot", "publish", &folder.display().to_string()]), 0);
    service.serves(1);
    service
}

#[test]
fn a_wish_for_what_is_free_says_how_many_prices_are_unknown() {
    let service = priced_guide();
    let key = service.key("pro");
    let search = |q: &str| service.good(&key, json!({"action": "search_events", "q": q}));
    let free = search("feira grátis hoje");
    assert_eq!((&free["match"], &free["events"][0]["id"]), (&json!("exact"), &json!("free")));
    let jazz = search("jazz grátis hoje");
    assert_eq!((&jazz["match"], &jazz["total"]), (&json!("closest"), &json!(2)), "{jazz}");
    assert_eq!(jazz["interpreted"]["left_out"], json!(["gratis"]));
    assert_eq!(jazz["interpreted"]["price_unknown"], 1);
    assert!(jazz["notice"].as_str().is_some_and(|notice| notice.contains("no price for 1")), "{jazz}");
}

#[test]
fn hours_and_days_in_words_filter_events() {
    let service = priced_guide();
    let key = service.key("pro");
    let total = |filters: Value| {
        let mut body = json!({"action": "search_events"});
        body.as_object_mut().expect("an object").extend(filters.as_object().expect("an object").clone());
        let answer = service.good(&key, body);
        (answer["total"].as_u64(), answer["interpreted"]["time"]["from"].clone())
    };
    assert_eq!(total(json!({"from": "today", "to": "today"})).0, Some(3));
    assert_eq!(total(json!({"from": "tomorrow"})).0, Some(0));
    assert_eq!(total(json!({"time_from": "15:00", "time_to": "16h"})), (Some(3), json!("15:00")));
    assert_eq!(total(json!({"time_from": "15:00:00"})), total(json!({"time_from": "15:00"})));
    assert_eq!(total(json!({"time_from": "15:01"})), (Some(0), json!("15:01")));
    assert_eq!(total(json!({"time_to": "3pm"})), (Some(0), json!("00:00")));
    assert_eq!(total(json!({"time_from": "00:00"})), (Some(3), json!("00:00")), "all that have a time");
    assert_eq!(
        total(json!({"time_from": "00:00", "time_to": "24:00"})),
        (Some(3), json!("00:00")),
        "the whole day"
    );
    assert_eq!(total(json!({"time_to": "05:00"})).0, Some(0), "nothing begins before five");
    // a parameter is law, and stands before the words
    assert_eq!(total(json!({"q": "feira às 15h", "time_from": "20:00"})), (Some(0), json!("20:00")));
}

#[test]
fn a_plan_returns_and_searches_only_its_fields_and_regions() {
    let service = full_guide();
    let (pro, free) = (service.key("pro"), service.key("free"));
    let names =
        |record: &Value| record.as_object().expect("a record").keys().cloned().collect::<HashSet<_>>();
    let set = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<HashSet<_>>();

    let basic = [
        "id",
        "name",
        "date",
        "end_date",
        "start_time",
        "end_time",
        "sessions",
        "status",
        "place",
        "free",
        "venue",
        "region",
        "category",
        "price",
        "instagram",
        "uau",
        "url",
    ];
    let event =
        |key: &str| service.good(key, json!({"action": "get_event", "id": "inside"}))["event"].clone();
    assert_eq!(names(&event(&free)), set(&basic));
    let paid = set(&["lineup", "address", "tickets", "links"]);
    assert_eq!(&names(&event(&pro)) - &names(&event(&free)), paid);
    let place = |key: &str| service.good(key, json!({"action": "get_place", "id": "in"}))["place"].clone();
    assert_eq!(
        names(&place(&free)),
        set(&[
            "id",
            "name",
            "region",
            "category",
            "style",
            "price",
            "free",
            "instagram",
            "mentions",
            "uau",
            "url"
        ])
    );
    assert_eq!(&names(&place(&pro)) - &names(&place(&free)), set(&["address", "description", "links"]));
    assert_eq!(place(&pro)["description"], json!({"pt": "Zabumbeira rara", "en": "Rare thumpling"}));

    for (action, text) in [
        ("search_events", "Zulmira"),
        ("search_events", "quartetuma"),
        ("search_events", "wuxiria"),
        ("search_places", "wuxiria"),
        ("search_places", "zabumbeira"),
        ("search_places", "thumpling"),
        ("search_places", "zabumbeir"),
        ("search_places", "thumplng"),
    ] {
        let paid = service.good(&pro, json!({"action": action, "q": text}));
        let address = text == "wuxiria";
        // q does not search descriptions
        if action == "search_events" && !address {
            assert_eq!(paid["total"], 2, "{text}: {paid}");
        }
        let basic = service.good(&free, json!({"action": action, "q": text}));
        assert_eq!(basic["total"], 0, "{text}: {basic}");
        assert!(basic["interpreted"].get("corrected").is_none(), "{basic}");
    }
    for action in ["search_events", "search_places"] {
        assert_eq!(service.good(&pro, json!({"action": action}))["total"], 2);
        let seen = service.good(&free, json!({"action": action}));
        assert_eq!(seen["total"], 1);
        assert_eq!(seen["attribution"]["required"], true);
    }
    for (action, hidden) in [("get_place", "out"), ("get_event", "outside")] {
        let body = |id: &str| {
            let mut answer = service.ask(&free, json!({"action": action, "id": id})).json();
            answer.as_object_mut().expect("an object").remove("request_id");
            answer
        };
        assert_eq!(body(hidden), body("nobody"), "hidden is as unknown");
        assert_eq!(service.ask(&free, json!({"action": action, "id": hidden})).status, 404);
        assert_eq!(service.ask(&pro, json!({"action": action, "id": hidden})).status, 200);
    }
    let summary = service.good(&free, json!({"action": "summary"}));
    assert_eq!(summary["counts"], json!({"events": 1, "places": 1, "events_next_7_days": 1}));
    assert_eq!(summary["regions"].as_array().map(Vec::len), Some(1));
    let relax =
        service.good(&free, json!({"action": "search_places", "category": "padaria"}))["relax"].clone();
    assert_eq!(relax, json!({"category": 1}), "what is hidden is not counted");
}

#[test]
fn the_free_plan_is_limited_to_plano_piloto() {
    let key = &shared().free;
    for region in ["Taguatinga", "Lago Sul", "QNL", "Águas Claras", "Lagos"] {
        let answer = refused(key, json!({"action": "search_places", "region": region}), 403, "plan_region");
        assert_eq!(answer["ok"], false);
    }
    refused(key, json!({"action": "search_events", "neighbourhood": "taguatinga"}), 403, "plan_region");
    let centre = free(json!({"action": "search_places", "region": "Centro"}));
    assert!(centre["notice"].as_str().is_some_and(|notice| notice.contains("Plano Piloto")), "{centre}");
    assert!(centre["count"].as_u64() > Some(0));
    for region in ["Plano Piloto", "Asa Norte", "SQN"] {
        assert!(free(json!({"action": "search_places", "region": region})).get("notice").is_none());
    }
    assert!(pro(json!({"action": "search_places", "region": "Centro"})).get("notice").is_none());
    let (all, _) = walk(free, &json!({"action": "search_places", "limit": 50}));
    for place in &all {
        assert_eq!(place["region"], "Plano Piloto");
        for paid in ["address", "description", "links"] {
            assert!(place.get(paid).is_none(), "{place}");
        }
    }
    let (events, _) = walk(free, &json!({"action": "search_events", "limit": 50, "to": "2100-01-01"}));
    assert!(events.iter().all(|event| event["region"] == "Plano Piloto" && event.get("address").is_none()));
    // naming a region in q does not widen the plan
    assert!(
        free(json!({"action": "search_places", "q": "taguatinga shopping"}))["places"]
            .as_array()
            .expect("places")
            .iter()
            .all(|place| place["region"] == "Plano Piloto")
    );
}

#[test]
fn answers_carry_the_attribution_of_the_plan() {
    let credit = free(json!({"action": "search_places"}))["attribution"].clone();
    assert_eq!((&credit["text"], &credit["required"]), (&json!("Dicas por Candango"), &json!(true)));
    assert!(credit["url"].as_str().is_some_and(|url| url.starts_with("http")));
    let credit = pro(json!({"action": "search_places"}))["attribution"].clone();
    assert_eq!((&credit["text"], &credit["required"]), (&json!("Candango"), &json!(false)));
}

#[test]
fn interpreted_reports_how_a_query_was_understood() {
    let read = |body: Value| pro(body)["interpreted"].clone();
    let region = read(json!({"action": "search_places", "region": "scln", "category": "Bakery"}));
    assert_eq!(region["region"][0]["name"], "Asa Norte");
    assert_eq!(region["category"][0]["slug"], "padaria");
    assert!(pro(json!({"action": "search_places"})).get("interpreted").is_none());
    let dates = read(json!({"action": "search_events", "from": "2026-12-30"}));
    assert_eq!((&dates["from"], &dates["to"]), (&json!("2026-12-30"), &json!("2027-01-06")));
    let last = read(json!({"action": "search_events", "from": "9999-12-31"}));
    assert_eq!(last["to"], "9999-12-31", "days keep to their form");
    let corrected = read(json!({"action": "search_places", "q": "memoriall"}));
    assert!(corrected.get("corrected").is_none_or(|list| list.is_array()), "{corrected}");
}

#[test]
fn relax_reports_counts_when_nothing_matches() {
    let none =
        pro(json!({"action": "search_places", "q": "qqqxxzz", "region": "Asa Norte", "category": "jazz"}));
    assert_eq!((&none["count"], &none["total"], &none["places"]), (&json!(0), &json!(0), &json!([])));
    let relax = none["relax"].as_object().expect("relax");
    // without one of the others still nothing is found
    assert!(relax.keys().all(|key| ["q", "text:qqqxxzz"].contains(&key.as_str())), "{relax:?}");
    assert!(relax.values().all(|count| count.as_u64() > Some(0)), "{relax:?}");
    let events = pro(json!({"action": "search_events", "from": "2001-01-01"}));
    assert!(events["total"] == 0 && events.get("relax").is_none(), "{events}");
    assert!(pro(json!({"action": "search_places"})).get("relax").is_none());
}

#[test]
fn unknown_fields_are_named_in_warnings() {
    let named = pro(
        json!({"action": "search_places", "categori": "jazz", "from": "2026-01-01", "id": "x", "limit": 1}),
    );
    let warnings = named["warnings"].to_string();
    assert_eq!(named["warnings"].as_array().map(Vec::len), Some(3), "{warnings}");
    for name in ["categori ", "from ", "id "] {
        assert!(warnings.contains(name), "{warnings}");
    }
}

#[test]
fn a_key_is_accepted_in_either_header() {
    let Shared { service, pro, .. } = shared();
    let body = br#"{"action":"search_places","limit":1}"#;
    let json = ("content-type", "application/json");
    for (name, value) in [
        ("x-api-key", pro.clone()),
        ("X-API-Key", pro.clone()),
        ("Authorization", format!("Bearer {pro}")),
        ("authorization", format!("bearer {pro}")),
        ("AUTHORIZATION", format!("BEARER  {pro} ")),
    ] {
        let answer = service.post(&[(name, &value), json], body);
        assert_eq!((answer.status, &answer.json()["plan"]), (200, &Value::from("pro")), "{name}");
    }
    let both = format!("Bearer {pro}");
    assert_eq!(service.post(&[("x-api-key", pro), ("authorization", &both), json], body).status, 200);
}

#[test]
fn responses_have_the_documented_headers() {
    let Shared { service, pro, .. } = shared();
    let body = br#"{"action":"search_places","limit":1}"#;
    for kind in [
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/vnd.api+json",
    ] {
        let answer =
            service.post(&[("x-api-key", pro), ("content-type", kind), ("x-request-id", "My.id_1-2")], body);
        assert_eq!(answer.status, 200, "{kind}");
        assert_eq!(answer.header("x-request-id"), Some("My.id_1-2"));
        assert!(answer.header("content-type").is_some_and(|kind| kind.starts_with("application/json")));
        assert_eq!(answer.header("content-length"), Some(answer.body.len().to_string().as_str()));
    }
    let made = |given: &str| {
        let answer = service.post(&[("x-api-key", pro), ("x-request-id", given)], body);
        answer.header("x-request-id").expect("a name").to_owned()
    };
    let (one, two) = (made("has spaces"), made("<script>"));
    assert!(one != two && one.len() == 19 && !two.contains("script"));
    let refused = service.post(&[("x-request-id", "mine")], body);
    assert_eq!(
        (refused.header("x-request-id"), &refused.json()["request_id"]),
        (Some("mine"), &Value::from("mine"))
    );
    assert!(refused.header("www-authenticate").is_some());
}

#[test]
fn absent_null_and_blank_parameters_are_equal() {
    let plain = pro(json!({"action": "search_events"}));
    for nothing in [json!(null), json!(""), json!("  ")] {
        let mut body = json!({"action": "search_events"});
        for param in ["q", "category", "region", "neighbourhood", "from", "to", "limit", "cursor"] {
            body[param] = nothing.clone();
        }
        assert_eq!(pro(body), plain);
    }
    let five = pro(json!({"action": "search_places", "limit": 5}));
    for same in [json!("5"), json!(" 5 "), json!(5.0)] {
        assert_eq!(pro(json!({"action": "search_places", "limit": same})), five);
    }
    assert_eq!(pro(json!({"action": " search_places "}))["count"], 20, "the default");
    assert_eq!(ids(&pro(json!({"action": "search_places", "limit": 50}))).len(), 50);
}

#[test]
fn neighbourhood_is_an_alias_of_region() {
    let places = |body: Value| pro(body)["places"].clone();
    let one = places(json!({"action": "search_places", "region": "Asa Norte"}));
    assert_eq!(one, places(json!({"action": "search_places", "neighbourhood": "asa norte"})));
    assert_eq!(
        one,
        places(json!({"action": "search_places", "region": "Asa Norte", "neighbourhood": "ASA NORTE"}))
    );
    let both = json!({"action": "search_places", "region": "Asa Norte", "neighbourhood": "Asa Sul"});
    refused(&shared().pro, both, 400, "conflicting_region");
}

#[test]
fn portuguese_english_and_unaccented_terms_return_the_same() {
    for same in [
        &["bakery", "padaria", "Padarias", "BAKERIES"][..],
        &["waterfall", "cachoeira", "cachoeiras", "waterfalls"],
        &["japonês", "japanese", "japones", "JAPONÊS"],
        &["café", "cafe", "coffee shop"],
        &["park", "parque", "parks"],
        &["museum", "museu", "museus"],
        &["theatre", "teatro", "theater"],
        &["italian", "italiano"],
        &["pizza", "pizzaria", "pizzeria"],
        &["vegan", "vegano", "vegana"],
        &["bookshop", "livraria", "bookstore"],
        &["kids", "infantil", "crianças"],
        &["steakhouse", "churrasco", "churrascaria"],
        &["cinema", "movies", "movie theater"],
    ] {
        let answers: Vec<Vec<String>> = same
            .iter()
            .map(|term| ids(&pro(json!({"action": "search_places", "category": term, "limit": 50}))))
            .collect();
        assert!(!answers[0].is_empty(), "{same:?}");
        for (term, answer) in same.iter().zip(&answers) {
            assert_eq!(answer, &answers[0], "{term} is not {}", same[0]);
        }
    }
    for same in [
        ["Águas Claras", "aguas claras"],
        ["Asa Norte", "North Wing"],
        ["Lago Sul", "South Lake"],
        ["Ceilândia", "CEILANDIA"],
    ] {
        let [one, two] =
            same.map(|region| pro(json!({"action": "search_places", "region": region}))["places"].clone());
        assert_eq!(one, two, "{same:?}");
    }
}

#[test]
fn every_term_of_the_specification_is_known() {
    let categories = [
        "jazz", "samba", "stand-up", "teatro", "café", "padaria", "boteco", "japonês", "vegan", "feira",
        "kids", "outdoor",
    ];
    let regions = [
        "Asa Norte",
        "Noroeste",
        "Plano Piloto",
        "Águas Claras",
        "Taguatinga",
        "Lago Sul",
        "SQN",
        "SCLN",
        "SHIS",
        "Centro",
        "Lagos",
        "Oeste",
        "Norte",
        "Sul",
        "Leste",
    ];
    for action in ["search_events", "search_places"] {
        for category in categories {
            let read = pro(json!({"action": action, "category": category}));
            assert!(read["interpreted"]["category"].is_array(), "{category}");
        }
        for region in regions {
            for name in ["region", "neighbourhood"] {
                let mut body = json!({"action": action});
                body[name] = json!(region);
                assert!(pro(body)["interpreted"]["region"].is_array(), "{region}");
            }
        }
    }
    let summary = pro(json!({"action": "summary"}));
    let regions = summary["regions"].as_array().expect("regions");
    assert_eq!(regions.len(), 35);
    for region in regions {
        for param in ["name", "slug"] {
            let found = pro(json!({"action": "search_places", "region": region[param]}));
            assert_eq!(found["total"], region["places"], "{region}");
        }
    }
    let categories = summary["categories"].as_array().expect("categories");
    for category in categories {
        for param in ["slug", "pt", "en"] {
            let term = category[param].as_str().expect("a term");
            // a label that equals the slug of another category, such as Shopping, means that category
            let slug = term.to_lowercase();
            if categories.iter().any(|other| other["slug"] == slug && other["slug"] != category["slug"]) {
                continue;
            }
            let found = pro(json!({"action": "search_places", "category": term}));
            assert_eq!(found["total"], category["places"], "{param} of {category}");
            let read = found["interpreted"]["category"].as_array().expect("categories");
            assert!(read.len() == 1 && read[0]["slug"] == category["slug"], "{param} of {category}");
        }
    }
    // a name that two areas share matches both
    for neighbourhood in summary["neighbourhoods"].as_array().expect("neighbourhoods") {
        let answer = shared()
            .service
            .ask(&shared().pro, json!({"action": "search_places", "region": neighbourhood["name"]}));
        let body = answer.json();
        assert!(answer.status == 200 || body["code"] == "ambiguous_region", "{neighbourhood}: {body}");
    }
}

#[test]
fn date_words_in_q_become_dates() {
    let today = day(&pro(json!({"action": "summary"})));
    let next = |weekday: Weekday, from: NaiveDate| {
        (0..7).map(|days| from + Days::new(days)).find(|day| day.weekday() == weekday).expect("a day")
    };
    let sunday = next(Weekday::Sun, today);
    let weekend = (today.max(sunday - Days::new(1)), sunday);
    for (text, (from, to)) in [
        ("hoje", (today, today)),
        ("tonight", (today, today)),
        ("amanhã", (today + Days::new(1), today + Days::new(1))),
        ("tomorrow", (today + Days::new(1), today + Days::new(1))),
        ("fim de semana", weekend),
        ("this weekend", weekend),
        ("sunday", (sunday, sunday)),
        ("domingo", (sunday, sunday)),
        ("semana que vem", (sunday + Days::new(1), sunday + Days::new(7))),
        ("next week", (sunday + Days::new(1), sunday + Days::new(7))),
    ] {
        for question in [text.to_owned(), format!("samba {text}")] {
            let answer = pro(json!({"action": "search_events", "q": question, "limit": 50, "strict": true}));
            let read = &answer["interpreted"];
            assert_eq!((&read["from"], &read["to"]), (&json!(from), &json!(to)), "{question}");
            for event in answer["events"].as_array().expect("events") {
                let date: NaiveDate = event["date"].as_str().expect("a date").parse().expect("a date");
                let end = event
                    .get("end_date")
                    .map_or(date, |end| end.as_str().expect("a date").parse().expect("a date"));
                assert!(date <= to && end >= from, "{question}: {event}");
            }
        }
        let days = json!({"action": "search_events", "from": from, "to": to, "limit": 50});
        let said = json!({"action": "search_events", "q": text, "limit": 50});
        let said = pro(said);
        // "tonight" says hours too
        if said["interpreted"].get("time").is_none() {
            assert_eq!(said["events"], pro(days)["events"], "{text}");
        }
        let places = pro(json!({"action": "search_places", "q": text}));
        assert_eq!(
            places["places"],
            pro(json!({"action": "search_places"}))["places"],
            "{text} says nothing of places"
        );
    }
    let default = pro(json!({"action": "search_events"}));
    let week = pro(json!({"action": "search_events", "from": today, "to": today + Days::new(7)}));
    assert_eq!(default["events"], week["events"]);
}

#[test]
fn the_printed_curl_lines_of_the_first_start_work() {
    if Command::new("curl").arg("--version").output().is_err() {
        return;
    }
    let service = Service::start();
    let begun = std::time::Instant::now();
    while !service.out().contains("fim de semana") {
        assert!(begun.elapsed().as_secs() < 20, "{}", service.out());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let text = service.out();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("curl ")).collect();
    assert!(!lines.is_empty(), "{text}");
    for line in lines {
        let output = Command::new("sh").args(["-c", line]).output().expect("sh");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((&answer["ok"], &answer["plan"]), (&json!(true), &json!("pro")), "{line}: {answer}");
    }
    let data = service.data.clone();
    let _folder = service.kill();
    assert!(!Service::start_on(&data).out().contains("cdg_live_"), "a key is shown once");
}

#[test]
fn the_key_of_a_first_start_comes_after_a_start_that_failed() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    // the store is opened before the port of the operator is
    let failed = run(&data, &["--listen", "127.0.0.1:0", "--ops-listen", &address]);
    assert_eq!(failed.status.code(), Some(1), "{}", String::from_utf8_lossy(&failed.stderr));
    assert!(data.join("candango.db").exists());
    let service = Service::start_on(&data);
    let begun = std::time::Instant::now();
    while !service.out().contains("cdg_live_") {
        assert!(begun.elapsed().as_secs() < 20, "{}", service.out());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
