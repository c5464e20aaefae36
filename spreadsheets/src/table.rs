//! Finds the table in a sheet: its kind, its header row and its columns.

use crate::columns::{Column, Header, Kind, Recognized, is_explanation, kind_of_name, recognize};
use crate::message::Message;
use crate::problem::Problem;
use crate::sheet::{Cell, Row, Sheet, letters};
use crate::text::clean;

/// How many rows may come before the header: titles, notes.
const HEADER_WITHIN: usize = 30;

/// A sheet whose columns are known.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) kind: Kind,
    /// How messages name the sheet.
    pub(crate) label: String,
    /// The name of the sheet in its source.
    pub(crate) sheet: String,
    /// The number of the source.
    pub(crate) source: usize,
    pub(crate) header_row: u32,
    columns: Vec<Known>,
    /// The first column right of all that is used.
    pub(crate) free_column: usize,
    /// The rows with data.
    pub(crate) rows: Vec<Row>,
}

/// A column of a table.
#[derive(Debug)]
struct Known {
    at: usize,
    header: &'static Header,
    typed: String,
}

impl std::fmt::Debug for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.en)
    }
}

impl Table {
    /// Where a column is.
    pub(crate) fn position(&self, column: Column) -> Option<usize> {
        self.columns.iter().find(|known| known.header.column == column).map(|known| known.at)
    }

    /// The letter and the header of a column, as messages name it.
    pub(crate) fn named(&self, column: Column) -> Option<(String, String)> {
        let known = self.columns.iter().find(|known| known.header.column == column)?;
        Some((letters(known.at), known.typed.clone()))
    }

    /// The column that fills a field of a record, as `check` names it: `links.website`, `aliases[2]`.
    pub(crate) fn of_field(&self, field: &str) -> Option<(String, String)> {
        let field = field.split('[').next().unwrap_or_default();
        let known = self.columns.iter().find(|known| known.header.field == field).or_else(|| {
            self.columns.iter().find(|known| known.header.field.split('.').next() == field.split('.').next())
        })?;
        Some((letters(known.at), known.typed.clone()))
    }

    /// The cell of a column.
    pub(crate) fn cell<'r>(&self, row: &'r Row, column: Column) -> Option<&'r Cell> {
        row.cells.get(self.position(column)?).filter(|cell| !cell.is_blank())
    }
}

/// How well a row names the columns of a kind: exact names, and near ones.
fn score(row: &Row, kind: Kind) -> usize {
    let score = |cell: &Cell| match cell.text().map(|text| recognize(text, kind)) {
        Some(Recognized::Exactly(_)) => 2,
        Some(Recognized::Nearly(_)) => 1,
        _ => 0,
    };
    row.cells.iter().map(score).sum()
}

/// How well the header of a sheet is understood, by which the separator of a CSV file is chosen.
pub(crate) fn understood(sheet: &Sheet) -> usize {
    let rows = sheet.rows.iter().take(HEADER_WITHIN);
    rows.flat_map(|row| Kind::BOTH.map(|kind| score(row, kind))).max().unwrap_or_default()
}

/// Finds the table of a sheet. `None`, and a message, when there is none.
pub(crate) fn find(sheet: Sheet, source: usize, messages: &mut Vec<Message>) -> Option<Table> {
    let said = kind_of_name(&sheet.name);
    let Some((at, kind)) = header_of(&sheet, said) else {
        let is_skipped = sheet.rows.is_empty() || said.is_none();
        let problem = if is_skipped { Problem::SheetSkipped } else { Problem::NoHeader };
        messages.push(Message { sheet: sheet.label, row: None, column: None, problem });
        return None;
    };
    let header = &sheet.rows[at];
    let columns = columns(&sheet.label, header, kind, messages);
    let header_row = header.number;
    let free_column =
        sheet.rows.iter().filter_map(|row| row.cells.iter().rposition(|cell| !cell.is_blank())).max();
    let is_data = |row: &Row| {
        let explained = |cell: &Cell| cell.text().is_some_and(is_explanation);
        !row.cells.iter().all(Cell::is_blank) && !row.cells.iter().any(explained)
    };
    Some(Table {
        kind,
        label: sheet.label,
        sheet: sheet.name,
        source,
        header_row,
        columns,
        free_column: free_column.map_or(0, |last| last + 1),
        rows: sheet.rows.into_iter().skip(at + 1).filter(is_data).collect(),
    })
}

/// The header row of a sheet, by number, and the kind of what it lists: the row that names most columns, of the kind that
/// the name of the sheet says, if it says one.
fn header_of(sheet: &Sheet, said: Option<Kind>) -> Option<(usize, Kind)> {
    let candidates = sheet.rows.iter().take(HEADER_WITHIN).enumerate().flat_map(|(at, row)| {
        Kind::BOTH.map(|kind| (score(row, kind), std::cmp::Reverse(at), std::cmp::Reverse(kind)))
    });
    let fits = |kind: Kind| said.is_none_or(|said| said == kind);
    let best = candidates.filter(|(_, _, kind)| fits(kind.0)).max();
    // two columns at least: a single word may be a title
    best.filter(|(score, ..)| *score >= 4).map(|(_, at, kind)| (at.0, kind.0))
}

/// The columns that a header row names; what is not read is a message.
fn columns(label: &str, header: &Row, kind: Kind, messages: &mut Vec<Message>) -> Vec<Known> {
    let mut columns: Vec<Known> = Vec::new();
    for (position, cell) in header.cells.iter().enumerate().filter(|(_, cell)| !cell.is_blank()) {
        let typed = match cell {
            Cell::Text(text) => clean(text, &mut Vec::new()),
            other => other.shown(),
        };
        let mut report = |problem| {
            messages.push(Message {
                sheet: label.to_owned(),
                row: Some(header.number),
                column: Some((letters(position), typed.clone())),
                problem,
            });
        };
        let found = match recognize(&typed, kind) {
            Recognized::Exactly(found) => found,
            Recognized::Nearly(found) => {
                report(Problem::NearColumn { typed: typed.clone(), read: found.pt });
                found
            }
            Recognized::OfOtherKind => {
                report(Problem::ColumnOfOtherKind);
                continue;
            }
            Recognized::Unknown(nearest) => {
                report(Problem::UnknownColumn { typed: typed.clone(), nearest });
                continue;
            }
        };
        if columns.iter().any(|known| known.header.column == found.column) {
            report(Problem::RepeatedColumn);
        } else {
            columns.push(Known { at: position, header: found, typed });
        }
    }
    columns
}
