//! Orders of paid plans, their charges, and what a gateway reports about a charge.
//!
//! Orders are stored as JSON: a renamed field or variant keeps its stored name with `#[serde(rename)]`.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{Months, NaiveDate};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

use super::account::OrderId;
use super::clock::UnixMillis;
use super::plan::Plan;

/// How long after our request timed out the gateway may still create what we asked for.
pub(crate) const LATE_CREATION: Duration = Duration::from_mins(1);

/// A plan that an account asked for: one subscription at the gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Our id; the gateway keeps it as `externalReference`.
    pub id: OrderId,
    /// The plan.
    pub plan: Plan,
    /// The price of a month, in centavos.
    pub cents: u32,
    /// The payment method.
    pub method: Method,
    /// When it was ordered.
    pub placed_at: UnixMillis,
    /// The due date of its first charge.
    pub due_date: NaiveDate,
    /// The last four characters of the payer's tax number.
    pub tax_last4: String,
    /// Tells the payer of an open order from others with the same last four; not known where the gateway makes none.
    /// Programs before this one stored as `payer` what can be found by trying all tax numbers: it is not read, so that
    /// it is gone when the order is written next.
    #[serde(rename = "payer_mark", default, skip_serializing_if = "Option::is_none")]
    pub payer: Option<String>,
    /// Hashes of the idempotency keys it was requested with.
    pub keys: Vec<String>,
    /// The gateway's id of the subscription, once known.
    pub gateway_id: Option<String>,
    /// Until when a request or worker has the right to create it at the gateway, so that no other does.
    #[serde(rename = "asked_until")]
    pub creation_locked_until: UnixMillis,
    /// Whether the gateway goes on charging.
    pub renewal: Renewal,
    /// The day to which its next charge was moved at the gateway; none where it charges every month from its first
    /// charge on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renews_on: Option<NaiveDate>,
    /// Its charges, by the gateway's id.
    pub charges: BTreeMap<String, Charge>,
}

/// A payment method, named as in our API and in the gateway's.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr, VariantNames,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Method {
    /// Pix.
    Pix,
    /// A bank slip.
    Boleto,
    /// A credit card.
    CreditCard,
    /// The payer chooses on the gateway's page.
    Undefined,
}

impl Method {
    /// The names of all methods.
    pub const NAMES: &[&str] = Method::VARIANTS;

    /// The names that a checkout accepts.
    pub const OFFERED: &[&str] = Method::NAMES.split_at(3).0;

    /// The name of the method.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Days that the money may take from the payer to the gateway: a bank slip takes up to three working days.
    pub fn days_to_arrive(self) -> i64 {
        if self == Method::Boleto { 5 } else { 1 }
    }

    /// Days from the order to the due date of its first charge.
    pub fn days_to_pay(self) -> u64 {
        if self == Method::Boleto { 3 } else { 0 }
    }
}

/// Whether the gateway goes on charging for an order. It only ever moves down this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Renewal {
    /// It charges every month.
    On,
    /// We have to cancel it at the gateway.
    Ending,
    /// It is canceled at the gateway.
    Ended,
}

/// A charge for one month.
///
/// Reports may arrive in any order and more than once, so a charge keeps facts that combine in any order (the first
/// payment, the first dispute, ...), and [`Charge::credited_from`] decides what they amount to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Charge {
    /// The gateway's page to pay it on.
    pub pay_url: Option<String>,
    /// The earliest due date that was reported.
    pub due_date: Option<NaiveDate>,
    /// Whether it was paid or refunded.
    #[serde(rename = "standing")]
    pub state: ChargeState,
    /// When a chargeback was first reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disputed_at: Option<UnixMillis>,
    /// When it was first reported that we won the dispute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute_won_at: Option<UnixMillis>,
    /// When a payment in cash was last undone: the money never came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cash_undone_at: Option<UnixMillis>,
    /// The amount that was paid, in centavos; not known of what an older version recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cents: Option<u64>,
    /// When a payment was first reported, even if it was refunded; not known of a refund that an older version
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid_at: Option<UnixMillis>,
    /// When the refund of the whole amount was first reported; not known of what an older version recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refunded_at: Option<UnixMillis>,
    /// When it was first reported as overdue or declined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<UnixMillis>,
    /// Whether a part of the money was refunded. The month stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partly_refunded: bool,
}

/// Whether a charge was paid or refunded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeState {
    /// No payment was reported.
    #[serde(rename = "awaited")]
    Pending {
        /// Its due date has passed.
        overdue: bool,
        /// A card was declined.
        refused: bool,
        /// The gateway deleted it.
        deleted: bool,
        /// The gateway restored it.
        restored: bool,
    },
    /// It was paid.
    Paid {
        /// When that was first reported.
        at: UnixMillis,
    },
    /// The whole amount was refunded. Final.
    #[serde(rename = "taken_back")]
    Refunded,
}

impl Default for ChargeState {
    fn default() -> ChargeState {
        ChargeState::Pending { overdue: false, refused: false, deleted: false, restored: false }
    }
}

