//! Mail transports: an SMTP server, or a folder on this machine (the outbox).

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Code;
use lettre::transport::smtp::{self, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use lettre::{Address, Message};
use percent_encoding::percent_decode_str;
use snapshots::replace_private_file;
use tokio::time::timeout;
use url::Url;

use crate::config::MailSpec;
use crate::domain::account::Email;
use crate::domain::base62::NoRandomness;
use crate::domain::network::is_this_machine;
use crate::store::lock::create_private_folder;

/// The time-out for connecting and for each answer of the server.
const ANSWER: Duration = Duration::from_secs(10);

/// The time-out for the message itself, which many servers scan before they answer.
const MESSAGE: Duration = Duration::from_secs(30);

/// The time-out for writing into the outbox.
const WRITE: Duration = Duration::from_secs(10);

/// A mail transport.
pub(super) enum MailTransport {
    /// Mails are discarded.
    None,
    /// Mails become files in a folder, for the operator to read.
    Outbox(PathBuf),
    /// Mails go to an SMTP server.
    Smtp(Box<Smtp>),
}

/// Deletes the mails to an address from an outbox; returns how many there were.
pub fn erase_from_outbox(outbox: &Path, to: &Email) -> io::Result<usize> {
    let files = match std::fs::read_dir(outbox) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut erased = 0;
    for file in files {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "eml") && is_to(&std::fs::read(&path)?, to) {
            std::fs::remove_file(&path)?;
            erased += 1;
        }
    }
    Ok(erased)
}

/// Whether the recipient in the head of a mail is an address. A long header continues on lines that begin with a blank.
fn is_to(mail: &[u8], to: &Email) -> bool {
    let text = String::from_utf8_lossy(mail).replace("\r\n", "\n").replace("\n ", "");
    let mut head =
        text.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("To:"));
    head.any(|line| line.trim().trim_matches(['<', '>']).eq_ignore_ascii_case(to.as_str()))
}

