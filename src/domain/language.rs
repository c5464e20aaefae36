//! The languages that pages and mails are written in.

/// The language of a page or a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Brazilian Portuguese, the default.
    Portuguese,
    /// English.
    English,
}

impl Language {
    /// Every language, in the order in which values for each of them are stored.
    pub const ALL: [Language; 2] = [Language::Portuguese, Language::English];

    /// The language of a tag such as `pt-BR`, by its primary subtag.
    pub fn from_tag(tag: &str) -> Option<Language> {
        let primary = tag.split('-').next()?;
        Language::ALL.into_iter().find(|language| primary.eq_ignore_ascii_case(language.code()))
    }

    /// The primary subtag: `pt` or `en`.
    pub fn code(self) -> &'static str {
        match self {
            Language::Portuguese => "pt",
            Language::English => "en",
        }
    }

    /// The one of two values that belongs to this language.
    pub fn pick<T>(self, portuguese: T, english: T) -> T {
        match self {
            Language::Portuguese => portuguese,
            Language::English => english,
        }
    }
}
