//! Checkout: validates a request, finds or stores its order, and creates it at the gateway exactly once.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use chrono::{Days, NaiveDate};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use tokio::time::{Instant, sleep, timeout_at};

use super::service::{BillingError, BillingService, MAX_CONFLICTS};
use super::step::Event;
use super::subscription::Subscription;
use crate::domain::account::{Account, AccountId, OrderId};
use crate::domain::api_key::KeyHash;
use crate::domain::clock::{Moment, UnixMillis};
use crate::domain::code::Level;
use crate::domain::error::ApiError;
use crate::domain::order::{Method, Order, Renewal};
use crate::domain::plan::Plan;
use crate::domain::tax::TaxId;
use crate::domain::text::clean_text;
use crate::gateway::{Customer, Gateway, GatewayError};
use crate::signup::day_limits;
use crate::store::{RateLimit, count_or_refuse};

/// New orders of one account in a day, with one key. A request for an open order is not a new one.
const MAX_ORDERS_A_DAY: u32 = 20;

/// The same with all its keys, and all from one network: orders use up the calls that the gateway allows us, and keys
/// can be rotated and accounts opened.
const MAX_ORDERS_TOGETHER_A_DAY: u32 = 40;

/// How long a checkout may wait for the gateway: less than a request may take.
const CHECKOUT_TIMEOUT: Duration = Duration::from_secs(15);

/// For how long a request has the right to create an order at the gateway, should its process die.
const LOCK: Duration = Duration::from_secs(20);

/// How long the first charge of an order is waited for, and how often it is looked for.
const FIRST_CHARGE_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(400);

/// Longest name on an invoice.
pub const MAX_PAYER_NAME: usize = 100;
/// Longest idempotency key.
pub const MAX_IDEMPOTENCY_KEY: usize = 200;

/// A checkout request as it was sent. No `Debug`, so that the tax number gets into no log.
#[derive(Clone, Copy)]
pub struct CheckoutRequest<'a> {
    /// The plan.
    pub plan: Option<&'a str>,
    /// The payer's tax number.
    pub tax_id: Option<&'a str>,
    /// The name on the invoice.
    pub name: Option<&'a str>,
    /// The payment method.
    pub method: Option<&'a str>,
    /// The idempotency key.
    pub idempotency_key: Option<&'a [u8]>,
}

impl CheckoutRequest<'_> {
    /// All that is wrong with the request itself, in the documented order. Forms show it at once.
    pub fn mistakes(&self) -> Vec<ApiError> {
        let method = self.method.map_or(Ok(Method::Undefined), parse_method);
        [
            parse_plan(self.plan).err(),
            parse_tax_id(self.tax_id).err(),
            method.err(),
            clean_text("name", self.name, MAX_PAYER_NAME).err(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

fn parse_plan(plan: Option<&str>) -> Result<Plan, ApiError> {
    let plan = plan.ok_or_else(|| ApiError::missing("plan"))?;
    plan.parse().ok().filter(|plan| *plan != Plan::Free).ok_or(ApiError::BadPlan)
}

fn parse_tax_id(tax_id: Option<&str>) -> Result<TaxId, ApiError> {
    let tax_id = tax_id.ok_or_else(|| ApiError::missing("tax_id"))?;
    tax_id.parse().map_err(|_| ApiError::BadTaxId)
}

fn parse_method(name: &str) -> Result<Method, ApiError> {
    match name.to_ascii_uppercase().parse() {
        Ok(Method::Undefined) | Err(_) => Err(ApiError::BadMethod),
        Ok(method) => Ok(method),
    }
}

/// With what an account orders. Orders of each are counted apart, so that whoever has a leaked key does not use up
/// those of its owner, who has another key or reads the mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderedBy {
    /// A key.
    Key(KeyHash),
    /// A session of the site that was opened so.
    Session(Level),
}

impl OrderedBy {
    fn is_owner(self) -> bool {
        self == OrderedBy::Session(Level::Owner)
    }

    /// The limits of where an order comes from; none for owners, who share an address with strangers.
    fn network_limits(self, client: IpAddr, now: Moment) -> Vec<RateLimit> {
        if self.is_owner() {
            return Vec::new();
        }
        day_limits("checkout", client, MAX_ORDERS_TOGETHER_A_DAY, now).collect()
    }
}

impl fmt::Display for OrderedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderedBy::Key(key) => write!(f, "{}", HEXLOWER.encode(&key.0[..8])),
            OrderedBy::Session(Level::Key) => write!(f, "key-session"),
            OrderedBy::Session(Level::Owner) => write!(f, "owner-session"),
        }
    }
}

