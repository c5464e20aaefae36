//! How commands print their result.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::store::Silent;

/// The exit code of a command that did what it could: it says what is missing.
pub(super) const INCOMPLETE: u8 = 3;

/// Prints the result of a command, one line of JSON or text, and succeeds.
pub(super) fn show(json: bool, data: &impl Serialize, text: impl FnOnce() -> String) -> Result<ExitCode> {
    let line = if json { serde_json::to_string(data)? } else { text().trim_end().to_owned() };
    print(&format!("{line}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes to standard output. A reader that has read enough and is gone, as `head` is, is no failure: what a command
/// did is done.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a line to standard error, whose reader may be gone too.
pub(super) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Says which servers did not answer.
pub(super) fn named(silent: &Silent) -> String {
    match silent.is_empty() {
        true => String::new(),
        false => format!(
            " These servers did not answer; their trust window has passed, so they accept no cached key: {}.",
            silent.join(", ")
        ),
    }
}

/// The words for places.
pub(super) const PLACES: [&str; 2] = ["place", "places"];

/// The words for events.
pub(super) const EVENTS: [&str; 2] = ["event", "events"];

/// A number with the word for one, or for several.
pub(super) fn counted(count: impl Display, [one, many]: [&str; 2]) -> String {
    let count = count.to_string();
    format!("{count} {}", if count == "1" { one } else { many })
}
