//! The folder of a snapshot: six JSON files, read from disk or held in memory.
//!
//! Reading never fails as a whole: a file that cannot be read becomes a defect of that file, so that `check`
//! can tell it together with what is wrong in the others. May use `std::fs` and [`crate::defect`] only.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use crate::defect::Defect;
use crate::file::File;

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// The texts of a snapshot folder; for each file either its text or why there is none.
#[derive(Debug, Clone)]
pub struct Files {
    /// In the order of [`File::ALL`].
    texts: [Result<Cow<'static, str>, Defect>; 6],
}

impl Default for Files {
    /// A folder in which every file is missing: the start for [`Files::with`].
    fn default() -> Self {
        Self { texts: File::ALL.map(|file| Err(missing(file))) }
    }
}

impl Files {
    /// Reads a folder. What cannot be read is told by [`crate::check()`].
    pub fn read(folder: &Path) -> Self {
        Self { texts: File::ALL.map(|file| read(folder, file).map(Cow::Owned)) }
    }

    /// The same folder with this text as that file.
    #[must_use]
    pub fn with(mut self, file: File, text: impl Into<Cow<'static, str>>) -> Self {
        self.texts[file as usize] = Ok(text.into());
        self
    }

    /// The text of a file, or why there is none. A byte-order mark, which some editors put in front of UTF-8,
    /// is not part of the text.
    pub fn text(&self, file: File) -> Result<&str, &Defect> {
        match &self.texts[file as usize] {
            Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(defect) => Err(defect),
        }
    }
}

fn missing(file: File) -> Defect {
    let fix =
        format!("add {file} to the snapshot folder; README.md of the snapshots crate shows what it holds");
    Defect::of_file(file, "the file is missing", fix)
}

fn read(folder: &Path, file: File) -> Result<String, Defect> {
    let path = folder.join(file.name());
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => missing(file),
        _ => Defect::of_file(
            file,
            format!("the file cannot be read: {error}"),
            "check the path and its permissions",
        ),
    };
    let opened = std::fs::File::open(&path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // One byte above the limit, so that a file that grows while it is read is still caught.
    opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let what = format!("the file is larger than {} MiB", MAX_FILE_BYTES / (1024 * 1024));
        return Err(Defect::of_file(file, what, "hand in fewer records"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Defect::of_file(file, format!("line {line} is not valid UTF-8"), "save the file as UTF-8")
    })
}
