//! Recovery codes: the plain text, which is mailed, and the hash that is stored.

use std::fmt;

use rand::TryRng;
use rand::rngs::{SysError, SysRng};
use sha2::{Digest, Sha256};

use super::account::AccountId;
use super::base62::as_text;

/// Digits and capitals without I, L, O and U: 32 characters, so that five random bits make one, and none looks like
/// another.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const LENGTH: usize = 12;

/// A code in plain text: twelve characters, 60 random bits, shown as `XXXX-XXXX-XXXX`.
///
/// `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode([u8; LENGTH]);

impl RecoveryCode {
    /// A new random code.
    pub fn generate() -> Result<RecoveryCode, SysError> {
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
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(…)")
    }
}

/// SHA-256 of a recovery code and its account.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CodeHash(pub [u8; 32]);

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
}
