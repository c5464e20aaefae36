//! The site: the guide for people, in Portuguese at `/` and in English at `/en`. This file routes its pages, which need
//! neither scripts nor any other host.

mod agents;
mod assets;
mod components;
mod form_fields;
mod guide_pages;
mod home;
mod i18n;
mod layout;
mod page_cache;
mod page_data;
mod plans;
mod prose;
mod record;
mod record_view;
mod reference;
mod results;
mod schema_org;
mod schema_reference;
mod search_form;
mod search_query;
mod signup;
mod sitemap;
mod state;
mod submissions;
mod tags;
pub(super) mod texts;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::routing::get;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response};
use url::form_urlencoded;

use super::caller::Peer;
use super::language::Language;
use super::response::open;
use super::{error_response, only};
use crate::actions::Records;
use crate::domain::error::ApiError;
use form_fields::Submitted;
use layout::localized;
pub use state::Site;

/// The routes of all pages in each language, of their assets, and the page for every other path.
pub fn routes(site: Arc<Site>) -> Router {
    let mut router = Router::new();
    for language in Language::ALL {
        router = router.merge(pages(language));
    }
    for asset in assets::ALL {
        let serve = async move |request: Request<Body>| asset.serve(&request);
        router = router.route(asset.path, only("GET, HEAD", get(serve)));
    }
    router
        .route("/robots.txt", only("GET, HEAD", get(robots)))
        .route("/sitemap.xml", only("GET, HEAD", get(sitemap)))
        .route("/sitemap/{file}", only("GET, HEAD", get(sitemap_file)))
        .fallback(not_found)
        .with_state(site)
}

fn pages(language: Language) -> Router<Arc<Site>> {
    let at = |path: &str| localized(language, path);
    let record = |records: Records| {
        let serve =
            async move |State(site): State<Arc<Site>>, Path(id): Path<String>, request: Request<Body>| {
                site.record(language, records, &id, &request)
            };
        only("GET, HEAD", get(serve))
    };
    let front = async move |State(site): State<Arc<Site>>, head: Parts| {
        site.front(language, &head, Peer::noted(&head.extensions))
    };
    let plans = async move |State(site): State<Arc<Site>>, request| plans_page(&site, language, &request);
    let checkout = async move |State(site): State<Arc<Site>>, request| site.checkout(language, request).await;
    let fixed = async move |State(site): State<Arc<Site>>, request| static_page(&site, language, &request);
    let sign_up = async move |State(site): State<Arc<Site>>, request| site.sign_up(language, request).await;
    let operation =
        async move |State(site): State<Arc<Site>>, Path(id): Path<String>, request: Request<Body>| {
            let page = site.static_page(&localized(language, &format!("/api/{id}")), &request);
            page.unwrap_or_else(|| site.not_found(language, request.headers()))
        };
    let mut router = Router::new();
    if language == Language::English {
        // people add the slash
        router = router.route("/en/", only("GET, HEAD", get(front)));
    }
    router
        .route(&at("/"), only("GET, HEAD", get(front)))
        .route(&at("/place/{id}"), record(Records::Places))
        .route(&at("/event/{id}"), record(Records::Events))
        .route(&at("/plans"), only("GET, HEAD, POST", get(plans).post(checkout)))
        .route(&at("/signup"), only("GET, HEAD, POST", get(fixed).post(sign_up)))
        .route(&at("/signup/sent"), only("GET, HEAD", get(fixed)))
        .route(&at("/agents"), only("GET, HEAD", get(fixed)))
        .route(&at("/api"), only("GET, HEAD", get(fixed)))
        .route(&at("/api/{operation}"), only("GET, HEAD", get(operation)))
}

/// A page that does not depend on a snapshot.
fn static_page(site: &Site, language: Language, request: &Request<Body>) -> Response<Body> {
    let started = Instant::now();
    let Some(response) = site.static_page(request.uri().path(), request) else {
        return site.not_found(language, request.headers());
    };
    site.dispatcher.count_page(response.status().as_u16(), started);
    response
}

/// Plans and prices, with the plan that the query names selected in the form.
fn plans_page(site: &Site, language: Language, request: &Request<Body>) -> Response<Body> {
    let query = request.uri().query().unwrap_or_default().as_bytes();
    let Some((_, plan)) = form_urlencoded::parse(query).find(|(name, _)| name == "plan") else {
        return static_page(site, language, request);
    };
    let submitted = Submitted { values: vec![("plan", &plan)], error: None };
    let page = plans::page(site.layout(language), &site.plans, &submitted);
    let tag = site.static_tag(&format!("{}?{plan}", request.uri().path()));
    site.cached_page(page.into(), tag, request.headers())
}

async fn robots(State(site): State<Arc<Site>>, request: Request<Body>) -> Response<Body> {
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    let tag = site.static_tag("/robots.txt");
    open(site.cached(kind, site.robots.clone(), tag, request.headers()))
}

async fn sitemap(State(site): State<Arc<Site>>, head: Parts) -> Response<Body> {
    site.sitemap(None, &head).await
}

async fn sitemap_file(
    State(site): State<Arc<Site>>,
    Path(file): Path<String>,
    head: Parts,
) -> Response<Body> {
    match file.strip_suffix(".xml").and_then(|number| number.parse().ok()) {
        Some(number) => site.sitemap(Some(number), &head).await,
        None => error_response(&ApiError::NotFound, &head.headers),
    }
}

/// Browsers get a page, and clients of the API get JSON.
async fn not_found(State(site): State<Arc<Site>>, request: Request<Body>) -> Response<Body> {
    let path = request.uri().path();
    let is_under =
        |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if is_under("/v1") || is_under("/mcp") || !accepts_html(request.headers()) {
        return error_response(&ApiError::NotFound, request.headers());
    }
    let language = if is_under("/en") { Language::English } else { Language::Portuguese };
    site.not_found(language, request.headers())
}

fn accepts_html(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    lines.any(|line| line.contains("text/html"))
}
