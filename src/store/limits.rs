//! Limits of how often something is attempted, which all servers on a store count together.

use std::fmt;

use crate::domain::clock::UnixMillis;

/// A limit of how often something is attempted.
#[derive(Debug, Clone)]
pub struct RateLimit {
    /// What is counted, the window included if there is one: "signup/1790000000000/203.0.113.9". A name holds no
    /// e-mail address, as counters outlive an account that is erased; those with its id between slashes do not.
    pub name: String,
    /// How much is allowed.
    pub allowance: Allowance,
}

impl RateLimit {
    /// A limit of what `who` may do until a window ends.
    pub fn window(what: &str, who: &dyn fmt::Display, max: u32, ends_at: UnixMillis) -> RateLimit {
        // a window is named by its end
        let name = format!("{what}/{}/{who}", ends_at.0);
        RateLimit { name, allowance: Allowance::Window { max, ends_at } }
    }
}

/// How much a [`RateLimit`] allows.
#[derive(Debug, Clone, Copy)]
pub enum Allowance {
    /// So many attempts until a window ends, when the counter may be dropped.
    Window {
        /// How many.
        max: u32,
        /// When the window ends.
        ends_at: UnixMillis,
    },
    /// So many attempts at once, then one each time the interval has passed: a token bucket.
    Bucket {
        /// How many at once.
        size: u32,
        /// The interval.
        every_millis: i64,
    },
}

/// A limit that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// Its index.
    pub index: usize,
    /// When it allows another attempt.
    pub retry_at: UnixMillis,
}
