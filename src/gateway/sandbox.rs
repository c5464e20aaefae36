//! A gateway where nobody pays, for development and tests: its page has buttons for what a payer, a bank and time
//! would do, and it tells of that in the very notices that Asaas sends. It remembers nothing: what it needs is in the
//! books. Uses [`crate::domain::account`] (the nouns), [`crate::config`] and the crate `url`.

use serde_json::{Value, json};
use url::{Host, Url};

use super::{GatewaySetupError, ReportedCharge};
use crate::config::Config;
use crate::domain::account::OrderId;
use crate::domain::money::Reais;
use crate::domain::order::{ChargeChange, Order};

/// The sandbox.
#[derive(Debug)]
pub struct Sandbox {
    base_url: String,
}

/// WebhookUpdate may be pressed on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxAction {
    /// The payer pays.
    Pay,
    /// The bank refuses the card.
    Fail,
    /// The day to pay passes.
    Expire,
    /// The payer gets the money back.
    Refund,
}

impl SandboxAction {
    /// All of them.
    pub const ALL: [SandboxAction; 4] =
        [SandboxAction::Pay, SandboxAction::Fail, SandboxAction::Expire, SandboxAction::Refund];

    /// The name, as the page sends it.
    pub fn as_str(self) -> &'static str {
        match self {
            SandboxAction::Pay => "pay",
            SandboxAction::Fail => "fail",
            SandboxAction::Expire => "expire",
            SandboxAction::Refund => "refund",
        }
    }

    /// WebhookUpdate Asaas calls what comes of it.
    fn event(self) -> &'static str {
        match self {
            SandboxAction::Pay => "PAYMENT_RECEIVED",
            SandboxAction::Fail => "PAYMENT_CREDIT_CARD_CAPTURE_REFUSED",
            SandboxAction::Expire => "PAYMENT_OVERDUE",
            SandboxAction::Refund => "PAYMENT_REFUNDED",
        }
    }
}

impl Sandbox {
    /// The sandbox, where only this machine reaches it.
    pub fn new(config: &Config) -> Result<Sandbox, GatewaySetupError> {
        let base_url = config.base_url.as_str().to_owned();
        let is_here = Url::parse(&base_url).is_ok_and(|url| match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        });
        if is_here { Ok(Sandbox { base_url }) } else { Err(GatewaySetupError::PublicSandbox) }
    }

    /// WebhookUpdate it calls an order.
    pub(super) fn name_of(order: &OrderId) -> String {
        format!("sub_{order}")
    }

    /// WebhookUpdate it calls the one charge of an order.
    pub fn charge_of(order: &OrderId) -> String {
        format!("pay_{order}")
    }

    /// Its one charge, which only a button changes.
    pub(super) fn charges(&self, order: &Order) -> Vec<ReportedCharge> {
        let pay_url = Some(format!("{}/sandbox/{}", self.base_url, order.id));
        let cents = order.cents.into();
        let due_date = Some(order.due_date);
        vec![ReportedCharge {
            id: Sandbox::charge_of(&order.id),
            cents,
            news: ChargeChange::Known,
            due_date,
            pay_url,
        }]
    }

    /// The notice of a button that was pressed on the page of an order.
    pub fn webhook(order: &Order, press: SandboxAction) -> Value {
        let event = press.event();
        json!({
            // a second press is the same notice: it changes nothing
            "id": format!("evt_{}&{}", order.id, press.as_str()),
            "event": event,
            "payment": {
                "object": "payment",
                "id": Sandbox::charge_of(&order.id),
                "subscription": Sandbox::name_of(&order.id),
                "externalReference": order.id,
                "value": Reais::of_cents(order.cents),
                "billingType": order.method.as_str(),
                "dueDate": order.due_date,
                "deleted": false,
            },
        })
    }
}
