//! What is counted of requests to actions, and of what is no action beside them.

use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;

use super::Surface;
use crate::actions::{ACTIONS, MatchLevel, SearchOutcome};
use crate::domain::error::ApiError;
use crate::domain::plan::Plan;
use crate::domain::records::Records;
use crate::metrics::{Metrics, SearchCounters, Series};
use crate::quota::permit::Permit;
use crate::request_log;

/// The place of the preview among the counters of calls, behind the plans.
const PREVIEW: usize = Plan::ALL.len();

/// The request metrics of a surface: one series for each action, in the order of the table, and one for requests that
/// reach no action.
struct SurfaceMetrics {
    actions: Vec<Series>,
    none: Series,
}

impl SurfaceMetrics {
    fn new(metrics: &Metrics, path: &'static str) -> Self {
        Self {
            actions: ACTIONS.iter().map(|action| metrics.series(path, action.name)).collect(),
            none: metrics.series(path, "none"),
        }
    }

    fn record(&self, row: Option<usize>, status: u16, took: Duration) {
        row.map_or(&self.none, |row| &self.actions[row]).answered(status, took);
    }
}

/// The metrics of actions and of what else comes in beside them.
pub struct Counters {
    v1: SurfaceMetrics,
    mcp: SurfaceMetrics,
    site: SurfaceMetrics,
    /// By plan, and of the preview.
    calls: [Counter; PREVIEW + 1],
    /// By the row of the action.
    searches: Vec<Option<SearchCounters>>,
}

impl Counters {
    pub(super) fn new(metrics: &Metrics) -> Counters {
        let is_search =
            |row: usize| [Records::Events, Records::Places].iter().any(|records| records.row() == row);
        Counters {
            v1: SurfaceMetrics::new(metrics, "/v1"),
            mcp: SurfaceMetrics::new(metrics, "/mcp"),
            site: SurfaceMetrics::new(metrics, "/"),
            calls: std::array::from_fn(|at| {
                metrics.calls(Plan::ALL.get(at).map_or("preview", |plan| plan.as_str()))
            }),
            searches: (0..ACTIONS.len())
                .map(|row| is_search(row).then(|| metrics.searches(ACTIONS[row].name)))
                .collect(),
        }
    }

    /// Counts a request, which reached the action in this row if it reached one.
    pub(super) fn count_request<T>(
        &self,
        surface: Surface,
        row: Option<usize>,
        result: &Result<T, ApiError>,
        took: Duration,
    ) {
        let metrics = match surface {
            Surface::V1 => &self.v1,
            Surface::Mcp => &self.mcp,
            Surface::Site => &self.site,
        };
        metrics.record(row, status(result), took);
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

    /// Counts what the search in this row has found.
    pub(super) fn count_search(&self, row: usize, found: SearchOutcome) {
        let Some(counters) = &self.searches[row] else { return };
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

    /// Counts a tool call that failed before it reached the action in row `row`.
    pub fn count_failed_call(&self, row: usize, error: &ApiError, began: Instant) {
        request_log::ran(ACTIONS[row].name);
        self.mcp.record(Some(row), error.details().status, began.elapsed());
    }

    /// Counts a message to `/mcp` that runs no action.
    pub fn count_message(&self, status: u16, began: Instant) {
        self.mcp.record(None, status, began.elapsed());
    }
}

fn status<T>(result: &Result<T, ApiError>) -> u16 {
    result.as_ref().map_or_else(|error| error.details().status, |_| 200)
}
