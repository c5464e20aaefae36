//! Dates told by another one: "daqui a duas semanas", "three weeks from tomorrow", "the weekend before christmas".

use std::ops::Range;

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

use super::{COMING, FoundDays, Leads, PAST, Reader, Term, Unit, Window, weekend_to};
use crate::grammar::tokens::Separator;

/// What stands between a weekday or weekend and the day that it comes before.
const BEFORE: &[&str] = &["antes de", "antes do", "antes da", "antes del", "before"];

/// What stands between a weekday or weekend and the day that it comes after.
const AFTER: &[&str] = &["depois de", "depois do", "depois da", "despues de", "despues del", "after"];

/// Phrases for the present week, month and day, behind what is on in it.
const OF_THIS_WEEK: &[&str] = &["da semana", "de la semana", "of the week", "for the week"];
const OF_THIS_MONTH: &[&str] = &["do mes", "del mes", "of the month", "for the month"];
const OF_THIS_DAY: &[&str] = &["do dia", "del dia", "of the day", "for the day"];

/// Words for what is on. The dish of the day is that of any.
#[rustfmt::skip]
const WHAT_IS_ON: &[&str] = &[
    "actividades", "activities", "agenda", "atividades", "atracoes", "calendar", "calendario", "concerto", "concertos",
    "concerts", "conciertos", "destaques", "dicas", "event", "evento", "eventos", "events", "festa", "festas", "fiestas",
    "filmes", "gigs", "highlights", "listings", "music", "musica", "novidades", "on", "parties", "planes", "plans", "programa",
    "programacao", "programacion", "programas", "programme", "roles", "roteiro", "samba", "schedule", "show", "shows",
];

/// What goes on behind them, so that another week, month or day is meant: "semana de moda", "dia das bruxas".
const OF: &[&str] = &["da", "das", "de", "del", "do", "dos", "of"];

