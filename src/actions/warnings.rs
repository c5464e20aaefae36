//! What an answer warns of: what was sent and does not count.

use index::View;

use super::{Action, Params, fields, uses};

/// Names the fields that the action does not use, so that a misspelt parameter is noticed, those that were sent with
/// different values, and the fields of records that the view does not show.
pub fn warnings(action: &Action, params: &Params, view: View) -> Option<Vec<String>> {
    let is_known = |name: &str| name == "action" || action.takes(name);
    let ignored = params.ignored(is_known).map(|name| match (action.instead_of(name), uses(name)) {
        (Some(instead), _) => format!("{name} is not a parameter and was ignored: send {instead}"),
        (None, true) => format!("{name} is not used by {} and was ignored", action.name()),
        (None, false) => format!("{name} is not a parameter and was ignored"),
    });
    let conflicting = params.conflicting().filter(|name| is_known(name));
    let conflicting = conflicting.map(|name| format!("{name} was sent more than once: the last one counts"));
    let hidden = fields::of_paid_plans(action, params, view);
    let hidden =
        hidden.iter().map(|name| format!("fields: {name} is for keys of paid plans and was left out"));
    let warnings: Vec<String> = ignored.chain(conflicting).chain(hidden).collect();
    (!warnings.is_empty()).then_some(warnings)
}
