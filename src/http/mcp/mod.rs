//! `/mcp`: the guide for AI agents, by the Model Context Protocol (Streamable HTTP). Stateless, and of both eras: that
//! which opens with `initialize` (2025-03-26 to 2025-11-25) and that which opens with nothing (2026-07-28).
//!
//! This file is the door: who may knock, in which form, with which key and in which era. What is said is in `about`,
//! what is called in `tools`, what people pick in `prompts`, the envelopes in `jsonrpc`. Uses [`super::caller`],
//! [`super::origins`] (who may knock), [`super::response`], [`super::v1`] (how a body is read), [`crate::dispatch`],
//! [`crate::sheets`], [`crate::soon`] and what they answer with.

mod about;
mod jsonrpc;
mod prompts;
mod tools;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::any;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue,
    WWW_AUTHENTICATE,
};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use ipnet::IpNet;
use serde_json::json;

use super::caller::{Peer, RequestId, SentKey, X_REQUEST_ID};
use super::origins::{self, Origins, Stranger};
use super::response::{self, HeaderTemplate};
use super::v1;
use crate::actions::{Params, Value, row};
use crate::config::Config;
use crate::dispatch::{Asker, Dispatcher, Paper};
use crate::domain::error::ApiError;
use crate::sheets;
use crate::soon::Soon;
use about::{About, Era, LEGACY, MODERN};
use jsonrpc::{
    Fault, Given, HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Id, METHOD_NOT_FOUND,
    Message, Meta, UNSUPPORTED_VERSION,
};

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The longest version of the protocol that is told back.
const MAX_VERSION: usize = 32;

/// What the door of `/mcp` knows. Clones share it.
#[derive(Clone)]
pub struct Door(Arc<Inner>);

struct Inner {
    rooms: Arc<Dispatcher>,
    about: About,
    origins: Origins,
    trusted_proxies: Vec<IpNet>,
    body_bytes: usize,
    /// The head of nearly every answer.
    head: HeaderTemplate,
}

impl Door {
    /// Opens the door.
    pub fn new(config: &Config, rooms: Arc<Dispatcher>) -> Door {
        Door(Arc::new(Inner {
            rooms,
            about: About::new(config),
            origins: Origins::new(config),
            trusted_proxies: config.trusted_proxies.clone(),
            body_bytes: config.limits.body_bytes.get(),
            head: HeaderTemplate::new([X_REQUEST_ID], response::head(response::JSON, &RequestId::new())),
        }))
    }
}

/// What the endpoint publishes about itself, and the places where others look for OAuth. The endpoint itself needs no
/// table: see [`answer`].
pub fn routes(door: Door) -> Router {
    Router::new()
        .route("/mcp/server-card", any(server_card))
        .route("/mcp/server.json", any(registry))
        .route("/mcp/icon.svg", any(icon_svg))
        .route("/mcp/icon.png", any(icon_png))
        .route("/.well-known/ai-catalog.json", any(catalog))
        .route("/.well-known/{*path}", any(no_oauth))
        .route("/mcp/.well-known/{*path}", any(no_oauth))
        .route("/register", any(no_oauth))
        .with_state(door)
}

async fn server_card(State(Door(door)): State<Door>, request: Request<Body>) -> Response<Body> {
    published("application/mcp-server-card+json", door.about.server_card.clone(), &request)
}

async fn registry(State(Door(door)): State<Door>, request: Request<Body>) -> Response<Body> {
    published("application/json; charset=utf-8", door.about.registry.clone(), &request)
}

async fn catalog(State(Door(door)): State<Door>, request: Request<Body>) -> Response<Body> {
    published("application/ai-catalog+json", door.about.catalog.clone(), &request)
}

async fn icon_svg(request: Request<Body>) -> Response<Body> {
    published("image/svg+xml", Bytes::from_static(about::ICON_SVG), &request)
}

async fn icon_png(request: Request<Body>) -> Response<Body> {
    published("image/png", Bytes::from_static(about::ICON_PNG), &request)
}

/// A page that anybody may read from anywhere and keep for an hour.
fn published(kind: &'static str, bytes: Bytes, request: &Request<Body>) -> Response<Body> {
    let id = RequestId::of(request.headers());
    let mut response = match *request.method() {
        Method::GET | Method::HEAD => {
            response::of_type(HeaderValue::from_static(kind), StatusCode::OK, bytes, &id)
        }
        Method::OPTIONS => {
            let mut response = response::nothing(StatusCode::NO_CONTENT, &id);
            origins::allow_asking("GET, HEAD", response.headers_mut());
            response
        }
        _ => response::refusal(&ApiError::MethodNotAllowed { allow: "GET, HEAD" }, &id),
    };
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    response
}

