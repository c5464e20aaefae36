//! A fake Asaas that follows its documentation, and fails on command.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use candango::domain::clock::UnixMillis;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::Service;

/// The number of the payer's card.
pub(super) const CARD: &str = "4242424242424242";
pub(super) const TOKEN: &str = "whsec_0123456789_0123456789_0123456789";

/// How a call fails.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    /// The call has no effect and answers a status.
    Before(u16),
    /// The call takes effect and answers a status all the same.
    After(u16),
    /// The call takes effect and is not answered.
    Hang,
    /// The call takes effect and is answered late.
    Late(Duration),
    /// The call has no effect, and its tax number is refused late.
    LateRefusal(Duration),
}

/// The state of the fake gateway.
#[derive(Default)]
pub(super) struct Ledger {
    pub(super) customers: Vec<Value>,
    pub(super) subscriptions: Vec<Value>,
    pub(super) payments: Vec<Value>,
    /// Method and path of every call, with its body.
    pub(super) calls: Vec<(String, Value)>,
    /// How the next calls of a method and a path prefix fail.
    pub(super) faults: Vec<(&'static str, Fault)>,
    /// How many times the list of a subscription's charges is still empty.
    pub(super) empty: usize,
    /// How many charges a new subscription has.
    pub(super) charges: usize,
    /// Whether it refuses to lead payers back: its account names another domain.
    pub(super) refuses_return: bool,
    /// Whether pending charges are paid just when their subscription is canceled.
    pub(super) paid_at_cancellation: bool,
    /// What its clock shows in the head of its answers, if they have it.
    pub(super) clock: Option<UnixMillis>,
}

/// The fake gateway, served until the test ends.
#[derive(Clone)]
pub(super) struct Fake {
    ledger: Arc<Mutex<Ledger>>,
    address: SocketAddr,
}

impl Fake {
    pub(super) fn start() -> Fake {
        let ledger = Arc::new(Mutex::new(Ledger { charges: 1, ..Ledger::default() }));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("an address");
        let dated = axum::middleware::map_response_with_state(ledger.clone(), dated);
        let routes = Router::new().fallback(answer).layer(dated).with_state(ledger.clone());
        thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(serve(listener, routes));
        });
        Fake { ledger, address }
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("a ledger")
    }

    pub(super) fn fails(&self, call: &'static str, fault: Fault) {
        self.ledger().faults.push((call, fault));
    }

    /// All subscriptions ever created.
    pub(super) fn subscriptions(&self) -> Vec<Value> {
        self.ledger().subscriptions.clone()
    }

    pub(super) fn settings(&self) -> Vec<String> {
        vec![
            "payments=asaas".to_owned(),
            format!("asaas.url=http://{}/v3", self.address),
            "asaas.api_key=$aact_key".to_owned(),
            format!("asaas.webhook_token={TOKEN}"),
            "log=debug".to_owned(),
        ]
    }

    pub(super) fn serve(&self) -> Service {
        let settings = self.settings();
        Service::start_with(&settings.iter().map(String::as_str).collect::<Vec<_>>())
    }

    pub(super) fn serve_on(&self, folder: &TempDir) -> Service {
        let settings = self.settings();
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        Service::start_on_with(&folder.path().join("data"), &settings)
    }

    /// Its webhook about a charge.
    pub(super) fn webhook(&self, id: &str, event: &str, charge: usize) -> Value {
        let payment = self.ledger().payments[charge].clone();
        json!({"id": id, "event": event, "dateCreated": "2026-03-01 10:00:00", "payment": payment})
    }
}

/// Serves routes, one task for each connection.
async fn serve(listener: std::net::TcpListener, routes: Router) {
    use hyper_util::rt::TokioIo;
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let service = hyper_util::service::TowerToHyperService::new(routes.clone());
        tokio::spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new()
                // the clocks of tests are not that of this machine
                .auto_date_header(false)
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn json_answer(status: u16, body: Value) -> Response {
    let status = axum::http::StatusCode::from_u16(status).expect("a status");
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}

fn error(status: u16, code: &str, description: &str) -> Response {
    json_answer(status, json!({"errors": [{"code": code, "description": description}]}))
}

fn refused_document() -> Response {
    error(400, "invalid_object", "O CPF/CNPJ informado é inválido.")
}

/// Says what the clock shows.
async fn dated(State(ledger): State<Arc<Mutex<Ledger>>>, mut answer: Response) -> Response {
    let clock = ledger.lock().expect("a ledger").clock;
    if let Some(clock) = clock.and_then(|clock| chrono::DateTime::from_timestamp_millis(clock.0)) {
        let date = clock.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
        answer.headers_mut().insert("date", date.parse().expect("a date"));
    }
    answer
}

/// Answers a call, as documented or as its fault demands.
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
            Some(Fault::Before(400)) => return refused_document(),
            Some(fault @ Fault::LateRefusal(_)) => (refused_document(), Some(fault)),
            Some(Fault::Before(status)) => return error(status, "secret_reason", "the provider's own words"),
            fault => (ledger.handle(head.method.as_str(), head.uri.path(), head.uri.query(), &sent), fault),
        }
    };
    match fault {
        Some(Fault::Hang) => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            answered
        }
        Some(Fault::Late(by) | Fault::LateRefusal(by)) => {
            tokio::time::sleep(by).await;
            answered
        }
        Some(Fault::After(status)) => error(status, "secret_reason", "the provider's own words"),
        _ => answered,
    }
}

