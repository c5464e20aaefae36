//! The only source of the current time and of the date in Brasília. Code takes a [`Clock`], so that tests set it;
//! clippy bans `Utc::now` and its like elsewhere. Dates are those of America/Sao_Paulo, whatever the zone of the
//! machine. Durations are measured with `Instant`, which needs no clock.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, SecondsFormat, TimeDelta, Timelike};
use chrono_tz::America::Sao_Paulo;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize, Serializer};

/// A point in time, as milliseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// RFC 3339 in UTC, to the millisecond.
    pub fn to_rfc3339_millis(self) -> String {
        let moment = DateTime::from_timestamp_millis(self.0).unwrap_or(DateTime::UNIX_EPOCH);
        moment.to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// The moment so long after this one.
    pub fn after(self, wait: Duration) -> UnixMillis {
        UnixMillis(self.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
    }

    /// The date and time in Brasília; those of the beginning of 1970 in UTC for a moment that chrono cannot represent.
    pub fn in_brasilia(self) -> DateTime<Tz> {
        DateTime::from_timestamp_millis(self.0).unwrap_or(DateTime::UNIX_EPOCH).with_timezone(&Sao_Paulo)
    }
}

/// RFC 3339 in UTC, to the second.
impl fmt::Display for UnixMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = DateTime::from_timestamp_millis(self.0).unwrap_or(DateTime::UNIX_EPOCH);
        f.write_str(&moment.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

/// A fixed window that calls are counted in: a clock minute, or a calendar month of Brasília.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    /// Minute or month.
    pub kind: PeriodKind,
    /// Minutes since 1970, or twelve times the year plus the month from 0.
    pub number: u32,
    /// The first moment after the window.
    pub ends_at: UnixMillis,
}

/// The length of a [`Period`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeriodKind {
    /// A clock minute.
    Minute,
    /// A calendar month of Brasília.
    Month,
}

impl Period {
    /// The calendar month of a day; `None` out of the range of the calendar.
    pub fn month_of(day: NaiveDate) -> Option<Period> {
        let next = day.with_day(1)?.checked_add_months(Months::new(1))?;
        Some(Period { kind: PeriodKind::Month, number: month_number(day), ends_at: start_of(next)? })
    }

    /// The one after this: the next minute or the next month.
    pub fn following(self) -> Period {
        let ends_at = match self.kind {
            PeriodKind::Minute => UnixMillis(self.ends_at.0.saturating_add(MINUTE)),
            PeriodKind::Month => month_after(self.ends_at),
        };
        Period { number: self.number.saturating_add(1), ends_at, ..self }
    }

    /// Seconds from `now` to the end of the window, at least 1.
    pub fn seconds_left(self, now: UnixMillis) -> u32 {
        seconds_until(self.ends_at, now)
    }
}

/// [`Period::number`] of the month of a day.
fn month_number(day: NaiveDate) -> u32 {
    day.year().unsigned_abs() * 12 + day.month0()
}

/// The name in stores: `m29656320` or `M24322`.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            PeriodKind::Minute => 'm',
            PeriodKind::Month => 'M',
        };
        write!(f, "{kind}{}", self.number)
    }
}

/// The day that a text names in exactly the form YYYY-MM-DD. Chrono also reads signs and longer years, with which dates
/// cannot be calculated.
pub fn iso_day(text: &str) -> Option<NaiveDate> {
    let is_shaped = text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() });
    if is_shaped { text.parse().ok() } else { None }
}

/// The last day that is read and shown: a year has four digits.
pub const LAST_DAY: NaiveDate = NaiveDate::from_ymd_opt(9999, 12, 31).expect("a day");

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// The milliseconds of a day of 24 hours.
pub const DAY: i64 = 24 * HOUR;

/// Midnight in Brasília, or the first hour that exists: daylight saving time used to begin at midnight.
pub fn start_of(date: NaiveDate) -> Option<UnixMillis> {
    (0..24)
        .filter_map(|hour| date.and_hms_opt(hour, 0, 0))
        .find_map(|start| start.and_local_timezone(Sao_Paulo).earliest())
        .map(|start| UnixMillis(start.timestamp_millis()))
}

/// One calendar month of Brasília later at the same time of day, or on the last day of a shorter month.
pub fn month_after(at: UnixMillis) -> UnixMillis {
    let local =
        DateTime::from_timestamp_millis(at.0).map(|moment| moment.with_timezone(&Sao_Paulo).naive_local());
    let later = local.and_then(|local| {
        // an hour that daylight saving time skipped becomes the next one
        let later = local.checked_add_months(Months::new(1))?;
        (0..3).find_map(|hours| (later + TimeDelta::hours(hours)).and_local_timezone(Sao_Paulo).earliest())
    });
    later.map_or(at, |later| UnixMillis(later.timestamp_millis()))
}

