//! The headers that limit what browsers let an HTML page do.

use hyper::header::{CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY};

/// The policy of a page that may load and do nothing.
pub const DENY_ALL: HeaderValue =
    HeaderValue::from_static("default-src 'none'; base-uri 'none'; frame-ancestors 'none'");

/// Sets the content security policy, forbids frames and sends no referrer to other sites.
pub fn protect(headers: &mut HeaderMap, policy: &HeaderValue) {
    headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(HeaderName::from_static("x-frame-options"), HeaderValue::from_static("DENY"));
}
