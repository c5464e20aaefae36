//! Recovery codes: their form, how they are read back, and what is kept of them. Uses [`crate::domain::account`] only.

use std::fmt;

use rand::TryRng;
use rand::rngs::{SysError, SysRng};
use sha2::{Digest, Sha256};

use super::account::{AccountId, CodeHash, as_text};

/// Digits and capitals without I, L, O and U: 32 of them, so five random bits make one, and none is taken for
/// another.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const LENGTH: usize = 12;

/// A code in plain text: twelve characters, 60 random bits, shown as `XXXX-XXXX-XXXX`.
///
/// `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode([u8; LENGTH]);

impl RecoveryCode {
    /// A new code, from the machine's source of randomness.
    pub fn generate() -> Result<RecoveryCode, SysError> {
        let mut text = [0; LENGTH];
        SysRng.try_fill_bytes(&mut text)?;
        Ok(RecoveryCode(text.map(|byte| ALPHABET[usize::from(byte % 32)])))
    }

    /// Reads a code as people type it: in any case, with blanks and hyphens anywhere, with O for 0 and I or L for
    /// 1. `None` when it cannot be one.
    pub fn read(typed: &str) -> Option<RecoveryCode> {
        let mut text = [0; LENGTH];
        let mut read = 0;
        for char in typed.chars().filter(|char| !char.is_whitespace() && *char != '-') {
            let meant = match char.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            };
            let byte = u8::try_from(meant).ok().filter(|byte| ALPHABET.contains(byte))?;
            *text.get_mut(read)? = byte;
            read += 1;
        }
        (read == LENGTH).then_some(RecoveryCode(text))
    }

    /// The code itself, for the letter it goes into.
    pub fn reveal(&self) -> String {
        self.0.chunks(4).map(as_text).collect::<Vec<_>>().join("-")
    }

    /// What is kept of it. The account is in it, so that a code is worth nothing for another.
    pub fn hash(&self, account: &AccountId) -> CodeHash {
        CodeHash(Sha256::new().chain_update(account.as_str()).chain_update(self.0).finalize().into())
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = RecoveryCode(*b"01AB23CD45EF");
        assert_eq!(code.reveal(), "01AB-23CD-45EF");
        for typed in
            ["01AB-23CD-45EF", "01ab23cd45ef", " oIaB 23cD-45 ef\n", "0lab--23cd45ef", "Oiab\u{a0}23cd45ef"]
        {
            assert_eq!(RecoveryCode::read(typed), Some(code.clone()), "{typed:?}");
        }
        for typed in
            ["", "01AB-23CD-45E", "01AB-23CD-45EF0", "01AB-23CD-45EU", "01AB_23CD_45EF", "０1AB-23CD-45EF"]
        {
            assert_eq!(RecoveryCode::read(typed), None, "{typed:?}");
        }
    }

    proptest! {
        #[test]
        fn reading_is_total(typed in any::<String>()) {
            if let Some(code) = RecoveryCode::read(&typed) {
                prop_assert_eq!(RecoveryCode::read(&code.reveal()), Some(code));
            }
        }
    }

    #[test]
    fn codes_differ_and_are_worth_something_for_one_account_only() {
        let (one, other) =
            (RecoveryCode::generate().expect("a code"), RecoveryCode::generate().expect("a code"));
        assert_ne!(one, other);
        assert_eq!(RecoveryCode::read(&one.reveal()), Some(one.clone()));
        let (maria, joana) = (AccountId::generate().expect("a name"), AccountId::generate().expect("a name"));
        assert!(one.hash(&maria) == one.hash(&maria) && one.hash(&maria) != one.hash(&joana));
        assert!(one.hash(&maria) != other.hash(&maria));
        assert!(!format!("{one:?}").contains(&one.reveal()));
    }
}
