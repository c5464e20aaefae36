//! The site: the guide for people, at `/` in Portuguese and at `/en` in English. Pages are written here, from memory,
//! and need neither scripts nor any other host.
//!
//! This file is the door: which pages there are, what they may do, how they may be kept, and who may send a form. What
//! stands around a page is in `frame`, words in `words`, what is asked in `form`; pages are `home`, `record`, `plans`,
//! `agents` and `reference`; what is made once for an edition and a day is in `guide`; `shown` reads records; `schema`
//! and `finding` tell machines. Uses [`super::accounts`] and [`super::billing`] (their rooms), [`super::caller`],
//! [`super::html`], [`super::response`], [`crate::actions`], [`crate::domain::clock`], [`crate::dispatch`], [`crate::serving`] and
//! [`crate::sheets`].

mod agents;
mod assets;
mod form;
mod guide;
mod home;
mod i18n;
mod layout;
mod plans;
mod record;
mod record_view;
mod reference;
mod schema;
mod sitemap;

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwapOption;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, State};
use axum::routing::get;
use bytes::Bytes;
use chrono::NaiveDate;
use hyper::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_TYPE, ETAG, HOST, HeaderMap, HeaderName, HeaderValue,
    LOCATION, ORIGIN, REFERRER_POLICY, RETRY_AFTER, STRICT_TRANSPORT_SECURITY,
};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use index::Guide;
use serde_json::Value;
use url::form_urlencoded;

use super::caller::{Peer, RequestId, X_REQUEST_ID};
use super::html::{self, Language};
use super::response::{self, CachedDocument, HTML, HeaderTemplate};
use super::{accounts, billing, only, refused};
use crate::actions::{self, Params, Records};
use crate::billing::service::CheckoutRequest;
use crate::config::{Config, Payments};
use crate::dispatch::Dispatcher;
use crate::domain::clock::Moment;
use crate::domain::error::ApiError;
use crate::domain::plan::Plans;
use crate::serving::ServingSnapshot;
use crate::signup::SignupRequest;
use form::{Kind, Question};
use guide::Made;
use layout::{Frame, LANGUAGES, address};
use plans::Sent;
use record_view::Record;

/// Most bytes of a form.
const MOST_BYTES: usize = 8 * 1_024;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// How pages may be kept that a publish changes, or a new version of the service.
const FOR_A_MINUTE: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// What the door of the site knows. Clones share it.
#[derive(Clone)]
pub struct Door(Arc<Inner>);

struct Inner {
    rooms: Arc<Dispatcher>,
    accounts: Arc<accounts::Accounts>,
    billing: Arc<billing::Billing>,
    frame: Frame,
    plans: Plans,
    /// What tells this version with these settings from others.
    service: u64,
    policy: HeaderValue,
    /// Whether browsers are to come by https only.
    secure: bool,
    /// The head of a document that may be kept.
    head: HeaderTemplate,
    /// Pages that no guide changes, in both languages.
    fixed: [Fixed; 2],
    robots: Bytes,
    made: ArcSwapOption<Made>,
}

/// Pages that no guide changes.
struct Fixed {
    plans: Bytes,
    signup: Bytes,
    sent: Bytes,
    agents: Bytes,
    api: Bytes,
    /// Of each operation, by what it is called.
    operations: HashMap<String, Bytes>,
    nothing: Bytes,
}

/// One of them.
type Pick = fn(&Fixed) -> &Bytes;

