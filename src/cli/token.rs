//! `candango token`: browser tokens and calendar addresses of an account, for the operator; works while a server runs.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::{ArgGroup, Subcommand};
use serde_json::{Value, json};

use super::audit::{AuditLog, Changed, audited};
use super::output::{show, tell};
use super::runtime::{check_noted, check_writable, with_store};
use super::whose::Whose;
use crate::config::Config;
use crate::domain::account::TokenId;
use crate::domain::clock::Clock;
use crate::domain::token::{Origins, Scope, Token, TokenRecord};
use crate::quota::tokens::TokenService;
use crate::store::Store;
use crate::store::journal::Journal;

/// The commands of `candango token`.
#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Make a token for pages of some origins, or a calendar address, and print it once
    #[command(
        after_help = "Examples:\n  candango token issue --email maria@example.com --origin https://example.com --json\n  \
                            candango token issue --email maria@example.com --calendar"
    )]
    #[command(group(ArgGroup::new("scope").required(true)))]
    Issue {
        #[command(flatten)]
        whose: Whose,
        /// Where pages may use it, such as https://example.com; may be given several times
        #[arg(long = "origin", group = "scope")]
        origins: Vec<String>,
        /// Make a calendar address, to which calendar programs subscribe
        #[arg(long, group = "scope")]
        calendar: bool,
    },
    /// List the tokens of an account
    #[command(after_help = "Example:\n  candango token list --email maria@example.com")]
    List(Whose),
    /// Revoke a token; no server accepts it any more when the command returns, or within a second with SQLite
    #[command(
        after_help = "Example:\n  candango token revoke tok_8Kd0aZ3fQ1mX7bTy --email maria@example.com"
    )]
    Revoke {
        /// The id of the token, as `list` shows it
        token: String,
        #[command(flatten)]
        whose: Whose,
    },
}

pub(super) fn run(config: &Config, command: TokenCommand, json: bool) -> anyhow::Result<ExitCode> {
    with_store(config, async |store| {
        audited(&**store, async |log| run_on(config, store, log, &command, json).await).await
    })
}

async fn run_on(
    config: &Config,
    store: &Arc<dyn Store>,
    log: &AuditLog<'_>,
    command: &TokenCommand,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let journal = Journal::of(&config.data);
    let tokens = TokenService::new(store.clone(), Clock::machine(), journal.clone());
    let (TokenCommand::Issue { whose, .. } | TokenCommand::List(whose) | TokenCommand::Revoke { whose, .. }) =
        command;
    let (email, account) = (&whose.email, whose.account(&**store).await?);
    let change = |action, detail| Changed { action, account: Some(&account.id), detail, reason: None };
    match command {
        TokenCommand::Issue { origins, calendar, .. } => {
            let scope = match calendar {
                true => Scope::Calendar,
                false => Scope::Pages(origins.join(" ").parse().context("--origin")?),
            };
            if account.is_blocked {
                bail!("{email} is blocked: `candango account unblock` first");
            }
            let (token, made) = tokens.make(account.id.clone(), scope)?;
            // without origins, which are often the names of people: the log outlives an erasure
            let detail = format!("the {} token {}", made.scope.kind().as_str(), made.id);
            log.record(change("token issue", detail)).await?;
            tokens.add(made.clone()).await?;
            show_issued(config, &token, &made, json)
        }
        TokenCommand::List(_) => show_listed(&tokens.list(&account.id).await?, json),
        TokenCommand::Revoke { token, .. } => {
            let unknown =
                || anyhow!("{email} has no token with this id: see `candango token list --email {email}`");
            let token = TokenId::parse(token).ok_or_else(unknown)?;
            check_writable(&journal)?;
            log.record(change("token revoke", format!("the token {token}"))).await?;
            if !tokens.revoke(&account.id, &token).await? {
                return Err(unknown());
            }
            check_noted(&journal)?;
            show(json, &json!({ "revoked": true, "id": token }), || format!("The token {token} is revoked."))
        }
    }
}

fn show_issued(config: &Config, token: &Token, made: &TokenRecord, json: bool) -> anyhow::Result<ExitCode> {
    let mut printed = described(made);
    printed["token"] = token.reveal().into();
    let (shown, what) = match &made.scope {
        Scope::Pages(origins) => (token.reveal().to_owned(), format!("For pages of {}.", origins.as_str())),
        Scope::Calendar => {
            let address = token.calendar_address(config.base_url.as_str());
            if !config.is_set("base_url") {
                tell(format_args!(
                    "warning: the setting base_url is not set for this command, so the address begins with {}: if the server \
                     got another one by a flag or a variable, give it to this command too (--base-url)",
                    config.base_url.as_str()
                ));
            }
            printed["address"] = address.as_str().into();
            (address, "For calendar programs; a question may follow: ?q=samba&limit=50.".to_owned())
        }
    };
    show(json, &printed, || {
        format!("{shown}\n\n{what} Store it now: it cannot be shown again. Its id is {}.", made.id)
    })
}

fn show_listed(listed: &[TokenRecord], json: bool) -> anyhow::Result<ExitCode> {
    let printed: Vec<Value> = listed.iter().map(described).collect();
    show(json, &printed, || {
        let line = |TokenRecord { id, last4, scope, created_at, .. }: &TokenRecord| {
            let origins = scope.origins().map(Origins::as_str).unwrap_or_default();
            let line = format!("{id}  …{last4}  made {created_at}  {}  {origins}", scope.kind().as_str());
            line.trim_end().to_owned()
        };
        match listed.is_empty() {
            true => "none".to_owned(),
            false => listed.iter().map(line).collect::<Vec<_>>().join("\n"),
        }
    })
}

fn described(token: &TokenRecord) -> Value {
    let TokenRecord { id, last4, scope, created_at, .. } = token;
    let kind = scope.kind().as_str();
    let mut described =
        json!({ "id": id, "last4": last4, "kind": kind, "created_at": created_at.to_string() });
    if let Some(origins) = scope.origins() {
        described["origins"] = origins.iter().collect();
    }
    described
}
