//! Keys from sign-up to recovery: who gets one, who does not, and that answers do not show which addresses are known.

use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mail::{self, Mail, SOON, awaited, mailer_is_idle, mails, outbox, sign_up};
use crate::service::{Answer, Service, exchange, get, open, read, request, shared};

fn recover(service: &Service, email: &str) -> Answer {
    service.post_to("/v1/keys/recover", &[], &json!({"email": email}))
}

fn confirm(service: &Service, email: &str, code: &str) -> Answer {
    service.post_to("/v1/keys/recover/confirm", &[], &json!({"email": email, "code": code}))
}

fn rotate(service: &Service, key: &str) -> Answer {
    service.post_to("/v1/keys/rotate", &[("authorization", &format!("Bearer {key}"))], &json!({}))
}

/// The status of a cheap request with a key.
fn status(service: &Service, key: &str) -> u16 {
    service.ask(key, json!({"action": "summary"})).status
}

/// Checks status and code of an error; returns its body.
fn refused(answer: &Answer, status: u16, code: &str) -> Value {
    assert_eq!(answer.status, status, "{}", answer.text());
    let body = answer.json();
    assert_eq!((&body["ok"], &body["code"]), (&json!(false), &json!(code)), "{body}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    body
}

/// Signs an address up on the shared server; returns the key from the mail.
fn signed_up(email: &str) -> String {
    mail::signed_up(&shared().service, email)
}

/// The newest code for an address on the shared server, once `count` mails have arrived.
fn code_of(email: &str, count: usize) -> String {
    outbox(&shared().service, email, count).iter().filter_map(Mail::code).next_back().expect("a code")
}

#[test]
fn the_price_list_is_public() {
    let service = &shared().service;
    let answer = get(service.listen, "/v1/plans");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let list = answer.json();
    assert_eq!((&list["ok"], &list["currency"]), (&json!(true), &json!("BRL")));
    let plans = list["plans"].as_array().expect("plans");
    let ids: Vec<&str> = plans.iter().map(|plan| plan["id"].as_str().expect("an id")).collect();
    assert_eq!(ids, ["free", "gringo", "pro", "business"]);
    assert_eq!(
        plans[1],
        json!({
            "id": "gringo", "name": "Gringo", "price_cents": 1990, "price_label": "R$ 19,90", "period": "month",
            "monthly_calls": 10000, "per_minute": 60, "regions": "all", "view_fields": "full", "available": true,
        })
    );
    assert_eq!(
        (&plans[0]["price_label"], &plans[0]["regions"], &plans[0]["view_fields"], &plans[0]["available"]),
        (&json!("R$ 0,00"), &json!("Plano Piloto"), &json!("basic"), &json!(true))
    );
    let head = {
        let mut stream = open(service.listen);
        std::io::Write::write_all(&mut stream, &request("HEAD", "/v1/plans", &[], b"")).expect("sent");
        read(&mut stream, true).expect("an answer")
    };
    assert_eq!(head.status, 200);
}

#[test]
fn paid_plans_are_not_available_without_a_gateway() {
    let service = Service::start_with(&["payments=none", "plans.pro.price_cents=123456"]);
    let plans = get(service.listen, "/v1/plans").json()["plans"].clone();
    let available: Vec<bool> =
        plans.as_array().expect("plans").iter().map(|plan| plan["available"] == true).collect();
    assert_eq!(available, [true, false, false, false]);
    assert_eq!(plans[2]["price_label"], "R$ 1.234,56");
}

#[test]
fn sign_up_sends_a_working_key_by_mail_only() {
    let service = &shared().service;
    let body =
        json!({"email": " Maria.Nova@X.example ", "name": "Maria", "company": null, "use_case": "um app"});
    let answer = service.post_to("/v1/signup", &[], &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["ok"], true);
    assert!(!answer.text().contains("cdg_live_"));
    let mail = outbox(service, "maria.nova@x.example", 1).remove(0);
    let key = mail.key().expect("a key");
    let summary = service.good(&key, json!({"action": "summary"}));
    assert_eq!(summary["plan"], "free");
    assert!(!service.log().contains(&key) && !service.log().contains("maria"));

    assert_eq!(mail.header("From"), "Candango <guia@localhost>");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert!(mail.header("Content-Type").starts_with("multipart/alternative"));
    let (portuguese, english) = (mail.body.find("Olá!"), mail.body.find("Hello!"));
    assert!(portuguese.is_some() && portuguese < english, "{}", mail.body);
    // the curl command is for this service
    let url = format!("curl http://{}/v1", service.listen);
    assert!(mail.body.contains(&url), "{}", mail.body);
}

#[test]
fn files_of_the_outbox_are_private() {
    let service = &shared().service;
    signed_up("eyes@x.example");
    let folder = service.data.join("outbox");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in std::fs::read_dir(&folder).expect("a folder") {
        let path = file.expect("a file").path();
        assert_eq!(mode(&path), 0o600, "{path:?}");
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        assert!(name.starts_with('.') || (name.starts_with("20") && name.contains("Z-ltr_")), "{name}");
    }
}

#[test]
fn answers_do_not_show_whether_an_address_is_known() {
    let service = &shared().service;
    let known = signed_up("known@x.example");
    let names = |answer: &Answer| -> Vec<String> {
        answer.head.lines().filter_map(|line| line.split_once(':').map(|(name, _)| name.to_owned())).collect()
    };
    let (first, second) = (sign_up(service, "unknown@x.example"), sign_up(service, "known@x.example"));
    assert_eq!((first.status, &first.body, names(&first)), (second.status, &second.body, names(&second)));
    let (first, second) = (recover(service, "nobody@x.example"), recover(service, "known@x.example"));
    assert_eq!((first.status, &first.body, names(&first)), (second.status, &second.body, names(&second)));
    // only the owner of the mailbox gets a code
    assert_eq!(outbox(service, "known@x.example", 3).iter().filter_map(Mail::code).count(), 2);
    assert_eq!(status(service, &known), 200, "asking for a code ends no key");
    for (email, code) in [("nobody@x.example", "0000-0000-0000"), ("known@x.example", "0000-0000-0000")] {
        refused(&confirm(service, email, code), 400, "invalid_code");
    }
    mailer_is_idle(service.ops);
    let outbox = mails(&service.data.join("outbox"));
    assert!(outbox.iter().all(|mail| mail.header("To") != "nobody@x.example"));
}

#[test]
fn a_known_address_takes_as_long_as_an_unknown_one() {
    let service =
        Service::start_with(&["signup.per_address_day=1000000", "signup.per_address_burst=1000000"]);
    let took = |email: &str| {
        let begun = Instant::now();
        assert_eq!(sign_up(&service, email).status, 200);
        begun.elapsed()
    };
    took("known@x.example");
    let (mut known, mut unknown): (Vec<Duration>, Vec<Duration>) =
        (0..60).map(|at| (took("known@x.example"), took(&format!("new{at}@x.example")))).unzip();
    known.sort();
    unknown.sort();
    // their middles are near, measured side by side; a machine that does much else makes both of them slow
    let (known, unknown) = (known[30].as_secs_f64(), unknown[30].as_secs_f64());
    assert!((0.5..2.0).contains(&(known / unknown)), "{known} s known, {unknown} s unknown");
}

#[test]
fn a_lost_key_works_until_it_is_recovered_with_a_code() {
    let service = &shared().service;
    let lost = signed_up("lost@x.example");
    assert_eq!(recover(service, "Lost@X.example").status, 200);
    let code = code_of("lost@x.example", 2);
    assert_eq!(status(service, &lost), 200);

    let typed = code.to_lowercase().replace('-', " ");
    let answer = confirm(service, "lost@x.example", &typed);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    let key = body["api_key"].as_str().expect("a key");
    assert_eq!(
        (&body["ok"], &body["key"], &body["last4"]),
        (&json!(true), &body["api_key"], &json!(key[43..]))
    );
    assert!(body["rotated_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{body}");
    assert_eq!((status(service, &lost), status(service, key)), (401, 200));

    refused(&confirm(service, "lost@x.example", &code), 400, "invalid_code");
    assert_eq!(status(service, key), 200, "a spent code changes nothing");
}

#[test]
fn a_code_is_for_one_account_whatever_else_is_tried() {
    let service = &shared().service;
    let (one, other) = (signed_up("one@x.example"), signed_up("other@x.example"));
    assert_eq!(
        (recover(service, "one@x.example").status, recover(service, "other@x.example").status),
        (200, 200)
    );
    let (code, others) = (code_of("one@x.example", 2), code_of("other@x.example", 2));
    refused(&confirm(service, "one@x.example", &others), 400, "invalid_code");
    for nonsense in ["x", "0000-0000-000", "úúúú-úúúú-úúúú"] {
        let body = refused(&confirm(service, "one@x.example", nonsense), 400, "invalid_code");
        assert_eq!(body["param"], "code");
    }
    for _ in 0..10 {
        refused(&confirm(service, "one@x.example", "ZZZZ-ZZZZ-ZZZZ"), 400, "invalid_code");
    }
    assert_eq!(status(service, &one), 200);
    assert_eq!(confirm(service, "other@x.example", &others).status, 200);
    assert_eq!(status(service, &other), 401);
    // the code of an earlier mail works beside that of a later one, and both end when one is used
    assert_eq!(recover(service, "one@x.example").status, 200);
    let newer = code_of("one@x.example", 3);
    assert_eq!(confirm(service, "one@x.example", &code).status, 200);
    refused(&confirm(service, "one@x.example", &newer), 400, "invalid_code");
}

#[test]
fn a_rotated_key_is_revoked_when_the_answer_arrives_and_the_new_one_is_mailed_too() {
    let service = &shared().service;
    let old = signed_up("turn@x.example");
    assert_eq!(status(service, &old), 200);
    let answer = rotate(service, &old);
    assert_eq!(status(service, &old), 401);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(answer.header("ratelimit").is_some());
    let body = answer.json();
    let new = body["api_key"].as_str().expect("a key");
    assert_eq!((&body["key"], &body["last4"]), (&body["api_key"], &json!(new[43..])));
    assert_eq!(status(service, new), 200);
    assert_eq!(outbox(service, "turn@x.example", 2)[1].key().as_deref(), Some(new));
    refused(&rotate(service, &old), 401, "invalid_key");
    refused(&rotate(service, "cdg_live_nonsense"), 401, "invalid_key");
    let none = exchange(service.listen, &request("POST", "/v1/keys/rotate", &[], b""));
    refused(&none, 401, "missing_key");
}

#[test]
fn of_two_concurrent_rotations_one_gets_a_key() {
    let service = &shared().service;
    let mut key = signed_up("twice@x.example");
    for _ in 0..10 {
        let together = Barrier::new(2);
        let answers = thread::scope(|scope| {
            let turn = || {
                together.wait();
                rotate(service, &key)
            };
            let (one, other) = (scope.spawn(turn), scope.spawn(turn));
            [one.join().expect("an answer"), other.join().expect("an answer")]
        });
        let mut statuses = answers.each_ref().map(|answer| answer.status);
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 401]);
        let good = answers.iter().find(|answer| answer.status == 200).expect("one").json();
        key = good["api_key"].as_str().expect("a key").to_owned();
        assert_eq!(status(service, &key), 200);
    }
}

