//! A gateway for development and tests that takes no money. Its page has a button for each thing that a payer, a bank
//! or time may do; a button sends the webhook that Asaas would send. It keeps no state: it needs only the order.

use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

use super::GatewaySetupError;
use crate::config::Config;
use crate::domain::account::OrderId;
use crate::domain::money::Reais;
use crate::domain::network::is_this_machine;
use crate::domain::order::{ChargeChange, Order, ReportedCharge};

/// The sandbox.
#[derive(Debug)]
pub struct Sandbox {
    base_url: String,
}

/// A button of the sandbox's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum SandboxAction {
    /// The payer pays.
    Pay,
    /// The bank declines the card.
    Fail,
    /// The due date passes.
    Expire,
    /// The payment is refunded.
    Refund,
}

impl SandboxAction {
    /// The value that the page's form sends.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

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
    /// The sandbox, unless the service can be reached from other machines.
    pub fn new(config: &Config) -> Result<Sandbox, GatewaySetupError> {
        match is_this_machine(&config.base_url.host()) {
            true => Ok(Sandbox { base_url: config.base_url.as_str().to_owned() }),
            false => Err(GatewaySetupError::PublicSandbox),
        }
    }

    pub(super) fn subscription_id(order: &OrderId) -> String {
        format!("sub_{order}")
    }

    /// Whether it made the subscription that has this id.
    pub(super) fn made(id: &str) -> bool {
        id.starts_with("sub_chk_")
    }

    fn charge_id(order: &OrderId) -> String {
        format!("pay_{order}")
    }

    /// The one charge of an order. Only a button changes it.
    pub(super) fn list_charges(&self, order: &Order) -> Vec<ReportedCharge> {
        vec![ReportedCharge {
            id: Sandbox::charge_id(&order.id),
            cents: order.cents.into(),
            change: ChargeChange::Listed,
            due_date: Some(order.due_date),
            pay_url: Some(format!("{}/sandbox/{}", self.base_url, order.id)),
        }]
    }

    /// The webhook that a button sends.
    pub fn webhook(order: &Order, action: SandboxAction) -> Value {
        json!({
            // pressing a button again repeats the delivery, which changes nothing
            "id": format!("evt_{}&{}", order.id, action.as_str()),
            "event": action.event(),
            "payment": {
                "object": "payment",
                "id": Sandbox::charge_id(&order.id),
                "subscription": Sandbox::subscription_id(&order.id),
                "externalReference": order.id,
                "value": Reais::of_cents(order.cents),
                "billingType": order.method.as_str(),
                "dueDate": order.due_date,
                "deleted": false,
            },
        })
    }
}
