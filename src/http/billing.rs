//! The billing endpoints under `/v1`, and the door the gateway knocks on: HTTP in, HTTP out; the decisions are the
//! cashier's. Uses [`super::accounts`] (how answers are written), [`super::caller`], [`super::v1`]
//! (how a body is read), [`crate::billing::service`], [`crate::actions`] (how
//! parameters are read), [`crate::dispatch`] (who asks) and [`crate::shape`] (what is told of the answers).

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use bytes::Bytes;
use hyper::http::request::Parts;
use hyper::{Request, Response};
use serde::Serialize;

use super::accounts::{OK, WARNINGS, answered, answered_to_caller, json, warnings};
use super::body;
use super::caller::RequestId;
use crate::actions::{Kind, Param, Params};
use crate::billing::service::{
    BillingService, BillingStatus, Cancellation, Checkout, CheckoutRequest, MAX_NAME,
};
use crate::billing::subscription::SubscriptionStatus;
use crate::config::Config;
use crate::dispatch::Dispatcher;
use crate::domain::account::OrderId;
use crate::domain::error::ApiError;
use crate::domain::order::Method;
use crate::domain::plan::Plan;
use crate::metrics::{Metrics, Series};
use crate::quota::keys::Caller;
use crate::shape::{Field, Shape, Type};

/// What the door of the billing endpoints knows. Clones share it.
#[derive(Clone)]
pub struct Billing(Arc<Inner>);

struct Inner {
    rooms: Arc<Dispatcher>,
    cashier: BillingService,
    service: String,
    body_bytes: usize,
    checkout: Series,
    status: Series,
    cancel: Series,
    notice: Series,
}

/// The header that names a request which may come again.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The header in which the gateway proves itself.
const ACCESS_TOKEN: &str = "asaas-access-token";

/// What is told whoever cancels and has not confirmed it.
const CONFIRM: &str = "Nothing is canceled yet. Send confirm as yes: nothing more will be charged, and the plan stays \
                       until ends_at.";

/// What is told whoever has canceled.
const CANCELED: &str = "Canceled: nothing more will be charged, and the plan stays until ends_at.";

/// What checkout takes.
pub(super) const CHECKOUT: &[&Param] = &[
    &Param::new("plan", Kind::Choice(Plan::PAID), "The plan to order.").required(),
    &Param::new(
        "tax_id",
        Kind::Text { max: None },
        "CPF (11 digits) or CNPJ (14 characters), as people write it.",
    )
    .required(),
    &Param::new("name", Kind::text(MAX_NAME), "The name for the bill."),
    &Param::new(
        "method",
        Kind::Choice(Method::OFFERED),
        "How to pay. Without it whoever pays chooses on the page.",
    ),
];

/// What asking how one stands takes.
pub(super) const STATUS: &[&Param] = &[];

/// What canceling takes.
pub(super) const CANCEL: &[&Param] =
    &[&Param::new("confirm", Kind::Text { max: None }, "yes to cancel. Anything else is only asked back.")];

impl Billing {
    /// Opens the door.
    pub fn new(
        config: &Config,
        rooms: Arc<Dispatcher>,
        cashier: BillingService,
        metrics: &Metrics,
    ) -> Billing {
        Billing(Arc::new(Inner {
            rooms,
            cashier,
            service: config.service_name.clone(),
            body_bytes: config.limits.body_bytes.get(),
            checkout: metrics.series("/v1/billing/checkout", "none"),
            status: metrics.series("/v1/billing/status", "none"),
            cancel: metrics.series("/v1/billing/cancel", "none"),
            notice: metrics.series("/webhooks/asaas", "none"),
        }))
    }

    /// The cashier, for the sandbox's page and the site's form.
    pub(super) fn service(&self) -> &BillingService {
        &self.0.cashier
    }

    /// What the service is called.
    pub(super) fn service_name(&self) -> &str {
        &self.0.service
    }
}