impl Door {
    /// Opens the door. `api` is the OpenAPI document that the reference is written from.
    pub fn new(
        config: &Config,
        rooms: Arc<Dispatcher>,
        accounts: Arc<accounts::Accounts>,
        billing: Arc<billing::Billing>,
        api: &Value,
    ) -> Door {
        let frame = Frame::new(config);
        let mut hasher = DefaultHasher::new();
        // what of the settings is seen on pages
        let Config { service_name, plans, payments, .. } = config;
        let (base, site) = (config.base_url.as_str(), config.service_site.as_str());
        format!("{} {base} {site} {service_name} {plans:?} {payments:?}", env!("CARGO_PKG_VERSION"))
            .hash(&mut hasher);
        assets::STYLE.mark().hash(&mut hasher);
        api.to_string().hash(&mut hasher);
        let fixed = LANGUAGES.map(|language| Fixed {
            plans: plans::page(&frame, &config.plans, language, &Sent::default()).into(),
            signup: plans::signup(&frame, &config.plans, language, &Sent::default()).into(),
            sent: plans::sent(&frame, language).into(),
            agents: agents::page(&frame, language).into(),
            api: reference::page(&frame, language, api).into(),
            operations: reference::pages(&frame, language, api)
                .into_iter()
                .map(|(id, page)| (id, page.into()))
                .collect(),
            nothing: record::nothing(&frame, language).into(),
        });
        let (policy, secure) = (policy(config), base.starts_with("https://"));
        let document =
            CachedDocument { kind: HTML, body: Bytes::new(), tag: guide::tag(0), keep: FOR_A_MINUTE };
        let laid: Response<Body> = response::kept(&HeaderMap::new(), document, &RequestId::new());
        let mut head = laid.into_parts().0.headers;
        protect(&mut head, &policy, secure);
        Door(Arc::new(Inner {
            rooms,
            accounts,
            billing,
            plans: config.plans.clone(),
            service: hasher.finish(),
            policy,
            secure,
            fixed,
            robots: sitemap::robots(base).into(),
            frame,
            made: ArcSwapOption::empty(),
            head: HeaderTemplate::new([CONTENT_TYPE, ETAG, X_REQUEST_ID], head),
        }))
    }
}

/// Puts on a page what keeps browsers to what it is for; `secure` when they are to come by https only.
fn protect(headers: &mut HeaderMap, policy: &HeaderValue, secure: bool) {
    html::protect(headers, policy);
    // a form of ours must come with its origin, which it does not under the strictest policy
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
}

