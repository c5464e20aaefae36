//! Quotas: answered from memory, and exact over all processes.
//!
//! A process holds a lease of each active account's minute and month: calls granted by the store, spent with one
//! atomic operation each. Below half it renews the lease in the background; a request waits for the store only when
//! the lease is empty or there is none yet. Only granted calls are spent, and the store never grants more than the
//! quota, so no crash, pause or lost reply lets a call above it through; the unspent calls of a process that crashes
//! are lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use dashmap::DashMap;
use futures_util::StreamExt;
use futures_util::stream;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, MutexGuard};

use super::lease::Lease;
use crate::domain::account::AccountId;
use crate::domain::action::CallKind;
use crate::domain::clock::{Clock, Moment, Period, PeriodKind, UnixMillis};
use crate::domain::plan::Figures;
use crate::metrics::LeaseMetrics;
use crate::store::{Claim, LeaseRecord, QuotaStore, StoreError, StoreResult};
use crate::supervise::ticks;

/// The leases of all active accounts in this process.
#[derive(Debug)]
pub struct Quota {
    store: Arc<dyn QuotaStore>,
    accounts: DashMap<AccountId, Arc<AccountQuota>>,
    clock: Clock,
    /// Where leases are renewed while requests go on.
    background: Handle,
    counters: LeaseMetrics,
    /// The zero of [`Quota::millis`], which no change of the clock moves.
    started: Instant,
}

/// How many accounts are kept in memory.
const MAX_ACCOUNTS: usize = 200_000;

/// How long an account is denied calls without asking again while all calls are granted but not all spent, or after
/// the store failed. It doubles up to so many times while other processes release nothing: they may have crashed.
const DENIED_MILLIS: u64 = 250;
const MAX_DOUBLINGS: u32 = 5;

/// Denied until the end of the period.
const UNTIL_PERIOD_ENDS: u64 = u64::MAX;

/// How long before the end of a minute, in milliseconds, an active account has the next one leased, so that it starts
/// without waiting even while the store cannot be reached.
const RENEW_BEFORE_MS: i64 = 20_000;

/// How often calls of the month are reported that no renewal has reported. `candango account show` says so.
const REPORT_EVERY: Duration = Duration::from_mins(1);

/// How many accounts report or release their leases at once.
const CONCURRENT: usize = 64;

/// The value of [`AccountQuota::changed`] once an account was evicted.
const EVICTED: u64 = u64::MAX;

/// The leases of one account.
#[derive(Debug)]
pub struct AccountQuota {
    account: AccountId,
    /// The number of the last change to its keys or plan: see [`super::keys::Keys`].
    pub(super) changed: AtomicU64,
    minute: Current,
    month: Current,
    /// The lease of the next minute.
    next: ArcSwapOption<Lease>,
}

/// The current lease. Replacing or renewing it takes the lock; spending does not.
#[derive(Debug, Default)]
struct Current {
    lease: ArcSwapOption<Lease>,
    lock: Mutex<()>,
}

/// Why a call was not spent.
#[derive(Debug)]
pub enum QuotaError {
    /// The calls of the period are spent.
    Exhausted(Period),
    /// There are calls left, but at present the store grants none.
    Withheld,
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for QuotaError {
    fn from(error: StoreError) -> QuotaError {
        QuotaError::Store(error)
    }
}

/// What is left of an account's quotas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaStatus {
    /// Calls left in the minute.
    pub minute_left: u32,
    /// Seconds until the next minute.
    pub minute_resets: u32,
    /// Calls left in the month and the seconds until the next; none while this process does not know, as before the
    /// first call of the account.
    pub month: Option<(u32, u32)>,
}

/// An account that has spent much of its month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    /// The account.
    pub account: AccountId,
    /// Calls spent, over all processes, as far as this one knows.
    pub used: u32,
    /// The quota.
    pub limit: u32,
}

