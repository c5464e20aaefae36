//! What somebody sends again and again grows the store, and the calls of the payment gateway, only so far, and keeps no
//! owner out.

use candango::domain::account::Email;
use candango::domain::error::ApiError;
use candango::store::rows::Table;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::account_pages::{MARIA, PT, cookie, entered, page};
use crate::billing::pay_url;
use crate::mail::signed_up;
use crate::owners::{InProcess, in_process};
use crate::service::{Answer, Service, exchange, request};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const WRONG: &str = "ZZZZ-ZZZZ-ZZZZ";

fn order(service: &Service, key: &str, from: &str, plan: &str) -> Answer {
    let order = json!({"plan": plan, "tax_id": "52998224725", "method": "PIX"});
    service.post_to("/v1/billing/checkout", &[("x-api-key", key), ("x-forwarded-for", from)], &order)
}

/// Orders other plans in turn until that is refused; returns how many orders were new, and the refusal.
fn orders_until_refused(service: &Service, key: &str, from: &str) -> (usize, Value) {
    for count in 0..60 {
        let answer = order(service, key, from, ["gringo", "business"][count % 2]);
        if answer.status != 200 {
            assert_eq!((answer.status, &answer.json()["code"]), (429, &json!("too_many_checkouts")));
            assert!(answer.header("retry-after").is_some());
            return (count, answer.json());
        }
    }
    panic!("no order was refused");
}

fn rotated(service: &Service, key: &str) -> String {
    let rotated = service.post_to("/v1/keys/rotate", &[("x-api-key", key)], &json!({}));
    rotated.json()["api_key"].as_str().expect("a key").to_owned()
}

#[test]
fn rotated_keys_order_so_much_together_and_the_owner_orders_all_the_same() {
    let service = Service::start_with(&["trusted_proxies=127.0.0.1", "payments=sandbox"]);
    let key = signed_up(&service, MARIA);
    assert_eq!(orders_until_refused(&service, &key, "192.0.2.1").0, 20);
    let key = rotated(&service, &key);
    assert_eq!(orders_until_refused(&service, &key, "192.0.2.2").0, 20);
    let key = rotated(&service, &key);
    let (count, refused) = orders_until_refused(&service, &key, "192.0.2.3");
    assert_eq!(count, 0);
    assert!(refused["error"].as_str().is_some_and(|text| text.contains("by this account")), "{refused}");

    // not only from another network: also from the one that the keys have used up
    let session = entered(&service, &PT, 1);
    for from in ["192.0.2.4", "192.0.2.1"] {
        let headers = [FORM, ("cookie", session.as_str()), ("x-forwarded-for", from)];
        let order = format!(
            "plan={}&tax_id=52998224725&method=PIX",
            if from.ends_with('4') { "pro" } else { "gringo" }
        );
        let ordered = exchange(service.listen, &request("POST", PT.plan, &headers, order.as_bytes()));
        assert_eq!(ordered.status, 303, "{}", ordered.text());
    }
    // an order that is open is no new one
    pay_url(&order(&service, &key, "192.0.2.3", "gringo"));
}

#[test]
fn the_accounts_of_one_network_order_so_much_together() {
    let service = Service::start_with(&["trusted_proxies=127.0.0.1", "payments=sandbox"]);
    let own = ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2::3"];
    let mut counts = Vec::new();
    for (number, from) in own.into_iter().enumerate() {
        let key = signed_up(&service, &format!("a{number}@x.example"));
        let (count, refused) = orders_until_refused(&service, &key, from);
        counts.push(count);
        let by = if number == 0 { "by this account" } else { "from this network" };
        assert!(refused["error"].as_str().is_some_and(|text| text.contains(by)), "{refused}");
    }
    assert_eq!(counts, [20, 20, 0]);
    let other = signed_up(&service, "other@x.example");
    pay_url(&order(&service, &other, "2001:db8:1:3::1", "pro"));
}

fn enter_with_key(service: &Service, key: &str, from: &str) -> Answer {
    let headers = [FORM, ("x-forwarded-for", from)];
    exchange(service.listen, &request("POST", PT.sign_in, &headers, format!("key={key}").as_bytes()))
}

