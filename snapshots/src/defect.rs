//! What is wrong with a snapshot: one defect, and the report that gathers all of them.
//!
//! May use [`crate::file::File`] only.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;

use crate::file::File;

/// How many defects are told in full; further ones are counted.
pub const MAX_LISTED: usize = 1_000;

/// One thing that is wrong, where it is and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Defect {
    /// The file it is in.
    pub file: File,
    /// The id (of a region or category its slug, of a code the code), or `#3` for the third entry of a list
    /// when that has none; nothing when the file as a whole is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The field, as a path: `links.website`, `aliases[2]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub fix: String,
}

impl Defect {
    /// A defect of a file as a whole.
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

/// Everything that is wrong with a snapshot; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Defects {
    /// The first [`MAX_LISTED`].
    pub listed: Vec<Defect>,
    /// How many more there are.
    pub more: usize,
}

impl fmt::Display for Defects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, defect) in self.listed.iter().enumerate() {
            if position > 0 {
                writeln!(f)?;
            }
            write!(f, "{defect}")?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Defects {}

/// Gathers defects. It stands at one entry of one file at a time, so that a check says only field and fault.
pub(crate) struct Report {
    listed: Vec<Defect>,
    more: usize,
    file: File,
    id: Option<String>,
    /// Fields whose value could not be read: the rules look at a stand-in there, and must not blame that too.
    unread: HashSet<(File, Option<String>, String)>,
}

impl Report {
    /// An empty report, at the first file.
    pub(crate) fn new() -> Self {
        Self { listed: Vec::new(), more: 0, file: File::Guide, id: None, unread: HashSet::new() }
    }

    /// Goes to a file as a whole.
    pub(crate) fn at_file(&mut self, file: File) {
        self.file = file;
        self.id = None;
    }

    /// Goes to an entry. Reuses the id's buffer: this runs once per record.
    pub(crate) fn at(&mut self, file: File, id: &str) {
        self.file = file;
        let own = self.id.get_or_insert_default();
        own.clear();
        own.push_str(id);
    }

    /// Forgets which fields were unreadable, once their entry was checked.
    pub(crate) fn forget_unread(&mut self) {
        self.unread.clear();
    }

    /// Tells that a field could not be read.
    pub(crate) fn unread(&mut self, field: impl fmt::Display, tell: impl FnOnce() -> (String, String)) {
        let field = field.to_string();
        self.unread.insert((self.file, self.id.clone(), field.clone()));
        self.add(Some(field), tell);
    }

    /// Tells that a field's value breaks a rule. `tell` gives what is wrong and what to do; it is not called
    /// once the list is full, because looking for the nearest known name is dear.
    pub(crate) fn say(&mut self, field: impl fmt::Display, tell: impl FnOnce() -> (String, String)) {
        let field = field.to_string();
        if !self.unread.is_empty() {
            let place = (self.file, self.id.take(), field);
            let skip = self.unread.contains(&place);
            self.id = place.1;
            if skip {
                return;
            }
            return self.add(Some(place.2), tell);
        }
        self.add(Some(field), tell);
    }

    /// Tells that the entry, or the file, is wrong as a whole.
    pub(crate) fn say_whole(&mut self, what: impl Into<String>, fix: impl Into<String>) {
        self.add(None, || (what.into(), fix.into()));
    }

    /// Takes over a defect found elsewhere.
    pub(crate) fn take(&mut self, defect: Defect) {
        if self.listed.len() < MAX_LISTED {
            self.listed.push(defect);
        } else {
            self.more += 1;
        }
    }

    /// The value when nothing is wrong, else the defects.
    pub(crate) fn verdict<T>(self, value: T) -> Result<T, Defects> {
        if self.listed.is_empty() { Ok(value) } else { Err(Defects { listed: self.listed, more: self.more }) }
    }

    fn add(&mut self, field: Option<String>, tell: impl FnOnce() -> (String, String)) {
        if self.listed.len() < MAX_LISTED {
            let (what, fix) = tell();
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
    fn the_list_is_capped_and_says_how_many_more() {
        let mut report = Report::new();
        report.at(File::Places, "bar");
        for _ in 0..MAX_LISTED + 7 {
            report.say("name", || ("is empty".into(), "give it a text".into()));
        }
        let defects = report.verdict(()).unwrap_err();
        assert_eq!((defects.listed.len(), defects.more), (MAX_LISTED, 7));
        assert!(defects.to_string().ends_with("and 7 more"));
        assert_eq!(defects.listed[0].to_string(), "places.json: bar: name: is empty; give it a text");
    }
}
