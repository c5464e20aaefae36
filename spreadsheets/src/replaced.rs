//! The new content of the files of records.

use serde::Serialize;
use serde_json::Value;

use crate::columns::SheetKind;
use crate::problem::Changed;
use crate::records::Record;

/// The new content of a file of the folder.
#[derive(Debug)]
pub struct Replaced {
    /// What it lists.
    pub kind: SheetKind,
    /// The columns of its sheets, by their English names in the template.
    pub columns: Vec<&'static str>,
    /// Its records, in the order of the sheets.
    pub records: Vec<Record>,
    /// How many of them the folder did not have.
    pub new: usize,
    /// The ids of the folder that are not among them.
    pub vanished: Vec<String>,
    /// Those that the folder has otherwise; unknown, and none, while there are errors.
    pub changed: Vec<Changed>,
}

impl Replaced {
    /// The file as JSON, indented as people read it.
    pub fn json(&self) -> String {
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        // Neither maps with other keys than texts nor failing writers are involved.
        let written = self.records.serialize(&mut writer).is_ok();
        debug_assert!(written);
        bytes.push(b'\n');
        String::from_utf8(bytes).unwrap_or_default()
    }
}

/// The records of a file; none when it is no list.
pub(crate) fn listed(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The id of a record.
pub(crate) fn id_of(record: &Value) -> Option<&str> {
    record.get("id").and_then(Value::as_str)
}
