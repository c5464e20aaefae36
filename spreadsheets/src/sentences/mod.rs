//! The sentences of an import in Portuguese and English: what is the case, after the name of the column, and how to fix
//! it or what was done.

mod en;
mod pt;

use crate::columns::name_of;
use crate::problem::Changed;
use crate::problem::Lang;

/// Places by id, with the rows that list them: `feira-gama (row 2), feira-guara (row 3)`.
fn places(listed: &[(String, Option<u32>)], word: &str) -> String {
    let shown = listed.iter().map(|(id, row)| match row {
        Some(row) => format!("{id} ({word} {row})"),
        None => id.clone(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// How many ids of a list are named.
const IDS_NAMED: usize = 5;

/// The first of some ids: `show, baile, ...`.
fn first_of(ids: &[String]) -> String {
    let first = ids.iter().take(IDS_NAMED).map(String::as_str);
    let more = (ids.len() > IDS_NAMED).then_some("...");
    first.chain(more).collect::<Vec<_>>().join(", ")
}

/// Some of so many ids: `show, baile, ...`.
fn some_of(first: &[String], count: usize) -> String {
    let more = (count > first.len()).then_some("...");
    first.iter().map(String::as_str).chain(more).collect::<Vec<_>>().join(", ")
}

/// Records by id, with the columns in which they change: `bar (preço, site)`.
fn changes(changed: &[Changed], lang: Lang) -> String {
    let shown = changed.iter().map(|one| {
        let mut columns: Vec<&str> = one.fields.iter().map(|field| name_of(field, lang)).collect();
        columns.dedup();
        format!("{} ({})", one.id, columns.join(", "))
    });
    shown.collect::<Vec<_>>().join("; ")
}
