//! The gateway of real payments, played by a server of our own that follows its documentation, and that fails in
//! every way it can: no double charge, no double credit and no lost credit in any of them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use candango::app::App;
use candango::config::{Config, Override};
use candango::domain::clock::{Clock, UnixMillis, day_of, month_after};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::billing::pay_url;
use crate::mail::{Mail, awaited, letters};
use crate::service::{Answer, Service, exchange, request};

const TOKEN: &str = "whsec_0123456789";
const CPF: &str = "52998224725";
const SOON: Duration = Duration::from_secs(20);

/// How a call goes wrong.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// Nothing is done, and a status is answered.
    Before(u16),
    /// What was asked is done, and a status is answered all the same.
    After(u16),
    /// What was asked is done, and no answer comes.
    Hang,
    /// What was asked is done, and the answer comes late.
    Late(Duration),
}

/// What the gateway knows.
#[derive(Default)]
struct Ledger {
    customers: Vec<Value>,
    subscriptions: Vec<Value>,
    payments: Vec<Value>,
    /// Method and path of every call, with what was sent.
    calls: Vec<(String, Value)>,
    /// What goes wrong with the next calls of a method and a beginning of a path.
    faults: Vec<(&'static str, Fault)>,
    /// How often the charges of a subscription are told to be none.
    empty: usize,
    /// Charges of a subscription when it is made.
    charges: usize,
    /// Whether what waits is paid in the moment that its subscription is ended.
    paid_at_the_end: bool,
}

/// The gateway, served until the test ends.
#[derive(Clone)]
struct Fake {
    ledger: Arc<Mutex<Ledger>>,
    address: SocketAddr,
}

impl Fake {
    fn start() -> Fake {
        let ledger = Arc::new(Mutex::new(Ledger { charges: 1, ..Ledger::default() }));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("an address");
        let routes = Router::new().fallback(answer).with_state(ledger.clone());
        // ends with the process
        thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(serve(listener, routes));
        });
        Fake { ledger, address }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("a ledger")
    }

    fn fails(&self, call: &'static str, fault: Fault) {
        self.ledger().faults.push((call, fault));
    }

    /// Subscriptions that were ever made.
    fn subscriptions(&self) -> Vec<Value> {
        self.ledger().subscriptions.clone()
    }

    fn settings(&self) -> Vec<String> {
        vec![
            "payments=asaas".to_owned(),
            format!("asaas.url=http://{}/v3", self.address),
            "asaas.api_key=$aact_key".to_owned(),
            format!("asaas.webhook_token={TOKEN}"),
            "log=debug".to_owned(),
        ]
    }

    fn serve(&self) -> Service {
        let settings = self.settings();
        Service::start_with(&settings.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn serve_on(&self, folder: &TempDir) -> Service {
        let settings = self.settings();
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        Service::start_on_with(&folder.path().join("data"), &settings)
    }

    /// What it tells of a charge.
    fn notice(&self, id: &str, event: &str, charge: usize) -> Value {
        let payment = self.ledger().payments[charge].clone();
        json!({"id": id, "event": event, "dateCreated": "2026-03-01 10:00:00", "payment": payment})
    }
}

/// Serves routes on a listener, one task a connection.
async fn serve(listener: std::net::TcpListener, routes: Router) {
    use hyper_util::rt::TokioIo;
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let service = hyper_util::service::TowerToHyperService::new(routes.clone());
        tokio::spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn told(status: u16, body: Value) -> Response {
    let status = axum::http::StatusCode::from_u16(status).expect("a status");
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}

fn error(status: u16, code: &str, description: &str) -> Response {
    told(status, json!({"errors": [{"code": code, "description": description}]}))
}

/// Answers a call, as the documentation says or as its fault is.
async fn answer(State(ledger): State<Arc<Mutex<Ledger>>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 100_000).await.expect("a body");
    let sent: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let call = format!("{} {}", head.method, head.uri);
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    assert_eq!(header("access_token"), Some("$aact_key"));
    assert!(header("user-agent").is_some_and(|agent| agent.starts_with("candango/")));
    let (answered, fault) = {
        let mut ledger = ledger.lock().expect("a ledger");
        ledger.calls.push((call.clone(), sent.clone()));
        let place = ledger.faults.iter().position(|(begins, _)| call.starts_with(begins));
        let fault = place.map(|place| ledger.faults.remove(place).1);
        match fault {
            Some(Fault::Before(400)) => {
                return error(400, "invalid_object", "O CPF/CNPJ informado é inválido.");
            }
            Some(Fault::Before(status)) => return error(status, "secret_reason", "the provider's own words"),
            fault => (ledger.does(head.method.as_str(), head.uri.path(), head.uri.query(), &sent), fault),
        }
    };
    match fault {
        Some(Fault::Hang) => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            answered
        }
        Some(Fault::Late(by)) => {
            tokio::time::sleep(by).await;
            answered
        }
        Some(Fault::After(status)) => error(status, "secret_reason", "the provider's own words"),
        _ => answered,
    }
}

