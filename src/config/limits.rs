//! The settings `preview`, `browser_tokens`, `calendars`, `webhooks`, `signup` and `limits`.

use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use serde::{Deserialize, Serialize};

const DAY: Duration = Duration::from_hours(24);

/// Rate limits of visitors, who have no key. All networks of one IPv6 /48 together have the limits of eight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Visitors {
    /// Calls a minute from one network: an IPv4 address, or the /64 of an IPv6 address.
    pub per_minute: u32,
    /// Calls a day from one network: an IPv4 address, or the /64 of an IPv6 address.
    pub per_day: u32,
    /// Calls a minute from all of them together.
    pub per_minute_all: u32,
}

/// Limits of browser tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrowserTokens {
    /// Calls a minute with one token; each server counts by itself.
    pub per_minute: u32,
}

/// Limits of calendar addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calendars {
    /// Calls a minute to the addresses of one token; each server counts by itself.
    pub per_minute: u32,
}

/// Webhooks of accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhooks {
    /// Whether they may be of private networks and without TLS, for trials. A public service refuses to start with it.
    pub allow_private: bool,
}

/// Rate limits of sign-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signup {
    /// Mails a day to one mailbox that strangers can ask for; a third of them may bring no access to an account.
    pub per_address_day: u32,
    /// How many mails with a key or a code, and of sign-ups, go to one address at once; then one goes each hour.
    pub per_address_burst: u32,
    /// Calls a minute that replace a key, or read or cancel a subscription, for one account from one network.
    pub owner_calls_per_minute: u32,
    /// How often the key of an account may be replaced in an hour; each replacement is mailed.
    pub rotations_per_hour: u32,
    /// Sign-ups an hour from one network: an IPv4 address, or the /64 of an IPv6 address.
    pub per_ip_hour: u32,
    /// Sign-ups a day from one network: an IPv4 address, or the /64 of an IPv6 address.
    pub per_ip_day: u32,
}

/// Limits of the HTTP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The longest request body that is read.
    pub body_bytes: NonZeroUsize,
    /// Memory for the bodies that arrive in several pieces, of all connections together; further ones are answered 503.
    pub body_memory_bytes: NonZeroUsize,
    /// Open connections; for a further one one that is idle is closed, or it is answered 503.
    pub connections: NonZeroUsize,
    /// Open connections from one network: an IPv4 address, or the /64 of an IPv6 address, with 8 times as many from its
    /// /48. Further ones are answered 503. Trusted proxies, loopback and private networks have no such limit.
    pub connections_per_address: NonZeroUsize,
    /// Time for a client to send the head of a request.
    pub header_timeout_ms: NonZeroU64,
    /// Time from the head of a request to its response, reading the body included.
    pub request_timeout_ms: NonZeroU64,
    /// Time a connection may stay idle between requests.
    pub idle_timeout_ms: NonZeroU64,
    /// For this long after the last contact with a shared store a process trusts its cache of keys.
    pub trust_window_ms: NonZeroU64,
    /// A start accepts connections as soon as the guide is in service, and without a guide after this long. Until then
    /// they wait.
    pub start_wait_ms: u64,
    /// After SIGTERM or SIGHUP the service goes on for this long: `/readyz` is 503, and every answer closes its
    /// connection.
    pub lame_duck_ms: u64,
    /// Time for requests in flight to finish when the service stops.
    pub drain_ms: u64,
    /// Worker threads; 0 means one for each processor.
    pub workers: usize,
}

impl Limits {
    /// [`Limits::start_wait_ms`] as a duration, at most a day.
    pub fn start_wait(&self) -> Duration {
        Duration::from_millis(self.start_wait_ms).min(DAY)
    }

    /// [`Limits::lame_duck_ms`] as a duration, at most a day.
    pub fn lame_duck(&self) -> Duration {
        Duration::from_millis(self.lame_duck_ms).min(DAY)
    }

    /// [`Limits::trust_window_ms`] as a duration.
    pub fn trust_window(&self) -> Duration {
        Duration::from_millis(self.trust_window_ms.get())
    }
}
