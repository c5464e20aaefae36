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

/// Replaces files together: all are written beside their places before the first one is put there, so that a full disk
/// leaves every file as it was. They keep their permissions.
pub fn replace_files(files: &[(PathBuf, &[u8])]) -> Result<(), (PathBuf, io::Error)> {
    let of = |path: &Path| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    let mut parts: Vec<(Part, &Path)> = Vec::new();
    for (path, bytes) in files {
        let part = Part::write(path, bytes, &mut File::options()).map_err(of(path))?;
        if let (Ok(old), Some(part)) = (fs::metadata(path), &part.path) {
            fs::set_permissions(part, old.permissions()).map_err(of(path))?;
        }
        parts.push((part, path));
    }
    for (part, path) in parts {
        part.put(path).map_err(of(path))?;
    }
    Ok(())
}

fn replace(path: &Path, bytes: &[u8], options: &mut OpenOptions) -> io::Result<()> {
    Part::write(path, bytes, options)?.put(path)
}

/// The new content of a file, beside it. Unless it is put there, it is removed.
struct Part {
    path: Option<PathBuf>,
}

impl Part {
    fn write(path: &Path, bytes: &[u8], options: &mut OpenOptions) -> io::Result<Part> {
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let path = PathBuf::from(part);
        let mut file = options.create(true).truncate(true).write(true).open(&path)?;
        let part = Part { path: Some(path) };
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(part)
    }

    fn put(mut self, path: &Path) -> io::Result<()> {
        if let Some(part) = &self.path {
            fs::rename(part, path)?;
        }
        self.path = None;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        sync_folder(folder.unwrap_or(Path::new(".")))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // what failed before is reported; a part that stays is overwritten the next time
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes renames and new files in a folder durable. Only Unix can open a folder for that.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&first, "old").unwrap();
        fs::create_dir(folder.path().join("b.part")).unwrap();
        let files = [(first.clone(), &b"new"[..]), (second.clone(), &b"new"[..])];
        assert_eq!(replace_files(&files).unwrap_err().0, second);
        assert_eq!(fs::read(&first).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside");
        fs::remove_dir(folder.path().join("b.part")).unwrap();
        replace_files(&files).unwrap();
        assert_eq!((fs::read(first).unwrap(), fs::read(second).unwrap()), (b"new".to_vec(), b"new".to_vec()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
