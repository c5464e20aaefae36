//! The billing worker: processes stored webhooks, and polls the gateway for accounts that are due.
//!
//! It keeps no state: webhooks and due accounts come from the store, each reserved for a while so that no two processes
//! handle it at once, and come again when their process dies. Handling one twice changes nothing. Polling makes up for
//! webhooks that were lost. So [`run`] can be called again after a panic.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use prometheus_client::metrics::counter::Counter;
use tokio::sync::Notify;

use super::service::{BillingError, BillingService};
use super::step::{Event, step};
use super::subscription::Subscription;
use crate::domain::account::AccountId;
use crate::domain::clock::UnixMillis;
use crate::domain::order::{ChargeChange, ChargeEvent, Order, Renewal, ReportedCharge};
use crate::gateway::webhook::{WebhookPayload, WebhookUpdate};
use crate::gateway::{Gateway, GatewayError};
use crate::outage::Outage;
use crate::store::{StoreError, TakeDue, WebhookEvent};
use crate::supervise::ticks;

/// How often the store is read when nothing wakes the worker.
const ROUND: Duration = Duration::from_secs(1);

/// For how long an account is reserved, a slow gateway included; and a webhook, which needs only the store.
const ACCOUNT_RESERVED: Duration = Duration::from_secs(90);
const WEBHOOK_RESERVED: Duration = Duration::from_secs(10);

/// How long a plan stays active after its end while the gateway cannot say whether it was paid.
const MAX_OUTAGE: Duration = Duration::from_hours(24);

/// How many webhooks or accounts are reserved together, and how many are handled at once.
const BATCH: usize = 32;
const CONCURRENCY: usize = 8;

/// How often the clock of the gateway is read while it shows another time.
const CLOCK_READ: Duration = Duration::from_secs(60);

/// For how long an order is checked for a second subscription at the gateway.
const DUPLICATE_CHECK: Duration = Duration::from_hours(24);

/// How often a webhook about an unknown order is tried: it may come before the answer that names the order.
const MAX_ATTEMPTS: u32 = 12;

/// Works until `closing` is notified. Webhooks and accounts are handled apart, so that a slow gateway delays no
/// webhook.
pub async fn run(billing: BillingService, closing: Arc<Notify>) {
    let metrics = billing.metrics();
    let stored = || billing.webhook_stored();
    let outages = billing.outages();
    let (completed, outage) = (&metrics.webhook_rounds, &outages.webhook_queue);
    let webhooks = rounds(outage, completed, stored, || process_webhooks(&billing));
    let due = || billing.account_due();
    let (completed, outage) = (&metrics.account_rounds, &outages.account_queue);
    let accounts = rounds(outage, completed, due, || poll_accounts(&billing));
    tokio::select! {
        () = webhooks => {}
        () = accounts => {}
        () = closing.notified() => {}
    }
}

/// Works on a queue of the store for ever: when something wakes it, or else every second.
async fn rounds<Wake: Future<Output = ()>, Work: Future<Output = Result<(), StoreError>>>(
    outage: &Outage,
    completed: &Counter,
    wake: impl Fn() -> Wake,
    work: impl Fn() -> Work,
) {
    let mut rounds = ticks(ROUND);
    loop {
        tokio::select! {
            _ = rounds.tick() => {}
            () = wake() => {}
        }
        let outcome = work().await;
        outage.record(&outcome);
        if outcome.is_ok() {
            completed.inc();
        }
    }
}

async fn process_webhooks(billing: &BillingService) -> Result<(), StoreError> {
    let outage = &billing.outages().webhooks;
    loop {
        let now = billing.now();
        let take = TakeDue { now, retry_at: now.after(WEBHOOK_RESERVED), max: BATCH };
        let webhooks = billing.store().take_due_webhook_events(take).await?;
        let count = webhooks.len();
        stream::iter(webhooks)
            .for_each_concurrent(CONCURRENCY, async |webhook| {
                let outcome = process_webhook(billing, &webhook).await;
                outage.record_of(&webhook.id, &outcome);
            })
            .await;
        if count < BATCH {
            return Ok(());
        }
    }
}

