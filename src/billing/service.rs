//! The cashier: takes orders, tells how an account stands, cancels, and takes in what the gateway tells.
//!
//! An order is in the books before the gateway hears of it, and whoever asks the gateway says so in the books first:
//! one that dies on the way leaves an order that the next request, or the [`super::bookkeeper`], looks up and carries
//! on with. Every change of the books is one step of [`super::billing`], written only over the version it was worked
//! out from. Uses those, [`super::tax`], [`crate::domain::clock`], [`crate::gateway`], [`crate::mail`], [`crate::domain::plan`],
//! [`crate::metrics`], [`crate::domain::error`] and [`crate::store`].

use std::sync::Arc;
use std::time::Duration;

use chrono::{Days, NaiveDate};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

use super::subscription::{Event, Subscription, SubscriptionStatus, step};
use crate::config::{Config, Secret};
use crate::domain::account::{Account, AccountId, MailId, OrderId};
use crate::domain::clock::{Clock, UnixMillis};
use crate::domain::error::ApiError;
use crate::domain::mail::MailKind;
use crate::domain::order::{ChargeEvent, Method, Order, Renewal};
use crate::domain::plan::{Plan, Plans};
use crate::domain::tax::TaxId;
use crate::gateway::{Customer, Gateway, GatewayError, ReportedCharge, read_notice};
use crate::mail::Mailer;
use crate::metrics::BillingMetrics;
use crate::signup::{no_randomness, tidy};
use crate::store::{BillingStore, RateLimit, StoreError, SubscriptionUpdate, WebhookEvent};

/// Orders of one account in a day; to ask for an open one again is no other.
const MOST_CHECKOUTS: u32 = 20;

/// How long the gateway may take for a checkout, all in all: less than a request may.
const CHECKOUT: Duration = Duration::from_secs(15);

/// For how long whoever asks the gateway keeps others from it, should they die of it.
const ASKING: i64 = 20_000;

/// How long the first charge of an order is waited for, and how often it is looked for.
const FIRST_CHARGE: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(400);

/// How often the books are read anew because somebody else has written meanwhile.
const MOST_RACES: usize = 20;

/// Longest name on a bill.
pub const MAX_NAME: usize = 100;
/// Longest idempotency key.
pub const MAX_IDEMPOTENCY_KEY: usize = 200;

/// The cashier. Clones are of the same one.
#[derive(Debug, Clone)]
pub struct BillingService(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    gateway: Option<Gateway>,
    store: Arc<dyn BillingStore>,
    clock: Clock,
    plans: Plans,
    post: Mailer,
    token: Secret,
    metrics: BillingMetrics,
    /// A notice was kept.
    told: Notify,
    /// SubscriptionRecord are due at once.
    due: Notify,
}

/// WebhookUpdate somebody says who wants a plan, as they said it. It has no `Debug`: a tax number must get into no log.
#[derive(Clone, Copy)]
pub struct CheckoutRequest<'a> {
    /// The plan.
    pub plan: Option<&'a str>,
    /// Their tax number.
    pub tax_id: Option<&'a str>,
    /// The name for the bill.
    pub name: Option<&'a str>,
    /// How they want to pay.
    pub method: Option<&'a str>,
    /// The key that this request is known by when it comes again.
    pub idempotency_key: Option<&'a [u8]>,
}

/// An order that can be paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// WebhookUpdate it is called.
    pub id: OrderId,
    /// The plan.
    pub plan: Plan,
    /// How it is paid.
    pub method: Method,
    /// Where it is paid.
    pub pay_url: String,
    /// WebhookUpdate a month of it costs.
    pub cents: u32,
    /// When it is due.
    pub due_date: NaiveDate,
    /// Whether it was paid already: somebody asked again.
    pub is_paid: bool,
}

