//! Billing with Asaas, played by a fake server that fails in every way it can: no double charge, no double credit and
//! no lost credit in any of them.

mod fake;
mod report;
mod timed;
mod told;

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use candango::billing::stored::payments_of;
use serde_json::{Value, json};
use sha2::Digest;

use crate::account_pages::{MARIA, PT, entered, submit};
use crate::billing::pay_url;
use crate::mail::{SOON, awaited, held_search, metric, signed_up};
use crate::redis::RedisServer;
use crate::service::{Answer, Service, exchange, printed_json, request, run};
use fake::{CARD, Fake, Fault, TOKEN};
pub(crate) use timed::Moved;

const CPF: &str = "52998224725";
fn post(address: SocketAddr, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
    let headers = [headers, &[("content-type", "application/json")]].concat();
    exchange(address, &request("POST", path, &headers, body.to_string().as_bytes()))
}

fn checkout(address: SocketAddr, key: &str, plan: &str) -> Answer {
    post(address, "/v1/billing/checkout", &[("x-api-key", key)], &json!({"plan": plan, "tax_id": CPF}))
}

/// The same for Pro, with an idempotency key and another payer.
fn keyed_checkout(address: SocketAddr, key: &str, idempotency_key: &str, tax_id: &str) -> Answer {
    let headers = [("x-api-key", key), ("idempotency-key", idempotency_key)];
    post(address, "/v1/billing/checkout", &headers, &json!({"plan": "pro", "tax_id": tax_id}))
}

/// The plan and the subscription status of a key's account.
fn plan_and_status(address: SocketAddr, key: &str) -> (String, String) {
    let answer = post(address, "/v1/billing/status", &[("x-api-key", key)], &json!({}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&answer["plan"]), text(&answer["subscription"]["status"]))
}

fn paid_until(address: SocketAddr, key: &str) -> Value {
    post(address, "/v1/billing/status", &[("x-api-key", key)], &json!({})).json()["subscription"]["paid_until"]
        .clone()
}

fn becomes(address: SocketAddr, key: &str, plan: &str, status: &str) {
    let (begun, mut pause) = (Instant::now(), Duration::from_millis(20));
    while plan_and_status(address, key) != (plan.to_owned(), status.to_owned()) {
        assert!(begun.elapsed() < SOON, "{:?}, not {plan} and {status}", plan_and_status(address, key));
        thread::sleep(pause);
        // each look is a call of the minute, which does not end where the clock stands still
        pause = (pause * 3 / 2).min(Duration::from_millis(500));
    }
}