async fn poll_accounts(billing: &BillingService) -> Result<(), StoreError> {
    let outage = &billing.outages().accounts;
    let now = billing.now();
    // a clock that was set forward makes all accounts due at once: some tell whether it is still wrong
    let clock = billing.gateway().and_then(Gateway::clock);
    if billing.check_clock().is_err() && clock.is_some_and(|clock| clock.age() < CLOCK_READ) {
        return Ok(());
    }
    let take = TakeDue { now, retry_at: now.after(ACCOUNT_RESERVED), max: BATCH };
    let due = billing.store().take_due_subscriptions(take).await?;
    stream::iter(due)
        .for_each_concurrent(CONCURRENCY, async |account| {
            let outcome = poll_account(billing, &account).await;
            outage.record_of(&account, &outcome);
        })
        .await;
    Ok(())
}

/// Applies a webhook, if it is about an order of ours.
async fn process_webhook(billing: &BillingService, webhook: &WebhookEvent) -> Result<(), StoreError> {
    let Ok(payload) = serde_json::from_str::<WebhookPayload>(&webhook.text) else {
        return discard(billing, webhook, "a stored webhook cannot be parsed").await;
    };
    let Some(account) = account_of(billing, &payload).await? else {
        if webhook.attempts < MAX_ATTEMPTS {
            return Ok(());
        }
        return discard(billing, webhook, "a webhook is about no order of ours").await;
    };
    let subscription = billing.subscription(&account).await?;
    let Some(order) = order_of(&subscription, &payload) else {
        return discard(billing, webhook, "a webhook is about an order that is no longer kept").await;
    };
    let is_duplicate =
        matches!((&payload.subscription, &order.gateway_id), (Some(of), Some(own)) if of != own);
    // the end of a duplicate is not the end of the order, and its unpaid charges are shown to nobody
    if is_duplicate && !payload.update.moves_money() {
        return settle(billing, webhook).await;
    }
    let event = match payload.update {
        WebhookUpdate::Canceled => Event::Closed { order: order.id.clone() },
        WebhookUpdate::Charge(charge) => {
            if charge.change == ChargeChange::Paid && charge.cents < u64::from(order.cents) {
                return discard(billing, webhook, "a payment below the price of its order credits nothing")
                    .await;
            }
            Event::Charge(ChargeEvent { order: order.id.clone(), charge, at: webhook.at })
        }
    };
    billing.apply(&account, &event, Some(&webhook.id)).await.map(drop)
}

async fn settle(billing: &BillingService, webhook: &WebhookEvent) -> Result<(), StoreError> {
    billing.store().finish_webhook_event(&webhook.id, billing.now()).await?;
    billing.metrics().settled.inc();
    Ok(())
}

/// Settles a webhook that credits nothing. The operator has to know: money may have come with it.
async fn discard(
    billing: &BillingService,
    webhook: &WebhookEvent,
    reason: &'static str,
) -> Result<(), StoreError> {
    settle(billing, webhook).await?;
    tracing::warn!(webhook = webhook.id, "{reason}");
    billing.metrics().unmatched.inc();
    Ok(())
}

/// The account that a webhook is about.
async fn account_of(
    billing: &BillingService,
    payload: &WebhookPayload,
) -> Result<Option<AccountId>, StoreError> {
    for id in [&payload.reference, &payload.subscription].into_iter().flatten() {
        if let Some(account) = billing.store().account_of_reference(id).await? {
            return Ok(Some(account));
        }
    }
    Ok(None)
}

/// The order that a webhook is about.
fn order_of<'a>(subscription: &'a Subscription, payload: &WebhookPayload) -> Option<&'a Order> {
    let reference = payload.reference.as_deref();
    let by_reference = subscription.orders.iter().find(|order| Some(order.id.as_str()) == reference);
    by_reference.or_else(|| subscription.order_by_gateway_id(payload.subscription.as_deref()?))
}

/// Ends all orders of an account by this event, at the gateway too; an error when the gateway does not confirm it.
pub async fn end_charges(
    billing: &BillingService,
    account: &AccountId,
    by: &Event,
) -> Result<(), EndChargesError> {
    if !billing.can_cancel(&billing.subscription(account).await?) {
        return Err(EndChargesError::OtherGateway);
    }
    billing.apply(account, by, None).await?;
    match poll_account(billing, account).await {
        // that ends nothing by time, and the gateway has been asked
        Ok(()) | Err(BillingError::Gateway(GatewayError::OtherTime(_))) => {}
        Err(error) => return Err(error.into()),
    }
    match billing.is_charging(account).await? {
        true => Err(EndChargesError::NotConfirmed),
        false => Ok(()),
    }
}