/// How an account stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillingStatus {
    /// In a word.
    pub status: SubscriptionStatus,
    /// The plan that is paid, or ordered.
    pub plan: Option<Plan>,
    /// How it is paid.
    pub method: Option<Method>,
    /// The end of what is paid.
    pub paid_until: Option<UnixMillis>,
    /// Whether it goes on.
    pub auto_renew: bool,
    /// Where what is to be paid is paid.
    pub pay_url: Option<String>,
}

/// WebhookUpdate came of canceling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancellation {
    /// Whether it is canceled, or the confirmation is missing.
    pub canceled: bool,
    /// When the plan ends.
    pub ends_at: UnixMillis,
}

/// A wish that was looked through.
struct OrderRequest {
    plan: Plan,
    method: Method,
    name: Option<String>,
    tax_id: TaxId,
    key: Option<String>,
}

impl OrderRequest {
    /// Whether an order is for just this: the bill of another payer is another bill.
    fn is_for(&self, order: &Order) -> bool {
        let Order { plan, method, tax_last4, .. } = order;
        (*plan, *method, tax_last4.as_str()) == (self.plan, self.method, self.tax_id.last4())
    }
}

impl BillingService {
    /// Opens the till; without a gateway it only tells how accounts stand.
    pub fn new(
        config: &Config,
        gateway: Option<Gateway>,
        store: Arc<dyn BillingStore>,
        clock: Clock,
        post: Mailer,
        metrics: BillingMetrics,
    ) -> BillingService {
        BillingService(Arc::new(Inner {
            gateway,
            store,
            clock,
            plans: config.plans.clone(),
            post,
            token: config.asaas.webhook_token.clone(),
            metrics,
            told: Notify::new(),
            due: Notify::new(),
        }))
    }

    /// Waits until the gateway may have told something.
    pub(super) async fn told(&self) {
        self.0.told.notified().await;
    }

    /// Waits until books may be due before their time.
    pub(super) async fn due(&self) {
        self.0.due.notified().await;
    }

    pub(super) fn metrics(&self) -> &BillingMetrics {
        &self.0.metrics
    }

    /// The gateway, where there is one.
    pub fn gateway(&self) -> Option<&Gateway> {
        self.0.gateway.as_ref()
    }

    pub(super) fn store(&self) -> &dyn BillingStore {
        &*self.0.store
    }

    pub(super) fn now(&self) -> UnixMillis {
        self.0.clock.now()
    }

    /// Orders a plan, or finds the order that waits to be paid already.
    pub async fn checkout(&self, account: &Account, wish: CheckoutRequest<'_>) -> Result<Checkout, ApiError> {
        let gateway = self.0.gateway.as_ref().ok_or(ApiError::BillingClosed)?;
        let asked = read(wish)?;
        let deadline = Instant::now() + CHECKOUT;
        let mut waited = false;
        let order = loop {
            let (order, is_mine) = self.ordered(account, &asked).await?;
            if order.pay_url().is_some() || order.was_paid() || is_mine {
                break order;
            }
            // another request is at it: its outcome is ours
            if Instant::now() > deadline {
                return Err(ApiError::GatewayUnavailable);
            }
            waited = true;
            sleep(LOOK_EVERY).await;
        };
        if let Some(checkout) = payable(&order) {
            return Ok(checkout);
        }
        let opening = self.opened(gateway, account, &asked, &order, waited);
        let opened = timeout(deadline.saturating_duration_since(Instant::now()), opening).await;
        let opened = opened.unwrap_or(Err(BillingError::Gateway(GatewayError::Unavailable)));
        if let Err(trouble) = &opened {
            trouble.count(&self.0.metrics);
            let event = match trouble {
                // asked for once and refused: the gateway has nothing of it, and another number is another order
                BillingError::Gateway(GatewayError::BadTaxId) if is_first(&order, waited) => {
                    Event::Closed { order: order.id.clone() }
                }
                _ => Event::Asking { order: order.id.clone(), until: self.now() },
            };
            self.enter(&account.id, &event, None).await?;
        }
        let order = opened?;
        payable(&order).ok_or(ApiError::GatewayUnavailable)
    }

