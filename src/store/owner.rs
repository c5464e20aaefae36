//! Who owns what is created in a data folder. Commands may be run by root, and the server beside them by another user.

use std::fs::read_dir;
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::Path;

/// Gives a file or folder of root the owner of the folder that it is in: the server's user could not write it
/// otherwise. Only root can do that, and when it fails everything stays as it is.
pub(crate) fn give_to_owner_of_folder(path: &Path) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(own), Ok(around)) = (path.symlink_metadata(), folder.metadata()) else { return };
    // a link could name any file of the machine
    let has_one_name = own.is_dir() || own.is_file() && own.nlink() == 1;
    if own.uid() == 0 && around.uid() != 0 && has_one_name {
        let _ = lchown(path, Some(around.uid()), Some(around.gid()));
    }
}

/// The same, with all that is in the folder `path`.
pub(crate) fn give_all_to_owner_of_folder(path: &Path) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    give_to_owner_of_folder(path);
    for entry in read_dir(path).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => give_all_to_owner_of_folder(&entry.path()),
            _ => give_to_owner_of_folder(&entry.path()),
        }
    }
}