#[test]
fn two_concurrent_sign_ups_send_one_key_that_works() {
    let service = &shared().service;
    for at in 0..10 {
        let email = format!("hurry{at}@x.example");
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_eq!(sign_up(service, &email).status, 200));
            }
        });
        let mails = outbox(service, &email, 2);
        let keys: Vec<String> = mails.iter().filter_map(Mail::key).collect();
        assert_eq!((keys.len(), mails.iter().filter_map(Mail::code).count()), (1, 1));
        assert_eq!(status(service, &keys[0]), 200);
    }
}

#[test]
fn errors_say_where_to_go_next() {
    let service = Service::start_with(&["plans.free.per_month=1"]);
    let says = |answer: &Answer, code: &str, words: &[&str]| {
        assert_eq!(answer.json()["code"], code, "{}", answer.text());
        let told = answer.text();
        assert!(words.iter().all(|word| told.contains(word)), "{words:?}: {told}");
    };
    says(&service.post_to("/v1", &[], &json!({})), "missing_key", &["POST /v1/signup"]);
    let lost = [("x-api-key", "cdg_live_x")];
    says(
        &service.post_to("/v1", &lost, &json!({})),
        "invalid_key",
        &["/v1/keys/recover", "/conta/recuperar"],
    );
    let misspelt = service.post_to("/v1/signup", &[], &json!({"e-mail": "a@x.example", "name": "Ana"}));
    says(&misspelt, "missing_param", &["Send email", "Not known, and ignored: e-mail."]);
    let key = service.key("free");
    let headers = [("x-api-key", key.as_str()), ("content-type", "application/json")];
    let empty = exchange(service.listen, &request("POST", "/v1", &headers, b" "));
    says(&empty, "invalid_json", &["the body is empty"]);
    says(&service.ask(&key, json!({"action": "get_place"})), "missing_param", &["memorial-jk"]);
    says(&service.ask(&key, json!({"action": "get_event"})), "missing_param", &["feira-da-torre-de-tv"]);
    assert_eq!(service.ask(&key, json!({"action": "get_event", "id": "feira-da-torre-de-tv"})).status, 200);
    let spent = service.ask(&key, json!({"action": "search_places"}));
    says(&spent, "quota_exceeded", &["POST /v1/billing/checkout", "/conta/plano"]);
}