    /// How an account stands with its payments.
    pub async fn status(&self, account: &AccountId) -> Result<BillingStatus, ApiError> {
        let (subscription, now) = (self.books(account).await?.0, self.now());
        let status = subscription.status(now);
        let coverage = subscription.coverage().filter(|known| now < known.ends_at());
        let open = subscription.open_order();
        let order = coverage.map(|known| known.order).or(open);
        let overdue = order.filter(|_| status == SubscriptionStatus::PastDue).and_then(Order::pay_url);
        Ok(BillingStatus {
            status,
            plan: order.map(|order| order.plan),
            method: order.map(|order| order.method),
            paid_until: coverage.map(|known| known.paid_until),
            auto_renew: coverage.is_some_and(|known| known.order.renewal == Renewal::On),
            pay_url: overdue.or(open.and_then(Order::pay_url)).map(str::to_owned),
        })
    }

    /// Has nothing more charged, if that is confirmed; the plan stays to the end of what is paid.
    pub async fn cancel(&self, account: &AccountId, confirmed: bool) -> Result<Cancellation, ApiError> {
        let (subscription, now) = (self.books(account).await?.0, self.now());
        let coverage = subscription.coverage().filter(|known| now < known.ends_at());
        let mut ends_at = coverage.ok_or(ApiError::NothingToCancel)?.paid_until;
        if confirmed {
            // a month that was paid meanwhile counts
            let after = self.enter(account, &Event::Canceled, None).await?;
            ends_at = after.coverage().map_or(ends_at, |known| known.paid_until);
        }
        Ok(Cancellation { canceled: confirmed, ends_at: ends_at.max(now) })
    }

    /// Keeps a notice that came with the gateway's token. Nothing is done about it here: whoever sent it waits.
    pub async fn receive_webhook(&self, token: Option<&[u8]>, body: &[u8]) -> Result<(), ApiError> {
        let known = self.0.token.reveal().as_bytes();
        let hash = |text: &[u8]| Sha256::digest(text);
        // hashes are of one length, so that not even the length of the token shows in the time it takes
        let same: bool = hash(token.unwrap_or_default()).as_slice().ct_eq(hash(known).as_slice()).into();
        if known.is_empty() || !same {
            return Err(ApiError::WrongToken);
        }
        self.store_webhook(body).await
    }

    /// Keeps a notice whose sender is known.
    pub async fn store_webhook(&self, body: &[u8]) -> Result<(), ApiError> {
        // what is no notice, or is about nothing of ours, is as well delivered as it will ever be
        let Some((id, Some(told))) = read_notice(body) else { return Ok(()) };
        let text = serde_json::to_string(&told).map_err(|_| ApiError::Internal)?;
        if self.0.store.save_webhook_event(WebhookEvent { id, text, at: self.now(), attempts: 0 }).await? {
            self.0.metrics.webhooks.inc();
        }
        self.0.told.notify_one();
        Ok(())
    }

    /// WebhookUpdate is on the sandbox page of an order: the account's books, and the order in them.
    pub async fn order(&self, id: &OrderId) -> Result<Option<Order>, ApiError> {
        let Some(account) = self.0.store.account_of_reference(id.as_str()).await? else { return Ok(None) };
        Ok(self.books(&account).await?.0.order(id).cloned())
    }

