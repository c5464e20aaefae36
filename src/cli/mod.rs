//! The command line: commands, flags and help texts; each command is a file beside this one. A command prints text, or
//! JSON with `--json`. Exit codes: 0 success, 1 failure or refusal, 2 wrong usage, 3 done, but what is told is missing.

mod account;
mod asked;
mod audit;
mod backup;
mod backup_file;
mod base;
mod config;
mod curator;
mod hide;
mod key;
mod lang;
mod last_import;
mod mail;
mod manual;
mod output;
mod preview;
mod publish;
mod pull;
mod reconcile;
mod report;
mod runtime;
mod serve;
mod sheet;
mod snapshot;
mod spreadsheet;
mod store;
mod store_rows;
mod suggestions;
mod token;
mod wait;
mod webhook;
mod whose;

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};

use self::account::AccountCommand;
use self::asked::AskedFlags;
use self::audit::AuditFlags;
use self::backup::{BackupFlags, RestoreFlags};
use self::key::KeyCommand;
use self::lang::LangFlag;
use self::mail::MailCommand;
use self::manual::{CompletionsFlags, ManualFlags};
use self::output::{print, tell};
use self::preview::PreviewFlags;
use self::report::ReportFlags;
use self::runtime::with_depot_handed_over;
use self::snapshot::SnapshotCommand;
use self::store::StoreCommand;
use self::suggestions::SuggestionCommand;
use self::token::TokenCommand;
use self::webhook::WebhookCommand;

use crate::config::{Config, Override};
use crate::store::StoreError;

/// The exit code of a wrong command, flag or setting.
const WRONG_USAGE: u8 = 2;

/// The version, with the commit that the program was built from.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("CANDANGO_COMMIT"), ")");

/// A hand-curated guide to Brasília and the Federal District, answered from memory.
#[derive(Debug, Parser)]
#[command(
    name = "candango",
    version = VERSION,
    after_help = "Examples:\n  \
        candango                                     serve the demo on 127.0.0.1:8080\n  \
        candango --listen 0.0.0.0:80 --data /srv/c   serve it on another address and folder\n  \
        candango --set plans.pro.per_minute=600      change any setting; `candango config` lists all\n\n\
        Settings come from the defaults, candango.toml, CANDANGO_* environment variables and flags; \
        later ones override earlier ones."
)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
    /// Print data as JSON, for programs
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<AnyCommand>,
}

/// Flags that are settings. Every command takes them.
#[derive(Debug, Args)]
struct Settings {
    /// Read settings from this file instead of ./candango.toml
    #[arg(long, global = true, value_name = "FILE", env = "CANDANGO_CONFIG")]
    config: Option<PathBuf>,
    /// The folder of the embedded store, depot and outbox [default: ./data]
    #[arg(long, global = true, value_name = "FOLDER")]
    data: Option<String>,
    /// Where the service listens [default: 127.0.0.1:8080]
    #[arg(long, global = true, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Where health and metrics are served [default: 127.0.0.1:9090]
    #[arg(long, global = true, value_name = "ADDRESS:PORT")]
    ops_listen: Option<String>,
    /// The public URL of the service [default: http://LISTEN]
    #[arg(long, global = true, value_name = "URL")]
    base_url: Option<String>,
    /// Where published snapshots are stored [default: DATA/depot]
    #[arg(long, global = true, value_name = "FOLDER|URL")]
    depot: Option<String>,
    /// Where accounts, keys and quotas are stored [default: sqlite:DATA/candango.db]
    #[arg(long, global = true, value_name = "STORE")]
    store: Option<String>,
    /// Log level, such as info or debug; json:info for JSON lines [default: info]
    #[arg(long, global = true, value_name = "LEVEL")]
    log: Option<String>,
    /// Any setting by its name in candango.example.toml: --set limits.drain_ms=0
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
enum AnyCommand {
    #[command(flatten)]
    WithSettings(Command),
    /// Print the completions of a shell
    #[command(
        after_help = "Example:\n  candango completions bash >/usr/share/bash-completion/completions/candango"
    )]
    Completions(CompletionsFlags),
    /// Write a manual page for each command into a folder
    #[command(after_help = "Example:\n  candango manual /usr/share/man/man1")]
    Manual(ManualFlags),
}

