//! `/mcp`: the guide for AI agents, by the Model Context Protocol (Streamable HTTP, stateless).
//!
//! This file reads a message and answers it. `era` knows the versions of the protocol, `jsonrpc` the envelopes;
//! `tools`, `resources` and `prompts` are what agents use; `about` and `documents` describe the endpoint.

mod about;
mod documents;
mod era;
mod jsonrpc;
mod prompts;
mod refusal;
mod resources;
mod tools;

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::header::{ACCEPT, ALLOW, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use ipnet::IpNet;

use super::body::BodyReader;
use super::caller::{Peer, RequestId, sent_key};
use super::origins::{self, NotAllowed, Origins};
use super::resources::refuse_keys;
use super::{accept, body, response};
use crate::actions::Value;
use crate::config::Config;
use crate::dispatch::{Credentials, Dispatcher};
use crate::domain::error::ApiError;
use crate::request_log;
use about::About;
pub use documents::routes;
use era::Era;
use jsonrpc::{Fault, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Id, METHOD_NOT_FOUND, RpcMessage};
use refusal::Refusal;

/// The endpoint `/mcp`.
pub struct Mcp {
    dispatcher: Arc<Dispatcher>,
    about: About,
    origins: Arc<Origins>,
    trusted_proxies: Vec<IpNet>,
    bodies: Arc<BodyReader>,
}

/// The format of a response.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    /// One server-sent event.
    Event,
}

/// The answer to a message.
struct RpcReply {
    status: StatusCode,
    /// A JSON-RPC message; `None` answers a notification.
    body: Option<Bytes>,
    /// Whether the dispatcher has counted the request with its action.
    counted: bool,
}

impl RpcReply {
    fn result(body: impl Into<Bytes>, counted: bool) -> RpcReply {
        RpcReply { status: StatusCode::OK, body: Some(body.into()), counted }
    }

    fn fault(status: StatusCode, id: Id, fault: &Fault) -> RpcReply {
        RpcReply { status, body: Some(jsonrpc::error(id, fault).into()), counted: false }
    }
}

