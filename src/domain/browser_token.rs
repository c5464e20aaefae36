//! Browser tokens: what a web page shows in place of a key. A token works only in pages of the origins that it was made
//! for, and sees the basic fields only. Like a key it is shown once, and only its hash is stored.

use std::fmt;
use std::str::FromStr;

use rand::rngs::SysError;
use sha2::{Digest, Sha256};
use url::{Host, Url};

use super::account::{AccountId, TokenId};
use super::api_key::{CHECKSUM, KeyHash, LENGTH as KEY_LENGTH, SECRET, checksum};
use super::base62::{self, as_text};
use super::clock::UnixMillis;

/// The prefix of every token.
pub const PREFIX: &str = "cdg_browser_";

/// Characters of a token. Never those of a key, so that neither can pass for the other.
pub const LENGTH: usize = PREFIX.len() + SECRET + CHECKSUM;
const _: () = assert!(LENGTH != KEY_LENGTH);

/// How many tokens an account may have.
pub const MAX_TOKENS: usize = 20;

/// How many origins a token may have.
pub const MAX_ORIGINS: usize = 10;

/// The longest origin, in bytes: a host name has 253 at most.
const MAX_ORIGIN: usize = 270;

/// A token in plain text, made as keys are: the prefix, 32 random characters of base 62, and the CRC-32 of both.
#[derive(Clone, PartialEq, Eq)]
pub struct BrowserToken([u8; LENGTH]);

impl BrowserToken {
    /// A new random token.
    pub fn generate() -> Result<BrowserToken, SysError> {
        let mut text = [0; LENGTH];
        let (rest, sum) = text.split_at_mut(LENGTH - CHECKSUM);
        rest[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        rest[PREFIX.len()..].copy_from_slice(&base62::random::<SECRET>()?);
        sum.copy_from_slice(&checksum(rest));
        Ok(BrowserToken(text))
    }

    /// Parses a token as it was sent; `None` when it is malformed.
    pub fn parse(sent: &[u8]) -> Option<BrowserToken> {
        let text: [u8; LENGTH] = sent.try_into().ok()?;
        let (rest, sum) = text.split_at(LENGTH - CHECKSUM);
        let secret = rest.strip_prefix(PREFIX.as_bytes())?;
        let is_valid = secret.iter().all(u8::is_ascii_alphanumeric) && checksum(rest) == sum;
        is_valid.then_some(BrowserToken(text))
    }

    /// The plain text, for its owner.
    pub fn reveal(&self) -> &str {
        as_text(&self.0)
    }

    /// The hash that is stored.
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0).into())
    }

    /// Its last four characters, for display.
    pub fn last4(&self) -> &str {
        as_text(&self.0[LENGTH - 4..])
    }
}

impl fmt::Debug for BrowserToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}…{}", self.last4())
    }
}

/// The stored part of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its id.
    pub id: TokenId,
    /// Whose it is.
    pub account: AccountId,
    /// Its hash.
    pub hash: KeyHash,
    /// Its last four characters, so that its owner can recognise it.
    pub last4: String,
    /// Where it works.
    pub origins: Origins,
    /// When it was made.
    pub created_at: UnixMillis,
}

impl TokenRecord {
    /// The record of a token made at a moment.
    pub fn of(
        token: &BrowserToken,
        account: AccountId,
        origins: Origins,
        created_at: UnixMillis,
    ) -> Result<TokenRecord, SysError> {
        let (hash, last4) = (token.hash(), token.last4().to_owned());
        Ok(TokenRecord { id: TokenId::generate()?, account, hash, last4, origins, created_at })
    }
}

/// The web origins of a token, as browsers write them, with a space between two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins(String);

/// A text is not a list of origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadOrigins {
    /// One of them is no origin.
    #[error(
        "expected origins like https://example.com, without a path: https, or http on localhost, 127.0.0.1 or [::1]"
    )]
    NotAnOrigin,
    /// There is none, or there are too many.
    #[error("expected 1 to {MAX_ORIGINS} origins")]
    Number,
}

