//! Every way of saying no, and for each its code, status, message and hint.
//!
//! A new refusal is a variant, an arm of [`ApiError::told`] and an entry in [`ApiError::examples`]; the doors and
//! the documents read the rest from here. A message says what to fix and is written for the person who will
//! fix it. Nothing the caller sent is ever repeated: what is shown of theirs is the *name* of a parameter, and
//! what is shown of ours comes from the vocabulary. Uses [`crate::domain::plan`] and [`crate::shape`] only.

use std::borrow::Cow;

use serde::Serialize;

use crate::domain::plan::Plan;
use crate::shape::{Field, Shape, Type};

/// A no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiError {
    /// The body is longer than the service reads.
    BodyTooLarge {
        /// The most it reads, in bytes.
        max_bytes: usize,
    },
    /// The body is declared as something other than JSON.
    UnsupportedMediaType,
    /// The body is not JSON.
    InvalidJson {
        /// Line of the first fault, from 1.
        line: usize,
        /// Column of the first fault, from 1.
        column: usize,
    },
    /// The body is JSON, but not an object.
    NotAnObject,
    /// The body has more fields than any caller has reason to send.
    TooManyFields {
        /// The most it may have.
        max: usize,
    },
    /// No key was sent where one is needed.
    MissingKey,
    /// The key is malformed, unknown or revoked: which of them is not told.
    InvalidKey,
    /// Two different keys were sent.
    ConflictingKeys,
    /// The body names no action.
    MissingAction {
        /// The actions there are.
        known: &'static [&'static str],
    },
    /// The body names an action that does not exist.
    UnknownAction {
        /// The actions there are.
        known: &'static [&'static str],
    },
    /// A parameter that the action cannot do without is absent.
    MissingParam {
        /// Its name.
        param: &'static str,
    },
    /// A parameter is of the wrong JSON type.
    WrongType {
        /// Its name.
        param: &'static str,
        /// What it should be, with its article: "a string".
        expected: &'static str,
    },
    /// A number is outside its bounds.
    OutOfRange {
        /// Its name.
        param: &'static str,
        /// The least allowed.
        min: i64,
        /// The most allowed.
        max: i64,
    },
    /// A date is not a day of the calendar in the form YYYY-MM-DD.
    InvalidDate {
        /// Its name.
        param: &'static str,
    },
    /// `to` lies before `from`.
    DatesReversed,
    /// A text is too long.
    TextTooLong {
        /// Its name.
        param: &'static str,
        /// The most allowed, in characters.
        max: usize,
    },
    /// A search text has too many words.
    TooManyWords {
        /// Its name.
        param: &'static str,
        /// The most allowed.
        max: usize,
    },
    /// No region, neighbourhood, zone or code is called that.
    UnknownRegion {
        /// The parameter it came in.
        param: &'static str,
        /// The nearest known names.
        nearest: Vec<String>,
    },
    /// An address code exists in several regions.
    AmbiguousRegion {
        /// The parameter it came in.
        param: &'static str,
        /// Its readings, each as something that may be sent instead.
        readings: Vec<String>,
    },
    /// `region` and its alias were both sent and differ.
    ConflictingRegion,
    /// No category is called that.
    UnknownCategory {
        /// The nearest known names.
        nearest: Vec<String>,
    },
    /// A cursor that this service did not make, or made for another question.
    InvalidCursor,
    /// No record that the caller may see has that id.
    UnknownRecord {
        /// "place" or "event".
        kind: &'static str,
    },
    /// The region lies wholly outside what the plan covers.
    PlanRegion {
        /// The caller's plan.
        plan: Plan,
    },
    /// The region lies wholly outside what the preview covers.
    PreviewRegion,
    /// The questions of the preview are spent.
    PreviewLimited {
        /// Whose questions those were: "from your network this minute".
        scope: &'static str,
        /// Seconds until there are more.
        retry_after: u32,
    },
    /// A parameter takes one of a few words, and none of them was sent.
    UnknownChoice {
        /// Its name.
        param: &'static str,
        /// The words.
        known: &'static [&'static str],
    },
    /// A tool was sent parameters that it does not have.
    UnknownParam {
        /// Those it has.
        known: Vec<&'static str>,
    },
    /// The calls of this minute are spent.
    RateLimited {
        /// Seconds until the next minute begins.
        retry_after: u32,
        /// Calls allowed in a minute.
        per_minute: u32,
    },
    /// The calls of this month are spent.
    QuotaExceeded {
        /// Seconds until the next month begins.
        retry_after: u32,
        /// Calls allowed in a month.
        per_month: u32,
    },
    /// Nothing lives at this path.
    NotFound,
    /// The path lives, but not with this method.
    MethodNotAllowed {
        /// The methods it has, as the `allow` header lists them.
        allow: &'static str,
    },
    /// The request, or its answer, took too long.
    RequestTimeout,
    /// More connections than the service takes at once.
    Overloaded,
    /// The store of keys and quotas cannot be reached or cannot keep up.
    StoreUnavailable,
    /// No guide is in service yet.
    NoGuide,
    /// A fault of ours.
    Internal,
    /// The text is no e-mail address.
    InvalidEmail,
    /// Too many sign-ups for the address, or from the network address.
    TooManySignups {
        /// Seconds until another is taken.
        retry_after: u32,
    },
    /// Too many recoveries for the address, or from the network address.
    TooManyRecoveries {
        /// Seconds until another is taken.
        retry_after: u32,
    },
    /// Nobody takes money here.
    BillingClosed,
    /// The gateway did not answer, or not as it should.
    GatewayUnavailable,
    /// The plan asked for is none that is for sale.
    BadPlan,
    /// The tax number is none, or the gateway will not take it.
    BadTaxId,
    /// The way to pay is none that there is.
    BadMethod,
    /// The account is on the plan already.
    SamePlan {
        /// The plan.
        plan: Plan,
    },
    /// There is nothing to cancel.
    NothingToCancel,
    /// The idempotency key is too long or not plain.
    BadIdempotencyKey,
    /// The idempotency key came before with another request.
    IdempotencyMismatch,
    /// Too many checkouts of one account.
    TooManyCheckouts {
        /// Seconds until another is taken.
        retry_after: u32,
    },
    /// A notice came without the token that notices of the gateway carry.
    WrongToken,
    /// A form came from a page of another site.
    ForeignForm,
    /// The recovery code is wrong, expired or spent, or there is no such account: which of them is not told.
    InvalidCode,
}

