//! What is counted of requests to actions, and of what is no action beside them.

use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;

use super::Surface;
use crate::actions::{MatchLevel, SearchOutcome};
use crate::domain::action::{ActionId, ActionIdTable};
use crate::domain::error::ApiError;
use crate::domain::plan::Plan;
use crate::domain::records::{ByKind, Records};
use crate::metrics::{Metrics, SearchCounters, Series};
use crate::quota::permit::Permit;
use crate::request_log;

/// The place of the preview among the counters of calls, behind the plans.
const PREVIEW: usize = Plan::ALL.len();

/// The request metrics of a surface: one series for each action, and one for requests that reach no action.
struct SurfaceMetrics {
    actions: ActionIdTable<Series>,
    none: Series,
}

impl SurfaceMetrics {
    fn new(metrics: &Metrics, path: &'static str) -> Self {
        Self {
            actions: ActionIdTable::from_closure(|id: ActionId| metrics.series(path, id.as_str())),
            none: metrics.series(path, "none"),
        }
    }

    fn record(&self, action: Option<ActionId>, status: u16, took: Duration) {
        action.map_or(&self.none, |action| &self.actions[action]).answered(status, took);
    }
}

/// The metrics of actions and of what else comes in beside them.
pub struct Counters {
    v1: SurfaceMetrics,
    mcp: SurfaceMetrics,
    site: SurfaceMetrics,
    /// By plan, and of the preview.
    calls: [Counter; PREVIEW + 1],
    searches: ByKind<SearchCounters>,
}

impl Counters {
    pub(super) fn new(metrics: &Metrics) -> Counters {
        let searches = |records: Records| metrics.searches(records.search().as_str());
        Counters {
            v1: SurfaceMetrics::new(metrics, "/v1"),
            mcp: SurfaceMetrics::new(metrics, "/mcp"),
            site: SurfaceMetrics::new(metrics, "/"),
            calls: std::array::from_fn(|at| {
                metrics.calls(Plan::ALL.get(at).map_or("preview", |plan| plan.as_str()))
            }),
            searches: ByKind { events: searches(Records::Events), places: searches(Records::Places) },
        }
    }

    /// Counts a request, which reached this action if it reached one.
    pub(super) fn count_request<T>(
        &self,
        surface: Surface,
        action: Option<ActionId>,
        result: &Result<T, ApiError>,
        took: Duration,
    ) {
        let metrics = match surface {
            Surface::V1 => &self.v1,
            Surface::Mcp => &self.mcp,
            Surface::Site => &self.site,
        };
        metrics.record(action, status(result), took);
    }

    /// Counts a call that was answered, of the preview or of a plan.
    pub(super) fn count_call(&self, permit: Permit) {
        self.calls[if permit.is_preview() { PREVIEW } else { permit.plan() as usize }].inc();
    }

    /// Counts a call of a plan to what is no action.
    pub(super) fn count_call_of_plan(&self, plan: Plan) {
        self.calls[plan as usize].inc();
    }

    /// Counts a search of the site, which shows what the free plan sees and is counted with the preview.
    pub(super) fn count_visit(&self) {
        self.calls[PREVIEW].inc();
    }

    /// Counts what a search has found.
    pub(super) fn count_search(&self, found: SearchOutcome) {
        let counters = self.searches.get(found.records);
        match found.outcome {
            MatchLevel::Exact => counters.exact.inc(),
            MatchLevel::Closest => counters.closest.inc(),
            MatchLevel::Nothing => counters.none.inc(),
        };
    }

    /// Counts a page of the site that runs no action.
    pub fn count_page(&self, status: u16, began: Instant) {
        self.site.record(None, status, began.elapsed());
    }

    /// Counts a tool call that failed before it reached its action.
    pub fn count_failed_call(&self, action: ActionId, error: &ApiError, began: Instant) {
        request_log::ran(action.as_str());
        self.mcp.record(Some(action), error.details().status, began.elapsed());
    }

    /// Counts a message to `/mcp` that runs no action.
    pub fn count_message(&self, status: u16, began: Instant) {
        self.mcp.record(None, status, began.elapsed());
    }
}

fn status<T>(result: &Result<T, ApiError>) -> u16 {
    result.as_ref().map_or_else(|error| error.details().status, |_| 200)
}
