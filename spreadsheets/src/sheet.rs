//! Sheets as they were typed: rows of cells, from a workbook or a CSV file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use chrono::{Datelike, NaiveDate, NaiveTime};

use crate::date_words::month_name;
use crate::text::number;

/// A file, or what a URL gave.
#[derive(Debug, Clone)]
pub struct Source {
    /// How messages name it.
    pub label: String,
    /// Where it is, when it is a local file.
    pub path: Option<PathBuf>,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Empty,
    Text(String),
    Number(f64),
    /// A number that its format shows as a percentage: 0.5 is 50 %.
    Percent(f64),
    Bool(bool),
    /// A date, a time or both, by the format of the cell.
    Moment(Option<NaiveDate>, Option<NaiveTime>),
    /// A month, by the format of the cell; its first day.
    Month(NaiveDate),
    /// A formula that gives an error, `#REF!`; empty, one of which the file does not hold the value.
    Broken(String),
}

impl Cell {
    /// Whether nothing visible is in it.
    pub(crate) fn is_blank(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.chars().all(|c| c.is_whitespace() || c == '\u{200b}' || c == '\u{feff}'),
            _ => false,
        }
    }

    /// What people see in it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => text.trim().to_owned(),
            Self::Number(value) => number(*value),
            Self::Percent(value) => format!("{}%", number((value * 1e4).round() / 1e2)),
            Self::Bool(value) => if *value { "sim" } else { "não" }.to_owned(),
            Self::Moment(date, time) => {
                let date = date.map(|date| date.format("%d/%m/%Y").to_string());
                let time = time.map(|time| time.format("%H:%M").to_string());
                date.into_iter().chain(time).collect::<Vec<_>>().join(" ")
            }
            Self::Month(first) => format!("{}/{}", month_name(first.month()), first.year()),
            Self::Broken(shown) => shown.clone(),
        }
    }

    /// The text of a cell that holds text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A row with its number in the spreadsheet, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) number: u32,
    pub(crate) cells: Vec<Cell>,
}

/// Cells that are merged into one: the first row, by number, and the first column, and the last ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Merged {
    pub(crate) first: (u32, usize),
    pub(crate) last: (u32, usize),
}

impl Merged {
    /// Whether a cell is among those below the first row, which have no value of their own.
    pub(crate) fn covers(&self, row: u32, column: usize) -> bool {
        row > self.first.0 && row <= self.last.0 && (self.first.1..=self.last.1).contains(&column)
    }
}

/// How many cells a source may have, with the empty ones between others: a guide of 60,000 rows has fewer. A small file
/// may have many more, of which each takes memory.
pub(crate) const MAX_CELLS: usize = 4_000_000;

/// One sheet of a source.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sheet {
    /// How messages name it.
    pub(crate) label: String,
    /// The name of the sheet, or of the CSV file.
    pub(crate) name: String,
    /// Rows in order; empty ones may be left out.
    pub(crate) rows: Vec<Row>,
    /// Whether the program hides it. Its rows are not read.
    pub(crate) is_hidden: bool,
    pub(crate) merged: Vec<Merged>,
    /// The row and the column of a quote that opens and does not close where its cell ends.
    pub(crate) open_quote: Option<(u32, usize)>,
    /// Where cells lead to that show something else, by row and column: the address of a link.
    pub(crate) links: BTreeMap<(u32, usize), String>,
    /// The cells that are struck through, by row and column.
    pub(crate) struck: BTreeSet<(u32, usize)>,
    pub(crate) hidden_rows: BTreeSet<u32>,
    /// The cells whose format shows R$, by row and column.
    pub(crate) in_reais: BTreeSet<(u32, usize)>,
    /// What is between the cells of a row, in a CSV file.
    pub(crate) separated_by: Option<char>,
}

/// The letters of a column: 0 is A, 26 is AA.
pub(crate) fn letters(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        let letter = u8::try_from(rest % 26).unwrap_or_default();
        letters.push(char::from(b'A' + letter));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

/// The day of a serial number of Excel, when it is one of the years 2000 to 2100.
pub(crate) fn serial_day(serial: f64) -> Option<NaiveDate> {
    if !(36_526.0..73_416.0).contains(&serial) {
        return None;
    }
    let days = whole_minutes(serial)? / 1440;
    NaiveDate::from_ymd_opt(1899, 12, 30)?.checked_add_signed(chrono::TimeDelta::try_days(days)?)
}

/// The time of a fraction of a day, to the minute. The end of the day is none: see [`hours_of`].
pub(crate) fn fraction_time(serial: f64) -> Option<NaiveTime> {
    let minutes = u32::try_from(whole_minutes(serial)?.rem_euclid(1440)).ok()?;
    NaiveTime::from_hms_opt(minutes / 60, minutes % 60, 0)
}

/// The hours and minutes of a time that is at the end of the day or after it: "24:00", "25:30". Nothing when it is
/// before.
pub(crate) fn hours_of(serial: f64) -> Option<String> {
    let minutes = whole_minutes(serial).filter(|minutes| *minutes >= 1440)?;
    Some(format!("{:02}:{:02}", minutes / 60, minutes % 60))
}

/// A serial number in minutes, rounded: a calculated midnight may be a little before the end of the day before.
fn whole_minutes(serial: f64) -> Option<i64> {
    format!("{:.0}", serial * 1440.0).parse().ok()
}

/// Whether two sheets are the same, apart from the given cells of a column, which hold the given texts.
pub(crate) fn differ_only_in(
    before: &Sheet,
    after: &Sheet,
    column: usize,
    cells: &BTreeMap<u32, String>,
) -> bool {
    let mut seen = 0;
    let same_rows = before.rows.len() == after.rows.len()
        && before.rows.iter().zip(&after.rows).all(|(before, after)| {
            let length = before.cells.len().max(after.cells.len());
            let empty = Cell::Empty;
            before.number == after.number
                && (0..length).all(|at| {
                    let now = after.cells.get(at).unwrap_or(&empty);
                    match cells.get(&before.number).filter(|_| at == column) {
                        Some(text) => {
                            seen += 1;
                            now.text() == Some(text)
                        }
                        None => before.cells.get(at).unwrap_or(&empty) == now,
                    }
                })
        });
    same_rows && seen == cells.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_lettered_as_spreadsheets_do() {
        assert_eq!([0, 25, 26, 701, 702].map(letters), ["A", "Z", "AA", "ZZ", "AAA"]);
    }

    #[test]
    fn serials_of_excel_are_days_and_times() {
        assert_eq!(serial_day(46_361.0), NaiveDate::from_ymd_opt(2026, 12, 5));
        assert_eq!(serial_day(5.0), None);
        assert_eq!(fraction_time(46_361.812_5), NaiveTime::from_hms_opt(19, 30, 0));
        assert_eq!(fraction_time(0.999_99), NaiveTime::from_hms_opt(0, 0, 0));
        assert_eq!(
            [0.999, 0.999_99, 1.0, 1.062_5].map(hours_of),
            [None, Some("24:00".to_owned()), Some("24:00".to_owned()), Some("25:30".to_owned()),]
        );
    }
}
