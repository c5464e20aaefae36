//! The words that have a meaning of their own in every guide, in one table: a query looks each of its words up once.

use std::cmp::Reverse;
use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::grammar::dates::terms::{self, TimeWord};
use crate::grammar::hints::{self, Hint};
use crate::grammar::language::{ENGLISH, Language, PORTUGUESE, SPANISH};
use crate::grammar::operators::{self, Operator};
use crate::grammar::persons::{CHILDREN, RELATIVES};
use crate::grammar::stop_words::{CURRENCIES, LIMITS, REQUESTS, SIGNS, SPOKEN, STOP_WORDS};

/// What a word can be, whatever the guide.
#[derive(Debug, Default)]
pub(crate) struct FixedWord {
    /// Whether it is skipped unless the whole text is a name.
    pub(crate) is_stop_word: bool,
    /// Whether it means a child, or a family with children.
    pub(crate) is_child: bool,
    /// The language that it is a function word of.
    pub(crate) language: Option<Language>,
    /// Whether a phrase of time can begin with it.
    pub(crate) begins_time: bool,
    /// The phrases of time that begin with it.
    pub(crate) time: TimeWord,
    /// Whether an amount of money can begin with it.
    pub(crate) begins_amount: bool,
    /// Whether it is a currency, or the letters before its sign: every amount of money has one.
    pub(crate) is_money: bool,
    /// The hints that begin with it, the longest first.
    pub(crate) hints: Vec<Phrase<Hint>>,
    /// Whether words for "near" can begin with it, or a distance have it.
    pub(crate) begins_near: bool,
    /// The operators that begin with it, the longest first, each with the only language that it counts in.
    pub(crate) operators: Vec<Phrase<(Operator, Option<Language>)>>,
}

/// The words after the first of a phrase, and what it means.
pub(crate) type Phrase<T> = (Vec<&'static str>, T);

/// The word, if it is one of these.
pub(crate) fn fixed_word(word: &str) -> Option<&'static FixedWord> {
    FIXED_WORDS.get(word)
}

/// Whether the folded word is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    fixed_word(word).is_some_and(|word| word.is_stop_word)
}

/// Whether the folded word means a child, or a family with children.
pub(crate) fn is_child(word: &str) -> bool {
    fixed_word(word).is_some_and(|word| word.is_child)
}

static FIXED_WORDS: LazyLock<HashMap<&str, FixedWord>> = LazyLock::new(|| {
    let mut words: HashMap<&str, FixedWord> = HashMap::new();
    for word in STOP_WORDS.iter().chain(REQUESTS) {
        words.entry(word).or_default().is_stop_word = true;
    }
    for (language, list) in
        [(Language::Portuguese, PORTUGUESE), (Language::English, ENGLISH), (Language::Spanish, SPANISH)]
    {
        for word in list {
            words.entry(word).or_default().language = Some(language);
        }
    }
    for word in CHILDREN {
        words.entry(word).or_default().is_child = true;
    }
    for word in TIME_WORDS.iter().copied().chain(terms::beginnings()) {
        words.entry(word).or_default().begins_time = true;
    }
    for word in terms::beginnings().chain(terms::counts()) {
        words.entry(word).or_default().time = TimeWord::of(word);
    }
    for word in LIMITS.iter().chain(SIGNS).chain(SPOKEN) {
        words.entry(word).or_default().begins_amount = true;
    }
    for word in CURRENCIES.iter().chain(SIGNS) {
        words.entry(word).or_default().is_money = true;
    }
    for (hint, list) in hints::PHRASES {
        for (first, rest) in phrases(list) {
            words.entry(first).or_default().hints.push((rest, *hint));
        }
    }
    for (possessives, persons) in RELATIVES {
        for possessive in *possessives {
            let phrases = persons.iter().map(|person| (vec![*person], Hint::Company));
            words.entry(possessive).or_default().hints.extend(phrases);
        }
    }
    for (operator, language, list) in operators::PHRASES {
        for (first, rest) in phrases(list) {
            let word = words.entry(first).or_default();
            word.begins_near |= matches!(operator, Operator::Near | Operator::OnFoot);
            word.operators.push((rest, (*operator, *language)));
        }
    }
    for (unit, _) in operators::DISTANCES {
        words.entry(unit).or_default().begins_near = true;
    }
    for word in words.values_mut() {
        word.hints.sort_by_key(|(rest, _)| Reverse(rest.len()));
        word.operators.sort_by_key(|(rest, _)| Reverse(rest.len()));
    }
    words
});

/// The phrases of a list that commas separate, each as its first word and the rest.
fn phrases(list: &'static str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    list.split(',').map(|phrase| {
        let mut words = phrase.split_ascii_whitespace();
        (words.next().unwrap_or(""), words.collect())
    })
}

/// What a phrase of time can begin with, beside numbers and the words of its tables.
#[rustfmt::skip]
const TIME_WORDS: &[&str] = &[
    "between", "cuarto", "da", "das", "de", "del", "do", "entre", "first", "for", "fourth", "last", "medianoche", "medio",
    "mediodia", "meia", "meio", "midday", "midnight", "noon", "of", "pela", "penultima", "penultimate", "penultimo",
    "primeira", "primeiro", "primer", "primera", "primero", "quarto", "second", "segundo", "starting", "terceira",
    "terceiro", "tercer", "tercera", "third", "ultima", "ultimo",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_can_be_several_things() {
        let word = fixed_word("no").unwrap();
        assert!(word.is_stop_word && word.begins_time && word.language.is_none());
        // "no entorno de", "no more", "no quiero", and "no" in two languages: the longest come first
        let lengths: Vec<usize> = word.operators.iter().map(|(rest, _)| rest.len()).collect();
        assert!(
            lengths.is_sorted_by(|one, next| one >= next) && lengths.ends_with(&[1, 0, 0]),
            "{lengths:?}"
        );
        assert!(fixed_word("near").unwrap().language == Some(Language::English));
        assert!(["", "samba", "zoo", "jazz", "408", "xy", "{"].iter().all(|word| fixed_word(word).is_none()));
    }

    #[test]
    fn phrases_of_one_kind_are_said_once() {
        for (word, fixed) in FIXED_WORDS.iter() {
            assert!(!word.is_empty());
            let mut said: Vec<_> =
                fixed.operators.iter().map(|(rest, (_, language))| (rest, language)).collect();
            let count = said.len();
            said.sort_by_key(|(rest, language)| (*rest, language.map(|language| language as u8)));
            said.dedup();
            assert_eq!(said.len(), count, "{word}");
        }
    }
}
