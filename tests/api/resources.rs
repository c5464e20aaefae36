//! The actions as addresses: one body with `POST /v1`, answers that are kept and revalidated, and other forms.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use chrono::{Days, NaiveDate};
use icalendar::{Calendar, Component};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use crate::service::{Answer, Service, Shared, demo_copy, edit, exchange, printed, request, run, shared};

/// Asks an address with a key.
fn get(address: SocketAddr, key: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let headers: Vec<_> = [("x-api-key", key)].into_iter().chain(headers.iter().copied()).collect();
    exchange(address, &request("GET", path, &headers, b""))
}

/// The address of a search: lists are separated by commas.
fn address(path: &str, params: &Map<String, Value>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in params {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Array(list) => {
                list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        };
        query.append_pair(name, &text);
    }
    format!("{path}?{}", query.finish())
}

fn used(service: &Service, key: &str) -> u64 {
    service.good(key, json!({"action": "usage"}))["calls_this_month"].as_u64().expect("a number")
}

/// Texts to search for, of which some find nothing.
const QUESTIONS: &[&str] = &[
    "",
    "jazz",
    "sushi asa norte",
    "samba, choro & mais",
    "feira no domingo",
    "what is on tonight near 408 norte",
    "café com wifi",
    "museu gratis sabado 50%",
    "qqqxxzz",
    "perto da 408 norte",
];

#[test]
fn an_address_answers_as_the_action_does() {
    let Shared { service, pro, free } = shared();
    let maybe = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        prop::option::of(prop::sample::select(words))
    };
    let question = (
        prop::sample::select(vec!["events", "places"]),
        prop::sample::select(QUESTIONS),
        prop::option::of(prop::sample::subsequence(vec!["jazz", "bar", "museu", "feira", "nada"], 1..3)),
        maybe(&["Asa Norte", "taguatinga", "QI 11", "nowhere"]),
        prop::option::of(0i64..60),
        (maybe(&["today", "2026-12-01", "soon"]), maybe(&["true", "false"]), any::<bool>()),
    );
    let mut runner = TestRunner::new(Config { cases: 150, failure_persistence: None, ..Config::default() });
    let tested = runner.run(&question, |(kind, q, categories, region, limit, (from, strict, paid))| {
        let key = if paid { pro } else { free };
        let mut params = Map::new();
        params.insert("q".to_owned(), json!(q));
        categories.map(|categories| params.insert("category".to_owned(), json!(categories)));
        region.map(|region| params.insert("region".to_owned(), json!(region)));
        limit.map(|limit| params.insert("limit".to_owned(), json!(limit)));
        from.filter(|_| kind == "events").map(|from| params.insert("from".to_owned(), json!(from)));
        strict.map(|strict| params.insert("strict".to_owned(), json!(strict == "true")));
        let by_get = get(service.listen, key, &address(&format!("/v1/{kind}"), &params), &[]);
        params.insert("action".to_owned(), json!(format!("search_{kind}")));
        let by_post = service.ask(key, Value::Object(params));
        prop_assert_eq!(by_get.status, by_post.status, "{}", by_get.text());
        let (mut one, mut other) = (by_get.json(), by_post.json());
        if by_get.status != 200 {
            // every request has its own
            one["request_id"] = Value::Null;
            other["request_id"] = Value::Null;
        }
        prop_assert_eq!(one, other);
        Ok(())
    });
    tested.expect("one body");
}

#[test]
fn records_and_lists_have_addresses() {
    let Shared { service, pro, .. } = shared();
    let place = service.good(pro, json!({"action": "search_places", "limit": 1}))["places"][0].clone();
    let event = service.good(pro, json!({"action": "search_events", "limit": 1}))["events"][0].clone();
    let id = |record: &Value| record["id"].as_str().expect("an id").to_owned();
    for (path, body) in [
        (format!("/v1/places/{}", id(&place)), json!({"action": "get_place", "id": id(&place)})),
        (format!("/v1/events/{}", id(&event)), json!({"action": "get_event", "id": id(&event)})),
        ("/v1/categories?kind=places".to_owned(), json!({"action": "list_categories", "kind": "places"})),
        ("/v1/regions".to_owned(), json!({"action": "list_regions"})),
        ("/v1/summary".to_owned(), json!({"action": "summary"})),
    ] {
        let answer = get(service.listen, pro, &path, &[]);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert_eq!(answer.json(), service.good(pro, body), "{path}");
    }
    let unknown = get(service.listen, pro, "/v1/places/no-such-place-here", &[]);
    assert_eq!((unknown.status, &unknown.json()["code"]), (404, &json!("unknown_record")));
}

