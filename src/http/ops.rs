//! The operator's door: does the process live, is it ready, what has it counted. It listens apart from the
//! public one. Uses [`crate::http::caller`], [`crate::http::response`], [`crate::metrics`] and [`crate::domain::error`].

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::get;
use bytes::Bytes;
use hyper::{HeaderMap, Response, StatusCode};
use serde::Serialize;

use super::caller::RequestId;
use super::response;
use crate::domain::error::ApiError;
use crate::metrics::Metrics;

/// Whether the service is ready, and with what.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Readiness {
    /// The snapshot in service; the service is ready once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotInService>,
    /// Why the last snapshot that was published is not in service, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_error: Option<String>,
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

/// Tells how things stand, each time it is asked.
pub type AskReadiness = Arc<dyn Fn() -> Readiness + Send + Sync>;

/// The pages of the operator's door.
pub fn router(metrics: Metrics, readiness: AskReadiness) -> Router {
    Router::new()
        .route("/healthz", get(lives))
        .route("/readyz", get(ready))
        .route("/metrics", get(counted))
        .fallback(async |headers: HeaderMap| refused(&ApiError::NotFound, &headers))
        .method_not_allowed_fallback(async |headers: HeaderMap| {
            refused(&ApiError::MethodNotAllowed { allow: "GET, HEAD" }, &headers)
        })
        .with_state(Door { metrics, readiness })
}

#[derive(Clone)]
struct Door {
    metrics: Metrics,
    readiness: AskReadiness,
}

fn refused(refusal: &ApiError, headers: &HeaderMap) -> Response<Body> {
    response::refusal(refusal, &RequestId::of(headers))
}

async fn lives(headers: HeaderMap) -> Response<Body> {
    response::text(StatusCode::OK, Bytes::from_static(b"alive\n"), &RequestId::of(&headers))
}

async fn ready(State(door): State<Door>, headers: HeaderMap) -> Response<Body> {
    #[derive(Serialize)]
    struct Page {
        status: &'static str,
        #[serde(flatten)]
        readiness: Readiness,
    }
    let readiness = (door.readiness)();
    let (code, status) = match readiness.snapshot {
        Some(_) => (StatusCode::OK, "ready"),
        None => (StatusCode::SERVICE_UNAVAILABLE, "waiting for a guide"),
    };
    match serde_json::to_vec(&Page { status, readiness }) {
        Ok(body) => response::json(code, body.into(), &RequestId::of(&headers)),
        Err(_) => refused(&ApiError::Internal, &headers),
    }
}

async fn counted(State(door): State<Door>, headers: HeaderMap) -> Response<Body> {
    match door.metrics.text() {
        Ok(text) => response::text(StatusCode::OK, text.into(), &RequestId::of(&headers)),
        Err(_) => refused(&ApiError::Internal, &headers),
    }
}
