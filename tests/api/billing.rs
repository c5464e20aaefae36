//! Billing with the sandbox, from checkout to the end of the paid month, on one process and on two with one store.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mail::{SOON, awaited, outbox, signed_up};
use crate::owners::printed_error;
use crate::redis::RedisServer;
use crate::service::{Answer, Service, Shared, exchange, get, printed, printed_json, request, run, shared};

const CPF: &str = "52998224725";

fn post(service: &Service, path: &str, key: &str, body: &Value) -> Answer {
    service.post_to(path, &[("x-api-key", key)], body)
}

fn checkout(service: &Service, key: &str, plan: &str) -> Answer {
    post(service, "/v1/billing/checkout", key, &json!({"plan": plan, "tax_id": CPF, "method": "PIX"}))
}

fn status(service: &Service, key: &str) -> Value {
    let answer = post(service, "/v1/billing/status", key, &json!({}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn plan(service: &Service, key: &str) -> String {
    service.good(key, json!({"action": "summary"}))["plan"].as_str().expect("a plan").to_owned()
}

fn refused(answer: &Answer, status: u16, code: &str, param: Option<&str>) {
    assert_eq!(answer.status, status, "{}", answer.text());
    let body = answer.json();
    assert_eq!((body["ok"].as_bool(), body["code"].as_str()), (Some(false), Some(code)), "{body}");
    assert_eq!(body["param"].as_str(), param, "{body}");
    assert!(!answer.text().contains(CPF));
}

/// The payment page of a successful checkout.
pub(crate) fn pay_url(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["pay_url"].as_str().expect("a page").to_owned()
}

/// The path of a page on this machine.
fn path(url: &str) -> &str {
    let (_, rest) = url.split_once("://").expect("a URL");
    &rest[rest.find('/').expect("a path")..]
}

/// Presses a button of the sandbox's page.
fn press(service: &Service, url: &str, button: &str) -> Answer {
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let body = format!("do={button}");
    exchange(service.listen, &request("POST", path(url), &headers, body.as_bytes()))
}

#[test]
fn an_order_is_paid_canceled_and_refunded_with_the_sandbox() {
    let service = Service::start_with(&["log=debug"]);
    let key = signed_up(&service, "maria@x.example");
    let begun = status(&service, &key);
    let nothing =
        json!({"ok": true, "plan": "free", "subscription": {"status": "none", "auto_renew": false}});
    assert_eq!(begun, nothing);
    refused(
        &post(&service, "/v1/billing/cancel", &key, &json!({"confirm": "yes"})),
        400,
        "nothing_to_cancel",
        None,
    );

    let ordered = checkout(&service, &key, "pro");
    let url = pay_url(&ordered);
    let body = ordered.json();
    assert_eq!(
        (&body["ok"], &body["plan"], &body["method"], &body["status"], &body["amount_cents"]),
        (&json!(true), &json!("pro"), &json!("PIX"), &json!("awaiting_payment"), &json!(9_900))
    );
    assert!(body["due_date"].is_string() && body["checkout_id"].is_string(), "{body}");
    assert_eq!(pay_url(&checkout(&service, &key, "pro")), url, "the same open checkout");
    assert_eq!(plan(&service, &key), "free", "until it is paid");
    assert_eq!(status(&service, &key)["subscription"]["status"], "awaiting_payment");
    assert_eq!(status(&service, &key)["subscription"]["pay_url"], url.as_str());

    for (language, words) in [("pt", ["Pagar", "R$ 99,00"]), ("en", ["Pay", "R$ 99.00"])] {
        let page = get(service.listen, &format!("{}?lang={language}", path(&url)));
        assert_eq!(page.status, 200);
        assert!(words.iter().all(|word| page.text().contains(word)), "{}", page.text());
        let policy = page.header("content-security-policy").expect("a policy").to_owned();
        assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
        assert!(page.text().contains("noindex") && !page.text().contains("<script>"), "{}", page.text());
        assert!(page.text().contains(&format!("<html lang=\"{language}")));
    }
    assert_eq!(press(&service, &url, "expire").status, 303);
    assert!(get(service.listen, path(&url)).text().contains("Vencido"));
    assert_eq!(press(&service, &url, "pay").status, 303);
    awaited("the plan", SOON, || (plan(&service, &key) == "pro").then_some(()));
    assert_eq!(press(&service, &url, "pay").status, 303, "a second press credits nothing");
    let paid = status(&service, &key);
    assert_eq!((&paid["plan"], &paid["subscription"]["status"]), (&json!("pro"), &json!("active")));
    assert_eq!(paid["subscription"]["auto_renew"], true);
    assert!(paid["subscription"].get("pay_url").is_none(), "{paid}");
    refused(&checkout(&service, &key, "pro"), 400, "same_plan", Some("plan"));

    let asked = post(&service, "/v1/billing/cancel", &key, &json!({})).json();
    assert_eq!(
        (&asked["canceled"], &asked["confirmation_required"]),
        (&json!(false), &json!(true)),
        "{asked}"
    );
    assert_eq!(asked["ends_at"], paid["subscription"]["paid_until"]);
    assert_eq!(status(&service, &key)["subscription"]["status"], "active");
    for _ in 0..2 {
        let canceled = post(&service, "/v1/billing/cancel", &key, &json!({"confirm": "yes"})).json();
        assert_eq!((&canceled["ok"], &canceled["canceled"]), (&json!(true), &json!(true)), "{canceled}");
        assert_eq!(canceled["ends_at"], paid["subscription"]["paid_until"]);
    }
    let after = status(&service, &key);
    assert_eq!((&after["plan"], &after["subscription"]["status"]), (&json!("pro"), &json!("canceled")));
    assert_eq!(after["subscription"]["auto_renew"], false);

    assert_eq!(press(&service, &url, "refund").status, 303);
    awaited("the free plan", SOON, || (plan(&service, &key) == "free").then_some(()));
    assert_eq!(status(&service, &key)["subscription"]["status"], "none");
    // welcome, overdue, paid, canceled and refunded; the overdue one may have been obsolete when it was written
    let mails = awaited("the mails", SOON, || {
        let all = outbox(&service, "maria@x.example", 1);
        let has = |words: &str| all.iter().any(|mail| mail.body.contains(words));
        (has("Your payment for") && has("was refunded")).then_some(all.len())
    });
    assert!((3..=5).contains(&mails), "{mails}");
    assert!(!service.log().contains(CPF) && !service.log().contains("maria@"), "{}", service.log());
    assert_nowhere(&service, CPF);
}

#[test]
fn a_confirmation_that_is_no_text_is_told_which_text_it_is() {
    let Shared { service, pro, .. } = shared();
    for confirm in [json!(true), json!(1), json!(["yes"])] {
        let answer = post(service, "/v1/billing/cancel", pro, &json!({"confirm": confirm}));
        refused(&answer, 400, "wrong_type", Some("confirm"));
        assert_eq!(answer.json()["error"], "Send confirm as the string \"yes\".");
    }
}

#[test]
fn a_plan_that_is_canceled_already_needs_no_confirmation_and_a_payment_page_says_for_which_plan_it_is() {
    let service = Service::start();
    let key = signed_up(&service, "rita@x.example");
    let url = pay_url(&checkout(&service, &key, "pro"));
    let ordered = status(&service, &key);
    assert_eq!(ordered["subscription"]["pay_url_plan"], "pro");
    assert_eq!(press(&service, &url, "pay").status, 303);
    awaited("the plan", SOON, || (plan(&service, &key) == "pro").then_some(()));
    let paid = status(&service, &key);
    assert!(paid["subscription"].get("pay_url_plan").is_none(), "{paid}");

    post(&service, "/v1/billing/cancel", &key, &json!({"confirm": "yes"}));
    for body in [json!({}), json!({"confirm": "yes"})] {
        let again = post(&service, "/v1/billing/cancel", &key, &body).json();
        assert_eq!((&again["canceled"], again.get("confirmation_required")), (&json!(true), None), "{again}");
        assert_eq!(again["ends_at"], paid["subscription"]["paid_until"]);
        assert!(
            again["message"].as_str().is_some_and(|text| text.starts_with("Canceled already:")),
            "{again}"
        );
    }

    let next = pay_url(&checkout(&service, &key, "business"));
    let after = status(&service, &key);
    let shown = ["plan", "status", "pay_url", "pay_url_plan"].map(|field| &after["subscription"][field]);
    assert_eq!(shown, ["pro", "canceled", &next, "business"], "{after}");
    // a newer order can be canceled too
    let asked = post(&service, "/v1/billing/cancel", &key, &json!({})).json();
    assert_eq!(asked["confirmation_required"], true, "{asked}");
}

#[test]
fn the_mail_of_a_refund_names_the_plan_that_the_operator_has_given() {
    let service = Service::start();
    let key = signed_up(&service, "ana@x.example");
    let url = pay_url(&checkout(&service, &key, "pro"));
    assert_eq!(press(&service, &url, "pay").status, 303);
    awaited("the plan", SOON, || (plan(&service, &key) == "pro").then_some(()));
    let of = ["account", "grant", "--email", "ana@x.example", "--plan", "gringo"];
    let words = [&of[..], &["--until", "2099-12-31", "--reason", "a project"]].concat();
    printed(&run(&service.data, &words), 0);
    assert_eq!(press(&service, &url, "refund").status, 303);
    awaited("the granted plan", SOON, || (plan(&service, &key) == "gringo").then_some(()));
    let told = awaited("the mail", SOON, || {
        let all = outbox(&service, "ana@x.example", 1);
        all.into_iter().find(|mail| mail.body.contains("was refunded"))
    });
    let text = told.body.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Your plan is Gringo now") && !text.contains("the free one"), "{text}");
}

#[test]
fn a_key_that_is_issued_by_hand_changes_no_plan_that_is_paid_for() {
    let service = Service::start();
    let key = signed_up(&service, "bia@x.example");
    let url = pay_url(&checkout(&service, &key, "pro"));
    assert_eq!(press(&service, &url, "pay").status, 303);
    awaited("the plan", SOON, || (plan(&service, &key) == "pro").then_some(()));
    let issue = ["key", "issue", "--email", "bia@x.example"];
    let refuses = |why: &str| {
        let said = printed_error(&run(&service.data, &[&issue[..], &["--plan", "free"]].concat()));
        assert!(said.contains("has a subscription") && said.contains("account plan"), "{why}: {said}");
    };
    refuses("it renews");
    let canceled = post(&service, "/v1/billing/cancel", &key, &json!({"confirm": "yes"})).json();
    assert_eq!(canceled["canceled"], true, "{canceled}");
    refuses("its month lasts");
    for same in [&[][..], &["--plan", "pro"]] {
        printed(&run(&service.data, &[&issue[..], same].concat()), 0);
    }
    assert_eq!(plan(&service, &key), "pro");
}

/// Asserts that a text is in no file of the data folder.
fn assert_nowhere(service: &Service, text: &str) {
    let mut folders = vec![service.data.clone()];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap_or_default();
                let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
                assert!(!found, "{} holds it", path.display());
            }
        }
    }
}

