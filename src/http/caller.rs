//! What a request says about its sender: the key, the client address, and the request id.

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Once};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::http::Extensions;
use ipnet::IpNet;

use crate::dispatch::Credentials;
use crate::domain::api_key::PREFIX;
use crate::domain::error::ApiError;
use crate::domain::network::is_private;
use crate::domain::token::TokenKind;

/// A header for the key.
pub const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// A header for a browser token.
pub const X_BROWSER_TOKEN: HeaderName = HeaderName::from_static("x-browser-token");

/// The header to which each proxy appends the address of its peer.
pub const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The header with the request id, of requests and responses.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The key in the headers as it was sent, unchecked, if there is one; it may not be text.
///
/// `x-api-key` and `Authorization: Bearer` are equivalent. Two different keys are an error, since either choice could
/// be the wrong account. Another authorization scheme counts as no key, because a proxy may use it; but a key of ours
/// under a wrong scheme, or without one, is an error unless a valid header holds a key too.
pub fn sent_key(headers: &HeaderMap) -> Result<Option<&[u8]>, ApiError> {
    let plain = headers.get_all(X_API_KEY).iter().map(HeaderValue::as_bytes);
    let mut is_misplaced = false;
    let bearers = headers.get_all(AUTHORIZATION).iter().filter_map(|value| {
        let sent = bearer(value.as_bytes());
        is_misplaced |= sent.is_none() && has_key(value.as_bytes());
        sent
    });
    let mut found = None;
    for key in plain.chain(bearers).map(<[u8]>::trim_ascii).filter(|key| !key.is_empty()) {
        if found.is_some_and(|found| found != key) {
            return Err(ApiError::ConflictingKeys { with_token: false });
        }
        found = Some(key);
    }
    match found {
        None if is_misplaced => Err(ApiError::InvalidKey),
        found => Ok(found),
    }
}

/// Who sent a request to an action. A browser token beside a key is refused: a page that sends both shows its key. One
/// value in both headers is no second one: generated clients send what they have in every header that the document
/// names.
pub fn asker(headers: &HeaderMap) -> Credentials<'_> {
    let key = sent_key(headers);
    let token = headers.get(X_BROWSER_TOKEN).map(|token| token.as_bytes().trim_ascii());
    let page = |token| Credentials::Page { token, origin: headers.get(ORIGIN).map(HeaderValue::as_bytes) };
    match (token.filter(|token| !token.is_empty()), key) {
        (Some(token), Ok(None)) => page(token),
        (Some(token), Ok(Some(key))) if token == key && !has_key(key) => page(token),
        (Some(token), Ok(Some(key))) if token == key => Credentials::Key(Ok(Some(key))),
        (Some(_), Ok(Some(_))) => Credentials::Key(Err(ApiError::ConflictingKeys { with_token: true })),
        (_, key) => Credentials::Key(key),
    }
}

/// What follows `Bearer`, which is case-insensitive.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"bearer";
    let (scheme, rest) = value.split_at_checked(SCHEME.len())?;
    (scheme.eq_ignore_ascii_case(SCHEME) && rest.first().is_some_and(u8::is_ascii_whitespace)).then_some(rest)
}

/// Whether a value contains a key of ours.
pub(super) fn has_key(value: &[u8]) -> bool {
    contains(value, PREFIX)
}

/// Whether a value contains a key or a token, which have no place in parameters of addresses and in logs.
pub(super) fn has_secret(value: &[u8]) -> bool {
    has_key(value) || TokenKind::ALL.iter().any(|kind| contains(value, kind.prefix()))
}

fn contains(value: &[u8], prefix: &str) -> bool {
    value.windows(prefix.len()).any(|part| part == prefix.as_bytes())
}

/// The address of the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

impl Peer {
    /// The peer in the extensions of a request; requests without a connection count as one client.
    pub fn noted(extensions: &Extensions) -> Peer {
        extensions.get().copied().unwrap_or(Peer(Ipv4Addr::UNSPECIFIED.into()))
    }

    /// The client of a request: the peer, unless that is a trusted proxy.
    ///
    /// A proxy appends its own peer, so the last hop that is not trusted is the last one that a trusted proxy has seen;
    /// anybody can forge the hops before it. If a hop cannot be parsed, the proxy that appended it counts as the
    /// client.
    pub fn client(self, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
        let is_trusted = |hop: IpAddr| trusted.iter().any(|network| network.contains(&hop));
        let lines: Vec<&HeaderValue> = headers.get_all(X_FORWARDED_FOR).iter().collect();
        let mut hops = lines.iter().rev().flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        let mut client = self.0.to_canonical();
        if !lines.is_empty() && !is_trusted(client) {
            warn_of_forwarding(client);
        }
        while is_trusted(client)
            && let Some(hop) = hops.next().and_then(read_hop)
        {
            client = hop;
        }
        client
    }
}

