//! Words that the guide does not know: misspelt ones become the nearest known word, others another form of a known one.

pub(crate) mod correction;
pub mod lexicon;
pub(crate) mod respelling;
