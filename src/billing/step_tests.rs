//! The billing step, from event to event.

use super::step::*;
use super::subscription::{GRACE, PlanGrant, Subscription, SubscriptionStatus};
use crate::domain::account::OrderId;
use crate::domain::clock::{DAY, UnixMillis, day_of, month_after, start_of};
use crate::domain::mail::MailKind;
use crate::domain::order::{
    ChargeChange, ChargeEvent, LATE_CREATION, Method, Order, Renewal, ReportedCharge,
};
use crate::domain::plan::Plan;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;

const START: i64 = 1_790_000_000_000;

fn at(days: i64) -> UnixMillis {
    UnixMillis(START + days * DAY)
}

fn order(id: &str, plan: Plan, cents: u32, placed_at: UnixMillis) -> Order {
    Order {
        id: OrderId::from_stored(id.to_owned()),
        plan,
        cents,
        method: Method::Pix,
        placed_at,
        due_date: day_of(placed_at),
        tax_last4: "4725".to_owned(),
        payer: None,
        keys: Vec::new(),
        gateway_id: Some(format!("sub_{id}")),
        creation_locked_until: placed_at,
        renewal: Renewal::On,
        renews_on: None,
        charges: BTreeMap::new(),
    }
}

fn ordered(id: &str, plan: Plan, cents: u32, placed_at: UnixMillis) -> Event {
    Event::Ordered(Box::new(order(id, plan, cents, placed_at)))
}

fn report_of(order: &str, id: &str, cents: u64, change: ChargeChange, at: UnixMillis) -> Event {
    let charge = ReportedCharge { id: id.to_owned(), cents, change, pay_url: None, due_date: None };
    Event::Charge(ChargeEvent { order: OrderId::from_stored(order.to_owned()), charge, at })
}

fn report(order: &str, id: &str, change: ChargeChange, at: UnixMillis) -> Event {
    report_of(order, id, 9_900, change, at)
}

fn closed(order: &str) -> Event {
    Event::Closed { order: OrderId::from_stored(order.to_owned()) }
}

/// Applies events, each at its moment.
fn replay(start: Subscription, events: &[(Event, UnixMillis)]) -> (Subscription, Vec<MailKind>) {
    let mut mails = Vec::new();
    let mut subscription = start;
    for (event, now) in events {
        let (after, more) = step(&subscription, event, *now);
        mails.extend(more);
        subscription = after;
    }
    (subscription, mails)
}

/// Applies changes of the charge `pay_1` of the order `a`, each on its day.
fn changes(start: Subscription, changes: &[(ChargeChange, i64)]) -> (Subscription, Vec<MailKind>) {
    let event = |(change, day): &(ChargeChange, i64)| (report("a", "pay_1", *change, at(*day)), at(*day));
    replay(start, &changes.iter().map(event).collect::<Vec<_>>())
}

/// An order `a` for Pro.
fn one_order() -> Subscription {
    replay(Subscription::default(), &[(ordered("a", Plan::Pro, 9_900, at(0)), at(0))]).0
}

fn paid_until(subscription: &Subscription) -> Option<UnixMillis> {
    subscription.paid_time().map(|paid| paid.paid_until)
}

#[test]
fn enums_serialize_to_their_documented_names() {
    use SubscriptionStatus::*;
    let statuses = [None, AwaitingPayment, Active, PastDue, Canceled];
    assert_eq!(serde_json::json!(statuses), serde_json::json!(SubscriptionStatus::NAMES));
    let methods = [Method::Pix, Method::Boleto, Method::CreditCard, Method::Undefined];
    assert_eq!(serde_json::json!(methods), serde_json::json!(Method::NAMES));
}

