//! The meter: whether an account has calls left, answered from memory and right to the unit over all processes.
//!
//! A process holds a *lease* of each active account's minute and month: calls granted by the store, spent with one
//! atomic step each. Below half it asks for more in the background; a request waits for the store only when its
//! lease is empty or there is none yet. Nothing is ever spent that was not granted, and the store never grants more
//! than the quota, so no crash, pause or lost reply lets a call too many through; a process that dies takes what it
//! had not spent with it. Uses [`crate::domain::account`], [`crate::domain::clock`], [`crate::metrics`], [`crate::domain::plan`],
//! [`crate::soon`] and [`crate::store`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use dashmap::DashMap;
use futures_util::StreamExt;
use futures_util::stream;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, MutexGuard};

use crate::domain::account::{AccountId, HolderId};
use crate::domain::clock::{Clock, Moment, Period, PeriodKind, UnixMillis};
use crate::domain::plan::Figures;
use crate::metrics::LeaseMetrics;
use crate::store::{Claim, QuotaStore, StoreError};

/// What every account has left, as far as this process holds it.
#[derive(Debug)]
pub struct Quota {
    store: Arc<dyn QuotaStore>,
    members: DashMap<AccountId, Arc<AccountQuota>>,
    /// The names that [`Quota::charge`] numbers.
    actions: &'static [&'static str],
    clock: Clock,
    /// Where leases are renewed while requests go on.
    background: Handle,
    counters: LeaseMetrics,
    /// What `dry_until` is counted from: no one sets this clock.
    born: Instant,
}

/// As many accounts as are kept in mind; idle ones give way.
const MOST_MEMBERS: usize = 200_000;

/// The least that is asked for at once.
const SMALLEST: u32 = 64;

/// A lease is to last so long at the rate of late: twice the time for which the store may be away, since it is
/// renewed when half is gone.
const LASTS: Duration = Duration::from_secs(30);

/// How long an account is refused without asking again whose calls are all granted but not all spent, or for whom
/// the store had no answer; and how often it doubles while others give nothing up: some of them may be dead.
const DRY: Duration = Duration::from_millis(250);
const DOUBLINGS: u32 = 5;

/// Dry until the period is over.
const TO_THE_END: u64 = u64::MAX;

/// So long before a minute ends, in milliseconds, accounts that are active have the next one leased too, so that it
/// begins without waiting, and even while the store is away.
const AHEAD: i64 = 20_000;

/// How many leases are settled at once when many are.
const TOGETHER: usize = 64;

/// An account, as the meter knows it.
#[derive(Debug)]
pub struct AccountQuota {
    account: AccountId,
    /// The number of the last change to its keys or plan: see [`super::keys::Keys`].
    pub(super) changed: AtomicU64,
    minute: Running,
    month: Running,
    /// The lease of the minute to come.
    next: ArcSwapOption<Lease>,
}

/// The lease that runs. Whoever replaces or renews it holds the door; whoever spends needs nothing.
#[derive(Debug, Default)]
struct Running {
    lease: ArcSwapOption<Lease>,
    door: Mutex<()>,
}

/// Calls of one period granted to this process.
#[derive(Debug)]
struct Lease {
    period: Period,
    holder: HolderId,
    /// The quota that it is a part of.
    limit: AtomicU32,
    /// Granted in the upper half, spent in the lower, both in total: so that one step compares and spends.
    calls: AtomicU64,
    others_used: AtomicU32,
    /// Renewed when fewer than this many are left; none when there are no more to be had.
    low: AtomicU32,
    renewing: AtomicBool,
    /// Whether the minute after it has been thought of.
    looked_ahead: AtomicBool,
    /// The most that it is worth holding, whatever the rate of late: what a minute allows.
    most: AtomicU32,
    /// Milliseconds of the meter until which there is no use in asking for more: the quota is spent, others hold the
    /// rest, or the store is away.
    dry_until: AtomicU64,
    /// How often in a row others were asked to give up what they hold, and gave nothing.
    in_vain: AtomicU32,
    by_action: Box<[AtomicU32]>,
    asked: std::sync::Mutex<Asked>,
}

/// What was claimed of late.
#[derive(Debug)]
struct Asked {
    number: u32,
    used: u32,
    at: Instant,
}

