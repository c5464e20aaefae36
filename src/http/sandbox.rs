//! The payment page of the sandbox gateway, with buttons for what a payer, a bank and time would do.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, State};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderValue, LOCATION};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode, Uri};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::billing::Billing;
use super::caller::{Peer, RequestId};
use super::html;
use super::language::Language;
use super::origins::is_same_origin;
use super::response;
use super::site::texts;
use crate::domain::account::OrderId;
use crate::domain::error::ApiError;
use crate::domain::order::{ChargeState, Method, Order, Renewal};
use crate::domain::plan::reais;
use crate::gateway::Gateway;
use crate::gateway::sandbox::{Sandbox, SandboxAction};

const STYLE: &str = include_str!("sandbox.css");

/// The page may apply its own style and submit its form, and nothing else.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let style = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    // Base64 is a valid header value
    HeaderValue::try_from(policy).unwrap_or(html::DENY_ALL)
});

const MAX_FORM_BYTES: usize = 1_024;

/// How long a submission waits for its effect, so that the page shown next has it.
const EFFECT_TIMEOUT: Duration = Duration::from_secs(2);
const EFFECT_POLL: Duration = Duration::from_millis(20);

/// `GET /sandbox/{order}`.
pub async fn show(
    State(billing): State<Arc<Billing>>,
    Path(order): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Response<Body> {
    let id = RequestId::of(&headers);
    let order = match billing.sandbox().check(&uri, &headers) {
        Ok(()) => find_order(&billing, order).await,
        Err(error) => Err(error),
    };
    match order {
        Ok(order) => {
            let page =
                page(billing.service_name(), &order, Language::negotiate(&uri, &headers)).into_string();
            let mut response = response::html(StatusCode::OK, page.into(), &id);
            html::protect(response.headers_mut(), &POLICY);
            response
        }
        Err(error) => response::error(&error, &id),
    }
}

/// `POST /sandbox/{order}`: a button was pressed.
pub async fn press(
    State(billing): State<Arc<Billing>>,
    Path(order): Path<String>,
    request: Request<Body>,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let id = RequestId::of(&head.headers);
    let pressed = match billing.sandbox().check(&head.uri, &head.headers) {
        Ok(()) => handle_press(&billing, order, &head, body).await,
        Err(error) => Err(error),
    };
    match pressed {
        Ok(order) => {
            let language = Language::negotiate(&head.uri, &head.headers).code();
            let mut response = response::text(StatusCode::SEE_OTHER, Bytes::new(), &id);
            if let Ok(to) = HeaderValue::from_str(&format!("/sandbox/{order}?lang={language}")) {
                response.headers_mut().insert(LOCATION, to);
            }
            response
        }
        Err(error) => response::error(&error, &id),
    }
}

/// An order of the sandbox gateway.
async fn find_order(billing: &Billing, order: String) -> Result<Order, ApiError> {
    if !matches!(billing.service().gateway(), Some(Gateway::Sandbox(_))) {
        return Err(ApiError::NotFound);
    }
    billing.service().order(&OrderId::from_stored(order)).await?.ok_or(ApiError::NotFound)
}

/// Sends the webhook event of a button and waits until the order has changed.
async fn handle_press(
    billing: &Billing,
    order: String,
    head: &Parts,
    body: Body,
) -> Result<OrderId, ApiError> {
    if !is_same_origin(&head.headers) {
        return Err(ApiError::ForeignForm);
    }
    let before = find_order(billing, order).await?;
    let peer = Peer::noted(&head.extensions);
    let body = billing.bodies().read(&head.headers, peer, body, MAX_FORM_BYTES).await?;
    let mut sent = url::form_urlencoded::parse(&body).filter(|(name, _)| name == "do");
    let pressed = sent.find_map(|(_, value)| value.parse::<SandboxAction>().ok());
    let press = pressed.ok_or(ApiError::MissingParam { param: "do" })?;
    if !buttons(&before).contains(&press) {
        return Ok(before.id);
    }
    billing.service().store_webhook(Sandbox::webhook(&before, press).to_string().as_bytes()).await?;
    let changed = async {
        while billing.service().order(&before.id).await?.is_some_and(|after| after == before) {
            tokio::time::sleep(EFFECT_POLL).await;
        }
        Ok::<(), ApiError>(())
    };
    // a repeated event changes nothing
    let _ = tokio::time::timeout(EFFECT_TIMEOUT, changed).await;
    Ok(before.id)
}

/// The state of the order's charge.
fn charge_state(order: &Order) -> ChargeState {
    order.charges.values().map(|charge| charge.state).next().unwrap_or_default()
}

/// The buttons that have an effect in the state of the order.
fn buttons(order: &Order) -> &'static [SandboxAction] {
    match charge_state(order) {
        ChargeState::Pending { .. } if order.renewal != Renewal::On => &[],
        ChargeState::Pending { overdue: true, refused: true, .. } => &[SandboxAction::Pay],
        ChargeState::Pending { overdue: true, .. } => &[SandboxAction::Pay, SandboxAction::Fail],
        ChargeState::Pending { refused: true, .. } => &[SandboxAction::Pay, SandboxAction::Expire],
        ChargeState::Pending { .. } => &[SandboxAction::Pay, SandboxAction::Fail, SandboxAction::Expire],
        ChargeState::Paid { .. } => &[SandboxAction::Refund],
        ChargeState::Refunded => &[],
    }
}

