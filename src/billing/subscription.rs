//! What an account has ordered and paid for, and what follows from it.
//!
//! [`step`] is pure and total: it takes a [`Subscription`], something that happened and the present moment, and
//! gives the subscription as it is then and the letters to be sent. What a charge has come to only ever rises
//! (awaited, paid, taken back), what is paid for is worked out anew from all charges, and each is counted from the
//! first moment its payment was told of: so it does not matter how often or in which order things are told. What is
//! to be ended at the gateway is part of the state ([`Renewal::Ending`]), so that it is not lost either. Uses
//! [`crate::domain::account`] (the nouns), [`crate::domain::clock`], [`crate::domain::plan`] and [`crate::store`] (the kinds of letters).

use serde::{Deserialize, Serialize};

use crate::domain::account::OrderId;
use crate::domain::clock::{UnixMillis, month_after};
use crate::domain::mail::MailKind;
use crate::domain::order::{ChargeEvent, ChargeState, Order, Renewal};
use crate::domain::plan::Plan;

/// How long after the paid month a plan is kept that is to be paid again.
const GRACE: i64 = 3 * DAY;

/// How long an order that nobody pays is kept open.
const OPEN: i64 = 10 * DAY;

/// How long orders that came to nothing are remembered, for whoever asks with the same idempotency key again.
const REMEMBERED: i64 = 30 * DAY;

/// The shortest and the longest time after which the gateway is asked what it knows of an order.
const SOONEST: i64 = 60_000;
const LATEST: i64 = DAY;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// Most idempotency keys that one order is remembered by.
const MOST_KEYS: usize = 8;

/// What an account has ordered, and what it has come to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Subscription {
    /// Its orders, oldest first.
    pub orders: Vec<Order>,
    /// The plan that its payments have put the account on; none when they carry none.
    pub serving: Option<Plan>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A plan was asked for. The gateway does not know yet.
    Ordered(Box<Order>),
    /// An order was asked for again, with an idempotency key.
    AskedAgain {
        /// The order.
        order: OrderId,
        /// The hash of the key.
        key: String,
    },
    /// Somebody begins to ask the gateway for an order, or has ended doing so.
    Asking {
        /// The order.
        order: OrderId,
        /// Until when nobody else is to.
        until: UnixMillis,
    },
    /// The gateway has taken an order.
    Opened {
        /// The order.
        order: OrderId,
        /// What the gateway calls it.
        gateway_id: String,
    },
    /// The gateway told of a charge.
    Told(ChargeEvent),
    /// The gateway does not charge for an order any more.
    Closed {
        /// The order.
        order: OrderId,
    },
    /// The customer wants nothing to be charged any more.
    Canceled,
    /// Time went by.
    Passed,
}

/// For how long the payments so far carry which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage<'a> {
    /// The order whose plan it is.
    pub order: &'a Order,
    /// The end of what is paid.
    pub paid_until: UnixMillis,
    place: usize,
}

impl Coverage<'_> {
    /// When the plan ends if nothing more is paid.
    pub fn ends_at(&self) -> UnixMillis {
        let grace = if self.order.renewal == Renewal::On { GRACE } else { 0 };
        UnixMillis(self.paid_until.0.saturating_add(grace))
    }
}

/// How an account stands with its payments, as the contract calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionStatus {
    /// Nothing is paid and nothing is to be.
    None,
    /// An order waits for its first payment.
    AwaitingPayment,
    /// Paid, and going on.
    Active,
    /// The next month should have been paid.
    PastDue,
    /// Paid, and not going on.
    Canceled,
}

impl SubscriptionStatus {
    /// The names of all of them.
    pub const NAMES: &[&str] = &["none", "awaiting_payment", "active", "past_due", "canceled"];
}

