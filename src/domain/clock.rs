//! The only door to time: what the moment is, and what day it is in Brasília.
//!
//! Everything that needs either takes a [`Clock`], so that a test can stand on any day it likes; clippy bans
//! the standard ways everywhere else. Dates are those of America/Sao_Paulo, whatever the zone of the machine.
//! Durations (time-outs, latencies) are not this file's business: they are measured with `Instant`, which no
//! one sets. Uses chrono, and serde to be stored.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use chrono::{DateTime, Datelike, Months, NaiveDate, SecondsFormat, TimeDelta};
use chrono_tz::America::Sao_Paulo;
use serde::{Deserialize, Serialize};

/// A moment, as milliseconds since 1970 in UTC: what is stored and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(pub i64);

/// As RFC 3339 in UTC, to the second.
impl fmt::Display for UnixMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = DateTime::from_timestamp_millis(self.0).unwrap_or(DateTime::UNIX_EPOCH);
        f.write_str(&moment.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

/// A window of time that calls are counted in: a clock minute, or a calendar month of Brasília.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    /// Which of the two.
    pub kind: PeriodKind,
    /// Which one: minutes since 1970, or twelve times the year plus the month from 0.
    pub number: u32,
    /// The first moment after it.
    pub ends_at: UnixMillis,
}

/// What calls are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeriodKind {
    /// A clock minute.
    Minute,
    /// A calendar month of Brasília.
    Month,
}

impl Period {
    /// The minute after this one; only minutes are asked.
    pub fn next_minute(self) -> Period {
        Period { number: self.number + 1, ends_at: UnixMillis(self.ends_at.0 + MINUTE), ..self }
    }

    /// Seconds from `now` to its end, at least one.
    pub fn seconds_left(self, now: UnixMillis) -> u32 {
        seconds_until(self.ends_at, now)
    }
}

/// As stores name it: `m29656320` or `M24322`.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            PeriodKind::Minute => 'm',
            PeriodKind::Month => 'M',
        };
        write!(f, "{kind}{}", self.number)
    }
}

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// Midnight in Brasília; where clocks were set forward at midnight, the first hour there was.
fn beginning_of(date: NaiveDate) -> Option<UnixMillis> {
    (0..24)
        .filter_map(|hour| date.and_hms_opt(hour, 0, 0))
        .find_map(|start| start.and_local_timezone(Sao_Paulo).earliest())
        .map(|start| UnixMillis(start.timestamp_millis()))
}

/// A calendar month of Brasília later, at the same time of day; in a month that is too short for the day, its last.
pub fn month_after(at: UnixMillis) -> UnixMillis {
    let local =
        DateTime::from_timestamp_millis(at.0).map(|moment| moment.with_timezone(&Sao_Paulo).naive_local());
    let later = local.and_then(|local| {
        // where clocks were set forward the hour does not exist: the next one stands for it
        let later = local.checked_add_months(Months::new(1))?;
        (0..3).find_map(|hours| (later + TimeDelta::hours(hours)).and_local_timezone(Sao_Paulo).earliest())
    });
    later.map_or(at, |later| UnixMillis(later.timestamp_millis()))
}

/// Whole seconds from one moment to a later one, at least one.
pub fn seconds_until(later: UnixMillis, now: UnixMillis) -> u32 {
    u32::try_from(later.0.saturating_sub(now.0).max(1).saturating_add(999) / 1_000).unwrap_or(u32::MAX)
}

/// A moment, and the day it falls on in Brasília: read once for a request, so that all of it agrees on the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The moment.
    pub at: UnixMillis,
    /// The day.
    pub today: Today,
    minute: u32,
    month: u32,
}

impl Moment {
    fn new(at: UnixMillis, today: Today) -> Moment {
        let minute = u32::try_from(at.0.div_euclid(MINUTE)).unwrap_or_default();
        Moment { at, today, minute, month: today.date.year().unsigned_abs() * 12 + today.date.month0() }
    }

    /// The number of the minute, as [`Period::number`] has it.
    pub fn minute_number(&self) -> u32 {
        self.minute
    }

    /// The number of the month, as [`Period::number`] has it.
    pub fn month_number(&self) -> u32 {
        self.month
    }

    /// The minute it lies in.
    pub fn minute(&self) -> Period {
        let number = self.minute_number();
        let ends_at = UnixMillis((i64::from(number) + 1) * MINUTE);
        Period { kind: PeriodKind::Minute, number, ends_at }
    }

