//! Who takes the money. A gateway takes an order, tells its charges and ends it; what it tells of its own accord
//! comes in as notices, which both gateways write alike. A new gateway is a file beside this one and an arm of
//! [`Gateway`]. Uses [`crate::domain::account`] (the nouns), [`crate::domain::clock`] and [`crate::config`].

pub mod asaas;

pub mod sandbox;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::config::{Config, Payments};
use crate::domain::account::{AccountId, Email, OrderId};
use crate::domain::money::Reais;
use crate::domain::order::{ChargeChange, Order};
use crate::domain::tax::TaxId;
use asaas::Asaas;
use sandbox::Sandbox;

/// Who takes the money.
#[derive(Debug)]
pub enum Gateway {
    /// Nobody does: a page of our own plays a gateway.
    Sandbox(Sandbox),
    /// Asaas.
    Asaas(Asaas),
}

/// Who pays. It has no `Debug`: names and addresses must get into no log.
#[derive(Clone, Copy)]
pub struct Customer<'a> {
    /// The account.
    pub account: &'a AccountId,
    /// Its address.
    pub email: &'a Email,
    /// The name the bill is for.
    pub name: &'a str,
    /// The tax number the bill is for: it is passed on and kept nowhere.
    pub tax_id: &'a TaxId,
}

/// A charge as a gateway tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedCharge {
    /// WebhookUpdate the gateway calls it.
    pub id: String,
    /// How much it is, in centavos.
    pub cents: u64,
    /// WebhookUpdate has happened to it.
    pub news: ChargeChange,
    /// When it is due.
    pub due_date: Option<NaiveDate>,
    /// Where it is paid.
    pub pay_url: Option<String>,
}

/// Why a gateway did not do as asked. WebhookUpdate it said itself is never part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GatewayError {
    /// It does not answer, or is not well. WebhookUpdate was asked may have been done.
    #[error("the gateway does not answer, or is not well")]
    Unavailable,
    /// It wants to be asked less often.
    #[error("the gateway wants to be asked less often")]
    TooOften,
    /// It will not take the payer's document.
    #[error("the gateway refuses the payer's document")]
    BadTaxId,
    /// It refuses, and will again: the fault is in what we ask or in our key.
    #[error("the gateway refused with status {0}")]
    Refused(u16),
    /// It answered what cannot be read.
    #[error("the gateway's answer cannot be read")]
    Unreadable,
}

/// Why there is no gateway.
#[derive(Debug, thiserror::Error)]
pub enum GatewaySetupError {
    /// Everybody could have a plan for nothing.
    #[error(
        "payments = \"sandbox\" takes no money and would give paid plans away: base_url is not on this machine; set \
         payments to asaas or none"
    )]
    PublicSandbox,
    /// The client cannot be built.
    #[error("the gateway cannot be spoken to: {0}")]
    Client(#[from] reqwest::Error),
}

impl Gateway {
    /// The gateway that the configuration names, if it names one.
    pub fn open(config: &Config) -> Result<Option<Gateway>, GatewaySetupError> {
        match config.payments {
            Payments::None => Ok(None),
            Payments::Sandbox => Ok(Some(Gateway::Sandbox(Sandbox::new(config)?))),
            Payments::Asaas => Ok(Some(Gateway::Asaas(Asaas::new(config)?))),
        }
    }

    /// Has an order charged for; answers what the gateway calls it. Of an order that was asked for before it is
    /// looked up first whether it was taken.
    pub async fn take(
        &self,
        order: &Order,
        payer: Customer<'_>,
        before: bool,
    ) -> Result<String, GatewayError> {
        match self {
            Gateway::Sandbox(_) => Ok(Sandbox::name_of(&order.id)),
            Gateway::Asaas(asaas) => asaas.take(order, payer, before).await,
        }
    }

    /// WebhookUpdate the gateway calls an order that it may have taken.
    pub async fn find(&self, order: &OrderId) -> Result<Vec<String>, GatewayError> {
        match self {
            Gateway::Sandbox(_) => Ok(vec![Sandbox::name_of(order)]),
            Gateway::Asaas(asaas) => asaas.find(order).await,
        }
    }

