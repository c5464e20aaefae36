//! Request bodies: read within limits, or discarded so that the client learns why its request was refused.
//!
//! A body that is complete with its first piece is used where the connection has read it. One that arrives in several
//! pieces is copied, and may be kept for as long as a request may take, so the copies of all connections have a limit
//! together. When it is reached, bodies that arrive in one piece, as nearly all do, are still read.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::HttpBody;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HeaderMap, HeaderValue};
use ipnet::IpNet;
use parking_lot::Mutex;
use prometheus_client::metrics::gauge::Gauge;
use tokio::time::timeout;

use super::caller::{Peer, is_exempt};
use super::network_budget::NetworkBudget;
use crate::config::Config;
use crate::domain::error::ApiError;

/// How much of a refused body is read and discarded, and for how long. Most clients send the whole body before they
/// read the answer, and would find the connection reset instead of the error.
const MAX_DISCARDED_BYTES: u64 = 16 * 1024 * 1024;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// One network may hold this part of the memory for bodies, but always one body of the largest size.
const NETWORK_PART: usize = 8;

/// The networks of one IPv6 /48 may hold this part together, which leaves the rest to others, but always as much as one
/// network.
const WIDE_PART: usize = 2;

/// Reads the bodies of all requests.
pub struct BodyReader {
    /// The longest JSON body.
    max_bytes: usize,
    trusted_proxies: Vec<IpNet>,
    memory: Arc<BodyMemory>,
}

impl BodyReader {
    /// A reader with the limits of the configuration. The gauge is set to the bytes that bodies hold.
    pub fn new(config: &Config, held: Gauge) -> BodyReader {
        let (max_bytes, max) = (config.limits.body_bytes.get(), config.limits.body_memory_bytes.get());
        let max_of_network = (max / NETWORK_PART).max(max_bytes);
        let networks = NetworkBudget::new(max_of_network, (max / WIDE_PART).max(max_of_network));
        let memory = BodyMemory { max, held: Mutex::new(Held { all: 0, networks }), gauge: held };
        BodyReader { max_bytes, trusted_proxies: config.trusted_proxies.clone(), memory: Arc::new(memory) }
    }

    /// Reads a body that is declared as JSON, or not declared, and is not too long.
    pub(super) async fn read_json(
        &self,
        headers: &HeaderMap,
        peer: Peer,
        body: impl HttpBody<Data = Bytes> + Unpin,
    ) -> Result<Bytes, ApiError> {
        let is_plain =
            |encoding: &HeaderValue| encoding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity");
        if headers.get(CONTENT_ENCODING).is_some_and(|encoding| !is_plain(encoding)) {
            discard(headers, body).await;
            return Err(ApiError::UnsupportedMediaType { is_encoded: true });
        }
        if headers.get(CONTENT_TYPE).is_some_and(|kind| !is_json(kind.as_bytes())) {
            discard(headers, body).await;
            return Err(ApiError::UnsupportedMediaType { is_encoded: false });
        }
        self.read(headers, peer, body, self.max_bytes).await
    }

    /// Reads a body of any type that has at most `max_bytes`.
    pub(super) async fn read(
        &self,
        headers: &HeaderMap,
        peer: Peer,
        mut body: impl HttpBody<Data = Bytes> + Unpin,
        max_bytes: usize,
    ) -> Result<Bytes, ApiError> {
        let read = self.collect(headers, peer, &mut body, max_bytes).await;
        if read.is_err() {
            discard(headers, body).await;
        }
        read
    }

    async fn collect(
        &self,
        headers: &HeaderMap,
        peer: Peer,
        body: &mut (impl HttpBody<Data = Bytes> + Unpin),
        max_bytes: usize,
    ) -> Result<Bytes, ApiError> {
        if body.size_hint().lower() > max_bytes as u64 {
            return Err(ApiError::BodyTooLarge { max_bytes });
        }
        let mut pieces: Option<HeldBody> = None;
        while !body.is_end_stream()
            && let Some(frame) = body.frame().await
        {
            // The client is gone when its transfer breaks off, so the error reaches nobody.
            let Ok(data) = frame.map_err(|_| ApiError::RequestTimeout)?.into_data() else { continue };
            let length = pieces.as_ref().map_or(0, |pieces| pieces.data.len()) + data.len();
            if length > max_bytes {
                return Err(ApiError::BodyTooLarge { max_bytes });
            }
            if pieces.is_none() && body.is_end_stream() {
                return Ok(data);
            }
            // The connection reuses its buffer once the piece is dropped.
            pieces.get_or_insert_with(|| self.hold(headers, peer)).extend(&data, max_bytes)?;
        }
        Ok(pieces.map_or_else(Bytes::new, Bytes::from_owner))
    }

