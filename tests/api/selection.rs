//! Fewer bytes and more sense: answers say which action they are of and records where their page is; `fields` takes
//! fewer fields, and `facets` counts a whole question.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::service::{Service, Shared, exchange, get, request, shared};
use crate::v1::full_guide;

/// The records of an answer, in all its lists.
fn records(answer: &Value) -> Vec<&Map<String, Value>> {
    let lists = ["events", "places", "more", "upcoming", "similar", "nearby"];
    let listed = lists.iter().filter_map(|list| answer[list].as_array()).flatten();
    let next = answer["next"]["events"].as_array().into_iter().flatten();
    let single = ["place", "event"].iter().map(|name| &answer[name]);
    listed.chain(next).chain(single).filter_map(Value::as_object).collect()
}

fn get_with(service: &Service, key: &str, path: &str) -> (u16, Value) {
    let answer = exchange(service.listen, &request("GET", path, &[("x-api-key", key)], b""));
    (answer.status, answer.json())
}

#[test]
fn an_answer_names_its_action_and_a_record_its_page() {
    let Shared { service, pro, free } = shared();
    let address = service.listen;
    let mut with_page = BTreeSet::new();
    for key in [pro, free] {
        for body in [
            json!({"action": "search_events", "q": "feira"}),
            json!({"action": "search_places", "limit": 50}),
            json!({"action": "get_place", "id": "memorial-jk"}),
            json!({"action": "list_categories"}),
            json!({"action": "list_regions"}),
            json!({"action": "summary"}),
            json!({"action": "usage"}),
        ] {
            let answer = service.good(key, body.clone());
            assert_eq!(answer["action"], body["action"]);
            for record in records(&answer) {
                let in_home = record["region"] == "Plano Piloto";
                assert_eq!(record.contains_key("url"), in_home, "{record:?}");
                with_page.extend(record.get("url").and_then(Value::as_str).map(str::to_owned));
            }
        }
    }
    assert!(with_page.len() > 20);
    for url in with_page.iter().take(30) {
        let path = url.find("/place/").or_else(|| url.find("/event/")).expect("a page of a record");
        assert_eq!(get(address, &url[path..]).status, 200, "{url}");
    }
    let place = service.good(pro, json!({"action": "get_place", "id": "memorial-jk"}));
    assert_eq!(place["url"], place["place"]["url"], "the same page");
}

#[test]
fn fields_choose_the_fields_of_records_and_nothing_else() {
    let full = full_guide();
    let (demo, pro, free) = (&shared().service, &shared().pro, &shared().free);
    let (full_pro, full_free) = (full.key("pro"), full.key("free"));
    let keys: [(&Service, &str); 4] = [(demo, pro), (demo, free), (&full, &full_pro), (&full, &full_free)];
    let of_events = [
        "id",
        "name",
        "date",
        "end_date",
        "start_time",
        "end_time",
        "sessions",
        "status",
        "venue",
        "place",
        "neighbourhood",
        "region",
        "category",
        "price",
        "free",
        "instagram",
        "uau",
        "series",
        "url",
        "lineup",
        "address",
        "tickets",
        "links",
        "location",
        "dates",
        "distance_m",
        "distance_is",
    ];
    let of_places = [
        "id",
        "name",
        "neighbourhood",
        "region",
        "category",
        "style",
        "price",
        "free",
        "instagram",
        "mentions",
        "uau",
        "url",
        "address",
        "description",
        "links",
        "location",
        "distance_m",
        "distance_is",
    ];
    let questions = prop::sample::select(vec![
        json!({}),
        json!({"q": "bar qqqxxzz"}),
        json!({"near": "Torre de TV"}),
        json!({"q": "feira", "group": "series"}),
    ]);
    let asked = (
        prop::sample::select(vec![0, 1, 2, 3]),
        any::<bool>(),
        questions,
        prop::sample::subsequence(of_events.to_vec(), 1..6),
        prop::sample::subsequence(of_places.to_vec(), 1..6),
    );
    let mut runner = TestRunner::new(Config { cases: 120, failure_persistence: None, ..Config::default() });
    let tested = runner.run(&asked, |(key, events, mut body, event_fields, place_fields)| {
        let (service, key) = keys[key];
        let (kind, fields) = if events { ("events", event_fields) } else { ("places", place_fields) };
        body["action"] = json!(format!("search_{kind}"));
        if !events {
            body.as_object_mut().expect("an object").remove("group");
        }
        let mut expected = service.good(key, body.clone());
        fn prune(value: &mut Value, fields: &[&str]) {
            let lists = ["events", "places", "more"];
            for list in lists {
                for record in value[list].as_array_mut().into_iter().flatten() {
                    record
                        .as_object_mut()
                        .expect("a record")
                        .retain(|name, _| fields.contains(&name.as_str()));
                }
            }
            // indexing makes what is missing
            value.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
            if value.get("next").is_some() {
                prune(&mut value["next"], fields);
            }
        }
        prune(&mut expected, &fields);
        // fields of paid plans are warned of elsewhere
        let without_warnings = |body: Value| {
            let mut answer = service.good(key, body);
            answer.as_object_mut().expect("an object").remove("warnings");
            answer
        };
        body["fields"] = json!(fields);
        prop_assert_eq!(&without_warnings(body.clone()), &expected);
        body["fields"] = json!(fields.join(", "));
        prop_assert_eq!(&without_warnings(body), &expected);
        Ok(())
    });
    tested.expect("only the records differ");
}