/// What version 1.2 stored for an account with a paid, a refunded and an overdue order.
const STORED_BY_1_2: &str = r#"{"orders":[{"id":"chk_ql7RB7kzHdm3YCwv","plan":"pro","cents":9900,"method":"PIX","placed_at":1795347641144,"due_date":"2026-11-22","tax_last4":"4725","keys":["07ed400759a0f606a8b5bfa84712aabe"],"gateway_id":"sub_chk_ql7RB7kzHdm3YCwv","asked_until":1795347661144,"renewal":"ended","charges":{"pay_chk_ql7RB7kzHdm3YCwv":{"pay_url":"http://127.0.0.1:18471/sandbox/chk_ql7RB7kzHdm3YCwv","due_date":"2026-11-22","standing":{"paid":{"at":1795347641187}}}}},{"id":"chk_57WmNUkjjQuzJrML","plan":"business","cents":49900,"method":"PIX","placed_at":1795347642727,"due_date":"2026-11-22","tax_last4":"4725","keys":["11d40417959631d3d2420e8cd8709893"],"gateway_id":"sub_chk_57WmNUkjjQuzJrML","asked_until":1795347662727,"renewal":"ended","charges":{"pay_chk_57WmNUkjjQuzJrML":{"pay_url":"http://127.0.0.1:18471/sandbox/chk_57WmNUkjjQuzJrML","due_date":"2026-11-22","standing":"taken_back"}}},{"id":"chk_qRIXeAusTA1wpqBa","plan":"gringo","cents":1990,"method":"PIX","placed_at":1795347645797,"due_date":"2026-11-22","tax_last4":"4725","keys":["7991d51fe699b9e7da97be2edcc528fc"],"gateway_id":"sub_chk_qRIXeAusTA1wpqBa","asked_until":1795347665797,"renewal":"on","charges":{"pay_chk_qRIXeAusTA1wpqBa":{"pay_url":"http://127.0.0.1:18471/sandbox/chk_qRIXeAusTA1wpqBa","due_date":"2026-11-22","standing":{"awaited":{"overdue":true,"refused":true,"deleted":false,"restored":false}}}}}],"serving":"pro"}"#;

#[test]
fn a_subscription_that_version_1_2_stored_is_read_and_written_unchanged() {
    let subscription = Subscription::parse(STORED_BY_1_2).expect("a subscription");
    assert_eq!(serde_json::to_string(&subscription).expect("JSON"), STORED_BY_1_2);
    let [paid, refunded, overdue] = subscription.orders.as_slice() else { panic!("{subscription:?}") };
    assert!(paid.is_paid() && refunded.is_fully_refunded() && overdue.overdue().next().is_some());
    let paid = subscription.paid_time().expect("covered");
    assert_eq!(paid.paid_until, month_after(UnixMillis(1_795_347_641_187)));
    assert_eq!(subscription.active_plan, Some(Plan::Pro));
}

#[test]
fn every_fact_of_a_charge_survives_storage() {
    use ChargeChange::*;
    let known =
        [(Overdue, 0), (Paid, 1), (Disputed, 2), (DisputeWon, 3), (CashUndone, 4), (PartlyRefunded, 5)];
    let (subscription, _) = changes(one_order(), &known);
    let text = serde_json::to_string(&subscription).expect("JSON");
    assert_eq!(Subscription::parse(&text).expect("itself"), subscription);
    assert_eq!(Subscription::parse("").expect("nothing"), Subscription::default());
}

#[test]
fn a_card_confirmed_and_received_32_days_later_is_one_month() {
    let (subscription, mails) =
        changes(one_order(), &[(ChargeChange::Listed, 0), (ChargeChange::Paid, 1), (ChargeChange::Paid, 33)]);
    assert_eq!(paid_until(&subscription), Some(month_after(at(1))));
    assert_eq!(subscription.active_plan, Some(Plan::Pro), "within the days of grace");
    assert_eq!(subscription.status(at(33)), SubscriptionStatus::PastDue);
    assert_eq!(mails, [MailKind::Paid]);
}

