//! Limits of how often something is attempted, which all servers on a store count together.

use std::fmt;

use async_trait::async_trait;

use super::error::StoreError;
use crate::domain::clock::{UnixMillis, seconds_until};
use crate::domain::error::ApiError;

/// Counters that limit how often something is attempted.
#[async_trait]
pub trait RateLimitStore: fmt::Debug + Send + Sync {
    /// Counts one attempt against every limit, unless one of them is reached: then nothing is counted, and the
    /// answer is the first limit reached.
    async fn count_attempt(
        &self,
        limits: Vec<RateLimit>,
        now: UnixMillis,
    ) -> Result<Option<Reached>, StoreError>;
}

/// Counts one attempt against every limit. If one of them is reached, nothing is counted, and the error is made by
/// `refusal` of its index and the seconds until it allows another attempt.
pub async fn count_or_refuse<S: RateLimitStore + ?Sized>(
    store: &S,
    limits: Vec<RateLimit>,
    now: UnixMillis,
    refusal: impl FnOnce(usize, u32) -> ApiError,
) -> Result<(), ApiError> {
    match store.count_attempt(limits, now).await? {
        None => Ok(()),
        Some(Reached { index, retry_at }) => Err(refusal(index, seconds_until(retry_at, now))),
    }
}

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