    /// The charges of an order that it calls `name`, the one due first before others.
    pub async fn charges(&self, order: &Order, name: &str) -> Result<Vec<ReportedCharge>, GatewayError> {
        match self {
            Gateway::Sandbox(sandbox) => Ok(sandbox.charges(order)),
            Gateway::Asaas(asaas) => asaas.charges(name).await,
        }
    }

    /// Ends an order that it calls `name`, with the charges that are not paid. One that is gone has ended.
    pub async fn end(&self, name: &str) -> Result<(), GatewayError> {
        match self {
            Gateway::Sandbox(_) => Ok(()),
            Gateway::Asaas(asaas) => asaas.end(name).await,
        }
    }
}

/// WebhookUpdate is kept of a notice until it is seen to: of what the gateway sends no more than is needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookPayload {
    /// WebhookUpdate happened.
    pub what: WebhookUpdate,
    /// WebhookUpdate the gateway calls the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscription: Option<String>,
    /// WebhookUpdate we call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// WebhookUpdate a notice is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookUpdate {
    /// A charge.
    Charge {
        /// WebhookUpdate the gateway calls it.
        id: String,
        /// How much it is, in centavos.
        cents: u64,
        /// WebhookUpdate happened to it.
        news: ChargeChange,
        /// Where it is paid.
        pay_url: Option<String>,
        /// When it is due.
        due_date: Option<NaiveDate>,
    },
    /// The gateway charges no more for the order.
    Closed,
}

impl WebhookUpdate {
    /// Whether money came or went.
    pub fn is_of_money(&self) -> bool {
        matches!(self, WebhookUpdate::Charge { news: ChargeChange::Paid | ChargeChange::TakenBack, .. })
    }
}

