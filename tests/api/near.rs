//! Searching from a place: what is near it, how far, and what a plan may learn of where records are.

use serde_json::{Value, json};

use crate::service::{Service, Shared, demo_copy, get, printed_json, run, shared};

fn search(service: &Service, key: &str, kind: &str, mut body: Value) -> Value {
    body["action"] = json!(format!("search_{kind}"));
    service.good(key, body)
}

fn pro(body: Value) -> Value {
    search(&shared().service, &shared().pro, "places", body)
}

fn distances(answer: &Value) -> Vec<u64> {
    let places = answer["places"].as_array().into_iter().flatten();
    places.map(|place| place["distance_m"].as_u64().expect("a distance")).collect()
}

#[test]
fn a_parameter_lists_the_nearest_first_with_distances() {
    for near in [
        "408 Norte",
        "CLN 408 Bloco B",
        "Torre de TV",
        "Asa Sul",
        "-15.7614,-47.879",
        "-15.7614; -47.879",
        "UnB",
    ] {
        let answer = pro(json!({"near": near, "limit": 50}));
        assert_eq!(answer["match"], "exact", "{near}");
        let distances = distances(&answer);
        assert!(distances.len() > 10 && distances.is_sorted(), "{near}: {distances:?}");
        let within = answer["interpreted"]["near"]["within_m"].as_u64().expect("a distance");
        assert!(distances.iter().all(|distance| *distance <= within), "{near}: {distances:?}");
        for place in answer["places"].as_array().expect("places") {
            let known_by = place["distance_is"].as_str().expect("how the place is known");
            assert_eq!(place.get("location").is_some(), known_by != "region", "{place}");
        }
        assert_eq!(answer["attribution"]["positions"], "© OpenStreetMap contributors");
    }
}

#[test]
fn within_m_goes_with_a_place_that_the_question_names() {
    for within_m in [500, 3_000] {
        let said = pro(json!({"q": "café perto da Torre de TV", "within_m": within_m, "limit": 50}));
        let sent = pro(json!({"q": "café", "near": "Torre de TV", "within_m": within_m, "limit": 50}));
        assert_eq!((&said["places"], &said["match"]), (&sent["places"], &sent["match"]), "{within_m}");
    }
}

#[test]
fn within_m_is_the_greatest_distance() {
    let far = pro(json!({"near": "408 Norte", "within_m": 3_000, "category": "bar"}));
    let close = pro(json!({"near": "408 Norte", "within_m": 300, "category": "bar"}));
    assert!(close["total"].as_u64() < far["total"].as_u64() && close["total"] != 0, "{close}");
    assert!(distances(&close).iter().all(|distance| *distance <= 300));
    let names = |answer: &Value| answer["places"].as_array().expect("places")[0]["name"].clone();
    assert_eq!(names(&close), names(&far), "the nearest come first");
}

#[test]
fn pages_of_the_nearest_make_up_the_whole() {
    let whole = pro(json!({"near": "Torre de TV", "category": "restaurante", "limit": 50}));
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page =
            pro(json!({"near": "Torre de TV", "category": "restaurante", "limit": 7, "cursor": cursor}));
        assert_eq!(page["total"], whole["total"]);
        seen.extend(page["places"].as_array().expect("places").iter().map(|place| place["id"].clone()));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let first: Vec<Value> =
        whole["places"].as_array().expect("places").iter().map(|place| place["id"].clone()).collect();
    assert!(first.len() > 7 && seen.starts_with(&first), "{seen:?}");
    assert_eq!(seen.len() as u64, whole["total"].as_u64().expect("a total"));
}

