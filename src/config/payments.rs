//! The settings `payments` and `asaas`, and the type of secrets.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::text::{HIDDEN, as_text, debug_as_display};
use super::url::HttpUrl;

/// The payment gateway Asaas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asaas {
    /// The base URL of its API.
    #[serde(with = "as_text")]
    pub url: HttpUrl,
    /// Our API key.
    #[serde(with = "as_text")]
    pub api_key: Secret,
    /// The token that its webhooks carry.
    #[serde(with = "as_text")]
    pub webhook_token: Secret,
}

/// The payment gateway in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Payments {
    /// A test page of this service, where no money moves.
    Sandbox,
    /// None: paid plans cannot be ordered.
    None,
    /// Asaas.
    Asaas,
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself, to send it or compare it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // a blank at an end is never meant, and would match nothing
        Ok(Secret(text.trim().to_owned()))
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "" } else { HIDDEN })
    }
}

debug_as_display!(Secret);
