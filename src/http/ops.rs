//! The operator's listener, apart from the public one: `/healthz`, `/readyz`, `/readyz/guide` and `/metrics`.
//!
//! `/readyz` says whether everything works, calls with a key included; `/readyz/guide` whether the guide is served, to
//! visitors at least. A load balancer can send `/v1` by the first and the site by the second.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::get;
use bytes::Bytes;
use hyper::header::{ACCEPT, HeaderValue};
use hyper::{HeaderMap, Response, StatusCode};
use serde::Serialize;
use serde_json::json;

use super::accept;
use super::caller::RequestId;
use super::{error_response, response};
use crate::domain::error::ApiError;
use crate::metrics::{Metrics, text};

/// The versions of the two formats of metrics that are written.
const KNOWN_VERSIONS: [&str; 3] = ["1.0.0", "0.0.1", "0.0.4"];

/// What `/readyz` reports.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Readiness {
    /// The snapshot in service; without one the service is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotInService>,
    /// Why the latest published snapshot is not in service, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_error: Option<String>,
    /// Background tasks that have ended or keep panicking, a sentence each; with one the service is not ready.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_tasks: Vec<String>,
    /// Whether the service is about to stop; it answers, and wants no new clients.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub draining: bool,
    /// Why calls with a key fail; the service is not ready then.
    #[serde(rename = "store", skip_serializing_if = "Option::is_none")]
    pub store_error: Option<StoreFault>,
}

/// Why calls with a key fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct StoreFault {
    /// One word.
    #[serde(skip)]
    pub reason: &'static str,
    /// A sentence.
    pub message: String,
}

impl Readiness {
    /// What is wrong, as a sentence and as one word; nothing when the service is ready.
    fn fault(&self) -> Option<(&'static str, &'static str)> {
        if self.draining {
            self.guide_fault()
        } else if !self.failed_tasks.is_empty() {
            Some(("a background task has failed", "task_failed"))
        } else if let Some(fault) = &self.store_error {
            Some(("calls with a key fail", fault.reason))
        } else {
            self.guide_fault()
        }
    }

    /// What is wrong for callers without a key.
    fn guide_fault(&self) -> Option<(&'static str, &'static str)> {
        if self.draining {
            return Some(("about to stop", "draining"));
        }
        self.snapshot.is_none().then_some(("waiting for a snapshot", "no_snapshot"))
    }
}

/// The snapshot in service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SnapshotInService {
    /// Its serial number in the depot.
    pub serial: u64,
    /// Its digest.
    pub digest: String,
    /// Its name.
    pub name: String,
    /// How many places it has.
    pub places: usize,
    /// How many events it has.
    pub events: usize,
}

/// Reports the readiness at the moment of the call.
pub type ReadinessCheck = Arc<dyn Fn() -> Readiness + Send + Sync>;

/// The routes of the operator's listener.
pub fn router(metrics: Metrics, readiness: ReadinessCheck) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/readyz/guide", get(readyz_guide))
        .route("/metrics", get(metrics_text))
        .fallback(not_found)
        .method_not_allowed_fallback(async |headers: HeaderMap| {
            error_response(&ApiError::MethodNotAllowed { allow: "GET, HEAD" }, &headers)
        })
        .with_state(OpsState { metrics, readiness })
}

#[derive(Clone)]
struct OpsState {
    metrics: Metrics,
    readiness: ReadinessCheck,
}

/// The error of the public listener would name paths that are not here.
async fn not_found(headers: HeaderMap) -> Response<Body> {
    let id = RequestId::of(&headers);
    let body = json!({
        "ok": false,
        "error": "Check the path: the operator's port has /healthz, /readyz, /readyz/guide and /metrics.",
        "code": "not_found",
        "request_id": id.as_str(),
    });
    response::json(StatusCode::NOT_FOUND, body.to_string().into(), &id)
}

async fn healthz(headers: HeaderMap) -> Response<Body> {
    response::text(StatusCode::OK, Bytes::from_static(b"alive\n"), &RequestId::of(&headers))
}

async fn readyz(State(state): State<OpsState>, headers: HeaderMap) -> Response<Body> {
    let readiness = (state.readiness)();
    readiness_page(readiness.fault(), readiness, &headers)
}

async fn readyz_guide(State(state): State<OpsState>, headers: HeaderMap) -> Response<Body> {
    let Readiness { snapshot, draining, .. } = (state.readiness)();
    let readiness = Readiness { snapshot, draining, ..Readiness::default() };
    readiness_page(readiness.guide_fault(), readiness, &headers)
}

/// The answer to a probe: 503 with a fault, else 200.
fn readiness_page(
    fault: Option<(&'static str, &'static str)>,
    readiness: Readiness,
    headers: &HeaderMap,
) -> Response<Body> {
    #[derive(Serialize)]
    struct Page {
        status: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'static str>,
        #[serde(flatten)]
        readiness: Readiness,
    }
    let code = if fault.is_some() { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    let (status, reason) = fault.map_or(("ready", None), |(status, reason)| (status, Some(reason)));
    match serde_json::to_vec(&Page { status, reason, readiness }) {
        Ok(body) => response::json(code, body.into(), &RequestId::of(headers)),
        Err(_) => error_response(&ApiError::Internal, headers),
    }
}

async fn metrics_text(State(state): State<OpsState>, headers: HeaderMap) -> Response<Body> {
    let (kind, text) = match prefers_open_metrics(&headers) {
        true => (text::OPEN_METRICS, state.metrics.open_metrics()),
        false => (text::CLASSIC, state.metrics.classic()),
    };
    match text {
        Ok(text) => {
            let (kind, id) = (HeaderValue::from_static(kind), RequestId::of(&headers));
            let mut response = response::of_type(kind, StatusCode::OK, text.into(), &id);
            response::vary(response.headers_mut(), "accept");
            response
        }
        Err(_) => error_response(&ApiError::Internal, &headers),
    }
}

/// Whether a client prefers OpenMetrics. Without a preference it gets the older format.
fn prefers_open_metrics(headers: &HeaderMap) -> bool {
    let quality = |name: &str| {
        let named = accept::entries(headers, ACCEPT).filter(|entry| entry.is(name));
        let known = named.filter(|entry| {
            entry.parameter("version").is_none_or(|version| KNOWN_VERSIONS.contains(&version))
        });
        known.map(|entry| entry.quality).fold(0.0, f32::max)
    };
    let open_metrics = quality("application/openmetrics-text");
    open_metrics > 0.0 && open_metrics >= quality("text/plain")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_metrics_is_sent_to_those_that_prefer_it() {
        let prefers = |accept: &'static str| {
            prefers_open_metrics(&HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]))
        };
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;\
                          q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        for accept in [
            prometheus,
            "application/openmetrics-text",
            "Application/OpenMetrics-Text; version=1.0.0",
            "text/plain, application/openmetrics-text",
        ] {
            assert!(prefers(accept), "{accept}");
        }
        for accept in [
            "",
            "*/*",
            "text/plain",
            "text/html",
            "application/openmetrics-text;q=0",
            "application/openmetrics-text;q=0.2,text/plain;q=0.9",
            "application/openmetrics-text;version=2.0.0",
        ] {
            assert!(!prefers(accept), "{accept}");
        }
    }
}