/// Pages load from here and send forms here. Browsers hold where a form's answer leads to the same, so the pages where
/// is paid are named.
fn policy(config: &Config) -> HeaderValue {
    let origin = config.base_url.origin();
    let gateway = if config.payments == Payments::Asaas { " https://*.asaas.com" } else { "" };
    let policy = format!(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self' \
         {origin}{gateway}; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    // an origin is ASCII
    HeaderValue::try_from(policy).unwrap_or(html::NOTHING)
}

/// All pages, in both languages, and what browsers are shown where there is none.
pub fn routes(door: Door) -> Router {
    let mut router = Router::new();
    for language in LANGUAGES {
        let at = |path: &str| address(language, path).concat();
        let page = |pick: Pick| {
            only(
                "GET, HEAD",
                get(async move |State(door): State<Door>, request| door.0.fixed(language, pick, &request)),
            )
        };
        let front = async move |State(Door(door)): State<Door>, head: Parts| {
            door.front(language, &head, Peer::noted(&head.extensions))
        };
        let place = async move |State(Door(door)): State<Door>, Path(id): Path<String>, request| {
            door.record(language, false, &id, &request)
        };
        let event = async move |State(Door(door)): State<Door>, Path(id): Path<String>, request| {
            door.record(language, true, &id, &request)
        };
        let plans = async move |State(Door(door)): State<Door>, request| door.plans(language, &request);
        let checkout =
            async move |State(Door(door)): State<Door>, request| door.checkout(language, request).await;
        let sign_up =
            async move |State(Door(door)): State<Door>, request| door.sign_up(language, request).await;
        let operation = async move |State(Door(door)): State<Door>, Path(id): Path<String>, request| {
            door.operation(language, &id, &request)
        };
        let form = async move |State(Door(door)): State<Door>, request| {
            door.fixed(language, |fixed| &fixed.signup, &request)
        };
        router = router
            .route(&at("/"), only("GET, HEAD", get(front)))
            .route(&at("/place/{id}"), only("GET, HEAD", get(place)))
            .route(&at("/event/{id}"), only("GET, HEAD", get(event)))
            .route(&at("/plans"), only("GET, HEAD, POST", get(plans).post(checkout)))
            .route(&at("/signup"), only("GET, HEAD, POST", get(form).post(sign_up)))
            .route(&at("/signup/sent"), page(|fixed| &fixed.sent))
            .route(&at("/agents"), page(|fixed| &fixed.agents))
            .route(&at("/api"), page(|fixed| &fixed.api))
            .route(&at("/api/{operation}"), only("GET, HEAD", get(operation)));
    }
    // as people write it
    let english = async move |State(Door(door)): State<Door>, head: Parts| {
        door.front(Language::English, &head, Peer::noted(&head.extensions))
    };
    router = router.route("/en/", only("GET, HEAD", get(english)));
    for asset in assets::ALL {
        let tag = HeaderValue::try_from(format!("\"{}\"", asset.mark())).unwrap_or(html::NOTHING);
        let path = asset.path;
        let give = async move |request: Request<Body>| asset.give(&tag, &request);
        router = router.route(path, only("GET, HEAD", get(give)));
    }
    router
        .route("/robots.txt", only("GET, HEAD", get(robots)))
        .route("/sitemap.xml", only("GET, HEAD", get(sitemap)))
        .route("/sitemap/{file}", only("GET, HEAD", get(sitemap_file)))
        .fallback(lost)
        .with_state(door)
}

/// The front page, or what is found by the question in the address.
pub fn front(Door(door): &Door, language: Language, head: &Parts, peer: Peer) -> Response<Body> {
    door.front(language, head, peer)
}

async fn robots(State(Door(door)): State<Door>, request: Request<Body>) -> Response<Body> {
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    open(door.kept(kind, door.robots.clone(), door.fixed_tag("/robots.txt"), request.headers()))
}

async fn sitemap(State(Door(door)): State<Door>, request: Request<Body>) -> Response<Body> {
    let (head, _) = request.into_parts();
    door.sitemap(0, true, &head).await
}

async fn sitemap_file(
    State(Door(door)): State<Door>,
    Path(file): Path<String>,
    request: Request<Body>,
) -> Response<Body> {
    let (head, _) = request.into_parts();
    match file.strip_suffix(".xml").and_then(|number| number.parse().ok()) {
        Some(number) => door.sitemap(number, false, &head).await,
        None => refused(&ApiError::NotFound, &head.headers),
    }
}

/// Whoever asks for what is not there: programs hear it in JSON, browsers see a page.
async fn lost(State(Door(door)): State<Door>, request: Request<Body>) -> Response<Body> {
    let path = request.uri().path();
    let of_programs = ["/v1", "/mcp"]
        .iter()
        .any(|door| path.strip_prefix(door).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    if of_programs || !reads_html(request.headers()) {
        return refused(&ApiError::NotFound, request.headers());
    }
    let english = path == "/en" || path.starts_with("/en/");
    door.nothing(if english { Language::English } else { Language::Portuguese }, request.headers())
}

fn reads_html(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    lines.any(|line| line.contains("text/html"))
}

/// Lets pages of other sites read a document.
fn open(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

impl Inner {
    /// What is made of an edition and a day, made now if it was not yet.
    fn made(&self, edition: &ServingSnapshot, today: NaiveDate) -> Arc<Made> {
        if let Some(made) = self.made.load().as_ref().filter(|made| made.is_of(edition, today)) {
            return made.clone();
        }
        let made = Arc::new(Made::of(&self.rooms, &self.frame, edition, today, self.service));
        self.made.store(Some(made.clone()));
        made
    }

    /// A page with what keeps browsers to what it is for.
    fn protect(&self, mut response: Response<Body>) -> Response<Body> {
        protect(response.headers_mut(), &self.policy, self.secure);
        response
    }

    /// A document that may be kept; without it when the asker has it already.
    fn kept(&self, kind: HeaderValue, body: Bytes, tag: HeaderValue, asked: &HeaderMap) -> Response<Body> {
        let (status, body) = match response::has(asked, tag.as_bytes()) {
            true => (StatusCode::NOT_MODIFIED, Bytes::new()),
            false => (StatusCode::OK, body),
        };
        let mut response = self.head.answer([kind, tag, RequestId::of(asked).header()], body);
        *response.status_mut() = status;
        response
    }

    /// A page that must not be kept: it was made for one visit.
    fn passing(&self, status: StatusCode, page: String, headers: &HeaderMap) -> Response<Body> {
        self.protect(response::html(status, page.into(), &RequestId::of(headers)))
    }

    fn fixed_tag(&self, path: &str) -> HeaderValue {
        let mut hasher = DefaultHasher::new();
        (self.service, path).hash(&mut hasher);
        guide::tag(hasher.finish())
    }

    fn fixed(&self, language: Language, pick: Pick, request: &Request<Body>) -> Response<Body> {
        let began = Instant::now();
        let body = pick(&self.fixed[language as usize]).clone();
        let response = self.kept(HTML, body, self.fixed_tag(request.uri().path()), request.headers());
        self.rooms.count_page(response.status().as_u16(), began);
        response
    }

    /// The reference of one operation.
    fn operation(&self, language: Language, id: &str, request: &Request<Body>) -> Response<Body> {
        match self.fixed[language as usize].operations.get(id) {
            Some(page) => {
                let tag = self.fixed_tag(request.uri().path());
                self.kept(HTML, page.clone(), tag, request.headers())
            }
            None => self.nothing(language, request.headers()),
        }
    }

    fn nothing(&self, language: Language, headers: &HeaderMap) -> Response<Body> {
        let began = Instant::now();
        let page = self.fixed[language as usize].nothing.clone();
        self.rooms.count_page(404, began);
        self.protect(response::html(StatusCode::NOT_FOUND, page, &RequestId::of(headers)))
    }

    /// The front page, or what is found by the question in the address.
    fn front(&self, language: Language, head: &Parts, peer: Peer) -> Response<Body> {
        let began = Instant::now();
        let query = head.uri.query().unwrap_or_default();
        let question = Question::of(query);
        let edition = self.rooms.serving.current();
        let moment = self.rooms.clock.moment();
        let made = edition.as_deref().map(|edition| (edition, self.made(edition, moment.today.date())));
        let answered = match &made {
            Some((edition, made)) => {
                self.answered(language, head, peer, &question, (*edition, &**made), (moment, began))
            }
            None => Err(ApiError::NoGuide),
        };
        let response = match answered {
            Ok(response) => response,
            Err(refusal) => {
                let made = made.as_ref().map(|(_, made)| &**made);
                let plain = i18n::plain(language, &refusal);
                let page = home::refused(&self.frame, made, language, &question, query, &plain);
                self.told(&refusal, page, &head.headers)
            }
        };
        if question.is_empty() {
            self.rooms.count_page(response.status().as_u16(), began);
        }
        response
    }

    fn answered(
        &self,
        language: Language,
        head: &Parts,
        peer: Peer,
        question: &Question<'_>,
        (edition, made): (&ServingSnapshot, &Made),
        at: (Moment, Instant),
    ) -> Result<Response<Body>, ApiError> {
        let query = head.uri.query().unwrap_or_default();
        let kept = |body: Bytes, tag: HeaderValue| self.kept(HTML, body, tag, &head.headers);
        if question.is_empty() {
            return Ok(kept(made.front[language as usize].clone(), made.tag(language, "/")));
        }
        let tag = made.tag(language, query);
        // whoever has the answer already is not asking again
        if response::has(&head.headers, tag.as_bytes()) {
            return Ok(kept(Bytes::new(), tag));
        }
        let sought: &[Records] = match question.kind() {
            Kind::All => &[Records::Events, Records::Places],
            Kind::Events => &[Records::Events],
            Kind::Places => &[Records::Places],
        };
        let params = question.params(made.day);
        let found = self.rooms.visit(edition, self.accounts.client(head, peer), sought, &params, at)?;
        let page = home::found(&self.frame, made, language, &edition.guide, question, query, &found);
        Ok(kept(page.into(), tag))
    }

    /// A page that says no.
    fn told(&self, refusal: &ApiError, page: String, headers: &HeaderMap) -> Response<Body> {
        let told = refusal.details();
        let status = StatusCode::from_u16(told.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = self.passing(status, page, headers);
        if let Some(seconds) = told.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }

    /// The page of a record.
    fn record(
        &self,
        language: Language,
        is_event: bool,
        id: &str,
        request: &Request<Body>,
    ) -> Response<Body> {
        let began = Instant::now();
        match self.found(language, is_event, id, request) {
            Ok(response) => {
                self.rooms.count_page(response.status().as_u16(), began);
                response
            }
            Err(ApiError::NoGuide) => {
                let plain = i18n::plain(language, &ApiError::NoGuide);
                let page = home::refused(&self.frame, None, language, &Question::default(), "", &plain);
                self.told(&ApiError::NoGuide, page, request.headers())
            }
            Err(_) => self.nothing(language, request.headers()),
        }
    }

    fn found(
        &self,
        language: Language,
        is_event: bool,
        id: &str,
        request: &Request<Body>,
    ) -> Result<Response<Body>, ApiError> {
        let edition = self.rooms.serving.current();
        let edition = edition.as_deref().ok_or(ApiError::NoGuide)?;
        let made = self.made(edition, self.rooms.clock.today().date());
        let Guide { places, events, .. } = &edition.guide;
        const GET_EVENT: usize = actions::row("get_event");
        const GET_PLACE: usize = actions::row("get_place");
        let (row, shelf) = if is_event { (GET_EVENT, events) } else { (GET_PLACE, places) };
        let params = Params::of_form([(Cow::Borrowed("id"), Cow::Borrowed(id))]);
        let found = self.rooms.shown(edition, made.day, row, &params)?;
        let rank = *found.ranks.first().ok_or(ApiError::Internal)?;
        let tag = made.tag(language, request.uri().path());
        let body = if response::has(request.headers(), tag.as_bytes()) {
            Bytes::new()
        } else {
            let record = Record::of(&shelf.rendered, rank);
            record::page(&self.frame, &made, language, &record, is_event).into()
        };
        Ok(self.kept(HTML, body, tag, request.headers()))
    }

    /// Plans and prices; a plan that the address names is chosen in the form.
    fn plans(&self, language: Language, request: &Request<Body>) -> Response<Body> {
        let query = request.uri().query().unwrap_or_default();
        let plan = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "plan");
        let Some((_, plan)) = plan else { return self.fixed(language, |fixed| &fixed.plans, request) };
        let sent = Sent { fields: vec![("plan", &plan)], wrong: None };
        let page = plans::page(&self.frame, &self.plans, language, &sent);
        self.kept(
            HTML,
            page.into(),
            self.fixed_tag(&format!("{}?{plan}", request.uri().path())),
            request.headers(),
        )
    }

    /// The form that orders a plan was sent.
    async fn checkout(&self, language: Language, request: Request<Body>) -> Response<Body> {
        let began = Instant::now();
        let (head, body) = request.into_parts();
        let fields = match self.sent(&head, body).await {
            Ok(fields) => fields,
            Err(refusal) => return refused(&refusal, &head.headers),
        };
        let field = |name: &str| field(&fields, name);
        let key = field("key").unwrap_or_default();
        let wish = CheckoutRequest {
            plan: field("plan"),
            tax_id: field("tax_id"),
            name: field("name"),
            method: field("method"),
            idempotency_key: None,
        };
        let checkout = async {
            let moment = self.rooms.clock.moment();
            let (caller, permit) = self.rooms.admit(Ok(Some(key.as_bytes())), moment, began).await?;
            permit?;
            self.billing.service().checkout(&caller.account, wish).await
        };
        let response = match checkout.await {
            Ok(checkout) => self.see(&checkout.pay_url, &head.headers),
            Err(refusal) => {
                let kept = ["plan", "name", "method"];
                self.again(plans::page, language, &refusal, &fields, kept, &head.headers)
            }
        };
        self.rooms.count_page(response.status().as_u16(), began);
        response
    }

    /// The form that asks for a key was sent.
    async fn sign_up(&self, language: Language, request: Request<Body>) -> Response<Body> {
        let began = Instant::now();
        let (head, body) = request.into_parts();
        let fields = match self.sent(&head, body).await {
            Ok(fields) => fields,
            Err(refusal) => return refused(&refusal, &head.headers),
        };
        let field = |name: &str| field(&fields, name);
        let application = SignupRequest {
            email: field("email").unwrap_or_default(),
            name: field("name"),
            company: None,
            use_case: field("use_case"),
        };
        let signed_up = self
            .accounts
            .signup()
            .sign_up(application, self.accounts.client(&head, Peer::noted(&head.extensions)))
            .await;
        let response = match signed_up {
            Ok(()) => self.see(&address(language, "/signup/sent").concat(), &head.headers),
            Err(refusal) => {
                let kept = ["email", "name", "use_case"];
                self.again(plans::signup, language, &refusal, &fields, kept, &head.headers)
            }
        };
        self.rooms.count_page(response.status().as_u16(), began);
        response
    }

    /// A form once more, with what was wrong and those of its fields that may be shown again.
    fn again(
        &self,
        page: fn(&Frame, &Plans, Language, &Sent<'_>) -> String,
        language: Language,
        refusal: &ApiError,
        fields: &[(String, String)],
        kept: [&'static str; 3],
        headers: &HeaderMap,
    ) -> Response<Body> {
        let fields = kept.into_iter().filter_map(|name| Some((name, field(fields, name)?))).collect();
        let sent = Sent { fields, wrong: Some(i18n::plain(language, refusal)) };
        self.told(refusal, page(&self.frame, &self.plans, language, &sent), headers)
    }

    /// Leads on after a form.
    fn see(&self, address: &str, headers: &HeaderMap) -> Response<Body> {
        let mut response = self.passing(StatusCode::SEE_OTHER, String::new(), headers);
        if let Ok(address) = HeaderValue::from_str(address) {
            response.headers_mut().insert(LOCATION, address);
        }
        response
    }

    /// The fields of a form that was sent from a page of ours.
    async fn sent(&self, head: &Parts, body: Body) -> Result<Vec<(String, String)>, ApiError> {
        if !self.is_ours(&head.headers) {
            return Err(ApiError::ForeignForm);
        }
        let body =
            to_bytes(body, MOST_BYTES).await.map_err(|_| ApiError::BodyTooLarge { max_bytes: MOST_BYTES })?;
        Ok(form_urlencoded::parse(&body).into_owned().collect())
    }

    /// Whether a form comes from here: browsers tell, and nobody else can be made to send one.
    fn is_ours(&self, headers: &HeaderMap) -> bool {
        if let Some(site) = headers.get(SEC_FETCH_SITE) {
            return site == "same-origin" || site == "none";
        }
        let Some(origin) = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok()) else {
            return !headers.contains_key(ORIGIN);
        };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let authority = origin.split_once("://").map(|(_, authority)| authority);
        authority.is_some() && authority == host
    }

    /// What search engines are told.
    async fn sitemap(&self, file: usize, is_first: bool, head: &Parts) -> Response<Body> {
        let kind = HeaderValue::from_static("application/xml; charset=utf-8");
        let edition = self.rooms.serving.current().clone();
        let Some(edition) = edition else { return refused(&ApiError::NoGuide, &head.headers) };
        let made = self.made(&edition, self.rooms.clock.today().date());
        let tag = made.tag(Language::Portuguese, head.uri.path());
        if is_first && made.map.files() > 1 {
            return open(self.kept(kind, made.map.index(&self.frame.base).into(), tag, &head.headers));
        }
        if file >= made.map_files.len() {
            return refused(&ApiError::NotFound, &head.headers);
        }
        let base = self.frame.base.clone();
        let body = match made.map_files[file].get() {
            Some(body) => Ok(body.clone()),
            // many addresses take a while, which others must not wait for
            None => {
                let write = move || {
                    let write = || Bytes::from(made.map.file(&edition, &base, file));
                    made.map_files[file].get_or_init(write).clone()
                };
                tokio::task::spawn_blocking(write).await
            }
        };
        match body {
            Ok(body) => open(self.kept(kind, body, tag, &head.headers)),
            Err(_) => refused(&ApiError::Internal, &head.headers),
        }
    }
}

/// A field of a form that is not blank.
fn field<'f>(fields: &'f [(String, String)], name: &str) -> Option<&'f str> {
    let found = fields.iter().find(|(field, _)| field == name);
    found.map(|(_, text)| text.trim()).filter(|text| !text.is_empty())
}
