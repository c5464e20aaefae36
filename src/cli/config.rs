//! `candango config`: the settings in effect, secrets hidden. Uses [`crate::config`].

use std::process::ExitCode;

use crate::config::Config;

pub(super) fn run(config: &Config, json: bool) -> anyhow::Result<ExitCode> {
    let effective = config.effective()?;
    super::show(json, config, || effective)?;
    Ok(ExitCode::SUCCESS)
}
