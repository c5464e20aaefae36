//! A lease: calls of one period granted to this process, spent without locks.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::call_counts::CallCounts;
use crate::domain::account::HolderId;
use crate::domain::base62::NoRandomness;
use crate::domain::clock::{Period, UnixMillis};

/// The least that a claim wants.
const MIN_WANTED: u32 = 64;

/// How long a lease should last at the recent rate: twice the time that the store may be unreachable, because it is
/// renewed when half of it is spent.
const WANTED_FOR: Duration = Duration::from_secs(30);

/// The shortest time over which the rate is measured. A burst of milliseconds says nothing about the next half minute,
/// and what a process asked for is lost to all others when it crashes.
const MIN_RATE_WINDOW: Duration = Duration::from_secs(1);

/// Calls of one period granted to this process.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) period: Period,
    pub(super) holder: HolderId,
    /// The quota that it is a part of.
    pub(super) limit: AtomicU32,
    /// The most that is worth holding: what a minute allows.
    pub(super) max_wanted: AtomicU32,
    /// Granted in the upper half, spent in the lower, both in total: one atomic operation compares and spends.
    calls: AtomicU64,
    pub(super) others_used: AtomicU32,
    /// Unspent calls of processes that have ended, when this lease got nothing last.
    pub(super) others_lost: AtomicU32,
    /// Renewed when fewer than this many calls are left; 0 when no more can be granted.
    low: AtomicU32,
    pub(super) is_renewing: AtomicBool,
    /// Whether the lease of the next minute was requested.
    pub(super) requested_next: AtomicBool,
    /// Until when, in milliseconds of the [`super::leases::Quota`], asking for more is useless: the quota is spent,
    /// other processes hold the rest, or the store cannot be reached.
    pub(super) denied_until: AtomicU64,
    /// How often in a row the other processes were asked to release calls without success.
    pub(super) denials: AtomicU32,
    pub(super) by_action: CallCounts,
    last_claim: Mutex<LastClaim>,
}

/// What the last claim reported.
#[derive(Debug)]
struct LastClaim {
    number: u32,
    used: u32,
    /// Those of them that were counted by action.
    by_action: u32,
    at: Instant,
    /// Whether the store has answered it.
    is_answered: bool,
}

impl Lease {
    /// A lease without calls.
    pub(super) fn new(period: Period, limit: u32, max_wanted: u32) -> Result<Lease, NoRandomness> {
        Ok(Lease {
            period,
            holder: HolderId::generate()?,
            limit: AtomicU32::new(limit),
            max_wanted: AtomicU32::new(max_wanted),
            calls: AtomicU64::new(0),
            others_used: AtomicU32::new(0),
            others_lost: AtomicU32::new(0),
            low: AtomicU32::new(1),
            is_renewing: AtomicBool::new(false),
            requested_next: AtomicBool::new(false),
            denied_until: AtomicU64::new(0),
            denials: AtomicU32::new(0),
            by_action: CallCounts::default(),
            last_claim: Mutex::new(LastClaim {
                number: 0,
                used: 0,
                by_action: 0,
                at: Instant::now(),
                is_answered: false,
            }),
        })
    }

    /// Spends a call, if the lease is of this period and limit and has one left.
    #[inline]
    pub(super) fn spend(&self, number: u32, limit: u32) -> bool {
        self.period.number == number
            && self.limit.load(Ordering::Relaxed) == limit
            && self
                .calls
                .try_update(Ordering::AcqRel, Ordering::Relaxed, |calls| {
                    let (granted, used) = halves(calls);
                    (granted > used).then_some(calls + 1)
                })
                .is_ok()
    }

    pub(super) fn granted_and_used(&self) -> (u32, u32) {
        halves(self.calls.load(Ordering::Acquire))
    }

    pub(super) fn used(&self) -> u32 {
        self.granted_and_used().1
    }

    pub(super) fn left(&self) -> u32 {
        let (granted, used) = self.granted_and_used();
        granted.saturating_sub(used)
    }

