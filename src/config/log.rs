//! The setting `log`.

use std::fmt;
use std::str::FromStr;

use super::text::debug_as_display;

/// Level and format of the log: `info`, or `json:info,candango=debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct LogSpec {
    /// The format of a line.
    pub format: LogFormat,
    /// A level, or levels by module, separated by commas.
    pub filter: String,
}

/// The format of a log line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Pretty,
    /// For programs.
    Json,
}

impl FromStr for LogSpec {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (format, filter) = match text.strip_prefix("json:") {
            Some(filter) => (LogFormat::Json, filter),
            None => (LogFormat::Pretty, text.strip_prefix("pretty:").unwrap_or(text)),
        };
        if filter.trim().is_empty() {
            return Err("expected a level such as info or debug, with json: before it for JSON lines");
        }
        Ok(LogSpec { format, filter: filter.to_owned() })
    }
}

impl fmt::Display for LogSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            LogFormat::Pretty => f.write_str(&self.filter),
            LogFormat::Json => write!(f, "json:{}", self.filter),
        }
    }
}

debug_as_display!(LogSpec);