/// A client that was refused may look for OAuth; it must hear in JSON that there is none.
async fn no_oauth(State(Door(door)): State<Door>, request: Request<Body>) -> Response<Body> {
    let id = RequestId::of(request.headers());
    let mut response = match *request.method() {
        Method::OPTIONS => {
            let mut response = response::nothing(StatusCode::NO_CONTENT, &id);
            origins::allow_asking("GET, POST", response.headers_mut());
            response
        }
        _ => response::json(StatusCode::NOT_FOUND, door.about.no_oauth.clone(), &id),
    };
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// How an answer is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    /// One server-sent event.
    Event,
}

/// What is answered to a message.
struct Said {
    status: StatusCode,
    /// A message of JSON-RPC; none to a notice.
    body: Option<Vec<u8>>,
}

impl Said {
    fn result(body: Vec<u8>) -> Said {
        Said { status: StatusCode::OK, body: Some(body) }
    }

    fn fault(status: StatusCode, id: Id, fault: &Fault) -> Said {
        Said { status, body: Some(jsonrpc::error(id, fault)) }
    }
}

/// The status of a fault: the older era tells all of them in the message alone.
fn status(modern: bool, fault: &Fault) -> StatusCode {
    match (modern, fault.code) {
        (false, _) => StatusCode::OK,
        (true, METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        (true, INTERNAL_ERROR) => StatusCode::INTERNAL_SERVER_ERROR,
        (true, _) => StatusCode::BAD_REQUEST,
    }
}

/// Answers whoever knocks, whatever they bring, a request that is named `id`.
pub async fn answer(
    Door(door): &Door,
    head: &Parts,
    body: Incoming,
    peer: Peer,
    id: &RequestId,
) -> Response<Full<Bytes>> {
    let began = Instant::now();
    let origin = match door.origins.check(head) {
        Ok(origin) => origin,
        Err(stranger) => {
            v1::pass_over(&head.headers, body).await;
            let message = match stranger {
                Stranger::Origin => "Ask from an allowed origin: this one is not in allowed_origins.",
                Stranger::Host => "Ask for an allowed host: this one is not in allowed_hosts.",
            };
            let fault = Fault::new(INVALID_REQUEST, message);
            return door.put(Said::fault(StatusCode::FORBIDDEN, Id::UNKNOWN, &fault), Form::Json, id);
        }
    };
    let mut response = match head.method {
        Method::POST => {
            let read = v1::read(&head.headers, body, door.body_bytes).await;
            door.post(head, read.as_deref(), peer, began, id).await
        }
        Method::OPTIONS => {
            let mut response = response::nothing(StatusCode::NO_CONTENT, id);
            origins::allow_asking("POST", response.headers_mut());
            response
        }
        _ => {
            v1::pass_over(&head.headers, body).await;
            door.not_allowed(&head.headers, id)
        }
    };
    if let Some(origin) = origin {
        origins::allow(origin, response.headers_mut());
    }
    response
}

/// The form that the client takes; none when it takes neither.
fn form(headers: &HeaderMap) -> Option<Form> {
    let mut asked = false;
    let mut event = false;
    for line in headers.get_all(ACCEPT) {
        for range in line.as_bytes().split(|byte| *byte == b',') {
            let kind = range.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
            if kind.is_empty() {
                continue;
            }
            asked = true;
            let is = |known: &[u8]| kind.eq_ignore_ascii_case(known);
            if is(b"application/json") || is(b"application/*") || is(b"*/*") {
                return Some(Form::Json);
            }
            event |= is(b"text/event-stream") || is(b"text/*");
        }
    }
    match (asked, event) {
        (false, _) => Some(Form::Json),
        (true, true) => Some(Form::Event),
        (true, false) => None,
    }
}

impl Inner {
    /// An answer in the form that is wanted.
    fn put(&self, said: Said, form: Form, id: &RequestId) -> Response<Full<Bytes>> {
        match (said.body, form) {
            (None, _) => response::nothing(said.status, id),
            (Some(body), Form::Json) => {
                let mut response = self.head.answer([id.header()], sheets::written(body));
                *response.status_mut() = said.status;
                response
            }
            (Some(body), Form::Event) => {
                // the messages have no line breaks: those of texts are escaped
                let event = [b"event: message\ndata: ", &body[..], b"\n\n"].concat();
                response::of_type(
                    HeaderValue::from_static("text/event-stream"),
                    said.status,
                    event.into(),
                    id,
                )
            }
        }
    }

    /// The answer to those who come with another method: browsers, and clients that want a stream or end a session.
    fn not_allowed(&self, headers: &HeaderMap, id: &RequestId) -> Response<Full<Bytes>> {
        let browser = headers
            .get(ACCEPT)
            .and_then(|accept| accept.to_str().ok())
            .is_some_and(|accept| accept.contains("text/html"));
        let status = StatusCode::METHOD_NOT_ALLOWED;
        let mut response = if browser {
            response::html(status, self.about.page.clone(), id)
        } else {
            let message = "Use POST: there are no streams to open and no sessions to end.";
            self.put(Said::fault(status, Id::UNKNOWN, &Fault::new(INVALID_REQUEST, message)), Form::Json, id)
        };
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, OPTIONS"));
        response
    }

    /// Answers the message that is in a body, if that could be read.
    fn post<'a>(
        &'a self,
        head: &'a Parts,
        read: Result<&'a [u8], &'a ApiError>,
        peer: Peer,
        began: Instant,
        id: &'a RequestId,
    ) -> Soon<'a, Response<Full<Bytes>>> {
        let Some(form) = form(&head.headers) else {
            let fault = Fault::new(INVALID_REQUEST, "Accept application/json, text/event-stream or both.");
            let said = Said::fault(StatusCode::NOT_ACCEPTABLE, Id::UNKNOWN, &fault);
            return Soon::now(self.put(said, Form::Json, id));
        };
        let body = match read {
            Ok(body) => body,
            Err(refusal) => {
                let mut response = response::refusal(refusal, id);
                let fault = Fault::new(INVALID_REQUEST, refusal.details().message);
                *response.body_mut() = Full::from(jsonrpc::error(Id::UNKNOWN, &fault));
                return Soon::now(response);
            }
        };
        let message = jsonrpc::read(body);
        let counted = move |said: Said| {
            self.rooms.count_message(said.status.as_u16(), began);
            self.put(said, form, id)
        };
        let sent = SentKey::among(&head.headers).map(|key| key.map(SentKey::as_bytes));
        self.rooms.holder(sent, began).then(move |holder| {
            let asker = match holder {
                Ok(Some(caller)) => Ok(Asker::Caller(caller)),
                Ok(None) => Ok(Asker::Visitor(peer.client(&head.headers, &self.trusted_proxies))),
                Err(refusal @ (ApiError::InvalidKey | ApiError::ConflictingKeys)) => {
                    let its_id = match &message {
                        Ok(Message::Request(request)) => request.id,
                        Ok(Message::Notice) => Id::UNKNOWN,
                        Err((its_id, _)) => *its_id,
                    };
                    self.rooms.count_message(401, began);
                    return Soon::now(self.unauthorized(&refusal, its_id, form, id));
                }
                Err(refusal) => Err(refusal),
            };
            match message {
                Ok(Message::Request(request)) => {
                    let its_id = request.id;
                    let answered = self.answer(&head.headers, request, asker, began);
                    answered.map(move |answered| match answered {
                        // counted already
                        Ok(said) => self.put(said, form, id),
                        Err((status, fault)) => counted(Said::fault(status, its_id, &fault)),
                    })
                }
                Ok(Message::Notice) => Soon::now(counted(Said { status: StatusCode::ACCEPTED, body: None })),
                Err((its_id, fault)) => {
                    Soon::now(counted(Said::fault(StatusCode::BAD_REQUEST, its_id, &fault)))
                }
            }
        })
    }

    fn answer<'a>(
        &'a self,
        headers: &HeaderMap,
        request: jsonrpc::Request<'a>,
        asker: Result<Asker, ApiError>,
        began: Instant,
    ) -> Soon<'a, Result<Said, (StatusCode, Fault)>> {
        let modern = match is_modern(headers, &request) {
            Ok(modern) => modern,
            Err(fault) => return Soon::now(Err(fault)),
        };
        let era = if modern { &self.about.modern } else { &self.about.legacy };
        self.dispatch(era, modern, request, asker, began)
            .map(move |answered| answered.map_err(|fault| (status(modern, &fault), fault)))
    }

    /// The no to a key: never a silent preview, and no word of OAuth.
    fn unauthorized(
        &self,
        refusal: &ApiError,
        its_id: Id,
        form: Form,
        id: &RequestId,
    ) -> Response<Full<Bytes>> {
        let fault = Fault::new(INVALID_REQUEST, tools::sentence(refusal));
        let mut response = self.put(Said::fault(StatusCode::UNAUTHORIZED, its_id, &fault), form, id);
        let challenge = HeaderValue::from_static("Bearer realm=\"candango\", error=\"invalid_token\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        response
    }

    /// From the name of a method to its result, which is counted, or to a fault, which is not yet.
    fn dispatch<'a>(
        &'a self,
        era: &'a Era,
        modern: bool,
        mut request: jsonrpc::Request<'a>,
        asker: Result<Asker, ApiError>,
        began: Instant,
    ) -> Soon<'a, Result<Said, Fault>> {
        match &*request.method {
            "tools/call" => {
                let row = match named(&request.params).map(tools::row) {
                    Ok(Some(row)) => row,
                    Ok(None) => {
                        let message = format!("Unknown tool. Send name as one of {}.", tools::names());
                        return Soon::now(Err(Fault::new(INVALID_PARAMS, message)));
                    }
                    Err(fault) => return Soon::now(Err(fault)),
                };
                let arguments = std::mem::take(&mut request.params.arguments);
                tools::call(&self.rooms, asker, row, arguments, request.id, era, began)
                    .map(|result| result.map(Said::result))
            }
            "resources/read" => self.resource(era, modern, request.id, &request.params, asker, began),
            _ => {
                let told = self.tell(era, modern, &request);
                if told.is_ok() {
                    self.rooms.count_message(200, began);
                }
                Soon::now(told.map(Said::result))
            }
        }
    }

    /// What asks no action.
    fn tell(&self, era: &Era, modern: bool, request: &jsonrpc::Request) -> Result<Vec<u8>, Fault> {
        let jsonrpc::Request { id, method, params: asked } = request;
        let plain = |result: serde_json::Value| {
            let text = result.to_string();
            let open = text.strip_suffix('}').unwrap_or(&text);
            jsonrpc::result(*id, &format!("{open}{}}}", era.tail))
        };
        match &**method {
            "initialize" if !modern => {
                let version = asked.protocol_version.as_ref().and_then(Value::as_text).unwrap_or_default();
                Ok(jsonrpc::result(*id, self.about.initialized(version)))
            }
            "prompts/get" => Ok(plain(prompts::get(named(asked)?, &asked.arguments)?)),
            "completion/complete" => {
                Ok(plain(prompts::complete(&asked.argument, self.rooms.live.current().as_deref())?))
            }
            method => match era.list(method) {
                Some(_) if asked.cursor.is_some() => {
                    Err(Fault::new(INVALID_PARAMS, "Leave cursor out: the list has one page."))
                }
                Some(result) => Ok(jsonrpc::result(*id, result)),
                None => Err(Fault::new(METHOD_NOT_FOUND, "Method not found.")),
            },
        }
    }

    /// A resource: what a tool answers, under an address.
    fn resource<'a>(
        &'a self,
        era: &'a Era,
        modern: bool,
        id: Id<'a>,
        asked: &jsonrpc::Params,
        asker: Result<Asker, ApiError>,
        began: Instant,
    ) -> Soon<'a, Result<Said, Fault>> {
        fn unknown() -> Fault {
            let known = "guide://categories, guide://regions and guide://place/{id} with the id of a place";
            Fault::new(INVALID_PARAMS, format!("Resource not found. There are {known}."))
        }
        fn refused(refusal: &ApiError) -> Fault {
            match refusal {
                ApiError::UnknownRecord { .. }
                | ApiError::TextTooLong { .. }
                | ApiError::MissingParam { .. } => unknown(),
                refusal => Fault::new(INTERNAL_ERROR, tools::sentence(refusal)),
            }
        }
        let Some(uri) = asked.uri.as_ref().and_then(Value::as_text).map(str::to_owned) else {
            return Soon::now(Err(Fault::new(INVALID_PARAMS, "Send uri as a string.")));
        };
        let (row, params) = match uri.strip_prefix("guide://") {
            Some("categories") => (const { row("list_categories") }, Params::default()),
            Some("regions") => (const { row("list_regions") }, Params::default()),
            Some(path) if let Some(place) = path.strip_prefix("place/") => {
                (const { row("get_place") }, Params::of_form([("id".into(), place.to_owned().into())]))
            }
            _ => return Soon::now(Err(unknown())),
        };
        let asker = match asker {
            Ok(asker) => asker,
            Err(refusal) => return Soon::now(Err(refused(&refusal))),
        };
        self.rooms.call(asker, row, params, Paper::default(), began).map(move |body| {
            let body = body.and_then(|body| String::from_utf8(body).map_err(|_| ApiError::Internal));
            // either is counted with the action
            Ok(match body {
                Ok(body) => {
                    // an address that was found is one of ours
                    let contents = json!([{ "uri": uri, "mimeType": "application/json", "text": body }]);
                    let tail = format!("{}{}", era.resource_tail, era.tail);
                    Said::result(jsonrpc::result(id, &format!("{{\"contents\":{contents}{tail}}}")))
                }
                Err(refusal) => {
                    let fault = refused(&refusal);
                    Said::fault(status(modern, &fault), id, &fault)
                }
            })
        })
    }
}

