//! The load generator: starts the service, asks it over many connections, and says whether it keeps its promises
//! of speed. Linux only: it reads `/proc`, and lays each process on a processor of its own.
//!
//! - `load ratio` asks the service and a server of constant answers in turn, several rounds, and tells what an
//!   answer costs in processor time, how many are given in a second, how long they take, and the ratios. A ratio
//!   of one run on one machine is what the budgets are about: the figures alone tell the machine.
//! - `load agents` compares in the same way what agents are answered on `/mcp`, in both eras of the protocol, with what
//!   a bare axum handler answers.
//! - `load pages` compares in the same way the pages that people are shown.
//! - `load swaps` publishes snapshots while the service is asked, and tells whether anybody noticed.
//!
//! Both build what they need in a folder of their own, stay on the loopback, and leave nothing behind. Build
//! everything with `cargo build --release` first; of a debug build the figures mean nothing.
//!
//! From the ground up: `machine` (processors, processes) · `wire` (HTTP as fast as it can be asked) · `service`
//! (the program under load) · `constant` · `report` · `ratio`, `agents`, `pages`, `swaps`.

mod agents;
mod constant;
mod machine;
mod pages;
mod ratio;
mod report;
mod service;
mod swaps;
mod wire;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Puts the service under load, and says whether it keeps its promises of speed.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// End with 1 when a promise is not kept
    #[arg(long, global = true)]
    strict: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Compare the service with a server of constant answers on the same processor
    Ratio(ratio::Options),
    /// Compare what agents are answered with a bare axum handler of constant answers on the same processor
    Agents(agents::Options),
    /// Compare what people are shown with a server of constant answers on the same processor
    Pages(pages::Options),
    /// Publish snapshots under load
    Swaps(swaps::Options),
    /// Answer every ask with the same bytes, until the standard input ends
    #[command(hide = true)]
    Constant(constant::Options),
    /// Become another program, which ends when the one that started this does
    #[command(hide = true)]
    Become(machine::Become),
}

fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    let report = match &cli.command {
        Command::Ratio(options) => ratio::run(options)?,
        Command::Agents(options) => agents::run(options)?,
        Command::Pages(options) => pages::run(options)?,
        Command::Swaps(options) => swaps::run(options)?,
        Command::Constant(options) => {
            constant::run(options)?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Become(other) => {
            other.run()?;
            return Ok(ExitCode::FAILURE);
        }
    };
    println!("\n{report}");
    Ok(if cli.strict && !report.all_kept() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
