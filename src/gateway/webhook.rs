//! Webhooks of the gateway: parsing, and the part that is stored until they are processed.

use serde::{Deserialize, Serialize};

use crate::domain::money::Reais;
use crate::domain::order::{ChargeChange, ReportedCharge};

/// The part of a webhook that is stored, as JSON, until it is processed: no more than is needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WebhookPayload {
    /// What happened.
    #[serde(rename = "what")]
    pub update: WebhookUpdate,
    /// The gateway's id of the subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscription: Option<String>,
    /// Our id of the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// What a webhook reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WebhookUpdate {
    /// A charge has changed.
    Charge(ReportedCharge),
    /// The subscription was canceled at the gateway.
    #[serde(rename = "closed")]
    Canceled,
}

impl WebhookUpdate {
    /// Whether money came or went.
    pub(crate) fn moves_money(&self) -> bool {
        matches!(self, WebhookUpdate::Charge(charge) if charge.change.moves_money())
    }
}

/// Every webhook has an id, which is the same in each delivery.
#[derive(Deserialize)]
struct Envelope {
    id: String,
}

#[derive(Deserialize)]
struct Body {
    event: String,
    payment: Option<Payment>,
    subscription: Option<Subscription>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payment {
    id: String,
    subscription: Option<String>,
    external_reference: Option<String>,
    value: Reais,
    invoice_url: Option<String>,
    due_date: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    id: Option<String>,
    external_reference: Option<String>,
}

/// The longest id and the longest URL that are accepted.
const MAX_ID: usize = 200;
const MAX_URL: usize = 1_000;

/// What a webhook of an authenticated sender is about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ParsedWebhook {
    /// A charge or a subscription that may be one of ours.
    Relevant {
        /// Its id.
        id: String,
        /// What of it is stored.
        payload: WebhookPayload,
    },
    /// Nothing that we act on.
    Irrelevant,
    /// It may be about money, in a form or with an event that this version does not know: why.
    Unknown(String),
}

/// Parses a webhook.
pub(crate) fn parse(body: &[u8]) -> ParsedWebhook {
    let id = match serde_json::from_slice(body) {
        Ok(Envelope { id }) if is_id(&id) => id,
        Ok(_) => return ParsedWebhook::Unknown(format!("its id has not 1 to {MAX_ID} bytes")),
        Err(error) => return ParsedWebhook::Unknown(format!("it has no id: {error}")),
    };
    let body: Body = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(error) => return ParsedWebhook::Unknown(format!("{id}: {error}")),
    };
    let (update, subscription, reference) = match (body.payment, body.subscription) {
        (Some(_), _) if is_irrelevant(&body.event) => return ParsedWebhook::Irrelevant,
        (Some(payment), _) => {
            let Some(change) = change_of_event(&body.event) else {
                return ParsedWebhook::Unknown(format!("{id}: the event {:?} is not known", body.event));
            };
            let Some(charge) = Some(payment.id).filter(|id| is_id(id)) else {
                return ParsedWebhook::Unknown(format!(
                    "{id}: the id of its payment has not 1 to {MAX_ID} bytes"
                ));
            };
            let charge = ReportedCharge {
                change,
                id: charge,
                cents: payment.value.cents(),
                pay_url: payment.invoice_url.filter(|url| url.len() <= MAX_URL),
                due_date: payment.due_date.and_then(|date| date.parse().ok()),
            };
            (WebhookUpdate::Charge(charge), payment.subscription, payment.external_reference)
        }
        (None, Some(subscription)) if is_cancellation(&body.event) => {
            (WebhookUpdate::Canceled, subscription.id, subscription.external_reference)
        }
        (None, _) => return ParsedWebhook::Irrelevant,
    };
    let (subscription, reference) = (subscription.filter(|id| is_id(id)), reference.filter(|id| is_id(id)));
    // the gateway's account may have charges of its own, which no order made
    match subscription.is_some() || reference.is_some() {
        true => ParsedWebhook::Relevant { id, payload: WebhookPayload { update, subscription, reference } },
        false => ParsedWebhook::Irrelevant,
    }
}

