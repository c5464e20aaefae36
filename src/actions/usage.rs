//! `usage`: what the key's account has spent this month, and what it may.

use serde_json::{Map, Value, json};

use super::{Action, Dealt, Prepared, QueryContext};
use crate::domain::error::ApiError;
use crate::domain::plan::Figures;
use crate::quota::leases::Usage;
use crate::shape::{Field, Type};

/// Calls of this month, spent and left.
pub(super) const USAGE: Action = Action {
    name: "usage",
    title: "Usage",
    description: "Tells the plan of the key, the calls of this month and the calls that remain. Use for keeping within the \
            quota. Not for prices (use GET /v1/plans).",
    params: &[],
    answers: &[
        Field::always("calls_this_month", Type::Integer, "Calls of this month that count."),
        Field::always("calls_remaining", Type::Integer, "Calls that remain of this month."),
        Field::always("monthly_limit", Type::Integer, "Calls that the plan allows in a month."),
        Field::always("per_minute_limit", Type::Integer, "Calls that the plan allows in a minute."),
        Field::always("resets_at", Type::Moment, "When the month ends, in Brasília."),
        Field::always("by_action", Type::Counts, "Calls of this month by action."),
    ],
    tool: false,
    counted: false,
    prepare: |scene, _| {
        let QueryContext { usage: Some((usage, figures)), .. } = scene else {
            return Err(ApiError::Internal);
        };
        Ok(Box::new(Told { usage, figures }))
    },
};

struct Told<'a> {
    usage: &'a Usage,
    figures: Figures,
}

impl Prepared for Told<'_> {
    fn run(&self, out: &mut Vec<u8>) -> Option<Dealt<'_>> {
        let Usage { calls, by_action, resets_at } = self.usage;
        let by_action: Map<String, Value> =
            by_action.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
        let fields = [
            ("calls_this_month", json!(calls)),
            ("calls_remaining", json!(self.figures.per_month.saturating_sub(*calls))),
            ("monthly_limit", json!(self.figures.per_month)),
            ("per_minute_limit", json!(self.figures.per_minute)),
            ("resets_at", json!(resets_at.to_string())),
            ("by_action", Value::Object(by_action)),
        ];
        for (name, value) in fields {
            out.extend_from_slice(format!(",\"{name}\":{value}").as_bytes());
        }
        None
    }
}
