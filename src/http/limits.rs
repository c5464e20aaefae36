//! The headers that tell a caller how they stand with their plan: `ratelimit-policy` and `ratelimit` of the IETF's
//! draft (draft-ietf-httpapi-ratelimit-headers), and the `x-ratelimit-*` that came before them, which tell of the
//! minute. Uses [`super::caller`], [`super::reply`], [`crate::accounts::meter`] (the standing) and [`crate::plans`].

use bytes::Bytes;
use hyper::Response;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use super::caller::{RequestId, X_REQUEST_ID};
use super::reply;
use crate::accounts::meter::Standing;
use crate::plans::{Plan, Plans, Row};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Adds the headers: the quotas of the plan, and what is left of them for how many seconds.
pub fn tell(headers: &mut HeaderMap, row: &Row, standing: &Standing) {
    tell_plan(headers, row);
    tell_standing(headers, standing);
}

/// What is the same for all callers of a plan.
fn tell_plan(headers: &mut HeaderMap, row: &Row) {
    let (per_minute, per_month) = (row.figures.per_minute, row.figures.per_month);
    let [policy, limit] =
        values([&[("\"minute\";w=60;q=", per_minute), (", \"month\";q=", per_month)], &[("", per_minute)]]);
    headers.insert(POLICY, policy);
    headers.insert(X_LIMIT, limit);
}

/// How one of them stands.
fn tell_standing(headers: &mut HeaderMap, standing: &Standing) {
    let [limit, left, resets] = standing_values(standing);
    headers.insert(LIMIT, limit);
    headers.insert(X_REMAINING, left);
    headers.insert(X_RESET, resets);
}

/// The values of `ratelimit`, `x-ratelimit-remaining` and `x-ratelimit-reset`.
fn standing_values(standing: &Standing) -> [HeaderValue; 3] {
    let Standing { minute_left, minute_resets, month_left, month_resets } = *standing;
    values([
        &[
            ("\"minute\";r=", minute_left),
            (";t=", minute_resets),
            (", \"month\";r=", month_left),
            (";t=", month_resets),
        ],
        &[("", minute_left)],
        &[("", minute_resets)],
    ])
}

/// Values of labelled numbers. All of them are written into one piece of memory that they share, and without
/// formatting, which takes several times as long: they are on every answer.
fn values<const N: usize>(written: [&[(&str, u32)]; N]) -> [HeaderValue; N] {
    let mut text = Vec::with_capacity(96);
    let mut digits = itoa::Buffer::new();
    let ends = written.map(|parts| {
        for (label, number) in parts {
            text.extend_from_slice(label.as_bytes());
            text.extend_from_slice(digits.format(*number).as_bytes());
        }
        text.len()
    });
    let text = Bytes::from(text);
    let mut start = 0;
    ends.map(|end| {
        let value = HeaderValue::from_maybe_shared(text.slice(start..end));
        start = end;
        // digits and punctuation are always a value
        value.unwrap_or(HeaderValue::from_static("0"))
    })
}

/// The heads of good answers, laid out once for each plan: what differs from answer to answer is written over what
/// stands there, which costs half of what laying out a head does.
#[derive(Debug)]
pub struct Heads(Vec<(Plan, HeaderMap)>);

impl Heads {
    /// The heads of these plans.
    pub fn new(plans: &Plans) -> Heads {
        let standing = Standing { minute_left: 0, minute_resets: 0, month_left: 0, month_resets: 0 };
        let head = |plan| {
            let common = reply::head(reply::JSON, &RequestId::new());
            let mut head = HeaderMap::with_capacity(common.capacity());
            // What differs goes first: a map tells its values in the order in which they were put in (held by a test).
            head.insert(X_REQUEST_ID, common[X_REQUEST_ID].clone());
            tell_standing(&mut head, &standing);
            tell_plan(&mut head, &plans.row(plan));
            head.extend(common);
            (plan, head)
        };
        Heads(Plan::ALL.map(head).into())
    }

    /// The answer `body` to a caller on `plan` who stands so.
    pub fn answer<B: From<Bytes>>(
        &self,
        plan: Plan,
        standing: &Standing,
        body: Bytes,
        id: &RequestId,
    ) -> Response<B> {
        let head = self.0.iter().find_map(|(of, head)| (*of == plan).then_some(head));
        let mut headers = head.cloned().unwrap_or_default();
        let [limit, left, resets] = standing_values(standing);
        for (value, own) in headers.values_mut().zip([id.header(), limit, left, resets]) {
            *value = own;
        }
        let mut response = Response::new(B::from(body));
        *response.headers_mut() = headers;
        response
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
            Standing { minute_left: 7, minute_resets: 33, month_left: 4_321, month_resets: 86_400 };
        let id = RequestId::new();
        for plan in Plan::ALL {
            let answer: Response<Bytes> = heads.answer(plan, &standing, Bytes::from_static(b"{}"), &id);
            let mut anew = reply::head(reply::JSON, &id);
            tell(&mut anew, &plans.row(plan), &standing);
            assert_eq!(*answer.headers(), anew);
            assert_eq!(answer.headers().len(), 9);
        }
    }
}
