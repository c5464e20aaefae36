//! The billing step: the subscription after an event, and the mails to send.
//!
//! [`step`] is pure and total. What is known of a charge only ever grows, and what is paid for is computed anew from
//! all charges, each counted from the time its payment was first reported. So it does not matter how often or in which
//! order reports come in. What has to be canceled at the gateway is part of the state ([`Renewal::Ending`]), so that a
//! crash does not lose it.
//!
//! Time ends something only by [`Event::TimePassed`] and by hand, because the worker compares the clock with the
//! gateway's before: a report that comes while the clock is wrong ends nothing. A month counts from when its order was
//! placed at the earliest, so that a clock that was set back takes nothing of it.
//!
//! A lost chargeback or a full refund takes the month back. A chargeback that we win gives it back: the month goes on
//! where the dispute stopped it. Undone cash takes the month back, and the charge can be paid again. A partial refund
//! leaves the month: the operator granted it, and can cancel the plan.

use chrono::NaiveDate;

use super::subscription::{PaidTime, PlanGrant, Subscription};
use crate::domain::account::OrderId;
use crate::domain::clock::{DAY, UnixMillis};
use crate::domain::mail::MailKind;
use crate::domain::order::{ChargeChange, ChargeEvent, ChargeState, Order, Renewal};

/// How long an order stays open unpaid.
const MAX_OPEN: i64 = 10 * DAY;

/// How long canceled unpaid orders are kept, for requests that repeat their idempotency key.
const KEPT: i64 = 30 * DAY;

/// How many of them are kept: the newest. Who orders all day must not make the account grow.
const MAX_KEPT: usize = 20;

/// How long an order that the gateway may know is kept beside these: a slip that was paid before it ended may still
/// arrive.
const LATE_PAYMENT: i64 = 10 * DAY;

/// How many idempotency keys are kept for an order.
const MAX_KEYS: usize = 8;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A plan was ordered. The gateway does not know yet.
    Ordered(Box<Order>),
    /// An order was requested with an idempotency key.
    KeyUsed {
        /// The order.
        order: OrderId,
        /// The hash of the key.
        key: String,
    },
    /// Somebody takes, or gives up, the right to create an order at the gateway.
    CreationLocked {
        /// The order.
        order: OrderId,
        /// Until when nobody else may.
        until: UnixMillis,
    },
    /// The gateway has created the subscription of an order.
    Created {
        /// The order.
        order: OrderId,
        /// The gateway's id.
        gateway_id: String,
    },
    /// The gateway reported a charge.
    Charge(ChargeEvent),
    /// The gateway has canceled an order.
    Closed {
        /// The order.
        order: OrderId,
    },
    /// The gateway was told to charge next on this day, and has dropped what was due before.
    RenewalMoved {
        /// The order.
        order: OrderId,
        /// The day.
        to: NaiveDate,
    },
    /// The customer cancels.
    Canceled,
    /// The customer withdraws what was ordered and not paid. A plan that is paid goes on.
    Withdrawn,
    /// The account is about to be erased, of which its owner is told, and of no cancellation.
    Erasing,
    /// The operator gives a plan for a time, in place of an earlier grant; a time that has passed ends that one.
    Granted(PlanGrant),
    /// Time passed.
    TimePassed,
}

/// The subscription after an event, and the mails to send.
pub fn step(before: &Subscription, event: &Event, now: UnixMillis) -> (Subscription, Vec<MailKind>) {
    let mut after = before.clone();
    let mut mails = Vec::new();
    match event {
        Event::Ordered(order) => after.add_order(order, now),
        Event::KeyUsed { order, key } => {
            if let Some(order) = after.order_mut(order)
                && order.keys.len() < MAX_KEYS
                && !order.keys.contains(key)
            {
                order.keys.push(key.clone());
            }
        }
        Event::CreationLocked { order, until } => {
            if let Some(order) = after.order_mut(order) {
                order.creation_locked_until = *until;
            }
        }
        Event::Created { order, gateway_id } => {
            if let Some(order) = after.order_mut(order) {
                order.gateway_id.get_or_insert_with(|| gateway_id.clone());
            }
        }
        Event::Charge(report) => mails.extend(after.apply_charge(report)),
        Event::Closed { order } => {
            if let Some(order) = after.order_mut(order) {
                order.renewal = Renewal::Ended;
            }
        }
        Event::RenewalMoved { order, to } => {
            if let Some(order) = after.order_mut(order) {
                order.renews_on = Some(*to);
            }
        }
        Event::Erasing => after.orders.iter_mut().for_each(Order::end),
        Event::Canceled => {
            if after.orders.iter().any(|order| order.renewal == Renewal::On)
                && before.paid_time_at(now).is_some()
            {
                mails.push(MailKind::Canceled);
            }
            after.orders.iter_mut().for_each(Order::end);
        }
        Event::Withdrawn => after.orders.iter_mut().filter(|order| order.is_open()).for_each(Order::end),
        Event::Granted(grant) => {
            after.grant = Some(*grant);
            mails.extend((now < grant.until).then_some(MailKind::Plan));
        }
        // not when the refund is reported: the payment of another month may be reported after it
        Event::TimePassed => {
            after.orders.iter_mut().filter(|order| order.is_fully_refunded()).for_each(Order::end);
        }
    }
    let ends_by_time = matches!(event, Event::TimePassed | Event::Granted(_));
    mails.extend(after.settle(now, ends_by_time));
    (after, mails)
}

