//! Columns that an import had and the sheets have no more: without a word, what they said would vanish of every record.

use std::collections::HashMap;

use serde_json::Value;

use crate::columns::{Column, Header, SheetKind, headers};
use crate::import::Import;
use crate::message::Message;
use crate::problem::Problem;
use crate::replaced::{id_of, listed};

/// How many records a message names.
const RECORDS_NAMED: usize = 3;

/// The records of a kind before an import.
#[derive(Debug, Clone, Copy)]
pub struct Before<'b> {
    /// Their file.
    pub records: &'b str,
    /// The columns of the sheets that they were read from, by [`crate::Replaced::columns`], where that is known.
    pub columns: Option<&'b [String]>,
    /// Whether the loss is an error: the records are from sheets, and nobody said that they may lose something.
    pub is_refused: bool,
}

impl Import {
    /// Says of the records of a kind what they lose because no column says it any more.
    pub fn lost_columns(&self, kind: SheetKind, before: Before<'_>) -> Vec<Message> {
        let Some(replaced) = self.replaced.iter().find(|replaced| replaced.kind == kind) else {
            return Vec::new();
        };
        let (old, new) = (listed(before.records), listed(&replaced.json()));
        let was: HashMap<&str, &Value> =
            old.iter().filter_map(|record| Some((id_of(record)?, record))).collect();
        let has = |column: Column| replaced.columns.contains(&name(column, kind));
        let is_gone = |header: &&Header| match before.columns {
            _ if has(header.column) => false,
            Some(columns) => columns.iter().any(|column| column == header.en),
            // another column may have said it
            None => {
                !beside(header.column).iter().any(|other| has(*other))
                    && !new.iter().any(|record| value(record, header.field).is_some())
            }
        };
        let message = |header: &'static Header| {
            let is_lost = |record: &&Value| {
                value(record, header.field).is_none()
                    && id_of(record)
                        .and_then(|id| was.get(id))
                        .is_some_and(|old| value(old, header.field).is_some())
            };
            let lost: Vec<&str> = new.iter().filter(is_lost).filter_map(id_of).collect();
            let first = lost.iter().take(RECORDS_NAMED).map(|id| (*id).to_owned()).collect();
            let (count, is_refused) = (lost.len(), before.is_refused);
            let problem = Problem::ColumnGone { pt: header.pt, en: header.en, count, first, is_refused };
            (count > 0).then(|| Message::of_file(kind.file().name(), problem))
        };
        headers(kind).filter(is_gone).filter_map(message).collect()
    }
}

/// The name of a column by which an import remembers it.
fn name(column: Column, kind: SheetKind) -> &'static str {
    headers(kind).find(|header| header.column == column).map_or("", |header| header.en)
}

/// The other columns that may fill the field of one.
fn beside(column: Column) -> &'static [Column] {
    match column {
        Column::EndDate | Column::StartTime | Column::Repeat => &[Column::Date],
        Column::EndTime => &[Column::StartTime, Column::Date],
        Column::Except | Column::Until => &[Column::Repeat, Column::Date],
        Column::Date => &[Column::Repeat],
        Column::Status => {
            &[Column::Price, Column::Tickets, Column::Cancelled, Column::Postponed, Column::SoldOut]
        }
        Column::Cancelled | Column::Postponed | Column::SoldOut => &[Column::Status],
        Column::Free => &[Column::Price, Column::Tickets],
        Column::Price | Column::TicketLink => &[Column::Tickets],
        Column::Place => &[Column::Venue],
        Column::InstagramLink => &[Column::Instagram],
        Column::Lon => &[Column::Lat],
        Column::Also => &[Column::Category],
        Column::Neighbourhood => &[Column::Region, Column::Address, Column::Venue],
        _ => &[],
    }
}

/// The value at a path such as `links.website`; `false` says nothing.
fn value<'r>(record: &'r Value, path: &str) -> Option<&'r Value> {
    let found = path.split('.').try_fold(record, |value, field| value.get(field));
    found.filter(|value| **value != Value::Bool(false))
}