#[test]
fn mails_to_an_address_are_limited_and_recovery_does_not_say_so() {
    let service = &shared().service;
    for _ in 0..3 {
        assert_eq!(sign_up(service, "eager@x.example").status, 200);
    }
    for email in ["eager@x.example", "Eager@X.Example", "eager+tag@x.example"] {
        let answer = sign_up(service, email);
        let body = refused(&answer, 400, "too_many_signups");
        assert!(body["hint"].as_str().is_some_and(|hint| hint.contains("earlier sign-up")), "{body}");
        let wait: u32 = answer.header("retry-after").expect("a wait").parse().expect("seconds");
        assert!(body["retry_after"] == wait && (1..=3_600).contains(&wait), "one more an hour: {body}");
    }
    for _ in 0..3 {
        assert_eq!(recover(service, "eager@x.example").status, 200, "the usual answer");
    }
    mailer_is_idle(service.ops);
    assert_eq!(outbox(service, "eager@x.example", 3).len(), 3);
}

#[test]
fn a_key_is_replaced_five_times_an_hour_and_recovery_stays_open() {
    let service = Service::start_with(&["signup.rotations_per_hour=5"]);
    let mut key = mail::signed_up(&service, "turns@x.example");
    for count in 2..7 {
        let answer = rotate(&service, &key);
        assert_eq!(answer.status, 200, "{}", answer.text());
        key = answer.json()["api_key"].as_str().expect("a key").to_owned();
        // a mail that waits while its key is replaced is not sent
        outbox(&service, "turns@x.example", count);
    }
    let answer = rotate(&service, &key);
    let body = refused(&answer, 429, "too_many_rotations");
    assert!(body["retry_after"].as_u64().is_some_and(|wait| (1..=3_600).contains(&wait)), "{body}");
    assert_eq!(status(&service, &key), 200, "the key stays");
    assert_eq!(recover(&service, "turns@x.example").status, 200);
    let mails = outbox(&service, "turns@x.example", 7);
    let code = mails.iter().filter_map(Mail::code).next_back().expect("a code");
    assert_eq!(confirm(&service, "turns@x.example", &code).status, 200);
}

