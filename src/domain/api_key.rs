//! API keys: the plain text, which is shown once and never stored, and the record that is stored.

use std::fmt;

use sha2::{Digest, Sha256};

use super::base62::{self, NoRandomness, as_text};
use super::clock::UnixMillis;

/// The prefix of every key, which lets secret scanners recognise it.
pub const PREFIX: &str = "cdg_live_";

pub(super) const SECRET: usize = 32;
pub(super) const CHECKSUM: usize = 6;
/// Characters of a key.
pub const LENGTH: usize = PREFIX.len() + SECRET + CHECKSUM;
/// The longest key in a form: people paste blanks along with it.
pub const MAX_TYPED: usize = 128;

/// A key in plain text: the prefix, 32 random characters of base 62, and the CRC-32 of both in 6 more.
///
/// The checksum is no secret and proves nothing; it rejects a mistyped or made-up key without a store call. Neither
/// `Debug` nor `Display` shows the key; [`ApiKey::reveal`] does.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey([u8; LENGTH]);

impl ApiKey {
    /// A new random key.
    pub fn generate() -> Result<ApiKey, NoRandomness> {
        let mut text = [0; LENGTH];
        text[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        text[PREFIX.len()..LENGTH - CHECKSUM].copy_from_slice(&base62::random::<SECRET>()?);
        let checksum = checksum(&text[..LENGTH - CHECKSUM]);
        text[LENGTH - CHECKSUM..].copy_from_slice(&checksum);
        Ok(ApiKey(text))
    }

    /// Parses a key as it was sent; `None` when it is malformed.
    pub fn parse(sent: &[u8]) -> Option<ApiKey> {
        let text: [u8; LENGTH] = sent.try_into().ok()?;
        let (rest, sum) = text.split_at(LENGTH - CHECKSUM);
        let secret = rest.strip_prefix(PREFIX.as_bytes())?;
        let is_valid = secret.iter().all(u8::is_ascii_alphanumeric) && checksum(rest) == sum;
        is_valid.then_some(ApiKey(text))
    }

    /// The plain text, for its owner.
    pub fn reveal(&self) -> &str {
        as_text(&self.0)
    }

    /// The hash that is stored.
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0).into())
    }

    /// The first four characters of its secret part, for display.
    pub fn first4(&self) -> &str {
        as_text(&self.0[PREFIX.len()..PREFIX.len() + 4])
    }

    /// Its last four characters, for display.
    pub fn last4(&self) -> &str {
        as_text(&self.0[LENGTH - 4..])
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}…{}", self.first4(), self.last4())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// SHA-256 of a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash(pub [u8; 32]);

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // enough to tell two apart in a log
        write!(f, "KeyHash({:02x}{:02x}…)", self.0[0], self.0[1])
    }
}

/// The stored part of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its hash.
    pub hash: KeyHash,
    /// The first four characters of its secret part, so that its owner can recognise it.
    pub first4: String,
    /// The last four characters.
    pub last4: String,
    /// When it was created.
    pub created_at: UnixMillis,
    /// When it was revoked, if it was.
    pub revoked_at: Option<UnixMillis>,
}

impl KeyRecord {
    /// The record of a key created at a moment.
    pub fn of(key: &ApiKey, created_at: UnixMillis) -> KeyRecord {
        KeyRecord {
            hash: key.hash(),
            first4: key.first4().to_owned(),
            last4: key.last4().to_owned(),
            created_at,
            revoked_at: None,
        }
    }
}

/// CRC-32 of `rest` in base 62, most significant digit first. Six digits hold every CRC-32.
pub(super) fn checksum(rest: &[u8]) -> [u8; CHECKSUM] {
    let mut left = crc32fast::hash(rest);
    let mut digits = [b'0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = base62::ALPHABET[(left % 62) as usize];
        left /= 62;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_has_the_documented_form() {
        let key = ApiKey::generate().expect("randomness");
        let text = key.reveal();
        assert_eq!(text.len(), 47);
        assert!(text.starts_with("cdg_live_"));
        assert!(text[9..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(ApiKey::parse(text.as_bytes()), Some(key.clone()));
        assert_eq!(&text[9..13], key.first4());
        assert_eq!(&text[43..], key.last4());
    }

    #[test]
    fn the_checksum_is_crc32_in_base_62() {
        // CRC-32 of "123456789" is 0xCBF43926 = 3421780262.
        assert_eq!(&checksum(b"123456789"), b"3jZRME");
        let back = b"3jZRME".iter().fold(0u64, |sum, digit| {
            sum * 62 + base62::ALPHABET.iter().position(|known| known == digit).expect("a digit") as u64
        });
        assert_eq!(back, 0xCBF4_3926);
    }

    #[test]
    fn printing_hides_the_secret() {
        let key = ApiKey::generate().expect("randomness");
        let secret = &key.reveal()[13..43];
        for shown in [format!("{key}"), format!("{key:?}"), format!("{:?}", Some(&key))] {
            assert!(!shown.contains(secret) && shown.contains(key.last4()), "{shown}");
        }
    }

    proptest! {
        #[test]
        fn any_single_wrong_byte_is_rejected(place in 0usize..47, byte in any::<u8>()) {
            let key = ApiKey::generate().expect("randomness");
            let mut mistyped = key.reveal().as_bytes().to_vec();
            prop_assume!(mistyped[place] != byte);
            mistyped[place] = byte;
            prop_assert_eq!(ApiKey::parse(&mistyped), None);
        }

        #[test]
        fn parsing_never_panics(sent in prop::collection::vec(any::<u8>(), 0..80)) {
            prop_assert_eq!(ApiKey::parse(&sent), None);
        }
    }
}
