//! What agents get beside searches: one record with what is around it, and short lists to choose filters from. Nothing
//! of it shows what the caller's plan hides.

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use crate::service::{Service, Shared, demo_copy, edit, exchange, printed, request, run, shared};

/// The result of a tool call.
fn call(service: &Service, key: Option<&str>, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(key.map(|key| ("x-api-key", key)));
    let answer = exchange(service.listen, &request("POST", "/mcp", &headers, body.as_bytes()));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["result"].clone()
}

/// The answer of a tool of the shared server with a pro key.
fn pro(tool: &str, arguments: Value) -> Value {
    let result = call(&shared().service, Some(&shared().pro), tool, arguments.clone());
    assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
    result["structuredContent"].clone()
}

/// The sentence of a tool call that fails.
fn refused(service: &Service, key: Option<&str>, tool: &str, arguments: Value) -> String {
    let result = call(service, key, tool, arguments.clone());
    assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
    result["content"][0]["text"].as_str().expect("a text").to_owned()
}

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap_or_else(|| panic!("a list: {list}"));
    list.iter().map(|one| one["name"].as_str().expect("a name")).collect()
}

/// About how many tokens a model reads.
fn tokens(answer: &Value) -> usize {
    answer.to_string().len().div_ceil(4)
}

/// A server on a small guide: places and events of one kind in Plano Piloto, which everybody may see, and in
/// Taguatinga, which the free plan hides; an event of tomorrow, and one beyond the days of the preview.
fn small_guide() -> Service {
    let service = Service::start();
    let folder = service.data.with_file_name("guide");
    demo_copy(&folder);
    let key = service.key("pro");
    let today = service.good(&key, json!({"action": "summary"}))["today"].as_str().expect("a day").to_owned();
    let today: NaiveDate = today.parse().expect("a date");
    let place = |id: &str, name: &str, region: &str, neighbourhood: Option<&str>, mentions: u32| {
        let mut place =
            json!({"id": id, "name": name, "region": region, "category": "boteco", "mentions": mentions});
        if let Some(neighbourhood) = neighbourhood {
            place["neighbourhood"] = json!(neighbourhood);
        }
        place
    };
    edit(&folder, "places.json", |places| {
        let (asa_norte, piloto) = (Some("Asa Norte"), "Plano Piloto");
        *places = vec![
            place("aurora", "Boteco Aurora", piloto, asa_norte, 9),
            place("near", "Boteco Vizinho", piloto, asa_norte, 1),
            place("far", "Boteco Distante", piloto, Some("Asa Sul"), 8),
            place("hidden", "Boteco Aurorinha", "Taguatinga", None, 20),
            place("twin-1", "Boteco Gemeo", piloto, Some("Asa Sul"), 0),
            place("twin-2", "Boteco Gemeo", piloto, Some("Asa Sul"), 0),
        ];
        places[0]["aliases"] = json!(["Bar da Dona Aurora"]);
    });
    edit(&folder, "events.json", |events| {
        let event = |id: &str, region: &str, day: u64, venue: &str| {
            json!({"id": id, "name": format!("Noite {id}"), "date": today + Days::new(day), "region": region,
                "category": "jazz", "venue": venue, "lineup": "Zulmira"})
        };
        *events = vec![
            event("tomorrow", "Plano Piloto", 1, "Boteco Aurora"),
            event("next-month", "Plano Piloto", 30, "bar da dona AURORA"),
            event("elsewhere", "Taguatinga", 1, "Boteco Aurora"),
            event("hidden-night", "Taguatinga", 1, "Boteco Aurorinha"),
        ];
    });
    printed(&run(&service.data, &["snapshot", "publish", &folder.display().to_string()]), 0);
    service.serves(1);
    service
}