/// Signs up with a forwarded address.
fn sign_up_from(service: &Service, from: &str, email: &str) -> Answer {
    service.post_to("/v1/signup", &[("x-forwarded-for", from)], &json!({"email": email}))
}

#[test]
fn sign_ups_of_a_client_are_limited_whatever_it_claims_to_be() {
    let service = Service::start_with(&["signup.per_ip_hour=3", "signup.per_ip_day=4"]);
    for at in 0..3 {
        let from = format!("9.9.9.{at}");
        assert_eq!(sign_up_from(&service, &from, &format!("a{at}@x.example")).status, 200);
    }
    let answer = sign_up_from(&service, "9.9.9.9", "a9@x.example");
    let body = refused(&answer, 400, "too_many_signups");
    assert!(body["error"].as_str().is_some_and(|text| text.contains("from this network")), "{body}");
    assert!(body.get("hint").is_none(), "no mail went to this address: {body}");
    let wait: u32 = answer.header("retry-after").expect("a wait").parse().expect("seconds");
    assert!((1..=3_600).contains(&wait), "{wait}");
    for at in 0..3 {
        assert_eq!(recover(&service, &format!("b{at}@x.example")).status, 200);
        refused(&confirm(&service, "b@x.example", "0000-0000-0000"), 400, "invalid_code");
    }
    refused(&recover(&service, "b9@x.example"), 429, "too_many_recoveries");
    refused(&confirm(&service, "b@x.example", "0000-0000-0000"), 429, "too_many_recoveries");
    // an invalid request does not count
    assert_eq!(sign_up(&service, "no address").json()["code"], "invalid_email");
}

