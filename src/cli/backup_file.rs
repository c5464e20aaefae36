//! The file of a backup.
//!
//! It is JSON lines, compressed with zstd and encrypted on demand: a header, the rows of the store, the pointer of the
//! depot, what is hidden and the snapshots that it names, and a last line that tells a whole file from a cut one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use snapshots::{Digest, Hidden, Packed, Pointer, unpack};

use crate::domain::clock::UnixMillis;
use crate::store::rows::Row;

/// How a file of age begins.
const AGE_FILE: &[u8; 19] = b"age-encryption.org/";

/// What to say when the program is missing.
const NO_AGE: &str = "the program age, which encrypts backups, cannot be run: install it";

/// The version of the format. The second holds what is hidden, and the third readers of the weekly letter and the
/// recipients of mails.
const VERSION: u32 = 3;

/// A line of a backup.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Header { version: u32, at: UnixMillis },
    Row(Row),
    Pointer(Box<Pointer>),
    Snapshot { digest: Digest, base64: String },
    Hidden(Hidden),
    End { rows: usize, snapshots: usize },
}

/// What a backup holds.
pub(super) struct Contents {
    pub(super) at: UnixMillis,
    pub(super) rows: Vec<Row>,
    pub(super) pointer: Option<Pointer>,
    pub(super) hidden: Option<Hidden>,
    pub(super) snapshots: Vec<Packed>,
}

pub(super) fn packed(digest: Digest, bytes: Vec<u8>) -> Result<Packed> {
    let snapshot = unpack(&bytes, Some(&digest))?;
    Ok(Packed { digest, counts: snapshot.counts(), name: snapshot.name, bytes: bytes.into() })
}

pub(super) fn write(file: File, contents: &Contents, recipients: &[String]) -> Result<()> {
    if recipients.is_empty() {
        return Ok(compress(file, contents)?.sync_all()?);
    }
    // the library of that format would bring seventy crates for one flag
    let flags = recipients.iter().flat_map(|recipient| ["--recipient", recipient]);
    let mut age = Command::new("age")
        .arg("--encrypt")
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(file.try_clone()?)
        .spawn()
        .context(NO_AGE)?;
    let input = age.stdin.take().context("age takes no input")?;
    let written = compress(input, contents).map(drop);
    ensure!(age.wait()?.success(), "age failed: is the recipient right?");
    written?;
    Ok(file.sync_all()?)
}

fn compress<W: Write>(out: W, contents: &Contents) -> Result<W> {
    let mut out = zstd::Encoder::new(out, 6)?;
    out.include_checksum(true)?;
    let mut line = |line: &Line| -> Result<()> {
        serde_json::to_writer(&mut out, line)?;
        Ok(out.write_all(b"\n")?)
    };
    line(&Line::Header { version: VERSION, at: contents.at })?;
    for row in &contents.rows {
        line(&Line::Row(row.clone()))?;
    }
    for snapshot in &contents.snapshots {
        line(&Line::Snapshot { digest: snapshot.digest, base64: BASE64.encode(&snapshot.bytes) })?;
    }
    if let Some(hidden) = &contents.hidden {
        line(&Line::Hidden(hidden.clone()))?;
    }
    if let Some(pointer) = &contents.pointer {
        line(&Line::Pointer(Box::new(pointer.clone())))?;
    }
    line(&Line::End { rows: contents.rows.len(), snapshots: contents.snapshots.len() })?;
    Ok(out.finish()?)
}

/// Whether a file is encrypted; it is read from its beginning next.
pub(super) fn is_encrypted(file: &mut File) -> io::Result<bool> {
    let mut start = [0; AGE_FILE.len()];
    let is_encrypted = file.read_exact(&mut start).is_ok() && start == *AGE_FILE;
    file.rewind()?;
    Ok(is_encrypted)
}

/// Reads a backup. An encrypted one needs an identity.
pub(super) fn read(path: &Path, identity: Option<&Path>) -> Result<Contents> {
    let mut file = File::open(path)?;
    let source: Box<dyn Read> = match identity.filter(|_| is_encrypted(&mut file).unwrap_or(false)) {
        None => Box::new(file),
        Some(identity) => {
            let mut age = Command::new("age");
            age.arg("--decrypt").arg("--identity").arg(identity).stdin(file);
            let decrypted = age.stderr(Stdio::inherit()).output().context(NO_AGE)?;
            ensure!(
                decrypted.status.success(),
                "age cannot decrypt {}: is the identity that of its recipient, and the file whole?",
                path.display()
            );
            Box::new(io::Cursor::new(decrypted.stdout))
        }
    };
    parsed(source).with_context(|| format!("{} is no whole backup; restore another one", path.display()))
}

fn parsed(source: impl Read) -> Result<Contents> {
    let mut contents =
        Contents { at: UnixMillis(0), rows: Vec::new(), pointer: None, hidden: None, snapshots: Vec::new() };
    let mut is_whole = false;
    for line in BufReader::new(zstd::Decoder::new(source)?).lines() {
        let line: String = line?;
        match serde_json::from_str(&line)? {
            Line::Header { version, at } => {
                ensure!(
                    (1..=VERSION).contains(&version),
                    "its format is {version}, and this program reads up to {VERSION}"
                );
                contents.at = at;
            }
            Line::Row(mut row) => {
                row.complete();
                row.check()?;
                contents.rows.push(row);
            }
            Line::Pointer(pointer) => contents.pointer = Some(*pointer),
            Line::Hidden(hidden) => contents.hidden = Some(hidden),
            Line::Snapshot { digest, base64 } => {
                contents.snapshots.push(packed(digest, BASE64.decode(base64.as_bytes())?)?);
            }
            Line::End { rows, snapshots } => {
                is_whole = rows == contents.rows.len() && snapshots == contents.snapshots.len();
            }
        }
    }
    ensure!(is_whole, "its end is missing");
    Ok(contents)
}