/// What the answer at an address depends on.
const VARY: &str = "accept, authorization, x-api-key, x-browser-token, origin";

#[test]
fn one_line_names_all_headers_that_an_answer_depends_on() {
    let service = Service::start_with(&["allowed_origins=https://app.example"]);
    let key = service.key("pro");
    let table = ("accept", "text/csv");
    for headers in [
        &[][..],
        &[table],
        &[("origin", "https://app.example")],
        &[table, ("origin", "https://evil.example")],
    ] {
        for path in ["/v1/events?q=samba", "/v1/places?region=Asa+Norte"] {
            let answer = get(service.listen, &key, path, headers);
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            let lines: Vec<&str> = answer.head.lines().filter(|line| line.starts_with("vary:")).collect();
            assert_eq!(lines, [format!("vary: {VARY}")], "{path} {headers:?}");
        }
    }
    // an error is not kept, and depends on the same
    let wrong = get(service.listen, &key, "/v1/places?region=nowhere", &[]);
    assert_eq!(wrong.header("vary"), VARY.strip_suffix(", origin"));
}

#[test]
fn a_kept_answer_is_revalidated_without_a_call_of_the_month() {
    let service = Service::start();
    let (key, other) = (service.key("pro"), service.key("free"));
    let path = "/v1/places?q=bar&limit=3";
    let first = get(service.listen, &key, path, &[]);
    let tag = first.header("etag").expect("a tag").to_owned();
    assert_eq!(first.header("cache-control"), Some("private, max-age=60"));
    assert_eq!(first.header("vary"), Some(VARY));
    assert_eq!(used(&service, &key), 1);

    let again = get(service.listen, &key, path, &[("if-none-match", &tag)]);
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(again.header("etag"), Some(tag.as_str()));
    assert!(again.header("x-ratelimit-remaining").is_some(), "it is a call of the minute: {}", again.head);
    assert_eq!((again.header("vary"), again.head.matches("vary:").count()), (Some(VARY), 1));
    assert_eq!(used(&service, &key), 1, "it is no call of the month");

    // another question, form or plan is another answer
    for (key, path) in [
        (&key, "/v1/places?q=bar&limit=4"),
        (&key, "/v1/places.csv?q=bar&limit=3"),
        (&other, "/v1/places?q=bar&limit=3"),
    ] {
        let answer = get(service.listen, key, path, &[("if-none-match", &tag)]);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert_ne!(answer.header("etag"), Some(tag.as_str()), "{path}");
    }
    // an error is never kept
    let wrong = get(service.listen, &key, "/v1/places?region=nowhere", &[]);
    assert_eq!((wrong.status, wrong.header("etag")), (400, None));
    assert_eq!(wrong.header("cache-control"), Some("no-store"));
    // nor are the calls of the month, which change with every call
    let usage = get(service.listen, &key, "/v1/usage", &[]);
    assert_eq!((usage.header("etag"), usage.header("cache-control")), (None, Some("no-store")));

    let head = exchange(service.listen, &request("HEAD", path, &[("x-api-key", &key)], b""));
    assert_eq!((head.status, head.body.len(), head.header("etag")), (200, 0, Some(tag.as_str())));
}

#[test]
fn a_new_edition_changes_every_tag() {
    let service = Service::start();
    let key = service.key("pro");
    let paths = ["/v1/places?q=bar", "/v1/events", "/v1/regions", "/v1/summary"];
    let tags = || paths.map(|path| get(service.listen, &key, path, &[]).header("etag").map(str::to_owned));
    let before = tags();
    let folder = service.data.with_file_name("guide");
    demo_copy(&folder);
    edit(&folder, "places.json", |places| {
        places[0]["name"] = json!("Renamed");
    });
    printed(&run(&service.data, &["snapshot", "publish", &folder.display().to_string()]), 0);
    service.serves(1);
    for (before, after) in before.iter().zip(tags()) {
        assert!(before.is_some() && after.is_some());
        assert_ne!(*before, after);
    }
}