/// Whether a client has no limits of its own: a trusted proxy, which many clients share, this machine, or an address of
/// a private network.
pub fn is_exempt(client: IpAddr, trusted: &[IpNet]) -> bool {
    let client = client.to_canonical();
    is_private(client) || trusted.iter().any(|network| network.contains(&client))
}

/// Logs, once in the life of the process, that a proxy may be missing in the settings.
fn warn_of_forwarding(peer: IpAddr) {
    static LOGGED: Once = Once::new();
    LOGGED.call_once(|| {
        tracing::warn!(
            %peer,
            "x-forwarded-for is ignored, because its sender is not in trusted_proxies: if that is your proxy, add it, or \
             all clients share its address and its rate limits"
        );
    });
}

/// An address, with or without a port.
fn read_hop(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse::<SocketAddr>().map(|with_port| with_port.ip()));
    address.ok().map(|address| address.to_canonical())
}

/// The id of a request, which its response and its log lines carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Id);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Id {
    /// Sent by the client, and valid.
    Given(HeaderValue),
    /// Generated here.
    Generated([u8; 19]),
}

impl RequestId {
    /// The id that the client sent, if it is valid; otherwise a new one.
    pub fn of(headers: &HeaderMap) -> RequestId {
        RequestId::given(headers).unwrap_or_else(RequestId::new)
    }

    /// The id that the client sent, if it is valid.
    fn given(headers: &HeaderMap) -> Option<RequestId> {
        let given = headers.get(X_REQUEST_ID)?;
        let is_valid = (1..=64).contains(&given.len())
            && given.as_bytes().iter().all(|&byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
            && !has_secret(given.as_bytes());
        is_valid.then(|| RequestId(Id::Given(given.clone())))
    }

    /// A new id: a random prefix of this process and a count. It has to be unique, not secret.
    #[expect(clippy::new_without_default, reason = "every call returns another id")]
    pub fn new() -> RequestId {
        static PREFIX: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("request"));
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut text = *b"00000000-0000000000";
        write_hex(&mut text[..8], *PREFIX);
        write_hex(&mut text[9..], COUNT.fetch_add(1, Ordering::Relaxed));
        RequestId(Id::Generated(text))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Id::Given(given) => given.to_str().unwrap_or_default(),
            Id::Generated(text) => str::from_utf8(text).unwrap_or_default(),
        }
    }

    /// The id as a header value.
    pub fn header(&self) -> HeaderValue {
        match &self.0 {
            Id::Given(given) => given.clone(),
            Id::Generated(text) => HeaderValue::from_bytes(text).unwrap_or(HeaderValue::from_static("-")),
        }
    }
}

