//! The messages to webhooks. The documents take their schemas from these types.

use schemars::JsonSchema;
use serde::Serialize;

/// The type of the message of a publication.
pub(crate) const PUBLISHED: &str = "snapshot.published";

/// The type of the message that most calls of the month are used.
pub(crate) const QUOTA_LOW: &str = "quota.80";

/// The type of the message that all calls of the month are used.
pub(crate) const QUOTA_SPENT: &str = "quota.100";

/// The type of the message that an owner asks for.
pub(crate) const TEST: &str = "test";

/// A message, as Standard Webhooks (standardwebhooks.com) has it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}Message")]
pub(crate) struct HookMessage<T> {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// When it happened.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: String,
    /// The details.
    pub data: T,
}

/// A publication of the guide that is in service.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SnapshotPublished {
    /// Its serial number, as in the header snapshot-serial and in /v1/changes.
    pub serial: u64,
    /// The digest of the snapshot.
    pub digest: String,
    /// Number of places.
    pub places: u32,
    /// Number of events.
    pub events: u32,
}

/// How much of the calls of a month is used.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QuotaReached {
    /// The share that was reached: 80 or 100.
    pub percent: u32,
    /// Calls of this month.
    pub calls_this_month: u32,
    /// Calls a month that the plan allows.
    pub monthly_limit: u32,
    /// When the next month begins.
    #[schemars(extend("format" = "date-time"))]
    pub resets_at: String,
}

/// No details.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HookTest {}
