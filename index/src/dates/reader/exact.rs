//! Dates with the number of a day: "2026-12-25", "25/12", "1 a 5 de dezembro", "december 25th", "dia 12".

use chrono::{Datelike, Months, NaiveDate};

use super::{Days, FoundDays, Leads, Reader, Term, Window, year};
use crate::language::Language;
use crate::tokens::Separator;

/// What stands between a weekend or a holiday and its date.
const OF: &[&str] = &["of the", "of", "de", "do", "del"];

impl Reader<'_> {
    /// The readings as a date with the number of a day.
    pub(super) fn exact_dates(&self, at: usize) -> impl Iterator<Item = FoundDays> {
        let leads = self.leads(at);
        let dates = [self.numeric(leads.end), self.days_of_month(leads.end), self.day_of_month(leads)];
        dates.into_iter().flatten()
    }

    /// "of december 5", "do dia 12": the longest reading.
    pub(super) fn of_exact_date(&self, at: usize) -> Option<FoundDays> {
        self.exact_dates(self.any(OF, at)?).max_by_key(|date| date.end)
    }

    /// The same, also without such a word: "feriado 21 de abril".
    pub(super) fn own_exact_date(&self, at: usize) -> Option<FoundDays> {
        self.exact_dates(self.optional(OF, at)).max_by_key(|date| date.end)
    }

    /// "2026-12-25", "25/12/2026", "25/12".
    pub(super) fn numeric(&self, at: usize) -> Option<FoundDays> {
        let number = |at: usize| self.word(at).parse::<u32>().ok();
        let second = self.separator(at + 1);
        let one_mark = self.separator(at + 2) == second;
        let triple = one_mark && !matches!(second, Separator::None | Separator::Comma | Separator::Colon);
        if triple && let Some(year) = year(self.word(at)) {
            let date = NaiveDate::from_ymd_opt(year, number(at + 1)?, number(at + 2)?)?;
            return Some(FoundDays::new(at + 3, Window::day(date)));
        }
        let (mut day, mut month) = (number(at)?, number(at + 1)?);
        if month > 12 && self.language == Language::English {
            (day, month) = (month, day);
        }
        let short = |word: &str| {
            (word.len() == 2).then(|| word.parse::<i32>().ok()).flatten().map(|year| 2000 + year)
        };
        let last = self.word(at + 2);
        let given = year(last).or_else(|| short(last).filter(|_| second == Separator::Slash));
        if let Some(year) = given.filter(|_| triple) {
            let date = NaiveDate::from_ymd_opt(year, month, day)?;
            return Some(FoundDays::new(at + 3, Window::day(date)));
        }
        // "24/7" means always
        let is_day = second == Separator::Slash
            && self.separator(at + 2) != Separator::Slash
            && (self.word(at), self.word(at + 1)) != ("24", "7");
        is_day.then_some(())?;
        Some(FoundDays::new(at + 2, Window::day(self.coming(day, month)?)))
    }

    /// The next such day, today included.
    fn coming(&self, day: u32, month: u32) -> Option<NaiveDate> {
        (0..=8)
            .filter_map(|ahead| NaiveDate::from_ymd_opt(self.today.year() + ahead, month, day))
            .find(|date| *date >= self.today)
    }

    /// The number of a day: "1", "1o", "25th", "primeiro"; and whether it can be nothing else.
    fn day_number(&self, at: usize) -> Option<(usize, u32, bool)> {
        if matches!(self.word(at), "primeiro" | "primero" | "first") {
            return Some((at + 1, 1, false));
        }
        let day = self.word(at).parse().ok().filter(|day| (1..=31).contains(day))?;
        let attached = self.separator(at + 1) == Separator::None;
        let english = attached && matches!(self.word(at + 1), "st" | "nd" | "rd" | "th");
        let ordinal = english || attached && matches!(self.word(at + 1), "o" | "er" | "ro");
        Some((at + 1 + usize::from(ordinal), day, english))
    }

    /// The name or abbreviation of a month, or nothing.
    pub(super) fn month_name(&self, at: usize) -> Option<(usize, u32)> {
        match self.phrase(|word| word.terms, at)? {
            (end, Term::Named(month, _)) => Some((end, month)),
            _ => None,
        }
    }

    /// The month of "de 10 a 15/12".
    fn slashed_month(&self, at: usize) -> Option<(usize, u32)> {
        (self.separator(at) == Separator::Slash).then_some(())?;
        Some((at + 1, self.word(at).parse().ok().filter(|month| (1..=12).contains(month))?))
    }

    /// "25 de dezembro", "1 a 5 de dezembro", "december 1-5", "24 e 25 de dezembro", each perhaps with a year.
    pub(super) fn days_of_month(&self, at: usize) -> Option<FoundDays> {
        let between = self.any(&["entre os dias", "entre", "between the", "between"], at);
        let from = self.any(&["de", "from the", "from", "del"], at);
        let begin = between.or(from).unwrap_or(at);
        let before = self.month_name(begin);
        let numbers = before.map_or(begin, |(end, _)| self.optional(&["the"], end));
        let (end, first, _) = self.day_number(numbers)?;
        let (end, last, range) = self.second_day(end, between.is_some()).unwrap_or((end, first, true));
        // a preposition without a range belongs to something else
        (begin == at || end > numbers + 2 || first != last).then_some(())?;
        let (end, month) = match before {
            Some((_, month)) => (end, month),
            None => self
                .month_name(self.optional(&["de", "of", "del"], end))
                .or_else(|| self.slashed_month(end).filter(|_| first != last))?,
        };
        let given = self.year_after(end);
        let day = |day: u32| match given {
            Some((_, year)) => NaiveDate::from_ymd_opt(year, month, day),
            None => self.coming(day, month),
        };
        let (to, end) = (day(last)?, given.map_or(end, |(end, _)| end));
        let from = match given {
            Some(_) => day(first)?,
            // a range that has begun
            None => to.with_day(first)?.max(self.today.min(to)),
        };
        (first <= last).then_some(())?;
        if range {
            return Some(FoundDays { joined: first != last, ..FoundDays::new(end, Window { from, to }) });
        }
        let days = Days::from(Window::day(day(first)?)).union(&Window::day(to).into());
        Some(FoundDays { days, joined: true, ..FoundDays::new(end, Window { from, to }) })
    }

    /// The second day of a range or of a pair, and whether it is a range.
    fn second_day(&self, at: usize, between: bool) -> Option<(usize, u32, bool)> {
        let ranges = ["a", "ate", "to", "until", "through", "al", "hasta el", "hasta", "ao"];
        let pair = self.any(&["e", "and", "y"], at);
        let (at, range) = match self.any(&ranges, at) {
            Some(end) => (end, true),
            None if pair.is_some() => (pair?, between),
            None => (self.separator(at) == Separator::Hyphen).then_some((at, true))?,
        };
        let (end, day, _) = self.day_number(at)?;
        Some((end, day, range))
    }

    /// "dia 25", "the 25th": the next such day of any month.
    pub(super) fn day_of_month(&self, leads: Leads) -> Option<FoundDays> {
        let named = leads.end.checked_sub(1).is_some_and(|before| self.word(before) == "dia");
        let (end, day, ordinal) = self.day_number(leads.end)?;
        (named || ordinal && leads.evidence).then_some(())?;
        let first = self.today.with_day(1)?;
        let date = (0..=2)
            .filter_map(|ahead| first.checked_add_months(Months::new(ahead))?.with_day(day))
            .find(|date| *date >= self.today)?;
        Some(FoundDays::new(end, Window::day(date)))
    }
}
