//! The languages of messages.

/// The language of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    /// Portuguese.
    Pt,
    /// English.
    En,
}

impl Lang {
    /// The text of this language.
    pub fn pick<T>(self, pt: T, en: T) -> T {
        match self {
            Self::Pt => pt,
            Self::En => en,
        }
    }
}
