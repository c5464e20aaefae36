//! The billing endpoints of `/v1`, and the webhook of the payment gateway.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use bytes::Bytes;
use hyper::http::request::Parts;
use hyper::{Request, Response};
use schemars::JsonSchema;
use serde::Serialize;
use strum::VariantNames;

use super::body::BodyReader;
use super::caller::RequestId;
use super::json_endpoints::{JsonEndpoints, ok, respond, warnings};
use super::sandbox_access::SandboxAccess;
use crate::actions::{Param, ParamType, Params};
use crate::billing::checkout::{CheckoutRequest, MAX_PAYER_NAME, OrderedBy};
use crate::billing::service::BillingService;
use crate::billing::subscription::SubscriptionStatus;
use crate::config::Config;
use crate::dispatch::Dispatcher;
use crate::domain::account::OrderId;
use crate::domain::error::ApiError;
use crate::domain::order::Method;
use crate::domain::plan::Plan;
use crate::quota::keys::Caller;

/// The state of the billing endpoints.
pub struct Billing {
    endpoints: JsonEndpoints,
    service: BillingService,
    sandbox: SandboxAccess,
}

/// The header that identifies a request which may be repeated.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The header in which the gateway sends its token.
const ACCESS_TOKEN: &str = "asaas-access-token";

/// The message of a cancellation that is not confirmed.
const UNCONFIRMED: &str = "Nothing is canceled yet. Send confirm as yes: nothing more will be charged, and the plan stays \
                       until ends_at.";

/// The message of a cancellation.
const CANCELED: &str = "Canceled: nothing more will be charged, and the plan stays until ends_at.";

/// The message when there was nothing left to cancel.
const ALREADY_CANCELED: &str =
    "Canceled already: nothing more will be charged, and the plan stays until ends_at.";

/// The messages of an order that waits for its first payment.
const ORDER_UNCONFIRMED: &str = "Nothing is withdrawn yet. Send confirm as yes: the order that waits for its payment is \
                                 closed, and nothing is charged for it.";
const ORDER_WITHDRAWN: &str = "Withdrawn: the order is closed, and nothing is charged for it.";

/// Parameters of checkout.
pub(super) const CHECKOUT: &[&Param] = &[&PLAN, &TAX_ID, &NAME, &METHOD];

const PLAN: Param = Param::new("plan", ParamType::Choice(Plan::PAID), "The plan to order.").required();

const TAX_ID: Param = Param::new(
    "tax_id",
    ParamType::Text { max: None },
    "CPF (11 digits) or CNPJ (14 characters), with or without punctuation.",
)
.required();

const NAME: Param = Param::new("name", ParamType::text(MAX_PAYER_NAME), "The name on the bill.");

const METHOD: Param = Param::new(
    "method",
    ParamType::Choice(Method::OFFERED),
    "Payment method. Default: the payer chooses on the payment page.",
);

/// Parameters of status.
pub(super) const STATUS: &[&Param] = &[];

/// Parameters of cancel.
pub(super) const CANCEL: &[&Param] = &[&CONFIRM];

const CONFIRM: Param = Param::new(
    "confirm",
    ParamType::Text { max: None },
    "yes to cancel. Without it, the answer asks for the confirmation, unless the plan is canceled already.",
);

/// The error for a `confirm` that is no text.
const UNCLEAR_CONFIRM: ApiError = ApiError::WrongType { param: CONFIRM.name, expected: "the string \"yes\"" };

/// An order and its payment page. The plan starts within a second of the payment; the key stays the same.
#[derive(Serialize, JsonSchema)]
pub(super) struct Checkout<'a> {
    /// The plan that is ordered.
    #[schemars(with = "String", extend("enum" = Plan::PAID))]
    plan: Plan,
    /// The payment method; UNDEFINED when the payer chooses.
    #[schemars(with = "String", extend("enum" = Method::NAMES))]
    method: Method,
    /// The payment page.
    #[schemars(extend("format" = "uri"))]
    pay_url: &'a str,
    /// Whether the order is paid already.
    #[schemars(with = "String", extend("enum" = OrderStatus::NAMES))]
    status: OrderStatus,
    /// Price per month, in centavos.
    amount_cents: u32,
    /// Due date.
    #[schemars(extend("format" = "date"))]
    due_date: String,
    /// Identifier of the order.
    #[schemars(with = "String")]
    checkout_id: &'a OrderId,
}

/// Whether an order is paid.
#[derive(Serialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(super) enum OrderStatus {
    AwaitingPayment,
    Paid,
}

impl OrderStatus {
    /// The names of all.
    pub(super) const NAMES: &[&str] = OrderStatus::VARIANTS;
}

/// The plan of the account, and the state of its payments.
#[derive(Serialize, JsonSchema)]
pub(super) struct BillingStatus {
    /// The current plan.
    #[schemars(with = "String", extend("enum" = Plan::NAMES))]
    plan: Plan,
    /// The state of its payments.
    subscription: Subscription,
}

/// The payments of an account.
#[derive(Serialize, JsonSchema)]
struct Subscription {
    /// State of the subscription.
    #[schemars(with = "String", extend("enum" = SubscriptionStatus::NAMES))]
    status: SubscriptionStatus,
    /// The plan that is paid, or else the one that is ordered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("enum" = Plan::PAID))]
    plan: Option<Plan>,
    /// The payment method.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("enum" = Method::NAMES))]
    method: Option<Method>,
    /// End of the paid period.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    paid_until: Option<String>,
    /// Whether it renews.
    auto_renew: bool,
    /// The payment page of what is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "uri"))]
    pay_url: Option<String>,
    /// The plan that is paid there: another one than plan when a plan was ordered after the current one was canceled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("enum" = Plan::PAID))]
    pay_url_plan: Option<Plan>,
}