/// Fills `digits` with the lowest hexadecimal digits of `number`.
pub fn write_hex(digits: &mut [u8], mut number: u64) {
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(number & 15) as usize];
        number >>= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    fn key(pairs: &[(&'static str, &'static str)]) -> Result<Option<String>, ApiError> {
        let headers = headers(pairs);
        let key = sent_key(&headers)?;
        Ok(key.map(|key| String::from_utf8_lossy(key).into_owned()))
    }

    #[test]
    fn a_key_is_accepted_in_either_header() {
        for pair in [
            ("x-api-key", "k"),
            ("authorization", "Bearer k"),
            ("authorization", "bearer k"),
            ("authorization", "BEARER   k "),
        ] {
            assert_eq!(key(&[pair]), Ok(Some("k".to_owned())), "{pair:?}");
        }
    }

    #[test]
    fn headers_without_a_key_have_none() {
        for pairs in [
            &[][..],
            &[("x-api-key", "")],
            &[("authorization", "Bearer ")],
            &[("authorization", "Bearer")],
            &[("authorization", "Bearerk")],
            &[("authorization", "Basic k")],
            &[("authorization", "")],
        ] {
            assert_eq!(key(pairs), Ok(None), "{pairs:?}");
        }
    }

    #[test]
    fn a_key_under_a_wrong_scheme_is_an_error() {
        for value in ["cdg_live_x", "Token cdg_live_x", "Bearercdg_live_x", "Basic cdg_live_x"] {
            assert_eq!(key(&[("authorization", value)]), Err(ApiError::InvalidKey), "{value}");
            let beside = key(&[("authorization", value), ("x-api-key", "k")]);
            assert_eq!(beside, Ok(Some("k".to_owned())), "{value}");
        }
    }

    #[test]
    fn two_different_keys_are_an_error() {
        assert_eq!(key(&[("x-api-key", "k"), ("authorization", "Bearer k")]), Ok(Some("k".to_owned())));
        assert_eq!(key(&[("x-api-key", "k"), ("authorization", "Basic z")]), Ok(Some("k".to_owned())));
        assert_eq!(
            key(&[("x-api-key", "k"), ("authorization", "Bearer z")]),
            Err(ApiError::ConflictingKeys { with_token: false })
        );
        let mut twice = headers(&[("x-api-key", "k")]);
        twice.append(X_API_KEY, HeaderValue::from_static("z"));
        assert_eq!(sent_key(&twice), Err(ApiError::ConflictingKeys { with_token: false }));
    }

    #[test]
    fn forwarded_addresses_count_only_from_trusted_proxies() {
        let trusted: Vec<IpNet> =
            ["10.0.0.0/8", "fd00::/8"].iter().map(|text| text.parse().expect("a network")).collect();
        let client = |peer: &str, forwarded: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in forwarded {
                headers.append(X_FORWARDED_FOR, HeaderValue::from_static(line));
            }
            Peer(peer.parse().expect("an address")).client(&headers, &trusted).to_string()
        };
        // an untrusted peer
        assert_eq!(client("9.9.9.9", &["1.1.1.1"]), "9.9.9.9");
        assert_eq!(client("9.9.9.9", &[]), "9.9.9.9");
        // the last hop that a trusted proxy has seen
        assert_eq!(client("10.0.0.1", &["1.1.1.1"]), "1.1.1.1");
        assert_eq!(client("10.0.0.1", &["6.6.6.6, 1.1.1.1"]), "1.1.1.1");
        assert_eq!(client("10.0.0.1", &["6.6.6.6", "1.1.1.1, 10.2.2.2"]), "1.1.1.1");
        assert_eq!(client("::ffff:10.0.0.1", &["::ffff:1.1.1.1"]), "1.1.1.1");
        assert_eq!(client("fd00::1", &["6.6.6.6, [2001:db8::1]:443 ,10.0.0.2:80"]), "2001:db8::1");
        assert_eq!(client("10.0.0.1", &["[2001:db8::1]"]), "2001:db8::1");
        // no hop, or one that cannot be parsed
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &["", "unknown"]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &["6.6.6.6, unknown, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(client("10.0.0.1", &["10.0.0.3, 10.0.0.2"]), "10.0.0.3");
    }

    #[test]
    fn trusted_proxies_and_private_networks_have_no_limits_of_their_own() {
        let trusted = ["203.0.113.0/24".parse().expect("a network")];
        let is_exempt = |address: &str| is_exempt(address.parse().expect("an address"), &trusted);
        for address in [
            "127.9.9.9",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.0.1",
            "169.254.1.1",
            "100.64.0.1",
            "100.127.255.255",
            "203.0.113.7",
            "::1",
            "::ffff:10.0.0.1",
            "::ffff:203.0.113.7",
            "fd12::1",
            "fe80::1",
        ] {
            assert!(is_exempt(address), "{address}");
        }
        for address in [
            "8.8.8.8",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "203.0.114.1",
            "0.0.0.0",
            "::",
            "2001:db8::1",
        ] {
            assert!(!is_exempt(address), "{address}");
        }
    }

    #[test]
    fn a_valid_request_id_is_kept_and_another_is_replaced() {
        assert_eq!(RequestId::of(&headers(&[("x-request-id", "Trace_1.a-b")])).as_str(), "Trace_1.a-b");
        for wild in ["", "a b", "a\"b", "<script>", "cdg_live_x", "my-cdg_live_x", "a.cdg_calendar_x"] {
            assert_eq!(RequestId::of(&headers(&[("x-request-id", wild)])).as_str().len(), 19, "{wild}");
        }
        let long = "a".repeat(65);
        let mut wild = HeaderMap::new();
        wild.insert(X_REQUEST_ID, HeaderValue::from_str(&long).expect("a value"));
        assert_eq!(RequestId::of(&wild).as_str().len(), 19);
    }

    #[test]
    fn new_request_ids_differ() {
        let (one, two) = (RequestId::new(), RequestId::new());
        assert_ne!(one, two);
        assert_eq!(one.as_str()[..9], two.as_str()[..9], "one process, one prefix");
    }
}