/// The subscription after an event, and the letters to send. Total, and without a clock of its own.
pub fn step(before: &Subscription, event: &Event, now: UnixMillis) -> (Subscription, Vec<MailKind>) {
    let mut after = before.clone();
    let mut letters = Vec::new();
    match event {
        Event::Ordered(order) => after.place(order, now),
        Event::AskedAgain { order, key } => {
            if let Some(order) = after.order_mut(order)
                && order.keys.len() < MOST_KEYS
                && !order.keys.contains(key)
            {
                order.keys.push(key.clone());
            }
        }
        Event::Asking { order, until } => {
            if let Some(order) = after.order_mut(order) {
                order.asked_until = *until;
            }
        }
        Event::Opened { order, gateway_id } => {
            if let Some(order) = after.order_mut(order) {
                order.gateway_id.get_or_insert_with(|| gateway_id.clone());
            }
        }
        Event::Told(tidings) => letters.extend(after.hear(tidings)),
        Event::Closed { order } => {
            if let Some(order) = after.order_mut(order) {
                order.renewal = Renewal::Ended;
            }
        }
        Event::Canceled => {
            if after.orders.iter().any(|order| order.renewal == Renewal::On) && before.covers(now) {
                letters.push(MailKind::Canceled);
            }
            after.orders.iter_mut().for_each(Order::end);
        }
        // not when it is told: that another month of it was paid may be told later
        Event::Passed => after.orders.iter_mut().filter(|order| order.went_back()).for_each(Order::end),
    }
    letters.extend(after.settle(now));
    (after, letters)
}

impl Subscription {
    /// The subscription that a store has kept as a text; a new one when there is none.
    pub fn read(text: &str) -> serde_json::Result<Subscription> {
        if text.is_empty() { Ok(Subscription::default()) } else { serde_json::from_str(text) }
    }

    /// An order by its name.
    pub fn order(&self, id: &OrderId) -> Option<&Order> {
        self.orders.iter().find(|order| order.id == *id)
    }

    fn order_mut(&mut self, id: &OrderId) -> Option<&mut Order> {
        self.orders.iter_mut().find(|order| order.id == *id)
    }

    /// The order that the gateway calls so.
    pub fn order_of_gateway(&self, gateway_id: &str) -> Option<&Order> {
        self.orders.iter().find(|order| order.gateway_id.as_deref() == Some(gateway_id))
    }

    /// The newest order that goes on and was never paid.
    pub fn open_order(&self) -> Option<&Order> {
        self.orders.iter().rev().find(|order| order.renewal == Renewal::On && !order.was_paid())
    }

    /// The orders that the gateway may have news of: those it has not ended, and those whose months are in use.
    pub fn watched(&self) -> impl Iterator<Item = &Order> {
        let in_use = |order: &Order| self.serving.is_some() && order.is_paid();
        self.orders.iter().filter(move |order| order.renewal != Renewal::Ended || in_use(order))
    }

