//! `POST /v1`: takes the envelope off an ask and puts one on its answer. Uses [`super::caller`],
//! [`super::limits`], [`super::origins`], [`super::reply`] and [`crate::dispatch`].

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::header::{CONTENT_TYPE, HeaderMap, ORIGIN};
use hyper::{Request, Response, StatusCode};

use super::caller::{RequestId, SentKey};
use super::origins::Origins;
use super::{limits, reply};
use crate::dispatch::{Answered, Rooms};
use crate::refusal::Refusal;

/// What the door of `/v1` knows.
#[derive(Clone)]
pub struct Door {
    /// Where asks are answered.
    pub rooms: Arc<Rooms>,
    /// The longest body it reads.
    pub body_bytes: usize,
    /// Whose web pages may read the answers.
    pub origins: Arc<Origins>,
}

/// Answers an ask.
pub async fn ask(State(door): State<Door>, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let id = RequestId::of(&head.headers);
    let answered = match read(&head.headers, body, door.body_bytes).await {
        Ok(body) => {
            let sent = SentKey::among(&head.headers).map(|key| key.map(SentKey::as_bytes));
            door.rooms.ask(sent, &body).await
        }
        Err(refusal) => Answered { answer: Err(refusal), standing: None },
    };
    let mut response = match answered.answer {
        Ok(body) => reply::json(StatusCode::OK, body.into(), &id),
        Err(refusal) => reply::refusal(&refusal, &id),
    };
    if let Some((row, standing)) = answered.standing {
        limits::tell(response.headers_mut(), &row, &standing);
    }
    door.origins.open(head.headers.get(ORIGIN), response.headers_mut());
    response
}

/// Answers a browser that asks beforehand whether a page may ask.
pub async fn preflight(State(door): State<Door>, headers: HeaderMap) -> Response<Body> {
    let refused = || reply::refusal(&Refusal::MethodNotAllowed { allow: "POST" }, &RequestId::of(&headers));
    door.origins.preflight(&headers, "POST").unwrap_or_else(refused)
}

/// The body, when it is declared as JSON (or as nothing) and not too long.
pub(super) async fn read(headers: &HeaderMap, mut body: Body, max_bytes: usize) -> Result<Bytes, Refusal> {
    if headers.get(CONTENT_TYPE).is_some_and(|kind| !is_json(kind.as_bytes())) {
        return Err(Refusal::UnsupportedMediaType);
    }
    let declared = hyper::body::Body::size_hint(&body).lower();
    if declared > max_bytes as u64 {
        return Err(Refusal::BodyTooLarge { max_bytes });
    }
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        // a transfer that breaks off leaves nobody to tell
        let Ok(data) = frame.map_err(|_| Refusal::RequestTimeout)?.into_data() else { continue };
        if first.len() + all.len() + data.len() > max_bytes {
            return Err(Refusal::BodyTooLarge { max_bytes });
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
