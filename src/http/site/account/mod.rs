//! The pages of an account: signing in and out, plan and calls, orders, keys, data, and the end of it.
//!
//! Nothing here is cached. A session is a token in a cookie; what it may do and whether it has ended is asked of the
//! store at each request: see [`crate::signup::session`]. Forms are taken from this site only.

mod calendars;
mod destination;
mod once;
mod page;
mod pages;
mod paid;
mod payments;
mod tokens;
mod webhook;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::get;
use hyper::header::{CONTENT_DISPOSITION, COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};

use self::destination::Destination;
use self::once::Once;
use self::page::{ORDER, Page, WHAT};
use self::pages::{CodeStep, Overview, Usage};
use crate::billing::checkout::OrderedBy;
use crate::billing::service::BillingStatus;
use crate::billing::stored::EraseError;
use crate::domain::account::Account;
use crate::domain::code::{Level, SessionToken};
use crate::domain::error::ApiError;
use crate::domain::order::Order;
use crate::domain::plan::Plan;
use crate::http::caller::RequestId;
use crate::http::language::Language;
use crate::http::only;
use crate::http::response::{self, JSON};
use crate::http::site::layout::Layout;
use crate::http::site::layout::form_fields::{Submitted, query_field};
use crate::http::site::layout::i18n::FormError;
use crate::http::site::layout::paths::localized;
use crate::http::site::service::forms::{Fields, field};
use crate::http::site::service::plans::paid_plan;
use crate::http::site::service::submissions::order;
use crate::http::site::state::Site;
use crate::signup::session::{OwnerSession, SESSION_LIFETIME};

/// The routes of an account's pages in a language.
pub(crate) fn routes(language: Language) -> Router<Arc<Site>> {
    Page::ALL.into_iter().fold(Router::new(), |router, page| {
        let serve = async move |State(site): State<Arc<Site>>, request: Request<Body>| {
            AccountRequest { site: &site, language, page }.answer(request).await
        };
        let route = match page {
            Page::Overview | Page::Data | Page::Export | Page::Paid => only("GET, HEAD", get(serve)),
            _ => only("GET, HEAD, POST", get(serve).post(serve)),
        };
        router.route(&localized(language, page.path()), route)
    })
}

/// The address of the form that orders this plan, for who sends the cookie of a session.
pub(crate) fn order_address(
    site: &Site,
    language: Language,
    plan: Plan,
    headers: &HeaderMap,
) -> Option<String> {
    let asked = AccountRequest { site, language, page: Page::Plan };
    asked.token(headers).map(|_| asked.path(&Destination::Order(plan).path()))
}

/// What the address of the account says was done just now: a subscription ended, or an order withdrawn.
const DONE: &str = "done";
const CANCELED: &str = "canceled";
const WITHDRAWN: &str = "withdrawn";

/// The plan that the query of a request names.
fn asked_plan(head: &Parts) -> Option<Plan> {
    paid_plan(&query_field(&head.uri, "plan")?)
}

/// A request for a page.
#[derive(Clone, Copy)]
struct AccountRequest<'s> {
    site: &'s Site,
    language: Language,
    page: Page,
}

/// What a form sends that mails a code to an address, or exchanges the code.
struct CodeForm<'f> {
    client: IpAddr,
    email: &'f str,
    code: Option<&'f str>,
}

/// What a request comes to.
enum PageOutcome {
    /// A page.
    Page(String),
    /// A page with a status that is not 200.
    Refused(StatusCode, String),
    /// A page that shows an error.
    Failed(ApiError, String),
    /// The way to another address.
    SeeOther(String),
    /// A page, or the way to an address, with the cookie of a new session.
    Entered(SessionToken, Box<PageOutcome>),
    /// The same, with no session any more.
    Left(Box<PageOutcome>),
    /// A file to keep.
    File(Vec<u8>),
}

impl PageOutcome {
    /// A form again, with what is wrong in it.
    fn bad_request(page: String) -> PageOutcome {
        PageOutcome::Refused(StatusCode::BAD_REQUEST, page)
    }
}