#[test]
fn an_invalid_checkout_is_refused_with_the_name_of_its_parameter() {
    let service = &crate::service::shared().service;
    let key = signed_up(service, "wishes@x.example");
    let order = |body: Value| post(service, "/v1/billing/checkout", &key, &body);
    refused(&order(json!({"tax_id": CPF})), 400, "missing_param", Some("plan"));
    refused(&order(json!({"plan": "free", "tax_id": CPF})), 400, "bad_plan", Some("plan"));
    refused(&order(json!({"plan": "gold", "tax_id": CPF})), 400, "bad_plan", Some("plan"));
    refused(&order(json!({"plan": 7, "tax_id": CPF})), 400, "wrong_type", Some("plan"));
    refused(&order(json!({"plan": "pro"})), 400, "missing_param", Some("tax_id"));
    refused(&order(json!({"plan": "pro", "tax_id": ""})), 400, "missing_param", Some("tax_id"));
    refused(&order(json!({"plan": "pro", "tax_id": "52998224724"})), 400, "bad_tax_id", Some("tax_id"));
    refused(
        &order(json!({"plan": "pro", "tax_id": CPF, "method": "CASH"})),
        400,
        "bad_method",
        Some("method"),
    );
    let long = "a".repeat(101);
    refused(&order(json!({"plan": "pro", "tax_id": CPF, "name": long})), 400, "text_too_long", Some("name"));
    for path in ["/v1/billing/checkout", "/v1/billing/status", "/v1/billing/cancel"] {
        refused(&service.post_to(path, &[], &json!({"plan": "pro"})), 401, "missing_key", None);
        refused(&get(service.listen, path), 405, "method_not_allowed", None);
    }
    assert_eq!(post(service, "/v1/billing/status", &key, &json!({})).status, 200);
    let bare = exchange(service.listen, &request("POST", "/v1/billing/status", &[("x-api-key", &key)], b""));
    assert_eq!(bare.status, 200, "a body is optional");
    for unknown in ["chk_0000000000000000", "chk_unknown"] {
        assert_eq!(get(service.listen, &format!("/sandbox/{unknown}")).status, 404, "{unknown}");
    }
    assert_eq!(get(service.listen, "/sandbox/%3Cscript%3E").status, 404);
}