#[test]
fn a_question_near_a_place_is_answered_from_there() {
    for (q, name, most) in [
        ("bar perto da 408 norte", "408 Norte", 1_600),
        ("restaurant near the cathedral", "Catedral", 2_500),
        ("museo cerca de la catedral", "Catedral", 2_000),
        ("o que tem perto da torre de tv?", "Torre de TV", 1_000),
    ] {
        let answer = pro(json!({"q": q}));
        assert_eq!(answer["match"], "exact", "{q}: {answer}");
        let near = &answer["interpreted"]["near"];
        assert!(near["name"].as_str().is_some_and(|found| found.starts_with(name)), "{q}: {near}");
        let distances = distances(&answer);
        assert!(
            !distances.is_empty() && distances.iter().all(|distance| *distance <= most),
            "{q}: {distances:?}"
        );
        assert!(answer["interpreted"].get("left_out").is_none(), "{q}");
    }
    // of which only a wide area is known: nothing is measured from there
    let answer = pro(json!({"q": "café ao lado do Beirute"}));
    let near = &answer["interpreted"]["near"];
    assert!(near["name"].as_str().is_some_and(|found| found.starts_with("Beirute")), "{answer}");
    assert!(
        answer["notice"].as_str().is_some_and(|notice| notice.contains("only its area is known")),
        "{answer}"
    );
    for place in answer["places"].as_array().expect("places") {
        assert!(place.get("distance_m").is_none(), "{place}");
    }
    // the usual order stays
    let bars = pro(json!({"q": "bar perto da 408 norte"}));
    let mentions = |place: &Value| place["mentions"].as_u64().expect("mentions");
    let mentions: Vec<u64> = bars["places"].as_array().expect("places").iter().map(mentions).collect();
    assert!(mentions.is_sorted_by(|one, next| one >= next), "{mentions:?}");
}

#[test]
fn a_wish_for_a_place_is_let_go_when_nothing_is_there() {
    let answer = pro(json!({"q": "cachoeira perto da torre de tv"}));
    assert_eq!(answer["match"], "closest", "{answer}");
    let left_out = answer["interpreted"]["left_out"].as_array().expect("words");
    assert!(left_out.iter().any(|words| words == "perto da torre de tv"), "{left_out:?}");
    assert!(answer["total"].as_u64() > Some(0));
}

#[test]
fn near_me_says_that_a_position_is_needed() {
    let answer = pro(json!({"q": "bar perto de mim"}));
    assert!(answer["notice"].as_str().is_some_and(|notice| notice.contains("near")), "{answer}");
    assert!(answer["total"].as_u64() > Some(0));
    let Shared { service, pro, .. } = shared();
    for (near, code) in [
        ("aqui", "position_needed"),
        ("near me", "position_needed"),
        ("Goiânia", "outside_coverage"),
        ("-23.55,-46.63", "outside_coverage"),
        ("qqqxxzz", "unknown_near"),
    ] {
        let answer = service.ask(pro, json!({"action": "search_places", "near": near}));
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!(code)), "{near}");
        assert_eq!(answer.json()["param"], "near");
    }
    let towns = service.good(pro, json!({"action": "search_places", "q": "restaurante em Goiânia"}));
    assert_eq!(towns["total"], 0, "{towns}");
    assert!(towns["notice"].as_str().is_some_and(|notice| notice.contains("outside the Federal District")));
}

#[test]
fn the_number_of_a_quadra_in_region_is_honoured() {
    let answer = pro(json!({"region": "CLS 405"}));
    let all = pro(json!({"region": "Asa Sul"}));
    assert!(answer["total"].as_u64() < all["total"].as_u64());
    for place in answer["places"].as_array().expect("places") {
        assert!(place["address"].as_str().is_some_and(|address| address.contains("405")), "{place}");
    }
    let more = answer["more"].as_array().expect("those that may be there");
    assert!(more.iter().all(|place| place.get("address").is_none()), "{more:?}");
    assert_eq!(answer["interpreted"]["quadra"], json!(["405"]));
}