/// What an account has spent in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// Calls spent, over all processes.
    pub calls: u32,
    /// The same by action, in the order of [`CallKind::all`]; the lost calls of a crashed process have none.
    pub by_action: Vec<(&'static str, u32)>,
    /// When the next month begins.
    pub resets_at: UnixMillis,
}

impl Quota {
    /// A quota without leases, which it will renew on `background`.
    pub fn new(
        store: Arc<dyn QuotaStore>,
        clock: Clock,
        background: Handle,
        counters: LeaseMetrics,
    ) -> Quota {
        Quota { store, accounts: DashMap::new(), clock, background, counters, started: Instant::now() }
    }

    /// The leases of an account, which is kept in memory from now on.
    pub(super) fn account(self: &Arc<Self>, account: &AccountId) -> Arc<AccountQuota> {
        if let Some(known) = self.get(account) {
            return known;
        }
        if self.accounts.len() >= MAX_ACCOUNTS {
            self.evict();
        }
        let new = || {
            Arc::new(AccountQuota {
                account: account.clone(),
                changed: AtomicU64::new(0),
                minute: Current::default(),
                month: Current::default(),
                next: ArcSwapOption::empty(),
            })
        };
        self.accounts.entry(account.clone()).or_insert_with(new).clone()
    }

    /// The leases of an account, if it is in memory.
    pub(super) fn get(&self, account: &AccountId) -> Option<Arc<AccountQuota>> {
        self.accounts.get(account).map(|found| found.value().clone())
    }

    /// The accounts in memory that have spent at least so many percent of a month.
    pub fn spent(&self, month: Period, percent: u32) -> Vec<Spent> {
        let spent = |account: &AccountQuota| {
            let lease =
                account.month.lease.load_full().filter(|lease| lease.period.number == month.number)?;
            let (used, limit) = (lease.gone(), lease.limit.load(Ordering::Relaxed));
            let is_much = limit > 0 && u64::from(used) * 100 >= u64::from(limit) * u64::from(percent);
            is_much.then(|| Spent { account: account.account.clone(), used, limit })
        };
        self.accounts.iter().filter_map(|account| spent(account.value())).collect()
    }

    /// Evicts every second account and releases its leases. Recent use is not tracked: it would cost each call, and
    /// an evicted account that comes back costs one store call.
    fn evict(self: &Arc<Self>) {
        let mut keep = false;
        let mut evicted = Vec::new();
        self.accounts.retain(|_, account| {
            keep = !keep;
            if !keep {
                // a key cached with it is looked up again
                account.changed.store(EVICTED, Ordering::SeqCst);
                evicted.push(account.clone());
            }
            keep
        });
        let quota = self.clone();
        self.background.spawn(async move { quota.release_all(evicted).await });
    }

    /// Spends a call of the minute, and makes sure that the month has a lease.
    pub async fn admit(
        self: &Arc<Self>,
        account: &Arc<AccountQuota>,
        moment: Moment,
        figures: Figures,
    ) -> Result<(), QuotaError> {
        if let Some(lease) = &*account.minute.lease.load()
            && lease.spend(moment.minute_number, figures.per_minute)
        {
            self.after_spending(account, lease, moment);
            return Ok(());
        }
        // boxed, so that the rare wait for the store does not enlarge the future of every request
        Box::pin(async move {
            // the first call of each minute comes by here, and so does the first call of each month
            self.ensure_month(account, moment, figures).await?;
            self.spend_or_claim(account, moment, moment.minute(), figures).await.map(drop)
        })
        .await
    }

    /// Spends a call of the month; asks the store only when the lease is empty.
    pub async fn charge(
        self: &Arc<Self>,
        account: &Arc<AccountQuota>,
        moment: Moment,
        figures: Figures,
        kind: CallKind,
    ) -> Result<(), QuotaError> {
        if let Some(lease) = &*account.month.lease.load()
            && lease.spend(moment.month_number, figures.per_month)
        {
            lease.by_action.add(kind);
            self.after_spending(account, lease, moment);
            return Ok(());
        }
        let lease = Box::pin(self.spend_or_claim(account, moment, moment.month(), figures)).await?;
        lease.by_action.add(kind);
        Ok(())
    }

