//! The headers that tell a caller how they stand with their plan: `ratelimit-policy` and `ratelimit` of the IETF's
//! draft (draft-ietf-httpapi-ratelimit-headers), and the `x-ratelimit-*` that came before them, which tell of the
//! minute. Uses [`crate::accounts::meter`] (the standing) and [`crate::plans`].

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use crate::accounts::meter::Standing;
use crate::plans::Row;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const X_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const X_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const X_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Adds the headers: the quotas of the plan, and what is left of them for how many seconds.
pub fn tell(headers: &mut HeaderMap, row: &Row, standing: &Standing) {
    let Standing { minute_left, minute_resets, month_left, month_resets } = *standing;
    let (per_minute, per_month) = (row.figures.per_minute, row.figures.per_month);
    // All of them are written into one piece of memory that the values share, and without formatting, which takes
    // several times as long: they are on every answer.
    let mut text = Vec::with_capacity(160);
    let mut ends = [0; 5];
    let mut digits = itoa::Buffer::new();
    let mut write = |parts: &[(&str, u32)]| {
        for (label, number) in parts {
            text.extend_from_slice(label.as_bytes());
            text.extend_from_slice(digits.format(*number).as_bytes());
        }
        text.len()
    };
    ends[0] = write(&[("\"minute\";w=60;q=", per_minute), (", \"month\";q=", per_month)]);
    ends[1] = write(&[
        ("\"minute\";r=", minute_left),
        (";t=", minute_resets),
        (", \"month\";r=", month_left),
        (";t=", month_resets),
    ]);
    for (end, number) in ends[2..].iter_mut().zip([per_minute, minute_left, minute_resets]) {
        *end = write(&[("", number)]);
    }
    let text = Bytes::from(text);
    let mut start = 0;
    for (name, end) in [POLICY, LIMIT, X_LIMIT, X_REMAINING, X_RESET].into_iter().zip(ends) {
        // digits and punctuation are always a value
        if let Ok(value) = HeaderValue::from_maybe_shared(text.slice(start..end)) {
            headers.insert(name, value);
        }
        start = end;
    }
}
