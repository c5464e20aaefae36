//! The command line: what may be typed, and which file does it.
//!
//! This file knows the words and the settings that may come with them; each command is a file beside it. A
//! command prints for people, or with `--json` for programs, and ends with 0 when it did what was asked, 1 when
//! it could not or must say no, 2 when it was asked wrongly. It stands above every room.

mod account;
mod config;
mod key;
mod serve;
mod snapshot;
mod store;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use serde::Serialize;

use crate::config::{Config, Override};
use crate::domain::plan::Plan;

/// Asked wrongly: a word, a flag or a setting.
const ASKED_WRONGLY: u8 = 2;

/// A hand-curated guide to Brasília and the Federal District, answered from memory.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  \
        candango                                     serve the demo on 127.0.0.1:8080\n  \
        candango --listen 0.0.0.0:80 --data /srv/c   serve it elsewhere\n  \
        candango --set plans.pro.per_minute=600      change any setting; `candango config` lists them\n\n\
        Settings come from the defaults, candango.toml, CANDANGO_* in the environment and the flags; \
        the later wins."
)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
    /// Print data as JSON, for programs
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The settings that may be typed, for the one command.
#[derive(Debug, Args)]
struct Settings {
    /// Read settings from this file instead of ./candango.toml
    #[arg(long, global = true, value_name = "FILE", env = "CANDANGO_CONFIG")]
    config: Option<PathBuf>,
    /// The folder that holds everything embedded [default: ./data]
    #[arg(long, global = true, value_name = "FOLDER")]
    data: Option<String>,
    /// Where the service listens [default: 127.0.0.1:8080]
    #[arg(long, global = true, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Where health and metrics are served [default: 127.0.0.1:9090]
    #[arg(long, global = true, value_name = "ADDRESS:PORT")]
    ops_listen: Option<String>,
    /// The address the public knows the service by [default: http://LISTEN]
    #[arg(long, global = true, value_name = "URL")]
    base_url: Option<String>,
    /// Where published snapshots rest [default: DATA/depot]
    #[arg(long, global = true, value_name = "FOLDER|URL")]
    depot: Option<String>,
    /// Where accounts and keys rest [default: sqlite:DATA/candango.db]
    #[arg(long, global = true, value_name = "STORE")]
    store: Option<String>,
    /// What is logged: a level, with json: before it for JSON lines [default: info]
    #[arg(long, global = true, value_name = "LEVEL")]
    log: Option<String>,
    /// Any other setting, as in candango.example.toml: --set limits.drain_ms=0
    #[arg(long = "set", global = true, value_name = "NAME=VALUE", value_parser = name_and_value)]
    others: Vec<(String, String)>,
}