impl AccountRequest<'_> {
    async fn answer(self, request: Request<Body>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let fields = match head.method {
            Method::POST => match self.site.read_form(&head, body).await {
                Ok(fields) => fields,
                Err(error) => return self.site.unread_form(self.language, &error, &head.headers),
            },
            _ => Vec::new(),
        };
        let outcome = match self.outcome(&head, &fields).await {
            Ok(outcome) => outcome,
            Err(error) => {
                let page = pages::failed(self.site.layout(self.language), &error);
                PageOutcome::Failed(error, page)
            }
        };
        self.respond(outcome, &head.headers)
    }

    fn respond(self, outcome: PageOutcome, headers: &HeaderMap) -> Response<Body> {
        let site = self.site;
        match outcome {
            PageOutcome::Page(page) => site.uncached(StatusCode::OK, page.into(), headers),
            PageOutcome::Refused(status, page) => site.uncached(status, page.into(), headers),
            PageOutcome::Failed(error, page) => site.error(&error, page, headers),
            PageOutcome::SeeOther(address) => site.see_other(&address, headers),
            PageOutcome::Entered(token, then) => {
                let cookie = self.cookie(&token.reveal(), SESSION_LIFETIME);
                with_cookie(self.respond(*then, headers), &cookie)
            }
            PageOutcome::Left(then) => {
                with_cookie(self.respond(*then, headers), &self.cookie("", Duration::ZERO))
            }
            PageOutcome::File(file) => {
                let id = RequestId::of(headers);
                let mut response = site.protected(response::of_type(JSON, StatusCode::OK, file.into(), &id));
                let disposition = HeaderValue::from_static("attachment; filename=\"candango.json\"");
                response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
                response
            }
        }
    }

    async fn outcome(self, head: &Parts, fields: &Fields) -> Result<PageOutcome, ApiError> {
        let is_sent = head.method == Method::POST;
        let token = self.token(&head.headers);
        match self.page {
            // a reload or a bookmark of what a form leads to
            Page::SignIn | Page::SignOut if !is_sent => {
                return Ok(PageOutcome::SeeOther(self.path("/conta")));
            }
            Page::SignIn => return self.sign_in(head, fields).await,
            Page::Code if is_sent => return self.enter(head, fields).await,
            Page::Code => {
                return Ok(PageOutcome::Page(pages::code(self.layout(), &Submitted::default(), false)));
            }
            Page::SignOut => return self.sign_out(token).await,
            Page::Recover if is_sent => return self.recover(head, fields).await,
            Page::Recover => {
                let page = pages::recover(self.layout(), &Submitted::default(), CodeStep::Ask);
                return Ok(PageOutcome::Page(page));
            }
            _ => {}
        }
        let session = match &token {
            Some(token) => self.site.accounts.signup().session(token).await?,
            None => None,
        };
        let Some(session) = session else {
            return Ok(match self.page {
                Page::Overview => {
                    let submitted = Submitted::of(Destination::asked(head).with(Vec::new()));
                    PageOutcome::Page(pages::sign_in(self.layout(), &submitted))
                }
                Page::Paid => PageOutcome::Page(paid::unknown(self.layout())),
                page => {
                    let plan = asked_plan(head).or_else(|| paid_plan(field(fields, "plan")?));
                    let query = Destination::of(page, plan).query();
                    PageOutcome::SeeOther(format!("{}{query}", self.path("/conta")))
                }
            });
        };
        self.signed_in(&session, head, fields).await
    }

    /// What a request of somebody with a session comes to.
    async fn signed_in(
        self,
        session: &OwnerSession,
        head: &Parts,
        fields: &Fields,
    ) -> Result<PageOutcome, ApiError> {
        let is_sent = head.method == Method::POST;
        let account = &session.account;
        let client = self.site.accounts.client(head);
        let dispatcher = &self.site.dispatcher;
        dispatcher.gate.admit_owner(&account.id, client, dispatcher.clock.moment())?;
        match self.page {
            Page::Overview => self.overview(session, query_field(&head.uri, DONE).as_deref()).await,
            Page::Plan if is_sent => self.order(session, head, fields).await,
            Page::Plan => {
                let submitted = Submitted::of(Destination::of(Page::Plan, asked_plan(head)).with(Vec::new()));
                Ok(PageOutcome::Page(self.plan_page(&submitted, account).await?))
            }
            Page::Paid => self.paid(session).await,
            page if session.level != Level::Owner => {
                let page = pages::needs_code(self.layout(), Destination::of(page, None));
                Ok(PageOutcome::Refused(StatusCode::FORBIDDEN, page))
            }
            _ => self.owner_page(session, head, fields).await,
        }
    }

    /// What a request for a page comes to that is for the owner of the mailbox alone.
    async fn owner_page(
        self,
        session: &OwnerSession,
        head: &Parts,
        fields: &Fields,
    ) -> Result<PageOutcome, ApiError> {
        let is_sent = head.method == Method::POST;
        let account = &session.account;
        match self.page {
            Page::Key if is_sent && !Once::of_keys(session).is_in(fields) => {
                Ok(self.used("/conta/chave", self.layout().texts.account.new_key))
            }
            Page::Key if is_sent => {
                let (issued, token) = self.site.accounts.signup().replace_keys(session).await?;
                let page = pages::new_key(self.layout(), issued.key.reveal());
                Ok(PageOutcome::Entered(token, Box::new(PageOutcome::Page(page))))
            }
            Page::Key => Ok(PageOutcome::Page(pages::replace_key(self.layout(), &Once::of_keys(session)))),
            Page::Cancel => self.cancel(account, head, fields).await,
            Page::Data => {
                let stored = self.site.accounts.stored().export(&account.id).await?;
                Ok(PageOutcome::Page(pages::data(self.layout(), account, &stored)))
            }
            Page::Export => {
                let stored = self.site.accounts.stored().export(&account.id).await?;
                let file = serde_json::to_vec_pretty(&stored).map_err(|_| ApiError::Internal)?;
                Ok(PageOutcome::File(file))
            }
            Page::Email if is_sent => self.change_email(session, head, fields).await,
            Page::Email => {
                Ok(PageOutcome::Page(pages::email(self.layout(), &Submitted::default(), CodeStep::Ask)))
            }
            Page::Tokens if is_sent => self.change_tokens(session, fields).await,
            Page::Tokens => Ok(PageOutcome::Page(self.token_page(session, &Submitted::default()).await?)),
            Page::Calendars if is_sent => self.change_calendars(session, fields).await,
            Page::Calendars => {
                Ok(PageOutcome::Page(self.calendar_page(session, &Submitted::default()).await?))
            }
            Page::Webhook if is_sent => self.change_webhook(session, fields).await,
            Page::Webhook => Ok(PageOutcome::Page(self.webhook_page(session, &Submitted::default()).await?)),
            Page::Delete if is_sent => self.delete(account, field(fields, "email")).await,
            _ => Ok(PageOutcome::Page(pages::delete(self.layout(), &Submitted::default()))),
        }
    }

    /// Mails a code, or opens a session with a key.
    async fn sign_in(self, head: &Parts, fields: &Fields) -> Result<PageOutcome, ApiError> {
        let client = self.site.accounts.client(head);
        let signup = self.site.accounts.signup();
        let destination = Destination::sent(fields);
        let refused = |error: ApiError, values: Vec<(&'static str, &str)>| {
            let submitted = self.submitted(destination.with(values), &error);
            Ok(PageOutcome::Failed(error, pages::sign_in(self.layout(), &submitted)))
        };
        if let Some(key) = field(fields, "key") {
            let holder = self.site.dispatcher.holder(Ok(Some(key.as_bytes()))).await;
            let entered = match holder {
                Ok(Some(caller)) => signup.enter_with_key(&caller, client).await,
                Ok(None) => Err(ApiError::InvalidKey),
                Err(error) => Err(error),
            };
            return match entered {
                Ok(token) => Ok(self.entered(token, destination)),
                Err(error) => refused(error, Vec::new()),
            };
        }
        let email = field(fields, "email").unwrap_or_default();
        match signup.mail_sign_in_code(email, client).await {
            Ok(()) => {
                let submitted = Submitted::of(destination.with(vec![("email", email)]));
                Ok(PageOutcome::Page(pages::code(self.layout(), &submitted, true)))
            }
            Err(error) => refused(error, vec![("email", email)]),
        }
    }

    /// Opens a session with a code.
    async fn enter(self, head: &Parts, fields: &Fields) -> Result<PageOutcome, ApiError> {
        let client = self.site.accounts.client(head);
        let [email, code] = ["email", "code"].map(|name| field(fields, name).unwrap_or_default());
        let destination = Destination::sent(fields);
        match self.site.accounts.signup().enter_with_code(email, code, client).await {
            Ok(token) => Ok(self.entered(token, destination)),
            Err(error) => {
                let submitted = self.submitted(destination.with(vec![("email", email)]), &error);
                Ok(PageOutcome::Failed(error, pages::code(self.layout(), &submitted, false)))
            }
        }
    }

    async fn sign_out(self, token: Option<SessionToken>) -> Result<PageOutcome, ApiError> {
        if let Some(token) = token {
            self.site.accounts.signup().sign_out(&token).await?;
        }
        Ok(PageOutcome::Left(Box::new(PageOutcome::SeeOther(self.path("/conta")))))
    }

    /// Mails a code for a new key, or exchanges one, which signs in too.
    async fn recover(self, head: &Parts, fields: &Fields) -> Result<PageOutcome, ApiError> {
        let CodeForm { client, email, code } = self.code_form(head, fields);
        let signup = self.site.accounts.signup();
        let refused = |error, step| Ok(self.refused_code(email, error, step, pages::recover));
        if let Some(code) = code {
            return match signup.redeem_and_enter(email, code, client).await {
                Ok((issued, session)) => {
                    let page = PageOutcome::Page(pages::new_key(self.layout(), issued.key.reveal()));
                    Ok(match session {
                        Some(token) => PageOutcome::Entered(token, Box::new(page)),
                        None => page,
                    })
                }
                Err(error) => refused(error, CodeStep::Refused),
            };
        }
        match signup.recover(email, client).await {
            Ok(()) => {
                let submitted = Submitted::of(vec![("email", email)]);
                Ok(PageOutcome::Page(pages::recover(self.layout(), &submitted, CodeStep::Mailed)))
            }
            Err(error) => refused(error, CodeStep::Ask),
        }
    }

    /// The answer to a form of the page at `path` that has worked already.
    fn used(self, path: &str, back: &str) -> PageOutcome {
        PageOutcome::Refused(StatusCode::CONFLICT, pages::used(self.layout(), path, back))
    }

    async fn overview(self, session: &OwnerSession, done: Option<&str>) -> Result<PageOutcome, ApiError> {
        let OwnerSession { level, account, .. } = session;
        let moment = self.site.dispatcher.clock.moment();
        let (spent, left, figures) = self.site.dispatcher.gate.account_usage(account, moment).await?;
        let billing = self.site.billing.service();
        let (status, orders) = (billing.status(&account.id).await?, billing.orders(&account.id).await?);
        let words = &self.layout().texts.account;
        let is_waiting = orders.iter().any(Order::is_open);
        let overview = Overview {
            level: *level,
            account,
            usage: Usage { spent: &spent, left, figures },
            next_plan: self.next_plan(account, &status).await?,
            status: &status,
            has_open_order: is_waiting,
            payments: payments::payments(self.layout(), &orders, &status, moment.at),
            // an address alone says nothing of what still renews or waits
            done: match done {
                Some(CANCELED) if !status.auto_renew && !is_waiting => Some(words.canceled),
                Some(WITHDRAWN) if !is_waiting => Some(words.withdrawn),
                _ => None,
            },
        };
        Ok(PageOutcome::Page(pages::overview(self.layout(), &overview)))
    }

    async fn order(
        self,
        session: &OwnerSession,
        head: &Parts,
        fields: &Fields,
    ) -> Result<PageOutcome, ApiError> {
        let (account, billing, order) = (&session.account, &self.site.billing, order(fields));
        let (by, client) = (OrderedBy::Session(session.level), self.site.accounts.client(head));
        let mistakes = order.mistakes();
        let placed = match billing.sandbox().check(&head.uri, &head.headers) {
            // an owner sees all that is wrong at once
            Ok(()) if !mistakes.is_empty() => Err(mistakes),
            Ok(()) => {
                let ordered = billing.service().checkout(account, by, client, order).await;
                ordered.map_err(|error| vec![error])
            }
            Err(error) => Err(vec![error]),
        };
        match placed {
            Ok(checkout) => {
                Ok(PageOutcome::SeeOther(self.site.payment_page(checkout.pay_url, self.language)))
            }
            Err(wrong) => {
                let echoed = ["plan", "name", "method"].into_iter();
                let values = echoed.filter_map(|name| Some((name, field(fields, name)?))).collect();
                let errors = wrong.iter().map(|error| FormError::new(self.layout().texts, error)).collect();
                let page = self.plan_page(&Submitted { values, errors }, account).await?;
                let first = wrong.into_iter().next().unwrap_or(ApiError::Internal);
                Ok(PageOutcome::Failed(first, page))
            }
        }
    }

    /// The plan after the paid time: that which the operator gives for longer, or the free one.
    async fn next_plan(self, account: &Account, status: &BillingStatus) -> Result<Plan, ApiError> {
        let grant = self.site.billing.service().grant_of(&account.id).await?;
        let grant = grant.filter(|grant| Some(grant.until) > status.paid_until);
        Ok(grant.map_or(Plan::Free, |grant| grant.plan))
    }

    /// Cancels what renews, or withdraws an order that waits, once that is confirmed: the order alone where the form
    /// says so, and where nothing renews.
    async fn cancel(self, account: &Account, head: &Parts, fields: &Fields) -> Result<PageOutcome, ApiError> {
        let billing = self.site.billing.service();
        let is_confirmed = head.method == Method::POST && field(fields, "confirm") == Some("yes");
        let status = billing.status(&account.id).await?;
        let orders = billing.orders(&account.id).await?;
        let waiting = orders.iter().rev().find(|order| order.is_open());
        let done = |what: &str| Ok(PageOutcome::SeeOther(format!("{}?{DONE}={what}", self.path("/conta"))));
        let names_order =
            query_field(&head.uri, WHAT).as_deref() == Some(ORDER) || field(fields, WHAT) == Some(ORDER);
        if let Some(order) = waiting.filter(|_| names_order || !status.auto_renew) {
            if !is_confirmed {
                return Ok(PageOutcome::Page(pages::withdraw(self.layout(), order)));
            }
            return match billing.withdraw(&account.id).await? {
                true => done(WITHDRAWN),
                // it was paid meanwhile, which the first page shows
                false => Ok(PageOutcome::SeeOther(self.path("/conta"))),
            };
        }
        // who withdrew an order that is paid by now has not confirmed the end of its plan
        let asked = match billing.cancel(&account.id, is_confirmed && !names_order).await {
            Ok(canceled) if canceled.canceled => return done(CANCELED),
            Ok(asked) => Some(asked),
            Err(ApiError::NothingToCancel) => None,
            Err(error) => return Err(error),
        };
        Ok(PageOutcome::Page(pages::cancel(self.layout(), asked, waiting)))
    }

    /// Mails a code to another address, or exchanges one.
    async fn change_email(
        self,
        owner: &OwnerSession,
        head: &Parts,
        fields: &Fields,
    ) -> Result<PageOutcome, ApiError> {
        let CodeForm { client, email, code } = self.code_form(head, fields);
        let signup = self.site.accounts.signup();
        let refused = |error, step| Ok(self.refused_code(email, error, step, pages::email));
        let Some(code) = code else {
            return match signup.mail_new_address(owner, email, client).await {
                Ok(address) => {
                    let submitted = Submitted::of(vec![("email", address.as_str())]);
                    Ok(PageOutcome::Page(pages::email(self.layout(), &submitted, CodeStep::Mailed)))
                }
                Err(error) => refused(error, CodeStep::Ask),
            };
        };
        match signup.redeem_new_address(owner, email, code, client).await {
            Ok(Some(token)) => {
                self.site.accounts.stored().note_by_owner(&owner.account.id, "account email").await?;
                Ok(self.entered(token, Destination::Overview))
            }
            Ok(None) => {
                let sentence = self.layout().texts.account.address_taken.to_owned();
                let error = FormError::of(Some("email"), sentence);
                let submitted = Submitted::wrong(vec![("email", email)], error);
                let page = pages::email(self.layout(), &submitted, CodeStep::Ask);
                Ok(PageOutcome::Refused(StatusCode::CONFLICT, page))
            }
            Err(error) => refused(error, CodeStep::Refused),
        }
    }

    async fn delete(self, account: &Account, email: Option<&str>) -> Result<PageOutcome, ApiError> {
        let typed = email.unwrap_or_default();
        if !typed.eq_ignore_ascii_case(account.email.as_str()) {
            let sentence = self.layout().texts.account.wrong_email.to_owned();
            let error = FormError::of(Some("email"), sentence);
            let submitted = Submitted::wrong(vec![("email", typed)], error);
            return Ok(PageOutcome::bad_request(pages::delete(self.layout(), &submitted)));
        }
        match self.site.accounts.stored().erase_for_owner(account).await {
            Ok(_) | Err(EraseError::Gone) => {
                Ok(PageOutcome::Left(Box::new(PageOutcome::Page(pages::deleted(self.layout())))))
            }
            Err(EraseError::Charging(_)) => Err(ApiError::GatewayUnavailable),
            Err(EraseError::Store(error)) => Err(error.into()),
            Err(_) => Err(ApiError::Internal),
        }
    }

    /// The beginning of a session, which goes on to what was asked for before.
    fn entered(self, token: SessionToken, destination: Destination) -> PageOutcome {
        let next = PageOutcome::SeeOther(self.path(&destination.path()));
        PageOutcome::Entered(token, Box::new(next))
    }

    async fn plan_page(self, submitted: &Submitted<'_>, account: &Account) -> Result<String, ApiError> {
        let worth = self.site.billing.service().worth_in_days(&account.id).await?;
        Ok(pages::plan(self.layout(), &self.site.plans, submitted, account.plan, &worth))
    }

    fn submitted<'v>(self, values: Vec<(&'static str, &'v str)>, error: &ApiError) -> Submitted<'v> {
        Submitted::wrong(values, FormError::new(self.layout().texts, error))
    }

    fn code_form<'f>(self, head: &Parts, fields: &'f Fields) -> CodeForm<'f> {
        CodeForm {
            client: self.site.accounts.client(head),
            email: field(fields, "email").unwrap_or_default(),
            code: fields.iter().find(|(name, _)| name == "code").map(|(_, code)| code.trim()),
        }
    }

    /// The form of [`CodeForm`] again, with an error.
    fn refused_code(
        self,
        email: &str,
        error: ApiError,
        step: CodeStep,
        page: fn(&Layout, &Submitted<'_>, CodeStep) -> String,
    ) -> PageOutcome {
        let page = page(self.layout(), &self.submitted(vec![("email", email)], &error), step);
        PageOutcome::Failed(error, page)
    }

    fn path(self, path: &str) -> String {
        localized(self.language, path)
    }

    /// The token in the cookie of a request.
    fn token(self, headers: &HeaderMap) -> Option<SessionToken> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie_name()).and_then(|(_, value)| SessionToken::parse(value))
    }

    /// Browsers take a `__Host-` cookie from this very host only, which needs https.
    fn cookie_name(self) -> &'static str {
        if self.site.is_https { "__Host-candango" } else { "candango" }
    }

    fn cookie(self, value: &str, lifetime: Duration) -> String {
        let secure = if self.site.is_https { "; Secure" } else { "" };
        let (name, seconds) = (self.cookie_name(), lifetime.as_secs());
        format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
    }
}

impl<'s> AccountRequest<'s> {
    fn layout(self) -> &'s Layout {
        self.site.layout(self.language)
    }
}

fn with_cookie(mut response: Response<Body>, cookie: &str) -> Response<Body> {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