#[test]
fn a_plan_that_is_not_paid_again_ends_three_days_after_its_month() {
    let (paid, _) = changes(one_order(), &[(ChargeChange::Paid, 0)]);
    let end = month_after(at(0)).0 + GRACE;
    assert_eq!(paid.due_at(UnixMillis(end - 1)), Some(UnixMillis(end)));
    let (kept, mails) = step(&paid, &Event::TimePassed, UnixMillis(end - 1));
    assert_eq!((kept.active_plan, mails), (Some(Plan::Pro), vec![]));
    let (ended, mails) = step(&kept, &Event::TimePassed, UnixMillis(end));
    assert_eq!((ended.active_plan, mails), (None, vec![MailKind::Ended]));
    assert_eq!(ended.orders[0].renewal, Renewal::Ending, "nothing is charged for a plan that ended");
    assert_eq!(step(&ended, &Event::TimePassed, UnixMillis(end + DAY)), (ended.clone(), vec![]));
}

#[test]
fn a_bank_slip_that_is_paid_on_its_last_day_has_time_to_arrive() {
    let mut slip = order("a", Plan::Pro, 9_900, at(0));
    slip.method = Method::Boleto;
    let (paid_at, due) = (at(1), day_of(month_after(at(3))));
    let next = ReportedCharge {
        id: "pay_2".to_owned(),
        cents: 9_900,
        change: ChargeChange::Listed,
        pay_url: Some("https://pay.example/2".to_owned()),
        due_date: Some(due),
    };
    let next = ChargeEvent { order: slip.id.clone(), charge: next, at: at(5) };
    let events = [
        (Event::Ordered(Box::new(slip)), at(0)),
        (report("a", "pay_1", ChargeChange::Paid, paid_at), paid_at),
        (Event::Charge(next), at(5)),
    ];
    let (paid, _) = replay(Subscription::default(), &events);
    let until = month_after(paid_at);
    let due_ends = start_of(due.succ_opt().expect("a day")).expect("a moment");
    assert_eq!(paid.status(until), SubscriptionStatus::Active, "nothing is due yet");
    assert_eq!(paid.status(due_ends), SubscriptionStatus::PastDue);
    let ends = UnixMillis(due_ends.0 + 5 * DAY);
    assert_eq!(paid.paid_time().map(|known| known.ends_at()), Some(ends));
    let arrived = [
        (Event::TimePassed, UnixMillis(ends.0 - 1)),
        (report("a", "pay_2", ChargeChange::Paid, UnixMillis(ends.0 - 1)), UnixMillis(ends.0 - 1)),
    ];
    let (again, _) = replay(paid.clone(), &arrived);
    assert_eq!(again.status(ends), SubscriptionStatus::Active);
    assert_eq!(again.active_plan, Some(Plan::Pro));
    assert_eq!(step(&paid, &Event::TimePassed, ends).0.active_plan, None);
}

#[test]
fn a_grant_beside_a_lapsed_plan_is_due_at_its_end_and_not_before() {
    let (paid, _) = changes(one_order(), &[(ChargeChange::Paid, 0)]);
    let until = at(400);
    let grant = Event::Granted(PlanGrant::new(Plan::Gringo, until));
    let lapsed = UnixMillis(month_after(at(0)).0 + GRACE);
    let granted_after = replay(paid.clone(), &[(Event::TimePassed, lapsed), (grant.clone(), lapsed)]).0;
    let granted_before = replay(paid, &[(grant, at(1)), (Event::TimePassed, lapsed)]).0;
    for granted in [granted_after, granted_before] {
        let (closed, _) = replay(granted, &[(closed("a"), lapsed)]);
        assert_eq!(closed.active_plan, Some(Plan::Gringo));
        assert_eq!(closed.due_at(lapsed), Some(until), "nothing to do until then");
        let (ended, mails) = step(&closed, &Event::TimePassed, until);
        assert_eq!((ended.active_plan, ended.granted(), mails), (None, None, vec![MailKind::Ended]));
    }
}