impl Subscription {
    fn order_mut(&mut self, id: &OrderId) -> Option<&mut Order> {
        self.orders.iter_mut().find(|order| order.id == *id)
    }

    /// Adds an order, which replaces unpaid ones.
    fn add_order(&mut self, order: &Order, now: UnixMillis) {
        if self.order(&order.id).is_some() {
            return;
        }
        self.orders.iter_mut().filter(|known| !known.was_paid()).for_each(Order::end);
        let is_over = |known: &Order| !known.was_paid() && known.renewal == Renewal::Ended;
        let mut beyond = self.orders.iter().filter(|known| is_over(known)).count().saturating_sub(MAX_KEPT);
        self.orders.retain(|known| {
            if !is_over(known) {
                return true;
            }
            let is_among_the_newest = beyond == 0;
            beyond = beyond.saturating_sub(1);
            let age = now.0 - known.placed_at.0;
            (is_among_the_newest && age < KEPT) || (known.may_exist() && age < LATE_PAYMENT)
        });
        self.orders.push(order.clone());
    }

    /// Applies a report. A charge below the price is not for a month of the plan and changes nothing.
    fn apply_charge(&mut self, report: &ChargeEvent) -> Option<MailKind> {
        let order = self.order_mut(&report.order)?;
        let reported = &report.charge;
        if reported.cents < u64::from(order.cents) {
            return None;
        }
        let placed_at = order.placed_at;
        let charge = order.charges.entry(reported.id.clone()).or_default();
        if charge.pay_url.is_none() {
            charge.pay_url.clone_from(&reported.pay_url);
        }
        charge.due_date = charge.due_date.into_iter().chain(reported.due_date).min();
        let before = charge.clone();
        if reported.change == ChargeChange::Paid {
            charge.cents = charge.cents.max(Some(reported.cents));
        }
        charge.apply(reported.change, report.at.max(placed_at));
        match (before.credited_from(), charge.credited_from()) {
            (None, Some(_)) => return Some(MailKind::Paid),
            (Some(_), None) => return Some(MailKind::Refunded),
            _ => {}
        }
        match (before.state, charge.state) {
            (ChargeState::Pending { overdue: false, .. }, ChargeState::Pending { overdue: true, .. }) => {
                let charge = charge.clone();
                let is_needed =
                    self.paid_time().is_none_or(|paid| paid.order.id != report.order || paid.needs(&charge));
                is_needed.then_some(MailKind::Overdue)
            }
            (ChargeState::Pending { refused: false, .. }, ChargeState::Pending { refused: true, .. }) => {
                Some(MailKind::Declined)
            }
            _ => None,
        }
    }

    /// Draws the consequences after any event: ends orders that are replaced, and by time those unpaid for too long or
    /// lapsed, and sets the active plan.
    fn settle(&mut self, now: UnixMillis, ends_by_time: bool) -> Option<MailKind> {
        let newest_paid = self.orders.iter().rposition(Order::was_paid).unwrap_or(0);
        self.orders[..newest_paid].iter_mut().for_each(Order::end);
        let is_over = |known: &PaidTime<'_>| ends_by_time && known.ends_at() <= now;
        let lapsed = self.paid_time().filter(is_over).map(|known| known.index);
        for (index, order) in self.orders.iter_mut().enumerate() {
            let unpaid_for_long = ends_by_time && !order.was_paid() && now.0 - order.placed_at.0 > MAX_OPEN;
            if unpaid_for_long || lapsed.is_some_and(|lapsed| index <= lapsed) {
                order.end();
            }
            // only an open order is matched by it
            if !order.is_open() {
                order.payer = None;
            }
        }
        let was_granted = self.granted().is_some();
        if let Some(grant) = self.grant.as_mut().filter(|_| ends_by_time) {
            grant.set_by(now);
        }
        let granted = self.granted();
        // what has lapsed stays until time ends it, and does not begin again
        let stays = |known: &PaidTime<'_>| !ends_by_time && self.active_plan == Some(known.order.plan);
        let paid = self.paid_time().filter(|known| now < known.ends_at() || stays(known));
        let paid = paid.map(|known| known.order.plan);
        let active_plan = paid.max(granted.map(|grant| grant.plan));
        let before = std::mem::replace(&mut self.active_plan, active_plan);
        let has_ended = lapsed.is_some() || (was_granted && granted.is_none());
        // the mail about the end was wrong, as the clock was
        let is_back = !was_granted && granted.is_some();
        match (before, active_plan) {
            (Some(_), None) if has_ended => Some(MailKind::Ended),
            (None, Some(_)) if is_back => Some(MailKind::Plan),
            _ => None,
        }
    }
}
