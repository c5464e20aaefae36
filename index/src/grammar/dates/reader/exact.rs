//! Dates with the number of a day: "2026-12-25", "25/12", "1 a 5 de dezembro", "december 25th", "dia 12".

use chrono::{Datelike, Months, NaiveDate, Weekday};
use smallvec::{SmallVec, smallvec};

use super::{Days, FoundDays, Leads, Reader, Term, Window, year};
use crate::grammar::language::Language;
use crate::grammar::stop_words::{CURRENCIES, counts_before};
use crate::grammar::tokens::Separator;

/// What stands between a weekend or a holiday and its date.
const OF: &[&str] = &["of the", "of", "de", "da", "do", "del"];

/// The most numbers of days that are read as one list.
const MOST_NUMBERS: usize = 8;

/// Numbers of days as they are written: each alone, or the first and the last of a range.
struct DayNumbers {
    end: usize,
    days: SmallVec<[(u32, u32); 4]>,
}

impl DayNumbers {
    fn is_several(&self) -> bool {
        self.days.len() > 1 || self.days.iter().any(|(from, to)| from != to)
    }

    fn first(&self) -> Option<u32> {
        self.days.first().map(|(from, _)| *from)
    }

    fn last(&self) -> Option<u32> {
        self.days.last().map(|(_, to)| *to)
    }

    /// Whether they go on in the next month: "28 e 5".
    fn wraps(&self) -> bool {
        self.last() < self.first()
    }
}

/// The numbers of a date.
struct Written {
    end: usize,
    year: Option<i32>,
    month: u32,
    day: u32,
}

/// The date of one of several numbers, which tells the months of the others.
#[derive(Clone, Copy)]
enum Known {
    First(NaiveDate),
    Last(NaiveDate),
}

