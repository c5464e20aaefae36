//! Payment gateways: they create subscriptions, list charges, cancel, and send webhooks in Asaas's format.
//!
//! A new gateway is a file beside this one and a variant of [`Gateway`].

mod asaas;
pub(crate) mod sandbox;
pub(crate) mod webhook;

use std::borrow::Cow;
use std::time::{Duration, Instant};

use chrono::NaiveDate;
use serde_json::Value;

use crate::config::{Config, Payments};
use crate::domain::account::{AccountId, Email, OrderId};
use crate::domain::clock::UnixMillis;
use crate::domain::order::{Order, ReportedCharge};
use crate::domain::tax::TaxId;
use asaas::Asaas;
use sandbox::{Sandbox, SandboxAction};

/// A payment gateway.
#[derive(Debug)]
pub enum Gateway {
    /// A page of our own that imitates a gateway.
    Sandbox(Sandbox),
    /// Asaas.
    Asaas(Asaas),
}

/// Who pays. No `Debug`, so that names and addresses get into no log.
#[derive(Clone, Copy)]
pub struct Customer<'a> {
    /// The account.
    pub account: &'a AccountId,
    /// Its address.
    pub email: &'a Email,
    /// The name on the invoice, if one was given.
    pub name: Option<&'a str>,
    /// The tax number on the invoice: passed on, never stored.
    pub tax_id: &'a TaxId,
}

/// Why a call to a gateway failed. The gateway's own words are never part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GatewayError {
    /// No answer, or a server error, as it says. The call may have taken effect.
    #[error("the gateway does not answer or has a fault: {0}")]
    Unavailable(Cow<'static, str>),
    /// Our key is refused. The operator mends that, and until then nothing can be sold.
    #[error(
        "Asaas refuses asaas.api_key with status {0}: check that it is a key for asaas.url, that it has not expired, and \
         that it may be used from this machine"
    )]
    KeyRefused(u16),
    /// Too many requests.
    #[error("the gateway limits our requests")]
    RateLimited,
    /// The payer's tax number is refused.
    #[error("the gateway refuses the payer's document")]
    BadTaxId,
    /// Any other refusal. Repeating the call does not help.
    #[error("the gateway refused with status {0}")]
    Refused(u16),
    /// The answer cannot be parsed. The call may have taken effect.
    #[error("the gateway's answer cannot be parsed")]
    Unreadable,
    /// The subscription is at a gateway that this process does not use, and may go on charging there.
    #[error(
        "a subscription is at another payment gateway than the setting payments names, and goes on charging there: set \
         payments to that gateway until it is canceled"
    )]
    OtherGateway,
    /// Its clock shows another time than that of this machine.
    #[error(
        "the clocks of the gateway and of this machine are {0} minutes apart, so no plan is ended: set this clock right"
    )]
    OtherTime(u64),
}

/// The clock of a gateway, as an answer of it showed it.
#[derive(Debug, Clone, Copy)]
pub struct SeenClock {
    time: UnixMillis,
    seen: Instant,
}

impl SeenClock {
    /// How many milliseconds it and another clock are apart.
    pub fn apart_from(self, now: UnixMillis) -> i64 {
        let elapsed = i64::try_from(self.age().as_millis()).unwrap_or(i64::MAX);
        let time = self.time.0.saturating_add(elapsed);
        now.0.saturating_sub(time).saturating_abs()
    }

    /// How long ago it was seen.
    pub fn age(self) -> Duration {
        self.seen.elapsed()
    }
}

/// Why a gateway cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum GatewaySetupError {
    /// A public sandbox would give paid plans away.
    #[error(
        "payments = \"sandbox\" takes no money and would give paid plans away: base_url is not on this machine; set \
         payments to asaas or none"
    )]
    PublicSandbox,
    /// The HTTP client cannot be built.
    #[error("the client for the gateway cannot be built: {0}")]
    Client(#[from] reqwest::Error),
}

impl Gateway {
    /// The configured gateway, if any.
    pub fn open(config: &Config) -> Result<Option<Gateway>, GatewaySetupError> {
        match config.payments {
            Payments::None => Ok(None),
            Payments::Sandbox => Ok(Some(Gateway::Sandbox(Sandbox::new(config)?))),
            Payments::Asaas => Ok(Some(Gateway::Asaas(Asaas::new(config)?))),
        }
    }

