//! The bookkeeper: sees to what the gateway told and to what is due, whichever process wrote it down.
//!
//! Nothing is remembered here: notices and books come from the store, each taken for a while so that no two
//! processes see to one at once, and come again when whoever took them died. To see to a thing twice changes
//! nothing. Before a plan ends, and now and then while an order goes on or its months are in use, the gateway is asked
//! for its charges: what it told while nobody listened is made up for so. Uses [`super::billing`],
//! [`super::service`], [`crate::gateway`] and [`crate::store`].

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use tokio::sync::Notify;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::service::{BillingError, BillingService};
use super::subscription::{Event, Subscription};
use crate::domain::account::AccountId;
use crate::domain::clock::UnixMillis;
use crate::domain::order::{ChargeChange, ChargeEvent, Order, Renewal};
use crate::gateway::{Gateway, ReportedCharge, WebhookPayload, WebhookUpdate};
use crate::store::{StoreError, WebhookEvent};

/// How often the store is looked at when nobody says that there is something to see to.
const ROUND: Duration = Duration::from_secs(1);

/// For how long books that were taken are nobody else's, the gateway's slowness included; and a notice, which only
/// the store is asked about.
const BOOKS_MINE: i64 = 90_000;
const NOTICE_MINE: i64 = 10_000;

/// How long after its end a plan is kept because the gateway cannot be asked whether it was paid.
const PATIENCE: i64 = 24 * 60 * 60 * 1000;

/// How many are taken together, and how many are seen to at once.
const TOGETHER: usize = 32;
const AT_ONCE: usize = 8;

/// For how long it is looked for orders that the gateway has twice.
const DOUBLES: i64 = 24 * 60 * 60 * 1000;

/// How often a notice that is about nothing we know is looked at again: it may have overtaken the answer that names
/// its order.
const MOST_LOOKS: u32 = 12;

/// Works until `closing` is told; what is cut off then is taken up by the next process. Notices and books each go
/// their own way: what the gateway tells must not wait for what it is slow to answer.
pub async fn run(cashier: BillingService, closing: Arc<Notify>) {
    let notices = async {
        let mut rounds = Rounds::of("notices");
        loop {
            rounds.next(cashier.told()).await;
            rounds.ended(hear_all(&cashier).await);
        }
    };
    let books = async {
        let mut rounds = Rounds::of("books");
        loop {
            rounds.next(cashier.due()).await;
            rounds.ended(see_to_all(&cashier).await);
        }
    };
    tokio::select! {
        () = notices => {}
        () = books => {}
        () = closing.notified() => {}
    }
}

/// Rounds through the store: when there is news, or else every second.
struct Rounds {
    what: &'static str,
    every: Interval,
    reachable: bool,
}

impl Rounds {
    fn of(what: &'static str) -> Rounds {
        let mut every = interval(ROUND);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Rounds { what, every, reachable: true }
    }

    async fn next(&mut self, news: impl Future<Output = ()>) {
        tokio::select! {
            _ = self.every.tick() => {}
            () = news => {}
        }
    }

    fn ended(&mut self, round: Result<(), StoreError>) {
        // told once, not every second
        if let Err(error) = &round
            && self.reachable
        {
            tracing::warn!(what = self.what, %error, "the store cannot be read");
        }
        self.reachable = round.is_ok();
    }
}

/// Sees to what the gateway told.
async fn hear_all(cashier: &BillingService) -> Result<(), StoreError> {
    loop {
        let now = cashier.now();
        let notices =
            cashier.store().take_due_webhook_events(now, UnixMillis(now.0 + NOTICE_MINE), TOGETHER).await?;
        let taken = notices.len();
        stream::iter(notices)
            .for_each_concurrent(AT_ONCE, async |notice| {
                if let Err(error) = hear(cashier, &notice).await {
                    tracing::warn!(%error, "a notice of the gateway will be seen to later");
                }
            })
            .await;
        if taken < TOGETHER {
            return Ok(());
        }
    }
}

/// Sees to the books that are due.
async fn see_to_all(cashier: &BillingService) -> Result<(), StoreError> {
    let now = cashier.now();
    let due = cashier.store().take_due_subscriptions(now, UnixMillis(now.0 + BOOKS_MINE), TOGETHER).await?;
    stream::iter(due)
        .for_each_concurrent(AT_ONCE, async |account| {
            if let Err(trouble) = see_to(cashier, &account).await {
                tracing::warn!(%account, error = %trouble, "the books of an account will be seen to later");
            }
        })
        .await;
    Ok(())
}

