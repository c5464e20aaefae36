//! Calendar addresses: what they show, what they may spend, where their tokens work, and how they end.

use candango::domain::token::{Token, TokenKind};
use icalendar::{Calendar, Component};
use serde_json::json;

use crate::mail::{SOON, awaited, within_a_minute};
use crate::redis::RedisServer;
use crate::service::{Answer, Service, Shared, exchange, get, printed, printed_json, request, run, shared};
use crate::v1::full_guide;

/// A calendar address that was made on the command line.
pub(crate) struct Issued {
    pub(crate) id: String,
    pub(crate) token: String,
    /// The address without the service.
    pub(crate) path: String,
}

/// Makes a calendar address for an account.
pub(crate) fn issue(service: &Service, email: &str) -> Issued {
    issue_with(service, email, &[])
}

fn issue_with(service: &Service, email: &str, flags: &[&str]) -> Issued {
    let words = ["token", "issue", "--email", email, "--calendar", "--json"];
    let made = printed_json(&run(&service.data, &[&words, flags].concat()), 0);
    let text = |name: &str| made[name].as_str().expect(name).to_owned();
    let address = text("address");
    let at = address.find("/v1/calendars/").expect("an address");
    assert_eq!((&made["kind"], made.get("origins")), (&json!("calendar"), None), "{made}");
    Issued { id: text("id"), token: text("token"), path: address[at..].to_owned() }
}

fn ask(service: &Service, path: &str, headers: &[(&str, &str)]) -> Answer {
    exchange(service.listen, &request("GET", path, headers, b""))
}

fn code(answer: &Answer) -> (u16, String) {
    (answer.status, answer.json()["code"].as_str().unwrap_or_default().to_owned())
}

fn unknown() -> (u16, String) {
    (404, "unknown_calendar".to_owned())
}

/// The names of the events of a calendar.
fn names(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let calendar: Calendar = answer.text().parse().expect("a calendar");
    calendar.events().map(|event| event.get_summary().expect("a name").to_owned()).collect()
}

fn used(service: &Service, key: &str) -> u64 {
    service.good(key, json!({"action": "usage"}))["calls_this_month"].as_u64().expect("a number")
}

#[test]
fn a_calendar_shows_what_the_plan_shows() {
    let service = full_guide();
    let (pro, free) = (service.key("pro"), service.key("free"));
    for (key, email) in [(&pro, "pro@b.c"), (&free, "free@b.c")] {
        let made = issue(&service, email);
        for question in
            ["", "?q=jazz", "?q=samba", "?region=Plano+Piloto&limit=1", "?group=series&fields=name"]
        {
            let calendar = ask(&service, &format!("{}{question}", made.path), &[]);
            // the search ends after a week where it is not told to
            let sent =
                if question.is_empty() { "?to=9999-12-31" } else { &format!("{question}&to=9999-12-31") };
            let with_key = ask(&service, &format!("/v1/events.ics{sent}"), &[("x-api-key", key)]);
            assert_eq!(calendar.text(), with_key.text(), "{question}");
            assert_eq!(calendar.header("content-type"), Some("text/calendar; charset=utf-8"));
        }
    }
    let whole = ask(&service, &issue(&service, "pro@b.c").path, &[]);
    assert_eq!(names(&whole), ["Noite inside", "Noite outside"]);
    assert!(whole.text().contains("Quartetuma") && !whole.text().contains("Dicas por"), "{}", whole.text());
    let path = issue(&service, "free@b.c").path;
    let basic = ask(&service, &path, &[]);
    assert_eq!(names(&basic), ["Noite inside"]);
    assert!(!basic.text().contains("Quartetuma") && basic.text().contains("Dicas por"), "{}", basic.text());
    let outside = ask(&service, &format!("{path}?region=Taguatinga"), &[]);
    assert_eq!(code(&outside), (403, "plan_region".to_owned()));
}

