//! The snapshot that a folder began from, remembered in the folder: compared with it, a colleague's work differs from
//! one's own.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use snapshots::{Digest, FileText, Pointer, replace_file, replace_files};

const FILE: &str = ".candango.json";

/// The content of the file.
#[derive(Serialize, Deserialize)]
struct Base {
    /// The snapshot that the folder began from, or that was published of it last.
    base: Digest,
    /// What is being published of it. It stays when the command is killed before it ends, and was published or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    publishing: Option<Digest>,
}

/// The snapshot that a folder began from; `None` when it does not say. What a killed command was publishing counts when
/// the depot knows it.
pub(super) fn read(folder: &Path, published: Option<&Pointer>) -> Result<Option<Digest>> {
    let path = folder.join(FILE);
    match fs::read(&path) {
        Ok(bytes) => {
            let base: Base = serde_json::from_slice(&bytes)
                .with_context(|| format!("{} is damaged: remove it", path.display()))?;
            let was_published = |digest: &Digest| {
                published.is_some_and(|known| known.publications().any(|entry| entry.digest == *digest))
            };
            Ok(Some(base.publishing.filter(was_published).unwrap_or(base.base)))
        }
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// Remembers the snapshot that a folder begins from.
pub(super) fn write(folder: &Path, base: Digest) -> Result<()> {
    save(folder, &Base { base, publishing: None })
}

/// Remembers what is about to be published of a folder, if the folder says what it began from.
pub(super) fn announce(folder: &Path, published: Option<&Pointer>, publishing: Digest) -> Result<()> {
    match read(folder, published) {
        Ok(Some(base)) => save(folder, &Base { base, publishing: Some(publishing) }),
        // a damaged file stops no publication with --over: it is written anew
        Ok(None) | Err(_) => Ok(()),
    }
}

fn save(folder: &Path, base: &Base) -> Result<()> {
    replace(&folder.join(FILE), &content(base)?)
}

fn content(base: &Base) -> Result<String> {
    Ok(serde_json::to_string(base)? + "\n")
}

/// Writes the files of a folder, and the snapshot that it begins from: all of them, or none when the disk is full. An
/// optional file that is not needed is removed.
pub(super) fn write_files(folder: &Path, texts: &[FileText], base: Digest) -> Result<()> {
    let base = content(&Base { base, publishing: None })?;
    let texts_of = texts.iter().filter_map(|(file, text)| Some((file.name(), text.as_deref()?)));
    let all = texts_of.chain([(FILE, &*base)]);
    let all: Vec<_> = all.map(|(name, text)| (folder.join(name), text.as_bytes())).collect();
    replace_all(&all)?;
    for (file, _) in texts.iter().filter(|(_, text)| text.is_none()) {
        let path = folder.join(file.name());
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} cannot be removed", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Replaces files together, or none of them.
pub(super) fn replace_all(files: &[(PathBuf, &[u8])]) -> Result<()> {
    replace_files(files).map_err(|(path, error)| {
        anyhow::Error::new(error).context(format!("{} cannot be written", path.display()))
    })
}

/// Replaces a file as a whole.
pub(super) fn replace(path: &Path, text: &str) -> Result<()> {
    replace_file(path, text.as_bytes()).with_context(|| format!("{} cannot be written", path.display()))
}