/// Seconds from `now` to a later moment, rounded up, at least 1.
pub fn seconds_until(later: UnixMillis, now: UnixMillis) -> u32 {
    u32::try_from(later.0.saturating_sub(now.0).max(1).saturating_add(999) / 1_000).unwrap_or(u32::MAX)
}

/// A moment and its day in Brasília. A request reads it once, so that every part of it agrees on the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The moment.
    pub at: UnixMillis,
    /// The day.
    pub today: Day,
    /// [`Period::number`] of the minute.
    pub minute_number: u32,
    /// [`Period::number`] of the month.
    pub month_number: u32,
}

impl Moment {
    /// The minute of the moment.
    pub fn minute(&self) -> Period {
        let ends_at = UnixMillis((i64::from(self.minute_number) + 1) * MINUTE);
        Period { kind: PeriodKind::Minute, number: self.minute_number, ends_at }
    }

    /// The month of the moment in Brasília.
    pub fn month(&self) -> Period {
        // at the end of the calendar it is over now
        let over = Period { kind: PeriodKind::Month, number: self.month_number, ends_at: self.at };
        Period::month_of(self.today.date).unwrap_or(over)
    }

    /// The end of the clock hour of the moment.
    pub fn hour_ends_at(&self) -> UnixMillis {
        UnixMillis((self.at.0.div_euclid(HOUR) + 1).saturating_mul(HOUR))
    }

    /// The minute of the day in Brasília.
    pub fn minute_of_day(&self) -> u16 {
        let local = self.at.in_brasilia();
        u16::try_from(local.hour() * 60 + local.minute()).unwrap_or(0)
    }

    /// The number of the hour since 1970.
    pub fn hour_number(&self) -> u32 {
        u32::try_from(self.at.0.div_euclid(HOUR)).unwrap_or_default()
    }

    /// The end of the day of the moment in Brasília.
    pub fn day_ends_at(&self) -> UnixMillis {
        self.today.date.succ_opt().and_then(start_of).unwrap_or(self.at)
    }
}

/// A source of the current time. Clones share it.
#[derive(Debug, Clone)]
pub struct Clock(Arc<State>);

#[derive(Debug)]
struct State {
    source: Source,
    /// The last minute asked about (upper half) and its day in Brasília (lower half). One word, so that a reader never
    /// sees the halves of two values, without a lock.
    cached_day: AtomicU64,
}

#[derive(Debug)]
enum Source {
    Machine,
    Set(AtomicI64),
}

impl Clock {
    /// The machine's clock.
    pub fn machine() -> Clock {
        Clock::over(Source::Machine)
    }

    /// A clock for tests: it shows `at` until [`Clock::set`].
    pub fn standing_at(at: UnixMillis) -> Clock {
        Clock::over(Source::Set(AtomicI64::new(at.0)))
    }

    fn over(source: Source) -> Clock {
        Clock(Arc::new(State { source, cached_day: AtomicU64::new(NO_DAY) }))
    }

    /// Sets a test clock and all its clones; has no effect on the machine's clock.
    pub fn set(&self, at: UnixMillis) {
        if let Source::Set(now) = &self.0.source {
            now.store(at.0, Ordering::Relaxed);
        }
    }

    /// The current time.
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the system clock")]
    pub fn now(&self) -> UnixMillis {
        match &self.0.source {
            Source::Set(now) => UnixMillis(now.load(Ordering::Relaxed)),
            Source::Machine => {
                let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                UnixMillis(since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
            }
        }
    }

    /// The day in Brasília. Every request asks for it, so it is computed once a minute: all offsets of São Paulo since
    /// 1914 are whole minutes.
    pub fn today(&self) -> Day {
        self.moment().today
    }

    /// The current time and its day.
    pub fn moment(&self) -> Moment {
        let at = self.now();
        let today = self.day(at);
        let minute_number = u32::try_from(at.0.div_euclid(MINUTE)).unwrap_or_default();
        Moment { at, today, minute_number, month_number: month_number(today.date) }
    }

    fn day(&self, now: UnixMillis) -> Day {
        // a moment that does not fit is not cached: its key would be NO_DAY
        let minute = u32::try_from(now.0.div_euclid(MINUTE)).unwrap_or(u32::MAX);
        let cached = self.0.cached_day.load(Ordering::Relaxed);
        if cached >> 32 == u64::from(minute)
            && let Ok(days) = i32::try_from(cached & u64::from(u32::MAX))
            && let Some(date) = NaiveDate::from_num_days_from_ce_opt(days)
        {
            return Day::from(date);
        }
        let date = day_of(now);
        if let (true, Ok(days)) = (minute < u32::MAX, u32::try_from(date.num_days_from_ce())) {
            self.0.cached_day.store(u64::from(minute) << 32 | u64::from(days), Ordering::Relaxed);
        }
        Day::from(date)
    }
}

/// The empty cache: its minute is one that is never stored.
const NO_DAY: u64 = u64::MAX;

/// The day in Brasília at a moment.
pub fn day_of(at: UnixMillis) -> NaiveDate {
    at.in_brasilia().date_naive()
}

/// The last `count` days, `last` included, oldest first.
pub fn days_to(last: NaiveDate, count: u64) -> Vec<NaiveDate> {
    (0..count).rev().filter_map(|back| last.checked_sub_days(Days::new(back))).collect()
}

/// The days of the week, as answers name them.
pub const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A day in Brasília with its text, which answers contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Day {
    date: NaiveDate,
    text: [u8; 10],
}

impl Day {
    /// The day.
    pub fn date(&self) -> NaiveDate {
        self.date
    }