#[test]
fn a_key_in_an_address_is_refused() {
    let Shared { service, pro, .. } = shared();
    for path in
        [format!("/v1/events?api_key={pro}"), format!("/v1/places?q={pro}"), "/v1/usage?key=x".to_owned()]
    {
        let answer = get(service.listen, pro, &path, &[]);
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("key_in_url")), "{path}");
        assert!(!answer.text().contains(pro.as_str()));
    }
    // with a key in a header beside it, and without
    for headers in [
        &[("content-type", "application/json"), ("x-api-key", pro)][..],
        &[("content-type", "application/json")],
    ] {
        for query in [format!("api_key={pro}"), "key=x".to_owned(), format!("q={pro}")] {
            let ask = |path: &str, body: &[u8]| {
                exchange(service.listen, &request("POST", &format!("{path}?{query}"), headers, body))
            };
            let answer = ask("/v1", br#"{"action":"summary"}"#);
            assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("key_in_url")), "{query}");
            let answer = ask("/mcp", br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
            assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(-32600)), "{query}");
            assert!(answer.text().contains("Send the key in a header"), "{}", answer.text());
            assert!(!answer.text().contains(pro.as_str()));
        }
    }
    let other = exchange(
        service.listen,
        &request(
            "POST",
            "/v1?lang=pt",
            &[("content-type", "application/json"), ("x-api-key", pro)],
            br#"{"action":"summary"}"#,
        ),
    );
    assert_eq!(other.status, 200, "another query changes nothing");
    let without = crate::service::get(service.listen, "/v1/events");
    assert_eq!((without.status, &without.json()["code"]), (401, &json!("missing_key")));
}