    /// Whether it should be renewed.
    #[inline]
    pub(super) fn is_low(&self) -> bool {
        self.left() < self.low.load(Ordering::Relaxed)
    }

    /// Whether all calls of the period are granted, to this lease or to others.
    pub(super) fn is_all_granted(&self) -> bool {
        self.low.load(Ordering::Relaxed) == 0
    }

    /// The calls spent in the period by all processes, as far as this one knows.
    pub(super) fn used_by_all(&self) -> u32 {
        self.used().saturating_add(self.others_used.load(Ordering::Relaxed))
    }

    /// The same, with the calls that ended processes have not spent: nobody else will.
    pub(super) fn gone(&self) -> u32 {
        self.used_by_all().saturating_add(self.others_lost.load(Ordering::Relaxed))
    }

    /// Takes the total granted. It may be less than before when the limit fell, but never less than was spent.
    pub(super) fn grant(&self, granted: u32, all_granted: bool) {
        let (mut left, mut is_as_before) = (0, false);
        self.calls.update(Ordering::AcqRel, Ordering::Acquire, |calls| {
            let (before, used) = halves(calls);
            is_as_before = before == granted;
            left = granted.saturating_sub(used);
            u64::from(granted.max(used)) << 32 | u64::from(used)
        });
        // a report that brings nothing must not put the renewal off
        let least = if is_as_before { self.low.load(Ordering::Relaxed).max(1) } else { 1 };
        self.low.store(if all_granted { 0 } else { (left / 2).max(least) }, Ordering::Relaxed);
    }

    /// Releases the unspent calls: the lease is empty afterwards.
    pub(super) fn release(&self) {
        self.calls.update(Ordering::AcqRel, Ordering::Acquire, |calls| {
            let (_, used) = halves(calls);
            u64::from(used) << 32 | u64::from(used)
        });
        self.low.store(1, Ordering::Relaxed);
    }

    /// How many unspent calls to ask for, at the recent rate.
    pub(super) fn wanted(&self) -> u32 {
        let last = self.last_claim.lock();
        let spent = f64::from(self.used().saturating_sub(last.used));
        let rate = spent / last.at.elapsed().max(MIN_RATE_WINDOW).as_secs_f64();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "such a cast saturates")]
        let wanted = (rate * WANTED_FOR.as_secs_f64()) as u32;
        // nobody can spend more than a minute allows in less than one
        wanted.min(self.max_wanted.load(Ordering::Relaxed)).max(MIN_WANTED)
    }

    /// The number of the next claim, which reports `used`.
    pub(super) fn next_claim(&self, used: u32) -> u32 {
        let mut last = self.last_claim.lock();
        let (number, by_action) = (last.number + 1, self.by_action.total());
        *last = LastClaim { number, used, by_action, at: Instant::now(), is_answered: false };
        last.number
    }

    /// The store has answered a claim.
    pub(super) fn answered(&self, number: u32) {
        let mut last = self.last_claim.lock();
        last.is_answered |= last.number == number;
    }

    /// Whether there is nothing to release, and the store knows all that was spent.
    pub(super) fn is_reported(&self) -> bool {
        self.left() == 0 && self.last_claim.lock().is_answered && !self.has_unreported_calls()
    }

    /// Whether calls were spent of which the store may not know.
    pub(super) fn has_unreported_calls(&self) -> bool {
        let used = self.used();
        let last = self.last_claim.lock();
        let is_known = last.used == used && last.by_action == self.by_action.total();
        !is_known || (used > 0 && !last.is_answered)
    }

    /// A time within the period, for claims that no request causes.
    pub(super) fn last_moment(&self) -> UnixMillis {
        UnixMillis(self.period.ends_at.0 - 1)
    }
}

/// The calls granted and spent.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves are taken apart")]
fn halves(calls: u64) -> (u32, u32) {
    ((calls >> 32) as u32, calls as u32)
}