#[test]
fn the_free_plan_learns_no_more_than_the_neighbourhood() {
    let Shared { service, free, pro, .. } = shared();
    let near = json!({"near": "408 Norte", "limit": 50});
    let answer = search(service, free, "places", near.clone());
    let mut by_area = std::collections::HashMap::new();
    for place in answer["places"].as_array().expect("places") {
        assert!(place.get("location").is_none() && place.get("address").is_none(), "{place}");
        assert!(["area", "region"].contains(&place["distance_is"].as_str().expect("a word")), "{place}");
        let area = (place["neighbourhood"].clone().to_string(), place["region"].to_string());
        let distance = by_area.entry(area).or_insert_with(|| place["distance_m"].clone());
        assert_eq!(distance, &place["distance_m"], "one distance for each neighbourhood");
    }
    assert!(by_area.len() > 1, "{by_area:?}");
    assert_eq!(answer["attribution"]["positions"], "© OpenStreetMap contributors");
    // of a quadra it knows what says itself that it is there, as text
    let asked = search(service, free, "places", json!({"q": "bar perto da 408 norte"}));
    let listed = asked["places"].as_array().expect("places");
    let says = |place: &Value| place["style"].as_str().is_some_and(|style| style.contains("408 Norte"));
    assert!(!listed.is_empty() && listed.iter().all(says), "{asked}");
    assert!(listed.iter().all(|place| place["distance_is"] == "area"), "{asked}");
    // a place with an address is in its neighbourhood, as a place to search from too: nothing is measured from there
    let from = |key: &str| search(service, key, "places", json!({"near": "bambamba"}));
    let precision = |answer: &Value| answer["interpreted"]["near"]["precision_m"].as_u64();
    let (unknown, known) = (from(free), from(pro));
    assert!(precision(&unknown) > Some(1_000) && precision(&known) < Some(500), "{unknown}");
    let places = unknown["places"].as_array().expect("places");
    assert!(places.len() > 3 && places.iter().all(|place| place.get("distance_m").is_none()), "{unknown}");
    assert!(unknown["notice"].as_str().is_some_and(|notice| notice.contains("only its area is known")));
    // and one outside the plan is unknown
    let answer = service.ask(free, json!({"action": "search_places", "near": "Casa do Cantador"}));
    assert_eq!(answer.json()["code"], "unknown_near");
}

#[test]
fn positions_are_offered_with_credit_and_licence_where_there_are_any() {
    let address = shared().service.listen;
    let positions = get(address, "/positions.json").json();
    assert_eq!(positions["credit"], "© OpenStreetMap contributors");
    assert!(positions["licence"].as_str().is_some_and(|licence| licence.contains("ODbL")));
    let landmarks = positions["landmarks"].as_array().expect("landmarks");
    assert!(landmarks.iter().any(|landmark| landmark["name"] == "Torre de TV"));
    for path in ["/", "/en?q=museu", "/place/memorial-jk"] {
        let text = get(address, path).text();
        assert!(text.contains("href=\"/positions.json\"") && text.contains("© OpenStreetMap"), "{path}");
    }

    let service = Service::start();
    let folder = service.data.with_file_name("guide");
    demo_copy(&folder);
    std::fs::remove_file(folder.join("positions.json")).expect("removed");
    let folder = folder.display().to_string();
    printed_json(&run(&service.data, &["snapshot", "publish", &folder, "--json"]), 0);
    service.serves(1);
    let answer = get(service.listen, "/positions.json");
    assert_eq!((answer.status, &answer.json()["code"]), (404, &json!("not_found")));
    assert!(!get(service.listen, "/").text().contains("OpenStreetMap"));
}

#[test]
fn the_whole_territory_behind_an_area_narrows_nothing_and_adds_nothing() {
    for region in ["Asa Norte, DF", "Asa Norte DF", "Asa Norte - Brasília", "Asa Norte, Distrito Federal"] {
        let answer = pro(json!({"region": region}));
        assert_eq!(answer["interpreted"]["region"].as_array().map(Vec::len), Some(1), "{region}: {answer}");
        assert_eq!(answer["interpreted"]["region"][0]["name"], "Asa Norte", "{region}");
    }
    // an area is meant, not the mall of that name
    assert_eq!(pro(json!({"near": "Águas Claras"}))["interpreted"]["near"]["name"], "Águas Claras");
}

