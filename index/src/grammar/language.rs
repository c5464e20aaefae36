//! The language of a query, guessed from its function words: "hoy" and "mañana" mean other days than "amanhã", and
//! answers are written in the language of the question.

/// A language that queries come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// The default.
    #[default]
    Portuguese,
    /// English.
    English,
    /// Spanish.
    Spanish,
}

// Function words. Words that two of the languages share ("de", "que", "para", "as", "no") are in no table.

#[rustfmt::skip]
pub(crate) const PORTUGUESE: &[&str] = &[
    "acontece", "ainda", "amanha", "ao", "aonde", "aos", "ate", "boa", "com", "depois", "e", "ela", "ele", "em",
    "essa", "esse", "estou", "eu", "fazer", "fim", "hoje", "isso", "mas", "melhor", "melhores", "meu", "minha",
    "muito", "na", "nao", "nas", "nesta", "neste", "noite", "nos", "nossa", "nosso", "num", "numa", "o", "onde",
    "os", "ou", "pela", "pelas", "pelo", "pelos", "perto", "pra", "pro", "proxima", "proximas", "proximos",
    "quais", "qual", "quando", "quero", "rola", "rolando", "sexta", "tarde", "tem", "ter", "um", "uma", "uns",
    "vai", "vcs", "vem", "voce", "voces", "vou",
];

#[rustfmt::skip]
pub(crate) const ENGLISH: &[&str] = &[
    "about", "after", "an", "and", "any", "are", "around", "at", "be", "before", "best", "breakfast", "but",
    "can", "cheap", "children", "chinese", "church", "churches", "close", "dinner", "eat", "find", "for",
    "french", "friday", "from", "go", "good", "happening", "have", "how", "i", "in", "is", "it", "italian",
    "japanese", "lake", "looking", "monday", "month", "museum", "museums", "my", "near", "nearby", "need",
    "next", "night", "of", "on", "or", "our", "place", "places", "restaurant", "restaurants", "saturday",
    "some", "sunday", "than", "that", "the", "there", "things", "this", "thursday", "to", "today", "tomorrow",
    "tonight", "tuesday", "us", "walk", "want", "we", "wednesday", "week", "weekend", "what", "whats", "when",
    "where", "which", "with", "would", "you",
];

#[rustfmt::skip]
pub(crate) const SPANISH: &[&str] = &[
    "abierto", "ahora", "al", "algun", "alguna", "buen", "bueno", "cerca", "con", "cual", "cuales", "cuando",
    "del", "desde", "despues", "donde", "el", "en", "es", "eso", "esto", "estoy", "fin", "gracias", "hacer",
    "hasta", "hay", "hola", "hoy", "jueves", "la", "las", "los", "lunes", "manana", "martes", "mejor",
    "mejores", "mi", "miercoles", "muy", "ninos", "noche", "nuestra", "nuestro", "pasado", "pero", "puedo",
    "quiero", "sitio", "son", "tengo", "tiene", "tienen", "un", "una", "unas", "unos", "viene",
    "viernes", "voy", "y", "ya", "yo",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::tokens::{Tokens, language};

    #[test]
    fn the_function_words_give_the_language() {
        use Language::{English, Portuguese, Spanish};
        for (text, spoken) in [
            ("", Portuguese),
            ("jazz", Portuguese),
            ("forró asa sul", Portuguese),
            ("o que fazer hoje à noite", Portuguese),
            ("onde tem samba no sábado", Portuguese),
            ("bar perto da Torre de TV", Portuguese),
            ("quero comer um pastel na feira", Portuguese),
            ("teatro infantil em Taguatinga", Portuguese),
            ("what's on tonight", English),
            ("live music near me this weekend", English),
            ("best pizza in Asa Norte", English),
            ("where is the Paranoá lake", English),
            ("qué hacer hoy", Spanish),
            ("dónde hay samba en la Asa Sul", Spanish),
            ("un bar con música en vivo", Spanish),
            ("conciertos del próximo viernes", Spanish),
            ("mañana por la noche", Spanish),
        ] {
            assert_eq!(language(&Tokens::new(text).all()), spoken, "{text}");
        }
    }

    #[test]
    fn the_tables_are_sorted_and_share_no_word() {
        for table in [PORTUGUESE, ENGLISH, SPANISH] {
            assert!(table.windows(2).all(|pair| pair[0] < pair[1]), "{table:?}");
        }
        let shared = |one: &[&str], other: &[&str]| one.iter().any(|word| other.contains(word));
        assert!(!shared(PORTUGUESE, ENGLISH) && !shared(ENGLISH, SPANISH) && !shared(PORTUGUESE, SPANISH));
    }
}
