//! Words that are common in any text of a language, by the lists of stopwords-iso: "over", "primeiro", "fuera". A
//! closest answer needs a better subject. These lists are longer than that of the words that a search skips, and have
//! "work" and "ponto" too.

use std::sync::LazyLock;

use hashbrown::HashSet;
use stop_words::{Language, get};

use crate::grammar::fold::fold;

/// Whether the folded word is common in Portuguese, English or Spanish.
pub(crate) fn is_common(word: &str) -> bool {
    static COMMON: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let lists = [Language::Portuguese, Language::English, Language::Spanish].map(get);
        lists.into_iter().flatten().map(|word| fold(word)).collect()
    });
    COMMON.contains(word)
}
