//! Words of asking: those that frame a question and say nothing of what is asked for.

/// Whether the folded word only frames a question ("onde", "near", "melhor"). It is passed over, unless the whole
/// question is somebody's name.
pub(crate) fn is_filler(word: &str) -> bool {
    let letter = |byte: u8| usize::from(byte.wrapping_sub(b'a'));
    let letter = word.bytes().next().map(letter).filter(|letter| *letter < LETTERS);
    letter.is_some_and(|letter| FILLERS[BEGINS[letter]..BEGINS[letter + 1]].contains(&word))
}

const LETTERS: usize = 26;

/// Where in the list the words of each letter begin: most words are told from those few by their length.
const BEGINS: [usize; LETTERS + 1] = {
    let mut begins = [FILLERS.len(); LETTERS + 1];
    let mut at = FILLERS.len();
    while at > 0 {
        at -= 1;
        begins[(FILLERS[at].as_bytes()[0] - b'a') as usize] = at;
    }
    let mut letter = LETTERS;
    while letter > 0 {
        letter -= 1;
        if begins[letter] > begins[letter + 1] {
            begins[letter] = begins[letter + 1];
        }
    }
    begins
};

/// Whether a free question may pass over the word when it says something else as well: a kind of outing rather
/// than a subject ("show de rock", "rock concert").
pub(crate) fn is_outing(word: &str) -> bool {
    matches!(word, "show" | "shows" | "concert" | "concerts" | "gig" | "gigs")
}

/// Sorted, so that the words of a letter lie together; a test holds it to that.
const FILLERS: &[&str] = &[
    "a",
    "about",
    "acho",
    "acontece",
    "acontecem",
    "acontecendo",
    "agenda",
    "ai",
    "algo",
    "algum",
    "alguma",
    "an",
    "any",
    "ao",
    "aonde",
    "aos",
    "are",
    "around",
    "as",
    "assistir",
    "at",
    "ate",
    "attend",
    "best",
    "boa",
    "boas",
    "bom",
    "bons",
    "by",
    "can",
    "close",
    "com",
    "conhecer",
    "could",
    "curtir",
    "dicas",
    "does",
    "em",
    "encontrar",
    "enjoy",
    "entre",
    "escutar",
    "este",
    "eu",
    "event",
    "evento",
    "eventos",
    "events",
    "fazer",
    "find",
    "for",
    "friendly",
    "from",
    "get",
    "go",
    "going",
    "good",
    "gostaria",
    "great",
    "ha",
    "happening",
    "have",
    "hear",
    "i",
    "in",
    "indica",
    "indique",
    "ir",
    "is",
    "legais",
    "legal",
    "listen",
    "looking",
    "lugar",
    "lugares",
    "me",
    "melhor",
    "melhores",
    "meu",
    "minha",
    "na",
    "nas",
    "near",
    "nearby",
    "need",
    "nice",
    "no",
    "nos",
    "o",
    "on",
    "onde",
    "or",
    "os",
    "ou",
    "ouvir",
    "para",
    "pela",
    "pelo",
    "perto",
    "place",
    "places",
    "pra",
    "pro",
    "programa",
    "programacao",
    "programas",
    "proxima",
    "proximo",
    "quais",
    "qual",
    "quando",
    "que",
    "queria",
    "quero",
    "recomenda",
    "recomende",
    "recommend",
    "rola",
    "rolando",
    "sabe",
    "see",
    "some",
    "somewhere",
    "spot",
    "spots",
    "sugestao",
    "ta",
    "tem",
    "ter",
    "tera",
    "that",
    "there",
    "thing",
    "things",
    "to",
    "tocando",
    "top",
    "try",
    "um",
    "uma",
    "uns",
    "vai",
    "vao",
    "ver",
    "visit",
    "visitar",
    "want",
    "watch",
    "we",
    "what",
    "whats",
    "when",
    "where",
    "which",
    "with",
    "you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_without_doubles() {
        assert!(
            FILLERS.windows(2).all(|pair| pair[0] < pair[1]),
            "{:?}",
            FILLERS.windows(2).find(|pair| pair[0] >= pair[1])
        );
    }

    #[test]
    fn a_word_is_a_filler_when_it_is_in_the_list() {
        assert!(FILLERS.iter().all(|word| is_filler(word)));
        for word in ["", "samba", "zoo", "jazz", "408", "yo", "{", "`"] {
            assert!(!is_filler(word), "{word}");
        }
    }
}
