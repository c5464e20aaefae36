//! The table of an account's payments.

use maud::{Markup, html};

use super::page::{Page, WITHDRAW};
use super::pages::date;
use crate::billing::service::BillingStatus;
use crate::domain::clock::{DAY, UnixMillis};
use crate::domain::order::{Charge, ChargeState, Order, Renewal};
use crate::http::site::layout::Layout;

/// How long after a purchase the law grants the money back (CDC, article 49).
const WITHDRAWAL: i64 = 7 * DAY;

/// A charge of an order.
struct Row<'a> {
    at: UnixMillis,
    order: &'a Order,
    charge: &'a Charge,
}

impl Row<'_> {
    fn of<'a>(order: &'a Order, charge: &'a Charge) -> Row<'a> {
        let at = match charge.state {
            ChargeState::Pending { .. } => order.placed_at,
            ChargeState::Paid { at } => charge.paid_at.unwrap_or(at),
            ChargeState::Refunded => charge.refunded_at.unwrap_or(order.placed_at),
        };
        Row { at, order, charge }
    }

    /// Whether it waits for its payment.
    fn is_waiting(&self) -> bool {
        let is_pending = matches!(self.charge.state, ChargeState::Pending { .. });
        is_pending && self.order.renewal == Renewal::On && !self.charge.is_deleted()
    }

    /// Whether its money may be asked back without a reason: the first payment of an order, which a renewal is not.
    fn may_be_refunded(&self, now: UnixMillis) -> bool {
        let is_recent = |paid_at: UnixMillis| now.0.saturating_sub(paid_at.0) < WITHDRAWAL;
        self.charge.credited_from().is_some()
            && self.order.is_first_payment(self.charge)
            && self.charge.first_paid_at().is_some_and(is_recent)
    }

    fn cents(&self) -> u32 {
        self.charge.cents.and_then(|cents| u32::try_from(cents).ok()).unwrap_or(self.order.cents)
    }
}

/// The charges of these orders, newest first, each with the number of its order and what can be done about it.
pub(crate) fn payments(layout: &Layout, orders: &[Order], status: &BillingStatus, now: UnixMillis) -> Markup {
    let words = &layout.texts.account;
    let rows = orders.iter().flat_map(|order| order.charges.values().map(|charge| Row::of(order, charge)));
    let mut rows: Vec<Row<'_>> = rows.collect();
    rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.at));
    // a cancellation withdraws what waits too, where no plan renews that it would end
    let withdraw = layout.path(if status.auto_renew { WITHDRAW } else { Page::Cancel.path() });
    html! {
        section.part aria-labelledby="payments" {
            div.part-head { h2 #payments { (words.payments) } }
            @if rows.is_empty() {
                p { (words.no_payments) }
            } @else {
                div.table.payments tabindex="0" role="group" aria-labelledby="payments" {
                    table {
                        thead { tr { @for column in words.columns { th scope="col" { (column) } } } }
                        tbody { @for row in &rows { (line(layout, row, &withdraw, now)) } }
                    }
                }
            }
        }
    }
}

fn line(layout: &Layout, row: &Row<'_>, withdraw: &str, now: UnixMillis) -> Markup {
    let words = &layout.texts.account;
    let state = match row.charge.state {
        ChargeState::Pending { .. } if row.is_waiting() => words.pending,
        ChargeState::Pending { .. } => words.closed,
        ChargeState::Paid { .. } => words.paid,
        ChargeState::Refunded => words.refunded,
    };
    html! {
        tr {
            td { (date(layout, row.at)) }
            td { (row.order.plan.title()) br; small { (row.order.id) } }
            td { (layout.texts.calendar.price(row.cents())) }
            td {
                (state)
                @if row.is_waiting() && row.order.is_open() {
                    br; a href=(withdraw) { (words.withdraw_this) }
                } @else if row.may_be_refunded(now) {
                    br; a href=(layout.path("/contato")) { (words.refund_this) }
                }
            }
        }
    }
}