#[test]
fn every_form_of_a_cnpj_is_accepted() {
    let service = &crate::service::shared().service;
    for (number, tax_id) in ["12ABC34501DE35", "12.abc.345/01de-35", "11222333000181"].into_iter().enumerate()
    {
        let key = signed_up(service, &format!("company{number}@x.example"));
        let body = json!({"plan": "business", "tax_id": tax_id, "name": "Padaria São José"});
        let answer = post(service, "/v1/billing/checkout", &key, &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["amount_cents"], 49_900);
    }
}

#[test]
fn a_repeated_idempotency_key_returns_the_same_order() {
    let service = &crate::service::shared().service;
    let key = signed_up(service, "again@x.example");
    let ask = |name: &str, plan: &str| {
        let body = json!({"plan": plan, "tax_id": CPF});
        service.post_to("/v1/billing/checkout", &[("x-api-key", &key), ("idempotency-key", name)], &body)
    };
    let first = ask("one", "pro");
    assert_eq!(ask("one", "pro").json(), first.json());
    refused(&ask("one", "business"), 400, "idempotency_mismatch", None);
    refused(&ask("a b", "pro"), 400, "bad_idempotency_key", None);
    let second = ask("two", "business");
    assert_ne!(pay_url(&second), pay_url(&first));
    refused(&ask("one", "pro"), 400, "order_closed", None);
    assert_eq!(pay_url(&ask("two", "business")), pay_url(&second));
    // keys are separate for each account
    let other = signed_up(service, "another@x.example");
    let headers = [("x-api-key", other.as_str()), ("idempotency-key", "one")];
    let theirs = service.post_to("/v1/billing/checkout", &headers, &json!({"plan": "gringo", "tax_id": CPF}));
    assert_eq!(theirs.status, 200, "{}", theirs.text());
    assert_eq!(press(service, &pay_url(&second), "pay").status, 303);
    awaited("the plan", SOON, || (plan(service, &key) == "business").then_some(()));
    assert_eq!(ask("two", "business").json()["status"], "paid");
    assert_eq!(press(service, &pay_url(&second), "refund").status, 303);
    awaited("the free plan", SOON, || (plan(service, &key) == "free").then_some(()));
    refused(&ask("two", "business"), 400, "order_closed", None);
}

