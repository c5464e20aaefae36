//! HTTP: the routes and what their endpoints share. Endpoints read requests and write responses; they decide nothing.

mod accept;
pub mod accounts;
mod address_limit;
pub mod billing;
pub mod body;
mod calendar;
mod calendar_entry;
pub mod caller;
mod client_stream;
pub(crate) mod connection;
mod connection_timer;
mod distinct;
pub mod docs;
pub mod encoded;
mod etags;
pub mod export;
mod formats;
mod framing;
pub mod html;
mod json_endpoints;
pub mod language;
mod links;
pub mod mcp;
mod network_budget;
mod open_connections;
pub mod ops;
pub mod origins;
pub mod quota_headers;
mod recurrence;
pub mod resources;
pub mod response;
mod sandbox_access;
pub mod server;
mod shared_work;
pub mod site;
pub mod v1;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::MatchedPath;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{MethodRouter, get, post};
use futures_util::future::BoxFuture;
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::service::Service;
use hyper::{Method, Request, Response, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::domain::error::ApiError;
use crate::metrics::Metrics;
use crate::request_log;
use accept::names_html;
use caller::{Peer, RequestId};
use mcp::Mcp;
use origins::{CorsScope, Origins};
use v1::V1;

/// The public endpoints. `/v1` and `/mcp` take nearly all requests; axum's router and the extensions that it adds to a
/// request would cost 8 % of an answer, so these two are matched before it.
pub struct HttpApp {
    /// `/v1`.
    pub v1: V1,
    /// `/mcp`.
    pub mcp: Arc<Mcp>,
    /// Which web pages may call.
    pub origins: Arc<Origins>,
    /// All other paths; see [`router`].
    pub router: Router,
}

impl HttpApp {
    async fn handle(&self, mut request: Request<Incoming>, peer: Peer) -> Response<Body> {
        match request.uri().path() {
            "/v1" => {
                request_log::routed("/v1");
                self.origins
                    .with_cors(request, CorsScope::OfTokens, |request| self.v1.handle(request, peer))
                    .await
            }
            "/mcp" => {
                request_log::routed("/mcp");
                self.mcp.handle(request, peer).await
            }
            // the routes with a parameter would answer it with plain text
            path if percent_decode_str(path).decode_utf8().is_err() => {
                let is_page = matches!(*request.method(), Method::GET | Method::HEAD);
                let is_page = is_page && names_html(request.headers());
                let Some(uri) = readable(path).filter(|_| is_page) else {
                    return error_response(&ApiError::NotFound, request.headers());
                };
                *request.uri_mut() = uri;
                self.routed(request, peer).await
            }
            _ => self.routed(request, peer).await,
        }
    }

    async fn routed(&self, mut request: Request<Incoming>, peer: Peer) -> Response<Body> {
        request.extensions_mut().insert(peer);
        match tower_service::Service::call(&mut self.router.clone(), request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// The path with the mark of what cannot be read in place of what is no text, so that the page for an unknown one is
/// found in its language: no record has it in its id. None for what is not of the site.
fn readable(path: &str) -> Option<Uri> {
    /// What stands in a path as it is.
    const KEPT: AsciiSet = NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    if ["/v1", "/mcp"].iter().any(|start| path.starts_with(start)) {
        return None;
    }
    let text = percent_decode_str(path).decode_utf8_lossy();
    utf8_percent_encode(&text, &KEPT).to_string().parse().ok()
}

/// The endpoints as one connection reaches them.
pub struct ConnectionService {
    app: Arc<HttpApp>,
    peer: Peer,
}

impl ConnectionService {
    /// The service of a connection from `peer`.
    pub fn new(app: Arc<HttpApp>, peer: SocketAddr) -> ConnectionService {
        ConnectionService { app, peer: Peer(peer.ip()) }
    }
}

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (app, peer) = (self.app.clone(), self.peer);
        Box::pin(async move { Ok(app.handle(request, peer).await) })
    }
}

/// What the routes of [`router`] lead to.
pub struct RouterParts {
    /// The endpoints of accounts.
    pub accounts: Arc<accounts::Accounts>,
    /// Orders and the webhook of the payment gateway.
    pub billing: Arc<billing::Billing>,
    /// What describes `/mcp`.
    pub mcp: Arc<Mcp>,
    /// The routes that read the guide by address, and the documents.
    pub guide: Router,
    /// The site.
    pub site: Arc<site::Site>,
    /// Which web pages may call.
    pub origins: Arc<Origins>,
}

/// All routes but `/v1` and `/mcp`.
pub fn router(parts: RouterParts, metrics: &Metrics) -> Router {
    let RouterParts { accounts, billing, mcp, guide, site, origins } = parts;
    let no_foreign = from_fn_with_state(origins.clone(), origins::refuse_foreign);
    let keyless = |route: MethodRouter<_>| route.route_layer(no_foreign.clone());
    let cors = from_fn_with_state(origins, origins::share);
    let accounts = Router::new()
        .merge(counted(metrics, "/v1/plans", "GET, HEAD", get(accounts::plans)))
        .merge(counted(metrics, "/v1/signup", "POST", keyless(post(accounts::sign_up))))
        .merge(counted(metrics, "/v1/keys/rotate", "POST", post(accounts::rotate)))
        .merge(counted(metrics, "/v1/keys/recover", "POST", keyless(post(accounts::recover))))
        .merge(counted(metrics, "/v1/keys/recover/confirm", "POST", keyless(post(accounts::confirm))))
        .layer(cors.clone())
        .with_state(accounts);
    let billing = Router::new()
        .merge(counted(metrics, "/v1/billing/checkout", "POST", post(billing::checkout)))
        .merge(counted(metrics, "/v1/billing/status", "POST", post(billing::status)))
        .merge(counted(metrics, "/v1/billing/cancel", "POST", post(billing::cancel)))
        .layer(cors)
        .merge(counted(metrics, "/webhooks/asaas", "POST", post(billing::webhook)))
        .with_state(billing);
    let routes = accounts.merge(billing).merge(mcp::routes(mcp)).merge(guide).merge(site::routes(site));
    routes.layer(from_fn(note_route))
}

/// Notes the path by which a request was routed, for its line in the log; never the path that was sent.
async fn note_route(path: Option<MatchedPath>, request: Request<Body>, next: Next) -> Response<Body> {
    if let Some(path) = path {
        request_log::routed(path.as_str().to_owned());
    }
    next.run(request).await
}

/// A path whose answers are counted.
fn counted<S: Clone + Send + Sync + 'static>(
    metrics: &Metrics,
    path: &'static str,
    allow: &'static str,
    route: MethodRouter<S>,
) -> Router<S> {
    let count = from_fn_with_state(metrics.series(path, "none"), json_endpoints::count);
    Router::new().route(path, only(allow, route.route_layer(count)))
}

/// A route that answers other methods with 405.
fn only<S: Clone + Send + Sync + 'static>(allow: &'static str, route: MethodRouter<S>) -> MethodRouter<S> {
    route.fallback(async move |request: Request<Body>| {
        let (head, body) = request.into_parts();
        body::discard(&head.headers, body).await;
        error_response(&ApiError::MethodNotAllowed { allow }, &head.headers)
    })
}

fn error_response(error: &ApiError, headers: &HeaderMap) -> Response<Body> {
    response::error(error, &RequestId::of(headers))
}
