//! Who asks, and whom: "we're a group of architecture students", "soy fotógrafo", "moço, …". What these words say of
//! somebody is no wish.

use std::ops::Range;

use crate::grammar::language::Language;
use crate::grammar::persons::is_relative;
use crate::grammar::stop_words::{
    asks_for, asks_where, attends, brings_an_addition, is_determiner, is_from, is_in,
};
use crate::grammar::tokens::{Separator, Token, operator};

/// The tokens that say who asks, if words for that begin at token `at`. They end where somebody says what they want, or
/// with whom they come, and with a word for liking: "sou fã de sushi" asks for sushi.
pub(crate) fn introduction(tokens: &[Token], at: usize, language: Language) -> Option<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word);
    let start = match (word(at), word(at + 1)) {
        // "we're craving ramen" says what they want
        ("we", "are" | "re") | ("i", "am" | "m") if is_determiner(word(at + 2)) => at + 2,
        ("im", _) if is_determiner(word(at + 1)) => at + 1,
        ("somos" | "sou", _) => at + 1,
        // "soy milk"
        ("soy", _) if language != Language::English => at + 1,
        _ => return None,
    };
    let ends = |at: &usize| {
        let Token { word, separator, .. } = tokens[*at];
        separator == Separator::Colon
            || tokens[*at].begins_phrase()
            || asks_for(word)
            || asks_where(word)
            || attends(word)
            || is_in(word)
            || brings_an_addition(word)
            || ENDS.contains(&word)
            // "sou alérgico a amendoim"
            || operator(tokens, *at, language).is_some_and(|(_, operator)| operator.excludes())
    };
    let last = tokens.len().min(start + LONGEST);
    let end = (start..last).find(ends).unwrap_or(last);
    let likes = (start..end).find(|at| LIKINGS.contains(&word(*at)));
    let end = likes.map_or(end, |at| at + 1);
    // "sou do Gama" says where from
    (start < end && !is_from(word(start))).then_some(start..end)
}

/// How many tokens from token `at` on say that somebody, or who comes along, is from, lives in or is in the place that
/// follows, and whether it is where they are from or live: "sou do", "moro em", "I'm staying in".
pub(crate) fn origin(tokens: &[Token], at: usize, language: Language) -> Option<(usize, bool)> {
    let word = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.word);
    let found = match (word(0), word(1), word(2)) {
        ("sou" | "somos" | "vim" | "viemos" | "venho", "de" | "do" | "da" | "dos", _) => (2, true),
        ("soy" | "vengo" | "venimos" | "vine", "de" | "del", _) if language != Language::English => (2, true),
        ("moro" | "moramos" | "vivo" | "vivimos", "em" | "no" | "na" | "en", _) => (2, true),
        ("i" | "we", "m" | "am" | "re" | "are" | "come", "from") => (3, true),
        ("i" | "we", "live", "in" | "at") => (3, true),
        ("im", "from", _) => (2, true),
        (
            "estou" | "estamos" | "to" | "tou" | "estoy" | "trabalho" | "trabajo",
            "em" | "no" | "na" | "en",
            _,
        ) => (2, false),
        (
            "hospedado" | "hospedada" | "hospedados" | "alojado" | "alojada" | "alojados",
            "em" | "no" | "na" | "en",
            _,
        ) => (2, false),
        ("staying" | "working" | "work", "in" | "at", _) => (2, false),
        // "minha mãe é de Salvador", "my brother lives in Goiânia"
        ("e" | "eh" | "sao" | "vem" | "es" | "son" | "viene", "de" | "do" | "da" | "dos" | "del", _)
        | ("is" | "are" | "s" | "comes", "from", _)
        | (
            "mora" | "moram" | "vive" | "vivem" | "viven" | "lives" | "live",
            "em" | "no" | "na" | "en" | "in",
            _,
        ) if at.checked_sub(1).is_some_and(|before| is_relative(tokens[before].word)) => (2, true),
        _ => return None,
    };
    let is_meant = found.1 && refers_back(tokens, at, language);
    (!is_meant).then_some(found)
}

/// Whether what follows token `at` asks for what is of the place that was named: "comida da terra dela", "de lá".
pub(crate) fn refers_back(tokens: &[Token], at: usize, language: Language) -> bool {
    let mut pairs = tokens[at..].windows(2).map(|pair| (pair[0].word, pair[1].word));
    pairs.any(|pair| match pair {
        ("de", "la") => language != Language::Spanish,
        ("from", "there") | ("de", "alla" | "alli") => true,
        ("terra" | "cidade" | "regiao" | "pais" | "estado", "dele" | "dela" | "deles" | "delas") => true,
        ("su" | "his" | "her" | "their", "tierra" | "ciudad" | "pais" | "home" | "country" | "city") => true,
        _ => false,
    })
}

/// Whether what follows these words, the last of which comes first here, is said of who asks: "I'm vegan, any burgers?"
/// asks for those, and the rest is a wish.
pub(crate) fn says_who_asks<'w>(mut before: impl Iterator<Item = &'w str>, language: Language) -> bool {
    match before.next() {
        Some("sou" | "somos" | "im") => true,
        Some("soy") => language != Language::English,
        Some("m" | "am") => before.next() == Some("i"),
        Some("re" | "are") => before.next() == Some("we"),
        _ => false,
    }
}