    /// The order for what was asked, written down; and whether the gateway is for this request to ask.
    async fn ordered(&self, account: &Account, asked: &OrderRequest) -> Result<(Order, bool), ApiError> {
        let mut counted = false;
        for _ in 0..MOST_RACES {
            let (subscription, version) = self.books(&account.id).await?;
            let now = self.0.clock.moment();
            let known = asked.key.as_ref().and_then(|key| {
                // one that came to nothing is as good as never asked for
                let counts = |order: &&Order| order.renewal == Renewal::On || !order.charges.is_empty();
                subscription.orders.iter().filter(counts).find(|order| order.keys.contains(key))
            });
            if known.is_some_and(|order| !asked.is_for(order)) {
                return Err(ApiError::IdempotencyMismatch);
            }
            // by the books, not by what this process remembers of the account: that may be a second old
            let has_it = match subscription.coverage().filter(|carried| now.at < carried.ends_at()) {
                Some(carried) => carried.order.plan == asked.plan && carried.order.renewal == Renewal::On,
                None => subscription.serving.is_none() && account.plan == asked.plan,
            };
            if known.is_none() && has_it {
                return Err(ApiError::SamePlan { plan: asked.plan });
            }
            let open = subscription.open_order().filter(|order| {
                let dead = !order.charges.is_empty() && order.payable().is_none();
                asked.is_for(order) && !dead
            });
            let is_new = known.or(open).is_none();
            let (mut after, mut letters) = (subscription.clone(), Vec::new());
            let mut happen = |after: &mut Subscription, event: &Event| {
                let (next, more) = step(after, event, now.at);
                *after = next;
                letters.extend(more);
            };
            let id = match known.or(open) {
                Some(order) => order.id.clone(),
                None => {
                    if !std::mem::replace(&mut counted, true) {
                        self.count(account).await?;
                    }
                    let order = self.new_order(asked, now)?;
                    let id = order.id.clone();
                    happen(&mut after, &Event::Ordered(Box::new(order)));
                    id
                }
            };
            if let Some(key) = &asked.key {
                happen(&mut after, &Event::AskedAgain { order: id.clone(), key: key.clone() });
            }
            let order = after.order(&id).cloned().ok_or(ApiError::Internal)?;
            let wants_asking = order.pay_url().is_none() && !order.was_paid() && order.renewal == Renewal::On;
            let is_mine = wants_asking && order.asked_until <= now.at;
            if is_mine {
                let until = UnixMillis(now.at.0 + ASKING);
                happen(&mut after, &Event::Asking { order: id.clone(), until });
            }
            // the order is answered as it was before: whether somebody asked for it tells whether to look it up
            if after == subscription
                || self.write(&account.id, version, &subscription, &after, letters, None).await?
            {
                self.0.metrics.orders.inc_by(is_new.into());
                return Ok((order, is_mine || !wants_asking));
            }
        }
        Err(ApiError::StoreUnavailable)
    }

    fn new_order(&self, asked: &OrderRequest, now: crate::domain::clock::Moment) -> Result<Order, ApiError> {
        let today = now.today.date();
        Ok(Order {
            id: OrderId::generate().map_err(no_randomness)?,
            plan: asked.plan,
            cents: self.0.plans.row(asked.plan).figures.price_cents,
            method: asked.method,
            placed_at: now.at,
            due_date: today.checked_add_days(Days::new(asked.method.days_to_pay())).unwrap_or(today),
            tax_last4: asked.tax_id.last4().to_owned(),
            keys: Vec::new(),
            gateway_id: None,
            asked_until: UnixMillis(0),
            renewal: Renewal::On,
            charges: Default::default(),
        })
    }

