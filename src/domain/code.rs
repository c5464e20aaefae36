//! Codes that are mailed and tokens of sessions: the plain text, and the hash that is stored.

use std::fmt;

use data_encoding::HEXLOWER;
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};

use super::account::{AccountId, Email};
use super::api_key::KeyHash;
use super::base62::{self, NoRandomness, as_text};

/// Digits and capitals without I, L, O and U: 32 characters, so that five random bits make one, and none looks like
/// another.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const LENGTH: usize = 12;

/// The longest code in a form, with hyphens and blanks.
pub const MAX_TYPED: usize = 40;

/// A code in plain text: twelve characters, 60 random bits, shown as `XXXX-XXXX-XXXX`.
///
/// `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode([u8; LENGTH]);

impl RecoveryCode {
    /// A new random code.
    pub fn generate() -> Result<RecoveryCode, NoRandomness> {
        let mut text = [0; LENGTH];
        SysRng.try_fill_bytes(&mut text)?;
        Ok(RecoveryCode(text.map(|byte| ALPHABET[usize::from(byte % 32)])))
    }

    /// Parses a code as people type it: in any case, with blanks and hyphens anywhere, with O for 0 and I or L for 1.
    /// `None` when it is malformed.
    pub fn parse(typed: &str) -> Option<RecoveryCode> {
        let mut text = [0; LENGTH];
        let mut read = 0;
        for char in typed.chars().filter(|char| !char.is_whitespace() && *char != '-') {
            let byte = match char.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            };
            let byte = u8::try_from(byte).ok().filter(|byte| ALPHABET.contains(byte))?;
            *text.get_mut(read)? = byte;
            read += 1;
        }
        (read == LENGTH).then_some(RecoveryCode(text))
    }

    /// The plain text, for the mail.
    pub fn reveal(&self) -> String {
        self.0.chunks(4).map(as_text).collect::<Vec<_>>().join("-")
    }

    /// The hash that is stored. It includes the account, so that the code is valid for no other.
    pub fn hash(&self, account: &AccountId) -> CodeHash {
        CodeHash(Sha256::new().chain_update(account.as_str()).chain_update(self.0).finalize().into())
    }

    /// The hash of a code that opens a session: a code of one kind is not valid as one of the other.
    pub fn sign_in_hash(&self, account: &AccountId) -> CodeHash {
        let tagged = Sha256::new().chain_update("sign-in/").chain_update(account.as_str());
        CodeHash(tagged.chain_update(self.0).finalize().into())
    }

    /// The hash of a code for another address of the account: it is valid for that address only.
    pub fn new_address_hash(&self, account: &AccountId, address: &Email) -> CodeHash {
        let tagged = Sha256::new().chain_update("address/").chain_update(account.as_str());
        let tagged = tagged.chain_update("/").chain_update(address.as_str()).chain_update("/");
        CodeHash(tagged.chain_update(self.0).finalize().into())
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(…)")
    }
}

/// SHA-256 of a code or the token of a session, and of its account.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CodeHash(pub [u8; 32]);

/// What a session of the site may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// What the holder of the API key may: see the plan and the calls, and order a plan.
    Key,
    /// What the owner of the mailbox may: everything.
    Owner,
}

/// The token of a session: what it may do, its account, and 32 random characters. `Debug` does not show those.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken {
    /// What the session may do.
    pub level: Level,
    /// The account.
    pub account: AccountId,
    secret: [u8; SECRET],
}

const SECRET: usize = 32;

impl SessionToken {
    /// A new random token.
    pub fn generate(level: Level, account: AccountId) -> Result<SessionToken, NoRandomness> {
        Ok(SessionToken { level, account, secret: base62::random::<SECRET>()? })
    }

    /// Parses a token as [`SessionToken::reveal`] writes it; `None` when it is malformed.
    pub fn parse(sent: &str) -> Option<SessionToken> {
        let mut parts = sent.split('.');
        let level = match parts.next()? {
            "key" => Level::Key,
            "owner" => Level::Owner,
            _ => return None,
        };
        let (account, secret) = (parts.next()?, parts.next()?);
        let is_id = |id: &str| {
            (1..=64).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let secret: [u8; SECRET] = secret.as_bytes().try_into().ok()?;
        let is_whole =
            parts.next().is_none() && is_id(account) && secret.iter().all(u8::is_ascii_alphanumeric);
        is_whole.then(|| SessionToken { level, account: AccountId::from_stored(account.to_owned()), secret })
    }

    fn level(&self) -> &'static str {
        match self.level {
            Level::Key => "key",
            Level::Owner => "owner",
        }
    }

