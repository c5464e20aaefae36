//! Replacing a file as a whole and durably: whoever reads it meanwhile, or after a power cut, gets the old content or
//! the new. What is half written is in `PATH.part`, so two processes must not replace the same file at once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces a file, which gets the permissions of a new one.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, &mut File::options())
}

/// Replaces a file that only its owner may read.
pub fn replace_private_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    replace(path, bytes, &mut options)
}

fn replace(path: &Path, bytes: &[u8], options: &mut OpenOptions) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut file = options.create(true).truncate(true).write(true).open(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&part, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync_folder(folder.unwrap_or(Path::new(".")))
}

/// Makes renames and new files in a folder durable. Only Unix can open a folder for that.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}
