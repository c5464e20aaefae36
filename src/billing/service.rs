//! The billing service: status, cancellation, webhooks, and storing what changes. Checkout is in [`super::checkout`].
//!
//! Every change is one [`step`] of the stored subscription, written only over the version it was computed from. An
//! order is stored before the gateway hears of it, and so is the fact that somebody is creating it there: after a crash
//! the next request or the worker finds the order and goes on.

use std::collections::BTreeSet;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tokio::sync::Notify;

use super::step::{Event, step};
use super::subscription::{MAX_APART, PlanGrant, Subscription, SubscriptionStatus};
use crate::config::{Config, Secret};
use crate::domain::account::{AccountId, MailId, OrderId};
use crate::domain::base62::NoRandomness;
use crate::domain::clock::{Clock, DAY, Moment, UnixMillis};
use crate::domain::error::ApiError;
use crate::domain::mail::MailKind;
use crate::domain::order::{ChargeEvent, Method, Order, Renewal, ReportedCharge};
use crate::domain::plan::{Plan, Plans};
use crate::gateway::webhook::{self, ParsedWebhook};
use crate::gateway::{Gateway, GatewayError};
use crate::mail::Mailer;
use crate::metrics::BillingMetrics;
use crate::outage::Outage;
use crate::store::{BillingStore, StoreError, SubscriptionUpdate, WebhookEvent};

/// How often a change is computed again because another process stored one first.
pub(super) const MAX_CONFLICTS: usize = 20;

/// The billing service. Clones share its state.
#[derive(Debug, Clone)]
pub struct BillingService(Arc<BillingState>);

#[derive(Debug)]
struct BillingState {
    outages: Outages,
    gateway: Option<Gateway>,
    store: Arc<dyn BillingStore>,
    clock: Clock,
    plans: Plans,
    mailer: Mailer,
    webhook_token: Secret,
    metrics: BillingMetrics,
    webhook_stored: Notify,
    account_due: Notify,
}

/// The billing status of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillingStatus {
    /// The status in one word.
    pub status: SubscriptionStatus,
    /// The paid plan, or the ordered one.
    pub plan: Option<Plan>,
    /// The payment method.
    pub method: Option<Method>,
    /// The end of the paid time.
    pub paid_until: Option<UnixMillis>,
    /// Whether the plan renews.
    pub auto_renew: bool,
    /// The page to pay the next charge on.
    pub pay_url: Option<String>,
    /// The plan that is paid there: that of a newer order, after another plan was canceled.
    pub pay_url_plan: Option<Plan>,
}

/// The outcome of a cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancellation {
    /// Whether it is canceled now; false without a confirmation.
    pub canceled: bool,
    /// Whether it was canceled before, so that there is nothing to confirm.
    pub was_canceled: bool,
    /// Whether there is no paid plan, only an order that waits for its payment.
    pub is_order: bool,
    /// When the plan ends; now, where there is none.
    pub ends_at: UnixMillis,
}

/// A stored subscription, and changes to it that are stored only if no other process changes it meanwhile.
pub(super) struct Draft {
    version: u32,
    before: Subscription,
    pub(super) after: Subscription,
    mails: Vec<MailKind>,
}

impl Draft {
    pub(super) fn step(&mut self, event: &Event, now: UnixMillis) {
        let (after, mails) = step(&self.after, event, now);
        self.after = after;
        self.mails.extend(mails);
    }

    pub(super) fn is_changed(&self) -> bool {
        self.after != self.before
    }

    /// When the worker has to look at it: at once, if a payment left more time than the gateway knows of.
    fn due_at(&self, now: UnixMillis) -> Option<UnixMillis> {
        match self.count(MailKind::Paid) > 0 && self.after.moves_renewal(now) {
            true => Some(now),
            false => self.after.due_at(now),
        }
    }

    /// The plan to put the account on, if it changes.
    fn plan_change(&self) -> Option<Plan> {
        match (self.before.active_plan, self.after.active_plan) {
            // a payment counts, whatever plan an operator set meanwhile
            (was, is @ Some(_)) if was != is || self.count(MailKind::Paid) > 0 => is,
            (Some(_), None) => Some(Plan::Free),
            _ => None,
        }
    }