impl Ledger {
    fn does(&mut self, method: &str, path: &str, query: Option<&str>, sent: &Value) -> Response {
        let query: HashMap<String, String> =
            url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
        let reference = query.get("externalReference");
        let of = |all: &[Value]| {
            let named = |one: &&Value| reference.is_none_or(|name| one["externalReference"] == name.as_str());
            told(200, json!({"data": all.iter().filter(named).collect::<Vec<_>>()}))
        };
        let steps: Vec<&str> = path.trim_start_matches("/v3/").split('/').collect();
        match (method, steps.as_slice()) {
            ("GET", ["customers"]) => of(&self.customers),
            ("POST", ["customers"]) => {
                let mut made = sent.clone();
                made["id"] = format!("cus_{}", self.customers.len()).into();
                self.customers.push(made.clone());
                told(200, made)
            }
            ("GET", ["subscriptions"]) => of(&self.subscriptions),
            ("POST", ["subscriptions"]) => {
                let mut made = sent.clone();
                let id = format!("sub_{}", self.subscriptions.len());
                (made["id"], made["status"], made["deleted"]) =
                    (id.as_str().into(), "ACTIVE".into(), false.into());
                self.subscriptions.push(made.clone());
                // the later one first: which is due first is for the reader to see
                for month in (0..self.charges).rev() {
                    let due = sent["nextDueDate"].as_str().expect("a date").to_owned();
                    let due = if month == 0 { due } else { "2099-01-01".to_owned() };
                    let pay = format!("pay_{id}_{}", 9 - month);
                    self.payments.push(json!({
                        "id": pay, "subscription": id, "externalReference": sent["externalReference"],
                        "value": sent["value"], "status": "PENDING", "dueDate": due, "customer": sent["customer"],
                        "invoiceUrl": format!("https://pay.example/i/{pay}"), "deleted": false,
                        "creditCard": {"creditCardNumber": "4242424242424242"},
                    }));
                }
                told(200, made)
            }
            ("GET", ["subscriptions", id, "payments"]) => {
                if self.empty > 0 {
                    self.empty -= 1;
                    return told(200, json!({"data": []}));
                }
                let of: Vec<&Value> = self.payments.iter().filter(|one| one["subscription"] == *id).collect();
                let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok());
                let begin = number("offset").unwrap_or(0).min(of.len());
                let end = (begin + number("limit").unwrap_or(10).min(100)).min(of.len());
                told(200, json!({"data": of[begin..end], "hasMore": end < of.len()}))
            }
            ("DELETE", ["subscriptions", id]) => {
                let Some(known) = self.subscriptions.iter_mut().find(|one| one["id"] == *id) else {
                    return error(404, "not_found", "gone");
                };
                if known["deleted"] == true {
                    return error(404, "not_found", "gone");
                }
                known["deleted"] = true.into();
                let paid = self.paid_at_the_end;
                for payment in self.payments.iter_mut().filter(|one| paid && one["subscription"] == *id) {
                    payment["status"] = "RECEIVED".into();
                }
                told(200, json!({"deleted": true, "id": id}))
            }
            _ => error(404, "not_found", "nothing here"),
        }
    }
}

fn post(door: SocketAddr, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
    let headers = [headers, &[("content-type", "application/json")]].concat();
    exchange(door, &request("POST", path, &headers, body.to_string().as_bytes()))
}

fn checkout(door: SocketAddr, key: &str, plan: &str) -> Answer {
    post(door, "/v1/billing/checkout", &[("x-api-key", key)], &json!({"plan": plan, "tax_id": CPF}))
}

/// How the account of a key stands: its plan, and the word for its subscription.
fn stands(door: SocketAddr, key: &str) -> (String, String) {
    let told = post(door, "/v1/billing/status", &[("x-api-key", key)], &json!({})).json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&told["plan"]), text(&told["subscription"]["status"]))
}

fn paid_until(door: SocketAddr, key: &str) -> Value {
    post(door, "/v1/billing/status", &[("x-api-key", key)], &json!({})).json()["subscription"]["paid_until"]
        .clone()
}

fn becomes(door: SocketAddr, key: &str, plan: &str, status: &str) {
    let begun = Instant::now();
    while stands(door, key) != (plan.to_owned(), status.to_owned()) {
        assert!(begun.elapsed() < SOON, "{:?}, not {plan} and {status}", stands(door, key));
        thread::sleep(Duration::from_millis(20));
    }
}

