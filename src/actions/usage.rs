//! `usage`: what the key's account has spent this month, and what it may.

use serde_json::{Map, Value, json};

use super::{Action, Dealt, Prepared, Scene, Type};
use crate::accounts::meter::Usage;
use crate::plans::Figures;
use crate::refusal::Refusal;

/// Calls of this month, spent and left.
pub(super) const USAGE: Action = Action {
    name: "usage",
    title: "Usage",
    about: "Tells the plan of the key, the calls of this month and the calls that remain. Use for keeping within the \
            quota. Not for prices (use GET /v1/plans).",
    params: &[],
    answers: &[
        ("calls_this_month", Type::Integer),
        ("calls_remaining", Type::Integer),
        ("monthly_limit", Type::Integer),
        ("per_minute_limit", Type::Integer),
        ("resets_at", Type::MaybeText),
        ("by_action", Type::MaybeObject("calls of this month by action")),
    ],
    tool: false,
    counted: false,
    prepare: |scene, _| {
        let Scene { usage: Some((usage, figures)), .. } = scene else { return Err(Refusal::Internal) };
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