    fn count(&self, kind: MailKind) -> u64 {
        self.mails.iter().map(|mail| u64::from(*mail == kind)).sum()
    }

    fn new_partial_refunds(&self) -> u64 {
        let count = |subscription: &Subscription| -> u64 {
            let charges = subscription.orders.iter().flat_map(|order| order.charges.values());
            charges.map(|charge| u64::from(charge.is_partly_refunded)).sum()
        };
        count(&self.after).saturating_sub(count(&self.before))
    }
}

impl BillingService {
    /// A billing service. Without a gateway it only answers statuses and cancels.
    pub fn new(
        config: &Config,
        gateway: Option<Gateway>,
        store: Arc<dyn BillingStore>,
        clock: Clock,
        mailer: Mailer,
        metrics: BillingMetrics,
    ) -> BillingService {
        BillingService(Arc::new(BillingState {
            outages: Outages::default(),
            gateway,
            store,
            clock,
            plans: config.plans.clone(),
            mailer,
            webhook_token: config.asaas.webhook_token.clone(),
            metrics,
            webhook_stored: Notify::new(),
            account_due: Notify::new(),
        }))
    }

    /// Waits until this process stores a webhook.
    pub(super) async fn webhook_stored(&self) {
        self.0.webhook_stored.notified().await;
    }

    /// Waits until this process stores a subscription that is due at once.
    pub(super) async fn account_due(&self) {
        self.0.account_due.notified().await;
    }

    pub(super) fn outages(&self) -> &Outages {
        &self.0.outages
    }

    pub(super) fn metrics(&self) -> &BillingMetrics {
        &self.0.metrics
    }

    /// The gateway, if there is one.
    pub fn gateway(&self) -> Option<&Gateway> {
        self.0.gateway.as_ref()
    }

    pub(super) fn mailer(&self) -> &Mailer {
        &self.0.mailer
    }

    pub(super) fn store(&self) -> &dyn BillingStore {
        &*self.0.store
    }

    pub(super) fn plans(&self) -> &Plans {
        &self.0.plans
    }

    pub(super) fn now(&self) -> UnixMillis {
        self.0.clock.now()
    }

    /// Whether this clock is that of the gateway, as far as that is known. An error is logged as an outage.
    pub(super) fn check_clock(&self) -> Result<(), GatewayError> {
        let apart = self.gateway().and_then(Gateway::clock).map_or(0, |clock| clock.apart_from(self.now()));
        let outcome = match apart > MAX_APART {
            true => Err(GatewayError::OtherTime(apart.unsigned_abs() / 60_000)),
            false => Ok(()),
        };
        self.outages().clock.record(&outcome);
        outcome
    }

    pub(super) fn moment(&self) -> Moment {
        self.0.clock.moment()
    }

    /// The billing status of an account.
    pub async fn status(&self, account: &AccountId) -> Result<BillingStatus, ApiError> {
        let (subscription, now) = (self.subscription(account).await?, self.now());
        let status = subscription.status(now);
        let paid = subscription.paid_time_at(now);
        let open = subscription.open_order();
        let order = paid.map(|known| known.order).or(open);
        let overdue = order.filter(|_| status == SubscriptionStatus::PastDue);
        let to_pay =
            [overdue, open].into_iter().flatten().find_map(|order| Some((order.pay_url()?, order.plan)));
        Ok(BillingStatus {
            status,
            plan: order.map(|order| order.plan),
            method: order.map(|order| order.method),
            paid_until: paid.map(|known| known.paid_until),
            auto_renew: paid.is_some_and(|known| known.order.renewal == Renewal::On),
            pay_url: to_pay.map(|(url, _)| url.to_owned()),
            pay_url_plan: to_pay.map(|(_, plan)| plan),
        })
    }

    /// The orders of an account with their charges, oldest first.
    pub async fn orders(&self, account: &AccountId) -> Result<Vec<Order>, ApiError> {
        Ok(self.subscription(account).await?.orders)
    }