/// Tells the service, as the gateway does.
fn tell(door: SocketAddr, notice: &Value) {
    let begun = Instant::now();
    let answer = post(door, "/webhooks/asaas", &[("asaas-access-token", TOKEN)], notice);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(begun.elapsed() < Duration::from_millis(200), "{:?}", begun.elapsed());
}

fn unavailable(answer: &Answer) {
    assert_eq!((answer.status, answer.json()["code"].as_str()), (503, Some("gateway_unavailable")));
    assert!(answer.header("retry-after").is_some());
    assert!(!answer.text().contains("provider"), "{}", answer.text());
}

/// A gateway, a service that has it for its own, where that listens, and a free key.
fn begin() -> (Fake, Service, SocketAddr, String) {
    let fake = Fake::start();
    let service = fake.serve();
    let (door, key) = (service.listen, service.key("free"));
    (fake, service, door, key)
}

/// Orders a plan and pays its first month, with the notice `evt_1`.
fn pay(fake: &Fake, door: SocketAddr, key: &str, plan: &str) {
    pay_url(&checkout(door, key, plan));
    tell(door, &fake.notice("evt_1", "PAYMENT_CONFIRMED", 0));
    becomes(door, key, plan, "active");
}

#[test]
fn an_order_is_what_the_gateway_is_asked_for_and_its_first_charge_is_shown() {
    let fake = Fake::start();
    fake.ledger().charges = 2;
    let service = fake.serve();
    let (door, key) = (service.listen, service.key("free"));
    let url = pay_url(&checkout(door, &key, "gringo"));
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
fn a_payment_is_credited_once_however_often_it_is_told_of() {
    let (fake, service, door, key) = begin();
    pay_url(&checkout(door, &key, "pro"));
    // the end of the story first, each part three times
    for round in 0..3 {
        for event in
            ["PAYMENT_OVERDUE", "PAYMENT_CREATED", "PAYMENT_RECEIVED", "PAYMENT_CONFIRMED", "PAYMENT_UPDATED"]
        {
            tell(door, &fake.notice(&format!("evt_{event}&{}", round % 2), event, 0));
        }
        becomes(door, &key, "pro", "active");
    }
    let until = paid_until(door, &key);
    // the card's money arrives 32 days later, under another name
    tell(door, &fake.notice("evt_late&1", "PAYMENT_RECEIVED", 0));
    tell(door, &fake.notice("evt_unknown", "PAYMENT_SPLIT_DIVERGENCE_BLOCK", 0));
    tell(door, &json!({"id": "evt_other", "event": "INVOICE_CREATED", "invoice": {"id": "x"}}));
    thread::sleep(Duration::from_millis(1_500));
    assert_eq!(paid_until(door, &key), until);
    for (number, event) in ["PAYMENT_CHARGEBACK_REQUESTED", "PAYMENT_REFUNDED"].into_iter().enumerate() {
        tell(door, &fake.notice(&format!("evt_back&{number}"), event, 0));
        becomes(door, &key, "free", "none");
    }
    tell(door, &fake.notice("evt_again&1", "PAYMENT_RECEIVED", 0));
    thread::sleep(Duration::from_millis(1_500));
    assert_eq!(stands(door, &key).0, "free", "what was taken back is not paid");
    let log = service.log();
    assert!(!log.contains(CPF) && !log.contains("4242") && !log.contains("free@b.c") && !log.contains(TOKEN));
    let store = std::fs::read(service.data.join("candango.db-wal")).unwrap_or_default();
    assert!(
        !String::from_utf8_lossy(&store).contains(CPF) && !String::from_utf8_lossy(&store).contains("4242")
    );
}

#[test]
fn a_forged_notice_changes_nothing() {
    let (fake, _service, door, key) = begin();
    pay_url(&checkout(door, &key, "pro"));
    let paid = fake.notice("evt_1", "PAYMENT_RECEIVED", 0);
    let long = "x".repeat(5_000);
    for token in [None, Some(""), Some("whsec_0123456788"), Some("whsec"), Some(long.as_str())] {
        let headers: Vec<(&str, &str)> =
            token.map(|token| ("asaas-access-token", token)).into_iter().collect();
        let answer = post(door, "/webhooks/asaas", &headers, &paid);
        assert_eq!(answer.status, 401, "{}", answer.text());
    }
    let mut small = fake.notice("evt_2", "PAYMENT_RECEIVED", 0);
    small["payment"]["value"] = json!(98.99);
    let mut strange = fake.notice("evt_3", "PAYMENT_RECEIVED", 0);
    strange["payment"]["subscription"] = json!("sub_77");
    strange["payment"]["externalReference"] = json!("chk_77");
    let mut nobody = fake.notice("evt_4", "PAYMENT_RECEIVED", 0);
    (nobody["payment"]["subscription"], nobody["payment"]["externalReference"]) = (Value::Null, Value::Null);
    for notice in [&small, &strange, &nobody, &json!([]), &json!({"id": 7}), &json!("text")] {
        tell(door, notice);
    }
    thread::sleep(Duration::from_millis(2_000));
    assert_eq!(stands(door, &key), ("free".to_owned(), "awaiting_payment".to_owned()));
    tell(door, &paid);
    becomes(door, &key, "pro", "active");
}

#[test]
fn whatever_fails_at_checkout_there_is_one_order_in_the_end() {
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
        let (door, key) = (service.listen, service.key("free"));
        fake.fails(call, fault);
        unavailable(&checkout(door, &key, "pro"));
        let url = pay_url(&checkout(door, &key, "pro"));
        assert_eq!(pay_url(&checkout(door, &key, "pro")), url);
        assert_eq!(fake.subscriptions().len(), 1, "{call} {fault:?}");
        assert!(!service.log().contains("provider"), "{}", service.log());
    }
}

