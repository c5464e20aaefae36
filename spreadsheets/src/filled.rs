//! The template, filled in with the records of a guide: the way back, from a guide that began without a spreadsheet.
//!
//! Each cell is written so that the import reads the same again, and the import is tried on the whole workbook: what a
//! sheet cannot say is told, and not lost in silence.

use chrono::{NaiveDate, NaiveTime, Timelike};
use rust_xlsxwriter::{Format, Worksheet, XlsxError};
use serde_json::Value;
use snapshots::vocabulary::{Geography, Taxonomy};
use snapshots::{File, Files};

use crate::columns::{Column, SheetKind, in_template, name_of};
use crate::dates::Years;
use crate::import::import;
use crate::lang::Lang;
use crate::message::Message;
use crate::names::{Categories, NameMatch};
use crate::problem::{Changed, Level};
use crate::replaced::listed;
use crate::rule_words::phrase;
use crate::sheet::Source;
use crate::template::{FIRST_ROW, InitError, workbook};

/// The name of the workbook.
pub const FILE: &str = "guia.xlsx";

/// A workbook with all records of a folder.
#[derive(Debug)]
pub struct Filled {
    /// The .xlsx file.
    pub bytes: Vec<u8>,
    /// How many places and events it lists.
    pub counts: [usize; 2],
    /// The records that an import of it would change, with the fields that a sheet cannot say as they are.
    pub changed: Vec<(SheetKind, Changed)>,
    /// The errors for which an import of it would be refused.
    pub errors: Vec<Message>,
}

/// Fills the template in with all records of a folder that passes the check.
pub fn fill_in(folder: &Files, today: NaiveDate) -> Result<Filled, InitError> {
    let text = |file: File| folder.text(file).map_err(|defect| std::io::Error::other(defect.to_string()));
    let geography: Geography = serde_json::from_str(text(File::Regions)?)?;
    let taxonomy: Taxonomy = serde_json::from_str(text(File::Categories)?)?;
    let records = [listed(text(File::Places)?), listed(text(File::Events)?)];
    let words = Words { categories: Categories::new(&taxonomy), today };
    let fill = |sheet: &mut Worksheet, kind: SheetKind| {
        let [places, events] = &records;
        write_records(sheet, kind, if kind == SheetKind::Places { places } else { events }, &words)
    };
    let bytes = workbook(&geography, &taxonomy, fill)?;
    let source = Source { label: FILE.to_owned(), path: None, bytes };
    let tried = import(std::slice::from_ref(&source), folder, today);
    let changed = tried.replaced.into_iter().flat_map(|replaced| {
        let kind = replaced.kind;
        replaced.changed.into_iter().map(move |changed| (kind, changed))
    });
    let is_error = |message: &Message| message.problem.level() == Level::Error;
    Ok(Filled {
        bytes: source.bytes,
        counts: records.map(|records| records.len()),
        changed: changed.collect(),
        errors: tried.messages.into_iter().filter(is_error).collect(),
    })
}

impl Filled {
    /// What an import of it would change, a line for each record with the columns.
    pub fn changes(&self, lang: Lang) -> Vec<String> {
        let line = |(kind, changed): &(SheetKind, Changed)| {
            let mut columns: Vec<&str> = changed.fields.iter().map(|field| name_of(field, lang)).collect();
            columns.dedup();
            format!("{}: {} ({})", kind.file().name(), changed.id, columns.join(", "))
        };
        self.changed.iter().map(line).collect()
    }
}

/// What cells are written with.
struct Words {
    categories: Categories,
    today: NaiveDate,
}

/// What a cell holds.
enum Content {
    Text(String),
    Number(f64),
    Day(NaiveDate),
    Time(NaiveTime),
}

fn write_records(
    sheet: &mut Worksheet,
    kind: SheetKind,
    records: &[Value],
    words: &Words,
) -> Result<usize, XlsxError> {
    let text = Format::new().set_num_format("@");
    let (date, time) = (Format::new().set_num_format("dd/mm/yyyy"), Format::new().set_num_format("hh:mm"));
    for (row, record) in (FIRST_ROW..).zip(records) {
        for (at, header) in (0_u16..).zip(in_template(kind)) {
            match content(header.column, header.field, kind, record, words) {
                None => continue,
                Some(Content::Text(value)) => sheet.write_string_with_format(row, at, value, &text)?,
                Some(Content::Number(value)) => sheet.write_number(row, at, value)?,
                Some(Content::Day(day)) => sheet.write_number_with_format(row, at, serial(day), &date)?,
                Some(Content::Time(at_time)) => {
                    sheet.write_number_with_format(row, at, fraction(at_time), &time)?
                }
            };
        }
    }
    Ok(records.len())
}

/// The number by which Excel knows a day.
fn serial(day: NaiveDate) -> f64 {
    let zero = NaiveDate::from_ymd_opt(1899, 12, 30).unwrap_or_default();
    i32::try_from((day - zero).num_days()).map_or(0.0, f64::from)
}