#[test]
fn a_search_that_finds_nothing_in_reach_tells_how_far_the_nearest_is() {
    let nothing = pro(json!({"q": "cachoeira", "near": "Plano Piloto"}));
    assert_eq!(
        (&nothing["total"], nothing["relax"]["near"].as_u64() > Some(3)),
        (&json!(0), true),
        "{nothing}"
    );
    let notice = nothing["notice"].as_str().expect("a notice");
    let (metres, _) = notice.split_once(" m from there").expect("a distance");
    let metres = metres.rsplit(' ').next().expect("a number");
    let metres: u64 = metres.parse().expect("metres");
    let within = |within_m: u64| {
        pro(json!({"q": "cachoeira", "near": "Plano Piloto", "within_m": within_m}))["total"].as_u64()
    };
    assert!(within(metres) > Some(0) && within(metres - 1) == Some(0), "{notice}");
    let somewhere = pro(json!({"q": "bar", "near": "Plano Piloto"}));
    assert!(somewhere.get("relax").is_none());
}

#[test]
fn an_empty_list_near_a_place_is_not_said_to_hold_for_the_whole_guide() {
    let Shared { service, pro, .. } = shared();
    let events = |body: Value| search(service, pro, "events", body);
    let area = "in the area of Recanto das Emas or within 5000 m of its middle";
    for (near, within_m, searched) in [
        ("Recanto das Emas", None, area),
        ("Recanto das Emas", Some(500), "within 500 m of Recanto das Emas"),
        ("Lago Norte", Some(500), "within 500 m of Lago Norte"),
    ] {
        let answer = events(json!({"near": near, "within_m": within_m}));
        assert_eq!(answer["total"], 0, "{near}: {answer}");
        assert!(answer["relax"]["near"].as_u64() > Some(10), "{near}: {answer}");
        let said = format!("No events {searched} are listed in the days that were searched.");
        assert!(notice(&answer).contains(&said), "{near}: {}", notice(&answer));
        assert!(notice(&answer).contains("send a larger within_m"), "{near}: {}", notice(&answer));
    }
    // nor is one of a few hours said to hold for the days
    let hours = events(json!({"near": "Asa Norte", "within_m": 1, "time_from": "03:00", "time_to": "03:01"}));
    assert_eq!(hours["total"], 0, "{hours}");
    assert!(notice(&hours).contains("in the days and hours that were searched."), "{}", notice(&hours));
}

#[test]
fn what_is_listed_in_place_of_a_superquadra_may_have_an_address_elsewhere() {
    let museums = pro(json!({"q": "museu na 110 sul"}));
    let addresses =
        museums["places"].as_array().into_iter().flatten().filter_map(|one| one["address"].as_str());
    assert!(addresses.count() > 0, "{museums}");
    let said = "The guide shows no places with an address in 110: these are in the same wing, at other addresses or \
                without one.";
    assert!(notice(&museums).contains(said), "{}", notice(&museums));
    // the guide has some in 405, which a free key does not see
    let Shared { service, free, .. } = shared();
    let hidden = search(service, free, "places", json!({"region": "CLS 405"}));
    assert!(notice(&hidden).starts_with("The guide shows no places with an address in 405:"), "{hidden}");
}

fn ids(answer: &Value) -> Vec<&str> {
    let list = answer["places"].as_array().or(answer["events"].as_array());
    list.into_iter().flatten().map(|one| one["id"].as_str().expect("an id")).collect()
}

fn notice(answer: &Value) -> &str {
    answer["notice"].as_str().unwrap_or_default()
}

