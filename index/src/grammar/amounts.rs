//! Amounts of money in a question: "até 50 reais", "R$ 29,90 por pessoa", "under 100 reais". Prices of the guide are
//! texts, which do not compare, so an amount asks about the price as "barato" does.

use crate::grammar::stop_words::{CURRENCIES, LIMITS, SIGNS, SPOKEN, is_number};
use crate::grammar::tokens::{Separator, Token};

/// How many tokens an amount of money has that begins at token `at`, with the words for a limit before it and for
/// "each" behind it; `None` when there is no amount.
pub(crate) fn amount(tokens: &[Token], at: usize) -> Option<usize> {
    let first = tokens.get(at)?;
    if !is_number(first.word) && !first.fixed.is_some_and(|word| word.begins_amount) {
        return None;
    }
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word);
    let mut to = at;
    while to < at + MAX_LIMIT && LIMITS.contains(&word(to)) {
        to += 1;
    }
    let first = to;
    // "de 30 a 50 reais", "between 30 and 50 reais"
    let is_range = is_count(word(to)) && JOINERS.contains(&word(to + 1)) && is_count(word(to + 2));
    to += 2 * usize::from(is_range);
    let has_sign =
        SIGNS.contains(&word(to)) && is_count(word(to + 1)) && tokens[to + 1].separator == Separator::Other;
    to += usize::from(has_sign);
    if !is_count(word(to)) {
        return None;
    }
    to += 1;
    // "29,90"
    let is_fraction = |token: &Token| {
        matches!(token.separator, Separator::Comma | Separator::Other) && token.word.len() == 2
    };
    if tokens.get(to).is_some_and(|token| is_number(token.word) && is_fraction(token)) {
        to += 1;
    }
    let has_currency = CURRENCIES.contains(&word(to));
    // "menu de 100 reais" is "100 reais"
    let is_limited = is_range || first == at || tokens[at..first].iter().any(|token| token.word != "de");
    if !has_sign && !has_currency || !is_limited {
        return None;
    }
    to += usize::from(has_currency);
    let each = EACH.iter().find(|each| each.iter().enumerate().all(|(next, each)| word(to + next) == *each));
    Some(to - at + each.map_or(0, |each| each.len()))
}

/// Whether the word is a number, in digits or one that amounts are spoken in.
fn is_count(word: &str) -> bool {
    is_number(word) || SPOKEN.contains(&word)
}

/// How many words a limit has at most: "por menos de".
const MAX_LIMIT: usize = 3;

const JOINERS: &[&str] = &["a", "e", "and", "to", "y", "ou", "or"];

const EACH: &[&[&str]] = &[
    &["por", "pessoa"],
    &["por", "cabeca"],
    &["por", "persona"],
    &["per", "person"],
    &["per", "head"],
    &["a", "head"],
    &["cada"],
    &["each"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::tokens::Tokens;

    #[test]
    fn an_amount_is_read_with_its_limit_and_for_how_many_it_is() {
        for (text, taken) in [
            ("até 50 reais", 3),
            ("por menos de 50 reales", 5),
            ("de até R$ 80 por pessoa", 6),
            ("R$ 29,90", 3),
            ("r$50 cada", 3),
            ("under 100 reais per person", 5),
            ("20 dollars", 2),
            ("menos de cem reais", 4),
            ("entre 30 e 50 reais", 5),
            ("de 30 a 50 reais", 5),
            ("40 conto", 2),
            ("1 real", 2),
        ] {
            let tokens = Tokens::new(text);
            assert_eq!(amount(&tokens.all(), 0), Some(taken), "{text}");
        }
    }

    #[test]
    fn a_number_without_a_currency_is_no_amount() {
        for text in [
            "até 20h",
            "408 norte",
            "under 12",
            "menos de 5 km",
            "r 5",
            "teatro real",
            "por",
            "de 100 reais",
            "",
        ] {
            let tokens = Tokens::new(text);
            assert_eq!(amount(&tokens.all(), 0), None, "{text}");
        }
    }
}