    /// What the payments so far carry, at any time.
    ///
    /// Charges count in the order of their payments. One for the order that is carried already, or for a newer one,
    /// adds its month after what is left; what is left of another plan is turned into time of the new one by their
    /// prices. One that comes for an older order, after a newer was paid, is not lost either: it is turned into
    /// time of the newer.
    pub fn coverage(&self) -> Option<Coverage<'_>> {
        let mut paid: Vec<(UnixMillis, &str, usize)> = Vec::new();
        for (place, order) in self.orders.iter().enumerate() {
            paid.extend(order.charges.iter().filter_map(|(name, charge)| match charge.state {
                ChargeState::Paid { at } => Some((at, name.as_str(), place)),
                ChargeState::Pending { .. } | ChargeState::Refunded => None,
            }));
        }
        paid.sort_unstable();
        let mut coverage: Option<Coverage<'_>> = None;
        for (at, _, place) in paid {
            let Some(order) = self.orders.get(place) else { continue };
            let whole_month = Coverage { order, place, paid_until: month_after(at) };
            coverage = Some(match coverage {
                Some(known) if known.paid_until > at => {
                    let left = known.paid_until.0 - at.0;
                    if place >= known.place {
                        let carried = worth(left, known.order.cents, order.cents);
                        Coverage { order, place, paid_until: month_after(UnixMillis(at.0 + carried)) }
                    } else {
                        let month = whole_month.paid_until.0 - at.0;
                        let added = worth(month, order.cents, known.order.cents);
                        Coverage { paid_until: UnixMillis(known.paid_until.0.saturating_add(added)), ..known }
                    }
                }
                Some(_) | None => whole_month,
            });
        }
        coverage
    }

    /// Whether the payments carry a plan at a moment.
    fn covers(&self, now: UnixMillis) -> bool {
        self.coverage().is_some_and(|coverage| now < coverage.ends_at())
    }

    /// How it stands at a moment.
    pub fn status(&self, now: UnixMillis) -> SubscriptionStatus {
        match self.coverage().filter(|coverage| now < coverage.ends_at()) {
            Some(coverage) if coverage.order.renewal != Renewal::On => SubscriptionStatus::Canceled,
            Some(coverage) if now >= coverage.paid_until || coverage.order.overdue().is_some() => {
                SubscriptionStatus::PastDue
            }
            Some(_) => SubscriptionStatus::Active,
            None if self.open_order().is_some() => SubscriptionStatus::AwaitingPayment,
            None => SubscriptionStatus::None,
        }
    }

    /// When it is to be looked at next, with nothing happening before; never when there is nothing to see to.
    pub fn due_at(&self, now: UnixMillis) -> Option<UnixMillis> {
        let ending = self.orders.iter().filter(|order| order.renewal == Renewal::Ending);
        let ends = ending.map(|order| order.can_be_found_from().max(now).0);
        let others = self.watched().filter(|order| order.renewal != Renewal::Ending);
        let looks = others.map(|order| match order.renewal {
            Renewal::On if order.went_back() => now.0,
            // rarer the older the order is: who pays at all mostly pays at once
            _ => now.0 + (now.0 - order.placed_at.0).clamp(SOONEST, LATEST),
        });
        let end = self.serving.and_then(|_| self.coverage()).map(|coverage| coverage.ends_at().0);
        ends.chain(looks).chain(end).min().map(UnixMillis)
    }

    /// Takes an order on. Others that nobody has paid give way to it.
    fn place(&mut self, order: &Order, now: UnixMillis) {
        if self.order(&order.id).is_some() {
            return;
        }
        self.orders.iter_mut().filter(|known| !known.was_paid()).for_each(Order::end);
        self.orders.retain(|known| {
            known.was_paid() || known.renewal != Renewal::Ended || now.0 - known.placed_at.0 < REMEMBERED
        });
        self.orders.push(order.clone());
    }

    /// Takes in what is told of a charge. What is less than the price is none of ours.
    fn hear(&mut self, tidings: &ChargeEvent) -> Option<MailKind> {
        let order = self.order_mut(&tidings.order)?;
        if tidings.cents < u64::from(order.cents) {
            return None;
        }
        let charge = order.charges.entry(tidings.charge.clone()).or_default();
        if charge.pay_url.is_none() {
            charge.pay_url.clone_from(&tidings.pay_url);
        }
        charge.due_date = charge.due_date.into_iter().chain(tidings.due_date).min();
        let before = charge.state;
        charge.state = before.after(tidings.news, tidings.at);
        match (before, charge.state) {
            (ChargeState::Pending { .. }, ChargeState::Paid { .. }) => Some(MailKind::Paid),
            (ChargeState::Paid { .. }, ChargeState::Refunded) => Some(MailKind::Refunded),
            (ChargeState::Pending { overdue: false, .. }, ChargeState::Pending { overdue: true, .. }) => {
                Some(MailKind::Overdue)
            }
            (ChargeState::Pending { refused: false, .. }, ChargeState::Pending { refused: true, .. }) => {
                Some(MailKind::Declined)
            }
            _ => None,
        }
    }

    /// What follows from the orders, whatever happened.
    fn settle(&mut self, now: UnixMillis) -> Option<MailKind> {
        // a plan that was paid takes the place of those ordered before it
        let newest_paid = self.orders.iter().rposition(Order::was_paid).unwrap_or(0);
        self.orders[..newest_paid].iter_mut().for_each(Order::end);
        let lapsed = self.coverage().filter(|known| known.ends_at() <= now).map(|known| known.place);
        for (place, order) in self.orders.iter_mut().enumerate() {
            let unpaid_for_long = !order.was_paid() && now.0 - order.placed_at.0 > OPEN;
            if unpaid_for_long || lapsed.is_some_and(|lapsed| place <= lapsed) {
                order.end();
            }
        }
        let serving = self.coverage().filter(|known| now < known.ends_at()).map(|known| known.order.plan);
        let before = std::mem::replace(&mut self.serving, serving);
        (before.is_some() && serving.is_none() && lapsed.is_some()).then_some(MailKind::Ended)
    }
}

