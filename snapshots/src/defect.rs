//! A defect of a snapshot, and the report that collects all of them.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;

use crate::file::File;

/// How many defects are listed; further ones are only counted.
pub const MAX_LISTED: usize = 1_000;

/// One defect: where it is, what is wrong and how to fix it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Defect {
    /// The file it is in.
    pub file: File,
    /// The entry: its id, slug or code, or `#3` for the third entry of a list without one; absent for the file as a
    /// whole.
    pub id: Option<String>,
    /// The field, as a path: `links.website`, `aliases[2]`.
    pub field: Option<String>,
    /// What is wrong.
    pub what: String,
    /// How to fix it.
    pub fix: String,
}

impl Defect {
    /// A defect of the file as a whole.
    pub(crate) fn of_file(file: File, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { file, id: None, field: None, what: what.into(), fix: fix.into() }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        for part in [&self.id, &self.field].into_iter().flatten() {
            write!(f, ": {part}")?;
        }
        write!(f, ": {}; {}", self.what, self.fix)
    }
}

/// All defects of a snapshot; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Defects {
    /// The first [`MAX_LISTED`].
    pub listed: Vec<Defect>,
    /// How many more there are.
    pub more: usize,
}

impl fmt::Display for Defects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed: Vec<String> = self.listed.iter().map(Defect::to_string).collect();
        f.write_str(&listed.join("\n"))?;
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Defects {}

/// Collects defects. It knows the current file and entry, so that checks name only the field.
pub(crate) struct Report {
    listed: Vec<Defect>,
    more: usize,
    file: File,
    id: Option<String>,
    /// Fields whose value could not be parsed and has a stand-in, which the rules must not report too.
    unread: HashSet<(File, Option<String>, String)>,
}

impl Report {
    /// An empty report.
    pub(crate) fn new() -> Self {
        Self { listed: Vec::new(), more: 0, file: File::Guide, id: None, unread: HashSet::new() }
    }

    /// Makes a file as a whole the current place.
    pub(crate) fn at_file(&mut self, file: File) {
        self.file = file;
        self.id = None;
    }

    /// Makes an entry the current place. Reuses the id's buffer, because this runs once per record.
    pub(crate) fn at(&mut self, file: File, id: &str) {
        self.file = file;
        let own = self.id.get_or_insert_default();
        own.clear();
        own.push_str(id);
    }

    /// Forgets the unreadable fields of entries that are done.
    pub(crate) fn forget_unread(&mut self) {
        self.unread.clear();
    }

    /// Reports a field that could not be parsed.
    pub(crate) fn add_unread<W: Into<String>, F: Into<String>>(
        &mut self,
        field: impl fmt::Display,
        describe: impl FnOnce() -> (W, F),
    ) {
        let field = field.to_string();
        self.unread.insert((self.file, self.id.clone(), field.clone()));
        self.append(Some(field), describe);
    }

    /// Reports a field that breaks a rule. `describe` returns what is wrong and how to fix it. It is not called once
    /// the list is full, because searching for the nearest known name is expensive.
    pub(crate) fn add<W: Into<String>, F: Into<String>>(
        &mut self,
        field: impl fmt::Display,
        describe: impl FnOnce() -> (W, F),
    ) {
        let field = field.to_string();
        let is_unread = |field: &String| self.unread.contains(&(self.file, self.id.clone(), field.clone()));
        if self.unread.is_empty() || !is_unread(&field) {
            self.append(Some(field), describe);
        }
    }

    /// Reports the current entry or file as a whole.
    pub(crate) fn add_whole(&mut self, what: impl Into<String>, fix: impl Into<String>) {
        self.append(None, || (what, fix));
    }

    /// Adds a defect that was found elsewhere.
    pub(crate) fn push(&mut self, defect: Defect) {
        if self.listed.len() < MAX_LISTED {
            self.listed.push(defect);
        } else {
            self.more += 1;
        }
    }

    /// The value when there are no defects, else the defects.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Defects> {
        if self.listed.is_empty() { Ok(value) } else { Err(Defects { listed: self.listed, more: self.more }) }
    }

    fn append<W: Into<String>, F: Into<String>>(
        &mut self,
        field: Option<String>,
        describe: impl FnOnce() -> (W, F),
    ) {
        if self.listed.len() < MAX_LISTED {
            let (what, fix) = describe();
            let (what, fix) = (what.into(), fix.into());
            self.listed.push(Defect { file: self.file, id: self.id.clone(), field, what, fix });
        } else {
            self.more += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_capped_and_counts_the_rest() {
        let mut report = Report::new();
        report.at(File::Places, "bar");
        for _ in 0..MAX_LISTED + 7 {
            report.add("name", || ("is empty", "give it a text"));
        }
        let defects = report.finish(()).unwrap_err();
        assert_eq!((defects.listed.len(), defects.more), (MAX_LISTED, 7));
        assert!(defects.to_string().ends_with("and 7 more"));
        assert_eq!(defects.listed[0].to_string(), "places.json: bar: name: is empty; give it a text");
    }
}