/// An order that can be paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// Its id.
    pub id: OrderId,
    /// The plan.
    pub plan: Plan,
    /// The payment method.
    pub method: Method,
    /// The page to pay it on.
    pub pay_url: String,
    /// The price of a month, in centavos.
    pub cents: u32,
    /// The due date.
    pub due_date: NaiveDate,
    /// Whether it is paid already: the request is a repeated one.
    pub is_paid: bool,
}

impl Checkout {
    /// The checkout of an order that is open, once it has a page to pay it on, or paid: that shows the page it had, and
    /// not that of the next month.
    fn of(order: &Order) -> Option<Checkout> {
        let shown = order.charges.values().filter(|charge| charge.pay_url.is_some());
        let first_paid = || {
            shown
                .filter(|charge| charge.credited_from().is_some())
                .min_by_key(|charge| charge.first_paid_at())
        };
        let charge = if order.is_open() { order.payable() } else { first_paid() }?;
        Some(Checkout {
            id: order.id.clone(),
            plan: order.plan,
            method: order.method,
            pay_url: charge.pay_url.clone()?,
            cents: order.cents,
            due_date: charge.due_date.unwrap_or(order.due_date),
            is_paid: order.was_paid(),
        })
    }
}

/// A valid checkout request.
struct OrderRequest<'a> {
    gateway: &'a Gateway,
    plan: Plan,
    method: Method,
    name: Option<String>,
    tax_id: TaxId,
    /// The hash of the idempotency key.
    key: Option<String>,
}

impl<'a> OrderRequest<'a> {
    /// Validates a request in the documented order: plan, tax number, the rest.
    fn parse(gateway: &'a Gateway, request: CheckoutRequest<'_>) -> Result<OrderRequest<'a>, ApiError> {
        let plan = parse_plan(request.plan)?;
        let tax_id = parse_tax_id(request.tax_id)?;
        let method = request.method.map_or(Ok(Method::Undefined), parse_method)?;
        let name = clean_text("name", request.name, MAX_PAYER_NAME)?;
        let key = match request.idempotency_key {
            None => None,
            Some(key)
                if (1..=MAX_IDEMPOTENCY_KEY).contains(&key.len()) && key.iter().all(u8::is_ascii_graphic) =>
            {
                Some(HEXLOWER.encode(&Sha256::digest(key)[..16]))
            }
            Some(_) => return Err(ApiError::BadIdempotencyKey),
        };
        Ok(OrderRequest { gateway, plan, method, name, tax_id, key })
    }

    /// Whether an order is for exactly this request. Another payer needs another invoice.
    fn matches(&self, order: &Order) -> bool {
        let tax_last4 = order.tax_last4.as_str();
        // offices of companies often share the last four characters
        let is_payer = order.payer.is_none() || order.payer == self.payer_mark(&order.id);
        (order.plan, order.method, tax_last4) == (self.plan, self.method, self.tax_id.last4()) && is_payer
    }

    fn payer_mark(&self, order: &OrderId) -> Option<String> {
        self.gateway.payer_mark(order, &self.tax_id)
    }

    fn new_order(&self, cents: u32, now: Moment) -> Result<Order, ApiError> {
        let today = now.today.date();
        let id = OrderId::generate()?;
        Ok(Order {
            payer: self.payer_mark(&id),
            id,
            plan: self.plan,
            cents,
            method: self.method,
            placed_at: now.at,
            due_date: today.checked_add_days(Days::new(self.method.days_to_pay())).unwrap_or(today),
            tax_last4: self.tax_id.last4().to_owned(),
            keys: Vec::new(),
            gateway_id: None,
            creation_locked_until: UnixMillis(0),
            renewal: Renewal::On,
            renews_on: None,
            charges: Default::default(),
        })
    }
}

/// The stored order of a request, as it was before this request took the right to create it at the gateway.
struct Placed {
    order: Order,
    /// Whether another request has the right to create it at the gateway.
    is_locked: bool,
    /// Whether an earlier request may have created it at the gateway.
    may_exist: bool,
}

