//! How many calls a claim is granted: a pure rule, for stores that one server uses.
//!
//! `redis/scripts/lease.lua` has the same rule for several processes, which get smaller blocks; a test holds the two
//! against each other.

use std::time::Duration;

use super::Claim;
use crate::domain::clock::{Period, PeriodKind, UnixMillis};

/// The stored state of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Lease {
    /// The highest number of its claims.
    pub(super) number: u32,
    /// The calls granted in total.
    pub(super) granted: u32,
}

/// The total calls granted by a claim; `None` when it is repeated or older than the last one, and changes nothing.
pub(super) fn grant_total(claim: &Claim, own: Lease, others_granted: u32) -> Option<u32> {
    if claim.number <= own.number {
        return None;
    }
    let available = claim.limit.saturating_sub(others_granted);
    let new = claim.used.saturating_add(claim.want.min(available.saturating_sub(claim.used)));
    // a holder may be spending what it holds at this moment, so it keeps that unless it releases it
    let kept = if claim.want == 0 { claim.used } else { own.granted.min(claim.held) };
    // spent calls stay granted, whatever the limit
    Some(new.max(kept).min(available.max(claim.used)))
}

/// When the leases of a period may be deleted: late enough for clocks that differ, and for reports of the previous
/// month.
pub(super) fn forget_at(period: Period) -> UnixMillis {
    period.ends_at.after(match period.kind {
        PeriodKind::Minute => Duration::from_mins(10),
        PeriodKind::Month => Duration::from_hours(40 * 24),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::account::{AccountId, HolderId};
    use crate::domain::clock::Clock;
    use proptest::prelude::*;

    fn claim(number: u32, limit: u32, used: u32, held: u32, want: u32) -> Claim {
        let clock = Clock::standing_at(UnixMillis(0));
        Claim {
            account: AccountId::from_stored("acct_1".to_owned()),
            period: clock.moment().minute(),
            limit,
            holder: HolderId::from_stored("h_1".to_owned()),
            number,
            used,
            held,
            want,
            by_action: Vec::new(),
            now: UnixMillis(0),
        }
    }

    /// A holder that keeps to the contract: it takes only the answer to its newest claim, and regards released calls as
    /// gone once the claim is sent.
    #[derive(Debug, Clone, Copy, Default)]
    struct Holder {
        number: u32,
        used: u32,
        held: u32,
        record: Lease,
    }

    #[derive(Debug, Clone)]
    enum Step {
        Spend(usize, u32),
        Claim(usize, u32),
        /// The claim sent so many before reaches the store, perhaps again; its answer arrives or is lost.
        Deliver(usize, bool),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0usize..3, 0u32..30).prop_map(|(holder_index, calls)| Step::Spend(holder_index, calls)),
            (0usize..3, prop_oneof![Just(0), 1u32..60])
                .prop_map(|(holder_index, want)| Step::Claim(holder_index, want)),
            (0usize..6, any::<bool>()).prop_map(|(which, answered)| Step::Deliver(which, answered)),
            (0usize..2, Just(true)).prop_map(|(which, answered)| Step::Deliver(which, answered)),
        ];
        prop::collection::vec(step, 1..200)
    }

    proptest! {
        #[test]
        fn lost_late_or_repeated_claims_never_exceed_the_limit(limit in 0u32..120, steps in steps()) {
            let mut holders = [Holder::default(); 3];
            let mut sent: Vec<(usize, Claim)> = Vec::new();
            for step in steps {
                match step {
                    Step::Spend(holder_index, calls) => {
                        let holder = &mut holders[holder_index];
                        holder.used = holder.held.min(holder.used + calls);
                    }
                    Step::Claim(holder_index, want) => {
                        let holder = &mut holders[holder_index];
                        holder.number += 1;
                        sent.push((holder_index, claim(holder.number, limit, holder.used, holder.held, want)));
                        if want == 0 {
                            holder.held = holder.used;
                        }
                    }
                    Step::Deliver(which, answered) => {
                        let Some((holder_index, claim)) = sent.len().checked_sub(which + 1).map(|index| &sent[index]) else {
                            continue;
                        };
                        let others = (0..3).filter(|other| other != holder_index).map(|other| holders[other].record.granted);
                        let others = others.sum();
                        let holder = &mut holders[*holder_index];
                        if let Some(granted) = grant_total(claim, holder.record, others) {
                            prop_assert!(granted >= claim.used);
                            holder.record = Lease { number: claim.number, granted };
                        }
                        if answered && claim.number == holder.number {
                            prop_assert!(holder.record.granted >= holder.held, "held calls are not taken away");
                            holder.held = holder.record.granted;
                        }
                    }
                }
                let granted: u32 = holders.iter().map(|holder| holder.record.granted).sum();
                prop_assert!(granted <= limit, "{holders:?}");
                for holder in &holders {
                    prop_assert!(holder.held <= holder.record.granted, "{holders:?}");
                }
            }
        }

        #[test]
        fn a_claim_gets_what_it_has_spent_and_otherwise_at_most_what_the_limit_leaves(
            limit in any::<u32>(), used in any::<u32>(), unspent in any::<u32>(), want in any::<u32>(),
            recorded in any::<u32>(), others in any::<u32>(),
        ) {
            let own = Lease { number: 1, granted: recorded };
            let claim = claim(2, limit, used, used.saturating_add(unspent), want);
            let granted = grant_total(&claim, own, others).expect("a new claim");
            prop_assert!(granted >= used);
            prop_assert!(granted == used || u64::from(granted) + u64::from(others) <= u64::from(limit));
            if want == 0 {
                prop_assert_eq!(granted, used);
            }
        }
    }

    #[test]
    fn a_repeated_or_late_claim_changes_nothing() {
        let own = Lease { number: 4, granted: 10 };
        assert_eq!(grant_total(&claim(4, 100, 0, 10, 50), own, 0), None);
        assert_eq!(grant_total(&claim(3, 100, 0, 10, 0), own, 0), None);
    }

    #[test]
    fn a_lower_limit_takes_back_unspent_calls() {
        let own = Lease { number: 1, granted: 80 };
        assert_eq!(grant_total(&claim(2, 50, 20, 80, 10), own, 0), Some(50));
        assert_eq!(grant_total(&claim(2, 50, 60, 80, 10), own, 0), Some(60), "spent calls stay granted");
    }
}
