//! Whether a text may hold personal data.

/// The longest text that is counted, in characters and in words. People search with a few words; longer texts tell
/// about themselves.
const MAX_CHARACTERS: usize = 80;
const MAX_WORDS: usize = 8;

/// More digits in a row are a number of a person, and no block or year.
const MAX_DIGITS: usize = 4;

/// As many digits are a phone number, however they are written.
const PHONE_DIGITS: usize = 7;

/// Whether a text may hold personal data, or is too long for a search: an e-mail address, a phone number, a longer
/// number.
pub fn may_be_personal(text: &str) -> bool {
    // a text has at most as many characters as bytes
    if text.len() > MAX_CHARACTERS && text.chars().count() > MAX_CHARACTERS {
        return true;
    }
    if text.split_whitespace().count() > MAX_WORDS {
        return true;
    }
    let (mut in_a_row, mut in_all) = (0, 0);
    for character in text.chars() {
        match character {
            '@' => return true,
            _ if character.is_numeric() => {
                in_a_row += 1;
                in_all += 1;
                if in_a_row > MAX_DIGITS || in_all >= PHONE_DIGITS {
                    return true;
                }
            }
            // what stands between the digits of one number
            ' ' | '-' | '.' | '(' | ')' | '+' | '/' | '\u{a0}' | '‑' | '–' => in_a_row = 0,
            _ => (in_a_row, in_all) = (0, 0),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_personal_data_is_recognised() {
        for personal in [
            "maria@example.com",
            "fala comigo maria @ casa",
            "61 98765-4321",
            "(61)3333-4444",
            "9.8765.4321",
            "zap 61 9 8765 4321",
            "cpf 529.982.247-25",
            "12345",
            "٦١٢٣٤٥",
            "um dois tres quatro cinco seis sete oito nove",
            "bar com uma varanda muito agradavel e comidaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert!(may_be_personal(personal), "{personal}");
        }
        for fine in
            ["", "boteco 408 norte", "408 409 norte", "ano novo 2027", "sushi na Asa Sul", "feira no domingo"]
        {
            assert!(!may_be_personal(fine), "{fine}");
        }
    }
}