#[test]
fn a_tool_takes_one_category_or_area_or_a_list_of_them_as_its_schema_says() {
    let listed = exchange(
        shared().service.listen,
        &request(
            "POST",
            "/mcp",
            &[("content-type", "application/json")],
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        ),
    );
    let tools = listed.json()["result"]["tools"].clone();
    for tool in ["search_events", "search_places"] {
        let listed =
            tools.as_array().expect("tools").iter().find(|known| known["name"] == tool).expect("the tool");
        let schema = jsonschema::validator_for(&listed["inputSchema"]).expect("a schema");
        let asked = |category: Value, region: Value| {
            let arguments = json!({"category": category, "region": region, "limit": 3});
            assert!(schema.is_valid(&arguments), "{tool}: {arguments}");
            pro(tool, arguments)["total"].clone()
        };
        let one = asked(json!("feira"), json!("Plano Piloto"));
        assert_eq!(one, asked(json!(["feira"]), json!(["Plano Piloto"])));
        let several = asked(json!(["feira", "samba", "bar"]), json!(["Plano Piloto", "Lago Sul"]));
        assert!(several.as_u64() > one.as_u64(), "{tool}: {several} {one}");
        assert!(!schema.is_valid(&json!({"category": 3})));
        let says = listed["description"].as_str().expect("a text").contains("series");
        assert_eq!(says, tool == "search_events", "the default of agents is told");
    }
}

#[test]
fn list_regions_is_at_most_600_tokens() {
    for key in [None, Some(shared().free.as_str()), Some(shared().pro.as_str())] {
        let result = call(&shared().service, key, "list_regions", json!({}));
        let answer = &result["structuredContent"];
        assert!(tokens(answer) <= 600, "{} tokens: {answer}", tokens(answer));
        assert!(answer["zones"].as_array().is_some_and(|zones| !zones.is_empty()), "{answer}");
    }
    let answer = pro("list_regions", json!({}));
    assert_eq!(names(&answer["zones"]).len(), 6);
    let full = shared().service.good(&shared().pro, json!({"action": "list_regions"}));
    assert_eq!(answer["count"], full["count"]);
    for region in full["regions"].as_array().expect("regions") {
        let zones = answer["zones"].as_array().expect("zones").iter();
        let zone = zones.clone().find(|zone| zone["name"] == region["zone"]).expect("its zone");
        let brief =
            zone["regions"].as_array().expect("regions").iter().find(|one| one["name"] == region["name"]);
        let brief = brief.unwrap_or_else(|| panic!("{region} in {zone}"));
        assert_eq!((&brief["events"], &brief["places"]), (&region["events"], &region["places"]));
        assert!(region["neighbourhoods"].is_array() && region["slug"].is_string(), "as before: {region}");
    }
    for zone in answer["zones"].as_array().expect("zones") {
        let regions = zone["regions"].as_array().expect("regions").iter();
        let sum: u64 = regions.map(|region| region["places"].as_u64().expect("a number")).sum();
        assert_eq!(zone["places"], sum, "{zone}");
    }
}

#[test]
fn list_regions_lists_the_neighbourhoods_of_a_region() {
    let lago_sul = pro("list_regions", json!({"region": "Lago Sul"}));
    let listed = lago_sul["neighbourhoods"].as_array().expect("a list");
    assert!(!listed.is_empty() && lago_sul["count"] == listed.len());
    assert!(listed.iter().all(|one| one["region"] == "Lago Sul" && one["places"].is_u64()), "{lago_sul}");
    let lists = [json!("lago sul, Guará"), json!(["Guará", "Lago Sul"])];
    let [commas, list] = lists.map(|region| pro("list_regions", json!({"region": region}))["count"].clone());
    assert!(commas == list && commas.as_u64() > lago_sul["count"].as_u64(), "{commas} {list}");
    assert_eq!(pro("list_regions", json!({"bairro": "Lago Sul"})), lago_sul);
    let v1 =
        |region| shared().service.good(&shared().pro, json!({"action": "list_regions", "region": region}));
    let service_list = |region| v1(region)["neighbourhoods"].as_array().expect("a list").clone();
    let v1 = v1("Lago Sul");
    let all = v1["neighbourhoods"].as_array().expect("a list");
    let has_some = |one: &&Value| one["events"] != 0 || one["places"] != 0;
    assert_eq!(lago_sul["neighbourhoods"], json!(all.iter().filter(has_some).collect::<Vec<_>>()));
    let centre = service_list("Plano Piloto");
    assert!(!centre.iter().all(|one| has_some(&one)), "on /v1 empty ones are listed");
    assert_eq!((&v1["count"], names(&v1["regions"])), (&json!(1), vec!["Lago Sul"]));

    let free = Some(shared().free.as_str());
    let refuse =
        |key, region: &str| refused(&shared().service, key, "list_regions", json!({"region": region}));
    assert!(refuse(free, "Taguatinga").contains("Plano Piloto"));
    assert!(refuse(None, "Taguatinga").contains("Plano Piloto"));
    assert!(refuse(free, "Asa Nrte").contains("Asa Norte"));
    let hidden =
        shared().service.ask(&shared().free, json!({"action": "list_regions", "region": "Taguatinga"}));
    assert_eq!((hidden.status, &hidden.json()["code"]), (403, &json!("plan_region")));
    let both = json!({"action": "list_regions", "region": "Guará", "neighbourhood": "Asa Norte"});
    assert_eq!(shared().service.ask(&shared().pro, both).json()["code"], "conflicting_region");
}

