//! The operator's listener, apart from the public one: `/healthz`, `/readyz` and `/metrics`.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::get;
use bytes::Bytes;
use hyper::{HeaderMap, Response, StatusCode};
use serde::Serialize;

use super::caller::RequestId;
use super::{error_response, response};
use crate::domain::error::ApiError;
use crate::metrics::Metrics;

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
}

impl Readiness {
    fn status(&self) -> (StatusCode, &'static str) {
        if !self.failed_tasks.is_empty() {
            (StatusCode::SERVICE_UNAVAILABLE, "a background task has failed")
        } else if self.snapshot.is_none() {
            (StatusCode::SERVICE_UNAVAILABLE, "waiting for a snapshot")
        } else {
            (StatusCode::OK, "ready")
        }
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
        .route("/metrics", get(metrics_text))
        .fallback(async |headers: HeaderMap| error_response(&ApiError::NotFound, &headers))
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

async fn healthz(headers: HeaderMap) -> Response<Body> {
    response::text(StatusCode::OK, Bytes::from_static(b"alive\n"), &RequestId::of(&headers))
}

async fn readyz(State(state): State<OpsState>, headers: HeaderMap) -> Response<Body> {
    #[derive(Serialize)]
    struct Page {
        status: &'static str,
        #[serde(flatten)]
        readiness: Readiness,
    }
    let readiness = (state.readiness)();
    let (code, status) = readiness.status();
    match serde_json::to_vec(&Page { status, readiness }) {
        Ok(body) => response::json(code, body.into(), &RequestId::of(&headers)),
        Err(_) => error_response(&ApiError::Internal, &headers),
    }
}

async fn metrics_text(State(state): State<OpsState>, headers: HeaderMap) -> Response<Body> {
    match state.metrics.text() {
        Ok(text) => response::text(StatusCode::OK, text.into(), &RequestId::of(&headers)),
        Err(_) => error_response(&ApiError::Internal, &headers),
    }
}