/// A line of a calendar, without its name.
fn line(text: &str, name: &str) -> Option<String> {
    let text = text.replace("\r\n ", "");
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned)
}

#[test]
fn a_calendar_holds_what_is_to_come_and_each_series_with_its_rule() {
    let service = &shared().service;
    let path = issue(service, "free@b.c").path;
    let whole = ask(service, &format!("{path}?limit=50"), &[]);
    let calendar: Calendar = whole.text().parse().expect("a calendar");
    let rules: Vec<&str> = calendar.events().filter_map(|event| event.property_value("RRULE")).collect();
    let agenda = names(&ask(service, "/agenda.ics", &[])).len();
    assert!(rules.len() > 10 && names(&whole).len() == agenda.min(50), "{agenda}: {rules:?}");
    assert!(rules.iter().all(|rule| !rule.contains("UNTIL")), "no rule of the demo ends: {rules:?}");
    // as the site's own file has it
    let of_site = ask(service, "/event/choro-no-eixo.ics", &[]).text();
    let own = ask(service, &format!("{path}?q=choro+no+eixo"), &[]).text();
    let rule = |text: &str| line(text, "RRULE:");
    assert_eq!(rule(&own), rule(&of_site), "{own}");
    assert!(rule(&own).is_some(), "{own}");
    // a last day that the address names is kept
    let key = ("x-api-key", shared().free.as_str());
    let today: chrono::NaiveDate = ask(service, "/v1/summary", &[key]).json()["today"]
        .as_str()
        .and_then(|day| day.parse().ok())
        .expect("a day");
    let to = today + chrono::Days::new(20);
    let cut = ask(service, &format!("{path}?q=choro+no+eixo&to={to}"), &[]).text();
    assert!(rule(&cut).is_some_and(|rule| rule.contains(";UNTIL=")), "{cut}");
}

#[test]
fn a_calendar_is_called_what_was_asked_for() {
    let Shared { service, free, .. } = shared();
    let path = issue(service, "free@b.c").path;
    for (question, name) in [
        ("", "Candango"),
        ("?limit=50", "Candango"),
        ("?q=samba&region=Asa+Norte&limit=50", "samba · Asa Norte"),
        ("?category=jazz,samba", "jazz\\, samba"),
        ("?q=samba%0d%0aBEGIN:VEVENT", "samba BEGIN:VEVENT"),
    ] {
        let own = ask(service, &format!("{path}{question}"), &[]);
        let of_api = ask(service, &format!("/v1/events.ics{question}"), &[("x-api-key", free)]);
        for answer in [own, of_api] {
            assert_eq!(answer.status, 200, "{question}");
            assert_eq!(line(&answer.text(), "X-WR-CALNAME:").as_deref(), Some(name), "{question}");
        }
    }
}

#[test]
fn every_entry_of_the_free_plan_carries_the_credit_and_its_link() {
    let Shared { service, free, .. } = shared();
    let key = ("x-api-key", free.as_str());
    let attribution = ask(service, "/v1/events", &[key]).json()["attribution"].clone();
    let credit = format!("Dicas por Candango {}", attribution["url"].as_str().expect("a link"));
    let path = issue(service, "free@b.c").path;
    for answer in [ask(service, &path, &[]), ask(service, "/v1/events.ics", &[key])] {
        let calendar: Calendar = answer.text().parse().expect("a calendar");
        assert!(calendar.events().count() > 0);
        for event in calendar.events() {
            let text = event.get_description().expect("a description");
            assert!(text.ends_with(&credit), "{text}");
        }
    }
    for address in ["/v1/events.csv", "/v1/places.csv?q=bar", "/v1/places.csv?fields=name"] {
        let table = ask(service, address, &[key]);
        let mut reader = csv::Reader::from_reader(table.body.as_slice());
        let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
        assert!(!rows.is_empty(), "{address}");
        assert!(rows.iter().all(|row| row.iter().next_back() == Some(&credit)), "{address}: {rows:?}");
    }
}