/// Why a transport cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum MailSetupError {
    /// The outbox cannot be created.
    #[error("the outbox {path} cannot be created: {error}")]
    Outbox {
        /// The folder.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// The TLS settings for the server cannot be built.
    #[error("the mail server of the setting mail: {0}")]
    Smtp(#[from] smtp::Error),
    /// The mailer gets no id.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

/// Why a mail was not sent. The server's own words are only in the source, which is not logged: they often repeat the
/// address.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error("the server accepts no mail for this recipient: {0}")]
    NoMailbox(Code, #[source] smtp::Error),
    #[error("the server refused with {0}")]
    Refused(Code, #[source] smtp::Error),
    #[error("the server did not answer in time")]
    Timeout,
    #[error("the server's answer is not SMTP")]
    NotSmtp,
    #[error("the server cannot be reached: {0}")]
    Unreachable(smtp::Error),
    #[error("the outbox cannot be written: {0}")]
    Outbox(#[from] io::Error),
}

impl SendError {
    /// Whether another attempt is pointless.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, SendError::NoMailbox(..))
    }

    /// This error of a step, which may say that the recipient has no mailbox.
    fn about_mailbox(self, step: Step) -> SendError {
        let SendError::Refused(code, error) = self else { return self };
        // the source is the text of the answer
        let text = error.source().map(ToString::to_string).unwrap_or_default();
        if is_about_mailbox(step, code.into(), &text) {
            SendError::NoMailbox(code, error)
        } else {
            SendError::Refused(code, error)
        }
    }
}

impl From<smtp::Error> for SendError {
    fn from(error: smtp::Error) -> SendError {
        match error.status() {
            Some(code) => SendError::Refused(code, error),
            None if error.is_response() => SendError::NotSmtp,
            None => SendError::Unreachable(error),
        }
    }
}

impl MailTransport {
    pub(super) fn new(spec: &MailSpec, from: &Address) -> Result<MailTransport, MailSetupError> {
        match spec {
            MailSpec::None => Ok(MailTransport::None),
            MailSpec::Outbox(path) => match create_private_folder(path) {
                Ok(()) => Ok(MailTransport::Outbox(path.clone())),
                Err(error) => Err(MailSetupError::Outbox { path: path.display().to_string(), error }),
            },
            MailSpec::Smtp(url) => Ok(MailTransport::Smtp(Box::new(Smtp::new(url, from)?))),
        }
    }

    /// The longest that sending a mail takes.
    pub(super) fn max_duration(&self) -> Duration {
        match self {
            // connect, TLS, login, three commands and QUIT; and the message
            MailTransport::Smtp(_) => ANSWER * 7 + MESSAGE,
            MailTransport::None | MailTransport::Outbox(_) => WRITE,
        }
    }

    /// Sends a mail. `name` is the name of its file in the outbox.
    pub(super) async fn send(&self, message: &Message, name: &str) -> Result<(), SendError> {
        match self {
            MailTransport::None => Ok(()),
            MailTransport::Smtp(smtp) => smtp.send(message).await,
            MailTransport::Outbox(folder) => {
                let path = folder.join(format!("{name}.eml"));
                let bytes = message.formatted();
                let writing = tokio::task::spawn_blocking(move || replace_private_file(&path, &bytes));
                let written = timeout(WRITE, writing).await.map_err(|_| SendError::Timeout)?;
                Ok(written.map_err(io::Error::other)??)
            }
        }
    }
}

/// An SMTP server and how to connect to it.
pub(super) struct Smtp {
    host: String,
    port: u16,
    encryption: Encryption,
    tls: TlsParameters,
    credentials: Option<Credentials>,
    /// The name for HELO: the domain of the sender, which the server knows; it need not know this machine.
    client: ClientId,
    from: Address,
}

enum Encryption {
    /// TLS from the first byte.
    Always,
    /// STARTTLS before the login.
    Required,
    /// STARTTLS if the server offers it. An attacker who can forge a certificate could as well hide the offer, so any
    /// certificate is better than none.
    IfOffered,
}

impl Smtp {
    fn new(url: &Url, from: &Address) -> Result<Smtp, smtp::Error> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let credentials = (!url.username().is_empty())
            .then(|| Credentials::new(decoded(url.username()), decoded(url.password().unwrap_or_default())));
        let is_local = is_this_machine(&host);
        let checked = || TlsParameters::new(host.clone());
        let (port, encryption, tls) = match (url.scheme(), &credentials) {
            ("smtps", _) => (SUBMISSIONS_PORT, Encryption::Always, checked()?),
            (_, Some(_)) if !is_local => (SUBMISSION_PORT, Encryption::Required, checked()?),
            (_, credentials) => {
                let port = if credentials.is_some() { SUBMISSION_PORT } else { SMTP_PORT };
                let any =
                    TlsParameters::builder(host.clone()).dangerous_accept_invalid_certs(true).build()?;
                (port, Encryption::IfOffered, any)
            }
        };
        let port = url.port().unwrap_or(port);
        let client = ClientId::Domain(from.domain().to_owned());
        Ok(Smtp { host, port, encryption, tls, credentials, client, from: from.clone() })
    }

    /// Sends a mail on a connection of its own: mails are few, and an idle connection goes stale.
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        let mut server = self.connect().await?;
        in_time(ANSWER, server.command(Mail::new(Some(self.from.clone()), Vec::new()))).await?;
        for recipient in message.envelope().to() {
            in_time(ANSWER, server.command(Rcpt::new(recipient.clone(), Vec::new())))
                .await
                .map_err(|error| error.about_mailbox(Step::Recipient))?;
        }
        in_time(ANSWER, server.command(Data)).await?;
        in_time(MESSAGE, server.message(&message.formatted()))
            .await
            .map_err(|error| error.about_mailbox(Step::Message))?;
        // the server has accepted the mail, whatever it answers to QUIT
        let _ = in_time(ANSWER, server.quit()).await;
        Ok(())
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, SendError> {
        let wrapper = matches!(self.encryption, Encryption::Always).then(|| self.tls.clone());
        let address = (self.host.as_str(), self.port);
        // half of the time for each address of the host, so that a second one gets a chance
        let connecting =
            AsyncSmtpConnection::connect_tokio1(address, Some(ANSWER / 2), &self.client, wrapper, None);
        let mut server = in_time(ANSWER, connecting).await?;
        let starts_tls = match self.encryption {
            Encryption::Always => false,
            Encryption::Required => true,
            Encryption::IfOffered => server.can_starttls(),
        };
        if starts_tls {
            in_time(ANSWER, server.starttls(self.tls.clone(), &self.client)).await?;
        }
        if let Some(credentials) = &self.credentials {
            in_time(ANSWER, server.auth(DEFAULT_MECHANISMS, credentials)).await?;
        }
        Ok(server)
    }
}

/// A time-out for one step: lettre has one only for connecting.
async fn in_time<T>(
    timeout_after: Duration,
    step: impl Future<Output = Result<T, smtp::Error>>,
) -> Result<T, SendError> {
    Ok(timeout(timeout_after, step).await.map_err(|_| SendError::Timeout)??)
}

/// A step of sending whose refusal may be about the mailbox of the recipient. In the others it is about us, and may be
/// mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Recipient,
    Message,
}

/// Whether a refusal means that the mailbox does not exist or was closed. A full mailbox, a quota, a policy or a filter
/// may pass or be mended, and servers use 550 for them too: only the enhanced status (RFC 3463) tells them apart.
fn is_about_mailbox(step: Step, code: u16, text: &str) -> bool {
    match enhanced_status(text) {
        // the address of the sender, which a server may check only when it hears the recipient
        Some((5, 1, 7 | 8)) => false,
        Some((5, 1, _) | (5, 2, 1)) => (500..600).contains(&code),
        Some(_) => false,
        None => step == Step::Recipient && matches!(code, 550 | 551 | 553),
    }
}

/// The enhanced status with which the text of an answer begins.
fn enhanced_status(text: &str) -> Option<(u16, u16, u16)> {
    let word = text.split_whitespace().next()?.trim_matches(|sign: char| !sign.is_ascii_digit());
    let mut parts = word.split('.').map(|part| part.parse().ok());
    let status = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smtp(url: &str) -> Smtp {
        let from = "guia@guia.example".parse().expect("an address");
        Smtp::new(&Url::parse(url).expect("a URL"), &from).expect("a server")
    }

    #[test]
    fn a_refusal_is_final_only_when_the_mailbox_does_not_exist_or_was_closed() {
        let recipient = |code, text| is_about_mailbox(Step::Recipient, code, text);
        let message = |code, text| is_about_mailbox(Step::Message, code, text);
        for (code, text) in [
            (550, "5.1.1 <maria@x.example>: Recipient address rejected: User unknown"),
            (550, "5.1.10 RESOLVER.ADR.RecipientNotFound"),
            (550, "5.2.1 The email account that you tried to reach is disabled."),
            (553, "5.1.3 Bad destination mailbox address syntax"),
            (554, "5.1.2"),
        ] {
            assert!(recipient(code, text) && message(code, text), "{code} {text}");
        }
        for (code, text) in [
            (550, "5.4.5 Daily user sending quota exceeded."),
            (550, "5.7.1 Service unavailable; client host blocked"),
            (550, "5.1.8 <guia@guia.example>: Sender address rejected: Domain not found"),
            (552, "5.2.2 The email account that you tried to reach is over quota"),
            (552, "Mailbox full"),
            (554, "Message rejected"),
            (450, "4.1.1 try again"),
            (451, "5.1.1 a status of another class"),
        ] {
            assert!(!recipient(code, text) && !message(code, text), "{code} {text}");
        }
        // without a status the answer to the recipient is about the recipient, that to the message about its content
        for (code, text) in
            [(550, "no such user here"), (551, "user not local"), (553, ""), (550, "5.1 unknown")]
        {
            assert!(recipient(code, text) && !message(code, text), "{code} {text}");
        }
    }

    #[test]
    fn a_password_is_sent_unencrypted_only_to_this_machine() {
        let of = |url: &str| match smtp(url).encryption {
            Encryption::Always => "always",
            Encryption::Required => "required",
            Encryption::IfOffered => "if offered",
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
    fn the_default_port_follows_from_scheme_and_password() {
        assert_eq!(smtp("smtps://mail.example").port, 465);
        assert_eq!(smtp("smtp://u:p@mail.example").port, 587);
        assert_eq!(smtp("smtp://mail.example").port, 25);
        assert_eq!(smtp("smtp://mail.example:2525").port, 2525);
    }

    #[test]
    fn percent_encoding_in_the_url_is_decoded() {
        let server = smtp("smtp://maria%40guia.example:p%3Aw%2F+@[::1]");
        assert_eq!(server.host, "::1");
        let meant = Credentials::new("maria@guia.example".to_owned(), "p:w/+".to_owned());
        assert_eq!(server.credentials, Some(meant));
    }
}
