//! What an account ordered and paid for, and what follows from it at a given time. [`super::step`] changes it.
//!
//! It is stored as JSON: a renamed field keeps its stored name with `#[serde(rename)]`.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use strum::VariantNames;

use crate::domain::account::OrderId;
use crate::domain::clock::{DAY, UnixMillis, day_of, month_after, start_of};
use crate::domain::order::{Charge, Order, Renewal};
use crate::domain::plan::Plan;

/// How long after the paid time a plan that renews stays active.
pub(super) const GRACE: i64 = 3 * DAY;

/// How far the end of the paid time and the day on which the next charge is due may be apart and still belong
/// together. A bank slip is due three days after its order, payments come late, and months have up to three days more
/// than others.
const MAX_DUE_DAYS_APART: i64 = 7;

/// The shortest and the longest time between two reads of an order's charges at the gateway.
const MIN_POLL: i64 = 60_000;
const MAX_POLL: i64 = DAY;

/// How far the clocks of servers and of the gateway may be apart before nothing is ended by them: more than a
/// reservation of an account lasts.
pub(super) const MAX_APART: i64 = 10 * 60_000;

/// How long an open dispute is followed. Card schemes decide within half a year.
const MAX_DISPUTE: i64 = 180 * DAY;

/// What an account ordered, and what it came to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Subscription {
    /// Its orders, oldest first.
    pub orders: Vec<Order>,
    /// The plan that its payments, or a grant, put the account on, if any.
    #[serde(rename = "serving")]
    pub active_plan: Option<Plan>,
    /// A plan that the operator gives for a time, whatever is paid; also one that has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) grant: Option<PlanGrant>,
}

/// A plan that an account has without paying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanGrant {
    /// The plan.
    pub plan: Plan,
    /// The first moment without it.
    pub until: UnixMillis,
    /// Whether time has ended it. It is kept, because the clock may have been wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_ended: bool,
}

impl PlanGrant {
    /// A plan until a moment.
    pub fn new(plan: Plan, until: UnixMillis) -> PlanGrant {
        PlanGrant { plan, until, has_ended: false }
    }

    /// Whether time changes it: its end has passed, or the clock that ended it was wrong.
    pub(super) fn changes_at(&self, now: UnixMillis) -> bool {
        self.has_ended != (self.until <= now)
    }

    /// Ends it, or lets it go on, as the time says.
    pub(super) fn set_by(&mut self, now: UnixMillis) {
        self.has_ended = self.until <= now;
    }
}

/// What the payments so far pay for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaidTime<'a> {
    /// The order whose plan is active.
    pub order: &'a Order,
    /// The end of the paid time.
    pub paid_until: UnixMillis,
    /// The place of the order in the subscription.
    pub(super) index: usize,
}

impl PaidTime<'_> {
    /// Until when the next month can be paid in time: the end of the paid time, or of the day on which the next charge
    /// is due, if that comes soon after.
    pub fn payable_until(&self) -> UnixMillis {
        let due = self.order.payable().and_then(|charge| charge.due_date);
        let end = due.filter(|due| *due > day_of(self.paid_until)).and_then(|due| start_of(due.succ_opt()?));
        end.filter(|end| end.0 - self.paid_until.0 <= MAX_DUE_DAYS_APART * DAY).unwrap_or(self.paid_until)
    }

    /// Whether the plan needs a charge: not one that is due long before the paid time ends.
    pub fn needs(&self, charge: &Charge) -> bool {
        charge.due_date.is_none_or(|due| days(due, day_of(self.paid_until)) <= MAX_DUE_DAYS_APART)
    }

    /// The day to which the gateway has to move the next charge: that on which the paid time ends, where it would
    /// charge long before, or was told to charge long after.
    pub fn renewal_to_move(&self, now: UnixMillis) -> Option<NaiveDate> {
        let (order, end) = (self.order, day_of(self.paid_until.max(now)));
        if order.renewal != Renewal::On || order.gateway_id.is_none() {
            return None;
        }
        let is_early = days(order.next_due()?, end) > MAX_DUE_DAYS_APART;
        // a payment was refunded since
        let is_late = order.renews_on.is_some_and(|moved| days(end, moved) > MAX_DUE_DAYS_APART)
            && order.waiting().next().is_none();
        (is_early || is_late).then_some(end)
    }

    /// The time that what is left at a moment is worth at the price of a month of another plan.
    pub fn worth_at(&self, now: UnixMillis, cents: u32) -> i64 {
        convert(self.paid_until.0.saturating_sub(now.0).max(0), self.order.cents, cents)
    }

    /// When the plan ends if nothing more is paid. What is paid on the last day has the time to arrive.
    pub fn ends_at(&self) -> UnixMillis {
        if self.order.renewal != Renewal::On {
            return self.paid_until;
        }
        let arrives = self.payable_until().0.saturating_add(self.order.method.days_to_arrive() * DAY);
        UnixMillis(self.paid_until.0.saturating_add(GRACE).max(arrives))
    }
}

