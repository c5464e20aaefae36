//! The settings `mail`, `mail_from`, `owner_email` and `contact_email`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use lettre::Address;
use lettre::message::Mailbox;
use url::Url;

use super::text::{debug_as_display, without_password};
use crate::domain::account::Email;

/// How mail is sent.
#[derive(Clone, PartialEq, Eq)]
pub enum MailSpec {
    /// It is not sent at all: sign-up and recovery are closed.
    None,
    /// Each mail is written to a folder, for the operator to read.
    Outbox(PathBuf),
    /// Through a mail server; `smtps` for TLS from the first byte.
    Smtp(Url),
}

impl FromStr for MailSpec {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected none, outbox:FOLDER, or a URL of smtp:// or smtps://";
        if text == "none" {
            return Ok(MailSpec::None);
        }
        match text.strip_prefix("outbox:") {
            Some("") => Err(EXPECTED),
            Some(path) => Ok(MailSpec::Outbox(path.into())),
            None => match Url::parse(text) {
                Ok(url) if ["smtp", "smtps"].contains(&url.scheme()) && url.has_host() => {
                    Ok(MailSpec::Smtp(url))
                }
                _ => Err(EXPECTED),
            },
        }
    }
}

impl fmt::Display for MailSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MailSpec::None => f.write_str("none"),
            MailSpec::Outbox(path) => write!(f, "outbox:{}", path.display()),
            MailSpec::Smtp(url) => without_password(url).fmt(f),
        }
    }
}

/// The sender of mail: an address, with or without a name.
#[derive(Clone, PartialEq, Eq)]
pub struct MailFrom(pub Mailbox);

impl MailFrom {
    /// Whether the address is of whatever machine reads it, so that mail servers refuse it.
    pub(super) fn is_local(&self) -> bool {
        self.0.email.domain().eq_ignore_ascii_case("localhost")
    }
}

impl FromStr for MailFrom {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected an address like guide@example.com, or Name <guide@example.com>";
        let (name, address) = match text.trim().strip_suffix('>') {
            Some(named) => named.rsplit_once('<').ok_or(EXPECTED)?,
            None => ("", text.trim()),
        };
        let name = name.trim().trim_matches('"').trim();
        // many servers reject addresses beyond ASCII; the name may have any character, because it is encoded
        if !address.is_ascii() || name.chars().any(|char| char.is_control() || "<>\"".contains(char)) {
            return Err(EXPECTED);
        }
        let address: Address = address.parse().map_err(|_| EXPECTED)?;
        Ok(MailFrom(Mailbox::new((!name.is_empty()).then(|| name.to_owned()), address)))
    }
}

impl fmt::Display for MailFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.name {
            Some(name) => write!(f, "{name} <{}>", self.0.email),
            None => self.0.email.fmt(f),
        }
    }
}

/// The address of the operator, if there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnerEmail(pub Option<Email>);

impl FromStr for OwnerEmail {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "" => Ok(OwnerEmail(None)),
            text => text
                .parse()
                .map(|email| OwnerEmail(Some(email)))
                .map_err(|_| "expected an address like maria@example.com, or nothing"),
        }
    }
}

impl fmt::Display for OwnerEmail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |email| email.fmt(f))
    }
}

debug_as_display!(MailSpec, MailFrom, OwnerEmail);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sender_is_an_address_with_or_without_a_name() {
        for (text, shown) in [
            ("a@b.c", "a@b.c"),
            ("<a@b.c>", "a@b.c"),
            ("Guia de Brasília <guia@brasilia.example>", "Guia de Brasília <guia@brasilia.example>"),
            ("\"Guia, de Brasília\" <guia@localhost>", "Guia, de Brasília <guia@localhost>"),
        ] {
            let from: MailFrom = text.parse().expect(text);
            assert_eq!(from.to_string(), shown);
            assert_eq!(shown.parse(), Ok(from));
        }
        for wrong in
            ["", "guia", "Guia <>", "Guia <guia>", "a@b.c x", "a@b.c\r\nBcc: x@y.z", "<a@b.c", "é@b.c"]
        {
            assert!(wrong.parse::<MailFrom>().is_err(), "{wrong:?}");
        }
    }
}