/// Whether a token is whom somebody asks: the first word before a comma or a word that only begins a sentence ("mano
/// onde tem samba", but not "mano brown"), or the last behind a comma.
pub(crate) fn is_address(tokens: &[Token], at: usize) -> bool {
    let is_apart = |at: usize| tokens.get(at).is_some_and(|token| token.separator == Separator::Comma);
    let begins =
        |next: &Token| asks_for(next.word) || asks_where(next.word) || BEGINNINGS.contains(&next.word);
    let is_person = !matches!(tokens[at].word, "mate" | "man");
    let is_first = || at == 0 && (is_apart(1) || is_person && tokens.get(1).is_some_and(begins));
    let is_last = || at > 0 && at + 1 == tokens.len() && is_apart(at);
    ADDRESSES.contains(&tokens[at].word) && (is_first() || is_last())
}

/// The most tokens that say who asks.
const LONGEST: usize = 8;

/// Words behind which somebody says what they want, or where they are.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "que", "q", "who", "that", "and", "e", "y", "mas", "but", "pero", "into", "for", "para", "pra", "from", "querendo", "craving",
    "wanting", "queriendo", "afim",
];

/// Words behind which somebody says what they like.
#[rustfmt::skip]
const LIKINGS: &[&str] = &[
    "fa", "fas", "fan", "fans", "lover", "lovers", "amante", "amantes", "louco", "louca", "apaixonado", "apaixonada", "devoto",
    "devota", "fanatico", "fanatica", "admirer", "admirador", "admiradora",
];

/// Words with which a sentence begins, behind whom it is said to.
#[rustfmt::skip]
const BEGINNINGS: &[&str] = &[
    "eu", "a", "to", "tou", "estou", "alguem", "alguien", "sabe", "vc", "voce", "vcs", "i", "we", "any", "is", "yo", "hay", "existe", "bora", "cade",
    "kd",
];

/// Words for who is asked.
#[rustfmt::skip]
const ADDRESSES: &[&str] = &[
    "moco", "moca", "mano", "mana", "cara", "parca", "parceiro", "parceira", "oxe", "uai", "vei", "mermao", "irmao", "amigo", "amiga",
    "bro", "brother", "dude", "man", "mate", "buddy", "hermano", "che", "wey", "guey",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::tokens::{Tokens, language};

    #[test]
    fn an_introduction_ends_where_a_wish_begins() {
        for (text, expected) in [
            ("we're a group of architecture students with three hours", "a group of architecture students"),
            ("somos um grupo de aposentados, queremos um museu", "um grupo de aposentados"),
            ("soy fotógrafo y busco miradores", "fotografo"),
            ("Somos turistas. Arte moderna?", "turistas"),
            ("somos um casal querendo ver arte moderna", "um casal"),
            ("we're a group of 6 for astronomy", "a group of 6"),
            ("sou fã de sushi", "fa"),
            ("sou do gama", ""),
            ("we are looking for jazz", ""),
            ("soy milk and cheese", ""),
            ("I'm two blocks from Iguatemi, coffee", "two blocks"),
            ("I'm a huge fan of jazz", "a huge fan"),
        ] {
            let tokens = Tokens::new(text);
            let tokens = tokens.all();
            let found = introduction(&tokens, 0, language(&tokens));
            let found: Vec<&str> = found.into_iter().flatten().map(|at| tokens[at].word).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn where_somebody_is_from_is_said_of_them_unless_the_question_refers_to_it() {
        for (text, at, expected) in [
            ("minha mãe é de Salvador, onde tem moqueca?", 2, Some((2, true))),
            ("my brother lives in Goiânia, a bar in Asa Norte", 2, Some((2, true))),
            ("mis suegros son de Lima", 2, Some((2, true))),
            ("minha avó é do Piauí, comida da terra dela", 2, None),
            ("sou do Piauí e quero comida de lá", 0, None),
            ("sou do Piauí e quero pizza", 0, Some((2, true))),
            ("samba é de graça", 1, None),
        ] {
            let tokens = Tokens::new(text);
            let tokens = tokens.all();
            assert_eq!(origin(&tokens, at, language(&tokens)), expected, "{text}");
        }
    }

    #[test]
    fn who_is_asked_stands_apart() {
        for (text, expected) in [
            ("moço, tem museu aqui?", true),
            ("mano onde tem samba amanhã", true),
            ("cara eu queria um boteco", true),
            ("mano brown na asa norte", false),
            ("amigo da onça", false),
            ("mate gelado", false),
            ("cara gente boa", false),
            ("coffee in Asa Norte, mate?", true),
            ("chá mate", false),
            ("café moca", false),
            ("show do Mano Brown", false),
        ] {
            let tokens = Tokens::new(text);
            let tokens = tokens.all();
            assert_eq!((0..tokens.len()).any(|at| is_address(&tokens, at)), expected, "{text}");
        }
    }
}
