//! The folder of a snapshot: its JSON files, read from disk or held in memory.
//!
//! A file that cannot be read is a defect of that file, so that `check` reports it together with those of the others.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use crate::defect::Defect;
use crate::file::File;

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// The content of a snapshot folder: the text of each file, or why it could not be read.
#[derive(Debug, Clone)]
pub struct Files {
    /// In the order of [`File::ALL`].
    texts: [Result<Cow<'static, str>, Defect>; File::ALL.len()],
}

impl Default for Files {
    /// A folder without files, to be filled by [`Files::with`].
    fn default() -> Self {
        Self { texts: File::ALL.map(absent) }
    }
}

impl Files {
    /// Reads a folder. [`crate::check()`] reports files that cannot be read.
    pub fn read(folder: &Path) -> Self {
        Self { texts: File::ALL.map(|file| read(folder, file)) }
    }

    /// Sets the text of a file.
    #[must_use]
    pub fn with(mut self, file: File, text: impl Into<Cow<'static, str>>) -> Self {
        self.texts[file as usize] = Ok(text.into());
        self
    }

    /// Whether there is a file, which may be one that cannot be read.
    pub fn has(&self, file: File) -> bool {
        !matches!(&self.texts[file as usize], Err(defect) if defect.what == MISSING)
    }

    /// The text of a file without a byte-order mark, or why there is none.
    pub fn text(&self, file: File) -> Result<&str, &Defect> {
        match &self.texts[file as usize] {
            Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(defect) => Err(defect),
        }
    }
}

/// What is wrong with a file that does not exist.
const MISSING: &str = "the file is missing";

/// The text of a file that does not exist: a defect, unless the file is optional.
fn absent(file: File) -> Result<Cow<'static, str>, Defect> {
    file.when_absent().map(Cow::Borrowed).ok_or_else(|| {
        let fix = format!(
            "add {file} to the snapshot folder; README.md of the snapshots crate shows what it holds"
        );
        Defect::of_file(file, MISSING, fix)
    })
}

fn read(folder: &Path, file: File) -> Result<Cow<'static, str>, Defect> {
    let path = folder.join(file.name());
    let unreadable = |error: std::io::Error| {
        let what = format!("the file cannot be read: {error}");
        Defect::of_file(file, what, "check the path and its permissions")
    };
    let opened = match std::fs::File::open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return absent(file),
        opened => opened.map_err(unreadable)?,
    };
    let mut bytes = Vec::new();
    // One byte above the limit shows that the file is too large, even when it grows while it is read.
    opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let what = format!("the file is larger than {} MiB", MAX_FILE_BYTES / (1024 * 1024));
        return Err(Defect::of_file(file, what, "reduce the number of records"));
    }
    String::from_utf8(bytes).map(Cow::Owned).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Defect::of_file(file, format!("line {line} is not valid UTF-8"), "save the file as UTF-8")
    })
}