fn name_and_value(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as limits.drain_ms=0")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

impl Settings {
    fn overrides(&self) -> Vec<Override> {
        let named = [
            ("data", &self.data),
            ("listen", &self.listen),
            ("ops_listen", &self.ops_listen),
            ("base_url", &self.base_url),
            ("depot", &self.depot),
            ("store", &self.store),
            ("log", &self.log),
        ];
        let named = named.into_iter().filter_map(|(name, value)| {
            let origin = format!("--{}", name.replace('_', "-"));
            value.clone().map(|value| Override { origin, setting: name.to_owned(), value })
        });
        let others = self.others.iter().map(|(name, value)| Override {
            origin: format!("--set {name}"),
            setting: name.clone(),
            value: value.clone(),
        });
        named.chain(others).collect()
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the guide (what `candango` does when nothing is said)
    #[command(after_help = "Example:\n  candango serve --listen 127.0.0.1:8080 --data ./data")]
    Serve,
    /// Check, pack and publish what the curator hands in
    #[command(subcommand)]
    Snapshot(SnapshotCommand),
    /// Issue, revoke and show API keys; works while the server runs
    #[command(subcommand)]
    Key(KeyCommand),
    /// Change accounts; works while the server runs
    #[command(subcommand)]
    Account(AccountCommand),
    /// Look after a shared store
    #[command(subcommand)]
    Store(StoreCommand),
    /// Print the settings in effect, secrets hidden
    #[command(after_help = "Example:\n  CANDANGO_PLANS__PRO__PER_MINUTE=600 candango config")]
    Config,
}

/// What can be done with snapshots.
#[derive(Debug, Subcommand)]
pub enum SnapshotCommand {
    /// Tell every defect of a snapshot folder at once; ends with 1 when there is one
    #[command(after_help = "Example:\n  candango snapshot check ./my-guide")]
    Check {
        /// The snapshot folder
        folder: PathBuf,
    },
    /// Check a folder and pack it into one file, named for its content
    #[command(after_help = "Example:\n  candango snapshot pack ./my-guide --out ./packed")]
    Pack {
        /// The snapshot folder, or a packed file
        folder: PathBuf,
        /// Where to put the file
        #[arg(long, value_name = "FOLDER", default_value = ".")]
        out: PathBuf,
    },
    /// Check, pack and put into the depot: servers take it from there by themselves
    #[command(after_help = "Example:\n  candango snapshot publish ./my-guide --note \"July\"")]
    Publish {
        /// The snapshot folder, or a packed file
        folder: PathBuf,
        /// What is new in it, for the list
        #[arg(long)]
        note: Option<String>,
        /// Publish although much has vanished since the snapshot in service
        #[arg(long, requires = "reason")]
        force: bool,
        /// Why it is right that much has vanished
        #[arg(long, requires = "force")]
        reason: Option<String>,
    },
    /// List what was published, newest first
    #[command(after_help = "Example:\n  candango snapshot list --json")]
    List,
    /// Tell what differs between two snapshots
    #[command(after_help = "Example:\n  candango snapshot diff 3f9a1c ./my-guide")]
    Diff {
        /// The digest (or its beginning) of a published snapshot, or a snapshot folder
        from: String,
        /// The other one [default: the one that is current]
        to: Option<String>,
    },
    /// Make an earlier snapshot the current one again
    #[command(after_help = "Example:\n  candango snapshot rollback 3f9a1c")]
    Rollback {
        /// The digest (or its beginning) of a published snapshot
        digest: String,
    },
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Make a key and print it, once; opens the account if the address is new, and puts it on the plan
    #[command(after_help = "Example:\n  candango key issue --email maria@example.com --plan pro --json")]
    Issue {
        /// Whose key it is
        #[arg(long)]
        email: String,
        /// free, gringo, pro or business; when not given it stays as it is, and begins as free
        #[arg(long)]
        plan: Option<Plan>,
    },
    /// Revoke a key: the server refuses it within a second
    #[command(after_help = "Examples:\n  candango key revoke cdg_live_...\n  \
                            candango key revoke Wx9z --email maria@example.com")]
    Revoke {
        /// The whole key, or its last four characters
        key: String,
        /// Whose key it is; needed with the last four characters
        #[arg(long)]
        email: Option<String>,
    },
    /// Show an account and what is kept of its keys
    #[command(after_help = "Example:\n  candango key show --email maria@example.com")]
    Show {
        /// Whose account it is
        #[arg(long)]
        email: String,
    },
}

/// What can be done with accounts.
#[derive(Debug, Subcommand)]
enum AccountCommand {
    /// Put an account on a plan: every server keeps to it within a second
    #[command(after_help = "Example:\n  candango account plan --email maria@example.com --plan pro")]
    Plan {
        /// Whose account it is
        #[arg(long)]
        email: String,
        /// free, gringo, pro or business
        #[arg(long)]
        plan: Plan,
    },
}

/// What can be done with the store.
#[derive(Debug, Subcommand)]
enum StoreCommand {
    /// Begin anew in a Redis that is empty: accounts and keys of before are gone for good
    #[command(
        long_about = "Begin anew in a Redis that is empty.\n\nServers refuse every key when the Redis they know has \
                      lost everything, or is another one: restoring it is nearly always right. This command says \
                      that it is meant to be empty; running servers go on with it within a second.",
        after_help = "Example:\n  candango store begin --store redis://redis.internal"
    )]
    Begin,
}

/// Does what was typed.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let loaded = Config::load(cli.settings.config.as_deref(), std::env::vars_os(), &cli.settings.overrides());
    let config = match loaded {
        Ok(config) => config,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(ASKED_WRONGLY);
        }
    };
    let done = match cli.command.unwrap_or(Command::Serve) {
        Command::Serve => serve::run(config),
        Command::Snapshot(command) => snapshot::run(&config, command, cli.json),
        Command::Key(command) => key::run(&config, command, cli.json),
        Command::Account(command) => account::run(&config, command, cli.json),
        Command::Store(StoreCommand::Begin) => store::begin(&config, cli.json),
        Command::Config => config::run(&config, cli.json),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what a command has to show: one line of JSON for programs, or text for people.
fn show(json: bool, data: &impl Serialize, text: impl FnOnce() -> String) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(data)?)?;
    } else {
        writeln!(out, "{}", text().trim_end())?;
    }
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_words_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_teaches_by_an_example() {
        fn look(command: &clap::Command) {
            if command.get_subcommands().next().is_none() {
                let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
                assert!(help.contains("candango "), "{} has no example", command.get_name());
            }
            command.get_subcommands().for_each(look);
        }
        look(&Cli::command());
    }

    #[test]
    fn flags_name_the_settings_they_override() {
        let cli = Cli::try_parse_from([
            "candango",
            "--listen",
            "127.0.0.1:0",
            "config",
            "--ops-listen",
            "127.0.0.1:1",
            "--set",
            "limits.drain_ms=7",
            "--set",
            "service_name=A = B",
        ])
        .expect("flags");
        let empty = tempfile::NamedTempFile::new().expect("a file");
        let config = Config::load(Some(empty.path()), [], &cli.settings.overrides()).expect("settings");
        assert_eq!(config.listen.port(), 0);
        assert_eq!(config.ops_listen.port(), 1);
        assert_eq!(config.limits.drain_ms, 7);
        assert_eq!(config.service_name, "A = B");
    }
}