impl Ledger {
    fn handle(&mut self, method: &str, path: &str, query: Option<&str>, sent: &Value) -> Response {
        let query: HashMap<String, String> =
            url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
        let reference = query.get("externalReference");
        let of = |all: &[Value]| {
            let named = |one: &&Value| reference.is_none_or(|name| one["externalReference"] == name.as_str());
            json_answer(200, json!({"data": all.iter().filter(named).collect::<Vec<_>>()}))
        };
        let steps: Vec<&str> = path.trim_start_matches("/v3/").split('/').collect();
        match (method, steps.as_slice()) {
            ("GET", ["customers"]) => of(&self.customers),
            ("POST", ["customers"]) => {
                let mut made = sent.clone();
                made["id"] = format!("cus_{}", self.customers.len()).into();
                self.customers.push(made.clone());
                json_answer(200, made)
            }
            ("GET", ["subscriptions"]) => of(&self.subscriptions),
            ("POST", ["subscriptions"]) if self.refuses_return && sent.get("callback").is_some() => {
                error(400, "invalid_callback", "Não há nenhum domínio configurado em sua conta.")
            }
            ("POST", ["subscriptions"]) => {
                let mut made = sent.clone();
                let id = format!("sub_{}", self.subscriptions.len());
                (made["id"], made["status"], made["deleted"]) =
                    (id.as_str().into(), "ACTIVE".into(), false.into());
                self.subscriptions.push(made.clone());
                // the later one first: the client has to find the one that is due first
                for month in (0..self.charges).rev() {
                    let due = sent["nextDueDate"].as_str().expect("a date").to_owned();
                    let due = if month == 0 { due } else { "2099-01-01".to_owned() };
                    let pay = format!("pay_{id}_{}", 9 - month);
                    self.payments.push(json!({
                        "id": pay, "subscription": id, "externalReference": sent["externalReference"],
                        "value": sent["value"], "status": "PENDING", "dueDate": due, "customer": sent["customer"],
                        "invoiceUrl": format!("https://pay.example/i/{pay}"), "deleted": false,
                        "creditCard": {"creditCardNumber": CARD},
                    }));
                }
                json_answer(200, made)
            }
            ("GET", ["subscriptions", id, "payments"]) => {
                if self.empty > 0 {
                    self.empty -= 1;
                    return json_answer(200, json!({"data": []}));
                }
                let of: Vec<&Value> = self.payments.iter().filter(|one| one["subscription"] == *id).collect();
                let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok());
                let begin = number("offset").unwrap_or(0).min(of.len());
                let end = (begin + number("limit").unwrap_or(10).min(100)).min(of.len());
                json_answer(200, json!({"data": of[begin..end], "hasMore": end < of.len()}))
            }
            ("PUT", ["subscriptions", id]) => {
                let known =
                    self.subscriptions.iter_mut().find(|one| one["id"] == *id && one["deleted"] == false);
                let Some(known) = known else { return error(404, "not_found", "gone") };
                // charges that it has made stay as they are
                known["nextDueDate"] = sent["nextDueDate"].clone();
                json_answer(200, known.clone())
            }
            ("POST", ["payments", id, "refund"]) => {
                match self.payments.iter_mut().find(|one| one["id"] == *id) {
                    None => error(404, "not_found", "unknown"),
                    Some(payment) => {
                        payment["status"] = "REFUNDED".into();
                        json_answer(200, payment.clone())
                    }
                }
            }
            ("DELETE", ["payments", id]) => match self.payments.iter().position(|one| one["id"] == *id) {
                None => error(404, "not_found", "gone"),
                Some(at) if self.payments[at]["status"] == "RECEIVED" => error(400, "invalid_action", "paid"),
                Some(at) => {
                    // a deleted charge is in no list
                    self.payments.remove(at);
                    json_answer(200, json!({"deleted": true, "id": id}))
                }
            },
            ("DELETE", ["subscriptions", id]) => {
                let Some(known) = self.subscriptions.iter_mut().find(|one| one["id"] == *id) else {
                    return error(404, "not_found", "gone");
                };
                if known["deleted"] == true {
                    return error(404, "not_found", "gone");
                }
                known["deleted"] = true.into();
                let paid = self.paid_at_cancellation;
                for payment in self.payments.iter_mut().filter(|one| paid && one["subscription"] == *id) {
                    payment["status"] = "RECEIVED".into();
                }
                json_answer(200, json!({"deleted": true, "id": id}))
            }
            _ => error(404, "not_found", "nothing here"),
        }
    }
}