#[test]
fn a_grant_that_a_wrong_clock_ended_goes_on_until_its_end() {
    let until = at(30);
    let grant = Event::Granted(PlanGrant::new(Plan::Pro, until));
    let (granted, mails) = step(&Subscription::default(), &grant, at(1));
    assert_eq!((granted.active_plan, mails), (Some(Plan::Pro), vec![MailKind::Plan]));
    let (ended, mails) = step(&granted, &Event::TimePassed, at(400));
    assert_eq!((ended.active_plan, ended.granted(), mails), (None, None, vec![MailKind::Ended]));
    assert_eq!(ended.due_at(at(400)), None, "nothing is left to do");
    assert!(ended.is_overlooked(None, at(2)), "the clock is right again");
    // what is stored is all that is known
    let stored = serde_json::to_string(&ended).expect("JSON");
    let (back, mails) = step(&Subscription::parse(&stored).expect("stored"), &Event::TimePassed, at(2));
    assert_eq!((back.active_plan, mails), (Some(Plan::Pro), vec![MailKind::Plan]));
    assert_eq!((&back, back.due_at(at(2))), (&granted, Some(until)));
    let (over, mails) = step(&back, &Event::TimePassed, until);
    assert_eq!((over.active_plan, mails), (None, vec![MailKind::Ended]));
    // a report does not end it, nor bring it back
    assert_eq!(step(&granted, &Event::Canceled, at(400)).0.active_plan, Some(Plan::Pro));
    assert_eq!(step(&ended, &Event::Canceled, at(2)).0.active_plan, None);
}

#[test]
fn a_canceled_plan_ends_with_its_month() {
    let (paid, _) = changes(one_order(), &[(ChargeChange::Paid, 0)]);
    let (canceled, mails) = step(&paid, &Event::Canceled, at(3));
    assert_eq!(mails, [MailKind::Canceled]);
    assert_eq!(
        (canceled.active_plan, canceled.status(at(3))),
        (Some(Plan::Pro), SubscriptionStatus::Canceled)
    );
    assert_eq!(step(&canceled, &Event::Canceled, at(4)), (canceled.clone(), vec![]));
    let (ended, mails) = step(&canceled, &Event::TimePassed, month_after(at(0)));
    assert_eq!((ended.active_plan, mails), (None, vec![MailKind::Ended]));
}

#[test]
fn a_refund_takes_back_the_month_it_bought_and_no_more() {
    let (twice, _) = replay(
        one_order(),
        &[
            (report("a", "pay_1", ChargeChange::Paid, at(0)), at(0)),
            (report("a", "pay_2", ChargeChange::Paid, at(20)), at(20)),
        ],
    );
    assert_eq!(paid_until(&twice), Some(month_after(month_after(at(0)))));
    let (once, mails) = step(&twice, &report("a", "pay_1", ChargeChange::Refunded, at(21)), at(21));
    assert_eq!(paid_until(&once), Some(month_after(at(20))));
    assert_eq!(mails, [MailKind::Refunded]);
    let (never, mails) = step(&once, &report("a", "pay_2", ChargeChange::Refunded, at(22)), at(22));
    assert_eq!((never.paid_time(), never.active_plan, mails), (None, None, vec![MailKind::Refunded]));
}

#[test]
fn a_fully_refunded_order_is_charged_no_more() {
    for change in [ChargeChange::Refunded, ChargeChange::Disputed] {
        let (back, _) = changes(one_order(), &[(ChargeChange::Paid, 0), (change, 3)]);
        assert_eq!((back.orders[0].renewal, back.due_at(at(3))), (Renewal::On, Some(at(3))), "at once");
        let (ended, mails) = step(&back, &Event::TimePassed, at(3));
        assert_eq!(ended.orders[0].renewal, Renewal::Ending);
        assert_eq!((ended.status(at(3)), mails), (SubscriptionStatus::None, vec![]));
        // unless the payment of another month is reported meanwhile
        let (paid, _) = step(&back, &report("a", "pay_2", ChargeChange::Paid, at(3)), at(3));
        let (paid, _) = step(&paid, &Event::TimePassed, at(3));
        assert_eq!((paid.orders[0].renewal, paid.status(at(3))), (Renewal::On, SubscriptionStatus::Active));
    }
}

