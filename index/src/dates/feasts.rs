//! The feasts and holidays of the year.

use chrono::{Datelike, Duration, NaiveDate, Weekday};

use super::days::Window;

/// A feast that queries name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feast {
    Christmas,
    NewYear,
    Carnival,
    AshWednesday,
    Easter,
    GoodFriday,
    HolyWeek,
    CorpusChristi,
    Labour,
    Independence,
    Foundation,
    Children,
    Mothers,
    Fathers,
    Lovers,
    Halloween,
    AllSouls,
    Republic,
    BlackAwareness,
}

impl Feast {
    /// The days in the year. The turn of the year belongs to the year that begins.
    pub(super) fn in_year(self, year: i32) -> Option<Window> {
        let days = |from: (u32, u32), to: (u32, u32)| {
            Some(Window {
                from: NaiveDate::from_ymd_opt(year, from.0, from.1)?,
                to: NaiveDate::from_ymd_opt(year, to.0, to.1)?,
            })
        };
        let day = |month, day| days((month, day), (month, day));
        // days after Easter Sunday
        let movable = |from, to| {
            let easter = easter(year)?;
            Some(Window {
                from: easter.checked_add_signed(Duration::days(from))?,
                to: easter.checked_add_signed(Duration::days(to))?,
            })
        };
        let second_sunday =
            |month| NaiveDate::from_weekday_of_month_opt(year, month, Weekday::Sun, 2).map(Window::day);
        match self {
            Self::Christmas => days((12, 24), (12, 25)),
            Self::NewYear => {
                let to = NaiveDate::from_ymd_opt(year, 1, 1)?;
                Some(Window { from: to.pred_opt()?, to })
            }
            Self::Carnival => movable(-50, -46),
            Self::AshWednesday => movable(-46, -46),
            Self::Easter => movable(-2, 0),
            Self::GoodFriday => movable(-2, -2),
            Self::HolyWeek => movable(-7, 0),
            Self::CorpusChristi => movable(60, 60),
            Self::Labour => day(5, 1),
            Self::Independence => day(9, 7),
            Self::Foundation => day(4, 21),
            Self::Children => day(10, 12),
            Self::Mothers => second_sunday(5),
            Self::Fathers => second_sunday(8),
            Self::Lovers => day(6, 12),
            Self::Halloween => day(10, 31),
            Self::AllSouls => day(11, 2),
            Self::Republic => day(11, 15),
            Self::BlackAwareness => day(11, 20),
        }
    }

    /// The next occurrence, today included, or what is left of one that has begun.
    pub(super) fn next(self, today: NaiveDate) -> Option<Window> {
        let years = today.year()..=today.year() + 1;
        years
            .filter_map(|year| self.in_year(year))
            .find(|window| window.to >= today)
            .map(|window| Window { from: window.from.max(today), to: window.to })
    }
}

/// The feasts, beside 1 January and 25 December, that are national holidays.
const HOLIDAYS: [Feast; 8] = [
    Feast::GoodFriday,
    Feast::Foundation,
    Feast::Labour,
    Feast::Independence,
    Feast::Children,
    Feast::AllSouls,
    Feast::Republic,
    Feast::BlackAwareness,
];

/// The next national holiday of Brazil, today included.
pub(super) fn next_holiday(today: NaiveDate) -> Option<Window> {
    let fixed = [(today.year(), 12, 25), (today.year(), 1, 1), (today.year() + 1, 1, 1)];
    fixed
        .into_iter()
        .filter_map(|(year, month, day)| NaiveDate::from_ymd_opt(year, month, day))
        .filter(|day| *day >= today)
        .map(Window::day)
        .chain(HOLIDAYS.into_iter().filter_map(|feast| feast.next(today)))
        .min_by_key(|window| window.from)
}

/// Easter Sunday, by the algorithm of Meeus, Jones and Butcher.
fn easter(year: i32) -> Option<NaiveDate> {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let (d, e) = (b / 4, b % 4);
    let g = (8 * b + 13) / 25;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let month = (h + l - 7 * m + 114) / 31;
    let day = (h + l - 7 * m + 114) % 31 + 1;
    NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easter_is_that_of_the_church_calendar() {
        for day in ["2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2028-04-16", "2038-04-25"] {
            let day: NaiveDate = day.parse().unwrap();
            assert_eq!(easter(day.year()), Some(day));
        }
    }

    #[test]
    fn each_feast_has_a_next_occurrence_within_a_year() {
        let first: NaiveDate = "2026-01-01".parse().unwrap();
        for today in first.iter_days().take(800) {
            for feast in [Feast::Christmas, Feast::NewYear, Feast::Carnival, Feast::Easter, Feast::Mothers] {
                let next = feast.next(today).unwrap();
                assert!(next.from >= today && next.from <= next.to && (next.from - today).num_days() < 400);
            }
            assert!((next_holiday(today).unwrap().from - today).num_days() < 130);
        }
    }
}