#[test]
fn the_lake_is_its_shores_and_no_point_of_a_region() {
    let by_region = pro(json!({"region": "Lagos", "category": "restaurante", "limit": 50}));
    for body in [
        json!({"near": "Lago Paranoá", "category": "restaurante", "limit": 50}),
        json!({"near": "Lake Paranoá", "category": "restaurante", "limit": 50}),
        json!({"region": "Lago Paranoá", "category": "restaurante", "limit": 50}),
    ] {
        let answer = pro(body.clone());
        assert_eq!(ids(&answer), ids(&by_region), "{body}: {answer}");
        assert!(
            answer["places"]
                .as_array()
                .is_some_and(|all| all.iter().all(|one| one.get("distance_m").is_none()))
        );
    }
    let told = pro(json!({"near": "Lago Paranoá", "category": "restaurante"}));
    assert!(notice(&told).contains("near names all of Lagos"), "{told}");
    let bars = pro(json!({"q": "bares perto do Lago Paranoá", "limit": 50}));
    assert_eq!(ids(&bars), ids(&pro(json!({"q": "bares perto do lago", "limit": 50}))), "{bars}");
    assert!(ids(&pro(json!({"q": "Lago Paranoá", "limit": 50}))).contains(&"lago-paranoa"));
    // a distance from all of it is none
    let Shared { service, pro, .. } = shared();
    let body = json!({"action": "search_places", "near": "Lago Paranoá", "within_m": 1_000});
    let answer = service.ask(pro, body);
    assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("unknown_near")));
    assert!(answer.json()["error"].as_str().is_some_and(|text| text.contains("within_m")));
}

#[test]
fn what_is_known_by_its_region_alone_is_as_far_as_its_town_reaches_and_from_other_regions_as_it_may_be() {
    let close = pro(json!({"near": "Brazlândia", "within_m": 900, "category": "cachoeira"}));
    assert_eq!(close["total"], 0, "{close}");
    assert!(
        !ids(&pro(json!({"near": "Planaltina", "within_m": 800, "limit": 50})))
            .contains(&"pedra-fundamental")
    );
    // all of the area is near it
    let inside = pro(json!({"near": "Brazlândia", "category": "cachoeira"}));
    assert!(ids(&inside).contains(&"chapada-imperial") && ids(&inside).contains(&"poco-azul"), "{inside}");
    for place in inside["places"].as_array().expect("places") {
        assert_eq!(place["distance_is"], "region", "{place}");
        assert!(place["distance_m"].as_u64().is_some_and(|metres| (900..5_000).contains(&metres)), "{place}");
    }
    let far = pro(json!({"near": "Ceilândia", "within_m": 50_000, "q": "Poço Azul"}));
    assert!(far["places"][0]["distance_m"].as_u64() >= Some(20_000), "{far}");
}

#[test]
fn a_neighbourhood_without_a_point_is_near_the_places_of_its_region() {
    let near = pro(json!({"q": "restaurant near Águas Claras metro station"}));
    assert!(ids(&near).contains(&"rovereto") && near["match"] == "exact", "{near}");
    let near = pro(json!({"near": "Águas Claras", "category": "bar"}));
    let (first, second) = (&near["places"][0], &near["places"][1]);
    for place in [first, second] {
        assert_eq!(place["region"], "Águas Claras", "{near}");
        assert!(place["distance_m"].as_u64() < Some(2_500), "{place}");
    }
}