/// `POST /v1/billing/checkout`.
pub async fn checkout(State(Billing(door)): State<Billing>, request: Request<Body>) -> Response<Body> {
    door.answer(&door.checkout, request, async |caller, head, params| {
        let wish = CheckoutRequest {
            plan: params.text("plan")?,
            tax_id: params.text("tax_id")?,
            name: params.sent("name")?,
            method: params.text("method")?,
            idempotency_key: one_header(head, IDEMPOTENCY_KEY)?,
        };
        let checkout = door.cashier.checkout(&caller.account, wish).await?;
        ordered(&checkout, warnings(params, CHECKOUT))
    })
    .await
}

/// `POST /v1/billing/status`.
pub async fn status(State(Billing(door)): State<Billing>, request: Request<Body>) -> Response<Body> {
    door.answer(&door.status, request, async |caller, _, params| {
        let standing = door.cashier.status(&caller.account.id).await?;
        stands(caller.account.plan, &standing, warnings(params, STATUS))
    })
    .await
}

/// `POST /v1/billing/cancel`.
pub async fn cancel(State(Billing(door)): State<Billing>, request: Request<Body>) -> Response<Body> {
    door.answer(&door.cancel, request, async |caller, _, params| {
        let confirmed = params.text("confirm")?.is_some_and(|said| said.eq_ignore_ascii_case("yes"));
        let canceled = door.cashier.cancel(&caller.account.id, confirmed).await?;
        ends(canceled, warnings(params, CANCEL))
    })
    .await
}

/// `POST /webhooks/asaas`: whatever the gateway tells is kept and answered 200 at once.
pub async fn webhook(State(Billing(door)): State<Billing>, request: Request<Body>) -> Response<Body> {
    let began = Instant::now();
    let (head, body) = request.into_parts();
    let token = head.headers.get(ACCESS_TOKEN).map(|token| token.as_bytes().trim_ascii());
    let answer = match body::read(&head.headers, body, door.body_bytes).await {
        Ok(body) => door.cashier.receive_webhook(token, &body).await,
        Err(refusal) => Err(refusal),
    };
    let answer = answer.map(|()| Bytes::from_static(b"{\"ok\":true}"));
    answered(&door.notice, began, answer, &RequestId::of(&head.headers))
}

impl Inner {
    /// Lets a caller in, reads what they sent, and answers.
    async fn answer(
        &self,
        series: &Series,
        request: Request<Body>,
        answer: impl AsyncFnOnce(&Caller, &Parts, &Params<'_>) -> Result<Bytes, ApiError>,
    ) -> Response<Body> {
        let began = Instant::now();
        let (head, body) = request.into_parts();
        let id = RequestId::of(&head.headers);
        let body = match body::read(&head.headers, body, self.body_bytes).await {
            Ok(body) if body.trim_ascii().is_empty() => Bytes::from_static(b"{}"),
            Ok(body) => body,
            Err(refusal) => return answered(series, began, Err(refusal), &id),
        };
        let params = match Params::parse(&body) {
            Ok(params) => params,
            Err(error) => return answered(series, began, Err(error.into()), &id),
        };
        let answer = async |caller: &Caller| answer(caller, &head, &params).await;
        answered_to_caller(&self.rooms, series, began, &head.headers, answer).await
    }
}

/// A header that must not come twice.
fn one_header<'a>(head: &'a Parts, name: &str) -> Result<Option<&'a [u8]>, ApiError> {
    let mut all = head.headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (_, Some(_)) => Err(ApiError::BadIdempotencyKey),
        (found, None) => Ok(found.map(|value| value.as_bytes().trim_ascii())),
    }
}

/// What [`ordered`] answers.
pub(super) const ORDERED: Shape = Shape {
    name: "Checkout",
    about: "An order, and where it is paid. The plan begins within a second of its payment; the key stays the same.",
    fields: &[
        OK,
        Field::always("plan", Type::Choice(Plan::PAID), "The plan that is ordered."),
        METHOD,
        Field::always("pay_url", Type::Link, "The page where it is paid."),
        Field::always("status", Type::Choice(&["awaiting_payment", "paid"]), "Whether it is paid already."),
        Field::always("amount_cents", Type::Integer, "What a month costs, in centavos."),
        Field::always("due_date", Type::Date, "When it is to be paid by."),
        Field::always("checkout_id", Type::Text, "What the order is called."),
        WARNINGS,
    ],
};

