//! The sandbox's payment page: what a payer would see, with buttons for what a payer, a bank and time would do. It is
//! made here, works without scripts, and asks nothing of any other host. Uses [`super::billing`] (its door),
//! [`super::caller`], [`super::html`], [`super::response`], [`crate::billing::service`] and [`crate::gateway`].

use std::fmt::Write;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Path, State};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderValue, LOCATION};
use hyper::{Request, Response, StatusCode, Uri};
use sha2::{Digest, Sha256};

use super::billing::Billing;
use super::caller::RequestId;
use super::html::{self, Language, escaped};
use super::response;
use crate::domain::account::OrderId;
use crate::domain::error::ApiError;
use crate::domain::order::{Charge, ChargeState, Method, Order, Renewal};
use crate::domain::plan::reais;
use crate::gateway::Gateway;
use crate::gateway::sandbox::{Sandbox, SandboxAction};

const STYLE: &str = include_str!("sandbox.css");

/// The page may do nothing but show itself in this style and send its form home.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let style = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    // Base64 is always a value.
    HeaderValue::try_from(policy).unwrap_or(html::NOTHING)
});

/// Most bytes of the form.
const MOST_BYTES: usize = 1_024;

/// How long what a button does is waited for, so that the page that comes next shows it.
const SHOWS_WITHIN: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// `GET /sandbox/{order}`.
pub async fn show(
    State(door): State<Arc<Billing>>,
    Path(order): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Response<Body> {
    let id = RequestId::of(&headers);
    match found(&door, order).await {
        Ok(order) => page(door.service_name(), &order, Language::of(&uri, &headers), &id),
        Err(refusal) => response::refusal(&refusal, &id),
    }
}

/// `POST /sandbox/{order}`: a button was pressed.
pub async fn press(
    State(door): State<Arc<Billing>>,
    Path(order): Path<String>,
    request: Request<Body>,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let id = RequestId::of(&head.headers);
    match pressed(&door, order, body).await {
        Ok(order) => {
            let language = Language::of(&head.uri, &head.headers).code();
            let mut response = response::text(StatusCode::SEE_OTHER, Bytes::new(), &id);
            if let Ok(to) = HeaderValue::from_str(&format!("/sandbox/{}?lang={language}", order.id)) {
                response.headers_mut().insert(LOCATION, to);
            }
            response
        }
        Err(refusal) => response::refusal(&refusal, &id),
    }
}

/// The order of a page, where there is a sandbox.
async fn found(door: &Billing, order: String) -> Result<Order, ApiError> {
    if !matches!(door.service().gateway(), Some(Gateway::Sandbox(_))) {
        return Err(ApiError::NotFound);
    }
    door.service().order(&OrderId::from_stored(order)).await?.ok_or(ApiError::NotFound)
}

/// Tells of a press in the words of a gateway, and waits until it shows.
async fn pressed(door: &Billing, order: String, body: Body) -> Result<Order, ApiError> {
    let before = found(door, order).await?;
    let body =
        to_bytes(body, MOST_BYTES).await.map_err(|_| ApiError::BodyTooLarge { max_bytes: MOST_BYTES })?;
    let pressed = url::form_urlencoded::parse(&body).find_map(|(name, value)| {
        SandboxAction::ALL.into_iter().find(|press| name == "do" && value == press.as_str())
    });
    let press = pressed.ok_or(ApiError::MissingParam { param: "do" })?;
    if !presses(&before).contains(&press) {
        return Ok(before);
    }
    door.service().store_webhook(Sandbox::webhook(&before, press).to_string().as_bytes()).await?;
    let shows = async {
        while door.service().order(&before.id).await?.is_some_and(|after| after == before) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok::<(), ApiError>(())
    };
    // one that was pressed before shows no more than it did
    let _ = tokio::time::timeout(SHOWS_WITHIN, shows).await;
    Ok(before)
}

fn standing(order: &Order) -> ChargeState {
    order.charges.values().map(|charge: &Charge| charge.state).next().unwrap_or_default()
}

/// The buttons that do something yet.
fn presses(order: &Order) -> &'static [SandboxAction] {
    match standing(order) {
        ChargeState::Pending { .. } if order.renewal != Renewal::On => &[],
        ChargeState::Pending { overdue: true, refused: true, .. } => &[SandboxAction::Pay],
        ChargeState::Pending { overdue: true, .. } => &[SandboxAction::Pay, SandboxAction::Fail],
        ChargeState::Pending { refused: true, .. } => &[SandboxAction::Pay, SandboxAction::Expire],
        ChargeState::Pending { .. } => &[SandboxAction::Pay, SandboxAction::Fail, SandboxAction::Expire],
        ChargeState::Paid { .. } => &[SandboxAction::Refund],
        ChargeState::Refunded => &[],
    }
}

