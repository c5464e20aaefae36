//! `/positions.json`: the positions of the snapshot in service, for download. They may have a licence that asks for it.

use axum::body::Body;
use hyper::header::HeaderValue;
use hyper::{HeaderMap, Response};

use super::CACHE_CONTROL;
use crate::domain::error::ApiError;
use crate::http::caller::RequestId;
use crate::http::error_response;
use crate::http::response::{self, CachedDocument, DocumentBody, open};
use crate::serving::Serving;

/// The file, or why there is none.
pub(super) fn answer(serving: &Serving, headers: &HeaderMap) -> Response<Body> {
    download(serving, headers).unwrap_or_else(|error| error_response(&error, headers))
}

fn download(serving: &Serving, headers: &HeaderMap) -> Result<Response<Body>, ApiError> {
    let snapshot = serving.current().ok_or(ApiError::NoGuide)?;
    let file = snapshot.positions.as_ref().ok_or(ApiError::NotFound)?;
    let document = CachedDocument {
        kind: HeaderValue::from_static("application/json; charset=utf-8"),
        body: DocumentBody::Once(file.json.clone()),
        tag: HeaderValue::try_from(&file.tag).unwrap_or(HeaderValue::from_static("\"-\"")),
        keep: CACHE_CONTROL,
    };
    Ok(open(response::cached(headers, document, &RequestId::of(headers))))
}