    /// What is left of an account's quotas, as far as this process knows without asking.
    pub fn status(&self, account: &AccountQuota, moment: Moment, figures: Figures) -> QuotaStatus {
        let left = |current: &Current, number: u32, limit: u32| {
            let lease = current.lease.load();
            let lease = lease.as_ref().filter(|lease| lease.period.number == number)?;
            Some((limit.saturating_sub(lease.gone()), lease.period.seconds_left(moment.at)))
        };
        let minute = left(&account.minute, moment.minute_number, figures.per_minute);
        QuotaStatus {
            // without a lease this process has admitted no call of the minute
            minute_left: minute.map_or(figures.per_minute, |(left, _)| left),
            minute_resets: moment.minute().seconds_left(moment.at),
            month: left(&account.month, moment.month_number, figures.per_month),
        }
    }

    /// What an account has spent this month, over all processes.
    pub async fn usage(&self, account: &AccountQuota, moment: Moment) -> StoreResult<Usage> {
        self.store.recall(&account.account).await?;
        let period = moment.month();
        let leases = self.store.leases(&account.account, period).await?;
        let own = account.month.lease.load_full().filter(|lease| lease.period == period);
        // of its own lease this process knows more than the store
        let is_other = |lease: &&LeaseRecord| own.as_ref().is_none_or(|own| own.holder != lease.holder);
        let others: Vec<&LeaseRecord> = leases.iter().filter(is_other).collect();
        let used = others.iter().map(|lease| lease.used).chain(own.as_ref().map(|own| own.used()));
        let calls = used.fold(0, u32::saturating_add);
        let counted = |kind: CallKind| {
            let own = own.as_ref().map(|own| own.by_action.get(kind));
            others.iter().filter_map(|lease| lease.calls(kind.as_str())).chain(own).sum::<u32>()
        };
        let by_action = CallKind::all().map(|kind| (kind.as_str(), counted(kind)));
        let by_action = by_action.filter(|(_, count)| *count > 0).collect();
        Ok(Usage { calls, by_action, resets_at: period.ends_at })
    }

    /// Reports and releases the leases of an account.
    pub async fn release(&self, account: &AccountId) {
        if let Some(account) = self.get(account) {
            self.release_account(&account).await;
        }
    }

    /// Releases all leases: the process stops.
    pub async fn close(&self) {
        self.release_all(self.all()).await;
    }

    /// Reports each minute the calls of the month that the store does not know, so that commands and the other servers
    /// know them. Most accounts ask the store less often than that: their lease lasts for long.
    pub async fn report_each_minute(&self) {
        let mut rounds = ticks(REPORT_EVERY);
        loop {
            rounds.tick().await;
            self.report().await;
        }
    }

    /// Reports the calls of the month that the store does not know.
    pub async fn report(&self) {
        let is_behind = |account: &AccountQuota| {
            account.month.lease.load().as_ref().is_some_and(|lease| lease.has_unreported_calls())
        };
        let behind = self.accounts.iter().filter(|account| is_behind(account.value()));
        let behind: Vec<Arc<AccountQuota>> = behind.map(|account| account.value().clone()).collect();
        let reporting = stream::iter(behind)
            .for_each_concurrent(CONCURRENT, |account| async move { self.report_month(&account).await });
        reporting.await;
    }

    async fn report_month(&self, account: &AccountQuota) {
        let _lock = account.month.lock.lock().await;
        // another claim may have been faster
        let lease = account.month.lease.load_full().filter(|lease| lease.has_unreported_calls());
        let Some(lease) = lease else { return };
        if self.clock.now() < lease.period.ends_at {
            // what it holds, and no more; after a failure the next round reports the same
            let _ = self.claim(account, &lease, lease.left(), lease.last_moment()).await;
        } else {
            self.release_lease(account, &lease).await;
        }
    }

