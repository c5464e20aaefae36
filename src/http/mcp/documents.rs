//! The documents that `/mcp` publishes about itself: server card, registry entry, catalog, icons.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::any;
use bytes::Bytes;
use hyper::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

use super::super::caller::RequestId;
use super::super::{origins, response};
use super::{Mcp, about};
use crate::domain::error::ApiError;

/// The routes of the documents, and of the places where clients look for OAuth.
pub fn routes(mcp: Arc<Mcp>) -> Router {
    Router::new()
        .route("/mcp/server-card", any(server_card))
        .route("/mcp/server.json", any(registry))
        .route("/mcp/icon.svg", any(icon_svg))
        .route("/mcp/icon.png", any(icon_png))
        .route("/.well-known/ai-catalog.json", any(catalog))
        .route("/.well-known/{*path}", any(no_oauth))
        .route("/mcp/.well-known/{*path}", any(no_oauth))
        .route("/register", any(no_oauth))
        .with_state(mcp)
}

async fn server_card(State(mcp): State<Arc<Mcp>>, request: Request<Body>) -> Response<Body> {
    document("application/mcp-server-card+json", mcp.about.server_card.clone(), &request)
}

async fn registry(State(mcp): State<Arc<Mcp>>, request: Request<Body>) -> Response<Body> {
    document("application/json; charset=utf-8", mcp.about.registry.clone(), &request)
}

async fn catalog(State(mcp): State<Arc<Mcp>>, request: Request<Body>) -> Response<Body> {
    document("application/ai-catalog+json", mcp.about.catalog.clone(), &request)
}

async fn icon_svg(request: Request<Body>) -> Response<Body> {
    document("image/svg+xml", Bytes::from_static(about::ICON_SVG), &request)
}

async fn icon_png(request: Request<Body>) -> Response<Body> {
    document("image/png", Bytes::from_static(about::ICON_PNG), &request)
}

/// A document that any page may read and cache for an hour.
fn document(kind: &'static str, bytes: Bytes, request: &Request<Body>) -> Response<Body> {
    let id = RequestId::of(request.headers());
    let mut response = match *request.method() {
        Method::GET | Method::HEAD => {
            let mut response = response::of_type(HeaderValue::from_static(kind), StatusCode::OK, bytes, &id);
            let an_hour = HeaderValue::from_static("public, max-age=3600");
            response.headers_mut().insert(CACHE_CONTROL, an_hour);
            response
        }
        Method::OPTIONS => origins::preflight("GET, HEAD", &id),
        _ => response::error(&ApiError::MethodNotAllowed { allow: "GET, HEAD" }, &id),
    };
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// A client that got 401 may look for OAuth; JSON says that there is none.
async fn no_oauth(State(mcp): State<Arc<Mcp>>, request: Request<Body>) -> Response<Body> {
    let id = RequestId::of(request.headers());
    let mut response = match *request.method() {
        Method::OPTIONS => origins::preflight("GET, POST", &id),
        _ => response::json(StatusCode::NOT_FOUND, mcp.about.no_oauth.clone(), &id),
    };
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}
