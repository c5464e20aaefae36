//! A warning, and the list of those of a folder.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::defect::{Defect, MAX_LISTED};

/// How many warnings of one cause are printed in full; more are grouped.
const FEW: usize = 3;
/// How many entries a group names.
const NAMED: usize = 5;

/// Why there is a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// An event that is over.
    Over,
    /// A day in `except` on which nothing would take place.
    IdleExcept,
    /// Two records that look like one.
    Twins,
    /// Text that was decoded wrongly.
    Mojibake,
    /// Two spaces in a row.
    DoubleSpace,
    /// A venue that is the name of no place.
    UnknownVenue,
    /// A guide without anything new.
    Stale,
    /// A key that stands twice in one object.
    RepeatedKey,
    /// A link to tickets without encryption.
    HttpTickets,
    /// A position far from its area.
    FarFromArea,
    /// An event that begins years ahead.
    FarOff,
    /// A first date on which the event does not take place by its own rule.
    OffRule,
    /// An event that is not served when it takes place.
    NotShown,
    /// A place that is no longer served, or not for long.
    NeverShown,
    /// An event that is still to come at a place that is not served then.
    AtUnshown,
    /// An event in another area than its place.
    OtherArea,
    /// An address whose code is of another region.
    AddressElsewhere,
}

impl Cause {
    /// What is wrong with many records at once.
    fn of_many(self) -> &'static str {
        match self {
            Cause::Over => "events are over",
            Cause::IdleExcept => "days in except have nothing to leave out",
            Cause::Twins => "records have the name and area of another",
            Cause::Mojibake => "texts look wrongly decoded",
            Cause::DoubleSpace => "texts have two spaces in a row",
            Cause::UnknownVenue => "venues are the name of no place",
            Cause::Stale => "signs that nothing is new",
            Cause::RepeatedKey => "keys stand twice in one object",
            Cause::HttpTickets => "tickets have a link with http://",
            Cause::FarFromArea => "positions are far from their area",
            Cause::FarOff => "events begin years ahead",
            Cause::OffRule => "first dates are none of their own rule",
            Cause::NotShown => "events are not served when they take place",
            Cause::NeverShown => "places are not shown",
            Cause::AtUnshown => "events are at places that are not shown",
            Cause::OtherArea => "events are in another area than their place",
            Cause::AddressElsewhere => "addresses are in another region",
        }
    }
}

/// One warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Why.
    pub cause: Cause,
    /// Where, what, and what to do.
    #[serde(flatten)]
    pub defect: Defect,
}

/// The words by which warnings are grouped, of one language.
pub struct Words {
    /// Before each line.
    pub warning: &'static str,
    /// What is wrong with many records at once.
    pub of_many: fn(Cause) -> &'static str,
    /// Where each of a group says what to do.
    pub see_each: &'static str,
    /// So many entries more.
    pub and_more: fn(usize) -> String,
    /// So many warnings more.
    pub more_warnings: fn(usize) -> String,
}

/// The words in English.
const ENGLISH: Words = Words {
    warning: "warning",
    of_many: Cause::of_many,
    see_each: "see --json for each",
    and_more: |count| format!("and {count} more"),
    more_warnings: |count| format!("and {count} more warnings"),
};

/// The warnings of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Warnings {
    /// The first [`MAX_LISTED`].
    pub listed: Vec<Warning>,
    /// How many more there are.
    pub more: usize,
}

impl Warnings {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// One line for each warning, or for all of one cause in a file when there are many.
    pub fn text(&self, words: &Words) -> String {
        let warning = words.warning;
        let mut groups = BTreeMap::<(&str, Cause), Vec<&Defect>>::new();
        for Warning { cause, defect } in &self.listed {
            groups.entry((defect.file.name(), *cause)).or_default().push(defect);
        }
        let mut lines = Vec::new();
        for ((file, cause), defects) in groups {
            if defects.len() <= FEW {
                lines.extend(defects.iter().map(|defect| format!("{warning}: {defect}")));
                continue;
            }
            let names: Vec<String> = defects.iter().take(NAMED).map(|defect| place_of(defect)).collect();
            let (count, fix) = (defects.len(), &defects[0].fix);
            let rest = match count - names.len() {
                0 => String::new(),
                rest => format!(" {}", (words.and_more)(rest)),
            };
            let all_alike = defects.iter().all(|defect| defect.fix == *fix);
            let fix = if all_alike { fix.as_str() } else { words.see_each };
            let (names, many) = (names.join(", "), (words.of_many)(cause));
            lines.push(format!("{warning}: {file}: {count} {many}: {names}{rest}; {fix}"));
        }
        if self.more > 0 {
            lines.push((words.more_warnings)(self.more));
        }
        lines.join("\n")
    }

    /// Adds positions that are far from their area ([`crate::far_from_area`]), which need the checked snapshot.
    pub fn add_far_from_area(&mut self, defects: Vec<Defect>) {
        defects.into_iter().for_each(|defect| self.add(Cause::FarFromArea, || defect));
    }

    /// `defect` is not called once the list is full.
    pub(crate) fn add(&mut self, cause: Cause, defect: impl FnOnce() -> Defect) {
        if self.listed.len() < MAX_LISTED {
            self.listed.push(Warning { cause, defect: defect() });
        } else {
            self.more += 1;
        }
    }
}

impl fmt::Display for Warnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&ENGLISH))
    }
}

/// Where a warning is, within its file.
fn place_of(defect: &Defect) -> String {
    let parts: Vec<&str> = [&defect.id, &defect.field].into_iter().flatten().map(String::as_str).collect();
    parts.join(": ")
}
