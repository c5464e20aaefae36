//! Ranges of days.

use chrono::{Datelike, Months, NaiveDate, Weekday};
use smallvec::{SmallVec, smallvec};

/// A range of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    /// First day.
    pub from: NaiveDate,
    /// Last day; never before `from`.
    pub to: NaiveDate,
}

impl Window {
    /// A single day.
    pub fn day(day: NaiveDate) -> Self {
        Self { from: day, to: day }
    }

    /// All days from `from` on.
    pub fn since(from: NaiveDate) -> Self {
        Self { from, to: NaiveDate::MAX }
    }

    /// From the first to the second of these days of a month, as far as it has them; `self` is the month.
    pub(crate) fn days(self, from: u32, to: u32) -> Option<Window> {
        Some(Window { from: self.from.with_day(from)?, to: self.from.with_day(to).unwrap_or(self.to) })
    }

    /// So many days later, or earlier if they are negative.
    pub(crate) fn shifted(self, days: i64) -> Option<Window> {
        let days = chrono::TimeDelta::try_days(days)?;
        Some(Window { from: self.from.checked_add_signed(days)?, to: self.to.checked_add_signed(days)? })
    }

    /// Whether it is a part of a window of a month or more, or the days in which that begins: who names both means the
    /// part, as in "réveillon … 2027".
    pub(crate) fn narrows(self, wide: Window) -> bool {
        let days = (wide.to - wide.from).num_days() + 1;
        let is_within = wide.from <= self.from && self.to <= wide.to;
        days >= SHORTEST_MONTH && self != wide && (is_within || self.from < wide.from && self.to == wide.from)
    }

    /// The intersection with another window, unless it is empty.
    pub fn within(self, other: Window) -> Option<Window> {
        let (from, to) = (self.from.max(other.from), self.to.min(other.to));
        (from <= to).then_some(Window { from, to })
    }
}

/// The fewest days of a month.
const SHORTEST_MONTH: i64 = 28;

/// For so many weeks a weekday that is excluded, or among the days that are demanded, stays so: a year.
const MOST_WEEKS: i64 = 53;

/// Days as windows in order that neither overlap nor touch; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Days(SmallVec<[Window; 1]>);

impl From<Window> for Days {
    fn from(window: Window) -> Self {
        Self(smallvec![window])
    }
}

impl Days {
    /// Single days; `None` when there are none.
    pub(crate) fn of(days: impl Iterator<Item = NaiveDate>) -> Option<Days> {
        days.map(|day| Days::from(Window::day(day))).reduce(|all, day| all.union(&day))
    }

    /// The window from the first day to the last.
    pub fn hull(&self) -> Window {
        // never empty, so that both indices exist; windows in order end in order
        Window { from: self.0[0].from, to: self.0[self.0.len() - 1].to }
    }

    /// The window when it is a whole month.
    pub(crate) fn month(&self) -> Option<Window> {
        let Window { from, to } = self.hull();
        let is_month = self.0.len() == 1
            && from.day() == 1
            && to.succ_opt()? == from.checked_add_months(Months::new(1))?;
        is_month.then_some(Window { from, to })
    }

    /// The window when it is a whole year.
    pub(crate) fn year(&self) -> Option<Window> {
        let Window { from, to } = self.hull();
        let is_year = self.0.len() == 1
            && from.ordinal() == 1
            && to.year() == from.year()
            && to.succ_opt()?.ordinal() == 1;
        is_year.then_some(Window { from, to })
    }

    /// The windows in order.
    pub fn windows(&self) -> &[Window] {
        &self.0
    }

    /// Those within a window; `None` when there are none.
    pub(crate) fn within(&self, window: Window) -> Option<Days> {
        let days: SmallVec<[Window; 1]> = self.0.iter().filter_map(|one| one.within(window)).collect();
        (!days.is_empty()).then_some(Days(days))
    }

    /// Those that are not among the others; `None` when there are none.
    pub(crate) fn without(&self, others: &Days) -> Option<Days> {
        let mut rest: SmallVec<[Window; 1]> = SmallVec::new();
        for one in &self.0 {
            // the first day that is not settled yet
            let mut next = Some(one.from);
            let part = |from, to| Some(Window { from, to }).filter(|part| part.from <= part.to);
            for other in others.0.iter().filter(|other| one.from <= other.to && other.from <= one.to) {
                let before = other.from.pred_opt();
                rest.extend(next.zip(before).and_then(|(from, to)| part(from, to)));
                next = other.to.succ_opt();
            }
            rest.extend(next.and_then(|from| part(from, one.to)));
        }
        (!rest.is_empty()).then_some(Days(rest))
    }

    /// The weekdays of these days in a week that begins on Monday, or in what is left of it.
    pub(crate) fn of_week(&self, week: Window) -> Days {
        let days =
            self.0.iter().flat_map(|one| one.from.iter_days().take_while(|day| *day <= one.to).take(7));
        let monday = week.from.week(Weekday::Mon).first_day();
        let in_week = days.filter_map(|day| {
            monday.checked_add_days(chrono::Days::new(day.weekday().num_days_from_monday().into()))
        });
        Days::of(in_week).unwrap_or_else(|| self.clone())
    }

    /// With the same days of the weeks after.
    pub(crate) fn each_week(&self) -> Days {
        let week = |week: i64| self.0.iter().filter_map(move |one| one.shifted(7 * week));
        Days::merged((0..=MOST_WEEKS).flat_map(week).collect())
    }

    /// The days of both.
    pub fn union(&self, other: &Days) -> Days {
        Days::merged(self.0.iter().chain(&other.0).copied().collect())
    }

    /// Of windows that may overlap or touch; there is one.
    fn merged(mut all: SmallVec<[Window; 4]>) -> Days {
        all.sort_unstable_by_key(|window| window.from);
        let mut merged: SmallVec<[Window; 1]> = SmallVec::new();
        for window in all {
            match merged.last_mut() {
                Some(last) if last.to.succ_opt().is_none_or(|next| next >= window.from) => {
                    last.to = last.to.max(window.to);
                }
                _ => merged.push(window),
            }
        }
        Days(merged)
    }
}