#[test]
fn an_order_that_waits_for_its_payment_can_be_withdrawn() {
    let service = &crate::service::shared().service;
    let key = signed_up(service, "doubts@x.example");
    let cancel = |body: Value| post(service, "/v1/billing/cancel", &key, &body);
    pay_url(&checkout(service, &key, "pro"));
    let asked = cancel(json!({})).json();
    assert_eq!(
        (&asked["canceled"], &asked["confirmation_required"]),
        (&json!(false), &json!(true)),
        "{asked}"
    );
    assert_eq!(status(service, &key)["subscription"]["status"], "awaiting_payment");
    let withdrawn = cancel(json!({"confirm": "yes"})).json();
    assert_eq!(withdrawn["canceled"], true, "{withdrawn}");
    assert!(withdrawn["message"].as_str().is_some_and(|text| text.starts_with("Withdrawn:")), "{withdrawn}");
    assert!(withdrawn["ends_at"].is_string(), "{withdrawn}");
    let after = status(service, &key);
    assert_eq!((&after["plan"], &after["subscription"]["status"]), (&json!("free"), &json!("none")));
    assert!(after["subscription"].get("pay_url").is_none(), "{after}");
    refused(&cancel(json!({"confirm": "yes"})), 400, "nothing_to_cancel", None);
    pay_url(&checkout(service, &key, "gringo"));
}

