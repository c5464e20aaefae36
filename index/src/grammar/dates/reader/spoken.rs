//! Numbers that are spoken: "vinte e um", "twenty-first", "primeiro domingo de dezembro".

use chrono::{Datelike, Months, NaiveDate, Weekday};

use super::{FoundDays, Leads, OF_MONTH, Reader, Term, Window, weekend_to};

impl Reader<'_> {
    /// A number in words: where it ends, and which it is.
    pub(in crate::grammar::dates) fn cardinal(&self, at: usize) -> Option<(usize, u64)> {
        self.tens(at)
            .and_then(|(ones, tens)| {
                let (end, one) = self.phrase(|word| word.numbers, self.optional(&["e", "y"], ones))?;
                (one < 10).then_some((end, tens + one))
            })
            .or_else(|| self.phrase(|word| word.numbers, at))
    }

    /// An English ordinal.
    pub(super) fn ordinal(&self, at: usize) -> Option<(usize, u64)> {
        self.tens(at)
            .and_then(|(ones, tens)| {
                let (end, one) = self.phrase(|word| word.ordinals, ones)?;
                (one < 10).then_some((end, tens + one))
            })
            .or_else(|| self.phrase(|word| word.ordinals, at))
    }

    /// The tens of a number that may have ones.
    fn tens(&self, at: usize) -> Option<(usize, u64)> {
        self.phrase(|word| word.numbers, at).filter(|(_, tens)| matches!(tens, 20 | 30))
    }

    /// "primeiro domingo de dezembro", "last friday of november", "first week of january".
    pub(super) fn numbered(&self, leads: Leads) -> Option<FoundDays> {
        const FIRST: &[&str] = &["first", "primeiro", "primeira", "primer", "primera"];
        const SECOND: &[&str] = &["second", "segundo", "segunda"];
        const THIRD: &[&str] = &["third", "terceiro", "terceira", "tercer", "tercera"];
        const FOURTH: &[&str] = &["fourth", "quarto", "cuarto"];
        const LAST: &[&str] = &["last", "ultimo", "ultima"];
        const PENULTIMATE: &[&str] = &["penultimate", "penultimo", "penultima"];
        let number = [FIRST, SECOND, THIRD, FOURTH, LAST, PENULTIMATE]
            .iter()
            .position(|words| words.contains(&self.word(leads.end)))?;
        let (end, term) = self.phrase(|word| word.terms, leads.end + 1)?;
        if self.word(leads.end) == "last" && self.any(&["of", "in"], end).is_none() {
            return Some(FoundDays::new(end, self.past(term)?));
        }
        let number = u8::try_from(number).ok()?;
        let days = |month: Window| {
            let (year, of) = (month.from.year(), month.from.month());
            let nth = |day, number| NaiveDate::from_weekday_of_month_opt(year, of, day, number);
            let last = |day| if nth(day, 5).is_some() { 5 } else { 4 };
            let nth = |day| match number {
                4.. => nth(day, last(day) + 4 - number),
                _ => nth(day, number + 1),
            };
            match term {
                Term::Day(day, _) => nth(day).map(Window::day),
                Term::Weekend => weekend_to(nth(Weekday::Sat)?.succ_opt()?),
                Term::Week if number == 4 => month.days(month.to.day() - 6, month.to.day()),
                Term::Week => month.days(u32::from(number) * 7 + 1, u32::from(number) * 7 + 7),
                _ => None,
            }
        };
        let at = self.any(OF_MONTH, end)?;
        match self.any(&["ano", "the year", "year"], at).filter(|_| number >= 4) {
            Some(end) => self.of_named_month(end, 12, days),
            None => self.of_month(at, days),
        }
    }

    /// Days of the month whose name ends here: of the year that follows, else the next that are not over.
    pub(super) fn of_named_month(
        &self,
        end: usize,
        month: u32,
        days: impl Fn(Window) -> Option<Window>,
    ) -> Option<FoundDays> {
        let in_year = |year| {
            let from = NaiveDate::from_ymd_opt(year, month, 1)?;
            days(Window { from, to: from.checked_add_months(Months::new(1))?.pred_opt()? })
        };
        let (end, window) = match self.year_after(end) {
            Some((end, year)) => (end, in_year(year)?),
            None => {
                let this_year = in_year(self.today.year()).filter(|days| days.to >= self.today);
                (end, this_year.or_else(|| in_year(self.today.year() + 1))?)
            }
        };
        Some(FoundDays { joined: true, ..FoundDays::new(end, window) })
    }
}