    /// Cancels the renewal and withdraws an order that waits for its payment, if that is confirmed; a paid plan stays
    /// until the end of its time.
    pub async fn cancel(&self, account: &AccountId, confirmed: bool) -> Result<Cancellation, ApiError> {
        let (mut subscription, now) = (self.subscription(account).await?, self.now());
        if subscription.paid_time_at(now).is_none() && subscription.open_order().is_none() {
            return Err(ApiError::NothingToCancel);
        }
        self.check_can_cancel(account, &subscription)?;
        // a newer order that waits for its payment is canceled too
        let was_canceled = subscription.orders.iter().all(|order| order.renewal != Renewal::On);
        if confirmed {
            // something may have been paid meanwhile
            subscription = self.apply(account, &Event::Canceled, None).await?;
        }
        let paid = subscription.paid_time_at(now);
        let ends_at = paid.map_or(now, |paid| paid.paid_until.max(now));
        Ok(Cancellation { canceled: confirmed, was_canceled, is_order: paid.is_none(), ends_at })
    }

    /// Withdraws the order that waits for its first payment, and nothing else; false if none does, as when it was paid
    /// meanwhile.
    pub async fn withdraw(&self, account: &AccountId) -> Result<bool, ApiError> {
        let before = self.subscription(account).await?;
        let Some(order) = before.open_order() else { return Ok(false) };
        self.check_can_cancel(account, &before)?;
        let after = self.apply(account, &Event::Withdrawn, None).await?;
        Ok(after.order(&order.id).is_none_or(|order| order.renewal != Renewal::On))
    }

    /// How many days of each other paid plan the paid time of an account is worth now.
    pub async fn worth_in_days(&self, account: &AccountId) -> Result<Vec<(Plan, i64)>, ApiError> {
        let (subscription, now) = (self.subscription(account).await?, self.now());
        let Some(paid) = subscription.paid_time_at(now) else { return Ok(Vec::new()) };
        let others = Plan::ALL.into_iter().filter(|plan| *plan != Plan::Free && *plan != paid.order.plan);
        let worth = |plan| paid.worth_at(now, self.plans().row(plan).figures.price_cents) / DAY;
        Ok(others.map(|plan| (plan, worth(plan))).collect())
    }

    /// Gives an account a plan until a moment, beside what it pays for.
    pub async fn grant(&self, account: &AccountId, grant: PlanGrant) -> Result<(), StoreError> {
        self.apply(account, &Event::Granted(grant), None).await.map(drop)
    }

    /// The plan that an account was given, if any.
    pub async fn grant_of(&self, account: &AccountId) -> Result<Option<PlanGrant>, StoreError> {
        Ok(self.subscription(account).await?.granted())
    }

    /// When the time that an account has paid for ends, the days of grace included.
    pub async fn paid_until(&self, account: &AccountId) -> Result<Option<UnixMillis>, StoreError> {
        let subscription = self.subscription(account).await?;
        Ok(subscription.paid_time_at(self.now()).map(|paid| paid.ends_at()))
    }

    fn check_can_cancel(&self, account: &AccountId, subscription: &Subscription) -> Result<(), ApiError> {
        if self.can_cancel(subscription) {
            return Ok(());
        }
        self.outages().elsewhere.failed(&format!("{account}: {}", GatewayError::OtherGateway));
        Err(ApiError::GatewayUnavailable)
    }

    /// Whether all that may go on charging can be canceled at the gateway that this process uses.
    pub(super) fn can_cancel(&self, subscription: &Subscription) -> bool {
        let mut charging = subscription.orders.iter().filter(|order| order.renewal != Renewal::Ended);
        charging.all(|order| Gateway::can_cancel(self.gateway(), order))
    }

    /// Whether the gateway goes on charging an account, or may do so.
    pub async fn is_charging(&self, account: &AccountId) -> Result<bool, StoreError> {
        Ok(self.subscription(account).await?.is_charging())
    }

    /// Has the gateway refund a charge of an account: the one named, or the one paid last. Returns its id; the month
    /// that it paid for ends when the gateway reports the refund.
    pub async fn refund(&self, account: &AccountId, charge: Option<&str>) -> Result<String, RefundError> {
        let subscription = self.subscription(account).await?;
        let charges = subscription.orders.iter().flat_map(|order| {
            order.charges.iter().filter_map(move |(id, charge)| Some((charge.credited_from()?, id, order)))
        });
        let wanted = charges.filter(|(_, id, _)| charge.is_none_or(|charge| charge == *id));
        let (_, id, order) = wanted.max_by_key(|(at, _, _)| *at).ok_or(RefundError::NothingPaid)?;
        let gateway = self.gateway().ok_or(RefundError::NoGateway)?;
        if let Some(report) = gateway.refund_charge(order, id).await? {
            let report = report.to_string();
            self.store_webhook(report.as_bytes()).await.map_err(|_| RefundError::NotReported)?;
        }
        Ok(id.clone())
    }