/// Commands that read the settings.
#[derive(Debug, Subcommand)]
enum Command {
    /// Run the service (the default command)
    #[command(after_help = "Example:\n  candango serve --listen 127.0.0.1:8080 --data ./data")]
    Serve,
    /// Check, pack and publish snapshots of the guide
    Snapshot {
        #[command(subcommand)]
        command: AnySnapshotCommand,
        /// The language of messages [default: that of the environment]
        #[arg(long, global = true)]
        lang: Option<LangFlag>,
    },
    /// Issue, revoke and show API keys; works while a server runs
    #[command(subcommand)]
    Key(KeyCommand),
    /// Make, list and revoke browser tokens and calendar addresses; works while a server runs
    #[command(subcommand)]
    Token(TokenCommand),
    /// Set, show, try and remove webhooks; works while a server runs
    #[command(subcommand)]
    Webhook(WebhookCommand),
    /// Show and change accounts; works while a server runs
    #[command(subcommand)]
    Account(AccountCommand),
    /// Try the mail settings
    #[command(subcommand)]
    Mail(MailCommand),
    /// Copy a store into another one, or start over after a loss of data
    #[command(subcommand)]
    Store(StoreCommand),
    /// Print what people asked and did not find, the most asked first
    #[command(
        long_about = "Print what people asked and did not find, the most asked first.\n\nOnly what at least three callers asked of \
                      one server on one day is written, and nothing says who asked. Servers write each minute.",
        after_help = "Example:\n  candango asked --zero --days 30"
    )]
    Asked(AskedFlags),
    /// Show what readers suggested on the site, and mark it as done
    #[command(subcommand)]
    Suggestions(SuggestionCommand),
    /// Print what a month brought: paying accounts, revenue, refunds, calls and customers
    #[command(after_help = "Example:\n  candango report --month 2026-10")]
    Report(ReportFlags),
    /// Print what operators changed by hand, oldest first
    #[command(after_help = "Example:\n  candango audit --json")]
    Audit(AuditFlags),
    /// Write the store and the published snapshots into one file; works while servers run
    #[command(after_help = "Examples:\n  candango backup /backups/2026-11-23.zst\n  \
                            candango backup /backups/2026-11-23.age --encrypt-to age1...")]
    Backup(BackupFlags),
    /// Read a backup into an empty store
    #[command(after_help = "Example:\n  candango restore /backups/2026-11-23.zst --data /srv/candango \
                            --journal /old/ended.jsonl")]
    Restore(RestoreFlags),
    /// Print the settings in effect, with secrets hidden, and what a server would refuse in them
    #[command(
        long_about = "Print the settings in effect, with secrets hidden.\n\nWhat a server would refuse or warn of goes to standard \
                            error, and the exit code is 1 if it would not start: run it before a restart, with all that the \
                            server has. Store, depot and mail server are not asked.",
        after_help = "Example:\n  CANDANGO_PLANS__PRO__PER_MINUTE=600 candango config"
    )]
    Config,
}

/// Commands about snapshots.
#[derive(Debug, Subcommand)]
enum AnySnapshotCommand {
    #[command(flatten)]
    OfDepot(SnapshotCommand),
    /// Show the whole site from a folder, anew when a file changes; nothing is published
    #[command(
        long_about = "Show the whole site from a folder, anew when a file changes.\n\nNothing is published, and no store, depot or \
                      mail of the settings is used. A folder with defects keeps showing its last state without; the defects are \
                      printed. It listens on a free port of this machine, unless --listen names an address.",
        after_help = "Example:\n  candango snapshot preview ./my-guide --listen 127.0.0.1:8081"
    )]
    Preview(PreviewFlags),
}

