//! `POST /v1`: reads the request, dispatches it, and adds the quota headers.

use std::sync::Arc;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::{Method, Request, Response, StatusCode};

use super::body::{self, BodyReader};
use super::caller::{Peer, RequestId, asker};
use super::quota_headers::QuotaHeaders;
use super::resources::refuse_keys;
use super::response;
use crate::config::Config;
use crate::dispatch::{ActionRequest, ActionResponse, Dispatcher};
use crate::domain::error::ApiError;
use crate::render::JsonBody;

/// The endpoint `/v1`.
pub struct V1 {
    dispatcher: Arc<Dispatcher>,
    quota_headers: QuotaHeaders,
    bodies: Arc<BodyReader>,
}

impl V1 {
    /// The endpoint of this dispatcher.
    pub fn new(config: &Config, dispatcher: Arc<Dispatcher>, bodies: Arc<BodyReader>) -> V1 {
        V1 { dispatcher, quota_headers: QuotaHeaders::new(config), bodies }
    }

    /// Answers a request.
    pub async fn handle<B: HttpBody<Data = Bytes> + Unpin>(
        &self,
        request: Request<B>,
        peer: Peer,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let id = RequestId::of(&head.headers);
        if head.method != Method::POST {
            body::discard(&head.headers, body).await;
            return response::error(&ApiError::MethodNotAllowed { allow: "POST" }, &id);
        }
        let body = self.bodies.read_json(&head.headers, peer, body).await;
        let body = refuse_keys(head.uri.query()).and(body);
        let ask = ActionRequest::v1(asker(&head.headers), body);
        let ActionResponse { result, quota } =
            self.dispatcher.answer(ask, |body: JsonBody<'_>| body.into_json()).await;
        let mut response = match result {
            Ok(json) => response::json(StatusCode::OK, json.into(), &id),
            Err(error) => response::error(&error, &id),
        };
        if let Some(quota) = quota {
            self.quota_headers.insert_left(response.headers_mut(), &quota);
        }
        response
    }
}