    /// Reports all leases again, because the store may have lost them. Months first, as they are worth more.
    pub async fn restate(&self) {
        let accounts = self.all();
        for kind in [PeriodKind::Month, PeriodKind::Minute] {
            let restating = stream::iter(&accounts).for_each_concurrent(CONCURRENT, |account| async move {
                let _lock = account.current(kind).lock.lock().await;
                let next = if kind == PeriodKind::Minute { account.next.load_full() } else { None };
                for lease in self.unexpired(account.current(kind), next) {
                    // after a failure the next claim reports the same
                    let _ = self.claim(account, &lease, lease.left(), lease.last_moment()).await;
                }
            });
            restating.await;
        }
    }

    /// Drops all leases without a report: the store that granted them is gone.
    pub fn forget(&self) {
        self.accounts.retain(|_, account| {
            account.changed.store(EVICTED, Ordering::SeqCst);
            false
        });
    }

    async fn release_all(&self, accounts: Vec<Arc<AccountQuota>>) {
        let releasing = stream::iter(accounts)
            .for_each_concurrent(CONCURRENT, |account| async move { self.release_account(&account).await });
        releasing.await;
    }

    async fn release_account(&self, account: &AccountQuota) {
        for kind in [PeriodKind::Month, PeriodKind::Minute] {
            let _lock = account.current(kind).lock.lock().await;
            let next = if kind == PeriodKind::Minute { account.next.swap(None) } else { None };
            let now = self.clock.now();
            // what the store knows already would only keep others waiting; the calls of a month are told for long
            // after it, when nobody else can have what is left of them
            let matters = |lease: &Arc<Lease>| match kind {
                _ if now < lease.period.ends_at => !lease.is_reported(),
                PeriodKind::Month => lease.has_unreported_calls(),
                PeriodKind::Minute => false,
            };
            let leases = account.current(kind).lease.load_full().into_iter().chain(next);
            for lease in leases.filter(matters).collect::<Vec<_>>() {
                self.release_lease(account, &lease).await;
            }
        }
    }

    async fn release_lease(&self, account: &AccountQuota, lease: &Lease) {
        lease.release();
        // after a failure the next claim reports the same, or the calls are lost with the process
        let _ = self.claim(account, lease, 0, lease.last_moment()).await;
    }

    /// The current and the next lease, unless their period is over.
    fn unexpired(&self, current: &Current, next: Option<Arc<Lease>>) -> impl Iterator<Item = Arc<Lease>> {
        let now = self.clock.now();
        current.lease.load_full().into_iter().chain(next).filter(move |lease| now < lease.period.ends_at)
    }

    fn all(&self) -> Vec<Arc<AccountQuota>> {
        self.accounts.iter().map(|account| account.value().clone()).collect()
    }

    /// Renews the lease, or gets the next one, in the background if it is time to.
    #[inline]
    fn after_spending(self: &Arc<Self>, account: &Arc<AccountQuota>, lease: &Arc<Lease>, moment: Moment) {
        if lease.is_low() && !lease.is_renewing.swap(true, Ordering::Relaxed) {
            self.background.spawn(self.clone().renew(account.clone(), lease.clone(), moment));
        }
        if lease.period.kind == PeriodKind::Minute
            && lease.period.ends_at.0 - moment.at.0 <= RENEW_BEFORE_MS
            && !lease.requested_next.swap(true, Ordering::Relaxed)
        {
            self.background.spawn(self.clone().lease_ahead(account.clone(), lease.clone(), moment));
        }
    }

    async fn renew(self: Arc<Self>, account: Arc<AccountQuota>, lease: Arc<Lease>, moment: Moment) {
        let _lock = account.current(lease.period.kind).lock.lock().await;
        if lease.is_low() {
            // after a failure the request that finds the lease empty asks again and gets the error
            let _ = self.claim(&account, &lease, lease.wanted(), moment.at).await;
        }
        lease.is_renewing.store(false, Ordering::Relaxed);
    }