/// The page, in one language.
fn page(service: &str, order: &Order, language: Language) -> Markup {
    let texts = texts::of(language);
    let (words, common, order_id) = (&texts.sandbox, &texts.layout, order.id.as_str());
    let (class, state, next) = match charge_state(order) {
        ChargeState::Pending { .. } if order.renewal != Renewal::On => ("back", words.closed, ""),
        ChargeState::Pending { refused: true, .. } => ("over", words.declined, ""),
        ChargeState::Pending { overdue: true, .. } => ("over", words.overdue, ""),
        ChargeState::Pending { .. } => ("waits", words.awaiting, ""),
        ChargeState::Paid { .. } => ("paid", words.paid, words.paid_next),
        ChargeState::Refunded => ("back", words.refunded, words.refunded_next),
    };
    let method = match order.method {
        Method::Pix => "Pix",
        Method::Boleto => common.bank_slip,
        Method::CreditCard => common.credit_card,
        Method::Undefined => words.any_method,
    };
    let due_date = order.due_date.format(texts.calendar.short_date).to_string();
    let price = reais(order.cents);
    let languages = [("pt", "PT", Language::Portuguese), ("en", "EN", Language::English)];
    let facts = [(words.method, method), (words.due, &due_date), (words.order, order_id)];
    html! {
        (DOCTYPE)
        html lang=(language.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (words.title) " · " (service) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    header {
                        strong { (service) }
                        nav aria-label=(texts.language) {
                            @for (code, label, link) in languages {
                                a href={ "?lang=" (code) } lang=(code) hreflang=(code)
                                    aria-current=[(link == language).then_some("page")] { (label) }
                            }
                        }
                    }
                    h1 { (words.title) ": " (order.plan.title()) }
                    p.price { (price) " " small { (common.per_month) } }
                    p class={ "state " (class) } role="status" {
                        (state) @if !next.is_empty() { span { (next) } }
                    }
                    dl { @for (term, text) in facts { div { dt { (term) } dd { (text) } } } }
                    form method="post" action={ "/sandbox/" (order_id) "?lang=" (language.code()) } {
                        @for press in buttons(order) { (button(words, *press, &price)) }
                    }
                    @if class == "paid" {
                        p { a href=(language.pick("/conta/pago", "/en/account/paid")) { (texts.account.see_account) } }
                    }
                    p.note { (words.note) }
                }
            }
        }
    }
}

fn button(words: &texts::Sandbox, press: SandboxAction, price: &str) -> Markup {
    let (label, is_main) = match press {
        SandboxAction::Pay => (format!("{} {price}", words.pay), true),
        SandboxAction::Fail => (words.decline.to_owned(), false),
        SandboxAction::Expire => (words.expire.to_owned(), false),
        SandboxAction::Refund => (words.refund.to_owned(), false),
    };
    html! { button name="do" value=(press.as_str()) class=[is_main.then_some("main")] { (label) } }
}