    /// Creates the subscription of an order and returns the gateway's id. If an earlier request `may_exist`, looks for
    /// its subscription first, because the gateway has no idempotency keys.
    pub async fn create_subscription(
        &self,
        order: &Order,
        customer: Customer<'_>,
        may_exist: bool,
    ) -> Result<String, GatewayError> {
        match self {
            Gateway::Sandbox(_) => Ok(Sandbox::subscription_id(&order.id)),
            Gateway::Asaas(asaas) => asaas.create_subscription(order, customer, may_exist).await,
        }
    }

    /// The gateway's ids of all subscriptions of an order.
    pub async fn find_subscriptions(&self, order: &OrderId) -> Result<Vec<String>, GatewayError> {
        match self {
            Gateway::Sandbox(_) => Ok(vec![Sandbox::subscription_id(order)]),
            Gateway::Asaas(asaas) => asaas.find_subscriptions(order).await,
        }
    }

    /// The charges of a subscription of an order.
    pub async fn list_charges(&self, order: &Order, id: &str) -> Result<Vec<ReportedCharge>, GatewayError> {
        match self {
            Gateway::Sandbox(sandbox) => Ok(sandbox.list_charges(order)),
            Gateway::Asaas(asaas) => asaas.list_charges(id).await,
        }
    }

    /// What tells the payer of an order from others. It is made with the key of the gateway's API, which is in neither
    /// the store nor a backup: who has only these cannot find the tax number by trying all. None where nobody pays.
    pub fn payer_mark(&self, order: &OrderId, payer: &TaxId) -> Option<String> {
        match self {
            Gateway::Sandbox(_) => None,
            Gateway::Asaas(asaas) => Some(asaas.payer_mark(order, payer)),
        }
    }

    /// Whether its answers show the time.
    pub fn shows_time(&self) -> bool {
        matches!(self, Gateway::Asaas(_))
    }

    /// Its clock, if an answer has shown it.
    pub fn clock(&self) -> Option<SeenClock> {
        match self {
            Gateway::Sandbox(_) => None,
            Gateway::Asaas(asaas) => asaas.clock(),
        }
    }

    /// Whether an id of a subscription can be one of this gateway.
    pub fn knows(&self, id: &str) -> bool {
        match self {
            Gateway::Sandbox(_) => Sandbox::made(id),
            Gateway::Asaas(_) => !Sandbox::made(id),
        }
    }

    /// Whether an order can be canceled at a gateway, if there is one: at the one where it is, unless it is nowhere, or
    /// in the sandbox, which charges nothing.
    pub fn can_cancel(gateway: Option<&Gateway>, order: &Order) -> bool {
        match &order.gateway_id {
            Some(id) => Sandbox::made(id) || gateway.is_some_and(|gateway| gateway.knows(id)),
            None => gateway.is_some() || !order.may_exist(),
        }
    }

    /// Has a subscription charge next on this day. Charges that it has made stay as they are. One that is gone charges
    /// nothing, so that there is nothing to move.
    pub async fn move_renewal(&self, id: &str, to: NaiveDate) -> Result<(), GatewayError> {
        match self {
            // it makes one charge for an order
            Gateway::Sandbox(_) => Ok(()),
            Gateway::Asaas(asaas) => asaas.move_renewal(id, to).await,
        }
    }

    /// Deletes a charge that is not paid; an error for one that was paid meanwhile. One that is gone counts as deleted.
    pub async fn delete_charge(&self, id: &str) -> Result<(), GatewayError> {
        match self {
            Gateway::Sandbox(_) => Ok(()),
            Gateway::Asaas(asaas) => asaas.delete(&["payments", id]).await,
        }
    }

    /// Refunds a paid charge of an order, which a webhook reports. The sandbox sends none by itself: it is returned.
    pub async fn refund_charge(&self, order: &Order, id: &str) -> Result<Option<Value>, GatewayError> {
        match self {
            Gateway::Sandbox(_) => Ok(Some(Sandbox::webhook(order, SandboxAction::Refund))),
            Gateway::Asaas(asaas) => asaas.refund_charge(id).await.map(|()| None),
        }
    }

    /// Cancels a subscription and its unpaid charges. One that is gone counts as canceled.
    pub async fn cancel_subscription(&self, id: &str) -> Result<(), GatewayError> {
        match self {
            Gateway::Sandbox(_) => Ok(()),
            Gateway::Asaas(asaas) => asaas.delete(&["subscriptions", id]).await,
        }
    }
}