fn page(service: &str, order: &Order, language: Language, id: &RequestId) -> Response<Body> {
    let html = written(service, order, language);
    let mut response = response::html(StatusCode::OK, html.into(), id);
    html::protect(response.headers_mut(), &POLICY);
    response
}

/// The page. What is put in comes from our own books and settings, and is escaped all the same.
fn written(service: &str, order: &Order, language: Language) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let (class, state) = match standing(order) {
        ChargeState::Pending { .. } if order.renewal != Renewal::On => {
            ("back", say("Este pedido foi encerrado", "This order was closed"))
        }
        ChargeState::Pending { refused: true, .. } => {
            ("over", say("Cartão recusado: tente de novo", "Card declined: try again"))
        }
        ChargeState::Pending { overdue: true, .. } => {
            ("over", say("Vencido: ainda pode ser pago", "Overdue: it can still be paid"))
        }
        ChargeState::Pending { .. } => ("waits", say("Aguardando pagamento", "Awaiting payment")),
        ChargeState::Paid { .. } => ("paid", say("Pagamento confirmado", "Payment confirmed")),
        ChargeState::Refunded => ("back", say("Pagamento devolvido", "Payment refunded")),
    };
    let follows = match standing(order) {
        ChargeState::Pending { .. } => "",
        ChargeState::Paid { .. } => say(
            "<span>A chave é a mesma, já no novo plano.</span>",
            "<span>Your key stays the same, now on the new plan.</span>",
        ),
        ChargeState::Refunded => say(
            "<span>O mês que ele comprou foi retirado.</span>",
            "<span>The month it bought was taken back.</span>",
        ),
    };
    let method = match order.method {
        Method::Pix => "Pix",
        Method::Boleto => say("Boleto", "Boleto (bank slip)"),
        Method::CreditCard => say("Cartão de crédito", "Credit card"),
        Method::Undefined => say("Pix, boleto ou cartão", "Pix, boleto or card"),
    };
    let due_date = match language {
        Language::Portuguese => order.due_date.format("%d/%m/%Y").to_string(),
        Language::English => order.due_date.format("%-d %B %Y").to_string(),
    };
    let price = escaped(&reais(order.cents)).into_owned();
    let mut buttons = String::new();
    for press in presses(order) {
        let label = match press {
            SandboxAction::Pay => format!("{} {price}", say("Pagar", "Pay")),
            SandboxAction::Fail => say("Simular cartão recusado", "Simulate a declined card").to_owned(),
            SandboxAction::Expire => say("Simular vencimento", "Simulate the due date passing").to_owned(),
            SandboxAction::Refund => say("Devolver o pagamento", "Refund the payment").to_owned(),
        };
        let class = if *press == SandboxAction::Pay { " class=\"main\"" } else { "" };
        // writing to a String cannot fail
        let _ = write!(buttons, "\n<button name=\"do\" value=\"{}\"{class}>{label}</button>", press.as_str());
    }
    let current = |link: Language| if link == language { " aria-current=\"page\"" } else { "" };
    let (service, order_id) = (escaped(service), escaped(order.id.as_str()));
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>{title} · {service}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<main>\n<header><strong>{service}</strong>\n\
         <nav aria-label=\"{languages}\"><a href=\"?lang=pt\" lang=\"pt\" hreflang=\"pt\"{pt}>PT</a>\
         <a href=\"?lang=en\" lang=\"en\" hreflang=\"en\"{en}>EN</a></nav></header>\n\
         <h1>{title}: {plan}</h1>\n<p class=\"price\">{price} <small>{per_month}</small></p>\n\
         <p class=\"state {class}\" role=\"status\">{state}{follows}</p>\n\
         <dl>\n<div><dt>{pay_by}</dt><dd>{method}</dd></div>\n<div><dt>{due}</dt><dd>{due_date}</dd></div>\n\
         <div><dt>{name}</dt><dd>{order_id}</dd></div>\n</dl>\n\
         <form method=\"post\" action=\"/sandbox/{order_id}?lang={lang}\">{buttons}</form>\n\
         <p class=\"note\">{note}</p>\n</main>\n</body>\n</html>\n",
        lang = language.code(),
        title = say("Assinatura", "Subscription"),
        languages = say("Idioma", "Language"),
        pt = current(Language::Portuguese),
        en = current(Language::English),
        plan = order.plan.title(),
        per_month = say("por mês", "a month"),
        pay_by = say("Pagamento", "Pay by"),
        due = say("Vencimento", "Due"),
        name = say("Pedido", "Order"),
        note = say(
            "Ambiente de testes: nenhum valor é cobrado. Os botões fazem o que um pagador, um banco e o tempo fariam.",
            "Test environment: nothing is charged. The buttons do what a payer, a bank and time would do."
        ),
    )
}
