//! Days from one date to another, or from or to one: "de sexta a domingo", "until friday", "depois do natal".

use chrono::{Months, NaiveDate};

use super::{FoundDays, Reader, Window};
use crate::grammar::tokens::Separator;

/// How many days "from december 10" goes on, as a question without a last day does.
const OPEN_DAYS: u64 = 7;

/// What stands between the first day of a range and the last.
pub(super) const TO: &[&str] =
    &["a", "ate o", "ate a", "ate", "to", "until", "through", "till", "hasta el", "hasta", "al", "ao"];

impl Reader<'_> {
    /// "até domingo", "until friday": from today on.
    pub(super) fn until(&self, at: usize) -> Option<FoundDays> {
        let begin = self.any(&["ate o", "ate a", "ate", "until", "till", "by", "hasta el", "hasta"], at)?;
        let last = self.date(begin, false)?;
        let to = last.days.hull().to;
        (self.today <= to)
            .then(|| FoundDays { joined: true, ..FoundDays::new(last.end, Window { from: self.today, to }) })
    }

    /// "from december 10", "a partir de sexta", "depois do carnaval": a week from then on, or what is left of what is
    /// named.
    pub(super) fn since(&self, at: usize) -> Option<FoundDays> {
        const FROM: &[&str] = &[
            "a partir do dia",
            "a partir de",
            "a partir do",
            "a partir da",
            "desde el",
            "desde o dia",
            "desde o",
            "desde",
            "from the",
            "from",
            "since",
            "starting on",
            "starting",
        ];
        const AFTER: &[&str] = &[
            "after",
            "depois do dia",
            "depois de",
            "depois do",
            "depois da",
            "apos o",
            "apos",
            "despues de",
            "despues del",
        ];
        let of = |begin: usize, is_after: bool| {
            let first = self.date(begin, false)?;
            let named = first.days.hull();
            let from = if is_after { named.to.succ_opt()? } else { named.from };
            let open = from.checked_add_days(chrono::Days::new(OPEN_DAYS))?;
            let to = if is_after { open } else { open.max(named.to) };
            Some(FoundDays { joined: true, ..FoundDays::new(first.end, Window { from, to }) })
        };
        match (self.any(FROM, at), self.any(AFTER, at)) {
            (Some(begin), _) => of(begin, false),
            // "depois de amanhã" is a day
            (None, Some(begin)) if self.phrase(|word| word.terms, at).is_none() => of(begin, true),
            _ => None,
        }
    }

    /// "antes do natal", "before friday": from today to the day before.
    pub(super) fn before(&self, at: usize) -> Option<FoundDays> {
        let begin =
            self.any(&["before", "antes do dia", "antes de", "antes do", "antes da", "antes del"], at)?;
        let last = self.date(begin, false)?;
        let to = last.days.hull().from.pred_opt()?;
        (self.today <= to)
            .then(|| FoundDays { joined: true, ..FoundDays::new(last.end, Window { from: self.today, to }) })
    }

    /// What joins the first day of a range to the last.
    pub(super) fn ranged(&self, at: usize) -> Option<usize> {
        self.any(TO, at).or_else(|| (self.separator(at) == Separator::Hyphen).then_some(at))
    }

    /// "de sexta a domingo", "friday to sunday", "entre hoje e domingo".
    pub(super) fn range(&self, at: usize) -> Option<FoundDays> {
        let between = self.any(&["entre o", "entre os", "entre", "between"], at);
        let begin = between.unwrap_or_else(|| {
            self.optional(&["de", "da", "do", "from the", "from", "desde el", "desde", "del", "desde o"], at)
        });
        let first = self.date(begin, true)?;
        let end = match between {
            Some(_) => self.any(&["e", "and", "y"], first.end),
            None => self.ranged(first.end),
        }?;
        let mut second = self.date(end, true)?;
        let mut from = match second.week {
            // "de sexta a domingo da semana que vem"
            Some(week) if first.of_any_week => first.days.of_week(week).hull().from,
            _ => first.days.hull().from,
        };
        if second.days.hull().to < from {
            match self.has_begun(begin, &first, second.days.hull().to) {
                true => from = self.today,
                false => second = self.at_day(from).date(end, true)?,
            }
        }
        let to = second.days.hull().to;
        (from <= to).then(|| FoundDays { joined: true, ..FoundDays::new(second.end, Window { from, to }) })
    }

    /// Whether a range up to `last` has begun: the day that stands at a token, which is next year's by itself, was in
    /// the year before `last`. "de 1/12 a 5/12" on the 2nd.
    fn has_begun(&self, at: usize, first: &FoundDays, last: NaiveDate) -> bool {
        let read_again = || self.at_day(last.checked_sub_months(Months::new(12))?).date(at, true);
        !first.by_weekday
            && self.today <= last
            && read_again().is_some_and(|again| again.end == first.end && again.days.hull().from <= last)
    }
}
