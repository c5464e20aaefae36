//! The actions of the API: one file for an action or a pair of them. An action is a pure function of the snapshot, the
//! day and the permit.
//!
//! An action runs in two steps. `prepare` reads and checks the parameters, so that bad input is refused before a call
//! is charged; [`Prepared::write`] cannot fail. A new action is a file, its answer in `answers`, a variant of
//! [`ActionId`], and a row of `RESOURCES` in `src/http/resources.rs`.

pub mod answers;
mod around;
mod cursor;
mod explanation;
mod facets;
mod fields;
mod filters;
mod find;
mod interpreted;
mod lists;
mod near;
mod param;
mod params;
mod record;
mod spelling;
mod suggest;
mod summary;
mod usage;
mod visible;
mod warnings;
mod words;

pub use find::{Listing, find_each};
pub use param::{
    DEFAULT_LIMIT, DefaultNumber, GROUPS, KINDS, LISTS, MAX_FILTER, MAX_FILTERS, MAX_LIMIT, PAID_FIELDS,
    Param, ParamType,
};
pub use params::{Params, ParamsError, Value};
pub use warnings::warnings;
pub use words::{Coverage, DISTANCE_TARGETS, MatchKind};

use chrono::NaiveDate;
use index::{AreaId, Page};
use schemars::{Schema, SchemaGenerator};

use self::answers::{BriefRegions, Envelope, PlaceOrEvent};
use self::spelling::is_misspelt;
use crate::asked::Unmet;
use crate::domain::action::ActionId;
use crate::domain::error::ApiError;
use crate::domain::plan::Figures;
use crate::domain::records::Records;
use crate::quota::leases::Usage;
use crate::quota::permit::Permit;
use crate::render::JsonBody;
use crate::serving::ServingSnapshot;

/// What an action answers from: one snapshot, one day, one permit.
#[derive(Clone, Copy)]
pub struct QueryContext<'a> {
    /// The snapshot that answers.
    pub snapshot: &'a ServingSnapshot,
    /// The day in Brasília.
    pub today: NaiveDate,
    /// What the caller may see.
    pub permit: Permit,
    /// `limit` when the caller sends none.
    pub default_limit: usize,
    /// Whether a search for events that does not say so lists each series once.
    pub groups_series: bool,
    /// Whether answers that are read whole are kept short: agents pay for every word.
    pub brief: bool,
    /// The address of the site, without a slash at its end.
    pub base_url: &'a str,
    /// The calls of this month and the limits of the plan, for the action that reports them.
    pub usage: Option<(&'a Usage, Figures)>,
}

impl QueryContext<'_> {
    /// The area that the caller may see.
    fn area(&self) -> AreaId {
        self.permit.area(self.snapshot.free_area)
    }
}

/// An action as `/v1`, `/mcp` and the documents describe it.
pub struct Action {
    /// Which one it is.
    pub id: ActionId,
    /// A title for people.
    pub title: &'static str,
    /// What the action does, and when to use another one. Agents choose tools by it.
    pub description: &'static str,
    /// The parameters, in the order of the documents.
    pub params: &'static [&'static Param],
    /// Makes the schema of the answer.
    pub answer: AnswerSchema,
    /// Whether `/mcp` offers it as a tool.
    pub tool: bool,
    /// Whether a call counts against the month.
    pub counted: bool,
    /// Reads and checks the parameters.
    pub prepare: Prepare,
}

impl ActionId {
    /// What runs the action, and describes it.
    pub fn action(self) -> &'static Action {
        match self {
            ActionId::SearchEvents => &find::SEARCH_EVENTS,
            ActionId::SearchPlaces => &find::SEARCH_PLACES,
            ActionId::GetPlace => &record::GET_PLACE,
            ActionId::GetEvent => &record::GET_EVENT,
            ActionId::ListCategories => &lists::LIST_CATEGORIES,
            ActionId::ListRegions => &lists::LIST_REGIONS,
            ActionId::Summary => &summary::SUMMARY,
            ActionId::Usage => &usage::USAGE,
            ActionId::Suggest => &suggest::SUGGEST,
        }
    }
}

