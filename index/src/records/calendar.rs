//! Which ranks a window of days covers, answered from tables by day without reading an event.

use chrono::NaiveDate;

use crate::error::BuildError;
use crate::grammar::dates::Window;
use crate::records::postings::RankRange;
use crate::records::schema::day_number;

/// For each day, the first rank that begins on it or later, and the events that began earlier and still run.
pub(crate) struct Calendar {
    first_day: u32,
    /// The first rank that begins on the day or later, by day, and the number of ranks at the end.
    starts: Vec<u32>,
    /// Where each day's part of `running` begins, and its length at the end.
    running_starts: Vec<u32>,
    /// Ranks of events that began before the day and end on it or later, by day, in order.
    running: Vec<u32>,
}

impl Calendar {
    /// From the first and last day of each event, in rank order; `None` without events.
    pub(crate) fn new(
        days: impl Iterator<Item = (NaiveDate, NaiveDate)>,
    ) -> Result<Option<Self>, BuildError> {
        let days: Vec<(u32, u32)> = days.map(|(first, last)| (day_number(first), day_number(last))).collect();
        let (Some((first_day, _)), Some(last_day)) = (days.first(), days.iter().map(|(_, last)| *last).max())
        else {
            return Ok(None);
        };
        let first_day = *first_day;
        let count = (last_day - first_day + 1) as usize;
        let mut starts = vec![0; count + 1];
        let mut sizes = vec![0u32; count + 1];
        for (first, last) in &days {
            starts[(first - first_day) as usize + 1] += 1;
            for day in first + 1..=*last {
                sizes[(day - first_day) as usize] += 1;
            }
        }
        for day in 0..count {
            starts[day + 1] += starts[day];
        }
        let mut running_starts = Vec::with_capacity(count + 1);
        let mut total = 0u32;
        for size in &mut sizes {
            running_starts.push(total);
            let start = total;
            total = total.checked_add(*size).ok_or(BuildError::TooLarge("days of events"))?;
            *size = start;
        }
        let mut running = vec![0; total as usize];
        for (rank, (first, last)) in (0..).zip(&days) {
            for day in first + 1..=*last {
                let slot = &mut sizes[(day - first_day) as usize];
                running[*slot as usize] = rank;
                *slot += 1;
            }
        }
        Ok(Some(Self { first_day, starts, running_starts, running }))
    }

    /// The part of a window that has events.
    pub(crate) fn clip(&self, window: Window) -> Option<Window> {
        let from = NaiveDate::from_num_days_from_ce_opt(i32::try_from(self.first_day).ok()?)?;
        let days = u64::try_from(self.starts.len()).ok()?.saturating_sub(2);
        window.within(Window { from, to: from.checked_add_days(chrono::Days::new(days))? })
    }

    /// The ranks of the events in the window: `date <= to` and `(end_date or date) >= from`.
    pub(crate) fn range(&self, window: Window) -> RankRange<'_> {
        let days = self.starts.len() - 1;
        let offset = |date: NaiveDate| i64::from(day_number(date)) - i64::from(self.first_day);
        let (from, to) = (offset(window.from), offset(window.to));
        let at = |day: i64| self.starts[usize::try_from(day).unwrap_or(0).min(days)];
        let early = match usize::try_from(from) {
            Ok(day) if day < days => {
                &self.running[self.running_starts[day] as usize..self.running_starts[day + 1] as usize]
            }
            _ => &[],
        };
        RankRange { early, from: at(from), to: at(to + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Days;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_range_holds_exactly_the_events_of_the_window(
            mut days in proptest::collection::vec((0u64..60, 0u64..9), 1..40), from in 0u64..80, long in 0u64..20,
        ) {
            days.sort();
            let date = |day| NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(day);
            let calendar = Calendar::new(days.iter().map(|(day, run)| (date(10 + *day), date(10 + *day + *run))));
            let calendar = calendar.unwrap().unwrap();
            let window = Window { from: date(from), to: date(from + long) };
            let range = calendar.range(window);
            let found: Vec<u32> = range.early.iter().copied().chain(range.from..range.to).collect();
            let expected: Vec<u32> = (0u32..)
                .zip(&days)
                .filter(|(_, (day, run))| 10 + *day <= from + long && 10 + *day + *run >= from)
                .map(|(rank, _)| rank)
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
