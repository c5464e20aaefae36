//! The headers that report quotas: `ratelimit-policy` and `ratelimit` of the IETF draft
//! (draft-ietf-httpapi-ratelimit-headers), and the older `x-ratelimit-*`, which report the minute.

use std::ops::Range;

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use crate::domain::plan::{Plan, Plans};
use crate::quota::leases::QuotaStatus;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Writes the headers. What does not change with each response is formatted once for each plan.
pub struct QuotaHeaders([PlanValues; Plan::ALL.len()]);

struct PlanValues {
    policy: HeaderValue,
    per_minute: HeaderValue,
}

impl QuotaHeaders {
    /// The headers for these plans.
    pub fn new(plans: &Plans) -> QuotaHeaders {
        QuotaHeaders(Plan::ALL.map(|plan| {
            let figures = plans.row(plan).figures;
            let policy =
                format!("\"minute\";w=60;q={}, \"month\";q={}", figures.per_minute, figures.per_month);
            PlanValues { policy: value(policy.into()), per_minute: HeaderValue::from(figures.per_minute) }
        }))
    }

    /// Adds the headers: the quotas of the plan, and what is left of them for how many seconds.
    pub fn insert(&self, headers: &mut HeaderMap, plan: Plan, standing: &QuotaStatus) {
        let PlanValues { policy, per_minute } = &self.0[plan as usize];
        // The older headers repeat numbers of `ratelimit`, so they are slices of it.
        let mut text = Vec::with_capacity(80);
        text.extend_from_slice(b"\"minute\";r=");
        let remaining = append(&mut text, standing.minute_left);
        text.extend_from_slice(b";t=");
        let reset = append(&mut text, standing.minute_resets);
        text.extend_from_slice(b", \"month\";r=");
        append(&mut text, standing.month_left);
        text.extend_from_slice(b";t=");
        append(&mut text, standing.month_resets);
        let text = Bytes::from(text);
        headers.insert(POLICY, policy.clone());
        headers.insert(X_LIMIT, per_minute.clone());
        headers.insert(X_REMAINING, value(text.slice(remaining)));
        headers.insert(X_RESET, value(text.slice(reset)));
        headers.insert(LIMIT, value(text));
    }
}

/// Appends a number, and returns where it stands.
fn append(text: &mut Vec<u8>, number: u32) -> Range<usize> {
    let start = text.len();
    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    start..text.len()
}

/// A header value of digits and ASCII punctuation, which is always valid.
fn value(text: Bytes) -> HeaderValue {
    HeaderValue::from_maybe_shared(text).unwrap_or(HeaderValue::from_static("0"))
}
