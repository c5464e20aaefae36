//! `/positions.json`: the positions of the snapshot in service, for download. They may have a licence that asks for it.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use axum::body::Body;
use hyper::header::HeaderValue;
use hyper::{HeaderMap, Response};

use super::CACHE_CONTROL;
use crate::domain::error::ApiError;
use crate::http::caller::RequestId;
use crate::http::encoded::Encoded;
use crate::http::error_response;
use crate::http::response::{self, CachedDocument, DocumentBody, open};
use crate::serving::Serving;

/// The download, with the file of the snapshot in service in each encoding.
pub(super) struct Download {
    serving: Serving,
    /// The file that was asked for last, and its tag.
    kept: ArcSwapOption<(String, Encoded)>,
}

impl Download {
    pub(super) fn new(serving: Serving) -> Download {
        Download { serving, kept: ArcSwapOption::empty() }
    }

    /// The file, or why there is none.
    pub(super) fn answer(&self, headers: &HeaderMap) -> Response<Body> {
        self.file(headers).unwrap_or_else(|error| error_response(&error, headers))
    }

    fn file(&self, headers: &HeaderMap) -> Result<Response<Body>, ApiError> {
        let snapshot = self.serving.current().ok_or(ApiError::NoGuide)?;
        let file = snapshot.positions.as_ref().ok_or(ApiError::NotFound)?;
        let kept = match self.kept.load_full().filter(|kept| kept.0 == file.tag) {
            Some(kept) => kept,
            None => {
                let kept = Arc::new((file.tag.clone(), Encoded::from(file.json.clone())));
                self.kept.store(Some(kept.clone()));
                kept
            }
        };
        let document = CachedDocument {
            kind: HeaderValue::from_static("application/json; charset=utf-8"),
            body: DocumentBody::Kept(kept.1.clone()),
            tag: HeaderValue::try_from(&file.tag).unwrap_or(HeaderValue::from_static("\"-\"")),
            keep: CACHE_CONTROL,
        };
        Ok(open(response::cached(headers, document, &RequestId::of(headers))))
    }
}
