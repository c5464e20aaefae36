//! `candango suggestions`: what readers suggested on the site.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{anyhow, ensure};
use clap::{Args, Subcommand};
use serde::Serialize;

use super::output::show;
use super::runtime::with_store;
use crate::config::Config;
use crate::domain::account::SuggestionId;
use crate::domain::clock::{Clock, UnixMillis};
use crate::store::rows::{Row, Table};

/// The commands about suggestions.
#[derive(Debug, Subcommand)]
pub(super) enum SuggestionCommand {
    /// Print what readers suggested, oldest first
    #[command(after_help = "Example:\n  candango suggestions list --json")]
    List(ListFlags),
    /// Mark a suggestion as done; the contact in it is dropped
    #[command(after_help = "Example:\n  candango suggestions done sug_1B2c3D4e5F6g7H8i")]
    Done(DoneFlags),
}

#[derive(Debug, Args)]
pub(super) struct ListFlags {
    /// Those that are done, too
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Args)]
pub(super) struct DoneFlags {
    /// The id that `list` prints
    id: String,
}

/// A suggestion as it is listed.
#[derive(Debug, Serialize)]
struct Listed {
    id: String,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done_at: Option<String>,
}

impl Listed {
    fn of(row: &Row) -> Listed {
        let text = |column: &str| row.value(column).map(str::to_owned);
        let moment = |column: &str| {
            let at: Option<i64> = row.value(column).and_then(|at| at.parse().ok());
            at.map(|at| UnixMillis(at).to_string())
        };
        Listed {
            id: text("id").unwrap_or_default(),
            at: moment("at").unwrap_or_default(),
            about: text("about"),
            text: text("text").unwrap_or_default(),
            contact: text("contact"),
            done_at: moment("done_at"),
        }
    }
}

pub(super) fn run(config: &Config, command: SuggestionCommand, json: bool) -> anyhow::Result<ExitCode> {
    with_store(config, async |store| match command {
        SuggestionCommand::List(flags) => {
            let rows = store.rows(&[Table::Suggestions], None).await?;
            let mut listed: Vec<Listed> = rows.iter().map(Listed::of).collect();
            listed.retain(|one| flags.all || one.done_at.is_none());
            listed.sort_by(|one, other| (&one.at, &one.id).cmp(&(&other.at, &other.id)));
            show(json, &listed, || text(&listed))
        }
        SuggestionCommand::Done(flags) => {
            let unknown = || anyhow!("there is no suggestion {}", flags.id);
            let id = SuggestionId::parse(&flags.id).ok_or_else(unknown)?;
            ensure!(store.close_suggestion(&id, Clock::machine().now()).await?, unknown());
            show(json, &serde_json::json!({ "id": id, "done": true }), || format!("{id} is done"))
        }
    })
}

fn text(listed: &[Listed]) -> String {
    if listed.is_empty() {
        return "no suggestions".to_owned();
    }
    let mut out = String::new();
    for Listed { id, at, about, text, contact, done_at } in listed {
        let about = about.as_deref().unwrap_or("-");
        // writing to a String cannot fail
        let _ = writeln!(out, "{id}  {at}  {about}\n    {text}");
        if let Some(contact) = contact {
            let _ = writeln!(out, "    contact: {contact}");
        }
        if let Some(done_at) = done_at {
            let _ = writeln!(out, "    done: {done_at}");
        }
    }
    out
}