#[test]
fn an_order_whose_answer_is_lost_is_found_and_not_made_twice() {
    let (fake, _service, door, key) = begin();
    fake.fails("POST /v3/subscriptions", Fault::Hang);
    pay_url(&checkout(door, &key, "gringo"));
    assert_eq!(fake.subscriptions().len(), 1, "after a time-out");

    // reading is tried again by itself
    fake.fails("GET /v3/customers", Fault::Before(500));
    fake.fails("GET /v3/customers", Fault::Before(429));
    pay_url(&checkout(door, &key, "business"));
    assert_eq!(fake.subscriptions().len(), 2);
    // what gave way is ended at the gateway
    awaited("the end of the other", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    assert_eq!(fake.subscriptions()[1]["deleted"], false);
}

#[test]
fn an_order_that_cannot_even_be_looked_up_is_carried_on_with_later() {
    let (fake, _service, door, key) = begin();
    fake.fails("POST /v3/subscriptions", Fault::After(500));
    for _ in 0..3 {
        fake.fails("GET /v3/subscriptions?", Fault::Before(500));
    }
    unavailable(&checkout(door, &key, "pro"));
    let url = pay_url(&checkout(door, &key, "pro"));
    assert_eq!(pay_url(&checkout(door, &key, "pro")), url);
    assert_eq!(fake.subscriptions().len(), 1);
}

#[test]
fn a_list_of_charges_that_is_empty_at_first_is_waited_for() {
    let (fake, _service, door, key) = begin();
    fake.ledger().empty = 3;
    pay_url(&checkout(door, &key, "gringo"));
    fake.ledger().empty = 40;
    unavailable(&checkout(door, &key, "pro"));
    fake.ledger().empty = 0;
    pay_url(&checkout(door, &key, "pro"));
    assert_eq!(fake.subscriptions().len(), 2, "the order was kept");
}

#[test]
fn a_document_that_the_gateway_refuses_is_told_by_its_name() {
    let (fake, _service, door, key) = begin();
    fake.fails("POST /v3/customers", Fault::Before(400));
    let answer = checkout(door, &key, "pro");
    assert_eq!((answer.status, answer.json()["param"].as_str()), (400, Some("tax_id")), "{}", answer.text());
    pay_url(&checkout(door, &key, "pro"));
    assert_eq!(fake.subscriptions().len(), 1);
}

#[test]
fn checkouts_at_once_are_one_order() {
    let (fake, _service, door, key) = begin();
    let urls: Vec<String> = thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| pay_url(&checkout(door, &key, "pro")))).collect();
        all.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    assert!(urls.iter().all(|url| *url == urls[0]), "{urls:?}");
    assert_eq!(fake.subscriptions().len(), 1);
}