    /// The day of the week, in English.
    pub fn weekday(&self) -> &'static str {
        WEEKDAYS[self.date.weekday().num_days_from_monday() as usize]
    }

    /// The day as `YYYY-MM-DD`.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// [`Day::as_str`] as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }
}

impl From<NaiveDate> for Day {
    fn from(date: NaiveDate) -> Self {
        let mut digits = (date.year().unsigned_abs() * 100 + date.month()) * 100 + date.day();
        let mut text = *b"YYYY-MM-DD";
        for place in [9, 8, 6, 5, 3, 2, 1, 0] {
            text[place] = b"0123456789"[(digits % 10) as usize];
            digits /= 10;
        }
        Day { date, text }
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Debug for Day {
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
    fn the_day_changes_at_midnight_in_brasilia() {
        let clock = Clock::standing_at(at("2026-03-01T02:59:59Z"));
        assert_eq!(clock.today().as_str(), "2026-02-28");
        clock.set(at("2026-03-01T03:00:00Z"));
        assert_eq!(clock.today().as_str(), "2026-03-01");
        clock.set(at("2026-03-01T02:59:59Z"));
        assert_eq!(clock.today().as_str(), "2026-02-28", "a clock that was set back is followed");
    }

    #[test]
    fn past_daylight_saving_time_is_known() {
        let clock = Clock::standing_at(at("2018-12-01T02:30:00Z"));
        assert_eq!(clock.today().as_str(), "2018-12-01", "UTC-2 in the summer of 2018");
    }

    #[test]
    fn minutes_are_clock_minutes_and_months_are_brasilias() {
        let clock = Clock::standing_at(at("2026-12-31T23:59:30-03:00"));
        let last = clock.moment();
        assert_eq!(last.month().ends_at, at("2027-01-01T00:00:00-03:00"));
        assert_eq!(last.month().number, 2026 * 12 + 11);
        assert_eq!(last.minute().seconds_left(last.at), 30);
        clock.set(at("2027-01-01T00:00:00-03:00"));
        assert_eq!(last.minute().following(), clock.moment().minute());
        assert_eq!(last.month().following(), clock.moment().month());
        assert_eq!(clock.moment().month().number, 2027 * 12);
        assert_eq!(clock.moment().month().to_string(), "M24324");
    }

    #[test]
    fn hours_are_clock_hours_and_days_are_brasilias() {
        let clock = Clock::standing_at(at("2026-12-31T23:59:30-03:00"));
        let last = clock.moment();
        assert_eq!(last.hour_ends_at(), at("2027-01-01T00:00:00-03:00"));
        assert_eq!(last.day_ends_at(), at("2027-01-01T00:00:00-03:00"));
        assert_eq!(seconds_until(last.day_ends_at(), last.at), 30);
        assert_eq!(seconds_until(last.at, last.at), 1);
        clock.set(at("2027-01-01T00:00:00-03:00"));
        assert_eq!(clock.moment().day_ends_at(), at("2027-01-02T00:00:00-03:00"));
        // daylight saving time began at midnight
        clock.set(at("2018-11-03T12:00:00-03:00"));
        assert_eq!(clock.moment().day_ends_at(), at("2018-11-04T01:00:00-02:00"));
    }

    #[test]
    fn a_month_later_follows_the_calendar() {
        for (from, to) in [
            ("2026-03-15T10:00:00-03:00", "2026-04-15T10:00:00-03:00"),
            ("2026-01-31T23:30:00-03:00", "2026-02-28T23:30:00-03:00"),
            ("2026-12-31T00:00:00-03:00", "2027-01-31T00:00:00-03:00"),
            // daylight saving time began at midnight of that day
            ("2018-10-04T00:00:00-03:00", "2018-11-04T01:00:00-02:00"),
        ] {
            assert_eq!(month_after(at(from)), at(to), "{from}");
        }
        assert_eq!(month_after(UnixMillis(i64::MAX)), UnixMillis(i64::MAX));
    }

    #[test]
    fn moments_are_printed_in_utc() {
        assert_eq!(at("2026-03-01T00:00:00-03:00").to_string(), "2026-03-01T03:00:00Z");
    }

    #[test]
    fn clones_share_the_time() {
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
        fn the_cached_day_is_the_computed_one(start in 0i64..4_000_000_000_000, steps in prop::collection::vec(-200_000i64..200_000, 1..20)) {
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
