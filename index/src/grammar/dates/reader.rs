//! Reads days: a recursive descent over the tokens. Every method takes the number of a token and returns the number
//! after the last one it took.

mod exact;
mod relative;
mod spans;
mod spoken;

use std::ops::Range;

use chrono::{Datelike, Months, NaiveDate, Weekday};

use super::feasts::{Feast, holidays, next_holiday};
use super::terms::{Lead, NAME_WORDS, ORDINAL_NOUNS, Sure, Table, Term, TimeWord, Unit};
use super::{Days, Hours, Window, YEARS};
use crate::grammar::fixed_words::FixedWord;
use crate::grammar::language::Language;
use crate::grammar::tokens::{Separator, Token};
use spans::TO;

/// What after a week, a weekday or a year says that the next one is meant.
const COMING: &[&str] =
    &["que vem", "q vem", "que viene", "proximo", "proxima", "proximos", "proximas", "seguinte", "siguiente"];

/// What after a week, a weekday or a year says that the last one is meant.
const PAST: &[&str] = &["passado", "passada", "pasado", "pasada"];

/// What stands between a part of a month and the month.
const OF_MONTH: &[&str] = &["de", "do mes de", "do", "of", "in", "del mes de", "del", "em", "en"];

/// The tokens and what their meaning depends on.
#[derive(Clone, Copy)]
pub(super) struct Reader<'t> {
    pub(super) tokens: &'t [Token<'t>],
    pub(super) today: NaiveDate,
    pub(super) language: Language,
}

/// Days and how far their phrase goes.
#[derive(Debug, Clone)]
pub(super) struct FoundDays {
    pub(super) end: usize,
    pub(super) days: Days,
    pub(super) hours: Option<Hours>,
    /// The tokens of the feast that is named.
    pub(super) feast: Option<Range<usize>>,
    /// More than one date, which makes doubtful words sure ("sab e dom").
    pub(super) joined: bool,
    /// Named by a weekday, without a date.
    by_weekday: bool,
    /// By weekdays and nothing that says of which week they are.
    of_any_week: bool,
    /// More than one feast was named, so that none is the subject.
    several_feasts: bool,
    /// The week that was named behind the weekday.
    week: Option<Window>,
}

impl FoundDays {
    fn new(end: usize, window: Window) -> Self {
        Self {
            end,
            days: window.into(),
            hours: None,
            feast: None,
            joined: false,
            by_weekday: false,
            of_any_week: false,
            several_feasts: false,
            week: None,
        }
    }

    /// With the days of another that follows.
    fn with(self, other: FoundDays) -> FoundDays {
        let days = match other.week {
            // "sexta e sábado da semana que vem"
            Some(week) if self.of_any_week => self.days.of_week(week).union(&other.days),
            _ => self.days.union(&other.days),
        };
        // "natal e réveillon" are days of two subjects, but "réveillon, 31 de dezembro" is one
        let are_two = self.feast.is_some() && other.feast.is_some() && self.days != other.days;
        let several_feasts = self.several_feasts || other.several_feasts || are_two;
        FoundDays {
            end: other.end,
            days,
            hours: self.hours.filter(|hours| Some(*hours) == other.hours),
            feast: self.feast.or(other.feast).filter(|_| !several_feasts),
            joined: true,
            by_weekday: self.by_weekday && other.by_weekday,
            of_any_week: self.of_any_week && other.of_any_week,
            several_feasts,
            week: None,
        }
    }
}

/// What the words before a date say of it.
#[derive(Clone, Copy)]
struct Leads {
    end: usize,
    evidence: bool,
    this: bool,
    next: bool,
}