/// Why the charges of an account were not ended.
#[derive(Debug, thiserror::Error)]
pub enum EndChargesError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The gateway failed.
    #[error("the payment gateway did not answer as expected: {0}")]
    Gateway(#[from] GatewayError),
    /// The subscription is at a gateway that this process does not use.
    #[error(
        "the account has a subscription at another payment gateway than the setting payments names: run the command with \
         the settings of the server"
    )]
    OtherGateway,
    /// The gateway did not confirm it.
    #[error("the payment gateway has not confirmed the end of a subscription: try again in a minute")]
    NotConfirmed,
}

impl From<BillingError> for EndChargesError {
    fn from(error: BillingError) -> EndChargesError {
        match error {
            BillingError::Gateway(error) => error.into(),
            BillingError::Store(error) => error.into(),
        }
    }
}

/// Polls the orders of an account, cancels those that have to end, and lets time pass.
pub async fn poll_account(billing: &BillingService, account: &AccountId) -> Result<(), BillingError> {
    let subscription = billing.subscription(account).await?;
    let (mut outcome, mut is_polled) = (Ok(()), false);
    for order in subscription.polled_orders(billing.now()) {
        is_polled = true;
        let polled = match billing.gateway() {
            // closed here it would be forgotten, and charge for ever
            gateway if order.renewal == Renewal::Ending && !Gateway::can_cancel(gateway, order) => {
                Err(GatewayError::OtherGateway.into())
            }
            Some(gateway) => poll_order(billing, gateway, account, order).await,
            None => close_without_gateway(billing, account, order).await,
        };
        if let Err(error) = &polled {
            error.count(billing.metrics());
        }
        // a failure of one order does not keep the others waiting
        outcome = outcome.and(polled);
    }
    if let (Ok(()), Some(gateway)) = (&outcome, billing.gateway()) {
        outcome = move_renewal(billing, gateway, account).await;
        if let Err(error) = &outcome {
            error.count(billing.metrics());
        }
    }
    // a wrong clock would end paid plans, and is perhaps why the gateway cannot be reached: certificates have an end
    if is_polled {
        billing.check_clock()?;
    }
    // since this process started, no answer of a gateway has shown the time: the clock may be why none came
    let knows_time =
        billing.gateway().is_none_or(|gateway| !gateway.shows_time() || gateway.clock().is_some());
    if outcome.is_err() && !ends_without_gateway(&subscription, billing.now(), knows_time) {
        return outcome;
    }
    billing.apply(account, &Event::TimePassed, None).await?;
    Ok(())
}

/// Whether time ends something of a subscription whose charges cannot be read. A short outage of the gateway ends no
/// paid plan, and a long one does not prolong it where the time is known; a grant does not depend on the gateway.
fn ends_without_gateway(subscription: &Subscription, now: UnixMillis, knows_time: bool) -> bool {
    let paid = subscription.active_plan.and_then(|_| subscription.paid_time()).map(|known| known.ends_at());
    let is_long_over = knows_time && paid.is_some_and(|ends_at| now >= ends_at.after(MAX_OUTAGE));
    let may_be_paid = paid.is_some_and(|ends_at| now >= ends_at) && !is_long_over;
    let grant_changes = subscription.grant.is_some_and(|grant| grant.changes_at(now));
    // to store what is unchanged would only make the account due again at once
    (is_long_over || grant_changes)
        && !may_be_paid
        && step(subscription, &Event::TimePassed, now).0 != *subscription
}

