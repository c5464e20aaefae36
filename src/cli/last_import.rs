//! What an import last wrote into a folder, remembered in the folder: what differs from it was changed by others since,
//! and the spreadsheet does not know of it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use snapshots::{File, FileText, Files, check, diff, merge};
use spreadsheets::{Import, SheetKind};

use super::base;

const FILE: &str = ".candango-import.json";

/// The files of records as the last import read them from the sheets.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct LastImport {
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<String>,
}

/// An import merged with what others changed in the folder since the last one.
pub(super) struct MergedImport {
    /// The files to write.
    pub(super) texts: Vec<FileText>,
    /// What stays as others wrote it: what the sheets say, and what the folder keeps.
    pub(super) kept: Vec<String>,
    /// What others wrote and the sheets, which changed it too, replace.
    pub(super) replaced: Vec<String>,
    /// How many places and how many events of the folder change.
    pub(super) changed: [usize; 2],
}

impl LastImport {
    /// That of a folder; `None` when there was none.
    pub(super) fn read(folder: &Path) -> Result<Option<LastImport>> {
        let path = folder.join(FILE);
        match fs::read(&path) {
            Ok(bytes) => {
                let last = serde_json::from_slice(&bytes);
                Ok(Some(last.with_context(|| format!("{} is damaged: remove it", path.display()))?))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
        }
    }

    /// This import, and of kinds without a sheet the one before.
    pub(super) fn followed_by(self, import: &Import) -> LastImport {
        let read = |kind: SheetKind| {
            let mut replaced = import.replaced.iter();
            replaced.find(|replaced| replaced.kind == kind).map(|replaced| replaced.json())
        };
        LastImport {
            places: read(SheetKind::Places).or(self.places),
            events: read(SheetKind::Events).or(self.events),
        }
    }

    /// Remembers it in a folder.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        base::replace(&folder.join(FILE), &serde_json::to_string(self)?)
    }

    /// Merges an import with what others changed in the folder since; `None` when they changed nothing that it would
    /// undo.
    pub(super) fn merged(
        &self,
        folder: &Files,
        import: &Import,
        today: NaiveDate,
    ) -> Result<Option<MergedImport>> {
        let (mut began, mut sheets) = (folder.clone(), folder.clone());
        for replaced in &import.replaced {
            let last = match replaced.kind {
                SheetKind::Places => &self.places,
                SheetKind::Events => &self.events,
            };
            let Some(last) = last else { continue };
            began = began.with(replaced.kind.file(), last.clone());
            sheets = sheets.with(replaced.kind.file(), replaced.json());
        }
        // with another vocabulary, or events of a past that is too long ago, they cannot be compared
        let (Ok(began), Ok(theirs)) = (check(&began, today), check(folder, today)) else { return Ok(None) };
        let mine = check(&sheets, today).context("the sheets beside the folder")?;
        let mut merged =
            merge(&began, &mine, &theirs).context("the sheets and the folder cannot be merged")?;
        let kept = diff(&mine, &merged.snapshot);
        let changes = diff(&theirs, &merged.snapshot);
        if kept.is_empty() && merged.collisions.is_empty() {
            return Ok(None);
        }
        check(&Files::from_iter(merged.snapshot.texts()?), today).context(
            "what the sheets and others changed is right alone and wrong together; nothing was written",
        )?;
        merged.order_like(&sheets);
        let mut texts = merged.snapshot.texts()?;
        texts.retain(|(file, _)| matches!(file, File::Places | File::Events));
        let lines = |text: String| text.lines().map(|line| line.trim().to_owned()).collect();
        let replaced = merged.collisions.iter().map(ToString::to_string).collect();
        let changed = [&changes.places, &changes.events].map(|changes| changes.changed.len());
        Ok(Some(MergedImport { texts, kept: lines(kept.to_string()), replaced, changed }))
    }
}
