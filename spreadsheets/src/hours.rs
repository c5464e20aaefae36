//! The hours of an event: its start and end, or its sessions, from all cells of a row that say them.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::cells::Reader;
use crate::columns::Column;
use crate::problem::Problem;
use crate::sheet::Cell;
use crate::times::{self, Of, TypedSession, written};

/// How many hours an event over midnight may last before an hour of it is likelier to be wrong.
const LONGEST_NIGHT: i64 = 14;

/// The hours that cells say, each with its column. Nothing when one of them cannot be read.
type Said = Option<Vec<(Column, Vec<TypedSession>)>>;

impl Reader<'_> {
    /// Puts the hours. `in_date` is a time beside the day; `beside` are the times in the texts of repetitions.
    pub(crate) fn hours(&mut self, in_date: Option<String>, beside: Vec<(Column, String)>) {
        let said = self.starts(in_date, beside);
        let end = self.cell(Column::EndTime).map(|cell| {
            let mut problems = Vec::new();
            let end = times::read(&cell, Of::End, &mut problems);
            self.report_all(Column::EndTime, problems);
            end
        });
        let Some(said) = said else { return };
        let mut sessions = self.agreed(&said);
        if let Some(Some(end)) = end {
            if said.is_empty() && !self.has_error(Column::StartTime) {
                self.report(Column::EndTime, Problem::EndWithoutStart);
            }
            for (column, hours) in &said {
                if !ends(&mut hours.clone(), &end) {
                    self.contradict(Column::EndTime, *column);
                }
            }
            ends(&mut sessions, &end);
        }
        self.put_hours(&sessions);
    }

    /// What is said but by the column of end times.
    fn starts(&mut self, in_date: Option<String>, mut beside: Vec<(Column, String)>) -> Said {
        let mut read = Vec::new();
        if let Some(cell) = self.cell(Column::StartTime) {
            let mut problems = Vec::new();
            read.push((Column::StartTime, times::read(&cell, Of::Start, &mut problems)));
            self.report_all(Column::StartTime, problems);
        }
        beside.extend(in_date.map(|time| (Column::Date, time)));
        for (column, text) in beside {
            let mut problems = Vec::new();
            read.push((column, times::parse(&text, Of::Start, &mut problems)));
            let shown = self.table.cell(self.row, column).map(Cell::shown).unwrap_or_default();
            self.report_all(column, problems.into_iter().map(|problem| problem.quoting(&shown)).collect());
        }
        let in_order = |mut hours: Vec<TypedSession>| {
            hours.sort_by_key(|session| session.start);
            hours
        };
        read.into_iter().map(|(column, hours)| Some((column, in_order(hours?)))).collect()
    }

    /// The sessions of all cells together. Two that contradict each other are an error.
    fn agreed(&mut self, said: &[(Column, Vec<TypedSession>)]) -> Vec<TypedSession> {
        let mut sessions: Vec<TypedSession> = Vec::new();
        for (at, (column, hours)) in said.iter().enumerate() {
            for (other, others) in said.iter().skip(at + 1) {
                if !together(&mut hours.clone(), others) {
                    self.contradict(*column, *other);
                }
            }
            if at == 0 {
                sessions.clone_from(hours);
            } else {
                together(&mut sessions, hours);
            }
        }
        sessions
    }

    /// The column that says when something ends.
    fn column_of_end(&self) -> Column {
        let ends_apart = self.table.cell(self.row, Column::EndTime).is_some();
        if ends_apart { Column::EndTime } else { Column::StartTime }
    }

    fn put_hours(&mut self, sessions: &[TypedSession]) {
        for session in sessions {
            let Some(end) = session.end.filter(|end| *end < session.start) else { continue };
            let lasts = TimeDelta::days(1) - (session.start - end);
            if lasts > TimeDelta::hours(LONGEST_NIGHT) {
                let read = format!("{}-{}", written(session.start), written(end));
                self.report(self.column_of_end(), Problem::LongNight { read, hours: lasts.num_hours() });
            }
        }
        if sessions.iter().any(|session| session.end == Some(session.start)) {
            self.report(self.column_of_end(), Problem::EndsAsItStarts);
        }
        match sessions {
            [] => {
                let is_all_day =
                    self.messages.iter().any(|message| matches!(message.problem, Problem::AllDay { .. }));
                let is_column = self.table.position(Column::StartTime).is_some();
                if is_column && !is_all_day && !self.has_error(Column::StartTime) {
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

/// Adds the ends of the same sessions in another cell; whether the two agree.
fn together(sessions: &mut [TypedSession], others: &[TypedSession]) -> bool {
    let is_same = |(one, other): (&TypedSession, &TypedSession)| {
        one.start == other.start && one.end.zip(other.end).is_none_or(|(end, other)| end == other)
    };
    let agree = sessions.len() == others.len() && sessions.iter().zip(others).all(is_same);
    for (session, other) in sessions.iter_mut().zip(others).filter(|_| agree) {
        session.end = session.end.or(other.end);
    }
    agree
}

/// Adds the ends that the column of end times says: one is that of the last session, several are one for each. Where it
/// holds starts too, it says the same sessions again. Whether it agrees with what was said already.
fn ends(sessions: &mut [TypedSession], said: &[TypedSession]) -> bool {
    if said.iter().any(|one| one.end.is_some()) {
        let mut said = said.to_vec();
        said.sort_by_key(|session| session.start);
        return together(sessions, &said);
    }
    let first = if said.len() == 1 { sessions.len().saturating_sub(1) } else { 0 };
    let of = sessions.get_mut(first..).unwrap_or_default();
    let agree = of.len() == said.len()
        && of.iter().zip(said).all(|(session, said)| session.end.is_none_or(|end| end == said.start));
    for (session, end) in of.iter_mut().zip(said).filter(|_| agree) {
        session.end = Some(end.start);
    }
    agree
}
