//! The load generator: starts the service, sends it requests over many connections, and compares what it measures with
//! the budgets. Linux only: it reads `/proc` and pins each process to a processor.
//!
//! - `load ratio`, `load agents` and `load pages` compare searches of `/v1`, tool calls of `/mcp` and pages of the site
//!   with a constant answer: processor time, requests a second, latency. The budgets are ratios of one run on one
//!   machine, because absolute times depend on the machine. `--candango FILE` measures another build of the service.
//! - `load people` does so with questions as people ask them, from files.
//! - `load variants` compares other forms of GET requests with plain ones: 304, `fields`, `facets`.
//! - `load swaps` publishes snapshots under load and counts failed and mixed answers.
//!
//! Each works in a temporary folder and on the loopback. Build with `cargo build --release` first.

mod agents;
mod compare;
mod constant;
mod pages;
mod people;
mod process;
mod ratio;
mod report;
mod service;
mod swaps;
mod variants;
mod wire;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Puts the service under load and compares what it measures with the budgets.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Exit with 1 when a budget is exceeded
    #[arg(long, global = true)]
    strict: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Compare searches of /v1 with a constant answer
    Ratio(ratio::Options),
    /// Compare tool calls of /mcp with a constant answer
    Agents(compare::Options),
    /// Compare pages of the site with a constant answer
    Pages(compare::Options),
    /// Compare questions of people with a constant answer
    People(people::Options),
    /// Compare other forms of GET requests with plain ones
    Variants(compare::Options),
    /// Publish snapshots under load
    Swaps(swaps::Options),
    /// Answer every request with the same bytes until the standard input ends
    #[command(hide = true)]
    Constant(constant::Options),
    /// Execute another program, which ends when the parent of this process does
    #[command(hide = true)]
    Exec(process::Exec),
}

fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    let report = match &cli.command {
        Command::Ratio(options) => ratio::run(options)?,
        Command::Agents(options) => agents::run(options)?,
        Command::Pages(options) => pages::run(options)?,
        Command::People(options) => people::run(options)?,
        Command::Variants(options) => variants::run(options)?,
        Command::Swaps(options) => swaps::run(options)?,
        Command::Constant(options) => match constant::run(options)? {},
        Command::Exec(program) => match program.run()? {},
    };
    println!("\n{report}");
    Ok(if cli.strict && !report.passed() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