/// Why a call was not spent.
#[derive(Debug)]
pub enum QuotaError {
    /// The calls of the period are spent.
    Exhausted(Period),
    /// There are calls left, but for a moment the store grants none.
    Withheld,
    /// The store did not say.
    Store(StoreError),
}

impl From<StoreError> for QuotaError {
    fn from(error: StoreError) -> QuotaError {
        QuotaError::Store(error)
    }
}

/// How an account stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaStatus {
    /// Calls left in the minute.
    pub minute_left: u32,
    /// Seconds until the next minute.
    pub minute_resets: u32,
    /// Calls left in the month.
    pub month_left: u32,
    /// Seconds until the next month.
    pub month_resets: u32,
}

/// What an account has spent in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// Calls spent, over all processes.
    pub calls: u32,
    /// Those by action, in the order of the table of actions; what was lost with a process has no action.
    pub by_action: Vec<(&'static str, u32)>,
    /// When the next month begins.
    pub resets_at: UnixMillis,
}

impl Quota {
    /// Nothing leased yet. Must be made within a runtime, which renews the leases.
    pub fn new(
        store: Arc<dyn QuotaStore>,
        actions: &'static [&'static str],
        clock: Clock,
        background: Handle,
        counters: LeaseMetrics,
    ) -> Quota {
        Quota { store, members: DashMap::new(), actions, clock, background, counters, born: Instant::now() }
    }

    /// The account in the meter's mind.
    pub(super) fn member(self: &Arc<Self>, account: &AccountId) -> Arc<AccountQuota> {
        if let Some(member) = self.known(account) {
            return member;
        }
        if self.members.len() >= MOST_MEMBERS {
            self.make_room();
        }
        let new = || {
            Arc::new(AccountQuota {
                account: account.clone(),
                changed: AtomicU64::new(0),
                minute: Running::default(),
                month: Running::default(),
                next: ArcSwapOption::empty(),
            })
        };
        self.members.entry(account.clone()).or_insert_with(new).clone()
    }

    /// The account, if it is in the meter's mind.
    pub(super) fn known(&self, account: &AccountId) -> Option<Arc<AccountQuota>> {
        self.members.get(account).map(|member| member.value().clone())
    }

    /// Forgets every second account: which were used of late is not noted, and one that comes back only asks the
    /// store again. What they held is given up.
    fn make_room(self: &Arc<Self>) {
        let mut keep = false;
        let mut dropped = Vec::new();
        self.members.retain(|_, member| {
            keep = !keep;
            if !keep {
                // whoever still has it must not honour what is remembered with it
                member.changed.store(u64::MAX, Ordering::SeqCst);
                dropped.push(member.clone());
            }
            keep
        });
        let meter = self.clone();
        self.background.spawn(async move { meter.settle_all(dropped).await });
    }

    /// Spends a call of the minute, and sees to it that the month has a lease.
    pub async fn admit(
        self: &Arc<Self>,
        member: &Arc<AccountQuota>,
        moment: Moment,
        figures: Figures,
    ) -> Result<(), QuotaError> {
        if let Some(lease) = &*member.minute.lease.load()
            && lease.spend(moment.minute_number(), figures.per_minute)
        {
            self.after_spending(member, lease, moment);
            return Ok(());
        }
        // Boxed, so that the rare wait for the store does not enlarge the future of every request.
        Box::pin(async move {
            // The first call of each minute passes here, and so the first call of each month does too.
            self.see_to_month(member, moment, figures).await?;
            self.spend_slowly(member, moment, moment.minute(), figures).await.map(drop)
        })
        .await
    }

    /// Spends a call of the month on an action. Asks the store only when the lease is empty.
    pub async fn charge(
        self: &Arc<Self>,
        member: &Arc<AccountQuota>,
        moment: Moment,
        figures: Figures,
        action: usize,
    ) -> Result<(), QuotaError> {
        if let Some(lease) = &*member.month.lease.load()
            && lease.spend(moment.month_number(), figures.per_month)
        {
            lease.by_action[action].fetch_add(1, Ordering::Relaxed);
            self.after_spending(member, lease, moment);
            return Ok(());
        }
        let lease = Box::pin(self.spend_slowly(member, moment, moment.month(), figures)).await?;
        lease.by_action[action].fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// How the account stands, as far as this process knows without asking.
    pub fn standing(&self, member: &AccountQuota, moment: Moment, figures: Figures) -> QuotaStatus {
        let left = |running: &Running, number: u32, limit: u32| match &*running.lease.load() {
            Some(lease) if lease.period.number == number => {
                (limit.saturating_sub(lease.spent_by_all()), lease.period.seconds_left(moment.at))
            }
            _ => (limit, 0),
        };
        let (month_left, month_resets) = left(&member.month, moment.month_number(), figures.per_month);
        let (minute_left, _) = left(&member.minute, moment.minute_number(), figures.per_minute);
        QuotaStatus {
            minute_left,
            minute_resets: moment.minute().seconds_left(moment.at),
            month_left,
            month_resets,
        }
    }

    /// What the account has spent this month, over all processes.
    pub async fn usage(&self, member: &AccountQuota, moment: Moment) -> Result<Usage, StoreError> {
        self.store.recall(&member.account).await?;
        let period = moment.month();
        let statements = self.store.leases(&member.account, period).await?;
        let own = member.month.lease.load_full().filter(|lease| lease.period == period);
        let mut by_action: Vec<(&'static str, u32)> = self.actions.iter().map(|name| (*name, 0)).collect();
        let mut calls = 0u32;
        for stated in
            statements.iter().filter(|stated| own.as_ref().is_none_or(|own| own.holder != stated.holder))
        {
            calls = calls.saturating_add(stated.used);
            for (name, count) in &stated.by_action {
                if let Some((_, sum)) = by_action.iter_mut().find(|(known, _)| known == name) {
                    *sum += count;
                }
            }
        }
        if let Some(own) = own {
            calls = calls.saturating_add(own.used());
            for ((_, sum), count) in by_action.iter_mut().zip(&own.by_action) {
                *sum += count.load(Ordering::Relaxed);
            }
        }
        by_action.retain(|(_, count)| *count > 0);
        Ok(Usage { calls, by_action, resets_at: period.ends_at })
    }

    /// Gives up what is held of an account and restates what was spent.
    pub async fn settle(&self, account: &AccountId) {
        if let Some(member) = self.known(account) {
            self.settle_member(&member).await;
        }
    }

    /// Gives up everything: the process stops.
    pub async fn close(&self) {
        self.settle_all(self.all()).await;
    }

    /// Restates everything that is held, because the store may have lost what it was told. Months first: they are
    /// worth more.
    pub async fn restate(&self) {
        let members = self.all();
        for kind in [PeriodKind::Month, PeriodKind::Minute] {
            let restating = stream::iter(&members).for_each_concurrent(TOGETHER, |member| async move {
                let _door = member.running(kind).door.lock().await;
                let next = if kind == PeriodKind::Minute { member.next.load_full() } else { None };
                for lease in self.held(member.running(kind), next) {
                    // tried again with the next claim, which restates the same
                    let _ = self.claim(member, &lease, lease.left(), lease.last_moment()).await;
                }
            });
            restating.await;
        }
    }

    /// Drops everything unsaid: what it was leased from is gone.
    pub fn forget(&self) {
        self.members.retain(|_, member| {
            member.changed.store(u64::MAX, Ordering::SeqCst);
            false
        });
    }

    async fn settle_all(&self, members: Vec<Arc<AccountQuota>>) {
        let settling = stream::iter(members)
            .for_each_concurrent(TOGETHER, |member| async move { self.settle_member(&member).await });
        settling.await;
    }

    async fn settle_member(&self, member: &AccountQuota) {
        for kind in [PeriodKind::Month, PeriodKind::Minute] {
            let _door = member.running(kind).door.lock().await;
            let next = if kind == PeriodKind::Minute { member.next.swap(None) } else { None };
            for lease in self.held(member.running(kind), next) {
                self.give_back(member, &lease).await;
            }
        }
    }

    async fn give_back(&self, member: &AccountQuota, lease: &Lease) {
        lease.give_up();
        // what could not be told is told with the next claim, or lost with the process
        let _ = self.claim(member, lease, 0, lease.last_moment()).await;
    }

    /// The lease that runs and the next, but for those whose period has passed: nobody waits for what they hold.
    fn held(&self, running: &Running, next: Option<Arc<Lease>>) -> impl Iterator<Item = Arc<Lease>> {
        let now = self.clock.now();
        running.lease.load_full().into_iter().chain(next).filter(move |lease| now < lease.period.ends_at)
    }

    fn all(&self) -> Vec<Arc<AccountQuota>> {
        self.members.iter().map(|member| member.value().clone()).collect()
    }

    /// What follows a call that was spent from a lease at hand, besides answering it.
    #[inline]
    fn after_spending(self: &Arc<Self>, member: &Arc<AccountQuota>, lease: &Arc<Lease>, moment: Moment) {
        if lease.left() < lease.low.load(Ordering::Relaxed) && !lease.renewing.swap(true, Ordering::Relaxed) {
            let (meter, member, lease) = (self.clone(), member.clone(), lease.clone());
            self.background.spawn(async move {
                let running = member.running(lease.period.kind);
                let _door = running.door.lock().await;
                if lease.left() < lease.low.load(Ordering::Relaxed) {
                    // when it fails, the request that finds the lease empty asks again and hears why
                    let _ = meter.claim(&member, &lease, lease.wanted(), moment.at).await;
                }
                lease.renewing.store(false, Ordering::Relaxed);
            });
        }
        if lease.period.kind == PeriodKind::Minute
            && lease.period.ends_at.0 - moment.at.0 <= AHEAD
            && !lease.looked_ahead.swap(true, Ordering::Relaxed)
        {
            let (meter, member, lease) = (self.clone(), member.clone(), lease.clone());
            self.background.spawn(async move {
                let _door = member.minute.door.lock().await;
                let running = member.minute.lease.load_full();
                if running.is_some_and(|running| running.period.number > lease.period.number) {
                    // a request was quicker
                    return;
                }
                let limit = lease.limit.load(Ordering::Relaxed);
                let Ok(next) = meter.new_lease(lease.period.next_minute(), limit, limit) else { return };
                let next = Arc::new(next);
                // kept whatever the answer is: the store may have granted it all the same
                let _ = meter.claim(&member, &next, lease.wanted(), moment.at).await;
                member.next.store(Some(next));
            });
        }
    }

    /// Sees to it that a lease of the month runs.
    async fn see_to_month(
        self: &Arc<Self>,
        member: &Arc<AccountQuota>,
        moment: Moment,
        figures: Figures,
    ) -> Result<(), QuotaError> {
        let _door = member.month.door.lock().await;
        let (lease, fresh) = self.lease_for(member, moment.month(), figures)?;
        if fresh {
            self.counters.waits.inc();
            // in place before it is asked for: should the answer be lost, the next claim goes on with it
            self.put_in_place(member, lease.clone());
            self.claim(member, &lease, lease.wanted(), moment.at).await?;
        }
        Ok(())
    }

    /// Lets a lease run in the place of the one before.
    fn put_in_place(self: &Arc<Self>, member: &Arc<AccountQuota>, lease: Arc<Lease>) {
        let number = lease.period.number;
        let Some(before) = member.running(lease.period.kind).lease.swap(Some(lease)) else { return };
        match before.period.kind {
            // a request that is a little late, or a clock put back: the minute that had begun comes again
            PeriodKind::Minute if before.period.number > number => member.next.store(Some(before)),
            PeriodKind::Minute => {}
            // a month that is over may be looked back at, and a clock that is put back may come to it again
            PeriodKind::Month => {
                let (meter, member) = (self.clone(), member.clone());
                self.background.spawn(async move {
                    let _door = member.month.door.lock().await;
                    meter.give_back(&member, &before).await;
                });
            }
        }
    }

    /// Spends a call of the period, asking the store when there is none at hand.
    async fn spend_slowly(
        self: &Arc<Self>,
        member: &Arc<AccountQuota>,
        moment: Moment,
        period: Period,
        figures: Figures,
    ) -> Result<Arc<Lease>, QuotaError> {
        let limit = figures.of(period.kind);
        let running = member.running(period.kind);
        let door = running.door.lock().await;
        let (lease, fresh) = self.lease_for(member, period, figures)?;
        if fresh {
            self.put_in_place(member, lease.clone());
        }
        let before = lease.limit.load(Ordering::Acquire);
        if limit < before {
            // what was granted under the greater limit must not be spent under the smaller
            lease.give_up();
        }
        lease.most.store(figures.per_minute, Ordering::Relaxed);
        lease.limit.store(limit, Ordering::Release);
        if before == limit {
            // somebody may have asked while this one waited at the door
            if lease.spend(period.number, limit) {
                return Ok(lease);
            }
            if self.millis() < lease.dry_until.load(Ordering::Relaxed) {
                return Err(lease.short(limit));
            }
        }
        self.counters.waits.inc();
        let outcome = self.ask_for_a_call(member, &lease, moment, limit, door).await;
        let dry_until = match &outcome {
            Ok(true) => 0,
            Ok(false) if lease.spent_by_all() >= limit => TO_THE_END,
            Ok(false) => {
                let doublings = lease.in_vain.fetch_add(1, Ordering::Relaxed).min(DOUBLINGS);
                self.millis() + (DRY.as_millis() as u64) * (1 << doublings)
            }
            Err(_) => self.millis() + DRY.as_millis() as u64,
        };
        lease.dry_until.store(dry_until, Ordering::Relaxed);
        match outcome? {
            true => {
                lease.in_vain.store(0, Ordering::Relaxed);
                Ok(lease)
            }
            false => Err(lease.short(limit)),
        }
    }

    /// Claims until there is a call to spend, asking others to give up theirs when nothing else is left; whether one
    /// was spent.
    async fn ask_for_a_call(
        &self,
        member: &AccountQuota,
        lease: &Lease,
        moment: Moment,
        limit: u32,
        door: MutexGuard<'_, ()>,
    ) -> Result<bool, StoreError> {
        let others_hold = self.claim(member, lease, lease.wanted(), moment.at).await?;
        if lease.spend(lease.period.number, limit) {
            return Ok(true);
        }
        if others_hold == 0 {
            return Ok(false);
        }
        // not with the door in hand: others may be calling this process in for the same reason
        drop(door);
        self.store.recall(&member.account).await?;
        let _door = member.running(lease.period.kind).door.lock().await;
        self.claim(member, lease, lease.wanted(), moment.at).await?;
        Ok(lease.spend(lease.period.number, limit))
    }

    fn millis(&self) -> u64 {
        self.born.elapsed().as_millis() as u64
    }

    /// The lease that runs, the one got ready for the period, or a new one; and whether it is yet to be put in place.
    fn lease_for(
        &self,
        member: &AccountQuota,
        period: Period,
        figures: Figures,
    ) -> Result<(Arc<Lease>, bool), StoreError> {
        let of_period = |lease: &Arc<Lease>| lease.period.number == period.number;
        if let Some(lease) = member.running(period.kind).lease.load_full().filter(of_period) {
            return Ok((lease, false));
        }
        if period.kind == PeriodKind::Minute
            && let Some(lease) = member.next.load_full().filter(of_period)
        {
            member.next.store(None);
            return Ok((lease, true));
        }
        Ok((Arc::new(self.new_lease(period, figures.of(period.kind), figures.per_minute)?), true))
    }

    fn new_lease(&self, period: Period, limit: u32, most: u32) -> Result<Lease, StoreError> {
        Ok(Lease {
            period,
            holder: HolderId::generate().map_err(|error| StoreError::Failed(Arc::new(error)))?,
            limit: AtomicU32::new(limit),
            most: AtomicU32::new(most),
            calls: AtomicU64::new(0),
            others_used: AtomicU32::new(0),
            low: AtomicU32::new(1),
            renewing: AtomicBool::new(false),
            looked_ahead: AtomicBool::new(false),
            dry_until: AtomicU64::new(0),
            in_vain: AtomicU32::new(0),
            by_action: self.actions.iter().map(|_| AtomicU32::new(0)).collect(),
            asked: std::sync::Mutex::new(Asked { number: 0, used: 0, at: Instant::now() }),
        })
    }

    /// States what was spent and asks for `want` unspent calls; answers how many calls others hold unspent.
    async fn claim(
        &self,
        member: &AccountQuota,
        lease: &Lease,
        want: u32,
        now: UnixMillis,
    ) -> Result<u32, StoreError> {
        self.counters.claims.inc();
        // of an account that is forgotten nobody will find what is leased: no more than the one who asks can spend
        let forgotten = member.changed.load(Ordering::SeqCst) == u64::MAX;
        let want = if forgotten { want.min(1) } else { want };
        let (held, used) = lease.granted_and_used();
        let by_action = self.actions.iter().zip(&lease.by_action);
        let claim = Claim {
            account: member.account.clone(),
            period: lease.period,
            limit: lease.limit.load(Ordering::Relaxed),
            holder: lease.holder.clone(),
            number: lease.next_number(used),
            used,
            held,
            want,
            by_action: by_action
                .map(|(name, count)| (*name, count.load(Ordering::Relaxed)))
                .filter(|(_, count)| *count > 0)
                .collect(),
            now,
        };
        let grant = self.store.lease(claim).await?;
        let all_granted =
            grant.granted.saturating_add(grant.others_granted) >= lease.limit.load(Ordering::Relaxed);
        lease.take(grant.granted, all_granted);
        lease.others_used.store(grant.others_used, Ordering::Relaxed);
        Ok(grant.others_granted.saturating_sub(grant.others_used))
    }
}

impl AccountQuota {
    fn running(&self, kind: PeriodKind) -> &Running {
        match kind {
            PeriodKind::Minute => &self.minute,
            PeriodKind::Month => &self.month,
        }
    }
}

impl Lease {
    /// Spends a call, when the lease is of this period and limit and has one.
    #[inline]
    fn spend(&self, number: u32, limit: u32) -> bool {
        self.period.number == number
            && self.limit.load(Ordering::Relaxed) == limit
            && self
                .calls
                .try_update(Ordering::AcqRel, Ordering::Relaxed, |calls| {
                    ((calls >> 32) as u32 > calls as u32).then_some(calls + 1)
                })
                .is_ok()
    }

    fn granted_and_used(&self) -> (u32, u32) {
        let calls = self.calls.load(Ordering::Acquire);
        ((calls >> 32) as u32, calls as u32)
    }

    fn used(&self) -> u32 {
        self.granted_and_used().1
    }

    fn left(&self) -> u32 {
        let (granted, used) = self.granted_and_used();
        granted.saturating_sub(used)
    }

    /// What was spent in the period, as far as is known here.
    fn spent_by_all(&self) -> u32 {
        self.used().saturating_add(self.others_used.load(Ordering::Relaxed))
    }

    /// Why it gave no call, given that it is empty.
    fn short(&self, limit: u32) -> QuotaError {
        // with calls unspent elsewhere, the caller is over the quota but for what others will give up
        if self.low.load(Ordering::Relaxed) == 0 || self.spent_by_all() >= limit {
            QuotaError::Exhausted(self.period)
        } else {
            QuotaError::Withheld
        }
    }

    /// Takes what was granted in total. Less than before is possible when the limit fell; what was spent meanwhile
    /// is spent.
    fn take(&self, granted: u32, all_granted: bool) {
        let mut left = 0;
        self.calls.update(Ordering::AcqRel, Ordering::Acquire, |calls| {
            let used = calls as u32;
            left = granted.saturating_sub(used);
            u64::from(granted.max(used)) << 32 | u64::from(used)
        });
        self.low.store(if all_granted { 0 } else { (left / 2).max(1) }, Ordering::Relaxed);
    }

    /// Gives up what is unspent: from here on the lease is empty.
    fn give_up(&self) {
        self.calls.update(Ordering::AcqRel, Ordering::Acquire, |calls| {
            u64::from(calls as u32) << 32 | u64::from(calls as u32)
        });
        self.low.store(1, Ordering::Relaxed);
    }

    /// How many calls would last for a while at the rate of late.
    fn wanted(&self) -> u32 {
        let asked = self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let spent = f64::from(self.used().saturating_sub(asked.used));
        let rate = spent / asked.at.elapsed().as_secs_f64().max(0.001);
        // nobody can spend more than a minute allows in less than one
        ((rate * LASTS.as_secs_f64()) as u32).min(self.most.load(Ordering::Relaxed)).max(SMALLEST)
    }

    /// The number of the next claim, which states `used`.
    fn next_number(&self, used: u32) -> u32 {
        let mut asked = self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *asked = Asked { number: asked.number + 1, used, at: Instant::now() };
        asked.number
    }

    /// A moment within the period, for claims that nobody's request leads to.
    fn last_moment(&self) -> UnixMillis {
        UnixMillis(self.period.ends_at.0 - 1)
    }
}
