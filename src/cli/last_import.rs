//! What an import last wrote into a folder, remembered in the folder: what differs from it was changed by others since,
//! and the spreadsheet does not know of it.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use snapshots::diff::{Changed, Changes, FieldChange};
use snapshots::{Collision, Diff, File, Files, Snapshot, check, diff, merge};
use spreadsheets::{Import, Lang, OfOthers, SheetKind, Why};

const FILE: &str = ".candango-import.json";

/// The files of a folder that were changed after its last import.
pub(super) fn changed_after_import(folder: &Path) -> Vec<PathBuf> {
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let (Some(imported), Ok(files)) = (changed(&folder.join(FILE)), fs::read_dir(folder)) else {
        return Vec::new();
    };
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let is_later = |path: &PathBuf| changed(path).is_some_and(|at| at > imported);
    let mut later: Vec<PathBuf> = paths.filter(is_later).collect();
    later.sort();
    later
}

/// The files of records as the last import read them from the sheets.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct LastImport {
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<String>,
    /// The columns of the sheets of each kind; unknown of imports before they were remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place_columns: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event_columns: Option<Vec<String>>,
    /// The sheets of each kind, as messages name them; unknown of imports before they were remembered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    place_sheets: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    event_sheets: Vec<String>,
}

/// The records of a kind, merged with what others changed in the folder since the last import.
pub(super) struct MergedKind {
    pub(super) kind: SheetKind,
    /// The file to write.
    text: String,
    /// What stays as others wrote it: what the sheet says, and what the folder keeps.
    pub(super) kept: Vec<OfOthers>,
    /// What others wrote and the sheet, which changed it too, replaces.
    pub(super) replaced: Vec<OfOthers>,
    /// How many records the folder has then.
    pub(super) total: usize,
    /// How many records the folder gets.
    pub(super) new: usize,
    /// The ids that the folder loses.
    pub(super) vanished: Vec<String>,
    /// How many records of the folder change.
    pub(super) changed: usize,
}

/// What becomes of an import and of what others changed since the last one.
pub(super) enum Merging {
    /// The kinds in which others changed something that the sheets alone would undo.
    Merged(Vec<MergedKind>),
    /// Others changed something, and it cannot be told what.
    Unknown,
}

