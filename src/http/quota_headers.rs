//! The headers that tell a caller how they stand with their plan: `ratelimit-policy` and `ratelimit` of the IETF's
//! draft (draft-ietf-httpapi-ratelimit-headers), and the `x-ratelimit-*` that came before them, which tell of the
//! minute. Uses [`super::caller`], [`super::response`], [`crate::quota::leases`] (the standing) and [`crate::domain::plan`].

use std::ops::Range;

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use super::caller::{RequestId, X_REQUEST_ID};
use super::response::{self, HeaderTemplate};
use crate::domain::plan::{Plan, Plans, Row};
use crate::quota::leases::QuotaStatus;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Adds the headers: the quotas of the plan, and what is left of them for how many seconds.
pub fn tell(headers: &mut HeaderMap, row: &Row, standing: &QuotaStatus) {
    let figures = row.figures;
    let policy = format!("\"minute\";w=60;q={}, \"month\";q={}", figures.per_minute, figures.per_month);
    headers.insert(POLICY, value(policy.into()));
    headers.insert(X_LIMIT, HeaderValue::from(figures.per_minute));
    let [limit, left, resets] = standing_values(standing);
    headers.insert(LIMIT, limit);
    headers.insert(X_REMAINING, left);
    headers.insert(X_RESET, resets);
}

/// The values of `ratelimit`, `x-ratelimit-remaining` and `x-ratelimit-reset`. Both of the latter stand in the first,
/// and share its memory. Written without formatting, which takes several times as long: they are on every answer.
fn standing_values(standing: &QuotaStatus) -> [HeaderValue; 3] {
    let mut text = Vec::with_capacity(96);
    let left = put(&mut text, b"\"minute\";r=", standing.minute_left);
    let resets = put(&mut text, b";t=", standing.minute_resets);
    put(&mut text, b", \"month\";r=", standing.month_left);
    put(&mut text, b";t=", standing.month_resets);
    let text = Bytes::from(text);
    let [left, resets] = [left, resets].map(|at| value(text.slice(at)));
    [value(text), left, resets]
}

/// Appends a label and a number. Where the number stands.
fn put<const N: usize>(text: &mut Vec<u8>, label: &[u8; N], number: u32) -> Range<usize> {
    text.extend_from_slice(label);
    let start = text.len();
    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    start..text.len()
}

/// A value of digits and punctuation, as any of which is one.
fn value(text: Bytes) -> HeaderValue {
    HeaderValue::from_maybe_shared(text).unwrap_or(HeaderValue::from_static("0"))
}

/// The heads of good answers to the callers of each plan.
#[derive(Debug)]
pub struct Heads(Vec<(Plan, HeaderTemplate)>);

impl Heads {
    /// The heads of these plans.
    pub fn new(plans: &Plans) -> Heads {
        let standing = QuotaStatus { minute_left: 0, minute_resets: 0, month_left: 0, month_resets: 0 };
        let head = |plan| {
            let mut head = response::head(response::JSON, &RequestId::new());
            tell(&mut head, &plans.row(plan), &standing);
            (plan, HeaderTemplate::new([X_REQUEST_ID, LIMIT, X_REMAINING, X_RESET], head))
        };
        Heads(Plan::ALL.map(head).into())
    }

    /// The answer `body` to a caller on `plan` who stands so.
    pub fn answer<B: From<Bytes>>(
        &self,
        plan: Plan,
        standing: &QuotaStatus,
        body: Bytes,
        id: &RequestId,
    ) -> Response<B> {
        let [limit, left, resets] = standing_values(standing);
        match self.0.iter().find(|(of, _)| *of == plan) {
            Some((_, head)) => head.answer([id.header(), limit, left, resets], body),
            None => response::json(StatusCode::OK, body, id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_laid_out_head_says_what_one_made_anew_does() {
        let plans = Config::load(None, [], &[]).unwrap().plans;
        let heads = Heads::new(&plans);
        let standing =
            QuotaStatus { minute_left: 7, minute_resets: 33, month_left: 4_321, month_resets: 86_400 };
        let id = RequestId::new();
        for plan in Plan::ALL {
            let answer: Response<Bytes> = heads.answer(plan, &standing, Bytes::from_static(b"{}"), &id);
            let mut anew = response::head(response::JSON, &id);
            tell(&mut anew, &plans.row(plan), &standing);
            assert_eq!(*answer.headers(), anew);
            assert_eq!(answer.headers().len(), 9);
        }
    }
}
