//! Addresses of web services.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use url::Url;

use super::text::debug_as_display;
use crate::domain::network;

/// An http or https URL without a slash at the end.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpUrl(Url);

impl HttpUrl {
    /// The URL as text, without a slash at the end, so that a path can be appended.
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// The host, without a port.
    pub fn host(&self) -> String {
        self.0.host_str().unwrap_or_default().to_owned()
    }

    /// The web origin, as browsers send it.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Whether it names more than a host.
    pub fn has_path(&self) -> bool {
        self.0.path() != "/"
    }

    /// Whether the host is meant for the internet: see [`network::is_public`].
    pub fn is_public(&self) -> bool {
        network::is_public(self.0.host_str().unwrap_or_default())
    }

    /// The URL of an address, as text.
    pub fn of(address: SocketAddr) -> String {
        format!("http://{address}")
    }
}

impl FromStr for HttpUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Url::parse(text) {
            Ok(url)
                if ["http", "https"].contains(&url.scheme())
                    && url.query().is_none()
                    && url.fragment().is_none()
                    && url.username().is_empty()
                    && url.password().is_none() =>
            {
                Ok(HttpUrl(url))
            }
            _ => Err("expected a URL like https://guide.example, without query or password"),
        }
    }
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

debug_as_display!(HttpUrl);