#[test]
fn fields_work_in_addresses_and_unknown_ones_are_refused_with_the_nearest() {
    let Shared { service, pro, .. } = shared();
    let (status, listed) = get_with(service, pro, "/v1/places?limit=5&fields=name,url");
    assert_eq!(status, 200);
    let names = |record: &Map<String, Value>| record.keys().cloned().collect::<Vec<_>>();
    assert!(
        records(&listed)
            .iter()
            .all(|record| names(record).iter().all(|name| name == "name" || name == "url"))
    );
    assert_eq!(records(&listed).len(), 5);
    let (_, one) = get_with(service, pro, "/v1/places/memorial-jk?fields=name");
    assert!(records(&one).iter().all(|record| names(record) == ["name"]), "{one}");
    assert!(one["url"].is_string(), "the envelope stays");

    for (body, nearest) in [
        (json!({"action": "search_events", "fields": "nmae,date"}), "name"),
        (json!({"action": "search_places", "fields": ["venues"]}), "uau"),
        (json!({"action": "get_place", "id": "memorial-jk", "fields": "mention"}), "mentions"),
        (json!({"action": "get_event", "id": "x", "fields": "start"}), "start_time"),
    ] {
        let refused = service.ask(pro, body.clone());
        let answer = refused.json();
        assert_eq!(
            (refused.status, &answer["code"], &answer["param"]),
            (400, &json!("unknown_field"), &json!("fields"))
        );
        let said = answer["error"].as_str().expect("a sentence");
        assert!(nearest == "uau" || said.contains(nearest), "{said}");
    }
    let (status, refused) = get_with(service, pro, "/v1/events?fields=name,nothing");
    assert_eq!((status, &refused["code"]), (400, &json!("unknown_field")));
    let wrong = service.ask(pro, json!({"action": "search_events", "fields": 3}));
    assert_eq!(wrong.json()["code"], "wrong_type");

    // a table has the chosen columns; forms of events and points have their own
    let csv = exchange(
        service.listen,
        &request("GET", "/v1/places.csv?fields=name&limit=2", &[("x-api-key", pro)], b""),
    );
    assert_eq!(csv.text().lines().next(), Some("name"));
    let points = "/v1/places.geojson?fields=name&limit=2&facets=region";
    let (status, points) = get_with(service, pro, points);
    assert_eq!(status, 200);
    assert!(points["features"][0]["geometry"].is_object(), "{points}");
}

#[test]
fn a_field_of_paid_plans_is_told_to_those_who_do_not_see_it() {
    let Shared { service, pro, free } = shared();
    let ask = |key: &str, fields: &str| {
        service.good(key, json!({"action": "search_places", "limit": 1, "fields": fields}))
    };
    let told = |name: &str| json!(format!("fields: {name} is for keys of paid plans and was left out"));
    assert_eq!(ask(free, "address")["warnings"], json!([told("address")]));
    assert_eq!(ask(free, "name,links,location")["warnings"], json!([told("links"), told("location")]));
    assert_eq!(ask(free, "name,price").get("warnings"), None);
    assert_eq!(ask(pro, "address,links").get("warnings"), None);
    let (_, of_address) = get_with(service, free, "/v1/events?fields=name,lineup&limit=1");
    assert_eq!(of_address["warnings"], json!([told("lineup")]));
}