/// A notice as it comes in: only what is needed is read.
#[derive(Debug, Deserialize)]
struct Sent {
    event: String,
    payment: Option<SentPayment>,
    subscription: Option<SentSubscription>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentPayment {
    id: String,
    subscription: Option<String>,
    external_reference: Option<String>,
    value: Reais,
    invoice_url: Option<String>,
    due_date: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentSubscription {
    id: Option<String>,
    external_reference: Option<String>,
}

/// Longest name that is taken from a notice, and longest address of a payment page.
const MAX_ID: usize = 200;
const MOST_URL: usize = 1_000;

/// Reads a notice: its name, and what it tells if that is anything to us. None when it is no notice at all.
pub fn read_notice(body: &[u8]) -> Option<(String, Option<WebhookPayload>)> {
    /// WebhookUpdate every notice has.
    #[derive(Deserialize)]
    struct Named {
        id: String,
    }
    let name = |text: &String| (1..=MAX_ID).contains(&text.len());
    let Named { id } = serde_json::from_slice(body).ok().filter(|named: &Named| name(&named.id))?;
    // its sender is known: money may be told of in a way that is new
    let unread = |_| tracing::warn!(notice = id, "a notice of the gateway cannot be read");
    let told = serde_json::from_slice(body).map_err(unread).ok().and_then(|sent: Sent| {
        let (what, subscription, reference) = match (sent.payment, sent.subscription) {
            (Some(payment), _) => {
                let news = news_of(&sent.event)?;
                let pay_url = payment.invoice_url.filter(|url| url.len() <= MOST_URL);
                let due_date = payment.due_date.and_then(|date| date.parse().ok());
                let cents = payment.value.cents();
                let what = WebhookUpdate::Charge { id: payment.id, cents, news, pay_url, due_date };
                (what, payment.subscription, payment.external_reference)
            }
            (None, Some(gone)) if is_closing(&sent.event) => {
                (WebhookUpdate::Closed, gone.id, gone.external_reference)
            }
            (None, _) => return None,
        };
        let (subscription, reference) = (subscription.filter(name), reference.filter(name));
        let sound = match &what {
            WebhookUpdate::Charge { id, .. } => name(id),
            WebhookUpdate::Closed => true,
        };
        let matchable = subscription.is_some() || reference.is_some();
        (sound && matchable).then_some(WebhookPayload { what, subscription, reference })
    });
    Some((id, told))
}

fn news_of(event: &str) -> Option<ChargeChange> {
    Some(match event {
        "PAYMENT_CREATED" | "PAYMENT_UPDATED" => ChargeChange::Known,
        "PAYMENT_CONFIRMED" | "PAYMENT_RECEIVED" => ChargeChange::Paid,
        "PAYMENT_OVERDUE" => ChargeChange::Overdue,
        "PAYMENT_REFUNDED" | "PAYMENT_CHARGEBACK_REQUESTED" => ChargeChange::TakenBack,
        "PAYMENT_CREDIT_CARD_CAPTURE_REFUSED" | "PAYMENT_REPROVED_BY_RISK_ANALYSIS" => ChargeChange::Refused,
        "PAYMENT_DELETED" => ChargeChange::Deleted,
        "PAYMENT_RESTORED" => ChargeChange::Restored,
        _ => return None,
    })
}

fn is_closing(event: &str) -> bool {
    ["SUBSCRIPTION_DELETED", "SUBSCRIPTION_INACTIVATED"].contains(&event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn payment(event: &str) -> serde_json::Value {
        json!({
            "id": "evt_1&2", "event": event, "dateCreated": "2026-03-01 10:00:00", "account": {"id": "x"},
            "payment": {
                "id": "pay_1", "customer": "cus_1", "subscription": "sub_1", "value": 99, "billingType": "PIX",
                "externalReference": "chk_1", "invoiceUrl": "https://pay.example/1", "creditCard": {"number": "4242"},
            },
        })
    }

    #[test]
    fn a_notice_is_read_for_what_is_needed_and_no_more() {
        let (id, told) = read_notice(payment("PAYMENT_RECEIVED").to_string().as_bytes()).expect("a notice");
        let told = told.expect("told");
        assert_eq!(id, "evt_1&2");
        let pay_url = Some("https://pay.example/1".to_owned());
        let what = WebhookUpdate::Charge {
            id: "pay_1".to_owned(),
            cents: 9_900,
            news: ChargeChange::Paid,
            pay_url,
            due_date: None,
        };
        assert_eq!(told.what, what);
        let kept = serde_json::to_string(&told).expect("JSON");
        assert!(!kept.contains("4242") && !kept.contains("cus_1"), "{kept}");
        assert_eq!(serde_json::from_str::<WebhookPayload>(&kept).expect("itself"), told);
    }

    #[test]
    fn what_is_nothing_to_us_is_still_a_notice() {
        for event in ["PAYMENT_CHECKOUT_VIEWED", "TRANSFER_DONE", ""] {
            let read = read_notice(payment(event).to_string().as_bytes()).expect("a notice");
            assert_eq!(read.1, None, "{event}");
        }
        for body in [
            json!({"id": "evt_1", "event": "SUBSCRIPTION_CREATED", "subscription": {"id": "sub_1"}}),
            json!({"id": "evt_1", "event": "PAYMENT_RECEIVED", "payment": {"id": "pay_1"}}),
            json!({"id": "evt_1", "event": "PAYMENT_RECEIVED", "payment": {"id": "pay_1", "value": 99}}),
            json!({"id": "evt_1"}),
        ] {
            assert_eq!(read_notice(body.to_string().as_bytes()), Some(("evt_1".to_owned(), None)), "{body}");
        }
        for body in ["", "[]", "{}", r#"{"id":""}"#, r#"{"id":7}"#] {
            assert_eq!(read_notice(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn the_end_of_an_order_is_read() {
        let body = json!({
            "id": "evt_1", "event": "SUBSCRIPTION_DELETED", "dateCreated": "01/03/2026",
            "subscription": {"id": "sub_1", "externalReference": null, "nextDueDate": "01/04/2026"},
        });
        let told = read_notice(body.to_string().as_bytes()).expect("a notice").1.expect("told");
        assert_eq!((told.what, told.subscription.as_deref()), (WebhookUpdate::Closed, Some("sub_1")));
    }
}