/// Runs the command that was typed.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Some(AnyCommand::Completions(flags)) => ended(manual::complete(Cli::command(), &flags), cli.json),
        Some(AnyCommand::Manual(flags)) => ended(manual::write(Cli::command(), &flags), cli.json),
        Some(AnyCommand::WithSettings(command)) => run_with_settings(command, &cli.settings, cli.json),
        None => run_with_settings(Command::Serve, &cli.settings, cli.json),
    }
}

fn run_with_settings(command: Command, settings: &Settings, json: bool) -> ExitCode {
    let loaded = Config::load(settings.config.as_deref(), std::env::vars_os(), &settings.overrides());
    let config = match loaded {
        Ok(config) => config,
        Err(error) => {
            tell(format_args!("error: {error}"));
            return ExitCode::from(WRONG_USAGE);
        }
    };
    let result = match command {
        Command::Serve => serve::run(config),
        Command::Snapshot { command, lang } => match command {
            AnySnapshotCommand::OfDepot(command) => {
                with_depot_handed_over(&config, || snapshot::run(&config, command, (lang::lang(lang), json)))
            }
            AnySnapshotCommand::Preview(flags) => {
                preview::run(&config, &flags, settings.listen.is_some(), (lang::lang(lang), json))
            }
        },
        Command::Key(command) => key::run(&config, command, json),
        Command::Token(command) => token::run(&config, command, json),
        Command::Webhook(command) => webhook::run(&config, command, json),
        Command::Account(command) => account::run(&config, command, json),
        Command::Asked(flags) => asked::run(&config, &flags, json),
        Command::Suggestions(command) => suggestions::run(&config, command, json),
        Command::Report(flags) => report::run(&config, &flags, json),
        Command::Audit(flags) => audit::run(&config, flags, json),
        Command::Backup(flags) => backup::back_up(&config, &flags, json),
        Command::Restore(flags) => with_depot_handed_over(&config, || backup::restore(&config, &flags, json)),
        Command::Mail(command) => mail::run(&config, &command, json),
        Command::Store(command) => store::run(&config, &command, json),
        Command::Config => config::run(&config, json),
    };
    ended(result, json)
}

/// The exit code of a command. Why it failed goes to standard error, and with `--json` to standard output too.
fn ended(result: anyhow::Result<ExitCode>, json: bool) -> ExitCode {
    let error = match result {
        Ok(code) => return code,
        Err(error) => error,
    };
    let hint = hint(&error).map(|hint| format!(": {hint}")).unwrap_or_default();
    tell(format_args!("error: {error:#}{hint}"));
    if json {
        let shown = serde_json::json!({ "ok": false, "error": format!("{error:#}{hint}") });
        // what failed is what counts
        let _ = print(&format!("{shown}\n"));
    }
    ExitCode::FAILURE
}

/// What to do about what the operating system refused.
fn hint(error: &anyhow::Error) -> Option<&'static str> {
    let of_system = |cause: &&io::Error| cause.raw_os_error().is_some();
    let of_file = |cause: &'_ (dyn std::error::Error + 'static)| match cause.downcast_ref() {
        Some(StoreError::File { error, .. }) => Some(error.kind()),
        _ => cause.downcast_ref::<io::Error>().filter(of_system).map(io::Error::kind),
    };
    let refused = error.chain().find_map(of_file)?;
    match refused {
        ErrorKind::PermissionDenied => Some(
            "run it as the user to whom that belongs; for the data of a server, sudo -u USER candango ...",
        ),
        ErrorKind::ReadOnlyFilesystem => Some("mount it writable, or name another folder with --data"),
        ErrorKind::StorageFull => Some("make room on that disk, and try again"),
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => Some("a file is where a folder should be"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example() {
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
    fn flags_override_the_settings_they_name() {
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