#[test]
fn a_chargeback_takes_the_month_and_a_won_one_gives_the_rest_of_it_back() {
    use ChargeChange::*;
    let (disputed, mails) = changes(one_order(), &[(Paid, 0), (Disputed, 10), (Disputed, 11)]);
    assert_eq!((disputed.active_plan, mails), (None, vec![MailKind::Paid, MailKind::Refunded]));
    let (disputed, _) = replay(disputed, &[(Event::TimePassed, at(11)), (closed("a"), at(11))]);
    assert_eq!(disputed.due_at(at(40)), Some(at(41)), "the order is polled while its dispute is open");
    assert_eq!(disputed.due_at(at(191)), None, "but not for ever");

    let (won, mails) = changes(disputed, &[(DisputeWon, 50)]);
    assert_eq!((won.active_plan, &mails[..]), (Some(Plan::Pro), &[MailKind::Paid][..]));
    // it was used for 10 days and off for 40
    assert_eq!(paid_until(&won), Some(month_after(at(40))));
    assert_eq!(won.status(at(50)), SubscriptionStatus::Canceled, "nothing more is charged");
    let repeated = changes(won.clone(), &[(Paid, 51), (DisputeWon, 52), (Disputed, 53), (Paid, 54)]);
    assert_eq!(repeated, (won.clone(), vec![]), "repeated reports change nothing");
    let (refunded, mails) = changes(won, &[(Refunded, 55), (DisputeWon, 56), (Paid, 57)]);
    assert_eq!((refunded.active_plan, mails), (None, vec![MailKind::Refunded]), "a refund is final");
}

#[test]
fn a_won_dispute_without_a_payment_credits_nothing() {
    let (subscription, mails) =
        changes(one_order(), &[(ChargeChange::DisputeWon, 0), (ChargeChange::Disputed, 1)]);
    assert_eq!((subscription.paid_time(), mails), (None, vec![]));
}

#[test]
fn undone_cash_takes_the_month_back_and_the_charge_can_be_paid_again() {
    use ChargeChange::*;
    let (undone, mails) = changes(one_order(), &[(Paid, 1), (CashUndone, 2), (CashUndone, 2)]);
    assert_eq!((undone.active_plan, mails), (None, vec![MailKind::Paid, MailKind::Refunded]));
    let (undone, _) = step(&undone, &Event::TimePassed, at(3));
    assert_eq!(undone.status(at(3)), SubscriptionStatus::AwaitingPayment, "the order stays open");
    let (paid, mails) = changes(undone, &[(Paid, 5), (Paid, 6), (Paid, 1), (CashUndone, 2)]);
    assert_eq!((paid_until(&paid), mails), (Some(month_after(at(5))), vec![MailKind::Paid]));
    assert_eq!(paid.orders[0].charges["pay_1"].first_paid_at(), Some(at(5)), "the cash never came");
    // the reports of the cash may arrive late and in the wrong order
    let (late, _) = changes(one_order(), &[(CashUndone, 2), (Paid, 1)]);
    assert_eq!(late.paid_time(), None);
    assert_eq!(paid_until(&changes(late, &[(Paid, 5)]).0), Some(month_after(at(5))));
}

#[test]
fn a_partial_refund_leaves_the_month() {
    use ChargeChange::*;
    let (paid, _) = changes(one_order(), &[(Paid, 0)]);
    let (partly, mails) = changes(paid.clone(), &[(PartlyRefunded, 1), (PartlyRefunded, 2)]);
    assert_eq!((paid_until(&partly), mails), (paid_until(&paid), vec![]));
    assert!(partly.orders[0].charges["pay_1"].is_partly_refunded);
    let (refunded, _) = changes(partly, &[(Refunded, 3)]);
    assert_eq!(refunded.paid_time(), None);
}

#[test]
fn a_month_that_is_reported_by_a_clock_set_back_counts_from_its_order() {
    let (paid, _) = changes(one_order(), &[(ChargeChange::Paid, -40)]);
    assert_eq!(paid_until(&paid), Some(month_after(at(0))));
    let (kept, mails) = step(&paid, &Event::TimePassed, at(1));
    assert_eq!((kept.active_plan, mails), (Some(Plan::Pro), vec![]));
}

