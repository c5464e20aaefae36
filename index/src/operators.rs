//! Words that join and exclude in a question: "bar ou café", "sem carne", "not vegan", "except malls".

use crate::language::Language;
use crate::tokens::{Separator, Token};

/// What a word or phrase does to the wishes around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// One of the two wishes is enough.
    Or,
    /// Both wishes, or either when they are of one kind and nothing meets both.
    And,
    /// The next wish is to be taken away.
    Not,
    /// The next place is where to search from: "perto de", "near".
    Near,
}

/// The operator that begins at token `at`, and how many tokens it has. Phrases come before their first words.
pub(crate) fn read(tokens: &[Token], at: usize, language: Language) -> Option<(usize, Operator)> {
    let first = tokens.get(at)?.word;
    let fits = |phrase: &&[&str]| {
        tokens
            .get(at..at + phrase.len())
            .is_some_and(|words| words.iter().map(|token| token.word).eq(phrase.iter().copied()))
    };
    for (operator, phrases) in [(Operator::Not, NOT_PHRASES), (Operator::Near, NEAR_PHRASES)] {
        if let Some(phrase) = phrases.iter().find(|phrase| phrase[0] == first && fits(phrase)) {
            return Some((phrase.len(), operator));
        }
    }
    let operator = match (first, language) {
        ("ou" | "or", _) | ("o" | "u", Language::Spanish) => Operator::Or,
        ("e" | "and", _) | ("y", Language::Spanish) => Operator::And,
        (
            "not" | "without" | "except" | "excluding" | "sem" | "sin" | "nao" | "exceto" | "excepto"
            | "menos",
            _,
        )
        | ("no", Language::Spanish | Language::English)
        | ("salvo", Language::Spanish) => Operator::Not,
        ("near" | "nearby", _) | ("cerca", Language::Spanish) | ("perto", Language::Portuguese) => {
            Operator::Near
        }
        _ => return None,
    };
    Some((1, operator))
}

/// Whether a comma stands before the token, which joins like a word; `/` joins alternatives.
pub(crate) fn separator(token: &Token) -> Option<Operator> {
    match token.separator {
        Separator::Comma => Some(Operator::And),
        Separator::Slash => Some(Operator::Or),
        _ => None,
    }
}

/// The longest first, where one begins as another.
const NOT_PHRASES: &[&[&str]] = &[
    &["que", "nao", "seja"],
    &["que", "nao", "sejam"],
    &["q", "nao", "seja"],
    &["nao", "seja"],
    &["nao", "quero"],
    &["nada", "de"],
    &["menos", "de"],
    &["tirando"],
    &["mas", "nao"],
    &["fora", "de"],
    &["fora", "do"],
    &["fora", "da"],
    &["but", "not"],
    &["but", "no"],
    &["with", "no"],
    &["outside", "of"],
    &["outside"],
    &["other", "than"],
    &["no", "more"],
    &["that", "is", "not"],
    &["that", "isn", "t"],
    &["not", "a"],
    &["que", "no", "sea"],
    &["que", "no", "sean"],
    &["no", "quiero"],
    &["pero", "no"],
    &["pero", "sin"],
    &["fuera", "de"],
    &["fuera", "del"],
    &["nada", "que", "sea"],
];

const NEAR_PHRASES: &[&[&str]] = &[
    &["perto", "de"],
    &["perto", "do"],
    &["perto", "da"],
    &["perto", "dos"],
    &["perto", "das"],
    &["pertinho", "de"],
    &["pertinho", "do"],
    &["pertinho", "da"],
    &["ao", "lado", "de"],
    &["ao", "lado", "do"],
    &["ao", "lado", "da"],
    &["do", "lado", "do"],
    &["do", "lado", "da"],
    &["proximo", "a"],
    &["proximo", "ao"],
    &["proximo", "da"],
    &["proximo", "do"],
    &["proxima", "a"],
    &["proxima", "ao"],
    &["proximos", "a"],
    &["proximos", "ao"],
    &["ali", "na"],
    &["close", "to"],
    &["next", "to"],
    &["walking", "distance", "of"],
    &["walking", "distance", "from"],
    &["cerca", "de"],
    &["cerca", "del"],
    &["al", "lado", "de"],
    &["al", "lado", "del"],
    &["junto", "a"],
    &["junto", "al"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokens;

    #[test]
    fn words_join_and_exclude_in_the_language_of_the_question() {
        use Language::{English, Portuguese, Spanish};
        for (text, language, read_as) in [
            ("ou", Portuguese, Some((1, Operator::Or))),
            ("o", Spanish, Some((1, Operator::Or))),
            ("o", Portuguese, None),
            ("y", Spanish, Some((1, Operator::And))),
            ("no", Portuguese, None),
            ("no", Spanish, Some((1, Operator::Not))),
            ("but no samba", Portuguese, Some((2, Operator::Not))),
            ("que não seja bar", Portuguese, Some((3, Operator::Not))),
            ("outside of town", English, Some((2, Operator::Not))),
            ("perto da UnB", Portuguese, Some((2, Operator::Near))),
            ("samba", Portuguese, None),
        ] {
            let tokens = Tokens::new(text);
            assert_eq!(read(&tokens.all(), 0, language), read_as, "{text}");
        }
    }

    #[test]
    fn a_longer_phrase_comes_before_one_that_it_begins_with() {
        for phrases in [NOT_PHRASES, NEAR_PHRASES] {
            for (at, phrase) in phrases.iter().enumerate() {
                assert!(!phrases[..at].iter().any(|before| phrase.starts_with(before)), "{phrase:?}");
            }
        }
    }
}
