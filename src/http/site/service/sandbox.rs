//! The payment page of the sandbox gateway, with buttons for what a payer, a bank and time would do.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, State};
use hyper::header::HeaderMap;
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode, Uri};
use maud::{Markup, html};

use crate::domain::account::OrderId;
use crate::domain::error::ApiError;
use crate::domain::order::{ChargeState, Method, Order, Renewal};
use crate::gateway::Gateway;
use crate::gateway::sandbox::{Sandbox, SandboxAction};
use crate::http::billing::Billing;
use crate::http::caller::Peer;
use crate::http::error_response;
use crate::http::language::Language;
use crate::http::origins::is_same_origin;
use crate::http::site::layout::{Layout, Meta, strip};
use crate::http::site::state::Site;
use crate::http::site::texts;

const MAX_FORM_BYTES: usize = 1_024;

/// How long a submission waits for its effect, so that the page shown next has it.
const EFFECT_TIMEOUT: Duration = Duration::from_secs(2);
const EFFECT_POLL: Duration = Duration::from_millis(20);

/// `GET /sandbox/{order}`.
pub(crate) async fn show(
    State(site): State<Arc<Site>>,
    Path(order): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Response<Body> {
    let billing = &site.billing;
    let order = match billing.sandbox().check(&uri, &headers) {
        Ok(()) => find_order(billing, &order).await,
        Err(error) => Err(error),
    };
    match order {
        Ok(order) => {
            let layout = site.layout(Language::negotiate(&uri, &headers));
            site.uncached(StatusCode::OK, page(layout, &order).into(), &headers)
        }
        Err(error) => error_response(&error, &headers),
    }
}

/// `POST /sandbox/{order}`: a button was pressed.
pub(crate) async fn press(
    State(site): State<Arc<Site>>,
    Path(order): Path<String>,
    request: Request<Body>,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let billing = &site.billing;
    let pressed = match billing.sandbox().check(&head.uri, &head.headers) {
        Ok(()) => handle_press(billing, &order, &head, body).await,
        Err(error) => Err(error),
    };
    match pressed {
        Ok(order) => {
            let language = Language::negotiate(&head.uri, &head.headers).code();
            site.see_other(&format!("/sandbox/{order}?lang={language}"), &head.headers)
        }
        Err(error) => error_response(&error, &head.headers),
    }
}

/// An order of the sandbox gateway.
async fn find_order(billing: &Billing, order: &str) -> Result<Order, ApiError> {
    if !matches!(billing.service().gateway(), Some(Gateway::Sandbox(_))) {
        return Err(ApiError::NotFound);
    }
    let order = OrderId::parse(order).ok_or(ApiError::NotFound)?;
    billing.service().order(&order).await?.ok_or(ApiError::NotFound)
}

/// Sends the webhook event of a button and waits until the order has changed.
async fn handle_press(billing: &Billing, order: &str, head: &Parts, body: Body) -> Result<OrderId, ApiError> {
    if !is_same_origin(&head.headers) {
        return Err(ApiError::ForeignForm);
    }
    let before = find_order(billing, order).await?;
    let peer = Peer::noted(&head.extensions);
    let body = billing.bodies().read(&head.headers, peer, body, MAX_FORM_BYTES).await?;
    let mut sent = url::form_urlencoded::parse(&body).filter(|(name, _)| name == "do");
    let pressed = sent.find_map(|(_, value)| value.parse::<SandboxAction>().ok());
    let press = pressed.ok_or_else(|| ApiError::missing("do"))?;
    let Standing(.., buttons) = Standing::of(&before);
    if !buttons.contains(&press) {
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

/// How an order stands: whether something is wrong, what the page says of that and of what comes next, and the buttons
/// that have an effect.
struct Standing(bool, fn(&texts::Sandbox) -> [&'static str; 2], &'static [SandboxAction]);

impl Standing {
    fn of(order: &Order) -> Standing {
        use SandboxAction::{Expire, Fail, Pay, Refund};
        match charge_state(order) {
            ChargeState::Pending { .. } if order.renewal != Renewal::On => {
                Standing(true, |words| [words.closed, ""], &[])
            }
            ChargeState::Pending { overdue: true, refused: true, .. } => {
                Standing(true, |words| [words.overdue_declined, ""], &[Pay])
            }
            ChargeState::Pending { overdue: true, .. } => {
                Standing(true, |words| [words.overdue, ""], &[Pay, Fail])
            }
            ChargeState::Pending { refused: true, .. } => {
                Standing(true, |words| [words.declined, ""], &[Pay, Expire])
            }
            ChargeState::Pending { .. } => {
                Standing(false, |words| [words.awaiting, ""], &[Pay, Fail, Expire])
            }
            ChargeState::Paid { .. } => Standing(false, |words| [words.paid, words.paid_next], &[Refund]),
            ChargeState::Refunded => Standing(true, |words| [words.refunded, words.refunded_next], &[]),
        }
    }
}

/// The state of the order's charge.
fn charge_state(order: &Order) -> ChargeState {
    order.charges.values().map(|charge| charge.state).next().unwrap_or_default()
}

/// The page, in one language.
fn page(layout: &Layout, order: &Order) -> String {
    let (words, common, order_id) = (&layout.texts.sandbox, &layout.texts.layout, order.id.as_str());
    let Standing(is_wrong, says, buttons) = Standing::of(order);
    let [state, next] = says(words);
    let method = match order.method {
        Method::Pix => "Pix",
        Method::Boleto => common.bank_slip,
        Method::CreditCard => common.credit_card,
        Method::Undefined => words.any_method,
    };
    let due_date = order.due_date.format(layout.texts.calendar.short_date).to_string();
    let price = layout.texts.calendar.price(order.cents);
    let title = format!("{}: {}", words.title, order.plan.title());
    let facts = [(words.method, method), (words.due, &due_date), (words.order, order_id)];
    let path = format!("/sandbox/{order_id}");
    let main = html! {
        (strip(8))
        div.wide.narrow-top.split {
            div {
                h1 { (title) }
                p.price { (price) " " small { (common.per_month) } }
                p.status.no[is_wrong] role="status" { b { (state) @if !next.is_empty() { "." } } @if !next.is_empty() { " " (next) } }
                dl.facts { @for (term, text) in facts { div { dt { (term) } dd { (text) } } } }
            }
            div.sheet {
                @if !buttons.is_empty() {
                    form.choice method="post" action={ (path) "?lang=" (layout.language.code()) } {
                        @for press in buttons { (button(words, *press, &price)) }
                    }
                }
                @if matches!(charge_state(order), ChargeState::Paid { .. }) {
                    p { a href=(layout.path("/conta/pago")) { (layout.texts.account.see_account) } }
                }
                p.help { (words.note) }
            }
        }
    };
    layout.page(&Meta { title: &title, description: words.note, path: &path, query: "", listed: false }, main)
}

fn button(words: &texts::Sandbox, press: SandboxAction, price: &str) -> Markup {
    let (label, is_main) = match press {
        SandboxAction::Pay => (format!("{} {price}", words.pay), true),
        SandboxAction::Fail => (words.decline.to_owned(), false),
        SandboxAction::Expire => (words.expire.to_owned(), false),
        SandboxAction::Refund => (words.refund.to_owned(), false),
    };
    html! { button.button-quiet[!is_main] name="do" value=(press.as_str()) { (label) } }
}
