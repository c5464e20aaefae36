//! How often those without a key may ask: by network address in a minute and in a day, and all of them together in a
//! minute.
//!
//! However many addresses there are, the memory is the same: counts lie in a sketch (count-min) whose cells several
//! addresses may share. An address is counted in four cells, and believed to have asked as often as the least of
//! them says: never less often than it did, and more often only when all four are shared. Counting is one atomic step
//! a cell; nobody waits. Uses [`crate::domain::account`], [`crate::domain::clock`] and [`crate::config`].

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::Datelike;

use crate::config::Preview;
use crate::domain::account::network;
use crate::domain::clock::{Moment, seconds_until};

/// The counts of those without a key.
#[derive(Debug)]
pub struct PreviewLimiter {
    limits: Preview,
    minutes: Sketch,
    days: Sketch,
    all: Cell,
}

/// A question too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany {
    /// Whose, and in what time.
    pub scope: &'static str,
    /// Seconds until there are more.
    pub retry_after: u32,
}

impl PreviewLimiter {
    /// Nobody has asked yet.
    pub fn new(limits: Preview) -> PreviewLimiter {
        PreviewLimiter { limits, minutes: Sketch::new(), days: Sketch::new(), all: Cell::default() }
    }

    /// Counts a question, when it is not one too many.
    pub fn count(&self, address: IpAddr, moment: Moment) -> Result<(), TooMany> {
        let minute = moment.minute_number();
        let minute_left = moment.minute().seconds_left(moment.at);
        let day = moment.today.date().num_days_from_ce().unsigned_abs();
        let everyones = TooMany { scope: "from everyone this minute", retry_after: minute_left };
        // looked at first, so that a question that nobody's turn is left for costs its sender no turn of theirs
        if self.all.counted(minute) >= self.limits.per_minute_all {
            return Err(everyones);
        }
        let network = network(address);
        if self.minutes.count(network, minute) > self.limits.per_minute {
            return Err(TooMany { scope: "from your network this minute", retry_after: minute_left });
        }
        if self.days.count(network, day) > self.limits.per_day {
            return Err(TooMany {
                scope: "from your network today",
                retry_after: seconds_until(moment.day_ends_at(), moment.at),
            });
        }
        if self.all.count(minute) > self.limits.per_minute_all {
            return Err(everyones);
        }
        Ok(())
    }
}

const ROWS: usize = 4;

/// Cells of a row, as bits of its numbers: four rows of a sketch take half a megabyte.
const ROW_BITS: u32 = 14;

/// Counts of a period by network.
#[derive(Debug)]
struct Sketch {
    cells: Box<[Cell]>,
    /// Made at the start, so that nobody can choose whom to share cells with.
    hasher: RandomState,
}

impl Sketch {
    fn new() -> Sketch {
        let cells = (0..ROWS << ROW_BITS).map(|_| Cell::default()).collect();
        Sketch { cells, hasher: RandomState::new() }
    }

    /// Counts one more, and tells how many there are with it.
    fn count(&self, network: IpAddr, period: u32) -> u32 {
        let mut hash = self.hasher.hash_one(network);
        let mut least = u32::MAX;
        for row in 0..ROWS {
            let column = (hash & ((1 << ROW_BITS) - 1)) as usize;
            hash >>= ROW_BITS;
            least = least.min(self.cells[row << ROW_BITS | column].count(period));
        }
        least
    }
}

/// What a cell has counted of a period.
fn in_period(cell: u64, period: u32) -> u32 {
    if (cell >> 32) as u32 == period { cell as u32 } else { 0 }
}

/// A count of one period: the period in the upper half, the count in the lower.
#[derive(Debug, Default)]
struct Cell(AtomicU64);

impl Cell {
    fn counted(&self, period: u32) -> u32 {
        in_period(self.0.load(Ordering::Relaxed), period)
    }

    /// Counts one more, and tells how many there are with it.
    fn count(&self, period: u32) -> u32 {
        let more = |cell: u64| u64::from(period) << 32 | u64::from(in_period(cell, period).saturating_add(1));
        let before = self.0.update(Ordering::Relaxed, Ordering::Relaxed, more);
        in_period(before, period).saturating_add(1)
    }
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

    fn visitors(per_minute: u32, per_day: u32, per_minute_all: u32) -> PreviewLimiter {
        PreviewLimiter::new(Preview { per_minute, per_day, per_minute_all })
    }

    fn house(number: u32) -> IpAddr {
        Ipv4Addr::from(0x0a00_0000 + number).into()
    }

    #[test]
    fn a_minute_and_a_day_have_so_many_questions_and_begin_anew() {
        let visitors = visitors(3, 5, 100);
        let mut answers = Vec::new();
        for minute in 0..3 {
            for _ in 0..4 {
                answers.push(visitors.count(house(1), at(NOON + minute * 60_000)).is_ok());
            }
        }
        assert_eq!(answers, [true, true, true, false, true, true, false, false, false, false, false, false]);
        assert_eq!(visitors.count(house(2), at(NOON)), Ok(()), "others are not touched");
        let refused = visitors.count(house(1), at(NOON + 3 * 60_000)).unwrap_err();
        assert_eq!(refused, TooMany { scope: "from your network today", retry_after: 12 * 3_600 - 180 });
        assert_eq!(visitors.count(house(1), at(NOON + 86_400_000)), Ok(()));
    }

    #[test]
    fn everyone_together_has_so_many_a_minute_whoever_asks_too_often() {
        let visitors = visitors(10, 1_000, 25);
        let served = (0..100).filter(|_| visitors.count(house(0), at(NOON)).is_ok()).count();
        assert_eq!(served, 10, "one who asks too often takes nobody else's turns");
        let served = (1..100).filter(|house_number| visitors.count(house(*house_number), at(NOON)).is_ok());
        assert_eq!(served.count(), 15);
        assert_eq!(visitors.count(house(7), at(NOON + 59_000)).unwrap_err().retry_after, 1);
        assert_eq!(visitors.count(house(7), at(NOON + 60_000)), Ok(()));
    }

    #[test]
    fn many_addresses_hardly_ever_count_for_each_other() {
        let visitors = visitors(1_000, 20, u32::MAX);
        let wrongly =
            (0..20_000).filter(|number| (0..20).any(|_| visitors.count(house(*number), at(NOON)).is_err()));
        // 400,000 questions on 16,384 cells a row: the least of four is seldom doubled, but late comers feel it
        assert!(wrongly.count() < 15_000);
        let quiet =
            super::PreviewLimiter::new(Preview { per_minute: 1_000, per_day: 20, per_minute_all: u32::MAX });
        let wrongly =
            (0..2_000).filter(|number| (0..20).any(|_| quiet.count(house(*number), at(NOON)).is_err()));
        assert!(wrongly.count() < 10);
    }

    #[test]
    fn a_household_counts_as_one() {
        let visitors = visitors(1, 10, 100);
        let inside = |host: u16| Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, host).into();
        assert!(visitors.count(inside(1), at(NOON)).is_ok());
        assert!(visitors.count(inside(2), at(NOON)).is_err());
        let mapped = Ipv4Addr::new(10, 0, 0, 9).to_ipv6_mapped();
        assert!(visitors.count(mapped.into(), at(NOON)).is_ok());
        assert!(visitors.count(Ipv4Addr::new(10, 0, 0, 9).into(), at(NOON)).is_err());
    }
}
