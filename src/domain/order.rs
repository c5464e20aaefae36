//! Orders of plans, their charges, and what a gateway reports of a charge.

use std::collections::BTreeMap;
use std::str::FromStr;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::account::OrderId;
use super::clock::UnixMillis;
use super::plan::Plan;

/// How long the gateway may take to do what was given up waiting for.
pub(crate) const LATE_CREATION: i64 = 60_000;

/// A plan asked for: one subscription at the gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// What it is called, here and at the gateway.
    pub id: OrderId,
    /// The plan.
    pub plan: Plan,
    /// What a month of it costs, in centavos.
    pub cents: u32,
    /// How it is paid.
    pub method: Method,
    /// When.
    pub placed_at: UnixMillis,
    /// When its first charge is due.
    pub due_date: NaiveDate,
    /// The last four characters of the tax number it was placed with.
    pub tax_last4: String,
    /// Hashes of the idempotency keys it was asked for with.
    pub keys: Vec<String>,
    /// What the gateway calls it, once that is known.
    pub gateway_id: Option<String>,
    /// Until when somebody is asking the gateway for it, so that nobody else does.
    pub asked_until: UnixMillis,
    /// Whether it goes on.
    pub renewal: Renewal,
    /// Its charges, by the name that the gateway gave them.
    pub charges: BTreeMap<String, Charge>,
}

/// How an order is paid, as the contract and the gateway call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Method {
    /// Pix.
    Pix,
    /// A bank slip.
    Boleto,
    /// A credit card.
    CreditCard,
    /// Whichever of them the payer chooses.
    Undefined,
}

impl Method {
    /// The names of all of them.
    pub const NAMES: &[&str] = &[
        Method::Pix.as_str(),
        Method::Boleto.as_str(),
        Method::CreditCard.as_str(),
        Method::Undefined.as_str(),
    ];

    /// The names of those that may be asked for.
    pub const OFFERED: &[&str] = Method::NAMES.split_at(3).0;

    /// The name as the contract and the gateway write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Method::Pix => "PIX",
            Method::Boleto => "BOLETO",
            Method::CreditCard => "CREDIT_CARD",
            Method::Undefined => "UNDEFINED",
        }
    }

    /// Days from the order to the day its first charge is due.
    pub fn days_to_pay(self) -> u64 {
        if self == Method::Boleto { 3 } else { 0 }
    }
}

/// The name given is no method's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the method must be PIX, BOLETO or CREDIT_CARD")]
pub struct UnknownMethod;

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Method, UnknownMethod> {
        let all = [Method::Pix, Method::Boleto, Method::CreditCard, Method::Undefined];
        all.into_iter().find(|method| method.as_str() == name).ok_or(UnknownMethod)
    }
}

/// Whether the gateway goes on charging for an order. It only ever goes down this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Renewal {
    /// It does.
    On,
    /// It is to be told not to.
    Ending,
    /// It does not.
    Ended,
}

/// One charge for one month.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Charge {
    /// Where it is paid.
    pub pay_url: Option<String>,
    /// When it is due; the first day when that was moved.
    pub due_date: Option<NaiveDate>,
    /// What it has come to.
    #[serde(rename = "standing")]
    pub state: ChargeState,
}

/// What a charge has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeState {
    /// It is not paid.
    #[serde(rename = "awaited")]
    Pending {
        /// Its day has passed.
        overdue: bool,
        /// A card was refused.
        refused: bool,
        /// The gateway has deleted it.
        deleted: bool,
        /// The gateway has brought it back.
        restored: bool,
    },
    /// It was paid.
    Paid {
        /// When that was first told.
        at: UnixMillis,
    },
    /// The payer has the money back.
    #[serde(rename = "taken_back")]
    Refunded,
}

impl Default for ChargeState {
    fn default() -> ChargeState {
        ChargeState::Pending { overdue: false, refused: false, deleted: false, restored: false }
    }
}

