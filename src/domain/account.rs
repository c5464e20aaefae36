//! Accounts: ids, e-mail addresses and profiles.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::base62::{self, NoRandomness};
use crate::domain::clock::UnixMillis;
use crate::domain::error::ApiError;
use crate::domain::plan::Plan;

/// A customer, identified by an e-mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its e-mail address.
    pub email: Email,
    /// Its current plan.
    pub plan: Plan,
    /// When it was created.
    pub created_at: UnixMillis,
    /// Whether the operator has blocked it: its keys are refused, and no mail gives access to it.
    pub is_blocked: bool,
}

impl Account {
    /// A new account on the free plan.
    pub fn new(id: AccountId, email: Email, created_at: UnixMillis) -> Account {
        Account { id, email, plan: Plan::Free, created_at, is_blocked: false }
    }

    /// The error of a blocked account.
    pub fn check_not_blocked(&self) -> Result<(), ApiError> {
        if self.is_blocked { Err(ApiError::AccountBlocked) } else { Ok(()) }
    }
}

/// What the owner of an account wrote when signing up: for the operator only, never part of answers or mail.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Profile {
    /// Their name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Their company.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// What they want the guide for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_case: Option<String>,
}

/// The characters of an id after its prefix.
const RANDOM: usize = 16;

/// Random ids with a prefix: unique without a counter in the store, and they reveal nothing.
macro_rules! random_ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A new id.
            pub fn generate() -> Result<$name, NoRandomness> {
                Ok($name(format!("{}{}", $prefix, base62::as_text(&base62::random::<RANDOM>()?))))
            }

            /// The id in a text from outside; `None` when it can be none that was generated.
            pub fn parse(text: &str) -> Option<$name> {
                let random = text.strip_prefix($prefix)?;
                let is_id = random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
                is_id.then(|| $name(text.to_owned()))
            }

            /// An id read back from where it was stored. Text from outside is parsed.
            pub fn from_stored(text: String) -> $name {
                $name(text)
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

random_ids! {
    /// The id of an account.
    AccountId = "acct_";
    /// The id of a queued mail.
    MailId = "ltr_";
    /// The id of a message to a webhook.
    DeliveryId = "msg_";
    /// The id of a token, by which it is listed and revoked.
    TokenId = "tok_";
    /// The id of a suggestion of a reader.
    SuggestionId = "sug_";
    /// The id of a reader of the weekly letter: whoever knows it may confirm and stop.
    ReaderId = "rdr_";
    /// The id of an order, also used at the gateway.
    OrderId = "chk_";
    /// The id of a lease holder: one lease of one process.
    HolderId = "h_";
    /// The id of a mailer: each serving process has one, and another one after a restart.
    MailerId = "m_";
}

/// The longest e-mail address, in bytes.
pub const MAX_EMAIL: usize = 254;

/// An e-mail address in lower case, so that two spellings of an address are one account.
///
/// At most [`MAX_EMAIL`] characters, one `@`; before it a dot-atom of at most 64, after it at least two labels of
/// letters, digits and inner hyphens, the last not all digits. Quoted local parts, address literals and non-ASCII
/// letters are rejected: hardly anybody has such an address only.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Email(String);

/// The text is not an e-mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an e-mail address like maria@example.com")]
pub struct NotAnEmail;

impl Email {
    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address without a tag: `maria@x.example` for `maria+jazz@x.example`.
    pub fn without_tag(&self) -> Email {
        match self.0.split_once('@').and_then(|(local, domain)| Some((local.split_once('+')?.0, domain))) {
            Some((local, domain)) if !local.is_empty() => Email(format!("{local}@{domain}")),
            _ => self.clone(),
        }
    }

    /// What stands for the address where it must not be kept: the first half of its SHA-256, in hexadecimal.
    pub fn fingerprint(&self) -> String {
        HEXLOWER.encode(&Sha256::digest(self.as_str())[..16])
    }
}

impl FromStr for Email {
    type Err = NotAnEmail;

    fn from_str(text: &str) -> Result<Email, NotAnEmail> {
        let atom = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&b))
        };
        let label = |part: &str| {
            (1..=63).contains(&part.len())
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
                && !part.starts_with('-')
                && !part.ends_with('-')
        };
        let (local, domain) = text.split_once('@').ok_or(NotAnEmail)?;
        let last = domain.rsplit_once('.').map(|(_, last)| last).ok_or(NotAnEmail)?;
        let is_valid = text.len() <= MAX_EMAIL
            && local.len() <= 64
            && local.split('.').all(atom)
            && domain.split('.').all(label)
            && !last.bytes().all(|b| b.is_ascii_digit());
        if is_valid { Ok(Email(text.to_ascii_lowercase())) } else { Err(NotAnEmail) }
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_id_is_parsed_back_and_no_other_text_is_one() {
        let id = TokenId::generate().expect("randomness");
        assert_eq!(TokenId::parse(id.as_str()), Some(id.clone()));
        assert_eq!(OrderId::parse(id.as_str()), None, "of another kind");
        let long = format!("{id}0");
        for text in ["", "tok_", "tok_000000000000000", "tok_00000000000000-0", "tok_0000000000000é0", &long]
        {
            assert_eq!(TokenId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn common_addresses_are_accepted() {
        for text in ["a@b.c", "Maria.Silva+guia@Example.COM.br", "o'neil@x-y.io", "1@2.c3"] {
            assert_eq!(text.parse::<Email>().expect(text).as_str(), text.to_ascii_lowercase());
        }
    }

    #[test]
    fn malformed_addresses_are_rejected() {
        let long = format!("{}@example.com", "a".repeat(65));
        let wide = format!("a@{}.com", "b".repeat(64));
        for text in [
            "",
            "@",
            "a",
            "a@",
            "@b.c",
            "a@b",
            "a@@b.c",
            "a@b@c.d",
            ".a@b.c",
            "a.@b.c",
            "a..b@c.d",
            "a b@c.d",
            "a@-b.c",
            "a@b-.c",
            "a@b..c",
            "a@.b.c",
            "a@b.c.",
            "a@127.0.0.1",
            "a@[::1]",
            "\"a\"@b.c",
            "ã@b.c",
            "a@b.c\n",
            "a@b.c\r\nbcc: x@y.z",
            &long,
            &wide,
        ] {
            assert_eq!(text.parse::<Email>(), Err(NotAnEmail), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics_and_is_idempotent(text in "\\PC{0,40}@?\\PC{0,40}") {
            if let Ok(email) = text.parse::<Email>() {
                prop_assert_eq!(email.as_str().parse::<Email>(), Ok(email.clone()));
            }
        }
    }
}
