//! Finds the table in a sheet: its kind, its header row and its columns.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::columns::{
    Column, Header, LISTS, Recognized, SheetKind, headers, is_explanation, is_sample, kind_of_name, recognize,
};
use crate::message::Message;
use crate::problem::Problem;
use crate::sheet::{Cell, Merged, Row, Sheet, letters};
use crate::text::{clean, fold};
use crate::words::status_in_name;

/// How many rows may come before the header: titles, notes.
const HEADER_WITHIN: usize = 30;

/// A sheet whose columns are known.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) kind: SheetKind,
    /// How messages name the sheet.
    pub(crate) label: String,
    /// The name of the sheet in its source.
    pub(crate) sheet: String,
    /// The number of the source.
    pub(crate) source: usize,
    pub(crate) header_row: u32,
    columns: Vec<KnownColumn>,
    /// Unknown headers, each near to the name of a column that is missing.
    renamed: Vec<KnownColumn>,
    /// The first column right of all that is used.
    pub(crate) free_column: usize,
    /// Where the cents of a price are when its comma separates cells.
    after_price: Option<usize>,
    /// The rows with data.
    pub(crate) rows: Vec<Row>,
    /// The merged cells with a value, below the header.
    merged: Vec<Merged>,
    /// The addresses of links, by row and column.
    links: BTreeMap<(u32, usize), String>,
    /// The cells whose format shows R$, by row and column.
    in_reais: BTreeSet<(u32, usize)>,
}

/// A column of a table.
#[derive(Debug)]
struct KnownColumn {
    at: usize,
    header: &'static Header,
    typed: String,
}

impl KnownColumn {
    /// Whether a row with something in it is meant as a record.
    fn names_a_record(&self) -> bool {
        matches!(self.header.column, Column::Name | Column::Id)
    }
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

    /// The letter and the header of what most likely is a column that is missing, and the name that it should have.
    pub(crate) fn renamed(&self, column: Column) -> Option<((String, String), &'static str)> {
        let known = self.renamed.iter().find(|known| known.header.column == column)?;
        Some(((letters(known.at), known.typed.clone()), known.header.pt))
    }

    /// All columns that are read.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &'static Header> {
        self.columns.iter().map(|known| known.header)
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

    /// Whether a cell is merged with one above it that has a value.
    pub(crate) fn is_merged(&self, row: &Row, column: Column) -> bool {
        let covers = |at| self.merged.iter().any(|merged| merged.covers(row.number, at));
        self.position(column).is_some_and(covers)
    }

    /// The columns in which a row is merged with the one above it.
    pub(crate) fn merged_columns(&self, row: &Row) -> Vec<Column> {
        let columns = self.columns.iter().map(|known| known.header.column);
        columns.filter(|column| self.is_merged(row, *column)).collect()
    }

    /// What most likely are the cents of a price: two digits alone in the cell after it.
    pub(crate) fn cents_apart<'r>(&self, row: &'r Row) -> Option<&'r str> {
        let text = row.cells.get(self.after_price?)?.text()?.trim();
        (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
    }

    /// The address that a cell leads to.
    pub(crate) fn link(&self, row: &Row, column: Column) -> Option<&str> {
        self.links.get(&(row.number, self.position(column)?)).map(String::as_str)
    }

    /// Whether the format of a cell shows its number with R$.
    pub(crate) fn is_in_reais(&self, row: &Row, column: Column) -> bool {
        self.position(column).is_some_and(|at| self.in_reais.contains(&(row.number, at)))
    }

    /// The cell of a column.
    pub(crate) fn cell<'r>(&self, row: &'r Row, column: Column) -> Option<&'r Cell> {
        row.cells.get(self.position(column)?).filter(|cell| !cell.is_blank())
    }
}

/// How well a row names the columns of a kind: exact names, and near ones.
fn score(row: &Row, kind: SheetKind) -> usize {
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
    rows.flat_map(|row| SheetKind::BOTH.map(|kind| score(row, kind))).max().unwrap_or_default()
}