#[test]
fn a_trusted_proxy_names_the_client() {
    let service = Service::start_with(&["signup.per_ip_hour=1", "trusted_proxies=127.0.0.1,10.0.0.0/8"]);
    for (at, from) in ["9.9.9.1", "6.6.6.6, 9.9.9.2", "9.9.9.1, 9.9.9.3, 10.1.1.1"].into_iter().enumerate() {
        assert_eq!(sign_up_from(&service, from, &format!("a{at}@x.example")).status, 200, "{from}");
    }
    // hops before the one that the proxy saw are ignored
    let forged = sign_up_from(&service, "1.2.3.4, 9.9.9.1", "a9@x.example");
    refused(&forged, 400, "too_many_signups");
    assert_eq!(sign_up_from(&service, "2001:db8:0:1::1", "b0@x.example").status, 200);
    let neighbour = sign_up_from(&service, "2001:db8:0:1:ffff::2", "b1@x.example");
    refused(&neighbour, 400, "too_many_signups");
}

#[test]
fn an_invalid_address_is_refused_and_not_repeated() {
    let service = &shared().service;
    for email in [
        "zzmark",
        "zzmark@",
        "@zzmark.example",
        "zz mark@x.example",
        "zzmark@x.example\r\nBcc: victim@y.example",
        "zzmark@x.example\nSubject: hello",
        "zzmark@x.example\u{0}",
        "zzmark@x.example, victim@y.example",
        "zzmark@x.example>\r\nRCPT TO:<victim@y.example",
        "\"zzmark\\r\\n\"@x.example",
        "<zzmark@x.example>",
        "Zz Mark <zzmark@x.example>",
        "zzmark@[127.0.0.1]",
        "zzmárk@x.example",
        "zzmark%x.example",
        &format!("zzmark@{}.example", "a".repeat(300)),
    ] {
        for path in ["/v1/signup", "/v1/keys/recover"] {
            let answer = service.post_to(path, &[], &json!({"email": email}));
            let body = refused(&answer, 400, "invalid_email");
            assert_eq!(body["param"], "email", "{email:?}");
            assert!(!answer.text().to_lowercase().contains("zzm"), "{}", answer.text());
        }
    }
    mailer_is_idle(service.ops);
    let outbox = mails(&service.data.join("outbox"));
    assert!(!outbox.iter().any(|mail| mail.head.contains("zzmark") || mail.head.contains("victim")));
}

