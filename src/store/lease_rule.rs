//! How many calls a claim is granted: a pure rule, for stores that one server uses.
//!
//! `redis/lease.lua` has the same rule for several processes, which get smaller blocks; a test holds the two against
//! each other.

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

/// When the leases of a period may be deleted: late enough for clocks that differ, and for reports of the previous month.
pub(super) fn forget_at(period: Period) -> UnixMillis {
    const MINUTE: i64 = 60_000;
    let slack = match period.kind {
        PeriodKind::Minute => 10 * MINUTE,
        PeriodKind::Month => 40 * 24 * 60 * MINUTE,
    };
    UnixMillis(period.ends_at.0.saturating_add(slack))
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

    /// A holder that keeps to the contract: it takes only the answer to its newest claim, and what it gives up it
    /// regards as gone once it has said so.
    #[derive(Debug, Clone, Copy, Default)]
    struct Holder {
        number: u32,
        used: u32,
        held: u32,
        record: Lease,
    }

    #[derive(Debug, Clone)]
    enum Deed {
        Spend(usize, u32),
        Claim(usize, u32),
        /// The claim sent so many before comes to the store, perhaps again; its answer comes back or is lost.
        Deliver(usize, bool),
    }

    fn deeds() -> impl Strategy<Value = Vec<Deed>> {
        let deed = prop_oneof![
            (0usize..3, 0u32..30).prop_map(|(who, calls)| Deed::Spend(who, calls)),
            (0usize..3, prop_oneof![Just(0), 1u32..60]).prop_map(|(who, want)| Deed::Claim(who, want)),
            (0usize..6, any::<bool>()).prop_map(|(which, answered)| Deed::Deliver(which, answered)),
            (0usize..2, Just(true)).prop_map(|(which, answered)| Deed::Deliver(which, answered)),
        ];
        prop::collection::vec(deed, 1..200)
    }

    proptest! {
        #[test]
        fn whatever_is_lost_late_or_doubled_never_more_is_spent_than_the_limit(limit in 0u32..120, deeds in deeds()) {
            let mut holders = [Holder::default(); 3];
            let mut sent: Vec<(usize, Claim)> = Vec::new();
            for deed in deeds {
                match deed {
                    Deed::Spend(who, calls) => {
                        let holder = &mut holders[who];
                        holder.used = holder.held.min(holder.used + calls);
                    }
                    Deed::Claim(who, want) => {
                        let holder = &mut holders[who];
                        holder.number += 1;
                        sent.push((who, claim(holder.number, limit, holder.used, holder.held, want)));
                        if want == 0 {
                            holder.held = holder.used;
                        }
                    }
                    Deed::Deliver(which, answered) => {
                        let Some((who, claim)) = sent.len().checked_sub(which + 1).map(|place| &sent[place]) else {
                            continue;
                        };
                        let others = (0..3).filter(|other| other != who).map(|other| holders[other].record.granted);
                        let others = others.sum();
                        let holder = &mut holders[*who];
                        if let Some(granted) = grant_total(claim, holder.record, others) {
                            prop_assert!(granted >= claim.used);
                            holder.record = Lease { number: claim.number, granted };
                        }
                        if answered && claim.number == holder.number {
                            prop_assert!(holder.record.granted >= holder.held, "what is held is not taken away");
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
        fn any_claim_gets_what_it_has_spent_and_beyond_that_never_more_than_the_limit_leaves(
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
    fn a_claim_that_comes_again_or_late_changes_nothing() {
        let own = Lease { number: 4, granted: 10 };
        assert_eq!(grant_total(&claim(4, 100, 0, 10, 50), own, 0), None);
        assert_eq!(grant_total(&claim(3, 100, 0, 10, 0), own, 0), None);
    }

    #[test]
    fn a_lower_limit_takes_back_what_was_not_spent() {
        let own = Lease { number: 1, granted: 80 };
        assert_eq!(grant_total(&claim(2, 50, 20, 80, 10), own, 0), Some(50));
        assert_eq!(grant_total(&claim(2, 50, 60, 80, 10), own, 0), Some(60), "what was spent was spent");
    }
}