    /// The plain text, for the cookie.
    pub fn reveal(&self) -> String {
        format!("{}.{}.{}", self.level(), self.account, as_text(&self.secret))
    }

    /// What a form of the session carries that is for one `state` of what it changes. It tells nothing of the token.
    pub fn form_mark(&self, state: &str) -> String {
        let tagged = Sha256::new().chain_update("form/").chain_update(self.secret).chain_update("/");
        HEXLOWER.encode(&tagged.chain_update(state).finalize()[..16])
    }

    /// The hash that is stored. It includes the level, so that a token is valid for no higher one, and the live keys of
    /// the account: when they change, the session has ended.
    pub fn hash(&self, live_keys: impl IntoIterator<Item = KeyHash>) -> CodeHash {
        let mut keys: Vec<[u8; 32]> = live_keys.into_iter().map(|key| key.0).collect();
        keys.sort_unstable();
        let tagged = Sha256::new().chain_update("session/").chain_update(self.level()).chain_update("/");
        let mut hash = tagged.chain_update(self.account.as_str()).chain_update(self.secret);
        keys.iter().for_each(|key| hash.update(key));
        CodeHash(hash.finalize().into())
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionToken({:?} of {})", self.level, self.account)
    }
}

impl fmt::Debug for CodeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CodeHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_code_is_parsed_as_people_type_it() {
        let code = RecoveryCode(*b"01AB23CD45EF");
        assert_eq!(code.reveal(), "01AB-23CD-45EF");
        for typed in
            ["01AB-23CD-45EF", "01ab23cd45ef", " oIaB 23cD-45 ef\n", "0lab--23cd45ef", "Oiab\u{a0}23cd45ef"]
        {
            assert_eq!(RecoveryCode::parse(typed), Some(code.clone()), "{typed:?}");
        }
        for typed in
            ["", "01AB-23CD-45E", "01AB-23CD-45EF0", "01AB-23CD-45EU", "01AB_23CD_45EF", "０1AB-23CD-45EF"]
        {
            assert_eq!(RecoveryCode::parse(typed), None, "{typed:?}");
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics(typed in any::<String>()) {
            if let Some(code) = RecoveryCode::parse(&typed) {
                prop_assert_eq!(RecoveryCode::parse(&code.reveal()), Some(code));
            }
        }
    }

    #[test]
    fn codes_differ_and_are_valid_for_one_account_only() {
        let (one, other) =
            (RecoveryCode::generate().expect("a code"), RecoveryCode::generate().expect("a code"));
        assert_ne!(one, other);
        assert_eq!(RecoveryCode::parse(&one.reveal()), Some(one.clone()));
        let (maria, joana) = (AccountId::generate().expect("a name"), AccountId::generate().expect("a name"));
        assert!(one.hash(&maria) == one.hash(&maria) && one.hash(&maria) != one.hash(&joana));
        assert!(one.hash(&maria) != other.hash(&maria));
        assert!(!format!("{one:?}").contains(&one.reveal()));
    }

    #[test]
    fn a_code_of_one_kind_is_not_valid_as_the_other() {
        let account = AccountId::generate().expect("a name");
        let code = RecoveryCode::generate().expect("a code");
        assert!(code.hash(&account) != code.sign_in_hash(&account));
    }

    #[test]
    fn a_token_is_of_one_level_and_of_the_live_keys() {
        let account = AccountId::generate().expect("a name");
        let token = SessionToken::generate(Level::Key, account).expect("a token");
        assert_eq!(SessionToken::parse(&token.reveal()), Some(token.clone()));
        let raised = token.reveal().replacen("key", "owner", 1);
        let raised = SessionToken::parse(&raised).expect("well-formed");
        let (one, other) = (KeyHash([1; 32]), KeyHash([2; 32]));
        assert!(token.hash([one, other]) == token.hash([other, one]));
        assert!(token.hash([one]) != token.hash([other]) && token.hash([one]) != token.hash([]));
        assert!(token.hash([one]) != raised.hash([one]));
        let other_session = SessionToken::generate(Level::Key, token.account.clone()).expect("a token");
        assert_eq!(token.form_mark("a"), token.form_mark("a"));
        assert!(
            token.form_mark("a") != token.form_mark("b")
                && token.form_mark("a") != other_session.form_mark("a")
        );
        for wild in ["", "key", "key.a", "king.a.b", "key.acct_a.short", &format!("{}.x", token.reveal())] {
            assert_eq!(SessionToken::parse(wild), None, "{wild}");
        }
        assert!(!format!("{token:?}").contains(&token.reveal()[40..]));
    }
}
