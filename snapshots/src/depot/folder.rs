//! A depot in a local folder. A snapshot is synced to disk before the pointer names it, and the pointer is replaced as
//! a whole, so that a crash leaves the old one or the new one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::Found;
use super::hidden_file::{HIDDEN, compare_hidden};
use super::pointer::{
    DepotError, MAX_PACKED_BYTES, POINTER, Pointer, Publication, StateFile, check_next, name_of,
};
use super::servers::{MAX_BYTES, SERVERS, ServerState, file_of};
use crate::hidden::Hidden;
use crate::pack::Digest;
use crate::replace::{replace_file, sync_folder};

/// A depot in a local folder. Its methods block; [`Folder::run`] moves them to a blocking thread.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(super) fn open(root: PathBuf) -> Result<Self, DepotError> {
        let snapshots = root.join("snapshots");
        let folder = Self { root };
        if !snapshots.is_dir() {
            fs::create_dir_all(&snapshots).map_err(error_at(&snapshots))?;
            sync_folder(&folder.root).map_err(error_at(&folder.root))?;
            // Parents may be new as well. Those that we may not open existed before.
            for above in folder.root.ancestors().skip(1) {
                let _ = sync_folder(if above.as_os_str().is_empty() { Path::new(".") } else { above });
            }
        }
        Ok(folder)
    }

    pub(super) async fn run<T, W>(&self, work: W) -> Result<T, DepotError>
    where
        T: Send + 'static,
        W: FnOnce(&Self) -> Result<T, DepotError> + Send + 'static,
    {
        let folder = self.clone();
        let root = self.root.clone();
        let join = tokio::task::spawn_blocking(move || work(&folder)).await;
        join.unwrap_or_else(|error| Err(DepotError::Folder { path: root, error: io::Error::other(error) }))
    }

    /// A file that is replaced as a whole.
    pub(super) fn read(&self, file: StateFile) -> Result<Option<Vec<u8>>, DepotError> {
        read_at_most(&self.root.join(file.name), file.max_bytes)
    }

    /// The same, unless it has the ETag.
    pub(super) fn read_unless(&self, file: StateFile, etag: Option<&String>) -> Result<Found, DepotError> {
        let path = self.root.join(file.name);
        let Some(open) = open(&path)? else { return Ok(Found::Nothing) };
        // each time it is replaced it is another file, or a later one of the same number
        let metadata = open.metadata().map_err(error_at(&path))?;
        let found =
            format!("{}-{}-{}-{}", metadata.ino(), metadata.mtime(), metadata.mtime_nsec(), metadata.len());
        if etag == Some(&found) {
            return Ok(Found::Same);
        }
        Ok(Found::New(read_open(open, &path, file.max_bytes)?.into(), Some(found)))
    }

    fn pointer(&self) -> Result<Option<Pointer>, DepotError> {
        Ok(self.read(POINTER)?.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    /// The caller holds the lock.
    fn replace(&self, file: StateFile, bytes: &[u8]) -> Result<(), DepotError> {
        replace(&self.root.join(file.name), bytes)
    }

    fn snapshot(&self, digest: &Digest) -> PathBuf {
        self.root.join("snapshots").join(name_of(digest))
    }

    pub(super) fn has(&self, digest: &Digest) -> bool {
        self.snapshot(digest).is_file()
    }

    pub(super) fn fetch(&self, digest: &Digest) -> Result<Bytes, DepotError> {
        let bytes = read_at_most(&self.snapshot(digest), MAX_PACKED_BYTES)?;
        bytes.map(Bytes::from).ok_or(DepotError::NoSuchSnapshot(*digest))
    }

    pub(super) fn store(&self, digest: &Digest, bytes: &[u8]) -> Result<(), DepotError> {
        let path = self.snapshot(digest);
        let _lock = self.lock()?;
        // A file that was damaged is written again.
        if fs::read(&path).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        replace(&path, bytes)
    }

    pub(super) fn publish(&self, new: Publication) -> Result<Pointer, DepotError> {
        let _lock = self.lock()?;
        let pointer = new.after(self.pointer()?)?;
        if !self.has(&pointer.entry.digest) {
            return Err(DepotError::NoSuchSnapshot(pointer.entry.digest));
        }
        self.replace(POINTER, &serde_json::to_vec_pretty(&pointer)?)?;
        Ok(pointer)
    }

    pub(super) fn restore(&self, pointer: &Pointer) -> Result<(), DepotError> {
        let _lock = self.lock()?;
        check_next(1, self.pointer()?.as_ref())?;
        self.replace(POINTER, &serde_json::to_vec_pretty(pointer)?)
    }

    pub(super) fn replace_hidden(&self, new: &Hidden) -> Result<(), DepotError> {
        let _lock = self.lock()?;
        compare_hidden(new, self.read(HIDDEN)?.as_deref())?;
        self.replace(HIDDEN, &serde_json::to_vec_pretty(new)?)
    }

    pub(super) fn note_server(&self, state: &ServerState) -> Result<(), DepotError> {
        let folder = self.root.join(SERVERS);
        // a depot that is gone may be a disk that is not mounted, over whose mount point nothing must be written
        let snapshots = self.root.join("snapshots");
        fs::metadata(&snapshots).map_err(error_at(&snapshots))?;
        if let Err(error) = fs::create_dir(&folder)
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(error_at(&folder)(error));
        }
        // only this server writes it
        replace(&folder.join(file_of(&state.id)), &serde_json::to_vec(state)?)
    }

    pub(super) fn forget_server(&self, id: &str) -> Result<(), DepotError> {
        let path = self.root.join(SERVERS).join(file_of(id));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error_at(&path)(error)),
            _ => Ok(()),
        }
    }

    pub(super) fn servers(&self) -> Result<Vec<ServerState>, DepotError> {
        let folder = self.root.join(SERVERS);
        let files = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files.map_err(error_at(&folder))?,
        };
        let paths = files.flatten().map(|file| file.path());
        let states = paths
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .filter_map(|path| serde_json::from_slice(&read_at_most(&path, MAX_BYTES).ok()??).ok());
        Ok(states.collect())
    }

    /// Waits until no other process writes. The operating system releases the lock when its holder exits.
    fn lock(&self) -> Result<File, DepotError> {
        let path = self.root.join("current.lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(error_at(&path))?;
        file.lock().map_err(error_at(&path))?;
        Ok(file)
    }
}

fn error_at(path: &Path) -> impl FnOnce(io::Error) -> DepotError {
    let path = path.to_owned();
    move |error| DepotError::Folder { path, error }
}

/// None when there is no such file.
fn open(path: &Path) -> Result<Option<File>, DepotError> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => Ok(Some(opened.map_err(error_at(path))?)),
    }
}

fn read_at_most(path: &Path, max: u64) -> Result<Option<Vec<u8>>, DepotError> {
    open(path)?.map(|file| read_open(file, path, max)).transpose()
}

fn read_open(file: File, path: &Path, max: u64) -> Result<Vec<u8>, DepotError> {
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes).map_err(error_at(path))?;
    if bytes.len() as u64 > max {
        return Err(DepotError::TooLarge(path.display().to_string(), max));
    }
    Ok(bytes)
}

/// The caller holds the lock, or is the only one who writes the file.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), DepotError> {
    replace_file(path, bytes).map_err(error_at(path))
}