    /// Stores a webhook if its token is the gateway's. The worker processes it, so that the sender need not wait.
    pub async fn receive_webhook(&self, token: Option<&[u8]>, body: &[u8]) -> Result<(), ApiError> {
        let known = self.0.webhook_token.reveal().as_bytes();
        let hash = |text: &[u8]| Sha256::digest(text);
        // hashes have one length, so that the time taken does not even tell the length of the token
        let is_same: bool = hash(token.unwrap_or_default()).as_slice().ct_eq(hash(known).as_slice()).into();
        if known.is_empty() || !is_same {
            return Err(ApiError::WrongToken);
        }
        self.store_webhook(body).await
    }

    /// Stores a webhook of an authenticated sender.
    pub async fn store_webhook(&self, body: &[u8]) -> Result<(), ApiError> {
        // sending it again would not help, so it is answered like any other
        let (id, payload) = match webhook::parse(body) {
            ParsedWebhook::Relevant { id, payload } => (id, payload),
            ParsedWebhook::Irrelevant => return Ok(()),
            ParsedWebhook::Unknown(why) => {
                tracing::warn!(why, "a webhook of the gateway is not understood; look it up there");
                self.0.metrics.unmatched.inc();
                return Ok(());
            }
        };
        let text = serde_json::to_string(&payload).map_err(|_| ApiError::Internal)?;
        if self.0.store.save_webhook_event(WebhookEvent { id, text, at: self.now(), attempts: 0 }).await? {
            self.0.metrics.webhooks.inc();
        }
        self.0.webhook_stored.notify_one();
        Ok(())
    }

    /// An order by its id, for the sandbox's page.
    pub async fn order(&self, id: &OrderId) -> Result<Option<Order>, ApiError> {
        let Some(account) = self.0.store.account_of_reference(id.as_str()).await? else { return Ok(None) };
        Ok(self.subscription(&account).await?.order(id).cloned())
    }

    /// Applies charges as the gateway lists them.
    pub(super) async fn apply_reports(
        &self,
        account: &AccountId,
        order: &Order,
        charges: impl IntoIterator<Item = ReportedCharge>,
    ) -> Result<Subscription, StoreError> {
        let mut subscription = self.subscription(account).await?;
        for charge in charges {
            let event = Event::Charge(ChargeEvent { order: order.id.clone(), charge, at: self.now() });
            // most of what a list says is known
            if step(&subscription, &event, self.now()).0 != subscription {
                subscription = self.apply(account, &event, None).await?;
            }
        }
        Ok(subscription)
    }

    /// The stored subscription of an account.
    pub(super) async fn subscription(&self, account: &AccountId) -> Result<Subscription, StoreError> {
        Ok(self.draft(account).await?.after)
    }

    /// The stored subscription of an account, to be changed.
    pub(super) async fn draft(&self, account: &AccountId) -> Result<Draft, StoreError> {
        let record = self.0.store.subscription_record(account).await?;
        let before = Subscription::parse(&record.text).map_err(failed)?;
        Ok(Draft { version: record.version, after: before.clone(), before, mails: Vec::new() })
    }

    /// Applies an event to an account and stores all that follows from it, the settled webhook included.
    pub(super) async fn apply(
        &self,
        account: &AccountId,
        event: &Event,
        settles: Option<&str>,
    ) -> Result<Subscription, StoreError> {
        for _ in 0..MAX_CONFLICTS {
            let mut draft = self.draft(account).await?;
            draft.step(event, self.now());
            if self.save(account, &draft, settles).await? {
                return Ok(draft.after);
            }
        }
        Err(StoreError::Overloaded)
    }