/// 200 questions: each area and each category, in the next 7 days and in all days of the guide.
fn questions(service: &Service, key: &str) -> Vec<String> {
    let named = |path: &str, field: &str, name: &str| {
        let listed = get(service.listen, key, path, &[]).json();
        let names = listed[field].as_array().expect("a list").clone();
        names.into_iter().map(|one| one[name].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let regions = named("/v1/regions", "regions", "name");
    let categories = named("/v1/categories?kind=events", "categories", "slug");
    let topics = regions
        .iter()
        .map(|name| format!("region={}", encoded(name)))
        .chain(categories.iter().map(|name| format!("category={}", encoded(name))));
    let days =
        ["from=2026-01-01&to=2027-12-31&limit=50", "", "from=friday&to=sunday", "group=none", "q=samba"];
    let mut questions: Vec<String> = vec![String::new(), "q=feira+no+domingo".to_owned()];
    let topics: Vec<String> = topics.collect();
    for days in days {
        questions.extend(topics.iter().map(|topic| format!("{topic}&{days}")));
    }
    assert!(questions.len() >= 200, "{}", questions.len());
    questions.truncate(200);
    questions
}

/// The days of each entry of a calendar, as a library expands them; one for each day of an entry.
fn expanded(text: &str) -> BTreeSet<(String, NaiveDate)> {
    let calcard::Entry::ICalendar(calendar) = calcard::Parser::new(text).entry() else {
        panic!("no calendar: {text}")
    };
    let expanded = calendar.expand_dates(calcard::common::timezone::Tz::Floating, 5_000);
    assert!(expanded.errors.is_empty(), "{:?}", expanded.errors);
    let mut days = BTreeSet::new();
    for event in expanded.events {
        let component = &calendar.components[event.comp_id as usize];
        days.insert((component.uid().expect("a uid").to_owned(), event.start.date_naive()));
    }
    days
}

#[test]
fn the_calendars_of_200_questions_are_read_by_two_libraries_with_every_day_of_every_series() {
    let Shared { service, pro, .. } = shared();
    let (mut entries, mut rules) = (0, 0);
    for question in questions(service, pro) {
        let group = if question.contains("group=") { "" } else { "&group=series" };
        let limit = if question.contains("limit=") { "" } else { "&limit=50" };
        let same = format!("/v1/events?{question}{group}{limit}&strict=true");
        let listed = get(service.listen, pro, &same, &[]).json();
        let answer = get(service.listen, pro, &format!("/v1/events.ics?{question}"), &[]);
        assert_eq!(answer.header("content-type"), Some("text/calendar; charset=utf-8"), "{question}");
        let text = answer.text();
        let calendar: Calendar = text.parse().expect("a calendar");
        let events: Vec<_> = calendar.events().collect();
        let listed = listed["events"].as_array().expect("events");
        assert_eq!(events.len(), listed.len(), "{question}");
        let (mut days, mut last) = (BTreeSet::new(), BTreeMap::new());
        for (event, record) in events.iter().zip(listed) {
            assert_eq!(event.get_summary(), record["name"].as_str(), "{question}");
            rules += usize::from(event.property_value("RRULE").is_some());
            let uid = event.get_uid().expect("a uid");
            // the page of a series is that of all its dates
            let (id, own) = (record["id"].as_str().expect("an id"), uid.split('@').next().expect("an id"));
            let page = record["url"].as_str().map(|url| url.replace(id, own));
            assert_eq!(event.get_url(), page.as_deref(), "{question}");
            let dates = record["dates"].as_array().cloned().unwrap_or_else(|| vec![record["date"].clone()]);
            let day = |date: &Value| date.as_str().and_then(|date| date.parse().ok()).expect("a day");
            days.extend(dates.iter().map(|date| (uid.to_owned(), day(date))));
            // an answer names no more dates of one series, and its rule goes on
            if dates.len() >= index::MAX_DATES {
                last.insert(uid.to_owned(), dates.last().map(day));
            }
        }
        let mut found = expanded(&text);
        found.retain(|(uid, date)| last.get(uid).is_none_or(|last| Some(*date) <= *last));
        assert_eq!(found, days, "{question}");
        entries += events.len();
    }
    assert!(entries > 200 && rules > 20, "{entries} {rules}");
    let by_accept = get(service.listen, pro, "/v1/events", &[("accept", "text/calendar")]);
    assert!(by_accept.text().starts_with("BEGIN:VCALENDAR\r\n"));
}

#[test]
fn a_file_lists_what_meets_the_whole_question_and_links_to_its_next_page() {
    let Shared { service, pro, .. } = shared();
    let json = get(service.listen, pro, "/v1/places?limit=50", &[]).json();
    let total = json["total"].as_u64().expect("a total");
    let (mut path, mut ids) = ("/v1/places.csv?fields=id,name".to_owned(), BTreeSet::new());
    loop {
        let page = get(service.listen, pro, &path, &[]);
        let mut reader = csv::Reader::from_reader(page.body.as_slice());
        ids.extend(reader.records().map(|row| row.expect("a row")[0].to_owned()));
        let Some(link) = page.header("link") else { break };
        let next = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        path = next.expect("a link to the next page").to_owned();
    }
    assert_eq!(ids.len() as u64, total, "each record once");
    // in JSON the same question gets the closest records, and says so
    let question = "q=churrascaria+com+foguetes+na+lua";
    let closest = get(service.listen, pro, &format!("/v1/places?{question}"), &[]).json();
    assert_eq!(closest["match"], "closest", "{closest}");
    let rows = |path: String| get(service.listen, pro, &path, &[]).text().lines().count();
    assert_eq!(rows(format!("/v1/places.csv?{question}")), 1, "the line of names");
    assert!(rows(format!("/v1/places.csv?{question}&strict=false")) > 1);
    for bad in ["/v1/places?q=caf%E9", "/v1/places.csv?q=%ff"] {
        let answer = get(service.listen, pro, bad, &[]);
        assert_eq!((answer.status, answer.json()["param"].as_str()), (400, Some("q")), "{bad}");
    }
}

#[test]
fn a_series_of_many_dates_goes_on_by_its_rule_in_a_calendar() {
    let Shared { service, pro, .. } = shared();
    let today = service.good(pro, json!({"action": "summary"}))["today"].clone();
    let today: NaiveDate = today.as_str().and_then(|day| day.parse().ok()).expect("a day");
    let to = today + Days::new(300);
    let question = format!("from={today}&to={to}&category=feira");
    let listed = get(service.listen, pro, &format!("/v1/events?{question}&group=none&limit=1"), &[]).json();
    let all = listed["total"].as_u64().expect("a total");
    let calendar = get(service.listen, pro, &format!("/v1/events.ics?{question}"), &[]).text();
    assert_eq!(expanded(&calendar).len() as u64, all, "every date of every fair");
}

#[test]
fn the_entry_of_a_series_keeps_its_uid_on_every_day() {
    let Shared { service, pro, .. } = shared();
    let today = service.good(pro, json!({"action": "summary"}))["today"].clone();
    let today: NaiveDate = today.as_str().and_then(|day| day.parse().ok()).expect("a day");
    // a weekly event has one date in a week, two in two weeks
    let uids = |days: u64| {
        let to = today + Days::new(days);
        let path = format!("/v1/events.ics?q=choro+no+eixo&from={today}&to={to}");
        let calendar: Calendar = get(service.listen, pro, &path, &[]).text().parse().expect("a calendar");
        let named = calendar.events().filter(|event| event.get_summary() == Some("Choro no Eixo"));
        named.map(|event| event.get_uid().expect("a uid").to_owned()).collect::<Vec<_>>()
    };
    let expected = format!("choro-no-eixo@{}", service.listen.ip());
    for days in [6, 7, 8, 13, 27] {
        assert_eq!(uids(days), [expected.as_str()], "{days}");
    }
}

#[test]
fn a_table_begins_with_a_mark_when_it_is_asked_for() {
    let Shared { service, free, .. } = shared();
    let table = |query: &str| get(service.listen, free, &format!("/v1/places.csv?q=bar&{query}"), &[]);
    let (plain, marked) = (table("limit=3"), table("limit=3&bom=true"));
    assert_eq!(marked.body.strip_prefix("\u{feff}".as_bytes()), Some(plain.body.as_slice()));
    assert_ne!(plain.header("etag"), marked.header("etag"));
    assert_eq!(table("limit=3&bom=false").body, plain.body);
    assert_eq!(table("bom=yes").json()["param"], "bom");
}

#[test]
fn a_file_refuses_a_name_that_is_none_where_json_has_a_warning() {
    let Shared { service, free, .. } = shared();
    let ask = |path: &str| get(service.listen, free, path, &[]);
    let warned = ask("/v1/events?categoria=jazz").json();
    assert!(warned["warnings"][0].as_str().expect("a warning").contains("category"), "{warned}");
    for path in ["/v1/events.ics?categoria=jazz", "/v1/places.csv?cateogry=x", "/v1/places.geojson?query=x"] {
        let answer = ask(path);
        assert_eq!((answer.status, answer.json()["code"].as_str()), (400, Some("unknown_param")), "{path}");
        let name = path.split(['?', '=']).nth(1).expect("a name");
        assert!(answer.text().contains(&format!("Not known: {name}.")), "{path}: {}", answer.text());
    }
    // so is what means nothing here: somebody may have meant days by it
    for name in ["date", "day", "start", "end", "page", "offset", "sort", "price"] {
        for path in ["/v1/events.csv", "/v1/events.ics", "/v1/places.csv"] {
            let answer = ask(&format!("{path}?q=bar&{name}=2026-12-24"));
            assert_eq!(
                (answer.status, &answer.json()["code"]),
                (400, &json!("unknown_param")),
                "{path} {name}"
            );
            assert!(answer.text().contains(&format!("Not known: {name}.")), "{path}: {}", answer.text());
            let hint =
                answer.json()["hint"].as_str().is_some_and(|hint| hint.contains("Days go in from and to"));
            assert_eq!(hint, path.contains("events"), "{path}: {}", answer.text());
        }
    }
    // all are told at once, and a key in the address before them
    let both = ask("/v1/events.csv?date=x&page=2&bom=true").text();
    assert!(both.contains("Not known: date, page."), "{both}");
    assert_eq!(ask("/v1/events.csv?date=x&key=x").json()["code"], "key_in_url");
    // what links and programs add to any address is no mistake
    for known in [
        "/v1/events.csv?bom=true&neighbourhood=asa+sul",
        "/v1/events.ics?fields=name&facets=day",
        "/v1/places.csv?utm_source=x&_=1",
    ] {
        assert_eq!(ask(known).status, 200, "{known}");
    }
}

#[test]
fn tables_hold_the_listed_records_and_no_formulas() {
    let Shared { service, free, .. } = shared();
    let listed = get(service.listen, free, "/v1/places?q=bar&limit=50", &[]).json();
    let answer = get(service.listen, free, "/v1/places.csv?q=bar&limit=50", &[]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mut reader = csv::Reader::from_reader(answer.body.as_slice());
    let names = reader.headers().expect("names").clone();
    let at = |name: &str| names.iter().position(|column| column == name);
    assert!(at("credit").is_some(), "the free plan shows the credit: {names:?}");
    assert_eq!(at("address"), None, "the free plan sees no address");
    let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
    let listed = listed["places"].as_array().expect("places");
    assert_eq!(rows.len(), listed.len());
    for (row, record) in rows.iter().zip(listed) {
        assert_eq!(Some(&row[at("id").expect("ids")]), record["id"].as_str());
        assert_eq!(Some(&row[at("name").expect("names")]), record["name"].as_str());
        assert!(row.iter().all(|cell| !cell.starts_with(['=', '@'])), "{row:?}");
    }
}

#[test]
fn the_pages_of_a_table_have_the_same_columns() {
    let Shared { service, pro, free } = shared();
    let header = |key: &str, path: &str| {
        let answer = get(service.listen, key, path, &[]);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.text().lines().next().expect("names").to_owned()
    };
    for kind in ["places", "events"] {
        let paths = [
            "q=museu&limit=1",
            "q=qqqxxzz",
            "limit=50",
            "q=bar+perto+da+torre+de+tv",
            "near=Torre+de+TV&limit=3",
        ];
        for key in [pro, free] {
            let headers: BTreeSet<_> =
                paths.iter().map(|question| header(key, &format!("/v1/{kind}.csv?{question}"))).collect();
            assert_eq!(headers.len(), 1, "{headers:?}");
            // every field that an answer has, and no field that the plan does not see
            let names: BTreeSet<&str> = headers.iter().flat_map(|line| line.split(',')).collect();
            let fields =
                names.iter().map(|name| name.split('.').next().expect("a name")).collect::<BTreeSet<_>>();
            assert_eq!(fields.contains("address"), key == pro, "{fields:?}");
            for question in paths {
                let listed = get(service.listen, key, &format!("/v1/{kind}?{question}"), &[]).json();
                for record in listed[kind].as_array().expect("records") {
                    let missing: Vec<_> = record
                        .as_object()
                        .expect("a record")
                        .keys()
                        .filter(|field| !fields.contains(field.as_str()))
                        .collect();
                    assert!(missing.is_empty(), "{missing:?}");
                }
            }
        }
        let chosen = format!("/v1/{kind}.csv?fields=links,name&limit=1");
        assert_eq!(
            header(pro, &chosen),
            "name,links.google_maps,links.website,links.instagram,links.tickets"
        );
    }
    assert!(
        header(pro, "/v1/events.csv")
            .starts_with("id,name,date,end_date,start_time,end_time,sessions,status,venue,")
    );
    assert!(header(free, "/v1/places.csv").ends_with(",mentions,uau,url,distance_m,distance_is,credit"));
}

#[test]
fn the_form_is_the_one_that_the_client_likes_best() {
    let Shared { service, pro, free } = shared();
    let kind = |key: &str, accept: &str| {
        let answer = get(service.listen, key, "/v1/places?q=museu", &[("accept", accept)]);
        (
            answer.status,
            answer.header("content-type").unwrap_or_default().split(';').next().map(str::to_owned),
        )
    };
    let (json, csv) = (Some("application/json".to_owned()), Some("text/csv".to_owned()));
    for accept in ["application/json, text/csv;q=0.1", "text/csv;q=0", "text/csv;Q=0.0, */*;q=0.1"] {
        assert_eq!(kind(pro, accept), (200, json.clone()), "{accept}");
    }
    assert_eq!(kind(pro, "application/json;q=0.1, text/csv"), (200, csv));
    assert_eq!(
        kind(free, "application/json, application/geo+json;q=0.5"),
        (200, json),
        "no plan refuses JSON"
    );
}

#[test]
fn points_need_a_plan_that_sees_positions() {
    let Shared { service, pro, free } = shared();
    let refused = get(service.listen, free, "/v1/places.geojson?q=museu", &[]);
    assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("plan_positions")));
    let listed = get(service.listen, pro, "/v1/places?q=museu&limit=50", &[]).json();
    let answer = get(service.listen, pro, "/v1/places.geojson?q=museu&limit=50", &[]).json();
    let features = answer["features"].as_array().expect("features");
    let known: Vec<&Value> = listed["places"]
        .as_array()
        .expect("places")
        .iter()
        .filter(|place| place.get("location").is_some())
        .collect();
    assert!(!known.is_empty());
    assert_eq!(features.len(), known.len());
    for (feature, place) in features.iter().zip(known) {
        let at = &place["location"];
        assert_eq!(feature["geometry"], json!({"type": "Point", "coordinates": [at["lon"], at["lat"]]}));
        assert_eq!((&feature["id"], &feature["properties"]["name"]), (&place["id"], &place["name"]));
    }
    assert!(answer["attribution"]["positions"].is_string(), "the sources of positions are credited");
}
