//! The page that the gateway leads back to. It opens after a refused card and out of a bookmark too, so it tells what
//! came of the latest order.

use maud::html;

use crate::billing::subscription::SubscriptionStatus;
use crate::domain::code::Level;
use crate::domain::error::ApiError;
use crate::domain::order::{Charge, ChargeState, Order, Renewal};
use crate::http::site::account::destination::Destination;
use crate::http::site::account::page::Page;
use crate::http::site::account::{AccountRequest, PageOutcome};
use crate::http::site::layout::Layout;
use crate::http::site::layout::components::more;
use crate::signup::session::OwnerSession;

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
    /// Tells what came of the latest order, and its owner where to pay it.
    pub(crate) async fn paid(self, session: &OwnerSession) -> Result<PageOutcome, ApiError> {
        let billing = self.site.billing.service();
        let account = &session.account.id;
        let status = billing.status(account).await?.status;
        let orders = billing.orders(account).await?;
        let pay_url = orders.last().filter(|_| session.level == Level::Owner).and_then(Order::pay_url);
        let pay_url = pay_url.map(|pay_url| self.site.payment_page(pay_url.to_owned(), self.language));
        Ok(PageOutcome::Page(page(self.layout(), of_latest(&orders, status), pay_url.as_deref())))
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

fn page(layout: &Layout, latest: Latest, pay_url: Option<&str>) -> String {
    let words = &layout.texts.account;
    let [title, lead] = match latest {
        Latest::NoOrder => words.no_order,
        Latest::Waiting => words.order_waiting,
        Latest::Refused => words.order_refused,
        Latest::Overdue => words.order_overdue,
        Latest::Closed => words.order_closed,
        Latest::Paid => [words.paid_title, words.paid_active],
        Latest::Refunded => words.order_refunded,
    };
    let can_be_paid = matches!(latest, Latest::Waiting | Latest::Refused | Latest::Overdue);
    let rest = html! {
        @if let Some(pay_url) = pay_url.filter(|_| can_be_paid) {
            p { a.button href=(pay_url) { (words.pay_now) } }
        }
        (more(&layout.path("/conta"), words.see_account))
    };
    layout.message("/conta/pago", title, lead, &rest)
}

/// The page for somebody who is not signed in: the gateway leads back in whatever browser the payer uses.
pub(crate) fn unknown(layout: &Layout) -> String {
    let words = &layout.texts.account;
    let back = Destination::of(Page::Paid, None).query();
    let rest = more(&format!("{}{back}", layout.path("/conta")), words.see_account);
    layout.message("/conta/pago", words.payment, words.paid_unknown, &rest)
}
