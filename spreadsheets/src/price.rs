//! What stands in the column of prices and is none: telephone numbers, links, times, percentages.

use crate::contacts::is_telephone;
use crate::text::{amount, fold};
use crate::times::{self, Of};

/// The ends of hosts by which a text without spaces is a link.
const HOSTS: [&str; 11] = [".com", ".br", ".net", ".org", ".me", ".app", ".io", ".ly", ".gl", ".link", ".ee"];

/// Whether a text is something else than a price.
pub(crate) fn is_other(text: &str) -> bool {
    let folded = fold(text);
    is_telephone(&folded) || is_link(&folded) || is_percentage(&folded) || is_time(&folded)
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