impl BillingService {
    /// Orders a plan, or returns the open order for the same request.
    pub async fn checkout(
        &self,
        account: &Account,
        by: OrderedBy,
        client: IpAddr,
        request: CheckoutRequest<'_>,
    ) -> Result<Checkout, ApiError> {
        account.check_not_blocked()?;
        let gateway = self.gateway().ok_or(ApiError::BillingClosed)?;
        let request = OrderRequest::parse(gateway, request)?;
        // an order of a wrong day would be paid for other days
        self.check_clock().map_err(|_| ApiError::GatewayUnavailable)?;
        let deadline = Instant::now() + CHECKOUT_TIMEOUT;
        let mut placed = self.place(account, by, client, &request).await?;
        while placed.is_locked {
            if Instant::now() > deadline {
                return Err(ApiError::GatewayUnavailable);
            }
            sleep(POLL_INTERVAL).await;
            placed = Placed { may_exist: true, ..self.place(account, by, client, &request).await? };
        }
        if let Some(checkout) = Checkout::of(&placed.order) {
            return Ok(checkout);
        }
        let created = timeout_at(deadline, self.create(gateway, account, &request, &placed)).await;
        let created = created.unwrap_or_else(|_| {
            let why = "it took too long to create an order".into();
            Err(BillingError::Gateway(GatewayError::Unavailable(why)))
        });
        match &created {
            Ok(_) => {
                self.outages().orders.succeeded();
            }
            // the payer mends that
            Err(BillingError::Gateway(GatewayError::BadTaxId) | BillingError::Store(_)) => {}
            Err(BillingError::Gateway(error)) => {
                self.outages().orders.failed(error);
            }
        }
        if let Err(error) = &created {
            error.count(self.metrics());
            let order = placed.order.id.clone();
            let event = match error {
                // refused at its first creation: the gateway has nothing, and another tax number is another order
                BillingError::Gateway(GatewayError::BadTaxId) if !placed.may_exist => Event::Closed { order },
                _ => Event::CreationLocked { order, until: self.now() },
            };
            // the payer may mend what failed, and the right to create the order ends by itself: see LOCK
            if let Err(error) = self.apply(&account.id, &event, None).await {
                let (account, order) = (&account.id, &placed.order.id);
                tracing::warn!(%account, %order, %error, "the failure of a checkout could not be stored");
            }
        }
        Checkout::of(&created?).ok_or(ApiError::GatewayUnavailable)
    }

    /// Finds or stores the order of a request, and takes the right to create it at the gateway if that is needed.
    async fn place(
        &self,
        account: &Account,
        by: OrderedBy,
        client: IpAddr,
        request: &OrderRequest<'_>,
    ) -> Result<Placed, ApiError> {
        let mut is_counted = false;
        for _ in 0..MAX_CONFLICTS {
            let mut draft = self.draft(&account.id).await?;
            let now = self.moment();
            let known = find_order(&draft.after, account, request, now.at)?;
            let is_new = known.is_none();
            let id = match known {
                Some(id) => id,
                None => {
                    if !std::mem::replace(&mut is_counted, true) {
                        self.count_order(account, by, client, now).await?;
                    }
                    let cents = self.plans().row(request.plan).figures.price_cents;
                    let order = request.new_order(cents, now)?;
                    let id = order.id.clone();
                    draft.step(&Event::Ordered(Box::new(order)), now.at);
                    id
                }
            };
            if let Some(key) = &request.key {
                draft.step(&Event::KeyUsed { order: id.clone(), key: key.clone() }, now.at);
            }
            let order = draft.after.order(&id).cloned().ok_or(ApiError::Internal)?;
            let needs_creation =
                order.pay_url().is_none() && !order.was_paid() && order.renewal == Renewal::On;
            let is_locked = needs_creation && order.creation_locked_until > now.at;
            if needs_creation && !is_locked {
                let until = now.at.after(LOCK);
                draft.step(&Event::CreationLocked { order: id, until }, now.at);
            }
            if !draft.is_changed() || self.save(&account.id, &draft, None).await? {
                self.metrics().orders.inc_by(is_new.into());
                let may_exist = order.may_exist();
                return Ok(Placed { order, is_locked, may_exist });
            }
        }
        Err(ApiError::StoreUnavailable)
    }

    /// Creates an order at the gateway, and waits for its first charge.
    async fn create(
        &self,
        gateway: &Gateway,
        account: &Account,
        request: &OrderRequest<'_>,
        placed: &Placed,
    ) -> Result<Order, BillingError> {
        let order = &placed.order;
        let gateway_id = match &order.gateway_id {
            Some(gateway_id) => gateway_id.clone(),
            None => {
                let customer = Customer {
                    account: &account.id,
                    email: &account.email,
                    name: request.name.as_deref(),
                    tax_id: &request.tax_id,
                };
                // an earlier request may have failed on an earlier day, and no gateway accepts a past due date
                let due_date = order.due_date.max(self.moment().today.date());
                let order = &Order { due_date, ..order.clone() };
                gateway.create_subscription(order, customer, placed.may_exist).await?
            }
        };
        let charged = self.first_charge(gateway, &account.id, order, &gateway_id).await;
        if charged.is_err() {
            self.cancel_if_erased(gateway, &account.id, &order.id, &gateway_id).await;
        }
        charged
    }

