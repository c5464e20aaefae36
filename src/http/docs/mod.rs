//! The documents for programs: `/openapi.json`, `/llms.txt` and `/llms-full.txt`. They are rendered once, from the tables
//! of actions, endpoints, plans and errors and from the types of answers, so that they match the code.

mod endpoints;
mod llms;
mod openapi;
pub(in crate::http) mod schema;

pub use openapi::openapi;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::{MethodRouter, get};
use data_encoding::HEXLOWER;
use hyper::header::{ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue, LINK};
use hyper::{HeaderMap, Response};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::caller::RequestId;
use super::links::service_links;
use super::response::{self, CachedDocument};
use crate::config::Config;

/// How long clients may cache the documents, which change with the version or the configuration of the service.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// The rendered documents.
pub struct Docs {
    openapi: CachedDocument,
    llms: CachedDocument,
    llms_full: CachedDocument,
    links: HeaderValue,
}

fn render(content_type: &'static str, body: String) -> CachedDocument {
    let etag = HEXLOWER.encode(&Sha256::digest(&body)[..8]);
    let tag = HeaderValue::from_str(&format!("\"{etag}\"")).unwrap_or(HeaderValue::from_static("\"-\""));
    let kind = HeaderValue::from_static(content_type);
    CachedDocument { kind, body: body.into(), tag, keep: CACHE_CONTROL }
}

impl Docs {
    /// Renders the documents; `api` is the result of [`openapi`].
    pub fn new(config: &Config, api: &Value) -> Docs {
        const TEXT: &str = "text/plain; charset=utf-8";
        Docs {
            openapi: render("application/json; charset=utf-8", api.to_string()),
            llms: render(TEXT, llms::short(config)),
            llms_full: render(TEXT, llms::full(config)),
            links: service_links(config),
        }
    }
}

/// The routes of the documents.
pub fn routes(docs: Docs) -> Router {
    Router::new()
        .route("/openapi.json", document(|docs| &docs.openapi))
        .route("/llms.txt", document(|docs| &docs.llms))
        .route("/llms-full.txt", document(|docs| &docs.llms_full))
        .with_state(Arc::new(docs))
}

fn document(which: fn(&Docs) -> &CachedDocument) -> MethodRouter<Arc<Docs>> {
    let answer = async move |State(docs): State<Arc<Docs>>, headers: HeaderMap| -> Response<Body> {
        let mut response = response::cached(&headers, which(&docs).clone(), &RequestId::of(&headers));
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(LINK, docs.links.clone());
        response
    };
    super::only("GET, HEAD", get(answer))
}
