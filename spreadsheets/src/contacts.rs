//! Telephone numbers and e-mail addresses: no column is for them, and in a text of the guide everybody sees them.

use crate::problem::Contact;
use crate::text::fold;

/// The fewest digits of a telephone number.
const DIGITS_OF_TELEPHONE: usize = 8;

/// The words that say that a telephone number follows.
const WORDS: [&str; 9] =
    ["telefone", "tel", "fone", "whatsapp", "whats", "wpp", "zap", "contato", "reservas"];

/// Whether a text is a telephone number, perhaps after a word that says so. Amounts with separators are none.
pub(crate) fn is_telephone(folded: &str) -> bool {
    let number = WORDS.iter().find_map(|word| folded.strip_prefix(word)).unwrap_or(folded);
    let number = number.trim_start_matches([':', '.', ' ']);
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    number.chars().all(is_of_number) && digits >= DIGITS_OF_TELEPHONE
}

/// Whether a text is an e-mail address, or has one before its first `@`: a handle has nothing there.
pub(crate) fn is_mail(text: &str) -> bool {
    text.split_once('@').is_some_and(|(before, _)| before.ends_with(char::is_alphanumeric))
}

/// The telephone number or the e-mail address in a text, if there is one. Addresses, postal codes, days, years and
/// times have other numbers.
pub(crate) fn within(text: &str) -> Option<Contact> {
    let is_address = |word: &str| {
        let host = word.split_once('@').map(|(_, host)| host.trim_end_matches(['.', ')', ']', '!', '?']));
        is_mail(word)
            && !word.contains("://")
            && host.is_some_and(|host| host.contains('.') && !host.starts_with('.'))
    };
    if text.split([' ', ',', ';', '|', '<', '>']).any(is_address) {
        return Some(Contact::Mail);
    }
    let folded = fold(text);
    let mut rest = &*folded;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_of_number(c) && c != '.').unwrap_or(from.len());
        let (run, after) = from.split_at(end);
        // part of a word, a link, a name of a file
        let is_part = before.ends_with(|c: char| c.is_alphanumeric() || "/=_#".contains(c))
            || after.starts_with(|c: char| c.is_alphanumeric())
                && run.ends_with(|c: char| c.is_ascii_digit());
        let is_announced = || {
            let word = before.trim_end_matches(|c: char| !c.is_alphanumeric());
            WORDS.iter().any(|known| {
                word.strip_suffix(known).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
            })
        };
        if !is_part && (has_telephone(run) || is_announced() && is_telephone(run.trim())) {
            return Some(Contact::Telephone);
        }
        rest = after;
    }
    None
}

fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || " ()+-–".contains(c)
}

/// Whether groups of digits in a row are those of a telephone number of Brazil: "61 99999-1234", "3333-4444",
/// "5561999991234".
fn has_telephone(run: &str) -> bool {
    let groups: Vec<&str> =
        run.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    let is_hyphened = |one: &str, other: &str| {
        ["-", "–"].iter().any(|hyphen| run.contains(&format!("{one}{hyphen}{other}")))
    };
    let is_pair = |pair: &[&str]| {
        let [one, other] = pair else { return false };
        match (one.len(), other.len()) {
            (5, 4) => one.starts_with('9'),
            (4, 4) => {
                one.starts_with(['3', '4', '5', '9']) && is_hyphened(one, other) && !are_years(one, other)
            }
            _ => false,
        }
    };
    groups.windows(2).any(is_pair) || has_area_code(&groups) || groups.iter().any(|group| is_joined(group))
}

/// "61 3333 4444", "9 9999 1234".
fn has_area_code(groups: &[&str]) -> bool {
    groups.windows(3).any(|three| match three {
        [code, one, other] if (one.len(), other.len()) == (4, 4) && !are_years(one, other) => {
            *code == "9" || is_area_code(code) && one.starts_with(['2', '3', '4', '5', '9'])
        }
        _ => false,
    })
}

/// Whether a group is a whole number with its area code, or of a mobile telephone.
fn is_joined(group: &str) -> bool {
    let local = match group.len() {
        12 | 13 => group.strip_prefix("55").unwrap_or_default(),
        _ => group,
    };
    match local.len() {
        9 => local.starts_with('9'),
        10 | 11 => {
            let (code, number) = local.split_at(2);
            is_area_code(code)
                && if number.len() == 9 {
                    number.starts_with('9')
                } else {
                    number.starts_with(['2', '3', '4', '5'])
                }
        }
        _ => false,
    }
}

/// Two digits, none of them 0, perhaps after a 0.
fn is_area_code(group: &str) -> bool {
    let code = group.strip_prefix('0').unwrap_or(group);
    code.len() == 2 && !code.contains('0')
}

fn are_years(one: &str, other: &str) -> bool {
    let is_year = |group: &str| ("1900".."2100").contains(&group);
    is_year(one) && is_year(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_telephone_number_or_an_address_of_mail_is_found_in_a_text() {
        for text in [
            "61 99999-1234",
            "(61) 98888-7777",
            "CLN 408, bloco B, loja 12 - (61) 3333-4444",
            "CLN 408 (61)98888-7777.",
            "Fulano, 61999991234",
            "Fulano +55 61 99999-1234 e banda",
            "5561999991234",
            "zap: 99999.1234",
            "9 9999-1234",
            "061 3333 4444",
            "reservas 3333-4444",
            "reservas: 33334444",
            "Zap 61-99999-1234",
        ] {
            assert_eq!(within(text), Some(Contact::Telephone), "{text}");
        }
        for text in ["ze@example.com", "escreva para Ze.Silva@example.com.br!", "DJ Zé (ze@example.com)"] {
            assert_eq!(within(text), Some(Contact::Mail), "{text}");
        }
    }

    #[test]
    fn other_numbers_of_a_text_are_no_telephone() {
        for text in [
            "SCLN 408 bloco B loja 22",
            "CLS 408/409",
            "SCLN 408 409 bloco B, 70760-542",
            "CEP 70760-542",
            "CEP 70.760-542",
            "70760542",
            "QNL 12/14, lote 3333, 4444",
            "EQS 102/103, 210-211, 3301",
            "1994-2026",
            "2025-2026",
            "Temporada 2025 - 2026",
            "Anos 80 2025 2026",
            "05/12/2026 a 08/12/2026",
            "05-12-2026 19:30-22:00",
            "2026-12-05",
            "2000-2200",
            "19h30 às 22h",
            "R$ 1.200,00 a R$ 2.400,00",
            "0800",
            "12.345.678/0001-90",
            "https://sympla.com.br/evento/61999991234",
            "https://ex.br/f1@2x.png?a=61999991234",
            "@bardaesquina",
            "DJ @ Bar",
            "Sonatas 1 2 3333",
            "BR-040 km 12, 1000-2000",
        ] {
            assert_eq!(within(text), None, "{text}");
        }
    }
}