impl<'t> Reader<'t> {
    /// The word, empty after the last.
    pub(super) fn word(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| token.word)
    }

    /// What stands before the word.
    pub(super) fn separator(&self, at: usize) -> Separator {
        self.tokens.get(at).map_or(Separator::None, |token| token.separator)
    }

    /// The longest phrase of a table that begins here.
    pub(super) fn phrase<T: Copy + 'static>(
        &self,
        table: impl Fn(&TimeWord) -> Table<T>,
        at: usize,
    ) -> Option<(usize, T)> {
        self.phrases(table, at).next()
    }

    /// The phrases of a table that begin here, the longest first: each where it ends, and what it means.
    pub(super) fn phrases<T: Copy + 'static>(
        &self,
        table: impl Fn(&TimeWord) -> Table<T>,
        at: usize,
    ) -> impl Iterator<Item = (usize, T)> {
        let token = self.tokens.get(at);
        let fixed = token.and_then(|token| token.fixed);
        let table = fixed.map_or(&[][..], |fixed| table(&fixed.time));
        // a table is sorted, so that a phrase comes after those that it begins with
        table.iter().rev().filter_map(move |(phrase, value)| {
            // all of them begin with the word
            let end = match phrase.get(self.word(at).len() + 1..) {
                Some(rest) => self.after(rest, at + 1)?,
                None => at + 1,
            };
            Some((end, *value))
        })
    }

    /// The end of the phrase, if it stands here.
    #[inline]
    pub(super) fn after(&self, phrase: &str, at: usize) -> Option<usize> {
        // the first letter rules most phrases out
        if self.word(at).as_bytes().first() != phrase.as_bytes().first() {
            return None;
        }
        let (mut rest, mut end) = (phrase, at);
        loop {
            rest = rest.strip_prefix(self.word(end))?;
            end += 1;
            if rest.is_empty() {
                return Some(end);
            }
            rest = rest.strip_prefix(' ')?;
        }
    }

    /// The end of the first of the phrases that stands here.
    pub(super) fn any(&self, phrases: &[&str], at: usize) -> Option<usize> {
        phrases.iter().find_map(|phrase| self.after(phrase, at))
    }

    /// As [`Self::any`], but nothing need stand here.
    pub(super) fn optional(&self, phrases: &[&str], at: usize) -> usize {
        self.any(phrases, at).unwrap_or(at)
    }

    fn at_day(self, today: NaiveDate) -> Self {
        Self { today, ..self }
    }

    fn in_days(&self, days: u64) -> Option<NaiveDate> {
        self.today.checked_add_days(chrono::Days::new(days))
    }

    /// Dates, ranges and lists of dates.
    pub(super) fn sure_days(&self, at: usize) -> Option<FoundDays> {
        // "from the 3rd to the 5th of december"
        let range = || self.days_of_month(at).filter(|found| found.joined);
        let open = || self.until(at).or_else(|| self.since(at)).or_else(|| self.before(at));
        let found = self.range(at).or_else(range).or_else(open).or_else(|| self.date(at, false))?;
        Some(self.with_listed(found))
    }

    /// Dates whose words may mean something else, and lists of them.
    pub(super) fn doubtful_days(&self, at: usize) -> Option<FoundDays> {
        Some(self.with_listed(self.date(at, true)?))
    }

    /// The days with those that are listed after them.
    fn with_listed(&self, mut found: FoundDays) -> FoundDays {
        while let Some(next) = self.listed(found.end) {
            let following = || self.following(next, &found).or_else(|| self.next_one(next, &found));
            let next_date = self.range(next).or_else(|| self.date(next, true)).or_else(following);
            let Some(other) = next_date else { break };
            found = found.with(other);
        }
        found
    }

    /// What joins the dates of a list.
    fn listed(&self, at: usize) -> Option<usize> {
        let spanish_or = self.language == Language::Spanish && self.word(at) == "o";
        match self.any(&["e", "and", "y", "ou", "or"], at) {
            Some(end) => Some(end),
            None if spanish_or => Some(at + 1),
            None => (matches!(self.separator(at), Separator::Comma)).then_some(at),
        }
    }

    /// One date: the longest reading, narrowed by what follows.
    pub(super) fn date(&self, at: usize, beside: bool) -> Option<FoundDays> {
        Some(self.narrowed(self.own_date(at, beside)?))
    }

    /// One date: the longest reading by its own words.
    fn own_date(&self, at: usize, beside: bool) -> Option<FoundDays> {
        let leads = self.leads(at);
        if !self.may_be_date(leads.end) || self.is_infinitive(leads.end) {
            return None;
        }
        let candidates = [
            self.term(leads, beside),
            self.numbered(leads),
            self.week_of_date(leads.end),
            self.of_the_present(at),
            self.each_of_month(leads),
            self.part_of_month(leads),
            self.ahead(at),
            self.counted_from(leads.end),
            self.next_to_date(leads.end),
            self.next_days(leads),
            self.numeric(leads.end),
            self.days_of_month(leads.end),
            self.day_of_month(leads, beside),
            self.year(leads.end),
        ];
        let mut best: Option<FoundDays> = None;
        for found in candidates.into_iter().flatten() {
            if best.as_ref().is_none_or(|best| best.end < found.end) {
                best = Some(found);
            }
        }
        best.map(|found| {
            self.of_counted_week(self.in_its_week(self.with_its_weekday(self.with_its_date(found))))
        })
    }

    /// Rules most words out that follow the leads of a date.
    fn may_be_date(&self, at: usize) -> bool {
        let Some(Token { word, fixed, .. }) = self.tokens.get(at) else { return false };
        let begins = |fixed: &FixedWord| {
            let TimeWord { numbers, ordinals, units, .. } = &fixed.time;
            fixed.begins_time || !numbers.is_empty() || !ordinals.is_empty() || !units.is_empty()
        };
        word.starts_with(|first: char| first.is_ascii_digit()) || fixed.is_some_and(begins)
    }

    /// "sexta, 27 de novembro", "sábado dia 28": the date tells which of these weekdays.
    fn with_its_date(&self, found: FoundDays) -> FoundDays {
        // "segunda a 7/12" is a range
        if !found.by_weekday || self.any(TO, found.end).is_some() {
            return found;
        }
        let weekday = found.days.hull().from.weekday();
        let is_it = |date: &FoundDays| {
            let day = date.days.hull();
            day.from == day.to && day.from.weekday() == weekday
        };
        let exact = self.exact_dates(found.end).find(is_it).or_else(|| {
            // "sábado 5", "friday the 11th"
            self.coming_number(self.optional(&["the", "dia", "el"], found.end)).filter(is_it)
        });
        match exact {
            Some(date) => FoundDays { hours: found.hours, ..date },
            None => found,
        }
    }

    /// "sábado da semana que vem", "friday of next week": the day of that week.
    fn in_its_week(&self, found: FoundDays) -> FoundDays {
        let day = found.days.hull();
        if day.from != day.to || !matches!(self.separator(found.end), Separator::None | Separator::Space) {
            return found;
        }
        let of_week = || {
            let week = self.optional(&["da", "de", "do", "del", "of"], found.end);
            let (end, Term::Week, next) = self.next_or_this(week)? else { return None };
            let week = self.week(next)?;
            let date = self.at_day(week.from).weekday(day.from.weekday(), false)?;
            (date <= week.to).then_some((end, date, week))
        };
        match of_week() {
            Some((end, date, week)) => {
                FoundDays { end, days: Window::day(date).into(), week: Some(week), ..found }
            }
            None => found,
        }
    }

    /// A term that is the next one, or the present one: "próxima semana", "ano que vem", "this week"; whether it is the
    /// next.
    fn next_or_this(&self, at: usize) -> Option<(usize, Term, bool)> {
        let leads = self.leads(at);
        let (end, term) = self.phrase(|word| word.terms, leads.end)?;
        if leads.this || leads.next {
            return Some((end, term, leads.next));
        }
        Some((self.any(COMING, end)?, term, true))
    }

    /// "semana que vem no sábado", "next year on september 7": a part of the days that were named before it. A part is
    /// never narrowed itself, so that the time for one date is linear in the length of the question.
    fn narrowed(&self, found: FoundDays) -> FoundDays {
        let whole = found.days.hull();
        if whole.from == whole.to {
            return found;
        }
        let inner = self.at_day(whole.from);
        let part = |at: usize| {
            inner.own_date(at, true).filter(|part| {
                let days = part.days.hull();
                days != whole && whole.from <= days.from && days.to <= whole.to
            })
        };
        let Some(mut parts) = part(found.end) else { return found };
        while let Some(next) = inner.listed(parts.end).and_then(part) {
            parts = parts.with(next);
        }
        FoundDays { feast: found.feast.or(parts.feast), joined: true, ..parts }
    }

    /// Up to three words before a date, and the evidence of the word before them.
    fn leads(&self, at: usize) -> Leads {
        let before = at.checked_sub(1).and_then(|before| self.phrase(|word| word.leads, before));
        let evidence = matches!(before, Some((_, Lead::Preposition | Lead::This | Lead::Next)));
        let mut leads = Leads { end: at, evidence, this: false, next: false };
        for _ in 0..3 {
            // "dia das mães", "próximos dias"
            let is_term = self.phrase(|word| word.terms, leads.end).is_some();
            if is_term || leads.next && self.phrase(|word| word.units, leads.end).is_some() {
                break;
            }
            let Some((end, lead)) = self.phrase(|word| word.leads, leads.end) else { break };
            leads.end = end;
            leads.evidence |= lead != Lead::Article;
            leads.this |= lead == Lead::This;
            leads.next |= lead == Lead::Next;
        }
        leads
    }

    /// A phrase of the table with what qualifies it.
    fn term(&self, leads: Leads, beside: bool) -> Option<FoundDays> {
        let (mut end, term) = self.phrase(|word| word.terms, leads.end)?;
        let plain = !(leads.this || leads.next);
        let coming = if plain && may_be_coming(term) { self.any(COMING, end) } else { None };
        let next = leads.next || coming.is_some();
        end = coming.unwrap_or(end);
        let qualified = next || leads.this;
        let is_past = plain && self.any(PAST, end).is_some();
        if is_past && let Some(window) = self.past(term) {
            return Some(FoundDays::new(end + 1, window));
        }
        let window = match term {
            // "esta mañana" is this morning
            Term::InDays(_) if qualified => return None,
            Term::InDays(days) => Window::day(self.in_days(days)?),
            Term::DaysAgo(days) => Window::day(self.today.checked_sub_days(chrono::Days::new(days))?),
            Term::Tonight => return Some(self.tonight(end)),
            Term::Weekdays => return self.weekdays(end),
            Term::Weekend => {
                let window;
                (end, window) = self.weekend_term(end, next, plain)?;
                window
            }
            Term::Week if qualified => self.week(next)?,
            Term::Month if qualified => self.month_from_now(next)?,
            Term::Year if qualified => self.year_from_now(next)?,
            Term::Day(day, sure) => {
                let found = FoundDays {
                    by_weekday: true,
                    of_any_week: plain && !next,
                    ..FoundDays::new(end, Window::day(self.weekday(day, next)?))
                };
                return self.weekday_term(found, sure, beside || leads.evidence || next);
            }
            Term::Named(month, sure) => {
                return self.named_month(month, sure, end, beside || leads.evidence, next);
            }
            Term::Feast(feast) => return self.feast(feast, leads.end, end),
            Term::Holiday => return self.holiday(leads, end),
            Term::Within(_) if self.names_other_days(leads.end..end) => return None,
            Term::Within(months) => {
                Window { from: self.today, to: self.today.checked_add_months(Months::new(months))? }
            }
            Term::Week | Term::Month | Term::Year => return None,
        };
        Some(FoundDays::new(end, window))
    }

    /// A weekend, perhaps one that is named by its date: its end and its days.
    fn weekend_term(&self, end: usize, next: bool, plain: bool) -> Option<(usize, Window)> {
        if let Some(dated) = self.weekend_of_date(end) {
            return Some(dated);
        }
        match self.any(&["after next"], end) {
            Some(after) => Some((after, self.weekend(true, false)?.shifted(7)?)),
            None => Some((end, self.weekend(next, plain || self.language == Language::English)?)),
        }
    }

    /// A weekday, if something makes sure that it is one.
    fn weekday_term(&self, found: FoundDays, sure: Sure, evidence: bool) -> Option<FoundDays> {
        let end = found.end;
        if !self.is_sure(sure, end, evidence) {
            // "sat 28 nov": its date makes it sure
            return Some(self.with_its_date(found)).filter(|dated| dated.end > end);
        }
        // "sábado agora"
        Some(match self.any(&["agora"], end) {
            Some(end) => FoundDays { end, of_any_week: false, ..found },
            None => found,
        })
    }

    /// A feast whose words these are, perhaps with a year.
    fn feast(&self, feast: Feast, begin: usize, end: usize) -> Option<FoundDays> {
        let before = begin.checked_sub(1).map_or("", |before| self.word(before));
        (!matches!(before, "pre" | "pos")).then_some(())?;
        let words = begin..end;
        let (end, window) = match self.year_after(end) {
            Some((end, year)) => (end, feast.of_year(year, self.today)?),
            None => (end, feast.next(self.today)?),
        };
        Some(FoundDays { feast: Some(words), ..FoundDays::new(end, window) })
    }

    /// The next holiday, or a named one: "feriado de carnaval", "feriado de 30 de novembro". "Puente" is also a bridge.
    fn holiday(&self, leads: Leads, end: usize) -> Option<FoundDays> {
        let feast =
            self.any(&["de", "da", "do"], end).and_then(|at| match self.phrase(|word| word.terms, at)? {
                (end, Term::Feast(feast)) => self.feast(feast, at, end),
                _ => None,
            });
        if let Some(named) = feast.or_else(|| self.own_exact_date(end)) {
            return Some(named);
        }
        // "feriados de dezembro"
        if let Some(month) = self.any(OF_MONTH, end).and_then(|at| self.of_month(at, Some)) {
            let days = month.days.hull();
            let holidays = holidays(Window { from: days.from.max(self.today), ..days });
            return Some(FoundDays {
                days: holidays.unwrap_or(month.days),
                ..FoundDays::new(month.end, days)
            });
        }
        let bridge = self.word(leads.end) == "puente" && !leads.evidence;
        (!bridge && !NAME_WORDS.contains(&self.word(end))).then_some(())?;
        Some(FoundDays::new(end, next_holiday(self.today)?))
    }

    fn tonight(&self, end: usize) -> FoundDays {
        FoundDays {
            hours: Some(Hours { from: 18 * 60, to: 6 * 60 }),
            ..FoundDays::new(end, Window::day(self.today))
        }
    }

    /// The next five days that are in no weekend.
    fn weekdays(&self, end: usize) -> Option<FoundDays> {
        let is_weekday = |day: &NaiveDate| !matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
        let days = Days::of(self.today.iter_days().filter(is_weekday).take(5))?;
        Some(FoundDays { days, ..FoundDays::new(end, Window::day(self.today)) })
    }

    /// Whether the weekday that ends here is one.
    fn is_sure(&self, sure: Sure, end: usize, evidence: bool) -> bool {
        let next = self.word(end);
        match sure {
            Sure::Always => true,
            Sure::Ordinal => {
                !ORDINAL_NOUNS.contains(&next) && (evidence || self.language != Language::Spanish)
            }
            Sure::Evidence | Sure::BesideDay => evidence && !NAME_WORDS.contains(&next),
        }
    }

    /// Whether a token is the verb and no Tuesday: "as missas que vão ter em dezembro".
    fn is_infinitive(&self, at: usize) -> bool {
        const AUXILIARIES: &[&str] = &[
            "vai", "vao", "vamos", "pode", "podem", "deve", "devem", "quero", "queria", "quer", "querem",
            "sem",
        ];
        let before = || at.checked_sub(1).map_or("", |before| self.word(before));
        self.word(at) == "ter" && AUXILIARIES.contains(&before())
    }

    /// The next such weekday: today included, unless the next is asked for.
    fn weekday(&self, day: Weekday, next: bool) -> Option<NaiveDate> {
        let ahead = (7 + day.num_days_from_monday() - self.today.weekday().num_days_from_monday()) % 7;
        self.in_days(if next && ahead == 0 { 7 } else { u64::from(ahead) })
    }

    /// The last such weekday, weekend or week before today.
    fn past(&self, term: Term) -> Option<Window> {
        let sunday = self.weekday(Weekday::Sun, false)?;
        let current = match term {
            Term::Day(day, _) => Window::day(self.weekday(day, false)?),
            Term::Weekend => weekend_to(sunday)?,
            Term::Week => Window { from: sunday.checked_sub_days(chrono::Days::new(6))?, to: sunday },
            _ => return None,
        };
        current.shifted(-7)
    }

    /// "weekend of december 5", "fim de semana da páscoa": that of the week of the date.
    fn weekend_of_date(&self, at: usize) -> Option<(usize, Window)> {
        let date = self.of_date(at)?;
        let sunday = self.at_day(date.days.hull().from).weekday(Weekday::Sun, false)?;
        Some((date.end, weekend_to(sunday)?))
    }

    /// "sábados de dezembro", "all sundays in december", "fins de semana de janeiro": those that are not over.
    fn each_of_month(&self, leads: Leads) -> Option<FoundDays> {
        let (end, term) = self.phrase(|word| word.terms, leads.end)?;
        let is_meant = |day: Weekday| match term {
            Term::Day(weekday, _) => day == weekday,
            Term::Weekend => matches!(day, Weekday::Sat | Weekday::Sun),
            _ => false,
        };
        let month = self.of_month(self.any(OF_MONTH, end)?, Some)?;
        let Window { from, to } = month.days.hull();
        let days = from.max(self.today).iter_days().take_while(|day| *day <= to);
        let days = Days::of(days.filter(|day| is_meant(day.weekday())))?;
        Some(FoundDays { days, ..month })
    }

    /// "início de dezembro", "em meados de março", "late january", "primeira quinzena de julho".
    fn part_of_month(&self, leads: Leads) -> Option<FoundDays> {
        let (end, (from, to)) = self.phrase(|word| word.parts_of_month, leads.end)?;
        self.of_month(self.optional(OF_MONTH, end), |month| month.days(from, to))
    }

    /// Days of the month that is named here: of its year, else the next that are not over.
    fn of_month(&self, at: usize, days: impl Fn(Window) -> Option<Window>) -> Option<FoundDays> {
        let days_from = |from: NaiveDate| {
            let to = from.checked_add_months(Months::new(1))?.pred_opt()?;
            days(Window { from, to })
        };
        let Some((end, month)) = self.month_name(at) else {
            // "último domingo do mês", "first friday of next month"
            let (end, next) = match self.next_or_this(at) {
                Some((end, Term::Month, next)) => (end, Some(next)),
                _ => {
                    const EACH: &[&str] =
                        &["cada mes", "todo mes", "every month", "each month", "mes", "month"];
                    (self.any(EACH, self.leads(at).end)?, None)
                }
            };
            let first = self.today.with_day(1)?;
            let ahead = |months| days_from(first.checked_add_months(Months::new(months))?);
            let window = match next {
                Some(next) => ahead(u32::from(next))?,
                None => ahead(0).filter(|days| days.to >= self.today).or_else(|| ahead(1))?,
            };
            return Some(FoundDays { joined: true, ..FoundDays::new(end, window) });
        };
        self.of_named_month(end, month, days)
    }

    /// The coming Saturday and Sunday, or what is left of the current ones. On a Friday the next ones may be those
    /// after them: "fim de semana que vem" is, "próximo fim de semana" is not.
    fn weekend(&self, next: bool, after_friday: bool) -> Option<Window> {
        let begun = match self.today.weekday() {
            Weekday::Sat | Weekday::Sun => true,
            Weekday::Fri => after_friday,
            _ => false,
        };
        let sunday = self.weekday(Weekday::Sun, false)?;
        if begun && next {
            return weekend_to(sunday)?.shifted(7);
        }
        Some(Window { from: self.today.max(sunday.pred_opt()?), to: sunday })
    }

    /// The rest of this week, or the whole next one. Weeks begin on Monday, but for who says "this week" on a Sunday:
    /// the day that is left of it is "today".
    fn week(&self, next: bool) -> Option<Window> {
        let sunday = self.weekday(Weekday::Sun, false)?;
        if sunday == self.today && !next {
            return Some(Window { from: sunday, to: self.weekday(Weekday::Sat, false)? });
        }
        let to = sunday.checked_add_days(chrono::Days::new(7))?;
        Some(if next {
            Window { from: sunday.succ_opt()?, to }
        } else {
            Window { from: self.today, to: sunday }
        })
    }

    /// The rest of this month, or the whole next one.
    fn month_from_now(&self, next: bool) -> Option<Window> {
        let first = self.today.with_day(1)?.checked_add_months(Months::new(u32::from(next)))?;
        self.month_of(first.year(), first.month())
    }

    /// The rest of this year, or the whole next one.
    fn year_from_now(&self, next: bool) -> Option<Window> {
        self.whole_year(self.today.year() + i32::from(next))
    }

    fn whole_year(&self, year: i32) -> Option<Window> {
        let (from, to) = (NaiveDate::from_ymd_opt(year, 1, 1)?, NaiveDate::from_ymd_opt(year, 12, 31)?);
        // a year that is over stays whole
        Some(Window { from: if self.today > to { from } else { from.max(self.today) }, to })
    }

    /// What is left of a month; the whole month when it is over.
    fn month_of(&self, year: i32, month: u32) -> Option<Window> {
        let from = NaiveDate::from_ymd_opt(year, month, 1)?;
        let to = from.checked_add_months(Months::new(1))?.pred_opt()?;
        Some(Window { from: if self.today > to { from } else { from.max(self.today) }, to })
    }

    /// "dezembro", "agosto de 2027", "em março"; "december 25" is read elsewhere.
    fn named_month(
        &self,
        month: u32,
        sure: Sure,
        end: usize,
        evidence: bool,
        next: bool,
    ) -> Option<FoundDays> {
        let given = self.year_after(end);
        let evident = match sure {
            Sure::Always | Sure::Ordinal => true,
            Sure::Evidence => evidence || given.is_some(),
            Sure::BesideDay => given.is_some(),
        };
        evident.then_some(())?;
        let current = self.today.month();
        let coming = self.today.year() + i32::from(month < current || (next && month == current));
        let (end, year) = given.unwrap_or((end, coming));
        Some(FoundDays::new(end, self.month_of(year, month)?))
    }

    /// "2026".
    fn year(&self, at: usize) -> Option<FoundDays> {
        (self.separator(at) != Separator::Slash).then_some(())?;
        Some(FoundDays::new(at + 1, self.whole_year(year(self.word(at))?)?))
    }

    /// A year after a month or a feast: "de 2027", "do ano que vem", "next year".
    fn year_after(&self, at: usize) -> Option<(usize, i32)> {
        let at = self.optional(&["de", "do", "of", "del", "em", "en", "in"], at);
        if let Some(year) = year(self.word(at)) {
            return Some((at + 1, year));
        }
        let (end, Term::Year, next) = self.next_or_this(at)? else { return None };
        Some((end, self.today.year() + i32::from(next)))
    }
}

/// Whether words behind a phrase may say that the next one is meant: [`COMING`].
fn may_be_coming(term: Term) -> bool {
    matches!(
        term,
        Term::Weekend
            | Term::Week
            | Term::Month
            | Term::Year
            | Term::Day(..)
            | Term::Named(..)
            | Term::Feast(_)
    )
}

/// The Sunday and the day before.
fn weekend_to(sunday: NaiveDate) -> Option<Window> {
    Some(Window { from: sunday.pred_opt()?, to: sunday })
}

fn year(word: &str) -> Option<i32> {
    word.parse().ok().filter(|year| YEARS.contains(year))
}