/// Whether the plan is canceled, or a confirmation is needed.
#[derive(Serialize, JsonSchema)]
pub(super) struct Cancellation {
    /// Whether the plan is canceled, now or before.
    canceled: bool,
    /// Nothing is canceled yet: send confirm as yes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    confirmation_required: bool,
    /// What was done, for people.
    message: &'static str,
    /// When the plan ends: now, for an order that is withdrawn before its payment.
    #[schemars(extend("format" = "date-time"))]
    ends_at: String,
}

impl Billing {
    /// The state of the endpoints.
    pub fn new(
        config: &Config,
        dispatcher: Arc<Dispatcher>,
        bodies: Arc<BodyReader>,
        service: BillingService,
    ) -> Billing {
        let endpoints = JsonEndpoints::new(config, dispatcher, bodies);
        let sandbox = SandboxAccess::new(config);
        Billing { endpoints, service, sandbox }
    }

    /// The billing service, for the sandbox page and the form of the site.
    pub(super) fn service(&self) -> &BillingService {
        &self.service
    }

    /// The reader of bodies, for the forms.
    pub(super) fn bodies(&self) -> &BodyReader {
        self.endpoints.bodies()
    }

    /// Who may pay, when the gateway is the sandbox.
    pub(super) fn sandbox(&self) -> &SandboxAccess {
        &self.sandbox
    }
}

/// `POST /v1/billing/checkout`.
pub async fn checkout(State(billing): State<Arc<Billing>>, request: Request<Body>) -> Response<Body> {
    let answer = async |caller: &Caller, head: &Parts, params: &Params<'_>| {
        billing.sandbox.check(&head.uri, &head.headers)?;
        let order = CheckoutRequest {
            plan: params.text(&PLAN)?,
            tax_id: params.text(&TAX_ID)?,
            name: params.sent(&NAME)?,
            method: params.text(&METHOD)?,
            idempotency_key: single_header(head, IDEMPOTENCY_KEY)?,
        };
        let (by, client) = (OrderedBy::Key(caller.key), billing.endpoints.client(head));
        let checkout = billing.service.checkout(&caller.account, by, client, order).await?;
        let answer = Checkout {
            plan: checkout.plan,
            method: checkout.method,
            pay_url: &checkout.pay_url,
            status: if checkout.is_paid { OrderStatus::Paid } else { OrderStatus::AwaitingPayment },
            amount_cents: checkout.cents,
            due_date: checkout.due_date.to_string(),
            checkout_id: &checkout.id,
        };
        ok(answer, warnings(params, CHECKOUT))
    };
    billing.endpoints.answer_caller(request, CHECKOUT, answer).await
}

/// `POST /v1/billing/status`.
pub async fn status(State(billing): State<Arc<Billing>>, request: Request<Body>) -> Response<Body> {
    let answer = async |caller: &Caller, _: &Parts, params: &Params<'_>| {
        let status = billing.service.status(&caller.account.id).await?;
        let subscription = Subscription {
            status: status.status,
            plan: status.plan,
            method: status.method,
            paid_until: status.paid_until.map(|until| until.to_string()),
            auto_renew: status.auto_renew,
            pay_url: status.pay_url,
            pay_url_plan: status.pay_url_plan,
        };
        ok(BillingStatus { plan: caller.account.plan, subscription }, warnings(params, STATUS))
    };
    billing.endpoints.answer_caller(request, STATUS, answer).await
}

/// `POST /v1/billing/cancel`.
pub async fn cancel(State(billing): State<Arc<Billing>>, request: Request<Body>) -> Response<Body> {
    let answer = async |caller: &Caller, _: &Parts, params: &Params<'_>| {
        // it has no greatest length, so that only its type may be wrong; many send true
        let sent = params.text(&CONFIRM).map_err(|_| UNCLEAR_CONFIRM)?;
        let confirmed = sent.is_some_and(|answer| answer.eq_ignore_ascii_case("yes"));
        let cancellation = billing.service.cancel(&caller.account.id, confirmed).await?;
        let canceled = cancellation.canceled || cancellation.was_canceled;
        let answer = Cancellation {
            canceled,
            confirmation_required: !canceled,
            message: match (cancellation.is_order, cancellation.was_canceled, cancellation.canceled) {
                (true, _, true) => ORDER_WITHDRAWN,
                (true, _, false) => ORDER_UNCONFIRMED,
                (false, true, _) => ALREADY_CANCELED,
                (false, false, true) => CANCELED,
                (false, false, false) => UNCONFIRMED,
            },
            ends_at: cancellation.ends_at.to_string(),
        };
        ok(answer, warnings(params, CANCEL))
    };
    billing.endpoints.answer_caller(request, CANCEL, answer).await
}

/// `POST /webhooks/asaas`: stores the event and answers 200 at once; a worker acts on it.
pub async fn webhook(State(billing): State<Arc<Billing>>, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let token = head.headers.get(ACCESS_TOKEN).map(|token| token.as_bytes().trim_ascii());
    let result = match billing.endpoints.read(&head, body).await {
        Ok(body) => billing.service.receive_webhook(token, &body).await,
        Err(error) => Err(error),
    };
    let result = result.map(|()| Bytes::from_static(b"{\"ok\":true}"));
    respond(result, &RequestId::of(&head.headers))
}

/// The value of a header that may be sent once at most.
fn single_header<'a>(head: &'a Parts, name: &str) -> Result<Option<&'a [u8]>, ApiError> {
    let mut all = head.headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (_, Some(_)) => Err(ApiError::BadIdempotencyKey),
        (found, None) => Ok(found.map(|value| value.as_bytes().trim_ascii())),
    }
}
