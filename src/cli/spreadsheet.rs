//! `candango snapshot init` and `import`: the way from a spreadsheet to a snapshot folder.

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::json;
use snapshots::{File, Files, demo, is_shown, replace_files};
use spreadsheets::{
    Before, Import, Lang, Level, Message, OfOthers, Problem, Replaced, SheetKind, SheetRead, Source, Why,
    fetch, groups, local, not_read, vanishes, with_curated_at, write_ids,
};

use super::last_import::{LastImport, MergedKind, Merging};
use super::output::show;
use crate::domain::clock::Clock;

/// Makes a folder to begin with.
pub(super) fn init(folder: &Path, clock: &Clock, (lang, json): (Lang, bool)) -> Result<ExitCode> {
    let files = spreadsheets::init(folder, &demo::files(), clock.now().in_brasilia().fixed_offset())
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    let shown = folder.display();
    show(json, &json!({ "ok": true, "folder": folder, "files": files }), || {
        lang.pick(
            format!(
                "{shown} tem o vocabulário do Distrito Federal e uma planilha para preencher.\n\n\
                 1. Preencha {shown}/guia.xlsx (ou lugares.csv e eventos.csv).\n\
                 2. candango snapshot import {shown}/guia.xlsx --into {shown} --lang pt\n\
                 3. candango snapshot publish {shown} --data PASTA_DO_SERVIDOR\n\n\
                 Para só ver o guia, sem servidor: candango snapshot preview {shown}"
            ),
            format!(
                "{shown} holds the vocabulary of the Federal District and a spreadsheet to fill in.\n\n\
                 1. Fill in {shown}/guia.xlsx (or lugares.csv and eventos.csv).\n\
                 2. candango snapshot import {shown}/guia.xlsx --into {shown}\n\
                 3. candango snapshot publish {shown} --data FOLDER_OF_THE_SERVER\n\n\
                 Only to look at the guide, without a server: candango snapshot preview {shown}"
            ),
        )
    })
}

/// The flags of an import.
pub(super) struct ImportFlags {
    pub(super) lang: Lang,
    /// Whether the sheets replace what others changed.
    pub(super) over: bool,
    pub(super) json: bool,
}