/// What a refusal tells: one row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorDetails {
    /// Stable name, for programs.
    pub code: &'static str,
    /// HTTP status.
    pub status: u16,
    /// What to fix, for people.
    pub message: Cow<'static, str>,
    /// A further step that may help.
    pub hint: Option<Cow<'static, str>>,
    /// The parameter at fault.
    pub param: Option<&'static str>,
    /// Seconds to wait before asking again.
    pub retry_after: Option<u32>,
}

impl ApiError {
    /// The row of this refusal.
    pub fn details(&self) -> ErrorDetails {
        use ApiError::*;
        match self {
            BodyTooLarge { max_bytes } => {
                no("body_too_large", 413, format!("Send a body of at most {max_bytes} bytes."))
            }
            UnsupportedMediaType => {
                no("unsupported_media_type", 415, "Send the body as JSON, with content-type: application/json.")
            }
            InvalidJson { line, column } => {
                no("invalid_json", 400, format!("Send valid JSON: see line {line}, column {column}."))
            }
            NotAnObject => no("not_an_object", 400, "Send one JSON object: {...}."),
            TooManyFields { max } => no("too_many_fields", 400, format!("Send at most {max} fields.")),
            MissingKey => no("missing_key", 401, "Send your API key.")
                .hint("Use the header x-api-key, or authorization: Bearer <key>."),
            InvalidKey => no("invalid_key", 401, "Send a valid API key: this one is mistyped, revoked or unknown.")
                .hint(
                    "Keys begin with cdg_live_ and go into x-api-key, or into authorization after Bearer; copy yours again \
                     from the e-mail it came in.",
                ),
            ConflictingKeys => no("conflicting_keys", 401, "Send one API key: two different ones arrived.")
                .hint("Use either the header x-api-key or authorization: Bearer, not both."),
            MissingAction { known } => {
                no("missing_action", 400, format!("Send an action: one of {}.", known.join(", "))).param("action")
            }
            UnknownAction { known } => {
                no("unknown_action", 400, format!("Change action to one of {}.", known.join(", "))).param("action")
            }
            MissingParam { param } => no("missing_param", 400, format!("Send {param}.")).param(param),
            WrongType { param, expected } => {
                no("wrong_type", 400, format!("Send {param} as {expected}.")).param(param)
            }
            OutOfRange { param, min, max } => {
                no("out_of_range", 400, format!("Send {param} between {min} and {max}.")).param(param)
            }
            InvalidDate { param } => {
                no("invalid_date", 400, format!("Send {param} as a real date in the form YYYY-MM-DD.")).param(param)
            }
            DatesReversed => no("dates_reversed", 400, "Send a to that is not before from.")
                .param("to")
                .hint("Without from, the search starts today (in Brasília); without to, it covers 7 more days."),
            TextTooLong { param, max } => {
                no("text_too_long", 400, format!("Shorten {param} to at most {max} characters.")).param(param)
            }
            TooManyWords { param, max } => {
                no("too_many_words", 400, format!("Shorten {param} to at most {max} words.")).param(param)
            }
            UnknownRegion { param, nearest } => {
                no("unknown_region", 400, format!("Change {param} to a known one{}.", such_as(nearest)))
                    .param(param)
                    .hint("list_regions tells the regions and neighbourhoods; zones and address codes work too.")
            }
            AmbiguousRegion { param, readings } => {
                no("ambiguous_region", 400, format!("Say which {param} is meant: {}.", readings.join(" or ")))
                    .param(param)
            }
            ConflictingRegion => no(
                "conflicting_region",
                400,
                "Send either region or neighbourhood: they are two names of one parameter and arrived different.",
            )
            .param("region"),
            UnknownCategory { nearest } => {
                no("unknown_category", 400, format!("Change category to a known one{}.", such_as(nearest)))
                    .param("category")
                    .hint("list_categories tells the categories; Portuguese and English both work.")
            }
            InvalidCursor => no("invalid_cursor", 400, "Send the next_cursor of an answer to this same question.")
                .param("cursor")
                .hint("Leave cursor out to start from the beginning."),
            UnknownRecord { kind } => {
                no("unknown_record", 404, format!("Send the id of a known {kind}.")).param("id").hint(
                    "Take ids from a search: records come and go with the guide, and a plan sees its regions only.",
                )
            }
            PlanRegion { plan } => {
                no("plan_region", 403, format!("Ask for Plano Piloto: the {plan} plan covers that region only."))
                    .param("region")
                    .hint("Paid plans cover every region of the Federal District.")
            }
            PreviewRegion => no(
                "preview_region",
                403,
                "Ask for Plano Piloto: without a key the preview covers that region only.",
            )
            .param("region")
            .hint("A key of a paid plan covers every region of the Federal District."),
            PreviewLimited { scope, retry_after } => no(
                "preview_limited",
                429,
                format!("Wait {retry_after} s, or send an API key: the questions without a key {scope} are spent."),
            )
            .after(*retry_after),
            UnknownChoice { param, known } => {
                no("unknown_choice", 400, format!("Change {param} to one of {}.", known.join(", "))).param(param)
            }
            UnknownParam { known } if known.is_empty() => {
                no("unknown_param", 400, "Send no parameters: there are none here.")
            }
            UnknownParam { known } => {
                no("unknown_param", 400, format!("Send only these parameters: {}.", known.join(", ")))
            }
            RateLimited { retry_after, per_minute } => no(
                "rate_limited",
                429,
                format!("Wait {retry_after} s: the plan allows {per_minute} calls a minute."),
            )
            .after(*retry_after),
            QuotaExceeded { retry_after, per_month } => no(
                "quota_exceeded",
                429,
                format!("Wait until next month, or change plan: the plan allows {per_month} calls a month."),
            )
            .after(*retry_after),
            NotFound => no("not_found", 404, "Check the path: nothing lives here.")
                .hint("Searches go to POST /v1."),
            MethodNotAllowed { allow } => {
                no("method_not_allowed", 405, format!("Use {allow} for this path."))
            }
            RequestTimeout => no("request_timeout", 408, "Send the whole request faster, or try again."),
            Overloaded => no("overloaded", 503, "Try again in a moment: too many connections are open.").after(1),
            StoreUnavailable => {
                no("store_unavailable", 503, "Try again in a moment: keys cannot be checked right now.").after(1)
            }
            NoGuide => no("no_guide", 503, "Try again in a moment: the guide is being loaded.").after(1),
            Internal => no("internal", 500, "Try again; if it goes on, report the request_id: the fault is ours."),
            InvalidEmail => {
                no("invalid_email", 400, "Send email as an address like maria@example.com.").param("email")
            }
            TooManySignups { retry_after } => no(
                "too_many_signups",
                400,
                format!("Wait {retry_after} s: too many sign-ups for this e-mail or from this network."),
            )
            .after(*retry_after)
            .hint("Look for the mail of an earlier sign-up, in the spam folder too."),
            TooManyRecoveries { retry_after } => no(
                "too_many_recoveries",
                429,
                format!("Wait {retry_after} s: too many recoveries for this e-mail or from this network."),
            )
            .after(*retry_after),
            BillingClosed => no("billing_closed", 503, "Try again later: paid plans are not open yet.").after(3_600),
            GatewayUnavailable => no(
                "gateway_unavailable",
                503,
                "Try again in a moment: whoever takes the payment does not answer. Nothing was charged.",
            )
            .after(5)
            .hint("The same request carries on where this one stopped."),
            BadPlan => no("bad_plan", 400, "Send plan as gringo, pro or business.").param("plan"),
            BadTaxId => no("bad_tax_id", 400, "Send tax_id as a valid CPF (11 digits) or CNPJ (14 characters).")
                .param("tax_id"),
            BadMethod => no("bad_method", 400, "Send method as PIX, BOLETO or CREDIT_CARD.")
                .param("method")
                .hint("Leave method out to choose on the payment page."),
            SamePlan { plan } => {
                no("same_plan", 400, format!("Change plan to another one: this account is on {plan} already."))
                    .param("plan")
                    .hint("POST /v1/billing/status tells until when it is paid.")
            }
            NothingToCancel => no("nothing_to_cancel", 400, "Check the plan: nothing is paid for here.")
                .hint("POST /v1/billing/status tells how the account stands."),
            BadIdempotencyKey => no(
                "bad_idempotency_key",
                400,
                "Send one idempotency-key of 1 to 200 visible ASCII characters.",
            ),
            IdempotencyMismatch => no(
                "idempotency_mismatch",
                400,
                "Use another idempotency-key: this one came before with another plan or method.",
            ),
            TooManyCheckouts { retry_after } => no(
                "too_many_checkouts",
                429,
                format!("Wait {retry_after} s: too many checkouts of this account today."),
            )
            .after(*retry_after),
            WrongToken => no("wrong_token", 401, "Send the token of the gateway in asaas-access-token."),
            ForeignForm => no("foreign_form", 403, "Send the form from its own page."),
            InvalidCode => no(
                "invalid_code",
                400,
                "Send the code of the newest recovery mail: this one is wrong, expired or spent.",
            )
            .param("code")
            .hint("A code works once, for 30 minutes and 5 tries; POST /v1/keys/recover mails another."),
        }
    }

