//! The doors: they know HTTP and decide nothing. All routes are on this page.

pub mod accounts;
pub mod billing;
pub mod caller;
pub mod docs;
pub mod html;
pub mod mcp;
pub mod ops;
pub mod origins;
pub mod quota_headers;
pub mod response;
pub mod sandbox;
pub mod server;
pub mod site;
pub mod v1;

use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get, post};
use futures_util::future::BoxFuture;
use hyper::body::Incoming;
use hyper::header::{HeaderMap, ORIGIN};
use hyper::{Method, Request, Response};

use crate::domain::error::ApiError;
use caller::{Peer, RequestId};
use html::Language;
use origins::Origins;
use server::{Answerer, Sent};

/// The public routes.
pub fn routes(
    v1: v1::Door,
    accounts: accounts::Accounts,
    billing: billing::Billing,
    mcp: mcp::Door,
    docs: docs::Docs,
    site: site::Door,
    origins: Arc<Origins>,
) -> Router {
    let shared = from_fn_with_state(origins, origins::share);
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
        .layer(shared.clone())
        .route("/webhooks/asaas", only("POST", post(billing::webhook)))
        .route("/sandbox/{order}", only("GET, HEAD, POST", get(sandbox::show).post(sandbox::press)))
        .with_state(billing);
    Router::new()
        .route("/v1", only("POST", post(v1::ask)))
        .layer(shared)
        .with_state(v1)
        .merge(account_routes)
        .merge(mcp::routes(mcp))
        .merge(billing_routes)
        .merge(docs::routes(docs))
        .merge(site::routes(site))
}

/// A route that refuses every other method.
fn only<S: Clone + Send + Sync + 'static>(allow: &'static str, route: MethodRouter<S>) -> MethodRouter<S> {
    route.fallback(async move |headers: HeaderMap| refused(&ApiError::MethodNotAllowed { allow }, &headers))
}

fn refused(refusal: &ApiError, headers: &HeaderMap) -> Response<Body> {
    response::refusal(refusal, &RequestId::of(headers))
}

/// The table of routes, and the busiest doors, for which there is a shorter way.
pub struct HttpApp {
    /// Every route.
    pub routes: Router,
    /// The door of `/v1`.
    pub v1: v1::Door,
    /// The door of `/mcp`.
    pub mcp: mcp::Door,
    /// The door of the site: of its front pages, where people search.
    pub site: site::Door,
}

/// The doors as they are met over one connection: each request that goes through the table of routes carries its
/// [`Peer`].
pub struct ConnectionService {
    doors: Arc<HttpApp>,
    peer: Peer,
}

impl ConnectionService {
    /// The doors as `peer` meets them.
    pub fn by(peer: SocketAddr, doors: Arc<HttpApp>) -> ConnectionService {
        ConnectionService { doors, peer: Peer(peer.ip()) }
    }
}

impl Answerer for ConnectionService {
    fn answer(
        &self,
        mut request: Request<Incoming>,
        id: RequestId,
    ) -> impl Future<Output = Response<Sent>> + Send {
        let ConnectionService { doors, peer } = self;
        // Nearly all that is ever asked comes to three doors. The table of routes and what it notes with a request cost
        // a tenth of an answer, so what is plainly for one of them is handed in there. What a browser asks of `/v1` on
        // behalf of a page takes the usual way.
        let answering: BoxFuture<'_, Response<Sent>> = match request.uri().path() {
            "/v1" if request.method() == Method::POST && !request.headers().contains_key(ORIGIN) => {
                let (head, body) = request.into_parts();
                Box::pin(async move { v1::answer(&doors.v1, &head, body, &id).await.map(Sent::Left) })
            }
            "/mcp" => {
                let (head, body) = request.into_parts();
                Box::pin(
                    async move { mcp::answer(&doors.mcp, &head, body, *peer, &id).await.map(Sent::Left) },
                )
            }
            path @ ("/" | "/en") if request.method() == Method::GET => {
                let language = if path == "/" { Language::Portuguese } else { Language::English };
                let (head, _) = request.into_parts();
                Box::pin(ready(site::front(&doors.site, language, &head, *peer).map(Sent::Right)))
            }
            _ => {
                request.extensions_mut().insert(*peer);
                Box::pin(Answerer::answer(&doors.routes, request, id))
            }
        };
        answering
    }
}
