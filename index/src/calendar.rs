//! The calendar of a shelf of events: which ranks a window of days takes, without looking at an event.

use chrono::NaiveDate;

use crate::dates::Window;
use crate::schema::day_number;
use crate::sets::Range;

/// For each day: the first rank that is not before it, and who began before it and still runs.
pub(crate) struct Calendar {
    first_day: u32,
    /// The first rank that begins on the day or later, by day; one more than there are days.
    starts: Vec<u32>,
    /// Where each day's run of `running` begins; one more than there are days.
    running_starts: Vec<u32>,
    /// Ranks that began before the day and end on it or later, by day, in order.
    running: Vec<u32>,
}

impl Calendar {
    /// Of the first and last day of each event, in rank order. `None` without events.
    pub(crate) fn new(days: impl Iterator<Item = (NaiveDate, NaiveDate)>) -> Option<Self> {
        let days: Vec<(u32, u32)> = days.map(|(first, last)| (day_number(first), day_number(last))).collect();
        let first_day = days.first()?.0;
        let last_day = days.iter().map(|(_, last)| *last).max()?;
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
        let mut total = 0;
        for size in &mut sizes {
            running_starts.push(total);
            total += std::mem::replace(size, total);
        }
        let mut running = vec![0; total as usize];
        for (rank, (first, last)) in days.iter().enumerate() {
            for day in first + 1..=*last {
                let slot = &mut sizes[(day - first_day) as usize];
                running[*slot as usize] = rank as u32;
                *slot += 1;
            }
        }
        Some(Self { first_day, starts, running_starts, running })
    }

    /// The ranks of the events that are on in the window: `date <= to` and `(end_date or date) >= from`.
    pub(crate) fn range(&self, window: Window) -> Range<'_> {
        let days = self.starts.len() - 1;
        let offset = |date: NaiveDate| i64::from(day_number(date)) - i64::from(self.first_day);
        let (from, to) = (offset(window.from), offset(window.to));
        let at = |day: i64| self.starts[day.clamp(0, days as i64) as usize];
        let early = match usize::try_from(from) {
            Ok(day) if day < days => {
                &self.running[self.running_starts[day] as usize..self.running_starts[day + 1] as usize]
            }
            _ => &[],
        };
        Range { early, from: at(from), to: at(to + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Days;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_range_is_the_events_of_the_window(
            mut days in proptest::collection::vec((0u64..60, 0u64..9), 1..40), from in 0u64..80, long in 0u64..20,
        ) {
            days.sort();
            let date = |day| NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(day);
            let calendar = Calendar::new(days.iter().map(|(day, run)| (date(10 + *day), date(10 + *day + *run)))).unwrap();
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
