//! `candango config`: prints the settings in effect, and whether a server takes them. The store and the depot are not
//! asked.

use std::process::ExitCode;

use super::output::{show, tell};
use crate::config::Config;

pub(super) fn run(config: &Config, json: bool) -> anyhow::Result<ExitCode> {
    let effective = config.effective()?;
    let shown = show(json, config, || effective)?;
    for warning in config.server_warnings() {
        tell(format_args!("warning: {warning}"));
    }
    let mistakes = config.server_mistakes();
    for mistake in &mistakes {
        tell(format_args!("error: {mistake}"));
    }
    Ok(if mistakes.is_empty() { shown } else { ExitCode::FAILURE })
}
