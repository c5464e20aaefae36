//! `usage`: the calls of this month and the limits of the plan.

use std::collections::BTreeMap;

use super::{Action, LeftOut, QueryContext};
use crate::domain::error::ApiError;
use crate::domain::plan::Figures;
use crate::quota::leases::Usage;
use crate::render::JsonBody;
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
    prepare: |context, _| {
        let QueryContext { usage: Some((usage, figures)), .. } = context else {
            return Err(ApiError::Internal);
        };
        Ok(Box::new(Prepared { usage, figures }))
    },
};

struct Prepared<'a> {
    usage: &'a Usage,
    figures: Figures,
}

impl<'a> super::Prepared<'a> for Prepared<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> LeftOut {
        let Usage { calls, by_action, resets_at } = self.usage;
        let by_action: BTreeMap<&str, u32> = by_action.iter().copied().collect();
        body.field("calls_this_month", calls);
        body.field("calls_remaining", &self.figures.per_month.saturating_sub(*calls));
        body.field("monthly_limit", &self.figures.per_month);
        body.field("per_minute_limit", &self.figures.per_minute);
        body.field("resets_at", &resets_at.to_string());
        body.field("by_action", &by_action);
        LeftOut::Nothing
    }
}
