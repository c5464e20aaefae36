//! When the event of a row takes place: its days, its hours and its repetition, from eight columns together.

use chrono::NaiveDate;
use serde_json::{Value, json};
use snapshots::limits::MAX_LINE;
use snapshots::recur::Repeat;

use crate::cells::Reader;
use crate::columns::Column;
use crate::dates::{self, CellDays};
use crate::problem::{Level, Problem};
use crate::repeats::{self, Said};
use crate::sheet::Cell;
use crate::times::{self, Session, written};
use crate::words::means_once;

/// The columns of days and of the repetition, as they were read.
struct Read {
    days: Option<CellDays>,
    /// The first day of the column of dates.
    first: Option<NaiveDate>,
    /// The last day, and the column that says it.
    end: Option<(Column, NaiveDate)>,
    /// How it repeats, and the column that says it.
    repeat: Option<(Column, Said)>,
    until: Option<NaiveDate>,
    except: Vec<NaiveDate>,
}

impl Reader<'_> {
    /// Puts the day or days, the times and the repetition of an event; returns the first day.
    pub(crate) fn when(&mut self) -> Option<NaiveDate> {
        let (days, in_date) = self.days();
        let first = days.as_ref().and_then(|days| days.days.first().copied());
        let end = self.end(days.as_ref(), first);
        let Ok(repeat) = self.repetition(first, in_date) else { return first };
        let (until, except) = (self.day(Column::Until, self.context.today), self.exceptions());
        self.put_when(Read { days, first, end, repeat, until, except })
    }

    /// The column of dates; or the repetition that stands there: "toda sexta".
    fn days(&mut self) -> (Option<CellDays>, Option<Said>) {
        let today = self.context.today;
        let Some(cell) = self.cell(Column::Date) else { return (None, None) };
        let mut problems = Vec::new();
        let days = dates::read(&cell, today, &mut problems);
        let mut in_date = None;
        if let (None, Cell::Text(text)) = (&days, &cell) {
            let mut of_repeat = Vec::new();
            in_date = repeats::parse(text, None, today, &mut of_repeat);
            if in_date.is_some() {
                problems = of_repeat;
            }
        }
        self.report_all(Column::Date, problems);
        (days, in_date)
    }

    /// The last day of a run.
    fn end(&mut self, days: Option<&CellDays>, first: Option<NaiveDate>) -> Option<(Column, NaiveDate)> {
        let in_date = days.and_then(|days| Some((Column::Date, days.end?)));
        let Some(day) = self.day(Column::EndDate, first.unwrap_or(self.context.today)) else {
            return in_date;
        };
        if first.is_some_and(|first| day < first) {
            self.report(Column::EndDate, Problem::EndBeforeStart);
        }
        in_date.or((first != Some(day)).then_some((Column::EndDate, day)))
    }

    /// How it repeats, if it does: by its own column, else as the column of dates says. An error is reported.
    fn repetition(
        &mut self,
        first: Option<NaiveDate>,
        in_date: Option<Said>,
    ) -> Result<Option<(Column, Said)>, ()> {
        let Some(text) = self.text(Column::Repeat, MAX_LINE).filter(|text| !means_once(text)) else {
            return Ok(in_date.map(|said| (Column::Date, said)));
        };
        let mut problems = Vec::new();
        let said = repeats::parse(&text, first, self.context.today, &mut problems);
        self.report_all(Column::Repeat, problems);
        said.map(|said| Some((Column::Repeat, said))).ok_or(())
    }

    /// The days on which it does not begin.
    fn exceptions(&mut self) -> Vec<NaiveDate> {
        let Some(cell) = self.cell(Column::Except) else { return Vec::new() };
        let mut problems = Vec::new();
        let days = dates::read(&cell, self.context.today, &mut problems);
        self.report_all(Column::Except, problems);
        days.map(|days| days.all()).unwrap_or_default()
    }

    fn put_when(&mut self, read: Read) -> Option<NaiveDate> {
        let Read { days, first, end, repeat, until, except } = read;
        let (days, time) = days.map_or_else(Default::default, |days| (days.days, days.time));
        let several = days.len() > 1;
        let repeats = repeat.is_some() || several;
        let (column, said) = repeat.unwrap_or((Column::Repeat, Said::default()));
        let time = time.map(|time| (Column::Date, time)).or(said.time.map(|time| (column, time)));
        let date = first.filter(|_| !several).or(said.from);
        let failed = self.messages.iter().any(|message| message.problem.level() == Level::Error);
        if date.is_none() && !repeats && !failed {
            self.report(Column::Date, Problem::NoDate);
        }
        if !except.is_empty() && said.rule.is_none() {
            self.report(Column::Except, Problem::ExceptWithoutRepeat);
        }
        let listed = if several { days } else { Vec::new() };
        let dates = in_order(said.dates.into_iter().chain(listed));
        let earliest = first.into_iter().chain(dates.first().copied()).min();
        let (end, until) = match &said.rule {
            Some(rule) => self.end_of_rule(rule, date, end, until.or(said.until)),
            None => {
                let last = end.map(|(_, end)| end).or(dates.last().copied()).or(date);
                if until.is_some() && until != last {
                    self.report(Column::Until, Problem::UntilWithoutRepeat);
                }
                (end, None)
            }
        };
        self.put("date", date.map(|date| date.to_string()));
        self.put("end_date", end.map(|(_, end)| end.to_string()));
        self.times(time);
        if repeats {
            let except = in_order(said.except.into_iter().chain(except));
            self.put("repeat", serde_json::to_value(Repeat { rule: said.rule, until, except, dates }).ok());
        }
        date.or(earliest)
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

    /// Puts the hours; `beside` is a time that stood beside the days or the repetition.
    fn times(&mut self, beside: Option<(Column, String)>) {
        let mut sessions: Vec<Session> = Vec::new();
        let mut problems = Vec::new();
        if let Some(cell) = self.cell(Column::StartTime) {
            sessions = times::read(&cell, &mut problems).unwrap_or_default();
            self.report_all(Column::StartTime, problems);
        } else if let Some((column, text)) = beside {
            sessions = times::parse(&text, &mut problems).unwrap_or_default();
            self.report_all(column, problems);
        }
        if let Some(cell) = self.cell(Column::EndTime) {
            let mut problems = Vec::new();
            let read = times::read(&cell, &mut problems);
            self.report_all(Column::EndTime, problems);
            let end = read.and_then(|read| read.first().copied());
            match (end, sessions.last_mut()) {
                (Some(end), Some(last)) => last.end = last.end.or(Some(end.start)),
                (Some(_), None) => self.report(Column::EndTime, Problem::EndWithoutStart),
                (None, _) => {}
            }
        }
        sessions.sort_by_key(|session| session.start);
        match &*sessions {
            [] => {
                if self.table.position(Column::StartTime).is_some() {
                    self.report(Column::StartTime, Problem::Empty);
                }
            }
            [one] => {
                self.put("start_time", Some(written(one.start)));
                self.put("end_time", one.end.map(written));
            }
            several => {
                let listed: Vec<Value> = several
                    .iter()
                    .map(|session| match session.end {
                        Some(end) => {
                            json!({ "start_time": written(session.start), "end_time": written(end) })
                        }
                        None => json!({ "start_time": written(session.start) }),
                    })
                    .collect();
                self.put("sessions", Some(listed));
            }
        }
    }
}

fn in_order(days: impl Iterator<Item = NaiveDate>) -> Vec<NaiveDate> {
    let days: std::collections::BTreeSet<NaiveDate> = days.collect();
    days.into_iter().collect()
}