    /// What [`ApiError::body`] tells.
    pub const BODY: Shape = Shape {
        name: "Error",
        about: "A no. It says what to fix, and never repeats what was sent.",
        fields: &[
            Field::always("ok", Type::Only(false), "Always false."),
            Field::always("error", Type::Text, "What to fix, for people."),
            Field::always("code", Type::Text, "What is wrong, for programs: it does not change."),
            Field::maybe("param", Type::Text, "The parameter at fault."),
            Field::maybe("hint", Type::Text, "A further step that may help."),
            Field::maybe(
                "retry_after",
                Type::Integer,
                "Seconds to wait before asking again, as in the header.",
            ),
            Field::always(
                "request_id",
                Type::Text,
                "What to name when reporting it; the header x-request-id.",
            ),
        ],
    };

    /// The JSON body of this refusal, as every door sends it.
    pub fn body(&self, request_id: &str) -> Vec<u8> {
        #[derive(Serialize)]
        struct Body<'a> {
            ok: bool,
            error: &'a str,
            code: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            param: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            hint: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            retry_after: Option<u32>,
            request_id: &'a str,
        }
        let told = self.details();
        let body = Body {
            ok: false,
            error: &told.message,
            code: told.code,
            param: told.param,
            hint: told.hint.as_deref(),
            retry_after: told.retry_after,
            request_id,
        };
        // Strings, numbers and a bool cannot fail to become JSON; were they to, an empty body with the right
        // status is still a no.
        serde_json::to_vec(&body).unwrap_or_default()
    }

    /// One of each, for the documents and for the test that lints the table.
    pub fn examples() -> Vec<ApiError> {
        use ApiError::*;
        let known = &["search_events", "search_places"];
        vec![
            BodyTooLarge { max_bytes: 65_536 },
            UnsupportedMediaType,
            InvalidJson { line: 1, column: 17 },
            NotAnObject,
            TooManyFields { max: 64 },
            MissingKey,
            InvalidKey,
            ConflictingKeys,
            MissingAction { known },
            UnknownAction { known },
            MissingParam { param: "id" },
            WrongType { param: "q", expected: "a string" },
            OutOfRange { param: "limit", min: 1, max: 50 },
            InvalidDate { param: "from" },
            DatesReversed,
            TextTooLong { param: "q", max: 200 },
            TooManyWords { param: "q", max: 12 },
            UnknownRegion { param: "region", nearest: vec!["Asa Norte".into(), "Lago Norte".into()] },
            AmbiguousRegion {
                param: "region",
                readings: vec!["QI 11 Lago Sul".into(), "QI 11 Lago Norte".into()],
            },
            ConflictingRegion,
            UnknownCategory { nearest: vec!["jazz".into()] },
            InvalidCursor,
            UnknownRecord { kind: "place" },
            PlanRegion { plan: Plan::Free },
            PreviewRegion,
            PreviewLimited { scope: "from your network this minute", retry_after: 12 },
            UnknownChoice { param: "kind", known: &["events", "places"] },
            UnknownParam { known: vec!["q", "limit"] },
            RateLimited { retry_after: 12, per_minute: 30 },
            QuotaExceeded { retry_after: 86_400, per_month: 1_000 },
            NotFound,
            MethodNotAllowed { allow: "POST" },
            RequestTimeout,
            Overloaded,
            StoreUnavailable,
            NoGuide,
            Internal,
            InvalidEmail,
            TooManySignups { retry_after: 1_800 },
            TooManyRecoveries { retry_after: 1_800 },
            InvalidCode,
            BillingClosed,
            GatewayUnavailable,
            BadPlan,
            BadTaxId,
            BadMethod,
            SamePlan { plan: Plan::Pro },
            NothingToCancel,
            BadIdempotencyKey,
            IdempotencyMismatch,
            TooManyCheckouts { retry_after: 3_600 },
            WrongToken,
            ForeignForm,
        ]
    }
}

