//! Entity tags (RFC 9110, 8.8.3): made of all that decides an answer, one for each coding of it, and looked for in what
//! a client has.

use std::fmt::Display;
use std::iter;

use data_encoding::HEXLOWER;
use hyper::header::{HeaderMap, HeaderValue, IF_NONE_MATCH};
use sha2::{Digest, Sha256};

use super::encoded::Coding;

/// The bytes of a hash that a tag has.
const BYTES: usize = 12;

/// Makes a tag from all that decides an answer.
pub(super) struct TagHash(Sha256);

impl TagHash {
    /// Begins with the program: releases may write answers differently.
    pub(super) fn new() -> TagHash {
        TagHash(Sha256::new()).part(env!("CARGO_PKG_VERSION")).part(env!("CANDANGO_COMMIT"))
    }

    /// With one more part; it has no zero byte.
    pub(super) fn part(mut self, part: impl Display) -> TagHash {
        self.0.update(part.to_string());
        self.0.update([0]);
        self
    }

    /// The tag.
    pub(super) fn tag(self) -> HeaderValue {
        of_hash(&self.0.finalize())
    }
}

/// The tag of content, by its bytes alone.
pub(super) fn of_content(content: impl AsRef<[u8]>) -> HeaderValue {
    of_hash(&Sha256::digest(content))
}

/// The tag of what has this SHA-256.
pub(super) fn of_hash(hash: &[u8]) -> HeaderValue {
    let tag = format!("\"{}\"", HEXLOWER.encode(&hash[..BYTES.min(hash.len())]));
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"-\""))
}

/// The tag of a compressed document: `"a1"` becomes `"a1-br"`.
pub(super) fn in_coding(tag: &HeaderValue, coding: &str) -> HeaderValue {
    let text = tag.to_str().ok().and_then(|text| text.strip_suffix('"'));
    let coded = text.and_then(|text| HeaderValue::try_from(format!("{text}-{coding}\"")).ok());
    coded.unwrap_or_else(|| tag.clone())
}

/// The tag of a document, in any coding, that the client has, for documents that are not looked up yet; see [`names`].
pub(super) fn known(headers: &HeaderMap, tag: &HeaderValue) -> Option<HeaderValue> {
    headers.get(IF_NONE_MATCH)?;
    let coded = Coding::ALL.map(|coding| in_coding(tag, coding.name()));
    iter::once(tag.clone()).chain(coded).find(|tag| names(headers, tag))
}

/// Whether `if-none-match` has `tag` or `*`, for what there is: `*` means anything (RFC 9110, 13.1.2).
pub(super) fn matches(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    known_tags(headers).any(|known| known == b"*") || names(headers, tag)
}

/// Whether `if-none-match` has `tag`. `*` is not enough where it is not known yet whether there is an answer that has
/// the tag: what is not there is not found, and a search that nobody has is made. Weak and strong tags compare equal.
pub(super) fn names(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    fn strong(tag: &[u8]) -> &[u8] {
        tag.strip_prefix(b"W/").unwrap_or(tag)
    }
    known_tags(headers).any(|known| strong(known) == strong(tag.as_bytes()))
}

fn known_tags(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let lines = headers.get_all(IF_NONE_MATCH).iter();
    lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii)
}
