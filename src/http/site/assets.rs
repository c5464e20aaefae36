//! What pages are drawn with: a style, a script that they do well without, and pictures, all within the program. Uses
//! [`super::super::response`] and [`super::super::caller`].

use axum::body::Body;
use bytes::Bytes;
use hyper::header::{ACCESS_CONTROL_ALLOW_ORIGIN, HeaderMap, HeaderValue};
use hyper::{Request, Response};
use sha2::{Digest, Sha256};

use super::super::caller::RequestId;
use super::super::response::{self, CachedDocument};

/// A file of the site.
#[derive(Clone, Copy)]
pub(super) struct Asset {
    /// Where it is asked for.
    pub(super) path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

pub(super) const STYLE: Asset = Asset {
    path: "/assets/style.css",
    kind: "text/css; charset=utf-8",
    bytes: include_bytes!("assets/style.css"),
};

pub(super) const SCRIPT: Asset = Asset {
    path: "/assets/site.js",
    kind: "text/javascript; charset=utf-8",
    bytes: include_bytes!("assets/site.js"),
};

/// All of them.
pub(super) const ALL: [Asset; 5] = [
    STYLE,
    SCRIPT,
    Asset { path: "/favicon.svg", kind: "image/svg+xml", bytes: include_bytes!("assets/favicon.svg") },
    Asset { path: "/favicon.ico", kind: "image/x-icon", bytes: include_bytes!("assets/favicon.ico") },
    Asset { path: "/assets/preview.png", kind: "image/png", bytes: include_bytes!("assets/preview.png") },
];

impl Asset {
    /// What tells it from another state of it.
    pub(super) fn mark(&self) -> String {
        Sha256::digest(self.bytes).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Answers with it. Pages ask for style and script by their marks, and browsers for the rest now and then.
    pub(super) fn give(&self, tag: &HeaderValue, request: &Request<Body>) -> Response<Body> {
        let keep = match request.uri().query() {
            Some(_) => HeaderValue::from_static("public, max-age=31536000, immutable"),
            None => HeaderValue::from_static("public, max-age=86400"),
        };
        let headers: &HeaderMap = request.headers();
        let document = CachedDocument {
            kind: HeaderValue::from_static(self.kind),
            body: Bytes::from_static(self.bytes),
            tag: tag.clone(),
            keep,
        };
        let mut response = response::kept(headers, document, &RequestId::of(headers));
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        response
    }
}