    /// The month of Brasília it lies in.
    pub fn month(&self) -> Period {
        let first = self.today.date.with_day(1).unwrap_or(self.today.date);
        let next = first.checked_add_months(Months::new(1)).unwrap_or(first);
        let ends_at = beginning_of(next).unwrap_or(self.at);
        Period { kind: PeriodKind::Month, number: self.month_number(), ends_at }
    }

    /// The first moment after the clock hour it lies in.
    pub fn hour_ends_at(&self) -> UnixMillis {
        UnixMillis((self.at.0.div_euclid(HOUR) + 1).saturating_mul(HOUR))
    }

    /// The first moment after the day of Brasília it lies in.
    pub fn day_ends_at(&self) -> UnixMillis {
        self.today.date.succ_opt().and_then(beginning_of).unwrap_or(self.at)
    }
}

/// A source of the present. Clones are cheap and tell the same time.
#[derive(Debug, Clone)]
pub struct Clock(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: Source,
    /// The last day worked out, and the minute it was worked out for, in one word: so a reader never sees the
    /// minute of one and the day of another, and no lock is needed.
    day: AtomicU64,
}

#[derive(Debug)]
enum Source {
    Machine,
    Set(AtomicI64),
}

impl Default for Clock {
    fn default() -> Self {
        Clock::machine()
    }
}

impl Clock {
    /// The machine's clock.
    pub fn machine() -> Clock {
        Clock::over(Source::Machine)
    }

    /// A clock that stands at `at` until [`Clock::set`] moves it, for tests.
    pub fn standing_at(at: UnixMillis) -> Clock {
        Clock::over(Source::Set(AtomicI64::new(at.0)))
    }

    fn over(source: Source) -> Clock {
        Clock(Arc::new(Inner { source, day: AtomicU64::new(NO_DAY) }))
    }

    /// Moves a standing clock, for all its clones. The machine's clock is not ours to move and stays.
    pub fn set(&self, at: UnixMillis) {
        if let Source::Set(now) = &self.0.source {
            now.store(at.0, Ordering::Relaxed);
        }
    }

    /// The present moment.
    #[expect(clippy::disallowed_methods, reason = "this is the one door to time")]
    pub fn now(&self) -> UnixMillis {
        match &self.0.source {
            Source::Set(now) => UnixMillis(now.load(Ordering::Relaxed)),
            Source::Machine => {
                let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                UnixMillis(since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
            }
        }
    }

    /// The day in Brasília.
    ///
    /// It is asked for on every request, so the zone's table is consulted once a minute only. A minute is fine
    /// enough because every offset São Paulo has had since 1914 is a whole number of them.
    pub fn today(&self) -> Today {
        self.moment().today
    }

    /// The present moment and its day.
    pub fn moment(&self) -> Moment {
        let now = self.now();
        Moment::new(now, self.day(now))
    }

    fn day(&self, now: UnixMillis) -> Today {
        let minute = now.0.div_euclid(60_000) as u32;
        let kept = self.0.day.load(Ordering::Relaxed);
        if kept != NO_DAY
            && (kept >> 32) as u32 == minute
            && let Some(date) = NaiveDate::from_num_days_from_ce_opt(kept as u32 as i32)
        {
            return Today::from(date);
        }
        let date = day_of(now);
        let fresh = u64::from(minute) << 32 | u64::from(date.num_days_from_ce() as u32);
        self.0.day.store(fresh, Ordering::Relaxed);
        Today::from(date)
    }
}

/// Before the first question. No day is worked out as this one: it would be 1 BC.
const NO_DAY: u64 = u64::MAX;

/// The day in Brasília at a moment; a moment that chrono cannot represent counts as 1970.
pub fn day_of(at: UnixMillis) -> NaiveDate {
    DateTime::from_timestamp_millis(at.0)
        .unwrap_or(DateTime::UNIX_EPOCH)
        .with_timezone(&Sao_Paulo)
        .date_naive()
}

/// A day in Brasília, with its text ready to be copied into an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Today {
    date: NaiveDate,
    text: [u8; 10],
}

impl Today {
    /// The day.
    pub fn date(&self) -> NaiveDate {
        self.date
    }

    /// The day as `YYYY-MM-DD`.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// The same as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }
}

impl From<NaiveDate> for Today {
    fn from(date: NaiveDate) -> Self {
        let digit = |number: u32, place: u32| b'0' + (number / place % 10) as u8;
        let (year, month, day) = (date.year().unsigned_abs(), date.month(), date.day());
        let text = [
            digit(year, 1000),
            digit(year, 100),
            digit(year, 10),
            digit(year, 1),
            b'-',
            digit(month, 10),
            digit(month, 1),
            b'-',
            digit(day, 10),
            digit(day, 1),
        ];
        Today { date, text }
    }
}

