//! The headers that report quotas: `ratelimit-policy` and `ratelimit` of the IETF draft
//! (draft-ietf-httpapi-ratelimit-headers), and the older `x-ratelimit-*`, which report the minute.

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use crate::domain::plan::Row;
use crate::quota::leases::QuotaStatus;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Adds the headers: the quotas of a plan, and what is left of them for how many seconds.
pub fn insert(headers: &mut HeaderMap, row: &Row, standing: &QuotaStatus) {
    let figures = row.figures;
    let QuotaStatus { minute_left, minute_resets, month_left, month_resets } = standing;
    let policy = format!("\"minute\";w=60;q={}, \"month\";q={}", figures.per_minute, figures.per_month);
    let limit =
        format!("\"minute\";r={minute_left};t={minute_resets}, \"month\";r={month_left};t={month_resets}");
    headers.insert(POLICY, value(policy));
    headers.insert(X_LIMIT, HeaderValue::from(figures.per_minute));
    headers.insert(LIMIT, value(limit));
    headers.insert(X_REMAINING, HeaderValue::from(*minute_left));
    headers.insert(X_RESET, HeaderValue::from(*minute_resets));
}

/// A header value of digits and ASCII punctuation, which is always valid.
fn value(text: String) -> HeaderValue {
    HeaderValue::from_maybe_shared(Bytes::from(text)).unwrap_or(HeaderValue::from_static("0"))
}