/// How long a time that was bought at one price lasts at another.
fn worth(millis: i64, price: u32, other: u32) -> i64 {
    let turned = i128::from(millis) * i128::from(price) / i128::from(other.max(1));
    if price == other { millis } else { i64::try_from(turned).unwrap_or(i64::MAX / 2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::day_of;
    use crate::domain::order::{ChargeChange, LATE_CREATION, Method};
    use proptest::prelude::*;
    use proptest::sample::Index;
    use std::collections::BTreeMap;

    const BEGUN: i64 = 1_790_000_000_000;

    fn at(days: i64) -> UnixMillis {
        UnixMillis(BEGUN + days * DAY)
    }

    fn order(name: &str, plan: Plan, cents: u32, placed_at: UnixMillis) -> Order {
        Order {
            id: OrderId::from_stored(name.to_owned()),
            plan,
            cents,
            method: Method::Pix,
            placed_at,
            due_date: day_of(placed_at),
            tax_last4: "4725".to_owned(),
            keys: Vec::new(),
            gateway_id: Some(format!("sub_{name}")),
            asked_until: placed_at,
            renewal: Renewal::On,
            charges: BTreeMap::new(),
        }
    }

    fn ordered(name: &str, plan: Plan, cents: u32, placed_at: UnixMillis) -> Event {
        Event::Ordered(Box::new(order(name, plan, cents, placed_at)))
    }

    fn told(order: &str, charge: &str, news: ChargeChange, at: UnixMillis) -> Event {
        let (order, charge) = (OrderId::from_stored(order.to_owned()), charge.to_owned());
        Event::Told(ChargeEvent { order, charge, cents: 9_900, news, pay_url: None, due_date: None, at })
    }

    /// The state and all letters after events, each told at its moment.
    fn lived(events: &[(Event, UnixMillis)]) -> (Subscription, Vec<MailKind>) {
        let mut letters = Vec::new();
        let mut subscription = Subscription::default();
        for (event, now) in events {
            let (after, more) = step(&subscription, event, *now);
            letters.extend(more);
            subscription = after;
        }
        (subscription, letters)
    }

    fn begun() -> Subscription {
        lived(&[(ordered("a", Plan::Pro, 9_900, at(0)), at(0))]).0
    }

    #[test]
    fn words_are_known_by_the_names_they_are_written_with() {
        use SubscriptionStatus::*;
        let statuses = [None, AwaitingPayment, Active, PastDue, Canceled];
        assert_eq!(serde_json::json!(statuses), serde_json::json!(SubscriptionStatus::NAMES));
        let methods = [Method::Pix, Method::Boleto, Method::CreditCard, Method::Undefined];
        assert_eq!(serde_json::json!(methods), serde_json::json!(Method::NAMES));
    }

    #[test]
    fn a_card_confirmed_and_received_32_days_later_is_one_month() {
        let (subscription, letters) = lived(&[
            (ordered("a", Plan::Pro, 9_900, at(0)), at(0)),
            (told("a", "pay_1", ChargeChange::Known, at(0)), at(0)),
            (told("a", "pay_1", ChargeChange::Paid, at(1)), at(1)),
            (told("a", "pay_1", ChargeChange::Paid, at(33)), at(33)),
        ]);
        let coverage = subscription.coverage().expect("covered");
        assert_eq!(coverage.paid_until, month_after(at(1)));
        assert_eq!(subscription.serving, Some(Plan::Pro), "within the days of grace");
        assert_eq!(subscription.status(at(33)), SubscriptionStatus::PastDue);
        assert_eq!(letters, [MailKind::Paid]);
    }

    #[test]
    fn a_plan_that_is_not_paid_again_ends_three_days_after_its_month() {
        let (paid, _) = step(&begun(), &told("a", "pay_1", ChargeChange::Paid, at(0)), at(0));
        let end = month_after(at(0)).0 + 3 * DAY;
        assert_eq!(paid.due_at(UnixMillis(end - 1)), Some(UnixMillis(end)));
        let (kept, letters) = step(&paid, &Event::Passed, UnixMillis(end - 1));
        assert_eq!((kept.serving, letters), (Some(Plan::Pro), vec![]));
        let (ended, letters) = step(&kept, &Event::Passed, UnixMillis(end));
        assert_eq!((ended.serving, letters), (None, vec![MailKind::Ended]));
        assert_eq!(ended.orders[0].renewal, Renewal::Ending, "nothing is charged for a plan that ended");
        assert_eq!(step(&ended, &Event::Passed, UnixMillis(end + DAY)), (ended.clone(), vec![]));
    }

    #[test]
    fn a_canceled_plan_ends_with_its_month() {
        let (paid, _) = step(&begun(), &told("a", "pay_1", ChargeChange::Paid, at(0)), at(0));
        let (canceled, letters) = step(&paid, &Event::Canceled, at(3));
        assert_eq!(letters, [MailKind::Canceled]);
        assert_eq!(
            (canceled.serving, canceled.status(at(3))),
            (Some(Plan::Pro), SubscriptionStatus::Canceled)
        );
        assert_eq!(step(&canceled, &Event::Canceled, at(4)), (canceled.clone(), vec![]));
        let (ended, letters) = step(&canceled, &Event::Passed, month_after(at(0)));
        assert_eq!((ended.serving, letters), (None, vec![MailKind::Ended]));
    }

    #[test]
    fn what_is_refunded_is_taken_back_and_no_more() {
        let (twice, _) = lived(&[
            (ordered("a", Plan::Pro, 9_900, at(0)), at(0)),
            (told("a", "pay_1", ChargeChange::Paid, at(0)), at(0)),
            (told("a", "pay_2", ChargeChange::Paid, at(20)), at(20)),
        ]);
        assert_eq!(twice.coverage().expect("covered").paid_until, month_after(month_after(at(0))));
        let (once, letters) = step(&twice, &told("a", "pay_1", ChargeChange::TakenBack, at(21)), at(21));
        assert_eq!(once.coverage().expect("covered").paid_until, month_after(at(20)));
        assert_eq!(letters, [MailKind::Refunded]);
        let (never, letters) = step(&once, &told("a", "pay_2", ChargeChange::TakenBack, at(22)), at(22));
        assert_eq!((never.coverage(), never.serving, letters), (None, None, vec![MailKind::Refunded]));
    }

    #[test]
    fn whoever_has_all_the_money_back_is_charged_no_more() {
        let (back, _) = lived(&[
            (ordered("a", Plan::Pro, 9_900, at(0)), at(0)),
            (told("a", "pay_1", ChargeChange::Paid, at(0)), at(0)),
            (told("a", "pay_1", ChargeChange::TakenBack, at(3)), at(3)),
        ]);
        assert_eq!((back.orders[0].renewal, back.due_at(at(3))), (Renewal::On, Some(at(3))), "at once");
        let (ended, letters) = step(&back, &Event::Passed, at(3));
        assert_eq!(
            (ended.orders[0].renewal, ended.status(at(3))),
            (Renewal::Ending, SubscriptionStatus::None)
        );
        assert_eq!(letters, []);
        // but not whose other month was told of late
        let (paid, _) = step(&back, &told("a", "pay_2", ChargeChange::Paid, at(3)), at(3));
        let (paid, _) = step(&paid, &Event::Passed, at(3));
        assert_eq!((paid.orders[0].renewal, paid.status(at(3))), (Renewal::On, SubscriptionStatus::Active));
    }

    #[test]
    fn an_order_that_ended_is_watched_as_long_as_its_months_are_in_use() {
        let closed = Event::Closed { order: OrderId::from_stored("a".to_owned()) };
        let (closed, _) = lived(&[
            (ordered("a", Plan::Pro, 9_900, at(0)), at(0)),
            (told("a", "pay_1", ChargeChange::Paid, at(0)), at(0)),
            (Event::Canceled, at(2)),
            (closed, at(2)),
        ]);
        assert_eq!((closed.watched().count(), closed.due_at(at(2))), (1, Some(at(3))), "for it may go back");
        let end = month_after(at(0));
        let (ended, _) = step(&closed, &Event::Passed, end);
        assert_eq!((ended.watched().count(), ended.due_at(end)), (0, None));
    }

    #[test]
    fn another_plan_takes_over_what_is_left_by_its_worth() {
        let paid_at = |days: i64| at(days);
        let (moved, _) = lived(&[
            (ordered("a", Plan::Pro, 9_900, at(0)), at(0)),
            (told("a", "pay_1", ChargeChange::Paid, paid_at(0)), at(0)),
            (ordered("b", Plan::Business, 9_900 * 5, at(10)), at(10)),
        ]);
        assert_eq!(moved.serving, Some(Plan::Pro), "until the new one is paid");
        let news = ChargeEvent {
            order: OrderId::from_stored("b".to_owned()),
            charge: "pay_2".to_owned(),
            cents: 9_900 * 5,
            news: ChargeChange::Paid,
            pay_url: None,
            due_date: None,
            at: at(10),
        };
        let (moved, _) = step(&moved, &Event::Told(news), at(10));
        let left = (month_after(at(0)).0 - at(10).0) / 5;
        let coverage = moved.coverage().expect("covered");
        assert_eq!(
            (coverage.order.plan, coverage.paid_until),
            (Plan::Business, month_after(UnixMillis(at(10).0 + left)))
        );
        assert_eq!(moved.orders[0].renewal, Renewal::Ending, "the old one is not charged again");
        // one more month of the old one is paid all the same
        let (late, _) = step(&moved, &told("a", "pay_3", ChargeChange::Paid, at(11)), at(11));
        let month = (month_after(at(11)).0 - at(11).0) / 5;
        let after = late.coverage().expect("covered");
        assert_eq!((after.order.plan, after.paid_until.0), (Plan::Business, coverage.paid_until.0 + month));
    }

    #[test]
    fn an_order_that_nobody_pays_gives_way() {
        let (other, letters) = step(&begun(), &ordered("b", Plan::Gringo, 1_990, at(1)), at(1));
        assert_eq!((other.orders[0].renewal, other.orders[1].renewal), (Renewal::Ending, Renewal::On));
        assert_eq!(other.open_order().map(|order| order.plan), Some(Plan::Gringo));
        assert_eq!(other.status(at(1)), SubscriptionStatus::AwaitingPayment);
        assert_eq!(other.due_at(at(1)), Some(at(1)), "the gateway is told at once");
        let mut asked_for = other.clone();
        (asked_for.orders[0].gateway_id, asked_for.orders[0].asked_until) = (None, UnixMillis(at(1).0 + 20));
        let landed = UnixMillis(at(1).0 + 20 + LATE_CREATION);
        assert_eq!(asked_for.orders[0].can_be_found_from(), landed, "or when it can be");
        asked_for.orders[0].asked_until = UnixMillis(0);
        assert_eq!(asked_for.due_at(at(1)), Some(at(1)), "nobody ever asked for it");
        let (late, _) = step(&other, &Event::Passed, at(12));
        assert_eq!(
            (late.orders[1].renewal, late.status(at(12))),
            (Renewal::Ending, SubscriptionStatus::None)
        );
        assert_eq!(letters, []);
    }

    #[test]
    fn a_smaller_amount_and_an_unknown_order_change_nothing() {
        let subscription = begun();
        let mut small = ChargeEvent {
            order: OrderId::from_stored("a".to_owned()),
            charge: "pay_1".to_owned(),
            cents: 9_899,
            news: ChargeChange::Paid,
            pay_url: None,
            due_date: None,
            at: at(0),
        };
        assert_eq!(step(&subscription, &Event::Told(small.clone()), at(0)), (subscription.clone(), vec![]));
        small.cents = 9_900;
        small.order = OrderId::from_stored("x".to_owned());
        assert_eq!(step(&subscription, &Event::Told(small), at(0)), (subscription, vec![]));
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let (subscription, _) = step(&begun(), &told("a", "pay_1", ChargeChange::Overdue, at(0)), at(0));
        let text = serde_json::to_string(&subscription).expect("JSON");
        assert_eq!(Subscription::read(&text).expect("itself"), subscription);
        assert_eq!(Subscription::read("").expect("nothing"), Subscription::default());
    }

    /// ChargeChange of a charge, or that its order has ended.
    fn any_news() -> impl Strategy<Value = Option<ChargeChange>> {
        prop::sample::select(vec![
            None,
            Some(ChargeChange::Known),
            Some(ChargeChange::Paid),
            Some(ChargeChange::Paid),
            Some(ChargeChange::Overdue),
            Some(ChargeChange::TakenBack),
            Some(ChargeChange::Refused),
            Some(ChargeChange::Deleted),
            Some(ChargeChange::Restored),
        ])
    }

    /// ChargeChange of a few charges of two orders and of the orders, each with the moment it came in: within the days that an order is kept
    /// open, for what time has decided is not undone.
    fn any_life() -> impl Strategy<Value = Vec<(Event, UnixMillis)>> {
        prop::collection::vec((0usize..2, 0usize..3, any_news(), 0i64..8 * DAY), 1..14).prop_map(|all| {
            let told = |(of, charge, news, after)| {
                let (moment, order) = (UnixMillis(at(1).0 + after), ["a", "b"][of]);
                let event = match news {
                    Some(news) => told(order, &format!("pay_{of}{charge}"), news, moment),
                    None => Event::Closed { order: OrderId::from_stored(order.to_owned()) },
                };
                (event, moment)
            };
            all.into_iter().map(told).collect()
        })
    }

    /// An account with an order for a plan and one for another.
    fn two_orders() -> Subscription {
        lived(&[
            (ordered("a", Plan::Pro, 9_900, at(0)), at(0)),
            (told("a", "pay_first", ChargeChange::Paid, at(0)), at(0)),
            (ordered("b", Plan::Gringo, 1_990, at(1)), at(1)),
        ])
        .0
    }

    /// After a life, and a look at the end of it.
    fn after(life: &[(Event, UnixMillis)]) -> (Subscription, Vec<MailKind>) {
        let mut subscription = two_orders();
        let mut letters = Vec::new();
        for (event, now) in life {
            let (next, more) = step(&subscription, event, *now);
            letters.extend(more);
            subscription = next;
        }
        let (subscription, _) = step(&subscription, &Event::Passed, at(22));
        (subscription, letters)
    }

    proptest! {
        #[test]
        fn order_and_repetition_do_not_matter(
            life in any_life(),
            shuffled in prop::collection::vec(any::<Index>(), 0..40),
            seed in any::<u64>(),
        ) {
            let mut other = life.clone();
            other.extend(shuffled.iter().map(|which| which.get(&life).clone()));
            // a shuffle that the seed decides
            let mut left = seed;
            for place in (1..other.len()).rev() {
                left = left.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                other.swap(place, (left >> 33) as usize % (place + 1));
            }
            prop_assert_eq!(after(&life).0, after(&other).0);
        }

        #[test]
        fn every_month_paid_and_kept_counts_once(life in any_life()) {
            let (subscription, letters) = after(&life);
            let news = |of: &str, news: ChargeChange| -> Vec<String> {
                let mut names: Vec<String> = life.iter().filter_map(|(event, _)| match event {
                    Event::Told(told) if told.news == news && told.order.as_str() == of => Some(told.charge.clone()),
                    _ => None,
                }).collect();
                names.sort_unstable();
                names.dedup();
                names
            };
            let kept = |of: &str| {
                let back = news(of, ChargeChange::TakenBack);
                news(of, ChargeChange::Paid).into_iter().filter(|charge| !back.contains(charge)).count()
            };
            // the newest order that is paid carries; at one price for both, months would simply add up
            let one_price = {
                let mut same = subscription.clone();
                same.orders.iter_mut().for_each(|order| order.cents = 9_900);
                same.coverage().map(|known| known.paid_until.0)
            };
            let months = 1 + i64::try_from(kept("a") + kept("b")).expect("few");
            let begun = at(0).0;
            let paid_until = one_price.expect("the first month is never taken back");
            // calendar months have 28 to 31 days, and one begun after a gap begins later
            prop_assert!(paid_until - begun >= months * 28 * DAY);
            prop_assert!(paid_until - begun <= months * 31 * DAY + 21 * DAY);
            let first_paid = |kind| letters.iter().filter(|letter| **letter == kind).count();
            prop_assert!(first_paid(MailKind::Paid) <= news("a", ChargeChange::Paid).len() + news("b", ChargeChange::Paid).len());
        }

        #[test]
        fn the_step_is_total(life in any_life(), now in any::<i64>()) {
            let (subscription, _) = after(&life);
            for now in [now / 2, 0, i64::MAX / 4] {
                let now = UnixMillis(now);
                let (later, _) = step(&subscription, &Event::Passed, now);
                let _ = (later.status(now), later.due_at(now), later.coverage().map(|known| known.ends_at()));
            }
        }
    }
}