/// A charge as the gateway reports it, in a webhook or in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedCharge {
    /// The gateway's id.
    pub id: String,
    /// The amount, in centavos.
    pub cents: u64,
    /// What happened to it.
    #[serde(rename = "news")]
    pub change: ChargeChange,
    /// The gateway's page to pay it on.
    pub pay_url: Option<String>,
    /// Its due date.
    pub due_date: Option<NaiveDate>,
}

/// A reported charge of one of our orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargeEvent {
    /// The order it is for.
    pub order: OrderId,
    /// The charge.
    pub charge: ReportedCharge,
    /// When the report came in.
    pub at: UnixMillis,
}

/// What happened to a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChargeChange {
    /// It exists; nothing about its money changed.
    #[serde(rename = "known")]
    Listed,
    /// It was paid.
    Paid,
    /// Its due date has passed.
    Overdue,
    /// The whole amount was refunded.
    #[serde(rename = "taken_back")]
    Refunded,
    /// A part of the amount was refunded.
    PartlyRefunded,
    /// The payer asked the bank for the money (a chargeback).
    Disputed,
    /// The bank decided the dispute for us: the money comes back.
    DisputeWon,
    /// A payment in cash was undone: the money never came.
    CashUndone,
    /// A card was declined.
    Refused,
    /// The gateway deleted it.
    Deleted,
    /// The gateway restored it.
    Restored,
}

impl ChargeChange {
    /// Whether money came or went. Such reports count even for a second subscription that an order got by accident.
    pub fn moves_money(self) -> bool {
        use ChargeChange::*;
        match self {
            Paid | Refunded | PartlyRefunded | Disputed | DisputeWon | CashUndone => true,
            Listed | Overdue | Refused | Deleted | Restored => false,
        }
    }
}

impl Order {
    /// From when on a search at the gateway is conclusive: not while a request may still be creating the subscription.
    /// An order to cancel waits longer, because a request that timed out may still take effect.
    pub fn searchable_from(&self) -> UnixMillis {
        match (&self.gateway_id, self.renewal) {
            (Some(_), _) => UnixMillis(0),
            (None, Renewal::Ending) => self.creation_locked_until.after(LATE_CREATION),
            (None, Renewal::On | Renewal::Ended) => self.creation_locked_until,
        }
    }

    /// Whether the gateway was ever asked to create it, and may have done so.
    pub fn may_exist(&self) -> bool {
        self.gateway_id.is_some() || self.creation_locked_until != UnixMillis(0)
    }

    /// Whether money ever came for it, even if it was refunded.
    pub fn was_paid(&self) -> bool {
        self.charges.values().any(Charge::was_paid)
    }

    /// Whether we hold money for it.
    pub fn is_paid(&self) -> bool {
        self.charges.values().any(|charge| charge.credited_from().is_some())
    }

    /// Whether all the money that ever came was refunded or is disputed. Such an order must not charge again.
    pub fn is_fully_refunded(&self) -> bool {
        self.was_paid() && !self.is_paid()
    }

    /// When its latest open dispute began.
    pub fn in_dispute_since(&self) -> Option<UnixMillis> {
        let open = self.charges.values().filter(|charge| charge.in_dispute());
        open.filter_map(|charge| charge.disputed_at).max()
    }

    /// The charge to pay next: the one that is due first.
    pub fn payable(&self) -> Option<&Charge> {
        let payable = self.charges.values().filter(|charge| charge.is_payable() && charge.pay_url.is_some());
        payable.min_by_key(|charge| (charge.due_date.is_none(), charge.due_date))
    }

    /// The page to pay its next charge on.
    pub fn pay_url(&self) -> Option<&str> {
        self.payable()?.pay_url.as_deref()
    }

    /// The charges whose due date has passed.
    pub fn overdue(&self) -> impl Iterator<Item = &Charge> {
        let is_late = |charge: &Charge| matches!(charge.state, ChargeState::Pending { overdue: true, .. });
        self.charges.values().filter(move |charge| is_late(charge) && charge.is_payable())
    }

    /// The charges that wait for payment, by the gateway's id, without those that the operator made payable again.
    pub fn waiting(&self) -> impl Iterator<Item = (&str, &Charge)> {
        let is_restored =
            |charge: &Charge| matches!(charge.state, ChargeState::Pending { restored: true, .. });
        let is_again = move |charge: &Charge| is_restored(charge) || charge.cash_undone_at.is_some();
        let all = self.charges.iter().map(|(id, charge)| (id.as_str(), charge));
        all.filter(move |(_, charge)| charge.is_payable() && !is_again(charge))
    }

    /// When its next charge is due, as far as that is known: the first that waits for payment, or else the one that the
    /// gateway makes next.
    pub fn next_due(&self) -> Option<NaiveDate> {
        let made = self.charges.values().filter(|charge| !charge.is_deleted());
        let last = made.filter_map(|charge| charge.due_date).max();
        let coming = self.renews_on.max(last.and_then(|due| due.checked_add_months(Months::new(1))));
        self.waiting().filter_map(|(_, charge)| charge.due_date).min().or(coming)
    }

