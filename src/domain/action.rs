//! The actions of the API by name, and what the calls of a month are counted as.

#![expect(clippy::too_many_arguments, reason = "EnumTable derives a constructor with one for each action")]

use strum::{EnumString, EnumTable, IntoStaticStr, VariantArray, VariantNames};

/// An action of the API, in the order in which documents and errors list them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, EnumTable, IntoStaticStr, VariantArray, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum ActionId {
    /// Events in date order.
    SearchEvents,
    /// Places, most talked-about first.
    SearchPlaces,
    /// One place.
    GetPlace,
    /// One event.
    GetEvent,
    /// The categories to filter by.
    ListCategories,
    /// The regions to filter by.
    ListRegions,
    /// How much there is of everything.
    Summary,
    /// The calls of the month.
    Usage,
    /// What is being typed, completed.
    Suggest,
}

impl ActionId {
    /// Every action.
    pub const ALL: &[ActionId] = <ActionId as VariantArray>::VARIANTS;

    /// The names of all actions, as errors list them.
    pub const NAMES: &[&str] = <ActionId as VariantNames>::VARIANTS;

    /// The value of `action` in requests, which metrics and stores know it by too.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a call of the month is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// A call of an action.
    Action(ActionId),
    /// The whole guide.
    Export,
    /// What changed in the guide.
    Changes,
}

impl CallKind {
    /// Every kind, in the order of answers.
    pub fn all() -> impl Iterator<Item = CallKind> {
        let actions = ActionId::ALL.iter().map(|id| CallKind::Action(*id));
        actions.chain([CallKind::Export, CallKind::Changes])
    }

    /// The name in answers and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            CallKind::Action(id) => id.as_str(),
            CallKind::Export => "export",
            CallKind::Changes => "changes",
        }
    }
}
