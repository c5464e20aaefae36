//! What stands in the column of prices and is none: telephone numbers, links, times, percentages.

use crate::contacts::is_telephone;
use crate::text::{amount, fold};
use crate::times::{self, Of};

/// The ends of hosts by which a text without spaces is a link.
const HOSTS: [&str; 11] = [".com", ".br", ".net", ".org", ".me", ".app", ".io", ".ly", ".gl", ".link", ".ee"];

/// Whether a text is something else than a price.
pub(crate) fn is_other(text: &str) -> bool {
    let folded = fold(text);
    is_telephone(&folded)
        || is_link(&folded)
        || is_percentage(&folded)
        || is_time(&folded)
        || is_answer(&folded)
        || is_mistyped(&folded)
}

/// Whether a text answers a question instead: "sim", "não".
fn is_answer(folded: &str) -> bool {
    ["sim", "s", "nao", "n", "yes", "no", "x", "true", "false", "verdadeiro", "falso"].contains(&folded)
}

/// Whether a text of one amount is none as it was typed: "-20", "2O,00" with a letter, "20,00,", "1e+02".
fn is_mistyped(folded: &str) -> bool {
    let digits: String = folded.replacen("r$", "", 1).split_whitespace().collect();
    let digits = digits.strip_suffix('.').unwrap_or(&digits);
    // "from 50"
    let digits = digits.strip_suffix('+').unwrap_or(digits);
    let is_number = |c: char| c.is_ascii_digit() || ".,-+eoil".contains(c);
    digits.contains(|c: char| c.is_ascii_digit())
        && digits.chars().all(is_number)
        && !is_range(digits)
        && amount(digits.strip_suffix(",-").unwrap_or(digits)).is_none()
}

/// Whether digits are those of several amounts: "20-40", "20e40".
fn is_range(digits: &str) -> bool {
    digits.contains(['-', 'e', '+']) && digits.split(['-', 'e', '+']).all(|part| amount(part).is_some())
}

/// Whether a text says amounts and nothing else: "R$ 20", "R$ 20 / R$ 40 (meia)". Without a currency the amounts stand
/// alone: "1 por pessoa" counts tickets.
pub(crate) fn is_amounts(folded: &str) -> bool {
    const BETWEEN: [&str; 14] = [
        "a", "ate", "e", "ou", "de", "partir", "meia", "inteira", "entrada", "por", "pessoa", "reais",
        "real", "r",
    ];
    let words: Vec<&str> = folded
        .split(|c: char| !c.is_alphanumeric() && !".,".contains(c))
        .map(|word| word.trim_matches(['.', ',']))
        .filter(|word| !word.is_empty())
        .collect();
    let is_amount = |word: &str| amount(word).is_some();
    let has_currency = folded.contains("r$") || words.iter().any(|word| ["reais", "real"].contains(word));
    let is_said = if has_currency {
        words.iter().any(|word| is_amount(word))
            && words.iter().all(|word| BETWEEN.contains(word) || is_amount(word))
    } else {
        folded.split('/').flat_map(|part| part.split(" e ")).all(|part| is_amount(part.trim()))
    };
    is_said && !names_day(folded)
}

/// Whether a text names a day by its number and that of the month: "a partir de 10/12". "R$ 20/10" does not.
fn names_day(folded: &str) -> bool {
    let number = |part: &str| part.parse::<u8>().ok();
    let is_day = |word: &str| {
        let mut parts = word.trim_matches(|c: char| !c.is_alphanumeric()).split('/').map(number);
        matches!((parts.next().flatten(), parts.next().flatten()), (Some(1..=31), Some(1..=12)))
    };
    folded.replace("r$ ", "r$").replace(" / ", "/").split_whitespace().any(is_day)
}

/// An amount as a price: "R$ 20", "R$ 1.234,50".
pub(crate) fn in_reais(amount: f64) -> String {
    let text = format!("{amount:.2}");
    let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    if cents == "00" { format!("R$ {grouped}") } else { format!("R$ {grouped},{cents}") }
}

/// Whether a text ends with a whole number: "R$ 20", not "R$ 20,50".
pub(crate) fn is_whole_at_end(text: &str) -> bool {
    let before = text.trim_end_matches(|c: char| c.is_ascii_digit());
    before.len() < text.len() && !before.ends_with(',')
}

/// Whether a text without spaces is a link, perhaps without its beginning: "sympla.com.br/show".
pub(crate) fn is_link(folded: &str) -> bool {
    if folded.contains(char::is_whitespace) {
        return false;
    }
    let host = folded.split('/').next().unwrap_or_default();
    folded.contains("://") || folded.starts_with("www.") || HOSTS.iter().any(|end| host.ends_with(end))
}

/// Whether a text is a percentage, which is one of no amount.
fn is_percentage(folded: &str) -> bool {
    folded.strip_suffix('%').is_some_and(|number| amount(number.trim()).is_some())
}

fn is_time(folded: &str) -> bool {
    let mut problems = Vec::new();
    amount(folded).is_none() && times::parse(folded, Of::End, &mut problems).is_some() && problems.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_price_is_known() {
        for other in [
            "61999998888",
            "(61) 99999-8888",
            "+55 61 3333-4444",
            "Tel.: 3333-4444",
            "https://sympla.com.br/x",
            "www.bar.com.br",
            "sympla.com.br/show",
            "50%",
            "12,5 %",
            "19h30",
            "20:00",
            "19h às 22h",
            "meia-noite",
            "-20",
            "R$ -20",
            "não",
            "Sim",
            "R$ 2O,00",
            "R$ 20,00,",
            "1E+02",
            "20,30,40",
            "R$ 50++",
        ] {
            assert!(is_other(other), "{other}");
        }
        for price in [
            "20",
            "12,50",
            "1.200,00",
            "1.000.000,00",
            "R$ 20",
            "R$ 20 a R$ 40",
            "20 - 30",
            "R$ 20; 50% para estudantes",
            "R$ 30, grátis até 18h",
            "R$ 20 em https://sympla.com.br/x",
            "meia-entrada",
            "a partir de R$ 30",
            "inf",
            "1 kg de alimento",
            "R$ 20.",
            "20-40",
            "R$ 20-R$ 40",
            "20 e 40",
            "R$ 20,-",
            "R$ 50+",
            "20-40+",
            "consultar",
        ] {
            assert!(!is_other(price), "{price}");
        }
    }

    #[test]
    fn amounts_alone_are_known_and_written_as_brazil_does() {
        for text in [
            "20",
            "r$ 20",
            "r$ 20 / r$ 40",
            "r$20 a r$40",
            "r$ 20 (meia) e r$ 40 (inteira)",
            "a partir de r$ 30",
            "r$ 50+",
            "r$ 20 por pessoa",
            "r$ 20/10",
            "20 reais",
            "20/40",
            "20,50 / 40",
            "20 e 40",
        ] {
            assert!(is_amounts(text), "{text}");
        }
        for text in [
            "na bilheteria",
            "r$ 20 na bilheteria",
            "uma hora antes",
            "sympla",
            "1 kg de alimento",
            "",
            "10/12",
            "10/12/2026",
            "a partir de 10/12",
            "r$ 20 a partir de 10/12",
            "1 por pessoa",
            "2 a 4",
            "(61) 99999-8888",
            "reais",
        ] {
            assert!(!is_amounts(text), "{text}");
        }
        for (amount, expected) in
            [(20.0, "R$ 20"), (12.5, "R$ 12,50"), (1_234.5, "R$ 1.234,50"), (1_200_000.0, "R$ 1.200.000")]
        {
            assert_eq!(in_reais(amount), expected);
        }
    }
}
