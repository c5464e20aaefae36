//! A report of a month: paying accounts and revenue, computed from the stored subscriptions, for the operator and for
//! the metrics. Nothing else is counted, so that a report of a past month can be made at any time.

use std::collections::{BTreeMap, HashSet};

use chrono::{Datelike, NaiveDate};
use serde::Serialize;

use super::subscription::Subscription;
use crate::domain::clock::{DAY, Period, UnixMillis, day_of, start_of};
use crate::domain::order::{Charge, ChargeState, Order, Renewal};
use crate::domain::plan::Plan;
use crate::store::rows::{Row, Table};

/// A paid plan that does not renew and ends within this time ends soon.
const SOON: i64 = 14 * DAY;

/// Customers that a report names.
const TOP: usize = 10;

/// The tables that a report is made of.
pub const TABLES: [Table; 5] =
    [Table::Accounts, Table::Keys, Table::Leases, Table::Subscriptions, Table::Erased];

/// A calendar month of Brasília.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Month {
    first: NaiveDate,
    begins_at: UnixMillis,
    period: Period,
}

impl Month {
    /// The month of a day; `None` out of the range of the calendar.
    pub fn of(day: NaiveDate) -> Option<Month> {
        let first = day.with_day(1)?;
        Some(Month { first, begins_at: start_of(first)?, period: Period::month_of(first)? })
    }

    fn has(self, at: UnixMillis) -> bool {
        self.begins_at <= at && at < self.period.ends_at
    }
}

/// The report of a month. Amounts are in centavos.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// The month, as YYYY-MM.
    pub month: String,
    /// Until when it counts: the end of the month, or now.
    pub until: String,
    /// By plan, the cheapest first.
    pub plans: Vec<PlanReport>,
    /// Accounts whose paid time, with the days of grace of one that renews, includes that moment.
    pub paying_accounts: usize,
    /// Accounts that paid for the first time.
    pub new: usize,
    /// Accounts that were paying when the month began, and are not at its end.
    pub lost: usize,
    /// What was paid.
    pub received: Sum,
    /// What was refunded whole, whenever it was paid.
    pub refunded: Sum,
    /// What payers asked back from their banks.
    pub disputed: Sum,
    /// Disputes that were won: the money came back.
    pub disputes_won: Sum,
    /// What was received, less what was taken back.
    pub net_cents: i64,
    /// Charges that became overdue or were declined, even if they were paid later.
    pub failed: Sum,
    /// Refunds and payments without a date, which an older version recorded; they are in no month.
    pub undated: usize,
    /// Subscriptions that this program cannot read, as those of a newer one: they are in no figure.
    pub unreadable: usize,
    /// Paying accounts that do not renew and end within two weeks of that moment.
    pub ending_soon: Vec<Ending>,
    /// Keys that were live at that moment.
    pub active_keys: usize,
    /// Calls by action; empty when the counts of the month are forgotten (40 days after it).
    pub calls: BTreeMap<String, u64>,
    /// Who paid most, then who called most.
    pub top_customers: Vec<Customer>,
}

/// Some charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Sum {
    /// How many.
    pub count: u64,
    /// Their amounts together.
    pub cents: u64,
}

/// A plan in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PlanReport {
    /// The plan.
    pub plan: Plan,
    /// Accounts that are paying for it.
    pub paying_accounts: usize,
    /// What was paid for it.
    pub received: Sum,
}

/// A paid plan that ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// The account.
    pub account: String,
    /// Its address.
    pub email: Option<String>,
    /// The plan.
    pub plan: Plan,
    /// The last day.
    pub ends: NaiveDate,
}

/// A customer in a month.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Customer {
    /// The account.
    pub account: String,
    /// Its address; `None` once it was erased.
    pub email: Option<String>,
    /// What it paid.
    pub paid_cents: u64,
    /// Its calls.
    pub calls: u64,
}

/// Accounts that pay for each plan, and what came in for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Plans(pub(super) BTreeMap<Plan, (usize, Sum)>);

impl Sum {
    fn add(&mut self, cents: u64) {
        self.count += 1;
        self.cents = self.cents.saturating_add(cents);
    }
}

/// The amount of a charge. What an older version recorded was paid at the price, or above it.
fn cents_of(order: &Order, charge: &Charge) -> u64 {
    charge.cents.unwrap_or_else(|| order.cents.into())
}

