//! Answers from bytes: the headers that every answer has, put on in one place.
//!
//! Answers are made for any body that can be made of bytes, so that the fast path and the routed pages share
//! them. Uses [`crate::http::caller`] and [`crate::domain::error`].

use bytes::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH,
    RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};

use super::caller::{RequestId, X_REQUEST_ID};
use crate::domain::error::ApiError;

/// The type of JSON.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// The type of pages for people.
pub const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// An answer of JSON.
pub fn json<B: From<Bytes>>(status: StatusCode, body: Bytes, id: &RequestId) -> Response<B> {
    of_type(JSON, status, body, id)
}

/// An answer of plain text.
pub fn text<B: From<Bytes>>(status: StatusCode, body: Bytes, id: &RequestId) -> Response<B> {
    of_type(HeaderValue::from_static("text/plain; charset=utf-8"), status, body, id)
}

/// A page for people.
pub fn html<B: From<Bytes>>(status: StatusCode, body: Bytes, id: &RequestId) -> Response<B> {
    of_type(HTML, status, body, id)
}

/// An answer without a body.
pub fn nothing<B: From<Bytes>>(status: StatusCode, id: &RequestId) -> Response<B> {
    let mut response = text(status, Bytes::new(), id);
    response.headers_mut().remove(CONTENT_TYPE);
    response
}

/// An answer of some other type.
pub fn of_type<B: From<Bytes>>(
    kind: HeaderValue,
    status: StatusCode,
    body: Bytes,
    id: &RequestId,
) -> Response<B> {
    let mut response = Response::new(B::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = head(kind, id);
    response
}

/// Room for what is added here, by the doors (limits) and by hyper (length, date), without growing.
pub const MOST_HEADERS: usize = 12;

/// The headers that every answer has.
pub fn head(kind: HeaderValue, id: &RequestId) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(MOST_HEADERS);
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_REQUEST_ID, id.header());
    headers
}

/// A head that is laid out once. The values that differ from answer to answer are written over what stands there, which
/// costs half of what laying out a head does.
#[derive(Debug)]
pub struct HeaderTemplate(HeaderMap);

impl HeaderTemplate {
    /// The head `rest`, with the fields `differing` from answer to answer.
    pub fn new<const N: usize>(differing: [HeaderName; N], rest: HeaderMap) -> HeaderTemplate {
        let mut head = HeaderMap::with_capacity(MOST_HEADERS);
        // they go first: a map tells its values in the order in which they were put in (held by a test)
        for name in differing {
            head.insert(name, HeaderValue::from_static(""));
        }
        head.extend(rest);
        HeaderTemplate(head)
    }

    /// The answer `body`, with these values of the fields that differ, in the order in which they were named.
    pub fn answer<B: From<Bytes>, const N: usize>(
        &self,
        values: [HeaderValue; N],
        body: Bytes,
    ) -> Response<B> {
        let mut response = Response::new(B::from(body));
        let headers = response.headers_mut();
        *headers = self.0.clone();
        // one after the other: to zip them would carry all the values about
        let mut standing = headers.values_mut();
        for value in values {
            if let Some(stands) = standing.next() {
                *stands = value;
            }
        }
        response
    }
}

/// A document that may be kept, and asked for again by its tag.
pub struct CachedDocument {
    /// What it is: the content type.
    pub kind: HeaderValue,
    /// All of it.
    pub body: Bytes,
    /// Which it is, quotes included: another document, or another state of it, has another tag.
    pub tag: HeaderValue,
    /// How it may be kept: the value of `cache-control`.
    pub keep: HeaderValue,
}

/// Answers with a document, or with 304 and without it when the asker has it already.
pub fn kept<B: From<Bytes>>(asked: &HeaderMap, document: CachedDocument, id: &RequestId) -> Response<B> {
    let CachedDocument { kind, body, tag, keep } = document;
    let (status, body) = match has(asked, tag.as_bytes()) {
        true => (StatusCode::NOT_MODIFIED, Bytes::new()),
        false => (StatusCode::OK, body),
    };
    let mut response = of_type(kind, status, body, id);
    response.headers_mut().insert(CACHE_CONTROL, keep);
    response.headers_mut().insert(ETAG, tag);
    response
}

