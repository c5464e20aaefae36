//! The cells of a row by column: texts, flags, numbers, days, lists. What cannot be read is a message.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use serde_json::Value;
use snapshots::limits::{MAX_LINE, MAX_LINK};
use snapshots::positions::{Bounds, Position};
use snapshots::vocabulary::Wing;

use crate::columns::{Column, Header, SheetKind, headers};
use crate::contacts;
use crate::dates::{self, CellDays, Years};
use crate::links;
use crate::message::Message;
use crate::month_first::MonthFirst;
use crate::names::{Area, Areas, Categories, name_key};
use crate::problem::{Problem, Wanted};
use crate::sheet::{Cell, Row};
use crate::table::Table;
use crate::text::{
    amount, clean, fold, has_question_mark_within, number, with_lines_joined, without_html_codes,
};
use crate::words::{is_formula_error, is_no_name, means_all_day, means_empty};

/// A place of the guide, as the venue of an event is matched with it.
#[derive(Debug, Clone)]
pub(crate) struct Venue {
    pub(crate) id: String,
    /// As the curator wrote it.
    pub(crate) name: String,
    /// The name and the aliases, by [`crate::names::name_key`].
    pub(crate) names: Vec<String>,
    /// The name that it had in the folder, by [`crate::names::name_key`], when the sheet has another one for its id.
    pub(crate) former: Option<String>,
    pub(crate) area: Area,
    /// Its row, when a sheet lists it.
    pub(crate) row: Option<u32>,
}

/// What rows are read with.
pub(crate) struct Context<'c> {
    pub(crate) categories: &'c Categories,
    pub(crate) areas: &'c Areas,
    /// Whether the files of areas and of categories can be read: otherwise that is reported, and no cell is called
    /// wrong.
    pub(crate) has_areas: bool,
    pub(crate) has_categories: bool,
    /// The address codes that decide an area.
    pub(crate) codes: &'c [(String, Area)],
    /// The neighbourhoods whose blocks are numbered: "408 Norte".
    pub(crate) wings: &'c [Wing],
    pub(crate) venues: &'c [Venue],
    /// The ids, and the names by [`crate::names::name_key`], of places whose row has an error.
    pub(crate) unread_places: &'c HashSet<String>,
    /// The names, by [`crate::names::name_key`], of places of the folder that the sheets of places have no more.
    pub(crate) gone_places: &'c HashSet<String>,
    pub(crate) bounds: Option<Bounds>,
    /// The middles of areas, by name.
    pub(crate) middles: &'c HashMap<String, Position>,
    pub(crate) today: NaiveDate,
    /// The days of the records of the folder, by id and by [`crate::names::name_key`].
    pub(crate) known_days: &'c HashMap<String, Vec<NaiveDate>>,
}

/// Reads the cells of one row, and collects fields and messages.
pub(crate) struct Reader<'r> {
    pub(crate) context: &'r Context<'r>,
    pub(crate) table: &'r Table,
    pub(crate) row: &'r Row,
    pub(crate) month_first: &'r MonthFirst,
    pub(crate) messages: Vec<Message>,
    pub(crate) fields: Vec<(&'static str, Value)>,
}

/// The header of a column, as the template has it.
fn header_of(kind: SheetKind, column: Column) -> Option<&'static Header> {
    headers(kind).find(|header| header.column == column)
}