#[test]
fn a_key_opens_so_many_sessions_of_its_account_and_from_its_48() {
    let limits = ["trusted_proxies=127.0.0.1", "signup.per_ip_hour=1", "signup.per_ip_day=1"];
    let service = Service::start_with(&limits);
    let key = signed_up(&service, MARIA);
    let owner = entered(&service, &PT, 1);
    let mut sessions = Vec::new();
    for network in 0..160 {
        let answer = enter_with_key(&service, &key, &format!("2001:db8:1:{network:x}::1"));
        assert_eq!(answer.status, 303, "{network}: {}", answer.text());
        sessions.push(cookie(&answer));
    }
    let beyond = enter_with_key(&service, &key, "2001:db8:1:ffff::1");
    assert_eq!(beyond.status, 429, "{}", beyond.text());
    sessions.push(cookie(&enter_with_key(&service, &key, "2001:db8:2::1")));
    let is_open = |cookie: &str| page(&service, PT.account, cookie).text().contains("<progress");
    let open: Vec<usize> = (0..sessions.len()).filter(|at| is_open(&sessions[*at])).collect();
    assert_eq!(open, (111..161).collect::<Vec<_>>(), "the newest fifty");
    assert!(is_open(&owner));
    // nor do keys use up the tries of codes
    let headers = [FORM, ("x-forwarded-for", "2001:db8:1::1")];
    let wrong = format!("email={MARIA}&code={WRONG}");
    let tried = exchange(service.listen, &request("POST", PT.code, &headers, wrong.as_bytes()));
    assert_eq!(tried.status, 400, "{}", tried.text());
}

/// Tries made-up addresses, each from a client of its own; returns how many tries are refused as one too many, of those
/// of a key and of those to sign in.
async fn tries(
    service: &InProcess,
    count: usize,
    code: &str,
    client: impl Fn(usize) -> String,
) -> [usize; 2] {
    let is_refused = |error| match error {
        Some(ApiError::InvalidCode) => false,
        Some(ApiError::TooManyRecoveries { .. }) => true,
        other => panic!("{other:?}"),
    };
    let tries = (0..count).map(|number| {
        let client = client(number).parse().expect("an address");
        async move {
            let address = format!("nobody{number}@x.example");
            let redeemed = service.signup.redeem(&address, code, client).await;
            let entered = service.signup.enter_with_code(&address, code, client).await;
            [is_refused(redeemed.err()), is_refused(entered.err())]
        }
    });
    let refused = join_all(tries).await;
    [0, 1].map(|kind| refused.iter().filter(|refused| refused[kind]).count())
}

async fn counters(service: &InProcess) -> Vec<String> {
    let rows = service.store.rows(&[Table::Counters], None).await.expect("rows");
    let names = rows.iter().filter_map(|row| row.value("name"));
    names.filter(|name| *name != "nobody").map(str::to_owned).collect()
}

#[tokio::test]
async fn wrong_codes_for_made_up_addresses_make_so_many_counters() {
    let service = in_process().await;
    assert_eq!(tries(&service, 20, "no code", |_| "192.0.2.1".to_owned()).await, [0; 2]);
    assert_eq!(counters(&service).await, Vec::<String>::new(), "what cannot be a code is not counted");

    // an hour allows 100 tries of a network: what is refused makes no counter
    assert_eq!(tries(&service, 100, WRONG, |_| "192.0.2.1".to_owned()).await, [0; 2]);
    let before = counters(&service).await;
    assert!(before.len() <= 2 * (2 + 2 * 100), "{}", before.len());
    let fingerprints = (0..100).map(|number| {
        let email: Email = format!("nobody{number}@x.example").parse().expect("an address");
        email.fingerprint()
    });
    assert!(!before.iter().any(|name| fingerprints.clone().any(|of| name.contains(&of))), "{before:?}");
    assert_eq!(tries(&service, 40, WRONG, |_| "192.0.2.1".to_owned()).await, [40; 2]);
    assert_eq!(counters(&service).await, before);

    // the networks of a /48 make counters eight times as often as one, and nobody is kept from a code by the others
    let network = |number: usize| format!("2001:db8:1:{number:x}::1");
    assert_eq!(tries(&service, 900, WRONG, network).await, [0; 2]);
    let before = counters(&service).await.len();
    assert_eq!(tries(&service, 40, WRONG, |number| network(5_000 + number)).await, [0; 2]);
    let added = counters(&service).await.len() - before;
    assert!(added <= 2 * 2 * 40, "those of the networks alone: {added}");
}
