//! The account endpoints under `/v1`: HTTP in, HTTP out; the decisions are the reception's. Uses
//! [`super::caller`], [`super::docs`] (where the service is described), [`super::quota_headers`], [`super::response`], [`super::v1`] (how a body is read),
//! [`crate::signup`], [`crate::actions`] (how parameters are read), [`crate::dispatch`] (who asks) and
//! [`crate::shape`] (what is told of the answers).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use bytes::Bytes;
use hyper::header::{ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue, LINK};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Request, Response, StatusCode};
use ipnet::IpNet;
use serde::Serialize;

use super::caller::{Peer, RequestId, SentKey};
use super::{body, docs, quota_headers, response};
use crate::actions::{Kind, Param, Params};
use crate::config::{Config, Payments};
use crate::dispatch::Dispatcher;
use crate::domain::error::ApiError;
use crate::metrics::{Metrics, Series};
use crate::quota::keys::Caller;
use crate::shape::{Field, Shape, Type};
use crate::signup::{IssuedKey, MAX_NAME, MAX_USE_CASE, SignupRequest, SignupService};

/// What the door of the account endpoints knows. Clones share it.
#[derive(Clone)]
pub struct Accounts(Arc<Inner>);

struct Inner {
    rooms: Arc<Dispatcher>,
    reception: SignupService,
    price_list: Bytes,
    links: HeaderValue,
    trusted_proxies: Vec<IpNet>,
    body_bytes: usize,
    plans: Series,
    sign_up: Series,
    rotate: Series,
    recover: Series,
    confirm: Series,
}

/// What is told whoever signs up: the same to everybody.
const SIGNED_UP: &str = "Look into your mail: a key is on its way or, if this address has one already, a code for a \
                         new one.";

/// What is told whoever lost a key: the same to everybody.
const RECOVERING: &str =
    "Look into your mail: if this address has an account, a code for a new key is on its way.";

/// What sign-up takes.
pub(super) const SIGN_UP: &[&Param] = &[
    &EMAIL,
    &Param::new("name", Kind::text(MAX_NAME), "What to call you."),
    &Param::new("company", Kind::text(MAX_NAME), "Whom you build for."),
    &Param::new("use_case", Kind::text(MAX_USE_CASE), "What you want the guide for."),
];

/// What asking for a recovery code takes.
pub(super) const RECOVER: &[&Param] = &[&EMAIL];

/// What a recovery code takes to become a key.
pub(super) const CONFIRM: &[&Param] =
    &[&EMAIL, &Param::new("code", Kind::Text { max: None }, "The code of the newest mail.").required()];

const EMAIL: Param = Param::new("email", Kind::Email, "Where the mail goes.").required();

impl Accounts {
    /// Opens the door.
    pub fn new(
        config: &Config,
        rooms: Arc<Dispatcher>,
        reception: SignupService,
        metrics: &Metrics,
    ) -> Accounts {
        Accounts(Arc::new(Inner {
            rooms,
            reception,
            price_list: config.plans.price_list(config.payments != Payments::None).into(),
            links: docs::links(config),
            trusted_proxies: config.trusted_proxies.clone(),
            body_bytes: config.limits.body_bytes.get(),
            plans: metrics.series("/v1/plans", "none"),
            sign_up: metrics.series("/v1/signup", "none"),
            rotate: metrics.series("/v1/keys/rotate", "none"),
            recover: metrics.series("/v1/keys/recover", "none"),
            confirm: metrics.series("/v1/keys/recover/confirm", "none"),
        }))
    }

    /// The reception, for the site's form.
    pub(super) fn signup(&self) -> &SignupService {
        &self.0.reception
    }

    /// The client that a request comes from.
    pub(super) fn client(&self, head: &Parts, peer: Peer) -> IpAddr {
        peer.client(&head.headers, &self.0.trusted_proxies)
    }
}

