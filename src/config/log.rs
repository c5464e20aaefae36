//! The settings `log` and `log_requests`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tracing_subscriber::filter::LevelFilter;

use super::text::debug_as_display;

/// Level and format of the log: `info`, or `json:info,candango=debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct LogSpec {
    /// The format of a line.
    pub format: LogFormat,
    /// A level, or levels by module, separated by commas.
    pub filter: String,
}

impl LogSpec {
    /// The levels by module. A bare level is that of this service: what libraries log below a warning says nothing to
    /// an operator, and an outage makes much of it.
    pub fn directives(&self) -> String {
        let level = self.filter.trim().to_ascii_lowercase();
        match level.as_str() {
            "info" | "debug" | "trace" => {
                let own = OWN_CRATES.map(|name| format!("{name}={level}")).join(",");
                format!("warn,{own}")
            }
            _ => self.filter.clone(),
        }
    }
}

/// The crates of this service.
const OWN_CRATES: [&str; 3] = ["candango", "index", "snapshots"];

/// Which requests are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogRequests {
    /// None.
    Off,
    /// Those answered with 5xx, and slow ones.
    Errors,
    /// All.
    All,
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
        if !filter.split(',').all(is_directive) {
            return Err(
                "expected off, error, warn, info, debug or trace, or such levels by module as in info,candango=debug, with \
                 json: before them for JSON lines",
            );
        }
        Ok(LogSpec { format, filter: filter.to_owned() })
    }
}

/// Whether this is a level, or a module with its level. The log takes any other word for a module, and would then show
/// nothing of all others.
fn is_directive(text: &str) -> bool {
    let (module, level) = text.rsplit_once('=').map_or((None, text), |(module, level)| (Some(module), level));
    let is_level = !level.trim().is_empty() && LevelFilter::from_str(level.trim()).is_ok();
    is_level && module.is_none_or(|module| !module.trim().is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_level_is_that_of_this_service_alone() {
        let directives = |text: &str| text.parse::<LogSpec>().expect(text).directives();
        assert_eq!(directives("info"), "warn,candango=info,index=info,snapshots=info");
        assert_eq!(directives("json:DEBUG"), "warn,candango=debug,index=debug,snapshots=debug");
        for whole in ["warn", "error", "off", "info,candango=debug", "candango=trace"] {
            assert_eq!(directives(whole), whole);
        }
    }

    #[test]
    fn a_word_that_is_no_level_is_refused() {
        for wrong in ["loud", "infoo", "json:", "", "info,candango", "candango=", "=info", "json:verbose"] {
            assert!(wrong.parse::<LogSpec>().is_err(), "{wrong}");
        }
    }
}