/// Whether the asker names `tag`, or any, in `if-none-match`; a weak tag is as good (RFC 9110, 13.1.2).
pub(super) fn has(asked: &HeaderMap, tag: &[u8]) -> bool {
    fn strong(tag: &[u8]) -> &[u8] {
        tag.strip_prefix(b"W/").unwrap_or(tag)
    }
    let lines = asked.get_all(IF_NONE_MATCH).iter();
    lines
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .any(|known| known == b"*" || strong(known) == strong(tag))
}

/// A refusal, with the headers its status asks for.
pub fn refusal<B: From<Bytes>>(refusal: &ApiError, id: &RequestId) -> Response<B> {
    let told = refusal.details();
    let status = StatusCode::from_u16(told.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = json(status, refusal.body(id.as_str()).into(), id);
    let headers = response.headers_mut();
    if let Some(seconds) = told.retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    match refusal {
        ApiError::MissingKey | ApiError::ConflictingKeys => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"candango\""));
        }
        ApiError::InvalidKey => {
            let challenge = HeaderValue::from_static("Bearer realm=\"candango\", error=\"invalid_token\"");
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        ApiError::WrongToken => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Token realm=\"candango\""));
        }
        ApiError::MethodNotAllowed { allow } => {
            headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        // The rest of the request may still be on its way, and must not be read as the next one.
        ApiError::RequestTimeout | ApiError::BodyTooLarge { .. } | ApiError::Overloaded => {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_a_document_is_not_sent_it_again() {
        let answered = |known: Option<&'static str>| -> Response<Bytes> {
            let mut asked = HeaderMap::new();
            known.map(|known| asked.insert(IF_NONE_MATCH, HeaderValue::from_static(known)));
            let document = CachedDocument {
                kind: HeaderValue::from_static("text/plain"),
                body: Bytes::from_static(b"words"),
                tag: HeaderValue::from_static("\"a1\""),
                keep: HeaderValue::from_static("public, max-age=60"),
            };
            kept(&asked, document, &RequestId::new())
        };
        for known in ["\"a1\"", "W/\"a1\"", "\"z\", \"a1\"", "*"] {
            let response = answered(Some(known));
            assert_eq!((response.status().as_u16(), response.body().len()), (304, 0), "{known}");
            assert_eq!(response.headers()[ETAG], "\"a1\"");
        }
        for known in [None, Some("\"a2\""), Some("a1")] {
            let response = answered(known);
            assert_eq!((response.status().as_u16(), response.body().len()), (200, 5), "{known:?}");
            assert_eq!(response.headers()[CACHE_CONTROL], "public, max-age=60");
        }
    }

    #[test]
    fn every_answer_has_the_common_headers() {
        let id = RequestId::new();
        for refused in ApiError::examples() {
            let response: Response<Bytes> = refusal(&refused, &id);
            let told = refused.details();
            let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
            assert_eq!(response.status(), told.status);
            assert_eq!(header("x-request-id"), Some(id.as_str()));
            assert_eq!(header("content-type"), Some("application/json; charset=utf-8"));
            assert_eq!(header("cache-control"), Some("no-store"));
            assert_eq!(header("x-content-type-options"), Some("nosniff"));
            assert_eq!(header("retry-after").is_some(), told.retry_after.is_some(), "{}", told.code);
            assert_eq!(header("www-authenticate").is_some(), told.status == 401, "{}", told.code);
            assert_eq!(header("allow").is_some(), told.status == 405, "{}", told.code);
            assert!(std::str::from_utf8(response.body()).expect("text").contains(id.as_str()));
        }
    }
}
