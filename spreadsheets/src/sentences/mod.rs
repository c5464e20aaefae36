//! The sentences of an import in Portuguese and English: what is the case, after the name of the column, and how to fix
//! it or what was done.

mod en;
mod pt;

use crate::columns::name_of;
use crate::problem::{Changed, Lang, OfOthers};

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

/// What others changed, counted, with the first few: `2 registros do guia não estão na planilha (bar, cafe); ...`.
fn of_others(changes: &[OfOthers], lang: Lang) -> String {
    let (mut in_guide, mut in_sheet, mut fields) = (Vec::new(), Vec::new(), Vec::new());
    for change in changes {
        match change {
            OfOthers::OnlyInGuide(id) => in_guide.push(id.clone()),
            OfOthers::OnlyInSheet(id) => in_sheet.push(id.clone()),
            OfOthers::Field { id, field, sheet, guide } => {
                let shown = |value: &Option<String>| match value {
                    Some(value) => value.clone(),
                    None => lang.pick("vazio", "empty").to_owned(),
                };
                let (sheet, guide, field) = (shown(sheet), shown(guide), name_of(field, lang));
                fields.push(match lang {
                    Lang::Pt => format!("{id}, {field}: {sheet} na planilha e {guide} no guia"),
                    Lang::En => format!("{id}, {field}: {sheet} in the sheet and {guide} in the guide"),
                });
            }
        }
    }
    let counted = |ids: &[String], (one, many): (&str, &str)| {
        let count = ids.len();
        let words = if count == 1 { one } else { many };
        (count > 0).then(|| format!("{count} {words} ({})", first_of(ids)))
    };
    let of_guide = lang.pick(
        ("registro do guia não está na planilha", "registros do guia não estão na planilha"),
        ("record of the guide is not in the sheet", "records of the guide are not in the sheet"),
    );
    let of_sheet = lang.pick(
        ("linha da planilha não está no guia", "linhas da planilha não estão no guia"),
        ("row of the sheet is not in the guide", "rows of the sheet are not in the guide"),
    );
    let more = fields.len().checked_sub(IDS_NAMED).filter(|more| *more > 0);
    fields.truncate(IDS_NAMED);
    fields.extend(more.map(|more| match lang {
        Lang::Pt => format!("e mais {more}"),
        Lang::En => format!("and {more} more"),
    }));
    let counted = [counted(&in_guide, of_guide), counted(&in_sheet, of_sheet)];
    counted.into_iter().flatten().chain(fields).collect::<Vec<_>>().join("; ")
}
