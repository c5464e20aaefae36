//! Browser tokens: where they work, what they show, what they may spend, and how they are made and revoked.

use std::time::Duration;

use serde_json::{Value, json};

use crate::mail::{SOON, awaited, within_a_minute};
use crate::service::{Answer, Service, exchange, printed, printed_json, request, run};
use crate::v1::full_guide;

const ORIGIN: &str = "https://app.example";
/// A token that was made on the command line.
pub(crate) struct Issued {
    pub(crate) id: String,
    pub(crate) token: String,
}

/// Makes a token for an account.
pub(crate) fn issue(service: &Service, email: &str, origins: &[&str]) -> Issued {
    let flags: Vec<&str> = origins.iter().flat_map(|origin| ["--origin", origin]).collect();
    let made = run(&service.data, &[&["token", "issue", "--email", email, "--json"], &flags[..]].concat());
    let made = printed_json(&made, 0);
    let text = |name: &str| made[name].as_str().expect(name).to_owned();
    Issued { id: text("id"), token: text("token") }
}

fn ask(service: &Service, token: &str, origin: Option<&str>, body: &Value) -> Answer {
    let headers: Vec<_> = [("x-browser-token", token), ("content-type", "application/json")]
        .into_iter()
        .chain(origin.map(|origin| ("origin", origin)))
        .collect();
    service.post(&headers, body.to_string().as_bytes())
}

fn get(service: &Service, token: &str, path: &str) -> Answer {
    let headers = [("x-browser-token", token), ("origin", ORIGIN)];
    exchange(service.listen, &request("GET", path, &headers, b""))
}

fn search() -> Value {
    json!({"action": "search_places", "limit": 1})
}

#[test]
fn a_token_works_in_pages_of_its_origins_only() {
    let service = Service::start();
    let key = service.key("pro");
    let made = issue(&service, "pro@b.c", &["https://App.example/", "http://localhost:3000"]);
    for origin in [ORIGIN, "http://localhost:3000"] {
        let answer = ask(&service, &made.token, Some(origin), &search());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
        assert!(answer.header("vary").expect("vary").contains("origin"));
    }
    for origin in ["https://evil.example", "http://app.example", "https://app.example:8443", "null", ""] {
        let answer = ask(&service, &made.token, Some(origin), &search());
        let body = answer.json();
        assert_eq!((answer.status, &body["code"]), (403, &json!("token_origin")), "{origin}");
        assert!(body["hint"].as_str().expect("a hint").contains("/conta/navegador"), "it says what to fix");
        assert!(!answer.text().contains("evil"), "nothing is repeated");
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin), "its developer can read why");
    }
    let missing = ask(&service, &made.token, None, &search());
    assert_eq!((missing.status, &missing.json()["code"]), (403, &json!("token_origin")));
    assert!(missing.json()["error"].as_str().expect("an error").contains("no origin header"));

    // a token is no key, and no place for one
    let as_key = service.post(&[("x-api-key", &made.token), ("origin", ORIGIN)], b"{}");
    assert_eq!(as_key.json()["code"], "invalid_key");
    let bearer = format!("Bearer {}", made.token);
    assert_eq!(service.post(&[("authorization", &bearer)], b"{}").json()["code"], "invalid_key");
    assert_eq!(ask(&service, &key, Some(ORIGIN), &search()).json()["code"], "invalid_token");
    let both =
        service.post(&[("x-api-key", &key), ("x-browser-token", &made.token), ("origin", ORIGIN)], b"{}");
    assert_eq!(both.json()["code"], "conflicting_keys");
    let in_url = get(&service, &made.token, &format!("/v1/places?q={}", made.token));
    assert_eq!(in_url.json()["code"], "key_in_url");
    for (path, body) in
        [("/v1/keys/rotate", "{}"), ("/v1/billing/status", "{}"), ("/v1/billing/cancel", "{}")]
    {
        let headers = [("x-browser-token", made.token.as_str()), ("origin", ORIGIN)];
        let answer = exchange(service.listen, &request("POST", path, &headers, body.as_bytes()));
        assert_eq!(answer.json()["code"], "missing_key", "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
    }
}

#[test]
fn a_preflight_request_allows_the_token_and_no_key() {
    let service = Service::start_with(&["allowed_origins=https://partner.example"]);
    let preflight = |path: &str, origin: &str, names: &str| {
        let headers = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", names),
        ];
        exchange(service.listen, &request("OPTIONS", path, &headers, b""))
    };
    for path in ["/v1", "/v1/events", "/v1/places/memorial-jk", "/v1/events.ics"] {
        let answer = preflight(path, ORIGIN, "content-type,X-Browser-Token");
        assert_eq!(answer.status, 204, "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), Some(ORIGIN));
        let allowed = answer.header("access-control-allow-headers").expect("headers");
        assert!(allowed.contains("x-browser-token") && allowed.contains("content-type"), "{allowed}");
        assert!(!allowed.contains("x-api-key") && !allowed.contains("authorization"), "{allowed}");
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        for names in ["x-api-key", "content-type", "x-browser-tokens", ""] {
            let answer = preflight(path, ORIGIN, names);
            assert_eq!(answer.header("access-control-allow-origin"), None, "{path} {names}");
        }
        let partner = preflight(path, "https://partner.example", "x-browser-token");
        assert!(partner.header("access-control-allow-headers").expect("headers").contains("x-browser-token"));
    }
    for path in ["/v1/signup", "/v1/keys/rotate", "/v1/billing/checkout", "/mcp"] {
        let answer = preflight(path, ORIGIN, "x-browser-token");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
    }
}