    async fn lease_ahead(self: Arc<Self>, account: Arc<AccountQuota>, lease: Arc<Lease>, moment: Moment) {
        let _lock = account.minute.lock.lock().await;
        let current = account.minute.lease.load_full();
        if current.is_some_and(|current| current.period.number > lease.period.number) {
            // a request was faster
            return;
        }
        let limit = lease.limit.load(Ordering::Relaxed);
        let Ok(next) = self.new_lease(lease.period.following(), limit, limit) else { return };
        let next = Arc::new(next);
        // kept after a failure too: the store may have granted it
        let _ = self.claim(&account, &next, lease.wanted(), moment.at).await;
        account.next.store(Some(next));
    }

    /// Makes sure that the month has a lease.
    async fn ensure_month(
        self: &Arc<Self>,
        account: &Arc<AccountQuota>,
        moment: Moment,
        figures: Figures,
    ) -> Result<(), QuotaError> {
        let _lock = account.month.lock.lock().await;
        let (lease, is_new) = self.lease_for(account, moment.month(), figures)?;
        if is_new {
            self.counters.waits.inc();
            // installed before the claim: after a lost answer the next claim goes on with it
            self.install(account, lease.clone());
            self.claim(account, &lease, lease.wanted(), moment.at).await?;
        }
        Ok(())
    }

    /// Makes a lease the current one.
    fn install(self: &Arc<Self>, account: &Arc<AccountQuota>, lease: Arc<Lease>) {
        let number = lease.period.number;
        let Some(before) = account.current(lease.period.kind).lease.swap(Some(lease)) else { return };
        match before.period.kind {
            // for a late request, or after the clock was set back, the later minute comes again
            PeriodKind::Minute if before.period.number > number => account.next.store(Some(before)),
            PeriodKind::Minute => {}
            // the previous month may be reported on, and be current again after the clock was set back
            PeriodKind::Month => {
                let (quota, account) = (self.clone(), account.clone());
                self.background.spawn(async move {
                    let _lock = account.month.lock.lock().await;
                    quota.release_lease(&account, &before).await;
                });
            }
        }
    }

    /// Spends a call of the period, and asks the store for more if the lease is empty.
    async fn spend_or_claim(
        self: &Arc<Self>,
        account: &Arc<AccountQuota>,
        moment: Moment,
        period: Period,
        figures: Figures,
    ) -> Result<Arc<Lease>, QuotaError> {
        let limit = figures.of(period.kind);
        let lock = account.current(period.kind).lock.lock().await;
        let (lease, is_new) = self.lease_for(account, period, figures)?;
        if is_new {
            self.install(account, lease.clone());
        }
        let before = lease.limit.load(Ordering::Acquire);
        if limit < before {
            // calls granted under the higher limit must not be spent under the lower one
            lease.release();
        }
        lease.max_wanted.store(figures.per_minute, Ordering::Relaxed);
        lease.limit.store(limit, Ordering::Release);
        if before == limit {
            // another request may have claimed while this one waited for the lock
            if lease.spend(period.number, limit) {
                return Ok(lease);
            }
            if self.millis() < lease.denied_until.load(Ordering::Relaxed) {
                return Err(denial(&lease, limit));
            }
        }
        self.counters.waits.inc();
        let outcome = self.claim_one(account, &lease, moment, limit, lock).await;
        let denied_until = match &outcome {
            Ok(true) => 0,
            // not what ended processes have not spent: one that was only frozen may still release it
            Ok(false) if lease.used_by_all() >= limit => UNTIL_PERIOD_ENDS,
            Ok(false) => {
                let doublings = lease.denials.fetch_add(1, Ordering::Relaxed).min(MAX_DOUBLINGS);
                self.millis() + DENIED_MILLIS * (1 << doublings)
            }
            Err(_) => self.millis() + DENIED_MILLIS,
        };
        lease.denied_until.store(denied_until, Ordering::Relaxed);
        if outcome? {
            lease.denials.store(0, Ordering::Relaxed);
            Ok(lease)
        } else {
            Err(denial(&lease, limit))
        }
    }

