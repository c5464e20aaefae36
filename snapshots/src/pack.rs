//! Packs a folder into one file and unpacks it: canonical JSON compressed with zstd, named by the SHA-256 of its bytes.
//!
//! `zstdcat` shows the file and `sha256sum` verifies it. Unpacking trusts nothing, not even the size that the file
//! claims to have.

use std::fmt;
use std::io::{Read, Write};
use std::str::FromStr;

use bytes::Bytes;
use chrono::NaiveDate;
use data_encoding::HEXLOWER;
use serde::Deserialize;
use serde_with::{DeserializeFromStr, SerializeDisplay};
use sha2::{Digest as _, Sha256};

use crate::check::check;
use crate::defect::Defects;
use crate::folder::Files;
use crate::{Counts, FORMAT, Snapshot, rules};

/// The largest JSON that a packed file may hold, in bytes.
pub const MAX_UNPACKED_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// From this size of JSON on, a high compression level is too slow.
const LARGE: usize = 50 * 1024 * 1024;

/// The SHA-256 of a packed file, and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, DeserializeFromStr, SerializeDisplay)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Its first 12 digits, for display.
    pub fn short(&self) -> String {
        let mut short = self.to_string();
        short.truncate(12);
        short
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

/// The text is not a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 characters, each 0-9 or a-f")]
pub struct InvalidDigest;

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let bytes = HEXLOWER.decode(text.as_bytes()).map_err(|_| InvalidDigest)?;
        Ok(Self(bytes.try_into().map_err(|_| InvalidDigest)?))
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
    /// Packs a checked snapshot. Equal snapshots give equal bytes: records are sorted by id, fields have the order of
    /// their types, and the compression level depends on the size alone.
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
    /// Compression failed.
    #[error("the snapshot could not be compressed: {0}")]
    Compress(#[from] std::io::Error),
}

/// Checks a folder and packs it. The day `from` is that of [`check`], and what is packed does not depend on it.
pub fn pack(files: &Files, from: NaiveDate) -> Result<Packed, PackError> {
    Ok(Packed::of(check(files, from)?)?)
}

/// Why a packed file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The bytes have another digest than expected.
    #[error("the file's SHA-256 is {actual}, not {expected}: the file is damaged or replaced")]
    WrongDigest {
        /// The requested digest.
        expected: Digest,
        /// The digest of the bytes.
        actual: Digest,
    },
    /// The bytes cannot be decompressed.
    #[error("the file is not valid zstd ({0}); pack the folder again")]
    NotZstd(std::io::Error),
    /// The decompressed file is too large.
    #[error("the file decompresses to more than {} GiB; reduce the number of records", MAX_UNPACKED_BYTES >> 30)]
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

/// Unpacks a file and checks it like a folder. With `expected`, a file with another digest is rejected.
pub fn unpack(bytes: &[u8], expected: Option<&Digest>) -> Result<Snapshot, UnpackError> {
    if let Some(expected) = expected {
        let actual = Digest::of(bytes);
        if actual != *expected {
            return Err(UnpackError::WrongDigest { expected: *expected, actual });
        }
    }
    let json = decompress(bytes, MAX_UNPACKED_BYTES)?;
    let snapshot: Snapshot = serde_json::from_slice(&json).map_err(|error| {
        // A newer format may have other fields: its version says more than the first difference.
        match serde_json::from_slice(&json) {
            Ok(FormatOnly { format }) if format > FORMAT => UnpackError::NewerFormat { found: format },
            _ => UnpackError::NotASnapshot(error),
        }
    })?;
    if snapshot.format > FORMAT {
        return Err(UnpackError::NewerFormat { found: snapshot.format });
    }
    // The JSON takes several times the memory of the records, and the check does not need it.
    drop(json);
    rules::snapshot(&snapshot)?;
    Ok(snapshot)
}

/// The field that every format has.
#[derive(Deserialize)]
struct FormatOnly {
    format: u32,
}

fn decompress(bytes: &[u8], max: u64) -> Result<Vec<u8>, UnpackError> {
    // One byte above the limit shows that the file is too large.
    let decoder = || zstd::Decoder::with_buffer(bytes).map(|decoder| decoder.take(max + 1));
    // It is read twice, because a buffer that grows takes more memory than the JSON.
    let size = decoder().and_then(|mut decoder| std::io::copy(&mut decoder, &mut std::io::sink()));
    let size = size.map_err(UnpackError::NotZstd)?;
    if size > max {
        return Err(UnpackError::TooLarge);
    }
    let mut json = Vec::with_capacity(usize::try_from(size).map_err(|_| UnpackError::TooLarge)?);
    decoder().and_then(|mut decoder| decoder.read_to_end(&mut json)).map_err(UnpackError::NotZstd)?;
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decompression_bomb_is_stopped_at_the_limit() {
        let bomb = zstd::encode_all(&vec![b' '; 1 << 20][..], 19).unwrap();
        assert!(bomb.len() < 1_000);
        assert!(matches!(decompress(&bomb, (1 << 20) - 1), Err(UnpackError::TooLarge)));
        assert_eq!(decompress(&bomb, 1 << 20).unwrap().len(), 1 << 20);
    }

    #[test]
    fn a_digest_is_parsed_strictly() {
        let digest = Digest::of(b"");
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse(), Ok(digest));
        assert_eq!(digest.short(), "e3b0c44298fc");
        for bad in [&text[1..], &text.to_uppercase(), "../../etc/passwd", "", &format!("{text}0")] {
            assert_eq!(bad.parse::<Digest>(), Err(InvalidDigest));
        }
    }
}
