//! Who asks: "we're a group of architecture students", "soy fotógrafo". What these words say of somebody is no wish.

use std::ops::Range;

use crate::stop_words::{asks_for, asks_where, brings_an_addition, is_determiner, is_from, is_in};
use crate::tokens::{Separator, Token};

/// The tokens that say who asks, if words for that begin at token `at`. They end where somebody says what they want or
/// like, or with whom they come.
pub(crate) fn introduction(tokens: &[Token], at: usize) -> Option<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word);
    let start = match (word(at), word(at + 1)) {
        // "we're craving ramen" says what they want
        ("we", "are" | "re") | ("i", "am" | "m") if is_determiner(word(at + 2)) => at + 2,
        ("somos" | "sou" | "soy", _) => at + 1,
        _ => return None,
    };
    let ends = |at: &usize| {
        let token = &tokens[*at];
        token.separator == Separator::Comma
            || asks_for(token.word)
            || asks_where(token.word)
            || is_in(token.word)
            || brings_an_addition(token.word)
            || ENDS.contains(&token.word)
    };
    let last = tokens.len().min(start + LONGEST);
    let end = (start..last).find(ends).unwrap_or(last);
    // "sou do Gama" says where from
    (start < end && !is_from(word(start))).then_some(start..end)
}

/// Whether what follows these words, the last of which comes first here, is said of who asks: "I'm vegan, any burgers?"
/// asks for those, and the rest is a wish.
pub(crate) fn says_who_asks<'w>(mut before: impl Iterator<Item = &'w str>) -> bool {
    match before.next() {
        Some("sou" | "somos" | "soy") => true,
        Some("m" | "am") => before.next() == Some("i"),
        Some("re" | "are") => before.next() == Some("we"),
        _ => false,
    }
}

/// The most tokens that say who asks.
const LONGEST: usize = 8;

/// Words behind which somebody says what they want or like.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "que", "q", "who", "that", "and", "e", "y", "mas", "but", "pero", "fa", "fas", "fan", "fans", "lover", "lovers", "amante",
    "amantes", "louco", "louca", "apaixonado", "apaixonada", "into",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokens;

    #[test]
    fn an_introduction_ends_where_a_wish_begins() {
        for (text, expected) in [
            ("we're a group of architecture students with three hours", "a group of architecture students"),
            ("somos um grupo de aposentados, queremos um museu", "um grupo de aposentados"),
            ("soy fotógrafo y busco miradores", "fotografo"),
            ("sou fã de sushi", ""),
            ("sou do gama", ""),
            ("we are looking for jazz", ""),
            ("I'm a huge fan of jazz", "a huge"),
        ] {
            let tokens = Tokens::new(text);
            let tokens = tokens.all();
            let found: Vec<&str> =
                introduction(&tokens, 0).into_iter().flatten().map(|at| tokens[at].word).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
