//! What a question says whatever the guide: the words of the three languages with a meaning of their own (stop words,
//! operators, hints, persons, amounts), dates and hours, and the folding by which words are compared.

pub(crate) mod amounts;
pub(crate) mod common_words;
pub mod dates;
pub(crate) mod demonyms;
pub(crate) mod fixed_words;
pub mod fold;
pub mod hints;
pub mod language;
pub(crate) mod operators;
pub(crate) mod persons;
pub(crate) mod stop_words;
pub mod tokens;
