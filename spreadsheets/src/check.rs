//! The check of the folder as an import would leave it: what it finds is told by sheet, row and column.

use std::collections::HashMap;

use chrono::NaiveDate;
use snapshots::warning::Cause;
use snapshots::{Defect, File, Files, Snapshot, far_from_area};

use crate::message::Message;
use crate::problem::Problem;
use crate::records::Record;
use crate::replaced::Replaced;
use crate::table::Table;

/// What the check finds. Unless all rows were read (`is_whole`), only what rows that were read say of themselves: what
/// refers to others may be in the rows that were not. With it comes the snapshot, if it is one.
pub(crate) fn messages(
    replaced: &[Replaced],
    folder: &Files,
    tables: &[Table],
    is_whole: bool,
    today: NaiveDate,
) -> (Vec<Message>, Option<Snapshot>) {
    let mut files = folder.clone();
    let mut records: HashMap<(File, &str), &Record> = HashMap::new();
    for replaced in replaced {
        let file = replaced.kind.file();
        files = files.with(file, replaced.json());
        records.extend(replaced.records.iter().map(|record| ((file, &*record.id), record)));
    }
    let rows = Rows { records, tables };
    let mut messages = Vec::new();
    let mut warnings = snapshots::warnings(&files, today);
    let mut made = None;
    match snapshots::check(&files, today) {
        Ok(snapshot) => {
            warnings.add_far_from_area(far_from_area(&snapshot));
            made = Some(snapshot);
        }
        Err(defects) => {
            let refers = |defect: &Defect| matches!(defect.field.as_deref(), Some("place" | "region"));
            for defect in &defects.listed {
                match rows.message(defect, |what, fix| Problem::Check { what, fix }) {
                    Some(message) if is_whole || !refers(defect) => messages.push(message),
                    // what is wrong elsewhere in the folder is not the fault of the sheets
                    None if is_whole => messages.push(elsewhere(defect)),
                    _ => {}
                }
            }
            if defects.more > 0 && is_whole {
                let what = format!("and {} more", defects.more);
                let problem = Problem::CheckElsewhere { what, fix: "correct these first".to_owned() };
                let sheet = File::Events.name().to_owned();
                messages.push(Message { sheet, row: None, column: None, problem });
            }
        }
    }
    for warning in &warnings.listed {
        let Some(problem) = problem_of(warning.cause) else { continue };
        if is_whole || problem != Problem::UnknownVenue {
            messages.extend(rows.message(&warning.defect, |_, _| problem));
        }
    }
    (messages, made)
}

/// What the import says of a warning. Of texts and keys it mends what there is, and the guide as a whole is not its
/// matter.
fn problem_of(cause: Cause) -> Option<Problem> {
    Some(match cause {
        Cause::Over => Problem::Over,
        Cause::IdleExcept => Problem::IdleExcept,
        Cause::Twins => Problem::Twins,
        Cause::UnknownVenue => Problem::UnknownVenue,
        Cause::HttpTickets => Problem::HttpTickets,
        Cause::FarFromArea => Problem::FarFromArea,
        Cause::FarOff => Problem::FarOff,
        Cause::OffRule => Problem::OffRule,
        Cause::NotShown => Problem::NotShown,
        Cause::OtherArea => Problem::OtherArea,
        Cause::AddressElsewhere => Problem::AddressElsewhere,
        Cause::Mojibake | Cause::DoubleSpace | Cause::Stale | Cause::RepeatedKey => return None,
    })
}

/// The rows that records were made of.
struct Rows<'r> {
    records: HashMap<(File, &'r str), &'r Record>,
    tables: &'r [Table],
}

impl Rows<'_> {
    /// A defect at the row and column that it is in; `None` when no row is.
    fn message(&self, defect: &Defect, problem: impl FnOnce(String, String) -> Problem) -> Option<Message> {
        let record = self.records.get(&(defect.file, defect.id.as_deref()?))?;
        let table = self.tables.get(record.table)?;
        let column = defect.field.as_deref().and_then(|field| table.of_field(field));
        // a field that no column fills is named itself
        let field = defect.field.clone().filter(|_| column.is_none());
        let what = field.into_iter().chain([defect.what.clone()]).collect::<Vec<_>>().join(": ");
        let problem = problem(what, defect.fix.clone());
        Some(Message { sheet: table.label.clone(), row: Some(record.row), column, problem })
    }
}

fn elsewhere(defect: &Defect) -> Message {
    let Defect { file, id, field, what, fix } = defect.clone();
    let what = [id, field].into_iter().flatten().chain([what]).collect::<Vec<_>>().join(": ");
    let problem = Problem::CheckElsewhere { what, fix };
    Message { sheet: file.name().to_owned(), row: None, column: None, problem }
}