impl LastImport {
    /// That of a folder; `None` when there was none.
    pub(super) fn read(folder: &Path, lang: Lang) -> Result<Option<LastImport>> {
        let path = folder.join(FILE);
        let shown = path.display();
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).map_err(|error| {
                let why = Why::from(&error).text(lang);
                anyhow!(lang.pick(
                    format!(
                        "{shown} não pode ser lido: {why}; apague-o e importe de novo: então vale a planilha"
                    ),
                    format!("{shown} cannot be read: {why}; remove it and import again: then the sheets win"),
                ))
            })?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let why = Why::from(&error).text(lang);
                let (pt, en) =
                    (format!("{shown} não pode ser lido: {why}"), format!("{shown} cannot be read: {why}"));
                Err(anyhow!(lang.pick(pt, en)))
            }
        }
    }

    /// This import, and of kinds without a sheet the one before.
    pub(super) fn followed_by(self, import: &Import) -> LastImport {
        let read = |kind: SheetKind| {
            let mut replaced = import.replaced.iter();
            replaced.find(|replaced| replaced.kind == kind).map(|replaced| replaced.json())
        };
        let columns = |kind: SheetKind| {
            let replaced = import.replaced.iter().find(|replaced| replaced.kind == kind)?;
            Some(replaced.columns.iter().map(|column| (*column).to_owned()).collect())
        };
        let sheets = |kind: SheetKind, before: Vec<String>| {
            let of_kind = import.sheets.iter().filter(|read| read.file == kind.file().name());
            let named: Vec<String> = of_kind.map(|read| read.sheet.clone()).collect();
            if named.is_empty() { before } else { named }
        };
        LastImport {
            place_sheets: sheets(SheetKind::Places, self.place_sheets),
            event_sheets: sheets(SheetKind::Events, self.event_sheets),
            places: read(SheetKind::Places).or(self.places),
            events: read(SheetKind::Events).or(self.events),
            place_columns: columns(SheetKind::Places).or(self.place_columns),
            event_columns: columns(SheetKind::Events).or(self.event_columns),
        }
    }

    /// The name and the text of the file that it is remembered in.
    pub(super) fn file(&self) -> Result<(&'static str, String)> {
        Ok((FILE, serde_json::to_string(self)?))
    }

    /// Whether an import wrote records of a kind.
    pub(super) fn knows(&self, kind: SheetKind) -> bool {
        self.of(kind).is_some()
    }

    /// The ids of the records of a kind that the import wrote; nothing when it wrote none of the kind.
    pub(super) fn ids(&self, kind: SheetKind) -> Option<HashSet<String>> {
        let listed: Vec<Value> = serde_json::from_str(self.of(kind)?).ok()?;
        let id = |record: &Value| record.get("id").and_then(Value::as_str).map(str::to_owned);
        Some(listed.iter().filter_map(id).collect())
    }

    /// The sheets of a kind, as messages name them.
    pub(super) fn sheets(&self, kind: SheetKind) -> &[String] {
        match kind {
            SheetKind::Places => &self.place_sheets,
            SheetKind::Events => &self.event_sheets,
        }
    }

    /// The columns of the sheets of a kind, where they are known.
    pub(super) fn columns(&self, kind: SheetKind) -> Option<&[String]> {
        match kind {
            SheetKind::Places => self.place_columns.as_deref(),
            SheetKind::Events => self.event_columns.as_deref(),
        }
    }

    /// The records of a kind.
    pub(super) fn of(&self, kind: SheetKind) -> Option<&String> {
        match kind {
            SheetKind::Places => self.places.as_ref(),
            SheetKind::Events => self.events.as_ref(),
        }
    }

    /// Merges an import with what others changed in the folder since. Each kind is merged by itself, so that an event
    /// whose place is on one side alone makes no side invalid.
    pub(super) fn merged(
        &self,
        folder: &Files,
        import: &Import,
        (today, lang): (NaiveDate, Lang),
    ) -> Result<Merging> {
        let (mut after, mut merged) = (folder.clone(), Vec::new());
        for replaced in &import.replaced {
            let (kind, file, sheet) = (replaced.kind, replaced.kind.file(), replaced.json());
            // what no import has written yet is the sheet's, and so is a file that was taken away to begin anew
            if let (Some(last), Ok(held)) = (self.of(kind), folder.text(file)) {
                let beside = match kind {
                    SheetKind::Places => folder.clone().with(File::Events, "[]"),
                    SheetKind::Events => after.clone().with(File::Places, self.places_beside(&after, folder)),
                };
                let side = |text: &str| check(&beside.clone().with(file, text.to_owned()), today);
                match (side(last), side(held)) {
                    (Ok(began), Ok(theirs)) => {
                        let mine = side(&sheet).context(
                            lang.pick("as planilhas com o resto da pasta", "the sheets beside the folder"),
                        )?;
                        let like = folder.clone().with(file, sheet.clone());
                        merged.extend(MergedKind::of(kind, (&began, &mine, &theirs), &like)?);
                    }
                    // with another vocabulary, or events of a past that is too long ago
                    _ if is_same(last, held) => {}
                    _ => return Ok(Merging::Unknown),
                }
            }
            let of_merge = merged.last().filter(|merged: &&MergedKind| merged.kind == kind);
            after = after.with(file, of_merge.map_or(sheet, |merged| merged.text.clone()));
        }
        if !merged.is_empty()
            && let Err(defects) = check(&after, today)
        {
            // told by the import already
            if import.has_errors() {
                return Ok(Merging::Merged(Vec::new()));
            }
            return Err(defects).context(lang.pick(
                "o que as planilhas e outros mudaram está certo sozinho e errado junto; nada foi escrito",
                "what the sheets and others changed is right alone and wrong together; nothing was written",
            ));
        }
        Ok(Merging::Merged(merged))
    }

    /// All places that events of some side may be at: those that the import leaves, and those that are gone.
    fn places_beside(&self, after: &Files, folder: &Files) -> String {
        let listed = |text: &str| serde_json::from_str::<Vec<Value>>(text).unwrap_or_default();
        let texts = [after.text(File::Places).ok(), folder.text(File::Places).ok(), self.places.as_deref()];
        let (mut places, mut ids) = (Vec::new(), HashSet::new());
        for place in texts.into_iter().flatten().flat_map(listed) {
            if place.get("id").and_then(Value::as_str).is_some_and(|id| ids.insert(id.to_owned())) {
                places.push(place);
            }
        }
        Value::from(places).to_string()
    }
}

