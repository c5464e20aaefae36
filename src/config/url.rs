//! Addresses of web services.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use url::{Host, Url};

use super::text::debug_as_display;
use crate::domain::account::is_private;

/// Top-level domains that exist in private networks only.
const PRIVATE_DOMAINS: [&str; 6] = ["localhost", "local", "internal", "lan", "home", "arpa"];

/// Whether an address belongs to the internet, and not to this machine or a private network.
pub(super) fn is_public(address: IpAddr) -> bool {
    !is_private(address) && !address.to_canonical().is_unspecified()
}

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

    /// Whether the host is meant for the internet: a name or an address that is not private.
    pub fn is_public(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                // a name without a dot is known to one network only
                let last = name.rsplit_once('.').map(|(_, last)| last);
                last.is_some_and(|last| !PRIVATE_DOMAINS.contains(&last))
            }
            Some(Host::Ipv4(address)) => is_public(address.into()),
            Some(Host::Ipv6(address)) => is_public(address.into()),
            None => false,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_of_the_internet_are_public() {
        let is_public = |host: &str| format!("http://{host}").parse::<HttpUrl>().expect(host).is_public();
        for host in ["guia.example", "guia.example.:8080", "8.8.8.8", "[2001:db8::1]", "127.0.0.1.example"] {
            assert!(is_public(host), "{host}");
        }
        for host in [
            "localhost:8080",
            "guia.localhost",
            "candango:8080",
            "guia.local",
            "127.0.0.1",
            "0.0.0.0:8080",
            "10.1.2.3",
            "192.168.1.1",
            "172.16.0.1",
            "169.254.1.1",
            "100.64.0.1",
            "[::1]",
            "[::]",
            "[fd00::1]",
            "[fe80::1]",
            "[::ffff:10.0.0.1]",
        ] {
            assert!(!is_public(host), "{host}");
        }
    }
}