/// Names and values of fields that the contract gives to paid plans only, in the guide that has all of them.
const FULL: [&str; 9] = [
    "\"address\"",
    "\"lineup\"",
    "\"tickets\"",
    "\"links\"",
    "\"description\"",
    "Wuxiria",
    "Quartetuma",
    "thumpling",
    "maps.example",
];

#[test]
fn a_token_never_shows_the_full_view_whatever_the_plan() {
    let service = full_guide();
    let key = service.key("business");
    let made = issue(&service, "business@b.c", &[ORIGIN]);
    let questions = [
        json!({"action": "search_places", "limit": 50}),
        json!({"action": "search_places", "q": "casa", "near": "Torre de TV"}),
        json!({"action": "search_places", "region": "Taguatinga"}),
        json!({"action": "search_events", "limit": 50}),
        json!({"action": "get_place", "id": "in"}),
        json!({"action": "get_place", "id": "out"}),
        json!({"action": "get_event", "id": "outside"}),
        json!({"action": "list_regions"}),
        json!({"action": "list_categories"}),
        json!({"action": "summary"}),
    ];
    let mut paid = String::new();
    for question in &questions {
        let of_key = service.ask(&key, question.clone());
        paid += &of_key.text();
        let answer = ask(&service, &made.token, Some(ORIGIN), question);
        let text = answer.text();
        assert_eq!(answer.status, 200, "{question}: {text}");
        for part in FULL {
            assert!(!text.contains(part), "{part} in the answer to {question}: {text}");
        }
        assert_eq!(answer.json()["plan"], "business");
        assert_eq!(
            answer.json()["total"],
            of_key.json()["total"],
            "the regions are those of the plan: {question}"
        );
    }
    for part in FULL {
        assert!(paid.contains(part), "the test would see {part}");
    }
    // what only the full view searches is not found
    for (action, q) in
        [("search_places", "Wuxiria"), ("search_events", "Quartetuma"), ("search_events", "Wuxiria")]
    {
        let body = json!({"action": action, "q": q, "strict": true});
        assert_eq!(service.ask(&key, body.clone()).json()["total"], 2, "{q}");
        assert_eq!(ask(&service, &made.token, Some(ORIGIN), &body).json()["total"], 0, "{q}");
    }
    for path in ["/v1/events", "/v1/places", "/v1/events.csv", "/v1/places.csv", "/v1/events.ics"] {
        let answer = get(&service, &made.token, path);
        assert_eq!(answer.status, 200, "{path}");
        let text = answer.text();
        for part in ["Wuxiria", "Quartetuma", "thumpling", "maps.example", "GEO:"] {
            assert!(!text.contains(part), "{part} in {path}");
        }
    }
    for path in ["/v1/events.geojson", "/v1/places.geojson", "/v1/usage"] {
        let answer = get(&service, &made.token, path);
        assert_eq!((answer.status, &answer.json()["code"]), (403, &json!("token_scope")), "{path}");
    }
    let usage = ask(&service, &made.token, Some(ORIGIN), &json!({"action": "usage"}));
    assert_eq!(usage.json()["code"], "token_scope", "visitors do not learn what the owner uses");
}

#[test]
fn a_token_has_a_minute_of_its_own_and_spends_the_month_of_its_account() {
    let service = Service::start_with(&["browser_tokens.per_minute=5", "plans.pro.per_minute=3"]);
    // the minute of the account is for its key
    let made = {
        let issued = run(&service.data, &["key", "issue", "--email", "pro@b.c", "--plan", "pro", "--json"]);
        let key = printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned();
        (key, issue(&service, "pro@b.c", &[ORIGIN]), issue(&service, "pro@b.c", &[ORIGIN]))
    };
    let (key, one, other) = &made;
    let answers: Vec<Answer> =
        within_a_minute(|| (0..6).map(|_| ask(&service, &one.token, Some(ORIGIN), &search())).collect());
    let policy = answers[0].header("ratelimit-policy").expect("a policy");
    assert_eq!(policy, "\"minute\";w=60;q=5", "nothing of the account");
    let limit = answers[0].header("ratelimit").expect("a limit");
    assert!(limit.starts_with("\"minute\";r=") && !limit.contains("month"), "{limit}");
    assert!(answers.iter().filter(|answer| answer.status == 200).count() <= 5);
    let limited = answers.iter().find(|answer| answer.status == 429).expect("a limit");
    let body = limited.json();
    assert_eq!((&body["code"], body["retry_after"].is_u64()), (&json!("token_limited"), true));
    assert_eq!(limited.header("retry-after").map(str::to_owned), Some(body["retry_after"].to_string()));
    assert_eq!(limited.header("access-control-allow-origin"), Some(ORIGIN));
    assert_eq!(ask(&service, &other.token, Some(ORIGIN), &search()).status, 200, "each token has its own");
    let used = awaited("an answer of the key", Duration::from_secs(90), || {
        let answer = service.ask(key, json!({"action": "usage"}));
        (answer.status == 200).then(|| answer.json()["calls_this_month"].as_u64().expect("a number"))
    });
    assert!(used >= 6, "{used} calls of the month");
}