#[test]
fn what_is_canceled_is_ended_at_the_gateway_however_it_resists() {
    let (fake, _service, door, key) = begin();
    pay(&fake, door, &key, "pro");
    fake.fails("DELETE", Fault::Before(500));
    fake.fails("DELETE", Fault::After(503));
    let canceled =
        post(door, "/v1/billing/cancel", &[("x-api-key", &key)], &json!({"confirm": "yes"})).json();
    assert_eq!(canceled["canceled"], true, "{canceled}");
    awaited("the end", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    tell(door, &json!({"id": "evt_2", "event": "SUBSCRIPTION_DELETED", "subscription": {"id": "sub_0"}}));
    tell(door, &fake.notice("evt_3", "PAYMENT_DELETED", 0));
    thread::sleep(Duration::from_millis(1_200));
    assert_eq!(stands(door, &key), ("pro".to_owned(), "canceled".to_owned()), "to the end of the month");
}

#[test]
fn an_end_at_the_gateway_ends_the_renewal_and_not_the_month() {
    let (fake, _service, door, key) = begin();
    pay(&fake, door, &key, "pro");
    let gone = json!({"id": "sub_0", "externalReference": null, "dateCreated": "01/03/2026"});
    tell(door, &json!({"id": "evt_2", "event": "SUBSCRIPTION_INACTIVATED", "subscription": gone}));
    becomes(door, &key, "pro", "canceled");
}

#[test]
fn nothing_is_lost_with_a_process_that_is_killed() {
    let fake = Fake::start();
    let folder = tempfile::tempdir().expect("a folder");
    let service = fake.serve_on(&folder);
    let (door, key) = (service.listen, service.key("free"));
    // killed while the gateway is asked, after it has taken the order
    fake.fails("POST /v3/subscriptions", Fault::Hang);
    let asking = {
        let key = key.clone();
        thread::spawn(move || {
            let mut stream = crate::service::open(door);
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
    let door = service.listen;
    // whoever died keeps others from the gateway for a while
    let url = awaited("the order", Duration::from_secs(60), || {
        let answer = checkout(door, &key, "pro");
        if answer.status == 503 {
            unavailable(&answer)
        }
        (answer.status == 200).then(|| pay_url(&answer))
    });
    assert_eq!((fake.subscriptions().len(), url.as_str()), (1, "https://pay.example/i/pay_sub_0_9"));
    // killed as soon as it has said that it knows
    tell(door, &fake.notice("evt_1", "PAYMENT_RECEIVED", 0));
    service.kill();
    let service = fake.serve_on(&folder);
    let begun = Instant::now();
    while stands(service.listen, &key).0 != "pro" {
        // a notice that was taken when its process died is taken again after a while
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", stands(service.listen, &key));
        thread::sleep(Duration::from_millis(100));
    }
    let until = paid_until(service.listen, &key);
    tell(service.listen, &fake.notice("evt_1", "PAYMENT_RECEIVED", 0));
    thread::sleep(Duration::from_millis(1_200));
    assert_eq!(paid_until(service.listen, &key), until);
}

/// The service in this process, under a clock that tests move.
pub(crate) struct Moved {
    pub(crate) app: Option<App>,
    clock: Clock,
    now: UnixMillis,
    folder: TempDir,
}

const DAY: i64 = 24 * 60 * 60 * 1000;

impl Moved {
    pub(crate) fn start(settings: &[String]) -> Moved {
        let folder = tempfile::tempdir().expect("a folder");
        let now = UnixMillis(1_790_000_000_000);
        let clock = Clock::standing_at(now);
        let data = format!("data={}", folder.path().join("data").display());
        // the minute of a clock that stands does not end
        let patient = "plans.free.per_minute=1000000";
        let free = ["listen=127.0.0.1:0", "ops_listen=127.0.0.1:0", "limits.workers=1", patient, &data];
        let flags: Vec<Override> = settings
            .iter()
            .map(String::as_str)
            .chain(free)
            .map(|said| {
                let (setting, value) = said.split_once('=').expect("a setting");
                let (setting, value) = (setting.to_owned(), value.to_owned());
                Override { origin: "the test".to_owned(), setting, value }
            })
            .collect();
        let config = Config::load(None, [], &flags).expect("settings");
        let app = App::start(config, clock.clone()).expect("a service");
        Moved { app: Some(app), clock, now, folder }
    }

    pub(crate) fn door(&self) -> SocketAddr {
        self.app.as_ref().expect("running").config.listen
    }

    fn sets(&mut self, now: UnixMillis) {
        self.now = now;
        self.clock.set(now);
    }

    /// A key by mail.
    pub(crate) fn key(&self) -> String {
        assert_eq!(post(self.door(), "/v1/signup", &[], &json!({"email": "a@b.c"})).status, 200);
        awaited("the key", SOON, || self.letters().iter().find_map(Mail::key))
    }

    pub(crate) fn letters(&self) -> Vec<Mail> {
        letters(&self.folder.path().join("data/outbox"))
    }

    fn was_told(&self, words: &str) {
        awaited(words, SOON, || {
            self.letters().iter().any(|letter| letter.body.contains(words)).then_some(())
        });
    }
}

impl Drop for Moved {
    fn drop(&mut self) {
        if let Some(app) = self.app.take() {
            app.stop();
        }
    }
}

#[test]
fn a_canceled_plan_is_the_free_one_after_its_month() {
    let mut service = Moved::start(&[]);
    let (door, key) = (service.door(), service.key());
    let url = pay_url(&checkout(door, &key, "pro"));
    let path = &url[url.find("/sandbox").expect("a page")..];
    assert_eq!(exchange(door, &request("POST", path, &[], b"do=pay")).status, 303);
    becomes(door, &key, "pro", "active");
    service.was_told("We have your payment");
    assert_eq!(paid_until(door, &key), month_after(service.now).to_string());
    service.sets(UnixMillis(service.now.0 + 10 * DAY));
    let canceled =
        post(door, "/v1/billing/cancel", &[("x-api-key", &key)], &json!({"confirm": "yes"})).json();
    assert_eq!(canceled["ends_at"], month_after(UnixMillis(1_790_000_000_000)).to_string());
    service.was_told("was canceled");
    service.sets(UnixMillis(month_after(UnixMillis(1_790_000_000_000)).0 - 1));
    thread::sleep(Duration::from_millis(1_500));
    assert_eq!(stands(door, &key), ("pro".to_owned(), "canceled".to_owned()));
    service.sets(month_after(UnixMillis(1_790_000_000_000)));
    becomes(door, &key, "free", "none");
    service.was_told("paid plan of");
    // and begins again
    assert_ne!(pay_url(&checkout(door, &key, "pro")), url);
}

#[test]
fn a_plan_that_is_not_paid_again_ends_after_three_days_and_is_charged_no_more() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    pay(&fake, door, &key, "pro");
    let month = month_after(service.now);
    service.sets(UnixMillis(month.0 - DAY));
    let mut next = fake.ledger().payments[0].clone();
    (next["id"], next["status"]) = ("pay_next".into(), "PENDING".into());
    fake.ledger().payments.push(next);
    tell(door, &fake.notice("evt_2", "PAYMENT_OVERDUE", 1));
    becomes(door, &key, "pro", "past_due");
    service.was_told("is overdue");
    service.sets(UnixMillis(month.0 + 3 * DAY - 1));
    thread::sleep(Duration::from_millis(1_500));
    assert_eq!(stands(door, &key), ("pro".to_owned(), "past_due".to_owned()));
    service.sets(UnixMillis(month.0 + 3 * DAY));
    becomes(door, &key, "free", "none");
    awaited("the end", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    service.was_told("paid plan of");
}

#[test]
fn an_order_that_the_gateway_has_twice_after_all_is_ended_once() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    let url = pay_url(&checkout(door, &key, "pro"));
    // one that was given up takes effect long after
    let mut late = fake.subscriptions().remove(0);
    late["id"] = "sub_late".into();
    fake.ledger().subscriptions.push(late);
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    awaited("the end of the double", SOON, || (fake.subscriptions()[1]["deleted"] == true).then_some(()));
    assert_eq!(fake.subscriptions()[0]["deleted"], false);
    assert_eq!(pay_url(&checkout(door, &key, "pro")), url);

    // what is told of the double is not told of the order, unless it is of money
    let of_double = |id: &str, event: &str| {
        let mut notice = fake.notice(id, event, 0);
        (notice["payment"]["id"], notice["payment"]["subscription"]) = ("pay_0".into(), "sub_late".into());
        (notice["payment"]["invoiceUrl"], notice["payment"]["dueDate"]) =
            ("https://x.y".into(), "2000-01-01".into());
        notice
    };
    tell(door, &of_double("evt_1", "PAYMENT_CREATED"));
    let gone = json!({"id": "sub_late", "externalReference": fake.subscriptions()[0]["externalReference"]});
    tell(door, &json!({"id": "evt_2", "event": "SUBSCRIPTION_DELETED", "subscription": gone}));
    tell(door, &fake.notice("evt_3", "PAYMENT_RECEIVED", 0));
    becomes(door, &key, "pro", "active");
    tell(door, &of_double("evt_4", "PAYMENT_RECEIVED"));
    let twice = month_after(month_after(service.now)).to_string();
    awaited("the second month", SOON, || (paid_until(door, &key) == twice.as_str()).then_some(()));
    assert_eq!(stands(door, &key), ("pro".to_owned(), "active".to_owned()), "and it goes on");
    let canceled = post(door, "/v1/billing/cancel", &[("x-api-key", &key)], &json!({"confirm": "yes"}));
    assert_eq!(canceled.json()["canceled"], true);
    awaited("the end of it", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
}

#[test]
fn what_was_paid_while_nobody_listened_is_made_up_for() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    pay_url(&checkout(door, &key, "pro"));
    fake.ledger().payments[0]["status"] = "RECEIVED".into();
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    becomes(door, &key, "pro", "active");
    let until = paid_until(door, &key);
    // its notice comes at last
    tell(door, &fake.notice("evt_1", "PAYMENT_RECEIVED", 0));
    thread::sleep(Duration::from_millis(1_200));
    assert_eq!(paid_until(door, &key), until);
    // the next month is paid in silence too, and the plan does not end
    let mut next = fake.ledger().payments[0].clone();
    (next["id"], next["status"]) = ("pay_next".into(), "RECEIVED_IN_CASH".into());
    fake.ledger().payments.push(next);
    service.sets(UnixMillis(month_after(service.now).0 + 4 * DAY));
    let later = || paid_until(door, &key).as_str().is_some_and(|next| Some(next) != until.as_str());
    awaited("the next month", SOON, || later().then_some(()));
    assert_eq!(stands(door, &key).0, "pro");
    // a reading that is under way when the clock leaps would count its day from after the leap
    thread::sleep(Duration::from_millis(1_200));
    fake.ledger().payments[0]["status"] = "REFUNDED".into();
    fake.ledger().payments[1]["status"] = "CHARGEBACK_REQUESTED".into();
    service.sets(UnixMillis(service.now.0 + 2 * DAY));
    becomes(door, &key, "free", "none");
}

#[test]
fn whoever_has_the_money_back_is_charged_no_more() {
    let (fake, _service, door, key) = begin();
    pay(&fake, door, &key, "pro");
    tell(door, &fake.notice("evt_2", "PAYMENT_CHARGEBACK_REQUESTED", 0));
    becomes(door, &key, "free", "none");
    awaited("the end", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    let url = pay_url(&checkout(door, &key, "pro"));
    assert_eq!(url, "https://pay.example/i/pay_sub_1_9", "and may begin again");
}

#[test]
fn an_order_that_is_carried_on_with_on_a_later_day_is_due_on_that_day() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    fake.fails("POST /v3/subscriptions", Fault::Before(500));
    unavailable(&checkout(door, &key, "pro"));
    service.sets(UnixMillis(service.now.0 + 2 * DAY));
    pay_url(&checkout(door, &key, "pro"));
    let made = fake.subscriptions();
    assert_eq!((made.len(), &made[0]["nextDueDate"]), (1, &json!(day_of(service.now).to_string())));
}

#[test]
fn a_slow_gateway_keeps_no_payment_waiting() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    pay_url(&checkout(door, &key, "pro"));
    let calls = fake.ledger().calls.len();
    for _ in 0..3 {
        fake.fails("GET /v3/subscriptions?", Fault::Hang);
    }
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    awaited("the reading of the books", SOON, || (fake.ledger().calls.len() > calls).then_some(()));
    let begun = Instant::now();
    tell(door, &fake.notice("evt_1", "PAYMENT_RECEIVED", 0));
    becomes(door, &key, "pro", "active");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn a_payment_is_found_behind_a_hundred_others() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    pay_url(&checkout(door, &key, "pro"));
    {
        let mut ledger = fake.ledger();
        let waiting = ledger.payments[0].clone();
        for number in 0..130 {
            let mut other = waiting.clone();
            other["id"] = format!("pay_{number}").into();
            ledger.payments.push(other);
        }
        ledger.payments[130]["status"] = "RECEIVED".into();
    }
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    becomes(door, &key, "pro", "active");
}

#[test]
fn what_is_given_back_after_the_end_of_an_order_is_found_by_reading() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    pay(&fake, door, &key, "pro");
    post(door, "/v1/billing/cancel", &[("x-api-key", &key)], &json!({"confirm": "yes"}));
    awaited("the end", SOON, || (fake.subscriptions()[0]["deleted"] == true).then_some(()));
    fake.ledger().payments[0]["status"] = "REFUNDED".into();
    service.sets(UnixMillis(service.now.0 + 2 * DAY));
    becomes(door, &key, "free", "none");
    service.was_told("was refunded");
}

#[test]
fn what_is_paid_while_its_order_is_being_ended_is_not_lost() {
    let fake = Fake::start();
    fake.ledger().paid_at_the_end = true;
    let service = fake.serve();
    let (door, key) = (service.listen, service.key("free"));
    pay_url(&checkout(door, &key, "pro"));
    // another order takes its place, and nobody tells of the payment
    pay_url(&checkout(door, &key, "gringo"));
    becomes(door, &key, "pro", "canceled");
}

#[test]
fn the_order_whose_page_was_shown_is_not_the_one_that_is_ended() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    // the gateway has the order, twice, and we have no answer
    fake.fails("POST /v3/subscriptions", Fault::After(500));
    for _ in 0..3 {
        fake.fails("GET /v3/subscriptions?", Fault::Before(500));
    }
    unavailable(&checkout(door, &key, "pro"));
    let mut double = fake.subscriptions().remove(0);
    double["id"] = "sub_double".into();
    fake.ledger().subscriptions.insert(0, double);
    // while the bookkeeper looks it up and is told of the double first, a checkout is told of the other
    let calls = fake.ledger().calls.len();
    fake.fails("GET /v3/subscriptions?", Fault::Late(Duration::from_secs(2)));
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    awaited("the look", SOON, || (fake.ledger().calls.len() > calls).then_some(()));
    fake.ledger().subscriptions.reverse();
    assert_eq!(pay_url(&checkout(door, &key, "pro")), "https://pay.example/i/pay_sub_0_9");
    awaited("the end of one", SOON, || {
        fake.subscriptions().iter().any(|one| one["deleted"] == true).then_some(())
    });
    assert_eq!(fake.subscriptions()[0]["deleted"], false, "{:?}", fake.subscriptions());
}