#[test]
fn a_repeated_parameter_is_told_and_its_last_value_counts() {
    let Shared { service, pro, .. } = shared();
    let told = json!(["q was sent more than once: the last one counts"]);
    let once = service.good(pro, json!({"action": "search_places", "q": "samba"}));
    assert_eq!(once.get("warnings"), None);
    let json = [("x-api-key", pro.as_str()), ("content-type", "application/json")];
    let of_body =
        service.post(&json, br#"{"action":"search_places","q":"jazz","q":"pizza","q":"samba"}"#).json();
    let (_, of_address) = get_with(service, pro, "/v1/places?q=jazz&q=samba");
    for answer in [&of_body, &of_address] {
        assert_eq!((&answer["warnings"], &answer["places"]), (&told, &once["places"]), "{answer}");
    }
    // clients made of the OpenAPI document repeat the action
    let same = br#"{"action":"search_places","q":"samba","action":"search_places","limit":20}"#;
    assert_eq!(service.post(&json, same).json().get("warnings"), None);
    // the values of a list are no repetition
    let (_, list) = get_with(service, pro, "/v1/places?category=samba&category=choro");
    assert_eq!(list.get("warnings"), None, "{list}");
}

#[test]
fn a_cursor_goes_on_with_other_fields_and_facets() {
    let Shared { service, pro, .. } = shared();
    let first = service.good(pro, json!({"action": "search_places", "limit": 3, "facets": "region"}));
    let cursor = first["next_cursor"].clone();
    let plain = service.good(pro, json!({"action": "search_places", "limit": 3, "cursor": cursor}));
    let other = json!({"action": "search_places", "limit": 3, "cursor": cursor, "fields": "id", "facets": ["category"]});
    let other = service.good(pro, other);
    let ids = |answer: &Value| records(answer).iter().map(|record| record["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&plain), ids(&other));
    let all = service.good(pro, json!({"action": "search_places", "facets": ["category"]}));
    assert_eq!(other["facets"], all["facets"], "a later page counts the whole question too");
}

/// A count of the facets of an answer, by name.
fn counts(answer: &Value, facet: &str) -> Vec<(String, u64)> {
    let counts = answer["facets"][facet].as_object().expect("counts");
    counts.iter().map(|(name, count)| (name.clone(), count.as_u64().expect("a number"))).collect()
}

#[test]
fn facets_count_what_narrower_questions_find_and_nothing_that_the_plan_hides() {
    let Shared { service, pro, free } = shared();
    let mut narrower = 0;
    for key in [pro, free] {
        for body in [
            json!({"action": "search_events"}),
            json!({"action": "search_events", "q": "samba", "from": "today", "to": "2027-06-01", "group": "series"}),
            json!({"action": "search_places"}),
            json!({"action": "search_places", "q": "bar"}),
            json!({"action": "search_places", "q": "qqqxxzz"}),
            json!({"action": "search_places", "near": "Torre de TV"}),
        ] {
            let is_events = body["action"] == "search_events";
            let mut asked = body.clone();
            asked["facets"] =
                if is_events { json!("category,region,day") } else { json!(["category", "region"]) };
            let answer = service.good(key, asked);
            let regions = counts(&answer, "region");
            assert_eq!(
                regions.iter().map(|(_, count)| count).sum::<u64>(),
                answer["total"].as_u64().expect("a total")
            );
            if key == free {
                assert!(regions.iter().all(|(name, _)| name == "Plano Piloto"), "{answer}");
            }
            let total = |param: &str, value: &str| {
                let mut narrower = body.clone();
                narrower[param] = json!(value);
                if param == "from" {
                    narrower["to"] = json!(value);
                }
                service.good(key, narrower)["total"].as_u64().expect("a total")
            };
            let named = [("category", "category"), ("region", "region"), ("from", "day")];
            for (param, facet) in named.into_iter().filter(|(param, _)| is_events || *param != "from") {
                for (name, count) in counts(&answer, facet).into_iter().take(4) {
                    assert_eq!(total(param, &name), count, "{param} {name} of {body}");
                    narrower += 1;
                }
            }
            let mut plain = answer.clone();
            plain.as_object_mut().expect("an object").remove("facets");
            assert_eq!(plain, service.good(key, body), "nothing else differs");
        }
    }
    assert!(narrower > 30, "{narrower}");
    let day = service.ask(pro, json!({"action": "search_places", "facets": "day"}));
    assert_eq!((day.status, &day.json()["code"]), (400, &json!("unknown_choice")));
    let (status, address) = get_with(service, pro, "/v1/places?facets=region&limit=1");
    assert_eq!(status, 200);
    assert!(!counts(&address, "region").is_empty());
}

/// The suggestions of an answer, with their group.
fn suggestions(answer: &Value) -> Vec<(&'static str, Value)> {
    let groups = ["categories", "areas", "places", "events"];
    let of = |group: &'static str| {
        let listed = answer[group].as_array().expect("a group").clone();
        listed.into_iter().map(move |one| (group, one))
    };
    groups.into_iter().flat_map(of).collect()
}

#[test]
fn suggestions_complete_what_is_typed_within_the_plan_and_count_nothing_against_the_month() {
    let service = Service::start();
    let (pro, free) = (&service.key("pro"), &service.key("free"));
    let folded = |text: &str| {
        let plain = |letter: char| match letter {
            'á' | 'â' | 'ã' | 'à' => 'a',
            'é' | 'ê' => 'e',
            'í' => 'i',
            'ó' | 'ô' | 'õ' => 'o',
            'ú' => 'u',
            'ç' => 'c',
            other => other,
        };
        text.to_lowercase().chars().map(plain).collect::<String>()
    };
    let mut groups = BTreeSet::new();
    for typed in ["b", "asa n", "SAMB", "café", "muse", "jaz", "taguat", "feir", "bakery", "qqqxxzz"] {
        for key in [pro, free] {
            let answer = service.good(key, json!({"action": "suggest", "q": typed}));
            let suggested = suggestions(&answer);
            assert!(suggested.len() <= 8, "{answer}");
            assert_eq!(answer["count"], suggested.len());
            for (group, one) in suggested {
                groups.insert(group);
                let text = one["text"].as_str().expect("a text");
                if let Some(offset) = one["highlight"]["offset"].as_u64() {
                    let length = one["highlight"]["length"].as_u64().expect("a length");
                    let marked = text
                        .chars()
                        .skip(usize::try_from(offset).expect("an offset"))
                        .take(usize::try_from(length).expect("a length"))
                        .collect::<String>();
                    assert_eq!(folded(&marked), folded(typed), "{one}");
                }
                if key == free {
                    assert!(one.get("region").is_none_or(|region| region == "Plano Piloto"), "{one}");
                    assert_ne!(one["text"], "Taguatinga");
                }
            }
            let path = format!("/v1/suggest?q={}", typed.replace(' ', "+").replace('é', "%C3%A9"));
            assert_eq!(get_with(&service, key, &path), (200, answer));
        }
    }
    assert_eq!(groups.len(), 4, "{groups:?}");
    let english = service.good(pro, json!({"action": "suggest", "q": "bakery"}));
    assert_eq!(english["categories"][0]["slug"], "padaria", "{english}");
    assert_eq!(service.good(pro, json!({"action": "usage"}))["calls_this_month"], 0);
    for body in [json!({"action": "suggest"}), json!({"action": "suggest", "q": "  "})] {
        assert_eq!(service.ask(pro, body).json()["code"], "missing_param");
    }
    let nothing = service.good(pro, json!({"action": "suggest", "q": "!?"}));
    assert_eq!(nothing["count"], 0);
    let hurried = Service::start_with(&["plans.pro.per_minute=2"]);
    let key = hurried.key("pro");
    let statuses = (0..6).map(|_| hurried.ask(&key, json!({"action": "suggest", "q": "a"})).status);
    assert!(statuses.collect::<Vec<_>>().contains(&429), "it is a call of the minute");
}