/// Reads sheets into a folder. With an error nothing is written. What others changed in the folder since the last
/// import stays, where the sheets did not change too.
pub(super) async fn import(
    named: &[String],
    into: &Path,
    flags: ImportFlags,
    clock: &Clock,
) -> Result<ExitCode> {
    let lang = flags.lang;
    refuse_wrong_folder(into, lang)?;
    if let Some(twice) = named_twice(named) {
        bail!(lang.pick(
            format!("{twice} foi nomeada duas vezes: nomeie cada planilha uma vez"),
            format!("{twice} is named twice: name each sheet once"),
        ));
    }
    let today = clock.today().date();
    let (sources, mut messages) = read(named).await;
    let folder = Files::read(into);
    let mut import = spreadsheets::import(&sources, &folder, today);
    messages.append(&mut import.messages);
    import.messages = messages;
    if !flags.over {
        import.messages.extend(emptied(&import));
    }
    let is_right = import.is_right_alone();
    let last = match LastImport::read(into, lang) {
        Err(error) if is_right => return Err(error),
        last => last.ok().flatten(),
    };
    if is_right {
        import.messages.extend(lost_columns(&import, last.as_ref(), &folder, flags.over));
    }
    import.messages.extend(gone_sheets(&import, last.as_ref(), &sources));
    let merged = match last.as_ref().filter(|_| !flags.over) {
        Some(last) if is_right => merge_others(into, &folder, &mut import, last, (today, lang))?,
        Some(last) => {
            keep_of_others(into, &mut import, last);
            Vec::new()
        }
        None => Vec::new(),
    };
    let written = !import.has_errors();
    let counts = SheetKind::BOTH.map(|kind| Counts::of(&import, (kind, today), written, &merged));
    if written {
        let is_changed = counts.iter().flatten().any(|counts| !counts.is_nothing());
        let finished = is_changed.then(|| curated_now(&folder, clock)).flatten();
        let is_new = |kind| !last.as_ref().is_some_and(|last| last.knows(kind));
        import.messages.extend(import.changes_of(is_new));
        let last = last.unwrap_or_default().followed_by(&import);
        write_import(into, &import, (finished, &merged), &last, lang)?;
        import.messages.extend(of_others(into, merged));
        // after the records: an id in a sheet is always one that the folder has
        if !import.missing_ids.is_empty() {
            import.messages.extend(write_ids(&sources, &import.missing_ids));
            // once more, so that it is later than what was written into the sheets
            write_all(into, &[last.file()?], lang)?;
        }
    }
    show_import(&import, counts, written, (lang, flags.json))?;
    Ok(if written { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Refuses a folder that is none of a guide.
fn refuse_wrong_folder(into: &Path, lang: Lang) -> Result<()> {
    if into.join(File::Regions.name()).is_file() {
        return Ok(());
    }
    let shown = into.display();
    if std::fs::read_dir(into).is_ok_and(|mut files| files.next().is_some()) {
        let lacks = File::Regions.name();
        bail!(lang.pick(
            format!(
                "{shown} não é uma pasta de guia: falta nela {lacks}; comece uma pasta nova com `candango snapshot \
                 init PASTA`, e nomeie-a em --into"
            ),
            format!(
                "{shown} is no snapshot folder: it has no {lacks}; make one in a new folder with `candango snapshot \
                 init FOLDER`, and name that with --into"
            ),
        ));
    }
    bail!(lang.pick(
        format!("{shown} não é uma pasta de guia: comece com `candango snapshot init {shown}`"),
        format!("{shown} is no snapshot folder: begin with `candango snapshot init {shown}`"),
    ))
}

/// The kinds in which others changed the folder since the last import, each with what the sheets and they make of it.
fn merge_others(
    into: &Path,
    folder: &Files,
    import: &mut Import,
    last: &LastImport,
    (today, lang): (NaiveDate, Lang),
) -> Result<Vec<MergedKind>> {
    match last.merged(folder, import, (today, lang))? {
        Merging::Merged(kinds) => {
            if !kinds.is_empty() {
                as_merged(import, &kinds);
            }
            Ok(kinds)
        }
        Merging::Unknown => {
            refuse_unknown(into, import);
            Ok(Vec::new())
        }
    }
}

/// Writes the records of an import, the file that says when the guide was `finished`, and what the next import needs of
/// this one.
fn write_import(
    into: &Path,
    import: &Import,
    (finished, merged): (Option<(&'static str, String)>, &[MergedKind]),
    last: &LastImport,
    lang: Lang,
) -> Result<()> {
    // first: a command that is killed before the end is repeated, and writes it again
    let mut texts = Vec::from_iter(finished);
    texts.extend(import.replaced.iter().map(|one| {
        let of_merge = merged.iter().find(|merged| merged.kind == one.kind);
        (one.kind.file().name(), of_merge.map_or_else(|| one.json(), |merged| merged.text().to_owned()))
    }));
    texts.push(last.file()?);
    write_all(into, &texts, lang)
}

/// A source that is named twice, if there is one.
fn named_twice(named: &[String]) -> Option<&String> {
    let mut seen = HashSet::new();
    named.iter().find(|name| !seen.insert(std::fs::canonicalize(name).unwrap_or_else(|_| name.into())))
}

/// Writes files of a folder, all of them or none.
fn write_all(into: &Path, texts: &[(&str, String)], lang: Lang) -> Result<()> {
    let files: Vec<_> = texts.iter().map(|(name, text)| (into.join(name), text.as_bytes())).collect();
    replace_files(&files).map_err(|(path, error)| {
        let (path, why) = (path.display(), Why::from(&error).text(lang));
        anyhow!(lang.pick(
            format!("{path} não pode ser escrito: {why}; a pasta ficou como estava"),
            format!("{path} cannot be written: {why}; the folder is as it was"),
        ))
    })
}

/// Says of sheets with errors what others added since the last import: it stays, as it would without the errors.
fn keep_of_others(folder: &Path, import: &mut Import, last: &LastImport) {
    let mut changes = Vec::new();
    for replaced in &mut import.replaced {
        let Some(known) = last.ids(replaced.kind) else { continue };
        let (vanished, of_others) = replaced.vanished.drain(..).partition(|id| known.contains(id));
        replaced.vanished = vanished;
        let of_others: Vec<String> = of_others;
        if of_others.is_empty() {
            continue;
        }
        changes.extend(of_others.into_iter().map(OfOthers::OnlyInGuide));
        let told = import.messages.iter().position(|Message { sheet, problem, .. }| {
            matches!(problem, Problem::Vanishes { .. }) && *sheet == replaced.kind.file().name()
        });
        if let Some(at) = told {
            import.messages.remove(at);
            import.messages.extend(vanishes(replaced.kind, &replaced.vanished));
        }
    }
    if !changes.is_empty() {
        let (sheet, problem) = (folder.display().to_string(), Problem::KeptOfOthers { changes });
        import.messages.push(Message::of_file(sheet, problem));
    }
}

/// Refuses sheets that change a folder in which others changed something unknown.
fn refuse_unknown(folder: &Path, import: &mut Import) {
    let is_changed = |one: &Replaced| one.new > 0 || !one.vanished.is_empty() || !one.changed.is_empty();
    if import.replaced.iter().any(is_changed) {
        import.messages.extend(import.changes());
        let (sheet, problem) = (folder.display().to_string(), Problem::OthersUnknown);
        import.messages.push(Message::of_file(sheet, problem));
    }
}

/// Says of merged kinds what really vanishes. What the sheets left wrong beside them is mended by what others changed.
fn as_merged(import: &mut Import, merged: &[MergedKind]) {
    let is_merged = |sheet: &str| merged.iter().any(|merged| merged.kind.file().name() == sheet);
    import.messages.retain(|Message { sheet, problem, .. }| {
        let is_untrue = matches!(problem, Problem::Vanishes { .. }) && is_merged(sheet);
        !is_untrue && !problem.is_beside_the_sheets()
    });
    import.messages.extend(merged.iter().filter_map(|merged| vanishes(merged.kind, &merged.vanished)));
}

/// The sheets that the last import read and that their workbook does not have any more, of kinds that have no other
/// sheet: the records of these stay in the folder.
fn gone_sheets(import: &Import, last: Option<&LastImport>, sources: &[Source]) -> Vec<Message> {
    let is_gone = |sheet: &&String| {
        // of a file that cannot be read nobody knows what it has
        let is_unread = |source: &Source| {
            let is_error =
                |told: &Message| told.sheet == source.label && told.problem.level() == Level::Error;
            import.messages.iter().any(is_error)
        };
        let is_of = |source: &Source| sheet.starts_with(&format!("{}, ", source.label)) && !is_unread(source);
        sources.iter().any(is_of) && !import.messages.iter().any(|told| told.sheet == **sheet)
    };
    let gone = |kind: SheetKind| {
        let is_read = import.replaced.iter().any(|replaced| replaced.kind == kind);
        let sheets = last.filter(|_| !is_read).map_or(&[][..], |last| last.sheets(kind));
        sheets.iter().filter(is_gone).map(move |sheet| {
            let problem =
                Problem::SheetGone { sheet: sheet.clone(), is_of_places: kind == SheetKind::Places };
            Message::of_file(kind.file().name(), problem)
        })
    };
    SheetKind::BOTH.into_iter().flat_map(gone).collect()
}

/// What records lose because a column is gone: an error where an import wrote them, without `over`.
fn lost_columns(import: &Import, last: Option<&LastImport>, folder: &Files, over: bool) -> Vec<Message> {
    let lost = |kind: SheetKind| {
        let of_import = last.and_then(|last| last.of(kind));
        let records = of_import.map(String::as_str).or_else(|| folder.text(kind.file()).ok())?;
        let columns = last.and_then(|last| last.columns(kind));
        let is_refused = of_import.is_some() && !over;
        Some(import.lost_columns(kind, Before { records, columns, is_refused }))
    };
    SheetKind::BOTH.into_iter().filter_map(lost).flatten().collect()
}

/// The file that says when the guide was finished: now. The check reports one that cannot be read.
fn curated_now(folder: &Files, clock: &Clock) -> Option<(&'static str, String)> {
    let guide = folder.text(File::Guide).ok()?;
    let text = with_curated_at(guide, clock.now().in_brasilia().fixed_offset()).ok()?;
    Some((File::Guide.name(), text))
}

/// Of kinds whose sheet has no row, though the folder has records: most often the wrong sheet was named. Rows that
/// cannot be read are there, and reported.
fn emptied(import: &Import) -> Vec<Message> {
    let has_rows = |replaced: &Replaced| {
        let mut sheets = import.sheets.iter().filter(|read| read.file == replaced.kind.file().name());
        sheets.any(|read| {
            let is_error = |told: &Message| told.sheet == read.sheet && told.problem.level() == Level::Error;
            read.rows > 0 || import.messages.iter().any(is_error)
        })
    };
    let empty = import.replaced.iter().filter(|replaced| {
        replaced.records.is_empty() && !replaced.vanished.is_empty() && !has_rows(replaced)
    });
    let message = |replaced: &Replaced| {
        let problem = Problem::WouldEmpty { count: replaced.vanished.len() };
        Message::of_file(replaced.kind.file().name(), problem)
    };
    empty.map(message).collect()
}

/// What an import says of the changes of others.
fn of_others(folder: &Path, merged: Vec<MergedKind>) -> Vec<Message> {
    let (mut kept, mut replaced) = (Vec::new(), Vec::new());
    for mut merged in merged {
        kept.append(&mut merged.kept);
        replaced.append(&mut merged.replaced);
    }
    let problems = [
        (!kept.is_empty()).then_some(Problem::KeptOfOthers { changes: kept }),
        (!replaced.is_empty()).then_some(Problem::ReplacesOthers { changes: replaced }),
    ];
    let sheet = folder.display().to_string();
    let message = |problem| Message::of_file(sheet.clone(), problem);
    problems.into_iter().flatten().map(message).collect()
}

/// The sources that can be read, and what is wrong with the others.
async fn read(named: &[String]) -> (Vec<Source>, Vec<Message>) {
    let (mut sources, mut messages) = (Vec::new(), Vec::new());
    for name in named {
        let read = if name.contains("://") {
            fetch(name).await.map(|source| vec![source])
        } else {
            messages.append(&mut not_read(Path::new(name)));
            local(Path::new(name))
        };
        match read {
            Ok(mut read) => sources.append(&mut read),
            Err(message) => messages.push(*message),
        }
    }
    (sources, messages)
}

/// What an import does to the records of a kind.
#[derive(Clone, Copy, Serialize)]
struct Counts {
    read: usize,
    /// How many the folder has then, with those that others added; unknown while nothing is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    new: usize,
    vanished: usize,
    /// Unknown while nothing is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<usize>,
    /// How many places are shown today, where some are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_today: Option<usize>,
}

impl Counts {
    /// Those of a kind; `None` when there was no sheet of it. After a merge they are of what the folder becomes, and
    /// not of what the sheet alone would make of it.
    fn of(
        import: &Import,
        (kind, today): (SheetKind, NaiveDate),
        written: bool,
        merged: &[MergedKind],
    ) -> Option<Counts> {
        let replaced = import.replaced.iter().find(|replaced| replaced.kind == kind)?;
        let read = replaced.records.len();
        let of_merge = merged.iter().find(|merged| merged.kind == kind);
        let (total, new, vanished, changed) = match of_merge {
            Some(merged) => (merged.total, merged.new, merged.vanished.len(), merged.changed),
            None => (read, replaced.new, replaced.vanished.len(), replaced.changed.len()),
        };
        let known = |count| written.then_some(count);
        let text = of_merge.map_or_else(|| replaced.json(), |merged| merged.text().to_owned());
        let shown = shown_on(&text, today);
        let shown_today = (kind == SheetKind::Places && shown < total).then_some(shown);
        Some(Counts { read, total: known(total), new, vanished, changed: known(changed), shown_today })
    }

    fn is_nothing(&self) -> bool {
        (self.new, self.vanished, self.changed) == (0, 0, Some(0))
    }

    /// The counts in a line: `24 events: 2 new, 1 gone, 3 changed`.
    fn line(&self, kind: SheetKind, lang: Lang) -> String {
        let Counts { read, total, new, vanished, changed, shown_today } = self;
        let read = total.as_ref().unwrap_or(read);
        let name = match (kind, read) {
            (SheetKind::Places, 1) => lang.pick("lugar", "place"),
            (SheetKind::Places, _) => lang.pick("lugares", "places"),
            (SheetKind::Events, 1) => lang.pick("evento", "event"),
            (SheetKind::Events, _) => lang.pick("eventos", "events"),
        };
        let mut line = match lang {
            Lang::Pt if *new == 1 => format!("{read} {name}: 1 novo, {vanished} a menos"),
            Lang::Pt => format!("{read} {name}: {new} novos, {vanished} a menos"),
            Lang::En => format!("{read} {name}: {new} new, {vanished} gone"),
        };
        if let Some(changed) = changed {
            let portuguese = if *changed == 1 { "mudado" } else { "mudados" };
            line += &format!(", {changed} {}", lang.pick(portuguese, "changed"));
        }
        if let Some(shown) = shown_today {
            let portuguese = if *shown == 1 { "aparece" } else { "aparecem" };
            line += &lang.pick(format!("; {shown} {portuguese} hoje"), format!("; {shown} shown today"));
        }
        line
    }
}

/// How many records of a file are shown on a day.
fn shown_on(text: &str, day: NaiveDate) -> usize {
    /// What says whether a record is shown.
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Shown {
        hidden: Option<bool>,
        show_from: Option<NaiveDate>,
        show_until: Option<NaiveDate>,
    }
    let listed: Vec<Shown> = serde_json::from_str(text).unwrap_or_default();
    listed.iter().filter(|one| is_shown(one.hidden, one.show_from, one.show_until, day)).count()
}

/// How many rows of a sheet were read.
fn sheet_line(read: &SheetRead, lang: Lang) -> String {
    let SheetRead { sheet, rows, .. } = read;
    match (lang, rows) {
        (Lang::Pt, 1) => format!("{sheet}: 1 linha lida"),
        (Lang::Pt, _) => format!("{sheet}: {rows} linhas lidas"),
        (Lang::En, 1) => format!("{sheet}: 1 row read"),
        (Lang::En, _) => format!("{sheet}: {rows} rows read"),
    }
}

fn show_import(
    import: &Import,
    counts: [Option<Counts>; 2],
    written: bool,
    (lang, json): (Lang, bool),
) -> Result<ExitCode> {
    let groups = groups(&import.messages, lang);
    let [places, events] = counts;
    let shown = json!({
        "ok": written, "places": places, "events": events, "sheets": import.sheets, "messages": groups,
    });
    show(json, &shown, || {
        let mut lines: Vec<String> = groups.iter().map(|group| group.line(lang)).collect();
        lines.extend(import.sheets.iter().map(|read| sheet_line(read, lang)));
        let of_kinds = SheetKind::BOTH.into_iter().zip(counts);
        lines.extend(of_kinds.filter_map(|(kind, counts)| Some(counts?.line(kind, lang))));
        let end = if !written {
            lang.pick(
                "Nada foi escrito: corrija os erros e importe de novo.",
                "Nothing was written: correct the errors and import again.",
            )
        } else if counts.iter().flatten().all(Counts::is_nothing) {
            lang.pick("Nada mudou: a pasta já era assim.", "Nothing changed: the folder was so already.")
        } else {
            lang.pick("A pasta foi atualizada.", "The folder was updated.")
        };
        lines.push(end.to_owned());
        lines.join("\n")
    })
}