/// The name in the parameters of a request.
fn named<'p>(asked: &'p jsonrpc::Params) -> Result<&'p str, Fault> {
    let name = asked.name.as_ref().and_then(Value::as_text);
    name.ok_or_else(|| Fault::new(INVALID_PARAMS, "Send name as a string."))
}

/// Whether a request is of the newer era; an error when it is, or would be, and does not keep to its rules.
fn is_modern(headers: &HeaderMap, request: &jsonrpc::Request) -> Result<bool, (StatusCode, Fault)> {
    let bad = |fault| Err((StatusCode::BAD_REQUEST, fault));
    let wrong = |message: &'static str| bad(Fault::new(INVALID_PARAMS, message));
    let mismatch = |message: &'static str| bad(Fault::new(HEADER_MISMATCH, message));
    let header = headers.get(PROTOCOL_VERSION).map(|value| value.as_bytes().trim_ascii());
    let nothing = Meta::default();
    let meta = match &request.params.meta {
        Given::Nothing => &nothing,
        Given::Object(meta) => meta,
        Given::Other => return wrong("Send _meta as an object."),
    };
    let says_modern = header.is_some_and(|header| MODERN.iter().any(|known| known.as_bytes() == header));
    let modern = meta.version.is_some()
        || request.method == "server/discover"
        || (says_modern && request.method != "initialize");
    if !modern {
        let served = |header: &[u8]| LEGACY.iter().any(|known| known.as_bytes() == header);
        return match header {
            Some(header) if !served(header) && request.method != "initialize" => {
                bad(unsupported(&LEGACY, std::str::from_utf8(header).unwrap_or_default()))
            }
            _ => Ok(false),
        };
    }
    let Some(version) = meta.version.as_ref().and_then(Value::as_text) else {
        return wrong("Send io.modelcontextprotocol/protocolVersion in params._meta, as a string.");
    };
    if !matches!(meta.capabilities, Given::Object(_)) {
        return wrong("Send io.modelcontextprotocol/clientCapabilities in params._meta, as an object.");
    }
    if header != Some(version.as_bytes()) {
        return mismatch("Send the header MCP-Protocol-Version, equal to the version in params._meta.");
    }
    if !MODERN.contains(&version) {
        return bad(unsupported(&MODERN, version));
    }
    if !says(headers, MCP_METHOD, &request.method) {
        return mismatch("Send the header Mcp-Method, equal to the method.");
    }
    let name = match &*request.method {
        "tools/call" | "prompts/get" => &request.params.name,
        "resources/read" => &request.params.uri,
        _ => &None,
    };
    match name.as_ref().and_then(Value::as_text) {
        Some(name) if !says(headers, MCP_NAME, name) => {
            mismatch("Send the header Mcp-Name, equal to the name or uri in params.")
        }
        _ => Ok(true),
    }
}

/// The error for a version that is not served. The one that was asked for is told back, as the protocol demands, when
/// it looks like one.
fn unsupported(served: &[&str], requested: &str) -> Fault {
    let looks = requested.len() <= MAX_VERSION
        && requested.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    let mut data = json!({ "supported": served });
    if looks {
        data["requested"] = json!(requested);
    }
    Fault {
        code: UNSUPPORTED_VERSION,
        message: "Unsupported protocol version: use one of data.supported.".into(),
        data: Some(data),
    }
}

/// Whether a header comes once and says `expected`, plainly or in the form `=?base64?...?=`.
fn says(headers: &HeaderMap, name: HeaderName, expected: &str) -> bool {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let value = value.as_bytes().trim_ascii();
    match value.strip_prefix(b"=?base64?").and_then(|rest| rest.strip_suffix(b"?=")) {
        Some(coded) => STANDARD.decode(coded).is_ok_and(|decoded| decoded == expected.as_bytes()),
        None => value == expected.as_bytes(),
    }
}
