//! `candango snapshot sheet`: the records of a folder as a spreadsheet, for a guide that began without one.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use snapshots::{check, replace_file};
use spreadsheets::{Filled, fill_in, filled, groups};

use super::curator::{Curator, files_of};
use super::output::{INCOMPLETE, show};

impl Curator<'_> {
    /// Fills the template in with all records of a folder.
    pub(super) fn sheet(&self, folder: &Path, out: Option<&Path>) -> Result<ExitCode> {
        let lang = self.lang;
        let files = files_of(folder, lang)?;
        check(&files, self.today())?;
        let path = out.map_or_else(|| folder.join(filled::FILE), Path::to_owned);
        let shown = path.display();
        if path.exists() {
            bail!(lang.pick(
                format!("{shown} já existe: dê outro nome com --out ARQUIVO.xlsx"),
                format!("{shown} exists: name another file with --out FILE.xlsx"),
            ));
        }
        let filled = fill_in(&files, self.today())
            .context(lang.pick("a planilha não pode ser feita", "the spreadsheet cannot be made"))?;
        replace_file(&path, &filled.bytes).with_context(|| {
            lang.pick(format!("{shown} não pode ser escrito"), format!("{shown} cannot be written"))
        })?;
        let is_whole = filled.changed.is_empty() && filled.errors.is_empty();
        let changed = filled
            .changed
            .iter()
            .map(|(kind, one)| json!({ "file": kind.file().name(), "id": one.id, "fields": one.fields }));
        let [places, events] = filled.counts;
        let json = json!({
            "ok": is_whole, "file": path.display().to_string(), "places": places, "events": events,
            "changed": changed.collect::<Vec<Value>>(), "errors": groups(&filled.errors, lang),
        });
        show(self.json, &json, || self.sheet_text(folder, &path, &filled))?;
        Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(INCOMPLETE) })
    }

    fn sheet_text(&self, folder: &Path, path: &Path, filled: &Filled) -> String {
        let (lang, [places, events]) = (self.lang, filled.counts);
        let (places, events) = (self.places(places), self.events(events));
        let (folder, path) = (folder.display(), path.display());
        let mut text = lang.pick(
            format!(
                "{path} tem {places} e {events}, com os seus ids. Mude a planilha, e depois: candango snapshot import {path} \
                 --into {folder}"
            ),
            format!(
                "{path} has {places} and {events}, with their ids. Change it, then: candango snapshot import {path} --into \
                 {folder}"
            ),
        );
        if !filled.changed.is_empty() {
            text += lang.pick(
                "\nUma planilha não diz tudo como o guia. A importação mudaria, se você não corrigir a planilha:",
                "\nA sheet cannot say everything as the guide does. Unless you correct it, an import would change:",
            );
            text.extend(filled.changes(lang).iter().map(|line| format!("\n  {line}")));
        }
        if !filled.errors.is_empty() {
            text += lang.pick(
                "\nA importação recusaria estas linhas, até que sejam corrigidas:",
                "\nAn import would refuse these rows, until they are corrected:",
            );
            text.extend(groups(&filled.errors, lang).iter().map(|group| format!("\n  {}", group.line(lang))));
        }
        text
    }
}
