//! Amounts of money: decimal reais such as `19.9` in the gateway's JSON, whole centavos here.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// An amount of whole centavos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reais(u64);

/// More than is ever charged. Below it a decimal of two places survives the JSON reader: an `f64` keeps 15 digits.
const MAX_CENTS: u64 = 1_000_000_000_000;

impl Reais {
    /// An amount in centavos.
    pub fn of_cents(cents: u32) -> Reais {
        Reais(cents.into())
    }

    /// The amount in centavos.
    pub fn cents(self) -> u64 {
        self.0
    }

    /// Parses a decimal of at most two places.
    fn parse(text: &str) -> Option<Reais> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 2 {
            return None;
        }
        let cents = format!("{whole}{part:0<2}").parse().ok()?;
        (cents <= MAX_CENTS).then_some(Reais(cents))
    }
}

/// As in the gateway's JSON: `19.90`.
impl fmt::Display for Reais {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl Serialize for Reais {
    /// The `f64` only carries the digits to the JSON writer. Nothing is computed with it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = self.to_string().parse::<f64>().map_err(serde::ser::Error::custom)?;
        serializer.serialize_f64(digits)
    }
}

impl<'de> Deserialize<'de> for Reais {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Reais, D::Error> {
        // every decimal comes as an `f64`, whose shortest text is what was sent
        let text = match Value::deserialize(deserializer)? {
            Value::Number(number) => number.to_string(),
            Value::String(text) => text,
            _ => String::new(),
        };
        Reais::parse(&text).ok_or_else(|| D::Error::custom("expected an amount of whole centavos"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_are_parsed_to_the_centavo() {
        for (json, cents) in [
            ("0", 0),
            ("99", 9_900),
            ("19.9", 1_990),
            ("19.90", 1_990),
            ("0.07", 7),
            ("\"499.00\"", 49_900),
            ("99.0", 9_900),
        ] {
            assert_eq!(serde_json::from_str::<Reais>(json).expect(json), Reais(cents));
        }
        for wrong in ["-1", "19.905", "1e30", "null", "\"\"", "\"1,5\"", "true", "10000000001", "0.001"] {
            assert!(serde_json::from_str::<Reais>(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn every_amount_survives_json(cents in 0..=MAX_CENTS) {
            let json = serde_json::to_string(&Reais(cents)).expect("JSON");
            prop_assert_eq!(serde_json::from_str::<Reais>(&json).expect("an amount"), Reais(cents), "{}", json);
            let text = Reais(cents).to_string();
            prop_assert_eq!(Reais::parse(&text), Some(Reais(cents)));
        }
    }
}
