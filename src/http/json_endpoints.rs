//! What the account and billing endpoints share: how a request is read, and how an answer is written and
//! counted.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::middleware::Next;
use bytes::Bytes;
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::Serialize;

use super::body::BodyReader;
use super::caller::{Peer, RequestId, sent_key};
use super::quota_headers::QuotaHeaders;
use super::response;
use crate::actions::{Param, Params};
use crate::config::Config;
use crate::dispatch::{Admission, Dispatcher};
use crate::domain::error::ApiError;
use crate::metrics::Series;
use crate::quota::keys::Caller;
use crate::request_log;

/// The fields that all these answers have, around those of one endpoint.
#[derive(Serialize, JsonSchema)]
// the description of the component is that of the endpoint's own type
#[schemars(rename = "{T}", description = "")]
pub(super) struct Answer<T> {
    /// Always true.
    ok: bool,
    #[serde(flatten)]
    fields: T,
    /// The fields that were sent and ignored, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// The body of an answer.
pub(super) fn ok(fields: impl Serialize, warnings: Vec<String>) -> Result<Bytes, ApiError> {
    json(&Answer { ok: true, fields, warnings })
}

/// An answer as JSON. Its types always serialise; if one did not, the fault would be ours.
pub(super) fn json(answer: &impl Serialize) -> Result<Bytes, ApiError> {
    serde_json::to_vec(answer).map(Bytes::from).map_err(|_| ApiError::Internal)
}

/// Names the fields that the endpoint does not use, so that a misspelt one is noticed.
pub(super) fn warnings(params: &Params<'_>, known: &[&Param]) -> Vec<String> {
    params
        .ignored(|name| known.iter().any(|param| param.is_called(name)))
        .map(|name| format!("{name} is not a parameter and was ignored"))
        .collect()
}

/// Writes an answer or an error.
pub(super) fn respond(result: Result<Bytes, ApiError>, id: &RequestId) -> Response<Body> {
    match result {
        Ok(body) => response::json(StatusCode::OK, body, id),
        Err(error) => response::error(&error, id),
    }
}

/// Wraps a route: counts its answers and the time they take.
pub(super) async fn count(
    State(series): State<Series>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let began = Instant::now();
    let response = next.run(request).await;
    series.answered(response.status().as_u16(), began.elapsed());
    response
}

/// Names in the error about a missing parameter what was sent instead and is not `known`: it may be misspelt.
fn with_unknown(error: ApiError, params: &Params<'_>, known: &[&Param]) -> ApiError {
    match error {
        ApiError::MissingParam { param, example, .. } => {
            let is_known = |name: &str| known.iter().any(|param| param.is_called(name));
            let unknown = params.ignored(is_known).map(str::to_owned).collect();
            ApiError::MissingParam { param, example, unknown }
        }
        other => other,
    }
}

/// Reads requests and answers them, with and without a key. Whoever holds a key is under the limit of owners and not
/// under that of the plan: an owner must be able to act while somebody else uses up the plan with a leaked key, and to
/// order a larger one.
pub(super) struct JsonEndpoints {
    dispatcher: Arc<Dispatcher>,
    quota_headers: QuotaHeaders,
    bodies: Arc<BodyReader>,
    trusted_proxies: Vec<IpNet>,
}

impl JsonEndpoints {
    pub(super) fn new(
        config: &Config,
        dispatcher: Arc<Dispatcher>,
        bodies: Arc<BodyReader>,
    ) -> JsonEndpoints {
        JsonEndpoints {
            dispatcher,
            quota_headers: QuotaHeaders::new(config),
            bodies,
            trusted_proxies: config.trusted_proxies.clone(),
        }
    }

    /// The reader of bodies, for forms.
    pub(super) fn bodies(&self) -> &BodyReader {
        &self.bodies
    }

    /// The address of the client that sent a request.
    pub(super) fn client(&self, head: &Parts) -> IpAddr {
        Peer::noted(&head.extensions).client(&head.headers, &self.trusted_proxies)
    }

    /// The body of a request.
    pub(super) async fn read(&self, head: &Parts, body: Body) -> Result<Bytes, ApiError> {
        self.bodies.read_json(&head.headers, Peer::noted(&head.extensions), body).await
    }

    /// Answers a request that needs no key and has these parameters.
    pub(super) async fn answer(
        &self,
        request: Request<Body>,
        known: &[&Param],
        answer: impl AsyncFnOnce(&Parts, &Params<'_>) -> Result<Bytes, ApiError>,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let result = async {
            let body = self.read(&head, body).await?;
            let params = Params::parse(&body)?;
            answer(&head, &params).await.map_err(|error| with_unknown(error, &params, known))
        };
        respond(result.await, &RequestId::of(&head.headers))
    }

    /// Answers a request that needs a key and has these parameters. An empty body counts as one without any.
    pub(super) async fn answer_caller(
        &self,
        request: Request<Body>,
        known: &[&Param],
        answer: impl AsyncFnOnce(&Caller, &Parts, &Params<'_>) -> Result<Bytes, ApiError>,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let body = match self.read(&head, body).await {
            Ok(body) if body.trim_ascii().is_empty() => Bytes::from_static(b"{}"),
            Ok(body) => body,
            Err(error) => return respond(Err(error), &RequestId::of(&head.headers)),
        };
        match Params::parse(&body) {
            Ok(params) => {
                let answer = async |caller: &Caller| {
                    let answer = answer(caller, &head, &params).await;
                    answer.map_err(|error| with_unknown(error, &params, known))
                };
                self.answer_key(&head, answer).await
            }
            Err(error) => respond(Err(error.into()), &RequestId::of(&head.headers)),
        }
    }

    /// Answers the holder of the key in the headers, with the headers of their quotas.
    pub(super) async fn answer_key(
        &self,
        head: &Parts,
        answer: impl AsyncFnOnce(&Caller) -> Result<Bytes, ApiError>,
    ) -> Response<Body> {
        let moment = self.dispatcher.clock.moment();
        let headers = &head.headers;
        let client = self.client(head);
        let Admission { caller, permit } =
            match self.dispatcher.admit_owner(sent_key(headers), client, moment).await {
                Ok(admission) => admission,
                Err(error) => return respond(Err(error), &RequestId::of(headers)),
            };
        request_log::sent_by(caller.clone());
        let result = match permit {
            Ok(()) => answer(&caller).await,
            Err(error) => Err(error),
        };
        let is_refused = result == Err(ApiError::AccountBlocked);
        let mut response = respond(result, &RequestId::of(headers));
        if is_refused {
            return response;
        }
        let (plan, status) = self.dispatcher.gate.plan_and_quota(&caller, moment);
        self.quota_headers.insert(response.headers_mut(), plan, &status);
        response
    }
}
