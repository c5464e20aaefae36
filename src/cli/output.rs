//! How commands print their result.

use std::io::{self, Write};

use serde::Serialize;

/// Prints the result of a command: one line of JSON, or text.
pub(super) fn show(json: bool, data: &impl Serialize, text: impl FnOnce() -> String) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(data)?)?;
    } else {
        writeln!(out, "{}", text().trim_end())?;
    }
    Ok(out.flush()?)
}
