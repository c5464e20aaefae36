//! `POST /v1`: takes the envelope off an ask and puts one on its answer. Uses [`super::caller`],
//! [`super::quota_headers`], [`super::response`], [`crate::dispatch`] and [`crate::sheets`].

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::State;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::header::{CONTENT_TYPE, EXPECT, HeaderMap};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use tokio::time::timeout;

use super::caller::{RequestId, SentKey};
use super::quota_headers::{self, Heads};
use super::response;
use crate::config::Config;
use crate::dispatch::{Answered, Dispatcher};
use crate::domain::error::ApiError;
use crate::sheets;

/// So much of a body that is refused is taken all the same and thrown away, in that time: most clients send all of it
/// before they listen, and would find the connection broken instead of being told why.
const MOST_WASTE: u64 = 16 * 1024 * 1024;
const WASTE_TIME: Duration = Duration::from_secs(2);

/// What the door of `/v1` knows. Clones share it.
#[derive(Clone)]
pub struct Door(Arc<Inner>);

struct Inner {
    rooms: Arc<Dispatcher>,
    heads: Heads,
    /// The longest body it reads.
    body_bytes: usize,
}

impl Door {
    /// Opens the door.
    pub fn new(config: &Config, rooms: Arc<Dispatcher>) -> Door {
        let heads = Heads::new(&config.plans);
        Door(Arc::new(Inner { rooms, heads, body_bytes: config.limits.body_bytes.get() }))
    }
}

/// Answers an ask that came by the table of routes.
pub async fn ask(State(door): State<Door>, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let id = RequestId::of(&head.headers);
    answer(&door, &head, body, &id).await
}

/// Answers an ask that is named `id`.
pub async fn answer<B: From<Bytes>>(
    Door(door): &Door,
    head: &Parts,
    body: impl HttpBody<Data = Bytes> + Unpin,
    id: &RequestId,
) -> Response<B> {
    let answered = match read(&head.headers, body, door.body_bytes).await {
        Ok(body) => {
            let sent = SentKey::among(&head.headers).map(|key| key.map(SentKey::as_bytes));
            door.rooms.ask(sent, &body).await
        }
        Err(refusal) => Answered { answer: Err(refusal), standing: None },
    };
    match (answered.answer, answered.standing) {
        (Ok(body), Some((row, standing))) => {
            door.heads.answer(row.plan, &standing, sheets::written(body), id)
        }
        (Ok(body), None) => response::json(StatusCode::OK, sheets::written(body), id),
        (Err(refusal), standing) => {
            let mut response = response::refusal(&refusal, id);
            if let Some((row, standing)) = standing {
                quota_headers::tell(response.headers_mut(), &row, &standing);
            }
            response
        }
    }
}

/// The body, when it is declared as JSON (or as nothing) and not too long. What is refused is still taken, within bounds,
/// so that its sender hears of it.
pub(super) async fn read(
    headers: &HeaderMap,
    mut body: impl HttpBody<Data = Bytes> + Unpin,
    max_bytes: usize,
) -> Result<Bytes, ApiError> {
    let read = accept(headers, &mut body, max_bytes).await;
    if read.is_err() {
        pass_over(headers, body).await;
    }
    read
}

/// Takes the rest of a body that is refused for nothing, within bounds.
pub(super) async fn pass_over(headers: &HeaderMap, mut body: impl HttpBody<Data = Bytes> + Unpin) {
    // who waits to be asked for a body has not sent it
    if headers.contains_key(EXPECT) || body.size_hint().lower() > MOST_WASTE {
        return;
    }
    let waste = async {
        let mut wasted = 0;
        while wasted < MOST_WASTE
            && let Some(Ok(frame)) = body.frame().await
        {
            wasted += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
    };
    let _ = Box::pin(timeout(WASTE_TIME, waste)).await;
}

async fn accept(
    headers: &HeaderMap,
    body: &mut (impl HttpBody<Data = Bytes> + Unpin),
    max_bytes: usize,
) -> Result<Bytes, ApiError> {
    if headers.get(CONTENT_TYPE).is_some_and(|kind| !is_json(kind.as_bytes())) {
        return Err(ApiError::UnsupportedMediaType);
    }
    let declared = body.size_hint().lower();
    if declared > max_bytes as u64 {
        return Err(ApiError::BodyTooLarge { max_bytes });
    }
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    // a body that has come whole says so, and need not be asked for its end
    while !body.is_end_stream()
        && let Some(frame) = body.frame().await
    {
        // a transfer that breaks off leaves nobody to tell
        let Ok(data) = frame.map_err(|_| ApiError::RequestTimeout)?.into_data() else { continue };
        if first.len() + all.len() + data.len() > max_bytes {
            return Err(ApiError::BodyTooLarge { max_bytes });
        }
        // nearly every body comes in one piece, and is not copied
        if first.is_empty() && all.is_empty() {
            first = data;
        } else {
            all.extend_from_slice(&std::mem::take(&mut first));
            all.extend_from_slice(&data);
        }
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

/// `application/json` or a kind of JSON, with or without parameters.
fn is_json(kind: &[u8]) -> bool {
    if kind == b"application/json" {
        return true;
    }
    let essence = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    essence.eq_ignore_ascii_case(b"application/json")
        || (essence.len() > 5 && essence[essence.len() - 5..].eq_ignore_ascii_case(b"+json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_by_its_essence() {
        for json in ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"] {
            assert!(is_json(json.as_bytes()), "{json}");
        }
        for other in ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "+json"] {
            assert!(!is_json(other.as_bytes()), "{other}");
        }
    }
}
