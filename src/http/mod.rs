//! The doors: they know HTTP and decide nothing. All routes are on this page.

pub mod caller;
pub mod limits;
pub mod ops;
pub mod reply;
pub mod server;
pub mod v1;

use axum::Router;
use axum::routing::post;
use hyper::HeaderMap;

use crate::refusal::Refusal;
use caller::RequestId;

/// The public routes.
pub fn routes(v1: v1::Door) -> Router {
    Router::new()
        .route(
            "/v1",
            post(v1::ask).fallback(async |headers: HeaderMap| {
                reply::refusal::<axum::body::Body>(
                    &Refusal::MethodNotAllowed { allow: "POST" },
                    &RequestId::of(&headers),
                )
            }),
        )
        .with_state(v1)
        .fallback(async |headers: HeaderMap| {
            reply::refusal::<axum::body::Body>(&Refusal::NotFound, &RequestId::of(&headers))
        })
}
