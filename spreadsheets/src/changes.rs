//! What an import changes in records that the folder has already: by field, so that it can be told in the words of the
//! sheet.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use serde_json::Value;
use snapshots::{Files, Snapshot, check, diff};

use crate::columns::SheetKind;
use crate::problem::Changed;
use crate::replaced::{Replaced, id_of, listed};

/// Finds what changes from the folder to what the sheets make of it. Two snapshots are compared by what they mean; a
/// folder that is none, as it is written.
pub(crate) fn find(replaced: &mut [Replaced], folder: &Files, made: Option<&Snapshot>, today: NaiveDate) {
    // to compare takes as long as the check
    if replaced.iter().all(|one| one.new == one.records.len()) {
        return;
    }
    let differences = made.and_then(|made| Some(diff(&check(folder, today).ok()?, made)));
    for one in replaced {
        one.changed = match &differences {
            Some(diff) => {
                let changes = match one.kind {
                    SheetKind::Places => &diff.places,
                    SheetKind::Events => &diff.events,
                };
                let fields = |fields: &[snapshots::diff::FieldChange]| {
                    fields.iter().map(|change| change.field.clone()).collect()
                };
                let changed = changes.changed.iter();
                changed.map(|one| Changed { id: one.id.clone(), fields: fields(&one.fields) }).collect()
            }
            None => as_written(one, folder),
        };
    }
}

fn as_written(replaced: &Replaced, folder: &Files) -> Vec<Changed> {
    let old = folder.text(replaced.kind.file()).map(listed).unwrap_or_default();
    let old: HashMap<&str, &Value> = old.iter().filter_map(|record| Some((id_of(record)?, record))).collect();
    let changed = |new: &Value| {
        let (id, none) = (id_of(new)?, serde_json::Map::new());
        let (was, is) = (old.get(id)?.as_object().unwrap_or(&none), new.as_object().unwrap_or(&none));
        let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        let differs = names.into_iter().filter(|field| was.get(*field) != is.get(*field));
        let fields: Vec<String> = differs.cloned().collect();
        (!fields.is_empty()).then(|| Changed { id: id.to_owned(), fields })
    };
    listed(&replaced.json()).iter().filter_map(changed).collect()
}
