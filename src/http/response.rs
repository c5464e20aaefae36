//! Responses with the headers that all of them share.

use axum::body::Body;
use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, ETAG,
    HeaderMap, HeaderValue, RETRY_AFTER, VARY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};

use super::caller::{RequestId, X_REQUEST_ID};
use super::encoded::Encoded;
use super::etags;
use crate::domain::error::ApiError;
use crate::request_log;

/// The content type of JSON.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// The content type of HTML.
pub const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// A JSON response.
pub fn json(status: StatusCode, body: Bytes, id: &RequestId) -> Response<Body> {
    of_type(JSON, status, body, id)
}

/// A plain text response.
pub fn text(status: StatusCode, body: Bytes, id: &RequestId) -> Response<Body> {
    of_type(HeaderValue::from_static("text/plain; charset=utf-8"), status, body, id)
}

/// An HTML response.
pub fn html(status: StatusCode, body: Bytes, id: &RequestId) -> Response<Body> {
    of_type(HTML, status, body, id)
}

/// A response without a body.
pub fn empty(status: StatusCode, id: &RequestId) -> Response<Body> {
    let mut response = text(status, Bytes::new(), id);
    response.headers_mut().remove(CONTENT_TYPE);
    response
}

/// A response with another content type.
pub fn of_type(kind: HeaderValue, status: StatusCode, body: Bytes, id: &RequestId) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = head(kind, id);
    response
}

/// Room for the headers that are added here, by the endpoints (quotas) and by hyper (length, date).
const MAX_HEADERS: usize = 12;

/// The headers of every response.
pub fn head(kind: HeaderValue, id: &RequestId) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(MAX_HEADERS);
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_REQUEST_ID, id.header());
    headers
}

/// The content of a document.
#[derive(Clone)]
pub enum DocumentBody {
    /// Made for one request, and sent as it is.
    Once(Bytes),
    /// Kept for all requests, and compressed for clients that take it.
    Kept(Encoded),
    /// Kept from now on, and sent as it is this time: it may never be asked for again.
    New(Encoded),
}

/// A document that clients may cache and revalidate by its tag.
#[derive(Clone)]
pub struct CachedDocument {
    /// Its content type.
    pub kind: HeaderValue,
    /// Its content.
    pub body: DocumentBody,
    /// Its `etag`, quotes included. Every version of every document has another one.
    pub tag: HeaderValue,
    /// The value of `cache-control`.
    pub keep: HeaderValue,
}

/// Responds with a document, or with 304 if the client has it.
pub fn cached(headers: &HeaderMap, document: CachedDocument, id: &RequestId) -> Response<Body> {
    let CachedDocument { kind, body, tag, keep } = document;
    let (coding, varies) = match &body {
        DocumentBody::Once(_) => (None, false),
        DocumentBody::New(document) => (None, document.varies()),
        DocumentBody::Kept(document) => (document.coding(headers), document.varies()),
    };
    let tag = coding.map_or(tag.clone(), |coding| etags::in_coding(&tag, coding.name()));
    let (status, body) = match etags::matches(headers, &tag) {
        true => (StatusCode::NOT_MODIFIED, Bytes::new()),
        false => match body {
            DocumentBody::Once(body) => (StatusCode::OK, body),
            DocumentBody::Kept(document) | DocumentBody::New(document) => {
                (StatusCode::OK, document.in_coding(coding))
            }
        },
    };
    let is_sent = status == StatusCode::OK;
    let mut response = of_type(kind, status, body, id);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, keep);
    headers.insert(ETAG, tag);
    if varies {
        vary(headers, "accept-encoding");
    }
    if let Some(coding) = coding.filter(|_| is_sent) {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    response
}

/// Names headers that an answer depends on, behind those that are named already: in one line, because some clients read
/// only one of several.
pub(super) fn vary(headers: &mut HeaderMap, names: &'static str) {
    let known = headers
        .get(VARY)
        .and_then(|known| HeaderValue::try_from(format!("{}, {names}", known.to_str().ok()?)).ok());
    headers.insert(VARY, known.unwrap_or(HeaderValue::from_static(names)));
}

/// Lets the pages of any origin read a response.
pub(super) fn open(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// An error response, with the headers that its status requires.
pub fn error(error: &ApiError, id: &RequestId) -> Response<Body> {
    let details = error.details();
    request_log::refused(details.code);
    let status = StatusCode::from_u16(details.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = json(status, error.body(id.as_str()).into(), id);
    let headers = response.headers_mut();
    if let Some(seconds) = details.retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    match error {
        ApiError::MissingKey | ApiError::ConflictingKeys { .. } | ApiError::InvalidToken { .. } => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"candango\""));
        }
        ApiError::InvalidKey | ApiError::AccountBlocked => {
            let challenge = HeaderValue::from_static("Bearer realm=\"candango\", error=\"invalid_token\"");
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        ApiError::WrongToken => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Token realm=\"candango\""));
        }
        ApiError::MethodNotAllowed { allow } => {
            headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        // The rest of the request may still arrive and must not be read as the next request.
        ApiError::InvalidHead
        | ApiError::RequestTimeout
        | ApiError::BodyTooLarge { .. }
        | ApiError::Overloaded => {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::body::HttpBody;
    use http_body_util::BodyExt;
    use hyper::header::IF_NONE_MATCH;

    use super::*;

    fn length(response: &Response<Body>) -> Option<u64> {
        response.body().size_hint().exact()
    }

    #[test]
    fn a_document_that_the_client_has_is_answered_with_304() {
        let answered = |known: Option<&'static str>| -> Response<Body> {
            let mut asked = HeaderMap::new();
            known.map(|known| asked.insert(IF_NONE_MATCH, HeaderValue::from_static(known)));
            let document = CachedDocument {
                kind: HeaderValue::from_static("text/plain"),
                body: DocumentBody::Once(Bytes::from_static(b"words")),
                tag: HeaderValue::from_static("\"a1\""),
                keep: HeaderValue::from_static("public, max-age=60"),
            };
            cached(&asked, document, &RequestId::new())
        };
        for known in ["\"a1\"", "W/\"a1\"", "\"z\", \"a1\"", "*"] {
            let response = answered(Some(known));
            assert_eq!((response.status().as_u16(), length(&response)), (304, Some(0)), "{known}");
            assert_eq!(response.headers()[ETAG], "\"a1\"");
        }
        for known in [None, Some("\"a2\""), Some("a1")] {
            let response = answered(known);
            assert_eq!((response.status().as_u16(), length(&response)), (200, Some(5)), "{known:?}");
            assert_eq!(response.headers()[CACHE_CONTROL], "public, max-age=60");
        }
    }

    #[tokio::test]
    async fn every_error_response_has_the_common_headers() {
        let id = RequestId::new();
        for example in ApiError::examples() {
            let response = error(&example, &id);
            let details = example.details();
            let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
            assert_eq!(response.status(), details.status);
            assert_eq!(header("x-request-id"), Some(id.as_str()));
            assert_eq!(header("content-type"), Some("application/json; charset=utf-8"));
            assert_eq!(header("cache-control"), Some("no-store"));
            assert_eq!(header("x-content-type-options"), Some("nosniff"));
            assert_eq!(header("retry-after").is_some(), details.retry_after.is_some(), "{}", details.code);
            assert_eq!(header("www-authenticate").is_some(), details.status == 401, "{}", details.code);
            assert_eq!(header("allow").is_some(), details.status == 405, "{}", details.code);
            let body = response.into_body().collect().await.expect("a body").to_bytes();
            assert!(std::str::from_utf8(&body).expect("text").contains(id.as_str()));
        }
    }
}
