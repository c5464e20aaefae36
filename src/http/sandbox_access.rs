//! Who may pay with the sandbox gateway.

use std::sync::Once;

use hyper::Uri;
use hyper::header::{HOST, HeaderMap};
use hyper::http::uri::Authority;

use crate::config::{Config, Payments};
use crate::domain::error::ApiError;
use crate::domain::network::is_this_machine;

/// Headers that proxies add.
const FORWARDED: [&str; 6] =
    ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"];

/// Who may pay with the sandbox.
#[derive(Debug)]
pub(super) enum SandboxAccess {
    /// Anybody who reaches the service: the operator chose the sandbox.
    Anybody,
    /// Only this machine: the sandbox is the default, and behind a proxy everybody would get paid plans from it.
    ThisMachine,
    /// Nobody: the sandbox is the default of a service that is on the internet, whose proxy may hide that it is one.
    Nobody,
}

impl SandboxAccess {
    pub(super) fn new(config: &Config) -> SandboxAccess {
        if config.payments != Payments::Sandbox || config.is_set("payments") {
            SandboxAccess::Anybody
        } else if config.base_url.is_public() {
            SandboxAccess::Nobody
        } else {
            SandboxAccess::ThisMachine
        }
    }

    /// Refuses a request that was not made on this machine, as far as it shows.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
        let may_pay = match self {
            SandboxAccess::Anybody => true,
            SandboxAccess::ThisMachine => is_from_this_machine(uri, headers),
            SandboxAccess::Nobody => false,
        };
        if may_pay {
            return Ok(());
        }
        static LOGGED: Once = Once::new();
        LOGGED.call_once(|| {
            tracing::warn!(
                "payments are refused to other machines: the sandbox takes no money; set payments to asaas or none, and \
                 base_url to the public URL"
            );
        });
        Err(ApiError::BillingClosed)
    }
}

/// Whether a request names this machine as its host, and no proxy has forwarded it.
fn is_from_this_machine(uri: &Uri, headers: &HeaderMap) -> bool {
    let named = headers.get(HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
    let Some(authority) = named.as_ref().or_else(|| uri.authority()) else { return false };
    is_this_machine(authority.host()) && !FORWARDED.iter().any(|name| headers.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::{HeaderName, HeaderValue};

    fn is_local(pairs: &[(&'static str, &'static str)]) -> bool {
        let header = |&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        is_from_this_machine(&Uri::from_static("/"), &pairs.iter().map(header).collect())
    }

    #[test]
    fn only_requests_to_loopback_hosts_that_no_proxy_forwarded_are_local() {
        for host in
            ["localhost", "LocalHost:8080", "guia.localhost", "127.0.0.1:1", "127.9.9.9", "[::1]:8080"]
        {
            assert!(is_local(&[("host", host)]), "{host}");
            for header in FORWARDED {
                assert!(!is_local(&[("host", host), (header, "x")]), "{host} {header}");
            }
        }
        for host in
            ["guia.example", "127.0.0.1.example", "localhost.example", "10.0.0.1", "[2001:db8::1]", ""]
        {
            assert!(!is_local(&[("host", host)]), "{host}");
        }
        assert!(!is_local(&[]));
        assert!(is_from_this_machine(&Uri::from_static("http://localhost:8080/x"), &HeaderMap::new()));
    }
}