#[test]
fn an_order_in_trouble_does_not_keep_the_others_of_its_account_waiting() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    pay(&fake, door, &key, "pro");
    pay_url(&checkout(door, &key, "business"));
    for payment in fake.ledger().payments.iter_mut() {
        payment["status"] = "RECEIVED".into();
    }
    for _ in 0..3 {
        fake.fails("GET /v3/subscriptions/sub_0/payments", Fault::Before(500));
    }
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    becomes(door, &key, "business", "active");
}

#[test]
fn another_payer_is_another_order() {
    let (fake, _service, door, key) = begin();
    let ask = |name: &str, tax_id: &str| {
        let headers = [("x-api-key", key.as_str()), ("idempotency-key", name)];
        post(door, "/v1/billing/checkout", &headers, &json!({"plan": "pro", "tax_id": tax_id}))
    };
    let mismatch = |answer: &Answer| {
        assert_eq!(answer.json()["code"], "idempotency_mismatch", "{}", answer.text());
    };
    // a number that the gateway refused was no order: the key may be used again with the right one
    fake.fails("POST /v3/customers", Fault::Before(400));
    assert_eq!(ask("one", CPF).json()["code"], "bad_tax_id");
    let first = pay_url(&ask("one", "11144477735"));
    mismatch(&ask("one", CPF));
    let second = pay_url(&ask("two", CPF));
    assert_ne!(first, second, "the bill is another one's");
    assert_eq!(pay_url(&ask("one", "11144477735")), first);
    let customers: Vec<Value> = fake.ledger().customers.iter().map(|one| one["cpfCnpj"].clone()).collect();
    assert_eq!(customers, ["11144477735", CPF]);
}