/// Takes in what a notice tells, if it is about an order of ours.
async fn hear(cashier: &BillingService, notice: &WebhookEvent) -> Result<(), StoreError> {
    let Ok(told) = serde_json::from_str::<WebhookPayload>(&notice.text) else {
        return give_up(cashier, notice, "a notice of the gateway cannot be read").await;
    };
    let mut payer = None;
    for name in [&told.reference, &told.subscription].into_iter().flatten() {
        if payer.is_none() {
            payer = cashier.store().account_of_reference(name).await?;
        }
    }
    let Some(account) = payer else {
        if notice.attempts < MOST_LOOKS {
            return Ok(());
        }
        return give_up(cashier, notice, "a notice of the gateway is about no order of ours").await;
    };
    let subscription = cashier.books(&account).await?.0;
    let Some(order) = order_of(&subscription, &told) else {
        return give_up(cashier, notice, "a notice of the gateway is about an order long forgotten").await;
    };
    let is_double = matches!((&told.subscription, &order.gateway_id), (Some(of), Some(own)) if of != own);
    // the end of a double is not the end of the order, and its charges are shown to nobody
    if is_double && !told.what.is_of_money() {
        cashier.store().finish_webhook_event(&notice.id, cashier.now()).await?;
        cashier.metrics().settled.inc();
        return Ok(());
    }
    let event = match told.what {
        WebhookUpdate::Closed => Event::Closed { order: order.id.clone() },
        WebhookUpdate::Charge { id, cents, news, pay_url, due_date } => {
            if cents < u64::from(order.cents) {
                tracing::warn!(%account, order = %order.id, "a charge is told of that is less than the price");
            }
            let (order, at) = (order.id.clone(), notice.at);
            Event::Told(ChargeEvent { order, charge: id, cents, news, pay_url, due_date, at })
        }
    };
    cashier.enter(&account, &event, Some(&notice.id)).await.map(drop)
}

/// Puts away a notice that nothing can be made of, for the operator to hear of: money may have come with it.
async fn give_up(
    cashier: &BillingService,
    notice: &WebhookEvent,
    why: &'static str,
) -> Result<(), StoreError> {
    cashier.store().finish_webhook_event(&notice.id, cashier.now()).await?;
    tracing::warn!(notice = notice.id, "{why}");
    cashier.metrics().settled.inc();
    cashier.metrics().unmatched.inc();
    Ok(())
}

/// The order that a notice is about.
fn order_of<'a>(subscription: &'a Subscription, told: &WebhookPayload) -> Option<&'a Order> {
    let by_reference = told
        .reference
        .as_deref()
        .and_then(|reference| subscription.orders.iter().find(|order| order.id.as_str() == reference));
    by_reference.or_else(|| subscription.order_of_gateway(told.subscription.as_deref()?))
}

/// Asks the gateway what it knows of an account's orders, ends those that are to be ended, and lets time pass.
async fn see_to(cashier: &BillingService, account: &AccountId) -> Result<(), BillingError> {
    let subscription = cashier.books(account).await?.0;
    let mut seen = Ok(());
    for order in subscription.watched() {
        let outcome = match cashier.gateway() {
            Some(gateway) => see_to_order(cashier, gateway, account, order).await,
            None => forget(cashier, account, order).await,
        };
        if let Err(trouble) = &outcome {
            trouble.count(cashier.metrics());
        }
        // the others are seen to all the same
        seen = seen.and(outcome);
    }
    let ended = subscription.serving.and_then(|_| subscription.coverage()).map(|known| known.ends_at());
    // a plan does not end because the gateway is away for an hour; nor does it go on because that is away for good
    if seen.is_err() && ended.is_none_or(|ended| cashier.now().0 < ended.0 + PATIENCE) {
        return seen;
    }
    cashier.enter(account, &Event::Passed, None).await?;
    Ok(())
}

/// Without a gateway there is nobody to end an order with.
async fn forget(cashier: &BillingService, account: &AccountId, order: &Order) -> Result<(), BillingError> {
    if order.renewal == Renewal::Ending {
        tracing::warn!(%account, order = %order.id, "an order ends, and there is no gateway to tell");
        cashier.enter(account, &Event::Closed { order: order.id.clone() }, None).await?;
    }
    Ok(())
}

async fn see_to_order(
    cashier: &BillingService,
    gateway: &Gateway,
    account: &AccountId,
    order: &Order,
) -> Result<(), BillingError> {
    let now = cashier.now();
    if order.can_be_found_from() > now {
        return Ok(());
    }
    // an order asked for twice, because the first time came to nothing for all one could see, may be there twice
    let may_be_double = now.0 - order.placed_at.0 < DOUBLES;
    let found = match &order.gateway_id {
        Some(name) if !may_be_double => vec![name.clone()],
        _ => gateway.find(&order.id).await?,
    };
    let mut own = order.gateway_id.clone();
    if let (None, Some(name)) = (&own, found.first()) {
        let event = Event::Opened { order: order.id.clone(), gateway_id: name.clone() };
        let after = cashier.enter(account, &event, None).await?;
        // a checkout may have been faster, with another of them: the page that it shows is the one that stays
        own = after.order(&order.id).and_then(|order| order.gateway_id.clone());
    }
    let doubles = found.iter().filter(|name| own.as_ref() != Some(*name));
    for name in own.iter().chain(doubles) {
        let is_double = own.as_ref() != Some(name);
        // of a double only what was paid counts: nobody is to be shown its charges
        let counts = |charged: &ReportedCharge| !is_double || charged.news == ChargeChange::Paid;
        let charges = gateway.charges(order, name).await?;
        cashier.note(account, order, charges.into_iter().filter(counts).collect()).await?;
        if is_double || order.renewal == Renewal::Ending {
            gateway.end(name).await?;
            // once more: it may have been paid while it was being ended, and is not looked at again
            let charges = gateway.charges(order, name).await?;
            cashier
                .note(
                    account,
                    order,
                    charges.into_iter().filter(|last| last.news == ChargeChange::Paid).collect(),
                )
                .await?;
        }
    }
    if order.renewal == Renewal::Ending {
        cashier.enter(account, &Event::Closed { order: order.id.clone() }, None).await?;
    }
    Ok(())
}
