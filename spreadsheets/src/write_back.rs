//! Writes ids into the sheets they belong to, so that they stay when a name changes. All else in a file stays as it
//! was.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::message::Message;
use crate::problem::Problem;
use crate::sheet::Source;
use crate::why::Why;
use crate::{csv_file, workbook};

/// The ids that a sheet lacks.
#[derive(Debug, Clone)]
pub struct MissingIds {
    /// The number of the source.
    pub(crate) source: usize,
    /// How messages name the sheet.
    pub(crate) label: String,
    pub(crate) sheet: String,
    pub(crate) column: usize,
    /// The header, when the sheet has no such column yet.
    pub(crate) new_header: Option<u32>,
    /// The row, the id and the name of each record.
    pub(crate) rows: Vec<(u32, String, String)>,
}

impl MissingIds {
    fn cells(&self) -> BTreeMap<u32, String> {
        let header = self.new_header.map(|row| (row, "id".to_owned()));
        self.rows.iter().map(|(row, id, _)| (*row, id.clone())).chain(header).collect()
    }
}

/// Writes ids into their local files. A file gets a list beside it of the ids of its sheets that cannot be edited.
pub fn write_ids(sources: &[Source], missing: &[MissingIds]) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut report = |sheet: &str, problem| {
        messages.push(Message::of_file(sheet, problem));
    };
    for (number, source) in sources.iter().enumerate() {
        let missing: Vec<&MissingIds> = missing.iter().filter(|missing| missing.source == number).collect();
        if missing.is_empty() {
            continue;
        }
        let Some(path) = &source.path else {
            report(&source.label, Problem::IdsNeedColumn);
            continue;
        };
        match write(source, path, &missing) {
            Ok(unwritten) if unwritten.is_empty() => {}
            Ok(unwritten) => {
                let list = list_beside(path, sources);
                let problem = match write_list(&list, &unwritten, source.is_workbook()) {
                    Ok(()) => Problem::IdsBeside { file: list.display().to_string() },
                    Err(error) => Problem::IdsNotWritten { why: Why::from(&error) },
                };
                unwritten.iter().for_each(|missing| report(&missing.label, problem.clone()));
            }
            Err(problem) => report(&source.label, problem),
        }
    }
    messages
}

/// Writes ids into the sheets of a file; returns those of the sheets that cannot be edited.
fn write<'m>(
    source: &Source,
    path: &Path,
    missing: &[&'m MissingIds],
) -> Result<Vec<&'m MissingIds>, Problem> {
    let failed = |error: std::io::Error| Problem::IdsNotWritten { why: Why::from(&error) };
    if is_open(path) {
        return Err(Problem::OpenElsewhere);
    }
    let mut bytes = source.bytes.clone();
    let mut unwritten = Vec::new();
    for missing in missing.iter().copied() {
        match edited(source, &bytes, missing) {
            Some(edited) => bytes = edited,
            None => unwritten.push(missing),
        }
    }
    // a link is followed, not replaced
    let path = path.canonicalize().map_err(failed)?;
    if std::fs::read(&path).map_err(failed)? != source.bytes {
        return Err(Problem::ChangedMeanwhile);
    }
    if bytes != source.bytes {
        replace(&path, &bytes).map_err(failed)?;
    }
    Ok(unwritten)
}

/// The bytes of a file with the ids of one of its sheets; nothing when it cannot be edited safely.
fn edited(source: &Source, bytes: &[u8], missing: &MissingIds) -> Option<Vec<u8>> {
    let cells = missing.cells();
    if !source.is_workbook() {
        return csv_file::read(&source.label, bytes).ok()?.with(bytes, missing.column, &cells);
    }
    let sheets = workbook::read("", bytes).ok()?;
    let sheet = sheets.iter().find(|sheet| sheet.name == missing.sheet)?;
    workbook::with(bytes, sheet, missing.column, &cells)
}

/// Whether Excel or LibreOffice has the file open, by the file that they lay beside it.
fn is_open(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let with = |before: &str, after: &str| {
        let mut lock = OsString::from(before);
        lock.push(name);
        lock.push(after);
        path.with_file_name(lock).exists()
    };
    with("~$", "") || with(".~lock.", "#")
}

/// The list of ids beside a file: `guia-ids.csv`, with its ending when another source would have the same.
fn list_beside(path: &Path, sources: &[Source]) -> PathBuf {
    let list = |path: &Path, name: Option<&OsStr>| {
        let mut name = name.unwrap_or_default().to_owned();
        name.push("-ids.csv");
        path.with_file_name(name)
    };
    let short = list(path, path.file_stem());
    let others = sources.iter().filter_map(|source| source.path.as_deref()).filter(|other| *other != path);
    let is_taken = others.into_iter().any(|other| list(other, other.file_stem()) == short);
    if is_taken { list(path, path.file_name()) } else { short }
}

/// Writes a list of ids.
fn write_list(path: &Path, missing: &[&MissingIds], is_workbook: bool) -> std::io::Result<()> {
    // the mark lets Excel read UTF-8
    let mut csv = csv::WriterBuilder::new().delimiter(b';').from_writer("\u{feff}".as_bytes().to_vec());
    let sheet = |name| is_workbook.then_some(name);
    csv.write_record(sheet("aba").into_iter().chain(["linha", "id", "nome"]))?;
    for missing in missing {
        for (row, id, name) in &missing.rows {
            csv.write_record(sheet(&*missing.sheet).into_iter().chain([&*row.to_string(), id, name]))?;
        }
    }
    let bytes = csv.into_inner().map_err(|error| std::io::Error::other(error.to_string()))?;
    replace(path, &bytes)
}

/// Writes a file as a whole: whoever reads it meanwhile gets the old one or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".candango-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    if let Ok(old) = std::fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    } else {
        make_readable(file.as_file())?;
    }
    file.persist(path)?;
    Ok(())
}

/// A temporary file is its owner's alone; one that stays is as others of the folder.
#[cfg(unix)]
fn make_readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}
