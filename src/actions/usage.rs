//! `usage`: what the key's account has spent this month, and what it may.

use serde_json::{Map, Value, json};

use super::{Action, Prepared, Scene};
use crate::accounts::meter::Usage;
use crate::plans::Figures;
use crate::refusal::Refusal;

/// Calls of this month, spent and left.
pub(super) const USAGE: Action = Action {
    name: "usage",
    params: &[],
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
    fn run(&self, out: &mut Vec<u8>) {
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
    }
}
