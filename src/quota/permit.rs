//! What a caller may see. The gate makes a [`Permit`] for a caller when it admits them; only what has no caller takes
//! one from here.

use chrono::{Days, NaiveDate};
use index::{AreaId, EVERYWHERE, View, Window};

use crate::domain::error::ApiError;
use crate::domain::plan::Plan;

/// The most records that the preview returns for a query.
pub const PREVIEW_RESULTS: usize = 5;

/// The preview covers events from today to this many days later.
pub const PREVIEW_DAYS: u64 = 7;

/// The days whose events the preview covers.
fn preview_days(today: NaiveDate) -> Window {
    Window { from: today, to: today.checked_add_days(Days::new(PREVIEW_DAYS)).unwrap_or(today) }
}

/// What may be seen: by a caller who was admitted, or on pages for everybody.
#[derive(Debug, Clone, Copy)]
pub struct Permit(Viewer);

/// Who sees it.
#[derive(Debug, Clone, Copy)]
enum Viewer {
    /// A caller without a key: the preview of the free plan.
    Visitor,
    /// Whoever has the plan; of the free one also everybody, on pages.
    Plan(Plan),
    /// A page with a browser token of an account on the plan: all its regions, and the basic view.
    Page(Plan),
}

impl Permit {
    /// What public pages may show: what the free plan sees. Nothing is counted.
    pub const PUBLIC: Permit = Permit(Viewer::Plan(Plan::Free));

    /// What the preview shows.
    pub(super) fn preview() -> Permit {
        Permit(Viewer::Visitor)
    }

    /// What a page with a browser token of an account on this plan may see.
    pub(super) fn of_page(plan: Plan) -> Permit {
        Permit(Viewer::Page(plan))
    }

    /// What a plan may see. It counts nothing: [`super::gate::Gate`] counts the call of a caller before.
    pub fn of_plan(plan: Plan) -> Permit {
        Permit(Viewer::Plan(plan))
    }

    /// Whether this is the preview, for callers without a key.
    pub fn is_preview(&self) -> bool {
        matches!(self.0, Viewer::Visitor)
    }

    /// The days whose events may be seen; `None` means all.
    pub fn days(&self, today: NaiveDate) -> Option<Window> {
        self.is_preview().then(|| preview_days(today))
    }

    /// How many of the requested records are returned. The preview has one page.
    pub fn results(&self, requested: usize, is_later_page: bool) -> usize {
        match (self.is_preview(), is_later_page) {
            (false, _) => requested,
            (true, false) => requested.min(PREVIEW_RESULTS),
            (true, true) => 0,
        }
    }

    /// The error for a region outside the area that may be seen.
    pub fn region_error(&self) -> ApiError {
        match self.0 {
            Viewer::Visitor => ApiError::PreviewRegion,
            Viewer::Plan(plan) | Viewer::Page(plan) => ApiError::PlanRegion { plan },
        }
    }

    /// The error for positions, which only the full view has.
    pub fn positions_error(&self) -> ApiError {
        match self.0 {
            Viewer::Page(_) => ApiError::TokenScope,
            Viewer::Visitor | Viewer::Plan(_) => ApiError::PlanPositions { plan: self.plan() },
        }
    }

    /// The plan that applies.
    pub fn plan(&self) -> Plan {
        match self.0 {
            Viewer::Visitor => Plan::Free,
            Viewer::Plan(plan) | Viewer::Page(plan) => plan,
        }
    }

    /// The fields that may be seen.
    pub fn view(&self) -> View {
        match self.0 {
            Viewer::Visitor | Viewer::Page(_) => View::Basic,
            Viewer::Plan(plan) => plan.view(),
        }
    }

    /// Whether records of every region may be seen.
    pub fn covers_everything(&self) -> bool {
        self.plan().covers_everything()
    }

    /// The area that may be seen; `free_area` is the one of plans that do not cover all regions.
    pub fn area(&self, free_area: AreaId) -> AreaId {
        if self.covers_everything() { EVERYWHERE } else { free_area }
    }
}