/// The status of a subscription, as the API names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SubscriptionStatus {
    /// Nothing is paid and nothing is ordered.
    None,
    /// An order waits for its first payment.
    AwaitingPayment,
    /// Paid, and renews.
    Active,
    /// The next month is overdue.
    PastDue,
    /// Paid, and does not renew.
    Canceled,
}

impl SubscriptionStatus {
    /// The names of all statuses.
    pub const NAMES: &[&str] = SubscriptionStatus::VARIANTS;
}

impl Subscription {
    /// Parses a stored subscription; an empty text is a new one.
    pub fn parse(text: &str) -> serde_json::Result<Subscription> {
        if text.is_empty() { Ok(Subscription::default()) } else { serde_json::from_str(text) }
    }

    /// The plan that the operator gives now, if any.
    pub fn granted(&self) -> Option<PlanGrant> {
        self.grant.filter(|grant| !grant.has_ended)
    }

    /// An order by our id.
    pub fn order(&self, id: &OrderId) -> Option<&Order> {
        self.orders.iter().find(|order| order.id == *id)
    }

    /// An order by the gateway's id of its subscription.
    pub fn order_by_gateway_id(&self, gateway_id: &str) -> Option<&Order> {
        self.orders.iter().find(|order| order.gateway_id.as_deref() == Some(gateway_id))
    }

    /// The newest order that was never paid and still can be.
    pub fn open_order(&self) -> Option<&Order> {
        self.orders.iter().rev().find(|order| order.is_open())
    }

    /// Whether the gateway goes on charging for an order, or may do so.
    pub fn is_charging(&self) -> bool {
        self.orders.iter().any(|order| order.renewal != Renewal::Ended)
    }

    /// Whether the gateway has to move the next charge.
    pub fn moves_renewal(&self, now: UnixMillis) -> bool {
        self.paid_time_at(now).is_some_and(|paid| paid.renewal_to_move(now).is_some())
    }

    /// The payment that was reported last of those for which we hold money: when, its order, and its charge.
    pub fn latest_payment(&self) -> Option<(UnixMillis, &Order, &Charge)> {
        let charges = self.orders.iter().flat_map(|order| {
            order.charges.values().filter_map(move |charge| Some((charge.credited_from()?, order, charge)))
        });
        charges.max_by_key(|(at, ..)| *at)
    }

    /// The orders whose charges have to be read at the gateway: those not canceled there, those whose paid time is in
    /// use, and those with an open dispute.
    pub fn polled_orders(&self, now: UnixMillis) -> impl Iterator<Item = &Order> {
        self.orders.iter().filter(move |order| {
            let is_active = self.granted().is_none() && self.active_plan.is_some();
            // without an active plan too: a clock that was wrong for a while may have ended it
            let is_in_use = (is_active || self.paid_time_at(now).is_some()) && order.is_paid();
            let is_disputed = order.in_dispute_since().is_some_and(|since| now.0 < since.0 + MAX_DISPUTE);
            order.renewal != Renewal::Ended || is_in_use || is_disputed
        })
    }

