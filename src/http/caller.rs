//! Who asks, as the headers of a request tell: the key that was sent, and what to call the request.
//!
//! Whether the key is anybody's is [`crate::accounts::keys`]'s to say. Uses [`crate::refusal`] only.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::refusal::Refusal;

/// The header a key may come in.
pub const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The header that names a request, in both directions.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A key as it was sent: unread, perhaps not even text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SentKey<'a>(&'a [u8]);

impl<'a> SentKey<'a> {
    /// The key in the headers, if there is one.
    ///
    /// `x-api-key` and `Authorization: Bearer` count alike. The same key sent twice is one key; two different ones
    /// are refused, because answering for either could be answering for the wrong account. Another scheme of
    /// authorization is not for us (a proxy may use one) and counts as nothing sent.
    pub fn among(headers: &'a HeaderMap) -> Result<Option<SentKey<'a>>, Refusal> {
        let plain = headers.get_all(X_API_KEY).iter().map(HeaderValue::as_bytes);
        let bearers = headers.get_all(AUTHORIZATION).iter().filter_map(|value| bearer(value.as_bytes()));
        let mut found = None;
        for key in plain.chain(bearers).map(|key| SentKey(key.trim_ascii())).filter(|key| !key.0.is_empty()) {
            if found.is_some_and(|found| found != key) {
                return Err(Refusal::ConflictingKeys);
            }
            found = Some(key);
        }
        Ok(found)
    }

    /// The bytes that were sent.
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }
}

impl fmt::Debug for SentKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SentKey(…)")
    }
}

/// What follows `Bearer`, in any case.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"bearer";
    let (scheme, rest) = value.split_at_checked(SCHEME.len())?;
    (scheme.eq_ignore_ascii_case(SCHEME) && rest.first().is_some_and(u8::is_ascii_whitespace)).then_some(rest)
}

/// The name of a request, which its answer and its log lines carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// The name the client gave, when it is a sane one; otherwise a new one.
    pub fn of(headers: &HeaderMap) -> RequestId {
        RequestId::given(headers).unwrap_or_else(RequestId::new)
    }

    /// The name the client gave, when it is a sane one.
    pub fn given(headers: &HeaderMap) -> Option<RequestId> {
        let given = headers.get(X_REQUEST_ID)?;
        let sane = (1..=64).contains(&given.len())
            && given.as_bytes().iter().all(|&byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        sane.then(|| RequestId(given.clone()))
    }

    /// A new name: this process's random prefix and a count. It need not be secret, only unlike others.
    #[expect(clippy::new_without_default, reason = "every call makes another one: there is no default")]
    pub fn new() -> RequestId {
        static PREFIX: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("request"));
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut text = *b"00000000-0000000000";
        write_hex(&mut text[..8], *PREFIX);
        write_hex(&mut text[9..], COUNT.fetch_add(1, Ordering::Relaxed));
        RequestId(HeaderValue::from_bytes(&text).unwrap_or(HeaderValue::from_static("-")))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// The name as the value of a header.
    pub fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// The lowest digits of `number` that have room.
fn write_hex(digits: &mut [u8], mut number: u64) {
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

    fn key(pairs: &[(&'static str, &'static str)]) -> Result<Option<String>, Refusal> {
        let headers = headers(pairs);
        let key = SentKey::among(&headers)?;
        Ok(key.map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned()))
    }

    #[test]
    fn a_key_is_found_in_either_header() {
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
    fn nothing_sent_is_no_key() {
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
    fn two_keys_must_be_one() {
        assert_eq!(key(&[("x-api-key", "k"), ("authorization", "Bearer k")]), Ok(Some("k".to_owned())));
        assert_eq!(key(&[("x-api-key", "k"), ("authorization", "Basic z")]), Ok(Some("k".to_owned())));
        assert_eq!(key(&[("x-api-key", "k"), ("authorization", "Bearer z")]), Err(Refusal::ConflictingKeys));
        let mut twice = headers(&[("x-api-key", "k")]);
        twice.append(X_API_KEY, HeaderValue::from_static("z"));
        assert_eq!(SentKey::among(&twice), Err(Refusal::ConflictingKeys));
    }

    #[test]
    fn a_sane_name_is_kept_and_another_is_replaced() {
        assert_eq!(RequestId::of(&headers(&[("x-request-id", "Trace_1.a-b")])).as_str(), "Trace_1.a-b");
        for wild in ["", "a b", "a\"b", "<script>"] {
            assert_eq!(RequestId::of(&headers(&[("x-request-id", wild)])).as_str().len(), 19, "{wild}");
        }
        let long = "a".repeat(65);
        let mut wild = HeaderMap::new();
        wild.insert(X_REQUEST_ID, HeaderValue::from_str(&long).expect("a value"));
        assert!(RequestId::given(&wild).is_none());
    }

    #[test]
    fn new_names_differ() {
        let (one, two) = (RequestId::new(), RequestId::new());
        assert_ne!(one, two);
        assert_eq!(one.as_str()[..9], two.as_str()[..9], "one process, one prefix");
    }
}