impl Reader<'_> {
    /// The present week, month or day of what is on: "agenda da semana", "eventos do mês", "events of the day".
    pub(super) fn of_the_present(&self, at: usize) -> Option<FoundDays> {
        at.checked_sub(1).filter(|before| WHAT_IS_ON.contains(&self.word(*before)))?;
        let (end, window) = if let Some(end) = self.any(OF_THIS_WEEK, at) {
            (end, self.week(false)?)
        } else if let Some(end) = self.any(OF_THIS_MONTH, at) {
            (end, self.month_from_now(false)?)
        } else {
            (self.any(OF_THIS_DAY, at)?, Window::day(self.today))
        };
        // "semana santa", "the day after tomorrow"; "dia 2026-12-05"; "dia 12"; "mês que vem", "week before christmas"
        let is_longer = self.phrase(|word| word.terms, end - 1).is_some_and(|(longer, _)| longer > end)
            || self.exact_dates(end - 1).next().is_some()
            || self.count(end).is_some()
            || [COMING, PAST, BEFORE, AFTER, OF].iter().any(|phrases| self.any(phrases, end).is_some());
        (!is_longer).then(|| FoundDays::new(end, window))
    }

    /// A number in digits or words.
    fn count(&self, at: usize) -> Option<(usize, u64)> {
        let digits = self.word(at).parse().ok().filter(|count| (1..=366).contains(count));
        digits.map(|count| (at + 1, count)).or_else(|| self.cardinal(at))
    }

    /// The day so long after today; the next hours are of today.
    fn later_by(&self, count: u64, unit: Unit) -> Option<NaiveDate> {
        match unit {
            Unit::Hour => Some(self.today),
            Unit::Day => self.in_days(count),
            Unit::Week => self.in_days(count * 7),
            Unit::Month => self.today.checked_add_months(Months::new(u32::try_from(count).ok()?)),
        }
    }

    /// "daqui a 3 dias", "in two weeks"; "in two months" is that month.
    pub(super) fn ahead(&self, at: usize) -> Option<FoundDays> {
        let (end, day, unit) = self.counted_ahead(at)?;
        let window = match unit {
            Unit::Hour | Unit::Day => Window::day(day),
            Unit::Month => self.month_of(day.year(), day.month())?,
            // "daqui a duas semanas, no domingo": of that week
            Unit::Week => match self.phrase(|word| word.terms, self.leads(end).end) {
                Some((end, Term::Day(weekday, _))) => {
                    return Some(FoundDays::new(end, Window::day(self.in_week_of(day, weekday)?)));
                }
                _ => Window::day(day),
            },
        };
        Some(FoundDays::new(end, window))
    }

    /// The end of "in two weeks", the day, and what it is counted in.
    fn counted_ahead(&self, at: usize) -> Option<(usize, NaiveDate, Unit)> {
        let (at, ()) = self.phrase(|word| word.ahead, at)?;
        let (at, count) = self.count(at)?;
        let (end, unit) = self.phrase(|word| word.units, at)?;
        Some((end, self.later_by(count, unit)?, unit))
    }

    /// A weekday of the week of a day.
    fn in_week_of(&self, day: NaiveDate, weekday: Weekday) -> Option<NaiveDate> {
        self.at_day(day.week(Weekday::Mon).first_day()).weekday(weekday, false)
    }

    /// "próximos 10 dias", "within two months"; "next days" are a week, "next weeks" three, "next months" as many.
    pub(super) fn next_days(&self, leads: Leads) -> Option<FoundDays> {
        let counted = self.count(leads.end).filter(|_| leads.next || leads.this);
        let (at, count) = counted.unwrap_or((leads.end, 0));
        let (end, unit) = self.phrase(|word| word.units, at)?;
        let several = || leads.next && self.word(at).ends_with('s') && self.word(at) != "mes";
        let count = match unit {
            _ if counted.is_some() => count,
            _ if !several() => return None,
            Unit::Hour | Unit::Day => 7,
            Unit::Week | Unit::Month => 3,
        };
        Some(FoundDays::new(end, Window { from: self.today, to: self.later_by(count, unit)? }))
    }

    /// "three weeks from tomorrow", "uma semana depois do natal", "10 days from now", and the idioms "de hoje a oito"
    /// and "de mañana en quince".
    pub(super) fn counted_from(&self, at: usize) -> Option<FoundDays> {
        // "a week from sunday": the article is a lead
        let is_one = at.checked_sub(1).is_some_and(|before| self.word(before) == "a");
        let counted = self.count(at).or_else(|| is_one.then_some((at, 1)));
        if let Some((unit, count)) = counted
            && let Some((end, unit)) = self.phrase(|word| word.units, unit)
            && let Some((from, is_after)) = self.counting_from(end)
        {
            let first = self.single_date(from)?;
            // "for 3 days from tomorrow" is a stay
            let is_stay = !is_after
                && (unit == Unit::Day && first.days.hull().to != self.today
                    || at.checked_sub(1).is_some_and(|before| matches!(self.word(before), "for" | "por")));
            (!is_stay).then_some(())?;
            let day = self.at_day(first.days.hull().to).later_by(count, unit)?;
            return Some(FoundDays::new(first.end, Window::day(day)));
        }
        // a week has eight days there, and two weeks have fifteen
        let first = self.single_date(self.any(&["de"], at)?)?;
        let (end, days) = match self.any(&["a", "em", "en"], first.end).map(|at| (at + 1, self.word(at)))? {
            (end, "oito" | "ocho") => (end, 7),
            (end, "quinze" | "quince") => (end, 14),
            _ => return None,
        };
        let end = self.optional(&["dias"], end);
        // a date, an amount, an hour
        let goes_on = matches!(self.word(end), "de" | "e" | "y" | "horas" | "h") || self.is_counted(end);
        (!goes_on).then_some(())?;
        Some(FoundDays::new(end, Window::day(self.at_day(first.days.hull().to).in_days(days)?)))
    }

    /// What stands between a number of days or weeks and the day that they are counted from; whether it says "after".
    fn counting_from(&self, at: usize) -> Option<(usize, bool)> {
        let after = self.any(AFTER, at).map(|end| (end, true));
        after.or_else(|| Some((self.any(&["from"], at)?, false)))
    }

    /// "o último fim de semana antes do natal", "the first saturday after christmas", "sábado antes do carnaval".
    pub(super) fn next_to_date(&self, at: usize) -> Option<FoundDays> {
        let at = self.optional(&["ultimo", "last", "primeiro", "primer", "first"], at);
        let (end, term) = self.phrase(|word| word.terms, at)?;
        let (day, is_weekend) = match term {
            Term::Day(day, _) => (day, false),
            Term::Weekend => (Weekday::Sun, true),
            _ => return None,
        };
        let before = self.any(BEFORE, end);
        let date = self.single_date(before.or_else(|| self.any(AFTER, end))?)?;
        let named = date.days.hull();
        let first = match before {
            Some(_) => named.from.checked_sub_days(chrono::Days::new(7))?,
            // a weekend that has begun on that day is not the one after it
            None => self.at_day(named.to).in_days(1 + u64::from(is_weekend))?,
        };
        let day = self.at_day(first).weekday(day, false)?;
        let window = if is_weekend { weekend_to(day)? } else { Window::day(day) };
        (window.to >= self.today).then(|| FoundDays { joined: true, ..FoundDays::new(date.end, window) })
    }

    /// "sábado daqui a três semanas", "saturday in two weeks": the day of that week.
    pub(super) fn of_counted_week(&self, found: FoundDays) -> FoundDays {
        let day = found.days.hull();
        if !found.of_any_week || day.from != day.to {
            return found;
        }
        let of_week = || {
            let (end, of_week, Unit::Week) = self.counted_ahead(found.end)? else { return None };
            Some((end, self.in_week_of(of_week, day.from.weekday())?))
        };
        match of_week() {
            Some((end, date)) => FoundDays { end, days: Window::day(date).into(), ..found },
            None => found,
        }
    }

    /// "amanhã ou depois", "tomorrow or the day after": the day after those before it.
    pub(super) fn following(&self, at: usize, before: &FoundDays) -> Option<FoundDays> {
        const NEXT: &[&str] = &[
            "the day after",
            "the next day",
            "o dia seguinte",
            "no dia seguinte",
            "al dia siguiente",
            "el dia siguiente",
        ];
        let is_joined = at.checked_sub(1).is_some_and(|before| matches!(self.word(before), "ou" | "o" | "e"));
        let short = || self.any(&["depois", "pasado"], at).filter(|_| is_joined);
        let end = self.any(NEXT, at).or_else(short)?;
        // "amanhã ou depois do carnaval", "friday or the day after christmas", "sábado e depois um café"
        self.ends_list(end).then_some(())?;
        Some(FoundDays::new(end, Window::day(before.days.hull().to.succ_opt()?)))
    }

    /// "this month or next", "esse fim de semana ou no próximo": as long a time after the one before it.
    pub(super) fn next_one(&self, at: usize, before: &FoundDays) -> Option<FoundDays> {
        const NEXT: &[&str] = &[
            "next one",
            "next",
            "following one",
            "following",
            "proxima",
            "proximo",
            "siguiente",
            "seguinte",
            "outra",
            "outro",
            "que vem",
            "que viene",
        ];
        let end = self.any(NEXT, self.optional(&["the", "na", "no", "a", "o", "la", "el"], at))?;
        self.ends_list(end).then_some(())?;
        let hull = before.days.hull();
        let noun = at.checked_sub(2)?;
        let of_week = || noun.checked_sub(2).map_or("", |of| self.word(of));
        let next = match self.word(noun) {
            "mes" | "month" => {
                let from = hull.to.succ_opt()?;
                Window { from, to: from.checked_add_months(Months::new(1))?.pred_opt()? }
            }
            "weekend" | "finde" => hull.shifted(7)?,
            "semana" if matches!(of_week(), "fim" | "fin" | "final") => hull.shifted(7)?,
            "semana" | "week" => {
                Window { from: hull.to.succ_opt()?, to: hull.to.checked_add_days(Days::new(7))? }
            }
            _ => return None,
        };
        Some(FoundDays::new(end, next))
    }

    /// Whether a list of days ends before a token.
    fn ends_list(&self, end: usize) -> bool {
        end == self.tokens.len()
            || self.separator(end) == Separator::Comma
            || matches!(self.word(end), "em" | "no" | "na" | "in" | "at" | "en")
    }

    /// Whether other words than these name days: "missa todo dia 25 de cada mês".
    pub(super) fn names_other_days(&self, words: Range<usize>) -> bool {
        let mut others = (0..self.tokens.len()).filter(|at| !words.contains(at));
        others.any(|at| {
            let term = self.phrase(|word| word.terms, at);
            term.is_some_and(|(_, term)| !matches!(term, Term::Within(_) | Term::Month))
                || self.word(at).parse().is_ok_and(|day: u32| (1..=31).contains(&day))
        })
    }

    /// A date that is told by no other.
    pub(super) fn single_date(&self, at: usize) -> Option<FoundDays> {
        let begin = self.leads(at).end;
        match self.phrase(|word| word.terms, begin) {
            Some((end, Term::InDays(days))) => Some(FoundDays::new(end, Window::day(self.in_days(days)?))),
            Some((end, Term::Day(day, _))) => {
                Some(FoundDays::new(end, Window::day(self.weekday(day, false)?)))
            }
            Some((end, Term::Feast(feast))) => self.feast(feast, begin, end),
            _ => self.exact_dates(at).max_by_key(|date| date.end),
        }
    }
}