#[test]
fn a_withdrawal_ends_the_order_that_waits_and_nothing_that_is_paid() {
    let (paid, _) = changes(one_order(), &[(ChargeChange::Paid, 0)]);
    let (both, _) = step(&paid, &ordered("b", Plan::Business, 9_900 * 5, at(3)), at(3));
    let (withdrawn, mails) = step(&both, &Event::Withdrawn, at(4));
    let renewals = |known: &Subscription| known.orders.iter().map(|order| order.renewal).collect::<Vec<_>>();
    assert_eq!((renewals(&withdrawn), mails), (vec![Renewal::On, Renewal::Ending], vec![]));
    assert_eq!(withdrawn.status(at(4)), SubscriptionStatus::Active);
    // one that was paid meanwhile stays
    let (upgraded, _) = step(&both, &report_of("b", "pay_2", 9_900 * 5, ChargeChange::Paid, at(4)), at(4));
    assert_eq!(step(&upgraded, &Event::Withdrawn, at(5)), (upgraded, vec![]));
}

#[test]
fn a_report_by_a_clock_set_forward_ends_nothing_and_a_wrong_end_is_due_again() {
    let (paid, _) = changes(one_order(), &[(ChargeChange::Paid, 0)]);
    let next = report("a", "pay_2", ChargeChange::Listed, at(45));
    let (reported, mails) = step(&paid, &next, at(45));
    assert_eq!((reported.active_plan, reported.orders[0].renewal), (Some(Plan::Pro), Renewal::On));
    assert_eq!(mails, []);
    let (ended, _) = replay(paid, &[(Event::TimePassed, at(45)), (closed("a"), at(45))]);
    assert_eq!((ended.active_plan, ended.due_at(at(45))), (None, None));
    assert_eq!(ended.due_at(at(1)), Some(at(2)), "as its month is in use");
    assert!(ended.is_overlooked(None, at(1)) && !ended.is_overlooked(Some(at(2)), at(1)));
    assert_eq!(step(&ended, &Event::TimePassed, at(2)).0.active_plan, Some(Plan::Pro));
}

#[test]
fn a_closed_order_is_polled_as_long_as_its_month_is_in_use() {
    let (closed, _) = replay(
        one_order(),
        &[
            (report("a", "pay_1", ChargeChange::Paid, at(0)), at(0)),
            (Event::Canceled, at(2)),
            (closed("a"), at(2)),
        ],
    );
    assert_eq!((closed.polled_orders(at(2)).count(), closed.due_at(at(2))), (1, Some(at(3))));
    let end = month_after(at(0));
    let (ended, _) = step(&closed, &Event::TimePassed, end);
    assert_eq!((ended.polled_orders(end).count(), ended.due_at(end)), (0, None));
}

#[test]
fn time_left_of_one_plan_is_converted_into_another_by_price() {
    let (moved, _) = replay(
        one_order(),
        &[
            (report("a", "pay_1", ChargeChange::Paid, at(0)), at(0)),
            (ordered("b", Plan::Business, 9_900 * 5, at(10)), at(10)),
        ],
    );
    assert_eq!(moved.active_plan, Some(Plan::Pro), "until the new one is paid");
    let (moved, _) = step(&moved, &report_of("b", "pay_2", 9_900 * 5, ChargeChange::Paid, at(10)), at(10));
    let left = (month_after(at(0)).0 - at(10).0) / 5;
    let paid = moved.paid_time().expect("covered");
    assert_eq!(
        (paid.order.plan, paid.paid_until),
        (Plan::Business, month_after(UnixMillis(at(10).0 + left)))
    );
    assert_eq!(moved.orders[0].renewal, Renewal::Ending, "the old one is not charged again");
    // another month of the old one is paid all the same
    let (late, _) = step(&moved, &report("a", "pay_3", ChargeChange::Paid, at(11)), at(11));
    let month = (month_after(at(11)).0 - at(11).0) / 5;
    let after = late.paid_time().expect("covered");
    assert_eq!((after.order.plan, after.paid_until.0), (Plan::Business, paid.paid_until.0 + month));
}

