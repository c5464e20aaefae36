//! The page that the gateway leads back to. It opens after a refused card and out of a bookmark too, so it tells what
//! came of the latest order.

use crate::billing::subscription::SubscriptionStatus;
use crate::domain::account::Account;
use crate::domain::error::ApiError;
use crate::domain::order::{Charge, ChargeState, Order, Renewal};
use crate::http::site::account::{AccountRequest, PageOutcome};
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::more;

/// What came of the latest order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Latest {
    /// There is none, or the time that it paid for is over.
    NoOrder,
    Waiting,
    Refused,
    Overdue,
    /// It was never paid, and cannot be paid any more.
    Closed,
    /// The plan is on.
    Paid,
    /// The money went back.
    Refunded,
}

impl AccountRequest<'_> {
    /// Tells what came of the latest order.
    pub(crate) async fn paid(self, account: &Account) -> Result<PageOutcome, ApiError> {
        let billing = self.site.billing.service();
        let status = billing.status(&account.id).await?.status;
        let orders = billing.orders(&account.id).await?;
        Ok(PageOutcome::Page(page(self.layout(), of_latest(&orders, status))))
    }
}

/// What came of the latest of these orders, which are oldest first.
fn of_latest(orders: &[Order], status: SubscriptionStatus) -> Latest {
    let Some(order) = orders.last() else { return Latest::NoOrder };
    if order.is_fully_refunded() {
        return Latest::Refunded;
    }
    if order.is_paid() {
        return match status {
            SubscriptionStatus::Active | SubscriptionStatus::Canceled => Latest::Paid,
            SubscriptionStatus::PastDue => Latest::Overdue,
            SubscriptionStatus::None | SubscriptionStatus::AwaitingPayment => Latest::NoOrder,
        };
    }
    if order.renewal != Renewal::On {
        return Latest::Closed;
    }
    let is = |wanted: fn(&Charge) -> bool| order.charges.values().any(wanted);
    // what is overdue may have been refused before, and the day is what matters now
    if is(|charge| matches!(charge.state, ChargeState::Pending { overdue: true, .. })) {
        Latest::Overdue
    } else if is(|charge| matches!(charge.state, ChargeState::Pending { refused: true, .. })) {
        Latest::Refused
    } else {
        Latest::Waiting
    }
}

fn page(layout: &Layout, latest: Latest) -> String {
    let words = &layout.texts.account;
    let [title, lead] = match latest {
        Latest::NoOrder => words.no_order,
        Latest::Waiting => [words.paid_title, words.paid_waiting],
        Latest::Refused => words.order_refused,
        Latest::Overdue => words.order_overdue,
        Latest::Closed => words.order_closed,
        Latest::Paid => [words.paid_title, words.paid_active],
        Latest::Refunded => words.order_refunded,
    };
    layout.message("/conta/pago", title, lead, &more(&layout.path("/conta"), words.see_account))
}

/// The page for somebody who is not signed in: the gateway leads back in whatever browser the payer uses.
pub(crate) fn unknown(layout: &Layout) -> String {
    let words = &layout.texts.account;
    let rest = more(&layout.path("/conta"), words.see_account);
    layout.message("/conta/pago", words.paid_title, words.paid_unknown, &rest)
}
