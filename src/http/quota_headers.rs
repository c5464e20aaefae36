//! The headers that report quotas: `ratelimit-policy` and `ratelimit` of the IETF draft
//! (draft-ietf-httpapi-ratelimit-headers), and the older `x-ratelimit-*`, which report the minute.

use std::ops::Range;

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use crate::config::Config;
use crate::domain::plan::Plan;
use crate::domain::token::TokenKind;
use crate::quota::gate::CallerQuota;
use crate::quota::leases::QuotaStatus;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Writes the headers. What does not change with each response is formatted once for each plan, and for each kind of
/// token.
pub struct QuotaHeaders {
    plans: [PlanValues; Plan::ALL.len()],
    page: PlanValues,
    calendar: PlanValues,
}

struct PlanValues {
    policy: HeaderValue,
    per_minute: HeaderValue,
}

impl QuotaHeaders {
    /// The headers for the limits of a configuration.
    pub fn new(config: &Config) -> QuotaHeaders {
        let plans = Plan::ALL.map(|plan| {
            let figures = config.plans.row(plan).figures;
            let policy =
                format!("\"minute\";w=60;q={}, \"month\";q={}", figures.per_minute, figures.per_month);
            PlanValues { policy: value(policy.into()), per_minute: HeaderValue::from(figures.per_minute) }
        });
        let of_tokens = |per_minute: u32| {
            let policy = value(format!("\"minute\";w=60;q={per_minute}").into());
            PlanValues { policy, per_minute: HeaderValue::from(per_minute) }
        };
        QuotaHeaders {
            plans,
            page: of_tokens(config.browser_tokens.per_minute),
            calendar: of_tokens(config.calendars.per_minute),
        }
    }

    /// Adds the headers for a caller.
    pub fn insert_left(&self, headers: &mut HeaderMap, quota: &CallerQuota) {
        match quota {
            CallerQuota::Account(plan, status) => self.insert(headers, *plan, status),
            CallerQuota::Token { kind, minute_left, minute_resets } => {
                let values = match kind {
                    TokenKind::Browser => &self.page,
                    TokenKind::Calendar => &self.calendar,
                };
                insert(headers, values, (*minute_left, *minute_resets), None);
            }
        }
    }

    /// Adds the headers: the quotas of the plan, and what is left of them for how many seconds. The month is left out
    /// where it is not known: an item without its number is not allowed.
    pub fn insert(&self, headers: &mut HeaderMap, plan: Plan, status: &QuotaStatus) {
        let QuotaStatus { minute_left, minute_resets, month } = *status;
        insert(headers, &self.plans[plan as usize], (minute_left, minute_resets), month);
    }
}

/// Adds the headers: what is left of the minute and of the month, each for how many seconds.
fn insert(headers: &mut HeaderMap, values: &PlanValues, minute: (u32, u32), month: Option<(u32, u32)>) {
    // The older headers repeat numbers of `ratelimit`, so they are slices of it.
    let mut text = Vec::with_capacity(80);
    text.extend_from_slice(b"\"minute\";r=");
    let remaining = append(&mut text, minute.0);
    text.extend_from_slice(b";t=");
    let reset = append(&mut text, minute.1);
    if let Some((left, resets)) = month {
        text.extend_from_slice(b", \"month\";r=");
        append(&mut text, left);
        text.extend_from_slice(b";t=");
        append(&mut text, resets);
    }
    let text = Bytes::from(text);
    headers.insert(POLICY, values.policy.clone());
    headers.insert(X_LIMIT, values.per_minute.clone());
    headers.insert(X_REMAINING, value(text.slice(remaining)));
    headers.insert(X_RESET, value(text.slice(reset)));
    headers.insert(LIMIT, value(text));
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