/// Has the gateway charge next when the paid time ends, where a change of plan has left more time than a month. It may
/// be repeated at any point.
async fn move_renewal(
    billing: &BillingService,
    gateway: &Gateway,
    account: &AccountId,
) -> Result<(), BillingError> {
    let (subscription, now) = (billing.subscription(account).await?, billing.now());
    let Some(paid) = subscription.paid_time_at(now) else { return Ok(()) };
    let order = paid.order;
    let (Some(to), Some(subscription_id)) = (paid.renewal_to_move(now), &order.gateway_id) else {
        return Ok(());
    };
    if !gateway.knows(subscription_id) {
        return Ok(());
    }
    // by a wrong clock the day is a wrong one
    billing.check_clock()?;
    let mut outcome = Ok(());
    // first, as nobody has to pay them, whatever becomes of the rest
    for (charge_id, _) in order.waiting().filter(|(_, charge)| !paid.needs(charge)) {
        let report = ReportedCharge {
            id: charge_id.to_owned(),
            cents: order.cents.into(),
            change: ChargeChange::Deleted,
            pay_url: None,
            due_date: None,
        };
        match gateway.delete_charge(charge_id).await {
            Ok(()) => drop(billing.apply_reports(account, order, [report]).await?),
            Err(error) => outcome = Err(error),
        }
    }
    match gateway.move_renewal(subscription_id, to).await {
        // to repeat it would not help, and would hold up what time does to this account
        Err(GatewayError::Refused(status)) => tracing::error!(
            %account, order = %order.id, day = %to, status,
            "Asaas refuses to move the next charge: set the next due date of the subscription there by hand"
        ),
        moved => moved?,
    }
    outcome?;
    billing.apply(account, &Event::RenewalMoved { order: order.id.clone(), to }, None).await?;
    tracing::info!(%account, order = %order.id, day = %to, "the next charge was moved to the end of the paid time");
    Ok(())
}

async fn close_without_gateway(
    billing: &BillingService,
    account: &AccountId,
    order: &Order,
) -> Result<(), BillingError> {
    if order.renewal == Renewal::Ending {
        tracing::warn!(%account, order = %order.id, "an order ends, and there is no gateway to cancel it at");
        billing.apply(account, &Event::Closed { order: order.id.clone() }, None).await?;
    }
    Ok(())
}

async fn poll_order(
    billing: &BillingService,
    gateway: &Gateway,
    account: &AccountId,
    order: &Order,
) -> Result<(), BillingError> {
    let now = billing.now();
    if order.searchable_from() > now {
        return Ok(());
    }
    // a request that timed out may have created a second subscription later
    let found = match &order.gateway_id {
        Some(id) if now >= order.placed_at.after(DUPLICATE_CHECK) => vec![id.clone()],
        _ => gateway.find_subscriptions(&order.id).await?,
    };
    let mut own = order.gateway_id.clone();
    if let (None, Some(id)) = (&own, found.first()) {
        let event = Event::Created { order: order.id.clone(), gateway_id: id.clone() };
        let subscription = billing.apply(account, &event, None).await?;
        // a checkout may have stored another one first: the customer was shown its page
        own = subscription.order(&order.id).and_then(|order| order.gateway_id.clone());
    }
    let is_paid = |charge: &ReportedCharge| charge.change == ChargeChange::Paid;
    let duplicates = found.iter().filter(|id| own.as_ref() != Some(*id));
    for id in own.iter().chain(duplicates) {
        let is_duplicate = own.as_ref() != Some(id);
        let mut charges = gateway.list_charges(order, id).await?;
        // of a duplicate only payments count: its other charges are shown to nobody
        charges.retain(|charge| !is_duplicate || is_paid(charge));
        billing.apply_reports(account, order, charges).await?;
        if is_duplicate || order.renewal == Renewal::Ending {
            gateway.cancel_subscription(id).await?;
            // it may have been paid while it was being canceled, and is not polled again
            let charges = gateway.list_charges(order, id).await?;
            billing.apply_reports(account, order, charges.into_iter().filter(is_paid)).await?;
        }
    }
    if order.renewal == Renewal::Ending {
        billing.apply(account, &Event::Closed { order: order.id.clone() }, None).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::subscription::PlanGrant;
    use super::*;
    use crate::domain::plan::Plan;

    #[test]
    fn a_grant_ends_on_its_day_though_the_gateway_fails_and_nothing_is_stored_for_nothing() {
        let granted = |until: i64, active_plan: Option<Plan>| Subscription {
            active_plan,
            grant: Some(PlanGrant::new(Plan::Pro, UnixMillis(until))),
            ..Subscription::default()
        };
        assert!(!ends_without_gateway(&granted(5, Some(Plan::Pro)), UnixMillis(4), true));
        assert!(ends_without_gateway(&granted(5, Some(Plan::Pro)), UnixMillis(5), true));
        assert!(
            !ends_without_gateway(&Subscription::default(), UnixMillis(5), true),
            "nothing is there to end"
        );
    }
}
