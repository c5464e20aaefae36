//! The account endpoints of `/v1`: plans, sign-up, and keys that are replaced or recovered.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use bytes::Bytes;
use hyper::header::{HeaderValue, LINK};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Request, Response};
use schemars::JsonSchema;
use serde::Serialize;

use super::body::{self, BodyReader};
use super::caller::RequestId;
use super::json_endpoints::{JsonEndpoints, json, ok, respond, warnings};
use super::links::service_links;
use super::response::open;
use crate::actions::{Param, ParamType};
use crate::billing::stored::StoredAccounts;
use crate::config::{Config, Payments};
use crate::dispatch::Dispatcher;
use crate::domain::error::ApiError;
use crate::notify::hooks::HookService;
use crate::quota::tokens::TokenService;
use crate::signup::{IssuedKey, MAX_NAME, MAX_USE_CASE, SignupRequest, SignupService};

/// The state of the account endpoints.
pub struct Accounts {
    endpoints: JsonEndpoints,
    services: AccountServices,
    price_list: Result<Bytes, ApiError>,
    links: HeaderValue,
}

/// The services behind these endpoints and the pages of accounts.
pub struct AccountServices {
    /// Sign-up, recovery and sessions.
    pub signup: SignupService,
    /// What is stored of accounts.
    pub stored: StoredAccounts,
    /// Browser tokens and calendar addresses.
    pub tokens: TokenService,
    /// Webhooks.
    pub hooks: HookService,
}

/// The message of a sign-up: the same for every address, so that nobody learns who has an account.
const SIGNED_UP: &str =
    "Check your e-mail: it brings a key or, if this address already has one, a code for a new key.";

/// The message of a recovery: the same for every address.
const RECOVERING: &str = "Check your e-mail: if this address has an account, it brings a code for a new key.";

/// Parameters of sign-up.
pub(super) const SIGN_UP: &[&Param] = &[&EMAIL, &NAME, &COMPANY, &USE_CASE];

/// Parameters of a recovery.
pub(super) const RECOVER: &[&Param] = &[&EMAIL];

/// Parameters of the confirmation of a recovery.
pub(super) const CONFIRM: &[&Param] = &[&EMAIL, &CODE];

const EMAIL: Param = Param::new("email", ParamType::Email, "Your e-mail address.").required();

const NAME: Param = Param::new("name", ParamType::text(MAX_NAME), "Your name.");

const COMPANY: Param = Param::new("company", ParamType::text(MAX_NAME), "The company you build for.");

const USE_CASE: Param =
    Param::new("use_case", ParamType::text(MAX_USE_CASE), "What you will use the guide for.");

const CODE: Param = Param::new("code", ParamType::Text { max: None }, "The code in an e-mail.").required();

/// What to do next. It does not depend on the address that was sent.
#[derive(Serialize, JsonSchema)]
pub(super) struct MessageAnswer {
    /// What to do next, for people.
    message: &'static str,
}

/// A new key. It is shown only once: the service keeps its hash.
#[derive(Serialize, JsonSchema)]
pub(super) struct NewKey<'a> {
    /// The new key. Keep it in a secret store, never in a prompt.
    #[schemars(extend("pattern" = "^cdg_live_[0-9A-Za-z]{38}$"))]
    api_key: &'a str,
    /// The same key.
    #[schemars(extend("pattern" = "^cdg_live_[0-9A-Za-z]{38}$"))]
    key: &'a str,
    /// Its last four characters, to tell keys apart.
    last4: &'a str,
    /// When it replaced the old key.
    #[schemars(extend("format" = "date-time"))]
    rotated_at: String,
}

fn new_key(issued: &IssuedKey, warnings: Vec<String>) -> Result<Bytes, ApiError> {
    let key = issued.key.reveal();
    ok(NewKey { api_key: key, key, last4: issued.key.last4(), rotated_at: issued.at.to_string() }, warnings)
}

impl Accounts {
    /// The state, with the price list already written.
    pub fn new(
        config: &Config,
        dispatcher: Arc<Dispatcher>,
        bodies: Arc<BodyReader>,
        services: AccountServices,
    ) -> Accounts {
        Accounts {
            endpoints: JsonEndpoints::new(config, dispatcher, bodies),
            services,
            price_list: json(&config.plans.price_list(config.payments != Payments::None)),
            links: service_links(config),
        }
    }

    /// The sign-up service, for the form of the site.
    pub(super) fn signup(&self) -> &SignupService {
        &self.services.signup
    }

    /// What is stored of accounts, for the pages of an account.
    pub(super) fn stored(&self) -> &StoredAccounts {
        &self.services.stored
    }

    /// Browser tokens and calendar addresses, for their pages.
    pub(super) fn tokens(&self) -> &TokenService {
        &self.services.tokens
    }

    /// The webhooks, for their page.
    pub(super) fn hooks(&self) -> &HookService {
        &self.services.hooks
    }

    /// The address of the client that sent a request.
    pub(super) fn client(&self, head: &Parts) -> IpAddr {
        self.endpoints.client(head)
    }
}

/// `GET /v1/plans`.
pub async fn plans(State(accounts): State<Arc<Accounts>>, headers: HeaderMap) -> Response<Body> {
    let id = RequestId::of(&headers);
    // prices are public
    let mut response = open(respond(accounts.price_list.clone(), &id));
    response.headers_mut().insert(LINK, accounts.links.clone());
    response
}

/// `POST /v1/signup`.
pub async fn sign_up(State(accounts): State<Arc<Accounts>>, request: Request<Body>) -> Response<Body> {
    let answer = accounts.endpoints.answer(request, SIGN_UP, async |head, params| {
        let signup = SignupRequest {
            email: params.required_text(&EMAIL)?,
            name: params.sent(&NAME)?,
            company: params.sent(&COMPANY)?,
            use_case: params.sent(&USE_CASE)?,
        };
        let client = accounts.client(head);
        accounts.services.signup.sign_up(signup, client).await?;
        ok(MessageAnswer { message: SIGNED_UP }, warnings(params, SIGN_UP))
    });
    answer.await
}

/// `POST /v1/keys/rotate`.
pub async fn rotate(State(accounts): State<Arc<Accounts>>, request: Request<Body>) -> Response<Body> {
    let answer = async |caller: &_| new_key(&accounts.services.signup.rotate(caller).await?, Vec::new());
    let (head, body) = request.into_parts();
    // it has no parameters, and a client that sends a body must get the new key all the same
    body::discard(&head.headers, body).await;
    accounts.endpoints.answer_key(&head, answer).await
}

/// `POST /v1/keys/recover`.
pub async fn recover(State(accounts): State<Arc<Accounts>>, request: Request<Body>) -> Response<Body> {
    let answer = accounts.endpoints.answer(request, RECOVER, async |head, params| {
        let client = accounts.client(head);
        accounts.services.signup.recover(params.required_text(&EMAIL)?, client).await?;
        ok(MessageAnswer { message: RECOVERING }, warnings(params, RECOVER))
    });
    answer.await
}

/// `POST /v1/keys/recover/confirm`.
pub async fn confirm(State(accounts): State<Arc<Accounts>>, request: Request<Body>) -> Response<Body> {
    let answer = accounts.endpoints.answer(request, CONFIRM, async |head, params| {
        let (email, code) = (params.required_text(&EMAIL)?, params.required_text(&CODE)?);
        let client = accounts.client(head);
        let issued = accounts.services.signup.redeem(email, code, client).await?;
        new_key(&issued, warnings(params, CONFIRM))
    });
    answer.await
}
