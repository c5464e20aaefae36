//! The words of a query with what separates them: folding drops the marks that tell "25/12" from "25 12".

use smallvec::SmallVec;

use crate::grammar::fixed_words::{FixedWord, Phrase, fixed_word};
use crate::grammar::fold::{FoldObserver, fold_observed};
use crate::grammar::hints::Hint;
use crate::grammar::language::Language;
use crate::grammar::operators::Operator;
use crate::grammar::stop_words::asks_for_another;

/// What stands between a word and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// Nothing: the first word, or a letter next to a digit as in "20h".
    None,
    /// A blank.
    Space,
    /// A slash.
    Slash,
    /// A hyphen or a dash.
    Hyphen,
    /// A colon.
    Colon,
    /// A sign for "and": an ampersand or a plus.
    And,
    /// A comma, a semicolon or a line break.
    Comma,
    /// Any other mark.
    Other,
}

impl Separator {
    fn of(byte: u8) -> Self {
        match byte {
            b',' | b';' | b'\n' | b'\r' => Self::Comma,
            b'/' => Self::Slash,
            b'-' => Self::Hyphen,
            b':' => Self::Colon,
            b'&' | b'+' => Self::And,
            b' ' | b'\t' => Self::Space,
            _ => Self::Other,
        }
    }

    /// A text that separates so.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Space => " ",
            Self::Slash => "/",
            Self::Hyphen => "-",
            Self::Colon => ":",
            Self::And => " & ",
            Self::Comma => ", ",
            Self::Other => "'",
        }
    }

    /// Of several separators in a row, the one with the greatest strength counts.
    fn strength(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Space => 1,
            Self::Other => 2,
            Self::And => 3,
            Self::Colon => 4,
            Self::Hyphen => 5,
            Self::Slash => 6,
            Self::Comma => 7,
        }
    }

    fn stronger(self, other: Self) -> Self {
        if self.strength() < other.strength() { other } else { self }
    }
}

/// A folded word of a query, connectors included.
#[derive(Debug, Clone, Copy)]
pub struct Token<'t> {
    /// The folded word.
    pub word: &'t str,
    /// What stands before it.
    pub separator: Separator,
    /// What it can be, whatever the guide.
    pub(crate) fixed: Option<&'static FixedWord>,
    /// Whether it is the name of a symbol, such as an emoji.
    pub(crate) is_symbol: bool,
}

impl Token<'_> {
    /// Whether it is a stop word.
    pub(crate) fn is_stop_word(&self) -> bool {
        self.fixed.is_some_and(|word| word.is_stop_word)
    }

    /// Whether a comma or the end of a sentence stands before it.
    pub(crate) fn begins_phrase(&self) -> bool {
        matches!(self.separator, Separator::Comma | Separator::Other) && !self.is_clipped()
    }

    /// Whether it is what an apostrophe cut off: "what's", "I'm".
    pub(crate) fn is_clipped(&self) -> bool {
        self.separator == Separator::Other && matches!(self.word, "s" | "m" | "re" | "ll" | "ve" | "t" | "d")
    }
}

/// The language that most function words are of; Portuguese when none leads.
pub(crate) fn language(tokens: &[Token]) -> Language {
    let (mut portuguese, mut english, mut spanish) = (0, 0, 0);
    // "lá no Guará", "amigos de lá"
    let is_there = |at: usize| {
        let next = tokens.get(at + 1).filter(|next| next.separator == Separator::Space);
        let is_behind = |next: &Token| {
            matches!(next.word, "no" | "na" | "nos" | "nas" | "em" | "do" | "da" | "pra" | "pro")
        };
        tokens[at].word == "la" && next.is_none_or(is_behind)
    };
    let spoken = tokens.iter().enumerate().filter(|(at, _)| !is_there(*at));
    for language in spoken.filter_map(|(_, token)| token.fixed?.language) {
        match language {
            Language::Portuguese => portuguese += 1,
            Language::English => english += 1,
            Language::Spanish => spanish += 1,
        }
    }
    if english > portuguese.max(spanish) {
        Language::English
    } else if spanish > portuguese.max(english) {
        Language::Spanish
    } else {
        Language::Portuguese
    }
}