#[test]
fn a_calendar_is_revalidated_and_its_news_are_calls_of_the_month() {
    let service = Service::start();
    let key = service.key("pro");
    let path = format!("{}?q=feira&limit=5", issue(&service, "pro@b.c").path);
    let first = ask(&service, &path, &[]);
    assert!(!names(&first).is_empty());
    assert_eq!(first.header("cache-control"), Some("private, no-cache"), "it is asked for each time");
    assert_eq!((first.header("vary"), first.header("access-control-allow-origin")), (None, None));
    let limit = first.header("ratelimit").expect("a limit");
    assert!(
        limit.starts_with("\"minute\";r=") && !limit.contains("month"),
        "nothing of the account: {limit}"
    );
    assert_eq!(used(&service, &key), 1);
    let tag = first.header("etag").expect("a tag");
    let again = ask(&service, &path, &[("if-none-match", tag)]);
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag)));
    assert_eq!(used(&service, &key), 1, "it is no call of the month");
    let other = ask(&service, &path.replace("limit=5", "limit=4"), &[("if-none-match", tag)]);
    assert_eq!(other.status, 200);
    assert_eq!(used(&service, &key), 2);
    let head = exchange(service.listen, &request("HEAD", &path, &[], b""));
    assert_eq!((head.status, head.body.len(), head.header("etag")), (200, 0, Some(tag)));
    // an error is never kept
    let wrong = ask(&service, &path.replace("q=feira", "region=nowhere"), &[]);
    assert_eq!((wrong.status, wrong.header("etag")), (400, None));
    assert_eq!(wrong.header("cache-control"), Some("no-store"));
}

#[test]
fn a_calendar_token_works_in_its_address_only_and_nothing_else_works_there() {
    let service = Service::start();
    let key = service.key("pro");
    let Issued { token, path, .. } = issue(&service, "pro@b.c");
    let browser = crate::browser_tokens::issue(&service, "pro@b.c", &["https://app.example"]).token;
    assert_eq!(ask(&service, &path, &[]).status, 200);

    for headers in [("x-api-key", token.clone()), ("authorization", format!("Bearer {token}"))] {
        let answer = ask(&service, "/v1/events", &[(headers.0, &headers.1)]);
        assert_eq!(code(&answer), (401, "invalid_key".to_owned()));
        assert_eq!(service.post_to("/mcp", &[(headers.0, &headers.1)], &json!({})).status, 401);
    }
    let in_page =
        ask(&service, "/v1/events", &[("x-browser-token", &token), ("origin", "https://app.example")]);
    assert_eq!(code(&in_page), (401, "invalid_token".to_owned()));
    assert!(in_page.text().contains("Send a browser token"), "it says what to use: {}", in_page.text());
    for address in [format!("/v1/events.ics?token={token}"), format!("/v1/events.ics?q={token}")] {
        assert_eq!(code(&ask(&service, &address, &[])), (400, "key_in_url".to_owned()));
    }

    let at = |token: &str| format!("/v1/calendars/{token}.ics");
    let of_page = ask(&service, &at(&browser), &[]);
    assert_eq!(code(&of_page), unknown());
    assert!(of_page.text().contains("Use a calendar address"), "it says what to use: {}", of_page.text());
    assert_eq!(code(&ask(&service, &at(&key), &[])), (400, "key_in_url".to_owned()));
    assert_eq!(code(&ask(&service, &format!("{path}?key=x"), &[])), (400, "key_in_url".to_owned()));
    // a key does not help
    let never = Token::generate(TokenKind::Calendar).expect("randomness");
    let mistyped = token.replace("cdg_calendar_", "cdg_calendar-");
    let bare = format!("/v1/calendars/{token}");
    for wrong in [at(never.reveal()), at(&mistyped), at(&token[..50]), at("x"), bare] {
        let answer = ask(&service, &wrong, &[("x-api-key", &key)]);
        assert_eq!(code(&answer), unknown(), "{wrong}");
        assert_eq!(answer.header("www-authenticate"), None, "calendar programs would ask for a password");
        assert!(answer.json()["hint"].as_str().expect("a hint").contains("/conta/calendarios"));
    }
    let posted = exchange(service.listen, &request("POST", &path, &[], b""));
    assert_eq!(posted.status, 405);
    let foreign = ask(&service, &path, &[("origin", "https://evil.example")]);
    assert_eq!(foreign.header("access-control-allow-origin"), None, "it is for programs");
}