/// Sends a webhook, as the gateway does.
fn send(address: SocketAddr, notice: &Value) {
    let begun = Instant::now();
    let answer = post(address, "/webhooks/asaas", &[("asaas-access-token", TOKEN)], notice);
    assert_eq!(answer.status, 200, "{}", answer.text());
    // it waits for neither the gateway nor the worker; the rest is what a busy machine adds
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

/// Waits until the worker has handled everything that is due now: of two further rounds the second began after now.
fn worker_has_looked(ops: SocketAddr) {
    let rounds =
        || ["webhook", "account"].map(|queue| metric(ops, &format!("candango_billing_{queue}_rounds_total")));
    let before = rounds();
    awaited("two rounds of the worker", SOON, || {
        rounds().iter().zip(before).all(|(now, before)| *now >= before + 2).then_some(())
    });
}

fn unavailable(answer: &Answer) {
    assert_eq!((answer.status, answer.json()["code"].as_str()), (503, Some("gateway_unavailable")));
    assert!(answer.header("retry-after").is_some());
    assert!(!answer.text().contains("own words"), "{}", answer.text());
}

/// A fake gateway, a service that uses it, the service's address, and a key of a free account.
fn start() -> (Fake, Service, SocketAddr, String) {
    let fake = Fake::start();
    let service = fake.serve();
    let (address, key) = (service.listen, service.key("free"));
    (fake, service, address, key)
}

/// Orders a plan and pays its first month, with the webhook `evt_1`.
fn pay(fake: &Fake, address: SocketAddr, key: &str, plan: &str) {
    pay_url(&checkout(address, key, plan));
    send(address, &fake.webhook("evt_1", "PAYMENT_CONFIRMED", 0));
    becomes(address, key, plan, "active");
}

#[test]
fn checkout_creates_a_subscription_and_returns_the_charge_that_is_due_first() {
    let fake = Fake::start();
    fake.ledger().charges = 2;
    let service = fake.serve();
    let (address, key) = (service.listen, service.key("free"));
    let url = pay_url(&checkout(address, &key, "gringo"));
    assert_eq!(url, "https://pay.example/i/pay_sub_0_9", "the charge that is due first");
    let ledger = fake.ledger();
    let sent = |begins: &str| {
        let found = ledger.calls.iter().find(|(call, _)| call.starts_with(begins));
        found.map(|(_, sent)| sent.clone()).expect("a call")
    };
    let customer = sent("POST /v3/customers");
    assert_eq!((&customer["cpfCnpj"], &customer["email"]), (&json!(CPF), &json!("free@b.c")));
    assert_eq!(customer["notificationDisabled"], true);
    let order = sent("POST /v3/subscriptions");
    assert_eq!(
        (&order["customer"], &order["billingType"], &order["value"], &order["cycle"]),
        (&json!("cus_0"), &json!("UNDEFINED"), &json!(19.9), &json!("MONTHLY"))
    );
    assert!(order["externalReference"].as_str().expect("a name").starts_with("chk_"));
}

#[test]
fn payers_are_led_back_to_the_account_and_an_order_does_without_if_the_gateway_refuses() {
    let fake = Fake::start();
    let mut settings = fake.settings();
    // a public service that takes money names who can be written to
    settings.extend(
        ["base_url=https://guia.example", "mail=none", "contact_email=oi@guia.example"].map(str::to_owned),
    );
    let service = Service::start_with(&settings.iter().map(String::as_str).collect::<Vec<_>>());
    let (address, key) = (service.listen, service.key("free"));
    pay_url(&checkout(address, &key, "gringo"));
    let back = &fake.subscriptions()[0]["callback"];
    assert_eq!(*back, json!({"successUrl": "https://guia.example/conta/pago", "autoRedirect": true}));
    fake.ledger().refuses_return = true;
    pay_url(&checkout(address, &key, "pro"));
    let made = fake.subscriptions();
    assert_eq!(made.len(), 2, "one each");
    assert!(made[1].get("callback").is_none(), "{}", made[1]);
}

#[test]
fn a_payment_is_credited_once_however_often_it_is_reported() {
    let (fake, service, address, key) = start();
    pay_url(&checkout(address, &key, "pro"));
    // the last events first, each three times
    for round in 0..3 {
        for event in
            ["PAYMENT_OVERDUE", "PAYMENT_CREATED", "PAYMENT_RECEIVED", "PAYMENT_CONFIRMED", "PAYMENT_UPDATED"]
        {
            send(address, &fake.webhook(&format!("evt_{event}&{}", round % 2), event, 0));
        }
        becomes(address, &key, "pro", "active");
    }
    let until = paid_until(address, &key);
    // a card payment is received 32 days later, in another event
    send(address, &fake.webhook("evt_late&1", "PAYMENT_RECEIVED", 0));
    send(address, &fake.webhook("evt_unknown", "PAYMENT_SPLIT_DIVERGENCE_BLOCK", 0));
    send(address, &json!({"id": "evt_other", "event": "INVOICE_CREATED", "invoice": {"id": "x"}}));
    worker_has_looked(service.ops);
    assert_eq!(paid_until(address, &key), until);
    for (number, event) in ["PAYMENT_CHARGEBACK_REQUESTED", "PAYMENT_REFUNDED"].into_iter().enumerate() {
        send(address, &fake.webhook(&format!("evt_back&{number}"), event, 0));
        becomes(address, &key, "free", "none");
    }
    send(address, &fake.webhook("evt_again&1", "PAYMENT_RECEIVED", 0));
    worker_has_looked(service.ops);
    assert_eq!(plan_and_status(address, &key).0, "free", "a refund is final");
    let log = service.log();
    assert!(!log.contains(CPF) && !log.contains(CARD) && !log.contains("free@b.c") && !log.contains(TOKEN));
    let store = std::fs::read(service.data.join("candango.db-wal")).unwrap_or_default();
    let store = String::from_utf8_lossy(&store);
    assert!(!store.contains(CPF) && !store.contains(CARD));
}

#[test]
fn a_webhook_with_a_wrong_token_changes_nothing() {
    let (fake, service, address, key) = start();
    pay_url(&checkout(address, &key, "pro"));
    let paid = fake.webhook("evt_1", "PAYMENT_RECEIVED", 0);
    let long = "x".repeat(5_000);
    for token in [None, Some(""), Some("whsec_0123456788"), Some("whsec"), Some(long.as_str())] {
        let headers: Vec<(&str, &str)> =
            token.map(|token| ("asaas-access-token", token)).into_iter().collect();
        let answer = post(address, "/webhooks/asaas", &headers, &paid);
        assert_eq!(answer.status, 401, "{}", answer.text());
    }
    let mut small = fake.webhook("evt_2", "PAYMENT_RECEIVED", 0);
    small["payment"]["value"] = json!(98.99);
    let mut strange = fake.webhook("evt_3", "PAYMENT_RECEIVED", 0);
    strange["payment"]["subscription"] = json!("sub_77");
    strange["payment"]["externalReference"] = json!("chk_77");
    let mut nobody = fake.webhook("evt_4", "PAYMENT_RECEIVED", 0);
    (nobody["payment"]["subscription"], nobody["payment"]["externalReference"]) = (Value::Null, Value::Null);
    for notice in [&small, &strange, &nobody, &json!([]), &json!({"id": 7}), &json!("text")] {
        send(address, notice);
    }
    worker_has_looked(service.ops);
    assert_eq!(plan_and_status(address, &key), ("free".to_owned(), "awaiting_payment".to_owned()));
    send(address, &paid);
    becomes(address, &key, "pro", "active");
}

#[test]
fn a_failed_checkout_that_is_repeated_creates_one_subscription() {
    let again = [
        ("POST /v3/subscriptions", Fault::Before(500)),
        ("POST /v3/subscriptions", Fault::Before(429)),
        ("POST /v3/subscriptions", Fault::Before(401)),
        ("POST /v3/customers", Fault::Before(503)),
        ("POST /v3/customers", Fault::After(500)),
    ];
    for (call, fault) in again {
        let fake = Fake::start();
        let service = fake.serve();
        let (address, key) = (service.listen, service.key("free"));
        fake.fails(call, fault);
        unavailable(&checkout(address, &key, "pro"));
        let url = pay_url(&checkout(address, &key, "pro"));
        assert_eq!(pay_url(&checkout(address, &key, "pro")), url);
        assert_eq!(fake.subscriptions().len(), 1, "{call} {fault:?}");
        assert!(!service.log().contains("own words"), "{}", service.log());
    }
}

#[test]
fn a_key_that_asaas_refuses_is_told_to_the_operator_and_not_tried_again() {
    for status in [401, 403] {
        let (fake, service, address, key) = start();
        fake.fails("GET /v3/customers", Fault::Before(status));
        // outside it is like any other failure
        unavailable(&checkout(address, &key, "pro"));
        let asked =
            fake.ledger().calls.iter().filter(|(call, _)| call.starts_with("GET /v3/customers")).count();
        assert_eq!(asked, 1, "it is not tried again");
        let log = service.logged("orders cannot be created at the gateway");
        let line = log.lines().find(|line| line.contains("orders cannot be created at the gateway"));
        let line = line.unwrap_or_else(|| panic!("{log}"));
        assert!(line.contains("asaas.api_key") && line.contains(&format!("status {status}")), "{line}");
        assert!(line.contains("ERROR"), "{line}");
        pay_url(&checkout(address, &key, "pro"));
        assert_eq!(fake.subscriptions().len(), 1);
    }
}

#[test]
fn a_call_too_many_is_not_tried_again_at_once() {
    let (fake, _service, address, key) = start();
    fake.fails("GET /v3/customers", Fault::Before(429));
    unavailable(&checkout(address, &key, "pro"));
    let asked = fake.ledger().calls.iter().filter(|(call, _)| call.starts_with("GET /v3/customers")).count();
    assert_eq!(asked, 1, "each try would count against the limit");
    pay_url(&checkout(address, &key, "pro"));
    assert_eq!(fake.subscriptions().len(), 1);
}

#[test]
fn a_tax_number_that_is_refused_while_the_store_fails_is_the_payers_error_all_the_same() {
    let redis = RedisServer::start();
    let fake = Fake::start();
    let mut settings = fake.settings();
    settings.push(format!("store={}", redis.url()));
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let service = Service::start_with(&settings);
    let issued = run(
        &service.data,
        &["key", "issue", "--email", "a@b.c", "--json", "--set", &format!("store={}", redis.url())],
    );
    let key = printed_json(&issued, 0)["api_key"].as_str().expect("a key").to_owned();
    let address = service.listen;
    fake.fails("POST /v3/customers", Fault::LateRefusal(Duration::from_secs(3)));
    let asked = || fake.ledger().calls.iter().any(|(call, _)| call.starts_with("POST /v3/customers"));
    let answer = thread::scope(|scope| {
        let asking = scope.spawn(|| checkout(address, &key, "pro"));
        awaited("the call of the gateway", SOON, || asked().then_some(()));
        redis.freeze(true);
        asking.join().expect("an answer")
    });
    redis.freeze(false);
    assert_eq!((answer.status, answer.json()["param"].as_str()), (400, Some("tax_id")), "{}", answer.text());
    service.logged("the failure of a checkout could not be stored");
    // the right to create the order ends by itself, and another number is another order
    let body = json!({"plan": "pro", "tax_id": "11144477735"});
    let again = || post(address, "/v1/billing/checkout", &[("x-api-key", &key)], &body);
    awaited("an order with another number", SOON, || (again().status == 200).then_some(()));
}

#[test]
fn a_subscription_whose_answer_is_lost_is_found_and_not_created_twice() {
    let (fake, _service, address, key) = start();
    fake.fails("POST /v3/subscriptions", Fault::Hang);
    pay_url(&checkout(address, &key, "gringo"));
    assert_eq!(fake.subscriptions().len(), 1, "after a time-out");

    // reads are retried
    fake.fails("GET /v3/customers", Fault::Before(500));
    fake.fails("GET /v3/customers", Fault::Before(503));
    pay_url(&checkout(address, &key, "business"));
    assert_eq!(fake.subscriptions().len(), 2);
    // the replaced one is canceled at the gateway
    awaited("the cancellation of the other", SOON, || {
        (fake.subscriptions()[0]["deleted"] == true).then_some(())
    });
    assert_eq!(fake.subscriptions()[1]["deleted"], false);
}

#[test]
fn a_subscription_that_cannot_be_looked_up_is_found_by_the_next_request() {
    let (fake, _service, address, key) = start();
    fake.fails("POST /v3/subscriptions", Fault::After(500));
    for _ in 0..3 {
        fake.fails("GET /v3/subscriptions?", Fault::Before(500));
    }
    unavailable(&checkout(address, &key, "pro"));
    let url = pay_url(&checkout(address, &key, "pro"));
    assert_eq!(pay_url(&checkout(address, &key, "pro")), url);
    assert_eq!(fake.subscriptions().len(), 1);
}

#[test]
fn checkout_waits_for_the_first_charge() {
    let (fake, _service, address, key) = start();
    fake.ledger().empty = 3;
    pay_url(&checkout(address, &key, "gringo"));
    fake.ledger().empty = 40;
    unavailable(&checkout(address, &key, "pro"));
    fake.ledger().empty = 0;
    pay_url(&checkout(address, &key, "pro"));
    assert_eq!(fake.subscriptions().len(), 2, "the order was kept");
}

#[test]
fn a_tax_number_that_the_gateway_refuses_is_a_client_error() {
    let (fake, _service, address, key) = start();
    fake.fails("POST /v3/customers", Fault::Before(400));
    let answer = checkout(address, &key, "pro");
    assert_eq!((answer.status, answer.json()["param"].as_str()), (400, Some("tax_id")), "{}", answer.text());
    pay_url(&checkout(address, &key, "pro"));
    assert_eq!(fake.subscriptions().len(), 1);
}

#[test]
fn concurrent_checkouts_create_one_subscription() {
    let (fake, _service, address, key) = start();
    let urls: Vec<String> = thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| pay_url(&checkout(address, &key, "pro")))).collect();
        all.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    assert!(urls.iter().all(|url| *url == urls[0]), "{urls:?}");
    assert_eq!(fake.subscriptions().len(), 1);
}

