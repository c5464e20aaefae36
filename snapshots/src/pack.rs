//! From a folder to one file, and back: canonical JSON under zstd, named by the SHA-256 of its bytes.
//!
//! The file can be looked at with `zstdcat` and proved with `sha256sum`; reading it runs nothing and trusts
//! nothing, not even its own claim of how large it becomes. May use check, the rules and the records.

use std::fmt;
use std::io::{Read, Write};
use std::str::FromStr;

use bytes::Bytes;
use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::check::check;
use crate::defect::Defects;
use crate::folder::Files;
use crate::{Counts, FORMAT, Snapshot, rules};

/// The most that a packed file may unfold to, in bytes.
pub const MAX_UNPACKED_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// From this size of JSON on, compressing well takes longer than it is worth.
const LARGE: usize = 50 * 1024 * 1024;

/// The SHA-256 of a packed file, and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Its first 12 digits, for people.
    pub fn short(&self) -> String {
        let mut short = self.to_string();
        short.truncate(12);
        short
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A text that is no digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 characters, each 0-9 or a-f")]
pub struct NoDigest;

impl FromStr for Digest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Self, NoDigest> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(NoDigest),
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(NoDigest);
        }
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A snapshot as one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// The SHA-256 of `bytes`.
    pub digest: Digest,
    /// The file.
    pub bytes: Bytes,
    /// The snapshot's name.
    pub name: String,
    /// How much it holds.
    pub counts: Counts,
}

impl Packed {
    /// Packs a snapshot that was checked already. Equal snapshots give equal bytes: records are sorted by id,
    /// fields stand in the order of their types, and the compression level depends on the size alone.
    pub fn of(mut snapshot: Snapshot) -> std::io::Result<Self> {
        snapshot.places.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        snapshot.events.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let json = serde_json::to_vec(&snapshot)?;
        let level = if json.len() > LARGE { 3 } else { 9 };
        let mut encoder = zstd::Encoder::new(Vec::new(), level)?;
        encoder.include_checksum(true)?;
        encoder.write_all(&json)?;
        let bytes = Bytes::from(encoder.finish()?);
        Ok(Self { digest: Digest::of(&bytes), bytes, counts: snapshot.counts(), name: snapshot.name })
    }
}

/// Why a folder could not be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The snapshot has defects.
    #[error(transparent)]
    Defective(#[from] Defects),
    /// The file could not be made.
    #[error("the snapshot could not be compressed: {0}")]
    Compress(#[from] std::io::Error),
}

/// Checks a folder and packs it. Repeated events are written out from the day `from` on.
pub fn pack(files: &Files, from: NaiveDate) -> Result<Packed, PackError> {
    Ok(Packed::of(check(files, from)?)?)
}

/// Why a packed file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The bytes are not those that were asked for.
    #[error("the file's SHA-256 is {actual}, not {expected}: it was damaged or exchanged; publish it again")]
    WrongDigest {
        /// What was asked for.
        expected: Digest,
        /// What came.
        actual: Digest,
    },
    /// The bytes cannot be decompressed.
    #[error("the file is not valid zstd ({0}); pack the folder again")]
    NotZstd(std::io::Error),
    /// The bytes become more than is allowed.
    #[error("the file unfolds to more than {} GiB; hand in fewer records", MAX_UNPACKED_BYTES >> 30)]
    TooLarge,
    /// It was packed by a newer release.
    #[error("the file has format {found}; this release reads up to {FORMAT}: upgrade it before publishing")]
    NewerFormat {
        /// The file's format.
        found: u32,
    },
    /// It is not a snapshot.
    #[error("the file is not a packed snapshot ({0}); pack the folder again")]
    NotASnapshot(serde_json::Error),
    /// It breaks a rule.
    #[error("the packed snapshot has defects:\n{0}")]
    Defective(#[from] Defects),
}

/// Reads a packed file and checks it like a folder. With `expected`, only a file of that digest is read.
pub fn unpack(bytes: &[u8], expected: Option<&Digest>) -> Result<Snapshot, UnpackError> {
    if let Some(expected) = expected {
        let actual = Digest::of(bytes);
        if actual != *expected {
            return Err(UnpackError::WrongDigest { expected: *expected, actual });
        }
    }
    let json = unfold(bytes, MAX_UNPACKED_BYTES)?;
    let snapshot: Snapshot = serde_json::from_slice(&json).map_err(|error| {
        // A newer format need not have the shape of this one: its number says more than where it differs.
        match serde_json::from_slice(&json) {
            Ok(Head { format }) if format > FORMAT => UnpackError::NewerFormat { found: format },
            _ => UnpackError::NotASnapshot(error),
        }
    })?;
    if snapshot.format > FORMAT {
        return Err(UnpackError::NewerFormat { found: snapshot.format });
    }
    // The text is several times the size of the records; it is not needed while they are checked.
    drop(json);
    rules::snapshot(&snapshot)?;
    Ok(snapshot)
}

/// What every format has.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

fn unfold(bytes: &[u8], most: u64) -> Result<Vec<u8>, UnpackError> {
    let decoder = zstd::Decoder::with_buffer(bytes).map_err(UnpackError::NotZstd)?;
    let mut json = Vec::new();
    // One byte above the limit tells a file that reaches it from one that passes it.
    decoder.take(most + 1).read_to_end(&mut json).map_err(UnpackError::NotZstd)?;
    if json.len() as u64 > most { Err(UnpackError::TooLarge) } else { Ok(json) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bomb_is_stopped_at_the_limit() {
        let bomb = zstd::encode_all(&vec![b' '; 1 << 20][..], 19).unwrap();
        assert!(bomb.len() < 1_000);
        assert!(matches!(unfold(&bomb, (1 << 20) - 1), Err(UnpackError::TooLarge)));
        assert_eq!(unfold(&bomb, 1 << 20).unwrap().len(), 1 << 20);
    }

    #[test]
    fn a_digest_is_read_strictly() {
        let digest = Digest::of(b"");
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse(), Ok(digest));
        assert_eq!(digest.short(), "e3b0c44298fc");
        for bad in [&text[1..], &text.to_uppercase(), "../../etc/passwd", "", &format!("{text}0")] {
            assert_eq!(bad.parse::<Digest>(), Err(NoDigest));
        }
    }
}
