//! The check of the folder as an import would leave it: what it finds is told by sheet, row and column.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::NaiveDate;
use serde_json::Value;
use snapshots::warning::Cause;
use snapshots::{Defect, File, Files, NO_RECORDS, Snapshot, far_from_area};

use crate::columns::SheetKind;
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
            let mut elsewhere = Vec::new();
            for defect in &defects.listed {
                match rows.message(defect, |what, fix| Problem::Check { what, fix }) {
                    Some(message) if is_whole || !refers(defect) => messages.push(message),
                    None if is_whole => elsewhere.push(defect),
                    _ => {}
                }
            }
            if is_whole && (defects.more > 0 || !elsewhere.is_empty()) {
                messages.extend(beside(replaced, folder, (&elsewhere, defects.more), today));
            }
        }
    }
    for warning in &warnings.listed {
        if let Cause::NeverShown | Cause::AtUnshown = warning.cause {
            let message = rows.message(&warning.defect, |what, fix| Problem::NotServed { what, fix });
            messages.extend(message.filter(|_| is_whole || warning.cause == Cause::NeverShown));
            continue;
        }
        let Some(problem) = problem_of(warning.cause) else { continue };
        if is_whole || problem != Problem::UnknownVenue {
            messages.extend(rows.message(&warning.defect, |_, _| problem));
        }
    }
    (messages, made)
}

/// What the import says of a warning in words of its own. Of texts and keys it mends what there is, and the guide as a
/// whole is not its matter.
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
        Cause::Mojibake
        | Cause::DoubleSpace
        | Cause::Stale
        | Cause::RepeatedKey
        | Cause::NeverShown
        | Cause::AtUnshown => return None,
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
        Some(Message::at(&table.label, record.row, column, problem))
    }
}

/// What is wrong in records that no row gave, and how many defects more there are. What the folder has without the
/// sheets is not their fault.
fn beside(
    replaced: &[Replaced],
    folder: &Files,
    (defects, more): (&[&Defect], usize),
    today: NaiveDate,
) -> Vec<Message> {
    let (own, own_more) = match snapshots::check(folder, today) {
        Ok(_) => (Vec::new(), 0),
        Err(own) => (own.listed, own.more),
    };
    let message = |file: File, problem| Message::of_file(file.name(), problem);
    let removed = removed_places(replaced, folder);
    let (mut at_removed, mut messages) = (BTreeMap::<&str, Vec<String>>::new(), Vec::new());
    for defect in defects {
        let Defect { file, id, field, what, fix } = (*defect).clone();
        // what to do may name other records now
        let is_own = |own: &Defect| (own.file, &own.id, &own.field, &own.what) == (file, &id, &field, &what);
        let is_caused = !own.iter().any(is_own);
        let is_of_place = file == File::Events && field.as_deref() == Some("place");
        let place = id.as_deref().filter(|_| is_caused && is_of_place).and_then(|id| removed.get(id));
        if let (Some(place), Some(id)) = (place, &id) {
            at_removed.entry(place).or_default().push(id.clone());
            continue;
        }
        if what == NO_RECORDS {
            // without a sheet something else is wrong, and told
            if !replaced.is_empty() {
                messages.push(message(file, Problem::NoRecords { is_caused }));
            }
            continue;
        }
        let what = [id, field].into_iter().flatten().chain([what]).collect::<Vec<_>>().join(": ");
        messages.push(message(file, Problem::CheckElsewhere { what, fix, is_caused }));
    }
    let of_places = at_removed.into_iter().map(|(place, events)| {
        message(File::Places, Problem::PlaceRemoved { place: place.to_owned(), events })
    });
    messages.extend(of_places);
    if more > 0 {
        let (what, fix) = (format!("and {more} more"), "correct these first".to_owned());
        let is_caused = more > own_more;
        messages.push(message(File::Events, Problem::CheckElsewhere { what, fix, is_caused }));
    }
    messages
}

/// The places that vanish, by the events of the folder that are there.
fn removed_places(replaced: &[Replaced], folder: &Files) -> HashMap<String, String> {
    let of_places = replaced.iter().find(|replaced| replaced.kind == SheetKind::Places);
    let vanished: HashSet<&String> = of_places.iter().flat_map(|replaced| &replaced.vanished).collect();
    let listed = |text: &str| serde_json::from_str::<Vec<Value>>(text).unwrap_or_default();
    let events = folder.text(File::Events).map(listed).unwrap_or_default();
    let place_of = |event: &Value| {
        let text = |field: &str| event.get(field).and_then(Value::as_str).map(str::to_owned);
        text("place").filter(|place| vanished.contains(place)).and_then(|place| Some((text("id")?, place)))
    };
    events.iter().filter_map(place_of).collect()
}