/// Whether a sentence ends before token `at`: an apostrophe ends none, as in "d'água".
pub(crate) fn ends_sentence(tokens: &[Token], at: usize) -> bool {
    let is_cut = || at.checked_sub(1).is_some_and(|before| tokens[before].word.len() == 1);
    tokens[at].separator == Separator::Other && !tokens[at].is_clipped() && !is_cut()
}

/// The longest hint that begins at token `at`: how many tokens it has, and what it asks about.
pub(crate) fn hint(tokens: &[Token], at: usize) -> Option<(usize, Hint)> {
    let (taken, hint) = longest(tokens, at, &tokens.get(at)?.fixed?.hints, |_| true, |_| true)?;
    Some((taken, *hint))
}

/// The first words of a text that name what an intolerance or a religion allows, folded: "sem gluten".
pub fn diet(text: &str) -> Option<String> {
    let tokens = Tokens::new(text);
    let all = tokens.all();
    (0..all.len()).find_map(|at| {
        let (taken, _) = hint(&all, at).filter(|(_, hint)| *hint == Hint::Diet)?;
        Some(all[at..at + taken].iter().map(|token| token.word).collect::<Vec<_>>().join(" "))
    })
}

/// Whether a price text says that nothing is to be paid.
pub(crate) fn says_free(tokens: &[Token]) -> bool {
    (0..tokens.len()).any(|at| matches!(hint(tokens, at), Some((_, Hint::Free))))
}

/// The longest operator of the language that begins at token `at`: how many tokens it has, and what it does.
pub(crate) fn operator(tokens: &[Token], at: usize, language: Language) -> Option<(usize, Operator)> {
    let counts = |(_, only): &(Operator, Option<Language>)| only.is_none_or(|only| only == language);
    // "museu não, quero um parque"
    let goes_on = |token: &Token| !token.begins_phrase();
    let (mut taken, &(mut operator, _)) =
        longest(tokens, at, &tokens.get(at)?.fixed?.operators, counts, goes_on)?;
    // "mas não me mandem pro" begins with "mas não"
    if matches!(tokens[at].word, "mas" | "but" | "pero")
        && let Some((longer, (other, _))) = tokens
            .get(at + 1)
            .and_then(|next| longest(tokens, at + 1, &next.fixed?.operators, counts, goes_on))
        && 1 + longer > taken
    {
        (taken, operator) = (1 + longer, *other);
    }
    let is_meant = operator != Operator::Known || tokens.iter().any(|token| asks_for_another(token.word));
    is_meant.then_some((taken, operator))
}

fn longest<'p, T>(
    tokens: &[Token],
    at: usize,
    phrases: &'p [Phrase<T>],
    counts: impl Fn(&T) -> bool,
    goes_on: impl Fn(&Token) -> bool,
) -> Option<(usize, &'p T)> {
    phrases.iter().find_map(|(rest, meaning)| {
        let words = tokens.get(at + 1..at + 1 + rest.len())?;
        let is_here = words.iter().map(|token| token.word).eq(rest.iter().copied());
        (is_here && counts(meaning) && words.iter().all(&goes_on)).then_some((1 + rest.len(), meaning))
    })
}

/// A folded text and its words.
#[derive(Debug, Default)]
pub struct Tokens {
    folded: String,
    starts: Starts,
}

type Starts = SmallVec<[Start; 16]>;

/// The start of a word.
#[derive(Debug, Clone, Copy)]
struct Start {
    /// Its first byte in the folded text.
    byte: usize,
    /// What stands before it.
    separator: Separator,
    is_symbol: bool,
}

/// Collects the starts of words.
struct Recorder {
    starts: Starts,
    since: Separator,
    in_symbol: bool,
}

impl FoldObserver for Recorder {
    #[inline]
    fn gap(&mut self, byte: u8) {
        self.since = self.since.stronger(Separator::of(byte));
    }

    #[inline]
    fn word(&mut self, start: usize) {
        let since = std::mem::replace(&mut self.since, Separator::None);
        let separator = if start == 0 { Separator::None } else { since };
        self.starts.push(Start { byte: start, separator, is_symbol: self.in_symbol });
    }

