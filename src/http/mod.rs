//! The doors: they know HTTP and decide nothing. All routes are on this page.

pub mod accounts;
pub mod billing;
pub mod caller;
pub mod docs;
pub mod html;
pub mod limits;
pub mod mcp;
pub mod ops;
pub mod origins;
pub mod reply;
pub mod sandbox;
pub mod server;
pub mod site;
pub mod v1;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::middleware::from_fn_with_state;
use axum::routing::future::RouteFuture;
use axum::routing::{MethodRouter, get, post};
use hyper::body::Incoming;
use hyper::{HeaderMap, Request, Response};
use tower_service::Service;

use crate::refusal::Refusal;
use caller::{Peer, RequestId};

/// The public routes.
pub fn routes(
    v1: v1::Door,
    accounts: accounts::Door,
    billing: billing::Door,
    mcp: mcp::Door,
    docs: docs::Door,
    site: site::Door,
) -> Router {
    let shared = from_fn_with_state(v1.origins.clone(), origins::share);
    let account_routes = Router::new()
        .route("/v1/plans", only("GET, HEAD", get(accounts::plans)))
        .route("/v1/signup", only("POST", post(accounts::sign_up)))
        .route("/v1/keys/rotate", only("POST", post(accounts::rotate)))
        .route("/v1/keys/recover", only("POST", post(accounts::recover)))
        .route("/v1/keys/recover/confirm", only("POST", post(accounts::confirm)))
        .layer(shared.clone())
        .with_state(accounts);
    let billing_routes = Router::new()
        .route("/v1/billing/checkout", only("POST", post(billing::checkout)))
        .route("/v1/billing/status", only("POST", post(billing::status)))
        .route("/v1/billing/cancel", only("POST", post(billing::cancel)))
        .layer(shared)
        .route("/webhooks/asaas", only("POST", post(billing::notice)))
        .route("/sandbox/{order}", only("GET, HEAD, POST", get(sandbox::show).post(sandbox::press)))
        .with_state(billing);
    Router::new()
        .route("/v1", only("POST", post(v1::ask).options(v1::preflight)))
        .with_state(v1)
        .merge(account_routes)
        .merge(mcp::routes(mcp))
        .merge(billing_routes)
        .merge(docs::routes(docs))
        .merge(site::routes(site))
}

/// A route that refuses every other method.
fn only<S: Clone + Send + Sync + 'static>(allow: &'static str, route: MethodRouter<S>) -> MethodRouter<S> {
    route.fallback(async move |headers: HeaderMap| refused(&Refusal::MethodNotAllowed { allow }, &headers))
}

fn refused(refusal: &Refusal, headers: &HeaderMap) -> Response<Body> {
    reply::refusal(refusal, &RequestId::of(headers))
}

/// The routes as they are met over one connection: each request carries its [`Peer`].
#[derive(Clone)]
pub struct Met {
    routes: Router,
    peer: Peer,
}

impl Met {
    /// The routes as `peer` meets them.
    pub fn by(peer: SocketAddr, routes: Router) -> Met {
        Met { routes, peer: Peer(peer.ip()) }
    }
}

impl Service<Request<Incoming>> for Met {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = RouteFuture<Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Incoming>) -> RouteFuture<Infallible> {
        request.extensions_mut().insert(self.peer);
        self.routes.call(request)
    }
}