#[test]
fn a_cancellation_reaches_a_gateway_that_fails() {
    let (fake, service, address, key) = start();
    pay(&fake, address, &key, "pro");
    fake.fails("DELETE", Fault::Before(500));
    fake.fails("DELETE", Fault::After(503));
    let canceled =
        post(address, "/v1/billing/cancel", &[("x-api-key", &key)], &json!({"confirm": "yes"})).json();
    assert_eq!(canceled["canceled"], true, "{canceled}");
    awaited("the end", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    send(address, &json!({"id": "evt_2", "event": "SUBSCRIPTION_DELETED", "subscription": {"id": "sub_0"}}));
    send(address, &fake.webhook("evt_3", "PAYMENT_DELETED", 0));
    worker_has_looked(service.ops);
    assert_eq!(
        plan_and_status(address, &key),
        ("pro".to_owned(), "canceled".to_owned()),
        "to the end of the month"
    );
}

#[test]
fn no_subscription_is_called_canceled_while_its_gateway_cannot_be_asked() {
    let fake = Fake::start();
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let service = fake.serve_on(&folder);
    let key = service.key("free");
    pay(&fake, service.listen, &key, "pro");
    service.kill();
    let erase = |settings: &[String]| {
        let set = settings.iter().flat_map(|setting| ["--set", setting]);
        let words: Vec<&str> = ["account", "erase", "--email", "free@b.c"].into_iter().chain(set).collect();
        run(&data, &words).status.code()
    };
    let token = format!("asaas.webhook_token={TOKEN}");
    for payments in ["payments=sandbox", "payments=none"] {
        let service = Service::start_on_with(&data, &[payments, &token]);
        let address = service.listen;
        for body in [json!({}), json!({"confirm": "yes"})] {
            unavailable(&post(address, "/v1/billing/cancel", &[("x-api-key", &key)], &body));
        }
        assert_eq!(plan_and_status(address, &key), ("pro".to_owned(), "active".to_owned()));
        service.logged("a subscription cannot be canceled");
        if payments == "payments=none" {
            // all money goes back, so it has to end
            send(address, &fake.webhook("evt_2", "PAYMENT_REFUNDED", 0));
            becomes(address, &key, "free", "none");
            service.logged("payments cannot be read from the gateway");
        }
        assert_eq!(erase(&[payments.to_owned()]), Some(1));
        assert_eq!(fake.subscriptions()[0]["deleted"], false, "{payments}");
        service.kill();
    }
    assert_eq!(erase(&fake.settings()), Some(0));
    assert_eq!(fake.subscriptions()[0]["deleted"], true);
}

#[test]
fn a_cancellation_at_the_gateway_ends_the_renewal_and_not_the_month() {
    let (fake, _service, address, key) = start();
    pay(&fake, address, &key, "pro");
    let gone = json!({"id": "sub_0", "externalReference": null, "dateCreated": "01/03/2026"});
    send(address, &json!({"id": "evt_2", "event": "SUBSCRIPTION_INACTIVATED", "subscription": gone}));
    becomes(address, &key, "pro", "canceled");
}

#[test]
fn a_killed_process_loses_no_order_and_no_payment() {
    let fake = Fake::start();
    let folder = tempfile::tempdir().expect("a folder");
    let service = fake.serve_on(&folder);
    let (address, key) = (service.listen, service.key("free"));
    // killed while it waits for the gateway, which has created the subscription
    fake.fails("POST /v3/subscriptions", Fault::Hang);
    let asking = {
        let key = key.clone();
        thread::spawn(move || {
            let mut stream = crate::service::open(address);
            let body = json!({"plan": "pro", "tax_id": CPF}).to_string();
            let asking = request("POST", "/v1/billing/checkout", &[("x-api-key", &key)], body.as_bytes());
            std::io::Write::write_all(&mut stream, &asking).expect("sent");
            crate::service::read(&mut stream, false)
        })
    };
    awaited("the order", SOON, || (fake.subscriptions().len() == 1).then_some(()));
    service.kill();
    assert!(asking.join().expect("ended").is_none());
    let service = fake.serve_on(&folder);
    let address = service.listen;
    // the dead process still holds the right to create it
    let url = awaited("the order", SOON, || {
        let answer = checkout(address, &key, "pro");
        if answer.status == 503 {
            unavailable(&answer)
        }
        (answer.status == 200).then(|| pay_url(&answer))
    });
    assert_eq!((fake.subscriptions().len(), url.as_str()), (1, "https://pay.example/i/pay_sub_0_9"));
    // killed as soon as it has acknowledged the webhook
    send(address, &fake.webhook("evt_1", "PAYMENT_RECEIVED", 0));
    service.kill();
    let service = fake.serve_on(&folder);
    let begun = Instant::now();
    while plan_and_status(service.listen, &key).0 != "pro" {
        // a webhook that its process had reserved is free again after a while
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", plan_and_status(service.listen, &key));
        thread::sleep(Duration::from_millis(100));
    }
    let until = paid_until(service.listen, &key);
    send(service.listen, &fake.webhook("evt_1", "PAYMENT_RECEIVED", 0));
    worker_has_looked(service.ops);
    assert_eq!(paid_until(service.listen, &key), until);
}

#[test]
fn a_chargeback_cancels_the_subscription() {
    let (fake, _service, address, key) = start();
    pay(&fake, address, &key, "pro");
    send(address, &fake.webhook("evt_2", "PAYMENT_CHARGEBACK_REQUESTED", 0));
    becomes(address, &key, "free", "none");
    awaited("the end", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    let url = pay_url(&checkout(address, &key, "pro"));
    assert_eq!(url, "https://pay.example/i/pay_sub_1_9", "and may begin again");
}

#[test]
fn a_payment_during_the_cancellation_is_not_lost() {
    let fake = Fake::start();
    fake.ledger().paid_at_cancellation = true;
    let service = fake.serve();
    let (address, key) = (service.listen, service.key("free"));
    pay_url(&checkout(address, &key, "pro"));
    // another order replaces it, and no webhook reports the payment
    pay_url(&checkout(address, &key, "gringo"));
    becomes(address, &key, "pro", "canceled");
}

#[test]
fn an_order_during_the_erasure_of_its_account_is_canceled_at_the_gateway() {
    let fake = Fake::start();
    let service = fake.serve();
    let key = signed_up(&service, MARIA);
    let session = entered(&service, &PT, 1);
    let held = held_search(&service.data.join("outbox"));
    let erased = thread::scope(|scope| {
        let erasing = scope.spawn(|| submit(&service, PT.delete, &session, &format!("email={MARIA}")));
        let searching = held.begun();
        pay_url(&checkout(service.listen, &key, "pro"));
        drop(searching);
        erasing.join().expect("an answer")
    });
    assert_eq!(erased.status, 200, "{}", erased.text());
    let deleted: Vec<bool> = fake.subscriptions().iter().map(|one| one["deleted"] == true).collect();
    assert_eq!(deleted, [true], "nobody is charged any more");
    assert_eq!(run(&service.data, &["account", "show", "--email", MARIA]).status.code(), Some(1));
}

#[test]
fn another_payer_gets_another_order() {
    let (fake, _service, address, key) = start();
    let ask = |name: &str, tax_id: &str| keyed_checkout(address, &key, name, tax_id);
    let mismatch = |answer: &Answer| {
        assert_eq!(answer.json()["code"], "idempotency_mismatch", "{}", answer.text());
    };
    // an order refused for its tax number frees its idempotency key
    fake.fails("POST /v3/customers", Fault::Before(400));
    assert_eq!(ask("one", CPF).json()["code"], "bad_tax_id");
    let first = pay_url(&ask("one", "11144477735"));
    mismatch(&ask("one", CPF));
    let second = pay_url(&ask("two", CPF));
    assert_ne!(first, second, "another payer needs another invoice");
    let closed = ask("one", "11144477735");
    assert_eq!(closed.json()["code"], "order_closed", "the second replaced it: {}", closed.text());
    let customers: Vec<Value> = fake.ledger().customers.iter().map(|one| one["cpfCnpj"].clone()).collect();
    assert_eq!(customers, ["11144477735", CPF]);
}

#[test]
fn offices_that_share_the_last_four_characters_are_other_payers() {
    let (fake, _service, address, key) = start();
    let ask = |name: &str, tax_id: &str| keyed_checkout(address, &key, name, tax_id);
    let first = pay_url(&ask("one", "11222333000181"));
    let other = ask("one", "52319252000181");
    assert_eq!(other.json()["code"], "idempotency_mismatch", "{}", other.text());
    assert_ne!(pay_url(&ask("two", "52319252000181")), first);
    assert_eq!(fake.ledger().customers.len(), 2);
}

/// The subscription of the only account that has one, as it is stored.
fn stored(service: &Service) -> String {
    let database = rusqlite::Connection::open(service.data.join("candango.db")).expect("a database");
    database.query_row("SELECT text FROM books", [], |row| row.get(0)).expect("a subscription")
}

#[test]
fn what_tells_payers_apart_needs_the_gateways_key_and_is_gone_once_an_order_is_paid_or_ended() {
    let (fake, service, address, key) = start();
    pay_url(&checkout(address, &key, "gringo"));
    let order = serde_json::from_str::<Value>(&stored(&service)).expect("JSON")["orders"][0].clone();
    let mark = order["payer_mark"].as_str().expect("a mark").to_owned();
    let without_key = sha2::Sha256::digest(format!("{}{CPF}", order["id"].as_str().expect("an id")));
    assert!(!mark.starts_with(&data_encoding::HEXLOWER.encode(&without_key[..2])), "{mark}");
    // an order that another one replaces
    pay_url(&checkout(address, &key, "pro"));
    let text = stored(&service);
    assert!(!text.contains(&mark) && text.matches("payer_mark").count() == 1, "{text}");
    let charge = fake.ledger().payments.len() - 1;
    send(address, &fake.webhook("evt_1", "PAYMENT_RECEIVED", charge));
    becomes(address, &key, "pro", "active");
    assert!(!stored(&service).contains("payer_mark"));
}

#[test]
fn a_mark_of_a_payer_that_an_older_program_stored_is_not_used_and_dropped() {
    let (_fake, service, address, key) = start();
    let url = pay_url(&keyed_checkout(address, &key, "one", CPF));
    let old = stored(&service).replace("\"payer_mark\"", "\"payer\"");
    assert!(old.contains("\"payer\""), "{old}");
    let erased = payments_of(&old.replace("\"charges\":{", PAID)).expect("parsed").expect("something paid");
    assert!(!erased.contains("payer") && erased.contains("pay_paid"), "{erased}");
    let database = rusqlite::Connection::open(service.data.join("candango.db")).expect("a database");
    database.execute("UPDATE books SET text = ?1", [&old]).expect("written");
    // the last four characters tell the payer
    assert_eq!(pay_url(&keyed_checkout(address, &key, "two", CPF)), url);
    assert!(!stored(&service).contains("\"payer\""), "{}", stored(&service));
}

/// The start of the charges of an order, with one that was paid.
const PAID: &str = r#""charges":{"pay_paid":{"pay_url":null,"due_date":null,"standing":{"paid":{"at":5}}},"#;

#[test]
fn a_name_on_the_bill_that_is_given_later_counts() {
    let (fake, _service, address, key) = start();
    let order = |plan: &str, name: Option<&str>| {
        let body = json!({"plan": plan, "tax_id": CPF, "name": name});
        pay_url(&post(address, "/v1/billing/checkout", &[("x-api-key", &key)], &body))
    };
    order("gringo", None);
    order("pro", Some("Empresa Xis"));
    order("business", None);
    let ledger = fake.ledger();
    let names: Vec<&Value> = ledger.customers.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["free@b.c", "Empresa Xis"]);
    let billed: Vec<&Value> = ledger.subscriptions.iter().map(|one| &one["customer"]).collect();
    assert_eq!(billed[..2], ["cus_0", "cus_1"]);
}

#[test]
fn a_repeated_order_that_was_paid_shows_the_page_it_had_and_not_that_of_the_next_month() {
    let fake = Fake::start();
    fake.ledger().charges = 2;
    let service = fake.serve();
    let (address, key) = (service.listen, service.key("free"));
    let ask = || keyed_checkout(address, &key, "one", CPF);
    let url = pay_url(&ask());
    let paid = fake.ledger().payments.iter().position(|one| one["invoiceUrl"] == url.as_str());
    send(address, &fake.webhook("evt_1", "PAYMENT_RECEIVED", paid.expect("a charge")));
    becomes(address, &key, "pro", "active");
    let again = ask();
    assert_eq!((pay_url(&again), &again.json()["status"]), (url, &json!("paid")));
}

#[test]
fn orders_payments_and_gateway_failures_are_counted() {
    let (fake, service, address, key) = start();
    fake.fails("POST /v3/subscriptions", Fault::Before(500));
    unavailable(&checkout(address, &key, "pro"));
    pay_url(&checkout(address, &key, "pro"));
    send(address, &fake.webhook("evt_1", "PAYMENT_RECEIVED", 0));
    send(address, &fake.webhook("evt_1", "PAYMENT_RECEIVED", 0));
    becomes(address, &key, "pro", "active");
    send(address, &fake.webhook("evt_2", "PAYMENT_REFUNDED", 0));
    becomes(address, &key, "free", "none");
    let counted =
        ["orders", "payments_credited", "payments_refunded", "webhook_events_stored", "gateway_failures"]
            .map(|name| service.counted(&format!("candango_{name}_total")));
    assert_eq!(counted, [1, 1, 1, 2, 1]);
}

#[test]
fn undone_cash_takes_the_month_back_and_the_charge_can_be_paid() {
    let (fake, _service, address, key) = start();
    let url = pay_url(&checkout(address, &key, "pro"));
    send(address, &fake.webhook("evt_1", "PAYMENT_RECEIVED", 0));
    becomes(address, &key, "pro", "active");
    send(address, &fake.webhook("evt_2", "PAYMENT_RECEIVED_IN_CASH_UNDONE", 0));
    becomes(address, &key, "free", "awaiting_payment");
    assert_eq!(pay_url(&checkout(address, &key, "pro")), url, "the same charge");
    assert_eq!(fake.subscriptions()[0]["deleted"], false);
    send(address, &fake.webhook("evt_3", "PAYMENT_RECEIVED", 0));
    becomes(address, &key, "pro", "active");
}

#[test]
fn a_partial_refund_and_debt_collection_leave_the_month() {
    let (fake, service, address, key) = start();
    pay(&fake, address, &key, "pro");
    let until = paid_until(address, &key);
    for event in ["PAYMENT_PARTIALLY_REFUNDED", "PAYMENT_DUNNING_REQUESTED", "PAYMENT_DUNNING_RECEIVED"] {
        for number in 0..2 {
            send(address, &fake.webhook(&format!("evt_{event}&{number}"), event, 0));
        }
    }
    awaited("the webhooks", SOON, || {
        (service.counted("candango_webhook_events_processed_total") == 7).then_some(())
    });
    assert_eq!(plan_and_status(address, &key), ("pro".to_owned(), "active".to_owned()));
    assert_eq!(paid_until(address, &key), until);
    let counted = ["partial_refunds", "payments_refunded", "webhook_events_unmatched"]
        .map(|name| service.counted(&format!("candango_{name}_total")));
    assert_eq!(counted, [1, 0, 0]);
}

#[test]
fn a_payment_below_the_price_credits_nothing_and_is_counted() {
    let (fake, service, address, key) = start();
    pay_url(&checkout(address, &key, "pro"));
    let mut small = fake.webhook("evt_1", "PAYMENT_RECEIVED", 0);
    small["payment"]["value"] = json!(98.99);
    send(address, &small);
    awaited("the count", SOON, || {
        (service.counted("candango_webhook_events_unmatched_total") == 1).then_some(())
    });
    assert_eq!(plan_and_status(address, &key), ("free".to_owned(), "awaiting_payment".to_owned()));
    service.logged("below the price");
}