/// `GET /v1/plans`.
pub async fn plans(State(Accounts(door)): State<Accounts>, request: Request<Body>) -> Response<Body> {
    let began = Instant::now();
    let id = RequestId::of(request.headers());
    let mut response = answered(&door.plans, began, Ok(door.price_list.clone()), &id);
    let headers = response.headers_mut();
    headers.insert(LINK, door.links.clone());
    // prices are no secret: any page may read them
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// `POST /v1/signup`.
pub async fn sign_up(State(Accounts(door)): State<Accounts>, request: Request<Body>) -> Response<Body> {
    let began = Instant::now();
    let (head, body) = request.into_parts();
    let answer = door.sign_up(&head, body).await;
    answered(&door.sign_up, began, answer, &RequestId::of(&head.headers))
}

/// `POST /v1/keys/rotate`.
pub async fn rotate(State(Accounts(door)): State<Accounts>, request: Request<Body>) -> Response<Body> {
    let began = Instant::now();
    answered_to_caller(&door.rooms, &door.rotate, began, request.headers(), async |caller| {
        new_key(&door.reception.rotate(caller).await?, Vec::new())
    })
    .await
}

/// `POST /v1/keys/recover`.
pub async fn recover(State(Accounts(door)): State<Accounts>, request: Request<Body>) -> Response<Body> {
    let began = Instant::now();
    let (head, body) = request.into_parts();
    let answer = door.recover(&head, body).await;
    answered(&door.recover, began, answer, &RequestId::of(&head.headers))
}

/// `POST /v1/keys/recover/confirm`.
pub async fn confirm(State(Accounts(door)): State<Accounts>, request: Request<Body>) -> Response<Body> {
    let began = Instant::now();
    let (head, body) = request.into_parts();
    let answer = door.confirm(&head, body).await;
    answered(&door.confirm, began, answer, &RequestId::of(&head.headers))
}

impl Inner {
    async fn sign_up(&self, head: &Parts, body: Body) -> Result<Bytes, ApiError> {
        let body = body::read(&head.headers, body, self.body_bytes).await?;
        let params = Params::parse(&body)?;
        let application = SignupRequest {
            email: params.required_text("email")?,
            name: params.sent("name")?,
            company: params.sent("company")?,
            use_case: params.sent("use_case")?,
        };
        self.reception.sign_up(application, self.client(head)).await?;
        told(SIGNED_UP, warnings(&params, SIGN_UP))
    }

    async fn recover(&self, head: &Parts, body: Body) -> Result<Bytes, ApiError> {
        let body = body::read(&head.headers, body, self.body_bytes).await?;
        let params = Params::parse(&body)?;
        self.reception.recover(params.required_text("email")?, self.client(head)).await?;
        told(RECOVERING, warnings(&params, RECOVER))
    }

    async fn confirm(&self, head: &Parts, body: Body) -> Result<Bytes, ApiError> {
        let body = body::read(&head.headers, body, self.body_bytes).await?;
        let params = Params::parse(&body)?;
        let (email, code) = (params.required_text("email")?, params.required_text("code")?);
        let renewed = self.reception.redeem(email, code, self.client(head)).await?;
        new_key(&renewed, warnings(&params, CONFIRM))
    }

    fn client(&self, head: &Parts) -> IpAddr {
        Peer::noted(&head.extensions).client(&head.headers, &self.trusted_proxies)
    }
}

/// Lets the holder of the key in the headers in, for a call of the minute, answers, and tells how they stand.
pub(super) async fn answered_to_caller(
    rooms: &Dispatcher,
    series: &Series,
    began: Instant,
    headers: &HeaderMap,
    answer: impl AsyncFnOnce(&Caller) -> Result<Bytes, ApiError>,
) -> Response<Body> {
    let moment = rooms.clock.moment();
    let sent = SentKey::among(headers).map(|key| key.map(SentKey::as_bytes));
    let (caller, permit) = match rooms.admit(sent, moment, began).await {
        Ok(admitted) => admitted,
        Err(refusal) => return answered(series, began, Err(refusal), &RequestId::of(headers)),
    };
    let told = match permit {
        Ok(_) => answer(&caller).await,
        Err(refusal) => Err(refusal),
    };
    let mut response = answered(series, began, told, &RequestId::of(headers));
    let (row, standing) = rooms.standing(&caller, moment);
    quota_headers::tell(response.headers_mut(), &row, &standing);
    response
}

pub(super) fn answered(
    series: &Series,
    began: Instant,
    answer: Result<Bytes, ApiError>,
    id: &RequestId,
) -> Response<Body> {
    let response = match answer {
        Ok(body) => response::json(StatusCode::OK, body, id),
        Err(refusal) => response::refusal(&refusal, id),
    };
    series.answered(response.status().as_u16(), began.elapsed());
    response
}

/// What [`told`] answers.
pub(super) const TOLD: Shape = Shape {
    name: "Told",
    about: "What to do next; the same whoever asks.",
    fields: &[OK, Field::always("message", Type::Text, "What to do next, for people."), WARNINGS],
};

pub(super) const OK: Field = Field::always("ok", Type::Only(true), "Always true.");
pub(super) const WARNINGS: Field =
    Field::maybe("warnings", Type::Texts, "Which fields were sent and ignored, a sentence each.");

fn told(message: &'static str, warnings: Vec<String>) -> Result<Bytes, ApiError> {
    #[derive(Serialize)]
    struct Told {
        ok: bool,
        message: &'static str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    }
    json(&Told { ok: true, message, warnings })
}

/// What [`new_key`] answers.
pub(super) const NEW_KEY: Shape = Shape {
    name: "NewKey",
    about: "A new key. It is not shown again: only its hash is kept.",
    fields: &[
        OK,
        Field::always("api_key", Type::Key, "The new key. Keep it in a secret store, never in a prompt."),
        Field::always("key", Type::Key, "The same."),
        Field::always("last4", Type::Text, "Its last four characters, to tell keys apart by."),
        Field::always("rotated_at", Type::Moment, "Since when it is the key."),
        WARNINGS,
    ],
};

fn new_key(renewed: &IssuedKey, warnings: Vec<String>) -> Result<Bytes, ApiError> {
    #[derive(Serialize)]
    struct NewKey<'a> {
        ok: bool,
        api_key: &'a str,
        key: &'a str,
        last4: &'a str,
        rotated_at: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    }
    let key = renewed.key.reveal();
    let (last4, rotated_at) = (renewed.key.last4(), renewed.at.to_string());
    json(&NewKey { ok: true, api_key: key, key, last4, rotated_at, warnings })
}

/// Texts and bools cannot fail to become JSON; were they to, the fault would be ours.
pub(super) fn json(answer: &impl Serialize) -> Result<Bytes, ApiError> {
    serde_json::to_vec(answer).map(Bytes::from).map_err(|_| ApiError::Internal)
}

/// Names the fields that are not used, so that a misspelt one is not lost in silence.
pub(super) fn warnings(params: &Params<'_>, known: &[&Param]) -> Vec<String> {
    params
        .ignored(|name| known.iter().any(|param| param.is_called(name)))
        .map(|name| format!("{name} is no parameter and was ignored"))
        .collect()
}
