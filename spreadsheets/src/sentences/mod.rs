//! The sentences of an import in Portuguese and English: what is the case, after the name of the column, and how to fix
//! it or what was done.

mod en;
mod of_check;
mod pt;

use snapshots::warning::{Cause, Warning, Words};
use snapshots::{Defect, Defects, Warnings};

use crate::columns::name_of;
use crate::problem::{Changed, Lang, OfOthers};

/// A sentence of the check of a guide in a language; one that is not known stays English. The name of a field may come
/// before it.
pub fn translated(sentence: &str, lang: Lang) -> String {
    if lang == Lang::En {
        return sentence.to_owned();
    }
    let after_names = sentence.match_indices(": ").map(|(at, found)| at + found.len());
    let said = std::iter::once(0).chain(after_names).find_map(|at| {
        let (names, rest) = sentence.split_at_checked(at)?;
        Some(format!("{names}{}", of_check::portuguese(rest)?))
    });
    said.unwrap_or_else(|| sentence.to_owned())
}

fn defect_in(defect: &Defect, lang: Lang) -> Defect {
    Defect { what: translated(&defect.what, lang), fix: translated(&defect.fix, lang), ..defect.clone() }
}

/// The defects of a guide, a line each.
pub fn defects_text(defects: &Defects, lang: Lang) -> String {
    let lines: Vec<String> =
        defects.listed.iter().map(|defect| defect_in(defect, lang).to_string()).collect();
    let more = (defects.more > 0).then(|| and_more(defects.more, lang));
    lines.into_iter().chain(more).collect::<Vec<_>>().join("\n")
}

fn and_more(count: usize, lang: Lang) -> String {
    lang.pick(format!("e mais {count}"), format!("and {count} more"))
}

/// The warnings of a guide, grouped.
pub fn warnings_text(warnings: &Warnings, lang: Lang) -> String {
    if lang == Lang::En {
        return warnings.to_string();
    }
    let listed = warnings
        .listed
        .iter()
        .map(|Warning { cause, defect }| Warning { cause: *cause, defect: defect_in(defect, lang) });
    let words = Words {
        warning: "aviso",
        of_many,
        see_each: "veja cada um com --json",
        and_more: |count| format!("e mais {count}"),
        more_warnings: |count| format!("e mais {count} avisos"),
    };
    Warnings { listed: listed.collect(), more: warnings.more }.text(&words)
}

/// What is wrong with many records at once.
fn of_many(cause: Cause) -> &'static str {
    match cause {
        Cause::Over => "eventos acabaram",
        Cause::IdleExcept => "dias em except não têm o que tirar",
        Cause::Twins => "registros têm o nome e a área de outro",
        Cause::Mojibake => "textos parecem mal decodificados",
        Cause::DoubleSpace => "textos têm dois espaços seguidos",
        Cause::UnknownVenue => "locais não são o nome de nenhum lugar",
        Cause::Stale => "sinais de que não há nada de novo",
        Cause::RepeatedKey => "campos estão duas vezes no mesmo objeto",
        Cause::HttpTickets => "ingressos têm um link com http://",
        Cause::FarFromArea => "posições ficam longe da sua área",
        Cause::FarOff => "eventos começam daqui a anos",
        Cause::OffRule => "primeiras datas não são da própria regra",
        Cause::NotShown => "eventos não aparecem quando acontecem",
        Cause::NeverShown => "lugares não aparecem",
        Cause::AtUnshown => "eventos são em lugares que não aparecem",
        Cause::OtherArea => "eventos ficam em outra área que o seu lugar",
        Cause::AddressElsewhere => "endereços são de outra região",
    }
}

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
