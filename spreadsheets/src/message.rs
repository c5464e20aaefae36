//! Messages by sheet, row and column, and their groups by cause.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::problem::{Lang, Level, Problem};

/// How many rows a line names one by one.
const ROWS_NAMED: usize = 5;

/// How many runs of rows a line names.
const RUNS_NAMED: usize = 12;

/// One message about a sheet, a row or a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The sheet or file.
    pub sheet: String,
    /// The row, as the spreadsheet counts it.
    pub row: Option<u32>,
    /// The column: its letter and header, which may be empty.
    pub column: Option<(String, String)>,
    /// What is the case.
    pub problem: Problem,
}

impl Message {
    /// A message about a whole sheet or file.
    pub fn of_file(sheet: impl Into<String>, problem: Problem) -> Message {
        Message { sheet: sheet.into(), row: None, column: None, problem }
    }

    /// A message about a row, or a cell of it.
    pub(crate) fn at(
        sheet: impl Into<String>,
        row: u32,
        column: Option<(String, String)>,
        problem: Problem,
    ) -> Message {
        Message { sheet: sheet.into(), row: Some(row), column, problem }
    }
}

/// Messages of one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// How loud.
    pub level: Level,
    /// The sheet or file.
    pub sheet: String,
    /// The letter of the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The header of the column, as typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// A stable name of the cause.
    pub code: &'static str,
    /// What is the case.
    pub what: String,
    /// How to fix it, or what was done.
    pub fix: String,
    /// The rows, in order.
    pub rows: Vec<u32>,
}

/// Groups messages by level, sheet, column and cause; errors come first.
pub fn groups(messages: &[Message], lang: Lang) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known = HashMap::new();
    for message in messages {
        let (what, fix) = message.problem.texts(lang);
        let (column, header) = message.column.clone().unzip();
        let level = message.problem.level();
        let key = (level, message.sheet.clone(), column.clone(), what.clone(), fix.clone());
        let at = *known.entry(key).or_insert_with(|| {
            groups.push(Group {
                level,
                sheet: message.sheet.clone(),
                column,
                header: header.filter(|header| !header.is_empty()),
                code: message.problem.code(),
                what,
                fix,
                rows: Vec::new(),
            });
            groups.len() - 1
        });
        groups[at].rows.extend(message.row);
    }
    for group in &mut groups {
        group.rows.sort_unstable();
        group.rows.dedup();
    }
    groups.sort_by_key(|group| group.level);
    groups
}

impl Group {
    /// The group as a line: `error: guia.xlsx, Lugares: categoria (C) is empty: 3 rows: 4, 5, 9; fill it in`.
    pub fn line(&self, lang: Lang) -> String {
        let level = match self.level {
            Level::Error => lang.pick("erro", "error"),
            Level::Warning => lang.pick("aviso", "warning"),
            Level::Info => lang.pick("nota", "note"),
        };
        let mut line = format!("{level}: {}: ", self.sheet);
        // Writing to a string cannot fail.
        let _ = match (&self.column, &self.header) {
            (Some(column), Some(header)) => write!(line, "{header} ({column}) "),
            (Some(column), None) => write!(line, "{} {column} ", lang.pick("coluna", "column")),
            (None, _) => Ok(()),
        };
        line.push_str(&self.what);
        let shown = self.shown_rows(lang);
        let _ = match self.rows.len() {
            0 => Ok(()),
            1 => write!(line, ": {} {shown}", lang.pick("linha", "row")),
            count if count <= ROWS_NAMED => write!(line, ": {} {shown}", lang.pick("linhas", "rows")),
            count => write!(line, ": {count} {}: {shown}", lang.pick("linhas", "rows")),
        };
        let _ = write!(line, "; {}", self.fix);
        line
    }

    /// The rows; of more than a few, the runs that they make: `2-14, 16, 20-31`.
    fn shown_rows(&self, lang: Lang) -> String {
        if self.rows.len() <= ROWS_NAMED {
            return self.rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        }
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for row in &self.rows {
            match runs.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(*row) => *last = *row,
                _ => runs.push((*row, *row)),
            }
        }
        let shown = |(first, last): &(u32, u32)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        let mut parts: Vec<String> = runs.iter().take(RUNS_NAMED).map(shown).collect();
        let rest = runs.iter().skip(RUNS_NAMED).map(|(first, last)| last - first + 1).sum::<u32>();
        if rest > 0 {
            parts.push(match lang {
                Lang::Pt => format!("e mais {rest}"),
                Lang::En => format!("and {rest} more"),
            });
        }
        parts.join(", ")
    }
}
