//! How commands print their result.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

/// Prints the result of a command, one line of JSON or text, and succeeds.
pub(super) fn show(json: bool, data: &impl Serialize, text: impl FnOnce() -> String) -> Result<ExitCode> {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(data)?)?;
    } else {
        writeln!(out, "{}", text().trim_end())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