#[test]
fn how_far_to_search_is_declared_and_obeyed() {
    let far = pro("search_places", json!({"near": "408 Norte", "within_m": 3_000, "category": "bar"}));
    let close = pro("search_places", json!({"near": "408 Norte", "within_m": 300, "category": "bar"}));
    assert!(close["total"].as_u64() < far["total"].as_u64(), "{} {}", close["total"], far["total"]);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let headers = [("content-type", "application/json")];
    let list = exchange(shared().service.listen, &request("POST", "/mcp", &headers, list.as_bytes())).json();
    let tools = list["result"]["tools"].as_array().expect("tools");
    for tool in tools.iter().filter(|tool| tool["inputSchema"]["properties"]["near"].is_object()) {
        assert_eq!(tool["inputSchema"]["properties"]["within_m"]["type"], "integer", "{tool}");
    }
}

#[test]
fn list_categories_leaves_out_empty_ones_and_lists_those_inside_another() {
    let all = shared().service.good(&shared().pro, json!({"action": "list_categories"}));
    let all = all["categories"].as_array().expect("categories");
    let has_some = |one: &&Value| one["events"] != 0 || one["places"] != 0;
    assert!(!all.iter().all(|one| has_some(&one)), "on /v1 empty ones are listed");
    let brief = pro("list_categories", json!({}));
    assert_eq!(brief["categories"], json!(all.iter().filter(has_some).collect::<Vec<_>>()));

    // a caller of the preview sees less, so more categories are empty
    let preview = call(&shared().service, None, "list_categories", json!({}))["structuredContent"].clone();
    assert!(preview["count"].as_u64() < brief["count"].as_u64());
    assert!(preview["categories"].as_array().is_some_and(|list| list.iter().all(|one| has_some(&one))));

    let inside = pro("list_categories", json!({"parent": "música"}));
    let slugs: Vec<&str> = inside["categories"]
        .as_array()
        .expect("categories")
        .iter()
        .map(|one| one["slug"].as_str().expect("a slug"))
        .collect();
    assert!(slugs.contains(&"samba") && !slugs.contains(&"museu"), "{slugs:?}");
    let of_places = pro("list_categories", json!({"parent": "music", "kind": "places"}));
    assert!(of_places["count"].as_u64() < inside["count"].as_u64());
    let empty = pro("list_categories", json!({"parent": "teatro"}));
    assert!(
        empty["count"] == 0 && empty["notice"].as_str().is_some_and(|told| told.contains("inside")),
        "{empty}"
    );
    let sentence = refused(&shared().service, None, "list_categories", json!({"parent": "jazzz"}));
    assert!(sentence.contains("jazz") && sentence.contains("list_categories"), "{sentence}");
}

#[test]
fn get_place_takes_ids_names_and_aliases_and_ids_of_events() {
    let service = small_guide();
    let key = service.key("pro");
    let get = |text: &str| {
        let result = call(&service, Some(&key), "get_place", json!({"id": text}));
        assert_eq!(result["isError"], false, "{text}: {result}");
        result["structuredContent"].clone()
    };
    for text in ["aurora", "Boteco Aurora", "boteco aurora ", "BAR DA DONA AURÓRA", "boteco-aurora"] {
        assert_eq!(get(text)["place"]["id"], "aurora", "{text}");
    }
    assert_eq!(get("Vizinho")["place"]["id"], "near", "a word that only its name has");
    let event = get("tomorrow");
    assert_eq!((&event["event"]["id"], event.get("place")), (&json!("tomorrow"), None));
    let by_name = call(&service, Some(&key), "get_place", json!({"name": "Boteco Aurora"}));
    assert_eq!(by_name["structuredContent"]["place"]["id"], "aurora");
    // a name of several places is answered with their ids
    let several = refused(&service, Some(&key), "get_place", json!({"id": "Boteco Gemeo"}));
    assert!(several.contains("twin-1") && several.contains("twin-2"), "{several}");

    // what the free plan hides has no name there either
    let free = service.key("free");
    for text in ["hidden", "Boteco Aurorinha", "hidden-night"] {
        let sentence = refused(&service, Some(&free), "get_place", json!({"id": text}));
        assert!(sentence.starts_with("Send the id of a known place or event."), "{sentence}");
    }
    // an event may be named too
    assert_eq!(get("noite tomorrow")["event"]["id"], "tomorrow");
    refused(&service, Some(&free), "get_place", json!({"id": "Noite hidden-night"}));
    // and the preview sees no days but its own
    assert_eq!(call(&service, None, "get_place", json!({"id": "tomorrow"}))["isError"], false);
    refused(&service, None, "get_place", json!({"id": "next-month"}));
    assert_eq!(call(&service, Some(&free), "get_place", json!({"id": "next-month"}))["isError"], false);
}