#[test]
fn events_near_a_place_name_it_where_nothing_is_on_soon() {
    let Shared { service, pro, .. } = shared();
    let ask = |body: Value| search(service, pro, "events", body);
    let near = ask(json!({"near": "Taguatinga"}));
    assert!(near["total"] == 0 && near["next"]["total"].as_u64() >= Some(1), "{near}");
    assert_eq!(near["interpreted"]["near"]["name"], "Taguatinga", "{near}");
    assert!(near["relax"]["near"].as_u64() > Some(20), "{near}");
    let said = ["in the area of Taguatinga or within 5000 m", "there are on", "send a larger within_m"];
    assert!(said.iter().all(|part| notice(&near).contains(part)), "{}", notice(&near));
    // a wish to be near is let go for what is on in these days
    let wish = ask(json!({"q": "eventos perto de Taguatinga"}));
    assert!(wish["match"] == "closest" && wish.get("next").is_none(), "{wish}");
    let events = wish["events"].as_array().expect("events").iter();
    let distances: Vec<u64> = events.map(|event| event["distance_m"].as_u64().expect("a distance")).collect();
    assert!(distances.len() > 10 && distances.is_sorted(), "{distances:?}");
}

#[test]
fn near_an_area_is_also_all_that_is_in_it() {
    let Shared { service, pro, .. } = shared();
    for extra in [json!({"category": "musica"}), json!({"from": "today", "to": "today"}), json!({})] {
        let ask = |place: &str| {
            let mut body = json!({place: "Lago Sul", "limit": 50});
            body.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
            search(service, pro, "events", body)
        };
        let (near, inside) = (ask("near"), ask("region"));
        let near = ids(&near);
        assert!(ids(&inside).iter().all(|id| near.contains(id)), "{extra}: {near:?}\n{inside}");
    }
}

#[test]
fn a_name_of_several_places_is_none_of_them() {
    let Shared { service, pro, .. } = shared();
    for near in ["Beirute", "Dom Bosco"] {
        let answer = service.ask(pro, json!({"action": "search_places", "near": near}));
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("ambiguous_near")), "{near}");
        assert!(answer.json()["error"].as_str().is_some_and(|text| text.contains(" or ")), "{near}");
    }
    for near in ["US embassy", "embassies"] {
        let both = self::pro(json!({"near": near}));
        let sectors = both["interpreted"]["region"].as_array().expect("areas");
        assert_eq!(sectors.len(), 2, "{near}: {both}");
    }
    assert_eq!(self::pro(json!({"near": "Buriti"}))["interpreted"]["near"]["name"], "Palácio do Buriti");
}

#[test]
fn points_are_read_as_programs_write_them() {
    let plain = pro(json!({"near": "-15.79,-47.89"}));
    for near in [
        "(-15.79, -47.89)",
        "geo:-15.79,-47.89",
        "lat=-15.79, lon=-47.89",
        "lat: -15.79, lng: -47.89",
        "-15,79; -47,89",
    ] {
        assert_eq!(ids(&pro(json!({"near": near}))), ids(&plain), "{near}");
    }
}

#[test]
fn an_empty_region_is_told_what_is_around_it() {
    for (region, category) in [
        ("Setor Hoteleiro Sul", "restaurante"),
        ("UnB", "bar"),
        ("Eixo Monumental", "restaurante"),
        ("CLN 408", "restaurante"),
    ] {
        let empty = pro(json!({"region": region, "category": category}));
        if empty["total"] != 0 || !empty["interpreted"]["near"].is_null() {
            continue;
        }
        let (_, name) =
            notice(&empty).split_once("send near=").unwrap_or_else(|| panic!("{region}: {empty}"));
        let name = name.split_once(" instead").expect("a name").0;
        let around = pro(json!({"near": name, "category": category}));
        assert!(around["total"].as_u64() > Some(0), "{region}: {around}");
        assert!(notice(&empty).contains(&format!("there are {} places", around["total"])), "{empty}");
    }
    let nothing = pro(json!({"region": "Setor Hoteleiro Sul", "category": "cachoeira"}));
    assert!(!notice(&nothing).contains("send near="), "{nothing}");
}