impl Action {
    /// Every action, in the order of the documents.
    pub fn all() -> impl Iterator<Item = &'static Action> + Clone {
        ActionId::ALL.iter().map(|id| id.action())
    }

    /// The value of `action` in requests.
    pub fn name(&self) -> &'static str {
        self.id.as_str()
    }

    /// Whether the action has a parameter with this name or alias.
    pub fn takes(&self, name: &str) -> bool {
        self.params.iter().any(|param| param.is_called(name))
    }

    /// The parameter that is meant by a name that is none: one that agents use, or a misspelt one.
    pub fn meant_by(&self, name: &str) -> Option<&'static str> {
        let others = param::OTHER_NAMES.into_iter().filter(|(_, known)| self.takes(known));
        let own = self.params.iter().flat_map(|param| param.names()).map(|name| (name, name));
        let names: Vec<(&str, &'static str)> = others.chain(own).collect();
        let exact = names.iter().find(|(known, _)| *known == name);
        let meant = exact.or_else(|| names.iter().find(|(known, _)| is_misspelt(name, known)));
        meant.map(|(_, meant)| *meant)
    }

    /// What to send instead of a name that is no parameter, if it is known.
    pub fn instead_of(&self, name: &str) -> Option<&'static str> {
        let mut known =
            param::INSTEAD.iter().filter(|(names, param, _)| names.contains(&name) && self.takes(param));
        known.next().map(|(.., instead)| *instead).or_else(|| self.meant_by(name))
    }

    /// Makes the schema of the answer of the tool, which for some actions has other fields than on `/v1`.
    pub fn tool_answer(&self, generator: &mut SchemaGenerator) -> Schema {
        match self.id {
            ActionId::GetPlace => generator.subschema_for::<Envelope<PlaceOrEvent>>(),
            ActionId::ListRegions => generator.subschema_for::<Envelope<BriefRegions>>(),
            _ => (self.answer)(generator),
        }
    }

    /// Whether the action needs [`QueryContext::usage`].
    pub fn needs_usage(&self) -> bool {
        self.id == ActionId::Usage
    }
}

/// Makes the schema of an answer.
pub type AnswerSchema = fn(&mut SchemaGenerator) -> Schema;

/// The first step of an action: reads and checks its parameters.
pub type Prepare =
    for<'a> fn(QueryContext<'a>, &'a Params<'a>) -> Result<Box<dyn Prepared<'a> + Send + 'a>, ApiError>;

/// An action whose parameters were read and checked: running it cannot fail.
pub trait Prepared<'a> {
    /// Appends the fields of the answer to the envelope. Returns what else a caller should know.
    fn write(&self, body: &mut JsonBody<'a>) -> Remarks;
}

/// What a caller should know of an answer, beside its fields.
#[derive(Debug, Default)]
pub struct Remarks {
    /// What it leaves out because of the caller's plan.
    pub left_out: LeftOut,
    /// What a search let go, or why it found nothing.
    pub explanation: Option<String>,
    /// Whether it shows positions or distances, whose sources are credited.
    pub shows_positions: bool,
    /// What a search found.
    pub found: Option<SearchOutcome>,
    /// The question of a search that nothing in the guide meets, if it may be counted.
    pub unmet: Option<Unmet>,
}

/// What a search found, for metrics and the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOutcome {
    /// What was searched.
    pub records: Records,
    /// How many records are listed.
    pub listed: usize,
    /// How well they meet the question.
    pub outcome: MatchLevel,
}

/// How well what a search found meets the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchLevel {
    /// It meets the whole of it.
    Exact,
    /// Nothing does; it meets most of it.
    Closest,
    /// Nothing was found.
    Nothing,
}

impl SearchOutcome {
    /// That of a search of these records.
    pub fn new(records: Records, page: &Page) -> SearchOutcome {
        SearchOutcome { records, listed: page.ranks.len(), outcome: MatchLevel::of(page) }
    }
}

impl MatchLevel {
    /// That of what a page lists.
    fn of(page: &Page) -> MatchLevel {
        match (page.total, &page.closest) {
            (0, _) => MatchLevel::Nothing,
            (_, Some(_)) => MatchLevel::Closest,
            (_, None) => MatchLevel::Exact,
        }
    }
}

/// What an answer leaves out because of the caller's plan.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// What the preview always leaves out: fields, and the counts of what it does not cover.
    #[default]
    Usual,
    /// Nothing of what the caller asked for.
    Nothing,
    /// The part of the area that the plan does not cover.
    Area,
    /// Every day that the caller asked for, so nothing was searched.
    AllDays,
}

/// Whether some action has a parameter of that name.
pub fn uses(name: &str) -> bool {
    Action::all().any(|action| action.takes(name))
}

/// The action that the parameters name.
pub fn named(params: &Params) -> Result<ActionId, ApiError> {
    let name = match params.get("action") {
        None => return Err(ApiError::MissingAction { known: ActionId::NAMES }),
        Some(Value::Text(name)) => name.trim(),
        Some(_) => return Err(ApiError::WrongType { param: "action", expected: "a string" }),
    };
    name.parse().map_err(|_| ApiError::UnknownAction { known: ActionId::NAMES })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_leads_to_the_action_that_has_it() {
        for id in ActionId::ALL {
            assert_eq!(id.action().id, *id);
            assert_eq!(id.as_str().parse(), Ok(*id));
        }
    }
}
