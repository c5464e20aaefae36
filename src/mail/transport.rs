//! How mail leaves: by a mail server, or into a folder of this machine. Uses [`crate::config`],
//! [`crate::store`] (private folders) and lettre.

use std::fs::File;
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Code;
use lettre::transport::smtp::{self, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use lettre::{Address, Message};
use percent_encoding::percent_decode_str;
use tokio::time::timeout;
use url::Url;

use crate::config::MailSpec;
use crate::store::lock::create_private_folder;

/// How long a server may take to be reached, and for each of its answers.
const ANSWER: Duration = Duration::from_secs(10);

/// How long it may take to take the letter itself, which many look through while we wait.
const TAKING: Duration = Duration::from_secs(30);

/// How long a folder of this machine may take, however busy its disk.
const WRITING: Duration = Duration::from_secs(10);

/// How mail leaves.
pub(super) enum MailTransport {
    /// It does not: it is laid in a folder, for the operator to read.
    Outbox(PathBuf),
    /// By a mail server.
    Smtp(Box<Smtp>),
}

/// Why there is no carrier.
#[derive(Debug, thiserror::Error)]
pub enum MailSetupError {
    /// The outbox cannot be made.
    #[error("the outbox {path} cannot be made: {source}")]
    Outbox {
        /// The folder.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The server cannot be spoken to safely.
    #[error("the mail server of the setting mail: {0}")]
    Smtp(#[from] smtp::Error),
}

/// Why a letter was not carried. What a server said is left out: it likes to repeat addresses.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error("the server will not take mail for this reader: {0}")]
    NoSuchReader(Code),
    #[error("the server refused with {0}")]
    Refused(Code),
    #[error("it took too long")]
    TooSlow,
    #[error("the server's answer is no SMTP")]
    Nonsense,
    #[error("the server cannot be spoken to: {0}")]
    Unreachable(smtp::Error),
    #[error("the outbox cannot be written: {0}")]
    Outbox(#[from] io::Error),
}

impl SendError {
    /// Whether trying again would only be told the same.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, SendError::NoSuchReader(_))
    }
}

impl From<smtp::Error> for SendError {
    fn from(error: smtp::Error) -> SendError {
        match error.status() {
            Some(code) => SendError::Refused(code),
            None if error.is_response() => SendError::Nonsense,
            None => SendError::Unreachable(error),
        }
    }
}

impl MailTransport {
    pub(super) fn new(spec: &MailSpec, from: &Address) -> Result<MailTransport, MailSetupError> {
        match spec {
            MailSpec::Outbox(path) => match create_private_folder(path) {
                Ok(()) => Ok(MailTransport::Outbox(path.clone())),
                Err(source) => Err(MailSetupError::Outbox { path: path.display().to_string(), source }),
            },
            MailSpec::Smtp(url) => Ok(MailTransport::Smtp(Box::new(Smtp::new(url, from)?))),
        }
    }

    /// The longest that carrying takes.
    pub(super) fn longest(&self) -> Duration {
        match self {
            // reaching, encrypting, signing in, three commands and the farewell; and the letter
            MailTransport::Smtp(_) => ANSWER * 7 + TAKING,
            MailTransport::Outbox(_) => WRITING,
        }
    }

    /// Carries a letter. `name` is what its file is called, if it becomes one.
    pub(super) async fn carry(&self, message: &Message, name: &str) -> Result<(), SendError> {
        match self {
            MailTransport::Smtp(smtp) => smtp.carry(message).await,
            MailTransport::Outbox(folder) => {
                let (half, whole) = (folder.join(format!(".{name}")), folder.join(format!("{name}.eml")));
                let bytes = message.formatted();
                let writing = tokio::task::spawn_blocking(move || {
                    let mut options = File::options();
                    let mut file = options.create(true).truncate(true).write(true).mode(0o600).open(&half)?;
                    file.write_all(&bytes)?;
                    file.sync_all()?;
                    std::fs::rename(half, whole)
                });
                let written = timeout(WRITING, writing).await.map_err(|_| SendError::TooSlow)?;
                Ok(written.map_err(io::Error::other)??)
            }
        }
    }
}

/// A mail server, and how to speak to it.
pub(super) struct Smtp {
    host: String,
    port: u16,
    encryption: Encryption,
    credentials: Option<Credentials>,
    /// Who says hello: the domain that mail is from, which the server knows, as it need not know this machine.
    client: ClientId,
    from: Address,
}

enum Encryption {
    /// From the first byte.
    Always(TlsParameters),
    /// Before anything is told.
    Required(TlsParameters),
    /// If the server offers it. Whoever could show a false certificate here could as well hide the offer, so any
    /// certificate is better than none.
    IfOffered(TlsParameters),
}

impl Smtp {
    fn new(url: &Url, from: &Address) -> Result<Smtp, smtp::Error> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let credentials = (!url.username().is_empty())
            .then(|| Credentials::new(decoded(url.username()), decoded(url.password().unwrap_or_default())));
        let here = host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        let checked = || TlsParameters::new(host.clone());
        let (port, encryption) = match (url.scheme(), &credentials) {
            ("smtps", _) => (SUBMISSIONS_PORT, Encryption::Always(checked()?)),
            (_, Some(_)) if !here => (SUBMISSION_PORT, Encryption::Required(checked()?)),
            (_, credentials) => {
                let port = if credentials.is_some() { SUBMISSION_PORT } else { SMTP_PORT };
                let any =
                    TlsParameters::builder(host.clone()).dangerous_accept_invalid_certs(true).build()?;
                (port, Encryption::IfOffered(any))
            }
        };
        let port = url.port().unwrap_or(port);
        let client = ClientId::Domain(from.domain().to_owned());
        Ok(Smtp { host, port, encryption, credentials, client, from: from.clone() })
    }

    /// One letter on one connection: letters are few, and a connection that is kept goes stale.
    async fn carry(&self, message: &Message) -> Result<(), SendError> {
        let mut server = self.reach().await?;
        in_time(ANSWER, server.command(Mail::new(Some(self.from.clone()), Vec::new()))).await?;
        for reader in message.envelope().to() {
            in_time(ANSWER, server.command(Rcpt::new(reader.clone(), Vec::new())))
                .await
                .map_err(of_reader)?;
        }
        in_time(ANSWER, server.command(Data)).await?;
        in_time(TAKING, server.message(&message.formatted())).await.map_err(of_reader)?;
        // the letter is theirs now, however they take leave
        let _ = in_time(ANSWER, server.quit()).await;
        Ok(())
    }

    async fn reach(&self) -> Result<AsyncSmtpConnection, SendError> {
        let at_once = match &self.encryption {
            Encryption::Always(tls) => Some(tls.clone()),
            Encryption::Required(_) | Encryption::IfOffered(_) => None,
        };
        let address = (self.host.as_str(), self.port);
        // half of the time for the first of several addresses, so that the second has a chance
        let connecting =
            AsyncSmtpConnection::connect_tokio1(address, Some(ANSWER / 2), &self.client, at_once, None);
        let mut server = in_time(ANSWER, connecting).await?;
        match &self.encryption {
            Encryption::Required(tls) => {
                in_time(ANSWER, server.starttls(tls.clone(), &self.client)).await?;
            }
            Encryption::IfOffered(tls) if server.can_starttls() => {
                in_time(ANSWER, server.starttls(tls.clone(), &self.client)).await?;
            }
            Encryption::Always(_) | Encryption::IfOffered(_) => {}
        }
        if let Some(credentials) = &self.credentials {
            in_time(ANSWER, server.auth(DEFAULT_MECHANISMS, credentials)).await?;
        }
        Ok(server)
    }
}

/// lettre bounds the time to connect and nothing else.
async fn in_time<T>(
    most: Duration,
    answering: impl Future<Output = Result<T, smtp::Error>>,
) -> Result<T, SendError> {
    Ok(timeout(most, answering).await.map_err(|_| SendError::TooSlow)??)
}

/// A refusal where it is about the reader: 550 to 553 mean that there is none, or none who takes mail. Anywhere
/// else they tell of a fault of ours, and faults are mended.
fn of_reader(error: SendError) -> SendError {
    match error {
        SendError::Refused(code) if (550..=553).contains(&u16::from(code)) => SendError::NoSuchReader(code),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smtp(url: &str) -> Smtp {
        let from = "guia@guia.example".parse().expect("an address");
        Smtp::new(&Url::parse(url).expect("a URL"), &from).expect("a server")
    }

    #[test]
    fn a_password_goes_nowhere_unencrypted_but_to_this_machine() {
        let of = |url: &str| match smtp(url).encryption {
            Encryption::Always(_) => "always",
            Encryption::Required(_) => "required",
            Encryption::IfOffered(_) => "if offered",
        };
        assert_eq!(of("smtps://mail.example"), "always");
        assert_eq!(of("smtps://u:p@localhost"), "always");
        assert_eq!(of("smtp://u:p@mail.example"), "required");
        assert_eq!(of("smtp://u:p@127.0.0.1.example"), "required");
        assert_eq!(of("smtp://u:p@localhost:2525"), "if offered");
        assert_eq!(of("smtp://u:p@[::1]:2525"), "if offered");
        assert_eq!(of("smtp://mail.example"), "if offered");
    }

    #[test]
    fn ports_follow_from_the_way_mail_is_handed_in() {
        assert_eq!(smtp("smtps://mail.example").port, 465);
        assert_eq!(smtp("smtp://u:p@mail.example").port, 587);
        assert_eq!(smtp("smtp://mail.example").port, 25);
        assert_eq!(smtp("smtp://mail.example:2525").port, 2525);
    }

    #[test]
    fn what_a_url_must_write_otherwise_is_read_as_it_was_meant() {
        let server = smtp("smtp://maria%40guia.example:p%3Aw%2F+@[::1]");
        assert_eq!(server.host, "::1");
        let meant = Credentials::new("maria@guia.example".to_owned(), "p:w/+".to_owned());
        assert_eq!(server.credentials, Some(meant));
    }
}
