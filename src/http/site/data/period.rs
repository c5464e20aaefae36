//! The days that a page of the agenda shows, and the paths of such pages.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};
use index::Window;

use crate::domain::clock::iso_day;
use crate::domain::text::capitalized;
use crate::http::site::guide::search_query::weekend;
use crate::http::site::layout::Layout;

/// Which days a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Period {
    Today,
    Tomorrow,
    Weekend,
    /// The one after that.
    NextWeekend,
    Day(NaiveDate),
    /// By its first day.
    Month(NaiveDate),
}

impl Period {
    /// The day of a path, as `YYYY-MM-DD`.
    pub(crate) fn day(text: &str) -> Option<Period> {
        iso_day(text).map(Period::Day)
    }

    /// The month of a path, as `YYYY-MM`.
    pub(crate) fn month(text: &str) -> Option<Period> {
        iso_day(&format!("{text}-01")).map(Period::Month)
    }

    pub(crate) fn path(self) -> String {
        match self {
            Period::Today => "/hoje".to_owned(),
            Period::Tomorrow => "/amanha".to_owned(),
            Period::Weekend => "/fim-de-semana".to_owned(),
            Period::NextWeekend => "/proximo-fim-de-semana".to_owned(),
            Period::Day(day) => format!("/dia/{day}"),
            Period::Month(first) => month_path(first),
        }
    }

    pub(crate) fn window(self, today: NaiveDate) -> Window {
        match self {
            Period::Today => Window::day(today),
            Period::Tomorrow => Window::day(today + Days::new(1)),
            Period::Weekend => weekend(today),
            Period::NextWeekend => weekend(weekend(today).to + Days::new(1)),
            Period::Day(day) => Window::day(day),
            Period::Month(first) => {
                let next = first.checked_add_months(Months::new(1));
                let last = next.and_then(|next| next.pred_opt()).unwrap_or(first);
                Window { from: first.max(today), to: last }
            }
        }
    }

    /// The days that its page shows: a weekend begins with the evening of its Friday, unless that is past.
    pub(crate) fn with_friday(self, today: NaiveDate) -> Window {
        let window = self.window(today);
        match self {
            Period::Weekend | Period::NextWeekend if window.from > today => {
                Window { from: window.from - Days::new(1), ..window }
            }
            _ => window,
        }
    }

    /// Whether its page shows of a day the evening alone, with what has no hour.
    pub(crate) fn is_evening_of(self, day: NaiveDate) -> bool {
        matches!(self, Period::Weekend | Period::NextWeekend) && day.weekday() == Weekday::Fri
    }

    pub(crate) fn title(self, layout: &Layout, today: NaiveDate) -> String {
        let (words, calendar) = (&layout.texts.agenda, &layout.texts.calendar);
        match self {
            Period::Today => words.today.to_owned(),
            Period::Tomorrow => words.tomorrow.to_owned(),
            Period::Weekend => words.weekend.to_owned(),
            Period::NextWeekend => words.next_weekend.to_owned(),
            Period::Day(day) => capitalized(&calendar.dated(day, today)),
            Period::Month(first) => (words.month)(calendar.month(first), first.year()),
        }
    }
}

/// The path of the month of a day.
pub(crate) fn month_path(day: NaiveDate) -> String {
    format!("/agenda/{}", day.format("%Y-%m"))
}

/// The path of a day, which for today and tomorrow is that of their own pages.
pub(crate) fn day_path(day: NaiveDate, today: NaiveDate) -> String {
    match (day - today).num_days() {
        0 => Period::Today.path(),
        1 => Period::Tomorrow.path(),
        _ => Period::Day(day).path(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_months_have_one_spelling() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        assert_eq!(Period::day("2026-11-28"), Some(Period::Day(day("2026-11-28"))));
        assert_eq!(Period::month("2026-11"), Some(Period::Month(day("2026-11-01"))));
        for wrong in ["2026-2-03", "2026-02-30", "", "hoje", "+2026-11-28", "2026-11-28 ", "+262142-12-31"] {
            assert_eq!(Period::day(wrong), None, "{wrong}");
        }
        for wrong in ["2026-13", "2026", "2026-1", "2026-11-28", "", "+262142-12", "-262143-01", "12026-11"] {
            assert_eq!(Period::month(wrong), None, "{wrong}");
        }
    }
}