    /// Claims until there is a call to spend, and asks the other processes to release theirs when no others are left.
    /// Whether a call was spent.
    async fn claim_one(
        &self,
        account: &AccountQuota,
        lease: &Lease,
        moment: Moment,
        limit: u32,
        lock: MutexGuard<'_, ()>,
    ) -> StoreResult<bool> {
        let others_hold = self.claim(account, lease, lease.wanted(), moment.at).await?;
        if lease.spend(lease.period.number, limit) {
            return Ok(true);
        }
        if others_hold == 0 {
            return Ok(false);
        }
        // without the lock: another process may be recalling from this one for the same reason
        drop(lock);
        self.store.recall(&account.account).await?;
        let _lock = account.current(lease.period.kind).lock.lock().await;
        self.claim(account, lease, lease.wanted(), moment.at).await?;
        Ok(lease.spend(lease.period.number, limit))
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The current lease of the period, the one prepared for it, or a new one; and whether it is still to be installed.
    fn lease_for(
        &self,
        account: &AccountQuota,
        period: Period,
        figures: Figures,
    ) -> StoreResult<(Arc<Lease>, bool)> {
        let of_period = |lease: &Arc<Lease>| lease.period.number == period.number;
        if let Some(lease) = account.current(period.kind).lease.load_full().filter(of_period) {
            return Ok((lease, false));
        }
        if period.kind == PeriodKind::Minute
            && let Some(lease) = account.next.load_full().filter(of_period)
        {
            account.next.store(None);
            return Ok((lease, true));
        }
        Ok((Arc::new(self.new_lease(period, figures.of(period.kind), figures.per_minute)?), true))
    }

    fn new_lease(&self, period: Period, limit: u32, max_wanted: u32) -> StoreResult<Lease> {
        Lease::new(period, limit, max_wanted).map_err(StoreError::failed)
    }

    /// Reports what was spent and asks for `want` unspent calls; returns how many unspent calls others hold.
    async fn claim(
        &self,
        account: &AccountQuota,
        lease: &Lease,
        want: u32,
        now: UnixMillis,
    ) -> StoreResult<u32> {
        self.counters.claims.inc();
        // nobody will find the lease of an evicted account again: no more than the present request can spend
        let is_evicted = account.changed.load(Ordering::SeqCst) == EVICTED;
        let want = if is_evicted { want.min(1) } else { want };
        let (held, used) = lease.granted_and_used();
        let by_action = CallKind::all().map(|kind| (kind.as_str(), lease.by_action.get(kind)));
        let claim = Claim {
            account: account.account.clone(),
            period: lease.period,
            limit: lease.limit.load(Ordering::Relaxed),
            holder: lease.holder.clone(),
            number: lease.next_claim(used),
            used,
            held,
            want,
            by_action: by_action.filter(|(_, count)| *count > 0).collect(),
            now,
        };
        let number = claim.number;
        let grant = self.store.lease(claim).await?;
        lease.answered(number);
        let all_granted =
            grant.granted.saturating_add(grant.others_granted) >= lease.limit.load(Ordering::Relaxed);
        lease.grant(grant.granted, all_granted);
        lease.others_used.store(grant.others_used, Ordering::Relaxed);
        if want > 0 {
            lease.others_lost.store(grant.others_lost, Ordering::Relaxed);
        }
        Ok(grant.others_granted.saturating_sub(grant.others_used))
    }
}

impl AccountQuota {
    fn current(&self, kind: PeriodKind) -> &Current {
        match kind {
            PeriodKind::Minute => &self.minute,
            PeriodKind::Month => &self.month,
        }
    }
}

/// Why an empty lease gives no call. Calls that other processes hold unspent do not help the caller: it is over the
/// quota, except for what the others may release.
fn denial(lease: &Lease, limit: u32) -> QuotaError {
    if lease.is_all_granted() || lease.used_by_all() >= limit {
        QuotaError::Exhausted(lease.period)
    } else {
        QuotaError::Withheld
    }
}
