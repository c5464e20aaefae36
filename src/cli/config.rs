//! `candango config`: prints the settings in effect.

use std::process::ExitCode;

use super::output::show;
use crate::config::Config;

pub(super) fn run(config: &Config, json: bool) -> anyhow::Result<ExitCode> {
    let effective = config.effective()?;
    show(json, config, || effective)
}