#[test]
fn a_name_that_means_a_parameter_is_told_with_it() {
    let answer = pro(json!({"query": "pizza", "limit": 1}));
    assert_eq!(answer["warnings"], json!(["query is not a parameter and was ignored: send q"]));
    let misspelt = pro(json!({"querry": "pizza", "cateogry": "bar", "limit": 1}));
    let warned = [
        "cateogry is not a parameter and was ignored: send category",
        "querry is not a parameter and was ignored: send q",
    ];
    assert_eq!(misspelt["warnings"], json!(warned));
    let others = pro(json!({"page": 2, "lat": -15.79, "radius": 500, "limit": 1}));
    let others = others["warnings"].as_array().expect("warnings");
    let told: Vec<&str> =
        others.iter().filter_map(|warning| warning.as_str()?.split("send ").nth(1)).collect();
    let instead = [
        "cursor, as next_cursor of the page before",
        "near, as \"lat,lon\" or an address",
        "within_m, in metres",
    ];
    assert!(instead.iter().all(|text| told.contains(text)) && told.len() == 3, "{told:?}");
    let Shared { service, pro, .. } = shared();
    let dated = search(service, pro, "events", json!({"date": "2026-12-20", "limit": 1}));
    assert_eq!(dated["warnings"], json!(["date is not a parameter and was ignored: send from and to"]));
}

#[test]
fn what_is_found_anywhere_is_listed_to_the_end() {
    let question = |cursor: &Value| {
        let mut body = json!({"q": "planetário perto de Brazlândia", "limit": 2});
        if !cursor.is_null() {
            body["cursor"] = cursor.clone();
        }
        pro(body)
    };
    let (mut seen, mut cursor, mut total) = (Vec::new(), Value::Null, 0);
    loop {
        let answer = question(&cursor);
        total = answer["total"].as_u64().expect("a total").max(total);
        assert!(answer["interpreted"]["left_out"].to_string().contains("brazlandia"), "{answer}");
        for place in answer["places"].as_array().expect("places") {
            assert!(!seen.contains(&place["id"]), "twice: {place}");
            seen.push(place["id"].clone());
        }
        cursor = answer["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert!(total > 2, "{total}");
    assert_eq!(seen.len() as u64, total);
}

#[test]
fn a_whole_wing_is_not_the_superquadra_of_another_text() {
    let total = |region: Value| pro(json!({"region": region}))["total"].as_u64().expect("a total");
    let (wing, both) = (total(json!(["Asa Norte"])), total(json!(["Asa Norte", "CLN 408"])));
    assert_eq!((wing, total(json!(["CLN 408"])) < wing), (both, true));
    assert_eq!(total(json!(["CLN 408", "Plano Piloto"])), total(json!(["Plano Piloto"])));
}

#[test]
fn a_place_with_events_on_these_days_is_not_said_to_have_none() {
    let events = |body: Value| search(&shared().service, &shared().pro, "events", body);
    let notice = |body: Value| events(body)["notice"].to_string();
    let none = "lists no events at";
    assert!(
        notice(json!({"q": "eventos no Planetário de Brasília", "from": "2027-01-04", "to": "2027-01-04"}))
            .contains(none)
    );
    for body in [
        json!({"q": "o que tem na Feira da Torre de TV", "time_from": "01:00", "time_to": "02:00"}),
        json!({"q": "eventos na Feira da Torre de TV", "category": "teatro"}),
    ] {
        assert!(!notice(body.clone()).contains(none), "{body}");
    }
}

#[test]
fn a_landmark_as_region_beside_a_near_that_means_whole_areas_is_refused_and_drops_neither() {
    let Shared { service, pro, .. } = shared();
    let ask = |body: Value| service.ask(pro, body);
    let whole = json!({"action": "search_places", "near": "Setor Hoteleiro"});
    let answer = ask(whole.clone()).json();
    assert!(answer["notice"].as_str().is_some_and(|notice| notice.contains("near names all of")), "{answer}");
    let mut both = whole;
    both["region"] = json!("Planetário de Brasília");
    let refused = ask(both);
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (400, Some("unknown_region")),
        "{}",
        refused.text()
    );
}