impl Reader<'_> {
    /// The readings as a date with the number of a day.
    pub(super) fn exact_dates(&self, at: usize) -> impl Iterator<Item = FoundDays> {
        let leads = self.leads(at);
        let dates = [self.numeric(leads.end), self.days_of_month(leads.end), self.day_of_month(leads, false)];
        dates.into_iter().flatten()
    }

    /// "of december 5", "do dia 12", "da páscoa".
    pub(super) fn of_date(&self, at: usize) -> Option<FoundDays> {
        self.single_date(self.any(OF, at)?)
    }

    /// "semana do dia 10", "week of december 7", "semana do natal": what is left of the week of a date.
    pub(super) fn week_of_date(&self, at: usize) -> Option<FoundDays> {
        let (end, Term::Week) = self.phrase(|word| word.terms, at)? else { return None };
        let date = self.of_date(end)?;
        let week = date.days.hull().from.week(Weekday::Mon);
        let window = Window { from: week.first_day().max(self.today), to: week.last_day() };
        Some(FoundDays { joined: true, ..FoundDays::new(date.end, window) })
    }

    /// "dia 12, sábado", "28/11 (sábado)": the weekday says no other day.
    pub(super) fn with_its_weekday(&self, found: FoundDays) -> FoundDays {
        let day = found.days.hull();
        if found.by_weekday || day.from != day.to {
            return found;
        }
        match self.phrase(|word| word.terms, found.end) {
            Some((end, Term::Day(weekday, _))) if weekday == day.from.weekday() => FoundDays { end, ..found },
            _ => found,
        }
    }

    /// The same, also without such a word: "feriado 21 de abril".
    pub(super) fn own_exact_date(&self, at: usize) -> Option<FoundDays> {
        self.exact_dates(self.optional(OF, at)).max_by_key(|date| date.end)
    }

    /// "2026-12-25", "25/12/2026", "25/12".
    pub(super) fn numeric(&self, at: usize) -> Option<FoundDays> {
        let written = self.written(at)?;
        Some(FoundDays::new(written.end, Window::day(self.day_written(&written)?)))
    }

    /// Where words end that are written as a date of which there is no such day: "30/02/2027", "31 de abril".
    pub(in crate::grammar::dates) fn no_day(&self, at: usize) -> Option<usize> {
        let at = self.leads(at).end;
        let written = self.written(at).or_else(|| self.day_and_month(at))?;
        self.day_written(&written).is_none().then_some(written.end)
    }

    fn day_written(&self, written: &Written) -> Option<NaiveDate> {
        match written.year {
            Some(year) => NaiveDate::from_ymd_opt(year, written.month, written.day),
            None => self.coming(written.day, written.month),
        }
    }

    /// The numbers of a date, of which there may be no such day.
    fn written(&self, at: usize) -> Option<Written> {
        let number = |at: usize| self.word(at).parse::<u32>().ok();
        let second = self.separator(at + 1);
        let one_mark = self.separator(at + 2) == second;
        let triple = one_mark && !matches!(second, Separator::None | Separator::Comma | Separator::Colon);
        if triple && let Some(year) = year(self.word(at)) {
            return Some(Written {
                end: at + 3,
                year: Some(year),
                month: number(at + 1)?,
                day: number(at + 2)?,
            });
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
            return Some(Written { end: at + 3, year: Some(year), month, day });
        }
        // "24/7" means always
        let is_day = second == Separator::Slash
            && self.separator(at + 2) != Separator::Slash
            && (self.word(at), self.word(at + 1)) != ("24", "7")
            && (1..=31).contains(&day)
            && (1..=12).contains(&month);
        is_day.then_some(Written { end: at + 2, year: None, month, day })
    }

    /// "31 de abril", "30 february 2027", "feb 30".
    fn day_and_month(&self, at: usize) -> Option<Written> {
        let (end, month, day) = match self.month_name(at) {
            Some((end, month)) => {
                let (end, day) = self.spoken_day(self.optional(&["the"], end))?;
                (end, month, day)
            }
            None => {
                let (end, day) = self.spoken_day(at)?;
                let (end, month) = self.month_name(self.optional(&["de", "of", "del"], end))?;
                (end, month, day)
            }
        };
        let year = self.year_after(end);
        let (end, year) = year.map_or((end, None), |(end, year)| (end, Some(year)));
        Some(Written { end, year, month, day })
    }

    /// The next such day, today included.
    fn coming(&self, day: u32, month: u32) -> Option<NaiveDate> {
        (0..=8)
            .filter_map(|ahead| NaiveDate::from_ymd_opt(self.today.year() + ahead, month, day))
            .find(|date| *date >= self.today)
    }

    /// The number of a day: "1", "1o", "25th", "fifteenth", "primeiro"; and whether it can be nothing else.
    fn day_number(&self, at: usize) -> Option<(usize, u32, bool)> {
        if matches!(self.word(at), "primeiro" | "primero" | "first") {
            return Some((at + 1, 1, false));
        }
        // "the second hand" is no day
        if let Some((end, day)) = self.ordinal(at).filter(|(_, day)| *day > 3) {
            return Some((end, u32::try_from(day).ok().filter(|day| *day <= 31)?, true));
        }
        let day = self.word(at).parse().ok().filter(|day| (1..=31).contains(day))?;
        let attached = self.separator(at + 1) == Separator::None;
        let english = attached && matches!(self.word(at + 1), "st" | "nd" | "rd" | "th");
        let ordinal = english || attached && matches!(self.word(at + 1), "o" | "er" | "ro");
        Some((at + 1 + usize::from(ordinal), day, english))
    }

    /// The same in words too, after "dia" or beside a month: "quinze", "vinte e um", "twenty-first".
    fn spoken_day(&self, at: usize) -> Option<(usize, u32)> {
        if let Some((end, day, _)) = self.day_number(at) {
            return Some((end, day));
        }
        let (end, day) = self.ordinal(at).or_else(|| self.cardinal(at))?;
        // "um dia uma festa", "o dia dos avós"
        let may_be_article = matches!(self.word(at), "um" | "uma" | "un" | "una" | "one" | "dos" | "once");
        let is_article = end == at + 1 && may_be_article && self.is_thing(end);
        let day = u32::try_from(day).ok().filter(|day| *day <= 31 && !is_article)?;
        Some((end, day))
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

    /// The month of "dia 5 do 12".
    fn month_number(&self, begin: usize, at: usize) -> Option<(usize, u32)> {
        let before = begin.checked_sub(1).map_or("", |before| self.word(before));
        matches!(before, "dia" | "el").then_some(())?;
        let (end, month) = self.spoken_day(self.any(&["do", "del"], at)?)?;
        (month <= 12 && !self.is_thing(end)).then_some((end, month))
    }

    /// "25 de dezembro", "1 a 5 de dezembro", "december 1-5", "5, 6 e 7 de dezembro", each perhaps with a year.
    pub(super) fn days_of_month(&self, at: usize) -> Option<FoundDays> {
        let between = self.any(&["entre os dias", "entre", "between the", "between"], at);
        let from = self.any(&["de", "from the", "from", "del"], at);
        let begin = between.or(from).unwrap_or(at);
        // "de dez a quinze de janeiro" is of January
        let before = self
            .month_name(begin)
            .filter(|(end, _)| self.spoken_day(self.optional(&["the"], *end)).is_some());
        let first = before.map_or(begin, |(end, _)| self.optional(&["the"], end));
        let numbers = self.day_numbers(first, between.is_some(), false)?;
        // a preposition without a range belongs to something else
        (begin == at || numbers.end > first + 2 || numbers.is_several()).then_some(())?;
        let (end, month) = match before {
            Some((_, month)) => (numbers.end, month),
            None => self
                .month_name(self.optional(&["de", "of", "del"], numbers.end))
                .or_else(|| self.slashed_month(numbers.end).filter(|_| numbers.is_several()))
                .or_else(|| self.month_number(begin, numbers.end))?,
        };
        let given = self.year_after(end);
        let date = |number: u32| match given {
            Some((_, year)) => NaiveDate::from_ymd_opt(year, month, number),
            None => self.coming(number, month),
        };
        // the month stands beside the first number or the last
        let known = match before.is_some() && numbers.wraps() {
            true => Known::First(date(numbers.first()?)?),
            false => Known::Last(date(numbers.last()?)?),
        };
        let found = self.numbered_days(&numbers, known, given.is_none())?;
        Some(FoundDays { end: given.map_or(end, |(end, _)| end), ..found })
    }

    /// The days with these numbers, none before the one that stands before it.
    fn numbered_days(&self, numbers: &DayNumbers, known: Known, coming: bool) -> Option<FoundDays> {
        let mut order: SmallVec<[u32; 8]> = numbers.days.iter().flat_map(|(from, to)| [*from, *to]).collect();
        let mut dates: SmallVec<[NaiveDate; 8]> = SmallVec::new();
        let (date, step): (_, fn(NaiveDate, u32) -> Option<NaiveDate>) = match known {
            Known::First(date) => (date, next_with),
            Known::Last(date) => {
                order.reverse();
                (date, last_with)
            }
        };
        for number in order {
            dates.push(step(dates.last().copied().unwrap_or(date), number)?);
        }
        dates.sort_unstable();
        let windows = dates.chunks_exact(2).map(|range| {
            // a range that has begun
            let from = if coming { range[0].max(self.today.min(range[1])) } else { range[0] };
            Days::from(Window { from, to: range[1] })
        });
        let days = windows.reduce(|all, one| all.union(&one))?;
        let found = FoundDays::new(numbers.end, days.hull());
        Some(FoundDays { days, joined: numbers.is_several(), ..found })
    }

    /// Numbers of days and ranges of them: "1", "1 a 5", "5, 6 e 7". A number behind a comma may be of something else,
    /// so that a list has an "and" before its last. When they are `bare`, none goes on before a word of which it may be
    /// the count: "dia 12 e 2 ingressos".
    fn day_numbers(&self, at: usize, between: bool, bare: bool) -> Option<DayNumbers> {
        let (mut end, first) = self.spoken_day(at)?;
        let mut days: SmallVec<[(u32, u32); 4]> = smallvec![(first, first)];
        // how far a list goes that an "and" has closed
        let mut closed = (end, 1);
        while days.len() < MOST_NUMBERS {
            let range = self.ranged(end).or_else(|| self.any(&["e", "and", "y"], end).filter(|_| between));
            let and = self.any(&["e", "and", "y", "ou", "or"], end);
            let comma = (self.separator(end) == Separator::Comma).then_some(end);
            let Some(next) = range.or(and).or(comma) else { break };
            let next = self.optional(&["the", "o dia", "el dia", "dia", "el"], next);
            let Some((after, number)) = self.spoken_day(next) else { break };
            if self.is_time(next) || self.is_counted(after) || bare && self.is_thing(after) {
                break;
            }
            match days.last_mut().filter(|_| range.is_some()) {
                Some((from, to)) if from == to => *to = number,
                Some(_) => break,
                None => days.push((number, number)),
            }
            end = after;
            if range.is_some() || and.is_some() {
                closed = (end, days.len());
            }
        }
        days.truncate(closed.1);
        Some(DayNumbers { end: closed.0, days })
    }

    /// Whether the number before this word counts it: people, minutes, money.
    pub(super) fn is_counted(&self, at: usize) -> bool {
        counts_before(self.word(at)) || CURRENCIES.contains(&self.word(at))
    }

    /// Whether a word that says what it is about stands here, without a comma before it.
    fn is_thing(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let begins_time = token.fixed.is_some_and(|fixed| fixed.begins_time);
        token.separator == Separator::Space && !token.is_stop_word() && !begins_time
    }

    /// "dia 25", "dias 10 e 11", "the 25th": the next such days of any month.
    pub(super) fn day_of_month(&self, leads: Leads, beside: bool) -> Option<FoundDays> {
        let before = leads.end.checked_sub(1).map_or("", |before| self.word(before));
        if matches!(before, "dia" | "dias") {
            let numbers = self.day_numbers(leads.end, false, before == "dia")?;
            let known = match numbers.wraps() {
                true => Known::First(self.coming_day(numbers.first()?)?),
                false => Known::Last(self.coming_day(numbers.last()?)?),
            };
            return self.numbered_days(&numbers, known, true);
        }
        let (_, _, ordinal) = self.day_number(leads.end)?;
        (ordinal && (leads.evidence || beside)).then_some(())?;
        self.coming_number(leads.end)
    }

    /// The next day of any month with the number that stands here, unless it is a time or counts something.
    pub(super) fn coming_number(&self, at: usize) -> Option<FoundDays> {
        let (end, day, _) = self.day_number(at)?;
        (!self.is_time(at) && !self.is_counted(end)).then_some(())?;
        Some(FoundDays::new(end, Window::day(self.coming_day(day)?)))
    }

    /// The next day of any month with this number, today included.
    fn coming_day(&self, number: u32) -> Option<NaiveDate> {
        let first = self.today.with_day(1)?;
        (0..=2)
            .filter_map(|ahead| first.checked_add_months(Months::new(ahead))?.with_day(number))
            .find(|date| *date >= self.today)
    }
}

/// The first day with this number that is not before another.
fn next_with(day: NaiveDate, number: u32) -> Option<NaiveDate> {
    let same = day.with_day(number).filter(|same| *same >= day);
    same.or_else(|| day.with_day(1)?.checked_add_months(Months::new(1))?.with_day(number))
}

/// The last day with this number that is not after another.
fn last_with(day: NaiveDate, number: u32) -> Option<NaiveDate> {
    let same = day.with_day(number).filter(|same| *same <= day);
    same.or_else(|| day.with_day(1)?.checked_sub_months(Months::new(1))?.with_day(number))
}
