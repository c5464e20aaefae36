//! Words of asking: those that frame a question and say nothing of what is asked for.

/// Whether the folded word only frames a question ("onde", "near", "melhor"). It is passed over, unless the whole
/// question is somebody's name.
pub(crate) fn is_filler(word: &str) -> bool {
    FILLERS.binary_search(&word).is_ok()
}

/// Whether a free question may pass over the word when it says something else as well: a kind of outing rather
/// than a subject ("show de rock", "rock concert").
pub(crate) fn is_outing(word: &str) -> bool {
    matches!(word, "show" | "shows" | "concert" | "concerts" | "gig" | "gigs")
}

/// Sorted, so that a look-up is a binary search; a test holds it to that.
const FILLERS: &[&str] = &[
    "a", "about", "acho", "agenda", "ai", "algo", "algum", "alguma", "an", "ao", "aonde", "aos", "are",
    "around", "as", "assistir", "at", "ate", "best", "boa", "boas", "bom", "bons", "by", "can", "close",
    "com", "conhecer", "could", "curtir", "dicas", "em", "encontrar", "entre", "escutar", "este", "eu",
    "event", "evento", "eventos", "events", "fazer", "find", "for", "friendly", "from", "going", "good",
    "great", "ha", "happening", "have", "hear", "i", "in", "ir", "is", "legais", "legal", "listen",
    "looking", "lugar", "lugares", "me", "melhor", "melhores", "meu", "minha", "na", "nas", "near",
    "nearby", "need", "nice", "no", "nos", "o", "on", "onde", "or", "os", "ou", "ouvir", "para", "pela",
    "pelo", "perto", "place", "places", "pra", "pro", "programa", "programacao", "programas", "proxima",
    "proximo", "quais", "qual", "quando", "que", "queria", "quero", "recommend", "rola", "rolando", "see",
    "some", "somewhere", "spot", "spots", "sugestao", "ta", "tem", "ter", "that", "there", "thing",
    "things", "to", "tocando", "top", "um", "uma", "uns", "ver", "visitar", "want", "we", "what", "whats",
    "when", "where", "which", "with", "you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_without_doubles() {
        assert!(FILLERS.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", FILLERS.windows(2).find(|pair| pair[0] >= pair[1]));
    }
}
