//! Accounts: their names, addresses, profiles and what is kept of their keys.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use rand::TryRng;
use rand::rngs::{SysError, SysRng};
use serde::{Deserialize, Serialize};

use super::api_key::ApiKey;
use crate::domain::clock::UnixMillis;
use crate::domain::plan::Plan;

/// One who may ask, known by an e-mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// What it is called inside and in the operator's hands.
    pub id: AccountId,
    /// Its address.
    pub email: Email,
    /// Its plan now.
    pub plan: Plan,
    /// When it was opened.
    pub created_at: UnixMillis,
}

/// SHA-256 of a key: all that is kept of it, but for [`KeyRecord::first4`] and [`KeyRecord::last4`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash(pub [u8; 32]);

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Enough to tell two apart in a log.
        write!(f, "KeyHash({:02x}{:02x}…)", self.0[0], self.0[1])
    }
}

/// What is kept of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Which key it is.
    pub hash: KeyHash,
    /// First four characters of its secret part, so that its owner can tell it from others.
    pub first4: String,
    /// Last four characters.
    pub last4: String,
    /// When it was made.
    pub created_at: UnixMillis,
    /// When it was revoked, if it was.
    pub revoked_at: Option<UnixMillis>,
}

impl KeyRecord {
    /// The record of a key that is made at a moment.
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

/// What the holder of an account said of themselves when signing up: for the operator, never for answers or mail.
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

/// A name made at random, unlike any other: it tells nothing, and no store has to count.
macro_rules! random_name {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A new one.
            pub fn generate() -> Result<$name, SysError> {
                Ok($name(format!("{}{}", $prefix, as_text(&random_base62::<16>()?))))
            }

            /// One that a store has kept.
            pub fn kept(text: String) -> $name {
                $name(text)
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

random_name!(
    /// The name of an account.
    AccountId,
    "acct_"
);
random_name!(
    /// The name of a letter in the queue.
    MailId,
    "ltr_"
);
random_name!(
    /// The name of an order, which the gateway knows it by too.
    OrderId,
    "chk_"
);
random_name!(
    /// The name of who holds a lease: one lease of one process.
    HolderId,
    "h_"
);

/// SHA-256 of a recovery code and the account it is for: all that is kept of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CodeHash(pub [u8; 32]);

impl fmt::Debug for CodeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CodeHash(…)")
    }
}

/// An e-mail address in one spelling: two spellings of an address are one account.
///
/// At most 254 characters, one `@`; before it a dot-atom of at most 64, after it at least two labels of letters,
/// digits and inner hyphens, the last not all digits; everything in lower case. Quoted local parts, address
/// literals and letters beyond ASCII are refused: whoever has such an address has another one too.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Email(String);

/// The text is no e-mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an e-mail address like maria@example.com")]
pub struct NotAnEmail;

impl Email {
    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
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
        let sound = text.len() <= 254
            && local.len() <= 64
            && local.split('.').all(atom)
            && domain.split('.').all(label)
            && !last.bytes().all(|b| b.is_ascii_digit());
        if sound { Ok(Email(text.to_ascii_lowercase())) } else { Err(NotAnEmail) }
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Who counts as one client: an address, or all of an IPv6 network of 64 bits, whose owner has more addresses than
/// could be counted.
pub(crate) fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        address => address,
    }
}

/// `N` characters of base 62, each equally likely, from the machine's source of randomness.
pub(crate) fn random_base62<const N: usize>() -> Result<[u8; N], SysError> {
    let mut text = [0; N];
    let mut filled = 0;
    while filled < N {
        let mut bytes = [0; 64];
        SysRng.try_fill_bytes(&mut bytes)?;
        // Bytes beyond the last whole multiple of 62 would favour the first characters.
        for byte in bytes.into_iter().filter(|&byte| byte < 248) {
            if let Some(place) = text.get_mut(filled) {
                *place = BASE62[usize::from(byte) % 62];
                filled += 1;
            }
        }
    }
    Ok(text)
}

/// Bytes that are known to be ASCII, as text.
pub(crate) fn as_text(ascii: &[u8]) -> &str {
    std::str::from_utf8(ascii).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn addresses_that_are() {
        for text in ["a@b.c", "Maria.Silva+guia@Example.COM.br", "o'neil@x-y.io", "1@2.c3"] {
            assert_eq!(text.parse::<Email>().expect(text).as_str(), text.to_ascii_lowercase());
        }
    }

    #[test]
    fn addresses_that_are_not() {
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
        fn reading_is_total_and_settles(text in "\\PC{0,40}@?\\PC{0,40}") {
            if let Ok(email) = text.parse::<Email>() {
                prop_assert_eq!(email.as_str().parse::<Email>(), Ok(email.clone()));
            }
        }
    }

    #[test]
    fn an_ipv6_network_is_one_client() {
        let of = |text: &str| network(text.parse().expect("an address")).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:2::"), of("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(of("2001:db8:1:2::"), of("2001:db8:1:3::"));
        assert_eq!(of("::ffff:10.0.0.1"), "10.0.0.1");
        assert_eq!(of("10.0.0.1"), "10.0.0.1");
    }

    #[test]
    fn random_names_differ_and_use_the_whole_alphabet() {
        let names: Vec<[u8; 32]> = (0..500).map(|_| random_base62().expect("randomness")).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), 500);
        assert_eq!(names.iter().flatten().collect::<HashSet<_>>().len(), 62);
    }
}