impl<'r> Reader<'r> {
    /// By what the days of the row get a year: those that the folder has of the same record come first.
    pub(crate) fn years(&self) -> Years<'r> {
        let named = |column| self.table.cell(self.row, column).and_then(Cell::text).map(str::trim);
        let known = &self.context.known_days;
        let days = named(Column::Id).and_then(|id| known.get(id));
        let days = days.or_else(|| known.get(&name_key(named(Column::Name)?)));
        Years::around(self.context.today, days.map_or(&[], Vec::as_slice))
    }

    pub(crate) fn report(&mut self, column: Column, problem: Problem) {
        if let Some(message) = self.renamed_column(column, &problem) {
            if !self.messages.contains(&message) {
                self.messages.push(message);
            }
            return;
        }
        let (column, problem) = self.why_empty(column, problem);
        let is_missing = matches!(problem, Problem::MissingColumn { .. });
        // a column that the sheet lacks has no letter
        let named = self.table.named(column).or_else(|| {
            let header = header_of(self.table.kind, column).filter(|_| !is_missing)?;
            Some(("–".to_owned(), header.pt.to_owned()))
        });
        let row = if is_missing { self.table.header_row } else { self.row.number };
        let message = Message::at(&self.table.label, row, named, problem);
        if !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    /// What is wrong instead of a cell that must be filled: the column that holds it has an unknown name.
    fn renamed_column(&self, column: Column, problem: &Problem) -> Option<Message> {
        let columns = match problem {
            Problem::Required => vec![column],
            Problem::NoArea | Problem::VenueWithoutArea { .. } => vec![Column::Neighbourhood, Column::Region],
            Problem::NoDate => vec![Column::Date, Column::Repeat],
            _ => return None,
        };
        let (named, nearest) = columns.into_iter().find_map(|column| self.table.renamed(column))?;
        let problem = Problem::RenamedColumn { typed: named.1.clone(), nearest };
        Some(Message::at(&self.table.label, self.table.header_row, Some(named), problem))
    }

    /// Why a cell that must be filled is empty: its column is missing, or the cell is merged with the one above.
    fn why_empty(&self, column: Column, problem: Problem) -> (Column, Problem) {
        if !matches!(problem, Problem::Required | Problem::NoArea | Problem::NoDate) {
            return (column, problem);
        }
        if self.table.is_merged(self.row, column) {
            return (column, Problem::Merged { is_needed: true });
        }
        let other = match problem {
            Problem::NoArea => Some(Column::Region),
            Problem::NoDate => Some(Column::Repeat),
            _ => None,
        };
        if self.table.position(column).is_some() {
            (column, problem)
        } else if let Some(other) = other.filter(|other| self.table.position(*other).is_some()) {
            (other, Problem::Required)
        } else {
            let names = header_of(self.table.kind, column).map_or(("", ""), |header| (header.pt, header.en));
            (column, Problem::MissingColumn { pt: names.0, en: names.1 })
        }
    }

    pub(crate) fn report_all(&mut self, column: Column, problems: Vec<Problem>) {
        for problem in problems {
            self.report(column, problem);
        }
    }

    /// The cell of a column, unless it is empty or says so.
    pub(crate) fn cell(&mut self, column: Column) -> Option<Cell> {
        let mut cell = self.table.cell(self.row, column)?.clone();
        // a CSV file holds the error of a formula as text
        if let Cell::Text(text) = &cell
            && is_formula_error(text)
        {
            cell = Cell::Broken(text.trim().to_owned());
        }
        if let Cell::Broken(shown) = &cell {
            let shown = shown.clone();
            let is_calculated = !shown.is_empty();
            self.report(
                column,
                if is_calculated { Problem::BrokenFormula { shown } } else { Problem::Uncalculated },
            );
            return None;
        }
        if let Cell::Text(text) = &cell
            && if column == Column::Name { is_no_name(text) } else { means_empty(text) }
        {
            self.report(column, Problem::MeansEmpty { typed: text.trim().to_owned() });
            return None;
        }
        if let Cell::Text(text) = &cell
            && column == Column::StartTime
            && means_all_day(text)
        {
            self.report(column, Problem::AllDay { typed: text.trim().to_owned() });
            return None;
        }
        Some(cell)
    }

    /// The cleaned text of a column.
    pub(crate) fn text(&mut self, column: Column, max: usize) -> Option<String> {
        let cell = self.cell(column)?;
        let text = match &cell {
            Cell::Text(text) => {
                let mut problems = Vec::new();
                let text = without_html_codes(text, &mut problems);
                let text = match column {
                    Column::Lineup | Column::Address => with_lines_joined(&text, &mut problems),
                    _ => text,
                };
                let text = clean(&text, &mut problems);
                if column.is_published_text() && has_question_mark_within(&text) {
                    problems.push(Problem::QuestionMarks);
                }
                self.report_all(column, problems);
                text
            }
            Cell::Number(value) => number(*value),
            Cell::Percent(_) => cell.shown(),
            Cell::Bool(value) => if *value { "sim" } else { "não" }.to_owned(),
            Cell::Moment(..) | Cell::Month(_) => {
                self.report(column, Problem::DateForText);
                return None;
            }
            Cell::Empty | Cell::Broken(_) => return None,
        };
        let length = text.chars().count();
        if length > max {
            self.report(column, Problem::TooLong { by: length - max, max });
            return None;
        }
        if column.is_published_text() {
            self.warn_of_contact(column, &text);
        }
        Some(text).filter(|text| !text.is_empty())
    }

    /// Warns of a telephone number or an e-mail address in a text that everybody sees.
    pub(crate) fn warn_of_contact(&mut self, column: Column, text: &str) {
        if let Some(what) = contacts::within(text) {
            self.report(column, Problem::PublicContact { what });
        }
    }

    pub(crate) fn put(&mut self, field: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.fields.push((field, value.into()));
        }
    }

    /// Puts a text field as it is in its column.
    pub(crate) fn put_text(&mut self, column: Column, max: usize) {
        let text = self.text(column, max);
        self.put(column.field(), text);
    }

    pub(crate) fn flag(&mut self, column: Column) -> Option<bool> {
        let typed = match self.cell(column)? {
            Cell::Bool(value) => return Some(value),
            Cell::Number(value) => number(value),
            Cell::Text(text) => text,
            other @ Cell::Percent(_) => other.shown(),
            _ => String::new(),
        };
        let folded = fold(&typed);
        match folded.trim_end_matches(['.', '!']) {
            "sim" | "s" | "x" | "yes" | "y" | "true" | "1" | "verdadeiro" | "v" | "ok" | "✓" | "✔" | "si" => {
                Some(true)
            }
            "nao" | "n" | "no" | "false" | "0" | "falso" | "f" => Some(false),
            _ => {
                self.report(column, Problem::NotYesNo { typed: typed.trim().to_owned() });
                None
            }
        }
    }

    /// A number, also with a decimal comma.
    pub(crate) fn number(&mut self, column: Column, wanted: Wanted) -> Option<f64> {
        let (value, typed) = match self.cell(column)? {
            Cell::Number(value) => (Some(value), number(value)),
            Cell::Text(text) => {
                let compact: String = text.chars().filter(|c| !c.is_whitespace() && *c != '\u{a0}').collect();
                (compact.replace(',', ".").replace('−', "-").trim_end_matches(['m', '°']).parse().ok(), text)
            }
            other => (None, other.shown()),
        };
        let value = value.filter(|value: &f64| value.is_finite());
        if value.is_none() {
            self.report(column, Problem::NotANumber { typed: typed.trim().to_owned(), wanted });
        }
        value
    }

    /// A whole number within a range. A message quotes what the cell holds: of "1.25" is read 1.25.
    pub(crate) fn whole(&mut self, column: Column, range: RangeInclusive<u32>) -> Option<u32> {
        let wanted = Wanted::Whole(*range.start());
        let (value, is_grouped) = match self.grouped(column) {
            Some(value) => (value, true),
            None => (self.number(column, wanted)?, false),
        };
        let whole = if value.fract() == 0.0 { number(value).parse().ok() } else { None };
        let whole = whole.filter(|whole| range.contains(whole));
        let typed = || self.table.cell(self.row, column).map(Cell::shown).unwrap_or_default();
        match whole {
            None => self.report(column, Problem::NotANumber { typed: typed(), wanted }),
            Some(whole) if is_grouped => {
                self.report(column, Problem::Mended { typed: typed(), read: whole.to_string() });
            }
            Some(_) => {}
        }
        whole
    }

    /// The number of a text with points or commas between its thousands, "1.000": as a fraction it would be 1.
    fn grouped(&self, column: Column) -> Option<f64> {
        let text = self.table.cell(self.row, column)?.text()?;
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let digits = compact.trim_end_matches(['m', '°']);
        let is_grouped = digits.rsplit_once(['.', ',']).is_some_and(|(_, last)| last.len() == 3);
        amount(digits).filter(|_| is_grouped)
    }

    /// The days of a cell.
    pub(crate) fn days_in(
        &self,
        column: Column,
        cell: &Cell,
        years: Years<'_>,
        problems: &mut Vec<Problem>,
    ) -> Option<CellDays> {
        match self.month_first.doubt(column, cell) {
            None => dates::read(cell, years, problems),
            Some(doubt) => {
                problems.push(doubt);
                None
            }
        }
    }

    /// One day.
    pub(crate) fn day(&mut self, column: Column, years: Years<'_>) -> Option<NaiveDate> {
        let cell = self.cell(column)?;
        let mut problems = Vec::new();
        let read = self.days_in(column, &cell, years, &mut problems);
        self.report_all(column, problems);
        match read? {
            CellDays { days, end: None, .. } if days.len() == 1 => days.first().copied(),
            _ => {
                self.report(column, Problem::NotADate { typed: cell.shown() });
                None
            }
        }
    }

    pub(crate) fn link(&mut self, column: Column) -> Option<String> {
        let mut text = self.text(column, MAX_LINK)?;
        // "Sympla", which leads to https://...
        if let Some(address) = self.table.link(self.row, column).filter(|_| !text.starts_with("http")) {
            address.clone_into(&mut text);
        }
        self.link_of(column, &text)
    }

    /// The link that a text of a column is.
    pub(crate) fn link_of(&mut self, column: Column, text: &str) -> Option<String> {
        let mut problems = Vec::new();
        let link = links::link(text, &mut problems);
        self.report_all(column, problems);
        link
    }

    /// The parts of a list, without duplicates.
    pub(crate) fn list(&mut self, column: Column, most: usize, most_letters: usize) -> Vec<String> {
        let Some(text) = self.text_of_list(column) else { return Vec::new() };
        let mut listed: Vec<String> = Vec::new();
        // another spelling of a name may be listed on purpose
        let is_same = |one: &str, other: &str| match column {
            Column::Aliases => one.to_lowercase() == other.to_lowercase(),
            _ => fold(one) == fold(other),
        };
        for part in text.split([',', ';', '|', '\n']) {
            let mut problems = Vec::new();
            let part = clean(part, &mut problems);
            self.report_all(column, problems);
            let length = part.chars().count();
            if part.is_empty() {
                continue;
            }
            if column.is_published_text() {
                self.warn_of_contact(column, &part);
            }
            if length > most_letters {
                self.report(column, Problem::TooLong { by: length - most_letters, max: most_letters });
            } else if listed.iter().any(|known| is_same(known, &part)) {
                self.report(column, Problem::ListedTwice { typed: part });
            } else {
                listed.push(part);
            }
        }
        if listed.len() > most {
            self.report(column, Problem::TooMany { max: most });
            listed.truncate(most);
        }
        listed
    }

    /// The text of a list, whose line breaks separate.
    pub(crate) fn text_of_list(&mut self, column: Column) -> Option<String> {
        match self.cell(column)? {
            Cell::Text(text) => Some(text),
            _ => self.text(column, MAX_LINE),
        }
    }
}
