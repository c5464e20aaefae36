//! Stop words: they frame a query and say nothing about what is searched.

/// Whether the folded word is a stop word ("onde", "near", "melhor"). Stop words are skipped unless the whole text is the
/// name of a record.
pub(crate) fn is_stop_word(word: &str) -> bool {
    let letter = |byte: u8| usize::from(byte.wrapping_sub(b'a'));
    let letter = word.bytes().next().map(letter).filter(|letter| *letter < LETTERS);
    letter.is_some_and(|letter| STOP_WORDS[BEGINS[letter]..BEGINS[letter + 1]].contains(&word))
}

const LETTERS: usize = 26;

/// Where the words of each letter begin in the list: comparing a word with those few is faster than hashing it.
const BEGINS: [usize; LETTERS + 1] = {
    let mut begins = [STOP_WORDS.len(); LETTERS + 1];
    let mut at = STOP_WORDS.len();
    while at > 0 {
        at -= 1;
        begins[(STOP_WORDS[at].as_bytes()[0] - b'a') as usize] = at;
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

/// Whether the word is too generic to narrow a query beside another category ("show de rock", "rock concert").
pub(crate) fn is_generic_category(word: &str) -> bool {
    matches!(word, "show" | "shows" | "concert" | "concerts" | "gig" | "gigs")
}

/// Sorted, so that the words of a letter are adjacent.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "about", "acho", "acontece", "acontecem", "acontecendo", "agenda", "ai", "algo", "algum", "alguma",
    "an", "any", "ao", "aonde", "aos", "are", "around", "as", "assistir", "at", "ate", "attend", "best",
    "boa", "boas", "bom", "bons", "by", "can", "close", "com", "conhecer", "could", "curtir", "dicas",
    "does", "em", "encontrar", "enjoy", "entre", "escutar", "este", "eu", "event", "evento", "eventos",
    "events", "fazer", "find", "for", "friendly", "from", "get", "go", "going", "good", "gostaria", "great",
    "ha", "happening", "have", "hear", "i", "in", "indica", "indique", "ir", "is", "legais", "legal",
    "listen", "looking", "lugar", "lugares", "me", "melhor", "melhores", "meu", "minha", "na", "nas",
    "near", "nearby", "need", "nice", "no", "nos", "o", "on", "onde", "or", "os", "ou", "ouvir", "para",
    "pela", "pelo", "perto", "place", "places", "pra", "pro", "programa", "programacao", "programas",
    "proxima", "proximo", "quais", "qual", "quando", "que", "queria", "quero", "recomenda", "recomende",
    "recommend", "rola", "rolando", "sabe", "see", "some", "somewhere", "spot", "spots", "sugestao", "ta",
    "tem", "ter", "tera", "that", "there", "thing", "things", "to", "tocando", "top", "try", "um", "uma",
    "uns", "vai", "vao", "ver", "visit", "visitar", "want", "watch", "we", "what", "whats", "when", "where",
    "which", "with", "you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_no_duplicates() {
        assert!(
            STOP_WORDS.windows(2).all(|pair| pair[0] < pair[1]),
            "{:?}",
            STOP_WORDS.windows(2).find(|pair| pair[0] >= pair[1])
        );
    }

    #[test]
    fn exactly_the_words_of_the_list_are_stop_words() {
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
        for word in ["", "samba", "zoo", "jazz", "408", "yo", "{", "`"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