    #[inline]
    fn symbol(&mut self, begins: bool) {
        self.in_symbol = begins;
    }
}

impl Tokens {
    /// Folds a text and records its words.
    pub fn new(text: &str) -> Self {
        let mut recorder = Recorder { starts: Starts::new(), since: Separator::None, in_symbol: false };
        let folded = fold_observed(text, &mut recorder);
        let mut starts = recorder.starts;
        // a long text is cut
        while starts.last().is_some_and(|start| start.byte >= folded.len()) {
            starts.pop();
        }
        Self { folded, starts }
    }

    /// The folded text, as [`crate::grammar::fold::fold`] returns it.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// How many words there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The words in order, each with what stands before it.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Separator)> {
        self.starts.iter().enumerate().map(|(at, start)| (self.word(at), start.separator))
    }

    /// Whether a word is the name of a symbol, such as an emoji.
    pub(crate) fn is_symbol(&self, at: usize) -> bool {
        self.starts.get(at).is_some_and(|start| start.is_symbol)
    }

    /// The words in order, with what each can be.
    pub fn all(&self) -> SmallVec<[Token<'_>; 16]> {
        self.with(self.iter().map(|(word, _)| fixed_word(word)))
    }

    /// The words in order, of which each can be one of these.
    pub(crate) fn with(
        &self,
        fixed: impl Iterator<Item = Option<&'static FixedWord>>,
    ) -> SmallVec<[Token<'_>; 16]> {
        let words = self.starts.iter().zip(self.iter()).zip(fixed);
        words
            .map(|((start, (word, separator)), fixed)| Token {
                word,
                separator,
                fixed,
                is_symbol: start.is_symbol,
            })
            .collect()
    }

    /// The word with this number; empty if there are fewer.
    pub fn word(&self, at: usize) -> &str {
        self.between(at, at)
    }

    /// The folded text from word `from` to word `last`, both included; empty if there are fewer words.
    pub fn between(&self, from: usize, last: usize) -> &str {
        let Some(start) = self.starts.get(from) else { return "" };
        let end = self.starts.get(last + 1).map_or(self.folded.len(), |next| next.byte - 1);
        self.folded.get(start.byte..end).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::fold::fold;
    use proptest::prelude::*;

    #[test]
    fn the_strongest_separator_counts() {
        use Separator::{Colon, Comma, Hyphen, None, Other, Slash, Space};
        for (text, separators) in [
            ("25/12/2026", vec![None, Slash, Slash]),
            (" (sexta-feira", vec![None, Hyphen]),
            ("sexta – feira", vec![None, Hyphen]),
            ("20h30", vec![None, None, None]),
            ("20:30 hoje", vec![None, Colon, Space]),
            ("a, b; c\nd", vec![None, Comma, Comma, Comma]),
            ("25.12.2026", vec![None, Other, Other]),
            ("", vec![]),
        ] {
            let found: Vec<_> = Tokens::new(text).iter().map(|(_, separator)| separator).collect();
            assert_eq!(found, separators, "{text}");
        }
    }

    #[test]
    fn words_can_be_taken_by_number() {
        let tokens = Tokens::new("Jazz no Sábado, 20h");
        assert_eq!(tokens.word(2), "sabado");
        assert_eq!(tokens.between(1, 3), "no sabado 20");
        assert_eq!((tokens.word(9), tokens.between(3, 9)), ("", "20 h"));
    }

    #[test]
    fn a_long_text_is_cut_as_folding_cuts_it() {
        let text = "ab, ".repeat(2_000);
        let tokens = Tokens::new(&text);
        assert_eq!(tokens.folded(), fold(&text));
        assert_eq!(tokens.all().len(), tokens.folded().split(' ').count());
    }

    proptest! {
        #[test]
        fn the_words_make_up_the_folded_text(text in "(\\PC|[a-c0-9 ,./:-]){0,60}") {
            let tokens = Tokens::new(&text);
            prop_assert_eq!(tokens.folded(), fold(&text));
            let words: Vec<&str> = tokens.iter().map(|(word, _)| word).collect();
            prop_assert_eq!(words.join(" "), tokens.folded());
        }
    }
}
