//! The messages that the service sends to webhooks, as the documents describe them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::endpoints::Tag;
use crate::notify::messages::{
    HookMessage, HookTest, PUBLISHED, QUOTA_LOW, QUOTA_SPENT, QuotaReached, SnapshotPublished, TEST,
};

/// What all messages have in common.
pub(super) const ABOUT: &str = "A POST to the https address that the owner of an account sets at `/conta/avisos`, which also \
    shows the secret. It is signed as Standard Webhooks (standardwebhooks.com) say: `webhook-signature` is `v1,` and the \
    base64 of the HMAC-SHA256 of `id.timestamp.body`, of which the first two are `webhook-id` and `webhook-timestamp`; the key \
    is the base64 behind `whsec_`. Any 2xx within 10 seconds ends it; else it is sent again, for three days. A message may \
    arrive twice, with the same `webhook-id`, and messages in another order. For some seconds after a publication a server may \
    still answer with the serial before it: ask until `serial` is at least that of the message. Records also come and go \
    with the day, and are hidden, without a message: ask `/v1/changes` once a day too.";

/// The headers of every message, as components.
const HEADERS: [&str; 3] = ["WebhookId", "WebhookTimestamp", "WebhookSignature"];

/// A type of messages.
pub(super) struct HookType {
    /// The value of `type`.
    pub(super) name: &'static str,
    operation_id: &'static str,
    pub(super) summary: &'static str,
    pub(super) schema: fn(&mut SchemaGenerator) -> Schema,
    example: fn() -> Value,
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<HookMessage<T>>()
}

fn quota(percent: u32, calls: u32) -> Value {
    json!({
        "percent": percent, "calls_this_month": calls, "monthly_limit": 1_000, "resets_at": "2026-12-01T03:00:00Z",
    })
}

/// All types of messages.
pub(super) const HOOK_TYPES: [HookType; 4] = [
    HookType {
        name: PUBLISHED,
        operation_id: "onSnapshotPublished",
        summary: "A publication of the guide is in service",
        schema: of::<SnapshotPublished>,
        example: || json!({ "serial": 12, "digest": "5f0c3a9be1d247865f0c3a9be1d247865f0c3a9be1d247865f0c3a9be1d24786", "places": 506, "events": 310 }),
    },
    HookType {
        name: QUOTA_LOW,
        operation_id: "onQuotaLow",
        summary: "80 % of the calls of the month are used",
        schema: of::<QuotaReached>,
        example: || quota(80, 800),
    },
    HookType {
        name: QUOTA_SPENT,
        operation_id: "onQuotaSpent",
        summary: "All calls of the month are used",
        schema: of::<QuotaReached>,
        example: || quota(100, 1_000),
    },
    HookType {
        name: TEST,
        operation_id: "onTest",
        summary: "The owner asked for a message",
        schema: of::<HookTest>,
        example: || json!({}),
    },
];

impl HookType {
    /// The entry of the OpenAPI document.
    pub(super) fn path_item(&self, generator: &mut SchemaGenerator) -> Value {
        let headers = HEADERS.map(|name| json!({ "$ref": format!("#/components/parameters/{name}") }));
        let example =
            json!({ "type": self.name, "timestamp": "2026-11-26T12:00:00Z", "data": (self.example)() });
        let content =
            json!({ "schema": (self.schema)(generator), "examples": { "message": { "value": example } } });
        let arrived = json!({ "description": "The message has arrived. Every other 2xx says so too." });
        json!({ "post": {
            "operationId": self.operation_id,
            "tags": [Tag::Webhooks.name()],
            "summary": self.summary,
            "description": ABOUT,
            "parameters": headers,
            "security": [],
            "requestBody": { "required": true, "content": { "application/json": content } },
            "responses": { "200": arrived },
        } })
    }
}