impl MergedKind {
    /// Merges the sheet and the folder, which both began from the last import; nothing when others changed nothing that
    /// the sheet would undo. The records have the order of `like`.
    fn of(
        kind: SheetKind,
        (began, mine, theirs): (&Snapshot, &Snapshot, &Snapshot),
        like: &Files,
    ) -> Result<Option<MergedKind>> {
        let mut merged = merge(began, mine, theirs).context("the sheets and the folder cannot be merged")?;
        let kept = diff(mine, &merged.snapshot);
        if kept.is_empty() && merged.collisions.is_empty() {
            return Ok(None);
        }
        let of_kind = |diff: Diff| match kind {
            SheetKind::Places => diff.places,
            SheetKind::Events => diff.events,
        };
        let (kept, changes) = (of_kind(kept), of_kind(diff(theirs, &merged.snapshot)));
        merged.order_like(like);
        let total = match kind {
            SheetKind::Places => merged.snapshot.places.len(),
            SheetKind::Events => merged.snapshot.events.len(),
        };
        let text = merged.snapshot.texts()?.into_iter().find(|(file, _)| *file == kind.file());
        Ok(Some(MergedKind {
            kind,
            text: text.and_then(|(_, text)| text).context("a merged file without a text")?,
            kept: kept_of(kept),
            replaced: merged.collisions.iter().filter_map(replaced_of).collect(),
            total,
            new: changes.added.len(),
            vanished: changes.removed,
            changed: changes.changed.len(),
        }))
    }

    /// The text of the file.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// What differs from the sheet to what the folder keeps.
fn kept_of(changes: Changes) -> Vec<OfOthers> {
    let Changes { added, removed, changed } = changes;
    let fields = changed.into_iter().flat_map(|Changed { id, fields }| {
        fields.into_iter().map(move |FieldChange { field, old, new }| OfOthers::Field {
            id: id.clone(),
            field,
            sheet: old.map(|value| value.to_string()),
            guide: new.map(|value| value.to_string()),
        })
    });
    let added = added.into_iter().map(OfOthers::OnlyInGuide);
    added.chain(removed.into_iter().map(OfOthers::OnlyInSheet)).chain(fields).collect()
}

/// What both changed; nothing of the file as a whole.
fn replaced_of(collision: &Collision) -> Option<OfOthers> {
    let id = collision.id.clone()?;
    let shown = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    Some(match (&collision.field, &collision.mine) {
        (Some(field), _) => OfOthers::Field {
            id,
            field: field.clone(),
            sheet: shown(&collision.mine),
            guide: shown(&collision.theirs),
        },
        (None, None) => OfOthers::OnlyInGuide(id),
        (None, Some(_)) => OfOthers::OnlyInSheet(id),
    })
}

/// Whether two lists hold the same records.
fn is_same(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(one).is_some_and(|value| Some(value) == read(other))
}
