//! `candango snapshot pull`: a published snapshot as a folder.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::json;
use snapshots::{Depot, Snapshot};

use super::base;
use super::curator::{Curator, publication_of, snapshot_of};
use super::output::show;

impl Curator<'_> {
    /// Writes a published snapshot as a folder.
    pub(super) async fn pull(&self, digest: Option<&str>, folder: &Path) -> Result<ExitCode> {
        let (depot, pointer) = self.published().await?;
        let entry = match digest {
            Some(digest) => publication_of(&pointer, digest, self.lang)?,
            None => &pointer.entry,
        };
        let lang = self.lang;
        if !self.holds_nothing_of_its_own(&depot, folder).await? {
            let shown = folder.display();
            bail!(lang.pick(
                format!(
                    "{shown} não está vazia, e o que há nela não é o que foi baixado nela ou publicado dela: baixe em outra \
                     pasta"
                ),
                format!(
                    "{shown} is not empty, and its content is not what was pulled into it or published of it: pull into \
                     another folder"
                ),
            ));
        }
        let snapshot = snapshot_of(&depot, &entry.digest).await?.as_curated();
        let is_new = !folder.exists();
        std::fs::create_dir_all(folder).with_context(|| {
            let shown = folder.display();
            lang.pick(
                format!("a pasta {shown} não pode ser criada"),
                format!("the folder {shown} cannot be created"),
            )
        })?;
        let written = base::write_files(folder, &snapshot.texts()?, entry.digest);
        if written.is_err() && is_new {
            // it is empty again, and one that is not stays
            let _ = std::fs::remove_dir(folder);
        }
        written?;
        let counts = snapshot.counts();
        let shown = json!({
            "ok": true, "folder": folder.display().to_string(), "serial": entry.serial, "digest": entry.digest,
            "name": entry.name, "counts": counts,
        });
        show(self.json, &shown, || {
            let (serial, digest, folder) = (entry.serial, entry.digest.short(), folder.display());
            let (places, events) = (self.places(counts.places), self.events(counts.events));
            lang.pick(
                format!(
                    "a publicação {serial} ({digest}) está em {folder}: {places}, {events}. Mude, e depois `candango snapshot \
                     publish {folder}`. Como planilha: candango snapshot sheet {folder}"
                ),
                format!(
                    "serial {serial} ({digest}) is in {folder}: {places}, {events}. Change it, then `candango snapshot \
                     publish {folder}`. As a spreadsheet: candango snapshot sheet {folder}"
                ),
            )
        })
    }

    /// Whether nothing is lost when a folder is written over: it is empty, or it is what it began from.
    async fn holds_nothing_of_its_own(&self, depot: &Depot, folder: &Path) -> Result<bool> {
        let is_empty = match std::fs::read_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
            files => files.with_context(|| format!("{} cannot be read", folder.display()))?.next().is_none(),
        };
        if is_empty {
            return Ok(true);
        }
        let current = depot.current().await?;
        let (Some(began), Ok(held)) = (base::read(folder, current.as_ref())?, self.checked(folder)) else {
            return Ok(false);
        };
        let began: Snapshot = snapshot_of(depot, &began).await?.as_curated();
        Ok(held == began)
    }
}