/// The plan that a subscription was paying for at a moment, as far as its orders say: what was reported later is taken
/// away. Whether it renewed then is not recorded, so that it counts as it does now.
fn paid_plan_at(subscription: &Subscription, at: UnixMillis) -> Option<(Plan, UnixMillis, Renewal)> {
    let mut then = subscription.clone();
    for order in &mut then.orders {
        for charge in order.charges.values_mut() {
            let is_later = |moment: Option<UnixMillis>| moment.is_some_and(|moment| moment > at);
            if is_later(charge.refunded_at)
                && let Some(paid_at) = charge.paid_at
            {
                charge.state = ChargeState::Paid { at: paid_at };
            }
            if is_later(charge.first_paid_at()) {
                charge.state = ChargeState::default();
            }
            for moment in [&mut charge.disputed_at, &mut charge.dispute_won_at, &mut charge.cash_undone_at] {
                moment.take_if(|moment| *moment > at);
            }
        }
    }
    let paid = then.paid_time_at(at)?;
    Some((paid.order.plan, paid.paid_until, paid.order.renewal))
}

/// The stored subscriptions, and those of erased accounts, with their accounts; and how many cannot be parsed.
pub(super) fn subscriptions(rows: &[Row]) -> (Vec<(&str, Subscription)>, usize) {
    let stored: Vec<(&str, &str)> = rows
        .iter()
        .filter(|row| matches!(row.0, Table::Subscriptions | Table::Erased))
        .filter_map(|row| Some((row.account()?, row.value("text")?)))
        .collect();
    let parsed =
        stored.iter().filter_map(|(account, text)| Some((*account, Subscription::parse(text).ok()?)));
    let parsed: Vec<_> = parsed.collect();
    let unreadable = stored.len() - parsed.len();
    (parsed, unreadable)
}

impl Plans {
    pub(super) fn of(subscriptions: &[(&str, Subscription)], month: Month, until: UnixMillis) -> Plans {
        let mut plans = Plans(Plan::ALL.into_iter().skip(1).map(|plan| (plan, Default::default())).collect());
        for (_, subscription) in subscriptions {
            if let Some((plan, ..)) = paid_plan_at(subscription, until) {
                plans.0.entry(plan).or_default().0 += 1;
            }
            for (order, charge) in charges(subscription) {
                if received_at(charge).is_some_and(|at| month.has(at)) {
                    plans.0.entry(order.plan).or_default().1.add(cents_of(order, charge));
                }
            }
        }
        plans
    }

    fn reports(&self) -> Vec<PlanReport> {
        let report = |(plan, (paying_accounts, received)): (&Plan, &(usize, Sum))| PlanReport {
            plan: *plan,
            paying_accounts: *paying_accounts,
            received: *received,
        };
        self.0.iter().map(report).collect()
    }
}

/// The customers that paid or called most.
fn top(customers: impl Iterator<Item = Customer>) -> Vec<Customer> {
    let mut top: Vec<Customer> = customers.filter(|one| one.paid_cents > 0 || one.calls > 0).collect();
    top.sort_by(|one, other| {
        (other.paid_cents, other.calls, &one.account).cmp(&(one.paid_cents, one.calls, &other.account))
    });
    top.truncate(TOP);
    top
}

fn charges(subscription: &Subscription) -> impl Iterator<Item = (&Order, &Charge)> {
    subscription.orders.iter().flat_map(|order| order.charges.values().map(move |charge| (order, charge)))
}

/// When its money came, if it did.
fn received_at(charge: &Charge) -> Option<UnixMillis> {
    charge.first_paid_at().filter(|_| !charge.is_cash_undone())
}

