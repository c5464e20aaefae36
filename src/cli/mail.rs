//! `candango mail`: tries the mail settings.

use std::path::Path;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Subcommand;
use serde_json::json;

use super::output::show;
use super::runtime::runtime;
use crate::config::{Config, MailSpec};
use crate::domain::account::Email;
use crate::domain::clock::Clock;
use crate::mail;

/// The commands of `candango mail`.
#[derive(Debug, Subcommand)]
pub(super) enum MailCommand {
    /// Send a test mail at once, and show the answer of the mail server if it is refused
    #[command(after_help = "Example:\n  candango mail test --to maria@example.com")]
    Test {
        /// The e-mail address to send it to
        #[arg(long, value_name = "ADDRESS")]
        to: String,
    },
}

pub(super) fn run(config: &Config, command: &MailCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        MailCommand::Test { to } => test(config, &to.parse()?, json),
    }
}

fn test(config: &Config, to: &Email, json: bool) -> anyhow::Result<ExitCode> {
    let via = config.mail.to_string();
    let sent = runtime()?.block_on(mail::send_test(config, to, Clock::machine().now()));
    let sent = match &config.mail {
        MailSpec::Outbox(folder) => sent.and_then(|()| Err(not_sent(config, Some(folder)))),
        MailSpec::None => Err(not_sent(config, None)),
        MailSpec::Smtp(_) => sent,
    };
    if let (Err(error), true) = (&sent, json) {
        show(json, &json!({ "sent": false, "mail": via, "error": format!("{error:#}") }), String::new)?;
        return Ok(ExitCode::FAILURE);
    }
    sent?;
    show(json, &json!({ "sent": true, "mail": via }), || {
        format!("The mail server has accepted the test mail to {to}. Look for it in the mailbox.")
    })
}

/// The error of a test that reached no mail server, and so says nothing about the one of a service.
fn not_sent(config: &Config, written_into: Option<&Path>) -> anyhow::Error {
    let mail = if config.is_set("mail") { config.mail.to_string() } else { "not set".to_owned() };
    let written = written_into
        .map(|folder| format!(", and the test mail was written into the folder {}", folder.display()));
    anyhow!(
        "nothing was sent: mail is {mail} for this command{}; set it (CANDANGO_MAIL, or CANDANGO_MAIL_FILE=PATH) to the mail \
         server of the service",
        written.unwrap_or_default()
    )
}
