//! `candango completions` and `candango manual`: what a package installs beside the program, made from the definitions
//! of the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::Shell;

use super::output::print;

/// The flags of `candango completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsFlags {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// The flags of `candango manual`.
#[derive(Debug, Args)]
pub(super) struct ManualFlags {
    /// The folder to write to, which is made if it is missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Prints the completions of a shell.
pub(super) fn complete(mut program: Command, flags: &CompletionsFlags) -> Result<ExitCode> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut program, name, &mut script);
    print(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a manual page for each command.
pub(super) fn write(program: Command, flags: &ManualFlags) -> Result<ExitCode> {
    let folder = &flags.folder;
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(program, folder))
        .with_context(|| format!("{} cannot be written", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
