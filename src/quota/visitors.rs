//! Rate limits of visitors, who have no key: by network in a minute and in a day, and of all of them together in a
//! minute. The networks of one IPv6 /48 are limited together too, or their owner could use up what all callers share.
//!
//! Memory is constant however many networks call: they are counted in sketches (`sketch.rs`).

use std::net::IpAddr;

use chrono::Datelike;

use super::sketch::{PeriodCount, Sketch};
use crate::config::Visitors;
use crate::domain::clock::{Moment, seconds_until};
use crate::domain::error::PreviewScope;
use crate::domain::network::CountedNetwork;

/// Counts what visitors ask.
#[derive(Debug)]
pub struct VisitorLimiter {
    limits: Visitors,
    minutes: Sketch,
    days: Sketch,
    all: PeriodCount,
}

/// A call above a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany {
    /// Whose limit, and of which period.
    pub scope: PreviewScope,
    /// Seconds until the limit is reset.
    pub retry_after: u32,
}

impl VisitorLimiter {
    /// A limiter that has counted nothing.
    pub fn new(limits: Visitors) -> VisitorLimiter {
        VisitorLimiter { limits, minutes: Sketch::new(), days: Sketch::new(), all: PeriodCount::default() }
    }

    /// Counts a call, unless it is above a limit.
    pub fn count(&self, address: IpAddr, moment: Moment) -> Result<(), TooMany> {
        let minute = moment.minute_number;
        let minute_left = moment.minute().seconds_left(moment.at);
        let day = moment.today.date().num_days_from_ce().unsigned_abs();
        let above_all = TooMany { scope: PreviewScope::EveryoneMinute, retry_after: minute_left };
        // checked first, so that a call which the shared limit rejects does not count against its own network
        if self.all.counted(minute) >= self.limits.per_minute_all {
            return Err(above_all);
        }
        if !count_within(&self.minutes, self.limits.per_minute, address, minute) {
            return Err(TooMany { scope: PreviewScope::NetworkMinute, retry_after: minute_left });
        }
        if !count_within(&self.days, self.limits.per_day, address, day) {
            return Err(TooMany {
                scope: PreviewScope::NetworkDay,
                retry_after: seconds_until(moment.day_ends_at(), moment.at),
            });
        }
        if self.all.count(minute) > self.limits.per_minute_all {
            return Err(above_all);
        }
        Ok(())
    }
}

/// Counts one more call of a client's network and of the /48 around it, and returns whether both have at most what they
/// may. A call that is above the limit of its network does not count for the /48.
fn count_within(counts: &Sketch, limit: u32, address: IpAddr, period: u32) -> bool {
    CountedNetwork::all_of(address).all(|network| counts.count_up_to(network.limit(limit), network, period))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::{Clock, UnixMillis};
    use std::net::{Ipv4Addr, Ipv6Addr};

    /// Noon in Brasília.
    const NOON: i64 = 1_790_000_000_000 / 86_400_000 * 86_400_000 + 15 * 3_600_000;

    fn at(millis: i64) -> Moment {
        Clock::standing_at(UnixMillis(millis)).moment()
    }

    fn limiter(per_minute: u32, per_day: u32, per_minute_all: u32) -> VisitorLimiter {
        VisitorLimiter::new(Visitors { per_minute, per_day, per_minute_all })
    }

    fn address(number: u32) -> IpAddr {
        Ipv4Addr::from(0x0a00_0000 + number).into()
    }

    #[test]
    fn a_network_is_limited_by_minute_and_by_day() {
        let limiter = limiter(3, 5, 100);
        let mut answers = Vec::new();
        for minute in 0..3 {
            for _ in 0..4 {
                answers.push(limiter.count(address(1), at(NOON + minute * 60_000)).is_ok());
            }
        }
        assert_eq!(answers, [true, true, true, false, true, true, false, false, false, false, false, false]);
        assert_eq!(limiter.count(address(2), at(NOON)), Ok(()), "others are not affected");
        let rejected = limiter.count(address(1), at(NOON + 3 * 60_000)).unwrap_err();
        assert_eq!(rejected, TooMany { scope: PreviewScope::NetworkDay, retry_after: 12 * 3_600 - 180 });
        assert_eq!(limiter.count(address(1), at(NOON + 86_400_000)), Ok(()));
    }

    #[test]
    fn all_networks_together_are_limited_by_minute() {
        let limiter = limiter(10, 1_000, 25);
        let served = (0..100).filter(|_| limiter.count(address(0), at(NOON)).is_ok()).count();
        assert_eq!(served, 10, "rejected calls do not count against all");
        let served = (1..100).filter(|number| limiter.count(address(*number), at(NOON)).is_ok());
        assert_eq!(served.count(), 15);
        assert_eq!(limiter.count(address(7), at(NOON + 59_000)).unwrap_err().retry_after, 1);
        assert_eq!(limiter.count(address(7), at(NOON + 60_000)), Ok(()));
    }

    /// A first call is rejected only when all four of its cells are shared: of 5,000 networks 5.3 are expected to be,
    /// 106 in 20 limiters. With three rows there would be 498.
    #[test]
    fn five_thousand_networks_hardly_ever_count_for_each_other() {
        let rejected = (0..20).map(|_| {
            let limiter = limiter(u32::MAX, 1, u32::MAX);
            (0..5_000).filter(|number| limiter.count(address(*number), at(NOON)).is_err()).count()
        });
        let rejected: usize = rejected.sum();
        assert!(rejected <= 180, "{rejected} of 100,000 calls");
    }

    #[test]
    fn no_network_gets_more_calls_because_others_call() {
        let limiter = limiter(u32::MAX, 5, u32::MAX);
        for number in 0..20_000 {
            let served = (0..7).filter(|_| limiter.count(address(number), at(NOON)).is_ok()).count();
            assert!(served <= 5, "{served} calls of network {number}");
        }
    }

    #[test]
    fn the_networks_of_one_48_have_the_limits_of_eight() {
        let limiter = limiter(3, 4, 1_000);
        let call = |prefix: u16, subnet: u16, minute: i64| {
            let address = Ipv6Addr::new(0x2001, 0xdb8, prefix, subnet, 0, 0, 0, 1);
            limiter.count(address.into(), at(NOON + minute * 60_000))
        };
        let served =
            |prefix, minute| (0..1_000).filter(|subnet| call(prefix, *subnet, minute).is_ok()).count();
        assert_eq!(served(1, 0), 24, "in a minute");
        assert_eq!(served(1, 1), 8, "in a day");
        assert_eq!(call(1, 2_000, 2).unwrap_err().scope, PreviewScope::NetworkDay);
        assert_eq!(call(2, 0, 0), Ok(()), "another /48 is not affected");
        // a network above its own limit does not use up that of its neighbours
        for _ in 0..100 {
            let _ = call(3, 0, 0);
        }
        assert_eq!(served(3, 0), 21);
    }

    #[test]
    fn an_ipv6_network_counts_as_one_and_a_mapped_address_as_itself() {
        let limiter = limiter(1, 10, 100);
        let inside = |host: u16| Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, host).into();
        assert!(limiter.count(inside(1), at(NOON)).is_ok());
        assert!(limiter.count(inside(2), at(NOON)).is_err());
        let mapped = Ipv4Addr::new(10, 0, 0, 9).to_ipv6_mapped();
        assert!(limiter.count(mapped.into(), at(NOON)).is_ok());
        assert!(limiter.count(Ipv4Addr::new(10, 0, 0, 9).into(), at(NOON)).is_err());
    }
}
