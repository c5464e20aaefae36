//! What a curator may say of records reaches `/v1`, agents and pages, and what is kept back reaches nobody: hidden
//! records, those not yet or no longer shown, and notes.

use std::path::Path;
use std::sync::LazyLock;

use chrono::{Days, NaiveDate};
use icalendar::{Calendar, Component};
use serde_json::{Value, json};

use crate::service::{
    Answer, Service, demo_copy, edit, exchange, get, ids, printed, printed_json, request, run,
};

const SECRET: &str = "zzsegredo";

/// A server on a small guide, with keys of both kinds and the current day.
struct Guide {
    service: Service,
    pro: String,
    free: String,
    today: NaiveDate,
}

static GUIDE: LazyLock<Guide> = LazyLock::new(|| {
    let service = Service::start_static();
    let (pro, free) = (service.key("pro"), service.key("free"));
    let today = service.good(&pro, json!({"action": "summary"}))["today"].as_str().expect("a day").to_owned();
    let today: NaiveDate = today.parse().expect("a date");
    let folder = service.data.with_file_name("guide");
    demo_copy(&folder);
    edit(&folder, "places.json", |places| *places = places_of(today));
    edit(&folder, "events.json", |events| *events = events_of(today));
    publish(&service, &folder);
    Guide { service, pro, free, today }
});

fn publish(service: &Service, folder: &Path) {
    let folder = folder.display().to_string();
    let words = ["snapshot", "publish", &folder, "--force", "--reason", "a small guide"];
    printed(&run(&service.data, &words), 0);
    service.serves(1);
}

fn places_of(today: NaiveDate) -> Vec<Value> {
    let place = |id: &str, more: Value| {
        let mut place = json!({"id": id, "name": format!("Casa {id}"), "region": "Plano Piloto",
            "neighbourhood": "Asa Norte", "category": "boteco", "note": format!("{SECRET} nota")});
        for (field, value) in more.as_object().expect("fields") {
            place[field] = value.clone();
        }
        place
    };
    vec![
        place("clube", json!({"free": true, "address": "CLN 408", "price": "couvert"})),
        place("paid", json!({"price": "R$ 30"})),
        place("kept", json!({"hidden": true, "aliases": [format!("{SECRET} casa")]})),
        place("later", json!({"show_from": today + Days::new(2), "style": SECRET})),
        place("gone", json!({"show_until": today - Days::new(1), "style": SECRET})),
        place("in-time", json!({"show_from": today, "show_until": today + Days::new(3), "hidden": false})),
    ]
}

fn events_of(today: NaiveDate) -> Vec<Value> {
    let tomorrow = today + Days::new(1);
    let event = |id: &str, more: Value| {
        let mut event = json!({"id": id, "name": format!("Noite {id}"), "date": tomorrow, "category": "jazz",
                "note": format!("{SECRET} nota")});
        for (field, value) in more.as_object().expect("fields") {
            event[field] = value.clone();
        }
        event
    };
    let piloto = "Plano Piloto";
    vec![
        event(
            "at-place",
            json!({"place": "clube", "start_time": "22:00", "end_time": "02:00", "free": true}),
        ),
        event("cancelled", json!({"region": piloto, "status": "cancelled"})),
        event("postponed", json!({"region": piloto, "status": "postponed"})),
        event("sold-out", json!({"region": piloto, "status": "sold_out", "price": "R$ 20"})),
        event(
            "sessions",
            json!({"region": piloto, "venue": "Teatro", "sessions":
                [{"start_time": "10:00", "end_time": "11:00"}, {"start_time": "18:30"}]}),
        ),
        event(
            "long",
            json!({"region": piloto, "date": today - Days::new(17), "end_date": today + Days::new(23)}),
        ),
        {
            let repeat = json!({"dates": [tomorrow, tomorrow + Days::new(3)]});
            let sessions = json!([{"start_time": "10:00"}, {"start_time": "20:00"}]);
            let mut off = event(
                "called-off",
                json!({"region": piloto, "status": "cancelled", "repeat": repeat, "sessions": sessions}),
            );
            off.as_object_mut().expect("fields").remove("date");
            off
        },
        event("kept", json!({"region": piloto, "hidden": true, "lineup": SECRET, "venue": SECRET})),
        event("later", json!({"region": piloto, "show_from": tomorrow, "lineup": SECRET})),
        event("in-kept-place", json!({"place": "kept", "venue": "Outra casa"})),
        {
            let dates = [tomorrow, tomorrow + Days::new(3)];
            let mut extra = event("extra", json!({"region": piloto, "repeat": {"dates": dates}}));
            extra.as_object_mut().expect("fields").remove("date");
            extra
        },
    ]
}