/// Finds the table of a sheet. `None`, and a message, when there is none.
pub(crate) fn find(mut sheet: Sheet, source: usize, messages: &mut Vec<Message>) -> Option<Table> {
    // the template hides the lists of its drop-downs
    if sheet.is_hidden && sheet.name == LISTS {
        return None;
    }
    if let Some(problem) = refused(&sheet) {
        messages.push(Message::of_file(sheet.label, problem));
        return None;
    }
    if let Some((row, column)) = sheet.open_quote {
        let column = Some((letters(column), String::new()));
        messages.push(Message::at(&sheet.label, row, column, Problem::OpenQuote));
    }
    let said = kind_of_name(&sheet.name);
    let Some((at, kind)) = header_of(&sheet, said) else {
        let is_skipped = sheet.rows.is_empty() || said.is_none();
        let problem = if is_skipped { Problem::SheetSkipped } else { Problem::NoHeader };
        messages.push(Message::of_file(sheet.label, problem));
        return None;
    };
    let below = sheet.rows.split_off(at + 1);
    let header = sheet.rows.pop()?;
    let (columns, renamed) = columns(&sheet.label, &header, &below, kind, messages);
    let last_used = |row: &Row| row.cells.iter().rposition(|cell| !cell.is_blank());
    let after_price = after_price(&sheet, &header, &columns);
    let all = sheet.rows.iter().chain([&header]).chain(&below);
    let free_column = all.filter_map(last_used).max().map_or(0, |last| last + 1);
    let merged = merged(&sheet, &header, &below);
    let names: Vec<usize> =
        columns.iter().filter(|known| known.names_a_record()).map(|known| known.at).collect();
    let mut rows = filled_rows(below, &names, &merged);
    let dragged = dragged(&names, &merged, &rows);
    rows.retain(|row| {
        let is_record = !dragged.contains(&row.number) && !is_note(&sheet, &header, &merged, row);
        if !is_record {
            messages.push(Message::at(&sheet.label, row.number, None, Problem::NotesSkipped));
        }
        is_record && fits_header(&sheet, &header, row, messages)
    });
    let given_up = given_up(&sheet, &names, &rows, kind);
    let message = |(row, problem)| Message { row, ..Message::of_file(&sheet.label, problem) };
    messages.extend(given_up.into_iter().map(message));
    Some(Table {
        kind,
        label: sheet.label,
        sheet: sheet.name,
        source,
        header_row: header.number,
        columns,
        renamed,
        free_column,
        after_price,
        rows,
        merged,
        links: sheet.links,
        in_reais: sheet.in_reais,
    })
}

/// Why no table is looked for in a sheet.
fn refused(sheet: &Sheet) -> Option<Problem> {
    if sheet.is_hidden {
        return Some(Problem::HiddenSheet);
    }
    // a CSV file was named on purpose
    (sheet.separated_by.is_none() && is_sample(&sheet.name)).then_some(Problem::SampleSheet)
}

/// The rows below the header that hold something of their own, without the explanations of the template.
fn filled_rows(below: Vec<Row>, names: &[usize], merged: &[Merged]) -> Vec<Row> {
    let rows = below.into_iter().map(without_explanations);
    rows.filter(|row| is_data(row) && !is_unfilled(names, merged, row)).collect()
}

/// What shows that nobody wants rows in the guide that are read all the same: they are hidden or struck through, or
/// their sheet is called so.
fn given_up(sheet: &Sheet, names: &[usize], rows: &[Row], kind: SheetKind) -> Vec<(Option<u32>, Problem)> {
    let numbers = |is: &dyn Fn(&&Row) -> bool, problem: Problem| -> Vec<(Option<u32>, Problem)> {
        rows.iter().filter(is).map(|row| (Some(row.number), problem.clone())).collect()
    };
    let is_struck = |row: &&Row| names.iter().any(|at| sheet.struck.contains(&(row.number, *at)));
    let mut found = numbers(&|row| sheet.hidden_rows.contains(&row.number), Problem::HiddenRow);
    found.extend(numbers(&is_struck, Problem::StruckRow));
    if kind == SheetKind::Events && !rows.is_empty() && status_in_name(&sheet.name).is_some() {
        found.push((None, Problem::SheetOfStatus { name: sheet.name.clone() }));
    }
    found
}

/// The column after that of prices in a CSV file with commas, when it is not known. Two digits may also be the age that
/// an event is for.
fn after_price(sheet: &Sheet, header: &Row, columns: &[KnownColumn]) -> Option<usize> {
    let price = columns.iter().find(|known| known.header.column == Column::Price)?;
    let next = price.at + 1;
    let named = header.cells.get(next).map(Cell::shown).map(|name| fold(&name)).unwrap_or_default();
    let is_age = ["idade", "classifica", "faixa", "censura", "anos", "age", "rating"]
        .iter()
        .any(|word| named.contains(word));
    let is_known = columns.iter().any(|known| known.at == next);
    (sheet.separated_by == Some(',') && !is_known && !is_age).then_some(next)
}

/// A row without the explanations of the template, over which people also type a record.
fn without_explanations(mut row: Row) -> Row {
    for cell in &mut row.cells {
        if cell.text().is_some_and(is_explanation) {
            *cell = Cell::Empty;
        }
    }
    row
}

