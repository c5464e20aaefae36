//! Asaas, by its API v3.
//!
//! It has no idempotency keys. Calls that can be repeated without harm (reads, changes, deletions) are tried three
//! times, unless it says that we call too often; a subscription is created with one call, and when its answer is lost
//! we search for it by our `externalReference`.

use std::time::{Duration, Instant};

use chrono::{DateTime, NaiveDate};
use data_encoding::HEXLOWER;
use parking_lot::Mutex;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{DATE, HeaderMap};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, redirect};
use ring::hmac;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use snapshots::depot::choose_cryptography;

use super::webhook::change_of_status;
use super::{Customer, GatewayError, GatewaySetupError, SeenClock};
use crate::config::{Config, Secret};
use crate::domain::account::OrderId;
use crate::domain::clock::UnixMillis;
use crate::domain::money::Reais;
use crate::domain::order::{ChargeChange, Order, ReportedCharge};
use crate::domain::tax::TaxId;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(8);

/// Tries of a repeatable call, and the wait after the first, which doubles.
const TRIES: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// The page size of a list, and how many pages are read: years of monthly charges.
const PAGE: usize = 100;
const MAX_PAGES: usize = 5;

/// The longest answer that is read.
const MAX_BYTES: usize = 1024 * 1024;

/// A client of Asaas.
#[derive(Debug)]
pub struct Asaas {
    http: Client,
    url: String,
    key: Secret,
    /// Where payers return to; Asaas takes public addresses only.
    return_to: Option<String>,
    /// What stands on the invoice before the plan.
    service_name: String,
    /// Its clock, by the latest answer.
    clock: Mutex<Option<SeenClock>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<T> {
    data: Vec<T>,
    #[serde(default)]
    has_more: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CustomerRecord {
    id: String,
    name: Option<String>,
    cpf_cnpj: Option<String>,
    #[serde(default)]
    deleted: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    id: String,
    external_reference: Option<String>,
    #[serde(default)]
    deleted: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payment {
    id: String,
    status: String,
    value: Reais,
    due_date: Option<NaiveDate>,
    invoice_url: Option<String>,
    #[serde(default)]
    deleted: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewCustomer<'a> {
    name: &'a str,
    cpf_cnpj: &'a str,
    email: &'a str,
    external_reference: &'a str,
    notification_disabled: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewSubscription<'a> {
    customer: &'a str,
    billing_type: &'a str,
    value: Reais,
    next_due_date: NaiveDate,
    cycle: &'a str,
    description: String,
    external_reference: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    callback: Option<Callback<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Callback<'a> {
    success_url: &'a str,
    auto_redirect: bool,
}

/// Enough of a mark that two payers of an account do not share it.
const MARK_BYTES: usize = 8;

/// The page that payers return to.
const RETURN_PATH: &str = "/conta/pago";

impl Asaas {
    pub(super) fn new(config: &Config) -> Result<Asaas, GatewaySetupError> {
        choose_cryptography();
        let http = Client::builder()
            .user_agent(concat!("candango/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            // a redirect would send the key to another host
            .redirect(redirect::Policy::none())
            .build()?;
        let base = config.base_url.as_str();
        let return_to = base.starts_with("https://").then(|| format!("{base}{RETURN_PATH}"));
        let (url, key) = (config.asaas.url.as_str().to_owned(), config.asaas.api_key.clone());
        let service_name = config.service_name.clone();
        Ok(Asaas { http, url, key, return_to, service_name, clock: Mutex::default() })
    }

    pub(super) fn clock(&self) -> Option<SeenClock> {
        *self.clock.lock()
    }

    /// What tells the payer of an order from others, for whoever has the key.
    pub(super) fn payer_mark(&self, order: &OrderId, payer: &TaxId) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.key.reveal().as_bytes());
        let mark = hmac::sign(&key, format!("payer/{order}/{}", payer.reveal()).as_bytes());
        HEXLOWER.encode(&mark.as_ref()[..MARK_BYTES])
    }

    /// Creates a subscription. The caller has stored the order and makes sure that no other request creates it.
    pub(super) async fn create_subscription(
        &self,
        order: &Order,
        customer: Customer<'_>,
        may_exist: bool,
    ) -> Result<String, GatewayError> {
        if may_exist && let Some(known) = self.find_subscriptions(&order.id).await?.into_iter().next() {
            return Ok(known);
        }
        let callback =
            self.return_to.as_deref().map(|success_url| Callback { success_url, auto_redirect: true });
        let mut body = NewSubscription {
            customer: &self.customer(customer).await?,
            billing_type: order.method.as_str(),
            value: Reais::of_cents(order.cents),
            next_due_date: order.due_date,
            cycle: "MONTHLY",
            description: format!("{} {}", self.service_name, order.plan),
            external_reference: order.id.as_str(),
            callback,
        };
        let mut created = self.post::<Subscription>("/subscriptions", &body).await;
        // it refuses to return to a domain that its account does not name, and has created nothing then
        if body.callback.is_some() && matches!(created, Err(GatewayError::Refused(400))) {
            body.callback = None;
            created = self.post::<Subscription>("/subscriptions", &body).await;
        }
        match created {
            Ok(created) => Ok(created.id),
            // it may have been created all the same
            Err(unknown @ (GatewayError::Unavailable(_) | GatewayError::Unreadable)) => {
                self.find_subscriptions(&order.id).await?.into_iter().next().ok_or(unknown)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) async fn find_subscriptions(&self, order: &OrderId) -> Result<Vec<String>, GatewayError> {
        let page: Page<Subscription> =
            self.get("/subscriptions", &[("externalReference", order.as_str())]).await?;
        // one without a reference is of somebody else: it may be canceled as a duplicate
        let is_ours = |found: &Subscription| {
            !found.deleted && found.external_reference.as_deref() == Some(order.as_str())
        };
        Ok(page.data.into_iter().filter(is_ours).map(|found| found.id).collect())
    }

    pub(super) async fn list_charges(&self, id: &str) -> Result<Vec<ReportedCharge>, GatewayError> {
        let path = format!("/subscriptions/{}/payments", path_segment(id));
        let mut payments: Vec<Payment> = Vec::new();
        for _ in 0..MAX_PAGES {
            let (limit, offset) = (PAGE.to_string(), payments.len().to_string());
            let page = match self.get(&path, &[("limit", &limit), ("offset", &offset)]).await {
                Err(GatewayError::Refused(404)) => break,
                page => page?,
            };
            let Page { data, has_more } = page;
            payments.extend::<Vec<Payment>>(data);
            if !has_more {
                break;
            }
        }
        Ok(payments.into_iter().map(reported).collect())
    }

    pub(super) async fn move_renewal(&self, id: &str, to: NaiveDate) -> Result<(), GatewayError> {
        let path = format!("/subscriptions/{}", path_segment(id));
        let body = json!({ "nextDueDate": to }).to_string();
        let request = || {
            let request = self.request(Method::PUT, &path).header("content-type", "application/json");
            request.body(body.clone())
        };
        unless_gone(self.with_retries(request).await)
    }

    /// Deletes a subscription, with its unpaid charges, or a charge.
    pub(super) async fn delete(&self, [kind, id]: &[&str; 2]) -> Result<(), GatewayError> {
        let path = format!("/{kind}/{}", path_segment(id));
        unless_gone(self.with_retries(|| self.request(Method::DELETE, &path)).await)
    }

    pub(crate) async fn refund_charge(&self, id: &str) -> Result<(), GatewayError> {
        let path = format!("/payments/{}/refund", path_segment(id));
        // not repeated: a refund whose answer was lost would be refused the second time
        let request = self.request(Method::POST, &path).header("content-type", "application/json");
        self.send(request.body("{}")).await.map(drop)
    }

    /// The id of the payer at Asaas: the existing customer, if it has the name that was given, or a new one. A
    /// duplicate would do no harm.
    async fn customer(&self, customer: Customer<'_>) -> Result<String, GatewayError> {
        let account = customer.account.as_str();
        let page: Page<CustomerRecord> = self.get("/customers", &[("externalReference", account)]).await?;
        let is_same = |known: &CustomerRecord| {
            let is_payer = known.cpf_cnpj.as_deref() == Some(customer.tax_id.reveal());
            let is_named = customer.name.is_none_or(|name| known.name.as_deref() == Some(name));
            !known.deleted && is_payer && is_named
        };
        if let Some(known) = page.data.into_iter().find(is_same) {
            return Ok(known.id);
        }
        let body = NewCustomer {
            name: customer.name.unwrap_or(customer.email.as_str()),
            cpf_cnpj: customer.tax_id.reveal(),
            email: customer.email.as_str(),
            external_reference: account,
            // we send our own mails
            notification_disabled: true,
        };
        Ok(self.post::<CustomerRecord>("/customers", &body).await?.id)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url)).header("access_token", self.key.reveal())
    }

    async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, GatewayError> {
        let query: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        let path = format!("{path}?{query}");
        parse(&self.with_retries(|| self.request(Method::GET, &path)).await?)
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, GatewayError> {
        let body = serde_json::to_vec(body).map_err(|_| GatewayError::Unreadable)?;
        let request = self.request(Method::POST, path).header("content-type", "application/json").body(body);
        parse(&self.send(request).await?)
    }

    async fn with_retries(&self, request: impl Fn() -> RequestBuilder) -> Result<Vec<u8>, GatewayError> {
        let mut wait = FIRST_WAIT;
        for _ in 1..TRIES {
            match self.send(request()).await {
                // not where it limits us: each try counts against the same limit
                Err(GatewayError::Unavailable(_)) => {}
                answer => return answer,
            }
            tokio::time::sleep(wait).await;
            wait *= 2;
        }
        self.send(request()).await
    }

    /// Sends a request and returns the body of a good answer.
    async fn send(&self, request: RequestBuilder) -> Result<Vec<u8>, GatewayError> {
        let response = request.send().await.map_err(unavailable)?;
        if let Some(time) = time_of(response.headers()) {
            *self.clock.lock() = Some(SeenClock { time, seen: Instant::now() });
        }
        read(response).await
    }
}

/// Why no answer came: the innermost cause, which names what the operating system or TLS found, and no address.
fn unavailable(error: reqwest::Error) -> GatewayError {
    if error.is_timeout() {
        return GatewayError::Unavailable("it did not answer in time".into());
    }
    let error = error.without_url();
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
    GatewayError::Unavailable(causes.last().map(ToString::to_string).unwrap_or_default().into())
}

/// What is gone needs no change.
fn unless_gone(answer: Result<Vec<u8>, GatewayError>) -> Result<(), GatewayError> {
    match answer {
        Ok(_) | Err(GatewayError::Refused(404)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// When the sender of an answer says that it is.
fn time_of(headers: &HeaderMap) -> Option<UnixMillis> {
    let date = DateTime::parse_from_rfc2822(headers.get(DATE)?.to_str().ok()?).ok()?;
    Some(UnixMillis(date.timestamp_millis()))
}

fn reported(payment: Payment) -> ReportedCharge {
    let change = match change_of_status(&payment.status) {
        ChargeChange::Listed | ChargeChange::Overdue if payment.deleted => ChargeChange::Deleted,
        change => change,
    };
    ReportedCharge {
        id: payment.id,
        cents: payment.value.cents(),
        change,
        pay_url: payment.invoice_url,
        due_date: payment.due_date,
    }
}

/// The characters that need no escape in a path segment.
const UNESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.').remove(b'~');

fn path_segment(id: &str) -> String {
    utf8_percent_encode(id, UNESCAPED).to_string()
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, GatewayError> {
    serde_json::from_slice(body).map_err(|_| GatewayError::Unreadable)
}

/// The body of a good answer. Of a bad one only its kind is kept.
async fn read(mut response: Response) -> Result<Vec<u8>, GatewayError> {
    let status = response.status();
    tracing::debug!(status = status.as_u16(), "the gateway answered");
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unavailable)? {
        if body.len() + chunk.len() > MAX_BYTES {
            return Err(GatewayError::Unreadable);
        }
        body.extend_from_slice(&chunk);
    }
    match status {
        _ if status.is_success() => Ok(body),
        StatusCode::TOO_MANY_REQUESTS => Err(GatewayError::RateLimited),
        _ if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
            Err(GatewayError::Unavailable(format!("it answered with status {}", status.as_u16()).into()))
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(GatewayError::KeyRefused(status.as_u16())),
        StatusCode::BAD_REQUEST if is_about_document(&body) => Err(GatewayError::BadTaxId),
        _ => Err(GatewayError::Refused(status.as_u16())),
    }
}

fn is_about_document(body: &[u8]) -> bool {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    body["errors"].as_array().into_iter().flatten().any(|error| {
        let text = format!("{} {}", error["code"], error["description"]).to_ascii_lowercase();
        text.contains("cpf") || text.contains("cnpj")
    })
}