impl Origins {
    /// The list as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split(' ')
    }

    /// Whether a page of `origin`, as its browser sent it, may use the token.
    pub fn allow(&self, origin: &[u8]) -> bool {
        self.iter().any(|own| own.as_bytes() == origin)
    }
}

impl FromStr for Origins {
    type Err = BadOrigins;

    fn from_str(text: &str) -> Result<Origins, BadOrigins> {
        let mut origins: Vec<String> = Vec::new();
        let is_separator = |letter: char| letter.is_whitespace() || letter == ',';
        for part in text.split(is_separator).filter(|part| !part.is_empty()) {
            let origin = origin(part).ok_or(BadOrigins::NotAnOrigin)?;
            if !origins.contains(&origin) {
                origins.push(origin);
            }
            if origins.len() > MAX_ORIGINS {
                return Err(BadOrigins::Number);
            }
        }
        if origins.is_empty() { Err(BadOrigins::Number) } else { Ok(Origins(origins.join(" "))) }
    }
}

/// An origin as browsers send it; `None` for anything else. Pages without TLS can be changed on their way, so only those
/// of the developer's own machine may be.
fn origin(text: &str) -> Option<String> {
    if text.len() > MAX_ORIGIN {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let is_own_machine = match url.host()? {
        // a wildcard would be a host of that name, which no page has
        Host::Domain(name) if name.contains('*') => return None,
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    };
    let is_safe = match url.scheme() {
        "https" => true,
        "http" => is_own_machine,
        _ => false,
    };
    let is_bare = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    (is_safe && is_bare).then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::api_key::ApiKey;

    #[test]
    fn a_token_is_no_key_and_a_key_no_token() {
        let token = BrowserToken::generate().expect("randomness");
        let key = ApiKey::generate().expect("randomness");
        assert_eq!(BrowserToken::parse(token.reveal().as_bytes()), Some(token.clone()));
        assert_eq!(ApiKey::parse(token.reveal().as_bytes()), None);
        assert_eq!(BrowserToken::parse(key.reveal().as_bytes()), None);
        let mut mistyped = token.reveal().as_bytes().to_vec();
        mistyped[20] = if mistyped[20] == b'a' { b'b' } else { b'a' };
        assert_eq!(BrowserToken::parse(&mistyped), None);
        assert!(!format!("{token:?}").contains(&token.reveal()[12..40]));
    }

    #[test]
    fn origins_are_written_as_browsers_send_them() {
        let origins = |text: &str| text.parse::<Origins>().map(|origins| origins.as_str().to_owned());
        for (written, stored) in [
            ("https://Example.com", "https://example.com"),
            ("https://example.com:443/", "https://example.com"),
            ("https://a.example:8443, https://b.example", "https://a.example:8443 https://b.example"),
            ("http://localhost:3000\nhttp://127.0.0.1:5173", "http://localhost:3000 http://127.0.0.1:5173"),
            ("https://ação.example https://ação.example", "https://xn--ao-siap.example"),
        ] {
            assert_eq!(origins(written).as_deref(), Ok(stored));
        }
        for wrong in [
            "http://example.com",
            "example.com",
            "https://example.com/page",
            "https://*.example.com",
            "https://user@example.com",
            "file:///x",
            "null",
            "*",
        ] {
            assert_eq!(origins(wrong), Err(BadOrigins::NotAnOrigin), "{wrong}");
        }
        assert_eq!(origins(" , "), Err(BadOrigins::Number));
        let many: String = (0..11).map(|number| format!("https://a{number}.example ")).collect();
        assert_eq!(origins(&many), Err(BadOrigins::Number));
    }

    #[test]
    fn only_the_whole_origin_is_allowed() {
        let origins: Origins = "https://example.com".parse().expect("an origin");
        assert!(origins.allow(b"https://example.com"));
        for foreign in
            ["https://example.com.evil.example", "http://example.com", "https://example.co", "null", ""]
        {
            assert!(!origins.allow(foreign.as_bytes()), "{foreign}");
        }
    }
}
