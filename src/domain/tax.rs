//! Brazilian tax numbers: CPF of people, and numeric or alphanumeric CNPJ of companies. A number is passed to the
//! gateway; only its last four characters are stored.

use std::fmt;
use std::str::FromStr;

/// The longest number in a form, with dots, hyphens and blanks.
pub const MAX_TYPED: usize = 24;

/// A tax number with correct check digits. `Debug` shows only its last four characters.
#[derive(Clone, PartialEq, Eq)]
pub struct TaxId(String);

/// The text is not a tax number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a CPF of 11 digits or a CNPJ of 14 characters")]
pub struct NotATaxId;

impl TaxId {
    /// The whole number, for the gateway.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The last four characters, which tell several numbers of one customer apart.
    pub fn last4(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }
}

impl fmt::Debug for TaxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaxId(…{})", self.last4())
    }
}

impl FromStr for TaxId {
    type Err = NotATaxId;

    /// Parses a number in any case, with dots, hyphens, slashes and spaces.
    fn from_str(text: &str) -> Result<TaxId, NotATaxId> {
        let chars = text.chars().filter(|char| !matches!(char, '.' | '-' | '/' | ' '));
        // one more than the longest form, so that a longer text is refused
        let number: String = chars.map(|char| char.to_ascii_uppercase()).take(15).collect();
        let bytes = number.as_bytes();
        let all_same = bytes.windows(2).all(|pair| pair[0] == pair[1]);
        let is_valid = match bytes.len() {
            11 => bytes.iter().all(u8::is_ascii_digit) && has_check_digits(bytes, 11),
            14 => {
                bytes[..12].iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
                    && bytes[12..].iter().all(u8::is_ascii_digit)
                    && has_check_digits(bytes, 9)
            }
            _ => false,
        };
        if is_valid && !all_same { Ok(TaxId(number)) } else { Err(NotATaxId) }
    }
}

/// Whether the two check digits are right. The characters before a check digit weigh 2, 3, ... from the last one back,
/// and from 2 again after `max_weight`.
fn has_check_digits(number: &[u8], max_weight: u32) -> bool {
    (number.len() - 2..number.len()).all(|place| {
        let weighed = number[..place].iter().rev().zip((2..=max_weight).cycle());
        let sum: u32 = weighed.map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
        let digit = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
        u32::from(number[place] - b'0') == digit
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VALID: [&str; 7] = [
        "12ABC34501DE35",
        "00000000E08G12",
        "00000000000191",
        "11222333000181",
        "52998224725",
        "11144477735",
        "11444777000161",
    ];

    #[test]
    fn both_forms_are_parsed_with_punctuation() {
        for valid in VALID {
            let read: TaxId = valid.parse().expect(valid);
            assert_eq!(read.reveal(), valid);
            assert_eq!(read.last4(), &valid[valid.len() - 4..]);
            assert!(!format!("{read:?}").contains(valid));
        }
        for (written, meant) in [
            ("529.982.247-25", "52998224725"),
            (" 12.abc.345/01de-35 ", "12ABC34501DE35"),
            ("11.222.333/0001-81", "11222333000181"),
        ] {
            assert_eq!(written.parse::<TaxId>().expect(written).reveal(), meant);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for wrong in [
            "",
            "5299822472",
            "529982247255",
            "52998224724",
            "11111111111",
            "00000000000000",
            "1122233300018A",
            "11222333000182",
            "12ABC34501DE36",
            "5299822472á",
            "５２９９８２２４７２５",
            "112223330001811",
        ] {
            assert_eq!(wrong.parse::<TaxId>(), Err(NotATaxId), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "\\PC{0,20}") {
            let _ = text.parse::<TaxId>();
        }

        #[test]
        fn a_single_wrong_digit_is_noticed(which in 0..VALID.len(), place in 0usize..14, digit in 0u8..10) {
            let mut typed = VALID[which].as_bytes().to_vec();
            prop_assume!(place < typed.len() && typed[place].is_ascii_digit() && typed[place] != b'0' + digit);
            typed[place] = b'0' + digit;
            let typed = String::from_utf8(typed).expect("text");
            // remainders 0 and 1 both give the digit 0, so a wrong digit may pass
            if let Ok(read) = typed.parse::<TaxId>() {
                prop_assert_ne!(read.reveal(), VALID[which]);
            }
        }
    }
}