#[test]
fn a_token_is_listed_by_its_owner_and_ends_when_it_is_revoked_or_its_account_is_blocked() {
    let service = Service::start();
    service.key("pro");
    let unknown = run(&service.data, &["token", "issue", "--email", "x@b.c", "--origin", ORIGIN]);
    assert_eq!(unknown.status.code(), Some(1));
    for wrong in ["http://app.example", "app.example", "https://app.example/page", "https://*.example"] {
        let made = run(&service.data, &["token", "issue", "--email", "pro@b.c", "--origin", wrong]);
        assert!(String::from_utf8_lossy(&made.stderr).contains("https://example.com"), "{wrong}");
        assert_eq!(made.status.code(), Some(1), "{wrong}");
    }
    let (one, two) = (issue(&service, "pro@b.c", &[ORIGIN]), issue(&service, "pro@b.c", &[ORIGIN]));
    let listed = printed_json(&run(&service.data, &["token", "list", "--email", "pro@b.c", "--json"]), 0);
    let listed = listed.as_array().expect("a list");
    assert_eq!(listed.len(), 2);
    for made in [&one, &two] {
        let shown = listed.iter().find(|shown| shown["id"] == made.id.as_str()).expect("it is listed");
        assert_eq!(shown["origins"], json!([ORIGIN]));
        assert!(made.token.ends_with(shown["last4"].as_str().expect("an end")));
    }
    let text = printed(&run(&service.data, &["token", "list", "--email", "pro@b.c"]), 0);
    assert!(!text.contains(&one.token) && text.contains(&one.id), "{text}");
    let works = |token: &str| ask(&service, token, Some(ORIGIN), &search()).status == 200;
    assert!(works(&one.token) && works(&two.token));
    printed(&run(&service.data, &["token", "revoke", &one.id, "--email", "pro@b.c"]), 0);
    awaited("the end of the revoked token", SOON, || (!works(&one.token)).then_some(()));
    assert_eq!(ask(&service, &one.token, Some(ORIGIN), &search()).json()["code"], "invalid_token");
    assert!(works(&two.token));
    assert_eq!(
        run(&service.data, &["token", "revoke", &one.id, "--email", "pro@b.c"]).status.code(),
        Some(1)
    );
    printed(&run(&service.data, &["account", "block", "--email", "pro@b.c", "--reason", "a test"]), 0);
    let blocked = awaited("the block", SOON, || {
        let answer = ask(&service, &two.token, Some(ORIGIN), &search());
        (answer.status != 200).then(|| answer.json()["code"].clone())
    });
    assert_eq!(blocked, "account_blocked");
    let audit = printed(&run(&service.data, &["audit"]), 0);
    assert!(audit.contains("token issue") && audit.contains("token revoke"), "{audit}");
    assert!(audit.contains(&one.id) && !audit.contains(ORIGIN), "it outlives an erasure: {audit}");
    // its plain text is nowhere on the disk
    for file in ["candango.db", "candango.db-wal"] {
        let bytes = std::fs::read(service.data.join(file)).unwrap_or_default();
        assert!(!bytes.windows(two.token.len()).any(|part| part == two.token.as_bytes()), "{file}");
    }
}

#[test]
fn a_revoked_token_does_not_come_back_with_a_backup() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::start();
    service.key("pro");
    let (one, two) = (issue(&service, "pro@b.c", &[ORIGIN]), issue(&service, "pro@b.c", &[ORIGIN]));
    let file = folder.path().join("backup.zst");
    printed(&run(&service.data, &["backup", file.to_str().expect("a path")]), 0);
    printed(&run(&service.data, &["token", "revoke", &one.id, "--email", "pro@b.c"]), 0);
    let journal = service.data.join("ended.jsonl");
    let data = folder.path().join("data");
    let words = ["restore", file.to_str().expect("a path"), "--journal", journal.to_str().expect("a path")];
    printed(&run(&data, &words), 0);
    let restored = Service::start_on(&data);
    assert_eq!(ask(&restored, &two.token, Some(ORIGIN), &search()).status, 200);
    assert_eq!(ask(&restored, &one.token, Some(ORIGIN), &search()).json()["code"], "invalid_token");
}