#[test]
fn a_calendar_has_a_minute_of_its_own() {
    let service = Service::start_with(&["calendars.per_minute=5", "plans.pro.per_minute=100"]);
    let key = service.key("pro");
    let (one, other) = (issue(&service, "pro@b.c"), issue(&service, "pro@b.c"));
    let answers: Vec<Answer> = within_a_minute(|| (0..6).map(|_| ask(&service, &one.path, &[])).collect());
    assert!(answers.iter().filter(|answer| answer.status == 200).count() <= 5);
    assert_eq!(answers[0].header("ratelimit-policy"), Some("\"minute\";w=60;q=5"));
    let limited = answers.iter().find(|answer| answer.status == 429).expect("a limit");
    assert_eq!(limited.json()["code"], "token_limited");
    assert!(limited.header("retry-after").is_some());
    assert_eq!(ask(&service, &other.path, &[]).status, 200, "each has its own");
    assert_eq!(service.ask(&key, json!({"action": "search_places", "limit": 1})).status, 200);
}

#[test]
fn a_calendar_is_listed_by_its_owner_and_ends_when_it_is_revoked_or_its_account_is_blocked() {
    let service = Service::start();
    service.key("pro");
    let both = ["token", "issue", "--email", "pro@b.c", "--calendar", "--origin", "https://app.example"];
    for wrong in [&both[..], &both[..4]] {
        assert_eq!(run(&service.data, wrong).status.code(), Some(2), "one of the two: {wrong:?}");
    }
    let (one, two) = (issue(&service, "pro@b.c"), issue(&service, "pro@b.c"));
    crate::browser_tokens::issue(&service, "pro@b.c", &["https://app.example"]);
    let listed = printed_json(&run(&service.data, &["token", "list", "--email", "pro@b.c", "--json"]), 0);
    let kinds: Vec<_> =
        listed.as_array().expect("a list").iter().map(|token| token["kind"].clone()).collect();
    assert_eq!(kinds, ["calendar", "calendar", "browser"]);
    let text = printed(&run(&service.data, &["token", "list", "--email", "pro@b.c"]), 0);
    assert!(text.contains("calendar") && text.contains(&one.id) && !text.contains(&one.token), "{text}");
    let export = printed(&run(&service.data, &["account", "export", "--email", "pro@b.c", "--json"]), 0);
    assert!(export.contains(&one.id) && !export.contains(&one.token), "{export}");

    assert!(ask(&service, &one.path, &[]).status == 200 && ask(&service, &two.path, &[]).status == 200);
    printed(&run(&service.data, &["token", "revoke", &one.id, "--email", "pro@b.c"]), 0);
    awaited("the end of the revoked address", SOON, || {
        (code_of(&service, &one.path) == unknown()).then_some(())
    });
    let tag = ask(&service, &two.path, &[]).header("etag").expect("a tag").to_owned();
    assert_eq!(
        code(&ask(&service, &one.path, &[("if-none-match", &tag)])),
        unknown(),
        "not even as unchanged"
    );
    printed(&run(&service.data, &["account", "block", "--email", "pro@b.c", "--reason", "a test"]), 0);
    awaited("the block", SOON, || {
        (code_of(&service, &two.path) == (401, "account_blocked".to_owned())).then_some(())
    });
    let audit = printed(&run(&service.data, &["audit"]), 0);
    assert!(audit.contains("token issue") && !audit.contains(&two.token), "{audit}");
    // its plain text is nowhere on the disk
    for file in ["candango.db", "candango.db-wal"] {
        let bytes = std::fs::read(service.data.join(file)).unwrap_or_default();
        assert!(!bytes.windows(two.token.len()).any(|part| part == two.token.as_bytes()), "{file}");
    }
}