/// Whether an event of a charge changes nothing for us.
fn is_irrelevant(event: &str) -> bool {
    [
        "PAYMENT_AWAITING_RISK_ANALYSIS",
        "PAYMENT_APPROVED_BY_RISK_ANALYSIS",
        "PAYMENT_AUTHORIZED",
        "PAYMENT_ANTICIPATED",
        "PAYMENT_REFUND_IN_PROGRESS",
        "PAYMENT_REFUND_DENIED",
        "PAYMENT_BANK_SLIP_VIEWED",
        "PAYMENT_CHECKOUT_VIEWED",
    ]
    .contains(&event)
        || event.starts_with("PAYMENT_SPLIT_")
}

fn is_id(text: &str) -> bool {
    (1..=MAX_ID).contains(&text.len())
}

/// What an event says about a charge; `None` for one that this version does not know.
fn change_of_event(event: &str) -> Option<ChargeChange> {
    Some(match event {
        "PAYMENT_CREATED" | "PAYMENT_UPDATED" => ChargeChange::Listed,
        "PAYMENT_CONFIRMED" | "PAYMENT_RECEIVED" => ChargeChange::Paid,
        "PAYMENT_OVERDUE" => ChargeChange::Overdue,
        "PAYMENT_REFUNDED" => ChargeChange::Refunded,
        "PAYMENT_PARTIALLY_REFUNDED" => ChargeChange::PartlyRefunded,
        "PAYMENT_CHARGEBACK_REQUESTED" | "PAYMENT_CHARGEBACK_DISPUTE" => ChargeChange::Disputed,
        "PAYMENT_AWAITING_CHARGEBACK_REVERSAL" => ChargeChange::DisputeWon,
        "PAYMENT_RECEIVED_IN_CASH_UNDONE" => ChargeChange::CashUndone,
        "PAYMENT_CREDIT_CARD_CAPTURE_REFUSED" | "PAYMENT_REPROVED_BY_RISK_ANALYSIS" => ChargeChange::Refused,
        "PAYMENT_DELETED" => ChargeChange::Deleted,
        "PAYMENT_RESTORED" => ChargeChange::Restored,
        // debt collection is between the gateway and the payer
        "PAYMENT_DUNNING_REQUESTED" | "PAYMENT_DUNNING_RECEIVED" => ChargeChange::Listed,
        _ => return None,
    })
}

/// What a charge's status in a list says: the same as the event after which the charge has that status.
///
/// A charge whose cash payment was undone is PENDING again, like one that was never paid: only the event tells.
pub(super) fn change_of_status(status: &str) -> ChargeChange {
    match status {
        "CONFIRMED" | "RECEIVED" | "RECEIVED_IN_CASH" => ChargeChange::Paid,
        "OVERDUE" => ChargeChange::Overdue,
        "REFUNDED" => ChargeChange::Refunded,
        "CHARGEBACK_REQUESTED" | "CHARGEBACK_DISPUTE" => ChargeChange::Disputed,
        "AWAITING_CHARGEBACK_REVERSAL" => ChargeChange::DisputeWon,
        _ => ChargeChange::Listed,
    }
}

