//! Asaas, by its API v3.
//!
//! It knows no idempotency keys. WebhookUpdate may be asked again without harm (reading, ending) is asked up to three times;
//! an order is asked for once, and when the answer to that is lost it is looked up by the name that we gave it. Uses
//! [`crate::domain::account`] (the nouns), [`crate::config`] and reqwest.

use std::time::Duration;

use chrono::NaiveDate;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Client, Method, RequestBuilder, StatusCode, redirect};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Customer, GatewayError, GatewaySetupError, ReportedCharge};
use crate::config::{Config, Secret};
use crate::domain::account::OrderId;
use crate::domain::money::Reais;
use crate::domain::order::{ChargeChange, Order};

/// How long it may take to be reached, and to answer.
const REACH: Duration = Duration::from_secs(3);
const ANSWER: Duration = Duration::from_secs(8);

/// How often what may be asked again is asked, and the first wait, which doubles.
const TRIES: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// How long the pages of a list are, and how many are read: years of monthly charges.
const PAGE: usize = 100;
const MOST_PAGES: usize = 5;

/// The longest answer that is read.
const MOST_BYTES: usize = 1024 * 1024;

/// Asaas.
#[derive(Debug)]
pub struct Asaas {
    http: Client,
    url: String,
    key: Secret,
}

/// A page of a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<T> {
    data: Vec<T>,
    /// Whether there is another page.
    #[serde(default)]
    has_more: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CustomerRecord {
    id: String,
    cpf_cnpj: Option<String>,
    #[serde(default)]
    deleted: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    id: String,
    external_reference: Option<String>,
    #[serde(default)]
    deleted: bool,
}

#[derive(Debug, Deserialize)]
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

/// WebhookUpdate it says when it refuses.
#[derive(Debug, Deserialize)]
struct Refused {
    #[serde(default)]
    errors: Vec<Fault>,
}

#[derive(Debug, Deserialize)]
struct Fault {
    #[serde(default)]
    code: String,
    #[serde(default)]
    description: String,
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
}