    /// Stores that the gateway has created an order, and waits for its first charge.
    async fn first_charge(
        &self,
        gateway: &Gateway,
        account: &AccountId,
        order: &Order,
        gateway_id: &str,
    ) -> Result<Order, BillingError> {
        if order.gateway_id.is_none() {
            let event = Event::Created { order: order.id.clone(), gateway_id: gateway_id.to_owned() };
            self.apply(account, &event, None).await?;
        }
        let begun = Instant::now();
        loop {
            let charges = gateway.list_charges(order, gateway_id).await?;
            let after = self.apply_reports(account, order, charges).await?;
            let order = after.order(&order.id).ok_or(BillingError::Gateway(GatewayError::Unreadable))?;
            if Checkout::of(order).is_some() {
                return Ok(order.clone());
            }
            if begun.elapsed() > FIRST_CHARGE_TIMEOUT {
                let why = "it has made no charge for the order yet".into();
                return Err(BillingError::Gateway(GatewayError::Unavailable(why)));
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Cancels what was created for an account that was erased meanwhile: it would be charged, and nobody would know.
    async fn cancel_if_erased(
        &self,
        gateway: &Gateway,
        account: &AccountId,
        order: &OrderId,
        gateway_id: &str,
    ) {
        // an order that cannot be looked for is there: it is asked for again, and finds this subscription
        if self.subscription(account).await.map_or(true, |known| known.order(order).is_some()) {
            return;
        }
        match gateway.cancel_subscription(gateway_id).await {
            Ok(()) => {
                tracing::warn!(%account, "a checkout of an account that was erased meanwhile was canceled")
            }
            Err(error) => tracing::error!(
                %account, subscription = gateway_id, %error,
                "an account was erased during its checkout, and its subscription goes on: cancel it at the gateway"
            ),
        }
    }

    /// Counts a new order against the limits of the day.
    async fn count_order(
        &self,
        account: &Account,
        by: OrderedBy,
        client: IpAddr,
        now: Moment,
    ) -> Result<(), ApiError> {
        let mut limits = by.network_limits(client, now);
        let of_networks = limits.len();
        let of_account = |by: &dyn fmt::Display, max| {
            RateLimit::window("checkout", &format!("{}/{by}", account.id), max, now.day_ends_at())
        };
        limits.push(of_account(&by, MAX_ORDERS_A_DAY));
        if !by.is_owner() {
            limits.push(of_account(&"all-keys", MAX_ORDERS_TOGETHER_A_DAY));
        }
        let refusal = |index, retry_after| {
            let of_network = index < of_networks;
            ApiError::TooManyCheckouts { of_network, retry_after }
        };
        count_or_refuse(self.store(), limits, now.at, refusal).await
    }
}

/// The existing order for a request: the one with its idempotency key, or the open one for the same plan and payer.
fn find_order(
    subscription: &Subscription,
    account: &Account,
    request: &OrderRequest<'_>,
    now: UnixMillis,
) -> Result<Option<OrderId>, ApiError> {
    // an order that ended before it had a page is as good as never placed
    let was_shown = |order: &&Order| order.renewal == Renewal::On || !order.charges.is_empty();
    let by_key = request.key.as_ref().and_then(|key| {
        subscription.orders.iter().rev().filter(was_shown).find(|order| order.keys.contains(key))
    });
    if let Some(order) = by_key {
        return match request.matches(order) {
            false => Err(ApiError::IdempotencyMismatch),
            true if order.is_open() || order.is_paid() => Ok(Some(order.id.clone())),
            true => Err(ApiError::OrderClosed),
        };
    }
    // as stored: what this process remembers of the account may be a second old
    let has_plan = match subscription.paid_time_at(now) {
        Some(paid) => paid.order.plan == request.plan && paid.order.renewal == Renewal::On,
        None => subscription.active_plan.is_none() && account.plan == request.plan,
    };
    if has_plan {
        return Err(ApiError::SamePlan { plan: request.plan });
    }
    let can_be_paid = |order: &Order| order.charges.is_empty() || order.payable().is_some();
    let open = subscription.open_order().filter(|order| request.matches(order) && can_be_paid(order));
    Ok(open.map(|order| order.id.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::Clock;
    use crate::store::Allowance;

    #[test]
    fn orders_with_keys_count_by_the_network_and_the_48_and_those_of_owners_by_none() {
        let client = "2001:db8:1:2::3".parse().expect("an address");
        let of = |by: OrderedBy| {
            let limits = by.network_limits(client, Clock::standing_at(UnixMillis(0)).moment());
            let max = |limit: RateLimit| match limit.allowance {
                Allowance::Window { max, .. } => max,
                Allowance::Bucket { .. } => panic!("{limit:?}"),
            };
            limits.into_iter().map(max).collect::<Vec<_>>()
        };
        assert_eq!(of(OrderedBy::Key(KeyHash([1; 32]))), [40, 320]);
        assert_eq!(of(OrderedBy::Session(Level::Key)), [40, 320]);
        assert!(of(OrderedBy::Session(Level::Owner)).is_empty());
    }
}