/// What the gateway told of a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeEvent {
    /// The order it is for.
    pub order: OrderId,
    /// What the gateway calls it.
    pub charge: String,
    /// How much it is, in centavos.
    pub cents: u64,
    /// What happened to it.
    pub news: ChargeChange,
    /// Where it is paid.
    pub pay_url: Option<String>,
    /// When it is due.
    pub due_date: Option<NaiveDate>,
    /// When this came in.
    pub at: UnixMillis,
}

/// What happened to a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeChange {
    /// It is there.
    Known,
    /// It was paid.
    Paid,
    /// Its day has passed.
    Overdue,
    /// The payer has the money back, or asked the bank for it.
    TakenBack,
    /// A card was refused.
    Refused,
    /// It is not to be paid.
    Deleted,
    /// It is to be paid after all.
    Restored,
}

impl Order {
    /// From when on the gateway can be asked what it has of it. One that somebody is asking for cannot be looked up
    /// before that is done; nor can one be ended that may be taken yet, though whoever asked has given up.
    pub fn can_be_found_from(&self) -> UnixMillis {
        match (&self.gateway_id, self.renewal) {
            (Some(_), _) => UnixMillis(0),
            (None, Renewal::Ending) => UnixMillis(self.asked_until.0.saturating_add(LATE_CREATION)),
            (None, Renewal::On | Renewal::Ended) => self.asked_until,
        }
    }

    /// Whether money ever came for it, be it that it went back.
    pub fn was_paid(&self) -> bool {
        let paid = |charge: &Charge| !matches!(charge.state, ChargeState::Pending { .. });
        self.charges.values().any(paid)
    }

    /// Whether money came for it that did not go back.
    pub fn is_paid(&self) -> bool {
        self.charges.values().any(|charge| matches!(charge.state, ChargeState::Paid { .. }))
    }

    /// Whether all the money that ever came for it went back: nobody is charged again who took it back.
    pub fn went_back(&self) -> bool {
        self.was_paid() && !self.is_paid()
    }

    /// The charge that is to be paid next: of several the one that is due first.
    pub fn payable(&self) -> Option<&Charge> {
        let waiting = self.charges.values().filter(|charge| charge.is_payable() && charge.pay_url.is_some());
        waiting.min_by_key(|charge| (charge.due_date.is_none(), charge.due_date))
    }

    /// Where it is paid.
    pub fn pay_url(&self) -> Option<&str> {
        self.payable()?.pay_url.as_deref()
    }

    /// A charge whose day has passed.
    pub fn overdue(&self) -> Option<&Charge> {
        let overdue = |charge: &&Charge| {
            matches!(charge.state, ChargeState::Pending { overdue: true, .. }) && charge.is_payable()
        };
        self.charges.values().find(overdue)
    }

    /// Ends the renewal.
    pub fn end(&mut self) {
        self.renewal = self.renewal.max(Renewal::Ending);
    }
}

impl Charge {
    fn is_payable(&self) -> bool {
        matches!(self.state, ChargeState::Pending { deleted, restored, .. } if !deleted || restored)
    }
}

impl ChargeState {
    /// The standing after news, whichever came before.
    pub fn after(self, news: ChargeChange, told_at: UnixMillis) -> ChargeState {
        match (self, news) {
            (ChargeState::Refunded, _) | (_, ChargeChange::TakenBack) => ChargeState::Refunded,
            (ChargeState::Paid { at }, ChargeChange::Paid) => ChargeState::Paid { at: at.min(told_at) },
            (paid @ ChargeState::Paid { .. }, _) => paid,
            (ChargeState::Pending { .. }, ChargeChange::Paid) => ChargeState::Paid { at: told_at },
            (ChargeState::Pending { overdue, refused, deleted, restored }, news) => ChargeState::Pending {
                overdue: overdue || news == ChargeChange::Overdue,
                refused: refused || news == ChargeChange::Refused,
                deleted: deleted || news == ChargeChange::Deleted,
                restored: restored || news == ChargeChange::Restored,
            },
        }
    }
}