impl Asaas {
    pub(super) fn new(config: &Config) -> Result<Asaas, GatewaySetupError> {
        let http = Client::builder()
            .user_agent(concat!("candango/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(REACH)
            .timeout(ANSWER)
            // the key must not follow one to another host
            .redirect(redirect::Policy::none())
            .build()?;
        Ok(Asaas { http, url: config.asaas.url.as_str().to_owned(), key: config.asaas.api_key.clone() })
    }

    /// Asks for an order. The caller has written it down, and sees to it that nobody else asks for it meanwhile.
    pub(super) async fn take(
        &self,
        order: &Order,
        payer: Customer<'_>,
        before: bool,
    ) -> Result<String, GatewayError> {
        if before && let Some(known) = self.find(&order.id).await?.into_iter().next() {
            return Ok(known);
        }
        let customer = self.customer(payer).await?;
        let body = NewSubscription {
            customer: &customer,
            billing_type: order.method.as_str(),
            value: Reais::of_cents(order.cents),
            next_due_date: order.due_date,
            cycle: "MONTHLY",
            description: format!("Candango {}", order.plan),
            external_reference: order.id.as_str(),
        };
        match self.post::<Subscription>("/subscriptions", &body).await {
            Ok(taken) => Ok(taken.id),
            // it may have been taken all the same
            Err(unknown @ (GatewayError::Unavailable | GatewayError::Unreadable)) => {
                self.find(&order.id).await?.into_iter().next().ok_or(unknown)
            }
            Err(error) => Err(error),
        }
    }

    /// Every subscription that goes by the name of an order, oldest first.
    pub(super) async fn find(&self, order: &OrderId) -> Result<Vec<String>, GatewayError> {
        let page: Page<Subscription> =
            self.get("/subscriptions", &[("externalReference", order.as_str())]).await?;
        let ours = |found: &Subscription| {
            !found.deleted && found.external_reference.as_deref().is_none_or(|known| known == order.as_str())
        };
        Ok(page.data.into_iter().filter(ours).map(|found| found.id).collect())
    }

    pub(super) async fn charges(&self, name: &str) -> Result<Vec<ReportedCharge>, GatewayError> {
        let at = format!("/subscriptions/{}/payments", path(name));
        let mut payments: Vec<Payment> = Vec::new();
        for _ in 0..MOST_PAGES {
            let (limit, offset) = (PAGE.to_string(), payments.len().to_string());
            let page = match self.get(&at, &[("limit", &limit), ("offset", &offset)]).await {
                Err(GatewayError::Refused(404)) => break,
                page => page?,
            };
            let Page { data, has_more } = page;
            payments.extend::<Vec<Payment>>(data);
            if !has_more {
                break;
            }
        }
        let charged = |payment: Payment| ReportedCharge {
            news: match news_of(&payment.status) {
                ChargeChange::Known | ChargeChange::Overdue if payment.deleted => ChargeChange::Deleted,
                news => news,
            },
            id: payment.id,
            cents: payment.value.cents(),
            due_date: payment.due_date,
            pay_url: payment.invoice_url,
        };
        Ok(payments.into_iter().map(charged).collect())
    }

    pub(super) async fn end(&self, name: &str) -> Result<(), GatewayError> {
        let at = format!("/subscriptions/{}", path(name));
        match self.again(|| self.request(Method::DELETE, &at)).await {
            Ok(_) | Err(GatewayError::Refused(404)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The payer as a customer: the one that is known, or a new one. A second one would do no harm.
    async fn customer(&self, payer: Customer<'_>) -> Result<String, GatewayError> {
        let account = payer.account.as_str();
        let page: Page<CustomerRecord> = self.get("/customers", &[("externalReference", account)]).await?;
        let same = |known: &CustomerRecord| {
            !known.deleted && known.cpf_cnpj.as_deref().is_none_or(|known| known == payer.tax_id.reveal())
        };
        if let Some(known) = page.data.into_iter().find(same) {
            return Ok(known.id);
        }
        let body = NewCustomer {
            name: payer.name,
            cpf_cnpj: payer.tax_id.reveal(),
            email: payer.email.as_str(),
            external_reference: account,
            // our own letters tell what is to be told
            notification_disabled: true,
        };
        Ok(self.post::<CustomerRecord>("/customers", &body).await?.id)
    }

    fn request(&self, method: Method, at: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{at}", self.url)).header("access_token", self.key.reveal())
    }

    async fn get<T: DeserializeOwned>(&self, at: &str, query: &[(&str, &str)]) -> Result<T, GatewayError> {
        let query: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        let at = if query.is_empty() { at.to_owned() } else { format!("{at}?{query}") };
        read(&self.again(|| self.request(Method::GET, &at)).await?)
    }

    async fn post<T: DeserializeOwned>(&self, at: &str, body: &impl Serialize) -> Result<T, GatewayError> {
        let body = serde_json::to_vec(body).map_err(|_| GatewayError::Unreadable)?;
        let request = self.request(Method::POST, at).header("content-type", "application/json").body(body);
        read(&answer(request).await?)
    }

    /// Asks what may be asked again.
    async fn again(&self, request: impl Fn() -> RequestBuilder) -> Result<Vec<u8>, GatewayError> {
        let mut wait = FIRST_WAIT;
        for _ in 1..TRIES {
            match answer(request()).await {
                Err(GatewayError::Unavailable | GatewayError::TooOften) => {}
                answered => return answered,
            }
            tokio::time::sleep(wait).await;
            wait *= 2;
        }
        answer(request()).await
    }
}

/// WebhookUpdate may stand in a step of a path as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.').remove(b'~');

/// A name as a step of a path, whatever is in it.
fn path(name: &str) -> String {
    utf8_percent_encode(name, PLAIN).to_string()
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, GatewayError> {
    serde_json::from_slice(body).map_err(|_| GatewayError::Unreadable)
}

/// The body of a good answer. Of a bad one nothing is kept or told but what kind it is.
async fn answer(request: RequestBuilder) -> Result<Vec<u8>, GatewayError> {
    let mut response = request.send().await.map_err(|_| GatewayError::Unavailable)?;
    let status = response.status();
    tracing::debug!(status = status.as_u16(), "the gateway answered");
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|_| GatewayError::Unavailable)? {
        if body.len() + piece.len() > MOST_BYTES {
            return Err(GatewayError::Unreadable);
        }
        body.extend_from_slice(&piece);
    }
    match status {
        _ if status.is_success() => Ok(body),
        StatusCode::TOO_MANY_REQUESTS => Err(GatewayError::TooOften),
        _ if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
            Err(GatewayError::Unavailable)
        }
        // our key: that is mended, and until then it is as if nobody were there
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(GatewayError::Unavailable),
        StatusCode::BAD_REQUEST if is_about_document(&body) => Err(GatewayError::BadTaxId),
        _ => Err(GatewayError::Refused(status.as_u16())),
    }
}

fn is_about_document(body: &[u8]) -> bool {
    let refused: Refused = serde_json::from_slice(body).unwrap_or(Refused { errors: Vec::new() });
    refused.errors.iter().any(|Fault { code, description }| {
        let said = format!("{code} {description}").to_ascii_lowercase();
        said.contains("cpf") || said.contains("cnpj")
    })
}

fn news_of(status: &str) -> ChargeChange {
    match status {
        // in cash: the operator has told the gateway that the money came otherwise
        "CONFIRMED" | "RECEIVED" | "RECEIVED_IN_CASH" => ChargeChange::Paid,
        "OVERDUE" => ChargeChange::Overdue,
        "REFUNDED" | "CHARGEBACK_REQUESTED" | "CHARGEBACK_DISPUTE" => ChargeChange::TakenBack,
        _ => ChargeChange::Known,
    }
}