#[test]
fn the_id_of_a_series_gives_its_next_event() {
    let Shared { service, pro, free, .. } = shared();
    let found = service
        .good(pro, json!({"action": "search_events", "group": "series", "to": "2099-12-31", "limit": 50}));
    let mut seen = 0;
    for event in
        found["events"].as_array().expect("events").iter().filter(|event| event["series"].is_string())
    {
        let series = event["series"].as_str().expect("an id");
        for id in [series, event["name"].as_str().expect("a name")] {
            let got = call(service, Some(pro), "get_place", json!({"id": id}))["structuredContent"].clone();
            // a place may have the id or the name of what takes place there
            assert!(
                got["event"]["id"] == event["id"]
                    || id != series && got["place"].is_object()
                    || got["place"]["id"] == id,
                "{id}: {got}"
            );
        }
        let got = service.good(pro, json!({"action": "get_event", "id": series}));
        assert_eq!((&got["event"]["id"], &got["count"]), (&event["id"], &json!(1)), "{series}");
        if event["region"] != "Plano Piloto" {
            let hidden = service.ask(free, json!({"action": "get_event", "id": series}));
            assert_eq!((hidden.status, &hidden.json()["code"]), (404, &json!("unknown_record")), "{series}");
        }
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn what_is_around_a_place_never_shows_what_the_plan_hides() {
    let service = small_guide();
    let (key, free) = (service.key("pro"), service.key("free"));
    let get = |key: Option<&str>, id: &str| {
        call(&service, key, "get_place", json!({"id": id}))["structuredContent"].clone()
    };
    let paid = get(Some(&key), "aurora");
    // an event elsewhere whose venue has the same name is not there; an alias is a name too
    assert_eq!(names(&paid["upcoming"]), ["Noite tomorrow", "Noite next-month"]);
    assert_eq!(paid["upcoming"][0]["lineup"], "Zulmira");
    assert_eq!(names(&paid["similar"]), ["Boteco Vizinho", "Boteco Distante", "Boteco Gemeo"]);
    assert_eq!(names(&paid["nearby"]), ["Boteco Vizinho"]);

    let seen = get(Some(&free), "aurora");
    assert_eq!(names(&seen["upcoming"]), ["Noite tomorrow", "Noite next-month"]);
    assert!(seen["upcoming"][0].get("lineup").is_none(), "{seen}");
    assert_eq!(names(&get(None, "aurora")["upcoming"]), ["Noite tomorrow"]);
    for answer in [&seen, &get(None, "aurora")] {
        let text = answer.to_string();
        assert!(!text.contains("Aurorinha") && !text.contains("Taguatinga"), "{text}");
    }
    // on /v1 there are five, and those of the rest of the District come last
    let full = service.good(&key, json!({"action": "get_place", "id": "aurora"}));
    assert_eq!(full["similar"].as_array().map(Vec::len), Some(5));
    assert_eq!(full["similar"][4]["name"], "Boteco Aurorinha");

    let hidden = get(Some(&key), "hidden");
    assert_eq!(names(&hidden["upcoming"]), ["Noite hidden-night"]);
    assert!(hidden.get("url").is_none(), "no public page shows it: {hidden}");
}

#[test]
fn what_is_nearby_is_near_and_a_fair_is_where_it_takes_place() {
    let Shared { service, pro, free } = shared();
    for (key, ids) in [
        (pro, &["conjunto-nacional", "memorial-jk", "feira-da-torre-de-tv"][..]),
        (free, &["conjunto-nacional", "feira-da-torre-de-tv"]),
    ] {
        for id in ids {
            let answer = service.good(key, json!({"action": "get_place", "id": id}));
            let nearby = answer["nearby"].as_array().expect("places").iter();
            let distances: Vec<u64> =
                nearby.map(|place| place["distance_m"].as_u64().expect("a distance")).collect();
            assert_eq!(distances.len(), 5, "{id}: {answer}");
            assert!(distances.is_sorted() && distances[4] <= 3_000, "{id}: {distances:?}");
            assert!(answer["attribution"]["positions"].is_string(), "{answer}");
        }
    }
    // of these no more is known than a neighbourhood that takes an hour to walk across
    for (key, id) in [(pro, "fogo-de-chao"), (pro, "beirute-asa-sul"), (free, "cine-brasilia")] {
        let place = service.good(key, json!({"action": "get_place", "id": id}));
        let nearby = place["nearby"].as_array().expect("places");
        assert!(
            !nearby.is_empty() && nearby.iter().all(|other| other.get("distance_m").is_none()),
            "{place}"
        );
        assert!(nearby.iter().all(|other| other["region"] == place["place"]["region"]), "{place}");
    }
    // and of these no more than a region, where nothing is near
    for id in ["lago-paranoa", "chicago-prime", "bar-do-mane", "vegan-se"] {
        let place = service.good(pro, json!({"action": "get_place", "id": id}));
        assert_eq!(place["nearby"], json!([]), "{id}: {place}");
    }
    let fair = service.good(pro, json!({"action": "get_place", "id": "feira-da-torre-de-tv"}));
    let next = &fair["upcoming"][0];
    assert_eq!(next["name"], "Feira da Torre de TV");
    assert_eq!(next["dates"][0], next["date"]);
    assert!(next["dates"].as_array().is_some_and(|dates| dates.len() >= 4), "four days a week: {next}");
}

#[test]
fn the_preview_says_which_area_it_covers_where_it_found_nothing() {
    let found =
        call(&shared().service, None, "search_places", json!({"q": "waterfalls"}))["structuredContent"]
            .clone();
    assert!(found["total"] == 0, "{found}");
    let told = "Only Plano Piloto was searched: the preview covers no other area.";
    assert!(found["notice"].as_str().is_some_and(|notice| notice.contains(told)), "{found}");
}

#[test]
fn the_url_of_a_record_is_its_page() {
    let shared = shared();
    let event = pro("search_events", json!({"region": "Plano Piloto"}))["events"][0]["id"].clone();
    for id in [json!("memorial-jk"), event] {
        let url = pro("get_place", json!({"id": id}))["url"].as_str().expect("a URL").to_owned();
        let (_, path) = url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).expect("a path");
        let answer = exchange(shared.service.listen, &request("GET", &format!("/{path}"), &[], b""));
        assert_eq!(answer.status, 200, "{url}");
        // agents send it as the id
        let by_url = pro("get_place", json!({"id": url}));
        assert_eq!(by_url["url"].as_str(), Some(url.as_str()));
    }
    // pages are found by ids alone
    for path in ["/place/Memorial%20JK", "/place/feira-da-torre-de-tv-x"] {
        assert_eq!(exchange(shared.service.listen, &request("GET", path, &[], b"")).status, 404);
    }
}

#[test]
fn get_place_is_below_1500_tokens() {
    for id in ["memorial-jk", "outro-calaf", "Torre de TV", "Parque da Cidade"] {
        let answer = pro("get_place", json!({"id": id}));
        assert!(tokens(&answer) < 1_500, "{id}: {} tokens", tokens(&answer));
    }
}

#[test]
fn an_unknown_id_is_answered_with_the_nearest_names_that_the_caller_may_see() {
    let service = small_guide();
    let (key, free) = (service.key("pro"), service.key("free"));
    let near = |key: Option<&str>, text: &str| refused(&service, key, "get_place", json!({"id": text}));
    let paid = near(Some(&key), "bar-aurorinha");
    assert!(paid.contains("The nearest: ") && paid.contains("Boteco Aurorinha"), "{paid}");
    for key in [None, Some(free.as_str())] {
        for text in [
            "bar-aurorinha",
            "bar-aurorinha-do-norte",
            "hidden",
            "Boteco Aurorinha",
            "Aurorinha",
            "hidden night",
        ] {
            let sentence = near(key, text);
            assert!(!sentence.contains("Aurorinha") && !sentence.contains("hidden"), "{text}: {sentence}");
        }
        let sentence = near(key, "boteco-vizinhos-2");
        assert!(sentence.contains("Boteco Vizinho"), "{sentence}");
    }
    assert!(!near(None, "noite month").contains("next-month"), "not within the days of the preview");
    // whether there is such an event, the sentence does not tell
    for id in ["noite-next-month", "no-such-place-or-event"] {
        assert!(near(None, id).contains("a plan sees only its own regions and days."), "{}", near(None, id));
    }
    let event = service.ask(&free, json!({"action": "get_event", "id": "noite-tomorow"}));
    assert_eq!((event.status, &event.json()["code"]), (404, &json!("unknown_record")));
    assert!(event.json()["hint"].as_str().is_some_and(|hint| hint.contains("tomorrow")), "{}", event.text());
    let mark = near(None, "zZmArKzZ");
    assert!(!mark.contains("zZmArKzZ") && !mark.contains("The nearest"), "{mark}");
}

#[test]
fn every_error_of_a_tool_says_what_to_send() {
    let shared = shared();
    let long = "x".repeat(500);
    let many: Vec<&str> = vec!["samba"; 21];
    let params = |tool: &str| match tool {
        "search_events" => "q, category, region, near, within_m, from, to",
        "search_places" => "q, category, region, near, within_m, limit, cursor",
        "get_place" => "id",
        "list_categories" => "kind, parent",
        _ => "region",
    };
    let mut cases: Vec<(&str, Value, &str)> = Vec::new();
    for tool in ["search_events", "search_places", "get_place", "list_categories", "list_regions"] {
        cases.push((tool, json!({"wat": "zZmArKzZ"}), params(tool)));
    }
    for tool in ["search_events", "search_places"] {
        cases.extend([
            (tool, json!({"q": 5}), "as a string"),
            (tool, json!({"q": long}), "at most 400 characters"),
            (tool, json!({"category": {}}), "as a string"),
            (tool, json!({"category": "jazzz"}), "such as jazz"),
            (tool, json!({"category": "zZmArKzZ"}), "list_categories"),
            (tool, json!({"category": many}), "at most 20 values"),
            (tool, json!({"category": long}), "at most 120 characters"),
            (tool, json!({"region": "Asa Nrte"}), "Asa Norte"),
            (tool, json!({"region": "QI"}), "Say which region is meant"),
            (tool, json!({"region": "Guará", "bairro": "Asa Sul"}), "either region or neighbourhood"),
            (tool, json!({"limit": 0}), "between 1 and 50"),
            (tool, json!({"limit": "many"}), "a whole number"),
            (tool, json!({"cursor": "zZmArKzZ"}), "next_cursor"),
        ]);
    }
    cases.extend([
        ("search_events", json!({"from": "zZmArKzZ"}), "YYYY-MM-DD"),
        ("search_events", json!({"to": 5}), "as a string"),
        ("search_events", json!({"from": "2026-12-02", "to": "2026-12-01"}), "not before from"),
        ("get_place", json!({}), "Searches list the ids"),
        ("get_place", json!({"id": " "}), "Searches list the ids"),
        ("get_place", json!({"id": 5}), "as a string"),
        ("get_place", json!({"id": long}), "at most 120 characters"),
        ("get_place", json!({"id": "memorial-jkk"}), "Memorial JK"),
        ("get_place", json!({"id": "zZmArKzZ"}), "Take ids from a search"),
        ("list_categories", json!({"kind": "zZmArKzZ"}), "events, places"),
        ("list_categories", json!({"kind": 5}), "as a string"),
        ("list_categories", json!({"parent": "jazzz"}), "such as jazz"),
        ("list_categories", json!({"parent": 5}), "as a string"),
        ("list_categories", json!({"parent": long}), "at most 120 characters"),
        ("list_regions", json!({"region": "Asa Nrte"}), "Asa Norte"),
        ("list_regions", json!({"region": "Asa Norte, Gurá"}), "Guará"),
        ("list_regions", json!({"region": "QI"}), "Say which region is meant"),
        ("list_regions", json!({"region": 5}), "as a string"),
        ("list_regions", json!({"region": long}), "at most 120 characters"),
    ]);
    for (tool, arguments, says) in cases {
        let sentence = refused(&shared.service, Some(&shared.pro), tool, arguments.clone());
        assert!(sentence.contains(says), "{tool} {arguments}: {sentence}");
        assert!(!sentence.contains("zZmArKzZ"), "{sentence}");
    }
}