    /// Whether a charge of it is the one whose payment was reported first: later ones renew what that bought.
    pub fn is_first_payment(&self, charge: &Charge) -> bool {
        let first = self.charges.values().filter_map(Charge::first_paid_at).min();
        charge.first_paid_at().is_some_and(|paid_at| Some(paid_at) == first)
    }

    /// Whether it was never paid and still can be.
    pub fn is_open(&self) -> bool {
        self.renewal == Renewal::On && !self.was_paid()
    }

    /// Marks it to be canceled at the gateway.
    pub fn end(&mut self) {
        self.renewal = self.renewal.max(Renewal::Ending);
    }
}

impl Charge {
    /// Adds what was reported at `at` to what is known.
    pub fn apply(&mut self, change: ChargeChange, at: UnixMillis) {
        use ChargeChange::*;
        let first = |known: Option<UnixMillis>| Some(known.map_or(at, |known| known.min(at)));
        match change {
            Paid => {
                self.paid_at =
                    Some(self.first_paid_at().map_or(at, |known| self.first_that_stands(known, at)));
                self.pay(at);
            }
            Refunded => {
                // one that an older version recorded has no date, and gets none from a repeated report
                if self.state != ChargeState::Refunded || self.refunded_at.is_some() {
                    self.refunded_at = first(self.refunded_at);
                }
                self.paid_at = self.first_paid_at();
                self.state = ChargeState::Refunded;
            }
            PartlyRefunded => self.is_partly_refunded = true,
            Disputed => self.disputed_at = first(self.disputed_at),
            DisputeWon => self.dispute_won_at = first(self.dispute_won_at),
            CashUndone => self.cash_undone_at = self.cash_undone_at.max(Some(at)),
            Overdue | Refused => self.failed_at = first(self.failed_at),
            Listed | Deleted | Restored => {}
        }
        if let ChargeState::Pending { overdue, refused, deleted, restored } = &mut self.state {
            *overdue |= change == Overdue;
            *refused |= change == Refused;
            *deleted |= change == Deleted;
            *restored |= change == Restored;
        }
    }

    /// When a payment was first reported, if that is known.
    pub fn first_paid_at(&self) -> Option<UnixMillis> {
        self.paid_at.or(match self.state {
            ChargeState::Paid { at } => Some(at),
            ChargeState::Pending { .. } | ChargeState::Refunded => None,
        })
    }

    /// Whether the money never came: a payment in cash that was undone.
    pub fn is_cash_undone(&self) -> bool {
        matches!(self.state, ChargeState::Paid { at } if self.is_undone(at))
    }

    /// The first report of a payment counts, or the first one after a payment in cash was undone.
    fn pay(&mut self, at: UnixMillis) {
        self.state = match self.state {
            ChargeState::Refunded => ChargeState::Refunded,
            ChargeState::Paid { at: known } => ChargeState::Paid { at: self.first_that_stands(known, at) },
            ChargeState::Pending { .. } => ChargeState::Paid { at },
        };
    }

    /// The first of two payments, without one that was undone unless both were. An undone one is the earlier.
    fn first_that_stands(&self, one: UnixMillis, other: UnixMillis) -> UnixMillis {
        if self.is_undone(one) == self.is_undone(other) { one.min(other) } else { one.max(other) }
    }

    /// Whether a payment reported at a moment was undone later.
    fn is_undone(&self, paid_at: UnixMillis) -> bool {
        self.cash_undone_at.is_some_and(|undone_at| paid_at <= undone_at)
    }

    /// The moment from which its month counts; none while we hold no money for it.
    ///
    /// After a dispute that we won the month continues: the time that the plan was off is added.
    pub fn credited_from(&self) -> Option<UnixMillis> {
        let ChargeState::Paid { at } = self.state else { return None };
        if self.is_undone(at) {
            return None;
        }
        let Some(disputed_at) = self.disputed_at else { return Some(at) };
        let plan_was_off = self.dispute_won_at?.0.saturating_sub(disputed_at.max(at).0).max(0);
        Some(UnixMillis(at.0.saturating_add(plan_was_off)))
    }

    /// Whether money ever came for it. Cash that was undone never came.
    fn was_paid(&self) -> bool {
        match self.state {
            ChargeState::Pending { .. } => self.disputed_at.is_some(),
            ChargeState::Paid { at } => !self.is_undone(at) || self.disputed_at.is_some(),
            ChargeState::Refunded => true,
        }
    }

    fn in_dispute(&self) -> bool {
        self.state != ChargeState::Refunded && self.disputed_at.is_some() && self.dispute_won_at.is_none()
    }

    /// Whether the gateway deleted it before it was paid.
    pub fn is_deleted(&self) -> bool {
        matches!(self.state, ChargeState::Pending { deleted: true, restored: false, .. })
    }

    fn is_payable(&self) -> bool {
        !self.was_paid() && !self.is_deleted()
    }
}