impl fmt::Debug for Today {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(rfc3339: &str) -> UnixMillis {
        UnixMillis(DateTime::parse_from_rfc3339(rfc3339).expect("a moment").timestamp_millis())
    }

    #[test]
    fn the_day_turns_at_midnight_in_brasilia() {
        let clock = Clock::standing_at(at("2026-03-01T02:59:59Z"));
        assert_eq!(clock.today().as_str(), "2026-02-28");
        clock.set(at("2026-03-01T03:00:00Z"));
        assert_eq!(clock.today().as_str(), "2026-03-01");
        clock.set(at("2026-03-01T02:59:59Z"));
        assert_eq!(clock.today().as_str(), "2026-02-28", "a clock put back is believed");
    }

    #[test]
    fn summer_time_of_the_past_is_known() {
        let clock = Clock::standing_at(at("2018-12-01T02:30:00Z"));
        assert_eq!(clock.today().as_str(), "2018-12-01", "two hours behind, not three");
    }

    #[test]
    fn minutes_are_the_clocks_and_months_are_brasilias() {
        let clock = Clock::standing_at(at("2026-12-31T23:59:30-03:00"));
        let last = clock.moment();
        assert_eq!(last.month().ends_at, at("2027-01-01T00:00:00-03:00"));
        assert_eq!(last.month().number, 2026 * 12 + 11);
        assert_eq!(last.minute().seconds_left(last.at), 30);
        assert_eq!(last.minute().next_minute(), {
            clock.set(at("2027-01-01T00:00:00-03:00"));
            clock.moment().minute()
        });
        assert_eq!(clock.moment().month().number, 2027 * 12);
        assert_eq!(clock.moment().month().to_string(), "M24324");
    }

    #[test]
    fn hours_are_the_clocks_and_days_are_brasilias() {
        let clock = Clock::standing_at(at("2026-12-31T23:59:30-03:00"));
        let last = clock.moment();
        assert_eq!(last.hour_ends_at(), at("2027-01-01T00:00:00-03:00"));
        assert_eq!(last.day_ends_at(), at("2027-01-01T00:00:00-03:00"));
        assert_eq!(seconds_until(last.day_ends_at(), last.at), 30);
        assert_eq!(seconds_until(last.at, last.at), 1);
        clock.set(at("2027-01-01T00:00:00-03:00"));
        assert_eq!(clock.moment().day_ends_at(), at("2027-01-02T00:00:00-03:00"));
        // clocks were set forward at midnight
        clock.set(at("2018-11-03T12:00:00-03:00"));
        assert_eq!(clock.moment().day_ends_at(), at("2018-11-04T01:00:00-02:00"));
    }

    #[test]
    fn a_month_later_is_the_calendars() {
        for (from, to) in [
            ("2026-03-15T10:00:00-03:00", "2026-04-15T10:00:00-03:00"),
            ("2026-01-31T23:30:00-03:00", "2026-02-28T23:30:00-03:00"),
            ("2026-12-31T00:00:00-03:00", "2027-01-31T00:00:00-03:00"),
            // clocks were set forward at midnight of the day it falls on
            ("2018-10-04T00:00:00-03:00", "2018-11-04T01:00:00-02:00"),
        ] {
            assert_eq!(month_after(at(from)), at(to), "{from}");
        }
        assert_eq!(month_after(UnixMillis(i64::MAX)), UnixMillis(i64::MAX));
    }

    #[test]
    fn moments_are_shown_in_utc() {
        assert_eq!(at("2026-03-01T00:00:00-03:00").to_string(), "2026-03-01T03:00:00Z");
    }

    #[test]
    fn clones_tell_the_same_time() {
        let clock = Clock::standing_at(UnixMillis(0));
        let other = clock.clone();
        clock.set(UnixMillis(5));
        assert_eq!(other.now(), UnixMillis(5));
    }

    #[test]
    fn the_machine_has_a_plausible_time() {
        assert!(Clock::machine().now() > at("2025-01-01T00:00:00Z"));
    }

    proptest! {
        #[test]
        fn the_kept_day_is_the_day(start in 0i64..4_000_000_000_000, steps in prop::collection::vec(-200_000i64..200_000, 1..20)) {
            let clock = Clock::standing_at(UnixMillis(start));
            let mut now = start;
            for step in steps {
                now += step;
                clock.set(UnixMillis(now));
                let today = clock.today();
                prop_assert_eq!(today.date(), day_of(UnixMillis(now)));
                prop_assert_eq!(today.as_str(), today.date().to_string());
            }
        }

        #[test]
        fn no_moment_panics(any in any::<i64>()) {
            Clock::standing_at(UnixMillis(any)).today();
        }
    }
}
