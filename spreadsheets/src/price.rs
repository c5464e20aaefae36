//! What stands in the column of prices and is none: telephone numbers, links, times, percentages.

use crate::text::{amount, fold};
use crate::times::{self, Of};

/// The fewest digits of a telephone number.
const DIGITS_OF_TELEPHONE: usize = 8;

/// The ends of hosts by which a text without spaces is a link.
const HOSTS: [&str; 11] = [".com", ".br", ".net", ".org", ".me", ".app", ".io", ".ly", ".gl", ".link", ".ee"];

/// Whether a text is something else than a price.
pub(crate) fn is_other(text: &str) -> bool {
    let folded = fold(text);
    is_telephone(&folded) || is_link(&folded) || is_percentage(&folded) || is_time(&folded)
}

/// Whether a text is a telephone number, perhaps after a word that says so. Amounts with separators are none.
pub(crate) fn is_telephone(folded: &str) -> bool {
    let words = ["telefone", "tel", "fone", "whatsapp", "whats", "wpp", "zap", "contato", "reservas"];
    let number = words.iter().find_map(|word| folded.strip_prefix(word)).unwrap_or(folded);
    let number = number.trim_start_matches([':', '.', ' ']);
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let is_number = number.chars().all(|c| c.is_ascii_digit() || " ()+-–".contains(c));
    is_number && digits >= DIGITS_OF_TELEPHONE
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
        ] {
            assert!(!is_other(price), "{price}");
        }
    }
}
