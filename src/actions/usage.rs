//! `usage`: the calls of this month and the limits of the plan.

use schemars::SchemaGenerator;

use super::answers::{self, Envelope};
use super::{Action, Prepared, QueryContext, Remarks};
use crate::domain::action::ActionId;
use crate::domain::error::ApiError;
use crate::domain::plan::Figures;
use crate::quota::leases::Usage;
use crate::render::JsonBody;

/// Calls made and left this month.
pub(super) static USAGE: Action = Action {
    id: ActionId::Usage,
    title: "Usage",
    description: "Reports the calls of this month, in total and by action, and the calls left. Use for staying within the \
                  quota. Not for prices (use GET /v1/plans).",
    params: &[],
    answer: SchemaGenerator::subschema_for::<Envelope<answers::Usage>>,
    tool: false,
    counted: false,
    prepare: |context, _| {
        let QueryContext { usage: Some((usage, figures)), .. } = context else {
            return Err(ApiError::Internal);
        };
        Ok(Box::new(MonthlyUsage { usage, figures }))
    },
};

struct MonthlyUsage<'a> {
    usage: &'a Usage,
    figures: Figures,
}

impl<'a> Prepared<'a> for MonthlyUsage<'a> {
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks {
        let Usage { calls, by_action, resets_at } = self.usage;
        let Figures { per_month, per_minute, .. } = self.figures;
        body.fields(&answers::Usage {
            calls_this_month: *calls,
            calls_remaining: per_month.saturating_sub(*calls),
            monthly_limit: per_month,
            per_minute_limit: per_minute,
            resets_at: resets_at.to_string(),
            by_action: by_action.iter().copied().collect(),
        });
        Remarks::default()
    }
}
