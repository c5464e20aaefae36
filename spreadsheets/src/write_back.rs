//! Writes ids into the sheets they belong to, so that they stay when a name changes. All else in a file stays as it was.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use crate::message::Message;
use crate::problem::Problem;
use crate::sheet::Source;
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

/// Writes ids into their local files. A file that cannot be edited gets a list of its ids beside it.
pub fn write_ids(sources: &[Source], missing: &[MissingIds]) -> Vec<Message> {
    let mut messages = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let missing: Vec<&MissingIds> = missing.iter().filter(|missing| missing.source == number).collect();
        let Some(label) = missing.first().map(|missing| missing.label.clone()) else { continue };
        let problem = match &source.path {
            Some(path) => write(source, path, &missing).err(),
            None => Some(Problem::IdsNeedColumn),
        };
        messages.extend(problem.map(|problem| Message { sheet: label, row: None, column: None, problem }));
    }
    messages
}

fn write(source: &Source, path: &Path, missing: &[&MissingIds]) -> Result<(), Problem> {
    let failed = |error: std::io::Error| Problem::IdsNotWritten { why: error.to_string() };
    if is_open(path) {
        return Err(Problem::OpenElsewhere);
    }
    let mut bytes = source.bytes.clone();
    for missing in missing {
        let cells = missing.cells();
        let edited = if source.is_workbook() {
            let sheets = workbook::read("", &bytes).unwrap_or_default();
            let sheet = sheets.iter().find(|sheet| sheet.name == missing.sheet);
            sheet.and_then(|sheet| workbook::with(&bytes, sheet, missing.column, &cells))
        } else {
            csv_file::read(&source.label, &bytes).with(&bytes, missing.column, &cells)
        };
        let Some(edited) = edited else { return beside(path, missing).map_err(failed).and_then(Err) };
        bytes = edited;
    }
    // a link is followed, not replaced
    let path = path.canonicalize().map_err(failed)?;
    if std::fs::read(&path).map_err(failed)? != source.bytes {
        return Err(Problem::ChangedMeanwhile);
    }
    replace(&path, &bytes).map_err(failed)
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

/// Writes a list of ids beside a file; says so.
fn beside(path: &Path, missing: &MissingIds) -> std::io::Result<Problem> {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-ids.csv");
    let beside = path.with_file_name(name);
    // the mark lets Excel read UTF-8
    let mut csv = csv::WriterBuilder::new().delimiter(b';').from_writer("\u{feff}".as_bytes().to_vec());
    csv.write_record(["linha", "id", "nome"])?;
    for (row, id, name) in &missing.rows {
        csv.write_record([&row.to_string(), id, name])?;
    }
    let bytes = csv.into_inner().map_err(|error| std::io::Error::other(error.to_string()))?;
    replace(&beside, &bytes)?;
    Ok(Problem::IdsBeside { file: beside.display().to_string() })
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