/// Whether a row holds something.
fn is_data(row: &Row) -> bool {
    !row.cells.iter().all(Cell::is_blank)
}

/// How many nameless rows alike are taken for cells that were dragged down.
const DRAGGED: usize = 3;

/// Whether a row has a name of its own, or is merged with the row above it.
fn is_named(names: &[usize], merged: &[Merged], row: &Row) -> bool {
    let is_filled = |at: &usize| row.cells.get(*at).is_some_and(|cell| !cell.is_blank());
    names.iter().any(is_filled)
        || merged
            .iter()
            .any(|merged| (merged.first.1..=merged.last.1).any(|at| merged.covers(row.number, at)))
}

/// Whether nobody filled in a row: its check boxes are unchecked, and there is nothing else.
fn is_unfilled(names: &[usize], merged: &[Merged], row: &Row) -> bool {
    let is_unchecked = |cell: &Cell| match cell {
        Cell::Bool(is_checked) => !is_checked,
        Cell::Text(text) => ["false", "falso"].contains(&&*fold(text)),
        _ => cell.is_blank(),
    };
    !is_named(names, merged, row) && row.cells.iter().all(is_unchecked)
}

/// The numbers of the nameless rows that hold the same as others: defaults that were dragged down.
fn dragged(names: &[usize], merged: &[Merged], rows: &[Row]) -> HashSet<u32> {
    let mut alike: HashMap<String, Vec<u32>> = HashMap::new();
    for row in rows.iter().filter(|row| !is_named(names, merged, row)) {
        let shown: Vec<String> = row.cells.iter().map(Cell::shown).collect();
        alike.entry(shown.join("\t").trim_end().to_owned()).or_default().push(row.number);
    }
    alike.into_values().filter(|rows| rows.len() >= DRAGGED).flatten().collect()
}

/// Whether a row is a title, a note or the header again: one cell alone, unless the others are merged with those above,
/// or a sum below the rows.
fn is_note(sheet: &Sheet, header: &Row, merged: &[Merged], row: &Row) -> bool {
    let is_below = |merged: &Merged| (merged.first.1..=merged.last.1).any(|at| merged.covers(row.number, at));
    if merged.iter().any(is_below) || sheet.open_quote.is_some_and(|(open, _)| open == row.number) {
        return false;
    }
    let filled = row.cells.iter().enumerate().filter(|(_, cell)| !cell.is_blank());
    let filled: Vec<(usize, &Cell)> = filled.collect();
    let is_header = |(at, cell): &(usize, &Cell)| {
        let named = header.cells.get(*at).map(Cell::shown).unwrap_or_default();
        fold(&named) == fold(&cell.shown())
    };
    let is_sum = |cell: &Cell| {
        let text = cell.text().map(fold).unwrap_or_default();
        ["total", "subtotal", "soma"].contains(&text.trim_end_matches([':', ' ']))
    };
    match &*filled {
        [_] => true,
        [(_, first), _] if is_sum(first) => true,
        several => several.iter().all(is_header),
    }
}

/// The merged cells below the header whose first cell holds something.
fn merged(sheet: &Sheet, header: &Row, below: &[Row]) -> Vec<Merged> {
    let has_value = |merged: &&Merged| {
        let (number, column) = merged.first;
        let row = below.iter().find(|row| row.number == number);
        row.and_then(|row| row.cells.get(column)).is_some_and(|cell| !cell.is_blank())
    };
    let below_header = sheet.merged.iter().filter(|merged| merged.first.0 > header.number);
    below_header.filter(has_value).copied().collect()
}

/// Whether a row can be read by its header; what stands under no header is a message.
fn fits_header(sheet: &Sheet, header: &Row, row: &Row, messages: &mut Vec<Message>) -> bool {
    let mut report = |column, problem| {
        messages.push(Message::at(&sheet.label, row.number, column, problem));
    };
    if sheet.open_quote.is_some_and(|(open, _)| open == row.number) {
        return false;
    }
    let filled = row.cells.iter().enumerate().filter(|(_, cell)| !cell.is_blank());
    let filled: Vec<usize> = filled.map(|(at, _)| at).collect();
    if let Some(separator) = sheet.separated_by
        && filled.last().is_some_and(|last| *last >= header.cells.len())
    {
        let separator =
            if separator == '\t' { "tab".to_owned() } else { format!("{separator:?}").replace('\'', "\"") };
        report(None, Problem::MoreCells { separator });
        return false;
    }
    for at in filled {
        if header.cells.get(at).is_none_or(Cell::is_blank) {
            report(Some((letters(at), String::new())), Problem::ValueWithoutHeader);
        }
    }
    true
}

