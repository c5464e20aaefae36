//! The style, the optional script and the pictures of the pages, compiled into the program.

use axum::body::Body;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use hyper::header::HeaderValue;
use hyper::{Request, Response};
use sha2::{Digest, Sha256};

use crate::http::caller::RequestId;
use crate::http::encoded::Encoded;
use crate::http::response::{self, CachedDocument, DocumentBody};
use crate::http::site::layout::tags::tag;

/// A file of the site.
#[derive(Clone, Copy)]
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

pub(crate) const STYLE: Asset = Asset {
    path: "/assets/style.css",
    kind: "text/css; charset=utf-8",
    bytes: include_bytes!("assets/style.css"),
};

/// What few pages need besides.
pub(crate) const MORE_STYLE: Asset = Asset {
    path: "/assets/take.css",
    kind: "text/css; charset=utf-8",
    bytes: include_bytes!("assets/take.css"),
};

/// The style of lists in frames of other sites.
pub(crate) const EMBED_STYLE: Asset = Asset {
    path: "/assets/embed.css",
    kind: "text/css; charset=utf-8",
    bytes: include_bytes!("assets/embed.css"),
};

/// Remembers the list of the visitor.
pub(crate) const MORE_SCRIPT: Asset = Asset {
    path: "/assets/take.js",
    kind: "text/javascript; charset=utf-8",
    bytes: include_bytes!("assets/take.js"),
};

pub(crate) const SCRIPT: Asset = Asset {
    path: "/assets/site.js",
    kind: "text/javascript; charset=utf-8",
    bytes: include_bytes!("assets/site.js"),
};

pub(crate) const ALL: [Asset; 7] = [
    STYLE,
    MORE_STYLE,
    MORE_SCRIPT,
    EMBED_STYLE,
    SCRIPT,
    Asset { path: "/favicon.svg", kind: "image/svg+xml", bytes: include_bytes!("assets/favicon.svg") },
    Asset { path: "/favicon.ico", kind: "image/x-icon", bytes: include_bytes!("assets/favicon.ico") },
];

impl Asset {
    /// Changes with the content.
    pub(crate) fn version(&self) -> String {
        HEXLOWER.encode(&Sha256::digest(self.bytes)[..6])
    }

    /// The path with the version as its query, under which browsers may keep the file for a year.
    pub(crate) fn versioned_path(&self) -> String {
        format!("{}?{}", self.path, self.version())
    }

    /// Its content. Pictures are compressed as they are.
    pub(crate) fn body(&self) -> DocumentBody {
        let bytes = Bytes::from_static(self.bytes);
        match self.kind.starts_with("text/") {
            true => DocumentBody::Kept(Encoded::from(bytes)),
            false => DocumentBody::Once(bytes),
        }
    }

    pub(crate) fn serve(&self, body: DocumentBody, request: &Request<Body>) -> Response<Body> {
        let is_versioned = request.uri().query().is_some();
        let keep = if is_versioned { "public, max-age=31536000, immutable" } else { "public, max-age=86400" };
        let document = CachedDocument {
            kind: HeaderValue::from_static(self.kind),
            body,
            tag: tag(&self.bytes),
            keep: HeaderValue::from_static(keep),
        };
        response::open(response::cached(request.headers(), document, &RequestId::of(request.headers())))
    }
}
