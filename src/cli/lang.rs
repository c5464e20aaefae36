//! The language of what the commands of `candango snapshot` say.

use clap::ValueEnum;
use spreadsheets::Lang;

/// The language of messages, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LangFlag {
    /// Portuguese
    Pt,
    /// English
    En,
}

/// The language that was asked for, else that of the environment.
pub(super) fn lang(flag: Option<LangFlag>) -> Lang {
    match flag {
        Some(LangFlag::Pt) => Lang::Pt,
        Some(LangFlag::En) => Lang::En,
        None => {
            let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
            let locale = set("LC_ALL").or_else(|| set("LC_MESSAGES")).or_else(|| set("LANG"));
            if locale.is_some_and(|locale| locale.to_lowercase().starts_with("pt")) {
                Lang::Pt
            } else {
                Lang::En
            }
        }
    }
}