#[test]
fn an_unpaid_order_is_replaced_by_the_next_and_ends_after_ten_days() {
    let (other, mails) = step(&one_order(), &ordered("b", Plan::Gringo, 1_990, at(1)), at(1));
    assert_eq!((other.orders[0].renewal, other.orders[1].renewal), (Renewal::Ending, Renewal::On));
    assert_eq!(other.open_order().map(|order| order.plan), Some(Plan::Gringo));
    assert_eq!(other.status(at(1)), SubscriptionStatus::AwaitingPayment);
    assert_eq!(other.due_at(at(1)), Some(at(1)), "it is canceled at the gateway at once");
    let mut requested = other.clone();
    (requested.orders[0].gateway_id, requested.orders[0].creation_locked_until) =
        (None, UnixMillis(at(1).0 + 20));
    let searchable = UnixMillis(at(1).0 + 20).after(LATE_CREATION);
    assert_eq!(requested.orders[0].searchable_from(), searchable, "unless it may still be created");
    requested.orders[0].creation_locked_until = UnixMillis(0);
    assert_eq!(requested.due_at(at(1)), Some(at(1)), "it was never requested at the gateway");
    let (late, _) = step(&other, &Event::TimePassed, at(12));
    assert_eq!((late.orders[1].renewal, late.status(at(12))), (Renewal::Ending, SubscriptionStatus::None));
    assert_eq!(mails, []);
}

#[test]
fn of_the_orders_that_ended_unpaid_the_newest_are_kept() {
    let (mut subscription, _) = changes(one_order(), &[(ChargeChange::Paid, 0)]);
    let id = |number: usize| format!("o{number:02}");
    for number in 0..40 {
        let events =
            [(ordered(&id(number), Plan::Gringo, 1_990, at(1)), at(1)), (closed(&id(number)), at(1))];
        subscription = replay(subscription, &events[..if number == 5 { 1 } else { 2 }]).0;
    }
    let (with_slips, _) = step(&subscription, &ordered("last", Plan::Gringo, 1_990, at(9)), at(9));
    assert_eq!(with_slips.orders.len(), 42, "a slip may have been paid");
    let (subscription, _) = step(&subscription, &ordered("last", Plan::Gringo, 1_990, at(12)), at(12));
    let kept: Vec<&str> = subscription.orders.iter().map(|order| order.id.as_str()).collect();
    let newest: Vec<String> = (20..40).map(id).collect();
    let expected: Vec<&str> =
        ["a", "o05"].into_iter().chain(newest.iter().map(String::as_str)).chain(["last"]).collect();
    assert_eq!(kept, expected, "with what was paid, and what has to be canceled at the gateway");
}

#[test]
fn a_charge_below_the_price_and_an_unknown_order_change_nothing() {
    let subscription = one_order();
    let small = report_of("a", "pay_1", 9_899, ChargeChange::Paid, at(0));
    assert_eq!(step(&subscription, &small, at(0)), (subscription.clone(), vec![]));
    let unknown = report("x", "pay_1", ChargeChange::Paid, at(0));
    assert_eq!(step(&subscription, &unknown, at(0)), (subscription, vec![]));
}

/// A change of a charge, or that its order was closed. Undone cash is left out: which payment it undoes is known
/// only by the order of the reports.
fn any_change() -> impl Strategy<Value = Option<ChargeChange>> {
    use ChargeChange::*;
    prop::sample::select(vec![
        None,
        Some(Listed),
        Some(Paid),
        Some(Paid),
        Some(Paid),
        Some(Overdue),
        Some(Refunded),
        Some(PartlyRefunded),
        Some(Disputed),
        Some(DisputeWon),
        Some(Refused),
        Some(Deleted),
        Some(Restored),
    ])
}