fn event(id: &str) -> Value {
    let body = json!({"action": "get_event", "id": id});
    GUIDE.service.good(&GUIDE.free, body)["event"].clone()
}

fn events(more: Value) -> Vec<String> {
    let mut body = json!({"action": "search_events", "limit": 50, "strict": true});
    for (field, value) in more.as_object().expect("fields") {
        body[field] = value.clone();
    }
    ids(&GUIDE.service.good(&GUIDE.pro, body))
}

fn tool(name: &str, arguments: Value) -> Answer {
    let params = json!({"name": name, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let headers = [("content-type", "application/json"), ("x-api-key", GUIDE.pro.as_str())];
    exchange(GUIDE.service.listen, &request("POST", "/mcp", &headers, body.as_bytes()))
}

fn page(path: &str) -> Answer {
    let headers = [("accept", "text/html")];
    exchange(GUIDE.service.listen, &request("GET", path, &headers, b""))
}

fn json_ld(path: &str) -> Value {
    let html = page(path).text();
    let (_, rest) = html.split_once("<script type=\"application/ld+json\">").expect("a block");
    serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON")
}

#[test]
fn every_plan_sees_the_fields_of_an_event() {
    let at_place = event("at-place");
    for (field, value) in [
        ("start_time", json!("22:00")),
        ("end_time", json!("02:00")),
        ("place", json!("clube")),
        ("venue", json!("Casa clube")),
        ("region", json!("Plano Piloto")),
        ("neighbourhood", json!("Asa Norte")),
        ("free", json!(true)),
    ] {
        assert_eq!(at_place[field], value, "{field}: {at_place}");
    }
    assert!(at_place.get("status").is_none() && at_place.get("sessions").is_none(), "{at_place}");
    let sessions = event("sessions");
    let both = json!([{"start_time": "10:00", "end_time": "11:00"}, {"start_time": "18:30"}]);
    assert_eq!((&sessions["start_time"], &sessions["end_time"]), (&json!("10:00"), &json!("11:00")));
    assert_eq!(sessions["sessions"], both);
    for (id, status) in [("cancelled", "cancelled"), ("postponed", "postponed"), ("sold-out", "sold_out")] {
        assert_eq!(event(id)["status"], status);
        let answer = tool("get_place", json!({"id": id})).json();
        assert_eq!(answer["result"]["structuredContent"]["event"]["status"], status, "{answer}");
    }
    let tomorrow = GUIDE.today + Days::new(1);
    assert_eq!(event(&format!("extra-{tomorrow}"))["series"], "extra");
}

#[test]
fn the_address_of_the_place_is_for_paid_plans() {
    assert!(event("at-place").get("address").is_none());
    let full = GUIDE.service.good(&GUIDE.pro, json!({"action": "get_event", "id": "at-place"}));
    assert_eq!(full["event"]["address"], "CLN 408");
}

#[test]
fn an_event_is_found_by_any_of_its_sessions() {
    for (from, to, is_found) in [
        ("09:30", "10:30", true),
        ("18:00", "19:00", true),
        ("18:31", "19:00", false),
        ("12:00", "18:00", false),
        ("18:15", "18:45", true),
    ] {
        let found = events(json!({"time_from": from, "time_to": to})).contains(&"sessions".to_owned());
        assert_eq!(found, is_found, "{from} {to}");
    }
}

#[test]
fn what_is_free_is_found_as_free() {
    assert_eq!(events(json!({"q": "jazz grátis amanhã"})), ["at-place"]);
    let places = json!({"action": "search_places", "q": "boteco grátis", "strict": true});
    assert_eq!(ids(&GUIDE.service.good(&GUIDE.pro, places)), ["clube"]);
}

#[test]
fn a_place_lists_the_events_that_name_it_by_its_id() {
    let answer = GUIDE.service.good(&GUIDE.pro, json!({"action": "get_place", "id": "clube"}));
    let upcoming: Vec<&str> =
        answer["upcoming"].as_array().expect("events").iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(upcoming, ["at-place"], "{answer}");
}

#[test]
fn pages_tell_what_became_of_an_event() {
    for (path, texts) in [
        ("/event/cancelled", &["Este evento foi cancelado."][..]),
        ("/en/event/cancelled", &["This event was cancelled."]),
        ("/event/postponed", &["Este evento foi adiado."]),
        ("/event/sold-out", &["Os ingressos estão esgotados.", "R$ 20"]),
        ("/event/at-place", &["22h–2h", "Grátis", "<a href=\"/place/clube\">Casa clube</a>"]),
        ("/en/event/at-place", &["Free", "<a href=\"/en/place/clube\" lang="]),
        ("/?kind=events&q=noite+cancelled", &["Cancelado"]),
        ("/?kind=events&q=noite+postponed", &["Adiado"]),
        ("/?kind=events&q=noite+sold+out", &["Esgotado"]),
        ("/?kind=events&q=noite+sessions", &["10h–11h, 18h30"]),
        ("/?kind=events&q=noite+at+place", &["22h–2h", "Grátis", "<a href=\"/place/clube\">Casa clube</a>"]),
        ("/en?kind=events&q=noite+cancelled", &["Cancelled"]),
        ("/en?kind=events&q=noite+postponed", &["Postponed"]),
        ("/en?kind=events&q=noite+sold+out", &["Sold out"]),
        ("/place/clube", &["couvert"]),
        ("/event/sessions", &["10h–11h, 18h30 · "]),
        ("/event/called-off", &["Este evento foi cancelado.", "Noite called-off. Cancelado, "]),
        ("/en/event/called-off", &["This event was cancelled.", "Noite called-off. Cancelled, "]),
        ("/embed/categoria/jazz", &["<small>Cancelado · ", "<small>Adiado · ", "<small>Esgotado · "]),
    ] {
        let answer = page(path);
        assert_eq!(answer.status, 200, "{path}");
        for text in texts {
            assert!(answer.text().contains(text), "{path} lacks {text}: {}", answer.text());
        }
    }
    for (path, texts) in [
        ("/event/postponed.ics", &["STATUS:TENTATIVE", "DESCRIPTION:Este evento foi adiado."][..]),
        ("/event/sold-out.ics", &["DESCRIPTION:Os ingressos estão esgotados."]),
        ("/en/event/sessions.ics", &["DESCRIPTION:10:00–11:00\\, 18:30\\n"]),
    ] {
        // unfolded
        let text = page(path).text().replace("\r\n ", "");
        assert!(texts.iter().all(|part| text.contains(part)), "{path}: {text}");
    }
}

#[test]
fn what_the_guide_does_not_know_is_said_to_be_so() {
    let fact = |path: &str, term: &str| {
        let text = page(path).text();
        let (_, rest) = text.split_once(&format!("<dt>{term}</dt><dd>"))?;
        rest.split("</dd>").next().map(str::to_owned)
    };
    let extra = format!("/event/extra-{}", GUIDE.today + Days::new(1));
    for path in ["/event/sold-out", "/event/long", &extra, "/event/extra"] {
        let time = fact(path, "Horário");
        assert_eq!(time.as_deref(), Some("sem horário no guia, confirme antes de ir"), "{path}");
    }
    assert_eq!(fact("/event/at-place", "Horário"), None, "its lead says it");
    assert!(page("/event/at-place").text().contains(", 22h–2h · <a href=\"/place/clube\">"));
    let english = fact("/en/event/sold-out", "Time");
    assert_eq!(english.as_deref(), Some("not listed, check before you go"));
    // unfolded
    let calendar = |path: &str| page(path).text().replace("\r\n ", "");
    let note = "DESCRIPTION:Os ingressos estão esgotados.\\nSem horário no guia: confirme antes de ir.\\n";
    assert!(calendar("/event/sold-out.ics").contains(note), "{}", calendar("/event/sold-out.ics"));
    assert!(!calendar("/event/at-place.ics").contains("Sem horário"));
    // of an address, that the paid plans have it
    assert!(page("/place/clube").text().contains("Endereço: nos <a href=\"/plans\">"));
    assert!(!page("/place/paid").text().contains("Endereço"));
}

#[test]
fn an_event_is_the_same_in_calendars_of_the_site_and_of_the_api() {
    let key = ("x-api-key", GUIDE.free.as_str());
    let path = "/v1/events.ics?group=series&limit=50";
    let of_api = exchange(GUIDE.service.listen, &request("GET", path, &[key], b"")).text();
    let of_api: Calendar = of_api.parse().expect("a calendar");
    for id in ["at-place", "cancelled", "postponed", "sold-out", "sessions", "long", "called-off", "extra"] {
        let of_site: Calendar = page(&format!("/event/{id}.ics")).text().parse().expect("a calendar");
        let own = of_site.events().next().expect(id);
        let same = of_api.events().find(|event| event.get_uid() == own.get_uid()).expect(id);
        for name in ["SUMMARY", "DTSTART", "DTEND", "RRULE", "LOCATION", "URL", "STATUS"] {
            assert_eq!(same.property_value(name), own.property_value(name), "{name} of {id}");
        }
        let lines = |event: &icalendar::Event| event.get_description().map_or(0, |text| text.lines().count());
        assert_eq!(lines(same), lines(own), "what {id} is described by");
    }
    let at_place = of_api.events().find(|event| event.get_summary() == Some("Noite at-place"));
    let description = at_place.and_then(|event| event.get_description()).expect("a description");
    assert!(description.starts_with("Grátis / Free\n"), "{description}");
}

#[test]
fn a_run_of_days_is_told_with_its_last_day_wherever_it_is_listed() {
    let (today, tomorrow) = (GUIDE.today, GUIDE.today + Days::new(1));
    let last = today + Days::new(23);
    let until = format!("until {}", last.format("%-d %b"));
    let text = |path: &str| page(path).text();
    let item = |path: &str| {
        let text = text(path);
        let (before, after) = text.split_once("/event/long\"").unwrap_or_else(|| panic!("{path}: {text}"));
        let start = before.rfind("<li>").expect("an item");
        format!("{}{}", &before[start..], after.split("</li>").next().unwrap_or_default())
    };
    for (path, shown) in [
        ("/en/category/jazz", today),
        ("/en?kind=events&q=noite+long", today),
        ("/en?kind=events&q=noite+long&when=tomorrow", tomorrow),
        ("/en?kind=events&q=noite+long&when=today", today),
    ] {
        let item = item(path);
        assert!(item.contains(&until), "{path}: {item}");
        let badge = format!("<time datetime=\"{shown}\"><b>{}</b>", shown.format("%-d"));
        assert!(item.contains(&badge), "{path}: {item}");
    }
    let title = text("/en/event/long");
    let title =
        title.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).expect("a title");
    let days = [today - Days::new(17), last].map(|day| day.format("%-d %B").to_string());
    assert!(title.starts_with(&format!("Noite long, {}", days[0])), "{title}");
    assert!(title.contains(&format!(" to {}", days[1])), "{title}");
}

#[test]
fn search_engines_learn_what_became_of_an_event() {
    let tomorrow = GUIDE.today + Days::new(1);
    assert_eq!(json_ld("/event/cancelled")["eventStatus"], "https://schema.org/EventCancelled");
    assert_eq!(json_ld("/event/postponed")["eventStatus"], "https://schema.org/EventPostponed");
    let sold_out = json_ld("/event/sold-out");
    assert_eq!(sold_out["offers"]["availability"], "https://schema.org/SoldOut");
    assert_eq!(sold_out["offers"]["price"], "20.00");
    let at_place = json_ld("/event/at-place");
    assert_eq!(at_place["isAccessibleForFree"], true);
    assert_eq!(at_place["endDate"], format!("{}T02:00:00-03:00", tomorrow + Days::new(1)));
    let url = at_place["location"]["url"].as_str().expect("the page of the place");
    assert!(url.ends_with("/place/clube"), "{url}");
    let sessions = json_ld("/event/sessions");
    assert_eq!(sessions["startDate"], format!("{tomorrow}T10:00:00-03:00"));
    assert_eq!(sessions["subEvent"][0]["endDate"], format!("{tomorrow}T11:00:00-03:00"));
    assert_eq!(sessions["subEvent"][1]["startDate"], format!("{tomorrow}T18:30:00-03:00"));
    assert_eq!(json_ld("/place/clube")["isAccessibleForFree"], true);
}

#[test]
fn hidden_records_and_notes_reach_nobody() {
    let Guide { service, pro, today, .. } = &*GUIDE;
    assert!(events(json!({"from": today, "to": *today + Days::new(9)})).len() >= 7);
    let mut answers = Vec::new();
    for action in ["search_events", "search_places"] {
        for q in ["", SECRET, "nota", "casa", "noite"] {
            answers.push(service.ask(pro, json!({"action": action, "q": q, "limit": 50})));
            answers.push(tool(action, json!({"q": q})));
        }
    }
    for id in ["clube", "in-time", "kept", "later", "gone", "Casa kept", &format!("{SECRET} casa")] {
        answers.push(service.ask(pro, json!({"action": "get_place", "id": id})));
        answers.push(service.ask(pro, json!({"action": "get_event", "id": id})));
        answers.push(tool("get_place", json!({"id": id})));
    }
    answers.extend(["/sitemap.xml", "/positions.json"].map(|path| get(service.listen, path)));
    answers.extend(
        ["/", "/en", "/?q=noite", "/?q=casa", "/event/at-place", "/event/in-kept-place", "/place/clube"]
            .map(page),
    );
    for answer in &answers {
        // a text that was sent is told back as a word that is not known
        let text = answer.text().replace(&format!("text:{SECRET}"), "");
        for word in [
            "/event/kept",
            "/place/kept",
            "\"kept\"",
            "Noite kept",
            "Casa later",
            "Casa gone",
            "hidden",
            "show_from",
            "show_until",
            "\"note\"",
            "segredo nota",
        ] {
            // words of pages themselves
            let is_ours = !["hidden", "\"note\""].contains(&word) || !text.contains("<html");
            assert!(!is_ours || !text.contains(word), "{word}: {text}");
        }
    }
    for path in ["/event/kept", "/event/later", "/place/kept", "/place/later", "/place/gone"] {
        assert_eq!(page(path).status, 404, "{path}");
    }
    assert_eq!(page("/place/in-time").status, 200);
    let in_hidden = event("in-kept-place");
    assert_eq!((&in_hidden["venue"], in_hidden.get("place")), (&json!("Outra casa"), None));
}

#[test]
fn check_tells_errors_from_warnings() {
    let data = tempfile::tempdir().expect("a folder");
    let folder = data.path().join("guide");
    demo_copy(&folder);
    edit(&folder, "events.json", |events| {
        events.push(
            json!({"id": "old", "name": "Baile  antigo", "date": "2020-01-01", "region": "Plano Piloto",
            "category": "jazz"}),
        );
    });
    let path = folder.display().to_string();
    let lax = printed_json(&run(data.path(), &["--json", "snapshot", "check", &path]), 0);
    assert_eq!(lax["ok"], true);
    let warnings = lax["warnings"].as_array().expect("warnings");
    let of = |cause: &str| warnings.iter().find(|one| one["cause"] == cause && one["id"] == "old");
    assert_eq!(of("over").expect("over")["file"], "events.json");
    assert_eq!(of("double_space").expect("spaces")["field"], "name");
    let strict = printed_json(&run(data.path(), &["--json", "snapshot", "check", &path, "--strict"]), 1);
    assert_eq!(strict["ok"], false);
    let output = run(data.path(), &["snapshot", "check", &path]);
    assert_eq!(output.status.code(), Some(0));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("warning: events.json: old: date: was over on 2020-01-01"), "{errors}");

    edit(&folder, "events.json", |events| {
        events.push(json!({"id": "wrong", "name": "Sem região", "date": "2020-01-01", "category": "jazz"}));
    });
    let both = printed_json(&run(data.path(), &["--json", "snapshot", "check", &path]), 1);
    assert_eq!(both["defects"][0]["id"], "wrong");
    assert!(
        both["warnings"].as_array().is_some_and(|list| list.iter().any(|one| one["id"] == "old")),
        "{both}"
    );
}

#[test]
fn the_free_area_is_the_operators() {
    let area = "plans.free.area=taguatinga";
    let service = Service::start_with(&[area]);
    let free = service.key("free");
    let found = service.good(&free, json!({"action": "search_places", "limit": 5}));
    for place in found["places"].as_array().expect("places") {
        assert_eq!(place["region"], "Taguatinga", "{place}");
    }
    assert!(found["total"].as_u64() > Some(0), "{found}");
    let folder = service.data.with_file_name("guide");
    demo_copy(&folder);
    let path = folder.display().to_string();
    for (area, code) in [(area, 0), ("plans.free.area=atlantida", 1)] {
        let output = run(&service.data, &["--set", area, "snapshot", "check", &path]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert_eq!(errors.contains("no area with the slug \"atlantida\""), code == 1, "{errors}");
    }
}