#[test]
fn a_customer_whose_calls_of_the_minute_are_used_up_can_order_a_larger_plan() {
    let service = Service::start_with(&["plans.free.per_minute=1"]);
    let key = signed_up(&service, "busy@x.example");
    awaited("the end of the minute's calls", SOON, || {
        (service.ask(&key, json!({"action": "summary"})).status == 429).then_some(())
    });
    pay_url(&checkout(&service, &key, "pro"));
}

#[test]
fn the_mail_of_a_payment_is_a_receipt() {
    let service = &crate::service::shared().service;
    let key = signed_up(service, "books@x.example");
    let ordered = checkout(service, &key, "pro");
    assert_eq!(press(service, &pay_url(&ordered), "pay").status, 303);
    let receipt = awaited("the mail", SOON, || {
        let all = outbox(service, "books@x.example", 1);
        all.into_iter().find(|mail| mail.body.contains("We have your payment"))
    });
    let order = ordered.json()["checkout_id"].as_str().expect("an order").to_owned();
    for line in [
        "Plano: Pro",
        "Valor: R$ 99,00",
        "Amount: R$ 99.00",
        &format!("Pedido: {order}"),
        &format!("Order: {order}"),
        "renova todo mês",
        "renews every month",
        "/conta/cancelar\"",
        "/en/account/cancel\"",
        "/contato\"",
        "desta compra",
        ">Abrir minha conta</a>",
    ] {
        assert!(receipt.body.contains(line), "{line}: {}", receipt.body);
    }
}

#[test]
fn orders_of_an_account_are_limited_by_day() {
    let service = Service::start();
    let key = service.key("free");
    let mut refusals = 0;
    for number in 0..24 {
        let answer = checkout(&service, &key, ["gringo", "pro"][number % 2]);
        if answer.status != 200 {
            refused(&answer, 429, "too_many_checkouts", None);
            refusals += 1;
        }
    }
    assert_eq!(refusals, 2, "the twentieth stays open, and a request for it is not a new order");
    // whoever has a leaked key leaves its owner those of the next one
    let rotated = post(&service, "/v1/keys/rotate", &key, &json!({}));
    let new = rotated.json()["api_key"].as_str().expect("a key").to_owned();
    pay_url(&checkout(&service, &new, "business"));
}

#[test]
fn checkout_is_closed_without_a_gateway() {
    let service = Service::start_with(&["payments=none"]);
    let key = service.key("free");
    let answer = checkout(&service, &key, "pro");
    refused(&answer, 503, "billing_closed", None);
    assert!(answer.header("retry-after").is_some());
    assert_eq!(status(&service, &key)["subscription"]["status"], "none");
    assert_eq!(get(service.listen, "/sandbox/chk_1").status, 404);
}

#[test]
fn the_sandbox_starts_only_on_a_local_base_url() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    for url in ["https://guia.example", "http://10.0.0.1", "http://127.0.0.1.example"] {
        let setting = format!("base_url={url}");
        let free = ["--set", "listen=127.0.0.1:0", "--set", "ops_listen=127.0.0.1:0"];
        let words =
            [&["serve", "--set", "mail=none", "--set", "payments=sandbox", "--set", &setting][..], &free]
                .concat();
        let refused = run(&data, &words);
        assert_eq!(refused.status.code(), Some(1), "{url}");
        let body = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(body.contains("sandbox") && body.contains("base_url"), "{body}");
    }
}

/// A key from a mail that either of two processes with one store may have sent.
fn signed_up_with_either(one: &Service, two: &Service) -> String {
    assert_eq!(crate::mail::sign_up(one, "maria@x.example").status, 200);
    awaited("the key", SOON, || {
        [one, two].into_iter().find_map(|service| {
            crate::mail::mails(&service.data.join("outbox")).iter().find_map(crate::mail::Mail::key)
        })
    })
}

