//! The feasts and holidays of the year.

use chrono::{Datelike, Duration, NaiveDate, Weekday};

use super::days::{Days, Window};

/// When a feast is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feast {
    /// 24 and 25 December.
    Christmas,
    /// The turn of the year, which belongs to the year that begins.
    NewYear,
    /// A month and its day.
    Fixed(u32, u32),
    /// From the first to the second of these numbers of days after Easter Sunday.
    Movable(i64, i64),
    /// The second Sunday of a month.
    SecondSunday(u32),
}

impl Feast {
    pub(super) const GOOD_FRIDAY: Self = Self::Movable(-2, -2);
    pub(super) const FOUNDATION: Self = Self::Fixed(4, 21);
    pub(super) const LABOUR: Self = Self::Fixed(5, 1);
    pub(super) const INDEPENDENCE: Self = Self::Fixed(9, 7);
    pub(super) const CHILDREN: Self = Self::Fixed(10, 12);
    pub(super) const ALL_SOULS: Self = Self::Fixed(11, 2);
    pub(super) const REPUBLIC: Self = Self::Fixed(11, 15);
    pub(super) const BLACK_AWARENESS: Self = Self::Fixed(11, 20);
    /// Of the Federal District alone.
    pub(super) const EVANGELICALS: Self = Self::Fixed(11, 30);

    /// The days in the year.
    pub(super) fn in_year(self, year: i32) -> Option<Window> {
        let day = |month, day| NaiveDate::from_ymd_opt(year, month, day);
        let from_easter = |days| easter(year)?.checked_add_signed(Duration::days(days));
        match self {
            Self::Christmas => Some(Window { from: day(12, 24)?, to: day(12, 25)? }),
            Self::NewYear => {
                let to = day(1, 1)?;
                Some(Window { from: to.pred_opt()?, to })
            }
            Self::Fixed(month, number) => day(month, number).map(Window::day),
            Self::Movable(from, to) => Some(Window { from: from_easter(from)?, to: from_easter(to)? }),
            Self::SecondSunday(month) => {
                NaiveDate::from_weekday_of_month_opt(year, month, Weekday::Sun, 2).map(Window::day)
            }
        }
    }

    /// The days that "réveillon 2026" means: the eve and the day of a new year are of two years, of which the one is
    /// meant that is not over.
    pub(super) fn of_year(self, year: i32, today: NaiveDate) -> Option<Window> {
        let days = self.in_year(year)?;
        let is_meant = self != Self::NewYear || days.to >= today;
        if is_meant { Some(days) } else { self.in_year(year.checked_add(1)?) }
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

/// The feasts, beside 1 January and 25 December, that are holidays of Brazil or of the Federal District.
const HOLIDAYS: [Feast; 9] = [
    Feast::GOOD_FRIDAY,
    Feast::FOUNDATION,
    Feast::LABOUR,
    Feast::INDEPENDENCE,
    Feast::CHILDREN,
    Feast::ALL_SOULS,
    Feast::REPUBLIC,
    Feast::BLACK_AWARENESS,
    Feast::EVANGELICALS,
];

/// The holidays of these days.
pub(super) fn holidays(days: Window) -> Option<Days> {
    let mut from = days.from;
    let next = std::iter::from_fn(|| {
        let day = next_holiday(from)?.from;
        from = day.succ_opt()?;
        (day <= days.to).then_some(day)
    });
    Days::of(next)
}

/// The next holiday, today included.
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
            for feast in [Feast::Christmas, Feast::NewYear, Feast::Movable(-50, -46), Feast::SecondSunday(5)]
            {
                let next = feast.next(today).unwrap();
                assert!(next.from >= today && next.from <= next.to && (next.from - today).num_days() < 400);
            }
            assert!((next_holiday(today).unwrap().from - today).num_days() < 130);
        }
    }
}