fn code_of(service: &Service, path: &str) -> (u16, String) {
    let answer = ask(service, path, &[]);
    if answer.status == 200 { (200, String::new()) } else { code(&answer) }
}

#[test]
fn a_revoked_calendar_ends_at_once_on_every_server() {
    let redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let services = [Service::start_with(&[&store]), Service::start_with(&[&store])];
    let at_store = ["--set", &store];
    let words = ["key", "issue", "--email", "pro@b.c", "--plan", "pro", "--json"];
    printed(&run(&services[0].data, &[&words[..], &at_store].concat()), 0);
    let made = issue_with(&services[0], "pro@b.c", &at_store);
    // cached on both
    for service in services.iter().chain(&services) {
        assert_eq!(ask(service, &made.path, &[]).status, 200);
    }
    let words = ["token", "revoke", &made.id, "--email", "pro@b.c"];
    printed(&run(&services[1].data, &[&words[..], &at_store].concat()), 0);
    for service in &services {
        assert_eq!(code(&ask(service, &made.path, &[])), unknown());
    }
}

#[test]
fn a_revoked_calendar_does_not_come_back_with_a_backup() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::start();
    service.key("pro");
    let (one, two) = (issue(&service, "pro@b.c"), issue(&service, "pro@b.c"));
    let file = folder.path().join("backup.zst");
    printed(&run(&service.data, &["backup", file.to_str().expect("a path")]), 0);
    printed(&run(&service.data, &["token", "revoke", &one.id, "--email", "pro@b.c"]), 0);
    let journal = service.data.join("ended.jsonl");
    let data = folder.path().join("data");
    let words = ["restore", file.to_str().expect("a path"), "--journal", journal.to_str().expect("a path")];
    printed(&run(&data, &words), 0);
    let restored = Service::start_on(&data);
    assert_eq!(ask(&restored, &two.path, &[]).status, 200);
    assert_eq!(code(&ask(&restored, &one.path, &[])), unknown());
}

#[test]
fn neither_the_log_nor_the_metrics_nor_an_answer_holds_the_token() {
    let service = Service::start_with(&["log_requests=all"]);
    service.key("pro");
    let Issued { token, path, .. } = issue(&service, "pro@b.c");
    let secret = &token["cdg_calendar_".len()..];
    let paths = [
        path.clone(),
        format!("{path}?region=nowhere"),
        format!("{path}/x"),
        path.replace(".ics", ".csv"),
        path.replace("/v1/", "/v2/"),
        format!("/en{path}"),
        format!("/v1/events.ics?token={token}"),
    ];
    for (number, path) in paths.iter().enumerate() {
        for id in [token.as_str(), &format!("read-{number}")] {
            let answer = ask(&service, path, &[("x-request-id", id)]);
            assert!(!answer.text().contains(secret) && !answer.head.contains(secret), "{path}");
        }
    }
    let line = awaited("the lines", SOON, || {
        let log = service.log();
        log.contains(&format!("read-{}", paths.len() - 1)).then_some(())?;
        log.lines().find(|line| line.contains("read-0")).map(str::to_owned)
    });
    for part in ["\"route\":\"/v1/calendars/{file}\"", "\"action\":\"search_events\"", "\"account\":\"acct_"]
    {
        assert!(line.contains(part), "{part} in {line}");
    }
    let metrics = get(service.ops, "/metrics").text();
    assert!(metrics.contains("search_events"));
    for text in [service.log(), service.out(), metrics] {
        assert!(!text.contains(secret), "{text}");
    }
}