#[test]
fn two_processes_on_redis_learn_of_a_plan_within_a_second() {
    let redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let (one, two) = (Service::start_with(&[&store]), Service::start_with(&[&store]));
    let key = signed_up_with_either(&one, &two);
    assert_eq!((plan(&one, &key), plan(&two, &key)), ("free".to_owned(), "free".to_owned()));
    let url = pay_url(&checkout(&one, &key, "pro"));
    assert_eq!(pay_url(&checkout(&two, &key, "pro")), url);
    assert_eq!(press(&two, &url, "pay").status, 303);
    let begun = Instant::now();
    for service in [&one, &two] {
        awaited("the plan", Duration::from_millis(1_500), || (plan(service, &key) == "pro").then_some(()));
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
    for (name, counted) in [
        ("orders", 1),
        ("payments_credited", 1),
        ("webhook_events_stored", 1),
        ("webhook_events_processed", 1),
    ] {
        let of = |service: &Service| service.counted(&format!("candango_{name}_total"));
        assert_eq!(of(&one) + of(&two), counted, "{name}");
    }
    let canceled = post(&one, "/v1/billing/cancel", &key, &json!({"confirm": "yes"}));
    assert_eq!(canceled.json()["canceled"], true, "{}", canceled.text());
    assert_eq!(status(&two, &key)["subscription"]["status"], "canceled");
    let kept = everything(&redis);
    assert!(kept.contains("tax_last4"), "the subscription is stored: {kept}");
    assert!(!kept.contains(CPF));
    let log = format!("{}{}", one.log(), two.log());
    assert!(!log.contains(CPF) && !log.contains("maria@"));
}

/// Everything in a Redis, as text.
fn everything(redis: &RedisServer) -> String {
    let mut all = String::new();
    for name in redis.say::<Vec<String>>(&["KEYS", "*"]) {
        let kind: String = redis.say(&["TYPE", &name]);
        let read: &[&str] = match kind.as_str() {
            "string" => &["GET", &name],
            "hash" => &["HGETALL", &name],
            "set" => &["SMEMBERS", &name],
            "zset" => &["ZRANGE", &name, "0", "-1"],
            "stream" => &["XRANGE", &name, "-", "+"],
            // it has expired meanwhile
            "none" => continue,
            other => panic!("{name} is a {other}"),
        };
        all.push_str(&format!("{name}: {:?}\n", redis.say::<redis::Value>(read)));
    }
    all
}

#[test]
fn a_plan_that_another_process_has_just_credited_is_not_sold_twice() {
    let redis = RedisServer::start();
    let store = format!("store={}", redis.url());
    let (one, two) = (Service::start_with(&[&store]), Service::start_with(&[&store]));
    let key = signed_up_with_either(&one, &two);
    for (paying, asked) in [(&one, &two), (&two, &one)] {
        assert_eq!(plan(asked, &key), "free", "cached by the process");
        let url = pay_url(&checkout(asked, &key, "pro"));
        assert_eq!(press(paying, &url, "pay").status, 303);
        refused(&checkout(asked, &key, "pro"), 400, "same_plan", Some("plan"));
        assert_eq!(press(paying, &url, "refund").status, 303);
        awaited("the free plan", SOON, || (plan(asked, &key) == "free").then_some(()));
    }
}

#[test]
fn an_operator_cannot_lose_a_paid_plan() {
    let service = Service::start();
    let key = service.key("free");
    assert_eq!(press(&service, &pay_url(&checkout(&service, &key, "pro")), "pay").status, 303);
    awaited("the plan", SOON, || (plan(&service, &key) == "pro").then_some(()));
    let further = ["key", "issue", "--email", "free@b.c", "--json"];
    let issued = printed_json(&run(&service.data, &further), 0);
    assert_eq!(issued["plan"], "pro", "another key changes nothing");
    // and a payment counts, whatever plan was set meanwhile
    let set = ["account", "plan", "--email", "free@b.c", "--plan", "free"];
    let refused = run(&service.data, &set);
    assert_eq!(refused.status.code(), Some(1), "the subscription would go on charging");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--cancel-subscription"), "{refused:?}");
    let set = run(&service.data, &[set.as_slice(), &["--cancel-subscription"]].concat());
    assert!(set.status.success(), "{set:?}");
    awaited("the free plan", SOON, || (plan(&service, &key) == "free").then_some(()));
    let higher = ["account", "plan", "--email", "free@b.c", "--plan", "business", "--json"];
    let higher = printed_json(&run(&service.data, &higher), 0);
    assert!(higher["until"].is_string(), "the end of the paid time ends this too: {higher}");
    assert_eq!(press(&service, &pay_url(&checkout(&service, &key, "pro")), "pay").status, 303);
    awaited("the plan", SOON, || (plan(&service, &key) == "pro").then_some(()));
}
