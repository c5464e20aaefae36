//! When the event of a row takes place: its days, its hours and its repetition, from eight columns together.

use chrono::{Days, NaiveDate, Timelike};
use snapshots::limits::{MAX_LINE, MAX_RUN_DAYS};
use snapshots::recur::{self, Repeat, RepeatError};

use crate::cells::Reader;
use crate::columns::Column;
use crate::dates::{self, CellDays, Years};
use crate::problem::{Level, Problem};
use crate::repeats::{self, FROM, Said};
use crate::sheet::Cell;
use crate::text::fold;
use crate::times::{self, Of};
use crate::words::means_once;

/// How many days of a rule a message names.
const DAYS_NAMED: usize = 3;

/// The columns of days and of the repetition, as they were read.
struct Read {
    days: Option<CellDays>,
    /// The first day of the column of dates.
    first: Option<NaiveDate>,
    /// The last day, and the column that says it.
    end: Option<(Column, NaiveDate)>,
    /// How it repeats, by each column that says it: that of dates, that of repetitions.
    repeats: Vec<(Column, Said)>,
    until: Option<NaiveDate>,
    except: Vec<NaiveDate>,
}

impl Reader<'_> {
    /// Puts the day or days, the times and the repetition of an event; returns the first day.
    pub(crate) fn when(&mut self) -> Option<NaiveDate> {
        let (days, in_date) = self.days();
        let first = days.as_ref().and_then(|days| days.days.first().copied());
        let end = self.end(days.as_ref(), first);
        let Ok(in_repeat) = self.repetition(first, in_date.as_ref()) else { return first };
        let (until, except) = (self.day(Column::Until, self.years()), self.exceptions());
        let repeats = [(Column::Date, in_date), (Column::Repeat, in_repeat)];
        let repeats = repeats.into_iter().filter_map(|(column, said)| Some((column, said?))).collect();
        self.put_when(Read { days, first, end, repeats, until, except })
    }

    /// Reports that two cells do not agree. Neither is dropped: the curator knows which one is right.
    pub(crate) fn contradict(&mut self, column: Column, other: Column) {
        let shown = |column| self.table.cell(self.row, column).map(Cell::shown).unwrap_or_default();
        let (letter, header) = self.table.named(other).unwrap_or_default();
        let cell = format!("{header} ({letter})");
        let problem = Problem::Contradicts { typed: shown(column), cell, other: shown(other) };
        self.report(column, problem);
    }

    /// The column of dates; or the repetition that stands there: "toda sexta".
    fn days(&mut self) -> (Option<CellDays>, Option<Said>) {
        let years = self.years();
        let Some(cell) = self.cell(Column::Date) else { return (None, None) };
        let mut problems = Vec::new();
        let days = self.days_in(Column::Date, &cell, years, &mut problems);
        let mut in_date = None;
        let is_day = problems.iter().any(|problem| {
            matches!(
                problem,
                Problem::YearOutOfRange { .. } | Problem::WeekdaysUnclear { .. } | Problem::DayOrMonth { .. }
            )
        });
        if let (None, false, Cell::Text(text)) = (&days, is_day, &cell) {
            let mut of_repeat = Vec::new();
            in_date = repeats::parse(text, None, years, &mut of_repeat);
            if in_date.is_some() {
                problems = of_repeat;
            }
        }
        if let (None, None, Some((typed, day))) = (&days, &in_date, open_ended(&cell, years)) {
            problems = vec![Problem::OpenEnded { typed, day }];
        }
        self.report_all(Column::Date, problems);
        let Some((days, of_run)) = days.as_ref().and_then(|days| Some((days, Said::of_run(days)?))) else {
            return (days, in_date);
        };
        let days = of_run.from.map(|first| CellDays {
            days: vec![first],
            end: None,
            weekdays: Vec::new(),
            time: days.time.clone(),
        });
        (days, Some(of_run))
    }

    /// The last day of a run.
    fn end(&mut self, days: Option<&CellDays>, first: Option<NaiveDate>) -> Option<(Column, NaiveDate)> {
        let in_date = days.and_then(|days| Some((Column::Date, days.end?)));
        if let Some(typed) = self.table.cell(self.row, Column::EndDate).and_then(time_alone) {
            self.report(Column::EndDate, Problem::TimeForLastDay { typed });
            return in_date;
        }
        let Some(day) =
            self.day(Column::EndDate, first.map_or(self.years(), |first| self.years().from(first)))
        else {
            return in_date;
        };
        match first.map(|first| (day - first).num_days()) {
            Some(..0) => self.report(Column::EndDate, Problem::EndBeforeStart),
            Some(days) if days > MAX_RUN_DAYS => self.report(Column::EndDate, Problem::TooLongRun { days }),
            _ => {}
        }
        if in_date.is_some_and(|(column, end)| column == Column::Date && end != day) {
            self.contradict(Column::EndDate, Column::Date);
        }
        in_date.or((first != Some(day)).then_some((Column::EndDate, day)))
    }

    /// How it repeats, as its own column says. An error is reported.
    fn repetition(&mut self, first: Option<NaiveDate>, in_date: Option<&Said>) -> Result<Option<Said>, ()> {
        let Some(text) = self.text(Column::Repeat, MAX_LINE) else { return Ok(None) };
        if means_once(&text) {
            if in_date.is_some_and(|said| said.rule.is_some()) {
                self.contradict(Column::Repeat, Column::Date);
            }
            return Ok(None);
        }
        let mut problems = Vec::new();
        let said = repeats::parse(&text, first, self.years(), &mut problems);
        self.report_all(Column::Repeat, problems);
        if let (Some(said), Some(first)) = (&said, first)
            && repeats::is_bare_month(&text)
        {
            self.warn_of_bare_month(said, first);
        }
        said.map(Some).ok_or(())
    }

    /// The repetition of all columns together. Two that contradict each other, or another column, are an error.
    fn agreed_repetition(&mut self, read: &Read) -> Option<Said> {
        for (column, said) in &read.repeats {
            if read.until.zip(said.until).is_some_and(|(until, said)| until != said) {
                self.contradict(Column::Until, *column);
            }
            let is_one_day = read.days.as_ref().is_some_and(|days| days.days.len() == 1);
            if is_one_day && read.first.zip(said.from).is_some_and(|(first, from)| first != from) {
                self.contradict(*column, Column::Date);
            }
        }
        let mut repeats = read.repeats.iter();
        let (_, first) = repeats.next()?;
        let Some((column, second)) = repeats.next() else { return Some(first.clone()) };
        let both = first.clone().and(second);
        if both.is_none() {
            self.contradict(*column, Column::Date);
        }
        // with one of them, so that no other column is said to lack a repetition
        both.or_else(|| Some(first.clone()))
    }

    /// The days on which it does not begin.
    fn exceptions(&mut self) -> Vec<NaiveDate> {
        let Some(cell) = self.cell(Column::Except) else { return Vec::new() };
        let mut problems = Vec::new();
        let days = self.days_in(Column::Except, &cell, self.years(), &mut problems);
        self.report_all(Column::Except, problems);
        days.map(|days| days.all()).unwrap_or_default()
    }

    /// The repetition without its rule, when the column of dates lists all days of it. Listed days that the rule does
    /// not give contradict it, and so does an end after them.
    fn held_to(&mut self, listed: &[NaiveDate], said: Said) -> Said {
        let (Some(rule), Some((first, last))) = (&said.rule, listed.first().zip(listed.last())) else {
            return said;
        };
        let repeat = Repeat { rule: Some(rule.clone()), until: None, except: Vec::new(), dates: Vec::new() };
        let gives = |day: &NaiveDate| {
            let days = recur::days(&repeat, Some(*first), Days::new(0), *day);
            // the check reports what is wrong with the rule itself
            days.is_err() || days.is_ok_and(|days| days.first() == Some(day))
        };
        if !listed.iter().all(gives) || said.until.is_some_and(|until| until != *last) {
            self.contradict(Column::Repeat, Column::Date);
        }
        Said { rule: None, until: None, from: None, ..said }
    }

    fn put_when(&mut self, read: Read) -> Option<NaiveDate> {
        let said = self.agreed_repetition(&read);
        let Read { days, first, end, repeats: columns, until, except } = read;
        let (days, time) = days.map_or_else(Default::default, |days| (days.days, days.time));
        let several = days.len() > 1;
        let repeats = said.is_some() || several;
        let said = said.unwrap_or_default();
        let has_rule = said.rule.is_some();
        let said = if several { self.held_to(&days, said) } else { said };
        let date = first.filter(|_| !several).or(said.from);
        let failed = self.messages.iter().any(|message| message.problem.level() == Level::Error);
        if date.is_none() && !repeats && !failed {
            self.report(Column::Date, Problem::NoDate);
        }
        if !except.is_empty() && !has_rule {
            self.report(Column::Except, Problem::ExceptWithoutRepeat);
        }
        let listed = if several { days } else { Vec::new() };
        let dates = in_order(said.dates.into_iter().chain(listed));
        let earliest = first.into_iter().chain(dates.first().copied()).min();
        let (end, until) = match &said.rule {
            Some(rule) => self.end_of_rule(rule, date, end, until.or(said.until)),
            None => {
                let last = dates.last().copied();
                let end = end.filter(|(_, end)| !several || Some(*end) != last);
                if let Some((column, _)) = end.filter(|_| date.is_none() && repeats) {
                    self.report(column, Problem::EndOfSeveral);
                }
                let last = end.map(|(_, end)| end).or(last).or(date);
                if until.is_some() && until != last {
                    self.report(Column::Until, Problem::UntilWithoutRepeat);
                }
                (end, None)
            }
        };
        self.put("date", date.map(|date| date.to_string()));
        self.put("end_date", end.map(|(_, end)| end.to_string()));
        if let ([(Column::Date, in_date)], None) = (&*columns, until) {
            self.warn_of_bare_weekday(in_date);
        }
        let beside = columns.into_iter().filter_map(|(column, said)| Some((column, said.time?))).collect();
        self.hours(time, beside);
        let except = in_order(said.except.into_iter().chain(except));
        let repeat = Repeat { rule: said.rule, until, except, dates };
        let lasts =
            Days::new(date.zip(end).map_or(0, |(date, (_, end))| (end - date).num_days().unsigned_abs()));
        if (date.or(earliest).is_some() || has_rule) && !self.has_error(Column::Date) {
            self.hold_hours_to(&repeat, date, lasts);
        }
        if repeats {
            self.check_occurrence(&repeat, date, lasts);
            self.put("repeat", serde_json::to_value(repeat).ok());
        }
        date.or(earliest)
    }

    /// Reports a day beside the hours, of a cell with a date and a time, that is no day of the event. An end in the
    /// morning may be of the day after.
    fn hold_hours_to(&mut self, repeat: &Repeat, date: Option<NaiveDate>, lasts: Days) {
        let is_day = |day: NaiveDate| {
            match recur::days(repeat, date, lasts, day) {
                Ok(days) => days.first().is_some_and(|first| *first <= day),
                // the check reports what is wrong with the rule itself
                Err(error) => !matches!(error, RepeatError::NoDates { .. }),
            }
        };
        for column in [Column::StartTime, Column::EndTime] {
            let Some((day, time)) = self.table.cell(self.row, column).and_then(times::with_day) else {
                continue;
            };
            let is_night = column == Column::EndTime && time.hour() < 12;
            if !(is_day(day) || is_night && day.pred_opt().is_some_and(is_day)) {
                let has_date = self.table.cell(self.row, Column::Date).is_some();
                self.contradict(column, if has_date { Column::Date } else { Column::Repeat });
            }
        }
    }

    /// Reports a typed rule that is none, and a repetition that gives no day and gave none before.
    fn check_occurrence(&mut self, repeat: &Repeat, date: Option<NaiveDate>, lasts: Days) {
        if let Err(error) = recur::days(repeat, date, lasts, self.context.today) {
            let in_repeat = self.table.cell(self.row, Column::Repeat).is_some();
            let column = if in_repeat { Column::Repeat } else { Column::Date };
            let typed = self.table.cell(self.row, column).map(Cell::shown).unwrap_or_default();
            match error {
                RepeatError::Invalid(_) | RepeatError::WithinADay | RepeatError::UntilInRule => {
                    return self.report(column, Problem::BadRule { typed });
                }
                RepeatError::NeedsDate => return self.report(column, Problem::RepeatNeedsDate),
                RepeatError::NoDates { .. } => {}
            }
        }
        if recur::never_occurs(repeat, date, lasts, self.context.today).is_some() {
            let is_typed = |column| self.table.cell(self.row, column).is_some();
            match recur::next(repeat, date, self.context.today) {
                Ok(Some(day)) => {
                    let column = if is_typed(Column::Date) { Column::Date } else { Column::Repeat };
                    self.report(column, Problem::BeyondWindow { day });
                }
                _ => {
                    let column = if is_typed(Column::Repeat) { Column::Repeat } else { Column::Date };
                    self.report(column, Problem::NoOccurrence);
                }
            }
        }
    }

    /// "mensal" beside a first day may be meant as its weekday in each month.
    fn warn_of_bare_month(&mut self, said: &Said, first: NaiveDate) {
        let repeat =
            Repeat { rule: said.rule.clone(), until: said.until, except: Vec::new(), dates: Vec::new() };
        let days = recur::days(&repeat, Some(first), Days::new(0), self.context.today.max(first));
        let next: Vec<NaiveDate> = days.unwrap_or_default().into_iter().take(DAYS_NAMED).collect();
        if !next.is_empty() {
            self.report(Column::Repeat, Problem::EveryMonth { first, next });
        }
    }

    /// A weekday alone in the column of dates may be meant as its next day.
    fn warn_of_bare_weekday(&mut self, said: &Said) {
        let shown = self.table.cell(self.row, Column::Date).map(Cell::shown).unwrap_or_default();
        let weekdays = repeats::bare_weekdays(&shown, said);
        if !weekdays.is_empty() {
            self.report(Column::Date, Problem::EveryWeek { typed: shown, weekdays });
        }
    }

    /// The last day of the first run, and that of the rule. A run that would still go on when the next one begins is
    /// none: its last day is that of the rule.
    fn end_of_rule(
        &mut self,
        rule: &str,
        date: Option<NaiveDate>,
        end: Option<(Column, NaiveDate)>,
        until: Option<NaiveDate>,
    ) -> (Option<(Column, NaiveDate)>, Option<NaiveDate>) {
        let is_run = |end: NaiveDate| date.is_some_and(|date| (end - date).num_days() < repeats::gap(rule));
        match end.filter(|(_, end)| !is_run(*end)) {
            None => (end, until),
            Some((column, end)) => {
                let until = until.map_or(end, |until| until.min(end));
                self.report(column, Problem::EndOfRepeat { until });
                (None, Some(until))
            }
        }
    }
}

/// What a cell shows that holds a time and no day: "23h".
fn time_alone(cell: &Cell) -> Option<String> {
    let is_time = match cell {
        Cell::Moment(None, time) => time.is_some(),
        Cell::Text(text) => {
            let mut problems = Vec::new();
            let is_number = text.trim().parse::<f64>().is_ok();
            !is_number && times::parse(&fold(text), Of::End, &mut problems).is_some() && problems.is_empty()
        }
        _ => false,
    };
    is_time.then(|| cell.shown())
}

/// The text and the day of a cell like "a partir de 05/12/2026", of which neither the end is known nor the repetition.
fn open_ended(cell: &Cell, years: Years<'_>) -> Option<(String, NaiveDate)> {
    let text = cell.text()?.trim();
    let folded = fold(text);
    let rest = FROM.iter().find_map(|word| folded.strip_prefix(*word))?;
    let days = dates::parse(rest, years, &mut Vec::new())?;
    let [day] = &*days.days else { return None };
    days.end.is_none().then(|| (text.to_owned(), *day))
}

fn in_order(days: impl Iterator<Item = NaiveDate>) -> Vec<NaiveDate> {
    let days: std::collections::BTreeSet<NaiveDate> = days.collect();
    days.into_iter().collect()
}