/// The header row of a sheet, by number, and the kind of what it lists: the row that names most columns, of the kind
/// that the name of the sheet says, if it says one.
fn header_of(sheet: &Sheet, said: Option<SheetKind>) -> Option<(usize, SheetKind)> {
    let candidates = sheet.rows.iter().take(HEADER_WITHIN).enumerate().flat_map(|(at, row)| {
        SheetKind::BOTH.map(|kind| (score(row, kind), std::cmp::Reverse(at), std::cmp::Reverse(kind)))
    });
    let fits = |kind: SheetKind| said.is_none_or(|said| said == kind);
    let best = candidates.filter(|(_, _, kind)| fits(kind.0)).max();
    // two columns at least: a single word may be a title
    best.filter(|(score, ..)| *score >= 4).map(|(_, at, kind)| (at.0, kind.0))
}

/// The columns that a header row names, and the unknown headers that are near to one; what is not read is a message. A
/// name that is exact, wherever it stands, comes before one that is guessed.
fn columns(
    label: &str,
    header: &Row,
    below: &[Row],
    kind: SheetKind,
    messages: &mut Vec<Message>,
) -> (Vec<KnownColumn>, Vec<KnownColumn>) {
    let (mut found, mut near) = (Vec::new(), Vec::new());
    for (at, cell) in header.cells.iter().enumerate().filter(|(_, cell)| !cell.is_blank()) {
        let typed = match cell {
            Cell::Text(text) => clean(text, &mut Vec::new()),
            other => other.shown(),
        };
        let mut unread = |problem| {
            let column = Some((letters(at), typed.clone()));
            messages.push(Message::at(label, header.number, column, problem));
        };
        match recognize(&typed, kind) {
            Recognized::Exactly(header) => found.push((KnownColumn { at, header, typed }, true)),
            Recognized::Nearly(header) => found.push((KnownColumn { at, header, typed }, false)),
            Recognized::OfOtherKind => unread(Problem::ColumnOfOtherKind),
            Recognized::Unknown(nearest) => {
                unread(Problem::UnknownColumn { typed: typed.clone(), nearest });
                near.extend(nearest.map(|nearest| (at, typed, nearest)));
            }
        }
    }
    // an empty column beside one that is filled in says nothing
    let has_values = |known: &KnownColumn| {
        below.iter().any(|row| row.cells.get(known.at).is_some_and(|cell| !cell.is_blank()))
    };
    found.sort_by_cached_key(|(known, is_exact)| (!is_exact, !has_values(known)));
    let mut columns: Vec<(KnownColumn, bool)> = Vec::new();
    for (known, is_exact) in found {
        let mut report = |problem| {
            let column = Some((letters(known.at), known.typed.clone()));
            messages.push(Message::at(label, header.number, column, problem));
        };
        match columns.iter().find(|(read, _)| read.header.column == known.header.column) {
            None => {
                if !is_exact {
                    report(Problem::NearColumn { typed: known.typed.clone(), read: known.header.pt });
                }
                columns.push((known, is_exact));
            }
            Some((read, is_read_exact)) if has_values(&known) => {
                let other = format!("{} ({})", read.typed, letters(read.at));
                let are_alike = is_exact == *is_read_exact;
                report(if are_alike {
                    Problem::SameColumn { other }
                } else {
                    Problem::RepeatedColumn { other }
                });
            }
            Some(_) => {}
        }
    }
    let columns: Vec<KnownColumn> = columns.into_iter().map(|(known, _)| known).collect();
    let renamed = renamed(&columns, near, kind);
    (columns, renamed)
}

/// Of the unknown headers that are near to the name of a column, those of columns that are missing. Two near to the
/// same are perhaps neither.
fn renamed(
    columns: &[KnownColumn],
    near: Vec<(usize, String, &'static str)>,
    kind: SheetKind,
) -> Vec<KnownColumn> {
    let count = |name: &str| near.iter().filter(|(_, _, nearest)| *nearest == name).count();
    let single: Vec<bool> = near.iter().map(|(_, _, nearest)| count(nearest) == 1).collect();
    let is_missing = |header: &Header| columns.iter().all(|known| known.header.column != header.column);
    let known = near.into_iter().zip(single).filter(|(_, is_single)| *is_single).filter_map(|(one, _)| {
        let (at, typed, nearest) = one;
        let header = headers(kind).find(|header| header.pt == nearest && is_missing(header))?;
        Some(KnownColumn { at, header, typed })
    });
    known.collect()
}
