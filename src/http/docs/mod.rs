//! The documents for programs: `/openapi.json`, and `/llms.txt` with its long form `/llms-full.txt`. They are rendered
//! once, from the configuration and from what actions, parameters, answers, plans and refusals tell of themselves, so
//! that they say what the code does.
//!
//! This file is the door; `openapi` and `llms` are the documents, `endpoints` is the list that both are made of, and
//! `schema` the schemas, which the tools of agents are made of too. Uses [`super::response`], [`crate::config`] and the
//! tables.

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
use bytes::Bytes;
use hyper::header::{ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue, LINK};
use hyper::{HeaderMap, Response};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::caller::RequestId;
use super::response::{self, CachedDocument};
use crate::config::Config;

/// How long the documents may be kept: they change with a new version of the service, or a new setting.
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// What the door of the documents knows. Clones share it.
#[derive(Clone)]
pub struct Docs(Arc<Inner>);

struct Inner {
    openapi: Document,
    llms: Document,
    llms_full: Document,
    links: HeaderValue,
}

/// A document, rendered.
struct Document {
    kind: HeaderValue,
    body: Bytes,
    tag: HeaderValue,
}

impl Document {
    fn new(kind: &'static str, body: String) -> Document {
        let digest = Sha256::digest(&body);
        let tag: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let tag = HeaderValue::from_str(&format!("\"{tag}\"")).unwrap_or(HeaderValue::from_static("\"-\""));
        Document { kind: HeaderValue::from_static(kind), body: body.into(), tag }
    }
}

impl Docs {
    /// Renders the documents; `api` is what [`openapi`] made.
    pub fn new(config: &Config, api: &Value) -> Docs {
        const TEXT: &str = "text/plain; charset=utf-8";
        Docs(Arc::new(Inner {
            openapi: Document::new("application/json; charset=utf-8", api.to_string()),
            llms: Document::new(TEXT, llms::short(config)),
            llms_full: Document::new(TEXT, llms::full(config)),
            links: links(config),
        }))
    }
}

/// Where a client finds what describes the service (RFC 8631), as the header `link` says it.
pub fn links(config: &Config) -> HeaderValue {
    let base = config.base_url.as_str();
    let links = format!(
        "<{base}/openapi.json>; rel=\"service-desc\"; type=\"application/json\", \
         <{base}/api>; rel=\"service-doc\"; type=\"text/html\", \
         <{base}/llms.txt>; rel=\"describedby\"; type=\"text/plain\""
    );
    // an address is ASCII without blanks, and fits
    HeaderValue::from_str(&links).unwrap_or(HeaderValue::from_static(""))
}

/// The documents' routes.
pub fn routes(door: Docs) -> Router {
    Router::new()
        .route("/openapi.json", document(|door| &door.openapi))
        .route("/llms.txt", document(|door| &door.llms))
        .route("/llms-full.txt", document(|door| &door.llms_full))
        .with_state(door)
}

fn document(which: fn(&Inner) -> &Document) -> MethodRouter<Docs> {
    let answer = async move |State(Docs(door)): State<Docs>, headers: HeaderMap| -> Response<Body> {
        let Document { kind, body, tag } = which(&door);
        let kept = CachedDocument { kind: kind.clone(), body: body.clone(), tag: tag.clone(), keep: KEEP };
        let mut response = response::kept(&headers, kept, &RequestId::of(&headers));
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(LINK, door.links.clone());
        response
    };
    super::only("GET, HEAD", get(answer))
}
