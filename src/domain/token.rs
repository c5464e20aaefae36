//! Tokens: what an account hands out in place of its key. A browser token stands in a web page, works only in pages of
//! the origins that it was made for, and shows the basic fields only. A calendar token stands in an address to which
//! calendar programs subscribe, and works there only. Like a key a token is shown once, and only its hash is stored.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};
use url::Url;

use super::account::{AccountId, TokenId};
use super::api_key::{CHECKSUM, KeyHash, LENGTH as KEY_LENGTH, SECRET, checksum};
use super::base62::{self, NoRandomness, as_text};
use super::clock::UnixMillis;
use super::network::is_this_machine;

/// How many tokens an account may have, of all kinds together.
pub const MAX_TOKENS: usize = 20;

/// How many origins a token may have.
pub const MAX_ORIGINS: usize = 10;

/// The longest origin, in bytes: a host name has 253 at most.
const MAX_ORIGIN: usize = 270;

/// The longest list of origins in a form, each with a comma and a line break.
pub const MAX_LIST: usize = MAX_ORIGINS * (MAX_ORIGIN + 2);

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Web pages.
    Browser,
    /// Calendar programs.
    Calendar,
}

// no kind can pass for another, nor for a key
const _: () = assert!(
    TokenKind::Browser.length() != TokenKind::Calendar.length()
        && TokenKind::Browser.length() != KEY_LENGTH
        && TokenKind::Calendar.length() != KEY_LENGTH
);

impl TokenKind {
    /// All kinds.
    pub const ALL: [TokenKind; 2] = [TokenKind::Browser, TokenKind::Calendar];

    /// The prefix of its tokens.
    pub const fn prefix(self) -> &'static str {
        match self {
            TokenKind::Browser => "cdg_browser_",
            TokenKind::Calendar => "cdg_calendar_",
        }
    }

    /// Characters of its tokens.
    pub const fn length(self) -> usize {
        self.prefix().len() + SECRET + CHECKSUM
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            TokenKind::Browser => "browser",
            TokenKind::Calendar => "calendar",
        }
    }
}

/// A token in plain text, made as keys are: the prefix, 32 random characters of base 62, and the CRC-32 of both.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new random token.
    pub fn generate(kind: TokenKind) -> Result<Token, NoRandomness> {
        let mut text = kind.prefix().to_owned();
        text.push_str(as_text(&base62::random::<SECRET>()?));
        let sum = checksum(text.as_bytes());
        text.push_str(as_text(&sum));
        Ok(Token(text))
    }

    /// Parses a token of a kind as it was sent; `None` when it is malformed.
    pub fn parse(kind: TokenKind, sent: &[u8]) -> Option<Token> {
        let text = std::str::from_utf8(sent).ok().filter(|text| text.len() == kind.length())?;
        let secret = text.strip_prefix(kind.prefix())?;
        let (rest, sum) = sent.split_last_chunk::<CHECKSUM>()?;
        let is_valid = secret.bytes().all(|byte| byte.is_ascii_alphanumeric()) && checksum(rest) == *sum;
        is_valid.then(|| Token(text.to_owned()))
    }

    /// The plain text, for its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The address of its calendar on the service at `base_url`; a question may follow.
    pub fn calendar_address(&self, base_url: &str) -> String {
        format!("{base_url}/v1/calendars/{}.ics", self.0)
    }

    /// The hash that is stored.
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(&self.0).into())
    }

    /// Its last four characters, for display.
    pub fn last4(&self) -> &str {
        // it ends in its checksum
        self.0.len().checked_sub(4).and_then(|start| self.0.get(start..)).unwrap_or_default()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token(…{})", self.last4())
    }
}

/// Where a token works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// In web pages of these origins.
    Pages(Origins),
    /// In a calendar address.
    Calendar,
}

impl Scope {
    /// The kind of its tokens.
    pub fn kind(&self) -> TokenKind {
        match self {
            Scope::Pages(_) => TokenKind::Browser,
            Scope::Calendar => TokenKind::Calendar,
        }
    }

    /// The origins of the pages, if it is for pages.
    pub fn origins(&self) -> Option<&Origins> {
        match self {
            Scope::Pages(origins) => Some(origins),
            Scope::Calendar => None,
        }
    }

    /// As it is stored: the origins, or a word that is none.
    pub fn as_str(&self) -> &str {
        match self {
            Scope::Pages(origins) => origins.as_str(),
            Scope::Calendar => TokenKind::Calendar.as_str(),
        }
    }
}

impl FromStr for Scope {
    type Err = BadOrigins;

    fn from_str(stored: &str) -> Result<Scope, BadOrigins> {
        match stored == TokenKind::Calendar.as_str() {
            true => Ok(Scope::Calendar),
            false => stored.parse().map(Scope::Pages),
        }
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
    pub scope: Scope,
    /// When it was made.
    pub created_at: UnixMillis,
}

impl TokenRecord {
    /// The record of a token made at a moment.
    pub fn of(
        token: &Token,
        account: AccountId,
        scope: Scope,
        created_at: UnixMillis,
    ) -> Result<TokenRecord, NoRandomness> {
        let (hash, last4) = (token.hash(), token.last4().to_owned());
        Ok(TokenRecord { id: TokenId::generate()?, account, hash, last4, scope, created_at })
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

/// An origin as browsers send it; `None` for anything else. Pages without TLS can be changed on their way, so only
/// those of the developer's own machine may be.
fn origin(text: &str) -> Option<String> {
    if text.len() > MAX_ORIGIN {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let host = url.host_str()?;
    let is_safe = match url.scheme() {
        "https" => true,
        "http" => is_this_machine(host),
        _ => false,
    };
    // a wildcard would be a host of that name, which no page has
    let is_bare = !host.contains('*')
        && url.path() == "/"
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
    fn a_token_of_a_kind_is_no_key_and_none_of_another_kind() {
        for kind in TokenKind::ALL {
            let token = Token::generate(kind).expect("randomness");
            let text = token.reveal();
            assert_eq!(text.len(), kind.length());
            for other in TokenKind::ALL {
                let parsed = Token::parse(other, text.as_bytes());
                assert_eq!(parsed, (other == kind).then(|| token.clone()), "{kind:?} {other:?}");
            }
            assert_eq!(ApiKey::parse(text.as_bytes()), None);
            let key = ApiKey::generate().expect("randomness");
            assert_eq!(Token::parse(kind, key.reveal().as_bytes()), None);
            let mut mistyped = text.as_bytes().to_vec();
            mistyped[20] = if mistyped[20] == b'a' { b'b' } else { b'a' };
            assert_eq!(Token::parse(kind, &mistyped), None);
            assert!(text.ends_with(token.last4()) && token.last4().len() == 4);
            assert!(!format!("{token:?}").contains(&text[13..40]));
        }
    }

    #[test]
    fn a_scope_is_read_as_it_was_stored() {
        let origins: Origins = "https://a.example https://b.example".parse().expect("origins");
        for scope in [Scope::Pages(origins), Scope::Calendar] {
            assert_eq!(scope.as_str().parse(), Ok(scope.clone()));
        }
        assert_eq!("calendar".parse::<Origins>(), Err(BadOrigins::NotAnOrigin));
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