/// The HTTP status of a fault. The older versions report all faults in the message alone.
fn status(modern: bool, fault: &Fault) -> StatusCode {
    match (modern, fault.code) {
        (false, _) => StatusCode::OK,
        (true, METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        (true, INTERNAL_ERROR) => StatusCode::INTERNAL_SERVER_ERROR,
        (true, _) => StatusCode::BAD_REQUEST,
    }
}

/// JSON when the client accepts it, however much it prefers events; `None` when it accepts neither.
fn format(headers: &HeaderMap) -> Option<Format> {
    if accept::entries(headers, ACCEPT).next().is_none() {
        return Some(Format::Json);
    }
    let [json, event] = ["application/json", "text/event-stream"]
        .map(|media_type| accept::type_quality(headers, media_type).unwrap_or(0.0));
    match json > 0.0 {
        true => Some(Format::Json),
        false => (event > 0.0).then_some(Format::Event),
    }
}

impl Mcp {
    /// The endpoint of this dispatcher.
    pub fn new(
        config: &Config,
        dispatcher: Arc<Dispatcher>,
        origins: Arc<Origins>,
        bodies: Arc<BodyReader>,
    ) -> Mcp {
        Mcp {
            dispatcher,
            about: About::new(config),
            origins,
            trusted_proxies: config.trusted_proxies.clone(),
            bodies,
        }
    }

    /// Answers a request.
    pub async fn handle<B: HttpBody<Data = Bytes> + Unpin>(
        &self,
        request: Request<B>,
        peer: Peer,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let id = RequestId::of(&head.headers);
        let origin = match self.origins.check(&head) {
            Ok(origin) => origin,
            Err(not_allowed) => {
                body::discard(&head.headers, body).await;
                let message = match not_allowed {
                    NotAllowed::Origin => "Ask from an allowed origin: this one is not in allowed_origins.",
                    NotAllowed::Host => "Ask for an allowed host: this one is not in allowed_hosts.",
                };
                return self.refuse(StatusCode::FORBIDDEN, message, &id);
            }
        };
        let mut response = match head.method {
            Method::POST => self.post(&head, body, peer, &id).await,
            Method::OPTIONS => origins::preflight("POST", &id),
            _ => {
                body::discard(&head.headers, body).await;
                self.method_not_allowed(&head.headers, &id)
            }
        };
        if let Some(origin) = origin {
            origins::allow(origin, response.headers_mut());
        }
        response
    }

    /// Answers a message: body, key, message, in this order.
    async fn post<B: HttpBody<Data = Bytes> + Unpin>(
        &self,
        head: &Parts,
        body: B,
        peer: Peer,
        id: &RequestId,
    ) -> Response<Body> {
        let began = Instant::now();
        let read = self.bodies.read_json(&head.headers, peer, body).await;
        let Some(format) = format(&head.headers) else {
            let message = "Accept application/json, text/event-stream or both.";
            self.dispatcher.counters.count_message(406, began);
            return self.refuse(StatusCode::NOT_ACCEPTABLE, message, id);
        };
        // an address with a key would get the preview, as if there were no key
        let body = match refuse_keys(head.uri.query()).and(read) {
            Ok(body) => body,
            Err(error) => {
                let details = error.details();
                self.dispatcher.counters.count_message(details.status, began);
                let mut response = response::error(&error, id);
                let fault = Fault::new(INVALID_REQUEST, details.message);
                *response.body_mut() = Body::from(jsonrpc::error(Id::UNKNOWN, &fault));
                return response;
            }
        };
        let message = jsonrpc::read(&body);
        let asker = match self.dispatcher.holder(sent_key(&head.headers)).await {
            Ok(Some(caller)) => Ok(Credentials::Caller(caller)),
            Ok(None) => Ok(Credentials::Visitor(peer.client(&head.headers, &self.trusted_proxies))),
            Err(
                error @ (ApiError::InvalidKey | ApiError::AccountBlocked | ApiError::ConflictingKeys { .. }),
            ) => {
                self.dispatcher.counters.count_message(401, began);
                return self.unauthorized(&error, &message, format, id);
            }
            Err(error) => Err(error),
        };
        let reply = match message {
            Ok(RpcMessage::Request(request)) => {
                let its_id = request.id;
                let answered = self.request(&head.headers, request, asker, began).await;
                answered.unwrap_or_else(|(status, fault)| RpcReply::fault(status, its_id, &fault))
            }
            Ok(RpcMessage::Notification) => {
                RpcReply { status: StatusCode::ACCEPTED, body: None, counted: false }
            }
            Err((its_id, fault)) => RpcReply::fault(StatusCode::BAD_REQUEST, its_id, &fault),
        };
        if !reply.counted {
            self.dispatcher.counters.count_message(reply.status.as_u16(), began);
        }
        self.respond(reply, format, id)
    }

    /// Answers a request by its method.
    async fn request(
        &self,
        headers: &HeaderMap,
        request: jsonrpc::Request<'_>,
        asker: Result<Credentials<'_>, ApiError>,
        began: Instant,
    ) -> Result<RpcReply, (StatusCode, Fault)> {
        let modern = era::is_modern(headers, &request)?;
        let era = if modern { &self.about.modern } else { &self.about.legacy };
        let id = request.id;
        let answered = match &*request.method {
            "tools/call" => {
                let called = tools::call(&self.dispatcher, asker, *request.params, id, era, began).await;
                called.map(|result| RpcReply::result(result, true))
            }
            "resources/read" => {
                let read = resources::read(&self.dispatcher, asker, &request.params, id, era, began).await;
                match read {
                    Ok(result) => Ok(RpcReply::result(result, true)),
                    Err(Refusal::Protocol(fault)) => Err(fault),
                    Err(Refusal::Action(error)) => {
                        let fault = resources::fault(&error);
                        Ok(RpcReply { counted: true, ..RpcReply::fault(status(modern, &fault), id, &fault) })
                    }
                }
            }
            _ => self.describe(era, modern, &request).map(|result| RpcReply::result(result, false)),
        };
        answered.map_err(|fault| (status(modern, &fault), fault))
    }

    /// Answers the methods that run no action.
    fn describe(&self, era: &Era, modern: bool, request: &jsonrpc::Request) -> Result<Vec<u8>, Fault> {
        let jsonrpc::Request { id, method, params } = request;
        let with_tail = |result: serde_json::Value| {
            let text = result.to_string();
            let open = text.strip_suffix('}').unwrap_or(&text);
            jsonrpc::result(*id, &format!("{open}{}}}", era.tail))
        };
        match &**method {
            "initialize" if !modern => {
                let version = params.protocol_version.as_ref().and_then(Value::as_text).unwrap_or_default();
                Ok(jsonrpc::result(*id, self.about.initialized(version)))
            }
            "prompts/get" => Ok(with_tail(prompts::get(params.name()?, &params.arguments)?)),
            "completion/complete" => {
                let snapshot = self.dispatcher.serving.current();
                Ok(with_tail(prompts::complete(&params.argument, snapshot.as_deref())?))
            }
            method => match era.list(method) {
                Some(_) if params.cursor.is_some() => {
                    Err(Fault::new(INVALID_PARAMS, "Leave cursor out: the list has one page."))
                }
                Some(result) => Ok(jsonrpc::result(*id, result)),
                None => Err(Fault::new(METHOD_NOT_FOUND, "Method not found.")),
            },
        }
    }

    fn respond(&self, reply: RpcReply, format: Format, id: &RequestId) -> Response<Body> {
        match (reply.body, format) {
            (None, _) => response::empty(reply.status, id),
            (Some(body), Format::Json) => response::json(reply.status, body, id),
            (Some(body), Format::Event) => {
                // Messages have no line breaks: JSON escapes those of texts.
                let event = [b"event: message\ndata: ", &body[..], b"\n\n"].concat();
                let kind = HeaderValue::from_static("text/event-stream");
                response::of_type(kind, reply.status, event.into(), id)
            }
        }
    }

    /// Refuses a request before its message is read.
    fn refuse(&self, status: StatusCode, message: &'static str, id: &RequestId) -> Response<Body> {
        let fault = Fault::new(INVALID_REQUEST, message);
        self.respond(RpcReply::fault(status, Id::UNKNOWN, &fault), Format::Json, id)
    }

    /// Answers other methods: browsers get a page, clients that open a stream or end a session an error.
    fn method_not_allowed(&self, headers: &HeaderMap, id: &RequestId) -> Response<Body> {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        let mut response = if accept::names_html(headers) {
            response::html(status, self.about.page.clone(), id)
        } else {
            self.refuse(status, "Use POST: there are no streams to open and no sessions to end.", id)
        };
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, OPTIONS"));
        response
    }

    /// Refuses a key. A request with a bad key never gets the preview, and OAuth is not offered.
    fn unauthorized(
        &self,
        error: &ApiError,
        message: &Result<RpcMessage, (Id, Fault)>,
        format: Format,
        id: &RequestId,
    ) -> Response<Body> {
        let its_id = match message {
            Ok(RpcMessage::Request(request)) => request.id,
            Ok(RpcMessage::Notification) => Id::UNKNOWN,
            Err((its_id, _)) => *its_id,
        };
        request_log::refused(error.details().code);
        let fault = Fault::new(INVALID_REQUEST, tools::sentence(error));
        let mut response =
            self.respond(RpcReply::fault(StatusCode::UNAUTHORIZED, its_id, &fault), format, id);
        let challenge = HeaderValue::from_static("Bearer realm=\"candango\", error=\"invalid_token\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        response
    }
}