impl Report {
    /// The report of a month, made of the rows of [`TABLES`] at a moment.
    pub fn of(rows: &[Row], month: Month, now: UnixMillis) -> Report {
        let until = if month.has(now) { now } else { UnixMillis(month.period.ends_at.0 - 1) };
        let (subscriptions, unreadable) = subscriptions(rows);
        let plans = Plans::of(&subscriptions, month, until);
        let emails: BTreeMap<&str, &str> = rows
            .iter()
            .filter(|row| row.0 == Table::Accounts)
            .filter_map(|row| Some((row.account()?, row.value("email")?)))
            .collect();
        let email_of = |account: &str| emails.get(account).map(|email| (*email).to_owned());
        let mut report = Report {
            month: month.first.format("%Y-%m").to_string(),
            until: until.to_string(),
            paying_accounts: plans.0.values().map(|(accounts, _)| accounts).sum(),
            plans: plans.reports(),
            active_keys: live_keys(rows, until),
            unreadable,
            ..Report::default()
        };
        let mut customers: BTreeMap<&str, Customer> = BTreeMap::new();
        for (account, subscription) in &subscriptions {
            customers.entry(account).or_default().paid_cents += report.add_charges(subscription, month);
            let paying = report.add_paying(subscription, month, until);
            if let Some((plan, paid_until, renewal)) = paying
                && renewal != Renewal::On
                && paid_until.0 - until.0 <= SOON
            {
                let ends = day_of(paid_until);
                let account = (*account).to_owned();
                report.ending_soon.push(Ending { email: email_of(&account), account, plan, ends });
            }
        }
        report.ending_soon.sort_by(|one, other| (one.ends, &one.account).cmp(&(other.ends, &other.account)));
        report.add_calls(rows, month, &mut customers);
        let signed = |cents: u64| i64::try_from(cents).unwrap_or(i64::MAX);
        let gained = signed(report.received.cents).saturating_add(signed(report.disputes_won.cents));
        report.net_cents = gained - signed(report.refunded.cents) - signed(report.disputed.cents);
        let named = customers.into_iter().map(|(account, customer)| Customer {
            account: account.to_owned(),
            email: email_of(account),
            ..customer
        });
        report.top_customers = top(named);
        report
    }

    /// Counts an account that begins to pay in a month, or has stopped by its end; returns what it pays for then.
    fn add_paying(
        &mut self,
        subscription: &Subscription,
        month: Month,
        until: UnixMillis,
    ) -> Option<(Plan, UnixMillis, Renewal)> {
        let first = charges(subscription).filter_map(|(_, charge)| received_at(charge)).min();
        self.new += usize::from(first.is_some_and(|first| month.has(first)));
        let before = paid_plan_at(subscription, UnixMillis(month.begins_at.0 - 1));
        let paying = paid_plan_at(subscription, until);
        self.lost += usize::from(before.is_some() && paying.is_none());
        paying
    }

    /// Adds what was charged in a month; returns what was received of that, in cents.
    fn add_charges(&mut self, subscription: &Subscription, month: Month) -> u64 {
        let mut received = 0;
        for (order, charge) in charges(subscription) {
            let cents = cents_of(order, charge);
            let is_in = |at: Option<UnixMillis>| at.is_some_and(|at| month.has(at));
            if is_in(received_at(charge)) {
                self.received.add(cents);
                received += cents;
            }
            if is_in(charge.failed_at) {
                self.failed.add(cents);
            }
            // the money of a dispute is gone once, whether it ends in a refund or not
            let is_disputed = charge.disputed_at.is_some() && charge.dispute_won_at.is_none();
            if is_in(charge.refunded_at) && charge.paid_at.is_some() && !is_disputed {
                self.refunded.add(cents);
            }
            let was_received = charge.first_paid_at().is_some();
            if is_in(charge.disputed_at) && was_received {
                self.disputed.add(cents);
            }
            if is_in(charge.dispute_won_at) && charge.disputed_at.is_some() && was_received {
                self.disputes_won.add(cents);
            }
            let is_undated = charge.state == ChargeState::Refunded
                && (charge.refunded_at.is_none() || charge.paid_at.is_none());
            self.undated += usize::from(is_undated);
        }
        received
    }

    fn add_calls<'r>(&mut self, rows: &'r [Row], month: Month, customers: &mut BTreeMap<&'r str, Customer>) {
        let period = month.period.to_string();
        for row in rows.iter().filter(|row| row.0 == Table::Leases && row.value("period") == Some(&period)) {
            for (action, calls) in row.by_action() {
                if let Some(account) = row.account() {
                    customers.entry(account).or_default().calls += calls;
                }
                *self.calls.entry(action).or_default() += calls;
            }
        }
    }
}

/// Keys that were live at a moment, and whose account is not blocked now.
fn live_keys(rows: &[Row], at: UnixMillis) -> usize {
    let of = |table: Table| rows.iter().filter(move |row| row.0 == table);
    let blocked: HashSet<&str> = of(Table::Accounts)
        .filter(|row| row.value("blocked_at").is_some())
        .filter_map(|row| row.account())
        .collect();
    let moment = |row: &Row, column: &str| row.value(column).and_then(|at| at.parse::<i64>().ok());
    of(Table::Keys)
        .filter(|row| moment(row, "created_at").is_some_and(|created| created <= at.0))
        .filter(|row| moment(row, "revoked_at").is_none_or(|revoked| revoked > at.0))
        .filter(|row| row.account().is_some_and(|account| !blocked.contains(account)))
        .count()
}
