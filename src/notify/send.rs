//! Sends a message to a webhook: over TLS, to addresses of the internet only, without following redirects, and without
//! reading the answer beyond its status.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, HeaderName};
use reqwest::{Client, redirect};
use snapshots::depot::choose_cryptography;

use crate::domain::clock::UnixMillis;
use crate::domain::hook::{BadHookUrl, HookUrl};
use crate::domain::network::is_global;
use crate::store::Delivery;

/// How long a receiver may take, connecting included.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// Sends messages.
pub(super) struct Sender {
    http: Client,
    allow_private: bool,
}

/// Why a message did not arrive. The text is shown to the owner of the webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum AttemptError {
    /// The receiver answered with a status other than 2xx.
    #[error("{0}")]
    Status(u16),
    #[error("timeout")]
    TimedOut,
    #[error("private address")]
    Private,
    #[error("no connection")]
    NoConnection,
}

/// A name that resolves to an address outside the internet.
#[derive(Debug, thiserror::Error)]
#[error("the name resolves to a private address")]
struct PrivateAddress;

/// Resolves names, and refuses those with an address outside the internet. The connection is made to one of the
/// addresses that were checked: a name that changes between the check and the connection has no effect.
struct CheckedResolver {
    allow_private: bool,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if !allow_private && found.iter().any(|address| !is_global(address.ip())) {
                return Err(PrivateAddress.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

impl Sender {
    pub(super) fn new(allow_private: bool) -> reqwest::Result<Sender> {
        choose_cryptography();
        let http = Client::builder()
            .user_agent(concat!("candango-webhooks/", env!("CARGO_PKG_VERSION")))
            .timeout(TIMEOUT)
            // a redirect could lead into a private network
            .redirect(redirect::Policy::none())
            // a proxy would resolve the name itself
            .no_proxy()
            .https_only(!allow_private)
            .dns_resolver(CheckedResolver { allow_private })
            // each message resolves anew
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Sender { http, allow_private })
    }

    /// Sends a message; returns the status of the answer.
    pub(super) async fn send(&self, delivery: &Delivery, now: UnixMillis) -> Result<u16, AttemptError> {
        let Delivery { id, url, secret, body, .. } = delivery;
        // addresses in place of names are not resolved; and what was set in a trial must not outlive it
        let url = HookUrl::parse(url, self.allow_private).map_err(|error| match error {
            BadHookUrl::Private => AttemptError::Private,
            BadHookUrl::NotHttps => AttemptError::NoConnection,
        })?;
        let seconds = now.0.div_euclid(1_000);
        let request = self
            .http
            .post(url.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header(WEBHOOK_ID, id.as_str())
            .header(WEBHOOK_TIMESTAMP, seconds)
            .header(WEBHOOK_SIGNATURE, secret.sign(id.as_str(), seconds, body))
            .body(body.clone());
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Ok(answer.status().as_u16()),
            Ok(answer) => Err(AttemptError::Status(answer.status().as_u16())),
            Err(error) if is_private(&error) => Err(AttemptError::Private),
            Err(error) if error.is_timeout() => Err(AttemptError::TimedOut),
            Err(_) => Err(AttemptError::NoConnection),
        }
    }
}

fn is_private(error: &reqwest::Error) -> bool {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<PrivateAddress>() {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;
    use crate::domain::account::{AccountId, DeliveryId};
    use crate::domain::hook::HookSecret;

    #[tokio::test]
    async fn a_name_that_resolves_to_a_private_address_is_refused() {
        let name = || Name::from_str("localhost").expect("a name");
        let refused = CheckedResolver { allow_private: false }.resolve(name()).await;
        assert!(refused.is_err_and(|error| error.is::<PrivateAddress>()));
        assert!(CheckedResolver { allow_private: true }.resolve(name()).await.is_ok());
    }

    /// The name passes the check of the address, as any other name does: the resolver refuses it.
    #[tokio::test]
    async fn no_connection_is_made_to_a_private_address_that_a_name_resolves_to() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a mode");
        let port = listener.local_addr().expect("an address").port();
        let mut sender = Sender::new(false).expect("a client");
        // so that the name gets as far as the resolver
        sender.allow_private = true;
        let delivery = Delivery {
            id: DeliveryId::generate().expect("randomness"),
            account: AccountId::generate().expect("randomness"),
            url: format!("https://localhost:{port}/"),
            secret: HookSecret::generate().expect("randomness"),
            body: "{}".to_owned(),
            queued_at: UnixMillis(0),
            attempts: 1,
        };
        assert_eq!(sender.send(&delivery, UnixMillis(0)).await, Err(AttemptError::Private));
        assert!(listener.accept().is_err(), "nobody has called");
    }
}