/// Changes of a few charges of two orders, each at its moment, within the days that an order stays open: what time
/// has decided is not undone.
fn any_history() -> impl Strategy<Value = Vec<(Event, UnixMillis)>> {
    prop::collection::vec((0usize..2, 0usize..3, any_change(), 0i64..8 * DAY), 1..16).prop_map(|all| {
        let event = |(of, charge, change, after)| {
            let (moment, order) = (UnixMillis(at(1).0 + after), ["a", "b"][of]);
            let event = match change {
                Some(change) => report(order, &format!("pay_{of}{charge}"), change, moment),
                None => closed(order),
            };
            (event, moment)
        };
        all.into_iter().map(event).collect()
    })
}

/// An account with a paid order for a plan and an order for another, after a history, when time has passed.
fn after(history: &[(Event, UnixMillis)]) -> (Subscription, Vec<MailKind>) {
    let start = [
        (report("a", "pay_first", ChargeChange::Paid, at(0)), at(0)),
        (ordered("b", Plan::Gringo, 1_990, at(1)), at(1)),
    ];
    let (subscription, mails) = replay(replay(one_order(), &start).0, history);
    (step(&subscription, &Event::TimePassed, at(22)).0, mails)
}

/// How many charges of a history are paid for in the end.
fn credited(history: &[(Event, UnixMillis)]) -> usize {
    let has = |id: &str, wanted: ChargeChange| {
        history.iter().any(|(event, _)| {
            matches!(event, Event::Charge(report) if report.charge.id == id && report.charge.change == wanted)
        })
    };
    let ids = ["pay_00", "pay_01", "pay_02", "pay_10", "pay_11", "pay_12"];
    let is_credited = |id: &&str| {
        let is_lost = has(id, ChargeChange::Disputed) && !has(id, ChargeChange::DisputeWon);
        has(id, ChargeChange::Paid) && !has(id, ChargeChange::Refunded) && !is_lost
    };
    ids.iter().copied().filter(|id| is_credited(id)).count()
}

proptest! {
    #[test]
    fn order_and_repetition_of_reports_do_not_matter(
        history in any_history(),
        repeated in prop::collection::vec(any::<Index>(), 0..40),
        seed in any::<u64>(),
    ) {
        let mut other = history.clone();
        other.extend(repeated.iter().map(|which| which.get(&history).clone()));
        // a shuffle decided by the seed
        let mut left = seed;
        for place in (1..other.len()).rev() {
            left = left.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            other.swap(place, (left >> 33) as usize % (place + 1));
        }
        prop_assert_eq!(after(&history).0, after(&other).0);
    }

    #[test]
    fn every_month_that_stays_paid_counts_once(history in any_history()) {
        let (subscription, mails) = after(&history);
        // at one price for both orders the months simply add up
        let mut same = subscription.clone();
        same.orders.iter_mut().for_each(|order| order.cents = 9_900);
        let paid_until = paid_until(&same).expect("the first month is never refunded").0;
        let months = 1 + i64::try_from(credited(&history)).expect("few");
        // calendar months have 28 to 31 days, and one that begins after a gap begins later
        prop_assert!(paid_until - START >= months * 28 * DAY);
        prop_assert!(paid_until - START <= months * 31 * DAY + 21 * DAY);
        // each credit is mailed, and so is each that is taken back
        let count = |kind| mails.iter().filter(|mail| **mail == kind).count();
        prop_assert_eq!(count(MailKind::Paid) - count(MailKind::Refunded), credited(&history));
    }

    #[test]
    fn step_never_panics(history in any_history(), undone in 0i64..8 * DAY, now in any::<i64>()) {
        let (subscription, _) = after(&history);
        let undone = report("a", "pay_first", ChargeChange::CashUndone, UnixMillis(START + undone));
        for now in [now / 2, 0, i64::MAX / 4] {
            let now = UnixMillis(now);
            let (later, _) = replay(subscription.clone(), &[(undone.clone(), now), (Event::TimePassed, now)]);
            let _ = (later.status(now), later.due_at(now), later.paid_time().map(|known| known.ends_at()));
        }
    }
}
