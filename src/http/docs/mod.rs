//! The documents for programs: `/openapi.json`, `/llms.txt` and `/llms-full.txt`. They are rendered once, from the
//! tables of actions, endpoints, plans and errors and from the types of answers, so that they match the code.
//! `/positions.json` is part of the snapshot in service.

mod endpoints;
mod enums;
mod llms;
mod openapi;
mod positions;
pub(in crate::http) mod schema;
mod webhooks;

pub use openapi::openapi;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use hyper::header::{HeaderValue, LINK};
use hyper::{HeaderMap, Response};
use serde_json::Value;

use super::caller::RequestId;
use super::etags;
use super::links::service_links;
use super::response::{self, CachedDocument, DocumentBody, open};
use crate::config::Config;
use crate::serving::Serving;

/// How long clients may cache the documents, which change with the version or the configuration of the service.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=300");

fn render(content_type: &'static str, body: String) -> CachedDocument {
    let tag = etags::of_content(&body);
    let kind = HeaderValue::from_static(content_type);
    CachedDocument { kind, body: DocumentBody::Kept(body.into()), tag, keep: CACHE_CONTROL }
}

/// The routes of the documents, rendered; `api` is the result of [`openapi`].
pub fn routes(config: &Config, api: &Value, serving: Serving) -> Router {
    const TEXT: &str = "text/plain; charset=utf-8";
    let documents = [
        ("/openapi.json", render("application/json; charset=utf-8", api.to_string())),
        ("/llms.txt", render(TEXT, llms::short(config))),
        ("/llms-full.txt", render(TEXT, llms::full(config))),
    ];
    let links = service_links(config);
    let linked = links.clone();
    let download = Arc::new(positions::Download::new(serving));
    let positions = async move |headers: HeaderMap| -> Response<Body> {
        let mut response = download.answer(&headers);
        response.headers_mut().insert(LINK, linked);
        response
    };
    let router = Router::new().route("/positions.json", super::only("GET, HEAD", get(positions)));
    documents.into_iter().fold(router, |router, (path, document)| {
        let links = links.clone();
        let answer = async move |headers: HeaderMap| -> Response<Body> {
            let mut response = open(response::cached(&headers, document, &RequestId::of(&headers)));
            response.headers_mut().insert(LINK, links);
            response
        };
        router.route(path, super::only("GET, HEAD", get(answer)))
    })
}