#[test]
fn what_the_gateway_does_not_do_is_counted() {
    let (fake, service, door, key) = begin();
    fake.fails("POST /v3/subscriptions", Fault::Before(500));
    unavailable(&checkout(door, &key, "pro"));
    pay_url(&checkout(door, &key, "pro"));
    tell(door, &fake.notice("evt_1", "PAYMENT_RECEIVED", 0));
    tell(door, &fake.notice("evt_1", "PAYMENT_RECEIVED", 0));
    becomes(door, &key, "pro", "active");
    tell(door, &fake.notice("evt_2", "PAYMENT_REFUNDED", 0));
    becomes(door, &key, "free", "none");
    let counted = ["orders", "payments_credited", "payments_taken_back", "notices_kept", "gateway_failures"]
        .map(|name| service.counted(&format!("candango_{name}_total")));
    assert_eq!(counted, [1, 1, 1, 2, 1]);
}

#[test]
fn an_order_that_gave_way_is_ended_though_the_gateway_takes_it_late() {
    let fake = Fake::start();
    let mut service = Moved::start(&fake.settings());
    let (door, key) = (service.door(), service.key());
    fake.fails("POST /v3/subscriptions", Fault::Before(500));
    unavailable(&checkout(door, &key, "pro"));
    pay_url(&checkout(door, &key, "gringo"));
    thread::sleep(Duration::from_millis(1_500));
    // what was given up takes effect when another has taken its place
    {
        let mut ledger = fake.ledger();
        let asked = ledger.calls.iter().find(|(call, _)| call.starts_with("POST /v3/subscriptions"));
        let mut late = asked.expect("a call").1.clone();
        (late["id"], late["deleted"]) = ("sub_late".into(), false.into());
        ledger.subscriptions.push(late);
    }
    service.sets(UnixMillis(service.now.0 + 2 * 60_000));
    awaited("its end", SOON, || (fake.subscriptions()[1]["deleted"] == true).then_some(()));
    assert_eq!(fake.subscriptions()[0]["deleted"], false);
}