#[test]
fn bodies_follow_the_common_rules() {
    let service = &shared().service;
    let post = |path: &str, headers: &[(&str, &str)], body: &[u8]| {
        exchange(service.listen, &request("POST", path, headers, body))
    };
    for path in ["/v1/signup", "/v1/keys/recover", "/v1/keys/recover/confirm"] {
        refused(&post(path, &[], b"{"), 400, "invalid_json");
        refused(&post(path, &[], b""), 400, "invalid_json");
        refused(&post(path, &[], b"[]"), 400, "not_an_object");
        refused(&post(path, &[("content-type", "text/plain")], b"{}"), 415, "unsupported_media_type");
        refused(&post(path, &[("content-length", "99999999")], b"{"), 413, "body_too_large");
        let body = refused(&post(path, &[], b"{}"), 400, "missing_param");
        assert_eq!(body["param"], "email");
        let body = refused(&service.post_to(path, &[], &json!({"email": ["a@b.c"]})), 400, "wrong_type");
        assert_eq!(body["param"], "email");
        let wrong = exchange(service.listen, &request("GET", path, &[], b""));
        refused(&wrong, 405, "method_not_allowed");
        assert_eq!(wrong.header("allow"), Some("POST"));
    }
    for method in ["GET", "DELETE"] {
        let wrong = exchange(service.listen, &request(method, "/v1/keys/rotate", &[], b""));
        refused(&wrong, 405, "method_not_allowed");
    }
    let wrong = exchange(service.listen, &request("POST", "/v1/plans", &[], b""));
    refused(&wrong, 405, "method_not_allowed");
    assert_eq!(wrong.header("allow"), Some("GET, HEAD"));
    refused(&get(service.listen, "/v1/keys"), 404, "not_found");
    let body = refused(&confirm(service, "a@b.c", ""), 400, "missing_param");
    assert_eq!(body["param"], "code");
}

#[test]
fn profile_texts_are_bounded_and_never_mailed() {
    let service = &shared().service;
    for (param, value, code) in [
        ("name", json!("é".repeat(121)), "text_too_long"),
        ("company", json!("x".repeat(121)), "text_too_long"),
        ("use_case", json!("x".repeat(501)), "text_too_long"),
        ("name", json!(7), "wrong_type"),
        ("company", json!({}), "wrong_type"),
        ("use_case", json!(true), "wrong_type"),
    ] {
        let mut body = json!({"email": "long@x.example"});
        body[param] = value;
        let body = refused(&service.post_to("/v1/signup", &[], &body), 400, code);
        assert_eq!(body["param"], param);
    }
    let hostile = "Zzmark\r\nBcc: victim@y.example\r\n\r\n<script>alert(1)</script> http://evil.example \u{202e}\u{1b}[2J";
    let body = json!({
        "email": "hostile@x.example", "name": hostile, "company": hostile, "use_case": hostile, "nmae": hostile,
    });
    let answer = service.post_to("/v1/signup", &[], &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["warnings"], json!(["nmae is not a parameter and was ignored"]));
    let mail = outbox(service, "hostile@x.example", 1).remove(0);
    let whole = format!("{}{}", mail.head, mail.body).to_lowercase();
    for word in ["zzmark", "victim", "script", "evil"] {
        assert!(!whole.contains(word), "{whole}");
    }
    assert!(!mail.head.lines().any(|line| line.starts_with("Bcc")));
}

#[test]
fn a_mail_is_sent_even_when_the_client_disconnects() {
    let service = &shared().service;
    let body = json!({"email": "hasty@x.example"}).to_string();
    let mut stream: TcpStream = open(service.listen);
    let bytes = request("POST", "/v1/signup", &[("content-type", "application/json")], body.as_bytes());
    std::io::Write::write_all(&mut stream, &bytes).expect("sent");
    read(&mut stream, false).expect("an answer");
    drop(stream);
    assert!(outbox(service, "hasty@x.example", 1)[0].key().is_some());
}

#[test]
fn an_answered_sign_up_survives_a_kill() {
    let service = Service::start();
    for at in 0..10 {
        assert_eq!(sign_up(&service, &format!("a{at}@x.example")).status, 200);
    }
    let data = service.data.clone();
    let _folder = service.kill();
    let service = Service::start_on(&data);
    for at in 0..10 {
        let email = format!("a{at}@x.example");
        awaited("a mail with a key that works", SOON, || {
            let mut found = mails(&service.data.join("outbox"));
            found.retain(|mail| mail.header("To") == email);
            found.iter().filter_map(Mail::key).any(|key| status(&service, &key) == 200).then_some(())
        });
    }
}