    /// What the payments so far pay for, whatever the time.
    ///
    /// Charges count in the order of their payments. One for the current order, or for a newer one, adds its month to
    /// the time left; time left of another plan is converted by the two prices. One for an older order is converted
    /// into time of the current order, so that it is not lost.
    pub fn paid_time(&self) -> Option<PaidTime<'_>> {
        let mut payments: Vec<(UnixMillis, &str, usize)> = Vec::new();
        for (index, order) in self.orders.iter().enumerate() {
            for (id, charge) in &order.charges {
                payments.extend(charge.credited_from().map(|at| (at, id.as_str(), index)));
            }
        }
        payments.sort_unstable();
        let mut paid: Option<PaidTime<'_>> = None;
        for (at, _, index) in payments {
            let order = &self.orders[index];
            let month = PaidTime { order, index, paid_until: month_after(at) };
            paid = Some(match paid {
                Some(known) if known.paid_until > at => known.extended(month, at),
                Some(_) | None => month,
            });
        }
        paid
    }

    /// What is paid for at a moment, the days of grace included.
    pub fn paid_time_at(&self, now: UnixMillis) -> Option<PaidTime<'_>> {
        self.paid_time().filter(|paid| now < paid.ends_at())
    }

    /// The status at a moment.
    pub fn status(&self, now: UnixMillis) -> SubscriptionStatus {
        match self.paid_time_at(now) {
            Some(paid) if paid.order.renewal != Renewal::On => SubscriptionStatus::Canceled,
            Some(paid) if now >= paid.payable_until() => SubscriptionStatus::PastDue,
            Some(paid) if paid.order.overdue().any(|charge| paid.needs(charge)) => {
                SubscriptionStatus::PastDue
            }
            Some(_) => SubscriptionStatus::Active,
            None if self.open_order().is_some() => SubscriptionStatus::AwaitingPayment,
            None => SubscriptionStatus::None,
        }
    }

    /// When the worker has to look at it next, if nothing happens before; never when there is nothing to do.
    pub fn due_at(&self, now: UnixMillis) -> Option<UnixMillis> {
        let polls = self.polled_orders(now).map(|order| match order.renewal {
            Renewal::Ending => order.searchable_from().max(now).0,
            Renewal::On if order.is_fully_refunded() => now.0,
            // rarer the older the order is: most payers pay at once
            Renewal::On | Renewal::Ended => now.0 + (now.0 - order.placed_at.0).clamp(MIN_POLL, MAX_POLL),
        });
        // a granted plan outlives the paid time, whose end is not due for ever then
        let paid = match (self.granted(), self.active_plan) {
            (None, Some(_)) => self.paid_time(),
            _ => self.paid_time_at(now),
        };
        let end = paid.map(|paid| paid.ends_at().0);
        let granted_until = match self.grant {
            Some(grant) if grant.changes_at(now) => Some(now.0),
            _ => self.granted().map(|grant| grant.until.0),
        };
        let moves = self.moves_renewal(now).then_some(now.0 + MIN_POLL);
        polls.chain(end).chain(granted_until).chain(moves).min().map(UnixMillis)
    }

    /// Whether the worker will look at it too late, or never: when it is due was stored by a clock that was wrong.
    pub(super) fn is_overlooked(&self, due_at: Option<UnixMillis>, now: UnixMillis) -> bool {
        let is_late =
            |due: UnixMillis| due_at.is_none_or(|stored| stored.0.saturating_sub(due.0) > MAX_APART);
        self.due_at(now).is_some_and(is_late)
    }
}

impl<'a> PaidTime<'a> {
    /// This paid time and one more month, paid at `at`, while this one still lasts.
    fn extended(self, month: PaidTime<'a>, at: UnixMillis) -> PaidTime<'a> {
        let (price, new_price) = (self.order.cents, month.order.cents);
        if month.index >= self.index {
            let left = self.worth_at(at, new_price);
            PaidTime { paid_until: month_after(UnixMillis(at.0.saturating_add(left))), ..month }
        } else {
            let added = convert(month.paid_until.0 - at.0, new_price, price);
            PaidTime { paid_until: UnixMillis(self.paid_until.0.saturating_add(added)), ..self }
        }
    }
}

/// How many days one day is before another.
fn days(one: NaiveDate, other: NaiveDate) -> i64 {
    other.signed_duration_since(one).num_days()
}

/// Converts a time bought at one price into the time that the same money buys at another.
fn convert(millis: i64, price: u32, other: u32) -> i64 {
    let converted = i128::from(millis) * i128::from(price) / i128::from(other.max(1));
    if price == other { millis } else { i64::try_from(converted).unwrap_or(i64::MAX / 2) }
}