/// The part of a day by which Excel knows a time.
fn fraction(time: NaiveTime) -> f64 {
    f64::from(time.num_seconds_from_midnight()) / 86_400.0
}

/// The content of a cell; `None` of one that stays empty.
fn content(column: Column, field: &str, kind: SheetKind, record: &Value, words: &Words) -> Option<Content> {
    let found = field.split('.').try_fold(record, |value, field| value.get(field));
    let text = || found.and_then(Value::as_str).map(str::to_owned);
    let day = || found.and_then(day_of).map(Content::Day);
    match column {
        Column::Category => Some(Content::Text(words.category(found?.as_str()?, kind))),
        Column::Also => {
            let slugs = found?.as_array()?.iter().filter_map(Value::as_str);
            // a comma separates
            let name = |slug: &str| {
                let label = words.category(slug, kind);
                if label.contains([',', ';', '|']) { slug.to_owned() } else { label }
            };
            Some(Content::Text(slugs.map(name).collect::<Vec<_>>().join(", ")))
        }
        Column::Aliases => {
            let aliases: Vec<&str> = found?.as_array()?.iter().filter_map(Value::as_str).collect();
            Some(Content::Text(aliases.join(", ")))
        }
        Column::Date => {
            let own = record.get("date").and_then(day_of).map(Content::Day);
            own.or_else(|| listed_days(record).filter(|days| days.len() > 1).map(|days| days_text(&days)))
        }
        Column::Repeat => repetition(record, words),
        Column::Except => {
            let days: Vec<NaiveDate> = found?.as_array()?.iter().filter_map(day_of).collect();
            match *days {
                [one] => Some(Content::Day(one)),
                _ => Some(days_text(&days)),
            }
        }
        Column::StartTime => hours(record),
        Column::EndDate | Column::Until | Column::ShowFrom | Column::ShowUntil => day(),
        Column::EndTime => found.and_then(time_of).map(Content::Time),
        Column::Status => {
            let named = match found?.as_str()? {
                "cancelled" => "cancelado",
                "postponed" => "adiado",
                "sold_out" => "esgotado",
                other => other,
            };
            Some(Content::Text(named.to_owned()))
        }
        // "não" says something of a record that is hidden elsewhere, and nothing of others
        Column::Hidden => {
            let named = if found?.as_bool()? { "sim" } else { "não" };
            Some(Content::Text(named.to_owned()))
        }
        Column::Free | Column::Uau => {
            found?.as_bool().filter(|said| *said).map(|_| Content::Text("sim".to_owned()))
        }
        Column::Mentions | Column::Lat | Column::Lon | Column::Precision => {
            found?.as_f64().map(Content::Number)
        }
        _ => text().map(Content::Text),
    }
}

fn day_of(value: &Value) -> Option<NaiveDate> {
    value.as_str()?.parse().ok()
}

fn time_of(value: &Value) -> Option<NaiveTime> {
    NaiveTime::parse_from_str(value.as_str()?, "%H:%M").ok()
}

/// The days of an event that has days and no rule.
fn listed_days(record: &Value) -> Option<Vec<NaiveDate>> {
    let repeat = record.get("repeat")?;
    let days = repeat.get("dates")?.as_array()?.iter().filter_map(day_of).collect();
    repeat.get("rule").is_none_or(Value::is_null).then_some(days)
}

fn days_text(days: &[NaiveDate]) -> Content {
    let written: Vec<String> = days.iter().map(|day| day.format("%d/%m/%Y").to_string()).collect();
    Content::Text(written.join(", "))
}

/// How an event repeats: its rule in words where there are some, or the days that the column of dates does not hold.
fn repetition(record: &Value, words: &Words) -> Option<Content> {
    let date = record.get("date").and_then(day_of);
    if let Some(rule) = record.get("repeat")?.get("rule").and_then(Value::as_str) {
        let years = Years::around(words.today, &[]);
        return Some(Content::Text(phrase(rule, date, years).unwrap_or_else(|| rule.to_owned())));
    }
    let days = listed_days(record)?;
    (date.is_some() || days.len() == 1).then(|| days_text(&days))
}

/// When an event begins, or its sessions.
fn hours(record: &Value) -> Option<Content> {
    let Some(sessions) = record.get("sessions").and_then(Value::as_array) else {
        return record.get("start_time").and_then(time_of).map(Content::Time);
    };
    let written = sessions.iter().filter_map(|session| {
        let start = session.get("start_time")?.as_str()?;
        let end = session.get("end_time").and_then(Value::as_str);
        Some(end.map_or_else(|| start.to_owned(), |end| format!("{start}-{end}")))
    });
    Some(Content::Text(written.collect::<Vec<_>>().join(", ")))
}

impl Words {
    /// A category as the drop-down has it, unless its label means another one too.
    fn category(&self, slug: &str, kind: SheetKind) -> String {
        let label = self.categories.label(slug);
        let is_plain = self.categories.find(label, kind) == NameMatch::Exactly(slug.to_owned());
        if is_plain { label.to_owned() } else { slug.to_owned() }
    }
}
