//! Request bodies: read within limits, or discarded so that the client learns why its request was refused.

use std::time::Duration;

use axum::body::HttpBody;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::header::{CONTENT_TYPE, EXPECT, HeaderMap};
use tokio::time::timeout;

use crate::domain::error::ApiError;

/// How much of a refused body is read and discarded, and for how long. Most clients send the whole body before they read
/// the answer, and would find the connection reset instead of the error.
const MAX_DISCARDED_BYTES: u64 = 16 * 1024 * 1024;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// Reads a body that is declared as JSON, or not declared, and has at most `max_bytes`.
pub(super) async fn read(
    headers: &HeaderMap,
    mut body: impl HttpBody<Data = Bytes> + Unpin,
    max_bytes: usize,
) -> Result<Bytes, ApiError> {
    let read = read_json(headers, &mut body, max_bytes).await;
    if read.is_err() {
        discard(headers, body).await;
    }
    read
}

/// Reads the rest of a refused body and drops it, within limits.
pub(super) async fn discard(headers: &HeaderMap, mut body: impl HttpBody<Data = Bytes> + Unpin) {
    // A client that sent `expect: 100-continue` has not sent the body yet.
    if headers.contains_key(EXPECT) || body.size_hint().lower() > MAX_DISCARDED_BYTES {
        return;
    }
    let discarding = async {
        let mut discarded = 0;
        while discarded < MAX_DISCARDED_BYTES
            && let Some(Ok(frame)) = body.frame().await
        {
            discarded += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
    };
    let _ = Box::pin(timeout(DISCARD_TIMEOUT, discarding)).await;
}

async fn read_json(
    headers: &HeaderMap,
    body: &mut (impl HttpBody<Data = Bytes> + Unpin),
    max_bytes: usize,
) -> Result<Bytes, ApiError> {
    if headers.get(CONTENT_TYPE).is_some_and(|kind| !is_json(kind.as_bytes())) {
        return Err(ApiError::UnsupportedMediaType);
    }
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(ApiError::BodyTooLarge { max_bytes });
    }
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while !body.is_end_stream()
        && let Some(frame) = body.frame().await
    {
        // The client is gone when its transfer breaks off, so the error reaches nobody.
        let Ok(data) = frame.map_err(|_| ApiError::RequestTimeout)?.into_data() else { continue };
        if first.len() + all.len() + data.len() > max_bytes {
            return Err(ApiError::BodyTooLarge { max_bytes });
        }
        // Nearly every body comes in one piece, which needs no copy.
        if first.is_empty() && all.is_empty() {
            first = data;
        } else {
            all.extend_from_slice(&std::mem::take(&mut first));
            all.extend_from_slice(&data);
        }
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

/// Whether a content type is `application/json` or ends in `+json`, with or without parameters.
fn is_json(content_type: &[u8]) -> bool {
    let essence = content_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    essence.eq_ignore_ascii_case(b"application/json")
        || (essence.len() > 5 && essence[essence.len() - 5..].eq_ignore_ascii_case(b"+json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_recognized_by_the_essence_of_its_media_type() {
        for json in ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"] {
            assert!(is_json(json.as_bytes()), "{json}");
        }
        for other in ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "+json"] {
            assert!(!is_json(other.as_bytes()), "{other}");
        }
    }
}