    /// Begins a body that arrives in several pieces.
    fn hold(&self, headers: &HeaderMap, peer: Peer) -> HeldBody {
        let client = peer.client(headers, &self.trusted_proxies);
        HeldBody {
            data: Vec::new(),
            reserved: 0,
            client: (!is_exempt(client, &self.trusted_proxies)).then_some(client),
            memory: self.memory.clone(),
        }
    }
}

/// The memory for bodies that arrive in several pieces.
struct BodyMemory {
    max: usize,
    held: Mutex<Held>,
    gauge: Gauge,
}

struct Held {
    all: usize,
    /// Without those of clients that have no limit of their own.
    networks: NetworkBudget,
}

impl BodyMemory {
    /// Takes memory for a body, unless that is above a limit.
    fn reserve(&self, client: Option<IpAddr>, bytes: usize) -> Result<(), ApiError> {
        let mut held = self.held.lock();
        if bytes > self.max - held.all || client.is_some_and(|client| !held.networks.take(client, bytes)) {
            return Err(ApiError::Overloaded);
        }
        held.all += bytes;
        self.gauge.set(held.all.try_into().unwrap_or(i64::MAX));
        Ok(())
    }

    /// Gives back what a body had taken.
    fn release(&self, client: Option<IpAddr>, bytes: usize) {
        let mut held = self.held.lock();
        held.all -= bytes;
        if let Some(client) = client {
            held.networks.give_back(client, bytes);
        }
        self.gauge.set(held.all.try_into().unwrap_or(i64::MAX));
    }
}

/// A body that arrives in several pieces.
struct HeldBody {
    data: Vec<u8>,
    /// What it has taken of the memory, which is its capacity.
    reserved: usize,
    /// `None` for a client without a limit of its own.
    client: Option<IpAddr>,
    memory: Arc<BodyMemory>,
}

impl HeldBody {
    /// Appends a piece.
    fn extend(&mut self, piece: &[u8], max_bytes: usize) -> Result<(), ApiError> {
        let length = self.data.len() + piece.len();
        if length > self.reserved {
            let grown = length.next_power_of_two().min(max_bytes);
            self.memory.reserve(self.client, grown - self.reserved)?;
            self.reserved = grown;
            self.data.reserve_exact(grown - self.data.len());
        }
        self.data.extend_from_slice(piece);
        Ok(())
    }
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        self.memory.release(self.client, self.reserved);
    }
}

/// Reads the rest of a refused body and drops it, within limits.
pub(super) async fn discard(headers: &HeaderMap, mut body: impl HttpBody<Data = Bytes> + Unpin) {
    // A client that sent `expect: 100-continue` has not sent the body yet.
    if headers.contains_key(EXPECT) || body.size_hint().lower() > MAX_DISCARDED_BYTES {
        return;
    }
    let discarding = async {
        let mut discarded = 0;
        while discarded < MAX_DISCARDED_BYTES
            && let Some(Ok(frame)) = body.frame().await
        {
            discarded += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
    };
    let _ = Box::pin(timeout(DISCARD_TIMEOUT, discarding)).await;
}

/// Whether a content type is `application/json` or ends in `+json`, with or without parameters.
fn is_json(content_type: &[u8]) -> bool {
    let essence = content_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    essence.eq_ignore_ascii_case(b"application/json")
        || (essence.len() > 5 && essence[essence.len() - 5..].eq_ignore_ascii_case(b"+json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    #[test]
    fn json_is_recognized_by_the_essence_of_its_media_type() {
        for json in ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"] {
            assert!(is_json(json.as_bytes()), "{json}");
        }
        for other in ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "+json"] {
            assert!(!is_json(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn the_networks_of_one_48_leave_half_of_the_memory_to_others() {
        let networks = NetworkBudget::new(100, 400);
        let memory =
            BodyMemory { max: 800, held: Mutex::new(Held { all: 0, networks }), gauge: Gauge::default() };
        let client =
            |prefix: u16, subnet: u16| Some(Ipv6Addr::new(0x2001, 0xdb8, prefix, subnet, 0, 0, 0, 1).into());
        let held = (0..100).filter(|subnet| memory.reserve(client(1, *subnet), 100).is_ok()).count();
        assert_eq!(held, 4);
        assert!(memory.reserve(client(2, 0), 100).is_ok(), "another /48 is not affected");
        assert!(memory.reserve(None, 300).is_ok(), "nor is who has no limit");
        memory.release(client(1, 0), 100);
        assert!(memory.reserve(client(1, 9), 100).is_ok(), "what is given back is free");
        for (client, bytes) in [(client(2, 0), 100), (None, 300)] {
            memory.release(client, bytes);
        }
        for subnet in [1, 2, 3, 9] {
            memory.release(client(1, subnet), 100);
        }
        let held = memory.held.lock();
        assert!(held.all == 0 && held.networks.is_empty());
    }
}