fn no(code: &'static str, status: u16, message: impl Into<Cow<'static, str>>) -> ErrorDetails {
    ErrorDetails { code, status, message: message.into(), hint: None, param: None, retry_after: None }
}

impl ErrorDetails {
    fn hint(self, hint: &'static str) -> ErrorDetails {
        ErrorDetails { hint: Some(hint.into()), ..self }
    }

    fn param(self, param: &'static str) -> ErrorDetails {
        ErrorDetails { param: Some(param), ..self }
    }

    fn after(self, seconds: u32) -> ErrorDetails {
        ErrorDetails { retry_after: Some(seconds), ..self }
    }
}

/// ", such as A, B or C"; nothing when nothing is near.
fn such_as(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => format!(", such as {only}"),
        [most @ .., last] => format!(", such as {} or {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The place of a refusal among the examples. Written out so that a new variant does not compile until it
    /// has a number here, and the number does not pass until it has an example.
    fn place(refusal: &ApiError) -> usize {
        use ApiError::*;
        match refusal {
            BodyTooLarge { .. } => 0,
            UnsupportedMediaType => 1,
            InvalidJson { .. } => 2,
            NotAnObject => 3,
            TooManyFields { .. } => 4,
            MissingKey => 5,
            InvalidKey => 6,
            ConflictingKeys => 7,
            MissingAction { .. } => 8,
            UnknownAction { .. } => 9,
            MissingParam { .. } => 10,
            WrongType { .. } => 11,
            OutOfRange { .. } => 12,
            InvalidDate { .. } => 13,
            DatesReversed => 14,
            TextTooLong { .. } => 15,
            TooManyWords { .. } => 16,
            UnknownRegion { .. } => 17,
            AmbiguousRegion { .. } => 18,
            ConflictingRegion => 19,
            UnknownCategory { .. } => 20,
            InvalidCursor => 21,
            UnknownRecord { .. } => 22,
            PlanRegion { .. } => 23,
            PreviewRegion => 24,
            PreviewLimited { .. } => 25,
            UnknownChoice { .. } => 26,
            UnknownParam { .. } => 27,
            RateLimited { .. } => 28,
            QuotaExceeded { .. } => 29,
            NotFound => 30,
            MethodNotAllowed { .. } => 31,
            RequestTimeout => 32,
            Overloaded => 33,
            StoreUnavailable => 34,
            NoGuide => 35,
            Internal => 36,
            InvalidEmail => 37,
            TooManySignups { .. } => 38,
            TooManyRecoveries { .. } => 39,
            InvalidCode => 40,
            BillingClosed => 41,
            GatewayUnavailable => 42,
            BadPlan => 43,
            BadTaxId => 44,
            BadMethod => 45,
            SamePlan { .. } => 46,
            NothingToCancel => 47,
            BadIdempotencyKey => 48,
            IdempotencyMismatch => 49,
            TooManyCheckouts { .. } => 50,
            WrongToken => 51,
            ForeignForm => 52,
        }
    }

    #[test]
    fn every_refusal_has_its_example() {
        let places: Vec<usize> = ApiError::examples().iter().map(place).collect();
        assert_eq!(places, (0..53).collect::<Vec<_>>());
    }

    #[test]
    fn codes_are_unique_and_plain() {
        let mut seen = HashSet::new();
        for refusal in ApiError::examples() {
            let code = refusal.details().code;
            assert!(seen.insert(code), "{code} is used twice");
            assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{code}");
        }
    }

    #[test]
    fn sentences_begin_with_what_to_do() {
        let verbs = ["Send", "Change", "Shorten", "Say", "Ask", "Wait", "Check", "Use", "Try"];
        for refusal in ApiError::examples() {
            let told = refusal.details();
            let verb = told.message.split([' ', ':', ';', ',']).next().expect("a word");
            assert!(verbs.contains(&verb), "{}: {}", told.code, told.message);
            assert!(told.message.ends_with('.'), "{}", told.message);
            assert!(told.message.chars().count() <= 160, "{}", told.message);
            assert!(!told.message.contains("  "), "{}", told.message);
        }
    }

    #[test]
    fn statuses_are_those_of_the_contract_and_say_when_to_return() {
        for refusal in ApiError::examples() {
            let told = refusal.details();
            assert!([400, 401, 403, 404, 405, 408, 413, 415, 429, 500, 503].contains(&told.status));
            // the specification gives sign-ups 400 where others get 429
            assert_eq!(
                told.retry_after.is_some(),
                [429, 503].contains(&told.status) || told.code == "too_many_signups",
                "{} says when to come back if and only if coming back helps",
                told.code
            );
            assert_eq!(
                told.status == 401,
                ["missing_key", "invalid_key", "conflicting_keys", "wrong_token"].contains(&told.code)
            );
        }
    }

    #[test]
    fn the_body_is_the_contracts() {
        let body = ApiError::OutOfRange { param: "limit", min: 1, max: 50 }.body("r-1");
        assert_eq!(
            String::from_utf8(body).expect("text"),
            r#"{"ok":false,"error":"Send limit between 1 and 50.","code":"out_of_range","param":"limit","request_id":"r-1"}"#
        );
        let limited = ApiError::RateLimited { retry_after: 7, per_minute: 30 }.body("r-2");
        let limited: serde_json::Value = serde_json::from_slice(&limited).expect("JSON");
        assert_eq!(limited["retry_after"], 7);
        assert_eq!(limited["ok"], false);
    }

    #[test]
    fn names_are_listed_as_people_list_them() {
        let near = |names: &[&str]| such_as(&names.iter().map(|name| name.to_string()).collect::<Vec<_>>());
        assert_eq!(near(&[]), "");
        assert_eq!(near(&["A"]), ", such as A");
        assert_eq!(near(&["A", "B", "C"]), ", such as A, B or C");
    }
}