fn is_cancellation(event: &str) -> bool {
    ["SUBSCRIPTION_DELETED", "SUBSCRIPTION_INACTIVATED"].contains(&event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn relevant(body: &serde_json::Value) -> (String, WebhookPayload) {
        match parse(body.to_string().as_bytes()) {
            ParsedWebhook::Relevant { id, payload } => (id, payload),
            other => panic!("{other:?}"),
        }
    }

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
    fn only_the_needed_part_of_a_webhook_is_stored() {
        let (id, payload) = relevant(&payment("PAYMENT_RECEIVED"));
        assert_eq!(id, "evt_1&2");
        let charge = ReportedCharge {
            id: "pay_1".to_owned(),
            cents: 9_900,
            change: ChargeChange::Paid,
            pay_url: Some("https://pay.example/1".to_owned()),
            due_date: None,
        };
        assert_eq!(payload.update, WebhookUpdate::Charge(charge));
        let stored = serde_json::to_string(&payload).expect("JSON");
        assert!(!stored.contains("4242") && !stored.contains("cus_1"), "{stored}");
        assert_eq!(serde_json::from_str::<WebhookPayload>(&stored).expect("itself"), payload);
    }

    #[test]
    fn payloads_that_version_1_2_stored_are_read() {
        for (name, change) in [
            ("known", ChargeChange::Listed),
            ("paid", ChargeChange::Paid),
            ("overdue", ChargeChange::Overdue),
            ("taken_back", ChargeChange::Refunded),
            ("refused", ChargeChange::Refused),
            ("deleted", ChargeChange::Deleted),
            ("restored", ChargeChange::Restored),
        ] {
            let stored = format!(
                r#"{{"what":{{"charge":{{"id":"pay_1","cents":9900,"news":"{name}","pay_url":"https://x","due_date":null}}}},"subscription":"sub_1"}}"#
            );
            let payload: WebhookPayload = serde_json::from_str(&stored).expect(name);
            assert!(matches!(&payload.update, WebhookUpdate::Charge(charge) if charge.change == change));
            assert_eq!(serde_json::to_string(&payload).expect("JSON"), stored);
        }
        let stored = r#"{"what":"closed","reference":"chk_1"}"#;
        let payload: WebhookPayload = serde_json::from_str(stored).expect("a payload");
        assert_eq!(payload.update, WebhookUpdate::Canceled);
        assert_eq!(serde_json::to_string(&payload).expect("JSON"), stored);
    }

    #[test]
    fn what_changes_nothing_is_told_from_what_is_not_known() {
        let charge_of_nobody = json!({"id": "pay_1", "value": 99});
        for body in [
            payment("PAYMENT_CHECKOUT_VIEWED"),
            json!({"id": "evt_1", "event": "TRANSFER_DONE", "transfer": {}}),
            json!({"id": "evt_1", "event": "SUBSCRIPTION_CREATED", "subscription": {"id": "sub_1"}}),
            json!({"id": "evt_1", "event": "PAYMENT_RECEIVED", "payment": charge_of_nobody}),
        ] {
            assert_eq!(parse(body.to_string().as_bytes()), ParsedWebhook::Irrelevant, "{body}");
        }
        let of_a_later_version = payment("PAYMENT_TAKEN_BACK_SOMEHOW").to_string();
        for (body, why) in [
            (of_a_later_version.as_str(), "PAYMENT_TAKEN_BACK_SOMEHOW"),
            (
                r#"{"id":"evt_1","event":"PAYMENT_RECEIVED","payment":{"id":"pay_1"}}"#,
                "evt_1: missing field `value`",
            ),
            (r#"{"id":"evt_1"}"#, "evt_1: missing field `event`"),
            (r#"{"id":""}"#, "id"),
            ("{}", "id"),
            ("", "id"),
        ] {
            let parsed = parse(body.as_bytes());
            assert!(
                matches!(&parsed, ParsedWebhook::Unknown(said) if said.contains(why)),
                "{body}: {parsed:?}"
            );
        }
    }

    #[test]
    fn a_cancellation_at_the_gateway_is_parsed() {
        let body = json!({
            "id": "evt_1", "event": "SUBSCRIPTION_DELETED", "dateCreated": "01/03/2026",
            "subscription": {"id": "sub_1", "externalReference": null, "nextDueDate": "01/04/2026"},
        });
        let (_, payload) = relevant(&body);
        assert_eq!(
            (payload.update, payload.subscription.as_deref()),
            (WebhookUpdate::Canceled, Some("sub_1"))
        );
    }

    #[test]
    fn a_status_in_a_list_says_the_same_as_its_event() {
        for status in [
            "CONFIRMED",
            "RECEIVED",
            "OVERDUE",
            "REFUNDED",
            "CHARGEBACK_REQUESTED",
            "CHARGEBACK_DISPUTE",
            "AWAITING_CHARGEBACK_REVERSAL",
            "DUNNING_REQUESTED",
            "DUNNING_RECEIVED",
        ] {
            let event = change_of_event(&format!("PAYMENT_{status}")).expect(status);
            assert_eq!(change_of_status(status), event, "{status}");
        }
        // an operator marked it as paid in cash: the event is PAYMENT_RECEIVED
        assert_eq!(change_of_status("RECEIVED_IN_CASH"), ChargeChange::Paid);
        for status in ["PENDING", "REFUND_REQUESTED", "REFUND_IN_PROGRESS", "AWAITING_RISK_ANALYSIS", "NEW"] {
            assert_eq!(change_of_status(status), ChargeChange::Listed, "{status}");
        }
    }
}