    /// Stores a draft; false when another process stored a change first.
    pub(super) async fn save(
        &self,
        account: &AccountId,
        draft: &Draft,
        settles: Option<&str>,
    ) -> Result<bool, StoreError> {
        let now = self.now();
        let due_at = draft.due_at(now);
        let (known, kept) = (references(&draft.before), references(&draft.after));
        let only_in = |one: &BTreeSet<&str>, other| one.difference(other).map(ToString::to_string).collect();
        let mails = draft.mails.iter().map(|kind| Ok((MailId::generate()?, *kind)));
        let update = SubscriptionUpdate {
            account: account.clone(),
            version: draft.version,
            text: serde_json::to_string(&draft.after).map_err(failed)?,
            plan: draft.plan_change(),
            references: only_in(&kept, &known),
            dropped_references: only_in(&known, &kept),
            mails: mails.collect::<Result<_, NoRandomness>>().map_err(failed)?,
            due_at,
            finished_event: settles.map(str::to_owned),
            at: now,
        };
        if !self.0.store.save_subscription(update).await? {
            return Ok(false);
        }
        self.count(account, draft, settles.is_some());
        if !draft.mails.is_empty() {
            self.0.mailer.wake();
        }
        if due_at.is_some_and(|due_at| due_at <= now) {
            self.0.account_due.notify_one();
        }
        Ok(true)
    }

    fn count(&self, account: &AccountId, draft: &Draft, is_settled: bool) {
        let metrics = &self.0.metrics;
        if let Some(plan) = draft.plan_change() {
            tracing::info!(%account, %plan, "the plan of an account changed by a payment, a grant or time");
        }
        metrics.payments.inc_by(draft.count(MailKind::Paid));
        metrics.refunds.inc_by(draft.count(MailKind::Refunded));
        metrics.settled.inc_by(is_settled.into());
        let partial_refunds = draft.new_partial_refunds();
        if partial_refunds > 0 {
            tracing::info!(%account, "a payment was partly refunded; its month stays");
            metrics.partial_refunds.inc_by(partial_refunds);
        }
    }
}

/// What the gateway may know the orders of a subscription by.
fn references(subscription: &Subscription) -> BTreeSet<&str> {
    let orders = subscription.orders.iter();
    orders.flat_map(|order| [Some(order.id.as_str()), order.gateway_id.as_deref()]).flatten().collect()
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Failed(Arc::new(error))
}

/// What may fail for long, and is then logged as one thing.
#[derive(Debug)]
pub(super) struct Outages {
    pub(super) webhook_queue: Outage,
    pub(super) account_queue: Outage,
    pub(super) webhooks: Outage,
    pub(super) accounts: Outage,
    pub(super) orders: Outage,
    pub(super) clock: Outage,
    pub(super) elsewhere: Outage,
}

impl Default for Outages {
    fn default() -> Outages {
        Outages {
            webhook_queue: Outage::new("the queue of webhooks cannot be read"),
            account_queue: Outage::new("the accounts to poll cannot be read"),
            webhooks: Outage::new("webhooks cannot be processed"),
            accounts: Outage::new("payments cannot be read from the gateway"),
            orders: Outage::new("orders cannot be created at the gateway"),
            clock: Outage::new("a clock is wrong"),
            elsewhere: Outage::new("a subscription cannot be canceled"),
        }
    }
}

/// Why a charge was not refunded.
#[derive(Debug, thiserror::Error)]
pub enum RefundError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The gateway failed.
    #[error("the payment gateway refused or did not answer: {0}")]
    Gateway(#[from] GatewayError),
    /// There is no such charge, or it was refunded before.
    #[error("the account has no such paid charge")]
    NothingPaid,
    /// No gateway is configured.
    #[error("no payment gateway is configured: see the setting payments")]
    NoGateway,
    /// The sandbox's report was not stored.
    #[error("the sandbox could not report the refund")]
    NotReported,
}

/// Why an operation on both the gateway and the store failed.
#[derive(Debug, thiserror::Error)]
pub enum BillingError {
    /// The gateway failed.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BillingError {
    /// Counts a failure of the gateway.
    pub(super) fn count(&self, metrics: &BillingMetrics) {
        if let BillingError::Gateway(_) = self {
            metrics.gateway_failures.inc();
        }
    }
}

impl From<BillingError> for ApiError {
    fn from(error: BillingError) -> ApiError {
        match error {
            BillingError::Store(error) => error.into(),
            BillingError::Gateway(GatewayError::BadTaxId) => ApiError::BadTaxId,
            BillingError::Gateway(_) => ApiError::GatewayUnavailable,
        }
    }
}