const METHOD: Field =
    Field::always("method", Type::Choice(Method::NAMES), "How it is paid; UNDEFINED: the payer chooses.");

fn ordered(checkout: &Checkout, warnings: Vec<String>) -> Result<Bytes, ApiError> {
    #[derive(Serialize)]
    struct Ordered<'a> {
        ok: bool,
        plan: Plan,
        method: Method,
        pay_url: &'a str,
        status: &'static str,
        amount_cents: u32,
        due_date: String,
        checkout_id: &'a OrderId,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    }
    json(&Ordered {
        ok: true,
        plan: checkout.plan,
        method: checkout.method,
        pay_url: &checkout.pay_url,
        status: if checkout.is_paid { "paid" } else { "awaiting_payment" },
        amount_cents: checkout.cents,
        due_date: checkout.due_date.to_string(),
        checkout_id: &checkout.id,
        warnings,
    })
}

/// What [`stands`] answers.
pub(super) const STANDS: Shape = Shape {
    name: "BillingStatus",
    about: "The plan of the account, and how it stands with its payments.",
    fields: &[
        OK,
        Field::always("plan", Type::Choice(Plan::NAMES), "The plan it is on."),
        Field::always("subscription", Type::Object(&SUBSCRIPTION), "How it stands with its payments."),
        WARNINGS,
    ],
};

const SUBSCRIPTION: Shape = Shape {
    name: "Subscription",
    about: "How an account stands with its payments.",
    fields: &[
        Field::always("status", Type::Choice(SubscriptionStatus::NAMES), "In a word."),
        Field::maybe("plan", Type::Choice(Plan::PAID), "The plan that is paid, or ordered."),
        Field::maybe("method", Type::Choice(Method::NAMES), "How it is paid."),
        Field::maybe("paid_until", Type::Moment, "The end of what is paid."),
        Field::always("auto_renew", Type::Boolean, "Whether it goes on."),
        Field::maybe("pay_url", Type::Link, "The page where what is to be paid is paid."),
    ],
};

fn stands(plan: Plan, standing: &BillingStatus, warnings: Vec<String>) -> Result<Bytes, ApiError> {
    #[derive(Serialize)]
    struct Stands<'a> {
        ok: bool,
        plan: Plan,
        subscription: Subscription<'a>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    }
    #[derive(Serialize)]
    struct Subscription<'a> {
        status: SubscriptionStatus,
        #[serde(skip_serializing_if = "Option::is_none")]
        plan: Option<Plan>,
        #[serde(skip_serializing_if = "Option::is_none")]
        method: Option<Method>,
        #[serde(skip_serializing_if = "Option::is_none")]
        paid_until: Option<String>,
        auto_renew: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        pay_url: Option<&'a str>,
    }
    let subscription = Subscription {
        status: standing.status,
        plan: standing.plan,
        method: standing.method,
        paid_until: standing.paid_until.map(|until| until.to_string()),
        auto_renew: standing.auto_renew,
        pay_url: standing.pay_url.as_deref(),
    };
    json(&Stands { ok: true, plan, subscription, warnings })
}

/// What [`ends`] answers.
pub(super) const ENDS: Shape = Shape {
    name: "Cancellation",
    about: "Whether it is canceled, or the confirmation is missing.",
    fields: &[
        OK,
        Field::always("canceled", Type::Boolean, "Whether it is canceled."),
        Field::maybe(
            "confirmation_required",
            Type::Only(true),
            "Nothing is canceled yet: send confirm as yes.",
        ),
        Field::always("message", Type::Text, "What was done, for people."),
        Field::always("ends_at", Type::Moment, "Until when the plan stays."),
        WARNINGS,
    ],
};

fn ends(canceled: Cancellation, warnings: Vec<String>) -> Result<Bytes, ApiError> {
    #[derive(Serialize)]
    struct Ends {
        ok: bool,
        canceled: bool,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        confirmation_required: bool,
        message: &'static str,
        ends_at: String,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    }
    let Cancellation { canceled, ends_at } = canceled;
    json(&Ends {
        ok: true,
        canceled,
        confirmation_required: !canceled,
        message: if canceled { CANCELED } else { CONFIRM },
        ends_at: ends_at.to_string(),
        warnings,
    })
}