    /// Has the gateway take an order, and waits for its first charge.
    async fn opened(
        &self,
        gateway: &Gateway,
        account: &Account,
        asked: &OrderRequest,
        order: &Order,
        waited: bool,
    ) -> Result<Order, BillingError> {
        let name = match &order.gateway_id {
            Some(name) => name.clone(),
            None => {
                let payer = Customer {
                    account: &account.id,
                    email: &account.email,
                    name: asked.name.as_deref().unwrap_or(account.email.as_str()),
                    tax_id: &asked.tax_id,
                };
                // one that is carried on with on a later day: no gateway takes a day that has passed
                let due_date = order.due_date.max(self.0.clock.moment().today.date());
                let order = &Order { due_date, ..order.clone() };
                let name = gateway.take(order, payer, !is_first(order, waited)).await?;
                let event = Event::Opened { order: order.id.clone(), gateway_id: name.clone() };
                self.enter(&account.id, &event, None).await?;
                name
            }
        };
        let begun = Instant::now();
        loop {
            let charges = gateway.charges(order, &name).await?;
            let after = self.note(&account.id, order, charges).await?;
            let order = after.order(&order.id).ok_or(BillingError::Gateway(GatewayError::Unreadable))?;
            if payable(order).is_some() {
                return Ok(order.clone());
            }
            if begun.elapsed() > FIRST_CHARGE {
                return Err(BillingError::Gateway(GatewayError::Unavailable));
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// Takes in charges as the gateway tells them when it is asked.
    pub(super) async fn note(
        &self,
        account: &AccountId,
        order: &Order,
        charges: Vec<ReportedCharge>,
    ) -> Result<Subscription, StoreError> {
        let mut after = self.books(account).await?.0;
        for charged in charges {
            let ReportedCharge { id, cents, news, due_date, pay_url } = charged;
            let order = order.id.clone();
            let event = Event::Told(ChargeEvent {
                order,
                charge: id,
                cents,
                news,
                pay_url,
                due_date,
                at: self.now(),
            });
            // what is known already needs no writing
            if step(&after, &event, self.now()).0 != after {
                after = self.enter(account, &event, None).await?;
            }
        }
        Ok(after)
    }

    /// The books of an account, and their version.
    pub(super) async fn books(&self, account: &AccountId) -> Result<(Subscription, u32), StoreError> {
        let books = self.0.store.subscription_record(account).await?;
        let subscription =
            Subscription::read(&books.text).map_err(|error| StoreError::Failed(Arc::new(error)))?;
        Ok((subscription, books.version))
    }

    /// One step of an account, written down with all that follows from it; settles a notice with it.
    pub(super) async fn enter(
        &self,
        account: &AccountId,
        event: &Event,
        settles: Option<&str>,
    ) -> Result<Subscription, StoreError> {
        for _ in 0..MOST_RACES {
            let (before, version) = self.books(account).await?;
            let (after, letters) = step(&before, event, self.now());
            if self.write(account, version, &before, &after, letters, settles).await? {
                return Ok(after);
            }
        }
        Err(StoreError::Overloaded)
    }

    async fn write(
        &self,
        account: &AccountId,
        version: u32,
        before: &Subscription,
        after: &Subscription,
        kinds: Vec<MailKind>,
        settles: Option<&str>,
    ) -> Result<bool, StoreError> {
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| StoreError::Failed(error.into());
        let now = self.now();
        let (has_letters, due_at) = (!kinds.is_empty(), after.due_at(now));
        let count = |wanted| kinds.iter().filter(|kind| **kind == wanted).count() as u64;
        let (paid, refunded) = (count(MailKind::Paid), count(MailKind::Refunded));
        let letters = kinds.into_iter().map(|kind| Ok((MailId::generate()?, kind)));
        let references = after
            .orders
            .iter()
            .flat_map(|order| std::iter::once(order.id.as_str().to_owned()).chain(order.gateway_id.clone()));
        let update = SubscriptionUpdate {
            account: account.clone(),
            version,
            text: serde_json::to_string(after).map_err(|error| failed(error.into()))?,
            plan: match (before.serving, after.serving) {
                // whoever pays is put on the plan, whatever it was set to by hand meanwhile
                (was, is @ Some(_)) if was != is || paid > 0 => is,
                (Some(_), None) => Some(Plan::Free),
                _ => None,
            },
            references: references.collect(),
            mails: letters
                .collect::<Result<_, rand::rngs::SysError>>()
                .map_err(|error| failed(error.into()))?,
            due_at,
            finished_event: settles.map(str::to_owned),
            at: now,
        };
        if !self.0.store.save_subscription(update).await? {
            return Ok(false);
        }
        let BillingMetrics { payments, refunds, settled, .. } = &self.0.metrics;
        payments.inc_by(paid);
        refunds.inc_by(refunded);
        settled.inc_by(settles.is_some().into());
        if has_letters {
            self.0.post.nudge();
        }
        if due_at.is_some_and(|due_at| due_at <= now) {
            self.0.due.notify_one();
        }
        Ok(true)
    }

    async fn count(&self, account: &Account) -> Result<(), ApiError> {
        let now = self.0.clock.moment();
        let ends_at = now.day_ends_at();
        let name = format!("checkout/{}/{}", ends_at.0, account.id);
        match self
            .0
            .store
            .count_attempt(vec![RateLimit { name, max: MOST_CHECKOUTS, ends_at }], now.at)
            .await?
        {
            None => Ok(()),
            Some(_) => {
                let retry_after = crate::domain::clock::seconds_until(ends_at, now.at);
                Err(ApiError::TooManyCheckouts { retry_after })
            }
        }
    }
}

/// Why what needs both the gateway and the store was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum BillingError {
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BillingError {
    /// Counts what is the gateway's.
    pub(super) fn count(&self, metrics: &BillingMetrics) {
        if let BillingError::Gateway(_) = self {
            metrics.gateway_failures.inc();
        }
    }
}

impl From<BillingError> for ApiError {
    fn from(trouble: BillingError) -> ApiError {
        match trouble {
            BillingError::Store(error) => error.into(),
            BillingError::Gateway(GatewayError::BadTaxId) => ApiError::BadTaxId,
            BillingError::Gateway(error) => {
                tracing::error!(%error, "an order could not be placed with the gateway");
                ApiError::GatewayUnavailable
            }
        }
    }
}

/// Looks a wish through, in the order of the contract: plan, tax number, the rest.
fn read(wish: CheckoutRequest<'_>) -> Result<OrderRequest, ApiError> {
    let plan = wish.plan.ok_or(ApiError::MissingParam { param: "plan" })?;
    let plan: Plan = plan.parse().map_err(|_| ApiError::BadPlan)?;
    if plan == Plan::Free {
        return Err(ApiError::BadPlan);
    }
    let tax_id = wish.tax_id.ok_or(ApiError::MissingParam { param: "tax_id" })?;
    let tax_id = tax_id.parse().map_err(|_| ApiError::BadTaxId)?;
    let method = match wish.method {
        None => Method::Undefined,
        Some(name) => match name.to_ascii_uppercase().parse() {
            Ok(Method::Undefined) | Err(_) => return Err(ApiError::BadMethod),
            Ok(method) => method,
        },
    };
    let name = tidy("name", wish.name, MAX_NAME)?;
    let key = match wish.idempotency_key {
        None => None,
        Some(key)
            if (1..=MAX_IDEMPOTENCY_KEY).contains(&key.len()) && key.iter().all(u8::is_ascii_graphic) =>
        {
            Some(Sha256::digest(key).iter().take(16).map(|byte| format!("{byte:02x}")).collect())
        }
        Some(_) => return Err(ApiError::BadIdempotencyKey),
    };
    Ok(OrderRequest { plan, method, name, tax_id, key })
}

/// Whether nobody has asked the gateway for an order before.
fn is_first(order: &Order, waited: bool) -> bool {
    !waited && order.asked_until == UnixMillis(0)
}

/// The order as its checkout, once it has somewhere to be paid; or had, for whoever asks again.
fn payable(order: &Order) -> Option<Checkout> {
    let goes_on = order.renewal == Renewal::On && !order.was_paid();
    let was_payable = order.charges.values().find(|charge| charge.pay_url.is_some() && !goes_on);
    let shown = order.payable().or(was_payable)?;
    Some(Checkout {
        id: order.id.clone(),
        plan: order.plan,
        method: order.method,
        pay_url: shown.pay_url.clone()?,
        cents: order.cents,
        due_date: shown.due_date.unwrap_or(order.due_date),
        is_paid: order.was_paid(),
    })
}
