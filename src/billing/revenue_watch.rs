//! The revenue of this month as metrics, and the accounts that the worker has overlooked: both need all subscriptions,
//! which a background task reads from time to time.

use std::sync::Arc;
use std::time::Duration;

use super::report::{Month, Plans, subscriptions};
use super::service::{BillingError, BillingService};
use super::subscription::{MAX_APART, Subscription};
use super::worker::poll_account;
use crate::domain::account::AccountId;
use crate::domain::clock::{Clock, UnixMillis};
use crate::gateway::GatewayError;
use crate::metrics::RevenueMetrics;
use crate::store::Store;
use crate::store::rows::{Row, Table};
use crate::supervise::ticks;

/// How often the metrics are computed anew: all subscriptions are read for it.
const ROUND: Duration = Duration::from_mins(10);

/// How soon they are computed after a failure.
const TRY_AGAIN: Duration = Duration::from_secs(5);

/// How often it is checked whether the clock was set back.
const CLOCK_READ: Duration = Duration::from_secs(1);

/// Keeps the metrics of this month for ever: read in the background, so that a scrape waits for no store. While the
/// store does not answer, they stay as they were. As all subscriptions are read, accounts are found here that a wrong
/// clock has hidden from the worker, which are polled.
pub(crate) async fn watch(
    store: Arc<dyn Store>,
    billing: BillingService,
    clock: Clock,
    metrics: RevenueMetrics,
) {
    let mut rounds = ticks(ROUND);
    let mut latest = clock.now();
    loop {
        tokio::select! {
            _ = rounds.tick() => {}
            () = set_back(&clock, &mut latest) => {}
        }
        // the store logs by itself that it does not answer
        let Ok(rows) = store.rows(&[Table::Subscriptions, Table::Erased], None).await else {
            rounds.reset_after(TRY_AGAIN);
            continue;
        };
        let (now, month) = (clock.now(), Month::of(clock.today().date()));
        let Some(month) = month else { continue };
        let computed = tokio::task::spawn_blocking(move || {
            (Plans::of(&subscriptions(&rows).0, month, now), overlooked(&rows, now))
        });
        let Ok((plans, overlooked)) = computed.await else { continue };
        for (plan, (accounts, received)) in plans.0 {
            metrics.set(plan.as_str(), accounts, received.cents);
        }
        poll_overlooked(&billing, &overlooked).await;
    }
}

/// Waits until a clock is set back by more than it drifts. `latest` is the time that it showed last.
async fn set_back(clock: &Clock, latest: &mut UnixMillis) {
    loop {
        let before = std::mem::replace(latest, clock.now());
        if before.0 - latest.0 > MAX_APART {
            return;
        }
        tokio::time::sleep(CLOCK_READ).await;
    }
}

/// The accounts that the worker will look at too late, or never.
fn overlooked(rows: &[Row], now: UnixMillis) -> Vec<AccountId> {
    let is_overlooked = |row: &&Row| {
        let due_at = row.value("due_at").and_then(|at| at.parse().ok()).map(UnixMillis);
        let subscription = row.value("text").and_then(|text| Subscription::parse(text).ok());
        subscription.is_some_and(|subscription| subscription.is_overlooked(due_at, now))
    };
    let stored = rows.iter().filter(|row| row.0 == Table::Subscriptions).filter(is_overlooked);
    stored.filter_map(|row| Some(AccountId::from_stored(row.account()?.to_owned()))).collect()
}

async fn poll_overlooked(billing: &BillingService, accounts: &[AccountId]) {
    for account in accounts {
        tracing::warn!(%account, "an account was due too late, as by a clock that was wrong, and is polled now");
        if let Err(error) = poll_account(billing, account).await {
            tracing::warn!(%account, %error, "it cannot be polled, and is tried again in ten minutes");
            match error {
                BillingError::Gateway(GatewayError::OtherTime(_) | GatewayError::KeyRefused(_))
                | BillingError::Store(_) => return,
                // the gateway may know the others
                BillingError::Gateway(_) => {}
            }
        }
    }
}
